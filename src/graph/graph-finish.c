/* A rank is finished: dependents are listed by task, and tasks that wait for each other are found.
 */

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "graph/graph.h"

#define TASK(AFTER) ((AFTER) & ~GRAPH_ON_START)

/* Sorts requirements by the task that others wait for, in the order in which they were added. */
static void
list_dependents(struct graph_rank *r)
{
    struct graph_task *t = r->tasks;
    uint32_t sum = 0;

    r->after = array_new(r->n_edges, sizeof *r->after);
    r->n_after = r->n_edges;
    for (size_t i = 0; i < r->n_edges; i++) {
        t[r->edges[i].before].first_after++;
        t[TASK(r->edges[i].after)].n_before++;
    }
    for (size_t i = 0; i <= r->n_tasks; i++) {
        uint32_t n = t[i].first_after;
        t[i].first_after = sum;
        sum += n;
    }
    for (size_t i = 0; i < r->n_edges; i++) {
        r->after[t[r->edges[i].before].first_after++] = r->edges[i].after;
    }
    for (size_t i = r->n_tasks; i > 0; i--) {
        t[i].first_after = t[i - 1].first_after;
    }
    t[0].first_after = 0;
}

/* Counts down the requirements of all dependents of a task; adds those without any to 'order'. */
static size_t
release(const struct graph_rank *r, uint32_t task, uint32_t *left, uint32_t *order, size_t n)
{
    for (uint32_t i = r->tasks[task].first_after; i < r->tasks[task + 1].first_after; i++) {
        if (--left[TASK(r->after[i])] == 0) {
            order[n++] = TASK(r->after[i]);
        }
    }
    return n;
}

/* The number of tasks that can start at all.  The others keep the number of their unmet
 * requirements in 'left'. */
static size_t
count_startable(const struct graph_rank *r, uint32_t *left)
{
    uint32_t *order = array_new(r->n_tasks, sizeof *order);
    size_t n = 0;

    for (uint32_t i = 0; i < r->n_tasks; i++) {
        left[i] = r->tasks[i].n_before;
        if (!left[i]) {
            order[n++] = i;
        }
    }
    for (size_t i = 0; i < n; i++) {
        n = release(r, order[i], left, order, n);
    }
    free(order);
    return n;
}

/* For each task that cannot start, 'before' gets the lowest task that it waits for and that cannot
 * start either. */
static void
list_causes(const struct graph_rank *r, const uint32_t *left, uint32_t *before)
{
    memset(before, 0xff, r->n_tasks * sizeof *before);
    for (uint32_t task = 0; task < r->n_tasks; task++) {
        for (uint32_t i = r->tasks[task].first_after; i < r->tasks[task + 1].first_after; i++) {
            uint32_t to = TASK(r->after[i]);
            if (left[task] && before[to] == GRAPH_NONE) {
                before[to] = task;
            }
        }
    }
}

/* Follows causes from a task that cannot start.  After as many steps as there are tasks, it is on a
 * cycle. */
static void
find_cycle(const struct graph_rank *r, const uint32_t *left, struct graph_cycle *cycle)
{
    uint32_t *before = array_new(r->n_tasks, sizeof *before), task = 0;

    list_causes(r, left, before);
    while (!left[task]) {
        task++;
    }
    for (size_t i = 0; i < r->n_tasks; i++) {
        task = before[task];
    }
    uint32_t first = task;
    for (uint32_t next = before[task]; next != task; next = before[next]) {
        first = next < first ? next : first;
    }
    *cycle = (struct graph_cycle){ 0 };
    task = first;
    do {
        if (cycle->n < sizeof cycle->tasks / sizeof *cycle->tasks) {
            cycle->tasks[cycle->n] = task;
        }
        cycle->n++;
        task = before[task];
    } while (task != first);
    free(before);
}

static bool
has_no_cycle(const struct graph_rank *r, struct graph_cycle *cycle)
{
    uint32_t *left = array_new(r->n_tasks, sizeof *left);
    bool good = !r->n_edges || count_startable(r, left) == r->n_tasks;

    if (!good) {
        find_cycle(r, left, cycle);
    }
    free(left);
    return good;
}

struct matched {
    uint64_t peer_tag;
    uint32_t kind, task;
};

static int
by_peer_and_tag(const void *a, const void *b)
{
    const struct matched *x = a, *y = b;

    if (x->kind != y->kind) {
        return x->kind < y->kind ? -1 : 1;
    }
    return (x->peer_tag > y->peer_tag) - (x->peer_tag < y->peer_tag);
}

static bool
is_same(const struct matched *items, size_t n, size_t i, size_t k)
{
    return i < n && k < n && by_peer_and_tag(&items[i], &items[k]) == 0;
}

/* Marks sends and receives that need not be counted, because no other has their peer and tag. */
static void
mark_only_ones(struct graph_rank *r)
{
    struct matched *items = array_new(r->n_tasks, sizeof *items);
    size_t n = 0;

    for (uint32_t i = 0; i < r->n_tasks; i++) {
        const struct graph_task *t = &r->tasks[i];
        if (t->kind == GRAPH_SEND || t->kind == GRAPH_RECV) {
            items[n++] = (struct matched){ (uint64_t)t->peer << 32 | t->tag, t->kind, i };
        }
    }
    qsort(items, n, sizeof *items, by_peer_and_tag);
    for (size_t i = 0; i < n; i++) {
        if (!is_same(items, n, i, i - 1) && !is_same(items, n, i, i + 1)) {
            r->tasks[items[i].task].flags |= GRAPH_IS_ONLY;
        }
    }
    free(items);
}

/* Gives tasks the memory that they need, with room for the end of the last one's dependents. */
static void
fit_tasks(struct graph_rank *r)
{
    r->tasks = array_room(r->tasks, r->n_tasks, &r->max_tasks, sizeof *r->tasks);
    r->tasks[r->n_tasks] = (struct graph_task){ 0 };
    r->max_tasks = r->n_tasks + 1;
    struct graph_task *fitting = realloc(r->tasks, r->max_tasks * sizeof *fitting);
    r->tasks = fitting ? fitting : r->tasks;
}

bool
graph_finish_rank(struct graph *g, uint32_t rank, struct graph_cycle *cycle)
{
    struct graph_rank *r = &g->ranks[rank];

    fit_tasks(r);
    list_dependents(r);
    free(r->edges);
    r->edges = NULL;
    r->max_edges = 0;
    r->is_finished = true;
    if (!has_no_cycle(r, cycle)) {
        return false;
    }
    mark_only_ones(r);
    return true;
}

static bool
refuse_cycle(const struct graph *g, uint32_t rank, const struct graph_cycle *cycle, struct err *err)
{
    char list[512] = "", text[GRAPH_TEXT_BYTES];
    size_t n = 0, n_listed = sizeof cycle->tasks / sizeof *cycle->tasks;

    for (uint32_t i = 0; i < cycle->n && i < n_listed; i++) {
        const struct graph_task *t = &g->ranks[rank].tasks[cycle->tasks[i]];
        n += (size_t)snprintf(list + n, sizeof list - n, "%s%" PRIu32 " (%s)", i ? ", " : "",
                              cycle->tasks[i], graph_task_text(t, text));
        if (n >= sizeof list) {
            break;
        }
    }
    if (cycle->n == 1) {
        return err_set_of_content(err, "rank %" PRIu32 ": task %s waits for itself", rank, list);
    }
    return err_set_of_content(
        err, "rank %" PRIu32 ": %" PRIu32 " tasks wait for each other in a cycle: %s%s", rank,
        cycle->n, list, cycle->n > n_listed ? ", ..." : "");
}

static bool
check_balance(const struct graph *g, struct err *err)
{
    struct graph_balance balance;

    graph_balance_init(&balance, g);
    for (uint32_t rank = 0; rank < g->n_ranks; rank++) {
        graph_balance_add(&balance, rank);
    }
    bool good = graph_balance_is_even(&balance);
    for (uint32_t rank = 0; !good && rank < g->n_ranks; rank++) {
        graph_balance_search(&balance, rank);
    }
    good = good || graph_balance_describe(&balance, err);
    graph_balance_free(&balance);
    return good;
}

bool
graph_finish(struct graph *g, struct err *err)
{
    struct graph_cycle cycle;

    for (uint32_t rank = 0; rank < g->n_ranks; rank++) {
        if (!g->ranks[rank].is_finished && !graph_finish_rank(g, rank, &cycle)) {
            return refuse_cycle(g, rank, &cycle, err);
        }
    }
    return check_balance(g, err);
}
