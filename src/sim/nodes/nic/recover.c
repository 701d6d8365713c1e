/* What a sender hears from its receiver, and what it sends again: when that is, and which packets,
 * is its recovery's to say. */

#include "sim/nodes/nic/nic.h"

void
nic_expect_answer(struct sim_thread *t, struct sim_node *n, uint32_t flow, weir_ps at)
{
    nic_sender(t, flow)->retry_ps = at;
    sim_post(t, &(struct sim_mail){ .at = at, .node = n->id, .event = NIC_RETRY, .key = flow });
}

static void
note_again(struct sim_thread *t, struct sim_node *n, uint32_t flow, uint32_t first, weir_ps now)
{
    if (sim_wants_note(t, SIM_NOTE_AGAIN)) {
        sim_note(t, n,
                 &(struct sim_note){ .at_ps = now,
                                     .flow = flow,
                                     .value = first,
                                     .kind = SIM_NOTE_AGAIN,
                                     .cls = t->sim->plant.flows[flow].cls });
    }
}

static void
tell_lost(struct sim_thread *t, struct sim_node *n, uint32_t flow, const struct tp_loss *loss)
{
    const struct transport *transport = t->sim->plant.flows[flow].transport;

    if (transport->lost) {
        transport->lost(t->sim->pacers[flow].state, loss, &t->sim->pacers[flow].limits);
        nic_apply_limits(t, n, flow, loss->now);
    } else {
        nic_set_window(t, n, flow);
    }
}

/* A flow that had come to its packet 'from' goes back, or sends again some before that one. */
static void
went_back(struct sim_thread *t, uint32_t flow, uint32_t from)
{
    uint32_t *n_first = &t->sim->n_first[flow];

    *n_first = from > *n_first ? from : *n_first;
}

/* Some packets are to be sent again. */
static void
send_again(struct sim_thread *t, struct sim_node *n, uint32_t flow, const struct rc_news *news,
           const struct tp_loss *loss)
{
    if (nic_sender(t, flow)->is_controlled) {
        tell_lost(t, n, flow, loss);
    }
    note_again(t, n, flow, news->first, loss->now);
    nic_enter_ring(t, n, flow);
    sim_port_kick(t, n, 0, loss->now);
}

static void
expect_look(struct sim_thread *t, struct sim_node *n, uint32_t flow, weir_ps at)
{
    sim_post(t, &(struct sim_mail){ .at = at, .node = n->id, .event = NIC_LOOK, .key = flow });
}

static void
act_on_news(struct sim_thread *t, struct sim_node *n, uint32_t flow, const struct rc_news *news,
            uint32_t from, bool has_timed_out, weir_ps now)
{
    if (news->look_ps) {
        expect_look(t, n, flow, news->look_ps);
    }
    if (news->n_lost) {
        went_back(t, flow, from);
        t->n_timeouts += has_timed_out;
        send_again(t, n, flow, news,
                   &(struct tp_loss){
                       .now = now, .n_packets = news->n_lost, .has_timed_out = has_timed_out });
    }
}

void
nic_retry(struct sim_thread *t, struct sim_node *n, uint32_t flow, weir_ps now)
{
    struct sim_sender *f = nic_sender(t, flow);

    f->retry_ps = WEIR_NEVER;
    if (f->progress.n_acked == f->progress.sequence) {
        return;
    }
    if (now - f->heard_ps < t->sim->plant.retry_ps) {
        nic_expect_answer(t, n, flow, f->heard_ps + t->sim->plant.retry_ps);
        return;
    }
    f->heard_ps = now;
    nic_expect_answer(t, n, flow, now + t->sim->plant.retry_ps);
    uint32_t from = f->progress.sequence;
    struct rc_news news = nic_recovery(t, flow)->timed_out(&f->progress);
    act_on_news(t, n, flow, &news, from, true, now);
}

void
nic_look(struct sim_thread *t, struct sim_node *n, uint32_t flow, weir_ps now)
{
    struct rc_sender *progress = &nic_sender(t, flow)->progress;
    uint32_t from = progress->sequence;
    struct rc_news news = nic_recovery(t, flow)->looked(progress, now);

    act_on_news(t, n, flow, &news, from, false, now);
}

/* A flow may have nothing to send any more, or something again. */
static void
set_in_ring(struct sim_thread *t, struct sim_node *n, uint32_t flow, weir_ps now)
{
    bool has_more = nic_next_packet(t, flow) != RC_NONE;
    bool in_ring = nic_sender(t, flow)->in_ring;

    if (in_ring && !has_more) {
        nic_leave_ring(t, n, flow);
    } else if (!in_ring && has_more) {
        nic_enter_ring(t, n, flow);
        sim_port_kick(t, n, 0, now);
    }
}

/* How many bytes are new. */
static uint64_t
take_ack(struct sim_thread *t, struct sim_node *n, const struct sim_packet *p, weir_ps now)
{
    static const enum rc_answer answers[] = { [SIM_ACK] = RC_ACK,
                                              [SIM_ACK_MARKED] = RC_ACK,
                                              [SIM_NACK] = RC_NACK,
                                              [SIM_SACK] = RC_SACK,
                                              [SIM_SACK_MARKED] = RC_SACK };
    struct sim_sender *f = nic_sender(t, p->flow);
    uint32_t mtu = n->shape.mtu_bytes, from = f->progress.sequence;
    bool was_done = nic_is_done(f);
    struct rc_news news =
        nic_recovery(t, p->flow)->answered(&f->progress, answers[p->kind], p->sequence, now);

    if (news.n_arrived) {
        f->heard_ps = now;
    }
    if (!was_done && nic_is_done(f)) {
        nic_start_followers(t, n, p->flow, now);
    }
    act_on_news(t, n, p->flow, &news, from, false, now);
    set_in_ring(t, n, p->flow, now);
    return (uint64_t)news.n_arrived * mtu - (news.has_last ? mtu - f->progress.last_bytes : 0);
}

static bool
says_marked(const struct sim_packet *p)
{
    return p->kind == SIM_ACK_MARKED || p->kind == SIM_SACK_MARKED;
}

void
nic_take_answer(struct sim_thread *t, struct sim_node *n, const struct sim_packet *p, weir_ps now)
{
    const struct transport *transport = t->sim->plant.flows[p->flow].transport;
    struct sim_sender *f = nic_sender(t, p->flow);
    struct sim_pacer *pacer = &t->sim->pacers[p->flow];
    struct tp_ack ack = { .now = now, .is_marked = says_marked(p) };

    t->ack_received_bytes += p->bytes;
    if (p->kind == SIM_CNP) {
        transport->notified(pacer->state, now, &pacer->limits);
    } else {
        if (f->is_controlled && transport->acked) {
            ack.flying_bytes = nic_flying_bytes(t, p->flow, n->shape.mtu_bytes);
        }
        ack.bytes = take_ack(t, n, p, now);
    }
    if (ack.bytes && f->is_controlled && transport->acked) {
        if (pacer->track) {
            bool is_alone = p->kind == SIM_SACK || p->kind == SIM_SACK_MARKED;
            nic_track_answered(t, p->flow, is_alone ? p->sequence : p->sequence - 1, &ack);
        }
        transport->acked(pacer->state, &ack, &pacer->limits);
    }
    if (f->is_controlled && !nic_is_done(f)) {
        nic_apply_limits(t, n, p->flow, now);
    }
}
