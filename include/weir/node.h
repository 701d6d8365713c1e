/* Nodes: the functions by which a host runs engines.
 *
 * A node binds up to WEIR_MAX_ENGINES engines to one switch or NIC, say ECN marking and GFC.  It
 * passes each event to each engine in the given order, and each frame to the engine that uses this
 * type of frame.
 *
 *     struct weir_stack stack = { 0 };                            which engines, which parameters
 *     weir_stack_add(&stack, weir_engine_find("pfc"));
 *     weir_stack_set(&stack, 0, "xoff", "800KB", &why);
 *     weir_stack_resolve(&stack, &shape, &needs, &text)           else report to the user
 *     weir_node_init(&node, &stack, &shape, &buffer, &outbox, memory, now);
 *     obey(&outbox);                                              first timers
 *     weir_node_arrived(&node, now, &pkt);                        an event
 *     obey(&outbox);                                              the answers; outbox.n = 0
 *
 * Calls add to the outbox, and only the host empties it: after each call, or after several. Before
 * each call the outbox must have room for needs.max_emits more answers, the maximum of one call.  A
 * host that makes k calls before it obeys needs k times as much room.
 *
 * A clock that runs for months must be set back before it overflows, for example every day:
 *
 *     now -= by;                                                  the host's own clock
 *     weir_node_rebase(&node, by);                                each node of that clock
 *     timers[key] = weir_rebased(timers[key], by);                every time that the host stores
 *
 * The memory holds gates and states without pointers.  A checkpoint is a copy of this memory, of
 * the buffer (struct, slots, and its index if used) and of node.ctx.now.  Copying it back restores
 * the node.  A resolved stack belongs to one shape; for other nodes, resolve a copy of the
 * unresolved stack.
 *
 * Scopes.  An engine may serve only the ports outside a switching fabric, or only those inside.
 * The node calls such an engine for packets, frames and links of those ports, and derives its
 * parameters only for those ports.  So one node may run two engines that would otherwise limit the
 * same queues.  A node without such ports does not run the engine.
 *
 *     weir_stack_add(&stack, weir_engine_find("pfc"));
 *     weir_stack_add(&stack, weir_engine_find("cbfc"));
 *     stack.layers[0].scope = WEIR_AT_OUTER_PORTS;
 *     stack.layers[1].scope = WEIR_AT_INNER_PORTS;
 *
 * engine.h lists the ranges of arguments, and each function asserts them.  Frames and messages from
 * outside may have a port, a length or a flow out of range.  Such frames and messages are counted
 * in 'n_refused' and ignored, in every build. */

#ifndef WEIR_NODE_H
#define WEIR_NODE_H

#include "engine.h"

#ifdef __cplusplus
extern "C" {
#endif

/* The maximum number of engines at a node, and the alignment of its memory. */
#define WEIR_MAX_ENGINES  4
#define WEIR_MEMORY_ALIGN 64

/* Engines with their parameters, in the order in which they are called. */
struct weir_stack {
    uint32_t n;
    uint32_t n_slots; /* The number of slots of the shape for which it is resolved. */
    struct {
        const struct weir_engine *engine;
        enum weir_scope scope;
        uint64_t params[WEIR_PARAMS_MAX / sizeof(uint64_t)];
    } layers[WEIR_MAX_ENGINES];
};

/* Adds an engine with its defaults; false if the stack is full. */
bool weir_stack_add(struct weir_stack *, const struct weir_engine *);

/* Sets one parameter of one layer from text.  Returns false, with the reason, if the name is
 * unknown, the value cannot be read, or it is out of range. */
bool weir_stack_set(struct weir_stack *, uint32_t layer, const char *name, const char *value,
                    struct weir_text *why);

/* The limits that any engine of the stack may write: enum weir_limit, or'ed. */
uint32_t weir_stack_limits(const struct weir_stack *);

/* The shape of a node as the engine of a layer sees it, for example for weir_param_text(). */
struct weir_shape weir_layer_shape(const struct weir_stack *, uint32_t layer,
                                   const struct weir_shape *);

/* Removes engines that serve no port of the node, fills in parameters that are WEIR_AUTO, and
 * checks that shape and engines fit together.  Returns false and the reason if they do not.
 * Otherwise 'needs' is the sum of the needs of all engines, and 'text' has any warnings, one per
 * line. */
bool weir_stack_resolve(struct weir_stack *, const struct weir_shape *, struct weir_needs *,
                        struct weir_text *text);

/* The needs of a layer's engine, once the stack is resolved for that shape. */
struct weir_needs weir_layer_needs(const struct weir_stack *, uint32_t layer,
                                   const struct weir_shape *);

/* A node: its engines and their states. */
struct weir_node {
    struct weir_ctx ctx;
    uint32_t n_layers;
    bool is_plain; /* The node has one layer, which serves all ports. */
    struct {
        const struct weir_engine *engine;
        void *state;
        uint32_t first_key, frame_id;
        enum weir_scope scope;
    } layers[WEIR_MAX_ENGINES];
    uint64_t n_strange_frames;    /* Frames and messages that no engine of the node uses. */
    uint64_t n_refused;           /* Frames and messages with a port, flow or length out of
                                   * range. */
    uint32_t n_timers, max_emits; /* The sums over all layers. */
    struct weir_needs needs[WEIR_MAX_ENGINES]; /* The needs of each layer. */
};

/* 'memory' has needs.state_bytes and is aligned to WEIR_MEMORY_ALIGN; 'out' has room for
 * needs.max_emits more.  The stack must have been resolved for this shape; the buffer has an index
 * if needs.services requires one. */
void weir_node_init(struct weir_node *, const struct weir_stack *, const struct weir_shape *,
                    const struct weir_buffer *, struct weir_outbox *, void *memory, weir_ps now);

/* Report an event to the node.  The node passes packets that have arrived, are queued, have
 * departed or, with stages, were forwarded to the engines that requested them: engine.h, trip
 * wires. */
void weir_node_arrived(struct weir_node *, weir_ps now, struct weir_pkt *);
void weir_node_queued(struct weir_node *, weir_ps now, struct weir_pkt *);
void weir_node_departed(struct weir_node *, weir_ps now, struct weir_pkt *);
void weir_node_moved(struct weir_node *, weir_ps now, struct weir_pkt *, uint16_t from_port);
void weir_node_frame(struct weir_node *, weir_ps now, uint16_t port, const struct weir_frame *);
void weir_node_timer(struct weir_node *, weir_ps now, uint32_t key);
void weir_node_link(struct weir_node *, weir_ps now, uint16_t port, bool up);

/* True if an engine requests an arrival that makes its input queue this long.  Hot: inline, so that
 * a host can save the call. */
static inline bool
weir_node_hears_arrived(const struct weir_node *node, uint32_t in_slot, uint64_t in_bytes)
{
    return in_bytes >= node->ctx.trips[in_slot].from_bytes;
}

/* True if an engine requests a departure that leaves its input queue this long. */
static inline bool
weir_node_hears_left(const struct weir_node *node, uint32_t in_slot, uint64_t in_bytes)
{
    return in_bytes < node->ctx.trips[in_slot].under_bytes;
}

/* True if an engine requests a packet that joins or leaves an output queue, which is then this
 * long. */
static inline bool
weir_node_hears_output(const struct weir_node *node, uint32_t out_slot, uint64_t out_bytes)
{
    return out_bytes > node->ctx.trips[out_slot].over_bytes;
}

/* Hot: true if no engine requests this arrival and the packet fits the reserve.  It then need only
 * be counted, by weir_buffer_count_in().  'in_bytes' is the length of the input queue including the
 * packet.  For nodes without stages. */
static inline bool
weir_node_is_calm(const struct weir_node *node, uint32_t in_slot, uint64_t in_bytes)
{
    return in_bytes < node->ctx.trips[in_slot].calm_bytes;
}

/* Hot: for a node that consumes packets as they arrive, as a NIC does.  True if a packet need not
 * be reported or counted, because it would have no effect. */
static inline bool
weir_node_ignores(const struct weir_node *node, uint32_t slot, uint32_t bytes)
{
    const struct weir_buffer_slot *held = &node->ctx.buffer->slots[slot];

    return weir_node_is_calm(node, slot, held->in_bytes + bytes) &&
           !weir_node_hears_left(node, slot, held->in_bytes) &&
           !weir_node_hears_output(node, slot, held->out_bytes);
}

/* Whether an engine of this node blocks the peer of an input because packets wait at 'out_port'.
 * If 'out_port' is the port of the input, whether an engine may do so because of packets at the
 * input. */
bool weir_node_holds_for(const struct weir_node *, uint32_t in_slot, uint16_t out_port);

/* Call this after the host's clock was set back by 'by_ps'; 'now' of later calls is smaller by
 * 'by_ps'.  The outbox must be empty, because its times would be times of the old clock.  The host
 * must also shift the times that it keeps, such as timers; engine.h has the details. */
void weir_node_rebase(struct weir_node *, weir_ps by_ps);

/* Events of services; a host that offers no services never calls these functions. */
void weir_node_forwarded(struct weir_node *, weir_ps now, struct weir_pkt *);
void weir_node_refused(struct weir_node *, weir_ps now, struct weir_pkt *);
void weir_node_sent(struct weir_node *, weir_ps now, struct weir_pkt *);
void weir_node_heard(struct weir_node *, weir_ps now, uint32_t flow, const struct weir_frame *);

#ifdef __cplusplus
}
#endif

#endif
