/* The smallest possible host of an engine: one node, one clock, and a list of the node's
 * answers. */

#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "transcript/player.h"

/* Steps of a transcript. */

/* Sets the class that a packet has at this node, which may differ from the class in which it was
 * sent. Returns false if the node has no class for it. */
static bool
find_class(struct player *p, struct weir_pkt *pkt)
{
    uint8_t cls = weir_class_here(&p->node.ctx, pkt->in_port, pkt->cls);

    if (cls == WEIR_NO_CLASS) {
        weir_text_add(player_answer(p), "dropped expired");
    } else if (cls != pkt->cls) {
        weir_text_add(player_answer(p), "class %u", (uint64_t)cls);
    }
    pkt->cls = cls;
    return cls != WEIR_NO_CLASS;
}

static bool
impossible(struct player *p)
{
    weir_text_add(player_answer(p), "impossible: the node does not hold that many bytes");
    return false;
}

/* The bytes at an output that arrived at an input in a class. */
static uint64_t *
pair_bytes(struct player *p, const struct weir_pkt *pkt)
{
    return &p->pair_bytes[(size_t)player_in_slot(p, pkt) * p->shape.n_ports + pkt->out_port];
}

/* Events of packets. Each function returns whether the node must be called. */

static bool
arrive(struct player *p, struct weir_pkt *pkt, const struct transcript_step *s)
{
    if (!find_class(p, pkt)) {
        return false;
    }
    uint32_t in = player_in_slot(p, pkt);
    enum weir_admission how =
        player_has_stages(p)
            ? weir_buffer_admit_input(&p->buffer, in, pkt->bytes)
            : weir_buffer_admit(&p->buffer, in, player_out_slot(p, pkt), pkt->bytes);
    if (how != WEIR_ADMITTED) {
        weir_text_add(player_answer(p), "dropped %s", weir_admission_names[how]);
        return false;
    }
    if (!player_has_stages(p)) {
        *pair_bytes(p, pkt) += pkt->bytes;
    }
    player_give_unit(p, pkt);
    weir_node_arrived(&p->node, s->at, pkt);
    return true;
}

static bool
forward(struct player *p, struct weir_pkt *pkt, const struct transcript_step *s)
{
    uint32_t in = player_in_slot(p, pkt);

    if (!player_has_stages(p) || p->buffer.slots[in].in_bytes < pkt->bytes ||
        !player_take_unit(p, pkt)) {
        return impossible(p);
    }
    weir_buffer_forward(&p->buffer, in, pkt->bytes);
    weir_node_forwarded(&p->node, s->at, pkt);
    return true;
}

static bool
queue(struct player *p, struct weir_pkt *pkt, const struct transcript_step *s)
{
    if (player_has_stages(p) && p->buffer.passing_bytes < pkt->bytes) {
        return impossible(p);
    }
    if (player_has_stages(p) &&
        !weir_buffer_admit_output(&p->buffer, player_out_slot(p, pkt), pkt->bytes)) {
        weir_buffer_discard(&p->buffer, pkt->bytes);
        player_forget_packet(p, pkt, true);
        weir_text_add(player_answer(p), "dropped output");
        weir_node_refused(&p->node, s->at, pkt);
        return true;
    }
    if (!player_give_output_unit(p, pkt)) {
        return impossible(p);
    }
    if (player_has_stages(p)) {
        *pair_bytes(p, pkt) += pkt->bytes;
    }
    weir_node_queued(&p->node, s->at, pkt);
    return true;
}

static bool
depart(struct player *p, struct weir_pkt *pkt, const struct transcript_step *s)
{
    uint32_t in = player_in_slot(p, pkt), out = player_out_slot(p, pkt);

    if (*pair_bytes(p, pkt) < pkt->bytes) {
        return impossible(p);
    }
    if (player_has_stages(p)) {
        weir_buffer_release_output(&p->buffer, out, pkt->bytes);
    } else if (player_take_unit(p, pkt)) {
        weir_buffer_release(&p->buffer, in, out, pkt->bytes);
    } else {
        return impossible(p);
    }
    *pair_bytes(p, pkt) -= pkt->bytes;
    player_forget_packet(p, pkt, false);
    weir_node_departed(&p->node, s->at, pkt);
    return true;
}

static bool
move(struct player *p, struct weir_pkt *pkt, const struct transcript_step *s)
{
    uint16_t from = (uint16_t)s->args.from;
    struct weir_pkt before = *pkt;

    before.out_port = from;
    if (player_has_stages(p) || *pair_bytes(p, &before) < pkt->bytes ||
        !player_move_unit(p, pkt, from)) {
        return impossible(p);
    }
    *pair_bytes(p, &before) -= pkt->bytes;
    *pair_bytes(p, pkt) += pkt->bytes;
    weir_buffer_move(&p->buffer, player_out_slot(p, &before), player_out_slot(p, pkt), pkt->bytes);
    weir_node_moved(&p->node, s->at, pkt, from);
    return true;
}

static bool (*const moves[])(struct player *, struct weir_pkt *, const struct transcript_step *) = {
    [EVENT_ARRIVED] = arrive,  [EVENT_FORWARDED] = forward, [EVENT_QUEUED] = queue,
    [EVENT_DEPARTED] = depart, [EVENT_MOVED] = move,
};

static struct weir_pkt
packet_of(const struct transcript_step *s)
{
    return (struct weir_pkt){ .bytes = (uint32_t)s->args.bytes,
                              .in_port = (uint16_t)s->args.port,
                              .out_port = (uint16_t)s->args.out,
                              .cls = (uint8_t)s->args.cls,
                              .ecn = (uint8_t)s->args.ecn,
                              .flow = (uint32_t)s->args.flow };
}

static void
play_packet(struct player *p, const struct transcript_step *s)
{
    struct weir_pkt pkt = packet_of(s);

    if (!moves[s->event](p, &pkt, s)) {
        return;
    }
    player_obey(p);
    if (pkt.ecn != s->args.ecn) {
        weir_text_add(player_answer(p), "marked");
    }
}

static void
play_timer(struct player *p, const struct transcript_step *s)
{
    if (s->key >= p->n_timers || p->timers[s->key] != s->at) {
        weir_text_add(player_answer(p), "impossible: timer %u is due %T", s->key,
                      s->key < p->n_timers ? p->timers[s->key] : WEIR_NEVER);
        return;
    }
    p->timers[s->key] = WEIR_NEVER;
    weir_node_timer(&p->node, s->at, (uint32_t)s->key);
}

static struct weir_gate *
gate_of(struct player *p, const struct transcript_step *s)
{
    uint32_t slot = weir_slot(&p->node.ctx, (uint16_t)s->args.port, (uint8_t)s->args.cls);
    return &p->node.ctx.gates[slot];
}

/* Plays a sent packet: the gate counts it, and at a NIC the engine that limits flows receives
 * it. */
static void
play_sent(struct player *p, const struct transcript_step *s)
{
    struct weir_pkt pkt = packet_of(s);

    pkt.out_port = pkt.in_port;
    weir_gate_sent(gate_of(p, s), s->at, pkt.bytes);
    if (p->services & WEIR_SERVICE_FLOW_RATES) {
        weir_node_sent(&p->node, s->at, &pkt);
    }
}

static void
play_ready(struct player *p, const struct transcript_step *s)
{
    weir_ps ready = weir_gate_ready(gate_of(p, s), s->at, (uint32_t)s->args.bytes);

    weir_text_add(player_answer(p), ready == WEIR_NEVER ? "ready never" : "ready at %T", ready);
}

static void
play_count(struct player *p, const struct transcript_step *s)
{
    weir_text_add(player_answer(p), "count %s=%u", s->counter->name,
                  weir_field_get(s->counter, p->node.layers[s->counter_layer].state));
}

static void
play_frame(struct player *p, const struct transcript_step *s)
{
    weir_node_frame(&p->node, s->at, (uint16_t)s->args.port, &s->frame);
    player_capture_frame(p, (uint32_t)s->args.port, &s->frame, "heard");
}

static void
play_heard(struct player *p, const struct transcript_step *s)
{
    weir_node_heard(&p->node, s->at, (uint32_t)s->args.flow, &s->frame);
}

static void
play_link(struct player *p, const struct transcript_step *s)
{
    weir_node_link(&p->node, s->at, (uint16_t)s->args.port, s->up);
}

static void
play_start(struct player *p, const struct transcript_step *s)
{
    (void)p, (void)s; /* The node has already started, and its answers are pending. */
}

static void (*const plays[])(struct player *, const struct transcript_step *) = {
    [EVENT_START] = play_start,      [EVENT_ARRIVED] = play_packet, [EVENT_QUEUED] = play_packet,
    [EVENT_DEPARTED] = play_packet,  [EVENT_FRAME] = play_frame,    [EVENT_TIMER] = play_timer,
    [EVENT_LINK] = play_link,        [EVENT_READY] = play_ready,    [EVENT_SENT] = play_sent,
    [EVENT_FORWARDED] = play_packet, [EVENT_HEARD] = play_heard,    [EVENT_COUNT] = play_count,
    [EVENT_MOVED] = play_packet,
};

/* Reports timers that were due earlier. A host would have called the engine then, so the transcript
 * is impossible. */
static void
answer_missed_timers(struct player *p, weir_ps now)
{
    for (uint32_t key = 0; key < p->n_timers; key++) {
        if (p->timers[key] < now) {
            weir_text_add(player_answer(p), "impossible: timer %u was due at %T", (uint64_t)key,
                          p->timers[key]);
            p->timers[key] = WEIR_NEVER;
        }
    }
}

/* The node of the transcript. */

static uint8_t
peer_tier(const struct transcript_node *n, uint64_t port)
{
    bool is_above = port + n->above >= n->ports;
    return (uint8_t)(is_above || !n->tier ? n->tier + 1 : n->tier - 1);
}

/* The services of this host: all, except that only a NIC has flows, and that the node has stages
 * only if the transcript says so. */
static uint32_t
services_of(const struct transcript_node *n)
{
    uint32_t of_nics = WEIR_SERVICE_FLOW_RATES | WEIR_SERVICE_SLOWING;
    uint32_t of_all = WEIR_SERVICE_LABELS | WEIR_SERVICE_MESSAGES | WEIR_SERVICE_UNITS |
                      WEIR_SERVICE_OUTPUT_UNITS;
    return of_all | (n->flows ? of_nics : 0) | (n->stages ? WEIR_SERVICE_STAGES : 0);
}

static struct weir_shape
shape_of(const struct transcript_node *n, struct weir_port *ports)
{
    struct weir_shape shape = { .ports = ports,
                                .n_ports = (uint16_t)n->ports,
                                .n_classes = (uint8_t)n->classes,
                                .lossless = (uint8_t)n->lossless,
                                .mtu_bytes = (uint32_t)n->mtu_bytes,
                                .gap_bytes = (uint32_t)n->gap_bytes,
                                .response_ps = (weir_ps)n->response_ps,
                                .tier = (uint8_t)n->tier,
                                .services = services_of(n),
                                .pipeline_ps = (weir_ps)n->delay_ps,
                                .pipeline_pps = n->pps,
                                .routes_late = n->delay_ps || n->pps,
                                .n_flows = (uint32_t)n->flows };
    struct weir_buffer_class c = { .reserve_bytes = n->reserve_bytes,
                                   .limit_bytes = n->limit_bytes,
                                   .alpha = n->alpha,
                                   .headroom_bytes = n->headroom_bytes,
                                   .partition_bytes = n->partition_bytes };

    for (uint64_t i = 0; i < n->ports; i++) {
        ports[i] = (struct weir_port){ .rate_bps = n->rate_bps,
                                       .cable_ps = (weir_ps)n->cable_ps,
                                       .peer_tier = peer_tier(n, i),
                                       .is_inner = i + n->inner >= n->ports };
    }
    for (uint64_t cls = 0; cls < n->classes; cls++) {
        shape.buffer.classes[cls] = c;
        shape.buffer.output_bytes[cls] = n->output_bytes;
    }
    shape.buffer.size_bytes =
        n->shared_bytes +
        n->classes * (n->partition_bytes + n->ports * (n->reserve_bytes + n->headroom_bytes));
    return shape;
}

static void
start(struct player *p, const struct weir_stack *stack, const struct weir_needs *needs, weir_ps now)
{
    const struct weir_shape *shape = &p->shape;
    size_t gates_bytes = weir_n_slots(shape) * sizeof(struct weir_gate);

    p->buffer_memory = array_new(1, weir_buffer_memory(shape->n_ports, shape->n_classes));
    p->memory = array_new_aligned(WEIR_MEMORY_ALIGN, needs->state_bytes);
    p->pair_bytes = array_new((size_t)weir_n_slots(shape) * shape->n_ports, sizeof *p->pair_bytes);
    p->gates_before = array_new(1, gates_bytes);
    p->timers = array_new(needs->n_timers, sizeof *p->timers);
    p->out.emits = array_new(needs->max_emits, sizeof *p->out.emits);
    p->out.max = needs->max_emits;
    p->n_timers = needs->n_timers;
    p->services = needs->services;
    for (uint32_t i = 0; i < p->n_timers; i++) {
        p->timers[i] = WEIR_NEVER;
    }
    weir_buffer_init(&p->buffer, &shape->buffer, shape->n_ports, shape->n_classes,
                     p->buffer_memory);
    player_lend_units(p);
    for (uint32_t slot = 0; slot < weir_n_slots(shape); slot++) {
        weir_gate_init(&p->gates_before[slot], shape->gap_bytes);
    }
    weir_node_init(&p->node, stack, shape, &p->buffer, &p->out, p->memory, now);
    player_obey(p);
}

static void
play_steps(struct player *p)
{
    const struct transcript *t = p->t;

    for (size_t i = 0; i < t->n_steps; i++) {
        const struct transcript_step *s = &t->steps[i];
        if (s->event != EVENT_START) {
            p->n_answers = 0; /* Without a 'start', the answers to the start are not checked. */
        }
        answer_missed_timers(p, s->at);
        plays[s->event](p, s);
        player_obey(p);
        if (!p->n_answers) {
            weir_text_add(player_answer(p), "nothing");
        }
        player_judge(p, s);
    }
}

struct transcript_result
transcript_play(const struct transcript *t, enum transcript_mode mode, FILE *file,
                struct pcapng *capture)
{
    struct player *p = array_new(1, sizeof *p);
    struct weir_stack stack = t->stack;
    struct weir_needs needs;
    struct weir_text said = { 0 };

    *p = (struct player){ .t = t, .mode = mode, .file = file, .capture = capture };
    p->shape = shape_of(&t->node, p->ports);
    bool fits = weir_stack_resolve(&stack, &p->shape, &needs, &said);
    for (char *c = said.s; (c = strchr(c, '\n'));) {
        *c = ';'; /* An answer is a single line. */
    }
    if (mode != TRANSCRIPT_CHECK) {
        player_write_heading(p, fits, said.s);
    }
    if (!fits || t->refused) {
        player_check_said(p, "refused", t->refused, fits ? "" : said.s);
    } else if (t->warned) {
        player_check_said(p, "warned", t->warned, said.s);
    }
    if (fits && capture) {
        player_capture_interfaces(p);
    }
    if (fits) {
        start(p, &stack, &needs, t->n_steps ? t->steps[0].at : 0);
        play_steps(p);
    }
    struct transcript_result result = p->result;
    result.refused = !fits;
    result.said = said;
    free(p->buffer_memory);
    player_free_units(p);
    free(p->memory);
    free(p->pair_bytes);
    free(p->gates_before);
    free(p->timers);
    free(p->out.emits);
    free(p->answers);
    free(p);
    return result;
}
