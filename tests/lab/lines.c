/* Messages between a lab and its processes arrive whole and in order, long ones in parts, and block
 * neither side. */

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <stdlib.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/array.h"
#include "lab/reports.h"

enum { LONG_BYTES = 3000000 };

struct ends {
    struct lab_line a, b;
};

static struct ends
join(void)
{
    int sockets[2];

    assert_int_equal(socketpair(AF_UNIX, SOCK_STREAM, 0, sockets), 0);
    return (struct ends){ { .socket = sockets[0] }, { .socket = sockets[1] } };
}

static void
part(struct ends *e)
{
    lab_line_free(&e->a);
    lab_line_free(&e->b);
    close(e->a.socket);
    close(e->b.socket);
}

static void
expect(struct lab_line *l, enum lab_word word, weir_ps at, const uint8_t *bytes, size_t n)
{
    struct lab_message m;

    assert_int_equal(lab_line_pull(l, false, &m), LAB_MESSAGE);
    assert_int_equal(m.word, word);
    assert_int_equal(m.at, at);
    assert_int_equal(m.bytes.n, n);
    if (n) {
        assert_memory_equal(m.bytes.bytes, bytes, n);
    }
    sim_parcel_free(&m.bytes);
}

static void
words_come_whole_and_in_order(void **state)
{
    struct ends e = join();
    struct lab_message m;

    (void)state;
    assert_int_equal(lab_line_pull(&e.b, false, &m), LAB_NOTHING);
    lab_line_put(&e.a, LAB_REPORT, 12345, "seven", 5);
    lab_line_put(&e.a, LAB_ENDED, 0, NULL, 0);
    assert_true(lab_line_push(&e.a));
    assert_true(lab_line_is_empty(&e.a));
    expect(&e.b, LAB_REPORT, 12345, (const uint8_t *)"seven", 5);
    expect(&e.b, LAB_ENDED, 0, NULL, 0);
    assert_int_equal(lab_line_pull(&e.b, false, &m), LAB_NOTHING);
    part(&e);
}

/* If nobody reads, the bytes that the socket refuses are kept, and sent once somebody reads. */
static void
long_words_go_in_parts_and_are_not_waited_for(void **state)
{
    uint8_t *bytes = array_new(LONG_BYTES, 1);
    struct ends e = join();
    struct lab_message m;
    enum lab_heard heard;
    unsigned n_pushes = 0;

    (void)state;
    for (size_t i = 0; i < LONG_BYTES; i++) {
        bytes[i] = (uint8_t)(i * 2654435761u >> 13);
    }
    lab_line_put(&e.a, LAB_REPORT, 1, bytes, LONG_BYTES);
    lab_line_put(&e.a, LAB_LAST, 2, "end", 3);
    assert_true(lab_line_push(&e.a));
    assert_false(lab_line_is_empty(&e.a));
    while ((heard = lab_line_pull(&e.b, false, &m)) == LAB_NOTHING) {
        assert_true(lab_line_push(&e.a));
        n_pushes++;
    }
    assert_int_equal(heard, LAB_MESSAGE);
    assert_true(n_pushes > 1);
    assert_int_equal(m.bytes.n, LONG_BYTES);
    assert_memory_equal(m.bytes.bytes, bytes, LONG_BYTES);
    sim_parcel_free(&m.bytes);
    assert_true(lab_line_push(&e.a));
    expect(&e.b, LAB_LAST, 2, (const uint8_t *)"end", 3);
    free(bytes);
    part(&e);
}

/* A line that was written before the connection ended is read first, and then the end. */
static void
an_end_is_noticed_behind_the_last_word(void **state)
{
    struct ends e = join();
    struct lab_message m;

    (void)state;
    lab_line_put(&e.a, LAB_FAILED, 0, "why", 4);
    assert_true(lab_line_push(&e.a));
    close(e.a.socket);
    expect(&e.b, LAB_FAILED, 0, (const uint8_t *)"why", 4);
    assert_int_equal(lab_line_pull(&e.b, true, &m), LAB_GONE);
    lab_line_put(&e.b, LAB_STOP, 0, NULL, 0);
    assert_false(lab_line_push(&e.b));
    e.a.socket = -1;
    part(&e);
}

/* A line that is not part of the protocol ends the connection. */
static void
other_bytes_count_as_the_end(void **state)
{
    static const uint8_t odd[40] = { 200 };
    struct ends e = join();
    struct lab_message m;

    (void)state;
    assert_int_equal(send(e.a.socket, odd, sizeof odd, 0), sizeof odd);
    assert_int_equal(lab_line_pull(&e.b, false, &m), LAB_GONE);
    part(&e);
}

/* An incomplete message is not delivered, wherever it ends, and takes no more memory than its
 * bytes. */
static void
half_a_word_is_not_heard(void **state)
{
    static const struct lab_head head = { .word = LAB_REPORT, .n_bytes = UINT64_MAX / 2 };
    static const size_t lengths[] = { 5, sizeof head };

    (void)state;
    for (size_t i = 0; i < 2; i++) {
        struct ends e = join();
        struct lab_message m;
        assert_int_equal(send(e.a.socket, &head, lengths[i], 0), lengths[i]);
        assert_int_equal(lab_line_pull(&e.b, false, &m), LAB_NOTHING);
        assert_true(e.b.in.max < 1 << 20);
        close(e.a.socket);
        assert_int_equal(lab_line_pull(&e.b, false, &m), LAB_GONE);
        e.a.socket = -1;
        part(&e);
    }
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(words_come_whole_and_in_order),
        cmocka_unit_test(long_words_go_in_parts_and_are_not_waited_for),
        cmocka_unit_test(an_end_is_noticed_behind_the_last_word),
        cmocka_unit_test(other_bytes_count_as_the_end),
        cmocka_unit_test(half_a_word_is_not_heard),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
