/* Services of hosts: Weir refuses an engine that needs a missing service, and a host may drain the
 * outbox after several calls. */

#include <stdlib.h>

#include "engines.h"
#include "plain.h"

enum { ALL_SERVICES = (1 << WEIR_N_SERVICES) - 1, N_FLOWS = 4 };

static struct weir_shape
plain_with(uint32_t services, uint32_t n_flows)
{
    struct weir_shape shape = plain;
    shape.services = services;
    shape.n_flows = n_flows;
    return shape;
}

static struct weir_stack
probes(uint32_t n)
{
    struct weir_stack stack = { 0 };
    while (n--) {
        assert_true(weir_stack_add(&stack, &probe));
    }
    return stack;
}

static const struct {
    uint32_t missing, n_flows;
    const char *said;
} lacking[] = {
    { WEIR_SERVICE_LABELS, 0, "the sender of every packet" },
    { WEIR_SERVICE_MESSAGES, 0, "messages to the sender" },
    { WEIR_SERVICE_UNITS, 0, "packets of an input drawn at random" },
    { WEIR_SERVICE_FLOW_RATES, N_FLOWS, "a rate limit for single flows" },
    { WEIR_SERVICE_SLOWING, N_FLOWS, "senders that can be slowed down" },
};

static void
what_is_not_offered_is_refused_by_name(void **state)
{
    (void)state;
    for (size_t i = 0; i < N_OF(lacking); i++) {
        struct weir_shape shape =
            plain_with(ALL_SERVICES & ~lacking[i].missing, lacking[i].n_flows);
        struct weir_stack stack = probes(1);
        set(&stack, 0, "blame", "byte");
        struct weir_text why = refused(&stack, &shape);
        assert_says(why.s, "probe: it needs");
        assert_says(why.s, lacking[i].said);
    }
}

static void
what_is_not_asked_for_need_not_be_offered(void **state)
{
    struct weir_shape shape = plain_with(WEIR_SERVICE_LABELS | WEIR_SERVICE_MESSAGES, 0);
    struct weir_stack stack = probes(1);
    struct weir_text said;

    (void)state;
    struct weir_needs needs = resolved(&stack, &shape, &said);
    assert_int_equal(needs.services, WEIR_SERVICE_LABELS | WEIR_SERVICE_MESSAGES);
    assert_string_equal(said.s, "");
}

static void
two_engines_that_limit_flows_are_refused(void **state)
{
    struct weir_shape shape = plain_with(ALL_SERVICES & ~WEIR_SERVICE_STAGES, N_FLOWS);
    struct weir_stack stack = probes(2);

    (void)state;
    struct weir_text why = refused(&stack, &shape);
    assert_says(why.s, "probe and probe both limit single flows");
}

/* The limit of a flow is independent of the class of its packets. */
static void
limits_of_flows_go_with_classes_that_move(void **state)
{
    struct weir_shape shape = plain_with(ALL_SERVICES & ~WEIR_SERVICE_STAGES, N_FLOWS);
    struct weir_stack stack = probes(1);
    struct weir_text said;

    (void)state;
    assert_true(weir_stack_add(&stack, weir_engine_find("ttl")));
    resolved(&stack, &shape, &said);
}

/* Only engines that block queues must know stages, because an engine that marks does not look at
 * inputs. */
static void
stages_are_for_engines_that_know_them(void **state)
{
    const char *const know[] = { "none",           "pfc",        "ttl",     "capfc", "ecn", "cbfc",
                                 "gfc-conceptual", "gfc-buffer", "gfc-time" };
    struct weir_engine does_not = *weir_engine_find("cbfc");
    struct weir_stack deaf = { 0 };
    struct weir_shape shape = plain_with(WEIR_SERVICE_STAGES, 0);
    struct weir_text said;

    (void)state;
    for (size_t i = 0; i < N_OF(know); i++) {
        struct weir_stack stack = stack_of(know[i], NULL);
        resolved(&stack, &shape, &said);
    }
    does_not.forwarded = NULL;
    assert_true(weir_stack_add(&deaf, &does_not));
    said = refused(&deaf, &shape);
    assert_says(said.s, "separate buffers for inputs and outputs");
}

/* Properties that engines declare. */

static void
who_marks_says_so(void **state)
{
    (void)state;
    assert_true(weir_engine_find("ecn")->marks);
    assert_false(weir_engine_find("pfc")->marks);
}

static weir_ps
period_at(const struct weir_stack *stack, uint16_t port)
{
    const struct weir_engine *e = stack->layers[0].engine;
    uint64_t of_port[WEIR_PARAMS_MAX / sizeof(uint64_t)];

    weir_port_params(e, &plain, port, stack->layers[0].params, of_port);
    return e->period_ps(of_port);
}

static void
a_period_is_the_one_that_was_set_or_that_of_the_port(void **state)
{
    const char *const by_the_clock[] = { "cbfc", "gfc-time" };
    struct weir_text said;

    (void)state;
    for (size_t i = 0; i < N_OF(by_the_clock); i++) {
        struct weir_stack stack = stack_of(by_the_clock[i], NULL), unresolved = stack;
        resolved(&stack, &plain, &said);
        for (uint16_t port = 0; port < N_PORTS; port++) {
            weir_ps of_link = weir_credit_period_ps(plain.ports[port].rate_bps);
            assert_int_equal(period_at(&stack, port), of_link);
            assert_int_equal(period_at(&unresolved, port), of_link);
        }
        set(&unresolved, 0, "period", "7us");
        assert_int_equal(period_at(&unresolved, 0), 7 * US);
    }
    assert_null(weir_engine_find("pfc")->period_ps);
}

/* Values that ports derive for themselves are reported as a range; common values, as a value. */
static void
parameters_of_ports_are_told_as_a_range(void **state)
{
    struct weir_stack stack = stack_of("gfc-time", NULL);
    const struct weir_engine *e = stack.layers[0].engine;
    struct weir_text said, period = { 0 }, block = { 0 };

    (void)state;
    resolved(&stack, &plain, &said);
    weir_param_text(&period, e, &plain, weir_field_find(e->about.params, "period"),
                    stack.layers[0].params);
    weir_param_text(&block, e, &plain, weir_field_find(e->about.params, "block"),
                    stack.layers[0].params);
    assert_string_equal(period.s, "5.2428us to 52.428us");
    assert_string_equal(block.s, "64B");
}

/* Draining the outbox after several calls. */

struct nic {
    struct weir_shape shape;
    struct weir_stack stack;
    struct weir_buffer buffer;
    struct weir_buffer_slot slots[N_SLOTS];
    struct weir_outbox out;
    void *memory;
    struct weir_node node;
};

static void
start(struct nic *n, uint32_t n_calls)
{
    struct weir_text said;

    *n = (struct nic){ .shape = plain_with(ALL_SERVICES & ~WEIR_SERVICE_STAGES, N_FLOWS),
                       .stack = probes(1) };
    struct weir_needs needs = resolved(&n->stack, &n->shape, &said);
    n->out.max = n_calls * needs.max_emits;
    n->out.emits = calloc(n->out.max, sizeof *n->out.emits);
    n->memory = aligned_alloc(WEIR_MEMORY_ALIGN, needs.state_bytes);
    weir_buffer_init(&n->buffer, &n->shape.buffer, N_PORTS, N_CLASSES, n->slots);
    weir_node_init(&n->node, &n->stack, &n->shape, &n->buffer, &n->out, n->memory, 0);
}

static void
answers_of_several_calls_stand_in_order(void **state)
{
    const struct weir_frame message = { .len = 3, .bytes = { 0x88, 0xb6, 0 } };
    const uint32_t flows[] = { 3, 0, 3 };
    const uint64_t rates[] = { 5 * GBPS, 5 * GBPS, 5 * GBPS / 2 };
    struct nic n;

    (void)state;
    start(&n, 3);
    for (uint32_t i = 0; i < 3; i++) {
        weir_node_heard(&n.node, US * (weir_ps)i, flows[i], &message);
    }
    assert_int_equal(n.out.n, 6);
    for (uint32_t i = 0; i < 3; i++) {
        assert_int_equal(n.out.emits[2 * i].kind, WEIR_FLOW_RATE);
        assert_int_equal(n.out.emits[2 * i].key, flows[i]);
        assert_int_equal(n.out.emits[2 * i].rate_bps, rates[i]);
        assert_int_equal(n.out.emits[2 * i + 1].kind, WEIR_TIMER);
    }
    free(n.memory);
    free(n.out.emits);
}

/* A host that drains the outbox late obeys the same outputs as one that drains it after each
 * call. */
static void
one_drain_holds_what_many_do(void **state)
{
    const struct weir_frame message = { .len = 3, .bytes = { 0x88, 0xb6, 0 } };
    struct nic often, once;
    uint64_t random = 5;
    uint32_t n_seen = 0;

    (void)state;
    start(&often, 1);
    start(&once, 100);
    for (uint32_t i = 0; i < 100; i++) {
        uint32_t flow = (uint32_t)below(&random, N_FLOWS);
        weir_node_heard(&often.node, US * (weir_ps)i, flow, &message);
        weir_node_heard(&once.node, US * (weir_ps)i, flow, &message);
        for (uint32_t k = 0; k < often.out.n; k++, n_seen++) {
            const struct weir_emit *a = &often.out.emits[k], *b = &once.out.emits[n_seen];
            assert_int_equal(a->kind, b->kind);
            assert_int_equal(a->key, b->key);
            assert_int_equal(a->at, b->at);
        }
        often.out.n = 0;
    }
    assert_int_equal(n_seen, once.out.n);
    free(often.memory);
    free(often.out.emits);
    free(once.memory);
    free(once.out.emits);
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_is_not_offered_is_refused_by_name),
        cmocka_unit_test(what_is_not_asked_for_need_not_be_offered),
        cmocka_unit_test(two_engines_that_limit_flows_are_refused),
        cmocka_unit_test(limits_of_flows_go_with_classes_that_move),
        cmocka_unit_test(stages_are_for_engines_that_know_them),
        cmocka_unit_test(who_marks_says_so),
        cmocka_unit_test(a_period_is_the_one_that_was_set_or_that_of_the_port),
        cmocka_unit_test(parameters_of_ports_are_told_as_a_range),
        cmocka_unit_test(answers_of_several_calls_stand_in_order),
        cmocka_unit_test(one_drain_holds_what_many_do),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
