/* TTL: classes by hops, on top of PFC.  TTL-based buffer management, 1.2, 1.3, 2.3
 *
 * A packet is in class 0 at its sender, and in class j after j hops.  So buffers of class j wait
 * only for buffers of class j + 1, and no buffer waits for itself, for any routes and schedulers.
 * A packet without a class left is dropped: its time to live has expired.
 *
 *       class j - 1                           class j of port i               class j + 1
 *     ---- queue ----------- link -------------> buffer ---- queue --- link ----> ...
 *          held  <------- PAUSE j - 1 ---------  q >= XOFF
 *          goes  <------- RESUME j - 1 --------  q <= XON
 *
 * Everything else is as in PFC (pause.h).  In networks with tiers, such as trees, fewer classes are
 * enough:
 *
 *     halved      hops 2c and 2c + 1 are class c.  A switch sees only odd hops or only even ones,
 *                 so no two of them meet; class c + 1 begins where tiers are even.
 *     quartered   class 0 climbs and class 1 goes down.  A packet that comes from below in class 1
 *                 went down and was sent up again: it is dropped.
 *
 * The buffer implements the threshold of Eq. 16, by partitions and threshold=dynamic. */

#include "by-port.h"
#include "pause.h"

enum classes { HOPS, HALVED, QUARTERED };
static const char *const classes_names[] = { "hops", "halved", "quartered", 0 };

struct params {
    struct weir_pause_params pause;
    uint64_t classes;
};

static const struct weir_field param_fields[] = {
    WEIR_FIELD(struct params, classes, "classes", WEIR_CHOICE, .choices = classes_names,
               .help = "Packets that share a class: those of one hop; or, in networks of tiers, "
                       "those of two hops, or of one direction.",
               .source = "TTL 1.3, 2.3"),
    PAUSE_PARAMS(struct params),
    { 0 },
};

static uint8_t
class_or_none(const struct weir_shape *shape, uint32_t cls)
{
    return cls < shape->n_classes ? (uint8_t)cls : WEIR_NO_CLASS;
}

static uint8_t
by_hops(const struct weir_shape *shape, uint16_t port, uint8_t sent)
{
    (void)port;
    return class_or_none(shape, sent + 1u);
}

static uint8_t
by_two_hops(const struct weir_shape *shape, uint16_t port, uint8_t sent)
{
    (void)port;
    return class_or_none(shape, sent + (shape->tier % 2 ? 0u : 1u));
}

static uint8_t
by_direction(const struct weir_shape *shape, uint16_t port, uint8_t sent)
{
    enum { CLIMBS, GOES_DOWN };
    bool is_from_below = shape->ports[port].peer_tier < shape->tier;

    if (sent > GOES_DOWN || (is_from_below && sent != CLIMBS)) {
        return WEIR_NO_CLASS;
    }
    return is_from_below ? CLIMBS : GOES_DOWN;
}

static uint8_t (*const class_of[])(const struct weir_shape *, uint16_t port, uint8_t sent) = {
    [HOPS] = by_hops, [HALVED] = by_two_hops, [QUARTERED] = by_direction
};

static void
ttl_derive(const struct weir_shape *shape, void *params)
{
    weir_pause_derive(shape, WEIR_PAUSE_BY_QUEUE, &((struct params *)params)->pause);
}

/* Conditions of the paper: a threshold is at least a packet (1.4.2, 1), and a partition has room
 * for one packet from each port (1.3). */
static bool
has_room(const struct weir_shape *shape, const struct params *p, struct weir_text *text)
{
    uint64_t least = (uint64_t)shape->n_ports * shape->mtu_bytes;

    if (p->pause.threshold == WEIR_PAUSE_STATIC && p->pause.xoff_bytes < shape->mtu_bytes) {
        return weir_refuse(text, "%P is %B; it must be at least one packet, %B", "xoff",
                           p->pause.xoff_bytes, (uint64_t)shape->mtu_bytes);
    }
    WEIR_EACH_LOSSLESS(shape, cls)
    {
        uint64_t own = shape->buffer.classes[cls].partition_bytes;
        for (uint16_t port = 0; port < shape->n_ports; port++) {
            const struct weir_buffer_class *c = weir_shape_class(shape, port, cls);
            own += c->reserve_bytes + c->headroom_bytes;
        }
        if (own < least) {
            return weir_refuse(
                text, "class %u has %B of its own; it needs one packet for each of %u ports, %B",
                (uint64_t)cls, own, (uint64_t)shape->n_ports, least);
        }
    }
    return true;
}

/* Classes by halves and quarters need tiers: every link must lead from one tier to the next. */
static bool
has_tiers(const struct weir_shape *shape, struct weir_text *text)
{
    for (uint16_t port = 0; port < shape->n_ports; port++) {
        uint64_t peer = shape->ports[port].peer_tier, here = shape->tier;
        if (peer != here + 1 && peer + 1 != here) {
            return weir_refuse(text,
                               "fewer classes than hops need a network of tiers, but port %u leads "
                               "from tier %u to tier %u: set classes=hops",
                               (uint64_t)port, here, peer);
        }
    }
    return true;
}

static bool
has_classes(const struct weir_shape *shape, const struct params *p, struct weir_text *text)
{
    if (p->classes != HALVED && shape->n_classes < 2) {
        return weir_refuse(text, "there is only 1 class, but every packet changes its class at "
                                 "each hop: set more classes");
    }
    return p->classes == HOPS || has_tiers(shape, text);
}

/* If packets of a lossless class are sent in a lossy class, no sender obeys its pauses. */
static void
warn_of_gap(const struct weir_shape *shape, const struct params *p, struct weir_text *text)
{
    for (uint32_t slot = 0; slot < weir_n_slots(shape); slot++) {
        uint16_t port = (uint16_t)(slot / shape->n_classes);
        uint8_t sent = (uint8_t)(slot % shape->n_classes);
        uint8_t here = class_of[p->classes](shape, port, sent);
        if (weir_is_lossless(shape, here) && !weir_is_lossless(shape, sent)) {
            weir_warn(text,
                      "class %u is lossless, but its packets arrive in class %u, which is "
                      "not: packets may be lost",
                      (uint64_t)here, (uint64_t)sent);
            return;
        }
    }
}

static bool
ttl_check(const struct weir_shape *shape, const void *params, struct weir_needs *needs,
          struct weir_text *text)
{
    const struct params *p = params;

    if (!has_classes(shape, p, text) || !has_room(shape, p, text) ||
        !weir_pause_check(shape, WEIR_PAUSE_BY_QUEUE, &p->pause, needs, text)) {
        return false;
    }
    warn_of_gap(shape, p, text);
    return true;
}

static void
ttl_init(void *state, struct weir_ctx *ctx, const void *params)
{
    const struct params *p = params;

    weir_pause_init(state, ctx, WEIR_PAUSE_BY_QUEUE, &p->pause, false);
    for (uint32_t slot = 0; slot < weir_n_slots(ctx->shape); slot++) {
        ctx->arrives_as[slot] =
            class_of[p->classes](ctx->shape, weir_slot_port(ctx, slot), weir_slot_class(ctx, slot));
    }
}

const struct weir_engine weir_ttl = {
    .about = { .name = "ttl",
               .title = "PFC with a class for each hop, so that pauses cannot form a cycle",
               .source = "TTL-based buffer management for deadlock prevention, 1.2, 1.3, 2.3",
               .params = param_fields,
               .params_bytes = sizeof(struct params) },
    .limits = WEIR_LIMIT_OPEN,
    .protocol = "pfc",
    .moves_classes = true,
    .counters = weir_pause_counters,
    .derive = ttl_derive,
    .check = ttl_check,
    .init = ttl_init,
    .arrived = weir_pause_arrived,
    .departed = weir_pause_departed,
    .forwarded = weir_pause_departed,
    .frame = weir_pause_frame,
    .timer = weir_pause_timer,
    .link = weir_pause_link,
};
