/* The switch with queues at its inputs and at its outputs, and a crossbar between them.
 *
 *     packet -> routing -> virtual output queue -> matched -> crossbar -> output -> wire
 *               arrived                            forwarded           queued    departed
 *
 * At its input a packet waits in the queue for its output and class, so no packet waits for a
 * packet to another output.  When it starts through the crossbar, it leaves its input and occupies
 * space in the output buffer.  It starts only if the whole packet fits there.  So no packet is
 * dropped inside: a full output fills the queues for it, and these fill their input.
 *
 * With slots, all transfers start together and last as long as a packet of MTU size.  So one packet
 * per slot leaves each matched input and enters each matched output.  The clock of slots stops
 * while no packet moves; the next packet that can move starts a slot at once.  With 'held' there
 * are no slots.  A transfer takes the time of its own bytes, and the next transfer starts when both
 * ends are free. */

#include "sim/nodes/cioq.h"

#include "sim/host/host.h"
#include "sim/nodes/adapter.h"
#include "sim/nodes/outputs.h"

/* These functions move packets through the crossbar. */

static bool
first_fits(const void *arg, const struct crossbar_pair *p)
{
    const struct sim_node *n = arg;

    return weir_buffer_fits_output(&n->buffer, p->out * n->n_classes + p->cls,
                                   n->pool[cioq_front(n, p)->packets.head].packet.bytes);
}

static uint64_t
waiting_bytes(const void *arg, const struct crossbar_pair *p)
{
    return cioq_front(arg, p)->bytes;
}

/* Takes the first packet of a queue; the next packet may go to another output. */
static inline uint32_t
take_from_front(struct sim_node *n, struct cioq *c, const struct crossbar_pair *ends)
{
    struct voq *front = cioq_front(n, ends);
    uint32_t index = voq_take(n, front), next = front->packets.head;
    bool wants_still = next != SIM_NONE && n->pool[next].out_port == ends->out;

    if (!wants_still) {
        crossbar_unwant(&c->crossbar, ends);
    }
    if (!wants_still && next != SIM_NONE) {
        struct crossbar_pair other = cioq_ends(&n->pool[next]);
        crossbar_want(&c->crossbar, &other);
    }
    return index;
}

/* Starts a transfer: the packet leaves its input, unless it already has, and occupies space at the
 * output. */
static inline void
start_moving(struct sim_thread *t, struct sim_node *n, struct cioq *c,
             const struct crossbar_pair *ends, weir_ps now)
{
    uint32_t index = take_from_front(n, c, ends), in_slot = ends->in * n->n_classes + ends->cls;
    uint32_t out_slot = ends->out * n->n_classes + ends->cls;
    struct sim_held *held = &n->pool[index];
    struct weir_pkt pkt = output_pkt(held);
    bool is_looped = held->due_ps == CIOQ_LOOPED;
    bool has_left = adapter_has(c->adapter, ends->in) && !is_looped, leaves = false;

    held->due_ps = now + (c->crossbar.is_held ? weir_wire_ps(pkt.bytes, c->rate_bps) : c->slot_ps);
    cioq_insert(n, &c->moving, index);
    sim_sojourn_lift(n, index, now);
    if (!has_left && !is_looped) {
        leaves = cioq_leave_input(n, index, &pkt);
    }
    weir_buffer_admit_output(&n->buffer, out_slot, pkt.bytes);
    output_note_peak(n, out_slot);
    if (has_left) {
        adapter_left(t, n, c->adapter, in_slot, pkt.bytes, now);
    } else if (leaves) {
        cioq_notify_forwarded(t, n, held, &pkt, now);
    }
}

/* Ends a transfer: the first packet in the crossbar has reached its output. */
static inline void
stop_moving(struct sim_thread *t, struct sim_node *n, struct cioq *c, weir_ps now)
{
    uint32_t index = sim_take(n, &c->moving);
    struct sim_held *held = &n->pool[index];
    struct crossbar_pair ends = cioq_ends(held);

    crossbar_free(&c->crossbar, &ends);
    sim_sojourn_put(n, index, now);
    held->due_ps = CIOQ_AT_OUTPUT;
    output_count_hop(&held->packet);
    if (cioq_delivers_at(n, c, ends.out)) {
        cioq_owe_ack(t, n, c->delivery, &held->packet, ends.out, now);
    }
    output_enter(t, n, index, now);
}

static void
cioq_match(struct sim_thread *t, struct sim_node *n, struct cioq *c, weir_ps now)
{
    const struct crossbar_ask ask = { first_fits, waiting_bytes, n };
    uint32_t n_pairs = crossbar_match(&c->crossbar, &ask);

    for (uint32_t i = 0; i < n_pairs; i++) {
        start_moving(t, n, c, &c->crossbar.pairs[i], now);
    }
}

/* True if transfers may start.  With slots they start together, so only between two slots or at the
 * start of a slot. */
static inline bool
may_start(const struct sim_node *n, const struct cioq *c, weir_ps now)
{
    return c->crossbar.is_held || c->moving.head == SIM_NONE ||
           n->pool[c->moving.head].due_ps == now + c->slot_ps;
}

/* Moves all packets that can move now.  Answers of engines may let packets leave, which may call
 * this function again.  It then runs another round instead of recursing. */
static void
cioq_move(struct sim_thread *t, struct sim_node *n, struct cioq *c, weir_ps now)
{
    c->is_asked = true;
    if (c->is_at_work) {
        return;
    }
    c->is_at_work = true;
    while (c->is_asked) {
        c->is_asked = false;
        if (c->adapter) {
            adapter_move(t, n, c->adapter, now);
        }
        while (list_has_due(n, &c->moving, now)) {
            stop_moving(t, n, c, now);
        }
        if (may_start(n, c, now)) {
            cioq_match(t, n, c, now);
        }
    }
    c->is_at_work = false;
    cioq_expect(t, n, &c->moving);
    if (c->adapter) {
        cioq_expect(t, n, &c->adapter->loading);
    }
}

/* Moves packets, unless they have to wait for the next slot. */
static inline void
cioq_go_on(struct sim_thread *t, struct sim_node *n, struct cioq *c, weir_ps now)
{
    if (may_start(n, c, now)) {
        cioq_move(t, n, c, now);
    }
}

static void
cioq_alarm(struct sim_thread *t, struct sim_node *n, weir_ps now)
{
    cioq_move(t, n, n->own, now);
}

static inline void
stand_at_input(struct sim_thread *t, struct sim_node *n, uint32_t index, weir_ps now)
{
    struct cioq *c = n->own;

    if (adapter_has(c->adapter, n->pool[index].in_port)) {
        adapter_arrived(t, n, c->adapter, index, now);
    } else {
        cioq_stand_in_front(n, index);
        cioq_go_on(t, n, c, now);
    }
}

/* Hot: once per packet-hop. */
static void
cioq_arrive(struct sim_thread *t, struct sim_node *n, const struct sim_mail *m)
{
    if (m->packet.n_hops >= n->hop_limit && n->drops_late) {
        sim_drop_expired(t, n, m);
        cioq_dropped(t, n, &m->packet, m->port, m->at);
        return;
    }
    uint32_t out_port = output_of(t, n, m);
    if (out_port == SIM_NONE) {
        sim_drop_unroutable(t, n, m);
        cioq_dropped(t, n, &m->packet, m->port, m->at);
        return;
    }
    uint32_t index = input_take(t, n, m, out_port);
    if (index == SIM_NONE) {
        cioq_dropped(t, n, &m->packet, m->port, m->at);
    } else {
        stand_at_input(t, n, index, m->at);
    }
}

static void
cioq_arrive_unclassed(struct sim_thread *t, struct sim_node *n, const struct sim_mail *m)
{
    sim_drop_unclassed(t, n, m);
    cioq_dropped(t, n, &m->packet, m->port, m->at);
}

/* These functions handle outputs. */

static inline void
go_on_if_awaited(struct sim_thread *t, struct sim_node *n, uint32_t port, weir_ps now)
{
    struct cioq *c = n->own;

    if (crossbar_unblock(&c->crossbar, port)) {
        cioq_go_on(t, n, c, now);
    }
}

static weir_ps
cioq_send(struct sim_thread *t, struct sim_node *n, uint32_t port, uint32_t cls, weir_ps now)
{
    weir_ps at = output_send(t, n, port, cls, now);

    if (at <= now) {
        go_on_if_awaited(t, n, port, now);
    }
    return at;
}

static void
cioq_discard(struct sim_thread *t, struct sim_node *n, uint32_t slot, sim_drop *drop, weir_ps now)
{
    uint32_t port = slot / n->n_classes;
    struct sim_packet packet = output_discard(t, n, slot, drop, now);

    cioq_dropped(t, n, &packet, port, now);
    sim_node_obey(t, n, now);
    go_on_if_awaited(t, n, port, now);
}

static void
cioq_reforward(struct sim_thread *t, struct sim_node *n, uint32_t port, weir_ps now)
{
    struct cioq *c = n->own;

    cioq_loop_back(t, n, port, now);
    crossbar_unblock(&c->crossbar, port);
    cioq_go_on(t, n, c, now);
}

static void
rebase_list(struct sim_node *n, const struct sim_queue *list, weir_ps by_ps)
{
    for (uint32_t i = list->head; i != SIM_NONE; i = n->pool[i].next) {
        n->pool[i].due_ps = weir_rebased(n->pool[i].due_ps, by_ps);
    }
}

/* Sets back the times of the kind; only packets on their way between two stages have a time. */
static void
cioq_rebase(struct sim_node *n, weir_ps by_ps)
{
    const struct cioq *c = n->own;

    rebase_list(n, &c->moving, by_ps);
    if (c->adapter) {
        rebase_list(n, &c->adapter->loading, by_ps);
    }
}

const struct sim_kind sim_cioq = {
    .about = { .name = "cioq",
               .title = "Queues at each input, one per output, a crossbar, and queues at each "
                        "output",
               .source = "QCN-OS",
               .params = cioq_fields,
               .params_bytes = sizeof(struct cioq_params) },
    .is_watched = true,
    .check = cioq_check,
    .input_wait = cioq_input_wait,
    .port_buffer = cioq_port_buffer,
    .bytes = cioq_bytes,
    .shape = cioq_shape,
    .init = cioq_init,
    .release = cioq_release,
    .prepare = output_prepare,
    .fetch_ports = output_fetch_ports,
    .fetch_heads = output_fetch_heads,
    .arrive = cioq_arrive,
    .arrive_unclassed = cioq_arrive_unclassed,
    .send = cioq_send,
    .event = cioq_pay_ack,
    .alarm = cioq_alarm,
    .heard = cioq_heard,
    .discard = cioq_discard,
    .reforward = cioq_reforward,
    .awaits_word = cioq_awaits_word,
    .rebase = cioq_rebase,
    .each_held = cioq_each_held,
    .holds = cioq_holds,
};
