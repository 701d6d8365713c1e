/* What became of a run, for programs. */

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/json.h"
#include "cli/run.h"
#include "record/rows.h"
#include "run/backpressure-of.h"
#include "run/signals.h"
#include "run/warnings.h"

static double
seconds(weir_ps ps)
{
    return (double)ps / 1e12;
}

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

static void
write_deadlock(struct json *j, const struct outcome *o)
{
    const struct sim_deadlock *d = &o->deadlock;
    char room[SCN_NAME_BYTES];

    json_open(j, "deadlock", '{');
    json_bool(j, "found", d->found);
    if (d->found) {
        json_fixed(j, "at_s", seconds(d->formed_ps), 9);
    } else {
        json_null(j, "at_s");
    }
    json_open(j, "cycle", '[');
    for (uint32_t i = 0; i < d->n_cycle; i++) {
        json_text(j, NULL, run_node_name(o, d->cycle[i].port));
    }
    json_close(j, ']');
    json_open(j, "queues", '[');
    for (uint32_t i = 0; i < d->n_cycle; i++) {
        write_stuck(j, o, &d->cycle[i]);
    }
    json_close(j, ']');
    json_open(j, "flows", '[');
    for (uint32_t i = 0; i < d->n_flows; i++) {
        json_text(j, NULL, scn_flow_name(&o->s, d->flows[i], room));
    }
    json_close(j, ']');
    if (d->broken_ps) {
        json_fixed(j, "broken_s", seconds(d->broken_ps), 9);
    } else {
        json_null(j, "broken_s");
    }
    json_number(j, "formed", d->n_formed);
    json_bool(j, "stands", d->stands);
    json_close(j, '}');
}

static void
write_stormy(struct json *j, const struct outcome *o, const struct run_stormy *q)
{
    json_open(j, NULL, '{');
    json_text(j, "node", run_node_name(o, q->port));
    json_text(j, "to", run_node_name(o, o->s.topo.ports[q->port].peer));
    json_number(j, "class", q->cls);
    json_number(j, "storms", q->storms.n_storms);
    json_number(j, "restored", q->storms.n_restored);
    json_number(j, "dropped", q->storms.n_dropped);
    json_fixed(j, "first_s", seconds(q->storms.first_ps), 9);
    if (q->storms.n_restored) {
        json_fixed(j, "ended_s", seconds(q->storms.ended_ps), 9);
    } else {
        json_null(j, "ended_s");
    }
    json_close(j, '}');
}

static void
write_watchdog(struct json *j, const struct outcome *o)
{
    struct run_stormy *queues;
    size_t n = run_list_storms(o, &queues);

    json_open(j, "watchdog", '{');
    json_text(j, "action", scn_watchdog(&o->s));
    json_number(j, "storms", o->totals.n_storms);
    json_number(j, "restored", o->totals.n_restored);
    json_number(j, "dropped", o->totals.n_discarded);
    json_open(j, "queues", '[');
    for (size_t i = 0; i < n && i < RUN_MAX_ROWS; i++) {
        write_stormy(j, o, &queues[i]);
    }
    json_close(j, ']');
    json_close(j, '}');
    free(queues);
}

/* Of a flow that engines may hold back: the rate that they hold it to at the end, or null, and what
 * its sender has heard. */
static void
write_sender(struct json *j, const struct sim *sim, uint32_t flow)
{
    uint64_t limit_bps = sim_flow_limit_bps(sim, flow);

    if (limit_bps == WEIR_UNLIMITED) {
        json_null(j, "limit_bps");
    } else {
        json_number(j, "limit_bps", limit_bps);
    }
    json_number(j, "messages", sim_flow_n_heard(sim, flow));
}

static void
write_flow(struct json *j, const struct outcome *o, uint32_t i)
{
    struct sim_flow_result r = sim_flow_result(o->sim, i);
    double slowdown = outcome_flow_slowdown(o, i);
    char room[SCN_NAME_BYTES];

    json_open(j, NULL, '{');
    json_text(j, "name", scn_flow_name(&o->s, i, room));
    if (scn_flow_at(&o->s, i).group) {
        json_text(j, "workload", o->s.workloads[scn_flow_at(&o->s, i).group - 1].name);
    }
    json_bool(j, "is_warm_up", r.started_ps >= 0 && !outcome_flow_is_measured(o, i));
    json_number(j, "received_bytes", r.received_bytes);
    json_number(j, "sent_bytes", r.sent_bytes);
    json_number(j, "sent_again_bytes", r.again_bytes);
    json_number(j, "goodput_bps", outcome_flow_bps(o, i));
    json_number(j, "late_goodput_bps", sim_flow_late_bps(o->sim, i));
    if (model_limits(sim_model(o->sim)) & WEIR_LIMIT_FLOW) {
        write_sender(j, o->sim, i);
    }
    if (sim_flow_is_stopped(o->sim, i)) {
        json_fixed(j, "stopped_s", seconds((weir_ps)scn_flow_at(&o->s, i).stop_ps), 12);
    }
    if (slowdown > 0) {
        json_fixed(j, "fct_s", seconds(r.last_ps - r.started_ps), 12);
        json_fixed(j, "slowdown", slowdown, 4);
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
    if (peers_can_pause(model)) {
        json_fixed(j, "paused_s", seconds(g->paused_ps), 12);
    } else {
        json_null(j, "paused_s");
    }
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
write_counts(struct json *j, const struct outcome *o)
{
    struct signal_counts said = signals_of(o);
    struct backpressure pressure = backpressure_of(o);
    uint64_t of_bps;

    json_number(j, "feedback_bps", outcome_feedback_bps(o, &of_bps));
    json_number(j, "collapsed_flows", o->n_collapsed);
    json_number(j, "dropped", o->totals.n_dropped);
    json_number(j, "dropped_output", o->totals.n_overflowed);
    json_number(j, "lost", o->totals.n_lost);
    json_number(j, "flushed", o->totals.n_flushed);
    json_number(j, "expired", o->totals.n_expired);
    json_number(j, "no_route", o->totals.n_unroutable);
    json_number(j, "sent_bytes", o->totals.sent_bytes);
    json_number(j, "sent_again_bytes", o->totals.again_bytes);
    json_number(j, "out_of_order", o->totals.n_bad_order);
    columns_write_json(j, backpressure_columns, BACKPRESSURE_N_COLUMNS, &pressure);
    columns_write_json(j, signal_columns, N_SIGNALS, &said);
    json_number(j, "messages_sent", o->totals.n_messages_sent);
    json_number(j, "messages_heard", o->totals.n_messages_heard);
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

/* What a lab counts of each node, by name: {"S1": {"tau_p50_ps": ...}}. */
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
run_show_json(const struct outcome *o, const struct completion_table *completion,
              const struct capture *c)
{
    struct json j = { .out = stdout, .lines = 2 };
    char hash[24];

    snprintf(hash, sizeof hash, "%016" PRIx64, o->totals.hash);
    json_open(&j, NULL, '{');
    json_text(&j, "name", o->s.name);
    json_text(&j, "status", o->is_stopped ? "stopped" : "complete");
    json_text(&j, "arbitration", scn_arbitration(&o->s));
    json_text(&j, "host", o->host);
    json_number(&j, "seed", o->s.run.seed);
    json_fixed(&j, "time_s", seconds(sim_now(o->sim)), 9);
    json_text(&j, "hash", hash);
    write_deadlock(&j, o);
    write_watchdog(&j, o);
    run_write_silence(&j, o);
    write_flows(&j, o);
    completion_table_write(&j, completion);
    write_queues(&j, "queues", "from", backpressure_columns[BACKPRESSURE_PEAK_INPUT].name, o,
                 run_list_queues);
    write_queues(&j, "outputs", "to", backpressure_columns[BACKPRESSURE_PEAK_OUTPUT].name, o,
                 run_list_outputs);
    run_write_parameters(&j, o);
    write_counts(&j, o);
    write_counted(&j, o);
    write_said(&j, o);
    if (c) {
        json_number(&j, "captured", c->n_packets);
    }
    json_close(&j, '}');
}
