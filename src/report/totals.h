/* What a run came to, counted over all its flows and ports, however many a page shows.
 *
 * The numbers are those of `weir run --json`.  Counters are written at the end of a run: before it,
 * nobody knows what was dropped. */

#ifndef REPORT_TOTALS_H
#define REPORT_TOTALS_H

#include "answer/backpressure.h"
#include "answer/signals.h"
#include "base/json.h"
#include "record/reader.h"

/* Why packets did not arrive. */
enum rep_cause {
    REP_NO_ROOM, /* On arrival, */
    REP_OUTPUT,  /* and behind a pipeline. */
    REP_MEMORY,  /* A lab had none to hold them. */
    REP_WATCHDOG,
    REP_FLUSHED, /* At a port whose link was down. */
    REP_NO_ROUTE,
    REP_EXPIRED,
    REP_LOST,
    REP_N_CAUSES,
};

/* Why completion times leave a flow out. */
enum rep_aside { REP_WARM_UP, REP_ENDLESS, REP_STOPPED, REP_NOT_STARTED, REP_N_ASIDES };

struct rep_totals {
    bool is_open; /* The run has not come to its end: which flows sent and finished is not known. */
    uint64_t n_flows, sent_bytes, again_bytes, received_bytes; /* Of all. */
    uint64_t n_measured, n_finished;        /* Flows that completion times are of. */
    uint64_t n_aside[REP_N_ASIDES];         /* All others. */
    uint64_t n_unfinished;                  /* Those whose goodput in the second half is known, */
    uint64_t least_late_bps, most_late_bps; /* and that goodput. */
    bool is_counted;
    uint64_t n_gone[REP_N_CAUSES]; /* Packets. */
    struct signal_counts signals;
    struct backpressure backpressure;

    /* Queues, flows and hosts that made no progress in the last tenth of the run although they had
     * work; and when the first host fell silent. */
    uint64_t n_silent_queues, n_silent_flows, n_silent_hosts;
    weir_ps silent_since_ps;

    /* Where engines send messages about congestion: those that switches sent, and those that the
     * senders of flows heard. */
    bool has_messages;
    uint64_t n_messages_sent, n_messages_heard;

    /* Of a lab: tau of the switch that keeps least of what its thresholds were derived for, if it
     * was measured anywhere, and as it was estimated; all 0: there is none. */
    struct rep_tau {
        uint64_t most_ps, derived_ps;
    } tau_measured, tau_estimated;
    uint64_t tau_derived_ps; /* Of the switch that is being read. */
};

/* What was measured, or else what was estimated; all 0: neither is known. */
const struct rep_tau *rep_totals_tau(const struct rep_totals *);

/* "dropped for lack of buffer space" */
const char *rep_cause_words(enum rep_cause);

/* "started in the warm-up" */
const char *rep_aside_words(enum rep_aside);

void rep_totals_add_flow(struct rep_totals *, const struct rec_flow *);
void rep_totals_add_counter(struct rep_totals *, const struct rec_counter *);

/* Names the link that was paused the longest; without ports and nodes it has no name. */
void rep_totals_name_link(struct rep_totals *, const struct rec_rows *nodes,
                          const struct rec_rows *ports);

/* All of this for all rows of a run. */
bool rep_totals_read(struct rep_totals *, struct rec_file *, uint64_t run, struct err *);

/* {"flows": 5, "measured": 3, "finished": 1, "aside": [{"why": "warm-up", "words": ..., "flows":
 * 2},
 * ...], ..., "not_arrived": [{"cause": "watchdog", "words": ..., "packets": 4}]} */
void rep_totals_write(struct json *, const char *key, const struct rep_totals *);

#endif
