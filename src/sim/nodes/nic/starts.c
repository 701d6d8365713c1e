/* Starts the flows that wait for no other flow, one after the other at each NIC.  A connection
 * starts with its first message.
 *
 * A run may have millions of flows, which start at one time or over hours.  Only the next start of
 * a NIC is on its way as mail; when it arrives, the following start is posted.  Flows with equal
 * start times start in the order of their numbers, like other events of equal time. */

#include <stdlib.h>

#include "base/array.h"
#include "sim/nodes/nic/nic.h"
#include "sim/scheduler.h"

struct start {
    weir_ps at_ps;
    uint32_t node, flow;
};

static bool
starts_by_itself(const struct sim *sim, uint32_t flow)
{
    const struct model_flow *f = &sim->model.flows[flow];

    return !f->after && f->bytes != MODEL_MESSAGES && f->start_ps < sim->flows.starts_until_ps;
}

static int
by_node_and_start(const void *a, const void *b)
{
    const struct start *x = a, *y = b;

    if (x->node != y->node) {
        return x->node < y->node ? -1 : 1;
    }
    return (x->at_ps > y->at_ps) - (x->at_ps < y->at_ps);
}

/* Posts the stop of a flow, just before its time, so that a flow that starts at that time does not
 * stop. */
static void
post_stop(struct sim *sim, uint32_t flow)
{
    const struct model_flow *f = &sim->model.flows[flow];

    if (f->terms->stop_ps) {
        sim_post_first(sim, &(struct sim_mail){ .at = f->terms->stop_ps - 1,
                                                .node = f->from,
                                                .event = NIC_STOP,
                                                .key = flow });
    }
}

/* Links the starts of each NIC, and posts the first start. */
static void
link_starts(struct sim *sim, const struct start *starts, uint32_t n)
{
    for (uint32_t i = 0; i < n; i++) {
        const struct start *s = &starts[i];
        if (i && starts[i - 1].node == s->node) {
            sim->flows.next_start[sim_sender_slot(sim, starts[i - 1].flow)] = s->flow;
        } else {
            sim_post_first(
                sim, &(struct sim_mail){
                         .at = s->at_ps, .node = s->node, .event = NIC_FLOW, .key = s->flow });
        }
    }
}

void
nic_post_starts(struct sim *sim)
{
    struct start *starts = array_new(sim->flows.n_senders, sizeof *starts);
    uint32_t n = 0;

    sim->flows.next_start = array_new(sim->flows.n_senders, sizeof *sim->flows.next_start);
    for (uint32_t slot = 0; slot < sim->flows.n_senders; slot++) {
        uint32_t flow = sim_flow_of_sender(sim, slot);
        const struct model_flow *f = &sim->model.flows[flow];
        sim->flows.next_start[slot] = SIM_NONE;
        if (starts_by_itself(sim, flow)) {
            starts[n++] = (struct start){ f->start_ps, f->from, flow };
            post_stop(sim, flow);
        }
    }
    array_sort(starts, n, sizeof *starts, by_node_and_start);
    link_starts(sim, starts, n);
    free(starts);
}

void
nic_post_next_start(struct sim_thread *t, struct sim_node *n, uint32_t flow)
{
    uint32_t next = t->sim->flows.next_start[sim_sender_slot(t->sim, flow)];

    if (next != SIM_NONE) {
        nic_expect(t, n, NIC_FLOW, next, t->sim->model.flows[next].start_ps);
    }
}
