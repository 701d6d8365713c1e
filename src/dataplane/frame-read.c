/* Classifies and parses frames: packets of the model, control frames and foreign frames. */

#include "dataplane/frame-parts.h"
#include "dataplane/frame.h"
#include "packet/packet.h"
#include "topo/topo.h"

const struct dp_name dp_whats[DP_N_WHATS] = {
    [DP_PACKET] = { "lab.n_packets", "packets of the scenario's flows" },
    [DP_CONTROL] = { "lab.n_controls", "control frames" },
    [DP_MESSAGE] = { "lab.n_messages", "messages for other nodes" },
    [DP_FOREIGN] = { "lab.n_foreign", "frames of others" },
    [DP_TOO_SHORT] = { "lab.n_too_short", "frames too short for an Ethernet header" },
    [DP_TOO_LONG] = { "lab.n_too_long", "frames longer than the maximum" },
    [DP_BAD_PACKET] = { "lab.n_bad_packets", "packets that do not match the flow that they name" },
    [DP_BAD_CONTROL] = { "lab.n_bad_controls",
                         "control frames of unknown kind, cut off, for missing classes, or for a "
                         "node that does not send the flow that they name" },
    [DP_LINK_LOCAL] = { "lab.n_of_link_alone", "frames of link-local protocols" },
};

/* [lower bits of the byte with class and ECN]. */
static const uint8_t ecn_of[4] = { WEIR_NOT_ECT, WEIR_ECT, WEIR_ECT, WEIR_CE };

/* Packets of the model. */

/* Hot: once a packet. */
static inline bool
is_of_model(const uint8_t *bytes, size_t len)
{
    return len >= LEAST_LEN && get32(bytes + TYPE_AT) >> 8 == (ETHERTYPE_IPV4 << 8 | 0x45) &&
           bytes[IP_AT + PROTOCOL_AT] == PROTOCOL_UDP && get16(bytes + UDP_AT + 2) == PORT_ROCE &&
           get16(bytes + PARTITION_AT) == PARTITION;
}

/* The upper bits of flow and sequence number, which do not fit into InfiniBand's fields. They are
 * in IPv4's identification field. */
static inline uint32_t
number_of(const uint8_t *bytes)
{
    return (uint32_t)bytes[IP_AT + ID_AT] << 24 | get32(bytes + QP_AT - 1) % (1 << 24);
}

static inline uint32_t
sequence_of(const uint8_t *bytes)
{
    return (uint32_t)bytes[IP_AT + ID_AT + 1] << 24 | get32(bytes + PSN_AT - 1) % (1 << 24);
}

enum { NO_KIND = 63 };

static uint32_t
kind_of_answer(const uint8_t *bytes)
{
    static const uint8_t kinds[8][2] = {
        /* [upper bits of the syndrome][BECN]. */
        [PACKET_ACK >> 5] = { SIM_ACK, SIM_ACK_MARKED },
        [1] = { NO_KIND, NO_KIND },
        [PACKET_SACK >> 5] = { SIM_SACK, SIM_SACK_MARKED },
        [PACKET_NAK_SEQUENCE >> 5] = { SIM_NACK, NO_KIND },
        [4] = { NO_KIND, NO_KIND },
        [5] = { NO_KIND, NO_KIND },
        [6] = { NO_KIND, NO_KIND },
        [7] = { NO_KIND, NO_KIND },
    };
    bool has_becn = bytes[BECN_AT] & BECN_BIT;

    if (bytes[OPCODE_AT] == PACKET_CNP) {
        return has_becn ? SIM_CNP : NO_KIND;
    }
    return bytes[OPCODE_AT] == PACKET_ACKNOWLEDGE ? kinds[bytes[AETH_AT] >> 5][has_becn] : NO_KIND;
}

/* Whether lengths are consistent. The length of a packet is that of its frame. A packet shorter
 * than its headers has a field for the difference. In the shortest data frame the last two bytes
 * are padding. */
static inline bool
has_right_length(const uint8_t *bytes, size_t len, uint32_t kind, uint32_t excess)
{
    size_t least = least_len(kind), end = IP_AT + get16(bytes + IP_AT + LENGTH_AT);

    return len >= least && (!excess || (len == least && excess < least + PACKET_FCS_BYTES)) &&
           end <= len && end + 2 >= least;
}

/* Reads the intended arrival time. It is after the IPv4 packet, at the end of a frame that has
 * space for it. */
static inline weir_ps
meant_at(const uint8_t *bytes, size_t len)
{
    size_t end = IP_AT + get16(bytes + IP_AT + LENGTH_AT);

    if (end + MEANT_BYTES > len) {
        return WEIR_NEVER;
    }
    uint64_t ps = get64(bytes + len - MEANT_BYTES);
    return ps < (uint64_t)WEIR_NEVER ? (weir_ps)ps : WEIR_NEVER;
}

/* Parses the rest of a packet whose flow and class are valid.  For data 'kind' is a compile-time
 * constant.
 */
static inline __attribute__((always_inline)) bool
read_as(const struct dp_network *net, const uint8_t *bytes, size_t len, uint32_t flow,
        uint32_t kind, struct sim_packet *packet, weir_ps *meant_ps)
{
    const struct dp_flow_ends *f = &net->flows[flow];
    uint32_t to = kind == SIM_DATA ? f->to : f->from, from = kind == SIM_DATA ? f->from : f->to;
    uint32_t tos = bytes[IP_AT + TOS_AT], excess = bytes[EXCESS_AT] & EXCESS_BITS;

    if (address_at(bytes + TO_AT) != nic_address(to) ||
        address_at(bytes + FROM_AT) != nic_address(from) ||
        !has_right_length(bytes, len, kind, excess)) {
        return false;
    }
    *packet = (struct sim_packet){
        .flow = flow,
        .sequence = sequence_of(bytes) + (kind == SIM_ACK || kind == SIM_ACK_MARKED),
        .dst = net->topo->nodes[to].index & SIM_MAX_DST,
        .n_hops = (MAX_TTL - bytes[IP_AT + TTL_AT]) & 0xffu,
        .bytes = (uint16_t)(len + PACKET_FCS_BYTES - excess),
        .cls = (uint8_t)(tos >> 5),
        .ecn = ecn_of[tos & 3] & 3u,
        .kind = kind & 63u,
    };
    *meant_ps = meant_at(bytes, len);
    return true;
}

static __attribute__((noinline)) bool
read_answer(const struct dp_network *net, const uint8_t *bytes, size_t len, uint32_t flow,
            struct sim_packet *packet, weir_ps *meant_ps)
{
    uint32_t kind = kind_of_answer(bytes);

    return kind != NO_KIND && read_as(net, bytes, len, flow, kind, packet, meant_ps);
}

/* Hot: once a packet. */
bool
dp_frame_read_packet(const struct dp_network *net, const uint8_t *bytes, size_t len,
                     struct sim_packet *packet, weir_ps *meant_ps)
{
    if (len > net->max_len || !is_of_model(bytes, len)) {
        return false;
    }
    uint32_t flow = number_of(bytes) - PACKET_FIRST_QP;
    if (flow >= net->n_flows || bytes[IP_AT + TOS_AT] >> 5 >= net->n_classes) {
        return false;
    }
    return bytes[OPCODE_AT] == PACKET_WRITE_MIDDLE
               ? read_as(net, bytes, len, flow, SIM_DATA, packet, meant_ps)
               : read_answer(net, bytes, len, flow, packet, meant_ps);
}

/* Foreign frames. */

/* A hash that maps similar numbers to different values. */
static inline uint32_t
mixed(uint64_t a, uint64_t b)
{
    uint64_t x = (a ^ b >> 29 ^ b << 35) * UINT64_C(0x9e3779b97f4a7c15);
    return (uint32_t)((x ^ x >> 29) * UINT64_C(0xbf58476d1ce4e5b9) >> 32);
}

/* The ports of TCP and UDP, if the frame has such a header at 'at'. */
static uint32_t
ports_at(const uint8_t *bytes, size_t len, size_t at, uint32_t protocol)
{
    bool has_ports = protocol == PROTOCOL_TCP || protocol == PROTOCOL_UDP;
    return has_ports && at + 4 <= len ? get32(bytes + at) : 0;
}

static void
read_ipv4(const uint8_t *bytes, size_t len, size_t at, struct dp_parsed *p, uint32_t *tos)
{
    const uint8_t *ip = bytes + at;
    /* Only the first fragment has ports, so the ports of fragments are not used. */
    bool is_fragment = get16(ip + FRAGMENT_AT) & 0x3fff;
    size_t header = (size_t)(ip[0] & 15) * 4;
    uint32_t ports = is_fragment ? 0 : ports_at(bytes, len, at + header, ip[PROTOCOL_AT]);

    *tos = ip[TOS_AT];
    p->key = mixed(get64(ip + ADDRESSES_AT), (uint64_t)ip[PROTOCOL_AT] << 32 | ports);
}

/* Parses IPv6. It reads ports only if they follow the fixed header. For packets with extension
 * headers it uses the flow label. */
static void
read_ipv6(const uint8_t *bytes, size_t len, size_t at, struct dp_parsed *p, uint32_t *tos)
{
    const uint8_t *ip = bytes + at;
    uint32_t first = get32(ip), ports = ports_at(bytes, len, at + IPV6_BYTES, ip[6]);
    uint64_t addresses = get64(ip + 8) ^ get64(ip + 16) * 3 ^ get64(ip + 24) * 5;

    *tos = first >> 20 & 0xff;
    p->key = mixed(addresses ^ get64(ip + 32) * 7, (uint64_t)(first % (1 << 20)) << 32 | ports);
}

/* The length of a frame on the link, with the padding that a port adds. */
static uint32_t
bytes_on_wire(size_t len)
{
    return (uint32_t)(len < LEAST_LEN ? LEAST_LEN : len) + PACKET_FCS_BYTES;
}

static void
read_foreign(const struct dp_network *net, const uint8_t *bytes, size_t len, struct dp_parsed *p)
{
    struct network_header h = find_network_header(bytes, len);
    uint32_t tos = 0;

    p->what = DP_FOREIGN;
    if (is_ipv4(bytes, len, h)) {
        read_ipv4(bytes, len, h.at, p, &tos);
    } else if (is_ipv6(bytes, len, h)) {
        read_ipv6(bytes, len, h.at, p, &tos);
    } else {
        p->key = mixed(p->to, p->from);
    }
    p->packet = (struct sim_packet){ .bytes = (uint16_t)bytes_on_wire(len),
                                     .cls = class_of_foreign(bytes, len, tos, net->n_classes),
                                     .ecn = ecn_of[tos & 3] & 3u,
                                     .kind = SIM_DATA };
}

void
dp_frame_read(const struct dp_network *net, const uint8_t *bytes, size_t len, struct dp_parsed *p)
{
    if (len < ETHERNET_BYTES || len > net->max_len) {
        p->what = len < ETHERNET_BYTES ? DP_TOO_SHORT : DP_TOO_LONG;
        return;
    }
    p->to = address_at(bytes + TO_AT);
    p->from = address_at(bytes + FROM_AT);
    p->meant_ps = WEIR_NEVER;
    if (dp_frame_read_packet(net, bytes, len, &p->packet, &p->meant_ps)) {
        p->what = DP_PACKET;
    } else if (is_of_model(bytes, len)) {
        p->what = DP_BAD_PACKET;
    } else if (!dp_control_read(net, bytes, len, p)) {
        read_foreign(net, bytes, len, p);
    }
}
