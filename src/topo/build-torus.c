/* Builds switches in rows and columns, each of which is a ring. */

#include "topo/topology.h"

static const struct weir_field fields[] = {
    TOPO_HOSTS_FIELD("Number of hosts at each switch."),
    TOPO_FIELD(x, "x", WEIR_COUNT, .fallback = 4, .min = 3, .max = 64,
               .help = "Number of switches in each row."),
    TOPO_FIELD(y, "y", WEIR_COUNT, .fallback = 4, .min = 3, .max = 64,
               .help = "Number of rows of switches."),
    { 0 },
};

static bool
check(const void *params, const char **at, struct err *err)
{
    const struct topo_build *b = params;

    (void)at;
    return topo_check_size(b->x * b->y, b->x * b->y * b->hosts, err);
}

void
topo_build_torus(struct topo *t, const void *params)
{
    const struct topo_build *b = params;
    uint64_t n = b->x * b->y;
    uint32_t first = topo_add_row(t, "S", n, b->y);

    topo_add_hosts(t, &b->link, first, n, b->hosts);
    for (uint64_t i = 0; i < n; i++) {
        uint64_t row = i / b->x * b->x;
        topo_add_link(t, first + (uint32_t)i, first + (uint32_t)(row + (i + 1) % b->x), &b->link);
        topo_add_link(t, first + (uint32_t)i, first + (uint32_t)((i + b->x) % n), &b->link);
    }
}

const struct topology topo_torus = {
    .about = { .name = "torus",
               .title = "Rows and columns of switches S1.., each a ring, with hosts H1.. at every "
                        "switch",
               .params = fields,
               .params_bytes = sizeof(struct topo_build) },
    .check = check,
    .build = topo_build_torus,
};
