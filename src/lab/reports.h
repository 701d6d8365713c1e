/* Messages between a lab and its processes, each over its own socket.
 *
 *     lab to process:     linked; begin (the settings), start (at that time), stop (at that time),
 *                         drain
 *     process to lab:     apart, up; ready, or at any time before that failed; report 0, report 1,
 *                         ...; ended; reports that other processes have made and it has not; last
 *                         report
 *
 * Both sides queue messages and push: bytes that cannot be sent now stay queued, so that a process
 * that forwards packets never waits for its reader. */

#ifndef LAB_REPORTS_H
#define LAB_REPORTS_H

#include "dataplane/node.h"
#include "sim/ranks.h"

enum lab_word {
    LAB_APART,  /* The process is in its own namespace. */
    LAB_LINKED, /* The lab has put the interfaces into the namespace of the process. */
    LAB_UP,     /* The interfaces are up. */
    /* Has a struct lab_asked and, if packets are captured, a bool for each port of the topology. */
    LAB_BEGIN,
    LAB_READY,  /* The process has opened everything, but does not run its node yet. */
    LAB_FAILED, /* Has the reason as text. */
    LAB_START,  /* Has the time 0 of the run: a value of lab_clock_ns(). */
    LAB_REPORT, /* Has the next report of sim_live_report(), for the time 'at'. */
    LAB_STOP,   /* Makes the run end at 'at' at the latest. */
    LAB_ENDED,  /* The node sends no more frames. */
    /* No node sends any more, so frames that still arrive were on a link. Has the number of reports
     * that each process must have made, a uint32_t. */
    LAB_DRAIN,
    /* Has a struct dp_counts, a struct dp_crossed for each port, and the last report, for the time
     * 'at'. */
    LAB_LAST,
    LAB_N_WORDS
};

struct lab_asked {
    /* The node's process has a list of captured ports of its own, if there is one. */
    struct sim_config sim;
    weir_ps every_ps; /* The time between two reports. */
};

/* The settings of nodes, derived from those of the simulation that receives their reports. Nodes
 * have no observer. */
struct sim_config lab_config_of_nodes(const struct sim_config *);

struct lab_message {
    enum lab_word word;
    weir_ps at;
    struct sim_parcel bytes; /* The holder of the message frees them. */
};

/* The header before the bytes of a message. */
struct lab_head {
    uint64_t word;
    weir_ps at;
    uint64_t n_bytes;
};

struct lab_line {
    int socket;
    struct sim_parcel out; /* The bytes that wait to be sent. */
    size_t n_sent;
    struct lab_head head; /* The header of the incoming message, as far as it has been received. */
    size_t n_head;
    struct sim_parcel in;
};

/* Queues a message.  In messages that do not use 'at', it is 0. */
void lab_line_put(struct lab_line *, enum lab_word, weir_ps at, const void *bytes, size_t n);

/* Sends without waiting.  Returns false if the receiver is gone. */
bool lab_line_push(struct lab_line *);
bool lab_line_is_empty(const struct lab_line *); /* Whether all bytes have been sent. */

/* Takes the next message. If it is incomplete, the function waits if 'waits', or returns
 * LAB_NOTHING. The caller frees the message's bytes. */
enum lab_heard { LAB_NOTHING, LAB_MESSAGE, LAB_GONE };
enum lab_heard lab_line_pull(struct lab_line *, bool waits, struct lab_message *);
void lab_line_free(struct lab_line *);

/* The time after which a queue that has not moved may be stuck. The reports of a round must be at
 * most half of this time apart (decision 0074). */
#define LAB_WATCH_PS ((weir_ps)50000000000)

/* A clock that all processes of the machine share. Times of a run count from the run's start. */
uint64_t lab_clock_ns(void);

#endif
