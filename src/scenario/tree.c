/* Reads YAML as a tree of words, lists and maps, each with its location in the file; writes errors
 * with a caret. */

#include "scenario/tree.h"

#include <libfyaml.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/text.h"

enum { MAX_DEPTH = 32, MAX_KEYS = 1000 };

static const char unseen_words[] =
    "control characters, and characters that change the direction of the text, are not allowed";

/* These functions write errors. */

static const char *
find_line(const char *text, size_t line)
{
    for (size_t i = 1; i < line && text; i++) {
        text = strchr(text, '\n');
        text = text ? text + 1 : NULL;
    }
    return text;
}

/* The text from the given character on. */
static const char *
skip_characters(const char *text, size_t n)
{
    for (; n && *text; n--) {
        do {
            text++;
        } while ((*text & 0xc0) == 0x80);
    }
    return text;
}

char *
scn_copy_line(const struct scn_node *n)
{
    const char *line = n->source->text ? find_line(n->source->text, n->line) : NULL;

    return line ? strndup(line, strcspn(line, "\r\n")) : NULL;
}

/* Shows an error with its line: only the part of a long line around the column, and nothing of an
 * empty line. */
bool
scn_fail_shown(const char *name, size_t line, size_t column, const char *shown, struct err *err,
               const char *said)
{
    enum { SHOWN = 90, BEFORE = 60 };

    if (!shown || !shown[strspn(shown, " \t\r")] || shown[strspn(shown, " \t\r")] == '\n') {
        return err_set(err, "%s:%zu:%zu: %s", name, line, column, said);
    }
    size_t cut = column > SHOWN ? column - BEFORE : 0;
    shown = skip_characters(shown, cut);
    size_t len = strcspn(shown, "\r\n"), most = (size_t)(skip_characters(shown, SHOWN) - shown);
    return err_set(err, "%s:%zu:%zu: %s\n  %.*s\n  %*s^", name, line, column, said,
                   (int)(len < most ? len : most), shown, (int)(column - cut) - 1, "");
}

static bool
fail_at(const struct scn_source *source, size_t line, size_t column, struct err *err,
        const char *format, va_list args)
{
    char said[600];

    vsnprintf(said, sizeof said, format, args);
    if (!source->text) {
        return err_set(err, "%s: %s", source->name, said);
    }
    return scn_fail_shown(source->name, line, column, find_line(source->text, line), err, said);
}

bool
scn_fail_in(const struct scn_source *source, size_t line, size_t column, struct err *err,
            const char *format, ...)
{
    va_list args;

    va_start(args, format);
    fail_at(source, line, column, err, format, args);
    va_end(args);
    return false;
}

bool
scn_fail(const struct scn_node *n, struct err *err, const char *format, ...)
{
    va_list args;

    va_start(args, format);
    fail_at(n->source, n->line, n->column, err, format, args);
    va_end(args);
    return false;
}

bool
scn_fail_key(const struct scn_node *n, struct err *err, const char *format, ...)
{
    va_list args;

    va_start(args, format);
    fail_at(n->source, n->key_line, n->key_column, err, format, args);
    va_end(args);
    return false;
}

size_t
scn_find_key(const struct scn_node *child, const char *const *first, size_t stride, size_t n_names,
             struct err *err)
{
    size_t i = text_find(child->key, first, stride, n_names);
    char offer[200];

    if (i == n_names) {
        text_offer(child->key, first, stride, n_names, offer, sizeof offer);
        scn_fail_key(child, err, "unknown key '%s'%s", child->key, offer);
    }
    return i;
}

/* These functions handle nodes. */

struct scn_node *
scn_tree_new(enum scn_kind kind, const struct scn_source *source, size_t line, size_t column)
{
    struct scn_node *n = array_new(1, sizeof *n);
    n->kind = kind;
    n->source = source;
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

/* The index of the child with this key; the number of children if no child has it. */
static size_t
find_child(const struct scn_node *map, const char *key)
{
    size_t i = 0;
    while (i < map->n_children && (map->kind != SCN_MAP || strcmp(map->children[i]->key, key))) {
        i++;
    }
    return i;
}

struct scn_node *
scn_child(const struct scn_node *map, const char *key)
{
    size_t i = map ? find_child(map, key) : 0;
    return map && i < map->n_children ? map->children[i] : NULL;
}

const struct scn_node *
scn_child_or_map(const struct scn_node *map, const char *key)
{
    const struct scn_node *child = key ? scn_child(map, key) : NULL;
    return child ? child : map;
}

struct scn_node *
scn_take_child(struct scn_node *map, const char *key)
{
    size_t i = find_child(map, key);
    if (i == map->n_children) {
        return NULL;
    }
    struct scn_node *child = map->children[i];
    map->n_children--;
    memmove(&map->children[i], &map->children[i + 1],
            (map->n_children - i) * sizeof(struct scn_node *));
    return child;
}

static void
add_child(struct scn_node *parent, struct scn_node *child)
{
    ARRAY_PUSH(parent->children, parent->n_children, parent->max_children) = child;
}

void
scn_tree_add(struct scn_node *parent, const char *key, struct scn_node *child)
{
    child->key = key ? strdup(key) : NULL;
    child->key_line = child->line;
    child->key_column = child->column;
    add_child(parent, child);
}

/* These functions read a tree from libfyaml's events. */

struct reader {
    const struct scn_source *source;
    struct fy_parser *parser;
    struct fy_event *event;
    size_t line, column; /* The location of the event, counted from 1. */
    struct fy_mark end;  /* The end of the event in the text, counted from 0. */
    struct err *err;
};

static bool
syntax_error(struct reader *r)
{
    void *at = NULL;
    struct fy_diag *diag = fy_parser_get_diag(r->parser);
    struct fy_diag_error *e = diag ? fy_diag_errors_iterate(diag, &at) : NULL;

    scn_fail_in(r->source, e ? (size_t)e->line : 1, e ? (size_t)e->column : 1, r->err, "%s",
                e ? e->msg : "this is not YAML");
    fy_diag_unref(diag);
    return false;
}

/* Whether a scalar is empty, or has only blanks below a '|' or '>'.  In the latter case libfyaml
 * returns a byte that is not in the text at its end, so this reads the text itself. */
static bool
is_blank(const struct reader *r)
{
    struct fy_event *e = r->event;

    if (e->type != FYET_SCALAR || !e->scalar.value) {
        return e->type == FYET_SCALAR;
    }
    enum fy_scalar_style style = fy_token_scalar_style(e->scalar.value);
    size_t from = fy_event_start_mark(e)->input_pos, to = fy_event_end_mark(e)->input_pos;
    return (style == FYSS_LITERAL || style == FYSS_FOLDED) &&
           strspn(r->source->text + from, " \t\r\n") >= to - from;
}

/* Skips blanks and comments. */
static void
skip_blanks(const char *text, struct fy_mark *at)
{
    for (const char *c = text + at->input_pos; *c && strchr(" \t\r\n#", *c);) {
        size_t n = *c == '#' ? strcspn(c, "\n") : 1;
        at->line += *c == '\n';
        at->column = *c == '\n' ? 0 : at->column + (int)n;
        at->input_pos += n;
        c += n;
    }
}

/* Sets the location of an empty scalar. libfyaml gives it no location, or that of the next event.
 * It gets the location of its indicator ('-', '?' or ':'), the first character after the previous
 * event. */
static void
place_blank(struct reader *r)
{
    const struct fy_mark *end = fy_event_end_mark(r->event);
    struct fy_mark sign = r->end;

    skip_blanks(r->source->text, &sign);
    if (r->source->text[sign.input_pos]) {
        r->line = (size_t)sign.line + 1;
        r->column = (size_t)sign.column + 1;
        sign.column++;
        sign.input_pos++;
    }
    r->end = end ? *end : sign;
}

/* Sets the location of an event.  The ends of documents have no location, and keep that of the node
 * before. */
static void
place_event(struct reader *r)
{
    const struct fy_mark *start = fy_event_start_mark(r->event);

    if (is_blank(r)) {
        place_blank(r);
    } else if (start) {
        r->line = (size_t)start->line + 1;
        r->column = (size_t)start->column + 1;
        r->end = *fy_event_end_mark(r->event);
    }
}

static bool
next(struct reader *r)
{
    if (r->event) {
        fy_parser_event_free(r->parser, r->event);
    }
    r->event = fy_parser_parse(r->parser);
    if (!r->event) {
        return syntax_error(r);
    }
    place_event(r);
    return true;
}

static bool
fail_here(struct reader *r, const char *what)
{
    return scn_fail_in(r->source, r->line, r->column, r->err, "%s", what);
}

/* Copies a word.  Escapes in double quotes can produce characters that the file must not have; a
 * zero byte would end the word early. */
static char *
copy_word(struct reader *r)
{
    size_t len = 0;
    const char *word = is_blank(r) ? "" : fy_token_get_text(r->event->scalar.value, &len);
    char *copy = array_new(len + 1, 1);

    memcpy(copy, word, len);
    if (strlen(copy) == len && !text_find_bad(copy)) {
        return copy;
    }
    free(copy);
    fail_here(r, unseen_words);
    return NULL;
}

/* Whether a node has neither tag nor anchor, which have no meaning here. */
static bool
is_bare(const struct fy_event *e)
{
    switch (e->type) {
    case FYET_SCALAR:
        return !e->scalar.tag && !e->scalar.anchor;
    case FYET_MAPPING_START:
        return !e->mapping_start.tag && !e->mapping_start.anchor;
    case FYET_SEQUENCE_START:
        return !e->sequence_start.tag && !e->sequence_start.anchor;
    default: /* The node is an alias. */
        return false;
    }
}

static struct scn_node *read_node(struct reader *, int depth);

/* Reads the value of a key.  If the key has no value, the location is that of the key. */
static struct scn_node *
read_value(struct reader *r, size_t key_line, size_t key_column, int depth)
{
    if (is_blank(r)) {
        r->line = key_line;
        r->column = key_column;
    }
    return read_node(r, depth);
}

static bool
read_pair(struct reader *r, struct scn_node *map, int depth)
{
    size_t line = r->line, column = r->column;

    if (r->event->type != FYET_SCALAR || !is_bare(r->event)) {
        return fail_here(r, "a key must be a plain word");
    }
    if (map->n_children == (r->source->max_keys ? r->source->max_keys : MAX_KEYS)) {
        return fail_here(r, "too many keys in one map");
    }
    char *key = copy_word(r);
    if (!key) {
        return false;
    }
    const struct scn_node *twin = scn_child(map, key);
    struct scn_node *value = NULL;
    if (twin) {
        scn_fail_in(r->source, line, column, r->err, "'%s' is set twice; first on line %zu", key,
                    twin->key_line);
    } else if (next(r)) {
        value = read_value(r, line, column, depth + 1);
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

/* Reads the node that begins with the current event; afterwards its last event is current. */
static struct scn_node *
read_node(struct reader *r, int depth)
{
    size_t line = r->line, column = r->column;

    if (depth > MAX_DEPTH) {
        fail_here(r, "maps and lists are nested too deeply");
        return NULL;
    }
    if (!is_bare(r->event)) {
        fail_here(r, "a scenario has keys, lists and words; anchors (&), aliases (*) and tags (!) "
                     "are not allowed");
        return NULL;
    }
    if (r->event->type == FYET_SCALAR) {
        char *word = copy_word(r);
        if (!word) {
            return NULL;
        }
        struct scn_node *n = scn_tree_new(SCN_WORD, r->source, line, column);
        n->word = word;
        return n;
    }
    struct scn_node *n = scn_tree_new(r->event->type == FYET_MAPPING_START ? SCN_MAP : SCN_LIST,
                                      r->source, line, column);
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

    if (!next(r) || !next(r)) { /* The starts of the stream and of the document. */
        return NULL;
    }
    if (r->event->type == FYET_STREAM_END) {
        scn_fail_in(r->source, 1, 1, r->err, "the file is empty");
        return NULL;
    }
    if (!next(r) || !(root = read_node(r, 0))) {
        return NULL;
    }
    bool good = next(r) && next(r); /* The ends of the document and of the stream. */
    if (good && r->event->type == FYET_DOCUMENT_START) {
        good = fail_here(r, "a second document begins here; a file holds one scenario");
    }
    if (!good) {
        scn_tree_free(root);
        return NULL;
    }
    return root;
}

static const char *
why_bad(const char *bad)
{
    uint32_t character;

    text_decode(bad, strlen(bad) + 1, &character);
    return character == TEXT_NO_CHARACTER
               ? "this is not a character; the file must be text in UTF-8"
               : unseen_words;
}

bool
scn_check_text(const struct scn_source *source, bool is_yaml, struct err *err)
{
    const char *bad = text_find_bad(source->text);
    size_t line = 1, column = 1;

    for (const char *c = source->text; c != bad && *c; c++) {
        if (is_yaml && column == 1 && *c == '%') {
            return scn_fail_in(source, line, 1, err,
                               "directives (%%) are not allowed in a scenario");
        }
        line += *c == '\n';
        column = *c == '\n' ? 1 : column + ((*c & 0xc0) != 0x80);
    }
    return !bad || scn_fail_in(source, line, column, err, "%s", why_bad(bad));
}

/* Reads the content of one document, which need not be a map. */
static struct scn_node *
read_text(const struct scn_source *source, struct err *err)
{
    if (!scn_check_text(source, true, err)) {
        return NULL;
    }

    struct fy_diag_cfg quiet = { .level = FYET_ERROR, .module_mask = ~0u };
    struct fy_diag *diag = fy_diag_create(&quiet);
    struct fy_parse_cfg config = { .flags = FYPCF_DEFAULT_PARSE, .diag = diag };
    struct reader r = { .source = source, .line = 1, .column = 1, .err = err };

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

struct scn_node *
scn_tree_read(const struct scn_source *source, struct err *err)
{
    struct scn_node *root = read_text(source, err);

    if (root && root->kind != SCN_MAP) {
        scn_fail(root, err, "expected keys, as in 'topology: {kind: ring}'");
        scn_tree_free(root);
        return NULL;
    }
    return root;
}

/* These functions merge trees. */

static struct scn_node *
new_word(const struct scn_source *source, const char *word)
{
    struct scn_node *n = scn_tree_new(SCN_WORD, source, 1, 1);
    n->word = strdup(word);
    return n;
}

static void
add_keyed(struct scn_node *map, struct scn_node *child, const char *key, size_t len)
{
    child->key = strndup(key, len);
    child->key_line = child->key_column = 1;
    add_child(map, child);
}

struct scn_node *
scn_tree_of_set(const struct scn_source *source, const char *set, struct err *err)
{
    const char *equals = strchr(set, '='), *key = set;
    struct scn_node *root = scn_tree_new(SCN_MAP, source, 1, 1), *at = root;

    if (text_find_bad(set)) {
        err_set(err, "--set %s: %s", set, why_bad(text_find_bad(set)));
        scn_tree_free(root);
        return NULL;
    }
    for (size_t len = strcspn(key, ".="); equals && len && key[len] == '.';
         key += len + 1, len = strcspn(key, ".=")) {
        struct scn_node *map = scn_tree_new(SCN_MAP, source, 1, 1);
        add_keyed(at, map, key, len);
        at = map;
    }
    if (!equals || key >= equals || key[strcspn(key, ".=")] != '=') {
        err_set(err, "--set %s: expected KEY=VALUE, as in --set switch.buffer=300KB", set);
        scn_tree_free(root);
        return NULL;
    }
    struct scn_node *value = source->text ? read_text(source, err) : new_word(source, equals + 1);
    if (!value) {
        scn_tree_free(root);
        return NULL;
    }
    add_keyed(at, value, key, (size_t)(equals - key));
    return root;
}

void
scn_tree_widen(struct scn_node *root, const char *key, const char *below)
{
    size_t i = find_child(root, key);

    if (i == root->n_children || root->children[i]->kind != SCN_WORD) {
        return;
    }
    struct scn_node *word = root->children[i];
    struct scn_node *map = scn_tree_new(SCN_MAP, word->source, word->line, word->column);
    map->key = word->key;
    map->key_line = word->key_line;
    map->key_column = word->key_column;
    word->key = strdup(below);
    add_child(map, word);
    root->children[i] = map;
}

/* Finds the index of an overlay's child in the tree under it. */
static bool
find_place(const struct scn_node *under, const struct scn_node *child, size_t *place,
           struct err *err)
{
    if (under->kind == SCN_LIST) {
        return scn_find_item(under, child, place, err);
    }
    *place = find_child(under, child->key);
    return true;
}

static bool
put_child(struct scn_node *under, size_t place, struct scn_node *child, struct err *err)
{
    if (place == under->n_children) {
        add_child(under, child);
        return true;
    }
    struct scn_node *old = under->children[place];
    bool by_number = old->kind == SCN_LIST && child->source->is_set;
    if (child->kind == SCN_MAP && (old->kind == SCN_MAP || by_number)) {
        return scn_tree_merge(old, child, err);
    }
    under->children[place] = child;
    scn_tree_free(old);
    return true;
}

bool
scn_tree_merge(struct scn_node *under, struct scn_node *over, struct err *err)
{
    bool good = true;

    for (size_t i = 0; good && i < over->n_children; i++) {
        struct scn_node *child = over->children[i];
        size_t place;
        good = find_place(under, child, &place, err);
        if (good) {
            over->children[i] = NULL;
            good = put_child(under, place, child, err);
        }
    }
    scn_tree_free(over);
    return good;
}
