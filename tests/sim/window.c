/* Windows: a flow that has been alone for a long time does not starve a flow that starts later.
 *
 * The first flow was limited by its NIC, not by its window, so the window must not have grown. */

#include "net.h"

#define US ((weir_ps)1000000)
#define MS (1000 * US)

struct path { /* The links of the two flows: those of their hosts, and the link that they share. */
    uint64_t rate_bps;
    weir_ps delay_ps;
};

/* Fills in the bytes that two flows have received by 'until'; the second flow starts at 4 ms. */
static void
receive_by(const struct path *path, const struct transport *t, weir_ps until, uint64_t bytes[2])
{
    const struct topo_build incast = {
        .hosts = 2, .link = { .rate_bps = path->rate_bps, .delay_ps = path->delay_ps }
    };
    uint64_t params[TP_PARAMS_MAX / sizeof(uint64_t)];
    struct net net;
    struct err err;

    net_start(&net, topo_build_incast, &incast, MODEL_ENDLESS, 1);
    net_use(&net, "pfc");
    assert_true(weir_stack_add(&net.config.stack, weir_engine_find("ecn")));
    weir_fields_default(t->about.params, params);
    for (uint32_t i = 0; i < 2; i++) {
        net.flows[i].from = net_nic(&net, i);
        net.flows[i].to = net_nic(&net, 2);
        net.flows[i].start_ps = i ? 4 * MS : 0;
        net.flows[i].transport = t;
        net.flows[i].transport_params = params;
    }
    net.config.n_flows = 2;
    net.config.run.until_ps = until;
    struct sim *sim = simple_net_sim_new(&net.config, &err);
    assert_non_null(sim);
    sim_run(sim);
    for (uint32_t i = 0; i < 2; i++) {
        bytes[i] = sim_flow_result(sim, i).received_bytes;
    }
    sim_free(sim);
    net_stop(&net);
}

/* The share of the second flow, in percent, of the bytes that both receive in its first
 * millisecond. */
static uint64_t
late_share(const struct path *path, const struct transport *t)
{
    uint64_t before[2], after[2];

    receive_by(path, t, 4 * MS, before);
    receive_by(path, t, 5 * MS, after);
    return 100 * after[1] / (after[1] + after[0] - before[0]);
}

static void
who_comes_later_gets_half_at_once(void **state)
{
    static const struct path paths[] = { { 10000000000, 1 * US },
                                         { 10000000000, 5 * US },
                                         { 25000000000, 1 * US },
                                         { 40000000000, 2 * US } };

    (void)state;
    for (size_t i = 0; i < sizeof paths / sizeof *paths; i++) {
        assert_in_range(late_share(&paths[i], &tp_dctcp), 40, 60);
    }
}

int
main(void)
{
    const struct CMUnitTest tests[] = { cmocka_unit_test(who_comes_later_gets_half_at_once) };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
