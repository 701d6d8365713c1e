/* Offsets in frames: Ethernet, its tags, IPv4, UDP, and the headers of RoCEv2. */

#ifndef PACKET_LAYOUT_H
#define PACKET_LAYOUT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "lib/bytes.h"

enum { ETHERNET_BYTES = 14, TAG_BYTES = 4, IPV4_BYTES = 20, IPV6_BYTES = 40 };
enum { TO_AT = 0, FROM_AT = 6, TYPE_AT = 12 };

/* Offsets in an IPv4 header. */
enum { TOS_AT = 1, LENGTH_AT = 2, ID_AT = 4, FRAGMENT_AT = 6, TTL_AT = 8, PROTOCOL_AT = 9 };
enum { CHECKSUM_AT = 10, ADDRESSES_AT = 12 };

/* Offsets in a packet of the model, which has no tags and no options. */
enum { UDP_BYTES = 8, BTH_BYTES = 12, AETH_BYTES = 4, RETH_BYTES = 16, CNP_BYTES = 16 };
enum { IP_AT = ETHERNET_BYTES, UDP_AT = IP_AT + IPV4_BYTES, BTH_AT = UDP_AT + UDP_BYTES };
enum { OPCODE_AT = BTH_AT, PARTITION_AT = BTH_AT + 2, BECN_AT = BTH_AT + 4, QP_AT = BTH_AT + 5 };
enum { EXCESS_AT = BTH_AT + 8, PSN_AT = BTH_AT + 9, AETH_AT = BTH_AT + BTH_BYTES, ICRC_BYTES = 4 };
enum { MEANT_BYTES = 8 };

enum {
    ETHERTYPE_IPV4 = 0x0800,
    ETHERTYPE_VLAN = 0x8100,    /* 802.1Q. */
    ETHERTYPE_SERVICE = 0x88a8, /* 802.1ad, the tag of a provider. */
    ETHERTYPE_OLD_TAG = 0x9100, /* The previous value for the tag of a provider. */
    ETHERTYPE_IPV6 = 0x86dd,
};
enum { PROTOCOL_TCP = 6, PROTOCOL_UDP = 17, PORT_ROCE = 4791 };
enum { BECN_BIT = 0x40, EXCESS_BITS = 0x7f, MAX_TTL = 255 };

/* The partition of the model's packets: 'W', and 1 for the first version of their format. */
enum { PARTITION = 0xd701 };

/* The address of a NIC in the model. The NIC has one port (packet_port_address()). */
static inline uint64_t
nic_address(uint32_t node)
{
    return UINT64_C(0x02) << 40 | (uint64_t)node << 16;
}

/* Reads the address at the start of a frame, or the one after it. At least two more bytes must
 * follow the address. */
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

/* A network header, which may follow tags. A frame with too many tags has none. */
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

/* Whether a header is IPv4 with at least five words. */
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

/* The class of a foreign frame by its 802.1Q priority, or else by its DSCP. A class that does not
 * exist becomes class 0. */
static inline uint8_t
class_of_foreign(const uint8_t *bytes, size_t len, uint32_t tos, uint32_t n_classes)
{
    bool is_tagged = len > ETHERNET_BYTES && is_tag(get16(bytes + TYPE_AT));
    uint32_t cls = is_tagged ? bytes[ETHERNET_BYTES] >> 5 : tos >> 5;

    return (uint8_t)(cls < n_classes ? cls : 0);
}

#endif
