/* Flow completion times of finite flows: the number that finished, times, slowdowns, and
 * retransmitted bytes; over all, per workload, by size, and the worst.
 *
 *     struct completion c = { 0 };
 *     completion_add(&c, &flow, sent);         each flow that counts, in order of their ids
 *     completion_add_end(&c, workload, at);    each finite flow, also one that never started
 *     completion_of(&c, COMPLETION_ALL, &all);
 *     completion_free(&c);
 *
 * Sums are taken in the order in which flows were added, so that a caller that adds by id gets the
 * same bits, whatever the number of threads that ran the flows.
 *
 * A flow that has not ended took longer than all that have.  Percentiles are over all flows: one
 * that falls on such a flow is unknown, and so is the maximum.  Means are of flows that have
 * ended. */

#ifndef ANSWER_COMPLETION_H
#define ANSWER_COMPLETION_H

#include "answer/facts.h"
#include "weir/units.h"

enum { COMPLETION_ALL = 0, COMPLETION_MAX_BINS = 24, COMPLETION_MAX_WORST = 10 };
enum { COMPLETION_MAX_EDGES = COMPLETION_MAX_BINS - 1, COMPLETION_CDF_POINTS = 200 };
enum { COMPLETION_MAX_WORKLOADS = 64 };

struct completion_sent {
    uint64_t bytes, retransmitted_bytes; /* In all, and retransmitted. */
};

struct completion_flow {
    uint64_t id, bytes;
    weir_ps taken_ps;       /* From its start to its end, or so far. */
    weir_ps ideal_ps;       /* Alone. */
    uint32_t workload : 31; /* Its number from 1 on; 0: none. */
    bool has_ended : 1;
    uint32_t sent; /* Set by completion_add(): completion_sent_of(). */
};

_Static_assert(sizeof(struct completion_flow) == 40, "there may be millions");

/* The last end of the flows of a workload. */
struct completion_end {
    weir_ps last_ps;
    uint64_t n, n_open; /* All of them, and those that have not ended. */
};

/* Most flows have sent nothing, or all of their bytes once: what others have sent is apart. */
struct completion {
    struct completion_flow *flows;
    size_t n, max;
    struct completion_sent *sent;
    size_t n_sent, max_sent;
    struct completion_end ends[1 + COMPLETION_MAX_WORKLOADS]; /* By workload; the first: of all. */
};

/* Negative: not known. */
struct completion_spread {
    double mean, p50, p95, p99, most;
};

/* Flows of sizes that lie together.  With given edges, sizes are from the one on and under the
 * other, which is UINT64_MAX for the last.  Without, these are the minimum and maximum size in
 * it. */
struct completion_bin {
    uint64_t from_bytes, to_bytes;
    struct workload_facts of;
};

struct completion_bins {
    struct completion_bin items[COMPLETION_MAX_BINS];
    size_t n;
    bool are_given;
};

void completion_add(struct completion *, const struct completion_flow *, struct completion_sent);

/* Counts the end of a flow of a workload, or of none; negative: it has not ended. */
void completion_add_end(struct completion *, uint32_t workload, weir_ps at_ps);
struct completion_sent completion_sent_of(const struct completion *,
                                          const struct completion_flow *);
void completion_free(struct completion *);

/* How many times longer than alone, so far if it has not ended; negative: unknown. */
double completion_slowdown(const struct completion_flow *);

/* The facts of all flows, or of one workload. */
void completion_of(const struct completion *, uint32_t workload, struct workload_facts *);

/* Slowdowns of flows that have ended, as if there were no others. */
void completion_of_ended(const struct completion *, struct completion_spread *slowdown);

/* By size.  Without edges, bins are as usual in the field: 5 % of all flows each, ending where the
 * size changes.  But a size that a tenth of all flows have gets a bin of its own, so that an incast
 * makes no spike among flows of similar sizes.  Edges increase; bins between them may be empty. */
void completion_by_size(const struct completion *, const uint64_t *edges, size_t n_edges,
                        struct completion_bins *);

/* The greatest slowdowns, also so far of flows that have not ended, the worst first; of equals, the
 * lower id.  Returns how many. */
size_t completion_worst(const struct completion *,
                        const struct completion_flow *worst[COMPLETION_MAX_WORST]);

/* [i]: the slowdown that i / COMPLETION_CDF_POINTS of the flows that have ended do not exceed;
 * false: there are none. */
bool completion_cdf(const struct completion *, double cdf[COMPLETION_CDF_POINTS + 1]);

#endif
