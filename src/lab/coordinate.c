/* Coordinates the processes of a lab: starts them together, merges their reports round by round for
 * a simulation of the whole network, and ends them together.
 *
 *     ready from all | start | rounds of reports | ended from all | drain | last from all
 *
 * A round is complete when all nodes have reported it, in order: an event is reported once, and
 * samples have a value of each node (decision 0074). */

#include <errno.h>
#include <inttypes.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/array.h"
#include "lab/lab.h"
#include "lab/losses.h"
#include "lab/process.h"
#include "lab/reports.h"
#include "lab/timing.h"
#include "lab/words.h"
#include "run/outcome.h"
#include "run/stopping.h"
#include "sim/live.h"

enum {
    POLL_MS = 20,
    /* The time until all processes are ready. DPDK takes a second or two to start, and there may be
     * few cores. */
    READY_S = 60,
    /* A node without a report for this time is stuck; it reports several times per second. */
    SILENT_S = 5,
    /* If the coordinator itself was not scheduled for this time, SILENT_S begins anew. */
    AWAY_S = 1,
    /* The time until every process knows the start time: so much per node, and at least
     * START_NS. */
    START_NS_PER_NODE = 500000,
    START_NS = 20000000,
};

/* The limits of the time between two reports. With a shorter time, reports would cause lost
 * packets; with a longer time, a deadlock would be reported late. */
#define LEAST_EVERY_PS ((weir_ps)5000000000)
#define MOST_EVERY_PS  ((weir_ps)20000000000)
#define STOP_PS        ((weir_ps)20000000000) /* The time between the request to stop and the stop. */

/* The connection with the process of a node. */
struct talk {
    struct lab_line line;
    /* Reports that have not been processed, in the order of rounds, from 'first' on. */
    struct lab_message *reports;
    size_t first, n, max;
    uint32_t n_made;   /* The number of reports it has made, including processed ones. */
    uint64_t heard_ns; /* The time of its last message. */
    bool is_waiting;   /* It has sent the message that all processes must send. */
};

struct coordinator {
    struct lab *lab;
    struct lab_words words;
    struct sim *sim;
    struct sim_live live;
    struct lab_asked asked;
    struct talk *talks;                     /* [node]. */
    struct sim_parcel *round_of_all, *last; /* [node]. */
    struct dp_counts *counts;               /* [node]. */
    struct dp_crossed *crossed;             /* [port of the topology]. */
    struct lab_losses losses;
    enum lab_word awaited; /* The message that is expected from all processes. */
    uint32_t n_waiting;    /* The number of processes from which it has arrived. */
    uint64_t start_ns, deadline_ns;
    weir_ps until_ps;
    bool is_stopping;
    struct err *err;
};

/* Sends queued messages. Bytes that do not fit into a socket's buffer are sent later. The end of a
 * process is noticed when its socket is read. */
static void
push_all(struct coordinator *c)
{
    for (uint32_t id = 0; id < c->lab->n; id++) {
        lab_line_push(&c->talks[id].line);
    }
}

static void
send_to_all(struct coordinator *c, enum lab_word word, weir_ps at, const void *bytes, size_t n)
{
    for (uint32_t id = 0; id < c->lab->n; id++) {
        lab_line_put(&c->talks[id].line, word, at, bytes, n);
    }
    push_all(c);
}

/* Messages of nodes. */

static void
be_patient(struct coordinator *c)
{
    for (uint32_t id = 0; id < c->lab->n; id++) {
        c->talks[id].heard_ns = lab_clock_ns();
    }
}

/* Extends the deadline when a process is ready: with few cores, processes start one after
 * another. */
static int
hear_ready(struct coordinator *c, uint32_t node, struct lab_message *m)
{
    (void)node, (void)m;
    be_patient(c);
    return EXIT_GOOD;
}

static int
hear_failed(struct coordinator *c, uint32_t node, struct lab_message *m)
{
    return process_fail_with(c->lab, node, m, c->err);
}

static int
hear_report(struct coordinator *c, uint32_t node, struct lab_message *m)
{
    struct talk *t = &c->talks[node];

    ARRAY_PUSH(t->reports, t->n, t->max) = *m;
    m->bytes = (struct sim_parcel){ 0 };
    t->n_made++;
    return EXIT_GOOD;
}

static int
hear_last(struct coordinator *c, uint32_t node, struct lab_message *m)
{
    const struct topo_node *n = &c->lab->scenario->topo.nodes[node];
    const char *bytes = m->bytes.bytes, *crossed = bytes + sizeof *c->counts;
    const char *report = crossed + n->n_ports * sizeof *c->crossed;

    /* A node that received the stop after that time ran longer, and so did the run. */
    c->until_ps = m->at > c->until_ps ? m->at : c->until_ps;
    memcpy(&c->counts[node], bytes, sizeof *c->counts);
    memcpy(&c->crossed[n->first_port], crossed, n->n_ports * sizeof *c->crossed);
    sim_parcel_add(&c->last[node], report, m->bytes.n - (size_t)(report - bytes));
    return EXIT_GOOD;
}

static int (*const hearers[LAB_N_WORDS])(struct coordinator *, uint32_t node,
                                         struct lab_message *) = {
    [LAB_READY] = hear_ready,
    [LAB_FAILED] = hear_failed,
    [LAB_REPORT] = hear_report,
    [LAB_LAST] = hear_last,
};

/* Reads the messages of a process. The process may end after its last message. */
static int
hear_line(struct coordinator *c, uint32_t node)
{
    struct talk *t = &c->talks[node];
    struct lab_message m;
    enum lab_heard heard = LAB_NOTHING;
    int code = EXIT_GOOD;

    while (code == EXIT_GOOD && !c->last[node].n &&
           (heard = lab_line_pull(&t->line, false, &m)) == LAB_MESSAGE) {
        t->heard_ns = lab_clock_ns();
        t->is_waiting |= m.word == c->awaited;
        c->n_waiting += m.word == c->awaited;
        code = hearers[m.word] ? hearers[m.word](c, node, &m) : EXIT_GOOD;
        sim_parcel_free(&m.bytes);
    }
    if (code == EXIT_GOOD && heard == LAB_GONE) {
        lab_send_end(c->lab, node, c->err);
        code = EXIT_WORLD;
    }
    return code;
}

static int
check_deadline(struct coordinator *c, uint32_t node)
{
    const struct talk *t = &c->talks[node];
    uint64_t silent_ns = lab_clock_ns() - t->heard_ns;

    if (!c->start_ns && !t->is_waiting && silent_ns >= PROCESS_STOPPED_NS &&
        process_is_stopped(&c->lab->processes[node])) {
        return process_fail_stopped(c->lab, node, c->err);
    }
    return t->is_waiting || silent_ns < c->deadline_ns
               ? EXIT_GOOD
               : run_fail(c->err, EXIT_WORLD,
                          "the process of %s (PID %d) has sent nothing for %" PRIu64
                          " s; if all were busy, the machine is too slow for such a lab: use lower "
                          "rates, or fewer nodes",
                          c->lab->scenario->topo.nodes[node].name, (int)c->lab->processes[node].pid,
                          silent_ns / 1000000000);
}

static int
hear_lines(struct coordinator *c)
{
    int code = EXIT_GOOD;

    for (uint32_t id = 0; code == EXIT_GOOD && id < c->lab->n; id++) {
        code = hear_line(c, id);
        code = code == EXIT_GOOD ? check_deadline(c, id) : code;
    }
    return code;
}

/* Waits for messages. Ctrl-Z stops all processes of a terminal, and they do not all continue at the
 * same instant, so a time in which the coordinator was stopped does not count. */
static void
wait_for_words(struct coordinator *c)
{
    struct pollfd *sockets = array_new(c->lab->n, sizeof *sockets);
    uint64_t began_ns = lab_clock_ns();

    for (uint32_t id = 0; id < c->lab->n; id++) {
        sockets[id].fd = c->last[id].n ? -1 : c->talks[id].line.socket;
        sockets[id].events = POLLIN;
    }
    poll(sockets, c->lab->n, POLL_MS);
    free(sockets);
    if (lab_clock_ns() - began_ns > (uint64_t)AWAY_S * 1000000000) {
        be_patient(c);
    }
}

/* Rounds of reports. */

static bool
is_round_whole(const struct coordinator *c)
{
    bool is_whole = true;

    for (uint32_t id = 0; is_whole && id < c->lab->n; id++) {
        is_whole = c->talks[id].first < c->talks[id].n;
    }
    return is_whole;
}

/* Takes the next report of each node. Returns the latest of their times, so that no report is from
 * the future. */
static weir_ps
take_round(struct coordinator *c)
{
    weir_ps latest = 0;

    for (uint32_t id = 0; id < c->lab->n; id++) {
        struct talk *t = &c->talks[id];
        const struct lab_message *m = &t->reports[t->first++];
        latest = m->at > latest ? m->at : latest;
        sim_parcel_free(&c->round_of_all[id]);
        c->round_of_all[id] = m->bytes;
        if (t->first == t->n) {
            t->first = t->n = 0;
        }
    }
    return latest;
}

/* Stops all nodes. The user may request it before the start time, which all processes already
 * know. */
static void
stop_all(struct coordinator *c)
{
    weir_ps now = (weir_ps)(lab_clock_ns() - c->start_ns) * 1000,
            at = STOP_PS + (now > 0 ? now : 0);

    c->is_stopping = true;
    if (at < c->until_ps) {
        c->until_ps = at;
        send_to_all(c, LAB_STOP, at, NULL, 0);
    }
}

/* Whether the user requested a stop. The interrupt may have arrived before the simulation
 * existed. */
static bool
is_asked_to_stop(const struct coordinator *c)
{
    return sim_was_asked_to_stop(c->sim) || stopping_is_asked();
}

static void
hear_rounds(struct coordinator *c)
{
    while (is_round_whole(c)) {
        weir_ps now = take_round(c);
        sim_live_hear_all(c->sim, now, c->round_of_all);
        lab_words_of_round(&c->words, c->sim);
    }
    if (!c->start_ns || c->is_stopping) {
        return;
    }
    bool have_ended = sim_live_have_all_ended(c->sim);
    if (have_ended || is_asked_to_stop(c)) {
        stop_all(c);
    }
    if (have_ended) {
        sim_live_end_at(c->sim, c->until_ps);
    }
}

/* Waits until all processes have sent a message. A fast node may have waited for the others for
 * long. */
static int
hear_all(struct coordinator *c, enum lab_word word, uint64_t deadline_s)
{
    int code = EXIT_GOOD;

    c->deadline_ns = deadline_s * 1000000000;
    c->awaited = word;
    c->n_waiting = 0;
    be_patient(c);
    for (uint32_t id = 0; id < c->lab->n; id++) {
        c->talks[id].is_waiting = false;
    }
    while (code == EXIT_GOOD && c->n_waiting < c->lab->n) {
        wait_for_words(c);
        code = hear_lines(c);
        hear_rounds(c);
        push_all(c);
        if (!c->start_ns && is_asked_to_stop(c)) {
            return run_fail(c->err, EXIT_STOPPED, "stopped before it began");
        }
    }
    return code;
}

/* Running the lab in place of the simulator. */

/* The time between reports. The sampling period is a multiple of it. */
static weir_ps
between_reports_ps(weir_ps sample_ps)
{
    return sample_ps ? sample_ps / ((sample_ps + MOST_EVERY_PS - 1) / MOST_EVERY_PS)
                     : MOST_EVERY_PS;
}

static void
ask_all(struct coordinator *c, const struct scenario *s, const bool *captured)
{
    struct sim_parcel p = { 0 };

    sim_parcel_add(&p, &c->asked, sizeof c->asked);
    sim_parcel_add(&p, captured, captured ? s->topo.n_ports * sizeof *captured : 0);
    send_to_all(c, LAB_BEGIN, 0, p.bytes, p.n);
    sim_parcel_free(&p);
}

static int
begin(void *arg, struct scenario *s, struct sim_config *config, struct err *err)
{
    struct coordinator *c = arg;

    (void)err;
    c->live = (struct sim_live){ .node = SIM_NONE, .watch_ps = LAB_WATCH_PS };
    config->live = &c->live;
    c->asked =
        (struct lab_asked){ lab_config_of_nodes(config), between_reports_ps(config->sample_ps) };
    c->until_ps = config->until_ps;
    ask_all(c, s, config->captured);
    return EXIT_GOOD;
}

static void
start_all(struct coordinator *c)
{
    c->start_ns = lab_clock_ns() + START_NS + c->lab->n * (uint64_t)START_NS_PER_NODE;
    send_to_all(c, LAB_START, 0, &c->start_ns, sizeof c->start_ns);
    lab_words_of_start(&c->words, c->lab->n);
}

/* Makes all nodes drain, when all have sent their reports. */
static void
drain_all(struct coordinator *c)
{
    uint32_t n_rounds = 0;

    for (uint32_t id = 0; id < c->lab->n; id++) {
        uint32_t n_made = c->talks[id].n_made;
        n_rounds = n_made > n_rounds ? n_made : n_rounds;
    }
    send_to_all(c, LAB_DRAIN, 0, &n_rounds, sizeof n_rounds);
}

static int
run_lab(void *arg, struct sim *sim, struct err *err)
{
    struct coordinator *c = arg;

    c->sim = sim;
    c->err = err;
    int code = hear_all(c, LAB_READY, READY_S);
    if (code == EXIT_GOOD) {
        start_all(c);
        code = hear_all(c, LAB_ENDED, SILENT_S);
    }
    if (code == EXIT_GOOD) {
        drain_all(c);
        code = hear_all(c, LAB_LAST, SILENT_S);
    }
    if (code == EXIT_GOOD) {
        sim_live_hear_last(sim, c->until_ps, c->last);
        c->losses = lab_losses_find(sim, c->crossed);
        lab_words_of_round(&c->words, sim);
    }
    return code;
}

static void
count(void *arg, struct outcome *o)
{
    const struct coordinator *c = arg;

    for (uint32_t id = 0; id < c->lab->n; id++) {
        lab_count_node(o, id, c->counts);
    }
    o->n_lost_lossless = c->losses.n_lossless;
    lab_losses_warn(o, &c->losses, c->counts);
    lab_tau_report(o, c->counts);
    lab_polls_warn(o, c->counts);
    lab_unheld_warn(o, c->counts);
}

static struct coordinator *
coordinator_new(struct lab *lab, const struct lab_listener *listener, const struct scenario *s)
{
    struct coordinator *c = array_new(1, sizeof *c);

    c->lab = lab;
    c->words = (struct lab_words){ .listener = listener, .scenario = s };
    c->talks = array_new(lab->n, sizeof *c->talks);
    c->round_of_all = array_new(lab->n, sizeof *c->round_of_all);
    c->last = array_new(lab->n, sizeof *c->last);
    c->counts = array_new(lab->n, sizeof *c->counts);
    c->crossed = array_new(s->topo.n_ports, sizeof *c->crossed);
    for (uint32_t id = 0; id < lab->n; id++) {
        c->talks[id].line.socket = lab->processes[id].socket;
    }
    return c;
}

static void
coordinator_free(struct coordinator *c)
{
    for (uint32_t id = 0; id < c->lab->n; id++) {
        struct talk *t = &c->talks[id];
        while (t->first < t->n) {
            sim_parcel_free(&t->reports[t->first++].bytes);
        }
        free(t->reports);
        lab_line_free(&t->line);
        sim_parcel_free(&c->round_of_all[id]);
        sim_parcel_free(&c->last[id]);
    }
    free(c->talks);
    free(c->round_of_all);
    free(c->last);
    free(c->counts);
    free(c->crossed);
    lab_words_free(&c->words);
    free(c);
}

int
lab_coordinate(struct lab *lab, struct outcome *o, const struct outcome_job *asked,
               const struct lab_listener *listener, struct err *err)
{
    struct coordinator *c = coordinator_new(lab, listener, &o->s);
    const struct outcome_runner runner = {
        .host = "lab", .arg = c, .begin = begin, .run = run_lab, .count = count
    };
    struct outcome_job job = *asked;

    job.runner = &runner;
    if (o->s.record.every_ps < (uint64_t)LEAST_EVERY_PS) {
        o->s.record.every_ps = (uint64_t)LEAST_EVERY_PS;
    }
    int code = outcome_run_read(o, &job, err);
    coordinator_free(c);
    return code;
}
