/* Nodes: what a host calls.
 *
 * A node binds up to WEIR_MAX_ENGINES engines to one switch or NIC, say ECN marking beside GFC.
 * It hands each event to each engine in the order given, and each frame to the engine whose frame
 * it is.
 *
 *     struct weir_stack stack = { 0 };                            which engines, which parameters
 *     weir_stack_add(&stack, weir_engine_find("pfc"));
 *     weir_stack_set(&stack, 0, "xoff", "800KB", &why);
 *     weir_stack_resolve(&stack, &shape, &needs, &text)           else tell the user
 *     weir_node_init(&node, &stack, &shape, &buffer, &outbox, memory, now);
 *     obey(&outbox);                                              first timers
 *     weir_node_arrived(&node, now, &pkt);                        an event
 *     obey(&outbox);                                              the answers
 *
 * Each call starts by emptying the outbox.  The memory holds gates and states without pointers: a
 * copy of it, of the buffer (struct and slots) and of node.ctx.now is a checkpoint, and put back
 * continues from there.  A resolved stack is for one shape: for other nodes resolve a copy of the
 * unresolved one. */

#ifndef WEIR_NODE_H
#define WEIR_NODE_H

#include "engine.h"

#ifdef __cplusplus
extern "C" {
#endif

#define WEIR_MAX_ENGINES  4
#define WEIR_MEMORY_ALIGN 64

struct weir_stack {
    uint32_t n;
    struct {
        const struct weir_engine *engine;
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

/* Fills in what was left to the engines and checks that shape and engines fit together.  Returns
 * false and the reason if not; else the sum of what the host must provide, and warnings, if any,
 * one a line. */
bool weir_stack_resolve(struct weir_stack *, const struct weir_shape *, struct weir_needs *,
                        struct weir_text *text);

struct weir_node {
    struct weir_ctx ctx;
    uint32_t n_layers;
    struct {
        const struct weir_engine *engine;
        void *state;
        uint32_t first_key, frame_id;
    } layers[WEIR_MAX_ENGINES];
    uint64_t n_strange_frames; /* That no engine here knows. */
};

/* 'memory' has needs.state_bytes and is aligned to WEIR_MEMORY_ALIGN; 'out' holds needs.max_emits.
 * The stack must have been resolved for this shape. */
void weir_node_init(struct weir_node *, const struct weir_stack *, const struct weir_shape *,
                    const struct weir_buffer *, struct weir_outbox *, void *memory, weir_ps now);

void weir_node_arrived(struct weir_node *, weir_ps now, struct weir_pkt *);
void weir_node_queued(struct weir_node *, weir_ps now, struct weir_pkt *);
void weir_node_departed(struct weir_node *, weir_ps now, struct weir_pkt *);
void weir_node_frame(struct weir_node *, weir_ps now, uint16_t port, const struct weir_frame *);
void weir_node_timer(struct weir_node *, weir_ps now, uint32_t key);
void weir_node_link(struct weir_node *, weir_ps now, uint16_t port, bool up);

#ifdef __cplusplus
}
#endif

#endif
