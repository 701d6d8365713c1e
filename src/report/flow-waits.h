/* Wait accounting of a run's flows: how long each flow waited, where and for what, and for pauses,
 * their root (answer/why.h).
 *
 *     struct rep_flow_waits s;
 *     if (!rep_flow_waits_read(&s, file, run, &err)) ...
 *     for (size_t i = 0; i < s.n_flows; i++) show(s.worst[i]);      the worst first
 *     rep_flow_waits_free(&s);
 *
 * The total of a flow is its waiting time: at the sender the elapsed time, and at each later hop
 * the mean over its packets.  If packets of a flow take several paths, each hop counts for the part
 * of the packets that took it, so that the total is the mean over all packets.  A hop's pause is
 * divided among the roots of its port's pauses while packets of the flow were there, in proportion
 * to their time.  The file does not record which of these pauses a packet met.
 *
 * A victim is a flow that was blocked for at least a hundredth of its time by pauses whose root it
 * never crosses.  It does not cross a root if the root's port, or every port of a cyclic root, is
 * off its path. */

#ifndef REPORT_FLOW_WAITS_H
#define REPORT_FLOW_WAITS_H

#include "answer/why.h"
#include "base/json.h"
#include "record/reader.h"
#include "report/port-name.h"
#include "weir/field.h"

enum rep_wait {
    REP_WAIT_PAUSE,
    REP_WAIT_CREDIT,
    REP_WAIT_RATE,
    REP_WAIT_CONTROL,
    REP_WAIT_QUEUE,
    REP_N_WAITS
};

extern const struct rep_wait_about {
    const char *name, *words; /* For programs and for users: "queue", "packets before its own". */
    size_t offset;            /* The offset of the time in a struct rec_wait. */
} rep_waits[REP_N_WAITS];

/* The part of a hop's pause that one root caused. */
struct rep_share {
    uint32_t root; /* A root of struct why; WHY_NONE: pauses of this port are not recorded. */
    bool is_crossed;
    double held_ps;
};

/* An output port on a flow's path, with the part of the flow's waiting time there. */
struct rep_hop {
    uint32_t flow, port, cls;
    bool is_sender;
    uint64_t n_packets;
    weir_ps first_ps, last_ps; /* The time during which packets of the flow were at the port. */
    double held_ps[REP_N_WAITS];
    size_t first_share, n_shares;
    uint32_t distance; /* The number of links from the sender. */
    double part;       /* The part of the packets at this distance that left through this port. */
};

/* The longest wait of a flow: where, for what, and the root if it was a pause.  Ports at the same
 * distance from the sender count together. */
struct rep_reason {
    enum rep_wait what;
    uint32_t port, cls; /* The worst of these ports; REC_NO_ID if the flow did not wait. */
    uint32_t root;      /* WHY_NONE: the wait was not a pause, or its root is unknown. */
    double held_ps;     /* Its duration: the mean over the packets at all these ports. */
};

struct rep_blocked_flow {
    uint32_t flow;
    size_t first_hop, n_hops; /* The hops of the flow, in the order in which it reached them. */
    double total_ps, held_ps[REP_N_WAITS];
    double sender_ps; /* The part of the total that the flow waited at its sender. */
    double victim_ps; /* The time blocked by pauses whose root it never crosses. */
    /* The root among these that blocked the flow for longest at one hop; WHY_NONE: the flow is no
     * victim. */
    uint32_t victim_of;
    struct rep_reason reason;
};

/* The values of a flow and of a hop, with their names in JSON, CSV and the page: VALUE(kind, name,
 * member). */
#define REP_PARTS(VALUE)                                                                           \
    VALUE(REAL_TIME, "pause_ps", held_ps[REP_WAIT_PAUSE])                                          \
    VALUE(REAL_TIME, "credit_ps", held_ps[REP_WAIT_CREDIT])                                        \
    VALUE(REAL_TIME, "rate_ps", held_ps[REP_WAIT_RATE])                                            \
    VALUE(REAL_TIME, "control_ps", held_ps[REP_WAIT_CONTROL])                                      \
    VALUE(REAL_TIME, "queue_ps", held_ps[REP_WAIT_QUEUE])
#define REP_FLOW_VALUES(VALUE)                                                                     \
    VALUE(REAL_TIME, "waited_ps", total_ps)                                                        \
    VALUE(REAL_TIME, "at_sender_ps", sender_ps)                                                    \
    REP_PARTS(VALUE)                                                                               \
    VALUE(REAL_TIME, "victim_ps", victim_ps)
#define REP_HOP_VALUES(VALUE)                                                                      \
    VALUE(COUNT, "n_packets", n_packets)                                                           \
    VALUE(TIME, "first_ps", first_ps)                                                              \
    VALUE(TIME, "last_ps", last_ps)                                                                \
    REP_PARTS(VALUE)

/* The effect of a root of pauses. */
struct rep_root_effect {
    uint32_t root;               /* A root of struct why. */
    double held_ps;              /* The time for which it blocked flows, summed over flows. */
    uint64_t n_flows, n_victims; /* The numbers of blocked flows and of victims. */
};

struct rep_flow_waits {
    bool is_recorded; /* False: the run did not record waits. */
    struct why *why;
    struct rep_hop *hops; /* Sorted by flow. */
    size_t n_hops, max_hops;
    struct rep_share *shares;
    size_t n_shares, max_shares;
    struct rep_blocked_flow *flows; /* Sorted by id. */
    size_t n_flows, max_flows;
    /* The flows, sorted by their waits, the longest first. */
    const struct rep_blocked_flow **worst;
    size_t n_waited, n_victims; /* The numbers of flows that waited, and of victims. */
    /* All chains of causes are known: nothing waited for credit or for a peer's rate, whose causes
     * are not recorded. If it is false, n_victims is unknown. */
    bool knows_victims;
    struct rep_root_effect *faults; /* Roots that blocked flows, the worst first. */
    size_t n_faults;
};

bool rep_flow_waits_read(struct rep_flow_waits *, struct rec_file *, const struct rec_run *,
                         struct err *);
void rep_flow_waits_free(struct rep_flow_waits *);

/* The waits of a flow; null: it did not wait. */
const struct rep_blocked_flow *rep_blocked_flow_of(const struct rep_flow_waits *, uint64_t flow);

/* The part of a hop's pause that its worst root caused; null: no pause blocked it. */
const struct rep_share *rep_worst_share(const struct rep_flow_waits *, const struct rep_hop *);

/* Ports, roots and reasons as text: "pauses at H1 to S1, because of S2 to H9". */
struct rep_names {
    struct rep_port_names ports;
    uint32_t n_classes; /* Classes are named if there are several. */
};

/* Adds the name of a port, such as "S1 to S2". */
void rep_add_port(struct weir_text *, const struct rep_names *, uint32_t port, uint32_t cls);

/* Adds a root, such as "S1 to H2" or "the cycle S1 to S2, S2 to S3, S3 to S1". */
void rep_add_root(struct weir_text *, const struct rep_names *, const struct why_root *);

/* Adds the longest wait of a flow; nothing if it did not wait. */
void rep_add_reason(struct weir_text *, const struct rep_names *, const struct rep_flow_waits *,
                    const struct rep_blocked_flow *);

/* Writes the whole result for the page at a key; report.h describes the format. */
void rep_flow_waits_write(struct json *, const char *key, const struct rep_flow_waits *);

#endif
