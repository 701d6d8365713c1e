/* Handles packets at a port whose link is down, by the rules of model.h.
 *
 *     forward   Packets wait until the switches have new routes, and take these.  A packet without
 *               a new route is dropped.
 *     flush     Packets are dropped when the link goes down, and while it is down.
 *     wait      Packets wait until the link is up.
 *
 * A port that is down calls sim_port_is_down() before it starts anything: when its link goes down,
 * when a packet is offered to it, and, by mail, when routes change.  Ports that are up never call
 * it.  A NIC is the sender of its packets, and keeps them. */

#include "sim/routing.h"
#include "sim/scheduler.h"
#include "sim/setup.h"
#include "sim/wires.h"

/* Whether switches know that the link of a port is down, and look for other routes. */
static bool
is_given_up(const struct sim *sim, const struct sim_node *n, uint32_t port)
{
    const struct topo *topo = sim->model.topo;
    uint32_t link = topo->ports[topo->nodes[n->id].first_port + port].link;

    return sim->model.reroute_ps && sim->model.dead == MODEL_DEAD_FORWARD && !n->ports[port].up &&
           sim->routing.net.links[link].failed;
}

uint32_t
sim_new_port(const struct sim_thread *t, struct sim_node *n, const struct sim_packet *packet)
{
    uint32_t port = sim_output_port(t, n, packet);

    return port != SIM_NONE && is_given_up(t->sim, n, port) ? SIM_NONE : port;
}

/* Whether a packet has a new port. If it may leave through several ports, routes have already
 * excluded the ports that are down. */
bool
sim_has_new_port(const struct sim_thread *t, const struct sim_node *n,
                 const struct sim_packet *packet)
{
    struct sim_next_ports next = sim_next_ports(t->sim, n->id, packet);

    return next.several || (next.n && !is_given_up(t->sim, n, next.only));
}

static void
flush(struct sim_thread *t, struct sim_node *n, uint32_t port, weir_ps now)
{
    for (uint32_t cls = 0; cls < n->n_classes; cls++) {
        while (n->ports[port].active >> cls & 1) {
            n->kind->discard(t, n, port * n->n_classes + cls, sim_drop_flushed, now);
        }
    }
}

static void
empty(struct sim_thread *t, struct sim_node *n, uint32_t port, weir_ps now)
{
    if (t->sim->model.dead == MODEL_DEAD_FLUSH) {
        flush(t, n, port, now);
    } else {
        n->kind->reforward(t, n, port, now);
    }
}

/* Empties a port that is down.  The freed buffer may let more packets reach the port, which then
 * calls this function again; they are dropped after all packets before them.  The function is out
 * of line, so that it costs nothing at ports that are up. */
__attribute__((noinline, cold)) void
sim_port_is_down(struct sim_thread *t, struct sim_node *n, uint32_t port, weir_ps now)
{
    uint32_t before = n->emptied;
    bool is_emptied = t->sim->model.dead == MODEL_DEAD_FLUSH || is_given_up(t->sim, n, port);

    if (!n->kind->reforward || before == port || !is_emptied) {
        return;
    }
    n->emptied = port;
    do {
        empty(t, n, port, now);
    } while (n->ports[port].active);
    n->emptied = before;
}

/* The time at which routes change. They change between windows: before the first window that begins
 * at or after 'due_ps'. */
static weir_ps
changes_at(const struct sim *sim, weir_ps due_ps)
{
    weir_ps start_ps = sim_window_start(sim, due_ps);

    return start_ps == due_ps ? due_ps : start_ps + ((weir_ps)1 << sim->window_bits);
}

/* Posts mail to all NICs with several ports, so that they choose among their ports again after
 * routes have changed. */
static void
post_to_nics(struct sim *sim, struct sim_mail mail)
{
    for (size_t i = 0; i < sim->model.topo->n_multi; i++) {
        mail.node = sim->model.topo->multi[i];
        sim_post_first(sim, &mail);
    }
}

void
sim_post_reroutes(struct sim *sim)
{
    const struct model *c = &sim->model;

    for (uint32_t i = 0; c->reroute_ps && i < c->n_link_events; i++) {
        weir_ps at = changes_at(sim, c->link_events[i].at_ps + c->reroute_ps);
        const struct sim_mail mail = { .at = at, .event = SIM_LINK, .key = SIM_REROUTED };
        for (uint32_t end = 0; end < 2; end++) {
            sim_post_to_end(sim, c->link_events[i].link, end, mail);
        }
        post_to_nics(sim, mail);
    }
}
