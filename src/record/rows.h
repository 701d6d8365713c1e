/* The tables of a results file, as C structs.
 *
 * A row is a struct, and its table says which member is which column (base/columns.h).  Code that
 * writes, reads, copies or prints rows walks the columns, so a new column is a line here, in rows.c
 * and in schema.sql, which explains each.  Facts of a run are columns, too, and need only their
 * line in answer/run-facts.def.
 *
 * An unknown value is NULL in the file.  In memory an unknown number or hash is REC_NONE, an id or
 * class is REC_NO_ID, and a time is negative; a text is a null pointer for writing and "" after
 * reading.  A file stores numbers above 2^63 - 1 as 2^63 - 1. */

#ifndef RECORD_ROWS_H
#define RECORD_ROWS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "answer/facts.h"
#include "base/columns.h"
#include "weir/units.h"

#define REC_NONE  COLUMN_NO_COUNT
#define REC_NO_ID COLUMN_NO_ID

/* A caller's way to stop reading: the reader calls 'is_over' from time to time, and fails once it
 * returns true. If 'is_over' is null, reading never stops. */
struct rec_until {
    bool (*is_over)(void *arg);
    void *arg;
};

/* Every row begins with its id. */

struct rec_run {
    uint64_t id;
    const char *name, *scenario;
    uint64_t scenario_hash, seed;
    const char *engines, *arbitration, *host, *settings;
    uint64_t command_ns, place;
    const char *build, *started_at, *status;
    double wall_s;          /* Known when the run has ended. */
    struct run_facts facts; /* Known when the run has ended. */
};

struct rec_parameter {
    uint64_t id;
    const char *section, *key, *value, *origin;
};

struct rec_engine_parameter {
    uint64_t id;
    const char *role;
    uint32_t node, n_nodes;
    const char *engine, *key;
    uint64_t value;
    const char *text;
};

struct rec_node {
    uint64_t id;
    const char *name, *kind; /* 'kind': "switch" or "nic". */
    const char *role;
    uint32_t part, number;
};

struct rec_port {
    uint64_t id;
    uint32_t node, number, peer;
    uint64_t rate_bps;
    weir_ps delay_ps;
    const char *link; /* The name of the link; null: it has none. */
};

struct rec_flow {
    uint64_t id;
    const char *name;
    uint32_t from, to, cls;
    uint64_t bytes; /* The size; REC_NONE: the flow is endless. */
    weir_ps start_ps, ideal_ps;
    weir_ps first_ps, last_ps, finished_ps, stopped_ps;
    weir_ps fct_ps;
    double slowdown;
    uint64_t sent_bytes, retransmitted_bytes, received_bytes, n_packets;
    uint64_t goodput_bps, late_goodput_bps;
    const char *path;
    uint32_t dport, workload;
    uint64_t is_warm_up;
    uint64_t is_connection; /* 1: of a job; 0: it is a flow. */
    uint64_t header_bytes;  /* The part of 'bytes' that its flow file does not count. */
};

/* The facts of all measured flows of a run, or of those of one workload. The run may be a run of a
 * sweep. */
enum {
    REC_WORKLOADS_OF_RUN = 65
}; /* The maximum number of rows per run, from which ids of a sweep's rows are computed. */

struct rec_workload {
    uint64_t id;
    uint64_t summary; /* The run of the sweep; unused outside of sweeps. */
    uint32_t workload;
    const char *name;
    struct workload_facts facts;
};

struct rec_counter {
    uint64_t id;
    const char *object;
    uint32_t object_id, cls;
    const char *name;
    uint64_t value;
};

struct rec_event {
    uint64_t id;
    weir_ps at_ps;
    const char *kind;
    uint32_t node, port, cls, flow;
    uint64_t value;
    const char *text;
};

/* The waits of a flow at an output port on its path. */
struct rec_wait {
    uint64_t id;
    uint32_t flow, port, cls;
    uint64_t n_packets;
    weir_ps first_ps, last_ps;
    weir_ps pause_ps, credit_ps, rate_ps, control_ps, queue_ps;
};

struct rec_violation {
    uint64_t id;
    weir_ps at_ps;
    const char *what;
};

struct rec_series {
    uint64_t id;
    const char *quantity, *unit, *object;
    uint32_t object_id, cls, flow;
};

struct rec_block {
    uint64_t id;
    weir_ps first_ps, last_ps;
    uint64_t n_rows;
    struct column_blob bytes; /* A block in the format of series.h. */
};

struct rec_sweep {
    uint64_t id;
    const char *name, *study;
    uint64_t hash;
    const char *build, *started_at;
    uint64_t n_runs;
    const char *units;
};

struct rec_summary {
    uint64_t id;
    const char *settings, *status, *why, *measures;
    double wall_s;
    struct run_facts facts;
};

struct rec_claim {
    uint64_t id;
    const char *study, *scenario;
    uint64_t is_sample;
    const char *source, *engine, *what, *unit, *arbitration, *sign;
    double published, measured, lowest, highest;
    uint64_t holds, n_runs;
    const char *build;
};

struct rec_statement {
    uint64_t id;
    /* The name of the study, such as "gfc", and the title of the paper or "". */
    const char *study, *paper;
    const char *name, *source, *says, *in, *engine, *what, *metric, *runs, *against, *unit, *sign;
    double published, measured, lowest, highest;
    uint64_t n_runs, is_sample;
    const char *verdict, *why, *build;
};

struct rec_figure {
    uint64_t id;
    const char *study, *name, *source, *title, *scenario, *quantity, *object, *drawn, *subjects;
    const char *by_setting, *line_setting, *panel_setting, *filters, *published, *relative;
    const char *draw, *x_title, *y_title;
};

struct rec_table {
    const char *name;
    size_t row_bytes;
    const struct column *columns; /* Columns except that of the parent; ends with a null name. */
    const char *parent;           /* The owner of rows: "run" or "sweep"; null: the file. */
};

enum rec_table_id {
    REC_RUN,
    REC_PARAMETER,
    REC_ENGINE_PARAMETER,
    REC_NODE,
    REC_PORT,
    REC_FLOW,
    REC_WORKLOAD,
    REC_COUNTER,
    REC_EVENT,
    REC_WAIT,
    REC_VIOLATION,
    REC_SERIES,
    REC_BLOCK,
    REC_SWEEP,
    REC_SUMMARY,
    REC_SUMMARY_WORKLOAD,
    REC_STATEMENT,
    REC_CLAIM,
    REC_FIGURE,
    REC_N_TABLES
};

extern const struct rec_table rec_tables[REC_N_TABLES];

/* Rows of one table, with copies of their texts and bytes.  A zeroed struct has no rows. */
struct rec_rows {
    void *items;
    size_t n, max;
    size_t n_bytes; /* The size of the copies. */
};

/* Adds a zeroed row. */
void *rec_rows_push(struct rec_rows *, enum rec_table_id);
void rec_rows_pop(struct rec_rows *, enum rec_table_id); /* Removes the last row. */
void rec_rows_copy(struct rec_rows *, enum rec_table_id, const void *row);
void rec_rows_free(struct rec_rows *, enum rec_table_id);

/* Frees the rows of all tables. */
void rec_rows_free_all(struct rec_rows[REC_N_TABLES]);

/* Whether two rows have the same values. The table must have no BLOB columns. */
bool rec_row_is_same(enum rec_table_id, const void *, const void *);

/* Finds a column by its name; it must exist. */
const struct column *rec_find_column(enum rec_table_id, const char *name);

/* Whether a quantity of series only grows: a counter. */
bool rec_only_grows(const char *quantity);

static inline const void *
rec_row(const struct rec_rows *rows, enum rec_table_id t, size_t i)
{
    return (const char *)rows->items + i * rec_tables[t].row_bytes;
}

/* The row with this id; null if there is none, although the file may refer to it. */
static inline const void *
rec_row_at(const struct rec_rows *rows, enum rec_table_id t, uint64_t i)
{
    return i < rows->n ? rec_row(rows, t, (size_t)i) : NULL;
}

#endif
