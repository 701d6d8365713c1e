/* Reads the scenario of every value of a comparison before anything runs. */

#include <stdio.h>
#include <string.h>

#include "run/comparison.h"

int
compare_read(const struct compare *c, size_t run, const char *more, struct scenario *s,
             struct err *err)
{
    struct compare_sets sets;

    compare_list_sets(c, run, &sets);
    if (more) {
        sets.items[sets.n++] = more;
    }
    return outcome_read(s, c->file, sets.items, sets.n, err);
}

static const char set_mark[] = "--set ";

/* Whether an error is about this setting: "--set KEY=VALUE: ...", "--set KEY: ...". */
static bool
is_about(const struct err *err, const char *key)
{
    const char *set = err->text + sizeof set_mark - 1;
    size_t len = strlen(key);

    return !strncmp(err->text, set_mark, sizeof set_mark - 1) && !strncmp(set, key, len) &&
           strchr("=:", set[len]);
}

void
compare_name_option(const struct compare *c, struct err *err)
{
    const struct err old = *err;

    for (size_t a = 0; a < c->n_axes; a++) {
        if (is_about(&old, c->axes[a].key)) {
            err_set(err, "--over %s", old.text + sizeof set_mark - 1);
        }
    }
}

struct checking {
    const struct compare *c;
    struct compare_wrong *wrong;
    size_t n_good;
    bool is_same; /* All errors have the same text, so they are about the scenario and not about a
                     value. */
    struct err first;
    int code; /* The exit code of the first error. */
};

/* Whether the last reported error has the same reason. An unknown key, for example, fails in the
 * same way with every value. */
static bool
is_reported(const struct compare_wrong *wrong, const struct err *err)
{
    const char *last = wrong->n ? strstr(wrong->errs[wrong->n - 1].text, ": ") : NULL;
    const char *reason = strstr(err->text, ": ");

    return last && reason && !strcmp(last, reason);
}

static void
note(struct checking *k, size_t axis, int code, struct err *err)
{
    bool is_first = k->code == EXIT_GOOD;

    k->first = is_first ? *err : k->first;
    k->code = is_first ? code : k->code;
    k->is_same &= !strcmp(err->text, k->first.text);
    if (is_about(err, k->c->axes[axis].key) && !is_reported(k->wrong, err) &&
        k->wrong->n < COMPARE_MAX_WRONG) {
        compare_name_option(k->c, err);
        k->wrong->errs[k->wrong->n++] = *err;
    }
}

/* Reads the scenario with each value of an axis, together with the first values of the other
 * axes. */
static void
check_axis(struct checking *k, size_t axis, size_t step)
{
    struct scenario s;
    struct err err;

    for (size_t i = 0; i < k->c->axes[axis].n_values; i++) {
        int code = compare_read(k->c, i * step, NULL, &s, &err);
        if (code == EXIT_GOOD) {
            scn_free(&s);
            k->n_good++;
        } else {
            note(k, axis, code, &err);
        }
    }
}

int
compare_check(const struct compare *c, struct compare_wrong *wrong)
{
    struct checking k = { .c = c, .wrong = wrong, .is_same = true };
    size_t step = 1;

    wrong->n = 0;
    for (size_t a = c->n_axes; a-- > 0; step *= c->axes[a].n_values) {
        check_axis(&k, a, step);
    }
    if (!wrong->n && !k.n_good && k.is_same) {
        wrong->errs[wrong->n++] = k.first;
    }
    return wrong->n ? k.code : EXIT_GOOD;
}
