/* DCQCN, the sender.                                       Zhu et al., SIGCOMM 2015, section 3.1
 *
 *     notified:  target = rate;  rate -= rate alpha / 2;  alpha = (1 - g) alpha + g
 *     every alpha_time without a notification:  alpha = (1 - g) alpha
 *     every increase_time, and every increase_bytes sent, counted apart since the last cut:
 *
 *         both counts over 'steps'     target += hai    hyper increase
 *         one of them                  target += ai     additive increase
 *         none                                          fast recovery
 *         then                         rate = (rate + target) / 2
 *
 *     slowed:    target = rate;  rate = rate factor;  alpha stays, as it is an estimate of marks
 *
 * A flow starts at line rate and is not limited before its first notification. */

#include "transport/transport.h"

struct params {
    uint64_t notify_ps, alpha, g, alpha_time_ps, increase_time_ps, increase_bytes, steps;
    uint64_t ai_bps, hai_bps, least_bps;
};

struct dcqcn {
    struct params p;
    uint64_t line_bps, rate_bps, target_bps;
    uint32_t alpha; /* 16 binary places, as ratios have. */
    uint16_t n_times, n_byte_counts;
    uint64_t sent_bytes;
    weir_ps alpha_ps, increase_ps;
};

_Static_assert(sizeof(struct params) <= TP_PARAMS_MAX, "parameters");

#define SCALED                                                                                     \
    .derived = "the value for a 25 Gb/s port, scaled by port speed", .fallback = WEIR_AUTO,        \
    .max = 100 * (uint64_t)WEIR_PS_PER_S, .source = "HPCC's simulator"

static const struct weir_field fields[] = {
    WEIR_FIELD(struct params, notify_ps, "notify", WEIR_TIME, .fallback = 50000000,
               .max = WEIR_PS_PER_S,
               .help = "Least time between two congestion notifications (CNPs) of a flow.",
               .source = "DCQCN, 3.1"),
    WEIR_FIELD(struct params, alpha, "alpha", WEIR_RATIO, .fallback = WEIR_RATIO_1,
               .max = WEIR_RATIO_1, .help = "Initial value of alpha, the estimate of congestion.",
               .source = "DCQCN, 3.1"),
    WEIR_FIELD(struct params, g, "g", WEIR_RATIO, .fallback = WEIR_RATIO_1 / 256, .min = 1,
               .max = WEIR_RATIO_1, .help = "Weight of the newest observation in alpha.",
               .source = "DCQCN, 4"),
    WEIR_FIELD(struct params, alpha_time_ps, "alpha_time", WEIR_TIME, .fallback = 55000000,
               .min = 1000000, .max = WEIR_PS_PER_S,
               .help = "Time without a notification after which alpha shrinks.",
               .source = "DCQCN, 3.1"),
    WEIR_FIELD(struct params, increase_time_ps, "increase_time", WEIR_TIME, .fallback = 55000000,
               .min = 1000000, .max = WEIR_PS_PER_S,
               .help = "Time between two increases of the rate that the timer causes.",
               .source = "DCQCN, 4"),
    WEIR_FIELD(struct params, increase_bytes, "increase_bytes", WEIR_BYTES, .fallback = 10000000,
               .min = 1000, .max = WEIR_MAX_BYTES,
               .help = "Bytes sent between two increases of the rate that the byte counter causes.",
               .source = "DCQCN, 4"),
    WEIR_FIELD(struct params, steps, "steps", WEIR_COUNT, .fallback = 5, .min = 1, .max = 1000,
               .help = "Number of increases in fast recovery before the target rate rises.",
               .source = "DCQCN, 3.1"),
    WEIR_FIELD(struct params, ai_bps, "ai", WEIR_RATE, SCALED,
               .help = "Additive increase step of the rate; 5 Mb/s for a 25 Gb/s port."),
    WEIR_FIELD(struct params, hai_bps, "hai", WEIR_RATE, SCALED,
               .help = "Hyper increase step of the rate; 50 Mb/s for a 25 Gb/s port."),
    WEIR_FIELD(struct params, least_bps, "least", WEIR_RATE, SCALED,
               .help = "Lowest rate of a flow; 100 Mb/s for a 25 Gb/s port."),
    { 0 },
};

static uint64_t
scaled(uint64_t given, uint64_t at_25_bps, uint64_t line_bps)
{
    return given == WEIR_AUTO ? weir_mul_div(at_25_bps, line_bps, 25000000000) : given;
}

static weir_ps
notify_ps(const void *params)
{
    return (weir_ps)((const struct params *)params)->notify_ps;
}

static void
start(void *state, const struct tp_env *env, const void *params, struct tp_limits *limits)
{
    struct dcqcn *s = state;

    *s = (struct dcqcn){ .p = *(const struct params *)params,
                         .line_bps = env->line_bps,
                         .rate_bps = env->line_bps,
                         .target_bps = env->line_bps,
                         .alpha_ps = WEIR_NEVER,
                         .increase_ps = WEIR_NEVER };
    s->alpha = (uint32_t)s->p.alpha;
    s->p.ai_bps = scaled(s->p.ai_bps, 5000000, env->line_bps);
    s->p.hai_bps = scaled(s->p.hai_bps, 50000000, env->line_bps);
    s->p.least_bps = scaled(s->p.least_bps, 100000000, env->line_bps);
    *limits = (struct tp_limits){ .rate_bps = WEIR_UNLIMITED,
                                  .window_bytes = WEIR_UNLIMITED,
                                  .timer_ps = WEIR_NEVER };
}

static void
answer(const struct dcqcn *s, struct tp_limits *limits)
{
    limits->rate_bps = s->rate_bps < s->line_bps ? s->rate_bps : WEIR_UNLIMITED;
    limits->timer_ps = s->alpha_ps < s->increase_ps ? s->alpha_ps : s->increase_ps;
}

static void
shrink_alpha(struct dcqcn *s)
{
    s->alpha -= (uint32_t)((uint64_t)s->alpha * s->p.g / WEIR_RATIO_1);
}

/* From here on it recovers towards the rate that it had. */
static void
cut(struct dcqcn *s, weir_ps now, uint64_t by_bps)
{
    s->target_bps = s->rate_bps;
    s->rate_bps = s->rate_bps - by_bps > s->p.least_bps ? s->rate_bps - by_bps : s->p.least_bps;
    s->n_times = s->n_byte_counts = 0;
    s->sent_bytes = 0;
    s->increase_ps = now + (weir_ps)s->p.increase_time_ps;
}

static void
notified(void *state, weir_ps now, struct tp_limits *limits)
{
    struct dcqcn *s = state;

    cut(s, now, weir_mul_div(s->rate_bps, s->alpha, 2 * (uint64_t)WEIR_RATIO_1));
    shrink_alpha(s);
    s->alpha += (uint32_t)s->p.g;
    s->alpha_ps = now + (weir_ps)s->p.alpha_time_ps;
    answer(s, limits);
}

static void
slowed(void *state, weir_ps now, uint64_t factor, struct tp_limits *limits)
{
    struct dcqcn *s = state;

    cut(s, now, weir_mul_div(s->rate_bps, WEIR_RATIO_1 - factor, WEIR_RATIO_1));
    answer(s, limits);
}

static void
increase(struct dcqcn *s)
{
    uint64_t more = s->n_times > s->p.steps || s->n_byte_counts > s->p.steps ? s->p.ai_bps : 0;

    if (s->n_times > s->p.steps && s->n_byte_counts > s->p.steps) {
        more = s->p.hai_bps;
    }
    s->target_bps = s->target_bps + more < s->line_bps ? s->target_bps + more : s->line_bps;
    s->rate_bps = (s->rate_bps + s->target_bps + 1) / 2;
}

/* Bytes count from the first cut on. */
static void
sent(void *state, weir_ps now, uint32_t bytes, struct tp_limits *limits)
{
    struct dcqcn *s = state;

    (void)now;
    s->sent_bytes += bytes;
    if (s->increase_ps != WEIR_NEVER && s->sent_bytes >= s->p.increase_bytes) {
        s->sent_bytes -= s->p.increase_bytes;
        s->n_byte_counts++;
        increase(s);
        answer(s, limits);
    }
}

static void
timer(void *state, weir_ps now, struct tp_limits *limits)
{
    struct dcqcn *s = state;

    if (s->alpha_ps <= now) {
        shrink_alpha(s);
        s->alpha_ps = now + (weir_ps)s->p.alpha_time_ps;
    }
    if (s->increase_ps <= now) {
        s->n_times++;
        increase(s);
        s->increase_ps = now + (weir_ps)s->p.increase_time_ps;
    }
    bool is_alpha_at_rest = !s->alpha || s->alpha_ps == WEIR_NEVER;
    if (s->rate_bps >= s->line_bps && s->target_bps >= s->line_bps && is_alpha_at_rest) {
        s->alpha_ps = s->increase_ps = WEIR_NEVER; /* As new. */
    }
    answer(s, limits);
}

const struct transport tp_dcqcn = {
    .about = { .name = "dcqcn",
               .title =
                   "The rate follows congestion notifications, sent for packets marked with ECN",
               .source =
                   "Zhu et al., Congestion Control for Large-Scale RDMA Deployments, SIGCOMM 2015",
               .params = fields,
               .params_bytes = sizeof(struct params) },
    .recovery = &rc_go_back_n,
    .wants_marks = true,
    .notify_ps = notify_ps,
    .start = start,
    .sent = sent,
    .notified = notified,
    .timer = timer,
    .slowed = slowed,
};

_Static_assert(sizeof(struct dcqcn) <= TP_STATE_MAX, "state");
