/* The JSON writer: commas, nesting, lines and escapes. */

#include "base/json.h"

#include <stdlib.h>
#include <string.h>

#include "unit.h"

struct written {
    char *text;
    size_t len;
    struct json json;
};

static void
begin(struct written *w, unsigned lines)
{
    *w = (struct written){ .json = { .lines = lines } };
    w->json.out = open_memstream(&w->text, &w->len);
}

static void
end(struct written *w, const char *expected)
{
    fclose(w->json.out);
    assert_string_equal(w->text, expected);
    free(w->text);
}

static void
write_all_kinds(struct json *j)
{
    json_open(j, NULL, '{');
    json_text(j, "name", "S1");
    json_text(j, "none", NULL);
    json_open(j, "values", '[');
    json_number(j, NULL, UINT64_MAX);
    json_real(j, NULL, 0.5, 6);
    json_fixed(j, NULL, 0.25, 3);
    json_bool(j, NULL, true);
    json_null(j, NULL);
    json_close(j, ']');
    json_open(j, "empty", '[');
    json_close(j, ']');
    json_number(j, "last", 1);
    json_close(j, '}');
}

static void
a_document_may_stand_on_one_line(void **state)
{
    struct written w;

    (void)state;
    begin(&w, 0);
    write_all_kinds(&w.json);
    end(&w, "{\"name\": \"S1\", \"none\": null, \"values\": [18446744073709551615, 0.5, 0.250, "
            "true, null], \"empty\": [], \"last\": 1}");
}

static void
items_have_lines_down_to_a_depth(void **state)
{
    struct written w;

    (void)state;
    begin(&w, 1);
    write_all_kinds(&w.json);
    end(&w, "{\n  \"name\": \"S1\",\n  \"none\": null,\n  \"values\": [18446744073709551615, 0.5, "
            "0.250, true, null],\n  \"empty\": [],\n  \"last\": 1\n}\n");
}

static void
nothing_stays_on_its_line(void **state)
{
    struct written w;

    (void)state;
    begin(&w, 3);
    json_open(&w.json, NULL, '[');
    json_close(&w.json, ']');
    end(&w, "[]\n");
}

static void
strings_are_escaped(void **state)
{
    struct written w;

    (void)state;
    begin(&w, 0);
    json_text(&w.json, NULL, "a\"b\\c\n</script>\x01 \xc3\xa4");
    end(&w, "\"a\\\"b\\\\c\\u000a\\u003c/script>\\u0001 \xc3\xa4\"");
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_document_may_stand_on_one_line),
        cmocka_unit_test(items_have_lines_down_to_a_depth),
        cmocka_unit_test(nothing_stays_on_its_line),
        cmocka_unit_test(strings_are_escaped),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
