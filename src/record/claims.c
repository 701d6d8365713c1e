/* Claims of papers in a results file, written and read. */

#include "record/claims.h"

#include <string.h>

#include "record/store.h"

/* Runs a statement once for each row. */
static int
for_each(sqlite3 *db, const char *sql, const struct rec_paper *p, const struct rec_rows *rows,
         void (*bind)(sqlite3_stmt *, const struct rec_paper *, const struct rec_rows *, size_t i))
{
    sqlite3_stmt *statement;
    int code = sqlite3_prepare_v2(db, sql, -1, &statement, NULL);

    for (size_t i = 0; i < rows->n && code == SQLITE_OK; i++) {
        sqlite3_bind_text(statement, 1, p->study, -1, SQLITE_STATIC);
        bind(statement, p, rows, i);
        sqlite3_step(statement);
        code = sqlite3_reset(statement);
    }
    sqlite3_finalize(statement);
    return code;
}

static void
bind_claim(sqlite3_stmt *remove, const struct rec_paper *p, const struct rec_rows *rows, size_t i)
{
    const struct rec_claim *row = rec_row(rows, REC_CLAIM, i);

    sqlite3_bind_text(remove, 2, row->scenario, -1, SQLITE_STATIC);
    sqlite3_bind_int64(remove, 3, (int64_t)row->is_sample);
    sqlite3_bind_text(remove, 4, p->is_part ? row->source : NULL, -1, SQLITE_STATIC);
}

static void
bind_figure(sqlite3_stmt *remove, const struct rec_paper *p, const struct rec_rows *rows, size_t i)
{
    const struct rec_figure *row = rec_row(rows, REC_FIGURE, i);

    (void)p;
    sqlite3_bind_text(remove, 2, row->name, -1, SQLITE_STATIC);
}

static int
remove_old(sqlite3 *db, const struct rec_paper *p)
{
    int code = for_each(db,
                        "DELETE FROM claim WHERE study = ? AND scenario = ? AND is_sample >= ? AND "
                        "source = ifnull(?, source)",
                        p, p->claims, bind_claim);

    return code == SQLITE_OK ? for_each(db, "DELETE FROM figure WHERE study = ? AND name = ?", p,
                                        p->figures, bind_figure)
                             : code;
}

/* With the ids that SQLite gives them. */
static int
put_all(sqlite3 *db, enum rec_table_id t, const struct rec_rows *rows)
{
    sqlite3_stmt *put = store_prepare_put(db, &rec_tables[t]);
    int code = put ? SQLITE_OK : sqlite3_errcode(db);
    union {
        struct rec_claim claim;
        struct rec_figure figure;
        uint64_t id;
    } row;

    for (size_t i = 0; i < rows->n && code == SQLITE_OK; i++) {
        memcpy(&row, rec_row(rows, t, i), rec_tables[t].row_bytes);
        row.id = REC_NONE;
        code = store_put(put, &rec_tables[t], &row, 0);
    }
    sqlite3_finalize(put);
    return code;
}

bool
rec_claims_put(const char *path, const struct rec_paper *p, struct err *err)
{
    struct store *s = store_open_to_write(path, 0, err);

    if (!s) {
        return false;
    }
    sqlite3 *db = s->db;
    bool good = (sqlite3_exec(db, "BEGIN IMMEDIATE", NULL, NULL, NULL) == SQLITE_OK &&
                 remove_old(db, p) == SQLITE_OK && put_all(db, REC_CLAIM, p->claims) == SQLITE_OK &&
                 put_all(db, REC_FIGURE, p->figures) == SQLITE_OK &&
                 sqlite3_exec(db, "COMMIT", NULL, NULL, NULL) == SQLITE_OK) ||
                store_fail(s, "write", err);
    store_close(s);
    return good;
}
