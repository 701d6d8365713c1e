/* The process of a node in a lab: opens its ports, runs the node on them in real time, and reports.
 *
 *     begin ... ready ... start | polls, naps, a report every so often | ended ... drain ... last
 *
 * On a machine with fewer cores than nodes, a process that polls all the time would keep others off
 * their core for whole time slices, which are milliseconds.  So each process sleeps when it has
 * nothing to do, longer if more of them share a core, and runs with priority when it wakes. */

#include <poll.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <time.h>
#include <unistd.h>

#include "base/array.h"
#include "base/core-count.h"
#include "bind/bind.h"
#include "dataplane/dpdk.h"
#include "dataplane/frame-needs.h"
#include "dataplane/node.h"
#include "lab/capacity.h"
#include "lab/lab.h"
#include "lab/reports.h"
#include "sim/live.h"

enum {
    /* The maximum nap, for each node that shares the core: a poll takes some microseconds. */
    NAP_NS = 13000,
    LEAST_NAP_NS = 2000, /* The minimum nap: shorter ones take longer than requested. */
    HEAR_NS = 1000000,   /* The time between reads of the lab's socket. */
    QUIET_NS = 1000000,  /* After N_QUIET such times, all frames on links have arrived. */
    N_QUIET = 10,
    DEVICE_BYTES = 64,
};

#define PS_PER_NS 1000
#define LINK_NS   ((uint64_t)10000000000)

struct child {
    const struct lab_child *lab;
    struct lab_line line;
    struct lab_asked asked;
    /* [port of the topology], bools; empty if packets are not captured. */
    struct sim_parcel captured;
    const struct dpdk_calls *dpdk;
    struct dp_io io;
    bool has_io;
    uint32_t max_frames; /* The maximum number of frames that the node may hold. */
    struct dp_network network;
    struct dp_node *node;
    uint64_t start_ns, hear_ns, nap_ns;
    weir_ps until_ps;
    uint32_t round; /* The next round to report. */
    struct sim_parcel report;
};

static void
sleep_until(uint64_t ns)
{
    const struct timespec until = { .tv_sec = (time_t)(ns / 1000000000),
                                    .tv_nsec = (long)(ns % 1000000000) };

    clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &until, NULL);
}

/* Messages to and from the lab before the run starts. */

/* Waits for a message of the lab. Ignores all other messages: a stop after the end of the run has
 * no effect. */
static bool
await(struct child *c, enum lab_word word, struct lab_message *m, struct err *err)
{
    while (lab_line_pull(&c->line, true, m) == LAB_MESSAGE) {
        if (m->word == word) {
            return true;
        }
        sim_parcel_free(&m->bytes);
    }
    return err_set(err, "the lab is gone");
}

/* Waits until all messages have been sent, or the receiver is gone. */
static void
push_all(struct child *c)
{
    struct pollfd ready = { .fd = c->line.socket, .events = POLLOUT };

    while (lab_line_push(&c->line) && !lab_line_is_empty(&c->line)) {
        poll(&ready, 1, -1);
    }
}

static void
send_message(struct child *c, enum lab_word word, weir_ps at, const void *bytes, size_t n)
{
    lab_line_put(&c->line, word, at, bytes, n);
    push_all(c);
}

/* Opening the ports of the node. */

static const struct topo_node *
own_node(const struct child *c)
{
    return &c->lab->scenario->topo.nodes[c->lab->node];
}

/* Sets the names of the ports' devices. Interfaces of failed links stay down, and their ports have
 * no device. */
static void
name_devices(const struct child *c, const struct model *model, struct dpdk_port *ports,
             char (*names)[DEVICE_BYTES])
{
    const struct topo *topo = &c->lab->scenario->topo;

    for (uint32_t i = 0; i < own_node(c)->n_ports; i++) {
        bool has_failed = topo->links[topo->ports[own_node(c)->first_port + i].link].failed;
        snprintf(names[i], DEVICE_BYTES, "net_af_packet%u,iface=p%u", i, i);
        ports[i] = (struct dpdk_port){ .device = has_failed ? NULL : names[i],
                                       .ring_to = i,
                                       .n_waiting = dp_frames_waiting(model, c->lab->node, i,
                                                                      topo->n_ports) };
    }
}

static bool
open_ports(struct child *c, const struct model *model, struct err *err)
{
    uint32_t n = own_node(c)->n_ports;
    struct dpdk_port *ports = array_new(n, sizeof *ports);
    char(*names)[DEVICE_BYTES] = array_new(n, sizeof *names);
    const char *const no_words[] = { NULL };

    c->max_frames = dp_frames_in_lab(model, c->lab->node);
    name_devices(c, model, ports, names);
    c->dpdk = dpdk_load(err);
    c->has_io = c->dpdk && c->dpdk->begin(no_words, err) &&
                c->dpdk->open(ports, n, c->max_frames, dp_longest_frame(model), &c->io, err);
    free(ports);
    free(names);
    return c->has_io;
}

/* Waits until all links are up.  A link is up when both ends are, which the kernel may report with
 * a delay. */
static bool
wait_for_links(const struct child *c, struct err *err)
{
    const struct topo *topo = &c->lab->scenario->topo;

    for (uint32_t i = 0; i < own_node(c)->n_ports; i++) {
        uint64_t until = lab_clock_ns() + LINK_NS;
        while (!c->io.is_up(c->io.arg, i)) {
            if (lab_clock_ns() > until) {
                uint32_t peer = topo_beyond(topo, own_node(c)->first_port + i);
                return err_set(err, "interface p%u, the link to %s, does not come up", i,
                               topo->nodes[peer].name);
            }
            sleep_until(lab_clock_ns() + QUIET_NS);
        }
    }
    return true;
}

static bool
make_node(struct child *c, struct model *model, struct err *err)
{
    struct dp_config config = {
        .network = c->network,
        .io = &c->io,
        .node = c->lab->node,
        .sim = c->asked.sim,
        .model = model,
        .keeps_wire_time = true,
        .has_common_clock = true,
        .is_open = true,
        .watch_ps = LAB_WATCH_PS,
        .max_frames = c->max_frames,
    };

    c->node = dp_node_new(&config, err);
    return c->node;
}

static bool
open_node(struct child *c, struct err *err)
{
    struct model model;

    if (!bind_model(c->lab->scenario, &model, err) || !open_ports(c, &model, err) ||
        !wait_for_links(c, err)) {
        model_free(&model);
        return false;
    }
    c->network = dp_network_of(&model);
    dp_answer_at_once(&model);
    return make_node(c, &model, err);
}

/* Requests real-time priority. Without the right to it, other processes delay the node. */
static void
be_first(struct child *c)
{
    const struct sched_param first = { .sched_priority = 1 };

    c->nap_ns = NAP_NS * (c->lab->scenario->topo.n_nodes / core_count() + 1);
    sched_setscheduler(0, SCHED_RR, &first);
    prctl(PR_SET_TIMERSLACK, 1);
}

/* Running the node. */

static weir_ps
now_ps(const struct child *c)
{
    return (weir_ps)(lab_clock_ns() - c->start_ns) * PS_PER_NS;
}

static void
nap(const struct child *c)
{
    weir_ps next_ps = sim_live_next(dp_node_sim(c->node));
    uint64_t now = lab_clock_ns(), until = now + c->nap_ns;

    if (next_ps != WEIR_NEVER && c->start_ns + (uint64_t)next_ps / PS_PER_NS < until) {
        until = c->start_ns + (uint64_t)next_ps / PS_PER_NS;
    }
    if (until > now + LEAST_NAP_NS) {
        sleep_until(until);
    } else {
        sched_yield();
    }
}

static weir_ps
next_round_ps(const struct child *c)
{
    return (weir_ps)(c->round + 1) * c->asked.every_ps;
}

static void
report_round(struct child *c, weir_ps now)
{
    c->report.n = 0;
    sim_live_report(dp_node_sim(c->node), now, &c->report);
    lab_line_put(&c->line, LAB_REPORT, now, c->report.bytes, c->report.n);
    c->round++;
}

/* Reports to the lab. A node that was not scheduled for long reports all missed rounds at once,
 * because the lab needs one report of each node for each round. */
static void
report(struct child *c, weir_ps now)
{
    while (now >= next_round_ps(c)) {
        sim_live_ran(dp_node_sim(c->node), now);
        report_round(c, now);
    }
}

/* Reads messages of the lab, before the node handles anything at the time 'now'. The lab announces
 * the stop in advance, so a process that was not scheduled in time receives it before it continues.
 * Returns false if the lab is gone. */
static bool
hear(struct child *c, weir_ps now)
{
    struct lab_message m;
    enum lab_heard heard;

    if (now < (weir_ps)c->hear_ns * PS_PER_NS) {
        return true;
    }
    c->hear_ns = (uint64_t)now / PS_PER_NS + HEAR_NS;
    while ((heard = lab_line_pull(&c->line, false, &m)) == LAB_MESSAGE) {
        if (m.word == LAB_STOP && m.at < c->until_ps) {
            c->until_ps = m.at;
        }
        sim_parcel_free(&m.bytes);
    }
    return heard != LAB_GONE;
}

static bool
run_child(struct child *c, struct err *err)
{
    weir_ps reached = 0;

    for (weir_ps now;;) {
        now = now_ps(c);
        if (!hear(c, now) || !lab_line_push(&c->line)) {
            return err_set(err, "the lab is gone");
        }
        if (now >= c->until_ps) {
            break;
        }
        dp_node_poll(c->node, reached = now);
        report(c, now);
        nap(c);
    }
    c->until_ps = c->until_ps > reached ? c->until_ps : reached;
    dp_node_end(c->node, c->until_ps);
    dp_node_drain(c->node); /* Sends the frames that are due. */
    return true;
}

/* After the end of the run. */

static void
drain(struct child *c)
{
    for (uint32_t i = 0; i < N_QUIET; i++) {
        dp_node_drain(c->node);
        sleep_until(lab_clock_ns() + QUIET_NS);
    }
    dp_node_drain(c->node);
}

/* Makes missing rounds. A node that was not scheduled at the end has made fewer rounds than others,
 * whose last rounds, and the events in them, would otherwise be lost. */
static void
make_up_rounds(struct child *c, uint32_t n_rounds)
{
    while (c->round < n_rounds) {
        report_round(c, next_round_ps(c));
    }
}

static void
report_last(struct child *c)
{
    struct dp_counts counts = dp_node_counts(c->node);

    c->report.n = 0;
    sim_parcel_add(&c->report, &counts, sizeof counts);
    for (uint32_t i = 0; i < own_node(c)->n_ports; i++) {
        struct dp_crossed crossed = dp_node_crossed(c->node, i);
        sim_parcel_add(&c->report, &crossed, sizeof crossed);
    }
    sim_live_report(dp_node_sim(c->node), c->until_ps, &c->report);
    send_message(c, LAB_LAST, c->until_ps, c->report.bytes, c->report.n);
}

static bool
begin(struct child *c, struct err *err)
{
    struct lab_message m;

    if (!await(c, LAB_BEGIN, &m, err)) {
        return false;
    }
    memcpy(&c->asked, m.bytes.bytes, sizeof c->asked);
    sim_parcel_add(&c->captured, (const char *)m.bytes.bytes + sizeof c->asked,
                   m.bytes.n - sizeof c->asked);
    c->asked.sim.captured = c->captured.bytes;
    c->until_ps = c->asked.sim.until_ps;
    sim_parcel_free(&m.bytes);
    return open_node(c, err);
}

static bool
start(struct child *c, struct err *err)
{
    struct lab_message m;

    be_first(c);
    send_message(c, LAB_READY, 0, NULL, 0);
    if (!await(c, LAB_START, &m, err)) {
        return false;
    }
    memcpy(&c->start_ns, m.bytes.bytes, sizeof c->start_ns);
    sim_parcel_free(&m.bytes);
    sleep_until(c->start_ns);
    return true;
}

static bool
end(struct child *c, struct err *err)
{
    struct lab_message m;
    uint32_t n_rounds;

    send_message(c, LAB_ENDED, 0, NULL, 0);
    if (!await(c, LAB_DRAIN, &m, err)) {
        return false;
    }
    memcpy(&n_rounds, m.bytes.bytes, sizeof n_rounds);
    sim_parcel_free(&m.bytes);
    drain(c);
    make_up_rounds(c, n_rounds);
    report_last(c);
    return true;
}

static void
close_all(struct child *c)
{
    dp_node_free(c->node);
    if (c->has_io) {
        c->dpdk->close(&c->io);
        c->dpdk->end();
    }
    dp_network_free(&c->network);
    sim_parcel_free(&c->report);
    sim_parcel_free(&c->captured);
    lab_line_free(&c->line);
}

int
lab_child_main(const struct lab_child *lab)
{
    struct child c = { .lab = lab, .line = { .socket = lab->socket } };
    struct err err;
    bool good = begin(&c, &err) && start(&c, &err) && run_child(&c, &err) && end(&c, &err);

    if (!good) {
        send_message(&c, LAB_FAILED, 0, err.text, strlen(err.text) + 1);
    }
    close_all(&c);
    return good ? EXIT_GOOD : EXIT_WORLD;
}
