#include "record/store.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

/* The later of two that fit says more. */
static const struct {
    int code;
    const char *words;
} reasons[] = {
    { SQLITE_FULL, "the disk is full" },
    { SQLITE_READONLY, "it is read-only" },
    { SQLITE_BUSY, "another program keeps it locked" },
    { SQLITE_NOTADB, "not a Weir results file" },
    { SQLITE_CORRUPT, "it is damaged, or only a part of what it was" },
    { SQLITE_READONLY_ROLLBACK,
      "its writer was killed while it wrote; what is half done can only be taken back where the "
      "file can be written" },
    { SQLITE_READONLY_DIRECTORY, "its directory is read-only" },
};

bool
store_fail(sqlite3 *db, const char *doing, const char *path, struct err *err)
{
    int code = sqlite3_extended_errcode(db), system = sqlite3_system_errno(db);
    const char *words = sqlite3_errmsg(db);
    bool is_system = (code & 0xff) == SQLITE_IOERR || (code & 0xff) == SQLITE_CANTOPEN;

    for (size_t i = 0; i < sizeof reasons / sizeof *reasons; i++) {
        if (reasons[i].code == code || reasons[i].code == (code & 0xff)) {
            words = reasons[i].words;
        }
    }
    if (is_system && system) {
        words = strerror(system);
    }
    return err_set(err, "cannot %s %s: %s", doing, path, words);
}

sqlite3 *
store_open(const char *path, int flags, struct err *err)
{
    sqlite3 *db = NULL;

    if (!path[0] || path[0] == ':') { /* To SQLite a file that nobody sees. */
        err_set(err, "'%s' can not be the name of a results file", path);
        return NULL;
    }
    if (sqlite3_open_v2(path, &db, flags | SQLITE_OPEN_NOMUTEX, NULL) != SQLITE_OK) {
        store_fail(db, "open", path, err);
        sqlite3_close(db);
        return NULL;
    }
    sqlite3_extended_result_codes(db, 1);
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
    int64_t application, version, n_tables;

    if (!read_number(db, "PRAGMA application_id", &application) ||
        !read_number(db, "PRAGMA user_version", &version) ||
        !read_number(db, "SELECT count(*) FROM sqlite_master", &n_tables)) {
        return store_fail(db, "read", path, err);
    }
    *is_empty = !application && !version && !n_tables;
    if (application != STORE_APPLICATION && !*is_empty) {
        return err_set(err, "%s: not a Weir results file", path);
    }
    if (version != STORE_VERSION && !*is_empty) {
        return err_set(err, "%s: results of another version (%lld, this is %d)", path,
                       (long long)version, STORE_VERSION);
    }
    return true;
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
