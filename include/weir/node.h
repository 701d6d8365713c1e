/* Nodes: the calls of a host.
 *
 * A node binds up to WEIR_MAX_ENGINES engines to one switch or NIC, say ECN marking and GFC.  It
 * hands each event to each engine in the order given, and each frame to the engine whose frame it
 * is.
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
 * Calls add to the outbox, and only the host empties it: after each call, or after several.  Before
 * each call the outbox must have room for needs.max_emits more, the maximum of one call; so a host
 * that makes k calls before it obeys brings k times as much.
 *
 * A clock that runs for months is set back before it ends, say every day:
 *
 *     now -= by;                                                  the host's own clock
 *     weir_node_rebase(&node, by);                                each node of that clock
 *     timers[key] = weir_rebased(timers[key], by);                each time that the host keeps
 *
 * The memory holds gates and states without pointers.  A copy of it, of the buffer (struct, slots,
 * and index if there is one) and of node.ctx.now is a checkpoint, and put back continues from
 * there.  A resolved stack is for one shape: for other nodes resolve a copy of the unresolved one.
 *
 * Scopes.  An engine may serve only the ports outside a switching fabric, or only those inside.
 * The node calls it for packets that came in by them, for their frames and links, and it derives
 * its parameters for them alone.  So two engines that would limit the same queues may run at one
 * node.  At a node that has no such port it is not there at all.
 *
 *     weir_stack_add(&stack, weir_engine_find("pfc"));
 *     weir_stack_add(&stack, weir_engine_find("cbfc"));
 *     stack.layers[0].scope = WEIR_AT_OUTER_PORTS;
 *     stack.layers[1].scope = WEIR_AT_INNER_PORTS;
 *
 * Ranges stand in engine.h.  Each call asserts those of its arguments.  A frame with a port or a
 * length out of range, and a message for a flow out of range, may come from outside.  They are
 * counted in 'n_refused' and ignored, in every build. */

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
    uint32_t n_slots; /* The slots of the shape that it is resolved for. */
    struct {
        const struct weir_engine *engine;
        enum weir_scope scope;
        uint64_t params[WEIR_PARAMS_MAX / sizeof(uint64_t)];
    } layers[WEIR_MAX_ENGINES];
};

/* Adds an engine with its defaults; false if the stack is full. */
bool weir_stack_add(struct weir_stack *, const struct weir_engine *);

/* Sets one parameter of one layer from text; false, with the reason, for an unknown name, a value
 * that is none, or one out of range. */
bool weir_stack_set(struct weir_stack *, uint32_t layer, const char *name, const char *value,
                    struct weir_text *why);

/* The limits that some engine of it may write: enum weir_limit, or'ed. */
uint32_t weir_stack_limits(const struct weir_stack *);

/* The shape of a node as the engine of a layer sees it, for weir_param_text() and its like. */
struct weir_shape weir_layer_shape(const struct weir_stack *, uint32_t layer,
                                   const struct weir_shape *);

/* Takes out engines that serve no port of the node, fills in what was left to the others, and
 * checks that shape and engines fit together.  Returns false and the reason if not; else the sum of
 * what the host must provide, and warnings, if any, one per line. */
bool weir_stack_resolve(struct weir_stack *, const struct weir_shape *, struct weir_needs *,
                        struct weir_text *text);

/* The needs of a layer's engine, once the stack is resolved for that shape. */
struct weir_needs weir_layer_needs(const struct weir_stack *, uint32_t layer,
                                   const struct weir_shape *);

/* A node: its engines and their states. */
struct weir_node {
    struct weir_ctx ctx;
    uint32_t n_layers;
    bool is_plain; /* One layer, at all ports. */
    struct {
        const struct weir_engine *engine;
        void *state;
        uint32_t first_key, frame_id;
        enum weir_scope scope;
    } layers[WEIR_MAX_ENGINES];
    uint64_t n_strange_frames;    /* Frames and messages that no engine here knows. */
    uint64_t n_refused;           /* The same, with a port, flow or length off range. */
    uint32_t n_timers, max_emits; /* The sums over all layers. */
    struct weir_needs needs[WEIR_MAX_ENGINES]; /* One for each layer. */
};

/* 'memory' has needs.state_bytes and is aligned to WEIR_MEMORY_ALIGN; 'out' has room for
 * needs.max_emits more.  The stack must have been resolved for this shape; the buffer has an
 * index if needs.services asks for one. */
void weir_node_init(struct weir_node *, const struct weir_stack *, const struct weir_shape *,
                    const struct weir_buffer *, struct weir_outbox *, void *memory, weir_ps now);

/* Report an event to the node.  It hands packets that have arrived, are queued, have departed or,
 * with stages, were forwarded to those engines that requested them: engine.h, trip wires. */
void weir_node_arrived(struct weir_node *, weir_ps now, struct weir_pkt *);
void weir_node_queued(struct weir_node *, weir_ps now, struct weir_pkt *);
void weir_node_departed(struct weir_node *, weir_ps now, struct weir_pkt *);
void weir_node_moved(struct weir_node *, weir_ps now, struct weir_pkt *, uint16_t from_port);
void weir_node_frame(struct weir_node *, weir_ps now, uint16_t port, const struct weir_frame *);
void weir_node_timer(struct weir_node *, weir_ps now, uint32_t key);
void weir_node_link(struct weir_node *, weir_ps now, uint16_t port, bool up);

/* True if some engine requests an arrival at an input with this fill. Hot: in line, so that a host
 * can save the call. */
static inline bool
weir_node_hears_arrived(const struct weir_node *node, uint32_t in_slot, uint64_t in_bytes)
{
    return in_bytes >= node->ctx.trips[in_slot].from_bytes;
}

/* The same for a packet that has left its input. */
static inline bool
weir_node_hears_left(const struct weir_node *node, uint32_t in_slot, uint64_t in_bytes)
{
    return in_bytes < node->ctx.trips[in_slot].under_bytes;
}

/* The same for a packet that joins or leaves an output. */
static inline bool
weir_node_hears_output(const struct weir_node *node, uint32_t out_slot, uint64_t out_bytes)
{
    return out_bytes > node->ctx.trips[out_slot].over_bytes;
}

/* Hot: true if no engine receives arrivals and the packet fits the reserve, so that it need only be
 * counted, by weir_buffer_count_in(); 'in_bytes' is the queue of its input after that.  Without
 * stages. */
static inline bool
weir_node_is_calm(const struct weir_node *node, uint32_t in_slot, uint64_t in_bytes)
{
    return in_bytes < node->ctx.trips[in_slot].calm_bytes;
}

/* Hot: for a node that is done with packets as they arrive, as a NIC is. True if a packet need not
 * be reported or counted, as it would have no effect. */
static inline bool
weir_node_ignores(const struct weir_node *node, uint32_t slot, uint32_t bytes)
{
    const struct weir_buffer_slot *held = &node->ctx.buffer->slots[slot];

    return weir_node_is_calm(node, slot, held->in_bytes + bytes) &&
           !weir_node_hears_left(node, slot, held->in_bytes) &&
           !weir_node_hears_output(node, slot, held->out_bytes);
}

/* Whether some engine here blocks the peer of an input for packets that wait at an output, or, for
 * the port of the input itself, may do so for packets at the input. */
bool weir_node_holds_for(const struct weir_node *, uint32_t in_slot, uint16_t out_port);

/* The host's clock was set back by 'by_ps', so that the next call's 'now' is less by that.  The
 * outbox is empty: times in it would be of the old clock.  The host does the same to the times that
 * it keeps, first of all the timers; engine.h has the details. */
void weir_node_rebase(struct weir_node *, weir_ps by_ps);

/* For the services that engines need; a host that offers none never calls these. */
void weir_node_forwarded(struct weir_node *, weir_ps now, struct weir_pkt *);
void weir_node_refused(struct weir_node *, weir_ps now, struct weir_pkt *);
void weir_node_sent(struct weir_node *, weir_ps now, struct weir_pkt *);
void weir_node_heard(struct weir_node *, weir_ps now, uint32_t flow, const struct weir_frame *);

#ifdef __cplusplus
}
#endif

#endif
