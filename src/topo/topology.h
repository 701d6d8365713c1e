/* Topologies: networks that a scenario selects by name and builds from a few numbers.
 *
 *     static const struct weir_field params[] = {
 *         TOPO_FIELD(switches, "switches", WEIR_COUNT, .fallback = 3, .min = 2, .max = 1000, ...),
 *         { 0 },
 *     };
 *
 *     const struct topology topo_ring = {
 *         .about = { .name = "ring", .title = ..., .params = params, .params_bytes = ... },
 *         .build = topo_build_ring,
 *     };
 *
 * A topology is a file, build-NAME.c, and a line of the registry.  The registry is in src/scenario,
 * next to the readers of network files, which are topologies, too. */

#ifndef TOPO_TOPOLOGY_H
#define TOPO_TOPOLOGY_H

#include "topo/topo.h"
#include "weir/plugin.h"

enum { TOPO_PARAMS_MAX = 512 }; /* The maximum size of a topology's parameters, in bytes. */

/* Limits of a network, because a table of routes has switches times leaves entries. */
enum { TOPO_MAX_HOSTS = 1000000, TOPO_MAX_SWITCHES = 10000 };

struct topology {
    struct weir_plugin about; /* Its parameters must begin with a struct topo_link. */

    /* Refuses parameters that do not fit each other, and sets 'at' to the name of the wrong
     * parameter, if it is a single one.  A null hook accepts all. */
    bool (*check)(const void *params, const char **at, struct err *);
    topo_builder *build; /* Builds the network. Null: the nodes and their names are in a file. */
};

#define TOPO_FIELD(MEMBER, NAME, KIND, ...)                                                        \
    WEIR_FIELD(struct topo_build, MEMBER, NAME, KIND, __VA_ARGS__, .source = "-")

#define TOPO_HOSTS_FIELD(HELP)                                                                     \
    TOPO_FIELD(hosts, "hosts", WEIR_COUNT, .fallback = 2, .min = 1, .max = 10000, .help = (HELP))

#define TOPO_MIN_RATE 1000
#define TOPO_MAX_RATE (100 * (uint64_t)WEIR_PS_PER_S)

/* The default rate of every link. */
#define TOPO_RATE_FIELD(MEMBER, NAME, HELP)                                                        \
    TOPO_FIELD(MEMBER, NAME, WEIR_RATE, .fallback = WEIR_AUTO, .min = TOPO_MIN_RATE,               \
               .max = TOPO_MAX_RATE, .derived = "the same as rate", .help = (HELP))

/* Scale-up switches inside servers, for builders of servers with several NICs. */
#define TOPO_GPU_FIELDS                                                                            \
    TOPO_FIELD(gpu_bps, "gpu", WEIR_RATE, .max = TOPO_MAX_RATE,                                    \
               .help =                                                                             \
                   "Rate at which each GPU is linked to the scale-up switch of its server; 0: "    \
                   "servers have no such switch."),                                                \
        TOPO_FIELD(gpu_delay_ps, "gpu_delay", WEIR_TIME, .fallback = WEIR_AUTO,                    \
                   .max = WEIR_PS_PER_S / 10, .derived = "the same as delay",                      \
                   .help = "Delay of links to the scale-up switch.")

/* Common code of builders, in build.c.  These functions add a node such as L3; a NIC such as H3:1
 * of a host that has several; a row of n switches L1.., assigned to parts; and hosts H1.. at each
 * switch of a row.  The last one copies a link with another rate, unless the rate is 0 or
 * WEIR_AUTO. */
uint32_t topo_add_numbered(struct topo *, enum topo_kind, const char *letter, uint64_t number,
                           uint64_t part);
uint32_t topo_add_nic(struct topo *, uint64_t host, uint64_t number, uint64_t part);
uint32_t topo_add_row(struct topo *, const char *letter, uint64_t n, uint64_t n_parts);
void topo_add_hosts(struct topo *, const struct topo_link *, uint32_t first, uint64_t n_switches,
                    uint64_t n_each);
struct topo_link topo_link_at(const struct topo_link *, uint64_t rate_bps);

/* Links n adjacent switches, each with each. */
void topo_join_each(struct topo *, const struct topo_link *, uint32_t first, uint64_t n);

/* Links two rows of switches, which are divided into pods.  Each switch of the lower row is linked
 * to all switches of the upper row in its pod, or to its share of an upper row that all pods
 * share. */
void topo_join_pods(struct topo *, const struct topo_link *, uint32_t lower, uint64_t n_lower,
                    uint32_t upper, uint64_t n_upper, uint64_t n_pods);
void topo_join_shares(struct topo *, const struct topo_link *, uint32_t lower, uint64_t n_lower,
                      uint32_t upper, uint64_t n_upper, uint64_t n_pods);

/* The link from a GPU to the scale-up switch of its server, and a check of its rate. */
struct topo_link topo_gpu_link(const struct topo_build *);
bool topo_check_gpu(const struct topo_build *, const char **at, struct err *);

/* Refuses networks that are too large. */
bool topo_check_size(uint64_t n_switches, uint64_t n_hosts, struct err *);

#endif
