/* Shows what the runs of `weir compare` came to, as a table for people. */

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/cli.h"
#include "cli/compare-show.h"
#include "output/text-table.h"
#include "output/text-width.h"

/* Which runs make a fact worth a column: all; those with endless or finite flows; those in which it
 * is more than 0.  The last two are of runs that were paused: of one seed, and of several, which
 * have several such links. */
enum when { ALWAYS, IF_ENDLESS, IF_FINITE, IF_ANY, IF_PAUSED, IF_SEEDS_PAUSED };

static const struct shown_fact {
    size_t part, fact;
    enum when when;
    const char *head; /* Null: that of the fact. */
} shown_facts[] = {
    { 0, FACT_late_goodput_min_bps, IF_ENDLESS, NULL },
    { 1, WORKLOAD_n_unfinished, IF_FINITE, NULL },
    { 1, WORKLOAD_fct_p50_ps, IF_FINITE, NULL },
    { 1, WORKLOAD_fct_p99_ps, IF_FINITE, NULL },
    { 1, WORKLOAD_slowdown_p99, IF_FINITE, "slowdown 99 %" },
    { 0, FACT_peak_input_queue_bytes, ALWAYS, NULL },
    { 0, FACT_peak_output_queue_bytes, ALWAYS, NULL },
    { 0, FACT_paused_ps, IF_ANY, NULL },
    { 0, FACT_most_paused_link, IF_PAUSED, NULL },
    { 0, FACT_most_paused_ps, IF_SEEDS_PAUSED, NULL },
    { 0, FACT_n_dropped, ALWAYS, NULL },
    { 0, FACT_n_no_route, IF_ANY, NULL },
    { 0, FACT_n_flushed, IF_ANY, NULL },
    { 0, FACT_retransmitted_bytes, ALWAYS, NULL },
    { 0, FACT_n_pfc_pauses, IF_ANY, NULL },
    { 0, FACT_n_fafc_pauses, IF_ANY, NULL },
    { 0, FACT_n_link_start_waits, IF_ANY, NULL },
    { 0, FACT_n_rate_changes, IF_ANY, NULL },
    { 0, FACT_n_marked, IF_ANY, NULL },
    { 0, FACT_n_cnps, IF_ANY, NULL },
};

enum { N_SHOWN_FACTS = sizeof shown_facts / sizeof *shown_facts };

static const struct column *
fact_of(const struct shown_fact *s)
{
    return &compare_parts[s->part].facts[s->fact];
}

static bool
is_worth_column(const struct shown_fact *s, const struct compare_row *row, bool has_seeds)
{
    const struct run_facts *f = &row->collected.facts;
    double value;

    switch (s->when) {
    case ALWAYS:
        return true;
    case IF_ENDLESS:
        return f->late_goodput_max_bps != COLUMN_NO_COUNT;
    case IF_FINITE:
        return row->collected.workloads[0].n_flows > 0;
    case IF_PAUSED:
        return f->paused_ps > 0 && !has_seeds;
    case IF_SEEDS_PAUSED:
        return f->paused_ps > 0 && has_seeds;
    case IF_ANY:
        return column_number(fact_of(s), (const char *)row + compare_parts[s->part].offset,
                             &value) &&
               value > 0;
    }
    return false;
}

/* Which facts some run makes worth a column. */
struct kinds {
    bool is_shown[N_SHOWN_FACTS];
};

static struct kinds
kinds_of(const struct compare *c, const struct compare_row *rows, size_t n)
{
    struct kinds k = { 0 };

    for (size_t i = 0; i < n; i++) {
        for (size_t s = 0; s < N_SHOWN_FACTS && compare_has_run(&rows[i]); s++) {
            k.is_shown[s] |= is_worth_column(&shown_facts[s], &rows[i], c->n_seeds > 1);
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
        const struct run_facts *f = &g->runs[i]->collected.facts;
        bool has_deadlock = f->deadlock_ps >= 0;
        n_dead += f->deadlock_stands;
        n_broken += has_deadlock && !f->deadlock_stands;
        n_collapsed += !has_deadlock && f->n_collapsed;
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
    const struct run_facts *f = &row->collected.facts;
    struct weir_text text = { 0 };
    weir_ps at_ps = f->deadlock_stands ? f->deadlock_ps : f->deadlock_broken_ps;

    weir_text_add(&text,
                  !row->has_begun         ? "not run"
                  : !compare_has_run(row) ? (row->is_stopped ? "no results" : "could not be run")
                  : f->deadlock_ps < 0    ? (f->n_collapsed ? "collapsed" : "no deadlock")
                  : f->deadlock_stands    ? "DEADLOCK at %T"
                                          : "deadlock broken at %T",
                  (weir_ps)value_rounded(at_ps > 0 ? (uint64_t)at_ps : 0));
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
    const struct column *slowest = &run_facts[FACT_late_goodput_min_bps];
    const struct column *fastest = &run_facts[FACT_late_goodput_max_bps];
    struct weir_text text = { 0 };

    if (!s->row || s->group) {
        add_value(t, s, slowest, compare_parts[0].offset);
        return;
    }
    const struct run_facts *f = &s->row->collected.facts;
    table_write_value(&text, slowest, f);
    if (value_rounded(f->late_goodput_min_bps) != value_rounded(f->late_goodput_max_bps)) {
        weir_text_add(&text, " to ");
        table_write_value(&text, fastest, f);
    }
    table_add(t, "%s", text.s);
}

static void
add_head(struct table *t, const struct compare *c, const struct kinds *k)
{
    for (size_t a = 0; a < compare_n_shown(c); a++) {
        const char *dot = strrchr(c->axes[a].key, '.');
        table_add(t, "%s", dot ? dot + 1 : c->axes[a].key);
    }
    table_add(t, " ");
    for (size_t i = 0; i < N_SHOWN_FACTS; i++) {
        if (k->is_shown[i]) {
            const char *head =
                shown_facts[i].head ? shown_facts[i].head : fact_of(&shown_facts[i])->head;
            table_add(t, "%s%s",
                      shown_facts[i].when == IF_ENDLESS && c->n_seeds > 1 ? "slowest " : "", head);
        }
    }
    table_end_row(t);
}

static void
add_values(struct table *t, const struct shown *s, const struct kinds *k)
{
    for (size_t i = 0; i < N_SHOWN_FACTS; i++) {
        const struct shown_fact *f = &shown_facts[i];
        if (k->is_shown[i] && f->when == IF_ENDLESS) {
            add_rates(t, s);
        } else if (k->is_shown[i]) {
            add_value(t, s, fact_of(f), compare_parts[f->part].offset);
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
         const struct kinds *k)
{
    for (size_t i = 0; i < n; i++) {
        add_settings(t, c, i);
        add_state(t, &rows[i]);
        add_values(t, &(struct shown){ .row = compare_has_run(&rows[i]) ? &rows[i] : NULL }, k);
    }
}

static void
add_groups(struct table *t, const struct compare *c, const struct compare_row *rows, size_t n,
           const struct kinds *k)
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
    printf("\n");
    text_print(stdout, 0,
               "Medians of %llu seeds, with the range of single runs. ~: the range overlaps that "
               "of the first row, so the difference may be due to the seed.",
               (unsigned long long)c->n_seeds);
}

static void
show_text(const struct compare *c, const struct compare_row *rows, size_t n)
{
    struct kinds k = kinds_of(c, rows, n);
    struct table t = { .n_left = compare_n_shown(c) + 1 + k.is_shown[0],
                       .n_names = compare_n_shown(c) };

    add_head(&t, c, &k);
    (c->n_seeds > 1 ? add_groups : add_runs)(&t, c, rows, n, &k);
    table_write(stdout, &t);
    if (c->n_seeds > 1) {
        show_legend(c);
    }
}

/* Warnings, each once, with the runs that it is about. */

enum { INDENT = 4 };

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
    char *settings = NULL;
    size_t n_about = 0, n_run = 0, len;
    FILE *to = open_memstream(&settings, &len);

    for (size_t i = 0; i < n; i++) {
        n_run += compare_has_run(&rows[i]);
        if (warns_of(&rows[i], what)) {
            fprintf(to, "%s", n_about++ ? "; " : "");
            show_settings(to, c, i);
        }
    }
    fclose(to);
    text_print(out, INDENT, "warning: %s: %s", n_about == n_run ? "all runs" : settings, what);
    free(settings);
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
        text_print(out, INDENT,
                   "warning: the workload is random and each row is one seed of it, so differences "
                   "may be due to the seed; --seeds 5 shows medians and ranges");
    }
}

void
compare_show(const struct compare *c, enum cli_form form, const struct compare_row *rows, size_t n)
{
    FILE *warnings = form == CLI_TEXT ? stdout : stderr;

    if (form != CLI_JSON) { /* JSON has them in its rows. */
        show_warnings(warnings, c, rows, n);
    }
    show_chance(warnings, c);
    if (form == CLI_JSON) {
        compare_write_json(c, rows, n);
    } else if (form == CLI_CSV) {
        compare_write_csv(c, rows, n);
    } else {
        show_text(c, rows, n);
    }
}
