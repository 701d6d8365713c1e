/* Studies: a scenario, and what of it is varied.
 *
 *     base: ring.yaml                              the scenario, as seen from the study's folder
 *     over:
 *       engine: [pfc, cbfc, [gfc-buffer, ecn]]     an axis: values,
 *       run.seed: 1..1000                          or whole numbers, or both: [1..10, 77]
 *     stop: deadlock                               a run ends when it has one
 *     only: cyclic                                 runs whose network can not deadlock are left out
 *     keep: summary                                a row a run
 *
 *     struct scn_study study;
 *     if (!scn_study_read(&study, &source, &err)) ...
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

struct scn_study {
    char name[64];
    char *base;            /* As one would open it. */
    struct scn_node *root; /* Of the file, for places in errors; its source must outlive this. */
    struct scn_study_axis *axes;
    size_t n_axes, max_axes;
    bool is_only_cyclic, stops_at_deadlock;
    uint64_t n_runs;
};

bool scn_study_read(struct scn_study *, const struct scn_source *, struct err *);
void scn_study_free(struct scn_study *);

/* The value of an axis in a run, and as a setting: memory that is the caller's to free. */
char *scn_study_value(const struct scn_study *, uint64_t run, size_t axis);
char *scn_study_set(const struct scn_study *, uint64_t run, size_t axis);

/* The axes as text: equal texts are equal studies of a scenario. */
char *scn_study_text(const struct scn_study *);

#endif
