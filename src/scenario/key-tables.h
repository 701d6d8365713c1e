/* Lists the keys of a scenario, in tables by section: `topology`, `topology.links`, `switch`.
 *
 * A search finds keys by their path, as --set writes it: `switch.headroom`, `engines.pfc.xoff`.
 *
 *     struct scn_key_search search;
 *     if (scn_key_search(&search, path)) {
 *         scn_key_tables_write(stdout, search.tables, search.n, form);
 *     }
 *     scn_key_search_free(&search); */

#ifndef SCENARIO_KEY_TABLES_H
#define SCENARIO_KEY_TABLES_H

#include <stdio.h>

#include "scenario/field-tables.h"

enum { SCN_MAX_KEY_PATH = 160 };

/* The keys at the top, of a section, or those that a plug-in adds. */
struct scn_key_table {
    char name[80]; /* Empty: those at the top. */
    const char *help;
    const char *plugin; /* The one of which these are parameters next to its choice; or null. */
    bool is_section, is_single; /* A section that is one map, no list of maps. */
    bool is_part;               /* Only the keys that were looked for. */
    struct scn_fields fields;
};

typedef void scn_each_key_table(void *arg, const struct scn_key_table *);

/* All tables: the top, sections, plug-ins. */
void scn_key_tables_each(scn_each_key_table *, void *arg);

/* The keys at the top, and all sections. */
void scn_key_tables_list(FILE *, enum scn_list_form);

void scn_key_tables_write(FILE *, const struct scn_key_table *, size_t n, enum scn_list_form);

/* key-search.c */

struct scn_key_search {
    char path[SCN_MAX_KEY_PATH];
    bool takes_parts;
    struct scn_key_table *tables;
    size_t n, max;
};

/* Finds a whole section; else a key; else all keys whose path begins with 'path' or ends with it
 * as their name.  False: there is none. */
bool scn_key_search(struct scn_key_search *, const char *path);
void scn_key_search_free(struct scn_key_search *);

/* The sections and keys nearest to a path, as text_offer_near() writes them. */
void scn_key_offer(const char *path, char *out, size_t out_bytes);

/* The path of the first key of this name at the top or in a section that is one map, for an option
 * that was meant as a key: run.seed.  False: there is none. */
bool scn_key_path(const char *key, char path[SCN_MAX_KEY_PATH]);

/* Lists keys and maps of this name in other maps, as in "; keys of this name: switch.buffer,
 * switch.speeds.buffer".  Empty: there are none. */
void scn_key_elsewhere(const char *key, char *out, size_t out_bytes);

#endif
