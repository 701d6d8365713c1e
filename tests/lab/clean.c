/* Remains of a lab that was killed, and the lab that removes them; and a process of a node that
 * ends. */

#include "small.h"

#include <inttypes.h>
#include <sys/stat.h>

/* The steps between the start and the end of a lab that runs in its own process. */
struct deed {
    lab_main *main; /* The main function of its nodes' processes. */
    void (*act)(struct lab *);
};

static int
do_in_lab(void *arg)
{
    const struct deed *deed = arg;
    struct err err = { 0 };
    struct scenario s;
    struct lab l;

    /* If a shell runs the test in the background, the test ignores SIGINT; the lab must not. */
    signal(SIGINT, SIG_DFL);
    small_read(&s, NULL);
    int code = lab_open(&l, &s, deed->main, &err);
    small_expect(code == EXIT_GOOD, err.text, __FILE__, __LINE__);
    deed->act(&l);
    lab_close(&l);
    scn_free(&s);
    return EXIT_GOOD;
}

/* Runs a lab in its own process; returns its status, as waitpid() reports it. */
static int
in_lab(lab_main *main, void (*act)(struct lab *))
{
    return small_run(do_in_lab, &(struct deed){ main, act });
}

static void
expect_good(lab_main *main, void (*act)(struct lab *))
{
    assert_int_equal(in_lab(main, act), 0);
    small_expect_nobody(false);
    assert_false(small_has_folder());
}

/* A lab that is killed while it runs; its processes do not listen to the lab.  Other labs of this
 * user may run on the machine, so the number of labs is not known. */

static int
idle_for_ever(const struct lab_child *c)
{
    while (c) {
        pause();
    }
    return EXIT_GOOD;
}

static void
die(struct lab *l)
{
    (void)l;
    raise(SIGKILL);
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
    expect_killed(in_lab(idle_for_ever, die));
    struct run_folder_cleaned done = small_clean();
    assert_int_equal(done.n_labs, 1);
    assert_int_equal(done.n_processes, 0);
    assert_false(small_has_folder());
}

static void
do_nothing(struct lab *l)
{
    (void)l;
}

static void
what_a_killed_lab_left_is_cleaned_by_the_next(void **state)
{
    (void)state;
    expect_killed(in_lab(idle_for_ever, die));
    expect_good(small_idle, do_nothing);
}

static void
clean(struct lab *l)
{
    struct run_folder_cleaned done = small_clean();

    SMALL_EXPECT(done.n_running == 1 && !done.n_labs && !done.n_processes);
    SMALL_EXPECT(!access(l->folder, F_OK));
    SMALL_EXPECT(process_id_is_alive(process_id_of(l->processes[2].pid)));
}

static void
a_lab_that_runs_is_left_alone(void **state)
{
    (void)state;
    expect_good(small_idle, clean);
}

/* Processes that outlived their lab are recognised by PID and start time. Other processes may have
 * the PID of a process that is gone. */

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
        /* If the test fails, it does not wait for this process. */
        prctl(PR_SET_PDEATHSIG, SIGKILL);
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

/* In many containers nobody waits for ended processes, so these stay for a long time; they count as
 * gone. */
static void
who_has_ended_is_gone_though_nobody_waits(void **state)
{
    pid_t pid = start_sleeper();
    struct process_id id = process_id_of(pid);

    (void)state;
    assert_false(process_id_is_gone(id));
    assert_int_equal(kill(pid, SIGKILL), 0);
    assert_int_equal(waitid(P_PID, (id_t)pid, &(siginfo_t){ 0 }, WEXITED | WNOWAIT), 0);
    assert_true(process_id_is_gone(id));
    assert_int_equal(waitpid(pid, NULL, 0), pid);
}

/* The folder of all labs is not used if it belongs to another user: that user could choose
 * processes to be killed. */
static void
a_place_of_another_user_is_left_alone(void **state)
{
    char place[200], folder[RUN_FOLDER_BYTES];
    struct err err;

    (void)state;
    snprintf(place, sizeof place, "%s/weir-lab", small_place);
    write_folder(NULL, 0);
    if (chown(place, 65534, 65534)) {
        skip(); /* A user other than root cannot give a folder away. */
    }
    struct run_folder_cleaned done = small_clean();
    assert_int_equal(done.n_labs, 0);
    assert_true(run_folder_make(folder, &err));
    assert_null(strstr(folder, place));
    run_folder_remove(folder);
    assert_int_equal(chown(place, geteuid(), getegid()), 0);
    assert_int_equal(small_clean().n_labs, 1);
    assert_false(small_has_folder());
}

/* A process ends while the lab runs.  It ends only on request, because a lab that is still being
 * opened would miss the end. */

static int
end_with_5(const struct lab_child *c)
{
    char byte;

    recv(c->socket, &byte, 1, 0);
    return 5;
}

static void
expect_told(struct lab *l, uint32_t node, const char *how)
{
    struct err err, wanted;

    err_set(&wanted, "the process of %s (PID %d) %s", l->scenario->topo.nodes[node].name,
            (int)l->processes[node].pid, how);
    lab_send_end(l, node, &err);
    small_expect(!strcmp(err.text, wanted.text), err.text, __FILE__, __LINE__);
    SMALL_EXPECT(!l->processes[node].pid && l->processes[node].socket == -1);
}

static void
kill_one(struct lab *l)
{
    char byte;

    SMALL_EXPECT(!kill(l->processes[0].pid, SIGKILL));
    SMALL_EXPECT(recv(l->processes[0].socket, &byte, 1, 0) == 0);
    expect_told(l, 0, "was ended by a signal: Killed");
}

static void
hear_of_5(struct lab *l)
{
    SMALL_EXPECT(send(l->processes[2].socket, "", 1, 0) == 1);
    expect_told(l, 2, "ended with exit code 5");
}

static void
the_end_of_a_process_is_told(void **state)
{
    (void)state;
    expect_good(small_idle, kill_one);
    expect_good(end_with_5, hear_of_5);
}

/* An interrupt reaches all processes of a terminal, but ends only the lab. */

static void
interrupt_all(struct lab *l)
{
    setpgid(0, 0);
    for (uint32_t i = 0; i < l->n; i++) {
        SMALL_EXPECT(!setpgid(l->processes[i].pid, getpid()));
    }
    signal(SIGINT, SIG_IGN);
    signal(SIGTERM, SIG_IGN);
    SMALL_EXPECT(!kill(0, SIGINT) && !kill(0, SIGTERM));
    small_sleep_ms(20);
    for (uint32_t i = 0; i < l->n; i++) {
        SMALL_EXPECT(process_id_is_alive(process_id_of(l->processes[i].pid)));
    }
}

static void
interrupts_are_for_the_lab_alone(void **state)
{
    (void)state;
    expect_good(small_idle, interrupt_all);
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_a_killed_lab_left_is_cleaned),
        cmocka_unit_test(what_a_killed_lab_left_is_cleaned_by_the_next),
        cmocka_unit_test(a_lab_that_runs_is_left_alone),
        cmocka_unit_test(only_who_was_of_the_lab_is_killed),
        cmocka_unit_test(who_has_ended_is_gone_though_nobody_waits),
        cmocka_unit_test(a_place_of_another_user_is_left_alone),
        cmocka_unit_test(the_end_of_a_process_is_told),
        cmocka_unit_test(interrupts_are_for_the_lab_alone),
    };
    return SMALL_MAIN("clean", tests);
}
