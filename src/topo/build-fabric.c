/* Builds switching fabrics: several switches, joined by inner links, which act as one switch.
 *
 *     edges alone        edges and middles         groups, and tops above them
 *
 *     S1 --- S2            M1    M2                   T1       T2
 *                         /  \  /  \                 /  \     /  \
 *                        S1   S2   S3              M1 M2 ... M3 M4     M1 and M3 to T1, the
 *                                                  S1 S2     S3 S4     others to T2
 *
 * End to end these are folded Clos networks of two, three and five stages: packets enter and leave
 * at edges.  The first is Fig. 8 of the paper on occupancy sampling. */

#include "topo/topology.h"

static const struct weir_field fields[] = {
    TOPO_HOSTS_FIELD("Number of hosts at each edge."),
    TOPO_FIELD(leaves, "edges", WEIR_COUNT, .fallback = 2, .min = 2, .max = 1000,
               .help = "Number of edges, the switches of the fabric that have hosts."),
    TOPO_FIELD(spines, "middles", WEIR_COUNT, .max = 1000,
               .help = "Number of middle switches of each group of edges; each is joined to every "
                       "edge of its group.  0: edges are joined directly, each with each."),
    TOPO_FIELD(
        pods, "groups", WEIR_COUNT, .fallback = 1, .min = 1, .max = 1000,
        .help =
            "Number of groups that the edges are divided into; more than one group needs tops."),
    TOPO_FIELD(cores, "tops", WEIR_COUNT, .max = 1000,
               .help = "Number of top switches that join the groups, a multiple of middles; each "
                       "middle switch of a group is joined to its own share of them."),
    TOPO_RATE_FIELD(uplink_bps, "inner_rate", "Rate of the links inside the fabric."),
    { 0 },
};

static bool
groups_divide_edges(const struct topo_build *b, const char **at, struct err *err)
{
    *at = "groups";
    return !(b->leaves % b->pods) ||
           err_set(err, "%llu edges cannot be divided into %llu groups: groups must divide edges",
                   (unsigned long long)b->leaves, (unsigned long long)b->pods);
}

static bool
middles_join_edges(const struct topo_build *b, const char **at, struct err *err)
{
    *at = "middles";
    return b->spines || (b->pods == 1 && !b->cores) ||
           err_set(err,
                   "%s but there are no middles to join them to: set middles to 1 or more, "
                   "or leave groups and tops out",
                   b->cores ? "tops join middles," : "edges come in groups,");
}

static bool
tops_join_groups(const struct topo_build *b, const char **at, struct err *err)
{
    if (b->pods > 1 && !b->cores) {
        *at = "groups";
        return err_set(err,
                       "nothing joins the %llu groups of edges: set tops, a multiple of "
                       "middles, or groups to 1",
                       (unsigned long long)b->pods);
    }
    *at = "tops";
    return !b->cores || !(b->cores % b->spines) ||
           err_set(err,
                   "%llu tops cannot be divided among the %llu middles of a group: tops must be a "
                   "multiple of middles",
                   (unsigned long long)b->cores, (unsigned long long)b->spines);
}

static bool
check(const void *params, const char **at, struct err *err)
{
    const struct topo_build *b = params;

    if (!groups_divide_edges(b, at, err) || !middles_join_edges(b, at, err) ||
        !tops_join_groups(b, at, err)) {
        return false;
    }
    *at = NULL;
    return topo_check_size(b->leaves + b->spines * b->pods + b->cores, b->leaves * b->hosts, err);
}

void
topo_build_fabric(struct topo *t, const void *params)
{
    const struct topo_build *b = params;
    uint64_t n_parts = b->pods > 1 ? b->pods : b->leaves;
    struct topo_link inner = topo_link_at(&b->link, b->uplink_bps);
    uint32_t edge = topo_add_row(t, "S", b->leaves, n_parts);
    uint32_t middle = topo_add_row(t, "M", b->spines * b->pods, n_parts);
    uint32_t top = topo_add_row(t, "T", b->cores, n_parts);

    inner.is_inner = true;
    topo_add_hosts(t, &b->link, edge, b->leaves, b->hosts);
    if (!b->spines) {
        topo_join_each(t, &inner, edge, b->leaves);
        return;
    }
    topo_join_pods(t, &inner, edge, b->leaves, middle, b->spines * b->pods, b->pods);
    topo_join_shares(t, &inner, middle, b->spines * b->pods, top, b->cores, b->pods);
}

const struct topology topo_fabric = {
    .about = { .name = "fabric",
               .title = "A switching fabric: edges S1.. with hosts H1.., joined by inner links, "
                        "directly or through middle switches M1.. and top switches T1..",
               .source = "Neeser et al., Occupancy Sampling for Terabit CEE Switches, Fig. 8",
               .params = fields,
               .params_bytes = sizeof(struct topo_build) },
    .check = check,
    .build = topo_build_fabric,
};
