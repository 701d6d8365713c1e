/* `weir plan`: what the files of this verb share.
 *
 *     plan.c          options, and what is done with them
 *     plan-from.c     a plan from options, a scenario or a SONiC configuration
 *     plan-sonic.c    config_db.json -> ports and buffer
 *     plan-verify.c   the worst case, simulated
 *     plan-show.c, plan-json.c, plan-cost.c     what is printed
 *     plan-write.c, plan-write-*.c              files: a scenario, tables for SONiC */

#ifndef CLI_PLAN_H
#define CLI_PLAN_H

#include "cli/cli.h"
#include "plan/plan.h"
#include "scenario/tree.h"

typedef unsigned long long llu; /* As printf() has it. */

enum { PLAN_MAX_FIELDS = 32, PLAN_MAX_SCHEMES = 16, PLAN_MAX_WARNINGS = 16 };
enum plan_file { PLAN_ANY_FILE, PLAN_SCENARIO, PLAN_SONIC };

struct plan_job {
    struct plan_input in;
    bool is_given[PLAN_MAX_FIELDS]; /* [field]: by an option, which goes before a file. */
    const char *from, *switch_name;
    enum plan_file kind;
    const struct plan_scheme *schemes[PLAN_MAX_SCHEMES]; /* None: all. */
    size_t n_schemes;
    const char *scenario, *sonic, *lookup; /* Files to write. */
    bool force, json, csv, verify, cost;
};

static inline bool
plan_is_given(const struct plan_job *job, const char *field)
{
    return job->is_given[weir_field_find(plan_fields, field) - plan_fields];
}

/* plan.c.  Whether a scheme was asked for, and means something here. */
bool plan_is_wanted(const struct plan_job *, const struct plan *, const struct plan_scheme *);

/* plan-from.c.  Returns an exit code; what is wrong has been told to the user. */
int plan_from(struct plan *, const struct plan_job *);

/* plan-sonic.c.  The tables of a config_db.json; what options say is not asked of it. */
bool plan_read_sonic(struct plan *, const struct plan_job *, const struct scn_node *root,
                     struct err *);

/* plan-verify.c */
struct plan_proof {
    const char *what;         /* "pfc". */
    const char *of;           /* What the bytes are: "above XOFF". */
    size_t kind;              /* Of the plan's. */
    uint64_t bound_bytes;     /* What the plan gives. */
    uint64_t needed_bytes;    /* What the worst case that was found takes. */
    uint64_t inside_dropped;  /* Bytes lost with what the plan gives: 0, or it does not hold. */
    uint64_t outside_dropped; /* And with a little less than is needed. */
    uint64_t outside_bytes;   /* How much that was. */
    uint32_t n_runs;
};

/* Proofs of all kinds, freed by the caller; null, with the reason, if the simulator refuses. */
struct plan_proof *plan_verify(const struct plan *, const struct plan_job *, size_t *n,
                               struct err *);

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

/* plan-write-scenario.c, plan-write-sonic.c */
void plan_write_scenario(FILE *, const struct plan *, const struct plan_job *);
void plan_write_sonic(FILE *, const struct plan *, const struct plan_job *);
void plan_write_lookup(FILE *, const struct plan *, const struct plan_job *);

/* Whether these can hold the plan; else an exit code. */
int plan_check_scenario(const struct plan *, const struct plan_job *);
int plan_check_sonic(const struct plan *, const struct plan_job *);

#endif
