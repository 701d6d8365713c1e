/* Losses between nodes are detected, however they happened, and then all counters add up again. */

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "lab/losses.h"
#include "lab/timing.h"
#include "nodes.h"

#define US ((weir_ps)1000000)
#define MS (1000 * US)

struct bed {
    struct net net;
    struct nodes nodes;
    uint32_t port; /* The port of the first sender. */
    uint32_t came; /* The port of the switch at the other end of this link. */
};

/* Makes two senders and a receiver. */
static void
set_up(struct bed *b)
{
    net_start_star(&b->net, 3, 1000000000, US);
    net_add_flow(&b->net, 0, 2, MODEL_ENDLESS);
    net_add_flow(&b->net, 1, 2, MODEL_ENDLESS);
    net_use(&b->net, "pfc");
    b->net.config.run.until_ps = 1000 * MS;
    nodes_start(&b->nodes, &b->net, true);
    b->port = b->net.topo.nodes[net_nic(&b->net, 0)].first_port;
    b->came = b->net.topo.ports[b->port].peer;
}

static void
start(struct bed *b)
{
    set_up(b);
    nodes_poll(&b->nodes, MS, 10 * US);
}

/* Runs the nodes for this time. */
static void
go_on(struct bed *b, weir_ps for_ps)
{
    nodes_poll(&b->nodes, b->nodes.now + for_ps, 10 * US);
}

static struct lab_losses
end(struct bed *b)
{
    const struct topo *topo = &b->net.topo;
    struct dp_crossed *crossed = array_new(topo->n_ports, sizeof *crossed);
    struct sim *all = nodes_end(&b->nodes, b->nodes.now);

    for (uint32_t i = 0; i < topo->n_ports; i++) {
        crossed[i] = dp_node_crossed(b->nodes.items[topo->ports[i].node], topo->ports[i].number);
    }
    struct lab_losses losses = lab_losses_find(all, crossed);
    free(crossed);
    net_conserved(all);
    assert_int_equal(sim_totals(all).n_lost, losses.n_packets + losses.n_controls);
    return losses;
}

static void
stop(struct bed *b)
{
    nodes_stop(&b->nodes);
    net_stop(&b->net);
}

static void
expect_lost_behind_sender(const struct bed *b, const struct lab_losses *l, uint64_t at_least)
{
    assert_true(l->n_packets >= at_least);
    assert_int_equal(l->n_lossless, l->n_packets);
    assert_int_equal(l->worst.link, b->net.topo.ports[b->port].link);
    assert_int_equal(l->worst.n_packets, l->n_packets);
    assert_int_equal(sim_port_result(b->nodes.all, b->port).n_lost, l->n_packets);
}

static void
nothing_is_lost_where_all_comes(void **state)
{
    struct bed b;

    (void)state;
    start(&b);
    struct lab_losses l = end(&b);
    assert_int_equal(l.n_packets + l.n_controls + l.n_lossless, 0);
    stop(&b);
}

/* Drops all frames that have arrived at a port, as the kernel does while a process is stopped.
 * Returns the number of dropped frames. */
static uint64_t
drop_what_came(struct bed *b, uint32_t port)
{
    const struct topo_port *p = &b->net.topo.ports[port];
    const struct dp_io *io = &b->nodes.ios[p->node];
    struct dp_frame frame;
    uint64_t n = 0;

    while (io->receive(io->arg, p->number, &frame, 1)) {
        io->drop(io->arg, &frame);
        n++;
    }
    return n;
}

static void
what_nobody_takes_in_time_is_lost(void **state)
{
    struct bed b;

    (void)state;
    start(&b);
    dp_node_poll(b.nodes.items[net_nic(&b.net, 0)], b.nodes.now + 100 * US);
    uint64_t n = drop_what_came(&b, b.came);
    assert_true(n > 0);
    go_on(&b, MS);
    struct lab_losses l = end(&b);
    expect_lost_behind_sender(&b, &l, n);
    assert_int_equal(l.n_packets, n);
    assert_false(l.worst.was_down);
    stop(&b);
}

static void
expect_words(const char *said, const uint64_t n[2], const char *worst)
{
    char wanted[200];

    snprintf(wanted, sizeof wanted, "%u packets were lost between %s and S1 (and %u packet",
             (unsigned)n[0], worst, (unsigned)n[1]);
    assert_memory_equal(said, wanted, strlen(wanted));
    assert_non_null(strstr(said, " between other nodes)"));
}

static void
expect_cause(struct outcome *o, const struct lab_losses *l, const struct dp_counts *counts,
             const char *cause)
{
    o->n_warned = 0;
    lab_losses_warn(o, l, counts);
    assert_int_equal(o->n_warned, 1);
    assert_non_null(strstr(o->warned[0].s, cause));
}

/* Checks the warning about lost packets.  If one end of a link was stopped, the warning does not
 * say that the link is too fast. */
static void
expect_warned(const struct bed *b, const struct lab_losses *l, const uint64_t n[2], uint32_t sender)
{
    const struct topo *topo = &b->net.topo;
    struct dp_counts *counts = array_new(topo->n_nodes, sizeof *counts);
    struct outcome o = { .s.topo = *topo, .sim = b->nodes.all };
    uint32_t its_switch = topo->ports[b->came].node;

    expect_cause(&o, l, counts, " too slow for these links (1 Gb/s)");
    expect_words(o.warned[0].s, n, topo->nodes[sender].name);
    counts[its_switch].polls.most_ps = 1040 * MS;
    expect_cause(&o, l, counts, ": S1 did not run for 1.04 s, ");
    o.n_warned = 0;
    counts[sender].polls.most_ps = 2000 * MS; /* No packet was lost at this node. */
    lab_polls_warn(&o, counts);
    assert_int_equal(o.n_warned, 1);
    assert_non_null(strstr(o.warned[0].s, "S1 did not poll its ports for up to 1.04s, but its "
                                          "thresholds were derived for a response within "));
    free(counts);
}

/* Both senders send, and no frame is read: from one sender for twice as long as from the other.
 * Checks that the link of sender 'worst' is named. */
static void
expect_worst(uint32_t worst)
{
    uint64_t n[2] = { 0 };
    struct bed b;

    start(&b);
    for (int i = 1; i >= 0; i--) {
        uint32_t nic = net_nic(&b.net, i ? 1 - worst : worst);
        b.nodes.now += 100 * US;
        dp_node_poll(b.nodes.items[nic], b.nodes.now);
        n[i] = drop_what_came(&b, b.net.topo.ports[b.net.topo.nodes[nic].first_port].peer);
    }
    go_on(&b, MS);
    struct lab_losses l = end(&b);
    assert_true(n[0] > n[1] && n[1] > 0);
    assert_int_equal(l.n_packets, n[0] + n[1]);
    assert_int_equal(l.worst.n_packets, n[0]);
    assert_int_equal(l.worst.link,
                     b.net.topo.ports[b.net.topo.nodes[net_nic(&b.net, worst)].first_port].link);
    expect_warned(&b, &l, n, net_nic(&b.net, worst));
    stop(&b);
}

static void
the_worst_link_is_named(void **state)
{
    (void)state;
    expect_worst(0);
    expect_worst(1);
}

/* Checks the warning about a host that polled too seldom: the warning appears only if frames were
 * lost there. */
static void
expect_host_warned(const struct bed *b, uint32_t host)
{
    const struct topo *topo = &b->net.topo;
    struct dp_counts *counts = array_new(topo->n_nodes, sizeof *counts);
    struct outcome o = { .s.topo = *topo, .sim = b->nodes.all };

    counts[net_nic(&b->net, 1)].polls.most_ps = 2000 * MS;
    lab_polls_warn(&o, counts);
    assert_int_equal(o.n_warned, 0);
    counts[host].polls.most_ps = 1040 * MS;
    lab_polls_warn(&o, counts);
    assert_int_equal(o.n_warned, 1);
    assert_memory_equal(o.warned[0].s, topo->nodes[host].name, strlen(topo->nodes[host].name));
    assert_non_null(strstr(o.warned[0].s, " did not poll its ports for up to 1.04s, and some"));
    free(counts);
}

/* Lost control frames are detected at a sender, which receives no other frames. */
static void
control_that_nobody_takes_is_lost(void **state)
{
    struct bed b;
    uint64_t n = 0;

    (void)state;
    start(&b);
    struct dp_node *its_switch = b.nodes.items[b.net.topo.ports[b.came].node];
    for (int i = 0; i < 20000 && !n; i++) {
        go_on(&b, 10 * US);
        dp_node_poll(its_switch, b.nodes.now + 5 * US);
        n = drop_what_came(&b, b.port);
    }
    assert_true(n > 0);
    struct lab_losses l = end(&b);
    assert_int_equal(l.n_controls, n);
    assert_int_equal(l.worst.n_controls, n);
    assert_int_equal(l.n_packets, 0);
    assert_int_equal(sim_port_result(b.nodes.all, b.came).n_lost_frames, n);
    expect_host_warned(&b, net_nic(&b.net, 0));
    stop(&b);
}

/* A device takes no frames, and more frames wait than can wait. */
static void
what_devices_refuse_is_lost(void **state)
{
    struct bed b;

    (void)state;
    start(&b);
    b.nodes.memory->ports[b.port].max_waiting = 0;
    go_on(&b, 60 * MS);
    b.nodes.memory->ports[b.port].max_waiting = UINT32_MAX;
    go_on(&b, MS);
    uint64_t n = dp_node_counts(b.nodes.items[net_nic(&b.net, 0)]).n_refused;
    struct lab_losses l = end(&b);
    expect_lost_behind_sender(&b, &l, 1);
    assert_int_equal(l.n_packets, n);
    stop(&b);
}

static void
what_there_is_no_memory_for_is_lost(void **state)
{
    struct bed b;

    (void)state;
    start(&b);
    b.nodes.memory->max_frames = 0;
    go_on(&b, MS);
    b.nodes.memory->max_frames = UINT32_MAX;
    go_on(&b, MS);
    struct lab_losses l = end(&b);
    uint64_t n = dp_node_counts(b.nodes.items[net_nic(&b.net, 0)]).n_without_memory +
                 dp_node_counts(b.nodes.items[net_nic(&b.net, 1)]).n_without_memory;
    assert_true(n > 0);
    assert_int_equal(l.n_packets, n);
    stop(&b);
}

/* Packets for which a switch has no frames have arrived, so they were not lost between nodes. The
 * switch has dropped them, and a warning names it. */
static void
what_cannot_be_held_is_told(void **state)
{
    static struct outcome o;
    static struct dp_counts counts[4];
    struct bed b;

    (void)state;
    set_up(&b);
    uint32_t id = b.net.topo.ports[b.came].node;
    b.nodes.max_frames = 40;
    nodes_restart(&b.nodes, id);
    go_on(&b, 3 * MS);
    assert_true(b.nodes.n <= 4);
    counts[id] = dp_node_counts(b.nodes.items[id]);
    struct lab_losses l = end(&b);
    assert_int_equal(l.n_packets, 0);
    o = (struct outcome){ .sim = b.nodes.all, .s.topo = b.net.topo };
    assert_true(lab_unheld_at(o.sim, id) > 0);
    lab_unheld_warn(&o, counts);
    assert_int_equal(o.n_warned, 1);
    assert_ptr_equal(strstr(o.warned[0].s, b.net.topo.nodes[id].name), o.warned[0].s);
    assert_non_null(strstr(o.warned[0].s, "it holds at most 20 packets"));
    stop(&b);
}

/* Packets that wait to leave are lost when their link goes down. */
static void
what_waits_for_a_link_that_goes_down_is_lost(void **state)
{
    struct bed b;

    (void)state;
    start(&b);
    b.nodes.memory->ports[b.port].is_up = b.nodes.memory->ports[b.came].is_up = false;
    go_on(&b, 30 * MS);
    b.nodes.memory->ports[b.port].is_up = b.nodes.memory->ports[b.came].is_up = true;
    go_on(&b, 30 * MS);
    struct lab_losses l = end(&b);
    expect_lost_behind_sender(&b, &l, 1);
    assert_true(l.worst.was_down);
    stop(&b);
}

/* Packets that another program sends, and that claim to belong to a flow, do not count as losses;
 * all counters add up. */
static void
forged_packets_are_counted(void **state)
{
    struct sim_packet packet = { .flow = 0, .dst = 2, .bytes = 1000, .kind = SIM_DATA };
    uint8_t bytes[1500];
    struct bed b;

    (void)state;
    set_up(&b);
    struct dp_network network = nodes_network(&b.nodes);
    dp_frame_write(&network, &packet, US, bytes);
    go_on(&b, MS);
    for (int i = 0; i < 7; i++) {
        memory_io_put(b.nodes.memory, b.came, bytes, (uint32_t)dp_frame_len(&packet), WEIR_NEVER);
        go_on(&b, 20 * US);
    }
    struct lab_losses l = end(&b);
    assert_int_equal(l.n_forged, 7);
    assert_int_equal(l.first_forged, b.net.topo.ports[b.port].link);
    assert_int_equal(l.n_packets + l.n_controls + l.n_lossless, 0);
    stop(&b);
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(nothing_is_lost_where_all_comes),
        cmocka_unit_test(forged_packets_are_counted),
        cmocka_unit_test(what_nobody_takes_in_time_is_lost),
        cmocka_unit_test(the_worst_link_is_named),
        cmocka_unit_test(control_that_nobody_takes_is_lost),
        cmocka_unit_test(what_devices_refuse_is_lost),
        cmocka_unit_test(what_there_is_no_memory_for_is_lost),
        cmocka_unit_test(what_cannot_be_held_is_told),
        cmocka_unit_test(what_waits_for_a_link_that_goes_down_is_lost),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
