/* A plan from options, a scenario or a SONiC configuration. */

#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/text.h"
#include "cli/outcome.h"
#include "cli/plan.h"

enum { MAX_FILE_BYTES = 64 << 20, MAX_KEYS = 10000 };

/* Scenarios: one of their switches. */

static struct plan_port
port_of(const struct scenario *s, uint32_t port)
{
    const struct topo_port *p = &s->topo.ports[port];
    const struct topo_link *l = &s->topo.links[p->link];
    struct plan_port out = { .rate_bps = l->rate_bps,
                             .cable_ps = l->delay_ps,
                             .cable_mm = plan_cable_mm(l->delay_ps),
                             .mtu_bytes = (uint32_t)s->wire.mtu_bytes,
                             .lossless =
                                 (uint8_t)(s->wire.lossless & ((1u << s->wire.classes) - 1)),
                             .configured_bytes = s->switches.headroom_bytes };

    snprintf(out.name, sizeof out.name, "%s", s->topo.nodes[s->topo.ports[p->peer].node].name);
    return out;
}

static bool
plan_of_switch(struct plan *p, const struct plan_input *in, const struct scenario *s, uint32_t node,
               struct err *err)
{
    const struct topo_node *n = &s->topo.nodes[node];
    const struct scn_switch *sw = &s->switches;

    *p = (struct plan){ .in = *in };
    p->in.mtu_bytes = s->wire.mtu_bytes;
    p->in.response_ps = sw->response_ps;
    for (uint32_t i = 0; i < n->n_ports; i++) {
        ARRAY_PUSH(p->ports, p->n_ports, p->max_ports) = port_of(s, n->first_port + i);
    }
    uint64_t n_classes = (uint64_t)__builtin_popcount(p->ports[0].lossless);
    uint64_t of_class = n->n_ports * (sw->buffer_bytes + sw->headroom_bytes) + sw->partition_bytes;
    p->in.buffer_bytes = n_classes * of_class + sw->shared_bytes;
    return plan_finish(p, err);
}

/* The switch that is named, or the one whose headroom is the largest. */
static bool
choose_switch(struct plan *best, const struct plan_job *job, const struct scenario *s,
              struct err *err)
{
    uint64_t most = 0;

    for (uint32_t id = 0; id < s->topo.n_nodes; id++) {
        const struct topo_node *node = &s->topo.nodes[id];
        struct plan p;
        if (node->kind != TOPO_SWITCH || !node->n_ports ||
            (job->switch_name && strcmp(job->switch_name, node->name))) {
            continue;
        }
        if (!plan_of_switch(&p, &job->in, s, id, err)) {
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
    return most || err_set(err, "no switch '%s'", job->switch_name ? job->switch_name : "");
}

static int
read_scenario(struct plan *p, const struct plan_job *job)
{
    struct scenario s;
    struct err err;
    int code = outcome_read(&s, job->from, NULL, 0);

    if (code != EXIT_GOOD) {
        return code;
    }
    if (!choose_switch(p, job, &s, &err)) {
        code = cli_fail(EXIT_USER, "%s: %s", job->from, err.text);
    }
    scn_free(&s);
    return code;
}

/* Files. */

/* The tables of SONiC are written large; nothing in a scenario is. */
static bool
is_sonic(const struct scn_node *root)
{
    return scn_child(root, "PORT") || scn_child(root, "PORT_QOS_MAP") ||
           scn_child(root, "BUFFER_POOL") || scn_child(root, "CABLE_LENGTH") ||
           scn_child(root, "DEVICE_METADATA");
}

/* A file is read as a tree first, to see whose it is; a scenario then reads it for itself. */
static int
read_text(struct plan *p, const struct plan_job *job, const char *text)
{
    struct scn_source source = { .name = job->from, .text = text, .max_keys = MAX_KEYS };
    struct err err;
    struct scn_node *root = scn_tree_read(&source, &err);
    bool is_scenario =
        root && (job->kind == PLAN_SCENARIO || (job->kind == PLAN_ANY_FILE && !is_sonic(root)));
    bool good = root && (is_scenario || plan_read_sonic(p, job, root, &err));

    scn_tree_free(root);
    if (!good) {
        fprintf(stderr, "%s\n", err.text);
        return EXIT_USER;
    }
    return is_scenario ? read_scenario(p, job) : EXIT_GOOD;
}

static int
read_file(struct plan *p, const struct plan_job *job)
{
    struct err err;
    size_t len;
    char *text = text_read_file(job->from, MAX_FILE_BYTES, &len, &err);

    if (!text) {
        return cli_fail(EXIT_WORLD, "%s", err.text);
    }
    int code = strlen(text) == len ? read_text(p, job, text)
                                   : cli_fail(EXIT_USER, "%s: not a text file", job->from);
    free(text);
    return code;
}

/* What an option says goes for every port. */
static void
override_ports(struct plan *p, const struct plan_job *job)
{
    struct plan alike = { .in = job->in };

    alike.in.ports = 1;
    plan_add_ports(&alike);
    for (size_t i = 0; i < p->n_ports; i++) {
        struct plan_port *port = &p->ports[i];
        if (plan_is_given(job, "rate")) {
            port->rate_bps = job->in.rate_bps;
        }
        if (plan_is_given(job, "cable") || plan_is_given(job, "delay")) {
            port->cable_mm = alike.ports[0].cable_mm;
            port->cable_ps = alike.ports[0].cable_ps;
        }
        if (plan_is_given(job, "mtu")) {
            port->mtu_bytes = (uint32_t)job->in.mtu_bytes;
        }
        if (plan_is_given(job, "classes")) {
            port->lossless = alike.ports[0].lossless;
        }
    }
    plan_free(&alike);
}

static void
override_input(struct plan *p, const struct plan_job *job)
{
    for (const struct weir_field *f = plan_fields; f->name; f++) {
        if (job->is_given[f - plan_fields]) {
            weir_field_set(f, &p->in, weir_field_get(f, &job->in));
        }
    }
}

int
plan_from(struct plan *p, const struct plan_job *job)
{
    struct err err;
    int code = EXIT_GOOD;

    if (job->from && plan_is_given(job, "ports")) {
        return cli_fail(EXIT_USER, "plan: --ports and --from: the file has its ports");
    }
    if (job->from) {
        code = read_file(p, job);
        if (code != EXIT_GOOD) {
            return code;
        }
        override_ports(p, job);
        override_input(p, job);
        free(p->kinds);
        p->kinds = NULL;
        p->n_kinds = p->max_kinds = 0;
    } else {
        p->in = job->in;
        plan_add_ports(p);
    }
    return plan_finish(p, &err) ? EXIT_GOOD : cli_fail(EXIT_USER, "plan: %s", err.text);
}
