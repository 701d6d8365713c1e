/* Queues of outputs: their current, peak and mean length. */

#include "hand.h"

enum { MTU = 1500 };
#define G 1000000000ull

static uint32_t
last_port(const struct net *net, uint32_t n_senders)
{
    return hand_port(net, 0, n_senders + 1);
}

/* Three packets arrive in the time in which one leaves. After 'k' packets of each sender 2 k
 * packets wait, and up to two more while the last three arrive. */
static void
the_longest_is_what_came_less_what_left(void **state)
{
    enum { SENDERS = 3, K = 10 };
    struct net net;
    (void)state;

    hand_incast(&net, SENDERS, 10 * G, 1000000);
    for (uint32_t i = 0; i < SENDERS; i++) {
        net.flows[i].bytes = K * MTU;
    }
    net_use(&net, "none");
    struct sim *sim = hand_run(&net);
    assert_in_range(sim_output_peak_bytes(sim, last_port(&net, SENDERS), 0), 2 * K * MTU,
                    (2 * K + 2) * MTU);
    assert_int_equal(sim_output_bytes(sim, last_port(&net, SENDERS), 0), 0);
    assert_int_equal(sim_output_peak_bytes(sim, hand_port(&net, 0, 1), 0), 0);
    sim_free(sim);
    net_stop(&net);
}

/* Endless senders fill the whole buffer, and all of it waits for one output. */
static void
a_full_switch_is_full_at_its_output(void **state)
{
    enum { SENDERS = 2, ROOM = 20 * MTU };
    struct net net;
    (void)state;

    hand_incast(&net, SENDERS, 10 * G, 1000000);
    net_use(&net, "none");
    net.config.lossless = 0;
    net.config.buffer.reserve_bytes = ROOM;
    struct sim *sim = hand_run(&net);
    uint32_t port = last_port(&net, SENDERS);
    assert_int_equal(sim_output_peak_bytes(sim, port, 0), SENDERS * ROOM);
    ASSERT_NEAR(sim_output_mean_bytes(sim, port, 0), SENDERS * ROOM, 2 * MTU);
    ASSERT_NEAR(sim_output_bytes(sim, port, 0), SENDERS * ROOM, 2 * MTU);
    assert_int_equal(sim_output_bytes(sim, port, 0),
                     sim_queue_bytes(sim, hand_port(&net, 0, 1), 0) +
                         sim_queue_bytes(sim, hand_port(&net, 0, 2), 0));
    assert_int_equal(sim_passing_bytes(sim, 0), 0);
    sim_free(sim);
    net_stop(&net);
}

/* Engines that watch outputs but mark nothing change no peak. */
static void
peaks_do_not_depend_on_who_watches(void **state)
{
    static const char *const engines[] = { "pfc", "ecn" };
    uint64_t peaks[2][2];
    (void)state;

    for (size_t i = 0; i < 2; i++) {
        struct net net;
        hand_incast(&net, 2, 10 * G, 1000000);
        net.flows[0].bytes = net.flows[1].bytes = 50 * MTU;
        net_use(&net, engines[i]);
        struct sim *sim = hand_run(&net);
        peaks[i][0] = sim_output_peak_bytes(sim, last_port(&net, 2), 0);
        peaks[i][1] = sim_queue_peak_bytes(sim, hand_port(&net, 0, 1), 0);
        assert_in_range(peaks[i][0], 50 * MTU, 52 * MTU);
        sim_free(sim);
        net_stop(&net);
    }
    assert_memory_equal(peaks[0], peaks[1], sizeof peaks[0]);
}

/* A pipeline of 25 us, faster than the link that fills it. */
static struct sim *
run_pipeline(struct net *net, uint32_t n_senders, uint32_t n_threads)
{
    hand_incast(net, n_senders, 1 * G, 1000000);
    net_use(net, "pfc");
    net->config.kind = sim_kind_find("pipeline");
    net->config.run.n_threads = n_threads;
    return hand_run(net);
}

/* The pipeline holds the packets that a link delivers while the first passes through: two packets
 * of 12 us, and a part of one. */
static void
a_pipeline_holds_what_comes_in_its_time(void **state)
{
    struct net net;
    struct sim *sim = run_pipeline(&net, 1, 1);
    (void)state;

    assert_in_range(sim_passing_bytes(sim, 0), 2 * MTU, 3 * MTU);
    assert_int_equal(sim_queue_peak_bytes(sim, hand_port(&net, 0, 1), 0), MTU);
    assert_int_equal(sim_output_peak_bytes(sim, last_port(&net, 1), 0), MTU);
    sim_free(sim);
    net_stop(&net);
}

/* An output that is always full holds no more than its limit, with any number of threads. */
static void
an_output_behind_a_pipeline_keeps_to_its_limit(void **state)
{
    (void)state;
    for (uint32_t n_threads = 1; n_threads <= 2; n_threads++) {
        struct net net;
        struct sim *sim = run_pipeline(&net, 3, n_threads);
        uint32_t port = last_port(&net, 3);
        assert_int_equal(sim_output_peak_bytes(sim, port, 0), 60000);
        ASSERT_NEAR(sim_output_mean_bytes(sim, port, 0), 60000, 2 * MTU);
        assert_true(sim_port_result(sim, port).n_dropped_output > 100);
        sim_free(sim);
        net_stop(&net);
    }
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_longest_is_what_came_less_what_left),
        cmocka_unit_test(a_full_switch_is_full_at_its_output),
        cmocka_unit_test(peaks_do_not_depend_on_who_watches),
        cmocka_unit_test(a_pipeline_holds_what_comes_in_its_time),
        cmocka_unit_test(an_output_behind_a_pipeline_keeps_to_its_limit),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
