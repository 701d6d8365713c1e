/* A JSON schema of scenario files, from the tables that also read them. */

#ifndef CLI_SCHEMA_H
#define CLI_SCHEMA_H

/* Prints it. */
void schema_show(void);

#endif
