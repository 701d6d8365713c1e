/* How long a window is, and how many of them ranks run before they meet. */

#include "sim/internal.h"

int
sim_port_bits(const struct topo *topo)
{
    int bits = 0;

    for (size_t i = 0; i < topo->n_nodes; i++) {
        while (topo->nodes[i].n_ports > 1u << bits) {
            bits++;
        }
    }
    return bits;
}

/* No longer than the quickest link takes, and so that an event of a window fits a word. */
int
sim_window_bits(const struct plant *plant)
{
    int bits = 0, max_bits = 64 - SIM_KIND_BITS - SIM_MAIL_BITS - sim_port_bits(plant->topo);
    weir_ps quickest = plant_quickest_ps(plant, NULL);

    quickest = quickest < WEIR_PS_PER_S ? quickest : WEIR_PS_PER_S;
    while ((weir_ps)2 << bits <= quickest && bits < max_bits) {
        bits++;
    }
    return bits;
}

uint64_t
sim_epoch_windows(const struct plant *plant, int window_bits, const uint32_t *part)
{
    uint64_t n = (uint64_t)plant_quickest_ps(plant, part) >> window_bits;

    if (sim_has_probes(plant)) {
        return 1;
    }
    return n < SIM_MAX_EPOCH_WINDOWS ? n : SIM_MAX_EPOCH_WINDOWS;
}
