/* The process of a node, from its fork to its main function, and its end. */

#include "lab/process.h"

#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "lab/namespace.h"
#include "lab/veth.h"
#include "run/stopping.h"

enum { POLL_MS = 100 };

static const char *
name_of(const struct lab *l, uint32_t node)
{
    return l->scenario->topo.nodes[node].name;
}

/* Writes the name of a process, of which the kernel keeps 15 characters. */
void
lab_process_name(const char *node, char name[LAB_NAME_BYTES])
{
    snprintf(name, LAB_NAME_BYTES, "weir:%.10s", node);
}

/* Sends a message before the run. It is short and fits into the socket's buffer. */
bool
process_send(int socket, enum lab_word word, const char *text, struct err *err)
{
    struct lab_line line = { .socket = socket };

    lab_line_put(&line, word, 0, text, strlen(text) + 1);
    bool is_sent = lab_line_push(&line) && lab_line_is_empty(&line);
    lab_line_free(&line);
    return is_sent ||
           err_set(err, "the lab lost contact with a node's process: %s", strerror(errno));
}

/* Waits for the next message. Returns false if the other end is gone. */
static bool
receive(int socket, struct lab_message *m)
{
    struct lab_line line = { .socket = socket };
    bool is_there = lab_line_pull(&line, true, m) == LAB_MESSAGE;

    lab_line_free(&line);
    return is_there;
}

/* Functions of the process. */

/* Ignores interrupts. Ctrl-C, and the end of a terminal, reach all its processes; the lab stops the
 * processes of nodes itself. */
static void
ignore_interrupts(void)
{
    signal(SIGINT, SIG_IGN);
    signal(SIGHUP, SIG_IGN);
    signal(SIGTERM, SIG_IGN);
    signal(SIGPIPE, SIG_IGN);
}

/* Closes the lab's ends of the sockets to other processes. While they are open here, these
 * processes would not notice the end of the lab. */
static void
close_others(const struct lab *l)
{
    for (uint32_t i = 0; i < l->n; i++) {
        if (l->processes[i].socket >= 0) {
            close(l->processes[i].socket);
        }
    }
}

/* Waits for the lab's message that links exist. Returns false if the lab ends before. */
static bool
hear_of_links(int socket, struct err *err)
{
    struct lab_message m = { 0 };
    bool is_linked = receive(socket, &m) && m.word == LAB_LINKED;

    sim_parcel_free(&m.bytes);
    return is_linked || err_set(err, "the lab has ended");
}

static bool
get_ready(const struct lab_child *c, struct err *err)
{
    return namespace_enter_node(err) && process_send(c->socket, LAB_APART, "", err) &&
           hear_of_links(c->socket, err) && veth_raise_all(&c->scenario->topo, c->node, err) &&
           process_send(c->socket, LAB_UP, "", err);
}

static int
live(const struct lab_child *c, lab_main *main)
{
    char name[LAB_NAME_BYTES];
    struct err err;

    lab_process_name(c->scenario->topo.nodes[c->node].name, name);
    prctl(PR_SET_NAME, name);
    ignore_interrupts();
    if (get_ready(c, &err)) {
        return main(c);
    }
    process_send(c->socket, LAB_FAILED, err.text, &(struct err){ 0 });
    return EXIT_WORLD;
}

/* Functions of the lab. */

bool
process_start(struct lab *l, uint32_t node, struct err *err)
{
    struct lab_process *p = &l->processes[node];
    pid_t lab = getpid();
    int ends[2];

    if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends)) {
        return err_set(err, "cannot make a socket to %s: %s", name_of(l, node), strerror(errno));
    }
    fflush(NULL);
    p->socket = ends[0];
    p->pid = fork();
    if (!p->pid) {
        const struct lab_child child = { l->scenario, node, ends[1] };
        prctl(PR_SET_PDEATHSIG, SIGKILL);
        close_others(l);
        /* If the lab died before prctl() took effect, the process ends. */
        _exit(getppid() == lab ? live(&child, l->main) : EXIT_WORLD);
    }
    int error = errno;
    close(ends[1]);
    if (p->pid < 0) {
        p->pid = 0;
        return err_set(err, "cannot start a process for %s: %s", name_of(l, node), strerror(error));
    }
    return run_folder_add(l->folder, name_of(l, node), p->pid, err);
}

/* Waits for a message with a timeout, because a process may be stuck, and an interrupt may arrive
 * just before the wait. */
static bool
has_word_in_time(int socket)
{
    struct pollfd p = { .fd = socket, .events = POLLIN };

    return poll(&p, 1, POLL_MS) > 0;
}

/* Whether a process is stopped. The state is not consumed, so waitpid() still reports the end of
 * the process. */
bool
process_is_stopped(const struct lab_process *p)
{
    siginfo_t info = { 0 };

    return !waitid(P_PID, (id_t)p->pid, &info, WSTOPPED | WNOHANG | WNOWAIT) && info.si_pid;
}

int
process_fail_stopped(const struct lab *l, uint32_t node, struct err *err)
{
    return run_fail(err, EXIT_WORLD,
                    "the process of %s (PID %d) was stopped by a signal before the run began, "
                    "and did not go on within %d s; start the lab again, and let its processes run",
                    name_of(l, node), (int)l->processes[node].pid,
                    (int)(PROCESS_STOPPED_NS / 1000000000));
}

/* Waits for a message. Ctrl-Z stops all processes of a terminal, so the time for which the process
 * was stopped does not count. */
static int
wait_for_word(const struct lab *l, uint32_t node, struct err *err)
{
    uint64_t n_polls = PROCESS_STOPPED_NS / (POLL_MS * (uint64_t)1000000);

    while (!has_word_in_time(l->processes[node].socket)) {
        if (stopping_is_asked()) {
            return run_fail(err, EXIT_STOPPED, "stopped");
        }
        if (!process_is_stopped(&l->processes[node])) {
            n_polls = PROCESS_STOPPED_NS / (POLL_MS * (uint64_t)1000000);
        } else if (!n_polls--) {
            return process_fail_stopped(l, node, err);
        }
    }
    return EXIT_GOOD;
}

int
process_fail_with(const struct lab *l, uint32_t node, const struct lab_message *m, struct err *err)
{
    return run_fail(err, EXIT_WORLD, "%s: %.*s", name_of(l, node), (int)m->bytes.n,
                    (const char *)m->bytes.bytes);
}

int
process_await(struct lab *l, uint32_t node, enum lab_word awaited, struct err *err)
{
    int code = wait_for_word(l, node, err);
    struct lab_message m = { 0 };

    if (code != EXIT_GOOD) {
        return code;
    }
    if (!receive(l->processes[node].socket, &m)) {
        lab_send_end(l, node, err);
        return EXIT_WORLD;
    }
    code = m.word == awaited ? EXIT_GOOD : process_fail_with(l, node, &m, err);
    sim_parcel_free(&m.bytes);
    return code;
}

static void
forget(struct lab_process *p)
{
    if (p->socket >= 0) {
        close(p->socket);
    }
    *p = (struct lab_process){ .socket = -1 };
}

/* Waits for the end of a process that has closed its socket. If it does not end within a second, it
 * is killed. */
static int
wait_for_end(pid_t pid)
{
    const struct timespec pause = { .tv_nsec = 10000000 };
    int status = 0;

    for (int i = 0; i < 100; i++) {
        if (waitpid(pid, &status, WNOHANG) == pid) {
            return status;
        }
        nanosleep(&pause, NULL);
    }
    kill(pid, SIGKILL);
    while (waitpid(pid, &status, 0) < 0 && errno == EINTR) {
    }
    return status;
}

void
lab_send_end(struct lab *l, uint32_t node, struct err *err)
{
    struct lab_process *p = &l->processes[node];
    int pid = (int)p->pid, status = wait_for_end(p->pid);

    if (WIFSIGNALED(status)) {
        err_set(err, "the process of %s (PID %d) was ended by a signal: %s", name_of(l, node), pid,
                strsignal(WTERMSIG(status)));
    } else {
        err_set(err, "the process of %s (PID %d) ended with exit code %d", name_of(l, node), pid,
                WEXITSTATUS(status));
    }
    forget(p);
}

/* Kills all processes before it waits for the first, so that they end at the same time. */
void
process_end_all(struct lab *l)
{
    for (uint32_t i = 0; i < l->n; i++) {
        if (l->processes[i].pid) {
            kill(l->processes[i].pid, SIGKILL);
        }
    }
    for (uint32_t i = 0; i < l->n; i++) {
        while (l->processes[i].pid && waitpid(l->processes[i].pid, NULL, 0) < 0 && errno == EINTR) {
        }
        forget(&l->processes[i]);
    }
}
