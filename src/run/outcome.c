/* Reads, binds and runs a scenario, and judges the result. */

#include "run/outcome.h"

#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include "base/array.h"
#include "base/moment.h"
#include "base/text.h"
#include "bind/bind.h"
#include "run/capture.h"
#include "run/collect.h"
#include "run/intervals.h"
#include "run/job-facts.h"
#include "run/listing.h"
#include "run/rank-sync.h"
#include "run/recorder.h"
#include "run/starvation.h"
#include "run/stopping.h"

bool
outcome_flow_is_astray(const struct outcome *o, uint32_t flow)
{
    return (o->s.topo.n_statics || o->s.routing.hop_limit) && !sim_flow_arrives(o->sim, flow);
}

bool
outcome_is_silent(const struct outcome *o)
{
    return o->silence.n_queues && !o->deadlock.stands;
}

static void
judge(struct outcome *o)
{
    weir_ps now = sim_now(o->sim);
    bool dead = o->deadlock.found, is_broken = !o->deadlock.stands;
    uint32_t expect = o->s.expect;

    starvation_judge(o);
    job_facts_find_stuck(o);
    const struct {
        bool is_broken;
        const char *what;
        weir_ps at_ps;
    } promises[] = {
        { dead && !(expect & SCN_EXPECT_DEADLOCK),
          is_broken ? "deadlock, broken by the watchdog" : "deadlock", o->deadlock.formed_ps },
        { !dead && expect & SCN_EXPECT_DEADLOCK && !o->is_stopped,
          "the scenario expects a deadlock, and none formed", now },
        { o->totals.n_dropped_lossless && !(expect & SCN_EXPECT_DROPS),
          "packets of a lossless class were dropped", now },
        { o->n_lost_lossless && !(expect & SCN_EXPECT_DROPS),
          "packets of a lossless class were lost between nodes", now },
        { o->n_collapsed > o->n_silent && !(expect & SCN_EXPECT_COLLAPSE),
          "flows got less than a tenth of their fair share", now },
        { outcome_is_silent(o) && !(expect & SCN_EXPECT_COLLAPSE),
          "queues were blocked and sent nothing in the last tenth of the run",
          starvation_first_ps(&o->silence) },
        { !sim_is_conserved(o->sim, &o->imbalance), o->imbalance.text, now },
        { o->stuck.len, o->stuck.s, now },
        { o->totals.n_no_route && !o->s.routing.reroute_ps, "packets had no route", now },
    };
    for (size_t i = 0; i < sizeof promises / sizeof *promises; i++) {
        if (promises[i].is_broken) {
            o->violations[o->n_violations].what = promises[i].what;
            o->violations[o->n_violations++].at_ps = promises[i].at_ps;
        }
    }
}

/* Progress reports to a watcher during the run. */

struct progress {
    const struct sim *sim;
    const struct outcome_watcher *watcher;
    weir_ps until_ps;
    double start;
    atomic_bool is_over;
};

/* A run that takes less than a second reports no progress. */
static void *
watch_progress(void *arg)
{
    struct progress *p = arg;
    const struct timespec pause = { .tv_nsec = 50000000 };

    while (!atomic_load(&p->is_over)) {
        double elapsed = moment_seconds() - p->start;
        if (elapsed > 1) {
            weir_ps done_ps = sim_progress(p->sim);
            p->watcher->report(p->watcher->arg, done_ps < p->until_ps ? done_ps : p->until_ps,
                               p->until_ps, elapsed);
        }
        nanosleep(&pause, NULL);
    }
    return NULL;
}

/* Runs the simulation, or the runner in its place. Returns an exit code. If a simulation was
 * aborted, the error is its own reason. */
static int
run_by(const struct outcome_runner *runner, struct sim *sim, struct err *err)
{
    if (runner) {
        return runner->run(runner->arg, sim, err);
    }
    sim_run(sim);
    const char *why = sim_broken(sim);
    return why ? run_fail(err, EXIT_WORLD, "%s", why) : EXIT_GOOD;
}

static int
run_watched(struct outcome *o, const struct outcome_job *job, struct err *err)
{
    struct progress p = { o->sim, job->watcher, (weir_ps)o->s.run.time_ps, moment_seconds(),
                          false };
    pthread_t thread;
    bool watched = job->watcher && !pthread_create(&thread, NULL, watch_progress, &p);
    int code = run_by(job->runner, o->sim, err);
    atomic_store(&p.is_over, true);
    if (watched) {
        pthread_join(thread, NULL);
    }
    o->seconds = moment_seconds() - p.start;
    return code;
}

/* Opens the files that are written during a run.  The capture is opened first: if that fails, the
 * results file has no trace of the run. */
static int
begin_files(struct recorder *recorder, const struct outcome_job *job, struct err *err)
{
    int code = job->capture ? capture_begin(job->capture, err) : EXIT_GOOD;

    if (code == EXIT_GOOD && job->results && !recorder_begin(recorder, job, err)) {
        code = run_code_of_file(err);
    }
    return code;
}

/* Closes the files of a run that was aborted, or stopped before it began. */
static void
fail_files(struct recorder *recorder, const struct outcome_job *job, int code, const char *why)
{
    struct err again;

    if (job->results) {
        recorder_fail(recorder, code == EXIT_STOPPED ? REC_STOPPED : REC_FAILED, why, &again);
    }
    if (job->capture) {
        capture_end(job->capture, &again);
    }
}

static int
end_files(struct recorder *recorder, const struct outcome_job *job, struct err *err)
{
    struct err again; /* Unused: the caller gets the first error only. */
    int code = job->capture ? capture_end(job->capture, err) : EXIT_GOOD;

    if (job->results && !recorder_end(recorder, code == EXIT_GOOD ? err : &again)) {
        code = EXIT_WORLD;
    }
    return code;
}

/* Connects the observers of the run: results file, intervals, capture. */
static int
add_listeners(struct outcome *o, const struct outcome_job *job, struct recorder *recorder,
              struct sim_config *config, struct err *err)
{
    if (job->results) {
        recorder_configure(recorder, o, config);
    }
    if (job->intervals) {
        intervals_begin(job->intervals, &o->s, job->study);
        config->sample_ps = INTERVALS_PS;
        config->sample = intervals_sample;
        config->sample_arg = job->intervals;
        config->sampled = &job->intervals->sampled;
    }
    return job->capture ? capture_configure(job->capture, &o->s, config, err) : EXIT_GOOD;
}

/* Creates the simulation, whose configuration may depend on the model's engines. */
static int
make_sim(struct outcome *o, const struct outcome_job *job, struct sim_config *config,
         struct err *err)
{
    struct model model;

    if (!bind_model(&o->s, &model, err)) {
        model_free(&model);
        return EXIT_USER;
    }
    config->units = (job->results && recorder_wants_held(&o->s, &model)) ||
                    (job->study && measures_need(job->study, SCN_OF_HELD));
    int code = job->runner ? job->runner->begin(job->runner->arg, &o->s, config, err) : EXIT_GOOD;
    if (code != EXIT_GOOD) {
        model_free(&model);
        return code;
    }
    o->sim = sim_new(config, &model, err);
    if (o->sim) {
        bind_leave_flows(&o->s, sim_model(o->sim));
    }
    return o->sim ? EXIT_GOOD : run_fail(err, EXIT_USER, "%s: %s", job->file, err->text);
}

static const struct sim_ranks *
ranks_of(const struct outcome_job *job)
{
    return job->ranks ? job->ranks->sim : NULL;
}

static int
fail_without_flows(const struct outcome *o, const struct outcome_job *job, struct err *err)
{
    struct weir_text what = { 0 };

    if (o->s.n_workloads) {
        weir_text_add(&what,
                      "; its workloads draw no flow within run.time %T with seed %u: use a "
                      "longer run.time, a larger load, or give at:",
                      (weir_ps)o->s.run.time_ps, o->s.run.seed);
    } else {
        weir_text_add(&what, ": add some, as in flows: [{from: H1, to: H3, bytes: 1MB}]");
    }
    return run_fail(err, EXIT_USER, "%s: the scenario has no flows, so nothing would be sent%s",
                    job->file, what.s);
}

static int
prepare(struct outcome *o, const struct outcome_job *job, struct recorder *recorder,
        struct err *err)
{
    const struct scn_run *run = &o->s.run;
    struct sim_config config = { .until_ps = (weir_ps)(run->time_ps + run->run_out_ps),
                                 .measured = { .from_ps = (weir_ps)run->warm_up_ps,
                                               .until_ps =
                                                   run->run_out_ps ? (weir_ps)run->time_ps : 0 },
                                 .seed = o->s.run.seed,
                                 .spent = &o->s.topo,
                                 .n_threads = job->n_threads,
                                 .ranks = ranks_of(job) };

    if (!o->s.n_flows) {
        return fail_without_flows(o, job, err);
    }
    int code = add_listeners(o, job, recorder, &config, err);
    return code == EXIT_GOOD ? make_sim(o, job, &config, err) : code;
}

/* Judges the run on the first or only rank, which has the results of all ranks. */
static int
conclude(struct outcome *o, const struct outcome_job *job, struct recorder *recorder,
         struct err *err)
{
    o->totals = sim_totals(o->sim);
    o->deadlock = sim_deadlock(o->sim);
    judge(o);
    collect(o, job->intervals);
    int code = end_files(recorder, job, err);
    return code == EXIT_GOOD && o->n_violations ? EXIT_PROMISE : code;
}

/* Runs the simulation and judges the result. */
static int
run_and_conclude(struct outcome *o, const struct outcome_job *job, struct recorder *recorder,
                 struct err *err)
{
    bool is_first = rank_sync_is_first(ranks_of(job));
    int code = run_watched(o, job, err);

    o->is_stopped = !sim_has_ended(o->sim);
    if (code != EXIT_GOOD) {
        if (is_first) {
            fail_files(recorder, job, code, err->text);
        }
        return code;
    }
    if (job->runner) {
        job->runner->count(job->runner->arg, o);
    }
    code = is_first ? conclude(o, job, recorder, err) : EXIT_WORLD;
    if (!rank_sync_broadcast(ranks_of(job), &code, sizeof code, err) && !is_first) {
        code = EXIT_WORLD;
    }
    return code;
}

/* All ranks begin, or none does. The first rank writes files. While they are open, an interrupt
 * ends the run but not the process, so Ctrl-C keeps the results so far. If a rank is lost, the
 * others still report it before the launcher kills them, which may be only a second later. */
static int
simulate(struct outcome *o, const struct outcome_job *job, struct err *err)
{
    const struct sim_ranks *ranks = ranks_of(job);
    struct recorder recorder;
    int code = rank_sync_agree(ranks, prepare(o, job, &recorder, err), 0, err);

    if (code != EXIT_GOOD) {
        return code;
    }
    stopping_hold(o->sim, job->ranks);
    code = rank_sync_is_first(ranks) ? begin_files(&recorder, job, err) : EXIT_GOOD;
    code = rank_sync_agree(ranks, code, 0, err);
    if (code == EXIT_GOOD) {
        code = run_and_conclude(o, job, &recorder, err);
    }
    stopping_let_go();
    return code;
}

/* A hash of the input that all ranks must share: the scenario, and options for samples, in which
 * all ranks take part. */
static uint64_t
hash_of_job(const struct outcome *o, const struct outcome_job *job)
{
    const struct capture *c = job->capture;
    char *text = listing_text(&o->s);
    uint64_t hash = text_hash(text) + (job->results ? text_hash("--record") : 0);

    free(text);
    return hash + (c ? text_hash("--pcap") : 0) + (c && c->ports ? text_hash(c->ports) : 0);
}

/* Runs only if all ranks have read the same scenario. */
static int
agree_on_job(struct outcome *o, const struct outcome_job *job, int code, struct err *err)
{
    bool was_read = code == EXIT_GOOD;

    code = rank_sync_agree(ranks_of(job), code, was_read ? hash_of_job(o, job) : 0, err);
    if (was_read && code != EXIT_GOOD) {
        outcome_free(o);
    }
    return code;
}

int
outcome_run(struct outcome *o, const struct outcome_job *job, struct err *err)
{
    *o = (struct outcome){ 0 };
    int code = (job->is_confined ? outcome_read_confined
                                 : outcome_read)(&o->s, job->file, job->sets, job->n_sets, err);

    code = job->ranks ? agree_on_job(o, job, code, err) : code;
    return code == EXIT_GOOD ? outcome_run_read(o, job, err) : code;
}

int
outcome_run_read(struct outcome *o, const struct outcome_job *job, struct err *err)
{
    o->host = job->runner ? job->runner->host : "simulator";
    int code = simulate(o, job, err);

    if (code != EXIT_GOOD && code != EXIT_PROMISE) {
        outcome_free(o);
    }
    return code;
}

void
outcome_free(struct outcome *o)
{
    if (o->sim) {
        sim_free(o->sim);
    }
    scn_free(&o->s);
    free(o->counted);
    sim_free_silence(&o->silence);
    completion_free(&o->flows);
    free(o->collected);
    *o = (struct outcome){ 0 };
}

void
outcome_count(struct outcome *o, uint32_t node, const char *name, uint64_t value)
{
    ARRAY_PUSH(o->counted, o->n_counted, o->max_counted) =
        (struct outcome_counted){ node, name, value };
}

void
outcome_warn(struct outcome *o, const char *sentence)
{
    struct weir_text *text = &o->warned[o->n_warned++];

    assert(o->n_warned <= OUTCOME_MAX_WARNED);
    *text = (struct weir_text){ 0 };
    weir_text_add(text, "%s", sentence);
}

bool
outcome_flow_is_measured(const struct outcome *o, size_t flow)
{
    return scn_flow_at(&o->s, flow).bytes != MODEL_MESSAGES &&
           sim_flow_result(o->sim, (uint32_t)flow).started_ps >= (weir_ps)o->s.run.warm_up_ps;
}

uint64_t
outcome_flow_bps(const struct outcome *o, size_t flow)
{
    struct sim_flow_result r = sim_flow_result(o->sim, (uint32_t)flow);
    bool has_ended = r.received_bytes == scn_flow_at(&o->s, flow).bytes ||
                     sim_flow_is_stopped(o->sim, (uint32_t)flow);
    uint64_t ps = (uint64_t)((has_ended ? r.last_ps : sim_now(o->sim)) - r.started_ps);

    return ps && r.received_bytes ? weir_mul_div(r.received_bytes, 8 * (uint64_t)WEIR_PS_PER_S, ps)
                                  : 0;
}

double
outcome_flow_slowdown(const struct outcome *o, size_t flow)
{
    struct sim_flow_result r = sim_flow_result(o->sim, (uint32_t)flow);

    if (r.received_bytes != scn_flow_at(&o->s, flow).bytes) {
        return 0;
    }
    return (double)(r.last_ps - r.started_ps) / (double)sim_flow_ideal_ps(o->sim, (uint32_t)flow);
}
