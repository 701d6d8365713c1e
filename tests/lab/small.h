/* A small lab in a process of its own. Anything that remains after its end fails the test.
 *
 * The test inherits orphans (PR_SET_CHILD_SUBREAPER): a process of a lab that outlived it becomes a
 * child of the test, which then sees it. No other processes hold the lab's namespaces and
 * interfaces. Folders of labs are in a folder of the test. */

#ifndef TESTS_LAB_SMALL_H
#define TESTS_LAB_SMALL_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include <cmocka.h>

#include "lab/lab.h"
#include "lab/namespace.h"
#include "lab/run-folder.h"

/* A switch S1 with the hosts H1 and H2. */
static const char small_text[] = "topology: {kind: incast, hosts: 1, rate: 100Mbps, delay: 1us}\n"
                                 "flows: [{from: H1, to: H2}]\n"
                                 "run: {time: 1ms}\n";

/* For processes of a lab, which cannot report to cmocka: a failure ends the process, and
 * small_run() returns this status. */
#define SMALL_EXPECT(WHAT) small_expect(WHAT, #WHAT, __FILE__, __LINE__)

static inline void
small_expect(bool is_so, const char *what, const char *file, int line)
{
    if (!is_so) {
        fprintf(stderr, "%s:%d: not so: %s\n", file, line, what);
        _exit(EXIT_DIFFERS);
    }
}

/* Reads the small scenario; 'set' is "key=value", or null. */
static inline void
small_read(struct scenario *s, const char *set)
{
    struct scn_source source = { .name = "small.yaml", .text = small_text };
    struct err err = { 0 };
    bool good = scn_read(s, &source, &(struct scn_files){ 0 }, &set, set != NULL, &err);

    small_expect(good, err.text, __FILE__, __LINE__);
}

static inline void
small_sleep_ms(long ms)
{
    nanosleep(&(struct timespec){ .tv_nsec = ms * 1000000 }, NULL);
}

/* A main function that does nothing until the lab ends. */
static inline int
small_idle(const struct lab_child *c)
{
    char byte;

    return recv(c->socket, &byte, 1, 0) == 1 ? EXIT_GOOD : EXIT_WORLD;
}

static char small_place[] = "/tmp/weir-test-lab-XXXXXX";

static inline int
small_begin(void **state)
{
    (void)state;
    if (!mkdtemp(small_place) || setenv("XDG_RUNTIME_DIR", small_place, 1)) {
        return -1;
    }
    return prctl(PR_SET_CHILD_SUBREAPER, 1);
}

static inline int
small_end(void **state)
{
    (void)state;
    return rmdir(small_place); /* This fails if the folder is not empty. */
}

/* Runs 'lab' in a process; returns its status, as waitpid() reports it. */
static inline int
small_run(int (*lab)(void *arg), void *arg)
{
    pid_t pid = fork();
    int status = 0;

    if (!pid) {
        _exit(lab(arg));
    }
    assert_true(pid > 0);
    while (waitpid(pid, &status, 0) < 0) {
        assert_int_equal(errno, EINTR);
    }
    return status;
}

/* Checks that no process is left: immediately or, if the lab was killed, after a short time. */
static inline void
small_expect_nobody(bool was_killed)
{
    for (int i = 0; was_killed && i < 12000 && waitpid(-1, NULL, WNOHANG) >= 0; i++) {
        small_sleep_ms(5);
    }
    assert_int_equal(waitpid(-1, NULL, WNOHANG), -1);
    assert_int_equal(errno, ECHILD);
}

static inline bool
small_has_folder(void)
{
    char path[100];

    snprintf(path, sizeof path, "%s/weir-lab", small_place);
    return !access(path, F_OK);
}

/* Removes the remains of labs, only in the test's own folder: other labs may run on this
 * machine. */
static inline struct run_folder_cleaned
small_clean(void)
{
    struct run_folder_cleaned done = { 0 };
    char place[RUN_FOLDER_BYTES];

    assert_true(run_folder_place(0, place));
    run_folder_clean(place, &done);
    return done;
}

/* Skips all tests if namespaces are not allowed: 77 is meson's code for that. */
static inline int
small_main(const char *name, const struct CMUnitTest *tests, size_t n)
{
    if (namespace_ask() == NAMESPACE_REFUSED) {
        printf("skipped: no network namespace can be made here by this user\n");
        return 77;
    }
    return _cmocka_run_group_tests(name, tests, n, small_begin, small_end);
}

#define SMALL_MAIN(NAME, TESTS) small_main(NAME, TESTS, sizeof(TESTS) / sizeof *(TESTS))

#endif
