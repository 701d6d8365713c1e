/* Lists of what a scenario can choose by name, and each with its parameters. */

#ifndef SCENARIO_PLUGIN_TABLES_H
#define SCENARIO_PLUGIN_TABLES_H

#include <stdio.h>

#include "base/json.h"
#include "scenario/scenario.h"

enum scn_plugin_form { SCN_PLUGIN_TEXT, SCN_PLUGIN_JSON, SCN_PLUGIN_MARKDOWN };

/* One with its parameters, or all of a registry. */
void scn_write_plugin(FILE *, const struct weir_registry *, const struct weir_plugin *,
                      enum scn_plugin_form);
void scn_write_plugins(FILE *, const struct scn_registry *, enum scn_plugin_form);

/* All plug-ins of a registry with their parameters, as a list at a key. */
void scn_json_plugins(struct json *, const char *key, const struct weir_registry *);

#endif
