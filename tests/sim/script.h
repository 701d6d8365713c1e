/* A program of messages for tests: each rank sends messages at given times, and answers messages
 * that ask for it.  It records all that it hears.
 *
 *     struct script script;
 *     script_start(&script, n_ranks);
 *     script_connect(&script, from rank, to rank, flow);       in the order of ranks
 *     script_send(&script, rank, (struct script_send){ ... });
 *     config.jobs = script_job(&script, nodes);
 *     ... run ...
 *     script_check(&script, is_in_order)                       null, or what is wrong
 *     script_stop(&script); */

#ifndef TESTS_SIM_SCRIPT_H
#define TESTS_SIM_SCRIPT_H

#include "model/model.h"

enum { SCRIPT_ANSWERS = 0xff }; /* The part of a tag that counts how many answers follow. */

struct script_send {
    weir_ps at_ps;
    uint32_t link; /* Which connection of its rank. */
    uint64_t bytes, tag;
};

struct script_posted { /* A message at its sender, by its token. */
    uint64_t bytes, tag;
    weir_ps at_ps, sent_ps; /* When it was posted, and reported as sent; -1: not yet. */
    uint32_t link, order, n_arrived;
};

struct script_seen { /* A message at its receiver. */
    struct program_message message;
    weir_ps at_ps;
};

struct script_rank {
    struct script_send *sends; /* By time. */
    size_t n_sends, max_sends;
    size_t first_link, n_links; /* Its connections. */
    struct script_posted *posted;
    size_t n_posted, max_posted;
    struct script_seen *seen;
    size_t n_seen, max_seen;
    size_t next;       /* The next of 'sends'; */
    size_t n_answered; /* and how many of 'seen' have been answered. */
    size_t n_sent;
    weir_ps begin_ps;
};

struct script {
    struct script_rank *ranks;
    uint32_t n_ranks;
    struct model_connection *links;
    size_t n_links, max_links;
    struct model_job job;
};

extern const struct program script_program;

void script_start(struct script *, uint32_t n_ranks);
void script_stop(struct script *);
void script_connect(struct script *, uint32_t rank, uint32_t peer, uint32_t flow);
void script_send(struct script *, uint32_t rank, struct script_send);
const struct model_job *script_job(struct script *, const uint32_t *nodes);

/* Forgets the history of a run, so that the script can be run once more. */
void script_rewind(struct script *);

/* Whether the history is possible: every message arrives at most once, where and as it was sent,
 * not before; with 'is_in_order', messages of a connection arrive in their order.  Null: it is. */
const char *script_check(const struct script *, bool is_in_order);

/* The number of messages that were posted, sent and that have arrived, at all ranks. */
size_t script_n_posted(const struct script *);
size_t script_n_sent(const struct script *);
size_t script_n_arrived(const struct script *);

#endif
