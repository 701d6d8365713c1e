/* Writes packets of the model as frames, and the fields that switches change in frames. */

#include <assert.h>

#include "dataplane/frame-parts.h"
#include "dataplane/frame.h"
#include "packet/packet.h"
#include "topo/topo.h"

/* Writing of whole frames. */

size_t
dp_frame_len(const struct sim_packet *p)
{
    size_t least = least_len(p->kind);
    return p->bytes > least + PACKET_FCS_BYTES ? p->bytes - (size_t)PACKET_FCS_BYTES : least;
}

/* InfiniBand's codes for each kind of packet, as in captures of the simulator. */
static const struct kind_form {
    uint8_t opcode, syndrome;
    /* 'names_last': the packet has the number of the last packet received, and not of the next
     * packet expected. */
    bool has_becn, names_last;
} kind_forms[] = {
    [SIM_DATA] = { PACKET_WRITE_MIDDLE, 0, false, false },
    [SIM_ACK] = { PACKET_ACKNOWLEDGE, PACKET_ACK, false, true },
    [SIM_ACK_MARKED] = { PACKET_ACKNOWLEDGE, PACKET_ACK, true, true },
    [SIM_NACK] = { PACKET_ACKNOWLEDGE, PACKET_NAK_SEQUENCE, false, false },
    [SIM_CNP] = { PACKET_CNP, 0, true, false },
    [SIM_SACK] = { PACKET_ACKNOWLEDGE, PACKET_SACK, false, false },
    [SIM_SACK_MARKED] = { PACKET_ACKNOWLEDGE, PACKET_SACK, true, false },
};

static struct packet
packet_of(const struct dp_network *net, const struct sim_packet *p, size_t len)
{
    const struct kind_form *k = &kind_forms[p->kind];
    const struct dp_flow_ends *f = &net->flows[p->flow];
    const struct topo_node *nodes = net->topo->nodes;
    uint32_t to = p->kind == SIM_DATA ? f->to : f->from;
    uint32_t from = p->kind == SIM_DATA ? f->from : f->to;
    uint32_t qp = packet_flow_qp(p->flow), psn = p->sequence - k->names_last;
    bool has_meant = len >= least_len(p->kind) + MEANT_BYTES;
    struct packet out = {
        .ip_from = packet_host_ip(nodes[from].index),
        .ip_to = packet_host_ip(nodes[to].index),
        .ip_id = (uint16_t)((qp >> 24) << 8 | psn >> 24),
        .tos = packet_tos(p->cls, p->ecn),
        .ttl = (uint8_t)(MAX_TTL - p->n_hops),
        .udp_from = packet_flow_udp_port(p->flow),
        .opcode = k->opcode,
        .has_becn = k->has_becn,
        .partition = PARTITION,
        .spare = (uint8_t)(len + PACKET_FCS_BYTES - p->bytes),
        .qp = qp % (1 << 24),
        .psn = psn % (1 << 24),
        .syndrome = k->syndrome,
        .bytes = (uint32_t)(len + PACKET_FCS_BYTES - (has_meant ? MEANT_BYTES : 0)),
    };

    packet_port_address(to, 0, out.to);
    packet_port_address(from, 0, out.from);
    return out;
}

void
dp_frame_write(const struct dp_network *net, const struct sim_packet *p, weir_ps meant_ps,
               uint8_t *bytes)
{
    size_t len = dp_frame_len(p);

    assert(p->kind != SIM_PROBE); /* Only the simulator has telemetry. */
    struct packet out = packet_of(net, p, len);
    packet_encode_open(&out, bytes);
    put_meant(bytes, len, meant_ps);
}

/* Changes by switches on the path. */

enum { ECN_BITS = 3 };

static void
mark_foreign(uint8_t *bytes, size_t len, struct network_header h)
{
    uint8_t *ip = bytes + h.at;

    if (is_ipv4(bytes, len, h) && ip[TOS_AT] & ECN_BITS) {
        set_ipv4(ip, ip[TOS_AT] | ECN_BITS, ip[TTL_AT]);
    } else if (is_ipv6(bytes, len, h) && ip[1] & ECN_BITS << 4) {
        ip[1] |= ECN_BITS << 4;
    }
}

void
dp_frame_rewrite_foreign(const struct dp_network *net, uint8_t *bytes, size_t len,
                         const struct sim_packet *p)
{
    bool is_tagged = len > ETHERNET_BYTES && is_tag(get16(bytes + TYPE_AT));

    if (p->ecn == WEIR_CE) {
        mark_foreign(bytes, len, find_network_header(bytes, len));
    }
    if (is_tagged && class_of_foreign(bytes, len, 0, net->n_classes) != p->cls) {
        bytes[ETHERNET_BYTES] = (uint8_t)(p->cls << 5 | (bytes[ETHERNET_BYTES] & 0x1f));
    }
}
