/* Studies: a scenario, and the settings that are varied.
 *
 *     base: ring.yaml                              the scenario, as seen from the study's folder
 *     over:
 *       engine: [pfc, cbfc, [gfc-buffer, ecn]]     an axis: values,
 *       run.seed: 1..1000                          or whole numbers, or both: [1..10, 77],
 *       scheme:                                    or named variants, each a map of settings
 *         dropping: {engine: pfc, switch.full: drop}
 *         stopping: {engine: pfc, switch.full: stop}
 *     stop: deadlock                               a run ends when it has one
 *     only: cyclic                                 leaves out runs whose network cannot deadlock,
 *                                                  or with `acyclic` those whose network can
 *     keep: summary                                keeps only one row for each run
 *     sample:                                      for a quick look, other values of some axes
 *       run.seed: [1, 7]
 *     measure:                                     further quantities, over a part of each run
 *       victim: {of: sent, flow: f1, from: 10ms, until: 20ms}
 *     claims:                                      claims of a paper about the study
 *       - {of: networks, engine: pfc, published: 32, source: Table 1}
 *       - {of: fct-max, scheme: stopping, against: dropping, workload: short, published: 0.2, ...}
 *
 *     struct scn_study study;
 *     if (!scn_study_read(&study, file, text, SCN_STUDY_WHOLE, NULL, NULL, &err)) ...
 *     for (uint64_t run = 0; run < study.n_runs; run++) {
 *         struct scn_sets sets = scn_study_sets(&study, run);  "engine=pfc", ...
 *         scn_sets_free(&sets);
 *     }
 *     scn_study_free(&study);
 *
 * The runs are the product of all axes, the last of which varies fastest, so the number of a run
 * determines its settings. */

#ifndef SCN_STUDY_H
#define SCN_STUDY_H

#include <stdint.h>
#include <stdio.h>

#include "answer/facts.h"
#include "scenario/scenario.h"

#define SCN_STUDY_MAX_RUNS UINT64_C(100000000)

/* One value of an axis, or a range of values. */
struct scn_study_item {
    const struct scn_node *node;     /* The node of the value, for errors. */
    char *text;                      /* The value or the name of a variant; null: the item is the
                                      * numbers from 'first' on. */
    const struct scn_node *settings; /* The settings of a variant; null: the item is no variant. */
    uint64_t first, n;
};

struct scn_study_axis {
    const char *key; /* The key as in --set; for variants: any name. */
    const struct scn_node *node;
    const struct scn_node *variants; /* All variants by name; null: the axis has values. */
    struct scn_study_item *items;
    size_t n_items, max_items;
    uint64_t n; /* The number of values of all items. */
};

/* Quantities of a study's own measures.  Some are sampled, for flows or for a port: a level, or a
 * counter.  Others are computed after the run from all flows that have ended. */
enum scn_quantity {
    SCN_OF_SENT,     /* The bytes of a flow that its NIC sends. */
    SCN_OF_RAW,      /* The bytes of a flow that its NIC sends, with the gaps between packets, as if
                      * all packets were full. */
    SCN_OF_RECEIVED, /* Bytes that reach their receiver, each counted once. */
    SCN_OF_LIMIT,    /* The rate to which an engine at its NIC limits a flow; else the rate of the
                        link. */
    SCN_OF_MESSAGES, /* Messages about a flow, such as CNMs, that its NIC has received. */
    SCN_OF_HELD,     /* Bytes of a flow at the input of a port. */
    SCN_OF_PAUSED,   /* The time for which a port may not send in class 0. */
    SCN_OF_RATE,     /* The rate at which a port may send in class 0; 0 while it is paused. */
    SCN_OF_CONTROL,  /* The time for which control frames of a port occupy its link. */
    SCN_OF_QUEUE,    /* Bytes of class 0 at the input of a port. */
    SCN_OF_OUTPUT,   /* Bytes of class 0 that wait in the output queue of a port. */
    SCN_OF_BUFFER,   /* Bytes at all inputs of the node that has the port. */
    SCN_OF_SLOWDOWN, /* The slowdown of flows that have ended. */
    SCN_OF_FCT,      /* The completion time of flows that have ended. */
    SCN_OF_FEEDBACK, /* For each port and interval: control frames as a share of its link. */
    SCN_N_QUANTITIES
};

/* The reduction of samples between two times, or of the flows that start between them. */
enum scn_as {
    SCN_AS_MEAN,  /* The mean of a level, or the rate of a counter. */
    SCN_AS_TOTAL, /* The increase of a counter. */
    SCN_AS_LEAST, /* The minimum of a level. */
    SCN_AS_MOST,
    SCN_AS_LASTS, /* The time for which a counter keeps rising, or a level is not below a bound. */
    SCN_N_AS_WORDS,
    SCN_AS_PERCENTILE = SCN_N_AS_WORDS, /* A percentile, such as "p95". */
};

/* The combination over several flows. */
enum scn_among {
    SCN_AMONG_MEAN,
    SCN_AMONG_SUM,
    SCN_AMONG_LEAST,
    SCN_AMONG_MOST,
    SCN_AMONG_SPREAD, /* The difference between the minimum and the maximum. */
    SCN_N_AMONG
};

extern const struct scn_quantity_about {
    const char *name;
    const char *mean_unit, *total_unit; /* The unit as in the results file; null: it is a level. */
    bool is_of_flows, is_of_port;       /* If both are set: a flow at a port. */
    bool is_of_ended; /* The quantity is of all ended flows of a workload or a size. */
    /* The quantity is of the whole run: percentiles over all ports and intervals. */
    bool is_of_run;
    bool may_be_received; /* In place of a port, it may be measured at the ports towards the hosts
                             of a workload. */
} scn_quantities[SCN_N_QUANTITIES];

enum { SCN_MAX_MEASURES = 64, SCN_MAX_MEASURED = 64 };

struct scn_study_measure {
    const char *name;
    const struct scn_node *node;
    enum scn_quantity of;
    enum scn_as as;
    enum scn_among among;
    uint32_t thousandths;                /* The rank of a percentile. */
    const struct scn_node *flows, *port; /* 'flows' has one flow or several. Either may be null. */
    const struct scn_node *workload;     /* The measure is of all flows of this workload; or
                                          * null. */
    uint64_t min_bytes, max_bytes;       /* The sizes of the ended flows, from 'min_bytes' to below
                                          * 'max_bytes'. */
    uint64_t dport;                      /* The destination port of the ended flows; UINT64_MAX: any
                                          * port. */
    weir_ps from_ps, until_ps;
    uint64_t under; /* The bound of a level that lasts. */
    size_t per;     /* The index of an earlier measure by which this one is divided; its own index:
                     * it is not divided. */
};

enum scn_study_only { SCN_ALL_NETWORKS, SCN_CYCLIC, SCN_ACYCLIC };
enum scn_study_part { SCN_STUDY_WHOLE, SCN_STUDY_SAMPLE };

/* All settings of a run, such as "engine=pfc". */
struct scn_sets {
    char **items;
    size_t n, max;
};

struct scn_study {
    char name[64];
    char *base; /* A path that can be opened. */
    struct scn_source *source;
    struct scn_node *root;                       /* The tree of the file, for the locations in
                                                  * errors. */
    const struct scn_node *sample, *claims_node; /* The nodes of the keys 'sample' and 'claims'; or
                                                  * null. */
    struct scn_study_axis *axes;
    size_t n_axes, max_axes;
    enum scn_study_only only;
    bool stops_at_deadlock;
    uint64_t n_runs;
    bool is_sample; /* The runs are a sample of those of the study. */
    struct scn_study_measure measures[SCN_MAX_MEASURES];
    size_t n_measures;
    struct scn_claim *claims;
    size_t n_claims, max_claims;
    struct scn_sets fixed; /* Settings of all runs, from a command. */
    struct scn_study_option **options;
    size_t n_options, max_options;
};

/* Options of a command. In 'over', "engine=pfc,cbfc" adds an axis or replaces its values. In
 * 'sets', "run.time=1ms" applies to all runs. */
struct scn_study_options {
    const char *const *over, *const *sets;
    size_t n_over, n_sets;
};

/* Statements of a paper that a study measures.  The claims made from them point to their words. */
struct scn_statements {
    const struct scn_node *const *items;
    size_t n;
};

/* Reads a study.  Statements, if not null, replace the claims of the study.  With options, if not
 * null, that have axes, the file may be a scenario. */
bool scn_study_read(struct scn_study *, const char *file, const char *text, enum scn_study_part,
                    const struct scn_statements *, const struct scn_study_options *, struct err *);
void scn_study_free(struct scn_study *);

/* Parts of reading a study: an axis from its values, a check that no two axes set the same key, and
 * the claims, which come last. */
bool scn_study_read_axis(struct scn_study_axis *, const struct scn_node *, struct err *);
bool scn_study_check_variants(const struct scn_study *, struct err *);
bool scn_study_read_claims(struct scn_study *, struct err *);
bool scn_study_take_statements(struct scn_study *, const struct scn_statements *, struct err *);

bool scn_study_add_options(struct scn_study *, const struct scn_study_options *, struct err *);
void scn_study_free_options(struct scn_study *);

/* Whether an axis sets the same value as a key. */
bool scn_study_axis_sets(const struct scn_study_axis *, const char *key);

bool scn_study_read_measures(struct scn_study *, const struct scn_node *, struct err *);

/* The flows or port that a measure reads; false: the scenario has no such flow or port. */
struct scn_study_subject {
    uint32_t port;
    uint32_t group; /* The group of the workload's flows; 0: all flows. */
    uint32_t flows[SCN_MAX_MEASURED];
    size_t n; /* The number of flows; 1 for other quantities. */
};

bool scn_find_flow(const struct scenario *, const struct scn_node *name, uint32_t *flow,
                   struct err *);
bool scn_study_bind(const struct scn_study_measure *, const struct scenario *,
                    struct scn_study_subject *, struct err *);

/* The units of measures and claims, in the form of the results file. */
const char *scn_measure_unit(const struct scn_study_measure *);
const char *scn_claim_unit(const struct scn_claim *);

/* The first function returns the quantity of a claim by its name in files; the second in words for
 * a table. */
const char *scn_claim_of(const struct scn_claim *);
const char *scn_claim_words(const struct scn_claim *);

/* Reads a value of a claim with this unit: "5Gbps", "3ms", "0.21%", "yes". */
bool scn_claim_read_value(const struct scn_node *, const char *word, const char *unit,
                          double *value, struct err *);

/* Reads a claim of a plan, which has no 'where' to be freed. */
bool scn_read_plan_claim(const struct scn_node *, struct scn_claim *, struct err *);

/* Reads a statement of a paper about a plan, which has no 'where' to be freed. */
bool scn_read_plan_statement(const struct scn_node *, struct scn_claim *, struct err *);

/* Lists the names of the quantities that claims of a scenario can have; returns their number. */
enum { SCN_MAX_CLAIM_NAMES = FACTS_MAX_CLAIMS + SCN_FACT };
size_t scn_claim_list_of(const char *names[SCN_MAX_CLAIM_NAMES]);

/* Finds a workload of a scenario, and sets the group of its flows, as in struct scn_flow. */
bool scn_find_workload(const struct scenario *, const struct scn_node *name, uint32_t *group,
                       struct err *);

/* Sets the claim's quantity by a word: a fact, or a number of networks.  Returns false if the word
 * is unknown. */
bool scn_claim_read_of(const char *word, bool is_of_workload, struct scn_claim *);

/* Whether a key has a meaning in claims, and so cannot name an axis. */
bool scn_study_is_claim_key(const char *name);

void scn_study_free_axis(struct scn_study_axis *);
void scn_study_free_claims(struct scn_study *);
void scn_study_write_axis(FILE *, const struct scn_study_axis *);

/* Writes a node as YAML on one line. */
void scn_study_write_node(FILE *, const struct scn_node *);

/* The axis with this key; null if the study does not vary it. */
const struct scn_study_axis *scn_study_axis(const struct scn_study *, const char *key);

/* The position of a run on an axis, and the run that differs from it only in that position. */
uint64_t scn_study_place(const struct scn_study *, uint64_t run, size_t axis);
uint64_t scn_study_moved(const struct scn_study *, uint64_t run, size_t axis, uint64_t place);

/* The value at a position of an axis, or the name of the variant; the caller frees it. */
char *scn_study_value_at(const struct scn_study_axis *, uint64_t place);

/* Finds the position of a value on an axis; false: the axis does not have the value. */
bool scn_study_find(const struct scn_study_axis *, const char *value, uint64_t *place);

/* The value of a run on an axis; the caller frees it. */
char *scn_study_value(const struct scn_study *, uint64_t run, size_t axis);

struct scn_sets scn_study_sets(const struct scn_study *, uint64_t run);
void scn_sets_free(struct scn_sets *);

/* The axes as text. Two studies of one scenario are equal if their texts are equal. */
char *scn_study_text(const struct scn_study *);

#endif
