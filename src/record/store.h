/* The door of a results file, for its writer and its reader: nobody else's file comes in, and what
 * SQLite or the system refuse is told in words. */

#ifndef RECORD_STORE_H
#define RECORD_STORE_H

#include <sqlite3.h>
#include <stdbool.h>

#include "base/err.h"
#include "record/rows.h"

enum { STORE_APPLICATION = 1466263922, STORE_VERSION = 6 }; /* As schema.sql says. */

extern const char rec_schema[]; /* schema.sql. */

/* Opens with SQLite's own flags; null if it cannot be. */
sqlite3 *store_open(const char *path, int flags, struct err *);

/* Whether this program may go on with it: a results file of this version, or nothing at all yet. */
bool store_check(sqlite3 *, const char *path, bool *is_empty, struct err *);

/* For those who write: makes the tables if there is nothing yet, under one lock, as another program
 * may be about to make the same file. */
bool store_enter(sqlite3 *, const char *path, struct err *);

/* How long a call waits for another program that has the file. */
enum { STORE_WAIT_BRIEFLY_MS = 50, STORE_WAIT_LONG_MS = 60000 };

/* Says what went wrong with the last call, as in "cannot write results.db: the disk is full". */
bool store_fail(sqlite3 *, const char *doing, const char *path, struct err *);

/* "a, b, c": the columns of a table, or as many question marks. */
enum { STORE_SQL_BYTES = 1024 };

/* Puts a row in, in the place of an old one with its id; 'parent' is the run or sweep that it
 * belongs to, if it does. */
sqlite3_stmt *store_prepare_put(sqlite3 *, const struct rec_table *);
int store_put(sqlite3_stmt *, const struct rec_table *, const void *row, uint64_t parent);

void store_columns(char out[STORE_SQL_BYTES], const struct rec_table *, bool marks);

#endif
