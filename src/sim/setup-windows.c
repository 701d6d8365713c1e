/* Computes the length of a window, and how many windows ranks run before they meet. */

#include "sim/events.h"
#include "sim/setup.h"

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

/* The length of a window, as a power of two: at most the delay of the fastest link, and so short
 * that an event fits into one word. */
int
sim_window_bits(const struct model *model)
{
    int bits = 0, max_bits = 64 - SIM_KIND_BITS - SIM_MAIL_BITS - sim_port_bits(model->topo);
    weir_ps quickest = model_quickest_ps(model, NULL);

    quickest = quickest < WEIR_PS_PER_S ? quickest : WEIR_PS_PER_S;
    while ((weir_ps)2 << bits <= quickest && bits < max_bits) {
        bits++;
    }
    return bits;
}

uint64_t
sim_epoch_windows(const struct model *model, int window_bits, const uint32_t *part)
{
    uint64_t n = (uint64_t)model_quickest_ps(model, part) >> window_bits;

    if (sim_has_probes(model)) {
        return 1;
    }
    return n < SIM_MAX_EPOCH_WINDOWS ? n : SIM_MAX_EPOCH_WINDOWS;
}
