/* Writes a run to a results file during the run.
 *
 *     struct recorder keep;
 *     recorder_configure(&keep, o, &config);                       the simulator will call back
 *     o->sim = sim_new(&config, &model, &err);
 *     if (!recorder_begin(&keep, &job, &err)) ...
 *     sim_run(o->sim);
 *     recorder_end(&keep, &err)                                    the file is complete
 *
 * A full disk stops the run. */

#ifndef RUN_RECORDER_H
#define RUN_RECORDER_H

#include "answer/signals.h"
#include "record/record.h"
#include "run/outcome.h"

struct recorder_pair { /* A flow, and an input at which it holds bytes. */
    uint32_t port, flow;
};

struct recorder_series {
    const struct recorder_quantity *of; /* recorder-samples.c */
    uint32_t id;                        /* The node, port or flow that is sampled. */
    uint8_t cls;                        /* The class, if the series is of a queue. */
    bool grows;                         /* The value is a counter. */
    uint64_t before;                    /* The value at the previous sample. */
};

struct recorder {
    struct outcome *o;
    struct sim_sampled sampled; /* The ports and flows that samples read. */
    struct rec *rec;
    uint64_t *values; /* The values of one sample. */
    struct recorder_series *series;
    size_t n_series, max_series;
    weir_ps before_ps; /* The time of the previous sample. */
    bool has_reported_deadlock;
    struct err err; /* Unused errors of calls whose failure is reported later anyway. */
    bool has_watchdogs, has_messages, can_pause;
    bool has[N_SIGNALS]; /* [signal]: such signals can occur. */
    bool has_outputs;    /* Output queues and the stages before them are sampled. */
    bool has_senders;    /* The senders of flows are sampled. */
    /* The pairs whose bytes are recorded, sorted by port, then by flow. */
    struct recorder_pair *pairs;
    size_t n_pairs, max_pairs;
    uint64_t *held_by; /* [flow]: the bytes that it holds at the current port. */
};

void recorder_configure(struct recorder *, struct outcome *, struct sim_config *);

/* Opens the results file.  For a confined job it must be below the current folder, without symbolic
 * links (base/safe-open.h). */
bool recorder_begin(struct recorder *, const struct outcome_job *, struct err *);
/* Ends the recording early, because of a failure outside the network; 'why' is recorded as a
 * violation.  It must be quick: after the loss of a rank the process is killed within a second. */
bool recorder_fail(struct recorder *, enum rec_status, const char *why, struct err *);

bool recorder_end(struct recorder *, struct err *);

/* The kinds of events that a results file can have, and their meaning; null after the last kind. */
const struct sim_note_about *recorder_event_kind(size_t i);

/* Lists the series, and fills 'values' with one value of each (recorder-samples.c).
 * recorder_fill_sample() returns the time that the sample is for, which is the last multiple of the
 * period. */
void recorder_begin_samples(struct recorder *);
weir_ps recorder_fill_sample(struct recorder *, weir_ps now);
void recorder_end_samples(struct recorder *);

/* Samples of the bytes that flows hold at inputs: whether they are wanted, the pairs, and their
 * values at an instant (recorder-held.c). */
bool recorder_wants_held(const struct scenario *, const struct model *);
void recorder_find_pairs(struct recorder *);
void recorder_fill_held(struct recorder *, uint64_t *to);

/* Records a deadlock as soon as one has been found, but only once: a user may be watching the
 * file. */
void recorder_deadlock(struct recorder *);

#endif
