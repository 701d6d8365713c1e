/* Finds an example for each edge of a cycle: a route from host to host that makes the edge. */

#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "topo/depend-graph.h"

struct wanted {
    struct depend_edge **edges; /* Edges that have no route yet. */
    size_t n;
    const struct depend_part *part;
    uint32_t flow; /* The flow with a given path that is being followed. */
};

static void
give_route(struct wanted *w, size_t i, struct topo_path r, uint32_t flow, weir_ps from_ps)
{
    w->edges[i]->from_ps = from_ps;
    w->edges[i]->route = r.nodes;
    w->edges[i]->n_route = (uint32_t)r.n;
    w->edges[i]->flow = flow;
    w->edges[i] = w->edges[--w->n];
}

/* These functions find routes of flows with a given path. */

static struct topo_path
route_of_path(const struct topo *t, const struct depend_flow *f)
{
    struct topo_path r = { 0 };
    uint32_t at = topo_beyond(t, t->nodes[f->from].first_port + f->from_port);

    topo_path_add(&r, f->from);
    for (uint32_t i = 0; i < f->n_path; i++) {
        topo_path_add(&r, at);
        at = topo_beyond(t, t->nodes[at].first_port + f->path[i]);
    }
    topo_path_add(&r, f->to);
    return r;
}

static void
match_step(const struct depend *d, const struct depend_edge *step, void *arg)
{
    struct wanted *w = arg;

    for (size_t i = w->n; i-- > 0;) {
        const struct depend_edge *e = w->edges[i];
        bool comes = e->in == TOPO_NONE || (e->in == step->in && e->cls == step->cls);
        bool goes = e->out == TOPO_NONE || (e->out == step->out && e->next_cls == step->next_cls);
        if (e->at == step->at && comes && goes) {
            give_route(w, i, route_of_path(&d->net, &d->traffic.flows[w->flow]), w->flow, 0);
        }
    }
}

static void
match_paths(struct depend *d, struct wanted *w)
{
    for (w->flow = 0; w->flow < d->traffic.n_flows && w->n; w->flow++) {
        const struct depend_flow *f = &d->traffic.flows[w->flow];
        if (f->path && depend_counts(d, f) && depend_walk(d, f, NULL, NULL)) {
            depend_walk(d, f, match_step, w);
        }
    }
}

/* These functions find routes of flows without a given path. */

/* Whether a NIC with several ports sends to the leaf through the port at the other end of
 * 'port'. */
static bool
sends_by(const struct depend *d, uint32_t nic, uint32_t port)
{
    uint32_t number = d->net.ports[d->net.ports[port].peer].number;

    return !topo_is_multi(&d->net, nic) || topo_search_nic_ports(&d->s, nic) >> number & 1;
}

/* A live host at a switch: a host of the leaf, or any host that sends, except the host 'but'. */
static uint32_t
host_at(const struct depend *d, uint32_t node, uint32_t leaf, uint32_t but)
{
    const struct topo *t = &d->net;

    for (uint32_t p = t->nodes[node].first_port;
         p < t->nodes[node].first_port + t->nodes[node].n_ports; p++) {
        uint32_t peer = topo_beyond(t, p);
        if (t->nodes[peer].kind == TOPO_NIC && d->is_ever_up[t->ports[p].link] && peer != but &&
            (leaf == TOPO_NONE ? sends_by(d, peer, p) : t->nodes[peer].leaf == leaf)) {
            return peer;
        }
    }
    return TOPO_NONE;
}

/* A flow of the part that begins at a switch; TOPO_NONE: the part covers all hosts. */
static uint32_t
flow_from(const struct depend *d, const struct depend_part *part, uint32_t at)
{
    for (uint32_t i = 0; i < part->n_flows; i++) {
        uint32_t flow = part->flows[i].flow, from = d->traffic.flows[flow].from;
        if (topo_nic_is_at(&d->net, from, d->s.node[at])) {
            return flow;
        }
    }
    return TOPO_NONE;
}

/* Searches backwards from a switch to one whose hosts send. */
static uint32_t
trace_back(const struct depend *d, uint32_t at, struct topo_path *reversed)
{
    for (; d->came_by[at] != DEPEND_BY_HOSTS; at = d->s.hops[d->came_by[at]].next) {
        topo_path_add(reversed, d->s.node[at]);
    }
    topo_path_add(reversed, d->s.node[at]);
    return at;
}

/* A choice that a packet of this class may take, and its class after that hop. */
static uint32_t
choice_at(const struct depend *d, uint32_t at, uint8_t *cls)
{
    for (uint32_t h = d->s.first[at]; h < d->s.first[at + 1]; h++) {
        for (uint32_t lower = 0; lower < 2 && topo_search_is_choice(&d->s, at, h); lower++) {
            uint8_t next_cls = (uint8_t)(*cls - lower);
            if (*cls >= lower && depend_has_classes(d, *cls, h, *cls, next_cls)) {
                *cls = next_cls;
                return h;
            }
        }
    }
    return TOPO_NONE;
}

static bool
comes_by(const struct topo_path *r, size_t from, uint32_t node)
{
    size_t i = from;

    while (i < r->n && r->nodes[i] != node) {
        i++;
    }
    return i < r->n;
}

/* Continues from a switch by any choices to the end of the path to the leaf; or, in a loop, to the
 * first switch that is visited twice.  New routes may lead back to switches of old routes. */
static bool
trace_on(const struct depend *d, uint32_t at, uint8_t cls, struct topo_path *r)
{
    size_t from = d->epoch ? r->n : 0;

    while (!topo_search_is_end(&d->s, at)) {
        uint32_t h = choice_at(d, at, &cls);
        bool goes_on = h != TOPO_NONE && !comes_by(r, from, d->s.node[at]);
        topo_path_add(r, d->s.node[at]);
        if (!goes_on) {
            return false;
        }
        at = d->s.hops[h].next;
    }
    topo_path_add(r, d->s.node[at]);
    return true;
}

static weir_ps
epoch_ps(const struct depend *d)
{
    return d->epoch ? d->traffic.changes[d->n_known[d->epoch] - 1].known_ps : 0;
}

/* Finds a route through a switch. It arrives over the hop 'in' or from any source of packets, and
 * leaves over the hop 'out' or ends at any destination. */
static void
trace(const struct depend *d, struct wanted *w, size_t i, uint32_t at, uint32_t in, uint32_t out)
{
    struct topo_path r = { 0 }, back = { 0 };
    uint32_t source = trace_back(d, in == TOPO_NONE ? at : d->s.hops[in].next, &back);
    uint32_t flow = flow_from(d, w->part, source);
    uint32_t next = out == TOPO_NONE ? at : d->s.hops[out].next;
    uint8_t cls = out == TOPO_NONE ? w->edges[i]->cls : w->edges[i]->next_cls;
    const struct depend_flow *f = flow == TOPO_NONE ? NULL : &d->traffic.flows[flow];
    uint32_t leaf = w->part->leaf, nic = topo_multi_of(&d->net, leaf);
    uint32_t to = nic != TOPO_NONE ? nic : host_at(d, d->net.leaves[leaf], leaf, TOPO_NONE);

    topo_path_add(&r, f ? f->from : host_at(d, d->s.node[source], TOPO_NONE, to));
    while (back.n) {
        topo_path_add(&r, back.nodes[--back.n]);
    }
    if (in != TOPO_NONE && out != TOPO_NONE) {
        topo_path_add(&r, d->s.node[at]);
    }
    if (trace_on(d, next, cls, &r)) {
        topo_path_add(&r, f ? f->to : to);
    }
    free(back.nodes);
    give_route(w, i, r, flow, epoch_ps(d));
}

/* True if the flood makes an edge: packets arrive over its input hop and leave over its output hop.
 * If the edge has both hops, the same packets must use both. */
static bool
makes(const struct depend *d, const struct depend_edge *e, uint8_t flood_cls, uint32_t at,
      uint32_t in, uint32_t out)
{
    uint32_t first = d->s.first[at];
    bool comes = in != TOPO_NONE && depend_has_bit(d->from_switches + d->set[at], in - first),
         goes = out != TOPO_NONE && depend_has_bit(d->choices + d->set[at], out - first);

    if (e->out == TOPO_NONE) {
        return comes && depend_comes_in(d, flood_cls, at, e->cls);
    }
    uint8_t cls = e->in == TOPO_NONE ? depend_class(d, flood_cls, e->next_cls + 1u) : e->cls;
    return (comes || e->in == TOPO_NONE) && goes &&
           depend_has_classes(d, flood_cls, out, cls, e->next_cls);
}

static void
match_switch(struct depend *d, uint32_t at, void *arg)
{
    struct wanted *w = arg;

    for (size_t i = w->n; i-- > 0;) {
        const struct depend_edge *e = w->edges[i];
        uint32_t in = TOPO_NONE, out = TOPO_NONE;
        for (uint32_t h = d->s.first[at]; h < d->s.first[at + 1]; h++) {
            in = d->s.hops[h].port == e->in ? h : in;
            out = d->s.hops[h].port == e->out ? h : out;
        }
        if (e->at == d->s.node[at] && makes(d, e, w->part->cls, at, in, out)) {
            trace(d, w, i, at, in, out);
        }
    }
}

static void
match_part(struct depend *d, const struct depend_part *part, void *arg)
{
    struct wanted *w = arg;

    if (w->n) {
        w->part = part;
        depend_open_part(d, part);
        depend_flood(d, part->leaf, match_switch, w);
    }
}

void
depend_add_examples(struct depend *d, struct depend_cycles *cycles)
{
    struct wanted w = { 0 };
    size_t n = 0;

    for (size_t i = 0; i < cycles->n; i++) {
        n += cycles->cycles[i].n;
    }
    w.edges = array_new(n, sizeof *w.edges);
    for (size_t i = 0; i < cycles->n; i++) {
        for (uint32_t j = 0; j < cycles->cycles[i].n; j++) {
            w.edges[w.n++] = &cycles->cycles[i].edges[j];
        }
    }
    match_paths(d, &w);
    depend_each_part(d, match_part, &w);
    free(w.edges);
}
