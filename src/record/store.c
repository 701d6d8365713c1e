/* Opens results files, and refuses to change any other file. */

#include "record/store.h"

#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "base/array.h"
#include "record/schema.h"
#include "record/sqlite-hardening.h"

enum { WAIT_TO_READ_MS = 10000, PAUSE_MS = 10 };

static const char damaged[] = "the file is damaged or incomplete";

/* Texts for error codes of SQLite. If two of them match, the later one has more information. */
static const struct {
    int code;
    const char *words;
} reasons[] = {
    { SQLITE_FULL, "the disk is full" },
    { SQLITE_READONLY, "the file is read-only" },
    { SQLITE_BUSY, "another program holds a lock on it" },
    { SQLITE_NOTADB, "it is not a Weir results file" },
    { SQLITE_CORRUPT, damaged },
    { SQLITE_TOOBIG, damaged },
    { SQLITE_INTERRUPT, "it takes more steps than a file of its size can need" },
    { SQLITE_READONLY_ROLLBACK,
      "its writer was killed in the middle of a write, and undoing that needs permission to write "
      "to the file" },
    { SQLITE_READONLY_DIRECTORY, "its directory is read-only" },
};

/* The system's reason for a failure. SQLite does not always keep the system's error number, and
 * later calls may have changed errno, so only error numbers of failed writes are used. */
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
store_fail(struct rec_file *s, const char *doing, struct err *err)
{
    int code = sqlite3_extended_errcode(s->db);
    const char *words = (code & 0xff) == SQLITE_IOERR ? system_words(s->db) : sqlite3_errmsg(s->db);

    for (size_t i = 0; i < sizeof reasons / sizeof *reasons; i++) {
        if (reasons[i].code == code || reasons[i].code == (code & 0xff)) {
            words = reasons[i].words;
        }
    }
    bool is_ended = s->was_over && (code & 0xff) == SQLITE_INTERRUPT;
    bool is_of_content = words == damaged || (code & 0xff) == SQLITE_NOTADB;
    return (is_of_content ? err_set_of_content
                          : err_set)(err, "cannot %s %s: %s", doing, s->path,
                                     is_ended ? "reading took too long and was stopped" : words);
}

bool
store_refuse(const struct rec_file *s, struct err *err, const char *format, ...)
{
    struct err why;
    va_list args;

    va_start(args, format);
    vsnprintf(why.text, sizeof why.text, format, args);
    va_end(args);
    return err_set_of_content(err, "%s is not a results file that Weir wrote: %s", s->path,
                              why.text);
}

/* The size of a file, limited by the space that it takes on the disk, because an untrusted file may
 * be sparse, with a size of a terabyte. The limit has slack, because a file system may compress
 * data. It does not apply to files of 0 blocks: some file systems do not count blocks, and where
 * they do, a file with a header has at least one. */
uint64_t
store_bytes(const struct rec_file *s)
{
    enum { BLOCK_BYTES = 512, MOST_PACKED = 16 };
    struct stat file;

    if (stat(s->path, &file) || file.st_size < 0) {
        return 0;
    }
    uint64_t size = (uint64_t)file.st_size, n_blocks = (uint64_t)file.st_blocks;
    return n_blocks && size / BLOCK_BYTES / MOST_PACKED > n_blocks
               ? n_blocks * BLOCK_BYTES * MOST_PACKED
               : size;
}

/* Concatenates two texts; the caller frees the result. */
static char *
copied(const char *first, const char *second)
{
    size_t n = strlen(first) + strlen(second) + 1;
    char *text = array_new(n, 1);

    snprintf(text, n, "%s%s", first, second);
    return text;
}

/* The reason why SQLite could not open a file; SQLite itself keeps only the reason of its last
 * attempt. The file is examined without opening it, because closing it would release the locks of
 * this process. */
static const char *
why_not(sqlite3 *db, const char *name, bool may_create)
{
    struct stat file;
    int last = db ? sqlite3_system_errno(db) : 0;

    if (!stat(name, &file)) {
        return strerror(S_ISDIR(file.st_mode)                             ? EISDIR
                        : faccessat(AT_FDCWD, name, R_OK, AT_EACCESS) < 0 ? errno
                        : last                                            ? last
                                                                          : EIO);
    }
    if (errno == ENOENT && may_create) {
        char *folder = copied(name, "");
        *(strrchr(folder, '/') + 1) = '\0';
        int why = faccessat(AT_FDCWD, folder, W_OK | X_OK, AT_EACCESS) < 0 ? errno : last;
        free(folder);
        return strerror(why ? why : EIO);
    }
    return strerror(errno);
}

/* Opens a file by its path. SQLite gives other names a meaning: "file:..." may refer to any file,
 * and ":memory:" is not a file. A name that begins with a folder is always a path. */
static bool
open_by_path(const char *path, int flags, sqlite3 **db, struct err *err)
{
    char *name = copied(path[0] == '/' ? "" : "./", path);
    bool good = sqlite3_open_v2(name, db, flags | SQLITE_OPEN_NOMUTEX, NULL) == SQLITE_OK;

    if (!good) {
        bool is_link = *db && sqlite3_extended_errcode(*db) == SQLITE_CANTOPEN_SYMLINK;
        err_set(err, "cannot open %s: %s", path,
                is_link ? "it is a symbolic link, or its path has one"
                        : why_not(*db, name, flags & SQLITE_OPEN_CREATE));
    }
    free(name);
    return good;
}

static struct rec_file *
open_file(const char *path, int flags, struct err *err)
{
    sqlite3 *db = NULL;

    if (!path[0]) {
        err_set(err, "'' cannot be the name of a results file");
        return NULL;
    }
    if (!open_by_path(path, flags, &db, err)) {
        sqlite3_close(db);
        return NULL;
    }
    struct rec_file *s = array_new(1, sizeof *s);
    s->db = db;
    s->path = copied(path, "");
    s->packer = rec_packer_new();
    sqlite3_extended_result_codes(db, 1);
    return s;
}

void
store_close(struct rec_file *s)
{
    for (enum rec_table_id t = 0; t < REC_N_TABLES; t++) {
        sqlite3_finalize(s->puts[t]);
    }
    sqlite3_close(s->db);
    rec_packer_free(s->packer);
    free(s->path);
    free(s);
}

int
store_exec(struct rec_file *s, const char *sql)
{
    return sqlite3_exec(s->db, sql, NULL, NULL, NULL);
}

bool
store_number(struct rec_file *s, const char *sql, int64_t *number)
{
    sqlite3_stmt *statement;

    if (sqlite3_prepare_v2(s->db, sql, -1, &statement, NULL) != SQLITE_OK) {
        return false;
    }
    bool found = sqlite3_step(statement) == SQLITE_ROW;
    *number = found ? sqlite3_column_int64(statement, 0) : 0;
    return sqlite3_finalize(statement) == SQLITE_OK && found;
}

/* SQLite would treat a file of one byte as empty, and the missing rest of a truncated last page as
 * zeros. */
static bool
check_size(struct rec_file *s, struct err *err)
{
    int64_t n_pages, page_bytes;
    struct stat file;

    if (!store_number(s, "PRAGMA page_count", &n_pages) ||
        !store_number(s, "PRAGMA page_size", &page_bytes)) {
        return store_fail(s, "read", err);
    }
    if (stat(s->path, &file)) {
        return err_set(err, "cannot read %s: %s", s->path, strerror(errno));
    }
    return file.st_size >= n_pages * page_bytes ||
           err_set_of_content(err, "cannot read %s: %s", s->path, damaged);
}

/* Checks that the file is a results file of this version, or still empty. */
static bool
check(struct rec_file *s, bool *is_empty, struct err *err)
{
    int64_t application, version;
    struct stat file;

    if (!store_number(s, "PRAGMA application_id", &application) ||
        !store_number(s, "PRAGMA user_version", &version)) {
        return store_fail(s, "read", err);
    }
    if (stat(s->path, &file)) {
        return err_set(err, "cannot read %s: %s", s->path, strerror(errno));
    }
    *is_empty = file.st_size == 0;
    if (*is_empty) {
        s->version = STORE_VERSION;
        return true;
    }
    if (application != STORE_APPLICATION) {
        return err_set_of_content(err, "%s is not a Weir results file", s->path);
    }
    if (version < STORE_OLDEST_VERSION || version > STORE_VERSION) {
        return err_set_of_content(
            err, "%s has results of schema version %lld; this program reads versions %d to %d. %s",
            s->path, (long long)version, STORE_OLDEST_VERSION, STORE_VERSION,
            version < STORE_VERSION ? "Run its scenarios again with --record, or use the "
                                      "older program that wrote it"
                                    : "Use a newer program");
    }
    s->version = version;
    return check_size(s, err) && hardening_log(s, err) && schema_check(s, err);
}

/* Waits while another program has locked the file, as long as the caller wants to. */
static int
on_busy(void *store, int n_before)
{
    struct timespec pause = { .tv_nsec = PAUSE_MS * 1000000L };

    if (n_before >= WAIT_TO_READ_MS / PAUSE_MS || hardening_is_over(store)) {
        return 0;
    }
    nanosleep(&pause, NULL);
    return 1;
}

static bool
enter_to_read(struct rec_file *s, struct err *err)
{
    bool is_empty;

    sqlite3_busy_handler(s->db, on_busy, s);
    return hardening_begin(s, false, err) && check(s, &is_empty, err) &&
           (!is_empty ||
            err_set_of_content(err, "%s is not a Weir results file: it is empty", s->path));
}

static bool
make_tables(struct rec_file *s)
{
    char numbers[100], *schema = schema_text(STORE_VERSION);

    snprintf(numbers, sizeof numbers, "PRAGMA application_id = %d; PRAGMA user_version = %d",
             STORE_APPLICATION, STORE_VERSION);
    bool good = store_exec(s, schema) == SQLITE_OK && store_exec(s, numbers) == SQLITE_OK;
    free(schema);
    return good;
}

void
store_columns(char out[STORE_SQL_BYTES], const struct rec_table *t, int64_t version,
              enum store_form form)
{
    size_t len = 0;

    for (const struct column *c = t->columns; c->name; c++) {
        bool has = schema_has(c->name, version);
        if (has || form == STORE_TO_READ) {
            len += (size_t)snprintf(out + len, STORE_SQL_BYTES - len, "%s%s",
                                    c == t->columns ? "" : ", ",
                                    form == STORE_MARKS ? "?"
                                    : has               ? c->name
                                                        : "NULL");
        }
    }
}

/* Prepares statements such as "INSERT OR REPLACE INTO node (id, ..., run) VALUES (?, ..., ?)". */
static bool
prepare_puts(struct rec_file *s)
{
    char columns[STORE_SQL_BYTES], marks[STORE_SQL_BYTES], sql[2 * STORE_SQL_BYTES + 100];
    int code = SQLITE_OK;

    for (enum rec_table_id i = 0; i < REC_N_TABLES && code == SQLITE_OK; i++) {
        const struct rec_table *t = &rec_tables[i];
        store_columns(columns, t, s->version, STORE_TO_WRITE);
        store_columns(marks, t, s->version, STORE_MARKS);
        snprintf(sql, sizeof sql, "INSERT OR REPLACE INTO %s (%s%s%s) VALUES (%s%s)", t->name,
                 columns, t->parent ? ", " : "", t->parent ? t->parent : "", marks,
                 t->parent ? ", ?" : "");
        code = sqlite3_prepare_v3(s->db, sql, -1, SQLITE_PREPARE_PERSISTENT, &s->puts[i], NULL);
    }
    return code == SQLITE_OK;
}

/* Opens a file for a writer: checks or creates it under one lock. If that fails, the caller closes
 * the file, and SQLite rolls back. */
static bool
enter_to_write(struct rec_file *s, struct err *err)
{
    bool is_empty;

    /* SQLite itself reports that only at the first write. */
    if (sqlite3_db_readonly(s->db, "main")) {
        return err_set(err, "cannot write %s: the file is read-only", s->path);
    }
    sqlite3_busy_timeout(s->db, STORE_WAIT_LONG_MS);
    if (!hardening_begin(s, true, err)) {
        return false;
    }
    if (store_exec(s, "BEGIN IMMEDIATE") != SQLITE_OK) {
        return store_fail(s, "write", err);
    }
    if (!check(s, &is_empty, err)) {
        return false;
    }
    hardening_unlimit(s);
    return ((!is_empty || make_tables(s)) && store_exec(s, "COMMIT") == SQLITE_OK &&
            prepare_puts(s)) ||
           store_fail(s, "write", err);
}

static struct rec_file *
entered(struct rec_file *s, bool (*enter)(struct rec_file *, struct err *), struct err *err)
{
    if (s && !enter(s, err)) {
        store_close(s);
        return NULL;
    }
    return s;
}

/* Opens a file to read it.  It is opened for writing if that is allowed, so that SQLite can roll
 * back the transaction of a killed writer; a reader writes nothing else. */
struct rec_file *
store_open_to_read(const char *path, int more_flags, const struct rec_until *until, struct err *err)
{
    struct rec_file *s = open_file(path, SQLITE_OPEN_READWRITE | more_flags, err);

    if (s) {
        s->until = *until;
    }
    return entered(s, enter_to_read, err);
}

struct rec_file *
store_open_to_write(const char *path, int more_flags, struct err *err)
{
    int flags = SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE | more_flags;

    return entered(open_file(path, flags, err), enter_to_write, err);
}

/* Writing. */

static bool
greatest(struct rec_file *s, const char *column, const char *table, int64_t *most)
{
    char sql[100];
    int64_t number;

    snprintf(sql, sizeof sql, "SELECT max(%s) FROM %s", column, table);
    if (!store_number(s, sql, &number)) {
        return false;
    }
    *most = number > *most ? number : *most;
    return true;
}

bool
store_next_id(struct rec_file *s, enum rec_table_id of, uint64_t *id, struct err *err)
{
    int64_t most = 0;
    bool good = greatest(s, "id", rec_tables[of].name, &most);

    for (enum rec_table_id t = 0; t < REC_N_TABLES && good; t++) {
        const char *parent = rec_tables[t].parent;
        if (parent && !strcmp(parent, rec_tables[of].name)) {
            good = greatest(s, parent, rec_tables[t].name, &most);
        }
    }
    *id = (uint64_t)most + 1;
    return good ? most < INT64_MAX || store_refuse(s, err, "its last %s has the number %lld",
                                                   rec_tables[of].name, (long long)most)
                : store_fail(s, "write", err);
}

/* Binds a value of a row to a parameter of a statement. */
static void
bind(sqlite3_stmt *put, int place, const struct column *c, const void *row)
{
    enum column_store store = column_store(c->kind);
    char room[COLUMN_CELL_BYTES];
    struct cell cell;

    if (store == STORE_BLOB) {
        const struct column_blob *bytes = (const void *)((const char *)row + c->offset);
        sqlite3_bind_blob64(put, place, bytes->at, bytes->n, SQLITE_STATIC);
        return;
    }
    column_read(c, row, &cell);
    if (!cell.is_known) {
        sqlite3_bind_null(put, place);
    } else if (store == STORE_TEXT || store == STORE_NAME) {
        sqlite3_bind_text(put, place, cell.text, -1, SQLITE_STATIC);
    } else if (store == STORE_REAL) {
        sqlite3_bind_double(put, place, cell.real);
    } else if (c->kind == COLUMN_HASH) {
        sqlite3_bind_text(put, place, column_text(c, row, room), -1, SQLITE_TRANSIENT);
    } else {
        sqlite3_bind_int64(put, place, cell.number < INT64_MAX ? (int64_t)cell.number : INT64_MAX);
    }
}

int
store_put(struct rec_file *s, enum rec_table_id of, const void *row, uint64_t parent)
{
    const struct rec_table *t = &rec_tables[of];
    const uint64_t *id = row; /* The id is the first member of a row. */
    sqlite3_stmt *put = s->puts[of];
    int place = 1;

    for (const struct column *c = t->columns; c->name; c++) {
        if (schema_has(c->name, s->version)) {
            bind(put, place++, c, row);
        }
    }
    if (t->parent) {
        sqlite3_bind_int64(put, place, (int64_t)parent);
    } else if (!*id) {
        sqlite3_bind_null(put, 1);
    }
    sqlite3_step(put);
    return sqlite3_reset(put);
}

int
store_put_rows(struct rec_file *s, enum rec_table_id t, const struct rec_rows *rows,
               uint64_t parent)
{
    int code = SQLITE_OK;

    for (size_t i = 0; i < rows->n && code == SQLITE_OK; i++) {
        code = store_put(s, t, rec_row(rows, t, i), parent);
    }
    return code;
}

int
store_put_all(struct rec_file *s, const struct rec_rows rows[REC_N_TABLES], uint64_t parent)
{
    int code = SQLITE_OK;

    for (enum rec_table_id t = 0; t < REC_N_TABLES && code == SQLITE_OK; t++) {
        code = store_put_rows(s, t, &rows[t], parent);
    }
    return code;
}
