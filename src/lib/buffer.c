#include "weir/buffer.h"

#include <assert.h>
#include <string.h>

const char *const weir_admission_names[] = {
    [WEIR_ADMITTED] = "admitted",
    [WEIR_DROP_LIMIT] = "limit",
    [WEIR_DROP_HEADROOM] = "headroom",
};

/* What is set aside for single (port, class) pairs, and so not shared. */
static uint64_t
own_bytes(const struct weir_buffer_plan *plan, uint16_t n_ports, uint8_t n_classes)
{
    uint64_t sum = 0;
    for (uint8_t cls = 0; cls < n_classes; cls++) {
        sum += plan->classes[cls].reserve_bytes + plan->classes[cls].headroom_bytes;
    }
    return sum * n_ports;
}

enum { MAX_SIZE_BITS = 40 };

/* No sum of the parts overflows when each of them is under a tebibyte. */
static bool
parts_are_sane(const struct weir_buffer_plan *plan, uint8_t n_classes, struct weir_text *why)
{
    const uint64_t most = (uint64_t)1 << MAX_SIZE_BITS;

    for (uint8_t cls = 0; cls < n_classes; cls++) {
        const struct weir_buffer_class *c = &plan->classes[cls];
        if (c->reserve_bytes > most || c->limit_bytes > most || c->headroom_bytes > most ||
            c->alpha > 128 * WEIR_RATIO_1 || plan->size_bytes > most) {
            weir_text_add(why, "class %u: a part of the buffer is over %B, or alpha over 128",
                          (uint64_t)cls, most);
            return false;
        }
    }
    return true;
}

bool
weir_buffer_check(const struct weir_buffer_plan *plan, uint16_t n_ports, uint8_t n_classes,
                  struct weir_text *why)
{
    if (!parts_are_sane(plan, n_classes, why)) {
        return false;
    }
    uint64_t own = own_bytes(plan, n_ports, n_classes);
    if (own <= plan->size_bytes) {
        return true;
    }
    weir_text_add(why,
                  "the buffer is %B, but reserve and headroom of %u ports take %B: %B too much",
                  plan->size_bytes, (uint64_t)n_ports, own, own - plan->size_bytes);
    return false;
}

uint64_t
weir_buffer_room(const struct weir_buffer_plan *plan, uint16_t n_ports, uint8_t n_classes,
                 uint8_t cls)
{
    const struct weir_buffer_class *c = &plan->classes[cls];
    uint64_t shared = plan->size_bytes - own_bytes(plan, n_ports, n_classes), wanted = 0;

    for (uint8_t i = 0; i < n_classes; i++) {
        wanted += plan->classes[i].alpha ? shared : plan->classes[i].limit_bytes * n_ports;
    }
    bool all_fit = wanted <= shared && !c->alpha;
    return c->reserve_bytes + c->headroom_bytes + (all_fit ? c->limit_bytes : 0);
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
                               .slots = memory };
}

static uint64_t
least(uint64_t a, uint64_t b)
{
    return a < b ? a : b;
}

/* Hot: once a packet. */
enum weir_admission
weir_buffer_admit(struct weir_buffer *b, uint32_t in_slot, uint32_t out_slot, uint32_t bytes)
{
    struct weir_buffer_slot *s = &b->slots[in_slot];
    const struct weir_buffer_class *c = weir_buffer_class_of(b, in_slot);
    uint64_t reserve_used = s->in_bytes - s->shared_bytes - s->headroom_bytes;

    if (reserve_used + bytes > c->reserve_bytes) {
        uint64_t rest = bytes - (c->reserve_bytes - reserve_used);
        uint64_t limit = weir_buffer_threshold(b, in_slot) - c->reserve_bytes;
        uint64_t shared = limit > s->shared_bytes ? least(limit - s->shared_bytes, rest) : 0;
        if (s->headroom_bytes + rest - shared > c->headroom_bytes) {
            return c->headroom_bytes ? WEIR_DROP_HEADROOM : WEIR_DROP_LIMIT;
        }
        s->shared_bytes += shared;
        b->shared_used_bytes += shared;
        s->headroom_bytes += rest - shared;
    }
    s->in_bytes += bytes;
    b->slots[out_slot].out_bytes += bytes;
    b->used_bytes += bytes;
    return WEIR_ADMITTED;
}

static uint64_t
take(uint64_t *from, uint64_t want)
{
    uint64_t taken = least(want, *from);
    *from -= taken;
    return taken;
}

/* Hot: once a packet. */
void
weir_buffer_release(struct weir_buffer *b, uint32_t in_slot, uint32_t out_slot, uint32_t bytes)
{
    struct weir_buffer_slot *s = &b->slots[in_slot];

    assert(s->in_bytes >= bytes && b->slots[out_slot].out_bytes >= bytes);
    uint64_t rest = bytes - take(&s->headroom_bytes, bytes);
    b->shared_used_bytes -= take(&s->shared_bytes, rest);
    s->in_bytes -= bytes;
    b->slots[out_slot].out_bytes -= bytes;
    b->used_bytes -= bytes;
}
