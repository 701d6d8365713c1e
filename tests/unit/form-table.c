/* Tables of columns as text and JSON: columns that are left out, sides, and unknown values. */

#include "output/form-table.h"

#include <stdlib.h>

#include "unit.h"

struct queue {
    const char *name, *state;
    uint64_t peak_bytes, n_pauses, limit_bps;
    double share;
};

#define AT(MEMBER) .offset = offsetof(struct queue, MEMBER)

static const struct column columns[] = {
    { "name", COLUMN_TEXT, AT(name), .head = "queue" },
    { "peak_bytes", COLUMN_BYTES, AT(peak_bytes), .head = "peak" },
    { "n_pauses", COLUMN_COUNT, AT(n_pauses), .head = "pauses", .is_optional = true },
    { NULL, COLUMN_TEXT, AT(state), .head = "at the end", .is_right = true },
    { "paused_share", COLUMN_SHARE, AT(share), .head = "paused" },
    { "limit_bps", COLUMN_RATE, AT(limit_bps), .head = "limit", .unknown = "none" },
    { 0 },
};

static void
expect(enum table_form form, const struct queue *rows, size_t n, const char *expected)
{
    char *text;
    size_t len;
    FILE *out = open_memstream(&text, &len);

    form_table_show(out, &(struct form_table){ NULL, columns, rows, n, sizeof *rows }, form);
    fclose(out);
    assert_string_equal(text, expected);
    free(text);
}

static const struct queue unpaused[] = {
    { "S1 from H1", "full", 1500, COLUMN_NO_COUNT, 5 * GBPS, 0.25 },
    { "S2", "empty", 64, COLUMN_NO_COUNT, COLUMN_NO_COUNT, -1 },
};

/* If no engine can pause a port, the text has no column for pauses; output for programs still has
 * the key. */
static void
a_column_that_no_row_has_is_left_out(void **state)
{
    (void)state;
    expect(FORM_TEXT, unpaused, 2,
           "queue         peak  at the end  paused   limit\n"
           "S1 from H1  1.5 KB        full  25.0 %  5 Gb/s\n"
           "S2            64 B       empty            none\n");
    expect(FORM_CSV, unpaused, 2,
           "name,peak_bytes,n_pauses,paused_share,limit_bps\n"
           "S1 from H1,1500,,0.25,5000000000\n"
           "S2,64,,,\n");
}

static void
a_column_that_one_row_has_is_shown(void **state)
{
    const struct queue rows[] = { unpaused[0], { "S2", "empty", 64, 0, COLUMN_NO_COUNT, 0 } };

    (void)state;
    expect(FORM_TEXT, rows, 2,
           "queue         peak  pauses  at the end  paused   limit\n"
           "S1 from H1  1.5 KB                full  25.0 %  5 Gb/s\n"
           "S2            64 B       0       empty   0.0 %    none\n");
}

static void
a_table_without_rows_has_its_heads(void **state)
{
    (void)state;
    expect(FORM_TEXT, NULL, 0, "queue  peak  at the end  paused  limit\n");
    expect(FORM_MARKDOWN, NULL, 0,
           "| queue | peak | at the end | paused | limit |\n"
           "| --- | ---: | ---: | ---: | ---: |\n");
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_column_that_no_row_has_is_left_out),
        cmocka_unit_test(a_column_that_one_row_has_is_shown),
        cmocka_unit_test(a_table_without_rows_has_its_heads),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
