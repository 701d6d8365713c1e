/* Problems of a run by kind, counted over all events, including those that a page leaves out: their
 * number, first and last time, port with most of them, and number over time.
 *
 *     struct rep_events_summary h;
 *     if (!rep_events_summary_read(&h, file, run, n_ports, &err)) ...
 *     rep_events_summary_write(&json, "troubles", &h);
 *     rep_events_summary_free(&h);
 *
 * Over time they are counted in bins of equal width.  The length of the run need not be known in
 * advance: when an event is after the last bin, bins are merged in pairs. */

#ifndef REPORT_EVENTS_SUMMARY_H
#define REPORT_EVENTS_SUMMARY_H

#include "base/json.h"
#include "record/reader.h"

enum { REP_N_BINS = 512, REP_N_KINDS = 10 };

struct rep_event_counts {
    uint64_t n;
    weir_ps first_ps, last_ps;
    uint64_t *n_at; /* [port] */
    weir_ps bin_ps;
    uint64_t bins[REP_N_BINS];
};

struct rep_events_summary {
    uint32_t n_ports;
    struct rep_event_counts of[REP_N_KINDS];
};

bool rep_events_summary_read(struct rep_events_summary *, struct rec_file *, uint64_t run,
                             uint32_t n_ports, struct err *);
void rep_events_summary_free(struct rep_events_summary *);

/* Writes the kinds of problems that occurred as a list at a key:
 *
 *     [{"kind": "drop", "n": 15, "first_ps": 5, "last_ps": 9, "n_ports": 2, "port": 4,
 *       "n_there": 14, "bin_ps": 1, "bins": [0, ...]}, ...]
 *
 * 'port' is the port with most of them, and 'n_there' their number there; both are left out if no
 * event has a port. */
void rep_events_summary_write(struct json *, const char *key, const struct rep_events_summary *);

#endif
