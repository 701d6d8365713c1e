/* Writes the results of `weir compare` as JSON and CSV, for programs. */

#include <stdio.h>
#include <stdlib.h>

#include "base/array.h"
#include "base/csv.h"
#include "cli/cli.h"
#include "cli/compare-show.h"

/* Writes the exit code that `weir run` would have; null for runs that were not made. */
static void
write_code(struct json *j, const struct compare_row *row)
{
    json_maybe(j, "exit_code", row->has_begun,
               (uint64_t)(row->is_stopped ? EXIT_STOPPED : row->code));
}

static void
write_settings(struct json *j, const struct compare *c, size_t n_axes, size_t run)
{
    json_open(j, "settings", '{');
    for (size_t a = 0; a < n_axes; a++) {
        json_text(j, c->axes[a].key, compare_value(c, a, run));
    }
    json_close(j, '}');
}

static void
write_facts(struct json *j, const struct collected *c)
{
    columns_write_json(j, run_facts, N_RUN_FACTS, &c->facts);
    json_open(j, "workloads", '[');
    for (size_t i = 0; i < c->n_workloads; i++) {
        json_open(j, NULL, '{');
        json_text(j, "name", c->names[i]);
        columns_write_json(j, workload_facts, N_WORKLOAD_FACTS, &c->workloads[i]);
        json_close(j, '}');
    }
    json_close(j, ']');
}

static void
write_row(struct json *j, const struct compare *c, const struct compare_row *row, size_t i)
{
    json_open(j, NULL, '{');
    write_settings(j, c, c->n_axes, i);
    write_code(j, row);
    json_text(j, "status", compare_status(row));
    if (compare_has_run(row)) {
        write_facts(j, &row->collected);
    } else {
        json_text(j, "error", row->has_begun && !row->is_stopped ? row->err.text : NULL);
    }
    json_open(j, "warnings", '[');
    for (size_t w = 0; w < row->n_warnings; w++) {
        json_text(j, NULL, row->warnings[w]);
    }
    json_close(j, ']');
    json_close(j, '}');
}

/* Writes one row of medians, minima or maxima over several seeds. */
static void
write_spread(struct json *j, const char *name, const struct compare_row *row)
{
    json_open(j, name, '{');
    for (size_t i = 0; i < COMPARE_N_FACTS; i++) {
        if (compare_is_quantity(&compare_facts[i])) {
            columns_write_json(j, &compare_facts[i], 1, row);
        }
    }
    json_close(j, '}');
}

static void
write_differences(struct json *j, const struct compare_group *g, const struct compare_group *first)
{
    json_open(j, "differs_from_first", '{');
    for (size_t i = 0; i < COMPARE_N_FACTS; i++) {
        const struct column *fact = &compare_facts[i];
        if (compare_is_quantity(fact) && column_is_known(fact, &g->least)) {
            json_bool(j, fact->name, compare_differs(g, first, fact));
        }
    }
    json_close(j, '}');
}

static void
write_group(struct json *j, const struct compare *c, const struct compare_group *g,
            const struct compare_group *first, const struct compare_row *rows, size_t at)
{
    json_open(j, NULL, '{');
    write_settings(j, c, compare_n_shown(c), at);
    json_number(j, "n_runs", g->n_runs);
    if (g->n_runs) {
        write_spread(j, "median", &g->median);
        write_spread(j, "min", &g->least);
        write_spread(j, "max", &g->most);
        write_differences(j, g, first);
    }
    if (g->is_pooled) {
        json_open(j, "pooled", '{');
        columns_write_json(j, workload_facts, N_WORKLOAD_FACTS, &g->pooled);
        json_close(j, '}');
    }
    json_open(j, "runs", '[');
    for (size_t i = at; i < at + c->n_seeds; i++) {
        write_row(j, c, &rows[i], i);
    }
    json_close(j, ']');
    json_close(j, '}');
}

static void
write_groups(struct json *j, const struct compare *c, const struct compare_row *rows, size_t n)
{
    struct compare_group *groups = compare_group_runs(c, rows, n);

    for (size_t g = 0; g < n / c->n_seeds; g++) {
        const struct compare_group *first = groups[g].n_runs ? compare_first_group(groups) : NULL;
        write_group(j, c, &groups[g], first, rows, g * c->n_seeds);
    }
    compare_free_groups(groups, n / c->n_seeds);
}

void
compare_write_json(const struct compare *c, const struct compare_row *rows, size_t n)
{
    struct json j = { .out = stdout, .lines = 2 };

    json_open(&j, NULL, '[');
    if (c->n_seeds > 1) {
        write_groups(&j, c, rows, n);
    }
    for (size_t i = 0; i < n && c->n_seeds <= 1; i++) {
        write_row(&j, c, &rows[i], i);
    }
    json_close(&j, ']');
}

void
compare_write_csv(const struct compare *c, const struct compare_row *rows, size_t n)
{
    struct compare_row *unknown = array_new(1, sizeof *unknown);

    columns_clear(compare_facts, COMPARE_N_FACTS, unknown);
    for (size_t a = 0; a < c->n_axes; a++) {
        csv_text(stdout, c->axes[a].key);
        printf(",");
    }
    printf("status,");
    columns_write_names(stdout, compare_facts, COMPARE_N_FACTS);
    printf("\n");
    for (size_t i = 0; i < n; i++) {
        for (size_t a = 0; a < c->n_axes; a++) {
            csv_text(stdout, compare_value(c, a, i));
            printf(",");
        }
        printf("%s,", compare_status(&rows[i]));
        columns_write_cells(stdout, compare_facts, COMPARE_N_FACTS,
                            compare_has_run(&rows[i]) ? &rows[i] : unknown);
        printf("\n");
    }
    free(unknown);
}
