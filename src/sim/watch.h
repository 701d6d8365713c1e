/* The watch over a run: samples, deadlocks and captures between windows, while all threads wait. */

#ifndef SIM_WATCH_H
#define SIM_WATCH_H

#include "sim/flow-ends.h"
#include "sim/run-state.h"

struct sim_run_out {     /* Flows from rank to rank, when the run is about to end. */
    bool knows_flows;    /* Senders have reported which of them are measured. */
    uint32_t *stoppable; /* Reported flows that are not stopped yet but may be; */
    size_t n_stoppable, max_stoppable;
    uint32_t *awaited; /* flows reported to this rank, of which some packets have not come. */
    size_t n_awaited, max_awaited;
    uint32_t n_ended; /* Flows, the first ones, that are not waited for any more. */
};

/* State of the watch between windows. */
struct sim_watch {
    weir_ps interval_ps;
    weir_ps next_watch_ps, next_sample_ps;
    weir_ps next_end_ps; /* When the run may next be over before its time; WEIR_NEVER. */
    struct sim_run_out run_out;
    struct sim_note *notes; /* From all threads, in order, as last requested. */
    size_t n_notes, max_notes;
    struct sim_sojourn *sender_sojourns; /* [sender]; null: waits of packets are not recorded. */
    struct sim_flow_wait *waits;         /* From all nodes, in order, as last requested. */
    size_t n_waits, max_waits;
    struct sim_crossing *crossings; /* The same for crossings that are not reported yet. */
    size_t n_crossings, max_crossings;
    weir_ps capture_ps, next_capture_ps; /* Their reporting interval; WEIR_NEVER: not at all. */
    weir_ps middle_ps;                   /* 0: not there yet. */
    uint64_t n_samples;
    uint64_t *middle_bytes;       /* [sink]: received at the middle of the run. */
    struct sim_deadlock deadlock; /* The first, */
    struct sim_deadlock standing; /* and the last, unless a watchdog has broken it. */
};

static inline uint64_t *
sim_middle_bytes(const struct sim *sim, uint32_t flow)
{
    return &sim->watch->middle_bytes[sim_sink_slot(sim, flow)];
}

/* watch.c: between windows, while all threads wait. */
void sim_watch_between(struct sim *, weir_ps now); /* All events that are due by now; */
weir_ps sim_next_due(const struct sim *);          /* and when something next is. */
void sim_watch_end(struct sim *);
void sim_watch_here(struct sim *, weir_ps now); /* The same, but for deadlocks; */
void sim_watch_end_here(struct sim *);          /* and at the end. */
void sim_sample(struct sim *, weir_ps now);

/* silence.c: at every watch from the middle of the run on, and at the end. */
void sim_note_silence(struct sim *, weir_ps at);

/* deadlock.c: whether one has formed, and whether a watchdog has broken it. */
void sim_find_deadlock(struct sim *, weir_ps now);
void sim_check_if_broken(struct sim *);
void sim_deadlock_is_broken(struct sim *, weir_ps at);

/* note.c: the run has ended: pauses that expired without a later message of the peer get their end.
 */
void sim_end_spans(struct sim *);

/* capture.c: reports all that has crossed before 'now', when nothing earlier can come. */
void sim_report_crossings(struct sim *, weir_ps now);

/* Pack: all crossings of a node that is run alone, since the last time.  Unpack: hands them, or a
 * thread's, to the process that reports them. */
void sim_pack_crossings(struct sim *, struct sim_parcel *);
void sim_unpack_crossings(struct sim *, const void *bytes, size_t n_bytes);

/* run-out.c: between windows; 'now' is the next time at which something happens. */
void sim_end_if_run_out(struct sim *, weir_ps now);

#endif
