/* The ring buffer between a switch and the thread that writes its capture. Frames that do not fit
 * are left out and counted. All other frames come out whole and in order, wherever they are in the
 * buffer, and the end of a capture leaves none in it. */

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include <cmocka.h>

#include "base/array.h"
#include "base/pcapng.h"
#include "run/exit.h"
#include "switch/running.h"

enum { RING_BYTES = 1 << 24, MAX_LEN = 9216 };

/* Memory after the ring buffer, which must stay unchanged. */

enum { BEHIND_BYTES = 2 * MAX_LEN, BEHIND = 0xa5 };

static uint8_t *ring;

void *__real_array_new(size_t n, size_t size);
void *__wrap_array_new(size_t n, size_t size);

void *
__wrap_array_new(size_t n, size_t size)
{
    if (n != RING_BYTES) {
        return __real_array_new(n, size);
    }
    ring = __real_array_new(n + BEHIND_BYTES, size);
    memset(ring + n, BEHIND, BEHIND_BYTES);
    return ring;
}

static void
expect_nothing_behind(void)
{
    for (size_t i = 0; i < BEHIND_BYTES; i++) {
        assert_int_equal(ring[RING_BYTES + i], BEHIND);
    }
}

/* Frames that are written, by a thread that a test can block before its next frame. */

static pthread_mutex_t gate = PTHREAD_MUTEX_INITIALIZER;
static atomic_uint n_written;
static atomic_bool is_wrong;

bool __wrap_pcapng_add_packet(struct pcapng *, const struct pcapng_packet *, struct err *);

/* The size of a frame follows from its number. */

static uint32_t
len_of(uint32_t number, uint32_t len)
{
    return len - number % 2 * 8;
}

static void
fill(uint8_t *bytes, uint32_t len, uint32_t number)
{
    memset(bytes, (int)(number % 251), len);
    memcpy(bytes, &number, sizeof number);
}

static uint32_t written_len; /* The length of the frames that the test writes now. */

bool
__wrap_pcapng_add_packet(struct pcapng *file, const struct pcapng_packet *p, struct err *err)
{
    uint32_t number = atomic_load(&n_written), len = len_of(number, written_len);
    uint8_t wanted[MAX_LEN];

    (void)file, (void)err;
    pthread_mutex_lock(&gate);
    pthread_mutex_unlock(&gate);
    fill(wanted, len, number);
    if (p->captured_bytes != len || memcmp(p->bytes, wanted, len) || p->interface != number % 2 ||
        p->time_ns != (int64_t)number ||
        p->direction != (number % 2 ? PCAPNG_OUTBOUND : PCAPNG_INBOUND)) {
        atomic_store(&is_wrong, true);
    }
    atomic_fetch_add(&n_written, 1);
    return true;
}

/* A capture and its ring buffer. */

static struct switch_capture *
begin(uint32_t len)
{
    const struct topo_node node = { .n_ports = 0 };
    const struct topo topo = { .nodes = (struct topo_node *)&node };
    struct err err;
    int code;

    written_len = len;
    atomic_store(&n_written, 0);
    atomic_store(&is_wrong, false);
    struct switch_capture *c = switch_capture_begin(&topo, 0, "/dev/null", true, &code, &err);
    assert_non_null(c);
    return c;
}

static void
put(struct switch_capture *c, uint32_t number)
{
    uint8_t bytes[MAX_LEN];
    const struct dp_frame frame = { .bytes = bytes, .len = len_of(number, written_len) };

    fill(bytes, frame.len, number);
    switch_capture_add(c, number % 2, &frame, (int64_t)number, number % 2);
}

static void
await_written(uint32_t n)
{
    while (atomic_load(&n_written) < n) {
        nanosleep(&(struct timespec){ .tv_nsec = 100000 }, NULL);
    }
}

static struct switch_captured
end(struct switch_capture *c)
{
    struct switch_captured told;
    struct err err;

    expect_nothing_behind();
    assert_int_equal(switch_capture_end(c, &told, &err), EXIT_GOOD);
    assert_false(atomic_load(&is_wrong));
    assert_int_equal(told.n_written, atomic_load(&n_written));
    return told;
}

/* The lengths of the frames leave 8, 16 or another number of bytes at the end of the ring buffer. 8
 * or 16 bytes are too few for a mark that the next frame is at the beginning. */
static void
the_ring_goes_round(void **state)
{
    static const uint32_t lengths[] = { 3536, 5392, MAX_LEN, 1518 };
    enum { AT_ONCE = 500 };

    (void)state;
    for (size_t i = 0; i < sizeof lengths / sizeof *lengths; i++) {
        struct switch_capture *c = begin(lengths[i]);
        uint32_t n = 5 * (RING_BYTES / lengths[i]) / 2;
        for (uint32_t number = 0; number < n; number++) {
            put(c, number);
            if (number % AT_ONCE == AT_ONCE - 1) {
                await_written(number + 1);
            }
        }
        struct switch_captured told = end(c);
        assert_int_equal(told.n_written, n);
        assert_int_equal(told.n_left_out, 0);
    }
}

/* If no thread writes, the ring buffer keeps the frames that fit, and counts the others. */
static void
what_does_not_fit_is_left_out(void **state)
{
    enum { LEN = 9000, N_MOST = RING_BYTES / LEN, N = N_MOST + 100 };
    struct switch_capture *c = begin(LEN);

    (void)state;
    pthread_mutex_lock(&gate);
    for (uint32_t number = 0; number < N; number++) {
        put(c, number);
    }
    pthread_mutex_unlock(&gate);
    struct switch_captured told = end(c);
    assert_int_equal(told.n_written + told.n_left_out, N);
    assert_in_range(told.n_written, N_MOST - 20, N_MOST + 1);
}

/* Frames that arrived after the writing thread looked for the last time are written, too. */
static void
the_end_has_the_last_frames(void **state)
{
    struct switch_capture *c = begin(1000);

    (void)state;
    put(c, 0);
    await_written(1);
    for (uint32_t number = 1; number < 100; number++) {
        put(c, number);
    }
    assert_int_equal(end(c).n_written, 100);
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_ring_goes_round),
        cmocka_unit_test(what_does_not_fit_is_left_out),
        cmocka_unit_test(the_end_has_the_last_frames),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
