/* Handles packets that arrive at a NIC, and acknowledges them. The flow's recovery decides whether
 * a packet is accepted out of order. */

#include "sim/nodes/nic/nic.h"

static void
answer(struct sim_thread *t, struct sim_node *n, uint32_t flow, enum sim_packet_kind kind,
       uint32_t sequence, weir_ps now)
{
    const struct sim_sink *s = sim_sink(t->sim, flow);
    uint8_t cls = s->answer_cls;
    uint32_t index = sim_held_new(n);

    n->pool[index].packet = (struct sim_packet){ .flow = flow,
                                                 .sequence = sequence,
                                                 .dst = s->src,
                                                 .bytes = t->sim->model.answer_bytes,
                                                 .cls = cls,
                                                 .ecn = WEIR_ECT,
                                                 .kind = kind & 0x3fu };
    uint32_t port = n->n_ports == 1 ? 0 : sim_nic_port(t->sim, n->id, s->src, flow);
    sim_append(n, &nic_queue_at(n, port * n->n_classes + cls)->acks, index);
    sim_port_fill(n, port, cls);
    sim_port_kick(t, n, port, now);
}

/* Whether a mark must be reported; each mark is reported once. */
static bool
take_back_mark(struct sim_sink *s)
{
    bool is_marked = s->is_marked;

    s->is_marked = false;
    return is_marked;
}

/* Acknowledges all packets before the first gap. */
static inline void
acknowledge(struct sim_thread *t, struct sim_node *n, uint32_t flow, struct sim_sink *s,
            bool tells_mark, weir_ps now)
{
    bool is_marked = tells_mark && take_back_mark(s);

    s->progress.n_unacked = 0;
    answer(t, n, flow, is_marked ? SIM_ACK_MARKED : SIM_ACK, s->progress.expected, now);
}

/* Sends all replies of the recovery, first the ACK of the packets before the first gap. */
static void
reply(struct sim_thread *t, struct sim_node *n, const struct sim_packet *p, unsigned replies,
      weir_ps now)
{
    struct sim_sink *s = sim_sink(t->sim, p->flow);

    if (replies & RC_SEND_ACK) {
        bool is_alone = !(replies & RC_SEND_SACK); /* If false, the SACK reports the mark. */
        acknowledge(t, n, p->flow, s, is_alone, now);
    }
    if (replies & RC_SEND_NACK) {
        answer(t, n, p->flow, SIM_NACK, s->progress.expected, now);
    }
    if (replies & RC_SEND_SACK) {
        bool is_marked = take_back_mark(s);
        answer(t, n, p->flow, is_marked ? SIM_SACK_MARKED : SIM_SACK, p->sequence, now);
    }
}

/* Counts marked packets and CNPs, if any engine may mark packets. */
static void
count_marks(struct sim_thread *t, uint32_t flow, uint32_t n_marked, uint32_t n_cnps)
{
    if (t->sim->flows.marks) {
        t->sim->flows.marks[sim_sink_slot(t->sim, flow)].n_marked += n_marked;
        t->sim->flows.marks[sim_sink_slot(t->sim, flow)].n_cnps += n_cnps;
    }
}

void
nic_notify(struct sim_thread *t, struct sim_node *n, uint32_t flow, weir_ps now)
{
    count_marks(t, flow, 0, 1);
    answer(t, n, flow, SIM_CNP, sim_sink(t->sim, flow)->progress.expected, now);
}

/* A marked packet has arrived; the sender is notified at most once in a given time. */
static void
take_mark(struct sim_thread *t, struct sim_node *n, const struct sim_packet *p, weir_ps now)
{
    struct sim_sink *s = sim_sink(t->sim, p->flow);

    count_marks(t, p->flow, 1, 0);
    s->is_marked = s->is_reliable || s->is_notified;
    if (s->is_notified) {
        struct sim_notifier *notifier = sim_notifier(t->sim, p->flow);
        if (notifier->last_ps < 0 || now - notifier->last_ps >= notifier->least_ps) {
            weir_ps delay_ps = t->sim->model.cnp_delay_ps;
            notifier->last_ps = now;
            if (delay_ps) {
                nic_expect(t, n, NIC_NOTIFY, p->flow, now + delay_ps);
            } else {
                nic_notify(t, n, p->flow, now);
            }
        }
    }
}

/* Returns whether a reliable flow accepts the packet, and acknowledges it. */
static __attribute__((noinline)) bool
takes(struct sim_thread *t, struct sim_node *n, const struct sim_packet *p, weir_ps now)
{
    struct sim_sink *s = sim_sink(t->sim, p->flow);

    if (p->sequence > s->progress.expected && !s->progress.own) {
        sim_sink_take_memory(t->sim, p->flow);
    }
    if (s->is_connection) { /* The last packet of a message is acknowledged at once. */
        s->progress.n_packets = nic_end_of_message(t, p->flow, p->sequence);
    }
    unsigned replies = nic_recovery(t, p->flow)->took(&s->progress, p->sequence);
    if (s->is_connection) {
        s->progress.n_packets = s->n_received + 1;
    } else if (s->progress.expected == s->progress.n_packets) {
        sim_sink_give_back(t->sim, p->flow);
    }
    reply(t, n, p, replies, now);
    return replies & RC_TAKE;
}

/* Called when a flow has received its last packet, or a connection any packet. */
static __attribute__((noinline)) void
took_awaited(struct sim_thread *t, struct sim_node *n, const struct sim_packet *p, weir_ps now)
{
    if (sim_sink(t->sim, p->flow)->is_connection) {
        nic_take_part(t, n, p, now);
    } else {
        nic_start_followers(t, n, p->flow, now);
    }
}

/* Hot: once per data packet. */
static void
receive(struct sim_thread *t, struct sim_node *n, const struct sim_packet *p, weir_ps now)
{
    struct sim_sink *s = sim_sink(t->sim, p->flow);

    if (p->kind == SIM_PROBE) {
        sim_probe_arrived(t, p, now);
    }
    if (p->ecn == WEIR_CE) {
        take_mark(t, n, p, now);
    }
    if (s->only_counts && p->sequence == s->progress.expected) {
        if (rc_take_next(&s->progress) & RC_SEND_ACK) {
            acknowledge(t, n, p->flow, s, true, now);
        }
    } else if (!s->is_reliable) {
        t->n_out_of_order += p->sequence < s->progress.expected;
        s->progress.expected = p->sequence + 1;
    } else if (!takes(t, n, p, now)) {
        s->discarded_bytes += p->bytes;
        return;
    }
    s->first_ps = s->n_received ? s->first_ps : now;
    s->last_ps = now;
    s->received_bytes += p->bytes;
    s->n_received++;
    if (s->n_received == s->progress.n_packets) {
        took_awaited(t, n, p, now);
    }
}

void
nic_take(struct sim_thread *t, struct sim_node *n, const struct sim_packet *p, weir_ps now)
{
    t->n_delivered++;
    if (sim_is_data(p->kind)) {
        receive(t, n, p, now);
    } else {
        nic_take_answer(t, n, p, now);
    }
}

/* Drains a packet at once, but calls engines that request its arrival and departure. The packet
 * never waits, so the queue stays empty for engines, and a host that does not stall pauses no
 * peer. */
static __attribute__((noinline)) void
pass(struct sim_thread *t, struct sim_node *n, uint32_t port, const struct sim_packet *p,
     weir_ps now)
{
    uint8_t cls = p->cls;
    struct weir_pkt pkt = {
        .in_port = (uint16_t)port, .bytes = p->bytes, .cls = cls, .ecn = p->ecn, .flow = p->flow
    };

    weir_node_arrived(&n->weir, now, &pkt);
    sim_node_obey(t, n, now);
    weir_node_departed(&n->weir, now, &pkt);
    sim_node_obey(t, n, now);
}

void
nic_arrive(struct sim_thread *t, struct sim_node *n, const struct sim_mail *m)
{
    if (((struct nic *)n->own)->stalled >> m->packet.cls & 1) {
        nic_hold(t, n, m);
        return;
    }
    nic_take(t, n, &m->packet, m->at);
    if (!weir_node_ignores(&n->weir, m->packet.cls, m->packet.bytes)) {
        pass(t, n, m->port, &m->packet, m->at);
    }
}

/* Takes a packet that has no class here: at its destination it needs none. */
void
nic_arrive_unclassed(struct sim_thread *t, struct sim_node *n, const struct sim_mail *m)
{
    nic_take(t, n, &m->packet, m->at);
}
