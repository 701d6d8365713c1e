/* Builds a network of rails: NIC i of every server is on rail i.
 *
 *     S1   S2            spines, linked to all leaves; without spines, rails are separate
 *     |  X  |
 *     L1   L2  L3   L4   leaves: L1 and L3 are on the first rail, L2 and L4 on the second
 *     |    |
 *   H1:0  H1:1           the NICs of server H1, one for each rail
 *      \  /
 *       V1               a scale-up switch, which joins the GPUs of the server
 *
 * NICs are numbered server by server, leaves group by group: L1 and L2 serve the same servers. */

#include "topo/topology.h"

static const struct weir_field fields[] = {
    TOPO_FIELD(servers, "servers", WEIR_COUNT, .fallback = 8, .min = 1, .max = 100000,
               .help = "Number of servers."),
    TOPO_FIELD(rails, "rails", WEIR_COUNT, .fallback = 8, .min = 1, .max = 64,
               .help = "Number of rails, and of NICs of each server."),
    TOPO_FIELD(per_leaf, "per_leaf", WEIR_COUNT, .fallback = WEIR_AUTO, .min = 1, .max = 10000,
               .derived = "all servers",
               .help = "Number of servers whose NICs on a rail share a leaf; it must divide "
                       "servers."),
    TOPO_FIELD(spines, "spines", WEIR_COUNT, .fallback = 4, .max = 1000,
               .help = "Number of spines; each is linked to every leaf.  0: nothing joins the "
                       "rails, so each must have a single leaf."),
    TOPO_RATE_FIELD(uplink_bps, "uplink", "Rate of links from leaves to spines."),
    TOPO_GPU_FIELDS,
    { 0 },
};

static uint64_t
servers_of_leaf(const struct topo_build *b)
{
    return b->per_leaf == WEIR_AUTO ? b->servers : b->per_leaf;
}

static bool
check(const void *params, const char **at, struct err *err)
{
    const struct topo_build *b = params;
    uint64_t per_leaf = servers_of_leaf(b), n_groups = b->servers / per_leaf;

    if (!topo_check_gpu(b, at, err)) {
        return false;
    }
    if (b->servers % per_leaf) {
        *at = "per_leaf";
        return err_set(err,
                       "%llu servers cannot be divided among leaves of %llu: per_leaf must divide "
                       "servers",
                       (unsigned long long)b->servers, (unsigned long long)per_leaf);
    }
    if (!b->spines && n_groups > 1) {
        *at = "spines";
        return err_set(err,
                       "nothing joins the %llu leaves of a rail: set spines to 1 or more, or leave "
                       "per_leaf out",
                       (unsigned long long)n_groups);
    }
    return topo_check_size(n_groups * b->rails + b->spines + (b->gpu_bps ? b->servers : 0),
                           b->servers * b->rails, err);
}

/* Adds the NICs of a server. The first port of each NIC leads to its rail. */
static void
add_server(struct topo *t, const struct topo_build *b, uint64_t server, uint32_t leaf,
           uint32_t scale_up)
{
    struct topo_link inside = topo_gpu_link(b);

    for (uint32_t i = 0; i < b->rails; i++) {
        uint32_t nic = topo_add_nic(t, server + 1, i, t->nodes[leaf + i].part);
        topo_add_link(t, nic, leaf + i, &b->link);
        if (b->gpu_bps) {
            topo_add_link(t, nic, scale_up, &inside);
        }
    }
}

void
topo_build_rail(struct topo *t, const void *params)
{
    const struct topo_build *b = params;
    struct topo_link uplink = topo_link_at(&b->link, b->uplink_bps);
    uint64_t per_leaf = servers_of_leaf(b), n_leaves = b->servers / per_leaf * b->rails;
    uint32_t leaf = topo_add_row(t, "L", n_leaves, n_leaves);
    uint32_t spine = topo_add_row(t, "S", b->spines, n_leaves);
    uint32_t scale_up = topo_add_row(t, "V", b->gpu_bps ? b->servers : 0, n_leaves);

    for (uint64_t i = 0; i < b->servers; i++) {
        add_server(t, b, i, leaf + (uint32_t)(i / per_leaf * b->rails), scale_up + (uint32_t)i);
    }
    topo_join_pods(t, &uplink, leaf, n_leaves, spine, b->spines, 1);
}

const struct topology topo_rail = {
    .about = { .name = "rail",
               .title = "Servers with a NIC for each rail, H1:0 and H1:1, H2:0 and so on; leaves "
                        "L1.. of one rail each, spines S1.., scale-up switches V1..",
               .source = "Wang et al., Rail-only: A Low-Cost High-Performance Network for Training "
                         "LLMs with Trillion Parameters, HOTI 2024",
               .params = fields,
               .params_bytes = sizeof(struct topo_build) },
    .check = check,
    .build = topo_build_rail,
};
