/* Scheduling of classes: shares by weight, by packet or by priority, at a NIC and at a switch.
 *
 * Small packets are the last of their flow, so a class of small packets is many flows of one packet
 * each, all of which wait from the start. */

#include "hand.h"

enum { MTU = 1500, MAX_CLASSES = 3, N_SMALL = 12000 };
#define G 1000000000ull

static const weir_ps wire = MTU * 800, delay = 1000000;

struct offered { /* The traffic of a class: flows without end, or many flows of one small packet. */
    uint32_t weight, packet_bytes;
    uint64_t rate_bps; /* 0: no rate limit. */
};

enum where { AT_NIC, AT_SWITCH };

static void
add_flows(struct net *net, const struct offered *o, uint32_t cls, uint32_t from, uint32_t to)
{
    uint32_t n = o->packet_bytes == MTU ? 1 : N_SMALL;

    for (uint32_t i = 0; i < n; i++) {
        net->flows[net->config.n_flows++] =
            (struct simple_net_flow){ .from = from,
                                      .to = to,
                                      .cls = (uint8_t)cls,
                                      .bytes = n == 1 ? MODEL_ENDLESS : o->packet_bytes,
                                      .rate_bps = o->rate_bps ? o->rate_bps : WEIR_UNLIMITED };
    }
}

/* All classes come from one host, or each class from its own host. They go to one host, over links
 * of 10 Gb/s. */
static void
start(struct net *net, enum where where, const char *scheduling, const struct offered *offered,
      uint32_t n_classes)
{
    hand_incast(net, where == AT_NIC ? 1 : n_classes, 10 * G, delay);
    free(net->flows);
    net->flows = calloc(MAX_CLASSES * N_SMALL, sizeof *net->flows);
    net->config.flows = net->flows;
    net->config.n_flows = 0;
    net->config.n_classes = (uint8_t)n_classes;
    net->config.scheduling = scheduling;
    net->config.buffer.reserve_bytes = 30000000;
    net->config.run.until_ps = 2000 * wire;
    for (uint32_t cls = 0; cls < n_classes; cls++) {
        uint32_t from = where == AT_NIC ? 1 : 1 + cls;
        add_flows(net, &offered[cls], cls, from, (uint32_t)net->topo.n_nodes - 1);
        net->config.weights[cls] = offered[cls].weight;
    }
    net_use(net, "none");
}

/* Counts the bytes that each class received. */
static void
count(const struct net *net, const struct sim *sim, uint64_t *bytes)
{
    memset(bytes, 0, MAX_CLASSES * sizeof *bytes);
    for (uint32_t i = 0; i < net->config.n_flows; i++) {
        bytes[net->flows[i].cls] += sim_flow_result(sim, i).received_bytes;
    }
}

static void
run_network(enum where where, const char *scheduling, const struct offered *offered,
            uint32_t n_classes, uint64_t *bytes)
{
    struct net net;

    start(&net, where, scheduling, offered, n_classes);
    struct sim *sim = hand_run(&net);
    count(&net, sim, bytes);
    /* The wire is full all the time. */
    ASSERT_NEAR(bytes[0] + bytes[1] + bytes[2], 2000 * MTU, 8 * MTU);
    sim_free(sim);
    net_stop(&net);
}

/* Bytes may differ from their shares by one round of each class: at most 12 of 2000 packets. */
static void
dwrr_shares_bytes_by_weight(void **state)
{
    static const struct offered cases[][MAX_CLASSES] = {
        { { 1, MTU, 0 }, { 1, MTU, 0 } },
        { { 1, MTU, 0 }, { 3, MTU, 0 } },
        { { 5, MTU, 0 }, { 2, MTU, 0 } },
        { { 1, MTU, 0 }, { 1, 300, 0 } },
        { { 3, 300, 0 }, { 1, MTU, 0 } },
        { { 2, 700, 0 }, { 3, 1100, 0 } },
        { { 1, MTU, 0 }, { 2, MTU, 0 }, { 4, MTU, 0 } },
        { { 1, 1499, 0 }, { 1, 300, 0 }, { 2, MTU, 0 } },
        { { 3, MTU, 0 }, { 1, MTU, 0 }, { 2, 701, 0 } },
    };

    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        uint32_t n = cases[i][2].weight ? 3 : 2;
        uint64_t sum = (uint64_t)cases[i][0].weight + cases[i][1].weight + cases[i][2].weight;
        for (enum where where = AT_NIC; where <= AT_SWITCH; where++) {
            uint64_t bytes[MAX_CLASSES];
            run_network(where, "dwrr", cases[i], n, bytes);
            for (uint32_t cls = 0; cls < n; cls++) {
                ASSERT_NEAR(bytes[cls], 2000 * MTU * cases[i][cls].weight / sum, 12 * MTU);
            }
        }
    }
}

/* A class of weight 0 is served first: it gets the whole link, or its rate if that is limited.
 * Other classes share the rest as they would without it. */
static void
weight_0_goes_before(void **state)
{
    static const struct offered greedy[] = { { 3, MTU, 0 }, { 0, MTU, 0 } },
                                modest[] = { { 3, MTU, 0 }, { 0, MTU, 2 * G }, { 1, MTU, 0 } };
    uint64_t bytes[MAX_CLASSES];

    (void)state;
    for (enum where where = AT_NIC; where <= AT_SWITCH; where++) {
        run_network(where, "dwrr", greedy, 2, bytes);
        /* At most the packet that left before the first packet of class 1 came. */
        ASSERT_NEAR(bytes[0], 0, MTU);
        run_network(where, "dwrr", modest, 3, bytes);
        ASSERT_NEAR(bytes[0], 1200 * MTU, 12 * MTU);
        ASSERT_NEAR(bytes[1], 400 * MTU, 4 * MTU);
        ASSERT_NEAR(bytes[2], 400 * MTU, 12 * MTU);
    }
}

static void
strict_starves_the_lower(void **state)
{
    static const struct offered greedy[] = { { 1, MTU, 0 }, { 1, MTU, 0 }, { 1, MTU, 0 } },
                                modest[] = { { 1, MTU, 0 }, { 1, MTU, 0 }, { 1, MTU, 3 * G } };
    uint64_t bytes[MAX_CLASSES];

    (void)state;
    for (enum where where = AT_NIC; where <= AT_SWITCH; where++) {
        run_network(where, "strict", greedy, 3, bytes);
        ASSERT_NEAR(bytes[0] + bytes[1], 0, MTU);
        run_network(where, "strict", modest, 3, bytes);
        ASSERT_NEAR(bytes[2], 600 * MTU, 4 * MTU);
        ASSERT_NEAR(bytes[1], 1400 * MTU, 8 * MTU);
        ASSERT_NEAR(bytes[0], 0, MTU);
    }
}

/* With round robin each class sends the same number of packets, so bytes are shared in proportion
 * to packet sizes; weights have no effect. */
static void
rr_takes_turns_by_packets(void **state)
{
    static const struct offered cases[][MAX_CLASSES] = {
        { { 1, MTU, 0 }, { 7, 300, 0 } },
        { { 1, MTU, 0 }, { 1, 1000, 0 }, { 1, 500, 0 } },
    };

    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        uint64_t sum = cases[i][0].packet_bytes + cases[i][1].packet_bytes +
                       (uint64_t)cases[i][2].packet_bytes;
        for (enum where where = AT_NIC; where <= AT_SWITCH; where++) {
            uint64_t bytes[MAX_CLASSES];
            uint32_t n = cases[i][2].weight ? 3 : 2;
            run_network(where, "rr", cases[i], n, bytes);
            for (uint32_t cls = 0; cls < n; cls++) {
                ASSERT_NEAR(bytes[cls], (uint64_t)2000 * MTU * cases[i][cls].packet_bytes / sum,
                            4 * MTU);
            }
        }
    }
}

/* Both classes have the same weight, 40 packets per round.  Class 1 goes to a host with 1 Gb/s, so
 * PFC shuts its gate often, mostly in the middle of its round, and class 0 gets the rest of the
 * link.  Before all 1600 packets to that host are sent, a second flow of class 1 starts, to a fast
 * host. From 19.2 ms on, when the slow host has received its last packet, class 1 gets half of the
 * link, and no more to make up for packets that it could not send before. */

static const weir_ps slow_until = 19200000000;

static uint64_t
received_by_class_0(weir_ps until)
{
    struct net net;

    hand_start(&net);
    uint32_t s = hand_switch(&net), from = hand_nic(&net), fast = hand_nic(&net),
             slow = hand_nic(&net);
    hand_link(&net, from, s, 10 * G, delay);
    hand_link(&net, fast, s, 100 * G, delay);
    hand_link(&net, slow, s, 1 * G, delay);
    hand_finish(&net, 3);
    for (uint32_t i = 0; i < 3; i++) {
        net.flows[i].from = from;
        net.flows[i].to = i == 1 ? slow : fast;
        net.flows[i].cls = i > 0;
    }
    net.flows[1].bytes = 1600 * MTU;
    net.flows[2].start_ps = slow_until - 50 * 10 * wire;
    net.config.n_classes = 2;
    net.config.lossless = 3;
    net.config.scheduling = "dwrr";
    net.config.weights[0] = net.config.weights[1] = 40;
    net.config.run.until_ps = until;
    net_use(&net, "pfc");
    hand_set(&net, "xoff", 20 * MTU);
    hand_set(&net, "xon", 10 * MTU);
    struct sim *sim = hand_run(&net);
    uint64_t bytes = sim_flow_result(sim, 0).received_bytes;
    assert_true(sim_gate_state(sim, hand_port(&net, from, s), 1, until).n_pfc_pauses > 20);
    sim_free(sim);
    net_stop(&net);
    return bytes;
}

static void
a_share_that_is_not_used_is_left_to_others(void **state)
{
    uint64_t before = received_by_class_0(slow_until / 2);
    uint64_t after = received_by_class_0(slow_until / 2 + 5000 * wire);

    (void)state;
    ASSERT_NEAR(after - before, 4500 * MTU, 45 * MTU);
}

static void
a_share_that_was_not_used_is_not_given_back(void **state)
{
    uint64_t before = received_by_class_0(slow_until + 100 * wire);
    uint64_t after = received_by_class_0(slow_until + 900 * wire);

    (void)state;
    ASSERT_NEAR(after - before, 400 * MTU, 40 * MTU);
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(dwrr_shares_bytes_by_weight),
        cmocka_unit_test(weight_0_goes_before),
        cmocka_unit_test(strict_starves_the_lower),
        cmocka_unit_test(rr_takes_turns_by_packets),
        cmocka_unit_test(a_share_that_is_not_used_is_left_to_others),
        cmocka_unit_test(a_share_that_was_not_used_is_not_given_back),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
