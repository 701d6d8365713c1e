/* Captures: each packet that crosses a chosen port is reported once, in the order in which the port
 * counted it, for any number of threads. */

#include "base/array.h"
#include "hand.h"

/* All crossings that the simulator reported in a run. */
struct told {
    struct sim_crossing *crossings;
    size_t n_crossings, max_crossings;
    size_t n_calls;
};

static bool
is_in_order(const struct sim_crossing *a, const struct sim_crossing *b)
{
    if (a->at_ps != b->at_ps) {
        return a->at_ps < b->at_ps;
    }
    return a->is_sent != b->is_sent ? b->is_sent : a->port <= b->port;
}

static void
take(void *arg, struct sim *sim, const struct sim_crossing *crossings, size_t n)
{
    struct told *told = arg;

    (void)sim;
    told->n_calls++;
    for (size_t i = 0; i < n; i++) {
        ARRAY_PUSH(told->crossings, told->n_crossings, told->max_crossings) = crossings[i];
        struct sim_crossing *last = &told->crossings[told->n_crossings - 1];
        assert_true(told->n_crossings == 1 || is_in_order(last - 1, last));
    }
}

/* A fat tree on fast links, so that reports are frequent. All hosts send to one, so that there are
 * pauses. Some links lose packets, one is down for a while, and flows retransmit. */
static const struct topo_build fast_tree = {
    .k = 4, .link = { .rate_bps = 400000000000, .delay_ps = 1000000, .loss = WEIR_RATIO_1 / 200 }
};

static const struct topo_link_event away[] = { { 3, 20000000, false }, { 3, 30000000, true } };

static void
start_bad_tree(struct net *net)
{
    net_start(net, topo_build_fat_tree, &fast_tree, MODEL_ENDLESS, 3);
    for (uint32_t i = 0; i < net->config.n_flows; i++) {
        net->flows[i].to = i ? net->flows[0].from : net->flows[0].to;
        net->flows[i].transport = i % 2 ? &tp_rdma : &tp_raw;
    }
    net->config.link_events = away;
    net->config.n_link_events = 2;
    net->config.buffer.reserve_bytes = 1000000;
    net->config.run.until_ps = 200000000;
}

static bool *
choose_all(const struct net *net)
{
    bool *captured = array_new(net->topo.n_ports, sizeof *captured);

    memset(captured, true, net->topo.n_ports);
    return captured;
}

static struct sim *
new_captured(struct net *net, const bool *captured, uint32_t n_threads, struct told *told)
{
    struct err err = { 0 };

    *told = (struct told){ 0 };
    net->config.run.captured = captured;
    net->config.run.crossed = take;
    net->config.run.crossed_arg = told;
    net->config.run.n_threads = n_threads;
    struct sim *sim = simple_net_sim_new(&net->config, &err);
    if (!sim) {
        fail_msg("%s", err.text);
    }
    return sim;
}

static struct sim *
run_captured(struct net *net, const bool *captured, uint32_t n_threads, struct told *told)
{
    struct sim *sim = new_captured(net, captured, n_threads, told);

    sim_run(sim);
    return sim;
}

static bool
is_same(const struct sim_crossing *a, const struct sim_crossing *b)
{
    return a->flow == b->flow && a->sequence == b->sequence && a->bytes == b->bytes &&
           a->cls == b->cls && a->ecn == b->ecn && a->kind == b->kind && a->n_hops == b->n_hops &&
           a->frame.len == b->frame.len && !memcmp(a->frame.bytes, b->frame.bytes, a->frame.len);
}

static void
assert_same(const struct told *a, const struct told *b)
{
    assert_int_equal(a->n_crossings, b->n_crossings);
    for (size_t i = 0; i < a->n_crossings; i++) {
        const struct sim_crossing *x = &a->crossings[i], *y = &b->crossings[i];
        assert_true(is_same(x, y) && x->at_ps == y->at_ps && x->port == y->port &&
                    x->is_sent == y->is_sent);
    }
}

/* With several threads, and in a plain event loop, which reports at its end, the same packets are
 * reported. */
static void
threads_do_not_matter(void **state)
{
    static const char *const engines[] = { "pfc", "cbfc", "gfc-buffer" };
    struct net net;

    (void)state;
    start_bad_tree(&net);
    bool *captured = choose_all(&net);
    for (size_t i = 0; i < sizeof engines / sizeof *engines; i++) {
        struct told one, more;
        net_use(&net, engines[i]);
        sim_free(run_captured(&net, captured, 1, &one));
        /* Reports come in many calls, so they are split at many points. */
        assert_true(one.n_calls > 50);
        for (uint32_t n_threads = 2; n_threads <= 3; n_threads++) {
            sim_free(run_captured(&net, captured, n_threads, &more));
            assert_same(&one, &more);
            free(more.crossings);
        }
        struct sim *plain = new_captured(&net, captured, 1, &more);
        sim_run_reference(plain);
        assert_same(&one, &more);
        sim_free(plain);
        free(more.crossings);
        free(one.crossings);
    }
    free(captured);
    net_stop(&net);
}

static void
a_capture_changes_nothing(void **state)
{
    struct told told;
    struct net net;

    (void)state;
    start_bad_tree(&net);
    net_use(&net, "pfc");
    struct sim *plain = hand_run(&net);
    bool *captured = choose_all(&net);
    struct sim *sim = run_captured(&net, captured, 2, &told);
    assert_int_equal(sim_totals(sim).hash, sim_totals(plain).hash);
    assert_int_equal(sim_totals(sim).n_hops, sim_totals(plain).n_hops);
    sim_free(plain);
    sim_free(sim);
    free(told.crossings);
    free(captured);
    net_stop(&net);
}

/* The number of packets that a port has sent matches the capture. */
static void
ports_agree(void **state)
{
    struct told told;
    struct net net;

    (void)state;
    start_bad_tree(&net);
    net_use(&net, "pfc");
    bool *captured = choose_all(&net);
    struct sim *sim = run_captured(&net, captured, 1, &told);
    for (uint32_t port = 0; port < net.topo.n_ports; port++) {
        struct sim_port_result want = sim_port_result(sim, port);
        uint64_t n_sent = 0, n_frames = 0, bytes = 0;
        for (const struct sim_crossing *c = told.crossings; c < told.crossings + told.n_crossings;
             c++) {
            bool is_here = c->port == port && c->is_sent;
            n_sent += is_here && c->flow != SIM_NO_FLOW;
            n_frames += is_here && c->flow == SIM_NO_FLOW;
            bytes += is_here && c->flow != SIM_NO_FLOW ? c->bytes : 0;
        }
        assert_int_equal(n_sent, want.n_sent);
        assert_int_equal(n_frames, want.n_frames_sent);
        assert_int_equal(bytes, want.sent_bytes);
    }
    assert_true(sim_totals(sim).n_lost > 100);
    sim_free(sim);
    free(told.crossings);
    free(captured);
    net_stop(&net);
}

/* The time from the start of a packet until it has arrived. */
static weir_ps
way_ps(const struct net *net, const struct sim_crossing *c)
{
    const struct topo_link *link = &net->topo.links[net->topo.ports[c->port].link];

    return link->delay_ps + weir_wire_ps(c->bytes + net->config.gap_bytes, link->rate_bps);
}

/* Compares the packets that a port has sent with those that its peer has received: each arrives on
 * time, or was lost.  Returns the number of lost packets. */
static uint64_t
match_link(const struct net *net, const struct told *told, uint32_t port)
{
    const struct sim_crossing *end = told->crossings + told->n_crossings, *got = told->crossings;
    uint32_t peer = net->topo.ports[port].peer;
    uint64_t n_lost = 0;

    for (const struct sim_crossing *c = told->crossings; c < end; c++) {
        if (c->port != port || !c->is_sent) {
            continue;
        }
        weir_ps at_ps = c->at_ps + way_ps(net, c);
        while (got < end && (got->port != peer || got->is_sent || got->at_ps < at_ps)) {
            assert_true(got->port != peer || got->is_sent); /* Every received packet was sent. */
            got++;
        }
        if (got < end && got->at_ps == at_ps) {
            assert_true(is_same(c, got));
            got++;
        } else {
            n_lost += at_ps <= net->config.run.until_ps;
        }
    }
    for (; got < end; got++) {
        assert_true(got->port != peer || got->is_sent);
    }
    return n_lost;
}

/* A frame takes effect some time after its arrival, so frames that arrive just before the end are
 * not reported as received. Packets that would arrive after the end are not counted as lost yet. */
static void
what_is_received_was_sent(void **state)
{
    struct told told;
    struct net net;
    uint64_t n_missing = 0, n_late = 0, n_flying = 0;

    (void)state;
    start_bad_tree(&net);
    net_use(&net, "pfc");
    bool *captured = choose_all(&net);
    struct sim *sim = run_captured(&net, captured, 1, &told);
    for (uint32_t port = 0; port < net.topo.n_ports; port++) {
        n_missing += match_link(&net, &told, port);
    }
    for (const struct sim_crossing *c = told.crossings; c < told.crossings + told.n_crossings;
         c++) {
        weir_ps came_ps = c->at_ps + way_ps(&net, c);
        n_late += c->is_sent && c->flow == SIM_NO_FLOW && came_ps <= net.config.run.until_ps &&
                  came_ps + net.config.response_ps > net.config.run.until_ps;
        n_flying += c->is_sent && came_ps > net.config.run.until_ps;
    }
    assert_true(n_late > 0);
    uint64_t n_lost = sim_totals(sim).n_lost;
    assert_in_range(n_missing, n_lost - n_flying, n_lost + n_late);
    assert_true(n_lost > n_flying);
    sim_free(sim);
    free(told.crossings);
    free(captured);
    net_stop(&net);
}

/* The capture of one port has the same packets of that port as a capture of all ports. */
static void
only_the_chosen_are_told(void **state)
{
    struct told all, one;
    struct net net;
    size_t n = 0;

    (void)state;
    start_bad_tree(&net);
    net_use(&net, "pfc");
    bool *captured = choose_all(&net);
    uint32_t port = net.topo.nodes[net_nic(&net, 0)].first_port;
    sim_free(run_captured(&net, captured, 2, &all));
    memset(captured, false, net.topo.n_ports);
    captured[port] = true;
    sim_free(run_captured(&net, captured, 2, &one));
    for (size_t i = 0; i < all.n_crossings; i++) {
        if (all.crossings[i].port == port) {
            assert_true(n < one.n_crossings);
            assert_true(is_same(&all.crossings[i], &one.crossings[n]));
            assert_int_equal(all.crossings[i].at_ps, one.crossings[n].at_ps);
            n++;
        }
    }
    assert_true(n > 1000);
    assert_int_equal(n, one.n_crossings);
    free(all.crossings);
    free(one.crossings);
    free(captured);
    net_stop(&net);
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(threads_do_not_matter),
        cmocka_unit_test(a_capture_changes_nothing),
        cmocka_unit_test(ports_agree),
        cmocka_unit_test(what_is_received_was_sent),
        cmocka_unit_test(only_the_chosen_are_told),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
