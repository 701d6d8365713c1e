/* Sets back the clock of a switch that runs alone, between two events.
 *
 * A clock of picoseconds lasts for 106 days, and a switch runs for years.  This file sets back
 * all times that the core keeps for the switch by the same amount.  Engines and the kind of the
 * switch set back their own times.  The caller keeps all other times
 * (doc/decisions/0023-clocks-that-run-for-years.md).
 *
 *     heap of future mail        sim_mail.at
 *     timers of engines          at_ps, mailed_ps
 *     ports                      busy_ps, wake_ps, far_ps, up_ps
 *     alarm of the kind          alarm_ps
 *     pauses of gates            until_ps of each limit; since_ps, until_ps of each span
 *     watchdogs                  all (watchdog.c)
 *     changes of routes          next_reroute_ps, set_back_ps (reroute.c) */

#include <assert.h>

#include "sim/live.h"
#include "sim/scheduler.h"
#include "sim/wires.h"

static void
rebase(weir_ps *at, weir_ps by_ps)
{
    *at = weir_rebased(*at, by_ps);
}

/* All times are set back by the same amount, so the order of the heap does not change. */
static void
rebase_mail(struct sim_log *far, weir_ps by_ps)
{
    for (size_t i = 0; i < far->n; i++) {
        rebase(&far->items[i].at, by_ps);
    }
}

static void
rebase_timers(struct sim_node *n, weir_ps by_ps)
{
    for (uint32_t key = 0; key < n->weir.n_timers; key++) {
        rebase(&n->timers[key].at_ps, by_ps);
        rebase(&n->timers[key].mailed_ps, by_ps);
    }
}

static void
rebase_ports(struct sim_node *n, weir_ps by_ps)
{
    for (uint32_t port = 0; port < n->n_ports; port++) {
        rebase(&n->ports[port].busy_ps, by_ps);
        rebase(&n->ports[port].wake_ps, by_ps);
        rebase(&n->far_ps[port], by_ps);
        rebase(&n->up_ps[port], by_ps);
    }
}

/* Sets back a span of shut time.  The time so far is added up first, so no span began before the
 * clock was last set back.  A span that ran out is over; until_ps is never 0 by accident, because
 * the time is above 0. */
static void
rebase_span(struct sim_shut_span *span, weir_ps now, weir_ps by_ps)
{
    if (!span->until_ps) {
        return;
    }
    bool is_over = span->until_ps < now;
    span->total_ps = weir_after(span->total_ps, (is_over ? span->until_ps : now) - span->since_ps);
    span->since_ps = now - by_ps;
    span->until_ps = is_over ? 0 : weir_rebased(span->until_ps, by_ps);
}

static void
rebase_hold(struct sim_hold *h, weir_ps now, weir_ps by_ps)
{
    for (size_t i = 0; i < SIM_N_SHUT_BY; i++) {
        weir_ps until_ps = h->by[i].until_ps;
        h->by[i].until_ps = until_ps < now ? 0 : weir_rebased(until_ps, by_ps);
    }
    rebase_span(&h->paused, now, by_ps);
    rebase_span(&h->starting, now, by_ps);
}

static void
rebase_slots(struct sim_node *n, weir_ps now, weir_ps by_ps)
{
    for (uint32_t slot = 0; slot < n->n_ports * n->n_classes; slot++) {
        rebase_hold(&n->holds[slot], now, by_ps);
        if (n->is_watched) {
            sim_watchdog_rebase(n, slot, by_ps);
        }
    }
}

static void
rebase_routes(struct sim *sim, weir_ps by_ps)
{
    sim->set_back_ps = weir_after(sim->set_back_ps, by_ps);
    rebase(&sim->routing.next_change_ps, by_ps);
}

static bool
records_times(const struct sim *sim, const struct sim_node *n)
{
    return n->sojourns || sim->config.notes || sim->config.captured || sim->config.sample_ps;
}

void
sim_live_rebase(struct sim *sim, weir_ps now, weir_ps by_ps)
{
    struct sim_thread *t = &sim->threads[0];
    struct sim_node *n = &t->own[0];

    assert(n->path_choice && !records_times(sim, n));
    assert(by_ps >= 0 && by_ps < now && by_ps == sim_window_start(sim, by_ps));
    assert(sim_live_next(sim) > now);
    weir_node_rebase(&n->weir, by_ps);
    rebase_mail(&t->far, by_ps);
    rebase_timers(n, by_ps);
    rebase_ports(n, by_ps);
    rebase(&n->alarm_ps, by_ps);
    rebase_slots(n, now, by_ps);
    if (n->kind->rebase) {
        n->kind->rebase(n, by_ps);
    }
    rebase_routes(sim, by_ps);
}
