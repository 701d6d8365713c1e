/* Go-back-N, as in RDMA NICs.
 *
 * The receiver accepts packets only in order.  It reports the number of packets received (ACK)
 * every few packets and at the last.  When a later packet arrives, it reports the missing packet
 * once (NACK).  The sender then goes back to that packet and retransmits all packets from there.
 * It also goes back to the first unacknowledged packet when no new ACK or NACK has arrived for a
 * while. */

#include "transport/recovery.h"

static struct rc_news
go_back(struct rc_sender *s)
{
    struct rc_news news = { .n_lost = s->sequence - s->n_acked, .first = s->n_acked };

    s->sequence = s->n_acked;
    return news;
}

static struct rc_news
answered(struct rc_sender *s, enum rc_answer answer, uint32_t sequence, weir_ps now)
{
    uint32_t n_new = sequence > s->n_acked ? sequence - s->n_acked : 0;
    struct rc_news news = { 0 };

    (void)now;
    s->n_acked += n_new;
    if (s->sequence < s->n_acked) { /* The sender went back too far, because the ACK was late. */
        s->sequence = s->n_acked;
    }
    if (answer == RC_NACK && sequence == s->n_acked && s->sequence > s->n_acked) {
        news = go_back(s);
    }
    news.n_arrived = n_new;
    news.cause = sequence - 1;
    news.has_last = n_new && sequence == s->n_packets;
    return news;
}

static unsigned
took(struct rc_receiver *r, uint32_t sequence)
{
    if (sequence > r->expected) {
        bool is_first = !r->has_complained;
        r->has_complained = true;
        return is_first ? RC_SEND_NACK : 0;
    }
    if (sequence < r->expected) {
        return RC_SEND_ACK;
    }
    return rc_take_next(r);
}

static const struct weir_field no_fields[] = { { 0 } };

const struct recovery rc_go_back_n = {
    .about = { .name = "go-back-n",
               .title = "The receiver takes packets in order only; the sender goes back to the "
                        "first missing one",
               .source = "InfiniBand, 9.7; RoCEv2 NICs",
               .params = no_fields },
    .is_reliable = true,
    .needs_order = true,
    .only_counts = true,
    .answered = answered,
    .timed_out = go_back,
    .took = took,
};
