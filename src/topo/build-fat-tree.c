/* A fat tree of switches with k ports each.
 *
 * Edge switches E1.., aggregation A1.., core C1.., hosts H0.., as GFC's Fig. 11 names them.  Core
 * switches belong to the pods in turn, so that the parts are of one size. */

#include "topo/topology.h"

static const struct weir_field fields[] = {
    TOPO_FIELD(k, "k", WEIR_COUNT, .fallback = 4, .min = 2, .max = 64,
               .help = "Number of ports per switch, an even number; the fat tree has k^3/4 hosts.",
               .source = "-"),
    { 0 },
};

static bool
check(const void *params, const char **at, struct err *err)
{
    const struct topo_build *b = params;

    *at = "k";
    return b->k % 2 == 0 || err_set(err, "k of a fat tree must be even");
}

void
topo_build_fat_tree(struct topo *t, const void *params)
{
    const struct topo_build *b = params;
    uint32_t k = (uint32_t)b->k, half = k / 2;
    uint32_t edge = topo_add_row(t, "E", k * half, k);
    uint32_t aggregation = topo_add_row(t, "A", k * half, k);
    uint32_t core = topo_add_row(t, "C", half * half, k);

    for (uint32_t i = 0; i < k * half * half; i++) {
        uint32_t host = topo_add_numbered(t, TOPO_NIC, "H", i, i / (half * half));
        topo_add_link(t, host, edge + i / half, &b->link);
    }
    for (uint32_t e = 0; e < k * half; e++) {
        for (uint32_t a = 0; a < half; a++) {
            topo_add_link(t, edge + e, aggregation + e / half * half + a, &b->link);
        }
    }
    for (uint32_t a = 0; a < k * half; a++) {
        for (uint32_t c = 0; c < half; c++) {
            topo_add_link(t, aggregation + a, core + a % half * half + c, &b->link);
        }
    }
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
