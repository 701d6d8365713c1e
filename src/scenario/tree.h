/* A YAML file as a tree that knows where everything stands.
 *
 * Mappings, lists and plain words; that is all a scenario needs.  Anchors, aliases, tags and
 * several documents are refused, as are keys that stand twice.  Every error names file, line and
 * column, and shows the line with a caret. */

#ifndef SCN_TREE_H
#define SCN_TREE_H

#include <stdbool.h>
#include <stddef.h>

#include "base/err.h"

enum scn_kind { SCN_WORD, SCN_LIST, SCN_MAP };

struct scn_node {
    enum scn_kind kind;
    size_t line, column; /* From 1; line 0: not from the file, but from '--set'. */
    char *word;          /* SCN_WORD: its text. */
    char *key;           /* As a child of a map. */
    size_t key_line, key_column;
    struct scn_node **children;
    size_t n_children, max_children;
    bool used; /* Someone has read it. */
};

struct scn_source {
    const char *name, *text;
};

/* Null and the reason if the text is no such tree. */
struct scn_node *scn_tree_read(const struct scn_source *, struct err *);
void scn_tree_free(struct scn_node *);

/* Puts a word at "a.b.c", making the maps on the way; replaces what stands there. */
bool scn_tree_set(struct scn_node *root, const char *path, const char *word, struct err *);

/* The child with this key, marked as used, or null. */
struct scn_node *scn_child(struct scn_node *map, const char *key);

/* Always false: says what is wrong at a place, with the line and a caret below it. */
bool scn_fail(const struct scn_source *, size_t line, size_t column, struct err *,
              const char *format, ...) __attribute__((format(printf, 5, 6)));

#endif
