/* Reads, checks and fills in values by their tables of fields. */

#include "weir/field.h"

#include <string.h>

#include "format.h"
#include "weir/plugin.h"
#include "weir/units.h"

/* Larger ratios could not be written with all their digits; no parameter is near. */
#define MAX_RATIO ((uint64_t)1000000000000 * WEIR_RATIO_1)

const char *
weir_kind_name(enum weir_kind kind)
{
    return weir_kind_texts[kind].name;
}

const char *
weir_kind_unit(enum weir_kind kind, uint32_t i)
{
    const struct weir_unit *unit = weir_kind_texts[kind].units;
    while (i && unit->name) {
        unit++;
        i--;
    }
    return unit->name;
}

const char *
weir_field_choice(const struct weir_field *f, uint64_t value)
{
    for (uint64_t i = 0; !f->registry && i < value; i++) {
        if (!f->choices[i]) {
            return NULL;
        }
    }
    return f->registry ? weir_plugin_name(f->registry, value) : f->choices[value];
}

const struct weir_field *
weir_field_find(const struct weir_field *table, const char *name)
{
    for (const struct weir_field *f = table; f && f->name && name; f++) {
        if (weir_text_same(f->name, name)) {
            return f;
        }
    }
    return NULL;
}

bool
weir_field_is_default(const struct weir_field *f, const void *base)
{
    return weir_field_get(f, base) == f->fallback;
}

uint64_t
weir_field_get(const struct weir_field *f, const void *base)
{
    uint64_t v;
    memcpy(&v, (const char *)base + f->offset, sizeof v);
    return v;
}

void
weir_field_set(const struct weir_field *f, void *base, uint64_t v)
{
    memcpy((char *)base + f->offset, &v, sizeof v);
}

void
weir_fields_default(const struct weir_field *table, void *base)
{
    for (const struct weir_field *f = table; f && f->name; f++) {
        weir_field_set(f, base, f->fallback);
    }
}

enum { MAX_PLACES = 18 };

/* These functions read values.  Each removes its part from the front of *s. */

static bool
take_digits(const char **s, uint32_t base, uint64_t *v)
{
    const char *start = *s;
    for (;; ++*s) {
        char c = **s;
        uint32_t digit = c >= '0' && c <= '9'   ? (uint32_t)(c - '0')
                         : c >= 'a' && c <= 'f' ? (uint32_t)(c - 'a' + 10)
                         : c >= 'A' && c <= 'F' ? (uint32_t)(c - 'A' + 10)
                                                : 16;
        if (digit >= base) {
            return *s > start;
        }
        if (*v > (UINT64_MAX - digit) / base) {
            return false;
        }
        *v = *v * base + digit;
    }
}

static const struct weir_unit *
find_unit(const struct weir_unit *units, const char *name)
{
    for (const struct weir_unit *u = units; u->name; u++) {
        if (weir_text_same(u->name, name)) {
            return u;
        }
    }
    return NULL;
}

/* Reads digits[.digits] as 'whole' and 'part', a fraction of 'one'. */
static bool
take_decimal(const char **s, uint64_t *whole, uint64_t *part, uint64_t *one)
{
    if (!take_digits(s, 10, whole)) {
        return false;
    }
    if (**s == '.') {
        const char *start = ++*s;
        if (!take_digits(s, 10, part) || *s - start > MAX_PLACES) {
            return false;
        }
        for (; start < *s; start++) {
            *one *= 10;
        }
    }
    return true;
}

/* A space may separate a number from its unit, as in printed results: "5.25 us". */
static const char *
unit_at(const char *s)
{
    return s[0] == ' ' && s[1] ? s + 1 : s;
}

/* Reads digits[.digits]unit.  Except for ratios, the value must be a whole number of base units. */
static bool
read_number(enum weir_kind kind, const char *s, uint64_t *value)
{
    uint64_t whole = 0, part = 0, one = 1;

    if (kind == WEIR_CODE && s[0] == '0' && s[1] == 'x') {
        s += 2;
        return take_digits(&s, 16, value) && !*s;
    }
    if (!take_decimal(&s, &whole, &part, &one)) {
        return false;
    }
    if (!*s && !whole && !part) {
        *value = 0; /* Zero needs no unit. */
        return true;
    }
    const struct weir_unit *unit = find_unit(weir_kind_texts[kind].units, unit_at(s));
    if (!unit || whole > UINT64_MAX / 2 / unit->scale) {
        return false;
    }
    uint64_t fraction = weir_mul_div(part, unit->scale, one);
    if (kind == WEIR_RATIO) {
        fraction = (weir_mul_div(part, 2 * unit->scale, one) + 1) / 2;
    } else if (weir_mul_div_up(part, unit->scale, one) != fraction) {
        return false;
    }
    *value = whole * unit->scale + fraction;
    return *value < UINT64_MAX / 2;
}

static char
lower(char c)
{
    return c >= 'A' && c <= 'Z' ? (char)(c - 'A' + 'a') : c;
}

/* Finds a unit that differs only in capital letters. */
static const struct weir_unit *
find_unit_like(const struct weir_unit *units, const char *name)
{
    for (const struct weir_unit *u = units; u->name; u++) {
        size_t i = 0;
        while (name[i] && lower(name[i]) == lower(u->name[i])) {
            i++;
        }
        if (i && !name[i] && !u->name[i]) {
            return u;
        }
    }
    return NULL;
}

/* Explains why a text is not a value, if the mistake is common. */
static void
add_reason(const struct weir_unit *units, const char *s, struct weir_text *why)
{
    const char *end = s + (*s == '-');
    bool is_whole = true;

    for (; (*end >= '0' && *end <= '9') || *end == '.'; end++) {
        is_whole &= *end != '.';
    }
    if (end == s + (*s == '-')) {
        return;
    }
    end = unit_at(end);
    const struct weir_unit *like = find_unit_like(units, end);
    if (*s == '-') {
        weir_text_add(why, ", as it is negative");
    } else if (find_unit(units, end)) {
        weir_text_add(why, is_whole ? ", as it is too large" : "");
    } else if (like) {
        weir_text_add(why, ", as the unit is written %s", like->name);
    } else if (!*end) {
        weir_text_add(why, ", as it has no unit");
    }
}

bool
weir_value_parse(enum weir_kind kind, const char *text, uint64_t *value, struct weir_text *why)
{
    *value = 0;
    if (read_number(kind, text, value) && (kind != WEIR_RATIO || *value <= MAX_RATIO)) {
        return true;
    }
    const struct weir_kind_text *k = &weir_kind_texts[kind];
    weir_text_add(why, "'%s' is not %s", text, k->noun);
    add_reason(k->units, text, why);
    return weir_refuse(why, ": write %s", k->example);
}

static bool
parse_choice(const struct weir_field *f, const char *text, uint64_t *value, struct weir_text *why)
{
    const char *name;

    for (*value = 0; (name = weir_field_choice(f, *value)); ++*value) {
        if (weir_text_same(name, text)) {
            return true;
        }
    }
    weir_text_add(why, "%s cannot be '%s'; write ", f->name, text);
    for (uint32_t i = 0; (name = weir_field_choice(f, i)); i++) {
        weir_text_add(why, "%s%s", !i ? "" : weir_field_choice(f, i + 1) ? ", " : " or ", name);
    }
    return false;
}

bool
weir_field_parse(const struct weir_field *f, const char *text, uint64_t *value,
                 struct weir_text *why)
{
    if (f->derived && weir_text_same(text, "auto")) {
        *value = WEIR_AUTO;
        return true;
    }
    if (f->may_be_off && weir_text_same(text, "off")) {
        *value = WEIR_OFF;
        return true;
    }
    if (f->kind == WEIR_CHOICE) {
        return parse_choice(f, text, value, why);
    }
    struct weir_text reason = { 0 };
    return weir_value_parse(f->kind, text, value, &reason) ||
           weir_refuse(why, "%s: %s%s", f->name, reason.s, f->may_be_off ? ", or off" : "");
}

bool
weir_field_check(const struct weir_field *f, uint64_t v, struct weir_text *why)
{
    if (f->kind == WEIR_CHOICE) {
        uint64_t n = 0;
        while (weir_field_choice(f, n)) {
            n++;
        }
        return v < n || weir_refuse(why, "%s has %u choices; there is no choice with number %u",
                                    f->name, n, v);
    }
    return (f->derived && v == WEIR_AUTO) || (f->may_be_off && v == WEIR_OFF) ||
           (v >= f->min && v <= f->max) ||
           (f->max == UINT64_MAX &&
            weir_refuse(why, "%P is %F; it must be at least %F", f->name, f, v, f, f->min)) ||
           (f->max != UINT64_MAX &&
            weir_refuse(why, "%P is %F; it must lie between %F and %F%s", f->name, f, v, f, f->min,
                        f, f->max, f->may_be_off ? ", or be off" : ""));
}
