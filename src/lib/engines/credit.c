/* Common parts of credit-based engines: counting in blocks, advertising, rounding. */

#include "credit.h"

enum { MIN_BITS = 12, MAX_BITS = 32 };

static uint64_t
wrap(const struct weir_credit *c, uint64_t blocks)
{
    return blocks & (((uint64_t)1 << c->bits) - 1);
}

/* The maximum that 'bits' can advertise. */
static uint64_t
most_blocks(uint64_t bits)
{
    return ((uint64_t)1 << (bits - 1)) - 1;
}

uint64_t
weir_credit_blocks(const struct weir_credit *c, uint64_t bytes)
{
    return (bytes + c->block_bytes - 1) / c->block_bytes;
}

uint64_t
weir_credit_ahead(const struct weir_credit *c, uint64_t a, uint64_t b)
{
    uint64_t ahead = wrap(c, b - a);
    return ahead <= most_blocks(c->bits) ? ahead : 0;
}

/* The least width that can advertise the window, but at least InfiniBand's. */
static uint64_t
least_bits(uint64_t window_blocks)
{
    uint64_t bits = MIN_BITS;
    while (bits < MAX_BITS && window_blocks > most_blocks(bits)) {
        bits++;
    }
    return bits;
}

void
weir_credit_derive_period(const struct weir_shape *shape, uint64_t *period_ps)
{
    uint16_t port = weir_port_from(shape, 0);

    *period_ps = (uint64_t)weir_credit_period_at(*period_ps, shape, port);
}

weir_ps
weir_credit_period_at(uint64_t period_ps, const struct weir_shape *shape, uint16_t port)
{
    return period_ps == WEIR_AUTO ? weir_credit_period_ps(shape->ports[port].rate_bps)
                                  : (weir_ps)period_ps;
}

bool
weir_credit_check(const struct weir_credit *c, uint64_t window_blocks, const char *window_name,
                  struct weir_text *why)
{
    uint64_t most = most_blocks(c->bits), bits = least_bits(window_blocks);

    if (c->block_bytes & (c->block_bytes - 1)) {
        weir_text_add(why, "%P is %B; it must be a power of two", "block", c->block_bytes);
        return false;
    }
    if (window_blocks <= most) {
        return true;
    }
    weir_text_add(why,
                  "%P is %u blocks of %B, but credit registers of %u bits can advertise only %u: "
                  "set it to at most %B",
                  window_name, window_blocks, c->block_bytes, c->bits, most, most * c->block_bytes);
    if (window_blocks <= most_blocks(bits)) {
        weir_text_add(why, ", or credit_bits to %u", bits);
    }
    return false;
}

struct weir_needs
weir_credit_needs(const struct weir_shape *shape, size_t state_bytes)
{
    uint32_t n_slots = weir_n_slots(shape);
    return (struct weir_needs){
        .state_bytes = state_bytes + n_slots * sizeof(struct weir_credit_slot),
        .n_timers = shape->n_ports,
        .max_emits = n_slots + shape->n_ports,
        .frame_id = WEIR_FRAME_ID(WEIR_ETHERTYPE_EXPERIMENTAL, WEIR_SUBTYPE_CREDIT),
    };
}

void
weir_credit_set_window(struct weir_credit_slot *slots, const struct weir_ctx *ctx, uint16_t port,
                       uint64_t window_blocks)
{
    for (uint8_t cls = 0; cls < ctx->shape->n_classes; cls++) {
        slots[weir_slot(ctx, port, cls)].window_blocks = window_blocks;
    }
}

void
weir_credit_arrived(const struct weir_credit *c, struct weir_credit_slot *slot, uint32_t bytes,
                    bool is_copy)
{
    uint64_t blocks = weir_credit_blocks(c, bytes);
    slot->received += is_copy ? 0 : blocks;
    slot->held += blocks;
}

void
weir_credit_departed(const struct weir_credit *c, struct weir_credit_slot *slot, uint32_t bytes)
{
    uint64_t blocks = weir_credit_blocks(c, bytes);
    slot->held -= blocks < slot->held ? blocks : slot->held;
}

void
weir_credit_promise(struct weir_credit *c, const struct weir_credit_slot *slots,
                    struct weir_ctx *ctx, uint16_t port)
{
    for (uint8_t cls = 0; cls < ctx->shape->n_classes; cls++) {
        if (!weir_is_lossless(ctx->shape, cls)) {
            continue;
        }
        uint32_t slot = weir_slot(ctx, port, cls);
        uint64_t held = slots[slot].held, window = slots[slot].window_blocks;
        uint64_t free_blocks = held < window ? window - held : 0;
        struct weir_credit_frame message = {
            .cls = cls,
            .fctbs = (uint32_t)wrap(c, ctx->gates[slot].sent_bytes / c->block_bytes),
            .fccl = (uint32_t)wrap(c, slots[slot].received + free_blocks),
            .free_blocks = (uint32_t)free_blocks,
        };
        weir_credit_frame_encode(&message, weir_send(ctx, port));
        c->n_sent++;
    }
    weir_set_timer(ctx, port,
                   weir_after(ctx->now, weir_credit_period_at(c->period_ps, ctx->shape, port)));
}

bool
weir_credit_hear(struct weir_credit *c, struct weir_credit_slot *slots, struct weir_ctx *ctx,
                 uint16_t port, const struct weir_frame *f, struct weir_credit_frame *message)
{
    if (!weir_credit_frame_decode(f, message) || !weir_is_lossless(ctx->shape, message->cls) ||
        wrap(c, message->fctbs) != message->fctbs || wrap(c, message->fccl) != message->fccl ||
        message->free_blocks > most_blocks(c->bits)) {
        c->n_bad_frames++;
        return false;
    }
    struct weir_credit_slot *slot = &slots[weir_slot(ctx, port, message->cls)];
    uint64_t lost = weir_credit_ahead(c, slot->received, message->fctbs);
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
weir_credit_link(struct weir_credit *c, struct weir_credit_slot *slots, struct weir_ctx *ctx,
                 uint16_t port, bool up, uint64_t limit_bytes)
{
    for (uint8_t cls = 0; cls < ctx->shape->n_classes; cls++) {
        if (weir_is_lossless(ctx->shape, cls)) {
            uint32_t slot = weir_slot(ctx, port, cls);
            slots[slot].received = 0;
            weir_restart_credit(ctx, slot, (uint32_t)c->block_bytes, limit_bytes);
        }
    }
    weir_set_timer(ctx, port, up ? ctx->now : WEIR_NEVER);
}
