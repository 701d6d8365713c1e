/* Pauses by threshold, shared by PFC and the engines based on it. */

#include "pause.h"

#include "by-port.h"
#include "engines/bits.h"

enum { QUANTUM_BYTES = 64 };

const char *const weir_pause_threshold_names[] = { "static", "dynamic", 0 };
const char *const weir_pause_restart_names[] = { "safe", "open", 0 };

const struct weir_field weir_pause_counters[] = { PAUSE_COUNTERS, { 0 } };

/* When a pause that begins now ends. */
static weir_ps
pause_end(const struct weir_ctx *ctx, uint16_t port, uint64_t quanta)
{
    return weir_after(ctx->now, weir_pfc_pause_ps(ctx->shape->ports[port].rate_bps, quanta));
}

/* The pause covers every class in which the peer sends packets that arrive in the class of the
 * slot. */
static void
send_pause(struct weir_ctx *ctx, uint32_t slot, uint16_t quanta)
{
    uint16_t port = weir_slot_port(ctx, slot);
    uint8_t cls = weir_slot_class(ctx, slot);
    struct weir_class_frame pause = { .opcode = WEIR_OPCODE_PFC };

    for (uint8_t sent = 0; sent < ctx->shape->n_classes; sent++) {
        if (weir_class_here(ctx, port, sent) == cls) {
            pause.enable |= (uint8_t)(1u << sent);
            pause.values[sent] = quanta;
        }
    }
    weir_note_shut(ctx, slot, quanta > 0);
    weir_class_frame_encode(&pause, weir_send(ctx, port));
}

static struct weir_pause_levels *
levels_at(const struct weir_pause *s, uint16_t port)
{
    return (struct weir_pause_levels *)(uintptr_t)&s->full[s->n_words] + port;
}

static uint16_t *
n_asking(const struct weir_pause *s, uint32_t slot)
{
    return (uint16_t *)(void *)levels_at(s, s->n_ports) + slot;
}

static bool
is_shut(const struct weir_pause *s, uint32_t slot)
{
    return weir_has_bit(s->full, slot) || *n_asking(s, slot);
}

static size_t
asking_bytes(uint32_t n_slots)
{
    return (n_slots * sizeof(uint16_t) + 7) / 8 * 8;
}

/* With WEIR_PAUSE_BY_OTHERS_TOO: where the state has the earliest time at which the peer may be
 * resumed. */
static weir_ps *
least_end(const struct weir_pause *s, const struct weir_ctx *ctx, uint32_t slot)
{
    uintptr_t first = (uintptr_t)n_asking(s, 0) + asking_bytes(weir_n_slots(ctx->shape));
    return (weir_ps *)first + slot;
}

/* Whether the peer was paused so recently that it may not be resumed yet. */
static bool
stays_paused(const struct weir_pause *s, const struct weir_ctx *ctx, uint32_t slot)
{
    return s->cause == WEIR_PAUSE_BY_OTHERS_TOO && ctx->now < *least_end(s, ctx, slot);
}

/* Renews the pause after half its time, so early that a frame can wait and still arrive before the
 * pause expires. */
static void
expect_refresh(const struct weir_pause *s, struct weir_ctx *ctx, uint32_t slot)
{
    uint64_t rate = ctx->shape->ports[weir_slot_port(ctx, slot)].rate_bps;

    weir_set_timer(ctx, slot, weir_after(ctx->now, weir_pfc_pause_ps(rate, s->p.quanta) / 2));
}

/* Pauses the peer. */
static void
begin_pause(struct weir_pause *s, struct weir_ctx *ctx, uint32_t slot)
{
    if (s->cause == WEIR_PAUSE_BY_OTHERS_TOO) {
        struct weir_link link = weir_shape_link(ctx->shape, weir_slot_port(ctx, slot));
        *least_end(s, ctx, slot) = weir_after(ctx->now, weir_capfc_least_pause_ps(&link));
    }
    expect_refresh(s, ctx, slot);
}

/* A peer whose resume is still waiting needs no second pause. */
static void
shut(struct weir_pause *s, struct weir_ctx *ctx, uint32_t slot)
{
    if (stays_paused(s, ctx, slot)) {
        expect_refresh(s, ctx, slot);
        return;
    }
    s->n_pauses++;
    send_pause(ctx, slot, (uint16_t)s->p.quanta);
    begin_pause(s, ctx, slot);
}

static void
reopen(struct weir_pause *s, struct weir_ctx *ctx, uint32_t slot)
{
    if (stays_paused(s, ctx, slot)) {
        weir_set_timer(ctx, slot, *least_end(s, ctx, slot));
        return;
    }
    s->n_resumes++;
    send_pause(ctx, slot, 0);
    weir_set_timer(ctx, slot, WEIR_NEVER);
}

/* A full queue must be reported when it falls to XON, and any other queue when it reaches XOFF.  A
 * dynamic threshold is never below the reserve, and any packet that leaves may raise it. */
static void
set_trip(const struct weir_pause *s, struct weir_ctx *ctx, uint32_t slot)
{
    uint16_t port = weir_slot_port(ctx, slot);
    uint8_t cls = weir_slot_class(ctx, slot);
    uint64_t reserve = weir_shape_class(ctx->shape, port, cls)->reserve_bytes;
    bool is_static = s->p.threshold == WEIR_PAUSE_STATIC;
    bool can_fill = weir_is_lossless(ctx->shape, cls) && !weir_has_bit(s->full, slot);
    uint64_t from = is_static ? levels_at(s, port)->xoff_bytes : reserve;
    uint64_t under = weir_has_bit(s->full, slot) ? levels_at(s, port)->xon_bytes + 1 : 0;

    weir_set_trip(ctx, slot, can_fill ? from : UINT64_MAX,
                  is_static && !s->hears_departed ? under : UINT64_MAX);
}

static void
mark_full(struct weir_pause *s, struct weir_ctx *ctx, uint32_t slot)
{
    weir_set_bit(s->full, slot);
    set_trip(s, ctx, slot);
}

static void
mark_empty(struct weir_pause *s, struct weir_ctx *ctx, uint32_t slot)
{
    weir_clear_bit(s->full, slot);
    set_trip(s, ctx, slot);
}

static void
empty(struct weir_pause *s, struct weir_ctx *ctx, uint32_t slot)
{
    mark_empty(s, ctx, slot);
    if (!is_shut(s, slot)) {
        reopen(s, ctx, slot);
    }
}

void
weir_pause_ask(struct weir_pause *s, struct weir_ctx *ctx, uint32_t slot)
{
    s->n_asked++;
    if (!is_shut(s, slot)) {
        shut(s, ctx, slot);
    }
    ++*n_asking(s, slot);
}

void
weir_pause_release(struct weir_pause *s, struct weir_ctx *ctx, uint32_t slot)
{
    assert(*n_asking(s, slot));
    --*n_asking(s, slot);
    if (!is_shut(s, slot)) {
        reopen(s, ctx, slot);
    }
}

static uint64_t
xoff_bytes(const struct weir_pause *s, const struct weir_ctx *ctx, uint16_t port, uint32_t slot)
{
    return s->p.threshold == WEIR_PAUSE_STATIC ? levels_at(s, port)->xoff_bytes
                                               : weir_buffer_threshold(ctx->buffer, slot);
}

void
weir_pause_arrived(void *state, struct weir_ctx *ctx, struct weir_pkt *pkt)
{
    struct weir_pause *s = state;
    uint32_t slot = weir_slot(ctx, pkt->in_port, pkt->cls);

    if (ctx->buffer->slots[slot].in_bytes < xoff_bytes(s, ctx, pkt->in_port, slot) ||
        weir_has_bit(s->full, slot) || !weir_is_lossless(ctx->shape, pkt->cls)) {
        return;
    }
    if (!is_shut(s, slot)) {
        shut(s, ctx, slot);
    }
    mark_full(s, ctx, slot);
}

/* Whether a queue is below its dynamic threshold, which may have fallen or risen meanwhile.  While
 * headroom is in use, the class stays shut.  The threshold may fall at once, and packets that
 * arrive before the next pause need the whole headroom.  'xon' is a set value, so it is the same at
 * all ports. */
static bool
has_room(const struct weir_pause *s, const struct weir_ctx *ctx, uint32_t slot)
{
    const struct weir_buffer_slot *held = &ctx->buffer->slots[slot];
    uint64_t xoff = weir_buffer_threshold(ctx->buffer, slot);
    uint64_t xon = xoff > s->p.xon_offset_bytes ? xoff - s->p.xon_offset_bytes : 0;

    xon = xon > s->p.xon_bytes ? xon : s->p.xon_bytes;
    return held->in_bytes <= xon && !held->headroom_bytes;
}

static void
reopen_where_room(struct weir_pause *s, struct weir_ctx *ctx)
{
    WEIR_EACH_BIT(s->full, s->n_words, slot)
    {
        if (has_room(s, ctx, slot)) {
            empty(s, ctx, slot);
        }
    }
}

void
weir_pause_departed(void *state, struct weir_ctx *ctx, struct weir_pkt *pkt)
{
    struct weir_pause *s = state;

    if (s->p.threshold == WEIR_PAUSE_DYNAMIC) {
        reopen_where_room(s, ctx);
        return;
    }
    uint32_t slot = weir_slot(ctx, pkt->in_port, pkt->cls);
    uint64_t xon = levels_at(s, pkt->in_port)->xon_bytes;
    if (weir_has_bit(s->full, slot) && ctx->buffer->slots[slot].in_bytes <= xon) {
        empty(s, ctx, slot);
    }
}

void
weir_pause_timer(void *state, struct weir_ctx *ctx, uint32_t slot)
{
    struct weir_pause *s = state;

    if (!is_shut(s, slot)) {
        reopen(s, ctx, slot);
        return;
    }
    s->n_refreshes++;
    send_pause(ctx, slot, (uint16_t)s->p.quanta);
    begin_pause(s, ctx, slot);
}

void
weir_pause_frame(void *state, struct weir_ctx *ctx, uint16_t port, const struct weir_frame *f)
{
    struct weir_pause *s = state;
    struct weir_class_frame pause;

    if (!weir_class_frame_decode(f, &pause)) {
        s->n_bad_frames++;
        return;
    }
    s->n_heard++;
    WEIR_EACH_LOSSLESS(ctx->shape, cls)
    {
        if (pause.enable >> cls & 1) {
            weir_set_open(ctx, weir_slot(ctx, port, cls), pause_end(ctx, port, pause.values[cls]));
        }
    }
}

/* These functions handle a link that goes down and comes up again. */

/* Clears the state of a link that goes down; only the engine's other reasons to keep the peer
 * paused remain. */
static void
end_link(struct weir_pause *s, struct weir_ctx *ctx, uint16_t port)
{
    for (uint8_t cls = 0; cls < ctx->shape->n_classes; cls++) {
        uint32_t slot = weir_slot(ctx, port, cls);
        mark_empty(s, ctx, slot);
        weir_note_shut(ctx, slot, false);
        weir_set_timer(ctx, slot, WEIR_NEVER);
        weir_set_open(ctx, slot, 0);
        if (s->cause == WEIR_PAUSE_BY_OTHERS_TOO) {
            *least_end(s, ctx, slot) = 0;
        }
    }
}

/* The peer's queue may be long and is not reported yet, so all classes are paused until the peer
 * reports it. */
static void
wait_for_word(struct weir_ctx *ctx, uint16_t port)
{
    struct weir_link link = weir_shape_link(ctx->shape, port);
    weir_ps end = weir_after(ctx->now, weir_first_word_ps(&link));

    WEIR_EACH_LOSSLESS(ctx->shape, cls)
    {
        weir_set_open(ctx, weir_slot(ctx, port, cls), end);
    }
}

/* With a dynamic threshold, used headroom keeps a class shut, as in has_room(). */
static bool
starts_shut(const struct weir_pause *s, const struct weir_ctx *ctx, uint32_t slot)
{
    const struct weir_buffer_slot *held = &ctx->buffer->slots[slot];
    bool is_deep = s->p.threshold == WEIR_PAUSE_DYNAMIC && held->headroom_bytes;

    return weir_is_lossless(ctx->shape, weir_slot_class(ctx, slot)) &&
           (is_deep || held->in_bytes >= xoff_bytes(s, ctx, weir_slot_port(ctx, slot), slot));
}

static void
shut_where_due(struct weir_pause *s, struct weir_ctx *ctx, uint16_t port)
{
    for (uint8_t cls = 0; cls < ctx->shape->n_classes; cls++) {
        uint32_t slot = weir_slot(ctx, port, cls);
        bool is_news = !weir_has_bit(s->full, slot) && starts_shut(s, ctx, slot);
        if (is_news) {
            mark_full(s, ctx, slot);
        }
        weir_note_shut(ctx, slot, is_shut(s, slot));
        if (is_news || *n_asking(s, slot)) {
            s->n_pauses++;
            begin_pause(s, ctx, slot);
        }
    }
}

/* Sends one frame with the state of every class, which ends the peer's wait. */
static void
tell_all(const struct weir_pause *s, struct weir_ctx *ctx, uint16_t port)
{
    struct weir_class_frame word = { .opcode = WEIR_OPCODE_PFC };

    for (uint8_t sent = 0; sent < ctx->shape->n_classes; sent++) {
        uint8_t cls = weir_class_here(ctx, port, sent);
        bool shuts = cls != WEIR_NO_CLASS && is_shut(s, weir_slot(ctx, port, cls));
        word.enable |= (uint8_t)(1u << sent);
        word.values[sent] = shuts ? (uint16_t)s->p.quanta : 0;
    }
    weir_class_frame_encode(&word, weir_send(ctx, port));
}

void
weir_pause_link(void *state, struct weir_ctx *ctx, uint16_t port, bool up)
{
    struct weir_pause *s = state;

    if (!up) {
        end_link(s, ctx, port);
        return;
    }
    if (s->p.restart == WEIR_PAUSE_SAFE) {
        wait_for_word(ctx, port);
    }
    shut_where_due(s, ctx, port);
    tell_all(s, ctx, port);
}

static uint64_t (*const headroom_by[])(const struct weir_link *) = {
    [WEIR_PAUSE_BY_QUEUE] = weir_pfc_headroom_bytes,
    [WEIR_PAUSE_BY_OTHERS_TOO] = weir_capfc_headroom_bytes,
};

/* The headroom that is sufficient.  Eq. 15 counts a frame twice, which no link needs. */
static uint64_t (*const enough_by[])(const struct weir_link *) = {
    [WEIR_PAUSE_BY_QUEUE] = weir_pfc_loop_bytes,
    [WEIR_PAUSE_BY_OTHERS_TOO] = weir_capfc_headroom_bytes,
};

/* The room of the port minus the headroom that its link needs above XOFF. */
static uint64_t
left_below(const struct weir_shape *shape, enum weir_pause_cause cause)
{
    uint16_t port = weir_port_from(shape, 0);
    struct weir_link link = weir_shape_link(shape, port);
    uint64_t room = weir_shape_room_at(shape, port);
    uint64_t above = headroom_by[cause](&link) + shape->mtu_bytes;

    return room > above ? room - above : 0;
}

void
weir_pause_derive(const struct weir_shape *shape, enum weir_pause_cause cause,
                  struct weir_pause_params *p)
{
    uint64_t slack = 2 * (uint64_t)shape->mtu_bytes;

    if (p->threshold == WEIR_PAUSE_DYNAMIC) {
        weir_fill_in(&p->xoff_bytes, WEIR_MAX_BYTES);
        weir_fill_in(&p->xon_bytes, 0);
    }
    if (p->xoff_bytes == WEIR_AUTO) {
        uint64_t left = left_below(shape, cause);
        p->xoff_bytes = left > slack ? left : WEIR_AUTO;
    }
    if (p->xoff_bytes != WEIR_AUTO) {
        weir_fill_in(&p->xon_bytes, p->xoff_bytes > slack ? p->xoff_bytes - slack : 0);
    }
    weir_fill_in(&p->xon_offset_bytes, slack);
}

static uint64_t
least_headroom_at(const struct weir_shape *shape, uint16_t port)
{
    uint64_t least = UINT64_MAX;

    WEIR_EACH_LOSSLESS(shape, cls)
    {
        uint64_t headroom = weir_shape_class(shape, port, cls)->headroom_bytes;
        least = headroom < least ? headroom : least;
    }
    return least;
}

/* The bytes above the threshold at a port. */
static uint64_t
headroom_at(const struct weir_shape *shape, const struct weir_pause_params *p, uint16_t port)
{
    uint64_t room = weir_shape_room_at(shape, port);

    return p->threshold == WEIR_PAUSE_DYNAMIC ? least_headroom_at(shape, port)
           : room > p->xoff_bytes             ? room - p->xoff_bytes
                                              : 0;
}

/* The bytes that a lossless class at a port can always hold; with shared buffer it may hold
 * more. */
static uint64_t
fixed_room_at(const struct weir_shape *shape, uint16_t port)
{
    uint64_t least = UINT64_MAX;

    WEIR_EACH_LOSSLESS(shape, cls)
    {
        const struct weir_buffer_class *c = weir_shape_class(shape, port, cls);
        uint64_t room = c->reserve_bytes + c->headroom_bytes;
        bool is_fixed = !c->limit_bytes && !c->alpha;
        least = is_fixed && room < least ? room : least;
    }
    return least;
}

static void
warn_of_headroom(const struct weir_shape *shape, enum weir_pause_cause cause,
                 const struct weir_pause_params *p, struct weir_text *text)
{
    uint16_t port = weir_port_from(shape, 0);
    struct weir_link link = weir_shape_link(shape, port);
    uint64_t have = headroom_at(shape, p, port), need = headroom_by[cause](&link);
    uint64_t enough = enough_by[cause](&link) < need ? enough_by[cause](&link) : need;
    uint64_t mtu = shape->mtu_bytes, room = fixed_room_at(shape, port);

    if (enough + mtu <= have) {
        return;
    }
    if (shape->buffer.is_one_memory) {
        weir_text_add(text,
                      "a queue has %B above its threshold that no other can take, but Eq. 15 asks "
                      "for %B, and a packet that crosses XOFF for up to %B more: packets may be "
                      "lost; use %s",
                      have, need, mtu,
                      p->threshold == WEIR_PAUSE_DYNAMIC
                          ? "threshold: static"
                          : "a larger dedicated buffer, or a lower xoff");
    } else if (p->threshold == WEIR_PAUSE_STATIC && p->xoff_bytes > room) {
        weir_text_add(text,
                      "xoff is %B, but a class at a port can hold only %B: it never asks for a "
                      "pause, so packets may be lost; set xoff %B lower than that, for Eq. 15 and "
                      "a packet, or leave it out",
                      p->xoff_bytes, room, need + mtu);
    } else {
        weir_text_add(text,
                      "headroom is %B, but Eq. 15 asks for %B, and a packet that crosses XOFF for "
                      "up to %B more: packets may be lost",
                      have, need, mtu);
    }
}

/* With a static threshold, headroom is ordinary buffer, and XOFF may lie in it.  A few bytes more
 * than Eq. 15 requires are not an error. */
static void
warn_of_xoff_in_headroom(const struct weir_shape *shape, enum weir_pause_cause cause,
                         const struct weir_pause_params *p, struct weir_text *text)
{
    uint16_t port = weir_port_from(shape, 0);
    struct weir_link link = weir_shape_link(shape, port);
    uint64_t headroom = least_headroom_at(shape, port), room = weir_shape_room_at(shape, port);
    uint64_t above = headroom_by[cause](&link) + shape->mtu_bytes;

    if (p->threshold == WEIR_PAUSE_STATIC && headroom && p->xoff_bytes < room &&
        p->xoff_bytes > room - headroom + above) {
        weir_warn(text,
                  "xoff is %B, so it lies in the headroom: a class at a port has %B without it. "
                  "A static threshold counts the headroom of %B as buffer, and %B above xoff are "
                  "enough: lower headroom to that, set xoff, or use threshold: dynamic",
                  p->xoff_bytes, room - headroom, headroom, above);
    }
}

static void
warn_of_unused(const struct weir_shape *shape, enum weir_pause_cause cause,
               const struct weir_pause_params *p, struct weir_text *text)
{
    struct weir_link link = weir_first_link(shape);
    uint64_t used = p->xoff_bytes + shape->mtu_bytes + headroom_by[cause](&link);

    if (p->threshold == WEIR_PAUSE_STATIC) {
        weir_warn_of_unused(shape, "xoff", p->xoff_bytes, used, text);
    }
}

/* Buffers inside a fabric are often smaller than outside, so a threshold for outside may exceed
 * what a queue inside can hold. */
static bool
xoff_fits_inside(const struct weir_shape *shape, const struct weir_pause_params *p,
                 struct weir_text *text)
{
    uint64_t room = fixed_room_at(shape, weir_port_from(shape, 0));

    return !weir_first_port(shape)->is_inner || p->xoff_bytes <= room ||
           weir_refuse(text,
                       "%P is %B, but at links inside the fabric the buffer of a class at a "
                       "port is only %B, so no pause would ever be sent there: set xoff below "
                       "%B, choose another engine for links inside, or enlarge that buffer",
                       "xoff", p->xoff_bytes, room, room);
}

/* A dynamic threshold may fall to the reserve; a queue between the reserve and XON would not stay
 * shut. */
static void
warn_of_xon(const struct weir_shape *shape, const struct weir_pause_params *p,
            struct weir_text *text)
{
    uint64_t least = UINT64_MAX;

    for (uint16_t port = 0; port < shape->n_ports; port++) {
        WEIR_EACH_LOSSLESS(shape, cls)
        {
            uint64_t reserve = weir_shape_class(shape, port, cls)->reserve_bytes;
            least = reserve < least ? reserve : least;
        }
    }
    if (p->threshold == WEIR_PAUSE_DYNAMIC && p->xon_bytes > least) {
        weir_warn(
            text,
            "xon is %B, but a dynamic threshold may fall to the reserve, %B: packets may be lost",
            p->xon_bytes, least);
    }
}

/* A refresh is sent when half of the pause is over.  In the other half it may have to wait for a
 * packet that is being sent, and for one frame of every class, or two if the engine has other
 * reasons to pause.  If the peer's resume was waiting as well, the number doubles. */
static void
warn_of_short_pause(const struct weir_shape *shape, enum weir_pause_cause cause,
                    const struct weir_pause_params *p, struct weir_text *text)
{
    static const uint64_t n_of_class[] = {
        [WEIR_PAUSE_BY_QUEUE] = 1, [WEIR_PAUSE_BY_OTHERS_TOO] = 4
    };
    uint64_t packet = (uint64_t)shape->mtu_bytes + shape->gap_bytes;
    uint64_t frames =
        n_of_class[cause] * shape->n_classes * (WEIR_CONTROL_BYTES + (uint64_t)shape->gap_bytes);
    uint64_t least = 2 * ((packet + frames + QUANTUM_BYTES - 1) / QUANTUM_BYTES);

    if (p->quanta < least) {
        weir_warn(text,
                  "quanta is %u, but below %u a pause may run out before it is renewed: "
                  "packets may be lost",
                  p->quanta, least);
    }
}

static void
warn_of_restart(const struct weir_pause_params *p, struct weir_text *text)
{
    if (p->restart == WEIR_PAUSE_OPEN) {
        weir_warn(text, "restart is open: if a link comes up again before the queue of the "
                        "receiver has drained, packets may be lost");
    }
}

static size_t
state_bytes(const struct weir_shape *shape, enum weir_pause_cause cause)
{
    uint32_t n_ends = cause == WEIR_PAUSE_BY_OTHERS_TOO ? weir_n_slots(shape) : 0;
    return sizeof(struct weir_pause) + weir_words_for(weir_n_slots(shape)) * sizeof(uint64_t) +
           shape->n_ports * sizeof(struct weir_pause_levels) + asking_bytes(weir_n_slots(shape)) +
           n_ends * sizeof(weir_ps);
}

bool
weir_pause_check(const struct weir_shape *shape, enum weir_pause_cause cause,
                 const struct weir_pause_params *p, struct weir_needs *needs,
                 struct weir_text *text)
{
    uint32_t n_slots = weir_n_slots(shape);

    if (p->threshold == WEIR_PAUSE_STATIC && p->xon_bytes >= p->xoff_bytes) {
        return weir_refuse(text, "%P is %B; it must be below xoff, which is %B", "xon",
                           p->xon_bytes, p->xoff_bytes);
    }
    if (p->threshold == WEIR_PAUSE_STATIC && !xoff_fits_inside(shape, p, text)) {
        return false;
    }
    warn_of_headroom(shape, cause, p, text);
    warn_of_xoff_in_headroom(shape, cause, p, text);
    warn_of_unused(shape, cause, p, text);
    warn_of_xon(shape, p, text);
    warn_of_short_pause(shape, cause, p, text);
    warn_of_restart(p, text);
    *needs = (struct weir_needs){ .state_bytes = state_bytes(shape, cause),
                                  .n_timers = n_slots,
                                  .max_emits = 2 * n_slots + 1, /* The maximum of
                                                                 * weir_pause_link(). */
                                  .frame_id =
                                      WEIR_FRAME_ID(WEIR_ETHERTYPE_MAC_CONTROL, WEIR_OPCODE_PFC) };
    return true;
}

static void
set_levels(struct weir_pause *s, const struct weir_shape *shape, uint16_t port)
{
    struct weir_shape one = weir_shape_at(shape, port);
    struct weir_pause_params p = s->p;

    weir_pause_derive(&one, s->cause, &p);
    *levels_at(s, port) = (struct weir_pause_levels){ p.xoff_bytes, p.xon_bytes };
}

void
weir_pause_init(void *state, struct weir_ctx *ctx, enum weir_pause_cause cause,
                const struct weir_pause_params *p, bool hears_departed)
{
    struct weir_pause *s = state;
    s->p = *p;
    s->n_words = weir_words_for(weir_n_slots(ctx->shape));
    s->n_bytes = (uint32_t)state_bytes(ctx->shape, cause);
    s->n_ports = ctx->shape->n_ports;
    s->cause = cause;
    s->hears_departed = hears_departed;
    WEIR_EACH_PORT (ctx->shape, port) {
        set_levels(s, ctx->shape, port);
        for (uint8_t cls = 0; cls < ctx->shape->n_classes; cls++) {
            set_trip(s, ctx, weir_slot(ctx, port, cls));
        }
    }
}

void
weir_pause_rebase(void *state, const struct weir_ctx *ctx, weir_ps by_ps)
{
    for (uint32_t slot = 0; slot < weir_n_slots(ctx->shape); slot++) {
        weir_ps *end = least_end(state, ctx, slot);
        *end = weir_rebased(*end, by_ps);
    }
}
