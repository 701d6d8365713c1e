/* Reads a plan from a switch of a scenario. */

#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "plan/files.h"
#include "topo/port-names.h"

static weir_ps
response_at(const struct scenario *s, uint32_t node, uint64_t rate_bps)
{
    uint64_t response = scn_switch_at(s, node)->response_ps;

    return response == WEIR_AUTO ? weir_pfc_response_ps(rate_bps) : (weir_ps)response;
}

/* The response time of a link is that of its slower end. */
static weir_ps
response_of(const struct scenario *s, const struct topo_port *p)
{
    uint64_t rate_bps = s->topo.links[p->link].rate_bps;
    weir_ps here = response_at(s, p->node, rate_bps);
    weir_ps there = response_at(s, s->topo.ports[p->peer].node, rate_bps);

    return here > there ? here : there;
}

static struct plan_port
port_of(const struct scenario *s, uint32_t port)
{
    const struct topo_port *p = &s->topo.ports[port];
    const struct topo_link *l = &s->topo.links[p->link];
    struct plan_port out = { .rate_bps = l->rate_bps,
                             .cable_ps = l->delay_ps,
                             .cable_mm = plan_cable_mm(l->delay_ps),
                             .has_response = true,
                             .response_ps = response_of(s, p),
                             .mtu_bytes = (uint32_t)s->wire.mtu_bytes,
                             .lossless =
                                 (uint8_t)(s->wire.lossless & ((1u << s->wire.classes) - 1)),
                             .configured_bytes =
                                 scn_speed_at(s, p->node, l->rate_bps).headroom_bytes };
    char peer[TOPO_PORT_BYTES];

    snprintf(out.name, sizeof out.name, "%s", topo_port_text(&s->topo, p->peer, peer));
    return out;
}

/* Reads the values of a switch with a pipeline. For other switches, the values of the request stay.
 * Returns the output buffer of a class; 0 if outputs have no separate buffer. */
static uint64_t
read_pipeline(struct plan_input *in, const struct scn_switch *sw)
{
    uint64_t egress = 0;

    scn_kind_param(sw, "pipeline", "delay", &in->pipeline_ps);
    scn_kind_param(sw, "pipeline", "pps", &in->pps);
    scn_kind_param(sw, "pipeline", "egress", &egress);
    return egress;
}

static bool
is_switch(const struct topo_node *n)
{
    return n->kind == TOPO_SWITCH && n->n_ports;
}

static bool
plan_of_switch(struct plan *p, const struct plan_input *in, const struct scenario *s, uint32_t node,
               struct err *err)
{
    const struct topo_node *n = &s->topo.nodes[node];
    const struct scn_switch *sw = scn_switch_at(s, node);

    *p = (struct plan){ .in = *in,
                        .gap_bytes = (uint32_t)s->wire.gap_bytes,
                        .knows_response = true };
    snprintf(p->name, sizeof p->name, "%s", n->name);
    p->in.mtu_bytes = s->wire.mtu_bytes;
    uint64_t egress = read_pipeline(&p->in, sw);
    uint64_t of_class = sw->partition_bytes;
    for (uint32_t i = 0; i < n->n_ports; i++) {
        struct plan_port port = port_of(s, n->first_port + i);
        port.profile = plan_sonic_profile(in, false, port.mtu_bytes);
        struct scn_speed speed = scn_speed_at(s, node, port.rate_bps);
        of_class += speed.buffer_bytes + speed.headroom_bytes + egress;
        ARRAY_PUSH(p->ports, p->n_ports, p->max_ports) = port;
    }
    uint64_t n_classes = (uint64_t)__builtin_popcount(p->ports[0].lossless);
    p->in.buffer_bytes = n_classes * of_class + sw->shared_bytes;
    return plan_finish(p, err);
}

bool
plan_read_switches(struct plan **plans, size_t *n, const struct plan_request *r,
                   const struct scenario *s, struct err *err)
{
    size_t max = 0;

    *plans = NULL, *n = 0;
    for (uint32_t id = 0; id < s->topo.n_nodes; id++) {
        if (is_switch(&s->topo.nodes[id]) &&
            !plan_of_switch(&ARRAY_PUSH(*plans, *n, max), &r->in, s, id, err)) {
            return false;
        }
    }
    return *n || err_set(err, "there is no switch");
}

/* Reports that the scenario has no switch of this name, or no switch at all. */
static bool
refuse(const char *name, const struct scenario *s, struct err *err)
{
    const char **names = array_new(s->topo.n_nodes, sizeof *names);
    size_t n = 0;

    for (uint32_t id = 0; id < s->topo.n_nodes; id++) {
        if (is_switch(&s->topo.nodes[id])) {
            names[n++] = s->topo.nodes[id].name;
        }
    }
    name ? plan_refuse_switch(name, names, n, err) : err_set(err, "there is no switch");
    free(names);
    return false;
}

/* Reads the plan of the named switch, or of the switch that needs the most headroom. */
bool
plan_read_scenario(struct plan *best, const struct plan_request *r, const struct scenario *s,
                   struct err *err)
{
    uint64_t most = 0;

    for (uint32_t id = 0; id < s->topo.n_nodes; id++) {
        const struct topo_node *node = &s->topo.nodes[id];
        struct plan p;
        if (!is_switch(node) || (r->switch_name && strcmp(r->switch_name, node->name))) {
            continue;
        }
        if (!plan_of_switch(&p, &r->in, s, id, err)) {
            plan_free(&p);
            return false;
        }
        uint64_t needs = plan_need(&p, plan_scheme_find("pfc")).headroom_bytes;
        if (needs > most) {
            plan_free(best);
            *best = p;
            most = needs;
        } else {
            plan_free(&p);
        }
    }
    return most || refuse(r->switch_name, s, err);
}
