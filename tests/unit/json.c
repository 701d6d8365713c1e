/* The JSON writer: commas, nesting, lines and escapes; and text in XML. */

#include "base/json.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/xml.h"
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

static void
what_is_no_character_is_replaced(void **state)
{
    static const char *const broken[] = { "\xff", "\xc3", "\xe2\x82", "\xc0\x80", "\xed\xa0\x80" };
    static const size_t n_bytes[] = { 1, 1, 2, 2, 3 };

    (void)state;
    for (size_t i = 0; i < sizeof broken / sizeof *broken; i++) {
        char expected[40] = "\"";
        struct written w;
        for (size_t k = 0; k < n_bytes[i]; k++) {
            strcat(expected, "\\ufffd");
        }
        begin(&w, 0);
        json_text(&w.json, NULL, broken[i]);
        end(&w, strcat(expected, "\""));
    }
}

static void
what_is_not_finite_is_null(void **state)
{
    struct written w;

    (void)state;
    begin(&w, 0);
    json_open(&w.json, NULL, '[');
    json_real(&w.json, NULL, INFINITY, 6);
    json_real(&w.json, NULL, -INFINITY, 6);
    json_fixed(&w.json, NULL, NAN, 2);
    json_real(&w.json, NULL, 1e300, 6);
    json_close(&w.json, ']');
    end(&w, "[null, null, null, 1e+300]");
}

static void
assert_xml(const char *text, const char *expected)
{
    char *got;
    size_t len;
    FILE *out = open_memstream(&got, &len);

    xml_text(out, text);
    fclose(out);
    assert_string_equal(got, expected);
    free(got);
}

static void
text_in_xml_is_well_formed(void **state)
{
    (void)state;
    assert_xml("S1 \xc3\xa4\t", "S1 \xc3\xa4\t");
    assert_xml("<a b='\"'>&", "&lt;a b=&apos;&quot;&apos;&gt;&amp;");
    assert_xml("\x1b[2J", "\xef\xbf\xbd[2J");
    assert_xml("\xff|\xef\xbf\xbe|\xef\xbf\xbf", "\xef\xbf\xbd|\xef\xbf\xbd|\xef\xbf\xbd");
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_document_may_stand_on_one_line),
        cmocka_unit_test(items_have_lines_down_to_a_depth),
        cmocka_unit_test(nothing_stays_on_its_line),
        cmocka_unit_test(strings_are_escaped),
        cmocka_unit_test(what_is_no_character_is_replaced),
        cmocka_unit_test(what_is_not_finite_is_null),
        cmocka_unit_test(text_in_xml_is_well_formed),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
