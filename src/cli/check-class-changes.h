/* `weir check` where an engine moves packets from class to class. */

#ifndef CLI_CHECK_CLASS_CHANGES_H
#define CLI_CHECK_CLASS_CHANGES_H

#include "base/json.h"
#include "scenario/scenario.h"

/* Whether an engine of the scenario does. */
bool check_class_changes_applies(const struct scenario *);

struct check_class_changes_options {
    const char *file; /* The scenario's, for complaints. */
    bool flows;       /* Their ways only. */
    bool json;
    void (*show_loops)(const void *loops);               /* Of routes, in place. */
    void (*json_more)(struct json *, const void *loops); /* Loops, and warnings. */
    const void *loops;
};

/* Checks and tells. */
int check_class_changes(const struct scenario *, const struct check_class_changes_options *);

#endif
