/* Admits packets to the shared memory of a node, and releases them. */

#include "weir/buffer.h"

#include <assert.h>
#include <string.h>

#include "format.h"

const char *const weir_admission_names[] = {
    [WEIR_ADMITTED] = "admitted",
    [WEIR_DROP_LIMIT] = "limit",
    [WEIR_DROP_HEADROOM] = "headroom",
};

static uint64_t
partitions_bytes(const struct weir_buffer_plan *plan, uint8_t n_classes)
{
    uint64_t sum = 0;
    for (uint8_t cls = 0; cls < n_classes; cls++) {
        sum += plan->classes[cls].partition_bytes;
    }
    return sum;
}

static const struct weir_buffer_class *
class_at(const struct weir_buffer_plan *plan, uint8_t n_classes, uint32_t slot)
{
    return weir_plan_class(plan, n_classes, (uint16_t)(slot / n_classes),
                           (uint8_t)(slot % n_classes));
}

/* The bytes reserved for single classes, at one port or at all, which are not shared. */
static uint64_t
own_bytes(const struct weir_buffer_plan *plan, uint16_t n_ports, uint8_t n_classes)
{
    uint64_t sum = 0;
    for (uint32_t slot = 0; slot < (uint32_t)n_ports * n_classes; slot++) {
        const struct weir_buffer_class *c = class_at(plan, n_classes, slot);
        sum += c->reserve_bytes + c->headroom_bytes;
    }
    return sum + partitions_bytes(plan, n_classes);
}

enum { MAX_SIZE_BITS = 40 };

/* If each part is at most a tebibyte, no sum of parts overflows. */
static bool
parts_are_sane(const struct weir_buffer_plan *plan, uint16_t n_ports, uint8_t n_classes,
               struct weir_text *why)
{
    const uint64_t most = (uint64_t)1 << MAX_SIZE_BITS;

    for (uint32_t slot = 0; slot < (uint32_t)n_ports * n_classes; slot++) {
        const struct weir_buffer_class *c = class_at(plan, n_classes, slot);
        uint8_t cls = (uint8_t)(slot % n_classes);
        if (c->reserve_bytes > most || c->limit_bytes > most || c->headroom_bytes > most ||
            plan->classes[cls].partition_bytes > most || c->alpha > 128 * WEIR_RATIO_1 ||
            plan->size_bytes > most) {
            return weir_refuse(why,
                               "class %u: no part of the buffer may be larger than %B, and alpha "
                               "no larger than 128",
                               (uint64_t)cls, most);
        }
    }
    return true;
}

bool
weir_buffer_check(const struct weir_buffer_plan *plan, uint16_t n_ports, uint8_t n_classes,
                  struct weir_text *why)
{
    if (!parts_are_sane(plan, n_ports, n_classes, why)) {
        return false;
    }
    uint64_t own = own_bytes(plan, n_ports, n_classes);
    return own <= plan->size_bytes ||
           weir_refuse(why,
                       "the buffer is %B, but reserve, partitions and headroom of %u ports take "
                       "%B: %B too much",
                       plan->size_bytes, (uint64_t)n_ports, own, own - plan->size_bytes);
}

/* The bytes that all ports may use of partition and shared part in one class. A dynamic limit may
 * allow everything, so the result is then larger than the memory. */
static uint64_t
limits_of(const struct weir_buffer_plan *plan, uint16_t n_ports, uint8_t n_classes, uint8_t cls)
{
    uint64_t sum = 0;

    for (uint16_t port = 0; port < n_ports; port++) {
        const struct weir_buffer_class *c = weir_plan_class(plan, n_classes, port, cls);
        if (c->alpha) {
            return plan->size_bytes + 1;
        }
        sum += c->limit_bytes;
    }
    return sum;
}

/* Whether the limit of a port allows all its classes to reach their limits at the same time. */
static bool
fit_port(const struct weir_buffer_plan *plan, uint8_t n_classes, uint16_t port)
{
    uint64_t sum = 0;

    for (uint8_t cls = 0; cls < n_classes; cls++) {
        sum += weir_plan_class(plan, n_classes, port, cls)->limit_bytes;
    }
    return !plan->port_limit_bytes || sum <= plan->port_limit_bytes;
}

uint64_t
weir_buffer_room(const struct weir_buffer_plan *plan, uint16_t n_ports, uint8_t n_classes,
                 uint16_t port, uint8_t cls)
{
    assert(port < n_ports && cls < n_classes);
    const struct weir_buffer_class *c = weir_plan_class(plan, n_classes, port, cls);
    uint64_t shared = plan->size_bytes - own_bytes(plan, n_ports, n_classes), wanted = 0;

    for (uint8_t i = 0; i < n_classes; i++) {
        uint64_t own = plan->classes[i].partition_bytes;
        uint64_t limits = limits_of(plan, n_ports, n_classes, i);
        wanted += limits > own ? limits - own : 0;
    }
    bool all_fit = wanted <= shared && !c->alpha && fit_port(plan, n_classes, port);
    return c->reserve_bytes + c->headroom_bytes + (all_fit ? c->limit_bytes : 0);
}

/* Under a dynamic limit a queue q may grow to alpha times the room that it leaves free: q = alpha
 * (free - q). */
uint64_t
weir_buffer_alone(const struct weir_buffer_plan *plan, uint16_t n_ports, uint8_t n_classes,
                  uint16_t port, uint8_t cls)
{
    const struct weir_buffer_class *c = weir_plan_class(plan, n_classes, port, cls);
    uint64_t shared = plan->size_bytes - own_bytes(plan, n_ports, n_classes);
    uint64_t others = shared + plan->classes[cls].partition_bytes;

    if (c->alpha) {
        return c->reserve_bytes + weir_mul_div(others, c->alpha, WEIR_RATIO_1 + c->alpha);
    }
    return c->reserve_bytes + c->headroom_bytes +
           (c->limit_bytes < others ? c->limit_bytes : others);
}

size_t
weir_buffer_memory(uint16_t n_ports, uint8_t n_classes)
{
    return (size_t)n_ports * n_classes * sizeof(struct weir_buffer_slot);
}

void
weir_buffer_init(struct weir_buffer *b, const struct weir_buffer_plan *plan, uint16_t n_ports,
                 uint8_t n_classes, void *memory)
{
    memset(memory, 0, weir_buffer_memory(n_ports, n_classes));
    *b = (struct weir_buffer){ .plan = *plan,
                               .n_slots = (uint32_t)n_ports * n_classes,
                               .n_classes = n_classes,
                               .shared_size_bytes =
                                   plan->size_bytes - own_bytes(plan, n_ports, n_classes),
                               .partitions_bytes = partitions_bytes(plan, n_classes),
                               .slots = memory };
}

static uint64_t
least(uint64_t a, uint64_t b)
{
    return a < b ? a : b;
}

/* These functions count the part that ports share: a class fills its partition first and empties it
 * last. */

static void
take_shared(struct weir_buffer *b, uint32_t slot, uint64_t bytes)
{
    uint64_t own = weir_buffer_partition_free(b, slot);

    b->slots[slot].shared_bytes += bytes;
    b->class_bytes[weir_buffer_class_number(b, slot)] += bytes;
    b->shared_used_bytes += bytes - least(bytes, own);
}

static void
leave_shared(struct weir_buffer *b, uint32_t slot, uint64_t bytes)
{
    b->class_bytes[weir_buffer_class_number(b, slot)] -= bytes;
    b->slots[slot].shared_bytes -= bytes;
    b->shared_used_bytes -= bytes - least(bytes, weir_buffer_partition_free(b, slot));
}

enum weir_admission
weir_buffer_admit_past_reserve(struct weir_buffer *b, uint32_t in_slot, uint32_t out_slot,
                               uint32_t bytes)
{
    struct weir_buffer_slot *s = &b->slots[in_slot];
    const struct weir_buffer_class *c = weir_buffer_class_of(b, in_slot);

    if (!(b->shared_size_bytes | b->partitions_bytes | c->headroom_bytes)) {
        return WEIR_DROP_LIMIT; /* The plan is a plain input buffer. */
    }
    uint64_t reserve_used = s->in_bytes - s->shared_bytes - s->headroom_bytes;
    uint64_t rest = bytes - (c->reserve_bytes - reserve_used);
    uint64_t limit = weir_buffer_threshold(b, in_slot) - c->reserve_bytes;
    uint64_t shared = limit > s->shared_bytes ? least(limit - s->shared_bytes, rest) : 0;
    if (s->headroom_bytes + rest - shared > c->headroom_bytes) {
        return c->headroom_bytes ? WEIR_DROP_HEADROOM : WEIR_DROP_LIMIT;
    }
    s->headroom_bytes += rest - shared;
    take_shared(b, in_slot, shared);
    weir_buffer_count_in(b, in_slot, out_slot, bytes);
    return WEIR_ADMITTED;
}

void
weir_buffer_leave_past_reserve(struct weir_buffer *b, uint32_t slot, uint32_t bytes)
{
    struct weir_buffer_slot *s = &b->slots[slot];
    uint64_t headroom = least(bytes, s->headroom_bytes);

    s->headroom_bytes -= headroom;
    leave_shared(b, slot, least(bytes - headroom, s->shared_bytes));
}
