/* The NIC: the hooks that the core calls, each served by one of the parts in nic.h.
 *
 * Packets that arrive are consumed at once, unless the NIC stalls. */

#include <stdlib.h>

#include "base/array.h"
#include "sim/nodes/nic/nic.h"
#include "sim/scheduler.h"

static void
nic_prepare(const struct sim_thread *t, struct sim_node *n, struct sim_mail *mails,
            uint32_t n_mails)
{
    (void)n;
    for (const struct sim_mail *m = mails; m < mails + n_mails; m++) {
        if (m->event == SIM_PACKET && sim_is_data(m->packet.kind)) {
            __builtin_prefetch(sim_sink(t->sim, m->packet.flow));
        } else if (m->event == SIM_PACKET) {
            __builtin_prefetch(sim_sender(t->sim, m->packet.flow));
        }
    }
}

static void
nic_event(struct sim_thread *t, struct sim_node *n, const struct sim_mail *m)
{
    switch ((enum nic_event)m->event) {
    case NIC_NOTICE:
        nic_take_notice(t, m);
        break;
    case NIC_FLOW:
        nic_post_next_start(t, n, m->key);
        nic_start_flow(t, n, m->key, m->at);
        break;
    case NIC_RETRY:
        nic_retry(t, n, m->key, m->at);
        break;
    case NIC_PACE:
        nic_pace(t, n, m->key, m->at);
        break;
    case NIC_STALL:
        nic_stall(t, n, m->at);
        break;
    case NIC_LOOK:
        nic_check_answer(t, n, m->key, m->at);
        break;
    case NIC_STOP:
        nic_stop_flow(t, n, m->key, m->at);
        break;
    case NIC_NOTIFY:
        nic_notify(t, n, m->key, m->at);
        break;
    case NIC_SENT:
        nic_message_left(t, n, m->key, m->at);
        break;
    case NIC_RUN:
        nic_run_member(t, n, m->key, m->at);
        break;
    }
}

static void
nic_shape(const void *params, struct weir_shape *shape)
{
    (void)params;
    shape->services |= WEIR_SERVICE_LABELS | WEIR_SERVICE_MESSAGES | WEIR_SERVICE_FLOW_RATES |
                       WEIR_SERVICE_SLOWING;
}

/* Passes a message to engines. If no engine of the NIC handles flows, no engine understands the
 * message, whatever its flow number. */
static void
nic_heard(struct sim_thread *t, struct sim_node *n, uint32_t flow, const struct weir_frame *f,
          weir_ps now)
{
    uint32_t number = 0;

    if (t->sim->flows.numbers) {
        number = sim_nic_flow_number(t->sim, flow);
        t->sim->flows.numbers->n_heard[sim_sender_slot(t->sim, flow)]++;
    }
    weir_node_heard(&n->weir, now, number, f);
    sim_node_obey(t, n, now);
}

static void
nic_init(struct sim_thread *t, struct sim_node *n, const void *params)
{
    const struct model *c = &t->sim->model;
    const struct weir_needs *needs = &c->engines[c->nodes[n->id].engines].needs;
    uint32_t n_slots = n->n_ports * n->n_classes;
    size_t bytes = offsetof(struct nic, queues) + n_slots * sizeof(struct nic_queue);
    struct nic *nic = array_new_aligned(64, bytes > sizeof *nic ? bytes : sizeof *nic);

    (void)params;
    *nic =
        (struct nic){ .sim = t->sim,
                      .tells_sent = n->shape.n_flows && needs->services & WEIR_SERVICE_FLOW_RATES,
                      .times_waits = n->sojourns != NULL };
    for (uint32_t slot = 0; slot < n_slots; slot++) {
        nic->queues[slot] = (struct nic_queue){
            .ring = { .last = SIM_NONE,
                      .next = SIM_NONE,
                      .root = SIM_NONE,
                      .mtu_bytes = n->shape.mtu_bytes & 0x7fffffffu,
                      .joins_next = c->joins_next },
            .acks = { SIM_NONE, SIM_NONE },
            .held = { SIM_NONE, SIM_NONE },
        };
    }
    n->own = nic;
}

static void
nic_release(struct sim_node *n)
{
    free(n->own);
}

/* Gives memory for trees to the round-robin lists of a class, at all ports of a NIC, because a flow
 * may send through any of them. */
static void
give_room(struct sim_node *n, uint32_t cls, struct sim_turn *turns)
{
    for (uint32_t port = 0; port < n->n_ports; port++) {
        nic_queue_at(n, port * n->n_classes + cls)->ring.turns = turns;
    }
}

/* Allocates memory for a tree for each round-robin list that may become large, if any of its flows
 * has a gate.  Without gates, the next flow may always send. */
static void
make_room_for_trees(struct sim *sim)
{
    const struct model *c = &sim->model;
    uint32_t *counts = array_new((size_t)sim->n_nodes * WEIR_MAX_CLASSES, sizeof *counts);

    for (uint32_t i = 0; i < sim->flows.n_senders; i++) {
        const struct model_flow *f = &c->flows[sim_flow_of_sender(sim, i)];
        counts[f->from * WEIR_MAX_CLASSES + f->cls]++;
    }
    for (uint32_t i = 0; i < sim->flows.n_senders; i++) {
        const struct model_flow *f = &c->flows[sim_flow_of_sender(sim, i)];
        bool is_large = counts[f->from * WEIR_MAX_CLASSES + f->cls] >= NIC_RING_LARGE;
        if (is_large && sim->flows.senders[i].has_gate) {
            sim->flows.turns =
                sim->flows.turns
                    ? sim->flows.turns
                    : array_new_aligned(64, sim->flows.n_senders * sizeof *sim->flows.turns);
            give_room(sim_node_at(sim, f->from), f->cls, sim->flows.turns);
        }
    }
    free(counts);
}

/* Posts the first mail: starts of flows that wait for no other flow and of jobs, stops of flows,
 * and stalls. */
static void
nic_begin(struct sim *sim)
{
    const struct model *c = &sim->model;

    nic_open_gates(sim);
    make_room_for_trees(sim);
    nic_post_starts(sim);
    nic_begin_members(sim);
    for (uint32_t i = 0; i < 2 * c->n_stalls; i++) {
        const struct model_stall *s = &c->stalls[i / 2];
        sim_post_first(sim, &(struct sim_mail){ .at = i % 2 ? s->until_ps : s->from_ps,
                                                .node = s->node,
                                                .event = NIC_STALL,
                                                .key = i });
    }
}

static void
nic_fetch_ports(const struct sim_node *n, uint64_t wakes)
{
    (void)wakes;
    __builtin_prefetch(&n->ports[0]);
    __builtin_prefetch(&n->weir.ctx.gates[0]);
    __builtin_prefetch(&n->weir.ctx.trips[0]);
    __builtin_prefetch(&n->buffer.slots[0]);
    __builtin_prefetch(n->own);
}

/* Prefetches the flow that is served next, and the next ACK or its entry in the pool. */
static void
nic_fetch_heads(const struct sim_node *n, uint64_t wakes)
{
    const struct nic *nic = n->own;
    const struct nic_queue *c = &nic->queues[0];
    uint32_t ack = c->acks.head != SIM_NONE ? c->acks.head : n->pool_free;

    (void)wakes;
    if (c->ring.next != SIM_NONE) {
        __builtin_prefetch(&nic->sim->flows.senders[c->ring.next]);
    }
    if (ack != SIM_NONE) {
        __builtin_prefetch(&n->pool[ack]);
    }
}

/* Visits packets that have not been drained; all other packets of the NIC have not been sent
 * yet. */
static void
nic_each_held(const struct sim_node *n, sim_visit_held *visit, void *arg)
{
    const struct nic *nic = n->own;

    for (uint32_t slot = 0; slot < n->n_ports * n->n_classes; slot++) {
        for (uint32_t i = nic->queues[slot].held.head; i != SIM_NONE; i = n->pool[i].next) {
            if (!visit(arg, &(struct sim_waiting){ .packet = &n->pool[i].packet,
                                                   .in_slot = slot,
                                                   .out_slot = SIM_NONE })) {
                return;
            }
        }
    }
}

const struct sim_kind sim_end_kind = {
    .about = { .name = "nic", .title = "Sends and receives flows, each with its own transport" },
    .shape = nic_shape,
    .begin = nic_begin,
    .init = nic_init,
    .release = nic_release,
    .prepare = nic_prepare,
    .fetch_ports = nic_fetch_ports,
    .fetch_heads = nic_fetch_heads,
    .arrive = nic_arrive,
    .arrive_unclassed = nic_arrive_unclassed,
    .send = nic_send,
    .event = nic_event,
    .believes = nic_believes,
    .limit_flow = nic_limit_flow,
    .slow_flows = nic_slow_flows,
    .heard = nic_heard,
    .each_held = nic_each_held,
    .rerouted = nic_reroute,
};
