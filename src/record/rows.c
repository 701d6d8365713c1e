/* The tables of a results file, column by column. */

#include "record/rows.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/text.h"

/* Define a column that always has a value, and a column that may be NULL, as in schema.sql. */
#define COLUMN(ROW, MEMBER, NAME, KIND)                                                            \
    {                                                                                              \
        .name = NAME, .kind = KIND, .offset = offsetof(struct ROW, MEMBER)                         \
    }
#define MAYBE(ROW, MEMBER, NAME, KIND)                                                             \
    {                                                                                              \
        .name = NAME, .kind = KIND, .offset = offsetof(struct ROW, MEMBER), .is_optional = true    \
    }

static const struct column runs[] = {
    COLUMN(rec_run, id, "id", COLUMN_COUNT),
    COLUMN(rec_run, name, "name", COLUMN_TEXT),
    COLUMN(rec_run, scenario, "scenario", COLUMN_TEXT),
    COLUMN(rec_run, scenario_hash, "scenario_hash", COLUMN_HASH),
    COLUMN(rec_run, seed, "seed", COLUMN_COUNT),
    COLUMN(rec_run, engines, "engines", COLUMN_TEXT),
    COLUMN(rec_run, arbitration, "arbitration", COLUMN_TEXT),
    COLUMN(rec_run, host, "host", COLUMN_TEXT),
    COLUMN(rec_run, settings, "settings", COLUMN_TEXT),
    COLUMN(rec_run, command_ns, "command_ns", COLUMN_COUNT),
    COLUMN(rec_run, place, "place", COLUMN_COUNT),
    COLUMN(rec_run, build, "build", COLUMN_TEXT),
    MAYBE(rec_run, wall_s, "wall_s", COLUMN_SECONDS),
    COLUMN(rec_run, started_at, "started_at", COLUMN_TEXT),
#define FACT(KIND, NAME, ...) MAYBE(rec_run, facts.NAME, #NAME, COLUMN_##KIND),
#include "answer/run-facts.def"
#undef FACT
    COLUMN(rec_run, status, "status", COLUMN_TEXT),
    { 0 },
};

static const struct column parameters[] = {
    COLUMN(rec_parameter, id, "id", COLUMN_COUNT),
    COLUMN(rec_parameter, section, "section", COLUMN_TEXT),
    COLUMN(rec_parameter, key, "key", COLUMN_TEXT),
    COLUMN(rec_parameter, value, "value", COLUMN_TEXT),
    COLUMN(rec_parameter, origin, "origin", COLUMN_TEXT),
    { 0 },
};

static const struct column engine_parameters[] = {
    COLUMN(rec_engine_parameter, id, "id", COLUMN_COUNT),
    COLUMN(rec_engine_parameter, role, "role", COLUMN_TEXT),
    COLUMN(rec_engine_parameter, node, "node", COLUMN_ID),
    COLUMN(rec_engine_parameter, n_nodes, "n_nodes", COLUMN_ID),
    COLUMN(rec_engine_parameter, engine, "engine", COLUMN_TEXT),
    COLUMN(rec_engine_parameter, key, "key", COLUMN_TEXT),
    COLUMN(rec_engine_parameter, value, "value", COLUMN_COUNT),
    COLUMN(rec_engine_parameter, text, "text", COLUMN_TEXT),
    { 0 },
};

static const struct column nodes[] = {
    COLUMN(rec_node, id, "id", COLUMN_COUNT),
    COLUMN(rec_node, name, "name", COLUMN_TEXT),
    COLUMN(rec_node, kind, "kind", COLUMN_TEXT),
    COLUMN(rec_node, role, "role", COLUMN_TEXT),
    MAYBE(rec_node, part, "part", COLUMN_ID),
    COLUMN(rec_node, number, "number", COLUMN_ID),
    { 0 },
};

static const struct column ports[] = {
    COLUMN(rec_port, id, "id", COLUMN_COUNT),
    COLUMN(rec_port, node, "node", COLUMN_ID),
    COLUMN(rec_port, number, "number", COLUMN_ID),
    MAYBE(rec_port, peer, "peer", COLUMN_ID),
    COLUMN(rec_port, rate_bps, "rate_bps", COLUMN_COUNT),
    COLUMN(rec_port, delay_ps, "delay_ps", COLUMN_TIME),
    MAYBE(rec_port, link, "link", COLUMN_TEXT),
    { 0 },
};

static const struct column flows[] = {
    COLUMN(rec_flow, id, "id", COLUMN_COUNT),
    COLUMN(rec_flow, name, "name", COLUMN_TEXT),
    COLUMN(rec_flow, from, "from_node", COLUMN_ID),
    COLUMN(rec_flow, to, "to_node", COLUMN_ID),
    COLUMN(rec_flow, cls, "class", COLUMN_ID),
    MAYBE(rec_flow, bytes, "bytes", COLUMN_COUNT),
    COLUMN(rec_flow, start_ps, "start_ps", COLUMN_TIME),
    MAYBE(rec_flow, ideal_ps, "ideal_ps", COLUMN_TIME),
    MAYBE(rec_flow, first_ps, "first_ps", COLUMN_TIME),
    MAYBE(rec_flow, last_ps, "last_ps", COLUMN_TIME),
    MAYBE(rec_flow, finished_ps, "finished_ps", COLUMN_TIME),
    MAYBE(rec_flow, stopped_ps, "stopped_ps", COLUMN_TIME),
    MAYBE(rec_flow, fct_ps, "fct_ps", COLUMN_TIME),
    MAYBE(rec_flow, slowdown, "slowdown", COLUMN_RATIO),
    MAYBE(rec_flow, sent_bytes, "sent_bytes", COLUMN_COUNT),
    MAYBE(rec_flow, retransmitted_bytes, "retransmitted_bytes", COLUMN_COUNT),
    MAYBE(rec_flow, received_bytes, "received_bytes", COLUMN_COUNT),
    MAYBE(rec_flow, n_packets, "n_packets", COLUMN_COUNT),
    MAYBE(rec_flow, goodput_bps, "goodput_bps", COLUMN_COUNT),
    MAYBE(rec_flow, late_goodput_bps, "late_goodput_bps", COLUMN_COUNT),
    MAYBE(rec_flow, path, "path", COLUMN_TEXT),
    MAYBE(rec_flow, dport, "dport", COLUMN_ID),
    COLUMN(rec_flow, workload, "workload", COLUMN_ID),
    MAYBE(rec_flow, is_warm_up, "is_warm_up", COLUMN_YES),
    MAYBE(rec_flow, is_connection, "is_connection", COLUMN_YES),
    COLUMN(rec_flow, header_bytes, "header_bytes", COLUMN_COUNT),
    { 0 },
};

/* Columns of facts of a workload. Counts of flows and bytes are always known. */
#define OF_WORKLOAD_COUNT(NAME) COLUMN(rec_workload, facts.NAME, #NAME, COLUMN_COUNT)
#define OF_WORKLOAD_BYTES(NAME) COLUMN(rec_workload, facts.NAME, #NAME, COLUMN_BYTES)
#define OF_WORKLOAD_RATE(NAME)  MAYBE(rec_workload, facts.NAME, #NAME, COLUMN_RATE)
#define OF_WORKLOAD_TIME(NAME)  MAYBE(rec_workload, facts.NAME, #NAME, COLUMN_TIME)
#define OF_WORKLOAD_RATIO(NAME) MAYBE(rec_workload, facts.NAME, #NAME, COLUMN_RATIO)

static const struct column workloads[] = {
    COLUMN(rec_workload, id, "id", COLUMN_COUNT),
    COLUMN(rec_workload, name, "name", COLUMN_TEXT),
#define FACT(KIND, NAME, ...) OF_WORKLOAD_##KIND(NAME),
#include "answer/workload-facts.def"
    { 0 },
};

static const struct column summary_workloads[] = {
    COLUMN(rec_workload, id, "id", COLUMN_COUNT),
    COLUMN(rec_workload, summary, "summary", COLUMN_COUNT),
    COLUMN(rec_workload, workload, "workload", COLUMN_ID),
    COLUMN(rec_workload, name, "name", COLUMN_TEXT),
#include "answer/workload-facts.def"
#undef FACT
    { 0 },
};

static const struct column counters[] = {
    COLUMN(rec_counter, id, "id", COLUMN_COUNT),
    COLUMN(rec_counter, object, "object", COLUMN_TEXT),
    MAYBE(rec_counter, object_id, "object_id", COLUMN_ID),
    MAYBE(rec_counter, cls, "class", COLUMN_ID),
    COLUMN(rec_counter, name, "name", COLUMN_TEXT),
    COLUMN(rec_counter, value, "value", COLUMN_COUNT),
    { 0 },
};

static const struct column events[] = {
    COLUMN(rec_event, id, "id", COLUMN_COUNT),    COLUMN(rec_event, at_ps, "at_ps", COLUMN_TIME),
    COLUMN(rec_event, kind, "kind", COLUMN_TEXT), MAYBE(rec_event, node, "node", COLUMN_ID),
    MAYBE(rec_event, port, "port", COLUMN_ID),    MAYBE(rec_event, cls, "class", COLUMN_ID),
    MAYBE(rec_event, flow, "flow", COLUMN_ID),    MAYBE(rec_event, value, "value", COLUMN_COUNT),
    MAYBE(rec_event, text, "text", COLUMN_TEXT),  { 0 },
};

static const struct column waits[] = {
    COLUMN(rec_wait, id, "id", COLUMN_COUNT),
    COLUMN(rec_wait, flow, "flow", COLUMN_ID),
    COLUMN(rec_wait, port, "port", COLUMN_ID),
    COLUMN(rec_wait, cls, "class", COLUMN_ID),
    COLUMN(rec_wait, n_packets, "n_packets", COLUMN_COUNT),
    COLUMN(rec_wait, first_ps, "first_ps", COLUMN_TIME),
    COLUMN(rec_wait, last_ps, "last_ps", COLUMN_TIME),
    COLUMN(rec_wait, pause_ps, "pause_ps", COLUMN_TIME),
    COLUMN(rec_wait, credit_ps, "credit_ps", COLUMN_TIME),
    COLUMN(rec_wait, rate_ps, "rate_ps", COLUMN_TIME),
    COLUMN(rec_wait, control_ps, "control_ps", COLUMN_TIME),
    COLUMN(rec_wait, queue_ps, "queue_ps", COLUMN_TIME),
    { 0 },
};

static const struct column violations[] = {
    COLUMN(rec_violation, id, "id", COLUMN_COUNT),
    MAYBE(rec_violation, at_ps, "at_ps", COLUMN_TIME),
    COLUMN(rec_violation, what, "what", COLUMN_TEXT),
    { 0 },
};

static const struct column series[] = {
    COLUMN(rec_series, id, "id", COLUMN_COUNT),
    COLUMN(rec_series, quantity, "quantity", COLUMN_TEXT),
    COLUMN(rec_series, unit, "unit", COLUMN_TEXT),
    COLUMN(rec_series, object, "object", COLUMN_TEXT),
    MAYBE(rec_series, object_id, "object_id", COLUMN_ID),
    MAYBE(rec_series, cls, "class", COLUMN_ID),
    MAYBE(rec_series, flow, "flow", COLUMN_ID),
    { 0 },
};

static const struct column blocks[] = {
    COLUMN(rec_block, id, "id", COLUMN_COUNT),
    COLUMN(rec_block, first_ps, "first_ps", COLUMN_TIME),
    COLUMN(rec_block, last_ps, "last_ps", COLUMN_TIME),
    COLUMN(rec_block, n_rows, "n_rows", COLUMN_COUNT),
    COLUMN(rec_block, bytes, "bytes", COLUMN_BLOB),
    { 0 },
};

static const struct column sweeps[] = {
    COLUMN(rec_sweep, id, "id", COLUMN_COUNT),
    COLUMN(rec_sweep, name, "name", COLUMN_TEXT),
    COLUMN(rec_sweep, study, "study", COLUMN_TEXT),
    COLUMN(rec_sweep, hash, "hash", COLUMN_HASH),
    COLUMN(rec_sweep, build, "build", COLUMN_TEXT),
    COLUMN(rec_sweep, started_at, "started_at", COLUMN_TEXT),
    COLUMN(rec_sweep, n_runs, "n_runs", COLUMN_COUNT),
    MAYBE(rec_sweep, units, "units", COLUMN_TEXT),
    { 0 },
};

static const struct column summaries[] = {
    COLUMN(rec_summary, id, "id", COLUMN_COUNT),
    COLUMN(rec_summary, settings, "settings", COLUMN_TEXT),
    COLUMN(rec_summary, status, "status", COLUMN_TEXT),
    MAYBE(rec_summary, why, "why", COLUMN_TEXT),
    MAYBE(rec_summary, wall_s, "wall_s", COLUMN_SECONDS),
#define FACT(KIND, NAME, ...) MAYBE(rec_summary, facts.NAME, #NAME, COLUMN_##KIND),
#include "answer/run-facts.def"
#undef FACT
    MAYBE(rec_summary, measures, "measures", COLUMN_TEXT),
    { 0 },
};

static const struct column statements[] = {
    COLUMN(rec_statement, id, "id", COLUMN_COUNT),
    COLUMN(rec_statement, study, "study", COLUMN_TEXT),
    MAYBE(rec_statement, paper, "paper", COLUMN_TEXT),
    COLUMN(rec_statement, name, "name", COLUMN_TEXT),
    COLUMN(rec_statement, source, "source", COLUMN_TEXT),
    COLUMN(rec_statement, says, "says", COLUMN_TEXT),
    COLUMN(rec_statement, in, "in_file", COLUMN_TEXT),
    COLUMN(rec_statement, engine, "engine", COLUMN_TEXT),
    COLUMN(rec_statement, what, "what", COLUMN_TEXT),
    COLUMN(rec_statement, metric, "metric", COLUMN_TEXT),
    COLUMN(rec_statement, runs, "runs", COLUMN_TEXT),
    COLUMN(rec_statement, against, "against", COLUMN_TEXT),
    COLUMN(rec_statement, unit, "unit", COLUMN_TEXT),
    COLUMN(rec_statement, sign, "sign", COLUMN_TEXT),
    MAYBE(rec_statement, published, "published", COLUMN_RATIO),
    MAYBE(rec_statement, measured, "measured", COLUMN_RATIO),
    MAYBE(rec_statement, lowest, "lowest", COLUMN_RATIO),
    MAYBE(rec_statement, highest, "highest", COLUMN_RATIO),
    COLUMN(rec_statement, n_runs, "n_runs", COLUMN_COUNT),
    COLUMN(rec_statement, is_sample, "is_sample", COLUMN_COUNT),
    COLUMN(rec_statement, verdict, "verdict", COLUMN_TEXT),
    COLUMN(rec_statement, why, "why", COLUMN_TEXT),
    COLUMN(rec_statement, build, "build", COLUMN_TEXT),
    { 0 },
};

static const struct column claims[] = {
    COLUMN(rec_claim, id, "id", COLUMN_COUNT),
    COLUMN(rec_claim, study, "study", COLUMN_TEXT),
    COLUMN(rec_claim, scenario, "scenario", COLUMN_TEXT),
    COLUMN(rec_claim, is_sample, "is_sample", COLUMN_COUNT),
    COLUMN(rec_claim, source, "source", COLUMN_TEXT),
    COLUMN(rec_claim, engine, "engine", COLUMN_TEXT),
    COLUMN(rec_claim, what, "what", COLUMN_TEXT),
    COLUMN(rec_claim, unit, "unit", COLUMN_TEXT),
    COLUMN(rec_claim, arbitration, "arbitration", COLUMN_TEXT),
    COLUMN(rec_claim, sign, "sign", COLUMN_TEXT),
    COLUMN(rec_claim, published, "published", COLUMN_RATIO),
    MAYBE(rec_claim, measured, "measured", COLUMN_RATIO),
    MAYBE(rec_claim, lowest, "lowest", COLUMN_RATIO),
    MAYBE(rec_claim, highest, "highest", COLUMN_RATIO),
    MAYBE(rec_claim, holds, "holds", COLUMN_COUNT),
    COLUMN(rec_claim, n_runs, "n_runs", COLUMN_COUNT),
    COLUMN(rec_claim, build, "build", COLUMN_TEXT),
    { 0 },
};

static const struct column figures[] = {
    COLUMN(rec_figure, id, "id", COLUMN_COUNT),
    COLUMN(rec_figure, study, "study", COLUMN_TEXT),
    COLUMN(rec_figure, name, "name", COLUMN_TEXT),
    COLUMN(rec_figure, source, "source", COLUMN_TEXT),
    COLUMN(rec_figure, title, "title", COLUMN_TEXT),
    COLUMN(rec_figure, scenario, "scenario", COLUMN_TEXT),
    COLUMN(rec_figure, quantity, "quantity", COLUMN_TEXT),
    COLUMN(rec_figure, object, "object", COLUMN_TEXT),
    COLUMN(rec_figure, drawn, "drawn", COLUMN_TEXT),
    COLUMN(rec_figure, subjects, "subjects", COLUMN_TEXT),
    COLUMN(rec_figure, by_setting, "by_setting", COLUMN_TEXT),
    COLUMN(rec_figure, line_setting, "line_setting", COLUMN_TEXT),
    COLUMN(rec_figure, panel_setting, "panel_setting", COLUMN_TEXT),
    COLUMN(rec_figure, filters, "filters", COLUMN_TEXT),
    COLUMN(rec_figure, published, "published", COLUMN_TEXT),
    COLUMN(rec_figure, relative, "relative", COLUMN_TEXT),
    COLUMN(rec_figure, draw, "draw", COLUMN_TEXT),
    COLUMN(rec_figure, x_title, "x_title", COLUMN_TEXT),
    COLUMN(rec_figure, y_title, "y_title", COLUMN_TEXT),
    { 0 },
};

const struct rec_table rec_tables[REC_N_TABLES] = {
    [REC_RUN] = { "run", sizeof(struct rec_run), runs, NULL },
    [REC_PARAMETER] = { "parameter", sizeof(struct rec_parameter), parameters, "run" },
    [REC_ENGINE_PARAMETER] = { "engine_parameter", sizeof(struct rec_engine_parameter),
                               engine_parameters, "run" },
    [REC_NODE] = { "node", sizeof(struct rec_node), nodes, "run" },
    [REC_PORT] = { "port", sizeof(struct rec_port), ports, "run" },
    [REC_FLOW] = { "flow", sizeof(struct rec_flow), flows, "run" },
    [REC_WORKLOAD] = { "workload", sizeof(struct rec_workload), workloads, "run" },
    [REC_COUNTER] = { "counter", sizeof(struct rec_counter), counters, "run" },
    [REC_EVENT] = { "event", sizeof(struct rec_event), events, "run" },
    [REC_WAIT] = { "wait", sizeof(struct rec_wait), waits, "run" },
    [REC_VIOLATION] = { "violation", sizeof(struct rec_violation), violations, "run" },
    [REC_SERIES] = { "series", sizeof(struct rec_series), series, "run" },
    [REC_BLOCK] = { "block", sizeof(struct rec_block), blocks, "run" },
    [REC_SWEEP] = { "sweep", sizeof(struct rec_sweep), sweeps, NULL },
    [REC_SUMMARY] = { "summary", sizeof(struct rec_summary), summaries, "sweep" },
    [REC_SUMMARY_WORKLOAD] = { "summary_workload", sizeof(struct rec_workload), summary_workloads,
                               "sweep" },
    [REC_STATEMENT] = { "statement", sizeof(struct rec_statement), statements, NULL },
    [REC_CLAIM] = { "claim", sizeof(struct rec_claim), claims, NULL },
    [REC_FIGURE] = { "figure", sizeof(struct rec_figure), figures, NULL },
};

/* Rows. */

void *
rec_rows_push(struct rec_rows *rows, enum rec_table_id t)
{
    size_t row_bytes = rec_tables[t].row_bytes;

    rows->items = array_room(rows->items, rows->n, &rows->max, row_bytes);
    rows->n_bytes += row_bytes;
    return memset((char *)rows->items + rows->n++ * row_bytes, 0, row_bytes);
}

/* Copies bytes and appends a zero, so that 0 bytes need no special case. */
static void *
copied(const void *from, size_t n)
{
    char *copy = array_new(n + 1, 1);

    return n ? memcpy(copy, from, n) : copy;
}

void
rec_rows_copy(struct rec_rows *rows, enum rec_table_id t, const void *row)
{
    char *copy = memcpy(rec_rows_push(rows, t), row, rec_tables[t].row_bytes);

    for (const struct column *c = rec_tables[t].columns; c->name; c++) {
        const char **text = (const char **)(copy + c->offset);
        struct column_blob *bytes = (struct column_blob *)(copy + c->offset);
        if (c->kind == COLUMN_TEXT && *text) {
            rows->n_bytes += strlen(*text);
            *text = copied(*text, strlen(*text));
        } else if (c->kind == COLUMN_BLOB) {
            rows->n_bytes += bytes->n;
            bytes->at = copied(bytes->at, bytes->n);
        }
    }
}

static void
free_cells(const void *row, enum rec_table_id t)
{
    for (const struct column *c = rec_tables[t].columns; c->name; c++) {
        const char *cell = (const char *)row + c->offset;
        if (c->kind == COLUMN_TEXT) {
            free(*(char *const *)cell);
        } else if (c->kind == COLUMN_BLOB) {
            free((void *)((const struct column_blob *)cell)->at);
        }
    }
}

void
rec_rows_pop(struct rec_rows *rows, enum rec_table_id t)
{
    free_cells(rec_row(rows, t, --rows->n), t);
}

void
rec_rows_free(struct rec_rows *rows, enum rec_table_id t)
{
    for (size_t i = 0; i < rows->n; i++) {
        free_cells(rec_row(rows, t, i), t);
    }
    free(rows->items);
    *rows = (struct rec_rows){ 0 };
}

void
rec_rows_free_all(struct rec_rows rows[REC_N_TABLES])
{
    for (enum rec_table_id t = 0; t < REC_N_TABLES; t++) {
        rec_rows_free(&rows[t], t);
    }
}

const struct column *
rec_find_column(enum rec_table_id t, const char *name)
{
    const struct column *c = rec_tables[t].columns;

    while (strcmp(c->name, name)) {
        c++;
    }
    return c;
}

bool
rec_only_grows(const char *quantity)
{
    return text_has_word("sent received paused messages", quantity);
}

static bool
is_same_cell(const struct column *c, const void *a, const void *b)
{
    struct cell x, y;

    column_read(c, a, &x);
    column_read(c, b, &y);
    if (c->kind == COLUMN_TEXT || c->kind == COLUMN_NAME) {
        return !strcmp(x.is_known ? x.text : "", y.is_known ? y.text : "");
    }
    return x.is_known == y.is_known && x.number == y.number && x.real == y.real;
}

bool
rec_row_is_same(enum rec_table_id t, const void *a, const void *b)
{
    const struct column *c = rec_tables[t].columns;

    while (c->name && is_same_cell(c, a, b)) {
        c++;
    }
    return !c->name;
}
