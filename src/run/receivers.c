/* Finds the switch ports towards the hosts that receive active flows of a workload: the outputs
 * that an incast congests. A host with several ports has several such switch ports. */

#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "run/measures.h"

struct receivers {
    const struct scenario *s;
    uint32_t *flows;
    size_t n, max, at;
    uint32_t port, n_ports; /* The ports of the current host that have not been returned yet. */
    bool *is_seen;          /* [node]. */
};

struct receivers *
receivers_new(const struct scenario *s, uint32_t group)
{
    struct receivers *r = array_new(1, sizeof *r);

    r->s = s;
    r->is_seen = array_new(s->topo.n_nodes, sizeof *r->is_seen);
    for (uint32_t i = 0; i < s->n_flows; i++) {
        if (scn_flow_at(s, i).group == group) {
            ARRAY_PUSH(r->flows, r->n, r->max) = i;
        }
    }
    return r;
}

void
receivers_rewind(struct receivers *r)
{
    r->at = 0;
    r->n_ports = 0;
    memset(r->is_seen, 0, r->s->topo.n_nodes * sizeof *r->is_seen);
}

static bool
is_under_way(const struct receivers *r, const struct sim *sim, uint32_t flow)
{
    struct sim_flow_result result = sim_flow_result(sim, flow);

    return result.started_ps >= 0 && result.received_bytes < scn_flow_at(r->s, flow).bytes;
}

static bool
find_host(struct receivers *r, const struct sim *sim)
{
    while (r->at < r->n) {
        uint32_t flow = r->flows[r->at++], host = scn_flow_at(r->s, flow).to;
        if (!r->is_seen[host] && is_under_way(r, sim, flow)) {
            r->is_seen[host] = true;
            r->port = r->s->topo.nodes[host].first_port;
            r->n_ports = r->s->topo.nodes[host].n_ports;
            return true;
        }
    }
    return false;
}

bool
receivers_next(struct receivers *r, const struct sim *sim, uint32_t *port)
{
    if (!r->n_ports && !find_host(r, sim)) {
        return false;
    }
    *port = r->s->topo.ports[r->port++].peer;
    r->n_ports--;
    return true;
}

void
receivers_free(struct receivers *r)
{
    if (r) {
        free(r->flows);
        free(r->is_seen);
        free(r);
    }
}
