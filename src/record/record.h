/* Writes the data of a run to a results file during the run.
 *
 * A results file is one SQLite database for a run or many; schema.sql defines it, rows.h has its
 * rows as structs.  In use:
 *
 *     struct rec *r = rec_open("results.db", &err);              new, or an existing file
 *     rec_begin(r, &run, &err);
 *     rec_add_node(r, &node, &err); ...                          objects, numbered from 0
 *     rec_add_series(r, &series, &err); ...                      one column of the samples each
 *     rec_sample(r, now, values, &err); rec_add_event(r, &event, &err); ...
 *     rec_set_flow(r, &flow, &err); rec_add_counter(r, &counter, &err); ...
 *     rec_end(r, &end, &err);
 *     rec_close(r, &err);
 *
 * Rows are kept in memory and written about once per second in one transaction.  So the file is
 * locked only briefly, and several programs can add runs to it at the same time.  A killed program
 * loses the rows of a second.  The end of the run is written together with its last rows, so a run
 * whose status is `complete` has all its rows.  If another program, such as a SQLite shell, locks
 * the file for long, the writer keeps its rows in memory.  That is an error only at the end of the
 * run, or if it takes too much memory.
 *
 * The file has a rollback journal, not a write-ahead log.  So all committed data are in one file,
 * which can be copied, put on a network drive or made read-only.  A writer killed in the middle of
 * a transaction leaves a file with `-journal` next to it.  The next program that opens the results
 * rolls back the transaction with it, so the two belong together until then.
 *
 * A disk may be full at any time.  The first failure is remembered, and every later call fails with
 * the same message.  So a long run can stop early, but only a successful end means that all data
 * are in the file.  An open file must be closed even after a failure.  Only one thread may use it
 * at a time. */

#ifndef RECORD_RECORD_H
#define RECORD_RECORD_H

#include <stdbool.h>

#include "base/err.h"
#include "record/rows.h"

enum rec_status { REC_COMPLETE, REC_STOPPED, REC_FAILED };

struct rec_end {
    enum rec_status status;
    double wall_s;
    const struct run_facts *facts; /* Null: no fact is known. */
};

struct rec;

/* Opens or creates a results file.  Returns null if it cannot be created, belongs to another
 * program, or has another version. */
struct rec *rec_open(const char *path, struct err *);

/* Like rec_open(), but no part of the path may be a symbolic link. */
struct rec *rec_open_nofollow(const char *path, struct err *);

/* Begins a run; only the columns known at the start are used. */
bool rec_begin(struct rec *, const struct rec_run *, struct err *);

/* Add rows, which are numbered from 0 in the order of the calls. */
bool rec_add_engine_parameter(struct rec *, const struct rec_engine_parameter *, struct err *);
bool rec_add_parameter(struct rec *, const struct rec_parameter *, struct err *);
bool rec_add_node(struct rec *, const struct rec_node *, struct err *);
bool rec_add_port(struct rec *, const struct rec_port *, struct err *);
bool rec_add_flow(struct rec *, const struct rec_flow *, struct err *);
bool rec_add_workload(struct rec *, const struct rec_workload *, struct err *);
bool rec_add_counter(struct rec *, const struct rec_counter *, struct err *);
bool rec_add_event(struct rec *, const struct rec_event *, struct err *);
bool rec_add_wait(struct rec *, const struct rec_wait *, struct err *);
bool rec_add_violation(struct rec *, const struct rec_violation *, struct err *);

/* Replaces the row of the flow with the same id, when more is known about the flow. */
bool rec_set_flow(struct rec *, const struct rec_flow *, struct err *);

/* Adds a series. All series must be added before the first sample; values[0] is the first series.
 * Times of samples must not decrease. */
bool rec_add_series(struct rec *, const struct rec_series *, struct err *);
bool rec_sample(struct rec *, weir_ps at_ps, const uint64_t *values, struct err *);

/* Writes all rows so far to the file; returns false on failure. */
bool rec_flush(struct rec *, struct err *);

bool rec_end(struct rec *, const struct rec_end *, struct err *);

/* Closes the file.  A run that was begun but not ended stays `running`, with all rows so far. */
bool rec_close(struct rec *, struct err *);

#endif
