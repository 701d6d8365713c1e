/* How DPDK starts or fails to start: each case runs in its own process, because DPDK can start only
 * once in a process.  All of them run at the same time, which must be possible. */

#include <grp.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

#include "../unit/unit.h"
#include "dataplane/dpdk.h"
#include "dataplane/dpdk/cores.h"

enum { MOST_TEXT = 4096, NOBODY = 65534 };

static const struct dpdk_calls *dpdk;

/* The function that is tried with open ports; it reports its own errors. */
typedef bool attempt_fn(struct dp_io *, struct err *);

static attempt_fn runs_anywhere, runs_on_core_0, does_not_start_again;

static const struct start {
    const char *words[3];  /* Arguments for EAL. */
    struct dpdk_port port; /* The only port: a ring buffer to itself, or a device. */
    uint32_t n_frames, max_len;
    bool is_nobody;
    attempt_fn *attempt;

    const char *said;    /* A part of the error; null if the case succeeds. */
    const char *printed; /* A part of the text that DPDK prints; null if it prints nothing. */
} starts[] = {
    { .attempt = runs_anywhere },
    { .words = { "-l", "0" }, .attempt = runs_on_core_0 },
    { .attempt = does_not_start_again },
    { .is_nobody = true },
    { .words = { "--log-level=8" }, .printed = "EAL: " },
    { .words = { "--nonsense" }, .said = "DPDK does not start with --nonsense: EAL: Invalid" },
    { .words = { "-l", "999" }, .said = "DPDK does not start with -l 999: EAL: lcore 999" },
    { .words = { "-m", "8" }, .n_frames = 10000, .said = "cannot make 10000 frames of 2048 B" },
    { .n_frames = 16000000, .max_len = 9000, .said = "16000000 frames take 262144 MB of memory" },
    { .n_frames = 16777217, .said = "there may be 1 to 16777216 frames, not 16777217" },
    { .max_len = 9217, .said = "frames may have up to 9216 B, not 9217 B" },
    { .port.ring_to = 1, .said = "port 0 has no device, and no ring to another port" },
    { .port.ring_to = -1, .said = "port 0 has no device, and no ring to another port" },
    { .port.device = "net_foo0", .said = "cannot open the device 'net_foo0': EAL: failed to" },
    { .port.device = "net_pcap0,rx_pcap=/no/file", .said = "No such file" },
    { .port.device = "net_af_packet0", .said = "must name its interface: net_af_packet0,iface=" },
    { .port.device = "net_af_packet0,iface=no", .said = "interface that does not exist: 'no'" },
    { .port.device = "net_af_packet0,iface=lo",
      .max_len = 2000,
      .is_nobody = true,
      .said = "give the program CAP_NET_RAW and CAP_NET_ADMIN (Operation not permitted)" },
    { .words = { "--no-huge" },
      .port.device = "ff:1f.7",
      .said = "there is no device '0000:ff:1f.7' on the PCI bus that DPDK can drive" },
};

enum { N_STARTS = sizeof starts / sizeof *starts };

struct process {
    pid_t pid;
    int said, printed; /* Pipes from the process. */
};

static bool
runs_on(const cpu_set_t *cores, struct err *err)
{
    cpu_set_t own;

    sched_getaffinity(0, sizeof own, &own);
    return CPU_EQUAL(&own, cores) || err_set(err, "it runs on other cores");
}

static cpu_set_t cores; /* The cores on which this test may run. */

static bool
runs_anywhere(struct dp_io *io, struct err *err)
{
    (void)io;
    return runs_on(&cores, err);
}

static bool
runs_on_core_0(struct dp_io *io, struct err *err)
{
    cpu_set_t first;

    (void)io;
    CPU_ZERO(&first);
    CPU_SET(0, &first);
    return runs_on(&first, err);
}

static bool
does_not_start_again(struct dp_io *io, struct err *err)
{
    struct err why = { 0 };

    (void)io;
    return (!dpdk->begin(NULL, &why) && strstr(why.text, "once in a process")) ||
           err_set(err, "it starts again: %s", why.text);
}

static bool
open_and_try(const struct start *s, struct err *err)
{
    uint32_t n_frames = s->n_frames ? s->n_frames : 64, max_len = s->max_len ? s->max_len : 1518;
    struct dp_io io;

    if (!dpdk->begin(s->words, err) || !dpdk->open(&s->port, 1, n_frames, max_len, &io, err)) {
        return false;
    }
    bool is_good = !s->attempt || s->attempt(&io, err);
    dpdk->close(&io);
    return is_good;
}

static _Noreturn void
child(const struct start *s, int said, int printed)
{
    struct err err = { 0 };
    bool is_ready = dup2(printed, STDOUT_FILENO) >= 0 && dup2(printed, STDERR_FILENO) >= 0;

    if (s->is_nobody && !geteuid()) {
        is_ready = is_ready && !setgroups(0, NULL) && !setgid(NOBODY) && !setuid(NOBODY);
    }
    if (!is_ready) {
        err_set(&err, "the test itself fails");
    } else if (open_and_try(s, &err)) {
        err_set(&err, "good");
    }
    dpdk->end();
    exit(write(said, err.text, strlen(err.text)) < 0);
}

static struct process
begin_process(const struct start *s)
{
    int said[2], printed[2];

    assert_int_equal(pipe(said), 0);
    assert_int_equal(pipe(printed), 0);
    fflush(NULL);
    pid_t pid = fork();
    if (!pid) {
        child(s, said[1], printed[1]);
    }
    close(said[1]);
    close(printed[1]);
    return (struct process){ pid, said[0], printed[0] };
}

static void
read_all(int fd, char text[MOST_TEXT])
{
    size_t n = 0;
    ssize_t got;

    while (n < MOST_TEXT - 1 && (got = read(fd, text + n, MOST_TEXT - 1 - n)) > 0) {
        n += (size_t)got;
    }
    text[n] = '\0';
    close(fd);
}

static void
assert_has(const char *text, const char *part, const char *whose)
{
    if (part ? !strstr(text, part) : *text != '\0') {
        fail_msg("%s: expected '%s', found '%s'", whose, part ? part : "", text);
    }
}

static void
test_starts(void **state)
{
    struct process processes[N_STARTS];
    char said[MOST_TEXT], printed[MOST_TEXT];
    int status;

    (void)state;
    for (size_t i = 0; i < N_STARTS; i++) {
        processes[i] = begin_process(&starts[i]);
    }
    for (size_t i = 0; i < N_STARTS; i++) {
        read_all(processes[i].printed, printed);
        read_all(processes[i].said, said);
        assert_int_equal(waitpid(processes[i].pid, &status, 0), processes[i].pid);
        assert_has(said, starts[i].said ? starts[i].said : "good", "said");
        assert_has(printed, starts[i].printed, "printed");
        assert_int_equal(status, 0);
    }
}

/* A process may be limited to cores with high numbers. */
static void
test_names_of_cores(void **state)
{
    char text[CORES_TEXT];
    cpu_set_t own;

    (void)state;
    CPU_ZERO(&own);
    assert_false(eal_name_cores(&own, text));
    CPU_SET(200, &own);
    assert_true(eal_name_cores(&own, text));
    assert_string_equal(text, "0@(200)");
    CPU_SET(3, &own);
    assert_true(eal_name_cores(&own, text));
    assert_string_equal(text, "0@(3,200)");
    for (int i = 0; i < CPU_SETSIZE; i++) {
        CPU_SET(i, &own);
    }
    assert_true(eal_name_cores(&own, text));
    assert_non_null(strstr(text, ",1022,1023)"));
}

static int
load(void **state)
{
    struct err err = { 0 };

    (void)state;
    dpdk = dpdk_load(&err);
    print_message("%s", err.text);
    return dpdk && !sched_getaffinity(0, sizeof cores, &cores) ? 0 : -1;
}

int
main(void)
{
    const struct CMUnitTest tests[] = { cmocka_unit_test(test_names_of_cores),
                                        cmocka_unit_test(test_starts) };

    return cmocka_run_group_tests(tests, load, NULL);
}
