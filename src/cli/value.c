/* Measured values as texts. */

#include "cli/value.h"

#include <stdio.h>
#include <string.h>

#include "cli/cli.h"
#include "weir/field.h"

static const struct {
    const char *unit, *format;
    double scale;
} plain_units[] = {
    { "B", "%.0fB", 1 }, /* To the last one. */
    { "share", "%.3g%%", 100 }, { "times", "%.3g", 1 },        { "networks", "%.0f", 1 },
    { "packets", "%.0f", 1 },   { "runs", "%.0f", 1 },         { "flows", "%.0f", 1 },
    { "messages", "%.0f", 1 },  { "per second", "%.3g/s", 1 }, { "s", "%.3gs", 1 },
    { "", "%.6g", 1 },
};

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
        weir_text_add(&text, "%T", (weir_ps)cli_rounded((uint64_t)value));
    } else {
        weir_text_add(&text, !strcmp(unit, "bps") ? "%R" : "%B", cli_rounded((uint64_t)value));
    }
    snprintf(out, max, "%.30s", text.s);
}
