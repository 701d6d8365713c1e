/* The bytes of a packet on a wire, as far as a switch must read and write them: for tests.
 *
 *     0  02 00 00 dd dd dd   destination, by its number
 *     6  02 00 00 00 00 00   source: nobody asks for it
 *    12  88 b6               the second local experimental EtherType (802 clause 9.2)
 *    14  ff ff ff ff         flow
 *    18  ss ss ss ss         sequence
 *    22  kk cc ee hh         kind, class, ECN, switches crossed
 *    26  ...                 the same byte over and over, by flow and sequence
 *
 * Without check sequence, which counts for the packet's size.  Control frames are as wire.h has
 * them.  A message is one that has other addresses:
 *
 *     0  02 00 00 dd dd dd   destination, by its number
 *     6  06 hh ff ff ff ff   switches crossed, flow                                            */

#ifndef TESTS_HOST_FRAME_H
#define TESTS_HOST_FRAME_H

#include <stdbool.h>
#include <string.h>

#include "sim/nodes/packets.h"
#include "weir/wire.h"

enum { FRAME_HEAD = 26, FRAME_CHECK = 4, FRAME_MAX = UINT16_MAX };

static inline void
frame_put(uint8_t *to, uint32_t value, int n_bytes)
{
    for (int i = 0; i < n_bytes; i++) {
        to[i] = (uint8_t)(value >> 8 * (n_bytes - 1 - i));
    }
}

static inline uint32_t
frame_get(const uint8_t *from, int n_bytes)
{
    uint32_t value = 0;

    for (int i = 0; i < n_bytes; i++) {
        value = value << 8 | from[i];
    }
    return value;
}

struct frame_message {
    uint32_t dst, flow;
    uint8_t n_hops;
};

/* Fills WEIR_ETHERNET_BYTES. */
static inline void
frame_encode_message(const struct weir_frame *f, const struct frame_message *m, uint8_t *bytes)
{
    const uint8_t source[6] = { 6, m->n_hops };

    weir_frame_to_ethernet(f, source, bytes);
    memcpy(bytes, "\x02\0\0", 3);
    frame_put(bytes + 3, m->dst, 3);
    frame_put(bytes + 8, m->flow, 4);
}

/* False: it is none. */
static inline bool
frame_decode_message(const uint8_t *bytes, size_t len, struct weir_frame *f,
                     struct frame_message *m)
{
    if (len < WEIR_ETHERNET_BYTES || bytes[0] != 2 || bytes[6] != 6) {
        return false;
    }
    *m = (struct frame_message){ frame_get(bytes + 3, 3), frame_get(bytes + 8, 4), bytes[7] };
    f->len = WEIR_FRAME_MAX;
    memcpy(f->bytes, bytes + 12, WEIR_FRAME_MAX);
    return true;
}

/* What a switch may change of a packet that it forwards. */
static inline void
frame_rewrite(uint8_t *bytes, const struct sim_packet *p)
{
    bytes[23] = p->cls;
    bytes[24] = p->ecn;
    bytes[25] = p->n_hops;
}

/* Returns the length. */
static inline size_t
frame_encode(const struct sim_packet *p, uint8_t *bytes)
{
    size_t len = (size_t)p->bytes - FRAME_CHECK;

    memset(bytes, (int)((p->flow * 31 + p->sequence) & 0xff), len);
    memcpy(bytes, "\x02\0\0\0\0\0\x02\0\0\0\0\0\x88\xb6", 14);
    frame_put(bytes + 3, p->dst, 3);
    frame_put(bytes + 14, p->flow, 4);
    frame_put(bytes + 18, p->sequence, 4);
    bytes[22] = p->kind;
    frame_rewrite(bytes, p);
    return len;
}

/* False: it is not such a frame. */
static inline bool
frame_decode(const uint8_t *bytes, size_t len, struct sim_packet *p)
{
    if (len < FRAME_HEAD || bytes[6] != 2 || len > FRAME_MAX - FRAME_CHECK ||
        memcmp(bytes + 12, "\x88\xb6", 2)) {
        return false;
    }
    *p = (struct sim_packet){ .flow = frame_get(bytes + 14, 4),
                              .sequence = frame_get(bytes + 18, 4),
                              .dst = frame_get(bytes + 3, 3) & SIM_MAX_DST,
                              .n_hops = bytes[25],
                              .bytes = (uint16_t)(len + FRAME_CHECK),
                              .cls = bytes[23],
                              .ecn = bytes[24] & 3u,
                              .kind = bytes[22] & 63u };
    return true;
}

#endif
