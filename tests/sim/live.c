/* Separate nodes: a random scenario has the same results if every node runs alone, its links are
 * simulated outside, and the reports of the nodes are combined.
 *
 *     sim-live            runs random scenarios
 *     sim-live SEED       repeats the scenario of this seed */

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/array.h"
#include "draw.h"
#include "sim/live.h"

#if defined(__SANITIZE_ADDRESS__)
enum { N_SCENARIOS = 60 };
#else
enum { N_SCENARIOS = 200 };
#endif

enum { FIRST_SEED = 128 }; /* From this seed on, a scenario with a deadlock comes soon. */

struct flying { /* A packet or a control frame on a wire. */
    weir_ps at;
    uint32_t port; /* The port of the node at which it arrives. */
    bool is_control;
    struct sim_packet packet; /* With the sequence number that its sender gave it. */
    struct sim_frame control;
};

struct apart;

struct node {
    struct apart *all;
    uint32_t id;
    struct sim_live live;
    struct sim *sim;
    struct flying *in; /* Packets and control frames in flight to this node. */
    size_t n_in, max_in;
    /* The sequence numbers of packets that were in this switch, by the number that they have there.
     */
    uint32_t *sequences;
    size_t n_sequences, max_sequences;
    uint64_t n_inside;
};

struct apart {
    const struct topo *topo;
    struct node *nodes;
    struct sim_live hears;
    struct sim *sim; /* The simulation that receives reports. */
    struct sim_parcel *reports;
    weir_ps late_ps; /* The first node reports this much later than the others. */
};

static bool
is_switch(const struct node *n)
{
    return n->all->topo->nodes[n->id].kind == TOPO_SWITCH;
}

/* Wires. */

static void
fly(struct node *from, uint32_t port, struct flying f)
{
    const struct topo *topo = from->all->topo;
    const struct topo_port *peer =
        &topo->ports[topo->ports[topo->nodes[from->id].first_port + port].peer];
    struct node *to = &from->all->nodes[peer->node];

    f.port = peer->number;
    ARRAY_PUSH(to->in, to->n_in, to->max_in) = f;
}

static void
send_packet(void *arg, uint32_t port, const struct sim_packet *packet, weir_ps start, weir_ps at)
{
    struct node *n = arg;
    struct flying f = { .at = at, .packet = *packet };

    assert_true(start < at);
    if (is_switch(n)) {
        f.packet.sequence = n->sequences[packet->sequence];
        n->n_inside--;
    }
    fly(n, port, f);
}

static void
send_control(void *arg, uint32_t port, const struct sim_frame *control, weir_ps start, weir_ps at)
{
    assert_true(start < at);
    fly(arg, port, (struct flying){ .at = at, .is_control = true, .control = *control });
}

static void
forget_packet(void *arg, const struct sim_packet *packet)
{
    struct node *n = arg;

    assert_true(packet->sequence < n->n_sequences);
    n->n_inside--;
}

static int
by_time_and_port(const void *a, const void *b)
{
    const struct flying *x = a, *y = b;

    if (x->at != y->at) {
        return x->at < y->at ? -1 : 1;
    }
    return (x->port > y->port) - (x->port < y->port);
}

static void
take(struct node *n, const struct flying *f)
{
    struct sim_packet packet = f->packet;

    if (is_switch(n)) {
        ARRAY_PUSH(n->sequences, n->n_sequences, n->max_sequences) = packet.sequence;
        packet.sequence = (uint32_t)(n->n_sequences - 1);
        n->n_inside++;
    }
    sim_live_take(n->sim, f->port, f->at, &packet);
}

/* Runs a node up to a time. Frames that are sent to the node meanwhile arrive later. */
static void
run_node(struct node *n, weir_ps until)
{
    size_t n_left = 0;

    array_sort(n->in, n->n_in, sizeof *n->in, by_time_and_port);
    for (size_t i = 0; i < n->n_in; i++) {
        if (n->in[i].is_control) {
            sim_live_hear(n->sim, n->in[i].port, n->in[i].at, &n->in[i].control);
        }
    }
    for (size_t i = 0; i < n->n_in; i++) {
        if (!n->in[i].is_control && n->in[i].at <= until) {
            take(n, &n->in[i]);
        } else if (!n->in[i].is_control) {
            n->in[n_left++] = n->in[i];
        }
    }
    n->n_in = n_left;
    sim_live_run(n->sim, until);
}

/* All nodes. */

static bool
apart_new(struct apart *a, struct simple_net *config, struct err *err)
{
    uint32_t n = (uint32_t)config->topo->n_nodes;

    *a = (struct apart){ .topo = config->topo,
                         .nodes = array_new(n, sizeof *a->nodes),
                         .hears = { .node = SIM_NONE },
                         .reports = array_new(n, sizeof *a->reports) };
    config->run.live = &a->hears;
    a->sim = simple_net_sim_new(config, err);
    for (uint32_t id = 0; a->sim && id < n; id++) {
        struct node *node = &a->nodes[id];
        *node = (struct node){ .all = a, .id = id };
        node->live = (struct sim_live){ .node = id,
                                        .arg = node,
                                        .sent = send_packet,
                                        .sent_frame = send_control,
                                        .gone = forget_packet };
        config->run.live = &node->live;
        node->sim = simple_net_sim_new(config, err);
        assert_non_null(node->sim);
    }
    config->run.live = NULL;
    return a->sim;
}

static void
apart_free(struct apart *a)
{
    for (uint32_t id = 0; id < a->topo->n_nodes; id++) {
        if (a->nodes[id].sim) {
            sim_free(a->nodes[id].sim);
        }
        free(a->nodes[id].in);
        free(a->nodes[id].sequences);
        sim_parcel_free(&a->reports[id]);
    }
    if (a->sim) {
        sim_free(a->sim);
    }
    free(a->nodes);
    free(a->reports);
}

static void
report(struct apart *a, weir_ps now, bool is_last)
{
    for (uint32_t id = 0; id < a->topo->n_nodes; id++) {
        a->reports[id].n = 0;
        if (is_last) {
            sim_live_end(a->nodes[id].sim, now);
        }
        for (size_t i = 0; is_last && i < a->nodes[id].n_in; i++) {
            const struct flying *f = &a->nodes[id].in[i];
            if (!f->is_control) {
                sim_live_find(a->nodes[id].sim, f->port, &f->packet);
            }
        }
        sim_live_report(a->nodes[id].sim, now + (id ? 0 : a->late_ps), &a->reports[id]);
    }
    if (is_last) {
        sim_live_hear_last(a->sim, now, a->reports);
    } else {
        sim_live_hear_all(a->sim, now, a->reports);
    }
}

enum { ROUNDS = 40 }; /* Number of reports in a run. */

static void
apart_run(struct apart *a, const struct simple_net *config)
{
    weir_ps until = config->run.until_ps;
    weir_ps step = (weir_ps)1 << sim_window_bits(sim_model(a->sim));

    for (weir_ps now = 0, next = 0; now <= until; now += step) {
        weir_ps last = now + step - 1 < until ? now + step - 1 : until;
        for (uint32_t id = 0; id < a->topo->n_nodes; id++) {
            run_node(&a->nodes[id], last);
        }
        if (last >= next && last < until) {
            report(a, last, false);
            next = last + until / ROUNDS;
        }
    }
    report(a, until, true);
}

/* The law. */

static void
compare_deadlocks(const struct draw *d, uint64_t seed, const struct sim_deadlock *a,
                  const struct sim_deadlock *b)
{
    if (a->found != b->found || a->formed_ps != b->formed_ps || a->n_cycle != b->n_cycle ||
        memcmp(a->cycle, b->cycle, a->n_cycle * sizeof *a->cycle)) {
        draw_fail(d, seed, "another deadlock");
    }
}

static void
compare(const struct draw *d, uint64_t seed, const struct sim *whole, const struct apart *a)
{
    struct sim_totals x = sim_totals(whole), y = sim_totals(a->sim);
    struct sim_deadlock dead = sim_deadlock(whole), dead_too = sim_deadlock(a->sim);
    struct err err;

    if (x.hash != y.hash || x.n_hops != y.n_hops || x.n_dropped != y.n_dropped ||
        x.n_dropped_lossless != y.n_dropped_lossless || x.n_pfc_pauses != y.n_pfc_pauses) {
        draw_fail(d, seed, "another result");
    }
    if (d->config.watchdog.detection_ps == 0) {
        compare_deadlocks(d, seed, &dead, &dead_too);
    }
    if (!sim_is_conserved(a->sim, &err)) {
        draw_fail(d, seed, err.text);
    }
}

struct counts {
    unsigned n_run, n_deadlocks, n_dropped;
};

/* Runs a scenario node by node and compares the results; returns false if it cannot run node by
 * node. */
static bool
try(struct draw *d, uint64_t seed, struct counts *counts)
{
    struct apart a;
    struct err err;
    bool can = apart_new(&a, &d->config, &err);

    if (can) {
        struct sim *whole = simple_net_sim_new(&d->config, &err);
        sim_run(whole);
        apart_run(&a, &d->config);
        compare(d, seed, whole, &a);
        counts->n_run++;
        counts->n_deadlocks += sim_deadlock(a.sim).found;
        counts->n_dropped += sim_totals(a.sim).n_dropped > 0;
        sim_free(whole);
    }
    apart_free(&a);
    return can;
}

static bool
has_names_twice(const struct draw *d)
{
    bool may = d->is_astray || d->is_trap;

    for (uint32_t i = 0; i < d->config.n_flows && !may; i++) {
        const struct simple_net_flow *f = &d->flows[i];
        may = f->path || transport_recovery(f->transport, f->recovery)->is_reliable;
    }
    return may;
}

/* Whether separate nodes must have the same results. A run with a run-out ends when all flows have
 * ended, which no single node can know. If a packet comes to a crossbar again, or is retransmitted,
 * its copies there have one name in a simulation, but different names in separate nodes. */
static bool
can_be_compared(const struct draw *d)
{
    return !d->config.run.measured.until_ps && !(d->is_crossed && has_names_twice(d));
}

static void
nodes_apart_come_to_the_same(void **state)
{
    struct counts counts = { 0 };

    (void)state;
    for (uint64_t seed = FIRST_SEED; counts.n_run < N_SCENARIOS; seed++) {
        struct draw d;
        draw_start(&d, seed);
        if (can_be_compared(&d)) {
            try(&d, seed, &counts);
        }
        draw_stop(&d);
    }
    assert_true(counts.n_deadlocks > 0);
    assert_true(counts.n_dropped > 0);
}

/* A port that sends slower than at first still receives what its peer sends. This scenario once
 * failed: packets that arrived soon after the start counted as lost, in networks where some other
 * link is down. */
static void
slow_ports_take_what_comes(void **state)
{
    enum { SEED = 1104 };
    struct counts counts = { 0 };
    struct draw d;

    (void)state;
    draw_start(&d, SEED);
    assert_true(d.config.n_slowings > 0);
    assert_true(try(&d, SEED, &counts));
    draw_stop(&d);
}

static bool
finds_deadlock(uint64_t seed, bool is_too_late)
{
    struct apart a;
    struct draw d;
    struct err err;

    draw_start(&d, seed);
    assert_true(apart_new(&a, &d.config, &err));
    a.late_ps = sim_watch_ps(a.sim) / 2 + is_too_late;
    apart_run(&a, &d.config);
    bool is_found = sim_deadlock(a.sim).found;
    apart_free(&a);
    draw_stop(&d);
    return is_found;
}

/* Queues that were each blocked at some time were not necessarily blocked at the same time, so
 * reports that are too far apart show no deadlock. */
static void
reports_far_apart_tell_no_deadlock(void **state)
{
    enum { SEED = 128 };

    (void)state;
    assert_true(finds_deadlock(SEED, false));
    assert_false(finds_deadlock(SEED, true));
}

int
main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = { cmocka_unit_test(nodes_apart_come_to_the_same),
                                        cmocka_unit_test(slow_ports_take_what_comes),
                                        cmocka_unit_test(reports_far_apart_tell_no_deadlock) };
    struct counts counts = { 0 };
    struct draw d;

    if (argc > 1) {
        draw_start(&d, strtoull(argv[1], NULL, 10));
        draw_print(&d);
        try(&d, strtoull(argv[1], NULL, 10), &counts);
        draw_stop(&d);
        return 0;
    }
    return cmocka_run_group_tests(tests, NULL, NULL);
}
