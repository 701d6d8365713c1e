/* Reads the parts of a run that a page shows. */

#include "report/gather.h"

#include <string.h>

static void
take_flow(void *arg, const void *row)
{
    struct rep_run *r = arg;

    rep_fct_add(&r->completions, row);
    if (++r->n_flows <= REP_MAX_FLOWS) {
        rec_rows_copy(&r->tables[REC_FLOW], REC_FLOW, row);
    }
}

/* Reads the first events of all kinds, then those that the picture of the network needs. Drops, of
 * which there may be millions, are only counted. */
static bool
read_events(struct rep_run *r, struct rec_file *file, uint64_t id, struct err *err)
{
    static const char is_needed[] = "kind IN ('deadlock', 'stuck', 'held', 'link-down', 'link-up', "
                                    "'storm', 'restored', 'stall', 'drain')";
    struct rec_rows *events = &r->tables[REC_EVENT];

    return rec_read_count(file, REC_EVENT, id, &r->n_events, err) &&
           rec_read(file, REC_EVENT, id, 0, REP_MAX_EVENTS, events, err) &&
           rec_read_if(file, REC_EVENT, id, is_needed, REP_MAX_EVENTS, REP_MAX_EVENTS, events,
                       err) &&
           rep_events_summary_read(&r->troubles, file, id, (uint32_t)r->tables[REC_PORT].n, err);
}

static bool
fail_missing(uint64_t id, struct err *err)
{
    return err_set(err, "there is no run %llu in this file", (unsigned long long)id);
}

/* Reads whole tables; the list ends with REC_N_TABLES. */
static bool
read_tables(struct rep_run *r, struct rec_file *file, uint64_t id, const enum rec_table_id *tables,
            struct err *err)
{
    bool good = true;

    for (; *tables != REC_N_TABLES && good; tables++) {
        good = rec_read_all(file, *tables, id, &r->tables[*tables], err);
    }
    return good;
}

bool
rep_run_read_series(struct rep_run *r, struct rec_file *file, uint64_t id, struct err *err)
{
    static const enum rec_table_id tables[] = { REC_PORT, REC_SERIES, REC_N_TABLES };
    struct rec_rows *run = &r->tables[REC_RUN];

    *r = (struct rep_run){ 0 };
    bool good = rec_read(file, REC_RUN, 0, id, 1, run, err) &&
                ((run->n && rep_run_row(r)->id == id) || fail_missing(id, err)) &&
                read_tables(r, file, id, tables, err);
    if (!good) {
        rep_run_free(r);
    }
    return good;
}

bool
rep_run_read_listed(struct rep_run *r, struct rec_file *file, const struct rep_listed *listed,
                    struct err *err)
{
    static const enum rec_table_id tables[] = { REC_PARAMETER, REC_ENGINE_PARAMETER, REC_NODE,
                                                REC_WORKLOAD,  REC_COUNTER,          REC_VIOLATION,
                                                REC_N_TABLES };
    uint64_t id = listed->row->id;

    if (!rep_run_read_series(r, file, id, err)) {
        return false;
    }
    r->completions.until_ps = rep_run_row(r)->facts.until_ps;
    bool good = read_tables(r, file, id, tables, err) &&
                rec_read_each(file, REC_FLOW, id, NULL, take_flow, r, err) &&
                rep_fct_finish(&r->completions, file, id, NULL, 0, err) &&
                read_events(r, file, id, err) &&
                rep_flow_waits_read(&r->waits, file, rep_run_row(r), err);
    if (!good) {
        rep_run_free(r);
        return false;
    }
    strcpy(r->label, listed->name);
    strcpy(r->scheme_name, listed->scheme_name);
    r->scheme = listed->scheme;
    r->is_labelled = listed->is_labelled;
    rep_fct_explain(&r->completions, &r->waits, &r->tables[REC_NODE], &r->tables[REC_PORT]);
    r->hotspots = rep_find_hotspots(&r->tables[REC_PORT], &r->tables[REC_COUNTER],
                                    rep_run_row(r)->facts.until_ps);
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
    bool good = listed ? rep_run_read_listed(r, file, listed, err) : fail_missing(id, err);
    rep_runs_free(&runs);
    return good;
}

void
rep_run_free(struct rep_run *r)
{
    rec_rows_free_all(r->tables);
    rep_flow_waits_free(&r->waits);
    rep_fct_free(&r->completions);
    rep_events_summary_free(&r->troubles);
    *r = (struct rep_run){ 0 };
}
