/* Changes routes after links went down or came up, as a routing protocol would: some time later, at
 * all switches at once.  Routes change between windows, while all threads wait. */

#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "sim/flow-ends.h"
#include "sim/routing.h"
#include "sim/setup.h"

static bool
is_rerouted(const struct sim *sim)
{
    return sim->model.reroute_ps && sim->model.n_link_events;
}

/* The time at which switches have new routes after a link event, on the current clock. */
static weir_ps
rerouted_ps(const struct sim *sim, const struct topo_link_event *e)
{
    return e->at_ps + sim->model.reroute_ps - sim->set_back_ps;
}

/* The time of the next change of routes after 'now'. */
static weir_ps
next_change(const struct sim *sim, weir_ps now)
{
    weir_ps next = WEIR_NEVER;

    for (uint32_t i = 0; is_rerouted(sim) && i < sim->model.n_link_events; i++) {
        weir_ps at = rerouted_ps(sim, &sim->model.link_events[i]);
        next = at > now && at < next ? at : next;
    }
    return next;
}

/* Gives each node the new location of its row. */
static void
notify_nodes(struct sim *sim)
{
    for (struct sim_node *n = sim->nodes; n < sim->nodes + sim->n_here; n++) {
        n->routes = n->path_choice ? sim_routes_of(sim, n->id) : NULL;
    }
}

static void
take_new_routes(struct sim *sim)
{
    topo_route(&sim->routing.net);
    sim_take_routes(sim);
    topo_forget_routes(&sim->routing.net);
}

/* Makes a copy of the network with its own links and routes, as the switches know them. */
void
sim_set_routes(struct sim *sim)
{
    const struct topo *topo = sim->model.topo;

    sim->routing.row_of = array_new(topo->n_switches, sizeof *sim->routing.row_of);
    sim->routing.net = *topo;
    sim_take_routes(sim);
    sim->routing.net.routes = NULL; /* Only the rows are needed, and they are far smaller. */
    if (sim->config.spent) {
        topo_forget_routes(sim->config.spent);
    }
    sim->routing.next_change_ps = next_change(sim, -1);
    if (is_rerouted(sim)) {
        sim->routing.net.links = array_new(topo->n_links, sizeof *sim->routing.net.links);
        memcpy(sim->routing.net.links, topo->links, topo->n_links * sizeof *topo->links);
        sim->routing.net.groups = NULL;
        sim->routing.net.choices = NULL;
        sim->routing.net.far = NULL;
        sim->routing.net.max_groups = sim->routing.net.max_choices = 0;
        take_new_routes(sim);
    }
}

void
sim_free_routes(struct sim *sim)
{
    free(sim->routing.routes);
    free(sim->routing.row_of);
    if (is_rerouted(sim) && sim->routing.net.links != sim->model.topo->links) {
        free(sim->routing.net.links);
        free(sim->routing.net.groups);
        free(sim->routing.net.choices);
        free(sim->routing.net.far);
    }
}

void
sim_reroute(struct sim *sim, weir_ps now)
{
    if (now < sim->routing.next_change_ps) {
        return;
    }
    for (uint32_t i = 0; i < sim->model.n_link_events; i++) {
        const struct topo_link_event *e = &sim->model.link_events[i];
        if (rerouted_ps(sim, e) <= now) {
            sim->routing.net.links[e->link].failed = !e->up;
        }
    }
    take_new_routes(sim);
    notify_nodes(sim);
    for (uint32_t i = 0; sim->flows.ideal_ps && i < sim->model.n_flows; i++) {
        if (sim->flows.ideal_ps[i] < 0) {
            sim->flows.ideal_ps[i] = sim_flow_ideal_now_ps(sim, i);
        }
    }
    sim->routing.next_change_ps = next_change(sim, now);
}
