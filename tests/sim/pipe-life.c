/* Other features of a run, applied to packets in a pipeline: captures, pinned paths, hop limits,
 * watchdogs, and links that go down and up. */

#include "base/array.h"
#include "hand.h"

#define G 1000000000ull

enum { US = 1000000, PACKET = 1500, WIRE_PS = PACKET * 800, CABLE_PS = US, INSIDE_PS = 5 * US };
enum { DROP, STOP };

/* Parameters of the kind 'pipeline', in the order of its fields. */
struct params {
    uint64_t pps, delay_ps, full, egress_bytes, egress_of, memory, port_limit_bytes;
    uint64_t outputs_limit_bytes;
};

static const struct params plain = { .pps = 100000000, .delay_ps = INSIDE_PS };

static void
use_pipeline(struct net *net, const struct params *params, const char *engine)
{
    net->config.kind = sim_kind_find("pipeline");
    assert_int_equal(net->config.kind->about.params_bytes, sizeof *params);
    net->config.kind_params = params;
    net->config.arbitration = "fifo";
    net_use(net, engine);
}

static struct sim *
run_it(struct net *net)
{
    return net_conserved(hand_run(net));
}

/* Builds a chain H -- S -- S -- ... -- H, with this number of links between two switches, and a
 * flow along it. */
static void
start_chain(struct net *net, uint32_t n_switches, uint32_t n_links, const struct params *params,
            const char *engine)
{
    hand_start(net);
    for (uint32_t i = 0; i < n_switches; i++) {
        hand_switch(net);
    }
    for (uint32_t i = 0; i + 1 < n_switches; i++) {
        for (uint32_t k = 0; k < n_links; k++) {
            hand_link(net, i, i + 1, 10 * G, CABLE_PS);
        }
    }
    hand_link(net, hand_nic(net), 0, 10 * G, CABLE_PS);
    hand_link(net, hand_nic(net), n_switches - 1, 10 * G, CABLE_PS);
    hand_finish(net, 1);
    net->flows[0].from = n_switches;
    net->flows[0].to = n_switches + 1;
    use_pipeline(net, params, engine);
}

/* Captures. */

struct told {
    struct sim_crossing *items;
    size_t n, max;
};

static void
take(void *arg, struct sim *sim, const struct sim_crossing *crossings, size_t n)
{
    struct told *told = arg;

    (void)sim;
    for (size_t i = 0; i < n; i++) {
        ARRAY_PUSH(told->items, told->n, told->max) = crossings[i];
    }
}

/* A packet enters the pipeline, and leaves later with its hop count increased by one. */
static void
captures_tell_when_it_came_and_when_it_left(void **state)
{
    const weir_ps at[] = { 0, WIRE_PS + CABLE_PS, WIRE_PS + CABLE_PS + INSIDE_PS,
                           2 * (WIRE_PS + CABLE_PS) + INSIDE_PS };
    bool captured[8];
    struct told told = { 0 };
    struct net net;

    (void)state;
    start_chain(&net, 1, 1, &plain, "none");
    net.flows[0].bytes = PACKET;
    memset(captured, true, sizeof captured);
    net.config.run.captured = captured;
    net.config.run.crossed = take;
    net.config.run.crossed_arg = &told;
    struct sim *sim = run_it(&net);
    assert_int_equal(told.n, 4);
    for (uint32_t i = 0; i < 4; i++) {
        assert_int_equal(told.items[i].at_ps, at[i]);
        assert_int_equal(told.items[i].is_sent, i % 2 == 0);
        assert_int_equal(told.items[i].n_hops, i / 2);
        assert_int_equal(told.items[i].bytes, PACKET);
    }
    sim_free(sim);
    net_stop(&net);
    free(told.items);
}

/* Pinned paths. */

static void
a_pinned_flow_leaves_by_its_port(void **state)
{
    (void)state;
    for (uint16_t way = 0; way < 3; way++) {
        const uint16_t path[] = { way, 3 };
        struct net net;
        start_chain(&net, 2, 3, &plain, "pfc");
        net.flows[0].bytes = 20 * PACKET;
        net.flows[0].path = path;
        net.flows[0].n_path = 2;
        struct sim *sim = run_it(&net);
        for (uint32_t port = 0; port < 3; port++) {
            uint32_t id = net.topo.nodes[0].first_port + port;
            assert_int_equal(sim_port_result(sim, id).n_sent, port == way ? 20 : 0);
        }
        assert_int_equal(sim_flow_result(sim, 0).n_received, 20);
        sim_free(sim);
        net_stop(&net);
    }
}

/* Hop limits. */

/* All packets are dropped on arrival at the third switch, which still returns their credits:
 * otherwise only the first ones would be sent. */
static void
what_is_late_gives_its_credits_back(void **state)
{
    struct net net;

    (void)state;
    for (uint32_t limit = 2; limit <= 3; limit++) {
        start_chain(&net, 3, 1, &plain, "cbfc");
        net.config.buffer.reserve_bytes = 200000;
        net.flows[0].bytes = 1000 * PACKET;
        net.config.hop_limit = limit;
        struct sim *sim = run_it(&net);
        assert_int_equal(sim_totals(sim).n_expired, limit == 2 ? 1000 : 0);
        assert_int_equal(sim_flow_result(sim, 0).n_received, limit == 2 ? 0 : 1000);
        sim_free(sim);
        net_stop(&net);
    }
}

/* Watchdogs. */

/* A host that does not drain pauses its switch; the pipeline stops, and no packet reaches another
 * host.  A watchdog that drops the queue lets the pipeline continue. */
static void
a_watchdog_sets_a_pipeline_free(void **state)
{
    const struct params p = { 100000000, INSIDE_PS, .full = STOP, .egress_bytes = 10 * PACKET };
    uint64_t n_received[2];

    (void)state;
    for (uint32_t drops = 0; drops < 2; drops++) {
        struct net net;
        hand_incast(&net, 3, 10 * G, CABLE_PS);
        const struct model_stall stall = { net.flows[0].to, 1, 0, 10000 * (weir_ps)US };
        net.flows[1].to = net.flows[2].from;
        net.config.n_flows = 2;
        net.config.stalls = &stall;
        net.config.n_stalls = 1;
        net.config.run.until_ps = 2000 * (weir_ps)US;
        net.config.buffer.reserve_bytes = 200000;
        net.config.watchdog =
            (struct model_watchdog){ drops ? MODEL_DROP : MODEL_ALERT, 100 * US, 100 * US };
        use_pipeline(&net, &p, "pfc");
        struct sim *sim = run_it(&net);
        assert_true(sim_totals(sim).n_storms > 0);
        assert_int_equal(sim_totals(sim).n_dropped_watchdog > 0, drops);
        assert_int_equal(sim_totals(sim).n_dropped_output, 0);
        n_received[drops] = sim_flow_result(sim, 1).n_received;
        sim_free(sim);
        net_stop(&net);
    }
    assert_in_range(n_received[0], 1, 400);
    assert_true(n_received[1] > 3 * n_received[0]);
}

/* Links. */

/* While the output's link is down, its queue fills and the pipeline stops. When the link is up
 * again everything continues, and no waiting packet is lost. */
static void
a_link_that_comes_back_sets_it_free(void **state)
{
    const struct params p = { 100000000, INSIDE_PS, .full = STOP, .egress_bytes = 10 * PACKET };
    const struct topo_link_event events[] = { { 0, 100 * US, false }, { 0, 400 * US, true } };

    (void)state;
    for (weir_ps until = 390; until <= 4000; until += 3610) {
        struct net net;
        start_chain(&net, 2, 1, &p, "pfc");
        net.flows[0].bytes = 1000 * PACKET;
        net.config.buffer.reserve_bytes = 200000;
        net.config.link_events = events;
        net.config.n_link_events = 2;
        net.config.run.until_ps = until * US;
        struct sim *sim = run_it(&net);
        struct sim_totals t = sim_totals(sim);
        uint64_t n = sim_flow_result(sim, 0).n_received;
        assert_int_equal(t.n_dropped + t.n_no_route, 0);
        assert_in_range(t.n_lost, 1, 3); /* Packets on the link when it went down. */
        if (until < 400) {
            assert_in_range(n, 60, 90);
            assert_int_equal(sim_output_bytes(sim, hand_port(&net, 0, 1), 0), 10 * PACKET);
        } else {
            assert_int_equal(n + t.n_lost, 1000);
        }
        sim_free(sim);
        net_stop(&net);
    }
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(captures_tell_when_it_came_and_when_it_left),
        cmocka_unit_test(a_pinned_flow_leaves_by_its_port),
        cmocka_unit_test(what_is_late_gives_its_credits_back),
        cmocka_unit_test(a_watchdog_sets_a_pipeline_free),
        cmocka_unit_test(a_link_that_comes_back_sets_it_free),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
