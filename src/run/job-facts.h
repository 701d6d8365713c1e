/* Facts of jobs: completion, iterations, bandwidth, time of ranks; and ranks that cannot go on. */

#ifndef RUN_JOB_FACTS_H
#define RUN_JOB_FACTS_H

#include "run/outcome.h"

struct job_counts { /* Sums over the ranks of all jobs. */
    uint64_t n_ranks, n_waiting, n_sent, n_arrived, n_relayed, relayed_bytes;
};

struct job_counts job_facts_count(const struct outcome *);

/* Adds each job to the completion times of the outcome. */
void job_facts_collect(struct outcome *);

/* Names the ranks of the first job that cannot go on, in outcome.stuck: they wait for messages that
 * no rank will send. */
void job_facts_find_stuck(struct outcome *);

/* The number of ranks of the job of a workload that have not ended; 0 also if it is no job. */
uint64_t job_facts_n_unfinished(const struct outcome *, size_t workload, uint64_t *n_ranks);

#endif
