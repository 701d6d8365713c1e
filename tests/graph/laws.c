/* Laws of random graphs: the executor and a second one, written from the rules alone, agree about
 * the start and end of each task, what never ends, matched messages and time accounting.
 *
 * usage: graph-laws [FIRST-SEED [N]] */

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../chance.h"
#include "reference.h"
#include "tasks.h"

enum { N_GRAPHS = 6000, MAX_RANKS = 5, MAX_MESSAGES = 14, MAX_OTHERS = 8 };

static int n_failed;

#define EXPECT_EQUAL(SEED, WHAT, A, B)                                                             \
    do {                                                                                           \
        int64_t a_ = (int64_t)(A), b_ = (int64_t)(B);                                              \
        if (a_ != b_ && n_failed++ < 20) {                                                         \
            printf("seed %" PRIu64 ": %s: executor %" PRId64 ", reference %" PRId64 "\n", (SEED),  \
                   (WHAT), a_, b_);                                                                \
        }                                                                                          \
    } while (0)

/* Messages overtake each other, and many arrive at the same time. */
static struct host_times
random_network(void *context, uint32_t from, const struct executor_send *s, weir_ps now)
{
    uint64_t x = *(uint64_t *)context + from + 7 * s->to + 49 * s->tag + 343 * s->order;
    weir_ps sent = now + 1 + (weir_ps)below(&x, 4);

    return (struct host_times){ sent, sent + (weir_ps)below(&x, 8) };
}

struct draw {
    uint64_t random;
    bool has_any;   /* Receives from any rank and of any tag. */
    bool is_linked; /* Requirements follow the order of drawing, so that no rank has a cycle. */
    uint32_t order[MAX_RANKS][2 * MAX_MESSAGES + MAX_OTHERS];
};

static uint32_t
any_or(struct draw *d, uint32_t value)
{
    return d->has_any && one_in(&d->random, 4) ? GRAPH_ANY : value;
}

static void
draw_message(struct draw *d, struct graph *g)
{
    uint32_t from = (uint32_t)below(&d->random, g->n_ranks);
    uint32_t to = (uint32_t)below(&d->random, g->n_ranks);
    uint32_t tag = (uint32_t)below(&d->random, 3), bytes = (uint32_t)below(&d->random, 3);

    if (!one_in(&d->random, 20)) {
        graph_add(g, from,
                  (struct graph_task){ .kind = GRAPH_SEND,
                                       .amount = bytes,
                                       .peer = to,
                                       .tag = tag,
                                       .cpu = (uint8_t)below(&d->random, 3),
                                       .flags = one_in(&d->random, 3) ? GRAPH_TAKES_CPU : 0 });
    }
    if (!one_in(&d->random, 20)) {
        add_recv(g, to, any_or(d, from), one_in(&d->random, 4) ? GRAPH_UNKNOWN_BYTES : bytes,
                 any_or(d, tag));
    }
}

static void
draw_other(struct draw *d, struct graph *g)
{
    uint32_t rank = (uint32_t)below(&d->random, g->n_ranks);
    uint64_t ps = below(&d->random, 5);

    if (one_in(&d->random, 4)) {
        add_delay(g, rank, ps);
    } else {
        add_calc(g, rank, ps, (uint8_t)below(&d->random, 3));
    }
}

/* Requirements along a random order of the tasks of a rank. */
static void
draw_requirements(struct draw *d, struct graph *g, uint32_t rank)
{
    uint32_t *order = d->order[rank], n = (uint32_t)g->ranks[rank].n_tasks;

    for (uint32_t i = 0; i < n; i++) {
        uint32_t at = (uint32_t)below(&d->random, i + 1);
        order[i] = order[at];
        order[at] = i;
    }
    uint64_t n_edges = n < 2 ? 0 : below(&d->random, 2 * n);
    for (uint64_t i = 0; i < n_edges; i++) {
        uint32_t after = 1 + (uint32_t)below(&d->random, n - 1);
        uint32_t before = (uint32_t)below(&d->random, after);
        graph_require(g, rank, order[after], order[before],
                      one_in(&d->random, 3) ? GRAPH_AFTER_START : GRAPH_AFTER_END);
    }
}

/* Tasks of different kinds are mixed, so that numbers say nothing about kinds. */
static void
draw_graph(struct draw *d, struct graph *g)
{
    uint64_t n_messages = below(&d->random, MAX_MESSAGES + 1);
    uint64_t n_others = below(&d->random, MAX_OTHERS + 1);

    graph_init(g, 1 + (uint32_t)below(&d->random, MAX_RANKS));
    d->has_any = one_in(&d->random, 3);
    while (n_messages || n_others) {
        if (below(&d->random, n_messages + n_others) < n_messages) {
            draw_message(d, g);
            n_messages--;
        } else {
            draw_other(d, g);
            n_others--;
        }
    }
    for (uint32_t rank = 0; rank < g->n_ranks; rank++) {
        draw_requirements(d, g, rank);
    }
}

static void
compare_tasks(uint64_t seed, const struct executor *x, const struct ref_rank *r)
{
    uint32_t n_left = 0;

    for (uint32_t i = 0; i < r->n_tasks; i++) {
        const struct ref_task *t = &r->tasks[i];
        EXPECT_EQUAL(seed, "start", x->records[i].start_ps, t->start);
        EXPECT_EQUAL(seed, "end", x->records[i].end_ps, t->is_ended ? t->end : WEIR_NEVER);
        n_left += !t->is_ended;
    }
    EXPECT_EQUAL(seed, "tasks left", x->n_left, n_left);
    EXPECT_EQUAL(seed, "end of the rank", x->end_ps, r->end);
}

static void
compare_times(uint64_t seed, const struct executor *x, const struct ref_rank *r)
{
    const struct executor_times *a = &x->times, *b = &r->times;

    EXPECT_EQUAL(seed, "computing", a->computing_ps, b->computing_ps);
    EXPECT_EQUAL(seed, "network", a->network_ps, b->network_ps);
    EXPECT_EQUAL(seed, "peer", a->peer_ps, b->peer_ps);
    EXPECT_EQUAL(seed, "delayed", a->delayed_ps, b->delayed_ps);
    EXPECT_EQUAL(seed, "sum of times", a->computing_ps + a->network_ps + a->peer_ps + a->delayed_ps,
                 x->end_ps - x->begin_ps);
}

/* The message that a receive got, by its record. */
static void
compare_sources(uint64_t seed, const struct host *h, const struct reference *f)
{
    for (size_t i = 0; i < f->n_messages; i++) {
        const struct ref_message *m = &f->messages[i];
        unsigned n_taken = 0;
        for (uint32_t k = 0; k < f->ranks[m->to].n_tasks; k++) {
            const struct executor_record *r = &h->ranks[m->to].records[k];
            n_taken += r->source == m->from && r->source_task == m->task;
        }
        EXPECT_EQUAL(seed, "receives of a message", n_taken, m->is_taken);
    }
}

/* The last task that a task waited for is one that it requires, or one of its cpu; and nothing that
 * it waited for was later. */
static void
check_causes(uint64_t seed, const struct executor *x, const struct ref_rank *r)
{
    for (uint32_t i = 0; i < r->n_tasks; i++) {
        const struct executor_record *own = &x->records[i];
        if (own->start_ps == WEIR_NEVER || own->after == GRAPH_NONE) {
            continue;
        }
        const struct executor_record *before = &x->records[own->after & ~GRAPH_ON_START];
        weir_ps at = own->after & GRAPH_ON_START ? before->start_ps : before->end_ps;
        EXPECT_EQUAL(seed, "start after the cause", own->start_ps, at);
        EXPECT_EQUAL(seed, "ready before start", own->ready_ps <= own->start_ps, 1);
    }
}

/* Each task that has not ended is named once. */
static void
check_stuck(uint64_t seed, const struct executor *x)
{
    uint32_t n = 0, n_causes = 0;
    char text[EXECUTOR_TEXT_BYTES];

    for (struct executor_stuck s = { 0 }; executor_next_stuck(x, &s);) {
        EXPECT_EQUAL(seed, "ends", x->records[s.task].end_ps, WEIR_NEVER);
        EXPECT_EQUAL(seed, "it has a text", strlen(executor_stuck_text(x, &s, text)) > 20, 1);
        n++;
        n_causes += s.wait == EXECUTOR_WAITS_MESSAGE;
        EXPECT_EQUAL(seed, "cause",
                     s.wait == EXECUTOR_WAITS_MESSAGE || s.wait == EXECUTOR_WAITS_TASKS, 1);
    }
    EXPECT_EQUAL(seed, "named", n, x->n_left);
    EXPECT_EQUAL(seed, "has a cause", n_causes > 0, x->n_left > 0);
}

/* Returns whether all tasks ended. */
static bool
check_graph(uint64_t seed)
{
    static struct draw d;
    struct graph g;
    struct host h;
    struct reference f;
    struct graph_cycle cycle;
    uint64_t network = seed * 1000;
    bool is_done = true;

    d.random = seed;
    draw_graph(&d, &g);
    reference_init(&f, &g, random_network, &network);
    for (uint32_t rank = 0; rank < g.n_ranks; rank++) {
        EXPECT_EQUAL(seed, "no cycle", graph_finish_rank(&g, rank, &cycle), 1);
    }
    host_init(&h, &g, random_network, &network);
    h.shuffle = ~seed;
    reference_run(&f, 1000);
    host_run(&h, 1000);
    for (uint32_t rank = 0; rank < g.n_ranks; rank++) {
        compare_tasks(seed, &h.ranks[rank], &f.ranks[rank]);
        compare_times(seed, &h.ranks[rank], &f.ranks[rank]);
        check_causes(seed, &h.ranks[rank], &f.ranks[rank]);
        check_stuck(seed, &h.ranks[rank]);
        is_done &= executor_is_done(&h.ranks[rank]);
    }
    compare_sources(seed, &h, &f);
    host_free(&h);
    reference_free(&f);
    graph_free(&g);
    return is_done;
}

int
main(int argc, char **argv)
{
    uint64_t first = argc > 1 ? strtoull(argv[1], NULL, 10) : 1;
    uint64_t n = argc > 2 ? strtoull(argv[2], NULL, 10) : N_GRAPHS, n_done = 0;

    for (uint64_t seed = first; seed < first + n; seed++) {
        n_done += check_graph(seed);
    }
    if (n == N_GRAPHS && (n_done < n / 5 || n_done > n * 4 / 5)) {
        printf("%" PRIu64 " of %" PRIu64 " graphs ended: too few of one kind\n", n_done, n);
        return 1;
    }
    printf("%" PRIu64 " graphs, %" PRIu64 " of which ended; %d differences\n", n, n_done, n_failed);
    return n_failed > 0;
}
