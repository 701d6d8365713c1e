/* Runs a study on all cores, and resumes a study that was killed. */

#include "run/sweeping.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/core-count.h"
#include "base/moment.h"
#include "base/text.h"
#include "bind/traffic.h"
#include "record/sweep.h"
#include "run/intervals.h"
#include "run/stopping.h"
#include "run/warnings.h"

struct state {
    struct sweeping *s;
    const struct scn_study *study;
    struct rec_sweeps *store;
    uint8_t *finished; /* One bit for each run: bit n % 8 of byte n / 8 for run n. */
    uint64_t next;     /* The next run to be given to a worker. */
    double start_s, flushed_s;
};

const char *const sweeping_statuses[] = { [SWEEPING_COMPLETE] = "complete",
                                          [SWEEPING_STOPPED] = "stopped",
                                          [SWEEPING_SKIPPED] = "skipped",
                                          [SWEEPING_REFUSED] = "refused",
                                          [SWEEPING_FAILED] = "failed" };

/* Sets all facts of a run to unknown, for runs that did not finish. */
static void
clear_summary(struct sweeping_summary *summary, enum sweeping_status status)
{
    *summary = (struct sweeping_summary){ .status = status, .wall_s = -1 };
    collect_nothing(&summary->collected);
    for (size_t i = 0; i < SCN_MAX_MEASURES; i++) {
        summary->own[i] = -1;
    }
}

/* A single run, in a process of the pool. */

static void
fill_summary(struct sweeping_summary *summary, const struct outcome *o, struct intervals *intervals)
{
    struct weir_text warning = { 0 };

    summary->status = o->is_stopped ? SWEEPING_STOPPED : SWEEPING_COMPLETE;
    summary->wall_s = o->seconds;
    summary->collected = *o->collected;
    measures_sum_up(&intervals->own, o, summary->own);
    short_workloads_warn(o, &warning);
    snprintf(summary->warning, sizeof summary->warning, "%.*s", (int)sizeof summary->warning - 1,
             warning.s);
}

/* Whether there is a cyclic buffer dependency, on the routes between all hosts or on the paths that
 * single flows have of their own. */
static bool
is_cyclic(const struct scenario *s)
{
    struct bind_traffic b;

    bind_traffic(s, BIND_ALL_HOSTS, &b);
    struct depend *graph = depend_new(&s->topo, &b.traffic);
    bool is = depend_is_cyclic(graph);
    depend_free(graph);
    bind_traffic_free(&b);
    return is;
}

static bool
is_wanted(const struct scn_study *study, const struct scenario *s)
{
    return study->only == SCN_ALL_NETWORKS || is_cyclic(s) == (study->only == SCN_CYCLIC);
}

static void
run_one(const struct state *s, uint64_t run, struct sweeping_summary *summary)
{
    struct scn_sets sets = scn_study_sets(s->study, run);
    struct intervals intervals = { 0 };
    struct outcome_job job = { .file = s->study->base,
                               .sets = (const char *const *)sets.items,
                               .n_sets = sets.n,
                               .n_threads = 1,
                               .intervals = &intervals,
                               .study = s->study };
    struct outcome o = { 0 };
    struct err err = { 0 };
    int code = outcome_read(&o.s, job.file, job.sets, job.n_sets, &err);

    clear_summary(summary, SWEEPING_REFUSED);
    if (code == EXIT_GOOD && !is_wanted(s->study, &o.s)) {
        summary->status = SWEEPING_SKIPPED;
        scn_free(&o.s);
    } else if (code == EXIT_GOOD) {
        code = outcome_run_read(&o, &job, &err);
        if (code == EXIT_GOOD || code == EXIT_PROMISE) {
            fill_summary(summary, &o, &intervals);
            outcome_free(&o);
        }
    }
    if (summary->status == SWEEPING_REFUSED) {
        snprintf(summary->why, sizeof summary->why, "%.*s", (int)sizeof summary->why - 1, err.text);
    }
    intervals_end(&intervals);
    scn_sets_free(&sets);
}

static void
work(void *arg, uint64_t run, void *answer)
{
    run_one(arg, run, answer);
}

/* Runs that the results file already has. */

static bool
is_own(const struct state *s, uint64_t run)
{
    return run % s->s->n_shards == s->s->shard - 1;
}

static bool
is_finished(const struct state *s, uint64_t run)
{
    return s->finished[run / 8] >> run % 8 & 1;
}

/* Counts the result of a run, which was made now or earlier. */
static void
count_verdict(struct sweeping_counts *s, const struct rec_summary *row)
{
    s->n_dead += row->facts.deadlock_ps >= 0;
    s->n_collapsed += row->facts.n_collapsed != REC_NONE && row->facts.n_collapsed;
}

static void
note_finished(void *arg, const void *summary)
{
    struct state *s = arg;
    const struct rec_summary *row = summary;
    uint64_t run = row->id;

    if (run >= s->study->n_runs || !is_own(s, run)) {
        return;
    }
    size_t status =
        text_find(row->status, sweeping_statuses, sizeof *sweeping_statuses, SWEEPING_FAILED);
    if (status < SWEEPING_FAILED) {
        s->finished[run / 8] |= (uint8_t)(1 << run % 8);
        s->s->counts.n_by_status[status]++;
        s->s->counts.n_there++;
        count_verdict(&s->s->counts, row);
    }
}

struct rec_sweeps *
sweeping_open(struct sweeping *s, struct err *err)
{
    char *identity = study_identity(s->study, s->sample), *units = measures_json(s->study, NULL);
    char started[32];
    time_t now = time(NULL);
    struct tm utc;
    struct rec_sweep row = { .name = s->study->name,
                             .study = identity,
                             .hash = text_hash(identity),
                             .build = WEIR_VERSION,
                             .started_at = started,
                             .n_runs = s->study->n_runs,
                             .units = units };

    strftime(started, sizeof started, "%Y-%m-%dT%H:%M:%SZ", gmtime_r(&now, &utc));
    struct rec_sweeps *store = rec_sweeps_open(s->results, err);
    if (store && !rec_sweep_begin(store, &row, &s->id, err)) {
        rec_sweeps_close(store);
        store = NULL;
    }
    free(identity);
    free(units);
    return store;
}

static bool
begin(struct state *s, struct err *err)
{
    s->finished = array_new(s->study->n_runs / 8 + 1, 1);
    s->store = sweeping_open(s->s, err);
    return s->store && rec_sweep_each(s->store, s->s->id, note_finished, s, err);
}

/* Running. */

/* Reports a run whose process crashed; the other runs continue. */
static struct sweeping_summary
failed(const struct state *s, const struct worker_pool_done *done, const char *settings)
{
    struct sweeping_summary summary;
    const struct sweeping_watcher *watcher = s->s->watcher;

    clear_summary(&summary, SWEEPING_FAILED);
    snprintf(summary.why, sizeof summary.why, "%s%s%s", done->harm, done->said[0] ? ": " : "",
             done->said);
    if (watcher) {
        watcher->failed(watcher->arg, done->number, settings, summary.why);
    }
    return summary;
}

static void
take(struct state *s, const struct worker_pool_done *done)
{
    char *settings = study_settings_json(s->study, done->number);
    struct sweeping_summary summary =
        done->answer ? *(const struct sweeping_summary *)done->answer : failed(s, done, settings);
    char *measures = measures_json(s->study, summary.own);
    struct rec_summary row = { .id = done->number,
                               .settings = settings,
                               .status = sweeping_statuses[summary.status],
                               .why = summary.why[0] ? summary.why : NULL,
                               .measures = measures,
                               .wall_s = summary.wall_s,
                               .facts = summary.collected.facts };

    rec_sweep_add(s->store, s->s->id, &row);
    for (uint32_t i = 0; i < summary.collected.n_workloads; i++) {
        struct rec_workload workload = { .summary = done->number,
                                         .workload = i,
                                         .name = summary.collected.names[i],
                                         .facts = summary.collected.workloads[i] };
        rec_sweep_add_workload(s->store, s->s->id, &workload);
    }
    free(measures);
    free(settings);
    s->s->counts.n_by_status[summary.status]++;
    s->s->counts.n_now++;
    count_verdict(&s->s->counts, &row);
    if (summary.warning[0] && !s->s->counts.n_warned++) {
        memcpy(s->s->counts.warning, summary.warning, sizeof s->s->counts.warning);
    }
}

static bool
give_all(struct state *s, struct worker_pool *pool, struct err *err)
{
    while (worker_pool_has_idle(pool)) {
        while (s->next < s->study->n_runs && is_finished(s, s->next)) {
            s->next += s->s->n_shards;
        }
        if (s->next >= s->study->n_runs) {
            return true;
        }
        if (!worker_pool_give(pool, s->next, err)) {
            return false;
        }
        s->next += s->s->n_shards;
    }
    return true;
}

/* Writes results once per second. Runs count as finished only when their results have been
 * written. */
static bool
flush_if_due(struct state *s, struct err *err)
{
    if (moment_seconds() < s->flushed_s + 1) {
        return true;
    }
    s->flushed_s = moment_seconds();
    return rec_sweep_flush(s->store, err);
}

static bool
run_all(struct state *s, struct err *err)
{
    struct worker_pool *pool =
        worker_pool_new(s->s->n_jobs, sizeof(struct sweeping_summary), work, s);
    struct worker_pool_done done;

    s->start_s = s->flushed_s = moment_seconds();
    s->next = s->s->shard - 1;
    bool good = give_all(s, pool, err);
    while (good && !stopping_is_asked() && worker_pool_is_busy(pool)) {
        if (worker_pool_wait(pool, 200, &done)) {
            take(s, &done);
        }
        good = give_all(s, pool, err) && flush_if_due(s, err);
        s->s->counts.seconds = moment_seconds() - s->start_s;
        if (s->s->watcher) {
            s->s->watcher->report(s->s->watcher->arg, &s->s->counts);
        }
    }
    worker_pool_free(pool);
    s->s->counts.seconds = moment_seconds() - s->start_s;
    s->s->counts.is_interrupted = stopping_is_asked();
    return good && rec_sweep_flush(s->store, err);
}

static void
set_defaults(struct sweeping *s)
{
    size_t n_jobs = core_count() / (s->n_sharing ? s->n_sharing : 1);

    s->n_jobs = s->n_jobs ? s->n_jobs : n_jobs ? n_jobs : 1;
    s->shard = s->shard ? s->shard : 1;
    s->n_shards = s->n_shards ? s->n_shards : 1;
    s->counts.n_own = (s->study->n_runs + s->n_shards - s->shard) / s->n_shards;
}

static bool
run_alone(struct sweeping *sweeping, struct err *err)
{
    struct state s = { .s = sweeping, .study = sweeping->study };
    bool good = begin(&s, err) && run_all(&s, err);

    if (s.store) {
        rec_sweeps_close(s.store);
    }
    free(s.finished);
    return good;
}

/* Makes the runs that the file lacks. When the sweep is interrupted, at whatever time, all runs
 * that finished are in the file. */
bool
sweeping_run(struct sweeping *s, struct err *err)
{
    set_defaults(s);
    stopping_hold(NULL, NULL);
    bool good = s->ranks ? sweeping_share(s, err) : run_alone(s, err);
    stopping_let_go();
    return good;
}
