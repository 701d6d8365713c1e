/* Reads networks from files: Weir's own format, and helpers for readers of other formats. */

#include "scenario/import.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

static const char *const lists[] = { "switches", "hosts", "links" };

struct scn_node *
scn_import_new(const struct scn_source *source)
{
    struct scn_node *net = scn_tree_new(SCN_MAP, source, 1, 1);

    for (int i = 0; i < 3; i++) {
        scn_tree_add(net, lists[i], scn_tree_new(SCN_LIST, source, 1, 1));
    }
    return net;
}

/* Returns one of the three lists. Their order is fixed, so that no line of a large file needs a
 * search. */
struct scn_node *
scn_import_list(struct scn_node *net, const char *key)
{
    return net->children[key[0] == 's' ? 0 : key[0] == 'h' ? 1 : 2];
}

struct scn_node *
scn_import_word(struct scn_node *parent, const char *key, const struct scn_node *at,
                const char *format, ...)
{
    char word[200];
    va_list args;

    va_start(args, format);
    vsnprintf(word, sizeof word, format, args);
    va_end(args);
    struct scn_node *n = scn_tree_new(SCN_WORD, at->source, at->line, at->column);
    n->word = strdup(word);
    scn_tree_add(parent, key, n);
    return n;
}

struct scn_node *
scn_import_link(struct scn_node *net, const struct scn_node *at)
{
    struct scn_node *link = scn_tree_new(SCN_MAP, at->source, at->line, at->column);

    scn_tree_add(link, "ends", scn_tree_new(SCN_LIST, at->source, at->line, at->column));
    scn_tree_add(scn_import_list(net, "links"), NULL, link);
    return link;
}

static bool
read_names(struct scn_reading *reading)
{
    scn_tree_free(reading->net);
    reading->net = scn_tree_read(reading->source, reading->err);
    return reading->net;
}

const struct scn_format scn_names = {
    .topology
        .about = { .name = "file",
                   .title =
                       "Switches, hosts and links listed by name, in the scenario or in a file" },
    .may_be_inline = true,
    .read = read_names,
};
