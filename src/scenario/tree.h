/* A YAML file as a tree in which every node has its location in the file.
 *
 * Scenarios need only mappings, lists and plain words.  Anchors, aliases, tags and several
 * documents are refused, as are duplicate keys.  Every error names file, line and column, and shows
 * the line with a caret.
 *
 * A tree can be merged over another: words and lists replace those under them, and maps are merged
 * key by key.  Each node keeps its source, so that an error in a tree of several files names the
 * right file.  Sources must outlive the trees. */

#ifndef SCN_TREE_H
#define SCN_TREE_H

#include <stdbool.h>
#include <stddef.h>

#include "base/err.h"

enum scn_kind { SCN_WORD, SCN_LIST, SCN_MAP };

struct scn_source {
    const char *name;   /* The path of a file, or "--set a.b=value". */
    const char *text;   /* The content; null: the source is a single word, which the name already
                         * shows. */
    bool is_set;        /* The source is an argument of the command line, not a file. */
    bool is_from_above; /* File names in it are relative to its parent folder. */
    size_t max_keys;    /* The maximum number of keys of a map; 0: the limit for scenarios. */
};

struct scn_node {
    enum scn_kind kind;
    const struct scn_source *source;
    size_t line, column; /* Both are counted from 1. */
    char *word;          /* For SCN_WORD: its text. */
    char *key;           /* The key of a map's child; else null. */
    size_t key_line, key_column;
    struct scn_node **children;
    size_t n_children, max_children;
};

/* Reads a text into a tree whose root is a map; returns null with an error on failure. */
struct scn_node *scn_tree_read(const struct scn_source *, struct err *);
void scn_tree_free(struct scn_node *);

/* Build trees in code: create an empty node, and add a child to a map, or to a list with a null
 * key. */
struct scn_node *scn_tree_new(enum scn_kind, const struct scn_source *, size_t line, size_t column);
void scn_tree_add(struct scn_node *parent, const char *key, struct scn_node *child);

/* The tree of "a.b.c=value": nested maps with the value, which is a word, or YAML if it begins with
 * [ or {. */
struct scn_node *scn_tree_of_set(const struct scn_source *, const char *set, struct err *);

/* Merges 'over' into 'under', and frees 'over'.  If 'under' has a list, a key of --set may be the
 * number of an item, from 0, or its name. */
bool scn_tree_merge(struct scn_node *under, struct scn_node *over, struct err *);

/* Finds the list item that the key of a child names. */
bool scn_find_item(const struct scn_node *list, const struct scn_node *child, size_t *place,
                   struct err *);

/* Replaces the plain word at a key of the root by a map with that word under the key 'below', as in
 * {kind: word}. */
void scn_tree_widen(struct scn_node *root, const char *key, const char *below);

/* The child with this key, or null. */
struct scn_node *scn_child(const struct scn_node *map, const char *key);

/* Like scn_child(), for errors: the map itself if it has no such child or the key is null. */
const struct scn_node *scn_child_or_map(const struct scn_node *map, const char *key);

/* Like scn_child(), but removes the child from the map; the caller frees it. */
struct scn_node *scn_take_child(struct scn_node *map, const char *key);

/* Set an error at a node, at its key, or at a location, with the line and a caret below it.  They
 * always return false. */
bool scn_fail(const struct scn_node *, struct err *, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
bool scn_fail_key(const struct scn_node *, struct err *, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/* Checks that a text has only valid characters and, if it is YAML, no directives, some of which
 * make libfyaml loop for ever. */
bool scn_check_text(const struct scn_source *, bool is_yaml, struct err *);

/* The index of a child's key among names, which are in a table as for text_offer().  If it is
 * unknown, returns 'n_names' with an error that offers the nearest name. */
size_t scn_find_key(const struct scn_node *child, const char *const *first, size_t stride,
                    size_t n_names, struct err *);

/* Copies the line of a node, which the caller frees; null: the node has no text. */
char *scn_copy_line(const struct scn_node *);

/* Like scn_fail_in() with a copied line, which may be null, in place of the text. */
bool scn_fail_shown(const char *name, size_t line, size_t column, const char *shown, struct err *,
                    const char *said);
bool scn_fail_in(const struct scn_source *, size_t line, size_t column, struct err *,
                 const char *format, ...) __attribute__((format(printf, 5, 6)));

#endif
