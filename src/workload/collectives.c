/* Collectives as patterns: the hosts are ranks, in one group or in several groups at once. */

#include "workload/job.h"

#define JOB(NAME, OP)                                                                              \
    static bool NAME(const struct wl_spec *w, struct wl_job *job)                                  \
    {                                                                                              \
        wl_describe_collective(w, OP, job);                                                        \
        return true;                                                                               \
    }

JOB(all_reduce, COLL_ALL_REDUCE)
JOB(all_gather, COLL_ALL_GATHER)
JOB(reduce_scatter, COLL_REDUCE_SCATTER)
JOB(broadcast, COLL_BROADCAST)
JOB(barrier, COLL_BARRIER)
JOB(send_recv, COLL_SEND_RECV)

static const struct weir_field all_fields[] = {
    WL_ALGORITHM_FIELD("ring"),
    WL_COLL_BYTES_FIELD(1000000, "Buffer that all ranks have in the end."),
    WL_MESSAGE_FIELDS,
    WL_COLL_FIELDS,
    { 0 },
};

static const struct weir_field share_fields[] = {
    WL_ALGORITHM_FIELD("ring"),
    WL_COLL_BYTES_FIELD(1000000, "Buffer that each rank has in the beginning, with a share for "
                                 "each rank."),
    WL_MESSAGE_FIELDS,
    WL_COLL_FIELDS,
    { 0 },
};

static const struct weir_field broadcast_fields[] = {
    WL_ALGORITHM_FIELD("ring"),
    WL_COLL_BYTES_FIELD(1000000, "Buffer of the root, which all ranks have in the end."),
    WL_COLL_FIELD(root, "root", WEIR_COUNT, .max = COLL_MAX_MEMBERS,
                  .help = "Rank in its group, from 0, that has the buffer in the beginning."),
    WL_MESSAGE_FIELDS,
    WL_COLL_FIELDS,
    { 0 },
};

static const struct weir_field barrier_fields[] = {
    WL_ALGORITHM_FIELD("ring"),
    WL_COLL_FIELD(channels, "channels", WEIR_COUNT, .fallback = 1, .min = 1,
                  .max = COLL_MAX_CHANNELS, .help = "Channels that each make a barrier."),
    WL_COLL_FIELDS,
    { 0 },
};

static const struct weir_field send_fields[] = {
    WL_ALGORITHM_FIELD("direct"),
    WL_COLL_BYTES_FIELD(1000000, "Buffer that each rank sends."),
    WL_MESSAGE_FIELDS,
    WL_COLL_FIELDS,
    { 0 },
};

#define COLLECTIVE(VARIABLE, NAME, TITLE, FIELDS, JOB_OF)                                          \
    const struct wl_pattern VARIABLE = { .about = { .name = NAME,                                  \
                                                    .title = TITLE,                                \
                                                    .params = FIELDS,                              \
                                                    .params_bytes =                                \
                                                        sizeof(struct wl_collective) },            \
                                         .is_one_job = true,                                       \
                                         .takes_groups = true,                                     \
                                         .job = JOB_OF }

COLLECTIVE(wl_all_reduce, "all-reduce", "Collective: all ranks get the sum of the buffers of all",
           all_fields, all_reduce);
COLLECTIVE(wl_all_gather, "all-gather", "Collective: all ranks get the shares of all", all_fields,
           all_gather);
COLLECTIVE(wl_reduce_scatter, "reduce-scatter", "Collective: each rank gets a share of the sum",
           share_fields, reduce_scatter);
COLLECTIVE(wl_broadcast, "broadcast", "Collective: all ranks get the buffer of one rank",
           broadcast_fields, broadcast);
COLLECTIVE(wl_barrier, "barrier", "Collective: no rank goes on before all have come",
           barrier_fields, barrier);
COLLECTIVE(wl_send_recv, "send-recv",
           "Collective: each rank sends to the next one, and the last rank to the first",
           send_fields, send_recv);
