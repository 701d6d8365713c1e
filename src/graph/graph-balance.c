/* Compares sends with receives, and the collectives of a group's members, in two passes over the
 * ranks of a graph. */

#include <inttypes.h>
#include <stdlib.h>

#include "base/array.h"
#include "graph/graph.h"

struct graph_incoming { /* Messages to one rank. */
    uint64_t sum;       /* Hashes of its receives minus those of sends to it. */
    uint64_t n_sends, n_recvs;
    bool has_any; /* It receives from any rank or any tag, so that only counts can match. */
};

struct graph_member {    /* Collectives of one group. */
    uint64_t n;          /* The number of the first member with any. */
    uint32_t first, odd; /* That member; a rank with another number, or outside the group. */
    uint64_t n_odd;
    uint32_t n_seen; /* Ranks with any. */
    bool is_outside; /* 'odd' is no member. */
};

struct graph_message {
    uint32_t source, tag;
    int64_t n; /* Sends minus receives. */
};

void
graph_balance_init(struct graph_balance *b, const struct graph *g)
{
    *b = (struct graph_balance){
        .graph = g,
        .incoming = array_new(g->n_ranks, sizeof *b->incoming),
        .members = array_new(g->n_groups, sizeof *b->members),
        .wrong = GRAPH_NONE,
        .wrong_group = GRAPH_NONE,
    };
    for (size_t i = 0; i < g->n_groups; i++) {
        b->members[i].first = b->members[i].odd = GRAPH_NONE;
    }
}

void
graph_balance_free(struct graph_balance *b)
{
    free(b->incoming);
    free(b->members);
    free(b->messages);
    *b = (struct graph_balance){ 0 };
}

/* SplitMix64: sums of these are equal only for equal messages, but for one case in 2^64. */
static uint64_t
hash_of(uint32_t source, uint32_t tag)
{
    uint64_t x = ((uint64_t)source << 32 | tag) + 0x9e3779b97f4a7c15;

    x = (x ^ x >> 30) * 0xbf58476d1ce4e5b9;
    x = (x ^ x >> 27) * 0x94d049bb133111eb;
    return x ^ x >> 31;
}

static void
count_task(struct graph_balance *b, uint32_t rank, const struct graph_task *t)
{
    if (t->kind == GRAPH_SEND) {
        b->incoming[t->peer].sum -= hash_of(rank, t->tag);
        b->incoming[t->peer].n_sends++;
    } else if (t->kind == GRAPH_RECV) {
        b->incoming[rank].sum += hash_of(t->peer, t->tag);
        b->incoming[rank].n_recvs++;
        b->incoming[rank].has_any |= t->peer == GRAPH_ANY || t->tag == GRAPH_ANY;
    }
}

/* The groups of the collectives of a rank, one item for each collective, in ascending order. */
static uint32_t *
groups_of(const struct graph *g, uint32_t rank, size_t *n)
{
    const struct graph_rank *r = &g->ranks[rank];
    uint32_t *groups = NULL;
    size_t max = 0;

    *n = 0;
    for (size_t i = 0; i < r->n_tasks; i++) {
        if (r->tasks[i].kind == GRAPH_COLLECTIVE) {
            ARRAY_PUSH(groups, *n, max) = g->collectives[r->tasks[i].peer].group;
        }
    }
    array_sort_u32(groups, *n);
    return groups;
}

/* A rank has taken part in 'n' collectives of a group. */
static void
count_member(struct graph_balance *b, uint32_t rank, uint32_t group, uint64_t n)
{
    struct graph_member *m = &b->members[group];
    bool is_outside = graph_index_in_group(&b->graph->groups[group], rank) == GRAPH_NONE;

    m->n_seen++;
    if (m->first == GRAPH_NONE && !is_outside) {
        m->first = rank;
        m->n = n;
    } else if (m->odd == GRAPH_NONE && (is_outside || n != m->n)) {
        m->odd = rank;
        m->n_odd = n;
        m->is_outside = is_outside;
    }
}

void
graph_balance_add(struct graph_balance *b, uint32_t rank)
{
    const struct graph_rank *r = &b->graph->ranks[rank];
    size_t n;

    for (size_t i = 0; i < r->n_tasks; i++) {
        count_task(b, rank, &r->tasks[i]);
    }
    uint32_t *groups = groups_of(b->graph, rank, &n);
    for (size_t i = 0, first = 0; i < n; i++) {
        if (i + 1 == n || groups[i + 1] != groups[i]) {
            count_member(b, rank, groups[i], i + 1 - first);
            first = i + 1;
        }
    }
    free(groups);
}

static bool
is_even(const struct graph_incoming *in)
{
    return in->n_sends == in->n_recvs && (in->has_any || in->sum == 0);
}

static bool
is_whole(const struct graph_member *m, const struct graph_group *group)
{
    return m->odd == GRAPH_NONE && (!m->n_seen || m->n_seen == group->n);
}

bool
graph_balance_is_even(struct graph_balance *b)
{
    for (uint32_t rank = 0; b->wrong == GRAPH_NONE && rank < b->graph->n_ranks; rank++) {
        b->wrong = is_even(&b->incoming[rank]) ? GRAPH_NONE : rank;
    }
    for (uint32_t i = 0; b->wrong_group == GRAPH_NONE && i < b->graph->n_groups; i++) {
        b->wrong_group = is_whole(&b->members[i], &b->graph->groups[i]) ? GRAPH_NONE : i;
    }
    return b->wrong == GRAPH_NONE && b->wrong_group == GRAPH_NONE;
}

/* Adds a message from a source to the rank 'wrong': n is 1 for its send, -1 for its receive. */
static void
keep_message(struct graph_balance *b, uint32_t source, uint32_t tag, int64_t n)
{
    struct graph_message m = { source, tag, n };

    ARRAY_PUSH(b->messages, b->n_messages, b->max_messages) = m;
}

/* Notes the first member of the group 'wrong_group' that takes part in none of its collectives. */
static void
search_member(struct graph_balance *b, uint32_t rank)
{
    struct graph_member *m = &b->members[b->wrong_group];
    const struct graph_group *group = &b->graph->groups[b->wrong_group];
    size_t n;

    if (m->odd != GRAPH_NONE || graph_index_in_group(group, rank) == GRAPH_NONE) {
        return;
    }
    uint32_t *groups = groups_of(b->graph, rank, &n);
    size_t at = 0;
    ARRAY_SEARCH(at, n, groups[middle] < b->wrong_group);
    if (at == n || groups[at] != b->wrong_group) {
        m->odd = rank;
        m->n_odd = 0;
    }
    free(groups);
}

void
graph_balance_search(struct graph_balance *b, uint32_t rank)
{
    const struct graph_rank *r = &b->graph->ranks[rank];

    if (b->wrong == GRAPH_NONE) {
        search_member(b, rank);
        return;
    }
    for (size_t i = 0; i < r->n_tasks; i++) {
        const struct graph_task *t = &r->tasks[i];
        if (t->kind == GRAPH_SEND && t->peer == b->wrong) {
            keep_message(b, rank, t->tag, 1);
        } else if (t->kind == GRAPH_RECV && rank == b->wrong) {
            keep_message(b, t->peer, t->tag, -1);
        }
    }
}

static int
by_source_and_tag(const void *a, const void *b)
{
    const struct graph_message *x = a, *y = b;

    if (x->source != y->source) {
        return x->source < y->source ? -1 : 1;
    }
    return (x->tag > y->tag) - (x->tag < y->tag);
}

static bool
refuse_counts(const struct graph_balance *b, struct err *err)
{
    const struct graph_incoming *in = &b->incoming[b->wrong];

    return err_set_of_content(err,
                              "rank %" PRIu32 " receives %" PRIu64
                              " messages, but the graph sends %" PRIu64 " to it",
                              b->wrong, in->n_recvs, in->n_sends);
}

/* Names the messages of one source and tag, of which there are n_sends and n_recvs. */
static bool
refuse_messages(const struct graph_balance *b, const struct graph_message *m, uint64_t n_sends,
                uint64_t n_recvs, struct err *err)
{
    if (!n_sends) {
        return err_set_of_content(err,
                                  "rank %" PRIu32 " receives from rank %" PRIu32
                                  " with tag %" PRIu32 ", but rank %" PRIu32
                                  " sends nothing to rank %" PRIu32 " with this tag",
                                  b->wrong, m->source, m->tag, m->source, b->wrong);
    }
    if (!n_recvs) {
        return err_set_of_content(err,
                                  "rank %" PRIu32 " sends to rank %" PRIu32 " with tag %" PRIu32
                                  ", but rank %" PRIu32 " receives nothing from rank %" PRIu32
                                  " with this tag",
                                  m->source, b->wrong, m->tag, b->wrong, m->source);
    }
    return err_set_of_content(err,
                              "rank %" PRIu32 " sends %" PRIu64 " messages to rank %" PRIu32
                              " with tag %" PRIu32 ", but rank %" PRIu32 " receives %" PRIu64,
                              m->source, n_sends, b->wrong, m->tag, b->wrong, n_recvs);
}

static bool
describe_messages(struct graph_balance *b, struct err *err)
{
    array_sort(b->messages, b->n_messages, sizeof *b->messages, by_source_and_tag);
    for (size_t i = 0, end; i < b->n_messages; i = end) {
        uint64_t n_sends = 0, n_recvs = 0;
        for (end = i;
             end < b->n_messages && by_source_and_tag(&b->messages[i], &b->messages[end]) == 0;
             end++) {
            n_sends += b->messages[end].n > 0;
            n_recvs += b->messages[end].n < 0;
        }
        if (n_sends != n_recvs) {
            return refuse_messages(b, &b->messages[i], n_sends, n_recvs, err);
        }
    }
    return refuse_counts(b, err);
}

static bool
describe_group(const struct graph_balance *b, struct err *err)
{
    const struct graph_member *m = &b->members[b->wrong_group];

    if (m->is_outside) {
        return err_set_of_content(err,
                                  "rank %" PRIu32 " takes part in a collective of group %" PRIu32
                                  ", but is not a member of the group",
                                  m->odd, b->wrong_group);
    }
    return err_set_of_content(err,
                              "rank %" PRIu32 " takes part in %" PRIu64
                              " collectives of group %" PRIu32 ", but rank %" PRIu32 " in %" PRIu64,
                              m->odd, m->n_odd, b->wrong_group, m->first, m->n);
}

bool
graph_balance_describe(struct graph_balance *b, struct err *err)
{
    if (b->wrong == GRAPH_NONE) {
        return describe_group(b, err);
    }
    return b->incoming[b->wrong].has_any ? refuse_counts(b, err) : describe_messages(b, err);
}
