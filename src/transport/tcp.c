/* TCP NewReno with ECN and a timeout from measured round trips.  RFC 5681, 6582, 3168, 6298, 7661
 *
 *                     slow start                    congestion avoidance
 *     an ACK:         window += the bytes acked,    window += MSS, for each window of bytes that
 *                     at most MSS                   are acked
 *                         |    window >= ssthresh        ^
 *                         `------------------------------'
 *     a mark or a loss, the first in a window of data:
 *                     window = ssthresh = max(flight / 2, 2 MSS), and the window stays until all
 *                     that was sent by then is acknowledged
 *     a timeout:      the same ssthresh, unless the first missing packet was retransmitted
 *                     for a timeout before; window = 1 MSS; timeout = 2 timeout
 *     slowed down:    ssthresh = max(window factor, 2 MSS); the window is not over that
 *
 * A packet of MTU size is what the RFCs call a full-sized segment.  The recovery retransmits
 * packets.  'selective' counts packets on their way one by one (as in RFC 6675), so duplicate ACKs
 * never inflate windows. */

#include "transport/transport.h"

struct params {
    uint64_t window_pkts, min_rto_ps, max_rto_ps, first_rto_ps;
};

struct tcp {
    struct params p;
    uint64_t window_bytes, threshold_bytes;
    uint64_t counted_bytes; /* Bytes acknowledged since the window last grew, after slow start. */
    weir_ps srtt_ps, rttvar_ps, rto_ps;
    uint32_t mss_bytes;
    uint32_t recover;  /* Packets before this one were sent when the window was last reduced. */
    uint32_t repeated; /* Packets before this one were retransmitted after a timeout, or need not
                        * be. */
    bool is_held;      /* The window does not grow before 'recover' packets are acknowledged. */
    bool is_full;      /* The window was full while 'counted_bytes' were acknowledged. */
};

static const struct weir_field fields[] = {
    WEIR_FIELD(struct params, window_pkts, "window", WEIR_COUNT, .fallback = 3, .min = 1,
               .max = 65535, .help = "Initial window, in packets.", .source = "RFC 5681, 3.1"),
    WEIR_FIELD(struct params, min_rto_ps, "min_rto", WEIR_TIME, .fallback = 10000000000,
               .min = 1000000, .max = WEIR_PS_PER_S,
               .help = "Shortest retransmission timeout (RTO) that follows from measured round "
                       "trips.",
               .source = "DeTail, SIGCOMM 2012; RFC 6298, 2.4, has 1 s"),
    WEIR_FIELD(struct params, max_rto_ps, "max_rto", WEIR_TIME, .fallback = 60 * WEIR_PS_PER_S,
               .min = WEIR_PS_PER_S, .max = 1000 * WEIR_PS_PER_S,
               .help = "Longest retransmission timeout: doubling it after each timeout stops here.",
               .source = "RFC 6298, 2.5"),
    WEIR_FIELD(struct params, first_rto_ps, "first_rto", WEIR_TIME, .fallback = WEIR_AUTO,
               .min = 1000000, .max = WEIR_PS_PER_S,
               .derived = "as if a handshake had measured the empty path: three round trips, at "
                          "least min_rto",
               .help = "Retransmission timeout of a flow before a round trip has been measured.",
               .source = "RFC 6298, 2.1, has 1 s"),
    { 0 },
};

/* Computes the timeout by RFC 6298.  The granularity of a clock of picoseconds is negligible. */

static void
set_rto(struct tcp *s, weir_ps rto_ps)
{
    weir_ps min = (weir_ps)s->p.min_rto_ps, max = (weir_ps)s->p.max_rto_ps;

    s->rto_ps = rto_ps < min ? min : rto_ps > max ? max : rto_ps;
}

/* Updates the smoothed round trip: RFC 6298, 2.2 and 2.3. */
static void
measure(struct tcp *s, weir_ps rtt_ps)
{
    weir_ps off_ps = s->srtt_ps > rtt_ps ? s->srtt_ps - rtt_ps : rtt_ps - s->srtt_ps;

    s->rttvar_ps = s->srtt_ps ? (3 * s->rttvar_ps + off_ps) / 4 : rtt_ps / 2;
    s->srtt_ps = s->srtt_ps ? (7 * s->srtt_ps + rtt_ps) / 8 : rtt_ps;
    set_rto(s, s->srtt_ps + 4 * s->rttvar_ps);
}

static void
set_tcp_limits(const struct tcp *s, struct tp_limits *limits)
{
    limits->window_bytes = s->window_bytes;
    limits->timeout_ps = s->rto_ps;
}

static void
start(void *state, const struct tp_env *env, const void *params, struct tp_limits *limits)
{
    struct tcp *s = state;
    const struct params *p = params;

    *s = (struct tcp){ .p = *p,
                       .window_bytes = p->window_pkts * env->mtu_bytes,
                       .threshold_bytes = WEIR_UNLIMITED,
                       .mss_bytes = env->mtu_bytes,
                       .rto_ps = (weir_ps)p->first_rto_ps };
    if (p->first_rto_ps == WEIR_AUTO) {
        measure(s, env->rtt_ps);
    }
    *limits = (struct tp_limits){ .rate_bps = WEIR_UNLIMITED, .timer_ps = WEIR_NEVER };
    set_tcp_limits(s, limits);
}

/* A threshold, but not below the minimum of RFC 5681, equation 4. */
static uint64_t
threshold(const struct tcp *s, uint64_t bytes)
{
    uint64_t least = 2 * (uint64_t)s->mss_bytes;

    return bytes < least ? least : bytes;
}

/* Sets the threshold to 'to_bytes', and the window to at most that; congestion avoidance begins. */
static void
cut(struct tcp *s, uint64_t to_bytes)
{
    s->threshold_bytes = threshold(s, to_bytes);
    if (s->window_bytes > s->threshold_bytes) {
        s->window_bytes = s->threshold_bytes;
    }
    s->counted_bytes = 0;
}

/* A mark has the same meaning as a loss (RFC 3168, 6.1.2); both count once per window of data. */
static void
halve(struct tcp *s, uint64_t flying_bytes, uint32_t n_acked, uint32_t n_sent)
{
    if (n_acked < s->recover) {
        return;
    }
    cut(s, flying_bytes / 2);
    s->recover = n_sent;
    s->is_held = true;
}

/* Grows the window in slow start, unless less than half of it is used: such a window is not
 * validated (RFC 7661, 4.1). */
static void
start_slowly(struct tcp *s, const struct tp_ack *ack)
{
    if (2 * ack->flying_bytes >= s->window_bytes) {
        s->window_bytes += ack->bytes < s->mss_bytes ? ack->bytes : s->mss_bytes;
    }
}

/* After slow start the window grows only if it was full.  Otherwise it would grow for ever if the
 * NIC limits the flow. */
static void
avoid_congestion(struct tcp *s, const struct tp_ack *ack)
{
    s->is_full |= ack->flying_bytes + s->mss_bytes > s->window_bytes;
    s->counted_bytes += ack->bytes;
    if (s->counted_bytes >= s->window_bytes) {
        s->counted_bytes -= s->window_bytes;
        s->window_bytes += s->is_full ? s->mss_bytes : 0;
        s->is_full = false;
    }
}

/* Hot: once per packet. */
static void
acked(void *state, const struct tp_ack *ack, struct tp_limits *limits)
{
    struct tcp *s = state;

    if (ack->rtt_ps) {
        measure(s, ack->rtt_ps);
    }
    s->is_held &= ack->n_acked < s->recover;
    if (ack->is_marked) {
        halve(s, ack->flying_bytes, ack->n_acked, ack->n_sent);
    } else if (s->is_held) {
        /* The window may grow when all packets sent before the cut are acknowledged. */
    } else if (s->window_bytes < s->threshold_bytes) {
        start_slowly(s, ack);
    } else {
        avoid_congestion(s, ack);
    }
    set_tcp_limits(s, limits);
}

/* RFC 5681, 3.1 and 5; RFC 6298, 5.5.  The timeout stays doubled until a packet that was sent only
 * once is acknowledged. */
static void
time_out(struct tcp *s, const struct tp_loss *loss)
{
    if (loss->n_acked >= s->repeated) {
        s->threshold_bytes = threshold(s, loss->flying_bytes / 2);
    }
    s->window_bytes = s->mss_bytes;
    s->recover = s->repeated = loss->n_sent;
    s->is_held = false;
    s->counted_bytes = 0;
    set_rto(s, 2 * s->rto_ps);
}

static void
lost(void *state, const struct tp_loss *loss, struct tp_limits *limits)
{
    struct tcp *s = state;

    if (loss->has_timed_out) {
        time_out(s, loss);
    } else {
        halve(s, loss->flying_bytes, loss->n_acked, loss->n_sent);
    }
    set_tcp_limits(s, limits);
}

/* A slowdown by flow control is no mark or loss, so the next mark or loss counts in full. */
static void
slowed(void *state, weir_ps now, uint64_t factor, struct tp_limits *limits)
{
    struct tcp *s = state;

    (void)now;
    cut(s, weir_mul_div(s->window_bytes, factor, WEIR_RATIO_1));
    set_tcp_limits(s, limits);
}

const struct transport tp_tcp = {
    .about = { .name = "tcp",
               .title = "The window halves for packets that were lost or marked with ECN (NewReno)",
               .source = "RFC 5681, 6582, 3168 and 6298",
               .params = fields,
               .params_bytes = sizeof(struct params) },
    .recovery = &rc_selective,
    .wants_rtt = true,
    .acks_each = true,
    .wishes = { .reorder = 2, .span = 1024 },
    .timeout = "min_rto",
    .state_bytes = sizeof(struct tcp),
    .start = start,
    .acked = acked,
    .lost = lost,
    .slowed = slowed,
};

_Static_assert(sizeof(struct tcp) <= TP_STATE_MAX, "state");
_Static_assert(sizeof(struct params) <= TP_PARAMS_MAX, "parameters");
