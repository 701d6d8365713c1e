/* Rounds: all threads run one window after the other.
 *
 * The next window is the window of the earliest mail of any thread, so idle times cost nothing.
 * Each window has one barrier.  It has two more if work between windows is due, or if ranks meet
 * (epochs.c). */

#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>

#include "base/array.h"
#include "base/out-of-memory.h"
#include "sim/barrier.h"
#include "sim/exchange.h"
#include "sim/invariants.h"
#include "sim/scheduler.h"
#include "sim/sojourn.h"
#include "sim/view.h"
#include "sim/watch.h"

static void
wait_for_all(struct sim *sim)
{
    if (sim->n_threads > 1) {
        sim_barrier_wait(sim->barrier);
    }
}

/* The earliest mail in the heap.  Mail that the last window left there is due after the end of the
 * run. */
static weir_ps
find_next_far(const struct sim_thread *t)
{
    weir_ps at = t->far.n ? t->far.items[0].at : WEIR_NEVER;

    return at >> t->window_bits > t->window ? sim_window_start(t->sim, at) : at;
}

/* The start of the window with the earliest mail that this thread knows of, including its outboxes.
 * The start identifies the window on every thread. */
static weir_ps
find_next(const struct sim_thread *t)
{
    weir_ps next = find_next_far(t);

    for (uint32_t ahead = 1; ahead < t->sim->ring; ahead++) {
        if (t->due[(t->window + ahead) & t->ring_mask].is_busy) {
            weir_ps start = (weir_ps)((t->window + ahead) << t->window_bits);
            next = start < next ? start : next;
            break;
        }
    }
    for (uint32_t to = 0; to < t->sim->n_threads; to++) {
        const struct sim_log *out = &t->out[2 * to + sim_parity(t)];
        for (size_t i = 0; i < out->n; i++) {
            weir_ps start = sim_window_start(t->sim, out->items[i].at);
            next = start < next ? start : next;
            i += sim_is_frame_mail(&out->items[i]) ? 2 : 0;
        }
    }
    return next;
}

/* The earliest of the times that threads wrote before the last barrier; threads write the next
 * times to the other half. */
static weir_ps
earliest_of_all(const struct sim_thread *t)
{
    weir_ps next = WEIR_NEVER;
    for (uint32_t i = 0; i < t->sim->n_threads; i++) {
        weir_ps at = t->sim->threads[i].next_ps[sim_parity(t)];
        next = at < next ? at : next;
    }
    return next;
}

/* Before the barrier each thread reports its next event; the first thread also reports whether to
 * stop. */
static void
publish_next(struct sim_thread *t)
{
    uint64_t next_half = (t->round + 1) & 1;

    t->next_ps[next_half] = find_next(t);
    if (t->id == 0) {
        t->sim->ran_until_ps = t->start_ps + ((weir_ps)1 << t->window_bits);
        atomic_store_explicit(&t->sim->progress_ps, t->start_ps, memory_order_relaxed);
        t->sim->stops[next_half] = sim_was_asked_to_stop(t->sim);
    }
}

/* Does the work between windows, if it is due.  All threads see the same 'next', and so agree
 * whether it is due.  One thread works while the others wait. */
static void
watch_if_due(struct sim_thread *t, weir_ps next)
{
    struct sim *sim = t->sim;

    if (next < sim_next_due(sim)) {
        return;
    }
    wait_for_all(sim);
    if (t->id == 0) {
        sim_watch_between(sim, next);
    }
    wait_for_all(sim);
}

static bool
is_stopped(const struct sim_thread *t)
{
    const struct sim *sim = t->sim;

    return sim->ranks.exchange ? sim->ranks.exchange->stops : sim->stops[sim_parity(t)];
}

/* The next window of any rank. */
static weir_ps
agree_on_next(struct sim_thread *t, weir_ps own_next)
{
    struct sim *sim = t->sim;

    if (!sim->ranks.exchange) {
        return own_next;
    }
    wait_for_all(sim);
    if (t->id == 0) {
        sim_meet(sim, own_next);
    }
    wait_for_all(sim);
    return sim->ranks.exchange->next_ps;
}

/* Begins an epoch; with a single rank, each window is an epoch.  Returns false when the run is
 * over. */
static bool
begin_epoch(struct sim_thread *t, weir_ps own_next)
{
    struct sim *sim = t->sim;
    weir_ps next = agree_on_next(t, own_next);

    if (sim->ranks.is_broken || next > sim->config.until_ps || is_stopped(t)) {
        return false;
    }
    watch_if_due(t, next);
    if (sim->ranks.exchange) {
        t->epoch_end_ps = sim_epoch_end(sim, next);
    }
    return !sim->is_over && !sim->ranks.is_broken;
}

static void
run_window_at(struct sim_thread *t, weir_ps start)
{
    struct sim *sim = t->sim;

    t->window = start >> sim->window_bits;
    t->start_ps = (weir_ps)(t->window << sim->window_bits);
    if (sim->ranks.exchange && t->id == 0) {
        weir_ps since_ps = t->start_ps - sim->ranks.exchange->next_ps;
        sim->ranks.exchange->windows |= (uint64_t)1 << (since_ps >> sim->window_bits);
    }
    sim_take_posted_mail(t);
    sim_run_window(t);
    sim_check_window(t);
    publish_next(t);
    t->round++;
    wait_for_all(sim);
}

static void *
run_thread(void *arg)
{
    struct sim_thread *t = arg;

    for (;;) {
        weir_ps next = earliest_of_all(t);
        if (next >= t->epoch_end_ps) {
            if (!begin_epoch(t, next)) {
                break;
            }
            next = earliest_of_all(t);
        }
        if (!t->sim->ranks.exchange || next < t->epoch_end_ps) {
            run_window_at(t, next);
        }
    }
    return NULL;
}

static void
run_all_threads(struct sim *sim)
{
    pthread_t *handles = array_new(sim->n_threads, sizeof *handles);

    struct sim_barrier barrier;

    sim_barrier_init(&barrier, sim->n_threads);
    sim->barrier = &barrier;
    for (uint32_t i = 1; i < sim->n_threads; i++) {
        if (pthread_create(&handles[i], NULL, run_thread, &sim->threads[i])) {
            oom_fail("cannot start thread %u of %u; use fewer threads", i + 1, sim->n_threads);
        }
    }
    run_thread(&sim->threads[0]);
    for (uint32_t i = 1; i < sim->n_threads; i++) {
        pthread_join(handles[i], NULL);
    }
    free(handles);
    sim_barrier_free(&barrier);
    sim->barrier = NULL;
}

void
sim_run(struct sim *sim)
{
    run_all_threads(sim);
    bool is_cut_off = sim->ranks.is_broken || is_stopped(&sim->threads[0]);
    sim->n_windows = sim->ranks.exchange ? sim->ranks.exchange->n_windows : sim->threads[0].round;
    if (!is_cut_off) {
        sim_end_if_run_out(sim, sim->config.until_ps);
    }
    sim->now_ps = sim->config.until_ps;
    if (is_cut_off && sim->ran_until_ps < sim->now_ps) {
        sim->now_ps = sim->ran_until_ps;
    }
    sim_watch_end(sim);
    sim_end_spans(sim);
    sim_sample(sim, sim->now_ps);
    sim_report_crossings(sim, WEIR_NEVER);
    sim_end_sojourns(sim);
    sim_see(sim, NULL);
}

bool
sim_was_asked_to_stop(const struct sim *sim)
{
    return atomic_load_explicit(&sim->asked_to_stop, memory_order_relaxed);
}

void
sim_stop(struct sim *sim)
{
    atomic_store_explicit(&sim->asked_to_stop, true, memory_order_relaxed);
}

weir_ps
sim_progress(const struct sim *sim)
{
    return atomic_load_explicit(&sim->progress_ps, memory_order_relaxed);
}
