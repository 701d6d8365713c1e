/* HPCC, the sender.                                           Li et al., SIGCOMM 2019, Algorithm 1
 *
 * Each ACK carries the state of the switches on its packet's path (tp_hop).  Between two ACKs a
 * link has sent 'tx' bytes in the time 'tau'.  Let T be the round trip of an empty path and B the
 * rate of the link.  The bytes on their way through the link, of all flows, are a share of its
 * capacity B T:
 *
 *     u = tx / (tau B) + (shorter of the two queues) / (B T),    of the link with the highest u
 *     U = (1 - tau/T) U + tau/T u,                               tau at most T
 *
 *     U >= eta, or 'stages' increases in a row:  rate = reference / (U / eta) + ai
 *     else:                                      rate = reference + ai
 *
 * Every ACK sets the rate, but from a reference that is updated only once per round trip.  Many
 * ACKs report the same bytes on their way, and the flow must react to them only once.  The window
 * is the rate times T, so a flow never sends more than this ahead of its rate.  The paper states
 * the algorithm for windows.  In HPCC's simulator the window of rate times T counts only data,
 * which is more on the wire; the parameter 'window' scales it.
 *
 * Losses do not change the rate, because telemetry reports a growing queue long before it
 * overflows. */

#include "transport/rates.h"

struct params {
    uint64_t eta, stages, ai_bps, least_bps, rtt_ps, window;
};

enum { U_BITS = 24, RATIO_BITS = 16 }; /* The fractional bits of U and eta, and of parameters. */

struct stamp { /* The last telemetry record of a hop. */
    weir_ps at_ps;
    uint64_t sent_bytes;
    uint32_t queue_bytes, port;
};

struct hpcc {
    uint64_t line_bps, rate_bps, reference_bps, ai_bps, least_bps;
    uint64_t rtt_ps, path_bytes; /* T, and the window at line rate. */
    uint64_t u;
    uint32_t eta, n_round; /* The number of packets sent when the reference was set. */
    uint16_t stages, n_stages, mtu_bytes, n_hops;
    struct stamp hops[TP_MAX_HOPS];
};

static const struct weir_field fields[] = {
    WEIR_FIELD(struct params, eta, "eta", WEIR_RATIO, .fallback = WEIR_RATIO_1 * 95 / 100, .min = 1,
               .max = WEIR_RATIO_1,
               .help = "Target for the bytes in flight through a link, as a share of its "
                       "bandwidth-delay product.",
               .source = "HPCC, Algorithm 1; its simulator"),
    WEIR_FIELD(struct params, stages, "stages", WEIR_COUNT, .fallback = 5, .max = 1000,
               .help = "Number of additive increases in a row after which the rate follows the "
                       "measured load (maxStage); 0 in the authors' simulations.",
               .source = "HPCC, Algorithm 1; its simulator"),
    WEIR_FIELD(struct params, ai_bps, "ai", WEIR_RATE, TP_SCALED_FROM_25G,
               .help = "Additive increase step of the rate: W_AI divided by the base round trip; "
                       "10 Mb/s for a 25 Gb/s port."),
    WEIR_FIELD(struct params, least_bps, "least", WEIR_RATE, TP_SCALED_FROM_25G,
               .help = "Lowest rate of a flow; 100 Mb/s for a 25 Gb/s port."),
    TP_BASE_RTT(struct params, "HPCC, Algorithm 1"),
    WEIR_FIELD(struct params, window, "window", WEIR_RATIO, .fallback = WEIR_RATIO_1,
               .min = WEIR_RATIO_1 / 16, .max = 16 * (uint64_t)WEIR_RATIO_1,
               .help = "Window as a multiple of the rate times the base round trip. Over 1 where a "
                       "window counts data without headers, as 1.09 for 1000 of 1090 bytes.",
               .source = "HPCC, Algorithm 1; its simulator counts data"),
    { 0 },
};

static bool
check(const void *params, uint64_t line_bps, struct weir_text *text)
{
    const struct params *p = params;
    uint64_t least_bps = tp_scaled_from_25g(p->least_bps, 100000000, line_bps);

    tp_warn_of_least(text, least_bps, line_bps);
    tp_warn_of_rest(text, least_bps);
    return true;
}

static void
answer(const struct hpcc *s, struct tp_limits *limits)
{
    limits->rate_bps = s->rate_bps < s->line_bps ? s->rate_bps : WEIR_UNLIMITED;
    limits->window_bytes = tp_window_of_rate(s->path_bytes, s->rate_bps, s->line_bps, s->mtu_bytes);
}

/* U is 1 at first, as in HPCC's simulator: a flow that starts assumes that the path is full. */
static void
start(void *state, const struct tp_env *env, const void *params, struct tp_limits *limits)
{
    const struct params *p = params;
    struct hpcc *s = state;

    *s = (struct hpcc){ .line_bps = env->line_bps,
                        .rate_bps = env->line_bps,
                        .reference_bps = env->line_bps,
                        .ai_bps = tp_scaled_from_25g(p->ai_bps, 10000000, env->line_bps),
                        .least_bps = tp_scaled_from_25g(p->least_bps, 100000000, env->line_bps),
                        .rtt_ps = p->rtt_ps == WEIR_AUTO ? (uint64_t)env->rtt_ps : p->rtt_ps,
                        .u = 1u << U_BITS,
                        .eta = (uint32_t)p->eta << (U_BITS - RATIO_BITS),
                        .stages = (uint16_t)p->stages,
                        .mtu_bytes = (uint16_t)env->mtu_bytes };
    s->path_bytes =
        weir_mul_div(weir_wire_bytes((weir_ps)s->rtt_ps, env->line_bps), p->window, WEIR_RATIO_1);
    *limits = (struct tp_limits){ .timer_ps = WEIR_NEVER };
    answer(s, limits);
}

static bool
is_same_path(const struct hpcc *s, const struct tp_ack *ack)
{
    bool is_same = s->n_hops == ack->n_hops;

    for (uint32_t i = 0; i < ack->n_hops && is_same; i++) {
        is_same = s->hops[i].port == ack->hops[i].port;
    }
    return is_same;
}

/* The share 'u' of a link, from two of its telemetry records. */
static uint64_t
load(const struct hpcc *s, const struct stamp *before, const struct tp_hop *hop, uint64_t tau_ps)
{
    uint64_t byte_ps = (8 * (uint64_t)WEIR_PS_PER_S << RATIO_BITS) / hop->rate_bps;
    uint64_t queue =
        hop->queue_bytes < before->queue_bytes ? hop->queue_bytes : before->queue_bytes;
    uint64_t bytes = queue + weir_mul_div(hop->sent_bytes - before->sent_bytes, s->rtt_ps, tau_ps);

    return weir_mul_div(bytes << (U_BITS - RATIO_BITS), byte_ps, s->rtt_ps);
}

static void
measure(struct hpcc *s, const struct tp_ack *ack)
{
    uint64_t most = 0, most_ps = 0;

    for (uint32_t i = 0; i < ack->n_hops; i++) {
        uint64_t tau_ps = (uint64_t)(ack->hops[i].at_ps - s->hops[i].at_ps);
        uint64_t u = load(s, &s->hops[i], &ack->hops[i], tau_ps);
        if (u > most) {
            most = u;
            most_ps = tau_ps;
        }
    }
    most_ps = most_ps < s->rtt_ps ? most_ps : s->rtt_ps;
    s->u =
        weir_mul_div(s->u, s->rtt_ps - most_ps, s->rtt_ps) + weir_mul_div(most, most_ps, s->rtt_ps);
}

static void
react(struct hpcc *s, bool ends_round)
{
    bool by_load = s->u >= s->eta || s->n_stages >= s->stages;
    uint64_t rate_bps =
        by_load ? weir_mul_div(s->reference_bps, s->eta, s->u + !s->u) : s->reference_bps;

    rate_bps = (rate_bps < s->line_bps ? rate_bps : s->line_bps) + s->ai_bps;
    rate_bps = rate_bps > s->least_bps ? rate_bps : s->least_bps;
    s->rate_bps = rate_bps < s->line_bps ? rate_bps : s->line_bps;
    if (ends_round) {
        s->reference_bps = s->rate_bps;
        s->n_stages = by_load ? 0 : s->n_stages + 1;
    }
}

static void
keep(struct hpcc *s, const struct tp_ack *ack)
{
    s->n_hops = (uint16_t)ack->n_hops;
    for (uint32_t i = 0; i < ack->n_hops; i++) {
        const struct tp_hop *hop = &ack->hops[i];
        s->hops[i] = (struct stamp){ hop->at_ps, hop->sent_bytes, hop->queue_bytes, hop->port };
    }
}

/* The first packet of a path cannot be compared with another, so it ends no round.  Otherwise, if
 * packets alternate between several paths, most rounds would end without a new reference.  A packet
 * that was overtaken has no new information. */
static void
acked(void *state, const struct tp_ack *ack, struct tp_limits *limits)
{
    struct hpcc *s = state;
    bool is_first = !s->n_round, is_known = is_same_path(s, ack);
    bool ends_round = !is_first && is_known && ack->n_acked > s->n_round;

    if (!ack->n_hops || (is_known && ack->hops[0].at_ps <= s->hops[0].at_ps)) {
        return;
    }
    if (is_known) {
        measure(s, ack);
        react(s, ends_round);
        answer(s, limits);
    }
    if (is_first || ends_round) {
        s->n_round = ack->n_sent;
    }
    keep(s, ack);
}

/* Flow control slows the sender down; the control continues from that rate. */
static void
slowed(void *state, weir_ps now, uint64_t factor, struct tp_limits *limits)
{
    struct hpcc *s = state;
    uint64_t rate_bps = weir_mul_div(s->rate_bps, factor, WEIR_RATIO_1);

    (void)now;
    s->rate_bps = rate_bps > s->least_bps ? rate_bps : s->least_bps;
    s->reference_bps = s->rate_bps;
    s->n_stages = 0;
    answer(s, limits);
}

const struct transport tp_hpcc = {
    .about = { .name = "hpcc",
               .title = "Rate and window follow the queue and load that each switch reports",
               .source = "Li et al., HPCC: High Precision Congestion Control, SIGCOMM 2019",
               .params = fields,
               .params_bytes = sizeof(struct params) },
    .recovery = &rc_go_back_n,
    .wants_telemetry = true,
    .check = check,
    .state_bytes = sizeof(struct hpcc),
    .start = start,
    .acked = acked,
    .slowed = slowed,
};

_Static_assert(sizeof(struct hpcc) <= TP_STATE_MAX, "state");
