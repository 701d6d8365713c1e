/* QCN's reaction point: the rate limiter of each flow of a NIC (802.1Qau, clause 32).
 *
 * In the drawing, Rc is the rate at which a flow may send, and Rt the target rate to which it
 * returns.  B and T count the cycles of its byte counter and its timer since the last message, and
 * Fb is the feedback in a message.
 *
 *                     message / Rt = Rc = line; cut
 *              FREE ---------------------------------> FAST RECOVERY, max(B, T) <= 5:
 *                ^                                  .-> cycle ends / Rt stays, Rc = (Rc + Rt)/2
 *                |                                  |        |
 *                |                                  |        v  max(B, T) > 5
 *                |   Rc reaches the line            |   ACTIVE INCREASE
 *                +---------- of any of these        |   cycle ends / Rt += Rai, Rc = (Rc + Rt)/2
 *                                                   |        |
 *                          message, of all / cut ---'        v  min(B, T) > 5
 *                                                   |   HYPER-ACTIVE INCREASE
 *                                                   '-- cycle ends / Rt += Rhai (min(B, T) - 5),
 *                                                                    Rc = (Rc + Rt)/2
 *
 *     cut            if B > 0: Rt = Rc, and the byte counter starts again.  If B = 0 this is extra
 *                    fast recovery: Rt stays, up to the line, and the byte counter goes on.
 *                    Rc -= Rc Fb/128, but not below Rmin; B = T = 0; the timer starts again
 *     cycle ends     'bytes' were sent, so B += 1, or 'timer' is over, so T += 1; each is halved
 *                    after 5 cycles and varied at random.  At B = 1 or T = 1 an Rt above 10 Rc
 *                    falls to Rt/8 first, for the rate was cut too often to return at once
 *
 * Rt may exceed the line rate on the way up; when Rc reaches the line rate, the limit is removed.
 * Fb is at most 63, so a message cuts the rate by less than half; a message with 0 is ignored. */

#include "qcn-reaction.h"

#include "by-port.h"
#include "engines/qcn-point.h"

const char *const weir_reaction_install_names[] = { "line", "own", 0 };

enum { FB_ONE = 128, FAR_ABOVE = 10, BACK_OFF = 8 };

struct flow {
    uint64_t current_bps; /* Rc; 0: the flow has no limit. */
    uint64_t target_bps;  /* Rt, never below Rc. */
    uint64_t left_bytes;  /* The bytes left in the cycle of the byte counter. */
    uint16_t byte_cycles, time_cycles;
    uint16_t port; /* The port through which the flow last sent a packet. */

    /* For the flow's measured rate: the bytes sent since 'since_ps', and the length and bytes of
     * the period before. */
    weir_ps since_ps, before_ps;
    uint64_t since_bytes, before_bytes;
};

static struct flow *
flow_of(struct weir_reaction *r, uint32_t flow)
{
    return (struct flow *)(void *)((uint8_t *)r + r->flows_at) + flow;
}

static uint64_t
line_bps(const struct weir_ctx *ctx, const struct flow *f)
{
    return ctx->shape->ports[f->port].rate_bps;
}

/* The measured rate of a flow: from the bytes sent in this period, the length of the timer, and the
 * rate in the period before.  At the first packet no time has passed yet, so the rate is the line
 * rate. */

static weir_ps
elapsed_ps(const struct weir_ctx *ctx, const struct flow *f)
{
    bool is_past_all = f->since_ps < 0 && ctx->now >= WEIR_NEVER + f->since_ps;
    return is_past_all ? WEIR_NEVER : ctx->now - f->since_ps;
}

static void
count_own(const struct weir_reaction *r, const struct weir_ctx *ctx, struct flow *f, uint64_t bytes)
{
    weir_ps period = (weir_ps)r->p.timer_ps, elapsed = elapsed_ps(ctx, f);

    if (elapsed >= 2 * period || !f->since_bytes) { /* The flow was silent, or has not sent
                                                     * before. */
        f->since_ps = ctx->now;
        f->before_ps = 0;
        f->since_bytes = f->before_bytes = 0;
    } else if (elapsed >= period) {
        f->before_ps = elapsed;
        f->before_bytes = f->since_bytes;
        f->since_ps = ctx->now;
        f->since_bytes = 0;
    }
    f->since_bytes += bytes;
}

static uint64_t
own_bps(const struct weir_reaction *r, const struct weir_ctx *ctx, const struct flow *f)
{
    uint64_t line = line_bps(ctx, f), ps = (uint64_t)elapsed_ps(ctx, f) + (uint64_t)f->before_ps;
    uint64_t bits = (f->since_bytes + f->before_bytes) * 8;
    uint64_t own = ps ? weir_mul_div(bits, WEIR_PS_PER_S, ps) : line;

    own = own < line ? own : line;
    return own > r->p.min_bps ? own : r->p.min_bps;
}

/* These functions handle cycles. */

static uint64_t
varied(struct weir_reaction *r, uint64_t value)
{
    uint64_t range = value * r->p.jitter / WEIR_RATIO_1;
    return value - range + weir_random(&r->chance) % (2 * range + 1);
}

static void
start_bytes(struct weir_reaction *r, struct flow *f)
{
    bool is_late = f->byte_cycles >= r->p.cycles;
    f->left_bytes = varied(r, is_late ? r->p.bytes / 2 : r->p.bytes);
}

static void
start_timer(struct weir_reaction *r, struct weir_ctx *ctx, uint32_t flow)
{
    bool is_late = flow_of(r, flow)->time_cycles >= r->p.cycles;
    uint64_t ps = varied(r, is_late ? r->p.timer_ps / 2 : r->p.timer_ps);
    weir_set_timer(ctx, flow, weir_after(ctx->now, (weir_ps)ps));
}

/* These functions increase rates. */

static uint64_t
increase_bps(const struct weir_reaction *r, const struct flow *f)
{
    bool bytes_lead = f->byte_cycles > f->time_cycles;
    uint64_t most = bytes_lead ? f->byte_cycles : f->time_cycles;
    uint64_t least = bytes_lead ? f->time_cycles : f->byte_cycles;

    if (least > r->p.cycles) {
        return r->p.hai_bps * (least - r->p.cycles);
    }
    return most > r->p.cycles ? r->p.ai_bps : 0;
}

static bool
returns_too_far(const struct flow *f)
{
    return (f->byte_cycles == 1 || f->time_cycles == 1) &&
           f->target_bps > FAR_ABOVE * f->current_bps;
}

static void
let_go(struct weir_reaction *r, struct weir_ctx *ctx, uint32_t flow)
{
    flow_of(r, flow)->current_bps = 0;
    weir_limit_flow(ctx, flow, WEIR_UNLIMITED);
    weir_set_timer(ctx, flow, WEIR_NEVER);
    r->n_removed++;
}

/* The mean is rounded up; otherwise the rate would slowly fall below the target. */
static void
raise_rate(struct weir_reaction *r, struct weir_ctx *ctx, uint32_t flow)
{
    struct flow *f = flow_of(r, flow);

    if (returns_too_far(f)) {
        f->target_bps /= BACK_OFF;
    } else {
        f->target_bps += increase_bps(r, f);
    }
    f->current_bps = (f->current_bps + f->target_bps + 1) / 2;
    if (f->current_bps >= line_bps(ctx, f)) {
        let_go(r, ctx, flow);
    } else {
        weir_limit_flow(ctx, flow, f->current_bps);
    }
}

static uint16_t
one_more(uint16_t cycles)
{
    return cycles < UINT16_MAX ? (uint16_t)(cycles + 1) : cycles;
}

/* Hot: once per packet. */
void
weir_reaction_sent(void *state, struct weir_ctx *ctx, struct weir_pkt *pkt)
{
    struct weir_reaction *r = state;
    struct flow *f = flow_of(r, pkt->flow);
    uint64_t bytes = (uint64_t)pkt->bytes + ctx->shape->gap_bytes;

    f->port = pkt->out_port;
    if (r->p.install == WEIR_REACTION_AT_OWN) {
        count_own(r, ctx, f, bytes);
    }
    if (!f->current_bps) {
        return;
    }
    if (bytes < f->left_bytes) {
        f->left_bytes -= bytes;
        return;
    }
    f->byte_cycles = one_more(f->byte_cycles);
    start_bytes(r, f);
    raise_rate(r, ctx, pkt->flow);
}

void
weir_reaction_timer(struct weir_reaction *r, struct weir_ctx *ctx, uint32_t flow)
{
    struct flow *f = flow_of(r, flow);

    f->time_cycles = one_more(f->time_cycles);
    raise_rate(r, ctx, flow);
    if (f->current_bps) {
        start_timer(r, ctx, flow);
    }
}

/* These functions decrease rates. */

static void
install(struct weir_reaction *r, const struct weir_ctx *ctx, struct flow *f)
{
    f->current_bps = r->p.install == WEIR_REACTION_AT_OWN ? own_bps(r, ctx, f) : line_bps(ctx, f);
    r->n_installed++;
}

static void
cut(struct weir_reaction *r, const struct weir_ctx *ctx, struct flow *f, uint64_t fb)
{
    uint64_t line = line_bps(ctx, f);
    bool is_new = !f->current_bps;

    if (is_new) {
        install(r, ctx, f);
    }
    bool keeps_target = r->p.extra && !is_new && !f->byte_cycles;
    f->byte_cycles = f->time_cycles = 0;
    if (!keeps_target) {
        f->target_bps = f->current_bps;
        start_bytes(r, f);
    }
    f->target_bps = f->target_bps < line ? f->target_bps : line;
    f->current_bps -= f->current_bps * fb / FB_ONE;
    f->current_bps = f->current_bps > r->p.min_bps ? f->current_bps : r->p.min_bps;
}

void
weir_reaction_heard(void *state, struct weir_ctx *ctx, uint32_t flow,
                    const struct weir_frame *frame)
{
    struct weir_reaction *r = state;
    struct flow *f = flow_of(r, flow);
    struct weir_cnm m;

    if (!weir_cnm_decode(frame, &m) || !m.quantised_fb) {
        r->n_bad++;
        return;
    }
    r->n_heard++;
    cut(r, ctx, f, m.quantised_fb);
    weir_limit_flow(ctx, flow, f->current_bps);
    start_timer(r, ctx, flow);
}

/* These functions handle parameters and events of the node. */

/* Defaults: the values of 802.1Qau, for links of WEIR_QCN_BPS. */
enum {
    USUAL_BYTES = 150000,
    USUAL_AI_BPS = 5000000,
    USUAL_HAI_BPS = 50000000,
    USUAL_MIN_BPS = 5000000
};

void
weir_reaction_derive(const struct weir_shape *shape, struct weir_reaction_params *p)
{
    uint64_t line = weir_slowest_bps(shape), half = line / 2;

    weir_fill_in(&p->bytes, weir_qcn_scaled(USUAL_BYTES, line));
    weir_fill_in(&p->ai_bps, weir_qcn_scaled(USUAL_AI_BPS, line));
    weir_fill_in(&p->hai_bps, weir_qcn_scaled(USUAL_HAI_BPS, line));
    weir_fill_in(&p->min_bps, weir_qcn_scaled(half < USUAL_MIN_BPS ? half : USUAL_MIN_BPS, line));
}

bool
weir_reaction_check(const struct weir_shape *shape, const struct weir_reaction_params *p,
                    struct weir_text *text)
{
    for (uint16_t port = 0; port < shape->n_ports; port++) {
        uint64_t line = shape->ports[port].rate_bps;
        if (p->min_bps >= line) {
            return weir_refuse(text, "%P is %R; it must be below the rate of port %u, which is %R",
                               "min_rate", p->min_bps, (uint64_t)port, line);
        }
    }
    return true;
}

size_t
weir_reaction_flows_bytes(const struct weir_shape *shape)
{
    return (size_t)shape->n_flows * sizeof(struct flow);
}

void
weir_reaction_init(struct weir_reaction *r, const struct weir_reaction_params *p, uint32_t flows_at,
                   uint64_t seed)
{
    r->p = *p;
    r->flows_at = flows_at;
    r->chance = seed;
}

void
weir_reaction_rebase(struct weir_reaction *r, const struct weir_ctx *ctx, weir_ps by_ps)
{
    for (uint32_t flow = 0; flow < ctx->shape->n_flows; flow++) {
        struct flow *f = flow_of(r, flow);
        f->since_ps = weir_rebased(f->since_ps, by_ps);
    }
}
