/* Arenas: their memory is zeroed and aligned, and no two pieces overlap. */

#include "base/arena.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "unit.h"

enum { N_THINGS = 3000, MOST_BYTES = 5000, HUGE_PAGE = 1 << 21 };

/* Sizes from 0 on, by a fixed rule that mixes small and large ones: size i for piece i. */
static size_t
bytes_of(size_t i)
{
    return i * i * 7919 % MOST_BYTES >> i % 9;
}

static void
things_do_not_overlap(void **state)
{
    static unsigned char *things[N_THINGS];
    struct arena a = { 0 };

    (void)state;
    for (size_t i = 0; i < N_THINGS; i++) {
        things[i] = arena_new(&a, 1, bytes_of(i));
        assert_int_equal((uintptr_t)things[i] % (bytes_of(i) > 32 ? 64 : 16), 0);
        for (size_t k = 0; k < bytes_of(i); k++) {
            assert_int_equal(things[i][k], 0);
        }
        memset(things[i], (int)(i % 255 + 1), bytes_of(i));
    }
    for (size_t i = 0; i < N_THINGS; i++) {
        for (size_t k = 0; k < bytes_of(i); k++) {
            assert_int_equal(things[i][k], i % 255 + 1);
        }
    }
    arena_free(&a);
    assert_null(a.blocks);
}

static void
large_things_have_their_place(void **state)
{
    struct arena a = { 0 };

    (void)state;
    unsigned char *large = arena_new(&a, 3, HUGE_PAGE);
    unsigned char *next = arena_new(&a, 1, 8);
    assert_int_equal(large[3 * (size_t)HUGE_PAGE - 1], 0);
    assert_true(next < large || next >= large + 3 * (size_t)HUGE_PAGE);
    arena_free(&a);
    unsigned char *alone = arena_large(HUGE_PAGE);
    assert_int_equal((uintptr_t)alone % HUGE_PAGE, 0);
    free(alone);
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(things_do_not_overlap),
        cmocka_unit_test(large_things_have_their_place),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
