/* Finds the classes in which packets arrive at nodes of other ranks, if engines change the class
 * from hop to hop.  An engine decides this when its node is initialised.  So one node of each kind
 * in the model is initialised for this purpose, and then freed. */

#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "sim/exchange.h"
#include "sim/nodes/handles.h"
#include "sim/setup.h"

/* Returns the table of a node's classes, [port][class of the sender], which the caller frees; null:
 * packets keep their class at this node. */
static uint8_t *
classes_of(const struct model_engines *e)
{
    struct sim_node like = { .shape = e->shape };
    const struct weir_shape *shape = &like.shape;
    void *memory = array_new_aligned(WEIR_MEMORY_ALIGN, e->needs.state_bytes);
    void *slots = array_new(1, weir_buffer_memory(shape->n_ports, shape->n_classes));
    struct weir_outbox out = { .emits = array_new(e->needs.max_emits, sizeof *out.emits),
                               .max = e->needs.max_emits };
    uint8_t *classes = NULL;

    weir_buffer_init(&like.buffer, &shape->buffer, shape->n_ports, shape->n_classes, slots);
    units_start(&like, e->needs.services);
    weir_node_init(&like.weir, &e->stack, shape, &like.buffer, &out, memory, 0);
    if (like.weir.ctx.arrives_as) {
        classes = array_new(weir_n_slots(shape), sizeof *classes);
        memcpy(classes, like.weir.ctx.arrives_as, weir_n_slots(shape));
    }
    units_stop(&like);
    free(memory);
    free(slots);
    free(out.emits);
    return classes;
}

void
sim_set_classes(struct sim *sim)
{
    const struct model *p = &sim->model;

    if (sim_n_ranks(sim) == 1) {
        return;
    }
    sim->arrives_as = array_new(p->n_engines, sizeof *sim->arrives_as);
    for (size_t i = 0; model_moves_classes(p) && i < p->n_engines; i++) {
        sim->arrives_as[i] = classes_of(&p->engines[i]);
    }
}

void
sim_free_classes(struct sim *sim)
{
    for (size_t i = 0; sim->arrives_as && i < sim->model.n_engines; i++) {
        free(sim->arrives_as[i]);
    }
    free(sim->arrives_as);
}
