/* Tries any text as a value of each kind: it is refused with a reason, or it is a value that is
 * written and read again unchanged, with or without a space before its unit. */

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "weir/field.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

enum { MAX_TEXT = 64 };

static void
expect(enum weir_kind kind, const char *text, uint64_t value)
{
    struct weir_text why = { 0 };
    uint64_t again;

    if (!weir_value_parse(kind, text, &again, &why) || again != value) {
        abort();
    }
}

static void
expect_with_space(enum weir_kind kind, const char *text, uint64_t value)
{
    char spaced[MAX_TEXT + 2];
    size_t n = strspn(text, "0123456789.");

    if (text[n] && text[n] != ' ' && kind != WEIR_CODE) {
        memcpy(spaced, text, n);
        spaced[n] = ' ';
        strcpy(spaced + n + 1, text + n);
        expect(kind, spaced, value);
    }
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    char text[MAX_TEXT + 1] = { 0 };

    memcpy(text, data, size < MAX_TEXT ? size : MAX_TEXT);
    for (enum weir_kind kind = WEIR_BYTES; kind <= WEIR_RATIO; kind++) {
        const struct weir_field field = { .kind = kind };
        struct weir_text written = { 0 }, why = { 0 };
        uint64_t value;
        if (!weir_value_parse(kind, text, &value, &why)) {
            if (!why.len) {
                abort();
            }
            continue;
        }
        expect_with_space(kind, text, value);
        weir_text_add(&written, "%F", &field, value);
        /* The text "never" is no time that a scenario can have. */
        if (kind != WEIR_TIME || strcmp(written.s, "never") != 0) {
            expect(kind, written.s, value);
        }
    }
    return 0;
}
