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
give_route(struct wanted *w, size_t i, struct route r, uint32_t flow)
{
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
            give_route(w, i, route_of_path(d->topo, &d->traffic.flows[w->flow]), w->flow);
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

static uint32_t
live_host_at(const struct topo *t, uint32_t node)
{
    for (uint32_t p = t->nodes[node].first_port;
         p < t->nodes[node].first_port + t->nodes[node].n_ports; p++) {
        uint32_t peer = t->ports[t->ports[p].peer].node;
        if (t->nodes[peer].kind == TOPO_NIC && !t->links[t->ports[p].link].failed) {
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
        uint32_t leaf = d->topo->nodes[d->traffic.flows[part->flows[i]].from].leaf;
        if (d->topo->leaves[leaf] == d->s.node[at]) {
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

    while (!d->from_hosts[at]) {
        uint32_t h = d->s.first[at];
        while (!has_bit(d->from_switches + d->set[at], h - d->s.first[at])) {
            h++;
        }
        add_node(reversed, d->s.node[at]);
        at = d->s.hops[h].next;
    }
    add_node(reversed, d->s.node[at]);
    return at;
}

/* On from a switch, by any choice, to the leaf. */
static void
trace_on(const struct depend *d, uint32_t at, uint32_t to, struct route *r)
{
    while (at != to) {
        uint32_t h = d->s.first[at];
        while (!topo_search_is_choice(&d->s, at, h)) {
            h++;
        }
        add_node(r, d->s.node[at]);
        at = d->s.hops[h].next;
    }
    add_node(r, d->s.node[to]);
}

static void
trace(const struct depend *d, struct wanted *w, size_t i, uint32_t in, uint32_t out)
{
    struct route r = { 0 }, back = { 0 };
    uint32_t source = trace_back(d, in, &back), flow = flow_from(d, w->part, source);
    const struct depend_flow *f = flow == TOPO_NONE ? NULL : &d->traffic.flows[flow];

    add_node(&r, f ? f->from : live_host_at(d->topo, d->s.node[source]));
    while (back.n) {
        add_node(&r, back.nodes[--back.n]);
    }
    add_node(&r, d->s.node[d->at[in]]);
    trace_on(d, d->s.hops[out].next, w->part->to, &r);
    add_node(&r, f ? f->to : live_host_at(d->topo, d->s.node[w->part->to]));
    free(back.nodes);
    give_route(w, i, r, flow);
}

static void
match_switch(struct depend *d, uint32_t at, void *arg)
{
    struct wanted *w = arg;
    uint32_t hops = topo_search_hops(&d->s, at), first = d->s.first[at];
    uint8_t cls = depend_class(d, w->part->cls, hops);
    uint8_t next_cls = depend_class(d, w->part->cls, hops - 1);

    for (size_t i = w->n; i-- > 0;) {
        const struct depend_edge *e = w->edges[i];
        uint32_t in = TOPO_NONE, out = TOPO_NONE;
        for (uint32_t h = first; h < d->s.first[at + 1]; h++) {
            in = d->s.hops[h].port == e->in ? h : in;
            out = d->s.hops[h].port == e->out ? h : out;
        }
        if (in != TOPO_NONE && e->cls == cls && e->next_cls == next_cls &&
            has_bit(d->from_switches + d->set[at], in - first) &&
            has_bit(d->choices + d->set[at], out - first)) {
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
        depend_flood(d, part->to, match_switch, w);
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
