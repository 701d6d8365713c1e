/* Task graphs of files: ranks send, receive, compute and take part in collectives as traces say. */

#include "workload/job.h"

struct params {
    uint64_t qps, placement, relay, relay_chunk_bytes;
};

static const struct weir_field fields[] = {
    WL_FIELD(qps, "qps", WEIR_COUNT, .fallback = 1, .min = 1, .max = COLL_MAX_CHANNELS,
             .help = "Connections (queue pairs) from a rank to a peer; a message takes the one "
                     "with the number of its nic, modulo qps."),
    WL_PLACEMENT_FIELD(struct params),
    WL_RELAY_FIELDS(struct params),
    { 0 },
};

static bool
describe(const struct wl_spec *w, struct wl_job *job)
{
    const struct params *p = w->params;

    job->trace = w->trace;
    job->qps = p->qps;
    job->placement = p->placement;
    job->relay = p->relay;
    job->relay_chunk_bytes = p->relay_chunk_bytes;
    return true;
}

#define TRACE(NAME, TITLE, SOURCE)                                                                 \
    {                                                                                              \
        .about = { .name = (NAME),                                                                 \
                   .title = (TITLE),                                                               \
                   .source = (SOURCE),                                                             \
                   .params = fields,                                                               \
                   .params_bytes = sizeof(struct params) },                                        \
        .is_one_job = true, .takes_trace = true, .job = describe,                                  \
    }

const struct wl_pattern wl_goal =
    TRACE("goal", "Task graph of a GOAL file: sends, receives and calculations of ranks",
          "LogGOPSim; ATLAHS");

const struct wl_pattern wl_chakra =
    TRACE("chakra", "Task graph of Chakra execution traces, with one file for each rank",
          "MLCommons Chakra; ASTRA-sim");

const struct wl_pattern wl_simai =
    TRACE("simai", "Training step of a SimAI workload: layers and their collectives", "SimAI");
