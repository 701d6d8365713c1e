/* Results of `weir plan`: the buffer and thresholds for one switch or many.
 *
 * src/plan has the formulas.  src/planner reads the input of plans, simulates worst cases on
 * request, and writes the result in every form.
 *
 *     plan-read.c             reads a plan from options or a file
 *     plan-run.c              plans one switch
 *     plan-cost.c             plans at several rates, for tables of costs
 *     plan-matrix.c           plans every rate with every cable
 *     plan-fabric.c           plans many switches in one table
 *     plan-text.c, plan-rows.c, plan-sentences.c, plan-json.c write a plan
 *     plan-inputs.c           writes the options of a plan, for pages
 *     plan-configured.c       writes the headroom that ports need and have, and new profiles
 *     plan-answer.c           writes a result in the form of the request
 *     plan-files.c            writes a scenario, and tables for SONiC
 *
 * Functions return an exit code (run/exit.h). */

#ifndef PLANNER_PLANNER_H
#define PLANNER_PLANNER_H

#include "output/sheet.h"
#include "output/value.h"
#include "plan/verdict.h"
#include "run/exit.h"
#include "run/verify.h"
#include "scenario/scenario.h"

typedef unsigned long long llu; /* Arguments like printf()'s. */

enum { PLANNER_MAX_WARNINGS = 16, PLANNER_MAX_VALUES = 16 };
enum planner_file { PLANNER_ANY_FILE, PLANNER_SCENARIO, PLANNER_SONIC };

/* The values of an option that has several: "25Gbps,100Gbps". */
struct planner_values {
    uint64_t items[PLANNER_MAX_VALUES];
    size_t n; /* 0: the option has one value or none. */
};

struct planner_job {
    struct plan_request ask;
    const char *from;
    enum planner_file kind;
    struct planner_values rates, cables;
    const char *scenario, *sonic, *lookup, *page; /* The paths of the files to write. */
    bool force, verify, cost, details;
    int form; /* enum table_form. */
    FILE *out, *messages;
    void (*progress)(void *arg, size_t n_done,
                     size_t n); /* Called for verified switches; or null. */
    void *arg;
};

/* The list of an option's values; null: the option takes only one value. */
struct planner_values *planner_values_of(struct planner_job *, const struct weir_field *);

/* A result in the form of the request; it is also written as a page, if the request names one. */
struct planner_answer {
    const char *title;
    const void *of;
    void (*write)(struct sheet *, const void *of);
    struct form_table list;                            /* The rows for CSV. */
    void (*write_json)(struct json *, const void *of); /* Null: JSON has the same rows. */
};

int planner_answer_write(const struct planner_job *, const struct planner_answer *, struct err *);

int planner_read(struct plan *, const struct planner_job *, struct err *);
int planner_read_fabric(struct plan **, size_t *n, const struct planner_job *, struct err *);

/* Whether the request is for all switches of a folder or a scenario. */
bool planner_is_fabric(const struct planner_job *);
bool planner_is_matrix(const struct planner_job *);

/* A plan, and the results of simulating its worst cases. */
struct planner_shown {
    const struct plan *p;
    const struct planner_job *job;
    const struct plan_proof *proofs;
    size_t n_proofs;
};

void planner_write_plan(struct sheet *, const void *planner_shown);
void planner_write_proofs(struct sheet *, const struct planner_shown *);
/* Only pages show the inputs. */
void planner_write_inputs(struct sheet *, const struct planner_job *);
void planner_json_plan(struct json *, const void *planner_shown);
void planner_json_at(struct json *, const char *key, const struct planner_shown *);

/* Rows of the tables of a plan. The caller frees arrays. */
/* The values of a scheme for the switch, and for one class of a kind of port. */
struct planner_row {
    const struct plan *p;
    const struct plan_scheme *s;
    const struct plan_kind *k;
    struct plan_need need, slot;
};

struct planner_row planner_row_of(const struct plan *, const struct plan_scheme *, size_t kind);
struct planner_row *planner_rows(const struct plan *, const struct plan_request *, size_t kind,
                                 size_t *n);
extern const struct column planner_margin_columns[], planner_switch_columns[],
    planner_slot_columns[], planner_threshold_columns[], planner_proof_columns[];

/* Write the need and the headroom of each port, the gaps by each formula, and the profiles in files
 * for SONiC. */
void planner_write_ports(struct sheet *, const struct planner_shown *);
void planner_write_gaps(struct sheet *, const struct planner_shown *);
void planner_write_profiles(struct sheet *, const struct planner_shown *);
void planner_json_configured(struct json *, const struct planner_shown *);

/* Rounds up to three digits.  Needed headroom is rounded up in all texts, so that a copied number
 * is not too small.  All other numbers are rounded to the nearest. */
uint64_t planner_rounded_up(uint64_t bytes);

/* Add the sentences of a plan, or parts of them. */
void planner_add_verdict(const struct plan *, const struct plan_verdict *, struct weir_text *);
void planner_add_misfit(const struct plan *, const struct plan_scheme *, struct weir_text *);
void planner_add_state(const struct plan *, const struct plan_state *, struct weir_text *);
/* Whether the bound of a scheme counts bytes and not cells. */
bool planner_counts_bytes(const struct plan_scheme *);
/* Adds "too little by 5.3 KB". */
void planner_add_lack(const struct plan_gap *, struct weir_text *);
/* "-5 KB". */
void planner_add_margin(uint64_t needs_bytes, uint64_t has_bytes, struct weir_text *);
void planner_add_link(const struct plan_kind *, struct weir_text *); /* "100 Gb/s, 5 m". */
void planner_add_kind(const struct plan *, const struct plan_kind *, struct weir_text *);
void planner_add_fits(const struct plan *, const struct plan_scheme *, struct weir_text *);
const char *planner_formula(const struct plan_scheme *); /* "802.1Q". */

/* Adds all warnings: broken headroom first, losses in the simulation last. Returns their number. */
size_t planner_add_warnings(const struct planner_shown *,
                            struct weir_text said[PLANNER_MAX_WARNINGS]);

/* Whether all configured headroom is enough; false if none is configured. */
bool planner_has_enough(const struct plan *);

/* Plan the switches of the request, and write the result. */
int planner_run(const struct planner_job *, struct err *);
int planner_cost(const struct planner_job *, struct err *);
int planner_matrix(const struct planner_job *, struct err *);
int planner_fabric(const struct planner_job *, struct err *);

/* Checks that all files may be written, before any file is changed. */
int planner_check_files(const struct plan *, const struct planner_job *, struct err *);
int planner_write_files(const struct plan *, const struct planner_job *, struct err *);
/* Writes a line with the names of the written files. */
void planner_name_files(const struct planner_job *);

#endif
