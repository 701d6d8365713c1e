/* Links that become slower during the run and later recover: changes the rate of one end of a link.
 *
 * Such a change is an event of that end only; the other end notices it only by the arriving
 * packets. Engines, and ideal completion times, use the initial rate of the link. */

#include "sim/observers.h"
#include "sim/scheduler.h"
#include "sim/setup.h"
#include "sim/wires.h"

/* Checks that no end of a link exceeds the link's initial rate, and that the link never goes down.
 * The length of a window follows from the initial delay of the fastest link.  When a link has gone
 * down, a node uses the link's initial rate to compute when arriving packets were sent. */
bool
sim_slowings_fit(const struct model *c, struct err *err)
{
    for (uint32_t i = 0; i < c->n_slowings; i++) {
        uint32_t link = c->slowings[i].link;
        if (c->slowings[i].rate_bps > c->topo->links[link].rate_bps) {
            return err_set(err, "link %u cannot be faster than at first", link);
        }
        for (uint32_t k = 0; k < c->n_link_events; k++) {
            if (c->link_events[k].link == link) {
                return err_set(err, "link %u goes down, and cannot change its rate as well", link);
            }
        }
    }
    return true;
}

/* Posts each change to the end that slows down. */
void
sim_post_slowings(struct sim *sim)
{
    const struct model *c = &sim->model;

    for (uint32_t i = 0; i < c->n_slowings; i++) {
        const struct topo_slowing *s = &c->slowings[i];
        sim_post_to_end(sim, s->link, s->end,
                        (struct sim_mail){ .at = s->at_ps, .event = SIM_SLOW, .key = i });
    }
}

/* Changes the rate of a port. The arrival time of a packet that is on the wire does not change. */
void
sim_change_rate(struct sim_thread *t, struct sim_node *n, const struct sim_mail *m)
{
    uint64_t rate_bps = t->sim->model.slowings[m->key].rate_bps;

    sim_port_set_rate(n, m->port, rate_bps);
    sim_note_slot(t, n, m->port * n->n_classes, SIM_NOTE_LINK_RATE, rate_bps, m->at);
}

static weir_ps
reaction_ps(const struct model *c, const struct topo_link *link, uint64_t rate_bps)
{
    return link->delay_ps + c->response_ps +
           2 * weir_wire_ps(c->mtu_bytes + c->gap_bytes, rate_bps);
}

weir_ps
sim_slowest_reaction_ps(const struct sim *sim)
{
    const struct model *c = &sim->model;
    const struct topo_link *links = c->topo->links;
    weir_ps longest = 0;

    for (size_t i = 0; i < c->topo->n_links; i++) {
        weir_ps reaction = reaction_ps(c, &links[i], links[i].rate_bps);
        longest = reaction > longest ? reaction : longest;
    }
    for (uint32_t i = 0; i < c->n_slowings; i++) {
        const struct topo_slowing *s = &c->slowings[i];
        weir_ps reaction = reaction_ps(c, &links[s->link], s->rate_bps);
        longest = reaction > longest ? reaction : longest;
    }
    return longest;
}

uint64_t
sim_min_bps(const struct sim *sim, uint32_t port)
{
    const struct model *c = &sim->model;
    uint64_t least = c->topo->links[c->topo->ports[port].link].rate_bps;

    for (uint32_t i = 0; i < c->n_slowings; i++) {
        const struct topo_slowing *s = &c->slowings[i];
        bool is_slower = c->topo->links[s->link].port[s->end] == port && s->rate_bps < least;
        least = is_slower ? s->rate_bps : least;
    }
    return least;
}
