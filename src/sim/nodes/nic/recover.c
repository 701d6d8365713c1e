/* Handles acknowledgements at a sender, and retransmissions. The recovery decides when to
 * retransmit which packets. */

#include "sim/nodes/nic/nic.h"
#include "sim/observers.h"

void
nic_expect_answer(struct sim_thread *t, struct sim_node *n, uint32_t flow, weir_ps at)
{
    nic_sender(t, flow)->awaits_retry = true;
    *sim_retry_ps(t->sim, flow) = at;
    nic_expect(t, n, NIC_RETRY, flow, at);
}

static void
notify_lost(struct sim_thread *t, struct sim_node *n, uint32_t flow, const struct tp_loss *loss)
{
    const struct transport *transport = t->sim->model.flows[flow].terms->transport;

    if (transport->lost) {
        transport->lost(sim_pacer(t->sim, flow)->state, loss, &sim_pacer(t->sim, flow)->limits);
        nic_apply_limits(t, n, flow, loss->now);
    } else {
        nic_set_window(t, n, flow, loss->now);
    }
}

/* Records that a flow that had sent up to packet 'from' goes back, or retransmits packets before
 * it. */
static void
went_back(struct sim_thread *t, uint32_t flow, uint32_t from)
{
    uint32_t *n_first = sim_n_first(t->sim, flow);

    *n_first = from > *n_first ? from : *n_first;
}

/* Called when packets must be retransmitted. */
static void
send_again(struct sim_thread *t, struct sim_node *n, uint32_t flow, const struct rc_news *news,
           const struct tp_loss *loss)
{
    if (nic_sender(t, flow)->is_controlled) {
        notify_lost(t, n, flow, loss);
    }
    sim_note(t, n,
             &(struct sim_note){ .at_ps = loss->now,
                                 .flow = flow,
                                 .value = news->first,
                                 .kind = SIM_NOTE_AGAIN,
                                 .cls = t->sim->model.flows[flow].cls });
    nic_enter_ring(t, n, flow, loss->now);
    nic_kick(t, n, flow, loss->now);
}

/* Acts on the conclusions of the recovery. 'loss' has the earlier state; this function adds the
 * lost packets. */
static void
act_on_news(struct sim_thread *t, struct sim_node *n, uint32_t flow, const struct rc_news *news,
            struct tp_loss *loss)
{
    if (nic_sender(t, flow)->is_connection) {
        nic_messages_answered(t, n, flow, loss->now);
    }
    if (news->look_ps) {
        nic_expect(t, n, NIC_LOOK, flow, news->look_ps);
    }
    if (news->n_lost) {
        went_back(t, flow, loss->n_sent);
        t->n_timeouts += loss->has_timed_out;
        loss->n_packets = news->n_lost;
        loss->n_acked = nic_sender(t, flow)->progress.n_acked;
        send_again(t, n, flow, news, loss);
    }
}

/* The state before the recovery is called. Bytes on their way are counted only for a control that
 * uses them. */
static struct tp_loss
before_news(const struct sim_thread *t, const struct sim_node *n, uint32_t flow, bool has_timed_out,
            weir_ps now)
{
    const struct sim_sender *f = nic_sender(t, flow);
    uint32_t mtu = n->shape.mtu_bytes;

    return (struct tp_loss){ .now = now,
                             .flying_bytes = f->is_controlled ? nic_flying_bytes(t, flow, mtu) : 0,
                             .n_sent = f->progress.sequence,
                             .has_timed_out = has_timed_out };
}

void
nic_retry(struct sim_thread *t, struct sim_node *n, uint32_t flow, weir_ps now)
{
    struct sim_sender *f = nic_sender(t, flow);

    if (!f->awaits_retry || *sim_retry_ps(t->sim, flow) != now) { /* A later mail of this timer has
                                                                   * been posted since. */
        return;
    }
    f->awaits_retry = false;
    if (f->progress.n_acked == f->progress.sequence) {
        return;
    }
    if (now - f->heard_ps >= nic_timeout_ps(t, flow)) {
        struct tp_loss loss = before_news(t, n, flow, true, now);
        struct rc_news news = nic_recovery(t, flow)->timed_out(&f->progress);
        f->heard_ps = now;
        act_on_news(t, n, flow, &news, &loss);
    }
    nic_expect_answer(t, n, flow, f->heard_ps + nic_timeout_ps(t, flow));
}

/* Called when an acknowledgement may have made the wait end before the mail of the timer
 * arrives. */
static void
shorten_wait(struct sim_thread *t, struct sim_node *n, uint32_t flow, weir_ps now)
{
    const struct sim_sender *f = nic_sender(t, flow);
    weir_ps at = f->heard_ps + nic_timeout_ps(t, flow);

    if (f->awaits_retry && at < *sim_retry_ps(t->sim, flow)) {
        nic_expect_answer(t, n, flow, at > now ? at : now);
    }
}

void
nic_check_answer(struct sim_thread *t, struct sim_node *n, uint32_t flow, weir_ps now)
{
    const struct sim_sender *f = nic_sender(t, flow);

    if (nic_is_done(f) && !f->is_connection) {
        return;
    }
    struct tp_loss loss = before_news(t, n, flow, false, now);
    struct rc_news news = nic_recovery(t, flow)->looked(&nic_sender(t, flow)->progress, now);

    act_on_news(t, n, flow, &news, &loss);
}

/* Updates the round-robin list: the flow may have nothing to send any more, or may have packets to
 * send now. */
static void
set_in_ring(struct sim_thread *t, struct sim_node *n, uint32_t flow, weir_ps now)
{
    bool has_more = nic_next_packet(t, flow) != RC_NONE;
    bool in_ring = nic_sender(t, flow)->in_ring;

    if (in_ring && !has_more) {
        nic_leave_ring(t, n, flow);
    } else if (!in_ring && has_more) {
        nic_enter_ring(t, n, flow, now);
        nic_kick(t, n, flow, now);
    }
}

/* Whether the timeout starts anew. If the control sets the timeout, it counts from the first
 * missing packet. */
static bool
is_heard(const struct sim_thread *t, uint32_t flow, const struct rc_news *news, uint32_t n_before)
{
    const struct sim_sender *f = nic_sender(t, flow);

    if (f->is_controlled && sim_pacer(t->sim, flow)->limits.timeout_ps) {
        return f->progress.n_acked > n_before;
    }
    return news->n_arrived;
}

/* Reads the track of the acknowledged packet. This must happen before a packet is sent, which may
 * need that entry of the track. */
static void
find_track(struct sim_thread *t, uint32_t flow, const struct rc_news *news, struct tp_ack *ack)
{
    bool is_tracked = nic_sender(t, flow)->is_controlled && sim_pacer(t->sim, flow)->track;

    if (is_tracked && news->n_arrived && news->cause != RC_NONE) {
        nic_track_answered(t, flow, news->cause, ack);
    }
}

/* Fills in the members of 'ack' that follow from the acknowledgement. */
static void
take_ack(struct sim_thread *t, struct sim_node *n, const struct sim_packet *p, struct tp_ack *ack)
{
    static const enum rc_answer answers[] = { [SIM_ACK] = RC_ACK,
                                              [SIM_ACK_MARKED] = RC_ACK,
                                              [SIM_NACK] = RC_NACK,
                                              [SIM_SACK] = RC_SACK,
                                              [SIM_SACK_MARKED] = RC_SACK };
    struct sim_sender *f = nic_sender(t, p->flow);
    uint32_t mtu = n->shape.mtu_bytes, n_before = f->progress.n_acked;
    uint64_t less =
        f->is_connection ? nic_messages_arrived_less(t, p->flow, answers[p->kind], p->sequence) : 0;
    bool was_done = nic_is_done(f);
    struct tp_loss loss = before_news(t, n, p->flow, false, ack->now);
    struct rc_news news =
        nic_recovery(t, p->flow)->answered(&f->progress, answers[p->kind], p->sequence, ack->now);

    if (is_heard(t, p->flow, &news, n_before)) {
        f->heard_ps = ack->now;
    }
    if (!was_done && nic_is_done(f)) {
        nic_start_followers(t, n, p->flow, ack->now);
    }
    find_track(t, p->flow, &news, ack);
    act_on_news(t, n, p->flow, &news, &loss);
    set_in_ring(t, n, p->flow, ack->now);
    ack->flying_bytes = loss.flying_bytes;
    ack->n_acked = f->progress.n_acked;
    ack->n_sent = f->progress.sequence;
    if (!f->is_connection && news.has_last) {
        less = mtu - f->progress.last_bytes;
    }
    ack->bytes = (uint64_t)news.n_arrived * mtu - less;
}

static bool
is_marked_by(const struct sim_packet *p)
{
    return p->kind == SIM_ACK_MARKED || p->kind == SIM_SACK_MARKED;
}

static void
notify_acked(struct sim_thread *t, struct sim_node *n, uint32_t flow, const struct tp_ack *ack)
{
    struct sim_pacer *pacer = sim_pacer(t->sim, flow);

    t->sim->model.flows[flow].terms->transport->acked(pacer->state, ack, &pacer->limits);
    if (pacer->limits.timeout_ps) {
        shorten_wait(t, n, flow, ack->now);
    }
}

/* Called when the last packet of a flow, or any packet of a connection, is acknowledged. */
static __attribute__((noinline)) void
take_end(struct sim_thread *t, struct sim_node *n, uint32_t flow, weir_ps now)
{
    if (nic_sender(t, flow)->is_connection) {
        nic_messages_answered(t, n, flow, now);
    } else {
        nic_start_followers(t, n, flow, now);
    }
}

/* Whether the acknowledgement changes only the number of arrived packets: there is no control to
 * call, and the flow's next packet stays the same.  Hot: once per ACK. */
static inline bool
takes_plain_ack(struct sim_thread *t, struct sim_node *n, const struct sim_packet *p, weir_ps now)
{
    struct sim_sender *f = nic_sender(t, p->flow);
    bool is_ack = p->kind == SIM_ACK || p->kind == SIM_ACK_MARKED;

    if (!f->is_plain || !is_ack || !rc_is_plain_ack(&f->progress, p->sequence)) {
        return false;
    }
    f->progress.n_acked = p->sequence;
    f->heard_ps = now;
    if (f->is_connection || p->sequence == f->progress.n_packets) {
        take_end(t, n, p->flow, now);
    }
    return true;
}

/* Whether a flow has sent packets, so that an acknowledgement may change its state.  The control of
 * a connection gets acknowledgements while nothing is left to send, too.  On a real wire, an
 * acknowledgement may arrive before the first packet was sent. */
static bool
is_answered(const struct sim_sender *f)
{
    return (!nic_is_done(f) || f->is_connection) && (f->is_plain || f->is_at_work);
}

static __attribute__((noinline)) void
take_other_answer(struct sim_thread *t, struct sim_node *n, const struct sim_packet *p, weir_ps now)
{
    const struct transport *transport = t->sim->model.flows[p->flow].terms->transport;
    struct sim_sender *f = nic_sender(t, p->flow);
    struct tp_ack ack = { .now = now, .is_marked = is_marked_by(p) };

    if (!is_answered(f)) { /* If the flow has ended, a probe on its way may still have kept the
                            * memory. */
        nic_end_work(t, p->flow, now);
        return;
    }
    if (p->kind == SIM_CNP) {
        struct sim_pacer *pacer = sim_pacer(t->sim, p->flow);
        transport->notified(pacer->state, now, &pacer->limits);
    } else {
        take_ack(t, n, p, &ack);
        if (ack.bytes && f->is_controlled && transport->acked) {
            notify_acked(t, n, p->flow, &ack);
        }
    }
    if (nic_is_done(f) && !f->is_connection) {
        nic_end_work(t, p->flow, now);
    } else if (f->is_controlled) {
        nic_apply_limits(t, n, p->flow, now);
    }
}

void
nic_take_answer(struct sim_thread *t, struct sim_node *n, const struct sim_packet *p, weir_ps now)
{
    t->ack_received_bytes += p->bytes;
    if (!takes_plain_ack(t, n, p, now)) {
        take_other_answer(t, n, p, now);
    }
}
