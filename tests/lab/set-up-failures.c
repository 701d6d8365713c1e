/* Faults while a lab is set up: each call to the system fails once, or ends the process that makes
 * it, or comes just after Ctrl-C.  Only a lab that was killed leaves something behind: its folder,
 * which the next lab removes.
 *
 *     lab-set-up-failures [all]              every call of its kind; else a part of them
 *
 * The calls are replaced by the linker (--wrap) and counted over all processes of a lab. */

#define _GNU_SOURCE

#include "small.h"

#include <stdatomic.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/time.h>

#include "run/stopping.h"

enum harm { FAILS, IS_KILLED, IS_INTERRUPTED, IS_STUCK };
enum call { MKDIR, FOPEN, UNSHARE, FORK, SOCKETPAIR, SOCKET, SEND, RECV, IOCTL, N_CALLS };

static const struct {
    const char *name;
    int error;          /* The errno of the call that fails. */
    int step;           /* If there are many similar calls, one in this number of calls fails. */
    bool has_other_way; /* If this call fails, the lab uses another one instead. */
} calls[N_CALLS] = {
    [MKDIR] = { "mkdir", ENOSPC, 1, true },
    [FOPEN] = { "fopen", EMFILE, 3 },
    [UNSHARE] = { "unshare", ENOSPC, 1 },
    [FORK] = { "fork", EAGAIN, 1 },
    [SOCKETPAIR] = { "socketpair", EMFILE, 2 },
    [SOCKET] = { "socket", EMFILE, 2 },
    [SEND] = { "send", ENOBUFS, 5 },
    [RECV] = { "recv", ENOMEM, 5 },
    [IOCTL] = { "ioctl", EOPNOTSUPP, 9 },
};

static bool harms_all; /* Every call fails once, instead of a part of the calls. */

struct harming { /* The fault to cause, in memory shared by all processes. */
    enum harm harm;
    enum call call;
    int at;
    _Atomic int n; /* The number of calls so far. */
    pid_t lab;     /* The PID of the lab; 0 causes no fault. */
};

static struct harming *harming;

/* Whether this call is to fail; causes other faults itself. */
static bool
is_harmed(enum call call)
{
    if (!harming || !harming->lab || harming->call != call || ++harming->n != harming->at) {
        return false;
    }
    if (harming->harm == IS_KILLED) {
        kill(getpid(), SIGKILL);
    }
    if (harming->harm == IS_INTERRUPTED) {
        kill(harming->lab, SIGINT);
    }
    if (harming->harm == IS_STUCK) {
        raise(SIGSTOP);
    }
    errno = calls[call].error;
    return harming->harm == FAILS;
}

#define REPLACED(CALL, TYPE, NAME, PARAMETERS, ARGUMENTS, FAILED)                                  \
    TYPE __real_##NAME PARAMETERS;                                                                 \
    TYPE __wrap_##NAME PARAMETERS;                                                                 \
    TYPE __wrap_##NAME PARAMETERS                                                                  \
    {                                                                                              \
        return is_harmed(CALL) ? (FAILED) : __real_##NAME ARGUMENTS;                               \
    }

REPLACED(MKDIR, int, mkdir, (const char *path, mode_t mode), (path, mode), -1)
REPLACED(FOPEN, FILE *, fopen64, (const char *path, const char *mode), (path, mode), NULL)
REPLACED(UNSHARE, int, unshare, (int flags), (flags), -1)
REPLACED(FORK, pid_t, fork, (void), (), -1)
REPLACED(SOCKETPAIR, int, socketpair, (int domain, int type, int protocol, int ends[2]),
         (domain, type, protocol, ends), -1)
REPLACED(SOCKET, int, socket, (int domain, int type, int protocol), (domain, type, protocol), -1)
REPLACED(SEND, ssize_t, send, (int s, const void *bytes, size_t n, int flags), (s, bytes, n, flags),
         -1)
REPLACED(RECV, ssize_t, recv, (int s, void *bytes, size_t n, int flags), (s, bytes, n, flags), -1)
REPLACED(IOCTL, int, ioctl, (int s, unsigned long request, void *about), (s, request, about), -1)

/* Opens and closes a lab, as the command does. */

static int
open_and_close(void *arg)
{
    struct scenario *s = arg;
    struct err err = { 0 };
    struct lab l;

    prctl(PR_SET_CHILD_SUBREAPER, 0);
    stopping_begin(NULL);
    stopping_hold(NULL, NULL);
    harming->lab = getpid();
    int code = lab_open(&l, s, small_idle, &err);
    if (code == EXIT_GOOD) {
        lab_close(&l);
    }
    stopping_let_go();
    if (code != EXIT_GOOD && !*err.text) {
        return EXIT_DIFFERS; /* The lab failed without a message. */
    }
    return code;
}

static void
expect_end(int status, const char *what)
{
    enum harm harm = harming->harm;
    int code = WIFEXITED(status) ? WEXITSTATUS(status) : -1;
    bool good = code == EXIT_GOOD || (code == EXIT_WORLD && harm != IS_INTERRUPTED) ||
                (code == EXIT_STOPPED && harm == IS_INTERRUPTED) ||
                (WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL && harm == IS_KILLED);

    if (!good) {
        fail_msg("%s: exit code %d, signal %d", what, code, WTERMSIG(status));
    }
}

/* Causes the fault at one call after another; returns how often the lab was not set up. */
static int
harm_each(enum harm harm, enum call call, struct scenario *s)
{
    int n_harmed = 0;

    for (int at = harms_all ? 1 : 1 + (int)harm;; at += harms_all ? 1 : 2 * calls[call].step) {
        char what[100];
        *harming = (struct harming){ .harm = harm, .call = call, .at = at };
        snprintf(what, sizeof what, "%s number %d", calls[call].name, at);
        int status = small_run(open_and_close, s);
        bool is_over = harming->n < at;
        expect_end(status, what);
        harming->lab = 0;
        small_expect_nobody(WIFSIGNALED(status));
        if (WIFSIGNALED(status)) {
            small_clean();
        }
        if (small_has_folder()) {
            fail_msg("%s: a folder is left", what);
        }
        if (is_over) {
            assert_int_equal(status, 0);
            return n_harmed;
        }
        n_harmed += status != 0;
    }
}

/* Causes the fault at every kind of call.  A failing call must have an effect, unless the lab has
 * another way. An interrupt at the last calls comes too late. */
static void
harm_all(enum harm harm)
{
    struct scenario s;
    int n_all = 0;

    small_read(&s, NULL);
    for (enum call call = 0; call < N_CALLS; call++) {
        int n_harmed = harm_each(harm, call, &s);
        if (!n_harmed && harm == FAILS && !calls[call].has_other_way) {
            fail_msg("%s may fail as it likes, and nobody minds", calls[call].name);
        }
        n_all += n_harmed;
    }
    assert_true(n_all > 0);
    scn_free(&s);
}

static void
a_step_that_fails_leaves_nothing(void **state)
{
    (void)state;
    harm_all(FAILS);
}

static void
a_process_that_is_killed_leaves_nothing(void **state)
{
    (void)state;
    harm_all(IS_KILLED);
}

static void
an_interrupt_leaves_nothing(void **state)
{
    (void)state;
    harm_all(IS_INTERRUPTED);
}

/* If a user cannot look at the processes of a lab, the lab is left alone. */
static void
a_lab_that_cannot_be_looked_at_is_left_alone(void **state)
{
    char folder[RUN_FOLDER_BYTES];
    struct err err;

    (void)state;
    *harming = (struct harming){ 0 };
    assert_true(run_folder_make(folder, &err));
    for (int at = 1; at <= 3; at++) {
        *harming = (struct harming){ .harm = FAILS, .call = FOPEN, .at = at, .lab = getpid() };
        struct run_folder_cleaned done = small_clean();
        assert_true(harming->n >= at);
        assert_int_equal(done.n_running, 1);
        assert_int_equal(done.n_labs, 0);
    }
    harming->lab = 0;
    run_folder_remove(folder);
    assert_false(small_has_folder());
}

/* The user interrupts a lab that waits for a stopped process. */

static void
interrupt(int signal)
{
    (void)signal;
    kill(getpid(), SIGINT);
}

static int
open_and_interrupt(void *s)
{
    const struct itimerval soon = { .it_value = { .tv_usec = 200000 } };

    signal(SIGALRM, interrupt);
    setitimer(ITIMER_REAL, &soon, NULL);
    return open_and_close(s);
}

static void
expect_end_of_stuck(int (*opens)(void *), int code)
{
    struct scenario s;

    small_read(&s, NULL);
    *harming = (struct harming){ .harm = IS_STUCK, .call = UNSHARE, .at = 3 };
    int status = small_run(opens, &s);
    harming->lab = 0;
    assert_true(WIFEXITED(status));
    assert_int_equal(WEXITSTATUS(status), code);
    small_expect_nobody(false);
    assert_false(small_has_folder());
    scn_free(&s);
}

static void
who_waits_for_a_stuck_process_can_be_interrupted(void **state)
{
    (void)state;
    expect_end_of_stuck(open_and_interrupt, EXIT_STOPPED);
}

/* Without an interrupt, the lab itself ends the wait for a stopped process. */
static void
a_process_that_is_stopped_is_not_waited_for(void **state)
{
    (void)state;
    expect_end_of_stuck(open_and_close, EXIT_WORLD);
}

int
main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_step_that_fails_leaves_nothing),
        cmocka_unit_test(a_process_that_is_killed_leaves_nothing),
        cmocka_unit_test(an_interrupt_leaves_nothing),
        cmocka_unit_test(a_lab_that_cannot_be_looked_at_is_left_alone),
        cmocka_unit_test(a_process_that_is_stopped_is_not_waited_for),
        cmocka_unit_test(who_waits_for_a_stuck_process_can_be_interrupted),
    };

    harms_all = argc > 1 && !strcmp(argv[1], "all");
    harming =
        mmap(NULL, sizeof *harming, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    return harming == MAP_FAILED ? 1 : SMALL_MAIN("harm", tests);
}
