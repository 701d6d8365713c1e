/* A very large switch starts: 9,999 hosts with eight classes each at one switch, which promises
 * credit to all of them at once. */

#include "hand.h"

enum { N_HOSTS = 9999, N_CLASSES = 8 };

static void
a_switch_with_any_number_of_hosts_starts(void **state)
{
    struct net net;
    struct err err;

    (void)state;
    hand_incast(&net, N_HOSTS - 1, 100000000000, 1000000);
    net.config.n_classes = N_CLASSES;
    net.config.lossless = 0xff;
    net.config.run.until_ps = 1000000;
    net.config.arbitration = "fifo"; /* Other arbitrations keep a queue for each pair of ports. */
    net_use(&net, "cbfc");
    struct sim *sim = simple_net_sim_new(&net.config, &err);
    assert_non_null(sim);
    sim_run(sim);
    assert_int_equal(sim_now(sim), net.config.run.until_ps);
    sim_free(sim);
    net_stop(&net);
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_switch_with_any_number_of_hosts_starts),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
