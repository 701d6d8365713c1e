/* Builds a dumbbell: two switches with hosts at each, and one link between them. */

#include "topo/topology.h"

static const struct weir_field fields[] = {
    TOPO_HOSTS_FIELD("Number of hosts at each of the two switches."),
    { 0 },
};

void
topo_build_dumbbell(struct topo *t, const void *params)
{
    const struct topo_build *b = params;
    uint32_t left = topo_add_row(t, "S", 2, 2);

    topo_add_hosts(t, &b->link, left, 2, b->hosts);
    topo_add_link(t, left, left + 1, &b->link);
}

const struct topology topo_dumbbell = {
    .about = { .name = "dumbbell",
               .title =
                   "Two switches with one link between them: S1 with H1.., S2 with the other hosts",
               .params = fields,
               .params_bytes = sizeof(struct topo_build) },
    .build = topo_build_dumbbell,
};
