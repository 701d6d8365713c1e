/* The axes of a comparison: the settings that vary, and the values that each of its runs has. */

#include <ctype.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "run/comparison.h"

/* Returns the end of a value. A comma within brackets belongs to the value: [gfc-buffer, ecn]. */
static char *
end_of_value(char *v)
{
    int depth = 0;

    for (; *v && (*v != ',' || depth); v++) {
        depth += (*v == '[') - (*v == ']');
    }
    return v;
}

/* The end of a range of whole numbers such as "1..5", as studies have it; null: the text does not
 * begin with a range. */
static const char *
end_of_range(const char *s, uint64_t *first, uint64_t *last)
{
    char *end;

    errno = 0;
    *first = strtoull(s, &end, 10);
    if (!isdigit((unsigned char)*s) || strncmp(end, "..", 2) || !isdigit((unsigned char)end[2])) {
        return NULL;
    }
    *last = strtoull(end + 2, &end, 10);
    if (errno || (*end && *end != ',') || *last < *first) {
        return NULL;
    }
    if (*last - *first > COMPARE_MAX_RUNS) {
        *last = *first + COMPARE_MAX_RUNS; /* Already more than the maximum number of runs. */
    }
    return end;
}

/* A copy of "KEY=1..3,7" as "KEY=1,2,3,7". */
static void
copy_with_ranges(char **copy, const char *text)
{
    size_t len;
    FILE *out = open_memstream(copy, &len);
    uint64_t first, last;

    for (const char *s = text; *s;) {
        bool begins = s > text && strchr("=,", s[-1]);
        const char *end = begins ? end_of_range(s, &first, &last) : NULL;
        for (uint64_t i = first; end && i <= last; i++) {
            fprintf(out, i < last ? "%llu," : "%llu", (unsigned long long)i);
        }
        if (end) {
            s = end;
        } else {
            fputc(*s++, out);
        }
    }
    fclose(out);
}

static bool
read_values(struct compare_axis *a, const char *text)
{
    copy_with_ranges(&a->key, text);
    char *equals = strchr(a->key, '=');

    if (!equals || equals == a->key) {
        return false;
    }
    *equals = '\0';
    for (char *v = equals + 1; v;) {
        char *end = end_of_value(v);
        ARRAY_PUSH(a->values, a->n_values, a->max_values) = v;
        v = *end ? end + 1 : NULL;
        *end = '\0';
    }
    for (size_t i = 0; i < a->n_values; i++) {
        if (!a->values[i][0]) {
            return false;
        }
    }
    return true;
}

/* Refuses a key that is given twice: only its last value would take effect, but the table would
 * show both. */
static bool
check_axes(const struct compare *c, struct err *err)
{
    const char *key = c->axes[c->n_axes - 1].key;

    for (size_t a = 0; a + 1 < c->n_axes; a++) {
        if (!strcmp(c->axes[a].key, key)) {
            return err_set(err, "%s is given twice: give all its values at once, as in %s=%s,%s",
                           key, key, c->axes[a].values[0], c->axes[c->n_axes - 1].values[0]);
        }
    }
    return compare_n_runs(c) <= COMPARE_MAX_RUNS ||
           err_set(err, "these values have more than %d combinations; `weir sweep` can run more",
                   COMPARE_MAX_RUNS);
}

bool
compare_read_axis(struct compare *c, const char *word, struct err *err)
{
    if (c->n_axes == COMPARE_MAX_AXES) {
        return err_set(err, "may be given at most %d times", COMPARE_MAX_AXES);
    }
    if (!read_values(&c->axes[c->n_axes++], word)) {
        return err_set(err, "%s: expected KEY=VALUE,VALUE, as in engine=pfc,cbfc", word);
    }
    return check_axes(c, err);
}

const char *
compare_value(const struct compare *c, size_t axis, size_t run)
{
    for (size_t a = c->n_axes; a-- > axis + 1;) {
        run /= c->axes[a].n_values;
    }
    return c->axes[axis].values[run % c->axes[axis].n_values];
}

size_t
compare_n_runs(const struct compare *c)
{
    size_t n = 1;

    for (size_t a = 0; a < c->n_axes && n <= COMPARE_MAX_RUNS; a++) {
        n *= c->axes[a].n_values;
    }
    return n;
}

void
compare_list_sets(const struct compare *c, size_t run, struct compare_sets *sets)
{
    for (sets->n = 0; sets->n < c->n_sets; sets->n++) {
        sets->items[sets->n] = c->sets[sets->n];
    }
    for (size_t a = 0; a < c->n_axes; a++) {
        snprintf(sets->texts[a], sizeof sets->texts[a], "%s=%s", c->axes[a].key,
                 compare_value(c, a, run));
        sets->items[sets->n++] = sets->texts[a];
    }
}

void
compare_free(struct compare *c)
{
    pooled_flows_free(c->pool);
    for (size_t a = 0; a < c->n_axes; a++) {
        free(c->axes[a].key);
        free(c->axes[a].values);
    }
}
