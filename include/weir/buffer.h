/* The packet buffer of a node.
 *
 * One memory of 'size_bytes', cut as switch chips do it.  Bytes are counted twice.  Admission and
 * link-level flow control use the (port, class) they came in by; marking uses the (port, class)
 * they wait for.
 *
 *     reserve    each (input port, class) has its own; nobody else can take it
 *     partition  each class has its own, for all ports together; most plans have none
 *     shared     what is left of the memory; one (port, class) may take up to its limit of it and
 *                of its class's partition: a fixed number, or 'alpha' times what is still free,
 *                which moves with every packet
 *     headroom   each (input port, class) has its own, used only past that limit: room for what is
 *                still on the wire when the sender receives the pause
 *
 * With partitions, only a class's share of the shared part counts as free.  That is Eq. 16 of TTL:
 * alpha b_i/sum(b) (b_shared - s_shared) + alpha (b_i - s_i), b being sizes and s the bytes in use.
 *
 * A plain input buffer of B bytes per port is a reserve of B, no limit and no headroom.
 *
 * A packet fills them in this order, and is dropped if they do not hold all of it; a packet that
 * leaves empties headroom first and reserve last.  The host calls weir_buffer_admit() and
 * weir_buffer_release() before it calls the engines; engines only read.
 *
 * Stages.  In pipelined switches, and in those with queues at inputs and at outputs, a packet
 * leaves its input before it leaves the node.  There the plan is that of the inputs, outputs have a
 * limit of their own, and the host calls, instead of those two:
 *
 *     admit_input ---> input ---> forward ---> on its way ---> admit_output ---> output
 *                                                  |                               |
 *                                               discard                     release_output
 *
 * All bytes are at an input, on their way, or at an output.  Where nothing takes time in between,
 * look with weir_buffer_fits_output() first, and call forward and admit_output together.
 *
 * Copies.  A switch of a fabric that delivers reliably keeps a copy of a packet at its input until
 * the arrival of the packet is acknowledged.  Until then the copy counts there.  The host calls
 * weir_buffer_leave_copy() instead of forward, and in the end weir_buffer_drop_copy(); then it
 * calls 'forwarded' of the engines.
 *
 * One memory.  Some such switches store a packet once, from its arrival until it is gone, and a
 * move from input to output only moves its header.  There its bytes take of the reserve of the
 * (port, class) that they came in by, and past that of the shared part, all the time.  The host
 * calls weir_buffer_forget() to give them back, in addition to discard and release_output.  A
 * queue, at an input as at an output, may be as long as its reserve and its limit together.  All
 * queues of one side of a port have a common limit past their reserves, too.  Partitions, alpha and
 * headroom play no part.
 *
 * Packets at random: index.h.
 *
 * Slots are 0 .. n_ports * n_classes - 1, and no packet has 0 bytes: both are asserted. */

#ifndef WEIR_BUFFER_H
#define WEIR_BUFFER_H

#include <assert.h>
#include <stdbool.h>
#include <stddef.h>

#include "field.h"
#include "index.h"
#include "units.h"

#ifdef __cplusplus
extern "C" {
#endif

#define WEIR_MAX_CLASSES 8 /* PFC's frames have eight times. */

struct weir_buffer_class { /* The share of each port for one class. */
    uint64_t reserve_bytes;
    uint64_t limit_bytes;     /* The limit of partition and shared part together; unused where alpha
                               * is set. */
    uint64_t alpha;           /* As a ratio, WEIR_RATIO_1 is 1; 0: the limit is fixed. */
    uint64_t headroom_bytes;  /* 0 for a class that may lose packets. */
    uint64_t partition_bytes; /* All ports together. */
};

/* The division of the memory of a node: it is constant. */
struct weir_buffer_plan {
    uint64_t size_bytes;

    /* Where ports differ, as faster ones are given more: [port][class], instead of 'classes', of
     * which only the partitions then count.  Lent by the host.  Null: all ports have the same. */
    const struct weir_buffer_class *ports;
    struct weir_buffer_class classes[WEIR_MAX_CLASSES];

    /* With stages: the maximum of a class at one output, and of all classes together; 0: no limit.
     */
    uint64_t output_bytes[WEIR_MAX_CLASSES];
    uint64_t output_port_bytes;
    const uint64_t *outputs; /* Where ports differ: [port][class], instead of 'output_bytes', which
                              * then is their minimum.  Lent by the host.  Null: they do not. */

    /* With one memory for inputs and outputs, whose queues have reserves and limits, but no
     * headroom: the limits past their reserves of the queues of one side of a port, and of those of
     * all outputs; 0: no limit. */
    bool is_one_memory;
    uint64_t port_limit_bytes, outputs_limit_bytes;
};

struct weir_buffer_slot {    /* One (port, class). */
    uint64_t in_bytes;       /* Came in here, still in the node. */
    uint64_t out_bytes;      /* Wait to leave here. */
    uint64_t shared_bytes;   /* The part of in_bytes that is in partition and shared part, */
    uint64_t headroom_bytes; /* and in the headroom.  The rest is reserve. */
};

/* The fills of all parts, which the host updates by the calls below. */
struct weir_buffer {
    struct weir_buffer_slot *slots; /* [port][class]. */
    uint32_t n_slots;
    uint8_t n_classes;
    uint64_t shared_size_bytes, shared_used_bytes, used_bytes;
    struct weir_buffer_plan plan;           /* Late: only the class of a packet is needed. */
    uint64_t partitions_bytes;              /* The partitions of all classes together. */
    uint64_t class_bytes[WEIR_MAX_CLASSES]; /* Past the reserves: first in the partition. */
    uint64_t passing_bytes;                 /* With stages: on their way to an output. */
    uint64_t copied_bytes; /* The bytes at inputs that belong to copies of packets gone on. */
    uint64_t *stored;      /* [input slot]: came in there, still in the one memory;
                            * null: inputs and outputs have each their own. */
    uint64_t outputs_shared_bytes;   /* With one memory: outputs hold past their reserves. */
    struct weir_index *index;        /* Packets at inputs; null: none. */
    struct weir_index *output_index; /* Packets at outputs; null: none. */
};

/* The result of an admission: where the packet found room, or why it is dropped. */
enum weir_admission {
    WEIR_ADMITTED,
    WEIR_DROP_LIMIT,    /* Past the limit of its (port, class), and no headroom given. */
    WEIR_DROP_HEADROOM, /* The headroom was too small: a lossless class has lost a packet. */
    WEIR_N_ADMISSIONS
};

/* Names of the results. */
extern const char *const weir_admission_names[WEIR_N_ADMISSIONS];

/* Returns true if the parts fit the memory; else 'why' has the excess. */
bool weir_buffer_check(const struct weir_buffer_plan *, uint16_t n_ports, uint8_t n_classes,
                       struct weir_text *why);

/* The room that one (port, class) can count on, however full the others are: its reserve, its
 * headroom, and its limit.  The limit counts if it is fixed, and all limits fit the partitions and
 * the shared part together.  The limit of the port applies as well.  With one memory this is the
 * room of queues at inputs, as long as those at outputs leave enough of the shared part. */
uint64_t weir_buffer_room(const struct weir_buffer_plan *, uint16_t n_ports, uint8_t n_classes,
                          uint16_t port, uint8_t cls);

/* The bytes that one (port, class) can hold if all others are empty, without the headroom of a
 * limit that moves. */
uint64_t weir_buffer_alone(const struct weir_buffer_plan *, uint16_t n_ports, uint8_t n_classes,
                           uint16_t port, uint8_t cls);

/* The share of a port for a class. */
static inline const struct weir_buffer_class *
weir_plan_class(const struct weir_buffer_plan *plan, uint8_t n_classes, uint16_t port, uint8_t cls)
{
    return plan->ports ? &plan->ports[(uint32_t)port * n_classes + cls] : &plan->classes[cls];
}

/* The memory that the slots of a node take, and a buffer with that memory. */
size_t weir_buffer_memory(uint16_t n_ports, uint8_t n_classes);
void weir_buffer_init(struct weir_buffer *, const struct weir_buffer_plan *, uint16_t n_ports,
                      uint8_t n_classes, void *memory);

/* Stages.  A packet that an output has no room for, 'false', is still on its way: it waits, or is
 * discarded. */
enum weir_admission weir_buffer_admit_input(struct weir_buffer *, uint32_t in_slot, uint32_t bytes);
void weir_buffer_forward(struct weir_buffer *, uint32_t in_slot, uint32_t bytes);
bool weir_buffer_fits_output(const struct weir_buffer *, uint32_t out_slot, uint32_t bytes);
bool weir_buffer_admit_output(struct weir_buffer *, uint32_t out_slot, uint32_t bytes);
void weir_buffer_discard(struct weir_buffer *, uint32_t bytes);
void weir_buffer_release_output(struct weir_buffer *, uint32_t out_slot, uint32_t bytes);

/* The opposite of admit_output: a packet leaves its output and is on its way again, as the link of
 * that port is down. */
void weir_buffer_return_output(struct weir_buffer *, uint32_t out_slot, uint32_t bytes);

/* Copies: of a packet that goes on, and that has arrived. */
void weir_buffer_leave_copy(struct weir_buffer *, uint32_t bytes);
void weir_buffer_drop_copy(struct weir_buffer *, uint32_t in_slot, uint32_t bytes);

/* One memory.  The host lends a count for each slot after weir_buffer_init(), and calls the second
 * for each packet that has left and had come in by that slot. */
size_t weir_buffer_store_memory(uint16_t n_ports, uint8_t n_classes);
void weir_buffer_store_once(struct weir_buffer *, void *memory);
void weir_buffer_forget(struct weir_buffer *, uint32_t in_slot, uint32_t bytes);

/* Hot: a division costs as much as all else that admission does, and many nodes have one class. */
static inline uint32_t
weir_buffer_class_number(const struct weir_buffer *b, uint32_t slot)
{
    return b->n_classes == 1 ? 0 : slot % b->n_classes;
}

/* The share of a port for the class of a slot. */
static inline const struct weir_buffer_class *
weir_buffer_class_of(const struct weir_buffer *b, uint32_t slot)
{
    return b->plan.ports ? &b->plan.ports[slot]
                         : &b->plan.classes[weir_buffer_class_number(b, slot)];
}

/* With stages: the maximum that an output may hold in a class; 0: any amount. */
static inline uint64_t
weir_buffer_output_limit(const struct weir_buffer *b, uint32_t slot)
{
    return b->plan.outputs ? b->plan.outputs[slot]
                           : b->plan.output_bytes[weir_buffer_class_number(b, slot)];
}

/* The free part of the partition of a slot's class. */
static inline uint64_t
weir_buffer_partition_free(const struct weir_buffer *b, uint32_t slot)
{
    uint32_t cls = b->partitions_bytes ? weir_buffer_class_number(b, slot) : 0;
    uint64_t size = b->plan.classes[cls].partition_bytes, used = b->class_bytes[cls];
    return size > used ? size - used : 0;
}

/* The bytes that a (port, class) may hold now before it uses its headroom.  Moves with every packet
 * that enters or leaves the shared part, at any port. */
static inline uint64_t
weir_buffer_threshold(const struct weir_buffer *b, uint32_t slot)
{
    assert(slot < b->n_slots);
    const struct weir_buffer_class *c = weir_buffer_class_of(b, slot);
    uint64_t own = weir_buffer_partition_free(b, slot);
    uint64_t others = b->shared_size_bytes - b->shared_used_bytes;
    uint64_t share = b->partitions_bytes
                         ? weir_mul_div(others, c->partition_bytes, b->partitions_bytes)
                         : others;
    uint64_t limit = c->alpha ? (own + share) * c->alpha / WEIR_RATIO_1 : c->limit_bytes;
    uint64_t most = b->slots[slot].shared_bytes + own + others;
    return c->reserve_bytes + (limit < most ? limit : most);
}

/* Whether a packet finds room in the reserve of its input. */
static inline bool
weir_buffer_is_reserved(const struct weir_buffer *b, uint32_t in_slot, uint32_t bytes)
{
    const struct weir_buffer_slot *s = &b->slots[in_slot];

    return s->in_bytes - s->shared_bytes - s->headroom_bytes + bytes <=
           weir_buffer_class_of(b, in_slot)->reserve_bytes;
}

/* The slow paths of the next two, out of line: many plans have a reserve and nothing else. */
enum weir_admission weir_buffer_admit_past_reserve(struct weir_buffer *, uint32_t in_slot,
                                                   uint32_t out_slot, uint32_t bytes);
void weir_buffer_leave_past_reserve(struct weir_buffer *, uint32_t in_slot, uint32_t bytes);

/* Counts a packet that is known to fit the reserve of its input. */
static inline void
weir_buffer_count_in(struct weir_buffer *b, uint32_t in_slot, uint32_t out_slot, uint32_t bytes)
{
    b->slots[in_slot].in_bytes += bytes;
    b->slots[out_slot].out_bytes += bytes;
    b->used_bytes += bytes;
}

/* A packet comes in, and leaves.    Hot: once per packet. */
static inline enum weir_admission
weir_buffer_admit(struct weir_buffer *b, uint32_t in_slot, uint32_t out_slot, uint32_t bytes)
{
    assert(in_slot < b->n_slots && out_slot < b->n_slots && bytes);
    if (!weir_buffer_is_reserved(b, in_slot, bytes)) {
        return weir_buffer_admit_past_reserve(b, in_slot, out_slot, bytes);
    }
    weir_buffer_count_in(b, in_slot, out_slot, bytes);
    return WEIR_ADMITTED;
}

/* Counts out a packet that leaves the node.    Hot: once per packet. */
static inline void
weir_buffer_release(struct weir_buffer *b, uint32_t in_slot, uint32_t out_slot, uint32_t bytes)
{
    assert(in_slot < b->n_slots && out_slot < b->n_slots && bytes);
    struct weir_buffer_slot *s = &b->slots[in_slot];

    assert(s->in_bytes >= bytes && b->slots[out_slot].out_bytes >= bytes);
    if (s->headroom_bytes | s->shared_bytes) {
        weir_buffer_leave_past_reserve(b, in_slot, bytes);
    }
    s->in_bytes -= bytes;
    b->slots[out_slot].out_bytes -= bytes;
    b->used_bytes -= bytes;
}

/* Without stages: a packet that waited at one output waits at another. */
static inline void
weir_buffer_move(struct weir_buffer *b, uint32_t from_slot, uint32_t to_slot, uint32_t bytes)
{
    assert(from_slot < b->n_slots && to_slot < b->n_slots);
    assert(b->slots[from_slot].out_bytes >= bytes);
    b->slots[from_slot].out_bytes -= bytes;
    b->slots[to_slot].out_bytes += bytes;
}

#ifdef __cplusplus
}
#endif

#endif
