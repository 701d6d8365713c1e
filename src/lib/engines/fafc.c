/* Fast and accurate flow control.            Lu, Chen, Zhang, Lu: FAFC, Algorithms 1 to 4
 *
 * A switch predicts how long the queue of each output will be in a round trip.  If the prediction
 * is above th_p, it asks the inputs that feed the queue to pause, each for its own time.  The times
 * are long enough to stop the growth, and chosen so that they affect traffic to other outputs
 * least.  The rules for each (output, class), with the period T and the predicted queue pred:
 *
 *     pred <= th_e           pred > th_e + ECN offset            pred > th_p, and the queue grows
 *     CALM  ---------------> MARKING, each packet that leaves --> PAUSING, once per T: T_i to input
 *                                                                 i, least sum of R_i T_i
 *
 *     the peer of input i:   until = max(until, now) + T_i       pauses add up, and end by
 *                                                                themselves: there is no resume
 *     and if it is a NIC     its flows go on at 1 - T_i/T of their rates
 *
 * fafc-queues.c counts and predicts, and fafc-pauses.c computes the pause times.  Bytes that wait
 * because of a pause are not congestion.  So bytes that join the queue of a paused output count as
 * its ECN offset, which falls with the queue afterwards (Algorithm 4).
 *
 * FAFC alone is not lossless, and runs next to PFC, which is the last resort.
 *
 * Deviates: if several outputs ask one input to pause at the same time, one frame carries all these
 * pauses.  The engine's page has the list. */

#include "by-port.h"
#include "engines/fafc-params.h"
#include "engines/fafc-pauses.h"
#include "engines/fafc-queues.h"
#include "weir/all-engines.h"

/* The state. It is followed by a bid and a period for each port, and at a switch by the queues. */
struct fafc {
    struct fafc_params p;
    uint64_t n_decisions, n_pauses, n_heard, n_bad_frames, n_marked, n_slowed, n_updates;
    size_t queues_at;
    struct fafc_bid bids[];
};

/* BACKLOG_PERIODS is used with a demand memory. */
enum { DECREASE_PERIODS = 4, BACKLOG_PERIODS = 2 };

static const struct weir_field counter_fields[] = {
    WEIR_FIELD(struct fafc, n_decisions, "decisions", WEIR_COUNT,
               .help = "Times that an output paused inputs."),
    WEIR_FIELD(struct fafc, n_pauses, "pauses", WEIR_COUNT, .help = "Pause frames sent."),
    WEIR_FIELD(struct fafc, n_heard, "heard", WEIR_COUNT,
               .help = "Frames of peers that were obeyed."),
    WEIR_FIELD(struct fafc, n_bad_frames, "bad_frames", WEIR_COUNT,
               .help = "Invalid frames that were ignored."),
    WEIR_FIELD(struct fafc, n_marked, "marked", WEIR_COUNT, .help = "Packets that were marked."),
    WEIR_FIELD(struct fafc, n_slowed, "slowed", WEIR_COUNT,
               .help = "Times that the flows of a NIC were slowed down."),
    WEIR_FIELD(struct fafc, n_updates, "updates", WEIR_COUNT,
               .help = "Periods at whose end rates were updated."),
    { 0 },
};

/* Hot. */
static struct fafc_queues *
queues_of(struct fafc *s)
{
    return (struct fafc_queues *)(void *)((uint8_t *)s + s->queues_at);
}

static bool
is_counted(const struct weir_ctx *ctx, const struct weir_pkt *pkt)
{
    return !fafc_is_nic(ctx->shape) && weir_is_lossless(ctx->shape, pkt->cls);
}

static weir_ps *
period_at(struct fafc *s, const struct weir_ctx *ctx, uint16_t port)
{
    return (weir_ps *)(void *)&s->bids[ctx->shape->n_ports] + port;
}

/* Sets the timer of the node's clock, which follows the timers for the slots of each (input,
 * class). */
static void
start_clock(struct fafc *s, struct weir_ctx *ctx)
{
    weir_set_timer(ctx, queues_of(s)->n_slots, weir_after(ctx->now, queues_of(s)->period_ps));
}

/* These functions make a decision: Algorithm 2. */

/* Collects the inputs that send to an output.  If the output has recently paused inputs, they are
 * slowing down, so a lower rate than the measured rate is expected. */
static uint32_t
collect_bids(struct fafc *s, const struct weir_ctx *ctx, uint32_t out_slot)
{
    struct fafc_queues *q = queues_of(s);
    const struct fafc_output *o = fafc_output(q, out_slot);
    uint8_t cls = weir_slot_class(ctx, out_slot);
    const uint32_t *places = fafc_places(q, weir_slot_port(ctx, out_slot), cls);
    weir_ps late_ps = weir_after(o->paused_ps, DECREASE_PERIODS * o->longest_ps);
    uint64_t scale = late_ps >= ctx->now ? s->p.decrease : WEIR_RATIO_1;
    uint32_t n = 0;

    WEIR_EACH_BIT(fafc_inputs_of(q, out_slot), q->n_words, in_port)
    {
        const struct fafc_pair *p = &fafc_pairs(q)[places[in_port]];
        uint32_t in_slot = weir_slot(ctx, (uint16_t)in_port, cls);
        const struct fafc_input *i = fafc_input(q, in_slot);
        uint64_t rate =
            (uint64_t)fafc_in_period(i, fafc_counted(p->in_rate)) * scale / WEIR_RATIO_1;
        if (rate) {
            uint64_t cost = (uint64_t)fafc_in_period(i, weir_fafc_cost(q, in_slot));
            s->bids[n++] = (struct fafc_bid){ .rate = rate < FAFC_MAX_RATE ? rate : FAFC_MAX_RATE,
                                              .cost = cost < FAFC_MAX_COST ? cost : FAFC_MAX_COST,
                                              .queue = p->bytes,
                                              .port = in_port };
        }
    }
    return n;
}

/* The growth of a queue if no input were paused, including the bytes that paused inputs would
 * send. */
static int64_t
demand(const struct fafc_queues *q, const struct weir_ctx *ctx, uint32_t out_slot)
{
    const uint32_t *places =
        fafc_places(q, weir_slot_port(ctx, out_slot), weir_slot_class(ctx, out_slot));
    int64_t sum = 0;

    WEIR_EACH_BIT(fafc_inputs_of(q, out_slot), q->n_words, in_port)
    {
        const struct fafc_pair *p = &fafc_pairs(q)[places[in_port]];
        sum += fafc_in_period(fafc_input(q, p->in_slot), p->in_rate - p->out_rate);
    }
    return sum;
}

static weir_ps
quantum_at(const struct weir_ctx *ctx, uint16_t port)
{
    return weir_wire_ps(FAFC_QUANTUM_BYTES, ctx->shape->ports[port].rate_bps);
}

/* The time for which an input is asked to pause; 0: it is not. */
static weir_ps
pause_ps(struct fafc *s, const struct weir_ctx *ctx, uint16_t port, uint8_t cls, uint32_t share)
{
    const struct fafc_input *i = fafc_input(queues_of(s), weir_slot(ctx, port, cls));
    weir_ps ahead_ps = i->until_ps > ctx->now ? i->until_ps - ctx->now : 0;
    weir_ps room_ps = BACKLOG_PERIODS * i->period_ps - ahead_ps;
    weir_ps ps = (weir_ps)((uint64_t)i->period_ps * share / WEIR_RATIO_1);

    if (s->p.memory && ps > room_ps) {
        ps = room_ps > 0 ? room_ps : 0;
    }
    if (fafc_counts_quanta(&s->p)) {
        weir_ps quantum_ps = quantum_at(ctx, port);
        ps = (ps + quantum_ps / 2) / quantum_ps * quantum_ps;
    }
    return (ps + FAFC_PS_PER_NS / 2) / FAFC_PS_PER_NS * FAFC_PS_PER_NS;
}

/* Records a pause; the frame is sent when all outputs have decided. */
static void
ask(struct fafc *s, struct weir_ctx *ctx, uint16_t port, uint8_t cls, weir_ps ps)
{
    struct fafc_queues *q = queues_of(s);
    uint32_t in_slot = weir_slot(ctx, port, cls);
    struct fafc_input *i = fafc_input(q, in_slot);
    bool starts = i->slot_end_ps == WEIR_NEVER;

    i->asked_ns += (uint64_t)ps / FAFC_PS_PER_NS;
    weir_set_bit(fafc_asked(q), port);
    weir_set_bit(&q->asked_classes, cls);
    weir_fafc_defer(q, in_slot, ctx->now, ps);
    if (starts) {
        weir_set_timer(ctx, in_slot, i->slot_end_ps);
    }
}

/* Returns the longest period of the inputs that are asked to pause; 0: none. */
static weir_ps
share_out_pauses(struct fafc *s, struct weir_ctx *ctx, uint32_t out_slot, uint64_t need)
{
    uint32_t n = collect_bids(s, ctx, out_slot);
    uint8_t cls = weir_slot_class(ctx, out_slot);
    weir_ps longest_ps = 0;

    weir_fafc_allocate(s->bids, n, need, (enum fafc_allocation)s->p.allocate);
    for (uint32_t i = 0; i < n; i++) {
        uint16_t port = (uint16_t)s->bids[i].port;
        weir_ps ps = pause_ps(s, ctx, port, cls, s->bids[i].share);
        weir_ps period_ps = *period_at(s, ctx, port);
        if (ps) {
            ask(s, ctx, port, cls, ps);
            longest_ps = period_ps > longest_ps ? period_ps : longest_ps;
        }
    }
    return longest_ps;
}

static bool
is_past(struct fafc *s, uint32_t out_slot)
{
    const struct fafc_output *o = fafc_output(queues_of(s), out_slot);
    return fafc_predicted(queues_of(s), o) > fafc_with_places(o->pause_bytes);
}

/* Called for an output whose predicted queue is above its threshold. */
static void
decide(struct fafc *s, struct weir_ctx *ctx, uint32_t out_slot)
{
    struct fafc_queues *q = queues_of(s);
    struct fafc_output *o = fafc_output(q, out_slot);

    int64_t growth = s->p.memory ? demand(q, ctx, out_slot) : o->growth;
    int64_t need = growth + o->off;
    bool grows = s->p.condition == FAFC_BY_RATE ? growth > 0 : need > 0;
    weir_ps longest_ps = grows && need > 0 ? share_out_pauses(s, ctx, out_slot, (uint64_t)need) : 0;
    if (longest_ps) {
        o->paused_ps = ctx->now;
        o->longest_ps = longest_ps;
        s->n_decisions++;
    }
}

static void
send_own_pause(struct fafc *s, struct weir_ctx *ctx, uint16_t port)
{
    struct fafc_queues *q = queues_of(s);
    struct weir_fafc_pause pause = { .opcode = (uint16_t)s->p.opcode };

    WEIR_EACH_BIT(&q->asked_classes, 1, cls)
    {
        struct fafc_input *i = fafc_input(q, weir_slot(ctx, port, (uint8_t)cls));
        if (i->asked_ns) {
            pause.enable |= (uint8_t)(1u << cls);
            pause.pause_ns[cls] = (uint32_t)(i->asked_ns < UINT32_MAX ? i->asked_ns : UINT32_MAX);
            i->asked_ns = 0;
        }
    }
    weir_fafc_pause_encode(&pause, weir_send(ctx, port));
    s->n_pauses++;
}

/* The quanta until all FAFC pauses of an input end; 0 if the node's own PFC pauses the peer,
 * because that pause is longer. */
static uint16_t
quanta_left(struct fafc *s, const struct weir_ctx *ctx, uint16_t port, uint32_t in_slot)
{
    weir_ps left_ps = fafc_input(queues_of(s), in_slot)->until_ps - ctx->now;
    weir_ps quantum_ps = quantum_at(ctx, port);
    weir_ps quanta = left_ps > 0 ? (left_ps + quantum_ps / 2) / quantum_ps : 0;

    if (weir_is_noted_shut(ctx, in_slot)) {
        return 0;
    }
    return (uint16_t)(quanta < UINT16_MAX ? quanta : UINT16_MAX);
}

/* Sends a pause to a peer that obeys PFC.  A PFC frame replaces the pause before it, so each frame
 * includes the rest of earlier pauses; a frame with 0 quanta would be a resume. */
static void
send_pfc_pause(struct fafc *s, struct weir_ctx *ctx, uint16_t port)
{
    struct fafc_queues *q = queues_of(s);
    struct weir_class_frame pause = { .opcode = WEIR_OPCODE_PFC };

    WEIR_EACH_BIT(&q->asked_classes, 1, cls)
    {
        uint32_t in_slot = weir_slot(ctx, port, (uint8_t)cls);
        struct fafc_input *i = fafc_input(q, in_slot);
        pause.values[cls] = i->asked_ns ? quanta_left(s, ctx, port, in_slot) : 0;
        pause.enable |= (uint8_t)((pause.values[cls] > 0) << cls);
        i->asked_ns = 0;
    }
    if (pause.enable) {
        weir_class_frame_encode(&pause, weir_send(ctx, port));
        s->n_pauses++;
    }
}

static void
send_pauses(struct fafc *s, struct weir_ctx *ctx)
{
    struct fafc_queues *q = queues_of(s);
    uint64_t *asked = fafc_asked(q);

    WEIR_EACH_BIT(asked, q->n_words, port)
    {
        if (s->p.frames == FAFC_PFC_FRAMES) {
            send_pfc_pause(s, ctx, (uint16_t)port);
        } else {
            send_own_pause(s, ctx, (uint16_t)port);
        }
        weir_clear_bit(asked, port);
    }
    q->asked_classes = 0;
}

/* An output decides once per longest period of the inputs that it paused last. */
static bool
is_due(struct fafc *s, const struct weir_ctx *ctx, uint32_t out_slot)
{
    const struct fafc_output *o = fafc_output(queues_of(s), out_slot);
    return weir_after(o->paused_ps, o->longest_ps) <= ctx->now;
}

static void
decide_all(struct fafc *s, struct weir_ctx *ctx)
{
    struct fafc_queues *q = queues_of(s);

    for (uint8_t cls = 0; cls < q->n_classes; cls++) {
        WEIR_EACH_BIT(fafc_busy(q, cls), q->n_words, port)
        {
            uint32_t out_slot = weir_slot(ctx, (uint16_t)port, cls);
            if (is_past(s, out_slot) && is_due(s, ctx, out_slot)) {
                decide(s, ctx, out_slot);
            }
        }
    }
    send_pauses(s, ctx);
}

/* These functions run Algorithm 1. */

static void
end_period(struct fafc *s, struct weir_ctx *ctx)
{
    struct fafc_queues *q = queues_of(s);

    weir_fafc_update(q, ctx->now);
    s->n_updates = q->n_updates;
    if (s->p.decide == FAFC_AT_PERIOD) {
        decide_all(s, ctx);
    }
    if (q->n_active) {
        start_clock(s, ctx);
    }
}

static void
end_slot(struct fafc *s, struct weir_ctx *ctx, uint32_t in_slot)
{
    struct fafc_queues *q = queues_of(s);

    weir_fafc_end_slot(q, in_slot, ctx->now);
    if (fafc_input(q, in_slot)->slot_end_ps != WEIR_NEVER) {
        weir_set_timer(ctx, in_slot, fafc_input(q, in_slot)->slot_end_ps);
    }
}

static void
fafc_timer(void *state, struct weir_ctx *ctx, uint32_t key)
{
    struct fafc *s = state;

    if (key == queues_of(s)->n_slots) {
        end_period(s, ctx);
    } else {
        end_slot(s, ctx, key);
    }
}

/* These functions mark packets: Algorithm 4. */

static bool
is_paused(const struct weir_ctx *ctx, uint32_t out_slot)
{
    const struct weir_gate *g = &ctx->gates[out_slot];
    return g->open_ps > ctx->now || weir_gate_is_held(g, ctx->now);
}

static void
mark(struct fafc *s, struct weir_pkt *pkt, const struct fafc_output *o)
{
    uint64_t limit = o->mark_bytes + o->ecn_bytes;

    if (pkt->ecn == WEIR_ECT && fafc_predicted(queues_of(s), o) > fafc_with_places(limit)) {
        pkt->ecn = WEIR_CE;
        s->n_marked++;
    }
}

static void
lower_offset(struct fafc_output *o)
{
    uint64_t queue = o->queue > 0 ? (uint64_t)o->queue >> FAFC_RATE_PLACES : 0;

    o->ecn_bytes = o->ecn_bytes < queue ? o->ecn_bytes : queue;
}

static void
join(struct fafc *s, struct weir_ctx *ctx, const struct weir_pkt *pkt)
{
    struct fafc_queues *q = queues_of(s);
    uint32_t out_slot = weir_slot(ctx, pkt->out_port, pkt->cls);

    if (!q->n_active) {
        start_clock(s, ctx);
    }
    fafc_count_in(q, pkt);
    if (s->p.offset && is_paused(ctx, out_slot)) {
        fafc_output(q, out_slot)->ecn_bytes += pkt->bytes;
    }
}

/* Hot: once per packet.  Without stages a packet is at its output as soon as it arrives.  A
 * discarded packet has arrived and departed, and was never queued. */
static void
fafc_arrived(void *state, struct weir_ctx *ctx, struct weir_pkt *pkt)
{
    if (is_counted(ctx, pkt) && !weir_has_stages(ctx->shape)) {
        join(state, ctx, pkt);
    }
}

static void
fafc_queued(void *state, struct weir_ctx *ctx, struct weir_pkt *pkt)
{
    if (is_counted(ctx, pkt) && weir_has_stages(ctx->shape)) {
        join(state, ctx, pkt);
    }
}

/* A packet moves from one output to another. The new output counts the packet as an arrival. */
static void
fafc_moved(void *state, struct weir_ctx *ctx, struct weir_pkt *pkt, uint16_t from_port)
{
    struct weir_pkt before = *pkt;

    if (is_counted(ctx, pkt)) {
        before.out_port = from_port;
        fafc_count_out(queues_of(state), &before);
        lower_offset(fafc_output(queues_of(state), weir_slot(ctx, from_port, pkt->cls)));
        join(state, ctx, pkt);
    }
}

/* Hot: once per packet. */
static void
fafc_departed(void *state, struct weir_ctx *ctx, struct weir_pkt *pkt)
{
    struct fafc *s = state;
    uint32_t out_slot = weir_slot(ctx, pkt->out_port, pkt->cls);

    if (!is_counted(ctx, pkt)) {
        return;
    }
    struct fafc_output *o = fafc_output(queues_of(s), out_slot);
    fafc_count_out(queues_of(s), pkt);
    mark(s, pkt, o);
    if (s->p.decide == FAFC_AT_DEQUEUE && is_past(s, out_slot)) {
        decide(s, ctx, out_slot);
        send_pauses(s, ctx);
    }
    lower_offset(o);
}

/* These functions are the peer's side, Algorithm 3. */

static void
slow_flows(struct fafc *s, struct weir_ctx *ctx, uint32_t slot, weir_ps ps)
{
    weir_ps period_ps = *period_at(s, ctx, weir_slot_port(ctx, slot));
    uint64_t part = (uint64_t)(ps < period_ps ? ps : period_ps);
    uint64_t share = part * WEIR_RATIO_1 / (uint64_t)period_ps;
    uint64_t factor = share < WEIR_RATIO_1 - s->p.least ? WEIR_RATIO_1 - share : s->p.least;

    if (factor < WEIR_RATIO_1) {
        weir_slow_flows(ctx, slot, factor);
        s->n_slowed++;
    }
}

/* A pause includes its last instant.  Pauses of a whole period arrive just when the previous pause
 * ends, and no packet may be sent between the two. */
static void
hold(struct fafc *s, struct weir_ctx *ctx, uint32_t slot, weir_ps ps)
{
    const struct weir_gate *g = &ctx->gates[slot];
    weir_ps last_ps = weir_gate_is_held(g, ctx->now) ? g->next_ps - 1 : ctx->now;

    weir_hold_rate(ctx, slot, weir_after(last_ps, ps + 1));
    if (fafc_is_nic(ctx->shape) && ctx->shape->n_flows && s->p.slow) {
        slow_flows(s, ctx, slot, ps);
    }
}

static void
fafc_frame(void *state, struct weir_ctx *ctx, uint16_t port, const struct weir_frame *f)
{
    struct fafc *s = state;
    struct weir_fafc_pause word;

    if (!weir_fafc_pause_decode(f, &word)) {
        s->n_bad_frames++;
        return;
    }
    s->n_heard++;
    WEIR_EACH_LOSSLESS(ctx->shape, cls)
    {
        if (word.enable >> cls & 1 && word.pause_ns[cls]) {
            hold(s, ctx, weir_slot(ctx, port, cls), (weir_ps)word.pause_ns[cls] * FAFC_PS_PER_NS);
        }
    }
}

/* All state of a link ends with the link.  FAFC does not promise to be lossless, and its pauses are
 * shorter than the time in which a link comes up.  So it need not wait for the peer. */
static void
fafc_link(void *state, struct weir_ctx *ctx, uint16_t port, bool up)
{
    struct fafc *s = state;

    for (uint8_t cls = 0; !up && cls < ctx->shape->n_classes; cls++) {
        uint32_t slot = weir_slot(ctx, port, cls);
        if (weir_gate_is_held(&ctx->gates[slot], ctx->now)) {
            weir_hold_rate(ctx, slot, ctx->now);
        }
        if (!fafc_is_nic(ctx->shape)) {
            weir_fafc_forget_pauses(queues_of(s), slot);
            weir_set_timer(ctx, slot, WEIR_NEVER);
        }
    }
}

static void
fafc_rebase(void *state, const struct weir_ctx *ctx, weir_ps by_ps)
{
    struct fafc *s = state;

    if (!fafc_is_nic(ctx->shape)) {
        weir_fafc_queues_rebase(queues_of(s), by_ps);
    }
}

/* The offset of the queues in the state, after the bids and the periods. */
static size_t
queues_offset(const struct weir_shape *shape)
{
    return sizeof(struct fafc) + shape->n_ports * (sizeof(struct fafc_bid) + sizeof(weir_ps));
}

static void
add_needs(const struct weir_shape *shape, const struct fafc_params *p, struct weir_needs *needs)
{
    uint32_t n_slots = weir_n_slots(shape);
    bool slows = fafc_is_nic(shape) && shape->n_flows && p->slow;

    *needs = (struct weir_needs){ .state_bytes = queues_offset(shape),
                                  .max_emits = 2u * shape->n_classes, /* The maximum of fafc_frame()
                                                                       * and fafc_link(). */
                                  .frame_id = WEIR_FRAME_ID(WEIR_ETHERTYPE_MAC_CONTROL, p->opcode),
                                  .services = slows ? WEIR_SERVICE_SLOWING : 0 };
    if (!fafc_is_nic(shape)) {
        needs->state_bytes += weir_fafc_queues_bytes(shape);
        needs->n_timers = n_slots + 1;
        if (p->frames == FAFC_PFC_FRAMES) {
            needs->sent_id = WEIR_FRAME_ID(WEIR_ETHERTYPE_MAC_CONTROL, WEIR_OPCODE_PFC);
            needs->sent_protocol = weir_pfc.protocol;
        }
        needs->max_emits += n_slots + shape->n_ports + 1; /* The maximum of end_period(). */
    }
}

static bool
fafc_check(const struct weir_shape *shape, const void *params, struct weir_needs *needs,
           struct weir_text *text)
{
    const struct fafc_params *p = params;

    if (!weir_fafc_fits(shape, p, text)) {
        return false;
    }
    add_needs(shape, p, needs);
    return true;
}

static struct fafc_params
params_at(const struct fafc *s, const struct weir_ctx *ctx, uint16_t port)
{
    struct fafc_params p;

    weir_port_params(&weir_fafc, ctx->shape, port, &s->p, &p);
    return p;
}

static void
set_port(struct fafc *s, const struct weir_ctx *ctx, uint16_t port)
{
    struct fafc_queues *q = queues_of(s);
    const struct fafc_params p = params_at(s, ctx, port);

    for (uint8_t cls = 0; cls < ctx->shape->n_classes; cls++) {
        struct fafc_output *o = fafc_output(q, weir_slot(ctx, port, cls));
        o->pause_bytes = p.pause_bytes;
        o->mark_bytes = p.ecn_bytes;
        o->calm_bytes = p.calm_bytes;
        weir_fafc_set_period(q, weir_slot(ctx, port, cls), (weir_ps)p.period_ps);
    }
}

static void
start_queues(struct fafc *s, const struct weir_ctx *ctx, weir_ps shortest_ps)
{
    struct fafc_queues *q = queues_of(s);

    q->alpha = s->p.alpha;
    q->beta = s->p.beta;
    q->period_ps = shortest_ps;
    q->holds_demand = s->p.memory;
    q->is_blind = !s->p.predicts;
    q->is_calm_by_output = s->p.calm_by == FAFC_BY_OUTPUT;
    weir_fafc_queues_init(q, ctx->shape);
    WEIR_EACH_PORT (ctx->shape, port) {
        set_port(s, ctx, port);
    }
}

static void
fafc_init(void *state, struct weir_ctx *ctx, const void *params)
{
    struct fafc *s = state;
    weir_ps shortest_ps = WEIR_NEVER;

    s->p = *(const struct fafc_params *)params;
    s->queues_at = queues_offset(ctx->shape);
    WEIR_EACH_PORT (ctx->shape, port) {
        weir_ps *here = period_at(s, ctx, port);
        *here = (weir_ps)params_at(s, ctx, port).period_ps;
        shortest_ps = *here < shortest_ps ? *here : shortest_ps;
    }
    if (!fafc_is_nic(ctx->shape)) {
        start_queues(s, ctx, shortest_ps);
    }
}

const struct weir_engine weir_fafc = {
    .about = { .name = "fafc",
               .title = "Pauses for each input, computed from predicted output queues",
               .source = "Lu, Chen, Zhang, Lu: FAFC: Fast and Accurate Flow Control in Data Center "
                         "Networks",
               .params = weir_fafc_fields,
               .params_bytes = sizeof(struct fafc_params) },
    .limits = WEIR_LIMIT_HOLD,
    .counters = counter_fields,
    .marks = true,
    .needs_last_resort = true,
    .derive = weir_fafc_derive,
    .check = fafc_check,
    .init = fafc_init,
    .arrived = fafc_arrived,
    .queued = fafc_queued,
    .departed = fafc_departed,
    .moved = fafc_moved,
    .frame = fafc_frame,
    .timer = fafc_timer,
    .link = fafc_link,
    .rebase = fafc_rebase,
};
