/* Nodes: frames, timers and packets each find their engine. */

#include <stdlib.h>

#include "plain.h"

struct fixture { /* A node with all memory that a host must provide. */
    struct weir_stack stack;
    struct weir_needs needs;
    struct weir_buffer buffer;
    struct weir_buffer_slot slots[N_SLOTS];
    struct weir_outbox out;
    void *memory;
    struct weir_node node;
};

static void
start(struct fixture *f, const char *first, const char *second)
{
    struct weir_text said;

    f->stack = stack_of(first, second);
    f->needs = resolved(&f->stack, &plain, &said);
    weir_buffer_init(&f->buffer, &plain.buffer, N_PORTS, N_CLASSES, f->slots);
    f->out = (struct weir_outbox){ .max = f->needs.max_emits };
    f->out.emits = calloc(f->out.max + 1, sizeof *f->out.emits);
    f->memory = aligned_alloc(WEIR_MEMORY_ALIGN, f->needs.state_bytes);
    memset(f->memory, 0xee, f->needs.state_bytes);
    weir_node_init(&f->node, &f->stack, &plain, &f->buffer, &f->out, f->memory, 5 * US);
}

/* Drops all outputs, and obeys none. */
static void
empty(struct fixture *f)
{
    f->out.n = 0;
}

static void
stop(struct fixture *f)
{
    free(f->memory);
    free(f->out.emits);
}

static struct weir_frame
class_frame(uint16_t opcode, uint8_t cls, uint16_t value)
{
    struct weir_class_frame c = { .opcode = opcode, .enable = (uint8_t)(1u << cls) };
    struct weir_frame f;

    c.values[cls] = value;
    weir_class_frame_encode(&c, &f);
    return f;
}

static void
a_new_node_has_open_gates(void **state)
{
    struct fixture f;

    (void)state;
    start(&f, "pfc", "ecn");
    assert_int_equal(f.out.n, 0);
    for (uint32_t slot = 0; slot < N_SLOTS; slot++) {
        assert_int_equal(weir_gate_ready(&f.node.ctx.gates[slot], 5 * US, 1500), 5 * US);
        assert_int_equal(f.node.ctx.gates[slot].gap_bytes, plain.gap_bytes);
    }
    stop(&f);
}

static void
strange_frames_are_counted_and_nothing_else(void **state)
{
    const struct weir_frame strange[] = {
        class_frame(WEIR_OPCODE_GFC, 1, 3),
        class_frame(0x0001, 1, 3),
        { .len = 3, .bytes = { 0x88, 0x08, 0x01 } },
        { .len = 22 },
        { .len = 0 },
    };
    struct fixture f;

    (void)state;
    start(&f, "pfc", "ecn");
    for (size_t i = 0; i < N_OF(strange); i++) {
        weir_node_frame(&f.node, 6 * US, 0, &strange[i]);
        assert_int_equal(f.node.n_strange_frames, i + 1);
        assert_int_equal(f.out.n, 0);
    }
    struct weir_frame pause = class_frame(WEIR_OPCODE_PFC, 1, 3);
    weir_node_frame(&f.node, 6 * US, 0, &pause);
    assert_int_equal(f.node.n_strange_frames, N_OF(strange));
    assert_int_equal(f.out.n, 1);
    stop(&f);
}

static void
a_short_frame_of_an_engine_is_not_strange_but_bad(void **state)
{
    struct weir_frame pause = class_frame(WEIR_OPCODE_PFC, 1, 3);
    struct fixture f;

    (void)state;
    start(&f, "pfc", NULL);
    pause.len--;
    weir_node_frame(&f.node, 6 * US, 0, &pause);
    const struct weir_field *bad =
        weir_field_find(f.stack.layers[0].engine->counters, "bad_frames");
    assert_int_equal(f.node.n_strange_frames, 0);
    assert_int_equal(weir_field_get(bad, f.node.layers[0].state), 1);
    assert_int_equal(f.out.n, 0);
    stop(&f);
}

static void
each_frame_goes_to_its_engine(void **state)
{
    struct weir_frame pause = class_frame(WEIR_OPCODE_PFC, 1, 100);
    struct weir_frame stage = class_frame(WEIR_OPCODE_GFC, 2, 1);
    const uint32_t paused = 1 * N_CLASSES + 1, slowed = 1 * N_CLASSES + 2;
    struct fixture f;

    (void)state;
    start(&f, "pfc", "gfc-buffer");
    weir_node_frame(&f.node, 6 * US, 1, &pause);
    assert_int_equal(f.out.n, 1);
    assert_int_equal(f.out.emits[0].kind, WEIR_GATE);
    assert_int_equal(f.out.emits[0].key, paused);
    /* 100 quanta of 5.12 ns. */
    assert_int_equal(f.node.ctx.gates[paused].open_ps, 6 * US + 512000);
    empty(&f);
    weir_node_frame(&f.node, 7 * US, 1, &stage);
    assert_int_equal(f.out.n, 1);
    assert_int_equal(f.out.emits[0].key, slowed);
    assert_int_equal(f.node.ctx.gates[slowed].rate_bps, 50 * GBPS);
    assert_int_equal(f.node.ctx.gates[paused].rate_bps, WEIR_UNLIMITED);
    stop(&f);
}

static void
timers_of_two_engines_have_their_own_keys(void **state)
{
    struct fixture f;

    (void)state;
    start(&f, "pfc", "cbfc"); /* PFC has a timer for each slot, CBFC one for each port. */
    assert_int_equal(f.needs.n_timers, N_SLOTS + N_PORTS);
    uint32_t n_timers = 0;
    for (uint32_t i = 0; i < f.out.n; i++) {
        if (f.out.emits[i].kind == WEIR_TIMER) {
            assert_int_equal(f.out.emits[i].key, N_SLOTS + n_timers++);
            assert_int_equal(f.out.emits[i].at, 5 * US);
        }
    }
    assert_int_equal(n_timers, N_PORTS);

    empty(&f);
    weir_node_timer(&f.node, 5 * US, N_SLOTS + 1);
    assert_int_equal(f.out.n, 3); /* One message for each lossless class, and the next timer. */
    assert_int_equal(f.out.emits[0].kind, WEIR_FRAME);
    assert_int_equal(f.out.emits[0].key, 1);
    assert_int_equal(weir_frame_id(&f.out.emits[0].frame), 0x88b50001);
    assert_int_equal(f.out.emits[2].kind, WEIR_TIMER);
    assert_int_equal(f.out.emits[2].key, N_SLOTS + 1);
    stop(&f);
}

static void
packets_are_shown_to_every_engine(void **state)
{
    struct weir_pkt pkt = { .bytes = 1500, .in_port = 0, .out_port = 1, .cls = 2, .ecn = WEIR_ECT };
    struct fixture f;

    (void)state;
    start(&f, "ecn", "gfc-conceptual");
    f.slots[0 * N_CLASSES + 2].in_bytes = 1500;
    /* The queue is longer than kmax, so every packet is marked. */
    f.slots[1 * N_CLASSES + 2].out_bytes = 1500000;
    weir_node_arrived(&f.node, 6 * US, &pkt);
    assert_int_equal(f.out.n, 1);
    assert_int_equal(f.out.emits[0].key, 0);
    assert_int_equal(pkt.ecn, WEIR_ECT);
    empty(&f);
    weir_node_departed(&f.node, 6 * US, &pkt);
    assert_int_equal(f.out.n, 1);
    assert_int_equal(pkt.ecn, WEIR_CE);
    empty(&f);
    weir_node_queued(&f.node, 6 * US, &pkt); /* No engine of this node hooks this event. */
    assert_int_equal(f.out.n, 0);
    stop(&f);
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_new_node_has_open_gates),
        cmocka_unit_test(strange_frames_are_counted_and_nothing_else),
        cmocka_unit_test(a_short_frame_of_an_engine_is_not_strange_but_bad),
        cmocka_unit_test(each_frame_goes_to_its_engine),
        cmocka_unit_test(timers_of_two_engines_have_their_own_keys),
        cmocka_unit_test(packets_are_shown_to_every_engine),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
