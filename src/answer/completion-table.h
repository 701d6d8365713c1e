/* Flow completion times of a run, as commands and the page show them: a row for all measured flows,
 * one for each workload, one for each bin of sizes; and the worst flows.
 *
 *     struct completion_table t;
 *     completion_table_fill(&t, &flows, names_of_workloads, n, edges, n_edges);
 *     t.worst[i].name = ...                       for each of t.n_worst, by its flow's id
 *     completion_table_write(&json, &t);
 *     completion_table_free(&t);
 *
 * The caller owns the names. */

#ifndef ANSWER_COMPLETION_TABLE_H
#define ANSWER_COMPLETION_TABLE_H

#include "answer/completion.h"

struct completion_row {
    /* The row's group: "all"; "workload" with its name; or "size". */
    const char *of, *name;
    /* The range of a bin of sizes. Both are COLUMN_NO_COUNT for other rows; for the last bin only
     * 'to_bytes' is. */
    uint64_t from_bytes, to_bytes;
    struct workload_facts facts;
};

struct completion_worst {
    /* The workload may be null; the state is "finished" or "unfinished". */
    const char *name, *workload, *state;
    const char *why; /* The flow's longest wait, as text; null: unknown. */
    uint64_t flow, bytes, retransmitted_bytes;
    /* Negative, like the slowdown: the flow has not finished. */
    weir_ps fct_ps, ideal_ps;
    /* The completion time so far, if the flow has not finished. */
    weir_ps fct_at_least_ps;
    /* 'slowdown_at_least': the slowdown so far, if the flow has not finished. */
    double slowdown, slowdown_at_least;
};

struct completion_table {
    /* The row of all flows, then those of workloads, then those of sizes. */
    struct completion_row *rows;
    size_t n_workloads, n_sizes; /* The row "all" counts as one of the workloads. */
    bool are_given;              /* The user gave the edges of sizes. */
    struct completion_worst worst[COMPLETION_MAX_WORST];
    size_t n_worst;
};

void completion_table_fill(struct completion_table *, const struct completion *,
                           const char *const *workloads, size_t n_workloads, const uint64_t *edges,
                           size_t n_edges);
void completion_table_free(struct completion_table *);

/* Writes the members "workloads", "sizes" and "worst" of an open object; each is a list. */
void completion_table_write(struct json *, const struct completion_table *);

/* Write a header row, and the rows for all flows, workloads and sizes. The cells 'front' are
 * written first in each row, and distinguish rows of several runs. */
void completion_table_write_names(FILE *, const char *const *front, size_t n_front);
void completion_table_write_csv(FILE *, const char *const *front, size_t n_front,
                                const struct completion_table *);

/* The columns of struct completion_worst; a column with neither name nor head ends them. */
extern const struct column completion_worst_columns[];

#endif
