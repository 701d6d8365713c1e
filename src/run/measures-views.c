/* Finds the ports and flows that samples of a study's measures will read, as far as the scenario
 * determines them. If ranks run parts of the network, the first rank receives the state of these
 * ports and flows only. */

#include <stdlib.h>

#include "base/array.h"
#include "run/measures.h"

struct looking {
    struct measures *m;
    const struct topo *topo;
    bool *is_seen; /* [port]. */
};

static void
view_flow(struct looking *l, uint32_t flow)
{
    ARRAY_PUSH(l->m->flows, l->m->n_flows, l->m->max_flows) = flow;
}

static void
view_port(struct looking *l, uint32_t port)
{
    if (!l->is_seen[port]) {
        ARRAY_PUSH(l->m->ports, l->m->n_ports, l->m->max_ports) = port;
        l->is_seen[port] = true;
    }
}

/* Views the flows of a workload, at the ports towards their hosts. */
static void
view_receivers(struct looking *l, const struct scenario *s, uint32_t group)
{
    for (uint32_t i = 0; i < s->n_flows; i++) {
        const struct topo_node *host = &s->topo.nodes[scn_flow_at(s, i).to];
        if (scn_flow_at(s, i).group == group) {
            view_flow(l, i);
            for (uint32_t p = 0; p < host->n_ports; p++) {
                view_port(l, s->topo.ports[host->first_port + p].peer);
            }
        }
    }
}

static void
view_node_of(struct looking *l, uint32_t port)
{
    const struct topo_node *n = &l->topo->nodes[l->topo->ports[port].node];

    for (uint32_t i = 0; i < n->n_ports; i++) {
        view_port(l, n->first_port + i);
    }
}

static void
view_subject(struct looking *l, enum scn_quantity of, const struct measures_view *look)
{
    if (scn_quantities[of].is_of_flows) {
        view_flow(l, look->flow);
    }
    if (of == SCN_OF_BUFFER) {
        view_node_of(l, look->port);
    } else if (scn_quantities[of].is_of_port) {
        view_port(l, look->port);
    }
}

void
measures_add_views(struct measures *m, const struct scenario *s, struct sim_sampled *sampled)
{
    struct looking l = { m, &s->topo, array_new(s->topo.n_ports, sizeof *l.is_seen) };

    for (size_t i = 0; i < m->study->n_measures; i++) {
        if (m->items[i].receivers) {
            view_receivers(&l, s, m->items[i].group);
            continue;
        }
        for (size_t k = 0; k < m->items[i].n_views; k++) {
            view_subject(&l, m->study->measures[i].of, &m->items[i].views[k]);
        }
    }
    free(l.is_seen);
    sampled->flows = (struct sim_sampled_items){ .items = m->flows, .n = m->n_flows };
    sampled->slots = (struct sim_sampled_items){ .items = m->ports, .n = m->n_ports };
    if (measures_need(m->study, SCN_OF_HELD)) {
        sampled->units = sampled->slots;
    }
}
