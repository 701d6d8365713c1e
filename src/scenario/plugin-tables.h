/* Lists the components that a scenario can choose by name, with their parameters. */

#ifndef SCENARIO_PLUGIN_TABLES_H
#define SCENARIO_PLUGIN_TABLES_H

#include <stdio.h>

#include "scenario/field-tables.h"

/* The parameters of one, and its further keys. */
struct scn_fields scn_fields_of_plugin(const struct weir_registry *, const struct weir_plugin *);

/* Writes one plug-in with its parameters, or all plug-ins of a registry. */
void scn_write_plugin(FILE *, const struct weir_registry *, const struct weir_plugin *,
                      enum scn_list_form);
void scn_write_plugins(FILE *, const struct scn_registry *, enum scn_list_form);

/* All plug-ins of a registry with their parameters, as a list at a key. */
void scn_json_plugins(struct json *, const char *key, const struct weir_registry *);

#endif
