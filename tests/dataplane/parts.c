/* Parts of a node on real ports: numbers of frames, frames that wait to leave, lateness. */

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include "dataplane/held-frames.h"
#include "dataplane/lateness.h"
#include "dataplane/tx-queue.h"
#include "memory-io.h"

#define US ((weir_ps)1000000)

struct bench {
    struct memory_io *memory;
    struct memory_side side;
    struct dp_io io;
};

static void
bench_start(struct bench *b)
{
    b->memory = memory_io_new(1);
    b->io = memory_io_of(b->memory, &b->side, 0);
}

static struct dp_frame
frame_at(struct bench *b, weir_ps at)
{
    struct dp_frame frame;

    assert_true(b->io.make(b->io.arg, 60, &frame));
    frame.at = at;
    return frame;
}

/* However many frames pass, only a few numbers are used: the number that was freed last is used
 * first. */
static void
numbers_come_back(void **state)
{
    struct dp_handles h = { 0 };
    struct bench b;

    (void)state;
    bench_start(&b);
    struct dp_frame frame = frame_at(&b, 1);
    uint32_t first = dp_handle_new(&h, &frame, DP_PACKET, false);
    uint32_t second = dp_handle_new(&h, &frame, DP_PACKET, false);
    dp_handle_end(&h, first);
    dp_handle_end(&h, second);
    size_t n = h.n;
    for (int i = 0; i < 5000; i++) {
        assert_int_equal(dp_handle_new(&h, &frame, DP_FOREIGN, false), second);
        assert_int_equal(dp_handle_new(&h, &frame, DP_PACKET, false), first);
        dp_handle_end(&h, first);
        dp_handle_end(&h, second);
    }
    assert_int_equal(h.n, n);
    b.io.drop(b.io.arg, &frame);
    dp_handles_free(&h, &b.io);
    memory_io_free(b.memory);
}

static void
numbers_grow_and_are_all_different(void **state)
{
    enum { N = 3000 };
    struct dp_handles h = { 0 };
    bool is_used[2 * N] = { 0 };
    struct bench b;

    (void)state;
    bench_start(&b);
    for (int i = 0; i < N; i++) {
        struct dp_frame frame = frame_at(&b, i);
        uint32_t handle = dp_handle_new(&h, &frame, i % 2 ? DP_FOREIGN : DP_PACKET, i % 3 == 0);
        assert_true(handle < 2 * N);
        assert_false(is_used[handle]);
        is_used[handle] = true;
        assert_ptr_equal(h.items[handle].frame.bytes, frame.bytes);
        assert_int_equal(h.items[handle].is_shared, i % 3 == 0);
    }
    /* Queued frames are dropped with the handles; otherwise memory_io_free() would fail. */
    dp_handles_free(&h, &b.io);
    memory_io_free(b.memory);
}

static void
frames_leave_when_due_and_taken(void **state)
{
    struct dp_tx_queue w = { 0 };
    struct bench b;
    struct dp_frame frame;

    (void)state;
    bench_start(&b);
    for (int i = 1; i <= 100; i++) {
        frame = frame_at(&b, i * US);
        assert_true(dp_tx_queue_push(&w, &frame, frame.at));
    }
    assert_int_equal(dp_tx_queue_flush(&w, &b.io, 0, 40 * US), 40);
    assert_int_equal(dp_tx_queue_flush(&w, &b.io, 0, 40 * US), 0);
    b.memory->ports[0].max_waiting = 50;
    assert_int_equal(dp_tx_queue_flush(&w, &b.io, 0, WEIR_NEVER), 10);
    b.memory->ports[0].max_waiting = UINT32_MAX;
    assert_int_equal(dp_tx_queue_flush(&w, &b.io, 0, WEIR_NEVER), 50);
    assert_true(dp_tx_queue_is_empty(&w));
    for (int i = 1; i <= 100; i++) {
        assert_true(memory_io_get(b.memory, 0, &frame));
        assert_int_equal(frame.at, i * US);
        memory_io_drop(b.memory, &frame);
    }
    dp_tx_queue_free(&w, &b.io);
    memory_io_free(b.memory);
}

/* If a device takes no frames, a limited number of them wait; when some leave, others may wait. */
static void
waiting_has_an_end(void **state)
{
    struct dp_tx_queue w = { 0 };
    struct bench b;
    struct dp_frame frame;

    (void)state;
    bench_start(&b);
    b.memory->ports[0].max_waiting = 0;
    for (int i = 0; i < DP_MAX_WAITING; i++) {
        frame = frame_at(&b, i);
        assert_true(dp_tx_queue_push(&w, &frame, frame.at));
        assert_int_equal(dp_tx_queue_flush(&w, &b.io, 0, WEIR_NEVER), 0);
    }
    frame = frame_at(&b, DP_MAX_WAITING);
    assert_false(dp_tx_queue_push(&w, &frame, frame.at));
    b.memory->ports[0].max_waiting = 3;
    assert_int_equal(dp_tx_queue_flush(&w, &b.io, 0, WEIR_NEVER), 3);
    assert_true(dp_tx_queue_push(&w, &frame, frame.at));
    b.memory->ports[0].max_waiting = UINT32_MAX;
    assert_int_equal(dp_tx_queue_flush(&w, &b.io, 0, WEIR_NEVER), DP_MAX_WAITING - 2);
    for (int i = 0; i <= DP_MAX_WAITING; i++) {
        assert_true(memory_io_get(b.memory, 0, &frame));
        assert_int_equal(frame.at, i);
        memory_io_drop(b.memory, &frame);
    }
    dp_tx_queue_free(&w, &b.io);
    memory_io_free(b.memory);
}

static void
drop_sent(struct bench *b)
{
    struct dp_frame frame;

    while (memory_io_get(b->memory, 0, &frame)) {
        memory_io_drop(b->memory, &frame);
    }
}

/* If a device takes one frame at a time from a full list, frames are seldom moved, and no more than
 * the list holds wait. */
static void
full_lists_are_seldom_moved(void **state)
{
    enum { N = 5 * DP_MAX_WAITING };
    struct dp_tx_queue w = { 0 };
    uint32_t n_moves = 0;
    struct bench b;

    (void)state;
    bench_start(&b);
    for (int i = 0; i < N; i++) {
        struct dp_frame frame = frame_at(&b, i);
        size_t first = w.first;
        assert_true(dp_tx_queue_push(&w, &frame, frame.at));
        n_moves += w.first < first;
        if (w.n - w.first == DP_MAX_WAITING) {
            assert_false(dp_tx_queue_push(&w, &frame, frame.at));
            b.memory->ports[0].max_waiting = 1;
            assert_int_equal(dp_tx_queue_flush(&w, &b.io, 0, WEIR_NEVER), 1);
            drop_sent(&b);
        }
    }
    assert_in_range(n_moves, 1, 4);
    b.memory->ports[0].max_waiting = UINT32_MAX;
    assert_int_equal(dp_tx_queue_flush(&w, &b.io, 0, WEIR_NEVER), DP_MAX_WAITING - 1);
    assert_int_equal(w.max, DP_MAX_WAITING);
    dp_tx_queue_free(&w, &b.io);
    memory_io_free(b.memory);
}

static void
lateness_is_counted_by_powers_of_two(void **state)
{
    struct dp_lateness l = { 0 };

    (void)state;
    dp_was_late(&l, -5 * US);
    dp_was_late(&l, US - 1);
    dp_was_late(&l, US);
    dp_was_late(&l, 3 * US);
    dp_was_late(&l, WEIR_NEVER / 2);
    assert_int_equal(l.n, 5);
    assert_int_equal(l.n_of[0], 2);
    assert_int_equal(l.n_of[1], 1);
    assert_int_equal(l.n_of[2], 1);
    assert_int_equal(l.n_of[31], 1);
    assert_true(l.most_ps == WEIR_NEVER / 2);
}

static void
ask_by_pfc(struct dp_asked *asked, uint8_t cls, uint16_t quanta, weir_ps now, struct dp_lateness *l)
{
    struct weir_class_frame f = { .opcode = WEIR_OPCODE_PFC, .enable = (uint8_t)(1u << cls) };
    struct weir_frame frame;

    f.values[cls] = quanta;
    weir_class_frame_encode(&f, &frame);
    dp_asked(asked, &frame, 1000000000, now, l); /* A quantum of 512 ns. */
}

static void
answers_last_until_the_last_packet(void **state)
{
    struct dp_asked asked[WEIR_MAX_CLASSES] = { 0 };
    struct dp_lateness l = { 0 };

    (void)state;
    dp_came(&asked[3], 9 * US); /* No pause has been requested. */
    ask_by_pfc(asked, 3, 1000, 10 * US, &l);
    dp_came(&asked[3], 15 * US);
    dp_came(&asked[2], 16 * US);             /* A packet of another class. */
    ask_by_pfc(asked, 3, 1000, 20 * US, &l); /* The same pause is requested again. */
    dp_came(&asked[3], 21 * US);
    assert_int_equal(l.n, 0);
    ask_by_pfc(asked, 3, 0, 100 * US, &l);
    assert_int_equal(l.n, 1);
    assert_int_equal(l.most_ps, 11 * US);
    dp_came(&asked[3], 101 * US); /* After XON, the class may send. */
    ask_by_pfc(asked, 3, 0, 102 * US, &l);
    assert_int_equal(l.n, 1);
}

static void
pauses_end_by_themselves(void **state)
{
    struct dp_asked asked[WEIR_MAX_CLASSES] = { 0 };
    struct dp_lateness l = { 0 };

    (void)state;
    ask_by_pfc(asked, 0, 100, 10 * US, &l); /* The pause is 51.2 us. */
    dp_came(&asked[0], 12 * US);
    dp_came(&asked[0], 62 * US);
    dp_answered(&asked[0], &l);
    assert_int_equal(l.most_ps, 2 * US);
    ask_by_pfc(asked, 0, 100, 70 * US, &l);
    assert_int_equal(l.n, 2);
    /* No packet has arrived since the request, so no response is measured. */
    ask_by_pfc(asked, 0, 0, 80 * US, &l);
    assert_int_equal(l.n, 2);
}

/* Pauses of FAFC add up: a pause of 5 us follows one of 5 us that still lasts. */
static void
pauses_of_fafc_add_up(void **state)
{
    struct weir_fafc_pause f = { .opcode = WEIR_OPCODE_FAFC, .enable = 1, .pause_ns = { 5000 } };
    struct dp_asked asked[WEIR_MAX_CLASSES] = { 0 };
    struct dp_lateness l = { 0 };
    struct weir_frame frame;

    (void)state;
    weir_fafc_pause_encode(&f, &frame);
    dp_asked(asked, &frame, 1000000000, 10 * US, &l);
    dp_asked(asked, &frame, 1000000000, 11 * US, &l);
    dp_came(&asked[0], 19 * US);
    dp_came(&asked[0], 20 * US);
    dp_answered(&asked[0], &l);
    assert_int_equal(l.most_ps, 9 * US);
}

/* A stage of GFC sets a rate and does not ask for a stop. */
static void
rates_are_no_pauses(void **state)
{
    struct weir_class_frame f = { .opcode = WEIR_OPCODE_GFC, .enable = 1, .values = { 3 } };
    struct dp_asked asked[WEIR_MAX_CLASSES] = { 0 };
    struct dp_lateness l = { 0 };
    struct weir_frame frame;

    (void)state;
    weir_class_frame_encode(&f, &frame);
    dp_asked(asked, &frame, 1000000000, 10 * US, &l);
    assert_int_equal(asked[0].until_ps, 0);
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(numbers_come_back),
        cmocka_unit_test(numbers_grow_and_are_all_different),
        cmocka_unit_test(frames_leave_when_due_and_taken),
        cmocka_unit_test(waiting_has_an_end),
        cmocka_unit_test(full_lists_are_seldom_moved),
        cmocka_unit_test(lateness_is_counted_by_powers_of_two),
        cmocka_unit_test(answers_last_until_the_last_packet),
        cmocka_unit_test(pauses_end_by_themselves),
        cmocka_unit_test(pauses_of_fafc_add_up),
        cmocka_unit_test(rates_are_no_pauses),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
