/* Builds the graph: a bitmap row for each buffer, with a bit for each hop of its switch on which it
 * depends. */

#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "topo/depend-graph.h"

/* Sets the offsets of rows. Rows of one switch are adjacent: a row for each hop, in words of 64
 * hops. */
static void
lay_out(struct depend *d)
{
    size_t n_row_words = 0, n_set_words = 0;
    const struct topo_search *s = &d->s;

    d->n_slots = s->first[s->n_switches];
    d->row = arena_new(&d->memory, d->n_slots, sizeof *d->row);
    d->at = arena_new(&d->memory, d->n_slots, sizeof *d->at);
    d->set = arena_new(&d->memory, s->n_switches, sizeof *d->set);
    for (uint32_t at = 0; at < s->n_switches; at++) {
        d->set[at] = n_set_words;
        n_set_words += depend_words(d, at);
        for (uint32_t v = s->first[at]; v < s->first[at + 1]; v++) {
            d->at[v] = at;
            d->row[v] = n_row_words;
            n_row_words += depend_words(d, at);
        }
    }
    d->n_words = n_row_words;
    d->n_set_words = n_set_words;
    d->same = arena_new(&d->memory, n_row_words * d->traffic.n_classes, sizeof *d->same);
    d->lower = d->traffic.hop_classes
                   ? arena_new(&d->memory, n_row_words * d->traffic.n_classes, sizeof *d->lower)
                   : NULL;
    if (depend_n_pipelines(d)) {
        d->ins = arena_new(&d->memory, n_set_words * d->traffic.n_classes, sizeof *d->ins);
        d->outs = arena_new(&d->memory, n_set_words * d->traffic.n_classes, sizeof *d->outs);
    }
    d->from_switches = arena_new(&d->memory, n_set_words, sizeof *d->from_switches);
    d->from_hosts = arena_new(&d->memory, s->n_switches, sizeof *d->from_hosts);
    d->choices = arena_new(&d->memory, n_set_words, sizeof *d->choices);
    d->some = arena_new(&d->memory, n_set_words, sizeof *d->some);
    d->came_by = arena_new(&d->memory, s->n_switches, sizeof *d->came_by);
    d->reached = arena_new(&d->memory, s->n_switches, sizeof *d->reached);
    d->to_go = arena_new(&d->memory, s->n_switches, sizeof *d->to_go);
}

uint8_t
depend_class(const struct depend *d, uint8_t cls, uint32_t hops)
{
    uint32_t highest = d->traffic.n_classes - 1;

    return !d->traffic.hop_classes ? cls : (uint8_t)(hops < highest ? hops : highest);
}

uint64_t *
depend_row(const struct depend *d, uint32_t v, uint8_t cls, uint8_t next_cls)
{
    return (cls == next_cls ? d->same : d->lower) + cls * d->n_words + d->row[v];
}

static void
unite(uint64_t *set, const uint64_t *with, uint32_t words)
{
    for (uint32_t i = 0; i < words; i++) {
        set[i] |= with[i];
    }
}

/* Adds edges from all arrivals to all given choices.    Hot: once per switch and leaf. */
static void
add_rows(struct depend *d, uint32_t at, uint8_t cls, uint8_t next_cls, const uint64_t *choices)
{
    uint32_t words = depend_words(d, at);

    for (uint32_t w = 0; w < words; w++) {
        for (uint64_t bits = d->from_switches[d->set[at] + w]; bits; bits &= bits - 1) {
            uint64_t *row = depend_row(d, d->s.first[at] + 64 * w + bit_of(bits), cls, next_cls);
            unite(row, choices, words);
        }
    }
}

/* Makes all arrivals wait for the pipeline, and the pipeline for all given choices. */
static void
add_pipeline(struct depend *d, uint32_t at, uint8_t flood_cls)
{
    uint32_t words = depend_words(d, at);

    for (uint8_t cls = 0; cls < d->traffic.n_classes; cls++) {
        if (depend_comes_in(d, flood_cls, at, cls)) {
            unite(depend_hops(d, d->ins, at, cls), d->from_switches + d->set[at], words);
        }
        if (d->traffic.hop_classes && depend_choose_class(d, at, cls)) {
            unite(depend_hops(d, d->outs, at, cls), d->some + d->set[at], words);
        } else if (!d->traffic.hop_classes && cls == flood_cls) {
            unite(depend_hops(d, d->outs, at, cls), d->choices + d->set[at], words);
        }
    }
}

static void
add_edges(struct depend *d, uint32_t at, void *arg)
{
    uint8_t cls = *(uint8_t *)arg;

    if (depend_wait_at(d, at) != DEPEND_FOR_OUTPUT) {
        if (depend_wait_at(d, at) == DEPEND_FOR_ALL) {
            add_pipeline(d, at, cls);
        }
        return;
    }
    if (!d->traffic.hop_classes) {
        add_rows(d, at, cls, cls, d->choices + d->set[at]);
        return;
    }
    for (uint8_t next_cls = 0; next_cls < d->traffic.n_classes; next_cls++) {
        if (depend_choose_class(d, at, next_cls)) {
            add_rows(d, at, depend_class(d, 0, next_cls + 1u), next_cls, d->some + d->set[at]);
        }
    }
}

/* These functions handle links that go down and come up. */

/* Routes depend on links between switches, and on links of NICs with several ports. */
static bool
decides_routes(const struct topo *t, const struct topo_link *l)
{
    for (int end = 0; end < 2; end++) {
        const struct topo_node *node = &t->nodes[l->node[end]];
        if (node->kind == TOPO_NIC && node->n_ports == 1) {
            return false;
        }
    }
    return true;
}

/* Finds all links that are up at any time, and the changes that switches notice; changes of links
 * that decide routes change routes. */
static void
list_epochs(struct depend *d)
{
    const struct depend_traffic *traffic = &d->traffic;
    const struct topo *t = &d->net;
    weir_ps known_ps = 0;

    d->n_known = arena_new(&d->memory, traffic->n_changes + 1, sizeof *d->n_known);
    d->n_epochs = 1;
    for (size_t i = 0; i < traffic->n_changes; i++) {
        const struct depend_change *c = &traffic->changes[i];
        d->is_ever_up[c->link] |= c->up;
        if (c->known_ps != WEIR_NEVER && decides_routes(t, &t->links[c->link])) {
            bool is_next = d->n_epochs == 1 || c->known_ps > known_ps;
            d->n_epochs += is_next;
            d->n_known[d->n_epochs - 1] = i + 1;
            known_ps = c->known_ps;
        }
    }
}

static void
take_links(struct depend *d)
{
    const struct topo *t = d->start;

    d->net = *t;
    d->net.links = arena_new(&d->memory, t->n_links, sizeof *t->links);
    memcpy(d->net.links, t->links, t->n_links * sizeof *t->links);
    d->is_ever_up = arena_new(&d->memory, t->n_links, sizeof *d->is_ever_up);
    for (size_t i = 0; i < t->n_links; i++) {
        d->is_ever_up[i] = !t->links[i].failed;
    }
    list_epochs(d);
}

/* Makes a search with all hops that ever exist. For each epoch, believe() then marks those that are
 * down. */
static void
begin_search(struct depend *d)
{
    for (size_t i = 0; i < d->net.n_links; i++) {
        d->net.links[i].failed = !d->is_ever_up[i];
    }
    topo_search_init(&d->s, &d->net);
    d->epoch = d->n_epochs;
}

static void
believe(struct depend *d, size_t epoch)
{
    for (size_t i = 0; i < d->net.n_links; i++) {
        d->net.links[i].failed = d->start->links[i].failed;
    }
    for (size_t i = 0; i < d->n_known[epoch]; i++) {
        const struct depend_change *c = &d->traffic.changes[i];
        if (c->known_ps != WEIR_NEVER) {
            d->net.links[c->link].failed = !c->up;
        }
    }
    d->epoch = epoch;
    topo_search_links_changed(&d->s);
}

void
depend_search(struct depend *d, uint32_t leaf, size_t epoch)
{
    if (epoch != d->epoch) {
        believe(d, epoch);
    }
    topo_search_to(&d->s, leaf);
}

size_t
depend_n_reroutes(const struct depend *d)
{
    return d->n_epochs - 1;
}

/* These functions divide traffic into parts of one leaf and class. */

/* Whether some link of a NIC is ever up. */
static bool
is_live(const struct depend *d, uint32_t nic)
{
    const struct topo_node *n = &d->net.nodes[nic];
    bool is = false;

    for (uint32_t p = n->first_port; p < n->first_port + n->n_ports; p++) {
        is |= d->is_ever_up[d->net.ports[p].link];
    }
    return is;
}

static uint32_t
switch_index(const struct topo *t, uint32_t port)
{
    return t->nodes[topo_beyond(t, port)].index;
}

/* Counts the hosts with one port at each switch, and all hosts at each leaf. */
static void
find_hosts(struct depend *d)
{
    const struct topo *t = &d->net;

    d->n_hosts = arena_new(&d->memory, t->n_switches, sizeof *d->n_hosts);
    d->n_leaf_hosts = arena_new(&d->memory, t->n_leaves, sizeof *d->n_leaf_hosts);
    for (uint32_t i = 0; i < t->n_nodes; i++) {
        if (t->nodes[i].kind == TOPO_NIC && is_live(d, i)) {
            d->n_hosts[switch_index(t, t->nodes[i].first_port)] += !topo_is_multi(t, i);
            d->n_leaf_hosts[t->nodes[i].leaf]++;
        }
    }
}

static int
by_part(const void *a, const void *b)
{
    uint64_t x = ((const struct depend_routed *)a)->part;
    uint64_t y = ((const struct depend_routed *)b)->part;

    return (x > y) - (x < y);
}

bool
depend_counts(const struct depend *d, const struct depend_flow *f)
{
    return d->traffic.lossless >> f->cls & 1 && is_live(d, f->from) && is_live(d, f->to);
}

/* The first switches that packets of a NIC with several ports reach, which are those nearest to the
 * leaf.  If none of its switches has a path to the leaf, all of them count. */
static void
send_from_multi(struct depend *d, uint32_t nic)
{
    const struct topo *t = &d->net;
    const struct topo_node *n = &t->nodes[nic];
    uint32_t ports = topo_search_nic_ports(&d->s, nic);

    for (uint32_t i = 0; i < n->n_ports; i++) {
        if (ports ? ports >> i & 1 : topo_is_live(t, n->first_port + i)) {
            d->from_hosts[switch_index(t, n->first_port + i)] = true;
        }
    }
}

/* Marks all switches whose hosts send to a leaf. Hosts of the leaf itself do not count. */
static void
send_from_all(struct depend *d, uint32_t leaf)
{
    const struct topo *t = &d->net;
    uint32_t end =
        topo_multi_of(t, leaf) == TOPO_NONE ? t->nodes[t->leaves[leaf]].index : TOPO_NONE;

    for (uint32_t at = 0; at < d->s.n_switches; at++) {
        d->from_hosts[at] = d->n_hosts[at] > (at == end ? d->n_leaf_hosts[leaf] : 0);
    }
    for (size_t i = 0; i < t->n_multi; i++) {
        if (t->multi[i] != t->leaf_nics[leaf] && is_live(d, t->multi[i])) {
            send_from_multi(d, t->multi[i]);
        }
    }
}

void
depend_set_senders(struct depend *d, const struct depend_part *part)
{
    const struct topo *t = &d->net;

    if (!part->n_flows) {
        send_from_all(d, part->leaf);
        return;
    }
    memset(d->from_hosts, 0, d->s.n_switches * sizeof *d->from_hosts);
    for (uint32_t i = 0; i < part->n_flows; i++) {
        uint32_t from = d->traffic.flows[part->flows[i].flow].from;
        if (topo_is_multi(t, from)) {
            send_from_multi(d, from);
        } else {
            d->from_hosts[switch_index(t, t->nodes[from].first_port)] = true;
        }
    }
}

static void
each_all_pairs(struct depend *d, void (*part)(struct depend *, const struct depend_part *, void *),
               void *arg)
{
    uint32_t n_classes = d->traffic.hop_classes ? 1 : d->traffic.n_classes;

    for (uint32_t leaf = 0; leaf < d->net.n_leaves; leaf++) {
        for (uint32_t cls = 0; cls < n_classes && d->n_leaf_hosts[leaf]; cls++) {
            if (d->traffic.lossless >> cls & 1) {
                part(d, &(struct depend_part){ leaf, (uint8_t)cls, NULL, 0 }, arg);
            }
        }
    }
}

void
depend_open_part(struct depend *d, const struct depend_part *part)
{
    d->part = *part;
    depend_search(d, part->leaf, 0);
    depend_set_senders(d, part);
}

void
depend_each_part(struct depend *d,
                 void (*part)(struct depend *, const struct depend_part *, void *), void *arg)
{
    if (d->traffic.all_pairs) {
        each_all_pairs(d, part, arg);
    }
    for (uint32_t i = 0, n; i < d->n_routed; i += n) {
        const struct depend_routed *first = &d->routed[i];
        const struct depend_flow *f = &d->traffic.flows[first->flow];
        for (n = 1; i + n < d->n_routed && first[n].part == first->part; n++) {
        }
        part(d, &(struct depend_part){ d->net.nodes[f->to].leaf, f->cls, first, n }, arg);
    }
}

/* Counts the switches whose hosts with one port have no path to the leaf, and the hosts with
 * several ports that have no path. */
static size_t
count_cut(const struct depend *d, const struct depend_part *part)
{
    const struct topo *t = &d->net;
    size_t n = 0;

    for (uint32_t at = 0; at < d->s.n_switches; at++) {
        n += d->n_hosts[at] && topo_search_far(&d->s, at) == TOPO_NO_WAY;
    }
    for (size_t i = 0; i < t->n_multi; i++) {
        n += t->multi[i] != t->leaf_nics[part->leaf] && is_live(d, t->multi[i]) &&
             !topo_search_nic_ports(&d->s, t->multi[i]);
    }
    return n;
}

static void
add_part(struct depend *d, const struct depend_part *part, void *arg)
{
    uint8_t cls = part->cls;

    (void)arg;
    depend_open_part(d, part);
    if (!part->n_flows && cls == bit_of(d->traffic.lossless)) {
        d->n_cut += count_cut(d, part);
    }
    depend_flood(d, part->leaf, add_edges, &cls);
}

/* These functions handle flows with a given path. */

/* The hop of a port, or TOPO_NONE if the port has no hop or its link is never up. */
static uint32_t
hop_at(const struct depend *d, uint32_t port)
{
    const struct topo_node *node = &d->net.nodes[d->net.ports[port].node];

    for (uint32_t h = d->s.first[node->index]; h < d->s.first[node->index + 1]; h++) {
        if (d->s.hops[h].port == port) {
            return h;
        }
    }
    return TOPO_NONE;
}

bool
depend_walk(const struct depend *d, const struct depend_flow *f,
            void (*step)(const struct depend *, const struct depend_edge *, void *), void *arg)
{
    const struct topo *t = &d->net;
    uint32_t at = topo_beyond(t, t->nodes[f->from].first_port + f->from_port), in = TOPO_NONE;

    for (uint32_t i = 0; i < f->n_path; i++) {
        uint32_t port = t->nodes[at].first_port + f->path[i], left = f->n_path - 1 - i;
        if (left && !d->is_ever_up[t->ports[port].link]) {
            return false;
        }
        if (step) {
            step(d,
                 &(struct depend_edge){ .at = at,
                                        .in = in,
                                        .out = left ? port : TOPO_NONE,
                                        .cls = depend_class(d, f->cls, left),
                                        .next_cls = depend_class(d, f->cls, left ? left - 1 : 0) },
                 arg);
        }
        in = t->ports[port].peer;
        at = t->ports[in].node;
    }
    return true;
}

static void
set_bit(uint64_t *set, uint32_t bit)
{
    set[bit / 64] |= UINT64_C(1) << bit % 64;
}

static void
add_step(const struct depend *d, const struct depend_edge *e, void *arg)
{
    uint32_t at = d->net.nodes[e->at].index, first = d->s.first[at];
    enum depend_wait wait = depend_wait_at(d, at);

    (void)arg;
    if (wait == DEPEND_FOR_OUTPUT && e->in != TOPO_NONE && e->out != TOPO_NONE) {
        set_bit(depend_row(d, hop_at(d, e->in), e->cls, e->next_cls), hop_at(d, e->out) - first);
    }
    if (wait == DEPEND_FOR_ALL && e->in != TOPO_NONE) {
        set_bit(depend_hops(d, d->ins, at, e->cls), hop_at(d, e->in) - first);
    }
    if (wait == DEPEND_FOR_ALL && e->out != TOPO_NONE) {
        set_bit(depend_hops(d, d->outs, at, e->next_cls), hop_at(d, e->out) - first);
    }
}

static void
take_flows(struct depend *d)
{
    d->routed = arena_new(&d->memory, d->traffic.n_flows, sizeof *d->routed);
    for (uint32_t i = 0; i < d->traffic.n_flows; i++) {
        const struct depend_flow *f = &d->traffic.flows[i];
        if (!depend_counts(d, f)) {
            continue;
        }
        if (!f->path) {
            uint64_t part =
                (uint64_t)f->is_answer << 40 | (uint64_t)f->cls << 32 | d->net.nodes[f->to].leaf;
            d->routed[d->n_routed++] = (struct depend_routed){ part, i };
        } else if (depend_walk(d, f, NULL, NULL)) {
            depend_walk(d, f, add_step, NULL);
        }
    }
    array_sort(d->routed, d->n_routed, sizeof *d->routed, by_part);
}

struct depend *
depend_new(const struct topo *t, const struct depend_traffic *traffic)
{
    struct depend *d = array_new(1, sizeof *d);

    d->start = t;
    d->traffic = *traffic;
    take_links(d);
    begin_search(d);
    lay_out(d);
    find_hosts(d);
    take_flows(d);
    depend_each_part(d, add_part, NULL);
    return d;
}

void
depend_free(struct depend *d)
{
    topo_search_free(&d->s);
    arena_free(&d->memory);
    free(d);
}

size_t
depend_n_buffers(const struct depend *d)
{
    return depend_buffers(d);
}

static size_t
count_bits(const uint64_t *words, size_t n_words)
{
    size_t n = 0;

    for (size_t i = 0; words && i < n_words; i++) {
        n += (size_t)__builtin_popcountll(words[i]);
    }
    return n;
}

size_t
depend_n_pipelines(const struct depend *d)
{
    size_t n = 0;

    for (uint32_t at = 0; at < d->s.n_switches; at++) {
        n += depend_wait_at(d, at) == DEPEND_FOR_ALL;
    }
    return n;
}

size_t
depend_n_edges(const struct depend *d)
{
    size_t n_words = d->n_words * d->traffic.n_classes,
           n_set_words = d->n_set_words * d->traffic.n_classes;

    return count_bits(d->same, n_words) + count_bits(d->lower, n_words) +
           count_bits(d->ins, n_set_words) + count_bits(d->outs, n_set_words);
}

bool
depend_has_edge(const struct depend *d, uint32_t in, uint32_t out, uint8_t cls, uint8_t next_cls)
{
    uint32_t v = hop_at(d, in), h = hop_at(d, out);

    if (v == TOPO_NONE || h == TOPO_NONE) {
        return false;
    }
    uint32_t at = d->at[v], first = d->s.first[at];
    if (depend_wait_at(d, at) == DEPEND_FOR_ALL) {
        return depend_has_bit(depend_hops(d, d->ins, at, cls), v - first) &&
               depend_has_bit(depend_hops(d, d->outs, at, next_cls), h - first);
    }
    bool has_row = cls == next_cls || (d->lower && cls == next_cls + 1);
    return has_row && depend_has_bit(depend_row(d, v, cls, next_cls), h - first);
}

size_t
depend_n_cut(const struct depend *d)
{
    return d->n_cut;
}
