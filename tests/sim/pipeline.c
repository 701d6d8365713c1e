/* Switches with a pipeline: times of packets, computed by hand; and the laws that all kinds of
 * switches must obey. */

#include "net.h"
#include "sim/flow-ends.h"

#define G 1000000000ull

enum { NS = 1000, US = 1000000, PACKET = 1500, WIRE_PS = PACKET * 800, CABLE_PS = US };
enum { DROP, STOP };

/* Parameters of the kind 'pipeline', in the order of its fields. */
struct params {
    uint64_t pps, delay_ps, full, egress_bytes, egress_of, memory, port_limit_bytes;
    uint64_t outputs_limit_bytes;
};

static void
use_pipeline(struct net *net, const struct params *params)
{
    net->config.kind = sim_kind_find("pipeline");
    assert_int_equal(net->config.kind->about.params_bytes, sizeof *params);
    net->config.kind_params = params;
}

/* One switch with links of 10 Gb/s. */
static void
start_star(struct net *net, uint32_t n_hosts, const struct params *params)
{
    net_start_star(net, n_hosts, 10 * G, CABLE_PS);
    use_pipeline(net, params);
}

static struct sim *
run_it(struct net *net, const char *engine)
{
    return net_conserved(net_run(net, engine, "fifo", 1));
}

static void
one_packet_takes_the_delay_longer(void **state)
{
    static const weir_ps delays[] = { 0, 1, 25 * US };

    (void)state;
    for (size_t i = 0; i < 3; i++) {
        struct params p = { .pps = 1000000, .delay_ps = (uint64_t)delays[i] };
        struct net net;
        start_star(&net, 2, &p);
        net_add_flow(&net, 0, 1, PACKET);
        struct sim *sim = run_it(&net, "pfc");
        weir_ps way = 2 * (WIRE_PS + CABLE_PS) + delays[i];
        assert_int_equal(sim_flow_result(sim, 0).first_ps, way);
        assert_int_equal(sim_flow_path_ps(sim, 0), way);
        assert_int_equal(sim_flow_ideal_ps(sim, 0), way);
        weir_ps back = 2 * (weir_wire_ps(WEIR_CONTROL_BYTES, 10 * G) + CABLE_PS) + delays[i];
        assert_int_equal(sim_flow_rtt_ps(sim, 0), way + back);
        sim_free(sim);
        net_stop(&net);
    }
}

/* The time in pipelines counts when a sender computes how many bytes can be in flight. */
static void
a_pipeline_is_part_of_the_round_trip(void **state)
{
    struct params p = { .pps = 10000000, .delay_ps = 100 * US };
    struct net net;

    (void)state;
    start_star(&net, 2, &p);
    net_add_flow(&net, 0, 1, MODEL_ENDLESS);
    net.flows[0].transport = &tp_rdma;
    net.flows[0].recovery = &rc_selective;
    net.config.run.until_ps = 2000 * (weir_ps)US;
    struct sim *sim = run_it(&net, "pfc");
    weir_ps begins_ps = sim_flow_path_ps(sim, 0);
    uint64_t most = (uint64_t)((net.config.run.until_ps - begins_ps) / WIRE_PS);
    assert_in_range(sim_flow_result(sim, 0).n_received, most - 2, most + 1);
    sim_free(sim);
    net_stop(&net);
}

/* A pipeline admits packets at its rate; a period that is not a whole number of picoseconds is
 * rounded up. */
static void
packets_are_let_in_one_by_one(void **state)
{
    static const struct {
        uint64_t pps;
        weir_ps period_ps;
    } speeds[] = { { 100000, 10 * US }, { 300000, 3333334 } };

    (void)state;
    for (size_t i = 0; i < 2; i++) {
        struct params p = { .pps = speeds[i].pps, .delay_ps = 25 * US };
        struct net net;
        start_star(&net, 2, &p);
        net_add_flow(&net, 0, 1, 50 * PACKET);
        struct sim *sim = run_it(&net, "pfc");
        struct sim_flow_result r = sim_flow_result(sim, 0);
        assert_int_equal(r.n_received, 50);
        assert_int_equal(r.last_ps - r.first_ps, 49 * speeds[i].period_ps);
        sim_free(sim);
        net_stop(&net);
    }
}

/* All flows that cross a pipeline that is slower than its links share it. */
static void
pipelines_are_shared_fairly(void **state)
{
    struct params p = { .pps = 100000, .delay_ps = 25 * US };
    struct net net;
    uint64_t bps[2];

    (void)state;
    start_star(&net, 4, &p);
    net_add_flow(&net, 0, 2, MODEL_ENDLESS);
    net_add_flow(&net, 1, 3, MODEL_ENDLESS);
    struct sim *sim = run_it(&net, "pfc");
    sim_fair_shares(sim, NULL, bps);
    assert_int_equal(bps[0], 100000 * PACKET * 8 / 2);
    assert_int_equal(bps[1], bps[0]);
    sim_free(sim);
    net_stop(&net);
}

/* A pipeline is shared by port, not by flow: two flows from one host together get as much as a
 * single flow from another host. */
static void
inputs_take_turns(void **state)
{
    struct params p = { .pps = 100000, .delay_ps = 25 * US };
    struct net net;

    (void)state;
    start_star(&net, 5, &p);
    net_add_flow(&net, 0, 2, MODEL_ENDLESS);
    net_add_flow(&net, 0, 3, MODEL_ENDLESS);
    net_add_flow(&net, 1, 4, MODEL_ENDLESS);
    net.config.run.until_ps = 20000 * (weir_ps)US;
    struct sim *sim = run_it(&net, "pfc");
    uint64_t n[3];
    for (uint32_t i = 0; i < 3; i++) {
        n[i] = sim_flow_result(sim, i).n_received;
    }
    assert_true(n[2] > 900);
    assert_in_range(n[0] + n[1], n[2] - 1, n[2] + 1);
    assert_in_range(n[0], n[1] - 1, n[1] + 1);
    sim_free(sim);
    net_stop(&net);
}

/* Three packets for one output, a nanosecond apart in the pipeline, are followed by one for another
 * output.  The first is sent at once, the second waits, and the third has no room until the link is
 * free and the second is sent. */
enum { FILL = 3, DELAY_PS = 10 * US };

static struct sim *
run_behind(struct net *net, const struct params *p, uint8_t n_classes)
{
    start_star(net, 6, p);
    net->config.n_classes = n_classes;
    net->config.lossless = 0xff;
    for (uint32_t i = 0; i < FILL; i++) {
        net_add_flow(net, i, 4, PACKET);
        net->flows[i].cls = (uint8_t)(i % n_classes);
    }
    net_add_flow(net, 3, 5, PACKET);
    return run_it(net, "none");
}

static void
a_pipeline_that_stops_delays_all_behind(void **state)
{
    const weir_ps arrived = WIRE_PS + CABLE_PS;

    (void)state;
    for (uint64_t full = DROP; full <= STOP; full++) {
        struct params p = { 1000000000, DELAY_PS, .full = full, .egress_bytes = PACKET };
        struct net net;
        struct sim *sim = run_behind(&net, &p, 1);
        weir_ps out = arrived + DELAY_PS + (full == STOP ? WIRE_PS + NS : FILL * NS);
        assert_int_equal(sim_flow_result(sim, FILL).first_ps, out + WIRE_PS + CABLE_PS);
        assert_int_equal(sim_totals(sim).n_dropped_output, full == DROP);
        assert_int_equal(sim_totals(sim).n_dropped_lossless, full == DROP);
        assert_int_equal(sim_flow_result(sim, 2).n_received, full == STOP);
        sim_free(sim);
        net_stop(&net);
    }
}

/* The second and the third packet wait at the output: 3000 bytes, in one class or in two. With a
 * byte less, one packet is dropped. */
static void
a_byte_less_and_one_is_dropped(void **state)
{
    static const struct {
        struct params p;
        uint8_t n_classes;
        struct weir_buffer_class buffer;
        uint64_t n_drops;
    } cases[] = {
        { { .egress_bytes = 3000 }, 1, { .reserve_bytes = 3000 }, 0 },
        { { .egress_bytes = 2999 }, 1, { .reserve_bytes = 3000 }, 1 },
        { { .egress_bytes = 0 }, 1, { .reserve_bytes = 3000 }, 0 },
        { { .egress_bytes = 1500 }, 3, { .reserve_bytes = 3000 }, 0 },
        { { .egress_bytes = 3000, .egress_of = 1 }, 3, { .reserve_bytes = 3000 }, 0 },
        { { .egress_bytes = 2999, .egress_of = 1 }, 3, { .reserve_bytes = 3000 }, 1 },
        { { .memory = 1 }, 1, { .reserve_bytes = 2000, .limit_bytes = 1000 }, 0 },
        { { .memory = 1 }, 1, { .reserve_bytes = 2000, .limit_bytes = 999 }, 1 },
        { { .memory = 1, .port_limit_bytes = 1000 },
          1,
          { .reserve_bytes = 2000, .limit_bytes = 5000 },
          0 },
        { { .memory = 1, .port_limit_bytes = 999 },
          1,
          { .reserve_bytes = 2000, .limit_bytes = 5000 },
          1 },
        { { .memory = 1, .outputs_limit_bytes = 1000 },
          1,
          { .reserve_bytes = 2000, .limit_bytes = 5000 },
          0 },
        { { .memory = 1, .outputs_limit_bytes = 999 },
          1,
          { .reserve_bytes = 2000, .limit_bytes = 5000 },
          1 },
    };

    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct params p = cases[i].p;
        struct net net;
        p.pps = 1000000000;
        p.delay_ps = DELAY_PS;
        start_star(&net, 6, &p);
        net.config.buffer = cases[i].buffer;
        net.config.shared_bytes = 100000;
        net.config.n_classes = cases[i].n_classes;
        net.config.lossless = 0xff;
        for (uint32_t k = 0; k < FILL; k++) {
            net_add_flow(&net, k, 4, PACKET);
            net.flows[k].cls = (uint8_t)(k % cases[i].n_classes);
        }
        struct sim *sim = run_it(&net, "none");
        assert_int_equal(sim_totals(sim).n_dropped_output, cases[i].n_drops);
        assert_int_equal(sim_totals(sim).n_dropped, cases[i].n_drops);
        sim_free(sim);
        net_stop(&net);
    }
}

/* A pool holds three packets beyond the reserves. Ten packets arrive at one input and are in the
 * pipeline together, and all that do not fit are dropped on arrival. */
static void
a_packet_takes_memory_until_it_leaves(void **state)
{
    struct params p = { .pps = 1000000000, .delay_ps = 100 * US, .memory = 1 };
    struct net net;

    (void)state;
    start_star(&net, 2, &p);
    net.config.buffer = (struct weir_buffer_class){ .reserve_bytes = 1500, .limit_bytes = 100000 };
    net.config.shared_bytes = 3 * PACKET;
    net_add_flow(&net, 0, 1, 10 * PACKET);
    struct sim *sim = run_it(&net, "none");
    assert_int_equal(sim_flow_result(sim, 0).n_received, 4);
    assert_int_equal(sim_totals(sim).n_dropped, 6);
    assert_int_equal(sim_totals(sim).n_dropped_output, 0);
    sim_free(sim);
    net_stop(&net);
}

/* Laws. */

static const struct params variants[] = {
    { .pps = 5000000, .delay_ps = 2 * US, .full = DROP, .egress_bytes = 60000 },
    { .pps = 3000000, .delay_ps = 7 * US + 1, .full = STOP, .egress_bytes = 20000 },
    { .pps = 5000000, .delay_ps = 2 * US, .full = DROP, .egress_bytes = 30000, .egress_of = 1 },
    { .pps = 5000000, .delay_ps = 2 * US, .full = STOP, .egress_bytes = 30000, .egress_of = 1 },
    { .pps = 5000000, .delay_ps = 2 * US, .full = DROP, .memory = 1, .port_limit_bytes = 100000 },
    { .pps = 5000000, .delay_ps = 2 * US, .full = STOP, .memory = 1, .port_limit_bytes = 40000 },
    { .pps = 5000000, .delay_ps = 2 * US, .full = STOP, .memory = 1, .outputs_limit_bytes = 50000 },
    { .pps = 10000000000, .delay_ps = 0, .full = STOP },
};

static const char *const arbitrations[] = { "fifo", "rr", "random", "wfq" };

static void
start_variant(struct net *net, topo_builder *build, const struct topo_build *b, size_t i)
{
    net_start(net, build, b, MODEL_ENDLESS, 1);
    use_pipeline(net, &variants[i]);
    if (variants[i].memory) {
        net->config.buffer.limit_bytes = 30000;
        net->config.shared_bytes = 350000;
    }
    net->config.run.until_ps = 300 * (weir_ps)US;
}

static uint64_t
hash_of(struct net *net, const char *engine, const char *arbitration, uint32_t n_threads)
{
    struct sim *sim = net_conserved(net_run(net, engine, arbitration, n_threads));
    struct sim_totals t = sim_totals(sim);

    assert_true(t.n_hops > 500);
    sim_free(sim);
    return t.hash;
}

static void
assert_same(topo_builder *build, const struct topo_build *b)
{
    for (size_t i = 0; i < sizeof variants / sizeof *variants; i++) {
        struct net net;
        start_variant(&net, build, b, i);
        for (uint32_t e = 0; weir_engine_at(e); e++) {
            const char *engine = weir_engine_at(e)->about.name;
            const char *arbitration = arbitrations[(e + i) % 4];
            uint64_t hash = net_reference_hash(&net, engine, arbitration);
            for (uint32_t n_threads = 1; n_threads <= 3; n_threads++) {
                assert_int_equal(hash_of(&net, engine, arbitration, n_threads), hash);
            }
        }
        net_stop(&net);
    }
}

static void
neither_threads_nor_windows_matter(void **state)
{
    static const struct topo_build tree = { .k = 4,
                                            .link = { .rate_bps = 10000000000, .delay_ps = US } };
    static const struct topo_build ring = {
        .switches = 5, .link = { .rate_bps = 40000000000, .delay_ps = 300000 }
    };

    (void)state;
    assert_same(topo_build_fat_tree, &tree);
    assert_same(topo_build_ring, &ring);
}

/* All packets are accounted for if watchdogs drop packets, a link goes down and up, and a NIC
 * stalls. */
static void
what_goes_wrong_is_accounted_for(void **state)
{
    static const struct topo_build ring = {
        .switches = 5, .link = { .rate_bps = 40000000000, .delay_ps = 300000 }
    };
    struct topo_link_event events[] = { { 7, 60 * US, false }, { 7, 150 * US, true } };
    uint64_t n_storms = 0, n_lost = 0;

    (void)state;
    for (size_t i = 0; i < sizeof variants / sizeof *variants; i++) {
        struct net net;
        start_variant(&net, topo_build_ring, &ring, i);
        struct model_stall stall = { net.flows[1].to, 1, 50 * US, 200 * US };
        net.config.stalls = &stall;
        net.config.n_stalls = 1;
        net.config.link_events = events;
        net.config.n_link_events = 2;
        net.config.watchdog = (struct model_watchdog){ MODEL_DROP, 20 * US, 20 * US };
        uint64_t hash = net_reference_hash(&net, "pfc", "rr");
        assert_int_equal(hash_of(&net, "pfc", "rr", 2), hash);
        struct sim *sim = run_it(&net, "pfc");
        n_storms += sim_totals(sim).n_storms;
        n_lost += sim_totals(sim).n_lost;
        sim_free(sim);
        net_stop(&net);
    }
    assert_true(n_storms > 0);
    assert_true(n_lost > 0);
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(one_packet_takes_the_delay_longer),
        cmocka_unit_test(a_pipeline_is_part_of_the_round_trip),
        cmocka_unit_test(packets_are_let_in_one_by_one),
        cmocka_unit_test(pipelines_are_shared_fairly),
        cmocka_unit_test(inputs_take_turns),
        cmocka_unit_test(a_pipeline_that_stops_delays_all_behind),
        cmocka_unit_test(a_byte_less_and_one_is_dropped),
        cmocka_unit_test(a_packet_takes_memory_until_it_leaves),
        cmocka_unit_test(neither_threads_nor_windows_matter),
        cmocka_unit_test(what_goes_wrong_is_accounted_for),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
