/* The bytes of real frames: the fields that a node reads, and writes.
 *
 * Packets of the model's flows are RoCEv2 over IPv4, as in captures of the simulator
 * (packet/packet.h), with the addresses of their hosts: from the sender's port to the receiver's,
 * all the way.  The fields that a switch reads stand at the same place in all, and those that it
 * changes RoCEv2 lets routers change, so that the ICRC stays right:
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
 * priority, else the upper three bits of IPv4's or IPv6's DSCP, else class 0.  A class that is not
 * there counts as class 0. */

#ifndef DATAPLANE_FRAME_H
#define DATAPLANE_FRAME_H

#include <stddef.h>

#include "packet/address.h"
#include "sim/live.h"
#include "sim/nodes/packets.h"

struct topo;

enum dp_what {
    DP_PACKET,  /* A packet of a flow of the model: 'packet' is whole. */
    DP_CONTROL, /* A control frame for the node at this end: 'control'. */
    DP_MESSAGE, /* A control frame for another node, which 'control' names. */
    DP_FOREIGN, /* A foreign frame: 'packet' has bytes, class and ECN; 'key' is what to hash. */
    /* From here on it is not for us; each is counted for itself. */
    DP_TOO_SHORT,
    DP_TOO_LONG,
    DP_BAD_PACKET, /* It claims to belong to a flow, and cannot. */
    DP_BAD_CONTROL,
    DP_LINK_LOCAL, /* A protocol that stays on its link: LLDP, link aggregation. */
    DP_N_WHATS
};

/* The names of each. */
extern const struct dp_name {
    const char *counter; /* Among those of a node in results files. */
    const char *words;
} dp_whats[DP_N_WHATS];

struct dp_parsed {
    enum dp_what what;
    struct sim_packet packet;
    struct sim_frame control;
    uint64_t to, from; /* Addresses, in the lower 48 bits. */
    uint32_t key;
    weir_ps meant_ps; /* When a packet was to arrive; WEIR_NEVER: it does not say. */
};

struct dp_network { /* The network that frames are read and written by. */
    const struct topo *topo;
    const struct dp_flow_ends {
        uint32_t from, to;
    } * flows; /* [flow]: nodes. */
    uint32_t n_flows, n_classes;
    uint32_t max_len; /* The maximum length of frames, without check sequence; up to 65531. */
};

/* Decodes any bytes, and returns what kind of frame they may be.  Members that this has no use for
 * are left as they were. */
void dp_frame_read(const struct dp_network *, const uint8_t *bytes, size_t len, struct dp_parsed *);

/* The same in haste, for most frames are packets of the model; false: it is something else. */
bool dp_frame_read_packet(const struct dp_network *, const uint8_t *bytes, size_t len,
                          struct sim_packet *, weir_ps *meant_ps);

/* The fields of a foreign frame that a switch changes, as it leaves: ECN, and its class if it has a
 * VLAN priority; checksums follow.  The bytes have been read before, and found to be a foreign
 * frame.
 */
void dp_frame_rewrite_foreign(const struct dp_network *, uint8_t *bytes, size_t len,
                              const struct sim_packet *);

/* The length of a frame for a packet of the model; and the frame.  Not used for SIM_PROBE: there is
 * no room for the stamps of switches. */
size_t dp_frame_len(const struct sim_packet *);
void dp_frame_write(const struct dp_network *, const struct sim_packet *, weir_ps meant_ps,
                    uint8_t *bytes);

/* A control frame that leaves by a port of the topology: WEIR_ETHERNET_BYTES. */
void dp_frame_write_control(const struct dp_network *, uint32_t port, const struct sim_frame *,
                            uint8_t *bytes);

#endif
