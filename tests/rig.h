/* A rig: one node with everything that its host must provide, for tests and benchmarks.
 *
 *     struct rig rig = rig_start("pfc+ecn", 32, 10000000000, 1000000);
 *     weir_node_arrived(&rig.node, now, &pkt);        outputs are in rig.out
 *     rig_stop(&rig);
 *
 * Eight classes, of which the last is not lossless; each (port, class) has its own buffer. */

#ifndef TESTS_RIG_H
#define TESTS_RIG_H

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "weir/node.h"

enum { RIG_CLASSES = 8 };

struct rig {
    struct weir_port *ports;
    struct weir_shape *shape;
    struct weir_buffer *buffer;
    struct weir_outbox *out;
    struct weir_node node;
    void *memory;
    uint32_t n_slots, n_timers;
};

static inline void
rig_stack(struct weir_stack *stack, const char *engines)
{
    char names[80];

    snprintf(names, sizeof names, "%s", engines);
    for (char *name = strtok(names, "+"); name; name = strtok(NULL, "+")) {
        weir_stack_add(stack, weir_engine_find(name));
    }
}

static inline void
rig_shape(struct rig *r, uint16_t n_ports, uint64_t rate_bps, uint64_t reserve_bytes)
{
    r->ports = calloc(n_ports, sizeof *r->ports);
    r->shape = calloc(1, sizeof *r->shape);
    for (uint16_t i = 0; i < n_ports; i++) {
        r->ports[i] = (struct weir_port){ .rate_bps = rate_bps,
                                          .cable_ps = 1000000,
                                          .peer_tier = i % 2 ? 3 : 1 };
    }
    *r->shape = (struct weir_shape){ .ports = r->ports,
                                     .n_ports = n_ports,
                                     .n_classes = RIG_CLASSES,
                                     .lossless = 0x7f,
                                     .mtu_bytes = 1500,
                                     .response_ps = 3000000,
                                     .tier = 2,
                                     .services = WEIR_SERVICE_LABELS | WEIR_SERVICE_MESSAGES |
                                                 WEIR_SERVICE_UNITS | WEIR_SERVICE_OUTPUT_UNITS };
    r->n_slots = weir_n_slots(r->shape);
    r->shape->buffer.size_bytes = r->n_slots * reserve_bytes;
    for (int cls = 0; cls < RIG_CLASSES; cls++) {
        r->shape->buffer.classes[cls].reserve_bytes = reserve_bytes;
    }
}

/* The packet index of inputs or of outputs; null if no engine needs this service. */

static inline struct weir_index *
rig_index(const struct weir_needs *needs, uint32_t service, uint32_t n_slots)
{
    struct weir_index *x = calloc(1, sizeof *x);

    if (!(needs->services & service)) {
        free(x);
        return NULL;
    }
    weir_index_init(x, n_slots, malloc(weir_index_memory(n_slots)));
    return x;
}

static inline uint32_t
rig_add_unit(struct weir_index *x, uint32_t slot, uint32_t out_slot, const struct weir_pkt *pkt)
{
    unsigned lacks = x ? weir_index_lacks(x, slot) : 0;

    if (lacks & WEIR_INDEX_UNITS) {
        uint32_t n = 2 * x->max_units + 16;
        free(weir_index_lend_units(x, malloc(n * sizeof *x->units), n));
    }
    if (lacks & WEIR_INDEX_ORDER) {
        uint32_t n = 2 * x->slots[slot].max_used + 16;
        free(weir_index_lend_order(x, slot, malloc(n * sizeof(uint32_t)), n));
    }
    return x ? weir_index_add(x, slot, out_slot, pkt->bytes, pkt->flow) : WEIR_NO_UNIT;
}

static inline void
rig_free_index(struct weir_index *x)
{
    for (uint32_t slot = 0; x && slot < x->n_slots; slot++) {
        free(x->slots[slot].order);
    }
    if (x) {
        free(x->slots);
        free(x->units);
        free(x);
    }
}

/* Builds a node with the shape of the rig and these engines. */
static inline void
rig_build(struct rig *r, struct weir_stack *stack)
{
    uint16_t n_ports = r->shape->n_ports;
    struct weir_needs needs;
    struct weir_text said = { 0 };

    if (!weir_stack_resolve(stack, r->shape, &needs, &said)) {
        fprintf(stderr, "rig: %s\n", said.s);
        abort();
    }
    r->n_timers = needs.n_timers;
    r->buffer = calloc(1, sizeof *r->buffer);
    r->out = calloc(1, sizeof *r->out);
    r->out->emits = calloc(needs.max_emits + 1, sizeof *r->out->emits);
    r->out->max = needs.max_emits;
    r->memory = aligned_alloc(WEIR_MEMORY_ALIGN, needs.state_bytes);
    weir_buffer_init(r->buffer, &r->shape->buffer, n_ports, RIG_CLASSES,
                     malloc(weir_buffer_memory(n_ports, RIG_CLASSES)));
    r->buffer->index = rig_index(&needs, WEIR_SERVICE_UNITS, r->n_slots);
    r->buffer->output_index = rig_index(&needs, WEIR_SERVICE_OUTPUT_UNITS, r->n_slots);
    weir_node_init(&r->node, stack, r->shape, r->buffer, r->out, r->memory, 0);
}

static inline struct rig
rig_start_stack(struct weir_stack *stack, uint16_t n_ports, uint64_t rate_bps,
                uint64_t reserve_bytes)
{
    struct rig r = { 0 };

    rig_shape(&r, n_ports, rate_bps, reserve_bytes);
    rig_build(&r, stack);
    return r;
}

/* A NIC with this number of flows, whose rates engines may limit. */
static inline struct rig
rig_start_nic(struct weir_stack *stack, uint16_t n_ports, uint64_t rate_bps, uint32_t n_flows)
{
    struct rig r = { 0 };

    rig_shape(&r, n_ports, rate_bps, 1000000);
    r.shape->n_flows = n_flows;
    r.shape->tier = 0;
    r.shape->services = WEIR_SERVICE_LABELS | WEIR_SERVICE_MESSAGES | WEIR_SERVICE_FLOW_RATES |
                        WEIR_SERVICE_SLOWING;
    rig_build(&r, stack);
    return r;
}

/* Starts engines with derived parameters; 'engines' is a name, or several names joined by plus
 * signs. */
static inline struct rig
rig_start(const char *engines, uint16_t n_ports, uint64_t rate_bps, uint64_t reserve_bytes)
{
    struct weir_stack stack = { 0 };
    rig_stack(&stack, engines);
    return rig_start_stack(&stack, n_ports, rate_bps, reserve_bytes);
}

static inline void
rig_stop(struct rig *r)
{
    rig_free_index(r->buffer->index);
    rig_free_index(r->buffer->output_index);
    free(r->buffer->slots);
    free(r->buffer);
    free(r->out->emits);
    free(r->out);
    free(r->memory);
    free(r->shape);
    free(r->ports);
}

#endif
