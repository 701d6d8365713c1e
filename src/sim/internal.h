/* What the parts of the simulator share.
 *
 *     setup.c     config -> nodes
 *     window.c    threads, windows
 *     mail.c      what will happen, and to whom
 *     node.c      what a node does with an event; what its engines answer
 *     port.c      the wire: frames, packets, when to start the next
 *     oq.c        the switch with a shared memory
 *     nic.c       flows, acknowledgements, sending again, transports
 *     stall.c     NICs that stop draining for a while
 *     reroute.c   routes, and new ones after links have failed
 *     way.c       whether packets that change class have one all their way
 *     queue.c     arbitration: in which order packets leave an output
 *     class.c     scheduling: in which order classes are served
 *     watchdog.c  switches that help themselves out of a pause without end
 *     watch.c     deadlock, samples
 *     note.c      what happened when, for those who ask
 *     capture.c   what crossed which port, for those who ask
 *     result.c    what has become of it
 *
 * Nodes are of a kind, and a kind is a line of a table: what it does when a packet comes, and when
 * one of its ports is free.  Other switches will be other lines.
 *
 * A packet is one small record, in a mail while it flies and in a pool of its node while it waits.
 */

#ifndef SIM_INTERNAL_H
#define SIM_INTERNAL_H

#include <stdatomic.h>
#include <stddef.h>

#include "base/array.h"
#include "sim/sim.h"

#define SIM_NONE    UINT32_MAX
#define SIM_NO_PORT UINT16_MAX

#define SIM_MAX_HOPS  255         /* More are not counted: they fit a byte. */
#define SIM_MANY_WAYS 0x80000000u /* Of a route: a group; routes without a way are SIM_NONE. */

enum sim_event {               /* In the order in which they are run at equal times. */
                 SIM_LINK,     /* A link of this node goes down or up. */
                 SIM_TX,       /* A port may start something. */
                 SIM_FRAME,    /* A control frame takes effect. */
                 SIM_TIMER,    /* Of an engine. */
                 SIM_WATCHDOG, /* A storm may be one by now, or be over. */
                 SIM_FLOW,     /* A flow starts. */
                 SIM_RETRY,    /* A flow waits for an acknowledgement. */
                 SIM_PACE,     /* A timer of a flow's transport. */
                 SIM_STALL,    /* A NIC stops draining, or goes on. */
                 SIM_INPUT,    /* An input can offer its next packet. */
                 SIM_PACKET,   /* The last bit of a packet is here. */
};

enum { SIM_DST_BITS = 24, SIM_MAX_DST = (1 << SIM_DST_BITS) - 1 };

struct sim_packet { /* What a packet is, wherever it is: copied whole. */
    uint32_t flow;
    uint32_t sequence;           /* Of an ACK or NACK: the first that is still missing. */
    uint32_t dst : SIM_DST_BITS; /* Index among NICs. */
    uint32_t n_hops : 8;         /* Switches crossed so far, up to SIM_MAX_HOPS. */
    uint16_t bytes;
    uint8_t cls;
    uint8_t ecn : 2;  /* enum weir_ecn. */
    uint8_t kind : 6; /* enum sim_packet_kind. */
};

_Static_assert(sizeof(struct sim_packet) == 16, "packet");

struct sim_held {             /* A packet that waits at a node. */
    struct sim_packet packet; /* 0 bytes: this record is free. */
    uint32_t next;            /* In a list of its node's. */
    uint16_t in_port, out_port;
    bool waits_behind; /* Another of its input: no output can take it yet. */
} __attribute__((aligned(32)));

_Static_assert(sizeof(struct sim_held) == 32, "held packet");

struct sim_mail { /* 32 bytes: two to a cache line. */
    weir_ps at;
    uint32_t node; /* In an inbox that is known, and this is what the node's kind prepared. */
    uint16_t port;
    uint8_t event;
    bool up; /* SIM_LINK. */
    union {
        struct sim_packet packet; /* SIM_PACKET. */
        uint32_t key; /* SIM_FRAME: in the pool of frames.  SIM_TIMER: of the timer.  SIM_WATCHDOG,
                       * SIM_INPUT: the slot.  SIM_FLOW and other events of flows: the flow. */
    };
};

_Static_assert(sizeof(struct sim_mail) == 32, "mail");

struct sim_queue {
    uint32_t head, tail;
};

struct sim_port {     /* Hot: one cache line. */
    weir_ps busy_ps;  /* The wire is taken until then. */
    weir_ps wake_ps;  /* A SIM_TX is on its way for then; WEIR_NEVER: none. */
    weir_ps delay_ps; /* Of the cable. */
    uint64_t sent_bytes;
    uint64_t n_sent;
    uint32_t byte_ps; /* Time of a byte, if that is a whole number; else 0. */
    uint32_t peer_node;
    uint32_t frames_head, frames_tail; /* Frames to be sent, in the thread's pool. */
    uint16_t peer_port;
    uint8_t active; /* Bit c: packets of class c wait here. */
    uint8_t turn;   /* The class that was served last. */
    bool up, is_captured;
    bool is_plain; /* Up, without losses, not captured: nothing happens to what it sends. */
};

_Static_assert(sizeof(struct sim_port) == 64, "port");

struct sim_frame {
    struct weir_frame frame;
    uint32_t next;
};

struct sim_node;

struct sim_arbitration {
    const char *name;
    size_t (*bytes)(uint32_t n_ports, uint32_t n_classes); /* Of its tables at a switch. */
    void (*init)(struct sim_node *);
    bool (*push)(struct sim_node *, uint32_t out_slot, uint32_t packet); /* Can it go at once? */
    uint32_t (*peek)(struct sim_node *, uint32_t out_slot); /* Of a queue that is not empty. */
    bool (*pop)(struct sim_node *, uint32_t out_slot);      /* What was peeked; is more there? */

    /* Where an input offers one packet at a time: it has sent that; the output slot of the packet
     * that it offers next, or SIM_NONE.  Else null. */
    uint32_t (*free_input)(struct sim_node *, uint32_t in_slot);
};

enum { SIM_MAX_ORDER = WEIR_MAX_CLASSES + 1 };

struct sim_scheduling {
    const char *name;
    /* Which classes to ask, in order, and how many; a class may stand there twice. */
    uint32_t (*order)(const struct sim_node *, uint32_t port, uint8_t *classes);
    void (*served)(struct sim_node *, uint32_t port, uint32_t cls, uint32_t bytes);
};

struct sim_thread;
struct sim_mail;

struct sim_kind { /* Of node. */
    const char *name;

    /* In large networks, some time before mail is run: fetches what it will touch, and puts a
     * number into 'node' of it that does not depend on what happens in the window. */
    void (*prepare)(const struct sim_thread *, const struct sim_node *, struct sim_mail *,
                    uint32_t n);
    void (*arrive)(struct sim_thread *, struct sim_node *, const struct sim_mail *);

    /* Sends what a class of a port has next, and returns 'now'; or when its gates may allow it. */
    weir_ps (*send)(struct sim_thread *, struct sim_node *, uint32_t port, uint32_t cls,
                    weir_ps now);

    const struct sim_kind *by_class; /* The same where packets change class, engine.h. */
};

struct sim_nic_flow { /* A flow at its sender: first what every packet needs. */
    uint64_t sent_bytes;
    uint32_t n_packets;  /* All; UINT32_MAX: endless. */
    uint32_t sequence;   /* The next to be sent, */
    uint32_t n_acked;    /* and how many have arrived for certain. */
    uint32_t last_bytes; /* Of the last packet. */
    uint32_t dst;        /* Index among NICs. */
    uint32_t next;       /* In the ring of its class, */
    bool in_ring;        /* as long as it has something to send. */
    bool is_reliable;
    bool has_gate;    /* It is held back by its own gate, too. */
    bool has_mind;    /* Its transport sets that. */
    weir_ps heard_ps; /* Something new was acknowledged; */
    weir_ps retry_ps; /* a SIM_RETRY is on its way for then; WEIR_NEVER: none. */
    struct weir_gate gate __attribute__((aligned(64)));
};

_Static_assert(sizeof(struct sim_nic_flow) == 128, "flow");

struct sim_pacer { /* What the transport of a flow wants. */
    struct tp_limits limits;
    weir_ps mailed_ps; /* The earliest SIM_PACE on its way. */
    uint64_t state[TP_STATE_MAX / sizeof(uint64_t)];
} __attribute__((aligned(64)));

struct sim_sink { /* A flow at its receiver. */
    uint32_t expected;
    uint32_t n_packets;
    uint16_t n_unacked, ack_every;
    bool is_reliable;
    bool has_complained; /* Of the one expected. */
    bool is_marked;      /* Something that was not acknowledged yet. */
    weir_ps notified_ps; /* The last CNP. */
    uint64_t received_bytes, n_received, discarded_bytes;
    weir_ps first_ps, last_ps;
} __attribute__((aligned(64)));

struct sim_nic_class {
    uint32_t last; /* The flow that was served last, in the ring; SIM_NONE: the ring is empty. */
    struct sim_queue acks;
    struct sim_queue held; /* What came while it did not drain. */
};

struct sim_timer {     /* Of an engine, or of a watchdog. */
    weir_ps at_ps;     /* When it fires; WEIR_NEVER: not set. */
    weir_ps mailed_ps; /* The earliest mail on its way for it; it may be set anew then. */
};

struct sim_hold {                         /* How a gate was held back. */
    weir_ps since_ps, until_ps, total_ps; /* Paused; until_ps 0: not now. */
    uint64_t n_pauses, rate_bps, least_bps;
};

struct sim_watchdog {       /* Of a transmit queue. */
    struct sim_timer timer; /* When it will be a storm, or be over. */
    weir_ps storm_ps;       /* Since when it is one; WEIR_NEVER: it is none. */
    weir_ps asked_ps;       /* In a storm: how long the peer asks it to pause, heeded or not. */
    weir_ps broken_ps;      /* The first storm it acted on since a deadlock was found here, or
                             * WEIR_NEVER. */
    uint64_t n_storms, n_restored, n_dropped;
};

struct sim_node { /* What every packet touches comes first. */
    struct weir_node weir;
    struct sim_port *ports;
    struct sim_held *pool;
    const struct sim_kind *kind;
    void *queues;           /* Of the arbitration; of a NIC: struct sim_nic_class, [class]. */
    const uint32_t *routes; /* [leaf]: the port, or a group of them if SIM_MANY_WAYS is set. */
    uint64_t *peaks;        /* [slot]. */
    uint32_t pool_free, n_pool, max_pool;
    uint32_t leaf; /* Its own number as a leaf, or SIM_NONE. */
    uint32_t id, salt;
    uint32_t n_classes, n_ports;
    bool is_nic, is_watched;
    uint8_t stalled; /* Of a NIC, bit c: it does not drain class c. */
    struct weir_buffer buffer;
    struct weir_shape shape __attribute__((aligned(64)));

    int32_t *deficits;       /* [slot]: bytes a class may still send in its turn. */
    const uint32_t *weights; /* [class]. */
    struct sim_hold *holds;  /* [slot]. */
    uint64_t chance;
    struct sim_timer *timers;       /* [key]. */
    struct sim_watchdog *watchdogs; /* [slot], of a switch that is watched; else null. */
    uint64_t *sums;                 /* [slot]: of samples after the middle of the run. */
    uint64_t *losses;               /* [port]: ratios. */
    uint32_t *costs;                /* [port]: of a byte from there, in wfq's account. */
    weir_ps *up_ps;                 /* [port]: when its link last came up. */
    weir_ps *far_ps;                /* [port]: the earliest mail in the heap that wakes it. */
    struct sim_port_result *results;
    struct weir_port *weir_ports;
    void *memory, *buffer_memory;
};

#define SIM_NODE_HOT_BYTES                                                                         \
    (offsetof(struct sim_node, buffer.plan.classes) +                                              \
     offsetof(struct weir_buffer_class, partition_bytes))

struct sim_log {
    struct sim_mail *items;
    size_t n, max;
    bool carries_frames; /* An outbox: two mails behind that of a frame are its bytes. */
};

/* An event of the node being run, as one number that sorts: its time within the window, its kind,
 * its port in as many bits as the network's ports need, and where its mail stands; all ones: no
 * mail, a port wakes. */
enum { SIM_KIND_BITS = 4, SIM_MAIL_BITS = 24 };

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
    uint64_t n;                /* Mails and bits. */
};

struct sim_thread {
    struct sim *sim;
    uint32_t id;
    int window_bits, port_bits; /* As in the sim, and near. */
    uint32_t ring_mask;
    uint8_t hop_limit; /* SIM_MAX_HOPS if there is none. */
    bool is_large;     /* So many nodes that it pays to fetch ahead what they will touch. */
    int64_t reach;     /* Windows ahead that mail is filed for; the rest goes into the heap. */
    const struct sim_place *places;
    struct sim_due *due; /* [window & ring mask]. */
    struct sim_log far;  /* A heap: what comes later than the ring reaches. */
    struct sim_log *out; /* [thread][parity]: mail for nodes of others. */
    uint32_t *nodes, n_nodes;
    uint32_t *busy, n_busy; /* Its nodes that have something to do in the window. */
    uint32_t *first_word;   /* [local node] and behind: where its ports' bits stand. */
    struct sim_mail *mails; /* In chunks, of all inboxes. */
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
    uint64_t *events; /* and the events of its node being run, in order. */
    size_t n_events, max_events, i_event;

    weir_ps next_ps[2]; /* The earliest that is still to come, by parity. */
    uint64_t n_hops, n_run, n_unroutable, n_broken, n_bad_order;
    uint64_t ack_sent_bytes, ack_received_bytes;
    char apart[64]; /* Threads do not share a cache line. */
};

/* Where a node is run; apart from the node, as every mail asks for it. */
struct sim_place {
    uint32_t thread, local;
};

struct sim {
    struct sim_config config;
    _Atomic int64_t progress_ps;
    atomic_bool asked_to_stop;
    bool stops[2]; /* Said by the first thread, by parity of the round. */
    const struct sim_arbitration *arbitration;
    const struct sim_scheduling *scheduling;
    const struct sim_kind *switch_kind;
    struct sim_node *nodes;
    struct sim_place *places; /* [node]. */
    uint32_t n_nodes;
    bool tells_queued; /* Some engine wants to know. */
    bool has_paths;    /* Some flow is pinned to one. */
    bool has_cuts;     /* Some link is down, or will be. */
    bool is_plain;     /* No cuts and no captures: what comes is taken without a look. */
    struct sim_thread *threads;
    uint32_t n_threads;
    int window_bits;  /* A window is 2^window_bits ps. */
    int port_bits;    /* Of the number of a port. */
    uint32_t ring;    /* Windows that there are logs for, a power of two. */
    struct topo net;  /* As its switches believe it to be. */
    uint32_t *routes; /* [switch][leaf]. */
    uint32_t *nic_leaf;
    uint16_t *nic_port; /* At its leaf. */
    struct sim_nic_flow *nic_flows;
    struct sim_sink *sinks;   /* [flow]. */
    struct sim_pacer *pacers; /* [flow]; null: no transport has a mind. */
    weir_ps *ideal_ps;        /* [flow]: by the first routes to it, where they change; else null. */
    weir_ps *started_ps;      /* [flow]. */
    uint32_t *first_after;    /* [flow]: a flow that waits for it; null: none waits at all. */
    uint32_t *next_after;     /* [flow]: another that waits for the same. */
    struct weir_text warning;
    weir_ps watch_ps, next_watch_ps, next_sample_ps;
    weir_ps next_reroute_ps;
    weir_ps ran_until_ps;   /* The end of the last window. */
    struct sim_note *notes; /* Of all threads, in order, as last asked for. */
    size_t n_notes, max_notes;
    struct sim_crossing *crossings; /* The same of crossings, as far as they were not told. */
    size_t n_crossings, max_crossings;
    weir_ps capture_ps, next_capture_ps; /* So often they are told; WEIR_NEVER: not at all. */
    weir_ps middle_ps;                   /* 0: not there yet. */
    uint64_t n_samples;
    uint64_t *middle_bytes;       /* [flow]: received at the middle of the run. */
    struct sim_deadlock deadlock; /* The first, */
    struct sim_deadlock standing; /* and the last, unless a watchdog has broken it. */
    uint64_t n_windows;
    weir_ps now_ps;
    struct sim_barrier *barrier;
};

extern const struct sim_arbitration sim_arbitration_table[];
extern const struct sim_scheduling sim_scheduling_table[];
extern const struct sim_kind sim_switch_table[];
extern const struct sim_kind sim_nic, sim_stalled_nic;

/* node.c */
void sim_node_run(struct sim_thread *, struct sim_node *, const struct sim_mail *);
void sim_node_wake(struct sim_thread *, struct sim_node *, uint32_t port, weir_ps now);
void sim_node_obey_all(struct sim_thread *, struct sim_node *, weir_ps now);

/* Timers are set often and fire seldom.  One mail is enough, of the given kind and key: if it comes
 * too early, it is sent on.  Whether a timer fires, now that its mail has come. */
void sim_timer_set(struct sim_thread *, struct sim_node *, struct sim_timer *, enum sim_event,
                   uint32_t key, weir_ps at);
bool sim_timer_fires(struct sim_thread *, struct sim_node *, struct sim_timer *, enum sim_event,
                     uint32_t key, weir_ps now);

/* Obeys the outbox.    Hot: twice a packet-hop, and seldom is there anything. */
static inline void
sim_node_obey(struct sim_thread *t, struct sim_node *n, weir_ps now)
{
    if (t->outbox.n) {
        sim_node_obey_all(t, n, now);
    }
}

/* port.c */
void sim_port_start(struct sim_thread *, struct sim_node *, uint32_t port, weir_ps now);
void sim_port_look(struct sim_thread *, struct sim_node *, uint32_t port, weir_ps now);
void sim_port_wake_at(struct sim_thread *, struct sim_node *, uint32_t port, weir_ps at);
void sim_port_send(struct sim_thread *, struct sim_node *, uint32_t port, const struct sim_packet *,
                   weir_ps now);
void sim_port_set_up(struct sim_node *, uint32_t port, bool up);

static inline weir_ps
sim_port_wire_ps(const struct sim_node *n, uint32_t port, uint32_t bytes)
{
    uint32_t all = bytes + n->shape.gap_bytes, byte_ps = n->ports[port].byte_ps;
    return byte_ps ? (weir_ps)all * byte_ps : weir_wire_ps(all, n->weir_ports[port].rate_bps);
}

/* Starts the next thing at a port, now or when its wire is free. */
static inline void
sim_port_kick(struct sim_thread *t, struct sim_node *n, uint32_t port, weir_ps now)
{
    const struct sim_port *p = &n->ports[port];
    if (p->busy_ps <= now) {
        sim_port_start(t, n, port, now);
    } else if (p->wake_ps != p->busy_ps) {
        sim_port_wake_at(t, n, port, p->busy_ps);
    }
}

/* nic.c */
void sim_nic_start_flow(struct sim_thread *, struct sim_node *, uint32_t flow, weir_ps now);
void sim_nic_retry(struct sim_thread *, struct sim_node *, uint32_t flow, weir_ps now);
void sim_nic_pace(struct sim_thread *, struct sim_node *, uint32_t flow, weir_ps now);
void sim_nic_take(struct sim_thread *, struct sim_node *, const struct sim_packet *, weir_ps now);

/* stall.c */
void sim_stall(struct sim_thread *, struct sim_node *, weir_ps now);
void sim_stalled_arrive(struct sim_thread *, struct sim_node *, const struct sim_mail *);

/* result.c: the time of a packet and its answer on an empty path. */
weir_ps sim_flow_rtt_ps(const struct sim *, uint32_t flow);

/* By the routes as they are now. */
weir_ps sim_flow_ideal_now_ps(const struct sim *, uint32_t flow);

/* oq.c: the port by which a packet of a flow leaves a switch, or SIM_NONE. */
uint32_t sim_route(const struct sim *, const struct sim_node *, uint32_t flow, uint32_t dst,
                   uint32_t n_hops);
void sim_oq_free_input(struct sim_thread *, struct sim_node *, uint32_t in_slot, weir_ps now);

/* There is no room for a packet. */
void sim_refuse(struct sim_thread *, struct sim_node *, const struct sim_mail *,
                enum weir_admission);

/* Drops the next packet of a transmit queue. */
void sim_oq_discard(struct sim_thread *, struct sim_node *, uint32_t slot, weir_ps now);

/* watchdog.c: an engine has set a gate; a packet stands at a queue, and its port may start; a
 * timer's mail has come. */
void sim_watchdog_start(struct sim_node *);
void sim_watchdog_heard(struct sim_thread *, struct sim_node *, uint32_t slot, weir_ps now);
void sim_watchdog_queued(struct sim_thread *, struct sim_node *, uint32_t slot, weir_ps now);
void sim_watchdog_look(struct sim_thread *, struct sim_node *, uint32_t slot, weir_ps now);

/* way.c: false, with the way, if a flow has packets that would be dropped for want of a class. */
bool sim_check_ways(const struct sim *, struct err *);

/* reroute.c */
void sim_set_routes(struct sim *);
void sim_free_routes(struct sim *);
void sim_reroute(struct sim *, weir_ps now);

/* queue.c */
void sim_append(struct sim_node *, struct sim_queue *, uint32_t packet);
uint32_t sim_take(struct sim_node *, struct sim_queue *);

/* note.c */
void sim_note(struct sim_thread *, const struct sim_node *, const struct sim_note *);
/* Of a queue as a whole, if that kind is wanted. */
void sim_note_slot(struct sim_thread *, const struct sim_node *, uint32_t slot, enum sim_note_kind,
                   uint64_t value, weir_ps now);
void sim_hold_change(struct sim_thread *, struct sim_node *, uint32_t slot, weir_ps now);

static inline bool
sim_wants_note(const struct sim_thread *t, enum sim_note_kind kind)
{
    return t->sim->config.notes >> kind & 1;
}

/* capture.c.  Of a frame, else null; a frame that is sent is a packet of no flow. */
void sim_capture_sent(struct sim_thread *, const struct sim_node *, uint32_t port,
                      const struct sim_packet *, const struct weir_frame *, weir_ps now);
void sim_capture_received(struct sim_thread *, const struct sim_node *, const struct sim_mail *,
                          const struct weir_frame *);
void sim_start_capture(struct sim *);

/* Tells all that has crossed before 'now', when nothing earlier can come. */
void sim_tell_crossings(struct sim *, weir_ps now);

/* watch.c: between windows, while all threads wait. */
void sim_watch(struct sim *, weir_ps now);
void sim_watch_end(struct sim *);
void sim_start_watch(struct sim *);
void sim_sample(struct sim *, weir_ps now);

/* window.c */
bool sim_is_asked_to_stop(const struct sim *);
void sim_insert_event(struct sim_thread *, uint32_t mail);

/* mail.c */
void sim_post_slowly(struct sim_thread *, const struct sim_mail *);
void sim_take_over(struct sim_thread *);
void sim_add_chunk(struct sim_thread *, struct sim_inbox *);
void sim_empty_inbox(struct sim_thread *, struct sim_inbox *);
void sim_far_push(struct sim_log *, const struct sim_mail *);
struct sim_mail sim_far_pop(struct sim_log *);
uint32_t sim_frame_new(struct sim_thread *, const struct weir_frame *);
void sim_frame_free(struct sim_thread *, uint32_t frame);

/* Outboxes are written in one half of the rounds and read in the next. */
static inline uint64_t
sim_parity(const struct sim_thread *t)
{
    return t->round & 1;
}

/* Puts mail for a node of this thread into its inbox; where it stands in 'mails'. */
static inline uint32_t
sim_file(struct sim_thread *t, const struct sim_mail *m, uint32_t local)
{
    struct sim_due *due = &t->due[(m->at >> t->window_bits) & t->ring_mask];
    struct sim_inbox *inbox = &due->inboxes[local];

    if (inbox->n % SIM_CHUNK == 0) {
        sim_add_chunk(t, inbox);
    }
    uint32_t at = inbox->chunk * SIM_CHUNK + inbox->n++ % SIM_CHUNK;
    t->mails[at] = *m;
    due->busy[local / 64] |= (uint64_t)1 << local % 64;
    due->n++;
    return at;
}

/* Hot: once a packet-hop.  Mail that is not for a coming window of a node of this thread takes the
 * slow way, with a copy, so that the fast way needs none. */
static inline void
sim_post(struct sim_thread *t, const struct sim_mail *m)
{
    struct sim_place place = t->places[m->node];
    int64_t ahead = (m->at >> t->window_bits) - t->window;

    if (place.thread == t->id && ahead > 0 && ahead < t->reach) {
        sim_file(t, m, place.local);
    } else {
        struct sim_mail copy = *m;
        sim_post_slowly(t, &copy);
    }
}

/* A place in the pool of packets that wait at a node; and back. */
uint32_t sim_pool_grow(struct sim_node *);

static inline uint32_t
sim_packet_new(struct sim_node *n)
{
    uint32_t i = n->pool_free;
    if (i == SIM_NONE) {
        return sim_pool_grow(n);
    }
    n->pool_free = n->pool[i].next;
    return i;
}

static inline void
sim_packet_free(struct sim_node *n, uint32_t packet)
{
    n->pool[packet].packet.bytes = 0;
    n->pool[packet].next = n->pool_free;
    n->pool_free = packet;
}

#endif
