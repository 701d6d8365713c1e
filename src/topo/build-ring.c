/* Builds a ring of switches, with a host at each. */

#include "topo/topology.h"

static const struct weir_field fields[] = {
    TOPO_FIELD(switches, "switches", WEIR_COUNT, .fallback = 3, .min = 2, .max = 1000,
               .help = "Number of switches in the ring; each has one host."),
    { 0 },
};

void
topo_build_ring(struct topo *t, const void *params)
{
    const struct topo_build *b = params;
    uint32_t n = (uint32_t)b->switches, first = topo_add_row(t, "S", n, n);

    topo_add_hosts(t, &b->link, first, n, 1);
    for (uint32_t i = 0; i < n; i++) {
        topo_add_link(t, first + i, first + (i + 1) % n, &b->link);
    }
}

const struct topology topo_ring = {
    .about = { .name = "ring",
               .title = "Switches S1.. in a ring, with one host at each: H1 at S1 and so on",
               .source = "GFC, Fig. 9",
               .params = fields,
               .params_bytes = sizeof(struct topo_build) },
    .build = topo_build_ring,
};
