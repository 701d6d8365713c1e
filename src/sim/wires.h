/* Nodes and their ports: events, timers, frames and packets on wires, pauses, watchdogs. */

#ifndef SIM_WIRES_H
#define SIM_WIRES_H

#include "sim/live.h"
#include "sim/run-state.h"

struct sim_timer {     /* A timer of an engine, or of a watchdog. */
    weir_ps at_ps;     /* When it fires; The time at which it fires; WEIR_NEVER: it is not set. */
    weir_ps mailed_ps; /* The time of the earliest mail on its way for this timer; the mail is
                        * posted once more if the timer fires later. */
};

/* The two limits of a gate that shut it until a time; they may belong to different engines. */
enum sim_shut_by { SIM_SHUT_BY_PAUSE, SIM_SHUT_BY_HOLD, SIM_N_SHUT_BY };

/* The state of one of these limits. 'is_start': it shuts the gate for the wait after a link has
 * come up (decision 0022); if false, because the peer requested it. */
struct sim_shut {
    weir_ps until_ps; /* The limit shuts the gate until this time; a time in the past does not shut
                       * it. */
    bool is_start;
    uint64_t n; /* The number of times that the peer has shut the gate. */
};

struct sim_shut_span {          /* The time for which a gate is shut for one reason, by any
                                 * limit. */
    weir_ps since_ps, until_ps; /* until_ps is 0 while the gate is not shut. */
    weir_ps total_ps;
};

struct sim_hold { /* Records how a gate was blocked or throttled. */
    struct sim_shut by[SIM_N_SHUT_BY];
    struct sim_shut_span paused, starting;
    uint64_t n_starts, n_rate_changes, rate_bps, least_bps;
};

struct sim_watchdog {       /* The watchdog of a transmit queue. */
    struct sim_timer timer; /* The time at which the pause becomes a storm, or the storm ends. */

    weir_ps asked_ps;  /* The time until which the peer asks the queue to pause, whether the queue
                        * obeys or not. */
    weir_ps broken_ps; /* The time at which it first acted on a storm after a deadlock was found at
                        * this queue, or WEIR_NEVER. */
    struct sim_storms so_far;
};

/* These functions are in node.c. */
void sim_node_run(struct sim_thread *, struct sim_node *, const struct sim_mail *);
void sim_node_receive_slow(struct sim_thread *, struct sim_node *, const struct sim_mail *);
void sim_node_refuse(struct sim_thread *, struct sim_node *, const struct sim_mail *);
void sim_node_wake(struct sim_thread *, struct sim_node *, uint32_t port, weir_ps now);
void sim_node_check_alarm(struct sim_thread *, struct sim_node *, weir_ps now);

/* Hot: once per packet-hop.  Takes a packet that has arrived; in rare cases it is lost, captured or
 * changes class.
 */
static inline void
sim_node_take(struct sim_thread *t, struct sim_node *n, const struct sim_mail *m)
{
    if (t->sim->is_plain && !n->weir.ctx.arrives_as) {
        n->kind->arrive(t, n, m);
    } else {
        sim_node_receive_slow(t, n, m);
    }
}

/* Timers are set often and rarely fire.  One item of mail of the given kind and key is enough: if
 * it arrives too early, it is posted once more.  The second function returns whether a timer fires,
 * now that its mail has arrived. */
void sim_timer_set(struct sim_thread *, struct sim_node *, struct sim_timer *, enum sim_event,
                   uint32_t key, weir_ps at);
bool sim_timer_fires(struct sim_thread *, struct sim_node *, struct sim_timer *, enum sim_event,
                     uint32_t key, weir_ps now);

/* mail.c: allocate and free a frame in the pool of a thread. */
uint32_t sim_frame_new(struct sim_thread *, const struct sim_frame *);
void sim_frame_free(struct sim_thread *, uint32_t frame);

/* Queues a frame of the pool to be sent through a port. */
void sim_port_queue_frame(struct sim_thread *, struct sim_node *, uint32_t port, uint32_t frame);
void sim_port_forget_frames(struct sim_thread *, struct sim_node *, uint32_t port);

/* For runs that are not plain: returns true if the packet has arrived, and false if it was lost
 * when its link went down.  'frame' is null for a packet. */
bool sim_arrives_intact(struct sim_thread *, struct sim_node *, const struct sim_mail *,
                        const struct sim_frame *);

/* message.c: sends a message to the sender of a flow, and returns the port to start, or SIM_NONE;
 * forwards a message for another node; and delivers a message for this node. */
uint32_t sim_message_to_source(struct sim_thread *, struct sim_node *, const struct weir_emit *,
                               weir_ps now);
void sim_message_pass(struct sim_thread *, struct sim_node *, const struct sim_mail *);
void sim_message_hear(struct sim_thread *, struct sim_node *, const struct sim_mail *);

static inline bool
sim_is_message(const struct sim_frame *f)
{
    return f->to != SIM_NONE;
}

/* Whether a message goes to a NIC and is about a flow that this NIC sends.  Other messages are
 * between the switches of a fabric and are not counted. */
static inline bool
sim_is_to_nic(const struct sim_thread *t, const struct sim_frame *f)
{
    return t->sim->model.topo->nodes[f->to].kind == TOPO_NIC;
}

/* The packet with which a frame on the wire is counted, which belongs to no flow. */
static inline struct sim_packet
sim_frame_packet(const struct sim_frame *f)
{
    return (
        struct sim_packet){ .flow = SIM_NO_FLOW, .n_hops = f->n_hops, .bytes = WEIR_CONTROL_BYTES };
}

/* drop.c: handles a packet or frame that is lost on the wire of a port. */
void sim_lose(struct sim_thread *, struct sim_node *, uint32_t port, const struct sim_packet *,
              weir_ps now);

/* dead-port.c: called when a port that is down would start a packet. */
void sim_port_is_down(struct sim_thread *, struct sim_node *, uint32_t port, weir_ps now);

/* These functions are in port.c. */
void sim_port_wake(struct sim_thread *, struct sim_node *, uint32_t port, weir_ps now);
void sim_port_set_up(struct sim_node *, uint32_t port, bool up);
void sim_port_set_rate(struct sim_node *, uint32_t port, uint64_t rate_bps);

static inline weir_ps
sim_port_wire_ps(const struct sim_node *n, uint32_t port, uint32_t bytes)
{
    uint32_t all = bytes + n->gap_bytes, byte_ps = n->ports[port].byte_ps;
    return byte_ps ? (weir_ps)all * byte_ps : weir_wire_ps(all, n->line_bps[port]);
}

/* slow.c.  The first function changes the rate of one end of a link.  The second returns the
 * longest time until a frame takes effect, if it waits for a packet, over all links and rates in
 * the run.  The last function returns the lowest rate of a port of the topology in the run. */
void sim_change_rate(struct sim_thread *, struct sim_node *, const struct sim_mail *);
weir_ps sim_slowest_reaction_ps(const struct sim *);
uint64_t sim_min_bps(const struct sim *, uint32_t port);

/* watchdog.c: called when an engine has set a gate, or the mail of a timer has arrived. */
void sim_watchdog_heard(struct sim_thread *, struct sim_node *, uint32_t slot, weir_ps now);
void sim_watchdog_check(struct sim_thread *, struct sim_node *, uint32_t slot, weir_ps now);
void sim_watchdog_rebase(struct sim_node *, uint32_t slot, weir_ps by_ps);

/* With real frames, foreign packets pass the node, too.  No NIC of the model has sent them, so
 * conservation does not count them. */
static inline bool
sim_is_foreign(const struct sim *sim, const struct sim_packet *packet)
{
    return packet->flow >= sim->model.n_flows;
}

#endif
