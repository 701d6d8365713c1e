/* FAFC's pause times, compared with examples by hand, closed forms, and a version that sorts the
 * bids. */

#include <stdlib.h>

#include "fafc-bids.h"

enum { ALL = WEIR_RATIO_1, HALF = WEIR_RATIO_1 / 2, N_PORTS = 4, N_INSTANCES = 10000 };

/* Examples by hand: bids of ports 0, 1, ... up to the first empty one. */

static const struct by_hand {
    const char *what;
    enum fafc_allocation how;
    uint64_t need;
    struct {
        uint64_t rate, cost, queue;
    } bids[N_PORTS];
    uint32_t shares[N_PORTS];
} cases[] = {
    { "the cheapest first",
      FAFC_BEST,
      150,
      { { 100, 30, 0 }, { 100, 10, 0 }, { 100, 20, 0 } },
      { 0, ALL, HALF } },
    { "by cost for what it brings, not by cost",
      FAFC_BEST,
      100,
      { { 10, 10, 0 }, { 100, 50, 0 } },
      { 0, ALL } },
    { "what costs nothing comes first",
      FAFC_BEST,
      100,
      { { 1000, 1, 0 }, { 100, 0, 0 } },
      { 0, ALL } },
    { "equal ones: the peak queue",
      FAFC_BEST,
      150,
      { { 100, 10, 5 }, { 50, 5, 7 }, { 100, 10, 6 } },
      { 0, ALL, ALL } },
    { "equal ones that cost nothing: the peak queue",
      FAFC_BEST,
      15,
      { { 10, 0, 1 }, { 20, 0, 2 }, { 30, 0, 3 } },
      { 0, 0, HALF } },
    { "equal queues: the lowest port",
      FAFC_BEST,
      150,
      { { 100, 10, 5 }, { 100, 10, 5 }, { 100, 10, 5 } },
      { ALL, HALF, 0 } },
    { "no pause for an input that sends nothing there",
      FAFC_BEST,
      1000,
      { { 0, 0, 9 }, { 10, 10, 0 }, { 0, 5, 9 }, { 20, 0, 0 } },
      { 0, ALL, 0, ALL } },
    { "nothing is needed", FAFC_BEST, 0, { { 100, 10, 0 }, { 100, 0, 0 } }, { 0, 0 } },
    { "just what all can do", FAFC_BEST, 300, { { 100, 10, 0 }, { 200, 0, 0 } }, { ALL, ALL } },
    { "more than all can do", FAFC_BEST, 301, { { 100, 10, 0 }, { 200, 0, 0 } }, { ALL, ALL } },
    { "a share that has no end is rounded up", FAFC_BEST, 1, { { 3, 0, 0 } }, { 21846 } },
    { "the largest numbers",
      FAFC_BEST,
      FAFC_MAX_RATE,
      { { FAFC_MAX_RATE, FAFC_MAX_COST, 0 }, { FAFC_MAX_RATE, FAFC_MAX_COST - 1, 0 } },
      { 0, ALL } },
    { "all alike",
      FAFC_UNIFORM,
      150,
      { { 100, 30, 0 }, { 100, 10, 5 }, { 0, 1, 1 }, { 100, 0, 0 } },
      { HALF, HALF, 0, HALF } },
    { "all alike, rounded up", FAFC_UNIFORM, 1, { { 1, 0, 0 }, { 2, 0, 0 } }, { 21846, 21846 } },
    { "all alike, and it is not enough",
      FAFC_UNIFORM,
      4,
      { { 1, 0, 0 }, { 2, 0, 0 } },
      { ALL, ALL } },
    { "the most expensive first",
      FAFC_REVERSED,
      150,
      { { 100, 30, 0 }, { 100, 10, 0 }, { 100, 20, 0 } },
      { ALL, 0, HALF } },
    { "the most expensive first, of equal ones the peak queue",
      FAFC_REVERSED,
      20,
      { { 10, 0, 9 }, { 20, 10, 1 }, { 40, 20, 2 } },
      { 0, 0, HALF } },
};

static void
as_worked_out_by_hand(void **state)
{
    (void)state;
    for (size_t k = 0; k < N_OF(cases); k++) {
        const struct by_hand *c = &cases[k];
        struct fafc_bid bids[N_PORTS];
        for (uint32_t i = 0; i < N_PORTS; i++) {
            bids[i] = (struct fafc_bid){ .rate = c->bids[i].rate,
                                         .cost = c->bids[i].cost,
                                         .queue = c->bids[i].queue,
                                         .port = i,
                                         .share = 1 };
        }
        weir_fafc_allocate(bids, N_PORTS, c->need, c->how);
        for (uint32_t i = 0; i < N_PORTS; i++) {
            if (bids[i].share != c->shares[bids[i].port]) {
                fail_msg("%s: port %u gets %u, not %u", c->what, bids[i].port, bids[i].share,
                         c->shares[bids[i].port]);
            }
        }
    }
}

/* A version that sorts the bids and gives shares in this order. */

static int
by_cost(const struct fafc_bid *a, const struct fafc_bid *b)
{
    uint64_t x = a->cost * b->rate, y = b->cost * a->rate;
    return (x > y) - (x < y);
}

static int
by_queue_and_port(const struct fafc_bid *a, const struct fafc_bid *b)
{
    return a->queue != b->queue ? (a->queue < b->queue ? 1 : -1) : by_port(a, b);
}

static int
cheapest_first(const void *a, const void *b)
{
    int order = by_cost(a, b);
    return order ? order : by_queue_and_port(a, b);
}

static int
dearest_first(const void *a, const void *b)
{
    int order = by_cost(b, a);
    return order ? order : by_queue_and_port(a, b);
}

static void
give_in_order(struct instance *in, int (*order)(const void *, const void *))
{
    uint64_t need = in->need;
    uint32_t n = 0;

    for (uint32_t i = 0; i < in->n; i++) {
        in->bids[i].share = 0;
        if (in->bids[i].rate) {
            struct fafc_bid t = in->bids[n];
            in->bids[n++] = in->bids[i];
            in->bids[i] = t;
        }
    }
    qsort(in->bids, n, sizeof *in->bids, order);
    for (uint32_t i = 0; i < n; i++) {
        uint64_t rate = in->bids[i].rate, kept = rate < need ? rate : need;
        in->bids[i].share = (uint32_t)((kept * WEIR_RATIO_1 + rate - 1) / rate);
        need -= kept;
    }
}

static void
assert_same_shares(struct instance *a, struct instance *b, int round)
{
    qsort(a->bids, a->n, sizeof *a->bids, by_port);
    qsort(b->bids, b->n, sizeof *b->bids, by_port);
    for (uint32_t i = 0; i < a->n; i++) {
        if (a->bids[i].share != b->bids[i].share) {
            fail_msg("instance %d: port %u gets %u, not %u", round, i, a->bids[i].share,
                     b->bids[i].share);
        }
    }
}

static void
as_by_sorting(void **state)
{
    static const struct {
        enum fafc_allocation how;
        int (*order)(const void *, const void *);
    } orders[] = { { FAFC_BEST, cheapest_first }, { FAFC_REVERSED, dearest_first } };
    uint64_t random = 1;

    (void)state;
    for (int round = 0; round < N_INSTANCES; round++) {
        struct instance in = draw_instance(&random);
        for (size_t k = 0; k < N_OF(orders); k++) {
            struct instance selected = in, sorted = in;
            weir_fafc_allocate(selected.bids, in.n, in.need, orders[k].how);
            give_in_order(&sorted, orders[k].order);
            assert_same_shares(&selected, &sorted, round);
        }
    }
}

/* The uniform allocation gives each input the share need / total, rounded up. */
static void
uniform_by_its_closed_form(void **state)
{
    uint64_t random = 2;

    (void)state;
    for (int round = 0; round < N_INSTANCES; round++) {
        struct instance in = draw_instance(&random);
        uint64_t need = in.need < in.total ? in.need : in.total;
        weir_fafc_allocate(in.bids, in.n, in.need, FAFC_UNIFORM);
        for (uint32_t i = 0; i < in.n; i++) {
            uint64_t share = in.bids[i].rate ? weir_mul_div_up(need, ALL, in.total) : 0;
            assert_int_equal(in.bids[i].share, share);
        }
    }
}

/* The shares do not depend on the order of the bids. */
static void
the_same_in_any_order(void **state)
{
    uint64_t random = 3;

    (void)state;
    for (int round = 0; round < N_INSTANCES / 10; round++) {
        struct instance in = draw_instance(&random), other = in;
        for (uint32_t i = other.n; i > 1; i--) {
            uint64_t k = below(&random, i);
            struct fafc_bid t = other.bids[k];
            other.bids[k] = other.bids[i - 1];
            other.bids[i - 1] = t;
        }
        weir_fafc_allocate(in.bids, in.n, in.need, FAFC_BEST);
        weir_fafc_allocate(other.bids, other.n, other.need, FAFC_BEST);
        assert_same_shares(&in, &other, round);
    }
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(as_worked_out_by_hand),
        cmocka_unit_test(as_by_sorting),
        cmocka_unit_test(uniform_by_its_closed_form),
        cmocka_unit_test(the_same_in_any_order),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
