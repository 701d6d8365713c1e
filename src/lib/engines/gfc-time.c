/* Time-based Gentle Flow Control.                                 GFC, SIGCOMM 2019, 5.2
 *
 * As receiver: credit messages, every period, just as for CBFC (credit.h).
 * As sender: on each message set the rate that the bytes left at the receiver map to.
 *
 *     R |         ,------         C min(1, left / (Bm - B0))
 *       |       ,'
 *       |     ,'                  Safe when B0 <= Bm - (sqrt(tau/T) + 1)^2 C T (Theorem 5.1), if
 *       |   ,'                    T >= tau; for a shorter period the theorem asks too little, and
 *     0 ',-------+----- left    B0 <= Bm - 4 C tau is safe.
 *             Bm - B0
 *
 * The paper computes 'left' as FCCL less all that was sent, which also takes away what is still on
 * the wire, and settles lower than its own figure; left=sender does that.  By default it is what
 * the receiver says is free.
 *
 * Deviates: messages carry what is free, so that the sender need not guess it; and the rate is
 * never under min_rate. */

#include "credit.h"
#include "gfc.h"
#include "weir/engine.h"

enum left { OF_RECEIVER, OF_SENDER };
static const char *const left_names[] = { "receiver", "sender", 0 };

struct params {
    uint64_t bm_bytes, b0_bytes, left, min_bps, period_ps, block_bytes, credit_bits;
};

struct gfc_time {
    struct params p;
    struct weir_credit credit;
    struct weir_credit_slot slots[]; /* [port][class]; then a span for each port. */
};

static const struct weir_field param_fields[] = {
    GFC_BM(struct params),
    WEIR_FIELD(struct params, b0_bytes, "b0", WEIR_BYTES, .fallback = WEIR_AUTO, .min = 0,
               .max = WEIR_MAX_BYTES,
               .derived = "bm less (sqrt(tau/T) + 1)^2 C T of the port; less 4 C tau if T < tau",
               .by_port = true, .ends = WEIR_ENDS_SHOULD_AGREE,
               .help = "Bytes held up to which the peer sends at line rate.",
               .source = "GFC Theorem 5.1"),
    WEIR_FIELD(struct params, left, "left", WEIR_CHOICE, .choices = left_names,
               .help = "Who works out what is left of the buffer: the receiver, and reports it, or "
                       "the sender.",
               .source = "in GFC 5.2 it is the sender"),
    GFC_MIN_RATE(struct params),
    CREDIT_PARAMS(struct params, WEIR_ENDS_SHOULD_AGREE),
    { 0 },
};

static const struct weir_field counter_fields[] = { CREDIT_COUNTERS(struct gfc_time), { 0 } };

static struct weir_credit
terms(const struct params *p)
{
    return (struct weir_credit){ .block_bytes = p->block_bytes,
                                 .bits = p->credit_bits,
                                 .period_ps = p->period_ps };
}

/* Hot: once per packet. */
static void
gfc_time_arrived(void *state, struct weir_ctx *ctx, struct weir_pkt *pkt)
{
    struct gfc_time *s = state;
    weir_credit_arrived(&s->credit, &s->slots[weir_slot(ctx, pkt->in_port, pkt->cls)], pkt->bytes,
                        ctx->is_copy);
}

static void
gfc_time_forwarded(void *state, struct weir_ctx *ctx, struct weir_pkt *pkt)
{
    struct gfc_time *s = state;
    weir_credit_departed(&s->credit, &s->slots[weir_slot(ctx, pkt->in_port, pkt->cls)], pkt->bytes);
}

/* Hot: once per packet. */
static void
gfc_time_departed(void *state, struct weir_ctx *ctx, struct weir_pkt *pkt)
{
    if (!weir_has_stages(ctx->shape)) {
        gfc_time_forwarded(state, ctx, pkt);
    }
}

static void
gfc_time_timer(void *state, struct weir_ctx *ctx, uint32_t port)
{
    struct gfc_time *s = state;
    weir_credit_promise(&s->credit, s->slots, ctx, (uint16_t)port);
}

static uint64_t
left_bytes(const struct gfc_time *s, const struct weir_gate *gate,
           const struct weir_credit_frame *message)
{
    uint64_t block = s->credit.block_bytes;
    uint64_t blocks = s->p.left == OF_RECEIVER
                          ? message->free_blocks
                          : weir_credit_ahead(&s->credit, gate->sent_bytes / block, message->fccl);
    return blocks * block;
}

/* Bm - B0 of the receiver at the other end, which derives it from the same link; where B0 is set,
 * both ends are taken to have the same values. */
static uint64_t *
span_bytes(struct gfc_time *s, const struct weir_ctx *ctx, uint16_t port)
{
    return (uint64_t *)(void *)&s->slots[weir_n_slots(ctx->shape)] + port;
}

static void
gfc_time_frame(void *state, struct weir_ctx *ctx, uint16_t port, const struct weir_frame *f)
{
    struct gfc_time *s = state;
    struct weir_credit_frame message;

    if (!weir_credit_hear(&s->credit, s->slots, ctx, port, f, &message)) {
        return;
    }
    uint32_t slot = weir_slot(ctx, port, message.cls);
    uint64_t left = left_bytes(s, &ctx->gates[slot], &message);
    weir_set_rate(ctx, slot,
                  weir_gfc_rate_bps(ctx->shape->ports[port].rate_bps, left,
                                    *span_bytes(s, ctx, port), s->p.min_bps));
}

static void
gfc_time_link(void *state, struct weir_ctx *ctx, uint16_t port, bool up)
{
    struct gfc_time *s = state;
    weir_gfc_link(ctx, port, up);
    weir_credit_link(&s->credit, s->slots, ctx, port, up, WEIR_UNLIMITED);
}

/* The bound of the theorems at the port, whose period is known. */
static uint64_t
room_bytes(const struct weir_shape *shape, const struct params *p)
{
    struct weir_link link = weir_shape_link(shape, weir_port_from(shape, 0));
    return weir_gfc_time_room_bytes(&link, (weir_ps)p->period_ps);
}

static void
gfc_time_derive(const struct weir_shape *shape, void *params)
{
    struct params *p = params;

    weir_credit_derive_period(shape, &p->period_ps);
    weir_gfc_derive(shape, &p->bm_bytes, &p->b0_bytes, room_bytes(shape, p));
}

static weir_ps
gfc_time_period_ps(const void *params)
{
    return (weir_ps)((const struct params *)params)->period_ps;
}

/* Messages that take longer than a period wait for each other, ever longer. */
static void
warn_of_short_period(const struct weir_shape *shape, const struct params *p, struct weir_text *text)
{
    struct weir_link link = weir_shape_link(shape, weir_port_from(shape, 0));
    uint64_t frame = WEIR_CONTROL_BYTES + (uint64_t)link.gap_bytes;
    weir_ps messages = weir_wire_ps(link.n_classes * frame, link.rate_bps);

    if ((weir_ps)p->period_ps <= messages) {
        weir_text_add(text,
                      "%speriod is %T, but the messages of all classes take %T at %R: they come "
                      "ever later, and packets may be lost",
                      text->len ? "; " : "", (weir_ps)p->period_ps, messages, link.rate_bps);
    }
}

static bool
gfc_time_check(const struct weir_shape *shape, const void *params, struct weir_needs *needs,
               struct weir_text *text)
{
    const struct params *p = params;
    struct weir_credit credit = terms(p);

    *needs = weir_credit_needs(shape, sizeof(struct gfc_time) + shape->n_ports * sizeof(uint64_t));
    needs->max_emits +=
        weir_n_slots(shape); /* A hold and a credit for each when a link comes up. */
    if (!weir_credit_check(&credit, p->bm_bytes / p->block_bytes, "bm", text) ||
        !weir_gfc_check(shape, p->bm_bytes, "b0", p->b0_bytes, room_bytes(shape, p),
                        "Theorems 5.1 and 4.1", text)) {
        return false;
    }
    warn_of_short_period(shape, p, text);
    return true;
}

static void
gfc_time_init(void *state, struct weir_ctx *ctx, const void *params)
{
    struct gfc_time *s = state;

    s->p = *(const struct params *)params;
    s->credit = terms(&s->p);
    WEIR_EACH_PORT (ctx->shape, port) {
        struct params p = s->p;
        struct weir_shape one = weir_shape_at(ctx->shape, port);
        gfc_time_derive(&one, &p);
        *span_bytes(s, ctx, port) = p.bm_bytes - p.b0_bytes;
        weir_credit_set_window(s->slots, ctx, port, p.bm_bytes / p.block_bytes);
        weir_credit_link(&s->credit, s->slots, ctx, port, true, WEIR_UNLIMITED);
    }
}

const struct weir_engine weir_gfc_time = {
    .about = { .name = "gfc-time",
               .title = "Gentle flow control, time-based: rates follow from credit messages",
               .source = "GFC, SIGCOMM 2019, 5.2",
               .params = param_fields,
               .params_bytes = sizeof(struct params) },
    .limits = WEIR_LIMIT_RATE | WEIR_LIMIT_CREDIT,
    .protocol = "credits",
    .never_stops = true,
    .counters = counter_fields,
    .period_ps = gfc_time_period_ps,
    .derive = gfc_time_derive,
    .check = gfc_time_check,
    .init = gfc_time_init,
    .arrived = gfc_time_arrived,
    .departed = gfc_time_departed,
    .forwarded = gfc_time_forwarded,
    .frame = gfc_time_frame,
    .timer = gfc_time_timer,
    .link = gfc_time_link,
};
