/* Reads figures.yaml, the list of a paper's figures.  A figure draws runs of a scenario, or
 * studies.
 *
 *     figures:
 *       - {of: queue, in: ring.yaml, port: [S1, H1], engines: [pfc, gfc-buffer], source: Fig. 9}
 *       - {of: sent, in: evolution.yaml, hosts: all, source: Fig. 18}       the sum of all hosts
 *       - {of: slowdown, in: star.yaml, flows: all, source: Fig. 4}         distribution over flows
 *       - {of: fct-max, workload: [query, short], in: a.yaml, lines: scheme, source: Fig. 8(a)}
 *       - {of: fct-max, in: {"1": a.yaml, "2": b.yaml}, lines: scheme, draw: table, source: Table
 * 3}
 *       - {of: statements, source: Table 1}
 *
 * A figure that names a port, flows, hosts or a switch draws single runs.  Any other figure draws
 * metrics of studies.  doc/reproductions.md has all keys. */

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/text.h"
#include "run/figure-reading.h"
#include "run/study-file.h"

enum { N_DRAWS = 4 };

/* Combinations of kinds of figures, for keys that several kinds may have. */
enum { OF_RUNS = FIGURE_OF_SCENARIO | FIGURE_OF_STUDY_RUNS, OF_ANY = 15 };
enum { OF_STUDY = FIGURE_OF_STUDY_RUNS | FIGURE_OF_STUDIES, OF_DATA = OF_RUNS | OF_STUDY };

static const struct key {
    const char *name;
    unsigned kinds;
} keys[] = {
    { "of", OF_ANY },
    { "in", OF_DATA },
    { "source", OF_ANY },
    { "title", OF_ANY },
    { "port", OF_RUNS },
    { "flow", OF_RUNS },
    { "hosts", OF_RUNS },
    { "flows", OF_RUNS },
    { "switch", OF_RUNS },
    { "engines", FIGURE_OF_SCENARIO },
    { "over", FIGURE_OF_STUDIES },
    { "lines", OF_STUDY },
    { "workload", FIGURE_OF_STUDIES },
    { "panels", OF_STUDY },
    { "where", OF_STUDY },
    { "draw", FIGURE_OF_STUDIES },
    { "relative", FIGURE_OF_STUDIES },
    { "published", OF_DATA },
    { "x", OF_DATA },
    { "y", OF_DATA },
    { "overlay", FIGURE_OF_SCENARIO },
};

static const char *const kinds[] = {
    [FIGURE_OF_SCENARIO] = "single runs of a scenario",
    [FIGURE_OF_STUDY_RUNS] = "single runs of a study",
    [OF_RUNS] = "single runs",
    [FIGURE_OF_STUDIES] = "studies, which takes no port, flow, hosts, flows or switch",
    [FIGURE_OF_STATEMENTS] = "statements",
};

static const char *const draws[N_DRAWS] = { "bars", "lines", "cdf", "table" };

enum { N_KEYS = sizeof keys / sizeof *keys };

/* Lines of columns. */

void
figure_line(struct figure_text *t, const char *part, ...)
{
    va_list parts;

    if (!t->out) {
        t->out = open_memstream(&t->text, &t->len);
    }
    va_start(parts, part);
    const char *between = "";
    for (const char *next = part; next; next = va_arg(parts, const char *)) {
        fputs(between, t->out);
        between = "\t";
        for (const char *at = next; *at; at++) {
            putc(*at == '\t' || *at == '\n' ? ' ' : *at, t->out);
        }
    }
    va_end(parts);
    putc('\n', t->out);
}

static const char *
end_text(struct figure_text *t)
{
    if (t->out) {
        fclose(t->out);
        t->out = NULL;
    }
    return t->text ? t->text : "";
}

static void
free_text(struct figure_text *t)
{
    end_text(t);
    free(t->text);
}

/* Keys of figures. */

static bool
check_keys(const struct scn_node *n, struct err *err)
{
    char offer[200];

    if (n->kind != SCN_MAP) {
        return scn_fail(n, err, "expected a figure, as in {of: queue, in: ring.yaml, ...}");
    }
    for (size_t i = 0; i < n->n_children; i++) {
        const char *key = n->children[i]->key;
        if (text_find(key, &keys[0].name, sizeof *keys, N_KEYS) == N_KEYS) {
            text_offer(key, &keys[0].name, sizeof *keys, N_KEYS, offer, sizeof offer);
            return scn_fail_key(n->children[i], err, "unknown key '%s'%s", key, offer);
        }
    }
    return true;
}

bool
figure_check_keys(const struct scn_node *n, unsigned kind, struct err *err)
{
    for (size_t i = 0; i < N_KEYS; i++) {
        const struct scn_node *child = scn_child(n, keys[i].name);
        if (child && !(keys[i].kinds & kind)) {
            return scn_fail_key(child, err, "'%s' cannot be used in a figure of %s", keys[i].name,
                                kinds[kind]);
        }
    }
    return true;
}

bool
figure_word(const struct scn_node *n, const char *key, const char **word, struct err *err)
{
    const struct scn_node *child = scn_child(n, key);

    *word = child && child->kind == SCN_WORD ? child->word : "";
    return !child || child->kind == SCN_WORD || scn_fail(child, err, "expected a word");
}

/* A mandatory word; null with an error if it is missing. */
static const char *
needed_word(const struct scn_node *n, const char *key, struct err *err)
{
    const struct scn_node *word = scn_child(n, key);

    if (!word || word->kind != SCN_WORD) {
        scn_fail(word ? word : n, err, "a figure needs '%s', a word", key);
        return NULL;
    }
    return word->word;
}

bool
figure_items_read(const struct scn_node *n, struct figure_items *items, struct err *err)
{
    bool is_one = !n || n->kind == SCN_WORD;

    *items = (struct figure_items){ .n = is_one ? 1 : n->n_children };
    if (!is_one && (!items->n || items->n > FIGURE_MAX_ITEMS)) {
        return scn_fail(n, err, "expected one to %d values", FIGURE_MAX_ITEMS);
    }
    for (size_t i = 0; i < items->n; i++) {
        const struct scn_node *one = is_one ? n : n->children[i];
        if (one && one->kind != SCN_WORD) {
            return scn_fail(one, err, "expected a word");
        }
        bool has_name = n && n->kind == SCN_MAP;
        items->all[i] = (struct figure_item){ .label = has_name ? one->key
                                                       : one    ? one->word
                                                                : "",
                                              .word = one ? one->word : NULL,
                                              .node = one };
    }
    return true;
}

/* Axes of studies. */

bool
figure_axis(const struct figure_reading *f, const struct scn_study *s, const char *key,
            const struct scn_study_axis **axis, struct err *err)
{
    const struct scn_node *n = scn_child(f->node, key);

    *axis = n && n->kind == SCN_WORD ? scn_study_axis(s, n->word) : NULL;
    return !n || *axis || scn_fail(n, err, "expected a key of 'over' of the study");
}

static bool
all_values(const struct scn_study_axis *axis, const struct scn_node *at,
           struct figure_items *values, struct err *err)
{
    values->n = 0;
    for (size_t i = 0; i < axis->n_items; i++) {
        if (!axis->items[i].text || values->n == FIGURE_MAX_ITEMS) {
            return scn_fail(at, err, "'%s' has too many values to draw; choose some by 'where'",
                            axis->key);
        }
        const char *word = axis->items[i].text;
        values->all[values->n++] = (struct figure_item){ word, word, axis->items[i].node };
    }
    return true;
}

static bool
stands_before(const struct figure_items *values, size_t i)
{
    size_t k = 0;

    while (k < i && strcmp(values->all[k].word, values->all[i].word)) {
        k++;
    }
    return k < i;
}

bool
figure_values(const struct figure_reading *f, const struct scn_study_axis *axis,
              struct figure_items *values, struct err *err)
{
    const struct scn_node *where = scn_child(f->node, "where");
    const struct scn_node *chosen = where ? scn_child(where, axis->key) : NULL;
    uint64_t place;

    if (!chosen) {
        return all_values(axis, f->node, values, err);
    }
    bool good = figure_items_read(chosen, values, err);
    for (size_t i = 0; good && i < values->n; i++) {
        good = scn_study_find(axis, values->all[i].word, &place) ||
               scn_fail(values->all[i].node, err, "'%s' is not a value of '%s' that the study runs",
                        values->all[i].word, axis->key);
        good = good && (!stands_before(values, i) ||
                        scn_fail(values->all[i].node, err, "'%s' stands twice in 'where'",
                                 values->all[i].word));
    }
    return good;
}

/* Reads a file that a figure draws, which is in the folder of figures.yaml. */

int
figure_file_read(const struct figure_reading *f, const struct figure_item *in,
                 struct figure_file *file, struct err *err)
{
    const char *slash = strrchr(f->file, '/');
    struct study_file opened;
    struct err why;

    snprintf(file->path, sizeof file->path, "%.*s%s", slash ? (int)(slash - f->file) + 1 : 0,
             f->file, in->word);
    int code = study_file_open(&opened, file->path, &why);
    if (code == EXIT_WORLD) {
        scn_fail(in->node, err, "%s", why.text);
        code = EXIT_USER;
    } else if (code != EXIT_GOOD) {
        *err = why;
    }
    file->is_study = code == EXIT_GOOD && study_file_has(&opened, "over");
    if (file->is_study &&
        !scn_study_read(&file->study, file->path, opened.text, f->r->part, NULL, NULL, err)) {
        code = EXIT_USER;
        file->is_study = false;
    }
    study_file_close(&opened);
    return code;
}

/* Adds published values from figures.yaml: {pfc: 5Gbps}, or {query: {pfc: 12ms}}. */

static bool
add_published(struct figure_reading *f, const char *x, const struct scn_node *n, struct err *err)
{
    char number[40];
    double value;

    if (!scn_claim_read_value(n, n->word, f->unit ? f->unit : "", &value, err)) {
        return false;
    }
    snprintf(number, sizeof number, "%.17g", value);
    figure_line(&f->published, x, n->key, number, NULL);
    return true;
}

static bool
read_published(struct figure_reading *f, struct err *err)
{
    const struct scn_node *n = scn_child(f->node, "published");
    bool good = !n || n->kind == SCN_MAP ||
                scn_fail(n, err, "expected a map from names to values, as in {pfc: 5Gbps}");

    for (size_t i = 0; n && good && i < n->n_children; i++) {
        const struct scn_node *one = n->children[i];
        if (one->kind == SCN_WORD) {
            good = add_published(f, "", one, err);
            continue;
        }
        good = one->kind == SCN_MAP || scn_fail(one, err, "expected a value, or a map of values");
        for (size_t k = 0; good && k < one->n_children; k++) {
            const struct scn_node *inner = one->children[k];
            good = inner->kind == SCN_WORD ? add_published(f, one->key, inner, err)
                                           : scn_fail(inner, err, "expected a value");
        }
    }
    return good;
}

/* A whole figure. */

static bool
is_of_statements(const struct scn_node *n)
{
    const struct scn_node *of = scn_child(n, "of");

    return of && of->kind == SCN_WORD && !strcmp(of->word, "statements");
}

static unsigned
kind_of(const struct scn_node *n)
{
    return is_of_statements(n)    ? FIGURE_OF_STATEMENTS
           : figure_is_of_runs(n) ? OF_RUNS
                                  : FIGURE_OF_STUDIES;
}

static int
read_drawn(struct figure_reading *f, struct err *err)
{
    if (!figure_check_keys(f->node, kind_of(f->node), err)) {
        return EXIT_USER;
    }
    if (is_of_statements(f->node)) {
        f->row.object = "statement";
        snprintf(f->quantity, sizeof f->quantity, "statements");
        return EXIT_GOOD;
    }
    if (!scn_child(f->node, "of") || !scn_child(f->node, "in")) {
        scn_fail(f->node, err, "a figure needs 'of' and 'in'");
        return EXIT_USER;
    }
    if (!figure_items_read(scn_child(f->node, "in"), &f->in, err)) {
        return EXIT_USER;
    }
    return figure_is_of_runs(f->node) ? figure_read_runs(f, err) : figure_read_grid(f, err);
}

static bool
read_words(struct figure_reading *f, struct err *err)
{
    struct rec_figure *row = &f->row;
    bool good = figure_word(f->node, "title", &row->title, err) &&
                figure_word(f->node, "draw", &row->draw, err) &&
                figure_word(f->node, "x", &row->x_title, err) &&
                figure_word(f->node, "y", &row->y_title, err);

    return good &&
           (!row->draw[0] || text_find(row->draw, draws, sizeof *draws, N_DRAWS) < N_DRAWS ||
            scn_fail(scn_child(f->node, "draw"), err, "expected bars, lines, cdf or table"));
}

static void
keep_figure(struct figure_reading *f, const char *source)
{
    figure_name(source, f->name);
    f->row.study = f->r->paper;
    f->row.name = f->name;
    f->row.source = source;
    f->row.scenario = f->scenario;
    f->row.quantity = f->quantity;
    f->row.drawn = end_text(&f->drawn);
    f->row.subjects = end_text(&f->subjects);
    f->row.filters = end_text(&f->filters);
    f->row.published = end_text(&f->published);
    rec_rows_copy(&f->r->figures, REC_FIGURE, &f->row);
}

static int
read_figure(struct reproduction *r, const char *file, const struct scn_node *n, struct err *err)
{
    struct figure_reading *f = array_new(1, sizeof *f);
    *f = (struct figure_reading){
        .r = r,
        .node = n,
        .file = file,
        .row = { .by_setting = "", .line_setting = "", .panel_setting = "", .relative = "" }
    };
    const char *source = check_keys(n, err) ? needed_word(n, "source", err) : NULL;
    int code = source && read_words(f, err) ? read_drawn(f, err) : EXIT_USER;

    code = code == EXIT_GOOD && !read_published(f, err) ? EXIT_USER : code;
    if (code == EXIT_GOOD && reproduce_wants(r, source)) {
        keep_figure(f, source);
    }
    free_text(&f->drawn);
    free_text(&f->subjects);
    free_text(&f->filters);
    free_text(&f->published);
    free(f);
    return code;
}

int
reproduce_figures(struct reproduction *r, const char *file, const struct scn_node *root,
                  struct err *err)
{
    const struct scn_node *list = scn_child(root, "figures");
    int code = EXIT_GOOD;

    if (list->kind != SCN_LIST || root->n_children > 1) {
        scn_fail(list, err, "expected a list of figures, and nothing else");
        return EXIT_USER;
    }
    for (size_t i = 0; i < list->n_children && code == EXIT_GOOD; i++) {
        code = read_figure(r, file, list->children[i], err);
    }
    return code;
}
