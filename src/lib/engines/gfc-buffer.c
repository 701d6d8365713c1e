/* Buffer-based Gentle Flow Control.                               GFC, SIGCOMM 2019, 4.2, 5.1
 *
 * As receiver: the queue is in stage k from B_k = Bm - (Bm - B1)/2^(k-1) on.  The receiver sends
 * the stage to the peer each time the queue enters another stage, up or down, as soon as the wire
 * has room for the message (gfc.h).  As sender: in stage k the rate is C/2^k; in stage 0, below B1,
 * it is C.
 *
 *           q >= B1      q >= B2      q >= B3             q >= B_N
 *     0: C -------> 1: C/2 -----> 2: C/4 -----> 3: C/8 ...  -----> N: C/2^N
 *          <-------       <-----        <-----              <-----
 *           q < B1       q < B2       q < B3              q < B_N
 *
 * A link that comes up again is on hold until the peer's stage arrives.  Each end sends its stage
 * at once, and once more when it first receives a stage, because the other end may have come up
 * later (decision 0022).
 *
 * Safe when B1 <= Bm - 2 C tau.  Messages are PFC frames whose times carry the stage.
 *
 * Deviates: in the paper these messages also have PFC's opcode.  In Weir they have their own, so
 * that a plain PFC port cannot mistake a stage for a pause.  The parameter 'opcode' sets the
 * paper's opcode.  With 'refresh' set, a stage is repeated periodically, so that a lost message is
 * replaced. */

#include "by-port.h"
#include "gfc.h"
#include "weir/all-engines.h"

struct params {
    uint64_t bm_bytes, b1_bytes, stages, min_bps, opcode, refresh_ps, spacing_ps;
};

struct of_port {
    struct weir_gfc_pace pace;
    uint8_t stage[WEIR_MAX_CLASSES];
    uint64_t start_bytes[WEIR_MAX_STAGES + 2]; /* Stage k is the interval [start k, start k + 1). */
};

struct gfc_buffer {
    struct params p;
    uint64_t n_sent, n_refreshes, n_heard, n_bad_frames;
    struct of_port ports[];
};

static const struct weir_field param_fields[] = {
    GFC_BM(struct params),
    WEIR_FIELD(struct params, b1_bytes, "b1", WEIR_BYTES, .fallback = WEIR_AUTO, .min = 0,
               .max = WEIR_MAX_BYTES, .derived = "bm less 2 C tau of the port", .by_port = true,
               .help = "Queue length at which the first stage begins, with half the line rate.",
               .source = "GFC 5.4"),
    WEIR_FIELD(struct params, stages, "stages", WEIR_COUNT, .fallback = WEIR_AUTO, .min = 1,
               .max = WEIR_MAX_STAGES,
               .derived = "all stages down to the first that is at most one byte long; more if its "
                          "rate is not small compared with that of the slowest port",
               .by_port = true,
               .help = "Number of stages, each of which halves the rate once more.",
               .source = "GFC 4.2"),
    GFC_MIN_RATE(struct params),
    WEIR_FIELD(struct params, opcode, "opcode", WEIR_CODE, .fallback = WEIR_OPCODE_GFC, .min = 1,
               .max = 0xffff, .ends = WEIR_ENDS_MUST_AGREE,
               .help = "MAC control opcode of the frames, the same at both ends of a link; the "
                       "paper uses 0x0101, which is PFC's.",
               .source = "GFC 5.1"),
    WEIR_FIELD(struct params, refresh_ps, "refresh", WEIR_TIME, .fallback = 0, .min = 0,
               .max = WEIR_PS_PER_S,
               .help = "Time after which a stage is repeated, in case its frame was lost. 0: "
                       "never, as in the paper.",
               .source = "-"),
    WEIR_FIELD(struct params, spacing_ps, "spacing", WEIR_TIME, .fallback = 0, .min = 0,
               .max = WEIR_PS_PER_S,
               .help =
                   "Mean time from one message of a port to the next; up to four leave at once. "
                   "The paper's worst case has one message per tau. 0: the time of two frames.",
               .source = "GFC 4.2"),
    { 0 },
};

static const struct weir_field counter_fields[] = {
    WEIR_FIELD(struct gfc_buffer, n_sent, "sent", WEIR_COUNT, .help = "Stages sent to peers."),
    WEIR_FIELD(struct gfc_buffer, n_refreshes, "refreshes", WEIR_COUNT,
               .help = "Stages repeated after the refresh time."),
    WEIR_FIELD(struct gfc_buffer, n_heard, "heard", WEIR_COUNT,
               .help = "Stages of peers that were obeyed."),
    WEIR_FIELD(struct gfc_buffer, n_bad_frames, "bad_frames", WEIR_COUNT,
               .help = "Invalid frames that were ignored."),
    { 0 },
};

/* Timers of slots are for refreshes, if these are enabled; the timers of ports follow. */
static uint32_t
first_pace_key(const struct params *p, const struct weir_shape *shape)
{
    return p->refresh_ps ? weir_n_slots(shape) : 0;
}

/* Sends one frame with the stages of several classes, and returns their number. */
static uint32_t
send_stages(struct gfc_buffer *s, struct weir_ctx *ctx, uint16_t port, uint8_t classes)
{
    struct weir_class_frame message = { .opcode = (uint16_t)s->p.opcode };
    uint32_t n = 0;

    for (uint8_t cls = 0; cls < ctx->shape->n_classes; cls++) {
        if (classes >> cls & 1) {
            message.enable |= (uint8_t)(1u << cls);
            message.values[cls] = s->ports[port].stage[cls];
            n++;
        }
    }
    weir_class_frame_encode(&message, weir_send(ctx, port));
    weir_gfc_sent(&s->ports[port].pace, ctx->now);
    return n;
}

static void
expect_refresh(const struct gfc_buffer *s, struct weir_ctx *ctx, uint32_t slot)
{
    weir_set_timer(ctx, slot, weir_after(ctx->now, (weir_ps)s->p.refresh_ps));
}

static void
send_stage_if_due(struct gfc_buffer *s, struct weir_ctx *ctx, uint16_t port, uint8_t cls)
{
    uint32_t key = first_pace_key(&s->p, ctx->shape) + port;

    if (weir_gfc_may_send(&s->ports[port].pace, ctx, key, cls)) {
        s->n_sent += send_stages(s, ctx, port, (uint8_t)(1u << cls));
    }
}

static uint8_t
stage_of(const struct of_port *port, uint64_t queue, uint8_t from)
{
    while (queue < port->start_bytes[from]) {
        from--;
    }
    while (queue >= port->start_bytes[from + 1]) {
        from++;
    }
    return from;
}

/* Sets the trip wires of a stage: its own start and the start of the next stage. */
static void
set_trip(const struct of_port *port, struct weir_ctx *ctx, uint32_t slot, uint8_t cls)
{
    const uint64_t *start = &port->start_bytes[port->stage[cls]];
    bool is_lossless = weir_is_lossless(ctx->shape, cls);

    weir_set_trip(ctx, slot, is_lossless ? start[1] : UINT64_MAX, is_lossless ? start[0] : 0);
}

static void
enter_stage(struct gfc_buffer *s, struct weir_ctx *ctx, uint16_t port, uint8_t cls, uint64_t queue)
{
    struct of_port *of_port = &s->ports[port];
    uint32_t slot = weir_slot(ctx, port, cls);
    bool was_calm = of_port->stage[cls] == 0;

    of_port->stage[cls] = stage_of(of_port, queue, of_port->stage[cls]);
    set_trip(of_port, ctx, slot, cls);
    send_stage_if_due(s, ctx, port, cls);
    if (s->p.refresh_ps && was_calm) {
        expect_refresh(s, ctx, slot);
    }
}

static void
check_arrived(void *state, struct weir_ctx *ctx, struct weir_pkt *pkt)
{
    struct gfc_buffer *s = state;
    const struct of_port *port = &s->ports[pkt->in_port];
    uint64_t queue = ctx->buffer->slots[weir_slot(ctx, pkt->in_port, pkt->cls)].in_bytes;
    const uint64_t *start = &port->start_bytes[port->stage[pkt->cls]];

    if ((queue < start[0] || queue >= start[1]) && weir_is_lossless(ctx->shape, pkt->cls)) {
        enter_stage(s, ctx, pkt->in_port, pkt->cls, queue);
    }
}

/* Repeats the stage. The return to stage 0 is also repeated once, because that message may have
 * been lost. */
static void
refresh(struct gfc_buffer *s, struct weir_ctx *ctx, uint32_t slot)
{
    uint16_t port = weir_slot_port(ctx, slot);
    uint8_t cls = weir_slot_class(ctx, slot);

    s->n_refreshes += send_stages(s, ctx, port, (uint8_t)(1u << cls));
    if (s->ports[port].stage[cls]) {
        expect_refresh(s, ctx, slot);
    }
}

/* Sends the stages of all waiting classes in one frame. */
static void
send_waiting(struct gfc_buffer *s, struct weir_ctx *ctx, uint16_t port)
{
    struct weir_gfc_pace *pace = &s->ports[port].pace;

    if (pace->waiting) {
        s->n_sent += send_stages(s, ctx, port, pace->waiting);
    }
    pace->waiting = 0;
}

/* Sends all stages to a peer that waits for the state of a new link. */
static void
tell_all(struct gfc_buffer *s, struct weir_ctx *ctx, uint16_t port)
{
    s->n_sent += send_stages(s, ctx, port, ctx->shape->lossless);
}

static void
gfc_buffer_timer(void *state, struct weir_ctx *ctx, uint32_t key)
{
    struct gfc_buffer *s = state;
    uint32_t first = first_pace_key(&s->p, ctx->shape);

    if (key < first) {
        refresh(s, ctx, key);
    } else {
        send_waiting(s, ctx, (uint16_t)(key - first));
    }
}

static void
set_stage_rate(struct gfc_buffer *s, struct weir_ctx *ctx, uint16_t port, uint8_t cls,
               uint16_t stage)
{
    uint64_t rate = ctx->shape->ports[port].rate_bps >> stage;

    rate = stage == 0 ? WEIR_UNLIMITED : rate > s->p.min_bps ? rate : s->p.min_bps;
    weir_set_rate(ctx, weir_slot(ctx, port, cls), rate);
}

static void
gfc_buffer_frame(void *state, struct weir_ctx *ctx, uint16_t port, const struct weir_frame *f)
{
    struct gfc_buffer *s = state;
    struct weir_class_frame message;

    if (!weir_class_frame_decode(f, &message)) {
        s->n_bad_frames++;
        return;
    }
    s->n_heard++;
    bool is_first = false;
    WEIR_EACH_LOSSLESS(ctx->shape, cls)
    {
        if (message.enable >> cls & 1) {
            uint16_t stage = message.values[cls];
            is_first |= weir_gate_is_held(&ctx->gates[weir_slot(ctx, port, cls)], ctx->now);
            set_stage_rate(s, ctx, port, cls, stage < WEIR_MAX_STAGES ? stage : WEIR_MAX_STAGES);
        }
    }
    if (is_first) { /* The peer's link is up now; the first message of this node may have been too
                     * early for it. */
        tell_all(s, ctx, port);
    }
}

/* While a link is down the stage is kept, but no message is sent.  When the link is up again, the
 * peer waits for this message. */
static void
gfc_buffer_link(void *state, struct weir_ctx *ctx, uint16_t port, bool up)
{
    struct gfc_buffer *s = state;

    weir_gfc_link(ctx, port, up);
    weir_gfc_pace_restart(&s->ports[port].pace, ctx, first_pace_key(&s->p, ctx->shape) + port);
    for (uint8_t cls = 0; s->p.refresh_ps && cls < ctx->shape->n_classes; cls++) {
        uint32_t slot = weir_slot(ctx, port, cls);
        if (up && weir_is_lossless(ctx->shape, cls)) {
            expect_refresh(s, ctx, slot);
        } else {
            weir_set_timer(ctx, slot, WEIR_NEVER);
        }
    }
    if (up) {
        tell_all(s, ctx, port);
    }
}

static void
gfc_buffer_rebase(void *state, const struct weir_ctx *ctx, weir_ps by_ps)
{
    struct gfc_buffer *s = state;

    for (uint16_t port = 0; port < ctx->shape->n_ports; port++) {
        weir_gfc_pace_rebase(&s->ports[port].pace, by_ps);
    }
}

/* If a port is fast and has little buffer, the rate of the last stage before Bm may still exceed
 * the drain rate.  Further stages then begin at Bm, until the rate is below a small share of the
 * slowest port's rate. */
static uint64_t
enough_stages(const struct weir_shape *shape, const struct params *p)
{
    enum { SMALL_SHARE = 4096 };
    uint64_t small = weir_slowest_bps(shape) / SMALL_SHARE;
    uint64_t rate = weir_first_port(shape)->rate_bps;
    uint64_t stages = weir_gfc_stages(p->bm_bytes, p->b1_bytes);

    while (stages < WEIR_MAX_STAGES && rate >> stages > small) {
        stages++;
    }
    return stages;
}

/* The theorem's room at the port, 2 C tau.  The response time includes the spacing, because a
 * message may wait that long. */
static uint64_t
room_bytes(const struct weir_shape *shape, const struct params *p)
{
    struct weir_link link = weir_first_link(shape);

    link.response_ps = weir_after(link.response_ps, (weir_ps)p->spacing_ps);
    return weir_gfc_buffer_room_bytes(&link);
}

static void
gfc_buffer_derive(const struct weir_shape *shape, void *params)
{
    struct params *p = params;

    weir_gfc_derive(shape, &p->bm_bytes, &p->b1_bytes, room_bytes(shape, p));
    if (p->stages == WEIR_AUTO && p->b1_bytes != WEIR_AUTO && p->bm_bytes != WEIR_AUTO) {
        bool sane = p->b1_bytes < p->bm_bytes; /* If it does not fit, 'check' reports this. */
        p->stages = sane ? enough_stages(shape, p) : 1;
    }
}

static bool
gfc_buffer_check(const struct weir_shape *shape, const void *params, struct weir_needs *needs,
                 struct weir_text *text)
{
    const struct params *p = params;

    if (!weir_gfc_check(shape, p->bm_bytes, "b1", p->b1_bytes, room_bytes(shape, p), "2 C tau",
                        text)) {
        return false;
    }
    if (p->stages < enough_stages(shape, p)) {
        weir_text_add(
            text,
            "%sstages is %u, but it takes %u to reach a stage of one byte and a rate that "
            "is small compared with the slowest port: packets may be lost",
            text->len ? "; " : "", p->stages, enough_stages(shape, p));
    }
    *needs =
        (struct weir_needs){ .state_bytes = sizeof(struct gfc_buffer) +
                                            shape->n_ports * sizeof(struct of_port),
                             .n_timers = first_pace_key(p, shape) + shape->n_ports,
                             .max_emits = 4 * WEIR_MAX_CLASSES + 2,
                             .frame_id = WEIR_FRAME_ID(WEIR_ETHERTYPE_MAC_CONTROL, p->opcode) };
    return true;
}

static void
set_stages(struct of_port *of_port, const struct params *node, const struct weir_shape *shape,
           uint16_t port)
{
    struct params p;

    weir_port_params(&weir_gfc_buffer, shape, port, node, &p);
    for (uint32_t k = 1; k <= p.stages; k++) {
        of_port->start_bytes[k] = weir_gfc_stage_bytes(p.bm_bytes, p.b1_bytes, k);
    }
    of_port->start_bytes[p.stages + 1] = UINT64_MAX;
}

static void
gfc_buffer_init(void *state, struct weir_ctx *ctx, const void *params)
{
    struct gfc_buffer *s = state;

    s->p = *(const struct params *)params;
    WEIR_EACH_PORT (ctx->shape, port) {
        weir_ps spacing_ps =
            s->p.spacing_ps ? (weir_ps)s->p.spacing_ps : weir_gfc_spacing_ps(ctx->shape, port);
        set_stages(&s->ports[port], &s->p, ctx->shape, port);
        weir_gfc_pace_start(&s->ports[port].pace, spacing_ps);
        for (uint8_t cls = 0; cls < ctx->shape->n_classes; cls++) {
            set_trip(&s->ports[port], ctx, weir_slot(ctx, port, cls), cls);
        }
    }
}

const struct weir_engine weir_gfc_buffer = {
    .about = { .name = "gfc-buffer",
               .title =
                   "Gentle flow control, buffer-based: each stage of the queue halves the rate",
               .source = "GFC, SIGCOMM 2019, 4.2 and 5.1",
               .params = param_fields,
               .params_bytes = sizeof(struct params) },
    .limits = WEIR_LIMIT_RATE,
    .never_stops = true,
    .counters = counter_fields,
    .derive = gfc_buffer_derive,
    .check = gfc_buffer_check,
    .init = gfc_buffer_init,
    .arrived = check_arrived,
    .departed = check_arrived,
    .forwarded = check_arrived,
    .frame = gfc_buffer_frame,
    .timer = gfc_buffer_timer,
    .link = gfc_buffer_link,
    .rebase = gfc_buffer_rebase,
};
