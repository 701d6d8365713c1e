/* Writes and replaces statements and claims of papers in a results file. */

#include "record/claims.h"

#include "record/store.h"

enum { MAX_TEXTS = 4 };

/* Runs an SQL statement with these texts as parameters; null stands for NULL. */
static int
run_statement(struct rec_file *f, const char *sql, const char *const texts[MAX_TEXTS])
{
    sqlite3_stmt *statement;
    int code = sqlite3_prepare_v2(f->db, sql, -1, &statement, NULL);

    if (code == SQLITE_OK) {
        for (int i = 0; i < sqlite3_bind_parameter_count(statement); i++) {
            sqlite3_bind_text(statement, i + 1, texts[i], -1, SQLITE_STATIC);
        }
        sqlite3_step(statement);
        code = sqlite3_finalize(statement);
    }
    return code;
}

/* Removes old statements: all statements of a study, or those of one figure, if only that was
 * measured. */
static int
remove_statements(struct rec_file *f, const struct rec_paper *p)
{
    int code = SQLITE_OK;

    for (size_t i = 0; i < p->scorecard->n && code == SQLITE_OK; i++) {
        const struct rec_statement *row = rec_row(p->scorecard, REC_STATEMENT, i);
        const char *const texts[MAX_TEXTS] = { p->study, p->is_part ? row->source : NULL };
        code = run_statement(
            f, "DELETE FROM statement WHERE study = ? AND source = ifnull(?, source)", texts);
    }
    return code;
}

static int
remove_old(struct rec_file *f, const struct rec_paper *p)
{
    int code = remove_statements(f, p);

    for (size_t i = 0; i < p->claims->n && code == SQLITE_OK; i++) {
        const struct rec_claim *row = rec_row(p->claims, REC_CLAIM, i);
        const char *const texts[MAX_TEXTS] = { p->study, row->scenario, row->is_sample ? "1" : "0",
                                               p->is_part ? row->source : NULL };
        code = run_statement(
            f,
            "DELETE FROM claim WHERE study = ? AND scenario = ? AND is_sample >= ? AND "
            "source = ifnull(?, source)",
            texts);
    }
    for (size_t i = 0; i < p->figures->n && code == SQLITE_OK; i++) {
        const struct rec_figure *row = rec_row(p->figures, REC_FIGURE, i);
        const char *const texts[MAX_TEXTS] = { p->study, row->name };
        code = run_statement(f, "DELETE FROM figure WHERE study = ? AND name = ?", texts);
    }
    return code;
}

bool
rec_claims_count(struct rec_file *f, uint64_t *n, struct err *err)
{
    uint64_t n_claims;
    bool good = rec_read_count(f, REC_STATEMENT, 0, n, err) &&
                rec_read_count(f, REC_CLAIM, 0, &n_claims, err);

    *n += good ? n_claims : 0;
    return good;
}

bool
rec_claims_put(const char *path, const struct rec_paper *p, struct err *err)
{
    struct rec_file *f = store_open_to_write(path, 0, err);

    if (!f) {
        return false;
    }
    bool good = (store_exec(f, "BEGIN IMMEDIATE") == SQLITE_OK && remove_old(f, p) == SQLITE_OK &&
                 store_put_rows(f, REC_STATEMENT, p->scorecard, 0) == SQLITE_OK &&
                 store_put_rows(f, REC_CLAIM, p->claims, 0) == SQLITE_OK &&
                 store_put_rows(f, REC_FIGURE, p->figures, 0) == SQLITE_OK &&
                 store_exec(f, "COMMIT") == SQLITE_OK) ||
                store_fail(f, "write", err);
    store_close(f);
    return good;
}
