/* Conceptual Gentle Flow Control.                                 GFC, SIGCOMM 2019, 4.1
 *
 * As receiver: tell the peer the queue each time it changes.
 * As sender: set the rate that this queue maps to.
 *
 *     R |------.                  C up to B0, then C (Bm - q) / (Bm - B0)
 *       |       `.
 *       |         `.              Safe when B0 <= Bm - 4 C tau (Theorem 4.1).
 *       |           `.
 *     0 '-------+-----'--- q
 *               B0    Bm
 *
 * Deviates: the rate is never under min_rate.  In the paper it is 0 from Bm on, and since nothing
 * moves then, stays so.
 *
 * A message per packet is too much for a wire; the scheme is here to compare the others with. */

#include "gfc.h"
#include "weir/engine.h"

struct params {
    uint64_t bm_bytes, b0_bytes, min_bps;
};

struct gfc_conceptual {
    struct params p;
    uint64_t n_sent, n_heard, n_bad_frames;
};

static const struct weir_field param_fields[] = {
    GFC_BM(struct params),
    WEIR_FIELD(struct params, b0_bytes, "b0", WEIR_BYTES, .fallback = WEIR_AUTO, .min = 0,
               .max = WEIR_MAX_BYTES, .derived = "bm less 4 C tau",
               .help = "Queue length up to which the peer sends at line rate.",
               .source = "GFC Theorem 4.1"),
    GFC_MIN_RATE(struct params),
    { 0 },
};

static const struct weir_field counter_fields[] = {
    WEIR_FIELD(struct gfc_conceptual, n_sent, "sent", WEIR_COUNT,
               .help = "Messages sent to peers."),
    WEIR_FIELD(struct gfc_conceptual, n_heard, "heard", WEIR_COUNT,
               .help = "Messages of peers that were obeyed."),
    WEIR_FIELD(struct gfc_conceptual, n_bad_frames, "bad_frames", WEIR_COUNT,
               .help = "Invalid frames that were ignored."),
    { 0 },
};

static void
tell(struct gfc_conceptual *s, struct weir_ctx *ctx, uint16_t port, uint8_t cls)
{
    uint64_t queue = ctx->buffer->slots[weir_slot(ctx, port, cls)].in_bytes;

    if (weir_is_lossless(ctx->shape, cls)) {
        struct weir_queue_frame message = { .cls = cls,
                                            .queue_bytes =
                                                queue < UINT32_MAX ? (uint32_t)queue : UINT32_MAX };
        weir_queue_frame_encode(&message, weir_send(ctx, port));
        s->n_sent++;
    }
}

/* Hot: twice per packet. */
static void
moved(void *state, struct weir_ctx *ctx, struct weir_pkt *pkt)
{
    tell(state, ctx, pkt->in_port, pkt->cls);
}

static void
gfc_conceptual_frame(void *state, struct weir_ctx *ctx, uint16_t port, const struct weir_frame *f)
{
    struct gfc_conceptual *s = state;
    struct weir_queue_frame message;

    if (!weir_queue_frame_decode(f, &message) || !weir_is_lossless(ctx->shape, message.cls)) {
        s->n_bad_frames++;
        return;
    }
    uint64_t left = message.queue_bytes < s->p.bm_bytes ? s->p.bm_bytes - message.queue_bytes : 0;
    uint32_t slot = weir_slot(ctx, port, message.cls);
    bool is_first = weir_gate_is_held(&ctx->gates[slot], ctx->now);
    weir_set_rate(ctx, slot,
                  weir_gfc_rate_bps(ctx->shape->ports[port].rate_bps, left,
                                    s->p.bm_bytes - s->p.b0_bytes, s->p.min_bps));
    s->n_heard++;
    if (is_first) { /* Its link is up by now; ours may have been up too early for it. */
        tell(s, ctx, port, message.cls);
    }
}

static void
gfc_conceptual_link(void *state, struct weir_ctx *ctx, uint16_t port, bool up)
{
    weir_gfc_link(ctx, port, up);
    for (uint8_t cls = 0; up && cls < ctx->shape->n_classes; cls++) {
        tell(state, ctx, port, cls);
    }
}

static void
gfc_conceptual_derive(const struct weir_shape *shape, void *params)
{
    struct params *p = params;
    weir_gfc_derive(shape, &p->bm_bytes, &p->b0_bytes,
                    weir_shape_worst_bytes(shape, weir_gfc_conceptual_room_bytes));
}

static bool
gfc_conceptual_check(const struct weir_shape *shape, const void *params, struct weir_needs *needs,
                     struct weir_text *text)
{
    const struct params *p = params;

    *needs = (struct weir_needs){ .state_bytes = sizeof(struct gfc_conceptual),
                                  .max_emits = 2 * WEIR_MAX_CLASSES,
                                  .frame_id = WEIR_FRAME_ID(WEIR_ETHERTYPE_EXPERIMENTAL,
                                                            WEIR_SUBTYPE_QUEUE) };
    return weir_gfc_check(shape, p->bm_bytes, "b0", p->b0_bytes,
                          weir_shape_worst_bytes(shape, weir_gfc_conceptual_room_bytes),
                          "Theorem 4.1", text);
}

static void
gfc_conceptual_init(void *state, struct weir_ctx *ctx, const void *params)
{
    struct gfc_conceptual *s = state;
    (void)ctx;
    s->p = *(const struct params *)params;
}

const struct weir_engine weir_gfc_conceptual = {
    .about = { .name = "gfc-conceptual",
               .title = "Gentle flow control, conceptual: the queue is reported at every change",
               .source = "GFC, SIGCOMM 2019, 4.1",
               .params = param_fields,
               .params_bytes = sizeof(struct params) },
    .limits = WEIR_LIMIT_RATE,
    .counters = counter_fields,
    .derive = gfc_conceptual_derive,
    .check = gfc_conceptual_check,
    .init = gfc_conceptual_init,
    .arrived = moved,
    .departed = moved,
    .frame = gfc_conceptual_frame,
    .link = gfc_conceptual_link,
};
