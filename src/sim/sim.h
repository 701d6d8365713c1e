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
    const char *what;  /* A description in one sentence. */
    const char *value; /* The meaning of the note's value; null: it has no value. */
};

extern const struct sim_note_about sim_note_kinds[SIM_N_NOTES];

struct sim_note {
    weir_ps at_ps;
    uint32_t port; /* The port of the topology where it happened. */
    uint32_t flow;
    uint64_t value;
    uint8_t kind, cls;  /* enum sim_note_kind. */
    uint8_t output_cls; /* In SIM_NOTE_BLAME: the class in which packets wait for the output. */
};

struct sim_broken { /* A packet of a lossless class that was dropped. */
    weir_ps at_ps;
    uint32_t port; /* The number of the port at the node. */
    uint8_t cls;
};

/* A packet of a flow or a frame that a captured port has sent or received. */
struct sim_crossing {
    weir_ps at_ps;     /* The time at which the first bit left, if sent, or the last bit arrived, if
                        * received. */
    uint32_t port;     /* A port of the topology. */
    uint32_t flow;     /* SIM_NO_FLOW: a frame. */
    uint32_t sequence; /* The number in the packet: for an ACK or NACK, the first packet that is
                        * still missing. */
    uint16_t bytes;
    uint8_t cls, ecn;
    uint8_t kind;   /* enum sim_packet_kind. */
    uint8_t n_hops; /* The number of switches crossed so far. */
    bool is_sent;   /* If false, it was received. */

    /* For a frame that is a message: its destination, the port of the topology because of which it
     * was sent, and the flow that it is about. For other frames 'to' is SIM_NONE. */
    uint32_t to, from, about;
    struct weir_frame frame;
};

struct sim;

/* The ports and flows that samples read.  With several ranks, only these ports and flows are sent
 * to the first rank before a sample.  Everything else is then out of date at the first rank,
 * including counters of engines, totals, and the check of conservation.  All ranks must give the
 * same value. */
struct sim_sampled_items {
    const uint32_t *items; /* The numbers of ports or flows; lent. */
    size_t n;
    bool is_all;
};

struct sim_sampled {
    struct sim_sampled_items ports; /* Ports whose sim_port_result() is read. */
    struct sim_sampled_items slots; /* Ports whose queues, gates, storms and passing bytes are
                                     * read. */
    struct sim_sampled_items units; /* Ports for which sim_each_unit() is called. */
    struct sim_sampled_items flows;
};

struct sim_live;

struct sim_config {
    weir_ps until_ps;
    uint64_t seed;

    /* The model's topology, if no other code needs its routes.  They are freed after their rows are
     * made, before nodes are built.  Null: they are kept. */
    struct topo *spent;

    /* Flows that start between these two times are measured.  After the second time no flow starts.
     * The run ends soon after all measured finite flows and all jobs have ended or cannot continue,
     * and at the latest at until_ps.  If the second time is 0, flows start during the whole run. */
    struct {
        weir_ps from_ps, until_ps;
    } measured;
    uint32_t n_threads;
    const struct sim_ranks *ranks; /* The processes that each run a part of the network; null: this
                                    * process runs all of it. */
    const struct sim_live *live;   /* For running a single node whose wires are outside: live.h;
                                    * lent. Null: all nodes are simulated. */

    /* Called at this interval, between windows, with the state of the network at 'now'.  So 'now'
     * can be up to one window later than the interval says.  The call runs on one thread, while the
     * others wait. */
    weir_ps sample_ps; /* The interval; 0: the function is never called. */
    void (*sample)(void *arg, struct sim *, weir_ps now);
    void *sample_arg;
    const struct sim_sampled *sampled; /* Lent.  Null: samples may read everything. */
    uint32_t notes;                    /* Bit k: notes of kind k are wanted. */
    bool why;   /* Enables wait accounting, which records how long packets wait and for what, and
                 * SIM_NOTE_BLAME. */
    bool units; /* Keeps an index of packets at inputs by flow, even if no engine needs it. */

    /* 'crossed' is called with packets and frames at the ports for which 'captured' is true, [port
     * of the topology].  These are sorted by time, received before sent, and port, and come in
     * batches, so that memory stays bounded.  The call runs like 'sample', and once more at the
     * end.  Null: none are captured. */
    const bool *captured;
    void (*crossed)(void *arg, struct sim *, const struct sim_crossing *, size_t n);
    void *crossed_arg;
};

struct sim_flow_result {
    uint64_t sent_bytes, received_bytes, n_received; /* Sent includes retransmissions; received does
                                                      * not. */
    uint64_t retransmitted_bytes;                    /* The part of the sent bytes that were
                                                      * retransmissions. */
    uint64_t discarded_bytes;                        /* Packets that arrived twice, or out of order,
                                                      * and were discarded. */
    weir_ps started_ps, first_ps, last_ps;           /* The times of its start, its first and its
                                                      * last arrival; -1: not yet. */
    uint64_t n_marked;                               /* Packets received with a mark, with
                                                      * duplicates. */
    uint64_t n_cnps;                                 /* CNPs that its receiver has sent. */

    /* The messages of a connection that were to be sent, that have left or been acknowledged, and
     * that have arrived completely. */
    uint64_t n_messages_posted, n_messages_sent, n_messages_arrived;
};

struct sim_port_result {
    uint64_t sent_bytes, n_sent, n_frames_sent;
    uint64_t n_dropped[WEIR_N_ADMISSIONS]; /* Packets dropped on arrival at this port, by reason. */
    uint64_t n_dropped_output;             /* Packets dropped after a pipeline, because this output
                                            * had no room. */
    uint64_t n_dropped_watchdog;           /* Packets that waited to leave here and were dropped by
                                            * the watchdog; or foreign packets that were dropped
                                            * because the link is down. */
    uint64_t n_flushed;                    /* Packets that waited to leave here, and were dropped
                                            * because the link is down. */
    uint64_t n_lost;                       /* Packets and control frames that this port or its peer
                                            * sent, and that were lost on the wire. */
    uint64_t n_lost_frames;                /* The control frames among the lost. */
    uint64_t n_expired;                    /* Packets that arrived here over the hop limit, or
                                            * without a class. */
    uint64_t n_no_route;                   /* Packets that arrived here and for which the node had
                                            * no route. */
    uint64_t n_dropped_memory;             /* Packets that arrived here at a node that is run alone
                                            * (live.h), whose caller had no memory for them. */
    uint64_t dropped_bytes, lost_bytes;    /* Bytes of packets, with packets that had no route. */
    uint64_t n_marked;                     /* Packets that leave here, marked by engines of this
                                            * node. */

    /* Messages to NICs that were sent because of events at this port, and messages that have
     * arrived here.  Dropped messages had no route, were lost when a link went down, or were over
     * the hop limit. */
    uint64_t n_messages_sent, n_messages_received, n_messages_dropped;
};

struct sim_totals {
    uint64_t n_hops;   /* Packets and frames that crossed a link. */
    uint64_t n_events; /* Events of all kinds. */
    uint64_t n_windows;
    uint64_t n_dropped;  /* Packets dropped for lack of room or memory, or by watchdogs. Each
                          * dropped packet counts in only one of these four members. */
    uint64_t n_no_route; /* Packets dropped because they had no route. */
    uint64_t n_expired;  /* Packets dropped over the hop limit or without a class. */
    uint64_t n_flushed;  /* Packets dropped at a port whose link is down. */
    uint64_t n_lost, n_lost_frames, n_out_of_order;
    uint64_t n_dropped_watchdog; /* The part of n_dropped that watchdogs dropped. */
    uint64_t n_dropped_output;   /* The part of n_dropped after a pipeline, where the output had no
                                  * room. */
    uint64_t n_dropped_memory;   /* The part of n_dropped that had room, but for which the caller
                                  * had no memory. */
    uint64_t n_dropped_lossless; /* Dropped packets of lossless classes. */
    uint64_t n_storms, n_restored;
    uint64_t sent_bytes, retransmitted_bytes; /* sent_bytes includes retransmitted_bytes. */
    uint64_t n_timeouts;                      /* Timeouts that made a flow retransmit. */
    uint64_t n_messages_sent, n_messages_received, n_messages_dropped;
    /* Events of transmit queues: pauses of PFC and FAFC that peers requested, waits at the start of
     * a link, and changes of the rate. */
    uint64_t n_pfc_pauses, n_fafc_pauses, n_link_start_waits, n_rate_changes;
    uint64_t n_marked, n_cnps; /* Packets that engines marked; CNPs that receivers sent. */
    uint64_t hash;             /* The hash of all results: equal runs have equal hashes. */
};

/* A deadlock: a cycle of queues, each of which waits for the next, and none of which can ever send
 * a packet that it holds.  With credits, a small packet that comes later may still fit. */
enum { SIM_MAX_CYCLE = 64, SIM_MAX_HELD = 64 };

/* Why the previous queue of a cycle waits for a queue: its packets would enter it, the pipeline of
 * the node is blocked by it, or the node blocks its peers while the queue is too long. */
enum sim_wait { SIM_WAITS_FOR_PACKETS, SIM_WAITS_FOR_PIPELINE, SIM_WAITS_FOR_OUTPUT };

struct sim_stuck { /* A queue of the cycle. */
    uint32_t port; /* The port of the queue, as a number of the topology. */
    uint8_t cls;   /* Queues of a cycle may differ in class if packets change class or pass
                    * pipelines. */
    uint8_t wait;  /* enum sim_wait: why the previous queue waits for this one. */
};

struct sim_deadlock {
    bool found;
    weir_ps formed_ps; /* When the last packet in the cycle moved. */
    uint32_t n_stuck;  /* The number of queues that are blocked for ever, in the cycle or behind
                        * it. */
    struct sim_stuck cycle[SIM_MAX_CYCLE]; /* Each queue waits for the next. */
    uint32_t n_cycle;
    uint32_t flows[SIM_MAX_HELD], n_flows; /* The flows with packets in the cycle. */
    weir_ps broken_ps; /* The time at which a watchdog acted on a queue of the cycle; 0: no watchdog
                        * has acted. */

    /* The number of deadlocks.  After a watchdog has broken a deadlock, others may form; all
     * members above describe the first deadlock. */
    uint32_t n_formed;
    bool stands; /* The last deadlock was not broken. */
};

/* Makes a simulator of a settled model.  The simulator owns the model and frees it.  If the model
 * cannot be simulated, the function frees it and returns null, and 'err' has the reason. */
struct sim *sim_new(const struct sim_config *, struct model *, struct err *);
void sim_run(struct sim *);
void sim_free(struct sim *);

/* Ends the run after the current window; may be called from another thread or a signal handler.
 * The results are then those of a run until sim_now(). */
void sim_stop(struct sim *);
bool sim_was_asked_to_stop(const struct sim *);

/* The simulated time that the run has reached; may be called from any thread during the run. */
weir_ps sim_progress(const struct sim *);

/* Runs like sim_run(), but takes one event after the other from one heap.  It is slow, but so
 * simple that it is obviously correct.  Tests check that both give the same results.  It uses one
 * thread, and does not look for deadlocks. */
void sim_run_reference(struct sim *);

weir_ps sim_now(const struct sim *);

/* Whether the run has reached its end, and was not stopped before. */
bool sim_has_ended(const struct sim *);

/* The reason why the run was aborted, if a rank has failed; else null. */
const char *sim_broken(const struct sim *);
const struct model *sim_model(const struct sim *);
struct sim_flow_result sim_flow_result(const struct sim *, uint32_t flow);
struct sim_port_result sim_port_result(const struct sim *, uint32_t port);

/* The bytes that a flow has to send; MODEL_ENDLESS: it is endless. For a connection, the bytes of
 * all packets of all messages so far. */
uint64_t sim_flow_bytes(const struct sim *, uint32_t flow);

/* The results of a rank of a job. */
struct program_report sim_rank_report(const struct sim *, uint32_t job, uint32_t rank);

/* Writes the spans of a rank; the model has their number. */
void sim_rank_spans(const struct sim *, uint32_t job, uint32_t rank, struct program_span *);

/* The state of the program of a rank of a job, which only the program interprets.  Null: another
 * process runs the rank. */
const void *sim_rank_state(const struct sim *, uint32_t job, uint32_t rank);
uint64_t sim_n_gone(const struct sim_port_result *); /* Packets dropped or lost at a port, by any
                                                      * cause. */
struct sim_totals sim_totals(const struct sim *);

/* Checks conservation.  Every packet that a NIC has sent was delivered, dropped by a cause that
 * ports count, or lost, or it is held by a node or on a wire.  The same holds for every byte, and
 * the buffer of a node counts the bytes of its packets.  If not, 'err' names the numbers that
 * differ. */
bool sim_is_conserved(const struct sim *, struct err *);

struct sim_deadlock sim_deadlock(const struct sim *);

/* Queues, hosts and flows that have something to send, but have sent nothing for the last
 * 'least_ps' of the run, or for the time of control messages if that is longer (silence.c).  They
 * are known after the run. */
struct sim_silent {
    uint32_t number;  /* The number of a port, a node or a flow. */
    uint8_t cls;      /* The class of a queue. */
    weir_ps since_ps; /* The time at which the last packet left the queue or host, or of the flow
                       * arrived; if there was none, the start of the run. */
};

struct sim_silence {
    struct sim_silent *queues, *hosts, *flows;
    size_t n_queues, n_hosts, n_flows, max_flows;
};

/* Finds all that is silent. 'loses': some packets were lost in the run, on a link or in a
 * switch. */
void sim_find_silence(const struct sim *, weir_ps least_ps, bool loses, struct sim_silence *);
void sim_free_silence(struct sim_silence *);

/* Whether more packets of a flow should arrive: the flow has started, and the receiver still misses
 * packets that are on their way or that the sender will send or can retransmit.  If packets were
 * lost, nothing is on its way from a sender that has sent everything and does not retransmit. */
bool sim_flow_has_more(const struct sim *, uint32_t flow, bool loses);

/* The rate of a flow if each link of its path and each pipeline were shared evenly by the flows
 * that cross it, whether they arrive or not.  A link counts at its lowest rate in the run.  A flow
 * with several paths counts in part on each of them, as if switches divided its packets evenly.
 * Only flows with a true 'counts' take part, and others get 0; null: all flows take part. */
void sim_fair_shares(const struct sim *, const bool *counts, uint64_t *bps);

/* Writes the ports through which packets of a flow leave, from the sender on, with the current
 * routes. Returns their number; 0: each packet may take another path. */
enum { SIM_MAX_PATH = 64 };

uint32_t sim_flow_path(const struct sim *, uint32_t flow, uint32_t ports[SIM_MAX_PATH]);

/* The receive rate of a flow after the middle of the run, or of the time in which flows start. */
uint64_t sim_flow_late_bps(const struct sim *, uint32_t flow);

/* The port of the sender's NIC through which a flow is routed now, as a global number. */
uint32_t sim_flow_port(const struct sim *, uint32_t flow);

/* Whether the flow was stopped before it had sent everything. */
bool sim_flow_is_stopped(const struct sim *, uint32_t flow);

/* The current rate limit that an engine at its NIC sets for a flow; WEIR_UNLIMITED: no limit. */
uint64_t sim_flow_limit_bps(const struct sim *, uint32_t flow);

/* The current limits that a flow's transport control sets: a rate, and bytes that may be on their
 * way.  WEIR_UNLIMITED: the flow has no control, or the control sets no such limit.  For a flow
 * that has ended, the last limits are kept only if samples are taken. */
uint64_t sim_flow_pace_bps(const struct sim *, uint32_t flow);
uint64_t sim_flow_window_bytes(const struct sim *, uint32_t flow);

/* The additional memory of an active flow on this rank, which has sent a packet and has not
 * ended. */
size_t sim_flow_work_bytes(const struct sim *, uint32_t flow);

/* The number of messages about a flow that have reached its sender. */
uint64_t sim_flow_n_heard(const struct sim *, uint32_t flow);

/* The current limits of the transmit queue of (port, class), and the time for which it was paused
 * so far. */
struct sim_gate_state {
    bool is_paused;                     /* The peer has paused the queue; a watchdog may ignore
                                         * this. */
    uint64_t rate_bps, credit_bytes;    /* WEIR_UNLIMITED: no such limit. */
    uint64_t n_rate_changes, least_bps; /* The number of rate changes, and the lowest rate. */
    uint64_t n_pfc_pauses, n_fafc_pauses, n_link_start_waits; /* The numbers of such events at this
                                                               * queue, as in struct sim_totals. */
    weir_ps paused_ps; /* The time so far in pauses of PFC or FAFC by its peer; WEIR_NEVER: too long
                        * for the clock. */
    weir_ps last_ps;   /* When its last packet started. */
};

struct sim_gate_state sim_gate_state(const struct sim *, uint32_t port, uint8_t cls, weir_ps now);

/* For packets that change class: the first function gives the class in which packets sent in class
 * 'sent' arrive at a port.  The second gives the first class in which the other end sends packets
 * that arrive here in 'cls'.  If packets keep their class, both return their argument.
 * WEIR_NO_CLASS: none. */
uint8_t sim_class_here(const struct sim *, uint32_t port, uint8_t sent);
uint8_t sim_class_sent(const struct sim *, uint32_t port, uint8_t cls);

/* The actions of the watchdog of the transmit queue of (port, class). */
struct sim_storms {
    bool is_storm; /* The queue is in a storm now. */
    uint64_t n_storms, n_restored, n_dropped;
    weir_ps first_ps, ended_ps; /* When the first storm began, and when the last finished storm
                                 * ended. */
};

struct sim_storms sim_storms(const struct sim *, uint32_t port, uint8_t cls);

/* The notes since the last call, sorted by time and node, and at one node in the order of events.
 * Call this between windows or after the run; the notes are valid until the next call. */
const struct sim_note *sim_take_notes(struct sim *, size_t *n);

/* How long the packets of a flow waited at the port through which they left or would have left,
 * summed over packets, by cause.  If several causes apply at the same time, the first one in the
 * order of the members counts. */
struct sim_flow_wait {
    uint32_t flow, port; /* A flow, and a port of the topology. */
    uint8_t cls;
    uint64_t n_packets;        /* Packets that have left, were dropped, or still wait. */
    weir_ps first_ps, last_ps; /* The times at which the first packet began to wait, and at which
                                * the last packet left or still waited. */
    weir_ps pause_ps, credit_ps, rate_ps; /* Waits for the gate of that port and class. */
    weir_ps control_ps;                   /* At the sender: waits for the rate and window of the
                                           * flow. */
    weir_ps queue_ps;                     /* Waits for earlier packets or frames. */
};

/* The waits of all flows after the run, if 'why' was set, sorted by flow and by the time at which
 * the flow first reached a port.  They are valid until the next call. */
const struct sim_flow_wait *sim_flow_waits(struct sim *, size_t *n);

/* The ideal completion time of a flow of known size, from its start to its last bit, if only links
 * and pipelines delay it.  With several paths it is a lower bound, and at most the time on the best
 * path.  WEIR_NEVER: the time does not fit; -1: the flow would never arrive. */
weir_ps sim_flow_ideal_ps(const struct sim *, uint32_t flow);

/* The same for a message of a connection, by the current routes. */
weir_ps sim_flow_message_ps(const struct sim *, uint32_t flow, uint64_t bytes);

/* The time of a full packet through an empty network, on the longest path if there are several. */
weir_ps sim_flow_path_ps(const struct sim *, uint32_t flow);

/* True if the current routes lead a flow to its receiver within the hop limit, on at least one
 * path. */
bool sim_flow_arrives(const struct sim *, uint32_t flow);

/* An engine's counter at a node, by layer of the stack and field of its table. */
uint64_t sim_counter(const struct sim *, uint32_t node, uint32_t layer, const struct weir_field *);

/* For detailed checks.  The first function calls 'visit' for each packet that a node of this
 * process holds.  The others return the length of a window, the interval of deadlock detection, and
 * the time of the middle of the run; 0: it is not reached yet. */
void sim_each_held(const struct sim *, uint32_t node, sim_visit_held *, void *arg);
weir_ps sim_window_ps(const struct sim *);
weir_ps sim_watch_ps(const struct sim *);
weir_ps sim_middle_ps(const struct sim *);

/* These functions are called before a network is simulated. The first computes the length of a
 * window, 2^bits ps. The second computes the number of windows between two meetings of ranks, if
 * part[node of the topology] is the rank of each node. This number is 1 if flows use telemetry. */
enum { SIM_MAX_EPOCH_WINDOWS = 64 };
int sim_window_bits(const struct model *);
uint64_t sim_epoch_windows(const struct model *, int window_bits, const uint32_t *part);
bool sim_has_probes(const struct model *);

/* The current length of the input queue of (port, class), and its peak; ports have their numbers of
 * the topology. */
uint64_t sim_queue_bytes(const struct sim *, uint32_t port, uint8_t cls);
uint64_t sim_queue_peak_bytes(const struct sim *, uint32_t port, uint8_t cls);

/* The mean length of an input queue over samples at regular times, after the middle of the run.  If
 * flows start only for a time, samples are from the second half of that time. */
uint64_t sim_queue_mean_bytes(const struct sim *, uint32_t port, uint8_t cls);

/* The current length, peak and mean of an output queue: packets that wait to leave through (port,
 * class) of a switch, including a packet that arrives at an idle output.  Hosts have no output
 * queue, so the result is 0. */
uint64_t sim_output_bytes(const struct sim *, uint32_t port, uint8_t cls);
uint64_t sim_output_peak_bytes(const struct sim *, uint32_t port, uint8_t cls);
uint64_t sim_output_mean_bytes(const struct sim *, uint32_t port, uint8_t cls);

/* Calls 'visit' with the flow and size of each packet at the input of a port, if the node has an
 * index of these packets. */
typedef void sim_visit_unit(void *arg, uint32_t flow, uint32_t bytes);

void sim_each_unit(const struct sim *, uint32_t port, sim_visit_unit *, void *arg);

/* The bytes on their way from inputs to outputs inside a node with stages; 0 for other nodes. */
uint64_t sim_passing_bytes(const struct sim *, uint32_t node);

#endif
