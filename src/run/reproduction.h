/* Reproduces the claims of papers: compares published values with measured ones.
 *
 *     struct reproduction r = { .paper = "gfc", .results = "gfc.db" };
 *     reproduce_file(&r, "studies/gfc/ring.yaml", &err);    r.claims has more rows
 *     rec_rows_free(&r.claims, REC_CLAIM);
 *
 * The statements of a paper (run/statements.h) are judged in the studies and plans that they name.
 * Any other file is a scenario with claims about its own run, which is made under every
 * arbitration that its switches can have; a study (scenario/study.h), which is swept; or a plan,
 * which is only arithmetic.  It can also be a list of the paper's figures, which says what each of
 * them draws (reproduction-figures.c).  All but the last have claims. */

#ifndef RUN_REPRODUCTION_H
#define RUN_REPRODUCTION_H

#include "record/rows.h"
#include "run/outcome.h"
#include "run/sweeping.h"
#include "scenario/study.h"

struct reproduction {
    const char *paper;                   /* "gfc" */
    const char *only;                    /* A figure or file, as the user names it; or null. */
    bool has_statements;                 /* The study has a scorecard, so its rows are a paper's. */
    bool is_dry;                         /* Only list the claims; run nothing. */
    bool leaves_statements, leaves_rows; /* The user did not ask for the scorecard; or for the
                                          * claims of other files. */
    const char *results;                 /* Where sweeps are kept. */
    bool keeps_runs;                     /* Single runs, too, with their samples. */
    uint64_t command_ns, n_kept;         /* When this began; runs that are kept so far. */
    enum scn_study_part part;            /* The part of studies to run. */
    const struct outcome_watcher *run_watcher; /* Or null, like the next. */
    const struct sweeping_watcher *sweep_watcher;
    struct rec_rows claims;    /* struct rec_claim, those of one claim in a row. */
    struct rec_rows figures;   /* struct rec_figure */
    char reading[200];         /* The scenario that the statements are judged under. */
    struct rec_rows scorecard; /* struct rec_statement, in the order of the paper. */
    const struct scn_statements
        *statements; /* Statements of the next file, in place of its claims. */
    uint64_t n_claims;
    bool takes_all;     /* The user selected the whole of the current file. */
    struct err warning; /* A warning about the last file; else empty. */
};

/* Adds the claims of a file.  Returns an exit code. */
int reproduce_file(struct reproduction *, const char *file, struct err *);

/* The same for each kind of file. */
int reproduce_runs(struct reproduction *, const char *file, struct err *);
int reproduce_sweep(struct reproduction *, const char *file, struct err *);
int reproduce_plan(struct reproduction *, const struct scn_node *root, struct err *);
int reproduce_figures(struct reproduction *, const char *file, const struct scn_node *root,
                      struct err *);

/* Whether the user selected items with this source; and a claim with this source that is no
 * statement. */
bool reproduce_wants(const struct reproduction *, const char *source);
bool reproduce_wants_row(const struct reproduction *, const char *source);

/* Whether a selected figure draws a sweep of this study.  The file with the figures is read before
 * all others. */
bool reproduce_draws_sweep(const struct reproduction *, const char *study);

/* Calls 'run' for each single run that selected figures draw, until it fails: the name of the run,
 * its first engine ("": its own), and the figure's quantity.  Returns the last exit code. */
int reproduce_each_drawn(struct reproduction *,
                         int (*run)(void *arg, const char *name, const char *engine), void *arg);

/* The name of a study's run that is drawn by itself: "fabric-seeds#17". */
enum { REPRODUCE_RUN_BYTES = 64 };
void reproduce_name_run(const struct scn_study *, uint64_t run, char name[REPRODUCE_RUN_BYTES]);

/* Makes the runs that figures draw, with their samples. */
int reproduce_drawn_runs(struct reproduction *, const struct scn_study *, struct err *);

enum { REPRODUCE_METRIC_BYTES = 80 };

/* A claim as it was measured: once, or over runs that differ in nothing that it speaks of. */
struct reproduced {
    const char *scenario, *about; /* 'about': its engine, variant or scheme. */
    const char *flow, *workload;  /* The subject of the claim; or null. */
    const char *runs;             /* Settings of its runs, as in rec_statement; or null. */
    const char *arbitration;
    double value;           /* Negative: there is none. */
    double lowest, highest; /* Over single runs; or negative. */
    uint64_t n_runs;
    bool is_least, is_most;       /* It is that or more; or less: some flow has not ended. */
    bool is_sample, is_undecided; /* It is not judged: in a sample, or as runs were refused. */
};

/* claim-check.c: the summaries of a study's runs, from which a claim selects those that it is
 * about, and reduces them to one value. */
struct claim_check {
    const struct scn_study *study;
    struct rec_rows rows;      /* struct rec_summary */
    struct rec_rows workloads; /* struct rec_workload */
    const struct scn_study_axis *arbitrations;
    const char *arbitration; /* The base scenario's, unless it is varied. */
    uint64_t n_refused;      /* Runs that could not be made: then nothing is judged. */
};

/* The value of a claim's fact in one run, from the facts of the run and those of the flows that the
 * claim is about, or null; negative: unknown.  In a count of runs: true if it is known. */
double claim_check_value(const struct scn_claim *, const struct run_facts *,
                         const struct workload_facts *);

/* Whether this is the longest time of flows some of which have not ended, so that it is only a
 * lower bound. */
bool claim_check_is_open(const struct scn_claim *, const struct workload_facts *);

/* All but the name of its runs: under an arbitration, if the study varies it. */
struct reproduced claim_check_measure(const struct claim_check *, const struct scn_claim *,
                                      const char *arbitration);

/* A claim's quantity as a metric of its study: "query.fct_p99_ps", or its measure; "": neither. */
void reproduce_name_metric(const struct scn_claim *, char metric[REPRODUCE_METRIC_BYTES]);

/* The quantity of a claim, "goodput of F1". */
enum { REPRODUCE_WHAT_BYTES = 100 };
void reproduce_name_what(const struct scn_claim *, const struct reproduced *,
                         char what[REPRODUCE_WHAT_BYTES]);

/* Adds its row, and judges it. */
void reproduce_add_row(struct reproduction *, const struct scn_claim *, const struct reproduced *);

#endif
