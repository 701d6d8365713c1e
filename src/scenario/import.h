/* Networks and flows in the formats of others.
 *
 * Each becomes a tree as a file of our own would give, in which every word still knows its place in
 * the file that it came from.  So all that is checked of our own files is checked of these, and an
 * error names their lines. */

#ifndef SCN_IMPORT_H
#define SCN_IMPORT_H

#include "scenario/resolver.h"

/* Parts of readers: a tree {switches: [], hosts: [], links: []}, and its items.  Places are those
 * of 'at'; arguments like printf()'s. */
struct scn_node *scn_import_new(const struct scn_source *);
struct scn_node *scn_import_list(struct scn_node *net, const char *key);
struct scn_node *scn_import_word(struct scn_node *parent, const char *key,
                                 const struct scn_node *at, const char *format, ...)
    __attribute__((format(printf, 4, 5)));

/* A new link, {ends: []}, to which both are then added. */
struct scn_node *scn_import_link(struct scn_node *net, const struct scn_node *at);

#endif
