/* All that a results file has of a run, but its samples, as much of it as a page can show.
 *
 * There may be millions of flows and events.  The first flows are kept, and statistics cover all.
 * The first events are kept, too, and after them deadlocks, links, storms and stalls: pauses and
 * rates are in the samples as well, and drops are counted. */

#ifndef REPORT_GATHER_H
#define REPORT_GATHER_H

#include "record/reader.h"
#include "report/events-summary.h"
#include "report/fct-of-file.h"
#include "report/flow-waits.h"
#include "report/hotspots.h"
#include "report/runs.h"
#include "report/thin.h"

enum { REP_MAX_FLOWS = 20000, REP_MAX_EVENTS = 5000 };

struct rep_run {
    const char *file;                     /* Its name, without folders. */
    char label[REP_NAME_BYTES];           /* Distinguishes it from the other runs of the file. */
    char scheme_name[REP_NAME_BYTES];     /* The same without its seed. */
    size_t scheme;                        /* Runs of one number differ by seed alone. */
    bool is_labelled;                     /* The user gave the label. */
    struct rec_rows tables[REC_N_TABLES]; /* Rows that a page shows. */
    struct rep_fct completions;
    struct rep_flow_waits waits;
    struct rep_events_summary troubles;
    struct rep_hotspots hotspots;
    uint64_t n_flows, n_events; /* In the file. */
};

/* Only what samples need: ports and series. */
bool rep_run_read_series(struct rep_run *, struct rec_file *, uint64_t id, struct err *);
bool rep_run_read(struct rep_run *, struct rec_file *, uint64_t id, struct err *);

/* The same for a caller that has the list of runs, which names each by comparing it with all
 * others. */
bool rep_run_read_listed(struct rep_run *, struct rec_file *, const struct rep_listed *,
                         struct err *);
void rep_run_free(struct rep_run *);

static inline const struct rec_run *
rep_run_row(const struct rep_run *r)
{
    return rec_row(&r->tables[REC_RUN], REC_RUN, 0);
}

/* Null: the run has no such row. */
static inline const void *
rep_run_at(const struct rep_run *r, enum rec_table_id t, uint64_t id)
{
    return rec_row_at(&r->tables[t], t, id);
}

/* All series of a run between two times. */
static inline struct rep_want
rep_run_want(const struct rep_run *r, weir_ps from_ps, weir_ps to_ps)
{
    return (struct rep_want){ .run = rep_run_row(r)->id,
                              .series = &r->tables[REC_SERIES],
                              .from_ps = from_ps,
                              .to_ps = to_ps,
                              .max_rows = REP_MAX_ROWS };
}

#endif
