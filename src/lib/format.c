/* Values as text, without a C library: "800KB", "52.4us", "2.5Gbps". */

#include "format.h"

#include <stdarg.h>

#include "weir/units.h"

#define S_PS ((uint64_t)WEIR_PS_PER_S)

/* Units of settings, as in scenarios, from the largest to the base unit.  'from' is the smallest
 * value that is written in that unit.  Units after the base unit are read, but never written. */
static const struct weir_unit bytes_units[] = {
    { "GB", 1000000000, 10000000000 },
    { "MB", 1000000, 10000000 },
    { "KB", 1000, 10000 },
    { "B", 1, 1 },
    { "GiB", 1u << 30, 0 },
    { "MiB", 1u << 20, 0 },
    { "KiB", 1u << 10, 0 },
    { "TB", S_PS, 0 },
    { 0 },
};
static const struct weir_unit time_units[] = {
    { "s", S_PS, S_PS },
    { "ms", 1000000000, 1000000000 },
    { "us", 1000000, 1000000 },
    { "ns", 1000, 1000 },
    { "ps", 1, 1 },
    { 0 },
};
static const struct weir_unit rate_units[] = {
    { "Tbps", S_PS, S_PS },
    { "Gbps", 1000000000, 1000000000 },
    { "Mbps", 1000000, 1000000 },
    { "kbps", 1000, 1000 },
    { "bps", 1, 1 },
    { "Tb/s", S_PS, S_PS },
    { "Gb/s", 1000000000, 1000000000 },
    { "Mb/s", 1000000, 1000000 },
    { "kb/s", 1000, 1000 },
    { "b/s", 1, 1 },
    { 0 },
};
enum { SHOWN_RATES = 5 }; /* The index of the first unit that is used for measured rates. */

static const struct weir_unit no_units[] = { { "", 1, 1 }, { 0 } };

/* Units of measured quantities, as in papers. */
static const struct weir_unit shown_bytes[] = {
    { "TB", S_PS, S_PS },
    { "GB", 1000000000, 1000000000 },
    { "MB", 1000000, 1000000 },
    { "KB", 1000, 1000 },
    { "B", 1, 1 },
    { 0 },
};
static const struct weir_unit ratio_units[] = { { "", WEIR_RATIO_1, 1 }, { 0 } };

const struct weir_kind_text weir_kind_texts[] = {
    [WEIR_BYTES] = { "bytes", "a size", "1500B, 800KB, 1.5MB or 64KiB", bytes_units },
    [WEIR_TIME] = { "time", "a time", "500ns, 52.4us or 10ms", time_units },
    [WEIR_RATE] = { "rate", "a rate", "8kbps, 25Gbps or 2.5Gbps", rate_units },
    [WEIR_COUNT] = { "count", "a whole number", "16 or 1000000", no_units },
    [WEIR_CODE] = { "code", "a code", "0x0102", no_units },
    [WEIR_RATIO] = { "ratio", "a ratio", "0.8 or 0.125", ratio_units },
    [WEIR_CHOICE] = { "choice", "a choice", "", no_units },
};

bool
weir_text_same(const char *a, const char *b)
{
    while (*a && *a == *b) {
        a++, b++;
    }
    return *a == *b;
}

char *
weir_cut_line(char *s)
{
    while (*s && *s != '\n') {
        s++;
    }
    if (*s) {
        *s++ = '\0';
    }
    return s;
}

static void
add_char(struct weir_text *t, char c)
{
    if (t->len + 1 < WEIR_TEXT_MAX) {
        t->s[t->len++] = c;
        t->s[t->len] = '\0';
        t->n_breaks += c == '\n';
    }
}

static void
add_string(struct weir_text *t, const char *s)
{
    while (*s) {
        add_char(t, *s++);
    }
}

static void
add_number(struct weir_text *t, uint64_t v, uint32_t base, uint32_t min_digits)
{
    char digits[24];
    uint32_t n = 0;
    while (v || n < min_digits) {
        digits[n++] = "0123456789abcdef"[v % base];
        v /= base;
    }
    while (n) {
        add_char(t, digits[--n]);
    }
}

/* Writes v / one exactly; 'one' is a power of ten. */
static void
add_decimal(struct weir_text *t, uint64_t v, uint64_t one)
{
    add_number(t, v / one, 10, 1);
    uint64_t rest = v % one;
    if (rest) {
        add_char(t, '.');
    }
    while (rest) {
        one /= 10;
        add_char(t, (char)('0' + rest / one));
        rest %= one;
    }
}

static void
add_with_unit(struct weir_text *t, uint64_t v, const struct weir_unit *u)
{
    while (v < u->from && u->scale > 1) {
        u++;
    }
    add_decimal(t, v, u->scale);
    add_string(t, u->name);
}

/* Writes three significant digits, with a space before the unit: "1.33 MB". */
static void
add_shown(struct weir_text *t, const struct weir_unit *units, uint64_t v)
{
    uint64_t one = 1;

    if (units == time_units && v >= (uint64_t)WEIR_NEVER) {
        add_string(t, "never");
        return;
    }
    while (v / one >= 1000) {
        one *= 10;
    }
    v = (v + one / 2) / one * one;
    while (v < units->from && units->scale > 1) {
        units++;
    }
    add_decimal(t, v, units->scale);
    add_string(t, v ? " " : "");
    add_string(t, v ? units->name : "");
}

static uint64_t
rounded(uint64_t a, uint64_t b, uint64_t c)
{
    return (weir_mul_div(a, 2 * b, c) + 1) / 2;
}

/* Writes as few decimal places as are needed to read the same value back: 0.15, although it is
 * stored as 0.149994.  Five digits distinguish any two ratios. */
static void
add_ratio(struct weir_text *t, uint64_t v)
{
    uint64_t one = 1;

    while (one < 100000 && rounded(rounded(v, one, WEIR_RATIO_1), WEIR_RATIO_1, one) != v) {
        one *= 10;
    }
    add_decimal(t, rounded(v, one, WEIR_RATIO_1), one);
}

static void
add_value(struct weir_text *t, enum weir_kind kind, uint64_t v)
{
    if (kind == WEIR_CODE) {
        add_string(t, "0x");
        add_number(t, v, 16, 4);
    } else if (kind == WEIR_RATIO) {
        add_ratio(t, v);
    } else if (kind == WEIR_TIME && v >= (uint64_t)WEIR_NEVER) {
        add_string(t, "never");
    } else {
        add_with_unit(t, v, weir_kind_texts[kind].units);
    }
}

static void
add_field(struct weir_text *t, const struct weir_field *f, uint64_t v)
{
    if (f->derived && v == WEIR_AUTO) {
        add_string(t, "auto");
    } else if (f->may_be_off && v == WEIR_OFF) {
        add_string(t, "off");
    } else if (f->kind == WEIR_CHOICE) {
        add_string(t, weir_field_choice(f, v));
    } else {
        add_value(t, f->kind, v);
    }
}

static void
add_parameter(struct weir_text *t, const char *name)
{
    if (t->n_breaks < WEIR_TEXT_LINES && !t->params[t->n_breaks]) {
        t->params[t->n_breaks] = name;
    }
    add_string(t, name);
}

static void
add_list(struct weir_text *t, const char *format, va_list *args)
{
    static const struct weir_unit *const shown[] = {
        ['b'] = shown_bytes, ['t'] = time_units, ['r'] = rate_units + SHOWN_RATES
    };
    static const enum weir_kind kinds[] = { ['u'] = WEIR_COUNT,
                                            ['B'] = WEIR_BYTES,
                                            ['T'] = WEIR_TIME,
                                            ['R'] = WEIR_RATE,
                                            ['Q'] = WEIR_RATIO };

    for (const char *c = format; *c; c++) {
        if (*c != '%') {
            add_char(t, *c);
            continue;
        }
        switch (*++c) {
        case '\0': /* The format ends with a single %. */
            c--;
            break;
        case 's':
            add_string(t, va_arg(*args, const char *));
            break;
        case 'P':
            add_parameter(t, va_arg(*args, const char *));
            break;
        case 'x':
            add_number(t, va_arg(*args, uint64_t), 16, 4);
            break;
        case 'u':
        case 'B':
        case 'T':
        case 'R':
        case 'Q':
            add_value(t, kinds[(int)*c], va_arg(*args, uint64_t));
            break;
        case 'b':
        case 't':
        case 'r':
            add_shown(t, shown[(int)*c], va_arg(*args, uint64_t));
            break;
        case 'F': {
            const struct weir_field *f = va_arg(*args, const struct weir_field *);
            add_field(t, f, va_arg(*args, uint64_t));
            break;
        }
        default:
            add_char(t, *c);
        }
    }
}

void
weir_text_add(struct weir_text *t, const char *format, ...)
{
    va_list args;

    va_start(args, format);
    add_list(t, format, &args);
    va_end(args);
}

bool
weir_refuse(struct weir_text *why, const char *format, ...)
{
    va_list args;

    va_start(args, format);
    add_list(why, format, &args);
    va_end(args);
    return false;
}

void
weir_warn(struct weir_text *t, const char *format, ...)
{
    va_list args;

    add_string(t, t->len ? "\n" : "");
    va_start(args, format);
    add_list(t, format, &args);
    va_end(args);
}
