/* Common parts of credit-based engines: counting in blocks, advertising, rounding. */

#include "credit.h"

#include "by-port.h"

enum { MIN_BITS = 12, MAX_BITS = 32 };

const struct weir_field weir_credit_counters[] = {
    WEIR_FIELD(struct weir_credit, n_sent, "sent", WEIR_COUNT, .help = "Messages sent to peers."),
    WEIR_FIELD(struct weir_credit, n_heard, "heard", WEIR_COUNT,
               .help = "Messages of peers that were obeyed."),
    WEIR_FIELD(struct weir_credit, lost_blocks, "lost_blocks", WEIR_COUNT,
               .help = "Blocks that peers sent and that never arrived."),
    WEIR_FIELD(struct weir_credit, n_bad_frames, "bad_frames", WEIR_COUNT,
               .help = "Invalid frames that were ignored."),
    { 0 },
};

static uint64_t
wrap(const struct weir_credit_params *p, uint64_t blocks)
{
    return blocks & (((uint64_t)1 << p->credit_bits) - 1);
}

/* The maximum credit that 'bits' can advertise. */
static uint64_t
most_blocks(uint64_t bits)
{
    return ((uint64_t)1 << (bits - 1)) - 1;
}

uint64_t
weir_credit_blocks(const struct weir_credit_params *p, uint64_t bytes)
{
    return (bytes + p->block_bytes - 1) / p->block_bytes;
}

uint64_t
weir_credit_ahead(const struct weir_credit_params *p, uint64_t a, uint64_t b)
{
    uint64_t ahead = wrap(p, b - a);
    return ahead <= most_blocks(p->credit_bits) ? ahead : 0;
}

/* The smallest width of a register that can advertise the window, but at least the width of
 * InfiniBand. */
static uint64_t
least_bits(uint64_t window_blocks)
{
    uint64_t bits = MIN_BITS;
    while (bits < MAX_BITS && window_blocks > most_blocks(bits)) {
        bits++;
    }
    return bits;
}

static weir_ps
period_at(const struct weir_credit_params *p, const struct weir_port *port)
{
    return p->period_ps == WEIR_AUTO ? weir_credit_period_ps(port->rate_bps)
                                     : (weir_ps)p->period_ps;
}

void
weir_credit_derive(const struct weir_shape *shape, struct weir_credit_params *p)
{
    p->period_ps = (uint64_t)period_at(p, weir_first_port(shape));
}

weir_ps
weir_credit_period(const void *params)
{
    return (weir_ps)((const struct weir_credit_params *)params)->period_ps;
}

bool
weir_credit_check(const struct weir_credit_params *p, uint64_t window_blocks,
                  const char *window_name, struct weir_text *why)
{
    uint64_t most = most_blocks(p->credit_bits), bits = least_bits(window_blocks);

    if (p->block_bytes & (p->block_bytes - 1)) {
        return weir_refuse(why, "%P is %B; it must be a power of two", "block", p->block_bytes);
    }
    if (window_blocks <= most) {
        return true;
    }
    weir_text_add(why,
                  "%P is %u blocks of %B, but credit registers of %u bits can advertise only %u: "
                  "set it to at most %B",
                  window_name, window_blocks, p->block_bytes, p->credit_bits, most,
                  most * p->block_bytes);
    if (window_blocks <= most_blocks(bits)) {
        weir_text_add(why, ", or credit_bits to %u", bits);
    }
    return false;
}

struct weir_needs
weir_credit_needs(const struct weir_shape *shape, size_t own_bytes)
{
    uint32_t n_slots = weir_n_slots(shape);
    return (struct weir_needs){
        .state_bytes =
            sizeof(struct weir_credit) + n_slots * sizeof(struct weir_credit_slot) + own_bytes,
        .n_timers = shape->n_ports,
        .max_emits = n_slots + shape->n_ports,
        .frame_id = WEIR_FRAME_ID(WEIR_ETHERTYPE_EXPERIMENTAL, WEIR_SUBTYPE_CREDIT),
    };
}

void
weir_credit_set_window(struct weir_credit *c, const struct weir_ctx *ctx, uint16_t port,
                       uint64_t window_bytes)
{
    for (uint8_t cls = 0; cls < ctx->shape->n_classes; cls++) {
        c->slots[weir_slot(ctx, port, cls)].window_blocks = window_bytes / c->p.block_bytes;
    }
}

/* Hot: once per packet.  A copy that the node has made takes buffer, but the peer has not spent
 * credit on it. */
void
weir_credit_arrived(void *state, struct weir_ctx *ctx, struct weir_pkt *pkt)
{
    struct weir_credit *c = state;
    struct weir_credit_slot *slot = &c->slots[weir_slot(ctx, pkt->in_port, pkt->cls)];
    uint64_t blocks = weir_credit_blocks(&c->p, pkt->bytes);

    slot->received += ctx->is_copy ? 0 : blocks;
    slot->held += blocks;
}

void
weir_credit_forwarded(void *state, struct weir_ctx *ctx, struct weir_pkt *pkt)
{
    struct weir_credit *c = state;
    struct weir_credit_slot *slot = &c->slots[weir_slot(ctx, pkt->in_port, pkt->cls)];
    uint64_t blocks = weir_credit_blocks(&c->p, pkt->bytes);

    slot->held -= blocks < slot->held ? blocks : slot->held;
}

/* Hot: once per packet. */
void
weir_credit_departed(void *state, struct weir_ctx *ctx, struct weir_pkt *pkt)
{
    if (!weir_has_stages(ctx->shape)) {
        weir_credit_forwarded(state, ctx, pkt);
    }
}

static void
promise(struct weir_credit *c, struct weir_ctx *ctx, uint16_t port, uint8_t cls)
{
    uint32_t slot = weir_slot(ctx, port, cls);
    uint64_t held = c->slots[slot].held, window = c->slots[slot].window_blocks;
    uint64_t free_blocks = held < window ? window - held : 0;
    struct weir_credit_frame message = {
        .cls = cls,
        .fctbs = (uint32_t)wrap(&c->p, ctx->gates[slot].sent_bytes / c->p.block_bytes),
        .fccl = (uint32_t)wrap(&c->p, c->slots[slot].received + free_blocks),
        .free_blocks = (uint32_t)free_blocks,
    };

    weir_credit_frame_encode(&message, weir_send(ctx, port));
    c->n_sent++;
}

void
weir_credit_timer(void *state, struct weir_ctx *ctx, uint32_t port)
{
    struct weir_credit *c = state;

    WEIR_EACH_LOSSLESS(ctx->shape, cls)
    {
        promise(c, ctx, (uint16_t)port, cls);
    }
    weir_set_timer(ctx, port, weir_after(ctx->now, period_at(&c->p, &ctx->shape->ports[port])));
}

bool
weir_credit_hear(struct weir_credit *c, struct weir_ctx *ctx, uint16_t port,
                 const struct weir_frame *f, struct weir_credit_frame *message)
{
    if (!weir_credit_frame_decode(f, message) || !weir_is_lossless(ctx->shape, message->cls) ||
        wrap(&c->p, message->fctbs) != message->fctbs ||
        wrap(&c->p, message->fccl) != message->fccl ||
        message->free_blocks > most_blocks(c->p.credit_bits)) {
        c->n_bad_frames++;
        return false;
    }
    struct weir_credit_slot *slot = &c->slots[weir_slot(ctx, port, message->cls)];
    uint64_t lost = weir_credit_ahead(&c->p, slot->received, message->fctbs);
    if (c->keeps_to_windows && lost > slot->window_blocks) {
        c->n_bad_frames++;
        return false;
    }
    slot->received += lost;
    c->lost_blocks += lost;
    c->n_heard++;
    return true;
}

void
weir_credit_link(struct weir_credit *c, struct weir_ctx *ctx, uint16_t port, bool up,
                 uint64_t limit_bytes)
{
    WEIR_EACH_LOSSLESS(ctx->shape, cls)
    {
        uint32_t slot = weir_slot(ctx, port, cls);
        c->slots[slot].received = 0;
        weir_restart_credit(ctx, slot, (uint32_t)c->p.block_bytes, limit_bytes);
    }
    weir_set_timer(ctx, port, up ? ctx->now : WEIR_NEVER);
}
