/* The result of a run, for programs. */

#include <stdlib.h>
#include <string.h>

#include "base/json.h"
#include "cli/run.h"
#include "record/rows.h"
#include "run/collect.h"
#include "run/flow-row.h"
#include "run/signals.h"
#include "run/warnings.h"

static void
write_stuck(struct json *j, const struct outcome *o, const struct sim_stuck *q)
{
    static const char *const waits[] = { [SIM_WAITS_FOR_PACKETS] = "packets",
                                         [SIM_WAITS_FOR_PIPELINE] = "pipeline",
                                         [SIM_WAITS_FOR_OUTPUT] = "output" };

    json_open(j, NULL, '{');
    json_text(j, "node", run_node_name(o, q->port));
    json_text(j, "to", run_node_name(o, o->s.topo.ports[q->port].peer));
    json_number(j, "class", q->cls);
    json_text(j, "wait", waits[q->wait]);
    json_close(j, '}');
}

/* The cycle of queues that wait for each other, and the flows that have packets in it. */
static void
write_deadlock(struct json *j, const struct outcome *o)
{
    const struct sim_deadlock *d = &o->deadlock;
    char room[SCN_NAME_BYTES];

    json_open(j, "cycle", '[');
    for (uint32_t i = 0; i < d->n_cycle; i++) {
        json_text(j, NULL, run_node_name(o, d->cycle[i].port));
    }
    json_close(j, ']');
    json_open(j, "cycle_queues", '[');
    for (uint32_t i = 0; i < d->n_cycle; i++) {
        write_stuck(j, o, &d->cycle[i]);
    }
    json_close(j, ']');
    json_open(j, "cycle_flows", '[');
    for (uint32_t i = 0; i < d->n_flows; i++) {
        json_text(j, NULL, scn_flow_name(&o->s, d->flows[i], room));
    }
    json_close(j, ']');
}

static void
write_time(struct json *j, const char *key, weir_ps ps, bool is_known)
{
    columns_write_json(j, &(struct column){ .name = key, .kind = COLUMN_TIME }, 1,
                       &(weir_ps){ is_known ? ps : -1 });
}

static void
write_stormy(struct json *j, const struct outcome *o, const struct run_stormy *q)
{
    json_open(j, NULL, '{');
    json_text(j, "node", run_node_name(o, q->port));
    json_text(j, "to", run_node_name(o, o->s.topo.ports[q->port].peer));
    json_number(j, "class", q->cls);
    json_number(j, "n_storms", q->storms.n_storms);
    json_number(j, "n_restored", q->storms.n_restored);
    json_number(j, "n_dropped_watchdog", q->storms.n_dropped);
    write_time(j, "first_ps", q->storms.first_ps, true);
    write_time(j, "ended_ps", q->storms.ended_ps, q->storms.n_restored);
    json_close(j, '}');
}

static void
write_watchdog(struct json *j, const struct outcome *o)
{
    struct run_stormy *queues;
    size_t n = run_list_storms(o, &queues);

    json_open(j, "watchdog", '{');
    json_text(j, "action", scn_watchdog(&o->s));
    json_open(j, "queues", '[');
    for (size_t i = 0; i < n && i < RUN_MAX_ROWS; i++) {
        write_stormy(j, o, &queues[i]);
    }
    json_close(j, ']');
    json_close(j, '}');
    free(queues);
}

/* Values of a flow, by the names of its columns in results files. */
static const char *const flow_columns[] = { "id",
                                            "name",
                                            "class",
                                            "bytes",
                                            "start_ps",
                                            "finished_ps",
                                            "fct_ps",
                                            "ideal_ps",
                                            "slowdown",
                                            "stopped_ps",
                                            "sent_bytes",
                                            "retransmitted_bytes",
                                            "received_bytes",
                                            "goodput_bps",
                                            "late_goodput_bps",
                                            "is_warm_up" };

/* The rate that engines at the sender hold a flow to at the end, or null, and the messages that it
 * has received; only where engines do so. */
static void
write_sender(struct json *j, const struct sim *sim, uint32_t flow)
{
    uint64_t limit_bps = sim_flow_limit_bps(sim, flow);

    if (limit_bps == WEIR_UNLIMITED) {
        json_null(j, "limit_bps");
    } else {
        json_number(j, "limit_bps", limit_bps);
    }
    json_number(j, "n_messages", sim_flow_n_heard(sim, flow));
}

static void
write_flow(struct json *j, const struct outcome *o, uint32_t i)
{
    struct flow_texts texts;
    struct rec_flow row = flow_row_at_end(o, i, &texts);
    uint32_t group = scn_flow_at(&o->s, i).group;

    json_open(j, NULL, '{');
    for (size_t c = 0; c < sizeof flow_columns / sizeof *flow_columns; c++) {
        columns_write_json(j, rec_find_column(REC_FLOW, flow_columns[c]), 1, &row);
    }
    json_text(j, "workload_name", group ? o->s.workloads[group - 1].name : NULL);
    if (model_limits(sim_model(o->sim)) & WEIR_LIMIT_FLOW) {
        write_sender(j, o->sim, i);
    }
    json_close(j, '}');
}

static void
write_flows(struct json *j, const struct outcome *o)
{
    json_open(j, "flows", '[');
    for (uint32_t i = 0; i < o->s.n_flows; i++) {
        write_flow(j, o, i);
    }
    json_close(j, ']');
}

/* The gate that sends into a queue, or out of it. */
static void
write_gate(struct json *j, const struct model *model, const struct sim_gate_state *g)
{
    struct signal_counts counts = signals_of_gate(model, g);

    columns_write_json(j, signal_columns, SIGNAL_RATES, &counts);
    write_time(j, "paused_ps", g->paused_ps, peers_can_pause(model));
}

static void
write_queues(struct json *j, const char *key, const char *peer, const char *peak,
             const struct outcome *o, size_t (*list)(const struct outcome *, struct run_queue **))
{
    struct run_queue *queues;
    size_t n = list(o, &queues);

    json_open(j, key, '[');
    for (size_t i = 0; i < n; i++) {
        const struct run_queue *q = &queues[i];
        json_open(j, NULL, '{');
        json_text(j, "node", run_node_name(o, q->port));
        json_text(j, peer, run_node_name(o, o->s.topo.ports[q->port].peer));
        json_number(j, "class", q->cls);
        json_number(j, peak, q->peak_bytes);
        json_number(j, "mean_bytes", q->mean_bytes);
        json_number(j, "bytes", q->bytes);
        write_gate(j, sim_model(o->sim), &q->gate);
        json_close(j, '}');
    }
    json_close(j, ']');
    free(queues);
}

static void
write_said(struct json *j, const struct outcome *o)
{
    struct weir_text warnings[WARNINGS_MAX];
    size_t n = warnings_list(o, warnings);

    json_open(j, "violations", '[');
    for (size_t i = 0; i < o->n_violations; i++) {
        json_text(j, NULL, o->violations[i].what);
    }
    json_close(j, ']');
    json_open(j, "warnings", '[');
    for (size_t i = 0; i < n; i++) {
        json_text(j, NULL, warnings[i].s);
    }
    json_close(j, ']');
}

/* The counters of a lab, by node and name: {"S1": {"tau_p50_ps": ...}}. */
static void
write_counted(struct json *j, const struct outcome *o)
{
    if (!o->n_counted) {
        return;
    }
    json_open(j, "lab", '{');
    for (size_t i = 0; i < o->n_counted; i++) {
        const struct outcome_counted *c = &o->counted[i];
        const char *dot = strchr(c->name, '.');
        if (!i || c[-1].node != c->node) {
            json_open(j, o->s.topo.nodes[c->node].name, '{');
        }
        json_number(j, dot ? dot + 1 : c->name, c->value);
        if (i + 1 == o->n_counted || c[1].node != c->node) {
            json_close(j, '}');
        }
    }
    json_close(j, '}');
}

void
run_show_json(const struct outcome *o, const struct run_facts *facts,
              const struct completion_table *completion, const struct capture *c)
{
    struct json j = { .out = stdout, .lines = 2 };
    struct weir_text engines = { 0 }, arbitrations = { 0 };

    model_list_engines(sim_model(o->sim), &engines);
    model_list_arbitrations(sim_model(o->sim), &arbitrations);
    json_open(&j, NULL, '{');
    json_text(&j, "name", o->s.name);
    json_text(&j, "engines", engines.s);
    json_text(&j, "arbitration", arbitrations.s);
    json_text(&j, "host", o->host);
    json_number(&j, "seed", o->s.run.seed);
    json_text(&j, "status", o->is_stopped ? "stopped" : "complete");
    columns_write_json(&j, run_facts, N_RUN_FACTS, facts);
    write_deadlock(&j, o);
    write_watchdog(&j, o);
    run_write_silence(&j, o);
    write_flows(&j, o);
    completion_table_write(&j, completion);
    write_queues(&j, "queues", "from", run_facts[FACT_peak_input_queue_bytes].name, o,
                 run_list_queues);
    write_queues(&j, "outputs", "to", run_facts[FACT_peak_output_queue_bytes].name, o,
                 run_list_outputs);
    run_write_parameters(&j, o);
    write_counted(&j, o);
    write_said(&j, o);
    if (c) {
        json_number(&j, "n_captured", c->n_packets);
    }
    json_close(&j, '}');
}
