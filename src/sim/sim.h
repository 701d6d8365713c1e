/* The simulator, the first host of the library.
 *
 * A packet-level simulation of switches and NICs that run flow-control engines, in exact integer
 * time.  All changing state belongs to one node or one link.  Nodes communicate only through links,
 * which have a delay.  So time advances in windows no longer than the shortest link delay, and
 * within a window nodes do not depend on each other.  So nodes can be run in any order, on any
 * number of threads, with bit-identical results.
 *
 *     struct sim *sim = sim_new(&config, &model, &err);
 *     sim_run(sim);                                   until config.until_ps
 *     sim_flow_result(sim, i) ...
 *     sim_free(sim);
 *
 * The order of events at a node is total: by time, then by kind, then by port.  This order never
 * depends on which node was computed first. */

#ifndef SIM_H
#define SIM_H

#include <stdbool.h>
#include <stdint.h>

#include "base/err.h"
#include "model/model.h"
#include "sim/ranks.h"

#define SIM_NO_FLOW UINT32_MAX

/* Notes of changes, with their times, of the kinds that the caller chose. */
enum sim_note_kind {
    SIM_NOTE_PAUSE,
    SIM_NOTE_RESUME,
    SIM_NOTE_RATE,
    SIM_NOTE_DROP,
    SIM_NOTE_OVERFLOW,
    SIM_NOTE_EXPIRE,
    SIM_NOTE_LOSS,
    SIM_NOTE_AGAIN,
    SIM_NOTE_LINK_DOWN,
    SIM_NOTE_LINK_UP,
    SIM_NOTE_LINK_RATE,
    SIM_NOTE_LINK_WAIT,
    SIM_NOTE_LINK_GO,
    SIM_NOTE_STORM,
    SIM_NOTE_RESTORED,
    SIM_NOTE_DISCARD,
    SIM_NOTE_FLUSH,
    SIM_NOTE_STALL,
    SIM_NOTE_DRAIN,
    SIM_NOTE_MESSAGE,
    SIM_NOTE_HEARD,
    SIM_NOTE_BLAME,
    SIM_N_NOTES
};

struct sim_note_about {
    const char *name;
    const char *what;  /* A sentence. */
    const char *value; /* The meaning of the note's value; null: it has no value. */
};

extern const struct sim_note_about sim_note_kinds[SIM_N_NOTES];

struct sim_note {
    weir_ps at_ps;
    uint32_t port; /* The port of the topology where it happened. */
    uint32_t flow;
    uint64_t value;
    uint8_t kind, cls; /* enum sim_note_kind. */
};

struct sim_broken { /* A packet of a lossless class that was dropped. */
    weir_ps at_ps;
    uint32_t port; /* The number of the port at the node. */
    uint8_t cls;
};

/* A packet of a flow or a frame that a captured port has sent or received. */
struct sim_crossing {
    weir_ps at_ps;     /* Sent: when the first bit left.  Received: when the last bit arrived. */
    uint32_t port;     /* A port of the topology. */
    uint32_t flow;     /* SIM_NO_FLOW: a frame. */
    uint32_t sequence; /* The number in the packet: for an ACK or NACK, the first packet that is
                        * still missing. */
    uint16_t bytes;
    uint8_t cls, ecn;
    uint8_t kind;   /* enum sim_packet_kind. */
    uint8_t n_hops; /* The number of switches crossed so far. */
    bool is_sent;   /* If false, it was received. */

    /* For a frame that is a message: its destination, else SIM_NONE; the port of the topology for
     * which it was sent; and the flow that it is about. */
    uint32_t to, from, about;
    struct weir_frame frame;
};

struct sim;

/* The ports and flows that samples read.  With several ranks, only these ports and flows are sent
 * to the first rank before a sample.  Everything else is then out of date at the first rank,
 * including counters of engines, totals, and the check of conservation.  All ranks must give the
 * same value. */
struct sim_sampled_items {
    const uint32_t *items; /* Numbers of ports or flows; lent. */
    size_t n;
    bool is_all;
};

struct sim_sampled {
    struct sim_sampled_items ports; /* sim_port_result(). */
    struct sim_sampled_items slots; /* Ports: queues, gates, storms, passing bytes. */
    struct sim_sampled_items units; /* Ports: sim_each_unit(). */
    struct sim_sampled_items flows;
};

struct sim_live;

struct sim_config {
    weir_ps until_ps;
    uint64_t seed;

    /* The model's topology, if no other code needs its routes: they are freed before nodes are
     * built, once there are rows of them.  Null: they stay. */
    struct topo *spent;

    /* Flows that start from one time on and before the other are measured.  After that no flow
     * starts, and once all measured flows that are finite have ended, so does the run, soon and
     * before until_ps.  An end of 0: flows start as long as the run lasts. */
    struct {
        weir_ps from_ps, until_ps;
    } measured;
    uint32_t n_threads;
    const struct sim_ranks *ranks; /* Processes that run a part of it each; null: this one alone. */
    const struct sim_live *live; /* A node by itself, its wires outside: live.h.  Lent; null: no. */

    /* Called every so often, between windows, with the state of the network at 'now'; so 'now' can
     * be up to a window later than the interval says.  On one thread, while the others wait. */
    weir_ps sample_ps; /* 0: never. */
    void (*sample)(void *arg, struct sim *, weir_ps now);
    void *sample_arg;
    const struct sim_sampled *sampled; /* Lent.  Null: samples may look at everything. */
    uint32_t notes;                    /* Bit k: notes of kind k are wanted. */
    bool why;   /* Wait accounting: how long packets wait, and for what; and SIM_NOTE_BLAME. */
    bool units; /* Packets at inputs are wanted by flow, though no engine draws from them. */

    /* Called with packets and frames that cross the ports that are true here, [port of the
     * topology].  They come in order of time, received before sent, and of port; in batches, so
     * that memory stays bounded.  Called like 'sample', and at the end.  Null: none are captured.
     */
    const bool *captured;
    void (*crossed)(void *arg, struct sim *, const struct sim_crossing *, size_t n);
    void *crossed_arg;
};

struct sim_flow_result {
    uint64_t sent_bytes, received_bytes, n_received; /* Sent: again, too.  Received: once. */
    uint64_t retransmitted_bytes;                    /* The part of the sent bytes that had been
                                                      * sent before. */
    uint64_t discarded_bytes;                        /* Came again, or out of order. */
    weir_ps started_ps, first_ps, last_ps;           /* Its start, and arrivals; -1 if none. */
    uint64_t n_marked;                               /* Packets that came marked, also again. */
    uint64_t n_cnps;                                 /* Its receiver has sent. */
};

struct sim_port_result {
    uint64_t sent_bytes, n_sent, n_frames_sent;
    uint64_t n_dropped[WEIR_N_ADMISSIONS]; /* On arrival here, by reason. */
    uint64_t n_dropped_output;             /* Behind a pipeline: no room to wait to leave here. */
    uint64_t n_dropped_watchdog;           /* Waited to leave here, dropped by the watchdog; or
                                            * foreign packets, dropped as the link is down. */
    uint64_t n_flushed;                    /* Waited to leave here, dropped as the link is down. */
    uint64_t n_lost;                       /* Sent here, or to here, and lost on the wire; */
    uint64_t n_lost_frames;                /* of them, control frames. */
    uint64_t n_expired;                    /* Came here beyond the hop limit, or their classes. */
    uint64_t n_no_route;                   /* Came here, and there was no route to go on by. */
    uint64_t n_dropped_memory;             /* Came here to a node that is run alone (live.h), and
                                            * its caller had no memory to hold them. */
    uint64_t dropped_bytes, lost_bytes;    /* Bytes of packets; those without a route, too. */
    uint64_t n_marked;                     /* Packets that leave here, marked by engines here. */

    /* Messages to NICs that were sent for what happened here, and that have arrived here.  And
     * packets without a route, lost with a link that went down, or over the hop limit. */
    uint64_t n_messages_sent, n_messages_received, n_messages_dropped;
};

struct sim_totals {
    uint64_t n_hops;   /* Packets and frames that crossed a link. */
    uint64_t n_events; /* Events of all kinds. */
    uint64_t n_windows;
    uint64_t n_dropped;  /* For lack of room or memory, or by watchdogs, */
    uint64_t n_no_route; /* for want of a route, */
    uint64_t n_expired;  /* beyond the hop limit or their classes, */
    uint64_t n_flushed;  /* at a port whose link is down: each is counted once. */
    uint64_t n_lost, n_lost_frames, n_out_of_order;
    uint64_t n_dropped_watchdog; /* The part of the dropped that watchdogs dropped, */
    uint64_t n_dropped_output;   /* those behind a pipeline, for want of room at their output, */
    uint64_t n_dropped_memory;   /* those for want of memory, though there was room, */
    uint64_t n_dropped_lossless; /* and those of a lossless class. */
    uint64_t n_storms, n_restored;
    uint64_t sent_bytes, retransmitted_bytes; /* The second is a part of the first. */
    uint64_t n_timeouts;                      /* Timeouts of flows that made them retransmit. */
    uint64_t n_messages_sent, n_messages_received, n_messages_dropped;
    /* Transmit queues: pauses that peers asked for, PFC's and FAFC's; waits at the start of a link;
     * and changes of their rates. */
    uint64_t n_pfc_pauses, n_fafc_pauses, n_link_start_waits, n_rate_changes;
    uint64_t n_marked, n_cnps; /* Packets that engines marked; CNPs that receivers sent. */
    uint64_t hash;             /* The hash of all results: equal runs have equal hashes. */
};

/* A deadlock: a cycle of queues, each of which waits for the next, and none of which can move
 * again.
 */
enum { SIM_MAX_CYCLE = 64, SIM_MAX_HELD = 64 };

/* The reason for which the queue before it waits for a queue: packets in it came from there, the
 * pipeline of its node stands still for it, or its node blocks others while it is too long. */
enum sim_wait { SIM_WAITS_FOR_PACKETS, SIM_WAITS_FOR_PIPELINE, SIM_WAITS_FOR_OUTPUT };

struct sim_stuck { /* A queue of the cycle. */
    uint32_t port; /* The port to send by, as a number of the topology. */
    uint8_t cls;   /* Differs within a cycle where packets change class, or by pipelines. */
    uint8_t wait;  /* enum sim_wait: why the queue before it waits. */
};

struct sim_deadlock {
    bool found;
    weir_ps formed_ps; /* When the last packet of the cycle moved. */
    uint32_t n_stuck;  /* Queues that stand still for good, in the cycle or behind it. */
    struct sim_stuck cycle[SIM_MAX_CYCLE]; /* Each waits for the next. */
    uint32_t n_cycle;
    uint32_t flows[SIM_MAX_HELD], n_flows; /* Flows whose packets stand in the cycle. */
    weir_ps broken_ps; /* A watchdog acted on a queue of the ring; 0: none has. */

    /* After one that was broken there may be others; all above is of the first. */
    uint32_t n_formed;
    bool stands; /* The last was not broken. */
};

/* The model, which is settled, becomes the simulator's, and is freed with it.  If it cannot be
 * simulated, this returns null, the model is freed, too, and 'err' has the reason. */
struct sim *sim_new(const struct sim_config *, struct model *, struct err *);
void sim_run(struct sim *);
void sim_free(struct sim *);

/* From another thread or a signal handler: ends the run after the window that is being run. Results
 * are then those of a run until sim_now(). */
void sim_stop(struct sim *);
bool sim_was_asked_to_stop(const struct sim *);

/* The time that it has reached; from any thread, while it runs. */
weir_ps sim_progress(const struct sim *);

/* Runs like sim_run(), but one event after the other from one heap: slow, and so simple that it is
 * plainly right.  Tests compare the results of both, which must be the same.  On one thread, and
 * without a watch for deadlock. */
void sim_run_reference(struct sim *);

weir_ps sim_now(const struct sim *);

/* Whether it has come to its end, and was not stopped before. */
bool sim_has_ended(const struct sim *);

/* The reason if the run was aborted, as a rank is gone; else null. */
const char *sim_broken(const struct sim *);
const struct model *sim_model(const struct sim *);
struct sim_flow_result sim_flow_result(const struct sim *, uint32_t flow);
struct sim_port_result sim_port_result(const struct sim *, uint32_t port);
uint64_t sim_n_gone(const struct sim_port_result *); /* Went no further here, by any cause. */
struct sim_totals sim_totals(const struct sim *);

/* Every packet that a NIC has sent was delivered, dropped by one of the causes that ports count, or
 * lost, is held by a node or on a wire.  So is every byte; and the buffer of a node counts the
 * bytes of its packets.  Otherwise the place of the difference. */
bool sim_is_conserved(const struct sim *, struct err *);

struct sim_deadlock sim_deadlock(const struct sim *);

/* Queues, hosts and flows that have something to send and have not moved for the last 'least_ps' of
 * the run, or for as long as control messages take (silence.c).  Known after the run. */
struct sim_silent {
    uint32_t number;  /* The number of a port, a node or a flow. */
    uint8_t cls;      /* The class of a queue. */
    weir_ps since_ps; /* The last packet left the queue or host, or arrived; else its start. */
};

struct sim_silence {
    struct sim_silent *queues, *hosts, *flows;
    size_t n_queues, n_hosts, n_flows, max_flows;
};

/* 'loses': some packets were lost in the run, on a link or in a switch. */
void sim_find_silence(const struct sim *, weir_ps least_ps, bool loses, struct sim_silence *);
void sim_free_silence(struct sim_silence *);

/* Whether more of a flow should arrive: it has started, and the receiver lacks something that the
 * sender has not sent yet, can retransmit, or that is on its way.  Where packets were lost, nothing
 * is on its way from a sender that has sent all and does not retransmit. */
bool sim_flow_has_more(const struct sim *, uint32_t flow, bool loses);

/* The rate of a flow if each link of its path and each pipeline were shared evenly by the flows
 * that cross it, whether they arrive or not.  A link counts at its lowest rate in the run.  One
 * whose packets take several paths has a part of a flow on each, as if switches divide its packets
 * evenly.  Only flows that are true in 'counts' take part, the others get 0; null: all do. */
void sim_fair_shares(const struct sim *, const bool *counts, uint64_t *bps);

/* The ports that its packets leave by, as it would be routed now, from its sender on; returns how
 * many.  0: each packet may take another path. */
enum { SIM_MAX_PATH = 64 };

uint32_t sim_flow_path(const struct sim *, uint32_t flow, uint32_t ports[SIM_MAX_PATH]);

/* The rate at which a flow received after the middle of the run, or of the time in which flows
 * start. */
uint64_t sim_flow_late_bps(const struct sim *, uint32_t flow);

/* Whether it has been stopped before it had sent all that it was to send. */
bool sim_flow_is_stopped(const struct sim *, uint32_t flow);

/* The limit that an engine at its NIC sets for a flow now; WEIR_UNLIMITED: none does. */
uint64_t sim_flow_limit_bps(const struct sim *, uint32_t flow);

/* The limits that the control of its transport sets for a flow now: a rate, and bytes that may be
 * on their way; WEIR_UNLIMITED: it has no control, or that does not.  A flow that has ended is as
 * its control left it if samples are taken; else its control is forgotten. */
uint64_t sim_flow_pace_bps(const struct sim *, uint32_t flow);
uint64_t sim_flow_window_bytes(const struct sim *, uint32_t flow);

/* Memory that a flow takes here because it is at work: it has sent a packet, and has not ended. */
size_t sim_flow_work_bytes(const struct sim *, uint32_t flow);

/* Messages about a flow that have come to its sender. */
uint64_t sim_flow_n_heard(const struct sim *, uint32_t flow);

/* The limits of the transmit queue of (port, class) now, and how long it was blocked so far. */
struct sim_gate_state {
    bool is_paused;                     /* Decided by its peer; a watchdog may do otherwise. */
    uint64_t rate_bps, credit_bytes;    /* WEIR_UNLIMITED: no such limit. */
    uint64_t n_rate_changes, least_bps; /* Changes of the rate, and the lowest. */
    uint64_t n_pfc_pauses, n_fafc_pauses, n_link_start_waits; /* As in sim_totals. */
    weir_ps paused_ps; /* Shut so far by pauses of its peer, of either scheme; WEIR_NEVER: for
                        * longer than picoseconds last. */
    weir_ps last_ps;   /* When its last packet started. */
};

struct sim_gate_state sim_gate_state(const struct sim *, uint32_t port, uint8_t cls, weir_ps now);

/* Where packets change class: the class in which what was sent in 'sent' arrives at a port, and the
 * first in which the other end sends what arrives here in 'cls'.  Otherwise both are the same.
 * WEIR_NO_CLASS: none. */
uint8_t sim_class_here(const struct sim *, uint32_t port, uint8_t sent);
uint8_t sim_class_sent(const struct sim *, uint32_t port, uint8_t cls);

/* The actions of the watchdog of the transmit queue of (port, class). */
struct sim_storms {
    bool is_storm; /* Now. */
    uint64_t n_storms, n_restored, n_dropped;
    weir_ps first_ps, ended_ps; /* When the first began, and the last that is over was. */
};

struct sim_storms sim_storms(const struct sim *, uint32_t port, uint8_t cls);

/* Notes since the last call, in order of time, node, and as they happened there.  Between windows
 * or after the run; they stay until the next call. */
const struct sim_note *sim_take_notes(struct sim *, size_t *n);

/* How long the packets of a flow waited at a port that they left by, or were to leave by, summed
 * over packets, by cause: among causes at the same time, the first in this order. */
struct sim_flow_wait {
    uint32_t flow, port; /* A flow, and a port of the topology. */
    uint8_t cls;
    uint64_t n_packets;        /* Packets that have left, were dropped there, or still wait. */
    weir_ps first_ps, last_ps; /* The first began to wait; the last left, or still waited. */
    weir_ps pause_ps, credit_ps, rate_ps; /* The gate of that port and class. */
    weir_ps control_ps;                   /* At the sender: the rate and window of the flow. */
    weir_ps queue_ps;                     /* Packets before them, or frames. */
};

/* After the run, if 'why' was set: by flow, each in the order in which it came there.  They stay
 * until the next call. */
const struct sim_flow_wait *sim_flow_waits(struct sim *, size_t *n);

/* The time that a flow of known size takes alone, from its start to its last bit, if only links and
 * pipelines delay it, and no less over several paths.  It is at most that of the best path alone;
 * WEIR_NEVER, if that is longer than times can be; -1: it would never arrive. */
weir_ps sim_flow_ideal_ps(const struct sim *, uint32_t flow);

/* How long a full packet is on its way if nothing else is; on the longest of several paths. */
weir_ps sim_flow_path_ps(const struct sim *, uint32_t flow);

/* True if the current routes lead a flow to its receiver, within the hop limit; with several paths,
 * if at least one does. */
bool sim_flow_arrives(const struct sim *, uint32_t flow);

/* An engine's counter at a node, by layer of the stack and field of its table. */
uint64_t sim_counter(const struct sim *, uint32_t node, uint32_t layer, const struct weir_field *);

/* For detailed checks.  Calls for each packet that a node holds, which this process must run; the
 * length of a window; how often the network is watched; and when the middle of the run was, 0: it
 * has not been. */
void sim_each_held(const struct sim *, uint32_t node, sim_visit_held *, void *arg);
weir_ps sim_window_ps(const struct sim *);
weir_ps sim_watch_ps(const struct sim *);
weir_ps sim_middle_ps(const struct sim *);

/* How long a window of a network is, 2^bits ps, before it is simulated; and how many of them ranks
 * run between two meetings, if part[node of the topology] is the rank of each node.  One, if flows
 * have probes that switches write into. */
enum { SIM_MAX_EPOCH_WINDOWS = 64 };
int sim_window_bits(const struct model *);
uint64_t sim_epoch_windows(const struct model *, int window_bits, const uint32_t *part);
bool sim_has_probes(const struct model *);

/* The queue of (port, class) at its input, now and at most; ports are the topology's. */
uint64_t sim_queue_bytes(const struct sim *, uint32_t port, uint8_t cls);
uint64_t sim_queue_peak_bytes(const struct sim *, uint32_t port, uint8_t cls);

/* Its mean after the middle of the run, or of the time in which flows start and until that is over,
 * of samples at every watch. */
uint64_t sim_queue_mean_bytes(const struct sim *, uint32_t port, uint8_t cls);

/* The same of the queue at an output: packets that wait to leave by (port, class) of a switch, and
 * the one that comes to an idle output.  Hosts have no such queue: it is always 0. */
uint64_t sim_output_bytes(const struct sim *, uint32_t port, uint8_t cls);
uint64_t sim_output_peak_bytes(const struct sim *, uint32_t port, uint8_t cls);
uint64_t sim_output_mean_bytes(const struct sim *, uint32_t port, uint8_t cls);

/* Each packet that is counted at the input of a port, by the flow that it is of; none where the
 * node has no index of them. */
typedef void sim_visit_unit(void *arg, uint32_t flow, uint32_t bytes);

void sim_each_unit(const struct sim *, uint32_t port, sim_visit_unit *, void *arg);

/* The bytes on their way from inputs to outputs inside a node with stages; else 0. */
uint64_t sim_passing_bytes(const struct sim *, uint32_t node);

#endif
