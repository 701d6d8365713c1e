#include "sim/nodes/nic/ring.h"

void
nic_ring_enter(struct nic_ring *r, struct sim_sender *flows, uint32_t flow)
{
    struct sim_sender *f = &flows[flow];

    if (r->last == SIM_NONE) {
        f->next = f->prev = flow;
    } else {
        f->prev = r->last;
        f->next = flows[r->last].next;
        flows[f->next].prev = flow;
        flows[r->last].next = flow;
    }
    r->last = flow;
    f->in_ring = true;
}

void
nic_ring_leave(struct nic_ring *r, struct sim_sender *flows, uint32_t flow)
{
    struct sim_sender *f = &flows[flow];

    f->in_ring = false;
    flows[f->prev].next = f->next;
    flows[f->next].prev = f->prev;
    r->last = f->prev == flow ? SIM_NONE : f->prev;
}

uint32_t
nic_ring_next(struct nic_ring *r, const struct sim_sender *flows, uint32_t mtu, weir_ps now,
              weir_ps *soonest)
{
    uint32_t before = r->last;

    do {
        uint32_t flow = flows[before].next;
        const struct sim_sender *f = &flows[flow];
        weir_ps at = f->has_gate ? weir_gate_ready(&f->gate, now, mtu) : now;
        if (at <= now) {
            r->last = before;
            return flow;
        }
        *soonest = at < *soonest ? at : *soonest;
        before = flow;
    } while (before != r->last);
    return SIM_NONE;
}
