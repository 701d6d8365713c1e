/* Common parts of controls that set a rate: steps that scale with the rate of a port, and a window
 * derived from a rate. */

#ifndef TRANSPORT_RATES_H
#define TRANSPORT_RATES_H

#include "transport/transport.h"

/* A rate that is published for ports of 25 Gb/s and scales with the rate of the port. */
#define TP_SCALED_FROM_25G                                                                         \
    .derived = "the value for a 25 Gb/s port, scaled by port speed", .fallback = WEIR_AUTO,        \
    .max = 100 * (uint64_t)WEIR_PS_PER_S, .source = "HPCC's simulator"

static inline uint64_t
tp_scaled_from_25g(uint64_t given, uint64_t at_25_bps, uint64_t line_bps)
{
    return given == WEIR_AUTO ? weir_mul_div(at_25_bps, line_bps, 25000000000) : given;
}

/* The field of the round trip from which a window is computed: member rtt_ps of the parameters. */
#define TP_BASE_RTT(TYPE, SOURCE)                                                                  \
    WEIR_FIELD(TYPE, rtt_ps, "base_rtt", WEIR_TIME, .fallback = WEIR_AUTO,                         \
               .derived = "that of the flow's own path", .min = 1000, .max = WEIR_PS_PER_S,        \
               .help = "Base round trip: time to a receiver and back while nothing waits; HPCC's " \
                       "simulator uses the longest in the network for all flows.",                 \
               .source = SOURCE)

/* Warnings about parameters that controls have in common; each function adds at most one line. */

static inline struct weir_text *
tp_warn(struct weir_text *text)
{
    weir_text_add(text, text->len ? "\n" : "");
    return text;
}

static inline void
tp_warn_of_base_rtt(struct weir_text *text, uint64_t rtt_ps, bool has_window)
{
    if (rtt_ps != WEIR_AUTO && !has_window) {
        weir_text_add(tp_warn(text), "%P has no effect: it sets the window, and window is no",
                      "base_rtt");
    }
}

static inline void
tp_warn_of_least(struct weir_text *text, uint64_t least_bps, uint64_t line_bps)
{
    if (least_bps > line_bps) {
        weir_text_add(
            tp_warn(text),
            "%P is %R, but the link of the sender has only %R: no flow is ever slowed down",
            "least", least_bps, line_bps);
    }
}

/* Warns about controls whose rate only ACKs can raise. */
static inline void
tp_warn_of_rest(struct weir_text *text, uint64_t least_bps)
{
    if (!least_bps) {
        weir_text_add(tp_warn(text),
                      "%P is 0: a flow whose rate falls to 0 sends no packet, so no ACK ever "
                      "raises its rate again",
                      "least");
    }
}

/* The window of a rate on a path that holds 'path_bytes' at line rate.  Normally a packet starts
 * only if the window has room for all of it.  Here it may start if the window has any room, because
 * otherwise the flow would fall below its rate. */
static inline uint64_t
tp_window_of_rate(uint64_t path_bytes, uint64_t rate_bps, uint64_t line_bps, uint32_t mtu_bytes)
{
    uint64_t bytes = weir_mul_div(path_bytes, rate_bps, line_bps);

    return (bytes ? bytes : 1) + mtu_bytes - 1;
}

#endif
