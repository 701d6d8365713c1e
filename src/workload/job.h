/* Jobs: workloads whose hosts are ranks that send messages to each other on connections.
 *
 * A pattern describes its job, a collective or the task graph of a file.  The functions here draw
 * the connections of the job as flows, and build its graph:
 *
 *     struct wl_job job;
 *     if (!wl_job_of(pattern, &spec, &job)) ...        its flows have sizes
 *     if (!wl_job_check(&spec, &job, &at, &err)) ...
 *     if (!wl_job_draw(&spec, &job, &flows, &err)) ... flows of WL_MESSAGES
 *     if (!wl_job_build(&spec, &job, &graph, &err)) ...  once for each run, which changes it
 *
 * The connections are sorted by rank, peer and number, and a pair of ranks has job.qps of them. */

#ifndef WL_JOB_H
#define WL_JOB_H

#include "graph/relay-table.h"
#include "graph/trace.h"
#include "workload/pattern.h"

/* The order in which ranks are given to hosts. */
enum wl_placement {
    WL_PACKED,  /* As the hosts are listed. */
    WL_STRIDED, /* Round robin over leaf switches. */
    WL_RANDOM,
};

/* Which messages GPUs relay for each other: none, or those to other rails of other servers. */
enum wl_relay { WL_RELAY_OFF, WL_RELAY_RAIL };

struct wl_job {
    const struct trace *trace; /* Null: a collective. */
    struct coll_params coll;   /* n: members of a group. */
    uint64_t stride;           /* Ranks from one member of a group to the next. */
    uint64_t repeat, every_ps, compute_ps;
    uint64_t qps;       /* Connections of a pair of ranks. */
    uint64_t placement; /* enum wl_placement. */
    uint64_t relay;     /* enum wl_relay. */
    uint64_t relay_chunk_bytes;

    /* Whether parameters of hierarchical were given, which other algorithms do not have. */
    bool has_levels;
};

/* Describes the job of a workload.  False: its flows have sizes. */
bool wl_job_of(const struct wl_pattern *, const struct wl_spec *, struct wl_job *);

/* Refuses a job, and names the wrong parameter in 'at', or null. */
bool wl_job_check(const struct wl_spec *, const struct wl_job *, const char **at, struct err *);

uint32_t wl_job_n_ranks(const struct wl_spec *, const struct wl_job *);

/* Writes the host of each rank. */
void wl_job_place(const struct wl_spec *, const struct wl_job *, uint32_t *nodes);

/* Writes the server and rail of each rank; and refuses a network that has no relays. */
void wl_job_places(const struct topo *, const uint32_t *nodes, uint32_t n_ranks,
                   struct relay_place *);
bool wl_check_relays(const struct topo *, struct err *);

/* Draws the connections.  Ranks whose messages are relayed have none to each other, but to and from
 * their relay. */
bool wl_job_draw(const struct wl_spec *, const struct wl_job *, struct wl_flows *, struct err *);

/* Builds and finishes the graph, even if it fails.  Tasks with GRAPH_REPORT are the iterations of a
 * collective. */
bool wl_job_build(const struct wl_spec *, const struct wl_job *, struct graph *, struct err *);

/* Parameters of collectives, next to those that only some patterns have. */
struct wl_collective {
    uint64_t algorithm, bytes, root, channels, chunk_bytes, window;
    uint64_t server, inside, rails;
    uint64_t qps, repeat, every_ps, compute_ps, placement;
    uint64_t relay, relay_chunk_bytes;
    uint64_t chunks, connections; /* Only ring-allreduce has these. */
};

/* Describes a collective on all hosts or on groups of them. */
void wl_describe_collective(const struct wl_spec *, enum coll_op, struct wl_job *);

extern const char *const wl_placements[], *const wl_relays[];

/* Whether all parameters of a pattern have their defaults, but for some, whose names end with
 * null. */
bool wl_are_defaults(const struct weir_field *, const void *params, const char *const *but);

/* Fields of struct wl_collective. */

#define WL_COLL_FIELD(MEMBER, NAME, KIND, ...)                                                     \
    WEIR_FIELD(struct wl_collective, MEMBER, NAME, KIND, __VA_ARGS__, .source = "-")

#define WL_ALGORITHM_FIELD(DERIVED)                                                                \
    WL_COLL_FIELD(algorithm, "algorithm", WEIR_CHOICE, .registry = &coll_algorithms,               \
                  .fallback = WEIR_AUTO, .derived = (DERIVED),                                     \
                  .help = "Algorithm: which ranks exchange which data, and in which order.")
#define WL_COLL_BYTES_FIELD(FALLBACK, HELP)                                                        \
    WL_COLL_FIELD(bytes, "bytes", WEIR_BYTES, .fallback = (FALLBACK), .min = 1,                    \
                  .max = WL_MAX_BYTES, .help = (HELP))
#define WL_MESSAGE_FIELDS                                                                          \
    WL_COLL_FIELD(channels, "channels", WEIR_COUNT, .fallback = 1, .min = 1,                       \
                  .max = COLL_MAX_CHANNELS,                                                        \
                  .help = "Channels that carry equal parts of the bytes at the same time."),       \
        WL_COLL_FIELD(chunk_bytes, "chunk", WEIR_BYTES, .fallback = WEIR_OFF, .min = 1,            \
                      .max = WL_MAX_BYTES, .may_be_off = true,                                     \
                      .help = "Maximum size of a message; a larger one is cut into pieces that "   \
                              "are forwarded one by one.  off: messages are not cut.")
#define WL_COLL_FIELDS WL_LEVEL_FIELDS, WL_JOB_FIELDS
#define WL_LEVEL_FIELDS                                                                            \
    WL_COLL_FIELD(server, "server", WEIR_COUNT, .fallback = WEIR_AUTO, .min = 1,                   \
                  .max = COLL_MAX_MEMBERS, .derived = "8",                                         \
                  .help = "With hierarchical: ranks of a server, which follow each other in "      \
                          "the group."),                                                           \
        WL_COLL_FIELD(inside, "inside", WEIR_CHOICE, .registry = &coll_algorithms,                 \
                      .fallback = WEIR_AUTO,                                                       \
                      .derived = "ring, or direct if ring lacks the operation",                    \
                      .help = "With hierarchical: algorithm inside the servers."),                 \
        WL_COLL_FIELD(rails, "rails", WEIR_CHOICE, .registry = &coll_algorithms,                   \
                      .fallback = WEIR_AUTO,                                                       \
                      .derived = "ring, or direct if ring lacks the operation",                    \
                      .help = "With hierarchical: algorithm between the servers.")
#define WL_JOB_FIELDS                                                                              \
    WL_COLL_FIELD(window, "window", WEIR_COUNT, .fallback = COLL_WINDOW, .min = 1,                 \
                  .max = COLL_MAX_WINDOW,                                                          \
                  .help = "Maximum number of unfinished messages that a rank has sent to one "     \
                          "peer of a channel, or in a channel if the algorithm sends to all "      \
                          "peers one after the other."),                                           \
        WL_COLL_FIELD(qps, "qps", WEIR_COUNT, .fallback = WEIR_AUTO, .min = 1,                     \
                      .max = COLL_MAX_CHANNELS, .derived = "one for each channel",                 \
                      .help = "Connections (queue pairs) from a rank to a peer; channels share "   \
                              "them round robin."),                                                \
        WL_COLL_FIELD(repeat, "repeat", WEIR_COUNT, .fallback = 1, .min = 1, .max = 1000000,       \
                      .help = "Number of iterations, one after the other."),                       \
        WL_COLL_FIELD(every_ps, "every", WEIR_TIME, .max = 1000 * WEIR_PS_PER_S,                   \
                      .help = "Time from the start of one iteration to the start of the next.  "   \
                              "An iteration that is due starts when the one before has ended."),   \
        WL_COLL_FIELD(compute_ps, "compute", WEIR_TIME, .max = 1000 * WEIR_PS_PER_S,               \
                      .help = "Time for which each rank computes between two iterations."),        \
        WL_PLACEMENT_FIELD(struct wl_collective), WL_RELAY_FIELDS(struct wl_collective)
#define WL_PLACEMENT_FIELD(TYPE)                                                                   \
    WEIR_FIELD(TYPE, placement, "placement", WEIR_CHOICE, .choices = wl_placements,                \
               .help = "Hosts of consecutive ranks: in the order of hosts, round robin over "      \
                       "leaf switches, or in a random order.",                                     \
               .source = "-")
#define WL_RELAY_FIELDS(TYPE)                                                                      \
    WEIR_FIELD(TYPE, relay, "relay", WEIR_CHOICE, .choices = wl_relays,                            \
               .help = "rail: a message to another rail of another server goes to the GPU of its " \
                       "server on that rail, which sends it on (PXN).  off: no GPU relays.",       \
               .source = "NCCL"),                                                                  \
        WEIR_FIELD(TYPE, relay_chunk_bytes, "relay_chunk", WEIR_BYTES, .fallback = 131072,         \
                   .min = 1, .max = WL_MAX_BYTES,                                                  \
                   .help = "Maximum size of the chunks of a relayed message; a GPU relays each "   \
                           "chunk as soon as it has arrived.",                                     \
                   .source = "NCCL, NCCL_P2P_NET_CHUNKSIZE")

#endif
