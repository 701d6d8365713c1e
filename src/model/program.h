/* Programs: what the ranks of a job do, and which messages they send to each other.
 *
 * Each rank of a job has its own state of the job's program, a pure state machine.  Its host moves
 * messages and time:
 *
 *     begin                    the job starts
 *     sent, arrived            a message has left, or has arrived completely
 *     run                      computes which messages to send, from these events and the time
 *
 * The first three only report to the program what has happened.  The host then calls run(), in the
 * same instant, and once more at the time that run() returned.  A rank is called only by the host
 * of its node, so programs need no locks, and nothing but messages connects them.
 *
 * A program that runs another program and relays its messages has data about relays that travel
 * with each message (graph/relay-program.h). */

#ifndef MODEL_PROGRAM_H
#define MODEL_PROGRAM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "weir/units.h"

/* A message to send.  The token identifies it in sent(); the receiver gets the tag, the order and
 * the label, which only the program interprets. */
struct program_send {
    uint64_t bytes, tag;
    uint32_t token, to; /* 'to' is a rank of the job. */
    uint32_t order, label;
    uint32_t channel; /* The number of the connection to that rank, modulo the number of these
                       * connections. */
};

/* A message that is relayed travels in chunks, over two connections. */
struct program_relay {
    uint32_t rank;     /* On the first connection the destination, on the second the source. */
    uint32_t number;   /* The message, among those of its source that are relayed. */
    uint32_t n_chunks; /* 0: the message is not relayed. */
};

struct program_message { /* A message that has arrived. */
    uint64_t bytes, tag;
    weir_ps sent_ps; /* When its sender asked to send it. */
    uint32_t source, order, label;
    uint32_t channel; /* The connection; known only if the message is relayed. */
    struct program_relay relay;
};

struct program_out { /* The messages that run() sends. */
    struct program_send *sends;
    size_t n_sends, max_sends;
};

enum { PROGRAM_TEXT_BYTES = 224 };

struct program_report {                 /* The results of a rank. */
    weir_ps begin_ps;                   /* The time at which it began; -1: it has not begun. */
    weir_ps end_ps;                     /* The time at which it ended; -1: it has not ended. */
    weir_ps computing_ps;               /* The time in which it computed. */
    weir_ps network_ps;                 /* The time in which it did not compute, and waited for the
                                         * network. */
    weir_ps peer_ps;                    /* The time in which it waited for a message that its sender
                                         * had not sent yet. */
    weir_ps delayed_ps;                 /* The time in which it waited for a delay. */
    uint64_t n_sent;                    /* The number of messages that it has sent. */
    uint64_t n_arrived;                 /* The number of messages that have arrived at it. */
    uint64_t n_relayed;                 /* The number of messages of other ranks that it relayed. */
    uint64_t relayed_bytes;             /* The bytes of these messages. */
    uint64_t is_waiting;                /* 1: it has begun, and only a message can let it go on.
                                         * Else 0. */
    char waits_for[PROGRAM_TEXT_BYTES]; /* The reason why it waits, without a full stop; "": it does
                                         * not wait. */
};

/* A part of the work of a rank, such as an iteration. */
struct program_span {
    weir_ps start_ps, end_ps; /* -1: not yet. */
};

struct program {
    const char *name;
    size_t state_bytes;

    /* Initialises the state of a rank, from zeroed memory; 'what' is the input of the job.  The
     * second function frees what the state has allocated. */
    void (*start)(void *state, void *what, uint32_t rank);
    void (*stop)(void *state);

    void (*begin)(void *state, weir_ps now);
    void (*sent)(void *state, uint32_t token, weir_ps now);
    void (*arrived)(void *state, const struct program_message *, weir_ps now);

    /* Adds messages to 'out', and returns the time of the next call, after 'now'; WEIR_NEVER: none
     * is needed before the next event. */
    weir_ps (*run)(void *state, weir_ps now, struct program_out *);

    /* Changes the data that travel with a message: its relay, and when it was sent.  Null: there is
     * no relay. */
    void (*annotate)(const void *state, uint32_t token, struct program_message *);

    bool (*is_done)(const void *state);
    void (*report)(const void *state, struct program_report *); /* Fills in the members of the
                                                                 * report that the program knows. */

    /* Writes the first n spans of a rank.  Null: its ranks have none. */
    void (*list_spans)(const void *state, struct program_span *, size_t n);
};

#endif
