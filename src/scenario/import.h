/* Networks and flows in formats of other tools.
 *
 * A reader makes the same tree as for a file in Weir's own format.  Every word of it keeps its
 * location in the original file.  So foreign files pass the same checks, and errors name their
 * lines. */

#ifndef SCN_IMPORT_H
#define SCN_IMPORT_H

#include "scenario/resolver.h"

/* Helpers for readers: create a tree {switches: [], hosts: [], links: []}, and add items to it.
 * New nodes get the location of 'at'.  Formats are those of printf(). */
struct scn_node *scn_import_new(const struct scn_source *);
struct scn_node *scn_import_list(struct scn_node *net, const char *key);
struct scn_node *scn_import_word(struct scn_node *parent, const char *key,
                                 const struct scn_node *at, const char *format, ...)
    __attribute__((format(printf, 4, 5)));

/* Adds a link, {ends: []}, to which the caller adds both ends. */
struct scn_node *scn_import_link(struct scn_node *net, const struct scn_node *at);

#endif
