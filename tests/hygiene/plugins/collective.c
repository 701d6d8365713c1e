/* An algorithm of collectives for check-plugins: a ring, or direct exchange. */

#include "graph/collective.h"

static uint32_t
n_phases(enum coll_op op)
{
    (void)op;
    return 1;
}

static void
enter(const struct coll_params *p, uint32_t phase, struct coll_view *v)
{
    (void)phase;
    v->algorithm = coll_algorithm_find(p->levels.server == 1 ? "ring" : "direct");
}

static const struct weir_field fields[] = {
    WEIR_FIELD(struct coll_levels, server, "server", WEIR_COUNT, .fallback = 1, .min = 1, .max = 2,
               .help = "1: a ring.  2: direct exchange.", .source = "-"),
    { 0 },
};

const struct coll_algorithm coll_throwaway_collective = {
    .about = { .name = "throwaway-collective",
               .title = "A ring, or direct exchange",
               .params = fields,
               .params_bytes = sizeof(struct coll_levels) },
    .ops = 1 << COLL_ALL_REDUCE,
    .n_phases = n_phases,
    .enter = enter,
};
