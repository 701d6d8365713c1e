/* Round trips, losses and telemetry that a congestion control receives. The test has its own small
 * control, which logs them.
 *
 * The parameters of this control are a pointer to a log, so that the test sees the received values.
 * Each flow has its own log, because flows belong to several threads. */

#include "hand.h"

enum { MTU = 1500, MAX_HEARD = 4096 };
#define G 1000000000ull

struct heard {
    weir_ps at_ps, rtt_ps;
    uint64_t bytes;
    uint32_t n_hops;
    struct tp_hop hops[TP_MAX_HOPS];
};

struct diary {
    uint32_t n_acks, n_losses, n_timeouts;
    /* 0: no window.  Otherwise the window is smaller by the bytes of the first queue. */
    uint64_t window_bytes;
    uint64_t hash;
    struct heard heard[MAX_HEARD];
};

struct state {
    struct diary *diary;
};

static void
start(void *state, const struct tp_env *env, const void *params, struct tp_limits *limits)
{
    struct state *s = state;

    (void)env;
    memcpy(&s->diary, params, sizeof s->diary);
    *limits = (struct tp_limits){ .rate_bps = WEIR_UNLIMITED,
                                  .window_bytes = WEIR_UNLIMITED,
                                  .timer_ps = WEIR_NEVER };
    if (s->diary->window_bytes) {
        limits->window_bytes = s->diary->window_bytes;
    }
}

static void
mix(struct diary *d, uint64_t value)
{
    d->hash = (d->hash ^ value) * 0x100000001b3;
}

static void
acked(void *state, const struct tp_ack *ack, struct tp_limits *limits)
{
    struct diary *d = ((struct state *)state)->diary;
    struct heard *h = &d->heard[d->n_acks++ % MAX_HEARD];

    *h = (struct heard){ ack->now, ack->rtt_ps, ack->bytes, ack->n_hops, { { 0 } } };
    for (uint32_t i = 0; i < ack->n_hops; i++) {
        h->hops[i] = ack->hops[i];
        mix(d, ack->hops[i].queue_bytes);
        mix(d, ack->hops[i].sent_bytes);
        mix(d, (uint64_t)ack->hops[i].at_ps);
    }
    mix(d, (uint64_t)ack->rtt_ps);
    if (d->window_bytes && ack->n_hops) {
        uint64_t queue = ack->hops[0].queue_bytes;
        limits->window_bytes =
            queue < d->window_bytes / 2 ? d->window_bytes - queue : d->window_bytes / 2;
    }
}

static void
lost(void *state, const struct tp_loss *loss, struct tp_limits *limits)
{
    struct diary *d = ((struct state *)state)->diary;

    (void)limits;
    d->n_losses++;
    d->n_timeouts += loss->has_timed_out;
    assert_true(loss->n_packets > 0);
}

static const struct weir_field no_fields[] = { { 0 } };

static const struct transport listener = {
    .about = { .name = "listener", .title = "Writes down", .source = "-", .params = no_fields },
    .recovery = &rc_go_back_n,
    .wants_rtt = true,
    .wants_telemetry = true,
    .acks_each = true,
    .state_bytes = sizeof(struct state),
    .start = start,
    .acked = acked,
    .lost = lost,
};

static struct diary *
listen_to(struct simple_net_flow *f, struct diary **place)
{
    *place = calloc(1, sizeof **place);
    f->transport = &listener;
    f->transport_params = place;
    return *place;
}

/* Packets of time w go over 10, 4 and 10 Gb/s.  Packet i is at the first switch at (i + 1) w + d,
 * and leaves it 2.5 w after the packet before, at w + d + 2.5 w i. The queue then has all packets
 * that have arrived and not left.  The second switch is faster than its traffic, so its queue is
 * empty.  Each packet has two telemetry records; its ACK needs its transmission time on three
 * links.  If switches have pipelines, everything is later by their delay, and queues have the same
 * length. */
static void
try_stamps(weir_ps inside)
{
    enum { FIRST, SECOND, SENDER, RECEIVER, N = 60 };
    const weir_ps wire = MTU * 800, slow = MTU * 2000, delay = 1000000;
    const weir_ps back = 2 * 64 * 800 + 64 * 2000 + 3 * delay + 2 * inside;
    /* Values of pps and delay; other limits are 0. */
    const uint64_t pipeline[8] = { 1000000000, (uint64_t)inside };
    struct diary *place, *d;
    struct net net;

    hand_start(&net);
    hand_switch(&net);
    hand_switch(&net);
    hand_nic(&net);
    hand_nic(&net);
    hand_link(&net, SENDER, FIRST, 10 * G, delay);
    hand_link(&net, FIRST, SECOND, 4 * G, delay);
    hand_link(&net, SECOND, RECEIVER, 10 * G, delay);
    hand_finish(&net, 1);
    net.flows[0].from = SENDER;
    net.flows[0].to = RECEIVER;
    net.flows[0].bytes = N * MTU;
    d = listen_to(&net.flows[0], &place);
    net.config.kind = inside ? sim_kind_find("pipeline") : NULL;
    net.config.kind_params = inside ? pipeline : NULL;
    net_use(&net, "none");
    struct sim *sim = hand_run(&net);
    assert_int_equal(d->n_acks, N);
    for (int i = 0; i < N; i++) {
        const struct heard *h = &d->heard[i];
        weir_ps leaves = wire + delay + inside + slow * i, next = leaves + slow + delay + inside;
        int64_t n_came =
            /* Packets that arrived before packet i left. */
            i ? (leaves - inside - delay + wire - 1) / wire - 1 : 1;
        n_came = n_came < N ? n_came : N;
        assert_int_equal(h->bytes, MTU);
        assert_int_equal(h->n_hops, 2);
        assert_int_equal(h->hops[0].at_ps, leaves);
        assert_int_equal(h->hops[0].queue_bytes, (n_came - i - 1) * MTU);
        assert_int_equal(h->hops[0].sent_bytes, i * MTU);
        assert_int_equal(h->hops[0].rate_bps, 4 * G);
        assert_int_equal(h->hops[1].at_ps, next);
        assert_int_equal(h->hops[1].queue_bytes, 0);
        assert_int_equal(h->hops[1].rate_bps, 10 * G);
        assert_int_equal(h->at_ps, next + wire + delay + back);
        assert_int_equal(h->rtt_ps, h->at_ps - wire * i);
    }
    sim_free(sim);
    net_stop(&net);
    free(d);
}

static void
each_switch_stamps_what_it_knows(void **state)
{
    (void)state;
    try_stamps(0);
    try_stamps(5000000);
}

/* A lost packet carries no telemetry, and its retransmission gives no round trip. The flow is
 * notified of the loss, with either recovery. */
static void
what_was_lost_has_no_round_trip(void **state)
{
    enum { SWITCH, SENDER, RECEIVER, N = 20, LOST = 5 };
    const weir_ps wire = MTU * 800, delay = 1000000;
    const weir_ps cut = (LOST + 1) * wire + delay + wire / 2;
    const struct topo_link_event events[] = { { 1, cut, false }, { 1, cut + 1000, true } };
    const struct recovery *const both[] = { &rc_go_back_n, &rc_selective };

    (void)state;
    for (int which = 0; which < 2; which++) {
        struct diary *place, *d;
        struct net net;
        uint32_t n_without = 0;
        hand_start(&net);
        hand_switch(&net);
        hand_nic(&net);
        hand_nic(&net);
        hand_link(&net, SENDER, SWITCH, 10 * G, delay);
        hand_link(&net, RECEIVER, SWITCH, 10 * G, 0);
        hand_finish(&net, 1);
        net.flows[0].from = SENDER;
        net.flows[0].to = RECEIVER;
        net.flows[0].bytes = N * MTU;
        net.flows[0].recovery = both[which];
        net.config.link_events = events;
        net.config.n_link_events = 2;
        d = listen_to(&net.flows[0], &place);
        net_use(&net, "none");
        struct sim *sim = hand_run(&net);
        assert_int_equal(d->n_losses, 1);
        assert_int_equal(d->n_timeouts, 0);
        for (uint32_t i = 0; i < d->n_acks; i++) {
            n_without += d->heard[i].rtt_ps == 0;
            assert_true(d->heard[i].n_hops <= 1);
        }
        assert_int_equal(sim_flow_result(sim, 0).n_received, N);
        assert_int_equal(n_without, sim_flow_result(sim, 0).sent_bytes / MTU - N);
        sim_free(sim);
        net_stop(&net);
        free(d);
    }
}

/* Many flows set their windows by the telemetry of switches, on links that lose packets. The
 * received values, and so the actions of flows, are the same for any number of threads and in the
 * plain event loop. */
static uint64_t
hash_of(struct net *net, struct diary **diaries, uint32_t n_threads)
{
    uint64_t hash = 0;
    struct err err;

    for (uint32_t i = 0; i < net->config.n_flows; i++) {
        *diaries[i] = (struct diary){ .window_bytes = 60000 + 3000 * i };
    }
    net->config.run.n_threads = n_threads ? n_threads : 1;
    struct sim *sim = simple_net_sim_new(&net->config, &err);
    if (n_threads) {
        sim_run(sim);
    } else {
        sim_run_reference(sim);
    }
    assert_true(sim_is_conserved(sim, &err));
    assert_true(sim_totals(sim).n_lost > 0);
    for (uint32_t i = 0; i < net->config.n_flows; i++) {
        hash = (hash ^ diaries[i]->hash) * 0x100000001b3;
        assert_true(diaries[i]->n_acks > 100 && diaries[i]->n_losses > 0);
    }
    hash ^= sim_totals(sim).hash;
    sim_free(sim);
    return hash;
}

static void
threads_do_not_matter(void **state)
{
    struct topo_build fat_tree = {
        .k = 4, .link = { .rate_bps = 10 * G, .delay_ps = 1000000, .loss = WEIR_RATIO_1 / 200 }
    };
    struct diary *diaries[16];
    struct net net;

    (void)state;
    for (int which = 0; which < 2; which++) {
        net_start(&net, topo_build_fat_tree, &fat_tree, MODEL_ENDLESS, 7);
        assert_int_equal(net.config.n_flows, 16);
        net_use(&net, "none"); /* Overflowing packets are dropped. */
        net.config.buffer.reserve_bytes = 60000;
        net.config.retry_ps = 500000000;
        net.config.run.until_ps = 4000000000;
        for (uint32_t i = 0; i < net.config.n_flows; i++) {
            listen_to(&net.flows[i], &diaries[i]);
            net.flows[i].recovery = which ? &rc_selective : NULL;
        }
        uint64_t plain = hash_of(&net, diaries, 0);
        for (uint32_t n_threads = 1; n_threads <= 3; n_threads++) {
            assert_int_equal(hash_of(&net, diaries, n_threads), plain);
        }
        for (uint32_t i = 0; i < net.config.n_flows; i++) {
            free(diaries[i]);
        }
        net_stop(&net);
    }
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(each_switch_stamps_what_it_knows),
        cmocka_unit_test(what_was_lost_has_no_round_trip),
        cmocka_unit_test(threads_do_not_matter),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
