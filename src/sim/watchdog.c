/* The watchdog of a switch's transmit queues, after SONiC's PFC_WD (sonic-swss, orchagent).
 *
 *             paused, with packets, for the detection time / drop, forward or alert
 *       CALM --------------------------------------------------------------------> STORM
 *            <--------------------------------------------------------------------
 *             not asked to pause for the restoration time; of an alert: the pause ends
 *
 * During a storm the watchdog controls the gate instead of the engine.  It shuts the gate if
 * packets are dropped, and opens it if pauses are ignored.  The engine still writes the state that
 * the peer requests.  The watchdog stores this state, decides by it when the storm is over, and
 * then restores it.
 *
 * Only a pause like that of PFC, which the peer may renew for ever, can become a storm.  A queue on
 * hold continues after a time.
 *
 * A paused queue sends nothing, so it cannot become empty.  The detection time counts from the
 * start of the pause, or from the first packet that arrived after it.  Times are exact, while SONiC
 * polls a few times per second.
 *
 * A watchdog acts only on its own node, so the number of threads does not matter. */

#include <assert.h>

#include "base/array.h"
#include "sim/observers.h"
#include "sim/setup.h"
#include "sim/wires.h"

/* The opening times of the gate in a storm; no engine writes these values. */
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

/* Called when the queue is paused or gets packets. */
static void
expect_storm(struct sim_thread *t, struct sim_node *n, uint32_t slot, weir_ps now)
{
    weir_ps at = weir_after(now, n->watch->detection_ps);
    set_timer(t, n, slot, sim_slot_has(n, slot) ? at : WEIR_NEVER);
}

/* Called when the peer has sent a message.  If the peer sends no more, the storm ends after the
 * pause and the restoration time. */
static void
expect_end(struct sim_thread *t, struct sim_node *n, uint32_t slot, weir_ps now)
{
    weir_ps asked_ps = n->watchdogs[slot].asked_ps;
    weir_ps then = action_of(n) == MODEL_ALERT ? 0 : n->watch->restoration_ps;

    set_timer(t, n, slot, weir_after(asked_ps > now ? asked_ps : now, then));
}

/* These functions take the gate from the engine and give it back. */

static void
mask(const struct sim_node *n, struct weir_gate *g)
{
    if (action_of(n) != MODEL_ALERT) {
        g->open_ps = masks_ps[action_of(n)];
    }
}

/* Called when the watchdog has changed the gate, without a message of the engine or the peer. */
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

/* These functions begin and end storms. */

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

/* Sets back the times of a watchdog. The times of the gate were set back before, and in a storm the
 * gate gets its mask again. */
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
    bool is_old = is_masked(n, w, g); /* The mask is still set, so another limit of the gate has
                                       * changed. */

    if (is_old) {
        g->open_ps = w->asked_ps;
    }
    sim_note_gate_change(t, n, slot, now);

    /* If the peer renews a pause at the instant at which it expires, it counts as a new pause if a
     * packet was sent in between. */
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

/* Out of line, so that the path of every packet stays small. */
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
