/* Writes a run to a results file: parameters, network, samples, events, counters. */

#include "run/recorder.h"

#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/array.h"
#include "base/moment.h"
#include "base/safe-open.h"
#include "base/text.h"
#include "run/collect.h"
#include "run/flow-row.h"
#include "run/listing.h"
#include "run/recorded.h"
#include "run/sequencer.h"
#include "run/signals.h"
#include "topo/numbers.h"

/* Contents of the run. */

static bool
is_set_anew(const struct outcome_job *job, const char *setting)
{
    size_t len = strcspn(setting, "=\n") + 1;

    for (size_t i = 0; i < job->n_sets; i++) {
        if (!strncmp(job->sets[i], setting, len)) {
            return true;
        }
    }
    return false;
}

/* Writes the settings that a repeated run takes over from the recorded one, unless the user sets
 * them again. */
static void
write_inherited(FILE *out, const struct outcome_job *job)
{
    struct err err;
    char *before = NULL;

    if (recorded_is_name(job->file)) {
        recorded_read(job->file, RECORDED_SETTINGS, job->is_confined, &before, &err);
    }
    for (const char *at = before; at && *at;) {
        size_t len = strcspn(at, "\n");
        if (!is_set_anew(job, at)) {
            fprintf(out, "%.*s\n", (int)len, at);
        }
        at += len + (at[len] == '\n');
    }
    free(before);
}

/* The settings of a run as text, one per line. */
static char *
settings_text(const struct outcome_job *job)
{
    char *text = NULL;
    size_t len;
    FILE *out = open_memstream(&text, &len);

    write_inherited(out, job);
    for (size_t i = 0; i < job->n_sets; i++) {
        fprintf(out, "%s\n", job->sets[i]);
    }
    fclose(out);
    text[len - (len > 0)] = '\0';
    return text;
}

static bool
begin_run(struct recorder *k, const struct outcome_job *job, struct err *err)
{
    const struct scenario *s = &k->o->s;
    struct weir_text engines = { 0 }, arbitrations = { 0 };
    char *text = listing_text(s), *settings = settings_text(job), started[32];
    time_t now = time(NULL);
    struct tm utc;

    model_list_engines(sim_model(k->o->sim), &engines);
    model_list_arbitrations(sim_model(k->o->sim), &arbitrations);
    strftime(started, sizeof started, "%Y-%m-%dT%H:%M:%SZ", gmtime_r(&now, &utc));
    bool good = rec_begin(
        k->rec,
        &(struct rec_run){ .name = s->name,
                           .scenario = text,
                           .scenario_hash = text_hash(text),
                           .seed = s->run.seed,
                           .engines = engines.s,
                           .arbitration = arbitrations.s,
                           .host = k->o->host,
                           .settings = settings,
                           .command_ns = job->command_ns ? job->command_ns : moment_date_ns(),
                           .place = job->place,
                           .build = WEIR_VERSION,
                           .started_at = started },
        err);
    free(text);
    free(settings);
    return good;
}

/* Adds a parameter to the results file. The file remembers its first failure, so callers need not
 * stop. */
static void
add_parameter(void *arg, const struct scn_value *v)
{
    struct recorder *k = arg;
    char key[80];

    snprintf(key, sizeof key, v->n_items ? "%s.%zu" : "%s", v->key, v->item);
    rec_add_parameter(
        k->rec,
        &(struct rec_parameter){
            .section = v->section, .key = key, .value = v->text, .origin = v->origin },
        &k->err);
}

static uint32_t
count_nodes(const struct model *p, size_t engines)
{
    uint32_t n = 0;

    for (uint32_t id = 0; id < p->topo->n_nodes; id++) {
        n += p->nodes[id].engines == engines;
    }
    return n;
}

/* Adds the engine parameters of the nodes that share one set of engines. */
static void
add_engine_parameters(struct recorder *k, size_t engines)
{
    const struct model *p = sim_model(k->o->sim);
    const struct model_engines *e = &p->engines[engines];
    const struct weir_shape *shape = &e->shape;
    struct rec_engine_parameter row = { .role = model_role_at(p, e->first_node)->name,
                                        .node = e->first_node,
                                        .n_nodes = count_nodes(p, engines) };

    for (uint32_t i = 0; i < e->stack.n; i++) {
        const struct weir_engine *engine = e->stack.layers[i].engine;
        const struct weir_shape seen = weir_layer_shape(&e->stack, i, shape);
        for (const struct weir_field *f = engine->about.params; f && f->name; f++) {
            struct weir_text text = { 0 };
            row.engine = engine->about.name;
            row.key = f->name;
            row.value = weir_param_range(engine, &seen, f, e->stack.layers[i].params).least;
            weir_param_text(&text, engine, &seen, f, e->stack.layers[i].params);
            row.text = text.s;
            rec_add_engine_parameter(k->rec, &row, &k->err);
        }
    }
}

/* Records links that have failed for the whole run as down from the start. */
static void
add_failed_links(struct recorder *k)
{
    const struct topo *t = &k->o->s.topo;

    for (uint32_t i = 0; k->o->s.record.events && i < t->n_ports; i++) {
        if (t->links[t->ports[i].link].failed) {
            rec_add_event(k->rec,
                          &(struct rec_event){ .at_ps = 0,
                                               .kind = sim_note_kinds[SIM_NOTE_LINK_DOWN].name,
                                               .node = t->ports[i].node,
                                               .port = i,
                                               .cls = REC_NO_ID,
                                               .flow = REC_NO_ID,
                                               .value = 0 },
                          &k->err);
        }
    }
}

static void
add_network(struct recorder *k)
{
    const struct topo *t = &k->o->s.topo;
    bool has_numbers = topo_numbers_are_in_names(t);

    for (size_t i = 0; i < t->n_nodes; i++) {
        bool is_switch = t->nodes[i].kind == TOPO_SWITCH;
        rec_add_node(
            k->rec,
            &(struct rec_node){ .name = t->nodes[i].name,
                                .kind = is_switch ? "switch" : "nic",
                                .role = model_role_at(sim_model(k->o->sim), (uint32_t)i)->name,
                                .part = t->nodes[i].part,
                                .number = topo_number_of(t, (uint32_t)i, has_numbers) },
            &k->err);
    }
    for (size_t i = 0; i < t->n_ports; i++) {
        const struct topo_link *l = &t->links[t->ports[i].link];
        rec_add_port(k->rec,
                     &(struct rec_port){ .node = t->ports[i].node,
                                         .number = t->ports[i].number,
                                         .peer = t->ports[i].peer,
                                         .rate_bps = l->rate_bps,
                                         .delay_ps = l->delay_ps,
                                         .link = l->name },
                     &k->err);
    }
    for (size_t i = 0; i < k->o->s.n_flows; i++) {
        struct flow_texts room;
        struct rec_flow row = flow_row(k->o, i, &room);
        rec_add_flow(k->rec, &row, &k->err);
    }
}

/* Samples and notes during the run. */

enum { CLASS_BYTES = 4 };

/* The class at the output as text; null if packets keep their class. */
static const char *
output_class(const struct sim_note *note, char room[CLASS_BYTES])
{
    if (note->kind != SIM_NOTE_BLAME || note->output_cls == note->cls) {
        return NULL;
    }
    snprintf(room, CLASS_BYTES, "%u", note->output_cls);
    return room;
}

static void
write_notes(struct recorder *k, struct sim *sim)
{
    size_t n;
    const struct sim_note *notes = sim_take_notes(sim, &n);

    for (size_t i = 0; i < n; i++) {
        const struct sim_note *note = &notes[i];
        char room[CLASS_BYTES];
        rec_add_event(k->rec,
                      &(struct rec_event){ .at_ps = note->at_ps,
                                           .kind = sim_note_kinds[note->kind].name,
                                           .node = k->o->s.topo.ports[note->port].node,
                                           .port = note->port,
                                           .cls = note->cls,
                                           .flow = note->flow,
                                           .value = note->value,
                                           .text = output_class(note, room) },
                      &k->err);
    }
}

static void
take_sample(void *arg, struct sim *sim, weir_ps now)
{
    struct recorder *k = arg;

    weir_ps instant = recorder_fill_sample(k, now);
    write_notes(k, sim);
    recorder_deadlock(k);
    if (!rec_sample(k->rec, instant, k->values, &k->err)) {
        sim_stop(sim);
    }
}

static struct rec *
open_confined(const char *path, struct err *err)
{
    return safe_is_name(path, SAFE_RESULTS, err) ? rec_open_nofollow(path, err) : NULL;
}

/* Warns that no ports are sampled; otherwise the reason for empty plots would not be visible. */
static void
warn_of_ports(struct recorder *k)
{
    struct weir_text text = { 0 };

    if (k->o->s.record.lacks_ports) {
        weir_text_add(&text,
                      "the results file has no samples of ports: %u ports with a sample every %T "
                      "are too many for the default. Use record: {ports: all} or a longer "
                      "'every'.",
                      (uint64_t)k->o->s.topo.n_ports, k->o->s.record.every_ps);
        outcome_warn(k->o, text.s);
    }
}

/* Begins the run in the results file. Parallel runs get their numbers in the order of their
 * positions in the command. */
static bool
begin_run_in_turn(struct recorder *k, const struct outcome_job *job, struct err *err)
{
    if (job->sequencer) {
        sequencer_wait(job->sequencer, job->place);
    }
    bool good = begin_run(k, job, err);
    if (job->sequencer) {
        sequencer_end(job->sequencer, job->place);
    }
    return good;
}

bool
recorder_begin(struct recorder *k, const struct outcome_job *job, struct err *err)
{
    k->rec = job->is_confined ? open_confined(job->results, err) : rec_open(job->results, err);
    if (!k->rec) {
        return false;
    }
    if (!begin_run_in_turn(k, job, err)) {
        rec_close(k->rec, &k->err);
        return false;
    }
    scn_each_value(&k->o->s, add_parameter, k);
    k->has_watchdogs = model_asks_for_watchdog(sim_model(k->o->sim));
    k->has_messages = model_sends_messages(sim_model(k->o->sim));
    k->can_pause = peers_can_pause(sim_model(k->o->sim));
    for (enum signal_id i = 0; i < N_SIGNALS; i++) {
        k->has[i] = signal_is_possible(sim_model(k->o->sim), i);
    }
    for (size_t i = 0; i < sim_model(k->o->sim)->n_engines; i++) {
        add_engine_parameters(k, i);
    }
    add_network(k);
    add_failed_links(k);
    recorder_begin_samples(k);
    warn_of_ports(k);
    if (!rec_flush(k->rec, err)) {
        rec_close(k->rec, &k->err);
        recorder_end_samples(k);
        return false;
    }
    return true;
}

/* The objects whose samples are recorded. Before each sample, ranks send the values of these
 * objects only. */
static struct sim_sampled
sampled_of(const struct scn_record *r)
{
    struct sim_sampled_items ports = { .items = r->ports, .n = r->n_ports };

    return (struct sim_sampled){ .ports = ports,
                                 .slots = ports,
                                 .units = r->held ? ports : (struct sim_sampled_items){ 0 },
                                 .flows = { .is_all = r->flows } };
}

/* Recording for `why` includes all events needed to trace a pause to its root, regardless of other
 * choices. */
static uint32_t
notes_of(const struct scn_record *r)
{
    uint32_t blame = 1u << SIM_NOTE_BLAME,
             of_why = blame | 1u << SIM_NOTE_PAUSE | 1u << SIM_NOTE_RESUME | 1u << SIM_NOTE_RATE |
                      1u << SIM_NOTE_LINK_WAIT | 1u << SIM_NOTE_LINK_GO | 1u << SIM_NOTE_LINK_DOWN |
                      1u << SIM_NOTE_LINK_UP;

    return (r->events ? ((1u << SIM_N_NOTES) - 1) & ~blame : 0) | (r->why ? of_why : 0);
}

void
recorder_configure(struct recorder *k, struct outcome *o, struct sim_config *config)
{
    const struct scn_record *r = &o->s.record;

    *k = (struct recorder){ .o = o, .sampled = sampled_of(r) };
    config->sampled = &k->sampled;
    config->sample_ps = (weir_ps)r->every_ps;
    config->sample = take_sample;
    config->sample_arg = k;
    config->notes = notes_of(r);
    config->why = r->why;
}

static void
end_flows(struct recorder *k)
{
    for (uint32_t i = 0; i < k->o->s.n_flows; i++) {
        struct flow_texts texts;
        struct rec_flow row = flow_row_at_end(k->o, i, &texts);
        rec_set_flow(k->rec, &row, &k->err);
    }
}

static void
add_workloads(struct recorder *k, const struct collected *c)
{
    for (size_t i = 0; i < c->n_workloads; i++) {
        rec_add_workload(k->rec,
                         &(struct rec_workload){ .name = c->names[i], .facts = c->workloads[i] },
                         &k->err);
    }
}

static void
count(struct recorder *k, const char *object, uint32_t id, uint32_t cls, const char *name,
      uint64_t value)
{
    rec_add_counter(
        k->rec,
        &(struct rec_counter){
            .object = object, .object_id = id, .cls = cls, .name = name, .value = value },
        &k->err);
}

struct counter {
    const char *name;
    uint64_t value;
    bool is_kept;
};

static void
count_all(struct recorder *k, uint32_t port, uint32_t cls, const struct counter *counters, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        if (counters[i].is_kept) {
            count(k, "port", port, cls, counters[i].name, counters[i].value);
        }
    }
}

static void
count_class(struct recorder *k, uint32_t port, uint8_t cls)
{
    const struct sim *sim = k->o->sim;
    struct sim_gate_state g = sim_gate_state(sim, port, cls, sim_now(sim));

    struct sim_storms s = sim_storms(sim, port, cls);
    uint32_t node = k->o->s.topo.ports[port].node;
    bool is_switch = k->o->s.topo.nodes[node].kind == TOPO_SWITCH;
    const struct counter counters[] = {
        { "peak_input_queue_bytes", sim_queue_peak_bytes(sim, port, cls), true },
        { "peak_output_queue_bytes", sim_output_peak_bytes(sim, port, cls), is_switch },
        { signal_name(SIGNAL_PFC_PAUSES), g.n_pfc_pauses, k->has[SIGNAL_PFC_PAUSES] },
        { signal_name(SIGNAL_FAFC_PAUSES), g.n_fafc_pauses, k->has[SIGNAL_FAFC_PAUSES] },
        { signal_name(SIGNAL_LINK_WAITS), g.n_link_start_waits, k->has[SIGNAL_LINK_WAITS] },
        { "paused_ps", (uint64_t)g.paused_ps, k->can_pause },
        { signal_name(SIGNAL_RATES), g.n_rate_changes, k->has[SIGNAL_RATES] },
        { "n_storms", s.n_storms, k->has_watchdogs },
        { "n_restored", s.n_restored, k->has_watchdogs },
    };

    count_all(k, port, cls, counters, sizeof counters / sizeof *counters);
}

static void
count_port(struct recorder *k, uint32_t port)
{
    struct sim_port_result r = sim_port_result(k->o->sim, port);
    const struct counter counters[] = {
        { "sent_bytes", r.sent_bytes, true },
        { "n_sent", r.n_sent, true },
        { "n_frames_sent", r.n_frames_sent, true },
        { "n_lost", r.n_lost, true },
        { "n_dropped_limit", r.n_dropped[WEIR_DROP_LIMIT], true },
        { "n_dropped_headroom", r.n_dropped[WEIR_DROP_HEADROOM], true },
        { "n_dropped_output", r.n_dropped_output, true },
        { "n_dropped_memory", r.n_dropped_memory, k->o->totals.n_dropped_memory },
        { "n_expired", r.n_expired, true },
        { "n_no_route", r.n_no_route, true },
        { "n_dropped_watchdog", r.n_dropped_watchdog, true },
        { "n_flushed", r.n_flushed, k->o->totals.n_flushed },
        { "n_marked", r.n_marked, k->has[SIGNAL_MARKS] },
        { "n_messages_sent", r.n_messages_sent, k->has_messages },
        { "n_messages_received", r.n_messages_received, k->has_messages },
        { "n_messages_dropped", r.n_messages_dropped, k->has_messages },
    };

    count_all(k, port, REC_NO_ID, counters, sizeof counters / sizeof *counters);
    for (uint8_t cls = 0; cls < k->o->s.wire.classes; cls++) {
        count_class(k, port, cls);
    }
}

static void
count_flows(struct recorder *k)
{
    for (uint32_t i = 0; k->has_messages && i < k->o->s.n_flows; i++) {
        count(k, "flow", i, REC_NO_ID, "n_messages", sim_flow_n_heard(k->o->sim, i));
    }
    for (uint32_t i = 0; k->has[SIGNAL_MARKS] && i < k->o->s.n_flows; i++) {
        struct sim_flow_result r = sim_flow_result(k->o->sim, i);
        count(k, "flow", i, REC_NO_ID, "n_marked", r.n_marked);
        if (k->has[SIGNAL_CNPS]) {
            count(k, "flow", i, REC_NO_ID, "n_cnps", r.n_cnps);
        }
    }
}

/* Records when each silent queue, host and flow last sent. */
static void
count_silent(struct recorder *k)
{
    const struct sim_silence *s = &k->o->silence;
    const char *name = "silent_since_ps";

    for (size_t i = 0; i < s->n_queues; i++) {
        count(k, "port", s->queues[i].number, s->queues[i].cls, name,
              (uint64_t)s->queues[i].since_ps);
    }
    for (size_t i = 0; i < s->n_hosts; i++) {
        count(k, "node", s->hosts[i].number, REC_NO_ID, name, (uint64_t)s->hosts[i].since_ps);
    }
    for (size_t i = 0; i < s->n_flows; i++) {
        count(k, "flow", s->flows[i].number, REC_NO_ID, name, (uint64_t)s->flows[i].since_ps);
    }
}

static void
count_engines(struct recorder *k)
{
    const struct scenario *s = &k->o->s;

    for (uint32_t node = 0; node < s->topo.n_nodes; node++) {
        const struct weir_stack *stack = model_stack_at(sim_model(k->o->sim), node);
        for (uint32_t i = 0; i < stack->n; i++) {
            const struct weir_engine *e = stack->layers[i].engine;
            for (const struct weir_field *f = e->counters; f && f->name; f++) {
                char name[80];
                snprintf(name, sizeof name, "%s.%s", e->about.name, f->name);
                count(k, "node", node, REC_NO_ID, name, sim_counter(k->o->sim, node, i, f));
            }
        }
    }
}

static void
add_waits(struct recorder *k)
{
    size_t n;
    const struct sim_flow_wait *waits = sim_flow_waits(k->o->sim, &n);

    for (size_t i = 0; i < n; i++) {
        const struct sim_flow_wait *w = &waits[i];
        rec_add_wait(k->rec,
                     &(struct rec_wait){ .flow = w->flow,
                                         .port = w->port,
                                         .cls = w->cls,
                                         .n_packets = w->n_packets,
                                         .first_ps = w->first_ps,
                                         .last_ps = w->last_ps,
                                         .pause_ps = w->pause_ps,
                                         .credit_ps = w->credit_ps,
                                         .rate_ps = w->rate_ps,
                                         .control_ps = w->control_ps,
                                         .queue_ps = w->queue_ps },
                     &k->err);
    }
}

static bool
end_with(struct recorder *k, enum rec_status status, const struct run_facts *facts, struct err *err)
{
    bool good = rec_end(k->rec, &(struct rec_end){ status, k->o->seconds, facts }, err);
    bool closed = rec_close(k->rec, good ? err : &k->err);
    recorder_end_samples(k);
    return good && closed;
}

/* Records why a run failed; it has no other facts. */
bool
recorder_fail(struct recorder *k, enum rec_status status, const char *why, struct err *err)
{
    struct run_facts facts;

    if (status == REC_FAILED) {
        rec_add_violation(
            k->rec, &(struct rec_violation){ .at_ps = sim_now(k->o->sim), .what = why }, &k->err);
    }
    facts_clear(&facts);
    facts.until_ps = sim_now(k->o->sim);
    return end_with(k, status, &facts, err);
}

bool
recorder_end(struct recorder *k, struct err *err)
{
    struct outcome *o = k->o;

    write_notes(k, o->sim);
    end_flows(k);
    add_workloads(k, o->collected);
    for (uint32_t port = 0; port < o->s.topo.n_ports; port++) {
        count_port(k, port);
    }
    count_flows(k);
    count_silent(k);
    count_engines(k);
    for (size_t i = 0; i < o->n_counted; i++) {
        count(k, "node", o->counted[i].node, REC_NO_ID, o->counted[i].name, o->counted[i].value);
    }
    add_waits(k);
    recorder_deadlock(k);
    for (size_t i = 0; i < o->n_violations; i++) {
        rec_add_violation(k->rec,
                          &(struct rec_violation){ .at_ps = o->violations[i].at_ps,
                                                   .what = o->violations[i].what },
                          &k->err);
    }
    return end_with(k, o->is_stopped ? REC_STOPPED : REC_COMPLETE, &o->collected->facts, err);
}
