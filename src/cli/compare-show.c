/* Shows what the runs of `weir compare` came to, as a table for people. */

#include <stdio.h>
#include <string.h>

#include "cli/cli.h"
#include "cli/compare.h"
#include "output/text-table.h"

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
    { "dropped", COLUMN_COUNT, ROW(n_dropped) },
    { "no_route", COLUMN_COUNT, ROW(n_unroutable) },
    { "flushed", COLUMN_COUNT, ROW(n_flushed) },
    { "total_sent_bytes", COLUMN_BYTES, ROW(sent_bytes) },
    { "total_sent_again_bytes", COLUMN_BYTES, ROW(again_bytes) },
};

enum { N_BEFORE = sizeof before / sizeof *before, N_BEHIND = sizeof behind / sizeof *behind };

const struct compare_part compare_parts[COMPARE_N_PARTS] = {
    { before, N_BEFORE, 0 },
    { completion_columns, COMPLETION_N_COLUMNS, offsetof(struct compare_row, completion) },
    { backpressure_columns, BACKPRESSURE_N_COLUMNS, offsetof(struct compare_row, backpressure) },
    { behind, N_BEHIND, 0 },
    { signal_columns, N_SIGNALS, offsetof(struct compare_row, signals) },
};

/* Columns of the table; those of packets without a route or flushed where some run had any. */
enum { LEAST_RATE = 4, MOST_RATE = 5, DROPPED = 0, NO_ROUTE = 1, FLUSHED = 2, AGAIN = 4 };

static const struct {
    size_t column;
    const char *title;
} last[] = { { DROPPED, "dropped" },
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

/* Which kinds of flows some run has, packets without a route or flushed, pauses, and which
 * signals. */
struct kinds {
    bool finite, endless, no_route, flushed, paused, signals[N_SIGNALS];
};

/* Facts about queues, and where some run was paused about pauses. */
static const size_t pressure[] = { BACKPRESSURE_PEAK_INPUT, BACKPRESSURE_PEAK_OUTPUT,
                                   BACKPRESSURE_PAUSED, BACKPRESSURE_MOST_PAUSED_LINK };

/* Several seeds have several such links: the time of the link is shown instead. */
static const struct column *
pressure_column(size_t i, bool is_of_seeds)
{
    bool is_link = pressure[i] == BACKPRESSURE_MOST_PAUSED_LINK;

    return &backpressure_columns[is_link && is_of_seeds ? BACKPRESSURE_MOST_PAUSED : pressure[i]];
}

enum { N_PEAKS = 2, N_PRESSURE = sizeof pressure / sizeof *pressure };

static bool
is_shown(struct kinds k, size_t l)
{
    return last[l].column == NO_ROUTE ? k.no_route : last[l].column == FLUSHED ? k.flushed : true;
}

static size_t
n_pressure(struct kinds k)
{
    return k.paused ? N_PRESSURE : N_PEAKS;
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
        k.paused |= has_run && rows[i].backpressure.paused_ps > 0;
        k.flushed |= has_run && rows[i].n_flushed;
        for (enum signal_id s = 0; s < N_SIGNALS && has_run; s++) {
            k.signals[s] |= rows[i].signals.n[s] != COLUMN_NO_COUNT && rows[i].signals.n[s];
        }
    }
    return k;
}

/* "DEADLOCK in 3 of 5": what the seeds of one setting came to. */
static void
add_states(struct table *t, const struct compare_group *g)
{
    size_t n_dead = 0, n_broken = 0, n_collapsed = 0;

    for (size_t i = 0; i < g->n_runs; i++) {
        const struct compare_row *row = g->runs[i];
        n_dead += row->deadlock_stands;
        n_broken += row->has_deadlock && !row->deadlock_stands;
        n_collapsed += !row->has_deadlock && row->n_collapsed;
    }
    const struct {
        size_t n;
        const char *what;
    } states[] = { { n_dead, "DEADLOCK" },
                   { n_broken, "deadlock broken" },
                   { n_collapsed, "collapsed" } };
    struct weir_text text = { 0 };
    for (size_t i = 0; i < sizeof states / sizeof *states; i++) {
        if (states[i].n) {
            weir_text_add(&text, "%s%s in %u of %u", text.s[0] ? ", " : "", states[i].what,
                          (uint64_t)states[i].n, (uint64_t)g->n_runs);
        }
    }
    table_add(t, "%s", text.s[0] ? text.s : "no deadlock");
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

/* One row of the table: a run, or the runs of several seeds. */
struct shown {
    const struct compare_row *row; /* The run, or their medians; null: there is none. */
    const struct compare_group *group,
        *first; /* Those runs, and those of the first row; or null. */
};

/* "1.59ms (1.41ms to 1.73ms) ~" */
static void
add_value(struct table *t, const struct shown *s, const struct column *column, size_t offset)
{
    struct weir_text text = { 0 }, least = { 0 }, most = { 0 }, first = { 0 };

    if (!s->row) {
        table_add(t, "-");
        return;
    }
    table_write_value(&text, column, (const char *)s->row + offset);
    if (s->group) {
        table_write_value(&first, column, (const char *)&s->first->median + offset);
        bool may_be_seed =
            strcmp(text.s, first.s) && !compare_differs(s->group, s->first, column, offset);
        table_write_value(&least, column, (const char *)&s->group->least + offset);
        table_write_value(&most, column, (const char *)&s->group->most + offset);
        if (strcmp(least.s, most.s)) {
            weir_text_add(&text, " (%s to %s)", least.s, most.s);
        }
        weir_text_add(&text, may_be_seed ? " ~" : "");
    }
    table_add(t, "%s", text.s);
}

/* Goodput of endless flows: the slowest and the fastest; over several seeds, the slowest. */
static void
add_rates(struct table *t, const struct shown *s)
{
    struct weir_text text = { 0 };

    if (!s->row || s->group) {
        add_value(t, s, &before[LEAST_RATE], 0);
        return;
    }
    table_write_value(&text, &before[LEAST_RATE], s->row);
    if (cli_rounded(s->row->least_bps) != cli_rounded(s->row->most_bps)) {
        weir_text_add(&text, " to ");
        table_write_value(&text, &before[MOST_RATE], s->row);
    }
    table_add(t, "%s", text.s);
}

static void
add_head(struct table *t, const struct compare *c, struct kinds k)
{
    for (size_t a = 0; a < compare_n_shown(c); a++) {
        const char *dot = strrchr(c->axes[a].key, '.');
        table_add(t, "%s", dot ? dot + 1 : c->axes[a].key);
    }
    table_add(t, " ");
    if (k.endless) {
        table_add(t, c->n_seeds > 1 ? "slowest goodput at the end" : "goodput at the end");
    }
    for (size_t i = 0; i < N_FINITE && k.finite; i++) {
        table_add(t, "%s", finite[i].title);
    }
    for (size_t p = 0; p < n_pressure(k); p++) {
        const struct column *column = pressure_column(p, c->n_seeds > 1);
        bool is_time = column == &backpressure_columns[BACKPRESSURE_MOST_PAUSED];
        table_add(t, "%s", is_time ? "of the worst link" : column->head);
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
add_values(struct table *t, const struct shown *s, struct kinds k)
{
    if (k.endless) {
        add_rates(t, s);
    }
    for (size_t f = 0; f < N_FINITE && k.finite; f++) {
        add_value(t, s, &completion_columns[finite[f].column],
                  offsetof(struct compare_row, completion));
    }
    for (size_t p = 0; p < n_pressure(k); p++) {
        add_value(t, s, pressure_column(p, s->group != NULL),
                  offsetof(struct compare_row, backpressure));
    }
    for (size_t l = 0; l < N_LAST; l++) {
        if (is_shown(k, l)) {
            add_value(t, s, &behind[last[l].column], 0);
        }
    }
    for (enum signal_id i = 0; i < N_SIGNALS; i++) {
        if (k.signals[i]) {
            add_value(t, s, &signal_columns[i], offsetof(struct compare_row, signals));
        }
    }
    table_end_row(t);
}

/* The settings of a row; the seed is the last, and stands in no column if there are several. */
static void
add_settings(struct table *t, const struct compare *c, size_t run)
{
    for (size_t a = 0; a < compare_n_shown(c); a++) {
        table_add(t, "%s", compare_value(c, a, run));
    }
}

static void
add_runs(struct table *t, const struct compare *c, const struct compare_row *rows, size_t n,
         struct kinds k)
{
    for (size_t i = 0; i < n; i++) {
        add_settings(t, c, i);
        add_state(t, &rows[i]);
        add_values(t, &(struct shown){ .row = compare_has_run(&rows[i]) ? &rows[i] : NULL }, k);
    }
}

static void
add_groups(struct table *t, const struct compare *c, const struct compare_row *rows, size_t n,
           struct kinds k)
{
    struct compare_group *groups = compare_group_runs(c, rows, n);

    for (size_t g = 0; g < n / c->n_seeds; g++) {
        add_settings(t, c, g * c->n_seeds);
        if (groups[g].n_runs) {
            add_states(t, &groups[g]);
            add_values(
                t, &(struct shown){ &groups[g].median, &groups[g], compare_first_group(groups) },
                k);
        } else {
            add_state(t, &rows[g * c->n_seeds]);
            add_values(t, &(struct shown){ .row = NULL }, k);
        }
    }
    compare_free_groups(groups, n / c->n_seeds);
}

static void
show_legend(const struct compare *c)
{
    printf(
        "\nMedians of %llu seeds, with the range of single runs. ~: the range overlaps that of the "
        "first row,\nso the difference may be due to the seed.\n",
        (unsigned long long)c->n_seeds);
}

static void
show_text(const struct compare *c, const struct compare_row *rows, size_t n)
{
    struct kinds k = kinds_of(rows, n);
    struct table t = { .n_left = compare_n_shown(c) + 1 + k.endless };

    add_head(&t, c, k);
    (c->n_seeds > 1 ? add_groups : add_runs)(&t, c, rows, n, k);
    table_print(&t);
    if (c->n_seeds > 1) {
        show_legend(c);
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

/* One seed of a random workload decides nothing. */
static void
show_chance(FILE *out, const struct compare *c)
{
    if (c->n_seeds == 1 && compare_is_random(c)) {
        fprintf(out,
                "warning: the workload is random and each row is one seed of it, so differences "
                "may be due to the seed; --seeds 5 shows medians and ranges\n");
    }
}

void
compare_show(const struct compare *c, const struct compare_row *rows, size_t n)
{
    FILE *warnings = c->form == CLI_TEXT ? stdout : stderr;

    if (c->form != CLI_JSON) { /* JSON has them in its rows. */
        show_warnings(warnings, c, rows, n);
    }
    show_chance(warnings, c);
    if (c->form == CLI_JSON) {
        compare_write_json(c, rows, n);
    } else if (c->form == CLI_CSV) {
        compare_write_csv(c, rows, n);
    } else {
        show_text(c, rows, n);
    }
}
