/* A JSON schema of scenario files, from the tables that also read them. */

#ifndef SCENARIO_JSON_SCHEMA_H
#define SCENARIO_JSON_SCHEMA_H

#include <stdio.h>

void scn_write_json_schema(FILE *);

#endif
