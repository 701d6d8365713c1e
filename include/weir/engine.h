/* Flow-control engines.
 *
 * An engine is one link-level flow-control scheme (PFC, CBFC, GFC, ...) as a pure state machine.
 * It owns no packet, no port, no clock and no memory.  A host (a simulator, a switch, a test) calls
 * it with the events at one node, and it answers with what to do:
 *
 *        arrived  queued  departed  frame  timer  link        host -> engine
 *            \       \        \       |      /      /
 *             `-------`--------`--> state <-'------'
 *                                     |
 *                          frames   timers   gates            engine -> host
 *
 * Most schemes need nothing else.  Some need a service of the host, for example the sender of a
 * packet, messages to that sender, a rate limit for one of its flows, or inputs that empty before
 * outputs.  An engine lists such services in its needs, and a host lists those that it offers in
 * the shape of a node.  A stack that needs a service which is not offered is refused.  A service
 * costs nothing unless an engine needs it.
 *
 * One instance serves one whole node, because a scheme may pause port 1 when packets pile up at
 * port 7.  Its answers go to an outbox, which the host empties after the call.  An engine never
 * calls its host, so there are no nested calls, and the same inputs give the same answers under
 * every host.
 *
 * An engine
 *   - takes time from ctx->now, and random numbers from weir_random() with a generator in its own
 *     state;
 *   - keeps its state in plain bytes without pointers: a copy is a checkpoint;
 *   - allocates nothing, and after 'check' has passed cannot fail: a bad frame off the wire is
 *     counted and ignored, a broken invariant is asserted;
 *   - writes only its state, the limits named in 'limits', trip wires, a packet's ECN field, and
 *     the outbox.
 *
 * A host
 *   - calls one node from one thread at a time, with a clock that starts at 0 or later.  The clock
 *     never goes back, except by weir_node_rebase(), which the host calls before the clock ends;
 *   - puts an arriving packet into the class returned by weir_class_here(), and sends it in that
 *     class;
 *   - updates the buffer before it calls 'arrived', 'forwarded', 'refused' or 'departed', and, with
 *     stages, 'queued';
 *   - counts a packet out of the buffer with the size with which it counted the packet in;
 *   - may move a packet from one output to another, for example when routes change.  Without stages
 *     it updates the buffer and calls 'moved'.  With stages it calls 'departed', and 'queued' again
 *     when the packet is at the other output;
 *   - reports a packet that it drops for lack of a route as arrived and then departed, or with
 *     stages as arrived and then forwarded; the buffer does not count this packet;
 *   - sends control frames before data packets that have not started, and delivers a received frame
 *     after its response time; packets and frames of a link do not overtake each other;
 *   - assumes that all links are up at the start.  It drops packets and frames on a link that goes
 *     down, and frames that an engine sends there while the link is down;
 *   - reports to both ends that a link is down before it reports to either end that it is up.  It
 *     reports to the second end within 65535 quanta of the first (see below, restarts);
 *   - keeps one time for each timer: setting the timer again replaces the time;
 *   - obeys the outbox, in order, and then empties it.  It may make several calls first: gates
 *     change during the call, all other answers wait, and the outbox needs room for all of them.
 *
 * Restarts.  At the start of a run queues are empty, and a sender may begin at once.  When a link
 * comes up again, the queues at its ends may still be long, and earlier agreements are void.  So an
 * engine that must lose nothing does this when a link comes up:
 *   - as a receiver it reports its queues at once, even if they are short;
 *   - as a sender it keeps its gates shut until it has received that report;
 *   - it repeats the report when it first receives a frame from the peer, or periodically.  The
 *     first report is lost if the peer's link comes up later;
 *   - if the peer never sends, it waits at most for weir_first_word_ps(): the longest pause of PFC,
 *     65535 quanta, plus the time of a message there and back.
 *
 * Timers and the clock.  The host owns the timers.  A node has one time for each timer key of its
 * engines, at first WEIR_NEVER, and a WEIR_TIMER answer replaces it.  At that time, or as soon as
 * possible after it, the host sets the time to WEIR_NEVER and calls 'timer'.  A clock of
 * picoseconds ends after 106 days.  A host that runs for longer sets its clock back, at the latest
 * when the clock shows WEIR_LATE, 53 days.  To do so, it obeys the outbox and then calls
 * weir_node_rebase() for each node that uses the clock.  It corrects each time that it keeps itself
 * with weir_rebased(): timers, and frames that wait for their response time.  Engines do not notice
 * the change.  If a clock is not set back, times past its end become WEIR_NEVER: nothing overflows,
 * but such a timer does not fire.
 *
 * Ranges, each from 0 to one less than:
 *     port n_ports      class n_classes      slot n_ports * n_classes      timer's key n_timers
 *     flow of a NIC n_flows                  layer of a stack its n
 * A packet has at least one byte, a factor is at most WEIR_RATIO_1, a frame has at most
 * WEIR_FRAME_MAX bytes.  An argument out of range is a bug of the caller, and both sides assert
 * that it does not happen.  Frames and messages come from outside the host, so every build checks
 * their port, flow and length.  A frame or message out of range is counted and ignored.
 *
 * Trip wires.  Most packets change nothing: while a queue is far from a threshold, the engine that
 * watches it has nothing to do.  So an engine may set a trip wire for each (port, class) with
 * weir_set_trip().  It then receives arrivals only if the input queue has at least a given length,
 * and departures only if the queue is shorter than another given length.  The host compares the
 * queue with the trip wire inline, as it does with gates, and otherwise calls no engine.  By
 * default an engine is called for every packet.  Another engine of the node, or a host that does
 * not compare, may cause a call that the engine did not request; the engine must then change
 * nothing.  So trip wires affect only the speed.
 *
 * doc/adding-an-engine.md shows how to write an engine; src/lib/engines/none.c is the smallest. */

#ifndef WEIR_ENGINE_H
#define WEIR_ENGINE_H

#include <assert.h>

#include "bounds.h"
#include "buffer.h"
#include "field.h"
#include "gate.h"
#include "plugin.h"
#include "wire.h"

#ifdef __cplusplus
extern "C" {
#endif

/* The node as an engine sees it. */

/* A port of a node, and the link behind it. */
struct weir_port {
    uint64_t rate_bps;
    weir_ps cable_ps;         /* One way. */
    weir_ps response_ps;      /* The response time of this port, if it is longer than that of the
                               * shape. */
    weir_ps peer_response_ps; /* The response time of the port at the other end.  The response time
                               * of the link is the longest of these. */
    uint8_t peer_tier;        /* The tier of the node at the other end. */
    bool is_inner;            /* The link is inside a switching fabric. */
};

/* The ports of a node that an engine serves.  A fabric may use a different flow control inside. */
enum weir_scope { WEIR_AT_ALL_PORTS, WEIR_AT_OUTER_PORTS, WEIR_AT_INNER_PORTS };

struct weir_shape {                /* The fixed properties of a node. */
    const struct weir_port *ports; /* The ports, at least one. */
    uint16_t n_ports;
    uint8_t n_classes;
    uint8_t lossless; /* Bit c: class c is under flow control. */
    uint8_t scope;    /* The enum weir_scope of the engine that sees this shape.  A host sets
                       * WEIR_AT_ALL_PORTS. */
    bool is_for_port; /* The shape describes one port, see weir_shape_at(); WEIR_EACH_PORT then
                       * gives only 'port'. */
    uint16_t port;
    uint32_t mtu_bytes, gap_bytes;
    weir_ps response_ps; /* The time from the last bit of a frame until it takes effect, at every
                          * port. */
    uint32_t node_id;    /* Gives each node different random numbers. */
    uint32_t seed;       /* The seed of all random numbers of the host; 0 counts as 1. */
    uint8_t tier;        /* The distance to the nearest host in links: 0 for a NIC, 1 for a switch
                          * with hosts. */
    uint32_t services;   /* Services that the host offers here: enum weir_service, or'ed. */
    uint32_t n_flows;    /* At a NIC: the number of flows that it sends, counted from 0.  0 at a
                          * switch, and at a NIC that sends no flows. */

    /* The pipeline between inputs and outputs: the time that a packet takes through it, and how
     * many packets per second it takes from all inputs together.  0: no pipeline. */
    weir_ps pipeline_ps;
    uint64_t pipeline_pps;
    bool pipeline_stops; /* A full output stops the pipeline; if false, the packet is dropped. */
    bool routes_late;    /* The output of a packet is unknown while the packet is at its input. */
    struct weir_buffer_plan buffer;
};

/* Services that a host may offer at a node, and an engine may need there. */
enum weir_service {
    WEIR_SERVICE_LABELS = 1 << 0,       /* pkt.flow identifies the sender of a packet. */
    WEIR_SERVICE_MESSAGES = 1 << 1,     /* Carries messages to senders; delivers them to 'heard'. */
    WEIR_SERVICE_UNITS = 1 << 2,        /* pkt.unit is set, and engines can sample packets of an
                                         * input at random: index.h. */
    WEIR_SERVICE_STAGES = 1 << 3,       /* Separate input and output buffers (buffer.h), with calls
                                         * of 'forwarded' and 'refused'. */
    WEIR_SERVICE_FLOW_RATES = 1 << 4,   /* At a NIC: limits the rates of single flows, and calls
                                         * 'sent'. */
    WEIR_SERVICE_SLOWING = 1 << 5,      /* At a NIC: slows down the senders of a class. */
    WEIR_SERVICE_OUTPUT_UNITS = 1 << 6, /* pkt.output_unit is set, and engines can sample packets of
                                         * an output at random. */
};

enum { WEIR_N_SERVICES = 7 };

/* The packet cannot be marked, can be marked, or is marked. */
enum weir_ecn { WEIR_NOT_ECT, WEIR_ECT, WEIR_CE };

/* A packet as engines see it. */
struct weir_pkt {
    uint32_t bytes; /* With the frame check sequence, without preamble and gap. */
    uint16_t in_port;
    uint16_t out_port; /* With stages it is known only from 'queued' or 'refused' on, and equals
                        * in_port before. */
    uint8_t cls;       /* The class of the packet; 'class' is a keyword of C++. */
    uint8_t ecn;       /* enum weir_ecn. */

    /* A label by which the host finds the sender; engines cannot interpret it.  In 'sent' it is the
     * number of one of the NIC's flows.  It is set only if the engine needs labels. */
    uint32_t flow;

    /* 'unit' is the packet's handle in the buffer's index of inputs; it stays the same from
     * 'arrived' until the packet leaves its input.  WEIR_NO_UNIT: no handle.  'output_unit' is its
     * handle in the index of outputs, from 'queued' to 'departed'.  Both are set only if the engine
     * needs units. */
    uint32_t unit, output_unit;
};

/* The answers of an engine. */

/* The kinds of answers that a host must obey. */
enum weir_emit_kind {
    WEIR_FRAME,     /* Send the frame to the peer. */
    WEIR_TIMER,     /* Call 'timer' at that time. */
    WEIR_GATE,      /* The gate has changed: read it again. */
    WEIR_MESSAGE,   /* Send the message to the sender of a packet. */
    WEIR_FLOW_RATE, /* Limit the rate of a flow. */
    WEIR_SLOW,      /* Ask the senders of a class to slow down. */
    WEIR_N_EMIT_KINDS
};

/* One answer, an entry of the outbox. */
struct weir_emit {
    enum weir_emit_kind kind;
    uint32_t key; /* FRAME: the port that sends it.  TIMER: the timer's key.  GATE, SLOW: the slot.
                   * Else: the flow. */
    union {
        weir_ps at;        /* TIMER: the time, or WEIR_NEVER to stop the timer. */
        uint64_t rate_bps; /* FLOW_RATE: the rate, WEIR_UNLIMITED for no limit. */
        uint64_t factor;   /* SLOW: a ratio, 0 .. WEIR_RATIO_1. */
    };
    struct weir_frame frame; /* FRAME, MESSAGE: the bytes to send. */
    uint8_t cls;             /* MESSAGE: the class of the packet or flow that it is about. */
    uint16_t port;           /* MESSAGE: the port of that packet or flow at the node that sends the
                              * message. */
};

/* The answers of a node, in order.  The host lends the outbox and empties it.  An empty outbox can
 * serve any node of the thread. */
struct weir_outbox {
    struct weir_emit *emits;
    uint32_t n, max;
};

/* Queue lengths of a (port, class) that decide whether engines receive a packet: see trip wires. */
struct weir_trip {
    uint64_t from_bytes;  /* The host reports an arrival if its input then holds at least this much;
                           * UINT64_MAX: none. */
    uint64_t under_bytes; /* The host reports a packet that has left if its input then holds less
                           * than this; 0: none, UINT64_MAX: all. */
    uint64_t over_bytes;  /* The host reports a packet that is queued or departs if its output then
                           * holds more than this; UINT64_MAX: none. */
    uint64_t calm_bytes;  /* Used only by the node: an arrival after which its input holds less than
                           * this fits the reserve and is not reported. */
};

/* The context of an engine during a call. */
struct weir_ctx {
    weir_ps now;
    const struct weir_shape *shape;
    const struct weir_buffer *buffer;
    struct weir_gate *gates; /* [port][class]. */
    struct weir_trip *trips; /* [port][class], for all engines together.  If a node has several
                              * engines, the trip wires of each engine follow: weir_set_trip(). */
    uint8_t *arrives_as;     /* [port][class of the sender], see weir_class_here(); null: the class
                              * does not change. */
    uint8_t *shut; /* [port][class]: true if an engine keeps the peer paused by PFC frames, see
                    * weir_note_shut(); null: no other engine can ask. */
    struct weir_outbox *out;
    uint32_t first_key;       /* The first key of this engine's timers, within the node. */
    uint32_t layer, n_layers; /* The index of the engine at the node, and the number of engines
                               * there. */
    bool is_copy; /* In 'arrived': the packet is an extra copy, made by the node itself. */
};

/* The index of 'cls' of 'port' in gates, in the buffer's slots and, by custom, in an engine's own
 * tables. */
static inline uint32_t
weir_slot(const struct weir_ctx *ctx, uint16_t port, uint8_t cls)
{
    assert(port < ctx->shape->n_ports && cls < ctx->shape->n_classes);
    return (uint32_t)port * ctx->shape->n_classes + cls;
}

/* The port of a slot. */
static inline uint16_t
weir_slot_port(const struct weir_ctx *ctx, uint32_t slot)
{
    return (uint16_t)(slot / ctx->shape->n_classes);
}

/* The class of a slot. */
static inline uint8_t
weir_slot_class(const struct weir_ctx *ctx, uint32_t slot)
{
    return (uint8_t)(slot % ctx->shape->n_classes);
}

/* The class of packets that must be dropped. */
#define WEIR_NO_CLASS 0xff

/* The class at this node of a packet that arrived on 'port' and was sent in class 'cls';
 * WEIR_NO_CLASS if the packet must be dropped. */
static inline uint8_t
weir_class_here(const struct weir_ctx *ctx, uint16_t port, uint8_t cls)
{
    return ctx->arrives_as ? ctx->arrives_as[weir_slot(ctx, port, cls)] : cls;
}

/* At the peer, a new PFC frame replaces the pause of the previous frame.  So an engine that pauses
 * a peer by PFC frames notes it here, and other engines of the node send no frame that would
 * shorten the pause. */
static inline void
weir_note_shut(struct weir_ctx *ctx, uint32_t slot, bool shut)
{
    if (ctx->shut) {
        ctx->shut[slot] = shut;
    }
}

/* Whether an engine of this node has noted, by weir_note_shut(), that it keeps the peer of a slot
 * paused. */
static inline bool
weir_is_noted_shut(const struct weir_ctx *ctx, uint32_t slot)
{
    return ctx->shut && ctx->shut[slot];
}

/* Whether a class is under flow control. */
static inline bool
weir_is_lossless(const struct weir_shape *shape, uint8_t cls)
{
    return cls < shape->n_classes && (shape->lossless >> cls & 1);
}

/* The number of lossless classes. */
static inline uint32_t
weir_n_lossless(const struct weir_shape *shape)
{
    uint32_t n = 0;

    for (uint8_t cls = 0; cls < shape->n_classes; cls++) {
        n += weir_is_lossless(shape, cls);
    }
    return n;
}

/* Whether an engine with this scope serves a port. */
static inline bool
weir_scope_has(enum weir_scope scope, const struct weir_port *port)
{
    return scope == WEIR_AT_ALL_PORTS || port->is_inner == (scope == WEIR_AT_INNER_PORTS);
}

/* Whether the node is part of a switching fabric. */
static inline bool
weir_has_inner_port(const struct weir_shape *shape)
{
    bool has = false;

    for (uint16_t port = 0; port < shape->n_ports; port++) {
        has |= shape->ports[port].is_inner;
    }
    return has;
}

/* The first port from 'port' on that the engine serves; n_ports if there are no more. */
static inline uint16_t
weir_port_from(const struct weir_shape *shape, uint32_t port)
{
    if (shape->is_for_port) {
        return port <= shape->port ? shape->port : shape->n_ports;
    }
    while (port < shape->n_ports &&
           !weir_scope_has((enum weir_scope)shape->scope, &shape->ports[port])) {
        port++;
    }
    return (uint16_t)port;
}

/* Loops over the ports that the engine serves, for use in 'derive', 'check' and 'init'. */
#define WEIR_EACH_PORT(SHAPE, PORT)                                                                \
    for (uint16_t PORT = weir_port_from(SHAPE, 0); PORT < (SHAPE)->n_ports;                        \
         PORT = weir_port_from(SHAPE, PORT + 1u))

/* Whether packets leave their input before they leave the node.  If so, 'forwarded', not
 * 'departed', reports that an input queue becomes shorter. */
static inline bool
weir_has_stages(const struct weir_shape *shape)
{
    return shape->services & WEIR_SERVICE_STAGES;
}

/* The number of slots of a node. */
static inline uint32_t
weir_n_slots(const struct weir_shape *shape)
{
    return (uint32_t)shape->n_ports * shape->n_classes;
}

/* The functions by which an engine answers. */

/* Adds a frame to the outbox and returns it, for the caller to fill in.  The frame holds old bytes,
 * so assign all of it; wire.h has encoders. */
struct weir_frame *weir_send(struct weir_ctx *, uint16_t port);

/* Sets a timer.  Each engine has its own keys, 0 .. n_timers - 1; by convention a slot or a port.
 * A timer fires once, at 'at', which is now or later.  Setting it again replaces the time;
 * WEIR_NEVER stops the timer. */
void weir_set_timer(struct weir_ctx *, uint32_t key, weir_ps at);

/* Set the three limits of a gate (gate.h).  No packet starts before 'open_ps'; WEIR_NEVER shuts the
 * gate.  'rate_bps' is a rate, or WEIR_UNLIMITED for line rate; 0 shuts the gate.  'limit_bytes' is
 * the number of all bytes that may be sent, or WEIR_UNLIMITED. */
void weir_set_open(struct weir_ctx *, uint32_t slot, weir_ps open_ps);
void weir_set_rate(struct weir_ctx *, uint32_t slot, uint64_t rate_bps);
void weir_set_limit(struct weir_ctx *, uint32_t slot, uint64_t limit_bytes);

/* Holds the rate: no packet starts before 'until_ps' or the next weir_set_rate(); after 'until_ps'
 * the rate is the line rate. */
void weir_hold_rate(struct weir_ctx *, uint32_t slot, weir_ps until_ps);

/* Restarts the count of credit at 0, in whole grains, with the limit 'limit_bytes'. */
void weir_restart_credit(struct weir_ctx *, uint32_t slot, uint32_t grain_bytes,
                         uint64_t limit_bytes);

/* Set the queue lengths at which this engine receives packets of a (port, class), at its input and
 * at its output: see struct weir_trip.  The host reports a departing packet if either of the two
 * trip wires requests it.  With stages it reports packets that have left an input by 'forwarded',
 * and every packet by 'departed'. */
void weir_set_trip(struct weir_ctx *, uint32_t slot, uint64_t from_bytes, uint64_t under_bytes);
void weir_set_output_trip(struct weir_ctx *, uint32_t slot, uint64_t over_bytes);

/* Adds a message to the sender of a packet with the label 'flow', about a (port, class) of this
 * node.  The caller fills it in like a frame.  The host calls 'heard' at the sender, later or
 * never. */
struct weir_frame *weir_send_to_source(struct weir_ctx *, uint32_t flow, uint16_t port,
                                       uint8_t cls);

/* At a NIC: limits a flow to 'rate_bps', or removes the limit with WEIR_UNLIMITED.  The host
 * enforces the limit.  The lower of this rate and the rate of the sender's own control applies. */
void weir_limit_flow(struct weir_ctx *, uint32_t flow, uint64_t rate_bps);

/* At a NIC: asks the control of each flow that leaves through 'slot' to multiply its rate or window
 * by 'factor', WEIR_RATIO_1 being 1.  This happens once: the control then raises its rate as after
 * any congestion, and keeps its own minimum. */
void weir_slow_flows(struct weir_ctx *, uint32_t slot, uint64_t factor);

uint64_t weir_random(uint64_t *state); /* The next random number, by SplitMix64. Any seed is
                                        * valid. */

/* For an engine's 'derive': sets the seed of the host if none was given. */
static inline void
weir_derive_seed(const struct weir_shape *shape, uint64_t *seed)
{
    if (*seed == WEIR_AUTO) {
        *seed = shape->seed ? shape->seed : 1;
    }
}

/* For an engine's 'init': the initial state of its random numbers, which differs at each node. */
static inline uint64_t
weir_chance_at(const struct weir_shape *shape, uint64_t seed)
{
    return seed << 32 | shape->node_id;
}

/* For an engine's 'derive' and 'check': the link of a port. */
struct weir_link weir_shape_link(const struct weir_shape *, uint16_t port);
/* For an engine's 'derive' and 'check': the maximum of 'need' over the links of all ports. */
uint64_t weir_shape_worst_bytes(const struct weir_shape *,
                                uint64_t (*need)(const struct weir_link *));
/* For an engine's 'derive' and 'check': the bytes of the buffer that a lossless class can always
 * use, as the minimum over all ports and lossless classes. */
uint64_t weir_shape_room_bytes(const struct weir_shape *);
/* The bytes of the buffer that a lossless class can always use at one port. */
uint64_t weir_shape_room_at(const struct weir_shape *, uint16_t port);

/* For a field that is 'by_port': scales a threshold, which a paper gives for ports of 'base_bps',
 * to the port for which 'derive' is called.  For faster ports the threshold grows with the rate, up
 * to half of the bytes that a single queue can hold there.  Slower ports have the threshold of the
 * paper. */
uint64_t weir_shape_scaled_bytes(const struct weir_shape *, uint64_t bytes, uint64_t base_bps);

/* The shape of the node for one of its ports; WEIR_EACH_PORT then gives only that port.  So 'init'
 * finds the parameters of a port by calling 'derive' for it. */
struct weir_shape weir_shape_at(const struct weir_shape *, uint16_t port);

/* Whether two ports have the same link, peer and buffer, so that 'derive' and 'check' treat them
 * alike. */
bool weir_ports_are_alike(const struct weir_shape *, uint16_t a, uint16_t b);

struct weir_engine;

/* Writes the parameters of an engine at one port of a node to 'of_port', which has WEIR_PARAMS_MAX
 * bytes.  These are the node's parameters, with the fields that are derived for this port. */
void weir_port_params(const struct weir_engine *, const struct weir_shape *, uint16_t port,
                      const void *params, void *of_port);

/* The minimum and maximum of a resolved parameter over all ports of a node. */
struct weir_param_range {
    uint64_t least, most;
};

/* The range of a parameter over all ports. */
struct weir_param_range weir_param_range(const struct weir_engine *, const struct weir_shape *,
                                         const struct weir_field *, const void *params);
/* Writes the range of a parameter over all ports as text. */
void weir_param_text(struct weir_text *, const struct weir_engine *, const struct weir_shape *,
                     const struct weir_field *, const void *params);

/* The engine. */

/* The limits that an engine may write.  Two engines of a node must not write the same limit. */
enum weir_limit {
    WEIR_LIMIT_OPEN = 1 << 0,
    WEIR_LIMIT_RATE = 1 << 1,
    WEIR_LIMIT_CREDIT = 1 << 2,
    WEIR_LIMIT_FLOW = 1 << 3, /* The rates of single flows, by weir_limit_flow(). */
    WEIR_LIMIT_HOLD = 1 << 4, /* The rate, but only by weir_hold_rate(), for pauses that end after a
                               * time. */
};

/* The limits that stop or slow transmit queues. */
#define WEIR_LIMITS_OF_QUEUES                                                                      \
    (WEIR_LIMIT_OPEN | WEIR_LIMIT_RATE | WEIR_LIMIT_CREDIT | WEIR_LIMIT_HOLD)

/* The resources that an engine needs at a node, which the host provides. */
struct weir_needs {
    size_t state_bytes;
    uint32_t n_timers;         /* Keys 0 .. n_timers - 1. */
    uint32_t max_emits;        /* The maximum number of answers of one call. */
    uint32_t frame_id;         /* The WEIR_FRAME_ID of the frames that it sends and obeys; 0:
                                * none. */
    uint32_t sent_id;          /* The WEIR_FRAME_ID of the frames that it sends, if they are of
                                * another protocol; else 0. */
    const char *sent_protocol; /* The name of the protocol of 'sent_id'. */
    uint16_t message_type;     /* EtherType of messages that it sends and receives; 0: none. */
    uint32_t services;         /* enum weir_service, or'ed. */
};

#define WEIR_PARAMS_MAX 256 /* The maximum size of an engine's parameters, in bytes. */

/* The descriptor of an engine: description, parameters, facts and hooks. */
struct weir_engine {
    struct weir_plugin about;
    uint32_t limits;                   /* enum weir_limit, or'ed. */
    const struct weir_field *counters; /* The engine's counters, with offsets into the state. */

    /* The engine changes the class of packets from hop to hop.  'init' fills in ctx->arrives_as,
     * which is the identity before; nothing writes it later.  Real switches have such a table for
     * each port, from priority to traffic class.  The class in which a packet leaves is the
     * priority that it then carries. */
    bool moves_classes;

    bool marks; /* The engine may set a packet's ECN field to CE. */

    /* The engine blocks or throttles peers, but cannot prevent losses in lossless classes.  It is
     * meant to run next to an engine that can prevent them. */
    bool needs_last_resort;

    /* The protocol of the engine's frames, if other engines use the same protocol.  Engines at the
     * two ends of a link understand each other if their protocol and frame_id are equal. Null: no
     * other engine uses the protocol. */
    const char *protocol;

    /* The engine sends no packet of a lossless class on a link before it receives the first frame
     * of the peer. */
    bool waits_for_peer;

    /* A sender slows down, but never stops, and the receiver keeps buffer for the packets that
     * still arrive.  If false, the receiver expects that its peer can stop. */
    bool never_stops;

    /* For an engine that may pause the peer of an input because packets wait at an output: returns
     * true if packets at 'out_port', in the class of the input, now cause such a pause.  If
     * 'out_port' is the port of the input itself, returns true if packets of the input cause the
     * pause.  Deadlock detection calls this function.  Null: the engine pauses a peer only because
     * of packets at the input. */
    bool (*holds_for)(const void *state, const struct weir_ctx *, uint32_t in_slot,
                      uint16_t out_port);

    /* For an engine that sends messages periodically: the time between two messages at a port, with
     * the parameters of that port.  Null: the engine sends only when something changes. */
    weir_ps (*period_ps)(const void *params);

    /* Fills in the parameters that are WEIR_AUTO, and no others.  A parameter that cannot be
     * derived stays WEIR_AUTO; the node then refuses it, and quotes 'derived' of its field.  The
     * function is called for the whole node, and then for each port (weir_shape_at()).  Fields that
     * are 'by_port' take their values from the calls for ports.  Other fields must not depend on
     * such fields.  Null if no field is derived. */
    void (*derive)(const struct weir_shape *, void *params);

    /* Checks parameters that are each in range.  Returns false with the reason if they do not fit
     * together.  Otherwise returns true with the needs; 'text' may then have warnings, for example
     * of a bound that is not met.  The function is called once if all ports of the node have the
     * same properties, and otherwise for each port with the parameters of that port.  No parameter
     * is WEIR_AUTO.  The needs are those of the whole node, so they must not depend on fields that
     * are 'by_port'. */
    bool (*check)(const struct weir_shape *, const void *params, struct weir_needs *,
                  struct weir_text *text);

    /* Initialises the state, which is all zero bytes before.  A field that is 'by_port' is
     * WEIR_AUTO if the ports of the node differ in it; then 'init' obtains the value of each port
     * with weir_shape_at() and 'derive'. */
    void (*init)(void *state, struct weir_ctx *, const void *params);

    /* Events; each hook may be null if the scheme ignores the event. */
    void (*arrived)(void *state, struct weir_ctx *, struct weir_pkt *); /* The packet was counted at
                                                                         * its input. */
    void (*queued)(void *state, struct weir_ctx *,
                   struct weir_pkt *); /* The packet is queued at its output. */
    void (*departed)(void *state, struct weir_ctx *, struct weir_pkt *); /* The packet starts onto
                                                                          * the wire. */
    void (*frame)(void *state, struct weir_ctx *, uint16_t port, const struct weir_frame *);
    void (*timer)(void *state, struct weir_ctx *, uint32_t key);
    void (*link)(void *state, struct weir_ctx *, uint16_t port, bool up);

    /* The clock was set back by 'by_ps'.  The hook corrects all times in the state with
     * weir_rebased(); the node and the host correct gates and timers.  The hook adds nothing to the
     * outbox.  Null: the state holds no times. */
    void (*rebase)(void *state, const struct weir_ctx *, weir_ps by_ps);

    /* The following hooks belong to services; each may be null.  With stages: the packet has left
     * its input for its output. */
    void (*forwarded)(void *state, struct weir_ctx *, struct weir_pkt *);

    /* With stages: the output had no room for the packet, so the packet is dropped, and the buffer
     * no longer counts it. */
    void (*refused)(void *state, struct weir_ctx *, struct weir_pkt *);

    /* Without stages: a packet was moved from the output of 'from_port' to the output of its
     * out_port.  It is still counted at its input.  Null: outputs do not matter to the scheme. */
    void (*moved)(void *state, struct weir_ctx *, struct weir_pkt *, uint16_t from_port);

    /* At a NIC: a packet of one of its flows starts onto the wire; in_port equals out_port. */
    void (*sent)(void *state, struct weir_ctx *, struct weir_pkt *);

    /* At a NIC: a message of the engine's type has arrived for one of its flows. */
    void (*heard)(void *state, struct weir_ctx *, uint32_t flow, const struct weir_frame *);
};

/* The registry of all engines. */
extern const struct weir_registry weir_engines;

/* The i-th engine of the registry; null past the last. */
const struct weir_engine *weir_engine_at(uint32_t i);
/* The engine with a given name, or null. */
const struct weir_engine *weir_engine_find(const char *name);

#ifdef __cplusplus
}
#endif

#endif
