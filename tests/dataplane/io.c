/* Frames in ring buffers of DPDK: they come out as they went in, and are neither lost nor kept. */

#include "dpdk-ports.h"

enum { N_FRAMES = 64, LEN = 100, MAX_LEN = 1518 };

static const struct dpdk_port two[] = { { .ring_to = 1 }, { .ring_to = 0 } };

/* Takes all frames that the pool has, up to this number. */
static uint32_t
make_all(const struct dp_io *io, struct dp_frame *frames, uint32_t max)
{
    uint32_t n = 0;

    while (n < max && io->make(io->arg, LEN, &frames[n])) {
        n++;
    }
    return n;
}

static void
drop_all(const struct dp_io *io, struct dp_frame *frames, uint32_t n)
{
    for (uint32_t i = 0; i < n; i++) {
        io->drop(io->arg, &frames[i]);
    }
}

/* Checks that all frames are back in the pool. */
static void
assert_all_there(const struct dp_io *io)
{
    struct dp_frame frames[N_FRAMES + 1];

    assert_int_equal(make_all(io, frames, N_FRAMES + 1), N_FRAMES);
    drop_all(io, frames, N_FRAMES);
}

/* Frames arrive in order and complete, with the time at which they were sent. */
static void
test_order(void **state)
{
    struct dp_io io = open_ports(two, 2, N_FRAMES, MAX_LEN);
    struct dp_frame frames[DP_BURST];

    (void)state;
    for (uint8_t i = 0; i < 10; i++) {
        frames[i] = made(&io, LEN + i, i);
        assert_true(frames[i].at == WEIR_NEVER);
        frames[i].at = 1000 * i;
    }
    assert_int_equal(io.send(io.arg, 0, frames, 10), 10);
    assert_int_equal(io.receive(io.arg, 0, frames, DP_BURST), 0);
    assert_int_equal(io.receive(io.arg, 1, frames, 3), 3);
    assert_int_equal(io.receive(io.arg, 1, frames + 3, DP_BURST - 3), 7);
    for (uint8_t i = 0; i < 10; i++) {
        assert_int_equal(frames[i].at, 1000 * i);
        assert_is(&io, &frames[i], LEN + i, i);
    }
    assert_true(io.is_up(io.arg, 0));
    assert_all_there(&io);
    dpdk->close(&io);
}

/* A ring buffer takes all frames of the pool, in as many bursts as it needs. */
static void
test_full_ring(void **state)
{
    struct dp_io io = open_ports(two, 2, N_FRAMES, MAX_LEN);
    struct dp_frame frames[N_FRAMES];

    (void)state;
    assert_int_equal(make_all(&io, frames, N_FRAMES), N_FRAMES);
    for (uint32_t i = 0; i < N_FRAMES; i++) {
        frames[i].at = i;
    }
    assert_int_equal(io.send(io.arg, 0, frames, N_FRAMES), N_FRAMES);
    for (uint32_t n = 0; n < N_FRAMES; n += DP_BURST) {
        assert_int_equal(io.receive(io.arg, 1, frames, N_FRAMES), DP_BURST);
        assert_int_equal(frames[DP_BURST - 1].at, n + DP_BURST - 1);
        drop_all(&io, frames, DP_BURST);
    }
    dpdk->close(&io);
}

/* Closing gives back the frames in a ring buffer and all other memory: DPDK has room for 2560
 * memory zones, and a pool takes three. */
static void
test_close_with_frames(void **state)
{
    for (int i = 0; i < 1000; i++) {
        struct dp_io io = open_ports(two, 2, N_FRAMES, MAX_LEN);
        struct dp_frame frame = made(&io, LEN, 1);
        (void)state;
        assert_int_equal(io.send(io.arg, 1, &frame, 1), 1);
        dpdk->close(&io);
    }
}

static void
test_dry(void **state)
{
    struct dp_io io = open_ports(two, 2, N_FRAMES, MAX_LEN);
    struct dp_frame frames[N_FRAMES], one;

    (void)state;
    assert_int_equal(make_all(&io, frames, N_FRAMES), N_FRAMES);
    assert_false(io.make(io.arg, LEN, &one));
    assert_false(io.copy(io.arg, &frames[0], &one));
    io.drop(io.arg, &frames[0]);
    assert_true(io.make(io.arg, LEN, &frames[0]));
    drop_all(&io, frames, N_FRAMES);
    assert_all_there(&io);
    dpdk->close(&io);
}

/* Each copy leaves through its own port at its own time; the bytes stay until the last copy has
 * left. */
static void
test_copies(void **state)
{
    struct dp_io io = open_ports(two, 2, N_FRAMES, MAX_LEN);
    struct dp_frame frames[3];

    (void)state;
    frames[0] = made(&io, LEN, 9);
    assert_true(io.copy(io.arg, &frames[0], &frames[1]));
    assert_true(io.copy(io.arg, &frames[1], &frames[2]));
    frames[0].at = 100;
    frames[1].at = 200;
    io.drop(io.arg, &frames[2]);
    assert_int_equal(io.send(io.arg, 0, frames, 2), 2);
    assert_int_equal(io.receive(io.arg, 1, frames, 2), 2);
    assert_int_equal(frames[0].at, 100);
    assert_int_equal(frames[1].at, 200);
    assert_is(&io, &frames[0], LEN, 9);
    assert_is(&io, &frames[1], LEN, 9);
    assert_all_there(&io);
    dpdk->close(&io);
}

/* A process may have several tables of ports at the same time. */
static void
test_two_tables(void **state)
{
    struct dp_io a = open_ports(two, 2, N_FRAMES, MAX_LEN);
    struct dp_io b = open_ports(two, 1 + 1, N_FRAMES, DP_MAX_LEN);
    struct dp_frame frame = made(&b, DP_MAX_LEN, 3);

    (void)state;
    assert_int_equal(b.send(b.arg, 0, &frame, 1), 1);
    assert_int_equal(a.receive(a.arg, 1, &frame, 1), 0);
    assert_int_equal(b.receive(b.arg, 1, &frame, 1), 1);
    assert_is(&b, &frame, DP_MAX_LEN, 3);
    dpdk->close(&a);
    dpdk->close(&b);
}

/* A fat tree of k = 12 has more ports than DPDK has room for names. */
static void
test_many_ports(void **state)
{
    enum { N_PORTS = 3000 };
    static struct dpdk_port ports[N_PORTS];

    (void)state;
    for (uint32_t i = 0; i < N_PORTS; i++) {
        ports[i].ring_to = (int64_t)(i + 1) % N_PORTS;
    }
    struct dp_io io = open_ports(ports, N_PORTS, N_FRAMES, MAX_LEN);
    struct dp_frame frame = made(&io, LEN, 4);
    for (uint32_t i = 0; i < N_PORTS; i++) {
        assert_int_equal(io.send(io.arg, i, &frame, 1), 1);
        assert_int_equal(io.receive(io.arg, (i + 1) % N_PORTS, &frame, 1), 1);
    }
    assert_is(&io, &frame, LEN, 4);
    dpdk->close(&io);
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_order),
        cmocka_unit_test(test_full_ring),
        cmocka_unit_test(test_close_with_frames),
        cmocka_unit_test(test_dry),
        cmocka_unit_test(test_copies),
        cmocka_unit_test(test_two_tables),
        cmocka_unit_test(test_many_ports),
    };

    return cmocka_run_group_tests(tests, begin, end);
}
