/* Counts what became of the flows and packets of a run. */

#include "report/totals.h"

#include <string.h>

static const struct {
    const char *name, *words;
} causes[REP_N_CAUSES] = {
    [REP_NO_ROOM] = { "no-room", "dropped for lack of buffer space" },
    [REP_OUTPUT] = { "output", "dropped for lack of room at an output" },
    [REP_MEMORY] = { "memory", "dropped for lack of memory" },
    [REP_WATCHDOG] = { "watchdog", "dropped by the watchdog" },
    [REP_FLUSHED] = { "flushed", "dropped at a port whose link was down" },
    [REP_NO_ROUTE] = { "no-route", "dropped for lack of a route" },
    [REP_EXPIRED] = { "expired", "dropped at the hop limit" },
    [REP_LOST] = { "lost", "lost on links" },
};

static const struct {
    const char *name, *words;
} asides[REP_N_ASIDES] = {
    [REP_WARM_UP] = { "warm-up", "started in the warm-up" },
    [REP_ENDLESS] = { "endless", "sent without end" },
    [REP_STOPPED] = { "stopped", "stopped early" },
    [REP_NOT_STARTED] = { "not-started", "never started" },
};

static const struct {
    const char *object, *name;
    enum rep_cause cause;
} counters[] = {
    { "port", "n_dropped_limit", REP_NO_ROOM },
    { "port", "n_dropped_headroom", REP_NO_ROOM },
    { "port", "n_dropped_output", REP_OUTPUT },
    { "port", "n_dropped_memory", REP_MEMORY },
    { "port", "n_dropped_watchdog", REP_WATCHDOG },
    { "port", "n_flushed", REP_FLUSHED },
    { "port", "n_no_route", REP_NO_ROUTE },
    { "port", "n_expired", REP_EXPIRED },
    { "port", "n_lost", REP_LOST },
};

const char *
rep_cause_words(enum rep_cause cause)
{
    return causes[cause].words;
}

const char *
rep_aside_words(enum rep_aside why)
{
    return asides[why].words;
}

static uint64_t
known(uint64_t number)
{
    return number == REC_NONE ? 0 : number;
}

static void
add_rate(struct rep_totals *t, uint64_t bps)
{
    bool is_first = !t->n_unfinished++;

    t->least_late_bps = is_first || bps < t->least_late_bps ? bps : t->least_late_bps;
    t->most_late_bps = is_first || bps > t->most_late_bps ? bps : t->most_late_bps;
}

/* REP_N_ASIDES: it is measured.  Before the end of a run, nobody knows which flows will start. */
static enum rep_aside
aside_of(const struct rec_flow *f)
{
    return f->is_warm_up == REC_NONE && f->sent_bytes != REC_NONE ? REP_NOT_STARTED
           : f->is_warm_up == 1                                   ? REP_WARM_UP
           : f->stopped_ps >= 0                                   ? REP_STOPPED
           : f->bytes == REC_NONE                                 ? REP_ENDLESS
                                                                  : REP_N_ASIDES;
}

void
rep_totals_add_flow(struct rep_totals *t, const struct rec_flow *f)
{
    bool is_finished = f->finished_ps >= 0;
    enum rep_aside why = aside_of(f);

    t->n_flows++;
    t->is_open |= f->sent_bytes == REC_NONE;
    if (why < REP_N_ASIDES) {
        t->n_aside[why]++;
    } else {
        t->n_measured++;
        t->n_finished += is_finished;
    }
    t->sent_bytes += known(f->sent_bytes);
    t->again_bytes += known(f->again_bytes);
    t->received_bytes += known(f->received_bytes);
    if (!is_finished && f->stopped_ps < 0 && f->late_bps != REC_NONE && why != REP_NOT_STARTED) {
        add_rate(t, f->late_bps);
    }
}

static void
add_message_counter(struct rep_totals *t, const struct rec_counter *c)
{
    bool is_of_port = !strcmp(c->object, "port");

    if (is_of_port && !strcmp(c->name, "n_messages_sent")) {
        t->has_messages = true;
        t->n_messages_sent += known(c->value);
    } else if (is_of_port && !strcmp(c->name, "n_messages_heard")) {
        t->n_messages_heard += known(c->value);
    }
}

static void
add_silent_counter(struct rep_totals *t, const struct rec_counter *c)
{
    weir_ps since_ps = (weir_ps)known(c->value);

    if (strcmp(c->name, "silent_since_ps")) {
        return;
    }
    t->n_silent_flows += !strcmp(c->object, "flow");
    t->n_silent_queues += !strcmp(c->object, "port");
    if (!strcmp(c->object, "node")) {
        bool is_first = !t->n_silent_hosts++ || since_ps < t->silent_since_ps;
        t->silent_since_ps = is_first ? since_ps : t->silent_since_ps;
    }
}

/* What is left of the time; less than nothing, if it took longer. */
static int64_t
left_ps(const struct rep_tau *t)
{
    return (int64_t)(t->derived_ps - t->most_ps);
}

static void
add_tau(struct rep_tau *latest, struct rep_tau t)
{
    if (!latest->most_ps || left_ps(&t) < left_ps(latest)) {
        *latest = t;
    }
}

/* Of a switch, what thresholds were derived for comes first. */
static void
add_tau_counter(struct rep_totals *t, const struct rec_counter *c)
{
    const struct rep_tau tau = { known(c->value), t->tau_derived_ps };

    if (!strcmp(c->name, "lab.tau_derived_ps")) {
        t->tau_derived_ps = known(c->value);
    } else if (!strcmp(c->name, "lab.tau_measured_most_ps")) {
        add_tau(&t->tau_measured, tau);
    } else if (!strcmp(c->name, "lab.tau_estimated_most_ps")) {
        add_tau(&t->tau_estimated, tau);
    }
}

const struct rep_tau *
rep_totals_tau(const struct rep_totals *t)
{
    return t->tau_measured.most_ps ? &t->tau_measured : &t->tau_estimated;
}

void
rep_totals_add_counter(struct rep_totals *t, const struct rec_counter *c)
{
    if (!t->is_counted) {
        t->signals = signals_none();
        t->backpressure = backpressure_none();
        t->is_counted = true;
    }
    if (!strcmp(c->object, "port") && c->value != REC_NONE) {
        backpressure_add_counter(&t->backpressure, c->object_id, c->cls, c->name, c->value);
    }
    signals_add_counter(&t->signals, c->object, c->name, known(c->value));
    add_message_counter(t, c);
    add_silent_counter(t, c);
    add_tau_counter(t, c);
    for (size_t i = 0; i < sizeof counters / sizeof *counters; i++) {
        if (!strcmp(c->object, counters[i].object) && !strcmp(c->name, counters[i].name)) {
            t->n_gone[counters[i].cause] += known(c->value);
        }
    }
}

static void
take_flow(void *totals, const void *row)
{
    rep_totals_add_flow(totals, row);
}

static void
take_counter(void *totals, const void *row)
{
    rep_totals_add_counter(totals, row);
}

/* A file that is not ours may name ports and nodes that it does not have. */
static const char *
node_name(const struct rec_rows *nodes, const struct rec_rows *ports, uint32_t port)
{
    const struct rec_port *p = port < ports->n ? rec_row(ports, REC_PORT, port) : NULL;
    const struct rec_node *n = p && p->node < nodes->n ? rec_row(nodes, REC_NODE, p->node) : NULL;

    return n ? n->name : "?";
}

void
rep_totals_name_link(struct rep_totals *t, const struct rec_rows *nodes,
                     const struct rec_rows *ports)
{
    uint32_t port = t->backpressure.most_paused_port;

    if (t->is_counted && backpressure_has_link(&t->backpressure) && port < ports->n) {
        const struct rec_port *p = rec_row(ports, REC_PORT, port);
        backpressure_name_link(&t->backpressure, node_name(nodes, ports, port),
                               node_name(nodes, ports, p->peer));
    }
}

bool
rep_totals_read(struct rep_totals *t, struct rec_file *file, uint64_t run, struct err *err)
{
    struct rec_rows nodes = { 0 }, ports = { 0 };

    *t = (struct rep_totals){ 0 };
    bool good = rec_read_each(file, REC_FLOW, run, take_flow, t, err) &&
                rec_read_each(file, REC_COUNTER, run, take_counter, t, err) &&
                rec_read_all(file, REC_NODE, run, &nodes, err) &&
                rec_read_all(file, REC_PORT, run, &ports, err);
    if (good) {
        rep_totals_name_link(t, &nodes, &ports);
    }
    rec_rows_free(&nodes, REC_NODE);
    rec_rows_free(&ports, REC_PORT);
    return good;
}

static void
write_cause(struct json *j, const struct rep_totals *t, enum rep_cause cause)
{
    json_open(j, NULL, '{');
    json_text(j, "cause", causes[cause].name);
    json_text(j, "words", causes[cause].words);
    json_number(j, "packets", t->n_gone[cause]);
    json_close(j, '}');
}

static void
write_asides(struct json *j, const struct rep_totals *t)
{
    json_open(j, "aside", '[');
    for (enum rep_aside why = 0; why < REP_N_ASIDES; why++) {
        json_open(j, NULL, '{');
        json_text(j, "why", asides[why].name);
        json_text(j, "words", asides[why].words);
        json_number(j, "flows", t->n_aside[why]);
        json_close(j, '}');
    }
    json_close(j, ']');
}

/* What is written at the end of a run only: null before. */
static void
write_known(struct json *j, const char *key, const struct rep_totals *t, uint64_t value)
{
    if (t->is_open) {
        json_null(j, key);
    } else {
        json_number(j, key, value);
    }
}

void
rep_totals_write(struct json *j, const char *key, const struct rep_totals *t)
{
    json_open(j, key, '{');
    json_number(j, "flows", t->n_flows);
    json_number(j, "measured", t->n_measured);
    write_known(j, "finished", t, t->n_finished);
    write_asides(j, t);
    write_known(j, "sent_bytes", t, t->sent_bytes);
    write_known(j, "sent_again_bytes", t, t->again_bytes);
    write_known(j, "received_bytes", t, t->received_bytes);
    if (t->n_unfinished) {
        json_number(j, "late_goodput_least_bps", t->least_late_bps);
        json_number(j, "late_goodput_most_bps", t->most_late_bps);
    }
    json_open(j, "not_arrived", '[');
    for (enum rep_cause cause = 0; t->is_counted && cause < REP_N_CAUSES; cause++) {
        write_cause(j, t, cause);
    }
    json_close(j, ']');
    if (t->is_counted) {
        columns_write_json(j, backpressure_columns, BACKPRESSURE_N_COLUMNS, &t->backpressure);
        columns_write_json(j, signal_columns, N_SIGNALS, &t->signals);
    }
    if (t->n_silent_flows || t->n_silent_hosts || t->n_silent_queues) {
        json_open(j, "silent", '{');
        json_number(j, "queues", t->n_silent_queues);
        json_number(j, "flows", t->n_silent_flows);
        json_number(j, "hosts", t->n_silent_hosts);
        if (t->n_silent_hosts) {
            json_number(j, "since_ps", (uint64_t)t->silent_since_ps);
        }
        json_close(j, '}');
    }
    if (t->has_messages) {
        json_number(j, "messages_sent", t->n_messages_sent);
        json_number(j, "messages_heard", t->n_messages_heard);
    }
    if (rep_totals_tau(t)->most_ps) {
        json_open(j, "tau", '{');
        json_text(j, "kind", t->tau_measured.most_ps ? "measured" : "estimated");
        json_number(j, "most_ps", rep_totals_tau(t)->most_ps);
        json_number(j, "derived_ps", rep_totals_tau(t)->derived_ps);
        json_close(j, '}');
    }
    json_close(j, '}');
}
