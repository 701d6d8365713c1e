/* Claims of papers in a results file, written and read. */

#include "record/claims.h"

#include "record/store.h"

static int
remove_old(sqlite3 *db, const char *study, const struct rec_rows *claims)
{
    static const char sql[] =
        "DELETE FROM claim WHERE study = ? AND scenario = ? AND is_sample >= ?";
    sqlite3_stmt *remove;
    int code = sqlite3_prepare_v2(db, sql, -1, &remove, NULL);

    for (size_t i = 0; i < claims->n && code == SQLITE_OK; i++) {
        const struct rec_claim *row = rec_row(claims, REC_CLAIM, i);
        sqlite3_bind_text(remove, 1, study, -1, SQLITE_STATIC);
        sqlite3_bind_text(remove, 2, row->scenario, -1, SQLITE_STATIC);
        sqlite3_bind_int64(remove, 3, (int64_t)row->is_sample);
        sqlite3_step(remove);
        code = sqlite3_reset(remove);
    }
    sqlite3_finalize(remove);
    return code;
}

static int
put_all(sqlite3 *db, const struct rec_rows *claims)
{
    sqlite3_stmt *put = store_prepare_put(db, &rec_tables[REC_CLAIM]);
    int code = put ? SQLITE_OK : sqlite3_errcode(db);

    for (size_t i = 0; i < claims->n && code == SQLITE_OK; i++) {
        struct rec_claim row = *(const struct rec_claim *)rec_row(claims, REC_CLAIM, i);
        row.id = REC_NONE; /* SQLite takes the next. */
        code = store_put(put, &rec_tables[REC_CLAIM], &row, 0);
    }
    sqlite3_finalize(put);
    return code;
}

bool
rec_claims_put(const char *path, const char *study, const struct rec_rows *claims, struct err *err)
{
    struct store *s = store_open_to_write(path, 0, err);

    if (!s) {
        return false;
    }
    sqlite3 *db = s->db;
    bool good = (sqlite3_exec(db, "BEGIN IMMEDIATE", NULL, NULL, NULL) == SQLITE_OK &&
                 remove_old(db, study, claims) == SQLITE_OK && put_all(db, claims) == SQLITE_OK &&
                 sqlite3_exec(db, "COMMIT", NULL, NULL, NULL) == SQLITE_OK) ||
                store_fail(s, "write", err);
    store_close(s);
    return good;
}
