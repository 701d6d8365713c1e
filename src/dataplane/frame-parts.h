/* Where things stand in frames, numbers in them, which are big-endian, and common parts of
 * frame.h. */

#ifndef DATAPLANE_FRAME_PARTS_H
#define DATAPLANE_FRAME_PARTS_H

#include "dataplane/frame.h"
#include "packet/packet.h"

enum { ETHERNET_BYTES = 14, TAG_BYTES = 4, IPV4_BYTES = 20, IPV6_BYTES = 40, FCS_BYTES = 4 };
enum { TO_AT = 0, FROM_AT = 6, TYPE_AT = 12 };

/* In an IPv4 header. */
enum { TOS_AT = 1, LENGTH_AT = 2, ID_AT = 4, FRAGMENT_AT = 6, TTL_AT = 8, PROTOCOL_AT = 9 };
enum { CHECKSUM_AT = 10, ADDRESSES_AT = 12 };

/* In a packet of the model, which has no tags and no options. */
enum { IP_AT = ETHERNET_BYTES, UDP_AT = IP_AT + IPV4_BYTES, BTH_AT = UDP_AT + 8 };
enum { OPCODE_AT = BTH_AT, PARTITION_AT = BTH_AT + 2, BECN_AT = BTH_AT + 4, QP_AT = BTH_AT + 5 };
enum { EXCESS_AT = BTH_AT + 8, PSN_AT = BTH_AT + 9, AETH_AT = BTH_AT + 12, ICRC_BYTES = 4 };
enum { MEANT_BYTES = 8 };

enum {
    ETHERTYPE_IPV4 = 0x0800,
    ETHERTYPE_VLAN = 0x8100,    /* 802.1Q, */
    ETHERTYPE_SERVICE = 0x88a8, /* 802.1ad: that of a provider, */
    ETHERTYPE_OLD_TAG = 0x9100, /* and as it was before. */
    ETHERTYPE_IPV6 = 0x86dd,
};
enum { PROTOCOL_TCP = 6, PROTOCOL_UDP = 17, PORT_ROCE = 4791 };
enum { BECN_BIT = 0x40, EXCESS_BITS = 0x7f, MAX_TTL = 255 };

/* The partition that the model's packets are in: 'W', and 1 for the first form of them. */
enum { PARTITION = 0xd701 };

static inline uint32_t
get16(const uint8_t *at)
{
    return (uint32_t)(at[0] << 8 | at[1]);
}

static inline uint32_t
get32(const uint8_t *at)
{
    return (uint32_t)at[0] << 24 | (uint32_t)at[1] << 16 | (uint32_t)at[2] << 8 | at[3];
}

static inline uint64_t
get64(const uint8_t *at)
{
    return (uint64_t)get32(at) << 32 | get32(at + 4);
}

static inline void
put16(uint8_t *at, uint32_t v)
{
    at[0] = (uint8_t)(v >> 8);
    at[1] = (uint8_t)v;
}

static inline void
put64(uint8_t *at, uint64_t v)
{
    for (int i = 0; i < 8; i++) {
        at[i] = (uint8_t)(v >> (56 - 8 * i));
    }
}

/* The address of a NIC of the model, which has one port: packet_port_address(). */
static inline uint64_t
nic_address(uint32_t node)
{
    return UINT64_C(0x02) << 40 | (uint64_t)node << 16;
}

/* At the start of a frame, or behind its first address: two more bytes follow there. */
static inline uint64_t
address_at(const uint8_t *at)
{
    return get64(at) >> 16;
}

static inline bool
is_tag(uint32_t type)
{
    return type == ETHERTYPE_VLAN || type == ETHERTYPE_SERVICE || type == ETHERTYPE_OLD_TAG;
}

/* A network header, behind tags.  A frame with more tags than anybody stacks has none. */
struct network_header {
    size_t at;
    uint32_t type; /* EtherType; 0: the frame ends before it. */
};

enum { MAX_TAGS = 4 };

static inline struct network_header
find_network_header(const uint8_t *bytes, size_t len)
{
    size_t at = TYPE_AT;

    while (is_tag(get16(bytes + at))) {
        at += TAG_BYTES;
        if (at + 2 > len || at > TYPE_AT + MAX_TAGS * TAG_BYTES) {
            return (struct network_header){ len, 0 };
        }
    }
    return (struct network_header){ at + 2, get16(bytes + at) };
}

/* Version 4, and a header of at least five words. */
static inline bool
is_ipv4(const uint8_t *bytes, size_t len, struct network_header h)
{
    return h.type == ETHERTYPE_IPV4 && h.at + IPV4_BYTES <= len && bytes[h.at] >= 0x45 &&
           bytes[h.at] <= 0x4f;
}

static inline bool
is_ipv6(const uint8_t *bytes, size_t len, struct network_header h)
{
    return h.type == ETHERTYPE_IPV6 && h.at + IPV6_BYTES <= len && bytes[h.at] >> 4 == 6;
}

/* The class of a foreign frame by priority, or else by DSCP; one that is not there is the first. */
static inline uint8_t
class_of_foreign(const uint8_t *bytes, size_t len, uint32_t tos, uint32_t n_classes)
{
    bool is_tagged = len > ETHERNET_BYTES && is_tag(get16(bytes + TYPE_AT));
    uint32_t cls = is_tagged ? bytes[ETHERNET_BYTES] >> 5 : tos >> 5;

    return (uint8_t)(cls < n_classes ? cls : 0);
}

/* Packets of the model. */

enum { LEAST_LEN = 60 }; /* The minimum of any frame, without check sequence. */

/* The minimum of a packet of the model: its headers. */
static inline size_t
least_len(uint32_t kind)
{
    return kind == SIM_DATA  ? LEAST_LEN
           : kind == SIM_CNP ? AETH_AT + 16 + ICRC_BYTES
                             : AETH_AT + 4 + ICRC_BYTES;
}

/* It stands at the end of a frame, if that has room for it behind its IPv4 packet. */
static inline void
put_meant(uint8_t *bytes, size_t len, weir_ps meant_ps)
{
    if (IP_AT + get16(bytes + IP_AT + LENGTH_AT) + MEANT_BYTES <= len) {
        put64(bytes + len - MEANT_BYTES, (uint64_t)meant_ps);
    }
}

/* Hot: once a packet.  'ip' is an IPv4 header.  Its checksum follows RFC 1624, equation 3, for two
 * words at once: HC' = ~(~HC + ~m + m'), where the words differ in a byte each. */
static inline void
set_ipv4(uint8_t *ip, uint8_t tos, uint8_t ttl)
{
    uint32_t less = (uint32_t)ip[TTL_AT] << 8 | ip[TOS_AT], more = (uint32_t)ttl << 8 | tos;
    uint32_t sum = (~get16(ip + CHECKSUM_AT) & 0xffff) + 2 * 0xffff - less + more;

    ip[TOS_AT] = tos;
    ip[TTL_AT] = ttl;
    sum = (sum & 0xffff) + (sum >> 16);
    put16(ip + CHECKSUM_AT, ~(sum + (sum >> 16)));
}

/* The fields of a packet of the model that a switch changes, as it leaves: class, ECN, switches
 * crossed, when it is to arrive; checksums follow. */
static inline void
rewrite_packet(uint8_t *bytes, size_t len, const struct sim_packet *p, weir_ps meant_ps)
{
    set_ipv4(bytes + IP_AT, packet_tos(p->cls, p->ecn), (uint8_t)(MAX_TTL - p->n_hops));
    put_meant(bytes, len, meant_ps);
}

/* Whether it is a control frame or a message, or of a protocol that stays on its link, and its
 * error. */
bool dp_control_read(const struct dp_network *, const uint8_t *bytes, size_t len,
                     struct dp_parsed *);

#endif
