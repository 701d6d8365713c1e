/* Builds leaves with hosts, and spines that are linked to all leaves. */

#include "topo/topology.h"

static const struct weir_field fields[] = {
    TOPO_HOSTS_FIELD("Number of hosts at each leaf."),
    TOPO_FIELD(leaves, "leaves", WEIR_COUNT, .fallback = 4, .min = 1, .max = 1000,
               .help = "Number of leaves, the switches that have hosts."),
    TOPO_FIELD(spines, "spines", WEIR_COUNT, .fallback = 2, .min = 1, .max = 1000,
               .help = "Number of spines; each is linked to every leaf."),
    TOPO_RATE_FIELD(uplink_bps, "uplink", "Rate of links from leaves to spines."),
    { 0 },
};

static bool
check(const void *params, const char **at, struct err *err)
{
    const struct topo_build *b = params;

    (void)at;
    return topo_check_size(b->leaves + b->spines, b->leaves * b->hosts, err);
}

void
topo_build_leaf_spine(struct topo *t, const void *params)
{
    const struct topo_build *b = params;
    struct topo_link uplink = topo_link_at(&b->link, b->uplink_bps);
    uint32_t leaf = topo_add_row(t, "L", b->leaves, b->leaves);
    uint32_t spine = topo_add_row(t, "S", b->spines, b->leaves);

    topo_add_hosts(t, &b->link, leaf, b->leaves, b->hosts);
    topo_join_pods(t, &uplink, leaf, b->leaves, spine, b->spines, 1);
}

const struct topology topo_leaf_spine = {
    .about = { .name = "leaf-spine",
               .title =
                   "Leaves L1.. with hosts H1.., and spines S1.. that are linked to every leaf",
               .params = fields,
               .params_bytes = sizeof(struct topo_build) },
    .check = check,
    .build = topo_build_leaf_spine,
};
