/* The sender of DCQCN, in the form of its paper and in the form of NICs.
 *                                                          Zhu et al., SIGCOMM 2015, section 3.1
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
 *     slowed:    target = rate;  rate = rate factor;  alpha, an estimate of marks, stays
 *
 * NICs process notifications only at the ends of periods, which begin with the first notification.
 * If several cuts follow each other, NICs keep the target of the first cut:
 *
 *     every alpha_time:  alpha = (1 - g) alpha, + g if one came in it
 *     every cut_time, if one came in it:
 *                        target = rate, if the rate was increased since the last cut
 *                        rate -= rate alpha / 2
 *     every increase_time since the last cut:  fast recovery 'steps' times, additive increase once,
 *                        and hyper increase from then on
 *
 * The two forms differ only in parameters, whose defaults follow from 'form'.  Periods without
 * notifications cost nothing: alpha is computed for the present time when it is needed.
 *
 * A flow starts at line rate and is not limited before its first notification. */

#include "transport/rates.h"

enum { PAPER, NIC };
enum { NO, YES };

#define ALPHA_1        ((uint64_t)1 << 32)
#define ALPHA_OF_RATIO (ALPHA_1 / WEIR_RATIO_1)

static const char *const form_names[] = { "paper", "nic", 0 };
static const char *const no_yes[] = { "no", "yes", 0 };

struct params {
    uint64_t form, notify_ps, alpha, g, alpha_time_ps, cut_time_ps, clamp;
    uint64_t increase_time_ps, increase_bytes, steps, has_window, rtt_ps;
    uint64_t ai_bps, hai_bps, least_bps;
};

struct dcqcn {
    struct params p;
    uint64_t line_bps, rate_bps, target_bps, path_bytes;
    uint64_t alpha; /* A ratio with 32 fractional bits. */
    uint32_t mtu_bytes;
    uint32_t n_times, n_byte_counts;
    uint64_t sent_bytes;
    weir_ps alpha_ps, increase_ps;

    /* With a cut period: when the first period began, the time up to which alpha is known, whether
     * a notification has arrived since then, and when the rate will be cut. */
    weir_ps first_ps, known_ps, cut_ps;
    bool has_come;
};

_Static_assert(sizeof(struct params) <= TP_PARAMS_MAX, "parameters");

#define BY_FORM(TEXT) .fallback = WEIR_AUTO, .derived = (TEXT)

#define US         ((uint64_t)1000000)
#define PAPERS_BPS ((uint64_t)40000000000)

static const struct weir_field fields[] = {
    WEIR_FIELD(struct params, form, "form", WEIR_CHOICE, .fallback = PAPER, .max = NIC,
               .choices = form_names,
               .help = "Variant of DCQCN: that of the paper, or that of NICs and of HPCC's "
                       "simulator. It sets the defaults of other parameters.",
               .source = "DCQCN, 3.1; HPCC's simulator"),
    WEIR_FIELD(struct params, notify_ps, "notify", WEIR_TIME,
               BY_FORM("50us with form: paper, 0 with form: nic"), .max = WEIR_PS_PER_S,
               .help = "Minimum time between two congestion notifications (CNPs) of a flow. 0: one "
                       "for each marked packet.",
               .source = "DCQCN, 3.1; NVIDIA's min_time_between_cnps"),
    WEIR_FIELD(struct params, alpha, "alpha", WEIR_RATIO, .fallback = WEIR_RATIO_1,
               .max = WEIR_RATIO_1, .help = "Initial value of alpha, the estimate of congestion.",
               .source = "DCQCN, 3.1; NVIDIA's initial_alpha_value"),
    WEIR_FIELD(struct params, g, "g", WEIR_RATIO, .fallback = WEIR_RATIO_1 / 256, .min = 1,
               .max = WEIR_RATIO_1, .help = "Weight of the newest observation in alpha.",
               .source = "DCQCN, 4; NVIDIA's 1 - dce_tcp_g/1024"),
    WEIR_FIELD(struct params, alpha_time_ps, "alpha_time", WEIR_TIME,
               BY_FORM("55us with form: paper, 1us with form: nic"), .min = US,
               .max = WEIR_PS_PER_S,
               .help = "Time without a notification after which alpha shrinks; with a cut_time, "
                       "the period at whose end alpha grows or shrinks.",
               .source = "DCQCN, 3.1; NVIDIA's dce_tcp_rtt"),
    WEIR_FIELD(struct params, cut_time_ps, "cut_time", WEIR_TIME,
               BY_FORM("0 with form: paper, 4us with form: nic"), .max = WEIR_PS_PER_S,
               .help =
                   "Period at whose end the rate is cut, once, if a notification arrived in it. "
                   "0: each notification cuts the rate at once.",
               .source = "NVIDIA's rate_reduce_monitor_period"),
    WEIR_FIELD(struct params, clamp, "clamp", WEIR_CHOICE,
               BY_FORM("yes with form: paper, no with form: nic"), .max = YES, .choices = no_yes,
               .help = "Whether every cut sets the target rate to the rate before it. no: only a "
                       "cut after an increase does, and further ones keep the target.",
               .source = "NVIDIA's clamp_tgt_rate"),
    WEIR_FIELD(struct params, increase_time_ps, "increase_time", WEIR_TIME,
               BY_FORM("55us with form: paper, 300us with form: nic"), .min = US,
               .max = WEIR_PS_PER_S,
               .help = "Time between two increases of the rate that the timer causes.",
               .source = "DCQCN, 4; NVIDIA's rpg_time_reset"),
    WEIR_FIELD(struct params, increase_bytes, "increase_bytes", WEIR_BYTES,
               BY_FORM("10MB with form: paper, off with form: nic"), .min = 1000,
               .max = WEIR_MAX_BYTES, .may_be_off = true,
               .help = "Bytes sent between two increases of the rate that the byte counter causes. "
                       "off: only the timer counts, and hyper increase follows one additive "
                       "increase.",
               .source = "DCQCN, 4; NVIDIA's rpg_byte_reset"),
    WEIR_FIELD(struct params, steps, "steps", WEIR_COUNT,
               BY_FORM("5 with form: paper, 1 with form: nic"), .min = 1, .max = 1000,
               .help = "Number of increases in fast recovery before the target rate rises.",
               .source = "DCQCN, 3.1; NVIDIA's rpg_threshold"),
    WEIR_FIELD(struct params, has_window, "window", WEIR_CHOICE, .choices = no_yes, .max = YES,
               .help = "Whether the bytes in flight are limited to the rate of the flow times the "
                       "base round trip.",
               .source = "HPCC's simulator, VAR_WIN"),
    TP_BASE_RTT(struct params, "HPCC's simulator, GLOBAL_T"),
    WEIR_FIELD(struct params, ai_bps, "ai", WEIR_RATE, TP_SCALED_FROM_25G,
               .help = "Additive increase step of the rate; 5 Mb/s for a 25 Gb/s port."),
    WEIR_FIELD(struct params, hai_bps, "hai", WEIR_RATE, TP_SCALED_FROM_25G,
               .help = "Hyper increase step of the rate; 50 Mb/s for a 25 Gb/s port."),
    WEIR_FIELD(struct params, least_bps, "least", WEIR_RATE, TP_SCALED_FROM_25G,
               .help = "Minimum rate of a flow; 100 Mb/s for a 25 Gb/s port."),
    { 0 },
};

/* Defaults that depend on the form. */
static const struct params forms[] = {
    [PAPER] = { .notify_ps = 50 * US,
                .alpha_time_ps = 55 * US,
                .cut_time_ps = 0,
                .clamp = YES,
                .increase_time_ps = 55 * US,
                .increase_bytes = 10000000,
                .steps = 5 },
    [NIC] = { .notify_ps = 0,
              .alpha_time_ps = 1 * US,
              .cut_time_ps = 4 * US,
              .clamp = NO,
              .increase_time_ps = 300 * US,
              .increase_bytes = WEIR_OFF,
              .steps = 1 },
};

/* The parameters that apply to a flow. */
static struct params
settled(struct params p, const struct tp_env *env)
{
    p.ai_bps = tp_scaled_from_25g(p.ai_bps, 5000000, env->line_bps);
    p.hai_bps = tp_scaled_from_25g(p.hai_bps, 50000000, env->line_bps);
    p.least_bps = tp_scaled_from_25g(p.least_bps, 100000000, env->line_bps);
    p.rtt_ps = p.rtt_ps == WEIR_AUTO ? (uint64_t)env->rtt_ps : p.rtt_ps;
    for (const struct weir_field *f = fields; f->name; f++) {
        if (weir_field_get(f, &p) == WEIR_AUTO) {
            weir_field_set(f, &p, weir_field_get(f, &forms[p.form]));
        }
    }
    return p;
}

/* The paper's timers were chosen for 40 Gb/s.  On faster links a flow is cut equally often, and
 * recovers in equally many steps of the same length. */
static void
warn_of_form(struct weir_text *text, const struct params *p, uint64_t line_bps)
{
    if (p->form == PAPER && line_bps > PAPERS_BPS) {
        weir_text_add(tp_warn(text),
                      "%P is paper, whose timers were chosen for lines of %R, but a line has %R: "
                      "flows recover slowly; NICs use form: nic at such rates",
                      "form", PAPERS_BPS, line_bps);
    }
}

static bool
check(const void *params, uint64_t line_bps, struct weir_text *text)
{
    const struct params p =
        settled(*(const struct params *)params, &(const struct tp_env){ .line_bps = line_bps });

    warn_of_form(text, &p, line_bps);
    tp_warn_of_least(text, p.least_bps, line_bps);
    tp_warn_of_base_rtt(text, ((const struct params *)params)->rtt_ps, p.has_window);
    if (p.hai_bps < p.ai_bps) {
        weir_text_add(tp_warn(text),
                      "%P is %R, below ai, which is %R: hyper increase is the slower one", "hai",
                      p.hai_bps, p.ai_bps);
    }
    return true;
}

static weir_ps
notify_ps(const void *params)
{
    const struct params *p = params;

    return (weir_ps)(p->notify_ps == WEIR_AUTO ? forms[p->form].notify_ps : p->notify_ps);
}

static void
answer(const struct dcqcn *s, struct tp_limits *limits)
{
    weir_ps next_ps = s->alpha_ps < s->increase_ps ? s->alpha_ps : s->increase_ps;

    limits->rate_bps = s->rate_bps < s->line_bps ? s->rate_bps : WEIR_UNLIMITED;
    limits->timer_ps = s->cut_ps < next_ps ? s->cut_ps : next_ps;
    limits->window_bytes = WEIR_UNLIMITED;
    if (s->p.has_window) {
        limits->window_bytes =
            tp_window_of_rate(s->path_bytes, s->rate_bps, s->line_bps, s->mtu_bytes);
    }
}

static void
start(void *state, const struct tp_env *env, const void *params, struct tp_limits *limits)
{
    struct dcqcn *s = state;

    *s = (struct dcqcn){ .p = settled(*(const struct params *)params, env),
                         .line_bps = env->line_bps,
                         .rate_bps = env->line_bps,
                         .target_bps = env->line_bps,
                         .mtu_bytes = env->mtu_bytes,
                         .alpha_ps = WEIR_NEVER,
                         .increase_ps = WEIR_NEVER,
                         .first_ps = WEIR_NEVER,
                         .cut_ps = WEIR_NEVER };
    s->alpha = s->p.alpha * ALPHA_OF_RATIO;
    s->path_bytes = weir_wire_bytes((weir_ps)s->p.rtt_ps, env->line_bps);
    *limits = (struct tp_limits){ 0 };
    answer(s, limits);
}

/* Without periods alpha has 16 fractional bits, and stays constant when g times alpha is below the
 * last of them. */
static uint64_t
loss_of_alpha(const struct dcqcn *s)
{
    return s->alpha / ALPHA_OF_RATIO * s->p.g / WEIR_RATIO_1 * ALPHA_OF_RATIO;
}

/* Computes (1 - g)^n with the fractional bits of alpha. */
static uint64_t
decay(uint64_t g, uint64_t n)
{
    uint64_t power = ALPHA_1, base = (WEIR_RATIO_1 - g) * ALPHA_OF_RATIO;

    for (; n; n /= 2) {
        power = n % 2 ? weir_mul_div(power, base, ALPHA_1) : power;
        base = weir_mul_div(base, base, ALPHA_1);
    }
    return power;
}

/* Brings alpha up to date.  Only the first of the periods that have ended since then can have had
 * notifications. */
static void
learn_alpha(struct dcqcn *s, weir_ps now)
{
    uint64_t n = (uint64_t)(now - s->known_ps) / s->p.alpha_time_ps;

    if (n) {
        s->alpha = weir_mul_div(s->alpha, decay(s->p.g, 1), ALPHA_1);
        s->alpha += s->has_come ? s->p.g * ALPHA_OF_RATIO : 0;
        s->alpha = weir_mul_div(s->alpha, decay(s->p.g, n - 1), ALPHA_1);
        s->known_ps += (weir_ps)(n * s->p.alpha_time_ps);
        s->has_come = false;
    }
}

/* Cuts the rate; after this the flow recovers towards the target. */
static void
cut(struct dcqcn *s, weir_ps now, uint64_t by_bps)
{
    if (s->p.clamp || s->n_times || s->n_byte_counts) {
        s->target_bps = s->rate_bps;
    }
    s->rate_bps = s->rate_bps - by_bps > s->p.least_bps ? s->rate_bps - by_bps : s->p.least_bps;
    s->n_times = s->n_byte_counts = 0;
    s->sent_bytes = 0;
    s->increase_ps = now + (weir_ps)s->p.increase_time_ps;
}

static void
cut_by_alpha(struct dcqcn *s, weir_ps now)
{
    cut(s, now, weir_mul_div(s->rate_bps, s->alpha, 2 * ALPHA_1));
}

/* Records a notification; the rate is cut at the end of the period.  The first notification starts
 * the periods.  Alpha keeps its initial value then, and this notification does not change it. */
static void
note(struct dcqcn *s, weir_ps now)
{
    if (s->first_ps == WEIR_NEVER) {
        s->first_ps = s->known_ps = now;
    } else {
        learn_alpha(s, now);
        s->has_come = true;
    }
    if (s->cut_ps == WEIR_NEVER) {
        weir_ps period = (weir_ps)s->p.cut_time_ps;
        s->cut_ps = now + period - (now - s->first_ps) % period;
    }
}

static void
notified(void *state, weir_ps now, struct tp_limits *limits)
{
    struct dcqcn *s = state;

    if (s->p.cut_time_ps) {
        note(s, now);
    } else {
        cut_by_alpha(s, now);
        s->alpha += s->p.g * ALPHA_OF_RATIO - loss_of_alpha(s);
        s->alpha_ps = now + (weir_ps)s->p.alpha_time_ps;
    }
    answer(s, limits);
}

static void
slowed(void *state, weir_ps now, uint64_t factor, struct tp_limits *limits)
{
    struct dcqcn *s = state;

    cut(s, now, weir_mul_div(s->rate_bps, WEIR_RATIO_1 - factor, WEIR_RATIO_1));
    answer(s, limits);
}

/* Returns the increase of the target, in bits per second. */
static uint64_t
rise_bps(const struct dcqcn *s)
{
    bool by_timer = s->n_times > s->p.steps, by_bytes = s->n_byte_counts > s->p.steps;

    if (s->p.increase_bytes == WEIR_OFF) {
        by_bytes = s->n_times > s->p.steps + 1;
    }
    if (by_timer && by_bytes) {
        return s->p.hai_bps;
    }
    return by_timer || by_bytes ? s->p.ai_bps : 0;
}

static void
increase(struct dcqcn *s)
{
    uint64_t target_bps = s->target_bps + rise_bps(s);

    s->target_bps = target_bps < s->line_bps ? target_bps : s->line_bps;
    s->rate_bps = (s->rate_bps + s->target_bps + 1) / 2;
}

/* Bytes are counted only after the first cut. */
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
        s->alpha -= loss_of_alpha(s);
        s->alpha_ps = loss_of_alpha(s) ? now + (weir_ps)s->p.alpha_time_ps : WEIR_NEVER;
    }
    if (s->cut_ps <= now) {
        learn_alpha(s, now);
        cut_by_alpha(s, now);
        s->cut_ps = WEIR_NEVER;
    }
    if (s->increase_ps <= now) {
        s->n_times++;
        increase(s);
        s->increase_ps = now + (weir_ps)s->p.increase_time_ps;
    }
    if (s->rate_bps >= s->line_bps && s->target_bps >= s->line_bps) {
        s->increase_ps = WEIR_NEVER;
    }
    answer(s, limits);
}

const struct transport tp_dcqcn = {
    .about = { .name = "dcqcn",
               .title =
                   "The rate follows congestion notifications, sent for packets marked with ECN",
               .source =
                   "Zhu et al., Congestion Control for Large-Scale RDMA Deployments, SIGCOMM 2015; "
                   "as NICs run it: HPCC's simulator, rdma-hw.cc; NVIDIA, DCQCN CC Parameters",
               .params = fields,
               .params_bytes = sizeof(struct params) },
    .recovery = &rc_go_back_n,
    .wants_marks = true,
    .check = check,
    .notify_ps = notify_ps,
    .state_bytes = sizeof(struct dcqcn),
    .start = start,
    .sent = sent,
    .notified = notified,
    .timer = timer,
    .slowed = slowed,
};

_Static_assert(sizeof(struct dcqcn) <= TP_STATE_MAX, "state");
