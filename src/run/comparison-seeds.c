/* Runs each setting of a comparison with several seeds.  Finds the medians and ranges, and the
 * differences that are larger than those between seeds. */

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "answer/spread.h"
#include "base/array.h"
#include "run/comparison.h"

#define SEED_KEY "run.seed"

static bool
draws_alike(const struct scenario *a, const struct scenario *b)
{
    bool is_alike = a->n_flows == b->n_flows;

    for (size_t i = 0; i < a->n_flows && is_alike; i++) {
        struct scn_flow x = scn_flow_at(a, i), y = scn_flow_at(b, i);
        is_alike =
            x.from == y.from && x.to == y.to && x.bytes == y.bytes && x.start_ps == y.start_ps;
    }
    return is_alike;
}

static bool
chooses_seed(const struct compare *c)
{
    for (size_t a = 0; a < c->n_axes; a++) {
        if (!strcmp(c->axes[a].key, SEED_KEY)) {
            return true;
        }
    }
    return false;
}

bool
compare_is_random(const struct compare *c)
{
    struct scenario one, other;
    struct weir_text seed = { 0 };
    struct err err;
    bool is_random = false;

    if (chooses_seed(c) || compare_read(c, 0, NULL, &one, &err) != EXIT_GOOD) {
        return false;
    }
    weir_text_add(&seed, SEED_KEY "=%u", one.run.seed + 1);
    if (one.n_workloads && compare_read(c, 0, seed.s, &other, &err) == EXIT_GOOD) {
        is_random = !draws_alike(&one, &other);
        scn_free(&other);
    }
    scn_free(&one);
    return is_random;
}

/* Writes the axis of seeds, such as "run.seed=3,4,5": the scenario's seed and its successors. */
static char *
list_seeds(const struct compare *c, const struct scenario *s)
{
    char *word = NULL;
    size_t len;
    FILE *out = open_memstream(&word, &len);

    fputs(SEED_KEY, out);
    for (uint64_t i = 0; i < c->n_seeds; i++) {
        fprintf(out, "%c%llu", i ? ',' : '=', (unsigned long long)(s->run.seed + i));
    }
    fclose(out);
    return word;
}

int
compare_add_seeds(struct compare *c, struct err *err)
{
    struct scenario s;
    struct err why;

    if (chooses_seed(c)) {
        return run_fail_command(err, EXIT_USER,
                                "compare: --seeds sets " SEED_KEY ": leave it out of --over");
    }
    int code = compare_read(c, 0, NULL, &s, err);
    if (code != EXIT_GOOD) {
        return code;
    }
    char *word = list_seeds(c, &s);
    bool good = compare_read_axis(c, word, &why);
    free(word);
    scn_free(&s);
    return good ? EXIT_GOOD : run_fail_command(err, EXIT_USER, "compare: --seeds: %s", why.text);
}

/* Medians and ranges. */

#define FACT_AT(KIND, NAME, MEMBER, HEAD)                                                          \
    { NAME, COLUMN_##KIND, offsetof(struct compare_row, collected.MEMBER), .head = HEAD },

const struct column compare_facts[COMPARE_N_FACTS] = {
#define FACT(KIND, NAME, OVER, CLAIM, HEAD, ...) FACT_AT(KIND, #NAME, facts.NAME, HEAD)
#include "answer/run-facts.def"
#undef FACT
#define FACT(KIND, NAME, OVER, CLAIM, HEAD, ...)                                                   \
    FACT_AT(KIND, SCN_ALL_WORKLOADS "." #NAME, workloads[0].NAME, HEAD)
#include "answer/workload-facts.def"
#undef FACT
};

/* Stands for an unknown value, which is that of flows that have not ended, so it counts as larger
 * than any known one. It is finite, so that its half is a finite number, too. */
#define UNKNOWN   1e300
#define MAX_KNOWN 1e200

static double
value_of(const struct column *fact, const void *row)
{
    double value;

    return column_number(fact, row, &value) ? value : UNKNOWN;
}

static void
set_value(const struct column *fact, void *row, double value)
{
    column_set(fact, row, value > MAX_KNOWN ? -1 : value);
}

bool
compare_is_quantity(const struct column *fact)
{
    return column_store(fact->kind) <= STORE_REAL && fact->kind != COLUMN_HASH &&
           fact->kind != COLUMN_YES && fact != &compare_facts[FACT_most_paused_class];
}

static int
by_value(const void *a, const void *b)
{
    const double *x = a, *y = b;

    return (*x > *y) - (*x < *y);
}

static void
spread_fact(struct compare_group *g, const struct column *fact, double *values)
{
    for (size_t i = 0; i < g->n_runs; i++) {
        values[i] = value_of(fact, g->runs[i]);
    }
    qsort(values, g->n_runs, sizeof *values, by_value);
    set_value(fact, &g->least, values[0]);
    set_value(fact, &g->median, spread_at(values, g->n_runs, 0.5));
    set_value(fact, &g->most, values[g->n_runs - 1]);
}

static void
spread_runs(struct compare_group *g)
{
    double *values = array_new(g->n_runs, sizeof *values);

    g->least = g->median = g->most = *g->runs[0];
    for (size_t i = 0; i < COMPARE_N_FACTS; i++) {
        if (compare_is_quantity(&compare_facts[i])) {
            spread_fact(g, &compare_facts[i], values);
        }
    }
    free(values);
}

/* Groups runs by their combination of values.  Runs that failed are left out. */
struct compare_group *
compare_group_runs(const struct compare *c, const struct compare_row *rows, size_t n)
{
    size_t n_each = c->n_seeds;
    struct compare_group *groups = array_new(n / n_each, sizeof *groups);

    for (size_t g = 0; g < n / n_each; g++) {
        groups[g].runs = array_new(n_each, sizeof *groups[g].runs);
        for (size_t i = g * n_each; i < (g + 1) * n_each; i++) {
            if (compare_has_run(&rows[i])) {
                groups[g].runs[groups[g].n_runs++] = &rows[i];
            }
        }
        if (groups[g].n_runs) {
            spread_runs(&groups[g]);
            groups[g].is_pooled =
                pooled_flows_facts(c->pool, g * n_each, n_each, &groups[g].pooled);
        }
    }
    return groups;
}

const struct compare_group *
compare_first_group(const struct compare_group *groups)
{
    while (!groups->n_runs) {
        groups++;
    }
    return groups;
}

void
compare_free_groups(struct compare_group *groups, size_t n)
{
    for (size_t g = 0; g < n; g++) {
        free(groups[g].runs);
    }
    free(groups);
}

bool
compare_differs(const struct compare_group *a, const struct compare_group *b,
                const struct column *fact)
{
    return value_of(fact, &a->most) < value_of(fact, &b->least) ||
           value_of(fact, &b->most) < value_of(fact, &a->least);
}
