/* Collectives in the executor: they end as the same sends and receives written as tasks do, and
 * several of them run at once on any groups and any network. */

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "../collective/draw.h"
#include "../unit/unit.h"
#include "host.h"
#include "tasks.h"

enum { LATENCY_PS = 1000, BYTE_PS = 10 };

/* Each message takes its time alone: no message waits for another one. */
static struct host_times
free_network(void *context, uint32_t from, const struct executor_send *s, weir_ps now)
{
    (void)context;
    (void)from;
    weir_ps sent = now + 1 + BYTE_PS * (weir_ps)s->bytes;
    return (struct host_times){ sent, sent + LATENCY_PS };
}

static struct coll_params
ring_of(uint32_t n)
{
    return (struct coll_params){ .algorithm = coll_algorithm_find("ring"),
                                 .op = COLL_ALL_REDUCE,
                                 .n = n,
                                 .channels = 1,
                                 .window = COLL_MAX_WINDOW };
}

static void
finish(struct graph *g)
{
    struct err err;

    if (!graph_finish(g, &err)) {
        fail_msg("%s", err.text);
    }
}

/* A ring all-reduce as one task of each rank, the k-th of which starts k * 'skew' later. */
static void
build_collective(struct graph *g, uint32_t n, uint64_t bytes, uint64_t skew)
{
    uint32_t ranks[64];

    graph_init(g, n);
    for (uint32_t i = 0; i < n; i++) {
        ranks[i] = i;
    }
    uint32_t group = graph_add_group(g, ranks, n);
    uint32_t c = graph_add_collective(g, (struct graph_collective){ group, ring_of(n) });
    for (uint32_t rank = 0; rank < n; rank++) {
        uint32_t gate = add_delay(g, rank, rank * skew);
        require(g, rank, add_collective(g, rank, c, bytes), gate);
    }
    finish(g);
}

/* The same as sends and receives: in each of 2 (n - 1) steps, every rank sends a share to the next
 * rank once it has received one from the rank before. */
static void
build_tasks(struct graph *g, uint32_t n, uint64_t bytes, uint64_t skew)
{
    graph_init(g, n);
    for (uint32_t rank = 0; rank < n; rank++) {
        uint32_t before = add_delay(g, rank, rank * skew);
        for (uint32_t step = 0; step < 2 * (n - 1); step++) {
            uint32_t s = add_send(g, rank, (rank + 1) % n, bytes / n, step);
            uint32_t v = add_recv(g, rank, (rank + n - 1) % n, bytes / n, step);
            require(g, rank, s, before);
            require(g, rank, v, before);
            before = v;
        }
    }
    finish(g);
}

static void
test_ring(void **state)
{
    static const uint64_t skews[] = { 0, 1, 700, 12345 };

    (void)state;
    for (uint32_t n = 2; n <= 9; n++) {
        for (size_t i = 0; i < N_OF(skews); i++) {
            struct graph g[2];
            struct host h[2];
            uint64_t bytes = 100 * n;
            build_collective(&g[0], n, bytes, skews[i]);
            build_tasks(&g[1], n, bytes, skews[i]);
            for (int k = 0; k < 2; k++) {
                host_init(&h[k], &g[k], free_network, NULL);
                host_run(&h[k], 0);
            }
            for (uint32_t rank = 0; rank < n; rank++) {
                const struct executor *a = &h[0].ranks[rank], *b = &h[1].ranks[rank];
                assert_true(executor_is_done(a) && executor_is_done(b));
                assert_int_equal(a->end_ps, b->end_ps);
                assert_memory_equal(&a->times, &b->times, sizeof a->times);
                if (!skews[i]) { /* The closed form of a network in which nothing waits. */
                    assert_int_equal(a->end_ps, 2 * (n - 1) * (1 + 100 * BYTE_PS + LATENCY_PS));
                }
            }
            for (int k = 0; k < 2; k++) {
                host_free(&h[k]);
                graph_free(&g[k]);
            }
        }
    }
}

/* The record of a collective: its time, and the message that came last. */
static void
test_record(void **state)
{
    struct graph g;
    struct host h;

    (void)state;
    build_collective(&g, 3, 300, 5000);
    host_init(&h, &g, free_network, NULL);
    host_run(&h, 0);
    for (uint32_t rank = 0; rank < 3; rank++) {
        const struct executor_record *r = &h.ranks[rank].records[1];
        assert_int_equal(r->start_ps, 5000 * rank);
        assert_int_equal(r->end_ps, h.ranks[rank].end_ps);
        assert_int_equal(r->after, 0);
        assert_int_equal(r->source, (rank + 2) % 3);
        assert_int_equal(r->source_task, 1);
    }
    host_free(&h);
    graph_free(&g);
}

/* Messages overtake each other. */
static struct host_times
random_network(void *context, uint32_t from, const struct executor_send *s, weir_ps now)
{
    uint64_t x = *(uint64_t *)context + from + 7 * s->to + 49 * (s->tag ^ s->tag >> 32) + s->order;
    weir_ps sent = now + 1 + (weir_ps)below(&x, 50);

    return (struct host_times){ sent, sent + (weir_ps)below(&x, 400) };
}

enum { MAX_RANKS = 12 };

static uint32_t
draw_group(uint64_t *random, struct graph *g)
{
    uint32_t ranks[MAX_RANKS], n = 1 + (uint32_t)below(random, g->n_ranks);

    for (uint32_t i = 0; i < g->n_ranks; i++) {
        uint32_t at = (uint32_t)below(random, i + 1);
        ranks[i] = ranks[at];
        ranks[at] = i;
    }
    return graph_add_group(g, ranks, n);
}

static uint32_t
draw_collective(uint64_t *random, struct graph *g, uint32_t group, uint64_t *bytes)
{
    struct coll_params p;
    struct err err;
    uint64_t n_algorithms = 0;

    while (coll_algorithm_at(n_algorithms)) {
        n_algorithms++;
    }
    do {
        p = (struct coll_params){ .algorithm = coll_algorithm_at(below(random, n_algorithms)),
                                  .op = (enum coll_op)below(random, COLL_N_OPS),
                                  .n = g->groups[group].n,
                                  .channels = 1 + (uint32_t)below(random, 3),
                                  .window = 1 + (uint32_t)below(random, 4),
                                  .chunk_bytes = one_in(random, 2) ? 0 : 1 + below(random, 40),
                                  .levels = { 1, WEIR_AUTO, WEIR_AUTO } };
        p.bytes = p.op == COLL_BARRIER ? 0 : below(random, 300);
        p.root = (uint32_t)below(random, p.n);
    } while (!coll_check(&p, &err));
    *bytes = p.bytes;
    return graph_add_collective(g, (struct graph_collective){ group, p });
}

/* A rank that also receives messages from any rank matches those of collectives by their order all
 * the same. */
static void
draw_messages(uint64_t *random, struct graph *g)
{
    for (uint64_t i = below(random, 4); i > 0; i--) {
        uint32_t from = (uint32_t)below(random, g->n_ranks);
        uint32_t to = (uint32_t)below(random, g->n_ranks);
        add_send(g, from, to, 8, 3);
        add_recv(g, to, GRAPH_ANY, 8, GRAPH_ANY);
    }
}

/* All members of a group add its collectives in one order, and start them in the order of numbers,
 * but each when it wants. */
static void
draw_graph(uint64_t *random, struct graph *g)
{
    uint32_t last[MAX_RANKS];
    uint64_t bytes;

    graph_init(g, 1 + (uint32_t)below(random, MAX_RANKS));
    for (uint32_t rank = 0; rank < g->n_ranks; rank++) {
        last[rank] = add_delay(g, rank, below(random, 300));
    }
    draw_messages(random, g);
    for (uint64_t i = 1 + below(random, 3); i > 0; i--) {
        draw_group(random, g);
    }
    for (uint64_t i = 1 + below(random, 8); i > 0; i--) {
        uint32_t group = (uint32_t)below(random, g->n_groups);
        uint32_t c = draw_collective(random, g, group, &bytes);
        for (uint32_t k = 0; k < g->groups[group].n; k++) {
            uint32_t rank = g->groups[group].ranks[k];
            uint32_t calc = add_calc(g, rank, below(random, 100), 0);
            uint32_t task = add_collective(g, rank, c, bytes);
            require(g, rank, calc, last[rank]);
            require(g, rank, task, calc);
            last[rank] = calc; /* Collectives overlap. */
        }
    }
    finish(g);
}

static void
check_end(const struct executor *x)
{
    const struct executor_times *t = &x->times;

    assert_true(executor_is_done(x));
    assert_int_equal(x->n_misfits, 0);
    assert_int_equal(t->computing_ps + t->network_ps + t->peer_ps + t->delayed_ps,
                     x->end_ps - x->begin_ps);
}

static void
compare_records(const struct executor *a, const struct executor *b)
{
    assert_memory_equal(&a->times, &b->times, sizeof a->times);
    for (size_t i = 0; i < a->rank->n_tasks; i++) {
        const struct executor_record *x = &a->records[i], *y = &b->records[i];
        assert_int_equal(x->ready_ps, y->ready_ps);
        assert_int_equal(x->start_ps, y->start_ps);
        assert_int_equal(x->end_ps, y->end_ps);
        assert_int_equal(x->after, y->after);
        assert_int_equal(x->source, y->source);
        assert_int_equal(x->source_task, y->source_task);
    }
}

/* All end, and nothing depends on the order in which the events of an instant are reported. */
static void
test_many(void **state)
{
    uint64_t random = 1;

    (void)state;
    for (int i = 0; i < 1500; i++) {
        struct graph g[2];
        struct host h[2];
        uint64_t network = weir_random(&random), seed = random;
        for (uint64_t k = 0; k < 2; k++) {
            random = seed;
            draw_graph(&random, &g[k]);
            host_init(&h[k], &g[k], random_network, &network);
            h[k].shuffle = k;
            host_run(&h[k], 1000);
        }
        for (uint32_t rank = 0; rank < g[0].n_ranks; rank++) {
            check_end(&h[0].ranks[rank]);
            compare_records(&h[0].ranks[rank], &h[1].ranks[rank]);
        }
        for (int k = 0; k < 2; k++) {
            host_free(&h[k]);
            graph_free(&g[k]);
        }
    }
}

/* A rank whose peers never begin names the messages of the collective that it waits for. */
static void
test_stuck(void **state)
{
    struct graph g;
    struct executor x;
    struct executor_out out = { 0 };
    struct executor_stuck s = { 0 };
    char text[EXECUTOR_TEXT_BYTES];

    (void)state;
    build_collective(&g, 3, 300, 0);
    executor_init(&x, &g, 1, 0);
    executor_begin(&x, 0);
    executor_run(&x, 0, &out);
    assert_int_equal(out.n_sends, 1);
    assert_int_equal(out.sends[0].to, 2);
    assert_int_equal(out.sends[0].task, 1);
    assert_int_equal(out.sends[0].bytes, 100);
    assert_true(out.sends[0].tag & EXECUTOR_COLLECTIVE);
    assert_true(out.sends[0].token & EXECUTOR_STEP);
    struct executor_send again = executor_send_of(&x, out.sends[0].token);
    assert_int_equal(again.tag, out.sends[0].tag);
    assert_int_equal(again.to, 2);
    *executor_link(&x, out.sends[0].token) = 5;
    assert_int_equal(*executor_link(&x, out.sends[0].token), 5);

    static const char *const said[] = {
        "rank 1: task 1 (collective of 300 B) waits for a message of rank 0",
        "rank 1: task 1 (collective of 300 B) waits until its message to rank 2 has left",
    };
    unsigned n_said[2] = { 0, 0 };
    while (executor_next_stuck(&x, &s)) {
        executor_stuck_text(&x, &s, text);
        for (size_t k = 0; k < 2; k++) {
            n_said[k] += !strcmp(text, said[k]);
        }
        assert_int_equal(s.task, 1);
    }
    assert_int_equal(n_said[0], 1);
    assert_int_equal(n_said[1], 1);
    executor_free(&x);
    executor_out_free(&out);
    graph_free(&g);
}

/* The end of a collective is reported with its start, also without records. */
static void
test_report(void **state)
{
    struct graph g;
    struct executor x;
    struct executor_out out = { 0 };

    (void)state;
    graph_init(&g, 1);
    uint32_t group = graph_add_group(&g, (const uint32_t[]){ 0 }, 1);
    uint32_t c = graph_add_collective(&g, (struct graph_collective){ group, ring_of(1) });
    uint32_t gate = add_delay(&g, 0, 10);
    uint32_t task =
        graph_add(&g, 0,
                  (struct graph_task){
                      .kind = GRAPH_COLLECTIVE, .peer = c, .amount = 50, .flags = GRAPH_REPORT });
    require(&g, 0, task, gate);
    finish(&g);
    executor_init(&x, &g, 0, 0);
    executor_begin(&x, 0);
    executor_run(&x, 0, &out);
    executor_run(&x, 10, &out);
    assert_true(executor_is_done(&x)); /* One member has nothing to send. */
    assert_int_equal(out.n_ends, 1);
    assert_int_equal(out.ends[0].start_ps, 10);
    assert_int_equal(out.ends[0].end_ps, 10);
    executor_free(&x);
    executor_out_free(&out);
    graph_free(&g);
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_ring),  cmocka_unit_test(test_record), cmocka_unit_test(test_many),
        cmocka_unit_test(test_stuck), cmocka_unit_test(test_report),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
