/* Selective repeat: only missing packets are retransmitted.
 *
 * The receiver keeps packets that arrive out of order, up to 'span' packets from the first missing
 * one, and acknowledges each with a SACK.  When the gap closes, one ACK covers them all.  The
 * sender never sends more than 'span' packets from the first unacknowledged one on, so the receiver
 * always has room for a packet that arrives.
 *
 *     flying ---- it was acknowledged --------------------> arrived
 *        |  ^
 *        |  `-- retransmitted <-- lost
 *        `---- one that was sent more than 'reorder' packets after it has arrived,
 *              or any after it, and 'wait' has passed since; or the timeout ------> lost
 *
 * Each transmission has a number, and transmissions are judged in order, so that the loss of a
 * retransmission is noticed like any other loss.  The acknowledgement of a packet that was sent
 * twice does not show which transmission has arrived, and proves nothing about transmissions in
 * between.  An ACK that covers several packets may acknowledge the last of them or a packet that
 * closed a gap, so it measures no round trip. */

#include <string.h>

#include "transport/recovery.h"

struct params {
    uint64_t reorder, wait_ps, span;
};

enum { LEAST_SPAN = 64, MOST_SPAN = 65536, MOST_REORDER = MOST_SPAN / 2 };

static const struct weir_field fields[] = {
    WEIR_FIELD(struct params, reorder, "reorder", WEIR_COUNT, .fallback = WEIR_AUTO,
               .max = MOST_REORDER, .may_be_off = true,
               .derived = "2 with tcp, which are its three duplicate ACKs; 0 with other transports",
               .help = "Reordering to tolerate: a packet is lost when one has arrived that "
                       "was sent more than this many packets later. Off: only 'wait' and the "
                       "timeout detect losses.",
               .source = "RFC 5681, 3.2"),
    WEIR_FIELD(struct params, wait_ps, "wait", WEIR_TIME, .fallback = WEIR_AUTO, .min = 1000,
               .max = WEIR_PS_PER_S,
               .derived = "no limit: packets count as lost by 'reorder' alone",
               .help = "Longest time to wait for an overdue packet: it counts as lost this long "
                       "after a packet has arrived that was sent later.",
               .source = "RFC 8985, 6.2"),
    WEIR_FIELD(struct params, span, "span", WEIR_COUNT, .fallback = WEIR_AUTO, .min = 2,
               .max = MOST_SPAN,
               .derived = "packets of two round trips at line rate on an empty path, at least 64; "
                          "with tcp at least 1024, but no more than the flow has",
               .help = "Number of packets that the receiver can keep, from the first missing one "
                       "on; the sender goes no further. Rounded up to a power of two.",
               .source = "IRN, 3.2 (BDP-FC), has one round trip"),
    { 0 },
};

_Static_assert(sizeof(struct params) <= RC_PARAMS_MAX, "parameters");

#define ANY_REORDER UINT32_MAX /* For 'off': a number above that of any transmission. */

struct sender { /* Arrays follow: see layout(). */
    uint32_t span, reorder;
    weir_ps wait_ps;
    uint32_t n_sent;    /* The number of transmissions so far; they are numbered from 0. */
    uint32_t judged;    /* All earlier transmissions have arrived, were superseded, or are lost. */
    uint32_t newest;    /* 1 plus the last transmission that is known to have arrived. */
    uint32_t n_flying;  /* The number of packets on their way. */
    uint32_t n_lost;    /* The number of packets that wait to be retransmitted. */
    uint32_t lost;      /* No packet before this one waits to be retransmitted. */
    uint32_t waits_for; /* 'looked' will judge transmissions before this one; 0: none. */
    uint32_t *orders;   /* [packet % span]: the packet's last transmission. */
    uint32_t *packets;  /* [transmission % (2 span)]: its packet; see is_in_flight(). */
    uint8_t *states;    /* [packet % span]: enum rc_state. */
    uint8_t *is_again;  /* [packet % span]: whether the packet was sent more than once. */
};

struct receiver {
    uint32_t span;
    uint64_t has[]; /* One bit for each packet % span. */
};

static uint32_t
reorder_of(const struct rc_env *env, const struct params *p)
{
    if (p->reorder == WEIR_OFF) {
        return ANY_REORDER;
    }
    return p->reorder == WEIR_AUTO ? env->wishes.reorder : (uint32_t)p->reorder;
}

/* The default span: two round trips.  A control with its own window may request more, because
 * queues hold more than an empty path.  Flows then get at most the span that their length needs. */
static uint64_t
span_left_open(const struct rc_env *env)
{
    uint64_t wanted = 2 * weir_wire_bytes(env->rtt_ps, env->line_bps) / env->mtu_bytes + 1;

    wanted = wanted < LEAST_SPAN ? LEAST_SPAN : wanted;
    if (env->wishes.span) {
        wanted = wanted < env->wishes.span ? env->wishes.span : wanted;
        wanted = wanted > env->n_packets ? env->n_packets : wanted;
    }
    return wanted;
}

/* The span is a power of two, so that indices into the circular arrays are cheap to compute, and at
 * least as large as 'reorder' needs.  A shorter flow has an entry for each of its packets, so the
 * span does not limit it. */
static uint32_t
span_of(const struct rc_env *env, const struct params *p)
{
    uint64_t wanted = p->span == WEIR_AUTO ? span_left_open(env) : p->span, span = 2;
    uint32_t reorder = reorder_of(env, p);

    if (reorder != ANY_REORDER) {
        wanted = wanted < reorder + 1 ? reorder + 1 : wanted;
    }
    while (span < wanted && span < MOST_SPAN && span < env->n_packets) {
        span *= 2;
    }
    return (uint32_t)span;
}

static void
size(const struct rc_env *env, const void *params, size_t *sender, size_t *receiver)
{
    size_t span = span_of(env, params);

    *sender = sizeof(struct sender) + 3 * span * sizeof(uint32_t) + 2 * span;
    *receiver = sizeof(struct receiver) + (span + 63) / 64 * sizeof(uint64_t);
}

static void
layout(struct sender *s)
{
    s->orders = (uint32_t *)(s + 1);
    s->packets = s->orders + s->span;
    s->states = (uint8_t *)(s->packets + 2 * (size_t)s->span);
    s->is_again = s->states + s->span;
}

static void
start(const struct rc_env *env, const void *params, struct rc_sender *flow,
      struct rc_receiver *receiver)
{
    const struct params *p = params;

    if (flow) {
        struct sender *s = flow->own;
        s->span = span_of(env, p);
        s->reorder = reorder_of(env, p);
        s->wait_ps = p->wait_ps == WEIR_AUTO ? WEIR_NEVER : (weir_ps)p->wait_ps;
        layout(s);
    }
    if (receiver) {
        ((struct receiver *)receiver->own)->span = span_of(env, p);
    }
}

/* These functions are the sender's half. */

static uint32_t
next(const struct rc_sender *f)
{
    const struct sender *s = f->own;

    if (s->n_lost) {
        uint32_t i = s->lost > f->n_acked ? s->lost : f->n_acked;
        while (s->states[i % s->span] != RC_LOST) {
            i++;
        }
        return i;
    }
    bool has_more = f->sequence < f->n_packets && f->sequence - f->n_acked < s->span;
    return has_more ? f->sequence : RC_NONE;
}

static void
sent(struct rc_sender *f, uint32_t sequence)
{
    struct sender *s = f->own;
    uint32_t i = sequence % s->span;

    if (sequence == f->sequence) {
        f->sequence++;
        s->is_again[i] = false;
    } else {
        s->n_lost--;
        s->lost = sequence + 1;
        s->is_again[i] = true;
    }
    s->states[i] = RC_FLYING;
    s->orders[i] = s->n_sent;
    s->packets[s->n_sent++ % (2 * s->span)] = sequence;
    s->n_flying++;
}

static uint32_t
flying(const struct rc_sender *f, bool *has_last)
{
    const struct sender *s = f->own;
    uint32_t last = f->n_packets - 1;

    *has_last = f->sequence == f->n_packets && f->n_acked < f->n_packets &&
                s->states[last % s->span] == RC_FLYING;
    return s->n_flying;
}

static enum rc_state
state(const struct rc_sender *f, uint32_t sequence)
{
    const struct sender *s = f->own;

    return s->states[sequence % s->span];
}

/* Marks a packet as arrived that was not known to have arrived. */
static void
arrive(struct rc_sender *f, uint32_t sequence, struct rc_news *news)
{
    struct sender *s = f->own;
    uint32_t i = sequence % s->span;

    if (s->states[i] == RC_ARRIVED) {
        return;
    }
    s->n_flying -= s->states[i] == RC_FLYING;
    s->n_lost -= s->states[i] == RC_LOST;
    s->states[i] = RC_ARRIVED;
    if (!s->is_again[i] && s->orders[i] >= s->newest) {
        s->newest = s->orders[i] + 1;
    }
    news->cause = news->n_arrived++ ? RC_NONE : sequence;
    news->has_last |= sequence + 1 == f->n_packets;
}

static void
lose(struct sender *s, uint32_t sequence, struct rc_news *news)
{
    s->states[sequence % s->span] = RC_LOST;
    s->n_flying--;
    s->lost = !s->n_lost || sequence < s->lost ? sequence : s->lost;
    s->n_lost++;
    news->first = !news->n_lost || sequence < news->first ? sequence : news->first;
    news->n_lost++;
}

/* Whether the packet of a transmission is still on its way, and was not retransmitted since.
 *
 * Such a transmission is at most 2 span - 2 behind the newest one.  Later transmissions are new
 * packets and packets lost before it, each sent once, and all of them are less than a span from its
 * packet.  So no other transmission has overwritten its entry; if one has, the packet is not on its
 * way. */
static bool
is_in_flight(const struct rc_sender *f, uint32_t transmission)
{
    const struct sender *s = f->own;
    uint32_t packet = s->packets[transmission % (2 * s->span)], i = packet % s->span;

    return packet >= f->n_acked && s->states[i] == RC_FLYING && s->orders[i] == transmission;
}

/* Marks transmissions before 'end' that are still on their way as lost, in order. */
static void
judge(struct rc_sender *f, uint32_t end, struct rc_news *news)
{
    struct sender *s = f->own;

    for (; s->judged < end; s->judged++) {
        if (is_in_flight(f, s->judged)) {
            lose(s, s->packets[s->judged % (2 * s->span)], news);
        }
    }
}

/* Whether a transmission is overdue, because a later one has arrived. */
static bool
is_overdue(const struct rc_sender *f)
{
    struct sender *s = f->own;

    while (s->judged < s->newest && !is_in_flight(f, s->judged)) {
        s->judged++;
    }
    return s->judged < s->newest;
}

static void
ask_for_check(const struct rc_sender *f, struct rc_news *news, weir_ps now)
{
    struct sender *s = f->own;

    if (s->wait_ps != WEIR_NEVER && !s->waits_for && is_overdue(f)) {
        s->waits_for = s->newest;
        news->look_ps = now + s->wait_ps;
    }
}

static struct rc_news
answered(struct rc_sender *f, enum rc_answer answer, uint32_t sequence, weir_ps now)
{
    struct sender *s = f->own;
    struct rc_news news = { 0 };

    if (answer == RC_SACK && sequence >= f->n_acked && sequence < f->sequence) {
        arrive(f, sequence, &news);
    } else if (answer != RC_SACK) {
        for (uint32_t i = f->n_acked; i < sequence; i++) {
            arrive(f, i, &news);
        }
        f->n_acked = sequence > f->n_acked ? sequence : f->n_acked;
    }
    if (s->newest && s->newest - 1 > s->reorder) {
        judge(f, s->newest - 1 - s->reorder, &news);
    }
    ask_for_check(f, &news, now);
    return news;
}

static struct rc_news
timed_out(struct rc_sender *f)
{
    struct rc_news news = { 0 };

    judge(f, ((struct sender *)f->own)->n_sent, &news);
    return news;
}

static struct rc_news
looked(struct rc_sender *f, weir_ps now)
{
    struct sender *s = f->own;
    struct rc_news news = { 0 };

    judge(f, s->waits_for, &news);
    s->waits_for = 0;
    ask_for_check(f, &news, now);
    return news;
}

/* These functions are the receiver's half. */

static bool
has(const struct receiver *r, uint32_t sequence)
{
    return r->has[sequence % r->span / 64] >> sequence % r->span % 64 & 1;
}

static void
toggle(struct receiver *r, uint32_t sequence)
{
    r->has[sequence % r->span / 64] ^= (uint64_t)1 << sequence % r->span % 64;
}

static unsigned
keep_out_of_order(struct rc_receiver *flow, uint32_t sequence)
{
    struct receiver *r = flow->own;
    unsigned before = flow->n_unacked ? RC_SEND_ACK : 0; /* Counts the packets before the first
                                                          * gap. */

    if (sequence - flow->expected >= r->span) {
        return RC_SEND_ACK;
    }
    if (has(r, sequence)) {
        return before | RC_SEND_SACK;
    }
    toggle(r, sequence);
    return before | RC_SEND_SACK | RC_TAKE;
}

static unsigned
took(struct rc_receiver *flow, uint32_t sequence)
{
    struct receiver *r = flow->own;

    if (sequence > flow->expected) {
        return keep_out_of_order(flow, sequence);
    }
    if (sequence < flow->expected) {
        return RC_SEND_ACK;
    }
    uint32_t n_kept = 0;
    for (flow->expected++; r && has(r, flow->expected); flow->expected++, n_kept++) {
        toggle(r, flow->expected);
    }
    return rc_take_expected(flow) | (n_kept ? RC_SEND_ACK : 0u);
}

const struct recovery rc_selective = {
    .about = { .name = "selective",
               .title = "The receiver keeps packets that arrive out of order; the sender "
                        "retransmits only missing packets",
               .source = "Mittal et al., Revisiting Network Support for RDMA, SIGCOMM 2018",
               .params = fields,
               .params_bytes = sizeof(struct params) },
    .is_reliable = true,
    .size = size,
    .start = start,
    .next = next,
    .sent = sent,
    .flying = flying,
    .state = state,
    .answered = answered,
    .timed_out = timed_out,
    .looked = looked,
    .took = took,
};
