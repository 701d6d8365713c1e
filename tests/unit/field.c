/* Fields: conversion of values to text and back, and messages that say what to change. */

#include "unit.h"

struct values {
    uint64_t size, wait, speed, count, limit, code, share, mode;
};

static const char *const modes[] = { "static", "dynamic", 0 };

static const struct weir_field table[] = {
    WEIR_FIELD(struct values, size, "size", WEIR_BYTES, .fallback = WEIR_AUTO, .min = 64,
               .max = 800000, .derived = "the room"),
    WEIR_FIELD(struct values, wait, "wait", WEIR_TIME, .fallback = 52400000, .min = 1000,
               .max = WEIR_PS_PER_S),
    WEIR_FIELD(struct values, speed, "speed", WEIR_RATE, .fallback = 8000, .max = 10 * GBPS),
    WEIR_FIELD(struct values, count, "count", WEIR_COUNT, .fallback = 16, .min = 2, .max = 32),
    WEIR_FIELD(struct values, limit, "limit", WEIR_COUNT, .fallback = WEIR_OFF, .max = 32,
               .may_be_off = true),
    WEIR_FIELD(struct values, code, "code", WEIR_CODE, .fallback = 0x0102, .min = 1, .max = 0xffff),
    WEIR_FIELD(struct values, share, "share", WEIR_RATIO, .fallback = WEIR_RATIO_1 / 8,
               .max = WEIR_RATIO_1),
    WEIR_FIELD(struct values, mode, "mode", WEIR_CHOICE, .fallback = 1, .choices = modes),
    { 0 },
};

static const struct weir_field *
field(const char *name)
{
    const struct weir_field *f = weir_field_find(table, name);
    assert_non_null(f);
    return f;
}

static struct weir_text
written(const struct weir_field *f, uint64_t value)
{
    struct weir_text t = { 0 };
    weir_text_add(&t, "%F", f, value);
    return t;
}

static void
assert_comes_back(const struct weir_field *f, uint64_t value)
{
    struct weir_text text = written(f, value), why = { 0 };
    uint64_t back = ~value;

    if (!weir_field_parse(f, text.s, &back, &why) || back != value) {
        fail_msg("%s: %ju is written %s, which reads %ju %s", f->name, (uintmax_t)value, text.s,
                 (uintmax_t)back, why.s);
    }
}

/* Values that are read. */

static const struct {
    enum weir_kind kind;
    const char *text;
    uint64_t value;
} readable[] = {
    { WEIR_BYTES, "1500B", 1500 },
    { WEIR_BYTES, "800KB", 800000 },
    { WEIR_BYTES, "1.5MB", 1500000 },
    { WEIR_BYTES, "64KiB", 65536 },
    { WEIR_BYTES, "1.5KiB", 1536 },
    { WEIR_BYTES, "2GiB", UINT64_C(1) << 31 },
    { WEIR_BYTES, "4GB", 4000000000 },
    { WEIR_BYTES, "1500 B", 1500 },
    { WEIR_BYTES, "1.33 MB", 1330000 },
    { WEIR_BYTES, "0.002 TB", 2000000000 },
    { WEIR_BYTES, "0 B", 0 },
    { WEIR_BYTES, "0", 0 },
    { WEIR_BYTES, "0.000", 0 },
    { WEIR_TIME, "500ns", 500000 },
    { WEIR_TIME, "52.4us", 52400000 },
    { WEIR_TIME, "0.001ns", 1 },
    { WEIR_TIME, "5.25 us", 5250000 },
    { WEIR_TIME, "10ms", 10000000000 },
    { WEIR_TIME, "2s", 2000000000000 },
    { WEIR_TIME, "7ps", 7 },
    { WEIR_RATE, "8kbps", 8000 },
    { WEIR_RATE, "2.5Gbps", 2500000000 },
    { WEIR_RATE, "1Tbps", 1000000000000 },
    { WEIR_RATE, "3bps", 3 },
    { WEIR_RATE, "2.5 Gbps", 2500000000 },
    { WEIR_RATE, "100 Gb/s", 100000000000 },
    { WEIR_RATE, "1Tb/s", 1000000000000 },
    { WEIR_RATE, "7 b/s", 7 },
    { WEIR_COUNT, "16", 16 },
    { WEIR_COUNT, "9223372036854775806", INT64_MAX - 1 },
    { WEIR_CODE, "0x0102", 0x0102 },
    { WEIR_CODE, "0xfFfF", 0xffff },
    { WEIR_CODE, "258", 258 },
    { WEIR_RATIO, "1", WEIR_RATIO_1 },
    { WEIR_RATIO, "0.8", 52429 }, /* The nearest ratio to 52428.8 / 2^16. */
    { WEIR_RATIO, "0.125", WEIR_RATIO_1 / 8 },
    { WEIR_RATIO, "128", 128 * WEIR_RATIO_1 },
};

static void
values_are_read_in_their_units(void **state)
{
    (void)state;
    for (size_t i = 0; i < N_OF(readable); i++) {
        struct weir_text why = { 0 };
        uint64_t value = 0;
        if (!weir_value_parse(readable[i].kind, readable[i].text, &value, &why)) {
            fail_msg("%s: %s", readable[i].text, why.s);
        }
        assert_int_equal(value, readable[i].value);
    }
}

static const struct {
    enum weir_kind kind;
    const char *text;
} unreadable[] = {
    { WEIR_BYTES, "" },
    { WEIR_BYTES, "B" },
    { WEIR_BYTES, "1500" }, /* The unit is missing. */
    { WEIR_BYTES, "1500  B" },
    { WEIR_BYTES, "1500 " },
    { WEIR_BYTES, "1500\tB" },
    { WEIR_BYTES, "1 500B" },
    { WEIR_BYTES, "0 " },
    { WEIR_BYTES, " 1500B" },
    { WEIR_BYTES, "1500Bx" },
    { WEIR_BYTES, "-1B" },
    { WEIR_BYTES, "+1B" },
    { WEIR_BYTES, "1,5KB" },
    { WEIR_BYTES, ".5KB" },
    { WEIR_BYTES, "1.KB" },
    { WEIR_BYTES, "1.5B" }, /* Not a whole number of bytes. */
    { WEIR_BYTES, "0.1KiB" },
    { WEIR_BYTES, "1kb" },
    { WEIR_BYTES, "5us" },
    { WEIR_BYTES, "0x10B" },
    { WEIR_BYTES, "10000000000GB" }, /* More than 64 bits can hold. */
    { WEIR_BYTES, "18446744073709551617B" },
    { WEIR_BYTES, "99999999999999999999999999B" },
    { WEIR_TIME, "0.5ps" },
    { WEIR_TIME, "1.0000000000001s" },
    { WEIR_TIME, "10" },
    { WEIR_TIME, "1us2ns" },
    { WEIR_RATE, "10GB/s" },
    { WEIR_RATE, "10G" },
    { WEIR_COUNT, "1.5" },
    { WEIR_COUNT, "16 " },
    { WEIR_RATIO, "0.5 " },
    { WEIR_COUNT, "0x10" },
    { WEIR_COUNT, "ten" },
    { WEIR_COUNT, "9223372036854775807" },
    { WEIR_CODE, "0x" },
    { WEIR_CODE, "0x01g2" },
    { WEIR_CODE, "0x11111111111111111" },
    { WEIR_RATIO, "80%" },
    { WEIR_RATIO, "1/8" },
};

static void
other_text_is_refused_and_quoted(void **state)
{
    (void)state;
    for (size_t i = 0; i < N_OF(unreadable); i++) {
        struct weir_text why = { 0 }, quoted = { 0 };
        uint64_t value;
        if (weir_value_parse(unreadable[i].kind, unreadable[i].text, &value, &why)) {
            fail_msg("'%s' was read as %ju", unreadable[i].text, (uintmax_t)value);
        }
        weir_text_add(&quoted, "'%s' is not a", unreadable[i].text);
        assert_says(why.s, quoted.s);
        assert_says(why.s, ": write "); /* The message contains an example. */
    }
}

/* Values that are written, and read back. */

static const struct {
    const char *field;
    uint64_t value;
    const char *text;
} written_so[] = {
    { "size", 0, "0B" },
    { "size", 9999, "9999B" },
    { "size", 10000, "10KB" },
    { "size", 12345, "12.345KB" },
    { "size", 140800, "140.8KB" },
    { "size", 10000001, "10.000001MB" },
    { "size", 10000000000, "10GB" },
    { "size", WEIR_AUTO, "auto" },
    { "wait", 0, "0ps" },
    { "wait", 999, "999ps" },
    { "wait", 52400000, "52.4us" },
    { "wait", 5242800, "5.2428us" },
    { "wait", 1000000000001, "1.000000000001s" },
    { "wait", WEIR_NEVER, "never" },
    { "speed", 8000, "8kbps" },
    { "speed", 2500000000, "2.5Gbps" },
    { "speed", 152587, "152.587kbps" },
    { "limit", WEIR_OFF, "off" },
    { "count", 0, "0" },
    { "count", 65535, "65535" },
    { "code", 0x0102, "0x0102" },
    { "code", 0x12345, "0x12345" },
    { "share", WEIR_RATIO_1, "1" },
    { "share", WEIR_RATIO_1 / 8, "0.125" },
    { "share", 9830,
      "0.15" }, /* 0.149994 is printed with the fewest digits that are read as the same value. */
    { "share", 52429, "0.8" },
    { "share", 3 * WEIR_RATIO_1 / 2, "1.5" },
    { "mode", 0, "static" },
    { "mode", 1, "dynamic" },
};

static void
values_are_written_with_their_units(void **state)
{
    (void)state;
    for (size_t i = 0; i < N_OF(written_so); i++) {
        struct weir_text t = written(field(written_so[i].field), written_so[i].value);
        assert_string_equal(t.s, written_so[i].text);
    }
}

static void
any_number_comes_back(void **state)
{
    const char *const names[] = { "size", "wait", "speed", "count" };
    uint64_t random = 14;

    (void)state;
    for (size_t i = 0; i < N_OF(names); i++) {
        for (int k = 0; k < 10000; k++) {
            assert_comes_back(field(names[i]), of_any_length(&random) % (INT64_MAX - 1));
        }
    }
}

/* Text for users shows three digits; a value that they paste from it is read as shown. */
static void
any_shown_number_comes_back_to_three_digits(void **state)
{
    static const struct {
        const char *format;
        enum weir_kind kind;
    } shown[] = { { "%b", WEIR_BYTES }, { "%t", WEIR_TIME }, { "%r", WEIR_RATE } };
    uint64_t random = 16;

    (void)state;
    for (int k = 0; k < 30000; k++) {
        struct weir_text text = { 0 }, why = { 0 };
        uint64_t value = of_any_length(&random) % UINT64_C(1000000000000000), unit = 1, back;
        while (value / unit >= 1000) {
            unit *= 10;
        }
        weir_text_add(&text, shown[k % 3].format, value);
        if (!weir_value_parse(shown[k % 3].kind, text.s, &back, &why) ||
            back != (value + unit / 2) / unit * unit) {
            fail_msg("%ju is shown as %s, which reads %ju %s", (uintmax_t)value, text.s,
                     (uintmax_t)back, why.s);
        }
    }
}

static void
any_code_comes_back(void **state)
{
    (void)state;
    for (uint64_t code = 0; code <= 0xffff; code++) {
        assert_comes_back(field("code"), code);
    }
}

static void
a_code_of_sixteen_digits_comes_back(void **state)
{
    (void)state;
    assert_comes_back(field("code"), UINT64_C(0x123456789abcdef));
    assert_comes_back(field("code"), UINT64_C(0x123456789abcdef0));
}

static void
any_ratio_comes_back(void **state)
{
    uint64_t random = 15;

    (void)state;
    for (uint64_t ratio = 0; ratio <= 2 * WEIR_RATIO_1; ratio++) {
        assert_comes_back(field("share"), ratio);
        assert_comes_back(field("share"), below(&random, 1000000 * (uint64_t)WEIR_RATIO_1));
    }
}

static void
formats_of_every_kind(void **state)
{
    struct weir_text t = { 0 };

    (void)state;
    weir_text_add(&t, "%s %u %x %B", "a", UINT64_C(7), UINT64_C(0xab), UINT64_C(1500));
    weir_text_add(&t, " %T %R %Q 100%%", INT64_C(52400000), 10 * GBPS, UINT64_C(32768));
    assert_string_equal(t.s, "a 7 00ab 1500B 52.4us 10Gbps 0.5 100%");
    assert_int_equal(t.len, strlen(t.s));
}

static void
text_that_does_not_fit_is_cut(void **state)
{
    struct weir_text t = { 0 };

    (void)state;
    for (int i = 0; i < WEIR_TEXT_MAX; i++) {
        weir_text_add(&t, "%u%s", UINT64_C(12345678), "word");
    }
    assert_int_equal(t.len, WEIR_TEXT_MAX - 1);
    assert_int_equal(strlen(t.s), WEIR_TEXT_MAX - 1);
}

/* Messages that are whole sentences. */

static void
a_bad_value_names_its_field(void **state)
{
    struct weir_text why = { 0 };
    uint64_t value;

    (void)state;
    assert_false(weir_field_parse(field("wait"), "52.4", &value, &why));
    assert_says(why.s, "wait");
    assert_says(why.s, "'52.4'");
    assert_says(why.s, "52.4us"); /* The example in the message. */
}

static void
a_range_is_named_with_field_and_value(void **state)
{
    struct weir_text why = { 0 };

    (void)state;
    assert_false(weir_field_check(field("size"), 63, &why));
    assert_says(why.s, "size is 63B");
    assert_says(why.s, "64B");
    assert_says(why.s, "800KB");

    why = (struct weir_text){ 0 };
    assert_false(weir_field_check(field("wait"), 2 * (uint64_t)WEIR_PS_PER_S, &why));
    assert_says(why.s, "wait is 2s");
    assert_says(why.s, "1ns");
    assert_says(why.s, "1s");
}

static void
both_ends_of_a_range_may_be_taken(void **state)
{
    struct weir_text why = { 0 };

    (void)state;
    assert_true(weir_field_check(field("count"), 2, &why));
    assert_true(weir_field_check(field("count"), 32, &why));
    assert_int_equal(why.len, 0);
    assert_false(weir_field_check(field("count"), 1, &why));
    assert_false(weir_field_check(field("count"), 33, &why));
}

static void
only_a_derived_field_may_be_auto(void **state)
{
    struct weir_text why = { 0 };
    uint64_t value = 0;

    (void)state;
    assert_true(weir_field_parse(field("size"), "auto", &value, &why));
    assert_int_equal(value, WEIR_AUTO);
    assert_true(weir_field_check(field("size"), WEIR_AUTO, &why));
    assert_false(weir_field_parse(field("count"), "auto", &value, &why));
    assert_says(why.s, "count: 'auto'");
    assert_false(weir_field_check(field("count"), WEIR_AUTO, &why));
}

static void
only_who_may_be_off_is_off(void **state)
{
    struct weir_text why = { 0 };
    uint64_t value = 0;

    (void)state;
    assert_true(weir_field_parse(field("limit"), "off", &value, &why));
    assert_int_equal(value, WEIR_OFF);
    assert_true(weir_field_check(field("limit"), WEIR_OFF, &why));
    assert_false(weir_field_parse(field("count"), "off", &value, &why));
    assert_says(why.s, "count: 'off' is not a whole number");
    assert_false(weir_field_check(field("count"), WEIR_OFF, &why));
    why = (struct weir_text){ 0 };
    assert_false(weir_field_parse(field("limit"), "of", &value, &why));
    assert_says(why.s, "write 16 or 1000000, or off");
    assert_false(weir_field_check(field("limit"), 33, &why));
    assert_says(why.s, "between 0 and 32, or be off");
}

static void
choices_are_read_by_name(void **state)
{
    struct weir_text why = { 0 };
    uint64_t value = 7;

    (void)state;
    assert_true(weir_field_parse(field("mode"), "static", &value, &why));
    assert_int_equal(value, 0);
    assert_true(weir_field_parse(field("mode"), "dynamic", &value, &why));
    assert_int_equal(value, 1);
    assert_int_equal(why.len, 0);
    assert_false(weir_field_parse(field("mode"), "dynami", &value, &why));
    assert_says(why.s, "mode");
    assert_says(why.s, "'dynami'");
    assert_says(why.s, "static or dynamic");
}

/* Tables of parameters. */

static void
fields_are_found_set_and_defaulted(void **state)
{
    struct values v;

    (void)state;
    memset(&v, 0xee, sizeof v);
    weir_fields_default(table, &v);
    assert_int_equal(v.size, WEIR_AUTO);
    assert_int_equal(v.code, 0x0102);
    assert_int_equal(v.mode, 1);
    weir_field_set(field("count"), &v, 20);
    assert_int_equal(v.count, 20);
    assert_int_equal(weir_field_get(field("count"), &v), 20);
    assert_null(weir_field_find(table, "coun"));
    assert_null(weir_field_find(table, "counts"));
    assert_null(weir_field_find(table, ""));
    assert_null(weir_field_find(NULL, "count"));
}

static void
kinds_have_names(void **state)
{
    (void)state;
    for (int kind = WEIR_BYTES; kind <= WEIR_CHOICE; kind++) {
        assert_non_null(weir_kind_name((enum weir_kind)kind));
    }
    assert_string_equal(weir_kind_name(WEIR_RATIO), "ratio");
}

static void
check_parameter(const struct weir_engine *engine, const struct weir_field *f)
{
    struct weir_text why = { 0 };

    /* No other parameter of the engine has this name. */
    assert_ptr_equal(weir_field_find(engine->about.params, f->name), f);
    assert_true(f->offset + sizeof(uint64_t) <= engine->about.params_bytes);
    assert_non_null(f->help);
    assert_non_null(f->source);
    assert_true(weir_field_check(f, f->fallback, &why));
    assert_comes_back(f, f->fallback);
    if (f->kind == WEIR_CHOICE) {
        return;
    }
    assert_comes_back(f, f->min);
    assert_comes_back(f, f->max);
    assert_false(weir_field_check(f, f->max + 1, &why));
    assert_says(why.s, f->name);
    if (f->min) {
        assert_false(weir_field_check(f, f->min - 1, &why));
    }
}

static void
every_engine_has_sound_parameters(void **state)
{
    (void)state;
    for (uint32_t e = 0; weir_engine_at(e); e++) {
        assert_ptr_equal(weir_engine_find(weir_engine_at(e)->about.name), weir_engine_at(e));
        for (const struct weir_field *f = weir_engine_at(e)->about.params; f->name; f++) {
            check_parameter(weir_engine_at(e), f);
        }
        for (const struct weir_field *f = weir_engine_at(e)->counters; f->name; f++) {
            assert_ptr_equal(weir_field_find(weir_engine_at(e)->counters, f->name), f);
            assert_non_null(f->help);
        }
    }
    assert_null(weir_engine_find("pf"));
    assert_null(weir_engine_find(""));
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(values_are_read_in_their_units),
        cmocka_unit_test(other_text_is_refused_and_quoted),
        cmocka_unit_test(values_are_written_with_their_units),
        cmocka_unit_test(any_number_comes_back),
        cmocka_unit_test(any_shown_number_comes_back_to_three_digits),
        cmocka_unit_test(any_code_comes_back),
        cmocka_unit_test(a_code_of_sixteen_digits_comes_back),
        cmocka_unit_test(any_ratio_comes_back),
        cmocka_unit_test(formats_of_every_kind),
        cmocka_unit_test(text_that_does_not_fit_is_cut),
        cmocka_unit_test(a_bad_value_names_its_field),
        cmocka_unit_test(a_range_is_named_with_field_and_value),
        cmocka_unit_test(both_ends_of_a_range_may_be_taken),
        cmocka_unit_test(only_a_derived_field_may_be_auto),
        cmocka_unit_test(only_who_may_be_off_is_off),
        cmocka_unit_test(choices_are_read_by_name),
        cmocka_unit_test(fields_are_found_set_and_defaulted),
        cmocka_unit_test(kinds_have_names),
        cmocka_unit_test(every_engine_has_sound_parameters),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
