/* Shows the flows of a run and the bytes that they received: a table of the first flows as text,
 * and all flows as JSON.
 */

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/json.h"
#include "cli/cli.h"
#include "cli/run.h"
#include "output/form-table.h"
#include "run/flow-row.h"

struct run_flow {
    struct rec_flow of;
    struct flow_texts texts;
    const char *workload;
    /* The rate to which engines limit the flow at the end; COLUMN_NO_COUNT: no limit. */
    uint64_t limit_bps;
    uint64_t n_messages; /* The number of messages that the flow's sender has received. */
};

/* The state of a flow at the end of the run. For an unfinished flow it is the goodput. */
static void
get_state(const void *row, const struct column *c, struct cell *cell)
{
    const struct rec_flow *flow = &((const struct run_flow *)row)->of;

    (void)c;
    if (flow->is_connection == 1) {
        cell_text(cell, "connection");
    } else if (flow->finished_ps >= 0) {
        cell_text(cell, "finished");
    } else if (flow->stopped_ps >= 0) {
        cell_text(cell, "stopped");
    } else if (flow->late_goodput_bps != COLUMN_NO_COUNT) {
        weir_text_add(cell_made(cell), "%r", flow->late_goodput_bps);
    }
}

#define AT(MEMBER) .offset = offsetof(struct run_flow, MEMBER)

/* The columns, with the names that results files have. Endless flows have a rate at the end of the
 * run, others a slowdown: their duration divided by that on an idle network. */
static const struct column columns[] = {
    { "id", COLUMN_COUNT, AT(of.id) },
    { "name", COLUMN_TEXT, AT(of.name), .head = "flow" },
    { "class", COLUMN_ID, AT(of.cls) },
    { "bytes", COLUMN_BYTES, AT(of.bytes) },
    { "start_ps", COLUMN_TIME, AT(of.start_ps) },
    { "finished_ps", COLUMN_TIME, AT(of.finished_ps) },
    { "fct_ps", COLUMN_TIME, AT(of.fct_ps) },
    { "ideal_ps", COLUMN_TIME, AT(of.ideal_ps) },
    { "slowdown", COLUMN_RATIO, AT(of.slowdown) },
    { "stopped_ps", COLUMN_TIME, AT(of.stopped_ps) },
    { "sent_bytes", COLUMN_BYTES, AT(of.sent_bytes) },
    { "retransmitted_bytes", COLUMN_BYTES, AT(of.retransmitted_bytes) },
    { "received_bytes", COLUMN_BYTES, AT(of.received_bytes), .head = "received" },
    { "goodput_bps", COLUMN_RATE, AT(of.goodput_bps), .head = "goodput", .unknown = "-" },
    { "late_goodput_bps", COLUMN_RATE, AT(of.late_goodput_bps) },
    { NULL, COLUMN_TEXT, .get = get_state, .head = "at the end", .is_right = true, .unknown = "-" },
    { NULL, COLUMN_RATIO, AT(of.slowdown), .head = "slowdown", .is_optional = true,
      .unknown = "-" },
    { "is_warm_up", COLUMN_YES, AT(of.is_warm_up) },
    { "workload_name", COLUMN_TEXT, AT(workload) },
    { "is_connection", COLUMN_YES, AT(of.is_connection) },
    { "limit_bps", COLUMN_RATE, AT(limit_bps), .head = "limit", .unknown = "none" },
    { "n_messages", COLUMN_COUNT, AT(n_messages), .head = "messages" },
    { 0 },
};

enum { N_COLUMNS = sizeof columns / sizeof *columns, N_OF_SENDER = 2 };

/* Makes the columns. The last ones are present only if engines of the run limit flows. */
static void
make_columns(const struct outcome *o, struct column made[N_COLUMNS])
{
    memcpy(made, columns, sizeof columns);
    if (!(model_limits(sim_model(o->sim)) & WEIR_LIMIT_FLOW)) {
        made[N_COLUMNS - 1 - N_OF_SENDER] = (struct column){ 0 };
    }
}

static void
fill(struct run_flow *row, const struct outcome *o, uint32_t flow)
{
    uint32_t group = scn_flow_at(&o->s, flow).group;

    row->of = flow_row_at_end(o, flow, &row->texts);
    row->workload = group ? o->s.workloads[group - 1].name : NULL;
    row->limit_bps = sim_flow_limit_bps(o->sim, flow);
    row->n_messages = sim_flow_n_heard(o->sim, flow);
}

static void
list_flows(const struct outcome *o, bool lists_connections)
{
    struct run_flow *rows = array_new(o->s.n_flows, sizeof *rows);
    struct column made[N_COLUMNS];
    size_t n = 0;

    make_columns(o, made);
    for (uint32_t i = 0; i < o->s.n_flows; i++) {
        if (lists_connections || scn_flow_at(&o->s, i).bytes != MODEL_MESSAGES) {
            fill(&rows[n++], o, i);
        }
    }
    form_table_show(stdout, &(struct form_table){ NULL, made, rows, n, sizeof *rows }, FORM_TEXT);
    free(rows);
}

/* Summarizes flows.  Endless flows have no completion times, so the slowest and the fastest goodput
 * are shown. */
static void
sum_up_flows(const struct outcome *o)
{
    const struct run_facts *f = &o->collected->facts;
    struct weir_text slowest, fastest;

    printf("flows          %llu; --flows lists them\n", (unsigned long long)f->n_flows);
    if (f->late_goodput_max_bps != COLUMN_NO_COUNT) {
        printf("endless flows  %llu; goodput in the second half of the run: %s to %s\n",
               (unsigned long long)f->n_endless, run_text(&slowest, "%r", f->late_goodput_min_bps),
               run_text(&fastest, "%r", f->late_goodput_max_bps));
    }
}

void
run_show_flows(const struct outcome *o, bool lists_all)
{
    if (!lists_all && !o->collected->facts.n_flows) {
        return;
    }
    printf("\n");
    if (lists_all || o->s.n_flows <= RUN_MAX_ROWS) {
        list_flows(o, lists_all);
    } else {
        sum_up_flows(o);
    }
}

void
run_write_flows(struct json *j, const struct outcome *o)
{
    struct column made[N_COLUMNS];
    struct run_flow row;

    make_columns(o, made);
    json_open(j, "flows", '[');
    for (uint32_t i = 0; i < o->s.n_flows; i++) {
        fill(&row, o, i);
        json_open(j, NULL, '{');
        columns_write_json(j, made, columns_count(made), &row);
        json_close(j, '}');
    }
    json_close(j, ']');
}
