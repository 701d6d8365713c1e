/* Path choice "hash": all packets of a flow take one path, chosen by a hash of the run's seed and
 * the ends of the flow. */

#include "sim/host/host.h"

/* Hot: once per packet-hop if there are several paths. */
static uint32_t
hash_choose(struct sim_node *n, const struct sim_packet *p, const uint16_t *ports, uint32_t n_ports)
{
    return ports[sim_pick(sim_key_of(n, p), n->salt, n_ports)];
}

const struct sim_path_choice sim_hash = {
    .about = { .name = "hash",
               .title = "All packets of a flow take the same path, chosen by a hash of the flow's "
                        "ends and the seed",
               .source = "RFC 2992 (ECMP)" },
    .is_fixed = true,
    .choose = hash_choose,
};
