/* Makes the runs of a comparison, by processes of a pool. */

#include <stdio.h>
#include <string.h>

#include "base/core-count.h"
#include "base/moment.h"
#include "run/comparison.h"
#include "run/sequencer.h"
#include "run/stopping.h"
#include "run/worker-pool.h"

static void
keep_warnings(const struct outcome *out, struct compare_row *row)
{
    struct weir_text warnings[WARNINGS_MAX];

    row->n_warnings = warnings_list(out, warnings);
    for (size_t i = 0; i < row->n_warnings; i++) {
        snprintf(row->warnings[i], sizeof row->warnings[i], "%s", warnings[i].s);
    }
}

const char *
compare_status(const struct compare_row *row)
{
    return !row->has_begun         ? "not run"
           : row->is_stopped       ? "stopped"
           : !compare_has_run(row) ? "failed"
                                   : "complete";
}

void
compare_sum_up(struct compare_row *row, int code, const struct outcome *out)
{
    row->has_begun = true;
    row->code = code;
    row->is_stopped = out->is_stopped;
    row->collected = *out->collected;
    for (size_t i = 0; i < out->s.n_workloads; i++) {
        row->has_job |= scn_workload_is_one_job(&out->s, i);
    }
    keep_warnings(out, row);
}

static void
run_one(const struct compare *c, size_t i, struct compare_row *row)
{
    struct compare_sets sets;
    struct outcome out;

    compare_list_sets(c, i, &sets);
    row->has_begun = true;
    row->code = outcome_run(&out,
                            &(struct outcome_job){ .file = c->file,
                                                   .sets = sets.items,
                                                   .n_sets = sets.n,
                                                   .n_threads = 1,
                                                   .command_ns = c->command_ns,
                                                   .place = i,
                                                   .sequencer = c->sequencer,
                                                   .results = c->results },
                            &row->err);
    stopping_end_worker();
    if (compare_has_run(row)) {
        compare_sum_up(row, row->code, &out);
        pooled_flows_add(c->pool, i, &out.flows);
        outcome_free(&out);
    } else {
        compare_name_option(c, &row->err);
    }
}

static void
work(void *arg, uint64_t i, void *row)
{
    stopping_begin_worker();
    run_one(arg, (size_t)i, row);
}

static void
take(const struct worker_pool_done *done, struct compare_row *row)
{
    if (done->answer) {
        *row = *(const struct compare_row *)done->answer;
    } else {
        /* The worker stopped before its run had any results. */
        bool is_stopped = done->code == EXIT_STOPPED;
        *row = (struct compare_row){ .has_begun = true,
                                     .is_stopped = is_stopped,
                                     .code = is_stopped ? EXIT_STOPPED : EXIT_WORLD };
        err_set(&row->err, "%s%s%s", done->harm, done->said[0] ? ": " : "", done->said);
    }
}

static void
report_progress(const struct compare *c, struct sweeping_counts *counts, double begun_s)
{
    counts->seconds = moment_seconds() - begun_s;
    if (c->watcher) {
        c->watcher->report(c->watcher->arg, counts);
    }
}

static int
run_all(struct compare *c, struct compare_row *rows, size_t n, struct err *err)
{
    struct worker_pool *pool = worker_pool_new(core_count(), sizeof *rows, work, c);
    struct worker_pool_done done;
    struct sweeping_counts counts = { .n_own = n };
    double begun_s = moment_seconds();
    bool good = true;

    stopping_hold(NULL, NULL);
    for (size_t next = 0; good && (next < n || worker_pool_is_busy(pool));) {
        if (stopping_is_asked()) {
            /* Repeats the request, because another run may have begun in the meantime. */
            worker_pool_stop(pool);
            next = n;
        }
        while (good && next < n && worker_pool_has_idle(pool)) {
            good = worker_pool_give(pool, next++, err);
        }
        if (good && worker_pool_wait(pool, 200, &done)) {
            take(&done, &rows[done.number]);
            sequencer_end(c->sequencer, done.number);
            counts.n_now++;
        }
        report_progress(c, &counts, begun_s);
    }
    worker_pool_free(pool);
    stopping_let_go();
    return !good                 ? EXIT_WORLD
           : stopping_is_asked() ? run_fail(err, EXIT_STOPPED, "stopped before all runs were done")
                                 : EXIT_GOOD;
}

static bool
has_failed(const struct compare_row *row)
{
    return row->has_begun && !compare_has_run(row);
}

bool
compare_is_new_failure(const struct compare_row *rows, size_t i)
{
    bool is_new = has_failed(&rows[i]);

    for (size_t k = 0; k < i && is_new; k++) {
        is_new = !has_failed(&rows[k]) || strcmp(rows[k].err.text, rows[i].err.text);
    }
    return is_new;
}

int
compare_judge(const struct compare_row *rows, size_t n)
{
    int worst = EXIT_GOOD;
    bool is_broken = false;

    for (size_t i = 0; i < n; i++) {
        is_broken |= rows[i].code == EXIT_PROMISE;
        worst = has_failed(&rows[i]) && rows[i].code > worst ? rows[i].code : worst;
    }
    return worst == EXIT_GOOD && is_broken ? EXIT_PROMISE : worst;
}

int
compare_run(struct compare *c, struct compare_row *rows, size_t n, struct err *err)
{
    c->sequencer = sequencer_new(n);
    c->pool = c->n_seeds > 1 ? pooled_flows_new() : NULL;
    int code = run_all(c, rows, n, err);

    sequencer_free(c->sequencer);
    return code;
}
