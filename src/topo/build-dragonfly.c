/* Builds a dragonfly: groups of switches, in which every switch is linked to every other, and links
 * between all groups.
 *
 * The global links of a group are numbered through its switches: link j is at switch j / (links per
 * switch) of the group.  Link j of group i leads to group i - 1 - j, modulo the number of groups
 * and past group i itself, and is link G - 2 - j there, where G is the number of groups.  This
 * arrangement is called palmtree.  If a group has more links than there are other groups, the
 * arrangement repeats: every G - 1 links reach all other groups once. */

#include "topo/topology.h"

static const struct weir_field fields[] = {
    TOPO_HOSTS_FIELD("Number of hosts at each switch."),
    TOPO_FIELD(pods, "groups", WEIR_COUNT, .fallback = 9, .min = 2, .max = 1000,
               .help = "Number of groups; one less must divide the global links of a group."),
    TOPO_FIELD(switches, "switches", WEIR_COUNT, .fallback = 4, .min = 1, .max = 1000,
               .help = "Number of switches in each group, all linked to each other."),
    TOPO_FIELD(global_links, "global_links", WEIR_COUNT, .fallback = 2, .min = 1, .max = 1000,
               .help = "Number of links from each switch to other groups."),
    TOPO_RATE_FIELD(uplink_bps, "local_rate", "Rate of links between switches of a group."),
    TOPO_RATE_FIELD(core_bps, "global_rate", "Rate of links between groups."),
    { 0 },
};

static bool
check(const void *params, const char **at, struct err *err)
{
    const struct topo_build *b = params;
    uint64_t n_links = b->switches * b->global_links;

    if (n_links % (b->pods - 1)) {
        *at = "groups";
        return err_set(err,
                       "the %llu global links of a group cannot be divided among %llu other "
                       "groups: groups - 1 must divide switches x global_links",
                       (unsigned long long)n_links, (unsigned long long)b->pods - 1);
    }
    return topo_check_size(b->pods * b->switches, b->pods * b->switches * b->hosts, err);
}

/* Adds each global link once, at the group with the lower number. */
static void
join_groups(struct topo *t, const struct topo_build *b, uint32_t first)
{
    struct topo_link global = topo_link_at(&b->link, b->core_bps);
    uint64_t n_others = b->pods - 1;

    for (uint64_t i = 0; i < b->pods; i++) {
        for (uint64_t j = 0; j < b->switches * b->global_links; j++) {
            uint64_t turn = j % n_others, to = (i + n_others - turn) % b->pods;
            uint64_t back = j - turn + n_others - 1 - turn;
            uint64_t near = i * b->switches + j / b->global_links;
            uint64_t far = to * b->switches + back / b->global_links;
            if (i < to) {
                topo_add_link(t, first + (uint32_t)near, first + (uint32_t)far, &global);
            }
        }
    }
}

void
topo_build_dragonfly(struct topo *t, const void *params)
{
    const struct topo_build *b = params;
    struct topo_link local = topo_link_at(&b->link, b->uplink_bps);
    uint64_t n = b->pods * b->switches;
    uint32_t first = topo_add_row(t, "S", n, b->pods);

    topo_add_hosts(t, &b->link, first, n, b->hosts);
    for (uint64_t i = 0; i < b->pods; i++) {
        topo_join_each(t, &local, first + (uint32_t)(i * b->switches), b->switches);
    }
    join_groups(t, b, first);
}

const struct topology topo_dragonfly = {
    .about = { .name = "dragonfly",
               .title = "Groups of switches S1.. with hosts H1..; all switches of a group, and all "
                        "groups, are linked to each other",
               .source = "Kim et al., Technology-Driven, Highly-Scalable Dragonfly Topology, "
                         "ISCA 2008",
               .params = fields,
               .params_bytes = sizeof(struct topo_build) },
    .check = check,
    .build = topo_build_dragonfly,
};
