/* Keeps labels of packets and their entries in the indexes of a node, for engines that need
 * them. */

#include "sim/nodes/handles.h"

#include <stdlib.h>

#include "base/array.h"
#include "base/index-memory.h"

enum {
    ANY_UNITS = WEIR_SERVICE_UNITS | WEIR_SERVICE_OUTPUT_UNITS,
    ANY = WEIR_SERVICE_LABELS | ANY_UNITS
};

/* These functions handle memory. */

void
units_start(struct sim_node *n, uint32_t services)
{
    if (!(services & ANY)) {
        return;
    }
    n->units = array_new(1, sizeof *n->units);
    if (services & WEIR_SERVICE_UNITS) {
        n->buffer.index = index_start(&n->units->inputs, weir_n_slots(&n->shape));
    }
    if (services & WEIR_SERVICE_OUTPUT_UNITS) {
        n->buffer.output_index = index_start(&n->units->outputs, weir_n_slots(&n->shape));
    }
}

void
units_stop(struct sim_node *n)
{
    if (n->units) {
        index_stop(&n->units->inputs);
        index_stop(&n->units->outputs);
        free(n->units->handles);
        free(n->units);
    }
}

size_t
units_bytes(const struct weir_shape *shape, uint32_t services)
{
    size_t n_indexes =
        !!(services & WEIR_SERVICE_UNITS) + (size_t) !!(services & WEIR_SERVICE_OUTPUT_UNITS);

    return (services & ANY ? sizeof(struct sim_units) : 0) +
           n_indexes * weir_index_memory(weir_n_slots(shape));
}

static struct sim_handles *
handles_of(struct sim_units *u, uint32_t held)
{
    if (held >= u->max_handles) {
        uint32_t max = index_larger(held);
        u->handles = array_larger(u->handles, u->max_handles, max, sizeof *u->handles);
        u->max_handles = max;
    }
    return &u->handles[held];
}

/* The following functions handle the events of a packet. */

void
units_enter_now(struct sim_node *n, struct weir_pkt *pkt, uint32_t slot, uint32_t out_slot,
                uint32_t flow)
{
    struct weir_index *x = n->buffer.index;

    pkt->flow = flow;
    pkt->unit = x ? index_add(x, slot, out_slot, pkt->bytes, flow) : WEIR_NO_UNIT;
    pkt->output_unit = WEIR_NO_UNIT;
}

void
units_keep_now(struct sim_node *n, uint32_t held, const struct weir_pkt *pkt)
{
    *handles_of(n->units, held) = (struct sim_handles){ pkt->unit, pkt->output_unit };
}

void
units_fill_now(const struct sim_node *n, uint32_t held, struct weir_pkt *pkt)
{
    pkt->flow = n->pool[held].packet.flow;
    pkt->unit = n->units->handles[held].input;
    pkt->output_unit = n->units->handles[held].output;
}

static void
leave(struct weir_index *x, uint32_t *unit)
{
    if (x) {
        weir_index_remove(x, *unit);
        *unit = WEIR_NO_UNIT;
    }
}

void
units_forward_now(struct sim_node *n, uint32_t held, struct weir_pkt *pkt)
{
    units_fill_now(n, held, pkt);
    leave(n->buffer.index, &n->units->handles[held].input);
}

void
units_part(struct sim_node *n, uint32_t held, struct weir_pkt *pkt)
{
    if (n->units) {
        units_fill_now(n, held, pkt);
        n->units->n_copies += pkt->unit != WEIR_NO_UNIT;
        n->units->handles[held].input = WEIR_NO_UNIT;
    }
}

void
units_drop_copy(struct sim_node *n, const struct weir_pkt *pkt)
{
    if (n->buffer.index) {
        weir_index_remove(n->buffer.index, pkt->unit);
        n->units->n_copies--;
    }
}

void
units_queue_now(struct sim_node *n, struct weir_pkt *pkt, uint32_t slot)
{
    struct weir_index *x = n->buffer.output_index;

    pkt->output_unit = x ? index_add(x, slot, slot, pkt->bytes, pkt->flow) : WEIR_NO_UNIT;
}

void
units_depart_now(struct sim_node *n, uint32_t held, struct weir_pkt *pkt)
{
    units_fill_now(n, held, pkt);
    leave(n->buffer.index, &n->units->handles[held].input);
    leave(n->buffer.output_index, &n->units->handles[held].output);
}

void
units_move(struct sim_node *n, uint32_t held, struct weir_pkt *pkt)
{
    uint32_t slot = pkt->out_port * n->n_classes + pkt->cls;

    if (!n->units) {
        return;
    }
    struct sim_handles *h = &n->units->handles[held];
    units_fill_now(n, held, pkt);
    if (h->input != WEIR_NO_UNIT) {
        n->buffer.index->units[h->input].out_slot = slot;
    }
    if (h->output != WEIR_NO_UNIT) {
        weir_index_remove(n->buffer.output_index, h->output);
        units_queue_now(n, pkt, slot);
        h->output = pkt->output_unit;
    }
}

/* These functions check invariants. */

static uint64_t
bytes_at(const struct weir_index *x, uint32_t slot)
{
    uint64_t bytes = 0;

    for (uint32_t i = 0; i < x->slots[slot].n_used; i++) {
        bytes += x->units[x->slots[slot].order[i]].bytes;
    }
    return bytes;
}

static uint64_t
n_units(const struct weir_index *x)
{
    uint64_t n = 0;

    for (uint32_t slot = 0; x && slot < x->n_slots; slot++) {
        n += x->slots[slot].n_used;
    }
    return n;
}

static bool
is_of(const struct weir_index *x, uint32_t unit, const struct sim_packet *p)
{
    return unit == WEIR_NO_UNIT ||
           (x->units[unit].bytes == p->bytes && x->units[unit].flow == p->flow);
}

/* Whether every unit belongs to a copy, or to a queued packet that it matches. */
static bool
handles_hold(const struct sim_node *n)
{
    const struct weir_index *in = n->buffer.index, *out = n->buffer.output_index;
    uint64_t n_in = 0, n_out = 0;

    for (uint32_t i = 0; i < n->n_pool && i < n->units->max_handles; i++) {
        struct sim_handles h = n->units->handles[i];
        if (n->pool[i].packet.bytes) {
            if (!is_of(in, h.input, &n->pool[i].packet) ||
                !is_of(out, h.output, &n->pool[i].packet)) {
                return false;
            }
            n_in += h.input != WEIR_NO_UNIT;
            n_out += h.output != WEIR_NO_UNIT;
        }
    }
    return n_in + n->units->n_copies == n_units(in) && n_out == n_units(out);
}

bool
units_hold(const struct sim_node *n)
{
    bool holds = !n->units || handles_hold(n);

    for (uint32_t slot = 0; n->units && slot < n->n_ports * n->n_classes && holds; slot++) {
        const struct weir_buffer_slot *s = &n->buffer.slots[slot];
        const struct weir_index *in = n->buffer.index, *out = n->buffer.output_index;
        holds = (!in || bytes_at(in, slot) == s->in_bytes) &&
                (!out || bytes_at(out, slot) <= s->out_bytes);
    }
    return holds;
}

bool
units_hold_outputs(const struct sim_node *n)
{
    const struct weir_index *out = n->buffer.output_index;
    bool holds = true;

    for (uint32_t slot = 0; out && slot < n->n_ports * n->n_classes && holds; slot++) {
        holds = bytes_at(out, slot) == n->buffer.slots[slot].out_bytes;
    }
    return holds;
}
