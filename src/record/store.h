/* The door of a results file, for its writer and its reader: nobody else's file comes in, and what
 * SQLite or the system refuse is told in words. */

#ifndef RECORD_STORE_H
#define RECORD_STORE_H

#include <sqlite3.h>
#include <stdbool.h>

#include "base/err.h"
#include "record/table.h"

enum { STORE_APPLICATION = 1466263922, STORE_VERSION = 1 }; /* As schema.sql says. */

extern const char rec_schema[]; /* schema.sql. */

/* Opens with SQLite's own flags; null if it can not be. */
sqlite3 *store_open(const char *path, int flags, struct err *);

/* Whether this program may go on with it: a results file of this version, or nothing at all yet. */
bool store_check(sqlite3 *, const char *path, bool *is_empty, struct err *);

/* Says what went wrong with the last call, as in "cannot write results.db: the disk is full". */
bool store_fail(sqlite3 *, const char *doing, const char *path, struct err *);

/* "a, b, c": the columns of a table, or as many question marks. */
enum { STORE_SQL_BYTES = 512 };

void store_columns(char out[STORE_SQL_BYTES], const struct rec_table *, bool marks);

#endif
