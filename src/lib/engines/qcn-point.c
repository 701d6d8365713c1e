/* QCN's congestion point: samples a queue and selects the flow to blame (802.1Qau, clause 32).
 *
 * In the drawing, q is the queue, and q_old the queue at the last sample.
 *
 *              so many bytes have arrived,
 *              or q > Qeq and none for keep_alive
 *     WAITING ---------------------------------> SAMPLE
 *        ^                                         Fb = (q - Qeq) + w (q - q_old)
 *        |                                         quantised: Fb 63 / (Qeq (2w + 1)), 0 .. 63
 *        |                                         not 0: a CNM to a flow of the queue
 *        '----------------------------------------- q_old = q; the next interval
 *
 *     quantised   0..7   8..15  16..23  24..31  32..39  40..47  48..55  56..63
 *     interval    150    75     50      37.5    30      25      21.5    18.5     KB of arrivals
 *
 * The whole row scales with the parameter 'interval', and each interval is varied at random.  Fb is
 * positive under congestion; the standard's cpFb has the opposite sign.
 *
 * Keep-alive uses one timer for each queue, which is set when the queue exceeds Qeq and not for
 * each packet.  If a packet has arrived before it fires, the timer is set once more. */

#include "engines/qcn-point.h"

#include "by-port.h"

const char *const weir_point_place_names[] = { "input", "output", "inner", 0 };
const char *const weir_point_blame_names[] = { "arrival", "occupancy", "two", "oldest", 0 };

struct point {
    uint64_t qeq_bytes, interval_bytes; /* The values for the port of the queue. */
    uint64_t old_bytes;                 /* The queue at the last sample. */
    int64_t left_bytes;                 /* The number of bytes that must arrive before the next
                                         * sample. */
    weir_ps last_ps;                    /* The time of the last arrival. */
    uint32_t last_flow;                 /* The flow of the last packet that arrived. */
    bool is_clocked;                    /* The queue's timer is set. */
};

static struct point *
point_of(const struct weir_point *s, uint32_t slot)
{
    return (struct point *)(void *)((uint8_t *)s + s->points_at) + slot;
}

/* Whether a port has congestion points. */
static bool
is_watched(const struct weir_point_params *p, const struct weir_port *port)
{
    return port->is_inner == (p->place == WEIR_POINT_INNER);
}

static uint64_t
queue_bytes(const struct weir_point *s, const struct weir_ctx *ctx, uint32_t slot)
{
    const struct weir_buffer_slot *b = &ctx->buffer->slots[slot];
    return s->p.place == WEIR_POINT_INPUT ? b->in_bytes : b->out_bytes;
}

/* These functions choose the flow to blame. */

static const struct weir_index *
index_of(const struct weir_point *s, const struct weir_ctx *ctx)
{
    return s->p.place == WEIR_POINT_INPUT ? ctx->buffer->index : ctx->buffer->output_index;
}

/* The maximum length of an output queue. */
static uint64_t
longest_output(const struct weir_buffer_plan *plan, uint32_t n_classes, uint32_t slot)
{
    uint64_t limit = plan->outputs ? plan->outputs[slot] : plan->output_bytes[slot % n_classes];
    return limit ? limit : plan->size_bytes;
}

/* Path congestion, as a share of the output's limit with 32 fractional bits; a switch knows only
 * its own output. */
static uint64_t
fill(const struct weir_ctx *ctx, uint32_t out_slot)
{
    const struct weir_shape *shape = ctx->shape;
    return weir_mul_div(ctx->buffer->slots[out_slot].out_bytes, (uint64_t)1 << 32,
                        longest_output(&shape->buffer, shape->n_classes, out_slot));
}

static uint32_t
draw_two(struct weir_point *s, const struct weir_ctx *ctx, uint32_t slot)
{
    const struct weir_index *x = index_of(s, ctx);
    uint32_t a = weir_index_draw_by_bytes(x, slot, &s->chance);
    uint32_t b = weir_index_draw_by_bytes(x, slot, &s->chance);

    if (a == WEIR_NO_UNIT) {
        return a;
    }
    return fill(ctx, x->units[b].out_slot) > fill(ctx, x->units[a].out_slot) ? b : a;
}

static uint32_t
choose(struct weir_point *s, const struct weir_ctx *ctx, uint32_t slot)
{
    switch ((enum weir_point_blame)s->p.blame) {
    case WEIR_BLAME_ARRIVAL:
        return WEIR_NO_UNIT;
    case WEIR_BLAME_OCCUPANCY:
        return weir_index_draw_by_bytes(index_of(s, ctx), slot, &s->chance);
    case WEIR_BLAME_TWO:
        return draw_two(s, ctx, slot);
    case WEIR_BLAME_OLDEST:
        break;
    }
    return weir_index_oldest(index_of(s, ctx), slot);
}

/* If the packet has no unit, for example because its host had none left, the flow of the last
 * arrived packet is blamed. */
static uint32_t
whom_to_blame(struct weir_point *s, const struct weir_ctx *ctx, uint32_t slot)
{
    uint32_t unit = choose(s, ctx, slot);
    return unit == WEIR_NO_UNIT ? point_of(s, slot)->last_flow : index_of(s, ctx)->units[unit].flow;
}

/* These functions take a sample. */

static uint8_t
quantised(const struct weir_point *s, const struct point *p, int64_t fb)
{
    uint64_t most = p->qeq_bytes * (2 * s->p.weight + 1);

    if (fb <= 0) {
        return 0;
    }
    return (uint8_t)((uint64_t)fb >= most ? WEIR_CNM_MAX_FB
                                          : (uint64_t)fb * WEIR_CNM_MAX_FB / most);
}

static int64_t
next_interval(struct weir_point *s, const struct point *p, uint8_t fb)
{
    static const uint16_t of_1500[] = { 1500, 750, 500, 375, 300, 250, 215, 185 };
    uint64_t bytes = p->interval_bytes * of_1500[fb / 8] / of_1500[0];
    uint64_t range = bytes * s->p.jitter / WEIR_RATIO_1;
    return (int64_t)(bytes - range + weir_random(&s->chance) % (2 * range + 1));
}

/* Identifies the congestion point: the address of the port, as in captures, followed by the kind of
 * queue and the class. */
static uint64_t
point_id(const struct weir_point *s, const struct weir_ctx *ctx, uint32_t slot)
{
    return (uint64_t)0x02 << 56 | (uint64_t)(ctx->shape->node_id & 0xffffff) << 32 |
           (uint64_t)weir_slot_port(ctx, slot) << 16 | s->p.place << 8 | weir_slot_class(ctx, slot);
}

static void
notify(struct weir_point *s, struct weir_ctx *ctx, uint32_t slot, uint8_t fb)
{
    uint32_t flow = whom_to_blame(s, ctx, slot);
    uint16_t port = weir_slot_port(ctx, slot);
    uint8_t cls = weir_slot_class(ctx, slot);
    const struct point *p = point_of(s, slot);
    int64_t queue = (int64_t)queue_bytes(s, ctx, slot);
    struct weir_cnm m = { .quantised_fb = fb,
                          .priority = cls,
                          .cpid = point_id(s, ctx, slot),
                          .q_offset = weir_cnm_units(queue - (int64_t)p->qeq_bytes),
                          .q_delta = weir_cnm_units(queue - (int64_t)p->old_bytes) };

    weir_cnm_encode(&m, weir_send_to_source(ctx, flow, port, cls));
    s->n_cnms++;
}

static void
sample(struct weir_point *s, struct weir_ctx *ctx, uint32_t slot)
{
    struct point *p = point_of(s, slot);
    uint64_t queue = queue_bytes(s, ctx, slot);
    int64_t offset = (int64_t)queue - (int64_t)p->qeq_bytes;
    int64_t delta = (int64_t)queue - (int64_t)p->old_bytes;
    uint8_t fb = quantised(s, p, offset + (int64_t)s->p.weight * delta);

    s->n_samples++;
    if (fb) {
        notify(s, ctx, slot, fb);
    }
    p->old_bytes = queue;
    p->left_bytes = next_interval(s, p, fb);
}

/* These functions handle keep-alive. */

static void
set_clock(struct weir_point *s, struct weir_ctx *ctx, uint32_t slot, weir_ps since_ps)
{
    weir_set_timer(ctx, slot, weir_after(since_ps, (weir_ps)s->p.keep_alive_ps));
    point_of(s, slot)->is_clocked = true;
}

void
weir_point_timer(struct weir_point *s, struct weir_ctx *ctx, uint32_t slot)
{
    struct point *p = point_of(s, slot);

    p->is_clocked = false;
    if (queue_bytes(s, ctx, slot) <= p->qeq_bytes) {
        return;
    }
    if (weir_after(p->last_ps, (weir_ps)s->p.keep_alive_ps) > ctx->now) {
        set_clock(s, ctx, slot, p->last_ps);
        return;
    }
    s->n_kept_alive++;
    sample(s, ctx, slot);
    set_clock(s, ctx, slot, ctx->now);
}

/* Hot: once per packet. */
static void
count_packet(struct weir_point *s, struct weir_ctx *ctx, uint32_t slot, const struct weir_pkt *pkt)
{
    struct point *p = point_of(s, slot);

    p->last_ps = ctx->now;
    p->last_flow = pkt->flow;
    p->left_bytes -= pkt->bytes;
    if (p->left_bytes <= 0) {
        sample(s, ctx, slot);
    }
    if (s->p.keep_alive_ps && !p->is_clocked && queue_bytes(s, ctx, slot) > p->qeq_bytes) {
        set_clock(s, ctx, slot, ctx->now);
    }
}

void
weir_point_arrived(struct weir_point *s, struct weir_ctx *ctx, const struct weir_pkt *pkt)
{
    if (s->p.place == WEIR_POINT_INPUT && is_watched(&s->p, &ctx->shape->ports[pkt->in_port])) {
        count_packet(s, ctx, weir_slot(ctx, pkt->in_port, pkt->cls), pkt);
    }
}

void
weir_point_queued(struct weir_point *s, struct weir_ctx *ctx, const struct weir_pkt *pkt)
{
    if (s->p.place != WEIR_POINT_INPUT && is_watched(&s->p, &ctx->shape->ports[pkt->out_port])) {
        count_packet(s, ctx, weir_slot(ctx, pkt->out_port, pkt->cls), pkt);
    }
}

/* These functions handle parameters and events of the node. */

enum { USUAL_QEQ_BYTES = 30000, USUAL_INTERVAL_BYTES = 150000 };

void
weir_point_derive(const struct weir_shape *shape, struct weir_point_params *p)
{
    uint64_t rate = weir_first_port(shape)->rate_bps;

    if (p->qeq_bytes == WEIR_AUTO) {
        p->qeq_bytes = weir_shape_scaled_bytes(shape, USUAL_QEQ_BYTES, WEIR_QCN_BPS);
    }
    weir_fill_in(&p->interval_bytes, weir_qcn_scaled(USUAL_INTERVAL_BYTES, rate));
    weir_derive_seed(shape, &p->seed);
}

static uint64_t
lesser(uint64_t a, uint64_t b)
{
    return a < b ? a : b;
}

/* The length that a queue can always reach, however full the others are. */
static uint64_t
longest_queue(const struct weir_shape *shape, const struct weir_point_params *p, uint16_t port,
              uint8_t cls)
{
    const struct weir_buffer_plan *plan = &shape->buffer;
    const struct weir_buffer_class *c = weir_shape_class(shape, port, cls);
    uint64_t limit = c->alpha ? plan->size_bytes : c->limit_bytes;

    if (p->place != WEIR_POINT_INPUT) {
        return longest_output(plan, shape->n_classes, port * shape->n_classes + cls);
    }
    return lesser(c->reserve_bytes + c->headroom_bytes + limit, plan->size_bytes);
}

/* Whether Qeq must fit into the queues of a class.  Points watch all classes, but a class that may
 * lose packets may have almost no buffer. */
static bool
must_fit(const struct weir_shape *shape, uint8_t cls)
{
    return !shape->lossless || weir_is_lossless(shape, cls);
}

/* The minimum of the limits of all queues with points at the port. */
static uint64_t
shortest_limit(const struct weir_shape *shape, const struct weir_point_params *p)
{
    uint16_t port = weir_port_from(shape, 0);
    uint64_t least = UINT64_MAX;

    for (uint8_t cls = 0; is_watched(p, &shape->ports[port]) && cls < shape->n_classes; cls++) {
        uint64_t longest = longest_queue(shape, p, port, cls);
        least = must_fit(shape, cls) ? lesser(least, longest) : least;
    }
    return least;
}

static bool
has_points(const struct weir_shape *shape, const struct weir_point_params *p)
{
    bool has = false;

    for (uint16_t port = 0; port < shape->n_ports; port++) {
        has |= is_watched(p, &shape->ports[port]);
    }
    return has;
}

static bool
blame_fits(const struct weir_shape *shape, const struct weir_point_params *p,
           struct weir_text *text)
{
    if (p->blame == WEIR_BLAME_TWO && p->place != WEIR_POINT_INPUT) {
        return weir_refuse(
            text,
            "%P is two, which compares the outputs of two packets; all packets at an output have "
            "the same one, so two works only at inputs: set occupancy",
            "blame");
    }
    if (p->blame == WEIR_BLAME_TWO && shape->routes_late) {
        return weir_refuse(text,
                           "%P is two, which compares outputs; in this switch the output of a "
                           "packet is not known until it leaves the pipeline: set occupancy, or "
                           "oldest",
                           "blame");
    }
    return true;
}

static uint32_t
services(const struct weir_point_params *p)
{
    uint32_t units = p->place == WEIR_POINT_INPUT ? WEIR_SERVICE_UNITS : WEIR_SERVICE_OUTPUT_UNITS;
    return WEIR_SERVICE_LABELS | WEIR_SERVICE_MESSAGES |
           (p->blame == WEIR_BLAME_ARRIVAL ? 0u : units);
}

bool
weir_point_check(const struct weir_shape *shape, const struct weir_point_params *p,
                 struct weir_needs *needs, struct weir_text *text)
{
    uint64_t longest = shortest_limit(shape, p);

    if (p->place == WEIR_POINT_INNER && !has_points(shape, p)) {
        return weir_refuse(text, "%P is inner; this switch has no link inside a fabric: set output",
                           "place");
    }
    if (p->qeq_bytes > longest) {
        return weir_refuse(
            text, "%P is %B; the buffer of a class at a port is only %B: set it below that", "qeq",
            p->qeq_bytes, longest);
    }
    if (!blame_fits(shape, p, text)) {
        return false;
    }
    if (!p->jitter) {
        weir_text_add(text,
                      "%P is 0: where PFC starts and stops the sender regularly, samples may "
                      "always see the queue at the same length; 0.15 is usual",
                      "jitter");
    }
    *needs = (struct weir_needs){ .state_bytes = weir_n_slots(shape) * sizeof(struct point),
                                  .n_timers = p->keep_alive_ps ? weir_n_slots(shape) : 0,
                                  .max_emits = WEIR_POINT_EMITS,
                                  .message_type = WEIR_ETHERTYPE_CNM,
                                  .services = has_points(shape, p) ? services(p) : 0 };
    return true;
}

void
weir_point_init(struct weir_point *s, const struct weir_ctx *ctx, const struct weir_point_params *p,
                uint32_t points_at)
{
    s->p = *p;
    s->points_at = points_at;
    s->chance = weir_chance_at(ctx->shape, p->seed);
    for (uint32_t slot = 0; slot < weir_n_slots(ctx->shape); slot++) {
        struct weir_shape one = weir_shape_at(ctx->shape, weir_slot_port(ctx, slot));
        struct weir_point_params of_port = *p;
        struct point *point = point_of(s, slot);
        weir_point_derive(&one, &of_port);
        point->qeq_bytes = of_port.qeq_bytes;
        point->interval_bytes = of_port.interval_bytes;
        point->left_bytes = next_interval(s, point, 0);
    }
}

void
weir_point_rebase(struct weir_point *s, const struct weir_ctx *ctx, weir_ps by_ps)
{
    for (uint32_t slot = 0; slot < weir_n_slots(ctx->shape); slot++) {
        struct point *p = point_of(s, slot);
        p->last_ps = weir_rebased(p->last_ps, by_ps);
    }
}
