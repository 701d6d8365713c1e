/* Adds up queues and pauses of all ports of a run. */

#include "answer/backpressure.h"

#include <string.h>

COLUMN_GET(backpressure, get_link, {
    if (r->most_paused_link[0]) {
        cell_text(cell, r->most_paused_link);
    }
})

#define AT(MEMBER) .offset = offsetof(struct backpressure, MEMBER)

const struct column backpressure_columns[BACKPRESSURE_N_COLUMNS] = {
    [BACKPRESSURE_PEAK_INPUT] = { BACKPRESSURE_INPUT_COUNTER, COLUMN_BYTES, AT(peak_input_bytes),
                                  .head = "peak input queue" },
    [BACKPRESSURE_PEAK_OUTPUT] = { BACKPRESSURE_OUTPUT_COUNTER, COLUMN_BYTES, AT(peak_output_bytes),
                                   .head = "peak output queue" },
    [BACKPRESSURE_PAUSED] = { "paused_s", COLUMN_TIME, AT(paused_ps), .head = "time paused" },
    [BACKPRESSURE_MOST_PAUSED] = { "most_paused_s", COLUMN_TIME, AT(most_paused_ps),
                                   .head = "longest" },
    [BACKPRESSURE_MOST_PAUSED_LINK] = { "most_paused_link", COLUMN_TEXT, .get = get_link,
                                        .head = "most paused link" },
    [BACKPRESSURE_MOST_PAUSED_CLASS] = { "most_paused_class", COLUMN_COUNT, AT(most_paused_class) },
};

struct backpressure
backpressure_none(void)
{
    return (struct backpressure){ .peak_input_bytes = COLUMN_NO_COUNT,
                                  .peak_output_bytes = COLUMN_NO_COUNT,
                                  .paused_ps = -1,
                                  .most_paused_ps = -1,
                                  .most_paused_class = COLUMN_NO_COUNT };
}

static void
raise_peak(uint64_t *peak, uint64_t bytes)
{
    *peak = *peak == COLUMN_NO_COUNT || bytes > *peak ? bytes : *peak;
}

#define MOST_PS 9e18 /* Fits weir_ps; only files that are not ours have more. */

static void
add_paused(struct backpressure *b, uint32_t port, uint32_t cls, double paused_ps)
{
    b->paused_ps = paused_ps + (b->paused_ps < 0 ? 0 : b->paused_ps);
    b->paused_ps = b->paused_ps < MOST_PS ? b->paused_ps : MOST_PS;
    if (b->most_paused_ps < 0) {
        b->most_paused_ps = 0;
    }
    if (paused_ps > b->most_paused_ps) {
        b->most_paused_ps = paused_ps;
        b->most_paused_port = port;
        b->most_paused_class = cls;
    }
}

void
backpressure_add_counter(struct backpressure *b, uint32_t port, uint32_t cls, const char *name,
                         uint64_t value)
{
    if (!strcmp(name, BACKPRESSURE_INPUT_COUNTER)) {
        raise_peak(&b->peak_input_bytes, value);
    } else if (!strcmp(name, BACKPRESSURE_OUTPUT_COUNTER)) {
        raise_peak(&b->peak_output_bytes, value);
    } else if (!strcmp(name, BACKPRESSURE_PAUSED_COUNTER)) {
        add_paused(b, port, cls, value < (uint64_t)MOST_PS ? (double)value : (double)MOST_PS);
    }
}

/* Names of files that are not ours may be too long: ends behind a whole character of UTF-8. */
static void
end_at_character(char *text)
{
    size_t n = strlen(text);

    while (n && ((unsigned char)text[n - 1] & 0xc0) == 0x80) {
        n--;
    }
    text[n && (unsigned char)text[n - 1] >= 0xc0 ? n - 1 : n] = 0;
}

void
backpressure_name_link(struct backpressure *b, const char *from, const char *to)
{
    size_t room = sizeof b->most_paused_link;

    if ((size_t)snprintf(b->most_paused_link, room, "%s to %s", from, to) >= room) {
        end_at_character(b->most_paused_link);
    }
}
