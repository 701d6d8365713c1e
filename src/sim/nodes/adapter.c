/* Moves packets through the stage before the crossbar of an edge switch: adapter.h. */

#include "sim/nodes/adapter.h"

#include <stdlib.h>

#include "base/array.h"
#include "sim/host/host.h"
#include "sim/nodes/outputs.h"

static void
set_adapter_rates(const struct sim_node *n, struct adapter *a, const struct cioq_params *p)
{
    for (uint32_t port = 0; port < n->n_ports; port++) {
        const struct weir_port *of = &n->shape.ports[port];
        uint64_t usual = of->rate_bps + of->rate_bps / 4;
        a->ports[port].rate_bps = of->is_inner                ? 0
                                  : p->inner_bps == WEIR_AUTO ? usual
                                                              : p->inner_bps;
    }
}

struct adapter *
adapter_new(struct sim_thread *t, struct sim_node *n, const struct cioq_params *p)
{
    struct adapter *a = array_new(1, sizeof *a);
    size_t n_slots = (size_t)n->n_ports * n->n_classes;
    uint32_t n_destinations = (uint32_t)adapter_n_destinations(p, n->n_ports, sim_n_leaves(t));

    *a = (struct adapter){ .max_bytes = p->inner_bytes,
                           .n_destinations = n_destinations,
                           .loading = { SIM_NONE, SIM_NONE },
                           .ports = array_new(n->n_ports, sizeof *a->ports),
                           .slots = array_new(n_slots, sizeof *a->slots),
                           .voqs = voqs_new(n_slots * n_destinations) };
    set_adapter_rates(n, a, p);
    return a;
}

void
adapter_free(struct adapter *a)
{
    if (a) {
        free(a->ports);
        free(a->slots);
        free(a->voqs);
        free(a);
    }
}

static uint32_t
destination_of(const struct sim_thread *t, const struct sim_node *n, const struct adapter *a,
               const struct sim_held *held)
{
    uint32_t leaf = a->n_destinations > 1 ? sim_leaf_of(t, n, &held->packet) : SIM_NONE;

    return a->n_destinations == 1 ? 0 : leaf == SIM_NONE ? held->out_port : n->n_ports + leaf;
}

/* The queue to be served next, at a slot where packets wait. */
static uint32_t
next_destination(const struct adapter *a, uint32_t in_slot)
{
    const struct voq *voqs = &a->voqs[(size_t)in_slot * a->n_destinations];
    uint32_t next = a->slots[in_slot].next;

    while (voqs[next].packets.head == SIM_NONE) {
        next = next + 1 < a->n_destinations ? next + 1 : 0;
    }
    return next;
}

static struct voq *
next_voq(struct adapter *a, uint32_t in_slot)
{
    a->slots[in_slot].next = next_destination(a, in_slot);
    return &a->voqs[(size_t)in_slot * a->n_destinations + a->slots[in_slot].next];
}

bool
adapter_has_room(const struct sim_node *n, const struct adapter *a, uint32_t in_slot)
{
    uint32_t next = next_destination(a, in_slot);
    const struct voq *voq = &a->voqs[(size_t)in_slot * a->n_destinations + next];

    return a->slots[in_slot].inner_bytes + n->pool[voq->packets.head].packet.bytes <= a->max_bytes;
}

/* Starts to move a packet: it leaves its input and occupies space in the inner queue. */
static void
start_loading(struct sim_thread *t, struct sim_node *n, struct adapter *a, uint32_t in_slot,
              weir_ps now)
{
    struct adapter_slot *s = &a->slots[in_slot];
    uint32_t index = voq_take(n, next_voq(a, in_slot));
    struct sim_held *held = &n->pool[index];
    struct weir_pkt pkt = output_pkt(held);
    struct adapter_port *port = &a->ports[pkt.in_port];

    port->is_loading = true;
    port->turn = (uint8_t)((pkt.cls + 1u) % n->n_classes);
    s->n_waiting--;
    s->next = s->next + 1 < a->n_destinations ? s->next + 1 : 0;
    s->inner_bytes += pkt.bytes;
    held->due_ps = now + weir_wire_ps(pkt.bytes, port->rate_bps);
    cioq_insert(n, &a->loading, index);
    sim_sojourn_lift(n, index, now);
    cioq_expect(t, n, &a->loading);
    if (cioq_leave_input(n, index, &pkt)) {
        cioq_notify_forwarded(t, n, held, &pkt, now);
    }
}

static void
load_next(struct sim_thread *t, struct sim_node *n, struct adapter *a, uint32_t port, weir_ps now)
{
    uint32_t cls = a->ports[port].turn;

    for (uint32_t i = 0; i < n->n_classes && !a->ports[port].is_loading; i++) {
        uint32_t in_slot = port * n->n_classes + cls;
        const struct adapter_slot *s = &a->slots[in_slot];
        if (s->n_waiting &&
            s->inner_bytes + n->pool[next_voq(a, in_slot)->packets.head].packet.bytes <=
                a->max_bytes) {
            start_loading(t, n, a, in_slot, now);
        }
        cls = cls + 1 < n->n_classes ? cls + 1 : 0;
    }
}

void
adapter_arrived(struct sim_thread *t, struct sim_node *n, struct adapter *a, uint32_t index,
                weir_ps now)
{
    struct sim_held *held = &n->pool[index];
    uint32_t in_slot = held->in_port * n->n_classes + held->packet.cls;

    held->due_ps = CIOQ_IN_ADAPTER;
    a->slots[in_slot].n_waiting++;
    voq_push(n, &a->voqs[(size_t)in_slot * a->n_destinations + destination_of(t, n, a, held)],
             index);
    load_next(t, n, a, held->in_port, now);
}

void
adapter_move(struct sim_thread *t, struct sim_node *n, struct adapter *a, weir_ps now)
{
    while (list_has_due(n, &a->loading, now)) {
        uint32_t index = sim_take(n, &a->loading), port = n->pool[index].in_port;
        a->ports[port].is_loading = false;
        sim_sojourn_put(n, index, now);
        cioq_stand_in_front(n, index);
        load_next(t, n, a, port, now);
    }
}

void
adapter_left(struct sim_thread *t, struct sim_node *n, struct adapter *a, uint32_t in_slot,
             uint32_t bytes, weir_ps now)
{
    a->slots[in_slot].inner_bytes -= bytes;
    load_next(t, n, a, in_slot / n->n_classes, now);
}

bool
adapter_holds(const struct sim_node *n, const struct adapter *a, uint32_t in_slot)
{
    const struct adapter_slot *s = &a->slots[in_slot];
    const struct cioq *c = n->own;
    uint64_t waiting = 0, inner = c->fronts[in_slot].bytes - cioq_looped_bytes(n, in_slot);

    for (uint32_t i = 0; i < a->n_destinations; i++) {
        waiting += a->voqs[(size_t)in_slot * a->n_destinations + i].bytes;
    }
    for (uint32_t i = a->loading.head; i != SIM_NONE; i = n->pool[i].next) {
        bool is_own = n->pool[i].in_port * n->n_classes + n->pool[i].packet.cls == in_slot;
        inner += is_own ? n->pool[i].packet.bytes : 0;
    }
    return waiting + cioq_copied_bytes(c, in_slot) == n->buffer.slots[in_slot].in_bytes &&
           inner == s->inner_bytes && inner <= a->max_bytes && (waiting > 0) == (s->n_waiting > 0);
}
