/* The state of a run: struct sim in its parts, and a thread of it.
 *
 * The header of each part declares its contents, known to the files that ARCHITECTURE.md lists
 * ("The parts of the simulator").  A switch or a NIC handles packets by its kind (nodes/), and the
 * core names none; host/host.h is the core's interface for them. */

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
    uint32_t chunk; /* The newest; chunk_next leads to those before it, which are full. */
    uint32_t n;     /* Mails. */
};

struct sim_due {               /* Work of one window. */
    struct sim_inbox *inboxes; /* [local node]. */
    uint64_t *wakes;           /* [first_word + ...]: a bit for each port that wakes. */
    uint64_t *busy;            /* A bit for each node that has either. */
    bool is_busy;              /* Some node is. */
};

struct sim_events { /* Events of the node being run, in order, UINT64_MAX behind them: events.h. */
    uint64_t *next; /* The next of them. */
    uint64_t *items;
    size_t n, max;
};

struct sim_thread {
    struct sim *sim;
    uint32_t id;
    int window_bits, port_bits; /* Copies of members of the sim, for locality. */
    uint32_t ring_mask;
    bool is_large; /* It has enough nodes that prefetching their memory pays. */
    int64_t reach; /* Windows ahead that mail is filed for; the rest goes into the heap. */
    const struct sim_partition *places;
    struct sim_due *due;       /* [window & ring mask]. */
    struct sim_log far;        /* A heap: what comes later than the ring reaches. */
    struct sim_log *out;       /* [thread][parity]: mail for nodes of others. */
    struct sim_abroad *abroad; /* [rank]: what is for those.  Null: there are none. */
    weir_ps abroad_ps;         /* The earliest mail of these nodes. */
    weir_ps epoch_end_ps;      /* Windows that begin before this can be run. */
    uint32_t *nodes, n_nodes;  /* Their numbers, */
    struct sim_node *own;      /* and they themselves: a part of the sim's. */
    struct arena hot, cold;    /* Their memory: what every packet touches, and the rest. */
    uint32_t *busy, n_busy;    /* Its nodes that have something to do in the window. */
    uint32_t *first_word;      /* [local node] and behind: where its ports' bits stand. */
    struct sim_mail *mails;    /* Allocated in chunks, for all inboxes. */
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
    /* Events of the node being run, in order, with UINT64_MAX behind and 'next' at the next: */
    struct sim_events mails_due; /* its mails, */
    struct sim_events wakes_due; /* and its ports that wake. */
    struct sim_events spare;     /* To sort many in. */

    weir_ps next_ps[2]; /* The earliest that is still to come, by parity. */
    uint64_t n_hops, n_run, n_dropped_lossless, n_out_of_order;
    uint64_t n_timeouts;  /* Timeouts that made a flow retransmit. */
    uint64_t n_delivered; /* Packets that have arrived at a NIC, and were drained there. */
    uint64_t n_looked;    /* At places, in builds that hold it to invariants. */
    uint64_t ack_sent_bytes, ack_received_bytes;
    uint64_t n_foreign_gone, foreign_gone_bytes; /* Packets of no flow, dropped or lost: live.h. */
    struct sim_broken first_broken;              /* If n_dropped_lossless is not 0. */
    char apart[64];                              /* Threads do not share a cache line. */
};

/* Where a node is run; apart from the node, as every mail asks for it. */
struct sim_partition {
    uint32_t thread, local;
};

/* The ends of flows that are here. */
struct sim_flows {
    uint32_t *sender_slots; /* [flow]: the index of its end here in arrays [sender], or */
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
    struct topo net;  /* Routes as its switches believe them to be. */
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
    bool stops[2];                /* Said by the first thread, by parity of the round. */
    struct sim_node *nodes;       /* Those of a thread are adjacent, in the order of their runs. */
    struct sim_partition *places; /* [node]. */
    uint32_t n_nodes;             /* In the network, */
    uint32_t n_here;              /* and those that this process runs. */
    bool has_cuts;                /* Some link is down, or will be. */
    bool is_plain;                /* No cuts and no captures: what comes is taken without a look. */
    struct sim_thread *threads;
    uint32_t n_threads;
    int window_bits;             /* A window is 2^window_bits ps. */
    int port_bits;               /* Bits of a port's number. */
    uint32_t ring;               /* Windows that there are logs for, a power of two. */
    struct sim_barrier *barrier; /* While threads run. */
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
    struct sim_watch *watch; /* In memory of its own: packets do not touch it. */
};

/* The thread of a place where another rank runs the node: SIM_ABROAD + that rank. */
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
