/* A comparison: a scenario, run with every combination of the values of several settings.
 *
 *     struct compare c = { .file = "ring.yaml", .n_seeds = 1 };
 *     compare_read_axis(&c, "engine=...", &err) ...
 *     struct compare_row *rows = array_new(compare_n_runs(&c), sizeof *rows);
 *     compare_run(&c, rows, compare_n_runs(&c), &err);
 *     compare_free(&c);
 *
 * The last setting varies fastest.  Each combination is a run and a row of the table, and has the
 * same number everywhere. */

#ifndef RUN_COMPARISON_H
#define RUN_COMPARISON_H

#include "run/collect.h"
#include "run/outcome.h"
#include "run/pooled-flows.h"
#include "run/sweeping.h"
#include "run/warnings.h"

enum {
    COMPARE_MAX_SETS = 64,
    COMPARE_MAX_AXES = 6,
    COMPARE_MAX_RUNS = 10000,
    COMPARE_MAX_WRONG = 8
};

struct compare_axis {
    char *key, **values; /* The key, then the values: parts of one string. */
    size_t n_values, max_values;
};

struct compare {
    const char *file, *results; /* If 'results' is null, nothing is recorded. */
    const char *const *sets;    /* Settings of all runs. */
    size_t n_sets;
    struct compare_axis axes[COMPARE_MAX_AXES];
    size_t n_axes;
    uint64_t n_seeds; /* The number of runs of each combination of values; 0 means 1. */
    uint64_t command_ns;
    const struct sweeping_watcher *watcher; /* Or null. */
    struct pooled_flows *pool;              /* Flows of all runs, if there are several seeds. */
    /* Decides the order in which runs get their numbers in the results file. */
    struct sequencer *sequencer;
};

/* The result of one run; its worker sends it through a pipe. */
struct compare_row {
    int code;
    bool has_begun, is_stopped;
    bool has_job; /* Some workload is one job, such as a collective, and has a completion time as a
                     whole. */
    struct collected collected;
    struct err err; /* The error, if the run failed. */
    char warnings[WARNINGS_MAX][WEIR_TEXT_MAX];
    size_t n_warnings;
};

/* The facts of a row: first those of the run, then those of all its measured flows, whose names
 * begin with "all.". */
enum { COMPARE_N_FACTS = N_RUN_FACTS + N_WORKLOAD_FACTS };
extern const struct column compare_facts[COMPARE_N_FACTS];

/* The runs of one combination of values, which differ by their seeds.  A value that only some of
 * them have counts as larger than all others. */
struct compare_group {
    const struct compare_row **runs; /* The runs that did not fail. */
    size_t n_runs;                   /* If it is 0, the members below have no meaning. */
    struct compare_row least, median, most;
    bool is_pooled; /* 'pooled' is valid: all runs succeeded and their flows are known. */
    struct workload_facts pooled;
};

/* The settings of one run, as `--set` takes them. */
struct compare_sets {
    const char *items[COMPARE_MAX_SETS + COMPARE_MAX_AXES + 1];
    char texts[COMPARE_MAX_AXES][200];
    size_t n;
};

/* Adds an axis from a word such as "engine=pfc,cbfc". */
bool compare_read_axis(struct compare *, const char *word, struct err *);
const char *compare_value(const struct compare *, size_t axis, size_t run);
size_t compare_n_runs(const struct compare *);
void compare_list_sets(const struct compare *, size_t run, struct compare_sets *);

/* Reads the scenario of a run, with one additional setting, or none if 'more' is null. Returns an
 * exit code. */
int compare_read(const struct compare *, size_t run, const char *more, struct scenario *,
                 struct err *);

/* Errors about values that the scenario refuses. */
struct compare_wrong {
    struct err errs[COMPARE_MAX_WRONG];
    size_t n;
};

/* Reads a scenario for every value of every axis, without running it. Reports values that the
 * scenario refuses, such as misspelt ones, and scenarios that are refused with all values. Values
 * that are refused only in combination are not reported, and leave a gap in the table. Returns an
 * exit code. */
int compare_check(const struct compare *, struct compare_wrong *);

/* Makes an error name the option that the user gave: values of axes are passed to the runs as
 * --set, but the user gave them as --over. */
void compare_name_option(const struct compare *, struct err *);

/* Frees the memory that compare_read_axis() and compare_run() allocated. */
void compare_free(struct compare *);

/* Adds a last axis of random seeds, so that each combination of values runs with `n_seeds` seeds.
 * Returns an exit code. */
int compare_add_seeds(struct compare *, struct err *);

/* Whether another seed would change the flows, while the comparison uses one seed only. */
bool compare_is_random(const struct compare *);

struct compare_group *compare_group_runs(const struct compare *, const struct compare_row *,
                                         size_t n);
void compare_free_groups(struct compare_group *, size_t n);

/* The first group with successful runs, with which the others are compared.  There must be one. */
const struct compare_group *compare_first_group(const struct compare_group *);

/* Whether a fact is a quantity that can have a median.  A name or a traffic class is not. */
bool compare_is_quantity(const struct column *);

/* Whether the ranges of a fact in two groups do not overlap. */
bool compare_differs(const struct compare_group *, const struct compare_group *,
                     const struct column *);

/* Makes all runs in processes of a pool, as many at a time as there are cores. Returns an exit
 * code, which is EXIT_GOOD even if single runs failed. */
int compare_run(struct compare *, struct compare_row *, size_t n, struct err *);

/* The exit code for all runs. A failed run takes precedence over a broken promise, because it
 * leaves a gap in the table. */
int compare_judge(const struct compare_row *, size_t n);

/* Whether a row failed for a reason that no earlier row has. */
bool compare_is_new_failure(const struct compare_row *, size_t i);

/* Fills the row with the result of a run that has ended with this code. */
void compare_sum_up(struct compare_row *, int code, const struct outcome *);

/* The status of a row: "complete", "stopped", "failed" or "not run". */
const char *compare_status(const struct compare_row *);

static inline bool
compare_has_run(const struct compare_row *row)
{
    return row->has_begun && (row->code == EXIT_GOOD || row->code == EXIT_PROMISE);
}

/* The number of settings that the rows of the table differ by.  Seeds have no column. */
static inline size_t
compare_n_shown(const struct compare *c)
{
    return c->n_axes - (c->n_seeds > 1);
}

#endif
