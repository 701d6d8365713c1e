/* Lists the keys of a scenario, in tables by section: `topology`, `topology.links`, `switch`. */

#ifndef SCENARIO_KEY_TABLES_H
#define SCENARIO_KEY_TABLES_H

#include <stdio.h>

enum { SCN_MAX_KEY_TABLES = 32 };

/* The names of all tables; returns their number. */
size_t scn_key_table_names(const char *names[SCN_MAX_KEY_TABLES]);

/* One of these; null: the keys at the top, and in text and JSON all tables. */
void scn_key_table_text(FILE *, const char *name);
void scn_key_table_markdown(FILE *, const char *name);
void scn_key_table_json(FILE *, const char *name);

#endif
