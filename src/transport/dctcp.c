/* DCTCP in the form that RDMA uses.  Alizadeh et al., SIGCOMM 2010, 3.2
 *
 * The control sets a window of bytes on their way.  The receiver acknowledges every packet and
 * reports its mark.  Once a window:
 *
 *     alpha = (1 - g) alpha + g (share of bytes that were marked)
 *     some marked:  window -= window alpha / 2
 *     none:         window += MTU, if the window limited the flow
 *
 * With 'cut: mark', a cut does not wait for the end of the window.  The first mark cuts at once, by
 * the previous alpha.  After that, marks cause no cut until all data sent before the cut is
 * acknowledged (RFC 8257, 3.3).  If many flows start together, a window lasts as long as the queue
 * that they build, so a cut at its end is too late for this queue.
 *
 * WEIR_SLOW takes effect at once.  Marks are still counted over the round, because alpha is an
 * estimate only of marks.
 *
 * A flow starts with a window of one round trip at line rate, and the maximum is 'cap' times that.
 * If the NIC or other flows of the host limit a flow, it does not use its window, so the window
 * must not grow.  Otherwise a later burst would delay other flows (RFC 7661, 3). */

#include "transport/rates.h"

struct params {
    uint64_t alpha, g, cap, rtt_ps, cut; /* 'cut' is an enum cut. */
};

enum cut { CUT_ROUND, CUT_MARK };
static const char *const cuts[] = { "round", "mark", 0 };

struct dctcp {
    struct params p;
    uint64_t window_bytes, round_bytes; /* The window, and the size of the round that is being
                                         * acknowledged. */
    uint64_t acked_bytes, marked_bytes; /* The acknowledged bytes of that round, and the marked
                                         * bytes among them. */
    uint64_t max_bytes;
    uint32_t mtu_bytes, alpha;
    uint32_t n_cut;  /* The number of packets sent when a mark cut the window; 0: all of them are
                      * acknowledged. */
    bool is_limited; /* In this round the window was full. */
};

static const struct weir_field fields[] = {
    WEIR_FIELD(struct params, alpha, "alpha", WEIR_RATIO, .fallback = WEIR_RATIO_1,
               .max = WEIR_RATIO_1, .help = "Initial value of alpha, the estimate of congestion.",
               .source = "RFC 8257"),
    WEIR_FIELD(struct params, g, "g", WEIR_RATIO, .fallback = WEIR_RATIO_1 / 16, .min = 1,
               .max = WEIR_RATIO_1, .help = "Weight of the newest window in alpha.",
               .source = "DCTCP, 3.4"),
    WEIR_FIELD(struct params, cap, "cap", WEIR_COUNT, .fallback = 16, .min = 1, .max = 1000,
               .help = "Maximum window, as a multiple of the initial one; it bounds a window that "
                       "gets no marks.",
               .source = "HPCC's simulator, HAS_WIN, has 1"),
    TP_BASE_RTT(struct params, "HPCC's simulator, GLOBAL_T"),
    WEIR_FIELD(struct params, cut, "cut", WEIR_CHOICE, .choices = cuts, .max = CUT_MARK,
               .help =
                   "Time at which marks cut the window: at the end of a window that had some, by "
                   "its own share of them; or at the first mark, once for all packets in flight.",
               .source = "round: DCTCP, 3.3; mark: RFC 8257, 3.3, and HPCC's simulator"),
    { 0 },
};

static void
start(void *state, const struct tp_env *env, const void *params, struct tp_limits *limits)
{
    struct dctcp *s = state;
    const struct params *p = params;
    weir_ps rtt_ps = p->rtt_ps == WEIR_AUTO ? env->rtt_ps : (weir_ps)p->rtt_ps;
    uint64_t path = weir_wire_bytes(rtt_ps, env->line_bps) + env->mtu_bytes;

    *s = (struct dctcp){ .p = *p,
                         .window_bytes = path,
                         .round_bytes = path,
                         .max_bytes = p->cap * path,
                         .mtu_bytes = env->mtu_bytes };
    s->alpha = (uint32_t)s->p.alpha;
    *limits = (struct tp_limits){ .rate_bps = WEIR_UNLIMITED,
                                  .window_bytes = s->window_bytes,
                                  .timer_ps = WEIR_NEVER };
}

static void
cut(struct dctcp *s)
{
    s->window_bytes -= weir_mul_div(s->window_bytes, s->alpha, 2 * (uint64_t)WEIR_RATIO_1);
    s->window_bytes = s->window_bytes < s->mtu_bytes ? s->mtu_bytes : s->window_bytes;
}

static void
end_round(struct dctcp *s)
{
    uint64_t share = weir_mul_div(s->marked_bytes, WEIR_RATIO_1, s->acked_bytes);

    s->alpha -= (uint32_t)((uint64_t)s->alpha * s->p.g / WEIR_RATIO_1);
    s->alpha += (uint32_t)(share * s->p.g / WEIR_RATIO_1);
    if (s->marked_bytes && s->p.cut == CUT_ROUND) {
        cut(s);
    } else if (!s->n_cut && s->is_limited) {
        s->window_bytes += s->mtu_bytes;
    }
    s->window_bytes = s->window_bytes > s->max_bytes ? s->max_bytes : s->window_bytes;
    s->round_bytes = s->window_bytes;
    s->acked_bytes = s->marked_bytes = 0;
    s->is_limited = false;
}

static void
cut_at_mark(struct dctcp *s, const struct tp_ack *ack)
{
    if (ack->n_acked > s->n_cut) {
        s->n_cut = 0;
    }
    if (ack->is_marked && !s->n_cut) {
        cut(s);
        s->n_cut = ack->n_sent;
    }
}

static void
acked(void *state, const struct tp_ack *ack, struct tp_limits *limits)
{
    struct dctcp *s = state;

    s->is_limited |= ack->flying_bytes + s->mtu_bytes > s->window_bytes;
    s->acked_bytes += ack->bytes;
    s->marked_bytes += ack->is_marked ? ack->bytes : 0;
    if (s->p.cut == CUT_MARK) {
        cut_at_mark(s, ack);
    }
    if (s->acked_bytes >= s->round_bytes) {
        end_round(s);
    }
    limits->window_bytes = s->window_bytes;
}

static void
slowed(void *state, weir_ps now, uint64_t factor, struct tp_limits *limits)
{
    struct dctcp *s = state;

    (void)now;
    s->window_bytes = weir_mul_div(s->window_bytes, factor, WEIR_RATIO_1);
    s->window_bytes = s->window_bytes < s->mtu_bytes ? s->mtu_bytes : s->window_bytes;
    limits->window_bytes = s->window_bytes;
}

const struct transport tp_dctcp = {
    .about = { .name = "dctcp",
               .title = "The window follows the share of packets marked with ECN",
               .source = "Alizadeh et al., Data Center TCP, SIGCOMM 2010; RFC 8257",
               .params = fields,
               .params_bytes = sizeof(struct params) },
    .recovery = &rc_go_back_n,
    .wants_marks = true,
    .acks_each = true,
    .state_bytes = sizeof(struct dctcp),
    .start = start,
    .acked = acked,
    .slowed = slowed,
};

_Static_assert(sizeof(struct dctcp) <= TP_STATE_MAX, "state");
