/* Sweeps in a results file: thousands of runs, with one row for each.
 *
 *     struct rec_sweeps *s = rec_sweeps_open("results.db", &err);
 *     rec_sweep_begin(s, &sweep, &id, &err);        continues a sweep that has the same hash
 *     rec_sweep_each(s, id, mark, arg, &err);       runs that need not be made again
 *     rec_sweep_add(s, id, &summary); ...           kept in memory
 *     rec_sweep_flush(s, &err);                     writes all of them in one transaction
 *     rec_sweeps_close(s);                          rows that were not flushed are lost
 *
 * A run is finished when its row has been flushed.  If the program is killed, every row is either
 * complete or missing.  A row with status `failed` is not finished. */

#ifndef RECORD_SWEEP_H
#define RECORD_SWEEP_H

#include "base/err.h"
#include "record/rows.h"

struct rec_sweeps;

struct rec_sweeps *rec_sweeps_open(const char *path, struct err *);
void rec_sweeps_close(struct rec_sweeps *);

bool rec_sweep_begin(struct rec_sweeps *, const struct rec_sweep *, uint64_t *id, struct err *);
bool rec_sweep_each(struct rec_sweeps *, uint64_t sweep, void (*each)(void *arg, const void *row),
                    void *arg, struct err *); /* Calls 'each' with rows of struct rec_summary. */
void rec_sweep_add(struct rec_sweeps *, uint64_t sweep, const struct rec_summary *);

/* Adds a workload's row, with an id computed from the run and the workload. */
void rec_sweep_add_workload(struct rec_sweeps *, uint64_t sweep, const struct rec_workload *);
bool rec_sweep_flush(struct rec_sweeps *, struct err *);

/* Adds all sweeps of another file, and missing runs of sweeps that both files have. 'n_added'
 * counts the added runs, 'n_differ' the runs for which the two files have different results. */
bool rec_sweeps_merge(struct rec_sweeps *, const char *path, uint64_t *n_added, uint64_t *n_differ,
                      struct err *);

#endif
