#include "weir/node.h"

#include <assert.h>
#include <string.h>

static size_t
aligned(size_t n)
{
    return (n + WEIR_MEMORY_ALIGN - 1) / WEIR_MEMORY_ALIGN * WEIR_MEMORY_ALIGN;
}

/* Putting engines together. */

bool
weir_stack_add(struct weir_stack *stack, const struct weir_engine *engine)
{
    if (stack->n == WEIR_MAX_ENGINES) {
        return false;
    }
    assert(engine->about.params_bytes <= WEIR_PARAMS_MAX);
    stack->layers[stack->n].engine = engine;
    weir_fields_default(engine->about.params, stack->layers[stack->n].params);
    stack->n++;
    return true;
}

bool
weir_stack_set(struct weir_stack *stack, uint32_t layer, const char *name, const char *text,
               struct weir_text *why)
{
    const struct weir_engine *engine = stack->layers[layer].engine;
    const struct weir_field *field = weir_field_find(engine->about.params, name);
    uint64_t value;

    if (!field) {
        weir_text_add(why, "%s has no parameter '%s'", engine->about.name, name);
        return false;
    }
    if (!weir_field_parse(field, text, &value, why) || !weir_field_check(field, value, why)) {
        return false;
    }
    weir_field_set(field, stack->layers[layer].params, value);
    return true;
}

uint32_t
weir_stack_limits(const struct weir_stack *stack)
{
    uint32_t limits = 0;
    for (uint32_t i = 0; i < stack->n; i++) {
        limits |= stack->layers[i].engine->limits;
    }
    return limits;
}

static bool
ranges_hold(const struct weir_engine *engine, const void *params, const struct weir_shape *shape,
            struct weir_text *why)
{
    for (const struct weir_field *f = engine->about.params; f && f->name; f++) {
        uint64_t value = weir_field_get(f, params);
        if (f->derived && value == WEIR_AUTO) {
            weir_text_add(why,
                          "%s can not be derived (%s): too little is left; one class at one port "
                          "can count on %B, give it more, or set %s",
                          f->name, f->derived, weir_shape_room_bytes(shape), f->name);
            return false;
        }
        if (!weir_field_check(f, value, why)) {
            return false;
        }
    }
    return true;
}

/* Fills in and checks one layer; its sentences begin with the engine's name. */
static bool
resolve_layer(const struct weir_engine *engine, void *params, const struct weir_shape *shape,
              struct weir_needs *needs, struct weir_text *text)
{
    struct weir_text said = { 0 };

    if (engine->derive) {
        engine->derive(shape, params);
    }
    bool fits =
        ranges_hold(engine, params, shape, &said) && engine->check(shape, params, needs, &said);
    if (said.len) {
        weir_text_add(text, "%s%s: %s", text->len ? "\n" : "", engine->about.name, said.s);
    }
    return fits;
}

enum { MAX_MTU = 65536 };

static bool
shape_is_sane(const struct weir_shape *shape, struct weir_text *why)
{
    if (!shape->n_ports || !shape->n_classes || shape->n_classes > WEIR_MAX_CLASSES) {
        weir_text_add(why, "a node has 1 to 65535 ports and 1 to %u classes, not %u and %u",
                      (uint64_t)WEIR_MAX_CLASSES, (uint64_t)shape->n_ports,
                      (uint64_t)shape->n_classes);
        return false;
    }
    if (shape->mtu_bytes < 64 || shape->mtu_bytes > MAX_MTU || shape->gap_bytes > MAX_MTU) {
        weir_text_add(why, "the MTU is %B and the gap %B; an MTU has 64B to %B, a gap at most that",
                      (uint64_t)shape->mtu_bytes, (uint64_t)shape->gap_bytes, (uint64_t)MAX_MTU);
        return false;
    }
    if (shape->response_ps < 0 || shape->response_ps > WEIR_PS_PER_S) {
        weir_text_add(why, "the response time must lie between 0 and 1s");
        return false;
    }
    for (uint16_t port = 0; port < shape->n_ports; port++) {
        uint64_t rate = shape->ports[port].rate_bps;
        if (shape->ports[port].cable_ps < 0 || shape->ports[port].cable_ps > WEIR_PS_PER_S) {
            weir_text_add(why, "the delay of port %u must lie between 0 and 1s", (uint64_t)port);
            return false;
        }
        if (rate < 1000 || rate > 100 * (uint64_t)WEIR_PS_PER_S) {
            weir_text_add(why, "port %u runs at %R; links run at 1kbps to 100Tbps", (uint64_t)port,
                          rate);
            return false;
        }
    }
    return weir_buffer_check(&shape->buffer, shape->n_ports, shape->n_classes, why);
}

/* Why two engines can not stand at one node, or null. */
static const char *
clash_of(const struct weir_engine *a, const struct weir_engine *b, bool same_frames)
{
    if (a->limits & b->limits) {
        return "%s and %s hold back the same queues in the same way";
    }
    if ((a->moves_classes && b->limits) || (b->moves_classes && a->limits)) {
        return "%s and %s: one moves packets from class to class, and the other would not follow";
    }
    return same_frames ? "%s and %s use the same frames" : 0;
}

static bool
clashes(const struct weir_stack *stack, uint32_t layer, const uint32_t *frame_ids,
        struct weir_text *why)
{
    const struct weir_engine *mine = stack->layers[layer].engine;

    for (uint32_t i = 0; i < layer; i++) {
        const struct weir_engine *other = stack->layers[i].engine;
        bool same_frames = frame_ids[layer] && frame_ids[i] == frame_ids[layer];
        const char *clash = clash_of(other, mine, same_frames);
        if (clash) {
            weir_text_add(why, why->len ? "\n" : "");
            weir_text_add(why, clash, other->about.name, mine->about.name);
            return true;
        }
    }
    return false;
}

/* The memory of a node: gates, classes if they move, states. */

static size_t
gates_bytes(const struct weir_shape *shape)
{
    return aligned(weir_n_slots(shape) * sizeof(struct weir_gate));
}

static size_t
classes_bytes(const struct weir_stack *stack, const struct weir_shape *shape)
{
    bool move = false;

    for (uint32_t i = 0; i < stack->n; i++) {
        move |= stack->layers[i].engine->moves_classes;
    }
    return move ? aligned(weir_n_slots(shape)) : 0;
}

bool
weir_stack_resolve(struct weir_stack *stack, const struct weir_shape *shape, struct weir_needs *sum,
                   struct weir_text *text)
{
    uint32_t frame_ids[WEIR_MAX_ENGINES] = { 0 };

    if (!shape_is_sane(shape, text)) {
        return false;
    }
    *sum = (struct weir_needs){ .state_bytes = gates_bytes(shape) + classes_bytes(stack, shape) };
    for (uint32_t i = 0; i < stack->n; i++) {
        struct weir_needs needs = { 0 };

        if (!resolve_layer(stack->layers[i].engine, stack->layers[i].params, shape, &needs, text)) {
            return false;
        }
        frame_ids[i] = needs.frame_id;
        if (clashes(stack, i, frame_ids, text)) {
            return false;
        }
        sum->state_bytes += aligned(needs.state_bytes);
        sum->n_timers += needs.n_timers;
        sum->max_emits += needs.max_emits;
    }
    return true;
}

/* As they are, until an engine moves them. */
static void
lay_out(struct weir_ctx *ctx, const struct weir_shape *shape, uint8_t *memory, size_t n_class_bytes)
{
    ctx->gates = (struct weir_gate *)(void *)memory;
    ctx->arrives_as = n_class_bytes ? memory + gates_bytes(shape) : 0;
    for (uint32_t slot = 0; slot < weir_n_slots(shape); slot++) {
        weir_gate_init(&ctx->gates[slot], shape->gap_bytes);
        if (ctx->arrives_as) {
            ctx->arrives_as[slot] = weir_slot_class(ctx, slot);
        }
    }
}

void
weir_node_init(struct weir_node *node, const struct weir_stack *stack,
               const struct weir_shape *shape, const struct weir_buffer *buffer,
               struct weir_outbox *out, void *memory, weir_ps now)
{
    size_t n_class_bytes = classes_bytes(stack, shape);
    uint8_t *at = (uint8_t *)memory + gates_bytes(shape) + n_class_bytes;

    *node = (struct weir_node){ .n_layers = stack->n };
    node->ctx = (struct weir_ctx){ .now = now, .shape = shape, .buffer = buffer, .out = out };
    out->n = 0;
    lay_out(&node->ctx, shape, memory, n_class_bytes);
    uint32_t first_key = 0;
    for (uint32_t i = 0; i < stack->n; i++) {
        const struct weir_engine *engine = stack->layers[i].engine;
        struct weir_needs needs = { 0 };
        struct weir_text ignored = { 0 };
        bool fits = engine->check(shape, stack->layers[i].params, &needs, &ignored);
        assert(fits);
        (void)fits;

        node->layers[i].engine = engine;
        node->layers[i].state = at;
        node->layers[i].frame_id = needs.frame_id;
        node->layers[i].first_key = node->ctx.first_key = first_key;
        memset(at, 0, needs.state_bytes);
        engine->init(at, &node->ctx, stack->layers[i].params);
        first_key += needs.n_timers;
        at += aligned(needs.state_bytes);
    }
}

/* Events. */

static void
begin(struct weir_node *node, weir_ps now)
{
    assert(now >= node->ctx.now);
    node->ctx.now = now;
    node->ctx.out->n = 0;
}

/* Hot: twice a packet.  A macro, because each hook has its own type; most nodes have one engine. */
#define TELL(NODE, I, HOOK, ...)                                                                   \
    if ((NODE)->layers[I].engine->HOOK) {                                                          \
        (NODE)->ctx.first_key = (NODE)->layers[I].first_key;                                       \
        (NODE)->layers[I].engine->HOOK((NODE)->layers[I].state, &(NODE)->ctx, __VA_ARGS__);        \
    }
#define TELL_EACH(NODE, HOOK, ...)                                                                 \
    if ((NODE)->n_layers == 1) {                                                                   \
        TELL(NODE, 0, HOOK, __VA_ARGS__)                                                           \
        return;                                                                                    \
    }                                                                                              \
    for (uint32_t i_ = 0; i_ < (NODE)->n_layers; i_++) {                                           \
        TELL(NODE, i_, HOOK, __VA_ARGS__)                                                          \
    }

void
weir_node_arrived(struct weir_node *node, weir_ps now, struct weir_pkt *pkt)
{
    begin(node, now);
    TELL_EACH(node, arrived, pkt);
}

void
weir_node_queued(struct weir_node *node, weir_ps now, struct weir_pkt *pkt)
{
    begin(node, now);
    TELL_EACH(node, queued, pkt);
}

void
weir_node_departed(struct weir_node *node, weir_ps now, struct weir_pkt *pkt)
{
    begin(node, now);
    TELL_EACH(node, departed, pkt);
}

void
weir_node_link(struct weir_node *node, weir_ps now, uint16_t port, bool up)
{
    begin(node, now);
    TELL_EACH(node, link, port, up);
}

void
weir_node_frame(struct weir_node *node, weir_ps now, uint16_t port, const struct weir_frame *f)
{
    uint32_t id = weir_frame_id(f);

    begin(node, now);
    for (uint32_t i = 0; id && i < node->n_layers; i++) {
        if (node->layers[i].frame_id == id) {
            node->ctx.first_key = node->layers[i].first_key;
            node->layers[i].engine->frame(node->layers[i].state, &node->ctx, port, f);
            return;
        }
    }
    node->n_strange_frames++;
}

void
weir_node_timer(struct weir_node *node, weir_ps now, uint32_t key)
{
    uint32_t i = node->n_layers - 1;

    while (node->layers[i].first_key > key) {
        i--;
    }
    begin(node, now);
    node->ctx.first_key = node->layers[i].first_key;
    node->layers[i].engine->timer(node->layers[i].state, &node->ctx, key - node->ctx.first_key);
}
