/* The parts of a switch with a crossbar (cioq.c), shared by its source files.
 *
 *     cioq.c         the life of a packet: arrives, is matched, crosses, leaves
 *     crossbar.c     matching, without packets
 *     adapter.c      the inner stage: from queues per destination into one queue
 *     cioq-copies.c  reliable delivery: copies at inputs until packets are acknowledged
 *     copies.c       these copies, without packets
 *     cioq-setup.c   parameters, memory
 *     cioq-look.c    what is held, and whether all of it adds up
 *     cioq-loop.c    packets whose output is down take new routes
 *
 * At each input and class there are queues before the crossbar: one for each output.  In an edge
 * switch of a fabric there is only one, of which only the first packet is matched. */

#ifndef SIM_CIOQ_H
#define SIM_CIOQ_H

#include "sim/host/host.h"
#include "sim/nodes/copies.h"
#include "sim/nodes/crossbar.h"
#include "sim/nodes/outputs.h"

enum cioq_transfer { CIOQ_SLOTS, CIOQ_HELD };
enum cioq_order { CIOQ_BY_ARRIVAL, CIOQ_IN_TURN };

struct cioq_params {
    uint64_t egress_bytes, speedup, matching, iterations, transfer, order, inner_bytes, inner_bps;
    uint64_t inner_egress_bytes, is_reliable, ack_ps;
};

struct voq { /* A queue of packets that wait at an input, in a class. */
    struct sim_queue packets;
    uint32_t bytes;
};

struct adapter;

struct cioq_delivery {
    struct copies copies;   /* Copies of packets that entered the fabric here. */
    uint64_t *copied_bytes; /* [input slot]: bytes of these copies. */
    weir_ps ack_ps;
    bool is_alone; /* No port is inside a fabric: the switch alone is the fabric. */
};

struct cioq { /* The state of the kind, at n->own. */
    struct crossbar crossbar;
    struct sim_queue moving; /* Packets in the crossbar, sorted by the time at which they leave
                              * it. */
    bool is_at_work;         /* cioq_move() is running. */
    bool is_asked;           /* cioq_move() was called once more while it is running. */
    weir_ps slot_ps;
    uint64_t rate_bps;              /* The rate of a transfer. */
    struct voq *fronts;             /* [input slot][output]; or [input slot], with an adapter. */
    struct adapter *adapter;        /* Null: the switch has no inner stage. */
    struct cioq_delivery *delivery; /* Null: delivery is not reliable. */
};

/* 'due_ps' of a packet shows where it is, by a special value at an input or an output.  Any other
 * value is the time at which a packet on its way reaches its output. */
#define CIOQ_LOOPED     (WEIR_NEVER - 2) /* Looped back, at the input of the port that is down. */
#define CIOQ_IN_ADAPTER (WEIR_NEVER - 1)
#define CIOQ_IN_FRONT   WEIR_NEVER
#define CIOQ_AT_OUTPUT  0

static inline struct crossbar_pair
cioq_ends(const struct sim_held *held)
{
    return (struct crossbar_pair){ held->in_port, held->out_port, held->packet.cls };
}

static inline struct voq *
cioq_front(const struct sim_node *n, const struct crossbar_pair *p)
{
    const struct cioq *c = n->own;
    uint32_t in_slot = p->in * n->n_classes + p->cls;

    return &c->fronts[c->adapter ? in_slot : (size_t)in_slot * n->n_ports + p->out];
}

static inline void
voq_push(struct sim_node *n, struct voq *voq, uint32_t index)
{
    sim_append(n, &voq->packets, index);
    voq->bytes += n->pool[index].packet.bytes;
}

static inline uint32_t
voq_take(struct sim_node *n, struct voq *voq)
{
    uint32_t index = sim_take(n, &voq->packets);

    voq->bytes -= n->pool[index].packet.bytes;
    return index;
}

/* Makes a packet wait before the crossbar: at its input, in the inner queue, or looped back. */
static inline void
cioq_stand_as(struct sim_node *n, uint32_t index, weir_ps due_ps)
{
    struct cioq *c = n->own;
    struct crossbar_pair ends = cioq_ends(&n->pool[index]);
    struct voq *front = cioq_front(n, &ends);

    if (front->packets.head == SIM_NONE) {
        crossbar_want(&c->crossbar, &ends);
    }
    voq_push(n, front, index);
    n->pool[index].due_ps = due_ps;
}

static inline void
cioq_stand_in_front(struct sim_node *n, uint32_t index)
{
    cioq_stand_as(n, index, CIOQ_IN_FRONT);
}

/* Inserts a packet into a list sorted by 'due_ps', usually at the end. */
static inline void
cioq_insert(struct sim_node *n, struct sim_queue *list, uint32_t index)
{
    weir_ps due = n->pool[index].due_ps;
    uint32_t before = SIM_NONE, next = list->head;

    if (next == SIM_NONE || n->pool[list->tail].due_ps <= due) {
        sim_append(n, list, index);
        return;
    }
    while (n->pool[next].due_ps <= due) {
        before = next;
        next = n->pool[next].next;
    }
    n->pool[index].next = next;
    if (before == SIM_NONE) {
        list->head = index;
    } else {
        n->pool[before].next = index;
    }
}

/* Sets the alarm for the first packet of a list. */
static inline void
cioq_expect(struct sim_thread *t, struct sim_node *n, const struct sim_queue *list)
{
    if (list->head != SIM_NONE) {
        sim_node_alarm(t, n, n->pool[list->head].due_ps);
    }
}

struct cioq_delivery *cioq_new_delivery(const struct sim_node *, const struct cioq_params *);
void cioq_free_delivery(struct cioq_delivery *);
void cioq_leave_copy(struct sim_node *, struct cioq_delivery *, uint32_t index, struct weir_pkt *);
void cioq_owe_ack(struct sim_thread *, struct sim_node *, struct cioq_delivery *,
                  const struct sim_packet *, uint16_t port, weir_ps now);
void cioq_pay_ack(struct sim_thread *, struct sim_node *, const struct sim_mail *);
void cioq_heard(struct sim_thread *, struct sim_node *, uint32_t flow, const struct weir_frame *,
                weir_ps now);

/* Gives the current routes to packets that wait for a port that is down; this function does not
 * start them. */
void cioq_loop_back(struct sim_thread *, struct sim_node *, uint32_t port, weir_ps now);

/* Whether a port is at the border of a fabric with reliable delivery. */
static inline bool
cioq_delivers_at(const struct sim_node *n, const struct cioq *c, uint32_t port)
{
    return c->delivery && !n->shape.ports[port].is_inner;
}

/* Called when a packet that arrived on a port, or was to leave through it, is dropped.  If the port
 * is inside the fabric, another switch keeps a copy, which needs an acknowledgement. */
static inline void
cioq_dropped(struct sim_thread *t, struct sim_node *n, const struct sim_packet *p, uint32_t port,
             weir_ps now)
{
    struct cioq *c = n->own;

    if (c->delivery && n->shape.ports[port].is_inner) {
        cioq_owe_ack(t, n, c->delivery, p, (uint16_t)port, now);
    }
}

/* The bytes of copies at an input. */
static inline uint64_t
cioq_copied_bytes(const struct cioq *c, uint32_t in_slot)
{
    return c->delivery ? c->delivery->copied_bytes[in_slot] : 0;
}

/* Called when a packet moves on from its input.  Returns true if it has left the input, which must
 * be reported to engines; else its copy is still counted there. */
static inline bool
cioq_leave_input(struct sim_node *n, uint32_t index, struct weir_pkt *pkt)
{
    struct cioq *c = n->own;

    if (cioq_delivers_at(n, c, pkt->in_port)) {
        cioq_leave_copy(n, c->delivery, index, pkt);
        return false;
    }
    weir_buffer_forward(&n->buffer, pkt->in_port * n->n_classes + pkt->cls, pkt->bytes);
    units_forward(n, index, pkt);
    return true;
}

static inline void
cioq_notify_forwarded(struct sim_thread *t, struct sim_node *n, struct sim_held *held,
                      struct weir_pkt *pkt, weir_ps now)
{
    weir_node_forwarded(&n->weir, now, pkt);
    output_mark(n, held, pkt, pkt->out_port);
    sim_node_obey(t, n, now);
}

extern const struct weir_field cioq_fields[];
struct voq *voqs_new(size_t n); /* Allocates empty queues. */
bool cioq_check(const void *params, const struct sim_making *, struct weir_text *why);
uint64_t cioq_bytes(const void *params, uint32_t n_ports, uint32_t n_classes, uint32_t n_leaves);
enum sim_input_wait cioq_input_wait(const void *params, bool is_inner);
void cioq_port_buffer(const void *params, const struct weir_port *, struct weir_buffer_class *input,
                      uint64_t *output_bytes);
void cioq_shape(const void *params, struct weir_shape *);
void cioq_init(struct sim_thread *, struct sim_node *, const void *params);
void cioq_release(struct sim_node *);
void cioq_each_held(const struct sim_node *, sim_visit_held *, void *arg);
bool cioq_awaits_word(const struct sim_node *, uint32_t in_slot);
bool cioq_holds(const struct sim_node *);
uint64_t cioq_looped_bytes(const struct sim_node *, uint32_t in_slot);

#endif
