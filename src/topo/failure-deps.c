/* The dependencies that failures add to the graph, leaf by leaf, and whether they close a cycle. */

#include "topo/failure-deps.h"

#include <stdlib.h>
#include <string.h>

#include "base/array.h"

static bool
has_pipelines(const struct topo *t, const struct depend_traffic *traffic)
{
    bool has = false;

    for (uint32_t i = 0; traffic->waits && i < t->n_switches; i++) {
        has |= traffic->waits[i] == DEPEND_FOR_ALL;
    }
    return has;
}

bool
failure_deps_apply(const struct topo *t, const struct depend_traffic *traffic)
{
    return !t->n_roots && !t->n_statics && !traffic->hop_classes && !traffic->n_changes &&
           !has_pipelines(t, traffic);
}

bool
failure_deps_never(const struct topo *t, const struct depend_traffic *traffic)
{
    bool has_paths = false;

    for (size_t i = 0; i < traffic->n_flows; i++) {
        has_paths |= traffic->flows[i].path != NULL;
    }
    return t->n_roots && !t->n_statics && !traffic->n_changes && !has_paths &&
           !has_pipelines(t, traffic);
}

void
failure_deps_set_down(struct failure_deps *g, uint32_t link, bool is_down)
{
    struct topo_hop *hops = g->d->s.hops;

    if (g->nic_of[link] != TOPO_NONE) {
        g->d->net.links[g->links[link]].failed = is_down;
        return;
    }
    struct topo_hop *hop = &hops[g->hop_of[link]];
    hop->is_down = hops[hop->back].is_down = is_down;
}

/* The index of the bit of an edge. */
static size_t
place_of(const struct depend *d, uint32_t v, uint32_t out)
{
    uint32_t slot = v % d->n_slots, first = d->s.first[d->at[slot]];

    return (v / d->n_slots * d->n_words + d->row[slot]) * 64 + (out - first);
}

static bool
is_known(const struct depend *d, uint32_t v, uint32_t out)
{
    size_t place = place_of(d, v, out);

    return d->same[place / 64] >> place % 64 & 1;
}

/* Visits every edge that the current flood makes. */
struct edges {
    struct failure_deps *g;
    struct new_dep like;
    struct new_dep_list *to; /* The list that receives the new dependencies; null: the function only
                              * notes which part makes each edge. */
};

static void
keep_edge(const struct edges *e)
{
    struct failure_deps *g = e->g;

    if (!e->to) {
        g->maker[place_of(g->d, e->like.v, e->like.out)] = e->like.part;
    } else if (!is_known(g->d, e->like.v, e->like.out)) {
        ARRAY_PUSH(e->to->items, e->to->n, e->to->max) = e->like;
    }
}

static void
keep_edges_at(struct depend *d, uint32_t at, void *arg)
{
    struct edges *e = arg;
    uint32_t first = d->s.first[at];

    if (depend_wait_at(d, at) != DEPEND_FOR_OUTPUT) {
        return;
    }
    for (uint32_t in = first; in < d->s.first[at + 1]; in++) {
        if (!depend_has_bit(d->from_switches + d->set[at], in - first)) {
            continue;
        }
        for (uint32_t out = first; out < d->s.first[at + 1]; out++) {
            if (depend_has_bit(d->choices + d->set[at], out - first)) {
                e->like.v = in + e->g->parts[e->like.part].cls * d->n_slots;
                e->like.out = out;
                keep_edge(e);
            }
        }
    }
}

static void
keep_edges(struct failure_deps *g, uint32_t part, size_t trial, struct new_dep_list *to)
{
    struct edges e = { g, { .trial = trial, .part = part }, to };

    depend_flood(g->d, g->parts[part].leaf, keep_edges_at, &e);
}

/* These functions find the failures after which packets must take new paths. */

/* Saves the traffic of a part without failures, because later floods overwrite the sets of the
 * graph. */
void
failure_deps_keep_flood(struct failure_deps *g, uint32_t part)
{
    struct depend *d = g->d;

    depend_open_part(d, &g->parts[part]);
    depend_flood(d, g->parts[part].leaf, NULL, NULL);
    memset(g->choices, 0, d->n_set_words * sizeof *g->choices);
    memcpy(g->ins, d->from_switches, d->n_set_words * sizeof *g->ins);
    memcpy(g->from_hosts, d->from_hosts, d->s.n_switches * sizeof *g->from_hosts);
    g->n_reached = d->n_reached;
    memcpy(g->reached, d->reached, d->n_reached * sizeof *g->reached);
    for (uint32_t i = 0; i < g->n_reached; i++) {
        uint32_t at = g->reached[i], n = 0;
        for (uint32_t w = 0; w < depend_words(d, at); w++) {
            g->choices[d->set[at] + w] = d->choices[d->set[at] + w];
            n += (uint32_t)__builtin_popcountll(g->choices[d->set[at] + w]);
        }
        g->n_left[at] = n;
    }
}

/* Removes a choice of a switch.  If it was the last choice, switches with another choice no longer
 * send to this switch.  Returns false if the switch has hosts that send. */
static bool
lose_choice(struct failure_deps *g, uint32_t at)
{
    g->log[g->n_log++] = at;
    if (--g->n_left[at]) {
        return true;
    }
    g->is_lost[at] = true;
    g->lost[g->n_lost++] = at;
    return !g->from_hosts[at];
}

/* Switches that send to a lost switch lose that choice. */
static bool
lose_feeders(struct failure_deps *g, uint32_t at)
{
    const struct topo_search *s = &g->d->s;

    for (uint32_t w = 0; w < depend_words(g->d, at); w++) {
        for (uint64_t bits = g->ins[g->d->set[at] + w]; bits; bits &= bits - 1) {
            const struct topo_hop *back = &s->hops[s->first[at] + 64 * w + bit_of(bits)];
            if (!s->hops[back->back].is_down && !g->is_lost[back->next] &&
                !lose_choice(g, back->next)) {
                return false;
            }
        }
    }
    return true;
}

/* Fails a link. Returns false if packets of hosts must find new paths to the leaf. */
static bool
fail_link(struct failure_deps *g, uint32_t link)
{
    struct depend *d = g->d;
    uint32_t first_lost = g->n_lost;

    failure_deps_set_down(g, link, true);
    for (uint32_t i = 0, h = g->hop_of[link]; i < 2; i++, h = d->s.hops[h].back) {
        uint32_t at = d->at[h];
        if (depend_has_bit(g->choices + d->set[at], h - d->s.first[at]) && !g->is_lost[at] &&
            !g->is_lost[d->s.hops[h].next] && !lose_choice(g, at)) {
            return false;
        }
    }
    for (uint32_t i = first_lost; i < g->n_lost; i++) {
        if (!lose_feeders(g, g->lost[i])) {
            return false;
        }
    }
    return true;
}

struct mark {
    uint32_t n_log, n_lost;
};

static struct mark
mark_of(const struct failure_deps *g)
{
    return (struct mark){ g->n_log, g->n_lost };
}

static void
restore_link(struct failure_deps *g, uint32_t link, struct mark to)
{
    failure_deps_set_down(g, link, false);
    while (g->n_log > to.n_log) {
        g->n_left[g->log[--g->n_log]]++;
    }
    while (g->n_lost > to.n_lost) {
        g->is_lost[g->lost[--g->n_lost]] = false;
    }
}

/* Lists the remaining choices of a switch as links. */
static void
list_left(const struct failure_deps *g, uint32_t at, uint32_t *links)
{
    const struct topo_search *s = &g->d->s;

    for (uint32_t h = s->first[at]; h < s->first[at + 1]; h++) {
        if (depend_has_bit(g->choices + g->d->set[at], h - s->first[at]) && !s->hops[h].is_down &&
            !g->is_lost[s->hops[h].next]) {
            *links++ = g->link_of[h];
        }
    }
}

/* Lists links, or pairs of links, that are the last choices of some switch; returns their
 * number. */
static uint32_t
list_last(const struct failure_deps *g, uint32_t n_left, uint32_t *links)
{
    uint32_t n = 0;

    for (uint32_t i = 0; i < g->n_reached; i++) {
        if (g->n_left[g->reached[i]] == n_left) {
            list_left(g, g->reached[i], links + n * n_left);
            n++;
        }
    }
    return n;
}

/* Lists the links that are the only next hop of some switch to the leaf of the last search; returns
 * their number. */
static uint32_t
list_only(const struct failure_deps *g, uint32_t *links)
{
    const struct depend *d = g->d;
    uint32_t n = 0;

    for (uint32_t i = 0; i < d->n_reached; i++) {
        uint32_t at = d->reached[i], n_choices = 0, last = 0;
        for (uint32_t h = d->s.first[at]; h < d->s.first[at + 1]; h++) {
            bool is_choice = depend_has_bit(d->choices + d->set[at], h - d->s.first[at]);
            n_choices += is_choice;
            last = is_choice ? g->link_of[h] : last;
        }
        if (n_choices == 1) {
            links[n++] = last;
        }
    }
    return n;
}

/* Searches the traffic of a part while links are down, because NICs with several ports may then
 * send to other switches. */
void
failure_deps_search_again(struct failure_deps *g, uint32_t part, size_t trial,
                          struct new_dep_list *to)
{
    topo_search_to(&g->d->s, g->parts[part].leaf);
    depend_set_senders(g->d, &g->parts[part]);
    keep_edges(g, part, trial, to);
}

void
failure_deps_search_pair(struct failure_deps *g, uint32_t part, uint32_t a, uint32_t b)
{
    size_t trial = a < b ? failure_deps_pair(a, b) : failure_deps_pair(b, a);

    failure_deps_search_again(g, part, trial, &g->paired);
}

/* Fails a second link in addition to one that is down. */
static void
try_second(struct failure_deps *g, uint32_t part, uint32_t a, uint32_t b, bool must_search)
{
    struct mark before = mark_of(g);

    if (!fail_link(g, b) || must_search) {
        failure_deps_search_pair(g, part, a, b);
    }
    restore_link(g, b, before);
}

/* Fails a link that is an only choice, and then together with it each link that is an only choice
 * after that.  If both links of a pair are only choices from the beginning, one order is enough.
 * If the second link were not an only choice after the first has failed, the new dependencies of
 * the first link would include all those of the pair. */
static void
try_link(struct failure_deps *g, uint32_t part, uint32_t a, bool of_pairs)
{
    struct mark before = mark_of(g);
    bool must_search = !fail_link(g, a);
    uint32_t n_then = 0;

    if (must_search) {
        failure_deps_search_again(g, part, a, &g->alone);
    }
    if (of_pairs) {
        n_then = must_search ? list_only(g, g->then_only) : list_last(g, 1, g->then_only);
    }
    for (uint32_t i = 0; i < n_then; i++) {
        uint32_t b = g->then_only[i];
        if (a < b || !g->is_only[b]) {
            try_second(g, part, a, b, must_search);
        }
    }
    if (of_pairs && must_search) {
        failure_hosts_try_after(g, part, a);
    }
    restore_link(g, a, before);
}

void
failure_deps_try_only(struct failure_deps *g, uint32_t part, uint32_t first)
{
    uint32_t n_only = list_last(g, 1, g->only);

    for (uint32_t i = 0; i < n_only; i++) {
        try_second(g, part, first, g->only[i], false);
    }
}

void
failure_deps_find(struct failure_deps *g, uint32_t part, bool of_pairs)
{
    failure_deps_keep_flood(g, part);
    uint32_t n_only = list_last(g, 1, g->only);
    uint32_t n_pairs = of_pairs ? list_last(g, 2, g->pairs) : 0;

    for (uint32_t i = 0; i < n_only; i++) {
        g->is_only[g->only[i]] = true;
    }
    for (uint32_t i = 0; i < n_pairs; i++) {
        struct mark before = mark_of(g);
        bool must_search = !fail_link(g, g->pairs[2 * i]);
        try_second(g, part, g->pairs[2 * i], g->pairs[2 * i + 1], must_search);
        restore_link(g, g->pairs[2 * i], before);
    }
    for (uint32_t i = 0; i < n_only; i++) {
        try_link(g, part, g->only[i], of_pairs);
    }
    for (uint32_t i = 0; i < n_only; i++) {
        g->is_only[g->only[i]] = false;
    }
    failure_hosts_find(g, part, of_pairs);
}

/* These functions find cycles in the graph without failures plus new dependencies, but never over
 * links that are down. */

enum { UNSEEN, ON_STACK, DONE };

static bool
is_dead(const struct failure_deps *g, uint32_t v)
{
    return g->d->s.hops[v % g->d->n_slots].is_down;
}

/* The buffer to which an edge leads. */
static uint32_t
end_of(const struct depend *d, uint32_t v, uint32_t out)
{
    return d->s.hops[out].back + v / d->n_slots * d->n_slots;
}

enum { MORE = 1 << 30 };

/* Visits first the edges of the graph without failures, and then new ones. */
static uint32_t
next_buffer(const struct failure_deps *g, uint32_t v, uint32_t *pos)
{
    uint32_t known = *pos < MORE ? depend_next(g->d, v, pos) : TOPO_NONE;

    if (known != TOPO_NONE) {
        return known;
    }
    *pos = *pos < MORE ? MORE + g->first_more[v] : *pos;
    uint32_t i = *pos - MORE; /* The index of the new dependency, counted from 1. */
    if (!i || i > g->n_more || g->more[i - 1].v != v) {
        return TOPO_NONE;
    }
    (*pos)++;
    return end_of(g->d, v, g->more[i - 1].out);
}

static void
keep_cycle(struct failure_deps *g, uint32_t n_frames, uint32_t start)
{
    uint32_t from = n_frames;

    do {
        from--;
    } while (g->frames[from].v != start);
    g->n_cycle = n_frames - from;
    for (uint32_t i = 0; i < g->n_cycle; i++) {
        g->cycle[i] = g->frames[from + i].v;
    }
}

/* Returns whether a cycle was found. */
static bool
search_from(struct failure_deps *g, uint32_t root)
{
    uint32_t n = 0;

    g->frames[n++] = (struct new_dep_frame){ root, 0 };
    g->state[root] = ON_STACK;
    while (n) {
        struct new_dep_frame *f = &g->frames[n - 1];
        uint32_t w = next_buffer(g, f->v, &f->pos);
        if (w == TOPO_NONE) {
            g->state[f->v] = DONE;
            g->done_at[f->v] = ++g->n_done;
            n--;
        } else if (g->state[w] == ON_STACK) {
            keep_cycle(g, n, w);
            return true;
        } else if (g->state[w] == UNSEEN && !is_dead(g, w)) {
            g->state[w] = ON_STACK;
            g->frames[n++] = (struct new_dep_frame){ w, 0 };
        }
    }
    return false;
}

static bool
find_cycle(struct failure_deps *g)
{
    g->n_done = 0;
    memset(g->state, UNSEEN, depend_buffers(g->d));
    for (uint32_t v = 0; v < depend_buffers(g->d); v++) {
        if (g->state[v] == UNSEEN && !is_dead(g, v) && search_from(g, v)) {
            return true;
        }
    }
    return false;
}

/* Whether the new dependencies may close a cycle. Without failures, all edges lead to buffers that
 * the search finished earlier, so an edge in the other direction is needed. */
static bool
may_close(const struct failure_deps *g)
{
    bool may = g->is_cyclic;

    for (size_t i = 0; i < g->n_more && !may; i++) {
        const struct new_dep *m = &g->more[i];
        may = g->order[end_of(g->d, m->v, m->out)] >= g->order[m->v];
    }
    return may;
}

/* The part whose traffic makes an edge of the cycle, before or after the failures. */
static uint32_t
maker_of(const struct failure_deps *g, uint32_t v, uint32_t out)
{
    if (is_known(g->d, v, out)) {
        return g->maker[place_of(g->d, v, out)];
    }
    for (uint32_t i = g->first_more[v]; i && i <= g->n_more && g->more[i - 1].v == v; i++) {
        if (g->more[i - 1].out == out) {
            return g->more[i - 1].part;
        }
    }
    return TOPO_NONE;
}

/* Whether each edge of the cycle still exists after the failures. */
static bool
is_real(struct failure_deps *g)
{
    struct depend *d = g->d;
    uint32_t open = TOPO_NONE;

    for (uint32_t i = 0; i < g->n_cycle; i++) {
        uint32_t v = g->cycle[i], w = g->cycle[(i + 1) % g->n_cycle];
        uint32_t in = v % d->n_slots, out = d->s.hops[w % d->n_slots].back, at = d->at[in];
        uint32_t part = maker_of(g, v, out), first = d->s.first[at];
        if (part == TOPO_NONE) {
            return false;
        }
        if (part != open) {
            depend_open_part(d, &g->parts[part]);
            depend_flood(d, g->parts[part].leaf, NULL, NULL);
            open = part;
        }
        if (!depend_has_bit(d->from_switches + d->set[at], in - first) ||
            !depend_has_bit(d->choices + d->set[at], out - first)) {
            return false;
        }
    }
    return true;
}

static void
mark_more(struct failure_deps *g, bool is_marked)
{
    for (size_t i = g->n_more; i-- > 0;) {
        g->first_more[g->more[i].v] = is_marked ? (uint32_t)i + 1 : 0;
    }
}

enum failure_deps_answer
failure_deps_ask(struct failure_deps *g, const uint32_t *failed, uint32_t n_failed)
{
    enum failure_deps_answer answer = FAILURE_DEPS_NO;

    if (!may_close(g)) {
        return FAILURE_DEPS_NO;
    }
    mark_more(g, true);
    for (uint32_t i = 0; i < n_failed; i++) {
        failure_deps_set_down(g, failed[i], true);
    }
    if (find_cycle(g)) {
        answer = is_real(g) ? FAILURE_DEPS_YES : FAILURE_DEPS_UNSURE;
    }
    for (uint32_t i = 0; i < n_failed; i++) {
        failure_deps_set_down(g, failed[i], false);
    }
    mark_more(g, false);
    return answer;
}

/* These functions create and free the state of a thread. */

static void
list_part(struct depend *d, const struct depend_part *part, void *arg)
{
    struct failure_deps *g = arg;

    (void)d;
    ARRAY_PUSH(g->parts, g->n_parts, g->max_parts) = *part;
}

static void
find_links(struct failure_deps *g)
{
    const struct topo_search *s = &g->d->s;

    memset(g->number, 0xff, g->d->net.n_links * sizeof *g->number);
    for (uint32_t i = 0; i < g->n_links; i++) {
        const struct topo_link *l = &g->d->net.links[g->links[i]];
        bool is_of_host = !topo_joins_switches(&g->d->net, l);
        uint32_t end = g->d->net.nodes[l->node[0]].kind == TOPO_NIC ? 0 : 1;
        g->number[g->links[i]] = i;
        g->hop_of[i] = TOPO_NONE;
        g->nic_of[i] = is_of_host ? l->node[end] : TOPO_NONE;
        g->n_host_links += is_of_host;
    }
    for (uint32_t h = 0; h < s->first[s->n_switches]; h++) {
        g->link_of[h] = g->number[g->d->net.ports[s->hops[h].port].link];
        g->hop_of[g->link_of[h]] = h;
    }
}

static void
find_makers(struct failure_deps *g)
{
    size_t n = g->d->n_words * g->d->traffic.n_classes * 64;

    g->maker = arena_new(&g->memory, n, sizeof *g->maker);
    memset(g->maker, 0xff, n * sizeof *g->maker);
    for (uint32_t i = 0; i < g->n_parts; i++) {
        depend_open_part(g->d, &g->parts[i]);
        keep_edges(g, i, 0, NULL);
    }
}

void
failure_deps_open(struct failure_deps *g, const struct topo *t,
                  const struct depend_traffic *traffic, const uint32_t *links, uint32_t n_links)
{
    *g = (struct failure_deps){ .d = depend_new(t, traffic), .links = links, .n_links = n_links };
    uint32_t n = depend_buffers(g->d), n_switches = t->n_switches;
    g->hop_of = arena_new(&g->memory, n_links, sizeof *g->hop_of);
    g->number = arena_new(&g->memory, t->n_links, sizeof *g->number);
    g->nic_of = arena_new(&g->memory, n_links, sizeof *g->nic_of);
    g->link_of = arena_new(&g->memory, g->d->n_slots, sizeof *g->link_of);
    g->choices = arena_new(&g->memory, g->d->n_set_words, sizeof *g->choices);
    g->ins = arena_new(&g->memory, g->d->n_set_words, sizeof *g->ins);
    g->from_hosts = arena_new(&g->memory, g->d->s.n_switches, sizeof *g->from_hosts);
    g->reached = arena_new(&g->memory, n_switches, sizeof *g->reached);
    g->n_left = arena_new(&g->memory, n_switches, sizeof *g->n_left);
    g->is_lost = arena_new(&g->memory, n_switches, sizeof *g->is_lost);
    g->lost = arena_new(&g->memory, n_switches, sizeof *g->lost);
    g->log = arena_new(&g->memory, g->d->n_slots, sizeof *g->log);
    g->only = arena_new(&g->memory, n_switches, sizeof *g->only);
    g->then_only = arena_new(&g->memory, n_switches, sizeof *g->then_only);
    g->pairs = arena_new(&g->memory, 2 * (size_t)n_switches, sizeof *g->pairs);
    g->is_only = arena_new(&g->memory, n_links, sizeof *g->is_only);
    g->first_more = arena_new(&g->memory, n, sizeof *g->first_more);
    g->state = arena_new(&g->memory, n, sizeof *g->state);
    g->frames = arena_new(&g->memory, n, sizeof *g->frames);
    g->cycle = arena_new(&g->memory, n, sizeof *g->cycle);
    g->order = arena_new(&g->memory, n, sizeof *g->order);
    g->done_at = arena_new(&g->memory, n, sizeof *g->done_at);
    find_links(g);
    depend_each_part(g->d, list_part, g);
    find_makers(g);
    g->is_cyclic = find_cycle(g);
    memcpy(g->order, g->done_at, n * sizeof *g->order);
}

void
failure_deps_close(struct failure_deps *g)
{
    depend_free(g->d);
    free(g->parts);
    free(g->alone.items);
    free(g->paired.items);
    arena_free(&g->memory);
}
