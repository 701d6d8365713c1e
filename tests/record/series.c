/* Blocks of samples: they are read back unchanged, and a malformed block is refused with a message.
 */

#include "record/series.h"

#include <stdlib.h>

#include "../unit/unit.h"

static struct rec_frame
new_frame(uint32_t n_rows, uint32_t n_columns)
{
    return (struct rec_frame){ .values = calloc((size_t)n_rows * n_columns, sizeof(uint64_t)),
                               .n_columns = n_columns,
                               .n_rows = n_rows };
}

static void
assert_comes_back(const struct rec_frame *f)
{
    struct rec_packer *p = rec_packer_new();
    struct rec_frame back = new_frame(f->n_rows, f->n_columns);
    struct err err = { 0 };
    size_t n;

    const uint8_t *bytes = rec_packer_pack(p, f, &n);
    if (!rec_packer_unpack(p, &back, bytes, n, &err)) {
        fail_msg("%s", err.text);
    }
    assert_memory_equal(back.values, f->values,
                        (size_t)f->n_rows * f->n_columns * sizeof(uint64_t));
    free(back.values);
    rec_packer_free(p);
}

static void
numbers_of_every_length_come_back(void **state)
{
    uint64_t random = 1;

    (void)state;
    for (int round = 0; round < 300; round++) {
        uint32_t n_rows = 1 + (uint32_t)below(&random, 50);
        uint32_t n_columns = 1 + (uint32_t)below(&random, 10);
        struct rec_frame f = new_frame(n_rows, n_columns);
        uint64_t grain = of_any_length(&random);
        for (size_t i = 0; i < (size_t)n_rows * n_columns; i++) {
            f.values[i] = of_any_length(&random) * (round % 2 ? grain : 1);
        }
        assert_comes_back(&f);
        free(f.values);
    }
}

/* A step of half the range may be up or down. */
static void
the_largest_steps_come_back(void **state)
{
    static const uint64_t ends[] = { 0,          1, UINT64_MAX,        INT64_MAX, UINT64_C(1) << 63,
                                     UINT64_MAX, 0, UINT64_C(1) << 63, 0,         UINT64_MAX };
    struct rec_frame f = new_frame(N_OF(ends), 1);

    (void)state;
    memcpy(f.values, ends, sizeof ends);
    assert_comes_back(&f);
    f.n_rows = 1;
    assert_comes_back(&f);
    free(f.values);
}

static size_t
packed_bytes(uint64_t step, uint64_t jitter)
{
    struct rec_packer *p = rec_packer_new();
    struct rec_frame f = new_frame(1000, 1);
    uint64_t random = 1, value = 5;
    size_t n;

    for (uint32_t i = 0; i < f.n_rows; i++) {
        f.values[i] = value;
        value += step * (jitter ? below(&random, jitter) : 1);
    }
    rec_packer_pack(p, &f, &n);
    free(f.values);
    rec_packer_free(p);
    return n;
}

static void
what_is_regular_is_small(void **state)
{
    (void)state;
    assert_in_range(packed_bytes(0, 0), 1, 40);        /* A constant. */
    assert_in_range(packed_bytes(10000000, 0), 1, 50); /* A clock. */
    /* Numbers of packets: half a byte each. */
    assert_in_range(packed_bytes(1500, 16), 1, 700);
    /* Large numbers that vary as little take no more. */
    assert_in_range(packed_bytes(123456789, 16), 1, 700);
}

static void
a_block_has_rows_for_its_columns(void **state)
{
    (void)state;
    assert_int_equal(rec_frame_rows(1), REC_MAX_BLOCK_ROWS);
    assert_int_equal(rec_frame_rows(65), 1008);
    assert_int_equal(rec_frame_rows(1000000), 16);
}

/* Bytes that are no block. */

static void
assert_refused(const struct rec_frame *like, const uint8_t *bytes, size_t n, const char *words)
{
    struct rec_frame f = new_frame(like->n_rows, like->n_columns);
    /* The memory has exactly this length, so that a read beyond its end is detected. */
    uint8_t *copy = malloc(n ? n : 1);
    struct err err = { 0 };

    memcpy(copy, bytes, n);
    assert_false(rec_frame_unpack(&f, copy, n, &err));
    assert_says(err.text, words);
    free(copy);
    free(f.values);
}

static void
columns_that_end_early_or_late_are_refused(void **state)
{
    struct rec_frame f = new_frame(10, 3);
    uint8_t bytes[1000] = { 0 };

    (void)state;
    for (uint32_t i = 0; i < 30; i++) {
        f.values[i] = i * i * i;
    }
    size_t n = rec_frame_pack(&f, bytes);
    for (size_t cut = 0; cut < n; cut++) {
        assert_refused(&f, bytes, cut, "ends within column");
    }
    assert_refused(&f, bytes, n + 1, "1 bytes too long");
    bytes[16] = 9;
    assert_refused(&f, bytes, n, "numbers of 9 bytes");
    free(f.values);
}

/* One or two bits of the header of a compressed frame have no meaning; if they change, the samples
 * are the same. */
static void
any_byte_that_changed_is_found(void **state)
{
    struct rec_packer *p = rec_packer_new();
    struct rec_frame f = new_frame(100, 2), back = new_frame(100, 2);
    uint64_t random = 1;
    uint8_t bytes[2000];
    struct err err;
    size_t n, n_refused = 0;

    (void)state;
    for (uint32_t i = 0; i < 200; i++) {
        f.values[i] = of_any_length(&random);
    }
    const uint8_t *packed = rec_packer_pack(p, &f, &n);
    assert_in_range(n, 1, sizeof bytes);
    memcpy(bytes, packed, n);
    for (size_t i = 0; i < n; i++) {
        uint8_t flip = (uint8_t)(1u << below(&random, 8));
        bytes[i] ^= flip;
        if (rec_packer_unpack(p, &back, bytes, n, &err)) {
            assert_memory_equal(back.values, f.values, 200 * sizeof(uint64_t));
        } else {
            assert_says(err.text, "a block of samples");
            n_refused++;
        }
        bytes[i] ^= flip;
    }
    assert_in_range(n_refused, n - 3, n);
    for (size_t cut = 0; cut < n; cut++) {
        assert_false(rec_packer_unpack(p, &back, bytes, cut, &err));
    }
    assert_true(rec_packer_unpack(p, &back, bytes, n, &err));
    rec_packer_free(p);
    free(f.values);
    free(back.values);
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(numbers_of_every_length_come_back),
        cmocka_unit_test(the_largest_steps_come_back),
        cmocka_unit_test(what_is_regular_is_small),
        cmocka_unit_test(a_block_has_rows_for_its_columns),
        cmocka_unit_test(columns_that_end_early_or_late_are_refused),
        cmocka_unit_test(any_byte_that_changed_is_found),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
