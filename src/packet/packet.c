/* Headers of RoCEv2 packets over IPv4 and Ethernet, byte by byte. */

#include "packet/packet.h"

#include <string.h>

#include "packet/layout.h"

enum { LEAST = 64, WORD = 4, DO_NOT_FRAGMENT = 0x4000, EVERYBODY = 0xffff };
enum { BTH_ACK = 0x80, BTH_MIGRATED = 0x40 };

/* Check sequences. */

/* The CRC of 802.3, 3.2.9: four bits at a time, the lowest first.  'crc' is that of the preceding
 * bytes. */
static uint32_t
crc32(uint32_t crc, const uint8_t *bytes, uint32_t n)
{
    static const uint32_t of_four_bits[16] = {
        0x00000000, 0x1db71064, 0x3b6e20c8, 0x26d930ac, 0x76dc4190, 0x6b6b51f4,
        0x4db26158, 0x5005713c, 0xedb88320, 0xf00f9344, 0xd6d6a3e8, 0xcb61b38c,
        0x9b64c2b0, 0x86d3d2d4, 0xa00ae278, 0xbdbdf21c,
    };

    crc = ~crc;
    for (uint32_t i = 0; i < n; i++) {
        crc ^= bytes[i];
        crc = crc >> 4 ^ of_four_bits[crc & 15];
        crc = crc >> 4 ^ of_four_bits[crc & 15];
    }
    return ~crc;
}

/* The product of two polynomials, modulo the polynomial of the CRC; bit 31 is the constant term. */
static uint32_t
multiply(uint32_t a, uint32_t b)
{
    uint32_t product = 0;

    for (; a; a <<= 1) {
        product ^= b & -(a >> 31);
        b = b >> 1 ^ (0xedb88320 & -(b & 1));
    }
    return product;
}

/* The factor of the CRC for 'n' zero bytes, each of which multiplies it by x^8. */
static uint32_t
factor_of_zeros(uint32_t n)
{
    static const uint32_t factors[16] = {
        /* [k]: the factor for 2^k bytes. */
        0x00800000, 0x00008000, 0xedb88320, 0xb1e6b092, 0xa06a2517, 0xed627dae,
        0x88d14467, 0xd7bbfe6a, 0xec447f11, 0x8e7ea170, 0x6427800e, 0x4d47bae0,
        0x09fe548f, 0x83852d0f, 0x30362f1a, 0x7b5a9cc3,
    };
    uint32_t factor = UINT32_C(1) << 31;

    for (uint32_t k = 0; n >> k; k++) {
        factor = n >> k & 1 ? multiply(factor, factors[k]) : factor;
    }
    return factor;
}

static uint32_t
crc32_of_zeros(uint32_t crc, uint32_t factor)
{
    return ~multiply(factor, ~crc);
}

/* Writes a check sequence. ICRC and FCS are both sent with the lowest byte first. */
static void
put_crc(uint8_t *at, uint32_t crc)
{
    for (int i = 0; i < 4; i++) {
        at[i] = (uint8_t)(crc >> 8 * i);
    }
}

/* The parts of a packet: bytes that are not zero, zeros, ICRC, padding, FCS. */
struct layout {
    uint32_t filled, icrc_at, fcs_at;
    uint32_t zeros; /* The factor of the zeros; set when the ICRC was computed. */
};

/* Writes the ICRC. Fields that routers change count as ones. InfiniBand's link header, which RoCEv2
 * lacks, counts as ones, too. */
static void
put_icrc(uint8_t *bytes, struct layout *l)
{
    static const uint8_t no_link_header[8] = { 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff };
    uint8_t headers[IPV4_BYTES + UDP_BYTES + BTH_BYTES];

    memcpy(headers, bytes + IP_AT, sizeof headers);
    headers[TOS_AT] = headers[TTL_AT] = 0xff;
    put16(headers + CHECKSUM_AT, 0xffff);
    put16(headers + IPV4_BYTES + 6, 0xffff); /* The checksum of UDP. */
    headers[BECN_AT - IP_AT] = 0xff;         /* FECN and BECN. */
    uint32_t crc = crc32(0, no_link_header, sizeof no_link_header);
    crc = crc32(crc, headers, sizeof headers);
    crc = crc32(crc, bytes + AETH_AT, l->filled - AETH_AT);
    l->zeros = factor_of_zeros(l->icrc_at - l->filled);
    put_crc(bytes + l->icrc_at, crc32_of_zeros(crc, l->zeros));
}

static void
put_fcs(uint8_t *bytes, const struct layout *l)
{
    uint32_t crc = crc32_of_zeros(crc32(0, bytes, l->filled), l->zeros);

    put_crc(bytes + l->fcs_at, crc32(crc, bytes + l->icrc_at, l->fcs_at - l->icrc_at));
}

/* Headers. */

static void
put_ethernet(uint8_t *at, const struct packet *p)
{
    memcpy(at + TO_AT, p->to, sizeof p->to);
    memcpy(at + FROM_AT, p->from, sizeof p->from);
    put16(at + TYPE_AT, ETHERTYPE_IPV4);
}

static uint32_t
ip_checksum(const uint8_t *at)
{
    uint32_t sum = 0;

    for (int i = 0; i < IPV4_BYTES; i += 2) {
        sum += get16(at + i);
    }
    sum = (sum & 0xffff) + (sum >> 16);
    return ~(sum + (sum >> 16)) & 0xffff;
}

static void
put_ipv4(uint8_t *at, const struct packet *p, uint32_t n_bytes)
{
    at[0] = 4 << 4 | IPV4_BYTES / WORD;
    at[TOS_AT] = p->tos;
    put16(at + LENGTH_AT, n_bytes);
    put16(at + ID_AT, p->ip_id);
    put16(at + FRAGMENT_AT, DO_NOT_FRAGMENT);
    at[TTL_AT] = p->ttl;
    at[PROTOCOL_AT] = PROTOCOL_UDP;
    put32(at + ADDRESSES_AT, p->ip_from);
    put32(at + ADDRESSES_AT + 4, p->ip_to);
    put16(at + CHECKSUM_AT, ip_checksum(at));
}

static void
put_udp(uint8_t *at, const struct packet *p, uint32_t n_bytes)
{
    put16(at, p->udp_from);
    put16(at + 2, PORT_ROCE);
    put16(at + 4, n_bytes);
}

static void
put_bth(uint8_t *at, const struct packet *p)
{
    at[0] = p->opcode;
    /* The bit that NICs set. CNPs have no path migration. */
    at[1] = p->opcode == PACKET_CNP ? 0 : BTH_MIGRATED;
    put16(at + 2, p->partition ? p->partition : EVERYBODY);
    at[4] = p->has_becn ? BECN_BIT : 0;
    put24(at + 5, p->qp);
    at[8] = (uint8_t)((p->asks_for_ack ? BTH_ACK : 0) | p->spare);
    put24(at + 9, p->psn);
}

static bool
begins_message(uint8_t opcode)
{
    uint8_t kind = opcode & (uint8_t)~PACKET_UNRELIABLE;
    return kind == PACKET_WRITE_FIRST || kind == PACKET_WRITE_ONLY;
}

/* The number of bytes between BTH and data. */
static uint32_t
extension_bytes(uint8_t opcode)
{
    return begins_message(opcode)         ? RETH_BYTES
           : opcode == PACKET_ACKNOWLEDGE ? AETH_BYTES
           : opcode == PACKET_CNP         ? CNP_BYTES
                                          : 0;
}

/* Writes the extension header. In RETH, address and key are 0, because no memory is written. */
static void
put_extension(uint8_t *at, const struct packet *p)
{
    if (begins_message(p->opcode)) {
        put32(at + 12, p->data_bytes);
    } else if (p->opcode == PACKET_ACKNOWLEDGE) {
        at[0] = p->syndrome;
        put24(at + 1, p->n_messages);
    }
}

uint32_t
packet_data_bytes(uint8_t opcode, uint32_t bytes)
{
    uint32_t around = AETH_AT + extension_bytes(opcode) + ICRC_BYTES + PACKET_FCS_BYTES;
    bool has_data = opcode != PACKET_ACKNOWLEDGE && opcode != PACKET_CNP;

    return has_data && bytes > around ? (bytes - around) / WORD * WORD : 0;
}

/* The length of a packet on the wire, given the minimum that its headers need. */
static uint32_t
length_of(const struct packet *p, uint32_t needed)
{
    uint32_t least = needed > LEAST ? needed : LEAST;
    return p->bytes > least ? p->bytes : least;
}

static struct layout
layout_of(const struct packet *p)
{
    uint32_t filled = AETH_AT + extension_bytes(p->opcode);
    uint32_t icrc_at = filled + packet_data_bytes(p->opcode, p->bytes);
    uint32_t length = length_of(p, icrc_at + ICRC_BYTES + PACKET_FCS_BYTES);

    return (
        struct layout){ .filled = filled, .icrc_at = icrc_at, .fcs_at = length - PACKET_FCS_BYTES };
}

static void
put_headers(uint8_t *bytes, const struct packet *p, const struct layout *l)
{
    uint32_t end = l->icrc_at + ICRC_BYTES;

    memset(bytes, 0, l->fcs_at);
    put_ethernet(bytes, p);
    put_ipv4(bytes + IP_AT, p, end - IP_AT);
    put_udp(bytes + UDP_AT, p, end - UDP_AT);
    put_bth(bytes + BTH_AT, p);
    put_extension(bytes + AETH_AT, p);
}

uint32_t
packet_encode(const struct packet *p, uint32_t n_kept, uint8_t bytes[PACKET_MAX_BYTES])
{
    struct layout l = layout_of(p);

    put_headers(bytes, p, &l);
    if (l.icrc_at < n_kept) {
        put_icrc(bytes, &l);
    }
    if (l.fcs_at < n_kept) {
        put_fcs(bytes, &l);
    }
    return l.fcs_at + PACKET_FCS_BYTES;
}

uint32_t
packet_encode_open(const struct packet *p, uint8_t *bytes)
{
    struct layout l = layout_of(p);

    put_headers(bytes, p, &l);
    put_icrc(bytes, &l);
    return l.fcs_at;
}

static uint32_t
close_frame(uint8_t *bytes)
{
    put_crc(bytes + WEIR_ETHERNET_BYTES, crc32(0, bytes, WEIR_ETHERNET_BYTES));
    return WEIR_CONTROL_BYTES;
}

uint32_t
packet_encode_frame(const struct weir_frame *f, const uint8_t from[6],
                    uint8_t bytes[PACKET_MAX_BYTES])
{
    weir_frame_to_ethernet(f, from, bytes);
    return close_frame(bytes);
}

void
packet_encode_open_message(const struct weir_frame *f, const struct packet_message *m,
                           uint8_t bytes[WEIR_ETHERNET_BYTES])
{
    weir_frame_to_ethernet(f, m->from, bytes);
    memcpy(bytes, m->to, sizeof m->to);
    if (f->len <= PACKET_NOTE_AT - sizeof m->to - sizeof m->from) {
        bytes[PACKET_NOTE_AT] = PACKET_NOTE_MARK;
        bytes[PACKET_NOTE_AT + 1] = m->n_hops;
        put32(bytes + PACKET_NOTE_AT + 2, m->flow);
    }
}

uint32_t
packet_encode_message(const struct weir_frame *f, const struct packet_message *m,
                      uint8_t bytes[PACKET_MAX_BYTES])
{
    packet_encode_open_message(f, m, bytes);
    return close_frame(bytes);
}
