/* Checks that invariants can fail: each kind of error of a switch ends the run, and the output
 * names the violated invariant.  An event in the inbox of a wrong node also ends the run. */

#include <signal.h>
#include <stdio.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "net.h"
#include "sim/host/host.h"
#include "sim/invariants.h"

/* An error that a switch makes after it has sent a packet; 'other' is a port that did not send. */
typedef void mistake(struct sim_thread *, struct sim_node *, uint32_t other, weir_ps now);

static void
lose_a_place(struct sim_thread *t, struct sim_node *n, uint32_t other, weir_ps now)
{
    (void)t, (void)other, (void)now;
    n->pool[sim_held_new(n)].packet.bytes = 0;
}

static void
count_too_much(struct sim_thread *t, struct sim_node *n, uint32_t other, weir_ps now)
{
    (void)t, (void)other, (void)now;
    n->buffer.used_bytes++;
}

static void
count_what_is_not_there(struct sim_thread *t, struct sim_node *n, uint32_t other, weir_ps now)
{
    (void)t, (void)now;
    weir_buffer_admit(&n->buffer, other, other, 100);
}

static void
wake_nobody(struct sim_thread *t, struct sim_node *n, uint32_t other, weir_ps now)
{
    (void)t;
    n->ports[other].wake_ps = now + 123456789;
}

static void
forget_a_timer(struct sim_thread *t, struct sim_node *n, uint32_t other, weir_ps now)
{
    (void)t, (void)other, (void)now;
    memset(n->timers, 0, sizeof(weir_ps)); /* The timer was to fire at 0. */
}

static void
offer_what_is_not_there(struct sim_thread *t, struct sim_node *n, uint32_t other, weir_ps now)
{
    (void)t, (void)now;
    n->ports[other].up = false; /* The port is down, so that it does not try to send the packet. */
    n->ports[other].active ^= 1;
}

static void
expect_the_past(struct sim_thread *t, struct sim_node *n, uint32_t other, weir_ps now)
{
    sim_node_expect(t, n, 0, other, 0, now - 100000000);
}

/* The error that a switch makes from some time on. It is global, because a kind has no memory of
 * its own. */
static mistake *err_by;

static weir_ps
send_and_err(struct sim_thread *t, struct sim_node *n, uint32_t port, uint32_t cls, weir_ps now)
{
    weir_ps at = sim_kind_find("oq")->send(t, n, port, cls, now);

    if (err_by && at <= now && now > 300000000) {
        err_by(t, n, port ? 0 : 1, now);
    }
    return at;
}

static enum sim_breakage breakage;

static void
break_between_windows(void *arg, struct sim *sim, weir_ps now)
{
    (void)arg;
    if (now > 300000000) {
        sim_break(sim, breakage);
    }
}

static void
run_network(struct net *net)
{
    struct sim *sim = net_run(net, "pfc", "fifo", 1);

    sim_free(sim);
}

/* Runs a network in a process of its own, which must end by an assert with the text 'what'; null:
 * the run must succeed. */
static void
assert_ends(struct net *net, const char *what)
{
    char said[4000] = "";
    int pipes[2], status;

    assert_int_equal(pipe(pipes), 0);
    pid_t child = fork();
    if (child == 0) {
        setrlimit(RLIMIT_CORE, &(struct rlimit){ 0, 0 });
        signal(SIGABRT, SIG_DFL);
        dup2(pipes[1], 2);
        run_network(net);
        _exit(0);
    }
    close(pipes[1]);
    size_t n = 0;
    for (ssize_t more = 1; more > 0 && n < sizeof said - 1; n += (size_t)more) {
        more = read(pipes[0], said + n, sizeof said - 1 - n);
    }
    close(pipes[0]);
    assert_int_equal(waitpid(child, &status, 0), child);
    if (what ? !WIFSIGNALED(status) || WTERMSIG(status) != SIGABRT || !strstr(said, what)
             : !WIFEXITED(status) || WEXITSTATUS(status)) {
        fail_msg("wanted: %s; status %d: %s", what ? what : "a good end", status, said);
    }
}

static void
start(struct net *net, struct sim_kind *kind)
{
    static const struct topo_build incast = {
        .hosts = 4, .link = { .rate_bps = 10000000000, .delay_ps = 1000000 }
    };

    *kind = *sim_kind_find("oq");
    kind->send = send_and_err;
    net_start(net, topo_build_incast, &incast, MODEL_ENDLESS, 1);
    net->config.kind = kind;
}

static void
a_switch_that_errs_is_caught(void **state)
{
    static const struct {
        mistake *by;
        const char *what;
    } mistakes[] = {
        { NULL, NULL },
        { lose_a_place, "pool_adds_up" },
        { count_too_much, "buffer_adds_up" },
        { count_what_is_not_there, "sim_node_is_conserved" },
        { wake_nobody, "ports_will_wake" },
        { forget_a_timer, "timers_will_fire" },
        { offer_what_is_not_there, "kind->holds" },
        { expect_the_past, "ahead >= " },
    };
    struct sim_kind kind;
    struct net net;

    (void)state;
    start(&net, &kind);
    for (size_t i = 0; i < sizeof mistakes / sizeof *mistakes; i++) {
        err_by = mistakes[i].by;
        assert_ends(&net, mistakes[i].what);
    }
    net_stop(&net);
}

static void
mail_in_the_wrong_place_is_caught(void **state)
{
    static const char *const what[] = { [SIM_BREAK_INBOX] = "window_is_filed",
                                        [SIM_BREAK_BUSY] = "window_is_filed",
                                        [SIM_BREAK_CHUNKS] = "chunks_add_up",
                                        [SIM_BREAK_HEAP] = "heap_is_in_order" };
    struct sim_kind kind;
    struct net net;

    (void)state;
    start(&net, &kind);
    err_by = NULL;
    net.config.run.sample = break_between_windows;
    net.config.run.sample_ps = 10000000;
    for (size_t i = 0; i < sizeof what / sizeof *what; i++) {
        breakage = (enum sim_breakage)i;
        assert_ends(&net, what[i]);
    }
    net_stop(&net);
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_switch_that_errs_is_caught),
        cmocka_unit_test(mail_in_the_wrong_place_is_caught),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
