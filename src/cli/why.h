/* `weir why`: functions that its parts have in common. The verb is in why.c, flows in why-flows.c,
 * sentences in why-show.c, JSON and CSV in why-write.c. */

#ifndef CLI_WHY_H
#define CLI_WHY_H

#include "output/form-table.h"
#include "report/flow-waits.h"
#include "report/runs.h"
#include "report/series-name.h"

/* A recorded run with its waits, and the request of the user. */
struct why_job {
    const char *file; /* The name of the results file. */
    const struct rep_listed *run;
    struct rec_rows nodes, ports, flows, workloads;
    struct rep_names names;
    struct rep_flow_names flow_names;
    struct rep_flow_waits waits;
    const struct rep_blocked_flow *flow; /* The requested flow; null: all flows. */
    bool only_victims;
    weir_ps at_ps; /* The requested instant; negative: the whole run. */
};

/* A row of the table of flows (why-flows.c). */
struct why_flow {
    const struct why_job *job;
    const struct rep_blocked_flow *of;
};

extern const struct column why_flow_columns[];

/* A table of the requested flows among the 'n' with the longest waits; the caller frees the
 * rows. */
struct form_table why_flows(const struct why_job *, size_t n, struct why_flow **rows);

/* The workload that generated a flow; null: the scenario lists the flow. */
const char *why_workload(const struct why_job *, uint32_t flow);

void why_add_slot(struct weir_text *, const struct why_job *, uint32_t slot);
void why_add_root(struct weir_text *, const struct why_job *, uint32_t root);

/* Adds a time with three digits. */
void why_add_time(struct weir_text *, double ps);

void why_show_all(const struct why_job *);
void why_show_flow(const struct why_job *);
void why_show_instant(const struct why_job *);

void why_write_json(const struct why_job *);
void why_write_csv(const struct why_job *);

#endif
