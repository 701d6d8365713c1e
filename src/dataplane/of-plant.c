/* What nodes of a plant need to run on real frames. */

#include "dataplane/of-plant.h"

#include <stdlib.h>

#include "base/array.h"
#include "packet/packet.h"

enum {
    LINUX_LEN = 1518,
    LEAST_FRAMES = 4096, /* For bursts, copies, and packets that are shorter than others. */
    MOST_FRAMES = 1 << 16,
};

uint32_t
dp_longest_frame(const struct plant *plant)
{
    uint32_t len = plant->mtu_bytes - PACKET_FCS_BYTES;

    return len > LINUX_LEN ? len : LINUX_LEN;
}

struct dp_network
dp_network_of(const struct plant *plant)
{
    struct dp_flow_ends *ends = array_new(plant->n_flows, sizeof *ends);

    for (uint32_t i = 0; i < plant->n_flows; i++) {
        ends[i] = (struct dp_flow_ends){ plant->flows[i].from, plant->flows[i].to };
    }
    return (struct dp_network){ .topo = plant->topo,
                                .flows = ends,
                                .n_flows = plant->n_flows,
                                .n_classes = plant->n_classes,
                                .max_len = dp_longest_frame(plant) };
}

void
dp_network_free(struct dp_network *network)
{
    free((void *)network->flows);
    network->flows = NULL;
}

/* Full packets. */
static uint64_t
held_by(const struct plant *plant, uint32_t node)
{
    const struct topo *topo = plant->topo;
    uint64_t bytes = plant_shape_like(plant, node)->buffer.size_bytes;

    for (uint32_t i = 0; i < topo->nodes[node].n_ports; i++) {
        const struct topo_link *l =
            &topo->links[topo->ports[topo->nodes[node].first_port + i].link];
        bytes += weir_wire_bytes(l->delay_ps, l->rate_bps);
    }
    return bytes / plant->mtu_bytes;
}

/* As many answers as packets.  Who runs out all the same counts what could not be taken. */
uint32_t
dp_frames_of(const struct plant *plant, uint32_t first_node, uint32_t n)
{
    uint64_t n_frames = LEAST_FRAMES;

    for (uint32_t i = 0; i < n; i++) {
        n_frames += 2 * held_by(plant, first_node + i);
    }
    return n_frames < MOST_FRAMES ? (uint32_t)n_frames : MOST_FRAMES;
}

void
dp_answer_at_once(struct plant *plant)
{
    for (uint32_t i = 0; i < plant->n_roles; i++) {
        plant->roles[i].response_ps = 0;
    }
}
