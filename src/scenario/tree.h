/* A YAML file as a tree in which every node has its place.
 *
 * Mappings, lists and plain words; that is all a scenario needs.  Anchors, aliases, tags and
 * several documents are refused, as are keys that stand twice.  Every error names file, line and
 * column, and shows the line with a caret.
 *
 * A tree can be laid over another: its words and lists replace, its maps go in key by key.  Each
 * node keeps the source that it came from, so that an error in a tree of several files still names
 * the right one.  Sources must outlive the trees. */

#ifndef SCN_TREE_H
#define SCN_TREE_H

#include <stdbool.h>
#include <stddef.h>

#include "base/err.h"

enum scn_kind { SCN_WORD, SCN_LIST, SCN_MAP };

struct scn_source {
    const char *name;   /* A file as one would open it, or "--set a.b=value". */
    const char *text;   /* Null: a single word, whose line has no more information than the name. */
    bool is_set;        /* Not a file, but an argument. */
    bool is_from_above; /* The files that it names are seen from the folder above its own. */
    size_t max_keys;    /* In one place; 0: as many as a scenario may have. */
};

struct scn_node {
    enum scn_kind kind;
    const struct scn_source *source;
    size_t line, column; /* From 1. */
    char *word;          /* SCN_WORD: its text. */
    char *key;           /* As a child of a map. */
    size_t key_line, key_column;
    struct scn_node **children;
    size_t n_children, max_children;
};

/* Null and the reason if the text is no such tree; its root is a map. */
struct scn_node *scn_tree_read(const struct scn_source *, struct err *);
void scn_tree_free(struct scn_node *);

/* Built by code: a node with nothing in it, and a child of a map, or of a list, where the key is
 * null. */
struct scn_node *scn_tree_new(enum scn_kind, const struct scn_source *, size_t line, size_t column);
void scn_tree_add(struct scn_node *parent, const char *key, struct scn_node *child);

/* The tree of "a.b.c=value": maps down to the value, which is a word, or YAML if it begins with [
 * or {. */
struct scn_node *scn_tree_of_set(const struct scn_source *, const char *set, struct err *);

/* Merges 'over' into 'under'; it consumes 'over'.  The keys of a set may be numbers of items, from
 * 0, or their names, where a list is. */
bool scn_tree_merge(struct scn_node *under, struct scn_node *over, struct err *);

/* The list item that the key of a child denotes. */
bool scn_find_item(const struct scn_node *list, const struct scn_node *child, size_t *place,
                   struct err *);

/* Makes {kind: word} of the plain word at a key of the root. */
void scn_tree_widen(struct scn_node *root, const char *key, const char *below);

/* The child with this key, or null. */
struct scn_node *scn_child(const struct scn_node *map, const char *key);

/* The same for errors: the map itself where it has no such child, or the key is null. */
const struct scn_node *scn_child_or_map(const struct scn_node *map, const char *key);

/* The same, and takes it out of the map; the caller frees it. */
struct scn_node *scn_take_child(struct scn_node *map, const char *key);

/* Always returns false: an error at a node, at its key, or at a place, with the line and a caret
 * below it. */
bool scn_fail(const struct scn_node *, struct err *, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
bool scn_fail_key(const struct scn_node *, struct err *, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/* Whether a text has only characters that a text may have; and, as YAML, no directives, from some
 * of which libfyaml never returns. */
bool scn_check_text(const struct scn_source *, bool is_yaml, struct err *);

/* The place of a child's key among names, which stand in a table as text_offer() has it; 'n_names',
 * with the nearest in the error: it is none of them. */
size_t scn_find_key(const struct scn_node *child, const char *const *first, size_t stride,
                    size_t n_names, struct err *);

/* The line of a node, to be freed; null: it has no text. */
char *scn_copy_line(const struct scn_node *);

/* The same as scn_fail_in() where the line is at hand, and not the text; null: no line is. */
bool scn_fail_shown(const char *name, size_t line, size_t column, const char *shown, struct err *,
                    const char *said);
bool scn_fail_in(const struct scn_source *, size_t line, size_t column, struct err *,
                 const char *format, ...) __attribute__((format(printf, 5, 6)));

#endif
