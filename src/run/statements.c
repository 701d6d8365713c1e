/* Reads the statements of a paper, measures each in its study or plan, and judges it. */

#include "run/statements.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "answer/figure-name.h"
#include "base/array.h"
#include "base/text.h"
#include "run/statement-verdict.h"
#include "run/study-file.h"

enum { MAX_PATH = 4096, MAX_STATEMENTS = 1000 };

/* The file statements.yaml while it is read. */
struct scorecard {
    struct reproduction *r;
    const char *file;
    const struct scn_node **items; /* The statements that the user selected. */
    size_t n, max;
    size_t *rows; /* The row of each statement, in the order of measurement. */
};

/* The value of a key, if it is a word; else null. */
static const char *
word_at(const struct scn_node *n, const char *key)
{
    const struct scn_node *word = scn_child(n, key);

    return word && word->kind == SCN_WORD ? word->word : NULL;
}

/* Writes the path of a file in the same folder as 'file'. */
static void
sibling_path(const char *file, const char *name, char *out, size_t max)
{
    const char *slash = strrchr(file, '/');

    snprintf(out, max, "%.*s%s", slash ? (int)(slash - file) + 1 : 0, file, name);
}

/* Reading. */

static bool
expect_word(const struct scn_node *n, const char *key, struct err *err)
{
    return word_at(n, key) ||
           scn_fail(scn_child_or_map(n, key), err, "a statement needs '%s', a word", key);
}

/* Checks a statement that is not tested. The keys of a tested statement are those of a claim, which
 * its study or plan reads. */
static bool
check_not_tested(const struct scn_node *n, struct err *err)
{
    static const char *const keys[] = { "says", "source", "not-tested" };

    for (size_t i = 0; i < n->n_children; i++) {
        if (scn_find_key(n->children[i], keys, sizeof *keys, 3, err) == 3) {
            return false;
        }
    }
    return expect_word(n, "not-tested", err);
}

static bool
check_statement(const struct scn_node *n, struct err *err)
{
    if (n->kind != SCN_MAP) {
        return scn_fail(n, err, "expected a statement, as in {says: ..., source: ..., in: ...}");
    }
    bool is_tested = !scn_child(n, "not-tested");
    return expect_word(n, "says", err) && expect_word(n, "source", err) &&
           (is_tested ? expect_word(n, "in", err) : check_not_tested(n, err));
}

static bool
take_statement(struct scorecard *s, const struct scn_node *n, struct err *err)
{
    if (!check_statement(n, err)) {
        return false;
    }
    if (reproduce_wants(s->r, word_at(n, "source"))) {
        ARRAY_PUSH(s->items, s->n, s->max) = n;
    }
    return true;
}

static bool
read_file(struct scorecard *s, const struct scn_node *root, struct err *err)
{
    static const char *const keys[] = { "paper", "reading", "statements" };
    const struct scn_node *list = scn_child(root, "statements");
    bool good = expect_word(root, "paper", err) && expect_word(root, "reading", err);

    for (size_t i = 0; good && i < root->n_children; i++) {
        good = scn_find_key(root->children[i], keys, sizeof *keys, 3, err) < 3;
    }
    good =
        good && ((list->kind == SCN_LIST && list->n_children <= MAX_STATEMENTS) ||
                 scn_fail(list, err, "expected a list of at most %d statements", MAX_STATEMENTS));
    for (size_t i = 0; good && i < list->n_children; i++) {
        good = take_statement(s, list->children[i], err);
    }
    return good;
}

/* Rows. */

static void
add_row(struct reproduction *r, struct rec_statement *row, const char *source, const char *says)
{
    char name[FIGURE_NAME_BYTES];

    figure_name(source, name);
    row->study = r->paper;
    row->paper = r->title;
    row->name = name;
    row->source = source;
    row->says = says;
    row->build = WEIR_VERSION;
    rec_rows_copy(&r->scorecard, REC_STATEMENT, row);
}

static void
add_not_tested(struct reproduction *r, const struct scn_node *n)
{
    struct rec_statement row = { .in = "",
                                 .engine = "",
                                 .what = "",
                                 .metric = "",
                                 .runs = "",
                                 .against = "",
                                 .unit = "",
                                 .sign = "",
                                 .published = -1,
                                 .measured = -1,
                                 .lowest = -1,
                                 .highest = -1,
                                 .verdict = verdict_names[VERDICT_NOT_TESTED],
                                 .why = word_at(n, "not-tested") };

    add_row(r, &row, word_at(n, "source"), word_at(n, "says"));
}

void
statements_add_row(struct reproduction *r, const struct scn_claim *c, const struct reproduced *m)
{
    char what[REPRODUCE_WHAT_BYTES], sign[2] = { c->sign };
    const char *reason = NULL;
    enum verdict verdict = verdict_of(c, m, &reason);
    char metric[REPRODUCE_METRIC_BYTES];

    reproduce_name_what(c, m, what);
    reproduce_name_metric(c, metric);
    struct rec_statement row = { .in = m->scenario,
                                 .engine = m->about,
                                 .what = what,
                                 /* Figures do not draw such statements. */
                                 .metric = c->than ? "" : metric,
                                 .runs = m->runs ? m->runs : "",
                                 .against = c->against ? c->against : "",
                                 .unit = scn_claim_unit(c),
                                 .sign = sign,
                                 .published = c->published,
                                 .measured = m->value,
                                 .lowest = c->is_share ? -1 : m->lowest,
                                 .highest = c->is_share ? -1 : m->highest,
                                 .n_runs = m->n_runs,
                                 .is_sample = m->is_sample,
                                 .verdict = r->is_dry ? "" : verdict_names[verdict],
                                 .why = reason && !r->is_dry ? reason
                                        : c->why             ? c->why
                                                             : "" };
    add_row(r, &row, c->source, c->says);
}

/* Measuring. */

/* Measures statements in a study or plan. Refuses a file that cannot be read at the first statement
 * that names it. */
static int
measure_in(struct scorecard *s, const char *path, const struct scn_node *at, struct err *err)
{
    struct study_file file;
    struct err why;
    int code = study_file_open(&file, path, &why);

    if (code == EXIT_WORLD) {
        scn_fail(at, err, "%s", why.text);
        code = EXIT_USER;
    } else if (code != EXIT_GOOD) {
        *err = why;
    } else if (study_file_has(&file, "over")) {
        code = reproduce_sweep(s->r, path, err);
    } else if (study_file_has(&file, "plan")) {
        code = reproduce_plan(s->r, file.root, err);
    } else {
        scn_fail(at, err, "a statement is measured in a study, which has 'over', or in a plan");
        code = EXIT_USER;
    }
    study_file_close(&file);
    return code;
}

/* Measures the statement 'first' and all later ones of the same file. */
static int
measure_file(struct scorecard *s, size_t first, struct err *err)
{
    const struct scn_node **items = array_new(s->n, sizeof *items);
    struct scn_statements same = { .items = items };
    const char *in = word_at(s->items[first], "in");
    char path[MAX_PATH];

    for (size_t i = first; i < s->n; i++) {
        const char *other = word_at(s->items[i], "in");
        if (other && !strcmp(other, in)) {
            s->rows[i] = s->r->scorecard.n + same.n;
            items[same.n++] = s->items[i];
        }
    }
    sibling_path(s->file, in, path, sizeof path);
    s->r->statements = &same;
    int code = measure_in(s, path, scn_child(s->items[first], "in"), err);
    s->r->statements = NULL;
    free(items);
    return code;
}

static int
measure_all(struct scorecard *s, struct err *err)
{
    int code = EXIT_GOOD;

    for (size_t i = 0; i < s->n && code == EXIT_GOOD; i++) {
        if (!word_at(s->items[i], "in")) {
            s->rows[i] = s->r->scorecard.n;
            add_not_tested(s->r, s->items[i]);
        } else if (s->rows[i] == SIZE_MAX) {
            code = measure_file(s, i, err);
        }
    }
    return code;
}

/* Puts the rows into the order of the paper. */
static void
sort_rows(struct scorecard *s)
{
    struct rec_rows sorted = { 0 };

    for (size_t i = 0; i < s->n; i++) {
        rec_rows_copy(&sorted, REC_STATEMENT, rec_row(&s->r->scorecard, REC_STATEMENT, s->rows[i]));
    }
    rec_rows_free(&s->r->scorecard, REC_STATEMENT);
    s->r->scorecard = sorted;
}

int
statements_judge(struct reproduction *r, const char *file, const struct scn_node *root,
                 struct err *err)
{
    struct scorecard s = { .r = r, .file = file };
    int code = read_file(&s, root, err) ? EXIT_GOOD : EXIT_USER;

    if (code == EXIT_GOOD) {
        text_cut(r->title, sizeof r->title, word_at(root, "paper"));
        sibling_path(file, word_at(root, "reading"), r->reading, sizeof r->reading);
        s.rows = array_new(s.n + 1, sizeof *s.rows);
        memset(s.rows, 0xff, s.n * sizeof *s.rows);
        code = measure_all(&s, err);
    }
    if (code == EXIT_GOOD) {
        sort_rows(&s);
    }
    free(s.rows);
    free(s.items);
    return code;
}
