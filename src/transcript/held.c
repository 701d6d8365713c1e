/* The packets in the node, with their entries in the index from which engines sample packets.
 * Packets are distinguished by all values that the transcript gives; among equal packets the first
 * one moves first. */

#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/index-memory.h"
#include "transcript/player.h"

enum { ANY_UNITS = WEIR_SERVICE_UNITS | WEIR_SERVICE_OUTPUT_UNITS };

enum where { AT_INPUT, FORWARDED, TO_BE_QUEUED };

static bool
is_there(const struct player *p, const struct player_packet *q, enum where where)
{
    return where == TO_BE_QUEUED ? !q->is_queued && q->is_forwarded == player_has_stages(p)
                                 : q->is_forwarded == (where == FORWARDED);
}

static struct player_packet *
find(struct player *p, const struct weir_pkt *pkt, enum where where)
{
    for (size_t i = 0; i < p->n_packets; i++) {
        struct player_packet *q = &p->packets[i];
        if (q->pkt.in_port == pkt->in_port && q->pkt.out_port == pkt->out_port &&
            q->pkt.cls == pkt->cls && q->pkt.bytes == pkt->bytes && q->pkt.flow == pkt->flow &&
            is_there(p, q, where)) {
            return q;
        }
    }
    return NULL;
}

/* Adds an index entry for a packet at an input or output, if the node has such an index. */
static uint32_t
add(struct weir_index *x, uint32_t slot, uint32_t out_slot, const struct weir_pkt *pkt)
{
    return x->n_slots ? index_add(x, slot, out_slot, pkt->bytes, pkt->flow) : WEIR_NO_UNIT;
}

void
player_lend_units(struct player *p)
{
    if (p->services & WEIR_SERVICE_UNITS) {
        p->buffer.index = index_start(&p->index, weir_n_slots(&p->shape));
    }
    if (p->services & WEIR_SERVICE_OUTPUT_UNITS) {
        p->buffer.output_index = index_start(&p->output_index, weir_n_slots(&p->shape));
    }
}

void
player_free_units(struct player *p)
{
    index_stop(&p->index);
    index_stop(&p->output_index);
    free(p->packets);
}

/* Moves of packets. */

void
player_give_unit(struct player *p, struct weir_pkt *pkt)
{
    uint32_t in = player_in_slot(p, pkt), out = player_out_slot(p, pkt);

    if (p->services & ANY_UNITS) {
        pkt->unit = add(&p->index, in, out, pkt);
        pkt->output_unit = WEIR_NO_UNIT;
        ARRAY_PUSH(p->packets, p->n_packets, p->max_packets) =
            (struct player_packet){ .pkt = *pkt };
    }
}

bool
player_take_unit(struct player *p, struct weir_pkt *pkt)
{
    struct player_packet *q = find(p, pkt, AT_INPUT);

    if (p->services & ANY_UNITS && q) {
        pkt->unit = q->pkt.unit;
        q->is_forwarded = true;
        weir_index_remove(&p->index, pkt->unit);
    }
    return q || !(p->services & ANY_UNITS);
}

bool
player_give_output_unit(struct player *p, struct weir_pkt *pkt)
{
    struct player_packet *q = find(p, pkt, TO_BE_QUEUED);
    uint32_t out = player_out_slot(p, pkt);

    if (p->services & ANY_UNITS && q) {
        q->is_queued = true;
        q->pkt.output_unit = add(&p->output_index, out, out, pkt);
        pkt->unit = q->pkt.unit;
        pkt->output_unit = q->pkt.output_unit;
    }
    return q || !(p->services & ANY_UNITS);
}

bool
player_move_unit(struct player *p, struct weir_pkt *pkt, uint16_t from_port)
{
    struct weir_pkt before = *pkt;
    uint32_t out = player_out_slot(p, pkt);

    before.out_port = from_port;
    struct player_packet *q = find(p, &before, AT_INPUT);
    if (p->services & ANY_UNITS && q) {
        q->pkt.out_port = pkt->out_port;
        pkt->unit = q->pkt.unit;
        if (q->pkt.unit != WEIR_NO_UNIT) {
            p->index.units[q->pkt.unit].out_slot = out;
        }
        if (q->is_queued) {
            weir_index_remove(&p->output_index, q->pkt.output_unit);
            q->pkt.output_unit = add(&p->output_index, out, out, pkt);
        }
        pkt->output_unit = q->pkt.output_unit;
    }
    return q || !(p->services & ANY_UNITS);
}

void
player_forget_packet(struct player *p, struct weir_pkt *pkt, bool is_refused)
{
    struct player_packet *q = find(p, pkt, is_refused ? TO_BE_QUEUED : FORWARDED);

    if (q) {
        pkt->unit = q->pkt.unit;
        pkt->output_unit = q->pkt.output_unit;
        weir_index_remove(&p->output_index, pkt->output_unit);
        p->n_packets--;
        memmove(q, q + 1, (size_t)(p->packets + p->n_packets - q) * sizeof *q);
    }
}
