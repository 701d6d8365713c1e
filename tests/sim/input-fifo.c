/* Closed forms for switches with one queue per input, whose first packet blocks all others.
 *
 * In all comments, w is a packet's transmission time at 10 Gb/s, and d the delay of a cable. */

#include "hand.h"

enum { MTU = 1500 };
#define G 1000000000ull

static const weir_ps wire = MTU * 800, delay = 1000000;

/* The host FROM sends packets to X, X, Y, X, Y, and so on. FROM, X and Y have links 0, 1 and 2. */
enum { SWITCH, FROM, X, Y };

static void
start_fork(struct net *net, const char *arbitration)
{
    hand_start(net);
    hand_switch(net);
    for (uint32_t i = 0; i < 3; i++) {
        hand_link(net, hand_nic(net), SWITCH, 10 * G, delay);
    }
    hand_finish(net, 2);
    for (uint32_t i = 0; i < 2; i++) {
        net->flows[i].from = FROM;
        net->flows[i].to = X + i;
    }
    net->config.arbitration = arbitration;
    net->config.buffer.reserve_bytes = 100000000;
    net_use(net, "none");
}

/* The link to X is down until 't'.  Then the two packets that wait for X are sent, for w each. Only
 * then does the next packet leave, for Y, although the link to Y was free all the time. This packet
 * arrives at t + 3 w + d, and further packets arrive every 2 w.  With queues at outputs, Y receives
 * its first packet at 4 w + 2 d, because it is the third packet of the host. */
static void
the_first_stands_in_the_way(void **state)
{
    const weir_ps t = 3000000000;
    const struct topo_link_event away[] = { { 1, 0, false }, { 1, t, true } };

    (void)state;
    for (int blocks = 0; blocks < 2; blocks++) {
        struct net net;
        start_fork(&net, blocks ? "input-fifo" : "fifo");
        net.config.link_events = away;
        net.config.n_link_events = 2;
        struct sim *sim = hand_run(&net);
        struct sim_flow_result x = sim_flow_result(sim, 0), y = sim_flow_result(sim, 1);
        weir_ps first = blocks ? t + 3 * wire + delay : 4 * wire + 2 * delay;
        assert_int_equal(x.first_ps, t + wire + delay);
        assert_int_equal(y.first_ps, first);
        assert_int_equal(y.n_received, 1 + (net.config.run.until_ps - first) / (2 * wire));
        sim_free(sim);
        net_stop(&net);
    }
}

/* There is no speed-up: a packet occupies its input for as long as its transmission at the output
 * takes. If the link to X has 1 Gb/s, a packet for X and one for Y take 10 w + w, so both receive
 * one packet every 11 w. X receives its second packet at w + d + 20 w + d, and Y its first one w
 * later. */
static void
an_input_sends_one_at_a_time(void **state)
{
    const weir_ps every = 11 * wire, second = 21 * wire + 2 * delay;
    struct net net;

    (void)state;
    start_fork(&net, "input-fifo");
    net.topo.links[1].rate_bps = 1 * G;
    struct sim *sim = hand_run(&net);
    struct sim_flow_result x = sim_flow_result(sim, 0), y = sim_flow_result(sim, 1);
    assert_int_equal(x.first_ps, second - 10 * wire);
    assert_int_equal(y.first_ps, second + wire);
    assert_int_equal(x.n_received, 2 + (net.config.run.until_ps - second) / every);
    assert_int_equal(y.n_received, 1 + (net.config.run.until_ps - y.first_ps) / every);
    assert_int_equal(x.last_ps, second + (weir_ps)(x.n_received - 2) * every);
    assert_int_equal(y.last_ps, y.first_ps + (weir_ps)(y.n_received - 1) * every);
    sim_free(sim);
    net_stop(&net);
}

/* Two inputs have packets for two random outputs, all there from the start.  In a slot of length w,
 * the two first packets are for different outputs and both leave, or they are for the same output
 * and one leaves.  In either case the next slot is again one or the other with equal probability,
 * so the throughput is 3/4 of the capacity.  (Karol, Hluchyj and Morgan, 1987, have this for n
 * inputs.)  With queues at the outputs nearly all packets are carried. */

enum { N_PACKETS = 20000, N_SLOTS = 15000 };

static double
throughput(const char *arbitration)
{
    struct net net;
    uint64_t chance = 7, n_received = 0;

    hand_start(&net);
    hand_switch(&net);
    for (uint32_t i = 0; i < 4; i++) {
        hand_link(&net, hand_nic(&net), SWITCH, 10 * G, delay);
    }
    hand_finish(&net, 2 * N_PACKETS);
    for (uint32_t i = 0; i < 2 * N_PACKETS; i++) {
        net.flows[i].from = 1 + i % 2;
        net.flows[i].to = 3 + (uint32_t)(weir_random(&chance) >> 63);
        net.flows[i].bytes = MTU;
    }
    net.config.arbitration = arbitration;
    net.config.buffer.reserve_bytes = 100000000;
    net.config.run.until_ps = N_SLOTS * wire + wire + 2 * delay;
    net_use(&net, "none");
    struct sim *sim = hand_run(&net);
    for (uint32_t i = 0; i < 2 * N_PACKETS; i++) {
        n_received += sim_flow_result(sim, i).n_received;
    }
    sim_free(sim);
    net_stop(&net);
    return (double)n_received / (2.0 * N_SLOTS);
}

static void
two_by_two_carry_three_quarters(void **state)
{
    (void)state;
    ASSERT_NEAR(1000 * throughput("input-fifo"), 750, 7);
    assert_true(throughput("fifo") > 0.98);
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_first_stands_in_the_way),
        cmocka_unit_test(an_input_sends_one_at_a_time),
        cmocka_unit_test(two_by_two_carry_three_quarters),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
