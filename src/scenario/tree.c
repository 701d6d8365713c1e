#include "scenario/tree.h"

#include <libfyaml.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/text.h"

enum { MAX_DEPTH = 32 };

/* Errors. */

static const char *
find_line(const char *text, size_t line)
{
    for (size_t i = 1; i < line && text; i++) {
        text = strchr(text, '\n');
        text = text ? text + 1 : NULL;
    }
    return text;
}

bool
scn_fail(const struct scn_source *source, size_t line, size_t column, struct err *err,
         const char *format, ...)
{
    char said[300];
    va_list args;

    va_start(args, format);
    vsnprintf(said, sizeof said, format, args);
    va_end(args);
    const char *shown = line ? find_line(source->text, line) : NULL;
    if (!line) {
        return err_set(err, "--set: %s", said);
    }
    if (!shown) {
        return err_set(err, "%s:%zu:%zu: %s", source->name, line, column, said);
    }
    int len = (int)strcspn(shown, "\r\n");
    len = len < 100 ? len : 100;
    return err_set(err, "%s:%zu:%zu: %s\n  %.*s\n  %*s^", source->name, line, column, said, len,
                   shown, (int)column - 1, "");
}

/* Nodes. */

static struct scn_node *
new_node(enum scn_kind kind, size_t line, size_t column)
{
    struct scn_node *n = array_new(1, sizeof *n);
    n->kind = kind;
    n->line = line;
    n->column = column;
    return n;
}

void
scn_tree_free(struct scn_node *n)
{
    if (!n) {
        return;
    }
    for (size_t i = 0; i < n->n_children; i++) {
        scn_tree_free(n->children[i]);
    }
    free(n->children);
    free(n->word);
    free(n->key);
    free(n);
}

static struct scn_node *
find_child(const struct scn_node *map, const char *key)
{
    for (size_t i = 0; map->kind == SCN_MAP && i < map->n_children; i++) {
        if (!strcmp(map->children[i]->key, key)) {
            return map->children[i];
        }
    }
    return NULL;
}

struct scn_node *
scn_child(struct scn_node *map, const char *key)
{
    struct scn_node *child = map ? find_child(map, key) : NULL;
    if (child) {
        child->used = true;
    }
    return child;
}

static void
add_child(struct scn_node *parent, struct scn_node *child)
{
    ARRAY_PUSH(parent->children, parent->n_children, parent->max_children) = child;
}

/* Reading: a tree from libfyaml's events. */

struct reader {
    const struct scn_source *source;
    struct fy_parser *parser;
    struct fy_event *event;
    struct err *err;
};

static bool
syntax_error(struct reader *r)
{
    void *at = NULL;
    struct fy_diag *diag = fy_parser_get_diag(r->parser);
    struct fy_diag_error *e = diag ? fy_diag_errors_iterate(diag, &at) : NULL;

    scn_fail(r->source, e ? (size_t)e->line : 1, e ? (size_t)e->column : 1, r->err, "%s",
             e ? e->msg : "not YAML");
    fy_diag_unref(diag);
    return false;
}

static bool
next(struct reader *r)
{
    if (r->event) {
        fy_parser_event_free(r->parser, r->event);
    }
    r->event = fy_parser_parse(r->parser);
    return r->event || syntax_error(r);
}

static void
place(const struct reader *r, size_t *line, size_t *column)
{
    const struct fy_mark *mark = fy_event_start_mark(r->event);
    *line = mark ? (size_t)mark->line + 1 : 1;
    *column = mark ? (size_t)mark->column + 1 : 1;
}

static bool
fail_here(struct reader *r, const char *what)
{
    size_t line, column;
    place(r, &line, &column);
    return scn_fail(r->source, line, column, r->err, "%s", what);
}

static struct scn_node *read_node(struct reader *, int depth);

static bool
read_pair(struct reader *r, struct scn_node *map, int depth)
{
    size_t line, column;

    if (r->event->type != FYET_SCALAR) {
        return fail_here(r, "a key is a plain word");
    }
    place(r, &line, &column);
    char *key = strdup(fy_token_get_text0(r->event->scalar.value));
    const struct scn_node *twin = find_child(map, key);
    struct scn_node *value = NULL;
    if (twin) {
        scn_fail(r->source, line, column, r->err, "'%s' stands here twice; first on line %zu", key,
                 twin->key_line);
    } else if (next(r)) {
        value = read_node(r, depth + 1);
    }
    if (!value) {
        free(key);
        return false;
    }
    value->key = key;
    value->key_line = line;
    value->key_column = column;
    add_child(map, value);
    return true;
}

static bool
read_children(struct reader *r, struct scn_node *n, int depth)
{
    enum fy_event_type end = n->kind == SCN_MAP ? FYET_MAPPING_END : FYET_SEQUENCE_END;

    while (next(r) && r->event->type != end) {
        if (n->kind == SCN_MAP) {
            if (!read_pair(r, n, depth)) {
                return false;
            }
            continue;
        }
        struct scn_node *item = read_node(r, depth + 1);
        if (!item) {
            return false;
        }
        add_child(n, item);
    }
    return r->event != NULL;
}

/* The node that begins with the event at hand; the last event of it is at hand afterwards. */
static struct scn_node *
read_node(struct reader *r, int depth)
{
    size_t line, column;

    place(r, &line, &column);
    if (depth > MAX_DEPTH) {
        fail_here(r, "too deep");
        return NULL;
    }
    if (r->event->type == FYET_SCALAR) {
        struct scn_node *n = new_node(SCN_WORD, line, column);
        n->word = strdup(fy_token_get_text0(r->event->scalar.value));
        return n;
    }
    if (r->event->type != FYET_MAPPING_START && r->event->type != FYET_SEQUENCE_START) {
        fail_here(r, "a scenario has keys, lists and words; no anchors and no aliases");
        return NULL;
    }
    struct scn_node *n =
        new_node(r->event->type == FYET_MAPPING_START ? SCN_MAP : SCN_LIST, line, column);
    if (!read_children(r, n, depth)) {
        scn_tree_free(n);
        return NULL;
    }
    return n;
}

static struct scn_node *
read_document(struct reader *r)
{
    struct scn_node *root = NULL;

    if (!next(r) || !next(r)) { /* The stream, the document. */
        return NULL;
    }
    if (r->event->type == FYET_STREAM_END) {
        scn_fail(r->source, 1, 1, r->err, "an empty file");
        return NULL;
    }
    if (!next(r) || !(root = read_node(r, 0))) {
        return NULL;
    }
    bool good = root->kind == SCN_MAP || scn_fail(r->source, root->line, root->column, r->err,
                                                  "expected keys, as in 'topology: {kind: ring}'");
    good = good && next(r) && next(r); /* The ends. */
    if (good && r->event->type == FYET_DOCUMENT_START) {
        good = fail_here(r, "a second document: one scenario a file");
    }
    if (!good) {
        scn_tree_free(root);
        return NULL;
    }
    return root;
}

/* libfyaml never returns from some directives with broken characters: neither gets that far. */
static bool
check_text(const struct scn_source *source, struct err *err)
{
    const char *bad = text_find_bad(source->text);
    size_t line = 1, column = 1;

    for (const char *c = source->text; c != bad && *c; c++) {
        if (column == 1 && *c == '%') {
            return scn_fail(source, line, 1, err, "a scenario has no directives");
        }
        line += *c == '\n';
        column = *c == '\n' ? 1 : column + 1;
    }
    return !bad || scn_fail(source, line, column, err, "not a character: the file must be UTF-8");
}

struct scn_node *
scn_tree_read(const struct scn_source *source, struct err *err)
{
    if (!check_text(source, err)) {
        return NULL;
    }

    struct fy_diag_cfg quiet = { .level = FYET_ERROR, .module_mask = ~0u };
    struct fy_diag *diag = fy_diag_create(&quiet);
    struct fy_parse_cfg config = { .flags = FYPCF_DEFAULT_PARSE, .diag = diag };
    struct reader r = { .source = source, .err = err };

    fy_diag_set_collect_errors(diag, true);
    r.parser = fy_parser_create(&config);
    fy_parser_set_string(r.parser, source->text, strlen(source->text));
    struct scn_node *root = read_document(&r);
    if (r.event) {
        fy_parser_event_free(r.parser, r.event);
    }
    fy_parser_destroy(r.parser);
    fy_diag_destroy(diag);
    return root;
}

bool
scn_tree_set(struct scn_node *root, const char *path, const char *word, struct err *err)
{
    struct scn_node *at = root;

    for (;;) {
        size_t len = strcspn(path, ".");
        bool is_last = !path[len];
        if (!len) {
            return err_set(err, "--set: write a.b=value");
        }
        char *key = strndup(path, len);
        struct scn_node *child = find_child(at, key);
        if (!child) {
            child = new_node(is_last ? SCN_WORD : SCN_MAP, 0, 0);
            child->key = strdup(key);
            add_child(at, child);
        }
        free(key);
        if (is_last) {
            for (size_t i = 0; i < child->n_children; i++) {
                scn_tree_free(child->children[i]);
            }
            free(child->word);
            child->n_children = 0;
            child->kind = SCN_WORD;
            child->word = strdup(word);
            child->line = child->key_line = 0;
            return true;
        }
        if (child->kind != SCN_MAP) {
            return err_set(err, "--set: '%.*s' has no keys below it", (int)len, path);
        }
        at = child;
        path += len + 1;
    }
}
