/* A network that is run twice, by the simulator and by a lab in virtual time, and all packets that
 * crossed its ports.
 *
 *     struct both both;
 *     both_simulate(&both, &config);
 *     both_run_lab(&both, &io);
 *     both_assert_same(&both);
 *     both_stop(&both);                                               */

#ifndef TESTS_DATAPLANE_VIRTUAL_NET_H
#define TESTS_DATAPLANE_VIRTUAL_NET_H

#include "base/array.h"
#include "dataplane/frame-needs.h"
#include "lab/virtual.h"
#include "net.h"
#include "sim/live.h"

struct trace { /* Packets that crossed all ports of a network, in order. */
    struct sim_crossing *items;
    size_t n, max;
};

struct both {
    const struct simple_net *config;
    /* The simulator, and the simulation that receives the reports of all nodes in the lab. */
    struct sim *sim, *lab;
    /* Crossings in the simulator, and those of the frames in the lab. */
    struct trace of_sim, of_lab;
    struct trace of_captures;         /* Crossings that captures report. */
    const struct dp_network *network; /* The decoder for frames of the lab. */
    bool loses;                       /* Whether some link loses packets. */
    uint64_t n_missed; /* Frames for which the lab had no memory, or no room at a port. */
};

/* The run in the simulator. */

static bool
both_loses(const struct topo *topo)
{
    bool loses = false;

    for (size_t i = 0; i < topo->n_links; i++) {
        loses |= topo->links[i].loss > 0;
    }
    return loses;
}

static void
both_keep_crossings(void *arg, struct sim *sim, const struct sim_crossing *crossings, size_t n)
{
    struct trace *trace = arg;

    (void)sim;
    for (size_t i = 0; i < n; i++) {
        ARRAY_PUSH(trace->items, trace->n, trace->max) = crossings[i];
    }
}

static struct sim *
both_new_sim(const struct simple_net *config)
{
    struct err err = { 0 };
    struct sim *sim = simple_net_sim_new(config, &err);

    if (!sim) {
        fail_msg("%s", err.text);
    }
    return sim;
}

/* Selects all ports; the caller frees the list. */
static bool *
both_capture(struct simple_net *config, struct trace *to)
{
    size_t n = config->topo->n_ports;
    bool *captured = array_new(n, sizeof *captured);

    memset(captured, true, n * sizeof *captured);
    config->run.captured = captured;
    config->run.crossed = both_keep_crossings;
    config->run.crossed_arg = to;
    return captured;
}

static inline void
both_simulate(struct both *both, const struct simple_net *net)
{
    struct simple_net config = *net;
    *both = (struct both){ .config = net, .loses = both_loses(net->topo) };
    bool *captured = both_capture(&config, &both->of_sim);

    both->sim = both_new_sim(&config);
    sim_run(both->sim);
    free(captured);
}

/* The run in the lab. */

static struct sim_crossing
both_packet(const struct both *both, const struct sim_packet *p)
{
    const struct simple_net_flow *f = &both->config->flows[p->flow];
    uint32_t to = p->kind == SIM_DATA ? f->to : f->from;

    assert_int_equal(p->dst, both->config->topo->nodes[to].index);
    return (struct sim_crossing){ .flow = p->flow,
                                  .sequence = p->sequence,
                                  .bytes = p->bytes,
                                  .cls = p->cls,
                                  .ecn = p->ecn,
                                  .kind = p->kind,
                                  .n_hops = p->n_hops,
                                  .to = SIM_NONE };
}

static struct sim_crossing
both_control(const struct sim_frame *c)
{
    return (struct sim_crossing){ .flow = SIM_NO_FLOW,
                                  .bytes = WEIR_CONTROL_BYTES,
                                  .n_hops = c->n_hops,
                                  .to = c->to,
                                  .from = c->from,
                                  .about = c->flow,
                                  .frame = c->frame };
}

static void
both_tap(void *arg, uint32_t port, const struct dp_frame *frame, weir_ps at, bool is_sent)
{
    struct both *both = arg;
    struct dp_parsed parsed;

    dp_frame_read(both->network, frame->bytes, frame->len, &parsed);
    if (parsed.what > DP_MESSAGE) {
        fail_msg("one of the %s: %u bytes", dp_whats[parsed.what].words, frame->len);
    }
    struct sim_crossing c = parsed.what == DP_PACKET ? both_packet(both, &parsed.packet)
                                                     : both_control(&parsed.control);
    c.at_ps = at;
    c.port = port;
    c.is_sent = is_sent;
    ARRAY_PUSH(both->of_lab.items, both->of_lab.n, both->of_lab.max) = c;
}

static bool
both_make_model(void *arg, struct model *model, struct err *err)
{
    return simple_net_model(arg, model, err);
}

/* The order in which the simulator reports packets that cross ports. */
static int
both_in_order(const void *a, const void *b)
{
    const struct sim_crossing *x = a, *y = b;

    if (x->at_ps != y->at_ps) {
        return x->at_ps < y->at_ps ? -1 : 1;
    }
    if (x->is_sent != y->is_sent) {
        return x->is_sent - y->is_sent;
    }
    return (x->port > y->port) - (x->port < y->port);
}

/* Whether tap and capture both report a crossing.  They differ in lost packets: a lab does not even
 * send frames that a link loses, and frames on a link that goes down arrive and are then ignored.
 * They also differ at the end, because the simulator reports a control frame when it takes
 * effect. */
static bool
both_is_told(const struct both *both, const struct sim_crossing *c)
{
    const struct simple_net *u = both->config;
    const struct topo_port *port = &u->topo->ports[c->port];
    bool is_for_here = c->flow == SIM_NO_FLOW && (c->to == SIM_NONE || c->to == port->node);
    weir_ps response = model_response_ps(sim_model(both->sim), port->node, port->number);
    weir_ps at = c->at_ps + (is_for_here ? response : 0), now = sim_now(both->sim);

    return c->is_sent ? !both->loses : !u->n_link_events && at < now + (now == u->run.until_ps);
}

static void
both_put_in_order(const struct both *both, struct trace *t)
{
    size_t n = 0;

    for (size_t i = 0; i < t->n; i++) {
        if (both_is_told(both, &t->items[i])) {
            t->items[n++] = t->items[i];
        }
    }
    t->n = n;
    array_sort(t->items, t->n, sizeof *t->items, both_in_order);
}

/* Comparison of the packets that crossed ports. */

static void
both_tell(const struct both *both, const char *who, const struct trace *t, size_t i)
{
    if (i >= t->n) {
        print_error("%s: nothing more\n", who);
        return;
    }
    const struct sim_crossing *c = &t->items[i];
    const struct topo_port *port = &both->config->topo->ports[c->port];
    print_error("%s: %lld ps, node %s port %u %s flow %d sequence %u bytes %u class %u ecn %u "
                "kind %u hops %u to %d from %u about %d, frame of %u:",
                who, (long long)c->at_ps, both->config->topo->nodes[port->node].name, port->number,
                c->is_sent ? "sent" : "received", (int)c->flow, c->sequence, c->bytes, c->cls,
                c->ecn, c->kind, c->n_hops, (int)c->to, c->from, (int)c->about, c->frame.len);
    for (uint32_t k = 0; k < c->frame.len; k++) {
        print_error(" %02x", c->frame.bytes[k]);
    }
    print_error("\n");
}

static bool
both_is_same_frame(const struct sim_crossing *a, const struct sim_crossing *b)
{
    bool is_message = a->to != SIM_NONE;

    return a->to == b->to && (!is_message || (a->from == b->from && a->about == b->about)) &&
           a->frame.len == b->frame.len && !memcmp(a->frame.bytes, b->frame.bytes, a->frame.len);
}

static bool
both_is_same(const struct sim_crossing *a, const struct sim_crossing *b)
{
    return !both_in_order(a, b) && a->flow == b->flow && a->sequence == b->sequence &&
           a->bytes == b->bytes && a->cls == b->cls && a->ecn == b->ecn && a->kind == b->kind &&
           a->n_hops == b->n_hops && both_is_same_frame(a, b);
}

static void
both_assert_same_crossings(const struct both *both, const struct trace *b)
{
    const struct trace *a = &both->of_sim;
    size_t i = 0;

    while (i < a->n && i < b->n && both_is_same(&a->items[i], &b->items[i])) {
        i++;
    }
    if (i < a->n || i < b->n) {
        print_error("after %zu of %zu that are the same\n", i, a->n);
        both_tell(both, "simulator", a, i);
        both_tell(both, "lab", b, i);
        fail();
    }
}

static inline void
both_run_lab(struct both *both, const struct dp_io *io)
{
    struct simple_net config = *both->config;
    struct sim_live hears = { .node = SIM_NONE };
    bool *captured = both_capture(&config, &both->of_captures);
    struct err err = { 0 };

    config.run.live = &hears;
    both->lab = both_new_sim(&config);
    config.run.live = NULL;
    struct lab_virtual *lab =
        lab_virtual_new(&(struct lab_virtual_config){ .io = io,
                                                      .make_model = both_make_model,
                                                      .make_arg = &config,
                                                      .sim = both->lab,
                                                      .nodes = config.run,
                                                      .tap = both_tap,
                                                      .tap_arg = both },
                        &err);
    if (!lab) {
        fail_msg("%s", err.text);
    }
    struct dp_network network = dp_network_of(sim_model(both->lab));
    both->network = &network;
    lab_virtual_run(lab);
    for (uint32_t id = 0; id < config.topo->n_nodes; id++) {
        struct dp_counts counts = lab_virtual_counts(lab, id);
        both->n_missed += counts.n_without_memory + counts.n_refused;
    }
    lab_virtual_free(lab);
    dp_network_free(&network);
    free(captured);
    both_assert_same_crossings(both, &both->of_captures);
    both_put_in_order(both, &both->of_sim);
    both_put_in_order(both, &both->of_lab);
}

static inline void
both_stop(struct both *both)
{
    sim_free(both->sim);
    sim_free(both->lab);
    free(both->of_sim.items);
    free(both->of_lab.items);
    free(both->of_captures.items);
}

/* Comparison of the results. */

/* Whether means over samples can be compared.  The simulator also runs a window in which a port was
 * to wake, even if the wake-up was cancelled. It may then sample queues once more, and the middle
 * of its run is a window later. */
static bool
both_have_same_windows(const struct both *both)
{
    weir_ps apart = sim_middle_ps(both->sim) - sim_middle_ps(both->lab);

    assert_true(apart >= 0 && apart < sim_window_ps(both->sim));
    return sim_totals(both->sim).n_windows == sim_totals(both->lab).n_windows;
}

static bool
both_is_same_storm(const struct sim_storms *a, const struct sim_storms *b)
{
    return a->is_storm == b->is_storm && a->n_storms == b->n_storms &&
           a->n_restored == b->n_restored && a->n_dropped == b->n_dropped &&
           a->first_ps == b->first_ps && a->ended_ps == b->ended_ps;
}

static void
both_assert_same_ports(const struct both *both)
{
    bool same_windows = both_have_same_windows(both);

    for (uint32_t port = 0; port < both->config->topo->n_ports; port++) {
        struct sim_port_result a = sim_port_result(both->sim, port);
        struct sim_port_result b = sim_port_result(both->lab, port);
        assert_memory_equal(&a, &b, sizeof a);
        for (uint8_t cls = 0; cls < both->config->n_classes; cls++) {
            struct sim_storms x = sim_storms(both->sim, port, cls);
            struct sim_storms y = sim_storms(both->lab, port, cls);
            assert_true(both_is_same_storm(&x, &y));
            assert_int_equal(sim_queue_peak_bytes(both->sim, port, cls),
                             sim_queue_peak_bytes(both->lab, port, cls));
            assert_true(!same_windows || sim_queue_mean_bytes(both->sim, port, cls) ==
                                             sim_queue_mean_bytes(both->lab, port, cls));
        }
    }
}

static void
both_assert_same_flows(const struct both *both)
{
    bool same_windows = both_have_same_windows(both);

    for (uint32_t flow = 0; flow < both->config->n_flows; flow++) {
        struct sim_flow_result a = sim_flow_result(both->sim, flow);
        struct sim_flow_result b = sim_flow_result(both->lab, flow);
        assert_memory_equal(&a, &b, sizeof a);
        assert_true(!same_windows ||
                    sim_flow_late_bps(both->sim, flow) == sim_flow_late_bps(both->lab, flow));
    }
}

static void
both_assert_same_deadlock(const struct both *both)
{
    struct sim_deadlock a = sim_deadlock(both->sim), b = sim_deadlock(both->lab);

    assert_int_equal(a.found, b.found);
    assert_int_equal(a.formed_ps, b.formed_ps);
    assert_int_equal(a.n_cycle, b.n_cycle);
    for (uint32_t i = 0; i < a.n_cycle; i++) {
        assert_int_equal(a.cycle[i].port, b.cycle[i].port);
        assert_int_equal(a.cycle[i].cls, b.cycle[i].cls);
        assert_int_equal(a.cycle[i].wait, b.cycle[i].wait);
    }
    assert_int_equal(a.n_flows, b.n_flows);
    assert_memory_equal(a.flows, b.flows, a.n_flows * sizeof *a.flows);
    assert_int_equal(a.n_stuck, b.n_stuck);
    assert_int_equal(a.broken_ps, b.broken_ps);
    assert_int_equal(a.n_formed, b.n_formed);
    assert_int_equal(a.stands, b.stands);
}

static inline void
both_assert_same(const struct both *both)
{
    struct sim_totals a = sim_totals(both->sim), b = sim_totals(both->lab);

    both_assert_same_crossings(both, &both->of_lab);
    both_assert_same_ports(both);
    both_assert_same_flows(both);
    both_assert_same_deadlock(both);
    net_conserved(both->lab);
    /* These may differ: an alarm of a node, or mail that arrives too early, is an event in one of
     * the two runs only, and may be the only event of a window. */
    a.n_events = b.n_events;
    a.n_windows = b.n_windows;
    assert_memory_equal(&a, &b, sizeof a);
    assert_int_equal(both->n_missed, 0);
}

#endif
