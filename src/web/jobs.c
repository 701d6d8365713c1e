/* Starts runs for the page, each as a separate process. */

#define _GNU_SOURCE /* mkostemp() */

#include "web/jobs.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "base/array.h"
#include "base/moment.h"

enum { MAX_SAID = 4096, MAX_ANSWER = 1 << 20, NAME_BYTES = 1024 };
enum { ASK_MS = 10000, GRACE_MS = 3000, LOOK_MS = 5 };

struct job {
    uint64_t number;   /* 0: the slot is free. */
    pid_t pid;         /* 0: the process has ended. */
    int output;        /* Its output: a file without a name. */
    int code;          /* The exit code; negative: the signal that ended it. */
    uint64_t start_ns; /* In nanoseconds since 1970. */
    char scenario[NAME_BYTES], results[NAME_BYTES];
    char *settings; /* Such as "a=b c=d". */
};

struct jobs {
    const char *program;
    pthread_mutex_t mutex;
    atomic_bool is_ending;
    struct job all[JOBS_MAX];
    uint64_t n_started, n_changes;
};

struct jobs *
jobs_new(const char *program)
{
    struct jobs *j = array_new(1, sizeof *j);

    j->program = program;
    pthread_mutex_init(&j->mutex, NULL);
    return j;
}

/* Processes of jobs. */

static int
nameless_file(void)
{
    char path[] = "/tmp/weir-XXXXXX";
    /* O_CLOEXEC is set at once, because another thread may be starting a run. */
    int file = mkostemp(path, O_CLOEXEC);

    if (file >= 0) {
        unlink(path);
    }
    return file;
}

/* Makes a run end with the server, by a signal after which it keeps its results. The run has a
 * process group of its own, so that Ctrl-C reaches only the server, which then ends each run
 * once. */
static bool
bind_to(pid_t server)
{
    return !prctl(PR_SET_PDEATHSIG, SIGTERM) && getppid() == server && !setpgid(0, 0);
}

/* Executes the program in the child. It runs after fork(), so it makes only calls that are safe
 * there. */
static void
become(const char *program, const char *folder, const char *const *arguments, int output)
{
    if (chdir(folder) == 0 && dup2(output, STDOUT_FILENO) >= 0 &&
        dup2(output, STDERR_FILENO) >= 0) {
        int nothing = open("/dev/null", O_RDONLY);
        dup2(nothing, STDIN_FILENO);
        execv(program, (char *const *)arguments);
    }
}

static pid_t
start(const char *program, const char *folder, const char *const *arguments, int output)
{
    pid_t server = getpid(), pid = output < 0 ? -1 : fork();

    if (pid == 0) {
        if (bind_to(server)) {
            become(program, folder, arguments, output);
        }
        _exit(127);
    }
    return pid;
}

/* The last bytes of a process's output, as text. */
static char *
read_output(int file, size_t max)
{
    off_t end = lseek(file, 0, SEEK_END);
    size_t n = end > 0 ? (size_t)end : 0;
    off_t from = n > max ? (off_t)(n - max) : 0;
    char *text = array_new((n > max ? max : n) + 1, 1);
    ssize_t got = pread(file, text, n > max ? max : n, from);

    text[got > 0 ? got : 0] = '\0';
    return text;
}

static int
code_of(int status)
{
    return WIFEXITED(status) ? WEXITSTATUS(status) : -WTERMSIG(status);
}

/* The list of jobs. */

static struct job *
free_place(struct jobs *j)
{
    struct job *oldest = NULL;
    size_t n_running = 0;

    for (size_t i = 0; i < JOBS_MAX; i++) {
        struct job *job = &j->all[i];
        n_running += job->pid != 0;
        if (!job->pid && (!oldest || job->number < oldest->number)) {
            oldest = job;
        }
    }
    return n_running < JOBS_MAX_RUNNING ? oldest : NULL;
}

static void
forget(struct job *job)
{
    if (job->number) {
        close(job->output);
        free(job->settings);
    }
    *job = (struct job){ 0 };
}

static char *
joined(const struct jobs_start *s)
{
    char *text = NULL;
    size_t len;
    FILE *out = open_memstream(&text, &len);

    for (size_t i = 0; i < s->n_sets; i++) {
        fprintf(out, i ? " %s" : "%s", s->sets[i]);
    }
    fclose(out);
    return text;
}

/* The arguments of a process, such as "run ring.yaml --confined --set engine=pfc". */
struct arguments {
    const char *items[4 + 2 * JOBS_MAX_SETS + 2 + 1];
    size_t n;
};

static struct arguments
arguments_for(const char *verb, const struct jobs_start *s)
{
    struct arguments a = { .items = { "weir", verb, s->scenario, "--confined" }, .n = 4 };

    for (size_t i = 0; i < s->n_sets; i++) {
        a.items[a.n++] = "--set";
        a.items[a.n++] = s->sets[i];
    }
    return a;
}

static bool
start_job(struct jobs *j, struct job *job, const struct jobs_start *s, struct err *err)
{
    struct arguments a = arguments_for("run", s);

    a.items[a.n++] = "--record";
    a.items[a.n++] = s->results;
    forget(job);
    job->output = nameless_file();
    job->start_ns = moment_date_ns();
    job->pid = start(j->program, s->folder, a.items, job->output);
    if (job->pid < 0) {
        int why = errno;
        if (job->output >= 0) {
            close(job->output);
        }
        *job = (struct job){ 0 };
        return err_set(err, "cannot start a run: %s", strerror(why));
    }
    job->number = ++j->n_started;
    snprintf(job->scenario, sizeof job->scenario, "%s", s->scenario);
    snprintf(job->results, sizeof job->results, "%s", s->results);
    job->settings = joined(s);
    return true;
}

uint64_t
jobs_start(struct jobs *j, const struct jobs_start *s, struct err *err)
{
    uint64_t number = 0;

    pthread_mutex_lock(&j->mutex);
    struct job *job = free_place(j);
    if (j->is_ending) {
        err_set(err, "the server is about to end");
    } else if (!job) {
        err_set(err, "%d runs are already going on; stop one, or wait", JOBS_MAX_RUNNING);
    } else if (start_job(j, job, s, err)) {
        number = job->number;
        j->n_changes++;
    }
    pthread_mutex_unlock(&j->mutex);
    return number;
}

bool
jobs_stop(struct jobs *j, uint64_t number)
{
    bool found = false;

    pthread_mutex_lock(&j->mutex);
    for (size_t i = 0; i < JOBS_MAX; i++) {
        if (j->all[i].number == number && j->all[i].pid) {
            kill(j->all[i].pid, SIGTERM); /* The run keeps its results so far. */
            found = true;
        }
    }
    pthread_mutex_unlock(&j->mutex);
    return found;
}

uint64_t
jobs_poll(struct jobs *j)
{
    pthread_mutex_lock(&j->mutex);
    for (size_t i = 0; i < JOBS_MAX; i++) {
        struct job *job = &j->all[i];
        int status;
        if (job->pid && waitpid(job->pid, &status, WNOHANG) == job->pid) {
            job->pid = 0;
            job->code = code_of(status);
            j->n_changes++;
        }
    }
    uint64_t n_changes = j->n_changes;
    pthread_mutex_unlock(&j->mutex);
    return n_changes;
}

/* Finds the status of a run. The run belongs to the last job with its results file that began
 * before the run's command. */
const char *
jobs_run_status(struct jobs *j, const char *results, const char *status, uint64_t command_ns)
{
    const struct job *of = NULL;

    pthread_mutex_lock(&j->mutex);
    for (size_t i = 0; i < JOBS_MAX; i++) {
        const struct job *job = &j->all[i];
        if (job->number && !strcmp(job->results, results) && job->start_ns <= command_ns &&
            (!of || job->number > of->number)) {
            of = job;
        }
    }
    bool is_killed = of && !of->pid && of->code < 0;
    pthread_mutex_unlock(&j->mutex);
    return is_killed && !strcmp(status, "running") ? "killed" : status;
}

static void
write_job(struct json *out, const struct job *job)
{
    char *said = job->pid ? NULL : read_output(job->output, MAX_SAID);

    json_open(out, NULL, '{');
    json_number(out, "job", job->number);
    json_text(out, "scenario", job->scenario);
    json_text(out, "results", job->results);
    json_text(out, "settings", job->settings);
    json_text(out, "status", job->pid ? "running" : job->code < 0 ? "killed" : "ended");
    json_maybe(out, "code", !job->pid && job->code >= 0, (uint64_t)job->code);
    json_text(out, "said", said ? said : "");
    json_close(out, '}');
    free(said);
}

void
jobs_write(struct jobs *j, struct json *out)
{
    json_open(out, "jobs", '[');
    pthread_mutex_lock(&j->mutex);
    for (uint64_t number = j->n_started; number > 0; number--) { /* The newest first. */
        for (size_t i = 0; i < JOBS_MAX; i++) {
            if (j->all[i].number == number) {
                write_job(out, &j->all[i]);
            }
        }
        if (j->n_started - number > JOBS_MAX) {
            break;
        }
    }
    pthread_mutex_unlock(&j->mutex);
    json_close(out, ']');
}

/* Waits for the end of a process. Returns false if the deadline or the end of the server is
 * earlier. */
static bool
await(pid_t pid, int *code, int64_t until_ms, const atomic_bool *is_over)
{
    const struct timespec moment = { .tv_nsec = LOOK_MS * 1000000 };
    int status;

    while (waitpid(pid, &status, WNOHANG) != pid) {
        if (moment_ms() > until_ms || (is_over && *is_over)) {
            return false;
        }
        nanosleep(&moment, NULL);
    }
    *code = code_of(status);
    return true;
}

static void
end_job(struct job *job, int64_t until_ms)
{
    if (!await(job->pid, &job->code, until_ms, NULL)) {
        kill(job->pid, SIGKILL);
        waitpid(job->pid, NULL, 0);
    }
    job->pid = 0;
}

bool
jobs_are_ending(const struct jobs *j)
{
    return j->is_ending;
}

void
jobs_end(struct jobs *j)
{
    pthread_mutex_lock(&j->mutex);
    j->is_ending = true;
    for (size_t i = 0; i < JOBS_MAX; i++) {
        if (j->all[i].pid) {
            kill(j->all[i].pid, SIGTERM);
        }
    }
    int64_t until_ms = moment_ms() + GRACE_MS;
    for (size_t i = 0; i < JOBS_MAX; i++) {
        if (j->all[i].pid) {
            end_job(&j->all[i], until_ms);
        }
    }
    pthread_mutex_unlock(&j->mutex);
}

void
jobs_free(struct jobs *j)
{
    for (size_t i = 0; i < JOBS_MAX; i++) {
        forget(&j->all[i]);
    }
    pthread_mutex_destroy(&j->mutex);
    free(j);
}

/* Runs `weir explain` in a process of its own, which takes little time. */
char *
jobs_explain(struct jobs *j, const struct jobs_start *s, bool as_json, int *code, struct err *err)
{
    struct arguments a = arguments_for("explain", s);
    char *text = NULL;

    a.items[a.n] = as_json ? "--json" : "--all";
    int output = nameless_file();
    pid_t pid = start(j->program, s->folder, a.items, output);
    if (pid < 0) {
        err_set(err, "cannot start weir: %s", strerror(errno));
    } else if (await(pid, code, moment_ms() + ASK_MS, &j->is_ending)) {
        text = read_output(output, MAX_ANSWER);
    } else {
        kill(pid, SIGKILL);
        waitpid(pid, NULL, 0);
        if (j->is_ending) {
            err_set(err, "the server is about to end");
        } else {
            err_set(err, "weir explain took longer than %d s", ASK_MS / 1000);
        }
    }
    if (output >= 0) {
        close(output);
    }
    return text;
}
