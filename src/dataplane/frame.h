/* The bytes of real frames: the fields that a node reads, and writes.
 *
 * Packets of the model's flows are RoCEv2 over IPv4, as in captures of the simulator
 * (packet/packet.h).  On all links they have the addresses of the sender's and the receiver's port.
 * The fields that a switch reads have fixed positions, and it changes only fields that RoCEv2 lets
 * routers change, so that the ICRC remains valid:
 *
 *     15  cccxxxee           class, as DSCP CS0 to CS7; ECN
 *     18  ff ss              identification: the highest byte of flow and sequence
 *     22  tt                 255 less the switches crossed
 *     42  opcode             a WRITE's middle for all data, as nobody here knows where flows end;
 *                            acknowledgements and CNPs as in captures
 *     44  d7 01              P_Key: the partition of Weir's packets, which says that it is one
 *     47  ff ff ff           queue pair: flow, from 0x010000 on
 *     50  x                  reserved: bytes that the frame has more than the packet is said to
 *     51  ss ss ss           packet sequence number; of ACKs the last one received
 *    end  mm x 8             behind the IPv4 packet, where a frame is long enough: when it was to
 *                            arrive, in ps
 *
 * A frame is as long as its packet, less the check sequence, or as long as its headers: 60 bytes of
 * data, 62 of an ACK, 74 of a CNP.  Control frames have the bytes of wire.h.
 *
 * Everything else is a foreign frame, and forwarded by its addresses.  Its class is trusted: VLAN
 * priority, else the upper three bits of IPv4's or IPv6's DSCP, else class 0.  A class that the
 * model does not have counts as class 0. */

#ifndef DATAPLANE_FRAME_H
#define DATAPLANE_FRAME_H

#include <stddef.h>

#include "packet/address.h"
#include "sim/live.h"
#include "sim/nodes/packets.h"

struct topo;

enum dp_what {
    DP_PACKET,  /* A packet of a flow of the model: all of 'packet' is set. */
    DP_CONTROL, /* A control frame for this node; 'control' has it. */
    DP_MESSAGE, /* A control frame for another node, which is in 'control'. */
    /* A foreign frame: 'packet' has bytes, class and ECN; 'key' selects the path by hashing. */
    DP_FOREIGN,
    /* The following kinds are ignored, and counted separately. */
    DP_TOO_SHORT,
    DP_TOO_LONG,
    DP_BAD_PACKET, /* A frame that claims to belong to a flow, but is invalid. */
    DP_BAD_CONTROL,
    DP_LINK_LOCAL, /* A protocol that stays on its link: LLDP, link aggregation. */
    DP_N_WHATS
};

/* The names of each kind of frame. */
extern const struct dp_name {
    const char *counter; /* The name of its counter in results files. */
    const char *words;
} dp_whats[DP_N_WHATS];

struct dp_parsed {
    enum dp_what what;
    struct sim_packet packet;
    struct sim_frame control;
    uint64_t to, from; /* Ethernet addresses, in the lower 48 bits. */
    uint32_t key;
    /* The intended arrival time of a packet; WEIR_NEVER: the frame does not have it. */
    weir_ps meant_ps;
};

/* The network to which frames belong. */
struct dp_network {
    const struct topo *topo;
    const struct dp_flow_ends {
        uint32_t from, to;
    } * flows; /* [flow]: its nodes. */
    uint32_t n_flows, n_classes;
    uint32_t max_len; /* The maximum length of frames, without check sequence; up to 65531. */
};

/* Parses any bytes, and sets the kind of frame. Members that this kind does not use are
 * unchanged. */
void dp_frame_read(const struct dp_network *, const uint8_t *bytes, size_t len, struct dp_parsed *);

/* A faster parser for packets of the model, which most frames are.  Returns false for other
 * frames. */
bool dp_frame_read_packet(const struct dp_network *, const uint8_t *bytes, size_t len,
                          struct sim_packet *, weir_ps *meant_ps);

/* Rewrites the fields that a switch changes in a departing foreign frame: ECN, and the class if it
 * has a VLAN priority. Updates checksums. dp_frame_read() must have found that it is a foreign
 * frame. */
void dp_frame_rewrite_foreign(const struct dp_network *, uint8_t *bytes, size_t len,
                              const struct sim_packet *);

/* The length of a frame for a packet of the model, and the frame itself. Not for SIM_PROBE, because
 * frames have no space for telemetry. */
size_t dp_frame_len(const struct sim_packet *);
void dp_frame_write(const struct dp_network *, const struct sim_packet *, weir_ps meant_ps,
                    uint8_t *bytes);

/* Writes a control frame of WEIR_ETHERNET_BYTES that leaves through a port of the topology. */
void dp_frame_write_control(const struct dp_network *, uint32_t port, const struct sim_frame *,
                            uint8_t *bytes);

#endif
