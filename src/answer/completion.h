/* Flow completion times of finite flows: the number that finished, times, slowdowns, and
 * retransmitted bytes; over all, per workload, by size, and the worst.
 *
 *     struct completion c = { 0 };
 *     completion_add(&c, &flow, sent);         each flow that counts, in order of their ids
 *     completion_add_end(&c, workload, at);    each finite flow, also one that never started
 *     completion_of(&c, COMPLETION_ALL, &all);
 *     completion_free(&c);
 *
 * Sums are computed in the order in which flows were added, so a caller that adds flows by id gets
 * identical bits for any number of threads.
 *
 * A flow that has not ended counts as longer than all ended flows.  Percentiles are over all flows:
 * a percentile that falls on such a flow is unknown, and so is the maximum.  Means are over ended
 * flows. */

#ifndef ANSWER_COMPLETION_H
#define ANSWER_COMPLETION_H

#include "answer/facts.h"
#include "weir/units.h"

enum { COMPLETION_ALL = 0, COMPLETION_MAX_BINS = 24, COMPLETION_MAX_WORST = 10 };
enum { COMPLETION_MAX_EDGES = COMPLETION_MAX_BINS - 1, COMPLETION_CDF_POINTS = 200 };
enum { COMPLETION_MAX_WORKLOADS = 64 };

struct completion_sent {
    /* All sent bytes, and the retransmitted bytes among them. */
    uint64_t bytes, retransmitted_bytes;
};

struct completion_flow {
    uint64_t id, bytes;
    weir_ps taken_ps;       /* The time from its start to its end, or until now. */
    weir_ps ideal_ps;       /* Its duration on an idle network. */
    uint32_t workload : 31; /* The number of its workload, from 1 on; 0: it has none. */
    bool has_ended : 1;
    uint32_t sent; /* Set by completion_add() for completion_sent_of(). */
};

_Static_assert(sizeof(struct completion_flow) == 40, "there may be millions");

/* The time at which the last flow of a workload finished. */
struct completion_end {
    weir_ps last_ps;
    uint64_t n, n_open; /* The number of flows, and of those that have not ended. */
};

/* A job: ranks that send messages on connections.  Negative times and ratios, and COLUMN_NO_COUNT:
 * not known. */
struct completion_job {
    weir_ps taken_ps; /* From its start to the end of its last rank. */
    weir_ps iteration_min_ps, iteration_p50_ps, iteration_max_ps;
    uint64_t algbw_bps, busbw_bps;               /* The median iteration has these, */
    double slowdown;                             /* and this. */
    weir_ps computing_mean_ps, computing_max_ps; /* Over ranks. */
    weir_ps network_mean_ps, network_max_ps, peer_mean_ps, peer_max_ps;
};

/* The flows.  Most have sent nothing, or each byte once; sent bytes of the others are stored
 * separately. */
struct completion {
    struct completion_flow *flows;
    size_t n, max;
    struct completion_sent *sent;
    size_t n_sent, max_sent;
    /* [workload]; ends[0] is for all flows. */
    struct completion_end ends[1 + COMPLETION_MAX_WORKLOADS];
    struct completion_job *jobs[1 + COMPLETION_MAX_WORKLOADS]; /* Null: a workload of flows. */
    size_t n_jobs;
};

/* Negative: unknown. */
struct completion_spread {
    double mean, p50, p95, p99, most;
};

/* Flows of similar sizes.  With given edges, sizes are from 'from_bytes' up to below 'to_bytes',
 * which is UINT64_MAX for the last bin.  Without edges these are the minimum and maximum size in
 * the bin. */
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

/* Counts the end of a flow of a workload, or of no workload. If 'at_ps' is negative, the flow has
 * not ended. */
void completion_add_end(struct completion *, uint32_t workload, weir_ps at_ps);

/* Adds the job of a workload, and counts its end at this time; negative: it has not ended. */
void completion_add_job(struct completion *, uint32_t workload, const struct completion_job *,
                        weir_ps end_ps);

/* The same, from recorded facts; does nothing if they are those of a workload of flows. */
void completion_add_job_facts(struct completion *, uint32_t workload,
                              const struct workload_facts *);
extern const struct completion_job completion_no_job; /* Nothing is known. */
struct completion_sent completion_sent_of(const struct completion *,
                                          const struct completion_flow *);
void completion_free(struct completion *);

/* The flow's duration, or its time so far, divided by its duration on an idle network; negative:
 * unknown. */
double completion_slowdown(const struct completion_flow *);

/* The facts of all flows, or of one workload. */
void completion_of(const struct completion *, uint32_t workload, struct workload_facts *);

/* The slowdowns of the flows that have ended, as if there were no other flows. */
void completion_of_ended(const struct completion *, struct completion_spread *slowdown);

/* Computes facts by size. Without edges, bins are as usual in papers: each has 5 % of all flows,
 * and ends where the size changes. But a size that a tenth of all flows have gets its own bin, so
 * that an incast causes no spike among flows of similar sizes. Given edges must increase; bins
 * between them may be empty. */
void completion_by_size(const struct completion *, const uint64_t *edges, size_t n_edges,
                        struct completion_bins *);

/* Lists the flows with the greatest slowdowns, including unfinished flows, the worst first; equal
 * ones by id.  Returns their number. */
size_t completion_worst(const struct completion *,
                        const struct completion_flow *worst[COMPLETION_MAX_WORST]);

/* Sets cdf[i] to the slowdown that i / COMPLETION_CDF_POINTS of the ended flows do not exceed;
 * returns false if none has ended. */
bool completion_cdf(const struct completion *, double cdf[COMPLETION_CDF_POINTS + 1]);

#endif
