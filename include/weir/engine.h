/* Flow-control engines.
 *
 * An engine is one link-level flow-control scheme (PFC, CBFC, GFC, ...) as a pure state machine.
 * It owns no packet, no port, no clock and no memory.  A host (a simulator, a switch, a test)
 * tells it what happened at one node, and it answers with what to do:
 *
 *        arrived  queued  departed  frame  timer  link        host -> engine
 *            \       \        \       |      /      /
 *             `-------`--------`--> state <-'------'
 *                                     |
 *                          frames   timers   gates            engine -> host
 *
 * One instance serves one whole node, because a scheme may pause port 1 for what piles up at port
 * 7.  Answers go to an outbox that the host drains after the call: an engine never calls its host,
 * so no call re-enters, and the same inputs give the same answers under every host.
 *
 * An engine
 *   - takes time from ctx->now, and chance from weir_random() on a number in its own state;
 *   - keeps its state in plain bytes without pointers: a copy is a checkpoint;
 *   - allocates nothing, and after 'check' has passed can not fail: a bad frame off the wire is
 *     counted and ignored, a broken invariant is asserted;
 *   - writes its state, the limits named in 'limits', a packet's ECN field, and the outbox.
 *
 * A host
 *   - calls one node from one thread at a time, with a clock that never goes back;
 *   - puts a packet that came into the class that weir_class_here() says, and sends it on in that;
 *   - updates the buffer before it calls 'arrived' or 'departed';
 *   - counts a packet out of the buffer with the size it came in with;
 *   - tells a packet that it throws away, as it has no way on, as arrived and departed at once;
 *     the buffer does not count it;
 *   - sends control frames ahead of data that has not started, and hands a received one over when
 *     its response time is past; packets and frames of one link do not overtake each other;
 *   - takes all links to be up at the start, and drops what is on the way to or from a link that
 *     goes down, and what an engine sends there while it is;
 *   - keeps one time a timer: setting it again replaces it;
 *   - obeys the outbox, in order, before the next call.
 *
 * doc/adding-an-engine.md walks through writing one; src/lib/engines/none.c is the smallest. */

#ifndef WEIR_ENGINE_H
#define WEIR_ENGINE_H

#include "bounds.h"
#include "buffer.h"
#include "field.h"
#include "gate.h"
#include "plugin.h"
#include "wire.h"

#ifdef __cplusplus
extern "C" {
#endif

/* What an engine sees. */

struct weir_port {
    uint64_t rate_bps;
    weir_ps cable_ps;  /* One way. */
    uint8_t peer_tier; /* Of the node at the other end. */
};

struct weir_shape {                /* A node as built: constant. */
    const struct weir_port *ports; /* At least one. */
    uint16_t n_ports;
    uint8_t n_classes;
    uint8_t lossless; /* Bit c: class c is under flow control. */
    uint32_t mtu_bytes, gap_bytes;
    weir_ps response_ps; /* From the last bit of a frame to its effect. */
    uint32_t node_id;    /* So that each node draws its own chance. */
    uint8_t tier;        /* Links from the nearest host: 0 a NIC, 1 a switch that has hosts. */
    struct weir_buffer_plan buffer;
};

enum weir_ecn { WEIR_NOT_ECT, WEIR_ECT, WEIR_CE }; /* Can not be marked, can be, is. */

struct weir_pkt {
    uint32_t bytes; /* With check sequence, without preamble and gap. */
    uint16_t in_port, out_port;
    uint8_t cls; /* Its class; C++ keeps the longer word for itself. */
    uint8_t ecn; /* enum weir_ecn. */
};

/* What an engine answers. */

enum weir_emit_kind { WEIR_FRAME, WEIR_TIMER, WEIR_GATE };

struct weir_emit {
    enum weir_emit_kind kind;
    uint32_t key;            /* FRAME: port to send it by.  TIMER, GATE: which. */
    weir_ps at;              /* TIMER: when, WEIR_NEVER to stop it. */
    struct weir_frame frame; /* FRAME. */
};

/* Answers of one call, in order.  Lent by the host; empty between calls, so that all nodes of a
 * thread can share one. */
struct weir_outbox {
    struct weir_emit *emits;
    uint32_t n, max;
};

struct weir_ctx {
    weir_ps now;
    const struct weir_shape *shape;
    const struct weir_buffer *buffer;
    struct weir_gate *gates; /* [port][class]. */
    uint8_t *arrives_as;     /* [port][class sent in], see weir_class_here(); null: the same. */
    struct weir_outbox *out;
    uint32_t first_key; /* Of this engine's timers, within the node. */
};

/* Where 'cls' of 'port' stands in gates, in the buffer's slots and, by custom, in an engine's own
 * tables. */
static inline uint32_t
weir_slot(const struct weir_ctx *ctx, uint16_t port, uint8_t cls)
{
    return (uint32_t)port * ctx->shape->n_classes + cls;
}

static inline uint16_t
weir_slot_port(const struct weir_ctx *ctx, uint32_t slot)
{
    return (uint16_t)(slot / ctx->shape->n_classes);
}

static inline uint8_t
weir_slot_class(const struct weir_ctx *ctx, uint32_t slot)
{
    return (uint8_t)(slot % ctx->shape->n_classes);
}

#define WEIR_NO_CLASS 0xff

/* The class in this node of a packet that came in by 'port' and was sent in class 'cls';
 * WEIR_NO_CLASS: it must be dropped. */
static inline uint8_t
weir_class_here(const struct weir_ctx *ctx, uint16_t port, uint8_t cls)
{
    return ctx->arrives_as ? ctx->arrives_as[weir_slot(ctx, port, cls)] : cls;
}

static inline bool
weir_is_lossless(const struct weir_shape *shape, uint8_t cls)
{
    return cls < shape->n_classes && (shape->lossless >> cls & 1);
}

static inline uint32_t
weir_n_slots(const struct weir_shape *shape)
{
    return (uint32_t)shape->n_ports * shape->n_classes;
}

/* How an engine answers. */

/* A frame to be filled in; it holds old bytes, so assign it whole.  wire.h has encoders. */
struct weir_frame *weir_send(struct weir_ctx *, uint16_t port);

/* Keys are the engine's own, 0 .. n_timers - 1; by custom a slot or a port.  A timer fires once, at
 * 'at', which is now or later; setting it again replaces it, WEIR_NEVER stops it. */
void weir_set_timer(struct weir_ctx *, uint32_t key, weir_ps at);

/* The limits of a gate, gate.h: no packet before 'open_ps', WEIR_NEVER shuts it; a rate, or
 * WEIR_UNLIMITED for line rate, 0 shuts it; all bytes that may be sent, or WEIR_UNLIMITED. */
void weir_set_open(struct weir_ctx *, uint32_t slot, weir_ps open_ps);
void weir_set_rate(struct weir_ctx *, uint32_t slot, uint64_t rate_bps);
void weir_set_limit(struct weir_ctx *, uint32_t slot, uint64_t limit_bytes);

/* Counts credit from 0 again, in whole grains, up to 0 or WEIR_UNLIMITED. */
void weir_restart_credit(struct weir_ctx *, uint32_t slot, uint32_t grain_bytes,
                         uint64_t limit_bytes);

uint64_t weir_random(uint64_t *state); /* SplitMix64: any seed will do. */

/* For an engine's 'derive' and 'check': the link of a port, the link that asks for the most room
 * by the given function, and the least room that a lossless class can count on. */
struct weir_link weir_shape_link(const struct weir_shape *, uint16_t port);
uint64_t weir_shape_worst_bytes(const struct weir_shape *,
                                uint64_t (*need)(const struct weir_link *));
uint64_t weir_shape_room_bytes(const struct weir_shape *);

/* The engine. */

enum weir_limit { /* Limits an engine may write; no two engines of one node may share one. */
                  WEIR_LIMIT_OPEN = 1 << 0,
                  WEIR_LIMIT_RATE = 1 << 1,
                  WEIR_LIMIT_CREDIT = 1 << 2,
};

struct weir_needs {
    size_t state_bytes;
    uint32_t n_timers;  /* Keys 0 .. n_timers - 1. */
    uint32_t max_emits; /* The most answers of one call. */
    uint32_t frame_id;  /* Of the frames it sends and takes; 0: none. */
};

#define WEIR_PARAMS_MAX 256 /* Bytes of any engine's parameters. */

struct weir_engine {
    struct weir_plugin about;
    uint32_t limits;                   /* enum weir_limit, or'ed. */
    const struct weir_field *counters; /* Offsets into the state. */

    /* Packets change class from hop to hop: 'init' fills in ctx->arrives_as, which is the identity
     * before, and nothing writes it later.  Switches have such a table for each port, from priority
     * to traffic class; the class that a packet leaves in is the priority that it then carries. */
    bool moves_classes;

    /* Fills in parameters left WEIR_AUTO, and no others.  What can not be worked out stays
     * WEIR_AUTO: the node then refuses, with the field's 'derived'.  Null if no field is derived.
     */
    void (*derive)(const struct weir_shape *, void *params);

    /* Returns false and says why if the parameters do not fit the node, each being in its range.
     * Returns true and fills in the needs if they do; text then warns of a bound that is missed. */
    bool (*check)(const struct weir_shape *, const void *params, struct weir_needs *,
                  struct weir_text *text);

    /* The state is all zero bytes before. */
    void (*init)(void *state, struct weir_ctx *, const void *params);

    /* Each may be null: the scheme does not care. */
    void (*arrived)(void *state, struct weir_ctx *, struct weir_pkt *);  /* Counted at its input. */
    void (*queued)(void *state, struct weir_ctx *, struct weir_pkt *);   /* Stands at its output. */
    void (*departed)(void *state, struct weir_ctx *, struct weir_pkt *); /* Starts onto the wire. */
    void (*frame)(void *state, struct weir_ctx *, uint16_t port, const struct weir_frame *);
    void (*timer)(void *state, struct weir_ctx *, uint32_t key);
    void (*link)(void *state, struct weir_ctx *, uint16_t port, bool up);
};

extern const struct weir_registry weir_engines;

/* The engine with a number in the registry, null past the last; and the one with a name, or null.
 */
const struct weir_engine *weir_engine_at(uint32_t i);
const struct weir_engine *weir_engine_find(const char *name);

#ifdef __cplusplus
}
#endif

#endif
