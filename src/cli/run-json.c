/* Writes the result of a run as JSON, for programs. */

#include <string.h>

#include "base/json.h"
#include "cli/run.h"
#include "run/collect.h"
#include "run/warnings.h"

static void
write_stuck(struct json *j, const struct outcome *o, const struct sim_stuck *q)
{
    static const char *const waits[] = { [SIM_WAITS_FOR_PACKETS] = "packets",
                                         [SIM_WAITS_FOR_PIPELINE] = "pipeline",
                                         [SIM_WAITS_FOR_OUTPUT] = "output" };

    json_open(j, NULL, '{');
    run_place_write(j, o, q->port, q->cls);
    json_text(j, "wait", waits[q->wait]);
    json_close(j, '}');
}

/* Writes the cycle of queues that wait for each other, and the flows with packets in it. */
static void
write_deadlock(struct json *j, const struct outcome *o)
{
    const struct sim_deadlock *d = &o->deadlock;
    char room[SCN_NAME_BYTES], port[TOPO_PORT_BYTES];

    json_open(j, "cycle", '[');
    for (uint32_t i = 0; i < d->n_cycle; i++) {
        json_text(j, NULL, topo_port_text(&o->s.topo, d->cycle[i].port, port));
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

/* Writes the counters of a lab, by node and name: {"S1": {"tau_p50_ps": ...}}. */
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
    run_write_watchdog(&j, o);
    run_write_silence(&j, o);
    run_write_flows(&j, o);
    completion_table_write(&j, completion);
    run_write_queues(&j, o);
    run_write_parameters(&j, o);
    write_counted(&j, o);
    write_said(&j, o);
    if (c) {
        json_number(&j, "n_captured", c->n_packets);
    }
    json_close(&j, '}');
}
