/* How collectives of trace files run: files name operations and sizes, but no algorithms. */

#ifndef GRAPH_TRACE_COLLECTIVES_H
#define GRAPH_TRACE_COLLECTIVES_H

#include "graph/collective.h"

struct trace_collectives {
    struct coll_params params[COLL_N_OPS]; /* Without 'n' and 'bytes'. */
};

/* A ring for each operation that has one, else messages to each other member; one channel. */
struct trace_collectives trace_collectives_default(void);

/* Checks a collective of n members. */
bool trace_collective_check(const struct trace_collectives *, enum coll_op, uint32_t n,
                            uint64_t bytes, struct err *);

#endif
