/* `weir sweep`: runs a study, which is a scenario under many settings. */

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "cli/cli.h"
#include "cli/progress.h"
#include "cli/ranks.h"
#include "output/next-step.h"
#include "run/array-task.h"
#include "run/rank-sync.h"
#include "run/sweeping.h"

enum { MAX_JOBS = 1024 };

struct sweep {
    struct verb_operands file;
    struct verb_words over, sets;
    const char *record;
    uint64_t n_jobs;
    bool is_sample;
    /* The process is a task of a job array; its environment has the number of its part. */
    bool is_task;
    char stem[4096], results[4200];
    struct scn_study study;
    struct sweeping running;
};

/* Options of `weir sweep`. */

static bool
read_number(const char *word, uint64_t *number, const char **end)
{
    enum { MOST = 1000000 };
    char *rest;

    errno = 0;
    *number = strtoull(word, &rest, 10);
    *end = rest;
    return word[0] >= '0' && word[0] <= '9' && !errno && *number >= 1 && *number <= MOST;
}

static bool
read_shard(void *running, const char *word, struct err *err)
{
    struct sweeping *s = running;
    const char *end;
    bool good = read_number(word, &s->shard, &end) && *end == '/' &&
                read_number(end + 1, &s->n_shards, &end) && !*end && s->shard <= s->n_shards;

    return good || err_set(err, "takes I/N, as in 2/4, not '%s'", word);
}

#define AT(MEMBER) .offset = offsetof(struct sweep, MEMBER)

static const struct verb_option options[] = {
    { "--over", "KEY=VALUE,VALUE...",
      "Runs the study with each of these values of the key, in place of the values that the study "
      "lists: --over engine=pfc,cbfc, --over run.seed=1..100. A key that the study does not list "
      "becomes a further axis. May be given several times. STUDY may then be a scenario.",
      VERB_WORDS, AT(over) },
    { "--set", "KEY=VALUE",
      "Sets a value in all runs, in place of the values of the study or the scenario: --set "
      "run.time=10ms. May be given several times.",
      VERB_WORDS, AT(sets) },
    { "--record", "RESULTS",
      "Results file to write the rows to. Default: NAME.db, or NAME.IofN.db for a shard.",
      VERB_FILE, AT(record) },
    { "--shard", "I/N",
      "Runs only part I of N, to share a sweep among N machines: every N-th run, starting with the "
      "I-th. `weir merge` joins the files. In a Slurm job array each task finds its part "
      "automatically.",
      VERB_READ, AT(running), .read = read_shard },
    { "--jobs", "N",
      "Number of runs at the same time, each a process. Default: one per core that this process "
      "may use.",
      VERB_NUMBER, AT(n_jobs), .min = 1, .max = MAX_JOBS },
    { "--sample", NULL, "Runs only the part that the study names as its `sample`.", VERB_FLAG,
      AT(is_sample) },
    { 0 },
};

/* Sets the name of the results file. Part 2 of 4 is written to NAME.2of4.db. All tasks of an array,
 * and all ranks, get the same --record, from which the names of their parts are made. */
static void
name_results(struct sweep *s)
{
    const struct sweeping *r = &s->running;
    const char *name = s->record ? s->record : s->study.name, *end = strrchr(name, '.');
    bool has_end = s->record && end && !strcmp(end, ".db");

    snprintf(s->stem, sizeof s->stem, "%.*s", (int)(has_end ? end - name : (long)strlen(name)),
             name);
    if (s->record && !s->is_task) {
        snprintf(s->results, sizeof s->results, "%s", s->record);
    } else if (r->n_shards > 1) {
        snprintf(s->results, sizeof s->results, "%s.%lluof%llu.db", s->stem,
                 (unsigned long long)r->shard, (unsigned long long)r->n_shards);
    } else {
        snprintf(s->results, sizeof s->results, "%s.db", s->stem);
    }
}

static void
show_sweep(const struct sweep *sweep)
{
    const struct sweeping *s = &sweep->running;
    const struct sweeping_counts *n = &s->counts;

    printf("%s: %llu of %llu runs done, %llu of them now, in %.1f s\n", s->study->name,
           (unsigned long long)(n->n_there + n->n_now), (unsigned long long)n->n_own,
           (unsigned long long)n->n_now, n->seconds);
    for (int i = 0; i < SWEEPING_N; i++) {
        if (n->n_by_status[i]) {
            printf("%-14s %llu\n", sweeping_statuses[i], (unsigned long long)n->n_by_status[i]);
        }
    }
    printf("%-14s %llu\n%-14s %llu\n%-14s %s, sweep %llu\n", "deadlocks",
           (unsigned long long)n->n_dead, "collapsed", (unsigned long long)n->n_collapsed,
           "results", s->results, (unsigned long long)s->id);
    if (n->n_warned) {
        printf("warning: in %llu run%s, such as: %s\n", (unsigned long long)n->n_warned,
               value_plural(n->n_warned), n->warning);
    }
    if (s->n_shards > 1) {
        next_step_write(stdout, "weir merge %s.db %s.*of%llu.db when all parts have run",
                        sweep->stem, sweep->stem, (unsigned long long)s->n_shards);
    } else if (!n->is_interrupted) {
        next_step_write(stdout, "weir report %s", s->results);
    }
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
    s->running.n_jobs = (size_t)s->n_jobs;
    s->running.watcher = &watcher;
    s->running.ranks = ranks_all() ? ranks_all()->sim : NULL;
    s->running.stem = s->stem;
    s->running.n_sharing = ranks_n_sharing();
    bool good = sweeping_run(&s->running, &err);
    ranks_find_speaker();
    if (!good) {
        return cli_print_error(run_code_of_file(&err), &err);
    }
    show_sweep(s);
    if (s->running.counts.is_interrupted) {
        return cli_fail(EXIT_STOPPED, "sweep: stopped; the same command continues");
    }
    return s->running.counts.n_by_status[SWEEPING_FAILED]
               ? cli_fail(EXIT_WORLD, "sweep: some runs failed; the same command tries them again")
               : EXIT_GOOD;
}

/* Chooses the part of the sweep.  Without --shard, each task of a job array runs one part. */
static int
choose_shard(struct sweep *s, struct err *err)
{
    struct sweeping *r = &s->running;

    if (r->shard) {
        return EXIT_GOOD;
    }
    bool good = array_task_shard(&r->shard, &r->n_shards, err);
    s->is_task = good && r->shard;
    return good ? EXIT_GOOD : run_fail(err, EXIT_USER, "weir: sweep: %s", err->text);
}

static int
read_study(struct sweep *s, struct err *err)
{
    const char *file = s->file.items[0];
    enum scn_study_part part = s->is_sample ? SCN_STUDY_SAMPLE : SCN_STUDY_WHOLE;
    const struct scn_study_options more = { s->over.items, s->sets.items, s->over.n, s->sets.n };
    int code = study_read(&s->study, file, part, NULL, &more, &s->running.sample, err);

    if (code == EXIT_GOOD && s->is_sample && !s->study.is_sample) {
        code = run_fail(err, EXIT_USER,
                        "weir: %s: the study has no `sample`; without --sample all of it is run",
                        file);
    }
    return code == EXIT_GOOD ? choose_shard(s, err) : code;
}

/* Checks that all ranks have read the same study. If they have not, none of them runs it. */
static int
agree(const struct sweep *s, int code, struct err *err)
{
    char *identity =
        ranks_all() && code == EXIT_GOOD ? study_identity(&s->study, s->running.sample) : NULL;
    uint64_t hash = identity ? text_hash(identity) : 0;

    free(identity);
    return ranks_all() ? rank_sync_agree(ranks_all()->sim, code, hash, err) : code;
}

static int
run_sweep(void *given)
{
    struct sweep *s = given;
    struct err err;

    cli_hear_interrupts();
    int code = agree(s, read_study(s, &err), &err);
    code = code == EXIT_GOOD ? sweep(s) : cli_print_error(code, &err);
    scn_study_free(&s->study);
    return code;
}

const struct verb cli_sweep = {
    .name = "sweep",
    .group = VERB_LARGE,
    .run = run_sweep,
    .brief = "run a study: a scenario under many settings, on all cores",
    .operands = "STUDY",
    .about =
        "Runs a scenario under all combinations of settings that a study lists, as many runs at "
        "the same time as there are cores, and writes one row per run to a results file. If it is "
        "stopped or killed, the same command continues it. doc/sweeps.md says "
        "more.\n\n"
        "Under mpirun, each process makes a part of the runs, and the first process joins all "
        "results; doc/scale.md says more.\n\n"
        "The exit code is 0 if all runs are done, 2 if the study has an error, and 3 if a file "
        "cannot be read or written. It is also 3 if runs failed; the same command tries them "
        "again. It is 130 if Ctrl-C or SIGTERM stopped it.",
    .examples = "  weir sweep study.yaml --record study.db\n"
                "  weir sweep ring.yaml --over engine=pfc,cbfc --over run.seed=1..100\n"
                "  weir sweep study.yaml --shard 2/4 && weir merge study.db study.*of4.db\n",
    .options = options,
    .options_bytes = sizeof(struct sweep),
    .min_operands = 1,
    .max_operands = 1,
    .missing = "no study given",
    .is_for_ranks = true,
    .is_long = true,
};
