/* The executor: runs the tasks of one rank (graph.h).
 *
 * It is a pure state machine.  Its host moves messages and time, and hears what to send and when to
 * call again.  The executor knows no other rank, no network and no clock.
 *
 *     struct executor x;
 *     struct executor_out out = { 0 };                   one for all ranks of a thread
 *     executor_init(&x, &graph, rank, 0);
 *     executor_begin(&x, now);
 *     executor_run(&x, now, &out);
 *
 *     executor_sent(&x, token, now);                     a message has left
 *     executor_arrived(&x, &message, now);               a message has arrived completely
 *     executor_run(&x, now, &out);                       starts tasks; also at x.wake_ps
 *     for (i = 0; i < out.n_sends; i++) ...              messages to send, in order
 *     executor_out_clear(&out);
 *
 * The host calls executor_run() after the events of an instant, and at the time 'wake_ps'.  If
 * several tasks can start in one call, the one with the lowest number starts first.  A host that
 * calls executor_run() once per instant, after all events, therefore gets results that do not
 * depend on the order of these events.
 *
 * Rules of tasks
 *   Send: starts at once, takes no cpu, and ends when its host calls executor_sent().
 *   Receive: starts at once, takes no cpu, and ends when its message has arrived.
 *   Calculation: starts when its cpu takes it.  A cpu runs one calculation at a time, and takes
 *     them in the order in which they could start; at one instant the lowest number goes first.
 *   Send or collective with GRAPH_TAKES_CPU: starts when its cpu takes it, in the same order as
 *     calculations, and has the cpu until it ends.
 *   Delay: starts at once, and ends after its time.
 *   Collective: starts at once.  A generator (collective.h) produces its sends and receives,
 *     the steps; it ends when the generator is done.
 *   A send to the own rank takes no time and does not leave the executor.
 *
 * Matching.  The k-th started send of (source, destination, tag) meets the k-th started receive,
 * whatever the order in which messages arrive.  The sender counts its messages: 'order', from 0.
 * A message that arrives before its receive has started waits for it.
 *   A rank that has a receive from any rank or of any tag matches all its receives by arrival.  A
 * message takes the receive that started first, and a receive takes the message that arrived
 * first; at one instant the one with the lowest source, tag and order, and messages of the
 * rank to itself last.
 *   If the sizes of a send and its receive differ, the size of the message is the real one.  The
 * executor counts such receives and keeps the first (n_misfits).
 *
 * Tags.  A message of a task has the tag of the task.  A message of a collective has bit 63 set,
 * the number of the group in the bits 32 to 62, and the generator's tag below.  Its order is the
 * number of collectives that its rank had started on that group before.  So both ends agree without
 * communication if all members start the collectives of their group in the same order.
 *
 * Time accounting.  struct executor_times divides the time from executor_begin() to the end of the
 * last task into four parts.
 *   Computing: a calculation runs.
 *   Network: nothing runs, and a send has not ended, or the message that ends the wait had been
 *     sent by its sender before this instant.
 *   Peer: nothing runs, no send is unfinished, and the message that ends the wait had not yet been
 *     sent by its sender.
 *   Delayed: nothing runs, no send is unfinished, and a delay ends the wait.
 * A wait is the time between two instants at which tasks or steps end.  Early messages that no
 * started receive expects end no wait, nor do messages of a rank to itself.
 *
 * Memory beyond the graph: 456 bytes for a rank and 12 for each of its cpus.  A calculation or
 * delay that runs takes 16, a started receive 4 to 8.  An early message takes 48, and so does a
 * started step of a collective.  A peer and tag with several messages takes 32 to 64. */

#ifndef GRAPH_EXECUTOR_H
#define GRAPH_EXECUTOR_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "graph/graph.h"
#include "weir/units.h"

#define EXECUTOR_COLLECTIVE ((uint64_t)1 << 63) /* In tags of messages. */
#define EXECUTOR_STEP       0x80000000u         /* In tokens: a step of a collective. */

/* A message to send.  The token names it in executor_sent(). */
struct executor_send {
    uint64_t bytes, tag;
    uint32_t token, to;
    uint32_t order;
    uint32_t task; /* The number of the task, or of the collective that the message is a step of. */
    uint32_t channel; /* The channel of a collective; 0 for tasks. */
    uint8_t nic;
};

/* A message that has arrived.  All but the source is as its sender gave it to the host. */
struct executor_message {
    uint64_t bytes, tag;
    weir_ps sent_ps; /* When its send started: the time of executor_run() at the sender. */
    uint32_t source, order;
    uint32_t task; /* At its sender; only records need it, so a host may leave it GRAPH_NONE. */
};

/* The end of a task with GRAPH_REPORT. */
struct executor_end {
    uint32_t task;
    weir_ps start_ps; /* WEIR_NEVER: not known, as the executor keeps no records. */
    weir_ps end_ps;
};

/* The answers of a call. */
struct executor_out {
    struct executor_send *sends;
    size_t n_sends, max_sends;
    struct executor_end *ends;
    size_t n_ends, max_ends;
};

/* The history of a task, on request (EXECUTOR_RECORDS). */
struct executor_record {
    weir_ps ready_ps;         /* When its last requirement was met. */
    weir_ps start_ps, end_ps; /* WEIR_NEVER: not yet. */
    uint32_t after;           /* The last task that it waited for before its start: one that it
                               * requires, with GRAPH_ON_START if it waited for its start, or the
                               * previous task on its CPU.  GRAPH_NONE: none. */
    /* The rank, and its task, whose message ended a receive or collective; GRAPH_NONE: none or not
     * known. */
    uint32_t source, source_task;
    bool waited_for_cpu; /* 'after' is the previous task on its CPU. */
};

struct executor_times {
    weir_ps computing_ps, network_ps, peer_ps, delayed_ps;
};

enum { EXECUTOR_RECORDS = 1 }; /* An option of executor_init(): 40 bytes more for each task. */

struct executor {
    struct graph *graph;
    struct graph_rank *rank;
    uint32_t me;
    uint32_t n_left;  /* Tasks that have not ended. */
    weir_ps wake_ps;  /* When to call executor_run() at the latest; WEIR_NEVER: after an event. */
    weir_ps begin_ps; /* WEIR_NEVER: it has not begun. */
    weir_ps end_ps;   /* When the last task ended so far. */
    struct executor_times times;

    uint64_t n_misfits; /* Receives whose message had another size, and the first of them: */
    uint32_t misfit_task;
    uint64_t misfit_bytes; /* the size of its message. */

    struct executor_record *records; /* For each task, or null. */
    struct executor_state *state;    /* Its queues and tables. */
};

/* The rank must be finished.  The executor changes its tasks, so that a rank runs once. */
void executor_init(struct executor *, struct graph *, uint32_t rank, unsigned options);
void executor_free(struct executor *); /* Not the tasks: graph_free_rank(). */

/* Events, in the order of their times.  Only executor_run() starts tasks. */
void executor_begin(struct executor *, weir_ps now);
void executor_sent(struct executor *, uint32_t token, weir_ps now);
void executor_arrived(struct executor *, const struct executor_message *, weir_ps now);

/* Ends what ends by now, starts all that can start, adds to 'out', and sets wake_ps. */
void executor_run(struct executor *, weir_ps now, struct executor_out *);

static inline bool
executor_is_done(const struct executor *x)
{
    return x->begin_ps != WEIR_NEVER && !x->n_left;
}

/* Empties the answers, and keeps their memory for the next call; or frees it. */
void executor_out_clear(struct executor_out *);
void executor_out_free(struct executor_out *);

/* For hosts that queue messages: between executor_run() and executor_sent(), the message of a token
 * again, and a word that the host may use to link tokens, so that it needs no memory of its own. */
struct executor_send executor_send_of(const struct executor *, uint32_t token);
uint32_t *executor_link(struct executor *, uint32_t token);

/* The cause for which an unfinished task waits. */
enum executor_wait {
    EXECUTOR_WAITS_MESSAGE, /* A receive, or a receive of a collective, without its message. */
    EXECUTOR_WAITS_SENT,    /* A send that the network has not finished. */
    EXECUTOR_WAITS_TIME,    /* A calculation or delay that is not over. */
    EXECUTOR_WAITS_CPU,     /* A calculation whose cpu is busy. */
    EXECUTOR_WAITS_TASKS,   /* A task that waits for other tasks to end or to start. */
};

struct executor_stuck {
    uint32_t task; /* Its number. */
    enum executor_wait wait;
    uint32_t peer;     /* The other rank of a send or receive; GRAPH_ANY: any. */
    uint64_t tag;      /* The tag of a send or receive; GRAPH_ANY: any. */
    uint32_t order;    /* Its number among those of this peer and tag, from 0. */
    uint32_t n_before; /* WAITS_TASKS: how many requirements are left. */
    uint64_t at;       /* The iterator's own; 0 before the first call. */
};

/* Iterates over unfinished tasks by number, and after each collective over its steps:
 *
 *     for (struct executor_stuck s = { 0 }; executor_next_stuck(&x, &s);) ...
 *
 * Tasks that wait for tasks come, too; the others are the causes. */
bool executor_next_stuck(const struct executor *, struct executor_stuck *);

/* Writes a sentence without a full stop: "rank 3 waits for a message of rank 2 (tag 5): task 17,
 * recv of 80 B from rank 2". */
enum { EXECUTOR_TEXT_BYTES = 224 };
const char *executor_stuck_text(const struct executor *, const struct executor_stuck *,
                                char text[EXECUTOR_TEXT_BYTES]);

#endif
