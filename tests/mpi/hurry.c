/* A rank that gets a signal to stop. After SIGTERM it has to hurry, because a launcher kills ranks
 * soon after that signal. After SIGINT no rank is killed, so ranks on other machines have all the
 * time they need.
 *
 * The rank is the only one here; the watcher of its run asks it to stop once the run has started.
 */

#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include <cmocka.h>

#include "run/outcome.h"

/* This run is longer than any test waits. */
static const char scenario[] = "topology: {kind: ring, switches: 3, rate: 10Gbps, delay: 1us}\n"
                               "workload: {kind: permutation}\n"
                               "run: {time: 1000s}\n";

static bool
swap_with_nobody(void *arg, const struct sim_parcel *out, struct sim_parcel *in, struct err *err)
{
    (void)arg, (void)out, (void)in, (void)err;
    return true;
}

static void
count_hurry(void *n_hurries)
{
    ++*(int *)n_hurries;
}

struct asked {
    int signal;
    bool was_asked;
};

static void
ask_once(void *arg, weir_ps done_ps, weir_ps until_ps, double elapsed_s)
{
    struct asked *a = arg;

    (void)done_ps, (void)until_ps, (void)elapsed_s;
    if (!a->was_asked) {
        a->was_asked = true;
        kill(getpid(), a->signal);
    }
}

/* Number of times that the rank had to hurry. */
static int
hurries_after(int signal)
{
    char path[] = "hurry-XXXXXX";
    int n_hurries = 0, fd = mkstemp(path);
    struct asked asked = { .signal = signal };
    struct sim_ranks alone = { .n = 1, .swap = swap_with_nobody };
    struct outcome_ranks ranks = { .sim = &alone, .hurry = count_hurry, .arg = &n_hurries };
    struct outcome_watcher watcher = { .report = ask_once, .arg = &asked };
    struct outcome_job job = { .file = path, .n_threads = 1, .ranks = &ranks, .watcher = &watcher };
    struct outcome o;
    struct err err;

    assert_int_equal(write(fd, scenario, sizeof scenario - 1), sizeof scenario - 1);
    close(fd);
    assert_int_equal(outcome_run(&o, &job, &err), EXIT_GOOD);
    assert_true(o.is_stopped);
    outcome_free(&o);
    unlink(path);
    return n_hurries;
}

static void
test_sigterm_hurries(void **state)
{
    (void)state;
    assert_int_equal(hurries_after(SIGTERM), 1);
}

static void
test_sigint_does_not(void **state)
{
    (void)state;
    assert_int_equal(hurries_after(SIGINT), 0);
}

int
main(void)
{
    const struct CMUnitTest tests[] = { cmocka_unit_test(test_sigterm_hurries),
                                        cmocka_unit_test(test_sigint_does_not) };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
