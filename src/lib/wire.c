/* Control frames as bytes: encoders and decoders. */

#include "weir/wire.h"

#include <assert.h>
#include <string.h>

#include "bytes.h"

enum { CLASS_LEN = 22, FAFC_LEN = 38, NUMBERS_AT = 6, ADDRESSES_LEN = 12 };
enum { CNM_LEN = 26, CN_TAG_LEN = 4, CNM_MAX_QUOTED = 64, CNM_UNIT_BYTES = 64 };

/* Reads a signed number in two's complement. */
static int16_t
get_signed16(const uint8_t *at)
{
    int32_t v = (int32_t)get16(at);
    return (int16_t)(v > INT16_MAX ? v - 0x10000 : v);
}

static void
begin(struct weir_frame *f, uint8_t len, uint32_t id)
{
    memset(f, 0, sizeof *f);
    f->len = len;
    put32(f->bytes, id);
}

uint32_t
weir_frame_id(const struct weir_frame *f)
{
    return f->len >= 4 ? get32(f->bytes) : 0;
}

/* The length of the CN-TAG at the front; 0 if there is none. */
static uint8_t
tag_len(const struct weir_frame *f)
{
    return f->len >= CN_TAG_LEN && get16(f->bytes) == WEIR_ETHERTYPE_CN_TAG ? CN_TAG_LEN : 0;
}

uint16_t
weir_message_type(const struct weir_frame *f)
{
    uint8_t tag = tag_len(f);
    return f->len >= tag + 2 ? (uint16_t)get16(f->bytes + tag) : 0;
}

void
weir_class_frame_encode(const struct weir_class_frame *c, struct weir_frame *f)
{
    begin(f, CLASS_LEN, WEIR_FRAME_ID(WEIR_ETHERTYPE_MAC_CONTROL, c->opcode));
    f->bytes[5] = c->enable;
    for (int i = 0; i < 8; i++) {
        put16(f->bytes + 6 + 2 * i, c->values[i]);
    }
}

/* Whether a frame is a MAC control frame, with any opcode. */
static bool
is_mac_control(const struct weir_frame *f, uint8_t len)
{
    return f->len >= len && f->len <= WEIR_FRAME_MAX &&
           get16(f->bytes) == WEIR_ETHERTYPE_MAC_CONTROL;
}

bool
weir_class_frame_decode(const struct weir_frame *f, struct weir_class_frame *c)
{
    if (!is_mac_control(f, CLASS_LEN)) {
        return false;
    }
    c->opcode = (uint16_t)get16(f->bytes + 2);
    c->enable = f->bytes[5];
    for (int i = 0; i < 8; i++) {
        c->values[i] = (uint16_t)get16(f->bytes + 6 + 2 * i);
    }
    return true;
}

void
weir_fafc_pause_encode(const struct weir_fafc_pause *p, struct weir_frame *f)
{
    begin(f, FAFC_LEN, WEIR_FRAME_ID(WEIR_ETHERTYPE_MAC_CONTROL, p->opcode));
    f->bytes[5] = p->enable;
    for (int i = 0; i < 8; i++) {
        put32(f->bytes + 6 + 4 * i, p->pause_ns[i]);
    }
}

bool
weir_fafc_pause_decode(const struct weir_frame *f, struct weir_fafc_pause *p)
{
    if (!is_mac_control(f, FAFC_LEN)) {
        return false;
    }
    p->opcode = (uint16_t)get16(f->bytes + 2);
    p->enable = f->bytes[5];
    for (int i = 0; i < 8; i++) {
        p->pause_ns[i] = get32(f->bytes + 6 + 4 * i);
    }
    return true;
}

/* Writes a frame of an experimental subtype: a byte, a reserved byte, and numbers. */
static void
encode_numbers(uint16_t subtype, uint8_t byte, const uint32_t *numbers, uint8_t n,
               struct weir_frame *f)
{
    begin(f, (uint8_t)(NUMBERS_AT + 4 * n), WEIR_FRAME_ID(WEIR_ETHERTYPE_EXPERIMENTAL, subtype));
    f->bytes[4] = byte;
    for (int i = 0; i < n; i++) {
        put32(f->bytes + NUMBERS_AT + 4 * i, numbers[i]);
    }
}

static bool
decode_numbers(const struct weir_frame *f, uint16_t subtype, uint8_t *byte, uint32_t *numbers[],
               uint8_t n)
{
    if (f->len < NUMBERS_AT + 4 * n || f->len > WEIR_FRAME_MAX ||
        get32(f->bytes) != WEIR_FRAME_ID(WEIR_ETHERTYPE_EXPERIMENTAL, subtype)) {
        return false;
    }
    *byte = f->bytes[4];
    for (int i = 0; i < n; i++) {
        *numbers[i] = get32(f->bytes + NUMBERS_AT + 4 * i);
    }
    return true;
}

void
weir_credit_frame_encode(const struct weir_credit_frame *c, struct weir_frame *f)
{
    const uint32_t numbers[] = { c->fctbs, c->fccl, c->free_blocks };

    encode_numbers(WEIR_SUBTYPE_CREDIT, c->cls, numbers, 3, f);
}

bool
weir_credit_frame_decode(const struct weir_frame *f, struct weir_credit_frame *c)
{
    uint32_t *numbers[] = { &c->fctbs, &c->fccl, &c->free_blocks };

    return decode_numbers(f, WEIR_SUBTYPE_CREDIT, &c->cls, numbers, 3);
}

void
weir_queue_frame_encode(const struct weir_queue_frame *q, struct weir_frame *f)
{
    const uint32_t numbers[] = { q->queue_bytes, q->b0_bytes, q->bm_bytes };

    encode_numbers(WEIR_SUBTYPE_QUEUE, q->cls, numbers, 3, f);
}

bool
weir_queue_frame_decode(const struct weir_frame *f, struct weir_queue_frame *q)
{
    uint32_t *numbers[] = { &q->queue_bytes, &q->b0_bytes, &q->bm_bytes };

    return decode_numbers(f, WEIR_SUBTYPE_QUEUE, &q->cls, numbers, 3);
}

void
weir_delivery_frame_encode(const struct weir_delivery_frame *d, struct weir_frame *f)
{
    const uint32_t numbers[] = { d->flow, d->sequence };

    encode_numbers(WEIR_SUBTYPE_DELIVERY, d->kind, numbers, 2, f);
}

bool
weir_delivery_frame_decode(const struct weir_frame *f, struct weir_delivery_frame *d)
{
    uint32_t *numbers[] = { &d->flow, &d->sequence };

    return decode_numbers(f, WEIR_SUBTYPE_DELIVERY, &d->kind, numbers, 2);
}

void
weir_cnm_encode(const struct weir_cnm *m, struct weir_frame *f)
{
    assert(m->quantised_fb <= WEIR_CNM_MAX_FB && m->priority < 8);
    begin(f, CNM_LEN, WEIR_FRAME_ID(WEIR_ETHERTYPE_CNM, m->quantised_fb));
    put64(f->bytes + 4, m->cpid);
    put16(f->bytes + 12, (uint16_t)m->q_offset);
    put16(f->bytes + 14, (uint16_t)m->q_delta);
    f->bytes[16] = (uint8_t)(m->priority << 5);
    memcpy(f->bytes + 18, m->destination, sizeof m->destination);
}

/* True if the frame has as many bytes as the message says, up to the maximum. */
static bool
is_whole(const struct weir_frame *f, uint32_t tag)
{
    if (f->len < tag + CNM_LEN || f->len > WEIR_FRAME_MAX) {
        return false;
    }
    uint32_t quoted = get16(f->bytes + tag + 24), len = tag + CNM_LEN + quoted;
    return quoted <= CNM_MAX_QUOTED && f->len >= (len < WEIR_FRAME_MAX ? len : WEIR_FRAME_MAX);
}

bool
weir_cnm_decode(const struct weir_frame *f, struct weir_cnm *m)
{
    uint8_t tag = tag_len(f);
    const uint8_t *at = f->bytes + tag;

    if (!is_whole(f, tag) || get16(at) != WEIR_ETHERTYPE_CNM) {
        return false;
    }
    m->quantised_fb = at[3] & WEIR_CNM_MAX_FB;
    m->cpid = get64(at + 4);
    m->q_offset = get_signed16(at + 12);
    m->q_delta = get_signed16(at + 14);
    m->priority = at[16] >> 5;
    memcpy(m->destination, at + 18, sizeof m->destination);
    m->quoted_bytes = (uint8_t)get16(at + 24);
    return true;
}

int16_t
weir_cnm_units(int64_t bytes)
{
    int64_t units = bytes / CNM_UNIT_BYTES;

    if (units > INT16_MAX) {
        return INT16_MAX;
    }
    return (int16_t)(units < INT16_MIN ? INT16_MIN : units);
}

void
weir_frame_to_ethernet(const struct weir_frame *f, const uint8_t source[6],
                       uint8_t out[WEIR_ETHERNET_BYTES])
{
    static const uint8_t mac_control[6] = { 0x01, 0x80, 0xc2, 0x00, 0x00, 0x01 };

    assert(f->len <= WEIR_FRAME_MAX);
    memset(out, 0, WEIR_ETHERNET_BYTES);
    memcpy(out, mac_control, 6);
    memcpy(out + 6, source, 6);
    memcpy(out + ADDRESSES_LEN, f->bytes, f->len);
}

bool
weir_frame_from_ethernet(const uint8_t *bytes, size_t len, struct weir_frame *f)
{
    if (len < ADDRESSES_LEN + 2) {
        return false;
    }
    size_t rest = len - ADDRESSES_LEN;
    f->len = (uint8_t)(rest < WEIR_FRAME_MAX ? rest : WEIR_FRAME_MAX);
    memset(f->bytes, 0, sizeof f->bytes);
    memcpy(f->bytes, bytes + ADDRESSES_LEN, f->len);
    return true;
}
