/* Opens a results file, for its writer and its reader.  A file may be untrusted input, so nothing
 * in it is believed.  Other programs' files are refused, SQLite runs nothing that is in the file
 * (sqlite-hardening.h), and its tables must be those of schema.sql (schema.h).  Errors of
 * SQLite or the system are reported in words.  Cells are checked where they are read (reader.c). */

#ifndef RECORD_STORE_H
#define RECORD_STORE_H

#include <sqlite3.h>
#include <stdbool.h>

#include "base/err.h"
#include "record/rows.h"
#include "record/series.h"

enum { STORE_APPLICATION = 1466263922, STORE_VERSION = 15 }; /* Columns as in schema.sql. */

/* Files from this version on can be read, and runs can be added to them. */
enum { STORE_OLDEST_VERSION = 14 };

extern const char rec_schema[]; /* schema.sql. */

struct rec_file {
    sqlite3 *db;
    char *path;
    int64_t version; /* The version of its schema. */
    struct rec_packer *packer;
    sqlite3_stmt *puts[REC_N_TABLES]; /* For writers: the statements that insert a row. */
    uint64_t
        n_turns; /* The remaining number of calls to the progress handler (sqlite-hardening.h). */
    struct rec_until until;
    bool was_over; /* The caller no longer wanted to wait. */
};

/* Opens a results file, which must have the tables of its version and nothing else; returns null on
 * failure.  A writer creates a missing file under one lock, as another program may create it at the
 * same time.  'more_flags' are SQLite's, such as SQLITE_OPEN_NOFOLLOW. */
struct rec_file *store_open_to_read(const char *path, int more_flags, const struct rec_until *,
                                    struct err *);
struct rec_file *store_open_to_write(const char *path, int more_flags, struct err *);
void store_close(struct rec_file *);

/* The time for which a call waits for another program that has locked the file. */
enum { STORE_WAIT_BRIEFLY_MS = 50, STORE_WAIT_LONG_MS = 60000 };

/* Sets an error about the last call, such as "cannot write results.db: the disk is full". */
bool store_fail(struct rec_file *, const char *doing, struct err *);

/* Refuses a file with something that Weir does not write: "results.db is not a results file as Weir
 * writes them: ...". */
bool store_refuse(const struct rec_file *, struct err *, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/* The size of the file without holes, which limits the effort of reading it.  It may grow while it
 * is read. */
uint64_t store_bytes(const struct rec_file *);

/* Runs a statement that returns one number; NULL becomes 0. */
bool store_number(struct rec_file *, const char *sql, int64_t *number);

/* The number for the next run or sweep: no row of the file has it, not even one whose run is
 * missing.  Call it within a transaction. */
bool store_next_id(struct rec_file *, enum rec_table_id, uint64_t *id, struct err *);

/* Runs a statement without a result; returns a code of SQLite, like the functions that put rows. */
int store_exec(struct rec_file *, const char *sql);

/* Insert rows, which replace existing rows with the same ids.  'parent' is the run or sweep that
 * they belong to, if any.  A row of the file itself with id 0 gets the next id. */
int store_put(struct rec_file *, enum rec_table_id, const void *row, uint64_t parent);
int store_put_rows(struct rec_file *, enum rec_table_id, const struct rec_rows *, uint64_t parent);

/* Rows of all tables. */
int store_put_all(struct rec_file *, const struct rec_rows[REC_N_TABLES], uint64_t parent);

/* Writes the columns of a table as "a, b, c", as a file of this version has them: to read, with
 * NULL for those that it lacks; to write, without them, or the same number of question marks. */
enum store_form { STORE_TO_READ, STORE_TO_WRITE, STORE_MARKS };
enum { STORE_SQL_BYTES = 4096 };

void store_columns(char out[STORE_SQL_BYTES], const struct rec_table *, int64_t version,
                   enum store_form);

#endif
