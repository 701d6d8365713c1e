/* A scenario that has been run. */

#ifndef CLI_OUTCOME_H
#define CLI_OUTCOME_H

#include "scenario/scenario.h"
#include "sim/sim.h"

struct outcome {
    struct scenario s;
    struct sim_flow *flows;
    struct sim_link_event *link_events;
    struct sim *sim;
    struct sim_totals totals;
    struct sim_deadlock deadlock;
    size_t n_collapsed;   /* Endless flows that move, at under a tenth of their fair share. */
    double seconds;       /* Of running, not of setting up. */
    struct err imbalance; /* Where bytes were created or forgotten. */
    const char *violations[8];
    size_t n_violations;
};

/* Reads a scenario.  Returns an exit code; what is wrong has been told to the user. */
int outcome_read(struct scenario *, const char *file, const char *const *sets, size_t n_sets);

/* The simulator's side of a scenario. */
struct sim_config outcome_config(const struct scenario *, const struct sim_flow *flows,
                                 uint32_t n_threads);

/* Reads, checks and runs.  Returns an exit code; all but EXIT_GOOD and EXIT_PROMISE have been told
 * to the user, and leave nothing to free. */
int outcome_run(struct outcome *, const char *file, const char *const *sets, size_t n_sets,
                uint32_t n_threads);
void outcome_free(struct outcome *);

/* The rate of a flow from its start to its end, or to the end of the run. */
uint64_t outcome_flow_bps(const struct outcome *, size_t flow);

#endif
