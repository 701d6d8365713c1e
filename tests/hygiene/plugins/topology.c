/* A network for check-plugins: hosts at one switch. */

#include "topo/topology.h"

struct params {
    struct topo_link link;
    uint64_t arms;
};

static const struct weir_field fields[] = {
    WEIR_FIELD(struct params, arms, "arms", WEIR_COUNT, .fallback = 3, .min = 2, .max = 100,
               .help = "Number of hosts at the switch.", .source = "-"),
    { 0 },
};

static void
build(struct topo *t, const void *params)
{
    const struct params *p = params;

    topo_add_hosts(t, &p->link, topo_add_row(t, "S", 1, 1), 1, p->arms);
}

const struct topology topo_throwaway = {
    .about = { .name = "throwaway-topology",
               .title = "Hosts at one switch",
               .params = fields,
               .params_bytes = sizeof(struct params) },
    .build = build,
};
