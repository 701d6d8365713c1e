/* Resolves a stack of engines for a node, and hands events to its engines in order. */

#include "weir/node.h"

#include <assert.h>
#include <stdint.h>
#include <string.h>

#include "by-port.h"

static size_t
aligned(size_t n)
{
    return (n + WEIR_MEMORY_ALIGN - 1) / WEIR_MEMORY_ALIGN * WEIR_MEMORY_ALIGN;
}

/* These functions build a stack of engines. */

bool
weir_stack_add(struct weir_stack *stack, const struct weir_engine *engine)
{
    if (stack->n == WEIR_MAX_ENGINES) {
        return false;
    }
    assert(engine->about.params_bytes <= WEIR_PARAMS_MAX);
    stack->layers[stack->n].engine = engine;
    stack->layers[stack->n].scope = WEIR_AT_ALL_PORTS;
    weir_fields_default(engine->about.params, stack->layers[stack->n].params);
    stack->n++;
    return true;
}

bool
weir_stack_set(struct weir_stack *stack, uint32_t layer, const char *name, const char *text,
               struct weir_text *why)
{
    assert(layer < stack->n);
    const struct weir_engine *engine = stack->layers[layer].engine;
    const struct weir_field *field = weir_field_find(engine->about.params, name);
    uint64_t value;

    if (!field) {
        return weir_refuse(why, "%s has no parameter '%s'", engine->about.name, name);
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

/* These functions handle scopes. */

struct weir_shape
weir_layer_shape(const struct weir_stack *stack, uint32_t layer, const struct weir_shape *shape)
{
    struct weir_shape seen = *shape;

    assert(layer < stack->n);
    seen.scope = (uint8_t)stack->layers[layer].scope;
    return seen;
}

static uint32_t
count_served(enum weir_scope scope, const struct weir_shape *shape)
{
    uint32_t n = 0;

    for (uint16_t port = 0; port < shape->n_ports; port++) {
        n += weir_scope_has(scope, &shape->ports[port]);
    }
    return n;
}

/* Removes engines that serve no port of the node; engines that serve all ports need no scope. */
static void
settle_scopes(struct weir_stack *stack, const struct weir_shape *shape)
{
    uint32_t n = 0;

    for (uint32_t i = 0; i < stack->n; i++) {
        uint32_t n_served = count_served(stack->layers[i].scope, shape);
        if (n_served) {
            stack->layers[n] = stack->layers[i];
            stack->layers[n].scope =
                n_served == shape->n_ports ? WEIR_AT_ALL_PORTS : stack->layers[i].scope;
            n++;
        }
    }
    stack->n = n;
}

static bool
do_overlap(enum weir_scope a, enum weir_scope b)
{
    return a == b || a == WEIR_AT_ALL_PORTS || b == WEIR_AT_ALL_PORTS;
}

/* An engine that depends on outputs or changes classes must serve all ports. */
static bool
scope_fits(const struct weir_engine *engine, const struct weir_shape *shape, struct weir_text *why)
{
    bool is_of_node = engine->queued || engine->holds_for || engine->moves_classes;

    return shape->scope == WEIR_AT_ALL_PORTS || !is_of_node ||
           weir_refuse(why, "it serves all ports of a node together, so it cannot be used for the "
                            "links inside or outside a fabric alone");
}

/* Names of services, in the order of their bits. */
static const char *const service_names[] = {
    "the sender of every packet",           "messages to the sender of a packet",
    "packets of an input drawn at random",  "separate buffers for inputs and outputs",
    "a rate limit for single flows",        "senders that can be slowed down",
    "packets of an output drawn at random",
};

static bool
services_are_there(const struct weir_engine *engine, const struct weir_needs *needs,
                   const struct weir_shape *shape, struct weir_text *why)
{
    for (uint32_t i = 0; i < WEIR_N_SERVICES; i++) {
        if (needs->services & ~shape->services & 1u << i) {
            return weir_refuse(why, "it needs %s, which this node does not offer",
                               service_names[i]);
        }
    }
    bool knows_stages = engine->forwarded || engine->queued;
    return !weir_has_stages(shape) || !(engine->limits & WEIR_LIMITS_OF_QUEUES) || knows_stages ||
           weir_refuse(why,
                       "it does not support switches with separate buffers for inputs and outputs");
}

/* Derives and checks the parameters of one layer; messages begin with the engine's name. */
static bool
resolve_layer(const struct weir_engine *engine, void *params, const struct weir_shape *shape,
              struct weir_needs *needs, struct weir_text *text)
{
    struct weir_text said = { 0 };

    weir_ports_derive(engine, shape, params);
    bool fits = scope_fits(engine, shape, &said) &&
                weir_ports_check(engine, shape, params, needs, &said) &&
                services_are_there(engine, needs, shape, &said);
    if (said.len) {
        weir_plugin_quote(&engine->about, &said, text);
    }
    return fits;
}

enum { MAX_MTU = 65536 };

static bool
is_short(weir_ps ps)
{
    return ps >= 0 && ps <= WEIR_PS_PER_S;
}

static bool
shape_is_sane(const struct weir_shape *shape, struct weir_text *why)
{
    if (!shape->n_ports || !shape->n_classes || shape->n_classes > WEIR_MAX_CLASSES) {
        return weir_refuse(why, "a node has 1 to 65535 ports and 1 to %u classes, not %u and %u",
                           (uint64_t)WEIR_MAX_CLASSES, (uint64_t)shape->n_ports,
                           (uint64_t)shape->n_classes);
    }
    if (shape->mtu_bytes < 64 || shape->mtu_bytes > MAX_MTU || shape->gap_bytes > MAX_MTU) {
        return weir_refuse(why,
                           "the MTU is %B and the gap %B; the MTU must be between 64B and %B, and "
                           "the gap at most as large",
                           (uint64_t)shape->mtu_bytes, (uint64_t)shape->gap_bytes,
                           (uint64_t)MAX_MTU);
    }
    if (!is_short(shape->response_ps)) {
        return weir_refuse(why, "the response time must lie between 0 and 1s");
    }
    for (uint16_t port = 0; port < shape->n_ports; port++) {
        const struct weir_port *p = &shape->ports[port];
        if (!is_short(p->cable_ps)) {
            return weir_refuse(why, "the delay of port %u must lie between 0 and 1s",
                               (uint64_t)port);
        }
        if (!is_short(p->response_ps) || !is_short(p->peer_response_ps)) {
            return weir_refuse(why, "the response times at port %u must lie between 0 and 1s",
                               (uint64_t)port);
        }
        if (p->rate_bps < 1000 || p->rate_bps > 100 * (uint64_t)WEIR_PS_PER_S) {
            return weir_refuse(why,
                               "the rate of port %u is %R; it must be between 1kbps and 100Tbps",
                               (uint64_t)port, p->rate_bps);
        }
    }
    return weir_buffer_check(&shape->buffer, shape->n_ports, shape->n_classes, why);
}

static bool
same_frames(const struct weir_needs *a, const struct weir_needs *b)
{
    return (a->frame_id && a->frame_id == b->frame_id) ||
           (a->message_type && a->message_type == b->message_type);
}

/* The limits of gates that an engine writes.  Holds and rates count as one kind. */
static uint32_t
limits_of_queues(const struct weir_engine *engine)
{
    uint32_t limits = engine->limits & WEIR_LIMITS_OF_QUEUES;

    return limits & WEIR_LIMIT_HOLD ? limits | WEIR_LIMIT_RATE : limits;
}

/* Returns why one node cannot run these two engines, or null if it can. */
static const char *
clash_of(const struct weir_engine *a, const struct weir_engine *b)
{
    uint32_t a_queues = limits_of_queues(a), b_queues = limits_of_queues(b);

    if (a_queues & b_queues & WEIR_LIMIT_RATE) {
        return "%s and %s limit the same queues in the same way, by a rate or by pauses that end "
               "by themselves: use one of them";
    }
    if (a_queues & b_queues) {
        return "%s and %s limit the same queues in the same way: use one of them";
    }
    if (a->limits & b->limits) {
        return "%s and %s both limit single flows: use one of them";
    }
    if ((a->moves_classes && b_queues) || (b->moves_classes && a_queues)) {
        return "%s and %s cannot be combined: one moves packets to other classes, and the other "
               "does not follow them";
    }
    return 0;
}

static bool
clashes(const struct weir_stack *stack, uint32_t layer, const struct weir_needs *needs,
        struct weir_text *why)
{
    const struct weir_engine *mine = stack->layers[layer].engine;

    for (uint32_t i = 0; i < layer; i++) {
        const struct weir_engine *other = stack->layers[i].engine;
        bool meet = do_overlap(stack->layers[i].scope, stack->layers[layer].scope);
        const char *clash = meet ? clash_of(other, mine) : 0;
        if (!clash && meet && same_frames(&needs[i], &needs[layer])) {
            clash = "%s and %s use the same frames, so a node cannot distinguish them";
        }
        if (clash) {
            weir_warn(why, clash, other->about.name, mine->about.name);
            return true;
        }
    }
    return false;
}

/* The memory of a node: gates, trip wires, the table of classes if they change, the inputs that are
 * shut, and states. */

static size_t
gates_bytes(const struct weir_shape *shape)
{
    return aligned(weir_n_slots(shape) * sizeof(struct weir_gate));
}

/* The trip wires of the node, and of each engine if there are several. */
static uint32_t
n_trips(const struct weir_stack *stack, const struct weir_shape *shape)
{
    return (1 + (stack->n > 1 ? stack->n : 0)) * weir_n_slots(shape);
}

static size_t
trips_bytes(const struct weir_stack *stack, const struct weir_shape *shape)
{
    return aligned(n_trips(stack, shape) * sizeof(struct weir_trip));
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

/* The size of the table of paused peers, which is needed only if the node has several engines. */
static size_t
shut_bytes(const struct weir_stack *stack, const struct weir_shape *shape)
{
    return stack->n > 1 ? aligned(weir_n_slots(shape)) : 0;
}

bool
weir_stack_resolve(struct weir_stack *stack, const struct weir_shape *shape, struct weir_needs *sum,
                   struct weir_text *text)
{
    struct weir_needs needs[WEIR_MAX_ENGINES] = { 0 };

    assert(stack->n <= WEIR_MAX_ENGINES);
    if (!shape_is_sane(shape, text)) {
        return false;
    }
    settle_scopes(stack, shape);
    *sum = (struct weir_needs){ .state_bytes = gates_bytes(shape) + trips_bytes(stack, shape) +
                                               classes_bytes(stack, shape) +
                                               shut_bytes(stack, shape) };
    for (uint32_t i = 0; i < stack->n; i++) {
        struct weir_shape seen = weir_layer_shape(stack, i, shape);
        if (!resolve_layer(stack->layers[i].engine, stack->layers[i].params, &seen, &needs[i],
                           text) ||
            clashes(stack, i, needs, text)) {
            return false;
        }
        sum->state_bytes += aligned(needs[i].state_bytes);
        sum->n_timers += needs[i].n_timers;
        sum->max_emits += needs[i].max_emits;
        sum->services |= needs[i].services;
    }
    stack->n_slots = weir_n_slots(shape);
    return true;
}

/* Divides the memory of a node, and returns where the states of engines begin.  At first gates are
 * open, no engine receives events, and packets keep their classes. */
static uint8_t *
lay_out(struct weir_ctx *ctx, const struct weir_stack *stack, const struct weir_shape *shape,
        uint8_t *memory)
{
    uint8_t *trips = memory + gates_bytes(shape), *classes = trips + trips_bytes(stack, shape);
    size_t n_class_bytes = classes_bytes(stack, shape), n_shut_bytes = shut_bytes(stack, shape);

    ctx->gates = (struct weir_gate *)(void *)memory;
    ctx->trips = (struct weir_trip *)(void *)trips;
    ctx->arrives_as = n_class_bytes ? classes : 0;
    ctx->shut = n_shut_bytes ? classes + n_class_bytes : 0;
    memset(classes + n_class_bytes, 0, n_shut_bytes);
    for (uint32_t slot = 0; slot < weir_n_slots(shape); slot++) {
        weir_gate_init(&ctx->gates[slot], shape->gap_bytes);
        if (ctx->arrives_as) {
            ctx->arrives_as[slot] = weir_slot_class(ctx, slot);
        }
    }
    for (uint32_t i = 0; i < n_trips(stack, shape); i++) {
        ctx->trips[i] = (struct weir_trip){ .from_bytes = UINT64_MAX, .over_bytes = UINT64_MAX };
    }
    return classes + n_class_bytes + n_shut_bytes;
}

/* By default an engine is called for all packets at its ports for which it has hooks. */
static void
start_trips(struct weir_ctx *ctx, const struct weir_stack *stack, uint32_t layer)
{
    const struct weir_engine *engine = stack->layers[layer].engine;
    bool hears_left = weir_has_stages(ctx->shape) ? engine->forwarded : engine->departed;
    enum weir_scope scope = stack->layers[layer].scope;

    ctx->layer = layer;
    for (uint32_t slot = 0; slot < weir_n_slots(ctx->shape); slot++) {
        bool is_served = weir_scope_has(scope, &ctx->shape->ports[weir_slot_port(ctx, slot)]);
        weir_set_trip(ctx, slot, is_served && engine->arrived ? 0 : UINT64_MAX,
                      is_served && hears_left ? UINT64_MAX : 0);
        weir_set_output_trip(ctx, slot, is_served && engine->queued ? 0 : UINT64_MAX);
    }
}

/* True if an engine keeps its declared properties: asserted after each of its calls. */

static bool
answer_holds(const struct weir_node *node, uint32_t layer, const struct weir_emit *e)
{
    const struct weir_shape *shape = node->ctx.shape;
    const struct weir_needs *needs = &node->needs[layer];
    uint32_t first_key = node->layers[layer].first_key, services = needs->services;

    switch (e->kind) {
    case WEIR_FRAME:
        return e->key < shape->n_ports && e->frame.len <= WEIR_FRAME_MAX;
    case WEIR_TIMER:
        return e->key - first_key < needs->n_timers && e->at >= node->ctx.now;
    case WEIR_GATE:
        return e->key < weir_n_slots(shape);
    case WEIR_MESSAGE:
        return services & WEIR_SERVICE_MESSAGES && e->frame.len <= WEIR_FRAME_MAX &&
               e->port < shape->n_ports && e->cls < shape->n_classes;
    case WEIR_FLOW_RATE:
        return services & WEIR_SERVICE_FLOW_RATES && e->key < shape->n_flows;
    case WEIR_SLOW:
        return services & WEIR_SERVICE_SLOWING && e->key < weir_n_slots(shape) &&
               e->factor <= WEIR_RATIO_1;
    default:
        return false;
    }
}

static inline bool
answers_hold(const struct weir_node *node, uint32_t layer, uint32_t n_before)
{
    const struct weir_outbox *out = node->ctx.out;

    for (uint32_t i = n_before; i < out->n; i++) {
        if (!answer_holds(node, layer, &out->emits[i])) {
            return false;
        }
    }
    return out->n - n_before <= node->needs[layer].max_emits;
}

struct weir_needs
weir_layer_needs(const struct weir_stack *stack, uint32_t layer, const struct weir_shape *shape)
{
    const struct weir_engine *engine = stack->layers[layer].engine;
    struct weir_shape seen = weir_layer_shape(stack, layer, shape);
    struct weir_shape one = weir_shape_at(&seen, weir_port_from(&seen, 0));
    uint64_t of_port[WEIR_PARAMS_MAX / sizeof(uint64_t)];
    struct weir_needs needs = { 0 };
    struct weir_text ignored = { 0 };

    weir_port_params(engine, &seen, one.port, stack->layers[layer].params, of_port);
    bool fits = engine->check(&one, of_port, &needs, &ignored);
    assert(fits);
    (void)fits;
    return needs;
}

static inline bool
buffer_offers(const struct weir_buffer *buffer, uint32_t services)
{
    return (!(services & WEIR_SERVICE_UNITS) || buffer->index) &&
           (!(services & WEIR_SERVICE_OUTPUT_UNITS) || buffer->output_index);
}

void
weir_node_init(struct weir_node *node, const struct weir_stack *stack,
               const struct weir_shape *shape, const struct weir_buffer *buffer,
               struct weir_outbox *out, void *memory, weir_ps now)
{
    assert((uintptr_t)memory % WEIR_MEMORY_ALIGN == 0);
    assert(stack->n_slots == weir_n_slots(shape));
    *node = (struct weir_node){ .n_layers = stack->n };
    node->is_plain = stack->n == 1 && stack->layers[0].scope == WEIR_AT_ALL_PORTS;
    node->ctx = (struct weir_ctx){
        .now = now, .shape = shape, .buffer = buffer, .out = out, .n_layers = stack->n
    };
    uint8_t *at = lay_out(&node->ctx, stack, shape, memory);
    for (uint32_t i = 0; i < stack->n; i++) {
        const struct weir_engine *engine = stack->layers[i].engine;
        const struct weir_shape seen = weir_layer_shape(stack, i, shape);
        struct weir_needs needs = weir_layer_needs(stack, i, shape);
        uint32_t n_before = out->n;

        assert(buffer_offers(buffer, needs.services));
        assert(out->max - out->n >= needs.max_emits);
        node->needs[i] = needs;
        node->layers[i].engine = engine;
        node->layers[i].state = at;
        node->layers[i].frame_id = needs.frame_id;
        node->layers[i].scope = stack->layers[i].scope;
        node->layers[i].first_key = node->ctx.first_key = node->n_timers;
        node->n_timers += needs.n_timers;
        node->max_emits += needs.max_emits;
        memset(at, 0, needs.state_bytes);
        start_trips(&node->ctx, stack, i);
        node->ctx.shape = &seen;
        engine->init(at, &node->ctx, stack->layers[i].params);
        node->ctx.shape = shape;
        assert(answers_hold(node, i, n_before));
        (void)n_before;
        at += aligned(needs.state_bytes);
    }
}

/* These functions pass events to engines. */

static void
begin(struct weir_node *node, weir_ps now)
{
    assert(now >= 0 && now >= node->ctx.now);
    assert(node->ctx.out->max - node->ctx.out->n >= node->max_emits);
    node->ctx.now = now;
}

/* Hot: twice per packet.  This is a macro because each hook has its own type.  Most nodes have one
 * engine. */
#define TELL(NODE, I, HOOK, ...)                                                                   \
    if ((NODE)->layers[I].engine->HOOK) {                                                          \
        uint32_t n_before_ = (NODE)->ctx.out->n;                                                   \
        (NODE)->ctx.first_key = (NODE)->layers[I].first_key;                                       \
        (NODE)->ctx.layer = (I);                                                                   \
        (NODE)->layers[I].engine->HOOK((NODE)->layers[I].state, &(NODE)->ctx, __VA_ARGS__);        \
        assert(answers_hold(NODE, I, n_before_));                                                  \
        (void)n_before_;                                                                           \
    }
#define TELL_EACH(NODE, PORT, HOOK, ...)                                                           \
    if ((NODE)->is_plain) {                                                                        \
        TELL(NODE, 0, HOOK, __VA_ARGS__)                                                           \
        return;                                                                                    \
    }                                                                                              \
    for (uint32_t i_ = 0; i_ < (NODE)->n_layers; i_++) {                                           \
        if (serves(NODE, i_, PORT)) {                                                              \
            TELL(NODE, i_, HOOK, __VA_ARGS__)                                                      \
        }                                                                                          \
    }

static inline bool
serves(const struct weir_node *node, uint32_t layer, uint16_t port)
{
    return weir_scope_has(node->layers[layer].scope, &node->ctx.shape->ports[port]);
}

static inline bool
is_packet(const struct weir_node *node, const struct weir_pkt *pkt)
{
    const struct weir_shape *shape = node->ctx.shape;

    return pkt->in_port < shape->n_ports && pkt->out_port < shape->n_ports &&
           pkt->cls < shape->n_classes && pkt->bytes && pkt->ecn <= WEIR_CE;
}

/* These functions return true if an engine has requested a packet, given the current input and
 * output queues. */

static inline bool
hears_arrived(const struct weir_node *node, const struct weir_pkt *pkt)
{
    uint32_t slot = weir_slot(&node->ctx, pkt->in_port, pkt->cls);

    return weir_node_hears_arrived(node, slot, node->ctx.buffer->slots[slot].in_bytes);
}

static inline bool
hears_left(const struct weir_node *node, const struct weir_pkt *pkt)
{
    uint32_t slot = weir_slot(&node->ctx, pkt->in_port, pkt->cls);

    return weir_node_hears_left(node, slot, node->ctx.buffer->slots[slot].in_bytes);
}

static inline bool
hears_output(const struct weir_node *node, const struct weir_pkt *pkt)
{
    uint32_t slot = weir_slot(&node->ctx, pkt->out_port, pkt->cls);

    return weir_node_hears_output(node, slot, node->ctx.buffer->slots[slot].out_bytes);
}

void
weir_node_arrived(struct weir_node *node, weir_ps now, struct weir_pkt *pkt)
{
    assert(is_packet(node, pkt));
    begin(node, now);
    if (!hears_arrived(node, pkt)) {
        return;
    }
    TELL_EACH(node, pkt->in_port, arrived, pkt);
}

void
weir_node_forwarded(struct weir_node *node, weir_ps now, struct weir_pkt *pkt)
{
    assert(is_packet(node, pkt) && node->ctx.shape->services & WEIR_SERVICE_STAGES);
    begin(node, now);
    if (!hears_left(node, pkt)) {
        return;
    }
    TELL_EACH(node, pkt->in_port, forwarded, pkt);
}

void
weir_node_refused(struct weir_node *node, weir_ps now, struct weir_pkt *pkt)
{
    assert(is_packet(node, pkt) && node->ctx.shape->services & WEIR_SERVICE_STAGES);
    begin(node, now);
    TELL_EACH(node, pkt->in_port, refused, pkt);
}

void
weir_node_queued(struct weir_node *node, weir_ps now, struct weir_pkt *pkt)
{
    assert(is_packet(node, pkt));
    begin(node, now);
    if (!hears_output(node, pkt)) {
        return;
    }
    TELL_EACH(node, pkt->in_port, queued, pkt);
}

void
weir_node_departed(struct weir_node *node, weir_ps now, struct weir_pkt *pkt)
{
    assert(is_packet(node, pkt));
    begin(node, now);
    if (!weir_has_stages(node->ctx.shape) && !hears_left(node, pkt) && !hears_output(node, pkt)) {
        return;
    }
    TELL_EACH(node, pkt->in_port, departed, pkt);
}

/* Routes rarely change, so every engine is called for every packet. */
void
weir_node_moved(struct weir_node *node, weir_ps now, struct weir_pkt *pkt, uint16_t from_port)
{
    assert(is_packet(node, pkt) && from_port < node->ctx.shape->n_ports &&
           !weir_has_stages(node->ctx.shape));
    begin(node, now);
    TELL_EACH(node, pkt->in_port, moved, pkt, from_port);
}

void
weir_node_sent(struct weir_node *node, weir_ps now, struct weir_pkt *pkt)
{
    assert(is_packet(node, pkt) && pkt->flow < node->ctx.shape->n_flows);
    begin(node, now);
    TELL_EACH(node, pkt->in_port, sent, pkt);
}

void
weir_node_link(struct weir_node *node, weir_ps now, uint16_t port, bool up)
{
    assert(port < node->ctx.shape->n_ports);
    begin(node, now);
    TELL_EACH(node, port, link, port, up);
}

bool
weir_node_holds_for(const struct weir_node *node, uint32_t in_slot, uint16_t out_port)
{
    assert(in_slot < weir_n_slots(node->ctx.shape) && out_port < node->ctx.shape->n_ports);
    uint16_t in_port = weir_slot_port(&node->ctx, in_slot);
    bool is_own = in_port == out_port, holds = false;

    for (uint32_t i = 0; i < node->n_layers; i++) {
        const struct weir_engine *engine = node->layers[i].engine;
        holds |= engine->holds_for
                     ? engine->holds_for(node->layers[i].state, &node->ctx, in_slot, out_port)
                     : is_own && engine->limits & WEIR_LIMITS_OF_QUEUES && serves(node, i, in_port);
    }
    return holds;
}

void
weir_node_rebase(struct weir_node *node, weir_ps by_ps)
{
    assert(by_ps >= 0 && !node->ctx.out->n);
    node->ctx.now = weir_rebased(node->ctx.now, by_ps);
    for (uint32_t slot = 0; slot < weir_n_slots(node->ctx.shape); slot++) {
        weir_gate_rebase(&node->ctx.gates[slot], by_ps);
    }
    for (uint32_t i = 0; i < node->n_layers; i++) {
        if (node->layers[i].engine->rebase) {
            node->layers[i].engine->rebase(node->layers[i].state, &node->ctx, by_ps);
        }
    }
}

/* These functions count frames and messages with a port or length out of range. Input from outside
 * is checked in every build. */

void
weir_node_frame(struct weir_node *node, weir_ps now, uint16_t port, const struct weir_frame *f)
{
    begin(node, now);
    if (port >= node->ctx.shape->n_ports || f->len > WEIR_FRAME_MAX) {
        node->n_refused++;
        return;
    }
    uint32_t id = weir_frame_id(f);
    for (uint32_t i = 0; id && i < node->n_layers; i++) {
        if (node->layers[i].frame_id == id && serves(node, i, port)) {
            TELL(node, i, frame, port, f)
            return;
        }
    }
    node->n_strange_frames++;
}

void
weir_node_heard(struct weir_node *node, weir_ps now, uint32_t flow, const struct weir_frame *f)
{
    begin(node, now);
    if (flow >= node->ctx.shape->n_flows || f->len > WEIR_FRAME_MAX) {
        node->n_refused++;
        return;
    }
    uint16_t type = weir_message_type(f);
    for (uint32_t i = 0; type && i < node->n_layers; i++) {
        if (node->needs[i].message_type == type) {
            TELL(node, i, heard, flow, f)
            return;
        }
    }
    node->n_strange_frames++;
}

void
weir_node_timer(struct weir_node *node, weir_ps now, uint32_t key)
{
    uint32_t i = node->n_layers - 1;

    assert(key < node->n_timers);
    while (node->layers[i].first_key > key) {
        i--;
    }
    begin(node, now);
    TELL(node, i, timer, key - node->layers[i].first_key)
}
