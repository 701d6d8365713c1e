/* Buffers of nodes with stages: separate input and output buffers, or one memory for both. */

#include <assert.h>
#include <string.h>

#include "weir/buffer.h"

/* These functions are for nodes with one memory. */

static uint64_t
past(uint64_t bytes, uint64_t reserve)
{
    return bytes > reserve ? bytes - reserve : 0;
}

size_t
weir_buffer_store_memory(uint16_t n_ports, uint8_t n_classes)
{
    return (size_t)n_ports * n_classes * sizeof(uint64_t);
}

void
weir_buffer_store_once(struct weir_buffer *b, void *memory)
{
    memset(memory, 0,
           weir_buffer_store_memory((uint16_t)(b->n_slots / b->n_classes), b->n_classes));
    b->stored = memory;
}

/* Sets the bytes of the memory that packets from an input slot occupy. */
static void
store(struct weir_buffer *b, uint32_t in_slot, uint64_t bytes)
{
    struct weir_buffer_slot *s = &b->slots[in_slot];
    uint64_t shared = past(bytes, weir_buffer_class_of(b, in_slot)->reserve_bytes);

    b->shared_used_bytes += shared - s->shared_bytes;
    b->class_bytes[weir_buffer_class_number(b, in_slot)] += shared - s->shared_bytes;
    s->shared_bytes = shared;
    b->stored[in_slot] = bytes;
}

void
weir_buffer_forget(struct weir_buffer *b, uint32_t in_slot, uint32_t bytes)
{
    assert(b->stored && in_slot < b->n_slots && b->stored[in_slot] >= bytes);
    store(b, in_slot, b->stored[in_slot] - bytes);
}

enum side { INPUT, OUTPUT };

static uint64_t
queue_bytes(const struct weir_buffer *b, uint32_t slot, enum side side)
{
    return side == INPUT ? b->slots[slot].in_bytes : b->slots[slot].out_bytes;
}

/* Whether the limits of a queue and of its port allow it to grow by some bytes. */
static __attribute__((noinline)) bool
side_fits(const struct weir_buffer *b, uint32_t slot, enum side side, uint32_t bytes)
{
    const struct weir_buffer_class *c = weir_buffer_class_of(b, slot);
    uint64_t length = queue_bytes(b, slot, side) + bytes, most = b->plan.port_limit_bytes;
    uint64_t of_port = past(length, c->reserve_bytes);
    uint32_t first = slot - weir_buffer_class_number(b, slot);

    for (uint32_t i = first; most && i < first + b->n_classes; i++) {
        uint64_t reserve = weir_buffer_class_of(b, i)->reserve_bytes;
        of_port += i == slot ? 0 : past(queue_bytes(b, i, side), reserve);
    }
    return length <= c->reserve_bytes + c->limit_bytes && (!most || of_port <= most);
}

/* Sets the length of an output queue. */
static __attribute__((noinline)) void
resize_output(struct weir_buffer *b, uint32_t out_slot, uint64_t bytes)
{
    uint64_t reserve = weir_buffer_class_of(b, out_slot)->reserve_bytes;

    b->outputs_shared_bytes -= past(b->slots[out_slot].out_bytes, reserve);
    b->outputs_shared_bytes += past(bytes, reserve);
    b->slots[out_slot].out_bytes = bytes;
}

/* Whether an output queue may grow, by the limit of its port and by the limit of all outputs. */
static __attribute__((noinline)) bool
fits_among_outputs(const struct weir_buffer *b, uint32_t out_slot, uint32_t bytes)
{
    uint64_t reserve = weir_buffer_class_of(b, out_slot)->reserve_bytes;
    uint64_t length = b->slots[out_slot].out_bytes, most = b->plan.outputs_limit_bytes;
    uint64_t more = past(length + bytes, reserve) - past(length, reserve);

    return side_fits(b, out_slot, OUTPUT, bytes) &&
           (!most || b->outputs_shared_bytes + more <= most);
}

/* Out of line, like all code for shared limits, because most nodes have a separate limit for each
 * queue. */
static __attribute__((noinline)) enum weir_admission
admit_once(struct weir_buffer *b, uint32_t in_slot, uint32_t bytes)
{
    uint64_t stored = b->stored[in_slot] + bytes;
    uint64_t shared = past(stored, weir_buffer_class_of(b, in_slot)->reserve_bytes);
    uint64_t more = shared - b->slots[in_slot].shared_bytes;

    if (!side_fits(b, in_slot, INPUT, bytes) ||
        more > b->shared_size_bytes - b->shared_used_bytes) {
        return WEIR_DROP_LIMIT;
    }
    store(b, in_slot, stored);
    b->slots[in_slot].in_bytes += bytes;
    b->used_bytes += bytes;
    return WEIR_ADMITTED;
}

/* These functions are for nodes with stages. */

/* Like weir_buffer_admit(), but without the output, where the packet does not wait yet. */
enum weir_admission
weir_buffer_admit_input(struct weir_buffer *b, uint32_t in_slot, uint32_t bytes)
{
    assert(in_slot < b->n_slots && bytes);
    if (b->stored) {
        return admit_once(b, in_slot, bytes);
    }
    enum weir_admission how = weir_buffer_admit(b, in_slot, in_slot, bytes);

    if (how == WEIR_ADMITTED) {
        b->slots[in_slot].out_bytes -= bytes;
    }
    return how;
}

void
weir_buffer_forward(struct weir_buffer *b, uint32_t in_slot, uint32_t bytes)
{
    assert(in_slot < b->n_slots && b->slots[in_slot].in_bytes >= bytes);
    b->passing_bytes += bytes;
    if (b->stored) {
        b->slots[in_slot].in_bytes -= bytes;
        return;
    }
    b->slots[in_slot].out_bytes += bytes;
    weir_buffer_release(b, in_slot, in_slot, bytes);
    b->used_bytes += bytes;
}

void
weir_buffer_leave_copy(struct weir_buffer *b, uint32_t bytes)
{
    assert(!b->stored);
    b->passing_bytes += bytes;
    b->used_bytes += bytes;
    b->copied_bytes += bytes;
}

void
weir_buffer_drop_copy(struct weir_buffer *b, uint32_t in_slot, uint32_t bytes)
{
    assert(b->copied_bytes >= bytes);
    b->copied_bytes -= bytes;
    weir_buffer_forward(b, in_slot, bytes);
    weir_buffer_discard(b, bytes);
}

/* The bytes that wait at the port of a slot, in all its classes. */
static __attribute__((noinline)) uint64_t
port_bytes(const struct weir_buffer *b, uint32_t slot)
{
    const struct weir_buffer_slot *first = &b->slots[slot - weir_buffer_class_number(b, slot)];
    uint64_t sum = 0;

    for (uint8_t cls = 0; cls < b->n_classes; cls++) {
        sum += first[cls].out_bytes;
    }
    return sum;
}

static inline void
set_output(struct weir_buffer *b, uint32_t out_slot, uint64_t bytes)
{
    if (b->stored) {
        resize_output(b, out_slot, bytes);
    } else {
        b->slots[out_slot].out_bytes = bytes;
    }
}

static inline bool
fits_output(const struct weir_buffer *b, uint32_t out_slot, uint32_t bytes)
{
    assert(out_slot < b->n_slots);
    if (b->stored) {
        return fits_among_outputs(b, out_slot, bytes);
    }
    uint64_t most = weir_buffer_output_limit(b, out_slot);
    uint64_t of_port = b->plan.output_port_bytes;
    return (!most || b->slots[out_slot].out_bytes + bytes <= most) &&
           (!of_port || port_bytes(b, out_slot) + bytes <= of_port);
}

bool
weir_buffer_fits_output(const struct weir_buffer *b, uint32_t out_slot, uint32_t bytes)
{
    return fits_output(b, out_slot, bytes);
}

/* Hot: once per packet, like weir_buffer_admit_input(), weir_buffer_forward() and
 * weir_buffer_release_output(). */
bool
weir_buffer_admit_output(struct weir_buffer *b, uint32_t out_slot, uint32_t bytes)
{
    assert(b->passing_bytes >= bytes);
    if (!fits_output(b, out_slot, bytes)) {
        return false;
    }
    b->passing_bytes -= bytes;
    set_output(b, out_slot, b->slots[out_slot].out_bytes + bytes);
    return true;
}

void
weir_buffer_discard(struct weir_buffer *b, uint32_t bytes)
{
    assert(b->passing_bytes >= bytes);
    b->passing_bytes -= bytes;
    b->used_bytes -= bytes;
}

void
weir_buffer_release_output(struct weir_buffer *b, uint32_t out_slot, uint32_t bytes)
{
    assert(out_slot < b->n_slots && b->slots[out_slot].out_bytes >= bytes);
    set_output(b, out_slot, b->slots[out_slot].out_bytes - bytes);
    b->used_bytes -= bytes;
}

void
weir_buffer_return_output(struct weir_buffer *b, uint32_t out_slot, uint32_t bytes)
{
    assert(out_slot < b->n_slots && b->slots[out_slot].out_bytes >= bytes);
    set_output(b, out_slot, b->slots[out_slot].out_bytes - bytes);
    b->passing_bytes += bytes;
}
