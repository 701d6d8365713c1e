/* Processes that only play the nodes of a lab, and a lab without namespaces around them, for tests
 * of the lab's coordinator.
 *
 *     acts[H2] = DIES;                         what one does that is out of order
 *     lab_is_away = true;                      or the lab itself, its clock, its sockets, Ctrl-C
 *     coordinate_text(scenario, &o, &err);     a switch, two hosts; reports are in 'lines'
 *
 * The program is linked with send(), recv(), poll() and lab_clock_ns() wrapped. */

#ifndef TESTS_LAB_PLAYERS_H
#define TESTS_LAB_PLAYERS_H

#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "bind/bind.h"
#include "lab/lab.h"
#include "lab/reports.h"
#include "run/outcome.h"
#include "run/stopping.h"
#include "sim/live.h"

enum { S1, H1, H2, N_NODES };

enum { MAX_PORTS = 2 }; /* The switch has two ports. */

enum act {
    PLAIN,
    SLOW,
    FAILS,
    DIES,
    IS_READY_LATE,
    IS_READY_LAST,
    IS_STOPPED,
    IS_AWAY,
    MISSES_LAST_ROUND,
    IS_LATE_IN_MIDDLE,
    RECEIVES,
    FORWARDS,
    IS_STUCK,
    IS_ASKED,
    N_ACTS
};

/* Packets that a node receives at the end of each round. If there are two, one waits for the
 * other. */
static const uint32_t n_received[N_ACTS] = { [RECEIVES] = 1, [FORWARDS] = 2 };

/* Rounds at the end of the run that are not reported before all processes have ended. */
static const uint32_t n_missed[N_ACTS] = { [MISSES_LAST_ROUND] = 1, [FORWARDS] = 3 };

static enum act acts[N_NODES];

#define AWAY_UNTIL_PS ((weir_ps)9000000000000)

/* Sockets that refuse the next 'n_refused' messages of the lab. */

static pid_t of_lab;
static uint32_t n_refused;

ssize_t __real_send(int, const void *, size_t, int);
ssize_t __wrap_send(int, const void *, size_t, int);

ssize_t
__wrap_send(int socket, const void *bytes, size_t n, int flags)
{
    if (n_refused && getpid() == of_lab) {
        n_refused--;
        errno = EAGAIN;
        return -1;
    }
    return __real_send(socket, bytes, n, flags);
}

static struct lab_process processes[N_NODES];

/* The clock of the lab, which the processes do not use.  'lab_is_late': a long time passes between
 * any two messages until the run begins. 'lab_is_away': the clock leaps once while the lab waits
 * for messages. 'time_flies': after the run has begun, some time passes at each wait. */

static bool lab_is_late, lab_is_away, time_flies;
static uint32_t n_words;
static uint64_t passed_ns;

uint64_t __real_lab_clock_ns(void);
uint64_t __wrap_lab_clock_ns(void);

uint64_t
__wrap_lab_clock_ns(void)
{
    return __real_lab_clock_ns() + (getpid() == of_lab ? passed_ns : 0);
}

ssize_t __real_recv(int, void *, size_t, int);
ssize_t __wrap_recv(int, void *, size_t, int);

ssize_t
__wrap_recv(int socket, void *bytes, size_t n, int flags)
{
    ssize_t len = __real_recv(socket, bytes, n, flags);

    if (lab_is_late && getpid() == of_lab && len > 0) {
        passed_ns = ++n_words < N_NODES ? passed_ns + 40000000000 : 0;
        lab_is_late = n_words < N_NODES;
    }
    return len;
}

/* Ctrl-C arrives while the lab waits for messages, so that the lab notices it. */

/* AT_ONCE is as soon as the lab reports the start. */
enum interrupt { NONE, BEFORE_IT_BEGINS, AT_ONCE, LATER };

static enum interrupt interrupt;
static uint64_t begun_ns;

int __real_poll(struct pollfd *, nfds_t, int);
int __wrap_poll(struct pollfd *, nfds_t, int);

int
__wrap_poll(struct pollfd *sockets, nfds_t n, int ms)
{
    bool is_later = begun_ns && lab_clock_ns() - begun_ns > 25000000;
    bool is_time[] = { [BEFORE_IT_BEGINS] = true, [AT_ONCE] = begun_ns, [LATER] = is_later };

    if (interrupt && is_time[interrupt]) {
        interrupt = NONE;
        raise(SIGINT);
    }
    if (lab_is_late && n_words == N_NODES - 1) {
        kill(processes[H2].pid, SIGCONT);
    }
    if (lab_is_away && is_later && __real_poll(sockets, n, 0) == 0) {
        lab_is_away = false;
        passed_ns += 100000000000;
        return 0;
    }
    passed_ns += time_flies && begun_ns ? 400000000 : 0;
    return __real_poll(sockets, n, ms);
}

/* The process of a node that plays. */

struct player {
    const struct lab_child *child;
    struct lab_line line;
    struct lab_asked asked;
    struct sim_live live;
    struct sim *sim;
    struct dp_crossed crossed[MAX_PORTS];
    uint64_t start_ns;
    weir_ps until_ps;
    uint32_t round; /* The next round. */
};

static void
sleep_ms(long ms)
{
    nanosleep(&(struct timespec){ .tv_nsec = ms * 1000000 }, NULL);
}

static void
await(struct player *p, enum lab_word word, void *bytes, size_t n)
{
    struct lab_message m;

    do {
        if (lab_line_pull(&p->line, true, &m) != LAB_MESSAGE) {
            _exit(EXIT_WORLD);
        }
        if (m.word == LAB_STOP) {
            p->until_ps = m.at;
        }
    } while (m.word != word);
    if (n) {
        memcpy(bytes, m.bytes.bytes, n);
    }
}

static void
say(struct player *p, enum lab_word word, weir_ps at, const void *bytes, size_t n)
{
    lab_line_put(&p->line, word, at, bytes, n);
    while (!lab_line_is_empty(&p->line)) {
        if (!lab_line_push(&p->line)) {
            _exit(EXIT_WORLD);
        }
    }
}

static void
note_sent(void *player, uint32_t port, const struct sim_packet *packet, weir_ps start, weir_ps at)
{
    struct dp_amount *out = &((struct player *)player)->crossed[port].out;

    (void)start, (void)at;
    out->n_packets[packet->cls]++;
    out->packet_bytes += packet->bytes;
}

static void
make_sim(struct player *p)
{
    struct model model;
    struct err err;

    p->live = (struct sim_live){ .node = p->child->node, .arg = p, .sent = note_sent };
    if (!bind_model(p->child->scenario, &model, &err)) {
        _exit(EXIT_USER);
    }
    p->sim = sim_new(&(struct sim_config){ .until_ps = p->asked.sim.until_ps,
                                           .notes = p->asked.sim.notes,
                                           .live = &p->live },
                     &model, &err);
}

static void
hear_stop(struct player *p)
{
    struct lab_message m;

    while (lab_line_pull(&p->line, false, &m) == LAB_MESSAGE) {
        p->until_ps = m.word == LAB_STOP && m.at < p->until_ps ? m.at : p->until_ps;
        sim_parcel_free(&m.bytes);
    }
}

static weir_ps
next_round_ps(const struct player *p)
{
    return (p->round + 1) * p->asked.every_ps;
}

/* Receives a packet that no node has sent. */
static void
receive(struct player *p, weir_ps at)
{
    struct sim_packet packet = { .sequence = p->round, .dst = H2 - H1, .bytes = 1500 };

    sim_live_take(p->sim, 0, at, &packet);
}

static void
report_round(struct player *p, enum act act)
{
    struct sim_parcel parcel = { 0 };
    bool is_late = act == IS_LATE_IN_MIDDLE && next_round_ps(p) >= p->until_ps / 2;
    weir_ps at = is_late ? p->until_ps - 1 : next_round_ps(p);

    sim_live_run(p->sim, at);
    for (uint32_t i = 0; i < n_received[act]; i++) {
        receive(p, at);
    }
    sim_live_ran(p->sim, at);
    sim_live_report(p->sim, at, &parcel);
    say(p, LAB_REPORT, at, parcel.bytes, parcel.n);
    sim_parcel_free(&parcel);
    p->round++;
}

/* Reports the rounds of the run when they end; a slow node reports all of them late. */
static void
report(struct player *p, enum act act)
{
    weir_ps missed_ps = n_missed[act] * p->asked.every_ps;

    while (next_round_ps(p) + missed_ps <= p->until_ps) {
        while (act != SLOW && lab_clock_ns() < p->start_ns + (uint64_t)next_round_ps(p) / 1000) {
            sleep_ms(1);
        }
        if (act == DIES && p->round == 2) {
            raise(SIGKILL);
        }
        if (act == SLOW && !p->round) {
            sleep_ms(100);
        }
        report_round(p, act);
        hear_stop(p);
    }
}

static void
report_last(struct player *p)
{
    struct dp_counts counts = { .n_sent = 40 + p->child->node };
    const struct dp_lateness five_s = { .n = 1, .most_ps = 5 * WEIR_PS_PER_S };
    struct sim_parcel parcel = { 0 };

    counts.answers = p->child->node == S1 ? five_s : counts.answers;
    sim_parcel_add(&parcel, &counts, sizeof counts);
    sim_parcel_add(&parcel, p->crossed,
                   p->child->scenario->topo.nodes[p->child->node].n_ports * sizeof *p->crossed);
    sim_live_report(p->sim, p->until_ps, &parcel);
    say(p, LAB_LAST, p->until_ps, parcel.bytes, parcel.n);
}

static int
play(const struct lab_child *child)
{
    struct player p = { .child = child, .line = { .socket = child->socket } };
    enum act act = acts[child->node];
    uint32_t n_rounds;

    await(&p, LAB_BEGIN, &p.asked, sizeof p.asked);
    if (act == FAILS) {
        say(&p, LAB_FAILED, 0, "there is no such interface", 27);
        return EXIT_WORLD;
    }
    if (act == IS_ASKED) {
        const struct sim_config *a = &p.asked.sim;
        bool is_right = a->seed == 7 && a->until_ps == 10000000000 && a->why &&
                        a->measured.from_ps == 3000000000 && a->notes;
        say(&p, LAB_FAILED, 0, is_right ? "right" : "wrong", 6);
        return EXIT_WORLD;
    }
    p.until_ps = p.asked.sim.until_ps;
    make_sim(&p);
    if (act == IS_READY_LATE) {
        nanosleep(&(struct timespec){ .tv_sec = 5, .tv_nsec = 500000000 }, NULL);
    }
    if (act == IS_READY_LAST || act == IS_STOPPED) {
        raise(SIGSTOP); /* The process stops until the others are ready, or for ever. */
    }
    say(&p, LAB_READY, 0, NULL, 0);
    await(&p, LAB_START, &p.start_ns, sizeof p.start_ns);
    if (act == IS_STUCK) {
        await(&p, LAB_N_WORDS, NULL, 0); /* Waits for a message that does not exist. */
    }
    report(&p, act);
    if (act == IS_AWAY && p.until_ps < AWAY_UNTIL_PS) {
        p.until_ps = AWAY_UNTIL_PS;
    }
    sim_live_end(p.sim, p.until_ps);
    say(&p, LAB_ENDED, 0, NULL, 0);
    await(&p, LAB_DRAIN, &n_rounds, sizeof n_rounds);
    while (p.round < n_rounds) {
        report_round(&p, act);
    }
    report_last(&p);
    return EXIT_GOOD;
}

/* A lab without namespaces. */

static struct lab lab;
static char lines[4000];

static void
open_lab(const struct scenario *s)
{
    lab = (struct lab){ .scenario = s, .processes = processes, .n = N_NODES };
    for (uint32_t id = 0; id < N_NODES; id++) {
        int ends[2];
        assert_int_equal(socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends), 0);
        processes[id].socket = ends[0];
        processes[id].pid = fork();
        if (!processes[id].pid) {
            const struct lab_child child = { s, id, ends[1] };
            for (uint32_t i = 0; i <= id; i++) {
                close(processes[i].socket);
            }
            signal(SIGINT, SIG_IGN);
            _exit(play(&child));
        }
        close(ends[1]);
    }
}

static void
close_lab(void)
{
    for (uint32_t id = 0; id < N_NODES; id++) {
        if (processes[id].pid) {
            kill(processes[id].pid, SIGKILL);
            waitpid(processes[id].pid, NULL, 0);
        }
        if (processes[id].socket >= 0) {
            close(processes[id].socket);
        }
    }
}

static void
record_line(void *arg, const char *line)
{
    size_t len = strlen(lines);

    (void)arg;
    snprintf(lines + len, sizeof lines - len, "%s\n", line);
    if (strstr(line, "the run begins")) {
        begun_ns = lab_clock_ns();
    }
}

static char place[] = "/tmp/weir-coordinate-XXXXXX", results[64];

static int
coordinate_text(const char *scenario, struct outcome *o, struct err *err)
{
    const struct lab_listener listener = { .report = record_line };
    struct scn_source source = { .name = "small.yaml", .text = scenario };

    *o = (struct outcome){ 0 };
    *err = (struct err){ 0 };
    lines[0] = '\0';
    begun_ns = 0;
    passed_ns = 0;
    n_words = 0;
    of_lab = getpid();
    unlink(results);
    assert_true(scn_read(&o->s, &source, &(struct scn_files){ 0 }, NULL, 0, err));
    stopping_begin(NULL);
    stopping_hold(NULL, NULL);
    open_lab(&o->s);
    int code = lab_coordinate(
        &lab, o, &(struct outcome_job){ .file = "small.yaml", .n_threads = 1, .results = results },
        &listener, err);
    close_lab();
    stopping_let_go();
    return code;
}

#endif
