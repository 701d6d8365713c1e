/* Computes the resources that nodes of a model need for real frames. */

#include "dataplane/frame-needs.h"

#include <stdlib.h>

#include "base/array.h"
#include "dataplane/inside.h"
#include "packet/packet.h"

enum {
    LINUX_LEN = 1518,
    /* Frames for control, for copies, and for packets that are shorter than full ones. */
    LEAST_FRAMES = 4096,
    MOST_FRAMES = 1 << 16,
    MOST_IN_LAB = 1 << 18, /* The maximum for all nodes of a lab together, for short packets. */
    /* The maximum at all ports of a machine together: 1 GiB in frames of 2 KiB, in both
     * directions. */
    MOST_WAITING = 1 << 17,
    LEAST_BYTES = WEIR_ETHERNET_BYTES + PACKET_FCS_BYTES,
};

uint32_t
dp_longest_frame(const struct model *model)
{
    uint32_t len = model->mtu_bytes - PACKET_FCS_BYTES;

    return len > LINUX_LEN ? len : LINUX_LEN;
}

struct dp_network
dp_network_of(const struct model *model)
{
    struct dp_flow_ends *ends = array_new(model->n_flows, sizeof *ends);

    for (uint32_t i = 0; i < model->n_flows; i++) {
        ends[i] = (struct dp_flow_ends){ model->flows[i].from, model->flows[i].to };
    }
    return (struct dp_network){ .topo = model->topo,
                                .flows = ends,
                                .n_flows = model->n_flows,
                                .n_classes = model->n_classes,
                                .max_len = dp_longest_frame(model) };
}

void
dp_network_free(struct dp_network *network)
{
    free((void *)network->flows);
    network->flows = NULL;
}

static uint64_t
bytes_at(const struct model *model, uint32_t node)
{
    const struct topo *topo = model->topo;
    uint64_t bytes = model_shape_like(model, node)->buffer.size_bytes;

    for (uint32_t i = 0; i < topo->nodes[node].n_ports; i++) {
        const struct topo_link *l =
            &topo->links[topo->ports[topo->nodes[node].first_port + i].link];
        bytes += weir_wire_bytes(l->delay_ps, l->rate_bps);
    }
    return bytes;
}

static uint32_t
at_most(uint64_t n, uint32_t most)
{
    return n < most ? (uint32_t)n : most;
}

/* Twice the number of packets in the buffer, because each packet may cause one ACK. */
static uint64_t
held_by(const struct model *model, uint32_t node, uint32_t packet_bytes)
{
    return 2 * (bytes_at(model, node) / packet_bytes);
}

/* The number of frames for full packets. A node that still runs out of frames counts the packets
 * that it could not take. */
static uint32_t
frames_of_full(const struct model *model, uint32_t first_node, uint32_t n)
{
    uint64_t n_frames = LEAST_FRAMES;

    for (uint32_t i = 0; i < n; i++) {
        n_frames += held_by(model, first_node + i, model->mtu_bytes);
    }
    return at_most(n_frames, MOST_FRAMES);
}

uint32_t
dp_frames_of(const struct model *model, uint32_t first_node, uint32_t n)
{
    return frames_of_full(model, first_node, n) + n * DP_N_SPARES;
}

/* The number of frames for short packets. No packet is shorter than LEAST_BYTES, so a buffer of up
 * to 3.9 MB never has more packets than frames; a larger buffer may. Without huge pages a frame
 * takes 4 KiB, so all frames take 0.25 GB, and more would be excessive for a rare case. The node
 * then drops packets that it cannot hold, and reports this. */
static uint32_t
frames_of_short(const struct model *model, uint32_t node, uint32_t packet_bytes, uint32_t most)
{
    uint64_t n_least = bytes_at(model, node) / LEAST_BYTES;
    uint64_t n_held = held_by(model, node, packet_bytes);
    uint64_t n = LEAST_FRAMES + (n_held < n_least ? n_held : n_least);
    uint32_t n_full = frames_of_full(model, node, 1), n_short = at_most(n, most);

    return n_short > n_full ? n_short : n_full;
}

uint32_t
dp_frames_of_switch(const struct model *model, uint32_t node)
{
    return frames_of_short(model, node, LEAST_BYTES, MOST_FRAMES);
}

/* The size of the shortest flow, if it is shorter than a full packet. The short last packets of
 * longer flows are few. ACKs are not counted by their length, but with the packets that they
 * acknowledge: they fill a buffer alone only if only ACKs are blocked for long. */
static uint32_t
least_packet_of(const struct model *model)
{
    uint64_t least = model->mtu_bytes;

    for (uint32_t i = 0; i < model->n_flows; i++) {
        least = model->flows[i].bytes < least ? model->flows[i].bytes : least;
    }
    return least > LEAST_BYTES ? (uint32_t)least : LEAST_BYTES;
}

/* The number of frames of a node in a lab. All nodes of a lab share 1 GiB for short packets in
 * equal parts. */
uint32_t
dp_frames_in_lab(const struct model *model, uint32_t node)
{
    uint32_t part = MOST_IN_LAB / (uint32_t)model->topo->n_nodes;

    return frames_of_short(model, node, least_packet_of(model),
                           part < MOST_FRAMES ? part : MOST_FRAMES);
}

uint32_t
dp_frames_waiting(const struct model *model, uint32_t node, uint32_t port, size_t n_ports)
{
    struct weir_link link = weir_shape_link(model_shape_like(model, node), (uint16_t)port);
    uint64_t bytes = weir_wire_bytes(link.response_ps, link.rate_bps);

    return at_most(bytes / LEAST_BYTES, (uint32_t)(MOST_WAITING / n_ports));
}

void
dp_answer_at_once(struct model *model)
{
    for (uint32_t i = 0; i < model->n_roles; i++) {
        model->roles[i].response_ps = 0;
    }
}
