/* The runs of a results file, in the order of their commands and of the runs within each command,
 * with names that show their differences.
 *
 *     struct rep_runs runs;
 *     if (!rep_runs_read(&runs, file, &err)) ...
 *     for (size_t i = 0; i < runs.n; i++) {
 *         show(runs.items[i].row->id, runs.items[i].name);            "run 3: gfc-buffer, seed 2"
 *     }
 *     rep_runs_free(&runs);
 *
 * A name has the properties that differ among the runs of the file: the scenario, the engines, the
 * arbitration, the program that ran its nodes, settings that not all runs share, and the seed.  If
 * nothing differs, it has the engines and the arbitration.  Names may be equal, and do not include
 * the number.  So a caller that shows a run also shows its number in the file, never its position
 * in a list. */

#ifndef REPORT_RUNS_H
#define REPORT_RUNS_H

#include "record/reader.h"

enum { REP_NAME_BYTES = 256 };

struct rep_listed {
    const struct rec_run *row;
    char name[REP_NAME_BYTES];
    char scheme_name[REP_NAME_BYTES]; /* The name without the seed. */
    size_t scheme;    /* Runs with the same number differ only by their seeds (run-schemes.h). */
    bool is_labelled; /* The user gave the name. */
};

struct rep_runs {
    struct rec_rows rows;
    struct rep_listed *items;
    size_t n;
};

bool rep_runs_read(struct rep_runs *, struct rec_file *, struct err *);
void rep_runs_free(struct rep_runs *);

/* Gives new names to the runs of several files, by the differences among all of them. */
void rep_runs_name(struct rep_listed *const *, size_t n);

/* The run with this number; null: the file has none. */
const struct rep_listed *rep_runs_find(const struct rep_runs *, uint64_t id);

#endif
