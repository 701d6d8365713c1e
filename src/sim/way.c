/* Where packets change class from hop to hop, whether each flow's have one all their way: told
 * before the run, with the way that needs more, and not by packets that vanish.
 *
 * A way that never arrives, as where routes lead round, is none: its packets have no class left at
 * some time, and that is what the classes are for.  So is one that new routes will bring. */

#include <stdio.h>

#include "sim/internal.h"

enum { MAX_WAY = 256 };

struct way {
    const struct sim *sim;
    uint32_t flow, from, to;    /* Nodes; an acknowledgement goes back. */
    uint32_t nodes[MAX_WAY], n; /* Switches. */
    uint32_t n_good;            /* So many of them have a class for it. */
};

/* Follows it to its end; false if it has none. */
static bool
follow_way(struct way *w)
{
    const struct topo *topo = w->sim->plant.topo;
    uint32_t port = topo->nodes[w->from].first_port, dst = topo->nodes[w->to].index;
    uint8_t cls = w->sim->plant.flows[w->flow].cls;

    for (w->n = w->n_good = 0; w->n < MAX_WAY;) {
        const struct topo_port *in = &topo->ports[topo->ports[port].peer];
        struct sim_node *at = &w->sim->nodes[in->node];
        if (topo->nodes[in->node].kind == TOPO_NIC) {
            return true;
        }
        if (cls != WEIR_NO_CLASS) {
            cls = weir_class_here(&at->weir.ctx, (uint16_t)in->number, cls);
            w->n_good += cls != WEIR_NO_CLASS;
        }
        uint32_t out = sim_route(w->sim, at,
                                 &(struct sim_packet){ .flow = w->flow,
                                                       .dst = dst & SIM_MAX_DST,
                                                       .n_hops = w->n & SIM_MAX_HOPS });
        w->nodes[w->n++] = in->node;
        bool is_over = w->sim->plant.hop_limit && w->n > w->sim->plant.hop_limit;
        if (out == SIM_NONE || is_over) {
            return false;
        }
        port = topo->nodes[in->node].first_port + out;
    }
    return false;
}

static bool
refuse(const struct way *w, struct err *err)
{
    const struct topo_node *nodes = w->sim->plant.topo->nodes;
    char text[300];
    int len = snprintf(text, sizeof text, "%s", nodes[w->from].name);

    for (uint32_t i = 0; i < w->n && len < (int)sizeof text; i++) {
        len += snprintf(text + len, sizeof text - (size_t)len, "-%s", nodes[w->nodes[i]].name);
    }
    return err_set(err,
                   "packets on the path %s-%s run out of classes at %s, switch %u of %u: there are "
                   "only %u classes",
                   text, nodes[w->to].name, nodes[w->nodes[w->n_good]].name, w->n_good + 1, w->n,
                   w->sim->plant.n_classes);
}

static bool
has_classes(const struct sim *sim, uint32_t flow, uint32_t from, uint32_t to, struct err *err)
{
    struct way w = { .sim = sim, .flow = flow, .from = from, .to = to };

    return !follow_way(&w) || w.n_good == w.n || refuse(&w, err);
}

bool
sim_check_ways(const struct sim *sim, struct err *err)
{
    bool is_needed = plant_moves_classes(&sim->plant);

    for (uint32_t i = 0; is_needed && i < sim->plant.n_flows; i++) {
        const struct plant_flow *f = &sim->plant.flows[i];
        if (!has_classes(sim, i, f->from, f->to, err) ||
            (transport_is_answered(f->transport, f->recovery) &&
             !has_classes(sim, i, f->to, f->from, err))) {
            return false;
        }
    }
    return true;
}
