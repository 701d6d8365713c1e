/* Opens results files, and leaves alone what is not one. */

#include "record/store.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "record/journal.h"

static const char damaged[] = "the file is damaged or incomplete";

/* The later of two that fit says more. */
static const struct {
    int code;
    const char *words;
} reasons[] = {
    { SQLITE_FULL, "the disk is full" },
    { SQLITE_READONLY, "the file is read-only" },
    { SQLITE_BUSY, "another program holds a lock on it" },
    { SQLITE_NOTADB, "it is not a Weir results file" },
    { SQLITE_CORRUPT, damaged },
    { SQLITE_READONLY_ROLLBACK,
      "its writer was killed in the middle of a write, and undoing that needs permission to write "
      "to the file" },
    { SQLITE_READONLY_DIRECTORY, "its directory is read-only" },
};

/* SQLite does not always keep the system's number, and others of its calls may have set errno
 * since: only what a write that failed leaves there is believed. */
static const char *
system_words(sqlite3 *db)
{
    int numbers[] = { sqlite3_system_errno(db), errno };

    for (int i = 0; i < 2; i++) {
        int n = numbers[i];
        if (n == EFBIG || n == EDQUOT || n == ENOSPC || n == EIO || n == EROFS) {
            return strerror(n);
        }
    }
    return "the system could not read or write the file";
}

bool
store_fail(sqlite3 *db, const char *doing, const char *path, struct err *err)
{
    int code = sqlite3_extended_errcode(db);
    const char *words = (code & 0xff) == SQLITE_IOERR ? system_words(db) : sqlite3_errmsg(db);

    for (size_t i = 0; i < sizeof reasons / sizeof *reasons; i++) {
        if (reasons[i].code == code || reasons[i].code == (code & 0xff)) {
            words = reasons[i].words;
        }
    }
    return err_set(err, "cannot %s %s: %s", doing, path, words);
}

/* Why SQLite could not open it: it tries in several ways and keeps only the last answer. */
static const char *
why_not(const char *path, int flags)
{
    int fd = open(path,
                  O_RDWR | (flags & SQLITE_OPEN_CREATE ? O_CREAT : 0) |
                      (flags & SQLITE_OPEN_NOFOLLOW ? O_NOFOLLOW : 0),
                  0666);
    int number = fd < 0 ? errno : EIO;

    if (fd >= 0) {
        close(fd);
    }
    return strerror(number);
}

sqlite3 *
store_open(const char *path, int flags, struct err *err)
{
    sqlite3 *db = NULL;

    if (!path[0] || path[0] == ':') { /* To SQLite a file that nobody sees. */
        err_set(err, "'%s' cannot be the name of a results file", path);
        return NULL;
    }
    if (sqlite3_open_v2(path, &db, flags | SQLITE_OPEN_NOMUTEX, NULL) != SQLITE_OK) {
        bool is_link = db && sqlite3_extended_errcode(db) == SQLITE_CANTOPEN_SYMLINK;
        err_set(err, "cannot open %s: %s", path,
                is_link ? "it is a link, or behind one" : why_not(path, flags));
        sqlite3_close(db);
        return NULL;
    }
    sqlite3_extended_result_codes(db, 1);
    if (!journal_is_harmless(db)) {
        err_set(err, "cannot open %s: its journal, %s-journal, names another file to be deleted",
                path, path);
        sqlite3_close(db);
        return NULL;
    }
    return db;
}

static bool
read_number(sqlite3 *db, const char *sql, int64_t *number)
{
    sqlite3_stmt *statement;

    if (sqlite3_prepare_v2(db, sql, -1, &statement, NULL) != SQLITE_OK) {
        return false;
    }
    bool found = sqlite3_step(statement) == SQLITE_ROW;
    *number = sqlite3_column_int64(statement, 0);
    return sqlite3_finalize(statement) == SQLITE_OK && found;
}

bool
store_check(sqlite3 *db, const char *path, bool *is_empty, struct err *err)
{
    int64_t application, version, n_pages, page_bytes;
    struct stat file;

    if (!read_number(db, "PRAGMA application_id", &application) ||
        !read_number(db, "PRAGMA user_version", &version) ||
        !read_number(db, "PRAGMA page_count", &n_pages) ||
        !read_number(db, "PRAGMA page_size", &page_bytes)) {
        return store_fail(db, "read", path, err);
    }
    if (stat(path, &file)) {
        return err_set(err, "cannot read %s: %s", path, strerror(errno));
    }
    /* SQLite would take a file of one byte for an empty one, too, and the rest of a last page that
     * was cut for zeros. */
    *is_empty = file.st_size == 0;
    if (*is_empty) {
        return true;
    }
    if (application != STORE_APPLICATION) {
        return err_set(err, "%s is not a Weir results file", path);
    }
    if (version != STORE_VERSION) {
        return err_set(err, "%s has results of schema version %lld; this program reads version %d",
                       path, (long long)version, STORE_VERSION);
    }
    return file.st_size >= n_pages * page_bytes ||
           err_set(err, "cannot read %s: %s", path, damaged);
}

static bool
make_tables(sqlite3 *db)
{
    char numbers[100];

    snprintf(numbers, sizeof numbers, "PRAGMA application_id = %d; PRAGMA user_version = %d",
             STORE_APPLICATION, STORE_VERSION);
    return sqlite3_exec(db, rec_schema, NULL, NULL, NULL) == SQLITE_OK &&
           sqlite3_exec(db, numbers, NULL, NULL, NULL) == SQLITE_OK;
}

/* Looks and makes under one lock; whoever fails closes the file, and SQLite takes back what was
 * begun. */
bool
store_enter(sqlite3 *db, const char *path, struct err *err)
{
    bool is_empty;

    if (sqlite3_db_readonly(db, "main")) { /* SQLite itself says so only later. */
        return err_set(err, "cannot write %s: the file is read-only", path);
    }
    sqlite3_busy_timeout(db, STORE_WAIT_LONG_MS);
    if (sqlite3_exec(db, "BEGIN IMMEDIATE", NULL, NULL, NULL) != SQLITE_OK) {
        return store_fail(db, "write", path, err);
    }
    if (!store_check(db, path, &is_empty, err)) {
        return false;
    }
    if ((is_empty && !make_tables(db)) ||
        sqlite3_exec(db, "COMMIT", NULL, NULL, NULL) != SQLITE_OK) {
        return store_fail(db, "write", path, err);
    }
    return true;
}

sqlite3_stmt *
store_prepare_put(sqlite3 *db, const struct rec_table *t)
{
    char columns[STORE_SQL_BYTES], marks[STORE_SQL_BYTES], sql[2 * STORE_SQL_BYTES + 100];
    const char *comma = t->parent ? ", " : "", *parent = t->parent ? t->parent : "";
    sqlite3_stmt *put = NULL;

    store_columns(columns, t, false);
    store_columns(marks, t, true);
    snprintf(sql, sizeof sql, "INSERT OR REPLACE INTO %s (%s%s%s) VALUES (%s%s)", t->name, columns,
             comma, parent, marks, t->parent ? ", ?" : "");
    sqlite3_prepare_v3(db, sql, -1, SQLITE_PREPARE_PERSISTENT, &put, NULL);
    return put;
}

static void
bind_cell(sqlite3_stmt *put, int place, const struct rec_column *c, const void *row)
{
    const char *cell = (const char *)row + c->offset;
    char room[REC_CELL_BYTES];
    uint64_t number;

    if (c->kind == REC_TEXT) {
        sqlite3_bind_text(put, place, *(const char *const *)cell, -1, SQLITE_STATIC);
    } else if (c->kind == REC_BLOB) {
        const struct rec_bytes *bytes = (const void *)cell;
        sqlite3_bind_blob64(put, place, bytes->at, bytes->n, SQLITE_STATIC);
    } else if (c->kind == REC_REAL && *(const double *)cell >= 0) {
        sqlite3_bind_double(put, place, *(const double *)cell);
    } else if (c->kind == REC_REAL || !rec_cell_number(c, row, &number)) {
        sqlite3_bind_null(put, place);
    } else if (c->kind == REC_HASH) {
        sqlite3_bind_text(put, place, rec_cell_text(c, row, room), -1, SQLITE_TRANSIENT);
    } else {
        sqlite3_bind_int64(put, place, number < INT64_MAX ? (int64_t)number : INT64_MAX);
    }
}

int
store_put(sqlite3_stmt *put, const struct rec_table *t, const void *row, uint64_t parent)
{
    int place = 1;

    for (const struct rec_column *c = t->columns; c->name; c++) {
        bind_cell(put, place++, c, row);
    }
    if (t->parent) {
        sqlite3_bind_int64(put, place, (int64_t)parent);
    }
    sqlite3_step(put);
    return sqlite3_reset(put);
}

void
store_columns(char out[STORE_SQL_BYTES], const struct rec_table *t, bool marks)
{
    size_t len = 0;

    for (const struct rec_column *c = t->columns; c->name; c++) {
        len += (size_t)snprintf(out + len, STORE_SQL_BYTES - len, "%s%s",
                                c == t->columns ? "" : ", ", marks ? "?" : c->name);
    }
}
