/* Connections: flows that carry messages, and the ranks of jobs that send them.
 *
 * A connection is a flow whose size is not known in advance.  Its sender has a queue of messages.
 * Each message begins with a new packet, and its last packet may be short.  Messages leave in
 * order, one after the other, so the NIC's round-robin list handles a connection like any other
 * flow.  Path, control and recovery stay the same over all messages.
 *
 *     sender's packets    0 1 2 3 | 4 | 5 6 7 8 | ...        'progress' of the sender ends with
 *                        message 0  1  message 2             the message that is being sent
 *
 * When the last packet of a message has been sent, the next message is loaded: 'progress.n_packets'
 * grows, and the connection stays in the round-robin list.  If the recovery goes back to an earlier
 * message, that message is loaded again.  So the code that sends packets need not know of messages.
 *
 * The receiver must know where messages begin and end.  When a message is loaded for the first
 * time, its sender posts a notice to the receiver, as an event of the receiver's NIC.  The notice
 * takes no bandwidth.  It arrives after the shortest time that a packet could take, so it never
 * comes later than the first packet, and it may cross threads and ranks like any mail. */

#ifndef SIM_CONNECTION_ENDS_H
#define SIM_CONNECTION_ENDS_H

#include "sim/flow-ends.h"
#include "sim/wires.h"

struct sim_message { /* A message at its sender. */
    uint64_t bytes, tag;
    weir_ps posted_ps;
    uint32_t order, label, token;
    uint32_t first, end; /* The packets of the connection that carry it: from 'first' to before
                          * 'end'. */
    uint32_t last_bytes; /* The size of its last packet. */
    uint64_t less_sum;   /* The number of bytes by which the last packets of all messages so far are
                          * smaller than full packets. */
};

struct sim_outgoing {          /* A connection at its sender. */
    struct sim_message *items; /* The queue: items before 'head' have been reported as sent. */
    size_t head, n, max;
    size_t current;         /* The message that contains the next packet; n: there is none. */
    size_t n_noticed;       /* Messages before this one have been loaded at least once. */
    uint32_t n_packets;     /* The number of packets of all messages so far. */
    uint32_t member;        /* The rank of a job that sends. */
    weir_ps notice_ps;      /* The time that a notice takes. */
    uint64_t n_posted;      /* The number of messages that were posted. */
    uint64_t n_sent;        /* The number of messages that have left or been acknowledged. */
    uint64_t posted_bytes;  /* The bytes of all packets of all messages so far. */
    uint64_t less_sum;      /* The 'less_sum' of the last message. */
    uint64_t less_reported; /* The 'less_sum' of the last message that was reported as sent. */
};

struct sim_notice { /* The data of a message that its receiver needs. */
    uint64_t bytes, tag;
    weir_ps posted_ps;
    uint32_t first, order, label;
    struct program_relay relay;
};

struct sim_awaited { /* A message at its receiver. */
    uint64_t bytes, tag;
    weir_ps posted_ps;
    uint32_t first, end;
    uint32_t n_missing; /* The number of packets of the message that have not arrived. */
    uint32_t order, label;
    struct program_relay relay;
};

struct sim_incoming {          /* A connection at its receiver. */
    struct sim_awaited *items; /* Messages that have not arrived, from 'head' on, in the order of
                                * their packets. */
    size_t head, n, max;
    uint32_t member; /* The rank of a job that receives. */
    uint32_t source; /* The rank of a job that sends. */
    uint64_t n_arrived;
};

struct sim_member { /* A rank of a job. */
    const struct model_job *job;
    uint32_t rank, node;
    void *state;           /* The state of the program; null: another process runs the node. */
    struct sim_timer runs; /* When the program runs next. */
    bool has_begun;
    uint64_t n_posted, n_sent, n_arrived; /* The numbers of messages. */
    uint64_t n_unconnected;     /* The number of messages for ranks to which it has no connection;
                                 * they are never sent. */
    uint32_t first_unconnected; /* The first of these ranks. */
};

/* A message without bytes is one packet, too. */
static inline uint64_t
sim_packets_of(const struct sim *sim, uint64_t message_bytes)
{
    uint32_t mtu = sim->model.mtu_bytes;

    return message_bytes ? (message_bytes + mtu - 1) / mtu : 1;
}

static inline struct sim_outgoing *
sim_outgoing(const struct sim *sim, uint32_t flow)
{
    return &sim->flows.outgoing[sim_sender_slot(sim, flow)];
}

static inline struct sim_incoming *
sim_incoming(const struct sim *sim, uint32_t flow)
{
    return &sim->flows.incoming[sim_sink_slot(sim, flow)];
}

static inline bool
sim_is_connection(const struct sim *sim, uint32_t flow)
{
    return sim->model.flows[flow].bytes == MODEL_MESSAGES;
}

/* connection-ends.c.  Checks the jobs of a model; sets up and frees connections and members. */
bool sim_check_jobs(const struct model *, struct err *);
void sim_set_connections(struct sim *);
void sim_free_connections(struct sim *);

/* Whether all ranks of all jobs are done, or no rank can continue. */
bool sim_jobs_have_ended(struct sim *);

/* The bytes of the packets that a connection on this rank has sent at least once. */
uint64_t sim_connection_first_bytes(const struct sim *, uint32_t flow);

/* The results of a member on this rank of processes. */
struct program_report sim_member_now(const struct sim *, uint32_t member);
void sim_member_spans(const struct sim *, uint32_t member, struct program_span *);

#endif
