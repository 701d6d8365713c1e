/* Collects the facts of a run (answer/facts.h) when it is over, or was stopped.
 *
 *     struct collected c;
 *     collect(&c, &outcome, NULL);
 *     columns_write_json(&json, run_facts, N_RUN_FACTS, &c.facts);
 *
 * The same facts go to results files, to the rows of sweeps and to everything that is printed. */

#ifndef RUN_COLLECT_H
#define RUN_COLLECT_H

#include "answer/completion.h"
#include "answer/facts.h"
#include "run/outcome.h"

struct intervals;

enum { COLLECT_MAX_WORKLOADS = 1 + SCN_MAX_WORKLOADS };

/* Plain bytes, which fit a pipe. */
struct collected {
    struct run_facts facts;
    struct workload_facts workloads[COLLECT_MAX_WORKLOADS]; /* The first: all measured flows. */
    char names[COLLECT_MAX_WORKLOADS][SCN_WORKLOAD_BYTES];
    size_t n_workloads; /* 0: nothing is known. */
};

/* Sets all to unknown. */
void collect_nothing(struct collected *);

/* The intervals may be null: only sweeps count them. */
void collect(struct collected *, const struct outcome *, const struct intervals *);

/* The tau of a lab: that of the switch with the smallest margin to the tau that its thresholds were
 * derived for, where it was measured, else as it was estimated.  Negative: not known. */
struct collect_tau {
    weir_ps derived_ps, measured_ps, estimated_ps;
};

struct collect_tau collect_tau(const struct outcome *);

/* The flows that completion times are of, by their ids; freed by the caller. */
struct completion collect_flows(const struct outcome *);

#endif
