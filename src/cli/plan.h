/* `weir plan`: what the files of this verb share.
 *
 *     plan.c          options, and what is done with them
 *     plan-read.c     a plan from options or a file
 *     plan-show.c, plan-json.c, plan-cost.c     what is printed
 *     plan-write.c    files: a scenario, tables for SONiC */

#ifndef CLI_PLAN_H
#define CLI_PLAN_H

#include "cli/cli.h"
#include "plan/request.h"
#include "run/verify.h"

typedef unsigned long long llu; /* As printf() has it. */

enum { PLAN_MAX_WARNINGS = 16 };
enum plan_file { PLAN_ANY_FILE, PLAN_SCENARIO, PLAN_SONIC };

struct plan_job {
    struct plan_request ask;
    const char *from;
    enum plan_file kind;
    const char *scenario, *sonic, *lookup; /* Files to write. */
    bool force, json, csv, verify, cost;
};

/* plan-read.c.  Returns an exit code; what is wrong has been told to the user. */
int plan_read(struct plan *, const struct plan_job *);

/* plan-show.c, plan-json.c, plan-cost.c */
void plan_show_text(const struct plan *, const struct plan_job *);
void plan_show_json(const struct plan *, const struct plan_job *, const struct plan_proof *,
                    size_t n_proofs);
void plan_show_proofs(const struct plan *, const struct plan_proof *, size_t n);
int plan_show_cost(const struct plan_job *);

/* Tells the user why a scheme does not fit, and what would. */
void plan_add_misfit(const struct plan *, const struct plan_scheme *, struct weir_text *);

/* plan-write.c.  Returns an exit code; no file is touched unless all may be written. */
int plan_write(const struct plan *, const struct plan_job *);

#endif
