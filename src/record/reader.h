/* Reads results files, whose bytes may be anything and whose runs may still go on.  Rows match the
 * schema: numbers in their range, texts in UTF-8, increasing ids.  A file that has anything else is
 * refused, when it is opened or where it is read.
 *
 *     struct rec_file *f = rec_read_open("results.db", &err);
 *     struct rec_rows runs = { 0 }, series = { 0 };
 *     rec_read_all(f, REC_RUN, 0, &runs, &err);          items are struct rec_run
 *     rec_read_all(f, REC_SERIES, run, &series, &err);
 *     struct rec_frame frame = { .n_columns = 1 + series.n };
 *     for (uint64_t id = 0; rec_read_frame(f, run, id, &frame, &err) && frame.n_rows; id++) ...
 *     free(frame.values);
 *     rec_rows_free(&runs, REC_RUN); ...
 *     rec_read_close(f);
 *
 * A run whose status is `running` is incomplete: it goes on, or was killed.  Texts that are read
 * are never null: what there is not is empty.  Each call holds the file only while it runs, so that
 * a slow reader does not block a writer; a table can be read in parts for the same reason. */

#ifndef RECORD_READER_H
#define RECORD_READER_H

#include <stdbool.h>

#include "base/err.h"
#include "record/rows.h"
#include "record/series.h"

struct rec_file;

struct rec_file *rec_read_open(const char *path, struct err *);
struct rec_file *rec_read_open_until(const char *path, struct rec_until, struct err *);

/* How many bytes have been read of the file, some perhaps twice, and of how many. */
uint64_t rec_read_bytes(const struct rec_file *, uint64_t *of);

/* The same, if no part of the path is a link, and for as long as is wanted, which bounds opening it
 * and waiting for its writer, too. */
struct rec_file *rec_read_open_nofollow(const char *path, struct rec_until, struct err *);
void rec_read_close(struct rec_file *);

/* Appends the first 'max' rows of a run with this id or a later one.  Summaries are a sweep's; for
 * runs and sweeps themselves the parent is of no concern. */
bool rec_read(struct rec_file *, enum rec_table_id, uint64_t parent, uint64_t first_id,
              uint32_t max, struct rec_rows *, struct err *);
bool rec_read_all(struct rec_file *, enum rec_table_id, uint64_t parent, struct rec_rows *,
                  struct err *);

/* The same, of those rows that a condition of SQL holds for; it is the program's, never a user's.
 */
bool rec_read_if(struct rec_file *, enum rec_table_id, uint64_t parent, const char *condition,
                 uint64_t first_id, uint32_t max, struct rec_rows *, struct err *);

/* How many rows a table has of a run. */
bool rec_read_count(struct rec_file *, enum rec_table_id, uint64_t parent, uint64_t *n,
                    struct err *);

/* Calls 'each' for every row, or those that a condition holds for (null: all), some at a time, as
 * there may be more than memory. */
bool rec_read_each(struct rec_file *, enum rec_table_id, uint64_t parent, const char *condition,
                   void (*each)(void *arg, const void *row), void *arg, struct err *);

/* The samples of block 'id', into memory that is the caller's to free and is used again; no rows
 * after the last block.  The caller has set the number of columns: one, and one a series. */
bool rec_read_frame(struct rec_file *, uint64_t run, uint64_t id, struct rec_frame *, struct err *);

#endif
