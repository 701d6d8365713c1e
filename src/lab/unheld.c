/* Packets that a node had no frame to hold by, in words. */

#include "lab/unheld.h"

void
lab_unheld_words(const char *node, uint64_t n, uint32_t max_held, struct weir_text *text)
{
    *text = (struct weir_text){ 0 };
    weir_text_add(text,
                  "%s had no frames left for %u packet%s, and dropped %s: it holds at most %u "
                  "packets, whatever their length, and its buffer has room for more of short ones. "
                  "With a smaller switch.buffer, it asks its peers to stop before.",
                  node, n, n == 1 ? "" : "s", n == 1 ? "it" : "them", (uint64_t)max_held);
}

uint64_t
lab_unheld_at(const struct sim *sim, uint32_t node)
{
    const struct topo_node *n = &sim_model(sim)->topo->nodes[node];
    uint64_t n_unheld = 0;

    for (uint32_t i = 0; i < n->n_ports; i++) {
        n_unheld += sim_port_result(sim, n->first_port + i).n_unheld;
    }
    return n_unheld;
}

void
lab_unheld_warn(struct outcome *o, const struct dp_counts *counts)
{
    uint32_t worst = 0;
    uint64_t most = 0;
    struct weir_text text;

    for (uint32_t id = 0; id < o->s.topo.n_nodes; id++) {
        uint64_t n = lab_unheld_at(o->sim, id);
        worst = n > most ? id : worst;
        most = n > most ? n : most;
    }
    if (most) {
        lab_unheld_words(o->s.topo.nodes[worst].name, most, counts[worst].max_held, &text);
        outcome_warn(o, text.s);
    }
}
