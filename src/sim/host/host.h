/* Calls that the core offers to the kinds of nodes.
 *
 * A kind (nodes/) uses only this interface of the core, so that the core around it can change.  The
 * core may be windows and threads, one node alone whose wires are outside (sim/live.h), or a plain
 * event loop.  In return the core calls units_start() and units_stop() (nodes/handles.h) for each
 * node, sets 'tells_queued' if engines need units of outputs, and carries messages.
 *
 * These calls use no function pointers, and small functions are inlined
 * (doc/decisions/0016-core-and-nodes.md, 0070-one-core-for-real-frames.md). */

#ifndef SIM_HOST_H
#define SIM_HOST_H

#include "sim/nodes/kind.h"
#include "sim/nodes/packets.h"
#include "sim/nodes/salt.h"
#include "weir/node.h"

struct sim_port {     /* Hot: one cache line. */
    weir_ps busy_ps;  /* The wire is busy until this time. */
    weir_ps wake_ps;  /* The time of the port's next SIM_TX event; WEIR_NEVER: none. */
    weir_ps delay_ps; /* The delay of the cable. */
    uint64_t sent_bytes;
    uint64_t n_sent;
    uint32_t byte_ps; /* The time of a byte, if it is a whole number; else 0. */
    uint32_t peer_node;
    uint32_t peer_local;  /* The peer's index in this thread; SIM_NONE: another thread runs it. */
    uint32_t frames_head; /* The first frame to be sent, in the thread's pool. */
    uint16_t peer_port;
    uint8_t active; /* Bit c: packets of class c wait here. */
    uint8_t turn;   /* The class that was served last. */
    bool up, is_captured;
    bool is_plain; /* Up, without losses, not captured: all its packets arrive. */
    bool is_swift; /* Plain, with 'byte_ps' and 'peer_local': its mail is written at once. */
};

_Static_assert(sizeof(struct sim_port) == 64, "port");

struct sim_hold;
struct sim_port_result;
struct sim_sojourns;
struct sim_timer;
struct sim_units;
struct sim_watchdog;
struct model_watchdog;

/* The history of the queues of a (port, class), at its input and output.  It has the size of a slot
 * of the buffer, so that one shift finds both. */
struct sim_past {
    uint64_t in_peak_bytes, out_peak_bytes;
    uint64_t in_sum_bytes, out_sum_bytes; /* The core sums samples after the middle of the run. */
};

struct sim_node { /* State that every packet uses comes first. */
    struct weir_node weir;
    struct sim_port *ports;
    struct sim_held *pool;       /* The packets that wait here. */
    const struct sim_kind *kind; /* Set by the core, like all members marked "the core's". */
    void *own;                   /* The state of the kind. */
    const struct sim_arbitration *arbitration;
    void *queues;                              /* The state of the arbitration. */
    const struct sim_path_choice *path_choice; /* The core's. */
    const void *path_params;
    const uint32_t *routes; /* The core's, [leaf]: the port, or a group of ports if SIM_ROUTE_GROUP
                             * is set. */
    const uint32_t *flow_keys;            /* The core's, [flow]: sim_flow_key(). */
    struct sim_past *past;                /* [slot]: the kind updates the peaks. */
    struct sim_units *units;              /* Null: no engine needs labels or units. */
    uint32_t pool_free, n_pool, max_pool; /* The core's, except n_pool: entries of the pool below
                                           * n_pool were used. */
    uint32_t leaf;                        /* The core's: the node's number as a leaf, or
                                           * SIM_NONE. */
    uint32_t id;                          /* The core's. */
    uint32_t local;                       /* The core's: the index of the node in its thread. */
    uint32_t first_word;                  /* The core's: the index of the first word with bits of
                                           * its ports in its thread. */
    uint32_t salt;                        /* Makes hashes differ between nodes: sim_salt(). */
    uint32_t n_classes, n_ports;
    uint32_t gap_bytes; /* The core's: a copy of the shape's, close to hot data. */
    uint8_t hop_limit;  /* The number of switches that a packet may cross. */
    bool drops_late;    /* Packets beyond hop_limit are dropped; if false, their hops are no longer
                         * counted. */
    bool tells_queued;  /* An engine uses output queues. */
    bool is_prepared;   /* The kind's data for mail has been prefetched. */
    bool is_watched;    /* The core's: the node has watchdogs. */
    bool starts_link;   /* The core's: a link has just come up. */
    bool is_bare;  /* Queues are FIFO, without units and watchdogs, so no code needs single packets.
                    * The kind then uses fast paths. */
    bool is_timed; /* The same, except that waits of packets are recorded. */
    struct weir_buffer buffer;
    struct weir_shape shape __attribute__((aligned(64)));

    const struct sim_scheduling *scheduling;
    void *schedule;   /* The state of the scheduling. */
    weir_ps alarm_ps; /* The next alarm of the kind; WEIR_NEVER: it is off. */
    uint64_t chance;  /* The random number generator; its seed is sim_node_seed(). */
    /* ---- The following members belong to the core. ---- */
    struct sim_hold *holds;         /* [slot]. */
    struct sim_sojourns *sojourns;  /* Null: waits of packets are not recorded. */
    struct sim_timer *timers;       /* [key]. */
    struct sim_watchdog *watchdogs; /* [slot], of a switch with watchdogs; else null. */
    const struct model_watchdog *watch;
    weir_ps *silent_ps;   /* [slot]: blocked and silent since this check; 0: it is not
                           * (silence.c). */
    uint64_t *losses;     /* [port]: ratios. */
    uint64_t *line_bps;   /* [port]: its current rate; engines know only the initial rate. */
    weir_ps *up_ps;       /* [port]: when its link last came up. */
    weir_ps *far_ps;      /* [port]: the earliest mail in the heap that wakes it. */
    uint32_t *last_frame; /* [port]: the last of its frames, if any. */
    uint32_t emptied;     /* The port that is down and is being emptied; SIM_NONE: none. */
    struct sim_port_result *results;
    void *memory, *buffer_memory;
};

/* The hot parts of a node: its engines, without members that only asserts read; and the members
 * from 'ports' to the data that packets need of their class. */
#define SIM_NODE_ENGINES_BYTES offsetof(struct sim_node, weir.n_strange_frames)
#define SIM_NODE_HOT_BYTES                                                                         \
    (offsetof(struct sim_node, buffer.plan.classes) +                                              \
     offsetof(struct weir_buffer_class, partition_bytes))

/* Starts a packet onto the wire of a port now. */
void sim_port_send(struct sim_thread *, struct sim_node *, uint32_t port, const struct sim_packet *,
                   weir_ps now);

/* Adds the telemetry of a port to a packet, if the packet requests it, which is rare. */
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

/* Starts the next packet or frame of a port, now or when its wire is free.  Hot: always inlined,
 * which a compiler would not do by default. */
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

/* True if a packet that reaches a port could start at once, provided that its gate is open. */
static inline bool
sim_port_is_idle(const struct sim_node *n, uint32_t port, weir_ps now)
{
    const struct sim_port *p = &n->ports[port];

    return p->busy_ps <= now && !p->active && p->frames_head == SIM_NONE && p->up;
}

/* Starts a packet that has not waited here, at an idle port. */
static inline void
sim_port_pass(struct sim_thread *t, struct sim_node *n, uint32_t port,
              const struct sim_packet *packet, weir_ps now)
{
    sim_port_send(t, n, port, packet, now);
    if (n->n_classes > 1) {
        n->scheduling->served(n, port, packet->cls, packet->bytes);
    }
}

/* Counts a packet that an engine has marked and that leaves through a port. */
void sim_port_marked(struct sim_node *, uint32_t port);

void sim_watchdog_queued(struct sim_thread *, struct sim_node *, uint32_t slot, weir_ps now);

/* Marks a transmit queue as one that has something to send. */
static inline void
sim_port_fill(struct sim_node *n, uint32_t port, uint32_t cls)
{
    n->ports[port].active |= (uint8_t)(1u << cls);
}

/* Reports that a transmit queue has a packet that can start. */
static inline void
sim_port_offer(struct sim_thread *t, struct sim_node *n, uint32_t port, uint32_t cls, weir_ps now)
{
    sim_port_fill(n, port, cls);
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

/* Marks a transmit queue as empty. */
static inline void
sim_port_idle(struct sim_node *n, uint32_t port, uint32_t cls)
{
    n->ports[port].active &= (uint8_t) ~(1u << cls);
}

/* Obeys the answers that engines have put into the outbox; call it after every call of a node's
 * engines. */
void sim_node_obey_all(struct sim_thread *, struct sim_node *, weir_ps now);

/* Hot: twice per packet-hop; the outbox is nearly always empty. */
static inline void
sim_node_obey(struct sim_thread *t, struct sim_node *n, weir_ps now)
{
    if (n->weir.ctx.out->n) {
        sim_node_obey_all(t, n, now);
    }
}

/* The switch of a packet's sender; SIM_NONE: this switch. */
uint32_t sim_entry_of(const struct sim_thread *, const struct sim_node *,
                      const struct sim_packet *);

/* Sends a frame to a node that is not adjacent, whose kind receives it: a NIC, or a switch that has
 * hosts.  Its path is hashed like that of 'flow', and 'port' is the port because of which it is
 * sent. */
void sim_message_send(struct sim_thread *, struct sim_node *, uint32_t port, uint32_t to,
                      uint32_t flow, const struct weir_frame *, weir_ps now);

/* Schedules an event of the kind at this node: SIM_OWN + 'which'. */
void sim_node_expect(struct sim_thread *, struct sim_node *, uint32_t which, uint32_t port,
                     uint32_t key, weir_ps at);

/* Sets the alarm of the kind, unless it is set for an earlier time already.  A node has one alarm,
 * which needs no mail.  It is for kinds that need frequent events in the near future. */
void sim_node_set_alarm(struct sim_thread *, struct sim_node *, weir_ps at);

static inline void
sim_node_alarm(struct sim_thread *t, struct sim_node *n, weir_ps at)
{
    if (at < n->alarm_ps) {
        sim_node_set_alarm(t, n, at);
    }
}

/* The port through which a packet that has arrived leaves, or SIM_NONE. */
uint32_t sim_output_port(const struct sim_thread *, struct sim_node *, const struct sim_packet *);

/* The new port of a packet that arrived earlier and whose port is down; it differs from that
 * port. */
uint32_t sim_new_port(const struct sim_thread *, struct sim_node *, const struct sim_packet *);

/* Whether sim_new_port() would find a port.  The function makes no choice among several ports, and
 * uses no random number. */
bool sim_has_new_port(const struct sim_thread *, const struct sim_node *,
                      const struct sim_packet *);

/* The first function returns the leaf to which a packet goes, SIM_NONE for a host of this switch.
 * The second returns the number of leaves. */
uint32_t sim_leaf_of(const struct sim_thread *, const struct sim_node *, const struct sim_packet *);
uint32_t sim_n_leaves(const struct sim_thread *);

/* The hash key of a packet's flow, which depends on the flow's ends. */
static inline uint32_t
sim_key_of(const struct sim_node *n, const struct sim_packet *p)
{
    return n->flow_keys[p->flow];
}

/* These functions drop packets.  Each drop is counted and noted.  If a packet has no route, has
 * expired on arrival or cannot be queued, engines are called for its arrival and departure.  For
 * other packets the kind has called the engines, or need not call them. */
void sim_drop_refused(struct sim_thread *, struct sim_node *, const struct sim_mail *,
                      enum weir_admission); /* The buffer has no room for the packet. */
void sim_drop_unroutable(struct sim_thread *, struct sim_node *, const struct sim_mail *);
void sim_drop_expired(struct sim_thread *, struct sim_node *, const struct sim_mail *);
void sim_drop_unheld(struct sim_thread *, struct sim_node *, const struct sim_mail *);
void sim_drop_unclassed(struct sim_thread *, struct sim_node *, const struct sim_mail *);
/* The packet arrived on a port and was admitted, but has no route. */
void sim_drop_stranded(struct sim_thread *, struct sim_node *, uint32_t port,
                       const struct sim_packet *, weir_ps now);
/* The port through which the packet leaves has no room for it. */
void sim_drop_overflowing(struct sim_thread *, struct sim_node *, uint32_t port,
                          const struct sim_packet *, weir_ps now);
/* The packet waited to leave through a port, and the watchdog drops it, or the link of that port is
 * down. */
sim_drop sim_drop_discarded, sim_drop_flushed;

/* Wait accounting, if it is enabled: see sojourn.h.  Counts a packet that an input has admitted and
 * that leaves through 'out_port', before engines are called. */
void sim_sojourn_counted(struct sim_node *, const struct weir_pkt *);

static inline void
sim_sojourn_count(struct sim_node *n, const struct weir_pkt *pkt)
{
    if (n->sojourns) {
        sim_sojourn_counted(n, pkt);
    }
}

/* A packet begins to wait, for its output if that is known. */
void sim_sojourn_begun(struct sim_node *, uint32_t held, weir_ps now);

static inline void
sim_sojourn_begin(struct sim_node *n, uint32_t held, weir_ps now)
{
    if (n->sojourns) {
        sim_sojourn_begun(n, held, now);
    }
}

/* For a node that 'is_timed': counts a packet that was admitted and begins to wait for its output;
 * a packet that was sent by a transmit queue as it arrived; and one that was sent after it waited.
 */
void sim_sojourn_queued(struct sim_node *, uint32_t held, uint32_t in_slot, uint32_t slot,
                        weir_ps now);
void sim_sojourn_left(struct sim_node *, uint32_t held, uint32_t slot, weir_ps now);
void sim_sojourn_passed(struct sim_node *, const struct sim_packet *, uint32_t slot, weir_ps now);

/* The same: prefetches memory for the packet that is the first of its queue now. */
void sim_sojourn_fetch_next(const struct sim_node *, uint32_t held);

/* A packet has left the pipeline and waits for its output; for 'carried_ps' of the time since its
 * arrival, the pipeline carried it. */
void sim_sojourn_piped(struct sim_node *, uint32_t held, weir_ps carried_ps, weir_ps now);

static inline void
sim_sojourn_pipe(struct sim_node *n, uint32_t held, weir_ps carried_ps, weir_ps now)
{
    if (n->sojourns) {
        sim_sojourn_piped(n, held, carried_ps, now);
    }
}

/* A crossbar begins to carry a packet (-1), or stops carrying it (1). */
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

/* A packet will leave through another port than its 'out_port', which the caller changes after this
 * call. */
void sim_sojourn_redirect(struct sim_node *, uint32_t held, uint32_t out_port, weir_ps now);

/* A packet leaves through its output, whose gate has been updated, or is dropped there. */
void sim_sojourn_ended(struct sim_node *, uint32_t held, weir_ps now);

static inline void
sim_sojourn_end(struct sim_node *n, uint32_t held, weir_ps now)
{
    if (n->sojourns) {
        sim_sojourn_ended(n, held, now);
    }
}

/* These functions handle lists of packets that wait at a node, linked in its pool. */

/* A packet that waited for long is no longer in the cache, so the next packet of a list is
 * prefetched.  If there is no next packet, the first of the pool is fetched, because a branch would
 * be hard to predict. */
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

/* Take an entry in the pool of a node for a packet that waits, and give it back.  A switch takes an
 * entry only for the packet that is arriving. */
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
