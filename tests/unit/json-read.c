/* Flat JSON objects: the writer's output is read back unchanged, and anything else is an error. */

#include "base/json-read.h"

#include <stdlib.h>

#include "base/json.h"
#include "unit.h"

static void
next_is(struct json_read *f, const char *key, const char *text)
{
    assert_true(json_read_next(f));
    assert_string_equal(f->key, key);
    assert_string_equal(f->text, text);
}

static void
members_come_in_order(void **state)
{
    struct json_read f = { .at =
                               "{\"engine\": \"[pfc, ecn]\", \"victim\": 5e+09, \"none\": null}" };

    (void)state;
    next_is(&f, "engine", "[pfc, ecn]");
    next_is(&f, "victim", "5e+09");
    next_is(&f, "none", "");
    assert_false(json_read_next(&f));
    assert_false(json_read_next(&f));
}

static void
what_is_written_comes_back(void **state)
{
    static const char *const texts[] = { "",      "a \"b\" \\ c", "line\nline\t",
                                         "<tag>", "größer",       "\x01" };
    char *text = NULL;
    size_t len;
    struct json j = { .out = open_memstream(&text, &len) };

    (void)state;
    json_open(&j, NULL, '{');
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        json_text(&j, texts[i], texts[i]);
    }
    json_close(&j, '}');
    fclose(j.out);
    struct json_read f = { .at = text };
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        next_is(&f, texts[i], texts[i]);
    }
    assert_false(json_read_next(&f));
    free(text);
}

static void
what_is_none_ends(void **state)
{
    static const char *const texts[] = { "",          "{",         "{}",
                                         "[1]",       "{\"a",      "{\"a\"",
                                         "{\"a\":",   "{\"a\":\"", "{\"a\": \"\\",
                                         "{1: 2}",    "null",      "{\"a\": {",
                                         "\"a\": [1]" };

    (void)state;
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        struct json_read f = { .at = texts[i] };
        assert_false(json_read_next(&f));
    }
}

static void
what_is_long_is_cut(void **state)
{
    char text[3 * JSON_READ_BYTES] = "{\"a\": \"";
    struct json_read f = { .at = text };

    (void)state;
    memset(text + 7, 'x', 2 * JSON_READ_BYTES);
    strcpy(text + 7 + 2 * JSON_READ_BYTES, "\", \"b\": 1}");
    assert_true(json_read_next(&f));
    assert_int_equal(strlen(f.text), JSON_READ_BYTES - 1);
    next_is(&f, "b", "1");
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(members_come_in_order),
        cmocka_unit_test(what_is_written_comes_back),
        cmocka_unit_test(what_is_none_ends),
        cmocka_unit_test(what_is_long_is_cut),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
