/* The tables of a results file, column by column. */

#include "record/rows.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"

/* A column that always has a value, and one that may be NULL: as schema.sql says. */
#define COLUMN(ROW, MEMBER, NAME, KIND)                                                            \
    {                                                                                              \
        NAME, KIND, offsetof(struct ROW, MEMBER), false                                            \
    }
#define MAYBE(ROW, MEMBER, NAME, KIND)                                                             \
    {                                                                                              \
        NAME, KIND, offsetof(struct ROW, MEMBER), true                                             \
    }
#define END                                                                                        \
    {                                                                                              \
        0                                                                                          \
    }

static const struct rec_column runs[] = {
    COLUMN(rec_run, id, "id", REC_NUMBER),
    COLUMN(rec_run, name, "name", REC_TEXT),
    COLUMN(rec_run, scenario, "scenario", REC_TEXT),
    COLUMN(rec_run, scenario_hash, "scenario_hash", REC_HASH),
    COLUMN(rec_run, seed, "seed", REC_NUMBER),
    COLUMN(rec_run, engines, "engines", REC_TEXT),
    COLUMN(rec_run, arbitration, "arbitration", REC_TEXT),
    COLUMN(rec_run, host, "host", REC_TEXT),
    COLUMN(rec_run, settings, "settings", REC_TEXT),
    COLUMN(rec_run, command_ns, "command_ns", REC_NUMBER),
    COLUMN(rec_run, place, "place", REC_NUMBER),
    COLUMN(rec_run, build, "build", REC_TEXT),
    COLUMN(rec_run, started_at, "started_at", REC_TEXT),
    COLUMN(rec_run, status, "status", REC_TEXT),
    MAYBE(rec_run, until_ps, "until_ps", REC_TIME),
    MAYBE(rec_run, wall_s, "wall_s", REC_REAL),
    MAYBE(rec_run, results_hash, "results_hash", REC_HASH),
    MAYBE(rec_run, n_hops, "n_hops", REC_NUMBER),
    END,
};

static const struct rec_column parameters[] = {
    COLUMN(rec_parameter, id, "id", REC_NUMBER),
    COLUMN(rec_parameter, section, "section", REC_TEXT),
    COLUMN(rec_parameter, key, "key", REC_TEXT),
    COLUMN(rec_parameter, value, "value", REC_TEXT),
    COLUMN(rec_parameter, origin, "origin", REC_TEXT),
    END,
};

static const struct rec_column engine_parameters[] = {
    COLUMN(rec_engine_parameter, id, "id", REC_NUMBER),
    COLUMN(rec_engine_parameter, role, "role", REC_TEXT),
    COLUMN(rec_engine_parameter, node, "node", REC_ID),
    COLUMN(rec_engine_parameter, n_nodes, "n_nodes", REC_ID),
    COLUMN(rec_engine_parameter, engine, "engine", REC_TEXT),
    COLUMN(rec_engine_parameter, key, "key", REC_TEXT),
    COLUMN(rec_engine_parameter, value, "value", REC_NUMBER),
    COLUMN(rec_engine_parameter, text, "text", REC_TEXT),
    END,
};

static const struct rec_column nodes[] = {
    COLUMN(rec_node, id, "id", REC_NUMBER),
    COLUMN(rec_node, name, "name", REC_TEXT),
    COLUMN(rec_node, kind, "kind", REC_TEXT),
    COLUMN(rec_node, role, "role", REC_TEXT),
    MAYBE(rec_node, part, "part", REC_ID),
    COLUMN(rec_node, number, "number", REC_ID),
    END,
};

static const struct rec_column ports[] = {
    COLUMN(rec_port, id, "id", REC_NUMBER),
    COLUMN(rec_port, node, "node", REC_ID),
    COLUMN(rec_port, number, "number", REC_ID),
    MAYBE(rec_port, peer, "peer", REC_ID),
    COLUMN(rec_port, rate_bps, "rate_bps", REC_NUMBER),
    COLUMN(rec_port, delay_ps, "delay_ps", REC_TIME),
    END,
};

static const struct rec_column flows[] = {
    COLUMN(rec_flow, id, "id", REC_NUMBER),
    COLUMN(rec_flow, name, "name", REC_TEXT),
    COLUMN(rec_flow, from, "from_node", REC_ID),
    COLUMN(rec_flow, to, "to_node", REC_ID),
    COLUMN(rec_flow, cls, "class", REC_ID),
    MAYBE(rec_flow, bytes, "bytes", REC_NUMBER),
    COLUMN(rec_flow, start_ps, "start_ps", REC_TIME),
    MAYBE(rec_flow, ideal_ps, "ideal_ps", REC_TIME),
    MAYBE(rec_flow, first_ps, "first_ps", REC_TIME),
    MAYBE(rec_flow, last_ps, "last_ps", REC_TIME),
    MAYBE(rec_flow, finished_ps, "finished_ps", REC_TIME),
    MAYBE(rec_flow, stopped_ps, "stopped_ps", REC_TIME),
    MAYBE(rec_flow, sent_bytes, "sent_bytes", REC_NUMBER),
    MAYBE(rec_flow, again_bytes, "again_bytes", REC_NUMBER),
    MAYBE(rec_flow, received_bytes, "received_bytes", REC_NUMBER),
    MAYBE(rec_flow, n_packets, "n_packets", REC_NUMBER),
    MAYBE(rec_flow, late_bps, "late_bps", REC_NUMBER),
    MAYBE(rec_flow, path, "path", REC_TEXT),
    MAYBE(rec_flow, dport, "dport", REC_ID),
    COLUMN(rec_flow, workload, "workload", REC_ID),
    MAYBE(rec_flow, is_warm_up, "is_warm_up", REC_NUMBER),
    COLUMN(rec_flow, header_bytes, "header_bytes", REC_NUMBER),
    END,
};

#define COMPLETION_COLUMNS                                                                         \
    COLUMN(rec_workload, name, "name", REC_TEXT),                                                  \
        COLUMN(rec_workload, n_flows, "n_flows", REC_NUMBER),                                      \
        COLUMN(rec_workload, n_ended, "n_ended", REC_NUMBER),                                      \
        COLUMN(rec_workload, n_unfinished, "n_unfinished", REC_NUMBER),                            \
        MAYBE(rec_workload, fct_mean_ps, "fct_mean_ps", REC_TIME),                                 \
        MAYBE(rec_workload, fct_p50_ps, "fct_p50_ps", REC_TIME),                                   \
        MAYBE(rec_workload, fct_p95_ps, "fct_p95_ps", REC_TIME),                                   \
        MAYBE(rec_workload, fct_p99_ps, "fct_p99_ps", REC_TIME),                                   \
        MAYBE(rec_workload, fct_max_ps, "fct_max_ps", REC_TIME),                                   \
        MAYBE(rec_workload, fct_max_at_least_ps, "fct_max_at_least_ps", REC_TIME),                 \
        MAYBE(rec_workload, slowdown_mean, "slowdown_mean", REC_REAL),                             \
        MAYBE(rec_workload, slowdown_p50, "slowdown_p50", REC_REAL),                               \
        MAYBE(rec_workload, slowdown_p95, "slowdown_p95", REC_REAL),                               \
        MAYBE(rec_workload, slowdown_p99, "slowdown_p99", REC_REAL),                               \
        MAYBE(rec_workload, slowdown_max, "slowdown_max", REC_REAL),                               \
        COLUMN(rec_workload, sent_bytes, "sent_bytes", REC_NUMBER),                                \
        COLUMN(rec_workload, again_bytes, "again_bytes", REC_NUMBER)

static const struct rec_column workloads[] = {
    COLUMN(rec_workload, id, "id", REC_NUMBER),
    COMPLETION_COLUMNS,
    END,
};

static const struct rec_column summary_workloads[] = {
    COLUMN(rec_workload, id, "id", REC_NUMBER),
    COLUMN(rec_workload, summary, "summary", REC_NUMBER),
    COLUMN(rec_workload, workload, "workload", REC_ID),
    COMPLETION_COLUMNS,
    END,
};

static const struct rec_column counters[] = {
    COLUMN(rec_counter, id, "id", REC_NUMBER),
    COLUMN(rec_counter, object, "object", REC_TEXT),
    MAYBE(rec_counter, object_id, "object_id", REC_ID),
    MAYBE(rec_counter, cls, "class", REC_ID),
    COLUMN(rec_counter, name, "name", REC_TEXT),
    COLUMN(rec_counter, value, "value", REC_NUMBER),
    END,
};

static const struct rec_column events[] = {
    COLUMN(rec_event, id, "id", REC_NUMBER),   COLUMN(rec_event, at_ps, "at_ps", REC_TIME),
    COLUMN(rec_event, kind, "kind", REC_TEXT), MAYBE(rec_event, node, "node", REC_ID),
    MAYBE(rec_event, port, "port", REC_ID),    MAYBE(rec_event, cls, "class", REC_ID),
    MAYBE(rec_event, flow, "flow", REC_ID),    MAYBE(rec_event, value, "value", REC_NUMBER),
    MAYBE(rec_event, text, "text", REC_TEXT),  END,
};

static const struct rec_column waits[] = {
    COLUMN(rec_wait, id, "id", REC_NUMBER),
    COLUMN(rec_wait, flow, "flow", REC_ID),
    COLUMN(rec_wait, port, "port", REC_ID),
    COLUMN(rec_wait, cls, "class", REC_ID),
    COLUMN(rec_wait, n_packets, "n_packets", REC_NUMBER),
    COLUMN(rec_wait, first_ps, "first_ps", REC_TIME),
    COLUMN(rec_wait, last_ps, "last_ps", REC_TIME),
    COLUMN(rec_wait, pause_ps, "pause_ps", REC_TIME),
    COLUMN(rec_wait, credit_ps, "credit_ps", REC_TIME),
    COLUMN(rec_wait, rate_ps, "rate_ps", REC_TIME),
    COLUMN(rec_wait, control_ps, "control_ps", REC_TIME),
    COLUMN(rec_wait, queue_ps, "queue_ps", REC_TIME),
    END,
};

static const struct rec_column violations[] = {
    COLUMN(rec_violation, id, "id", REC_NUMBER),
    MAYBE(rec_violation, at_ps, "at_ps", REC_TIME),
    COLUMN(rec_violation, what, "what", REC_TEXT),
    END,
};

static const struct rec_column series[] = {
    COLUMN(rec_series, id, "id", REC_NUMBER),
    COLUMN(rec_series, quantity, "quantity", REC_TEXT),
    COLUMN(rec_series, unit, "unit", REC_TEXT),
    COLUMN(rec_series, object, "object", REC_TEXT),
    MAYBE(rec_series, object_id, "object_id", REC_ID),
    MAYBE(rec_series, cls, "class", REC_ID),
    MAYBE(rec_series, flow, "flow", REC_ID),
    END,
};

static const struct rec_column blocks[] = {
    COLUMN(rec_block, id, "id", REC_NUMBER),
    COLUMN(rec_block, first_ps, "first_ps", REC_TIME),
    COLUMN(rec_block, last_ps, "last_ps", REC_TIME),
    COLUMN(rec_block, n_rows, "n_rows", REC_NUMBER),
    COLUMN(rec_block, bytes, "bytes", REC_BLOB),
    END,
};

static const struct rec_column sweeps[] = {
    COLUMN(rec_sweep, id, "id", REC_NUMBER),
    COLUMN(rec_sweep, name, "name", REC_TEXT),
    COLUMN(rec_sweep, study, "study", REC_TEXT),
    COLUMN(rec_sweep, hash, "hash", REC_HASH),
    COLUMN(rec_sweep, build, "build", REC_TEXT),
    COLUMN(rec_sweep, started_at, "started_at", REC_TEXT),
    COLUMN(rec_sweep, n_runs, "n_runs", REC_NUMBER),
    MAYBE(rec_sweep, units, "units", REC_TEXT),
    END,
};

static const struct rec_column summaries[] = {
    COLUMN(rec_summary, id, "id", REC_NUMBER),
    COLUMN(rec_summary, settings, "settings", REC_TEXT),
    COLUMN(rec_summary, status, "status", REC_TEXT),
    MAYBE(rec_summary, why, "why", REC_TEXT),
    MAYBE(rec_summary, until_ps, "until_ps", REC_TIME),
    MAYBE(rec_summary, deadlock_ps, "deadlock_ps", REC_TIME),
    MAYBE(rec_summary, n_flows, "n_flows", REC_NUMBER),
    MAYBE(rec_summary, n_finished, "n_finished", REC_NUMBER),
    MAYBE(rec_summary, n_collapsed, "n_collapsed", REC_NUMBER),
    MAYBE(rec_summary, n_dropped, "n_dropped", REC_NUMBER),
    MAYBE(rec_summary, n_expired, "n_expired", REC_NUMBER),
    MAYBE(rec_summary, n_no_route, "n_no_route", REC_NUMBER),
    MAYBE(rec_summary, n_flushed, "n_flushed", REC_NUMBER),
    MAYBE(rec_summary, n_storms, "n_storms", REC_NUMBER),
    MAYBE(rec_summary, n_restored, "n_restored", REC_NUMBER),
    MAYBE(rec_summary, n_discarded, "n_discarded", REC_NUMBER),
    MAYBE(rec_summary, sent_bytes, "sent_bytes", REC_NUMBER),
    MAYBE(rec_summary, again_bytes, "again_bytes", REC_NUMBER),
    MAYBE(rec_summary, n_pfc_pauses, "n_pfc_pauses", REC_NUMBER),
    MAYBE(rec_summary, n_fafc_pauses, "n_fafc_pauses", REC_NUMBER),
    MAYBE(rec_summary, n_link_start_waits, "n_link_start_waits", REC_NUMBER),
    MAYBE(rec_summary, n_rates, "n_rates", REC_NUMBER),
    MAYBE(rec_summary, n_marked, "n_marked", REC_NUMBER),
    MAYBE(rec_summary, n_cnps, "n_cnps", REC_NUMBER),
    MAYBE(rec_summary, paused_ps, "paused_ps", REC_TIME),
    MAYBE(rec_summary, most_paused_ps, "most_paused_ps", REC_TIME),
    MAYBE(rec_summary, most_paused_link, "most_paused_link", REC_TEXT),
    MAYBE(rec_summary, most_paused_class, "most_paused_class", REC_NUMBER),
    MAYBE(rec_summary, min_bps, "min_bps", REC_NUMBER),
    MAYBE(rec_summary, mean_bps, "mean_bps", REC_NUMBER),
    MAYBE(rec_summary, received_bps, "received_bps", REC_NUMBER),
    MAYBE(rec_summary, host_bps, "host_bps", REC_NUMBER),
    MAYBE(rec_summary, host_deviation_bps, "host_deviation_bps", REC_NUMBER),
    MAYBE(rec_summary, host_late_bps, "host_late_bps", REC_NUMBER),
    MAYBE(rec_summary, silent_share, "silent_share", REC_REAL),
    MAYBE(rec_summary, slowdown_mean, "slowdown_mean", REC_REAL),
    MAYBE(rec_summary, slowdown_p50, "slowdown_p50", REC_REAL),
    MAYBE(rec_summary, slowdown_p95, "slowdown_p95", REC_REAL),
    MAYBE(rec_summary, slowdown_p99, "slowdown_p99", REC_REAL),
    MAYBE(rec_summary, slowdown_max, "slowdown_max", REC_REAL),
    MAYBE(rec_summary, peak_input_queue_bytes, "peak_input_queue_bytes", REC_NUMBER),
    MAYBE(rec_summary, peak_output_queue_bytes, "peak_output_queue_bytes", REC_NUMBER),
    MAYBE(rec_summary, feedback_bps, "feedback_bps", REC_NUMBER),
    MAYBE(rec_summary, feedback_share, "feedback_share", REC_REAL),
    MAYBE(rec_summary, feedback_p99, "feedback_p99", REC_REAL),
    MAYBE(rec_summary, feedback_max, "feedback_max", REC_REAL),
    MAYBE(rec_summary, results_hash, "results_hash", REC_HASH),
    MAYBE(rec_summary, n_hops, "n_hops", REC_NUMBER),
    MAYBE(rec_summary, wall_s, "wall_s", REC_REAL),
    MAYBE(rec_summary, measures, "measures", REC_TEXT),
    END,
};

static const struct rec_column claims[] = {
    COLUMN(rec_claim, id, "id", REC_NUMBER),
    COLUMN(rec_claim, study, "study", REC_TEXT),
    COLUMN(rec_claim, scenario, "scenario", REC_TEXT),
    COLUMN(rec_claim, is_sample, "is_sample", REC_NUMBER),
    COLUMN(rec_claim, source, "source", REC_TEXT),
    COLUMN(rec_claim, engine, "engine", REC_TEXT),
    COLUMN(rec_claim, what, "what", REC_TEXT),
    COLUMN(rec_claim, unit, "unit", REC_TEXT),
    COLUMN(rec_claim, arbitration, "arbitration", REC_TEXT),
    COLUMN(rec_claim, sign, "sign", REC_TEXT),
    COLUMN(rec_claim, published, "published", REC_REAL),
    MAYBE(rec_claim, measured, "measured", REC_REAL),
    MAYBE(rec_claim, lowest, "lowest", REC_REAL),
    MAYBE(rec_claim, highest, "highest", REC_REAL),
    MAYBE(rec_claim, holds, "holds", REC_NUMBER),
    COLUMN(rec_claim, n_runs, "n_runs", REC_NUMBER),
    COLUMN(rec_claim, build, "build", REC_TEXT),
    END,
};

static const struct rec_column figures[] = {
    COLUMN(rec_figure, id, "id", REC_NUMBER),
    COLUMN(rec_figure, study, "study", REC_TEXT),
    COLUMN(rec_figure, name, "name", REC_TEXT),
    COLUMN(rec_figure, source, "source", REC_TEXT),
    COLUMN(rec_figure, title, "title", REC_TEXT),
    COLUMN(rec_figure, scenario, "scenario", REC_TEXT),
    COLUMN(rec_figure, quantity, "quantity", REC_TEXT),
    COLUMN(rec_figure, object, "object", REC_TEXT),
    COLUMN(rec_figure, subjects, "subjects", REC_TEXT),
    COLUMN(rec_figure, engines, "engines", REC_TEXT),
    COLUMN(rec_figure, by_setting, "by_setting", REC_TEXT),
    COLUMN(rec_figure, line_setting, "line_setting", REC_TEXT),
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

/* One byte more than asked for, a zero, so that nothing is no special case. */
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

    for (const struct rec_column *c = rec_tables[t].columns; c->name; c++) {
        const char **text = (const char **)(copy + c->offset);
        struct rec_bytes *bytes = (struct rec_bytes *)(copy + c->offset);
        if (c->kind == REC_TEXT && *text) {
            rows->n_bytes += strlen(*text);
            *text = copied(*text, strlen(*text));
        } else if (c->kind == REC_BLOB) {
            rows->n_bytes += bytes->n;
            bytes->at = copied(bytes->at, bytes->n);
        }
    }
}

static void
free_cells(const void *row, enum rec_table_id t)
{
    for (const struct rec_column *c = rec_tables[t].columns; c->name; c++) {
        const char *cell = (const char *)row + c->offset;
        if (c->kind == REC_TEXT) {
            free(*(char *const *)cell);
        } else if (c->kind == REC_BLOB) {
            free((void *)((const struct rec_bytes *)cell)->at);
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

/* How many bytes a value has in its row; texts and bytes are elsewhere. */
static const size_t sizes[] = {
    [REC_NUMBER] = sizeof(uint64_t),
    [REC_ID] = sizeof(uint32_t),
    [REC_TIME] = sizeof(weir_ps),
    [REC_HASH] = sizeof(uint64_t),
    [REC_REAL] = sizeof(double),
    [REC_TEXT] = 0,
    [REC_BLOB] = 0,
};

static bool
is_same_cell(const struct rec_column *c, const char *a, const char *b)
{
    if (c->kind == REC_BLOB) {
        const struct rec_bytes *x = (const void *)a, *y = (const void *)b;
        return x->n == y->n && !memcmp(x->at, y->at, x->n);
    }
    if (c->kind == REC_TEXT) {
        const char *x = *(const char *const *)a, *y = *(const char *const *)b;
        return !strcmp(x ? x : "", y ? y : "");
    }
    return !memcmp(a, b, sizes[c->kind]);
}

bool
rec_row_is_same(enum rec_table_id t, const void *a, const void *b)
{
    const struct rec_column *c = rec_tables[t].columns;

    while (c->name && is_same_cell(c, (const char *)a + c->offset, (const char *)b + c->offset)) {
        c++;
    }
    return !c->name;
}

bool
rec_cell_number(const struct rec_column *c, const void *row, uint64_t *number)
{
    const char *cell = (const char *)row + c->offset;

    if (c->kind == REC_ID) {
        *number = *(const uint32_t *)cell;
        return *number != REC_NO_ID;
    }
    *number = *(const uint64_t *)cell;
    return c->kind == REC_TIME ? *number <= INT64_MAX : *number != REC_NONE;
}

const char *
rec_cell_text(const struct rec_column *c, const void *row, char room[REC_CELL_BYTES])
{
    const char *cell = (const char *)row + c->offset;
    uint64_t number;

    room[0] = '\0';
    if (c->kind == REC_TEXT) {
        const char *text = *(const char *const *)cell;
        return text ? text : room;
    }
    if (c->kind == REC_REAL && *(const double *)cell >= 0) {
        snprintf(room, REC_CELL_BYTES, "%.6g", *(const double *)cell);
    }
    if (c->kind != REC_REAL && c->kind != REC_BLOB && rec_cell_number(c, row, &number)) {
        snprintf(room, REC_CELL_BYTES, c->kind == REC_HASH ? "%016" PRIx64 : "%" PRIu64, number);
    }
    return room;
}
