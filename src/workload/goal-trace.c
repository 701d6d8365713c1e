/* The task graph of a GOAL file: its ranks send, receive and compute as LogGOPSim's and ATLAHS'
 * traces say. */

#include "workload/job.h"

struct params {
    uint64_t qps, placement;
};

static const struct weir_field fields[] = {
    WL_FIELD(qps, "qps", WEIR_COUNT, .fallback = 1, .min = 1, .max = COLL_MAX_CHANNELS,
             .help = "Connections (queue pairs) from a rank to a peer; a message takes the one "
                     "with the number of its nic, modulo qps."),
    WL_PLACEMENT_FIELD(struct params),
    { 0 },
};

static bool
describe(const struct wl_spec *w, struct wl_job *job)
{
    const struct params *p = w->params;

    job->goal = w->goal;
    job->qps = p->qps;
    job->placement = p->placement;
    return true;
}

const struct wl_pattern wl_goal = {
    .about = { .name = "goal",
               .title = "Task graph of a GOAL file: sends, receives and calculations of ranks",
               .source = "LogGOPSim; ATLAHS",
               .params = fields,
               .params_bytes = sizeof(struct params) },
    .is_one_job = true,
    .takes_goal = true,
    .job = describe,
};
