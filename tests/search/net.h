/* The network of a search: nodes that run engines, lanes between them, and what can happen.
 *
 * A lane is one direction of a link, with its packets and the frames that pause it. */

#ifndef TESTS_SEARCH_NET_H
#define TESTS_SEARCH_NET_H

#include "search.h"
#include "weir/node.h"

enum {
    MAX_NODES = 2 * SEARCH_MAX_SWITCHES, /* Switches, then their hosts. */
    MAX_PORTS = SEARCH_MAX_SWITCHES,     /* Port 0 leads to the host. */
    MAX_SLOTS = MAX_PORTS * WEIR_MAX_CLASSES,
    MAX_LANES = 16,
    MAX_PARTS = MAX_NODES + MAX_LANES,
    MAX_HELD = 8,   /* Packets of one (port, class). */
    MAX_FLYING = 3, /* Packets in flight on a lane. */
    MAX_FRAMES = 8, /* Frames in flight on a lane. */
    NO_LANE = 0xff,
};

/* A packet is its flow and the number of its hop. */
struct packet {
    uint8_t flow, hop;
};

struct queue { /* Packets of one (input port, class), in FIFO order, or sorted. */
    uint8_t n;
    struct packet packets[MAX_HELD];
};

struct live { /* A node with its current state. */
    struct weir_port ports[MAX_PORTS];
    struct weir_shape shape;
    struct weir_node node;
    struct weir_buffer buffer;
    struct weir_buffer_slot slots[MAX_SLOTS];
    struct queue queues[MAX_SLOTS];
    struct weir_emit emits[2 * MAX_SLOTS];
    struct weir_outbox out;
    void *memory;
    size_t memory_bytes;
    uint32_t n_slots;
    uint8_t lane_in[MAX_PORTS], lane_out[MAX_PORTS]; /* NO_LANE if the port has none. */
};

struct lane {
    uint8_t n_flying, n_frames;
    struct {
        struct packet packet;
        uint8_t cls;
    } flying[MAX_FLYING];
    struct {
        struct weir_class_frame frame;
        uint8_t n_late; /* Packets that have started on the lane since this frame was sent. */
    } frames[MAX_FRAMES];
};

struct lane_ends {
    uint8_t from, to, out_port, in_port;
};

struct network {
    const struct search_net *plan;
    uint8_t n_nodes, n_lanes;
    struct live nodes[MAX_NODES];
    struct lane lanes[MAX_LANES];
    struct lane_ends ends[MAX_LANES];
    /* Nodes, then lanes, that events have changed since this was cleared. */
    bool is_touched[MAX_PARTS];
    bool has_dropped, has_expired;
    FILE *trace; /* Descriptions of events are written here; null: nowhere. */
};

enum event_kind { INJECT, SEND, ARRIVE, FRAME };

/* 'at' is a flow for INJECT, a switch for SEND, and a lane for ARRIVE and FRAME. Only SEND uses a
 * slot and a place in its queue. */
struct event {
    uint8_t kind, at, slot, place;
};

bool network_start(struct network *, const struct search_net *, struct weir_text *why);
void network_stop(struct network *);

/* Performs the event if it is possible; returns whether it was. */
bool network_do(struct network *, struct event);

/* Steps through all possible events; returns false after the last one. */
bool network_next(const struct network *, struct event *);

uint32_t network_n_packets(const struct network *);

/* Converts a part of the state to bytes, and back. */
enum { PART_BYTES = 8192 };

size_t network_save(struct network *, uint32_t part, uint8_t bytes[PART_BYTES]);
void network_load(struct network *, uint32_t part, const uint8_t *bytes);

#endif
