/* Derives the paths of packets from a scenario. */

#include "bind/traffic.h"

#include <stdlib.h>

#include "base/array.h"
#include "bind/bind.h"

static bool
is_answered(const struct scenario *s, const struct scn_flow *f)
{
    return transport_is_answered(transport_at(f->transport), bind_recovery_of(s, f));
}

static uint8_t
answer_class(const struct scenario *s, const struct scn_flow *f)
{
    return (uint8_t)(s->transport.answers == WEIR_AUTO ? f->cls : s->transport.answers);
}

static void
add_flow(struct bind_traffic *b, size_t number, const struct depend_flow *f)
{
    b->flow_of[b->traffic.n_flows] = (uint32_t)number;
    b->flows[b->traffic.n_flows++] = *f;
}

/* Adds flows.  If all hosts send to all, only flows with pinned paths matter. */
static void
take_flows(const struct scenario *s, enum bind_traffic_of of, struct bind_traffic *b)
{
    b->flows = array_new(2 * s->n_flows, sizeof *b->flows);
    b->flow_of = array_new(2 * s->n_flows, sizeof *b->flow_of);
    for (size_t i = 0; i < s->n_flows; i++) {
        const struct scn_flow f_at = scn_flow_at(s, i), *f = &f_at;
        if (of == BIND_FLOWS || f->path) {
            add_flow(b, i,
                     &(struct depend_flow){ .from = f->from,
                                            .to = f->to,
                                            .cls = (uint8_t)f->cls,
                                            .path = f->path,
                                            .n_path = f->n_path,
                                            .from_port = f->from_port });
        }
        if (of == BIND_FLOWS && is_answered(s, f)) {
            add_flow(
                b, i,
                &(struct depend_flow){
                    .from = f->to, .to = f->from, .cls = answer_class(s, f), .is_answer = true });
        }
    }
}

static int
by_time(const void *a, const void *b)
{
    const struct topo_link_event *x = a, *y = b;

    return x->at_ps != y->at_ps ? (x->at_ps > y->at_ps) - (x->at_ps < y->at_ps)
                                : (x->link > y->link) - (x->link < y->link);
}

static void
take_changes(const struct scenario *s, struct bind_traffic *b)
{
    struct topo_link_event *events = array_new(s->n_link_events, sizeof *events);
    weir_ps later_ps = (weir_ps)s->routing.reroute_ps;

    b->changes = array_new(s->n_link_events, sizeof *b->changes);
    for (size_t i = 0; i < s->n_link_events; i++) {
        events[i] = s->link_events[i];
    }
    qsort(events, s->n_link_events, sizeof *events, by_time);
    for (size_t i = 0; i < s->n_link_events; i++) {
        b->changes[i] = (struct depend_change){
            .link = events[i].link,
            .up = events[i].up,
            .known_ps = later_ps ? events[i].at_ps + later_ps : WEIR_NEVER,
        };
    }
    free(events);
}

/* Whether an engine of the stack makes inputs wait for outputs. */

static bool
holds_for_outputs(const struct weir_stack *stack)
{
    for (uint32_t i = 0; i < stack->n; i++) {
        if (stack->layers[i].engine->holds_for) {
            return true;
        }
    }
    return false;
}

/* Finds whether links of a switch to other switches are inside a fabric, outside, or both. */
static void
find_sides(const struct topo *t, const struct topo_node *n, bool has[2])
{
    for (uint32_t i = 0; i < n->n_ports; i++) {
        const struct topo_port *p = &t->ports[n->first_port + i];
        if (t->nodes[t->ports[p->peer].node].kind == TOPO_SWITCH) {
            has[t->links[p->link].is_inner] = true;
        }
    }
}

/* The reason that inputs of a switch wait for.  If only some outputs make inputs wait, the function
 * assumes that all do.  Hosts drain, so their ports count only if there are no others. */
static enum sim_input_wait
input_wait(const struct scenario *s, uint32_t node, const struct scn_switch *of)
{
    const struct sim_kind *kind = sim_kind_at(of->kind);
    bool has[2] = { false, false };

    if (!kind->input_wait) {
        return SIM_WAITS_FOR_OWN_OUTPUT;
    }
    find_sides(&s->topo, &s->topo.nodes[node], has);
    enum sim_input_wait outside = kind->input_wait(of->kind_params, false),
                        inside = kind->input_wait(of->kind_params, true);
    return has[1] && (!has[0] || inside < outside) ? inside : outside;
}

static enum depend_wait
wait_of(const struct scenario *s, uint32_t node, const struct scn_switch *of,
        const struct weir_stack *stack)
{
    static const enum depend_wait waits[] = { [SIM_WAITS_FOR_OWN_OUTPUT] = DEPEND_FOR_OUTPUT,
                                              [SIM_WAITS_FOR_ALL] = DEPEND_FOR_ALL,
                                              [SIM_WAITS_FOR_NOTHING] = DEPEND_FOR_NOTHING };
    enum depend_wait wait = waits[input_wait(s, node, of)];

    return wait == DEPEND_FOR_NOTHING && holds_for_outputs(stack) ? DEPEND_FOR_OUTPUT : wait;
}

uint8_t *
bind_waits(const struct scenario *s)
{
    uint8_t *waits = array_new(s->topo.n_switches, sizeof *waits);

    for (uint32_t id = 0; id < s->topo.n_nodes; id++) {
        const struct scn_role *role = s->role_of[id] ? &s->roles[s->role_of[id] - 1] : NULL;
        if (s->topo.nodes[id].kind == TOPO_SWITCH) {
            waits[s->topo.nodes[id].index] =
                (uint8_t)(role ? wait_of(s, id, &role->switches, &role->stack)
                               : wait_of(s, id, &s->switches, &s->stack));
        }
    }
    return waits;
}

void
bind_traffic(const struct scenario *s, enum bind_traffic_of of, struct bind_traffic *b)
{
    *b = (struct bind_traffic){ 0 };
    take_flows(s, of, b);
    take_changes(s, b);
    b->traffic.all_pairs = of == BIND_ALL_HOSTS;
    b->traffic.flows = b->flows;
    b->traffic.n_classes = (uint32_t)s->wire.classes;
    b->traffic.lossless = (uint32_t)s->wire.lossless & ((1u << s->wire.classes) - 1);
    b->traffic.changes = b->changes;
    b->traffic.n_changes = s->n_link_events;
    b->waits = bind_waits(s);
    b->traffic.waits = b->waits;
}

void
bind_traffic_free(struct bind_traffic *b)
{
    free(b->flows);
    free(b->flow_of);
    free(b->changes);
    free(b->waits);
    *b = (struct bind_traffic){ 0 };
}

uint32_t
bind_classes_that_differ(const struct depend_traffic *traffic)
{
    uint32_t highest = 0;

    for (size_t i = 0; i < traffic->n_flows; i++) {
        highest = traffic->flows[i].cls > highest ? traffic->flows[i].cls : highest;
    }
    while (traffic->lossless && !(traffic->lossless & ((2u << highest) - 1))) {
        highest++;
    }
    return highest + 1;
}

/* The classes in which packets begin: class 0, and the classes of flows and of their ACKs and other
 * feedback. */
uint32_t
bind_classes_sent(const struct scenario *s)
{
    uint32_t sent = 1;

    for (size_t i = 0; i < s->n_flows; i++) {
        const struct scn_flow f_at = scn_flow_at(s, i), *f = &f_at;
        sent |= 1u << f->cls | (is_answered(s, f) ? 1u << answer_class(s, f) : 0);
    }
    return sent;
}
