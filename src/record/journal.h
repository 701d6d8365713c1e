/* The journal beside a results file, before SQLite looks at it.
 *
 * What a killed writer left half done, SQLite takes back by a journal, NAME.db-journal, when the
 * file is next opened.  A journal may name one more file at its end, which belonged to a
 * transaction of several databases, and SQLite deletes that file: any file, if a stranger wrote the
 * journal.  Weir writes to one database at a time, so its journals name none.  Nor are they
 * anything but plain files: SQLite would follow a link, and wait at a pipe for ever. */

#ifndef RECORD_JOURNAL_H
#define RECORD_JOURNAL_H

#include <sqlite3.h>
#include <stdbool.h>

/* Of a file that is open and has not been read yet: what is wrong with its journal; null: nothing,
 * or there is none. */
const char *journal_harm(sqlite3 *);

#endif
