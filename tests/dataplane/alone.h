/* A single node whose ports lead nowhere: the test puts frames in and takes them out.
 *
 *     struct alone a;
 *     alone_start(&a);                       the switch of a small network, under PFC
 *     alone_put(&a, port, bytes, len);
 *     alone_poll(&a, 10 * US);
 *     alone_left(&a, port, bytes, len);      number of frames that left there
 *     alone_stop(&a); */

#ifndef TESTS_DATAPLANE_ALONE_H
#define TESTS_DATAPLANE_ALONE_H

#include "nodes.h"

#define US ((weir_ps)1000000)
#define MS (1000 * US)

enum { MAX_LEN = 2048 };

static inline uint32_t
the_switch(const struct net *net)
{
    for (uint32_t i = 0; i < net->topo.n_nodes; i++) {
        if (net->topo.nodes[i].kind == TOPO_SWITCH) {
            return i;
        }
    }
    fail_msg("no switch");
    return 0;
}

struct alone {
    struct net net;
    struct nodes nodes;
    struct dp_node *node;
    uint32_t id, first_port;
    uint32_t n_frames; /* Frames that exist at the start. */
};

static inline void
alone_start_as(struct alone *a, uint32_t id)
{
    const struct topo *topo = &a->net.topo;

    nodes_start(&a->nodes, &a->net, false);
    a->id = id;
    a->node = a->nodes.items[id];
    a->first_port = topo->nodes[id].first_port;
    a->n_frames = a->nodes.memory->n_frames;
    for (uint32_t i = 0; i < a->nodes.memory->n_ports; i++) {
        a->nodes.memory->ports[i].peer = MEMORY_NOWHERE;
    }
}

/* The number of the port through which a node leads to another. */
static inline uint16_t
port_towards(const struct topo *topo, uint32_t node, uint32_t other)
{
    for (uint32_t i = 0; i < topo->nodes[node].n_ports; i++) {
        if (topo->ports[topo->ports[topo->nodes[node].first_port + i].peer].node == other) {
            return (uint16_t)i;
        }
    }
    fail_msg("no link from %u to %u", node, other);
    return 0;
}

/* Starts a spine of six ports and leaves of two, with a flow from the first leaf to the last, whose
 * path names ports that only the spine has. */
static inline void
alone_start_pinned(struct alone *a, uint16_t path[3])
{
    struct topo_build build = {
        .leaves = 6, .spines = 1, .hosts = 1, .link = { .rate_bps = 1000000000, .delay_ps = US }
    };

    net_start(&a->net, topo_build_leaf_spine, &build, MODEL_ENDLESS, 1);
    a->net.config.n_flows = 0;
    net_add_flow(&a->net, 0, 5, MODEL_ENDLESS);
    const struct topo *topo = &a->net.topo;
    uint32_t to = a->net.flows[0].to, last = topo_switch_of(topo, to);
    uint32_t first = topo_switch_of(topo, a->net.flows[0].from), spine = SIM_NONE;
    for (uint32_t i = 0; i < topo->n_nodes; i++) {
        spine = topo->nodes[i].n_ports == 6 ? i : spine;
    }
    path[0] = port_towards(topo, first, spine);
    path[1] = port_towards(topo, spine, last);
    path[2] = port_towards(topo, last, to);
    a->net.flows[0].path = path;
    a->net.flows[0].n_path = 3;
    a->net.config.run.until_ps = 1000 * MS;
}

static inline void
alone_start_under(struct alone *a, const char *arbitration)
{
    net_start_star(&a->net, 4, 1000000000, US);
    net_add_flow(&a->net, 0, 2, MODEL_ENDLESS);
    net_add_flow(&a->net, 1, 2, 15000);
    net_use(&a->net, "pfc");
    a->net.config.arbitration = arbitration;
    a->net.config.run.until_ps = 1000 * MS;
    alone_start_as(a, the_switch(&a->net));
}

static inline void
alone_start(struct alone *a)
{
    alone_start_under(a, "fifo");
}

static inline void
alone_stop(struct alone *a)
{
    nodes_stop(&a->nodes);
    net_stop(&a->net);
}

static inline void
alone_put(struct alone *a, uint32_t port, const uint8_t *bytes, uint32_t len)
{
    memory_io_put(a->nodes.memory, a->first_port + port, bytes, len, WEIR_NEVER);
}

static inline void
alone_poll(struct alone *a, weir_ps for_ps)
{
    for (weir_ps end = a->nodes.now + for_ps; a->nodes.now < end;) {
        a->nodes.now += US;
        dp_node_poll(a->node, a->nodes.now);
    }
}

/* Number of frames that have left through a port since the last call; each of them must have these
 * bytes. */
static inline uint32_t
alone_left(struct alone *a, uint32_t port, const uint8_t *bytes, uint32_t len)
{
    struct dp_frame frame;
    uint32_t n = 0;

    while (memory_io_get(a->nodes.memory, a->first_port + port, &frame)) {
        if (bytes) {
            assert_int_equal(frame.len, len);
            assert_memory_equal(frame.bytes, bytes, len);
        }
        memory_io_drop(a->nodes.memory, &frame);
        n++;
    }
    return n;
}

/* A frame with ARP's EtherType; the rest is not read. */
static inline void
make_foreign(uint8_t bytes[MAX_LEN], uint8_t to, uint8_t from)
{
    memset(bytes, 0, MAX_LEN);
    bytes[0] = bytes[6] = 0x52;
    bytes[5] = to;
    bytes[11] = from;
    bytes[12] = 0x08;
    bytes[13] = 0x06;
    if (to == 0xff) {
        memset(bytes, 0xff, 6);
    }
}

/* Makes a PFC frame that pauses the first class for this number of quanta. */
enum { PAUSE_LEN = 60 };

static inline void
make_pause(uint8_t bytes[PAUSE_LEN], uint16_t quanta)
{
    static const uint8_t head[] = { 0x01, 0x80, 0xc2, 0,    0,    1, 0x52, 0, 0,
                                    0,    0,    9,    0x88, 0x08, 1, 1,    0, 1 };

    memset(bytes, 0, PAUSE_LEN);
    memcpy(bytes, head, sizeof head);
    bytes[18] = (uint8_t)(quanta >> 8);
    bytes[19] = (uint8_t)quanta;
}

/* Makes a packet of a flow arrive at a port. */
static inline void
alone_put_packet(struct alone *a, uint32_t port, const struct sim_packet *packet)
{
    struct dp_network network = nodes_network(&a->nodes);
    uint8_t bytes[MAX_LEN];

    dp_frame_write(&network, packet, US, bytes);
    alone_put(a, port, bytes, (uint32_t)dp_frame_len(packet));
}

/* Takes the device of a port away, or brings it back. */
static inline void
alone_set_device(struct alone *a, uint32_t port, bool is_up)
{
    a->nodes.memory->ports[a->first_port + port].is_up = is_up;
    alone_poll(a, 11 * MS); /* The node looks at its devices every 10 ms. */
}

#endif
