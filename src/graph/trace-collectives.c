/* Algorithms of collectives that trace files name. */

#include "graph/trace-collectives.h"

struct trace_collectives
trace_collectives_default(void)
{
    const struct coll_algorithm *ring = coll_algorithm_find("ring");
    const struct coll_algorithm *direct = coll_algorithm_find("direct");
    struct trace_collectives t;

    for (int op = 0; op < COLL_N_OPS; op++) {
        t.params[op] = (struct coll_params){
            .algorithm = ring->ops >> op & 1 ? ring : direct,
            .op = (enum coll_op)op,
            .channels = 1,
            .window = COLL_WINDOW,
        };
    }
    return t;
}

bool
trace_collective_check(const struct trace_collectives *t, enum coll_op op, uint32_t n,
                       uint64_t bytes, struct err *err)
{
    struct coll_params p = t->params[op];

    p.n = n;
    p.bytes = bytes;
    return coll_check(&p, err);
}
