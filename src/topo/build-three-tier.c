/* Builds pods of leaves and spines, and cores above them. */

#include "topo/topology.h"

static const struct weir_field fields[] = {
    TOPO_HOSTS_FIELD("Number of hosts at each leaf."),
    TOPO_FIELD(pods, "pods", WEIR_COUNT, .fallback = 2, .min = 1, .max = 256,
               .help = "Number of pods."),
    TOPO_FIELD(leaves, "leaves", WEIR_COUNT, .fallback = 4, .min = 1, .max = 1000,
               .help = "Number of leaves in each pod; leaves are the switches that have hosts."),
    TOPO_FIELD(spines, "spines", WEIR_COUNT, .fallback = 2, .min = 1, .max = 1000,
               .help = "Number of spines in each pod; each is linked to every leaf of its pod."),
    TOPO_FIELD(cores, "cores", WEIR_COUNT, .fallback = 2, .min = 1, .max = 1000,
               .help = "Number of cores, a multiple of the spines of a pod; each spine of a pod is "
                       "linked to its own group of cores."),
    TOPO_RATE_FIELD(uplink_bps, "uplink", "Rate of links from leaves to spines."),
    TOPO_RATE_FIELD(core_bps, "core_uplink", "Rate of links from spines to cores."),
    { 0 },
};

static bool
check(const void *params, const char **at, struct err *err)
{
    const struct topo_build *b = params;
    uint64_t n_leaves = b->leaves * b->pods;

    if (b->cores % b->spines) {
        *at = "cores";
        return err_set(err,
                       "%llu cores cannot be divided among the %llu spines of a pod: cores must be "
                       "a multiple of spines",
                       (unsigned long long)b->cores, (unsigned long long)b->spines);
    }
    return topo_check_size(n_leaves + b->spines * b->pods + b->cores, n_leaves * b->hosts, err);
}

void
topo_build_three_tier(struct topo *t, const void *params)
{
    const struct topo_build *b = params;
    struct topo_link uplink = topo_link_at(&b->link, b->uplink_bps);
    struct topo_link core_link = topo_link_at(&b->link, b->core_bps);
    uint64_t n_leaves = b->pods * b->leaves, n_spines = b->pods * b->spines;
    uint32_t leaf = topo_add_row(t, "L", n_leaves, b->pods);
    uint32_t spine = topo_add_row(t, "S", n_spines, b->pods);
    uint32_t core = topo_add_row(t, "C", b->cores, b->pods);

    topo_add_hosts(t, &b->link, leaf, n_leaves, b->hosts);
    topo_join_pods(t, &uplink, leaf, n_leaves, spine, n_spines, b->pods);
    topo_join_shares(t, &core_link, spine, n_spines, core, b->cores, b->pods);
}

const struct topology topo_three_tier = {
    .about = { .name = "three-tier",
               .title = "Pods of leaves L1.. and spines S1.., with cores C1.. above; hosts H1..",
               .params = fields,
               .params_bytes = sizeof(struct topo_build) },
    .check = check,
    .build = topo_build_three_tier,
};
