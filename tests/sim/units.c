/* Random packets that a switch offers to its engines: the probability of a flow follows its share
 * of an input or output, not of arrivals.
 *
 *     A --- switch --- C, slow       flow 0 from A to C queues up
 *             |  \
 *             B   D                  flow 1 from A to D passes through; flow 2 goes from B to C
 *
 * C and D each have a flow that does not start, because the probe does not treat a host without
 * flows as a NIC. */

#include "engines.h"
#include "hand.h"

enum { SWITCH, A, B, C, D, N_FLOWS = 5 };

static const uint64_t rate_bps = 10000000000;
static const weir_ps us = 1000000;

static void
start_star(struct net *net)
{
    hand_start(net);
    hand_switch(net);
    for (int i = 0; i < 4; i++) {
        hand_nic(net);
    }
    for (uint32_t host = A; host <= D; host++) {
        hand_link(net, host, SWITCH, host == C ? rate_bps / 10 : rate_bps, us);
    }
    static const uint32_t from[] = { A, A, B, C, D }, to[] = { C, D, C, A, A };
    hand_finish(net, N_FLOWS);
    for (uint32_t i = 0; i < N_FLOWS; i++) {
        net->flows[i].from = from[i];
        net->flows[i].to = to[i];
        net->flows[i].rate_bps = rate_bps / 4;
        net->flows[i].start_ps = i < 3 ? 0 : WEIR_PS_PER_S;
    }
    net->config.run.notes = 1u << SIM_NOTE_MESSAGE;
    net->config.run.until_ps = 2000 * us;
}

static void
use(struct net *net, const struct weir_engine *engine, const char *const (*settings)[2])
{
    struct weir_stack *stack = &net->config.stack;
    struct weir_text why = { 0 };

    assert_true(weir_stack_add(stack, engine));
    for (; (*settings)[0]; settings++) {
        if (!weir_stack_set(stack, stack->n - 1, (*settings)[0], (*settings)[1], &why)) {
            fail_msg("%s", why.s);
        }
    }
}

/* Counts the messages that the switch has sent about each flow, all because of one port. */
static void
run_and_count(struct net *net, uint32_t of_port, uint64_t counts[N_FLOWS])
{
    size_t n;
    struct sim *sim = hand_run(net);
    const struct sim_note *notes = sim_take_notes(sim, &n);

    memset(counts, 0, N_FLOWS * sizeof *counts);
    for (size_t i = 0; i < n; i++) {
        if (net->topo.ports[notes[i].port].node == SWITCH) {
            assert_int_equal(notes[i].port, of_port);
            counts[notes[i].flow]++;
        }
    }
    sim_free(sim);
}

/* As many packets of flow 0 as of flow 1 arrive on the input from A, but those of flow 0 stay
 * longer. */
static void
who_stands_at_an_input_is_drawn(void **state)
{
    static const char *const blames[] = { "arrival", "packet", "byte" };

    (void)state;
    for (int i = 0; i < 3; i++) {
        const char *const settings[][2] = { { "above", "100KB" },
                                            { "slows", "no" },
                                            { "rest", "1ps" },
                                            { "blame", blames[i] },
                                            { NULL, NULL } };
        uint64_t counts[N_FLOWS];
        struct net net;
        start_star(&net);
        net.flows[2].start_ps = WEIR_PS_PER_S;
        use(&net, &probe, settings);
        run_and_count(&net, hand_port(&net, SWITCH, A), counts);
        assert_true(counts[0] > 100);
        if (i) {
            assert_true(counts[1] * 20 < counts[0]);
        } else {
            ASSERT_NEAR(counts[1], counts[0], 1);
        }
        net_stop(&net);
    }
}

/* In all kinds of switches, packets of flows 0 and 2 wait at the output to C, and none of flow 1.
 */
static void
who_stands_at_an_output_is_drawn(void **state)
{
    static const char *const settings[][2] = { { "place", "output" }, { "blame", "occupancy" },
                                               { "qeq", "20KB" },     { "interval", "15KB" },
                                               { "timer", "100us" },  { NULL, NULL } };

    uint32_t n_tried = 0;

    (void)state;
    for (uint64_t i = 0; weir_plugin_name(&sim_kinds, i); i++) {
        const struct sim_kind *kind = sim_kind_find(weir_plugin_name(&sim_kinds, i));
        uint64_t counts[N_FLOWS];
        struct net net;
        if (!kind->shape) { /* This kind offers no services. */
            continue;
        }
        n_tried++;
        start_star(&net);
        net.config.kind = kind;
        use(&net, weir_engine_find("qcn"), settings);
        run_and_count(&net, hand_port(&net, SWITCH, C), counts);
        assert_true(counts[0] > 5);
        assert_true(counts[2] > 5);
        assert_int_equal(counts[1], 0);
        net_stop(&net);
    }
    assert_true(n_tried > 1);
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(who_stands_at_an_input_is_drawn),
        cmocka_unit_test(who_stands_at_an_output_is_drawn),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
