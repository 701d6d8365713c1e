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
 * Most schemes need nothing else.  Some need more, each for itself: the sender of a packet, a
 * message to that sender, a rate limit for one of its flows, inputs that empty before outputs.  An
 * engine asks for such services in its needs, a host offers them in the shape of a node, and a
 * stack that asks for what is not offered is refused.  A service costs nothing unless an engine
 * needs it.
 *
 * One instance serves one whole node, because a scheme may pause port 1 for what piles up at port
 * 7.  Answers go to an outbox that the host drains after the call.  An engine never calls its host,
 * so no call re-enters, and the same inputs give the same answers under every host.
 *
 * An engine
 *   - takes time from ctx->now, and random numbers from weir_random() on a number in its own state;
 *   - keeps its state in plain bytes without pointers: a copy is a checkpoint;
 *   - allocates nothing, and after 'check' has passed cannot fail: a bad frame off the wire is
 *     counted and ignored, a broken invariant is asserted;
 *   - writes its state, the limits named in 'limits', trip wires, a packet's ECN field, and the
 *     outbox.
 *
 * A host
 *   - calls one node from one thread at a time, with a clock that starts at 0 or later and never
 *     goes back but by weir_node_rebase(), which it calls before the clock ends;
 *   - puts an arriving packet into the class returned by weir_class_here(), and sends it on in
 * that;
 *   - updates the buffer before it calls 'arrived', 'forwarded', 'refused' or 'departed', and, with
 *     stages, 'queued';
 *   - counts a packet out of the buffer with the size it came in with;
 *   - may move a packet from one output to another, as after a change of routes: without stages it
 *     updates the buffer and calls 'moved'; with stages it calls 'departed', and 'queued' again
 *     when the packet stands at the other output;
 *   - reports a packet that it drops, for lack of a route, as arrived and departed at once,
 *     or with stages as arrived and forwarded; the buffer does not count it;
 *   - sends control frames ahead of data that has not started, and hands a received one over when
 *     its response time is past; packets and frames of one link do not overtake each other;
 *   - takes all links to be up at the start, and drops what is on the way to or from a link that
 *     goes down, and what an engine sends there while it is;
 *   - reports to both ends of a link that it is down before it reports to one that it is up, and
 *     the second of these within the time of 65535 quanta of the first (below, restarts);
 *   - keeps one time a timer: setting it again replaces it;
 *   - obeys the outbox, in order, and then empties it.  It may make several calls first: gates
 *     change during the call, the rest waits, and the outbox needs room for all of them.
 *
 * Restarts.  At the very start queues are empty, and a sender may begin at once.  When a link comes
 * up again the queue behind it may be as long as it was, and earlier agreements are void.  So an
 * engine that promises to lose nothing does this when a link comes up:
 *   - as receiver it reports its queues at once, also if they are short;
 *   - as sender it keeps its gates shut until it has received that report;
 *   - it repeats the report when it first receives from the peer, or from time to time, since the
 * peer's link may have come up after ours, too late for our first message;
 *   - waits for a peer that never speaks no longer than weir_first_word_ps(): the longest pause of
 *     PFC, 65535 quanta, and the time of a word there and back.
 *
 * Timers and the clock.  The host owns the timers: a node has one time for each key of its engines,
 * WEIR_NEVER at first, and a WEIR_TIMER answer replaces it.  When that time has come the host makes
 * it WEIR_NEVER and calls 'timer', at that time or as soon after as it can.  A clock of picoseconds
 * ends after 106 days.  A host that runs for longer sets it back, at the latest when it shows
 * WEIR_LATE, 53 days.  It obeys the outbox, and calls weir_node_rebase() for each node of that
 * clock.  In weir_rebased() it subtracts the same from each time that it keeps itself: timers,
 * opening times of gates, frames that wait for their response time.  The change is invisible to
 * engines.  Near the end of a clock that is not set back, times that would be past it are
 * WEIR_NEVER: nothing overflows, but such a timer does not fire.
 *
 * Ranges, each from 0 to one less than:
 *     port n_ports      class n_classes      slot n_ports * n_classes      timer's key n_timers
 *     flow of a NIC n_flows                  layer of a stack its n
 * A packet has at least one byte, a factor is at most WEIR_RATIO_1, a frame has at most
 * WEIR_FRAME_MAX bytes.  A call out of range is its caller's mistake and is asserted, on both
 * sides.  Only input from outside the host, a frame or a message with its port, flow and length, is
 * checked in every build: one that is out of range is counted and ignored.
 *
 * Trip wires.  Most packets change nothing: a queue that is far from a threshold may grow or
 * shrink, and the engine that watches it would look and do nothing.  So an engine may set a trip
 * wire for each (port, class) by weir_set_trip(): it then receives arrivals from a fill of the
 * input on, and departures under a fill.  The host compares in line, as it does with gates, and
 * calls no engine in between.  By default an engine is called for every packet.  Another engine of
 * the node, or a host that does not compare, may cause a call that the engine did not ask for: it
 * must then change nothing.  So wires are a matter of speed alone.
 *
 * doc/adding-an-engine.md walks through writing one; src/lib/engines/none.c is the smallest. */

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
    weir_ps peer_response_ps; /* The response time of the port at the other end.  The link's is the
                                 longest of all. */
    uint8_t peer_tier;        /* The tier of that node. */
    bool is_inner;            /* Its link is one inside a switching fabric. */
};

/* The ports of a node that an engine serves: a fabric may have another flow control inside. */
enum weir_scope { WEIR_AT_ALL_PORTS, WEIR_AT_OUTER_PORTS, WEIR_AT_INNER_PORTS };

struct weir_shape {                /* A node as built: constant. */
    const struct weir_port *ports; /* At least one. */
    uint16_t n_ports;
    uint8_t n_classes;
    uint8_t lossless; /* Bit c: class c is under flow control. */
    uint8_t scope;    /* enum weir_scope of the engine that receives it.  A host sets all of it. */
    bool is_for_port; /* Shown for one port, weir_shape_at(): WEIR_EACH_PORT gives 'port' alone. */
    uint16_t port;
    uint32_t mtu_bytes, gap_bytes;
    weir_ps response_ps; /* From the last bit of a frame to its effect, at every port. */
    uint32_t node_id;    /* So that each node draws its own random numbers. */
    uint32_t seed;       /* Seed of all random numbers of the host; 0 counts as 1. */
    uint8_t tier;        /* Links from the nearest host: 0 a NIC, 1 a switch that has hosts. */
    uint32_t services;   /* Services that the host offers here: enum weir_service, or'ed. */
    uint32_t n_flows;    /* At a NIC: the flows that it sends, by its own numbers.  0 at a switch,
                          * and at a NIC that sends none. */

    /* Where packets take time from input to output: that time, and the number per second that is
     * let in, over all inputs; 0: there is no such pipeline. */
    weir_ps pipeline_ps;
    uint64_t pipeline_pps;
    bool pipeline_stops; /* When an output is full: else the packet is dropped. */
    bool routes_late;    /* The output of a packet is not known while it is at its input. */
    struct weir_buffer_plan buffer;
};

/* Services that a host may offer at a node, and an engine may need there. */
enum weir_service {
    WEIR_SERVICE_LABELS = 1 << 0, /* pkt.flow is the sender of a packet. */
    WEIR_SERVICE_MESSAGES =
        1 << 1, /* Carries messages, and delivers those that come for the node: 'heard'. */
    WEIR_SERVICE_UNITS = 1 << 2,        /* pkt.unit, and packets of an input at random: index.h. */
    WEIR_SERVICE_STAGES = 1 << 3,       /* Separate input and output buffers: buffer.h, 'forwarded',
                                         * 'refused'. */
    WEIR_SERVICE_FLOW_RATES = 1 << 4,   /* At a NIC: limits the rates of single flows, and calls
                                         * 'sent'. */
    WEIR_SERVICE_SLOWING = 1 << 5,      /* At a NIC: slows down the senders of a class. */
    WEIR_SERVICE_OUTPUT_UNITS = 1 << 6, /* pkt.output_unit, and packets of an output at random. */
};

enum { WEIR_N_SERVICES = 7 };

enum weir_ecn { WEIR_NOT_ECT, WEIR_ECT, WEIR_CE }; /* Cannot be marked, can be, is. */

/* A packet as engines see it. */
struct weir_pkt {
    uint32_t bytes; /* With check sequence, without preamble and gap. */
    uint16_t in_port;
    uint16_t out_port; /* With stages known from 'queued' or 'refused' on; before, its in_port. */
    uint8_t cls;       /* Its class; C++ keeps the longer word for itself. */
    uint8_t ecn;       /* enum weir_ecn. */

    /* A label of the sender: it means nothing but to the host, which finds the sender by it; in
     * 'sent' the number of one of the NIC's flows.  Only where the engine needs labels. */
    uint32_t flow;

    /* Its handle in the buffer's index of inputs, the same from 'arrived' until it is counted there
     * no more, by when it has left the index; WEIR_NO_UNIT if it has none.  And that in the index
     * of outputs, from 'queued' to 'departed'.  Only where the engine needs units. */
    uint32_t unit, output_unit;
};

/* The answers of an engine. */

/* The kinds of answers, which a host obeys. */
enum weir_emit_kind {
    WEIR_FRAME,     /* Send it to the peer. */
    WEIR_TIMER,     /* Call at that time. */
    WEIR_GATE,      /* It has changed: look at it again. */
    WEIR_MESSAGE,   /* Send it to the sender of a packet. */
    WEIR_FLOW_RATE, /* Send no more of a flow than this. */
    WEIR_SLOW,      /* Ask the senders of a class to slow down. */
    WEIR_N_EMIT_KINDS
};

/* One answer. */
struct weir_emit {
    enum weir_emit_kind kind;
    uint32_t key; /* FRAME: port to send it by.  TIMER, GATE, SLOW: which.  Else: the flow. */
    union {
        weir_ps at;        /* TIMER: when, WEIR_NEVER to stop it. */
        uint64_t rate_bps; /* FLOW_RATE: WEIR_UNLIMITED for no limit. */
        uint64_t factor;   /* SLOW: a ratio, 0 .. WEIR_RATIO_1. */
    };
    struct weir_frame frame; /* FRAME, MESSAGE. */
    uint8_t cls;             /* MESSAGE: the packet or flow that it is about, */
    uint16_t port;           /* at the node that sends it. */
};

/* Answers, in order.  Lent by the host, which empties it; empty, it can serve any node of the
 * thread. */
struct weir_outbox {
    struct weir_emit *emits;
    uint32_t n, max;
};

/* Fills of a (port, class) at which engines need not receive packets: see trip wires. */
struct weir_trip {
    uint64_t from_bytes;  /* The host reports an arrival if its input then holds so much, or more;
                           * UINT64_MAX: none. */
    uint64_t under_bytes; /* The host reports a packet that has left if its input then holds less
                           * than this; 0: none, UINT64_MAX: all. */
    uint64_t over_bytes;  /* The host reports a packet that is queued or departs if its output then
                           * holds more than this; UINT64_MAX: none. */
    uint64_t calm_bytes;  /* For the node alone: an arrival after which its input holds less than
                             this is not reported, and fits the reserve. */
};

/* The surroundings of an engine during a call. */
struct weir_ctx {
    weir_ps now;
    const struct weir_shape *shape;
    const struct weir_buffer *buffer;
    struct weir_gate *gates; /* [port][class]. */
    struct weir_trip *trips; /* [port][class], for all engines; behind them, where there are
                                several, those of each: weir_set_trip(). */
    uint8_t *arrives_as;     /* [port][class sent in], see weir_class_here(); null: the same. */
    uint8_t *shut; /* [port][class]: true if an engine keeps the peer paused by frames of PFC, see
                      weir_note_shut(); null: no other engine can ask. */
    struct weir_outbox *out;
    uint32_t first_key;       /* The first key of this engine's timers, within the node. */
    uint32_t layer, n_layers; /* The number of the engine at the node, and the number of engines. */
    bool is_copy; /* In 'arrived': the node has made one more of a packet, whose sender sent one. */
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

/* A class for packets that must be dropped. */
#define WEIR_NO_CLASS 0xff

/* The class in this node of a packet that came in by 'port' and was sent in class 'cls';
 * WEIR_NO_CLASS: it must be dropped. */
static inline uint8_t
weir_class_here(const struct weir_ctx *ctx, uint16_t port, uint8_t cls)
{
    return ctx->arrives_as ? ctx->arrives_as[weir_slot(ctx, port, cls)] : cls;
}

/* PFC's frames replace each other at the peer.  So an engine that pauses peers by them notes it,
 * and another one at the node sends none that would shorten such a pause. */
static inline void
weir_note_shut(struct weir_ctx *ctx, uint32_t slot, bool shut)
{
    if (ctx->shut) {
        ctx->shut[slot] = shut;
    }
}

/* Whether an engine of this node keeps the peer of a slot paused. */
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

/* How many classes are lossless. */
static inline uint32_t
weir_n_lossless(const struct weir_shape *shape)
{
    uint32_t n = 0;

    for (uint8_t cls = 0; cls < shape->n_classes; cls++) {
        n += weir_is_lossless(shape, cls);
    }
    return n;
}

/* Whether engines of a scope serve a port. */
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

/* The first port from one on that the engine serves; n_ports if there are no more. */
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

/* For 'derive', 'check' and 'init': each port that the engine serves. */
#define WEIR_EACH_PORT(SHAPE, PORT)                                                                \
    for (uint16_t PORT = weir_port_from(SHAPE, 0); PORT < (SHAPE)->n_ports;                        \
         PORT = weir_port_from(SHAPE, PORT + 1u))

/* Whether packets leave their input before they leave the node: then 'forwarded', and not
 * 'departed', is when what came in there becomes less. */
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

/* Holds the rate: no packet before 'until_ps' or the next weir_set_rate(), then line rate. */
void weir_hold_rate(struct weir_ctx *, uint32_t slot, weir_ps until_ps);

/* Counts credit from 0 again, in whole grains, up to 0 or WEIR_UNLIMITED. */
void weir_restart_credit(struct weir_ctx *, uint32_t slot, uint32_t grain_bytes,
                         uint64_t limit_bytes);

/* The fills from which on this engine receives packets of a (port, class): at its input, and at its
 * output. The host reports a packet that departs if either asks for it; with stages it reports a
 * packet that has left an input by 'forwarded', and every packet by 'departed'. */
void weir_set_trip(struct weir_ctx *, uint32_t slot, uint64_t from_bytes, uint64_t under_bytes);
void weir_set_output_trip(struct weir_ctx *, uint32_t slot, uint64_t over_bytes);

/* A message to the sender of a packet with the label 'flow', about a (port, class) of this node; to
 * be filled in like a frame.  The source receives it by 'heard', later or never. */
struct weir_frame *weir_send_to_source(struct weir_ctx *, uint32_t flow, uint16_t port,
                                       uint8_t cls);

/* At a NIC: no more of a flow than 'rate_bps', WEIR_UNLIMITED for no limit.  The host keeps the
 * gate; the lower of this rate and that of the sender's own control holds. */
void weir_limit_flow(struct weir_ctx *, uint32_t flow, uint64_t rate_bps);

/* At a NIC: asks the control of each flow that leaves by 'slot' to go on at 'factor' times its rate
 * or window, WEIR_RATIO_1 being all of it.  Once: the control raises it again as it does after a
 * congestion of its own, and keeps its own floor. */
void weir_slow_flows(struct weir_ctx *, uint32_t slot, uint64_t factor);

uint64_t weir_random(uint64_t *state); /* SplitMix64: any seed will do. */

/* For an engine's 'derive': the seed of the host, if none was given. */
static inline void
weir_derive_seed(const struct weir_shape *shape, uint64_t *seed)
{
    if (*seed == WEIR_AUTO) {
        *seed = shape->seed ? shape->seed : 1;
    }
}

/* For its 'init': the start of its random numbers, so that each node draws its own. */
static inline uint64_t
weir_chance_at(const struct weir_shape *shape, uint64_t seed)
{
    return seed << 32 | shape->node_id;
}

/* For an engine's 'derive' and 'check': the link of a port, the link that needs the maximum room by
 * the given function, and the minimum room that a lossless class can count on. */
struct weir_link weir_shape_link(const struct weir_shape *, uint16_t port);
uint64_t weir_shape_worst_bytes(const struct weir_shape *,
                                uint64_t (*need)(const struct weir_link *));
uint64_t weir_shape_room_bytes(const struct weir_shape *);
uint64_t weir_shape_room_at(const struct weir_shape *, uint16_t port); /* The same at one port. */

/* For a field that is 'by_port': a threshold that a source gives for ports of 'base_bps', at the
 * port that 'derive' is called for.  It grows with the rate of faster ports, up to half of what a
 * queue that is alone can hold there; slower ports have what the source gives. */
uint64_t weir_shape_scaled_bytes(const struct weir_shape *, uint64_t bytes, uint64_t base_bps);

/* The same node, for one of its ports: WEIR_EACH_PORT gives that port alone.  So 'init' finds the
 * parameters of a port by calling 'derive' for it. */
struct weir_shape weir_shape_at(const struct weir_shape *, uint16_t port);

/* Whether 'derive' and 'check' see no difference between two ports: link, peer and buffer. */
bool weir_ports_are_alike(const struct weir_shape *, uint16_t a, uint16_t b);

struct weir_engine;

/* The parameters of an engine at one port of a node, into WEIR_PARAMS_MAX bytes: those of the node,
 * and the fields that the port derives for itself. */
void weir_port_params(const struct weir_engine *, const struct weir_shape *, uint16_t port,
                      const void *params, void *of_port);

/* A parameter that was resolved for a node: its minimum and maximum over all ports, the same unless
 * ports differ in it; and as text. */
struct weir_param_range {
    uint64_t least, most;
};

/* The range of a parameter over all ports, and its text. */
struct weir_param_range weir_param_range(const struct weir_engine *, const struct weir_shape *,
                                         const struct weir_field *, const void *params);
void weir_param_text(struct weir_text *, const struct weir_engine *, const struct weir_shape *,
                     const struct weir_field *, const void *params);

/* The engine. */

enum weir_limit { /* Limits an engine may write; no two engines of one node may share one. */
                  WEIR_LIMIT_OPEN = 1 << 0,
                  WEIR_LIMIT_RATE = 1 << 1,
                  WEIR_LIMIT_CREDIT = 1 << 2,
                  WEIR_LIMIT_FLOW = 1 << 3, /* Rates of single flows, by weir_limit_flow(). */
                  WEIR_LIMIT_HOLD = 1 << 4, /* The rate, too, but by weir_hold_rate() alone: pauses
                                             * that end by themselves. */
};

/* The limits that stop or slow transmit queues. */
#define WEIR_LIMITS_OF_QUEUES                                                                      \
    (WEIR_LIMIT_OPEN | WEIR_LIMIT_RATE | WEIR_LIMIT_CREDIT | WEIR_LIMIT_HOLD)

/* The demands of an engine at a node, which the host provides. */
struct weir_needs {
    size_t state_bytes;
    uint32_t n_timers;  /* Keys 0 .. n_timers - 1. */
    uint32_t max_emits; /* The most answers of one call. */
    uint32_t frame_id;  /* The frames that it sends and obeys; 0: none. */
    uint32_t sent_id;   /* The frames that it sends, if they are of another protocol; else 0. */
    const char *sent_protocol; /* That protocol. */
    uint16_t message_type;     /* EtherType of the messages it sends and takes; 0: none. */
    uint32_t services;         /* enum weir_service, or'ed. */
};

#define WEIR_PARAMS_MAX 256 /* Bytes of any engine's parameters. */

/* The descriptor of an engine: description, parameters, demands and hooks. */
struct weir_engine {
    struct weir_plugin about;
    uint32_t limits;                   /* enum weir_limit, or'ed. */
    const struct weir_field *counters; /* Offsets into the state. */

    /* Packets change class from hop to hop: 'init' fills in ctx->arrives_as, which is the identity
     * before, and nothing writes it later.  Switches have such a table for each port, from priority
     * to traffic class; the class that a packet leaves in is the priority that it then carries. */
    bool moves_classes;

    bool marks; /* It may set a packet's ECN field to CE. */

    /* It blocks or throttles peers, and yet packets of lossless classes may be lost: it is meant to
     * run next to an engine that prevents that. */
    bool needs_last_resort;

    /* The protocol of its frames, if other engines use the same one.  Engines at the two ends of a
     * link understand each other if they have one protocol and one frame_id.  Null: the protocol is
     * the engine's own. */
    const char *protocol;

    /* It sends no packet of a lossless class on a link before the first frame of the peer. */
    bool waits_for_peer;

    /* A sender slows down, but never stops.  The receiver keeps buffer for that.  The receiver of
     * an engine without this fact expects that its peer stops. */
    bool never_stops;

    /* For an engine that also pauses the peer of an input for packets that wait at outputs: true if
     * it does so now, for an output in the class of the input.  For the port of the input itself:
     * true if it does so for the packets of the input.  The search for deadlocks asks it.  Null: it
     * blocks peers for inputs alone. */
    bool (*holds_for)(const void *state, const struct weir_ctx *, uint32_t in_slot,
                      uint16_t out_port);

    /* For an engine that sends periodically, whether there is news or not: the time between two of
     * its messages at a port, with the parameters of that port.  Null: it speaks when something
     * changes.
     */
    weir_ps (*period_ps)(const void *params);

    /* Fills in parameters left WEIR_AUTO, and no others.  A parameter that cannot be derived stays
     * WEIR_AUTO: the node then refuses it, with the field's 'derived'.  It is called for the whole
     * node, and then for each port alone (weir_shape_at()): fields that are 'by_port' take their
     * values from the latter.  Other fields must not depend on those.  Null if no field is derived.
     */
    void (*derive)(const struct weir_shape *, void *params);

    /* Returns false with the reason if the parameters do not fit, each being in its range.  Returns
     * true with the needs if they do; text then warns of a bound that is missed.  It is called for
     * ports with the same properties: once for the node if all have the same, else for each port
     * with the parameters of that port.  Nothing is WEIR_AUTO.  The needs are those of the whole
     * node, so they must not depend on fields that are 'by_port'. */
    bool (*check)(const struct weir_shape *, const void *params, struct weir_needs *,
                  struct weir_text *text);

    /* The state is all zero bytes before.  A field that is 'by_port' is WEIR_AUTO if the ports of
     * the node differ in it; then weir_shape_at() and 'derive' give the value of each port. */
    void (*init)(void *state, struct weir_ctx *, const void *params);

    /* Each may be null: the scheme does not care. */
    void (*arrived)(void *state, struct weir_ctx *, struct weir_pkt *); /* Counted at its input. */
    void (*queued)(void *state, struct weir_ctx *,
                   struct weir_pkt *); /* The packet is queued at its output. */
    void (*departed)(void *state, struct weir_ctx *, struct weir_pkt *); /* Starts onto the wire. */
    void (*frame)(void *state, struct weir_ctx *, uint16_t port, const struct weir_frame *);
    void (*timer)(void *state, struct weir_ctx *, uint32_t key);
    void (*link)(void *state, struct weir_ctx *, uint16_t port, bool up);

    /* The clock was set back by 'by_ps': takes it off every time in the state, by weir_rebased().
     * Gates and timers are others' business.  It answers nothing.  Null: it keeps no time. */
    void (*rebase)(void *state, const struct weir_ctx *, weir_ps by_ps);

    /* For services; each may be null.  With stages: it has left its input for its output. */
    void (*forwarded)(void *state, struct weir_ctx *, struct weir_pkt *);

    /* With stages: its output had no room for it, and it is dropped there; the buffer counts it no
     * more. */
    void (*refused)(void *state, struct weir_ctx *, struct weir_pkt *);

    /* Without stages: a packet that stood at the output of 'from_port' stands at that of its
     * out_port instead, and is counted at its input as before.  Null: the scheme does not go by
     * outputs. */
    void (*moved)(void *state, struct weir_ctx *, struct weir_pkt *, uint16_t from_port);

    /* At a NIC: a packet of one of its flows starts onto the wire; in_port is its out_port. */
    void (*sent)(void *state, struct weir_ctx *, struct weir_pkt *);

    /* At a NIC: a message of the engine's type has arrived for one of its flows. */
    void (*heard)(void *state, struct weir_ctx *, uint32_t flow, const struct weir_frame *);
};

/* The registry of all engines. */
extern const struct weir_registry weir_engines;

/* The engine with a number in the registry, null past the last; and the one with a name, or null.
 */
const struct weir_engine *weir_engine_at(uint32_t i);
const struct weir_engine *weir_engine_find(const char *name);

#ifdef __cplusplus
}
#endif

#endif
