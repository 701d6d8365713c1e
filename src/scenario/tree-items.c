/* Finds items of lists that --set names: by number, or by the `name` that they have in the file. */

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "scenario/tree.h"

/* The name of an item; null: it has no name. */
static const char *
name_of(const struct scn_node *item)
{
    const struct scn_node *name = item->kind == SCN_MAP ? scn_child(item, "name") : NULL;

    return name && name->kind == SCN_WORD ? name->word : NULL;
}

/* Counts the items that have the name, and finds the first. */
static size_t
find_named(const struct scn_node *list, const char *word, size_t *place)
{
    size_t n = 0;

    for (size_t i = list->n_children; i-- > 0;) {
        const char *name = name_of(list->children[i]);
        if (name && !strcmp(name, word)) {
            *place = i;
            n++;
        }
    }
    return n;
}

/* Lists the names that fit, as in ", or named: probe, rest"; writes nothing if no item has a
 * name. */
static void
list_names(const struct scn_node *list, char *out, size_t out_bytes)
{
    static const char more[] = ", ...";
    size_t len = 0;

    out[0] = '\0';
    for (size_t i = 0; i < list->n_children; i++) {
        const char *name = name_of(list->children[i]), *before = len ? ", " : ", or named: ";
        if (name && len + strlen(before) + strlen(name) + sizeof more > out_bytes) {
            snprintf(out + len, out_bytes - len, "%s", len ? more : "");
            return;
        }
        len += name ? (size_t)snprintf(out + len, out_bytes - len, "%s%s", before, name) : 0;
    }
}

bool
scn_find_item(const struct scn_node *list, const struct scn_node *child, size_t *place,
              struct err *err)
{
    char names[160], *end;

    *place = strtoul(child->key, &end, 10);
    if (!*end && end > child->key && *place < list->n_children) {
        return true;
    }
    size_t n_named = find_named(list, child->key, place);
    if (n_named > 1) {
        return scn_fail_key(child, err,
                            "%zu items of this list have the name '%s': say which by its number, "
                            "from 0",
                            n_named, child->key);
    }
    list_names(list, names, sizeof names);
    return n_named ||
           scn_fail_key(child, err,
                        "there is no item '%s' in this list: its length is %zu, and items are "
                        "numbered from 0%s",
                        child->key, list->n_children, names);
}
