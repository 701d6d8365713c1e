/* The data of a run in a results file, except samples, limited to the amount that a page can show.
 *
 * There may be millions of flows and events. The first flows are kept, and statistics cover all.
 * The first events are kept, too. After them only deadlocks, links, storms and stalls are kept:
 * pauses and rates are also in the samples, and drops are counted. */

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
    const char *file;                 /* The name of the file, without folders. */
    char label[REP_NAME_BYTES];       /* Distinguishes the run from other runs of the file. */
    char scheme_name[REP_NAME_BYTES]; /* The label without the seed. */
    size_t scheme;                    /* Runs with the same number differ only by their seeds. */
    bool is_labelled;                 /* The user gave the label. */
    struct rec_rows tables[REC_N_TABLES]; /* Rows that a page shows. */
    struct rep_fct completions;
    struct rep_flow_waits waits;
    struct rep_events_summary troubles;
    struct rep_hotspots hotspots;
    uint64_t n_flows, n_events; /* The numbers of flows and events in the file. */
};

/* Reads only the tables that samples need: ports and series. */
bool rep_run_read_series(struct rep_run *, struct rec_file *, uint64_t id, struct err *);
bool rep_run_read(struct rep_run *, struct rec_file *, uint64_t id, struct err *);

/* Like rep_run_read(), for a caller that has the list of runs, in which each run is already named
 * by comparison with all others. */
bool rep_run_read_listed(struct rep_run *, struct rec_file *, const struct rep_listed *,
                         struct err *);
void rep_run_free(struct rep_run *);

static inline const struct rec_run *
rep_run_row(const struct rep_run *r)
{
    return rec_row(&r->tables[REC_RUN], REC_RUN, 0);
}

/* A row of a table; null: the run has no such row. */
static inline const void *
rep_run_at(const struct rep_run *r, enum rec_table_id t, uint64_t id)
{
    return rec_row_at(&r->tables[t], t, id);
}

/* Requests all series of a run between two times. */
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
