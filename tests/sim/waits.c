/* How long packets wait, and for what: closed forms, and laws over random traffic.
 *
 * In all comments, w is the transmission time of a packet.  If a flow is one packet, its total wait
 * is the time by which it is slower than alone. */

#include "hand.h"
#include "loopback.h"

#define G  1000000000ull
#define US ((weir_ps)1000000)

enum { MTU = 1500, N_SHOTS = 300, MAX_RANKS = 4 };

static const weir_ps wire = MTU * 800; /* The time of a packet at 10 Gb/s. */

static weir_ps
total_of(const struct sim_flow_wait *w)
{
    return w->pause_ps + w->credit_ps + w->rate_ps + w->control_ps + w->queue_ps;
}

/* The row of a flow at a port. */
static struct sim_flow_wait
wait_at(struct sim *sim, uint32_t flow, uint32_t port)
{
    size_t n;
    const struct sim_flow_wait *waits = sim_flow_waits(sim, &n);

    for (size_t i = 0; i < n; i++) {
        if (waits[i].flow == flow && waits[i].port == port) {
            return waits[i];
        }
    }
    fail_msg("flow %u has no row at port %u", flow, port);
    return waits[0];
}

static weir_ps
total_of_flow(struct sim *sim, uint32_t flow)
{
    size_t n;
    const struct sim_flow_wait *waits = sim_flow_waits(sim, &n);
    weir_ps sum = 0;

    for (size_t i = 0; i < n; i++) {
        sum += waits[i].flow == flow ? total_of(&waits[i]) : 0;
    }
    return sum;
}

static void
stop(struct net *net, struct sim *sim)
{
    sim_free(sim);
    net_stop(net);
}

static void
ask(struct net *net)
{
    net->config.run.why = true;
    net->config.run.notes =
        1u << SIM_NOTE_PAUSE | 1u << SIM_NOTE_RESUME | 1u << SIM_NOTE_RATE | 1u << SIM_NOTE_BLAME;
}

/* Switches in a line with a host at each end, 10 Gb/s; flows go from end to end. */
static void
start_line(struct net *net, uint32_t n_switches, uint32_t n_flows, uint64_t last_bps)
{
    hand_start(net);
    uint32_t from = hand_nic(net), at = from, to = hand_nic(net);
    for (uint32_t i = 0; i < n_switches; i++) {
        uint32_t next = hand_switch(net);
        hand_link(net, at, next, 10 * G, US);
        at = next;
    }
    hand_link(net, at, to, last_bps, US);
    hand_finish(net, n_flows);
    for (uint32_t i = 0; i < n_flows; i++) {
        net->flows[i].from = from;
        net->flows[i].to = to;
    }
    net_use(net, "none");
    ask(net);
}

static void
a_lone_flow_waits_nowhere(void **state)
{
    struct net net;
    size_t n;

    (void)state;
    start_line(&net, 3, 1, 10 * G);
    net.flows[0].bytes = 20 * MTU;
    struct sim *sim = hand_run(&net);
    const struct sim_flow_wait *waits = sim_flow_waits(sim, &n);
    /* A row for the NIC's port and for one port of each switch, in this order. */
    assert_int_equal(n, 4);
    for (size_t i = 0; i < n; i++) {
        assert_int_equal(waits[i].n_packets, 20);
        assert_int_equal(total_of(&waits[i]), 0);
        assert_int_equal(waits[i].first_ps, (weir_ps)i * (wire + US));
        assert_int_equal(waits[i].last_ps, waits[i].first_ps + 19 * wire);
    }
    stop(&net, sim);
}

/* Two packets arrive every w, at 0, 0, w, w, ..., and one leaves: the k-th leaves at k w.  The sum
 * of all waits is w (0 + ... + 2n - 1) - 2 w (0 + ... + n - 1) = n^2 w. */
static void
two_flows_wait_for_each_other(void **state)
{
    enum { N = 17 };
    struct net net;

    (void)state;
    hand_incast(&net, 2, 10 * G, US);
    net.flows[0].bytes = net.flows[1].bytes = N * MTU;
    net_use(&net, "none");
    ask(&net);
    struct sim *sim = hand_run(&net);
    uint32_t out = hand_port(&net, 0, 3);
    struct sim_flow_wait a = wait_at(sim, 0, out), b = wait_at(sim, 1, out);
    assert_int_equal(a.queue_ps + b.queue_ps, N * N * wire);
    assert_int_equal(total_of_flow(sim, 0) + total_of_flow(sim, 1), N * N * wire);
    stop(&net, sim);
}

/* Flows of one NIC alternate, but at first the flow that was served last sends one more packet,
 * before the new flow: a a b a b ... a b b.  So the first flow waits for n - 2 packets of the
 * second, and the second for n packets of the first. */
static void
flows_of_a_nic_take_turns(void **state)
{
    enum { N = 9 };
    struct net net;

    (void)state;
    start_line(&net, 1, 2, 10 * G);
    net.flows[0].bytes = net.flows[1].bytes = N * MTU;
    struct sim *sim = hand_run(&net);
    assert_int_equal(wait_at(sim, 0, 0).queue_ps, (N - 2) * wire);
    assert_int_equal(wait_at(sim, 1, 0).queue_ps, N * wire);
    assert_int_equal(total_of_flow(sim, 0), (N - 2) * wire);
    stop(&net, sim);
}

/* While one of two endless flows sends, the other waits, until the end of the run: a sender's wait
 * that has not ended counts, too. */
static void
senders_wait_until_the_end(void **state)
{
    struct net net;

    (void)state;
    start_line(&net, 1, 2, 10 * G);
    net.config.run.until_ps = 100 * wire + wire / 2;
    struct sim *sim = hand_run(&net);
    assert_int_equal(wait_at(sim, 0, 0).queue_ps + wait_at(sim, 1, 0).queue_ps, sim_now(sim));
    stop(&net, sim);
}

/* A flow without competition always has a packet to send.  So its NIC is idle only for one cause,
 * and the n-th packet starts at (n - 1) w plus that wait. */
static const struct single {
    const char *engine;
    uint64_t last_bps;
    const struct transport *transport;
    size_t offset; /* The cause of its waits. */
} singles[] = {
    { "pfc", 5 * G, NULL, offsetof(struct sim_flow_wait, pause_ps) },
    { "cbfc", 5 * G, NULL, offsetof(struct sim_flow_wait, credit_ps) },
    { "gfc-buffer", 5 * G, NULL, offsetof(struct sim_flow_wait, rate_ps) },
    { "ecn", 5 * G, &tp_dcqcn, offsetof(struct sim_flow_wait, control_ps) },
    { "none", 5 * G, &tp_dctcp, offsetof(struct sim_flow_wait, control_ps) },
};

static void
a_flow_waits_for_one_thing(void **state)
{
    uint64_t params[TP_PARAMS_MAX / sizeof(uint64_t)];

    (void)state;
    for (const struct single *s = singles; s < singles + sizeof singles / sizeof *singles; s++) {
        struct net net;
        start_line(&net, 1, 1, s->last_bps);
        net_use(&net, s->engine);
        net.config.buffer.reserve_bytes = 300000;
        net.config.run.until_ps = 3000 * US;
        net.flows[0].transport = s->transport;
        if (s->transport) {
            weir_fields_default(s->transport->about.params, params);
            net.flows[0].transport_params = params;
        }
        struct sim *sim = hand_run(&net);
        struct sim_flow_wait w = wait_at(sim, 0, 0);
        weir_ps of_it = *(const weir_ps *)((const char *)&w + s->offset);
        /* A NIC also sends credit frames, for which the flow waits. */
        uint64_t n_frames = sim_port_result(sim, 0).n_frames_sent;
        assert_int_equal(of_it + w.queue_ps, total_of(&w));
        assert_in_range(w.queue_ps, 0, n_frames * WEIR_CONTROL_BYTES * 800);
        assert_true(of_it > 1000 * US);
        /* The flow may still wait, after all packets that it has sent. */
        uint64_t n_sent = sim_flow_result(sim, 0).sent_bytes / MTU;
        assert_int_equal(total_of(&w), w.last_ps - (weir_ps)(w.n_packets - 1) * wire);
        assert_in_range(w.n_packets, n_sent, n_sent + 1);
        stop(&net, sim);
    }
}

/* A rate limit blocks a flow while the link is free.  Two flows of a NIC always have a packet to
 * send: one waits for each packet of the other, and both wait while the NIC does not send. */
static void
what_is_on_the_wire_is_no_rate(void **state)
{
    struct net net;

    (void)state;
    start_line(&net, 1, 2, 5 * G);
    net_use(&net, "gfc-buffer");
    net.config.buffer.reserve_bytes = 300000;
    net.config.run.until_ps = 3000 * US;
    struct sim *sim = hand_run(&net);
    struct sim_flow_wait a = wait_at(sim, 0, 0), b = wait_at(sim, 1, 0);
    weir_ps idle = 3000 * US - (weir_ps)(a.n_packets + b.n_packets) * wire;
    assert_in_range(a.rate_ps, idle - 5 * wire, idle + 5 * wire);
    assert_in_range(a.queue_ps, (weir_ps)(b.n_packets - 5) * wire, (weir_ps)b.n_packets * wire);
    assert_true(idle > 1000 * US);
    stop(&net, sim);
}

/* Data that an application has not yet provided does not wait.  One packet is due every 5/2 w, next
 * to a flow that sends all the time: every other packet is due in the middle of a packet of that
 * flow. */
static void
a_pace_of_its_own_is_no_wait(void **state)
{
    enum { N = 20 };
    struct net net;

    (void)state;
    start_line(&net, 1, 2, 10 * G);
    net.flows[0].rate_bps = 4 * G;
    net.flows[0].bytes = N * MTU;
    net.flows[1].bytes = 3 * N * MTU;
    struct sim *sim = hand_run(&net);
    struct sim_flow_wait w = wait_at(sim, 0, 0);
    assert_int_equal(w.n_packets, N);
    assert_int_equal(w.last_ps, (N - 1) * 5 * wire / 2 + wire / 2);
    assert_int_equal(w.queue_ps, N / 2 * wire / 2);
    assert_int_equal(total_of_flow(sim, 0), w.queue_ps);
    stop(&net, sim);
}

/* Pauses, compared with notes. */

static weir_ps
overlap(weir_ps a, weir_ps b, weir_ps from, weir_ps to)
{
    weir_ps start = a > from ? a : from, end = b < to ? b : to;

    return end > start ? end - start : 0;
}

/* The time for which a gate was paused between two times, by its notes. */
static weir_ps
paused_between(const struct sim_note *notes, size_t n, const struct sim_flow_wait *w)
{
    weir_ps sum = 0, since = -1;

    for (size_t i = 0; i < n; i++) {
        if (notes[i].port != w->port || notes[i].cls != w->cls) {
            continue;
        }
        if (notes[i].kind == SIM_NOTE_PAUSE) {
            since = notes[i].at_ps;
        } else if (notes[i].kind == SIM_NOTE_RESUME) {
            sum += overlap(since, notes[i].at_ps, w->first_ps, w->last_ps);
            since = -1;
        }
    }
    return sum + (since >= 0 ? overlap(since, WEIR_NEVER, w->first_ps, w->last_ps) : 0);
}

/* Two switches: H2 and H3 are at the first, the others at the second.  H3 and H4 send to H5, so the
 * link between the switches is paused. At the same time single packets go from H2 to H6. They are
 * victims, because they do not cross the output to H5. */
enum { S0, S1, H2, H3, H4, H5, H6 };

static void
start_victims(struct net *net)
{
    hand_start(net);
    hand_switch(net);
    hand_switch(net);
    for (uint32_t i = H2; i <= H6; i++) {
        hand_nic(net);
    }
    hand_link(net, S0, S1, 10 * G, US);
    for (uint32_t i = H2; i <= H6; i++) {
        hand_link(net, i, i <= H3 ? S0 : S1, 10 * G, US);
    }
    hand_finish(net, 2 + N_SHOTS);
    net->flows[0] = (struct simple_net_flow){
        .from = H3, .to = H5, .bytes = MODEL_ENDLESS, .rate_bps = WEIR_UNLIMITED
    };
    net->flows[1] = (struct simple_net_flow){
        .from = H4, .to = H5, .bytes = MODEL_ENDLESS, .rate_bps = WEIR_UNLIMITED
    };
    for (uint32_t i = 0; i < N_SHOTS; i++) {
        net->flows[2 + i] = (struct simple_net_flow){ .from = H2,
                                                      .to = H6,
                                                      .bytes = MTU - 2 * i,
                                                      .rate_bps = WEIR_UNLIMITED,
                                                      .start_ps = 100 * US + i * 8 * US };
    }
    net->config.buffer.reserve_bytes = 200000;
    net->config.run.until_ps = 4000 * US;
    ask(net);
}

/* The wait of each single packet is the time by which it is slower than alone. Its wait for pauses
 * is the time for which its port was paused while the packet was there, or less if the packet
 * crossed to its output meanwhile.  Returns the number of flows that a pause blocked at the first
 * switch. */
static uint32_t
check_shots(struct sim *sim, uint32_t first, uint32_t n_flows, bool is_carried)
{
    uint32_t n_paused = 0;
    size_t n, n_notes;
    const struct sim_note *notes = sim_take_notes(sim, &n_notes);
    const struct sim_flow_wait *waits = sim_flow_waits(sim, &n);
    weir_ps *totals = calloc(n_flows, sizeof *totals);

    for (size_t i = 0; i < n; i++) {
        const struct sim_flow_wait *w = &waits[i];
        totals[w->flow] += total_of(w);
        if (w->flow >= first) {
            assert_int_equal(w->n_packets, 1);
            weir_ps paused_ps = paused_between(notes, n_notes, w);
            assert_true(w->pause_ps == paused_ps || (is_carried && w->pause_ps < paused_ps));
            n_paused += w->pause_ps > 0;
        }
    }
    for (uint32_t f = first; f < n_flows; f++) {
        struct sim_flow_result r = sim_flow_result(sim, f);
        if (r.n_received) {
            assert_int_equal(totals[f], r.last_ps - r.started_ps - sim_flow_ideal_ps(sim, f));
        }
    }
    free(totals);
    return n_paused;
}

static void
a_victim_waits_while_its_port_is_paused(void **state)
{
    struct net net;

    (void)state;
    start_victims(&net);
    net_use(&net, "pfc");
    struct sim *sim = hand_run(&net);
    uint32_t up = hand_port(&net, S0, S1), n_at_switch = 0;
    assert_true(check_shots(sim, 2, net.config.n_flows, false) > N_SHOTS / 4);
    for (uint32_t f = 2; f < net.config.n_flows; f++) {
        n_at_switch += wait_at(sim, f, hand_port(&net, H2, S0)).n_packets == 1 &&
                       sim_flow_result(sim, f).n_received && wait_at(sim, f, up).pause_ps > 0;
    }
    assert_true(n_at_switch > N_SHOTS / 10);
    stop(&net, sim);
}

/* The total wait of the flows from 'first' on, at a port. */
static struct sim_flow_wait
sum_at(struct sim *sim, uint32_t first, uint32_t port)
{
    struct sim_flow_wait sum = { .port = port };
    size_t n;
    const struct sim_flow_wait *waits = sim_flow_waits(sim, &n);

    for (size_t i = 0; i < n; i++) {
        if (waits[i].flow >= first && waits[i].port == port) {
            sum.n_packets += waits[i].n_packets;
            sum.pause_ps += waits[i].pause_ps;
            sum.control_ps += waits[i].control_ps;
            sum.queue_ps += waits[i].queue_ps;
        }
    }
    return sum;
}

/* Sums waits at H2 and at the first switch: of three flows that replace the single packets, or of
 * single packets that start when a packet of these flows is due. */
static void
run_paced(bool are_flows, struct sim_flow_wait sums[2])
{
    static const struct {
        uint64_t rate_bps;
        uint32_t n_packets;
    } paces[] = { { 250000000, 100 }, { 100000000, 40 }, { 150000000, 60 } };
    struct net net;
    uint32_t n = 2;

    start_victims(&net);
    net_use(&net, "pfc");
    for (uint32_t i = 0; i < 3; i++) {
        for (uint32_t k = 0; k < (are_flows ? 1 : paces[i].n_packets); k++, n++) {
            net.flows[n].bytes = are_flows ? paces[i].n_packets * MTU : MTU;
            net.flows[n].rate_bps = are_flows ? paces[i].rate_bps : WEIR_UNLIMITED;
            net.flows[n].start_ps = k * weir_wire_ps(MTU, paces[i].rate_bps);
        }
    }
    net.config.n_flows = n;
    net.config.run.until_ps = 5000 * US;
    struct sim *sim = hand_run(&net);
    sums[0] = sum_at(sim, 2, hand_port(&net, H2, S0));
    sums[1] = sum_at(sim, 2, hand_port(&net, S0, S1));
    stop(&net, sim);
}

/* The end of the pause that a port is in at a time, or that time if there is no pause. */
static weir_ps
open_from(const struct sim_note *notes, size_t n, uint32_t port, weir_ps at)
{
    weir_ps since = WEIR_NEVER;

    for (size_t i = 0; i < n; i++) {
        if (notes[i].port == port && notes[i].kind == SIM_NOTE_PAUSE) {
            since = notes[i].at_ps;
        } else if (notes[i].port == port && notes[i].kind == SIM_NOTE_RESUME) {
            if (since <= at && at < notes[i].at_ps) {
                return notes[i].at_ps;
            }
            since = WEIR_NEVER;
        }
    }
    return at;
}

/* A sender has a rate limit, so that the time between its packets is longer than their
 * transmission. The pauses of its port determine when each packet starts. A packet waits from the
 * time at which it is due and the packet before it has left. */
static void
a_pace_of_its_own_is_paused(void **state)
{
    enum { N = 3000 };
    weir_ps pace = wire * 5 / 4, due = 0, out = 0, start = 0, waited = 0;
    struct net net;
    size_t n;

    (void)state;
    start_line(&net, 1, 1, 5 * G);
    net_use(&net, "pfc");
    net.config.buffer.reserve_bytes = 300000;
    net.flows[0].rate_bps = 8 * G;
    net.flows[0].bytes = N * MTU;
    net.config.run.until_ps = 20000 * US;
    struct sim *sim = hand_run(&net);
    const struct sim_note *notes = sim_take_notes(sim, &n);
    for (uint32_t i = 0; i < N; i++) {
        weir_ps from = due > out ? due : out;
        start = open_from(notes, n, 0, from);
        waited += start - from;
        due = due + pace > start ? due + pace : start;
        out = start + wire;
    }
    struct sim_flow_wait w = wait_at(sim, 0, 0);
    assert_int_equal(w.n_packets, N);
    assert_int_equal(w.last_ps, start);
    assert_int_equal(w.pause_ps, waited);
    assert_int_equal(total_of(&w), waited);
    assert_true(waited > 1000 * US);
    stop(&net, sim);
}

/* Packets of flows with a rate limit wait for the same causes and times as flows of one packet. */
static void
pauses_count_from_when_a_packet_is_due(void **state)
{
    struct sim_flow_wait of_flows[2], of_shots[2];

    (void)state;
    run_paced(true, of_flows);
    run_paced(false, of_shots);
    assert_memory_equal(of_flows, of_shots, sizeof of_flows);
    assert_int_equal(of_flows[0].n_packets, 200);
    assert_true(of_flows[0].queue_ps > 0 && of_flows[1].pause_ps > 0);
}

/* The last output that was blamed for an input. */
static uint32_t
blamed(const struct sim_note *notes, size_t n, uint32_t input)
{
    uint32_t port = UINT32_MAX;

    for (size_t i = 0; i < n; i++) {
        if (notes[i].kind == SIM_NOTE_BLAME && notes[i].port == input) {
            port = (uint32_t)notes[i].value;
        }
    }
    return port;
}

/* Four switches in a line. H4 and H5 at the first send to H6 at the last, whose link is slow.
 * Pauses go from there to the first switch: each input is blamed on the output towards H6. */
static void
a_pause_tree_has_one_root(void **state)
{
    struct net net;
    size_t n;

    (void)state;
    hand_start(&net);
    for (uint32_t i = 0; i < 4; i++) {
        hand_switch(&net);
    }
    for (uint32_t i = 4; i <= 6; i++) {
        hand_nic(&net);
    }
    for (uint32_t i = 0; i < 3; i++) {
        hand_link(&net, i, i + 1, 10 * G, US);
    }
    hand_link(&net, 4, 0, 10 * G, US);
    hand_link(&net, 5, 0, 10 * G, US);
    hand_link(&net, 6, 3, 1 * G, US);
    hand_finish(&net, 2);
    net.flows[0].from = 4;
    net.flows[1].from = 5;
    net.flows[0].to = net.flows[1].to = 6;
    net.config.buffer.reserve_bytes = 200000;
    net_use(&net, "pfc");
    ask(&net);
    struct sim *sim = hand_run(&net);
    const struct sim_note *notes = sim_take_notes(sim, &n);
    const uint32_t outs[] = { hand_port(&net, 0, 1), hand_port(&net, 1, 2), hand_port(&net, 2, 3),
                              hand_port(&net, 3, 6) };
    assert_int_equal(blamed(notes, n, hand_port(&net, 0, 4)), outs[0]);
    assert_int_equal(blamed(notes, n, hand_port(&net, 0, 5)), outs[0]);
    for (uint32_t i = 0; i < 3; i++) {
        assert_int_equal(blamed(notes, n, net.topo.ports[outs[i]].peer), outs[i + 1]);
        assert_true(wait_at(sim, 0, outs[i]).pause_ps > 0);
    }
    assert_int_equal(wait_at(sim, 0, outs[3]).pause_ps, 0);
    assert_true(wait_at(sim, 0, outs[3]).queue_ps > 0);
    /* Bytes that are queued at the end count where they are, except for two packets on a link and
     * the packets of the NIC. */
    uint64_t n_out = wait_at(sim, 0, hand_port(&net, 4, 0)).n_packets;
    assert_in_range(n_out - wait_at(sim, 0, outs[0]).n_packets, 0, 3);
    stop(&net, sim);
}

/* Random traffic: packets that all start at once, from all hosts of a fat tree to a few. */

enum { N_RANDOM = 800 };

static void
start_random(struct net *net, uint64_t seed)
{
    struct topo_build tree = { .k = 4, .link = { .rate_bps = 10 * G, .delay_ps = US } };

    net_start(net, topo_build_fat_tree, &tree, MTU, seed);
    free(net->flows);
    net->flows = calloc(N_RANDOM, sizeof *net->flows);
    for (uint32_t i = 0; i < N_RANDOM; i++) {
        uint32_t from = (uint32_t)(weir_random(&seed) % 16),
                 to = (uint32_t)(weir_random(&seed) % 2);
        net->flows[i] = (struct simple_net_flow){ .from = net_nic(net, from),
                                                  .to = net_nic(net, to == from ? 15 - to : to),
                                                  .bytes = 64 + weir_random(&seed) % (MTU - 64),
                                                  .rate_bps = WEIR_UNLIMITED,
                                                  .start_ps = (weir_ps)(weir_random(&seed) %
                                                                        (30 * (uint64_t)US)) };
    }
    net->config.flows = net->flows;
    net->config.n_flows = N_RANDOM;
    net->config.buffer.reserve_bytes = 60000;
    ask(net);
}

static void
longer_than_alone_is_waited(void **state)
{
    static const char *const kinds[] = { "oq", "pipeline", "cioq" };
    static const char *const arbitrations[] = { "fifo", "rr", "random", "wfq", "input-fifo" };
    static const char *const engines[] = { "none", "pfc", "cbfc", "gfc-buffer", "ttl" };
    uint64_t seed = 1, n_arrived = 0, n_paused = 0;

    (void)state;
    for (size_t i = 0; i < 3 * 5 * 5; i++) {
        struct net net;
        const char *arbitration = i % 3 && i / 3 % 5 == 4 ? "transit" : arbitrations[i / 3 % 5];
        start_random(&net, seed++);
        net.config.kind = sim_kind_find(kinds[i % 3]);
        struct sim *sim = net_run(&net, engines[i / 15], arbitration, 1);
        n_paused += check_shots(sim, 0, N_RANDOM, i % 3);
        for (uint32_t f = 0; f < N_RANDOM; f++) {
            n_arrived += sim_flow_result(sim, f).n_received;
        }
        stop(&net, sim);
    }
    assert_true(n_arrived > 70 * (uint64_t)N_RANDOM && n_paused > 1000);
}

/* Recording waits changes no result, and threads and ranks report the same waits. */

struct told {
    uint64_t hash;
    struct sim_flow_wait *waits;
    struct sim_note *notes;
    size_t n_waits, n_notes;
};

static void *
copy_of(const void *items, size_t n_bytes)
{
    void *copy = malloc(n_bytes + 1);

    return n_bytes ? memcpy(copy, items, n_bytes) : copy;
}

static struct told
add_wait(struct sim *sim)
{
    struct told told = { .hash = sim_totals(sim).hash };
    const struct sim_flow_wait *waits = sim_flow_waits(sim, &told.n_waits);

    told.waits = copy_of(waits, told.n_waits * sizeof *waits);
    const struct sim_note *notes = sim_take_notes(sim, &told.n_notes);
    told.notes = copy_of(notes, told.n_notes * sizeof *notes);
    return told;
}

static void
forget(struct told *told)
{
    free(told->waits);
    free(told->notes);
}

static void
assert_told_same(struct told more, const struct told *one)
{
    assert_true(more.hash == one->hash);
    assert_int_equal(more.n_waits, one->n_waits);
    assert_int_equal(more.n_notes, one->n_notes);
    for (size_t i = 0; i < one->n_waits; i++) {
        const struct sim_flow_wait *a = &more.waits[i], *b = &one->waits[i];
        assert_true(a->flow == b->flow && a->port == b->port && a->cls == b->cls);
        assert_memory_equal(&a->n_packets, &b->n_packets,
                            sizeof *a - offsetof(struct sim_flow_wait, n_packets));
    }
    for (size_t i = 0; i < one->n_notes; i++) {
        const struct sim_note *a = &more.notes[i], *b = &one->notes[i];
        assert_true(a->at_ps == b->at_ps && a->port == b->port && a->value == b->value &&
                    a->kind == b->kind && a->cls == b->cls);
    }
    forget(&more);
}

static struct told
tell_by_ranks(struct net *net, const char *engine)
{
    struct loopback *l = loopback_new(MAX_RANKS);
    struct sim *sims[MAX_RANKS];

    net_use(net, engine);
    assert_true(loopback_run(l, loopback_simple_net, &net->config, sims));
    struct told told = add_wait(sims[0]);
    for (uint32_t i = 0; i < MAX_RANKS; i++) {
        sim_free(sims[i]);
    }
    loopback_free(l);
    return told;
}

static struct told
tell_by_threads(struct net *net, const char *engine, uint32_t n_threads, void (*run)(struct sim *))
{
    struct sim *sim = net_new(net, engine, "fifo", n_threads);

    run(sim);
    struct told told = add_wait(sim);
    sim_free(sim);
    return told;
}

static void
asking_changes_nothing(void **state)
{
    static const char *const engines[] = { "pfc", "cbfc", "gfc-buffer" };
    const struct transport *const controls[] = { NULL, &tp_rdma, &tp_dctcp };
    uint64_t params[TP_PARAMS_MAX / sizeof(uint64_t)];

    (void)state;
    for (size_t i = 0; i < 3; i++) {
        struct topo_build tree = { .k = 4, .link = { .rate_bps = 10 * G, .delay_ps = US } };
        struct net net;
        net_start(&net, topo_build_fat_tree, &tree, MODEL_ENDLESS, 3);
        net.config.run.until_ps = 300 * US;
        net.config.buffer.reserve_bytes = 90000;
        if (i == 2) {
            weir_fields_default(tp_dctcp.about.params, params);
        }
        for (uint32_t f = 0; f < net.config.n_flows; f++) {
            net.flows[f].transport = controls[i];
            net.flows[f].transport_params = params;
        }
        struct told unasked = tell_by_threads(&net, engines[i], 1, sim_run);
        assert_int_equal(unasked.n_waits, 0);
        ask(&net);
        struct told one = tell_by_threads(&net, engines[i], 1, sim_run);
        assert_true(one.hash == unasked.hash);
        assert_true(one.n_waits > 16 && (one.n_notes || i == 2));
        assert_told_same(tell_by_threads(&net, engines[i], 2, sim_run), &one);
        assert_told_same(tell_by_threads(&net, engines[i], 4, sim_run), &one);
        assert_told_same(tell_by_threads(&net, engines[i], 1, sim_run_reference), &one);
        assert_told_same(tell_by_ranks(&net, engines[i]), &one);
        forget(&one);
        forget(&unasked);
        net_stop(&net);
    }
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_lone_flow_waits_nowhere),
        cmocka_unit_test(two_flows_wait_for_each_other),
        cmocka_unit_test(flows_of_a_nic_take_turns),
        cmocka_unit_test(senders_wait_until_the_end),
        cmocka_unit_test(a_flow_waits_for_one_thing),
        cmocka_unit_test(what_is_on_the_wire_is_no_rate),
        cmocka_unit_test(a_pace_of_its_own_is_no_wait),
        cmocka_unit_test(a_pace_of_its_own_is_paused),
        cmocka_unit_test(pauses_count_from_when_a_packet_is_due),
        cmocka_unit_test(a_victim_waits_while_its_port_is_paused),
        cmocka_unit_test(a_pause_tree_has_one_root),
        cmocka_unit_test(longer_than_alone_is_waited),
        cmocka_unit_test(asking_changes_nothing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
