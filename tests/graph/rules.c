/* Each rule of the executor, with one rank and times in picoseconds. */

#include <inttypes.h>
#include <stdio.h>

#include "../unit/unit.h"
#include "graph/executor.h"
#include "tasks.h"

/* Rank 0 of four; the test plays the network. */
struct rig {
    struct graph g;
    struct executor x;
    struct executor_out out;
};

static void
set_up(struct rig *r)
{
    *r = (struct rig){ 0 };
    graph_init(&r->g, 4);
}

static void
begin(struct rig *r, weir_ps now)
{
    struct graph_cycle cycle;

    assert_true(graph_finish_rank(&r->g, 0, &cycle));
    executor_init(&r->x, &r->g, 0, EXECUTOR_RECORDS);
    executor_begin(&r->x, now);
    executor_run(&r->x, now, &r->out);
}

static void
run_tasks(struct rig *r, weir_ps now)
{
    executor_run(&r->x, now, &r->out);
}

static void
sent(struct rig *r, uint32_t token, weir_ps now)
{
    executor_sent(&r->x, token, now);
    run_tasks(r, now);
}

static void
arrived(struct rig *r, uint32_t source, uint32_t tag, uint32_t order, uint64_t bytes, weir_ps at,
        weir_ps sent_ps)
{
    struct executor_message m = { bytes, tag, sent_ps, source, order, 77 };

    executor_arrived(&r->x, &m, at);
    run_tasks(r, at);
}

static void
tear_down(struct rig *r)
{
    executor_free(&r->x);
    executor_out_free(&r->out);
    graph_free(&r->g);
}

/* The messages to send since the last call: "1:5#0 80B" is to rank 1 with tag 5, order 0. */
static void
expect_sends(struct rig *r, const char *expected)
{
    char text[200] = "";
    size_t n = 0;

    for (size_t i = 0; i < r->out.n_sends; i++) {
        const struct executor_send *s = &r->out.sends[i];
        n += (size_t)snprintf(text + n, sizeof text - n,
                              "%s%" PRIu32 ":%" PRIu64 "#%" PRIu32 " %" PRIu64 "B", i ? ", " : "",
                              s->to, s->tag, s->order, s->bytes);
    }
    assert_string_equal(text, expected);
    executor_out_clear(&r->out);
}

#define EXPECT_TIMES(RIG, TASK, START, END)                                                        \
    do {                                                                                           \
        assert_int_equal((RIG)->x.records[TASK].start_ps, (START));                                \
        assert_int_equal((RIG)->x.records[TASK].end_ps, (END));                                    \
    } while (0)

static void
test_empty(void **state)
{
    struct rig r;

    (void)state;
    set_up(&r);
    struct executor x;
    struct graph_cycle cycle;
    assert_true(graph_finish_rank(&r.g, 1, &cycle));
    executor_init(&x, &r.g, 1, 0);
    assert_false(executor_is_done(&x)); /* It has not begun. */
    executor_free(&x);
    begin(&r, 5);
    assert_true(executor_is_done(&r.x));
    assert_int_equal(r.x.end_ps, 5);
    assert_int_equal(r.x.wake_ps, WEIR_NEVER);
    tear_down(&r);
}

/* Nothing starts before the begin, and then the lowest number first. */
static void
test_lowest_first(void **state)
{
    struct rig r;

    (void)state;
    set_up(&r);
    uint32_t a = add_send(&r.g, 0, 1, 10, 0);
    uint32_t b = add_calc(&r.g, 0, 0, 0);
    uint32_t c = add_send(&r.g, 0, 2, 30, 0);
    uint32_t d = add_send(&r.g, 0, 3, 0, 0); /* No bytes: a message all the same. */
    require(&r.g, 0, a, b);                  /* The zero calculation ends before c starts. */
    (void)c;
    (void)d;
    begin(&r, 0);
    expect_sends(&r, "1:0#0 10B, 2:0#0 30B, 3:0#0 0B");
    tear_down(&r);
}

/* A task waits for all that it requires; numbers say nothing about the order. */
static void
test_requires(void **state)
{
    struct rig r;

    (void)state;
    set_up(&r);
    uint32_t last = add_send(&r.g, 0, 1, 10, 0);
    uint32_t a = add_calc(&r.g, 0, 100, 0), b = add_calc(&r.g, 0, 300, 1);
    require(&r.g, 0, last, b);
    require(&r.g, 0, last, a);
    begin(&r, 0);
    assert_int_equal(r.x.wake_ps, 100);
    run_tasks(&r, 100);
    expect_sends(&r, "");
    assert_int_equal(r.x.wake_ps, 300);
    run_tasks(&r, 300);
    expect_sends(&r, "1:0#0 10B");
    assert_int_equal(r.x.records[last].after, b);
    assert_int_equal(r.x.records[last].ready_ps, 300);
    assert_int_equal(r.x.n_left, 1);
    sent(&r, last, 350);
    assert_true(executor_is_done(&r.x));
    assert_int_equal(r.x.end_ps, 350);
    EXPECT_TIMES(&r, last, 300, 350);
    tear_down(&r);
}

/* irequires: a calculation has started when its cpu takes it, a send when it is posted. */
static void
test_irequires(void **state)
{
    struct rig r;

    (void)state;
    set_up(&r);
    uint32_t a = add_calc(&r.g, 0, 100, 0), b = add_calc(&r.g, 0, 50, 0);
    uint32_t after_b = add_send(&r.g, 0, 1, 10, 0), after_send = add_send(&r.g, 0, 1, 20, 1);
    graph_require(&r.g, 0, after_b, b, GRAPH_AFTER_START);
    graph_require(&r.g, 0, after_send, after_b, GRAPH_AFTER_START);
    (void)a;
    begin(&r, 0);
    expect_sends(&r, "");
    run_tasks(&r, 100);
    expect_sends(&r, "1:0#0 10B, 1:1#0 20B");
    assert_int_equal(r.x.records[after_b].after, b | GRAPH_ON_START);
    EXPECT_TIMES(&r, b, 100, WEIR_NEVER);
    assert_true(r.x.records[b].waited_for_cpu);
    assert_int_equal(r.x.records[b].after, a);
    tear_down(&r);
}

/* A cpu takes calculations in the order in which they could start; cpus do not wait for each other.
 */
static void
test_cpus(void **state)
{
    struct rig r;

    (void)state;
    set_up(&r);
    uint32_t late = add_calc(&r.g, 0, 10, 3), wait = add_delay(&r.g, 0, 5);
    uint32_t a = add_calc(&r.g, 0, 100, 3), b = add_calc(&r.g, 0, 20, 3);
    uint32_t other = add_calc(&r.g, 0, 30, 200);
    require(&r.g, 0, late, wait); /* Its number is the lowest, but it can start last. */
    begin(&r, 0);
    for (weir_ps at = 0; (at = r.x.wake_ps) != WEIR_NEVER;) {
        run_tasks(&r, at);
    }
    EXPECT_TIMES(&r, a, 0, 100);
    EXPECT_TIMES(&r, b, 100, 120);
    EXPECT_TIMES(&r, late, 120, 130);
    EXPECT_TIMES(&r, other, 0, 30);
    assert_int_equal(r.x.records[late].ready_ps, 5);
    assert_int_equal(r.x.times.computing_ps, 130);
    tear_down(&r);
}

/* Two calculations that can start at one instant: the lower number first, whichever event came
 * first. */
static void
test_events_of_one_instant(void **state)
{
    for (int swap = 0; swap < 2; swap++) {
        struct rig r;
        (void)state;
        set_up(&r);
        uint32_t a = add_calc(&r.g, 0, 10, 0), b = add_calc(&r.g, 0, 10, 0);
        require(&r.g, 0, a, add_recv(&r.g, 0, 1, 8, 0));
        require(&r.g, 0, b, add_recv(&r.g, 0, 2, 8, 0));
        begin(&r, 0);
        for (uint32_t i = 0; i < 2; i++) {
            struct executor_message m = { 8, 0, 0, 1 + (swap ^ i), 0, 0 };
            executor_arrived(&r.x, &m, 50);
        }
        run_tasks(&r, 50);
        EXPECT_TIMES(&r, a, 50, WEIR_NEVER);
        EXPECT_TIMES(&r, b, WEIR_NEVER, WEIR_NEVER);
        tear_down(&r);
    }
}

/* Two requirements that are met at one instant: the lower number is the last one, whichever event
 * came first. */
static void
test_causes_of_one_instant(void **state)
{
    for (int swap = 0; swap < 2; swap++) {
        struct rig r;
        (void)state;
        set_up(&r);
        uint32_t a = add_send(&r.g, 0, 1, 8, 0), b = add_send(&r.g, 0, 2, 8, 0);
        uint32_t c = add_calc(&r.g, 0, 10, 0);
        require(&r.g, 0, c, a);
        require(&r.g, 0, c, b);
        begin(&r, 0);
        executor_sent(&r.x, swap ? b : a, 50);
        executor_sent(&r.x, swap ? a : b, 50);
        run_tasks(&r, 50);
        assert_int_equal(r.x.records[c].after, a);
        EXPECT_TIMES(&r, c, 50, WEIR_NEVER);
        tear_down(&r);
    }
}

/* A send or collective with GRAPH_TAKES_CPU has its cpu to itself, and tasks that wait for the cpu
 * follow in the order in which they could start. */
static void
test_taken_cpu(void **state)
{
    struct rig r;
    struct graph_task t = { .kind = GRAPH_SEND, .peer = 1, .tag = 5, .flags = GRAPH_TAKES_CPU };

    (void)state;
    set_up(&r);
    for (t.amount = 1; t.amount <= 2; t.amount++) {
        graph_add(&r.g, 0, t);
    }
    uint32_t calc = add_calc(&r.g, 0, 10, 0), recv = add_recv(&r.g, 0, 2, 7, 9);
    t.amount = 3;
    graph_add(&r.g, 0, t);
    add_send(&r.g, 0, 1, 80, 6);
    begin(&r, 100);
    expect_sends(&r, "1:5#0 1B, 1:6#0 80B");
    sent(&r, 0, 150);
    expect_sends(&r, "1:5#1 2B");
    arrived(&r, 2, 9, 0, 7, 160, 150);
    assert_int_equal(r.x.records[recv].end_ps, 160);
    sent(&r, 1, 170);
    assert_int_equal(r.x.records[calc].start_ps, 170);
    assert_int_equal(r.x.records[calc].after, 1);
    assert_true(r.x.records[calc].waited_for_cpu);
    assert_int_equal(r.x.wake_ps, 180);
    run_tasks(&r, 180);
    expect_sends(&r, "1:5#2 3B");
    assert_int_equal(r.x.records[4].after, calc);
    sent(&r, 5, 190);
    sent(&r, 4, 200);
    assert_true(executor_is_done(&r.x));
    assert_int_equal(r.x.times.computing_ps, 10);
    assert_int_equal(r.x.times.network_ps, 90);
    tear_down(&r);
}

/* Collectives of two groups, one after the other; the one of no bytes ends at once. */
static void
test_taken_cpu_by_collectives(void **state)
{
    struct rig r;
    uint32_t members[] = { 0, 1 };

    (void)state;
    set_up(&r);
    for (int i = 0; i < 3; i++) {
        uint32_t group = graph_add_group(&r.g, members, 2);
        struct coll_params p = { .algorithm = coll_algorithm_find("direct"),
                                 .op = COLL_ALL_TO_ALL,
                                 .channels = 1,
                                 .window = COLL_WINDOW };
        graph_add_collective(&r.g, (struct graph_collective){ group, p });
        graph_add(&r.g, 0,
                  (struct graph_task){ .kind = GRAPH_COLLECTIVE,
                                       .amount = i == 1 ? 0 : 8,
                                       .peer = group,
                                       .flags = GRAPH_TAKES_CPU });
    }
    begin(&r, 0);
    assert_int_equal(r.out.n_sends, 1);
    struct executor_send first = r.out.sends[0];
    executor_out_clear(&r.out);
    arrived(&r, 1, 0, 0, 4, 5, 0); /* No receive is posted for this one. */
    executor_arrived(&r.x, &(struct executor_message){ 4, first.tag, 0, 1, 0, 0 }, 10);
    sent(&r, first.token, 10);
    assert_int_equal(r.x.records[0].end_ps, 10);
    assert_int_equal(r.x.records[1].end_ps, 10);
    assert_int_equal(r.x.records[2].start_ps, 10);
    assert_int_equal(r.x.records[2].after, 1);
    assert_int_equal(r.out.n_sends, 1);
    tear_down(&r);
}

/* Sends and receives take no cpu, and a delay does not either. */
static void
test_no_cpu(void **state)
{
    struct rig r;

    (void)state;
    set_up(&r);
    add_calc(&r.g, 0, 1000, 0);
    uint32_t s = add_send(&r.g, 0, 1, 10, 0), v = add_recv(&r.g, 0, 1, 10, 0);
    uint32_t d = add_delay(&r.g, 0, 10);
    begin(&r, 0);
    expect_sends(&r, "1:0#0 10B");
    arrived(&r, 1, 0, 0, 10, 4, 0);
    sent(&r, s, 7);
    run_tasks(&r, 10);
    EXPECT_TIMES(&r, v, 0, 4);
    EXPECT_TIMES(&r, s, 0, 7);
    EXPECT_TIMES(&r, d, 0, 10);
    tear_down(&r);
}

/* A rank's message to itself takes no time, whichever of its ends starts first. */
static void
test_to_oneself(void **state)
{
    struct rig r;

    (void)state;
    set_up(&r);
    uint32_t s = add_send(&r.g, 0, 0, 1000000, 3), v = add_recv(&r.g, 0, 0, 1000000, 3);
    uint32_t v2 = add_recv(&r.g, 0, 0, 5, 4), s2 = add_send(&r.g, 0, 0, 5, 4);
    begin(&r, 9);
    expect_sends(&r, "");
    for (uint32_t task = 0; task < 4; task++) {
        EXPECT_TIMES(&r, task, 9, 9);
    }
    assert_int_equal(r.x.records[v].source_task, s);
    assert_int_equal(r.x.records[v2].source_task, s2);
    assert_int_equal(r.x.records[v].source, 0);
    assert_true(executor_is_done(&r.x));
    tear_down(&r);
}

/* The k-th started receive gets the k-th started message, whichever arrives first. */
static void
test_order(void **state)
{
    struct rig r;

    (void)state;
    set_up(&r);
    uint32_t second = add_recv(&r.g, 0, 1, 20, 5), first = add_recv(&r.g, 0, 1, 10, 5);
    require(&r.g, 0, second, add_delay(&r.g, 0, 100));
    begin(&r, 0);
    arrived(&r, 1, 5, 1, 20, 30, 0); /* It waits for the second receive. */
    EXPECT_TIMES(&r, first, 0, WEIR_NEVER);
    arrived(&r, 1, 5, 0, 10, 60, 0);
    EXPECT_TIMES(&r, first, 0, 60);
    run_tasks(&r, 100);
    EXPECT_TIMES(&r, second, 100, 100);
    assert_int_equal(r.x.n_misfits, 0);
    tear_down(&r);
}

/* Sends are counted for each destination and tag, in the order in which they start. */
static void
test_counting(void **state)
{
    struct rig r;

    (void)state;
    set_up(&r);
    uint32_t late = add_send(&r.g, 0, 1, 1, 5);
    add_send(&r.g, 0, 1, 2, 5);
    add_send(&r.g, 0, 1, 3, 5);
    add_send(&r.g, 0, 1, 4, 6);
    add_send(&r.g, 0, 2, 5, 5);
    add_send(&r.g, 0, 2, 6, 5);
    require(&r.g, 0, late, add_delay(&r.g, 0, 1));
    begin(&r, 0);
    expect_sends(&r, "1:5#0 2B, 1:5#1 3B, 1:6#0 4B, 2:5#0 5B, 2:5#1 6B");
    run_tasks(&r, 1);
    expect_sends(&r, "1:5#2 1B");
    tear_down(&r);
}

/* A message waits for its receive, also if it comes before the begin. */
static void
test_early(void **state)
{
    struct rig r;
    struct graph_cycle cycle;
    struct executor_message m = { 10, 5, 3, 1, 0, 0 };

    (void)state;
    set_up(&r);
    uint32_t v = add_recv(&r.g, 0, 1, 10, 5);
    assert_true(graph_finish_rank(&r.g, 0, &cycle));
    executor_init(&r.x, &r.g, 0, EXECUTOR_RECORDS);
    executor_arrived(&r.x, &m, 4);
    run_tasks(&r, 4);
    EXPECT_TIMES(&r, v, WEIR_NEVER, WEIR_NEVER);
    executor_begin(&r.x, 20);
    run_tasks(&r, 20);
    EXPECT_TIMES(&r, v, 20, 20);
    tear_down(&r);
}

/* From any rank: messages that have arrived, oldest first; and the oldest receive that accepts one.
 */
static void
test_wildcards(void **state)
{
    struct rig r;

    (void)state;
    set_up(&r);
    uint32_t any_tag = add_recv(&r.g, 0, 2, 1, GRAPH_ANY), any = add_recv(&r.g, 0, GRAPH_ANY, 2, 5);
    uint32_t named = add_recv(&r.g, 0, 1, 3, 5), late = add_recv(&r.g, 0, GRAPH_ANY, 4, GRAPH_ANY);
    require(&r.g, 0, late, add_delay(&r.g, 0, 100));
    begin(&r, 0);
    arrived(&r, 1, 5, 1, 2, 10, 0); /* The order of its sender does not count. */
    EXPECT_TIMES(&r, any, 0, 10);
    arrived(&r, 3, 9, 0, 4, 20, 0); /* No receive that has started accepts these two. */
    arrived(&r, 3, 5, 0, 4, 25, 0);
    arrived(&r, 1, 5, 0, 3, 30, 0);
    EXPECT_TIMES(&r, named, 0, 30);
    arrived(&r, 2, 7, 0, 1, 40, 0);
    EXPECT_TIMES(&r, any_tag, 0, 40);
    run_tasks(&r, 100);
    EXPECT_TIMES(&r, late, 100, 100);
    assert_int_equal(r.x.records[late].source, 3);
    assert_int_equal(r.x.n_misfits, 0);
    tear_down(&r);
}

/* Messages that arrive at one instant: the lowest source first, whichever event came first. */
static void
test_wildcards_of_one_instant(void **state)
{
    for (int swap = 0; swap < 2; swap++) {
        struct rig r;
        (void)state;
        set_up(&r);
        add_recv(&r.g, 0, GRAPH_ANY, 1, 5);
        begin(&r, 0);
        for (uint32_t i = 0; i < 2; i++) {
            struct executor_message m = { 1, 5, 0, 2 + (swap ^ i), 0, 0 };
            executor_arrived(&r.x, &m, 50);
        }
        run_tasks(&r, 50);
        assert_int_equal(r.x.records[0].source, 2);
        tear_down(&r);
    }
}

/* The size of the message counts, and the first receive of another size is kept. */
static void
test_sizes(void **state)
{
    struct rig r;

    (void)state;
    set_up(&r);
    add_recv(&r.g, 0, 1, GRAPH_UNKNOWN_BYTES, 0);
    uint32_t v = add_recv(&r.g, 0, 1, 10, 1);
    add_recv(&r.g, 0, 1, 10, 2);
    begin(&r, 0);
    arrived(&r, 1, 0, 0, 1000, 1, 0);
    assert_int_equal(r.x.n_misfits, 0);
    arrived(&r, 1, 1, 0, 0, 2, 0);
    arrived(&r, 1, 2, 0, 11, 3, 0);
    assert_int_equal(r.x.n_misfits, 2);
    assert_int_equal(r.x.misfit_task, v);
    assert_int_equal(r.x.misfit_bytes, 0);
    assert_true(executor_is_done(&r.x));
    tear_down(&r);
}

/* Only tasks that ask for it are reported. */
static void
test_reports(void **state)
{
    struct rig r;

    (void)state;
    set_up(&r);
    add_delay(&r.g, 0, 10);
    uint32_t v = graph_add(
        &r.g, 0,
        (struct graph_task){ .kind = GRAPH_RECV, .peer = 1, .amount = 3, .flags = GRAPH_REPORT });
    begin(&r, 0);
    arrived(&r, 1, 0, 0, 3, 8, 0);
    run_tasks(&r, 10);
    assert_int_equal(r.out.n_ends, 1);
    assert_int_equal(r.out.ends[0].task, v);
    assert_int_equal(r.out.ends[0].start_ps, 0);
    assert_int_equal(r.out.ends[0].end_ps, 8);
    tear_down(&r);
}

/* For hosts that queue messages without memory of their own. */
static void
test_links(void **state)
{
    struct rig r;

    (void)state;
    set_up(&r);
    add_send(&r.g, 0, 1, 10, 5);
    uint32_t b = graph_add(
        &r.g, 0,
        (struct graph_task){ .kind = GRAPH_SEND, .peer = 1, .amount = 20, .tag = 5, .nic = 7 });
    begin(&r, 0);
    struct executor_send a = r.out.sends[1], again = executor_send_of(&r.x, b);
    assert_int_equal(a.token, b);
    assert_int_equal(again.order, 1);
    assert_int_equal(again.bytes, 20);
    assert_int_equal(again.nic, 7);
    assert_int_equal(again.to, 1);
    *executor_link(&r.x, r.out.sends[0].token) = b;
    assert_int_equal(*executor_link(&r.x, r.out.sends[0].token), b);
    sent(&r, b, 5);
    sent(&r, 0, 6);
    assert_true(executor_is_done(&r.x));
    tear_down(&r);
}

/* Each part of the time accounting once.
 *
 *     0     100   120   150   200   230     300
 *     calc  delay  recv.........    send    (end)
 *                 message sent at 170 */
static void
test_times(void **state)
{
    struct rig r;

    (void)state;
    set_up(&r);
    uint32_t calc = add_calc(&r.g, 0, 100, 0), delay = add_delay(&r.g, 0, 20);
    uint32_t v = add_recv(&r.g, 0, 1, 8, 0), s = add_send(&r.g, 0, 1, 8, 0);
    require(&r.g, 0, delay, calc);
    require(&r.g, 0, v, delay);
    require(&r.g, 0, s, v);
    begin(&r, 1000);
    run_tasks(&r, 1100);
    run_tasks(&r, 1120);
    arrived(&r, 2, 9, 0, 8, 1150, 1120); /* No started receive expects it: it ends no wait. */
    arrived(&r, 1, 0, 0, 8, 1200, 1170);
    sent(&r, s, 1300);
    assert_true(executor_is_done(&r.x));
    assert_int_equal(r.x.times.computing_ps, 100);
    assert_int_equal(r.x.times.delayed_ps, 20);
    assert_int_equal(r.x.times.peer_ps, 50);
    assert_int_equal(r.x.times.network_ps, 30 + 100);
    assert_int_equal(r.x.end_ps, 1300);
    tear_down(&r);
}

/* Messages that end one wait: the one sent first counts, whichever event came first. */
static void
test_times_of_one_instant(void **state)
{
    for (int swap = 0; swap < 2; swap++) {
        struct rig r;
        (void)state;
        set_up(&r);
        add_recv(&r.g, 0, 1, 8, 0);
        add_recv(&r.g, 0, 2, 8, 0);
        begin(&r, 0);
        for (uint32_t i = 0; i < 2; i++) {
            uint32_t source = 1 + (swap ^ i);
            struct executor_message m = { 8, 0, 10 * source, source, 0, 0 };
            executor_arrived(&r.x, &m, 50);
        }
        run_tasks(&r, 50);
        assert_int_equal(r.x.times.peer_ps, 10);
        assert_int_equal(r.x.times.network_ps, 40);
        tear_down(&r);
    }
}

static void
test_stuck(void **state)
{
    struct rig r;
    struct executor_stuck s = { 0 };
    char text[EXECUTOR_TEXT_BYTES];

    (void)state;
    set_up(&r);
    uint32_t calc = add_calc(&r.g, 0, 2000, 0);
    add_recv(&r.g, 0, 2, 80, 5);
    add_send(&r.g, 0, 3, 80, 5);
    add_calc(&r.g, 0, 1000, 0);
    require(&r.g, 0, add_delay(&r.g, 0, 0), calc);
    begin(&r, 0);
    static const char *const said[] = {
        "rank 0: task 0 (calc of 2 ns) is not over",
        "rank 0: task 1 (recv of 80 B from rank 2, tag 5) waits for a message of rank 2",
        "rank 0: task 2 (send of 80 B to rank 3, tag 5) waits until its message to rank 3 has left",
        "rank 0: task 3 (calc of 1 ns) waits for its cpu",
        "rank 0: task 4 (delay of 0 ns) waits for 1 other task of its rank",
    };
    for (size_t i = 0; i < N_OF(said); i++) {
        assert_true(executor_next_stuck(&r.x, &s));
        assert_string_equal(executor_stuck_text(&r.x, &s, text), said[i]);
    }
    assert_false(executor_next_stuck(&r.x, &s));
    tear_down(&r);
}

/* Many started receives and early messages, to and from many ranks and with many tags: lists and
 * counters grow, and nothing is lost. */
static void
test_many(void **state)
{
    enum { N = 20000 };
    struct rig r;

    (void)state;
    set_up(&r);
    for (uint32_t i = 0; i < N; i++) {
        add_recv(&r.g, 0, 1 + i % 3, i, i / 3 % (N / 6));
    }
    uint32_t gate = add_delay(&r.g, 0, 100);
    for (uint32_t i = N / 2; i < N; i++) {
        require(&r.g, 0, i, gate);
    }
    begin(&r, 0);
    for (uint32_t i = 0; i < N; i++) {
        uint32_t k = (uint32_t)(i * UINT64_C(7919) % N);
        struct executor_message m = { k, k / 3 % (N / 6), 0, 1 + k % 3, k / 3 / (N / 6), k };
        executor_arrived(&r.x, &m, 10);
    }
    run_tasks(&r, 10);
    run_tasks(&r, 100);
    assert_true(executor_is_done(&r.x));
    for (uint32_t i = 0; i < N; i++) {
        assert_int_equal(r.x.records[i].source_task, i);
    }
    assert_int_equal(r.x.n_misfits, 0);
    tear_down(&r);
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_empty),
        cmocka_unit_test(test_lowest_first),
        cmocka_unit_test(test_requires),
        cmocka_unit_test(test_irequires),
        cmocka_unit_test(test_cpus),
        cmocka_unit_test(test_taken_cpu),
        cmocka_unit_test(test_taken_cpu_by_collectives),
        cmocka_unit_test(test_events_of_one_instant),
        cmocka_unit_test(test_causes_of_one_instant),
        cmocka_unit_test(test_no_cpu),
        cmocka_unit_test(test_to_oneself),
        cmocka_unit_test(test_order),
        cmocka_unit_test(test_counting),
        cmocka_unit_test(test_early),
        cmocka_unit_test(test_wildcards),
        cmocka_unit_test(test_wildcards_of_one_instant),
        cmocka_unit_test(test_sizes),
        cmocka_unit_test(test_reports),
        cmocka_unit_test(test_links),
        cmocka_unit_test(test_times),
        cmocka_unit_test(test_times_of_one_instant),
        cmocka_unit_test(test_stuck),
        cmocka_unit_test(test_many),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
