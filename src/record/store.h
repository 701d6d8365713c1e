/* Opens a results file, for its writer and its reader. A file may be untrusted input, so nothing in
 * it is taken for granted. Files of other programs are refused, SQLite runs no code that is in the
 * file (sqlite-hardening.h), and its tables must be those of schema.sql (schema.h). Errors of
 * SQLite or the system are reported in words. Cells are checked where they are read (reader.c). */

#ifndef RECORD_STORE_H
#define RECORD_STORE_H

#include <sqlite3.h>
#include <stdbool.h>

#include "base/err.h"
#include "record/rows.h"
#include "record/series.h"

/* The version counts changes of schema.sql. */
enum { STORE_APPLICATION = 1466263922, STORE_VERSION = 15 };

/* Files from this version on can be read, and runs can be added to them. */
enum { STORE_OLDEST_VERSION = 14 };

extern const char rec_schema[]; /* The text of schema.sql. */

struct rec_file {
    sqlite3 *db;
    char *path;
    int64_t version; /* The version of its schema. */
    struct rec_packer *packer;
    sqlite3_stmt *puts[REC_N_TABLES]; /* For writers: the statements that insert a row. */
    /* The remaining number of calls to the progress handler (sqlite-hardening.h). */
    uint64_t n_turns;
    struct rec_until until;
    bool was_over; /* A call failed because the caller stopped reading. */
};

/* Opens a results file, which must have the tables of its version and nothing else; returns null on
 * failure. A writer creates a missing file under one lock, because another program may create it at
 * the same time. 'more_flags' are flags of SQLite, such as SQLITE_OPEN_NOFOLLOW. */
struct rec_file *store_open_to_read(const char *path, int more_flags, const struct rec_until *,
                                    struct err *);
struct rec_file *store_open_to_write(const char *path, int more_flags, struct err *);
void store_close(struct rec_file *);

/* The time for which a call waits for another program that has locked the file. */
enum { STORE_WAIT_BRIEFLY_MS = 50, STORE_WAIT_LONG_MS = 60000 };

/* Sets an error about the last call, such as "cannot write results.db: the disk is full". */
bool store_fail(struct rec_file *, const char *doing, struct err *);

/* Refuses a file that Weir cannot have written: "results.db is not a results file as Weir writes
 * them: ...". */
bool store_refuse(const struct rec_file *, struct err *, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/* The size of the file without holes, which limits the effort of reading it. The file may grow
 * while it is read. */
uint64_t store_bytes(const struct rec_file *);

/* Runs a statement that returns one number; NULL becomes 0. */
bool store_number(struct rec_file *, const char *sql, int64_t *number);

/* The number for the next run or sweep. No row of the file has this number, not even a row whose
 * run is missing. Call it within a transaction. */
bool store_next_id(struct rec_file *, enum rec_table_id, uint64_t *id, struct err *);

/* Runs a statement without a result; returns a code of SQLite, like the functions that put rows. */
int store_exec(struct rec_file *, const char *sql);

/* Insert rows, which replace existing rows with the same ids. 'parent' is the run or sweep that
 * they belong to, if any. If rows belong to the file itself, a row with id 0 gets the next id. */
int store_put(struct rec_file *, enum rec_table_id, const void *row, uint64_t parent);
int store_put_rows(struct rec_file *, enum rec_table_id, const struct rec_rows *, uint64_t parent);

/* Inserts the rows of all tables. */
int store_put_all(struct rec_file *, const struct rec_rows[REC_N_TABLES], uint64_t parent);

/* Writes the columns of a table that a file of this version has, as "a, b, c". STORE_TO_READ:
 * columns that the file lacks are NULL. STORE_TO_WRITE: they are left out. STORE_MARKS: question
 * marks, as many as columns to write. */
enum store_form { STORE_TO_READ, STORE_TO_WRITE, STORE_MARKS };
enum { STORE_SQL_BYTES = 4096 };

void store_columns(char out[STORE_SQL_BYTES], const struct rec_table *, int64_t version,
                   enum store_form);

#endif
