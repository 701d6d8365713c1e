/* Writes the fields and keys of a map of a scenario as text, Markdown and JSON. Each has a row with
 * its type, default, allowed values and meaning. */

#ifndef SCENARIO_FIELD_TABLES_H
#define SCENARIO_FIELD_TABLES_H

#include <stdio.h>

#include "base/json.h"
#include "scenario/scenario.h"

enum scn_list_form { SCN_LIST_TEXT, SCN_LIST_JSON, SCN_LIST_MARKDOWN };

struct scn_fields {
    const char *head;                /* The heading of the column of names: "key" or "parameter". */
    const struct weir_field *fields; /* Both end with a null name. */
    const struct scn_key *keys;
    const char *needed; /* The mandatory field of the map; or null. */
};

void scn_fields_text(FILE *, const struct scn_fields *);

/* If a field has a source, the last column shows it. */
void scn_fields_markdown(FILE *, const struct scn_fields *);

/* Writes a list at a key.  Numbers are in the base unit of their kind; texts are as in scenarios.
 */
void scn_json_fields(struct json *, const char *key, const struct weir_field *);
void scn_json_keys(struct json *, const char *key, const struct scn_key *);
void scn_json_named(struct json *, const char *name, const char *help);

/* The names that a field of WEIR_CHOICE may be, as a list at a key. */
void scn_json_choices(struct json *, const char *key, const struct weir_field *);

#endif
