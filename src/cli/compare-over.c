/* The values that `weir compare` runs a scenario with. */

#include <string.h>

#include "cli/compare.h"

/* A comma within brackets belongs to the value: [gfc-buffer, ecn]. */
static char *
end_of_value(char *v)
{
    int depth = 0;

    for (; *v && (*v != ',' || depth); v++) {
        depth += (*v == '[') - (*v == ']');
    }
    return v;
}

static bool
read_values(struct compare_axis *a, const char *text)
{
    char *copy = strdup(text), *equals = strchr(copy, '=');

    a->key = copy;
    if (!equals || equals == copy) {
        return false;
    }
    *equals = '\0';
    for (char *v = equals + 1; v && a->n_values < COMPARE_MAX_VALUES;) {
        char *end = end_of_value(v);
        a->values[a->n_values++] = v;
        v = *end ? end + 1 : NULL;
        *end = '\0';
    }
    return a->values[0][0] != '\0';
}

bool
compare_read_axis(void *compare, const char *word, struct err *err)
{
    struct compare *c = compare;

    if (c->n_axes == COMPARE_MAX_AXES) {
        return err_set(err, "may be given at most %d times", COMPARE_MAX_AXES);
    }
    return read_values(&c->axes[c->n_axes++], word) ||
           err_set(err, "%s: expected KEY=VALUE,VALUE", word);
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

    for (size_t a = 0; a < c->n_axes; a++) {
        n *= c->axes[a].n_values;
    }
    return n;
}
