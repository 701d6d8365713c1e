/* Builds a switch with hosts; in an incast all other hosts send to the last one. */

#include "topo/topology.h"

static const struct weir_field fields[] = {
    TOPO_HOSTS_FIELD("Number of hosts that send; one more receives."),
    { 0 },
};

void
topo_build_incast(struct topo *t, const void *params)
{
    const struct topo_build *b = params;
    uint32_t s = topo_add_row(t, "S", 1, 1);

    topo_add_hosts(t, &b->link, s, 1, b->hosts + 1);
}

const struct topology topo_incast = {
    .about = { .name = "incast",
               .title = "One switch S1 with hosts H1..: the last one receives, all others send",
               .params = fields,
               .params_bytes = sizeof(struct topo_build) },
    .build = topo_build_incast,
};
