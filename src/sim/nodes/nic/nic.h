/* The NIC: common state of its parts.
 *
 *     nic.c       the kind: what the core asks of a NIC, and to which part that goes
 *     starts.c    flows that start by themselves
 *     ring.c      the flows of a class that have something to send, round robin
 *     transmit.c  data and acknowledgements onto the wire
 *     control.c   rate and window of a flow, as the control of its transport sets them
 *     limit.c     rates that engines hold flows to
 *     recover.c   answers that a sender hears, and what it retransmits
 *     track.c     round trips and telemetry, for controls that ask
 *     receive.c   what arrives, and what is answered
 *     believe.c   whether what arrives can be, where anybody may have sent it
 *     stall.c     NICs that do not drain
 *
 * The sender's side of a flow belongs to the NIC that sends, the sink to the one that receives. */

#ifndef SIM_NIC_H
#define SIM_NIC_H

#include "sim/flow-ends.h"
#include "sim/nodes/kind.h"
#include "sim/nodes/nic/ring.h"
#include "weir/buffer.h"

enum nic_event {
    NIC_FLOW = SIM_OWN, /* A flow starts; key: the flow. */
    NIC_RETRY,          /* A flow waits for an acknowledgement; key: the flow. */
    NIC_PACE,           /* A timer of a flow's control; key: the flow. */
    NIC_STALL,          /* It stops draining, or goes on; 'key' is the number of the change. */
    NIC_LOOK,           /* A flow's recovery wants to look again; key: the flow. */
    NIC_STOP,           /* A flow sends nothing new any more; key: the flow. */
    NIC_NOTIFY,         /* A receiver sends a CNP that took its time; key: the flow. */
};

struct nic_class {
    struct nic_ring ring;
    struct sim_queue acks;
    struct sim_queue held; /* Packets that came while it did not drain. */
};

struct nic { /* Hot: with its first class one cache line. */
    const struct sim *sim;
    uint8_t stalled; /* Bit c: it does not drain class c. */
    bool tells_sent; /* Its engines limit flows, and count the packets that flows send. */
    struct nic_class classes[];
} __attribute__((aligned(64)));

_Static_assert(sizeof(struct nic) == 64, "nic");

static inline struct nic_class *
nic_class_of(const struct sim_node *n, uint32_t cls)
{
    return &((struct nic *)n->own)->classes[cls];
}

static inline struct sim_sender *
nic_sender(const struct sim_thread *t, uint32_t flow)
{
    return sim_sender(t->sim, flow);
}

static inline const struct recovery *
nic_recovery(const struct sim_thread *t, uint32_t flow)
{
    const struct model_flow *f = &t->sim->model.flows[flow];
    return transport_recovery(f->terms->transport, f->terms->recovery);
}

/* An event about a flow, to come to this NIC. */
static inline void
nic_expect(struct sim_thread *t, struct sim_node *n, enum nic_event what, uint32_t flow, weir_ps at)
{
    sim_node_expect(t, n, what - NIC_FLOW, 0, flow, at);
}

/* The gate of a flow has changed.  Rings hold flows by where their senders stand. */
static inline void
nic_gate_changed(const struct sim_thread *t, const struct sim_node *n, uint32_t flow)
{
    nic_ring_gate_changed(&nic_class_of(n, t->sim->model.flows[flow].cls)->ring,
                          t->sim->flows.senders, sim_sender_slot(t->sim, flow));
}

/* The packet that a flow sends next, or RC_NONE. */
static inline uint32_t
nic_next_packet(const struct sim_thread *t, uint32_t flow)
{
    const struct rc_sender *p = &nic_sender(t, flow)->progress;

    if (p->own) {
        return nic_recovery(t, flow)->next(p);
    }
    return p->sequence < p->n_packets ? p->sequence : RC_NONE;
}

/* All of it is sent, and acknowledged if its recovery is reliable. */
static inline bool
nic_is_done(const struct sim_sender *f)
{
    return (f->is_reliable ? f->progress.n_acked : f->progress.sequence) == f->progress.n_packets;
}

/* A flow has ended: gives back its working memory. */
static inline void
nic_end_work(const struct sim_thread *t, uint32_t flow, weir_ps now)
{
    if (nic_sender(t, flow)->is_at_work) {
        sim_sender_give_back(t->sim, flow, now);
    }
}

/* transmit.c: a flow starts; it sends nothing new any more; the next packet of a class.  A flow has
 * something to send, or has nothing any more.  'flow' is through, as its sender or its receiver
 * sees it: those that wait for it here start. */
void nic_start_flow(struct sim_thread *, struct sim_node *, uint32_t flow, weir_ps now);
void nic_stop_flow(struct sim_thread *, struct sim_node *, uint32_t flow, weir_ps now);
weir_ps nic_send(struct sim_thread *, struct sim_node *, uint32_t port, uint32_t cls, weir_ps now);
void nic_enter_ring(struct sim_thread *, struct sim_node *, uint32_t flow, weir_ps now);
void nic_leave_ring(struct sim_thread *, struct sim_node *, uint32_t flow);
void nic_start_followers(struct sim_thread *, struct sim_node *, uint32_t flow, weir_ps now);

/* starts.c: before the run, the first starts of all NICs; and the next one after a start. */
void nic_post_starts(struct sim *);
void nic_post_next_start(struct sim_thread *, struct sim_node *, uint32_t flow);

/* control.c: for flows that are controlled.  The control starts; a packet was sent; its timer may
 * fire; its limits hold from now on. */
void nic_start_control(struct sim_thread *, struct sim_node *, uint32_t flow, weir_ps now);
void nic_notify_sent(struct sim_thread *, struct sim_node *, uint32_t flow, uint32_t bytes,
                     weir_ps now);
void nic_pace(struct sim_thread *, struct sim_node *, uint32_t flow, weir_ps now);
/* The bytes that a flow has sent, and that are neither known to have arrived nor to be lost. */
uint64_t nic_flying_bytes(const struct sim_thread *, uint32_t flow, uint32_t mtu);
void nic_set_window(struct sim_thread *, struct sim_node *, uint32_t flow, weir_ps now);
/* How long it waits for an answer. */
weir_ps nic_timeout_ps(const struct sim_thread *, uint32_t flow);
void nic_apply_limits(struct sim_thread *, struct sim_node *, uint32_t flow, weir_ps now);
/* The gate of a flow that has started, if it may need one. Until its first packet, or until its
 * limits change, it is made when it is needed instead of kept. */
void nic_take_gate(struct sim_thread *, struct sim_node *, uint32_t flow);
void nic_put_gate_off(struct sim_thread *, const struct sim_node *, uint32_t flow, weir_ps now);
/* An engine slows the flows of a class down; the caller serves the port afterwards. */
void nic_slow_flows(struct sim_thread *, struct sim_node *, uint32_t cls, uint64_t factor,
                    weir_ps now);

/* limit.c: for flows at a NIC whose engines limit some.  An engine limits one; a packet was sent.
 * The lowest rate that anyone wants of a flow, given what its control wants. */
void nic_limit_flow(struct sim_thread *, struct sim_node *, uint32_t number, uint64_t rate_bps,
                    weir_ps now);
void nic_notify_engines(struct sim_thread *, struct sim_node *, const struct sim_packet *,
                        weir_ps now);
uint64_t nic_rate_bps(const struct sim *, uint32_t flow, uint64_t control_bps);
void nic_open_gates(struct sim *); /* Called before the run, for all flows that may be limited. */

/* recover.c: an answer has arrived; a flow waits for one from now on; a timer's mail has arrived.
 */
void nic_take_answer(struct sim_thread *, struct sim_node *, const struct sim_packet *,
                     weir_ps now);
void nic_expect_answer(struct sim_thread *, struct sim_node *, uint32_t flow, weir_ps at);
void nic_retry(struct sim_thread *, struct sim_node *, uint32_t flow, weir_ps now);
void nic_check_answer(struct sim_thread *, struct sim_node *, uint32_t flow, weir_ps now);

/* track.c, for flows that have a track.  nic_track_sent() returns the kind of the packet: a probe
 * or not.  nic_track_answered() fills in the record of the packet that is answered. */
enum sim_packet_kind nic_track_sent(struct sim_thread *, uint32_t flow, uint32_t sequence,
                                    weir_ps now);
void nic_track_answered(struct sim_thread *, uint32_t flow, uint32_t sequence, struct tp_ack *);

/* receive.c: a packet has arrived, and is for this NIC; it is drained, now or later; the sender of
 * a flow is notified of a mark. */
void nic_arrive(struct sim_thread *, struct sim_node *, const struct sim_mail *);
void nic_arrive_unclassed(struct sim_thread *, struct sim_node *, const struct sim_mail *);
void nic_take(struct sim_thread *, struct sim_node *, const struct sim_packet *, weir_ps now);
void nic_notify(struct sim_thread *, struct sim_node *, uint32_t flow, weir_ps now);

/* believe.c: checks that a packet can have been sent to this NIC. */
bool nic_believes(const struct sim_node *, const struct sim_packet *);

/* stall.c: a packet has come that is not drained; it is time to stop draining, or to go on. */
void nic_hold(struct sim_thread *, struct sim_node *, const struct sim_mail *);
void nic_stall(struct sim_thread *, struct sim_node *, weir_ps now);

#endif
