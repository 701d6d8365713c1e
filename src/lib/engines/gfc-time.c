/* Time-based Gentle Flow Control.                                 GFC, SIGCOMM 2019, 5.2
 *
 * As receiver: sends credit messages in every period, as for CBFC (credit.h).  As sender: on each
 * message, sets the rate that corresponds to the free bytes at the receiver.
 *
 *     R |         ,------         C min(1, left / (Bm - B0))
 *       |       ,'
 *       |     ,'                  Safe when B0 <= Bm - (sqrt(tau/T) + 1)^2 C T (Theorem 5.1), if
 *       |   ,'                    T >= tau; for a shorter period the theorem asks too little, and
 *     0 ',-------+----- left    B0 <= Bm - 4 C tau is safe.
 *             Bm - B0
 *
 * The paper computes 'left' as FCCL minus all bytes sent, which also subtracts bytes on the wire,
 * and settles at lower queues than its own figure shows. left=sender does this.  By default it is
 * the free buffer that the receiver reports.
 *
 * Deviates: messages carry the free bytes, so that the sender need not estimate them; and the rate
 * is never below min_rate. */

#include "by-port.h"
#include "credit.h"
#include "gfc.h"
#include "weir/all-engines.h"

enum left { OF_RECEIVER, OF_SENDER };
static const char *const left_names[] = { "receiver", "sender", 0 };

struct params {
    struct weir_credit_params credit;
    uint64_t bm_bytes, b0_bytes, left, min_bps;
};

/* The part of the state after struct weir_credit. */
struct gfc_time {
    uint64_t left, min_bps;

    /* [port]: Bm - B0 of the receiver at the other end, which derives it from the same link.  If B0
     * is set, both ends are assumed to have the same values. */
    uint64_t span_bytes[];
};

static const struct weir_field param_fields[] = {
    GFC_BM(struct params),
    WEIR_FIELD(struct params, b0_bytes, "b0", WEIR_BYTES, .fallback = WEIR_AUTO, .min = 0,
               .max = WEIR_MAX_BYTES,
               .derived = "bm less (sqrt(tau/T) + 1)^2 C T of the port; less 4 C tau if T < tau",
               .by_port = true, .ends = WEIR_ENDS_SHOULD_AGREE,
               .help = "Buffered bytes up to which the peer sends at line rate.",
               .source = "GFC Theorem 5.1"),
    WEIR_FIELD(struct params, left, "left", WEIR_CHOICE, .choices = left_names,
               .help =
                   "The end that computes the remaining buffer: the receiver, which reports it, or "
                   "the sender.",
               .source = "in GFC 5.2 it is the sender"),
    GFC_MIN_RATE(struct params),
    CREDIT_PARAMS(struct params, WEIR_ENDS_SHOULD_AGREE),
    { 0 },
};

static uint64_t
left_bytes(const struct weir_credit *c, const struct gfc_time *s, const struct weir_gate *gate,
           const struct weir_credit_frame *message)
{
    uint64_t block = c->p.block_bytes;
    uint64_t blocks = s->left == OF_RECEIVER
                          ? message->free_blocks
                          : weir_credit_ahead(&c->p, gate->sent_bytes / block, message->fccl);
    return blocks * block;
}

static void
gfc_time_frame(void *state, struct weir_ctx *ctx, uint16_t port, const struct weir_frame *f)
{
    const struct gfc_time *s = weir_credit_end(state, ctx->shape);
    struct weir_credit_frame message;

    if (!weir_credit_hear(state, ctx, port, f, &message)) {
        return;
    }
    uint32_t slot = weir_slot(ctx, port, message.cls);
    uint64_t left = left_bytes(state, s, &ctx->gates[slot], &message);
    weir_set_rate(
        ctx, slot,
        weir_gfc_rate_bps(ctx->shape->ports[port].rate_bps, left, s->span_bytes[port], s->min_bps));
}

static void
gfc_time_link(void *state, struct weir_ctx *ctx, uint16_t port, bool up)
{
    weir_gfc_link(ctx, port, up);
    weir_credit_link(state, ctx, port, up, WEIR_UNLIMITED);
}

/* The room that the theorems require at a port with a known period. */
static uint64_t
room_bytes(const struct weir_shape *shape, const struct params *p)
{
    struct weir_link link = weir_first_link(shape);
    return weir_gfc_time_room_bytes(&link, (weir_ps)p->credit.period_ps);
}

static void
gfc_time_derive(const struct weir_shape *shape, void *params)
{
    struct params *p = params;

    weir_credit_derive(shape, &p->credit);
    weir_gfc_derive(shape, &p->bm_bytes, &p->b0_bytes, room_bytes(shape, p));
}

/* If messages take longer than a period, they queue up without limit. */
static void
warn_of_short_period(const struct weir_shape *shape, weir_ps period_ps, struct weir_text *text)
{
    struct weir_link link = weir_first_link(shape);
    uint64_t frame = WEIR_CONTROL_BYTES + (uint64_t)link.gap_bytes;
    weir_ps messages = weir_wire_ps(link.n_classes * frame, link.rate_bps);

    if (period_ps <= messages) {
        weir_text_add(text,
                      "%speriod is %T, but the messages of all classes take %T at %R: they fall "
                      "behind more and more, and packets may be lost",
                      text->len ? "; " : "", period_ps, messages, link.rate_bps);
    }
}

static bool
gfc_time_check(const struct weir_shape *shape, const void *params, struct weir_needs *needs,
               struct weir_text *text)
{
    const struct params *p = params;

    *needs = weir_credit_needs(shape, sizeof(struct gfc_time) + shape->n_ports * sizeof(uint64_t));
    /* A hold and a credit for each class when a link comes up. */
    needs->max_emits += weir_n_slots(shape);
    if (!weir_credit_check(&p->credit, p->bm_bytes / p->credit.block_bytes, "bm", text) ||
        !weir_gfc_check(shape, p->bm_bytes, "b0", p->b0_bytes, room_bytes(shape, p),
                        "Theorems 5.1 and 4.1", text)) {
        return false;
    }
    warn_of_short_period(shape, (weir_ps)p->credit.period_ps, text);
    return true;
}

static void
gfc_time_init(void *state, struct weir_ctx *ctx, const void *params)
{
    const struct params *node = params;
    struct weir_credit *c = state;
    struct gfc_time *s = weir_credit_end(c, ctx->shape);

    c->p = node->credit;
    s->left = node->left;
    s->min_bps = node->min_bps;
    WEIR_EACH_PORT (ctx->shape, port) {
        struct params p;
        weir_port_params(&weir_gfc_time, ctx->shape, port, params, &p);
        s->span_bytes[port] = p.bm_bytes - p.b0_bytes;
        weir_credit_set_window(c, ctx, port, p.bm_bytes);
        weir_credit_link(c, ctx, port, true, WEIR_UNLIMITED);
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
    .counters = weir_credit_counters,
    .period_ps = weir_credit_period,
    .derive = gfc_time_derive,
    .check = gfc_time_check,
    .init = gfc_time_init,
    .arrived = weir_credit_arrived,
    .departed = weir_credit_departed,
    .forwarded = weir_credit_forwarded,
    .frame = gfc_time_frame,
    .timer = weir_credit_timer,
    .link = gfc_time_link,
};
