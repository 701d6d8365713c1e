/* Work between windows, while all threads wait: samples, deadlock detection and captures. */

#ifndef SIM_WATCH_H
#define SIM_WATCH_H

#include "sim/flow-ends.h"
#include "sim/run-state.h"

struct sim_run_out {     /* Flows between ranks, for the decision whether the run can end. */
    bool knows_flows;    /* Senders have reported which flows are measured. */
    uint32_t *stoppable; /* Reported flows that may still be stopped. */
    size_t n_stoppable, max_stoppable;
    uint32_t *awaited; /* Flows reported to this rank that have not received all packets. */
    size_t n_awaited, max_awaited;
    uint32_t n_ended; /* The number of flows, from the first on, for which the run no longer
                       * waits. */
};

/* State of the watch between windows. */
struct sim_watch {
    weir_ps interval_ps;
    weir_ps next_watch_ps, next_sample_ps;
    weir_ps next_end_ps; /* The next time at which the run may end early; or WEIR_NEVER. */
    struct sim_run_out run_out;
    struct sim_note *notes; /* The notes of all threads, sorted, as last requested. */
    size_t n_notes, max_notes;
    struct sim_sojourn *sender_sojourns; /* [sender]; null: waits of packets are not recorded. */
    struct sim_flow_wait *waits;         /* The waits of all nodes, sorted, as last requested. */
    size_t n_waits, max_waits;
    struct sim_crossing *crossings; /* Captured packets that are not reported yet. */
    size_t n_crossings, max_crossings;
    weir_ps capture_ps, next_capture_ps; /* The interval at which captured packets are reported;
                                          * WEIR_NEVER: no port is captured. */
    weir_ps middle_ps;                   /* The time of the middle of the run; 0: it is not reached
                                          * yet. */
    uint64_t n_samples;
    uint64_t *middle_bytes;       /* [sink]: bytes received by the middle of the run. */
    struct sim_deadlock deadlock; /* The first deadlock. */
    struct sim_deadlock standing; /* The last deadlock, unless a watchdog has broken it. */
};

static inline uint64_t *
sim_middle_bytes(const struct sim *sim, uint32_t flow)
{
    return &sim->watch->middle_bytes[sim_sink_slot(sim, flow)];
}

/* watch.c: between windows, while all threads wait. */
void sim_watch_between(struct sim *, weir_ps now); /* Does all work that is due by now. */
weir_ps sim_next_due(const struct sim *);          /* The time at which work is due next. */
void sim_watch_end(struct sim *);
void sim_watch_here(struct sim *, weir_ps now); /* Does the work that is due, without deadlock
                                                 * detection. */
void sim_watch_end_here(struct sim *); /* Does the work at the end, without deadlock detection. */
void sim_sample(struct sim *, weir_ps now);

/* silence.c: called at every check from the middle of the run on, and at the end. */
void sim_note_silence(struct sim *, weir_ps at);

/* deadlock.c: looks for a deadlock, and checks whether a watchdog has broken it. */
void sim_find_deadlock(struct sim *, weir_ps now);
void sim_check_if_broken(struct sim *);
void sim_deadlock_is_broken(struct sim *, weir_ps at);

/* note.c: called at the end of the run; ends pauses that expired without a later message of the
 * peer. */
void sim_end_spans(struct sim *);

/* capture.c: reports all captured packets before 'now', when no earlier ones can follow. */
void sim_report_crossings(struct sim *, weir_ps now);

/* The first function packs all captured packets of a node that is run alone since the last call.
 * The second unpacks them in the process that reports them. */
void sim_pack_crossings(struct sim *, struct sim_parcel *);
void sim_unpack_crossings(struct sim *, const void *bytes, size_t n_bytes);

/* run-out.c: called between windows; 'now' is the time of the next event. */
void sim_end_if_run_out(struct sim *, weir_ps now);

#endif
