/* The state of a run: struct sim with its parts, and the state of a thread.
 *
 * The header of each part declares what it contains.  ARCHITECTURE.md lists which files may use it
 * ("The parts of the simulator").  Kinds of switches and NICs (nodes/) handle packets.  The core
 * names no kind; host/host.h is its interface for them. */

#ifndef SIM_RUN_STATE_H
#define SIM_RUN_STATE_H

#include <stdatomic.h>
#include <stddef.h>

#include "base/arena.h"
#include "sim/host/host.h"
#include "sim/ranks.h"
#include "sim/sim.h"

struct sim_log {
    struct sim_mail *items;
    size_t n, max;
};

struct sim_inbox {
    uint32_t chunk; /* The newest chunk; chunk_next leads to the earlier chunks, which are full. */
    uint32_t n;     /* The number of items of mail. */
};

struct sim_due {               /* The work of one window. */
    struct sim_inbox *inboxes; /* [local node]. */
    uint64_t *wakes;           /* [word]: one bit for each port that wakes; the bits of a node begin
                                * at its first_word. */
    uint64_t *busy;            /* A bit for each node that has mail or a port that wakes. */
    bool is_busy;              /* At least one node has work. */
};

struct sim_events { /* The events of the node being run, sorted, with UINT64_MAX after the last one:
                     * events.h. */
    uint64_t *next; /* The next event. */
    uint64_t *items;
    size_t n, max;
};

struct sim_thread {
    struct sim *sim;
    uint32_t id;
    int window_bits, port_bits; /* Copies of members of the sim, for locality. */
    uint32_t ring_mask;
    bool is_large; /* The thread has so many nodes that prefetching their memory makes it faster. */
    int64_t reach; /* The number of coming windows that have inboxes; later mail goes into the
                    * heap. */
    const struct sim_partition *places;
    struct sim_due *due;       /* The coming windows, in a circular array: [window & ring_mask]. */
    struct sim_log far;        /* A heap of mail for windows later than those of 'due'. */
    struct sim_log *out;       /* [thread][parity]: mail for nodes of other threads. */
    struct sim_abroad *abroad; /* [rank]: output for other ranks.  Null: there are no other
                                * ranks. */
    weir_ps abroad_ps;         /* The time of the earliest mail for nodes of other ranks. */
    weir_ps epoch_end_ps;      /* Windows that begin before this time can be run. */
    uint32_t *nodes, n_nodes;  /* The numbers of the nodes of this thread. */
    struct sim_node *own;      /* The nodes of this thread, a part of sim->nodes. */
    struct arena hot, cold;    /* The memory of these nodes: data that every packet uses, and the
                                * rest. */
    uint32_t *busy, n_busy;    /* Its nodes that have work in the window. */
    uint32_t *first_word;      /* [local node]: the index of the first word with bits of its ports;
                                * the last entry is the number of words. */
    struct sim_mail *mails;    /* The mail of all inboxes, allocated in chunks. */
    uint32_t *chunk_next, chunk_free, max_chunks;
    struct sim_note *notes;
    size_t n_notes, max_notes;
    struct sim_crossing *crossings;
    size_t n_crossings, max_crossings;
    struct sim_frame *frames;
    size_t n_frames, max_frames;
    uint32_t frames_free;
    struct weir_outbox outbox;
    struct program_out sends; /* Messages that a rank of a job sends now. */

    uint64_t round; /* The number of windows that the thread has run. */
    int64_t window; /* The window being run. */
    weir_ps start_ps;
    uint64_t limit; /* The first event that is not run, because the run ends before it. */
    /* The events of the node being run, sorted. */
    struct sim_events mails_due; /* The mail of that node. */
    struct sim_events wakes_due; /* The ports of that node that wake. */
    struct sim_events spare;     /* Working memory for sorting many events. */

    weir_ps next_ps[2]; /* The earliest window that is still to be run, by parity. */
    uint64_t n_hops, n_run, n_dropped_lossless, n_out_of_order;
    uint64_t n_timeouts;  /* Timeouts that made a flow retransmit. */
    uint64_t n_delivered; /* Packets that have arrived at a NIC and were consumed there. */
    uint64_t n_looked;    /* The number of items checked, in builds with invariants. */
    uint64_t ack_sent_bytes, ack_received_bytes;
    uint64_t n_foreign_gone, foreign_gone_bytes; /* Foreign packets that were dropped or lost:
                                                  * live.h. */
    struct sim_broken first_broken;              /* Valid if n_dropped_lossless is not 0. */
    char apart[64];                              /* Padding, so that threads share no cache line. */
};

/* The thread that runs a node, and the node's index there.  It is stored apart from the node,
 * because all mail needs it. */
struct sim_partition {
    uint32_t thread, local;
};

/* The ends of flows on this rank. */
struct sim_flows {
    uint32_t *sender_slots; /* [flow]: the index of its sender on this rank, in arrays [sender];
                             * SIM_NONE: another rank has it. Null: the index is the number of the
                             * flow. */
    uint32_t *sink_slots;   /* [flow]: the index of its receiver on this rank, in arrays [sink], in
                             * the same form. */
    uint32_t *sender_flows; /* [sender]: its flow; null: the index is the number of the flow. */
    uint32_t n_senders, n_sinks;
    struct sim_sender *senders; /* [sender]. */
    struct sim_sink *sinks;     /* [sink]. */
    struct sim_pacer **pacers;  /* [sender]; null: no transport sets limits.  An entry is null
                                 * unless its flow is active. */
    struct sim_turn *turns;     /* [sender]; null: no NIC has many flows. */
    uint32_t *next_start;       /* [sender]: the flow that starts next at its NIC, or SIM_NONE. */
    struct sim_notifier *notifiers; /* [sink]; null: no transport uses CNPs. */
    struct sim_marks *marks;        /* [sink]; null: no switch marks. */
    struct sim_numbers *numbers;    /* Null: no engine at a NIC handles flows. */
    uint32_t *keys;                 /* [flow]: the key that switches hash. */
    uint32_t *n_first;       /* [sender]: the number of packets that the flow had sent at least once
                              * when it last went back; null: no flow retransmits. */
    weir_ps *retry_ps;       /* [sender]: the time of its NIC_RETRY mail, if one is on its way;
                              * null: no flow retransmits. */
    weir_ps *ideal_ps;       /* [flow]: the ideal time with the routes at the start, if routes
                              * change; else null. */
    weir_ps *first_rtt_ps;   /* [flow]: the round-trip time with the routes at the start, at ranks
                              * that have an end of the flow; null: routes do not change. */
    weir_ps *started_ps;     /* [sender]. */
    uint8_t *out_ports;      /* [sender]: sim_out_port(); null: no NIC has several ports. */
    uint32_t *first_after;   /* [flow]: the first flow that waits for this one; null: no flow waits
                              * for another. */
    uint32_t *next_after;    /* [flow]: the next flow that waits for the same flow. */
    weir_ps starts_until_ps; /* No flow starts at this time or later. */
    struct sim_outgoing *outgoing; /* [sender]; null: there are no connections. */
    struct sim_incoming *incoming; /* [sink]; null: there are no connections. */
};

/* The ranks of jobs: connection-ends.h. */
struct sim_jobs {
    struct sim_member *members; /* One for each rank of each job, job by job. */
    uint32_t *first;            /* [job]: its first member. */
    uint32_t n_members;
};

/* The routes that packets look up. */
struct sim_routing {
    struct topo net;  /* The network with the routes that the switches know. */
    uint32_t *routes; /* [row][leaf]: route-rows.c. */
    size_t max_routes;
    uint32_t *row_of, n_rows; /* [switch]: its row. */
    uint32_t *dst_leaf;       /* [index among NICs]: the leaf to which its routes lead. */
    uint16_t *dst_port;       /* [index among NICs]: the port of its switch that leads to it. */
    uint32_t *leaf_of;        /* [switch]: its number as a leaf, or SIM_NONE. */
    bool has_paths;           /* The scenario sets the path of some flow. */
    weir_ps next_change_ps;   /* When routes next change, or WEIR_NEVER. */
};

/* The state of other ranks, and what this rank knows of their nodes. */
struct sim_rank_state {
    struct sim_exchange *exchange; /* Null: this process runs alone.  See exchange.h. */
    struct sim_view *view;         /* At the first of several ranks; else null.  See view.h. */
    struct sim_ranks live;         /* Used if each node is run alone: live.h. */
    bool is_broken;                /* A rank has failed. */
    struct err why_broken;
};

struct sim {
    struct sim_config config;
    struct model model;
    _Atomic int64_t progress_ps;
    atomic_bool asked_to_stop;
    bool stops[2];                /* Whether the run stops, set by the first thread, by parity of
                                   * the round. */
    struct sim_node *nodes;       /* The nodes of a thread are adjacent, in the order in which they
                                   * run. */
    struct sim_partition *places; /* [node]. */
    uint32_t n_nodes;             /* The number of nodes in the network. */
    uint32_t n_here;              /* The number of nodes that this process runs. */
    bool has_cuts;                /* A link is down, or will be. */
    bool is_plain;                /* There are no cuts and no captures, so packets arrive without a
                                   * check. */
    struct sim_thread *threads;
    uint32_t n_threads;
    int window_bits;             /* A window is 2^window_bits ps. */
    int port_bits;               /* The number of bits of a port's number. */
    uint32_t ring;               /* The number of windows that have inboxes, a power of two. */
    struct sim_barrier *barrier; /* The barrier, while threads run. */
    uint64_t n_windows;
    weir_ps now_ps;
    weir_ps ran_until_ps; /* The end of the last window. */
    weir_ps set_back_ps;  /* The total time by which the clock was set back; WEIR_NEVER: more than
                           * fits. */
    bool is_over;         /* The run ends early, because all flows and jobs for which it waits have
                           * ended. */
    bool has_ended;       /* For a node that is run alone: its next report is the last. */
    uint8_t **arrives_as; /* [engines of the model][port][class of the sender]; a null entry: the
                           * class stays the same.  Null if this process runs alone. */
    struct sim_flows flows;
    struct sim_jobs jobs;
    struct sim_routing routing;
    struct sim_rank_state ranks;
    struct sim_watch *watch; /* In separate memory, because packets do not use it. */
};

/* For a node that another rank runs, 'thread' is SIM_ABROAD plus that rank. */
#define SIM_ABROAD 0x80000000u

/* Whether this process runs a node. */
static inline bool
sim_is_here(const struct sim *sim, uint32_t node)
{
    return sim->places[node].thread < SIM_ABROAD;
}

static inline struct sim_node *
sim_node_at(const struct sim *sim, uint32_t id)
{
    struct sim_partition place = sim->places[id];

    return &sim->threads[place.thread].own[place.local];
}

#endif
