/* Conceptual Gentle Flow Control.                                 GFC, SIGCOMM 2019, 4.1
 *
 * As receiver: sends the queue length with B0 and Bm to the peer each time it changes, as soon as
 * the wire has room for the message (gfc.h).  As sender: sets the rate that corresponds to this
 * queue.
 *
 *     R |------.                  C up to B0, then C (Bm - q) / (Bm - B0)
 *       |       `.
 *       |         `.              Safe when B0 <= Bm - 4 C tau (Theorem 4.1).
 *       |           `.
 *     0 '-------+-----'--- q
 *               B0    Bm
 *
 * Deviates: the rate is never below min_rate.  In the paper it is 0 from Bm on, and stays 0,
 * because no packet moves then.  Messages of the paper take no time.  A real wire cannot carry two
 * messages per packet if packets are small or gaps are long.
 *
 * The scheme serves as a reference for the others. */

#include "by-port.h"
#include "gfc.h"
#include "weir/all-engines.h"

struct params {
    uint64_t bm_bytes, b0_bytes, min_bps;
};

struct sequencer {
    struct weir_gfc_pace pace;
    uint32_t b0_bytes, bm_bytes;
    uint8_t last; /* The class of the last message; the search for the next waiting class begins
                   * after it. */
};

struct gfc_conceptual {
    struct params p;
    uint64_t n_sent, n_heard, n_bad_frames;
    struct sequencer ports[];
};

static const struct weir_field param_fields[] = {
    GFC_BM(struct params),
    WEIR_FIELD(struct params, b0_bytes, "b0", WEIR_BYTES, .fallback = WEIR_AUTO, .min = 0,
               .max = WEIR_MAX_BYTES, .derived = "bm less 4 C tau of the port", .by_port = true,
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
send_queue(struct gfc_conceptual *s, struct weir_ctx *ctx, uint16_t port, uint8_t cls)
{
    uint64_t queue = ctx->buffer->slots[weir_slot(ctx, port, cls)].in_bytes;
    struct weir_queue_frame message = {
        .cls = cls,
        .queue_bytes = queue < UINT32_MAX ? (uint32_t)queue : UINT32_MAX,
        .b0_bytes = s->ports[port].b0_bytes,
        .bm_bytes = s->ports[port].bm_bytes,
    };

    weir_queue_frame_encode(&message, weir_send(ctx, port));
    s->n_sent++;
    s->ports[port].last = cls;
    weir_gfc_sent(&s->ports[port].pace, ctx->now);
}

static void
send_queue_if_due(struct gfc_conceptual *s, struct weir_ctx *ctx, uint16_t port, uint8_t cls)
{
    if (weir_is_lossless(ctx->shape, cls) &&
        weir_gfc_may_send(&s->ports[port].pace, ctx, port, cls)) {
        send_queue(s, ctx, port, cls);
    }
}

/* Sends the queue of the next waiting class, round robin. */
static void
send_next(struct gfc_conceptual *s, struct weir_ctx *ctx, uint16_t port)
{
    struct sequencer *t = &s->ports[port];
    uint8_t cls = t->last;

    do {
        cls = (uint8_t)((cls + 1u) % WEIR_MAX_CLASSES);
    } while (!(t->pace.waiting >> cls & 1));
    t->pace.waiting &= (uint8_t) ~(1u << cls);
    send_queue(s, ctx, port, cls);
}

/* Sends the message of one class, or of several if the host is late. */
static void
gfc_conceptual_timer(void *state, struct weir_ctx *ctx, uint32_t port)
{
    struct gfc_conceptual *s = state;
    const struct weir_gfc_pace *pace = &s->ports[port].pace;

    while (pace->waiting && ctx->now >= pace->free_ps) {
        send_next(s, ctx, (uint16_t)port);
    }
    if (pace->waiting) {
        weir_set_timer(ctx, port, pace->free_ps);
    }
}

/* Hot: twice per packet. */
static void
moved(void *state, struct weir_ctx *ctx, struct weir_pkt *pkt)
{
    send_queue_if_due(state, ctx, pkt->in_port, pkt->cls);
}

/* Hot: once per packet. With stages, a departure does not change the input queue. */
static void
departed(void *state, struct weir_ctx *ctx, struct weir_pkt *pkt)
{
    if (!weir_has_stages(ctx->shape)) {
        moved(state, ctx, pkt);
    }
}

static void
gfc_conceptual_frame(void *state, struct weir_ctx *ctx, uint16_t port, const struct weir_frame *f)
{
    struct gfc_conceptual *s = state;
    struct weir_queue_frame message;

    if (!weir_queue_frame_decode(f, &message) || !weir_is_lossless(ctx->shape, message.cls) ||
        message.b0_bytes >= message.bm_bytes) {
        s->n_bad_frames++;
        return;
    }
    uint64_t left =
        message.queue_bytes < message.bm_bytes ? message.bm_bytes - message.queue_bytes : 0;
    uint32_t slot = weir_slot(ctx, port, message.cls);
    bool is_first = weir_gate_is_held(&ctx->gates[slot], ctx->now);
    weir_set_rate(ctx, slot,
                  weir_gfc_rate_bps(ctx->shape->ports[port].rate_bps, left,
                                    message.bm_bytes - message.b0_bytes, s->p.min_bps));
    s->n_heard++;
    if (is_first) { /* The peer's link is up now; the first message of this node may have been too
                     * early for it. */
        send_queue_if_due(s, ctx, port, message.cls);
    }
}

static void
gfc_conceptual_link(void *state, struct weir_ctx *ctx, uint16_t port, bool up)
{
    struct gfc_conceptual *s = state;

    weir_gfc_link(ctx, port, up);
    weir_gfc_pace_restart(&s->ports[port].pace, ctx, port);
    for (uint8_t cls = 0; up && cls < ctx->shape->n_classes; cls++) {
        send_queue_if_due(state, ctx, port, cls);
    }
}

static void
gfc_conceptual_rebase(void *state, const struct weir_ctx *ctx, weir_ps by_ps)
{
    struct gfc_conceptual *s = state;

    for (uint16_t port = 0; port < ctx->shape->n_ports; port++) {
        weir_gfc_pace_rebase(&s->ports[port].pace, by_ps);
    }
}

/* The room that Theorem 4.1 requires at the port. */
static uint64_t
room_bytes(const struct weir_shape *shape)
{
    struct weir_link link = weir_first_link(shape);
    return weir_gfc_conceptual_room_bytes(&link);
}

static void
gfc_conceptual_derive(const struct weir_shape *shape, void *params)
{
    struct params *p = params;
    weir_gfc_derive(shape, &p->bm_bytes, &p->b0_bytes, room_bytes(shape));
}

static bool
gfc_conceptual_check(const struct weir_shape *shape, const void *params, struct weir_needs *needs,
                     struct weir_text *text)
{
    const struct params *p = params;

    *needs = (struct weir_needs){
        .state_bytes = sizeof(struct gfc_conceptual) + shape->n_ports * sizeof(struct sequencer),
        .n_timers = shape->n_ports,
        .max_emits = 2 * WEIR_MAX_CLASSES + 2,
        .frame_id = WEIR_FRAME_ID(WEIR_ETHERTYPE_EXPERIMENTAL, WEIR_SUBTYPE_QUEUE),
    };
    return weir_gfc_check(shape, p->bm_bytes, "b0", p->b0_bytes, room_bytes(shape), "Theorem 4.1",
                          text);
}

static void
gfc_conceptual_init(void *state, struct weir_ctx *ctx, const void *params)
{
    struct gfc_conceptual *s = state;
    s->p = *(const struct params *)params;
    WEIR_EACH_PORT (ctx->shape, port) {
        struct params p;
        weir_port_params(&weir_gfc_conceptual, ctx->shape, port, params, &p);
        s->ports[port].b0_bytes = (uint32_t)p.b0_bytes;
        s->ports[port].bm_bytes = (uint32_t)p.bm_bytes;
        weir_gfc_pace_start(&s->ports[port].pace, weir_gfc_spacing_ps(ctx->shape, port));
    }
}

const struct weir_engine weir_gfc_conceptual = {
    .about = { .name = "gfc-conceptual",
               .title = "Gentle flow control, conceptual: the queue is reported at every change",
               .source = "GFC, SIGCOMM 2019, 4.1",
               .params = param_fields,
               .params_bytes = sizeof(struct params) },
    .limits = WEIR_LIMIT_RATE,
    .never_stops = true,
    .counters = counter_fields,
    .derive = gfc_conceptual_derive,
    .check = gfc_conceptual_check,
    .init = gfc_conceptual_init,
    .arrived = moved,
    .departed = departed,
    .forwarded = moved,
    .frame = gfc_conceptual_frame,
    .timer = gfc_conceptual_timer,
    .link = gfc_conceptual_link,
    .rebase = gfc_conceptual_rebase,
};
