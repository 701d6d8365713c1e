/* Messages at their receiver: notices of messages that will arrive, and the packets of these
 * messages.
 *
 * Packets may arrive in any order, and messages complete in any order.  A packet that was accepted
 * is counted once, so a message has arrived when none of its packets is missing.  A message that
 * has lost a packet for good never arrives.
 *
 * The code that receives packets compares the number of accepted packets with 'n_packets', which
 * ends a flow.  For a connection 'n_packets' is therefore always one more, so that each of its
 * packets is handled here, and packets of other flows need no further test. */

#include "base/array.h"
#include "sim/nodes/nic/nic.h"

#include <assert.h>
#include <string.h>

static size_t
awaited_with(const struct sim_incoming *c, uint32_t sequence)
{
    size_t at = c->head;

    ARRAY_SEARCH(at, c->n, c->items[middle].end <= sequence);
    return at;
}

/* Adds a message. Messages are in the order of their packets, whatever the order of their
 * notices. */
static void
add_awaited(struct sim_incoming *c, const struct sim_awaited *m)
{
    if (c->head == c->n) {
        c->head = c->n = 0;
    }
    ARRAY_ROOM(c->items, c->n, c->max);
    size_t at = c->n++;
    for (; at > c->head && c->items[at - 1].first > m->first; at--) {
        c->items[at] = c->items[at - 1];
    }
    c->items[at] = *m;
}

static void
remove_awaited(struct sim_incoming *c, size_t at)
{
    if (at == c->head) {
        c->head++;
    } else {
        memmove(&c->items[at], &c->items[at + 1], (--c->n - at) * sizeof *c->items);
    }
}

void
nic_take_notice(struct sim_thread *t, const struct sim_mail *mail)
{
    const struct sim_frame *frame = &t->frames[mail->key];
    struct sim_notice notice;

    memcpy(&notice, frame->frame.bytes, sizeof notice);
    uint32_t n_packets = (uint32_t)sim_packets_of(t->sim, notice.bytes);
    add_awaited(sim_incoming(t->sim, frame->flow),
                &(struct sim_awaited){ .bytes = notice.bytes,
                                       .tag = notice.tag,
                                       .posted_ps = notice.posted_ps,
                                       .first = notice.first,
                                       .end = notice.first + n_packets,
                                       .n_missing = n_packets,
                                       .order = notice.order,
                                       .label = notice.label,
                                       .relay = notice.relay });
    sim_frame_free(t, mail->key);
}

uint32_t
nic_end_of_message(const struct sim_thread *t, uint32_t flow, uint32_t sequence)
{
    const struct sim_incoming *c = sim_incoming(t->sim, flow);
    size_t at = awaited_with(c, sequence);

    return at < c->n && c->items[at].first <= sequence ? c->items[at].end : UINT32_MAX;
}

void
nic_take_part(struct sim_thread *t, struct sim_node *n, const struct sim_packet *p, weir_ps now)
{
    struct sim_sink *s = sim_sink(t->sim, p->flow);
    struct sim_incoming *c = sim_incoming(t->sim, p->flow);
    size_t at = awaited_with(c, p->sequence);

    s->progress.n_packets = s->n_received + 1;
    assert(at < c->n && c->items[at].first <= p->sequence && c->items[at].n_missing);
    if (--c->items[at].n_missing) {
        return;
    }
    const struct sim_awaited m = c->items[at];
    remove_awaited(c, at);
    c->n_arrived++;
    nic_member_arrived(t, n, p->flow,
                       &(struct program_message){ .bytes = m.bytes,
                                                  .tag = m.tag,
                                                  .sent_ps = m.posted_ps,
                                                  .order = m.order,
                                                  .label = m.label,
                                                  .relay = m.relay },
                       now);
}
