/* Writes what the runs of `weir compare` came to as JSON and CSV, for programs. */

#include <stdio.h>

#include "base/csv.h"
#include "cli/cli.h"
#include "cli/compare.h"

/* As `weir run` would have ended; what has not been run did not end. */
static void
write_code(struct json *j, const struct compare_row *row)
{
    if (row->has_begun) {
        json_number(j, "exit_code", (uint64_t)(row->is_stopped ? EXIT_STOPPED : row->code));
    } else {
        json_null(j, "exit_code");
    }
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

/* Values of flows that have a size stand in an object of their own. */
static void
write_values(struct json *j, const struct compare_row *row)
{
    for (size_t p = 0; p < COMPARE_N_PARTS; p++) {
        const struct compare_part *part = &compare_parts[p];
        bool is_apart = part->columns == completion_columns;
        if (is_apart) {
            json_open(j, "completion", '{');
        }
        columns_write_json(j, part->columns, part->n, (const char *)row + part->offset);
        if (is_apart) {
            json_close(j, '}');
        }
    }
}

static void
write_row(struct json *j, const struct compare *c, const struct compare_row *row, size_t i)
{
    json_open(j, NULL, '{');
    write_settings(j, c, c->n_axes, i);
    write_code(j, row);
    if (compare_has_run(row)) {
        write_values(j, row);
    } else {
        json_text(j, "status", row->has_begun ? row->status : "not run");
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
    for (size_t p = 0; p < COMPARE_N_PARTS; p++) {
        const struct compare_part *part = &compare_parts[p];
        for (size_t i = 0; i < part->n; i++) {
            if (compare_is_quantity(&part->columns[i])) {
                columns_write_json(j, &part->columns[i], 1, (const char *)row + part->offset);
            }
        }
    }
    json_close(j, '}');
}

static void
write_differences(struct json *j, const struct compare_group *g, const struct compare_group *first)
{
    json_open(j, "differs_from_first", '{');
    for (size_t p = 0; p < COMPARE_N_PARTS; p++) {
        const struct compare_part *part = &compare_parts[p];
        for (size_t i = 0; i < part->n; i++) {
            const struct column *column = &part->columns[i];
            const char *least = (const char *)&g->least + part->offset;
            if (compare_is_quantity(column) && column_is_known(column, least)) {
                json_bool(j, column->name, compare_differs(g, first, column, part->offset));
            }
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
        write_spread(j, "least", &g->least);
        write_spread(j, "most", &g->most);
        write_differences(j, g, first);
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

static void
write_cells(const struct compare_row *row)
{
    bool has_run = compare_has_run(row);
    size_t n = 0;

    for (size_t p = 0; p < COMPARE_N_PARTS; p++) {
        const struct compare_part *part = &compare_parts[p];
        n += part->n;
        if (has_run) {
            printf(p ? "," : "");
            columns_write_cells(stdout, part->columns, part->n, (const char *)row + part->offset);
        }
    }
    if (!has_run) {
        printf("%s", row->has_begun ? row->status : "not run");
        for (size_t i = 1; i < n; i++) {
            printf(",");
        }
    }
}

void
compare_write_csv(const struct compare *c, const struct compare_row *rows, size_t n)
{
    for (size_t a = 0; a < c->n_axes; a++) {
        csv_text(stdout, c->axes[a].key);
        printf(",");
    }
    for (size_t p = 0; p < COMPARE_N_PARTS; p++) {
        printf(p ? "," : "");
        columns_write_names(stdout, compare_parts[p].columns, compare_parts[p].n);
    }
    printf("\n");
    for (size_t i = 0; i < n; i++) {
        for (size_t a = 0; a < c->n_axes; a++) {
            csv_text(stdout, compare_value(c, a, i));
            printf(",");
        }
        write_cells(&rows[i]);
        printf("\n");
    }
}
