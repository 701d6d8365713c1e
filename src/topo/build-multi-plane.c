/* Builds planes, each of which is a leaf-spine network of its own, and hosts with a NIC for each
 * plane. */

#include "topo/topology.h"

static const struct weir_field fields[] = {
    TOPO_FIELD(planes, "planes", WEIR_COUNT, .fallback = 2, .min = 1, .max = 64,
               .help = "Number of planes, and of NICs of each host."),
    TOPO_HOSTS_FIELD("Number of hosts at each leaf of a plane."),
    TOPO_FIELD(leaves, "leaves", WEIR_COUNT, .fallback = 4, .min = 1, .max = 1000,
               .help = "Number of leaves in each plane; leaves are the switches that have hosts."),
    TOPO_FIELD(spines, "spines", WEIR_COUNT, .fallback = 2, .min = 1, .max = 1000,
               .help =
                   "Number of spines in each plane; each is linked to every leaf of its plane."),
    TOPO_RATE_FIELD(uplink_bps, "uplink", "Rate of links from leaves to spines."),
    { 0 },
};

static bool
check(const void *params, const char **at, struct err *err)
{
    const struct topo_build *b = params;

    (void)at;
    return topo_check_size(b->planes * (b->leaves + b->spines), b->planes * b->leaves * b->hosts,
                           err);
}

void
topo_build_multi_plane(struct topo *t, const void *params)
{
    const struct topo_build *b = params;
    struct topo_link uplink = topo_link_at(&b->link, b->uplink_bps);
    uint64_t n_leaves = b->planes * b->leaves, n_spines = b->planes * b->spines;
    uint32_t leaf = topo_add_row(t, "L", n_leaves, n_leaves);
    uint32_t spine = topo_add_row(t, "S", n_spines, n_leaves);

    for (uint64_t host = 0; host < b->leaves * b->hosts; host++) {
        for (uint64_t i = 0; i < b->planes; i++) {
            uint32_t at = leaf + (uint32_t)(i * b->leaves + host / b->hosts);
            topo_add_link(t, topo_add_nic(t, host + 1, i, t->nodes[at].part), at, &b->link);
        }
    }
    topo_join_pods(t, &uplink, leaf, n_leaves, spine, n_spines, b->planes);
}

const struct topology topo_multi_plane = {
    .about = { .name = "multi-plane",
               .title = "Planes of leaves L1.. and spines S1.., and hosts with a NIC for each "
                        "plane: H1:0 and H1:1, H2:0 and so on",
               .params = fields,
               .params_bytes = sizeof(struct topo_build) },
    .check = check,
    .build = topo_build_multi_plane,
};
