/* The executor's own state, shared by its files: ready tasks, cpus, timers, and the tables that
 * match messages with receives.
 *
 * A *unit* is what starts and ends: a task, by its number, or a step of a collective, by its slot
 * with EXECUTOR_STEP. */

#ifndef GRAPH_EXECUTOR_STATE_H
#define GRAPH_EXECUTOR_STATE_H

#include "graph/executor.h"

/* One cpu: the task that has it, and those that wait for it, linked by 'next'. */
struct executor_cpu {
    uint32_t running, first, last; /* GRAPH_NONE: none. */
};

/* The end of a calculation or delay. */
struct executor_timer {
    weir_ps at;
    uint32_t task;
};

/* A message that arrived before its receive has started. */
struct executor_early {
    struct executor_message message;
    uint32_t next;
};

/* How many messages of one peer and tag have been started.  Both zero: an empty place. */
struct executor_counter {
    uint32_t peer, tag;
    uint32_t kind_1; /* enum graph_kind, plus 1. */
    uint32_t n;
};

/* Lists of units or of early messages, by a hash of source, tag and order. */
struct executor_lists {
    uint32_t *first;
    uint32_t n_lists, n_items;
};

/* A step of a collective, which has started. */
struct executor_step {
    uint64_t bytes, tag;
    uint32_t peer, order;
    uint32_t next;       /* A link, as of tasks; of unused slots, too. */
    uint32_t collective; /* In 'running'; GRAPH_NONE: the slot is unused. */
    uint32_t token;      /* The generator's. */
    uint32_t channel;
    bool is_send;
};

/* A collective that has started and not ended. */
struct executor_running {
    struct coll_params params;
    struct coll_state *state; /* Null: the slot is unused. */
    uint32_t task, group, order;
    uint32_t next; /* A link of unused slots. */
    weir_ps start_ps;
    weir_ps arrived_ps; /* When its last message arrived, and from which rank and task. */
    uint32_t source, source_task;
    bool is_ready; /* It is among the ready tasks, or asks its generator for steps. */
};

/* A group of which this rank is a member. */
struct executor_member {
    uint32_t group, me; /* Its index in the group. */
    uint32_t n_started; /* Collectives on the group. */
};

struct executor_state {
    uint32_t next_root; /* Tasks from here on have not been looked at since the begin. */
    uint32_t *ready;    /* A heap: the lowest number first. */
    size_t n_ready, max_ready;
    struct executor_cpu *cpus;
    struct executor_timer *timers; /* A heap: the earliest first, at one time the lowest number. */
    size_t n_timers, max_timers;
    struct executor_end *ends; /* To report with the next executor_run(). */
    size_t n_ends, max_ends;

    struct executor_lists posted; /* Started receives without a message. */
    struct executor_lists early_of;
    struct executor_early *early;
    size_t n_early, max_early;
    uint32_t free_early;          /* The first unused place of 'early', linked by 'next'. */
    uint32_t any_first, any_last; /* Started receives that match by arrival, in order; */
    uint32_t any_early_first, any_early_last; /* and such messages. */
    struct executor_message *arrived;         /* Such messages since the last executor_run(). */
    size_t n_arrived, max_arrived;
    struct executor_counter *counters;
    size_t n_counters, max_counters; /* The maximum is a power of two. */

    struct executor_step *steps;
    size_t n_steps, max_steps;
    uint32_t free_step;
    struct executor_running *running;
    size_t n_collectives, max_collectives;
    uint32_t free_collective;
    struct executor_member *members;
    size_t n_members, max_members;

    uint32_t n_running;   /* Calculations. */
    uint32_t n_unsent;    /* Sends that have not ended. */
    weir_ps since_ps;     /* The time accounted so far ends here. */
    weir_ps wait_from_ps; /* The start of the last wait that a message ended. */
    weir_ps wait_sent_ps; /* When that message was sent, or the start of the wait if that is later;
                           * WEIR_NEVER: something else ended the wait. */
};

/* Why a wait ends; executor-time.c. */
enum executor_ended_by { EXECUTOR_BY_SENT, EXECUTOR_BY_MESSAGE, EXECUTOR_BY_TIMER };
void executor_account(struct executor *, weir_ps now, enum executor_ended_by, weir_ps sent_ps);

/* Matching; executor-match.c. */

/* The next order of a message to or from this peer, and counts it. */
uint32_t executor_count(struct executor *, uint32_t peer, uint32_t tag, enum graph_kind);

/* Whether receives take messages with this tag as they arrive, not by their order. */
static inline bool
executor_matches_by_arrival(const struct executor *x, uint64_t tag)
{
    return x->rank->matches_arrived && !(tag & EXECUTOR_COLLECTIVE);
}

/* Sorts messages that arrived at one instant, as the order of events does not matter. */
void executor_sort_arrived(struct executor_state *);

/* Takes the started receive that a message meets; GRAPH_NONE: there is none, and it is kept. */
uint32_t executor_take_posted(struct executor *, const struct executor_message *);

/* Takes the message that a receive meets which starts now; false: none has arrived, and the receive
 * is kept. */
bool executor_take_early(struct executor *, uint32_t unit, struct executor_message *);

void executor_match_free(struct executor *);

/* Tasks; executor.c. */

void executor_start_task(struct executor *, uint32_t task, weir_ps now);
void executor_end_task(struct executor *, uint32_t task, weir_ps now);
void executor_add_ready(struct executor_state *, uint32_t task);

/* Whether a send or collective has to wait for its cpu.  It becomes ready again with that cpu. */
bool executor_waits_for_cpu(struct executor *, uint32_t task);

/* Counts a receive whose message has another size; GRAPH_UNKNOWN_BYTES: it takes any size. */
void executor_check_size(struct executor *, uint32_t task, uint64_t bytes,
                         const struct executor_message *);

/* Collectives; executor-steps.c. */

/* Starts a collective, or the steps that can start since others have ended. */
void executor_run_collective(struct executor *, uint32_t task, weir_ps now, struct executor_out *);

/* Ends a step; the message is that of a receive, or null. */
void executor_end_step(struct executor *, uint32_t unit, const struct executor_message *,
                       weir_ps now);
void executor_steps_free(struct executor_state *);

/* A receive, as matching sees it. */
struct executor_key {
    uint64_t tag;
    uint32_t peer, order;
};

static inline bool
executor_is_step(uint32_t unit)
{
    return unit & EXECUTOR_STEP;
}

static inline struct executor_key
executor_key_of(const struct executor *x, uint32_t unit)
{
    if (executor_is_step(unit)) {
        const struct executor_step *s = &x->state->steps[unit & ~EXECUTOR_STEP];
        return (struct executor_key){ s->tag, s->peer, s->order };
    }
    const struct graph_task *t = &x->rank->tasks[unit];
    return (struct executor_key){ t->tag, t->peer, t->n_before };
}

#endif
