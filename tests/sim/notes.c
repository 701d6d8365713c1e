/* Notes and samples: each event is reported once and in order, for any number of threads. */

#include "base/array.h"
#include "hand.h"

static const weir_ps every = 7000000;

static const struct topo_build fat_tree = {
    .k = 4, .link = { .rate_bps = 10000000000, .delay_ps = 1000000 }
};

/* All notes and samples of a run. */
struct told {
    struct sim_note *notes;
    size_t n_notes, max_notes;
    uint64_t
        *samples; /* Time, queues, paused times and sent bytes; all samples have the same length. */
    size_t n_samples, max_samples;
    uint32_t n_taken;
    weir_ps last_ps;
    const struct net *net;
};

static void
take_notes(struct told *told, struct sim *sim)
{
    size_t n;
    const struct sim_note *notes = sim_take_notes(sim, &n);

    for (size_t i = 0; i < n; i++) {
        bool is_in_order =
            i == 0 || notes[i - 1].at_ps < notes[i].at_ps ||
            (notes[i - 1].at_ps == notes[i].at_ps && notes[i - 1].port <= notes[i].port);
        assert_true(is_in_order);
        assert_true(notes[i].flow == SIM_NO_FLOW ||
                    notes[i].cls == told->net->flows[notes[i].flow].cls);
        ARRAY_PUSH(told->notes, told->n_notes, told->max_notes) = notes[i];
    }
}

/* At any time, hosts have sent as many bytes as their flows, each byte is accounted for, and no
 * result is later than now. */
static void
assert_sums(const struct told *told, const struct sim *sim, weir_ps now)
{
    const struct topo *t = &told->net->topo;
    uint64_t of_ports = 0, of_flows = 0;
    struct err err = { 0 };

    for (uint32_t i = 0; i < t->n_nodes; i++) {
        bool is_nic = t->nodes[i].kind == TOPO_NIC;
        of_ports += is_nic ? sim_port_result(sim, t->nodes[i].first_port).sent_bytes : 0;
    }
    for (uint32_t i = 0; i < told->net->config.n_flows; i++) {
        of_flows += sim_flow_result(sim, i).sent_bytes;
        assert_true(sim_flow_result(sim, i).last_ps <= now);
    }
    if (told->net->flows[0].transport == &tp_raw) { /* ACKs belong to no flow. */
        assert_int_equal(of_ports, of_flows);
    }
    if (!sim_is_conserved(sim, &err)) {
        fail_msg("%s", err.text);
    }
}

static void
take_sample(void *arg, struct sim *sim, weir_ps now)
{
    struct told *told = arg;
    const struct topo *t = &told->net->topo;

    assert_true(told->n_taken == 0 ? now == 0 : now > told->last_ps);
    assert_true(now % every <= sim_window_ps(sim));
    told->n_taken++;
    told->last_ps = now;
    ARRAY_PUSH(told->samples, told->n_samples, told->max_samples) = (uint64_t)now;
    for (uint32_t slot = 0; slot < 2 * t->n_ports; slot++) {
        uint32_t port = slot / 2;
        struct sim_gate_state g = sim_gate_state(sim, port, slot % 2, now);
        ARRAY_PUSH(told->samples, told->n_samples, told->max_samples) =
            sim_queue_bytes(sim, port, slot % 2);
        ARRAY_PUSH(told->samples, told->n_samples, told->max_samples) = (uint64_t)g.paused_ps;
        ARRAY_PUSH(told->samples, told->n_samples, told->max_samples) =
            sim_port_result(sim, port).sent_bytes;
    }
    assert_sums(told, sim, now);
    take_notes(told, sim);
}

static struct sim *
run_network(struct net *net, uint32_t n_threads, struct told *told)
{
    *told = (struct told){ .net = net };
    net->config.run.n_threads = n_threads;
    net->config.run.notes = (1 << SIM_N_NOTES) - 1;
    net->config.run.sample_ps = every;
    net->config.run.sample = take_sample;
    net->config.run.sample_arg = told;
    struct sim *sim = hand_run(net);
    take_notes(told, sim);
    ASSERT_NEAR(told->n_taken, net->config.run.until_ps / every, 1);
    return sim;
}

static void
forget(struct told *told)
{
    free(told->notes);
    free(told->samples);
}

static void
assert_same(const struct told *a, const struct told *b)
{
    assert_int_equal(a->n_notes, b->n_notes);
    for (size_t i = 0; i < a->n_notes; i++) {
        const struct sim_note *x = &a->notes[i], *y = &b->notes[i];
        assert_true(x->at_ps == y->at_ps && x->port == y->port && x->flow == y->flow &&
                    x->value == y->value && x->kind == y->kind && x->cls == y->cls);
    }
    assert_int_equal(a->n_samples, b->n_samples);
    assert_memory_equal(a->samples, b->samples, a->n_samples * sizeof *a->samples);
}

/* A fat tree in which all hosts send to one, so that there are pauses. Some links lose packets, one
 * link is down for a while, and flows retransmit. */
static const struct topo_link_event away[] = { { 3, 200000000, false }, { 3, 260000000, true } };

static void
start_bad_tree(struct net *net, uint64_t loss, const struct transport *transport)
{
    struct topo_build bad = fat_tree;

    bad.link.loss = loss;
    net_start(net, topo_build_fat_tree, &bad, MODEL_ENDLESS, 3);
    for (uint32_t i = 1; i < net->config.n_flows; i++) {
        net->flows[i].to = net->flows[0].from;
    }
    for (uint32_t i = 0; i < net->config.n_flows; i++) {
        net->flows[i].transport = transport;
        net->flows[i].cls = i % 2;
    }
    net->config.n_classes = 2;
    net->config.lossless = 3;
    net->config.buffer.reserve_bytes = 60000;
    net->config.arbitration = "rr";
    net->config.link_events = away;
    net->config.n_link_events = 2;
}

static void
threads_do_not_matter(void **state)
{
    static const struct {
        const char *engine, *kind;
    } runs[] = { { "none", "oq" },
                 { "pfc", "oq" },
                 { "cbfc", "oq" },
                 { "gfc-buffer", "oq" },
                 { "none", "pipeline" } };
    bool seen[SIM_N_NOTES] = { false };
    struct net net;

    (void)state;
    start_bad_tree(&net, WEIR_RATIO_1 / 500, &tp_rdma);
    struct model_stall stall = { net.flows[0].from, 1, 300000000, 600000000 };
    net.config.stalls = &stall;
    net.config.n_stalls = 1;
    struct topo_slowing slowing = { 0, 1, 200000000, 1000000000 };
    net.config.slowings = &slowing;
    net.config.n_slowings = 1;
    net.config.watchdog = (struct model_watchdog){ MODEL_DROP, 50000000, 50000000 };
    for (size_t i = 0; i < sizeof runs / sizeof *runs; i++) {
        struct told one, more;
        net_use(&net, runs[i].engine);
        net.config.kind = sim_kind_find(runs[i].kind);
        net.config.hop_limit = i % 2 ? 0 : 4; /* Packets from other pods cross 5 switches. */
        net.config.dead = i % 2 ? MODEL_DEAD_FORWARD : MODEL_DEAD_FLUSH;
        sim_free(run_network(&net, 1, &one));
        for (uint32_t n_threads = 2; n_threads <= 3; n_threads++) {
            sim_free(run_network(&net, n_threads, &more));
            assert_same(&one, &more);
            forget(&more);
        }
        for (size_t k = 0; k < one.n_notes; k++) {
            seen[one.notes[k].kind] = true;
        }
        forget(&one);
    }
    for (size_t kind = 0; kind < SIM_N_NOTES; kind++) {
        bool is_of_messages = kind == SIM_NOTE_MESSAGE || kind == SIM_NOTE_HEARD;
        /* Tested in messages.c and waits.c. */
        if (!seen[kind] && !is_of_messages && kind != SIM_NOTE_BLAME) {
            fail_msg("no note of kind %s", sim_note_kinds[kind].name);
        }
    }
    net_stop(&net);
}

/* Checks that the notes of a gate are a pause, then its end, and so on.  The times between add up
 * to the time paused; the last pause may last until the end of the run.  Returns the number of
 * pauses that expired, at the time in their notes. */
static uint32_t
check_pauses(const struct told *told, const struct sim *sim, uint32_t port, uint8_t cls)
{
    weir_ps now = sim_now(sim), sum = 0;
    struct sim_gate_state g = sim_gate_state(sim, port, cls, now);
    const struct sim_note *pause = NULL;
    uint32_t n_pauses = 0, n_ran_out = 0;

    for (const struct sim_note *n = told->notes; n < told->notes + told->n_notes; n++) {
        if (n->port != port || n->cls != cls || n->kind > SIM_NOTE_RESUME) {
            continue;
        }
        assert_int_equal(n->kind, pause ? SIM_NOTE_RESUME : SIM_NOTE_PAUSE);
        if (pause) {
            assert_true(n->at_ps >= pause->at_ps);
            sum += n->at_ps - pause->at_ps;
            n_ran_out += n->at_ps == (weir_ps)pause->value;
        }
        n_pauses += !pause;
        pause = pause ? NULL : n;
    }
    assert_int_equal(g.n_pfc_pauses, n_pauses);
    assert_int_equal(g.is_paused, pause != NULL);
    assert_int_equal(g.paused_ps, sum + (pause ? now - pause->at_ps : 0));
    return n_ran_out;
}

struct pauses {
    /* Numbers of gates that were paused, and of pauses that expired. */
    uint32_t n_paused, n_ran_out;
};

static struct pauses
run_pauses(uint64_t quanta, uint64_t loss)
{
    struct pauses p = { 0 };
    struct told told;
    struct net net;

    start_bad_tree(&net, loss, &tp_raw);
    net_use(&net, "pfc");
    hand_set(&net, "quanta", quanta);
    struct sim *sim = run_network(&net, 1, &told);
    for (uint32_t slot = 0; slot < 2 * net.topo.n_ports; slot++) {
        p.n_ran_out += check_pauses(&told, sim, slot / 2, slot % 2);
        p.n_paused += sim_gate_state(sim, slot / 2, slot % 2, sim_now(sim)).n_pfc_pauses > 0;
    }
    sim_free(sim);
    forget(&told);
    net_stop(&net);
    return p;
}

static void
pauses_end_and_add_up(void **state)
{
    struct pauses p = run_pauses(65535, 0);

    (void)state;
    assert_true(p.n_paused > 10);
    assert_int_equal(p.n_ran_out, 0);
}

/* Pauses are short, and every tenth frame is lost, so some pauses are not refreshed in time. */
static void
a_pause_that_runs_out_ends_then(void **state)
{
    struct pauses p = run_pauses(60, WEIR_RATIO_1 / 10);

    (void)state;
    assert_true(p.n_paused > 10);
    assert_true(p.n_ran_out > 4);
}

/* Without ACKs, at each sample, hosts have sent as many bytes as their flows. */
static void
samples_add_up(void **state)
{
    struct told told;
    struct net net;

    (void)state;
    for (uint32_t n_threads = 1; n_threads <= 3; n_threads++) {
        start_bad_tree(&net, WEIR_RATIO_1 / 100, &tp_raw);
        net_use(&net, "pfc");
        sim_free(run_network(&net, n_threads, &told));
        forget(&told);
        net_stop(&net);
    }
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(threads_do_not_matter),
        cmocka_unit_test(pauses_end_and_add_up),
        cmocka_unit_test(a_pause_that_runs_out_ends_then),
        cmocka_unit_test(samples_add_up),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
