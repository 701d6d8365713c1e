/* FAFC's model of a switch: queues by (input, output), their rates, and the bytes that pauses
 * defer.
 *                                                      Lu and others: FAFC, Algorithms 1 and 2
 *
 * T is the period of the node.  For each pair of an input i and an output e of one class:
 *
 *     q' bytes that wait now         counted with each packet
 *     q  the same, smoothed          q = a q' + (1 - a) (q + r)           once per T
 *     r  growth of q' in a T         r = b (q' - q' of the last T) + (1 - b) r
 *     r_in, r_out                    the same averages of bytes that came, and that left
 *
 * For each output and each input, the sums over its pairs are kept as well.  Each input has its own
 * T_i, the delay of its link; T is the shortest T_i.  The prediction for a queue in one round trip
 * is q + 2 (sum of r T_i / T) + off, off being the change by pauses:
 *
 *          pause      slot ends     slot ends         each slot of an input lasts T_i
 *     -----+----------+-------------+-------------
 *          next       old           0                 bytes that do not come in this slot
 *          pending    next          old               what did not fit in, and comes later
 *
 * Bytes in 'next' will be missing, and bytes in 'old' will arrive in addition.  So off is the
 * input's (old - next), divided among its outputs by their shares in its queue.
 *
 * Only active pairs have a state: pairs with packets, or with rates that have not decayed to 0.
 * Rates are bytes per T with RATE_PLACES fractional bits; q and off have as many fractional bits.
 * A rate below RATE_LEAST counts as 0; otherwise a decaying rate would keep its sender in the
 * decision. */

#ifndef WEIR_LIB_FAFC_QUEUES_H
#define WEIR_LIB_FAFC_QUEUES_H

#include "engines/bits.h"
#include "weir/engine.h"

enum {
    FAFC_RATE_PLACES = 8,
    FAFC_RATE_LEAST = 64 << FAFC_RATE_PLACES,
    FAFC_MOST_BYTES = (1 << 23) - 1, /* The maximum number of bytes that count for a pair in a
                                      * period. */
};

struct fafc_pair {
    uint64_t bytes;               /* q', the bytes that wait now. */
    uint32_t in_bytes, out_bytes; /* Bytes that came and left since the last update. */
    int64_t queue, off;
    int32_t growth, in_rate, out_rate;
    uint32_t in_slot, out_slot;
};

struct fafc_output {
    int64_t queue, off; /* The sums of q and off over its inputs. */
    int64_t growth;     /* The sum of the growths of its pairs, each in the period of its input. */
    uint64_t ecn_bytes; /* The ECN offset (Algorithm 4). */
    weir_ps paused_ps;  /* When this output last paused inputs. */
    weir_ps longest_ps; /* The longest period of the inputs that it then paused. */

    /* Thresholds: an output with a predicted queue above the first pauses inputs, and above the
     * second marks packets.  It is not congested if its smoothed queue, for one input or for all,
     * is at most the third. */
    uint64_t pause_bytes, mark_bytes, calm_bytes;
};

struct fafc_input {
    int64_t queue, in_rate;     /* Sums over its outputs. */
    int64_t next, old, pending; /* Bytes that pauses defer, with the fractional bits of rates. */
    weir_ps slot_end_ps;        /* WEIR_NEVER: no slot is running. */
    weir_ps until_ps;           /* When the last pause from this node ends at the peer. */
    int64_t cost;               /* R, the bytes that leave through uncongested outputs. */
    uint64_t asked_ns;          /* The pause that the next frame will request. */
    weir_ps period_ps;          /* T_i, the period of the input. */
    int64_t scale;              /* T_i as a ratio to T. */
};

struct fafc_queues {
    uint64_t alpha, beta;                           /* The weights a and b, as ratios. */
    weir_ps period_ps;                              /* T, the shortest of the inputs. */
    uint64_t n_updates, costs_at;                   /* The number of updates, and of the update for
                                                     * which costs were computed. */
    size_t inputs_at, bits_at, pairs_at, places_at; /* Offsets of the other tables in 'memory',
                                                     * after the outputs. */
    uint64_t asked_classes; /* One bit for each class in which a pause will be sent. */
    uint32_t n_slots, n_active;
    uint16_t n_ports, n_words; /* The number of words of a bitmap of ports. */
    uint8_t n_classes, n_lossless;
    uint8_t rank[WEIR_MAX_CLASSES]; /* The rank of a class among lossless classes. */
    bool holds_demand;              /* The demand is kept while a pause lowers the rate. */
    bool is_blind;                  /* Decisions use the current queue, without a prediction. */
    bool is_calm_by_output;         /* Whether th_c is compared with the whole output. */
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

/* The active pairs are stored without gaps, in no order, at indices from 1 to n_active. */
static inline struct fafc_pair *
fafc_pairs(const struct fafc_queues *s)
{
    return (struct fafc_pair *)((uintptr_t)s->memory + s->pairs_at);
}

/* The indices of an output's pairs, by input port; 0: not active. */
static inline uint32_t *
fafc_places(const struct fafc_queues *s, uint32_t out_port, uint32_t cls)
{
    return (uint32_t *)((uintptr_t)s->memory + s->places_at) +
           ((size_t)out_port * s->n_lossless + s->rank[cls]) * s->n_ports;
}

/* Bits.  Bitmaps of ports: the inputs with which an output has active pairs; the outputs of an
 * input; the ports through which a pause will be sent; and the outputs of a class with any active
 * pair. */

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

/* Converts bytes per T to bytes per period of an input. */
static inline int64_t
fafc_in_period(const struct fafc_input *i, int64_t bytes)
{
    return i->scale == (int64_t)WEIR_RATIO_1 ? bytes : bytes * i->scale / (int64_t)WEIR_RATIO_1;
}

/* A rate, or 0 if it is too low to count. */
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

/* The queue of an output predicted for the next round trip, with the fractional bits of rates; or
 * the current queue if nothing is predicted. */
static inline int64_t
fafc_predicted(const struct fafc_queues *s, const struct fafc_output *o)
{
    return s->is_blind ? o->queue : o->queue + 2 * o->growth + o->off;
}

/* Makes the pair of a packet active. */
void weir_fafc_activate(struct fafc_queues *, const struct weir_pkt *);

/* Adds bytes to the sum of a period, limited to the range of a rate. */
static inline uint32_t
fafc_more(uint32_t sum, uint32_t bytes)
{
    return bytes < FAFC_MOST_BYTES - sum ? sum + bytes : FAFC_MOST_BYTES;
}

/* Called when a packet joins the queue of its pair, and when it leaves.  Hot: once per packet
 * each. */

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

/* Updates all active pairs at the end of a period. */
void weir_fafc_update(struct fafc_queues *, weir_ps now);

/* The cost of pausing an input with active pairs.  If needed, the costs of all inputs are computed
 * together, once per period. */
int64_t weir_fafc_cost(struct fafc_queues *, uint32_t in_slot);

/* The first function records that this node asks the peer of an input for a pause of 'ps' now.  The
 * second ends the slot of an input, and may begin another. */
void weir_fafc_defer(struct fafc_queues *, uint32_t in_slot, weir_ps now, weir_ps ps);
void weir_fafc_end_slot(struct fafc_queues *, uint32_t in_slot, weir_ps now);

/* Forgets the pauses of an input. */
void weir_fafc_forget_pauses(struct fafc_queues *, uint32_t in_slot);

void weir_fafc_queues_rebase(struct fafc_queues *, weir_ps by_ps);

#endif
