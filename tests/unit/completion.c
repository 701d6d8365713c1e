/* Flow completion times of flows whose results are known. */

#include "answer/completion.h"

#include <stdio.h>
#include <stdlib.h>

#include "unit.h"

static void
add(struct completion *c, uint64_t bytes, uint32_t workload, double slowdown)
{
    completion_add(
        c,
        &(struct completion_flow){ .id = c->n,
                                   .bytes = bytes,
                                   .workload = workload & INT32_MAX,
                                   .has_ended = slowdown > 0,
                                   .taken_ps = (weir_ps)((slowdown > 0 ? slowdown : 7) * US),
                                   .ideal_ps = US },
        (struct completion_sent){ .bytes = bytes, .retransmitted_bytes = slowdown > 3 ? 100 : 0 });
}

static void
what_flows_have_sent_is_kept(void **state)
{
    const struct completion_sent sent[] = { { 0, 0 },      { 900, 0 }, { 1000, 0 }, { 5, 5 },
                                            { 1000, 100 }, { 0, 0 },   { 0, 70 },   { 1070, 70 } };
    struct completion c = { 0 };
    struct workload_facts g;

    (void)state;
    for (uint64_t i = 0; i < sizeof sent / sizeof *sent; i++) {
        completion_add(&c, &(struct completion_flow){ .id = i, .bytes = 1000 }, sent[i]);
    }
    for (size_t i = 0; i < sizeof sent / sizeof *sent; i++) {
        struct completion_sent is = completion_sent_of(&c, &c.flows[i]);
        assert_int_equal(is.bytes, sent[i].bytes);
        assert_int_equal(is.retransmitted_bytes, sent[i].retransmitted_bytes);
    }
    completion_of(&c, COMPLETION_ALL, &g);
    assert_int_equal(g.sent_bytes, 3975);
    assert_int_equal(g.retransmitted_bytes, 245);
    completion_free(&c);
}

static void
all_have_ended(void **state)
{
    struct completion c = { 0 };
    struct workload_facts g;

    (void)state;
    for (int i = 100; i > 0; i--) {
        add(&c, 1000, 0, i);
    }
    completion_of(&c, COMPLETION_ALL, &g);
    assert_int_equal(g.n_flows, 100);
    assert_int_equal(g.n_finished, 100);
    assert_int_equal(g.n_unfinished, 0);
    assert_true(g.slowdown_mean == 50.5 && g.slowdown_p50 == 50 && g.slowdown_p95 == 95);
    assert_true(g.slowdown_p99 == 99 && g.slowdown_max == 100);
    assert_true(g.fct_mean_ps == 50.5 * US && g.fct_p50_ps == 50. * US);
    assert_true(g.fct_p95_ps == 95. * US && g.fct_max_ps == 100. * US);
    assert_true(g.fct_max_at_least_ps == 100. * US);
    assert_int_equal(g.sent_bytes, 100000);
    assert_int_equal(g.retransmitted_bytes, 9700);
    completion_free(&c);
}

/* Four of a hundred flows have not ended: the 95th percentile is known; the 99th and the maximum
 * are unknown. */
static void
some_have_not(void **state)
{
    struct completion c = { 0 };
    struct workload_facts g;
    struct completion_spread ended;

    (void)state;
    for (int i = 0; i < 100; i++) {
        add(&c, 1000, 0, i % 25 ? 2 : 0);
    }
    completion_of(&c, COMPLETION_ALL, &g);
    assert_int_equal(g.n_finished, 96);
    assert_int_equal(g.n_unfinished, 4);
    assert_true(g.slowdown_mean == 2 && g.slowdown_p50 == 2 && g.slowdown_p95 == 2);
    assert_true(g.slowdown_p99 < 0 && g.slowdown_max < 0 && g.fct_max_ps < 0);
    assert_true(g.fct_max_at_least_ps == 7. * US);
    completion_of_ended(&c, &ended);
    assert_true(ended.p99 == 2 && ended.most == 2);
    completion_free(&c);
}

/* A mean is rounded to whole picoseconds once, not by each command that shows it. */
static void
mean_times_are_whole(void **state)
{
    struct completion c = { 0 };
    struct workload_facts g;

    (void)state;
    for (weir_ps ps = US; ps < US + 2; ps++) {
        add(&c, 1000, 0, 1);
        c.flows[c.n - 1].taken_ps = ps;
    }
    completion_of(&c, COMPLETION_ALL, &g);
    assert_true(g.fct_mean_ps == US + 1.);
    completion_free(&c);
}

static void
nobody_is_nothing(void **state)
{
    struct completion c = { 0 };
    struct workload_facts g;
    struct completion_bins bins;
    const struct completion_flow *worst[COMPLETION_MAX_WORST];
    double cdf[COMPLETION_CDF_POINTS + 1];

    (void)state;
    completion_of(&c, COMPLETION_ALL, &g);
    assert_int_equal(g.n_flows, 0);
    assert_true(g.fct_mean_ps < 0 && g.slowdown_p50 < 0 && g.fct_max_at_least_ps < 0);
    completion_by_size(&c, NULL, 0, &bins);
    assert_int_equal(bins.n, 0);
    assert_int_equal(completion_worst(&c, worst), 0);
    assert_false(completion_cdf(&c, cdf));
}

static void
workloads_are_told_apart(void **state)
{
    struct completion c = { 0 };
    struct workload_facts g;

    (void)state;
    add(&c, 10, 1, 1);
    add(&c, 20, 2, 4);
    add(&c, 30, 1, 3);
    add(&c, 40, 0, 9);
    completion_of(&c, 1, &g);
    assert_int_equal(g.n_flows, 2);
    assert_int_equal(g.sent_bytes, 40);
    assert_true(g.slowdown_mean == 2 && g.slowdown_max == 3);
    completion_of(&c, COMPLETION_ALL, &g);
    assert_int_equal(g.n_flows, 4);
    completion_free(&c);
}

/* A thousand flows of different sizes: twenty bins of fifty flows. */
static void
bins_are_twentieths(void **state)
{
    struct completion c = { 0 };
    struct completion_bins bins;

    (void)state;
    for (uint64_t i = 0; i < 1000; i++) {
        add(&c, 1 + i * 7 % 1000, 0, 2);
    }
    completion_by_size(&c, NULL, 0, &bins);
    assert_int_equal(bins.n, 20);
    for (size_t i = 0; i < bins.n; i++) {
        assert_int_equal(bins.items[i].from_bytes, 50 * i + 1);
        assert_int_equal(bins.items[i].to_bytes, 50 * i + 50);
        assert_int_equal(bins.items[i].of.n_flows, 50);
    }
    completion_free(&c);
}

/* A tenth of all flows are an incast: they have one size and are slow.  The bins of other sizes do
 * not change. */
static void
a_common_size_has_its_own_bin(void **state)
{
    struct completion c = { 0 };
    struct completion_bins bins;
    size_t n_own = 0;
    uint64_t n = 0;

    (void)state;
    for (uint64_t i = 0; i < 900; i++) {
        add(&c, 1 + i, 0, 2);
    }
    for (uint64_t i = 0; i < 100; i++) {
        add(&c, 500, 0, 50);
    }
    completion_by_size(&c, NULL, 0, &bins);
    for (size_t i = 0; i < bins.n; i++) {
        const struct completion_bin *bin = &bins.items[i];
        bool is_own = bin->from_bytes == 500 && bin->to_bytes == 500;
        n += bin->of.n_flows;
        n_own += is_own;
        assert_true(is_own ? bin->of.n_flows == 101 && bin->of.slowdown_p50 == 50
                           : bin->of.slowdown_max == 2);
        assert_true(is_own || (bin->of.n_flows >= 40 && bin->of.n_flows <= 60));
    }
    assert_int_equal(n_own, 1);
    assert_int_equal(n, 1000);
    completion_free(&c);
}

/* With one flow less than a tenth, this size shares a bin with neighbouring sizes. */
static void
a_rarer_size_has_not(void **state)
{
    struct completion c = { 0 };
    struct completion_bins bins;

    (void)state;
    for (uint64_t i = 0; i < 901; i++) {
        add(&c, 1 + i, 0, 2);
    }
    for (uint64_t i = 0; i < 98; i++) {
        add(&c, 480, 0, 50);
    }
    completion_by_size(&c, NULL, 0, &bins);
    for (size_t i = 0; i < bins.n; i++) {
        assert_true(bins.items[i].from_bytes < bins.items[i].to_bytes);
    }
    completion_free(&c);
}

/* For any sizes: each flow is in one bin, bins are in order, and there are no more bins than the
 * array can hold. */
static void
bins_hold_all(void **state)
{
    uint64_t random = 4711;

    (void)state;
    for (int run = 0; run < 300; run++) {
        struct completion c = { 0 };
        struct completion_bins bins;
        uint64_t n = 1 + below(&random, 400), n_sizes = 1 + below(&random, 60), n_in = 0;
        for (uint64_t i = 0; i < n; i++) {
            add(&c, 1 + below(&random, 1 + below(&random, n_sizes)), 0, 1);
        }
        completion_by_size(&c, NULL, 0, &bins);
        assert_true(bins.n <= 21);
        for (size_t i = 0; i < bins.n; i++) {
            n_in += bins.items[i].of.n_flows;
            assert_true(bins.items[i].of.n_flows > 0);
            assert_true(bins.items[i].from_bytes <= bins.items[i].to_bytes);
            assert_true(!i || bins.items[i].from_bytes > bins.items[i - 1].to_bytes);
        }
        assert_int_equal(n_in, n);
        completion_free(&c);
    }
}

static void
edges_can_be_given(void **state)
{
    const uint64_t edges[] = { 10 * KB, 100 * KB };
    struct completion c = { 0 };
    struct completion_bins bins;

    (void)state;
    add(&c, 9999, 0, 1);
    add(&c, 10 * KB, 0, 2);
    add(&c, 20 * KB, 0, 4);
    completion_by_size(&c, edges, 2, &bins);
    assert_true(bins.are_given);
    assert_int_equal(bins.n, 3);
    assert_int_equal(bins.items[0].of.n_flows, 1);
    assert_int_equal(bins.items[1].of.n_flows, 2);
    assert_true(bins.items[1].of.slowdown_mean == 3);
    assert_int_equal(bins.items[2].of.n_flows, 0);
    assert_int_equal(bins.items[2].from_bytes, 100 * KB);
    completion_free(&c);
}

static void
the_worst_come_first(void **state)
{
    struct completion c = { 0 };
    const struct completion_flow *worst[COMPLETION_MAX_WORST];

    (void)state;
    for (int i = 0; i < 30; i++) {
        add(&c, 1000, 0, i == 20 ? 0 : 1 + i * 7 % 30 / 4);
    }
    assert_int_equal(completion_worst(&c, worst), COMPLETION_MAX_WORST);
    for (size_t i = 1; i < COMPLETION_MAX_WORST; i++) {
        double before = completion_slowdown(worst[i - 1]), now = completion_slowdown(worst[i]);
        assert_true(before > now || (before == now && worst[i - 1]->id < worst[i]->id));
    }
    assert_true(completion_slowdown(worst[0]) == 8);
    assert_int_equal(worst[0]->id, 4);
    assert_int_equal(worst[1]->id, 17);
    /* Flow 20 has not ended and has taken as long as flow 8 so far; of equal ones the lower ID is
     * first. */
    assert_int_equal(worst[2]->id, 8);
    completion_free(&c);
}

/* The ten worst of many flows: no flow outside the list is worse than the tenth. */
static void
none_worse_is_left_out(void **state)
{
    uint64_t random = 1;

    (void)state;
    for (int run = 0; run < 100; run++) {
        struct completion c = { 0 };
        const struct completion_flow *worst[COMPLETION_MAX_WORST];
        size_t n = 10 + below(&random, 30), n_worse = 0;
        for (size_t i = 0; i < n; i++) {
            add(&c, 1000, 0, 1 + (double)below(&random, 20));
        }
        assert_int_equal(completion_worst(&c, worst), COMPLETION_MAX_WORST);
        for (size_t i = 0; i < n; i++) {
            n_worse += completion_slowdown(&c.flows[i]) > completion_slowdown(worst[9]);
        }
        assert_true(n_worse < COMPLETION_MAX_WORST);
        for (size_t i = 0; i < n_worse; i++) {
            assert_true(completion_slowdown(worst[i]) > completion_slowdown(worst[9]));
        }
        completion_free(&c);
    }
}

static void
shares_grow(void **state)
{
    struct completion c = { 0 };
    double cdf[COMPLETION_CDF_POINTS + 1];

    (void)state;
    for (int i = 100; i > 0; i--) {
        add(&c, 1000, 0, i);
    }
    add(&c, 1000, 0, 0);
    assert_true(completion_cdf(&c, cdf));
    assert_true(cdf[0] == 1 && cdf[COMPLETION_CDF_POINTS / 2] == 50);
    assert_true(cdf[COMPLETION_CDF_POINTS] == 100);
    completion_free(&c);
}

/* Fills a column with a computed text, or with one of two kinds of text. */
static void
get_either(const void *row, const struct column *c, struct cell *cell)
{
    (void)row;
    if (c->nth) {
        weir_text_add(cell_made(cell), "made ");
        weir_text_add(cell_made(cell), "%u", (uint64_t)c->nth);
    }
}

/* One table of columns for JSON and CSV; an unknown value is null or empty, and a column without a
 * name is not shown to programs. */
static void
columns_are_written(void **state)
{
    struct row {
        uint64_t n, bytes, mm, yes;
        double time_ps, ratio;
        const char *text;
    } row = { 3, COLUMN_NO_COUNT, 2500, 1, 1.5e12, -1, "a \"b\", c" };
    const struct column columns[] = {
        { "n", COLUMN_COUNT, .offset = offsetof(struct row, n) },
        { "size_bytes", COLUMN_BYTES, .offset = offsetof(struct row, bytes) },
        { "time_ps", COLUMN_REAL_TIME, .offset = offsetof(struct row, time_ps) },
        { "ratio", COLUMN_RATIO, .offset = offsetof(struct row, ratio) },
        { "text", COLUMN_TEXT, .offset = offsetof(struct row, text) },
        { .kind = COLUMN_COUNT, .head = "for people" },
        { "cable_m", COLUMN_LENGTH, .offset = offsetof(struct row, mm) },
        { "fits", COLUMN_YES, .offset = offsetof(struct row, yes) },
        { "made", COLUMN_TEXT, .get = get_either, .nth = 7 },
        { "none", COLUMN_TEXT, .get = get_either },
    };
    const size_t n = sizeof columns / sizeof *columns;
    char *text = NULL;
    size_t len;
    FILE *out = open_memstream(&text, &len);
    struct json j = { .out = out };

    (void)state;
    columns_write_names(out, columns, n);
    fputc('\n', out);
    columns_write_cells(out, columns, n, &row);
    fputc('\n', out);
    json_open(&j, NULL, '{');
    columns_write_json(&j, columns, n, &row);
    json_close(&j, '}');
    fclose(out);
    assert_string_equal(text, "n,size_bytes,time_ps,ratio,text,cable_m,fits,made,none\n"
                              "3,,1500000000000,,\"a \"\"b\"\", c\",2.500,yes,made 7,\n"
                              "{\"n\": 3, \"size_bytes\": null, \"time_ps\": 1500000000000, "
                              "\"ratio\": null, \"text\": \"a \\\"b\\\", c\", "
                              "\"cable_m\": 2.500, \"fits\": true, \"made\": \"made 7\", "
                              "\"none\": null}");
    free(text);
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_flows_have_sent_is_kept),
        cmocka_unit_test(all_have_ended),
        cmocka_unit_test(some_have_not),
        cmocka_unit_test(mean_times_are_whole),
        cmocka_unit_test(nobody_is_nothing),
        cmocka_unit_test(workloads_are_told_apart),
        cmocka_unit_test(bins_are_twentieths),
        cmocka_unit_test(a_common_size_has_its_own_bin),
        cmocka_unit_test(a_rarer_size_has_not),
        cmocka_unit_test(bins_hold_all),
        cmocka_unit_test(edges_can_be_given),
        cmocka_unit_test(the_worst_come_first),
        cmocka_unit_test(none_worse_is_left_out),
        cmocka_unit_test(shares_grow),
        cmocka_unit_test(columns_are_written),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
