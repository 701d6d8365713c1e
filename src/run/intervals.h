/* Interval metrics of a sweep: the bytes that hosts send, and the share of bandwidth that control
 * frames take, in intervals of a run. GFC's evaluation counts bytes every 100 us and frames every
 * 500 us.  Qian et al., 6.2.3
 *
 *     struct intervals intervals;
 *     intervals_begin(&intervals, &scenario, study);       before the simulator is made
 *     config.sample_ps = INTERVALS_PS;
 *     config.sample = intervals_sample;
 *     config.sample_arg = &intervals;
 *     config.sampled = &intervals.sampled;
 *     sim_run(sim);
 *     facts = intervals_facts(&intervals);
 *     intervals_end(&intervals);
 *
 * One thread adds the values in the order of samples and ports, so equal runs have equal sums. */

#ifndef RUN_INTERVALS_H
#define RUN_INTERVALS_H

#include "run/measures.h"
#include "scenario/scenario.h"
#include "sim/sim.h"

enum {
    INTERVALS_FRAMES_EVERY = 5, /* In samples. */
    INTERVALS_N_SHARES = 100000 /* The number of steps between a share of 0 and a share of 1. */
};

#define INTERVALS_PS (WEIR_PS_PER_S / 10000)

/* The results of the measurement; COLUMN_NO_COUNT or a negative value: unknown. */
struct interval_facts {
    uint64_t mean_bps, deviation_bps, late_bps;
    double silent_share, feedback_p99, feedback_max;
};

struct intervals {
    const struct topo *topo;
    uint64_t frame_bytes;
    weir_ps time_ps; /* The time in which flows start: the run without the run-out. */
    weir_ps late_ps; /* The beginning of the last tenth of 'time_ps'. */
    bool stops_at_deadlock;
    struct measures own;        /* The study's own measures. */
    struct sim_sampled sampled; /* The ports and flows that samples read. */

    uint64_t n_samples;
    weir_ps bytes_ps, frames_ps; /* The times of the last counts of bytes and of frames. */
    /* [node]: the bytes that a host had sent on all its ports at the last count. */
    uint64_t *sent_bytes;
    uint64_t *n_sent_frames; /* [port]: the frames that had been sent at the last count. */

    /* Number, sum and sum of squares of the rates in bits per second, over all pairs of host and
     * interval. */
    double n, sum, sum_of_squares;
    double n_late, sum_late;
    uint64_t *late_bytes; /* [node]: bytes that a host sent in the last tenth. */
    uint64_t n_shares;
    uint32_t *shares; /* The number of pairs of port and interval that had this share of control
                         frames. */
};

void intervals_begin(struct intervals *, const struct scenario *, const struct scn_study *);
void intervals_sample(void *intervals, struct sim *, weir_ps now);
/* Null instead of intervals: all facts are unknown. */
struct interval_facts intervals_facts(const struct intervals *);

/* The share of control frames that 'thousandths' of all pairs of port and interval do not exceed;
 * negative if there are no pairs. */
double intervals_feedback(const struct intervals *, uint32_t thousandths);
void intervals_end(struct intervals *);

#endif
