/* Checks that a packet can have been sent.  The check is for packets from a real wire, which is
 * untrusted.  All other code of the NIC accepts every packet, because in a simulation every packet
 * was sent. */

#include "sim/nodes/nic/nic.h"

static bool
can_notify(const struct sim *sim, uint32_t flow)
{
    return sim_sender(sim, flow)->is_controlled &&
           sim->model.flows[flow].terms->transport->notified;
}

/* Whether an acknowledgement is possible: it is about packets that were sent.  A receiver without
 * any packet has no ACK to send, but may report that the first packet is missing. */
static bool
can_answer(const struct sim *sim, const struct sim_packet *p)
{
    bool is_of_one = p->kind == SIM_SACK || p->kind == SIM_SACK_MARKED;
    bool may_be_of_none = is_of_one || p->kind == SIM_NACK;

    return sim_sender(sim, p->flow)->is_reliable && (p->sequence > 0 || may_be_of_none) &&
           p->sequence + (uint64_t)is_of_one <= sim_flow_n_first(sim, p->flow);
}

static bool
can_be_frame(const struct sim *sim, const struct sim_packet *p)
{
    return *sim_started_ps(sim, p->flow) >= 0 && p->bytes == sim->model.answer_bytes &&
           (p->kind == SIM_CNP ? can_notify(sim, p->flow) : can_answer(sim, p));
}

/* Whether a data packet is possible.  Without acknowledgements, a packet that was overtaken looks
 * like a duplicate, so duplicates are accepted.  But no more packets can arrive than the flow
 * has. */
static bool
can_be_data(const struct sim *sim, const struct sim_packet *p)
{
    const struct sim_sink *s = sim_sink(sim, p->flow);
    uint32_t n = s->progress.n_packets;
    bool is_last = p->sequence + 1 == n;
    uint32_t bytes = is_last ? sim_flow_last_bytes(sim, p->flow) : sim->model.mtu_bytes;

    return p->sequence < n && p->bytes == bytes && (s->is_reliable || s->n_received < n);
}

bool
nic_believes(const struct sim_node *n, const struct sim_packet *p)
{
    const struct sim *sim = ((const struct nic *)n->own)->sim;
    const struct model_flow *f = &sim->model.flows[p->flow];
    bool is_data = p->kind == SIM_DATA;

    if ((is_data ? f->to : f->from) != n->id || p->kind == SIM_PROBE) {
        return false;
    }
    return is_data ? can_be_data(sim, p) : can_be_frame(sim, p);
}
