/* Warnings about engines that share a node, before a run: no engine sees the parameters of
 * another. */

#include "run/config-warnings.h"

bool
warnings_is_left_out(const struct scenario *s, const struct weir_field *field)
{
    bool is_set = false;

    for (size_t i = 0; i < s->n_origins; i++) {
        is_set |= s->origins[i].of == field;
    }
    return field && !is_set;
}

uint64_t
warnings_param(const struct weir_stack *stack, const struct weir_shape *shape, uint16_t port,
               const char *name)
{
    uint64_t value = 0, of_port[WEIR_PARAMS_MAX / sizeof(uint64_t)];

    for (uint32_t i = 0; i < stack->n; i++) {
        const struct weir_engine *engine = stack->layers[i].engine;
        const struct weir_field *field = weir_field_find(engine->about.params, name);
        if (field) {
            weir_port_params(engine, shape, port, stack->layers[i].params, of_port);
            value = weir_field_get(field, of_port);
        }
    }
    return value == WEIR_AUTO ? 0 : value;
}

/* Checks that engines which pause peers and may still lose packets have a last resort. */

static const struct weir_engine *
needy_of(const struct weir_stack *stack)
{
    const struct weir_engine *needy = NULL;

    for (uint32_t i = 0; i < stack->n && !needy; i++) {
        const struct weir_engine *engine = stack->layers[i].engine;
        needy = engine->needs_last_resort ? engine : NULL;
    }
    return needy;
}

static bool
has_last_resort(const struct weir_stack *stack)
{
    bool has = false;

    for (uint32_t i = 0; i < stack->n; i++) {
        const struct weir_engine *engine = stack->layers[i].engine;
        has |= engine->limits & WEIR_LIMITS_OF_QUEUES && !engine->needs_last_resort;
    }
    return has;
}

/* Thresholds at which engines of last resort stop a peer. Each function returns 0 if the stack does
 * not use its kind of threshold. */

static uint64_t
static_xoff(const struct weir_stack *stack, const struct weir_shape *shape, uint16_t port)
{
    return warnings_param(stack, shape, port, "threshold")
               ? 0
               : warnings_param(stack, shape, port, "xoff");
}

static uint64_t
egress_xoff(const struct weir_stack *stack, const struct weir_shape *shape, uint16_t port)
{
    return warnings_param(stack, shape, port, "egress_xoff");
}

/* The bytes that all queues of a node share. */
static uint64_t
shared_bytes(const struct weir_shape *shape)
{
    uint64_t shared = shape->buffer.size_bytes;

    for (uint32_t slot = 0; slot < weir_n_slots(shape); slot++) {
        const struct weir_buffer_class *c =
            weir_plan_class(&shape->buffer, shape->n_classes, (uint16_t)(slot / shape->n_classes),
                            (uint8_t)(slot % shape->n_classes));
        shared -= c->reserve_bytes + c->headroom_bytes;
    }
    return shared;
}

/* The dynamic threshold for a queue that is alone in the buffer: it is paused when it holds alpha
 * times the remaining shared buffer. */
static uint64_t
dynamic_xoff(const struct weir_stack *stack, const struct weir_shape *shape, uint16_t port)
{
    uint64_t shared = shared_bytes(shape), least = UINT64_MAX;

    for (uint8_t cls = 0; cls < shape->n_classes; cls++) {
        const struct weir_buffer_class *c =
            weir_plan_class(&shape->buffer, shape->n_classes, port, cls);
        uint64_t limit =
            c->alpha ? weir_mul_div(shared, c->alpha, WEIR_RATIO_1 + c->alpha) : c->limit_bytes;
        uint64_t here = c->reserve_bytes + (limit < shared ? limit : shared);
        least = weir_is_lossless(shape, cls) && here < least ? here : least;
    }
    return warnings_param(stack, shape, port, "threshold") ? least : 0;
}

static uint64_t
most_credit(const struct weir_stack *stack, const struct weir_shape *shape, uint16_t port)
{
    return weir_stack_limits(stack) & WEIR_LIMIT_CREDIT ? weir_shape_room_at(shape, port) : 0;
}

static const struct stop {
    uint64_t (*at)(const struct weir_stack *, const struct weir_shape *, uint16_t port);
    const char *what, *remedy;
} stops[] = {
    { static_xoff, "a peer is paused at an xoff of", "Set xoff higher" },
    { dynamic_xoff, "under a dynamic threshold a peer is paused, at the latest, at",
      "Set switch.alpha or switch.shared higher" },
    { egress_xoff, "inputs of an output are paused at an egress_xoff of",
      "Set egress_xoff higher" },
    { most_credit, "a peer has credit for no more than", "Set switch.buffer higher" },
};

/* Compares FAFC's threshold at the output of a port with the threshold that stops the peer at an
 * input of the same speed. */
static void
write_what_acts_first(const struct weir_stack *stack, const struct weir_shape *shape, uint16_t port,
                      const char *engine, struct weir_text *text)
{
    uint64_t pause = warnings_param(stack, shape, port, "th_p");

    for (size_t i = 0; i < sizeof stops / sizeof *stops && !text->len; i++) {
        uint64_t at = stops[i].at(stack, shape, port);
        if (at && at < pause) {
            weir_text_add(text,
                          "%P is %B, but %s %B, which stops a single sender before %s acts. "
                          "%s, or th_p lower",
                          "th_p", pause, stops[i].what, at, engine, stops[i].remedy);
        }
    }
}

static void
write_last_resort(const struct weir_stack *stack, const struct weir_shape *shape,
                  const char *engine, struct weir_text *text)
{
    if (!weir_n_lossless(shape)) {
        weir_text_add(text,
                      "%s has no effect: it serves lossless classes, and wire.lossless has "
                      "none",
                      engine);
    } else if (!has_last_resort(stack)) {
        weir_text_add(text,
                      "%s alone is not lossless: it pauses inputs above a th_p of %B, but an input "
                      "may still exceed its %B, and packets are then dropped. Use "
                      "engine: [pfc, %s].",
                      engine, warnings_param(stack, shape, 0, "th_p"), weir_shape_room_at(shape, 0),
                      engine);
    } else {
        for (uint16_t port = 0; port < shape->n_ports && !text->len; port++) {
            write_what_acts_first(stack, shape, port, engine, text);
        }
    }
}

/* Adds the location of the engine's parameter in the scenario, or else that of the choice of
 * engines. */
static void
add_place(const struct scenario *s, const struct model *p, uint32_t node,
          const struct weir_field *field, const struct weir_text *said, struct weir_text *text)
{
    char place[SCN_PLACE_BYTES];

    scn_write_place(s, field, s->role_of[node], place);
    if (!place[0]) {
        scn_write_engine_place(s, s->role_of[node], place);
    }
    weir_text_add(text, "%s%s: %s", place, p->topo->nodes[node].name, said->s);
}

void
warnings_of_last_resort(const struct scenario *s, const struct model *p, struct weir_text *text)
{
    for (size_t i = 0; i < p->n_engines && !text->len; i++) {
        const struct model_engines *e = &p->engines[i];
        const struct weir_engine *needy = needy_of(&e->stack);
        struct weir_text said = { 0 };
        if (needy && e->shape.tier) {
            write_last_resort(&e->stack, &e->shape, needy->about.name, &said);
        }
        if (said.len) {
            add_place(s, p, e->first_node, weir_field_find(needy->about.params, said.params[0]),
                      &said, text);
        }
    }
}

/* Warns if a stack has two engines that mark packets: one is enough. */
void
warnings_of_marks_twice(const struct scenario *s, const struct model *p, struct weir_text *text)
{
    for (uint32_t i = 0; i < p->topo->n_nodes && !text->len; i++) {
        const struct weir_stack *stack = model_stack_at(p, i);
        const char *first = NULL, *second = NULL;
        for (uint32_t k = 0; k < stack->n; k++) {
            const struct weir_engine *engine = stack->layers[k].engine;
            second = engine->marks && first ? engine->about.name : second;
            first = engine->marks && !first ? engine->about.name : first;
        }
        struct weir_text said = { 0 };
        if (second && model_shape_like(p, i)->tier) {
            weir_text_add(
                &said,
                "%s and %s both mark packets, each by thresholds of its own: senders slow "
                "down by whichever comes first. Use one of them",
                first, second);
            add_place(s, p, i, NULL, &said, text);
        }
    }
}

/* Warns if engines ask senders to slow down, but no sender has congestion control. */
void
warnings_of_slowing(const struct scenario *s, const struct model *p, struct weir_text *text)
{
    bool asks = false, heeds = false;
    const struct weir_field *slow = NULL;

    for (size_t i = 0; i < p->n_engines; i++) {
        const struct weir_engine *needy = needy_of(&p->engines[i].stack);
        asks |= p->engines[i].needs.services & WEIR_SERVICE_SLOWING;
        slow = needy ? weir_field_find(needy->about.params, "slow") : slow;
    }
    for (uint32_t i = 0; i < p->n_flows; i++) {
        heeds |= p->flows[i].terms->transport && p->flows[i].terms->transport->slowed;
    }
    if (asks && !heeds && p->n_flows && !warnings_is_left_out(s, slow)) {
        char place[SCN_PLACE_BYTES];
        scn_write_place(s, slow, 0, place);
        weir_text_add(text, "%sslow has no effect: %s has no rate or window that could be reduced",
                      place, p->flows[0].terms->transport->about.name);
    }
}
