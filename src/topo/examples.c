/* Which route makes an edge of a cycle: one for each, from host to host. */

#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "topo/depend-graph.h"

struct wanted {
    struct depend_edge **edges; /* That have no route yet. */
    size_t n;
    const struct depend_part *part;
    uint32_t flow; /* Or the flow that is walked. */
};

struct route {
    uint32_t *nodes;
    size_t n, max;
};

static void
add_node(struct route *r, uint32_t node)
{
    ARRAY_PUSH(r->nodes, r->n, r->max) = node;
}

static void
give_route(struct wanted *w, size_t i, struct route r, uint32_t flow, weir_ps from_ps)
{
    w->edges[i]->from_ps = from_ps;
    w->edges[i]->route = r.nodes;
    w->edges[i]->n_route = (uint32_t)r.n;
    w->edges[i]->flow = flow;
    w->edges[i] = w->edges[--w->n];
}

/* Of a flow with a path of its own. */

static struct route
route_of_path(const struct topo *t, const struct depend_flow *f)
{
    struct route r = { 0 };
    uint32_t at = t->ports[t->ports[t->nodes[f->from].first_port].peer].node;

    add_node(&r, f->from);
    for (uint32_t i = 0; i < f->n_path; i++) {
        add_node(&r, at);
        at = t->ports[t->ports[t->nodes[at].first_port + f->path[i]].peer].node;
    }
    add_node(&r, f->to);
    return r;
}

static void
match_step(const struct depend *d, const struct depend_edge *step, void *arg)
{
    struct wanted *w = arg;

    for (size_t i = w->n; i-- > 0;) {
        const struct depend_edge *e = w->edges[i];
        if (e->in == step->in && e->out == step->out && e->cls == step->cls &&
            e->next_cls == step->next_cls) {
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

/* Of what the routing offers. */

/* A live host at a switch: of a leaf, or any but one. */
static uint32_t
host_at(const struct depend *d, uint32_t node, uint32_t leaf, uint32_t but)
{
    const struct topo *t = &d->net;

    for (uint32_t p = t->nodes[node].first_port;
         p < t->nodes[node].first_port + t->nodes[node].n_ports; p++) {
        uint32_t peer = t->ports[t->ports[p].peer].node;
        if (t->nodes[peer].kind == TOPO_NIC && d->is_ever_up[t->ports[p].link] && peer != but &&
            (leaf == TOPO_NONE || t->nodes[peer].leaf == leaf)) {
            return peer;
        }
    }
    return TOPO_NONE;
}

/* A flow of the part that begins at a switch; TOPO_NONE: the part is of all hosts. */
static uint32_t
flow_from(const struct depend *d, const struct depend_part *part, uint32_t at)
{
    for (uint32_t i = 0; i < part->n_flows; i++) {
        uint32_t from = d->traffic.flows[part->flows[i]].from;
        if (topo_switch_of(&d->net, from) == d->s.node[at]) {
            return part->flows[i];
        }
    }
    return TOPO_NONE;
}

static bool
has_bit(const uint64_t *set, uint32_t bit)
{
    return set[bit / 64] >> bit % 64 & 1;
}

/* Back from what comes into a switch by a hop, to one that has hosts that send. */
static uint32_t
trace_back(const struct depend *d, uint32_t in, struct route *reversed)
{
    uint32_t at = d->s.hops[in].next;

    for (; d->came_by[at] != DEPEND_BY_HOSTS; at = d->s.hops[d->came_by[at]].next) {
        add_node(reversed, d->s.node[at]);
    }
    add_node(reversed, d->s.node[at]);
    return at;
}

/* A choice by which a packet of this class may go on, and its class there. */
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
comes_by(const struct route *r, size_t from, uint32_t node)
{
    size_t i = from;

    while (i < r->n && r->nodes[i] != node) {
        i++;
    }
    return i < r->n;
}

/* On from a switch, by any choice, to where packets for the leaf end; or, if that is nowhere, until
 * a switch is come by again.  New routes may well lead back to where old ones came by. */
static bool
trace_on(const struct depend *d, uint32_t at, uint8_t cls, struct route *r)
{
    size_t from = d->epoch ? r->n : 0;

    while (!topo_search_is_end(&d->s, at)) {
        uint32_t h = choice_at(d, at, &cls);
        bool goes_on = h != TOPO_NONE && !comes_by(r, from, d->s.node[at]);
        add_node(r, d->s.node[at]);
        if (!goes_on) {
            return false;
        }
        at = d->s.hops[h].next;
    }
    add_node(r, d->s.node[at]);
    return true;
}

static weir_ps
epoch_ps(const struct depend *d)
{
    return d->epoch ? d->traffic.changes[d->n_known[d->epoch] - 1].known_ps : 0;
}

static void
trace(const struct depend *d, struct wanted *w, size_t i, uint32_t in, uint32_t out)
{
    struct route r = { 0 }, back = { 0 };
    uint32_t source = trace_back(d, in, &back), flow = flow_from(d, w->part, source);
    const struct depend_flow *f = flow == TOPO_NONE ? NULL : &d->traffic.flows[flow];
    uint32_t to = host_at(d, d->s.node[d->s.end], w->part->leaf, TOPO_NONE);

    add_node(&r, f ? f->from : host_at(d, d->s.node[source], TOPO_NONE, to));
    while (back.n) {
        add_node(&r, back.nodes[--back.n]);
    }
    add_node(&r, d->s.node[d->at[in]]);
    if (trace_on(d, d->s.hops[out].next, w->edges[i]->next_cls, &r)) {
        add_node(&r, f ? f->to : to);
    }
    free(back.nodes);
    give_route(w, i, r, flow, epoch_ps(d));
}

static void
match_switch(struct depend *d, uint32_t at, void *arg)
{
    struct wanted *w = arg;
    uint32_t first = d->s.first[at];

    for (size_t i = w->n; i-- > 0;) {
        const struct depend_edge *e = w->edges[i];
        uint32_t in = TOPO_NONE, out = TOPO_NONE;
        for (uint32_t h = first; h < d->s.first[at + 1]; h++) {
            in = d->s.hops[h].port == e->in ? h : in;
            out = d->s.hops[h].port == e->out ? h : out;
        }
        if (in != TOPO_NONE && has_bit(d->from_switches + d->set[at], in - first) &&
            has_bit(d->choices + d->set[at], out - first) &&
            depend_has_classes(d, w->part->cls, out, e->cls, e->next_cls)) {
            trace(d, w, i, in, out);
        }
    }
}

static void
match_part(struct depend *d, const struct depend_part *part, void *arg)
{
    struct wanted *w = arg;

    if (w->n) {
        w->part = part;
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
