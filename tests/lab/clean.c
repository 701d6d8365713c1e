/* What is left of a lab that was killed, and who removes it; and a process of a node that ends. */

#include "small.h"

#include <inttypes.h>
#include <sys/stat.h>

#include "lab/process-id.h"

/* A lab that is killed while it runs; its processes do not listen to it.  Other labs of this user
 * may be running on the machine, so that is no number to count on. */

static int
idle_for_ever(const struct lab_child *c)
{
    while (c) {
        pause();
    }
    return EXIT_GOOD;
}

static int
open_and_die(void *arg)
{
    struct scenario s;
    struct err err;
    struct lab l;

    (void)arg;
    small_read(&s, NULL);
    SMALL_EXPECT(lab_open(&l, &s, idle_for_ever, &err) == EXIT_GOOD);
    raise(SIGKILL);
    return EXIT_GOOD;
}

static int
open_and_close(void *arg)
{
    struct scenario s;
    struct err err;
    struct lab l;

    (void)arg;
    small_read(&s, NULL);
    SMALL_EXPECT(lab_open(&l, &s, small_idle, &err) == EXIT_GOOD);
    lab_close(&l);
    scn_free(&s);
    return EXIT_GOOD;
}

static void
expect_killed(int status)
{
    assert_true(WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL);
    small_expect_nobody(true);
    assert_true(small_has_folder());
}

static void
what_a_killed_lab_left_is_cleaned(void **state)
{
    (void)state;
    expect_killed(small_run(open_and_die, NULL));
    struct run_folder_cleaned done = small_clean();
    assert_int_equal(done.n_labs, 1);
    assert_int_equal(done.n_processes, 0);
    assert_false(small_has_folder());
}

static void
what_a_killed_lab_left_is_cleaned_by_the_next(void **state)
{
    (void)state;
    expect_killed(small_run(open_and_die, NULL));
    assert_int_equal(small_run(open_and_close, NULL), 0);
    small_expect_nobody(false);
    assert_false(small_has_folder());
}

static int
open_and_clean(void *arg)
{
    struct scenario s;
    struct err err;
    struct lab l;

    (void)arg;
    small_read(&s, NULL);
    SMALL_EXPECT(lab_open(&l, &s, small_idle, &err) == EXIT_GOOD);
    struct run_folder_cleaned done = small_clean();
    SMALL_EXPECT(done.n_running == 1 && !done.n_labs && !done.n_processes);
    SMALL_EXPECT(!access(l.folder, F_OK));
    SMALL_EXPECT(process_id_is_alive(process_id_of(l.processes[2].pid)));
    lab_close(&l);
    scn_free(&s);
    return EXIT_GOOD;
}

static void
a_lab_that_runs_is_left_alone(void **state)
{
    (void)state;
    assert_int_equal(small_run(open_and_clean, NULL), 0);
    assert_false(small_has_folder());
}

/* Processes that outlived their lab, which only their credentials could make them; and others that
 * have the number of one that is gone. */

static void
write_folder(const struct process_id *nodes, size_t n)
{
    char path[200];

    snprintf(path, sizeof path, "%s/weir-lab", small_place);
    assert_int_equal(mkdir(path, 0755), 0);
    snprintf(path, sizeof path, "%s/weir-lab/999999999", small_place);
    assert_int_equal(mkdir(path, 0755), 0);
    snprintf(path, sizeof path, "%s/weir-lab/999999999/nodes", small_place);
    FILE *file = fopen(path, "w");
    assert_non_null(file);
    fprintf(file, "999999999 12345 lab\n");
    for (size_t i = 0; i < n; i++) {
        fprintf(file, "%d %" PRIu64 " S%zu\n", (int)nodes[i].pid, nodes[i].ticks, i + 1);
    }
    fclose(file);
}

static pid_t
start_sleeper(void)
{
    pid_t pid = fork();

    if (!pid) {
        prctl(PR_SET_PDEATHSIG, SIGKILL); /* Who fails is not waited for by us. */
        pause();
        _exit(0);
    }
    assert_true(pid > 0);
    return pid;
}

static void
only_who_was_of_the_lab_is_killed(void **state)
{
    pid_t own = start_sleeper(), other = start_sleeper();
    struct process_id nodes[] = { process_id_of(own), process_id_of(other) };
    int status;

    (void)state;
    assert_true(process_id_is_alive(nodes[0]) && process_id_is_alive(nodes[1]));
    nodes[1].ticks--;
    write_folder(nodes, 2);
    struct run_folder_cleaned done = small_clean();
    assert_int_equal(done.n_labs, 1);
    assert_int_equal(done.n_processes, 1);
    assert_int_equal(waitpid(own, &status, 0), own);
    assert_int_equal(WTERMSIG(status), SIGKILL);
    assert_int_equal(waitpid(other, NULL, WNOHANG), 0);
    assert_int_equal(kill(other, SIGKILL), 0);
    assert_int_equal(waitpid(other, NULL, 0), other);
    assert_false(small_has_folder());
}

/* A process that ends while the lab runs: once it is told to, as a lab that is still being opened
 * would miss it. */

static int
end_with_5(const struct lab_child *c)
{
    char byte;

    recv(c->socket, &byte, 1, 0);
    return 5;
}

static int
tell_ends(void *arg)
{
    struct scenario s;
    struct err err;
    char wanted[200];
    struct lab l;

    (void)arg;
    small_read(&s, NULL);
    SMALL_EXPECT(lab_open(&l, &s, small_idle, &err) == EXIT_GOOD);
    int pid = (int)l.processes[0].pid;
    SMALL_EXPECT(!kill(l.processes[0].pid, SIGKILL));
    SMALL_EXPECT(recv(l.processes[0].socket, wanted, sizeof wanted, 0) == 0);
    lab_tell_end(&l, 0, &err);
    snprintf(wanted, sizeof wanted, "the process of S1 (number %d) was ended by a signal: Killed",
             pid);
    SMALL_EXPECT(!strcmp(err.text, wanted));
    SMALL_EXPECT(!l.processes[0].pid && l.processes[0].socket == -1);
    lab_close(&l);

    SMALL_EXPECT(lab_open(&l, &s, end_with_5, &err) == EXIT_GOOD);
    pid = (int)l.processes[2].pid;
    SMALL_EXPECT(send(l.processes[2].socket, "", 1, 0) == 1);
    lab_tell_end(&l, 2, &err);
    snprintf(wanted, sizeof wanted, "the process of H2 (number %d) ended with exit code 5", pid);
    SMALL_EXPECT(!strcmp(err.text, wanted));
    lab_close(&l);
    scn_free(&s);
    return EXIT_GOOD;
}

static void
the_end_of_a_process_is_told(void **state)
{
    (void)state;
    assert_int_equal(small_run(tell_ends, NULL), 0);
    small_expect_nobody(false);
    assert_false(small_has_folder());
}

/* Interrupts, which reach all processes of a terminal, end only the lab. */

static int
survive_interrupts(void *arg)
{
    struct scenario s;
    struct err err;
    struct lab l;

    (void)arg;
    small_read(&s, NULL);
    setpgid(0, 0);
    SMALL_EXPECT(lab_open(&l, &s, small_idle, &err) == EXIT_GOOD);
    signal(SIGINT, SIG_IGN);
    signal(SIGTERM, SIG_IGN);
    SMALL_EXPECT(!kill(0, SIGINT) && !kill(0, SIGTERM));
    small_sleep_ms(20);
    for (uint32_t i = 0; i < l.n; i++) {
        SMALL_EXPECT(process_id_is_alive(process_id_of(l.processes[i].pid)));
    }
    lab_close(&l);
    scn_free(&s);
    return EXIT_GOOD;
}

static void
interrupts_are_for_the_lab_alone(void **state)
{
    (void)state;
    assert_int_equal(small_run(survive_interrupts, NULL), 0);
    small_expect_nobody(false);
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_a_killed_lab_left_is_cleaned),
        cmocka_unit_test(what_a_killed_lab_left_is_cleaned_by_the_next),
        cmocka_unit_test(a_lab_that_runs_is_left_alone),
        cmocka_unit_test(only_who_was_of_the_lab_is_killed),
        cmocka_unit_test(the_end_of_a_process_is_told),
        cmocka_unit_test(interrupts_are_for_the_lab_alone),
    };
    return SMALL_MAIN("clean", tests);
}
