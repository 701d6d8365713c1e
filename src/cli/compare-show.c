/* Shows the results of `weir compare` as a table for users. */

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "cli/cli.h"
#include "cli/compare-show.h"
#include "cli/show-completion.h"
#include "output/form-table.h"
#include "output/text-width.h"
#include "output/value.h"

/* The condition under which a fact has a column. IF_MANY and IF_POOLED: a run, or all seeds
 * together, have enough flows for the percentile. IF_ANY: the fact is more than 0 in some run.
 * IF_PAUSED and IF_SEEDS_PAUSED: there are pauses, with one seed or with several. */
enum when {
    ALWAYS,
    IF_ENDLESS,
    IF_FINITE,
    IF_JOB,
    IF_MANY,
    IF_POOLED,
    IF_ANY,
    IF_PAUSED,
    IF_SEEDS_PAUSED
};

static const struct shown_fact {
    size_t fact; /* The index in compare_facts. */
    enum when when;
    const char *head; /* The heading; null: the heading of the fact. */
} shown_facts[] = {
    { FACT_late_goodput_min_bps, IF_ENDLESS, NULL },
    { N_RUN_FACTS + WORKLOAD_n_flows, IF_FINITE, NULL },
    { N_RUN_FACTS + WORKLOAD_n_unfinished, IF_FINITE, NULL },
    { FACT_n_not_started, IF_ANY, NULL },
    { N_RUN_FACTS + WORKLOAD_fct_p50_ps, IF_FINITE, NULL },
    { N_RUN_FACTS + WORKLOAD_fct_p99_ps, IF_MANY, NULL },
    { N_RUN_FACTS + WORKLOAD_slowdown_p99, IF_MANY, "slowdown 99 %" },
    { N_RUN_FACTS + WORKLOAD_done_ps, IF_JOB, NULL },
    { N_RUN_FACTS + WORKLOAD_iteration_p50_ps, IF_ANY, NULL },
    { N_RUN_FACTS + WORKLOAD_busbw_bps, IF_ANY, NULL },
    { N_RUN_FACTS + WORKLOAD_fct_p50_ps, IF_POOLED, "median of all" },
    { N_RUN_FACTS + WORKLOAD_fct_p99_ps, IF_POOLED, "99 % of all" },
    { N_RUN_FACTS + WORKLOAD_slowdown_p99, IF_POOLED, "slowdown 99 % of all" },
    { FACT_peak_input_queue_bytes, ALWAYS, NULL },
    { FACT_peak_output_queue_bytes, ALWAYS, NULL },
    { FACT_paused_ps, IF_ANY, NULL },
    { FACT_most_paused_link, IF_PAUSED, NULL },
    { FACT_most_paused_ps, IF_SEEDS_PAUSED, NULL },
    { FACT_n_dropped, ALWAYS, NULL },
    { FACT_n_no_route, IF_ANY, NULL },
    { FACT_n_flushed, IF_ANY, NULL },
    { FACT_retransmitted_bytes, ALWAYS, NULL },
    { FACT_n_pfc_pauses, IF_ANY, NULL },
    { FACT_n_fafc_pauses, IF_ANY, NULL },
    { FACT_n_link_start_waits, IF_ANY, NULL },
    { FACT_n_rate_changes, IF_ANY, NULL },
    { FACT_n_marked, IF_ANY, NULL },
    { FACT_n_cnps, IF_ANY, NULL },
};

/* Facts that are shown as the sum over all seeds. */
static const struct {
    size_t fact;
    const char *head;
} sums[] = { { N_RUN_FACTS + WORKLOAD_n_flows, "flows, all seeds" },
             { N_RUN_FACTS + WORKLOAD_n_unfinished, "unfinished, all seeds" },
             { FACT_n_not_started, "not started, all seeds" } };

/* The heading of a fact that is shown as a sum; null: the fact has a median and a range. */
static const char *
head_of_sum(size_t fact)
{
    for (size_t i = 0; i < sizeof sums / sizeof *sums; i++) {
        if (sums[i].fact == fact) {
            return sums[i].head;
        }
    }
    return NULL;
}

#define SLOWEST_HEAD "slowest goodput, second half"

enum { N_SHOWN_FACTS = sizeof shown_facts / sizeof *shown_facts };

/* Whether a fact is a percentile of too few flows. */
static bool
is_of_few(size_t fact, const struct compare_row *row)
{
    return fact >= N_RUN_FACTS &&
           facts_is_of_few(&workload_facts[fact - N_RUN_FACTS], &row->collected.workloads[0]);
}

static bool
is_worth_column(const struct shown_fact *s, const struct compare_row *row, bool has_seeds)
{
    const struct run_facts *f = &row->collected.facts;
    bool is_finite = row->collected.workloads[0].n_flows > 0;
    double value;

    switch (s->when) {
    case ALWAYS:
        return true;
    case IF_ENDLESS:
        return f->late_goodput_max_bps != COLUMN_NO_COUNT;
    case IF_FINITE:
        return is_finite;
    case IF_JOB:
        return row->has_job;
    case IF_MANY:
        return is_finite;
    case IF_POOLED:
        return is_finite && has_seeds;
    case IF_PAUSED:
        return f->paused_ps > 0 && !has_seeds;
    case IF_SEEDS_PAUSED:
        return f->paused_ps > 0 && has_seeds;
    case IF_ANY:
        return column_number(&compare_facts[s->fact], row, &value) && value > 0;
    }
    return false;
}

/* A row of the table: a run, or the runs of several seeds. */
struct shown {
    const struct compare *c;
    /* The index of the row's run, or of the first of its runs. */
    size_t at;
    /* 'run': the run; 'values': its values, or the medians of several runs. Both may be null. */
    const struct compare_row *run, *values;
    const struct compare_group *group,
        /* The runs of this row, and those of the first row; or null. */
        *first;
};

COLUMN_GET(shown, get_setting, cell_text(cell, compare_value(r->c, c->nth, r->at)))

/* Adds the statuses of all seeds of a setting, such as "DEADLOCK in 3 of 5". */
static void
add_states(struct weir_text *text, const struct compare_group *g)
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
    for (size_t i = 0; i < sizeof states / sizeof *states; i++) {
        if (states[i].n) {
            weir_text_add(text, "%s%s in %u of %u", text->s[0] ? ", " : "", states[i].what,
                          (uint64_t)states[i].n, (uint64_t)g->n_runs);
        }
    }
    weir_text_add(text, "%s", text->s[0] ? "" : "no deadlock");
}

static void
add_state(struct weir_text *text, const struct compare_row *row)
{
    const struct run_facts *f = &row->collected.facts;
    weir_ps at_ps = f->deadlock_stands ? f->deadlock_ps : f->deadlock_broken_ps;

    weir_text_add(text,
                  !row->has_begun         ? "not run"
                  : !compare_has_run(row) ? (row->is_stopped ? "no results" : "could not be run")
                  : f->deadlock_ps < 0    ? (f->n_collapsed ? "collapsed" : "no deadlock")
                  : f->deadlock_stands    ? "DEADLOCK at %t"
                                          : "deadlock broken at %t",
                  at_ps > 0 ? (uint64_t)at_ps : 0);
    weir_text_add(text, row->is_stopped ? ", stopped" : "");
}

COLUMN_GET(
    shown, get_state, if (r->group) { add_states(cell_made(cell), r->group); } else {
        add_state(cell_made(cell), r->run);
    })

/* Removes the unit of a range's lower end if the upper end has the same unit. */
static void
share_unit(struct weir_text *least, const struct weir_text *most)
{
    char *unit = strchr(least->s, ' ');
    const char *other = strchr(most->s, ' ');

    if (unit && other && !strcmp(unit, other)) {
        *unit = '\0';
    }
}

/* Adds a range such as " (1.41 to 1.73 ms) ~". */
static void
add_range(struct weir_text *text, const struct shown *s, const struct column *fact)
{
    struct weir_text least = { 0 }, most = { 0 }, first = { 0 };

    table_write_value(&first, fact, &s->first->median);
    bool may_be_seed = strcmp(text->s, first.s) && !compare_differs(s->group, s->first, fact);
    table_write_value(&least, fact, &s->group->least);
    table_write_value(&most, fact, &s->group->most);
    if (strcmp(least.s, most.s)) {
        share_unit(&least, &most);
        weir_text_add(text, " (%s to %s)", least.s, most.s);
    }
    weir_text_add(text, may_be_seed ? " ~" : "");
}

/* Adds a value. The goodput of endless flows is shown for the slowest and the fastest flow. Over
 * several seeds, it is shown only for the slowest. */
static void
add_value(struct weir_text *text, const struct shown *s, const struct shown_fact *shown)
{
    const struct run_facts *f = &s->values->collected.facts;

    table_write_value(text, &compare_facts[shown->fact], s->values);
    if (s->group) {
        add_range(text, s, &compare_facts[shown->fact]);
    } else if (shown->when == IF_ENDLESS &&
               value_rounded(f->late_goodput_min_bps) != value_rounded(f->late_goodput_max_bps)) {
        weir_text_add(text, " to ");
        table_write_value(text, &compare_facts[FACT_late_goodput_max_bps], s->values);
    }
}

static void
add_pooled(struct weir_text *text, const struct compare_group *g, size_t fact)
{
    const struct column *of_workload = &workload_facts[fact - N_RUN_FACTS];

    if (g->is_pooled && !facts_is_of_few(of_workload, &g->pooled)) {
        table_write_value(text, of_workload, &g->pooled);
    } else {
        weir_text_add(text, "-");
    }
}

static void
add_sum(struct weir_text *text, const struct compare_group *g, size_t fact)
{
    uint64_t sum = 0, n;

    for (size_t i = 0; i < g->n_runs; i++) {
        sum += column_whole(&compare_facts[fact], g->runs[i], &n) ? n : 0;
    }
    weir_text_add(text, "%u", sum);
}

static void
put_value(const struct shown *s, const struct shown_fact *shown, struct cell *cell)
{
    const struct compare_row *least = s->group ? &s->group->least : s->values;

    if (shown->when == IF_POOLED) {
        add_pooled(cell_made(cell), s->group, shown->fact);
    } else if (s->group && head_of_sum(shown->fact)) {
        add_sum(cell_made(cell), s->group, shown->fact);
    } else if (!is_of_few(shown->fact, least)) {
        add_value(cell_made(cell), s, shown);
    }
}

COLUMN_GET(
    shown, get_value, if (r->values) { put_value(r, &shown_facts[c->nth], cell); })

enum { MAX_COLUMNS = COMPARE_MAX_AXES + 1 + N_SHOWN_FACTS + 1 };

static bool
is_worth_column_of_any(size_t nth, const struct compare *c, const struct compare_row *rows,
                       size_t n)
{
    bool is_worth = false, has_seeds = c->n_seeds > 1;

    for (size_t i = 0; i < n; i++) {
        if (!compare_has_run(&rows[i])) {
            continue;
        }
        if (has_seeds && shown_facts[nth].when == IF_MANY &&
            is_of_few(shown_facts[nth].fact, &rows[i])) {
            return false; /* The percentiles of the flows of all seeds are shown instead. */
        }
        is_worth |= is_worth_column(&shown_facts[nth], &rows[i], has_seeds);
    }
    return is_worth;
}

/* The last part of a key; for transport.kind the section, as "kind" alone does not say of what. */
static const char *
head_of_key(const char *key)
{
    const char *dot = strrchr(key, '.');
    struct scn_table section;

    if (!dot || strcmp(dot, ".kind")) {
        return dot ? dot + 1 : key;
    }
    for (size_t i = 0; scn_section_at(i, &section); i++) {
        if (strlen(section.name) == (size_t)(dot - key) &&
            !strncmp(section.name, key, (size_t)(dot - key))) {
            return section.name;
        }
    }
    return key;
}

/* Makes the columns: settings, the status of a row, and its values. The seed is the last setting;
 * it has no column if there are several seeds. */
static void
make_columns(const struct compare *c, const struct compare_row *rows, size_t n,
             struct column made[MAX_COLUMNS])
{
    struct column *next = made;

    for (size_t a = 0; a < compare_n_shown(c); a++) {
        *next++ = (struct column){ .kind = COLUMN_TEXT,
                                   .head = head_of_key(c->axes[a].key),
                                   .get = get_setting,
                                   .nth = a,
                                   .is_name = true };
    }
    *next++ = (struct column){ .kind = COLUMN_TEXT, .head = " ", .get = get_state };
    for (size_t i = 0; i < N_SHOWN_FACTS; i++) {
        const struct shown_fact *f = &shown_facts[i];
        const char *of_sum = c->n_seeds > 1 ? head_of_sum(f->fact) : NULL;
        const char *of_one = f->head ? f->head : compare_facts[f->fact].head;
        bool is_of_slowest = f->when == IF_ENDLESS && c->n_seeds > 1;
        if (is_worth_column_of_any(i, c, rows, n)) {
            *next++ = (struct column){ .kind = COLUMN_TEXT,
                                       .nth = i,
                                       .get = get_value,
                                       .head = of_sum          ? of_sum
                                               : is_of_slowest ? SLOWEST_HEAD
                                                               : of_one,
                                       .is_right = f->when != IF_ENDLESS,
                                       .unknown = "-" };
        }
    }
    *next = (struct column){ 0 };
}

/* Explains the meaning of a dash once, for the first row that has one because of too few flows. */
static void
show_dash(const struct shown *shown, size_t n)
{
    bool is_said = false;

    for (size_t i = 0; i < n && !is_said; i++) {
        const struct compare_group *g = shown[i].group;
        if (shown[i].values) {
            const struct workload_facts *of =
                g ? &g->pooled : &shown[i].values->collected.workloads[0];
            is_said = of->n_flows && show_few(of);
        }
    }
}

static void
show_legend(const struct compare *c)
{
    printf("\n");
    text_print(
        stdout, 0,
        "Medians of %llu seeds, with the range of single runs; numbers of flows are those of all "
        "seeds together. ~: the median differs from "
        "that of the first row, but the ranges overlap, so the seed may be the cause.",
        (unsigned long long)c->n_seeds);
}

static void
show_text(const struct compare *c, const struct compare_row *rows, size_t n)
{
    struct column made[MAX_COLUMNS];
    size_t n_each = c->n_seeds > 1 ? c->n_seeds : 1, n_shown = n / n_each;
    struct compare_group *groups = n_each > 1 ? compare_group_runs(c, rows, n) : NULL;
    struct shown *shown = array_new(n_shown, sizeof *shown);

    for (size_t i = 0; i < n_shown; i++) {
        const struct compare_row *run = &rows[i * n_each];
        shown[i] = (struct shown){ .c = c, .at = i * n_each, .run = run };
        if (!groups) {
            shown[i].values = compare_has_run(run) ? run : NULL;
        } else if (groups[i].n_runs) {
            shown[i].values = &groups[i].median;
            shown[i].group = &groups[i];
            shown[i].first = compare_first_group(groups);
        }
    }
    make_columns(c, rows, n, made);
    form_table_show(stdout, &(struct form_table){ NULL, made, shown, n_shown, sizeof *shown },
                    FORM_TEXT);
    show_dash(shown, n_shown);
    free(shown);
    if (groups) {
        compare_free_groups(groups, n_shown);
        show_legend(c);
    }
}

/* Shows each warning once, with the runs that it is about. */

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

/* Writes the settings of a run, such as "engine=pfc, switch.arbitration=rr". */
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

/* Warns that one seed of a random workload is not enough for a comparison. */
static void
show_chance(FILE *out, const struct compare *c)
{
    if (c->n_seeds == 1 && compare_is_random(c)) {
        text_print(out, INDENT,
                   "warning: the workload is random and each row is one seed of it, so differences "
                   "may be due to the seed; --seeds 5 shows medians and ranges");
    }
}

/* The number of runs with something in common, which the verdict reports. */
struct kind_of_runs {
    size_t n;
    const char *what;
};

/* Writes the numbers that are not 0, as in ": 1 with a deadlock, 2 with dropped packets". Returns
 * false if all are 0. */
static bool
write_kinds(FILE *to, const char *before, const struct kind_of_runs *kinds, size_t n_kinds)
{
    bool has = false;

    for (size_t i = 0; i < n_kinds; i++) {
        if (kinds[i].n) {
            fprintf(to, "%s %zu %s", has ? "," : before, kinds[i].n, kinds[i].what);
            has = true;
        }
    }
    return has;
}

static void
write_harm(FILE *to, const struct compare_row *rows, size_t n)
{
    size_t n_runs = 0, n_dead = 0, n_dropped = 0, n_collapsed = 0, n_other = 0;

    for (size_t i = 0; i < n; i++) {
        const struct run_facts *f = &rows[i].collected.facts;
        bool has_run = compare_has_run(&rows[i]);
        n_runs += has_run;
        n_dead += has_run && f->deadlock_ps >= 0;
        n_dropped += has_run && f->n_dropped;
        n_collapsed += has_run && f->n_collapsed;
        n_other +=
            rows[i].code == EXIT_PROMISE && f->deadlock_ps < 0 && !f->n_dropped && !f->n_collapsed;
    }
    const struct kind_of_runs kinds[] = { { n - n_runs, "without a result" },
                                          { n_dead, "with a deadlock" },
                                          { n_dropped, "with dropped packets" },
                                          { n_collapsed, "with collapsed flows" },
                                          { n_other, "with violations" } };
    if (!write_kinds(to, ":", kinds, sizeof kinds / sizeof *kinds)) {
        fputs(": no deadlock, no drops", to);
    }
}

/* Whether a job of a run has begun, and has not finished. */
static bool
has_open_job(const struct collected *c)
{
    bool has = false;

    for (size_t i = 1; i < c->n_workloads; i++) {
        has |= c->workloads[i].computing_max_ps >= 0 && c->workloads[i].job_ps < 0;
    }
    return has;
}

static void
write_open_flows(FILE *to, const struct compare_row *rows, size_t n)
{
    size_t n_unfinished = 0, n_not_started = 0, n_jobs = 0;

    for (size_t i = 0; i < n; i++) {
        const struct collected *c = &rows[i].collected;
        n_unfinished += compare_has_run(&rows[i]) && c->workloads[0].n_unfinished;
        n_not_started += compare_has_run(&rows[i]) && c->facts.n_not_started;
        n_jobs += compare_has_run(&rows[i]) && has_open_job(c);
    }
    const struct kind_of_runs kinds[] = { { n_unfinished, "with unfinished flows" },
                                          { n_not_started, "with flows that never started" },
                                          { n_jobs, "with unfinished jobs" } };
    write_kinds(to, ";", kinds, sizeof kinds / sizeof *kinds);
}

/* Shows the verdict, such as "4 runs: 1 with a deadlock, 2 with dropped packets; 3 with unfinished
 * flows." */
static void
show_verdict(const struct compare_row *rows, size_t n)
{
    char *text = NULL;
    size_t len;
    FILE *to = open_memstream(&text, &len);

    write_harm(to, rows, n);
    write_open_flows(to, rows, n);
    fclose(to);
    text_print(stdout, 0, "%zu run%s%s.\n", n, value_plural(n), text);
    printf("\n");
    free(text);
}

void
compare_show(const struct compare *c, enum cli_form form, const struct compare_row *rows, size_t n)
{
    FILE *warnings = form == CLI_TEXT ? stdout : stderr;

    if (form == CLI_TEXT) {
        show_verdict(rows, n);
    }
    if (form != CLI_JSON) { /* JSON has the warnings in its rows. */
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
