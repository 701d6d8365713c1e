/* `weir lab`: what its parts share. */

#ifndef CLI_LAB_H
#define CLI_LAB_H

#include "cli/cli.h"
#include "run/capture.h"

enum { LAB_TIME_BYTES = 64 };

struct lab_options {
    struct verb_operands file;
    struct verb_words sets; /* With what --time sets, which is here: */
    char time[LAB_TIME_BYTES];
    const char *results;
    int form; /* enum cli_form */
    uint64_t command_ns;
    bool plans, cleans, compares, why, is_quiet, is_virtual;
    struct capture capture; /* If it has a path. */
};

/* lab-plan.c: what would be set up for a scenario that has been read, and what is needed for it. */
void lab_plan_show(const char *file, const struct scenario *, int form);

/* lab-run.c: sets up, runs and shows it.  An exit code; what is wrong has been told. */
int lab_run(struct lab_options *);

#endif
