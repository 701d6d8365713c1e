/* Reads distributions of flow sizes, checks them, and samples sizes from them. */

#include "workload/sizes.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "weir/units.h"
#include "workload/chance.h"

enum { DECIMALS = 12 }; /* The number of decimal digits of WL_ALL. */

#define MAX_FLOW_BYTES UINT64_C(1000000000000)

/* Reads a decimal number in units of 10^-decimals; further digits are cut.  Returns the position
 * after it, or null if it is not such a number or too long. */
static const char *
parse_decimal(const char *text, int decimals, uint64_t *value)
{
    const char *c = text;
    int n_whole = 0;

    *value = 0;
    for (; isdigit((unsigned char)*c); c++, n_whole++) {
        *value = *value * 10 + (uint64_t)(*c - '0');
    }
    if (!n_whole || n_whole + decimals > 18) {
        return NULL;
    }
    c += *c == '.';
    for (int i = 0; i < decimals; i++) {
        *value = *value * 10 + (isdigit((unsigned char)*c) ? (uint64_t)(*c++ - '0') : 0);
    }
    while (isdigit((unsigned char)*c)) {
        c++;
    }
    return c;
}

static bool
is_end_of_line(const char *c)
{
    c += strspn(c, " \t\r");
    return !*c || *c == '\n' || *c == '#';
}

/* Shares keep their written values until the last one defines the unit, 1 or 100. */
static bool
add_point(struct wl_sizes *s, uint64_t bytes, uint64_t share, struct err *err)
{
    const struct wl_point *last = s->n ? &s->points[s->n - 1] : NULL;

    if (bytes > MAX_FLOW_BYTES) {
        return err_set(err, "a flow may have at most 10^12 bytes");
    }
    if (last && bytes < last->bytes) {
        return err_set(err, "sizes must not decrease, but %llu follows %llu",
                       (unsigned long long)bytes, (unsigned long long)last->bytes);
    }
    if (last && share < last->share) {
        return err_set(err,
                       "percentages must not decrease, but this one is less than the one before");
    }
    ARRAY_PUSH(s->points, s->n, s->max) = (struct wl_point){ bytes, share };
    return true;
}

bool
wl_sizes_add(struct wl_sizes *s, uint64_t bytes, const char *share, struct err *err)
{
    uint64_t value;
    const char *end = parse_decimal(share, DECIMALS, &value);

    return end && !*end ? add_point(s, bytes, value, err)
                        : err_set(err, "'%.40s' is not a percentage as in 97.5", share);
}

static bool
parse_line(struct wl_sizes *s, const char *line, struct err *err)
{
    uint64_t bytes, share;
    const char *at = line + strspn(line, " \t");

    if (is_end_of_line(at)) {
        return true;
    }
    if (*at == '-') {
        return err_set(err, "a size cannot be negative");
    }
    at = parse_decimal(at, 0, &bytes);
    if (!at || !strchr(" \t", *at) || !*at) {
        return err_set(err, "expected bytes and a percentage, as in '30000 70'");
    }
    at = parse_decimal(at + strspn(at, " \t"), DECIMALS, &share);
    if (!at || !is_end_of_line(at)) {
        return err_set(err, "expected a percentage after the bytes, as in '30000 70'");
    }
    return add_point(s, bytes, share, err);
}

bool
wl_sizes_parse(struct wl_sizes *s, const char *text, size_t *line, struct err *err)
{
    size_t last = 1; /* The number of the last line that has a point. */

    for (*line = 1; *text; ++*line) {
        size_t n = s->n;
        if (!parse_line(s, text, err)) {
            return false;
        }
        last = s->n > n ? *line : last;
        text += strcspn(text, "\n");
        text += *text == '\n';
    }
    *line = last;
    return wl_sizes_finish(s, err);
}

/* The mean: the sum of (x_i + x_(i-1)) / 2 dp, in millionths of a byte. */
static uint64_t
mean_of(const struct wl_sizes *s)
{
    struct wl_point last = { .bytes = s->points[0].bytes };
    uint64_t mean = 0;

    for (size_t i = 0; i < s->n; i++) {
        const struct wl_point *p = &s->points[i];
        mean += weir_mul_div((last.bytes + p->bytes) * 500000, p->share - last.share, WL_ALL);
        last = *p;
    }
    return mean / 1000;
}

bool
wl_sizes_finish(struct wl_sizes *s, struct err *err)
{
    if (!s->n) {
        return err_set(
            err, "there are no sizes: expected lines of bytes and a percentage, as in '30000 70'");
    }
    uint64_t all = s->points[s->n - 1].share;
    if (all != WL_ALL && all != 100 * WL_ALL) {
        return err_set(err,
                       "the last percentage must be 100 (or 1, if they are shares from 0 to 1)");
    }
    for (size_t i = 0; i < s->n; i++) {
        s->points[i].share /= all / WL_ALL;
    }
    s->mean_mbytes = mean_of(s);
    return s->mean_mbytes || err_set(err, "all sizes are 0");
}

void
wl_sizes_free(struct wl_sizes *s)
{
    free(s->points);
    *s = (struct wl_sizes){ 0 };
}

uint64_t
wl_sizes_quantile(const struct wl_sizes *s, uint64_t share)
{
    size_t low = 0; /* The index of the first point with at least this share. */

    ARRAY_SEARCH(low, s->n - 1, s->points[middle].share < share);
    const struct wl_point *p = &s->points[low];
    if (!low || p->share == share) {
        return p->bytes;
    }
    return p[-1].bytes +
           weir_mul_div(p->bytes - p[-1].bytes, share - p[-1].share, p->share - p[-1].share);
}

uint64_t
wl_sizes_draw(const struct wl_sizes *s, uint64_t *stream)
{
    uint64_t bytes = wl_sizes_quantile(s, 1 + chance_below(stream, WL_ALL));
    return bytes ? bytes : 1;
}
