/* Shows what the runs of `weir compare` came to: one table, as text, JSON or CSV. */

#include <stdio.h>
#include <string.h>

#include "base/csv.h"
#include "cli/cli.h"
#include "cli/compare.h"
#include "cli/text-table.h"

#define ROW(MEMBER) .offset = offsetof(struct compare_row, MEMBER)

/* Before what is told of flows that have a size, and behind it. */
static const struct column before[] = {
    { "status", COLUMN_TEXT, ROW(status) },
    { "deadlock", COLUMN_TEXT, ROW(deadlock) },
    { "deadlock_s", COLUMN_TIME, ROW(deadlock_ps) },
    { "collapsed_flows", COLUMN_COUNT, ROW(n_collapsed) },
    { "late_goodput_least_bps", COLUMN_RATE, ROW(least_bps) },
    { "late_goodput_most_bps", COLUMN_RATE, ROW(most_bps) },
};

static const struct column behind[] = {
    { "longest_queue_bytes", COLUMN_BYTES, ROW(longest_queue_bytes) },
    { "dropped", COLUMN_COUNT, ROW(n_dropped) },
    { "no_route", COLUMN_COUNT, ROW(n_unroutable) },
    { "flushed", COLUMN_COUNT, ROW(n_flushed) },
    { "total_sent_bytes", COLUMN_BYTES, ROW(sent_bytes) },
    { "total_sent_again_bytes", COLUMN_BYTES, ROW(again_bytes) },
};

enum { N_BEFORE = sizeof before / sizeof *before, N_BEHIND = sizeof behind / sizeof *behind };

/* What people are shown of both; packets without a route, or flushed, where some run had any. */
enum {
    LEAST_RATE = 4,
    MOST_RATE = 5,
    LONGEST_QUEUE = 0,
    DROPPED = 1,
    NO_ROUTE = 2,
    FLUSHED = 3,
    AGAIN = 5
};

static const struct {
    size_t column;
    const char *title;
} last[] = { { LONGEST_QUEUE, "longest queue" },
             { DROPPED, "dropped" },
             { NO_ROUTE, "no route" },
             { FLUSHED, "flushed" },
             { AGAIN, "sent again" } };

enum { N_LAST = sizeof last / sizeof *last };

static const struct {
    enum completion_column column;
    const char *title;
} finite[] = { { COMPLETION_UNFINISHED, "unfinished" },
               { COMPLETION_FCT_P50, "median" },
               { COMPLETION_FCT_P99, "99 %" },
               { COMPLETION_SLOWDOWN_P99, "slowdown 99 %" } };

enum { N_FINITE = sizeof finite / sizeof *finite };

/* Which kinds of flows some run has, packets without a route or flushed, and which signals. */
struct kinds {
    bool finite, endless, no_route, flushed, signals[N_SIGNALS];
};

static bool
is_shown(struct kinds k, size_t l)
{
    return last[l].column == NO_ROUTE ? k.no_route : last[l].column == FLUSHED ? k.flushed : true;
}

static struct kinds
kinds_of(const struct compare_row *rows, size_t n)
{
    struct kinds k = { .finite = false };

    for (size_t i = 0; i < n; i++) {
        bool has_run = compare_has_run(&rows[i]);
        k.finite |= has_run && rows[i].completion.n > 0;
        k.endless |= has_run && rows[i].most_bps != COLUMN_NO_COUNT;
        k.no_route |= has_run && rows[i].n_unroutable;
        k.flushed |= has_run && rows[i].n_flushed;
        for (enum signal_id s = 0; s < N_SIGNALS && has_run; s++) {
            k.signals[s] |= rows[i].signals.n[s] != COLUMN_NO_COUNT && rows[i].signals.n[s];
        }
    }
    return k;
}

static void
add_state(struct table *t, const struct compare_row *row)
{
    struct weir_text text = { 0 };
    weir_ps at_ps = (weir_ps)cli_rounded(row->deadlock_ps > 0 ? (uint64_t)row->deadlock_ps : 0);

    weir_text_add(&text,
                  !row->has_begun         ? "not run"
                  : !compare_has_run(row) ? (row->is_stopped ? "no results" : "could not be run")
                  : row->deadlock_stands  ? "DEADLOCK at %T"
                  : row->has_deadlock     ? "deadlock broken at %T"
                  : row->n_collapsed      ? "collapsed"
                                          : "no deadlock",
                  at_ps);
    table_add(t, "%s%s", text.s, row->is_stopped ? ", stopped" : "");
}

static void
add_rates(struct table *t, const struct compare_row *row)
{
    struct weir_text text = { 0 };

    table_write_value(&text, &before[LEAST_RATE], row);
    if (cli_rounded(row->least_bps) != cli_rounded(row->most_bps)) {
        weir_text_add(&text, " to ");
        table_write_value(&text, &before[MOST_RATE], row);
    }
    table_add(t, "%s", text.s);
}

static void
add_head(struct table *t, const struct compare *c, struct kinds k)
{
    for (size_t a = 0; a < c->n_axes; a++) {
        const char *dot = strrchr(c->axes[a].key, '.');
        table_add(t, "%s", dot ? dot + 1 : c->axes[a].key);
    }
    table_add(t, " ");
    if (k.endless) {
        table_add(t, "goodput at the end");
    }
    for (size_t i = 0; i < N_FINITE && k.finite; i++) {
        table_add(t, "%s", finite[i].title);
    }
    for (size_t l = 0; l < N_LAST; l++) {
        if (is_shown(k, l)) {
            table_add(t, "%s", last[l].title);
        }
    }
    for (enum signal_id s = 0; s < N_SIGNALS; s++) {
        if (k.signals[s]) {
            table_add(t, "%s", signals[s].many);
        }
    }
    table_end_row(t);
}

static void
add_row(struct table *t, const struct compare *c, const struct compare_row *row, size_t i,
        struct kinds k)
{
    bool has_run = compare_has_run(row);

    for (size_t a = 0; a < c->n_axes; a++) {
        table_add(t, "%s", compare_value(c, a, i));
    }
    add_state(t, row);
    if (k.endless) {
        has_run ? add_rates(t, row) : table_add(t, "-");
    }
    for (size_t f = 0; f < N_FINITE && k.finite; f++) {
        const struct column *column = &completion_columns[finite[f].column];
        has_run ? table_add_value(t, column, &row->completion) : table_add(t, "-");
    }
    for (size_t l = 0; l < N_LAST; l++) {
        if (is_shown(k, l)) {
            has_run ? table_add_value(t, &behind[last[l].column], row) : table_add(t, "-");
        }
    }
    for (enum signal_id s = 0; s < N_SIGNALS; s++) {
        if (k.signals[s]) {
            has_run ? table_add_value(t, &signal_columns[s], &row->signals) : table_add(t, "-");
        }
    }
    table_end_row(t);
}

static void
show_text(const struct compare *c, const struct compare_row *rows, size_t n)
{
    struct kinds k = kinds_of(rows, n);
    struct table t = { .n_left = c->n_axes + 1 + k.endless };

    add_head(&t, c, k);
    for (size_t i = 0; i < n; i++) {
        add_row(&t, c, &rows[i], i, k);
    }
    table_print(&t);
}

/* For programs. */

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
write_row(struct json *j, const struct compare *c, const struct compare_row *row, size_t i)
{
    json_open(j, NULL, '{');
    json_open(j, "settings", '{');
    for (size_t a = 0; a < c->n_axes; a++) {
        json_text(j, c->axes[a].key, compare_value(c, a, i));
    }
    json_close(j, '}');
    write_code(j, row);
    if (compare_has_run(row)) {
        columns_write_json(j, before, N_BEFORE, row);
        json_open(j, "completion", '{');
        columns_write_json(j, completion_columns, COMPLETION_N_COLUMNS, &row->completion);
        json_close(j, '}');
        columns_write_json(j, behind, N_BEHIND, row);
        columns_write_json(j, signal_columns, N_SIGNALS, &row->signals);
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

static void
show_json(const struct compare *c, const struct compare_row *rows, size_t n)
{
    struct json j = { .out = stdout, .lines = 2 };

    json_open(&j, NULL, '[');
    for (size_t i = 0; i < n; i++) {
        write_row(&j, c, &rows[i], i);
    }
    json_close(&j, ']');
}

static void
write_cells(const struct compare_row *row)
{
    if (!compare_has_run(row)) {
        printf("%s", row->has_begun ? row->status : "not run");
        for (size_t i = 1; i < N_BEFORE + COMPLETION_N_COLUMNS + N_BEHIND + N_SIGNALS; i++) {
            printf(",");
        }
        return;
    }
    columns_write_cells(stdout, before, N_BEFORE, row);
    printf(",");
    columns_write_cells(stdout, completion_columns, COMPLETION_N_COLUMNS, &row->completion);
    printf(",");
    columns_write_cells(stdout, behind, N_BEHIND, row);
    printf(",");
    columns_write_cells(stdout, signal_columns, N_SIGNALS, &row->signals);
}

static void
show_csv(const struct compare *c, const struct compare_row *rows, size_t n)
{
    for (size_t a = 0; a < c->n_axes; a++) {
        csv_text(stdout, c->axes[a].key);
        printf(",");
    }
    columns_write_names(stdout, before, N_BEFORE);
    printf(",");
    columns_write_names(stdout, completion_columns, COMPLETION_N_COLUMNS);
    printf(",");
    columns_write_names(stdout, behind, N_BEHIND);
    printf(",");
    columns_write_names(stdout, signal_columns, N_SIGNALS);
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

/* Warnings, each once, with the runs that it is about. */

static bool
warns_of(const struct compare_row *row, const char *what)
{
    for (size_t i = 0; i < row->n_warnings; i++) {
        if (!strcmp(row->warnings[i], what)) {
            return true;
        }
    }
    return false;
}

/* "engine=pfc, switch.arbitration=rr" */
static void
show_settings(FILE *out, const struct compare *c, size_t i)
{
    for (size_t a = 0; a < c->n_axes; a++) {
        fprintf(out, "%s%s=%s", a ? ", " : "", c->axes[a].key, compare_value(c, a, i));
    }
}

static void
show_warning(FILE *out, const struct compare *c, const struct compare_row *rows, size_t n,
             const char *what)
{
    size_t n_about = 0, n_run = 0;

    for (size_t i = 0; i < n; i++) {
        n_run += compare_has_run(&rows[i]);
        n_about += warns_of(&rows[i], what);
    }
    fprintf(out, n_about == n_run ? "warning: all runs" : "warning: ");
    for (size_t i = 0, k = 0; i < n && n_about < n_run; i++) {
        if (warns_of(&rows[i], what)) {
            fprintf(out, "%s", k++ ? "; " : "");
            show_settings(out, c, i);
        }
    }
    fprintf(out, ": %s\n", what);
}

static void
show_warnings(FILE *out, const struct compare *c, const struct compare_row *rows, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        for (size_t w = 0; w < rows[i].n_warnings; w++) {
            const char *what = rows[i].warnings[w];
            size_t first = 0;
            while (!warns_of(&rows[first], what)) {
                first++;
            }
            if (first == i) {
                show_warning(out, c, rows, n, what);
            }
        }
    }
}

void
compare_show(const struct compare *c, const struct compare_row *rows, size_t n)
{
    if (c->form == CLI_JSON) {
        show_json(c, rows, n);
    } else if (c->form == CLI_CSV) {
        show_warnings(stderr, c, rows, n);
        show_csv(c, rows, n);
    } else {
        show_warnings(stdout, c, rows, n);
        show_text(c, rows, n);
    }
}
