/* Finds nodes of a Chakra trace by their ids. */

#include "graph/chakra-ids.h"

#include <stdlib.h>

#include "base/array.h"
#include "graph/graph.h"

/* The place of an id, or an empty place. */
static uint32_t *
find_slot(const struct chakra_ids *l, uint64_t id)
{
    uint64_t hash = id * 0x9e3779b97f4a7c15;

    for (size_t i = (size_t)(hash ^ hash >> 32);; i++) {
        uint32_t *slot = &l->slots[i & (l->n_slots - 1)];
        if (!*slot || l->ids[*slot - 1].id == id) {
            return slot;
        }
    }
}

static void
grow(struct chakra_ids *l)
{
    free(l->slots);
    l->n_slots = l->n_slots ? 2 * l->n_slots : 64;
    l->slots = array_new(l->n_slots, sizeof *l->slots);
    for (size_t i = 0; i < l->n; i++) {
        *find_slot(l, l->ids[i].id) = (uint32_t)i + 1;
    }
}

bool
chakra_ids_add(struct chakra_ids *l, uint64_t id, uint64_t offset, uint64_t *twin)
{
    if (2 * l->n >= l->n_slots) {
        grow(l);
    }
    uint32_t *slot = find_slot(l, id);
    if (*slot) {
        *twin = l->ids[*slot - 1].offset;
        return false;
    }
    ARRAY_PUSH(l->ids, l->n, l->max) = (struct chakra_id){ id, offset };
    *slot = (uint32_t)l->n;
    return true;
}

uint32_t
chakra_ids_find(const struct chakra_ids *l, uint64_t id)
{
    uint32_t *slot = l->n ? find_slot(l, id) : NULL;

    return slot && *slot ? *slot - 1 : GRAPH_NONE;
}

void
chakra_ids_free(struct chakra_ids *l)
{
    free(l->ids);
    free(l->slots);
    *l = (struct chakra_ids){ 0 };
}
