/* Verbs that list names of a scenario, or show one: `weir keys`, `weir engines` and others. */

#ifndef CLI_NAME_LIST_H
#define CLI_NAME_LIST_H

#include <stdio.h>

#include "cli/options.h"
#include "scenario/field-tables.h"

struct name_list_options {
    struct verb_operands name;
    int form; /* enum scn_list_form. */
};

/* The options --json and --markdown. */
extern const struct verb_option name_list_options[];

/* The name that the user gave; null: the user gave none, and the verb lists all names. */
const char *name_list_wanted(const struct name_list_options *);

typedef void name_list_write(FILE *, const void *what, enum scn_list_form);

/* Prints the output of 'write'; text is wrapped to the width of the terminal. */
int name_list_print(const struct name_list_options *, name_list_write *, const void *what);

#endif
