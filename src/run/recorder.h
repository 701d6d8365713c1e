/* Writes a run to a results file, while the run goes on.
 *
 *     struct recorder keep;
 *     recorder_configure(&keep, o, &config);                       the simulator will call back
 *     o->sim = sim_new(&config, &model, &err);
 *     if (!recorder_begin(&keep, &job, &err)) ...
 *     sim_run(o->sim);
 *     recorder_end(&keep, &err)                                    the file is complete
 *
 * A disk that is full stops the run. */

#ifndef RUN_RECORDER_H
#define RUN_RECORDER_H

#include "answer/signals.h"
#include "record/record.h"
#include "run/outcome.h"

struct recorder_pair { /* A flow, and an input at which it holds bytes. */
    uint32_t port, flow;
};

struct recorder {
    struct outcome *o;
    struct sim_looks looks; /* The ports and flows that samples read. */
    struct rec *rec;
    uint64_t *values; /* The values of one sample. */
    size_t n_series;
    bool *grows; /* For each series: it is a counter, which only grows. */
    size_t n_grows, max_grows;
    uint64_t *before; /* The values of the sample before, and when they were. */
    weir_ps before_ps;
    bool has_told_deadlock;
    struct err err; /* For calls whose failure shows later anyway. */
    bool has_watchdogs, has_messages, can_pause;
    bool has[N_SIGNALS]; /* Such signals are possible. */
    bool has_outputs;    /* Queues of outputs are sampled; */
    uint32_t *staged;    /* and of these nodes, what is between inputs and outputs. */
    size_t n_staged, max_staged;
    bool has_senders;            /* Events at the senders of flows are recorded. */
    struct recorder_pair *pairs; /* By port, then by flow: what flows hold is kept of these. */
    size_t n_pairs, max_pairs;
    uint64_t *held_by; /* [flow]: bytes at one port. */
};

void recorder_configure(struct recorder *, struct outcome *, struct sim_config *);

/* If the job is confined, below the current folder and without links only (base/safe-open.h). */
bool recorder_begin(struct recorder *, const struct outcome_job *, struct err *);
/* Ends it early, as something else than the network has failed; 'why' is kept among the violations.
 * Quick: after the loss of a rank, the process is killed within a second. */
bool recorder_fail(struct recorder *, enum rec_status, const char *why, struct err *);

bool recorder_end(struct recorder *, struct err *);

/* The kinds of events that a results file can have, and what they mean; null behind the last. */
const struct sim_note_about *recorder_event_kind(size_t i);

/* recorder-samples.c: says which series there are; the value of each at an instant goes into
 * 'values'.
 */
void recorder_begin_samples(struct recorder *);
void recorder_fill_sample(struct recorder *, weir_ps now);
void recorder_end_samples(struct recorder *);

/* recorder-instants.c: makes what is in 'values', which is so now, a sample of the multiple of the
 * period before; returns that instant. */
weir_ps recorder_settle_instant(struct recorder *, weir_ps now);

/* recorder-held.c: whether it is wanted, which pairs there are, and the value of each at an
 * instant. */
bool recorder_wants_held(const struct scenario *, const struct model *);
void recorder_find_pairs(struct recorder *);
void recorder_fill_held(struct recorder *, uint64_t *to);

/* Records a deadlock once, as soon as one has been found: a user may be watching. */
void recorder_deadlock(struct recorder *);

#endif
