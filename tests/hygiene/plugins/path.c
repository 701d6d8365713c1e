/* A choice among paths for check-plugins: of all paths, it always takes the one with the same
 * number. */

#include "sim/host/host.h"

struct path_params {
    uint64_t way;
};

static const struct weir_field throwaway_path_fields[] = {
    WEIR_FIELD(struct path_params, way, "way", WEIR_COUNT, .max = 100,
               .help = "Number of the way that all packets take.", .source = "-"),
    { 0 },
};

static uint32_t
take_the_way(struct sim_node *n, const struct sim_packet *packet, const uint16_t *ports,
             uint32_t n_ports)
{
    const struct path_params *p = n->path_params;

    (void)packet;
    return ports[p->way % n_ports];
}

const struct sim_path_choice sim_throwaway_path = {
    .about = { .name = "throwaway-path",
               .title = "Always the same of all paths",
               .params = throwaway_path_fields,
               .params_bytes = sizeof(struct path_params) },
    .is_fixed = true,
    .choose = take_the_way,
};
