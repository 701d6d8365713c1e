/* All the ways that packets of a flow may take: found level by level, from the sender on.
 *
 * A switch that is met again, as where routes lead round, is left once; but not on a path that the
 * flow has of its own, which may cross a switch twice. */

#include "sim/fan.h"

#include <stdlib.h>

#include "base/array.h"
#include "sim/routing.h"

static uint32_t
stop_at(struct sim_fan *fan, uint32_t node, uint32_t level)
{
    const struct topo *topo = fan->sim->model.topo;
    const struct topo_node *at = &topo->nodes[node];
    uint32_t *stop = &fan->stop_of[at->kind == TOPO_NIC ? topo->n_switches : at->index];

    if (!*stop || fan->sim->model.flows[fan->flow].terms->path) {
        const struct weir_shape *shape = model_shape_like(&fan->sim->model, node);
        ARRAY_PUSH(fan->stops, fan->n_stops, fan->max_stops) =
            (struct sim_stop){ .node = node,
                               .level = level,
                               .inside_ps = shape->pipeline_ps,
                               .period_ps = weir_period_ps(shape->pipeline_pps) };
        *stop = (uint32_t)fan->n_stops;
    }
    return *stop - 1;
}

static void
add_hop(struct sim_fan *fan, uint32_t from, uint32_t port, uint64_t weight)
{
    const struct topo *topo = fan->sim->model.topo;
    uint32_t level = fan->stops[from].level + 1;
    uint32_t to = stop_at(fan, topo->ports[topo->ports[port].peer].node, level);

    fan->stops[to].weight += weight;
    fan->is_even &= fan->stops[to].level == level;
    ARRAY_PUSH(fan->hops, fan->n_hops, fan->max_hops) =
        (struct sim_hop){ .port = port,
                          .from = from,
                          .to = to,
                          .weight = weight,
                          .link = &topo->links[topo->ports[port].link] };
}

/* The ways on from a switch; none, where the hop limit ends them. */
static void
leave_switch(struct sim_fan *fan, uint32_t from)
{
    const struct model *p = &fan->sim->model;
    const struct sim_stop stop = fan->stops[from];
    uint32_t n_hops = stop.level - 1, first_port = p->topo->nodes[stop.node].first_port;
    uint32_t dst = p->topo->nodes[p->flows[fan->flow].to].index;

    if (p->hop_limit && n_hops >= p->hop_limit) {
        return;
    }
    struct sim_ways ways = sim_ways(fan->sim, stop.node,
                                    &(struct sim_packet){ .flow = fan->flow,
                                                          .dst = dst & SIM_MAX_DST,
                                                          .n_hops = n_hops & SIM_MAX_HOPS });
    fan->splits |= ways.n > 1;
    for (uint32_t i = 0; i < ways.n; i++) {
        uint64_t weight = stop.weight / ways.n;
        add_hop(fan, from, first_port + sim_way(&ways, i), weight ? weight : 1);
    }
}

void
sim_fan_open(struct sim_fan *fan, const struct sim *sim, uint32_t flow)
{
    const struct topo *topo = sim->model.topo;
    uint32_t sender = sim->model.flows[flow].from;

    *fan = (struct sim_fan){ .sim = sim, .flow = flow, .is_even = true };
    fan->stop_of = array_new(topo->n_switches + 1, sizeof *fan->stop_of);
    ARRAY_PUSH(fan->stops, fan->n_stops, fan->max_stops) =
        (struct sim_stop){ .node = sender, .weight = SIM_FAN_WHOLE };
    add_hop(fan, 0, topo->nodes[sender].first_port, SIM_FAN_WHOLE);
    for (uint32_t i = 1; i < fan->n_stops; i++) {
        if (topo->nodes[fan->stops[i].node].kind == TOPO_NIC) {
            fan->arrives = true;
        } else {
            leave_switch(fan, i);
        }
    }
}

void
sim_fan_close(struct sim_fan *fan)
{
    free(fan->stops);
    free(fan->hops);
    free(fan->stop_of);
}
