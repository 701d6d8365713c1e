/* Calls that the core offers to the kinds of nodes.
 *
 * A kind (nodes/) sees this and nothing else of the core, so that the core around it can change.
 * The core may be windows and threads, one node alone whose wires are outside (sim/live.h), or a
 * plain event loop.  In return the core calls units_start() and units_stop() (nodes/handles.h) for
 * each node, sets 'tells_queued' where engines ask for units of outputs, and carries messages.
 *
 * No call goes through a pointer for it, and small ones are inlined
 * (doc/decisions/0016-core-and-nodes.md, 0070-one-core-for-real-frames.md). */

#ifndef SIM_HOST_H
#define SIM_HOST_H

#include "sim/nodes/kind.h"
#include "sim/nodes/packets.h"
#include "sim/nodes/salt.h"
#include "weir/node.h"

struct sim_port {     /* Hot: one cache line. */
    weir_ps busy_ps;  /* The wire is taken until then. */
    weir_ps wake_ps;  /* A SIM_TX is on its way for then; WEIR_NEVER: none. */
    weir_ps delay_ps; /* The delay of the cable. */
    uint64_t sent_bytes;
    uint64_t n_sent;
    uint32_t byte_ps; /* Time of a byte, if that is a whole number; else 0. */
    uint32_t peer_node;
    uint32_t peer_local;  /* Its place in this thread; SIM_NONE: another runs it. */
    uint32_t frames_head; /* Frames to be sent, in the thread's pool. */
    uint16_t peer_port;
    uint8_t active; /* Bit c: packets of class c wait here. */
    uint8_t turn;   /* The class that was served last. */
    bool up, is_captured;
    bool is_plain; /* Up, without losses, not captured: its packets arrive unchanged. */
    bool is_swift; /* And its 'byte_ps' and 'peer_local' are there: mail is written at once. */
};

_Static_assert(sizeof(struct sim_port) == 64, "port");

struct sim_hold;
struct sim_port_result;
struct sim_sojourns;
struct sim_timer;
struct sim_units;
struct sim_watchdog;
struct model_watchdog;

/* The queues of a (port, class) so far, at its input and at its output; as large as a slot of the
 * buffer, so that both are found by one shift. */
struct sim_past {
    uint64_t in_peak_bytes, out_peak_bytes;
    uint64_t in_sum_bytes,
        out_sum_bytes; /* Used by the core: for samples after the middle of the run. */
};

struct sim_node { /* State that every packet touches comes first. */
    struct weir_node weir;
    struct sim_port *ports;
    struct sim_held *pool;       /* Packets that wait here. */
    const struct sim_kind *kind; /* The core's. */
    void *own;                   /* The state of the kind. */
    const struct sim_arbitration *arbitration;
    void *queues;                              /* The state of the arbitration. */
    const struct sim_path_choice *path_choice; /* The core's. */
    const void *path_params;
    const uint32_t *routes; /* The core's, [leaf]: the port, or a group of them if SIM_ROUTE_GROUP
                             * is set. */
    const uint32_t *flow_keys;            /* The core's, [flow]: sim_flow_key(). */
    struct sim_past *past;                /* [slot]: the kind keeps its peaks. */
    struct sim_units *units;              /* Null: no engine asks for labels or units. */
    uint32_t pool_free, n_pool, max_pool; /* The core's but n_pool: records up to there were used.
                                           */
    uint32_t leaf;                        /* The core's: its own number as a leaf, or SIM_NONE. */
    uint32_t id;                          /* The core's. */
    uint32_t local;                       /* The core's: its number in its thread, */
    uint32_t first_word;                  /* and where its ports' bits stand there. */
    uint32_t salt;                        /* Makes hashes differ from node to node: sim_salt(). */
    uint32_t n_classes, n_ports;
    uint32_t gap_bytes; /* The core's: as in the shape, and near. */
    uint8_t hop_limit;  /* A packet that has crossed this many switches is late; */
    bool drops_late;    /* and then it is dropped, else no longer counted. */
    bool tells_queued;  /* Some engine uses output queues. */
    bool is_prepared;   /* The kind's data for mail is there when it comes. */
    bool is_watched;    /* The core's: it has watchdogs. */
    bool starts_link;   /* The core's: a link has just come up. */
    bool is_bare; /* Queues are FIFO, and single packets are not followed: no units, no watchdogs.
                     Then the kind takes short cuts. */
    struct weir_buffer buffer;
    struct weir_shape shape __attribute__((aligned(64)));

    const struct sim_scheduling *scheduling;
    void *schedule;   /* The state of the scheduling. */
    weir_ps alarm_ps; /* The next alarm of the kind; WEIR_NEVER: it is off. */
    uint64_t chance;  /* To draw from; at the start sim_node_seed(). */
    /* ---- What follows is the core's own. ---- */
    struct sim_hold *holds;         /* [slot]. */
    struct sim_sojourns *sojourns;  /* Null: waits of packets are not recorded here. */
    struct sim_timer *timers;       /* [key]. */
    struct sim_watchdog *watchdogs; /* [slot], of a switch that is watched; else null. */
    const struct model_watchdog *watch;
    weir_ps *silent_ps;   /* [slot]: blocked and silent since this watch; 0: not.  silence.c */
    uint64_t *losses;     /* [port]: ratios. */
    uint64_t *line_bps;   /* [port]: its current rate; engines know the first one. */
    weir_ps *up_ps;       /* [port]: when its link last came up. */
    weir_ps *far_ps;      /* [port]: the earliest mail in the heap that wakes it. */
    uint32_t *last_frame; /* [port]: the last of its frames, if it has some. */
    uint32_t emptied;     /* The port that is down and being emptied; SIM_NONE: none is. */
    struct sim_port_result *results;
    void *memory, *buffer_memory;
};

/* The hot part of a node: its engines, but for what only asserts ask of them; and from its ports on
 * to what a packet needs of its class. */
#define SIM_NODE_ENGINES_BYTES offsetof(struct sim_node, weir.n_strange_frames)
#define SIM_NODE_HOT_BYTES                                                                         \
    (offsetof(struct sim_node, buffer.plan.classes) +                                              \
     offsetof(struct weir_buffer_class, partition_bytes))

/* The wire of a port.  Starts a packet onto it, now; starts what comes next there, now or when it
 * is free. */
void sim_port_send(struct sim_thread *, struct sim_node *, uint32_t port, const struct sim_packet *,
                   weir_ps now);

/* The state of a port is sent with a packet that requests it, which is rare. */
void sim_stamp(struct sim_thread *, const struct sim_node *, uint32_t port,
               const struct sim_packet *, weir_ps now);

/* Starts a packet that waits here. */
static inline void
sim_port_send_held(struct sim_thread *t, struct sim_node *n, uint32_t port, uint32_t held,
                   weir_ps now)
{
    const struct sim_packet *packet = &n->pool[held].packet;

    if (__builtin_expect(packet->kind == SIM_PROBE, 0)) {
        sim_stamp(t, n, port, packet, now);
    }
    sim_port_send(t, n, port, packet, now);
}

void sim_port_start(struct sim_thread *, struct sim_node *, uint32_t port, weir_ps now);
void sim_port_wake_at(struct sim_thread *, struct sim_node *, uint32_t port, weir_ps at);

/* Hot: in line wherever it is called, which a compiler would not do by itself. */
static inline __attribute__((always_inline)) void
sim_port_kick(struct sim_thread *t, struct sim_node *n, uint32_t port, weir_ps now)
{
    const struct sim_port *p = &n->ports[port];
    if (p->busy_ps <= now) {
        sim_port_start(t, n, port, now);
    } else if (p->wake_ps != p->busy_ps) {
        sim_port_wake_at(t, n, port, p->busy_ps);
    }
}

/* True if a packet that comes to a port would start there at once, if its gate is open. */
static inline bool
sim_port_is_idle(const struct sim_node *n, uint32_t port, weir_ps now)
{
    const struct sim_port *p = &n->ports[port];

    return p->busy_ps <= now && !p->active && p->frames_head == SIM_NONE && p->up;
}

/* Starts a packet that never waited here, by a port that is idle. */
static inline void
sim_port_pass(struct sim_thread *t, struct sim_node *n, uint32_t port,
              const struct sim_packet *packet, weir_ps now)
{
    sim_port_send(t, n, port, packet, now);
    if (n->n_classes > 1) {
        n->scheduling->served(n, port, packet->cls, packet->bytes);
    }
}

/* An engine has marked a packet that leaves by a port: it is counted. */
void sim_port_marked(struct sim_node *, uint32_t port);

void sim_watchdog_queued(struct sim_thread *, struct sim_node *, uint32_t slot, weir_ps now);

/* A packet is at a transmit queue, and can start. */
static inline void
sim_port_offer(struct sim_thread *t, struct sim_node *n, uint32_t port, uint32_t cls, weir_ps now)
{
    n->ports[port].active |= (uint8_t)(1u << cls);
    if (n->is_watched) {
        sim_watchdog_queued(t, n, port * n->n_classes + cls, now);
        return;
    }
    sim_port_kick(t, n, port, now);
}

static inline bool
sim_slot_has(const struct sim_node *n, uint32_t slot)
{
    return n->ports[slot / n->n_classes].active >> slot % n->n_classes & 1;
}

/* The transmit queue is empty now. */
static inline void
sim_port_idle(struct sim_node *n, uint32_t port, uint32_t cls)
{
    n->ports[port].active &= (uint8_t) ~(1u << cls);
}

/* Engines.  Carries out the engines' answers; after every call of a node. */
void sim_node_obey_all(struct sim_thread *, struct sim_node *, weir_ps now);

/* Hot: twice per packet-hop, and seldom is there anything. */
static inline void
sim_node_obey(struct sim_thread *t, struct sim_node *n, weir_ps now)
{
    if (n->weir.ctx.out->n) {
        sim_node_obey_all(t, n, now);
    }
}

/* The switch of a packet's sender; SIM_NONE: this one. */
uint32_t sim_entry_of(const struct sim_thread *, const struct sim_node *,
                      const struct sim_packet *);

/* Sends a frame to a node that is not adjacent, whose kind receives it: a NIC, or a switch that has
 * hosts.  Its way is hashed as that of 'flow', and 'port' is the one on whose account it is sent.
 */
void sim_message_send(struct sim_thread *, struct sim_node *, uint32_t port, uint32_t to,
                      uint32_t flow, const struct weir_frame *, weir_ps now);

/* An event of the kind's own, to come to this node: SIM_OWN + 'which'. */
void sim_node_expect(struct sim_thread *, struct sim_node *, uint32_t which, uint32_t port,
                     uint32_t key, weir_ps at);

/* Sets the alarm of the kind, unless it is set for an earlier time already.  A node has one, and
 * needs no mail for it: for a kind that has something to do soon, over and over. */
void sim_node_set_alarm(struct sim_thread *, struct sim_node *, weir_ps at);

static inline void
sim_node_alarm(struct sim_thread *t, struct sim_node *n, weir_ps at)
{
    if (at < n->alarm_ps) {
        sim_node_set_alarm(t, n, at);
    }
}

/* The port by which a packet that has arrived leaves, or SIM_NONE. */
uint32_t sim_output_port(const struct sim_thread *, struct sim_node *, const struct sim_packet *);

/* The same for a packet that has arrived earlier, and whose port is down: never that port. */
uint32_t sim_new_port(const struct sim_thread *, struct sim_node *, const struct sim_packet *);

/* Whether there is such a port.  The choice among several is left for later, and draws nothing. */
bool sim_has_new_port(const struct sim_thread *, const struct sim_node *,
                      const struct sim_packet *);

/* The leaf that a packet is bound for, under how many there are; SIM_NONE: a host of this switch.
 */
uint32_t sim_leaf_of(const struct sim_thread *, const struct sim_node *, const struct sim_packet *);
uint32_t sim_n_leaves(const struct sim_thread *);

/* The hash key of a packet's flow: it follows from the flow's ends. */
static inline uint32_t
sim_key_of(const struct sim_node *n, const struct sim_packet *p)
{
    return n->flow_keys[p->flow];
}

/* Packets that go no further.  Each is counted and noted.  If one has no route, has expired on
 * arrival or cannot be queued, its engines are called for its arrival and departure.  For the
 * others the kind has called them, or need not. */
void sim_drop_refused(struct sim_thread *, struct sim_node *, const struct sim_mail *,
                      enum weir_admission); /* The buffer has no room for it. */
void sim_drop_unroutable(struct sim_thread *, struct sim_node *, const struct sim_mail *);
void sim_drop_expired(struct sim_thread *, struct sim_node *, const struct sim_mail *);
void sim_drop_unheld(struct sim_thread *, struct sim_node *, const struct sim_mail *);
void sim_drop_unclassed(struct sim_thread *, struct sim_node *, const struct sim_mail *);
/* The packet came in by a port, was admitted, and there is no route to go on by. */
void sim_drop_stranded(struct sim_thread *, struct sim_node *, uint32_t port,
                       const struct sim_packet *, weir_ps now);
/* There is no room for it at the port to leave by. */
void sim_drop_overflowing(struct sim_thread *, struct sim_node *, uint32_t port,
                          const struct sim_packet *, weir_ps now);
/* The packet waited at a port to leave by, and the watchdog drops it; or the link of that port is
 * down. */
sim_drop sim_drop_discarded, sim_drop_flushed;

/* Wait accounting, if it is on: sojourn.h.  An input counts a packet that it has admitted, and that
 * leaves by 'out_port'; engines have not been called yet. */
void sim_sojourn_counted(struct sim_node *, const struct weir_pkt *);

static inline void
sim_sojourn_count(struct sim_node *n, const struct weir_pkt *pkt)
{
    if (n->sojourns) {
        sim_sojourn_counted(n, pkt);
    }
}

/* A packet waits from now on, for its output if that is chosen. */
void sim_sojourn_begun(struct sim_node *, uint32_t held, weir_ps now);

static inline void
sim_sojourn_begin(struct sim_node *n, uint32_t held, weir_ps now)
{
    if (n->sojourns) {
        sim_sojourn_begun(n, held, now);
    }
}

/* It has come out of a pipeline and waits for its output; for this part of the time since it came,
 * it was carried. */
void sim_sojourn_piped(struct sim_node *, uint32_t held, weir_ps carried_ps, weir_ps now);

static inline void
sim_sojourn_pipe(struct sim_node *n, uint32_t held, weir_ps carried_ps, weir_ps now)
{
    if (n->sojourns) {
        sim_sojourn_piped(n, held, carried_ps, now);
    }
}

/* It is carried from now on: -1; and it is no more: 1. */
void sim_sojourn_shifted(struct sim_node *, uint32_t held, int sign, weir_ps now);

static inline void
sim_sojourn_lift(struct sim_node *n, uint32_t held, weir_ps now)
{
    if (n->sojourns) {
        sim_sojourn_shifted(n, held, -1, now);
    }
}

static inline void
sim_sojourn_put(struct sim_node *n, uint32_t held, weir_ps now)
{
    if (n->sojourns) {
        sim_sojourn_shifted(n, held, 1, now);
    }
}

/* It is to leave by another port than its 'out_port', which changes after this. */
void sim_sojourn_redirect(struct sim_node *, uint32_t held, uint32_t out_port, weir_ps now);

/* It leaves by its output, whose gate knows, or is dropped there. */
void sim_sojourn_ended(struct sim_node *, uint32_t held, weir_ps now);

static inline void
sim_sojourn_end(struct sim_node *n, uint32_t held, weir_ps now)
{
    if (n->sojourns) {
        sim_sojourn_ended(n, held, now);
    }
}

/* Lists of packets that wait at a node, linked in its pool. */

/* A packet that waited long is in far memory: the next one is fetched as soon as it is the next.
 * If there is none, it is the first of the pool: a branch would be hard to guess. */
static inline void
sim_fetch_held(const struct sim_node *n, uint32_t held)
{
    uint32_t some = held & -(uint32_t)(held != SIM_NONE);

    __builtin_prefetch(&n->pool[some]);
}

static inline void
sim_append(struct sim_node *n, struct sim_queue *q, uint32_t held)
{
    n->pool[held].next = SIM_NONE;
    if (q->head == SIM_NONE) {
        q->head = held;
    } else {
        n->pool[q->tail].next = held;
    }
    q->tail = held;
}

static inline uint32_t
sim_take(struct sim_node *n, struct sim_queue *q)
{
    uint32_t held = q->head;
    q->head = n->pool[held].next;
    sim_fetch_held(n, q->head);
    return held;
}

/* Packets that wait at a node: a place in its pool, and back.  A switch takes one for the packet
 * that is arriving, and for no other. */
uint32_t sim_pool_grow(struct sim_node *);

static inline uint32_t
sim_held_new(struct sim_node *n)
{
    uint32_t i = n->pool_free;
    if (i == SIM_NONE) {
        return sim_pool_grow(n);
    }
    n->pool_free = n->pool[i].next;
    sim_fetch_held(n, n->pool_free);
    return i;
}

static inline void
sim_held_free(struct sim_node *n, uint32_t held)
{
    n->pool[held].packet.bytes = 0;
    n->pool[held].next = n->pool_free;
    n->pool_free = held;
}

#endif
