/* The runs of a results file: in the order in which they were asked for, each with a name that
 * tells it from the others.
 *
 *     struct rep_runs runs;
 *     if (!rep_runs_read(&runs, file, &err)) ...
 *     for (size_t i = 0; i < runs.n; i++) {
 *         show(runs.items[i].row->id, runs.items[i].name);            "pfc, fifo, run.time=5ms"
 *     }
 *     rep_runs_free(&runs);
 *
 * A name has the engines and the arbitration; then what was set for this run and not for all of
 * them; the seed, if there are several; and where that is not enough, the name of the scenario and
 * the number of the run. */

#ifndef REPORT_RUNS_H
#define REPORT_RUNS_H

#include "record/reader.h"

enum { REP_NAME_BYTES = 256 };

struct rep_listed {
    const struct rec_run *row;
    char name[REP_NAME_BYTES];
};

struct rep_runs {
    struct rec_rows rows;
    struct rep_listed *items;
    size_t n;
};

bool rep_runs_read(struct rep_runs *, struct rec_file *, struct err *);
void rep_runs_free(struct rep_runs *);

/* Of some of them, what tells these apart, as in a legend: their names without what all of them
 * have.  Where nothing is left, as of one alone, the whole name. */
void rep_runs_brief(const struct rep_listed *const *, size_t n, char (*brief)[REP_NAME_BYTES]);

/* The one with that number, or null. */
const struct rep_listed *rep_runs_find(const struct rep_runs *, uint64_t id);

#endif
