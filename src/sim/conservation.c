/* Conservation: each packet that was sent, with its bytes, is counted exactly once: as delivered,
 * as held by a node, as in flight, or as lost. Packets that were dropped or lost are counted by
 * cause. */

#include "sim/flow-ends.h"
#include "sim/invariants.h"
#include "sim/scheduler.h"
#include "sim/view.h"
#include "sim/wires.h"

static void
add(struct sim_amount *a, uint64_t n, uint64_t bytes)
{
    a->n += n;
    a->bytes += bytes;
}

/* Counts the packets in a list of mail. In an outbox, the two items after the mail of a frame hold
 * the bytes of the frame. */
static void
add_flying_in(const struct sim_log *log, bool carries_frames, struct sim_amount *a)
{
    for (size_t i = 0; i < log->n; i++) {
        if (log->items[i].event == SIM_PACKET) {
            add(a, 1, log->items[i].packet.bytes);
        }
        i += sim_is_frame_mail(&log->items[i]) && carries_frames ? 2 : 0;
    }
}

/* Counts the packets in the inbox of a node, for one of the coming windows. */
static void
add_flying_to(const struct sim_thread *t, const struct sim_inbox *inbox, struct sim_amount *a)
{
    uint32_t chunk = inbox->chunk;

    for (uint32_t left = inbox->n; left;) {
        uint32_t n_here = (left - 1) % SIM_CHUNK + 1;
        struct sim_log part = { &t->mails[chunk * SIM_CHUNK], n_here, n_here };
        add_flying_in(&part, false, a);
        left -= n_here;
        chunk = t->chunk_next[chunk];
    }
}

static void
add_flying(const struct sim *sim, struct sim_amount *a)
{
    for (uint32_t i = 0; i < sim->n_threads; i++) {
        const struct sim_thread *t = &sim->threads[i];
        add_flying_in(&t->far, false, a);
        for (uint32_t k = 0; k < sim->ring * t->n_nodes; k++) {
            add_flying_to(t, &t->due[k / t->n_nodes].inboxes[k % t->n_nodes], a);
        }
        for (uint32_t k = 0; k < 2 * sim->n_threads; k++) {
            add_flying_in(&t->out[k], true, a);
        }
    }
}

struct held { /* The packets that a node holds: all of them, and those of flows. */
    const struct sim *sim;
    struct sim_amount all, own;
};

static bool
add_held(void *arg, const struct sim_waiting *w)
{
    struct held *held = arg;

    add(&held->all, 1, w->packet->bytes);
    if (!sim_is_foreign(held->sim, w->packet)) {
        add(&held->own, 1, w->packet->bytes);
    }
    return true;
}

/* Adds the packets of flows that a node holds, if the node holds as many bytes as its buffer
 * counts. */
static bool
add_held_by(const struct sim *sim, const struct sim_node *n, struct sim_amount *all,
            struct err *err)
{
    struct held held = { .sim = sim };
    /* Copies are not packets. */
    uint64_t counted = n->buffer.passing_bytes - n->buffer.copied_bytes;
    bool has_stages = weir_has_stages(&n->shape);

    n->kind->each_held(n, add_held, &held);
    add(all, held.own.n, held.own.bytes);
    for (uint32_t slot = 0; slot < n->n_ports * n->n_classes; slot++) {
        counted += n->buffer.slots[slot].in_bytes;
        counted += has_stages ? n->buffer.slots[slot].out_bytes : 0;
    }
    return held.all.bytes == counted ||
           err_set(err, "%s holds %llu bytes but counts %llu", sim->model.topo->nodes[n->id].name,
                   (unsigned long long)held.all.bytes, (unsigned long long)counted);
}

bool
sim_node_is_conserved(const struct sim *sim, const struct sim_node *n, struct err *err)
{
    struct sim_amount held = { 0 };

    return add_held_by(sim, n, &held, err);
}

/* Counts the packets that were dropped at a port; each dropped packet has exactly one cause. */
static void
add_gone(const struct sim_port_result *r, struct sim_amount *a)
{
    uint64_t n_packets_lost = r->n_lost - r->n_lost_frames;

    add(a, sim_n_gone(r), r->dropped_bytes);
    add(a, n_packets_lost, r->lost_bytes);
}

/* Subtracts foreign packets, which the counts of dropped packets at ports include. */
static void
take_foreign(const struct sim *sim, struct sim_amount *found)
{
    for (uint32_t i = 0; i < sim->n_threads; i++) {
        found->n -= sim->threads[i].n_foreign_gone;
        found->bytes -= sim->threads[i].foreign_gone_bytes;
    }
}

static struct sim_amount
sent_amount(const struct sim *sim)
{
    struct sim_amount sent = { 0 };

    for (uint32_t i = 0; i < sim->model.n_flows; i++) {
        sent.bytes += sim_sender_is_here(sim, i) ? sim_sender(sim, i)->sent_bytes : 0;
    }
    for (uint32_t i = 0; i < sim->n_threads; i++) {
        sent.bytes += sim->threads[i].ack_sent_bytes;
    }
    for (uint32_t id = 0; id < sim->n_nodes; id++) {
        bool is_nic = sim->model.topo->nodes[id].kind == TOPO_NIC && sim_is_here(sim, id);
        for (uint32_t port = 0; is_nic && port < sim_node_at(sim, id)->n_ports; port++) {
            sent.n += sim_node_at(sim, id)->ports[port].n_sent;
        }
    }
    return sent;
}

static struct sim_amount
delivered_amount(const struct sim *sim)
{
    struct sim_amount came = { 0 };

    for (uint32_t i = 0; i < sim->model.n_flows; i++) {
        if (sim_sink_is_here(sim, i)) {
            came.bytes += sim_sink(sim, i)->received_bytes + sim_sink(sim, i)->discarded_bytes;
        }
    }
    for (uint32_t i = 0; i < sim->n_threads; i++) {
        add(&came, sim->threads[i].n_delivered, sim->threads[i].ack_received_bytes);
    }
    return came;
}

struct sim_balance
sim_balance_here(const struct sim *sim)
{
    struct sim_balance b = { sent_amount(sim), delivered_amount(sim), .odd_node = SIM_NONE };

    add_flying(sim, &b.found);
    for (uint32_t id = 0; id < sim->n_nodes && b.odd_node == SIM_NONE; id++) {
        if (!sim_is_here(sim, id)) {
            continue;
        }
        const struct sim_node *n = sim_node_at(sim, id);
        b.odd_node = add_held_by(sim, n, &b.found, &b.odd) ? SIM_NONE : id;
        for (uint32_t port = 0; port < n->n_ports; port++) {
            add_gone(&n->results[port], &b.found);
        }
    }
    take_foreign(sim, &b.found);
    return b;
}

void
sim_add_balance(struct sim_balance *b, const struct sim_balance *more)
{
    add(&b->sent, more->sent.n, more->sent.bytes);
    add(&b->found, more->found.n, more->found.bytes);
    if (more->odd_node < b->odd_node) {
        b->odd_node = more->odd_node;
        b->odd = more->odd;
    }
}

bool
sim_is_conserved(const struct sim *sim, struct err *err)
{
    struct sim_balance b = sim_balance_here(sim);

    if (sim->ranks.view) {
        sim_add_balance(&b, &sim->ranks.view->balance);
    }
    if (b.odd_node != SIM_NONE) {
        *err = b.odd;
        return false;
    }
    if (b.sent.n != b.found.n) {
        return err_set(err, "%llu packets were sent, but %llu are accounted for",
                       (unsigned long long)b.sent.n, (unsigned long long)b.found.n);
    }
    return b.sent.bytes == b.found.bytes ||
           err_set(err, "%llu bytes were sent, but %llu are accounted for",
                   (unsigned long long)b.sent.bytes, (unsigned long long)b.found.bytes);
}
