/* Looks at the end of a journal. */

#include "record/journal.h"

#include <errno.h>
#include <fcntl.h>
#include <stdint.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* The last bytes of a journal that names a file, by SQLite's file format. */
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

const char *
journal_harm(sqlite3 *db)
{
    static const char odd[] = "is not a plain file";
    const char *path = sqlite3_db_filename(db, "main");
    const char *name = path && *path ? sqlite3_filename_journal(path) : NULL;
    struct stat st;

    if (!name || lstat(name, &st)) {
        return NULL;
    }
    /* By its handle once more, as another may have come in its place. */
    int journal = open(name, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY | O_CLOEXEC);
    bool is_odd = !S_ISREG(st.st_mode) || (journal < 0 && errno == ELOOP) ||
                  (journal >= 0 && (fstat(journal, &st) || !S_ISREG(st.st_mode)));
    bool has_name = !is_odd && journal >= 0 && ends_with_name(journal);
    if (journal >= 0) {
        close(journal);
    }
    return is_odd ? odd : has_name ? "names another file to be deleted" : NULL;
}
