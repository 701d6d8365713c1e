/* The measured flows of many runs, which worker processes pass to the process that started them. It
 * computes percentiles over the flows of several seeds.
 *
 *     struct pooled_flows *pool = pooled_flows_new();        before the workers are started
 *     pooled_flows_add(pool, run, &outcome.flows);           in a worker
 *     pooled_flows_facts(pool, first, n_runs, &facts);       when all runs have ended
 *     pooled_flows_free(pool);
 *
 * The flows are in a temporary file without a name, so that a pool costs no memory.  All functions
 * accept null, for a pool that could not be created.  The facts are then unknown, as after an
 * incomplete write. */

#ifndef RUN_POOLED_FLOWS_H
#define RUN_POOLED_FLOWS_H

#include "answer/completion.h"

struct pooled_flows;

struct pooled_flows *pooled_flows_new(void);
void pooled_flows_free(struct pooled_flows *);
void pooled_flows_add(struct pooled_flows *, uint64_t run, const struct completion *);

/* The facts of all flows of consecutive runs; false: they are unknown. The facts do not include
 * sent bytes, which the pool does not store. */
bool pooled_flows_facts(struct pooled_flows *, uint64_t first, uint64_t n_runs,
                        struct workload_facts *);

#endif
