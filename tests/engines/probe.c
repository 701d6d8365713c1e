/* A probe: the smallest engine that uses every service that a host can offer.
 *
 *     at a switch, at each arrival                      at the NIC that is blamed
 *
 *              q >= above / message to             message / halve the flow's rate
 *       QUIET --------------------> QUIET      FREE ---------------------------> LIMITED
 *              whom to blame                         <-------------------------
 *                                                    'after' bytes sent or 'rest' is over
 *
 * The probe blames the sender of the packet that arrived, of a random packet of the same input, or
 * of a random byte there.  When an input becomes empty before its outputs do, the probe sends the
 * peer a frame. The sender of a packet for which an output has no room gets a message. A frame that
 * a NIC receives from its switch slows all senders of a class down. */

#include "engines.h"

#define FRAME_ID     WEIR_FRAME_ID(WEIR_ETHERTYPE_EXPERIMENTAL, 0xff01)
#define MESSAGE_TYPE 0x88b6 /* The second of the two experimental EtherTypes, 802 clause 9.2. */

enum blame { BY_ARRIVAL, BY_PACKET, BY_BYTE };
static const char *const blame_names[] = { "arrival", "packet", "byte", 0 };
static const char *const no_yes[] = { "no", "yes", 0 };

struct params {
    uint64_t above_bytes, blame, slows, after_bytes, rest_ps, seed;
};

struct probe_flow {
    uint64_t rate_bps;   /* 0: not limited. */
    uint64_t sent_bytes; /* Since the flow was last limited, or since the start. */
};

struct probe {
    struct params p;
    uint64_t chance, n_messages, n_heard, n_forwarded, n_refused, n_bad;
    struct probe_flow flows[]; /* [flow], at a NIC only. */
};

static const struct weir_field param_fields[] = {
    WEIR_FIELD(struct params, above_bytes, "above", WEIR_BYTES, .fallback = 10000, .min = 0,
               .max = WEIR_MAX_BYTES, .help = "Blame somebody at this queue.", .source = "-"),
    WEIR_FIELD(
        struct params, blame, "blame", WEIR_CHOICE, .choices = blame_names,
        .help = "The sender of the packet that arrived, of a random packet, or of a random byte.",
        .source = "-"),
    WEIR_FIELD(struct params, slows, "slows", WEIR_CHOICE, .choices = no_yes, .fallback = 1,
               .help = "Whether a frame from its switch slows the senders of a NIC down.",
               .source = "-"),
    WEIR_FIELD(struct params, after_bytes, "after", WEIR_BYTES, .fallback = 150000, .min = 1,
               .max = WEIR_MAX_BYTES, .help = "A limit ends when so much was sent.", .source = "-"),
    WEIR_FIELD(struct params, rest_ps, "rest", WEIR_TIME, .fallback = 50000000, .min = 1,
               .max = WEIR_PS_PER_S, .help = "A limit ends after this time.", .source = "-"),
    WEIR_FIELD(struct params, seed, "seed", WEIR_COUNT, .fallback = 1, .max = UINT32_MAX,
               .help = "Seed for every random choice.", .source = "-"),
    { 0 },
};

static const struct weir_field counter_fields[] = {
    WEIR_FIELD(struct probe, n_messages, "messages", WEIR_COUNT, .help = "Messages sent."),
    WEIR_FIELD(struct probe, n_heard, "heard", WEIR_COUNT, .help = "Messages heard."),
    WEIR_FIELD(struct probe, n_forwarded, "forwarded", WEIR_COUNT, .help = "Packets forwarded."),
    WEIR_FIELD(struct probe, n_refused, "refused", WEIR_COUNT, .help = "Packets without room."),
    WEIR_FIELD(struct probe, n_bad, "bad", WEIR_COUNT, .help = "Frames and messages ignored."),
    { 0 },
};

/* The probe at a switch. */

static uint32_t
whom_to_blame(struct probe *s, const struct weir_ctx *ctx, const struct weir_pkt *pkt)
{
    const struct weir_index *index = ctx->buffer->index;
    uint32_t slot = weir_slot(ctx, pkt->in_port, pkt->cls);

    if (s->p.blame == BY_ARRIVAL) {
        return pkt->flow;
    }
    uint32_t unit = s->p.blame == BY_PACKET ? weir_index_draw(index, slot, &s->chance)
                                            : weir_index_draw_by_bytes(index, slot, &s->chance);
    return index->units[unit].flow; /* There is at least one packet: the one that has arrived. */
}

static void
probe_arrived(void *state, struct weir_ctx *ctx, struct weir_pkt *pkt)
{
    struct probe *s = state;
    uint32_t slot = weir_slot(ctx, pkt->in_port, pkt->cls);

    if (ctx->shape->n_flows || ctx->buffer->slots[slot].in_bytes < s->p.above_bytes) {
        return;
    }
    uint32_t flow = whom_to_blame(s, ctx, pkt);
    struct weir_frame *f = weir_send_to_source(ctx, flow, pkt->in_port, pkt->cls);
    *f = (struct weir_frame){ .len = 3, .bytes = { 0x88, 0xb6, 0 } };
    s->n_messages++;
}

static void
probe_forwarded(void *state, struct weir_ctx *ctx, struct weir_pkt *pkt)
{
    struct probe *s = state;

    s->n_forwarded++;
    if (!ctx->buffer->slots[weir_slot(ctx, pkt->in_port, pkt->cls)].in_bytes) {
        *weir_send(ctx, pkt->in_port) =
            (struct weir_frame){ .len = 6, .bytes = { 0x88, 0xb5, 0xff, 0x01, pkt->cls, 0 } };
    }
}

/* Sends a message to the sender of the refused packet, whatever the length of the queue. */
static void
probe_refused(void *state, struct weir_ctx *ctx, struct weir_pkt *pkt)
{
    struct probe *s = state;

    s->n_refused++;
    *weir_send_to_source(ctx, pkt->flow, pkt->in_port, pkt->cls) =
        (struct weir_frame){ .len = 3, .bytes = { 0x88, 0xb6, 0xff } };
}

/* The probe at a NIC. */

static void
free_flow(struct probe *s, struct weir_ctx *ctx, uint32_t flow)
{
    s->flows[flow].rate_bps = 0;
    weir_limit_flow(ctx, flow, WEIR_UNLIMITED);
    weir_set_timer(ctx, flow, WEIR_NEVER);
}

static void
probe_heard(void *state, struct weir_ctx *ctx, uint32_t flow, const struct weir_frame *f)
{
    struct probe *s = state;
    uint64_t line_bps = ctx->shape->ports[0].rate_bps;

    if (f->len < 3) {
        s->n_bad++;
        return;
    }
    s->n_heard++;
    s->flows[flow] = (struct probe_flow){
        .rate_bps = (s->flows[flow].rate_bps ? s->flows[flow].rate_bps : line_bps) / 2
    };
    weir_limit_flow(ctx, flow, s->flows[flow].rate_bps);
    weir_set_timer(ctx, flow, weir_after(ctx->now, (weir_ps)s->p.rest_ps));
}

static void
probe_sent(void *state, struct weir_ctx *ctx, struct weir_pkt *pkt)
{
    struct probe *s = state;
    struct probe_flow *flow = &s->flows[pkt->flow];

    flow->sent_bytes += pkt->bytes;
    if (flow->rate_bps && flow->sent_bytes >= s->p.after_bytes) {
        free_flow(s, ctx, pkt->flow);
    }
}

static void
probe_timer(void *state, struct weir_ctx *ctx, uint32_t flow)
{
    free_flow(state, ctx, flow);
}

/* The last byte of the frame is the share of its rate that a sender keeps, in 256ths. */
static void
probe_frame(void *state, struct weir_ctx *ctx, uint16_t port, const struct weir_frame *f)
{
    struct probe *s = state;

    if (f->len < 6 || f->bytes[4] >= ctx->shape->n_classes || !ctx->shape->n_flows) {
        s->n_bad++;
        return;
    }
    if (s->p.slows) {
        weir_slow_flows(ctx, weir_slot(ctx, port, f->bytes[4]),
                        f->bytes[5] * (uint64_t)WEIR_RATIO_1 / 256);
    }
}

/* The services that the probe needs depend on its node: a switch or a NIC. */

static uint32_t
services_at_switch(const struct params *p, const struct weir_shape *shape)
{
    return WEIR_SERVICE_LABELS | WEIR_SERVICE_MESSAGES |
           (p->blame == BY_ARRIVAL ? 0 : WEIR_SERVICE_UNITS) |
           (shape->services & WEIR_SERVICE_STAGES);
}

static bool
probe_check(const struct weir_shape *shape, const void *params, struct weir_needs *needs,
            struct weir_text *text)
{
    const struct params *p = params;
    uint32_t at_nic = WEIR_SERVICE_LABELS | WEIR_SERVICE_MESSAGES | WEIR_SERVICE_FLOW_RATES |
                      (p->slows ? WEIR_SERVICE_SLOWING : 0);

    (void)text;
    *needs = (struct weir_needs){
        .state_bytes = sizeof(struct probe) + shape->n_flows * sizeof(struct probe_flow),
        .n_timers = shape->n_flows,
        .max_emits = 2, /* For a limit and its timer. */
        .frame_id = FRAME_ID,
        .message_type = MESSAGE_TYPE,
        .services = shape->n_flows ? at_nic : services_at_switch(params, shape),
    };
    return true;
}

static void
probe_init(void *state, struct weir_ctx *ctx, const void *params)
{
    struct probe *s = state;

    s->p = *(const struct params *)params;
    s->chance = weir_chance_at(ctx->shape, s->p.seed);
}

const struct weir_engine probe = {
    .about = { .name = "probe",
               .title = "A probe of all services",
               .source = "-",
               .params = param_fields,
               .params_bytes = sizeof(struct params) },
    .limits = WEIR_LIMIT_FLOW,
    .counters = counter_fields,
    .check = probe_check,
    .init = probe_init,
    .arrived = probe_arrived,
    .frame = probe_frame,
    .timer = probe_timer,
    .forwarded = probe_forwarded,
    .refused = probe_refused,
    .sent = probe_sent,
    .heard = probe_heard,
};

static const struct weir_plugin *const engines[] = { &probe.about, 0 };

const struct weir_registry test_engines = {
    .one = "engine", .many = "engines", .title = "Engines of tests", .plugins = engines
};
