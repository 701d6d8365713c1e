/* The NIC: common state of its parts.
 *
 *     nic.c       the hooks that the core calls, and the parts that handle them
 *     starts.c    starts flows that wait for no other flow
 *     ring.c      round-robin list of the flows of a class that have something to send
 *     transmit.c  sends data and acknowledgements
 *     control.c   sets the rate and window of a flow, by the control of its transport
 *     limit.c     applies the rate limits of engines to flows
 *     recover.c   handles acknowledgements at the sender, and retransmits packets
 *     track.c     measures round trips and reads telemetry, for controls that need them
 *     receive.c   handles packets that arrive, and sends acknowledgements and CNPs
 *     believe.c   checks packets from an untrusted wire
 *     outgoing.c  messages of connections, at their sender
 *     incoming.c  messages of connections, at their receiver
 *     members.c   ranks of jobs, which send these messages
 *     stall.c     NICs that do not drain
 *     change-port.c   flows of a NIC with several ports, when routes have changed
 *
 * The sender's side of a flow belongs to the NIC that sends, the sink to the NIC that receives. */

#ifndef SIM_NIC_H
#define SIM_NIC_H

#include "sim/connection-ends.h"
#include "sim/flow-ends.h"
#include "sim/nodes/kind.h"
#include "sim/nodes/nic/ring.h"
#include "weir/buffer.h"

enum nic_event {
    NIC_NOTICE = SIM_NOTICE, /* A message begins. */
    NIC_FLOW = SIM_OWN,      /* A flow starts; key: the flow. */
    NIC_RETRY,               /* A flow waits for an acknowledgement; key: the flow. */
    NIC_PACE,                /* A timer of a flow's control; key: the flow. */
    NIC_STALL,               /* The NIC stops draining or continues; 'key' is the number of the
                              * change. */
    NIC_LOOK,                /* A flow's recovery judges which packets are lost; key: the flow. */
    NIC_STOP,                /* A flow stops and sends no new packets; key: the flow. */
    NIC_NOTIFY,              /* A receiver sends a delayed CNP; key: the flow. */
    NIC_SENT,                /* A message of a connection has left; key: the flow. */
    NIC_RUN,                 /* The program of a rank runs; key: the member of sim_jobs. */
};

struct nic_queue {
    struct nic_ring ring;
    struct sim_queue acks;
    struct sim_queue held; /* Packets that arrived while the NIC did not drain. */
};

struct nic { /* Hot: one cache line together with its first queue. */
    const struct sim *sim;
    uint8_t stalled;           /* Bit c: the NIC does not drain class c. */
    bool tells_sent;           /* Engines limit flows and receive the packets that flows send. */
    bool times_waits;          /* Waits of packets are recorded. */
    struct nic_queue queues[]; /* [slot]: the queues of each port and class. */
} __attribute__((aligned(64)));

_Static_assert(sizeof(struct nic) == 64, "nic");

static inline struct nic_queue *
nic_queue_at(const struct sim_node *n, uint32_t slot)
{
    return &((struct nic *)n->own)->queues[slot];
}

static inline struct sim_sender *
nic_sender(const struct sim_thread *t, uint32_t flow)
{
    return sim_sender(t->sim, flow);
}

struct nic_out { /* A transmit queue. */
    uint32_t port, cls, slot;
};

static inline struct nic_out
nic_out_at(const struct sim_node *n, uint32_t port, uint32_t cls)
{
    return (struct nic_out){ port, cls, port * n->n_classes + cls };
}

/* The transmit queue of a flow; most NICs have one port. */
static inline struct nic_out
nic_out_of(const struct sim_thread *t, const struct sim_node *n, uint32_t flow)
{
    uint32_t cls = t->sim->model.flows[flow].cls;

    return n->n_ports == 1 ? (struct nic_out){ 0, cls, cls }
                           : nic_out_at(n, sim_out_port(t->sim, flow), cls);
}

/* Starts the port of a flow, if the port is idle. */
static inline void
nic_kick(struct sim_thread *t, struct sim_node *n, uint32_t flow, weir_ps now)
{
    sim_port_kick(t, n, n->n_ports == 1 ? 0 : sim_out_port(t->sim, flow), now);
}

static inline const struct recovery *
nic_recovery(const struct sim_thread *t, uint32_t flow)
{
    const struct model_flow *f = &t->sim->model.flows[flow];
    return transport_recovery(f->terms->transport, f->terms->recovery);
}

/* Posts an event about a flow at this NIC. */
static inline void
nic_expect(struct sim_thread *t, struct sim_node *n, enum nic_event what, uint32_t flow, weir_ps at)
{
    sim_node_expect(t, n, what - NIC_FLOW, 0, flow, at);
}

/* Called when the gate of a flow has changed.  Round-robin lists identify flows by the index of
 * their sender. */
static inline void
nic_gate_changed(const struct sim_thread *t, const struct sim_node *n, uint32_t flow)
{
    nic_ring_gate_changed(&nic_queue_at(n, nic_out_of(t, n, flow).slot)->ring,
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

/* True if all packets of a flow are sent, and acknowledged if its recovery is reliable. */
static inline bool
nic_is_done(const struct sim_sender *f)
{
    return (f->is_reliable ? f->progress.n_acked : f->progress.sequence) == f->progress.n_packets;
}

/* Frees the working memory of a flow that has ended.  A connection keeps it: its control and
 * recovery continue with the next message. */
static inline void
nic_end_work(const struct sim_thread *t, uint32_t flow, weir_ps now)
{
    if (nic_sender(t, flow)->is_at_work && !nic_sender(t, flow)->is_connection) {
        sim_sender_give_back(t->sim, flow, now);
    }
}

/* transmit.c.  The first functions start a flow, stop its new packets, and send the next packet of
 * a class.  The functions about the ring are called when a flow has something to send, or nothing
 * any more. nic_start_followers() starts the flows at this NIC that wait for 'flow', after its
 * sender or receiver has finished it. */
void nic_start_flow(struct sim_thread *, struct sim_node *, uint32_t flow, weir_ps now);
void nic_stop_flow(struct sim_thread *, struct sim_node *, uint32_t flow, weir_ps now);
weir_ps nic_send(struct sim_thread *, struct sim_node *, uint32_t port, uint32_t cls, weir_ps now);
void nic_enter_ring(struct sim_thread *, struct sim_node *, uint32_t flow, weir_ps now);
void nic_put_in_ring(struct sim_thread *, struct sim_node *, uint32_t flow);
void nic_leave_ring(struct sim_thread *, struct sim_node *, uint32_t flow);
void nic_start_followers(struct sim_thread *, struct sim_node *, uint32_t flow, weir_ps now);

/* change-port.c: called when routes have changed.  Flows, ACKs, NACKs and CNPs of a NIC with
 * several ports move to the ports through which the NIC now sends to their destinations. */
void nic_reroute(struct sim_thread *, struct sim_node *, weir_ps now);

/* starts.c: posts the first starts of all NICs before the run, and the next start after each
 * one. */
void nic_post_starts(struct sim *);
void nic_post_next_start(struct sim_thread *, struct sim_node *, uint32_t flow);

/* control.c: for flows whose transport has a control.  The functions start the control; report that
 * a packet was sent; call its timer if it fires; and apply its limits from now on. */
void nic_start_control(struct sim_thread *, struct sim_node *, uint32_t flow, weir_ps now);
void nic_notify_sent(struct sim_thread *, struct sim_node *, uint32_t flow, uint32_t bytes,
                     weir_ps now);
void nic_pace(struct sim_thread *, struct sim_node *, uint32_t flow, weir_ps now);
/* The bytes that a flow has sent, without those known to have arrived or to be lost. */
uint64_t nic_flying_bytes(const struct sim_thread *, uint32_t flow, uint32_t mtu);
void nic_set_window(struct sim_thread *, struct sim_node *, uint32_t flow, weir_ps now);
/* The time for which a flow waits for an acknowledgement. */
weir_ps nic_timeout_ps(const struct sim_thread *, uint32_t flow);
void nic_apply_limits(struct sim_thread *, struct sim_node *, uint32_t flow, weir_ps now);
/* Makes the gate of a flow that has started, if the flow may need one.  Until the first packet, or
 * until its limits change, the gate is not kept, but made when it is needed. */
void nic_take_gate(struct sim_thread *, struct sim_node *, uint32_t flow);
void nic_put_gate_off(struct sim_thread *, const struct sim_node *, uint32_t flow, weir_ps now);
/* Slows down the flows of a slot, for an engine; the caller serves the port afterwards. */
void nic_slow_flows(struct sim_thread *, struct sim_node *, uint32_t slot, uint64_t factor,
                    weir_ps now);

/* limit.c: for flows at a NIC whose engines limit flows.  The first function sets the limit of an
 * engine, and the second reports that a packet was sent. nic_rate_bps() returns the lowest of all
 * rates of a flow, given the rate of its control. */
uint32_t nic_limit_flow(struct sim_thread *, struct sim_node *, uint32_t number, uint64_t rate_bps,
                        weir_ps now);
void nic_notify_engines(struct sim_thread *, struct sim_node *, uint32_t port,
                        const struct sim_packet *, weir_ps now);
uint64_t nic_rate_bps(const struct sim *, uint32_t flow, uint64_t control_bps);
void nic_open_gates(struct sim *); /* Called before the run, for all flows that may be limited. */

/* recover.c: called when an ACK, NACK, SACK or CNP has arrived; when a flow begins to wait for an
 * acknowledgement; and when the mail of a timer has arrived. */
void nic_take_answer(struct sim_thread *, struct sim_node *, const struct sim_packet *,
                     weir_ps now);
void nic_expect_answer(struct sim_thread *, struct sim_node *, uint32_t flow, weir_ps at);
void nic_retry(struct sim_thread *, struct sim_node *, uint32_t flow, weir_ps now);
void nic_check_answer(struct sim_thread *, struct sim_node *, uint32_t flow, weir_ps now);

/* track.c, for flows that have a track. nic_track_sent() returns the kind of the packet: a probe or
 * not. nic_track_answered() fills in the round trip and telemetry of the packet that is
 * acknowledged. */
enum sim_packet_kind nic_track_sent(struct sim_thread *, uint32_t flow, uint32_t sequence,
                                    weir_ps now);
void nic_track_answered(struct sim_thread *, uint32_t flow, uint32_t sequence, struct tp_ack *);

/* outgoing.c. The first function queues a message. The second is called when the current message of
 * a connection has been sent, and returns whether the connection has more to send now. The third is
 * called when a message without acknowledgement has left. The last is called after an
 * acknowledgement or a timeout, when the recovery may have gone back. */
void nic_post_message(struct sim_thread *, struct sim_node *, uint32_t flow,
                      const struct program_send *, weir_ps now);
bool nic_next_message(struct sim_thread *, struct sim_node *, uint32_t port, uint32_t flow,
                      weir_ps now);
void nic_message_left(struct sim_thread *, struct sim_node *, uint32_t flow, weir_ps now);
void nic_messages_answered(struct sim_thread *, struct sim_node *, uint32_t flow, weir_ps now);

/* The first function returns the size of a packet that is retransmitted.  The others return the
 * number of bytes by which certain packets are smaller than full packets: packets on their way, or
 * packets that an acknowledgement will report as arrived. */
uint32_t nic_message_packet_bytes(const struct sim_thread *, uint32_t flow, uint32_t sequence);
uint64_t nic_messages_flying_less(const struct sim_thread *, uint32_t flow, uint64_t n_flying);
uint64_t nic_messages_arrived_less(const struct sim_thread *, uint32_t flow, enum rc_answer,
                                   uint32_t sequence);

/* incoming.c.  The first functions are called when a notice has arrived, and when a packet was
 * accepted. nic_end_of_message() returns the end of the message of a packet, UINT32_MAX if it is
 * not known. */
void nic_take_notice(struct sim_thread *, const struct sim_mail *);
void nic_take_part(struct sim_thread *, struct sim_node *, const struct sim_packet *, weir_ps now);
uint32_t nic_end_of_message(const struct sim_thread *, uint32_t flow, uint32_t sequence);

/* members.c.  Plans the starts of jobs before the run; runs the program of a rank; and reports a
 * message to it that has been sent, or that has arrived on a connection. */
void nic_begin_members(struct sim *);
void nic_run_member(struct sim_thread *, struct sim_node *, uint32_t member, weir_ps now);
void nic_member_sent(struct sim_thread *, struct sim_node *, uint32_t member, uint32_t token,
                     weir_ps now);
void nic_member_arrived(struct sim_thread *, struct sim_node *, uint32_t flow,
                        struct program_message *, weir_ps now);

/* receive.c: these functions are called when a packet for this NIC has arrived; when it is drained,
 * at once or later; and to notify the sender of a flow of a mark. */
void nic_arrive(struct sim_thread *, struct sim_node *, const struct sim_mail *);
void nic_arrive_unclassed(struct sim_thread *, struct sim_node *, const struct sim_mail *);
void nic_take(struct sim_thread *, struct sim_node *, const struct sim_packet *, weir_ps now);
void nic_notify(struct sim_thread *, struct sim_node *, uint32_t flow, weir_ps now);

/* believe.c: checks that a packet can have been sent to this NIC. */
bool nic_believes(const struct sim_node *, const struct sim_packet *);

/* stall.c: the first function keeps a packet that is not drained; the second lets the NIC stop
 * draining or continue. */
void nic_hold(struct sim_thread *, struct sim_node *, const struct sim_mail *);
void nic_stall(struct sim_thread *, struct sim_node *, weir_ps now);

#endif
