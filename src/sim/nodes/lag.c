/* Path choice "lag": a flow chooses a neighbour, then one of the links to it, as over link
 * aggregation groups.
 *
 * Each neighbour and each link gets a score from a hash of the flow, and the highest wins.  So a
 * neighbour has the same share of flows however many links lead to it, and when one link of several
 * fails, only the flows that used it move. */

#include "sim/host/host.h"

static uint32_t
score(uint32_t key, uint32_t of)
{
    uint32_t hash = (key ^ of * 0x9e3779b1) * 0x85ebca6b;

    hash = (hash ^ hash >> 13) * 0xc2b2ae35;
    return hash ^ hash >> 16;
}

/* Hot: once per packet-hop if there are several paths. */
static uint32_t
lag_choose(struct sim_node *n, const struct sim_packet *p, const uint16_t *ports, uint32_t n_ports)
{
    uint32_t key = sim_key_of(n, p) * n->salt, best = ports[0];
    uint64_t highest = 0;

    for (uint32_t i = 0; i < n_ports; i++) {
        uint64_t neighbour = score(key, n->ports[ports[i]].peer_node);
        uint64_t both = neighbour << 32 | score(~key, ports[i]);
        best = both > highest ? ports[i] : best;
        highest = both > highest ? both : highest;
    }
    return best;
}

const struct sim_path_choice sim_lag = {
    .about = { .name = "lag",
               .title =
                   "All packets of a flow take the same path: a hash chooses the neighbour, and "
                   "another one of the parallel links to it",
               .source =
                   "IEEE 802.1AX (link aggregation); Thaler and Ravishankar, Using Name-Based "
                   "Mappings to Increase Hit Rates, ToN 1998 (the hash)" },
    .is_fixed = true,
    .asks_peers = true,
    .choose = lag_choose,
};
