/* Stacks: engines are put together; their parameters are read, derived, and checked against a
 * node. */

#include "plain.h"

/* Parameters that are set. */

static void
a_stack_takes_so_many_engines(void **state)
{
    struct weir_stack stack = { 0 };

    (void)state;
    for (uint32_t i = 0; i < WEIR_MAX_ENGINES; i++) {
        assert_true(weir_stack_add(&stack, weir_engine_find("none")));
    }
    assert_false(weir_stack_add(&stack, weir_engine_find("none")));
    assert_int_equal(stack.n, WEIR_MAX_ENGINES);
}

static void
a_stack_starts_with_the_defaults(void **state)
{
    struct weir_stack stack = stack_of("ecn", "pfc");

    (void)state;
    assert_int_equal(get(&stack, 0, "pmax"), WEIR_RATIO_1 / 5);
    assert_int_equal(get(&stack, 1, "quanta"), 0xffff);
    assert_int_equal(get(&stack, 1, "xoff"), WEIR_AUTO);
}

static void
parameters_are_set_from_text(void **state)
{
    struct weir_stack stack = stack_of("ecn", "pfc");

    (void)state;
    set(&stack, 1, "xoff", "800KB");
    set(&stack, 0, "at", "queued");
    set(&stack, 1, "threshold", "dynamic");
    assert_int_equal(get(&stack, 1, "xoff"), 800000);
    assert_int_equal(get(&stack, 0, "at"), 1);
    assert_int_equal(get(&stack, 1, "threshold"), 1);
    set(&stack, 1, "xoff", "auto");
    assert_int_equal(get(&stack, 1, "xoff"), WEIR_AUTO);
}

static const struct {
    const char *name, *value, *said[3];
} bad_settings[] = {
    { "xof", "800KB", { "pfc", "'xof'" } },
    { "", "800KB", { "pfc", "''" } },
    { "xoff", "800", { "xoff", "'800'", "800KB" } },
    { "xoff", "", { "xoff", "''", "a size" } },
    { "xoff", "63B", { "xoff is 63B", "64B", "4000MB" } },
    { "xoff", "5GB", { "xoff is 5000MB", "64B", "4000MB" } },
    { "quanta", "1", { "quanta is 1", "2", "65535" } },
    { "quanta", "65536", { "quanta is 65536", "2", "65535" } },
    { "quanta", "auto", { "quanta", "'auto'", "a whole number" } },
    { "threshold", "fixed", { "threshold", "'fixed'", "static or dynamic" } },
};

static void
bad_settings_are_refused_and_change_nothing(void **state)
{
    (void)state;
    for (size_t i = 0; i < N_OF(bad_settings); i++) {
        struct weir_stack stack = stack_of("pfc", NULL), before = stack;
        struct weir_text why = { 0 };
        assert_false(weir_stack_set(&stack, 0, bad_settings[i].name, bad_settings[i].value, &why));
        for (size_t k = 0; k < 3 && bad_settings[i].said[k]; k++) {
            assert_says(why.s, bad_settings[i].said[k]);
        }
        assert_memory_equal(&stack, &before, sizeof stack);
    }
}

static void
resolve_refuses_what_came_in_past_the_text(void **state)
{
    struct weir_stack stack = stack_of("pfc", NULL);

    (void)state;
    weir_field_set(weir_field_find(stack.layers[0].engine->about.params, "quanta"),
                   stack.layers[0].params, 70000);
    struct weir_text why = refused(&stack, &plain);
    assert_says(why.s, "pfc: quanta is 70000");
    assert_says(why.s, "65535");
}

/* Shapes of nodes. */

static void
assert_shape_refused(const struct weir_shape *shape, const char *part)
{
    struct weir_stack stack = stack_of("none", NULL);
    struct weir_text why = refused(&stack, shape);
    assert_says(why.s, part);
}

static void
impossible_shapes_are_refused(void **state)
{
    struct weir_shape s = plain;

    (void)state;
    s.n_ports = 0;
    assert_shape_refused(&s, "not 0 and 3");
    s = plain, s.n_classes = 0;
    assert_shape_refused(&s, "not 2 and 0");
    s = plain, s.n_classes = WEIR_MAX_CLASSES + 1;
    assert_shape_refused(&s, "not 2 and 9");
    s = plain, s.mtu_bytes = 63;
    assert_shape_refused(&s, "63B");
    s = plain, s.buffer.size_bytes = 7999999;
    assert_shape_refused(&s, "1B too much");
}

static void
impossible_rates_are_refused(void **state)
{
    const uint64_t rates[] = { 0, 999, 100 * (uint64_t)WEIR_PS_PER_S + 1 };
    const char *const said[] = { "port 1 is 0bps", "port 1 is 999bps", "port 1 is" };

    (void)state;
    for (size_t i = 0; i < N_OF(rates); i++) {
        struct weir_port ports[N_PORTS] = { two_ports[0], { .rate_bps = rates[i] } };
        struct weir_shape s = plain;
        s.ports = ports;
        assert_shape_refused(&s, said[i]);
    }
}

/* Several engines at one node. */

static void
needs_are_summed(void **state)
{
    const char *const pairs[][2] = { { "pfc", "cbfc" },
                                     { "ecn", "gfc-buffer" },
                                     { "gfc-time", "ecn" } };
    struct weir_text said;

    (void)state;
    for (size_t i = 0; i < N_OF(pairs); i++) {
        struct weir_stack nothing = { 0 }, a = stack_of(pairs[i][0], NULL);
        struct weir_stack b = stack_of(pairs[i][1], NULL),
                          both = stack_of(pairs[i][0], pairs[i][1]);
        size_t gates = resolved(&nothing, &plain, &said).state_bytes;
        /* If there are several engines, each has trip wires in addition to the node's. */
        size_t wires = 2 * N_SLOTS * sizeof(struct weir_trip);
        struct weir_needs x = resolved(&a, &plain, &said), y = resolved(&b, &plain, &said);
        struct weir_needs sum = resolved(&both, &plain, &said);
        assert_true(gates >= N_SLOTS * sizeof(struct weir_gate));
        assert_in_range(sum.state_bytes, x.state_bytes + y.state_bytes - gates + wires,
                        x.state_bytes + y.state_bytes - gates + wires + WEIR_MEMORY_ALIGN);
        assert_int_equal(sum.state_bytes % WEIR_MEMORY_ALIGN, 0);
        assert_int_equal(sum.n_timers, x.n_timers + y.n_timers);
        assert_int_equal(sum.max_emits, x.max_emits + y.max_emits);
    }
}

static void
two_hands_on_one_limit_are_refused(void **state)
{
    const char *const pairs[][3] = {
        { "pfc", "pfc", "pfc and pfc" },
        { "cbfc", "gfc-time", "cbfc and gfc-time" },
        { "gfc-buffer", "gfc-conceptual", "gfc-buffer and gfc-conceptual" },
        { "gfc-time", "gfc-buffer", "gfc-time and gfc-buffer" },
    };

    (void)state;
    for (size_t i = 0; i < N_OF(pairs); i++) {
        struct weir_stack stack = stack_of(pairs[i][0], pairs[i][1]);
        struct weir_text why = refused(&stack, &plain);
        assert_says(why.s, pairs[i][2]);
    }
}

static void
two_readers_of_one_frame_are_refused(void **state)
{
    struct weir_stack stack = stack_of("pfc", "gfc-buffer");
    struct weir_text said;

    (void)state;
    resolved(&stack, &plain, &said); /* By default the opcodes differ, so there is no clash. */
    set(&stack, 1, "opcode", "0x0101");
    said = refused(&stack, &plain);
    assert_says(said.s, "pfc and gfc-buffer");
    assert_says(said.s, "frames");
}

/* The plain node, but with equal ports. */
static const struct weir_port slow_ports[N_PORTS] = { { .rate_bps = 10 * GBPS, .cable_ps = US },
                                                      { .rate_bps = 10 * GBPS, .cable_ps = US } };

static struct weir_shape
alike(void)
{
    struct weir_shape shape = plain;

    shape.ports = slow_ports;
    return shape;
}

static void
warnings_stand_one_a_line(void **state)
{
    const struct weir_shape shape = alike();
    struct weir_stack stack = stack_of("pfc", "cbfc");
    struct weir_text said;

    (void)state;
    set(&stack, 0, "xoff", "1.999MB");
    set(&stack, 1, "window", "2.001MB");
    resolved(&stack, &shape, &said);
    char *second = strchr(said.s, '\n');
    assert_non_null(second);
    assert_null(strchr(second + 1, '\n'));
    assert_int_equal(strncmp(said.s, "pfc: ", 5), 0);
    assert_int_equal(strncmp(second + 1, "cbfc: ", 6), 0);
}

static void
a_clash_stands_on_a_line_of_its_own(void **state)
{
    const struct weir_shape shape = alike();
    struct weir_stack stack = stack_of("pfc", "pfc");

    (void)state;
    set(&stack, 0, "xoff", "1.999MB"); /* This value alone causes a warning. */
    struct weir_text why = refused(&stack, &shape);
    assert_says(why.s, "pfc: headroom is");
    assert_says(why.s, "\npfc and pfc");
}

/* Parameters that are derived. */

/* The value of a parameter at one port. */
static uint64_t
get_at(const struct weir_stack *s, const struct weir_shape *shape, uint16_t port, const char *name)
{
    const struct weir_engine *e = s->layers[0].engine;
    uint64_t of_port[WEIR_PARAMS_MAX / sizeof(uint64_t)];

    weir_port_params(e, shape, port, s->layers[0].params, of_port);
    return weir_field_get(weir_field_find(e->about.params, name), of_port);
}

static void
assert_pfc_bound(const struct weir_stack *s, const struct weir_shape *shape)
{
    for (uint16_t port = 0; port < shape->n_ports; port++) {
        struct weir_link l = weir_shape_link(shape, port);
        uint64_t xoff = get_at(s, shape, port, "xoff");
        assert_int_equal(xoff + weir_pfc_headroom_bytes(&l) + shape->mtu_bytes,
                         weir_shape_room_at(shape, port));
        assert_true(get_at(s, shape, port, "xon") < xoff);
    }
}

static void
assert_cbfc_bound(const struct weir_stack *s, const struct weir_shape *shape)
{
    for (uint16_t port = 0; port < shape->n_ports; port++) {
        uint64_t rate = shape->ports[port].rate_bps, window = get_at(s, shape, port, "window");
        assert_int_equal(window, weir_shape_room_at(shape, port));
        assert_true(window >= shape->mtu_bytes);
        assert_int_equal(get_at(s, shape, port, "period"), weir_credit_period_ps(rate));
    }
}

static void
assert_bm_fits(const struct weir_stack *s, const struct weir_shape *shape)
{
    for (uint16_t port = 0; port < shape->n_ports; port++) {
        assert_int_equal(get_at(s, shape, port, "bm") + 2 * shape->mtu_bytes,
                         weir_shape_room_at(shape, port));
    }
}

static void
assert_gfc_conceptual_bound(const struct weir_stack *s, const struct weir_shape *shape)
{
    assert_bm_fits(s, shape);
    for (uint16_t port = 0; port < shape->n_ports; port++) {
        struct weir_link l = weir_shape_link(shape, port);
        assert_int_equal(get_at(s, shape, port, "b0") + weir_gfc_conceptual_room_bytes(&l),
                         get_at(s, shape, port, "bm"));
    }
}

static void
assert_gfc_buffer_bound(const struct weir_stack *s, const struct weir_shape *shape)
{
    assert_bm_fits(s, shape);
    for (uint16_t port = 0; port < shape->n_ports; port++) {
        struct weir_link l = weir_shape_link(shape, port);
        uint64_t bm = get_at(s, shape, port, "bm"), b1 = get_at(s, shape, port, "b1");
        uint64_t stages = get_at(s, shape, port, "stages");
        assert_int_equal(b1 + weir_gfc_buffer_room_bytes(&l), bm);
        assert_true(stages >= weir_gfc_stages(bm, b1));
        assert_true(stages == weir_gfc_stages(bm, b1) || bm - b1 < 4096 ||
                    shape->ports[0].rate_bps != shape->ports[1].rate_bps);
    }
}

static void
assert_gfc_time_bound(const struct weir_stack *s, const struct weir_shape *shape)
{
    assert_bm_fits(s, shape);
    for (uint16_t port = 0; port < shape->n_ports; port++) {
        struct weir_link l = weir_shape_link(shape, port);
        weir_ps period = (weir_ps)get_at(s, shape, port, "period");
        assert_int_equal(period, weir_credit_period_ps(l.rate_bps));
        assert_int_equal(get_at(s, shape, port, "b0") + weir_gfc_time_room_bytes(&l, period),
                         get_at(s, shape, port, "bm"));
    }
}

static const struct bound {
    const char *engine;
    void (*check)(const struct weir_stack *, const struct weir_shape *);
} bounds[] = {
    { "pfc", assert_pfc_bound },
    { "cbfc", assert_cbfc_bound },
    { "gfc-conceptual", assert_gfc_conceptual_bound },
    { "gfc-buffer", assert_gfc_buffer_bound },
    { "gfc-time", assert_gfc_time_bound },
};

static struct weir_shape
random_shape(uint64_t *random, struct weir_port ports[N_PORTS])
{
    static const uint64_t rates_gbps[] = { 1, 10, 25, 40, 100, 400, 800 };
    struct weir_shape s = plain;

    for (int i = 0; i < N_PORTS; i++) {
        ports[i] = (struct weir_port){ .peer_tier = 0 };
        ports[i].rate_bps = rates_gbps[below(random, N_OF(rates_gbps))] * GBPS;
        ports[i].cable_ps = (weir_ps)below(random, 5 * US);
    }
    s.ports = ports;
    s.mtu_bytes = (uint32_t)(256 + below(random, 9000));
    s.response_ps = (weir_ps)below(random, 5 * US);
    s.buffer.classes[1].reserve_bytes = 1000 + below(random, 2000000);
    s.buffer.classes[2].headroom_bytes = below(random, 90000);
    return s;
}

/* Whether a warning is only about speed.  A buffer may be too small for CBFC's usual period: then
 * no packet is lost, but the link is idle at times. */
static bool
is_of_speed_alone(const char *warning)
{
    return !strncmp(warning, "cbfc: ", 6) && strstr(warning, "senders will wait") &&
           !strstr(warning, "lost");
}

/* For any node, derived parameters keep the bounds of the theory without a warning, or the node is
 * refused with the name of the parameter that cannot be derived. */
static void
derived_values_keep_to_the_bounds(void **state)
{
    uint64_t random = 16;

    (void)state;
    for (size_t i = 0; i < N_OF(bounds); i++) {
        uint32_t n_fits = 0;
        for (int k = 0; k < 1000; k++) {
            struct weir_port ports[N_PORTS];
            struct weir_shape shape = random_shape(&random, ports);
            struct weir_stack stack = stack_of(bounds[i].engine, NULL);
            struct weir_text said = { 0 };
            struct weir_needs needs;
            if (weir_stack_resolve(&stack, &shape, &needs, &said)) {
                assert_true(!said.len || is_of_speed_alone(said.s));
                bounds[i].check(&stack, &shape);
                n_fits++;
            } else {
                assert_says(said.s, bounds[i].engine);
            }
        }
        assert_in_range(n_fits, 100, 1000);
    }
}

static void
dynamic_pfc_asks_for_headroom(void **state)
{
    struct weir_link fast = weir_shape_link(&plain, 1);
    struct weir_shape shape = plain;
    struct weir_text said;

    (void)state;
    for (int cls = 1; cls < N_CLASSES; cls++) {
        shape.buffer.classes[cls] =
            (struct weir_buffer_class){ .alpha = WEIR_RATIO_1,
                                        .headroom_bytes =
                                            weir_pfc_headroom_bytes(&fast) + shape.mtu_bytes };
    }
    struct weir_stack stack = stack_of("pfc", NULL);
    set(&stack, 0, "threshold", "dynamic");
    resolved(&stack, &shape, &said);
    assert_string_equal(said.s, "");
    assert_int_equal(get(&stack, 0, "xon_offset"), 2 * shape.mtu_bytes);

    shape.buffer.classes[2].headroom_bytes -= 17;
    resolved(&stack, &shape, &said);
    assert_says(said.s, "packets may be lost");
}

static void
what_was_set_is_kept(void **state)
{
    struct weir_stack stack = stack_of("gfc-buffer", NULL);
    struct weir_text said;

    (void)state;
    set(&stack, 0, "bm", "1MB");
    set(&stack, 0, "b1", "750KB");
    resolved(&stack, &plain, &said);
    assert_int_equal(get(&stack, 0, "bm"), 1000000);
    assert_int_equal(get(&stack, 0, "b1"), 750000);
    assert_int_equal(get(&stack, 0, "stages"), 19); /* 19 stages, because 2^17 < 250000 < 2^18. */
    assert_string_equal(said.s, "");
}

static const struct {
    const char *engine, *param;
} derived[] = {
    { "pfc", "xoff" },      { "cbfc", "window" }, { "gfc-conceptual", "bm" },
    { "gfc-buffer", "bm" }, { "gfc-time", "bm" },
};

static void
no_room_is_refused_with_what_lacks_it(void **state)
{
    struct weir_shape shape = plain;

    (void)state;
    shape.buffer.classes[1].reserve_bytes = 0;
    for (size_t i = 0; i < N_OF(derived); i++) {
        struct weir_stack stack = stack_of(derived[i].engine, NULL);
        struct weir_text why = refused(&stack, &shape), begins = { 0 };
        weir_text_add(&begins, "%s: %s ", derived[i].engine, derived[i].param);
        assert_says(why.s, begins.s);
        assert_says(why.s, "only 0B");
    }
}

static uint64_t
held_at_the_first_loss(const struct weir_shape *shape)
{
    struct weir_buffer_slot slots[N_SLOTS];
    struct weir_buffer b;

    weir_buffer_init(&b, &shape->buffer, N_PORTS, N_CLASSES, slots);
    /* Fills class 1 of all ports, round robin. */
    for (uint32_t slot = 1;; slot = (slot + N_CLASSES) % N_SLOTS) {
        if (weir_buffer_admit(&b, slot, slot, shape->mtu_bytes) != WEIR_ADMITTED) {
            return slots[slot].in_bytes;
        }
    }
}

/* Other ports may use up shared memory.  If a threshold relies on shared memory alone, packets may
 * be lost before the queue reaches it.  The engine must then warn when it derives the threshold. */
static void
derived_thresholds_are_reached_before_a_packet_is_lost(void **state)
{
    const char *const thresholds[][2] = { { "pfc", "xoff" }, { "gfc-buffer", "b1" } };
    struct weir_shape shape = plain;

    (void)state;
    shape.buffer.classes[1] = shape.buffer.classes[2] =
        (struct weir_buffer_class){ .limit_bytes = 4000000, .headroom_bytes = 400000 };
    shape.buffer.size_bytes = 5600000; /* 4 MB of the buffer are shared. */
    for (size_t i = 0; i < N_OF(thresholds); i++) {
        struct weir_stack stack = stack_of(thresholds[i][0], NULL);
        struct weir_text said;
        resolved(&stack, &shape, &said);
        uint64_t most = weir_param_range(
                            stack.layers[0].engine, &shape,
                            weir_field_find(stack.layers[0].engine->about.params, thresholds[i][1]),
                            stack.layers[0].params)
                            .most;
        assert_true(said.len > 0 || most <= held_at_the_first_loss(&shape));
    }
}

/* Values out of bounds, and values that contradict each other. */

static const struct {
    const char *engine, *settings[3][2], *said[2];
} missed[] = {
    { "pfc", { { "xoff", "1.99MB" } }, { "headroom is 10KB", "packets may be lost" } },
    { "cbfc", { { "window", "2.05MB" } }, { "window is 2050KB", "only 2000KB" } },
    { "gfc-conceptual", { { "bm", "1MB" }, { "b0", "999KB" } }, { "b0", "packets may be lost" } },
    { "gfc-buffer", { { "bm", "1MB" }, { "b1", "999KB" } }, { "b1", "packets may be lost" } },
    { "gfc-buffer",
      { { "bm", "1MB" }, { "b1", "750KB" }, { "stages", "4" } },
      { "stages is 4", "19" } },
    { "gfc-buffer", { { "bm", "1.999MB" } }, { "bm is 1999KB", "only 2000KB" } },
    { "gfc-time", { { "bm", "1.99MB" }, { "b0", "1.9MB" } }, { "b0", "packets may be lost" } },
};

static struct weir_stack
stack_with(const char *engine, const char *const settings[3][2])
{
    struct weir_stack stack = stack_of(engine, NULL);
    for (int i = 0; i < 3 && settings[i][0]; i++) {
        set(&stack, 0, settings[i][0], settings[i][1]);
    }
    return stack;
}

/* In a buffer that is one memory, queues have no headroom, so no message advises more headroom. */
static void
one_memory_is_told_what_helps_there(void **state)
{
    const char *const settings[][3][2] = { { { "xoff", "1.99MB" } },
                                           { { "threshold", "dynamic" } } };
    const char *const helps[] = { "use a larger dedicated buffer, or a lower xoff",
                                  "use threshold: static" };
    struct weir_shape shape = plain;

    (void)state;
    shape.buffer.is_one_memory = true;
    for (size_t i = 0; i < N_OF(helps); i++) {
        struct weir_stack stack = stack_with("pfc", settings[i]);
        struct weir_text said;
        resolved(&stack, &shape, &said);
        assert_says(said.s, helps[i]);
        assert_null(strstr(said.s, "headroom"));
    }
}

static void
missed_bounds_are_warned_of(void **state)
{
    (void)state;
    for (size_t i = 0; i < N_OF(missed); i++) {
        struct weir_stack stack = stack_with(missed[i].engine, missed[i].settings);
        struct weir_text said, name = { 0 };
        resolved(&stack, &plain, &said);
        weir_text_add(&name, "%s: ", missed[i].engine);
        for (int k = 0; k < 2; k++) {
            assert_says(said.s, missed[i].said[k]);
        }
        assert_int_equal(strncmp(said.s, name.s, name.len), 0);
    }
}

static const struct {
    const char *engine, *settings[3][2], *said[2];
} senseless[] = {
    { "pfc",
      { { "xoff", "100KB" }, { "xon", "100KB" } },
      { "xon is 100KB", "xoff, which is 100KB" } },
    { "capfc",
      { { "egress_xoff", "25KB" }, { "egress_warn", "30KB" } },
      { "egress_warn is 30KB", "egress_xoff, which is 25KB" } },
    { "cbfc", { { "window", "1499B" } }, { "window is 1499B", "1536B" } },
    { "cbfc", { { "block", "48B" } }, { "block is 48B", "power of two" } },
    { "cbfc", { { "window", "1MB" }, { "credit_bits", "12" } }, { "2047", "credit_bits to 15" } },
    { "gfc-conceptual",
      { { "bm", "100KB" }, { "b0", "100KB" } },
      { "b0 is 100KB", "bm, which is 100KB" } },
    { "gfc-buffer",
      { { "bm", "100KB" }, { "b1", "200KB" }, { "stages", "8" } },
      { "b1 is 200KB", "bm, which is 100KB" } },
    { "gfc-time",
      { { "bm", "100KB" }, { "b0", "1MB" } },
      { "b0 is 1000KB", "bm, which is 100KB" } },
    { "ecn",
      { { "kmin", "2KB" }, { "kmax", "1KB" } },
      { "kmin is 2000B", "kmax, which is 1000B" } },
};

static void
senseless_values_are_refused(void **state)
{
    (void)state;
    for (size_t i = 0; i < N_OF(senseless); i++) {
        struct weir_stack stack = stack_with(senseless[i].engine, senseless[i].settings);
        struct weir_text why = refused(&stack, &plain);
        assert_says(why.s, senseless[i].engine);
        for (int k = 0; k < 2; k++) {
            assert_says(why.s, senseless[i].said[k]);
        }
    }
}

/* The message names b1, the mistake, although stages are derived. */
static void
b1_above_bm_is_named_where_stages_are_derived(void **state)
{
    struct weir_stack stack = stack_of("gfc-buffer", NULL);

    (void)state;
    set(&stack, 0, "bm", "100KB");
    set(&stack, 0, "b1", "200KB");
    struct weir_text why = refused(&stack, &plain);
    assert_says(why.s, "b1 is 200KB");
}

/* The number of credit bits that a message offers is accepted. */
static void
the_credit_bits_offered_can_be_set(void **state)
{
    struct weir_stack stack = stack_of("cbfc", NULL);
    struct weir_text said;

    (void)state;
    set(&stack, 0, "window", "1MB");
    set(&stack, 0, "credit_bits", "12");
    said = refused(&stack, &plain);
    const char *offered = strstr(said.s, "credit_bits to ");
    assert_non_null(offered);
    set(&stack, 0, "credit_bits", offered + strlen("credit_bits to "));
    resolved(&stack, &plain, &said);
}

/* If no number of credit bits suffices, the message offers none. */
static void
credit_bits_are_not_offered_where_none_suffice(void **state)
{
    struct weir_stack stack = stack_of("cbfc", NULL);

    (void)state;
    set(&stack, 0, "window", "4GB");
    set(&stack, 0, "block", "1B");
    struct weir_text why = refused(&stack, &plain);
    assert_says(why.s, "set it to at most");
    assert_null(strstr(why.s, "credit_bits to "));
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_stack_takes_so_many_engines),
        cmocka_unit_test(a_stack_starts_with_the_defaults),
        cmocka_unit_test(parameters_are_set_from_text),
        cmocka_unit_test(bad_settings_are_refused_and_change_nothing),
        cmocka_unit_test(resolve_refuses_what_came_in_past_the_text),
        cmocka_unit_test(impossible_shapes_are_refused),
        cmocka_unit_test(impossible_rates_are_refused),
        cmocka_unit_test(needs_are_summed),
        cmocka_unit_test(two_hands_on_one_limit_are_refused),
        cmocka_unit_test(two_readers_of_one_frame_are_refused),
        cmocka_unit_test(warnings_stand_one_a_line),
        cmocka_unit_test(a_clash_stands_on_a_line_of_its_own),
        cmocka_unit_test(derived_values_keep_to_the_bounds),
        cmocka_unit_test(dynamic_pfc_asks_for_headroom),
        cmocka_unit_test(what_was_set_is_kept),
        cmocka_unit_test(no_room_is_refused_with_what_lacks_it),
        cmocka_unit_test(derived_thresholds_are_reached_before_a_packet_is_lost),
        cmocka_unit_test(missed_bounds_are_warned_of),
        cmocka_unit_test(one_memory_is_told_what_helps_there),
        cmocka_unit_test(senseless_values_are_refused),
        cmocka_unit_test(b1_above_bm_is_named_where_stages_are_derived),
        cmocka_unit_test(the_credit_bits_offered_can_be_set),
        cmocka_unit_test(credit_bits_are_not_offered_where_none_suffice),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
