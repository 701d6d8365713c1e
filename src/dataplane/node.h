/* A node of a model on real ports: received frames are parsed and passed to the node (sim/live.h),
 * and packets that it sends are written into frames.
 *
 *     struct dp_node *d = dp_node_new(&config, &err);
 *     while (!over) {
 *         dp_node_poll(d, clock());              in real time, as often as possible
 *     }
 *     dp_node_run(d, until);                     or in virtual time, if frames have arrival times
 *     dp_node_free(d);
 *
 * One thread runs it to completion; it takes no locks and, once its tables have grown, allocates no
 * memory.
 *
 * Its time begins at 0.  In picoseconds a clock lasts until DP_LAST_PS, 106 days; before then the
 * node must end, or its clock must be set back.  A switch whose clock is in nanoseconds sets it
 * back automatically, and can run for 292 years (long-clock.c, decision 0023):
 *
 *     dp_node_poll_ns(d, clock_ns());
 *     dp_node_end_ns(d, clock_ns()); */

#ifndef DATAPLANE_NODE_H
#define DATAPLANE_NODE_H

#include "base/err.h"
#include "dataplane/frame.h"
#include "dataplane/io.h"
#include "sim/sim.h"

/* The maximum time of a clock: ten minutes before picoseconds overflow, so that times in the near
 * future can be represented. */
#define DP_LAST_PS (WEIR_NEVER - 600 * WEIR_PS_PER_S)

struct dp_config {
    struct dp_network network;
    const struct dp_io *io;
    /* The number of the node's first port at 'io'; its other ports follow. */
    uint32_t io_port;
    uint32_t node;         /* A node of the topology. */
    struct sim_config sim; /* dp_node_new() sets its member 'live'. */
    struct model *model;   /* The node takes ownership of the model, like sim_new(). */
    /* Frames leave at the time when their last bit would arrive, for links that have no rate and
     * delay of their own. Otherwise they leave when their transmission starts. */
    bool keeps_wire_time;
    bool has_common_clock; /* All nodes have a common clock, so the lateness of packets is known. */
    /* Any host may send to the node, so the number of waiting messages must be bounded. */
    bool is_open;
    weir_ps watch_ps;

    /* The maximum number of frames that the node holds at once, so that devices always have free
     * frames for receiving, above all for control. A packet beyond the maximum is dropped on
     * arrival; some frames are reserved for control. 0: no maximum. */
    uint32_t max_frames;

    /* Called with each frame that leaves through or arrives on a port of 'io'; may be null. */
    void (*tap)(void *arg, uint32_t port, const struct dp_frame *, weir_ps at, bool is_sent);
    void *tap_arg;
};

/* A histogram of lateness, in powers of two of 1 us. */
struct dp_lateness {
    uint64_t n, n_of[32];
    weir_ps most_ps;
};

struct dp_counts {
    uint64_t n_whats[DP_N_WHATS]; /* [kind]: the number of received frames. */
    uint64_t n_sent, n_received, n_flooded;
    uint64_t n_without_memory; /* The number of frames that could not be allocated or copied. */
    uint64_t n_without_way;    /* The number of foreign frames without an output port. */
    /* The number of frames dropped because a port did not send them in time. */
    uint64_t n_refused;
    /* The number of packets of lossless classes among them that were dropped while the port was
     * up. */
    uint64_t n_refused_lossless;
    uint64_t n_missed; /* The number of arriving frames that devices dropped. */
    /* The maximum number of frames that the node may hold, without those for control. */
    uint32_t max_held;
    /* Lateness of packets of flows after their intended arrival, if there is a common clock. */
    struct dp_lateness frames;
    struct dp_lateness polls; /* Times between two polls. */
    /* Times from the request to a peer to pause until the last packet arrived. */
    struct dp_lateness answers;
};

/* Frames that crossed a port in one direction. */
struct dp_amount {
    uint64_t n_packets[WEIR_MAX_CLASSES];
    uint64_t packet_bytes; /* Including check sequences. */
    uint64_t n_controls;   /* The number of control frames for the peer or for others. */
    uint64_t n_frames; /* All frames that the device received or sent, including foreign frames. */
    uint64_t frame_bytes; /* Without check sequences. */
};

/* The frames that a port received, and those that the node sent through it. Packets and control
 * frames count as sent even if they are lost later: frames that one end of a link sent and the
 * other did not receive were lost on the link. */
struct dp_crossed {
    struct dp_amount out, in;
    uint64_t n_downs;  /* The number of times that the device went down. */
    uint64_t n_missed; /* The number of frames that the device dropped since the first poll. */
};

struct dp_node;

struct dp_node *dp_node_new(const struct dp_config *, struct err *);
void dp_node_free(struct dp_node *);
struct sim *dp_node_sim(struct dp_node *);

void dp_node_poll(struct dp_node *, weir_ps now);
void dp_node_run(struct dp_node *, weir_ps until);

/* Like dp_node_poll() and dp_node_end(), with times in nanoseconds since the start, for a switch
 * that records only the times below. If two polls are more than 93 days apart, the lateness counts
 * as at least 93 days. */
void dp_node_poll_ns(struct dp_node *, int64_t now_ns);
void dp_node_end_ns(struct dp_node *, int64_t now_ns);

/* The node's clock at the last poll, and a time of that clock in nanoseconds since the start. */
weir_ps dp_node_now(const struct dp_node *);
int64_t dp_node_ns(const struct dp_node *, weir_ps at);

/* Whether the device of a port was up at the last check, and how often devices went up or down. */
bool dp_node_is_up(const struct dp_node *, uint32_t port);
uint32_t dp_node_n_link_changes(const struct dp_node *);

/* The time when a switch first dropped a packet of a lossless class. It is valid if
 * sim_live_n_broken() is not 0. */
int64_t dp_node_first_broken_ns(const struct dp_node *);

/* Sets the clock of a switch back by whole nanoseconds, as sim_live_rebase() does. */
void dp_node_rebase(struct dp_node *, weir_ps by_ps);

/* In virtual time: the time of the node's next event, given all frames that were sent to it so far;
 * WEIR_NEVER: there is none. */
weir_ps dp_node_next(struct dp_node *);

/* Ends a run, and drains the ports after it: frames that still arrive were on a link, and are
 * counted as such. Each port takes a bounded number, because other hosts may continue to send. */
enum { DP_MAX_LATE = 1 << 16 };
void dp_node_end(struct dp_node *, weir_ps now);
void dp_node_drain(struct dp_node *);

struct dp_counts dp_node_counts(const struct dp_node *);
struct dp_crossed dp_node_crossed(const struct dp_node *, uint32_t port);

#endif
