/* If packets change class from hop to hop, checks whether the packets of each flow have a class on
 * all their paths.  The check runs before the simulation and reports a path that needs more
 * classes, so that no packets vanish.
 *
 * If packets of a flow may take different paths, all of them are tried.  A path that never arrives,
 * as in a routing loop, does not count: its packets run out of classes, which is the purpose of
 * these classes.  Paths of later routes do not count either. */

#include <stdio.h>
#include <stdlib.h>

#include "base/array.h"
#include "sim/routing.h"
#include "sim/setup.h"

/* N_STATES: each class, and the state with no class left. */
enum { MAX_PATH = 256, N_STATES = WEIR_MAX_CLASSES + 1 };

struct path {
    const struct sim *sim;
    uint32_t flow, from, to;     /* 'from' and 'to' are nodes, which are exchanged for
                                  * acknowledgements. */
    uint32_t nodes[MAX_PATH], n; /* The switches of the path. */
    uint32_t n_good;             /* The number of these switches that have a class for the
                                  * packet. */
    bool *is_tried;              /* [switch][state]: the paths from there have been checked. */
};

/* Whether the search has already visited a switch with packets in this class, or without a class.
 * A path that the scenario sets for a flow is always followed to its end. */
static bool
was_here(struct path *w, uint32_t node, uint8_t cls)
{
    uint32_t state = cls == WEIR_NO_CLASS ? WEIR_MAX_CLASSES : cls;
    bool *is_tried = &w->is_tried[w->sim->model.topo->nodes[node].index * N_STATES + state];
    bool was_tried = *is_tried && !w->sim->model.flows[w->flow].terms->path;

    *is_tried = true;
    return was_tried;
}

static bool follow_link(struct path *, uint32_t port, uint8_t cls);

/* Continues from a switch on each of its paths. */
static bool
follow_paths(struct path *w, uint32_t node, uint8_t cls)
{
    const struct topo_node *nodes = w->sim->model.topo->nodes;
    struct sim_packet packet = { .flow = w->flow,
                                 .dst = nodes[w->to].index & SIM_MAX_DST,
                                 .n_hops = w->n & SIM_MAX_HOPS };
    struct sim_next_ports next = sim_next_ports(w->sim, node, &packet);
    uint32_t n_good = w->n_good;
    bool is_over = w->sim->model.hop_limit && w->n >= w->sim->model.hop_limit;

    w->nodes[w->n++] = node;
    for (uint32_t i = 0; i < next.n && !is_over && w->n < MAX_PATH; i++) {
        if (!follow_link(w, nodes[node].first_port + sim_next_port(&next, i), cls)) {
            return false;
        }
        w->n_good = n_good;
    }
    w->n--;
    return true;
}

/* Returns false at the end of a path that did not have enough classes. */
static bool
follow_link(struct path *w, uint32_t port, uint8_t cls)
{
    const struct topo *topo = w->sim->model.topo;
    const struct topo_port *in = &topo->ports[topo->ports[port].peer];

    if (topo->nodes[in->node].kind == TOPO_NIC) {
        return w->n_good == w->n;
    }
    if (cls != WEIR_NO_CLASS) {
        cls = sim_class_here(w->sim, topo->ports[port].peer, cls);
        w->n_good += cls != WEIR_NO_CLASS;
    }
    return was_here(w, in->node, cls) || follow_paths(w, in->node, cls);
}

static bool
refuse(const struct path *w, struct err *err)
{
    const struct topo_node *nodes = w->sim->model.topo->nodes;
    char text[300];
    int len = snprintf(text, sizeof text, "%s", nodes[w->from].name);

    for (uint32_t i = 0; i < w->n && len < (int)sizeof text; i++) {
        len += snprintf(text + len, sizeof text - (size_t)len, "-%s", nodes[w->nodes[i]].name);
    }
    return err_set(err,
                   "packets on the path %s-%s run out of classes at %s, switch %u of %u: there are "
                   "only %u classes",
                   text, nodes[w->to].name, nodes[w->nodes[w->n_good]].name, w->n_good + 1, w->n,
                   w->sim->model.n_classes);
}

static bool
has_classes(const struct sim *sim, uint32_t flow, uint32_t from, uint32_t to, uint8_t cls,
            struct err *err)
{
    const struct topo *topo = sim->model.topo;
    struct path w = { .sim = sim, .flow = flow, .from = from, .to = to };

    w.is_tried = array_new((size_t)topo->n_switches * N_STATES, sizeof *w.is_tried);
    uint32_t port = sim_nic_port(sim, from, topo->nodes[to].index, flow);
    bool is_good = follow_link(&w, topo->nodes[from].first_port + port, cls);
    free(w.is_tried);
    return is_good || refuse(&w, err);
}

bool
sim_check_path_classes(const struct sim *sim, struct err *err)
{
    bool is_needed = model_moves_classes(&sim->model);

    for (uint32_t i = 0; is_needed && i < sim->model.n_flows; i++) {
        const struct model_flow *f = &sim->model.flows[i];
        uint8_t back = model_answer_class(&sim->model, f);
        if (!has_classes(sim, i, f->from, f->to, f->cls, err) ||
            (transport_is_answered(f->terms->transport, f->terms->recovery) &&
             !has_classes(sim, i, f->to, f->from, back, err))) {
            return false;
        }
    }
    return true;
}
