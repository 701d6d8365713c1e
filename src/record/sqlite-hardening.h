/* Configures SQLite before it reads the first byte of a results file, which may be untrusted input.
 *
 * The file is only data.  No trigger or view in it runs, its schema calls no functions, and it
 * causes no other file to be opened.  That excludes ATTACH, write-ahead logs, and journals that
 * name other files, which SQLite would delete.  SQLite's work is bounded: the length of texts and
 * statements, and the steps of a query.
 *
 * Steps are bounded by the size of the file: each row of a valid file is in it once, but a corrupt
 * tree of pages may have cycles.  A caller may end the work earlier (struct rec_until). */

#ifndef RECORD_SQLITE_HARDENING_H
#define RECORD_SQLITE_HARDENING_H

#include "record/store.h"

/* Whether the caller's time is over, or the caller stopped reading (struct rec_until). */
bool hardening_is_over(struct rec_file *);

/* Restricts SQLite. Must be called before the first statement. */
bool hardening_begin(struct rec_file *, bool may_write, struct err *);

/* Whether a non-empty file has Weir's journal mode, without a write-ahead log. */
bool hardening_log(struct rec_file *, struct err *);

/* Limit reading from now on to the number of steps that a file of this size can need, or remove
 * this limit for writing. */
void hardening_limit(struct rec_file *);
void hardening_unlimit(struct rec_file *);

#endif
