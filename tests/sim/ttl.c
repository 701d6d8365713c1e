/* Packets that change class from hop to hop: where they are counted, which paths are refused and
 * which packets are dropped. No cycle of waiting buffers can form, for any routes. */

#include "hand.h"
#include "topo/class-changes.h"

static const struct topo_link link_10g = { .rate_bps = 10000000000, .delay_ps = 1000000 };

/* Hops. */

/* Three switches in a row, with two hosts at the first and one at the last. */
static void
start_row(struct net *net)
{
    hand_start(net);
    for (uint32_t i = 0; i < 3; i++) {
        hand_switch(net);
    }
    hand_link(net, 0, 1, link_10g.rate_bps, link_10g.delay_ps);
    hand_link(net, 1, 2, link_10g.rate_bps, link_10g.delay_ps);
    for (uint32_t i = 0; i < 3; i++) {
        hand_link(net, hand_nic(net), i < 2 ? 0 : 2, link_10g.rate_bps, link_10g.delay_ps);
    }
    hand_finish(net, 2);
    for (uint32_t i = 0; i < 2; i++) {
        net->flows[i].from = 3 + i;
        net->flows[i].to = 5;
    }
    net->config.run.until_ps = 1000000000;
    net->config.buffer.reserve_bytes = 300000;
    net_use(net, "ttl");
}

static void
after_j_hops_a_packet_is_in_class_j(void **state)
{
    struct net net;

    (void)state;
    start_row(&net);
    struct sim *sim = hand_run(&net);
    for (uint32_t port = 0; port < net.topo.n_ports; port++) {
        const struct topo_port *p = &net.topo.ports[port];
        bool is_on_the_way = p->node < 3 && (net.topo.ports[p->peer].node + 1 == p->node ||
                                             net.topo.ports[p->peer].node == 3u + p->number - 1);
        for (uint8_t cls = 0; cls < WEIR_MAX_CLASSES; cls++) {
            bool is_its = is_on_the_way && cls == p->node + 1;
            assert_int_equal(sim_queue_peak_bytes(sim, port, cls) > 0, is_its);
            assert_int_equal(sim_class_sent(sim, port, cls), cls ? cls - 1 : WEIR_NO_CLASS);
        }
    }
    sim_free(sim);
    net_stop(&net);
}

/* Two hosts each offer the full load of the first link. Each is paused half of the time in class 0,
 * because class 1 is full; no other queue is paused. */
static void
what_is_full_pauses_the_class_before(void **state)
{
    struct net net;

    (void)state;
    start_row(&net);
    net.config.run.until_ps = 20000000000;
    struct sim *sim = hand_run(&net);
    for (uint32_t node = 0; node < net.topo.n_nodes; node++) {
        for (uint8_t cls = 0; cls < WEIR_MAX_CLASSES; cls++) {
            uint32_t port = net.topo.nodes[node].first_port;
            struct sim_gate_state gate = sim_gate_state(sim, port, cls, sim_now(sim));
            bool is_held = (node == 3 || node == 4) && cls == 0;
            ASSERT_NEAR(gate.paused_ps, is_held ? net.config.run.until_ps / 2 : 0,
                        is_held ? net.config.run.until_ps / 20 : 0);
        }
    }
    assert_int_equal(sim_totals(sim).n_dropped, 0);
    sim_free(sim);
    net_stop(&net);
}

/* Paths. */

static struct err
refusal(const struct net *net)
{
    struct err err = { 0 };
    struct sim *sim = simple_net_sim_new(&net->config, &err);

    if (sim) {
        fail_msg("it was not refused");
    }
    return err;
}

static void
a_way_with_more_hops_than_classes_is_refused(void **state)
{
    struct net net;

    (void)state;
    start_row(&net);
    net.config.n_classes = 3;
    assert_string_equal(refusal(&net).text, "packets on the path H3-S0-S1-S2-H5 run out of classes "
                                            "at S2, switch 3 of 3: there are only 3 classes");
    net.config.n_classes = 4;
    sim_free(hand_run(&net));
    net_stop(&net);
}

/* The path of ACKs is checked, too. They come from a host that sends no data. */
static void
so_is_the_way_of_an_acknowledgement(void **state)
{
    uint16_t path[2];
    struct net net;

    (void)state;
    start_row(&net);
    path[0] = (uint16_t)net.topo.ports[hand_port(&net, 0, 1)].number;
    path[1] = (uint16_t)net.topo.ports[hand_port(&net, 1, 2)].number;
    net.config.n_flows = 1;
    net.config.n_classes = 3;
    /* The path ends before the receiver, so no packet needs a class there. */
    net.flows[0].path = path;
    net.flows[0].n_path = 2;
    sim_free(hand_run(&net));
    net.flows[0].transport = &tp_rdma;
    assert_string_equal(refusal(&net).text, "packets on the path H5-S2-S1-S0-H3 run out of classes "
                                            "at S0, switch 3 of 3: there are only 3 classes");
    net_stop(&net);
}

/* The detour of GFC's Fig. 11: down to A3 and up again. */
static void
start_detour(struct net *net, uint16_t path[7])
{
    static const char *const via[] = { "E1", "A1", "C1", "A3", "C2", "A5", "E5", "H8" };
    struct topo_build four = { .k = 4, .link = link_10g };

    net_start(net, topo_build_fat_tree, &four, MODEL_ENDLESS, 1);
    for (uint32_t i = 0; i < 7; i++) {
        uint32_t port = topo_port_to(&net->topo, topo_find_node(&net->topo, via[i]),
                                     topo_find_node(&net->topo, via[i + 1]));
        path[i] = (uint16_t)net->topo.ports[port].number;
    }
    net->config.n_flows = 1;
    net->flows[0] = (struct simple_net_flow){ .from = topo_find_node(&net->topo, "H0"),
                                              .to = topo_find_node(&net->topo, "H8"),
                                              .bytes = 100 * 1500,
                                              .rate_bps = WEIR_UNLIMITED,
                                              .path = path,
                                              .n_path = 7 };
    net_use(net, "ttl");
}

static void
choose_classes(struct net *net, const char *choice, uint8_t n_classes)
{
    struct weir_text why = { 0 };

    assert_true(weir_stack_set(&net->config.stack, 0, "classes", choice, &why));
    net->config.n_classes = n_classes;
}

static void
half_the_classes_go_as_far(void **state)
{
    uint16_t path[7];
    struct net net;

    (void)state;
    start_detour(&net, path);
    choose_classes(&net, "hops", 7);
    refusal(&net);
    choose_classes(&net, "halved", 3); /* Hops 6 and 7 are class 3. */
    assert_string_equal(refusal(&net).text,
                        "packets on the path H0-E1-A1-C1-A3-C2-A5-E5-H8 run out of classes at A5, "
                        "switch 6 of 7: there are only 3 classes");
    choose_classes(&net, "halved", 4);
    struct sim *sim = hand_run(&net);
    assert_int_equal(sim_flow_result(sim, 0).n_received, 100);
    sim_free(sim);
    net_stop(&net);
}

static void
a_quarter_does_not_come_up_again(void **state)
{
    uint16_t path[7];
    struct net net;

    (void)state;
    start_detour(&net, path);
    choose_classes(&net, "quartered", 8);
    assert_string_equal(refusal(&net).text,
                        "packets on the path H0-E1-A1-C1-A3-C2-A5-E5-H8 run out of classes at C2, "
                        "switch 5 of 7: there are only 8 classes");
    net.flows[0].path = NULL;
    choose_classes(&net, "quartered", 2);
    struct sim *sim = hand_run(&net);
    assert_int_equal(sim_flow_result(sim, 0).n_received, 100);
    sim_free(sim);
    net_stop(&net);
}

static void
only_tiers_can_be_halved(void **state)
{
    struct topo_build four = { .switches = 4, .link = link_10g };
    static const char *const choices[] = { "halved", "quartered" };
    struct net net;

    (void)state;
    net_start(&net, topo_build_ring, &four, MODEL_ENDLESS, 1);
    net_use(&net, "ttl");
    for (size_t i = 0; i < 2; i++) {
        choose_classes(&net, choices[i], 8);
        assert_non_null(strstr(refusal(&net).text, "leads from tier 1 to tier 1"));
    }
    net_stop(&net);
}

/* A link of the ring fails, and the new path has more hops than there are classes. Packets expire
 * and are counted separately, and no other flow is affected. */
static void
who_has_no_class_left_is_dropped_and_counted(void **state)
{
    struct topo_build six = { .switches = 6, .link = link_10g };
    struct topo_link_event cut = { .at_ps = 200000000, .up = false };
    struct net net;

    (void)state;
    net_start(&net, topo_build_ring, &six, MODEL_ENDLESS, 1);
    net_use(&net, "ttl");
    net.config.n_classes = 4;
    net.config.n_flows = 1;
    net.flows[0].from = topo_find_node(&net.topo, "H1");
    net.flows[0].to = topo_find_node(&net.topo, "H2");
    cut.link = net.topo
                   .ports[hand_port(&net, topo_find_node(&net.topo, "S1"),
                                    topo_find_node(&net.topo, "S2"))]
                   .link;
    net.config.link_events = &cut;
    net.config.n_link_events = 1;
    net.config.reroute_ps = 100000000;
    net.config.run.until_ps = 2000000000;
    struct sim *sim = hand_run(&net);
    struct sim_totals t = sim_totals(sim);
    assert_true(t.n_expired > 1000);
    assert_int_equal(t.n_dropped, 0);
    assert_int_equal(t.n_dropped_lossless, 0);
    ASSERT_NEAR(sim_flow_result(sim, 0).last_ps, cut.at_ps, 10000000);
    sim_free(sim);
    net_stop(&net);
}

/* The class tables of the engines, for any routes: [port][class at the sender] is the class here.
 */
static uint8_t *
class_tables(const struct net *net)
{
    uint32_t n_classes = net->config.n_classes, n = (uint32_t)net->topo.n_ports * n_classes;
    uint8_t *tables = calloc(n, 1);
    struct err err = { 0 };
    struct sim *sim = simple_net_sim_new(&net->config, &err);

    if (!sim) {
        fail_msg("%s", err.text);
    }
    for (uint32_t i = 0; i < n; i++) {
        tables[i] = sim_class_here(sim, i / n_classes, (uint8_t)(i % n_classes));
    }
    sim_free(sim);
    return tables;
}

static bool
any_ring(const struct net *net)
{
    uint8_t *tables = class_tables(net);
    struct topo_class_changes moves = { &net->topo, net->config.n_classes, tables, 1, NULL };
    bool any = topo_class_changes_can_cycle(&moves);

    free(tables);
    return any;
}

/* Adds the classes in which packets arrive on a port to the classes of its switch. */
static void
add_arrivals(const struct net *net, const uint8_t *tables, uint32_t port, uint32_t *classes)
{
    const struct topo_port *here = &net->topo.ports[port];
    uint32_t peer = net->topo.ports[here->peer].node, n_classes = net->config.n_classes;

    for (uint32_t c = 0; c < n_classes; c++) {
        uint8_t arrives_as = tables[port * n_classes + c];
        if ((classes[peer] >> c & 1) && arrives_as < n_classes) {
            classes[here->node] |= 1u << arrives_as;
        }
    }
}

/* Whether a switch can have packets of two consecutive classes. */
static bool
any_consecutive(const struct net *net)
{
    uint32_t *classes = calloc(net->topo.n_nodes, sizeof *classes); /* Bit c: class c occurs. */
    uint8_t *tables = class_tables(net);
    bool any = false;

    for (uint32_t i = 0; i < net->topo.n_nodes; i++) {
        classes[i] = net->topo.nodes[i].kind == TOPO_NIC;
    }
    for (uint32_t hop = 0; hop < net->config.n_classes; hop++) {
        for (uint32_t port = 0; port < net->topo.n_ports; port++) {
            if (net->topo.nodes[net->topo.ports[port].node].kind == TOPO_SWITCH) {
                add_arrivals(net, tables, port, classes);
            }
        }
    }
    for (uint32_t i = 0; i < net->topo.n_nodes; i++) {
        any |= (classes[i] & classes[i] >> 1) != 0;
    }
    free(tables);
    free(classes);
    return any;
}

static const struct {
    topo_builder *build;
    struct topo_build of;
    bool has_tiers;
} networks[] = {
    { topo_build_ring, { .switches = 3, .link = link_10g }, false },
    { topo_build_ring, { .switches = 6, .link = link_10g }, false },
    { topo_build_torus, { .x = 4, .y = 3, .hosts = 1, .link = link_10g }, false },
    { topo_build_fat_tree, { .k = 4, .link = link_10g }, true },
    { topo_build_fat_tree, { .k = 6, .link = link_10g }, true },
    { topo_build_leaf_spine, { .leaves = 4, .spines = 3, .hosts = 2, .link = link_10g }, true },
};

/* Builds a network without flows. */
static void
start_network(struct net *net, size_t i)
{
    struct topo_build of = networks[i].of;

    of.uplink_bps = of.core_bps = link_10g.rate_bps;
    net_start(net, networks[i].build, &of, MODEL_ENDLESS, 1);
    net->config.n_flows = 0;
}

static void
no_ring_can_close_whatever_the_routes(void **state)
{
    static const char *const choices[] = { "hops", "halved", "quartered" };

    (void)state;
    for (size_t i = 0; i < sizeof networks / sizeof *networks; i++) {
        struct net net;
        start_network(&net, i);
        net_use(&net, "pfc");
        /* Without TTL, a path down and up again closes a cycle, also in trees. */
        assert_true(any_ring(&net));
        net_use(&net, "ttl");
        for (size_t c = 0; c < (networks[i].has_tiers ? 3 : 1); c++) {
            choose_classes(&net, choices[c], WEIR_MAX_CLASSES);
            assert_false(any_ring(&net));
        }
        net_stop(&net);
    }
}

static void
consecutive_classes_never_meet_in_a_tree(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof networks / sizeof *networks; i++) {
        struct net net;
        start_network(&net, i);
        net_use(&net, "ttl");
        choose_classes(&net, "hops", WEIR_MAX_CLASSES);
        assert_int_equal(any_consecutive(&net), !networks[i].has_tiers);
        net_stop(&net);
    }
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(after_j_hops_a_packet_is_in_class_j),
        cmocka_unit_test(what_is_full_pauses_the_class_before),
        cmocka_unit_test(a_way_with_more_hops_than_classes_is_refused),
        cmocka_unit_test(so_is_the_way_of_an_acknowledgement),
        cmocka_unit_test(half_the_classes_go_as_far),
        cmocka_unit_test(a_quarter_does_not_come_up_again),
        cmocka_unit_test(only_tiers_can_be_halved),
        cmocka_unit_test(who_has_no_class_left_is_dropped_and_counted),
        cmocka_unit_test(no_ring_can_close_whatever_the_routes),
        cmocka_unit_test(consecutive_classes_never_meet_in_a_tree),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
