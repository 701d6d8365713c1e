/* Holds SQLite to reading data, whatever stands in the file. */

#include "record/sqlite-hardening.h"

#include <string.h>
#include <sys/stat.h>

#include "record/journal.h"

static const struct {
    int what, is_on;
} settings[] = {
    { SQLITE_DBCONFIG_DEFENSIVE, 1 },        { SQLITE_DBCONFIG_TRUSTED_SCHEMA, 0 },
    { SQLITE_DBCONFIG_ENABLE_TRIGGER, 0 },   { SQLITE_DBCONFIG_ENABLE_VIEW, 0 },
    { SQLITE_DBCONFIG_WRITABLE_SCHEMA, 0 },  { SQLITE_DBCONFIG_ENABLE_LOAD_EXTENSION, 0 },
    { SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, 1 },
};

/* More than any statement, table or row of ours has.  The longest cell is a block of samples. */
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

/* Steps. */

enum { STEPS_A_TURN = 1000, STEPS_A_BYTE = 64, MIN_TURNS = 10000 };

bool
hardening_is_over(struct store *s)
{
    s->was_over = s->until.is_over && s->until.is_over(s->until.arg);
    return s->was_over;
}

static int
on_turn(void *arg)
{
    struct store *s = arg;

    s->n_turns -= s->n_turns != 0;
    return hardening_is_over(s) || !s->n_turns;
}

/* Finding a row takes some steps for each of its columns, of which each has a byte at least. */
void
hardening_limit(struct store *s)
{
    s->n_turns = MIN_TURNS + store_bytes(s) / STEPS_A_TURN * STEPS_A_BYTE;
}

void
hardening_unlimit(struct store *s)
{
    s->n_turns = UINT64_MAX;
}

/* Files next to it. */

/* By its header, where SQLite is about to make such a log.  Read by SQLite's own handle: to open
 * and close the file once more would give up the locks that this process has on it. */
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
check_beside(const struct store *s, struct err *err)
{
    const char *name = sqlite3_db_filename(s->db, "main"), *harm = journal_harm(s->db);
    struct stat st;

    if (wants_log(s->db)) {
        return store_refuse(s, err, "it is kept with a write-ahead log");
    }
    if (harm) {
        return err_set(err, "cannot open %s: its journal, %s-journal, %s", s->path, s->path, harm);
    }
    /* In any form, be it a link to nothing.  NAME.db-shm is opened only where there is a log. */
    return lstat(sqlite3_filename_wal(name), &st) != 0 ||
           store_refuse(s, err, "there is a write-ahead log beside it");
}

bool
hardening_log(struct store *s, struct err *err)
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
hardening_begin(struct store *s, bool may_write, struct err *err)
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
           (sqlite3_exec(s->db,
                         may_write ? "PRAGMA mmap_size = 0; PRAGMA cell_size_check = 1"
                                   : "PRAGMA mmap_size = 0; PRAGMA cell_size_check = 1; "
                                     "PRAGMA query_only = 1",
                         NULL, NULL, NULL) == SQLITE_OK ||
            store_fail(s, may_write ? "write" : "read", err));
}
