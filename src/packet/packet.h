/* Encodes simulated packets and frames as on a real wire: RoCEv2 over IPv4 on Ethernet.
 *
 *      0  to, from           6 bytes each
 *     12  08 00
 *     14  IPv4, 20 bytes     class and ECN bits, hops, addresses; may not be fragmented
 *     34  UDP, 8 bytes       to port 4791, without checksum
 *     42  BTH, 12 bytes      opcode, queue pair, packet sequence number
 *     54  AETH, 4 bytes      of an ACK or NACK; or RETH, 16 bytes, of the first packet of a
 *                            message; or 16 reserved bytes, of a CNP
 *         data               zeros
 *         ICRC, 4 bytes      over all from IPv4 on that does not change on its way
 *         padding            to what the packet has on the wire, 64 bytes at least
 *         FCS, 4 bytes
 *
 *     InfiniBand Architecture Specification, volume 1: chapter 9 (BTH, AETH, RETH), 7.8.1 (ICRC),
 *     annex A17 (RoCEv2, CNP); 802.3, clause 3
 *
 * A packet that is longer than its headers in the simulator has the same length on the wire; a
 * shorter one has the length of its headers.  Data are whole words of 4 bytes, as in InfiniBand,
 * followed by up to 3 bytes of padding. */

#ifndef PACKET_H
#define PACKET_H

#include <stdbool.h>
#include <stdint.h>

#include "weir/engine.h"
#include "weir/wire.h"

enum { PACKET_MAX_BYTES = 65535, PACKET_FCS_BYTES = 4 };

/* BTH opcodes.  The upper three bits are the service: reliable or unreliable connection. */
enum packet_opcode {
    PACKET_WRITE_FIRST = 0x06,
    PACKET_WRITE_MIDDLE = 0x07,
    PACKET_WRITE_LAST = 0x08,
    PACKET_WRITE_ONLY = 0x0a,
    PACKET_ACKNOWLEDGE = 0x11,
    PACKET_UNRELIABLE = 0x20, /* Added to the first four opcodes, for unreliable connections. */
    PACKET_CNP = 0x81
};

/* PACKET_ACK has no credit limit. InfiniBand has no SACK, and reserves its code. */
enum packet_syndrome { PACKET_ACK = 0x1f, PACKET_SACK = 0x40, PACKET_NAK_SEQUENCE = 0x60 };

struct packet {
    uint8_t to[6], from[6];
    uint32_t ip_from, ip_to;
    uint16_t ip_id;
    uint8_t tos, ttl; /* The byte with class and ECN, and the remaining number of hops. */
    uint16_t udp_from;
    uint8_t opcode;
    bool has_becn; /* The packet reports marks of packets in the other direction. */
    bool asks_for_ack;
    uint16_t partition; /* P_Key; 0 stands for the default partition, 0xffff. */
    uint8_t spare;      /* 7 bits that InfiniBand reserves, and receivers ignore. */
    uint32_t qp, psn;   /* 24 bits each. */
    uint8_t syndrome;   /* Only in acknowledgements. */
    /* Only in acknowledgements: the number of messages that have arrived, 24 bits. */
    uint32_t n_messages;
    uint32_t data_bytes; /* The size of the message, in its first packet. */
    uint32_t bytes;      /* The size in the simulator, including the FCS. */
};

/* The byte of IPv4 with class and ECN. The classes are DSCP CS0 to CS7. */
static inline uint8_t
packet_tos(uint32_t cls, uint32_t ecn)
{
    static const uint8_t ecn_bits[] = { [WEIR_NOT_ECT] = 0, [WEIR_ECT] = 2, [WEIR_CE] = 3 };

    return (uint8_t)(cls << 5 | ecn_bits[ecn]);
}

/* The number of bytes of data in a packet of this total length. */
uint32_t packet_data_bytes(uint8_t opcode, uint32_t bytes);

/* Encodes a packet. Encoders return the length on the wire. Only the first 'n_kept' bytes are
 * valid: later check sequences are left out, because they take most of the time. */
uint32_t packet_encode(const struct packet *, uint32_t n_kept, uint8_t bytes[PACKET_MAX_BYTES]);

/* Encodes a packet without FCS, as programs pass it to devices. 'bytes' needs no space for the
 * FCS. */
uint32_t packet_encode_open(const struct packet *, uint8_t *bytes);

uint32_t packet_encode_frame(const struct weir_frame *, const uint8_t from[6],
                             uint8_t bytes[PACKET_MAX_BYTES]);

/* A message is a frame that is not addressed to the next node.  Its padding has the fields that its
 * headers lack; a frame without space for them is sent without them.
 *
 *     54  57 hh             'W'; the number of switches that it has crossed
 *     56  ff ff ff ff       the flow that it is about */
enum { PACKET_NOTE_AT = 54, PACKET_NOTE_MARK = 0x57 };

struct packet_message {
    uint8_t to[6], from[6];
    uint8_t n_hops;
    uint32_t flow;
};

/* Encode a message. The first function leaves out the FCS; its frames have WEIR_ETHERNET_BYTES. */
void packet_encode_open_message(const struct weir_frame *, const struct packet_message *,
                                uint8_t bytes[WEIR_ETHERNET_BYTES]);
uint32_t packet_encode_message(const struct weir_frame *, const struct packet_message *,
                               uint8_t bytes[PACKET_MAX_BYTES]);

#endif
