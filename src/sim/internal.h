/* What the parts of the simulator share.
 *
 *     setup.c     config -> nodes
 *     window.c    threads, windows, mail
 *     node.c      what a node does with an event
 *     queue.c     arbitration: in which order packets leave an output
 *     watch.c     deadlock
 *     result.c    what happened
 *
 * A packet is a small record: in a pool of its node while it waits, in a mail while it flies. */

#ifndef SIM_INTERNAL_H
#define SIM_INTERNAL_H

#include <stdatomic.h>
#include <stddef.h>

#include "sim/sim.h"

#define SIM_NONE UINT32_MAX

enum sim_event {             /* In the order in which they are run at equal times. */
                 SIM_LINK,   /* A link of this node goes down or up. */
                 SIM_TX,     /* A port may start something. */
                 SIM_FRAME,  /* A control frame takes effect. */
                 SIM_TIMER,  /* Of an engine. */
                 SIM_FLOW,   /* A flow starts. */
                 SIM_PACKET, /* The last bit of a packet is here. */
};

struct sim_packet {
    uint32_t flow;
    uint32_t sequence;
    uint32_t dst;  /* Index among NICs. */
    uint32_t next; /* In a list of its node's. */
    uint32_t bytes;
    uint16_t in_port;
    uint16_t out_port;
    uint8_t cls, ecn;
    uint8_t n_hops;
};

struct sim_mail { /* 32 bytes: two to a cache line. */
    weir_ps at;
    uint32_t node;
    uint16_t port;
    uint8_t event;
    uint8_t cls; /* SIM_PACKET; SIM_LINK: up. */
    uint32_t a;  /* SIM_PACKET: flow.  SIM_FRAME: in the pool.  SIM_TIMER: key.  SIM_FLOW: flow. */
    uint32_t sequence;
    uint32_t dst;
    uint16_t bytes;
    uint8_t ecn, n_hops;
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
    uint32_t n_sent;
    uint32_t byte_ps; /* Time of a byte, if that is a whole number; else 0. */
    uint32_t peer_node;
    uint32_t frames_head, frames_tail; /* Frames to be sent, in the thread's pool. */
    uint16_t peer_port;
    uint8_t active; /* Bit c: packets of class c wait here. */
    uint8_t turn;   /* The class that was served last. */
    bool up, is_lossy;
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
    void (*push)(struct sim_node *, uint32_t out_slot, uint32_t packet);
    uint32_t (*peek)(struct sim_node *, uint32_t out_slot); /* Of a queue that is not empty. */
    bool (*pop)(struct sim_node *, uint32_t out_slot);      /* What was peeked; is more there? */
};

struct sim_nic_flow { /* A flow at its sender. */
    uint64_t left_bytes;
    uint64_t sent_bytes;
    weir_ps next_ps; /* A paced flow's next packet. */
    uint32_t sequence;
    uint32_t next; /* In the ring of its class. */
};

struct sim_node {
    struct weir_node weir;
    struct sim_port *ports;
    struct weir_buffer buffer;
    struct sim_packet *pool;
    uint32_t pool_free, n_pool, max_pool;
    void *queues;           /* Of the arbitration; of a NIC: the last flow of each class's ring. */
    const uint32_t *routes; /* [leaf]: group. */
    uint32_t leaf;          /* Its own number as a leaf, or SIM_NONE. */
    uint32_t id;
    uint32_t n_ports, n_classes;
    uint32_t salt;
    bool is_nic;
    uint64_t chance;
    weir_ps *timers;
    uint64_t *sums;   /* [slot]: of samples after the middle of the run. */
    uint64_t *peaks;  /* [slot]. */
    uint64_t *losses; /* [port]: ratios. */
    weir_ps *up_ps;   /* [port]: when its link last came up. */
    struct sim_port_result *results;
    struct weir_shape shape;
    struct weir_port *weir_ports;
    void *memory, *buffer_memory;
};

struct sim_log {
    struct sim_mail *items;
    size_t n, max;
    bool carries_frames; /* An outbox: two mails behind that of a frame are its bytes. */
};

struct sim_ordered {
    uint64_t key; /* Time, kind and port; */
    uint32_t tie; /* which timer or flow, where that is not enough. */
    uint32_t mail;
};

struct sim_thread {
    struct sim *sim;
    uint32_t id;
    struct sim_log *logs; /* [window & ring mask]. */
    struct sim_log far;   /* A heap: what comes later than the ring reaches. */
    struct sim_log *out;  /* [thread][parity]: mail for nodes of others. */
    uint32_t *nodes, n_nodes;
    uint32_t *first; /* [local node]: where its mails stand in 'order'. */
    uint32_t *order;
    size_t max_order;
    struct sim_frame *frames;
    size_t n_frames, max_frames;
    uint32_t frames_free;
    struct weir_outbox outbox;

    uint64_t round; /* How many windows it has run. */
    int64_t window; /* The one being run; */
    weir_ps start_ps;
    struct sim_ordered *events; /* and the events of its node being run, in order. */
    size_t n_events, max_events, i_event;

    weir_ps next_ps[2]; /* The earliest that is still to come, by parity. */
    uint64_t n_hops, n_run, n_unroutable, n_broken;
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
    struct sim_node *nodes;
    struct sim_place *places; /* [node]. */
    uint32_t n_nodes;
    bool tells_queued; /* Some engine wants to know. */
    bool has_paths;    /* Some flow is pinned to one. */
    struct sim_thread *threads;
    uint32_t n_threads;
    int window_bits; /* A window is 2^window_bits ps. */
    uint32_t ring;   /* Windows that the logs reach, a power of two. */
    uint32_t *nic_leaf;
    uint16_t *nic_port; /* At its leaf. */
    struct sim_nic_flow *nic_flows;
    struct sim_flow_result *flow_results;
    uint32_t *flow_expected; /* The next sequence number at the receiver. */
    uint64_t *bad_order;     /* [thread]. */
    struct weir_text warning;
    weir_ps watch_ps, next_watch_ps;
    weir_ps middle_ps; /* 0: not there yet. */
    uint64_t n_samples;
    uint64_t *middle_bytes; /* [flow]: received at the middle of the run. */
    struct sim_deadlock deadlock;
    uint64_t n_windows;
    weir_ps now_ps;
    bool plainly; /* sim_run_plainly(): all mail stands in the heap. */
    struct sim_barrier *barrier;
};

extern const struct sim_arbitration sim_arbitration_table[];

/* node.c */
void sim_node_run(struct sim_thread *, struct sim_node *, const struct sim_mail *);
void sim_node_obey(struct sim_thread *, struct sim_node *, weir_ps now);
void sim_nic_start_flow(struct sim_thread *, struct sim_node *, uint32_t flow, weir_ps now);

/* The port by which a packet of a flow leaves a switch, or SIM_NONE. */
uint32_t sim_route(const struct sim *, const struct sim_node *, uint32_t flow, uint32_t dst,
                   uint32_t n_hops);

/* watch.c: between windows, while all threads wait. */
void sim_watch(struct sim *, weir_ps now);
weir_ps sim_watch_interval(const struct sim *);

/* window.c */
void sim_post(struct sim_thread *, const struct sim_mail *);
uint32_t sim_frame_new(struct sim_thread *, const struct weir_frame *);
void sim_frame_free(struct sim_thread *, uint32_t frame);
uint32_t sim_packet_new(struct sim_node *);

#endif
