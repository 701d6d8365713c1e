/* The node that most tests use, and short helpers to put engines on it. */

#ifndef TESTS_UNIT_PLAIN_H
#define TESTS_UNIT_PLAIN_H

#include "unit.h"
#include "weir/node.h"

/* A switch with a slow and a fast port; of three classes the last two are lossless. */

enum { N_PORTS = 2, N_CLASSES = 3, N_SLOTS = N_PORTS * N_CLASSES };

static const struct weir_port two_ports[N_PORTS] = {
    { .rate_bps = 10 * GBPS, .cable_ps = US },
    { .rate_bps = 100 * GBPS, .cable_ps = US / 2 },
};

static const struct weir_shape plain = {
    .ports = two_ports,
    .n_ports = N_PORTS,
    .n_classes = N_CLASSES,
    .lossless = 0x6,
    .mtu_bytes = 1500,
    .gap_bytes = 20,
    .response_ps = 3 * US,
    .node_id = 7,
    .buffer = { .size_bytes = 10000000,
                .classes = { { .limit_bytes = 50000 },
                             { .reserve_bytes = 2000000 },
                             { .reserve_bytes = 2000000 } } },
};

static inline struct weir_stack
stack_of(const char *first, const char *second)
{
    struct weir_stack stack = { 0 };

    assert_true(weir_stack_add(&stack, weir_engine_find(first)));
    if (second) {
        assert_true(weir_stack_add(&stack, weir_engine_find(second)));
    }
    return stack;
}

static inline void
set(struct weir_stack *stack, uint32_t layer, const char *name, const char *value)
{
    struct weir_text why = { 0 };
    if (!weir_stack_set(stack, layer, name, value, &why)) {
        fail_msg("%s", why.s);
    }
}

static inline uint64_t
get(const struct weir_stack *stack, uint32_t layer, const char *name)
{
    const struct weir_field *f = weir_field_find(stack->layers[layer].engine->about.params, name);
    assert_non_null(f);
    return weir_field_get(f, stack->layers[layer].params);
}

static inline struct weir_needs
resolved(struct weir_stack *stack, const struct weir_shape *shape, struct weir_text *said)
{
    struct weir_needs needs;

    *said = (struct weir_text){ 0 };
    if (!weir_stack_resolve(stack, shape, &needs, said)) {
        fail_msg("%s", said->s);
    }
    return needs;
}

static inline struct weir_text
refused(struct weir_stack *stack, const struct weir_shape *shape)
{
    struct weir_text why = { 0 };
    struct weir_needs needs;

    assert_false(weir_stack_resolve(stack, shape, &needs, &why));
    assert_true(why.len > 0);
    return why;
}

#endif
