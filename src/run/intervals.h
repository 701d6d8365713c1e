/* Bytes that a run's hosts send and that its control frames take, per interval while it runs.
 * GFC's evaluation counts bytes every 100 us and frames every 500 us.    Qian et al., 6.2.3
 *
 *     struct intervals intervals;
 *     intervals_begin(&intervals, &scenario, study);      before the simulator is made
 *     config.sample_ps = INTERVALS_PS;
 *     config.sample = intervals_sample;
 *     config.sample_arg = &intervals;
 *     config.sampled = &intervals.sampled;
 *     sim_run(sim);
 *     facts = intervals_facts(&intervals);
 *     intervals_end(&intervals);
 *
 * Sums are taken in the order of samples and ports, on one thread: equal runs have equal sums. */

#ifndef RUN_INTERVALS_H
#define RUN_INTERVALS_H

#include "run/measures.h"
#include "scenario/scenario.h"
#include "sim/sim.h"

enum {
    INTERVALS_FRAMES_EVERY = 5, /* Samples. */
    INTERVALS_N_SHARES = 100000 /* Steps between no control frames and nothing else. */
};

#define INTERVALS_PS (WEIR_PS_PER_S / 10000)

/* The facts of intervals; COLUMN_NO_COUNT or negative: not known. */
struct interval_facts {
    uint64_t mean_bps, deviation_bps, late_bps;
    double silent_share, feedback_p99, feedback_max;
};

struct intervals {
    const struct topo *topo;
    uint64_t frame_bytes;
    weir_ps time_ps; /* In which flows start: all of the run but the run-out. */
    weir_ps late_ps; /* From when on is late: the last tenth of that time. */
    bool stops_at_deadlock;
    struct measures own;        /* The study's. */
    struct sim_sampled sampled; /* The ports and flows that samples read. */

    uint64_t n_samples;
    weir_ps bytes_ps, frames_ps;          /* Time of the last count of each, */
    uint64_t *sent_bytes, *n_sent_frames; /* and its value before, [port]. */

    double n, sum, sum_of_squares; /* Over (host, interval): bits per second. */
    double n_late, sum_late;
    uint64_t *late_bytes; /* [port]: sent in the last tenth. */
    uint64_t n_shares;
    uint32_t *shares; /* How many (port, interval) had this share of control frames. */
};

void intervals_begin(struct intervals *, const struct scenario *, const struct scn_study *);
void intervals_sample(void *intervals, struct sim *, weir_ps now);
struct interval_facts intervals_facts(const struct intervals *); /* Null: nothing is known. */

/* The share of control frames that 'n' thousandths of all (port, interval) do not exceed; negative:
 * there are none. */
double intervals_feedback(const struct intervals *, uint32_t thousandths);
void intervals_end(struct intervals *);

#endif
