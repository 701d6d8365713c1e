/* Common parts of the engines of Gentle Flow Control: derives and checks thresholds. */

#include "gfc.h"

#include "by-port.h"

uint64_t
weir_gfc_rate_bps(uint64_t line_bps, uint64_t left_bytes, uint64_t span_bytes, uint64_t min_bps)
{
    if (left_bytes >= span_bytes) {
        return WEIR_UNLIMITED;
    }
    uint64_t rate = weir_mul_div(line_bps, left_bytes, span_bytes);
    return rate > min_bps ? rate : min_bps;
}

void
weir_gfc_derive(const struct weir_shape *shape, uint64_t *bm_bytes, uint64_t *threshold_bytes,
                uint64_t room_bytes)
{
    uint64_t slack = (uint64_t)GFC_SLACK_MTU * shape->mtu_bytes;

    if (*bm_bytes == WEIR_AUTO) {
        uint64_t room = weir_shape_room_bytes(shape);
        *bm_bytes = room > slack ? room - slack : WEIR_AUTO;
    }
    if (*threshold_bytes == WEIR_AUTO && *bm_bytes != WEIR_AUTO && *bm_bytes > room_bytes) {
        *threshold_bytes = *bm_bytes - room_bytes;
    }
}

bool
weir_gfc_check(const struct weir_shape *shape, uint64_t bm_bytes, const char *threshold_name,
               uint64_t threshold_bytes, uint64_t room_bytes, const char *theorem,
               struct weir_text *text)
{
    uint64_t room = weir_shape_room_bytes(shape);
    uint64_t slack = (uint64_t)GFC_SLACK_MTU * shape->mtu_bytes;
    uint64_t above = bm_bytes - threshold_bytes;

    if (threshold_bytes >= bm_bytes) {
        return weir_refuse(text, "%P is %B; it must be below bm, which is %B", threshold_name,
                           threshold_bytes, bm_bytes);
    }
    if (bm_bytes < shape->mtu_bytes) {
        return weir_refuse(text, "%P is %B; it must be at least one packet, %B", "bm", bm_bytes,
                           (uint64_t)shape->mtu_bytes);
    }
    if (above < room_bytes) {
        weir_text_add(text, "%s%s is %B below bm, %B less than the %B of %s: packets may be lost",
                      text->len ? "; " : "", threshold_name, above, room_bytes - above, room_bytes,
                      theorem);
    }
    if (bm_bytes + slack > room) {
        weir_text_add(text,
                      "%sbm is %B and packets may exceed it by %B, but the buffer of a class at a "
                      "port is only %B: packets may be lost",
                      text->len ? "; " : "", bm_bytes, slack, room);
    }
    weir_warn_of_unused(shape, "bm", bm_bytes, bm_bytes + slack, text);
    return true;
}

weir_ps
weir_gfc_spacing_ps(const struct weir_shape *shape, uint16_t port)
{
    uint64_t wire = WEIR_GFC_SPACING * (WEIR_CONTROL_BYTES + (uint64_t)shape->gap_bytes);

    return weir_wire_ps(wire, shape->ports[port].rate_bps);
}

void
weir_gfc_pace_start(struct weir_gfc_pace *pace, weir_ps spacing_ps)
{
    *pace = (struct weir_gfc_pace){ .free_ps = WEIR_LONG_AGO, .spacing_ps = spacing_ps };
}

void
weir_gfc_pace_restart(struct weir_gfc_pace *pace, struct weir_ctx *ctx, uint32_t key)
{
    if (pace->waiting) {
        weir_set_timer(ctx, key, WEIR_NEVER);
    }
    weir_gfc_pace_start(pace, pace->spacing_ps);
}

void
weir_gfc_link(struct weir_ctx *ctx, uint16_t port, bool up)
{
    struct weir_link link = weir_shape_link(ctx->shape, port);
    weir_ps end = weir_after(ctx->now, weir_first_word_ps(&link));

    WEIR_EACH_LOSSLESS(ctx->shape, cls)
    {
        weir_hold_rate(ctx, weir_slot(ctx, port, cls), up ? end : ctx->now);
    }
}
