#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "base/array.h"
#include "base/text.h"
#include "cli/cli.h"
#include "cli/crew.h"
#include "cli/study.h"
#include "cli/summary.h"
#include "record/sweep.h"
#include "topo/depend.h"

static const char help[] =
    "usage: weir sweep STUDY [--record RESULTS] [--shard I/N] [--jobs N]\n"
    "\n"
    "Runs a scenario over all combinations of what a study varies, as many at a time as there are\n"
    "cores, and keeps a row of each in a results file.  Killed or stopped at any instant, the "
    "same\n"
    "command goes on where it was.  doc/sweeps.md says more.\n"
    "\n"
    "  --record RESULTS  left out: NAME.db, or NAME.IofN.db of a shard\n"
    "  --shard I/N       every N-th run from the I-th on, for the I-th of N machines; `weir "
    "merge`\n"
    "                    puts their files together\n"
    "  --jobs N          processes; left out: one a core\n";

enum { MAX_STUDY_BYTES = 1 << 20, MAX_JOBS = 1024 };

struct sweep {
    const char *file;
    char results[4096];
    uint64_t shard, n_shards; /* From 1. */
    size_t n_jobs;
    struct scn_study study;
    uint64_t sample; /* A run whose scenario can be read. */

    struct rec_sweeps *store;
    uint64_t id;       /* In the results file. */
    uint8_t *finished; /* Bit n % 8 of byte n / 8: run n. */
    uint64_t next;     /* To be given out. */
    uint64_t n_own, n_there, n_now, n_dead;
    uint64_t n_by_status[SUMMARY_N];
    double start_s, flushed_s, shown_s;
};

/* Options. */

static bool
read_number(const char *word, uint64_t max, uint64_t *number, const char **end)
{
    char *rest;
    errno = 0;
    *number = strtoull(word, &rest, 10);
    *end = rest;
    return word[0] >= '0' && word[0] <= '9' && !errno && *number >= 1 && *number <= max;
}

static bool
read_shard(const char *word, struct sweep *s)
{
    const char *end;

    return read_number(word, 1000000, &s->shard, &end) && *end == '/' &&
           read_number(end + 1, 1000000, &s->n_shards, &end) && !*end && s->shard <= s->n_shards;
}

static int
read_options(int argc, char **argv, struct sweep *s)
{
    for (int i = 1; i < argc; i++) {
        const char *word = argv[i], *value = i + 1 < argc ? argv[i + 1] : NULL, *end;
        uint64_t n_jobs;
        if (!strcmp(word, "--record") && value) {
            snprintf(s->results, sizeof s->results, "%s", argv[++i]);
        } else if (!strcmp(word, "--shard") && value) {
            if (!read_shard(argv[++i], s)) {
                return cli_fail(EXIT_USER, "sweep: --shard takes I/N, as in 2/4, not '%s'", value);
            }
        } else if (!strcmp(word, "--jobs") && value) {
            if (!read_number(argv[++i], MAX_JOBS, &n_jobs, &end) || *end) {
                return cli_fail(EXIT_USER, "sweep: --jobs takes a number from 1 to %d, not '%s'",
                                MAX_JOBS, value);
            }
            s->n_jobs = (size_t)n_jobs;
        } else if (word[0] == '-' || s->file) {
            return cli_fail(EXIT_USER, "sweep: unexpected '%s'\n\n%s", word, help);
        } else {
            s->file = word;
        }
    }
    return s->file ? EXIT_GOOD : cli_fail(EXIT_USER, "sweep: no study given\n\n%s", help);
}

static void
set_defaults(struct sweep *s)
{
    long cores = sysconf(_SC_NPROCESSORS_ONLN);

    s->n_jobs = s->n_jobs ? s->n_jobs : cores > 0 ? (size_t)cores : 1;
    if (!s->results[0] && s->n_shards > 1) {
        snprintf(s->results, sizeof s->results, "%s.%lluof%llu.db", s->study.name,
                 (unsigned long long)s->shard, (unsigned long long)s->n_shards);
    } else if (!s->results[0]) {
        snprintf(s->results, sizeof s->results, "%s.db", s->study.name);
    }
    s->n_own = (s->study.n_runs + s->n_shards - s->shard) / s->n_shards;
}

/* One run, in a process of the crew. */

/* Whether buffers can wait for each other in a ring: on routes between all hosts, and on the paths
 * of flows that have their own. */
static bool
is_cyclic(const struct scenario *s)
{
    struct depend_flow *own = array_new(s->n_flows, sizeof *own);
    struct depend_traffic traffic = { .all_pairs = true,
                                      .flows = own,
                                      .n_classes = (uint32_t)s->wire.classes,
                                      .lossless = (uint32_t)s->wire.lossless };

    for (size_t i = 0; i < s->n_listed_flows; i++) {
        const struct scn_flow *f = &s->flows[i];
        if (f->path) {
            own[traffic.n_flows++] =
                (struct depend_flow){ f->from, f->to, (uint8_t)f->cls, f->path, f->n_path };
        }
    }
    struct depend *graph = depend_new(&s->topo, &traffic);
    bool is = depend_is_cyclic(graph);
    depend_free(graph);
    free(own);
    return is;
}

static struct summary
run_one(const struct sweep *s, uint64_t run)
{
    char **sets = study_settings(&s->study, run);
    struct outcome_job job = { .file = s->study.base,
                               .sets = (const char *const *)sets,
                               .n_sets = s->study.n_axes,
                               .n_threads = 1,
                               .stop_at_deadlock = s->study.stops_at_deadlock };
    struct outcome o = { 0 };
    struct summary summary = summary_empty(SUMMARY_REFUSED);
    int code = outcome_read(&o.s, job.file, job.sets, job.n_sets);

    if (code == EXIT_GOOD && s->study.is_only_cyclic && !is_cyclic(&o.s)) {
        summary.status = SUMMARY_SKIPPED;
        scn_free(&o.s);
    } else if (code == EXIT_GOOD) {
        code = outcome_run_read(&o, &job);
        if (code == EXIT_GOOD || code == EXIT_PROMISE) {
            summary = summary_of(&o);
            outcome_free(&o);
        }
    }
    study_settings_free(&s->study, sets);
    return summary;
}

static void
work(void *arg, uint64_t run, void *answer)
{
    struct summary *summary = answer;

    *summary = run_one(arg, run);
    if (summary->status == SUMMARY_REFUSED) {
        crew_read_said(summary->why);
    }
}

static int
read_study(struct sweep *s, const struct scn_source *source)
{
    struct err err;

    if (!scn_study_read(&s->study, source, &err)) {
        fprintf(stderr, "%s\n", err.text);
        return EXIT_USER;
    }
    return study_check(&s->study, &s->sample);
}

/* What the results file has of it. */

static bool
is_own(const struct sweep *s, uint64_t run)
{
    return run % s->n_shards == s->shard - 1;
}

static bool
is_finished(const struct sweep *s, uint64_t run)
{
    return s->finished[run / 8] >> run % 8 & 1;
}

static void
note_finished(void *arg, uint64_t run, const char *status, bool is_dead)
{
    struct sweep *s = arg;

    if (run >= s->study.n_runs || !is_own(s, run)) {
        return;
    }
    for (int i = 0; i < SUMMARY_FAILED; i++) {
        if (!strcmp(summary_names[i], status)) {
            s->finished[run / 8] |= (uint8_t)(1 << run % 8);
            s->n_by_status[i]++;
            s->n_there++;
            s->n_dead += is_dead;
        }
    }
}

static bool
begin(struct sweep *s, struct err *err)
{
    char *identity = study_identity(&s->study, s->sample), started[32];
    time_t now = time(NULL);
    struct tm utc;
    struct rec_sweep row = { .name = s->study.name,
                             .study = identity,
                             .hash = cli_hash(identity),
                             .build = WEIR_VERSION,
                             .started_at = started,
                             .n_runs = s->study.n_runs };

    strftime(started, sizeof started, "%Y-%m-%dT%H:%M:%SZ", gmtime_r(&now, &utc));
    s->finished = array_new(s->study.n_runs / 8 + 1, 1);
    s->store = rec_sweeps_open(s->results, err);
    bool good = s->store && rec_sweep_begin(s->store, &row, &s->id, err) &&
                rec_sweep_each(s->store, s->id, note_finished, s, err);
    free(identity);
    return good;
}

/* Running. */

static volatile sig_atomic_t is_interrupted; /* What a signal handler can reach. */

static void
interrupt(int signal)
{
    (void)signal;
    is_interrupted = 1;
}

static double
seconds(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + (double)t.tv_nsec / 1e9;
}

static void
write_duration(double left_s, char *out, size_t out_bytes)
{
    unsigned long long s = (unsigned long long)(left_s + 0.5);

    if (s < 120) {
        snprintf(out, out_bytes, "%llu s", s);
    } else if (s < 7200) {
        snprintf(out, out_bytes, "%llu min", s / 60);
    } else {
        snprintf(out, out_bytes, "%llu h %02llu min", s / 3600, s / 60 % 60);
    }
}

static void
show_progress(struct sweep *s)
{
    uint64_t n_done = s->n_there + s->n_now, n_left = s->n_own - n_done;
    double now = seconds();
    char left[40];

    if (!isatty(STDERR_FILENO) || now - s->shown_s < 0.2 || !s->n_now) {
        return;
    }
    s->shown_s = now;
    write_duration((now - s->start_s) / (double)s->n_now * (double)n_left, left, sizeof left);
    fprintf(stderr, "\r%llu of %llu runs, %.0f %%, %s left; %llu deadlocks   ",
            (unsigned long long)n_done, (unsigned long long)s->n_own,
            100 * (double)n_done / (double)s->n_own, left, (unsigned long long)s->n_dead);
}

/* A run whose process came to harm is named, and the others go on. */
static struct summary
failed(const struct sweep *s, const struct crew_done *done)
{
    struct summary summary = summary_empty(SUMMARY_FAILED);
    char *settings = study_settings_json(&s->study, done->number);

    snprintf(summary.why, sizeof summary.why, "%s%s%s", done->harm, done->said[0] ? ": " : "",
             done->said);
    fprintf(stderr, "%sweir: run %llu failed, %s: %s\n", s->shown_s > 0 ? "\r\033[K" : "",
            (unsigned long long)done->number, settings, summary.why);
    free(settings);
    return summary;
}

static void
take(struct sweep *s, const struct crew_done *done)
{
    struct summary summary = done->answer ? *(const struct summary *)done->answer : failed(s, done);
    char *settings = study_settings_json(&s->study, done->number);

    summary.row.id = done->number;
    summary.row.settings = settings;
    summary.row.status = summary_names[summary.status];
    summary.row.why = summary.why[0] ? summary.why : NULL;
    rec_sweep_add(s->store, s->id, &summary.row);
    free(settings);
    s->n_by_status[summary.status]++;
    s->n_now++;
    s->n_dead += summary.row.deadlock_ps >= 0;
}

static bool
give_all(struct sweep *s, struct crew *crew, struct err *err)
{
    while (crew_has_idle(crew)) {
        while (s->next < s->study.n_runs && is_finished(s, s->next)) {
            s->next += s->n_shards;
        }
        if (s->next >= s->study.n_runs) {
            return true;
        }
        if (!crew_give(crew, s->next, err)) {
            return false;
        }
        s->next += s->n_shards;
    }
    return true;
}

/* What has come in is written once a second, and then the runs are finished. */
static bool
flush_if_due(struct sweep *s, struct err *err)
{
    if (seconds() < s->flushed_s + 1) {
        return true;
    }
    s->flushed_s = seconds();
    return rec_sweep_flush(s->store, err);
}

static bool
run_all(struct sweep *s, struct err *err)
{
    struct crew *crew = crew_new(s->n_jobs, sizeof(struct summary), work, s);
    struct crew_done done;
    struct sigaction on_interrupt = { .sa_handler = interrupt };

    sigaction(SIGINT, &on_interrupt, NULL);
    sigaction(SIGTERM, &on_interrupt, NULL);
    s->start_s = s->flushed_s = seconds();
    s->next = s->shard - 1;
    bool good = give_all(s, crew, err);
    while (good && !is_interrupted && crew_is_busy(crew)) {
        if (crew_wait(crew, 200, &done)) {
            take(s, &done);
        }
        good = give_all(s, crew, err) && flush_if_due(s, err);
        show_progress(s);
    }
    crew_free(crew);
    fputs(s->shown_s > 0 ? "\r\033[K" : "", stderr);
    return good && rec_sweep_flush(s->store, err);
}

static void
show(const struct sweep *s)
{
    printf("%s: %llu of %llu runs, %llu of them now, in %.1f s\n", s->study.name,
           (unsigned long long)(s->n_there + s->n_now), (unsigned long long)s->n_own,
           (unsigned long long)s->n_now, seconds() - s->start_s);
    for (int i = 0; i < SUMMARY_N; i++) {
        if (s->n_by_status[i]) {
            printf("%-14s %llu\n", summary_names[i], (unsigned long long)s->n_by_status[i]);
        }
    }
    printf("%-14s %llu\n%-14s %s, sweep %llu\n", "deadlocks", (unsigned long long)s->n_dead,
           "results", s->results, (unsigned long long)s->id);
}

static int
sweep(struct sweep *s)
{
    struct err err;

    set_defaults(s);
    if (!begin(s, &err) || !run_all(s, &err)) {
        return cli_fail(EXIT_WORLD, "%s", err.text);
    }
    show(s);
    if (is_interrupted) {
        return cli_fail(EXIT_WORLD, "sweep: stopped; the same command goes on");
    }
    return s->n_by_status[SUMMARY_FAILED]
               ? cli_fail(EXIT_WORLD, "sweep: some runs failed; the same command tries them again")
               : EXIT_GOOD;
}

int
cli_sweep(int argc, char **argv)
{
    struct sweep s = { .shard = 1, .n_shards = 1 };
    struct err err;
    size_t len;

    if (cli_helped(argc, argv, help)) {
        return EXIT_GOOD;
    }
    int code = read_options(argc, argv, &s);
    if (code != EXIT_GOOD) {
        return code;
    }
    char *text = text_read_file(s.file, MAX_STUDY_BYTES, &len, &err);
    if (!text) {
        return cli_fail(EXIT_WORLD, "%s", err.text);
    }
    code = strlen(text) == len
               ? read_study(&s, &(struct scn_source){ .name = s.file, .text = text })
               : cli_fail(EXIT_USER, "%s: not a text file", s.file);
    if (code == EXIT_GOOD) {
        code = sweep(&s);
    }
    if (s.store) {
        rec_sweeps_close(s.store);
    }
    scn_study_free(&s.study);
    free(s.finished);
    free(text);
    return code;
}
