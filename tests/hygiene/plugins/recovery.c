/* A recovery for check-plugins: it keeps few packets in flight, and goes back when no ACK arrives.
 */

#include "transport/recovery.h"

struct params {
    uint64_t most;
};

static const struct weir_field fields[] = {
    WEIR_FIELD(struct params, most, "most", WEIR_COUNT, .fallback = 1, .min = 1, .max = 100,
               .help = "Packets of a flow that may be on their way.", .source = "-"),
    { 0 },
};

static void
size(const struct rc_env *env, const void *params, size_t *sender, size_t *receiver)
{
    (void)env, (void)params;
    *sender = *receiver = sizeof(struct params);
}

static void
start(const struct rc_env *env, const void *params, struct rc_sender *s, struct rc_receiver *r)
{
    (void)env, (void)r;
    if (s) {
        *(struct params *)s->own = *(const struct params *)params;
    }
}

static uint32_t
next(const struct rc_sender *s)
{
    uint64_t most = ((const struct params *)s->own)->most;
    return s->sequence < s->n_packets && s->sequence - s->n_acked < most ? s->sequence : RC_NONE;
}

static void
sent(struct rc_sender *s, uint32_t sequence)
{
    s->sequence = sequence + 1;
}

static uint32_t
flying(const struct rc_sender *s, bool *has_last)
{
    *has_last = s->sequence == s->n_packets;
    return s->sequence - s->n_acked;
}

static struct rc_news
answered(struct rc_sender *s, enum rc_answer answer, uint32_t sequence, weir_ps now)
{
    uint32_t n_new = sequence > s->n_acked ? sequence - s->n_acked : 0;

    (void)answer, (void)now;
    s->n_acked += n_new;
    s->sequence = s->sequence < s->n_acked ? s->n_acked : s->sequence;
    return (struct rc_news){ .n_arrived = n_new, .has_last = n_new && sequence == s->n_packets };
}

static struct rc_news
timed_out(struct rc_sender *s)
{
    uint32_t n_lost = s->sequence - s->n_acked;

    s->sequence = s->n_acked;
    return (struct rc_news){ .n_lost = n_lost, .first = s->n_acked };
}

static unsigned
took(struct rc_receiver *r, uint32_t sequence)
{
    if (sequence != r->expected) {
        return sequence < r->expected ? RC_SEND_ACK : 0;
    }
    r->expected++;
    return rc_take_expected(r);
}

const struct recovery rc_throwaway = {
    .about = { .name = "throwaway-recovery",
               .title = "Few packets are on their way, and it goes back when nothing is heard",
               .source = "-",
               .params = fields,
               .params_bytes = sizeof(struct params) },
    .is_reliable = true,
    .size = size,
    .start = start,
    .next = next,
    .sent = sent,
    .flying = flying,
    .answered = answered,
    .timed_out = timed_out,
    .took = took,
};
