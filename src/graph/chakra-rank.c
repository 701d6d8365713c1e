/* Reads one rank of a Chakra trace: its nodes become tasks, and their dependencies requirements. */

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "graph/chakra-ids.h"
#include "graph/chakra-node.h"
#include "graph/chakra-uses.h"

/* A dependency on a node that may come later in the file. */
struct rank_dep {
    uint64_t id;
    uint32_t task;
};

struct rank_reader {
    const struct chakra *chakra;
    struct chakra *adds; /* Null: it has all collectives. */
    struct graph *graph;
    uint32_t rank;
    struct wire wire;
    struct chakra_node node;
    struct chakra_ids ids;
    struct chakra_groups named; /* Groups that nodes have defined so far. */
    struct rank_dep *deps;
    size_t n_deps, max_deps;
};

#define REFUSE(R, OFFSET, FORMAT, ...)                                                             \
    wire_refuse(&(R)->wire, (OFFSET), "node %" PRIu64 ": " FORMAT, (R)->node.id, __VA_ARGS__)

/* Attributes. */

/* A whole number up to a maximum; false with an error: it is another value. */
static bool
check_number(struct rank_reader *r, enum chakra_attribute a, uint64_t max)
{
    const struct chakra_value *v = &r->node.values[a];

    if (v->kind != CHAKRA_NUMBER) {
        return REFUSE(r, v->offset, "%s is no whole number from 0 to %" PRIu64,
                      chakra_attributes[a], max);
    }
    return v->number <= max || REFUSE(r, v->offset, "%s is %" PRIu64 "; the maximum is %" PRIu64,
                                      chakra_attributes[a], v->number, max);
}

static bool
has(const struct rank_reader *r, enum chakra_attribute a)
{
    return r->node.values[a].kind != CHAKRA_ABSENT;
}

/* A number that must be there. */
static bool
need_number(struct rank_reader *r, enum chakra_attribute a, uint64_t max, const char *hint)
{
    return has(r, a) ? check_number(r, a, max)
                     : REFUSE(r, r->node.offset, "it has no %s%s", chakra_attributes[a], hint);
}

static bool
is_true(const struct rank_reader *r, enum chakra_attribute a)
{
    return r->node.values[a].kind == CHAKRA_NUMBER && r->node.values[a].number;
}

/* Calculations. */

/* A time of 0 is one that the writer did not know if there is work to do. */
static bool
check_time(struct rank_reader *r, enum chakra_attribute work)
{
    if (r->node.duration_us > GRAPH_MAX_PS / 1000000) {
        return REFUSE(r, r->node.offset, "duration_micros is %" PRIu64 "; the maximum is %" PRIu64,
                      r->node.duration_us, GRAPH_MAX_PS / 1000000);
    }
    bool has_work =
        has(r, work) && (is_true(r, work) || r->node.values[work].kind != CHAKRA_NUMBER);
    if (!r->node.duration_us && has_work) {
        return REFUSE(r, r->node.offset,
                      "it has %s, but no duration_micros; Weir has no model of the GPU and its "
                      "memory: write how long the node takes",
                      chakra_attributes[work]);
    }
    return true;
}

static bool
read_calc(struct rank_reader *r, struct graph_task *t, uint8_t gpu)
{
    *t = (struct graph_task){ .kind = GRAPH_CALC,
                              .amount = r->node.duration_us * 1000000,
                              .cpu = is_true(r, CHAKRA_IS_CPU_OP) ? CHAKRA_CPU : gpu };
    return true;
}

static bool
read_compute(struct rank_reader *r, struct graph_task *t)
{
    return check_time(r, CHAKRA_NUM_OPS) && read_calc(r, t, CHAKRA_GPU);
}

static bool
read_memory(struct rank_reader *r, struct graph_task *t)
{
    return check_time(r, CHAKRA_TENSOR_SIZE) && read_calc(r, t, CHAKRA_NET);
}

/* Messages. */

#define PYTORCH                                                                                    \
    "; PyTorch's converter does not write the peer and tag of messages, so that they cannot be "   \
    "matched: write comm_src, comm_dst and comm_tag"

/* The other rank, and the tag; the attribute of this rank is optional. */
static bool
read_peer(struct rank_reader *r, enum chakra_attribute peer, enum chakra_attribute own,
          struct graph_task *t)
{
    const struct chakra_value *values = r->node.values;

    if (!need_number(r, peer, UINT32_MAX, PYTORCH) ||
        !need_number(r, CHAKRA_COMM_TAG, GRAPH_ANY - 1, PYTORCH)) {
        return false;
    }
    if (values[peer].number >= r->chakra->n_ranks) {
        return REFUSE(r, values[peer].offset,
                      "%s is rank %" PRIu64 ", which has no file; there are ranks 0 to %" PRIu32,
                      chakra_attributes[peer], values[peer].number, r->chakra->n_ranks - 1);
    }
    if (has(r, own) && (!check_number(r, own, UINT32_MAX) || values[own].number != r->rank)) {
        return REFUSE(r, values[own].offset,
                      "%s is rank %" PRIu64 ", but the file is that of rank %" PRIu32,
                      chakra_attributes[own], values[own].number, r->rank);
    }
    t->peer = (uint32_t)values[peer].number;
    t->tag = (uint32_t)values[CHAKRA_COMM_TAG].number;
    return true;
}

static bool
read_send(struct rank_reader *r, struct graph_task *t)
{
    *t = (struct graph_task){ .kind = GRAPH_SEND, .cpu = CHAKRA_NET, .flags = GRAPH_TAKES_CPU };
    if (!read_peer(r, CHAKRA_COMM_DST, CHAKRA_COMM_SRC, t) ||
        !need_number(r, CHAKRA_COMM_SIZE, GRAPH_MAX_BYTES, "")) {
        return false;
    }
    t->amount = r->node.values[CHAKRA_COMM_SIZE].number;
    return true;
}

static bool
read_recv(struct rank_reader *r, struct graph_task *t)
{
    *t = (struct graph_task){ .kind = GRAPH_RECV, .amount = GRAPH_UNKNOWN_BYTES };
    if (!read_peer(r, CHAKRA_COMM_SRC, CHAKRA_COMM_DST, t)) {
        return false;
    }
    if (has(r, CHAKRA_COMM_SIZE)) {
        if (!check_number(r, CHAKRA_COMM_SIZE, GRAPH_MAX_BYTES)) {
            return false;
        }
        t->amount = r->node.values[CHAKRA_COMM_SIZE].number;
    }
    return true;
}

/* Collectives. */

/* The numbers of comm_type. */
static const struct {
    const char *name;
    enum coll_op op;
} types[] = {
    { "all-reduce", COLL_ALL_REDUCE },
    { "reduce", COLL_N_OPS },
    { "all-gather", COLL_ALL_GATHER },
    { "gather", COLL_N_OPS },
    { "scatter", COLL_N_OPS },
    { "broadcast", COLL_BROADCAST },
    { "all-to-all", COLL_ALL_TO_ALL },
    { "reduce-scatter", COLL_REDUCE_SCATTER },
    { "reduce-scatter-block", COLL_REDUCE_SCATTER },
    { "barrier", COLL_BARRIER },
};

enum { N_TYPES = sizeof types / sizeof *types };

static bool
read_op(struct rank_reader *r, enum coll_op *op)
{
    const struct chakra_value *v = &r->node.values[CHAKRA_COMM_TYPE];

    if (!need_number(r, CHAKRA_COMM_TYPE, N_TYPES - 1, "")) {
        return false;
    }
    *op = types[v->number].op;
    return *op != COLL_N_OPS ||
           REFUSE(r, v->offset,
                  "comm_type %" PRIu64 " (%s) is not supported; write it as sends and receives",
                  v->number, types[v->number].name);
}

/* ASTRA-sim's logical topology, whose dimensions these are, is not in the trace. */
static bool
check_dimensions(struct rank_reader *r)
{
    const struct chakra_value *v = &r->node.values[CHAKRA_INVOLVED_DIM];

    return !v->has_false || REFUSE(r, v->offset, "%s",
                                   "involved_dim excludes dimensions of a logical topology, "
                                   "which the trace does not describe; name a group by pg_name");
}

static bool
is_member(const struct chakra_group *g, uint32_t rank)
{
    for (size_t i = 0; g->ranks && i < g->n; i++) {
        if (g->ranks[i] == rank) {
            return true;
        }
    }
    return !g->ranks;
}

/* The name of the group; numbers are names, too. */
static bool
read_name(struct rank_reader *r, char name[CHAKRA_NAME_BYTES])
{
    const struct chakra_value *v = &r->node.values[CHAKRA_PG_NAME];

    if (v->kind == CHAKRA_NUMBER) {
        snprintf(name, CHAKRA_NAME_BYTES, "%" PRIu64, v->number);
    } else if (v->kind == CHAKRA_TEXT) {
        memcpy(name, r->node.group, CHAKRA_NAME_BYTES);
    } else if (v->kind != CHAKRA_ABSENT) {
        return REFUSE(r, v->offset, "pg_name is no text of at most %d bytes",
                      CHAKRA_NAME_BYTES - 1);
    }
    if (!strcmp(name, "0")) {
        name[0] = '\0';
    }
    return true;
}

static bool
find_group(struct rank_reader *r, struct chakra_group *group)
{
    const struct chakra_group *found;

    if (!*group->name) {
        group->n = r->chakra->n_ranks;
        return true;
    }
    found = chakra_group_find(&r->named, group);
    found = found ? found : chakra_group_find(&r->chakra->named, group);
    if (!found) {
        return REFUSE(r, r->node.values[CHAKRA_PG_NAME].offset,
                      "no node before it and no file defines the group '%.60s'; name a file with "
                      "{\"%.60s\": [0, 1, ...]} as groups",
                      group->name, group->name);
    }
    if (!is_member(found, r->rank)) {
        return REFUSE(r, r->node.offset, "rank %" PRIu32 " is no member of the group '%.60s'",
                      r->rank, group->name);
    }
    *group = *found;
    return true;
}

/* The bytes of a collective, as collective.h counts them. */
static bool
read_bytes(struct rank_reader *r, enum coll_op op, size_t n, uint64_t *bytes)
{
    uint64_t factor = op == COLL_ALL_GATHER ? n : 1;
    struct err why;

    *bytes = 0;
    if (op != COLL_BARRIER) {
        if (!need_number(r, CHAKRA_COMM_SIZE, GRAPH_MAX_BYTES / factor, "")) {
            return false;
        }
        *bytes = r->node.values[CHAKRA_COMM_SIZE].number * factor;
    }
    return trace_collective_check(&r->chakra->collectives, op, (uint32_t)n, *bytes, &why) ||
           REFUSE(r, r->node.offset, "%s", why.text);
}

static bool
read_use(struct rank_reader *r, const struct chakra_group *group, enum coll_op op,
         struct graph_task *t)
{
    if (r->adds) { /* The graph does not have it yet. */
        chakra_use_add(r->adds, group, op);
        *t = (struct graph_task){ .kind = GRAPH_DELAY };
        return true;
    }
    t->peer = chakra_use_find(r->chakra, group, op);
    return t->peer != GRAPH_NONE ||
           REFUSE(r, r->node.offset, "%s", "the file has changed since it was checked");
}

static bool
read_collective(struct rank_reader *r, struct graph_task *t)
{
    char name[CHAKRA_NAME_BYTES] = "";
    struct chakra_group group = { .name = name };
    enum coll_op op;

    if (is_true(r, CHAKRA_IS_CPU_OP) && !has(r, CHAKRA_COMM_TYPE)) {
        return check_time(r, CHAKRA_NUM_OPS) && read_calc(r, t, CHAKRA_GPU);
    }
    *t = (struct graph_task){ .kind = GRAPH_COLLECTIVE,
                              .cpu = CHAKRA_NET,
                              .flags = GRAPH_TAKES_CPU };
    return read_op(r, &op) && check_dimensions(r) && read_name(r, name) && find_group(r, &group) &&
           read_bytes(r, op, group.n, &t->amount) && read_use(r, &group, op, t);
}

/* Nodes. */

static bool
read_metadata(struct rank_reader *r, struct graph_task *t)
{
    struct chakra_fault fault;

    *t = (struct graph_task){ .kind = GRAPH_DELAY };
    if (r->node.has_large_inputs) {
        return REFUSE(r, r->node.inputs_offset, "inputs of over %d bytes", CHAKRA_MAX_GROUP_BYTES);
    }
    if (!r->node.n_inputs || !chakra_groups_are_in(r->node.inputs)) {
        return true;
    }
    return chakra_groups_of_node(&r->named, r->node.inputs, r->chakra->n_ranks, &fault) ||
           REFUSE(r, r->node.inputs_offset, "groups, character %zu: %s", fault.at + 1, fault.text);
}

static bool
read_task(struct rank_reader *r, struct graph_task *t)
{
    static bool (*const readers[])(struct rank_reader *, struct graph_task *) = {
        [CHAKRA_METADATA] = read_metadata,
        [CHAKRA_LOAD] = read_memory,
        [CHAKRA_STORE] = read_memory,
        [CHAKRA_COMPUTE] = read_compute,
        [CHAKRA_SEND] = read_send,
        [CHAKRA_RECV] = read_recv,
        [CHAKRA_COLLECTIVE] = read_collective,
    };
    uint64_t type = r->node.type;

    if (type < CHAKRA_METADATA || type > CHAKRA_COLLECTIVE) {
        return REFUSE(r, r->node.offset, "type %" PRIu64 "; expected 1 to 7", type);
    }
    return (!has(r, CHAKRA_IS_CPU_OP) || check_number(r, CHAKRA_IS_CPU_OP, UINT64_MAX)) &&
           readers[type](r, t);
}

static bool
add_node(struct rank_reader *r)
{
    struct graph_task t;
    uint64_t twin;

    if (r->ids.n == GRAPH_MAX_TASKS) {
        return REFUSE(r, r->node.offset, "the rank has more than %u nodes", GRAPH_MAX_TASKS);
    }
    if (!chakra_ids_add(&r->ids, r->node.id, r->node.offset, &twin)) {
        return REFUSE(r, r->node.offset, "another node has this id: the one at byte %" PRIu64,
                      twin);
    }
    if (!read_task(r, &t)) {
        return false;
    }
    uint32_t task = graph_add(r->graph, r->rank, t);
    for (size_t i = 0; i < r->node.n_deps; i++) {
        ARRAY_PUSH(r->deps, r->n_deps, r->max_deps) = (struct rank_dep){ r->node.deps[i], task };
    }
    return r->n_deps <= UINT32_MAX ||
           REFUSE(r, r->node.offset, "the rank has more than %" PRIu32 " dependencies", UINT32_MAX);
}

static bool
add_requirements(struct rank_reader *r)
{
    for (size_t i = 0; i < r->n_deps; i++) {
        const struct rank_dep *d = &r->deps[i];
        uint32_t before = chakra_ids_find(&r->ids, d->id);
        if (before == GRAPH_NONE) {
            const struct chakra_id *node = &r->ids.ids[d->task];
            return wire_refuse(&r->wire, node->offset,
                               "node %" PRIu64 " has a data dependency on node %" PRIu64
                               ", which is not in the file",
                               node->id, d->id);
        }
        graph_require(r->graph, r->rank, d->task, before, GRAPH_AFTER_END);
    }
    free(r->deps);
    r->deps = NULL;
    return true;
}

static bool
finish(struct rank_reader *r)
{
    struct graph_cycle c;
    char list[200] = "";
    size_t n = 0, n_listed = sizeof c.tasks / sizeof *c.tasks;

    if (graph_finish_rank(r->graph, r->rank, &c)) {
        return true;
    }
    const struct chakra_id *first = &r->ids.ids[c.tasks[0]];
    if (c.n == 1) {
        return wire_refuse(&r->wire, first->offset,
                           "node %" PRIu64 " has a data dependency on itself", first->id);
    }
    for (uint32_t i = 0; i < c.n && i < n_listed && n < sizeof list; i++) {
        n += (size_t)snprintf(list + n, sizeof list - n, "%s%" PRIu64, i ? ", " : "",
                              r->ids.ids[c.tasks[i]].id);
    }
    return wire_refuse(&r->wire, first->offset,
                       "%" PRIu32 " nodes wait for each other in a cycle of data dependencies: "
                       "%s%s",
                       c.n, list, c.n > n_listed ? ", ..." : "");
}

static bool
read_nodes(struct rank_reader *r)
{
    struct wire_message m;

    if (!chakra_metadata_read(&r->wire)) {
        return false;
    }
    while (wire_message(&r->wire, &m)) {
        if (!chakra_node_read(&r->wire, &m, &r->node) || !add_node(r)) {
            return false;
        }
    }
    return !r->wire.failed && add_requirements(r) && finish(r);
}

static bool
read_file(const struct chakra *c, struct graph *g, uint32_t rank, struct chakra *adds,
          const struct trace_file *f, struct err *err)
{
    struct rank_reader r = { .chakra = c, .adds = adds, .graph = g, .rank = rank };

    r.wire = (struct wire){ .stream = trace_stream_new(f), .name = f->name, .err = err };
    bool good = read_nodes(&r);
    trace_stream_free(r.wire.stream);
    chakra_node_free(&r.node);
    chakra_ids_free(&r.ids);
    chakra_groups_free(&r.named);
    free(r.deps);
    return good;
}

bool
chakra_rank_read(const struct chakra *c, struct graph *g, uint32_t rank, struct chakra *adds,
                 struct err *err)
{
    struct trace_file f;
    size_t bytes = strlen(c->prefix) + 16;
    char *name = array_new(bytes, 1);

    snprintf(name, bytes, "%s.%" PRIu32 ".et", c->prefix, rank);
    bool good = c->source.open(c->source.context, name, &f, err);
    free(name);
    if (good) {
        good = read_file(c, g, rank, adds, &f, err);
        trace_close(&f);
    }
    return good;
}
