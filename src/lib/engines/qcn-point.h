/* QCN's congestion point: the messages of a switch to the senders that fill its buffers.
 *
 * A congestion point watches one queue, of a (port, class) at an input or an output.  It takes
 * samples, and if the queue is too long or grows too fast, it blames one flow.  A congestion
 * notification message (CNM, wire.h) carries the feedback to the sender. qcn-point.c begins with a
 * drawing of the sampling, after 802.1Qau clause 32.  A parameter selects the packet to blame:
 *
 *     arrival     the packet that has just arrived, as in 802.1Qau: flows are blamed in proportion
 *                 to the bytes that arrive
 *     occupancy   the packet of a random byte of the queue: flows are blamed in proportion to the
 *                 bytes that wait, so that a flow that passes through is spared
 *     two         two packets as for 'occupancy', and the one of them whose output is fuller
 *     oldest      the packet that has waited longest
 *
 * A point never looks up flows.  It keeps a few numbers, whatever the number of flows.
 *
 * An engine's state at a switch must contain a struct weir_point.  The points follow 'points_at'
 * bytes after its start; weir_point_check() adds their size to the needs.  The keys of timers are
 * slots.  Each hook adds at most WEIR_POINT_EMITS answers to the outbox. */

#ifndef WEIR_LIB_QCN_POINT_H
#define WEIR_LIB_QCN_POINT_H

#include "weir/engine.h"

enum weir_point_place { WEIR_POINT_INPUT, WEIR_POINT_OUTPUT, WEIR_POINT_INNER };
extern const char *const weir_point_place_names[];

enum weir_point_blame {
    WEIR_BLAME_ARRIVAL,
    WEIR_BLAME_OCCUPANCY,
    WEIR_BLAME_TWO,
    WEIR_BLAME_OLDEST
};
extern const char *const weir_point_blame_names[];

struct weir_point_params {
    uint64_t place, blame, qeq_bytes, weight, interval_bytes, jitter, keep_alive_ps, seed;
};

struct weir_point {
    struct weir_point_params p;
    uint64_t chance, n_samples, n_cnms, n_kept_alive;
    uint32_t points_at;
};

enum { WEIR_POINT_EMITS = 2 };

/* Rows for an engine's tables; its parameters must have a struct weir_point_params named
 * 'point'. */
#define POINT_PARAMS(TYPE)                                                                         \
    WEIR_FIELD(TYPE, point.place, "place", WEIR_CHOICE, .choices = weir_point_place_names,         \
               .help = "Where congestion is noticed: in the input buffers of a switch, in its "    \
                       "output buffers, or in the output buffers at links inside a fabric.",       \
               .source = "802.1Qau: output; QCN-OS: input"),                                       \
        WEIR_FIELD(                                                                                \
            TYPE, point.blame, "blame", WEIR_CHOICE, .choices = weir_point_blame_names,            \
            .fallback = WEIR_BLAME_OCCUPANCY,                                                      \
            .help =                                                                                \
                "Packet whose sender slows down: the one just arrived; one at a random byte of "   \
                "the buffer; of two such packets, the one with the fuller output; or the oldest.", \
            .source = "802.1Qau: arrival; QCN-OS: occupancy, two; oldest: in no paper"),           \
        WEIR_FIELD(TYPE, point.qeq_bytes, "qeq", WEIR_BYTES, .fallback = WEIR_AUTO, .min = 1,      \
                   .max = WEIR_MAX_BYTES,                                                          \
                   .derived = "30KB up to 10Gbps, at faster ports in proportion to the rate, but " \
                              "no more than half of what a queue can hold there",                  \
                   .by_port = true,                                                                \
                   .help = "Target queue length. At inputs under PFC it should be "                \
                           "below PFC's xon.",                                                     \
                   .source = "802.1Qau cpQSp, 26 KB there; QCN-OS 60 KB"),                         \
        WEIR_FIELD(TYPE, point.weight, "weight", WEIR_COUNT, .fallback = 2, .min = 0, .max = 16,   \
                   .help = "Weight of the growth of the queue since the last sample, "             \
                           "against its length.",                                                  \
                   .source = "802.1Qau cpW"),                                                      \
        WEIR_FIELD(TYPE, point.interval_bytes, "interval", WEIR_BYTES, .fallback = WEIR_AUTO,      \
                   .min = 64, .max = WEIR_MAX_BYTES,                                               \
                   .derived = "150KB up to 10Gbps, at faster ports in proportion to the rate",     \
                   .by_port = true,                                                                \
                   .help = "Bytes that arrive between two samples of an uncongested queue; with "  \
                           "congestion, down to an eighth of that.",                               \
                   .source = "802.1Qau cpSampleBase"),                                             \
        WEIR_FIELD(TYPE, point.jitter, "jitter", WEIR_RATIO,                                       \
                   .fallback = (WEIR_RATIO_1 * 15 + 50) / 100, .min = 0, .max = WEIR_RATIO_1 / 2,  \
                   .help = "Random variation of that interval, up and down, as a share of it.",    \
                   .source = "802.1Qau"),                                                          \
        WEIR_FIELD(TYPE, point.keep_alive_ps, "keep_alive", WEIR_TIME,                             \
                   .fallback = 20 * WEIR_POINT_US, .min = 0, .max = WEIR_PS_PER_S,                 \
                   .help = "Time without arrivals after which a queue longer than qeq is sampled " \
                           "by the clock, as when the link that feeds it is paused.  0: never.",   \
                   .source = "-"),                                                                 \
        WEIR_FIELD(TYPE, point.seed, "seed", WEIR_COUNT, .fallback = WEIR_AUTO, .max = UINT32_MAX, \
                   .derived = "that of the run",                                                   \
                   .help = "Seed for every random choice; every node draws its own numbers.",      \
                   .source = "-")

#define WEIR_POINT_US 1000000

/* Rows for the engine's counters; its state TYPE must have a struct weir_point named 'point'. */
#define POINT_COUNTERS(TYPE)                                                                       \
    WEIR_FIELD(TYPE, point.n_samples, "samples", WEIR_COUNT,                                       \
               .help = "Samples of queues that were taken."),                                      \
        WEIR_FIELD(TYPE, point.n_cnms, "cnms", WEIR_COUNT,                                         \
                   .help = "Congestion notification messages that were sent."),                    \
        WEIR_FIELD(TYPE, point.n_kept_alive, "kept_alive", WEIR_COUNT,                             \
                   .help = "Samples that were taken by the clock, as nothing arrived.")

/* The values of 802.1Qau apply to this rate; for faster links, values in bytes and bits per second
 * grow with the rate. */
#define WEIR_QCN_BPS 10000000000ull

static inline uint64_t
weir_qcn_scaled(uint64_t value, uint64_t rate_bps)
{
    return rate_bps > WEIR_QCN_BPS ? weir_mul_div(value, rate_bps, WEIR_QCN_BPS) : value;
}

void weir_point_derive(const struct weir_shape *, struct weir_point_params *);

/* Whether the parameters fit a switch; if not, 'text' has the reason.  Otherwise sets the needs,
 * with state_bytes only for the points, and adds warnings. */
bool weir_point_check(const struct weir_shape *, const struct weir_point_params *,
                      struct weir_needs *, struct weir_text *);

/* Initialises the state, which is all zero bytes before. */
void weir_point_init(struct weir_point *, const struct weir_ctx *, const struct weir_point_params *,
                     uint32_t points_at);
void weir_point_arrived(struct weir_point *, struct weir_ctx *, const struct weir_pkt *);
void weir_point_queued(struct weir_point *, struct weir_ctx *, const struct weir_pkt *);
void weir_point_timer(struct weir_point *, struct weir_ctx *, uint32_t slot);
void weir_point_rebase(struct weir_point *, const struct weir_ctx *, weir_ps by_ps);

#endif
