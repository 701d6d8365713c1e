/* Measured values as text for people. */

#include "output/value.h"

#include <stdio.h>
#include <string.h>

static const struct {
    const char *unit, *format;
    double scale;
} plain_units[] = {
    { "B", "%.0f B", 1 }, /* To the last one. */
    { "share", "%.3g %%", 100 }, { "times", "%.3g", 1 },
    { "networks", "%.0f", 1 },   { "runs", "%.0f", 1 },
    { "messages", "%.0f", 1 },   { "per second", "%.3g/s", 1 },
    { "s", "%.3g s", 1 },        { "stages", "%.0f", 1 },
    { "", "%.10g", 1 }, /* All digits of a count. */
};

uint64_t
value_rounded(uint64_t v)
{
    uint64_t unit = 1;

    while (v / unit >= 1000) {
        unit *= 10;
    }
    return (v + unit / 2) / unit * unit;
}

const char *
value_plural(uint64_t n)
{
    return n == 1 ? "" : "s";
}

void
value_add_time(struct weir_text *text, weir_ps ps)
{
    weir_text_add(text, "%t", ps);
}

void
value_add_metres(struct weir_text *text, uint64_t mm)
{
    weir_text_add(text, "%u", mm / 1000);
    if (mm % 1000) {
        weir_text_add(text, ".%u%u%u", mm / 100 % 10, mm / 10 % 10, mm % 10);
        while (text->s[text->len - 1] == '0') {
            text->s[--text->len] = '\0';
        }
    }
}

void
value_add_length(struct weir_text *text, uint64_t mm)
{
    value_add_metres(text, mm);
    weir_text_add(text, " m");
}

void
value_write(const char *unit, double value, char *out, size_t max)
{
    struct weir_text text = { 0 };

    if (!(value >= 0)) {
        snprintf(out, max, "-");
        return;
    }
    for (size_t i = 0; i < sizeof plain_units / sizeof *plain_units; i++) {
        if (!strcmp(unit, plain_units[i].unit)) {
            snprintf(out, max, plain_units[i].format, value * plain_units[i].scale);
            return;
        }
    }
    if (!strcmp(unit, "yes")) {
        weir_text_add(&text, "%s", value > 0 ? "yes" : "no");
    } else if (!strcmp(unit, "ps")) {
        value_add_time(&text, (weir_ps)value);
    } else {
        weir_text_add(&text, !strcmp(unit, "bps") ? "%r" : "%b", (uint64_t)value);
    }
    snprintf(out, max, "%.30s", text.s);
}
