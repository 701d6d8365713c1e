/* Runs jobs in worker processes side by side, and detects crashes. */

#include "run/worker-pool.h"

#include <assert.h>
#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/array.h"

struct worker {
    pid_t pid; /* 0: none yet. */
    int jobs;  /* The pipe by which the worker receives the numbers of its jobs. */
    int answers;
    int said; /* The worker's standard error, a file without a name. */
    bool is_busy;
    uint64_t number;
};

struct worker_pool {
    struct worker *workers;
    struct pollfd *polled;
    size_t n_workers, answer_bytes;
    worker_pool_work *work;
    void *arg;
    void *answer;
};

struct worker_pool *
worker_pool_new(size_t n_workers, size_t answer_bytes, worker_pool_work *work, void *arg)
{
    struct worker_pool *c = array_new(1, sizeof *c);

    /* A pipe takes such a result as a whole. */
    assert(answer_bytes <= WORKER_POOL_MAX_ANSWER_BYTES);
    /* A write to a worker that has ended fails, instead of killing this process. */
    signal(SIGPIPE, SIG_IGN);
    c->workers = array_new(n_workers, sizeof *c->workers);
    c->polled = array_new(n_workers, sizeof *c->polled);
    c->n_workers = n_workers;
    c->answer_bytes = answer_bytes;
    c->work = work;
    c->arg = arg;
    c->answer = array_new(1, answer_bytes);
    return c;
}

/* Functions of the worker. */

static void
read_said(int file, char said[WORKER_POOL_SAID_BYTES])
{
    ssize_t n = pread(file, said, WORKER_POOL_SAID_BYTES - 1, 0);

    said[n > 0 ? n : 0] = '\0';
    for (char *c = said; *c; c++) {
        *c = *c == '\n' ? ' ' : *c;
    }
}

static void
forget_said(void)
{
    if (ftruncate(STDERR_FILENO, 0) == 0) {
        lseek(STDERR_FILENO, 0, SEEK_SET);
    }
}

/* Runs jobs until none is left.  An interrupt is for the parent process: a run that Ctrl-C ends
 * early would have results of its own. */
static void
do_jobs(const struct worker_pool *c, const struct worker *w, int jobs, int answers)
{
    sigset_t interrupts;
    uint64_t number;

    sigemptyset(&interrupts);
    sigaddset(&interrupts, SIGINT);
    sigaddset(&interrupts, SIGTERM);
    sigprocmask(SIG_BLOCK, &interrupts, NULL);
    dup2(w->said, STDERR_FILENO);
    while (read(jobs, &number, sizeof number) == (ssize_t)sizeof number) {
        memset(c->answer, 0, c->answer_bytes);
        forget_said();
        c->work(c->arg, number, c->answer);
        if (write(answers, c->answer, c->answer_bytes) != (ssize_t)c->answer_bytes) {
            break;
        }
    }
}

/* Closes the pipes of other workers in a new worker. Otherwise those workers would not see the end
 * of their pipes. */
static void
close_others(const struct worker_pool *c, const struct worker *own)
{
    for (size_t i = 0; i < c->n_workers; i++) {
        const struct worker *w = &c->workers[i];
        if (w != own && w->pid) {
            close(w->jobs);
            close(w->answers);
        }
    }
}

/* Functions of the parent process, which created the pool. */

static bool
start(struct worker_pool *c, struct worker *w, struct err *err)
{
    FILE *said = tmpfile();
    int jobs[2] = { -1, -1 }, answers[2] = { -1, -1 };
    pid_t parent = getpid();

    if (!said || pipe(jobs) || pipe(answers)) {
        return err_set(err, "cannot start a process: %s", strerror(errno));
    }
    w->said = dup(fileno(said));
    fclose(said);
    fflush(NULL);
    w->pid = fork();
    if (w->pid < 0) {
        w->pid = 0;
        return err_set(err, "cannot start a process: %s", strerror(errno));
    }
    if (!w->pid) {
        prctl(PR_SET_PDEATHSIG, SIGKILL);
        close_others(c, w);
        close(jobs[1]);
        close(answers[0]);
        if (getppid() == parent) { /* If the ids differ, the parent has already died. */
            do_jobs(c, w, jobs[0], answers[1]);
        }
        _exit(0);
    }
    close(jobs[0]);
    close(answers[1]);
    w->jobs = jobs[1];
    w->answers = answers[0];
    return true;
}

/* Waits until a worker ends, and describes how it ended. Returns its exit code, or -1 after a
 * signal. */
static int
end(struct worker *w, char harm[WORKER_POOL_HARM_BYTES])
{
    int status = 0;

    while (waitpid(w->pid, &status, 0) < 0 && errno == EINTR) {
    }
    if (WIFSIGNALED(status)) {
        snprintf(harm, WORKER_POOL_HARM_BYTES, "%s", strsignal(WTERMSIG(status)));
    } else {
        snprintf(harm, WORKER_POOL_HARM_BYTES, "exit code %d", WEXITSTATUS(status));
    }
    close(w->jobs);
    close(w->answers);
    close(w->said);
    *w = (struct worker){ 0 };
    return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

void
worker_pool_free(struct worker_pool *c)
{
    char harm[WORKER_POOL_HARM_BYTES];

    for (size_t i = 0; i < c->n_workers; i++) {
        if (c->workers[i].pid) {
            kill(c->workers[i].pid, SIGKILL);
            end(&c->workers[i], harm);
        }
    }
    free(c->workers);
    free(c->polled);
    free(c->answer);
    free(c);
}

void
worker_pool_stop(struct worker_pool *c)
{
    for (size_t i = 0; i < c->n_workers; i++) {
        if (c->workers[i].is_busy) {
            kill(c->workers[i].pid, SIGTERM);
        }
    }
}

static struct worker *
find(const struct worker_pool *c, bool is_busy)
{
    for (size_t i = 0; i < c->n_workers; i++) {
        if (c->workers[i].is_busy == is_busy) {
            return &c->workers[i];
        }
    }
    return NULL;
}

bool
worker_pool_has_idle(const struct worker_pool *c)
{
    return find(c, false);
}

bool
worker_pool_is_busy(const struct worker_pool *c)
{
    return find(c, true);
}

bool
worker_pool_give(struct worker_pool *c, uint64_t number, struct err *err)
{
    struct worker *w = find(c, false);

    if (!w->pid && !start(c, w, err)) {
        return false;
    }
    w->is_busy = true;
    w->number = number;
    /* If the worker has died meanwhile, worker_pool_wait() notices it at the pipe of its
     * results. */
    return write(w->jobs, &number, sizeof number) == (ssize_t)sizeof number || errno == EPIPE ||
           err_set(err, "cannot send its work to a process: %s", strerror(errno));
}

/* Reads a result. A large result may arrive in pieces, and is incomplete if its worker ended while
 * writing it. */
static bool
read_answer(struct worker_pool *c, const struct worker *w)
{
    size_t len = 0;

    while (len < c->answer_bytes) {
        ssize_t n = read(w->answers, (char *)c->answer + len, c->answer_bytes - len);
        if (n <= 0 && !(n < 0 && errno == EINTR)) {
            return false;
        }
        len += n > 0 ? (size_t)n : 0;
    }
    return true;
}

static void
take_answer(struct worker_pool *c, struct worker *w, struct worker_pool_done *done)
{
    bool is_whole = read_answer(c, w);

    *done = (struct worker_pool_done){ .number = w->number, .answer = is_whole ? c->answer : NULL };
    w->is_busy = false;
    if (!is_whole) {
        read_said(w->said, done->said);
        done->code = end(w, done->harm);
    }
}

bool
worker_pool_wait(struct worker_pool *c, int timeout_ms, struct worker_pool_done *done)
{
    for (size_t i = 0; i < c->n_workers; i++) {
        const struct worker *w = &c->workers[i];
        c->polled[i] = (struct pollfd){ .fd = w->is_busy ? w->answers : -1, .events = POLLIN };
    }
    if (poll(c->polled, (nfds_t)c->n_workers, timeout_ms) <= 0) {
        return false;
    }
    for (size_t i = 0; i < c->n_workers; i++) {
        if (c->polled[i].revents) {
            take_answer(c, &c->workers[i], done);
            return true;
        }
    }
    return false;
}
