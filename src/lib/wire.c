/* Control frames as bytes: encoders and decoders. */

#include "weir/wire.h"

#include <assert.h>
#include <string.h>

enum { CLASS_LEN = 22, FAFC_LEN = 38, CREDIT_LEN = 18, QUEUE_LEN = 18, DELIVERY_LEN = 14 };
enum { ADDRESSES_LEN = 12 };
enum { CNM_LEN = 26, CN_TAG_LEN = 4, CNM_MAX_QUOTED = 64, CNM_UNIT_BYTES = 64 };

static void
put16(uint8_t *at, uint16_t v)
{
    at[0] = (uint8_t)(v >> 8);
    at[1] = (uint8_t)v;
}

static void
put32(uint8_t *at, uint32_t v)
{
    put16(at, (uint16_t)(v >> 16));
    put16(at + 2, (uint16_t)v);
}

static uint16_t
get16(const uint8_t *at)
{
    return (uint16_t)(at[0] << 8 | at[1]);
}

static uint32_t
get32(const uint8_t *at)
{
    return (uint32_t)get16(at) << 16 | get16(at + 2);
}

static void
put64(uint8_t *at, uint64_t v)
{
    put32(at, (uint32_t)(v >> 32));
    put32(at + 4, (uint32_t)v);
}

static uint64_t
get64(const uint8_t *at)
{
    return (uint64_t)get32(at) << 32 | get32(at + 4);
}

/* A number with a sign, in two's complement. */
static int16_t
get_signed16(const uint8_t *at)
{
    int32_t v = get16(at);
    return (int16_t)(v > INT16_MAX ? v - 0x10000 : v);
}

static void
begin(struct weir_frame *f, uint8_t len, uint32_t id)
{
    memset(f, 0, sizeof *f);
    f->len = len;
    put32(f->bytes, id);
}

static bool
is_frame_of(const struct weir_frame *f, uint8_t len, uint32_t id)
{
    return f->len >= len && f->len <= WEIR_FRAME_MAX && get32(f->bytes) == id;
}

uint32_t
weir_frame_id(const struct weir_frame *f)
{
    return f->len >= 4 ? get32(f->bytes) : 0;
}

/* How long the CN-TAG in front is: 0 if there is none. */
static uint8_t
tag_len(const struct weir_frame *f)
{
    return f->len >= CN_TAG_LEN && get16(f->bytes) == WEIR_ETHERTYPE_CN_TAG ? CN_TAG_LEN : 0;
}

uint16_t
weir_message_type(const struct weir_frame *f)
{
    uint8_t tag = tag_len(f);
    return f->len >= tag + 2 ? get16(f->bytes + tag) : 0;
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

/* With any opcode. */
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
    c->opcode = get16(f->bytes + 2);
    c->enable = f->bytes[5];
    for (int i = 0; i < 8; i++) {
        c->values[i] = get16(f->bytes + 6 + 2 * i);
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
    p->opcode = get16(f->bytes + 2);
    p->enable = f->bytes[5];
    for (int i = 0; i < 8; i++) {
        p->pause_ns[i] = get32(f->bytes + 6 + 4 * i);
    }
    return true;
}

void
weir_credit_frame_encode(const struct weir_credit_frame *c, struct weir_frame *f)
{
    begin(f, CREDIT_LEN, WEIR_FRAME_ID(WEIR_ETHERTYPE_EXPERIMENTAL, WEIR_SUBTYPE_CREDIT));
    f->bytes[4] = c->cls;
    put32(f->bytes + 6, c->fctbs);
    put32(f->bytes + 10, c->fccl);
    put32(f->bytes + 14, c->free_blocks);
}

bool
weir_credit_frame_decode(const struct weir_frame *f, struct weir_credit_frame *c)
{
    if (!is_frame_of(f, CREDIT_LEN,
                     WEIR_FRAME_ID(WEIR_ETHERTYPE_EXPERIMENTAL, WEIR_SUBTYPE_CREDIT))) {
        return false;
    }
    c->cls = f->bytes[4];
    c->fctbs = get32(f->bytes + 6);
    c->fccl = get32(f->bytes + 10);
    c->free_blocks = get32(f->bytes + 14);
    return true;
}

void
weir_queue_frame_encode(const struct weir_queue_frame *q, struct weir_frame *f)
{
    begin(f, QUEUE_LEN, WEIR_FRAME_ID(WEIR_ETHERTYPE_EXPERIMENTAL, WEIR_SUBTYPE_QUEUE));
    f->bytes[4] = q->cls;
    put32(f->bytes + 6, q->queue_bytes);
    put32(f->bytes + 10, q->b0_bytes);
    put32(f->bytes + 14, q->bm_bytes);
}

bool
weir_queue_frame_decode(const struct weir_frame *f, struct weir_queue_frame *q)
{
    if (!is_frame_of(f, QUEUE_LEN,
                     WEIR_FRAME_ID(WEIR_ETHERTYPE_EXPERIMENTAL, WEIR_SUBTYPE_QUEUE))) {
        return false;
    }
    q->cls = f->bytes[4];
    q->queue_bytes = get32(f->bytes + 6);
    q->b0_bytes = get32(f->bytes + 10);
    q->bm_bytes = get32(f->bytes + 14);
    return true;
}

void
weir_delivery_frame_encode(const struct weir_delivery_frame *d, struct weir_frame *f)
{
    begin(f, DELIVERY_LEN, WEIR_FRAME_ID(WEIR_ETHERTYPE_EXPERIMENTAL, WEIR_SUBTYPE_DELIVERY));
    f->bytes[4] = d->kind;
    put32(f->bytes + 6, d->flow);
    put32(f->bytes + 10, d->sequence);
}

bool
weir_delivery_frame_decode(const struct weir_frame *f, struct weir_delivery_frame *d)
{
    if (!is_frame_of(f, DELIVERY_LEN,
                     WEIR_FRAME_ID(WEIR_ETHERTYPE_EXPERIMENTAL, WEIR_SUBTYPE_DELIVERY))) {
        return false;
    }
    d->kind = f->bytes[4];
    d->flow = get32(f->bytes + 6);
    d->sequence = get32(f->bytes + 10);
    return true;
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

/* Whether there is as much as the message says, up to what a frame holds. */
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
