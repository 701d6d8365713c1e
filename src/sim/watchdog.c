/* The watchdog of a switch's transmit queues, after SONiC's PFC_WD (sonic-swss, orchagent).
 *
 *             paused, with packets, for the detection time / drop, forward or alert
 *       CALM --------------------------------------------------------------------> STORM
 *            <--------------------------------------------------------------------
 *             not asked to pause for the restoration time; of an alert: the pause ends
 *
 * In a storm the gate is taken from the engine: while packets are dropped it is shut for good,
 * while pauses are not heeded it is open.  The engine writes the state that the peer asks for; that
 * is kept aside, decides when the storm is over, and is put back then.
 *
 * Only a pause of PFC's kind, which its peer may renew without end, makes a storm; a queue on hold
 * goes on by itself.
 *
 * A queue that is paused sends nothing, so it cannot run empty: the detection time counts from
 * when the pause began, or from the first packet that came after that.  Times are exact, where
 * SONiC polls a few times per second.
 *
 * All of it happens to one node at a time of its own, so threads do not matter. */

#include <assert.h>

#include "base/array.h"
#include "sim/observers.h"
#include "sim/setup.h"
#include "sim/wires.h"

/* The opening time of the gate in a storm; no engine writes these. */
static const weir_ps masks_ps[] = { [MODEL_DROP] = WEIR_NEVER, [MODEL_FORWARD] = -1 };

void
sim_watchdog_start(struct sim_node *n, const struct model_watchdog *config)
{
    uint32_t n_slots = n->n_ports * n->n_classes;

    n->watchdogs = array_new(n_slots, sizeof *n->watchdogs);
    n->watch = config;
    n->is_watched = true;
    for (uint32_t slot = 0; slot < n_slots; slot++) {
        n->watchdogs[slot] = (struct sim_watchdog){ .timer = { WEIR_NEVER, WEIR_NEVER },
                                                    .asked_ps = WEIR_LONG_AGO,
                                                    .broken_ps = WEIR_NEVER };
    }
}

static enum model_watchdog_action
action_of(const struct sim_node *n)
{
    return n->watch->action;
}

static bool
is_storm(const struct sim_watchdog *w)
{
    return w->so_far.is_storm;
}

static void
set_timer(struct sim_thread *t, struct sim_node *n, uint32_t slot, weir_ps at)
{
    sim_timer_set(t, n, &n->watchdogs[slot].timer, SIM_WATCHDOG, slot, at);
}

/* From now on the queue is paused, or has packets. */
static void
expect_storm(struct sim_thread *t, struct sim_node *n, uint32_t slot, weir_ps now)
{
    weir_ps at = weir_after(now, n->watch->detection_ps);
    set_timer(t, n, slot, sim_slot_has(n, slot) ? at : WEIR_NEVER);
}

/* The peer has sent a message: if it sends no more, the pause expires, and then the restoration
 * time. */
static void
expect_end(struct sim_thread *t, struct sim_node *n, uint32_t slot, weir_ps now)
{
    weir_ps asked_ps = n->watchdogs[slot].asked_ps;
    weir_ps then = action_of(n) == MODEL_ALERT ? 0 : n->watch->restoration_ps;

    set_timer(t, n, slot, weir_after(asked_ps > now ? asked_ps : now, then));
}

/* Taking the gate from the engine, and giving it back. */

static void
mask(const struct sim_node *n, struct weir_gate *g)
{
    if (action_of(n) != MODEL_ALERT) {
        g->open_ps = masks_ps[action_of(n)];
    }
}

/* The gate differs from the last message of the engine or the peer. */
static void
gate_changed(struct sim_node *n, uint32_t slot, weir_ps now)
{
    if (n->sojourns) {
        sim_sojourns_gate_changed(n, slot, now);
    }
}

static bool
is_masked(const struct sim_node *n, const struct sim_watchdog *w, const struct weir_gate *g)
{
    return is_storm(w) && action_of(n) != MODEL_ALERT && g->open_ps == masks_ps[action_of(n)];
}

/* Storms. */

static void
drop_all(struct sim_thread *t, struct sim_node *n, uint32_t slot, weir_ps now)
{
    for (; sim_slot_has(n, slot); n->watchdogs[slot].so_far.n_dropped++) {
        n->kind->discard(t, n, slot, sim_drop_discarded, now);
    }
}

static void
begin_storm(struct sim_thread *t, struct sim_node *n, uint32_t slot, weir_ps now)
{
    struct sim_watchdog *w = &n->watchdogs[slot];

    assert(now - n->weir.ctx.gates[slot].last_ps >= n->watch->detection_ps);
    sim_note_slot(t, n, slot, SIM_NOTE_STORM, n->buffer.slots[slot].out_bytes, now);
    w->so_far.first_ps = w->so_far.n_storms++ ? w->so_far.first_ps : now;
    w->so_far.is_storm = true;
    mask(n, &n->weir.ctx.gates[slot]);
    gate_changed(n, slot, now);
    expect_end(t, n, slot, now);
    if (action_of(n) != MODEL_ALERT && w->broken_ps == WEIR_NEVER) {
        w->broken_ps = now;
    }
    if (action_of(n) == MODEL_DROP) {
        drop_all(t, n, slot, now);
    } else if (action_of(n) == MODEL_FORWARD) {
        sim_port_kick(t, n, slot / n->n_classes, now);
    }
}

static void
end_storm(struct sim_thread *t, struct sim_node *n, uint32_t slot, weir_ps now)
{
    struct sim_watchdog *w = &n->watchdogs[slot];

    sim_note_slot(t, n, slot, SIM_NOTE_RESTORED, w->so_far.n_dropped, now);
    w->so_far.n_restored++;
    w->so_far.ended_ps = now;
    w->so_far.is_storm = false;
    n->weir.ctx.gates[slot].open_ps = w->asked_ps;
    gate_changed(n, slot, now);
}

void
sim_watchdog_check(struct sim_thread *t, struct sim_node *n, uint32_t slot, weir_ps now)
{
    struct sim_watchdog *w = &n->watchdogs[slot];

    if (!sim_timer_fires(t, n, &w->timer, SIM_WATCHDOG, slot, now)) {
        return;
    }
    if (is_storm(w)) {
        end_storm(t, n, slot, now);
    } else if (n->weir.ctx.gates[slot].open_ps > now && sim_slot_has(n, slot)) {
        begin_storm(t, n, slot, now);
    }
}

/* The gate was set back before, and in a storm it has its mask again. */
void
sim_watchdog_rebase(struct sim_node *n, uint32_t slot, weir_ps by_ps)
{
    struct sim_watchdog *w = &n->watchdogs[slot];
    weir_ps *const times[] = { &w->timer.at_ps, &w->timer.mailed_ps, &w->asked_ps,
                               &w->broken_ps,   &w->so_far.first_ps, &w->so_far.ended_ps };

    for (size_t i = 0; i < sizeof times / sizeof *times; i++) {
        *times[i] = weir_rebased(*times[i], by_ps);
    }
    if (is_storm(w)) {
        mask(n, &n->weir.ctx.gates[slot]);
    }
}

void
sim_watchdog_heard(struct sim_thread *t, struct sim_node *n, uint32_t slot, weir_ps now)
{
    struct sim_watchdog *w = &n->watchdogs[slot];
    struct weir_gate *g = &n->weir.ctx.gates[slot];
    bool is_old = is_masked(n, w, g); /* Another limit of the gate has changed. */

    if (is_old) {
        g->open_ps = w->asked_ps;
    }
    sim_note_gate_change(t, n, slot, now);

    /* Asked for again at the instant when it ran out, it is another pause if a packet went between.
     */
    bool is_next = w->asked_ps < now || g->last_ps == now;
    w->asked_ps = g->open_ps > now ? g->open_ps : WEIR_LONG_AGO;
    if (is_storm(w)) {
        mask(n, g);
        if (!is_old) {
            expect_end(t, n, slot, now);
        }
    } else if (g->open_ps > now && is_next) {
        expect_storm(t, n, slot, now);
    }
    gate_changed(n, slot, now);
}

/* Out of line: the path of every packet stays small. */
__attribute__((noinline)) void
sim_watchdog_queued(struct sim_thread *t, struct sim_node *n, uint32_t slot, weir_ps now)
{
    struct sim_watchdog *w = &n->watchdogs[slot];

    if (is_storm(w) && action_of(n) == MODEL_DROP) {
        drop_all(t, n, slot, now);
    } else if (!is_storm(w) && w->timer.at_ps == WEIR_NEVER &&
               n->weir.ctx.gates[slot].open_ps > now) {
        expect_storm(t, n, slot, now);
    }
    sim_port_kick(t, n, slot / n->n_classes, now);
}
