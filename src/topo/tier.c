/* Computes tiers, and the roots of up-down routing. */

#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "topo/topo.h"

uint32_t
topo_find_tiers(const struct topo *t, uint32_t *tier)
{
    uint32_t *queue = array_new(t->n_nodes, sizeof *queue), n = 0, top = 0;

    memset(tier, 0xff, t->n_nodes * sizeof *tier);
    for (uint32_t port = 0; port < t->n_ports; port++) {
        uint32_t at = topo_beyond(t, port);
        if (t->nodes[t->ports[port].node].kind == TOPO_NIC && tier[at] == TOPO_NONE) {
            tier[at] = 0;
            queue[n++] = at;
        }
    }
    for (uint32_t head = 0; head < n; head++) {
        const struct topo_node *at = &t->nodes[queue[head]];
        for (uint32_t p = at->first_port; p < at->first_port + at->n_ports; p++) {
            uint32_t next = topo_beyond(t, p);
            if (t->nodes[next].kind == TOPO_SWITCH && tier[next] == TOPO_NONE) {
                top = tier[next] = tier[queue[head]] + 1;
                queue[n++] = next;
            }
        }
    }
    free(queue);
    return top;
}

void
topo_add_root(struct topo *t, uint32_t node)
{
    ARRAY_PUSH(t->roots, t->n_roots, t->max_roots) = node;
}

void
topo_add_top_roots(struct topo *t)
{
    uint32_t *tier = array_new(t->n_nodes, sizeof *tier);
    uint32_t top = topo_find_tiers(t, tier);

    for (uint32_t i = 0; i < t->n_nodes; i++) {
        if (t->nodes[i].kind == TOPO_SWITCH && tier[i] == top && (top || !t->n_roots)) {
            topo_add_root(t, i);
        }
    }
    free(tier);
}
