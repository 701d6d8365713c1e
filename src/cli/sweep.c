#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/cli.h"
#include "cli/progress.h"
#include "run/sweeping.h"

static const char help[] =
    "usage: weir sweep STUDY [--record RESULTS] [--shard I/N] [--jobs N] [--sample]\n"
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
    "  --jobs N          processes; left out: one a core\n"
    "  --sample          only what the study calls its sample\n";

enum { MAX_JOBS = 1024 };

struct sweep {
    const char *file;
    char results[4096];
    struct scn_study study;
    enum scn_study_part part;
    struct sweeping running;
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

    return read_number(word, 1000000, &s->running.shard, &end) && *end == '/' &&
           read_number(end + 1, 1000000, &s->running.n_shards, &end) && !*end &&
           s->running.shard <= s->running.n_shards;
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
            s->running.n_jobs = (size_t)n_jobs;
        } else if (!strcmp(word, "--sample")) {
            s->part = SCN_STUDY_SAMPLE;
        } else if (word[0] == '-' || s->file) {
            return cli_fail(EXIT_USER, "sweep: unexpected '%s'\n\n%s", word, help);
        } else {
            s->file = word;
        }
    }
    return s->file ? EXIT_GOOD : cli_fail(EXIT_USER, "sweep: no study given\n\n%s", help);
}

static void
name_results(struct sweep *s)
{
    const struct sweeping *r = &s->running;

    if (!s->results[0] && r->n_shards > 1) {
        snprintf(s->results, sizeof s->results, "%s.%lluof%llu.db", s->study.name,
                 (unsigned long long)r->shard, (unsigned long long)r->n_shards);
    } else if (!s->results[0]) {
        snprintf(s->results, sizeof s->results, "%s.db", s->study.name);
    }
}

static void
show(const struct sweep *sweep)
{
    const struct sweeping *s = &sweep->running;

    printf("%s: %llu of %llu runs, %llu of them now, in %.1f s\n", s->study->name,
           (unsigned long long)(s->n_there + s->n_now), (unsigned long long)s->n_own,
           (unsigned long long)s->n_now, s->seconds);
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
    struct progress progress = { 0 };
    struct sweeping_watcher watcher = progress_of_sweeps(&progress);
    struct err err;

    name_results(s);
    s->running.study = &s->study;
    s->running.results = s->results;
    s->running.watcher = &watcher;
    bool good = sweeping_run(&s->running, &err);
    progress_wipe(&progress);
    if (!good) {
        return cli_tell(EXIT_WORLD, &err);
    }
    show(s);
    if (s->running.is_interrupted) {
        return cli_fail(EXIT_WORLD, "sweep: stopped; the same command goes on");
    }
    return s->running.n_by_status[SUMMARY_FAILED]
               ? cli_fail(EXIT_WORLD, "sweep: some runs failed; the same command tries them again")
               : EXIT_GOOD;
}

int
cli_sweep(int argc, char **argv)
{
    struct sweep s = { 0 };
    struct err err;

    if (cli_helped(argc, argv, help)) {
        return EXIT_GOOD;
    }
    int code = read_options(argc, argv, &s);
    if (code != EXIT_GOOD) {
        return code;
    }
    code = study_read(&s.study, s.file, s.part, &s.running.sample, &err);
    if (code != EXIT_GOOD) {
        cli_tell(code, &err);
    }
    if (code == EXIT_GOOD && s.part == SCN_STUDY_SAMPLE && !s.study.is_sample) {
        code =
            cli_fail(EXIT_USER, "%s: has no `sample`; without --sample all of it is run", s.file);
    }
    if (code == EXIT_GOOD) {
        code = sweep(&s);
    }
    scn_study_free(&s.study);
    return code;
}
