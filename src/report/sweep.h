/* A sweep of a results file as a table of settings and metrics, with a row for each run.
 *
 *     struct rep_sweep s;
 *     if (!rep_sweep_read(&s, file, id, REP_SWEEP_ROWS, &err)) ...
 *     for (size_t m = 0; m < s.n_metrics; m++) ... s.metrics[m].values[row]
 *     rep_sweep_free(&s);
 *
 * Settings are the columns that the study varies.  If all values of a setting are numbers, or have
 * units of one kind, it is a scale: 300KB is before 1MB. Metrics are the facts that are numbers and
 * known for some run, the study's own measures, and the facts of all flows and of each workload:
 * "received_bps", "victim", "all.fct_p99_ps".
 *
 * Runs that the study leaves out (`skipped`) are counted, and have no row. */

#ifndef REPORT_SWEEP_H
#define REPORT_SWEEP_H

#include <stdio.h>

#include "record/reader.h"

enum { REP_SWEEP_ROWS = 20000 }; /* The maximum number of rows that a page can show. */

#define REP_NO_COLUMN SIZE_MAX

struct rep_setting {
    char *name;
    char **values;   /* Sorted if the setting is a scale, else in the order of the runs. */
    double *numbers; /* The values as numbers; meaningless if the setting is not a scale. */
    size_t n_values, max_values;
    uint32_t *of;     /* [row]: the index of its value. */
    const char *unit; /* "bytes", "ps", "bps"; "": none. */
    bool is_scale;
};

struct rep_metric {
    char *name, *unit; /* As in facts_unit(). */
    /* The title of an axis: "completion time, 99 %", or the name of a measure. */
    char *quantity;
    bool is_yes;    /* The values are 0 for no and 1 for yes. */
    double *values; /* [row]; NAN: the run does not have the value. */
    /* For a percentile of flows: the number of flows that it needs, and the metric that counts
     * them, or REP_NO_COLUMN. */
    uint64_t least_flows;
    size_t n_flows;
};

/* The grouping of runs: a metric over the values of one setting, with the values of others as lines
 * and panels. Medians and quartiles are over the runs that differ in the remaining settings, such
 * as seeds. */
struct rep_axes {
    size_t metric, by, lines, panels; /* REP_NO_COLUMN: none. */
};

struct rep_sweep {
    struct rec_rows sweep;     /* struct rec_sweep, one row. */
    struct rec_rows summaries; /* struct rec_summary, one for each row. */
    struct rep_setting *settings;
    size_t n_settings, max_settings;
    struct rep_metric *metrics;
    size_t n_metrics, max_metrics;
    /* The number of metrics with those that no run has, which come last. */
    size_t n_all_metrics;
    /* The numbers of runs in the file. If there are more rows than requested, the number of skipped
     * runs is unknown. */
    uint64_t n_done, n_skipped;
};

bool rep_sweep_read(struct rep_sweep *, struct rec_file *, uint64_t id, uint32_t max_rows,
                    struct err *);
void rep_sweep_free(struct rep_sweep *);

static inline const struct rec_sweep *
rep_sweep_row(const struct rep_sweep *s)
{
    return rec_row(&s->sweep, REC_SWEEP, 0);
}

static inline const struct rec_summary *
rep_sweep_run(const struct rep_sweep *s, size_t row)
{
    return rec_row(&s->summaries, REC_SUMMARY, row);
}

/* Whether the run ended, at its end time or at a deadlock. */
bool rep_sweep_has_run(const struct rec_summary *);

/* The index of a setting or metric; REP_NO_COLUMN: none has that name. */
size_t rep_sweep_setting(const struct rep_sweep *, const char *name);
size_t rep_sweep_metric(const struct rep_sweep *, const char *name);

/* Whether the value of a run is a percentile of too few flows. Such values are not shown to
 * users. */
bool rep_sweep_is_of_few(const struct rep_sweep *, size_t metric, size_t row);

/* The axes that are shown first. */
struct rep_axes rep_sweep_first_axes(const struct rep_sweep *);

/* Write members of an open object: the sweep with its number of runs, and a value of a metric, or
 * null. Whole numbers have all digits, fractions as many as 'digits'. */
void rep_sweep_write_head(struct json *, const char *file, const struct rep_sweep *);
void rep_sweep_write_value(struct json *, const char *key, const struct rep_metric *, size_t row,
                           int digits);

/* Writes JSON for the page; report.h describes the format. */
void rep_sweep_write(FILE *, const char *file, const struct rep_sweep *);

#endif
