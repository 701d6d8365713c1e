/* Messages between a lab and its processes, each over its own socket.
 *
 *     lab to process:  linked; begin (what will be asked), start (at that time), stop (at that
 *                      time), drain
 *     process to lab:  apart, up; ready, or at any time before that failed; report 0, report 1,
 *                      ...; ended; reports that others have made and it has not; last report
 *
 * Both sides queue messages and push: bytes that cannot be sent now stay queued, so that a process
 * that forwards packets never waits for its reader. */

#ifndef LAB_REPORTS_H
#define LAB_REPORTS_H

#include "dataplane/node.h"
#include "sim/ranks.h"

enum lab_word {
    LAB_APART,  /* The process is in its own namespace, */
    LAB_LINKED, /* into which the lab has put its interfaces, */
    LAB_UP,     /* and they are up. */
    LAB_BEGIN,  /* Has a struct lab_asked and, if packets are captured, a bool for each port of the
                   topology. */
    LAB_READY,  /* Everything is open, but no node runs yet. */
    LAB_FAILED, /* The reason, as text. */
    LAB_START,  /* Time 0 of the run: a number of lab_clock_ns(). */
    LAB_REPORT, /* The next report of sim_live_report(), at the time 'at'. */
    LAB_STOP,   /* The run ends at 'at' at the latest. */
    LAB_ENDED,  /* The process sends nothing more. */
    LAB_DRAIN,  /* No node sends any more, so frames that still arrive were on a wire.  Has the
                   number of reports that each process must have made, a uint32_t. */
    LAB_LAST, /* Has a struct dp_counts, a struct dp_crossed for each port, and the last report, of
                 time 'at'. */
    LAB_N_WORDS
};

struct lab_asked {
    struct sim_config sim; /* The node has its own list of captured ports, if there is one. */
    weir_ps every_ps;      /* Between two reports. */
};

/* The settings of nodes, derived from those of the simulation that receives their reports; nodes
 * have no observer. */
struct sim_config lab_config_of_nodes(const struct sim_config *);

struct lab_message {
    enum lab_word word;
    weir_ps at;
    struct sim_parcel bytes; /* Owned by the holder of the message. */
};

struct lab_head { /* The header before the bytes of a message. */
    uint64_t word;
    weir_ps at;
    uint64_t n_bytes;
};

struct lab_line {
    int socket;
    struct sim_parcel out; /* Messages that wait to be sent. */
    size_t n_sent;
    struct lab_head head; /* The part of the incoming message received so far. */
    size_t n_head;
    struct sim_parcel in;
};

/* Queues a message.  In messages that do not use 'at', it is 0. */
void lab_line_put(struct lab_line *, enum lab_word, weir_ps at, const void *bytes, size_t n);

/* Sends without waiting.  Returns false if the receiver is gone. */
bool lab_line_push(struct lab_line *);
bool lab_line_is_empty(const struct lab_line *); /* All has been sent. */

/* Takes the next message, if it is complete, or waits for it if 'waits'.  The caller frees its
 * bytes. */
enum lab_heard { LAB_NOTHING, LAB_MESSAGE, LAB_GONE };
enum lab_heard lab_line_pull(struct lab_line *, bool waits, struct lab_message *);
void lab_line_free(struct lab_line *);

/* A queue that has not moved for this time may be stuck, if the reports of a round are at most half
 * of this time apart (decision 0074). */
#define LAB_WATCH_PS ((weir_ps)50000000000)

/* The common clock of all processes of the machine; times of a run count from the run's start. */
uint64_t lab_clock_ns(void);

#endif
