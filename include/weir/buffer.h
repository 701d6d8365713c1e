/* The packet buffer of a node.
 *
 * The buffer is one memory of 'size_bytes', divided as in switch chips.  Bytes are counted twice.
 * Admission and link-level flow control use the (port, class) on which the bytes arrived; marking
 * uses the (port, class) through which the bytes will leave.
 *
 *     reserve    each (input port, class) has its own; nobody else can take it
 *     partition  each class has its own, for all ports together; most plans have none
 *     shared     what is left of the memory; one (port, class) may take up to its limit of it and
 *                of its class's partition: a fixed number, or 'alpha' times what is still free,
 *                which moves with every packet
 *     headroom   each (input port, class) has its own, used only past that limit: room for what is
 *                still on the wire when the sender receives the pause
 *
 * With partitions, a class counts only its own share of the shared part as free.  The limit is then
 * Eq. 16 of TTL: alpha b_i/sum(b) (b_shared - s_shared) + alpha (b_i - s_i), b being sizes and s
 * the bytes in use.
 *
 * A plain input buffer of B bytes per port is a reserve of B, no limit and no headroom.
 *
 * A packet fills these parts in the order above, and is dropped if they cannot hold all of it.  A
 * packet that leaves empties the headroom first and the reserve last.  The host calls
 * weir_buffer_admit() and weir_buffer_release() before it calls the engines; engines only read.
 *
 * Stages.  In switches with a pipeline, or with queues at both inputs and outputs, a packet leaves
 * its input before it leaves the node.  In such a switch the plan divides the input memory, and
 * outputs have their own limit.  Instead of the two functions above, the host calls:
 *
 *     admit_input ---> input ---> forward ---> on its way ---> admit_output ---> output
 *                                                  |                               |
 *                                               discard                     release_output
 *
 * All bytes are at an input, on their way, or at an output.  If packets pass from input to output
 * in no time, check weir_buffer_fits_output() first; then call forward and admit_output together.
 *
 * Copies.  A switch of a fabric that delivers reliably keeps a copy of a packet at its input until
 * the arrival of the packet is acknowledged.  Until then the copy is counted at the input.  The
 * host calls weir_buffer_leave_copy() instead of forward, and weir_buffer_drop_copy() when the
 * acknowledgement arrives.  After that it calls 'forwarded' of the engines.
 *
 * One memory.  Some switches with stages store a packet once, from its arrival until it has left;
 * only its header moves from input to output.  In such a switch, a packet occupies the reserve of
 * the (port, class) on which it arrived, or the shared part, until it has left.  The host calls
 * weir_buffer_forget() to free its bytes, in addition to discard and release_output.  Each queue,
 * at an input or an output, may hold its reserve plus its limit.  In addition, all input queues of
 * a port share one limit above their reserves, and so do all its output queues.  Partitions, alpha
 * and headroom are not used.
 *
 * An index can select packets of the buffer at random: see index.h.
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

#define WEIR_MAX_CLASSES 8 /* A PFC frame has eight pause times. */

struct weir_buffer_class { /* The share of each port for one class. */
    uint64_t reserve_bytes;
    uint64_t limit_bytes;     /* The limit for partition and shared part together; unused if alpha
                               * is set. */
    uint64_t alpha;           /* A ratio, with WEIR_RATIO_1 for 1; 0: the limit is fixed. */
    uint64_t headroom_bytes;  /* 0 for a class that may lose packets. */
    uint64_t partition_bytes; /* For all ports together. */
};

/* The division of a node's memory into parts, which does not change. */
struct weir_buffer_plan {
    uint64_t size_bytes;

    /* For ports that differ, for example because faster ports have more: [port][class].  Only the
     * partitions are then taken from 'classes'.  Lent by the host.  Null: all ports have the same
     * division. */
    const struct weir_buffer_class *ports;
    struct weir_buffer_class classes[WEIR_MAX_CLASSES];

    /* With stages: the maximum number of bytes at one output, for each class and for all classes
     * together; 0: no limit. */
    uint64_t output_bytes[WEIR_MAX_CLASSES];
    uint64_t output_port_bytes;
    const uint64_t *outputs; /* For ports that differ: [port][class], lent by the host.  It replaces
                              * 'output_bytes', which is then the minimum over all ports.  Null: all
                              * ports are equal. */

    /* One memory for inputs and outputs; queues have reserves and limits, but no headroom.
     * 'port_limit_bytes' limits the input queues of a port, and its output queues, above their
     * reserves.  'outputs_limit_bytes' limits the queues of all outputs in the same way; 0: no
     * limit. */
    bool is_one_memory;
    uint64_t port_limit_bytes, outputs_limit_bytes;
};

struct weir_buffer_slot {    /* The counts of one (port, class). */
    uint64_t in_bytes;       /* Bytes that arrived here and are still in the node. */
    uint64_t out_bytes;      /* Bytes that wait to leave here. */
    uint64_t shared_bytes;   /* The part of in_bytes that is in the partition and the shared
                              * part. */
    uint64_t headroom_bytes; /* The part of in_bytes that is in the headroom.  The rest is in the
                              * reserve. */
};

/* How full each part is; the host updates these counts by the functions below. */
struct weir_buffer {
    struct weir_buffer_slot *slots; /* [port][class]. */
    uint32_t n_slots;
    uint8_t n_classes;
    uint64_t shared_size_bytes, shared_used_bytes, used_bytes;
    struct weir_buffer_plan plan;           /* This member comes late because only one of its
                                             * classes is needed at a time. */
    uint64_t partitions_bytes;              /* The partitions of all classes together. */
    uint64_t class_bytes[WEIR_MAX_CLASSES]; /* The bytes of a class above the reserves; they fill
                                             * its partition first. */
    uint64_t passing_bytes;                 /* With stages: bytes on their way to an output. */
    uint64_t copied_bytes; /* Bytes at inputs that belong to copies of packets that moved on. */
    uint64_t *stored;      /* [input slot]: bytes that arrived there and are still in the one
                            * memory; null: inputs and outputs have separate memories. */
    uint64_t outputs_shared_bytes;   /* With one memory: the bytes of output queues above their
                                      * reserves. */
    struct weir_index *index;        /* The index of packets at inputs, or null. */
    struct weir_index *output_index; /* The index of packets at outputs, or null. */
};

/* The result of an admission: where the packet found room, or why it is dropped. */
enum weir_admission {
    WEIR_ADMITTED,
    WEIR_DROP_LIMIT,    /* Above the limit of its (port, class), which has no headroom. */
    WEIR_DROP_HEADROOM, /* The headroom was too small: a lossless class has lost a packet. */
    WEIR_N_ADMISSIONS
};

/* The names of the results. */
extern const char *const weir_admission_names[WEIR_N_ADMISSIONS];

/* Returns true if the parts fit into the memory; otherwise 'why' gives the number of bytes that are
 * missing. */
bool weir_buffer_check(const struct weir_buffer_plan *, uint16_t n_ports, uint8_t n_classes,
                       struct weir_text *why);

/* The bytes that one (port, class) can always hold, however full the others are: its reserve, its
 * headroom and its limit.  The limit counts only if it is fixed and the partitions and the shared
 * part can hold all limits together.  The limit of the port applies as well.  With one memory this
 * is the room of an input queue, provided that output queues leave enough of the shared part. */
uint64_t weir_buffer_room(const struct weir_buffer_plan *, uint16_t n_ports, uint8_t n_classes,
                          uint16_t port, uint8_t cls);

/* The bytes that one (port, class) can hold if all others are empty.  The headroom is not counted
 * if the limit is dynamic. */
uint64_t weir_buffer_alone(const struct weir_buffer_plan *, uint16_t n_ports, uint8_t n_classes,
                           uint16_t port, uint8_t cls);

/* The share of a port for a class. */
static inline const struct weir_buffer_class *
weir_plan_class(const struct weir_buffer_plan *plan, uint8_t n_classes, uint16_t port, uint8_t cls)
{
    return plan->ports ? &plan->ports[(uint32_t)port * n_classes + cls] : &plan->classes[cls];
}

/* The size of the memory for the slots of a node. */
size_t weir_buffer_memory(uint16_t n_ports, uint8_t n_classes);
/* Initialises a buffer with memory of that size. */
void weir_buffer_init(struct weir_buffer *, const struct weir_buffer_plan *, uint16_t n_ports,
                      uint8_t n_classes, void *memory);

/* Stages.  If an output has no room for a packet, the function returns false, and the packet is
 * still on its way: it waits or is discarded. */
enum weir_admission weir_buffer_admit_input(struct weir_buffer *, uint32_t in_slot, uint32_t bytes);
void weir_buffer_forward(struct weir_buffer *, uint32_t in_slot, uint32_t bytes);
bool weir_buffer_fits_output(const struct weir_buffer *, uint32_t out_slot, uint32_t bytes);
bool weir_buffer_admit_output(struct weir_buffer *, uint32_t out_slot, uint32_t bytes);
void weir_buffer_discard(struct weir_buffer *, uint32_t bytes);
void weir_buffer_release_output(struct weir_buffer *, uint32_t out_slot, uint32_t bytes);

/* The opposite of admit_output: a packet leaves its output and is on its way again, because the
 * link of that port is down. */
void weir_buffer_return_output(struct weir_buffer *, uint32_t out_slot, uint32_t bytes);

/* Keeps a copy of a packet that moves on. */
void weir_buffer_leave_copy(struct weir_buffer *, uint32_t bytes);
/* Drops the copy of a packet that has arrived. */
void weir_buffer_drop_copy(struct weir_buffer *, uint32_t in_slot, uint32_t bytes);

/* One memory.  After weir_buffer_init(), the host lends memory for one counter per slot by
 * weir_buffer_store_once().  It calls weir_buffer_forget() for each packet that arrived on
 * 'in_slot' and has left. */
size_t weir_buffer_store_memory(uint16_t n_ports, uint8_t n_classes);
void weir_buffer_store_once(struct weir_buffer *, void *memory);
void weir_buffer_forget(struct weir_buffer *, uint32_t in_slot, uint32_t bytes);

/* Hot: a division costs as much as the rest of an admission, and many nodes have only one class. */
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

/* With stages: the maximum number of bytes of a class at an output; 0: no limit. */
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

/* The bytes that a (port, class) may hold now before it uses its headroom.  This threshold changes
 * with every packet that enters or leaves the shared part, at any port. */
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

/* The slow paths of weir_buffer_admit() and weir_buffer_release().  They are out of line because
 * many plans have only a reserve. */
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

/* Admits a packet that arrives, or returns why it is dropped.    Hot: once per packet. */
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

/* Without stages: moves a packet from one output to another. */
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
