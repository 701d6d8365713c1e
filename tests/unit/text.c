/* Text: reading whole files, and finding words that are similar. */

#include "base/text.h"

#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "unit.h"

/* Files. */

struct scratch {
    char path[256];
};

static int
make_scratch(void **state)
{
    struct scratch *s = malloc(sizeof *s);
    const char *dir = getenv("TMPDIR");

    snprintf(s->path, sizeof s->path, "%s/weir-unit-text-XXXXXX", dir ? dir : "/tmp");
    int fd = mkstemp(s->path);
    *state = s;
    return fd < 0 ? -1 : close(fd);
}

static int
drop_scratch(void **state)
{
    struct scratch *s = *state;
    unlink(s->path);
    free(s);
    return 0;
}

static void
fill(const struct scratch *s, const char *bytes, size_t n)
{
    FILE *file = fopen(s->path, "wb");
    assert_non_null(file);
    assert_int_equal(fwrite(bytes, 1, n, file), n);
    assert_int_equal(fclose(file), 0);
}

static void
assert_reads(const struct scratch *s, const char *bytes, size_t n, size_t max_bytes)
{
    struct err err = { 0 };
    size_t len = 0;

    fill(s, bytes, n);
    char *text = text_read_file(s->path, max_bytes, &len, &err);
    if (!text) {
        fail_msg("%s", err.text);
    }
    assert_int_equal(len, n);
    assert_memory_equal(text, bytes, n);
    assert_int_equal(text[n], '\0');
    free(text);
}

static void
assert_refused(const char *path, size_t max_bytes, const char *said)
{
    struct err err = { 0 };
    size_t len = 0;

    assert_null(text_read_file(path, max_bytes, &len, &err));
    assert_says(err.text, path);
    assert_says(err.text, said);
}

static void
a_file_is_read_whole(void **state)
{
    static char bytes[20000];

    memset(bytes, 'x', sizeof bytes);
    assert_reads(*state, "", 0, 100);
    assert_reads(*state, "engine pfc\n", 11, 100);
    for (size_t n = 4090; n < 4100; n++) { /* Lengths around the size of the first buffer. */
        assert_reads(*state, bytes, n, sizeof bytes);
    }
    assert_reads(*state, bytes, sizeof bytes, sizeof bytes);
}

/* A file with bytes of zero is read: whether it is text is the caller's decision. */
static void
zero_bytes_are_read_like_others(void **state)
{
    assert_reads(*state, "\0engine", 7, 100);
    assert_reads(*state, "engine\0pfc", 10, 100);
    assert_reads(*state, "engine\0", 7, 100);
}

static void
a_missing_file_is_named(void **state)
{
    (void)state;
    assert_refused("no/such/file", 100, ": No such file or directory");
}

static void
assert_repaired(const char *bytes, size_t n, const char *expected)
{
    char *text = text_repaired(bytes, n);

    assert_string_equal(text, expected);
    assert_null(text_find_bad(text));
    free(text);
}

static void
what_is_no_text_is_repaired(void **state)
{
    (void)state;
    assert_repaired("", 0, "");
    assert_repaired("plain", 5, "plain");
    assert_repaired("\xc3\xa4 \xf0\x9f\x98\x80", 7, "\xc3\xa4 \xf0\x9f\x98\x80");
    assert_repaired("a\0b", 3, "a" TEXT_REPLACEMENT "b");
    assert_repaired("\xff\xc3", 2, TEXT_REPLACEMENT TEXT_REPLACEMENT);
    assert_repaired("x\xe2\x82", 3, "x" TEXT_REPLACEMENT TEXT_REPLACEMENT);
}

static void
a_directory_is_no_file(void **state)
{
    (void)state;
    assert_refused(".", 100, ": Is a directory");
}

static void
a_large_file_is_refused(void **state)
{
    const struct scratch *s = *state;
    static char bytes[10000];

    memset(bytes, 'x', sizeof bytes);
    assert_reads(s, bytes, 100, 100);
    fill(s, bytes, 101);
    assert_refused(s->path, 100, "larger than 100 bytes");
    fill(s, bytes, sizeof bytes); /* The file is longer than the first buffer. */
    assert_refused(s->path, sizeof bytes - 1, "larger than 9999 bytes");
}

/* Words. */

static const struct {
    const char *a, *b;
    size_t distance;
} pairs[] = {
    { "", "", 0 },        { "pfc", "pfc", 0 },        { "", "pfc", 3 },
    { "pfc", "pfcc", 1 }, { "pfc", "fc", 1 },         { "pfc", "pdc", 1 },
    { "pfc", "pcf", 1 },  { "pfc", "cbfc", 2 },       { "xoff", "xfof", 1 },
    { "xon", "xoff", 2 }, { "kitten", "sitting", 3 }, { "window", "widnwo", 2 },
};

static void
distances_are_what_a_typist_would_count(void **state)
{
    (void)state;
    for (size_t i = 0; i < N_OF(pairs); i++) {
        assert_int_equal(text_distance(pairs[i].a, pairs[i].b), pairs[i].distance);
        assert_int_equal(text_distance(pairs[i].b, pairs[i].a), pairs[i].distance);
    }
}

static void
a_long_word_is_safe(void **state)
{
    char longer[500], out[600];
    const char *name = longer;

    (void)state;
    memset(longer, 'x', sizeof longer - 1);
    longer[sizeof longer - 1] = '\0';
    assert_true(text_distance(longer, "pfc") > 30);
    text_offer(longer, &(const char *){ "pfc" }, sizeof(char *), 1, out, sizeof out);
    assert_string_equal(out, "; write pfc");
    text_offer("pfc", &name, sizeof name, 1, out, 400);
    assert_string_equal(out, "");
}

struct named {
    int number;
    const char *name;
};

static const struct named engines[] = {
    { 1, "none" },       { 2, "pfc" },      { 3, "cbfc" }, { 4, "gfc-conceptual" },
    { 5, "gfc-buffer" }, { 6, "gfc-time" }, { 7, "ecn" },
};

static const char *
offer(const char *word, char *out, size_t out_bytes)
{
    text_offer(word, &engines[0].name, sizeof engines[0], N_OF(engines), out, out_bytes);
    return out;
}

static void
the_nearest_names_are_offered_first(void **state)
{
    char out[200];

    (void)state;
    assert_string_equal(offer("gfc-tiem", out, sizeof out), "; did you mean 'gfc-time'?");
    assert_string_equal(offer("cfbc", out, sizeof out), "; did you mean 'cbfc'?");
    assert_says(offer("pcf", out, sizeof out), "; did you mean 'pfc'");
}

static void
a_beginning_is_near(void **state)
{
    char out[200];

    (void)state;
    assert_says(offer("gfc", out, sizeof out), "gfc-");
    assert_says(offer("gfc-buf", out, sizeof out), "; did you mean 'gfc-buffer'");
}

static void
no_more_than_three_are_offered(void **state)
{
    const char *const names[] = { "aa", "ab", "ac", "ad", "ae" };
    char out[200];

    (void)state;
    text_offer("ax", names, sizeof names[0], N_OF(names), out, sizeof out);
    assert_string_equal(out, "; did you mean 'aa', 'ab' or 'ac'?");
}

static void
all_are_listed_if_none_is_near(void **state)
{
    static const char all[] =
        "; write none, pfc, cbfc, gfc-conceptual, gfc-buffer, gfc-time or ecn";
    char out[200] = "old";

    (void)state;
    assert_string_equal(offer("transmogrify", out, sizeof out), all);
    assert_string_equal(offer("", out, sizeof out), all);
    assert_string_equal(offer("x", out, sizeof all), all);
    assert_string_equal(offer("x", out, sizeof all - 1), "");
}

static void
only_near_names_are_offered_where_all_are_listed_elsewhere(void **state)
{
    char out[200] = "old";

    (void)state;
    text_offer_near("transmogrify", &engines[0].name, sizeof engines[0], N_OF(engines), out,
                    sizeof out);
    assert_string_equal(out, "");
    text_offer_near("pcf", &engines[0].name, sizeof engines[0], N_OF(engines), out, sizeof out);
    assert_string_equal(out, "; did you mean 'pfc'?");
}

static void
a_word_that_is_mostly_wrong_is_not_near(void **state)
{
    const char *const names[] = { "kind", "time" };
    char out[200];

    (void)state;
    text_offer("kmin", names, sizeof names[0], N_OF(names), out, sizeof out);
    assert_string_equal(out, "; write kind or time");
}

static void
an_offer_that_does_not_fit_is_left_out(void **state)
{
    char whole[200], out[200];

    (void)state;
    offer("gfc-tiem", whole, sizeof whole);
    for (size_t n = 1; n <= strlen(whole); n++) {
        memset(out, 0x7e, sizeof out);
        assert_string_equal(offer("gfc-tiem", out, n), "");
        assert_int_equal(out[n], 0x7e);
    }
}

static void
what_is_no_text_is_found(void **state)
{
    static const char *const good[] = { "", "a\tb\r\n", "\xc3\xa4", "\xe2\x82\xac",
                                        "\xf0\x9f\x8c\x8a" };
    static const char *const bad[] = { "a\x01",
                                       "\xff",
                                       "\xc3",
                                       "\xc0\x80",
                                       "\xed\xa0\x80",
                                       "\x7f",
                                       "\xf5\x80\x80\x80",
                                       "\xe2\x82",
                                       "\xc2\x9b",
                                       "\xe2\x80\xae",
                                       "\xe2\x80\xa8",
                                       "\xf0\x8f\xbf\xbf",
                                       "\xf4\x90\x80\x80" };

    (void)state;
    for (size_t i = 0; i < N_OF(good); i++) {
        assert_null(text_find_bad(good[i]));
    }
    for (size_t i = 0; i < N_OF(bad); i++) {
        assert_non_null(text_find_bad(bad[i]));
    }
}

static void
a_real_number_is_finite_and_all_of_the_word(void **state)
{
    static const char *const bad[] = { "", "x", "1x", "1e999", "-inf", "nan" };
    double number;

    (void)state;
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        assert_false(text_real(bad[i], &number));
    }
    assert_true(text_real("-2.5e3", &number) && number == -2500);
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(a_file_is_read_whole, make_scratch, drop_scratch),
        cmocka_unit_test(a_missing_file_is_named),
        cmocka_unit_test(what_is_no_text_is_found),
        cmocka_unit_test(what_is_no_text_is_repaired),
        cmocka_unit_test(a_directory_is_no_file),
        cmocka_unit_test_setup_teardown(a_large_file_is_refused, make_scratch, drop_scratch),
        cmocka_unit_test_setup_teardown(zero_bytes_are_read_like_others, make_scratch,
                                        drop_scratch),
        cmocka_unit_test(distances_are_what_a_typist_would_count),
        cmocka_unit_test(a_long_word_is_safe),
        cmocka_unit_test(the_nearest_names_are_offered_first),
        cmocka_unit_test(a_beginning_is_near),
        cmocka_unit_test(no_more_than_three_are_offered),
        cmocka_unit_test(all_are_listed_if_none_is_near),
        cmocka_unit_test(only_near_names_are_offered_where_all_are_listed_elsewhere),
        cmocka_unit_test(a_word_that_is_mostly_wrong_is_not_near),
        cmocka_unit_test(an_offer_that_does_not_fit_is_left_out),
        cmocka_unit_test(a_real_number_is_finite_and_all_of_the_word),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
