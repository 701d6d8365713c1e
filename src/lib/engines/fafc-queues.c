/* Counts bytes, predicts queues and accounts for deferred bytes: Algorithm 1 of FAFC, and the
 * accounting of Algorithm 2. */

#include "engines/fafc-queues.h"

/* These functions set up the state. */

static size_t
n_pairs(const struct weir_shape *shape)
{
    return (size_t)shape->n_ports * shape->n_ports * weir_n_lossless(shape);
}

static size_t
bits_bytes(const struct weir_shape *shape)
{
    size_t n_sets = 2 * weir_n_slots(shape) + 1 + shape->n_classes;
    return n_sets * weir_words_for(shape->n_ports) * sizeof(uint64_t);
}

size_t
weir_fafc_queues_bytes(const struct weir_shape *shape)
{
    return sizeof(struct fafc_queues) + bits_bytes(shape) +
           weir_n_slots(shape) * (sizeof(struct fafc_output) + sizeof(struct fafc_input)) +
           (n_pairs(shape) + 1) * sizeof(struct fafc_pair) + n_pairs(shape) * sizeof(uint32_t);
}

/* MOST_PERIODS: T_i counts as at most this multiple of T, so that products fit into 64 bits. */
enum { MOST_PERIODS = 1 << 14 };

void
weir_fafc_set_period(struct fafc_queues *s, uint32_t in_slot, weir_ps period_ps)
{
    struct fafc_input *i = fafc_input(s, in_slot);
    weir_ps most_ps = MOST_PERIODS * s->period_ps;

    i->period_ps = period_ps < most_ps ? period_ps : most_ps;
    i->scale = (int64_t)weir_mul_div((uint64_t)i->period_ps, WEIR_RATIO_1, (uint64_t)s->period_ps);
}

void
weir_fafc_queues_init(struct fafc_queues *s, const struct weir_shape *shape)
{
    s->n_slots = weir_n_slots(shape);
    s->n_ports = shape->n_ports;
    s->n_words = (uint16_t)weir_words_for(shape->n_ports);
    s->n_classes = shape->n_classes;
    s->costs_at = UINT64_MAX;
    s->inputs_at = s->n_slots * sizeof(struct fafc_output);
    s->bits_at = s->inputs_at + s->n_slots * sizeof(struct fafc_input);
    s->pairs_at = s->bits_at + bits_bytes(shape);
    s->places_at = s->pairs_at + (n_pairs(shape) + 1) * sizeof(struct fafc_pair);
    for (uint8_t cls = 0; cls < shape->n_classes; cls++) {
        s->rank[cls] = s->n_lossless;
        s->n_lossless = (uint8_t)(s->n_lossless + weir_is_lossless(shape, cls));
    }
    for (uint32_t slot = 0; slot < s->n_slots; slot++) {
        fafc_output(s, slot)->paused_ps = WEIR_LONG_AGO;
        fafc_input(s, slot)->slot_end_ps = WEIR_NEVER;
        fafc_input(s, slot)->until_ps = WEIR_LONG_AGO;
        weir_fafc_set_period(s, slot, s->period_ps);
    }
}

static uint32_t
slot_of(const struct fafc_queues *s, uint32_t port, uint32_t cls)
{
    return port * s->n_classes + cls;
}

/* These functions count bytes. */

void
weir_fafc_activate(struct fafc_queues *s, const struct weir_pkt *pkt)
{
    uint32_t in_slot = slot_of(s, pkt->in_port, pkt->cls);
    uint32_t out_slot = slot_of(s, pkt->out_port, pkt->cls);

    weir_set_bit(fafc_inputs_of(s, out_slot), pkt->in_port);
    weir_set_bit(fafc_outputs_of(s, in_slot), pkt->out_port);
    weir_set_bit(fafc_busy(s, pkt->cls), pkt->out_port);
    fafc_places(s, pkt->out_port, pkt->cls)[pkt->in_port] = ++s->n_active;
    fafc_pairs(s)[s->n_active] = (struct fafc_pair){ .in_slot = in_slot, .out_slot = out_slot };
}

/* These functions predict queues, once per period. */

/* Rounds towards 0, so that a value without additions finally becomes 0. */
static int64_t
mixed(int64_t weight, int64_t fresh, int64_t old)
{
    return (old * (int64_t)WEIR_RATIO_1 + weight * (fresh - old)) / (int64_t)WEIR_RATIO_1;
}

static void
update_pair(struct fafc_pair *p, int64_t alpha, int64_t beta, bool is_held)
{
    int64_t in = (int64_t)p->in_bytes << FAFC_RATE_PLACES;
    int64_t out = (int64_t)p->out_bytes << FAFC_RATE_PLACES;
    int32_t in_rate = (int32_t)mixed(beta, in, p->in_rate);

    p->queue = mixed(alpha, fafc_with_places(p->bytes), p->queue + p->growth);
    p->growth = (int32_t)mixed(beta, in - out, p->growth);
    p->in_rate = is_held && in_rate < p->in_rate ? p->in_rate : in_rate;
    p->out_rate = (int32_t)mixed(beta, out, p->out_rate);
    p->in_bytes = p->out_bytes = 0;
}

static bool
is_small(int64_t value)
{
    return value < FAFC_RATE_LEAST && value > -FAFC_RATE_LEAST;
}

static bool
has_died_away(const struct fafc_pair *p)
{
    return !p->bytes && !p->off && is_small(p->queue) && is_small(p->growth) &&
           is_small(p->in_rate) && is_small(p->out_rate);
}

/* Adds the change of a pair to the sums. */
static void
add_change(struct fafc_output *o, struct fafc_input *i, const struct fafc_pair *was,
           const struct fafc_pair *p)
{
    o->queue += p->queue - was->queue;
    o->growth += fafc_in_period(i, p->growth) - fafc_in_period(i, was->growth);
    i->queue += p->queue - was->queue;
    i->in_rate += p->in_rate - was->in_rate;
}

static uint32_t *
place_of(const struct fafc_queues *s, const struct fafc_pair *p)
{
    uint32_t cls = p->in_slot % s->n_classes;
    return &fafc_places(s, p->out_slot / s->n_classes, cls)[p->in_slot / s->n_classes];
}

/* Makes a pair inactive; the last active pair moves to its position. */
static __attribute__((noinline)) void
deactivate(struct fafc_queues *s, struct fafc_pair *p)
{
    uint32_t in_port = p->in_slot / s->n_classes, out_port = p->out_slot / s->n_classes;
    uint64_t *inputs = fafc_inputs_of(s, p->out_slot);

    weir_clear_bit(inputs, in_port);
    weir_clear_bit(fafc_outputs_of(s, p->in_slot), out_port);
    if (!weir_has_bits(inputs, s->n_words)) {
        weir_clear_bit(fafc_busy(s, p->out_slot % s->n_classes), out_port);
    }
    const struct fafc_pair *last = &fafc_pairs(s)[s->n_active--];
    *place_of(s, last) = *place_of(s, p);
    *place_of(s, p) = 0;
    *p = *last;
}

/* Whether a pause still lowers the rate of an input. This node sees the end of a pause one round
 * trip after the requested time. */
static bool
is_held_back(const struct fafc_queues *s, const struct fafc_input *i, weir_ps now)
{
    return s->holds_demand && weir_after(i->until_ps, 2 * i->period_ps) > now;
}

/* Hot: called for each active pair once per period.  Returns whether the pair is still active. */
static bool
update_active(struct fafc_queues *s, struct fafc_pair *p, int64_t alpha, int64_t beta, weir_ps now)
{
    struct fafc_pair was = *p;
    struct fafc_output *o = fafc_output(s, p->out_slot);
    struct fafc_input *i = fafc_input(s, p->in_slot);

    update_pair(p, alpha, beta, is_held_back(s, i, now));
    bool is_over = has_died_away(p);
    if (is_over) {
        p->queue = p->growth = p->in_rate = 0;
    }
    add_change(o, i, &was, p);
    if (is_over) {
        deactivate(s, p);
    }
    return !is_over;
}

void
weir_fafc_update(struct fafc_queues *s, weir_ps now)
{
    int64_t alpha = (int64_t)s->alpha, beta = (int64_t)s->beta;

    for (uint32_t place = 1; place <= s->n_active;) {
        place += update_active(s, &fafc_pairs(s)[place], alpha, beta, now);
    }
    s->n_updates++;
}

/* These functions compute costs. */

static void
sum_costs(struct fafc_queues *s)
{
    const struct fafc_pair *pairs = fafc_pairs(s);

    for (uint32_t k = 1; k <= s->n_active; k++) {
        fafc_input(s, pairs[k].in_slot)->cost = 0;
    }
    for (uint32_t k = 1; k <= s->n_active; k++) {
        const struct fafc_output *o = fafc_output(s, pairs[k].out_slot);
        int64_t queue = s->is_calm_by_output ? o->queue : pairs[k].queue;
        bool is_calm = queue <= fafc_with_places(o->calm_bytes);
        int64_t rate = fafc_counted(pairs[k].out_rate);
        fafc_input(s, pairs[k].in_slot)->cost += is_calm ? rate : 0;
    }
}

int64_t
weir_fafc_cost(struct fafc_queues *s, uint32_t in_slot)
{
    if (s->costs_at != s->n_updates) {
        sum_costs(s);
        s->costs_at = s->n_updates;
    }
    return fafc_input(s, in_slot)->cost;
}

/* These functions account for pauses. */

/* The part of 'bytes' of an input that belongs to a pair, by its share in the input's queue;
 * predictions may be below 0. */
static int64_t
share_of(int64_t bytes, const struct fafc_pair *p, const struct fafc_input *i)
{
    if (p->queue <= 0) {
        return 0;
    }
    if (p->queue >= i->queue) {
        return bytes;
    }
    int64_t share = (int64_t)weir_mul_div((uint64_t)(bytes < 0 ? -bytes : bytes),
                                          (uint64_t)p->queue, (uint64_t)i->queue);
    return bytes < 0 ? -share : share;
}

static void
share_out(struct fafc_queues *s, uint32_t in_slot)
{
    const struct fafc_input *i = fafc_input(s, in_slot);
    uint32_t cls = in_slot % s->n_classes, in_port = in_slot / s->n_classes;

    WEIR_EACH_BIT(fafc_outputs_of(s, in_slot), s->n_words, out_port)
    {
        struct fafc_pair *p = &fafc_pairs(s)[fafc_places(s, out_port, cls)[in_port]];
        int64_t off = share_of(i->old - i->next, p, i);
        fafc_output(s, slot_of(s, out_port, cls))->off += off - p->off;
        p->off = off;
    }
}

static int64_t
lesser(int64_t a, int64_t b)
{
    return a < b ? a : b;
}

/* The bytes that arrive at an input in a part of the period. */
static int64_t
brought(const struct fafc_queues *s, const struct fafc_input *i, weir_ps ps)
{
    uint64_t share = (uint64_t)ps * WEIR_RATIO_1 / (uint64_t)s->period_ps;
    return i->in_rate * (int64_t)share / (int64_t)WEIR_RATIO_1;
}

/* The bytes of the pause that fit into the slot: not longer than the slot, and not more than arrive
 * in a period. */
static int64_t
room_in_slot(const struct fafc_queues *s, const struct fafc_input *i, weir_ps now)
{
    weir_ps left_ps = i->slot_end_ps > now ? i->slot_end_ps - now : 0;
    int64_t room = lesser(brought(s, i, left_ps), fafc_in_period(i, i->in_rate) - i->next);
    return room < 0 ? 0 : room;
}

void
weir_fafc_defer(struct fafc_queues *s, uint32_t in_slot, weir_ps now, weir_ps ps)
{
    struct fafc_input *i = fafc_input(s, in_slot);
    int64_t bytes = brought(s, i, ps), fits = bytes;

    if (i->slot_end_ps == WEIR_NEVER) {
        i->slot_end_ps = weir_after(now, i->period_ps);
    } else {
        fits = lesser(room_in_slot(s, i, now), bytes);
    }
    i->next += fits;
    i->pending += bytes - fits;
    i->until_ps = weir_after(i->until_ps > now ? i->until_ps : now, ps);
    share_out(s, in_slot);
}

void
weir_fafc_end_slot(struct fafc_queues *s, uint32_t in_slot, weir_ps now)
{
    struct fafc_input *i = fafc_input(s, in_slot);

    i->old = i->next;
    i->next = i->pending;
    i->pending = 0;
    i->slot_end_ps = i->old || i->next ? weir_after(now, i->period_ps) : WEIR_NEVER;
    share_out(s, in_slot);
}

void
weir_fafc_forget_pauses(struct fafc_queues *s, uint32_t in_slot)
{
    struct fafc_input *i = fafc_input(s, in_slot);

    i->old = i->next = i->pending = 0;
    i->slot_end_ps = WEIR_NEVER;
    i->until_ps = WEIR_LONG_AGO;
    share_out(s, in_slot);
}

void
weir_fafc_queues_rebase(struct fafc_queues *s, weir_ps by_ps)
{
    for (uint32_t slot = 0; slot < s->n_slots; slot++) {
        struct fafc_output *o = fafc_output(s, slot);
        struct fafc_input *i = fafc_input(s, slot);
        o->paused_ps = weir_rebased(o->paused_ps, by_ps);
        i->slot_end_ps = weir_rebased(i->slot_end_ps, by_ps);
        i->until_ps = weir_rebased(i->until_ps, by_ps);
    }
}
