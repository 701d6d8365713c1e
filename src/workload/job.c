/* Draws the connections of jobs, and builds their graphs. */

#include "workload/job.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/out-of-memory.h"
#include "workload/chance.h"

const char *const wl_placements[] = {
    [WL_PACKED] = "packed", [WL_STRIDED] = "strided", [WL_RANDOM] = "random", 0
};

bool
wl_job_of(const struct wl_pattern *pattern, const struct wl_spec *w, struct wl_job *job)
{
    *job = (struct wl_job){ .repeat = 1, .stride = 1, .qps = 1 };
    return pattern->job && pattern->job(w, job);
}

bool
wl_draw(const struct wl_pattern *pattern, const struct wl_spec *w, struct wl_flows *flows,
        struct err *err)
{
    struct wl_job job;

    return wl_job_of(pattern, w, &job) ? wl_job_draw(w, &job, flows, err)
                                       : pattern->draw(w, flows, err);
}

static bool
is_among(const char *name, const char *const *names)
{
    while (*names && strcmp(name, *names)) {
        names++;
    }
    return *names;
}

bool
wl_are_defaults(const struct weir_field *fields, const void *params, const char *const *but)
{
    bool are = true;

    for (const struct weir_field *f = fields; f->name; f++) {
        are = are && (is_among(f->name, but) || weir_field_is_default(f, params));
    }
    return are;
}

uint32_t
wl_job_n_ranks(const struct wl_spec *w, const struct wl_job *job)
{
    return job->trace ? job->trace->n_ranks : w->n_hosts;
}

static const struct coll_algorithm *
algorithm_of(uint64_t number, enum coll_op op)
{
    const struct coll_algorithm *ring = coll_algorithm_find("ring");

    if (number != WEIR_AUTO) {
        return coll_algorithm_at(number);
    }
    return ring->ops >> op & 1 ? ring : coll_algorithm_find("direct");
}

void
wl_describe_collective(const struct wl_spec *w, enum coll_op op, struct wl_job *job)
{
    const struct wl_collective *p = w->params;
    uint64_t n = w->group_size ? w->group_size : w->n_hosts;

    *job = (struct wl_job){
        .coll = { .algorithm = algorithm_of(p->algorithm, op),
                  .op = op,
                  .n = (uint32_t)n,
                  .root = (uint32_t)p->root,
                  .channels = (uint32_t)p->channels,
                  .window = (uint32_t)p->window,
                  .bytes = op == COLL_BARRIER ? 0 : p->bytes,
                  .chunk_bytes = p->chunk_bytes == WEIR_OFF ? 0 : p->chunk_bytes,
                  .levels = { .server = p->server == WEIR_AUTO ? 8 : p->server,
                              .inside = p->inside,
                              .rails = p->rails } },
        .stride = w->group_size ? w->group_stride : 1,
        .repeat = p->repeat,
        .every_ps = p->every_ps,
        .compute_ps = p->compute_ps,
        .qps = p->qps == WEIR_AUTO ? p->channels : p->qps,
        .placement = p->placement,
        .relay = p->relay,
        .relay_chunk_bytes = p->relay_chunk_bytes,
        .has_levels = p->server != WEIR_AUTO || p->inside != WEIR_AUTO || p->rails != WEIR_AUTO,
    };
}

/* Checks. */

static bool
check_operation(const struct coll_params *p, struct err *err)
{
    struct weir_text can = { 0 };

    if (p->algorithm->ops >> p->op & 1) {
        return true;
    }
    for (uint64_t i = 0; coll_algorithm_at(i); i++) {
        if (coll_algorithm_at(i)->ops >> p->op & 1) {
            weir_text_add(&can, "%s%s", can.len ? ", " : "", coll_algorithm_at(i)->about.name);
        }
    }
    return err_set(err, "algorithm %s has no %s; these have it: %s", p->algorithm->about.name,
                   coll_op_names[p->op], can.s);
}

static bool
check_groups(const struct wl_spec *w, const struct wl_job *job, struct err *err)
{
    uint64_t n = job->coll.n, block = n * job->stride;

    if (n < 2) {
        return err_set(err, "a collective needs at least two ranks");
    }
    if (n > w->n_hosts) {
        return err_set(err, "groups of %" PRIu64 " ranks: the workload has %" PRIu32 " hosts", n,
                       w->n_hosts);
    }
    if (w->n_hosts % block) {
        return err_set(err,
                       "groups of %" PRIu64 " ranks with stride %" PRIu64 " do not divide %" PRIu32
                       " hosts: give a size and a stride whose product divides %" PRIu32,
                       n, job->stride, w->n_hosts, w->n_hosts);
    }
    return true;
}

static bool
check_levels(const struct wl_job *job, struct err *err)
{
    return !job->has_levels || job->coll.algorithm->about.params ||
           err_set(err, "only algorithm hierarchical has server, inside and rails; leave them out");
}

static bool
check_collective(const struct wl_spec *w, const struct wl_job *job, const char **at,
                 struct err *err)
{
    const struct coll_params *p = &job->coll;

    *at = "algorithm";
    if (!check_operation(p, err) || !check_levels(job, err)) {
        return false;
    }
    *at = !w->group_size ? "hosts" : "groups";
    if (!check_groups(w, job, err)) {
        return false;
    }
    *at = "qps";
    if (job->qps > p->channels) {
        return err_set(err,
                       "%" PRIu64 " connections: %" PRIu32 " channel%s of a pair use%s at most as "
                       "many; use fewer qps, or more channels",
                       job->qps, p->channels, p->channels > 1 ? "s" : "",
                       p->channels > 1 ? "" : "s");
    }
    *at = p->root >= p->n ? "root" : p->algorithm->about.params ? "server" : "algorithm";
    if (p->root < p->n && p->algorithm->check && !p->algorithm->check(p, err)) {
        return false;
    }
    *at = p->root >= p->n ? "root" : p->chunk_bytes ? "chunk" : "bytes";
    return coll_check(p, err);
}

static bool
check_trace(const struct wl_spec *w, const struct wl_job *job, struct err *err)
{
    return job->trace->n_ranks <= w->n_hosts ||
           err_set(err, "%s has %" PRIu32 " ranks, and the workload has %" PRIu32 " hosts",
                   job->trace->name, job->trace->n_ranks, w->n_hosts);
}

bool
wl_job_check(const struct wl_spec *w, const struct wl_job *job, const char **at, struct err *err)
{
    *at = "relay";
    if (job->relay == WL_RELAY_RAIL && !wl_check_relays(w->topo, err)) {
        return false;
    }
    *at = job->trace ? trace_kinds[job->trace->kind] : NULL;
    return job->trace ? check_trace(w, job, err) : check_collective(w, job, at, err);
}

/* Placement. */

struct seat {
    uint32_t leaf, index; /* Its number among the hosts of its leaf, */
    uint32_t place, node; /* and among all. */
};

static int
by_leaf(const void *a, const void *b)
{
    const struct seat *x = a, *y = b;

    return x->leaf != y->leaf ? (x->leaf < y->leaf ? -1 : 1) : 0;
}

static int
by_index(const void *a, const void *b)
{
    const struct seat *x = a, *y = b;

    return x->index != y->index ? (x->index < y->index ? -1 : 1) : 0;
}

/* The switch at the first port of a host; hosts with several ports have a leaf of their own. */
static uint32_t
leaf_of(const struct wl_spec *w, uint32_t node)
{
    return topo_beyond(w->topo, w->topo->nodes[node].first_port);
}

/* Sorts hosts by their number at their leaf switch, and then by leaf. */
static void
deal(const struct wl_spec *w, uint32_t *nodes)
{
    struct seat *seats = array_new(w->n_hosts, sizeof *seats);

    for (uint32_t i = 0; i < w->n_hosts; i++) {
        seats[i] =
            (struct seat){ .leaf = leaf_of(w, w->hosts[i]), .place = i, .node = w->hosts[i] };
    }
    array_sort(seats, w->n_hosts, sizeof *seats, by_leaf);
    for (uint32_t i = 1; i < w->n_hosts; i++) {
        seats[i].index = seats[i].leaf == seats[i - 1].leaf ? seats[i - 1].index + 1 : 0;
    }
    array_sort(seats, w->n_hosts, sizeof *seats, by_index);
    for (uint32_t i = 0; i < w->n_hosts; i++) {
        nodes[i] = seats[i].node;
    }
    free(seats);
}

void
wl_job_place(const struct wl_spec *w, const struct wl_job *job, uint32_t *nodes)
{
    uint32_t *all = array_new(w->n_hosts, sizeof *all);

    memcpy(all, w->hosts, w->n_hosts * sizeof *all);
    if (job->placement == WL_STRIDED) {
        deal(w, all);
    } else if (job->placement == WL_RANDOM) {
        uint64_t stream = wl_stream_of(w, WL_NO_HOST);
        wl_shuffle(all, w->n_hosts, &stream);
    }
    memcpy(nodes, all, wl_job_n_ranks(w, job) * sizeof *nodes);
    free(all);
}

/* Connections.  The peers of a rank are collected, sorted, and taken once. */

struct peers {
    uint32_t *items;
    size_t n, max;
    uint32_t first, stride; /* Member i of a group is the rank first + i * stride. */
};

static void
add_peer(void *arg, uint32_t member)
{
    struct peers *p = arg;
    uint32_t rank = p->first + member * p->stride;

    if (!p->n || p->items[p->n - 1] != rank) {
        ARRAY_PUSH(p->items, p->n, p->max) = rank;
    }
}

/* The first rank of the group of a rank, and its index there. */
static uint32_t
group_start(const struct wl_job *job, uint32_t rank, uint32_t *me)
{
    uint32_t stride = (uint32_t)job->stride, block = job->coll.n * stride;

    *me = rank % block / stride;
    return rank - *me * stride;
}

static void
find_peers(const struct wl_job *job, uint32_t rank, struct peers *peers)
{
    uint32_t me, first = group_start(job, rank, &me);

    *peers = (struct peers){ peers->items, 0, peers->max, first, (uint32_t)job->stride };
    for (uint32_t channel = 0; channel < job->coll.channels; channel++) {
        coll_each_peer(&job->coll, me, channel, add_peer, peers);
    }
}

/* A collective of some size, whose peers have been added. */
struct added {
    uint32_t collective;
    uint64_t bytes;
};

struct added_list {
    struct added *items;
    size_t n, max;
};

static bool
was_added(struct added_list *list, const struct graph_task *t)
{
    for (size_t i = 0; i < list->n; i++) {
        if (list->items[i].collective == t->peer && list->items[i].bytes == t->amount) {
            return true;
        }
    }
    ARRAY_PUSH(list->items, list->n, list->max) = (struct added){ t->peer, t->amount };
    return false;
}

struct group_peers {
    struct peers *peers;
    const struct graph_group *group;
};

static void
add_member(void *arg, uint32_t member)
{
    const struct group_peers *p = arg;

    add_peer(p->peers, p->group->ranks[member]);
}

/* The peers of this rank in a collective of a file. */
static void
add_peers_of_collective(const struct graph *g, uint32_t rank, const struct graph_task *t,
                        struct peers *peers)
{
    const struct graph_collective *c = &g->collectives[t->peer];
    struct group_peers p = { peers, &g->groups[c->group] };
    struct coll_params params = c->params;

    params.n = p.group->n;
    params.bytes = t->amount;
    for (uint32_t channel = 0; channel < params.channels; channel++) {
        coll_each_peer(&params, graph_index_in_group(p.group, rank), channel, add_member, &p);
    }
}

static bool
find_peers_in_file(const struct wl_job *job, uint32_t rank, struct graph *graph,
                   struct peers *peers, struct err *err)
{
    const struct graph_rank *r = &graph->ranks[rank];
    struct added_list added = { 0 };

    *peers = (struct peers){ peers->items, 0, peers->max, 0, 1 };
    if (!trace_load(job->trace, graph, rank, err)) {
        return false;
    }
    for (size_t i = 0; i < r->n_tasks; i++) {
        const struct graph_task *t = &r->tasks[i];
        if (t->kind == GRAPH_SEND && t->peer != rank) {
            add_peer(peers, t->peer);
        } else if (t->kind == GRAPH_COLLECTIVE && !was_added(&added, t)) {
            add_peers_of_collective(graph, rank, t, peers);
        }
    }
    free(added.items);
    graph_free_rank(graph, rank);
    return true;
}

static bool
draw_rank(const struct wl_spec *w, const struct wl_job *job, const uint32_t *nodes, uint32_t rank,
          const struct peers *peers, struct wl_flows *flows, struct err *err)
{
    bool good = true;

    array_sort_u32(peers->items, peers->n);
    for (size_t i = 0; good && i < peers->n; i++) {
        uint32_t peer = peers->items[i];
        bool is_again = i && peer == peers->items[i - 1];
        struct wl_flow f = { nodes[rank], nodes[peer], WL_NONE, WL_MESSAGES, w->start_ps };
        good = is_again || wl_check_path(w, f.from, f.to, err);
        for (uint64_t qp = 0; good && !is_again && qp < job->qps; qp++) {
            good = wl_add(w, flows, f, err);
        }
    }
    return good;
}

static void
begin_graph(const struct wl_job *job, uint32_t n_ranks, struct graph *graph)
{
    if (job->trace) {
        trace_begin(job->trace, graph);
    } else {
        graph_init(graph, n_ranks);
    }
}

/* With relays, the connections of a rank depend on the peers of the other ranks of its server. */
struct legs {
    struct relay_table relays;
    uint64_t *items; /* A rank and its peer. */
    size_t n, max;
};

static void
start_legs(const struct wl_spec *w, const struct wl_job *job, const uint32_t *nodes,
           struct legs *legs)
{
    uint32_t n_ranks = wl_job_n_ranks(w, job);
    struct relay_place *places = array_new(n_ranks, sizeof *places);

    wl_job_places(w->topo, nodes, n_ranks, places);
    relay_table_init(&legs->relays, places, n_ranks);
    free(places);
}

static void
free_legs(struct legs *legs)
{
    relay_table_free(&legs->relays);
    free(legs->items);
}

static void
add_leg(struct legs *legs, uint32_t rank, uint32_t peer)
{
    ARRAY_PUSH(legs->items, legs->n, legs->max) = (uint64_t)rank << 32 | peer;
}

static void
add_legs(struct legs *legs, uint32_t rank, const struct peers *peers)
{
    for (size_t i = 0; i < peers->n; i++) {
        uint32_t relay = relay_between(&legs->relays, rank, peers->items[i]);
        if (relay == RELAY_NONE) {
            add_leg(legs, rank, peers->items[i]);
        } else {
            add_leg(legs, rank, relay);
            add_leg(legs, relay, peers->items[i]);
        }
    }
}

static bool
draw_legs(const struct wl_spec *w, const struct wl_job *job, const uint32_t *nodes,
          const struct legs *legs, struct peers *peers, struct wl_flows *flows, struct err *err)
{
    bool good = true;

    array_sort_u64(legs->items, legs->n);
    for (size_t i = 0, end; good && i < legs->n; i = end) {
        uint32_t rank = (uint32_t)(legs->items[i] >> 32);
        peers->n = 0;
        for (end = i; end < legs->n && legs->items[end] >> 32 == rank; end++) {
            ARRAY_PUSH(peers->items, peers->n, peers->max) = (uint32_t)legs->items[end];
        }
        good = draw_rank(w, job, nodes, rank, peers, flows, err);
    }
    return good;
}

bool
wl_job_draw(const struct wl_spec *w, const struct wl_job *job, struct wl_flows *flows,
            struct err *err)
{
    uint32_t n_ranks = wl_job_n_ranks(w, job);
    uint32_t *nodes = array_new(n_ranks, sizeof *nodes);
    struct peers peers = { 0 };
    struct graph graph;
    struct legs legs = { 0 };
    bool good = true, relays = job->relay == WL_RELAY_RAIL;

    begin_graph(job, n_ranks, &graph);
    wl_job_place(w, job, nodes);
    if (relays) {
        start_legs(w, job, nodes, &legs);
    }
    for (uint32_t rank = 0; good && rank < n_ranks; rank++) {
        if (job->trace) {
            good = find_peers_in_file(job, rank, &graph, &peers, err);
        } else {
            find_peers(job, rank, &peers);
        }
        if (relays) {
            add_legs(&legs, rank, &peers);
        } else {
            good = good && draw_rank(w, job, nodes, rank, &peers, flows, err);
        }
    }
    good = good && (!relays || draw_legs(w, job, nodes, &legs, &peers, flows, err));
    graph_free(&graph);
    free_legs(&legs);
    free(peers.items);
    free(nodes);
    return good;
}

/* Graphs. */

static void
add_group(const struct wl_job *job, uint32_t first, struct graph *graph)
{
    uint32_t *ranks = array_new(job->coll.n, sizeof *ranks);

    for (uint32_t i = 0; i < job->coll.n; i++) {
        ranks[i] = first + i * (uint32_t)job->stride;
    }
    graph_add_collective(
        graph, (struct graph_collective){ graph_add_group(graph, ranks, job->coll.n), job->coll });
    free(ranks);
}

/* Groups have the order of their first ranks. */
static void
add_groups(const struct wl_job *job, uint32_t n_ranks, struct graph *graph)
{
    for (uint32_t rank = 0; rank < n_ranks; rank++) {
        uint32_t me, first = group_start(job, rank, &me);
        if (!me) {
            add_group(job, first, graph);
        }
    }
}

static uint32_t
group_of(const struct wl_job *job, uint32_t rank)
{
    uint32_t stride = (uint32_t)job->stride, block = job->coll.n * stride;

    return rank / block * stride + rank % stride;
}

/* Each iteration waits for the one before and the calculation after it, and for its time. */
static void
add_iterations(const struct wl_job *job, uint32_t rank, struct graph *graph)
{
    uint32_t before = GRAPH_NONE;
    struct graph_task iteration = { .kind = GRAPH_COLLECTIVE,
                                    .peer = group_of(job, rank),
                                    .amount = job->coll.bytes,
                                    .flags = GRAPH_REPORT };

    for (uint64_t i = 0; i < job->repeat; i++) {
        uint32_t task = graph_add(graph, rank, iteration);
        if (before != GRAPH_NONE) {
            graph_require(graph, rank, task, before, GRAPH_AFTER_END);
        }
        if (i && job->every_ps) {
            struct graph_task delay = { .kind = GRAPH_DELAY, .amount = i * job->every_ps };
            graph_require(graph, rank, task, graph_add(graph, rank, delay), GRAPH_AFTER_END);
        }
        before = task;
        if (job->compute_ps && i + 1 < job->repeat) {
            struct graph_task calc = { .kind = GRAPH_CALC, .amount = job->compute_ps };
            before = graph_add(graph, rank, calc);
            graph_require(graph, rank, before, task, GRAPH_AFTER_END);
        }
    }
}

static void
build_collective(const struct wl_job *job, uint32_t n_ranks, struct graph *graph)
{
    struct graph_cycle none;

    oom_check((uint64_t)n_ranks * job->repeat * 3 * sizeof(struct graph_task),
              "%" PRIu64 " iterations of %" PRIu32 " ranks", job->repeat, n_ranks);
    add_groups(job, n_ranks, graph);
    for (uint32_t rank = 0; rank < n_ranks; rank++) {
        add_iterations(job, rank, graph);
        graph_finish_rank(graph, rank, &none); /* Tasks wait only for earlier ones. */
    }
}

bool
wl_job_build(const struct wl_spec *w, const struct wl_job *job, struct graph *graph,
             struct err *err)
{
    uint32_t n_ranks = wl_job_n_ranks(w, job);
    bool good = true;

    begin_graph(job, n_ranks, graph);
    if (!job->trace) {
        build_collective(job, n_ranks, graph);
    }
    for (uint32_t rank = 0; job->trace && good && rank < n_ranks; rank++) {
        good = trace_load(job->trace, graph, rank, err);
    }
    return good;
}
