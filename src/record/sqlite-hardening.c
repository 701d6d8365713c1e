/* Restricts SQLite to reading data, whatever the file contains. */

#include "record/sqlite-hardening.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static const struct {
    int what, is_on;
} settings[] = {
    { SQLITE_DBCONFIG_DEFENSIVE, 1 },        { SQLITE_DBCONFIG_TRUSTED_SCHEMA, 0 },
    { SQLITE_DBCONFIG_ENABLE_TRIGGER, 0 },   { SQLITE_DBCONFIG_ENABLE_VIEW, 0 },
    { SQLITE_DBCONFIG_WRITABLE_SCHEMA, 0 },  { SQLITE_DBCONFIG_ENABLE_LOAD_EXTENSION, 0 },
    { SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, 1 },
};

/* SQLite's limits, which are above the needs of Weir's own statements, tables and rows. The longest
 * cell is a block of samples. */
static const struct {
    int what, most;
} limits[] = {
    { SQLITE_LIMIT_LENGTH, 1 << 28 },
    { SQLITE_LIMIT_SQL_LENGTH, 1 << 16 },
    { SQLITE_LIMIT_COLUMN, 100 },
    { SQLITE_LIMIT_EXPR_DEPTH, 50 },
    { SQLITE_LIMIT_COMPOUND_SELECT, 2 },
    { SQLITE_LIMIT_VDBE_OP, 10000 },
    { SQLITE_LIMIT_FUNCTION_ARG, 8 },
    { SQLITE_LIMIT_ATTACHED, 0 },
    { SQLITE_LIMIT_LIKE_PATTERN_LENGTH, 100 },
    { SQLITE_LIMIT_VARIABLE_NUMBER, 100 },
    { SQLITE_LIMIT_TRIGGER_DEPTH, 1 },
    { SQLITE_LIMIT_WORKER_THREADS, 0 },
};

/* Limits on the steps of a query. */

enum { STEPS_A_TURN = 1000, STEPS_A_BYTE = 64, MIN_TURNS = 10000 };

bool
hardening_is_over(struct rec_file *s)
{
    s->was_over = s->until.is_over && s->until.is_over(s->until.arg);
    return s->was_over;
}

static int
on_turn(void *arg)
{
    struct rec_file *s = arg;

    s->n_turns -= s->n_turns != 0;
    return hardening_is_over(s) || !s->n_turns;
}

/* Sets the limit. SQLite takes some steps per column to find a row, and each column takes at least
 * one byte of the file, so the limit is proportional to the size of the file. */
void
hardening_limit(struct rec_file *s)
{
    s->n_turns = MIN_TURNS + store_bytes(s) / STEPS_A_TURN * STEPS_A_BYTE;
}

void
hardening_unlimit(struct rec_file *s)
{
    s->n_turns = UINT64_MAX;
}

/* Files next to the database. */

/* The last bytes of a journal that names another file, by SQLite's file format. */
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

/* Returns the problem with the journal of a file that has not been read yet; null if there is no
 * problem, or no journal.
 *
 * When a file is opened, SQLite rolls back the unfinished transaction of a killed writer by a
 * journal, NAME.db-journal. A journal may name one more file at its end (a super-journal), which
 * belonged to a transaction of several databases, and SQLite deletes that file: any file, if the
 * journal is untrusted. Weir writes to one database at a time, so its journals name no files. A
 * journal must also be a plain file: SQLite would follow a symbolic link, and wait for ever at a
 * pipe. */
static const char *
journal_harm(sqlite3 *db)
{
    static const char odd[] = "is not a plain file";
    const char *path = sqlite3_db_filename(db, "main");
    const char *name = path && *path ? sqlite3_filename_journal(path) : NULL;
    struct stat st;

    if (!name || lstat(name, &st)) {
        return NULL;
    }
    /* The open file is checked again, because another one may have replaced it. */
    int journal = open(name, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY | O_CLOEXEC);
    bool is_odd = !S_ISREG(st.st_mode) || (journal < 0 && errno == ELOOP) ||
                  (journal >= 0 && (fstat(journal, &st) || !S_ISREG(st.st_mode)));
    bool has_name = !is_odd && journal >= 0 && ends_with_name(journal);
    if (journal >= 0) {
        close(journal);
    }
    return is_odd ? odd : has_name ? "names another file to be deleted" : NULL;
}

/* Whether the file's header makes SQLite create a write-ahead log.  The header is read by SQLite's
 * own handle: opening and closing the file again would release the locks that this process has on
 * it. */
static bool
wants_log(sqlite3 *db)
{
    static const char format[16] = "SQLite format 3";
    unsigned char head[20] = { 0 };
    sqlite3_file *file = NULL;

    sqlite3_file_control(db, "main", SQLITE_FCNTL_FILE_POINTER, &file);
    return file && file->pMethods &&
           file->pMethods->xRead(file, head, sizeof head, 0) == SQLITE_OK &&
           !memcmp(head, format, sizeof format) && head[19] == 2;
}

static bool
check_beside(const struct rec_file *s, struct err *err)
{
    const char *name = sqlite3_db_filename(s->db, "main"), *harm = journal_harm(s->db);
    struct stat st;

    if (wants_log(s->db)) {
        return store_refuse(s, err, "it is kept with a write-ahead log");
    }
    if (harm) {
        return err_set_of_content(err, "cannot open %s: its journal, %s-journal, %s", s->path,
                                  s->path, harm);
    }
    /* The log may be of any type, even a dangling symbolic link.  NAME.db-shm is opened only if
     * there is a log. */
    return lstat(sqlite3_filename_wal(name), &st) != 0 ||
           store_refuse(s, err, "there is a write-ahead log next to it");
}

bool
hardening_log(struct rec_file *s, struct err *err)
{
    sqlite3_stmt *ask;
    bool is_plain = false;

    if (sqlite3_prepare_v2(s->db, "PRAGMA journal_mode", -1, &ask, NULL) == SQLITE_OK &&
        sqlite3_step(ask) == SQLITE_ROW) {
        is_plain = strcmp((const char *)sqlite3_column_text(ask, 0), "wal") != 0;
    }
    if (sqlite3_finalize(ask) != SQLITE_OK) {
        return store_fail(s, "read", err);
    }
    return is_plain || store_refuse(s, err, "it is kept with a write-ahead log");
}

bool
hardening_begin(struct rec_file *s, bool may_write, struct err *err)
{
    for (size_t i = 0; i < sizeof settings / sizeof *settings; i++) {
        sqlite3_db_config(s->db, settings[i].what, settings[i].is_on, NULL);
    }
    for (size_t i = 0; i < sizeof limits / sizeof *limits; i++) {
        sqlite3_limit(s->db, limits[i].what, limits[i].most);
    }
    sqlite3_progress_handler(s->db, STEPS_A_TURN, on_turn, s);
    hardening_limit(s);
    return check_beside(s, err) &&
           ((store_exec(s, "PRAGMA mmap_size = 0; PRAGMA cell_size_check = 1") == SQLITE_OK &&
             (may_write || store_exec(s, "PRAGMA query_only = 1") == SQLITE_OK)) ||
            store_fail(s, may_write ? "write" : "read", err));
}
