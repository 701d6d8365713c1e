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

enum { STORE_APPLICATION = 1466263922, STORE_VERSION = 14 }; /* Columns as in schema.sql. */

extern const char rec_schema[]; /* schema.sql. */

struct rec_file {
    sqlite3 *db;
    char *path;
    struct rec_packer *packer;
    sqlite3_stmt *puts[REC_N_TABLES]; /* A writer's: they put a row in. */
    uint64_t n_turns; /* How often SQLite may still ask whether to go on; see sqlite-hardening.h. */
    struct rec_until until;
    bool was_over; /* The caller no longer wanted to wait. */
};

/* A results file of this version with the tables of this version, and nothing else in it; null: it
 * is not.  A writer creates it if there is nothing yet, under one lock, as another program may be
 * about to create the same file.  More flags are SQLite's own, such as SQLITE_OPEN_NOFOLLOW. */
struct rec_file *store_open_to_read(const char *path, int more_flags, const struct rec_until *,
                                    struct err *);
struct rec_file *store_open_to_write(const char *path, int more_flags, struct err *);
void store_close(struct rec_file *);

/* How long a call waits for another program that has the file. */
enum { STORE_WAIT_BRIEFLY_MS = 50, STORE_WAIT_LONG_MS = 60000 };

/* Says what went wrong with the last call, as in "cannot write results.db: the disk is full". */
bool store_fail(struct rec_file *, const char *doing, struct err *);

/* Refuses a file with something that Weir does not write: "results.db is not a results file as Weir
 * writes them: ...". */
bool store_refuse(const struct rec_file *, struct err *, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/* How much the file can hold, for bounds on what reading it may take: its size, without holes.  It
 * may grow while it is read. */
uint64_t store_bytes(const struct rec_file *);

/* One statement that gives one number; a NULL is 0. */
bool store_number(struct rec_file *, const char *sql, int64_t *number);

/* The number for the next run or sweep: no row of the file has it, not even one whose run is
 * missing.  Within a transaction. */
bool store_next_id(struct rec_file *, enum rec_table_id, uint64_t *id, struct err *);

/* Runs a statement that gives nothing; returns a code of SQLite, as all that put rows do. */
int store_exec(struct rec_file *, const char *sql);

/* Puts rows in, each in the place of an old one with its id; 'parent' is the run or sweep that they
 * belong to, if they do.  A row of the file itself whose id is 0 gets the next one. */
int store_put(struct rec_file *, enum rec_table_id, const void *row, uint64_t parent);
int store_put_rows(struct rec_file *, enum rec_table_id, const struct rec_rows *, uint64_t parent);

/* Rows of all tables. */
int store_put_all(struct rec_file *, const struct rec_rows[REC_N_TABLES], uint64_t parent);

/* "a, b, c": the columns of a table, or as many question marks. */
enum { STORE_SQL_BYTES = 4096 };

void store_columns(char out[STORE_SQL_BYTES], const struct rec_table *, bool marks);

#endif
