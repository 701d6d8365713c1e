/* `weir why`: functions that its parts share.  The verb is in why.c, sentences in why-show.c, JSON
 * and CSV in why-write.c. */

#ifndef CLI_WHY_H
#define CLI_WHY_H

#include "report/flow-waits.h"
#include "report/runs.h"
#include "report/series-name.h"

/* A run, the question about it, and the answer. */
struct why_job {
    const char *file; /* Its name. */
    const struct rep_listed *run;
    struct rec_rows nodes, ports, flows, workloads;
    struct rep_names names;
    struct rep_flow_names flow_names;
    struct rep_flow_waits suffering;
    const struct rep_sufferer *flow; /* The one that is asked about; null: all. */
    bool only_victims;
    weir_ps at_ps; /* The instant that is asked about; negative: none. */
};

/* Whether a flow is among those that are asked about. */
bool why_is_wanted(const struct why_job *, const struct rep_sufferer *);

/* The workload that has drawn a flow; null: the scenario lists it. */
const char *why_workload(const struct why_job *, uint32_t flow);

void why_add_slot(struct weir_text *, const struct why_job *, uint32_t slot);
void why_add_root(struct weir_text *, const struct why_job *, uint32_t root);

/* A time for people, to three digits. */
void why_add_time(struct weir_text *, double ps);

void why_show_all(const struct why_job *);
void why_show_flow(const struct why_job *);
void why_show_instant(const struct why_job *);

void why_write_json(const struct why_job *);
void why_write_csv(const struct why_job *);

#endif
