/* Reads results files, which may be untrusted input, and whose runs may still be in progress.  Rows
 * match the schema: numbers in their range, texts in UTF-8, increasing ids.  Any other file is
 * refused, when it is opened or when the wrong row is read.
 *
 *     struct rec_file *f = rec_read_open("results.db", &err);
 *     struct rec_rows runs = { 0 }, series = { 0 };
 *     rec_read_all(f, REC_RUN, 0, &runs, &err);                  items are struct rec_run
 *     rec_read_all(f, REC_SERIES, run, &series, &err);
 *     struct rec_frame frame = { .n_columns = 1 + series.n };
 *     for (uint64_t id = 0; rec_read_frame(f, run, id, &frame, &err) && frame.n_rows; id++) ...
 *     free(frame.values);
 *     rec_rows_free(&runs, REC_RUN); ...
 *     rec_read_close(f);
 *
 * A run whose status is `running` is incomplete: it is still in progress, or was killed.  Texts are
 * never null: missing ones are empty.  Each call locks the file only while it runs, so that a slow
 * reader does not block a writer; for the same reason a table can be read in parts. */

#ifndef RECORD_READER_H
#define RECORD_READER_H

#include <stdbool.h>

#include "base/err.h"
#include "record/rows.h"
#include "record/series.h"

struct rec_file;

struct rec_file *rec_read_open(const char *path, struct err *);
struct rec_file *rec_read_open_until(const char *path, struct rec_until, struct err *);

/* The number of bytes read from the file so far, where bytes that were read twice count twice. Sets
 * 'of' to the size of the file. */
uint64_t rec_read_bytes(const struct rec_file *, uint64_t *of);

/* Like rec_read_open(), but no part of the path may be a symbolic link.  The rec_until also bounds
 * the time of opening the file and of waiting for its writer. */
struct rec_file *rec_read_open_nofollow(const char *path, struct rec_until, struct err *);
void rec_read_close(struct rec_file *);

/* Appends up to 'max' rows of a run, from the first with this id or a later one. Summaries belong
 * to a sweep; for runs and sweeps themselves 'parent' is ignored. */
bool rec_read(struct rec_file *, enum rec_table_id, uint64_t parent, uint64_t first_id,
              uint32_t max, struct rec_rows *, struct err *);
bool rec_read_all(struct rec_file *, enum rec_table_id, uint64_t parent, struct rec_rows *,
                  struct err *);

/* Like rec_read(), for rows that meet an SQL condition. The program writes the condition, never a
 * user. */
bool rec_read_if(struct rec_file *, enum rec_table_id, uint64_t parent, const char *condition,
                 uint64_t first_id, uint32_t max, struct rec_rows *, struct err *);

/* The number of rows of a run in a table. */
bool rec_read_count(struct rec_file *, enum rec_table_id, uint64_t parent, uint64_t *n,
                    struct err *);

/* Calls 'each' for every row that meets a condition (null: all rows). Rows are read in parts,
 * because they may not fit into memory. */
bool rec_read_each(struct rec_file *, enum rec_table_id, uint64_t parent, const char *condition,
                   void (*each)(void *arg, const void *row), void *arg, struct err *);

/* Reads the block of samples with this id into memory that is reused, and that the caller frees.
 * After the last block the result has no rows. The caller sets the number of columns: one more than
 * the number of series. */
bool rec_read_frame(struct rec_file *, uint64_t run, uint64_t id, struct rec_frame *, struct err *);

#endif
