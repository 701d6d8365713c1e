/* Checks the journal next to a results file, before SQLite reads it.
 *
 * SQLite rolls back the unfinished transaction of a killed writer by a journal, NAME.db-journal,
 * when the file is next opened.  A journal may name one more file at its end, which belonged to a
 * transaction of several databases, and SQLite deletes that file: any file, if the journal is
 * untrusted.  Weir writes to one database at a time, so its journals name none.  Nor are they
 * anything but plain files: SQLite would follow a link, and wait at a pipe for ever. */

#ifndef RECORD_JOURNAL_H
#define RECORD_JOURNAL_H

#include <sqlite3.h>
#include <stdbool.h>

/* The problem with the journal of a file that is open and has not been read yet; null: none, or no
 * journal. */
const char *journal_harm(sqlite3 *);

#endif
