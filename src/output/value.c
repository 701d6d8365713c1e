/* Formats measured values as text. */

#include "output/value.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Units whose values are rounded to three digits, with the power of ten and the suffix. */
static const struct {
    const char *unit, *behind;
    int shift;
} rounded_units[] = {
    { "share", " %", 2 },
    { "times", "", 0 },
    { "per second", "/s", 0 },
    { "s", " s", 0 },
};
/* Units whose values have all digits. */
static const struct {
    const char *unit, *format;
} whole_units[] = {
    { "B", "%.0f B" },      { "networks", "%.0f" }, { "runs", "%.0f" },
    { "messages", "%.0f" }, { "stages", "%.0f" },   { "", "%.10g" },
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

void
value_write_digits(double value, int shift, char *out, size_t max)
{
    /* Reading the same number back takes at least FEWEST and at most MOST digits. */
    enum { FEWEST = 15, MOST = 17 };
    char text[40], *at = text;
    int n = FEWEST - 1, exponent;
    uint64_t digits;

    do {
        snprintf(text, sizeof text, "%.*e", n, value);
    } while (strtod(text, NULL) != value && ++n < MOST);
    text[1] = text[0]; /* Overwrites the decimal point. */
    digits = value_rounded(strtoull(text + 1, &at, 10));
    exponent = digits ? atoi(at + 1) + shift - n : 0;
    for (; digits && digits % 10 == 0; exponent++) {
        digits /= 10;
    }
    snprintf(text, sizeof text, "%llue%d", (unsigned long long)digits, exponent);
    if (exponent < -MOST || exponent > MOST) {
        snprintf(out, max, "%.3g", strtod(text, NULL));
    } else {
        snprintf(out, max, "%.*f", exponent < 0 ? -exponent : 0, strtod(text, NULL));
    }
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

static bool
write_plain(const char *unit, double value, char *out, size_t max)
{
    for (size_t i = 0; i < sizeof rounded_units / sizeof *rounded_units; i++) {
        if (!strcmp(unit, rounded_units[i].unit)) {
            value_write_digits(value, rounded_units[i].shift, out, max);
            snprintf(out + strlen(out), max - strlen(out), "%s", rounded_units[i].behind);
            return true;
        }
    }
    for (size_t i = 0; i < sizeof whole_units / sizeof *whole_units; i++) {
        if (!strcmp(unit, whole_units[i].unit)) {
            snprintf(out, max, whole_units[i].format, value);
            return true;
        }
    }
    return false;
}

static uint64_t
nearest_whole(double value)
{
    uint64_t whole = (uint64_t)value;
    return whole + (value - (double)whole >= 0.5);
}

void
value_write(const char *unit, double value, char *out, size_t max)
{
    struct weir_text text = { 0 };

    if (!(value >= 0)) {
        snprintf(out, max, "-");
        return;
    }
    if (write_plain(unit, value, out, max)) {
        return;
    }
    if (!strcmp(unit, "yes")) {
        weir_text_add(&text, "%s", value > 0 ? "yes" : "no");
    } else if (!strcmp(unit, "ps")) {
        value_add_time(&text, (weir_ps)nearest_whole(value));
    } else {
        weir_text_add(&text, !strcmp(unit, "bps") ? "%r" : "%b", nearest_whole(value));
    }
    snprintf(out, max, "%.30s", text.s);
}
