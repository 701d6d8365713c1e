/* A node of a model on real ports: frames come, are read and handed to the node (sim/live.h), and
 * the packets that it sends are written into frames and leave.
 *
 *     struct dp_node *d = dp_node_new(&config, &err);
 *     while (!over) {
 *         dp_node_poll(d, clock());              in real time, as often as possible
 *     }
 *     dp_node_run(d, until);                     or in virtual time, if devices stamp what comes
 *     dp_node_free(d);
 *
 * One thread runs it to completion; it takes no lock and, once its tables have grown, no memory.
 *
 * Its time begins at 0.  In picoseconds a clock lasts until DP_LAST_PS, 106 days; by then the node
 * must have ended, or its clock was set back.  A switch whose clock is given in nanoseconds does
 * that by itself, and runs for 292 years (long-clock.c, decision 0023):
 *
 *     dp_node_poll_ns(d, clock_ns());
 *     dp_node_end_ns(d, clock_ns()); */

#ifndef DATAPLANE_NODE_H
#define DATAPLANE_NODE_H

#include "base/err.h"
#include "dataplane/frame.h"
#include "dataplane/io.h"
#include "sim/sim.h"

/* Ten minutes before the end of picoseconds: all that is soon due still has a time. */
#define DP_LAST_PS (WEIR_NEVER - 600 * WEIR_PS_PER_S)

struct dp_config {
    struct dp_network network;
    const struct dp_io *io;
    uint32_t io_port;      /* Its first port there; the others follow. */
    uint32_t node;         /* A node of the topology. */
    struct sim_config sim; /* 'live' is filled in. */
    struct model *model;   /* Taken, as sim_new() takes it. */
    bool keeps_wire_time;  /* Frames leave when their last bit would be at the other end: links that
                            * have no rate and delay of their own.  Otherwise as soon as they start.
                            */
    bool has_common_clock; /* With all other nodes: how late packets are is known. */
    bool is_open; /* Any host may send to it, so the number of waiting messages is bounded. */
    weir_ps watch_ps;

    /* Frames that it may have at once, so that devices always have some to receive by, first of all
     * control frames.  A packet that would be one too many is dropped as it comes; some frames are
     * kept for control.  0: as many as there are. */
    uint32_t max_frames;

    /* Called with each frame as it leaves, and as it has arrived, by a port of 'io'; null: not
     * called.
     */
    void (*tap)(void *arg, uint32_t port, const struct dp_frame *, weir_ps at, bool is_sent);
    void *tap_arg;
};

struct dp_lateness { /* A histogram of lateness, in powers of two of 1 us. */
    uint64_t n, n_of[32];
    weir_ps most_ps;
};

struct dp_counts {
    uint64_t n_whats[DP_N_WHATS]; /* Frames that came. */
    uint64_t n_sent, n_received, n_flooded;
    uint64_t n_without_memory;   /* Frames that could not be made or copied. */
    uint64_t n_without_way;      /* Foreign frames without a port to leave by. */
    uint64_t n_refused;          /* Frames that a port did not take in time, and were dropped; */
    uint64_t n_refused_lossless; /* of them, packets of lossless classes, while it was up. */
    uint64_t n_missed;           /* Frames that devices have dropped themselves as they came. */
    uint32_t max_held;           /* Frames that it may have at once, without those for control. */
    struct dp_lateness frames; /* Packets of flows: after they were to arrive, by a common clock. */
    struct dp_lateness polls;  /* Time between two polls. */
    struct dp_lateness answers; /* From asking the peer to stop until it did. */
};

struct dp_amount { /* Frames that crossed a port in one direction. */
    uint64_t n_packets[WEIR_MAX_CLASSES];
    uint64_t packet_bytes; /* With check sequences. */
    uint64_t n_controls;   /* Frames for the peer, or for others. */
    uint64_t n_frames;     /* All that its device had or took, including foreign frames, */
    uint64_t frame_bytes;  /* without check sequences. */
};

/* The frames that have come by a port, and those that the node has sent by it.  Packets and control
 * count as sent even if they are lost later: frames that one of two linked ports has sent and the
 * other does not have were lost between them. */
struct dp_crossed {
    struct dp_amount out, in;
    uint64_t n_downs;  /* The device was seen to go away. */
    uint64_t n_missed; /* Came since the first look, and were dropped by the device itself. */
};

struct dp_node;

struct dp_node *dp_node_new(const struct dp_config *, struct err *);
void dp_node_free(struct dp_node *);
struct sim *dp_node_sim(struct dp_node *);

void dp_node_poll(struct dp_node *, weir_ps now);
void dp_node_run(struct dp_node *, weir_ps until);

/* The same in nanoseconds since the start, for a switch that records no times but those below.  A
 * single wait between two polls that is longer than 93 days counts as one of at least 93 days. */
void dp_node_poll_ns(struct dp_node *, int64_t now_ns);
void dp_node_end_ns(struct dp_node *, int64_t now_ns);

/* Its clock, as of the last poll; and a time of that clock as nanoseconds since the start. */
weir_ps dp_node_now(const struct dp_node *);
int64_t dp_node_ns(const struct dp_node *, weir_ps at);

/* Whether the device of a port is up, as of the last look; how often devices went up or down. */
bool dp_node_is_up(const struct dp_node *, uint32_t port);
uint32_t dp_node_n_link_changes(const struct dp_node *);

/* When a switch first dropped a packet of a lossless class, if it has: sim_live_n_broken(). */
int64_t dp_node_first_broken_ns(const struct dp_node *);

/* Sets the clock of a switch back, as sim_live_rebase() has it, by whole nanoseconds. */
void dp_node_rebase(struct dp_node *, weir_ps by_ps);

/* In virtual time: when something happens here next, by all that was sent to here so far;
 * WEIR_NEVER: nothing will. */
weir_ps dp_node_next(struct dp_node *);

/* The run is over: frames that still come were on a wire, and are counted as such. Each port takes
 * a bounded number, as others may go on sending. */
enum { DP_MAX_LATE = 1 << 16 };
void dp_node_end(struct dp_node *, weir_ps now);
void dp_node_drain(struct dp_node *);

struct dp_counts dp_node_counts(const struct dp_node *);
struct dp_crossed dp_node_crossed(const struct dp_node *, uint32_t port);

#endif
