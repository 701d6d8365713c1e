/* CaPFC's bound for equal senders around one switch equals the peak queue, to within a packet.
 *
 *        H1 ===>             H1 .. Hn send packets of an MTU at line rate to one output, which is
 *        ..      S1 -> H     down, or drains. If other hosts send to H1 .. Hn, the frames that
 * pause Hn ===>             H1 .. Hn wait for packets.
 *
 * WARN equals XOFF, so each input is paused by its own first packet above it.  The test searches
 * the start times: with room for the bound nothing is dropped for any start times; with room for
 * one packet less, some packet is dropped. */

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "../chance.h"
#include "simple-net/simple-net.h"

enum { MAX_SENDERS = 8, MAX_FLOWS = 2 * MAX_SENDERS, MTU = 1500, N_TRIES = 3000 };
enum { DELAY_PS = 20000000, INPUT_BYTES = 60000 };
enum { US = 1000000, RATE_MBPS = 1000, S1 = 0, DATA = 0, OTHER = 1, WAIT_US = 100 };

/* Parameters of the kind 'pipeline', in the order of its fields. */
struct pipeline {
    uint64_t pps, delay_ps, full, egress_bytes, egress_of, memory, port_limit_bytes;
    uint64_t outputs_limit_bytes;
};

struct star {
    const char *name;
    bool drains, has_others;
    uint64_t pps;
};

static const struct star stars[] = {
    { "paused", .pps = 1000000 },
    { "drains", .drains = true, .pps = 1000000 },
    { "others", .has_others = true, .pps = 4000000 },
    { "slow", .pps = 100000 },
};

struct bench {
    const struct star *star;
    uint32_t n;
    struct topo topo;
    struct weir_link link;
    uint64_t chance;
    weir_ps starts[MAX_FLOWS];
};

static uint64_t
bound_of(const struct bench *b, uint64_t waiting_bytes)
{
    struct weir_capfc_output o = { .n_inputs = b->n,
                                   .n_before = b->n * (1 + b->star->has_others) - 1,
                                   .pipeline_ps = DELAY_PS,
                                   .pipeline_pps = b->star->pps,
                                   .waiting_bytes = waiting_bytes,
                                   .xoff_bytes = 25000,
                                   .drains = b->star->drains,
                                   .is_quiet = !b->star->has_others };
    return weir_capfc_egress_bytes(&b->link, &o);
}

static void
build(struct bench *b, const struct star *star, uint32_t n)
{
    const struct topo_build incast = { .hosts = n * (1 + star->has_others),
                                       .link = { .rate_bps = RATE_MBPS * (uint64_t)1000000,
                                                 .delay_ps = US } };
    struct err err;

    *b = (struct bench){ .star = star, .n = n, .chance = n };
    b->link = (struct weir_link){ .rate_bps = incast.link.rate_bps,
                                  .cable_ps = US,
                                  .response_ps = 3 * US,
                                  .mtu_bytes = MTU,
                                  .gap_bytes = 20,
                                  .n_classes = 1 };
    topo_build_incast(&b->topo, &incast);
    assert_true(topo_finish(&b->topo, &err));
    topo_route(&b->topo);
}

static uint32_t
set_flows(const struct bench *b, struct simple_net_flow *flows)
{
    uint32_t n = b->n, n_flows = n * (1 + b->star->has_others);

    for (uint32_t i = 0; i < n_flows; i++) {
        flows[i] = (struct simple_net_flow){ .from = 1 + i,
                                             .to = i < n ? 1 + n_flows : 1 + i - n,
                                             .cls = i < n ? DATA : OTHER,
                                             .bytes = MODEL_ENDLESS,
                                             .rate_bps = WEIR_UNLIMITED,
                                             .start_ps = b->starts[i] };
        flows[i].start_ps += i < n ? WAIT_US * (weir_ps)US : 0;
    }
    return n_flows;
}

struct seen {
    uint64_t peak_bytes, n_dropped;
};

static struct seen
run_star(const struct bench *b, uint64_t egress)
{
    const struct topo_link_event down = { .link = (uint32_t)b->topo.n_links - 1 };
    struct pipeline pipeline = { .pps = b->star->pps,
                                 .delay_ps = DELAY_PS,
                                 .egress_bytes = egress };
    struct simple_net_flow flows[MAX_FLOWS];
    struct weir_text why = { 0 };
    struct err err = { 0 };
    struct simple_net config = { .topo = &b->topo,
                                 .n_classes = 2,
                                 .lossless = 1 << DATA,
                                 .mtu_bytes = MTU,
                                 .gap_bytes = b->link.gap_bytes,
                                 .response_ps = b->link.response_ps,
                                 .buffer = { .reserve_bytes = INPUT_BYTES },
                                 .kind = sim_kind_find("pipeline"),
                                 .kind_params = &pipeline,
                                 .arbitration = "fifo",
                                 .flows = flows,
                                 .n_flows = set_flows(b, flows),
                                 .link_events = &down,
                                 .n_link_events = !b->star->drains,
                                 .run.until_ps = 1500 * (weir_ps)US };

    weir_stack_add(&config.stack, weir_engine_find("capfc"));
    assert_true(weir_stack_set(&config.stack, 0, "stop", "calibrate", &why) &&
                weir_stack_set(&config.stack, 0, "cut", "1", &why) &&
                weir_stack_set(&config.stack, 0, "egress_xoff", "25KB", &why) &&
                weir_stack_set(&config.stack, 0, "egress_warn", "25KB", &why));
    struct sim *sim = simple_net_sim_new(&config, &err);
    if (!sim) {
        fail_msg("%s", err.text);
    }
    sim_run(sim);
    uint32_t to = (uint32_t)b->topo.n_nodes - 1, port = topo_port_to(&b->topo, S1, to);
    struct seen seen = { sim_output_peak_bytes(sim, port, DATA),
                         sim_totals(sim).n_dropped_lossless };
    sim_free(sim);
    return seen;
}

/* Changes the start time of one sender, or of all. */
static void
move(struct bench *b)
{
    uint64_t tau = (uint64_t)weir_wire_ps(MTU + b->link.gap_bytes, b->link.rate_bps);
    uint32_t one = (uint32_t)below(&b->chance, b->n * (1 + b->star->has_others));
    bool moves_all = one_in(&b->chance, 16);

    for (uint32_t i = 0; i < MAX_FLOWS; i++) {
        b->starts[i] = moves_all || i == one ? (weir_ps)below(&b->chance, tau) : b->starts[i];
    }
}

/* Hill climbing over start times, until the peak is above 'enough'. */
static uint64_t
longest(struct bench *b, uint64_t enough)
{
    uint64_t peak = 0;

    for (uint32_t i = 0; i < N_TRIES && peak <= enough; i++) {
        struct bench next = *b;
        move(&next);
        uint64_t seen = run_star(&next, 0).peak_bytes;
        b->chance = next.chance;
        if (seen >= peak) {
            peak = seen;
            memcpy(b->starts, next.starts, sizeof b->starts);
        }
    }
    return peak;
}

static void
the_bound_is_met(void **state)
{
    for (uint32_t n = 2; n <= MAX_SENDERS; n++) {
        struct bench b;
        build(&b, *state, n);
        uint64_t bound = bound_of(&b, INPUT_BYTES), peak = longest(&b, bound - MTU);
        print_message("  %s, %u senders: bound %llu, longest %llu\n", b.star->name, n,
                      (unsigned long long)bound, (unsigned long long)peak);
        assert_int_equal(peak, bound);
        assert_int_equal(run_star(&b, bound).n_dropped, 0);
        assert_true(run_star(&b, bound - MTU).n_dropped > 0);
        topo_free(&b.topo);
    }
}

/* If the pipeline is slower than the links, packets that wait at inputs add to the peak. */
static void
what_waits_at_inputs_counts(void **state)
{
    enum { N_SLOW_TRIES = 20 };

    for (uint32_t n = 2; n <= MAX_SENDERS; n++) {
        struct bench b;
        build(&b, *state, n);
        uint64_t bound = bound_of(&b, INPUT_BYTES), without = bound_of(&b, 0), peak = 0;
        for (uint32_t i = 0; i < N_SLOW_TRIES; i++) {
            move(&b);
            struct seen seen = run_star(&b, bound);
            assert_int_equal(seen.n_dropped, 0);
            peak = seen.peak_bytes > peak ? seen.peak_bytes : peak;
        }
        assert_in_range(peak, without + 1, bound);
        topo_free(&b.topo);
    }
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        { "an output that is paused", the_bound_is_met, NULL, NULL, (void *)&stars[0] },
        { "an output that drains", the_bound_is_met, NULL, NULL, (void *)&stars[1] },
        { "packets that frames wait for", the_bound_is_met, NULL, NULL, (void *)&stars[2] },
        { "a pipeline that is slower", what_waits_at_inputs_counts, NULL, NULL, (void *)&stars[3] },
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
