/* The ports and flows that samples of a study's measures will read, as far as a scenario says it.
 * If ranks run parts of the network, the first rank receives these and nothing else. */

#include <stdlib.h>

#include "base/array.h"
#include "run/measures.h"

struct looking {
    struct measures *m;
    const struct topo *topo;
    bool *is_seen; /* [port]. */
};

static void
look_at_flow(struct looking *l, uint32_t flow)
{
    ARRAY_PUSH(l->m->flows, l->m->n_flows, l->m->max_flows) = flow;
}

static void
look_at_port(struct looking *l, uint32_t port)
{
    if (!l->is_seen[port]) {
        ARRAY_PUSH(l->m->ports, l->m->n_ports, l->m->max_ports) = port;
        l->is_seen[port] = true;
    }
}

/* The flows of a workload, and where each comes to its host. */
static void
look_at_receivers(struct looking *l, const struct scenario *s, uint32_t group)
{
    for (uint32_t i = 0; i < s->n_flows; i++) {
        if (scn_flow_at(s, i).group == group) {
            look_at_flow(l, i);
            look_at_port(l, s->topo.ports[s->topo.nodes[scn_flow_at(s, i).to].first_port].peer);
        }
    }
}

static void
look_at_node_of(struct looking *l, uint32_t port)
{
    const struct topo_node *n = &l->topo->nodes[l->topo->ports[port].node];

    for (uint32_t i = 0; i < n->n_ports; i++) {
        look_at_port(l, n->first_port + i);
    }
}

static void
look_at_subject(struct looking *l, enum scn_quantity of, const struct measures_look *look)
{
    if (scn_quantities[of].is_of_flows) {
        look_at_flow(l, look->flow);
    }
    if (of == SCN_OF_BUFFER) {
        look_at_node_of(l, look->port);
    } else if (scn_quantities[of].is_of_port) {
        look_at_port(l, look->port);
    }
}

void
measures_add_looks(struct measures *m, const struct scenario *s, struct sim_looks *looks)
{
    struct looking l = { m, &s->topo, array_new(s->topo.n_ports, sizeof *l.is_seen) };

    for (size_t i = 0; i < m->study->n_measures; i++) {
        if (m->items[i].receivers) {
            look_at_receivers(&l, s, m->items[i].group);
            continue;
        }
        for (size_t k = 0; k < m->items[i].n_looks; k++) {
            look_at_subject(&l, m->study->measures[i].of, &m->items[i].looks[k]);
        }
    }
    free(l.is_seen);
    looks->flows = (struct sim_looked){ .items = m->flows, .n = m->n_flows };
    looks->slots = (struct sim_looked){ .items = m->ports, .n = m->n_ports };
    if (measures_look_at(m->study, SCN_OF_HELD)) {
        looks->units = looks->slots;
    }
}
