/* One node of a model, run alone: its links lead out of the process, and its clock is the caller's.
 *
 * A simulation runs all nodes and hands packets over as mail.  Here a process runs one node, of the
 * same code.  The owner of its wires takes the packets that it sends and brings those that come: as
 * real frames (src/dataplane), in real time or in virtual time.  Another process may receive the
 * reports of all nodes, and then has the view of the first of several ranks: samples, deadlocks,
 * results.
 *
 *     struct sim_live live = { .node = id, .sent = ..., .sent_frame = ..., .gone = ... };
 *     struct sim *sim = sim_new(&(struct sim_config){ .live = &live, ... }, &model, &err);
 *     sim_live_take(sim, port, at, &packet);        a packet's last bit is here
 *     sim_live_hear(sim, port, at, &control);       a control frame's is
 *     sim_live_run(sim, now);                       all that is due until then
 *
 * Times only go forward: nothing may come that is earlier than what was run.  At one time events of
 * the node come before packets, and packets in the order of ports: a caller that keeps this order
 * has the same run as the simulator, to the packet.
 *
 * A switch ignores 'sequence' of a packet: the caller keeps the number of its frame there, and the
 * packet has it when it is sent or dropped.  A NIC makes packets and ends them; there it is the
 * sequence number.
 *
 * A flow is a number of the model, or, from n_flows on, one of 'n_foreign' numbers for foreign
 * packets, which are forwarded like all others.  A destination is the index of a NIC of the model;
 * or, from n_nics on, a port of this switch, by its number, to leave by whatever routes say. */

#ifndef SIM_LIVE_H
#define SIM_LIVE_H

#include "sim/nodes/packets.h"
#include "sim/sim.h"

/* A control frame on a wire, for the node at the other end, or a message for one further off. */
struct sim_frame {
    struct weir_frame frame;
    uint8_t n_hops; /* In a message: switches crossed so far, */
    uint32_t to;    /* the node that it is for; SIM_NONE: it is no message, */
    uint32_t flow;  /* the flow that it is about, */
    uint32_t from;  /* and the port of the topology that it was sent for. */
    uint32_t next;  /* The core's: in a list of its thread's. */
};

struct sim_live {
    uint32_t node; /* The node that this process runs; SIM_NONE: none, and it receives reports. */
    weir_ps watch_ps; /* A queue that stands still for longer may be stuck, if that is longer than
                       * in a simulation.  Then all reports of a round must be at most half of it
                       * apart, or nothing is concluded from them.  0: as in a simulation. */
    uint32_t n_foreign;
    uint32_t max_control; /* Control frames that wait here: further messages are dropped, as their
                             number has no other bound. 0: all wait, as in a simulation. */
    void *arg;

    /* A packet, or a control frame, leaves by a port: its first bit at 'start', and its last one is
     * at the other end at 'at'. */
    void (*sent)(void *arg, uint32_t port, const struct sim_packet *, weir_ps start, weir_ps at);
    void (*sent_frame)(void *arg, uint32_t port, const struct sim_frame *, weir_ps start,
                       weir_ps at);

    /* A packet that has arrived at a switch is dropped. */
    void (*gone)(void *arg, const struct sim_packet *);

    /* At a switch that is captured: the sequence number of a packet of a flow, which its frame has;
     * null: 'sequence' of the packet is. */
    uint32_t (*sequence)(void *arg, const struct sim_packet *);
};

/* Whether nodes of the model can be run alone; sim_new() asks, too. */
bool sim_live_can_run(const struct model *, struct err *);

/* Where the node runs.  A copy is one more of a packet that is taken, to leave by another port: its
 * sender has sent one.  A packet that the caller has no memory to hold is refused: it is dropped,
 * and breaks the promise of its class.  A packet that the node does not believe in cannot have been
 * sent to it, and may not be taken.  It belongs to a foreign flow, answers a packet that was never
 * sent, or is not on the path of its flow.  Ask for packets of the model's flows only; where the
 * node believes in all, there is no need to ask. */
void sim_live_take(struct sim *, uint32_t port, weir_ps at, const struct sim_packet *);
void sim_live_take_copy(struct sim *, uint32_t port, weir_ps at, const struct sim_packet *);
void sim_live_refuse(struct sim *, uint32_t port, weir_ps at, const struct sim_packet *);
bool sim_live_believes(const struct sim *, const struct sim_packet *);
bool sim_live_believes_all(const struct sim *);
void sim_live_hear(struct sim *, uint32_t port, weir_ps at, const struct sim_frame *);
void sim_live_run(struct sim *, weir_ps until); /* Includes that time. */
weir_ps sim_live_next(const struct sim *);      /* When something is due; WEIR_NEVER: nothing is. */

/* Sets the clock of a switch back by 'by_ps', so that it runs for longer than picoseconds last:
 * from now on the time is now - by_ps.  All events until 'now' were run, by_ps is a multiple of the
 * window (sim_window_ps()), and now - by_ps is above 0.  Results that are times, such as when a
 * storm began, are set back, too; the first promise that was broken keeps the time that it had. For
 * a node that records nothing else: no notes, samples, captures, or waits. */
void sim_live_rebase(struct sim *, weir_ps now, weir_ps by_ps);

/* A port's device is gone or is back: the link is down or up, at both ends for itself. */
void sim_live_set_link(struct sim *, uint32_t port, bool is_up, weir_ps now);

/* The port by which a packet would leave the switch if it came now; SIM_NONE: there is no way.
 * Call this once per packet: round-robin choice advances to the next path. */
uint32_t sim_live_output_port(struct sim *, const struct sim_packet *, weir_ps now);

/* Foreign packets that wait to leave by a port are dropped, up to the first packet of a flow in
 * each queue.  It breaks no promise: they have no receiver. */
void sim_live_discard_foreign(struct sim *, uint32_t port, weir_ps now);

/* A packet has arrived after the end of the run: it is counted as one that was on a wire. */
void sim_live_find(struct sim *, uint32_t port, const struct sim_packet *);

/* The complete state of the node, appended to the parcel; notes, and crossings of captured ports,
 * since the last report.  The last report is made after sim_live_end(), before which all was run
 * that was due. */
void sim_live_report(struct sim *, weir_ps now, struct sim_parcel *);
void sim_live_end(struct sim *, weir_ps now);

/* Packets of lossless classes that the node has dropped so far; and, if there are some, the first.
 */
uint64_t sim_live_n_broken(const struct sim *);
struct sim_broken sim_live_first_broken(const struct sim *);

/* In the process that receives reports: the reports of all nodes for one time, [node], which may
 * differ by a little. Looks for deadlocks, takes the samples that are due, and hands out crossings
 * of ports.  The last ones end the run. */
void sim_live_hear_all(struct sim *, weir_ps now, const struct sim_parcel *reports);
void sim_live_hear_last(struct sim *, weir_ps now, const struct sim_parcel *reports);

/* Also there, behind the last report: this many bytes that a port of the topology sent have not
 * come to its peer, and count as lost on the wire.  This many came there that it has not sent, as
 * forged packets of flows. */
struct sim_live_loss {
    uint64_t n_packets, packet_bytes, n_frames; /* Control frames. */
    uint64_t n_forged, forged_bytes;            /* Packets. */
};
void sim_live_lost(struct sim *, uint32_t port, const struct sim_live_loss *);

/* Also there: true if, by the reports, all flows that the run waits for have ended; then the run
 * ends at that time, and not later. */
bool sim_live_have_all_ended(struct sim *);
void sim_live_end_at(struct sim *, weir_ps at);

/* In virtual time all nodes run window by window as in a simulation, and the work between two
 * windows is the same.  Then samples and checks, and their times, are the same.  Nodes, and the
 * process that receives their reports, learn how far all have been run before there are reports; in
 * real time a node learns how far it has been run itself. */
void sim_live_ran(struct sim *, weir_ps until);

/* Reports are due before the first window that begins then or later; 'next' is the start of that
 * window.  False: all flows that the run waits for have ended, and it is over. */
weir_ps sim_live_due(const struct sim *);
bool sim_live_hear_between(struct sim *, weir_ps next, const struct sim_parcel *reports);

/* When a quiet run ends, judged by its flows alone. */
void sim_live_report_view(struct sim *, weir_ps now, struct sim_parcel *);
weir_ps sim_live_end_ps(struct sim *, const struct sim_parcel *views);

#endif
