/* TCP at the NICs: send times of packets, to the picosecond where they can be derived, and windows
 * over time, compared with published values of NewReno.
 *
 * In all comments, w and f are the transmission times of a packet and an ACK, and d is the delay of
 * the first link; the last link has none.  A round trip is r = 2 w + 2 f + 2 d. */

#include <math.h>

#include "pair.h"

#define MS (1000000000ll)
#define US (1000000ll)

enum { MAX_ACTS = 4096 };

/* TCP itself, with a log of its actions. */

struct act {
    weir_ps at_ps;
    uint64_t before_bytes, after_bytes, flying_bytes;
    uint32_t n_acked, n_sent;
    bool has_timed_out;
};

struct diary {
    uint32_t n_cuts, n_growths, n_timeouts;
    struct act cuts[MAX_ACTS];
    weir_ps from_ps, last_ps; /* A window counts for the time that it holds, from 'from_ps' on. */
    double window_sum, byte_sum;
    uint64_t least_bytes, window_bytes, flying_bytes;
    weir_ps timeout_ps;
};

struct watched_params {
    uint64_t own[TP_PARAMS_MAX / sizeof(uint64_t) - 1];
    struct diary *diary;
};

/* The pointer to the log of a flow is at the end of its state, behind TCP's own. */
static struct diary **
diary_of(void *state)
{
    return (struct diary **)((char *)state + TP_STATE_MAX - sizeof(struct diary *));
}

static void
sum_window(struct diary *d, const struct tp_limits *limits, weir_ps now)
{
    if (now > d->from_ps) {
        d->window_sum += (double)d->window_bytes * (double)(now - d->last_ps);
    }
    d->last_ps = now > d->from_ps ? now : d->from_ps;
    d->window_bytes = limits->window_bytes;
    d->timeout_ps = limits->timeout_ps;
    if (!d->least_bytes || d->window_bytes < d->least_bytes) {
        d->least_bytes = d->window_bytes;
    }
}

/* Packets are sent only within the window: more bytes are in flight only if they were in flight
 * before the window was cut. */
static void
assert_within(struct diary *d, uint64_t window_bytes, uint64_t flying_bytes)
{
    uint64_t most = window_bytes > d->flying_bytes ? window_bytes : d->flying_bytes;

    assert_true(flying_bytes <= most);
    d->flying_bytes = flying_bytes;
}

static void
watched_start(void *state, const struct tp_env *env, const void *params, struct tp_limits *limits)
{
    const struct watched_params *p = params;

    tp_tcp.start(state, env, p->own, limits);
    *diary_of(state) = p->diary;
    sum_window(p->diary, limits, 0);
}

static void
note_cut(struct diary *d, const struct act *act)
{
    d->n_timeouts += act->has_timed_out;
    if (act->after_bytes < act->before_bytes || act->has_timed_out) {
        d->cuts[d->n_cuts++ % MAX_ACTS] = *act;
    }
}

static void
watched_acked(void *state, const struct tp_ack *heard, struct tp_limits *limits)
{
    struct diary *d = *diary_of(state);
    uint64_t before = limits->window_bytes;

    tp_tcp.acked(state, heard, limits);
    assert_true(heard->bytes > 0);
    assert_true(heard->n_acked <= heard->n_sent);
    assert_within(d, before, heard->flying_bytes);
    d->n_growths += limits->window_bytes > before;
    d->byte_sum += heard->now >= d->from_ps ? (double)heard->bytes : 0;
    note_cut(d, &(struct act){ heard->now, before, limits->window_bytes, heard->flying_bytes,
                               heard->n_acked, heard->n_sent, false });
    sum_window(d, limits, heard->now);
}

static void
watched_lost(void *state, const struct tp_loss *loss, struct tp_limits *limits)
{
    struct diary *d = *diary_of(state);
    uint64_t before = limits->window_bytes;

    tp_tcp.lost(state, loss, limits);
    assert_true(limits->window_bytes <= before);
    assert_within(d, before, loss->flying_bytes);
    note_cut(d, &(struct act){ loss->now, before, limits->window_bytes, loss->flying_bytes,
                               loss->n_acked, loss->n_sent, loss->has_timed_out });
    sum_window(d, limits, loss->now);
}

static struct transport
watched(void)
{
    struct transport t = tp_tcp;

    t.state_bytes = TP_STATE_MAX;
    t.start = watched_start;
    t.acked = watched_acked;
    t.lost = watched_lost;
    return t;
}

static void
set(uint64_t *params, const char *name, uint64_t value)
{
    weir_field_set(weir_field_find(tp_tcp.about.params, name), params, value);
}

static void
set_recovery(uint64_t *params, const char *name, uint64_t value)
{
    weir_field_set(weir_field_find(rc_selective.about.params, name), params, value);
}

struct one { /* A flow over a pair of links, with its parameters. */
    struct net net;
    struct transport transport;
    struct watched_params params;
    uint64_t recovery[RC_PARAMS_MAX / sizeof(uint64_t)];
    struct diary *diary;
};

static void
watch_flow(struct one *o, uint32_t flow)
{
    weir_fields_default(tp_tcp.about.params, o->params.own);
    weir_fields_default(rc_selective.about.params, o->recovery);
    o->transport = watched();
    o->diary = calloc(1, sizeof *o->diary);
    o->params.diary = o->diary;
    o->net.flows[flow].transport = &o->transport;
    o->net.flows[flow].transport_params = &o->params;
    o->net.flows[flow].recovery_params = o->recovery;
}

/* The first link has 10 Gb/s and the delay 'length', the last link has the rate 'last_bps'. */
static void
one_start(struct one *o, weir_ps length, uint64_t last_bps)
{
    *o = (struct one){ 0 };
    hand_start(&o->net);
    hand_switch(&o->net);
    hand_nic(&o->net);
    hand_nic(&o->net);
    hand_link(&o->net, SENDER, SWITCH, 10 * G, length);
    hand_link(&o->net, RECEIVER, SWITCH, last_bps, 0);
    hand_finish(&o->net, 1);
    o->net.flows[0].from = SENDER;
    o->net.flows[0].to = RECEIVER;
    watch_flow(o, 0);
    net_use(&o->net, "none");
    o->net.config.run.notes = 1 << SIM_NOTE_AGAIN;
}

static void
one_stop(struct one *o, struct sim *sim)
{
    sim_free(sim);
    net_stop(&o->net);
    free(o->diary);
}

/* Packet j of round k starts at k r + j w, and rounds have 3, 6, 12, ... packets, until a round is
 * as long as a round trip. From then on packets follow each other without a gap. */
static weir_ps
slow_start_ps(uint32_t packet, weir_ps round)
{
    uint32_t size = 3, k = 0;

    while (packet >= size && size * wire < round) {
        packet -= size;
        size *= 2;
        k++;
    }
    return k * round + packet * wire;
}

static void
slow_start_doubles_each_round(void **state)
{
    const weir_ps length = 20 * US, round = 2 * (wire + ack + length);

    (void)state;
    for (uint32_t n = 1; n <= 300; n += n < 60 ? 1 : 13) {
        struct one o;
        one_start(&o, length, 10 * G);
        o.net.flows[0].bytes = (uint64_t)n * MTU;
        struct sim *sim = hand_run(&o.net);
        struct sim_flow_result r = sim_flow_result(sim, 0);
        assert_int_equal(r.n_received, n);
        assert_int_equal(r.sent_bytes, r.received_bytes);
        assert_int_equal(r.last_ps, slow_start_ps(n - 1, round) + 2 * wire + length);
        assert_int_equal(o.diary->n_cuts, 0);
        one_stop(&o, sim);
    }
}

/* Just before a round is acknowledged, the window is the number of bytes that the round has sent.
 */
static void
the_window_doubles_each_round(void **state)
{
    const weir_ps length = 20 * US, round = 2 * (wire + ack + length);

    (void)state;
    for (uint32_t k = 0; k <= 4; k++) {
        struct one o;
        one_start(&o, length, 10 * G);
        o.net.config.run.until_ps = (k + 1) * round - 1;
        struct sim *sim = hand_run(&o.net);
        assert_int_equal(o.diary->window_bytes, (3u << k) * MTU);
        one_stop(&o, sim);
    }
}

/* All round trips are r: SRTT is r, and RTTVAR is first r/2, and with each sample three quarters of
 * its last value. */
static weir_ps
rto_after(uint32_t n_samples, weir_ps round, weir_ps least)
{
    weir_ps var = round / 2;

    for (; n_samples; n_samples--) {
        var = 3 * var / 4;
    }
    return round + 4 * var > least ? round + 4 * var : least;
}

/* Loses packet 'k' of a burst on the last link. */
static void
lose_packet(struct one *o, struct topo_link_event *events, uint32_t k)
{
    weir_ps cut = (k + 1) * wire + delay + wire / 2;

    events[0] = (struct topo_link_event){ 1, cut, false };
    events[1] = (struct topo_link_event){ 1, cut + 1000, true };
    o->net.config.link_events = events;
    o->net.config.n_link_events = 2;
}

/* The last of n packets is lost. It is retransmitted a timeout after the ACK of the packet before
 * it. */
static void
a_lost_last_packet_waits_for_the_timeout(void **state)
{
    const weir_ps round = 2 * (wire + ack + delay);
    static const weir_ps min[] = { US, 20 * US, 10 * MS };

    (void)state;
    for (uint32_t n = 1; n <= 40; n++) {
        for (int i = 0; i < 3; i++) {
            struct topo_link_event events[2];
            struct one o;
            one_start(&o, delay, 10 * G);
            set(o.params.own, "window", 40);
            set(o.params.own, "min_rto", (uint64_t)min[i]);
            o.net.flows[0].bytes = (uint64_t)n * MTU;
            o.net.config.run.until_ps = 20 * MS;
            lose_packet(&o, events, n - 1);
            struct sim *sim = hand_run(&o.net);
            weir_ps heard = n > 1 ? (n - 2) * wire + round : 0;
            weir_ps again = heard + rto_after(n - 1, round, min[i]);
            struct sim_note note = only_note(sim);
            assert_int_equal(note.at_ps, again);
            assert_int_equal(note.value, n - 1);
            assert_int_equal(sim_flow_result(sim, 0).last_ps, again + 2 * wire + delay);
            assert_int_equal(sim_flow_result(sim, 0).sent_bytes, (n + 1) * MTU);
            assert_int_equal(o.diary->n_timeouts, 1);
            assert_int_equal(o.diary->cuts[0].after_bytes, MTU);
            one_stop(&o, sim);
        }
    }
}

/* A switch has no room for a packet: the first timeout is 10 ms, and each further one is twice the
 * one before. */
static void
each_timeout_is_twice_the_one_before(void **state)
{
    static const weir_ps at[] = { 10 * MS, 30 * MS, 70 * MS, 150 * MS, 310 * MS };
    struct one o;
    size_t n;

    (void)state;
    one_start(&o, delay, 10 * G);
    o.net.flows[0].bytes = MTU;
    o.net.config.run.until_ps = 400 * MS;
    o.net.config.buffer.reserve_bytes = MTU - 1;
    struct sim *sim = hand_run(&o.net);
    const struct sim_note *notes = sim_take_notes(sim, &n);
    assert_int_equal(n, 5);
    for (size_t i = 0; i < n; i++) {
        assert_int_equal(notes[i].at_ps, at[i]);
    }
    assert_int_equal(o.diary->timeout_ps, 320 * MS);
    one_stop(&o, sim);
}

/* One packet is sent at a time, and the first is lost. It is retransmitted at T = 10 ms, and the
 * timeout is 20 ms until packet 1 has measured a round trip, at T + 2 r.  Packet 2, which is sent
 * then, is lost as well, and is retransmitted 10 ms after that: a timeout that has become shorter
 * applies. */
static void
a_round_trip_takes_the_doubling_back(void **state)
{
    const weir_ps round = 2 * (wire + ack + delay), again = 10 * MS;
    const weir_ps cut = delay + wire + wire / 2, late = again + round + wire + cut;
    const struct topo_link_event events[] = {
        { 1, cut, false }, { 1, cut + 1000, true }, { 1, late, false }, { 1, late + 1000, true }
    };
    struct one o;
    size_t n;

    (void)state;
    one_start(&o, delay, 10 * G);
    set(o.params.own, "window", 1);
    o.net.flows[0].bytes = 3 * MTU;
    o.net.config.run.until_ps = 100 * MS;
    o.net.config.link_events = events;
    o.net.config.n_link_events = 4;
    struct sim *sim = hand_run(&o.net);
    const struct sim_note *notes = sim_take_notes(sim, &n);
    assert_int_equal(n, 2);
    assert_int_equal(notes[0].at_ps, again);
    assert_int_equal(notes[1].at_ps, again + 2 * round + 10 * MS);
    assert_int_equal(sim_flow_result(sim, 0).n_received, 3);
    one_stop(&o, sim);
}

/* A flow without marks or losses fills a queue with all packets that its receiver can keep, 1024.
 * That is many times the number of entries in its track. Round trips are still measured, so the
 * flow does not time out, although they are a hundred times as long as on the empty path. */
static void
long_queues_do_not_hide_round_trips(void **state)
{
    struct one o;

    (void)state;
    one_start(&o, delay, G);
    set(o.params.own, "min_rto", (uint64_t)US);
    set(o.params.own, "window", 300);
    set(o.params.own, "first_rto", 100 * (uint64_t)MS);
    o.net.config.run.until_ps = 300 * MS;
    struct sim *sim = hand_run(&o.net);
    assert_int_equal(o.diary->n_cuts, 0);
    assert_in_range(o.diary->timeout_ps, 1023 * 10 * wire, 1100 * 10 * wire);
    one_stop(&o, sim);
}

/* Packet k of 20 is lost; the ACK of packet i arrives at i w + r.  The third ACK of a later packet
 * makes the sender retransmit packet k. Without fast retransmit the timeout does, which counts from
 * the ACK of packet k - 1, whatever else is acknowledged. */
static void
fast_retransmit_takes_three_or_is_off(void **state)
{
    enum { N = 20 };
    const weir_ps round = 2 * (wire + ack + delay);

    (void)state;
    for (int is_off = 0; is_off < 2; is_off++) {
        for (uint32_t k = 0; k + 3 < N; k++) {
            struct topo_link_event events[2];
            struct one o;
            one_start(&o, delay, 10 * G);
            set(o.params.own, "window", N);
            o.net.flows[0].bytes = (uint64_t)N * MTU;
            o.net.config.run.until_ps = 50 * MS;
            if (is_off) {
                set_recovery(o.recovery, "reorder", WEIR_OFF);
            }
            lose_packet(&o, events, k);
            struct sim *sim = hand_run(&o.net);
            struct sim_note note = only_note(sim);
            weir_ps heard = k ? (k - 1) * wire + round : 0;
            assert_int_equal(note.at_ps, is_off ? heard + 10 * MS : (k + 3) * wire + round);
            assert_int_equal(note.value, k);
            assert_int_equal(sim_flow_result(sim, 0).sent_bytes, (N + 1) * MTU);
            assert_int_equal(sim_flow_result(sim, 0).n_received, N);
            assert_int_equal(o.diary->n_cuts, 1);
            assert_int_equal(o.diary->n_timeouts, is_off);
            one_stop(&o, sim);
        }
    }
}

/* Several flows are marked at a queue of a few packets. A marked flow halves its window, and halves
 * it again only when all packets that were sent by then are acknowledged. */
static void
assert_one_cut_a_window(const struct diary *d)
{
    uint32_t n = d->n_cuts < MAX_ACTS ? d->n_cuts : MAX_ACTS;

    for (uint32_t i = 0; i < n; i++) {
        const struct act *a = &d->cuts[i];
        uint64_t half = a->flying_bytes / 2 < 2 * MTU ? 2 * MTU : a->flying_bytes / 2;
        assert_int_equal(a->after_bytes, a->has_timed_out ? MTU : half);
        if (i && !a->has_timed_out) {
            assert_true(a->n_acked >= d->cuts[i - 1].n_sent);
        }
    }
}

static void
marks_halve_the_window_once_a_window(void **state)
{
    enum { N = 3 };
    struct one flows[N];
    struct net net;

    (void)state;
    hand_incast(&net, N, 10 * G, 10 * US);
    for (int i = 0; i < N; i++) {
        flows[i] = (struct one){ .net = net };
        watch_flow(&flows[i], (uint32_t)i);
    }
    net_use(&net, "ecn");
    hand_set(&net, "kmin", 30000);
    hand_set(&net, "kmax", 30000);
    hand_set(&net, "pmax", WEIR_RATIO_1);
    net.config.run.until_ps = 20 * MS;
    struct sim *sim = hand_run(&net);
    assert_int_equal(sim_totals(sim).n_dropped, 0);
    assert_int_equal(sim_totals(sim).retransmitted_bytes, 0);
    for (int i = 0; i < N; i++) {
        assert_in_range(flows[i].diary->n_cuts, 10, 400);
        assert_int_equal(flows[i].diary->n_timeouts, 0);
        assert_one_cut_a_window(flows[i].diary);
        ASSERT_NEAR(sim_flow_result(sim, (uint32_t)i).received_bytes, 20 * 1250000 / N, 4000000);
        free(flows[i].diary);
    }
    sim_free(sim);
    net_stop(&net);
}

/* One flow goes through a drop-tail queue of B packets at 1 Gb/s; the path alone holds P = 20
 * packets. P + B + 1 packets fit, including the one on the link. With a window of one packet more a
 * packet is lost. The sender notices the loss a round trip later, when the window is W = P + B + 3.
 * The window swings between that and half of it, by a packet each time a window has been
 * acknowledged.
 *
 * A round with window w takes as long as the link needs for w packets, or for P + 1 if that is
 * more, in which the link idles. The window stays at W/2 for one more round, while the lost packets
 * are retransmitted.  So with B >= P the link never idles (Appenzeller, Keslassy, McKeown, Sizing
 * Router Buffers, SIGCOMM 2004, 2). */
struct tooth {
    double mean_packets, share;
};

static struct tooth
tooth_on_paper(double top, double path_packets)
{
    double time = 0, sent = 0, sum = 0;

    for (double w = top / 2 - 1; w <= top; w++) {
        double held = w < top / 2 ? top / 2 : w;
        double round = held > path_packets + 1 ? held : path_packets + 1;
        time += round;
        sent += held;
        sum += held * round;
    }
    return (struct tooth){ sum / time, sent / time };
}

static void
assert_is_near(double value, double expected, double part)
{
    if (fabs(value / expected - 1) > part) {
        fail_msg("%g; %g was expected, within %g %%", value, expected, 100 * part);
    }
}

/* From each cut to the next, after the first ones, the window grows to its maximum by a packet per
 * window. */
static void
assert_teeth(const struct diary *d, double top)
{
    for (uint32_t i = 2; i < d->n_cuts; i++) {
        const struct act *a = &d->cuts[i], *b = &d->cuts[i - 1];
        double rise = (double)(a->before_bytes - b->after_bytes) / MTU;
        double windows = 0, acked = (double)(a->n_acked - b->n_sent);
        for (double w = (double)b->after_bytes / MTU; acked >= w; w++) {
            acked -= w;
            windows++;
        }
        assert_true(fabs((double)a->before_bytes / MTU - top) <= 1.5);
        assert_true(fabs(rise - windows) <= 1);
    }
}

static void
assert_saw_tooth(uint32_t queue_packets)
{
    const double slow = MTU * 8000.0;
    const weir_ps until = 3000 * MS, from = 500 * MS;
    struct one o;
    uint32_t path_packets = 20;

    one_start(&o, (weir_ps)(path_packets * slow / 2 - slow / 2 - (double)wire / 2), G);
    o.net.config.buffer.reserve_bytes = (queue_packets + 1) * MTU; /* One packet is on the link. */
    o.net.config.run.until_ps = until;
    o.net.config.run.notes = 0;
    o.diary->from_ps = from;
    struct sim *sim = hand_run(&o.net);
    const struct diary *d = o.diary;
    double top = path_packets + queue_packets + 3;
    double mean = d->window_sum / (double)(d->last_ps - from) / MTU;
    struct tooth paper = tooth_on_paper(top, path_packets);
    double share = d->byte_sum * 8 / 1e9 / ((double)(until - from) / 1e12);

    assert_true(d->n_cuts > 20 && d->n_cuts < MAX_ACTS);
    assert_int_equal(d->n_timeouts, 0);
    assert_one_cut_a_window(d);
    assert_teeth(d, top);
    print_message(
        "queue of %2u packets: mean window %.1f, by hand %.1f; %.1f %% of the link, %.1f\n",
        queue_packets, mean, paper.mean_packets, 100 * share, 100 * paper.share);
    assert_is_near(mean, paper.mean_packets, 0.07);
    assert_is_near(share, paper.share, 0.03);
    one_stop(&o, sim);
}

static void
the_window_is_a_saw_tooth(void **state)
{
    (void)state;
    assert_saw_tooth(20);
    assert_saw_tooth(10);
    assert_saw_tooth(3);
}

/* A link loses one packet in 1/p, and is never full: the mean window is sqrt(3/2) / sqrt(p)
 * packets. (Mathis, Semke, Mahdavi, Ott, The Macroscopic Behavior of the TCP Congestion Avoidance
 * Algorithm, CCR 27(3), 1997; RFC 3649's Table 2 has 12 for 1/100 and 38 for 1/1000). */
static void
the_mean_window_is_that_of_the_square_root(void **state)
{
    static const uint32_t one_in[] = { 1000, 300, 100 };
    const weir_ps length = 100 * US, round = 2 * (wire + ack + length);

    (void)state;
    for (int i = 0; i < 3; i++) {
        const weir_ps until = 4000 * MS, from = 50 * MS;
        struct one o;
        one_start(&o, length, 10 * G);
        o.net.topo.links[1].loss = WEIR_RATIO_1 / one_in[i];
        o.net.config.run.until_ps = until;
        o.net.config.run.notes = 0;
        o.diary->from_ps = from;
        struct sim *sim = hand_run(&o.net);
        double p = (double)(WEIR_RATIO_1 / one_in[i]) / WEIR_RATIO_1;
        double mean = o.diary->byte_sum / MTU / ((double)(until - from) / (double)round);
        double law = sqrt(1.5 / p);
        print_message("one in %4u lost: %.2f packets per round trip, %.2f by the law\n", one_in[i],
                      mean, law);
        assert_is_near(mean, law, 0.1);
        assert_true(o.diary->least_bytes >= MTU);
        one_stop(&o, sim);
    }
}

/* Links lose packets and ACKs, queues are small, packets are marked, any reordering is tolerated,
 * and timeouts may be too short: every flow ends complete, and stays within its window. */
static void
try_harm(uint64_t seed)
{
    enum { N = 4 };
    uint64_t chance = seed;
    struct one flows[N];
    struct net net;

    hand_incast(&net, N, 10 * G, (1 + (weir_ps)(weir_random(&chance) % 30)) * US);
    for (size_t i = 0; i < net.topo.n_links; i++) {
        net.topo.links[i].loss = weir_random(&chance) % 3 ? weir_random(&chance) % 3000 : 0;
    }
    for (uint32_t i = 0; i < N; i++) {
        flows[i] = (struct one){ .net = net };
        watch_flow(&flows[i], i);
        net.flows[i].bytes = 1 + weir_random(&chance) % 400000;
        set(flows[i].params.own, "window", 1 + weir_random(&chance) % 20);
        set(flows[i].params.own, "min_rto", (uint64_t)US << weir_random(&chance) % 12);
        set_recovery(flows[i].recovery, "reorder",
                     weir_random(&chance) % 3 ? weir_random(&chance) % 6 : WEIR_OFF);
    }
    net_use(&net, weir_random(&chance) % 2 ? "ecn" : "none");
    net.config.buffer.reserve_bytes = 3000 + weir_random(&chance) % 100000;
    net.config.run.until_ps = 100000 * MS;
    struct sim *sim = hand_run(&net);
    for (uint32_t i = 0; i < N; i++) {
        struct sim_flow_result r = sim_flow_result(sim, i);
        assert_int_equal(r.received_bytes, net.flows[i].bytes);
        assert_int_equal(r.sent_bytes - r.retransmitted_bytes, net.flows[i].bytes);
        assert_true(flows[i].diary->least_bytes >= MTU);
        assert_one_cut_a_window(flows[i].diary);
        free(flows[i].diary);
    }
    sim_free(sim);
    net_stop(&net);
}

static void
every_flow_ends_whole_within_its_window(void **state)
{
    (void)state;
    for (uint64_t seed = 1; seed <= 150; seed++) {
        try_harm(seed);
    }
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(slow_start_doubles_each_round),
        cmocka_unit_test(the_window_doubles_each_round),
        cmocka_unit_test(a_lost_last_packet_waits_for_the_timeout),
        cmocka_unit_test(each_timeout_is_twice_the_one_before),
        cmocka_unit_test(a_round_trip_takes_the_doubling_back),
        cmocka_unit_test(long_queues_do_not_hide_round_trips),
        cmocka_unit_test(fast_retransmit_takes_three_or_is_off),
        cmocka_unit_test(marks_halve_the_window_once_a_window),
        cmocka_unit_test(every_flow_ends_whole_within_its_window),
        cmocka_unit_test(the_window_is_a_saw_tooth),
        cmocka_unit_test(the_mean_window_is_that_of_the_square_root),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
