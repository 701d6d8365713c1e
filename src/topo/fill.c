/* Computes flows that fill a cycle of buffers: fill.h. */

#include "topo/fill.h"

#include <stdlib.h>
#include <string.h>

#include "base/array.h"

struct filling {
    const struct topo *t;
    const struct topo_loops *loops;
    const struct depend_cycle *cycle;
    struct topo_fill *fill;
    uint32_t *n_sent, *n_received; /* [node]: flows so far. */
};

/* These functions compare routes with the cycle. */

/* Where a route uses an edge: the index of the switch from which a link of the cycle leaves, or
 * TOPO_NONE.  One end of an edge may be a pipeline, which waits whatever the path before or after
 * it is. */
static uint32_t
place_on(const struct topo *t, const struct depend_edge *e, const uint32_t *route, uint32_t n)
{
    for (uint32_t i = 0; i + 1 < n; i++) {
        uint32_t at = e->in == TOPO_NONE ? i : i + 1;
        bool starts = e->in == TOPO_NONE || t->ports[e->in].peer == route[i];
        bool goes_on = e->out == TOPO_NONE || (at + 1 < n && e->out == route[at]);
        if (starts && t->ports[route[at]].node == e->at && goes_on) {
            return i;
        }
    }
    return TOPO_NONE;
}

static bool
is_covered(const struct filling *f, const struct depend_edge *e)
{
    for (size_t i = 0; i < f->fill->n; i++) {
        const struct topo_fill_flow *flow = &f->fill->flows[i];
        if (flow->via && flow->cls == e->cls &&
            place_on(f->t, e, flow->via, flow->n_via) != TOPO_NONE) {
            return true;
        }
    }
    return false;
}

/* The index of the first switch of a flow's path which the flow leaves over a link of the cycle. */
static uint32_t
entry_of(const struct filling *f, const struct topo_fill_flow *flow)
{
    uint32_t first = TOPO_NONE;

    for (uint32_t i = 0; i < f->cycle->n; i++) {
        uint32_t place = place_on(f->t, &f->cycle->edges[i], flow->via, flow->n_via);
        first = place < first ? place : first;
    }
    return first;
}

/* These functions choose hosts. */

/* The NIC of a switch that was chosen least often, or the first of these. */
static uint32_t
least_used(const struct topo *t, uint32_t at, const uint32_t *n_used)
{
    uint32_t best = TOPO_NONE;

    for (uint32_t i = 0; i < t->nodes[at].n_ports; i++) {
        uint32_t port = t->nodes[at].first_port + i, node = topo_beyond(t, port);
        if (t->nodes[node].kind == TOPO_NIC && topo_is_live(t, port) &&
            (best == TOPO_NONE || n_used[node] < n_used[best])) {
            best = node;
        }
    }
    return best;
}

/* The receiver must not be the host that sends the flow. */
static uint32_t
receiver_at(struct filling *f, uint32_t at, uint32_t from)
{
    f->n_received[from] += (uint32_t)f->t->n_nodes * f->cycle->n;
    uint32_t to = least_used(f->t, at, f->n_received);
    f->n_received[from] -= (uint32_t)f->t->n_nodes * f->cycle->n;
    return to;
}

/* These functions add flows. */

static void
add(struct filling *f, struct topo_fill_flow flow)
{
    f->n_sent[flow.from]++;
    f->n_received[flow.to]++;
    ARRAY_PUSH(f->fill->flows, f->fill->n, f->fill->max) = flow;
}

/* The port of the edge's own link if the route uses it; otherwise the first live port to the next
 * node, or any port if none is live. */
static uint32_t
port_on(const struct topo *t, const struct depend_edge *e, const uint32_t *route, uint32_t i)
{
    const struct topo_node *node = &t->nodes[route[i]];
    uint32_t in = e->in == TOPO_NONE ? TOPO_NONE : t->ports[e->in].peer, found = TOPO_NONE;

    for (uint32_t p = node->first_port; p < node->first_port + node->n_ports; p++) {
        if (topo_beyond(t, p) == route[i + 1]) {
            if (p == e->out || p == in) {
                return p;
            }
            bool is_better = found == TOPO_NONE || (!topo_is_live(t, found) && topo_is_live(t, p));
            found = is_better ? p : found;
        }
    }
    return found;
}

/* Lists the ports through which the route of an edge leaves its switches. */
static uint32_t *
ports_of(const struct topo *t, const struct depend_edge *e, uint32_t n)
{
    uint32_t *ports = array_new(n, sizeof *ports);

    for (uint32_t i = 0; i < n; i++) {
        ports[i] = port_on(t, e, e->route, i + 1);
    }
    return ports;
}

/* Whether all links of a path are up at the start. A link may be failed then and come up later. */
static bool
is_live_at_first(const struct topo *t, const uint32_t *via, uint32_t n)
{
    bool is = true;

    for (uint32_t i = 0; i + 1 < n; i++) {
        is &= topo_is_live(t, via[i]);
    }
    return is;
}

static void
add_route(struct filling *f, const struct depend_edge *e)
{
    const struct topo *t = f->t;
    uint32_t n_via = e->n_route - 2, *via = ports_of(t, e, n_via);
    uint32_t from = least_used(t, e->route[1], f->n_sent);

    if (!is_live_at_first(t, via, n_via)) {
        add(f, (struct topo_fill_flow){ e->route[0], e->route[e->n_route - 1], e->cls, NULL, 0 });
        free(via);
        return;
    }
    uint32_t to = receiver_at(f, e->route[n_via], from);
    via[n_via - 1] = topo_port_to(t, e->route[n_via], to);
    add(f, (struct topo_fill_flow){
               .from = from, .to = to, .cls = e->cls, .via = via, .n_via = n_via });
}

static bool
is_on_loop(const struct topo_loop *loop, uint32_t at)
{
    for (uint32_t i = 0; i < loop->n; i++) {
        if (loop->nodes[i] == at) {
            return true;
        }
    }
    return false;
}

/* A packet in a loop never arrives, so it is sent to a host that the loop prevents it from
 * reaching. */
static void
add_endless(struct filling *f, const struct depend_edge *e)
{
    const struct topo *t = f->t;

    for (size_t i = 0; i < f->loops->n; i++) {
        const struct topo_loop *loop = &f->loops->items[i];
        uint32_t nic = t->leaf_nics[loop->leaf], from = e->route[0];
        uint32_t to = nic != TOPO_NONE ? nic : receiver_at(f, t->leaves[loop->leaf], from);
        if (is_on_loop(loop, e->at) && to != TOPO_NONE && to != from) {
            add(f, (struct topo_fill_flow){ .from = from, .to = to, .cls = e->cls });
            return;
        }
    }
}

/* These functions add flows that enter the cycle at the same switch as a flow. */

static bool
chooses(const struct topo *t, uint32_t at, uint32_t port, uint32_t leaf)
{
    const uint16_t *choices;
    uint32_t n = topo_choices(t, at, leaf, &choices), i = 0;

    while (i < n && choices[i] != t->ports[port].number) {
        i++;
    }
    return i < n;
}

/* A backward search along the routes to a leaf, from the switch at which a flow enters the
 * cycle. */
struct feeders {
    const struct topo_fill_flow *flow;
    uint32_t place; /* The index on the flow's path at which it enters the cycle. */
    uint32_t *next; /* [node]: the port through which its packets leave; TOPO_NONE: not visited. */
    uint32_t *queue, n;
};

static void
see(struct feeders *s, const struct filling *f, uint32_t at)
{
    const struct topo_node *n = &f->t->nodes[at];

    for (uint32_t i = 0; i < n->n_ports; i++) {
        uint32_t port = n->first_port + i, peer = f->t->ports[port].peer,
                 node = f->t->ports[peer].node;
        if (s->next[node] == TOPO_NONE && topo_is_live(f->t, port) &&
            (f->t->nodes[node].kind == TOPO_NIC ||
             chooses(f->t, node, peer, f->t->nodes[s->flow->to].leaf))) {
            s->next[node] = peer;
            s->queue[s->n++] = node;
        }
    }
}

/* The switch at which a flow enters the cycle. */
static uint32_t
entry_node(const struct filling *f, const struct feeders *s)
{
    return f->t->ports[s->flow->via[s->place]].node;
}

/* Adds a flow from a host along 'next' to the entry, and from there along the given flow's path. */
static void
add_feeder(struct filling *f, const struct feeders *s, uint32_t from)
{
    const struct topo_fill_flow *flow = s->flow;
    uint32_t entry = entry_node(f, s), first = topo_beyond(f->t, s->next[from]);
    uint32_t n_rest = flow->n_via - s->place, n = n_rest;

    for (uint32_t at = first; at != entry; at = topo_beyond(f->t, s->next[at])) {
        n++;
    }
    uint32_t *via = array_new(n, sizeof *via);
    memcpy(via + n - n_rest, flow->via + s->place, n_rest * sizeof *via);
    uint32_t at = first;
    for (uint32_t i = 0; i < n - n_rest; i++, at = topo_beyond(f->t, s->next[at])) {
        via[i] = s->next[at];
    }
    add(f, (struct topo_fill_flow){ from, flow->to, flow->cls, via, n });
}

/* The last node before the entry. */
static uint32_t
last_before(const struct filling *f, const struct feeders *s, uint32_t node)
{
    uint32_t entry = entry_node(f, s);

    while (topo_beyond(f->t, s->next[node]) != entry) {
        node = topo_beyond(f->t, s->next[node]);
    }
    return node;
}

/* Adds one flow from each neighbour of the entry, except the neighbour from which the flow itself
 * arrives. */
static void
add_feeders(struct filling *f, const struct topo_fill_flow *flow)
{
    size_t n_nodes = f->t->n_nodes;
    struct feeders s = { .flow = flow,
                         .place = entry_of(f, flow),
                         .next = array_new(n_nodes, sizeof *s.next),
                         .queue = array_new(n_nodes, sizeof *s.queue) };
    bool *is_fed = array_new(n_nodes, sizeof *is_fed);

    memset(s.next, 0xff, n_nodes * sizeof *s.next);
    if (s.place != TOPO_NONE) {
        is_fed[s.place ? f->t->ports[flow->via[s.place - 1]].node : flow->from] = true;
        for (uint32_t i = s.place; i < flow->n_via; i++) {
            s.next[f->t->ports[flow->via[i]].node] = flow->via[i];
        }
        see(&s, f, entry_node(f, &s));
    }
    for (uint32_t i = 0; i < s.n; i++) {
        uint32_t node = s.queue[i], before = last_before(f, &s, node);
        if (f->t->nodes[node].kind == TOPO_SWITCH) {
            see(&s, f, node);
        } else if (!is_fed[before] && node != flow->to) {
            is_fed[before] = true;
            add_feeder(f, &s, node);
        }
    }
    free(s.next);
    free(s.queue);
    free(is_fed);
}

void
topo_fill_cycle(const struct topo *t, const struct topo_loops *loops,
                const struct depend_cycle *cycle, const struct topo_fill_options *options,
                struct topo_fill *fill)
{
    struct filling f = { t,
                         loops,
                         cycle,
                         fill,
                         array_new(t->n_nodes, sizeof *f.n_sent),
                         array_new(t->n_nodes, sizeof *f.n_received) };

    *fill = (struct topo_fill){ 0 };
    for (uint32_t i = 0; i < cycle->n; i++) {
        const struct depend_edge *e = &cycle->edges[i];
        if (t->nodes[e->route[e->n_route - 1]].kind != TOPO_NIC) {
            add_endless(&f, e);
        } else if (options->all || !is_covered(&f, e)) {
            add_route(&f, e);
        }
    }
    for (size_t i = 0, n = fill->n; options->each_port && i < n; i++) {
        struct topo_fill_flow flow = fill->flows[i]; /* A copy, because the list grows and moves. */
        if (flow.via) {
            add_feeders(&f, &flow);
        }
    }
    free(f.n_sent);
    free(f.n_received);
}

void
topo_fill_free(struct topo_fill *fill)
{
    for (size_t i = 0; i < fill->n; i++) {
        free(fill->flows[i].via);
    }
    free(fill->flows);
    *fill = (struct topo_fill){ 0 };
}
