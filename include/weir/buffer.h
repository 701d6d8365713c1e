/* The packet buffer of a node.
 *
 * One memory of 'size_bytes', cut three ways, as switch chips do it.  Bytes are counted twice: by
 * the (port, class) they came in by, which is what admission and link-level flow control look at,
 * and by the (port, class) they wait for, which is what marking looks at.
 *
 *     reserve    each (input port, class) has its own; nobody else can take it
 *     shared     what is left of the memory; one (port, class) may take up to its limit: a fixed
 *                number, or 'alpha' times what is still free of it, which moves with every packet
 *     headroom   each (input port, class) has its own, used only past that limit: room for what is
 *                still on the wire when the sender has been told to stop
 *
 * A plain input buffer of B bytes a port is a reserve of B, no limit and no headroom.
 *
 * A packet fills them in this order, and is dropped if they do not hold all of it; what leaves
 * empties headroom first and reserve last.  The host calls weir_buffer_admit() and
 * weir_buffer_release() before it tells the engines; engines only read. */

#ifndef WEIR_BUFFER_H
#define WEIR_BUFFER_H

#include <stdbool.h>
#include <stddef.h>

#include "field.h"
#include "units.h"

#ifdef __cplusplus
extern "C" {
#endif

#define WEIR_MAX_CLASSES 8 /* PFC's frames have eight times. */

struct weir_buffer_class { /* What each port is given for one class. */
    uint64_t reserve_bytes;
    uint64_t limit_bytes;    /* Of the shared part; unused where alpha is set. */
    uint64_t alpha;          /* As a ratio, WEIR_RATIO_1 is 1; 0: the limit is fixed. */
    uint64_t headroom_bytes; /* 0 for a class that may lose packets. */
};

struct weir_buffer_plan {
    uint64_t size_bytes;
    struct weir_buffer_class classes[WEIR_MAX_CLASSES];
};

struct weir_buffer_slot {    /* One (port, class). */
    uint64_t in_bytes;       /* Came in here, still in the node. */
    uint64_t out_bytes;      /* Wait to leave here. */
    uint64_t shared_bytes;   /* The part of in_bytes that stands in the shared part, */
    uint64_t headroom_bytes; /* and in the headroom.  The rest is reserve. */
};

struct weir_buffer {
    struct weir_buffer_slot *slots; /* [port][class]. */
    uint32_t n_slots;
    uint8_t n_classes;
    uint64_t shared_size_bytes, shared_used_bytes, used_bytes;
    struct weir_buffer_plan plan; /* Last: of it a packet needs its class only. */
};

enum weir_admission {
    WEIR_ADMITTED,
    WEIR_DROP_LIMIT,    /* Past the limit of its (port, class), and no headroom given. */
    WEIR_DROP_HEADROOM, /* The headroom was too small: a lossless class has lost a packet. */
    WEIR_N_ADMISSIONS
};

extern const char *const weir_admission_names[WEIR_N_ADMISSIONS];

/* Returns whether the parts fit the memory, else says in 'why' by how much they do not. */
bool weir_buffer_check(const struct weir_buffer_plan *, uint16_t n_ports, uint8_t n_classes,
                       struct weir_text *why);

/* What one (port, class) can count on, whatever the others hold: reserve, headroom, and its limit
 * of the shared part if that is fixed and all limits fit there together. */
uint64_t weir_buffer_room(const struct weir_buffer_plan *, uint16_t n_ports, uint8_t n_classes,
                          uint8_t cls);

size_t weir_buffer_memory(uint16_t n_ports, uint8_t n_classes);
void weir_buffer_init(struct weir_buffer *, const struct weir_buffer_plan *, uint16_t n_ports,
                      uint8_t n_classes, void *memory);

enum weir_admission weir_buffer_admit(struct weir_buffer *, uint32_t in_slot, uint32_t out_slot,
                                      uint32_t bytes);
void weir_buffer_release(struct weir_buffer *, uint32_t in_slot, uint32_t out_slot, uint32_t bytes);

/* Hot: a division costs as much as all else that admission does, and many nodes have one class. */
static inline const struct weir_buffer_class *
weir_buffer_class_of(const struct weir_buffer *b, uint32_t slot)
{
    return &b->plan.classes[b->n_classes == 1 ? 0 : slot % b->n_classes];
}

/* What a (port, class) may hold now before it goes into its headroom.  Moves with every packet that
 * enters or leaves the shared part, whoever's it is. */
static inline uint64_t
weir_buffer_threshold(const struct weir_buffer *b, uint32_t slot)
{
    const struct weir_buffer_class *c = weir_buffer_class_of(b, slot);
    uint64_t free_bytes = b->shared_size_bytes - b->shared_used_bytes;
    uint64_t limit = c->alpha ? free_bytes * c->alpha / WEIR_RATIO_1 : c->limit_bytes;
    uint64_t most = b->slots[slot].shared_bytes + free_bytes;
    return c->reserve_bytes + (limit < most ? limit : most);
}

#ifdef __cplusplus
}
#endif

#endif
