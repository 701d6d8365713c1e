/* Parameters that each port derives for itself: they equal those of a node whose ports are all like
 * that port, for any rates, cables, peers and buffers of the other ports. */

#include "plain.h"

enum { MOST_PORTS = 6, N_NODES = 400 };

struct site {
    struct weir_port ports[MOST_PORTS];
    struct weir_buffer_class classes[MOST_PORTS * N_CLASSES];
    struct weir_shape shape;
};

static void
set_shape(struct site *s, uint16_t n_ports)
{
    s->shape.ports = s->ports;
    s->shape.n_ports = n_ports;
    s->shape.buffer = (struct weir_buffer_plan){ .size_bytes = 100000000000, .ports = s->classes };
}

/* Ports are often equal to the port before, as in real switches. */
static void
draw_site(struct site *s, uint64_t *random)
{
    static const uint64_t gbps[] = { 1, 10, 25, 40, 100, 400, 800 };
    uint16_t n_ports = (uint16_t)(2 + below(random, MOST_PORTS - 1));

    *s = (struct site){ .shape = plain };
    s->shape.tier = 1;
    s->shape.services = ~(uint32_t)WEIR_SERVICE_STAGES;
    s->shape.mtu_bytes = (uint32_t)(256 + below(random, 9000));
    s->shape.response_ps = (weir_ps)below(random, 5 * US);
    for (uint16_t port = 0; port < n_ports; port++) {
        bool is_as_before = port && below(random, 3);
        s->ports[port] = is_as_before ? s->ports[port - 1]
                                      : (struct weir_port){
                                            .rate_bps = gbps[below(random, N_OF(gbps))] * GBPS,
                                            .cable_ps = (weir_ps)below(random, 5 * US),
                                            .peer_response_ps = (weir_ps)below(random, 9 * US),
                                        };
        for (uint8_t cls = 0; cls < N_CLASSES; cls++) {
            uint32_t slot = port * N_CLASSES + cls;
            s->classes[slot] = is_as_before ? s->classes[slot - N_CLASSES]
                                            : (struct weir_buffer_class){
                                                  .reserve_bytes = 20000 + below(random, 9000000),
                                                  .headroom_bytes = below(random, 900000),
                                              };
        }
    }
    set_shape(s, n_ports);
}

/* Makes the same node, but with all ports equal to port 'like'. */
static void
make_uniform(const struct site *from, uint16_t like, struct site *s)
{
    *s = *from;
    for (uint32_t slot = 0; slot < weir_n_slots(&from->shape); slot++) {
        s->ports[slot / N_CLASSES] = from->ports[like];
        s->classes[slot] = from->classes[like * N_CLASSES + slot % N_CLASSES];
    }
    set_shape(s, from->shape.n_ports);
}

static bool
fits(const struct weir_engine *engine, const struct weir_shape *shape, struct weir_stack *stack,
     struct weir_text *said)
{
    struct weir_needs needs;

    *stack = (struct weir_stack){ 0 };
    *said = (struct weir_text){ 0 };
    assert_true(weir_stack_add(stack, engine));
    return weir_stack_resolve(stack, shape, &needs, said);
}

/* Whether the parameter depends on its own port alone. The stages of buffer-based GFC also depend
 * on the slowest port, which drains the others. */
static bool
is_of_port_alone(const struct weir_field *f)
{
    return f->by_port && strcmp(f->name, "stages") != 0;
}

static uint32_t
compare(const struct weir_stack *mixed, const struct weir_shape *shape, uint16_t port,
        const struct weir_stack *uniform)
{
    const struct weir_engine *e = mixed->layers[0].engine;
    uint64_t of_port[WEIR_PARAMS_MAX / sizeof(uint64_t)];
    uint32_t n = 0;

    weir_port_params(e, shape, port, mixed->layers[0].params, of_port);
    for (const struct weir_field *f = e->about.params; f->name; f++) {
        uint64_t alone = weir_field_get(f, uniform->layers[0].params);
        if (is_of_port_alone(f)) {
            assert_int_equal(weir_field_get(f, of_port), alone);
            assert_int_not_equal(alone, WEIR_AUTO);
            n++;
        }
    }
    return n;
}

/* Compares the parameters of each port, and returns the number of compared values. */
static uint32_t
compare_ports(const struct site *s, const struct weir_engine *engine)
{
    struct weir_stack mixed, uniform;
    struct weir_text said, said_alone;
    bool is_taken = fits(engine, &s->shape, &mixed, &said), all_alone = true;
    uint32_t n = 0;

    for (uint16_t port = 0; port < s->shape.n_ports; port++) {
        struct site alike;
        make_uniform(s, port, &alike);
        bool alone = fits(engine, &alike.shape, &uniform, &said_alone);
        assert_true(alone || !is_taken);
        all_alone &= alone;
        n += is_taken ? compare(&mixed, &s->shape, port, &uniform) : 0;
    }
    assert_int_equal(is_taken, all_alone);
    return n;
}

static void
ports_derive_as_if_all_were_like_them(void **state)
{
    uint64_t random = 81, n_all = 0;

    (void)state;
    for (uint32_t i = 0; weir_engine_at(i); i++) {
        const struct weir_engine *engine = weir_engine_at(i);
        uint64_t n = 0;
        for (uint32_t k = 0; engine->derive && k < N_NODES; k++) {
            struct site s;
            draw_site(&s, &random);
            n += compare_ports(&s, engine);
        }
        n_all += n;
    }
    print_message("  %llu values of ports compared\n", (unsigned long long)n_all);
    assert_in_range(n_all, 10000, 1000000);
}

/* Messages name the ports that they are about, unless they are about all ports. */

static const struct weir_port three_ports[] = {
    { .rate_bps = 100 * GBPS, .cable_ps = US },
    { .rate_bps = 100 * GBPS, .cable_ps = US },
    { .rate_bps = 400 * GBPS, .cable_ps = US },
};

static struct weir_shape
two_speeds(struct weir_buffer_class *classes, uint64_t slow_bytes, uint64_t fast_bytes)
{
    struct weir_shape shape = plain;

    shape.ports = three_ports;
    shape.n_ports = N_OF(three_ports);
    shape.tier = 1;
    shape.mtu_bytes = 1048;
    for (uint32_t slot = 0; slot < weir_n_slots(&shape); slot++) {
        bool is_fast = slot / N_CLASSES == 2;
        classes[slot] =
            (struct weir_buffer_class){ .reserve_bytes = is_fast ? fast_bytes : slow_bytes };
    }
    shape.buffer.size_bytes = 20000000;
    shape.buffer.ports = classes;
    return shape;
}

static struct weir_text
said_of(const char *engine, const char *param, const char *value, uint64_t slow, uint64_t fast)
{
    struct weir_buffer_class classes[N_OF(three_ports) * N_CLASSES];
    const struct weir_shape shape = two_speeds(classes, slow, fast);
    struct weir_stack stack = stack_of(engine, NULL);
    struct weir_text said = { 0 };
    struct weir_needs needs;

    if (param) {
        set(&stack, 0, param, value);
    }
    weir_stack_resolve(&stack, &shape, &needs, &said);
    return said;
}

static void
sentences_name_the_ports_that_they_are_about(void **state)
{
    (void)state;
    assert_says(said_of("pfc", NULL, NULL, 40000, 1200000).s,
                "pfc: ports 0 to 1 (100Gbps): xoff cannot be derived");
    assert_says(said_of("gfc-buffer", NULL, NULL, 400000, 400000).s,
                "gfc-buffer: port 2 (400Gbps): b1 cannot be derived");
    assert_string_equal(said_of("gfc-buffer", NULL, NULL, 400000, 1200000).s, "");
    assert_says(said_of("pfc", "xoff", "390KB", 400000, 1200000).s,
                "pfc: ports 0 to 1 (100Gbps): headroom is 10KB");
    assert_says(said_of("cbfc", "window", "1.5MB", 1200000, 1200000).s, "cbfc: window is 1500KB");
    assert_says(said_of("cbfc", "window", "1MB", 400000, 1200000).s,
                "cbfc: ports 0 to 1 (100Gbps): window is 1000KB, but the buffer of a class at a "
                "port is only 400KB");
}

static void
buffer_that_can_never_be_used_is_reported(void **state)
{
    (void)state;
    assert_string_equal(said_of("pfc", "xoff", "334KB", 400000, 600000).s, "");
    assert_string_equal(said_of("pfc", "xoff", "334KB", 400000, 1200000).s,
                        "pfc: port 2 (400Gbps): xoff is 334KB, so a queue never grows past "
                        "587.272KB, and the rest of the 1200KB that a class has at a port can "
                        "never be used: set xoff higher, or leave it out");
    assert_says(said_of("cbfc", "window", "300KB", 400000, 1200000).s,
                "cbfc: port 2 (400Gbps): window is 300KB, so a queue never grows past 300KB");
    assert_says(said_of("gfc-buffer", "bm", "590KB", 600000, 1200000).s,
                "gfc-buffer: port 2 (400Gbps): bm is 590KB, so a queue never grows past 592.096KB");
    assert_string_equal(said_of("gfc-buffer", "bm", "590KB", 1200000, 1200000).s, "");
}

/* A parameter that ports do not derive for themselves has one value for the node. */
static void
values_that_ports_share_are_the_nodes(void **state)
{
    struct weir_buffer_class classes[N_OF(three_ports) * N_CLASSES];
    const struct weir_shape shape = two_speeds(classes, 400000, 1200000);
    struct weir_stack stack = stack_of("pfc", NULL);
    struct weir_text said;

    (void)state;
    resolved(&stack, &shape, &said);
    assert_int_equal(get(&stack, 0, "xoff"), WEIR_AUTO);
    assert_int_equal(get(&stack, 0, "xon_offset"), 2 * 1048);
}

/* Defaults that scale with the rate of a port. Up to the rate of the source they have the source's
 * values. */

enum { N_RATES = 5 };
static const uint64_t rates_gbps[N_RATES] = { 1, 10, 25, 100, 400 };

static const struct {
    const char *engine, *name;
    uint64_t values[N_RATES];
} by_rate[] = {
    { "qcn", "qeq", { 30000, 30000, 75000, 300000, 1200000 } },
    { "qcn", "interval", { 150000, 150000, 375000, 1500000, 6000000 } },
    { "qcn", "bytes", { 150000, 150000, 375000, 1500000, 6000000 } },
    { "qcn", "ai", { 5000000, 5000000, 12500000, 50000000, 200000000 } },
    { "qcn", "hai", { 50000000, 50000000, 125000000, 500000000, 2000000000 } },
    { "qcn", "min_rate", { 5000000, 5000000, 12500000, 50000000, 200000000 } },
    { "qcn", "timer", { 5000000000, 5000000000, 5000000000, 5000000000, 5000000000 } },
    { "fafc", "th_p", { 350000, 350000, 350000, 1400000, 5600000 } },
    { "fafc", "th_e", { 200000, 200000, 200000, 800000, 3200000 } },
    { "fafc", "th_c", { 200000, 200000, 200000, 800000, 3200000 } },
    { "ecn", "kmin", { 100000, 100000, 100000, 400000, 1600000 } },
    { "ecn", "kmax", { 400000, 400000, 400000, 1600000, 6400000 } },
};

static uint64_t
at_rate(const char *engine, const char *name, uint64_t gbps, uint64_t buffer_bytes)
{
    const struct weir_port port = { .rate_bps = gbps * GBPS, .cable_ps = US };
    struct weir_shape shape = plain;
    struct weir_stack stack = stack_of(engine, NULL);
    struct weir_text said;

    shape.ports = &port;
    shape.n_ports = 1;
    shape.tier = 1;
    shape.services = ~(uint32_t)WEIR_SERVICE_STAGES;
    shape.buffer = (struct weir_buffer_plan){ .size_bytes = 1000000000 };
    for (uint8_t cls = 0; cls < N_CLASSES; cls++) {
        shape.buffer.classes[cls].reserve_bytes = buffer_bytes;
    }
    resolved(&stack, &shape, &said);
    return get(&stack, 0, name);
}

static void
defaults_go_with_the_rate(void **state)
{
    (void)state;
    for (size_t i = 0; i < N_OF(by_rate); i++) {
        for (uint32_t k = 0; k < N_RATES; k++) {
            assert_int_equal(at_rate(by_rate[i].engine, by_rate[i].name, rates_gbps[k], 100000000),
                             by_rate[i].values[k]);
        }
    }
}

/* A default that scales with the rate is at most half of what a queue can hold, but at least the
 * value in the source. */
static void
thresholds_that_go_with_the_rate_stay_within_the_buffer(void **state)
{
    (void)state;
    assert_int_equal(at_rate("fafc", "th_p", 400, 1200000), 600000);
    assert_int_equal(at_rate("fafc", "th_e", 400, 1200000), 600000 * 4 / 7);
    assert_int_equal(at_rate("ecn", "kmax", 400, 1200000), 600000);
    assert_int_equal(at_rate("ecn", "kmin", 400, 1200000), 150000);
    assert_int_equal(at_rate("ecn", "kmax", 400, 500000), 400000);
    assert_int_equal(at_rate("qcn", "qeq", 400, 1200000), 600000);
}

/* If one of two thresholds is set, it bounds the derived one. */
static void
a_derived_threshold_keeps_to_one_that_is_set(void **state)
{
    static const struct {
        const char *engine, *set, *value, *derived;
        uint64_t bytes;
    } pairs[] = {
        { "fafc", "th_p", "100KB", "th_e", 100000 }, { "fafc", "th_e", "400KB", "th_p", 400000 },
        { "fafc", "th_p", "1MB", "th_e", 200000 },   { "ecn", "kmax", "40KB", "kmin", 40000 },
        { "ecn", "kmin", "500KB", "kmax", 500000 },  { "ecn", "kmin", "20KB", "kmax", 400000 },
    };
    struct weir_shape shape = plain;
    struct weir_text said;

    (void)state;
    shape.n_ports = 1; /* A port of 10 Gb/s. */
    for (size_t i = 0; i < N_OF(pairs); i++) {
        struct weir_stack stack = stack_of(pairs[i].engine, NULL);
        set(&stack, 0, pairs[i].set, pairs[i].value);
        resolved(&stack, &shape, &said);
        assert_int_equal(get(&stack, 0, pairs[i].derived), pairs[i].bytes);
    }
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(ports_derive_as_if_all_were_like_them),
        cmocka_unit_test(sentences_name_the_ports_that_they_are_about),
        cmocka_unit_test(buffer_that_can_never_be_used_is_reported),
        cmocka_unit_test(defaults_go_with_the_rate),
        cmocka_unit_test(thresholds_that_go_with_the_rate_stay_within_the_buffer),
        cmocka_unit_test(a_derived_threshold_keeps_to_one_that_is_set),
        cmocka_unit_test(values_that_ports_share_are_the_nodes),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
