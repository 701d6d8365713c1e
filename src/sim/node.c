/* Runs the events of a node, and obeys the answers of its engines. */

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "sim/flow-ends.h"
#include "sim/observers.h"
#include "sim/scheduler.h"
#include "sim/wires.h"

void
sim_timer_set(struct sim_thread *t, struct sim_node *n, struct sim_timer *timer,
              enum sim_event kind, uint32_t key, weir_ps at)
{
    timer->at_ps = at;
    if (at < timer->mailed_ps) {
        timer->mailed_ps = at;
        sim_post(t,
                 &(struct sim_mail){ .at = at, .node = n->id, .event = (uint8_t)kind, .key = key });
    }
}

bool
sim_timer_fires(struct sim_thread *t, struct sim_node *n, struct sim_timer *timer,
                enum sim_event kind, uint32_t key, weir_ps now)
{
    bool is_due = timer->at_ps == now;

    if (timer->mailed_ps == now) {
        timer->mailed_ps = WEIR_NEVER;
    }
    sim_timer_set(t, n, timer, kind, key, is_due ? WEIR_NEVER : timer->at_ps);
    return is_due;
}

static void
check_timer(struct sim_thread *t, struct sim_node *n, uint32_t key, weir_ps now)
{
    if (sim_timer_fires(t, n, &n->timers[key], SIM_TIMER, key, now)) {
        weir_node_timer(&n->weir, now, key);
        sim_node_obey(t, n, now);
    }
}

static void
change_gate(struct sim_thread *t, struct sim_node *n, uint32_t slot, weir_ps now)
{
    if (n->is_watched) {
        sim_watchdog_heard(t, n, slot, now);
    } else {
        sim_note_gate_change(t, n, slot, now);
    }
}

/* Queues a frame for the peer of a port. A frame for a port that is down is lost. */
static void
send_to_peer(struct sim_thread *t, struct sim_node *n, uint32_t port, const struct weir_frame *f)
{
    if (n->ports[port].up) {
        const struct sim_frame frame = { .frame = *f, .to = SIM_NONE };
        sim_port_queue_frame(t, n, port, sim_frame_new(t, &frame));
    }
}

/* Obeys one answer.  Returns the port to check afterwards, or SIM_NONE. */
static inline uint32_t
obey_one(struct sim_thread *t, struct sim_node *n, const struct weir_emit *e, weir_ps now)
{
    switch (e->kind) {
    case WEIR_TIMER:
        sim_timer_set(t, n, &n->timers[e->key], SIM_TIMER, e->key, e->at);
        return SIM_NONE;
    case WEIR_FRAME:
        send_to_peer(t, n, e->key, &e->frame);
        return e->key;
    case WEIR_MESSAGE:
        return sim_message_to_source(t, n, e, now);
    case WEIR_FLOW_RATE:
        return n->kind->limit_flow(t, n, e->key, e->rate_bps, now);
    case WEIR_SLOW:
        n->kind->slow_flows(t, n, e->key, e->factor, now);
        return e->key / n->n_classes;
    default:
        assert(e->kind == WEIR_GATE);
        change_gate(t, n, e->key, now);
        return e->key / n->n_classes;
    }
}

/* Updates the wait accounting, in runs that record waits of packets.  Engines have written gates
 * before this call. */
static __attribute__((noinline)) void
notify_sojourns(struct sim_thread *t, struct sim_node *n, weir_ps now)
{
    for (const struct weir_emit *e = t->outbox.emits; e < t->outbox.emits + t->outbox.n; e++) {
        if (e->kind == WEIR_FRAME) {
            sim_blame(t, n, e->key, now);
        } else if (e->kind == WEIR_GATE) {
            sim_sojourns_gate_changed(n, e->key, now);
        }
    }
}

/* Ports are started after the outbox is read, because a packet that they send may fill it again. */
void
sim_node_obey_all(struct sim_thread *t, struct sim_node *n, weir_ps now)
{
    struct weir_outbox *out = &t->outbox;
    uint32_t n_emits = out->n, kicks[2] = { SIM_NONE, SIM_NONE };
    bool many = false;

    if (n->sojourns) {
        notify_sojourns(t, n, now);
    }
    for (uint32_t i = 0; i < n_emits; i++) {
        uint32_t port = obey_one(t, n, &out->emits[i], now);
        if (port == SIM_NONE) {
            continue;
        }
        if (kicks[0] == SIM_NONE || kicks[0] == port) {
            kicks[0] = port;
        } else if (kicks[1] == SIM_NONE || kicks[1] == port) {
            kicks[1] = port;
        } else {
            many = true;
        }
    }
    out->n = 0;
    for (uint32_t port = 0; many && port < n->n_ports; port++) {
        sim_port_kick(t, n, port, now);
    }
    for (int i = 0; !many && i < 2 && kicks[i] != SIM_NONE; i++) {
        sim_port_kick(t, n, kicks[i], now);
    }
}

static void
change_link(struct sim_thread *t, struct sim_node *n, const struct sim_mail *m)
{
    struct sim_port *p = &n->ports[m->port];

    sim_port_set_up(n, m->port, m->up);
    n->up_ps[m->port] = p->up ? m->at : n->up_ps[m->port];
    sim_note_slot(t, n, m->port * n->n_classes, p->up ? SIM_NOTE_LINK_UP : SIM_NOTE_LINK_DOWN,
                  p->up, m->at);
    if (!p->up) {
        sim_port_forget_frames(t, n, m->port);
    }
    n->starts_link = p->up;
    weir_node_link(&n->weir, m->at, m->port, p->up);
    sim_node_obey(t, n, m->at);
    n->starts_link = false;
    sim_port_kick(t, n, m->port, m->at);
}

/* Packets that were on a link when it went down are lost, even if the link is up again.  These are
 * packets whose first bit was sent before that time and whose last bit arrives after it.  A link
 * that was never down loses nothing; but the test is needed, because its other end may send at
 * another rate. */
static bool
is_cut(const struct sim_node *n, uint32_t port, uint32_t bytes, weir_ps at)
{
    const struct sim_port *p = &n->ports[port];
    weir_ps up_ps = n->up_ps[port];

    return !p->up || (up_ps && at - p->delay_ps - sim_port_wire_ps(n, port, bytes) < up_ps);
}

/* Whether an arriving packet or frame was not lost on its link; captures it in that case. The
 * response time is that of the role: in a lab it is zero, although thresholds were derived for
 * another value. */
bool
sim_arrives_intact(struct sim_thread *t, struct sim_node *n, const struct sim_mail *m,
                   const struct sim_frame *frame)
{
    const struct sim_packet packet = frame ? sim_frame_packet(frame) : m->packet;
    bool responds = m->event == SIM_FRAME;
    weir_ps at = m->at - (responds ? model_response_ps(&t->sim->model, n->id, m->port) : 0);

    if (t->sim->has_cuts && is_cut(n, m->port, packet.bytes, at)) {
        sim_lose(t, n, m->port, &packet, m->at);
        return false;
    }
    if (n->ports[m->port].is_captured) {
        sim_capture(t, n, m->port, &packet, frame, false, at);
    }
    return true;
}

static void
take_frame(struct sim_thread *t, struct sim_node *n, const struct sim_mail *m)
{
    if (!t->sim->is_plain && !sim_arrives_intact(t, n, m, &t->frames[m->key])) {
        sim_frame_free(t, m->key);
        return;
    }
    if (sim_is_message(&t->frames[m->key])) {
        sim_message_hear(t, n, m);
        return;
    }
    struct weir_frame frame = t->frames[m->key].frame;
    sim_frame_free(t, m->key);
    weir_node_frame(&n->weir, m->at, m->port, &frame);
    sim_node_obey(t, n, m->at);
}

/* Hot: the wire of a port is free, or its gate may be open. */
void
sim_node_wake(struct sim_thread *t, struct sim_node *n, uint32_t port, weir_ps now)
{
    if (n->ports[port].wake_ps == now) {
        n->ports[port].wake_ps = WEIR_NEVER;
        sim_port_kick(t, n, port, now);
    }
}

typedef void arrival(struct sim_thread *, struct sim_node *, const struct sim_mail *);

static void
arrive_in_class(struct sim_thread *t, struct sim_node *n, const struct sim_mail *m, arrival *arrive)
{
    struct sim_mail here = *m;

    here.packet.cls = weir_class_here(&n->weir.ctx, m->port, m->packet.cls);
    if (here.packet.cls == WEIR_NO_CLASS) {
        n->kind->arrive_unclassed(t, n, m);
    } else {
        arrive(t, n, &here);
    }
}

/* A separate function, so that the paths of most packets need no stack for it. */
static __attribute__((noinline)) void
take_as(struct sim_thread *t, struct sim_node *n, const struct sim_mail *m, arrival *arrive)
{
    if (!t->sim->is_plain && !sim_arrives_intact(t, n, m, NULL)) {
        return;
    }
    if (n->weir.ctx.arrives_as) {
        arrive_in_class(t, n, m, arrive);
    } else {
        arrive(t, n, m);
    }
}

void
sim_node_receive_slow(struct sim_thread *t, struct sim_node *n, const struct sim_mail *m)
{
    take_as(t, n, m, n->kind->arrive);
}

void
sim_node_refuse(struct sim_thread *t, struct sim_node *n, const struct sim_mail *m)
{
    take_as(t, n, m, sim_drop_unheld);
}

void
sim_node_expect(struct sim_thread *t, struct sim_node *n, uint32_t which, uint32_t port,
                uint32_t key, weir_ps at)
{
    sim_post(t, &(struct sim_mail){ .at = at,
                                    .node = n->id,
                                    .port = (uint16_t)port,
                                    .event = (uint8_t)(SIM_OWN + which),
                                    .key = key });
}

/* In the current window the node checks the alarm between events.  In a coming window, the alarm
 * only has to make the node run.  A later alarm needs mail. */
void
sim_node_set_alarm(struct sim_thread *t, struct sim_node *n, weir_ps at)
{
    int64_t window = at >> t->window_bits, ahead = window - t->window;

    n->alarm_ps = at;
    if (ahead >= t->reach) {
        sim_post(t, &(struct sim_mail){ .at = at, .node = n->id, .event = SIM_ALARM });
    } else if (ahead > 0) {
        sim_set_busy(&t->due[window & t->ring_mask], n->local);
    }
}

/* Hot: once per packet, if all packets pass a pipeline. */
void
sim_node_check_alarm(struct sim_thread *t, struct sim_node *n, weir_ps now)
{
    if (n->alarm_ps == now) {
        n->alarm_ps = WEIR_NEVER;
        n->kind->alarm(t, n, now);
    }
}

void
sim_node_run(struct sim_thread *t, struct sim_node *n, const struct sim_mail *m)
{
    switch ((enum sim_event)m->event) {
    case SIM_PACKET:
        sim_node_take(t, n, m);
        break;
    case SIM_TX:
        sim_port_wake(t, n, m->port, m->at);
        break;
    case SIM_FRAME:
        take_frame(t, n, m);
        break;
    case SIM_MESSAGE:
        sim_message_pass(t, n, m);
        break;
    case SIM_TIMER:
        check_timer(t, n, m->key, m->at);
        break;
    case SIM_WATCHDOG:
        sim_watchdog_check(t, n, m->key, m->at);
        break;
    case SIM_ALARM:
        sim_node_check_alarm(t, n, m->at);
        break;
    case SIM_LINK:
        if (m->key != SIM_REROUTED) {
            change_link(t, n, m);
        } else if (n->kind->rerouted) {
            n->kind->rerouted(t, n, m->at);
        } else if (!n->ports[m->port].up) {
            sim_port_is_down(t, n, m->port, m->at);
        }
        break;
    case SIM_SLOW:
        sim_change_rate(t, n, m);
        break;
    case SIM_OWN:
    default:
        n->kind->event(t, n, m);
        break;
    }
}

uint32_t
sim_pool_grow(struct sim_node *n)
{
    if (n->n_pool == n->max_pool) {
        size_t max = n->max_pool;
        struct sim_held *pool = array_new_aligned(64, 2 * (max + 8) * sizeof *pool);
        if (max) {
            memcpy(pool, n->pool, max * sizeof *pool);
        }
        free(n->pool);
        n->pool = pool;
        n->max_pool = (uint32_t)(2 * (max + 8));
    }
    return n->n_pool++;
}
