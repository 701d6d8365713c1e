/* Writes a run to a results file, while the run goes on.
 *
 *     struct keep keep;
 *     keep_configure(&keep, o, &config);                       the simulator will call back
 *     o->sim = sim_new(&config, &plant, &err);
 *     if (!keep_begin(&keep, &job, &err)) ...
 *     sim_run(o->sim);
 *     keep_end(&keep, &err)                                    the file is complete
 *
 * A disk that is full stops the run. */

#ifndef RUN_KEEP_H
#define RUN_KEEP_H

#include "answer/signals.h"
#include "record/record.h"
#include "run/outcome.h"

struct keep_pair { /* What a flow holds of an input. */
    uint32_t port, flow;
};

struct keep {
    struct outcome *o;
    struct sim_looks looks; /* What samples look at. */
    struct rec *rec;
    uint64_t *values; /* Of one sample. */
    size_t n_series;
    bool *grows; /* Of each series: it counts what only grows. */
    size_t n_grows, max_grows;
    uint64_t *before; /* The values of the sample before, and when they were. */
    weir_ps before_ps;
    bool has_told_deadlock;
    struct err err; /* Of calls whose failure shows later anyway. */
    bool has_watchdogs, has_messages, can_pause;
    bool has[N_SIGNALS]; /* Such signals are possible. */
    bool has_outputs;    /* Queues of outputs are sampled; */
    uint32_t *staged;    /* and of these nodes, what is between inputs and outputs. */
    size_t n_staged, max_staged;
    bool has_senders;        /* Of flows, what happens at their senders is kept. */
    struct keep_pair *pairs; /* By port, then by flow: what flows hold is kept of these. */
    size_t n_pairs, max_pairs;
    uint64_t *held_by; /* [flow]: bytes at one port. */
};

void keep_configure(struct keep *, struct outcome *, struct sim_config *);

/* If the job is confined, below the current folder and without links only (base/below.h). */
bool keep_begin(struct keep *, const struct outcome_job *, struct err *);
/* Ends it early, as something else than the network has failed; 'why' is kept among the
 * violations.  Quickly: who has lost a rank is killed within a second. */
bool keep_fail(struct keep *, enum rec_status, const char *why, struct err *);

bool keep_end(struct keep *, struct err *);

/* The kinds of events that a results file can have, and what they mean; null behind the last. */
const struct sim_note_about *keep_event_kind(size_t i);

/* keep-samples.c: says which series there are; the value of each at an instant goes into 'values'.
 */
void keep_begin_samples(struct keep *);
void keep_fill_sample(struct keep *, weir_ps now);
void keep_end_samples(struct keep *);

/* keep-instants.c: makes what is in 'values', which is so now, a sample of the multiple of the
 * period before; returns that instant. */
bool keep_grows(const char *quantity);
weir_ps keep_settle_instant(struct keep *, weir_ps now);

/* keep-held.c: whether it is wanted, which pairs there are, and the value of each at an instant. */
bool keep_wants_held(const struct scenario *, const struct plant *);
void keep_find_pairs(struct keep *);
void keep_fill_held(struct keep *, uint64_t *to);

/* Tells of a deadlock if one has been found, once: someone may be watching. */
void keep_deadlock(struct keep *);

#endif
