/* Reproduces the claims of papers: compares published values with measured ones.
 *
 *     struct reproduction r = { .paper = "gfc", .results = "gfc.db" };
 *     reproduce_file(&r, "studies/gfc/ring.yaml", &err);    r.claims has more rows
 *     rec_rows_free(&r.claims, REC_CLAIM);
 *
 * The statements of a paper (run/statements.h) are judged in the studies and plans that they name.
 * Any other file is a scenario, a study, a plan or a list of the paper's figures.  A scenario is
 * run under every arbitration that its switches can have.  A study (scenario/study.h) is swept, and
 * a plan is only computed.  All but the list of figures (reproduction-figures.c) have claims. */

#ifndef RUN_REPRODUCTION_H
#define RUN_REPRODUCTION_H

#include "record/rows.h"
#include "run/outcome.h"
#include "run/sweeping.h"
#include "scenario/study.h"

struct reproduction {
    const char *paper;   /* "gfc" */
    const char *only;    /* A figure or file, as the user names it; or null. */
    bool has_statements; /* The study has a scorecard, so its claims are statements of a paper. */
    bool is_dry;         /* Only list the claims; run nothing. */
    /* The user did not request the scorecard, or did not request the claims of other files. */
    bool leaves_statements, leaves_rows;
    const char *results; /* The results file for sweeps. */
    bool is_temporary;   /* The results file is deleted when the command ends. */
    /* The results file also gets single runs, with their samples. */
    bool keeps_runs;
    uint64_t command_ns, n_kept; /* The time of the start, and the number of runs kept so far. */
    enum scn_study_part part;    /* The part of studies to run. */
    const struct outcome_watcher *run_watcher; /* Both watchers may be null. */
    const struct sweeping_watcher *sweep_watcher;
    struct rec_rows claims;  /* struct rec_claim, with the rows of one claim next to each other. */
    struct rec_rows figures; /* struct rec_figure. */
    /* The path of the scenario that has the interpretation of the paper, under which statements are
     * judged. */
    char reading[200];
    char title[200];           /* The title of the paper, as its statements cite it. */
    struct rec_rows scorecard; /* struct rec_statement, in the order of the paper. */
    /* The statements about the next file, which replace its claims. */
    const struct scn_statements *statements;
    uint64_t n_claims;
    bool takes_all;     /* The user selected the whole of the current file. */
    struct err warning; /* A warning about the last file, or empty. */
};

/* Adds the claims of a file.  Returns an exit code. */
int reproduce_file(struct reproduction *, const char *file, struct err *);

/* Like reproduce_file(), each for one kind of file. */
int reproduce_runs(struct reproduction *, const char *file, struct err *);
int reproduce_sweep(struct reproduction *, const char *file, struct err *);
int reproduce_plan(struct reproduction *, const struct scn_node *root, struct err *);
int reproduce_figures(struct reproduction *, const char *file, const struct scn_node *root,
                      struct err *);

/* Whether the user selected items with this source.  The second function is for claims that are not
 * statements. */
bool reproduce_wants(const struct reproduction *, const char *source);
bool reproduce_wants_row(const struct reproduction *, const char *source);

/* Whether a selected figure draws a sweep of this study.  The file with the figures is read before
 * all others. */
bool reproduce_draws_sweep(const struct reproduction *, const char *study);

/* Calls 'run' for each single run that selected figures draw, until a call fails. Passes the name
 * of the run and its first engine, which is "" for the scenario's own engine. Returns the last exit
 * code. */
int reproduce_each_drawn(struct reproduction *,
                         int (*run)(void *arg, const char *name, const char *engine), void *arg);

/* The name of a single run of a study in a figure: "fabric-seeds#17". */
enum { REPRODUCE_RUN_BYTES = 64 };
void reproduce_name_run(const struct scn_study *, uint64_t run, char name[REPRODUCE_RUN_BYTES]);

/* Makes the runs that figures draw, with their samples. */
int reproduce_drawn_runs(struct reproduction *, const struct scn_study *, struct err *);

enum { REPRODUCE_METRIC_BYTES = 80 };

/* The measured value of a claim, which summarizes one run or several. */
struct reproduced {
    const char *scenario, *about; /* 'about': the engine, variant or scheme. */
    const char *flow, *workload;  /* The subject of the claim; or null. */
    const char *runs;             /* Settings of its runs, as in rec_statement; or null. */
    const char *arbitration;
    double value;           /* Negative: nothing was measured. */
    double lowest, highest; /* The extreme values of single runs; or negative. */
    uint64_t n_runs;
    bool is_least, is_most; /* The value is only a lower or upper bound. */
    /* The claim is not judged, because the study ran as a sample, or because runs were refused. */
    bool is_sample, is_undecided;
};

/* The summaries of a study's runs (claim-check.c). A claim selects some of these runs, and reduces
 * their values to one. */
struct claim_check {
    const struct scn_study *study;
    struct rec_rows rows;      /* struct rec_summary. */
    struct rec_rows workloads; /* struct rec_workload. */
    const struct scn_study_axis *arbitrations;
    const char *arbitration; /* The base scenario's arbitration, unless the study varies it. */
    uint64_t n_refused; /* The number of runs that failed; if it is not 0, no claim is judged. */
};

/* The value of a claim's fact in one run, from the facts of the run and of the claim's flows, which
 * may be null.  Negative: unknown.  If the claim counts runs, the value is 1 if the fact is known,
 * else 0. */
double claim_check_value(const struct scn_claim *, const struct run_facts *,
                         const struct workload_facts *);

/* Whether the claim's value is only a lower bound, because it is the longest time of flows and some
 * have not ended. */
bool claim_check_is_open(const struct scn_claim *, const struct workload_facts *);

/* Measures a claim, under one arbitration if the study varies it.  Fills in all but the name of the
 * runs. */
struct reproduced claim_check_measure(const struct claim_check *, const struct scn_claim *,
                                      const char *arbitration);

/* Writes a claim's quantity as a metric of its study, such as "query.fct_p99_ps", or as the name of
 * a measure; "" if it is neither. */
void reproduce_name_metric(const struct scn_claim *, char metric[REPRODUCE_METRIC_BYTES]);

/* The name of a claim's quantity, such as "goodput of F1". */
enum { REPRODUCE_WHAT_BYTES = 100 };
void reproduce_name_what(const struct scn_claim *, const struct reproduced *,
                         char what[REPRODUCE_WHAT_BYTES]);

/* Adds the row of a claim, and judges the claim. */
void reproduce_add_row(struct reproduction *, const struct scn_claim *, const struct reproduced *);

#endif
