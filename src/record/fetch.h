/* Rows out of a results file, each cell checked, as the file may be untrusted input.
 *
 * SQLite keeps anything in any column, and a file need not be what SQLite would have written.  So a
 * cell must be of the sort that its column is of, and in its range; a NULL stands only where the
 * schema lets it; texts are made UTF-8.  Ids grow from row to row, so that no read loops for ever.
 * A table holds no more than fits into the file, so that memory stays in proportion to the file,
 * whatever its pages say.
 *
 *     struct fetch f = { .table = REC_FLOW, .parent = run, .condition = "1" };
 *     while (!f.is_done && fetch_more(store, &f, 10000, &rows, &err)) ... */

#ifndef RECORD_FETCH_H
#define RECORD_FETCH_H

#include "record/store.h"

struct fetch {
    enum rec_table_id table;
    uint64_t
        parent; /* The run or sweep that the rows belong to; ignored where rows are the file's. */
    const char *condition; /* An SQL condition, the program's own. */
    uint64_t next_id;      /* From this one on. */
    uint64_t n_bytes;      /* Bytes that the rows so far take in the file, at least. */
    uint64_t file_bytes;   /* The file's size, when it was last checked. */
    bool is_done;
};

/* The next rows, 'max' at most, after those that are there. */
bool fetch_more(struct store *, struct fetch *, uint32_t max, struct rec_rows *, struct err *);

/* Calls 'each' for every row, some at a time, as there may be more than memory. */
bool fetch_each(struct store *, enum rec_table_id, uint64_t parent,
                void (*each)(void *arg, const void *row), void *arg, struct err *);

/* One cell of a statement's row, into the row; the id of the row is there already. */
bool fetch_cell(struct store *, sqlite3_stmt *, int place, const struct rec_table *,
                const struct column *, void *row, struct err *);

#endif
