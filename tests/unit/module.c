/* Modules are found next to the program and must have its version; others are refused with a
 * message. */

#include "base/module.h"

#include "unit.h"

static const char *const *
load(const char *file, const char *table, const char *version, struct err *err)
{
    return module_load(file, table, version, err);
}

static void
test_found_beside(void **state)
{
    struct err err = { 0 };
    const char *const *table = load("unit-module.so", "test_table", "1.2.3", &err);

    (void)state;
    assert_string_equal(err.text, "");
    assert_string_equal(table[1], "what it offers");
}

static void
test_refusals(void **state)
{
    static const struct {
        const char *file, *table, *version, *said;
    } cases[] = {
        { "unit-module.so", "test_table", "1.2.4",
          "unit-module.so has version 1.2.3, but the program has version 1.2.4" },
        { "unit-module.so", "no_table", "1.2.3", "undefined symbol: no_table" },
        { "no-module.so", "test_table", "1.2.3", "no-module.so: cannot open shared object file" },
        { "unit-not-a-module.so", "test_table", "1.2.3", "unit-not-a-module.so: invalid ELF" },
    };

    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct err err = { 0 };
        assert_null(load(cases[i].file, cases[i].table, cases[i].version, &err));
        if (!strstr(err.text, cases[i].said)) {
            fail_msg("'%s' is not in '%s'", cases[i].said, err.text);
        }
    }
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_found_beside),
        cmocka_unit_test(test_refusals),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
