/* Flows that start by themselves, one after the other at each NIC.
 *
 * A run may have millions of flows that start at one time or over hours.  Only the next start of a
 * NIC is on its way as mail; when it comes, the one after it is posted.  Flows of one time start in
 * the order of their numbers, as events do that are tied. */

#include <stdlib.h>

#include "base/array.h"
#include "sim/nodes/nic/nic.h"
#include "sim/scheduler.h"

struct start {
    weir_ps at_ps;
    uint32_t flow;
};

static bool
starts_by_itself(const struct sim *sim, uint32_t flow)
{
    const struct model_flow *f = &sim->model.flows[flow];

    return !f->after && f->start_ps < sim->flows.starts_until_ps;
}

static int
by_start(const void *a, const void *b)
{
    const struct start *x = a, *y = b;

    return (x->at_ps > y->at_ps) - (x->at_ps < y->at_ps);
}

/* In the order of nodes, and of flows at each. */
static uint32_t *
flows_by_node(const struct sim *sim, uint32_t *first)
{
    const struct model_flow *flows = sim->model.flows;
    uint32_t *order = array_new(sim->flows.n_senders, sizeof *order);

    for (uint32_t slot = 0; slot < sim->flows.n_senders; slot++) {
        uint32_t flow = sim_flow_of_sender(sim, slot);
        first[flows[flow].from + 1] += starts_by_itself(sim, flow);
    }
    for (uint32_t id = 0; id < sim->n_nodes; id++) {
        first[id + 1] += first[id];
    }
    for (uint32_t slot = 0; slot < sim->flows.n_senders; slot++) {
        uint32_t flow = sim_flow_of_sender(sim, slot);
        if (starts_by_itself(sim, flow)) {
            order[first[flows[flow].from]++] = flow;
        }
    }
    return order; /* first[id] is now where those of the next node begin. */
}

/* Links the starts of a NIC, and posts the first. */
static void
link_node(struct sim *sim, uint32_t id, const uint32_t *flows, uint32_t n)
{
    struct start *starts = array_new(n, sizeof *starts);

    for (uint32_t i = 0; i < n; i++) {
        starts[i] = (struct start){ sim->model.flows[flows[i]].start_ps, flows[i] };
    }
    array_sort(starts, n, sizeof *starts, by_start);
    for (uint32_t i = 0; i + 1 < n; i++) {
        sim->flows.next_start[sim_sender_slot(sim, starts[i].flow)] = starts[i + 1].flow;
    }
    sim_post(&sim->threads[sim->places[id].thread],
             &(struct sim_mail){
                 .at = starts[0].at_ps, .node = id, .event = NIC_FLOW, .key = starts[0].flow });
    free(starts);
}

void
nic_post_starts(struct sim *sim)
{
    uint32_t *first = array_new((size_t)sim->n_nodes + 1, sizeof *first);
    uint32_t *flows = flows_by_node(sim, first);

    sim->flows.next_start = array_new(sim->flows.n_senders, sizeof *sim->flows.next_start);
    for (uint32_t slot = 0; slot < sim->flows.n_senders; slot++) {
        sim->flows.next_start[slot] = SIM_NONE;
    }
    for (uint32_t id = 0, from = 0; id < sim->n_nodes; from = first[id++]) {
        if (first[id] > from) {
            link_node(sim, id, flows + from, first[id] - from);
        }
    }
    free(first);
    free(flows);
}

void
nic_post_next_start(struct sim_thread *t, const struct sim_node *n, uint32_t flow)
{
    uint32_t next = t->sim->flows.next_start[sim_sender_slot(t->sim, flow)];

    if (next != SIM_NONE) {
        sim_post(t, &(struct sim_mail){ .at = t->sim->model.flows[next].start_ps,
                                        .node = n->id,
                                        .event = NIC_FLOW,
                                        .key = next });
    }
}
