/* Messages at their sender: the queue of a connection, and the messages to which its packets belong
 * (connection-ends.h).
 *
 *     items    [ reported as sent | being sent, or not acknowledged | queued ]
 *                                 head             current              n
 *
 * Without acknowledgements, a message has been sent when its last byte and the gap after it have
 * left; otherwise when all its packets are acknowledged. */

#include "base/array.h"
#include "base/out-of-memory.h"
#include "sim/nodes/nic/nic.h"
#include "sim/scheduler.h"

#include <string.h>

/* Removes items that were reported, when they fill half of the array. */
static void
forget_reported(struct sim_outgoing *c)
{
    if (c->head < 32 || c->head < c->n - c->head) {
        return;
    }
    memmove(c->items, c->items + c->head, (c->n - c->head) * sizeof *c->items);
    c->n -= c->head;
    c->current -= c->head;
    c->n_noticed -= c->head;
    c->head = 0;
}

/* Adds a message to the queue. A message without bytes is one packet of the smallest size. */
static void
add_message(const struct sim *sim, struct sim_outgoing *c, const struct program_send *s,
            weir_ps now)
{
    uint32_t mtu = sim->model.mtu_bytes,
             least = WEIR_CONTROL_BYTES < mtu ? (uint32_t)WEIR_CONTROL_BYTES : mtu;
    uint64_t bytes = s->bytes ? s->bytes : least, n_packets = sim_packets_of(sim, s->bytes);

    if (n_packets >= UINT32_MAX - c->n_packets) {
        oom_fail("a connection sends more than %u packets, which is the maximum", UINT32_MAX - 1);
    }
    uint32_t last_bytes = (uint32_t)(bytes - (n_packets - 1) * mtu);
    c->less_sum += mtu - last_bytes;
    forget_reported(c);
    ARRAY_PUSH(c->items, c->n, c->max) =
        (struct sim_message){ .bytes = s->bytes,
                              .tag = s->tag,
                              .posted_ps = now,
                              .order = s->order,
                              .label = s->label,
                              .token = s->token,
                              .first = c->n_packets,
                              .end = c->n_packets + (uint32_t)n_packets,
                              .last_bytes = last_bytes,
                              .less_sum = c->less_sum };
    c->n_packets += (uint32_t)n_packets;
    c->n_posted++;
    c->posted_bytes += bytes;
}

static struct sim_notice
notice_of(const struct sim_thread *t, uint32_t flow, const struct sim_message *m)
{
    const struct sim_member *from = &t->sim->jobs.members[sim_outgoing(t->sim, flow)->member];
    struct program_message sent = { .sent_ps = m->posted_ps };

    if (from->job->program->annotate) {
        from->job->program->annotate(from->state, m->token, &sent);
    }
    return (struct sim_notice){ .bytes = m->bytes,
                                .tag = m->tag,
                                .posted_ps = sent.sent_ps,
                                .first = m->first,
                                .order = m->order,
                                .label = m->label,
                                .relay = sent.relay };
}

static void
notify_receiver(struct sim_thread *t, uint32_t flow, const struct sim_message *m, weir_ps now)
{
    struct sim_frame frame = { .to = SIM_NONE, .flow = flow };
    struct sim_notice notice = notice_of(t, flow, m);

    _Static_assert(sizeof notice <= sizeof frame.frame.bytes, "a notice travels as a frame");
    memcpy(frame.frame.bytes, &notice, sizeof notice);
    sim_post(t, &(struct sim_mail){ .at = now + sim_outgoing(t->sim, flow)->notice_ps,
                                    .node = t->sim->model.flows[flow].to,
                                    .event = SIM_NOTICE,
                                    .key = sim_frame_new(t, &frame) });
}

/* Lets the sender send the current message. */
static void
load(struct sim_thread *t, uint32_t flow, weir_ps now)
{
    struct sim_outgoing *c = sim_outgoing(t->sim, flow);
    struct rc_sender *p = &nic_sender(t, flow)->progress;
    const struct sim_message *m = &c->items[c->current];

    p->n_packets = m->end;
    p->last_bytes = m->last_bytes;
    if (c->current == c->n_noticed) {
        c->n_noticed++;
        notify_receiver(t, flow, m, now);
    }
}

/* Loads the message that contains the next packet.  If there is no such message, the last message
 * stays loaded. */
static void
seek(struct sim_thread *t, uint32_t flow, weir_ps now)
{
    struct sim_outgoing *c = sim_outgoing(t->sim, flow);
    uint32_t next = nic_sender(t, flow)->progress.sequence;
    size_t at = c->current;

    at = at < c->head ? c->head : at;
    while (at > c->head && (at == c->n || next < c->items[at].first)) {
        at--;
    }
    while (at < c->n && next >= c->items[at].end) {
        at++;
    }
    c->current = at;
    if (at < c->n) {
        load(t, flow, now);
    } else {
        nic_sender(t, flow)->progress.n_packets = c->n_packets;
    }
}

static void
report_oldest(struct sim_thread *t, struct sim_node *n, uint32_t flow, weir_ps now)
{
    struct sim_outgoing *c = sim_outgoing(t->sim, flow);

    c->n_sent++;
    c->less_reported = c->items[c->head].less_sum;
    nic_member_sent(t, n, c->member, c->items[c->head++].token, now);
}

bool
nic_next_message(struct sim_thread *t, struct sim_node *n, uint32_t port, uint32_t flow,
                 weir_ps now)
{
    const struct sim_sender *f = nic_sender(t, flow);

    if (f->progress.sequence < f->progress.n_packets) { /* The recovery waits for an
                                                         * acknowledgement. */
        return false;
    }
    if (!f->is_reliable) {
        weir_ps left_ps = now + sim_port_wire_ps(n, port, f->progress.last_bytes);
        nic_expect(t, n, NIC_SENT, flow, left_ps);
    }
    seek(t, flow, now);
    return nic_next_packet(t, flow) != RC_NONE;
}

void
nic_message_left(struct sim_thread *t, struct sim_node *n, uint32_t flow, weir_ps now)
{
    report_oldest(t, n, flow, now);
}

void
nic_messages_answered(struct sim_thread *t, struct sim_node *n, uint32_t flow, weir_ps now)
{
    const struct sim_outgoing *c = sim_outgoing(t->sim, flow);

    while (c->head < c->n_noticed &&
           c->items[c->head].end <= nic_sender(t, flow)->progress.n_acked) {
        report_oldest(t, n, flow, now);
    }
    seek(t, flow, now);
}

/* Lets a connection send that had nothing to send. Its rate does not count the time in which it had
 * nothing. */
static void
wake(struct sim_thread *t, struct sim_node *n, uint32_t flow, weir_ps now)
{
    struct weir_gate *g = nic_sender(t, flow)->gate;

    if (*sim_started_ps(t->sim, flow) < 0) {
        nic_start_flow(t, n, flow, now);
        return;
    }
    if (g && g->rate_bps != WEIR_UNLIMITED && g->next_ps < now) {
        g->next_ps = now;
    }
    if (nic_next_packet(t, flow) != RC_NONE) {
        nic_enter_ring(t, n, flow, now);
        nic_kick(t, n, flow, now);
    }
}

void
nic_post_message(struct sim_thread *t, struct sim_node *n, uint32_t flow,
                 const struct program_send *s, weir_ps now)
{
    struct sim_outgoing *c = sim_outgoing(t->sim, flow);
    bool is_idle = c->current == c->n;

    add_message(t->sim, c, s, now);
    if (is_idle) {
        c->current = c->n - 1;
        load(t, flow, now);
        wake(t, n, flow, now);
    }
}

uint32_t
nic_message_packet_bytes(const struct sim_thread *t, uint32_t flow, uint32_t sequence)
{
    const struct sim_outgoing *c = sim_outgoing(t->sim, flow);
    size_t at = c->head;

    ARRAY_SEARCH(at, c->n, c->items[middle].end <= sequence);
    return c->items[at].end == sequence + 1 ? c->items[at].last_bytes : t->sim->model.mtu_bytes;
}

/* The state of a packet that was sent and is not covered by an ACK. */
static enum rc_state
state_of(const struct sim_thread *t, uint32_t flow, uint32_t sequence)
{
    const struct rc_sender *p = &nic_sender(t, flow)->progress;

    return p->own ? nic_recovery(t, flow)->state(p, sequence) : RC_FLYING;
}

/* The number of bytes by which last packets of messages are smaller than full packets: those last
 * packets that are in this range and in one of these states. */
static uint64_t
missing_bytes(const struct sim_thread *t, uint32_t flow, uint32_t first, uint32_t end,
              unsigned states)
{
    const struct sim_outgoing *c = sim_outgoing(t->sim, flow);
    uint64_t bytes = 0;

    for (size_t i = c->head; i < c->n && c->items[i].end <= end; i++) {
        const struct sim_message *m = &c->items[i];
        if (m->end > first && states >> state_of(t, flow, m->end - 1) & 1) {
            bytes += t->sim->model.mtu_bytes - m->last_bytes;
        }
    }
    return bytes;
}

/* Usually all packets that were sent and not acknowledged are on their way; these are packets of
 * the messages from 'head' to 'current'. */
uint64_t
nic_messages_flying_less(const struct sim_thread *t, uint32_t flow, uint64_t n_flying)
{
    const struct sim_outgoing *c = sim_outgoing(t->sim, flow);
    const struct rc_sender *p = &nic_sender(t, flow)->progress;

    if (n_flying == p->sequence - p->n_acked) {
        return c->current > c->head ? c->items[c->current - 1].less_sum - c->less_reported : 0;
    }
    return missing_bytes(t, flow, p->n_acked, p->sequence, 1u << RC_FLYING);
}

uint64_t
nic_messages_arrived_less(const struct sim_thread *t, uint32_t flow, enum rc_answer answer,
                          uint32_t sequence)
{
    const struct rc_sender *p = &nic_sender(t, flow)->progress;
    unsigned not_arrived = 1u << RC_FLYING | 1u << RC_LOST;

    if (answer != RC_SACK) {
        return missing_bytes(t, flow, p->n_acked, sequence, not_arrived);
    }
    bool is_awaited = sequence >= p->n_acked && sequence < p->sequence;
    return is_awaited ? missing_bytes(t, flow, sequence, sequence + 1, not_arrived) : 0;
}
