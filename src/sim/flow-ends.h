/* The state of the two ends of each flow, and where it is stored.
 *
 * The sender's side of a flow belongs to the NIC that sends, the sink to the NIC that receives. The
 * core only reads this state, for results. */

#ifndef SIM_FLOW_ENDS_H
#define SIM_FLOW_ENDS_H

#include "sim/nodes/packets.h"
#include "sim/routing.h"
#include "sim/run-state.h"

struct sim_sender { /* A flow at its sender: the data that every packet needs, in one cache line. */
    uint64_t sent_bytes;
    struct rc_sender progress;
    uint32_t dst : SIM_DST_BITS; /* The index of the receiver among NICs. */
    bool is_plain : 1;           /* The flow has no gate, and its recovery, if any, only counts. */
    bool is_at_work : 1;         /* The flow has sent a packet, and has its own memory until it ends
                                  * (flow-memory.c).  Never true for a plain flow. */
    bool in_ring : 1;            /* The flow has something to send. */
    bool is_reliable : 1;
    bool has_gate : 1;      /* The flow also has its own gate; see 'gate'. */
    bool is_controlled : 1; /* A control of the transport sets the flow's gate. */
    bool awaits_retry : 1;  /* Mail of NIC_RETRY for the time sim_retry_ps() is on its way. */
    bool is_connection : 1; /* 'progress' has the packets up to the end of the message that it sends
                             * now: connection-ends.h. */
    uint32_t next, prev;    /* The next and previous flow in the round-robin list of its class. */
    weir_ps heard_ps;       /* The last time at which something new was acknowledged. */
    struct weir_gate *gate; /* Null: the flow has no gate, or has sent nothing yet and may send. */
};

_Static_assert(sizeof(struct sim_sender) == 64, "flow");

struct sim_turn { /* A flow in the search tree of a long round-robin list: nic/ring.c. */
    uint32_t left, right, parent;
    weir_ps at_ps;    /* The time at which its gate opens. */
    weir_ps first_ps; /* The earliest such time of the flow and of those below it in the tree. */
};

/* Telemetry outside of packets.  A packet that is a probe has an entry in the track of its flow:
 * its sequence number modulo the size of the track.  Only the node that holds the packet writes to
 * this entry.  This is safe because a packet is at one node at a time, and windows end with a
 * barrier.  The sender makes a packet a probe only if the entry is free: its last probe arrived or
 * was lost at least one window ago.  The time at which it arrived or was lost is the only value
 * that two nodes may access at once.  If that time is in the current window, the sender concludes
 * that the entry is not free, whether or not it sees the new value. */
struct sim_probe {
    weir_ps sent_ps;          /* The send time of 'sequence', if it was sent exactly once; else
                               * -1. */
    _Atomic(weir_ps) gone_ps; /* The time at which the probe arrived or was lost; WEIR_NEVER: it is
                               * still on its way. */
    uint32_t sequence;        /* The packet that waits for an acknowledgement; RC_NONE: none. */
    uint32_t probe;  /* The packet that is or was a probe; RC_NONE: its telemetry has been read. */
    uint32_t n_hops; /* The number of its telemetry records; 0 also if the probe was lost. */
};

struct sim_track { /* Probes of a flow whose control uses round trips or telemetry. */
    uint32_t mask;
    uint32_t n_new;    /* Packets from this number on have never been sent. */
    uint32_t max_hops; /* The maximum number of telemetry records of a probe. */
    struct sim_probe *probes;
    struct tp_hop *hops; /* [probe][max_hops]; null: the control uses no telemetry. */
};

struct sim_pacer { /* The limits and state of a flow's control. */
    struct tp_limits limits;
    weir_ps mailed_ps;       /* The time of the earliest NIC_PACE mail on its way. */
    struct sim_track *track; /* Null: the control needs neither round trips nor telemetry. */
    uint64_t state[];        /* The state of its control. */
};

struct sim_sink { /* A flow at its receiver. */
    struct rc_receiver progress;
    uint32_t n_received;
    uint32_t src : SIM_DST_BITS; /* The index of the NIC to which ACKs, NACKs and CNPs go. */
    uint32_t answer_cls : 3;     /* The class of these ACKs, NACKs and CNPs. */
    bool is_reliable : 1;
    bool only_counts : 1;   /* The recovery only counts packets, as long as none is lost. */
    bool is_notified : 1;   /* CNPs report marked packets. */
    bool is_marked : 1;     /* A packet that has not been acknowledged yet was marked. */
    bool is_connection : 1; /* 'n_packets' is one more than 'n_received': nic/incoming.c. */
    uint64_t received_bytes, discarded_bytes;
    weir_ps first_ps, last_ps;
} __attribute__((aligned(64)));

_Static_assert(sizeof(struct sim_sink) == 64, "sink");

struct sim_notifier { /* CNP state of a receiver. */
    weir_ps least_ps; /* The minimum time between two CNPs. */
    weir_ps last_ps;  /* The time of the last CNP; -1: none yet. */
};

struct sim_marks { /* Counts of ECN marks, at the receiver of a flow. */
    uint64_t n_marked, n_cnps;
};

/* Looks up the ends of flows on this rank by flow number.  A process that runs alone has the ends
 * of all flows, in the order of their numbers. */
static inline bool
sim_sender_is_here(const struct sim *sim, uint32_t flow)
{
    return sim_is_here(sim, sim->model.flows[flow].from);
}

static inline bool
sim_sink_is_here(const struct sim *sim, uint32_t flow)
{
    return sim_is_here(sim, sim->model.flows[flow].to);
}

static inline uint32_t
sim_sender_slot(const struct sim *sim, uint32_t flow)
{
    return __builtin_expect(sim->flows.sender_slots != NULL, 0) ? sim->flows.sender_slots[flow]
                                                                : flow;
}

static inline uint32_t
sim_sink_slot(const struct sim *sim, uint32_t flow)
{
    return __builtin_expect(sim->flows.sink_slots != NULL, 0) ? sim->flows.sink_slots[flow] : flow;
}

static inline uint32_t
sim_flow_of_sender(const struct sim *sim, uint32_t slot)
{
    return __builtin_expect(sim->flows.sender_flows != NULL, 0) ? sim->flows.sender_flows[slot]
                                                                : slot;
}

static inline struct sim_sender *
sim_sender(const struct sim *sim, uint32_t flow)
{
    return &sim->flows.senders[sim_sender_slot(sim, flow)];
}

static inline struct sim_sink *
sim_sink(const struct sim *sim, uint32_t flow)
{
    return &sim->flows.sinks[sim_sink_slot(sim, flow)];
}

static inline struct sim_pacer *
sim_pacer(const struct sim *sim, uint32_t flow)
{
    return sim->flows.pacers[sim_sender_slot(sim, flow)];
}

static inline struct sim_notifier *
sim_notifier(const struct sim *sim, uint32_t flow)
{
    return &sim->flows.notifiers[sim_sink_slot(sim, flow)];
}

static inline uint32_t *
sim_n_first(const struct sim *sim, uint32_t flow)
{
    return &sim->flows.n_first[sim_sender_slot(sim, flow)];
}

/* The port through which a flow sends now. If its NIC has several, the port is chosen when the flow
 * has something to send, and when routes change. */
static inline uint32_t
sim_out_port(const struct sim *sim, uint32_t flow)
{
    return sim->flows.out_ports ? sim->flows.out_ports[sim_sender_slot(sim, flow)] : 0;
}

static inline uint32_t
sim_port_of_flow(const struct sim *sim, uint32_t flow)
{
    const struct model_flow *f = &sim->model.flows[flow];

    return sim_nic_port(sim, f->from, sim->model.topo->nodes[f->to].index, flow);
}

static inline void
sim_set_out_port(const struct sim *sim, uint32_t flow)
{
    sim->flows.out_ports[sim_sender_slot(sim, flow)] = (uint8_t)sim_port_of_flow(sim, flow);
}

/* The rate of the port through which a flow's packets leave with the current routes, as engines and
 * controls know it. It is also known on ranks that do not have the sender. */
static inline uint64_t
sim_line_bps(const struct sim *sim, uint32_t flow)
{
    uint32_t from = sim->model.flows[flow].from;
    uint32_t port = sim->flows.out_ports ? sim_port_of_flow(sim, flow) : 0;

    return model_shape_like(&sim->model, from)->ports[port].rate_bps;
}

static inline weir_ps *
sim_retry_ps(const struct sim *sim, uint32_t flow)
{
    return &sim->flows.retry_ps[sim_sender_slot(sim, flow)];
}

static inline weir_ps *
sim_started_ps(const struct sim *sim, uint32_t flow)
{
    return &sim->flows.started_ps[sim_sender_slot(sim, flow)];
}

/* flow-memory.c: memory that a flow takes while it is active.
 *
 * When a flow starts, the sender allocates its gate, and the state of its control if that must be
 * kept.  It allocates everything else before the first packet.  It frees all this memory when the
 * flow ends, or later if a probe is still on its way and may write there.  The receiver allocates
 * memory before the first packet that arrives out of order, and frees it with the last packet. */
struct sim_pacer *sim_pacer_take(const struct sim *, uint32_t flow);
void sim_pacer_give_back(const struct sim *, uint32_t flow);
struct tp_limits sim_limits_at_start(const struct sim *, uint32_t flow);
void sim_gate_take(const struct sim *, uint32_t flow, uint64_t rate_bps, weir_ps now);
void sim_gate_give_back(const struct sim *, uint32_t flow);
void sim_sender_take_memory(const struct sim *, uint32_t flow);
void sim_sender_give_back(const struct sim *, uint32_t flow, weir_ps now);
void sim_sink_take_memory(const struct sim *, uint32_t flow);
void sim_sink_give_back(const struct sim *, uint32_t flow);

/* flow-numbers.c: for engines at NICs that handle flows, converts between a flow and its number at
 * its NIC, and keeps the rate limits that engines set for flows. */
struct sim_numbers {
    uint32_t *number;    /* [sender]: the number of the flow at its NIC. */
    uint32_t *first;     /* [node]: the index of its first flow in 'flows'. */
    uint32_t *flows;     /* The flows of local nodes, in the order of their numbers at the NIC. */
    uint64_t *limit_bps; /* [sender]: the rate limit of the flow; WEIR_UNLIMITED: no limit. */
    uint64_t *n_heard;   /* [sender]: the number of messages about the flow that have reached its
                          * NIC. */
};

static inline uint32_t
sim_nic_flow_number(const struct sim *sim, uint32_t flow)
{
    return sim->flows.numbers->number[sim_sender_slot(sim, flow)];
}

static inline uint32_t
sim_nic_flow(const struct sim *sim, uint32_t node, uint32_t number)
{
    return sim->flows.numbers->flows[sim->flows.numbers->first[node] + number];
}

/* The first function returns the rate limit that an engine sets for a flow whose sender is on this
 * rank. The second returns the number of messages about the flow. */
static inline uint64_t
sim_nic_limit_bps(const struct sim *sim, uint32_t flow)
{
    return sim->flows.numbers ? sim->flows.numbers->limit_bps[sim_sender_slot(sim, flow)]
                              : WEIR_UNLIMITED;
}

static inline uint64_t
sim_nic_n_heard(const struct sim *sim, uint32_t flow)
{
    return sim->flows.numbers ? sim->flows.numbers->n_heard[sim_sender_slot(sim, flow)] : 0;
}

/* result.c. The first function returns the number of packets that a flow has sent at least once.
 * The second returns the number that it has to send, UINT32_MAX for an endless flow and for a
 * connection. */
uint32_t sim_flow_n_first(const struct sim *, uint32_t flow);
uint32_t sim_flow_n_planned(const struct sim *, uint32_t flow);
uint32_t sim_flow_last_bytes(const struct sim *,
                             uint32_t flow); /* The size of the last packet of a flow. */

/* result.c.  The first two functions return the round-trip time of a packet and its ACK on an empty
 * path, with the routes at the start and with the current routes.  The third returns the number of
 * links that a packet crosses.  If there are several paths, the longest counts. */
weir_ps sim_flow_first_rtt_ps(const struct sim *, uint32_t flow);
weir_ps sim_flow_rtt_ps(const struct sim *, uint32_t flow);
uint32_t sim_flow_n_links(const struct sim *, uint32_t flow);

/* ideal.c: the ideal completion time of a flow with the current routes. */
weir_ps sim_flow_ideal_now_ps(const struct sim *, uint32_t flow);

/* shares.c: like sim_fair_shares(), but ignores the rate limits of the flows. */
void sim_link_shares(const struct sim *, const bool *counts, uint64_t *bps);

/* telemetry.c: makes and frees the track of a flow whose control uses one.  A track is idle if none
 * of its probes is on its way, and all threads know this.  The last two functions report a probe
 * that arrives, and a packet that is lost and may be a probe. */
struct sim_track *sim_track_new(const struct sim *, uint32_t flow);
size_t sim_track_bytes(const struct sim_track *);
void sim_track_free(struct sim_track *);
bool sim_probe_is_gone(const struct sim *, struct sim_probe *, weir_ps now);
bool sim_track_is_idle(const struct sim *, const struct sim_track *, weir_ps now);
void sim_probe_arrived(struct sim_thread *, const struct sim_packet *, weir_ps now);
void sim_probe_lost(struct sim_thread *, const struct sim_packet *, weir_ps now);

/* Reads the records of another rank about probes of flows whose sender is on this rank. */
void sim_take_words(struct sim *, const void *words, size_t bytes);

#endif
