/* Patterns of flows: senders, receivers, numbers of bytes and times. */

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../unit/unit.h"
#include "moments.h"
#include "workload/chance.h"
#include "workload/pattern.h"

struct net {
    struct topo topo;
    uint32_t hosts[128];
    struct wl_sizes sizes;
};

static void
build(struct net *net, uint64_t k)
{
    struct topo_build b = { .k = k, .link = { .rate_bps = 10 * GBPS, .delay_ps = US } };
    struct err err;
    size_t line;

    *net = (struct net){ 0 };
    topo_build_fat_tree(&net->topo, &b);
    assert_true(topo_finish(&net->topo, &err));
    topo_route(&net->topo);
    for (uint32_t i = 0; i < net->topo.n_nics; i++) {
        net->hosts[i] = net->topo.n_switches + i;
    }
    assert_true(wl_sizes_parse(&net->sizes, "0 0\n1000 50\n100000 100\n", &line, &err));
}

static void
tear(struct net *net)
{
    topo_free(&net->topo);
    wl_sizes_free(&net->sizes);
}

static struct wl_spec
spec_on(const struct net *net)
{
    return (struct wl_spec){ .topo = &net->topo,
                             .to = TOPO_NONE,
                             .hosts = net->hosts,
                             .n_hosts = net->topo.n_nics,
                             .sizes = &net->sizes,
                             .start_ps = 100 * US,
                             .end_ps = 20100 * US,
                             .max_flows = WL_MAX_FLOWS,
                             .seed = 1 };
}

/* Parameters of a pattern, as in "poisson to=other-rack".  By default, flows have 10 KB, the load
 * of hosts is a half, and an incast has five senders. */
struct told {
    const struct wl_pattern *pattern;
    uint64_t params[WL_PARAMS_MAX / sizeof(uint64_t)];
};

static void
set_word(struct told *told, const char *key, const char *value)
{
    const struct weir_field *f = weir_field_find(told->pattern->about.params, key);
    struct weir_text why = { 0 };
    uint64_t v;

    assert_true(!f || weir_field_parse(f, value, &v, &why));
    if (f) {
        weir_field_set(f, told->params, v);
    }
}

static struct told
parse(const char *text)
{
    char room[100], *state, *word;
    struct told told = { 0 };

    snprintf(room, sizeof room, "%s", text);
    told.pattern = wl_pattern_find(strtok_r(room, " ", &state));
    assert_non_null(told.pattern);
    weir_fields_default(told.pattern->about.params, told.params);
    set_word(&told, "bytes", "10000B");
    set_word(&told, "load", strstr(text, "per_second") ? "auto" : "0.5");
    set_word(&told, "senders", "5");
    set_word(&told, "sources", "5");
    set_word(&told, "to", "any");
    while ((word = strtok_r(NULL, " ", &state))) {
        char *equals = strchr(word, '=');
        *equals = '\0';
        assert_non_null(weir_field_find(told.pattern->about.params, word));
        set_word(&told, word, equals + 1);
    }
    return told;
}

static bool
draw(const char *text, const struct wl_spec *spec, struct wl_flows *flows, struct err *err)
{
    struct told told = parse(text);
    struct wl_spec with = *spec;

    with.params = told.params;
    return told.pattern->draw(&with, flows, err);
}

static struct wl_flows
drawn(const char *pattern, const struct wl_spec *spec)
{
    struct wl_flows flows = { 0 };
    struct err err;

    if (!draw(pattern, spec, &flows, &err)) {
        fail_msg("%s", err.text);
    }
    for (size_t i = 0; i < flows.n; i++) {
        assert_true(flows.items[i].from != flows.items[i].to && flows.items[i].bytes);
    }
    return flows;
}

static uint32_t
rack(const struct net *net, uint32_t host)
{
    return net->topo.nodes[host].leaf;
}

/* Compares the numbers of flows and bytes with a Poisson process, to five standard deviations. */
static void
test_poisson_load(void **state)
{
    struct net net;
    build(&net, 4);
    struct wl_spec spec = spec_on(&net);
    struct wl_flows flows = drawn("poisson", &spec);
    double capacity = 16 * 10e9 / 8 * 0.02, expected = capacity / 2 / mean_power(&net.sizes, 1);
    double sum = 0;

    (void)state;
    for (size_t i = 0; i < flows.n; i++) {
        const struct wl_flow *f = &flows.items[i];
        sum += (double)f->bytes;
        assert_true(f->start_ps >= spec.start_ps && f->start_ps < spec.end_ps);
        assert_int_equal(f->after, WL_NONE);
    }
    assert_true(fabs((double)flows.n - expected) < 5 * sqrt(expected));
    assert_true(fabs(sum - capacity / 2) < 5 * sqrt(expected * mean_power(&net.sizes, 2)));
    wl_flows_free(&flows);
    tear(&net);
}

/* Checks that counts in cells are even: the sum of their squared deviations stays within five
 * standard deviations of a chi-square distribution. */
static void
check_even(const size_t *counts, size_t n_cells)
{
    double n = 0, expected, sum = 0, freedom = (double)n_cells - 1;

    for (size_t i = 0; i < n_cells; i++) {
        n += (double)counts[i];
    }
    expected = n / (double)n_cells;
    for (size_t i = 0; i < n_cells; i++) {
        sum += pow((double)counts[i] - expected, 2) / expected;
    }
    assert_true(fabs(sum - freedom) < 5 * sqrt(2 * freedom));
}

/* Checks a Poisson process with this number of events per second. Events are spread evenly over
 * time, and a share of exp(-2) of the gaps exceeds twice the mean.  'times' are in order. */
static void
check_process(const struct wl_spec *spec, const weir_ps *times, size_t n, double per_second)
{
    double duration_s = (double)(spec->end_ps - spec->start_ps) / 1e12;
    double expected = duration_s * per_second, long_gaps = 0;
    size_t n_in_tenth[10] = { 0 };

    assert_true(fabs((double)n - expected) < 5 * sqrt(expected));
    for (size_t i = 0; i < n; i++) {
        assert_true(times[i] >= spec->start_ps && times[i] < spec->end_ps);
        n_in_tenth[10 * (times[i] - spec->start_ps) / (spec->end_ps - spec->start_ps)]++;
        long_gaps += i && (double)(times[i] - times[i - 1]) * per_second > 2e12;
    }
    check_even(n_in_tenth, 10);
    assert_true(fabs(long_gaps - expected * exp(-2)) < 5 * sqrt(expected * exp(-2)));
}

static void
check_ends_even(const struct net *net, const struct wl_flows *flows)
{
    size_t n_from[16] = { 0 }, n_to[16] = { 0 }, n_pairs[256] = { 0 }, n_met = 0;

    for (size_t i = 0; i < flows->n; i++) {
        uint32_t from = flows->items[i].from - net->topo.n_switches;
        uint32_t to = flows->items[i].to - net->topo.n_switches;
        n_from[from]++;
        n_to[to]++;
        n_met += !n_pairs[16 * from + to]++;
    }
    check_even(n_from, 16);
    check_even(n_to, 16);
    assert_int_equal(n_met, 16 * 15);
}

/* Half a million flows per second, over all senders together. */
static void
test_poisson_per_second(void **state)
{
    struct net net;
    build(&net, 4);
    struct wl_spec spec = spec_on(&net);
    struct wl_flows flows = drawn("poisson per_second=500000", &spec);
    weir_ps *times = calloc(flows.n, sizeof *times);

    (void)state;
    for (size_t i = 0; i < flows.n; i++) {
        times[i] = flows.items[i].start_ps;
        assert_int_equal(flows.items[i].after, WL_NONE);
    }
    check_process(&spec, times, flows.n, 500000);
    check_ends_even(&net, &flows);
    free(times);
    wl_flows_free(&flows);
    tear(&net);
}

/* Each query has exactly its number of sources, which are different hosts and send at once.
 * Requesting and sending hosts are uniformly distributed. */
static void
test_query(void **state)
{
    struct net net;
    build(&net, 4);
    struct wl_spec spec = spec_on(&net);
    struct wl_flows flows = drawn("query per_second=200000", &spec);
    weir_ps *times = calloc(flows.n, sizeof *times);
    size_t n_from[16] = { 0 }, n_to[16] = { 0 };

    (void)state;
    assert_int_equal(flows.n % 5, 0);
    for (size_t i = 0; i < flows.n; i += 5) {
        uint32_t sources = 1u << (flows.items[i].to - net.topo.n_switches);
        n_to[flows.items[i].to - net.topo.n_switches]++;
        times[i / 5] = flows.items[i].start_ps;
        for (size_t k = i; k < i + 5; k++) {
            assert_int_equal(flows.items[k].to, flows.items[i].to);
            assert_int_equal(flows.items[k].start_ps, times[i / 5]);
            assert_int_equal(flows.items[k].bytes, 10000);
            n_from[flows.items[k].from - net.topo.n_switches]++;
            sources |= 1u << (flows.items[k].from - net.topo.n_switches);
        }
        assert_int_equal(__builtin_popcount(sources), 6);
    }
    check_process(&spec, times, flows.n / 5, 200000);
    check_even(n_from, 16);
    check_even(n_to, 16);
    free(times);
    wl_flows_free(&flows);
    tear(&net);
}

/* By default a query has forty sources, or all other hosts if there are fewer. */
static void
test_query_defaults(void **state)
{
    struct net small, large;
    build(&small, 4);
    build(&large, 8);
    struct wl_spec few = spec_on(&small), many = spec_on(&large);
    struct wl_flows of_few = drawn("query sources=auto per_second=1000", &few);
    struct wl_flows of_many = drawn("query sources=auto per_second=1000", &many);

    (void)state;
    assert_true(of_few.n && of_few.n % 15 == 0);
    assert_true(of_many.n && of_many.n % 40 == 0);
    wl_flows_free(&of_few);
    wl_flows_free(&of_many);
    tear(&small);
    tear(&large);
}

static void
check_spread(const struct wl_flows *flows, const struct net *net, double share)
{
    size_t n_to[64] = { 0 };

    for (size_t i = 0; i < flows->n; i++) {
        n_to[flows->items[i].to - net->topo.n_switches]++;
    }
    for (uint32_t h = 0; h < net->topo.n_nics; h++) {
        double expected = (double)flows->n * share;
        assert_true(fabs((double)n_to[h] - expected) < 5 * sqrt(expected));
    }
}

static void
test_targets(void **state)
{
    struct net net;
    build(&net, 4);
    struct wl_spec spec = spec_on(&net);
    bool met_own_rack = false;
    struct wl_flows any = drawn("poisson", &spec);

    (void)state;
    struct wl_flows other = drawn("poisson to=other-rack", &spec);
    for (size_t i = 0; i < any.n; i++) {
        met_own_rack |= rack(&net, any.items[i].from) == rack(&net, any.items[i].to);
    }
    for (size_t i = 0; i < other.n; i++) {
        assert_true(rack(&net, other.items[i].from) != rack(&net, other.items[i].to));
    }
    assert_true(met_own_rack);
    check_spread(&any, &net, 1.0 / 16);
    check_spread(&other, &net, 1.0 / 16);
    wl_flows_free(&any);
    wl_flows_free(&other);
    tear(&net);
}

/* Each host has a chain of flows: enough for a full link until the end, and not much more. */
static void
test_closed(void **state)
{
    struct net net;
    build(&net, 4);
    struct wl_spec spec = spec_on(&net);
    uint64_t enough = 10 * GBPS / 8 / 50, sum = 0;

    (void)state;
    struct wl_flows flows = drawn("closed to=other-rack", &spec);
    for (size_t i = 0; i < flows.n; i++) {
        const struct wl_flow *f = &flows.items[i];
        bool is_first = !i || f[-1].from != f->from;
        assert_int_equal(f->after, is_first ? WL_NONE : i - 1);
        assert_int_equal(f->start_ps, is_first ? spec.start_ps : 0);
        assert_true(rack(&net, f->from) != rack(&net, f->to));
        sum = is_first ? f->bytes : sum + f->bytes;
        if (i + 1 == flows.n || f[1].from != f->from) {
            assert_true(sum - f->bytes > enough && sum < enough + 3 * 100000);
        }
    }
    check_spread(&flows, &net, 1.0 / 16);
    wl_flows_free(&flows);
    tear(&net);
}

static void
test_permutation(void **state)
{
    struct net net;
    build(&net, 4);
    struct wl_spec spec = spec_on(&net);

    (void)state;
    for (spec.n_hosts = 2; spec.n_hosts <= 16; spec.n_hosts++) {
        for (spec.seed = 0; spec.seed < 50; spec.seed++) {
            struct wl_flows flows = drawn("permutation", &spec);
            uint32_t received = 0;
            assert_int_equal(flows.n, spec.n_hosts);
            for (size_t i = 0; i < flows.n; i++) {
                assert_int_equal(flows.items[i].from, net.hosts[i]);
                received |= 1u << (flows.items[i].to - net.topo.n_switches);
            }
            assert_int_equal(received, (1u << spec.n_hosts) - 1);
            wl_flows_free(&flows);
        }
    }
    tear(&net);
}

static void
test_incast(void **state)
{
    struct net net;
    build(&net, 4);
    struct wl_spec spec = spec_on(&net);
    struct wl_flows flows = drawn("incast", &spec);
    double expected = 0.5 * 16 * 10e9 / 8 * 0.02 / (5 * 10000);

    (void)state;
    assert_int_equal(flows.n % 5, 0);
    assert_true(fabs((double)flows.n / 5 - expected) < 5 * sqrt(expected));
    for (size_t i = 0; i < flows.n; i += 5) {
        uint32_t senders = 0;
        for (size_t k = i; k < i + 5; k++) {
            assert_int_equal(flows.items[k].to, flows.items[i].to);
            assert_int_equal(flows.items[k].start_ps, flows.items[i].start_ps);
            senders |= 1u << (flows.items[k].from - net.topo.n_switches);
        }
        assert_int_equal(__builtin_popcount(senders), 5);
    }
    wl_flows_free(&flows);
    tear(&net);
}

/* Nothing is random: the same five hosts send to the same receiver every 3 ms from 2 ms on, for the
 * last time before the end, which is at 20.1 ms. */
static void
test_incast_as_said(void **state)
{
    struct net net;
    build(&net, 4);
    struct wl_spec spec = spec_on(&net);
    spec.to = net.hosts[2];
    struct wl_flows flows = drawn("incast at=2ms every=3ms", &spec);

    (void)state;
    assert_int_equal(flows.n, 7 * 5);
    for (size_t i = 0; i < flows.n; i++) {
        const struct wl_flow *f = &flows.items[i];
        assert_int_equal(f->to, net.hosts[2]);
        assert_int_equal(f->from, net.hosts[i % 5 + (i % 5 >= 2)]);
        assert_int_equal(f->start_ps, (2000 + 3000 * (i / 5)) * US);
    }
    wl_flows_free(&flows);

    flows = drawn("incast at=2ms", &spec);
    assert_int_equal(flows.n, 5);
    wl_flows_free(&flows);
    /* Without 'at', incasts begin at the start of the workload. */
    flows = drawn("incast every=10ms end=15ms", &spec);
    assert_int_equal(flows.n, 10);
    assert_int_equal(flows.items[0].start_ps, 100 * US);
    assert_int_equal(flows.items[9].start_ps, 10100 * US);
    wl_flows_free(&flows);

    /* Without 'at' and 'every', incasts come at random times, to one host. */
    flows = drawn("incast", &spec);
    assert_true(flows.n > 50);
    for (size_t i = 0; i < flows.n; i++) {
        assert_int_equal(flows.items[i].to, net.hosts[2]);
        assert_true(flows.items[i].start_ps != flows.items[(i + 5) % flows.n].start_ps);
    }
    wl_flows_free(&flows);
    tear(&net);
}

static void
test_all_to_all(void **state)
{
    struct net net;
    build(&net, 4);
    struct wl_spec spec = spec_on(&net);
    struct wl_flows flows = drawn("all-to-all", &spec);
    uint32_t met[16] = { 0 };

    (void)state;
    assert_int_equal(flows.n, 16 * 15);
    for (size_t i = 0; i < flows.n; i++) {
        met[flows.items[i].from - net.topo.n_switches] |=
            1u << (flows.items[i].to - net.topo.n_switches);
    }
    for (uint32_t h = 0; h < 16; h++) {
        assert_int_equal(met[h], 0xffff & ~(1u << h));
    }
    wl_flows_free(&flows);
    tear(&net);
}

static void
test_ring_allreduce(void **state)
{
    struct net net;
    build(&net, 4);
    struct wl_spec spec = spec_on(&net);

    (void)state;
    spec.n_hosts = 4;
    struct wl_flows flows = drawn("ring-allreduce chunks=3 bytes=12000B connections=new", &spec);
    assert_int_equal(flows.n, 4 * 3 * 6);
    for (size_t i = 0; i < flows.n; i++) {
        const struct wl_flow *f = &flows.items[i];
        assert_int_equal(f->bytes, 1000);
        assert_int_equal(f->after, i % 6 ? (i + 54) % 72 - 1 : WL_NONE);
        if (f->after != WL_NONE) {
            assert_int_equal(flows.items[f->after].to, f->from);
        }
        assert_int_equal(f->from, net.hosts[i / 18]);
        assert_int_equal(f->to, net.hosts[(i / 18 + 1) % 4]);
    }
    wl_flows_free(&flows);
    tear(&net);
}

static void
test_ping(void **state)
{
    struct net net;
    build(&net, 4);
    struct wl_spec spec = spec_on(&net);

    (void)state;
    spec.n_hosts = 2;
    struct wl_flows flows = drawn("ping messages=3 bytes=64B", &spec);
    assert_int_equal(flows.n, 3);
    for (size_t i = 0; i < flows.n; i++) {
        const struct wl_flow *f = &flows.items[i];
        assert_int_equal(f->bytes, 64);
        assert_int_equal(f->after, i ? i - 1 : WL_NONE);
        assert_int_equal(f->from, net.hosts[0]);
        assert_int_equal(f->to, net.hosts[1]);
    }
    wl_flows_free(&flows);
    tear(&net);
}

static void
test_seeds(void **state)
{
    static const char *const patterns[] = { "poisson", "poisson per_second=50000",
                                            "closed",  "permutation",
                                            "incast",  "query per_second=50000" };
    struct net net;
    build(&net, 4);

    (void)state;
    for (size_t i = 0; i < N_OF(patterns); i++) {
        struct wl_spec a = spec_on(&net), other_seed = a, other_number = a;
        other_seed.seed = 2;
        other_number.number = 1;
        struct wl_flows first = drawn(patterns[i], &a), again = drawn(patterns[i], &a);
        struct wl_flows seeded = drawn(patterns[i], &other_seed);
        struct wl_flows numbered = drawn(patterns[i], &other_number);
        size_t n_bytes = first.n * sizeof *first.items;
        assert_int_equal(first.n, again.n);
        assert_memory_equal(first.items, again.items, n_bytes);
        assert_true(seeded.n != first.n || memcmp(first.items, seeded.items, n_bytes));
        assert_true(numbered.n != first.n || memcmp(first.items, numbered.items, n_bytes));
        wl_flows_free(&first);
        wl_flows_free(&again);
        wl_flows_free(&seeded);
        wl_flows_free(&numbered);
    }
    tear(&net);
}

static void
refused(const char *pattern, const struct wl_spec *spec, const char *says)
{
    struct wl_flows flows = { 0 };
    struct err err;

    assert_false(draw(pattern, spec, &flows, &err));
    assert_says(err.text, says);
    wl_flows_free(&flows);
}

/* The receiver need not be one of the participating hosts. */
static void
test_incast_from_outside(void **state)
{
    struct net net;
    build(&net, 4);
    struct wl_spec spec = spec_on(&net);
    spec.to = net.hosts[15];
    spec.n_hosts = 4;
    struct wl_flows flows = drawn("incast senders=4 at=2ms", &spec);

    (void)state;
    assert_int_equal(flows.n, 4);
    refused("incast senders=5 at=2ms", &spec, "5 senders, but H15 has only 4 others");
    spec.to = net.hosts[3];
    refused("incast senders=4 at=2ms", &spec, "4 senders, but H3 has only 3 others");
    wl_flows_free(&flows);
    tear(&net);
}

static void
test_refused(void **state)
{
    struct net net;
    build(&net, 4);
    struct wl_spec spec = spec_on(&net), many = spec, one = spec, rack_only = spec;

    (void)state;
    many.sizes = NULL;
    many.end_ps = 1000000 * US;
    refused("poisson bytes=10B", &many, "over 20 million flows");
    refused("closed bytes=10B", &many, "over 20 million flows");
    refused("incast bytes=10B", &many, "over 20 million flows");
    refused("ring-allreduce chunks=1000000 connections=new", &many, "over 20 million flows");
    many = spec;
    many.max_flows = 100;
    refused("all-to-all", &many, "over 20 million flows");
    one.n_hosts = 1;
    refused("poisson", &one, "needs at least two hosts");
    refused("permutation", &one, "needs at least two hosts");
    refused("ring-allreduce connections=new", &one, "needs at least two hosts");
    refused("ping", &spec, "a ping needs two hosts");
    rack_only.n_hosts = 2;
    refused("closed to=other-rack", &rack_only, "every two hosts have a switch in common");
    refused("incast senders=16", &spec, "16 senders, but each host has only 15 others");
    refused("query sources=16", &spec, "16 sources, but each host has only 15 others");
    many = spec;
    many.end_ps = 1000000 * US;
    refused("query per_second=5000000", &many, "over 20 million flows");
    refused("poisson per_second=50000000", &many, "over 20 million flows");
    refused("query sources=auto", &one, "needs at least two hosts");
    tear(&net);
}

/* The link of the first host has failed: patterns that need this host are refused, others leave it
 * out. */
static void
test_cut(void **state)
{
    struct net net;
    build(&net, 4);
    struct wl_spec spec = spec_on(&net);
    const struct topo_node *cut = &net.topo.nodes[net.hosts[0]];

    (void)state;
    net.topo.links[net.topo.ports[cut->first_port].link].failed = true;
    topo_route(&net.topo);
    refused("permutation", &spec, "the network is not connected");
    refused("all-to-all", &spec, "no path from H0 to H1");
    static const char *const patterns[] = { "poisson", "closed", "incast", "query per_second=50000",
                                            "poisson per_second=50000" };
    for (size_t i = 0; i < N_OF(patterns); i++) {
        struct wl_flows flows = drawn(patterns[i], &spec);
        assert_true(flows.n > 100);
        for (size_t k = 0; k < flows.n; k++) {
            assert_true(flows.items[k].from != net.hosts[0] && flows.items[k].to != net.hosts[0]);
        }
        wl_flows_free(&flows);
    }
    tear(&net);
}

/* Hosts with several ports: H1 and H2 have links to a scale-up switch N and to T1 and T2, which
 * lead to other hosts. */
static void
build_several_ports(struct net *net)
{
    static const char *const switches[] = { "N", "T1", "T2", "S1" };
    static const struct {
        uint32_t a, b;
        uint64_t rate_bps;
    } links[] = { { 4, 0, 400 * GBPS }, { 4, 1, 5 * GBPS },  { 4, 2, 10 * GBPS },
                  { 5, 2, 10 * GBPS },  { 5, 1, 5 * GBPS },  { 5, 0, 400 * GBPS },
                  { 6, 3, 20 * GBPS },  { 1, 3, 10 * GBPS }, { 2, 3, 10 * GBPS } };
    struct err err;

    *net = (struct net){ 0 };
    for (uint32_t i = 0; i < 7; i++) {
        topo_add_node(&net->topo, i < 4 ? TOPO_SWITCH : TOPO_NIC,
                      i < 4 ? switches[i] : (const char *[]){ "H1", "H2", "H3" }[i - 4]);
    }
    for (size_t i = 0; i < N_OF(links); i++) {
        topo_add_link(&net->topo, links[i].a, links[i].b,
                      &(struct topo_link){ .rate_bps = links[i].rate_bps, .delay_ps = US });
    }
    assert_true(topo_finish(&net->topo, &err));
    topo_route(&net->topo);
    for (uint32_t i = 0; i < 3; i++) {
        net->hosts[i] = 4 + i;
    }
}

static void
test_several_ports(void **state)
{
    struct net net;
    build_several_ports(&net);
    struct wl_spec spec = spec_on(&net);
    double n = 0, n_expected = (15e9 + 15e9 + 20e9) / 8 * 0.02 / 2 / 10000;

    (void)state;
    spec.sizes = NULL;
    assert_int_equal(wl_rate_of(&spec, net.hosts[0]), 15 * GBPS);
    assert_int_equal(wl_rate_of(&spec, net.hosts[1]), 15 * GBPS);
    assert_int_equal(wl_rate_of_all(&spec), 50 * GBPS);
    struct wl_flows flows = drawn("poisson", &spec);
    assert_true(fabs((double)flows.n - n_expected) < 5 * sqrt(n_expected));
    wl_flows_free(&flows);
    flows = drawn("poisson to=other-rack", &spec);
    for (size_t i = 0; i < flows.n; i++) {
        assert_true(flows.items[i].from == net.hosts[2] || flows.items[i].to == net.hosts[2]);
    }
    wl_flows_free(&flows);
    flows = drawn("closed to=any", &spec);
    for (size_t i = 0; i < flows.n; i++) {
        n += flows.items[i].from == net.hosts[1];
    }
    assert_true(n * 10000 > 400e9 / 8 * 0.02); /* Enough for its fastest port. */
    wl_flows_free(&flows);
    spec.n_hosts = 2;
    refused("closed to=other-rack", &spec, "every two hosts have a switch in common");
    topo_free(&net.topo);
}

/* Flows of a terabyte at the minimum load of the slowest link: the gap to the next flow is so long
 * that it never starts, and must not overflow. */
static void
long_gaps_do_not_wrap(void **state)
{
    uint64_t gap_ps = wl_mean_gap_ps(WL_MAX_BYTES * 1000, 1000, 1), stream = 1, product;

    (void)state;
    assert_false(__builtin_mul_overflow(gap_ps, 64, &product)); /* No random gap is longer. */
    for (int i = 0; i < 100000; i++) {
        assert_true(chance_exponential(&stream, gap_ps) < product);
    }
    assert_true(gap_ps > 1000 * (uint64_t)WEIR_PS_PER_S);
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(long_gaps_do_not_wrap),
        cmocka_unit_test(test_poisson_load),
        cmocka_unit_test(test_poisson_per_second),
        cmocka_unit_test(test_query),
        cmocka_unit_test(test_query_defaults),
        cmocka_unit_test(test_targets),
        cmocka_unit_test(test_closed),
        cmocka_unit_test(test_permutation),
        cmocka_unit_test(test_incast),
        cmocka_unit_test(test_incast_as_said),
        cmocka_unit_test(test_incast_from_outside),
        cmocka_unit_test(test_all_to_all),
        cmocka_unit_test(test_ring_allreduce),
        cmocka_unit_test(test_ping),
        cmocka_unit_test(test_seeds),
        cmocka_unit_test(test_refused),
        cmocka_unit_test(test_cut),
        cmocka_unit_test(test_several_ports),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
