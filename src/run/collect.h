/* Collects the facts of a run (answer/facts.h) when it is over, or was stopped.
 *
 *     collect(&outcome, NULL);
 *     columns_write_json(&json, run_facts, N_RUN_FACTS, &outcome.collected->facts);
 *
 * The same facts go to results files, to the rows of sweeps and to everything that is printed. */

#ifndef RUN_COLLECT_H
#define RUN_COLLECT_H

#include "answer/completion-table.h"
#include "answer/facts.h"
#include "run/outcome.h"

struct intervals;

enum { COLLECT_MAX_WORKLOADS = 1 + SCN_MAX_WORKLOADS };

/* The facts of a run.  The struct has no pointers, so a worker can send it through a pipe. */
struct collected {
    struct run_facts facts;
    struct workload_facts workloads[COLLECT_MAX_WORKLOADS]; /* [0]: all measured flows; then those
                                                               of each workload. */
    char names[COLLECT_MAX_WORKLOADS][SCN_WORKLOAD_BYTES];
    size_t n_workloads; /* 0: nothing is known. */
};

/* Sets all facts to unknown. */
void collect_nothing(struct collected *);

/* Fills in the flows and the collected facts of an outcome. Call it once, when the rest of the
 * outcome is known. The intervals are null except in sweeps, because only sweeps measure them. */
void collect(struct outcome *, const struct intervals *);

/* The tau of a lab, as measured, or else as estimated. It is the tau of the switch with the
 * smallest margin to the tau that its thresholds were derived for. Negative values are unknown. */
struct collect_tau {
    weir_ps derived_ps, measured_ps, estimated_ps;
};

struct collect_tau collect_tau(const struct outcome *);

/* Flow completion times of a run, with the names of its workloads and of the worst flows. */
struct collected_fct {
    struct completion_table table;                    /* The caller frees it. */
    char names[COMPLETION_MAX_WORST][SCN_NAME_BYTES]; /* The names that the table refers to. */
};

/* Fills in the struct. It must not be moved afterwards, and is valid only as long as the
 * outcome. */
void collect_fct(struct collected_fct *, const struct outcome *, const uint64_t *edges,
                 size_t n_edges);

#endif
