/* Links that become slower and then fast again: their packets match a calculation on paper, and
 * other links do not change (pair.h). */

#include "pair.h"

#define US ((weir_ps)1000000)
#define MS (1000 * US)

enum { LAST_LINK = 1 };

/* The number of the link's end at which a node sends. */
static uint32_t
end_of(const struct net *net, uint32_t link, uint32_t node)
{
    return net->topo.links[link].node[0] == node ? 0 : 1;
}

/* The number of packets that start at a port from 'first' until 10 ms, without gaps between them.
 */
static uint64_t
n_starts(weir_ps first, const struct topo_slowing *s, size_t n_slowings)
{
    uint64_t n = 0;

    for (weir_ps at = first; at < 10 * MS; n++) {
        uint64_t rate_bps = 10 * G;
        for (size_t i = 0; i < n_slowings; i++) {
            rate_bps = s[i].at_ps <= at ? s[i].rate_bps : rate_bps;
        }
        at += weir_wire_ps(MTU, rate_bps);
    }
    return n;
}

static void
start_both_ways(struct net *net)
{
    pair_start(net, 2, NULL);
    net->flows[0].transport = net->flows[1].transport = NULL;
    net->flows[1].from = RECEIVER;
    net->flows[1].to = SENDER;
}

/* At 2 and 0.2 Gb/s a byte takes a whole number of picoseconds, at 3 Gb/s it does not.  A change at
 * the exact time at which a packet starts applies to that packet. */
static void
what_starts_after_a_change_takes_longer(void **state)
{
    static const uint64_t rates[] = { 2 * G, 3 * G, G / 5 };
    const weir_ps at[] = { MS, wire + delay + 700 * wire, 0 };

    (void)state;
    for (size_t i = 0; i < 3; i++) {
        for (size_t k = 0; k < 3; k++) {
            struct net net;
            start_both_ways(&net);
            uint32_t end = end_of(&net, LAST_LINK, SWITCH);
            const struct topo_slowing slowings[] = { { LAST_LINK, end, at[k], rates[i] },
                                                     { LAST_LINK, end, 5 * MS, 10 * G } };
            net.config.slowings = slowings;
            net.config.n_slowings = 2;
            struct sim *sim = hand_run(&net);
            uint32_t slow = hand_port(&net, SWITCH, RECEIVER);
            assert_int_equal(sim_port_result(sim, slow).n_sent,
                             n_starts(wire + delay, slowings, 2));
            assert_int_equal(sim_flow_result(sim, 1).sent_bytes / MTU, 10 * MS / wire + 1);
            assert_int_equal(sim_flow_ideal_ps(sim, 1), sim_flow_ideal_ps(sim, 0));
            pair_stop(&net, sim);
        }
    }
}

static void
fair_shares_go_by_the_lowest_rate(void **state)
{
    struct net net;
    uint64_t bps[2];

    (void)state;
    start_both_ways(&net);
    const struct topo_slowing slowing = { LAST_LINK, end_of(&net, LAST_LINK, SWITCH), MS, G };
    net.config.slowings = &slowing;
    net.config.n_slowings = 1;
    struct sim *sim = hand_run(&net);
    sim_fair_shares(sim, NULL, bps);
    assert_int_equal(bps[0], G);
    assert_int_equal(bps[1], 10 * G);
    pair_stop(&net, sim);
}

/* A packet takes 120 ms at 100 kb/s: a flow that waits for such a packet is not deadlocked. */
static void
a_very_slow_link_is_no_deadlock(void **state)
{
    struct net net;

    (void)state;
    hand_incast(&net, 3, 10 * G, US);
    net_use(&net, "pfc");
    net.config.buffer.reserve_bytes = 100000;
    const struct topo_slowing slowing = { 3, end_of(&net, 3, 0), MS, 100000 };
    net.config.slowings = &slowing;
    net.config.n_slowings = 1;
    net.config.run.until_ps = 500 * MS;
    struct sim *sim = hand_run(&net);
    assert_false(sim_deadlock(sim).found);
    assert_int_equal(sim_totals(sim).n_dropped, 0);
    assert_true(sim_gate_state(sim, hand_port(&net, 1, 0), 0, 500 * MS).n_pfc_pauses > 0);
    pair_stop(&net, sim);
}

static void
what_cannot_be_is_refused(void **state)
{
    const struct topo_link_event down = { LAST_LINK, MS, false };
    const struct topo_slowing faster = { LAST_LINK, 0, MS, 10 * G + 1 };
    const struct topo_slowing slower = { LAST_LINK, 0, MS, G };
    struct net net;
    struct err err = { 0 };

    (void)state;
    start_both_ways(&net);
    net.config.n_slowings = 1;
    net.config.slowings = &faster;
    assert_null(simple_net_sim_new(&net.config, &err));
    assert_string_equal(err.text, "link 1 cannot be faster than at first");
    net.config.slowings = &slower;
    net.config.link_events = &down;
    net.config.n_link_events = 1;
    assert_null(simple_net_sim_new(&net.config, &err));
    assert_string_equal(err.text, "link 1 goes down, and cannot change its rate as well");
    net_stop(&net);
}

/* The hash of a run in which all links of a ring change their rates, one after the other, some at
 * both ends. */
static uint64_t
run_ring(uint32_t n_threads, void (*run)(struct sim *))
{
    const struct topo_build b = { .switches = 5, .link = { .rate_bps = 10 * G, .delay_ps = US } };
    struct topo_slowing slowings[20];
    struct net net;

    net_start(&net, topo_build_ring, &b, MODEL_ENDLESS, 2);
    for (uint32_t i = 0; i < 20; i++) {
        slowings[i] =
            (struct topo_slowing){ i % 10, i / 2 % 2, (20 + 31 * i) * US, (i % 3 + 1) * G };
    }
    net_use(&net, "pfc");
    net.config.slowings = slowings;
    net.config.n_slowings = 20;
    return net_hash(&net, n_threads, run);
}

static void
threads_and_the_reference_agree(void **state)
{
    (void)state;
    net_assert_same(run_ring);
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_starts_after_a_change_takes_longer),
        cmocka_unit_test(fair_shares_go_by_the_lowest_rate),
        cmocka_unit_test(a_very_slow_link_is_no_deadlock),
        cmocka_unit_test(what_cannot_be_is_refused),
        cmocka_unit_test(threads_and_the_reference_agree),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
