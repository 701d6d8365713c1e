/* Studies: a scenario, and what of it is varied.
 *
 *     base: ring.yaml                              the scenario, as seen from the study's folder
 *     over:
 *       engine: [pfc, cbfc, [gfc-buffer, ecn]]     an axis: values,
 *       run.seed: 1..1000                          or whole numbers, or both: [1..10, 77]
 *     stop: deadlock                               a run ends when it has one
 *     only: cyclic                                 leaves out runs whose network cannot deadlock,
 *                                                  or with `acyclic` those whose network can
 *     keep: summary                                a row a run
 *     sample:                                      for a quick look, other values of some axes
 *       run.seed: [1, 7]
 *     claims:                                      what a paper says of the whole
 *       - {of: networks, engine: pfc, published: 32, source: Table 1}
 *
 *     struct scn_study study;
 *     if (!scn_study_read(&study, file, text, SCN_STUDY_WHOLE, &err)) ...
 *     for (uint64_t run = 0; run < study.n_runs; run++) {
 *         char *set = scn_study_set(&study, run, axis);        "engine=pfc", an axis each; free it
 *     }
 *     scn_study_free(&study);
 *
 * Runs are the product of all axes, in the order in which they stand, the last one running fastest:
 * a run's number says what it is. */

#ifndef SCN_STUDY_H
#define SCN_STUDY_H

#include <stdint.h>

#include "base/err.h"
#include "scenario/tree.h"

#define SCN_STUDY_MAX_RUNS UINT64_C(100000000)

/* One value of an axis, or some in a row. */
struct scn_study_item {
    const struct scn_node *node; /* Where it stands. */
    char *text;                  /* Null: the numbers from 'first' on. */
    uint64_t first, n;
};

struct scn_study_axis {
    const char *key;
    const struct scn_node *node;
    struct scn_study_item *items;
    size_t n_items, max_items;
    uint64_t n; /* Values of all items. */
};

/* What can be measured over all runs of an engine. */
enum scn_measure {
    SCN_NETWORKS,   /* In how many was a deadlock seen?  A network is what differs in more than */
    SCN_COLLAPSES,  /* engine, arbitration and seed.  Without one, but with a sunken rate? */
    SCN_THROUGHPUT, /* Of a host, in the mean, */
    SCN_LATE_THROUGHPUT, /* and in the last tenth of the runs; */
    SCN_SILENT,          /* The part of hosts that send nothing then. */
    SCN_DEVIATION,       /* its deviation over hosts and time. */
    SCN_SLOWEST,         /* The least goodput of a flow, in any run. */
    SCN_SLOWDOWN,        /* Of flows, in the mean. */
    SCN_FEEDBACK,        /* Share of control frames: in the mean, */
    SCN_FEEDBACK_P99,    /* what 99 % of (port, time) do not exceed, */
    SCN_FEEDBACK_MAX,    /* and the most. */
    SCN_DROPS,           /* Packets, in all runs. */
    SCN_N_MEASURES
};

extern const struct scn_measure_name {
    const char *name, *unit; /* As the results file has units. */
} scn_measures[SCN_N_MEASURES];

struct scn_study_claim {
    enum scn_measure of;
    const char *engine;
    const char *also;    /* Of networks: also under this engine; or null. */
    const char *against; /* As a ratio to what this engine has; or null. */
    char sign;           /* '=', '<' or '>'. */
    double published;
    double within; /* Of '=': so far off it still holds, as a ratio. */
    const char *source;
};

enum scn_study_only { SCN_ALL_NETWORKS, SCN_CYCLIC, SCN_ACYCLIC };
enum scn_study_part { SCN_STUDY_WHOLE, SCN_STUDY_SAMPLE };

struct scn_study {
    char name[64];
    char *base; /* As one would open it. */
    struct scn_source *source;
    struct scn_node *root;                       /* Of the file, for places in errors. */
    const struct scn_node *sample, *claims_node; /* Or null. */
    struct scn_study_axis *axes;
    size_t n_axes, max_axes;
    enum scn_study_only only;
    bool stops_at_deadlock;
    uint64_t n_runs;
    bool is_sample; /* Fewer runs than the study has. */
    struct scn_study_claim *claims;
    size_t n_claims, max_claims;
};

bool scn_study_read(struct scn_study *, const char *file, const char *text, enum scn_study_part,
                    struct err *);
void scn_study_free(struct scn_study *);

/* Fills in claims, when all else has been read. */
bool scn_study_read_claims(struct scn_study *, struct err *);

/* The axis with this key; null: it is not varied. */
const struct scn_study_axis *scn_study_axis(const struct scn_study *, const char *key);

/* The value of an axis in a run, and as a setting: memory that is the caller's to free. */
char *scn_study_value(const struct scn_study *, uint64_t run, size_t axis);
char *scn_study_set(const struct scn_study *, uint64_t run, size_t axis);

/* The axes as text: equal texts are equal studies of a scenario. */
char *scn_study_text(const struct scn_study *);

#endif
