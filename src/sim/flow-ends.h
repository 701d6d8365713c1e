/* Flows: the state of their ends, and its place.
 *
 * The sender's side of a flow belongs to the NIC that sends, the sink to the one that receives. The
 * core only reads them, for results. */

#ifndef SIM_FLOW_ENDS_H
#define SIM_FLOW_ENDS_H

#include "sim/nodes/packets.h"
#include "sim/run-state.h"

struct sim_sender { /* A flow at its sender: what every packet needs, one line of the cache. */
    uint64_t sent_bytes;
    struct rc_sender progress;
    uint32_t dst : SIM_DST_BITS; /* Index among NICs. */
    bool is_plain : 1; /* It has no gate, its recovery, if it has one, only counts, and no observer
                          needs its waits. */
    bool is_at_work : 1; /* It has sent a packet, and has memory of its own for that until
                          * it has ended (flow-memory.c).  Never of a plain flow. */
    bool in_ring : 1;    /* It has something to send. */
    bool is_reliable : 1;
    bool has_gate : 1;      /* Its own gate throttles it, too; see 'gate'. */
    bool is_controlled : 1; /* Its transport sets that. */
    bool awaits_retry : 1;  /* A NIC_RETRY is on its way for sim_retry_ps(). */
    uint32_t next, prev;    /* In the ring of its class. */
    weir_ps heard_ps;       /* Something new was acknowledged. */
    struct weir_gate *gate; /* Null: it has none, or has sent nothing yet and may send. */
};

_Static_assert(sizeof(struct sim_sender) == 64, "flow");

struct sim_turn { /* A flow in the tree of its ring, if that is large: nic/ring.c. */
    uint32_t left, right, parent;
    weir_ps at_ps;    /* When its gate opens, */
    weir_ps first_ps; /* and the first of those below it, or itself. */
};

/* Telemetry outside of packets.  A packet that is a probe has a place in the track of its flow, by
 * its number modulo the size of the track.  The node that holds the packet may write there, as a
 * packet is at one node at a time, and windows end with a barrier.  The sender makes a packet a
 * probe only if the place is free: the last probe there has arrived or was lost, a window ago or
 * more.  That time is the only value that two nodes may touch at once. A sender that sees any event
 * of the same window draws the same conclusion: not free. */
struct sim_probe {
    weir_ps sent_ps;          /* Send time of 'sequence', if it was sent once; else -1. */
    _Atomic(weir_ps) gone_ps; /* When the probe arrived or was lost; WEIR_NEVER: it flies. */
    uint32_t sequence;        /* RC_NONE: none that waits for an answer. */
    uint32_t probe;  /* The packet that is or was a probe; RC_NONE: its stamps were read. */
    uint32_t n_hops; /* Stamps that it has; 0, too, if it was lost. */
};

struct sim_track { /* Probes of a flow whose control uses round trips or telemetry. */
    uint32_t mask;
    uint32_t n_new;    /* Packets from this one on have never been sent. */
    uint32_t max_hops; /* Maximum number of stamps of a probe. */
    struct sim_probe *probes;
    struct tp_hop *hops; /* [probe][max_hops]; null: its control uses no telemetry. */
};

struct sim_pacer { /* The limits and state of a flow's control. */
    struct tp_limits limits;
    weir_ps mailed_ps;       /* The earliest NIC_PACE on its way. */
    struct sim_track *track; /* Null: it wants neither round trips nor telemetry. */
    uint64_t state[];        /* Bytes of its transport. */
};

struct sim_sink { /* A flow at its receiver. */
    struct rc_receiver progress;
    uint32_t n_received;
    uint32_t src : SIM_DST_BITS; /* Index among NICs: where answers go, */
    uint32_t answer_cls : 3;     /* and in which class. */
    bool is_reliable : 1;
    bool only_counts : 1; /* The state of its recovery, as long as there are no losses. */
    bool is_notified : 1; /* CNPs report marked packets. */
    bool is_marked : 1;   /* Something that was not acknowledged yet. */
    uint64_t received_bytes, discarded_bytes;
    weir_ps first_ps, last_ps;
} __attribute__((aligned(64)));

_Static_assert(sizeof(struct sim_sink) == 64, "sink");

struct sim_notifier { /* CNP state of a receiver. */
    weir_ps least_ps; /* Between two CNPs. */
    weir_ps last_ps;  /* The last; -1: none yet. */
};

struct sim_marks { /* Counts of ECN marks, at the receiver of a flow. */
    uint64_t n_marked, n_cnps;
};

/* The ends of flows, by their numbers: only those that are here.  A process that runs alone has all
 * of them, in their order. */
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

/* flow-memory.c: memory that a flow takes while it is at work.
 *
 * The sender allocates its gate when it starts, with its control's state if that must be kept, and
 * all else before the first packet.  It frees all when the flow has ended, unless a probe is on its
 * way, which may write there.  The receiver allocates before the first packet that comes out of
 * order, and frees with the last. */
struct sim_pacer *sim_pacer_take(const struct sim *, uint32_t flow);
void sim_pacer_give_back(const struct sim *, uint32_t flow);
struct tp_limits sim_limits_at_start(const struct sim *, uint32_t flow);
void sim_gate_take(const struct sim *, uint32_t flow, uint64_t rate_bps, weir_ps now);
void sim_gate_give_back(const struct sim *, uint32_t flow);
void sim_sender_take_memory(const struct sim *, uint32_t flow);
void sim_sender_give_back(const struct sim *, uint32_t flow, weir_ps now);
void sim_sink_take_memory(const struct sim *, uint32_t flow);
void sim_sink_give_back(const struct sim *, uint32_t flow);

/* flow-numbers.c: where engines at NICs deal with flows, the number of a flow among those that its
 * NIC sends, and back; and the rates that engines hold flows to. */
struct sim_numbers {
    uint32_t *number;    /* [sender]: its own number at its NIC. */
    uint32_t *first;     /* [node]: where its flows stand in 'flows', */
    uint32_t *flows;     /* in order of their numbers there; for local nodes. */
    uint64_t *limit_bps; /* [sender]: WEIR_UNLIMITED: no engine limits it. */
    uint64_t *n_heard;   /* [sender]: messages about it that have come to its NIC. */
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

/* The rate limit that an engine sets for a flow whose sender is here, and messages about the
 * flow. */
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

/* result.c: packets that a flow has sent at least once; those that it was to send, UINT32_MAX:
 * without end. */
uint32_t sim_flow_n_first(const struct sim *, uint32_t flow);
uint32_t sim_flow_n_planned(const struct sim *, uint32_t flow);
uint32_t sim_flow_last_bytes(const struct sim *,
                             uint32_t flow); /* Size of the last of these packets. */

/* result.c: the time of a packet and its answer on an empty path, by the first routes if they
 * change, or as they are now; and how many links a packet crosses; the longest path if there are
 * several. */
weir_ps sim_flow_first_rtt_ps(const struct sim *, uint32_t flow);
weir_ps sim_flow_rtt_ps(const struct sim *, uint32_t flow);
uint32_t sim_flow_n_links(const struct sim *, uint32_t flow);

/* ideal.c: by the routes as they are now. */
weir_ps sim_flow_ideal_now_ps(const struct sim *, uint32_t flow);

/* shares.c: as sim_fair_shares(), whatever the rates of the flows themselves. */
void sim_link_shares(const struct sim *, const bool *counts, uint64_t *bps);

/* telemetry.c: makes a track for a flow whose control uses one, and frees it.  A track is idle if
 * none of its probes is on its way, and all threads know.  A probe arrives; or a packet that may be
 * a probe is lost. */
struct sim_track *sim_track_new(const struct sim *, uint32_t flow);
size_t sim_track_bytes(const struct sim_track *);
void sim_track_free(struct sim_track *);
bool sim_probe_is_gone(const struct sim *, struct sim_probe *, weir_ps now);
bool sim_track_is_idle(const struct sim *, const struct sim_track *, weir_ps now);
void sim_probe_arrived(struct sim_thread *, const struct sim_packet *, weir_ps now);
void sim_probe_lost(struct sim_thread *, const struct sim_packet *, weir_ps now);

/* Reads another rank's records on probes of flows that are sent here. */
void sim_take_words(struct sim *, const void *words, size_t bytes);

#endif
