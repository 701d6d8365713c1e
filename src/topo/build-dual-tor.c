/* Builds pairs of top-of-rack switches, hosts with a port to each of a pair, and spines.
 *
 *     S1   S2     two planes: S1 is linked to the first of each pair, S2 to the second
 *     |    |
 *     T1   T2     one pair
 *      \  /
 *       H1        one NIC with two ports
 *
 * A host loses no connection if one switch of its pair fails.  With two planes, the port through
 * which a packet leaves its host decides on which port it arrives. */

#include "topo/topology.h"

static const struct weir_field fields[] = {
    TOPO_FIELD(pods, "pairs", WEIR_COUNT, .fallback = 2, .min = 1, .max = 1000,
               .help = "Number of pairs of top-of-rack switches, on each rail."),
    TOPO_FIELD(hosts, "hosts", WEIR_COUNT, .fallback = 4, .min = 1, .max = 10000,
               .help = "Number of hosts at each pair; each has a link to both switches."),
    TOPO_FIELD(rails, "rails", WEIR_COUNT, .fallback = 1, .min = 1, .max = 64,
               .help =
                   "Number of rails, and of NICs of each host, each with two ports at a pair of "
                   "its own."),
    TOPO_FIELD(planes, "planes", WEIR_COUNT, .fallback = 2, .min = 1, .max = 2,
               .help = "Number of planes of spines: 2, one for each switch of a pair, or 1 for "
                       "both."),
    TOPO_FIELD(spines, "spines", WEIR_COUNT, .fallback = 2, .min = 1, .max = 1000,
               .help = "Number of spines in each plane."),
    TOPO_RATE_FIELD(uplink_bps, "uplink", "Rate of links from top-of-rack switches to spines."),
    TOPO_GPU_FIELDS,
    { 0 },
};

static bool
check(const void *params, const char **at, struct err *err)
{
    const struct topo_build *b = params;

    if (!topo_check_gpu(b, at, err)) {
        return false;
    }
    if (b->gpu_bps && b->rails == 1) {
        return err_set(err, "gpu joins the NICs of a server: set rails to 2 or more");
    }
    *at = NULL;
    return topo_check_size(2 * b->pods * b->rails + b->planes * b->spines +
                               (b->gpu_bps ? b->pods * b->hosts : 0),
                           b->pods * b->hosts * b->rails, err);
}

/* Adds a NIC. If it is the only NIC of its host, it has the name of the host. */
static uint32_t
add_nic(struct topo *t, const struct topo_build *b, uint64_t host, uint64_t rail, uint32_t pair)
{
    uint32_t part = t->nodes[pair].part;
    uint32_t nic = b->rails > 1 ? topo_add_nic(t, host + 1, rail, part)
                                : topo_add_numbered(t, TOPO_NIC, "H", host + 1, part);

    topo_add_link(t, nic, pair, &b->link);
    topo_add_link(t, nic, pair + 1, &b->link);
    return nic;
}

void
topo_build_dual_tor(struct topo *t, const void *params)
{
    const struct topo_build *b = params;
    struct topo_link uplink = topo_link_at(&b->link, b->uplink_bps);
    uint64_t n_pairs = b->pods * b->rails, n_spines = b->planes * b->spines;
    uint32_t tor = topo_add_row(t, "T", 2 * n_pairs, n_pairs);
    uint32_t spine = topo_add_row(t, "S", n_spines, n_pairs);
    uint32_t scale_up = topo_add_row(t, "V", b->gpu_bps ? b->pods * b->hosts : 0, n_pairs);
    struct topo_link inside = topo_gpu_link(b);

    for (uint64_t i = 0; i < b->pods * b->hosts * b->rails; i++) {
        uint64_t host = i / b->rails, rail = i % b->rails;
        uint32_t pair = tor + 2 * (uint32_t)(host / b->hosts * b->rails + rail);
        uint32_t nic = add_nic(t, b, host, rail, pair);
        if (b->gpu_bps) {
            topo_add_link(t, nic, scale_up + (uint32_t)host, &inside);
        }
    }
    if (b->planes == 2) {
        topo_join_shares(t, &uplink, tor, 2 * n_pairs, spine, n_spines, n_pairs);
    } else {
        topo_join_pods(t, &uplink, tor, 2 * n_pairs, spine, n_spines, 1);
    }
}

const struct topology topo_dual_tor = {
    .about = { .name = "dual-tor",
               .title = "Pairs of switches T1 and T2, T3 and so on, hosts H1.. with two ports, one "
                        "to each of a pair, spines S1.., scale-up switches V1..",
               .source = "Qian et al., Alibaba HPN: A Data Center Network for Large Language Model "
                         "Training, SIGCOMM 2024",
               .params = fields,
               .params_bytes = sizeof(struct topo_build) },
    .check = check,
    .build = topo_build_dual_tor,
};
