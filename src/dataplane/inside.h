/* Internals of a node on real ports: arrivals (arrive.c), departures (leave.c), the loop around
 * them (node.c), and a clock that runs for years (long-clock.c). */

#ifndef DATAPLANE_INSIDE_H
#define DATAPLANE_INSIDE_H

#include "dataplane/held-frames.h"
#include "dataplane/lateness.h"
#include "dataplane/node.h"
#include "dataplane/stations.h"
#include "dataplane/tx-queue.h"

/* The number of flow ids for foreign frames, so that they take several paths; a power of two. */
enum { DP_N_FOREIGN = 4096 };

/* Frames reserved for control: even when packets have taken all other memory, their senders must
 * still be paused. The reserved frames are a part of the node's frames: two for each class of 64
 * ports, or half of all. If memory is not limited, DP_N_SPARES more are reserved. */
enum { DP_N_CONTROLS = 1024, DP_N_SPARES = 64 };

/* In virtual time: a received frame whose arrival time is later than now. */
struct dp_waiting {
    struct dp_frame frame;
    struct dp_parsed parsed;
};

/* The waiting frames in order, from 'first' on. */
struct dp_waitings {
    struct dp_waiting *items;
    size_t first, n, max;
};

/* A parsed frame. */
struct dp_came {
    /* At a switch, its sequence number is the number of the held frame. */
    struct sim_packet packet;
    weir_ps meant_ps;
    /* The frame is a packet of the model, and there is no tap; otherwise the other members are not
     * set. */
    bool is_packet;
};

/* Frames that a port received. Those from 'first' on have not been processed. */
struct dp_burst {
    struct dp_frame frames[DP_BURST + 1];
    struct dp_came came[DP_BURST];
    uint32_t first, n;
    uint32_t n_more; /* The number of further bursts that may be read at this poll. */
};

struct dp_port {
    struct dp_tx_queue wire;
    struct dp_burst burst;
    struct dp_waitings waiting;
    struct dp_asked asked[WEIR_MAX_CLASSES];
    struct dp_crossed crossed;
    uint64_t rate_bps, byte_ps;
    uint64_t n_missed; /* The frames that the device had missed before the first poll. */
    uint32_t n_late;   /* The number of frames that arrived after the end. */
    bool is_up;        /* The device was up at the last check. */
};

struct dp_node {
    struct dp_network network;
    struct dp_io io;
    struct sim_live live;
    struct sim *sim;
    bool is_switch, keeps_wire_time, has_common_clock;
    bool takes_all; /* The node is a switch that accepts all packets without checks. */
    uint32_t node;
    uint32_t first_port, n_ports; /* The ports of the node in the topology. */
    uint32_t io_port;             /* The number of the node's first port at 'io'. */
    uint32_t n_down;              /* The number of ports whose device is down. */
    uint32_t n_link_changes;      /* The number of times that devices went up or down. */
    weir_ps now_ps;               /* The current time of the node. */
    weir_ps look_ps;              /* The time of the next check whether devices are up. */
    int64_t set_back_ns;          /* The total time by which its clock was set back. */
    /* The time of the first broken promise, if the clock was set back since; else -1. */
    int64_t first_broken_ns;
    struct dp_handles handles;    /* Used at a switch. */
    struct dp_stations *stations; /* Used at a switch. */
    uint16_t *flooded;            /* A list of ports, with memory for all ports. */
    struct dp_frame spares[DP_N_SPARES];
    uint32_t n_spares;
    uint32_t n_frames; /* The number of frames that the node owns now. */
    /* The maximum of n_frames without frames for control, and with them. */
    uint32_t max_held, max_frames;
    struct dp_port *ports;
    /* [port]: the arrival time of the next frame of its burst; WEIR_NEVER: none. */
    weir_ps *next_ps;
    struct dp_counts counts;
    void (*tap)(void *arg, uint32_t port, const struct dp_frame *, weir_ps at, bool is_sent);
    void *tap_arg;
};

/* Hot: once per packet. */
static inline void
dp_has_crossed(struct dp_amount *a, const struct sim_packet *packet)
{
    a->n_packets[packet->cls]++;
    a->packet_bytes += packet->bytes;
}

/* Hot: once per frame. */
static inline void
dp_frame_has_crossed(struct dp_amount *a, const struct dp_frame *frame)
{
    a->n_frames++;
    a->frame_bytes += frame->len;
}

/* Calls of 'io' that count the node's frames: free, allocate, copy, receive. */
static inline void
dp_drop(struct dp_node *d, struct dp_frame *frame)
{
    d->n_frames--;
    d->io.drop(d->io.arg, frame);
}

static inline bool
dp_make(struct dp_node *d, uint32_t len, uint32_t max, struct dp_frame *frame)
{
    bool is_made = d->n_frames < max && d->io.make(d->io.arg, len, frame);

    d->n_frames += is_made;
    return is_made;
}

static inline bool
dp_copy(struct dp_node *d, const struct dp_frame *frame, struct dp_frame *copy)
{
    bool is_made = d->io.copy(d->io.arg, frame, copy);

    d->n_frames += is_made;
    return is_made;
}

static inline uint32_t
dp_receive(struct dp_node *d, uint32_t port, struct dp_frame frames[DP_BURST])
{
    uint32_t n = d->io.receive(d->io.arg, d->io_port + port, frames, DP_BURST);

    d->n_frames += n;
    return n;
}

/* Parse the frames of a burst, and pass the next one to the node at its time. dp_arrive_next()
 * takes ownership of the frame (arrive.c). */
void dp_arrive_read(struct dp_node *, struct dp_burst *);
void dp_arrive_next(struct dp_node *, uint32_t port, struct dp_burst *);

/* Like dp_arrive_next(), in two steps. The first step parses and counts a frame. Control frames
 * already take effect, at their own time. It returns false for these and for ignored frames; the
 * caller still owns all others, and passes them to the second step. */
bool dp_arrive_early(struct dp_node *, uint32_t port, struct dp_frame *, struct dp_parsed *);
void dp_arrive_now(struct dp_node *, uint32_t port, weir_ps at, struct dp_frame *,
                   struct dp_parsed *);

/* Counts a frame that arrives after the end of the run: its packet was on a link. */
void dp_arrive_late(struct dp_node *, uint32_t port, struct dp_frame *);

/* Callbacks of struct sim_live for the frames that the node sends (leave.c). The last function is
 * no callback: it passes waiting frames of all ports to devices, if their arrival time has come. */
void dp_leave_packet(void *node, uint32_t port, const struct sim_packet *, weir_ps start,
                     weir_ps at);
void dp_leave_frame(void *node, uint32_t port, const struct sim_packet *, weir_ps start,
                    weir_ps at);
void dp_leave_control(void *node, uint32_t port, const struct sim_frame *, weir_ps start,
                      weir_ps at);
void dp_leave_never(void *node, const struct sim_packet *);
uint32_t dp_sequence_of(void *node, const struct sim_packet *);
void dp_leave_due(struct dp_node *, weir_ps until);

/* Allocates frames for control, up to the maximum or the available memory. */
void dp_keep_spares(struct dp_node *);

#endif
