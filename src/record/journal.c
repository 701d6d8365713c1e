/* Looks at the end of a journal. */

#include "record/journal.h"

#include <fcntl.h>
#include <stdint.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* What a journal that names a file ends with, by SQLite's file format. */
static const uint8_t mark[8] = { 0xd9, 0xd5, 0x05, 0xf9, 0x20, 0xa1, 0x63, 0xd7 };

static bool
ends_with_name(int journal)
{
    uint8_t end[sizeof mark];
    off_t n = lseek(journal, 0, SEEK_END);

    return n >= (off_t)sizeof end &&
           pread(journal, end, sizeof end, n - (off_t)sizeof end) == (ssize_t)sizeof end &&
           !memcmp(end, mark, sizeof end);
}

bool
journal_is_harmless(sqlite3 *db)
{
    const char *path = sqlite3_db_filename(db, "main");
    int journal = path && *path ? open(sqlite3_filename_journal(path),
                                       O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC)
                                : -1;
    bool is_harmless = journal < 0 || !ends_with_name(journal);

    if (journal >= 0) {
        close(journal);
    }
    return is_harmless;
}
