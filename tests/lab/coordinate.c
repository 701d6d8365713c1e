/* Who coordinates the processes of a lab, with processes that only play: what they say is put
 * together round by round, whatever their pace, and one that fails, dies or is told to stop ends
 * the run in words. */

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

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

#include <cmocka.h>

#include "bind/bind.h"
#include "lab/lab.h"
#include "lab/reports.h"
#include "record/reader.h"
#include "run/outcome.h"
#include "run/stopping.h"
#include "run/warnings.h"
#include "sim/live.h"

enum { S1, H1, H2, N_NODES };

/* Nothing is sent before it is over: the processes have no links. */
static const char text[] = "topology: {kind: incast, hosts: 1, rate: 100Mbps, delay: 1us}\n"
                           "flows: [{from: H1, to: H2, start: 1s}]\n"
                           "record: {every: 5ms}\n"
                           "run: {time: 60ms}\n";

/* Nodes are asked for what the run is asked for. */
static const char asking_text[] = "topology: {kind: incast, hosts: 1, rate: 100Mbps, delay: 1us}\n"
                                  "flows: [{from: H1, to: H2, start: 1s}]\n"
                                  "record: {every: 5ms, outputs: yes, why: yes}\n"
                                  "run: {time: 10ms, warm_up: 3ms, seed: 7}\n";

/* So long that on any machine it is stopped before it is over. */
static const char long_text[] = "topology: {kind: incast, hosts: 1, rate: 100Mbps, delay: 1us}\n"
                                "flows: [{from: H1, to: H2, start: 20s}]\n"
                                "record: {every: 5ms}\n"
                                "run: {time: 10s}\n";

/* Shorter than the time that all have to hear that they are to stop. */
static const char short_text[] = "topology: {kind: incast, hosts: 1, rate: 100Mbps, delay: 1us}\n"
                                 "flows: [{from: H1, to: H2, start: 1s}]\n"
                                 "record: {every: 5ms}\n"
                                 "run: {time: 10ms}\n";

static const char stopped_text[] = "topology: {kind: incast, hosts: 1, rate: 100Mbps, delay: 1us}\n"
                                   "flows: [{from: H1, to: H2, bytes: 100MB, stop: 10ms}]\n"
                                   "record: {every: 5ms}\n"
                                   "run: {time: 20ms, run_out: 1s}\n";

/* Ten packets are sent, and as there are no links, none comes. */
static const char losing_text[] = "topology: {kind: incast, hosts: 1, rate: 100Mbps, delay: 1us}\n"
                                  "engine: pfc\n"
                                  "flows: [{from: H1, to: H2, bytes: 15000B}]\n"
                                  "wire: {mtu: 1500B}\n"
                                  "transport: {kind: rdma}\n"
                                  "record: {every: 5ms}\n"
                                  "run: {time: 20ms}\n";

/* A link goes down between the last two rounds. */
static const char down_text[] = "topology: {kind: incast, hosts: 1, rate: 100Mbps, delay: 1us,\n"
                                "           links: [{ends: [S1, H1], down: 57ms}]}\n"
                                "flows: [{from: H1, to: H2, start: 1s}]\n"
                                "record: {every: 5ms}\n"
                                "run: {time: 60ms}\n";

enum { MAX_PORTS = 2 }; /* Of a node. */

enum act {
    PLAIN,
    SLOW,
    FAILS,
    DIES,
    IS_READY_LATE,
    IS_READY_LAST,
    IS_AWAY,
    MISSES_LAST_ROUND,
    IS_LATE_IN_MIDDLE,
    RECEIVES,
    FORWARDS,
    IS_STUCK,
    IS_ASKED,
    N_ACTS
};

/* Packets at the end of each round: of two, one waits for the other. */
static const uint32_t n_received[N_ACTS] = { [RECEIVES] = 1, [FORWARDS] = 2 };

/* Rounds at the end of the run, of which nothing is said before all have ended. */
static const uint32_t n_missed[N_ACTS] = { [MISSES_LAST_ROUND] = 1, [FORWARDS] = 3 };

static enum act acts[N_NODES];

#define AWAY_UNTIL_PS ((weir_ps)9000000000000)

/* Sockets that have no room for so many messages of the lab. */

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

/* The clock, of the lab alone.  Where it is to be late, a long time passes from one word to the
 * next until the run begins; where it is away, once while it waits for words; and where time flies,
 * a while each time that it waits once it has begun. */

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

/* Ctrl-C, which comes while the lab waits for words: by then it hears of it. */

enum interrupt {
    NONE,
    BEFORE_IT_BEGINS,
    AT_ONCE,
    LATER
}; /* As soon as it is said that it begins. */

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

/* A process that plays. */

struct player {
    const struct lab_child *child;
    struct lab_line line;
    struct lab_asked asked;
    struct sim_live live;
    struct sim *sim;
    struct dp_crossed crossed[MAX_PORTS];
    uint64_t start_ns;
    weir_ps until_ps;
    uint32_t round; /* The next. */
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
    struct plant plant;
    struct err err;

    p->live = (struct sim_live){ .node = p->child->node, .arg = p, .sent = note_sent };
    if (!bind_plant(p->child->scenario, &plant, &err)) {
        _exit(EXIT_USER);
    }
    p->sim = sim_new(&(struct sim_config){ .until_ps = p->asked.until_ps,
                                           .notes = p->asked.notes,
                                           .live = &p->live },
                     &plant, &err);
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

/* Packets that nobody has sent. */
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

/* Rounds in the time of the run; who is slow has them all at the end. */
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
        const struct lab_asked *a = &p.asked;
        bool is_right = a->seed == 7 && a->until_ps == 10000000000 && a->why && a->outputs &&
                        a->measured_from_ps == 3000000000 && a->notes;
        say(&p, LAB_FAILED, 0, is_right ? "right" : "wrong", 6);
        return EXIT_WORLD;
    }
    p.until_ps = p.asked.until_ps;
    make_sim(&p);
    if (act == IS_READY_LATE) {
        nanosleep(&(struct timespec){ .tv_sec = 5, .tv_nsec = 500000000 }, NULL);
    }
    if (act == IS_READY_LAST) {
        raise(SIGSTOP); /* Until the others are. */
    }
    say(&p, LAB_READY, 0, NULL, 0);
    await(&p, LAB_START, &p.start_ns, sizeof p.start_ns);
    if (act == IS_STUCK) {
        await(&p, LAB_N_WORDS, NULL, 0); /* Which nobody says. */
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

/* The lab, without namespaces. */

static struct lab lab;
static char lines[4000];

static void
open_lab(const struct scenario *s)
{
    lab = (struct lab){ .scenario = s, .processes = processes, .n = N_NODES };
    for (uint32_t id = 0; id < N_NODES; id++) {
        int ends[2];
        assert_int_equal(socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, ends), 0);
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
tell(void *arg, const char *line)
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
    const struct lab_teller teller = { .tell = tell };
    struct scn_source source = { .name = "small.yaml", .text = scenario };

    *o = (struct outcome){ 0 };
    *err = (struct err){ "" };
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
        &teller, err);
    close_lab();
    stopping_let_go();
    return code;
}

static int
coordinate(struct outcome *o, struct err *err)
{
    return coordinate_text(text, o, err);
}

/* The only run of the results file. */
struct kept {
    struct rec_rows runs, counters, blocks, events;
};

static struct kept
read_kept(void)
{
    struct kept k = { 0 };
    struct err err;
    struct rec_file *file = rec_read_open(results, &err);

    assert_non_null(file);
    assert_true(rec_read_all(file, REC_RUN, 0, &k.runs, &err));
    assert_true(rec_read_all(file, REC_COUNTER, 1, &k.counters, &err));
    assert_true(rec_read_all(file, REC_BLOCK, 1, &k.blocks, &err));
    assert_true(rec_read_all(file, REC_EVENT, 1, &k.events, &err));
    rec_read_close(file);
    assert_int_equal(k.runs.n, 1);
    return k;
}

static void
free_kept(struct kept *k)
{
    rec_rows_free(&k->runs, REC_RUN);
    rec_rows_free(&k->counters, REC_COUNTER);
    rec_rows_free(&k->blocks, REC_BLOCK);
    rec_rows_free(&k->events, REC_EVENT);
}

static uint64_t
counter_of(const struct kept *k, const char *object, uint32_t id, const char *name)
{
    for (size_t i = 0; i < k->counters.n; i++) {
        const struct rec_counter *c = rec_row(&k->counters, REC_COUNTER, i);
        if (!strcmp(c->object, object) && c->object_id == id && !strcmp(c->name, name)) {
            return c->value;
        }
    }
    fail_msg("%s %u has no counter %s", object, id, name);
    return 0;
}

static void
expect_status(const char *status)
{
    struct kept k = read_kept();
    const struct rec_run *run = rec_row(&k.runs, REC_RUN, 0);

    assert_string_equal(run->status, status);
    assert_string_equal(run->host, "lab");
    free_kept(&k);
}

/* Who is slow holds up rounds, but none is missing or heard twice. */
static void
rounds_are_heard_whatever_the_pace(void **state)
{
    struct outcome o;
    struct err err;

    (void)state;
    acts[H1] = SLOW;
    int code = coordinate(&o, &err);
    acts[H1] = PLAIN;
    if (code != EXIT_GOOD) {
        fail_msg("%d: %s", code, err.text);
    }
    assert_false(o.is_stopped);
    assert_int_equal(sim_now(o.sim), 60000000000);
    outcome_free(&o);
    expect_status("complete");
    struct kept k = read_kept();
    const struct rec_block *samples = rec_row(&k.blocks, REC_BLOCK, 0);
    assert_int_equal(samples->n_rows, 12);
    assert_int_equal(samples->first_ps, 5000000000);
    assert_int_equal(samples->last_ps, 60000000000);
    assert_int_equal(counter_of(&k, "node", H2, "lab.n_sent"), 40 + H2);
    assert_true(counter_of(&k, "node", S1, "lab.tau_derived_ps") > 240000000);
    free_kept(&k);
}

/* What happened there is known, although somebody was away then, and reports of it last of all. */
static void
a_round_that_somebody_missed_is_heard(void **state)
{
    struct outcome o;
    struct err err;

    (void)state;
    acts[H2] = MISSES_LAST_ROUND;
    assert_int_equal(coordinate_text(down_text, &o, &err), EXIT_GOOD);
    acts[H2] = PLAIN;
    outcome_free(&o);
    struct kept k = read_kept();
    assert_int_equal(k.events.n, 2); /* One at each end of the link. */
    free_kept(&k);
}

/* What came to a sink since the middle counts for the time since then, however much later others
 * have reported of the middle. */
static void
rates_do_not_depend_on_who_is_late(void **state)
{
    struct outcome o;
    struct err err;

    (void)state;
    acts[S1] = IS_LATE_IN_MIDDLE;
    acts[H2] = RECEIVES;
    assert_int_equal(coordinate(&o, &err), EXIT_PROMISE);
    acts[S1] = acts[H2] = PLAIN;
    assert_int_equal(sim_flow_result(o.sim, 0).received_bytes, 12 * 1500);
    assert_int_equal(sim_flow_late_bps(o.sim, 0), 8 * 1500 * 200); /* Every 5 ms. */
    outcome_free(&o);
}

/* They are over what a node has seen itself, which is less if it was away at the end. */
static void
means_do_not_depend_on_who_is_away(void **state)
{
    struct outcome o;
    struct err err;

    (void)state;
    acts[S1] = FORWARDS;
    assert_int_equal(coordinate(&o, &err), EXIT_PROMISE);
    acts[S1] = PLAIN;
    uint32_t port = o.s.topo.nodes[S1].first_port;
    assert_int_equal(sim_queue_mean_bytes(o.sim, port, 0), 1500);
    outcome_free(&o);
}

/* Others have waited for longer than they may be silent while it runs.  Takes seconds, so it is run
 * by name alone: lab-coordinate late. */
static void
who_is_ready_late_is_waited_for(void **state)
{
    struct outcome o;
    struct err err;

    (void)state;
    acts[S1] = IS_READY_LATE;
    int code = coordinate(&o, &err);
    acts[S1] = PLAIN;
    assert_int_equal(code, EXIT_GOOD);
    outcome_free(&o);
}

/* It took minutes until all were ready, but never long from one to the next. */
static void
who_is_ready_may_be_silent(void **state)
{
    struct outcome o;
    struct err err;

    (void)state;
    acts[H2] = IS_READY_LAST;
    lab_is_late = true;
    int code = coordinate(&o, &err);
    acts[H2] = PLAIN;
    if (code != EXIT_GOOD) {
        fail_msg("%d: %s", code, err.text);
    }
    outcome_free(&o);
}

/* Stopped by Ctrl-Z and gone on again: that nobody has said anything meanwhile means nothing. */
static void
a_lab_that_was_away_blames_nobody(void **state)
{
    struct outcome o;
    struct err err;

    (void)state;
    lab_is_away = true;
    int code = coordinate(&o, &err);
    lab_is_away = false;
    if (code != EXIT_GOOD) {
        fail_msg("%d: %s", code, err.text);
    }
    outcome_free(&o);
}

static bool
is_warned_of(const struct outcome *o, const char *words)
{
    struct weir_text warnings[WARNINGS_MAX];
    bool is_warned = false;

    for (size_t n = warnings_list(o, warnings); n--;) {
        is_warned |= strstr(warnings[n].s, words) != NULL;
    }
    return is_warned;
}

/* It is counted at the port that sent it, is told, breaks the promise of its class, and then all
 * adds up; senders do not send again for nothing. */
static void
what_was_sent_and_did_not_come_is_lost(void **state)
{
    struct outcome o;
    struct err err;

    (void)state;
    assert_int_equal(coordinate_text(losing_text, &o, &err), EXIT_PROMISE);
    uint32_t port = o.s.topo.nodes[H1].first_port;
    uint64_t n_sent = sim_port_result(o.sim, port).n_sent;
    assert_true(n_sent >= 10);
    assert_int_equal(sim_port_result(o.sim, port).n_lost, n_sent);
    assert_int_equal(o.totals.n_lost, n_sent);
    assert_string_equal(o.imbalance.text, "");
    assert_int_equal(o.n_lost_lossless, n_sent);
    assert_string_equal(o.violations[0].what,
                        "packets of a lossless class were lost between nodes");
    assert_true(is_warned_of(&o, "packets were lost between H1 and S1: this machine is too slow "
                                 "for these links (100Mbps); use slower links or fewer nodes."));
    assert_true(is_warned_of(&o, "tau at S1 was up to 5s, measured by pauses"));
    assert_false(is_warned_of(&o, "although no packet was lost"));
    outcome_free(&o);
    struct kept k = read_kept();
    assert_int_equal(counter_of(&k, "port", port, "n_lost"), n_sent);
    free_kept(&k);
}

static void
who_fails_says_why(void **state)
{
    struct outcome o;
    struct err err;

    (void)state;
    acts[H2] = FAILS;
    assert_int_equal(coordinate(&o, &err), EXIT_WORLD);
    acts[H2] = PLAIN;
    assert_string_equal(err.text, "H2: there is no such interface");
    expect_status("failed");
}

static void
nodes_are_asked_for_what_the_run_is(void **state)
{
    struct outcome o;
    struct err err;

    (void)state;
    acts[H2] = IS_ASKED;
    assert_int_equal(coordinate_text(asking_text, &o, &err), EXIT_WORLD);
    acts[H2] = PLAIN;
    assert_string_equal(err.text, "H2: right");
}

static void
a_death_ends_the_run_in_words(void **state)
{
    struct outcome o;
    struct err err;

    (void)state;
    acts[S1] = DIES;
    assert_int_equal(coordinate(&o, &err), EXIT_WORLD);
    acts[S1] = PLAIN;
    assert_non_null(strstr(err.text, "S1"));
    assert_non_null(strstr(err.text, "Killed"));
    expect_status("failed");
}

static void
patience_has_an_end(void **state)
{
    struct outcome o;
    struct err err;

    (void)state;
    acts[S1] = acts[H1] = acts[H2] = IS_STUCK;
    time_flies = true;
    assert_int_equal(coordinate(&o, &err), EXIT_WORLD);
    time_flies = false;
    acts[S1] = acts[H1] = acts[H2] = PLAIN;
    assert_non_null(strstr(err.text, "the process of S1 (number"));
    assert_non_null(strstr(err.text, "has said nothing for 5 s"));
    expect_status("failed");
}

/* What has not come of it will not. */
static void
a_flow_that_is_stopped_is_not_waited_for(void **state)
{
    struct outcome o;
    struct err err;

    (void)state;
    assert_int_equal(coordinate_text(stopped_text, &o, &err), EXIT_PROMISE);
    assert_false(o.is_stopped);
    assert_in_range(sim_now(o.sim), 20000000000, 500000000000);
    outcome_free(&o);
}

/* All end at one time, before that of the scenario. */
static weir_ps
end_of_run_that_is_stopped(enum interrupt when)
{
    struct outcome o;
    struct err err;

    interrupt = when;
    assert_int_equal(coordinate_text(long_text, &o, &err), EXIT_GOOD);
    assert_true(o.is_stopped);
    weir_ps end = sim_now(o.sim);
    outcome_free(&o);
    expect_status("stopped");
    return end;
}

static void
who_is_asked_to_stop_ends_early(void **state)
{
    (void)state;
    assert_in_range(end_of_run_that_is_stopped(LATER), 20000000000, AWAY_UNTIL_PS - 1);
}

/* Time 0 is a while after that is said.  All have as long to hear it as they have later on. */
static void
no_run_ends_before_it_starts(void **state)
{
    (void)state;
    assert_in_range(end_of_run_that_is_stopped(AT_ONCE), 20000000000, AWAY_UNTIL_PS - 1);
}

static void
no_run_is_longer_as_it_is_stopped(void **state)
{
    struct outcome o;
    struct err err;

    (void)state;
    interrupt = AT_ONCE;
    assert_int_equal(coordinate_text(short_text, &o, &err), EXIT_GOOD);
    assert_int_equal(sim_now(o.sim), 10000000000);
    outcome_free(&o);
}

/* It did not hear that it was to stop. */
static void
a_run_is_as_long_as_its_longest_process(void **state)
{
    (void)state;
    acts[H1] = IS_AWAY;
    assert_int_equal(end_of_run_that_is_stopped(AT_ONCE), AWAY_UNTIL_PS);
    acts[H1] = PLAIN;
}

/* All of the first words to all, and one of the second. */
static void
what_a_socket_has_no_room_for_is_said_later(void **state)
{
    struct outcome o;
    struct err err;

    (void)state;
    n_refused = N_NODES + 1;
    assert_int_equal(coordinate(&o, &err), EXIT_GOOD);
    assert_int_equal(n_refused, 0);
    outcome_free(&o);
}

static void
who_is_stopped_before_it_began_has_not_failed(void **state)
{
    struct outcome o;
    struct err err;

    (void)state;
    interrupt = BEFORE_IT_BEGINS;
    assert_int_equal(coordinate(&o, &err), EXIT_STOPPED);
    assert_string_equal(err.text, "stopped before it began");
    expect_status("stopped");
}

static int
begin(void **state)
{
    (void)state;
    if (!mkdtemp(place)) {
        return -1;
    }
    snprintf(results, sizeof results, "%s/run.db", place);
    return 0;
}

static int
end(void **state)
{
    (void)state;
    unlink(results);
    return rmdir(place);
}

int
main(int argc, char **argv)
{
    const struct CMUnitTest late[] = { cmocka_unit_test(who_is_ready_late_is_waited_for) };
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(rounds_are_heard_whatever_the_pace),
        cmocka_unit_test(a_round_that_somebody_missed_is_heard),
        cmocka_unit_test(rates_do_not_depend_on_who_is_late),
        cmocka_unit_test(means_do_not_depend_on_who_is_away),
        cmocka_unit_test(who_is_ready_may_be_silent),
        cmocka_unit_test(a_lab_that_was_away_blames_nobody),
        cmocka_unit_test(what_was_sent_and_did_not_come_is_lost),
        cmocka_unit_test(who_fails_says_why),
        cmocka_unit_test(nodes_are_asked_for_what_the_run_is),
        cmocka_unit_test(a_death_ends_the_run_in_words),
        cmocka_unit_test(patience_has_an_end),
        cmocka_unit_test(a_flow_that_is_stopped_is_not_waited_for),
        cmocka_unit_test(who_is_asked_to_stop_ends_early),
        cmocka_unit_test(who_is_stopped_before_it_began_has_not_failed),
        cmocka_unit_test(no_run_ends_before_it_starts),
        cmocka_unit_test(no_run_is_longer_as_it_is_stopped),
        cmocka_unit_test(a_run_is_as_long_as_its_longest_process),
        cmocka_unit_test(what_a_socket_has_no_room_for_is_said_later),
    };

    return argc > 1 && !strcmp(argv[1], "late") ? cmocka_run_group_tests(late, begin, end)
                                                : cmocka_run_group_tests(tests, begin, end);
}
