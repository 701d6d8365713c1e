/* Declarations shared by the files that implement frame.h. */

#ifndef DATAPLANE_FRAME_PARTS_H
#define DATAPLANE_FRAME_PARTS_H

#include "dataplane/frame.h"
#include "packet/layout.h"
#include "packet/packet.h"

enum { LEAST_LEN = 60 }; /* The minimum length of any frame, without its check sequence. */

/* The minimum length of a packet of the model: the length of its headers. */
static inline size_t
least_len(uint32_t kind)
{
    return kind == SIM_DATA  ? LEAST_LEN
           : kind == SIM_CNP ? AETH_AT + CNP_BYTES + ICRC_BYTES
                             : AETH_AT + AETH_BYTES + ICRC_BYTES;
}

/* Writes the intended arrival time at the end of a frame, if there is space for it after the IPv4
 * packet. */
static inline void
put_meant(uint8_t *bytes, size_t len, weir_ps meant_ps)
{
    if (IP_AT + get16(bytes + IP_AT + LENGTH_AT) + MEANT_BYTES <= len) {
        put64(bytes + len - MEANT_BYTES, (uint64_t)meant_ps);
    }
}

/* Sets fields of the IPv4 header 'ip', and updates its checksum by RFC 1624, equation 3, for two
 * words at once: HC' = ~(~HC + ~m + m'), where the words differ in one byte each.  Hot: once per
 * packet. */
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

/* Rewrites the fields that a switch changes in a departing packet of the model: class, ECN, number
 * of hops and intended arrival time. Updates checksums. */
static inline void
rewrite_packet(uint8_t *bytes, size_t len, const struct sim_packet *p, weir_ps meant_ps)
{
    set_ipv4(bytes + IP_AT, packet_tos(p->cls, p->ecn), (uint8_t)(MAX_TTL - p->n_hops));
    put_meant(bytes, len, meant_ps);
}

/* Parses a control frame, a message, or a frame of a protocol that stays on its link. Returns false
 * for other frames. A bad frame gets the kind DP_BAD_CONTROL. */
bool dp_control_read(const struct dp_network *, const uint8_t *bytes, size_t len,
                     struct dp_parsed *);

#endif
