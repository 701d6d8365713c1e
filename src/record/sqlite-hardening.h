/* Configures SQLite before it reads the first byte of a results file, which may be untrusted input.
 *
 * The file is data.  No trigger or view in it runs, no function is called from its schema, no other
 * file is opened because of it.  That excludes ATTACH, write-ahead logs, and journals that name
 * other files, which SQLite would remove.  SQLite's work is bounded: the length of texts and
 * statements, and the steps of a query.
 *
 * Steps are bounded by the size of the file, as every row of an honest file stands in it once,
 * while a broken tree of pages may lead in circles.  A caller may end the work earlier (struct
 * rec_until). */

#ifndef RECORD_SQLITE_HARDENING_H
#define RECORD_SQLITE_HARDENING_H

#include "record/store.h"

/* Whether the caller no longer wants to wait. */
bool hardening_is_over(struct rec_file *);

/* Before the first statement. */
bool hardening_begin(struct rec_file *, bool may_write, struct err *);

/* Once the file has content: true if it is kept as our files are, without a log. */
bool hardening_log(struct rec_file *, struct err *);

/* Bounds reading from here on to as many steps as a file of this size can need; and takes the bound
 * away, for writing. */
void hardening_limit(struct rec_file *);
void hardening_unlimit(struct rec_file *);

#endif
