/* A node on real ports, inside: arrivals (arrive.c), departures (leave.c), the loop around them
 * (node.c), and a clock that runs for years (long-clock.c). */

#ifndef DATAPLANE_INSIDE_H
#define DATAPLANE_INSIDE_H

#include "dataplane/held-frames.h"
#include "dataplane/lateness.h"
#include "dataplane/node.h"
#include "dataplane/stations.h"
#include "dataplane/tx-queue.h"

/* Numbers of flows for foreign frames, so that they take several paths; a power of two. */
enum { DP_N_FOREIGN = 4096 };

/* Frames that are kept for control alone: where packets have taken all memory, their senders must
 * still be paused.  They are taken from the node's frames: two for each class of 64 ports, or half
 * of all.  DP_N_SPARES are kept in addition if memory is not limited. */
enum { DP_N_CONTROLS = 1024, DP_N_SPARES = 64 };

struct dp_waiting { /* In virtual time: a received frame whose arrival time is still ahead. */
    struct dp_frame frame;
    struct dp_parsed parsed;
};

struct dp_waitings { /* In order; those from 'first' on are still here. */
    struct dp_waiting *items;
    size_t first, n, max;
};

struct dp_came {              /* The frame as it was read, if it is a packet of the model. */
    struct sim_packet packet; /* At a switch, which holds the frame, with its number. */
    weir_ps meant_ps;
    bool is_packet; /* There is no tap. */
};

struct dp_burst { /* Frames that have come by a port; those from 'first' on are still here. */
    struct dp_frame frames[DP_BURST + 1];
    struct dp_came came[DP_BURST];
    uint32_t first, n;
    uint32_t n_more; /* Bursts that may be read at this look, where that is more than one. */
};

struct dp_port {
    struct dp_tx_queue wire;
    struct dp_burst burst;
    struct dp_waitings waiting;
    struct dp_asked asked[WEIR_MAX_CLASSES];
    struct dp_crossed crossed;
    uint64_t rate_bps, byte_ps;
    uint64_t n_missed; /* Before the first look. */
    uint32_t n_late;   /* Frames that have arrived after the end. */
    bool is_up;        /* The last report of its device. */
};

struct dp_node {
    struct dp_network network;
    struct dp_io io;
    struct sim_live live;
    struct sim *sim;
    bool is_switch, keeps_wire_time, has_common_clock;
    bool takes_all; /* A switch that believes in whatever packets come. */
    uint32_t node;
    uint32_t first_port, n_ports; /* Ports of the topology. */
    uint32_t io_port;             /* The first of them at 'io'. */
    uint32_t n_down;              /* Ports whose device is not there. */
    uint32_t n_link_changes;      /* Devices that went up or down. */
    weir_ps now_ps;               /* It has come so far. */
    weir_ps look_ps;              /* Then devices are asked whether they are there. */
    int64_t set_back_ns;          /* Its clock was set back by so much in all. */
    int64_t first_broken_ns;   /* If a promise was broken before it was last set back; else -1. */
    struct dp_handles handles; /* At a switch. */
    struct dp_stations *stations; /* At a switch. */
    uint16_t *flooded;            /* Room for all ports. */
    struct dp_frame spares[DP_N_SPARES];
    uint32_t n_spares;
    uint32_t n_frames;             /* All frames that it has now, in any place. */
    uint32_t max_held, max_frames; /* Maximum without control frames, and with them. */
    struct dp_port *ports;
    weir_ps *next_ps; /* [port]: arrival of the next frame of its burst; WEIR_NEVER: none. */
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

/* Frames come from 'io', and go back to it, by these calls, and by receiving and sending. */
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

/* arrive.c: frames of a burst are read; and the next of them is handed to the node, as of its time:
 * it is no longer the caller's. */
void dp_arrive_read(struct dp_node *, struct dp_burst *);
void dp_arrive_next(struct dp_node *, uint32_t port, struct dp_burst *);

/* The same in two steps: it is read and counted, and control frames take effect, at their own time;
 * all other frames remain the caller's.  False: it was control, or nothing for us. */
bool dp_arrive_early(struct dp_node *, uint32_t port, struct dp_frame *, struct dp_parsed *);
void dp_arrive_now(struct dp_node *, uint32_t port, weir_ps at, struct dp_frame *,
                   struct dp_parsed *);

/* A frame that comes after the end: a packet in it was on a wire. */
void dp_arrive_late(struct dp_node *, uint32_t port, struct dp_frame *);

/* leave.c: the frames that the node sends, as struct sim_live has it; and frames that wait at all
 * ports are handed to devices, if they were to arrive until then. */
void dp_leave_packet(void *node, uint32_t port, const struct sim_packet *, weir_ps start,
                     weir_ps at);
void dp_leave_frame(void *node, uint32_t port, const struct sim_packet *, weir_ps start,
                    weir_ps at);
void dp_leave_control(void *node, uint32_t port, const struct sim_frame *, weir_ps start,
                      weir_ps at);
void dp_leave_never(void *node, const struct sim_packet *);
uint32_t dp_sequence_of(void *node, const struct sim_packet *);
void dp_leave_due(struct dp_node *, weir_ps until);

/* Frames for control, up to the maximum or the available memory. */
void dp_keep_spares(struct dp_node *);

#endif
