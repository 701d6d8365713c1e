/* TIMELY, the sender.                                     Mittal et al., SIGCOMM 2015, Algorithm 1
 *
 * The rate follows the round-trip time and its gradient.  Once per round trip (or 'segment'):
 *
 *     difference = (1 - alpha) difference + alpha (round trip - the one before)
 *     gradient   = difference / min_rtt
 *
 *     round trip < t_low          rate += ai                            the queue is short
 *     round trip > t_high         rate -= rate beta (1 - t_high / round trip)
 *     gradient <= 0               rate += ai, or hyper times that after 'steps' such in a row
 *     gradient > 0                rate -= rate beta gradient
 *
 * The paper updates the rate at each completion of a segment of 16 to 64 KB.  HPCC's simulator
 * updates it when the first packet sent after the last update is acknowledged.  The round-trip time
 * is that of a packet, including its own time on the wires.
 *
 * A flow starts at line rate.  With 'window', the bytes on their way are limited to the rate times
 * the round trip of an empty path.  Losses do not change the rate; the paper does not consider
 * them. */

#include "transport/rates.h"

struct params {
    uint64_t alpha, beta, low_ps, high_ps, min_rtt_ps, ai_bps, steps, hyper, hyper_low;
    uint64_t least_bps, segment_bytes, has_window, rtt_ps;
};

_Static_assert(sizeof(struct params) <= TP_PARAMS_MAX, "parameters");

struct timely {
    struct params p;
    uint64_t line_bps, rate_bps, path_bytes;
    weir_ps rtt_ps, difference_ps; /* The last round trip, -1 if there is none yet, and its smoothed
                                    * difference to the round trip before. */
    uint64_t acked_bytes;          /* The acknowledged bytes of this segment. */
    uint32_t n_round;              /* The number of packets sent when the rate was last set. */
    uint32_t n_increases, mtu_bytes;
};

static const char *const no_yes[] = { "no", "yes", 0 };

static const struct weir_field fields[] = {
    WEIR_FIELD(struct params, alpha, "alpha", WEIR_RATIO, .fallback = WEIR_RATIO_1 * 7 / 8,
               .min = 1, .max = WEIR_RATIO_1,
               .help = "Weight of the newest difference between two round trips.",
               .source = "HPCC's simulator"),
    WEIR_FIELD(struct params, beta, "beta", WEIR_RATIO, .fallback = (WEIR_RATIO_1 * 8 + 5) / 10,
               .max = WEIR_RATIO_1, .help = "Share of the rate that a gradient of 1 takes off.",
               .source = "TIMELY, Algorithm 1; HPCC's simulator"),
    WEIR_FIELD(struct params, low_ps, "t_low", WEIR_TIME, .fallback = 50000000,
               .max = WEIR_PS_PER_S,
               .help = "Round trip under which the rate rises whatever the gradient.",
               .source = "TIMELY, Algorithm 1; HPCC's simulator"),
    WEIR_FIELD(struct params, high_ps, "t_high", WEIR_TIME, .fallback = 500000000,
               .max = WEIR_PS_PER_S,
               .help = "Round trip over which the rate falls whatever the gradient.",
               .source = "TIMELY, Algorithm 1; HPCC's simulator"),
    WEIR_FIELD(struct params, min_rtt_ps, "min_rtt", WEIR_TIME, .fallback = 20000000, .min = 1000,
               .max = WEIR_PS_PER_S,
               .help = "Round trip that differences are divided by: the gradient is 1 if round "
                       "trips grow by this time from one to the next.",
               .source = "TIMELY, Algorithm 1; HPCC's simulator"),
    WEIR_FIELD(struct params, ai_bps, "ai", WEIR_RATE, .fallback = WEIR_AUTO,
               .derived = "the value for a 10 Gb/s port, scaled by port speed",
               .max = 100 * (uint64_t)WEIR_PS_PER_S,
               .help = "Additive increase step of the rate; 10 Mb/s for a 10 Gb/s port.",
               .source = "TIMELY, Algorithm 1; HPCC's simulator"),
    WEIR_FIELD(struct params, steps, "steps", WEIR_COUNT, .fallback = 5, .max = 1000,
               .help = "Number of increases in a row without a positive gradient before "
                       "hyper-active increase.",
               .source = "TIMELY, Algorithm 1; HPCC's simulator"),
    WEIR_FIELD(struct params, hyper, "hyper", WEIR_COUNT, .fallback = 5, .min = 1, .max = 1000,
               .help = "Factor on the increase step in hyper-active increase.",
               .source = "TIMELY, Algorithm 1; HPCC's simulator"),
    WEIR_FIELD(struct params, hyper_low, "hyper_low", WEIR_CHOICE, .choices = no_yes, .max = 1,
               .help = "Whether round trips under t_low also count for hyper-active increase and "
                       "can trigger it, as in HPCC's simulator.",
               .source = "HPCC's simulator; TIMELY, Algorithm 1: no"),
    WEIR_FIELD(struct params, least_bps, "least", WEIR_RATE, TP_SCALED_FROM_25G,
               .help = "Lowest rate of a flow; 100 Mb/s for a 25 Gb/s port."),
    WEIR_FIELD(struct params, segment_bytes, "segment", WEIR_BYTES, .fallback = WEIR_AUTO,
               .derived = "all packets in flight: the rate changes once a round trip", .min = 1,
               .max = WEIR_MAX_BYTES,
               .help = "Acknowledged bytes between two changes of the rate; 16 to 64 KB in the "
                       "paper.",
               .source = "TIMELY; HPCC's simulator"),
    WEIR_FIELD(struct params, has_window, "window", WEIR_CHOICE, .choices = no_yes, .max = 1,
               .help = "Whether the bytes in flight are limited to the rate of the flow times the "
                       "base round trip.",
               .source = "HPCC, 5"),
    TP_BASE_RTT(struct params, "HPCC, Algorithm 1"),
    { 0 },
};

static bool
thresholds_fit(const struct params *p, struct weir_text *text)
{
    bool fit = p->low_ps <= p->high_ps;

    if (!fit && weir_field_is_default(weir_field_find(fields, "t_low"), p)) {
        weir_text_add(text, "%P is %T; it must not be below t_low, which is %T: set both", "t_high",
                      (weir_ps)p->high_ps, (weir_ps)p->low_ps);
    } else if (!fit) {
        weir_text_add(text, "%P is %T; it must not be above t_high, which is %T", "t_low",
                      (weir_ps)p->low_ps, (weir_ps)p->high_ps);
    }
    return fit;
}

static void
warn_of_rates(const struct params *p, uint64_t line_bps, struct weir_text *text)
{
    uint64_t least_bps = tp_scaled_from_25g(p->least_bps, 100000000, line_bps);

    tp_warn_of_least(text, least_bps, line_bps);
    tp_warn_of_rest(text, least_bps);
    if (!p->beta) {
        weir_text_add(tp_warn(text), "%P is 0: the rate never falls", "beta");
    }
    if (!p->ai_bps) {
        weir_text_add(tp_warn(text), "%P is 0: a rate that has fallen never rises again", "ai");
    }
}

static bool
check(const void *params, uint64_t line_bps, struct weir_text *text)
{
    const struct params *p = params;

    if (!thresholds_fit(p, text)) {
        return false;
    }
    warn_of_rates(p, line_bps, text);
    tp_warn_of_base_rtt(text, p->rtt_ps, p->has_window);
    return true;
}

static void
answer(const struct timely *s, struct tp_limits *limits)
{
    limits->rate_bps = s->rate_bps < s->line_bps ? s->rate_bps : WEIR_UNLIMITED;
    if (s->p.has_window) {
        limits->window_bytes =
            tp_window_of_rate(s->path_bytes, s->rate_bps, s->line_bps, s->mtu_bytes);
    }
}

static void
start(void *state, const struct tp_env *env, const void *params, struct tp_limits *limits)
{
    struct timely *s = state;

    *s = (struct timely){ .p = *(const struct params *)params,
                          .line_bps = env->line_bps,
                          .rate_bps = env->line_bps,
                          .rtt_ps = -1,
                          .mtu_bytes = env->mtu_bytes };
    weir_ps base_ps = s->p.rtt_ps == WEIR_AUTO ? env->rtt_ps : (weir_ps)s->p.rtt_ps;
    s->path_bytes = weir_wire_bytes(base_ps, env->line_bps);
    s->p.ai_bps = tp_scaled_from_25g(s->p.ai_bps, 25000000, env->line_bps);
    s->p.least_bps = tp_scaled_from_25g(s->p.least_bps, 100000000, env->line_bps);
    *limits = (struct tp_limits){ .window_bytes = WEIR_UNLIMITED, .timer_ps = WEIR_NEVER };
    answer(s, limits);
}

static void
increase(struct timely *s, bool may_leap)
{
    bool leaps = may_leap && s->n_increases >= s->p.steps;
    uint64_t rate_bps = s->rate_bps + s->p.ai_bps * (leaps ? s->p.hyper : 1);

    s->rate_bps = rate_bps < s->line_bps ? rate_bps : s->line_bps;
    s->n_increases += may_leap;
}

static void
set_back(struct timely *s, uint64_t rate_bps)
{
    s->rate_bps = rate_bps > s->p.least_bps ? rate_bps : s->p.least_bps;
    s->n_increases = 0;
}

/* Decreases the rate by beta times 'part' of 'whole'. */
static void
cut(struct timely *s, weir_ps part, weir_ps whole)
{
    uint64_t off = weir_mul_div(s->rate_bps, s->p.beta * (uint64_t)part,
                                (uint64_t)WEIR_RATIO_1 * (uint64_t)whole);

    set_back(s, off < s->rate_bps ? s->rate_bps - off : 0);
}

static void
update(struct timely *s, weir_ps rtt)
{
    weir_ps change = rtt - s->rtt_ps - s->difference_ps;

    s->difference_ps += change * (weir_ps)s->p.alpha / (weir_ps)WEIR_RATIO_1;
    if (rtt < (weir_ps)s->p.low_ps) {
        increase(s, s->p.hyper_low);
    } else if (rtt > (weir_ps)s->p.high_ps) {
        cut(s, rtt - (weir_ps)s->p.high_ps, rtt);
    } else if (s->difference_ps <= 0) {
        increase(s, true);
    } else {
        cut(s, s->difference_ps, (weir_ps)s->p.min_rtt_ps);
    }
}

static bool
ends_segment(const struct timely *s, const struct tp_ack *ack)
{
    return s->p.segment_bytes == WEIR_AUTO ? ack->n_acked > s->n_round
                                           : s->acked_bytes >= s->p.segment_bytes;
}

/* Longer round trips are clipped to this, so that products stay within 64 bits. */
static weir_ps
bounded(weir_ps rtt)
{
    return rtt < 10 * (weir_ps)WEIR_PS_PER_S ? rtt : 10 * (weir_ps)WEIR_PS_PER_S;
}

static void
acked(void *state, const struct tp_ack *ack, struct tp_limits *limits)
{
    struct timely *s = state;

    s->acked_bytes += ack->bytes;
    if (!ack->rtt_ps || !ends_segment(s, ack)) {
        return;
    }
    if (s->rtt_ps >= 0) {
        update(s, bounded(ack->rtt_ps));
        answer(s, limits);
    }
    s->rtt_ps = bounded(ack->rtt_ps);
    s->n_round = ack->n_sent;
    s->acked_bytes = 0;
}

static void
slowed(void *state, weir_ps now, uint64_t factor, struct tp_limits *limits)
{
    struct timely *s = state;

    (void)now;
    set_back(s, weir_mul_div(s->rate_bps, factor, WEIR_RATIO_1));
    answer(s, limits);
}

const struct transport tp_timely = {
    .about = { .name = "timely",
               .title = "The rate follows round trips and how fast they grow or shrink",
               .source = "Mittal et al., TIMELY: RTT-based Congestion Control for the Datacenter, "
                         "SIGCOMM 2015",
               .params = fields,
               .params_bytes = sizeof(struct params) },
    .recovery = &rc_go_back_n,
    .wants_rtt = true,
    .check = check,
    .state_bytes = sizeof(struct timely),
    .start = start,
    .acked = acked,
    .slowed = slowed,
};

_Static_assert(sizeof(struct timely) <= TP_STATE_MAX, "state");
