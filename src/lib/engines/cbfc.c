/* Credit-based flow control, in the manner of InfiniBand.      InfiniBand vol. 1, 7.9; GFC 2.2.2
 *
 * As receiver: in every period, sends the peer the number of blocks that it may have sent in all
 * (credit.h has the arithmetic).  As sender: a packet may start if all bytes sent so far, with the
 * packet, are within this credit.
 *
 *               sent + packet <= FCCL
 *        SPEND <---------------------> WAIT         the gate compares two counts, so there is
 *               a higher FCCL arrives               no state that can be inconsistent
 *
 * A lost message only causes a delay, because the next message repeats its credit.  The FCTBS of
 * the next message accounts for lost packets, so their credit is restored. */

#include "by-port.h"
#include "credit.h"
#include "weir/all-engines.h"

struct params {
    struct weir_credit_params credit;
    uint64_t window_bytes;
};

static const struct weir_field param_fields[] = {
    WEIR_FIELD(struct params, window_bytes, "window", WEIR_BYTES, .fallback = WEIR_AUTO, .min = 64,
               .max = WEIR_MAX_BYTES, .derived = "the buffer of a class at a port", .by_port = true,
               .help = "Total credit of a peer for one class.",
               .source = "InfiniBand vol. 1, 7.9.4"),
    CREDIT_PARAMS(struct params, WEIR_ENDS_MAY_DIFFER),
    { 0 },
};

static void
cbfc_frame(void *state, struct weir_ctx *ctx, uint16_t port, const struct weir_frame *f)
{
    struct weir_credit *c = state;
    struct weir_credit_frame message;

    if (!weir_credit_hear(c, ctx, port, f, &message)) {
        return;
    }
    uint32_t slot = weir_slot(ctx, port, message.cls);
    uint64_t block = c->p.block_bytes, sent = ctx->gates[slot].sent_bytes / block;
    uint64_t limit = (sent + weir_credit_ahead(&c->p, sent, message.fccl)) * block;
    if (limit > ctx->gates[slot].limit_bytes) {
        weir_set_limit(ctx, slot, limit);
    }
}

static void
cbfc_link(void *state, struct weir_ctx *ctx, uint16_t port, bool up)
{
    weir_credit_link(state, ctx, port, up, 0);
}

static void
cbfc_derive(const struct weir_shape *shape, void *params)
{
    struct params *p = params;

    if (p->window_bytes == WEIR_AUTO && weir_shape_room_bytes(shape)) {
        p->window_bytes = weir_shape_room_bytes(shape);
    }
    weir_credit_derive(shape, &p->credit);
}

/* After a message, a sender has credit for the window minus the bytes that are queued or on their
 * way; the next message arrives a period later.  To keep the line busy meanwhile, the window must
 * be at least the bytes of a period and a round trip. */
static void
warn_of_period(const struct weir_shape *shape, const struct params *p, struct weir_text *text)
{
    struct weir_link link = weir_first_link(shape);
    weir_ps period = (weir_ps)p->credit.period_ps, tau = weir_tau_ps(&link);
    uint64_t way = weir_wire_bytes(tau, link.rate_bps);
    uint64_t need = weir_wire_bytes(period, link.rate_bps) + way;

    if (need > p->window_bytes && p->window_bytes > way) {
        weir_warn(text,
                  "%P is %T; in that time, plus the %T that credit takes to arrive, a port of %R "
                  "sends %B, but window is only %B: senders will wait for credit; set period to %T "
                  "or less, or enlarge the buffer",
                  "period", period, tau, link.rate_bps, need, p->window_bytes,
                  weir_wire_ps(p->window_bytes - way, link.rate_bps));
    }
}

static bool
cbfc_check(const struct weir_shape *shape, const void *params, struct weir_needs *needs,
           struct weir_text *text)
{
    const struct params *p = params;
    uint64_t window_blocks = p->window_bytes / p->credit.block_bytes;
    uint64_t packet_blocks = weir_credit_blocks(&p->credit, shape->mtu_bytes);

    if (!weir_credit_check(&p->credit, window_blocks, "window", text)) {
        return false;
    }
    if (window_blocks < packet_blocks) {
        return weir_refuse(text, "%P is %B; it must hold a packet, which takes up to %B", "window",
                           p->window_bytes, packet_blocks * p->credit.block_bytes);
    }
    if (p->window_bytes > weir_shape_room_bytes(shape)) {
        weir_warn(
            text,
            "window is %B, but the buffer of a class at a port is only %B: packets may be lost",
            p->window_bytes, weir_shape_room_bytes(shape));
    }
    weir_warn_of_unused(shape, "window", p->window_bytes, p->window_bytes, text);
    warn_of_period(shape, p, text);
    *needs = weir_credit_needs(shape, 0);
    return true;
}

static void
cbfc_init(void *state, struct weir_ctx *ctx, const void *params)
{
    struct weir_credit *c = state;

    c->p = ((const struct params *)params)->credit;
    c->keeps_to_windows = true;
    WEIR_EACH_PORT (ctx->shape, port) {
        struct params p;
        weir_port_params(&weir_cbfc, ctx->shape, port, params, &p);
        weir_credit_set_window(c, ctx, port, p.window_bytes);
        cbfc_link(c, ctx, port, true);
    }
}

const struct weir_engine weir_cbfc = {
    .about = { .name = "cbfc",
               .title = "Credit-based flow control",
               .source = "InfiniBand vol. 1, 7.9; GFC, SIGCOMM 2019, 2.2.2",
               .params = param_fields,
               .params_bytes = sizeof(struct params) },
    .limits = WEIR_LIMIT_CREDIT,
    .protocol = "credits",
    .waits_for_peer = true,
    .counters = weir_credit_counters,
    .period_ps = weir_credit_period,
    .derive = cbfc_derive,
    .check = cbfc_check,
    .init = cbfc_init,
    .arrived = weir_credit_arrived,
    .departed = weir_credit_departed,
    .forwarded = weir_credit_forwarded,
    .frame = cbfc_frame,
    .timer = weir_credit_timer,
    .link = cbfc_link,
};
