/* Builds a fat tree of switches with k ports each.
 *
 * Names are those of GFC's Fig. 11: E1.. for edge switches, A1.. for aggregation, C1.. for the
 * core, and H0.. for hosts.  Core switches are assigned to the parts of pods round robin, so that
 * all parts have the same size.  The tree is oversubscribed if links between switches are slower
 * than links of hosts, if a thin tree has fewer links between switches, or if edge switches have
 * more than k/2 hosts. */

#include "topo/topology.h"

static const struct weir_field fields[] = {
    TOPO_FIELD(k, "k", WEIR_COUNT, .fallback = 4, .min = 2, .max = 64,
               .help = "Number of ports per switch, an even number; the fat tree has k^3/4 hosts, "
                       "or k^2/2 x hosts."),
    TOPO_FIELD(hosts, "hosts", WEIR_COUNT, .fallback = WEIR_AUTO, .min = 1, .max = 10000,
               .derived = "k/2",
               .help = "Number of hosts at each edge switch; more than its links up, k/2 / thin, "
                       "oversubscribe it."),
    TOPO_FIELD(thin, "thin", WEIR_COUNT, .fallback = 1, .min = 1, .max = 32,
               .help = "Oversubscription by fewer links: links down per link up, at the switches "
                       "below the core; it must divide k/2."),
    TOPO_RATE_FIELD(uplink_bps, "edge_rate",
                    "Rate of links from edge switches to aggregation switches."),
    TOPO_RATE_FIELD(core_bps, "core_rate",
                    "Rate of links from aggregation switches to core switches."),
    { 0 },
};

static uint64_t
hosts_of_edge(const struct topo_build *b)
{
    return b->hosts && b->hosts != WEIR_AUTO ? b->hosts : b->k / 2;
}

static bool
check(const void *params, const char **at, struct err *err)
{
    const struct topo_build *b = params;

    *at = "k";
    if (b->k % 2) {
        return err_set(err, "k of a fat tree must be even");
    }
    *at = "thin";
    if (b->k / 2 % b->thin) {
        return err_set(err,
                       "switches with %llu links down cannot have %llu times fewer links up: thin "
                       "must divide k/2",
                       (unsigned long long)b->k / 2, (unsigned long long)b->thin);
    }
    *at = "hosts";
    return topo_check_size(b->k * b->k * 5 / 4, b->k * b->k / 2 * hosts_of_edge(b), err);
}

static void
add_hosts(struct topo *t, const struct topo_build *b, uint32_t edge)
{
    uint32_t n_each = (uint32_t)hosts_of_edge(b), half = (uint32_t)b->k / 2;

    for (uint32_t i = 0; i < b->k * half * n_each; i++) {
        uint32_t host = topo_add_numbered(t, TOPO_NIC, "H", i, i / (half * n_each));
        topo_add_link(t, host, edge + i / n_each, &b->link);
    }
}

void
topo_build_fat_tree(struct topo *t, const void *params)
{
    const struct topo_build *b = params;
    struct topo_link edge_link = topo_link_at(&b->link, b->uplink_bps);
    struct topo_link core_link = topo_link_at(&b->link, b->core_bps);
    uint32_t k = (uint32_t)b->k, half = k / 2, n_up = b->thin ? half / (uint32_t)b->thin : half;
    uint32_t edge = topo_add_row(t, "E", k * half, k);
    uint32_t aggregation = topo_add_row(t, "A", k * n_up, k);
    uint32_t core = topo_add_row(t, "C", n_up * n_up, k);

    add_hosts(t, b, edge);
    topo_join_pods(t, &edge_link, edge, k * half, aggregation, k * n_up, k);
    topo_join_shares(t, &core_link, aggregation, k * n_up, core, n_up * n_up, k);
}

const struct topology topo_fat_tree = {
    .about = { .name = "fat-tree",
               .title = "Three tiers of switches with k ports each: E1.., A1.., C1.., hosts H0..",
               .source = "Al-Fares et al., A Scalable, Commodity Data Center Network Architecture, "
                         "SIGCOMM 2008",
               .params = fields,
               .params_bytes = sizeof(struct topo_build) },
    .check = check,
    .build = topo_build_fat_tree,
};
