/* What the parts of the simulator's core share.
 *
 *     setup.c       model -> nodes, threads and windows; setup-node.c, setup-flow.c: one of each;
 *                   setup-partition.c: which process and thread runs which
 *     flow-memory.c   what a flow takes while it is at work
 *     flow-numbers.c  flows by the numbers that the engines of their NICs know them by
 *     rounds.c      window after window, on all threads
 *     window.c      what a thread does in one
 *     events.c      what a node has to do in one, in order
 *     mail.c        what will happen, and to whom
 *     outbox.c      mail for nodes of other threads
 *     epochs.c      as many windows as a rank runs before it meets the others
 *     exchange.c    what ranks hand to each other
 *     reference.c   a plain event loop, to compare with
 *     live.c        one node, whose wires are somebody else's; live-report.c: what it tells;
 *                   live-rebase.c: sets its clock back
 *     node.c        what a node does with an event; what its engines answer
 *     message.c     frames that are for a node further off
 *     port.c        the wire: frames, packets, when to start the next
 *     forward.c     the port by which a packet leaves a switch
 *     keys.c        what switches hash of a flow
 *     slow.c        links that become slower
 *     route-rows.c  routes, as packets look them up
 *     reroute.c     routes, and new ones after links have failed
 *     dead-port.c   packets that wait at a port whose link is down
 *     classes.c     in which classes packets arrive at nodes that other ranks run
 *     way.c         whether packets that change class have one all their way
 *     drop.c        packets that go no further
 *     telemetry.c   what ports know as packets leave by them
 *     watchdog.c    switches that help themselves out of a pause without end
 *     watch.c       how often a run is looked at, samples
 *     deadlock.c    queues that wait for each other: waits.c: what each waits for; stuck.c: a ring
 *     view.c        what the first rank knows of nodes that others run
 *     run-out.c     when a run is over before its time
 *     sojourn.c       how long packets wait, and what for, for those who ask; blame.c: what inputs
 *                   wait for that hold their peers back
 *     note.c        what happened when, for those who ask
 *     capture.c     what crossed which port, for those who ask
 *     result.c      what has become of it
 *     conservation.c  whether every packet is somewhere
 *     invariants.c  what must hold between windows, in builds that look
 *
 * What a switch or a NIC does with packets is its kind's concern (nodes/), and the core names none;
 * host/host.h is what it offers to them, flow-state.h what there is of a flow. */

#ifndef SIM_INTERNAL_H
#define SIM_INTERNAL_H

#include <stdatomic.h>
#include <stddef.h>

#include "base/arena.h"
#include "base/array.h"
#include "sim/exchange.h"
#include "sim/flow-state.h"
#include "sim/host/host.h"
#include "sim/sim.h"

#define SIM_NO_PORT   UINT16_MAX
#define SIM_MANY_WAYS 0x80000000u /* Of a route: a group; routes without a way are SIM_NONE. */

/* A frame for the node at the other end of a link, or a message for one further off. */
struct sim_frame {
    struct weir_frame frame;
    uint8_t n_hops; /* Of a message: switches crossed so far, */
    uint32_t to;    /* the node that it is for; SIM_NONE: it is no message, */
    uint32_t flow;  /* the flow that it is about, */
    uint32_t from;  /* and the port of the topology that it was sent for. */
    uint32_t next;  /* In a list of its thread's. */
};

struct sim_timer {     /* Of an engine, or of a watchdog. */
    weir_ps at_ps;     /* When it fires; WEIR_NEVER: not set. */
    weir_ps mailed_ps; /* The earliest mail on its way for it; it may be set anew then. */
};

/* The limits of a gate that shut it until a time, whichever of two engines writes each. */
enum sim_shut_by { SIM_SHUT_BY_PAUSE, SIM_SHUT_BY_HOLD, SIM_N_SHUT_BY };

/* One of them: how long it shuts the gate, and whether that is the wait of a link that has come up
 * (decision 0022) or the peer asked for it. */
struct sim_shut {
    weir_ps until_ps; /* Not after now: it does not. */
    bool is_start;
    uint64_t n; /* Times that the peer has shut the gate. */
};

struct sim_shut_span {          /* A gate is shut for one reason, by any limit. */
    weir_ps since_ps, until_ps; /* until_ps 0: not now. */
    weir_ps total_ps;
};

struct sim_hold { /* How a gate was held back. */
    struct sim_shut by[SIM_N_SHUT_BY];
    struct sim_shut_span paused, starting;
    uint64_t n_starts, n_rates, rate_bps, least_bps;
};

struct sim_watchdog {       /* Of a transmit queue. */
    struct sim_timer timer; /* When it will be a storm, or be over. */
    weir_ps storm_ps;       /* Since when it is one; WEIR_NEVER: it is none. */
    weir_ps asked_ps;       /* How long the peer asks it to pause, heeded or not. */
    weir_ps broken_ps;      /* The first storm it acted on since a deadlock was found here, or
                             * WEIR_NEVER. */
    uint64_t n_storms, n_restored, n_dropped;
    weir_ps first_ps, ended_ps; /* The first storm began, and the last that is over was. */
};

struct sim_log {
    struct sim_mail *items;
    size_t n, max;
    bool carries_frames; /* An outbox: two mails behind that of a frame are its bytes. */
};

/* Of an event as one number: events.h. */
enum { SIM_KIND_BITS = 4, SIM_MAIL_BITS = 26 };

#define SIM_NO_MAIL ((1u << SIM_MAIL_BITS) - 1)

enum { SIM_CHUNK = 4 };

struct sim_inbox {
    uint32_t chunk; /* The newest; chunk_next leads to those before it, which are full. */
    uint32_t n;     /* Mails. */
};

struct sim_due {               /* What is to be done in one window. */
    struct sim_inbox *inboxes; /* [local node]. */
    uint64_t *wakes;           /* [first_word + ...]: a bit for each port that wakes. */
    uint64_t *busy;            /* A bit for each node that has either. */
    bool is_busy;              /* Some node is. */
};

struct sim_events { /* Events of the node being run, in order, UINT64_MAX behind them: events.h. */
    uint64_t *next; /* What comes next of them. */
    uint64_t *items;
    size_t n, max;
};

struct sim_abroad {          /* What a thread has for another rank, since they last met. */
    struct sim_log mail;     /* As in an outbox. */
    struct sim_parcel words; /* Of telemetry. */
};

struct sim_thread {
    struct sim *sim;
    uint32_t id;
    int window_bits, port_bits; /* As in the sim, and near. */
    uint32_t ring_mask;
    bool is_large; /* So many nodes that it pays to fetch ahead what they will touch. */
    int64_t reach; /* Windows ahead that mail is filed for; the rest goes into the heap. */
    const struct sim_place *places;
    struct sim_due *due;       /* [window & ring mask]. */
    struct sim_log far;        /* A heap: what comes later than the ring reaches. */
    struct sim_log *out;       /* [thread][parity]: mail for nodes of others. */
    struct sim_abroad *abroad; /* [rank]: what is for those.  Null: there are none. */
    weir_ps abroad_ps;         /* The earliest mail of these. */
    weir_ps epoch_end_ps;      /* Windows that begin before this can be run. */
    uint32_t *nodes, n_nodes;  /* Their numbers, */
    struct sim_node *own;      /* and they themselves: a part of the sim's. */
    struct arena hot, cold;    /* What they have: what every packet touches, and the rest. */
    uint32_t *busy, n_busy;    /* Its nodes that have something to do in the window. */
    uint32_t *first_word;      /* [local node] and behind: where its ports' bits stand. */
    struct sim_mail *mails;    /* In chunks, of all inboxes. */
    uint32_t *chunk_next, chunk_free, max_chunks;
    struct sim_note *notes;
    size_t n_notes, max_notes;
    struct sim_crossing *crossings;
    size_t n_crossings, max_crossings;
    struct sim_frame *frames;
    size_t n_frames, max_frames;
    uint32_t frames_free;
    struct weir_outbox outbox;

    uint64_t round; /* How many windows it has run. */
    int64_t window; /* The one being run; */
    weir_ps start_ps;
    uint64_t limit; /* no event from this one on is run: the run ends before. */
    /* Of the node being run, each in order, with UINT64_MAX behind and what comes next at 'next':
     */
    struct sim_events mails_due; /* its mails, */
    struct sim_events wakes_due; /* and its ports that wake. */
    struct sim_events spare;     /* To sort many in. */

    weir_ps next_ps[2]; /* The earliest that is still to come, by parity. */
    uint64_t n_hops, n_run, n_broken, n_bad_order;
    uint64_t n_timeouts;  /* Of flows that sent again because of them. */
    uint64_t n_delivered; /* Packets that have come to a NIC, and were drained there. */
    uint64_t n_looked;    /* At places, in builds that hold it to invariants. */
    uint64_t ack_sent_bytes, ack_received_bytes;
    uint64_t n_foreign_gone, foreign_gone_bytes; /* Packets of no flow, dropped or lost: live.h. */
    struct sim_broken first_broken;              /* If n_broken is not 0. */
    char apart[64];                              /* Threads do not share a cache line. */
};

/* Where a node is run; apart from the node, as every mail asks for it. */
struct sim_place {
    uint32_t thread, local;
};

struct sim_run_out {     /* Of flows from rank to rank, when the run is about to end. */
    bool has_told;       /* Senders have said which of them are measured. */
    uint32_t *stoppable; /* Flows that were told of, and are not stopped yet but may be; */
    size_t n_stoppable, max_stoppable;
    uint32_t *awaited; /* those that this rank was told of, and some of which has not come. */
    size_t n_awaited, max_awaited;
    uint32_t n_ended; /* Flows, the first ones, that are not waited for any more. */
};

struct sim_exchange {            /* Where ranks are, as of when they last met. */
    weir_ps epoch_ps;            /* The longest time between two meetings. */
    weir_ps next_ps;             /* All have agreed on the next window of any rank, */
    bool stops;                  /* and whether somebody is asked to stop. */
    bool is_last;                /* The first rank was asked to while it took a sample: the next
                                  * window is the last, as it is for a process alone. */
    uint64_t windows;            /* Run here since then, a bit each from next_ps on. */
    uint64_t n_windows;          /* Run by any rank since the start. */
    struct sim_parcel *out, *in; /* [rank]. */
};

/* What is looked at between windows. */
struct sim_watch {
    weir_ps interval_ps;
    weir_ps next_watch_ps, next_sample_ps;
    weir_ps next_end_ps; /* When the run may next be over before its time; WEIR_NEVER. */
    struct sim_run_out run_out;
    struct sim_note *notes; /* Of all threads, in order, as last asked for. */
    size_t n_notes, max_notes;
    struct sim_sojourn *sender_sojourns; /* [sender]; null: nobody asks how long packets wait. */
    struct sim_flow_wait *waits;         /* Of all nodes, in order, as last asked for. */
    size_t n_waits, max_waits;
    struct sim_crossing *crossings; /* The same of crossings, as far as they were not told. */
    size_t n_crossings, max_crossings;
    weir_ps capture_ps, next_capture_ps; /* So often they are told; WEIR_NEVER: not at all. */
    weir_ps middle_ps;                   /* 0: not there yet. */
    uint64_t n_samples;
    uint64_t *middle_bytes;       /* [sink]: received at the middle of the run. */
    struct sim_deadlock deadlock; /* The first, */
    struct sim_deadlock standing; /* and the last, unless a watchdog has broken it. */
};

/* The ends of flows that are here. */
struct sim_flows {
    uint32_t *sender_slots; /* [flow]: where its end here stands in arrays [sender], or */
    uint32_t *sink_slots;   /* in arrays [sink]; SIM_NONE: elsewhere.  Null: all stand by */
    uint32_t *sender_flows; /* their numbers.  [sender]: and back. */
    uint32_t n_senders, n_sinks;
    struct sim_sender *senders; /* [sender]. */
    struct sim_sink *sinks;     /* [sink]. */
    struct sim_pacer **pacers;  /* [sender]; null: no transport sets limits.  Each is null
                                 * unless its flow is at work. */
    struct sim_turn *turns;     /* [sender]; null: no NIC has many. */
    uint32_t *next_start;       /* [sender]: the flow that starts next at its NIC, or SIM_NONE. */
    struct sim_notifier *notifiers; /* [sink]; null: no transport is notified. */
    struct sim_marks *marks;        /* [sink]; null: no switch marks. */
    struct sim_numbers *numbers;    /* Null: no engine at a NIC deals with flows. */
    uint32_t *keys;                 /* [flow]: what switches hash of it. */
    uint32_t *n_first;       /* [sender]: packets that it had sent at least once when it last went
                              * back; null: no flow retransmits anything. */
    weir_ps *retry_ps;       /* [sender]: when its NIC_RETRY comes, if one is on its way; null: as
                              * n_first. */
    weir_ps *ideal_ps;       /* [flow]: by the first routes to it, where they change; else null. */
    weir_ps *first_rtt_ps;   /* The same of its round trip, at ranks that have one of its ends. */
    weir_ps *started_ps;     /* [sender]. */
    uint32_t *first_after;   /* [flow]: a flow that waits for it; null: none waits at all. */
    uint32_t *next_after;    /* [flow]: another that waits for the same. */
    weir_ps starts_until_ps; /* No flow starts then or later. */
};

/* Routes, as packets look them up. */
struct sim_routing {
    struct topo net;  /* As its switches believe it to be. */
    uint32_t *routes; /* [row][leaf]: route-rows.c. */
    size_t max_routes;
    uint32_t *row_of, n_rows; /* [switch]: its row. */
    uint32_t *dst_leaf;       /* [index among NICs]: where routes lead, */
    uint16_t *dst_port;       /* and its port there. */
    uint32_t *leaf_of;        /* [switch]: its number as a leaf, or SIM_NONE. */
    bool has_paths;           /* Some flow is pinned to one. */
    weir_ps next_change_ps;   /* When routes next change; WEIR_NEVER. */
};

/* The other ranks, and what this one knows of their nodes. */
struct sim_rank_state {
    struct sim_exchange *exchange; /* Null: this process runs alone.  exchange.h */
    struct sim_view *view;         /* At the first of several ranks; else null.  view.h */
    struct sim_ranks live;         /* Where each node is run by itself: live.h. */
    bool is_broken;                /* A rank is gone, */
    struct err why_broken;
};

struct sim {
    struct sim_config config;
    struct model model;
    _Atomic int64_t progress_ps;
    atomic_bool asked_to_stop;
    bool stops[2];            /* Said by the first thread, by parity of the round. */
    struct sim_node *nodes;   /* Those of a thread stand side by side, in the order in which it runs
                               * them. */
    struct sim_place *places; /* [node]. */
    uint32_t n_nodes;         /* Of the network, */
    uint32_t n_here;          /* and of those that this process runs. */
    bool has_cuts;            /* Some link is down, or will be. */
    bool is_plain;            /* No cuts and no captures: what comes is taken without a look. */
    struct sim_thread *threads;
    uint32_t n_threads;
    int window_bits; /* A window is 2^window_bits ps. */
    int port_bits;   /* Of the number of a port. */
    uint32_t ring;   /* Windows that there are logs for, a power of two. */
    struct sim_barrier *barrier;
    uint64_t n_windows;
    weir_ps now_ps;
    weir_ps ran_until_ps; /* The end of the last window. */
    weir_ps set_back_ps;  /* The clock was set back by so much in all; WEIR_NEVER: by more. */
    bool is_over;         /* Before its time: no flow is waited for. */
    bool has_ended;       /* A node that is run by itself: its next report is the last. */
    uint8_t **arrives_as; /* [engines of the model][port][class sent in]; null: the same.  Null
                           * itself if this process runs alone. */
    struct sim_flows flows;
    struct sim_routing routing;
    struct sim_rank_state ranks;
    struct sim_watch *watch; /* Of its own memory: nothing that every packet touches. */
};

/* The thread of a place where another rank runs the node: SIM_ABROAD + that rank. */
#define SIM_ABROAD 0x80000000u

/* Whether this process runs a node. */
static inline bool
sim_is_here(const struct sim *sim, uint32_t node)
{
    return sim->places[node].thread < SIM_ABROAD;
}

static inline uint32_t
sim_rank_of(const struct sim *sim, uint32_t node)
{
    return sim_is_here(sim, node) ? sim_rank(sim) : sim->places[node].thread - SIM_ABROAD;
}

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

static inline uint64_t *
sim_middle_bytes(const struct sim *sim, uint32_t flow)
{
    return &sim->watch->middle_bytes[sim_sink_slot(sim, flow)];
}

static inline struct sim_node *
sim_node_at(const struct sim *sim, uint32_t id)
{
    struct sim_place place = sim->places[id];

    return &sim->threads[place.thread].own[place.local];
}

/* setup-node.c */
void sim_set_node(struct sim *, uint32_t id, struct weir_outbox *);
void sim_free_node(struct sim_node *);

/* slow.c: whether changes of rates fit the links; their first mail; one takes place; how long a
 * frame that waits for a packet takes to have its effect, at least 'longest', on links that become
 * slower; and the lowest rate that a port of the topology has in the run. */
bool sim_slowings_fit(const struct model *, struct err *);
void sim_post_slowings(struct sim *);
void sim_change_rate(struct sim_thread *, struct sim_node *, const struct sim_mail *);
weir_ps sim_slowest_way_ps(const struct sim *, weir_ps longest);
uint64_t sim_least_bps(const struct sim *, uint32_t port);

/* setup-windows.c: so many bits hold the number of any port of a node. */
int sim_port_bits(const struct topo *);

/* live.c: false, with the reason, if the model cannot be run node by node.  And what leaves a node
 * that is run by itself: a packet, a frame; a packet that goes no further. */
bool sim_set_live(struct sim *, struct err *);
void sim_live_send(struct sim_thread *, uint32_t port, const struct sim_packet *, weir_ps now,
                   weir_ps at);
void sim_live_tell(struct sim_thread *, uint32_t port, const struct sim_frame *, weir_ps now,
                   weir_ps at);
void sim_live_lose(const struct sim_thread *, const struct sim_node *, const struct sim_packet *);

/* reference.c: from now on all mail of a thread goes through its heap. */
void sim_use_heap(struct sim_thread *);

/* setup-partition.c: where each node is run, false if the network has too few switches for so many
 * ranks; which ends of flows are here; and the threads. */
bool sim_set_places(struct sim *, struct err *);
void sim_set_ends(struct sim *);
void sim_set_threads(struct sim *);

/* setup-memory.c.  Ends the program if the memory that this process will take is not there. */
void sim_oom_check(const struct sim *);

/* flow-memory.c: memory that a flow takes while it is at work.
 *
 * At the sender: its gate when it starts, and its control's state if that must be kept; all else
 * before the first packet; and all of it back when the flow has ended, except while a probe is on
 * its way, which may write there.  At the receiver: before the first packet that comes out of
 * order, and back with the last. */
struct sim_pacer *sim_pacer_take(const struct sim *, uint32_t flow);
void sim_pacer_give_back(const struct sim *, uint32_t flow);
struct tp_limits sim_limits_at_start(const struct sim *, uint32_t flow);
void sim_gate_take(const struct sim *, uint32_t flow, uint64_t rate_bps, weir_ps now);
void sim_gate_give_back(const struct sim *, uint32_t flow);
void sim_sender_take_memory(const struct sim *, uint32_t flow);
void sim_sender_give_back(const struct sim *, uint32_t flow, weir_ps now);
void sim_sink_take_memory(const struct sim *, uint32_t flow);
void sim_sink_give_back(const struct sim *, uint32_t flow);
bool sim_routes_change(const struct sim *); /* In this run, now or later. */

/* setup-flow.c.  False, with the reason, if a flow waits for one that its sender cannot know of. */
void sim_set_flow(struct sim *, uint32_t flow);
bool sim_set_order(struct sim *, struct err *);

/* flow-numbers.c: where engines at NICs deal with flows, the number of a flow among those that its
 * NIC sends, and back; and the rates that engines hold flows to. */
struct sim_numbers {
    uint32_t *number;    /* [sender]: its own number at its NIC. */
    uint32_t *first;     /* [node]: where its flows stand in 'flows', */
    uint32_t *flows;     /* in order of their numbers there; of nodes here. */
    uint64_t *limit_bps; /* [sender]: WEIR_UNLIMITED: no engine limits it. */
    uint64_t *n_heard;   /* [sender]: messages about it that have come to its NIC. */
};

void sim_set_numbers(struct sim *);
void sim_free_numbers(struct sim_numbers *);
uint64_t sim_numbers_bytes(const struct sim *); /* Memory that they take. */

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

/* Of a flow whose sender is here: what an engine holds it to, and messages about it. */
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

/* keys.c */
void sim_set_keys(struct sim *);

/* node.c */
void sim_node_run(struct sim_thread *, struct sim_node *, const struct sim_mail *);
void sim_node_receive_slow(struct sim_thread *, struct sim_node *, const struct sim_mail *);
void sim_node_refuse(struct sim_thread *, struct sim_node *, const struct sim_mail *);
void sim_node_wake(struct sim_thread *, struct sim_node *, uint32_t port, weir_ps now);
void sim_node_look_at_alarm(struct sim_thread *, struct sim_node *, weir_ps now);

/* Hot: once per packet-hop.  A packet has come; seldom may it be lost, be captured or change class.
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

/* Timers are set often and fire seldom.  One mail is enough, of the given kind and key: if it comes
 * too early, it is sent on.  Whether a timer fires, now that its mail has come. */
void sim_timer_set(struct sim_thread *, struct sim_node *, struct sim_timer *, enum sim_event,
                   uint32_t key, weir_ps at);
bool sim_timer_fires(struct sim_thread *, struct sim_node *, struct sim_timer *, enum sim_event,
                     uint32_t key, weir_ps now);

/* A frame of the pool is to be sent by a port. */
void sim_port_queue_frame(struct sim_thread *, struct sim_node *, uint32_t port, uint32_t frame);
void sim_port_forget_frames(struct sim_thread *, struct sim_node *, uint32_t port);

/* In a run that is not plain: whether what was sent has arrived, and was not lost when its link
 * went down.  'frame' is null for a packet. */
bool sim_arrives_intact(struct sim_thread *, struct sim_node *, const struct sim_mail *,
                        const struct sim_frame *);

/* message.c: one for who sends a flow is on its way, by a port that is to be kicked or SIM_NONE;
 * one for another node is here; one for this node takes effect. */
uint32_t sim_message_to_source(struct sim_thread *, struct sim_node *, const struct weir_emit *,
                               weir_ps now);
void sim_message_pass(struct sim_thread *, struct sim_node *, const struct sim_mail *);
void sim_message_hear(struct sim_thread *, struct sim_node *, const struct sim_mail *);

static inline bool
sim_is_message(const struct sim_frame *f)
{
    return f->to != SIM_NONE;
}

/* Of a message: whether it is for a NIC, about a flow that this sends.  Others are words between
 * the switches of a fabric, and counted nowhere. */
static inline bool
sim_is_to_nic(const struct sim_thread *t, const struct sim_frame *f)
{
    return t->sim->model.topo->nodes[f->to].kind == TOPO_NIC;
}

/* Of mail that is in the pool of frames. */
static inline bool
sim_is_frame_mail(const struct sim_mail *m)
{
    return m->event == SIM_FRAME || m->event == SIM_MESSAGE;
}

/* dead-port.c: a port that is down was to start something; the mail that has ports look at their
 * packets again as routes change. */
void sim_port_is_down(struct sim_thread *, struct sim_node *, uint32_t port, weir_ps now);
void sim_post_reroutes(struct sim *);

/* port.c */
void sim_port_look(struct sim_thread *, struct sim_node *, uint32_t port, weir_ps now);
void sim_port_set_up(struct sim_node *, uint32_t port, bool up);
void sim_port_set_rate(struct sim_node *, uint32_t port, uint64_t rate_bps);

static inline weir_ps
sim_port_wire_ps(const struct sim_node *n, uint32_t port, uint32_t bytes)
{
    uint32_t all = bytes + n->gap_bytes, byte_ps = n->ports[port].byte_ps;
    return byte_ps ? (weir_ps)all * byte_ps : weir_wire_ps(all, n->line_bps[port]);
}

/* result.c: packets that a flow has sent at least once; those that it was to send, UINT32_MAX:
 * without end. */
uint32_t sim_flow_n_first(const struct sim *, uint32_t flow);
uint32_t sim_flow_n_planned(const struct sim *, uint32_t flow);
uint32_t sim_flow_last_bytes(const struct sim *, uint32_t flow); /* Of the last of these. */

/* forward.c: whether a packet of a flow that has a path of its own can be at a switch. */
bool sim_is_on_path(const struct sim *, const struct sim_node *, const struct sim_packet *);

/* result.c: the time of a packet and its answer on an empty path, by the first routes if they
 * change, or as they are now; and how many links a packet
 * crosses; the longest path if there are several. */
weir_ps sim_flow_first_rtt_ps(const struct sim *, uint32_t flow);
weir_ps sim_flow_rtt_ps(const struct sim *, uint32_t flow);
uint32_t sim_flow_n_links(const struct sim *, uint32_t flow);

/* ideal.c: by the routes as they are now. */
weir_ps sim_flow_ideal_now_ps(const struct sim *, uint32_t flow);

/* forward.c: the ports by which a packet may leave a switch.  Who asks draws nothing: a packet that
 * comes later goes where it would have gone. */
struct sim_ways {
    const uint16_t *several; /* Each packet takes any of them; null: there is one, or none. */
    uint32_t only, n;
};

struct sim_ways sim_ways(const struct sim *, uint32_t node, const struct sim_packet *);

/* The port by which a message leaves a switch: towards a NIC as a packet of its flow, towards a
 * switch that has hosts as to these; or SIM_NONE. */
uint32_t sim_message_port(const struct sim *, struct sim_node *, const struct sim_frame *);

static inline uint32_t
sim_way(const struct sim_ways *w, uint32_t i)
{
    return w->several ? w->several[i] : w->only;
}

/* watchdog.c: an engine has set a gate; a timer's mail has come. */
void sim_watchdog_start(struct sim_node *, const struct model_watchdog *);
void sim_watchdog_heard(struct sim_thread *, struct sim_node *, uint32_t slot, weir_ps now);
void sim_watchdog_look(struct sim_thread *, struct sim_node *, uint32_t slot, weir_ps now);
void sim_watchdog_rebase(struct sim_node *, uint32_t slot, weir_ps by_ps);

/* telemetry.c: a track for a flow whose control asks for one; its size; and back; whether none of
 * its probes is on its way, and all threads know; a probe has arrived; a packet that may have been
 * one is lost. */
struct sim_track *sim_track_new(const struct sim *, uint32_t flow);
size_t sim_track_bytes(const struct sim_track *);
void sim_track_free(struct sim_track *);
bool sim_probe_is_gone(const struct sim *, struct sim_probe *, weir_ps now);
bool sim_track_is_idle(const struct sim *, const struct sim_track *, weir_ps now);
void sim_probe_arrived(struct sim_thread *, const struct sim_packet *, weir_ps now);
void sim_probe_lost(struct sim_thread *, const struct sim_packet *, weir_ps now);

/* classes.c: before sim_class_here() is asked of nodes elsewhere. */
void sim_set_classes(struct sim *);
void sim_free_classes(struct sim *);

/* What another rank has to say of probes of flows that are sent here. */
void sim_take_words(struct sim *, const void *words, size_t bytes);

/* way.c: false, with the way, if a flow has packets that would be dropped for want of a class. */
bool sim_check_ways(const struct sim *, struct err *);

/* route-rows.c, reroute.c */
void sim_take_routes(struct sim *); /* As the network's switches believe it to be. */
void sim_set_routes(struct sim *);
const uint32_t *sim_routes_of(const struct sim *, uint32_t node); /* A switch: [leaf]. */
void sim_free_routes(struct sim *);
void sim_reroute(struct sim *, weir_ps now);

/* sojourn.c: a gate, which is not as it was.  And of a flow at a NIC: its next packet waits; it is
 * sent, which the gate of its class knows; its window lets it send again. */
void sim_start_sojourns(const struct sim *, struct sim_node *);
void sim_free_sojourns(struct sim_node *);
void sim_sojourns_gate_changed(struct sim_node *, uint32_t slot, weir_ps now);
void sim_sojourn_of_flow_begun(struct sim_thread *, struct sim_node *, uint32_t flow, weir_ps now);
void sim_sojourn_of_flow_ended(struct sim_thread *, struct sim_node *, const struct sim_packet *,
                               weir_ps now);
void sim_sojourn_of_flow_opened(struct sim_thread *, uint32_t flow, weir_ps now);

/* blame.c: a frame for the peer of a port is on its way. */
void sim_blame(struct sim_thread *, struct sim_node *, uint32_t port, weir_ps now);

/* On real frames packets of others pass, too.  No NIC of the model has sent them, so they are left
 * out where packets are accounted for. */
static inline bool
sim_is_foreign(const struct sim *sim, const struct sim_packet *packet)
{
    return packet->flow >= sim->model.n_flows;
}

static inline void
sim_foreign_is_gone(struct sim_thread *t, const struct sim_packet *packet)
{
    if (sim_is_foreign(t->sim, packet)) {
        t->n_foreign_gone++;
        t->foreign_gone_bytes += packet->bytes;
    }
}

/* note.c */
void sim_note(struct sim_thread *, const struct sim_node *, const struct sim_note *);
/* Of a queue as a whole, if that kind is wanted. */
void sim_note_slot(struct sim_thread *, const struct sim_node *, uint32_t slot, enum sim_note_kind,
                   uint64_t value, weir_ps now);
void sim_note_gate_change(struct sim_thread *, struct sim_node *, uint32_t slot, weir_ps now);
/* The run has ended: pauses that ran out, and after which no peer was heard, get their end. */
void sim_end_spans(struct sim *);

static inline bool
sim_wants_note(const struct sim_thread *t, enum sim_note_kind kind)
{
    return t->sim->config.notes >> kind & 1;
}

/* capture.c.  Of a frame, else null; a frame that is sent is a packet of no flow. */
void sim_capture_sent(struct sim_thread *, const struct sim_node *, uint32_t port,
                      const struct sim_packet *, const struct sim_frame *, weir_ps now);
void sim_capture_received(struct sim_thread *, const struct sim_node *, const struct sim_mail *,
                          const struct sim_frame *);
void sim_start_capture(struct sim *);

/* Tells all that has crossed before 'now', when nothing earlier can come. */
void sim_tell_crossings(struct sim *, weir_ps now);

/* From a node that is run alone, all since the last time; and from it, or from a thread, to who
 * tells them. */
void sim_pack_crossings(struct sim *, struct sim_parcel *);
void sim_unpack_crossings(struct sim *, const void *bytes, size_t n_bytes);

/* conservation.c: whether a node holds as many bytes as its buffer counts; else 'err' says what it
 * does. */
bool sim_node_is_conserved(const struct sim *, const struct sim_node *, struct err *);

/* invariants.c: after a window was run. */
#ifdef SIM_INVARIANTS
void sim_check_window(struct sim_thread *);
#else
static inline void
sim_check_window(struct sim_thread *t)
{
    (void)t;
}
#endif

/* view.c: where other ranks run nodes.  What they have is brought to the first at the end. */
void sim_start_view(struct sim *);
void sim_free_view(struct sim *);
void sim_see_all(struct sim *);

/* deadlock.c: whether one has formed; whether a watchdog has broken the one that stands. */
void sim_look_for_deadlock(struct sim *, weir_ps now);
void sim_check_if_broken(struct sim *);
void sim_deadlock_is_broken(struct sim *, weir_ps at);

/* watch.c: between windows, while all threads wait. */
void sim_watch_between(struct sim *, weir_ps now); /* All that is due by now; */
weir_ps sim_next_due(const struct sim *);          /* and when something next is. */
void sim_watch_end(struct sim *);
void sim_watch_here(struct sim *, weir_ps now); /* The same, but for deadlocks; */
void sim_watch_end_here(struct sim *);          /* and at the end. */
void sim_start_watch(struct sim *);

/* silence.c: at every watch from the middle of the run on, and at the end. */
void sim_note_silence(struct sim *, weir_ps at);

/* shares.c: as sim_fair_shares(), whatever the rates of the flows themselves. */
void sim_link_shares(const struct sim *, const bool *counts, uint64_t *bps);
void sim_sample(struct sim *, weir_ps now);

/* run-out.c: between windows; 'now' is the next time at which something happens. */
void sim_start_run_out(struct sim *);
void sim_free_run_out(struct sim *);
void sim_end_if_run_out(struct sim *, weir_ps now);

/* exchange.c: one swap with the other ranks; false: the run is broken off. */
bool sim_swap(struct sim *, const struct sim_parcel *out, struct sim_parcel *in);

/* epochs.c.  Ranks meet at the border of an epoch: mail is handed over, and all know when the next
 * window is; as many as this rank can then run, due times aside. */
void sim_set_exchange(struct sim *);
void sim_free_exchange(struct sim *);
void sim_meet(struct sim *, weir_ps own_next);
weir_ps sim_epoch_end(const struct sim *, weir_ps next);

/* The start of the window that a time falls into.  The last window of a run is one even if what is
 * in it comes after the end. */
static inline weir_ps
sim_window_start(const struct sim *sim, weir_ps at)
{
    return at >> sim->window_bits << sim->window_bits;
}

/* window.c */
void sim_run_window(struct sim_thread *);

/* events.c: of the node being run, in the window that is run, mail has come or a port wakes. */
void sim_insert_event(struct sim_thread *, uint32_t mail);
void sim_insert_wake(struct sim_thread *, uint32_t port, weir_ps at);
void sim_free_events(struct sim_thread *);

/* outbox.c.  Takes what other threads have posted; and from another rank: one mail with what it
 * carries behind it, and returns how many items these are. */
void sim_post_elsewhere(struct sim_thread *, const struct sim_mail *);
void sim_take_posted_mail(struct sim_thread *);
size_t sim_take_mail(struct sim_thread *, const struct sim_mail *items);

/* mail.c */
void sim_put_off(struct sim_thread *, struct sim_inbox *, uint32_t id);
void sim_grow_chunks(struct sim_thread *);
void sim_free_chunks(struct sim_thread *, struct sim_inbox *);
void sim_far_push(struct sim_log *, const struct sim_mail *);
struct sim_mail sim_far_pop(struct sim_log *);
uint32_t sim_frame_new(struct sim_thread *, const struct weir_frame *);
void sim_frame_free(struct sim_thread *, uint32_t frame);

static inline void
sim_set_busy(struct sim_due *due, uint32_t local)
{
    due->busy[local / 64] |= (uint64_t)1 << local % 64;
    due->is_busy = true;
}

/* Outboxes are written in one half of the rounds and read in the next. */
static inline uint64_t
sim_parity(const struct sim_thread *t)
{
    return t->round & 1;
}

/* A place for one more mail to a node of this thread, if a chunk is free: in the newest of its
 * inbox, or in one more in front of those.  What says that there is something to do is written with
 * the first of a chunk, and stays. */
static inline uint32_t
sim_inbox_place(struct sim_thread *t, struct sim_due *due, uint32_t local)
{
    struct sim_inbox *inbox = &due->inboxes[local];
    uint32_t in_chunk = inbox->n++ % SIM_CHUNK, chunk = inbox->chunk;

    if (!in_chunk) {
        uint32_t before = chunk;
        chunk = t->chunk_free;
        t->chunk_free = t->chunk_next[chunk];
        t->chunk_next[chunk] = before;
        inbox->chunk = chunk;
        sim_set_busy(due, local);
    }
    return chunk * SIM_CHUNK + in_chunk;
}

/* Mostly one chunk was enough. */
static inline void
sim_empty_inbox(struct sim_thread *t, struct sim_inbox *inbox)
{
    if (inbox->n - 1u < SIM_CHUNK) {
        t->chunk_next[inbox->chunk] = t->chunk_free;
        t->chunk_free = inbox->chunk;
    } else {
        sim_free_chunks(t, inbox);
    }
    *inbox = (struct sim_inbox){ SIM_NONE, 0 };
}

static inline struct sim_due *
sim_due_at(const struct sim_thread *t, weir_ps at)
{
    return &t->due[(at >> t->window_bits) & t->ring_mask];
}

/* Puts mail for a node of this thread into its inbox; where it stands in 'mails'. */
static inline uint32_t
sim_put_in_inbox(struct sim_thread *t, const struct sim_mail *m, uint32_t local)
{
    if (t->chunk_free == SIM_NONE) {
        sim_grow_chunks(t);
    }
    uint32_t at = sim_inbox_place(t, sim_due_at(t, m->at), local);
    t->mails[at] = *m;
    return at;
}

/* Hot: once per packet-hop.  Mail that is not for a coming window of a node of this thread takes
 * the slow way, with a copy, so that the fast way needs none. */
static inline void
sim_post(struct sim_thread *t, const struct sim_mail *m)
{
    struct sim_place place = t->places[m->node];
    int64_t ahead = (m->at >> t->window_bits) - t->window;

    if (place.thread == t->id && ahead > 0 && ahead < t->reach) {
        sim_put_in_inbox(t, m, place.local);
    } else {
        struct sim_mail copy = *m;
        sim_post_elsewhere(t, &copy);
    }
}

#endif
