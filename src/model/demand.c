/* Predicts the load of a model: the packets of flows and the feedback of their receivers, along its
 * routes. */

#include <stdlib.h>

#include "base/array.h"
#include "model/model.h"
#include "topo/expect.h"

/* The number of packets that a rate allows in a time. */
static uint64_t
packets_in(const struct model *p, weir_ps time_ps, uint64_t rate_bps)
{
    return time_ps > 0 ? weir_wire_bytes(time_ps, rate_bps) / p->mtu_bytes + 1 : 0;
}

/* The duration of the run, or a default if it is unknown. */
static weir_ps
time_of(const struct model *p)
{
    return p->until_ps ? p->until_ps : WEIR_PS_PER_S / 1000;
}

static uint64_t
packets_of(const struct model *p, const struct model_flow *f)
{
    const struct topo *t = p->topo;
    uint64_t rate =
        t->links[t->ports[t->nodes[f->from].first_port + f->terms->from_port].link].rate_bps;
    weir_ps until =
        f->terms->stop_ps && f->terms->stop_ps < time_of(p) ? f->terms->stop_ps : time_of(p);
    uint64_t all = model_is_finite(f->bytes) ? f->bytes / p->mtu_bytes + 1 : UINT64_MAX;
    uint64_t most =
        packets_in(p, until - f->start_ps, f->terms->rate_bps < rate ? f->terms->rate_bps : rate);

    return all < most ? all : most;
}

/* Adds the packets of a flow with a pinned path. */
static void
follow_path(const struct topo *t, const struct model_flow *f, uint64_t packets, uint64_t *load)
{
    uint32_t first = t->nodes[f->from].first_port + f->terms->from_port, at = topo_beyond(t, first);

    load[first] += packets;
    for (uint32_t i = 0; i < f->terms->n_path && t->nodes[at].kind == TOPO_SWITCH; i++) {
        uint32_t port = t->nodes[at].first_port + f->terms->path[i];
        load[port] += packets;
        at = t->ports[t->ports[port].peer].node;
    }
}

static uint64_t
answers_to(const struct model *p, const struct model_flow *f, uint64_t packets)
{
    bool is_answered = transport_recovery(f->terms->transport, f->terms->recovery)->is_reliable;

    return is_answered ? packets / (p->ack_every ? p->ack_every : 1) : 0;
}

/* Adds the packets of routed flows, and the feedback of all receivers, which is always routed, to
 * the load of each port. */
static void
expect_routed(const struct model *p, uint64_t *load)
{
    struct topo_demand *demands = array_new(2 * (size_t)p->n_flows, sizeof *demands);
    size_t n = 0;

    for (uint32_t i = 0; i < p->n_flows; i++) {
        const struct model_flow *f = &p->flows[i];
        uint64_t packets = packets_of(p, f);
        demands[n++] = (struct topo_demand){ f->from, f->to, f->terms->path ? 0 : packets };
        demands[n++] = (struct topo_demand){ f->to, f->from, answers_to(p, f, packets) };
    }
    topo_expect(p->topo, demands, n, load);
    free(demands);
}

uint64_t *
model_expect(const struct model *p)
{
    const struct topo *t = p->topo;
    uint64_t *by_port = array_new(t->n_ports, sizeof *by_port);
    uint64_t *load = array_new(t->n_links, sizeof *load);

    expect_routed(p, by_port);
    for (uint32_t i = 0; i < p->n_flows; i++) {
        if (p->flows[i].terms->path) {
            follow_path(t, &p->flows[i], packets_of(p, &p->flows[i]), by_port);
        }
    }
    for (uint32_t port = 0; port < t->n_ports; port++) {
        uint32_t link = t->ports[port].link;
        uint64_t most = packets_in(p, time_of(p), t->links[link].rate_bps);
        load[link] += by_port[port] < most ? by_port[port] : most;
    }
    free(by_port);
    return load;
}
