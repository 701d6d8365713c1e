/* FAFC's view of a switch: queues by (input, output), their rates, and bytes that pauses defer.
 *                                                      Lu and others: FAFC, Algorithms 1 and 2
 *
 * T is the clock of the node.  For each pair of an input i and an output e of one class:
 *
 *     q' bytes that wait now         counted with each packet
 *     q  the same, smoothed          q = a q' + (1 - a) (q + r)           once per T
 *     r  growth of q' in a T         r = b (q' - q' of the last T) + (1 - b) r
 *     r_in, r_out                    the same averages of bytes that came, and that left
 *
 * Sums over all inputs of an output, and over all outputs of an input, are kept with them.  Each
 * input has a T_i of its own, the delay of its link; T is the shortest.  A queue is predicted to be
 * q + 2 (sum of r T_i / T) + off a round trip from now, off being the change by pauses:
 *
 *          pause      slot ends     slot ends         each slot of an input lasts T_i
 *     -----+----------+-------------+-------------
 *          next       old           0                 bytes that do not come in this slot
 *          pending    next          old               what did not fit in, and comes later
 *
 * Bytes in 'next' will be missing, and bytes in 'old' come in addition, so that off = (old - next)
 * of the input, in the shares that its outputs have in its queue.
 *
 * Only active pairs have a state: those with packets, or with rates that have not died away.  Rates
 * are bytes per T with RATE_PLACES binary places, and so are q and off.  Below RATE_LEAST a rate
 * counts as 0, as a rate that fades away would keep its sender in the decision. */

#ifndef WEIR_LIB_FAFC_QUEUES_H
#define WEIR_LIB_FAFC_QUEUES_H

#include "engines/bits.h"
#include "weir/engine.h"

enum {
    FAFC_RATE_PLACES = 8,
    FAFC_RATE_LEAST = 64 << FAFC_RATE_PLACES,
    FAFC_MOST_BYTES = (1 << 23) - 1, /* In a period, of a pair: more count as this. */
};

struct fafc_pair {
    uint64_t bytes;               /* q' */
    uint32_t in_bytes, out_bytes; /* Since the last update. */
    int64_t queue, off;
    int32_t growth, in_rate, out_rate;
    uint32_t in_slot, out_slot;
};

struct fafc_output {
    int64_t queue, off; /* Sums over its inputs. */
    int64_t growth;     /* The same, of each in the period of its input. */
    uint64_t ecn_bytes; /* The ECN offset. */
    weir_ps paused_ps;  /* When it last had inputs paused, and */
    weir_ps longest_ps; /* the longest period of its ports. */

    /* Thresholds: an output predicted to be longer pauses inputs, and marks packets; where the
     * smoothed queue, of one input or of all, is no longer than the last, it is not congested. */
    uint64_t pause_bytes, mark_bytes, calm_bytes;
};

struct fafc_input {
    int64_t queue, in_rate;     /* Sums over its outputs. */
    int64_t next, old, pending; /* Bytes that pauses defer, with the places of rates. */
    weir_ps slot_end_ps;        /* WEIR_NEVER: no slot is under way. */
    weir_ps until_ps;           /* When all pauses that this node sent are over at the peer. */
    int64_t cost;               /* R, the bytes that leave by outputs that are not congested. */
    uint64_t asked_ns;          /* A pause that the next frame asks for. */
    weir_ps period_ps;          /* T_i, and */
    int64_t scale;              /* as a ratio to T. */
};

struct fafc_queues {
    uint64_t alpha, beta;                           /* Ratios. */
    weir_ps period_ps;                              /* T, the shortest of the inputs. */
    uint64_t n_updates, costs_at;                   /* After which update costs were worked out. */
    size_t inputs_at, bits_at, pairs_at, places_at; /* In memory, behind the outputs. */
    uint64_t asked_classes; /* A bit for each class in which a pause is about to be sent. */
    uint32_t n_slots, n_active;
    uint16_t n_ports, n_words; /* Words for a bit of each port. */
    uint8_t n_classes, n_lossless;
    uint8_t rank[WEIR_MAX_CLASSES]; /* The rank of a class among those that are lossless. */
    bool holds_demand;              /* A rate that falls because of a pause is held. */
    bool is_blind;                  /* Nothing is predicted. */
    bool is_calm_by_output;         /* The queue that th_c is compared with. */
    uint64_t memory[];
};

size_t weir_fafc_queues_bytes(const struct weir_shape *);
void weir_fafc_queues_init(struct fafc_queues *, const struct weir_shape *);

static inline struct fafc_output *
fafc_output(const struct fafc_queues *s, uint32_t slot)
{
    return (struct fafc_output *)(uintptr_t)s->memory + slot;
}

static inline struct fafc_input *
fafc_input(const struct fafc_queues *s, uint32_t slot)
{
    return (struct fafc_input *)((uintptr_t)s->memory + s->inputs_at) + slot;
}

/* The pairs that are active stand side by side, in no order, in places from 1 to n_active. */
static inline struct fafc_pair *
fafc_pairs(const struct fafc_queues *s)
{
    return (struct fafc_pair *)((uintptr_t)s->memory + s->pairs_at);
}

/* The places of an output's pairs, by input port; 0: not active. */
static inline uint32_t *
fafc_places(const struct fafc_queues *s, uint32_t out_port, uint32_t cls)
{
    return (uint32_t *)((uintptr_t)s->memory + s->places_at) +
           ((size_t)out_port * s->n_lossless + s->rank[cls]) * s->n_ports;
}

/* Bits.  They stand for ports: the inputs that an output has active pairs with; the outputs of an
 * input; those that a pause is about to be sent by; the outputs of a class with any active pair. */

static inline uint64_t *
fafc_inputs_of(const struct fafc_queues *s, uint32_t out_slot)
{
    return (uint64_t *)((uintptr_t)s->memory + s->bits_at) + (size_t)out_slot * s->n_words;
}

static inline uint64_t *
fafc_outputs_of(const struct fafc_queues *s, uint32_t in_slot)
{
    return fafc_inputs_of(s, s->n_slots) + (size_t)in_slot * s->n_words;
}

static inline uint64_t *
fafc_asked(const struct fafc_queues *s)
{
    return fafc_outputs_of(s, s->n_slots);
}

static inline uint64_t *
fafc_busy(const struct fafc_queues *s, uint32_t cls)
{
    return fafc_asked(s) + (1 + cls) * (size_t)s->n_words;
}

/* Bytes of a T, as bytes in the period of an input. */
static inline int64_t
fafc_in_period(const struct fafc_input *i, int64_t bytes)
{
    return i->scale == (int64_t)WEIR_RATIO_1 ? bytes : bytes * i->scale / (int64_t)WEIR_RATIO_1;
}

/* A rate, as far as it counts. */
static inline int64_t
fafc_counted(int64_t rate)
{
    return rate < FAFC_RATE_LEAST ? 0 : rate;
}

static inline int64_t
fafc_with_places(uint64_t bytes)
{
    return (int64_t)((bytes < WEIR_MAX_BYTES ? bytes : WEIR_MAX_BYTES) << FAFC_RATE_PLACES);
}

/* The queue of an output that is predicted for the next round trip, with the places of rates; or
 * the queue as it is. */
static inline int64_t
fafc_predicted(const struct fafc_queues *s, const struct fafc_output *o)
{
    return s->is_blind ? o->queue : o->queue + 2 * o->growth + o->off;
}

/* The pair of a packet, which is not active yet, becomes so. */
void weir_fafc_activate(struct fafc_queues *, const struct weir_pkt *);

/* Bytes of a period, as many as a rate has room for. */
static inline uint32_t
fafc_more(uint32_t sum, uint32_t bytes)
{
    return bytes < FAFC_MOST_BYTES - sum ? sum + bytes : FAFC_MOST_BYTES;
}

/* A packet joins the queue of its pair, and leaves it.  Hot: once per packet each. */

static inline void
fafc_count_in(struct fafc_queues *s, const struct weir_pkt *pkt)
{
    const uint32_t *place = &fafc_places(s, pkt->out_port, pkt->cls)[pkt->in_port];

    if (!*place) {
        weir_fafc_activate(s, pkt);
    }
    struct fafc_pair *p = &fafc_pairs(s)[*place];
    p->bytes += pkt->bytes;
    p->in_bytes = fafc_more(p->in_bytes, pkt->bytes);
}

static inline void
fafc_count_out(struct fafc_queues *s, const struct weir_pkt *pkt)
{
    uint32_t place = fafc_places(s, pkt->out_port, pkt->cls)[pkt->in_port];
    struct fafc_pair *p = &fafc_pairs(s)[place];

    assert(p->bytes >= pkt->bytes);
    p->bytes -= pkt->bytes;
    p->out_bytes = fafc_more(p->out_bytes, pkt->bytes);
}

/* The period of an input, which is no shorter than the node's. */
void weir_fafc_set_period(struct fafc_queues *, uint32_t in_slot, weir_ps);

/* A period is over. */
void weir_fafc_update(struct fafc_queues *, weir_ps now);

/* The cost of pausing an input that has active pairs: all are worked out at once, if at all, once
 * per period. */
int64_t weir_fafc_cost(struct fafc_queues *, uint32_t in_slot);

/* This node asks an input for a pause of 'ps' now; and its slot ends, whereupon another begins or
 * not. */
void weir_fafc_defer(struct fafc_queues *, uint32_t in_slot, weir_ps now, weir_ps ps);
void weir_fafc_end_slot(struct fafc_queues *, uint32_t in_slot, weir_ps now);

/* The pauses of an input are void. */
void weir_fafc_forget_pauses(struct fafc_queues *, uint32_t in_slot);

void weir_fafc_queues_rebase(struct fafc_queues *, weir_ps by_ps);

#endif
