/* `weir plan`: what the files of this verb share.
 *
 *     plan.c          options, and what is done with them
 *     plan-read.c     a plan from options or a file
 *     plan-show.c, plan-rows.c, plan-words.c, plan-json.c   a plan, for people and for programs
 *     plan-inputs.c   what was asked, for pages
 *     plan-configured.c   the headroom that a switch has, and what becomes of its profiles
 *     plan-cost.c, plan-matrix.c, plan-fabric.c   many plans in one table
 *     plan-answer.c   the form in which an answer is given
 *     plan-sheet.c      headings, lines and tables in each form (form-table.h)
 *     plan-write.c    files: a scenario, tables for SONiC */

#ifndef CLI_PLAN_H
#define CLI_PLAN_H

#include "cli/cli.h"
#include "cli/plan-sheet.h"
#include "plan/verdict.h"
#include "run/verify.h"

typedef unsigned long long llu; /* As printf() has it. */

enum { PLAN_MAX_WARNINGS = 16, PLAN_MAX_VALUES = 16 };
enum plan_file { PLAN_ANY_FILE, PLAN_SCENARIO, PLAN_SONIC };

/* Several values of one option: "25Gbps,100Gbps". */
struct plan_values {
    uint64_t items[PLAN_MAX_VALUES];
    size_t n; /* 0: the option has one, or none. */
};

struct plan_job {
    struct plan_request ask;
    const char *from;
    enum plan_file kind;
    struct plan_values rates, cables;
    const char *scenario, *sonic, *lookup, *page; /* Files to write. */
    bool force, verify, cost, details;
    int form; /* enum table_form */
};

/* The list that belongs to a field; null: it takes one value. */
struct plan_values *plan_values_of(struct plan_job *, const struct weir_field *);

/* plan-answer.c: an answer in the form that was asked for, and as a page if one was.  Returns an
 * exit code; what is wrong has been told to the user. */
struct plan_answer {
    const char *title;
    const void *of;
    void (*say)(struct sheet *, const void *of);
    struct form_table list;                      /* As CSV. */
    void (*tell)(struct json *, const void *of); /* As JSON; null: the same list. */
};

int plan_give(const struct plan_job *, const struct plan_answer *);

/* plan-read.c.  Return an exit code; what is wrong has been told to the user. */
int plan_read(struct plan *, const struct plan_job *);
int plan_read_all(struct plan **, size_t *n, const struct plan_job *); /* Of a whole fabric. */

/* plan-links.c: refuses a scenario whose engines cannot work together across a link, and adds
 * warnings to the plan. */
int plan_check_links(struct plan *, const struct scenario *);

/* Whether all switches of a folder or a scenario were asked for. */
bool plan_is_fabric(const struct plan_job *);

/* plan-show.c, plan-json.c: a plan, and what was found when it was simulated. */
struct plan_shown {
    const struct plan *p;
    const struct plan_job *job;
    const struct plan_proof *proofs;
    size_t n_proofs;
};

void plan_say(struct sheet *, const void *plan_shown);
void plan_say_proofs(struct sheet *, const struct plan_shown *);
void plan_say_inputs(struct sheet *, const struct plan_job *); /* plan-inputs.c; on pages only. */
void plan_tell(struct json *, const void *plan_shown);
void plan_tell_as(struct json *, const char *key, const struct plan_shown *);

/* plan-rows.c: the tables of a plan, as rows.  Arrays are freed by the caller. */
struct plan_row { /* A scheme: of the switch, and of one class of a port of a kind. */
    const struct plan *p;
    const struct plan_scheme *s;
    const struct plan_kind *k;
    struct plan_need need, slot;
};

struct plan_row *plan_rows(const struct plan *, const struct plan_request *, size_t kind,
                           size_t *n);
extern const struct column plan_switch_columns[], plan_slot_columns[], plan_threshold_columns[],
    plan_proof_columns[];

/* plan-configured.c.  The word for each port; with --details why, formula by formula; and the
 * profiles that files for SONiC have. */
void plan_say_configured(struct sheet *, const struct plan_shown *);
void plan_tell_configured(struct json *, const struct plan_shown *);

/* plan-words.c: sentences. */
void plan_add_verdict(const struct plan *, const struct plan_verdict *, struct weir_text *);
void plan_add_misfit(const struct plan *, const struct plan_scheme *, struct weir_text *);
void plan_add_state(const struct plan *, const struct plan_state *, struct weir_text *);
bool plan_counts_bytes(const struct plan_scheme *); /* Its bound knows nothing of cells. */
void plan_add_lack(const struct plan_gap *, struct weir_text *); /* "too little by 5.3KB" */
void plan_add_kind(const struct plan *, const struct plan_kind *, struct weir_text *);
void plan_add_fits(const struct plan *, const struct plan_scheme *, struct weir_text *);
const char *plan_formula(const struct plan_scheme *); /* "802.1Q" */

/* All warnings, headroom that is broken first, what was lost when simulated last: how many. */
size_t plan_add_warnings(const struct plan_shown *, struct weir_text said[PLAN_MAX_WARNINGS]);

/* Whether everything that is configured is enough; false, too, if nothing is. */
bool plan_has_enough(const struct plan *);

/* plan-cost.c, plan-matrix.c, plan-fabric.c.  Return an exit code. */
int plan_show_cost(const struct plan_job *);
int plan_show_matrix(const struct plan_job *);
int plan_show_fabric(const struct plan_job *);

/* plan-write.c.  Returns an exit code; no file is touched unless all may be written. */
int plan_check_files(const struct plan *, const struct plan_job *);
int plan_write(const struct plan *, const struct plan_job *);
void plan_name_files(const struct plan_job *); /* That were written, in a line. */

#endif
