/* Closed forms of flow control, compared with the simulator. doc/correctness.md lists them.
 *
 * A closed form that counts whole packets is exact. If the paper's form is a fluid model, the
 * comment gives the tolerance.  In all comments, C is the rate of the link, and d the cable delay.
 * The transmission times of a packet and a frame are w and f. The response time is r: a frame takes
 * effect f + d + r after it starts. */

#include "hand.h"

enum { MTU = 1500 };
#define G 1000000000ull

/* PFC: packets that still arrive after a pause is sent.
 *
 * Host A sends to B over a link so slow that only the first packet drains; host R sends to A, so
 * that PAUSE has to wait for a packet.  Packet X (from 0) brings the queue to X MTU = XOFF, at t =
 * (X + 1) w + d.  Packets of A start each w from t - d on. PAUSE takes effect at t + wait + f + d +
 * r, and packets that start before that still arrive: floor((2d + r + wait + f) / w) + 1 of them. R
 * starts 'phase' after A, so its packets leave the switch at t + phase: wait is phase, or w if that
 * is 0, for then a packet has just started. */

enum { PACKETS_TO_XOFF = 20 };

struct worst {
    uint64_t rate_bps;
    weir_ps delay_ps, response_ps, phase_ps;
    uint32_t gap_bytes;
    uint64_t room_bytes; /* Bytes of room above XOFF. */
    bool is_by_rate;     /* The response is left to the rate of each port. */
};

static struct weir_link
link_of(const struct worst *c)
{
    return (struct weir_link){ .rate_bps = c->rate_bps,
                               .cable_ps = c->delay_ps,
                               .response_ps = c->response_ps,
                               .mtu_bytes = MTU };
}

static weir_ps
wire_ps(const struct worst *c, uint32_t bytes)
{
    return weir_wire_ps(bytes + c->gap_bytes, c->rate_bps);
}

static weir_ps
effect_after_ps(const struct worst *c)
{
    weir_ps wait = c->phase_ps ? c->phase_ps : wire_ps(c, MTU);
    return 2 * c->delay_ps + c->response_ps + wait + wire_ps(c, 64);
}

static uint64_t
packets_after_xoff(const struct worst *c)
{
    return (uint64_t)(effect_after_ps(c) / wire_ps(c, MTU)) + 1;
}

struct peak {
    uint64_t bytes, n_dropped, n_sent;
};

/* R is at the first port: at equal times its packet starts before PAUSE is sent. */
static void
start_worst(struct net *net, const struct worst *c)
{
    hand_start(net);
    uint32_t s = hand_switch(net), r = hand_nic(net), a = hand_nic(net), b = hand_nic(net);
    hand_link(net, r, s, c->rate_bps, c->delay_ps);
    hand_link(net, a, s, c->rate_bps, c->delay_ps);
    hand_link(net, b, s, 1000000, c->delay_ps);
    hand_finish(net, 2);
    net->flows[0].from = a;
    net->flows[0].to = b;
    net->flows[1].from = r;
    net->flows[1].to = a;
    net->flows[1].start_ps = c->phase_ps;
    net->config.gap_bytes = c->gap_bytes;
    net->config.response_ps = c->is_by_rate ? MODEL_BY_RATE : c->response_ps;
}

static struct peak
run_worst(const struct worst *c)
{
    struct net net;

    start_worst(&net, c);
    net.config.buffer.reserve_bytes = PACKETS_TO_XOFF * MTU + c->room_bytes;
    net.config.run.until_ps =
        (PACKETS_TO_XOFF + 2) * wire_ps(c, MTU) + 2 * effect_after_ps(c) + 2 * c->delay_ps;
    net_use(&net, "pfc");
    hand_set(&net, "xoff", PACKETS_TO_XOFF * MTU);
    hand_set(&net, "xon", 0);
    struct sim *sim = hand_run(&net);
    struct peak peak = { sim_queue_peak_bytes(sim, hand_port(&net, 0, net.flows[0].from), 0),
                         sim_totals(sim).n_dropped_lossless,
                         sim_flow_result(sim, 0).sent_bytes / MTU };
    sim_free(sim);
    net_stop(&net);
    return peak;
}

static const uint64_t rates_bps[] = { 10 * G, 25 * G, 40 * G, 100 * G, 400 * G };
/* Cables of 0 to 10 km. */
static const weir_ps cables_ps[] = { 0, 10000, 500000, 5000000, 50000000 };

#define FOR_EACH_LINK(C)                                                                           \
    for (size_t i_ = 0; i_ < sizeof rates_bps / sizeof *rates_bps; i_++)                           \
        for (size_t k_ = 0; k_ < sizeof cables_ps / sizeof *cables_ps; k_++)                       \
            if (((C).rate_bps = rates_bps[i_], (C).delay_ps = cables_ps[k_], true))

/* The count of packets is exact, for every phase of the other traffic: a frame waits for one packet
 * at most, precedes all other packets, and takes effect after the response time. */
static void
a_pause_takes_its_time(void **state)
{
    struct worst c = { .room_bytes = 10000000 };

    (void)state;
    FOR_EACH_LINK(c)
    {
        for (c.gap_bytes = 0; c.gap_bytes <= 20; c.gap_bytes += 20) {
            for (weir_ps step = 0; step < 7; step++) {
                c.response_ps = 1000000 + 37 * step;
                c.phase_ps = step * wire_ps(&c, MTU) / 7;
                struct peak peak = run_worst(&c);
                uint64_t after = packets_after_xoff(&c);
                assert_int_equal(peak.n_sent, PACKETS_TO_XOFF + 1 + after);
                assert_int_equal(peak.bytes, (PACKETS_TO_XOFF + after) * MTU);
            }
        }
    }
}

/* The count is also exact if the response follows from the rate of each port. The slow link of the
 * switch, which has a response of 512 us, does not affect the other links. */
static void
each_port_responds_by_its_rate(void **state)
{
    struct worst c = { .room_bytes = 10000000, .is_by_rate = true };

    (void)state;
    FOR_EACH_LINK(c)
    {
        c.response_ps = weir_pfc_response_ps(c.rate_bps);
        uint64_t after = packets_after_xoff(&c);
        assert_int_equal(run_worst(&c).bytes, (PACKETS_TO_XOFF + after) * MTU);
    }
}

/* Sets the response time at which the last packet just starts: the worst case of Eq. 15. */
static void
tune_to_worst(struct worst *c)
{
    c->phase_ps = 0;
    c->response_ps = 3000000;
    c->response_ps += wire_ps(c, MTU) - effect_after_ps(c) % wire_ps(c, MTU);
}

/* After tune_to_worst(), 2d + r + f is a whole number of packets, and 2 MTU + 64 B + C (2d + r)
 * arrive above XOFF. That is Eq. 15 less the second of the frames that it counts, and less what it
 * rounds up, a byte for each of three terms.  So Eq. 15 loses nothing, and a room that is smaller
 * by these 64 to 67 B and one byte loses a packet. */
static void
eq_15_has_a_frame_to_spare(void **state)
{
    struct worst c = { 0 };

    (void)state;
    FOR_EACH_LINK(c)
    {
        tune_to_worst(&c);
        struct weir_link link = link_of(&c);
        uint64_t eq_15 = weir_pfc_headroom_bytes(&link), comes = packets_after_xoff(&c) * MTU;
        assert_in_range(eq_15 - comes, 64, 64 + 3);

        c.room_bytes = eq_15;
        assert_int_equal(run_worst(&c).n_dropped, 0);
        c.room_bytes = comes;
        assert_int_equal(run_worst(&c).n_dropped, 0);
        c.room_bytes = comes - 1;
        assert_int_equal(run_worst(&c).n_dropped, 1);
        c.room_bytes = eq_15 - MTU;
        assert_int_equal(run_worst(&c).n_dropped, 1);
    }
}

/* PFC renews a pause P when half of it is over.  On a link that R keeps busy, a frame waits for a
 * packet, and the frame sent P/2 later waits for the next packet: it arrives f + w late. So a pause
 * holds if P is at least f + w, which is 25 quanta of 64 B for packets of 1500 B.  With 24 quanta
 * the gate opens between any two pauses, and no headroom is enough. */
static uint64_t
drops_with_quanta(uint64_t quanta, weir_ps phase_ps)
{
    struct worst c = { .rate_bps = 10 * G, .delay_ps = 1000000, .phase_ps = phase_ps };
    struct net net;

    start_worst(&net, &c);
    net.config.buffer.reserve_bytes = 100000;
    net.config.run.until_ps = 5000000000;
    net_use(&net, "pfc");
    hand_set(&net, "quanta", quanta);
    struct sim *sim = hand_run(&net);
    uint64_t n = sim_totals(sim).n_dropped_lossless;
    sim_free(sim);
    net_stop(&net);
    return n;
}

static void
a_pause_must_outlast_a_packet(void **state)
{
    (void)state;
    for (weir_ps phase = 0; phase < 1200000; phase += 150000) {
        assert_int_equal(drops_with_quanta((64 + MTU + 63) / 64, phase), 0);
        assert_true(drops_with_quanta((64 + MTU) / 64, phase) > 0);
    }
}

/* PFC's cycle.  One sender has the rate C, the drain is C/s, and D packets are between XOFF and
 * XON. Frames never wait, so each takes effect at the sender, and shows in the packets that arrive,
 * after 'way' = f + 2d + r.  In whole packets:
 *
 *   - after PAUSE floor(way / w) + 1 packets still arrive;
 *   - after RESUME, sent when a packet leaves, packet k arrives way + k w later, and by then
 *     floor((way + k w) / (s w)) more have left; XOFF is reached by the first k for which that is
 *     k - D, which is floor((way + s (D - 1) w) / ((s - 1) w)) + 1.
 *
 * The sum of both arrives and leaves in one cycle. One packet leaves in each s w, which determines
 * the length of the cycle.  Each cycle has a PAUSE and a RESUME. */

struct cycle {
    weir_ps share; /* s in the comment above. */
    weir_ps delay_ps, response_ps;
    weir_ps between; /* D in the comment above. */
};

enum { CYCLE_XOFF = 400, N_CYCLES = 200, W_PS = MTU * 800, FRAME_PS = 64 * 800 };

static const struct cycle cycles[] = {
    { 2, 1000000, 3000000, 20 }, { 2, 1000000, 3000000, 2 },   { 3, 0, 0, 2 },
    { 4, 1000000, 3000000, 20 }, { 2, 5000000, 20000000, 50 }, { 8, 1000000, 3000000, 10 },
};

static weir_ps
way_ps(const struct cycle *c)
{
    return FRAME_PS + 2 * c->delay_ps + c->response_ps;
}

static weir_ps
packets_after_pause(const struct cycle *c)
{
    return way_ps(c) / W_PS + 1;
}

static weir_ps
packets_after_resume(const struct cycle *c)
{
    weir_ps s = c->share;
    return (way_ps(c) + s * (c->between - 1) * W_PS) / ((s - 1) * W_PS) + 1;
}

static weir_ps
cycle_ps(const struct cycle *c)
{
    return c->share * W_PS * (packets_after_pause(c) + packets_after_resume(c));
}

/* The time of the second PAUSE. The first PAUSE is sent with packet j (from 0), when floor(j / s) +
 * 1 packets have left. The second follows as in a cycle, but the start determines when the next
 * packet leaves. */
static weir_ps
second_pause_ps(const struct cycle *c)
{
    weir_ps s = c->share, j = s * (CYCLE_XOFF - 1) / (s - 1) + 1;
    weir_ps first = c->delay_ps + (j + 1) * W_PS, next_leaves = (s - j % s) * W_PS;
    weir_ps n_leave = c->between + packets_after_pause(c);
    weir_ps resume = first + next_leaves + (n_leave - 1) * s * W_PS;
    return resume + way_ps(c) + packets_after_resume(c) * W_PS;
}

/* Builds one sender to a slow link, or s senders that share a link. */
static void
start_cycle(struct net *net, const struct cycle *c, uint32_t n_senders)
{
    uint64_t drain_bps = n_senders == 1 ? 10 * G / (uint64_t)c->share : 10 * G;

    hand_start(net);
    uint32_t s = hand_switch(net);
    for (uint32_t i = 0; i < n_senders; i++) {
        hand_link(net, hand_nic(net), s, 10 * G, c->delay_ps);
    }
    hand_link(net, hand_nic(net), s, drain_bps, c->delay_ps);
    hand_finish(net, n_senders);
    for (uint32_t i = 0; i < n_senders; i++) {
        net->flows[i].from = s + 1 + i;
        net->flows[i].to = s + 1 + n_senders;
    }
    net->config.response_ps = c->response_ps;
    net->config.buffer.reserve_bytes = 1000000;
    net_use(net, "pfc");
    hand_set(net, "xoff", CYCLE_XOFF * MTU);
    hand_set(net, "xon", (uint64_t)(CYCLE_XOFF - c->between) * MTU);
}

static uint64_t
count_frames(struct net *net, weir_ps until_ps, uint32_t host)
{
    net->config.run.until_ps = until_ps;
    struct sim *sim = hand_run(net);
    uint64_t n = sim_port_result(sim, hand_port(net, 0, host)).n_frames_sent;
    assert_int_equal(sim_totals(sim).n_dropped, 0);
    sim_free(sim);
    return n;
}

/* The time of the last PAUSE is exact to the picosecond.  If s does not divide the rate, times on a
 * slow link are rounded up, and 200 cycles are not exact. */
static void
pauses_come_in_cycles(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof cycles / sizeof *cycles; i++) {
        struct net net;
        weir_ps pause = second_pause_ps(&cycles[i]) + N_CYCLES * cycle_ps(&cycles[i]);
        if (10 * G % (uint64_t)cycles[i].share) {
            continue;
        }
        start_cycle(&net, &cycles[i], 1);
        assert_int_equal(count_frames(&net, pause - 1, 1), 2 * (N_CYCLES + 1));
        assert_int_equal(count_frames(&net, pause, 1), 2 * (N_CYCLES + 1) + 1);
        net_stop(&net);
    }
}

/* All s senders that share a link round robin are paused as often as one sender to a link of C/s.
 */
static void
senders_to_one_pause_as_one_does(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof cycles / sizeof *cycles; i++) {
        struct net net;
        uint32_t n = (uint32_t)cycles[i].share;
        weir_ps pause = second_pause_ps(&cycles[i]) + N_CYCLES * cycle_ps(&cycles[i]);
        start_cycle(&net, &cycles[i], n);
        for (uint32_t host = 1; host <= n; host++) {
            ASSERT_NEAR(count_frames(&net, pause, host), 2 * (N_CYCLES + 1) + 1, 4);
        }
        net_stop(&net);
    }
}

/* CBFC.  The engine sends one message for each lossless class in each period T, the first at the
 * start; messages of one instant leave one after the other.  So in 100 T there are 100 messages of
 * each class, and the next one has just started. */
static void
credits_come_each_period(void **state)
{
    static const weir_ps periods_ps[] = { 1000000, 5242800, 52428000, 33333333 };

    (void)state;
    for (size_t i = 0; i < sizeof periods_ps / sizeof *periods_ps; i++) {
        for (weir_ps early = 0; early < 2; early++) {
            struct net net;
            hand_incast(&net, 1, 10 * G, 1000000);
            net.config.run.until_ps = 100 * periods_ps[i] - early;
            net.config.n_classes = 4;
            net.config.lossless = 0xb;
            net_use(&net, "cbfc");
            hand_set(&net, "period", (uint64_t)periods_ps[i]);
            uint64_t n = count_frames(&net, net.config.run.until_ps, 1);
            assert_int_equal(n, 3 * 100 + (early ? 0 : 1));
            net_stop(&net);
        }
    }
}

/* A window of m packets on a path of two links.  The sender uses received credit at once, packet
 * after packet. The j-th packet is at the end of its link f + 2d + r + j w after the message that
 * allowed it was sent, and the next message returns its credit.  On the second link everything
 * happens w + d later.  If T is longer than that for all m packets, each message allows m packets,
 * and the rate is m MTU / T. */

enum { PACKET_CREDIT = 1536 }; /* The credit of a packet, in whole blocks of 64 B. */
enum { DELAY_PS = 1000000, CREDIT_WAY_PS = FRAME_PS + 2 * DELAY_PS + 3000000 };

static uint64_t
packets_with_window(uint64_t m, weir_ps period_ps, weir_ps until_ps)
{
    struct net net;

    hand_incast(&net, 1, 10 * G, DELAY_PS);
    net.config.run.until_ps = until_ps;
    net_use(&net, "cbfc");
    hand_set(&net, "window", m * PACKET_CREDIT);
    hand_set(&net, "period", (uint64_t)period_ps);
    struct sim *sim = hand_run(&net);
    uint64_t n = sim_flow_result(sim, 0).n_received;
    sim_free(sim);
    net_stop(&net);
    return n;
}

/* The period is such that the last packet arrives a picosecond before the next message, 100 times.
 */
static void
a_window_each_period(void **state)
{
    (void)state;
    for (uint64_t m = 1; m <= 16; m++) {
        weir_ps period = CREDIT_WAY_PS + (weir_ps)(m + 1) * W_PS + DELAY_PS + 1;
        assert_int_equal(packets_with_window(m, period, 100 * period - 1), 100 * m);
        assert_int_equal(packets_with_window(m, period, 100 * period - 2), 100 * m - 1);
    }
}

/* Messages are more frequent than a round trip. Credit is received and spent, and returns with the
 * next message f + 2d + r + w after the message that carried it. So credit circulates in a whole
 * number of periods, and m packets with it.  But messages take f / T of a link, in both directions,
 * and packets get at most the rest.  The tolerance is a few packets, for the start. */
static void
a_window_each_round_trip(void **state)
{
    const weir_ps period = 1000000, until = 10000000000, trip = CREDIT_WAY_PS + W_PS;
    const weir_ps around = (trip + period - 1) / period * period;
    const weir_ps line = (until - until / period * FRAME_PS) / W_PS;

    (void)state;
    for (uint64_t m = 1; m <= 16; m++) {
        weir_ps n = (weir_ps)m * until / around;
        ASSERT_NEAR(packets_with_window(m, period, until), n < line ? n : line, 6);
    }
}

/* GFC.  Each of n senders sends at a rate R(q) and fills a queue that drains at C, so the queue
 * settles where R is C/n. */

struct gfc {
    const char *engine, *threshold; /* The threshold is b0 or b1. */
    uint64_t threshold_bytes, bm_bytes;
    weir_ps response_ps;
    /* The block in which time-based GFC reports its buffer; 0 for the others. */
    uint64_t block_bytes;
};

static struct sim *
run_gfc(struct net *net, const struct gfc *c, uint32_t n)
{
    hand_incast(net, n, 10 * G, DELAY_PS);
    net->config.run.until_ps = 60000000000;
    net->config.response_ps = c->response_ps;
    net->config.buffer.reserve_bytes = c->bm_bytes + 2 * MTU;
    net_use(net, c->engine);
    hand_set(net, "bm", c->bm_bytes);
    hand_set(net, c->threshold, c->threshold_bytes);
    if (c->block_bytes) {
        hand_set(net, "block", c->block_bytes);
    }
    struct sim *sim = hand_run(net);
    assert_int_equal(sim_totals(sim).n_dropped, 0);
    for (uint32_t host = 1; host <= n; host++) {
        ASSERT_NEAR(sim_flow_late_bps(sim, host - 1), 10 * G / n, G / 100);
    }
    return sim;
}

static void
assert_rests(const struct gfc *c, uint32_t n, uint64_t least_bytes, uint64_t most_bytes)
{
    struct net net;
    struct sim *sim = run_gfc(&net, c, n);

    for (uint32_t host = 1; host <= n; host++) {
        uint64_t mean = sim_queue_mean_bytes(sim, hand_port(&net, 0, host), 0);
        if (mean < least_bytes || mean > most_bytes) {
            fail_msg("%s, %u to 1: the queue rests at %llu, not in %llu to %llu", c->engine, n,
                     (unsigned long long)mean, (unsigned long long)least_bytes,
                     (unsigned long long)most_bytes);
        }
    }
    sim_free(sim);
    net_stop(&net);
}

static void
assert_rests_at(const struct gfc *c, uint32_t n, uint64_t bytes)
{
    assert_rests(c, n, bytes - MTU, bytes + MTU);
}

/* The length q of the queue at which R(q) = C (Bm - q) / (Bm - B0) is C/n. */
static uint64_t
point_bytes(const struct gfc *c, uint32_t n)
{
    return c->bm_bytes - (c->bm_bytes - c->threshold_bytes) / n;
}

/* The queue settles there, to within a packet.  The second case is the paper's Fig. 5: a message
 * takes effect after 25 us, and there is less room than Theorem 4.1 requires. */
static void
conceptual_gfc_rests_where_rates_meet(void **state)
{
    static const struct gfc wide = { "gfc-conceptual", "b0", 100000, 300000, 3000000, 0 };
    static const struct gfc fig_5 = { "gfc-conceptual", "b0", 50000, 100000, 20600000, 0 };

    (void)state;
    for (uint32_t n = 2; n <= 8; n++) {
        assert_rests_at(&wide, n, point_bytes(&wide, n));
    }
    assert_rests_at(&fig_5, 2, 75000);
}

/* Time-based GFC reports the remaining buffer in blocks, and a packet takes whole ones: a packet of
 * 1500 B counts as 1536 B, so the queue settles at 1500/1536 of the point.  With blocks of 4 B
 * nothing is rounded.  The last two cases have the numbers of the paper's testbed. */
static void
time_based_gfc_rests_there_in_blocks(void **state)
{
    static const struct gfc cases[] = {
        { "gfc-time", "b0", 100000, 300000, 3000000, 64 },
        { "gfc-time", "b0", 100000, 300000, 3000000, 4 },
        { "gfc-time", "b0", 492000, 1000000, 85600000, 64 },
        { "gfc-time", "b0", 492000, 1000000, 85600000, 4 },
    };
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        const struct gfc *c = &cases[i];
        uint64_t counted = (MTU + c->block_bytes - 1) / c->block_bytes * c->block_bytes;
        for (uint32_t n = 2; n <= 8; n++) {
            assert_rests_at(c, n, point_bytes(c, n) * MTU / counted);
        }
    }
}

/* Buffer-based GFC. Stage k is the first that is no faster than C/n.  The queue reaches B_k while
 * each sender sends at 2C/2^k, and rises further at 2C/2^k - C/n for f + 2d + r.  If n is 2^k, the
 * queue stays there, because the rates are balanced.  Otherwise it oscillates about B_k: up by that
 * rise, and down by the bytes of C/n - C/2^k in the same time.  The tolerance is a packet. */
static void
assert_rests_in_stage(const struct gfc *c, uint32_t n)
{
    uint32_t k = 1;
    while (1u << k < n) {
        k++;
    }
    uint64_t begin = weir_gfc_stage_bytes(c->bm_bytes, c->threshold_bytes, k);
    uint64_t fast = 10 * G >> (k - 1), slow = 10 * G >> k, drain = 10 * G / n;
    weir_ps way = FRAME_PS + 2 * DELAY_PS + c->response_ps;
    uint64_t rise = weir_wire_bytes(way, fast - drain), fall = weir_wire_bytes(way, drain - slow);

    if (n == 1u << k) {
        assert_rests_at(c, n, begin + rise);
    } else {
        assert_rests(c, n, begin - fall - MTU, begin + rise + MTU);
    }
}

/* The second case has the numbers of the paper's testbed: 804.8 KB for 2 to 1. */
static void
buffer_based_gfc_rests_in_its_stage(void **state)
{
    static const struct gfc cases[] = {
        { "gfc-buffer", "b1", 260000, 300000, 3000000, 0 },
        { "gfc-buffer", "b1", 750000, 1000000, 85600000, 0 },
    };
    (void)state;
    for (uint32_t n = 2; n <= 8; n++) {
        assert_rests_in_stage(&cases[0], n);
        assert_rests_in_stage(&cases[1], n);
    }
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_pause_takes_its_time),
        cmocka_unit_test(each_port_responds_by_its_rate),
        cmocka_unit_test(eq_15_has_a_frame_to_spare),
        cmocka_unit_test(a_pause_must_outlast_a_packet),
        cmocka_unit_test(pauses_come_in_cycles),
        cmocka_unit_test(senders_to_one_pause_as_one_does),
        cmocka_unit_test(credits_come_each_period),
        cmocka_unit_test(a_window_each_period),
        cmocka_unit_test(a_window_each_round_trip),
        cmocka_unit_test(conceptual_gfc_rests_where_rates_meet),
        cmocka_unit_test(time_based_gfc_rests_there_in_blocks),
        cmocka_unit_test(buffer_based_gfc_rests_in_its_stage),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
