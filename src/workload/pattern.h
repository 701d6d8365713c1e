/* Patterns of flows: senders, receivers, times and sizes.
 *
 * A pattern generates flows, which depend only on its parameters, the seed and the network.
 *
 *     const struct wl_pattern wl_permutation = {
 *         .about = { .name = "permutation", .title = ..., .params = fields, .params_bytes = ... },
 *         .draw = draw,
 *     };
 *
 * To add a pattern, add a file and a line of the registry, patterns.c.  Below the
 * descriptor, this header declares functions that patterns share. */

#ifndef WL_PATTERN_H
#define WL_PATTERN_H

#include "weir/plugin.h"
#include "workload/workload.h"

enum { WL_PARAMS_MAX = 256 }; /* The maximum size of a pattern's parameters, in bytes. */

struct wl_job;

struct wl_pattern {
    struct weir_plugin about;

    /* The parameter with the size of every flow, for scenarios without a distribution of sizes; the
     * user must give one of the two.  Null: the pattern does not use a distribution. */
    const char *instead_of_sizes;

    /* The pattern accepts 'to', the receiving host. */
    bool takes_receiver;

    /* The pattern accepts 'groups' of its hosts; or it needs a key of its own name,
     * a trace. */
    bool takes_groups, takes_trace;

    /* The flows are one job, which is finished when all of them are. */
    bool is_one_job;

    /* Refuses invalid combinations of parameters, and names the wrong one in 'at', if it is a
     * single one.  Null: all are valid.  Called by wl_check(). */
    bool (*check)(const struct wl_spec *, const char **at, struct err *);

    /* Draws the flows.  Null: the pattern is always a job. */
    bool (*draw)(const struct wl_spec *, struct wl_flows *, struct err *);

    /* Describes its job, whose ranks send messages on connections (job.h); returns false if these
     * parameters make no job, so that it draws flows.  Null: it always draws flows. */
    bool (*job)(const struct wl_spec *, struct wl_job *);

    /* The mean load that it offers to the link of each of its hosts, from its start to its `end`,
     * as a ratio of the link's rate.  Null: it has no rate, and is as fast as the network
     * allows. */
    uint64_t (*load)(const struct wl_spec *);
};

WEIR_REGISTRY(struct wl_pattern, wl_patterns, wl_pattern)

/* Whether parameters are valid: by the pattern's own check, and the end is not before the start. */
bool wl_check(const struct wl_pattern *, const struct wl_spec *, const char **at, struct err *);

/* Draws the flows of a pattern, or the connections of its job. */
bool wl_draw(const struct wl_pattern *, const struct wl_spec *, struct wl_flows *, struct err *);

/* The time after which no flow starts, from the parameter `end`; WEIR_AUTO: the end of the run. */
uint64_t wl_end_ps(const struct wl_pattern *, const void *params);

/* Fields that several patterns share, in parameters of type 'struct params'. */

#define WL_MAX_BYTES WEIR_PS_PER_S /* A terabyte per flow, so that sums do not overflow. */
#define WL_FIELD(MEMBER, NAME, KIND, ...)                                                          \
    WEIR_FIELD(struct params, MEMBER, NAME, KIND, __VA_ARGS__, .source = "-")

#define WL_BYTES_FIELD(FALLBACK, HELP)                                                             \
    WL_FIELD(bytes, "bytes", WEIR_BYTES, .fallback = (FALLBACK), .min = 1, .max = WL_MAX_BYTES,    \
             .help = (HELP))
#define WL_LOAD_FIELD(FALLBACK, ...)                                                               \
    WL_FIELD(load, "load", WEIR_RATIO, .fallback = (FALLBACK), .min = 1, .max = 2 * WEIR_RATIO_1,  \
             .help = __VA_ARGS__)
#define WL_PER_SECOND_FIELD(FALLBACK, DERIVED, HELP)                                               \
    WL_FIELD(per_second, "per_second", WEIR_COUNT, .fallback = (FALLBACK), .min = 1,               \
             .max = WEIR_PS_PER_S, .derived = (DERIVED), .help = (HELP))
#define WL_TO_FIELD(FALLBACK)                                                                      \
    WL_FIELD(to, "to", WEIR_CHOICE, .choices = wl_targets, .fallback = (FALLBACK),                 \
             .help =                                                                               \
                 "Hosts that a host sends to: any other host, or only hosts with which it has "    \
                 "no switch in common.")
#define WL_END_FIELD                                                                               \
    WL_FIELD(end_ps, "end", WEIR_TIME, .fallback = WEIR_AUTO, .max = 1000 * WEIR_PS_PER_S,         \
             .derived = "the end of the run", .help = "Time after which no flow starts.")

/* The only parameter of patterns whose hosts send once. */
struct wl_bytes {
    uint64_t bytes;
};

extern const struct weir_field wl_bytes_fields[];

/* The hosts that a host may send to: any other, or those that have no switch in common with it. */
enum wl_target { WL_ANY, WL_OTHER_RACK };
extern const char *const wl_targets[];

bool wl_is_target(const struct wl_spec *, uint32_t from, uint32_t to, uint64_t target);

/* Chooses a target at random.  A few tries nearly always find one; after these the function takes
 * the next valid host.  TOPO_NONE: there is no valid host. */
uint32_t wl_draw_target(const struct wl_spec *, uint32_t from, uint64_t target, uint64_t *stream);

/* The random numbers of one host, or with WL_NO_HOST those for choices that no single host
 * makes. */
#define WL_NO_HOST UINT32_MAX
uint64_t wl_stream_of(const struct wl_spec *, uint32_t host);
void wl_shuffle(uint32_t *items, uint32_t n, uint64_t *stream);

/* The rate to which a load of a host relates: the sum of its ports to switches that are linked to
 * other switches, or of all its ports if there are none.  The second function returns the rate of
 * its fastest port. */
uint64_t wl_rate_of(const struct wl_spec *, uint32_t host);
uint64_t wl_port_rate_of(const struct wl_spec *, uint32_t host);

/* The first function samples a size from the distribution, or returns 'bytes' if there is no
 * distribution. The second returns the mean size, in thousandths of a byte. */
uint64_t wl_draw_bytes(const struct wl_spec *, uint64_t bytes, uint64_t *stream);
uint64_t wl_mean_mbytes(const struct wl_spec *, uint64_t bytes);

/* The mean time between flows of this mean size that causes a load on links of this rate. */
uint64_t wl_mean_gap_ps(uint64_t mbytes, uint64_t rate_bps, uint64_t load);

/* The first function returns the mean time between flows for a rate of flows per second. The second
 * returns their load on the links of all hosts together. */
uint64_t wl_gap_of_rate_ps(uint64_t per_second);
uint64_t wl_load_of_rate(const struct wl_spec *, uint64_t per_second, uint64_t mbytes);

/* The sum of the rates of all its hosts' links. */
uint64_t wl_rate_of_all(const struct wl_spec *);

/* The time from the start to the end of the pattern, or of the run if that is earlier. */
uint64_t wl_duration_ps(const struct wl_spec *, uint64_t end_ps);

/* Many hosts send to one at the same time.  Senders and receiver are chosen at random each time,
 * unless the receiver is given: then the senders are always the first of the other hosts. */
struct wl_many_to_one {
    const char *senders; /* The pattern's name for the senders, in errors. */
    uint32_t n_senders;
    uint64_t bytes, end_ps;
    uint64_t gap_ps;  /* The time from one to the next: a constant, or the mean of a Poisson
                       * process. */
    bool is_periodic; /* The interval is constant, and the first event is at first_ps. */
    uint64_t first_ps;
};

/* The number of senders: as given, or all other hosts if there are fewer. */
uint32_t wl_senders_of(const struct wl_spec *, uint64_t given, uint32_t fallback);
bool wl_draw_many_to_one(const struct wl_spec *, const struct wl_many_to_one *, struct wl_flows *,
                         struct err *);

bool wl_add(const struct wl_spec *, struct wl_flows *, struct wl_flow, struct err *);

/* Check errors of patterns: unlimited flows, more flows than memory allows, a single host, hosts at
 * one switch that may send only to other switches, a network that is cut. */
bool wl_check_count(const struct wl_spec *, uint64_t n, struct err *);
bool wl_check_two(const struct wl_spec *, struct err *);
bool wl_check_racks(const struct wl_spec *, uint64_t target, struct err *);
bool wl_check_path(const struct wl_spec *, uint32_t from, uint32_t to, struct err *);

#endif
