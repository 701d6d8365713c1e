/* Derived thresholds of CaPFC's outputs: the highest one that leaves room for all bytes that can
 * arrive, at switches with different links, and a warning if there is no such threshold. */

#include <string.h>

#include "unit.h"
#include "weir/node.h"

enum { N_PORTS = 4 };

struct site {
    struct weir_port ports[N_PORTS];
    struct weir_shape shape;
};

static void
draw_site(struct site *s, uint64_t *random)
{
    static const uint64_t rates_gbps[] = { 1, 10, 25, 100 };

    for (int i = 0; i < N_PORTS; i++) {
        s->ports[i] = (struct weir_port){ .rate_bps = rates_gbps[below(random, 4)] * GBPS,
                                          .cable_ps = (weir_ps)below(random, 5 * US) };
    }
    s->shape = (struct weir_shape){
        .ports = s->ports,
        .n_ports = N_PORTS,
        .n_classes = 2,
        .lossless = 2,
        .mtu_bytes = (uint32_t)(256 + below(random, 9000)),
        .gap_bytes = 20,
        .response_ps = (weir_ps)below(random, 5 * US),
        .services = WEIR_SERVICE_STAGES,
        .pipeline_ps = (weir_ps)below(random, 30 * US),
        .pipeline_pps = below(random, 2) ? 0 : 1000000 + below(random, 10000000000),
        .buffer = { .size_bytes = 16000000,
                    .classes = { { 0 }, { .reserve_bytes = 1000000 } },
                    .output_bytes = { 1, 100000 + below(random, 3000000) } },
    };
}

/* The bytes that PFC lets an input hold at the XOFF that its own link leaves: all of the input's
 * room. */
enum { MOST_WAITING = 1000000 };

/* The bytes that all other inputs may bring to an output, each over its own link.  If the pipeline
 * takes an input's shortest packets more slowly than they arrive, all bytes that wait at the input
 * arrive as well, and no time for other inputs' turns is added. */
static uint64_t
brought_to(const struct weir_shape *shape, uint16_t out, uint64_t n_more)
{
    struct weir_capfc_output o = { .n_inputs = N_PORTS - 1,
                                   .n_before = N_PORTS - 1,
                                   .pipeline_ps = shape->pipeline_ps,
                                   .pipeline_pps = shape->pipeline_pps,
                                   .mixes_lengths = true };
    uint64_t sum = n_more * shape->mtu_bytes;

    for (uint16_t port = 0; port < N_PORTS; port++) {
        struct weir_link link = weir_shape_link(shape, port);
        uint64_t tau = (uint64_t)weir_wire_ps(64 + 20, link.rate_bps), pps = o.pipeline_pps;
        bool waits = pps && N_PORTS * (((uint64_t)WEIR_PS_PER_S + pps - 1) / pps) > tau;
        struct weir_capfc_output here = o;
        here.n_before = waits ? 0 : here.n_before;
        sum += port == out ? 0 : weir_capfc_input_bytes(&link, &here) + (waits ? MOST_WAITING : 0);
    }
    return sum;
}

static struct weir_stack
stack_with(const char *stop, const char *name, const char *value, uint64_t xoff)
{
    struct weir_stack stack = { 0 };
    struct weir_text why = { 0 };

    assert_true(weir_stack_add(&stack, weir_engine_find("capfc")));
    assert_true(weir_stack_set(&stack, 0, "stop", stop, &why));
    assert_true(weir_stack_set(&stack, 0, name, value, &why));
    weir_field_set(weir_field_find(stack.layers[0].engine->about.params, "egress_xoff"),
                   stack.layers[0].params, xoff);
    return stack;
}

static bool
is_told(struct weir_stack *stack, const struct weir_shape *shape, const char *what)
{
    struct weir_needs needs;
    struct weir_text said = { 0 };

    assert_true(weir_stack_resolve(stack, shape, &needs, &said));
    return strstr(said.s, what);
}

static bool
is_warned(struct weir_stack *stack, const struct weir_shape *shape)
{
    return is_told(stack, shape, "packets may be lost at an output");
}

/* The XOFF that an output gets. */
static uint64_t
xoff_at(const struct weir_stack *stack, const struct weir_shape *shape, uint16_t port)
{
    const struct weir_engine *e = stack->layers[0].engine;
    uint64_t of_port[WEIR_PARAMS_MAX / sizeof(uint64_t)];

    weir_port_params(e, shape, port, stack->layers[0].params, of_port);
    return weir_field_get(weir_field_find(e->about.params, "egress_xoff"), of_port);
}

/* Readings of the paper for which a bound exists; 'n_more' packets arrive while inputs are paused
 * one by one. */
static const struct reading {
    const char *stop, *name, *value;
    uint64_t n_more;
} bounded[] = {
    { "calibrate", "cut", "1", 0 },
    { "max", "again", "yes", N_PORTS - 1 },
};

static void
derive_the_highest(const struct reading *r)
{
    uint64_t random = 17;
    uint32_t n_fits = 0, n_runs = 1000;

    for (uint32_t k = 0; k < n_runs; k++) {
        struct site s;
        draw_site(&s, &random);
        struct weir_stack stack = stack_with(r->stop, r->name, r->value, WEIR_AUTO);
        uint64_t room = s.shape.buffer.output_bytes[1], lowest = UINT64_MAX;
        bool is_due = is_warned(&stack, &s.shape), all_fit = true;
        for (uint16_t out = 0; out < N_PORTS; out++) {
            uint64_t come = brought_to(&s.shape, out, r->n_more),
                     xoff = xoff_at(&stack, &s.shape, out);
            bool fits = room + 1 >= come + 3 * (uint64_t)s.shape.mtu_bytes;
            assert_int_equal(xoff, fits ? room + 1 - come : room * 5 / 12);
            lowest = xoff < lowest ? xoff : lowest;
            all_fit &= fits;
        }
        assert_int_equal(is_due, !all_fit);
        stack = stack_with(r->stop, r->name, r->value, lowest + 1);
        assert_true(is_warned(&stack, &s.shape));
        n_fits += all_fit;
    }
    assert_in_range(n_fits, n_runs / 10, n_runs * 9 / 10);
}

static void
readings_with_a_bound_derive_the_highest(void **state)
{
    (void)state;
    for (size_t i = 0; i < N_OF(bounded); i++) {
        derive_the_highest(&bounded[i]);
    }
}

/* With the other readings no room is enough, because an input that was paused long ago hides the
 * others. */
static void
other_readings_have_none(void **state)
{
    struct weir_stack literal = stack_with("max", "again", "no", 30000);
    struct weir_stack most = stack_with("calibrate", "cut", "0.99", 30000);
    uint64_t random = 18;
    struct site s;

    (void)state;
    draw_site(&s, &random);
    s.shape.buffer.output_bytes[1] = WEIR_MAX_BYTES;
    assert_true(is_warned(&literal, &s.shape) && is_warned(&most, &s.shape));
    assert_true(is_told(&literal, &s.shape, "again: yes has a bound"));
    assert_true(is_told(&most, &s.shape, "cut: 1 has a bound"));
    s.shape.n_ports = 2; /* With one input, no packets of another input can be overlooked. */
    assert_false(is_warned(&literal, &s.shape) || is_warned(&most, &s.shape));
}

/* Four classes share 800 KB of a port: each is sure of 200 KB, but one queue alone can have all 800
 * KB. */
static void
a_queue_may_fill_the_limit_of_its_port(void **state)
{
    struct weir_stack within = stack_with("calibrate", "cut", "1", 300000);
    struct weir_stack beyond = stack_with("calibrate", "cut", "1", 900000);
    uint64_t random = 19;
    struct site s;

    (void)state;
    draw_site(&s, &random);
    s.shape.n_classes = 4;
    s.shape.lossless = 0xf;
    s.shape.buffer.output_bytes[0] = s.shape.buffer.output_bytes[1] = 0;
    s.shape.buffer.output_port_bytes = 800000;
    for (int cls = 0; cls < 4; cls++) {
        s.shape.buffer.classes[cls].reserve_bytes = 1000000;
    }
    assert_false(is_told(&within, &s.shape, "no queue gets there"));
    assert_true(is_told(&within, &s.shape,
                        "room for 200KB of a class if others fill their part of the port"));
    assert_true(is_told(&beyond, &s.shape,
                        "egress_xoff is 900KB, but an output has room for 800KB: no queue gets"));
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(readings_with_a_bound_derive_the_highest),
        cmocka_unit_test(other_readings_have_none),
        cmocka_unit_test(a_queue_may_fill_the_limit_of_its_port),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
