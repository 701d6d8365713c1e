/* Reads all that a page shows of a run. */

#include "report/gather.h"

#include <string.h>

static void
take_flow(void *arg, const void *row)
{
    struct rep_run *r = arg;

    rep_fct_add(&r->completions, row);
    if (++r->n_flows <= REP_MAX_FLOWS) {
        rec_rows_copy(&r->flows, REC_FLOW, row);
    }
}

/* The first of all kinds, then those that a picture cannot do without; of drops, which may be
 * millions, how many there were. */
static bool
read_events(struct rep_run *r, struct rec_file *file, uint64_t id, struct err *err)
{
    static const char is_needed[] = "kind IN ('deadlock', 'stuck', 'held', 'link-down', 'link-up', "
                                    "'storm', 'restored', 'stall', 'drain')";

    return rec_read_count(file, REC_EVENT, id, &r->n_events, err) &&
           rec_read(file, REC_EVENT, id, 0, REP_MAX_EVENTS, &r->events, err) &&
           rec_read_if(file, REC_EVENT, id, is_needed, REP_MAX_EVENTS, REP_MAX_EVENTS, &r->events,
                       err) &&
           rep_events_summary_read(&r->troubles, file, id, (uint32_t)r->ports.n, err);
}

static bool
say_missing(uint64_t id, struct err *err)
{
    return err_set(err, "there is no run %llu in this file", (unsigned long long)id);
}

static bool
read_run_row(struct rep_run *r, struct rec_file *file, uint64_t id, struct err *err)
{
    return rec_read(file, REC_RUN, 0, id, 1, &r->run, err) &&
           ((r->run.n && rep_run_row(r)->id == id) || say_missing(id, err));
}

bool
rep_run_read_series(struct rep_run *r, struct rec_file *file, uint64_t id, struct err *err)
{
    *r = (struct rep_run){ 0 };
    bool good = read_run_row(r, file, id, err) &&
                rec_read_all(file, REC_PORT, id, &r->ports, err) &&
                rec_read_all(file, REC_SERIES, id, &r->series, err);
    if (!good) {
        rep_run_free(r);
    }
    return good;
}

bool
rep_run_read_listed(struct rep_run *r, struct rec_file *file, const struct rep_listed *listed,
                    struct err *err)
{
    uint64_t id = listed->row->id;

    if (!rep_run_read_series(r, file, id, err)) {
        return false;
    }
    rep_fct_begin(&r->completions, rep_run_row(r));
    bool good = rec_read_all(file, REC_PARAMETER, id, &r->parameters, err) &&
                rec_read_all(file, REC_ENGINE_PARAMETER, id, &r->engine_parameters, err) &&
                rec_read_all(file, REC_NODE, id, &r->nodes, err) &&
                rec_read_all(file, REC_WORKLOAD, id, &r->workloads, err) &&
                rec_read_all(file, REC_COUNTER, id, &r->counters, err) &&
                rec_read_all(file, REC_VIOLATION, id, &r->violations, err) &&
                rec_read_each(file, REC_FLOW, id, take_flow, r, err) &&
                rep_fct_finish(&r->completions, file, id, NULL, 0, err) &&
                read_events(r, file, id, err) && rep_flow_waits_read(&r->waits, file, id, err);
    if (!good) {
        rep_run_free(r);
        return false;
    }
    strcpy(r->label, listed->name);
    rep_fct_explain(&r->completions, &r->waits, &r->nodes, &r->ports);
    r->hotspots = rep_find_hotspots(&r->ports, &r->counters, rep_run_row(r)->facts.until_ps);
    return true;
}

bool
rep_run_read(struct rep_run *r, struct rec_file *file, uint64_t id, struct err *err)
{
    struct rep_runs runs;

    if (!rep_runs_read(&runs, file, err)) {
        return false;
    }
    const struct rep_listed *listed = rep_runs_find(&runs, id);
    bool good = listed ? rep_run_read_listed(r, file, listed, err) : say_missing(id, err);
    rep_runs_free(&runs);
    return good;
}

void
rep_run_free(struct rep_run *r)
{
    rec_rows_free(&r->run, REC_RUN);
    rec_rows_free(&r->parameters, REC_PARAMETER);
    rec_rows_free(&r->engine_parameters, REC_ENGINE_PARAMETER);
    rec_rows_free(&r->nodes, REC_NODE);
    rec_rows_free(&r->ports, REC_PORT);
    rec_rows_free(&r->flows, REC_FLOW);
    rec_rows_free(&r->workloads, REC_WORKLOAD);
    rec_rows_free(&r->counters, REC_COUNTER);
    rec_rows_free(&r->events, REC_EVENT);
    rec_rows_free(&r->violations, REC_VIOLATION);
    rec_rows_free(&r->series, REC_SERIES);
    rep_flow_waits_free(&r->waits);
    rep_fct_free(&r->completions);
    rep_events_summary_free(&r->troubles);
    *r = (struct rep_run){ 0 };
}
