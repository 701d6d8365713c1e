/* One node of a model, run alone: its links lead out of the process, and the caller provides its
 * clock.
 *
 * A simulation runs all nodes, and passes packets between them as mail.  Here a process runs one
 * node with the same code.  The owner of its wires takes the packets that the node sends and
 * delivers the packets that arrive: as real frames (src/dataplane), in real time or in virtual
 * time.  Another process may receive the reports of all nodes.  It then does the work of the first
 * of several ranks: samples, deadlock detection, results.
 *
 *     struct sim_live live = { .node = id, .sent = ..., .sent_frame = ..., .gone = ... };
 *     struct sim *sim = sim_new(&(struct sim_config){ .live = &live, ... }, &model, &err);
 *     sim_live_take(sim, port, at, &packet);        the last bit of a packet has arrived
 *     sim_live_hear(sim, port, at, &control);       the last bit of a control frame has arrived
 *     sim_live_run(sim, now);                       runs all events until that time
 *
 * Times never go back: no packet may arrive earlier than the last event that was run.  Among events
 * of equal time, events of the node come first, and then packets in the order of ports.  A caller
 * that keeps this order gets exactly the run of the simulator, packet by packet.
 *
 * A switch ignores 'sequence' of a packet, so the caller keeps the number of its frame there; the
 * packet still has it when it is sent or dropped.  A NIC creates and consumes packets; there it is
 * the sequence number.
 *
 * The flow of a packet is the number of a flow of the model, or, from n_flows on, one of
 * 'n_foreign' numbers for foreign packets, which are forwarded like all others.  A destination is
 * the index of a NIC of the model.  A number from n_nics on means a port of this switch, which the
 * packet must take whatever the routes are. */

#ifndef SIM_LIVE_H
#define SIM_LIVE_H

#include "sim/nodes/packets.h"
#include "sim/sim.h"

/* A control frame on a wire, for the node at the other end, or a message for a node further
 * away. */
struct sim_frame {
    struct weir_frame frame;
    uint8_t n_hops; /* In a message: the number of switches crossed so far. */
    uint32_t to;    /* The destination node of a message; SIM_NONE: the frame is no message. */
    uint32_t flow;  /* In a message: the flow that it is about. */
    uint32_t from;  /* In a message: the port of the topology because of which it was sent. */
    uint32_t next;  /* Used by the core for a list of its thread. */
};

struct sim_live {
    uint32_t node;    /* The node that this process runs; SIM_NONE: it runs no node and receives
                       * reports. */
    weir_ps watch_ps; /* A queue that is blocked for longer than this may be stuck, if the time is
                       * longer than in a simulation.  The times of all reports of a round may then
                       * differ by at most half of this time; otherwise the reports are not used to
                       * find deadlocks.  0: the time of a simulation. */
    uint32_t n_foreign;
    uint32_t max_control; /* The maximum number of control frames that wait here.  Further messages
                           * are dropped, because nothing else limits their number.  0: no limit, as
                           * in a simulation. */
    void *arg;

    /* Called when a packet or a control frame leaves through a port: its first bit leaves at
     * 'start', and its last bit reaches the other end at 'at'. */
    void (*sent)(void *arg, uint32_t port, const struct sim_packet *, weir_ps start, weir_ps at);
    void (*sent_frame)(void *arg, uint32_t port, const struct sim_frame *, weir_ps start,
                       weir_ps at);

    /* Called when a packet that has arrived at a switch is dropped. */
    void (*gone)(void *arg, const struct sim_packet *);

    /* At a switch that is captured: the sequence number in the frame of a packet of a flow.  Null:
     * it is 'sequence' of the packet. */
    uint32_t (*sequence)(void *arg, const struct sim_packet *);
};

/* Whether nodes of the model can be run alone; sim_new() checks this, too. */
bool sim_live_can_run(const struct model *, struct err *);

/* For the process that runs the node.  A copy is an additional copy of a packet, which leaves
 * through another port; the sender has sent only one packet.  If the caller has no memory for a
 * packet, it refuses the packet: the packet is dropped, which breaks the promise of its class.  A
 * packet that the node does not believe cannot have been sent to it, and must not be passed to it.
 * Such a packet belongs to a foreign flow, acknowledges a packet that was never sent, or is not on
 * the path of its flow.  Call the check only for packets of the model's flows; it is not needed if
 * the node believes all packets. */
void sim_live_take(struct sim *, uint32_t port, weir_ps at, const struct sim_packet *);
void sim_live_take_copy(struct sim *, uint32_t port, weir_ps at, const struct sim_packet *);
void sim_live_refuse(struct sim *, uint32_t port, weir_ps at, const struct sim_packet *);
bool sim_live_believes(const struct sim *, const struct sim_packet *);
bool sim_live_believes_all(const struct sim *);
void sim_live_hear(struct sim *, uint32_t port, weir_ps at, const struct sim_frame *);
void sim_live_run(struct sim *, weir_ps until); /* Runs all events until that time, including those
                                                 * at that time. */
weir_ps sim_live_next(const struct sim *);      /* The time of the next event; WEIR_NEVER: there is
                                                 * none. */

/* Sets the clock of a switch back by 'by_ps', so that the switch can run for years: from now on the
 * time is now - by_ps.  All events until 'now' must have been run, by_ps must be a multiple of the
 * window (sim_window_ps()), and now - by_ps must be above 0.  Times in results, such as the start
 * of a storm, are set back, too; only the time of the first broken promise stays.  The node must
 * not record notes, samples, captures, or waits. */
void sim_live_rebase(struct sim *, weir_ps now, weir_ps by_ps);

/* The device of a port has gone or has come back: the link goes down or up, and each end reports
 * this separately. */
void sim_live_set_link(struct sim *, uint32_t port, bool is_up, weir_ps now);

/* The port through which a packet would leave the switch if it arrived now; SIM_NONE: there is no
 * route. Call this only once per packet, because a round-robin choice advances to the next path. */
uint32_t sim_live_output_port(struct sim *, const struct sim_packet *, weir_ps now);

/* Drops foreign packets that wait to leave through a port, up to the first packet of a flow in each
 * queue.  This breaks no promise, because foreign packets have no receiver in the model. */
void sim_live_discard_foreign(struct sim *, uint32_t port, weir_ps now);

/* Counts a packet that arrived after the end of the run as a packet that was on a wire. */
void sim_live_find(struct sim *, uint32_t port, const struct sim_packet *);

/* Appends the complete state of the node to the parcel, with notes and captured packets since the
 * last report.  Make the last report after sim_live_end(), and run all due events before that. */
void sim_live_report(struct sim *, weir_ps now, struct sim_parcel *);
void sim_live_end(struct sim *, weir_ps now);

/* The number of packets of lossless classes that the node has dropped so far; and the first of
 * them, if any. */
uint64_t sim_live_n_broken(const struct sim *);
struct sim_broken sim_live_first_broken(const struct sim *);

/* For the process that receives reports: takes the reports of all nodes, [node], for about the same
 * time.  Looks for deadlocks, takes the samples that are due, and passes captured packets to the
 * caller.  The last reports end the run. */
void sim_live_hear_all(struct sim *, weir_ps now, const struct sim_parcel *reports);
void sim_live_hear_last(struct sim *, weir_ps now, const struct sim_parcel *reports);

/* For the same process, after the last report: this many bytes that a port of the topology sent did
 * not reach its peer, and count as lost on the wire.  This many bytes reached the peer without
 * being sent by the port, for example in forged packets. */
struct sim_live_loss {
    uint64_t n_packets, packet_bytes, n_frames; /* n_frames counts control frames. */
    uint64_t n_forged, forged_bytes;            /* The number and bytes of packets that the port did
                                                 * not send. */
};
void sim_live_lost(struct sim *, uint32_t port, const struct sim_live_loss *);

/* For the same process: true if, by the reports, all flows that the run waits for have ended.  The
 * run then ends at that time. */
bool sim_live_have_all_ended(struct sim *);
void sim_live_end_at(struct sim *, weir_ps at);

/* In virtual time all nodes run window by window, as in a simulation, with the same work between
 * two windows.  So samples and checks, and their times, are the same.  This call reports how far
 * all nodes have been run; nodes, and the process that receives reports, need it before each
 * report.  In real time it reports how far the node itself has been run. */
void sim_live_ran(struct sim *, weir_ps until);

/* The time for reports: they are due before the first window that begins at this time or later;
 * 'next' is the start of that window.  False: all flows that the run waits for have ended, and the
 * run is over. */
weir_ps sim_live_due(const struct sim *);
bool sim_live_hear_between(struct sim *, weir_ps next, const struct sim_parcel *reports);

/* Finds the time at which a run ends, from views of its flows alone. */
void sim_live_report_view(struct sim *, weir_ps now, struct sim_parcel *);
weir_ps sim_live_end_ps(struct sim *, const struct sim_parcel *views);

#endif
