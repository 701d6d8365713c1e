/* Scopes: engines that serve only the ports inside or outside a fabric. */

#include <stdlib.h>

#include "plain.h"

/* The fast port is inside the fabric, and has a small buffer. */
static const struct weir_port edge_ports[N_PORTS] = {
    { .rate_bps = 10 * GBPS, .cable_ps = US },
    { .rate_bps = 100 * GBPS, .cable_ps = US / 2, .is_inner = true },
};

static const struct weir_buffer_class edge_classes[N_SLOTS] = {
    { .reserve_bytes = 2000 }, { .reserve_bytes = 400000 }, { .reserve_bytes = 400000 },
    { .reserve_bytes = 2000 }, { .reserve_bytes = 200000 }, { .reserve_bytes = 200000 },
};

static struct weir_shape
edge(void)
{
    struct weir_shape shape = plain;

    shape.ports = edge_ports;
    shape.buffer = (struct weir_buffer_plan){ .size_bytes = 10000000, .ports = edge_classes };
    return shape;
}

static struct weir_stack
outside_and_inside(const char *outside, const char *inside)
{
    struct weir_stack stack = stack_of(outside, inside);

    stack.layers[0].scope = WEIR_AT_OUTER_PORTS;
    stack.layers[1].scope = WEIR_AT_INNER_PORTS;
    return stack;
}

/* The value that an engine derives if 'port' is its only port. */
static uint64_t
derived_alone(const char *engine, uint16_t port, const char *name)
{
    struct weir_stack stack = stack_of(engine, NULL);
    struct weir_shape shape = edge();
    struct weir_text said;

    shape.ports += port;
    shape.n_ports = 1;
    shape.buffer.ports += port * N_CLASSES;
    resolved(&stack, &shape, &said);
    return get(&stack, 0, name);
}

/* Each engine that derives a parameter from the links of its ports, with that parameter. */
static const struct {
    const char *name, *param;
} derived[] = { { "pfc", "xoff" },         { "cbfc", "window" },       { "cbfc", "period" },
                { "gfc-buffer", "b1" },    { "gfc-buffer", "stages" }, { "gfc-time", "period" },
                { "gfc-conceptual", "b0" } };

static void
engines_derive_for_their_ports_alone(void **state)
{
    const struct weir_shape shape = edge();

    (void)state;
    for (size_t i = 0; i < N_OF(derived); i++) {
        struct weir_stack stack = outside_and_inside(derived[i].name, "none");
        struct weir_text said;
        resolved(&stack, &shape, &said);
        assert_int_equal(get(&stack, 0, derived[i].param),
                         derived_alone(derived[i].name, 0, derived[i].param));
    }
}

/* An engine that derives its parameter from the outputs of a port. */

struct of_output {
    uint64_t bytes;
};

static void
of_output_derive(const struct weir_shape *shape, void *params)
{
    uint32_t first = (uint32_t)weir_port_from(shape, 0) * shape->n_classes;

    ((struct of_output *)params)->bytes = shape->buffer.outputs[first + shape->n_classes - 1];
}

static void
ports_derive_from_their_own_outputs(void **state)
{
    static const struct weir_engine engine = {
        .about = { .params_bytes = sizeof(struct of_output) }, .derive = of_output_derive
    };
    static const uint64_t outputs[N_SLOTS] = { 1, 2, 3, 4, 5, 6 };
    struct weir_shape shape = edge();
    struct of_output params = { 0 }, of_port;

    (void)state;
    shape.buffer.outputs = outputs;
    for (uint16_t port = 0; port < N_PORTS; port++) {
        weir_port_params(&engine, &shape, port, &params, &of_port);
        assert_int_equal(of_port.bytes, outputs[port * N_CLASSES + N_CLASSES - 1]);
    }
}

static void
an_engine_without_ports_is_taken_out(void **state)
{
    struct weir_stack stack = outside_and_inside("pfc", "cbfc");
    struct weir_text said;

    (void)state;
    resolved(&stack, &plain, &said);
    assert_int_equal(stack.n, 1);
    assert_string_equal(stack.layers[0].engine->about.name, "pfc");
    assert_int_equal(stack.layers[0].scope, WEIR_AT_ALL_PORTS);
}

static void
two_may_limit_alike_where_they_do_not_meet(void **state)
{
    const struct weir_shape shape = edge();
    struct weir_stack stack = outside_and_inside("pfc", "pfc");
    struct weir_text said;

    (void)state;
    set(&stack, 1, "xoff", "5000B");
    resolved(&stack, &shape, &said);
    assert_int_equal(get(&stack, 1, "xoff"), 5000);
    stack = outside_and_inside("pfc", "pfc");
    stack.layers[1].scope = WEIR_AT_ALL_PORTS;
    assert_non_null(strstr(refused(&stack, &shape).s, "limit the same queues"));
}

static void
engines_of_whole_nodes_are_refused(void **state)
{
    const struct weir_shape shape = edge();
    const char *const of_nodes[] = { "capfc", "ttl", "ecn", "qcn" };

    (void)state;
    for (size_t i = 0; i < N_OF(of_nodes); i++) {
        struct weir_stack stack = outside_and_inside(of_nodes[i], "cbfc");
        assert_non_null(strstr(refused(&stack, &shape).s, "serves all ports of a node together"));
    }
}

struct fixture { /* A node with all memory that a host must provide. */
    struct weir_shape shape;
    struct weir_stack stack;
    struct weir_needs needs;
    struct weir_buffer buffer;
    struct weir_buffer_slot slots[N_SLOTS];
    struct weir_outbox out;
    void *memory;
    struct weir_node node;
};

static void
start(struct fixture *f, const char *outside, const char *inside)
{
    struct weir_text said;

    f->shape = edge();
    f->stack = outside_and_inside(outside, inside);
    f->needs = resolved(&f->stack, &f->shape, &said);
    weir_buffer_init(&f->buffer, &f->shape.buffer, N_PORTS, N_CLASSES, f->slots);
    f->out = (struct weir_outbox){ .max = f->needs.max_emits };
    f->out.emits = calloc(f->out.max + 1, sizeof *f->out.emits);
    f->memory = aligned_alloc(WEIR_MEMORY_ALIGN, f->needs.state_bytes);
    weir_node_init(&f->node, &f->stack, &f->shape, &f->buffer, &f->out, f->memory, 5 * US);
}

static void
stop(struct fixture *f)
{
    free(f->memory);
    free(f->out.emits);
}

/* Fills the memory of a port for class 1, and returns whether the engine sends a frame because of
 * the last packet. */
static bool
is_answered(struct fixture *f, uint16_t port)
{
    struct weir_pkt pkt = { .bytes = 1500, .in_port = port, .out_port = port, .cls = 1 };
    uint32_t slot = port * N_CLASSES + 1u;

    f->out.n = 0;
    while (weir_buffer_admit(&f->buffer, slot, slot, pkt.bytes) == WEIR_ADMITTED) {
    }
    weir_node_arrived(&f->node, 6 * US, &pkt);
    bool is_frame = f->out.n && f->out.emits[0].kind == WEIR_FRAME;
    assert_true(!is_frame || f->out.emits[0].key == port);
    return is_frame;
}

static void
packets_are_told_where_they_came_in(void **state)
{
    struct fixture f;

    (void)state;
    start(&f, "pfc", "none");
    assert_true(is_answered(&f, 0));
    assert_false(is_answered(&f, 1));
    stop(&f);
    start(&f, "none", "pfc");
    assert_false(is_answered(&f, 0));
    assert_true(is_answered(&f, 1));
    stop(&f);
}

static void
frames_are_told_where_they_came_in(void **state)
{
    struct weir_class_frame c = { .opcode = WEIR_OPCODE_PFC, .enable = 1 << 1, .values = { 0, 9 } };
    struct weir_frame pause;
    struct fixture f;

    (void)state;
    weir_class_frame_encode(&c, &pause);
    start(&f, "pfc", "cbfc");
    f.out.n = 0;
    weir_node_frame(&f.node, 6 * US, 1, &pause);
    assert_int_equal(f.node.n_strange_frames, 1);
    assert_int_equal(f.out.n, 0);
    weir_node_frame(&f.node, 6 * US, 0, &pause);
    assert_int_equal(f.node.n_strange_frames, 1);
    assert_int_equal(f.out.emits[0].kind, WEIR_GATE);
    stop(&f);
}

/* Credits are sent only to inner peers, and expected only from them. */
static void
only_served_ports_begin(void **state)
{
    struct fixture f;

    (void)state;
    start(&f, "none", "cbfc");
    assert_true(f.out.n > 0);
    for (uint32_t i = 0; i < f.out.n; i++) {
        const struct weir_emit *e = &f.out.emits[i];
        assert_true(e->kind != WEIR_FRAME || e->key == 1);
        assert_true(e->kind != WEIR_GATE || e->key / N_CLASSES == 1);
    }
    assert_int_equal(f.node.ctx.gates[1].limit_bytes, WEIR_UNLIMITED);
    f.out.n = 0;
    weir_node_link(&f.node, 7 * US, 0, false);
    assert_int_equal(f.out.n, 0);
    stop(&f);
}

static void
deadlocks_are_asked_of_who_serves(void **state)
{
    struct fixture f;

    (void)state;
    start(&f, "pfc", "none");
    assert_true(weir_node_holds_for(&f.node, 1, 0));
    assert_false(weir_node_holds_for(&f.node, N_CLASSES + 1, 1));
    stop(&f);
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(engines_derive_for_their_ports_alone),
        cmocka_unit_test(ports_derive_from_their_own_outputs),
        cmocka_unit_test(an_engine_without_ports_is_taken_out),
        cmocka_unit_test(two_may_limit_alike_where_they_do_not_meet),
        cmocka_unit_test(engines_of_whole_nodes_are_refused),
        cmocka_unit_test(packets_are_told_where_they_came_in),
        cmocka_unit_test(frames_are_told_where_they_came_in),
        cmocka_unit_test(only_served_ports_begin),
        cmocka_unit_test(deadlocks_are_asked_of_who_serves),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
