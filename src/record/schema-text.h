/* The schema of results files, complete: schema.sql with a column for each fact. */

#ifndef RECORD_SCHEMA_TEXT_H
#define RECORD_SCHEMA_TEXT_H

/* Freed by the caller. */
char *schema_text(void);

#endif
