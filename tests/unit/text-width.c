/* Lines end at blanks, but not between a number and its unit. */

#include <ctype.h>
#include <string.h>

#include "output/text-width.h"
#include "unit.h"

/* The text, and where lines of 20 bytes end. */
static const struct {
    const char *text;
    size_t len;
} broken[] = {
    { "it fits", 7 },
    { "paused since about 2.8 ms", 18 },
    { "paused since the 12 packets", 19 },
    { "a link that has 100 Gb/s, and", 15 },
    { "utilisation up to 97 % of it", 17 },
    { "all hosts of H1 seem to be blocked", 20 },
    { "one-word-that-is-wider than it", 22 },
    { "100 ms", 6 },
};

static void
a_number_and_its_unit_stay_on_one_line(void **state)
{
    (void)state;
    for (size_t i = 0; i < N_OF(broken); i++) {
        assert_int_equal(text_line(broken[i].text, 20), broken[i].len);
    }
    for (uint64_t value = 1; value < UINT64_MAX / 1000; value *= 10) { /* Values of every unit. */
        struct weir_text text = { 0 };
        weir_text_add(&text, "%b %t %r", value, value, value);
        for (const char *at = text.s; (at = strchr(at, ' ')); at++) {
            assert_int_equal(text_may_break(text.s, (size_t)(at - text.s)), !!isdigit(at[1]));
        }
    }
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_number_and_its_unit_stay_on_one_line),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
