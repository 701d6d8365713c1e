/* Recoveries: sender and receiver connected by channels that lose, reorder and repeat packets.
 *
 * A channel delivers packets and ACKs in an order of the test's choice. Properties: each packet is
 * accepted once; no packet counts as arrived that was not accepted; in the end all packets have
 * arrived. */

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "transport/recovery.h"
#include "weir/node.h"

enum { MAX_PACKETS = 400, MAX_FLYING = 4096, US = 1000000 };

struct answer {
    enum rc_answer kind;
    uint32_t sequence, cause; /* The arrival of packet 'cause' makes the receiver send it. */
};

struct pair {
    const struct recovery *r;
    uint64_t params[RC_PARAMS_MAX / sizeof(uint64_t)];
    struct rc_sender sender;
    struct rc_receiver receiver;
    uint32_t n_sent, n_lost, n_arrived, n_taken, n_timed;
    bool is_taken[MAX_PACKETS];
    uint32_t *data, n_data; /* Packets in flight, in the order in which they were sent. */
    struct answer *answers;
    uint32_t n_answers;
    weir_ps look_ps;
};

/* Makes new memory for the recovery, for the current parameters and environment. */
static void
restart(struct pair *p, const struct rc_env *env)
{
    size_t sender_bytes, receiver_bytes;

    free(p->sender.own);
    free(p->receiver.own);
    p->r->size(env, p->params, &sender_bytes, &receiver_bytes);
    p->sender.own = calloc(1, sender_bytes);
    p->receiver.own = calloc(1, receiver_bytes);
    p->r->start(env, p->params, &p->sender, &p->receiver);
}

static void
start(struct pair *p, const struct recovery *r, uint32_t n_packets, uint64_t reorder)
{
    struct rc_env env = { .line_bps = 10000000000,
                          .mtu_bytes = 1500,
                          .rtt_ps = 20 * (weir_ps)US,
                          .n_packets = n_packets };
    const struct weir_field *field = weir_field_find(r->about.params, "reorder");

    *p = (struct pair){ .r = r };
    weir_fields_default(r->about.params, p->params);
    if (field) {
        weir_field_set(field, p->params, reorder);
    }
    p->sender = (struct rc_sender){ .n_packets = n_packets };
    p->receiver = (struct rc_receiver){ .n_packets = n_packets, .ack_every = 1 };
    p->data = calloc(MAX_FLYING, sizeof *p->data);
    p->answers = calloc(MAX_FLYING, sizeof *p->answers);
    if (r->size) {
        restart(p, &env);
    }
}

static void
stop(struct pair *p)
{
    free(p->sender.own);
    free(p->receiver.own);
    free(p->data);
    free(p->answers);
}

static uint32_t
next_of(const struct pair *p)
{
    if (p->sender.own) {
        return p->r->next(&p->sender);
    }
    return p->sender.sequence < p->sender.n_packets ? p->sender.sequence : RC_NONE;
}

static bool
send_one(struct pair *p)
{
    uint32_t sequence = next_of(p);

    if (sequence == RC_NONE || p->n_data == MAX_FLYING) {
        return false;
    }
    assert_true(sequence >= p->sender.n_acked && sequence < p->sender.n_packets);
    if (p->sender.own) {
        p->r->sent(&p->sender, sequence);
    } else {
        p->sender.sequence++;
    }
    p->data[p->n_data++] = sequence;
    p->n_sent++;
    return true;
}

static void
add_answer(struct pair *p, enum rc_answer kind, uint32_t sequence, uint32_t cause)
{
    assert_true(p->n_answers < MAX_FLYING);
    p->answers[p->n_answers++] = (struct answer){ kind, sequence, cause };
}

/* A packet arrives. Where the host may count by itself, its counts agree with the recovery's. */
static unsigned
take(struct pair *p, uint32_t sequence)
{
    struct rc_receiver counted = p->receiver;
    bool is_next = p->r->only_counts && sequence == counted.expected;
    unsigned replies = p->r->took(&p->receiver, sequence);

    if (is_next) {
        assert_int_equal(rc_take_next(&counted), replies);
        assert_memory_equal(&counted, &p->receiver, sizeof counted);
    }
    return replies;
}

static struct rc_news
take_answer(struct pair *p, const struct answer *a, weir_ps now)
{
    struct rc_sender counted = p->sender;
    bool is_plain =
        p->r->only_counts && a->kind == RC_ACK && rc_is_plain_ack(&counted, a->sequence);
    struct rc_news news = p->r->answered(&p->sender, a->kind, a->sequence, now);

    if (is_plain) {
        assert_int_equal(news.n_arrived, a->sequence - counted.n_acked);
        assert_false(news.n_lost || news.look_ps);
        counted.n_acked = a->sequence;
        assert_memory_equal(&counted, &p->sender, sizeof counted);
    }
    return news;
}

/* Delivers the data packet at index 'i'. */
static void
deliver(struct pair *p, uint32_t i)
{
    uint32_t sequence = p->data[i];
    unsigned replies = take(p, sequence);

    memmove(&p->data[i], &p->data[i + 1], (--p->n_data - i) * sizeof *p->data);
    if (replies & RC_TAKE) {
        assert_false(p->is_taken[sequence]);
        p->is_taken[sequence] = true;
        p->n_taken++;
    }
    if (replies & RC_SEND_ACK) {
        p->receiver.n_unacked = 0;
        add_answer(p, RC_ACK, p->receiver.expected, sequence);
    }
    if (replies & RC_SEND_NACK) {
        add_answer(p, RC_NACK, p->receiver.expected, sequence);
    }
    if (replies & RC_SEND_SACK) {
        add_answer(p, RC_SACK, sequence, sequence);
    }
    for (uint32_t k = 0; k < p->receiver.expected; k++) {
        assert_true(p->is_taken[k]);
    }
}

static void
heed(struct pair *p, struct rc_news news)
{
    p->n_lost += news.n_lost;
    p->n_arrived += news.n_arrived;
    p->look_ps = news.look_ps ? news.look_ps : p->look_ps;
    assert_true(p->n_arrived <= p->n_taken);
    assert_true(p->sender.n_acked <= p->receiver.expected);
    assert_true(!news.has_last || p->is_taken[p->sender.n_packets - 1]);
}

static void
hear(struct pair *p, uint32_t i, weir_ps now)
{
    struct answer a = p->answers[i];

    memmove(&p->answers[i], &p->answers[i + 1], (--p->n_answers - i) * sizeof *p->answers);
    struct rc_news news = take_answer(p, &a, now);
    bool is_timed = p->receiver.ack_every == 1 && news.n_arrived && news.cause != RC_NONE;

    heed(p, news);
    /* No packet was sent twice, so the measured round trip belongs to the packet that caused the
     * ACK. */
    if (is_timed && !p->n_lost) {
        assert_int_equal(news.cause, a.cause);
        p->n_timed++;
    }
}

static bool
is_through(const struct pair *p)
{
    return p->sender.n_acked == p->sender.n_packets;
}

static void
assert_whole(const struct pair *p)
{
    assert_int_equal(p->n_taken, p->sender.n_packets);
    assert_int_equal(p->n_arrived, p->sender.n_packets);
    assert_int_equal(p->receiver.expected, p->sender.n_packets);
}

/* Sends all packets that may be sent, and delivers these and their ACKs in order. */
static void
flush(struct pair *p, weir_ps now)
{
    while (send_one(p)) {
    }
    while (p->n_data) {
        deliver(p, 0);
    }
    while (p->n_answers) {
        hear(p, 0, now);
    }
}

/* If one packet is lost, at any position, only this packet is retransmitted.  Only the loss of the
 * last packet is not noticed before the timeout. */
static void
one_loss_is_one_packet_more(void **state)
{
    enum { N = 50 };

    (void)state;
    for (uint32_t k = 0; k < N; k++) {
        struct pair p;
        start(&p, &rc_selective, N, 0);
        while (send_one(&p)) {
        }
        memmove(&p.data[k], &p.data[k + 1], (--p.n_data - k) * sizeof *p.data);
        flush(&p, 0);
        if (k == N - 1) {
            assert_int_equal(p.n_lost, 0);
            heed(&p, p.r->timed_out(&p.sender));
        }
        assert_int_equal(p.n_lost, 1);
        assert_int_equal(next_of(&p), k);
        flush(&p, 0);
        assert_int_equal(p.n_sent, N + 1);
        assert_whole(&p);
        stop(&p);
    }
}

/* Packet 10 is overtaken by d others.  With a 'reorder' of at least d nothing is retransmitted,
 * with a smaller one packet 10 is. */
static void
reordering_within_the_distance_is_no_loss(void **state)
{
    enum { N = 40, LATE = 10 };

    (void)state;
    for (uint32_t d = 1; d <= 20; d++) {
        for (uint32_t reorder = 0; reorder <= 20; reorder++) {
            struct pair p;
            start(&p, &rc_selective, N, reorder);
            while (send_one(&p)) {
            }
            memmove(&p.data[LATE], &p.data[LATE + 1], d * sizeof *p.data);
            p.data[LATE + d] = LATE;
            flush(&p, 0);
            assert_int_equal(p.n_lost, reorder < d ? 1 : 0);
            flush(&p, 0);
            assert_whole(&p);
            stop(&p);
        }
    }
}

/* With reorder off, no arrival proves a loss, however late a packet is.  The timeout does, and
 * packets that have arrived are not retransmitted. */
static void
no_distance_is_a_loss_when_that_is_off(void **state)
{
    enum { N = 60 };

    (void)state;
    for (uint32_t k = 0; k < N; k++) {
        struct pair p;
        start(&p, &rc_selective, N, WEIR_OFF);
        while (send_one(&p)) {
        }
        memmove(&p.data[k], &p.data[k + 1], (--p.n_data - k) * sizeof *p.data);
        flush(&p, 0);
        assert_int_equal(p.n_lost, 0);
        assert_int_equal(p.n_sent, N);
        heed(&p, p.r->timed_out(&p.sender));
        assert_int_equal(p.n_lost, 1);
        flush(&p, 0);
        assert_int_equal(p.n_sent, N + 1);
        assert_whole(&p);
        stop(&p);
    }
}

/* Values that a scenario leaves open come from the transport; values that it sets are always used.
 */
static void
a_control_may_wish(void **state)
{
    static const struct {
        uint64_t reorder, span;
        uint32_t n_packets, distance, flying;
    } cases[] = {
        { WEIR_AUTO, WEIR_AUTO, UINT32_MAX, 3, 256 },
        { WEIR_AUTO, WEIR_AUTO, 100, 3, 100 },
        { WEIR_AUTO, WEIR_AUTO, 20, 3, 20 },
        { 0, 16, UINT32_MAX, 1, 16 },
        { 6, WEIR_AUTO, 5, 7, 5 },
    };
    struct rc_env env = { .line_bps = 10000000000,
                          .mtu_bytes = 1500,
                          .rtt_ps = 20 * US,
                          .wishes = { .reorder = 2, .span = 256 } };
    const struct weir_field *fields = rc_selective.about.params;

    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct pair p;
        start(&p, &rc_selective, cases[i].n_packets, cases[i].reorder);
        weir_field_set(weir_field_find(fields, "span"), p.params, cases[i].span);
        env.n_packets = cases[i].n_packets;
        restart(&p, &env);
        while (send_one(&p)) {
        }
        assert_int_equal(p.n_sent, cases[i].flying);
        for (uint32_t k = 1; k < cases[i].flying && !p.n_lost; k++) {
            deliver(&p, 1);
            hear(&p, 0, 0);
            assert_int_equal(p.n_lost, k < cases[i].distance ? 0 : 1);
        }
        stop(&p);
    }
}

/* If a retransmitted packet is lost again, the arrival of packets that were sent after it proves
 * the second loss. */
static void
what_is_lost_twice_is_noticed_twice(void **state)
{
    struct pair p;

    (void)state;
    start(&p, &rc_selective, 200, 0);
    for (uint32_t i = 0; i < 10; i++) {
        send_one(&p);
    }
    memmove(&p.data[3], &p.data[4], (--p.n_data - 3) * sizeof *p.data);
    while (p.n_data) {
        deliver(&p, 0);
    }
    while (p.n_answers) {
        hear(&p, 0, 0);
    }
    assert_int_equal(next_of(&p), 3);
    send_one(&p);
    p.n_data = 0; /* The retransmitted packet is lost. */
    send_one(&p);
    deliver(&p, 0);
    hear(&p, 0, 0);
    assert_int_equal(next_of(&p), 3);
    assert_int_equal(p.n_lost, 2);
    for (int round = 0; round < 10; round++) { /* Each round is one round trip. */
        flush(&p, 0);
    }
    assert_whole(&p);
    assert_int_equal(p.n_sent, 202);
    stop(&p);
}

/* With 'wait', a gap that only a few packets have overtaken counts as a loss after this time. */
static void
a_gap_is_a_loss_after_the_wait(void **state)
{
    struct pair p;

    (void)state;
    start(&p, &rc_selective, 12, 30);
    weir_field_set(weir_field_find(p.r->about.params, "wait"), p.params, 5 * US);
    restart(&p,
            &(struct rc_env){
                .line_bps = 10000000000, .mtu_bytes = 1500, .rtt_ps = 20 * US, .n_packets = 12 });
    while (send_one(&p)) {
    }
    memmove(&p.data[10], &p.data[11], (--p.n_data - 10) * sizeof *p.data);
    flush(&p, 7 * US);
    assert_int_equal(p.n_lost, 0);
    assert_int_equal(p.look_ps, 12 * US);
    heed(&p, p.r->looked(&p.sender, p.look_ps));
    assert_int_equal(p.n_lost, 1);
    flush(&p, 12 * US);
    assert_whole(&p);
    stop(&p);
}

/* The packets in flight never exceed what the receiver can keep. */
static void
no_more_flies_than_the_span_holds(void **state)
{
    struct pair p;
    bool has_last;

    (void)state;
    start(&p, &rc_selective, MAX_PACKETS,
          0); /* 20 us at 10 Gb/s are 17 packets, so the span is the minimum, 64. */
    while (send_one(&p)) {
    }
    assert_int_equal(p.n_sent, 64);
    assert_int_equal(p.r->flying(&p.sender, &has_last), 64);
    assert_false(has_last);
    deliver(&p, 0);
    hear(&p, 0, 0);
    assert_true(send_one(&p));
    assert_false(send_one(&p));
    stop(&p);
}

/* Sends all packets over a channel that loses and reorders at random. */
static void
try_channel(const struct recovery *r, uint64_t seed)
{
    struct pair p;
    uint64_t chance = seed;
    uint32_t n = 1 + (uint32_t)(weir_random(&chance) % MAX_PACKETS);
    uint64_t loss = weir_random(&chance) % 20, far = 1 + weir_random(&chance) % 12;
    uint64_t reorder = weir_random(&chance) % 8;
    bool is_hasty = seed % 3 == 0; /* The timeout happens while packets are in flight. */

    start(&p, r, n, seed % 5 ? reorder : WEIR_OFF);
    p.receiver.ack_every = (uint16_t)(1 + weir_random(&chance) % 5);
    for (uint32_t step = 0; !is_through(&p); step++) {
        uint64_t what = weir_random(&chance) % 3, which = weir_random(&chance) % far;
        bool is_lost = weir_random(&chance) % 100 < loss;
        assert_true(step < 2000000);
        if (what == 0 && p.n_data < 200) {
            send_one(&p);
        } else if (what == 1 && p.n_data) {
            uint32_t i = (uint32_t)(which % p.n_data);
            if (is_lost) {
                memmove(&p.data[i], &p.data[i + 1], (--p.n_data - i) * sizeof *p.data);
            } else {
                deliver(&p, i);
            }
        } else if (what == 2 && p.n_answers) {
            uint32_t i = (uint32_t)(which % p.n_answers);
            if (is_lost) {
                p.answers[i] = p.answers[--p.n_answers];
            } else {
                hear(&p, i, 0);
            }
        } else if ((is_hasty && step % 97 == 0) ||
                   (!p.n_data && !p.n_answers && next_of(&p) == RC_NONE)) {
            heed(&p, r->timed_out(&p.sender));
        }
    }
    assert_whole(&p);
    stop(&p);
}

static void
all_arrives_once_over_any_channel(void **state)
{
    (void)state;
    for (uint64_t seed = 1; seed <= 300; seed++) {
        try_channel(&rc_selective, seed);
        try_channel(&rc_go_back_n, seed);
    }
}

/* Packets and ACKs overtake each other, and ACKs are lost: each ACK is matched with the packet that
 * caused it.  An ACK for several packets is matched with none. */
static void
answers_name_the_packet_that_caused_them(void **state)
{
    uint32_t n_timed = 0;

    (void)state;
    for (uint64_t seed = 1; seed <= 100; seed++) {
        uint64_t chance = seed;
        struct pair p;
        start(&p, &rc_selective, MAX_PACKETS, WEIR_OFF);
        for (int step = 0; step < 3000 && !is_through(&p); step++) {
            uint64_t what = weir_random(&chance) % 3, which = weir_random(&chance);
            if (what == 0) {
                send_one(&p);
            } else if (what == 1 && p.n_data) {
                deliver(&p, (uint32_t)(which % 9 % p.n_data));
            } else if (what == 2 && p.n_answers && which % 8) {
                hear(&p, (uint32_t)(which % 5 % p.n_answers), 0);
            } else if (what == 2 && p.n_answers) {
                p.n_answers--;
            }
        }
        n_timed += p.n_timed;
        stop(&p);
    }
    assert_true(n_timed > 100 * MAX_PACKETS / 2);
}

static void
all_have_names_and_hooks(void **state)
{
    const struct recovery *r;

    (void)state;
    for (uint32_t i = 0; (r = recovery_at(i)); i++) {
        assert_ptr_equal(recovery_find(r->about.name), r);
        assert_true(!r->is_reliable == !(r->answered && r->timed_out && r->took));
        assert_true(!r->size == !(r->start && r->next && r->sent && r->flying && r->looked));
        for (const struct weir_field *f = r->about.params; f->name; f++) {
            assert_true(f->help && f->source);
        }
    }
    assert_null(recovery_find("hope"));
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(one_loss_is_one_packet_more),
        cmocka_unit_test(reordering_within_the_distance_is_no_loss),
        cmocka_unit_test(no_distance_is_a_loss_when_that_is_off),
        cmocka_unit_test(a_control_may_wish),
        cmocka_unit_test(answers_name_the_packet_that_caused_them),
        cmocka_unit_test(what_is_lost_twice_is_noticed_twice),
        cmocka_unit_test(a_gap_is_a_loss_after_the_wait),
        cmocka_unit_test(no_more_flies_than_the_span_holds),
        cmocka_unit_test(all_arrives_once_over_any_channel),
        cmocka_unit_test(all_have_names_and_hooks),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
