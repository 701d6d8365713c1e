/* Merges files, bases and --set into one tree. */

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "scenario/hpcc-config.h"

enum { MAX_CHAIN = 8 };

/* Keeps a source, and takes ownership of its name and text. */
static const struct scn_source *
keep_source(struct resolver *r, char *name, char *text, bool is_set)
{
    struct scn_source *source = array_new(1, sizeof *source);

    *source = (struct scn_source){ .name = name, .text = text, .is_set = is_set };
    ARRAY_PUSH(r->others, r->n_others, r->max_others) = source;
    return source;
}

void
scn_free_others(struct resolver *r)
{
    for (size_t i = 0; i < r->n_others; i++) {
        free((char *)r->others[i]->name);
        free((char *)r->others[i]->text);
        free(r->others[i]);
    }
    free(r->others);
}

/* The length of the folder in a path, with its last slash. */
static size_t
folder_bytes(const char *path, size_t n)
{
    while (n && path[n - 1] != '/') {
        n--;
    }
    return n;
}

/* File names are relative to the folder of the file that has them.  The parent folder is taken from
 * the path if possible, because symbolic links may lead elsewhere. */
static char *
join_path(const struct scn_source *source, const char *path)
{
    const char *from = source->name, *up = "";
    size_t folder = path[0] == '/' ? 0 : folder_bytes(from, strlen(from));

    if (source->is_from_above && path[0] != '/') {
        size_t above = folder ? folder_bytes(from, folder - 1) : 0;
        bool is_named = folder > above + 1 && from[folder - 2] != '.';
        up = is_named ? "" : "../";
        folder = is_named ? above : folder;
    }
    size_t bytes = folder + strlen(up) + strlen(path) + 1;
    char *joined = array_new(bytes, 1);
    snprintf(joined, bytes, "%.*s%s%s", (int)folder, from, up, path);
    return joined;
}

void
scn_see_from_above(struct resolver *r, const struct scn_source *source)
{
    for (size_t i = 0; i < r->n_others; i++) {
        r->others[i]->is_from_above |= r->others[i] == source;
    }
}

static const struct scn_source *
find_loaded(const struct resolver *r, const char *path)
{
    for (size_t i = 0; i < r->n_others; i++) {
        if (!r->others[i]->is_set && !strcmp(r->others[i]->name, path)) {
            return r->others[i];
        }
    }
    return NULL;
}

const struct scn_source *
scn_load_other(struct resolver *r, const struct scn_node *word)
{
    struct err why;

    if (!scn_expect_kind(r, word, SCN_WORD, "expected the name of a file")) {
        return NULL;
    }
    if (!r->files || !r->files->read) {
        scn_fail(
            word, r->err,
            "a scenario that is not a file cannot name other files: save it, and run the file");
        return NULL;
    }
    char *path = join_path(word->source->is_set ? r->main : word->source, word->word);
    const struct scn_source *loaded = find_loaded(r, path);
    if (loaded) {
        free(path);
        return loaded;
    }
    char *text = r->files->read(r->files->arg, path, &why);
    if (!text) {
        scn_fail(word, r->err, "%s", why.text);
        free(path);
        return NULL;
    }
    return keep_source(r, path, text, false);
}

char *
scn_other_path(const struct resolver *r, const struct scn_node *word)
{
    return join_path(word->source->is_set ? r->main : word->source, word->word);
}

/* These functions load bases: a chain of files, each of which has the next as its base. */

struct chain {
    const char *name;
    const struct chain *before;
    int length;
};

static void
write_chain(const struct chain *c, char *out, size_t out_bytes)
{
    if (c->before) {
        write_chain(c->before, out, out_bytes);
    }
    size_t len = strlen(out);
    snprintf(out + len, out_bytes - len, "%s%s", len ? " -> " : "", c->name);
}

static bool
check_chain(struct resolver *r, const struct scn_node *base, const struct chain *c)
{
    char names[200] = "";
    bool is_ring = false;

    for (const struct chain *before = c->before; before; before = before->before) {
        is_ring |= !strcmp(before->name, c->name);
    }
    if (!is_ring && c->length <= MAX_CHAIN) {
        return true;
    }
    write_chain(c, names, sizeof names);
    return scn_fail(base, r->err,
                    is_ring ? "the bases lead back to themselves: %s" : "too many bases: %s",
                    names);
}

static struct scn_node *load_chain(struct resolver *, const struct scn_source *,
                                   const struct chain *, struct scn_node *base);

static struct scn_node *
load_base(struct resolver *r, const struct scn_node *base, const struct chain *before)
{
    const struct scn_source *source = scn_load_other(r, base);
    if (!source) {
        return NULL;
    }
    struct chain c = { source->name, before, before->length + 1 };
    return check_chain(r, base, &c) ? load_chain(r, source, &c, NULL) : NULL;
}

/* Merges 'over' into 'under', and takes ownership of both; either may be null. */
static struct scn_node *
lay_over(struct resolver *r, struct scn_node *under, struct scn_node *over)
{
    if (!under || !over) {
        scn_tree_free(under);
        scn_tree_free(over);
        return NULL;
    }
    if (!scn_tree_merge(under, over, r->err)) {
        scn_tree_free(under);
        return NULL;
    }
    return under;
}

/* Replaces sections that are a plain word by maps. */
static void
widen_sections(struct scn_node *root)
{
    for (const struct scn_table *t = scn_sections; t->name; t++) {
        if (t->short_field) {
            scn_tree_widen(root, t->name, t->short_field);
        }
    }
}

/* Loads a file and its bases.  Takes ownership of 'base', which replaces the base of the file; it
 * may be null. */
static struct scn_node *
load_chain(struct resolver *r, const struct scn_source *source, const struct chain *c,
           struct scn_node *base)
{
    struct scn_node *root = scn_tree_read(source, r->err);
    struct scn_node *own = root ? scn_take_child(root, scn_top_keys[TOP_BASE].name) : NULL;

    if (root) {
        widen_sections(root);
    }
    if (root && (base || own)) {
        root = lay_over(r, load_base(r, base ? base : own, c), root);
    }
    scn_tree_free(own);
    scn_tree_free(base);
    return root;
}

/* Reads a setting. Errors in a list or a map show its text; errors in a plain word show it with its
 * key. */
static struct scn_node *
read_set(struct resolver *r, const char *set)
{
    const char *equals = strchr(set, '=');
    bool is_yaml = equals && strchr("[{", equals[1]) && equals[1];
    size_t shown = is_yaml ? (size_t)(equals - set) : strlen(set);
    size_t name_bytes = shown + sizeof "--set ";
    char *name = array_new(name_bytes, 1);

    snprintf(name, name_bytes, "--set %s", set);
    const struct scn_source *source =
        keep_source(r, name, is_yaml ? strdup(equals + 1) : NULL, true);
    struct scn_node *over = scn_tree_of_set(source, set, r->err);
    if (over) {
        widen_sections(over);
    }
    return over;
}

static struct scn_node *
read_sets(struct resolver *r, const char *const *sets, size_t n_sets)
{
    struct scn_node *all = read_set(r, sets[0]);

    for (size_t i = 1; all && i < n_sets; i++) {
        all = lay_over(r, all, read_set(r, sets[i]));
    }
    return all;
}

/* Merges the scenario and its settings over a config of HPCC's simulator, if there is one. */
static struct scn_node *
lay_over_config(struct resolver *r, struct scn_node *root, const struct scn_node *sets)
{
    return root ? scn_lay_over_config(r, root, sets) : NULL;
}

struct scn_node *
scn_load(struct resolver *r, const char *const *sets, size_t n_sets)
{
    struct chain c = { .name = r->main->name };

    if (!n_sets) {
        return lay_over_config(r, load_chain(r, r->main, &c, NULL), NULL);
    }
    struct scn_node *over = read_sets(r, sets, n_sets);
    if (!over) {
        return NULL;
    }
    struct scn_node *base = scn_take_child(over, scn_top_keys[TOP_BASE].name);
    struct scn_node *under = lay_over_config(r, load_chain(r, r->main, &c, base), over);
    return lay_over(r, under, over);
}
