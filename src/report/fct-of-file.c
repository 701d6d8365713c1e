/* Reads flow completion times from a results file. */

#include "report/fct-of-file.h"

#include <stdlib.h>

#include "base/array.h"
#include "base/text.h"

void
rep_fct_add(void *completions, const void *flow)
{
    struct rep_fct *c = completions;
    const struct rec_flow *f = flow;
    bool has_ended = f->finished_ps >= 0;
    weir_ps taken_ps = (has_ended ? f->finished_ps : c->until_ps) - f->start_ps;

    if (f->bytes != REC_NONE) {
        completion_add_end(&c->flows, f->workload, f->finished_ps);
    }
    if (f->is_warm_up != 0 || f->bytes == REC_NONE || f->stopped_ps >= 0 || taken_ps < 0) {
        return;
    }
    completion_add(&c->flows,
                   &(struct completion_flow){ .id = f->id,
                                              .bytes = f->bytes,
                                              .workload = f->workload & INT32_MAX,
                                              .has_ended = has_ended,
                                              .taken_ps = taken_ps,
                                              .ideal_ps = f->ideal_ps },
                   (struct completion_sent){
                       .bytes = f->sent_bytes == REC_NONE ? 0 : f->sent_bytes,
                       .retransmitted_bytes =
                           f->retransmitted_bytes == REC_NONE ? 0 : f->retransmitted_bytes });
}

/* Fills the table. Workloads are numbered by the ids of their rows, the first of which stands for
 * all flows. */
static void
fill_table(struct rep_fct *c, const uint64_t *edges, size_t n_edges)
{
    size_t n_rows = c->workloads.n < REC_WORKLOADS_OF_RUN ? c->workloads.n : REC_WORKLOADS_OF_RUN;
    size_t n = n_rows ? n_rows - 1 : 0;
    const char **names = array_new(n, sizeof *names);

    for (size_t i = 0; i < n; i++) {
        const struct rec_workload *row = rec_row(&c->workloads, REC_WORKLOAD, i + 1);
        names[i] = row->name;
        completion_add_job_facts(&c->flows, (uint32_t)i + 1, &row->facts);
    }
    completion_table_fill(&c->table, &c->flows, names, n, edges, n_edges);
    free(names);
}

static bool
name_worst(struct rep_fct *c, struct rec_file *file, uint64_t run, struct err *err)
{
    bool good = true;

    for (size_t i = 0; i < c->table.n_worst && good; i++) {
        good = rec_read(file, REC_FLOW, run, c->table.worst[i].flow, 1, &c->worst, err);
    }
    for (size_t i = 0; i < c->worst.n && good; i++) {
        c->table.worst[i].name = ((const struct rec_flow *)rec_row(&c->worst, REC_FLOW, i))->name;
    }
    return good;
}

bool
rep_fct_finish(struct rep_fct *c, struct rec_file *file, uint64_t run, const uint64_t *edges,
               size_t n_edges, struct err *err)
{
    if (!rec_read_all(file, REC_WORKLOAD, run, &c->workloads, err)) {
        return false;
    }
    fill_table(c, edges, n_edges);
    return name_worst(c, file, run, err);
}

void
rep_fct_explain(struct rep_fct *c, const struct rep_flow_waits *s, const struct rec_rows *nodes,
                const struct rec_rows *ports)
{
    if (!s->is_recorded) {
        return;
    }
    struct rep_names names = { rep_port_names_of(nodes, ports), s->why->n_classes };
    for (size_t i = 0; i < c->table.n_worst; i++) {
        const struct rep_blocked_flow *flow = rep_blocked_flow_of(s, c->table.worst[i].flow);
        struct weir_text text = { 0 };
        if (flow) {
            rep_add_reason(&text, &names, s, flow);
        }
        if (text.len) {
            c->table.worst[i].why = c->why[i] = text_repaired(text.s, text.len);
        }
    }
    rep_port_names_free(&names.ports);
}

/* Reads the waits of the worst flows. Without such flows it does nothing, because reading all
 * events takes time. */
static bool
read_why(struct rep_fct *c, struct rec_file *file, const struct rec_run *run, struct err *err)
{
    struct rec_rows nodes = { 0 }, ports = { 0 };
    struct rep_flow_waits s = { 0 };
    bool good = !c->table.n_worst || (rep_flow_waits_read(&s, file, run, err) &&
                                      rec_read_all(file, REC_NODE, run->id, &nodes, err) &&
                                      rec_read_all(file, REC_PORT, run->id, &ports, err));

    if (good) {
        rep_fct_explain(c, &s, &nodes, &ports);
    }
    rec_rows_free(&nodes, REC_NODE);
    rec_rows_free(&ports, REC_PORT);
    rep_flow_waits_free(&s);
    return good;
}

bool
rep_fct_read(struct rep_fct *c, struct rec_file *file, const struct rec_run *run,
             const uint64_t *edges, size_t n_edges, struct err *err)
{
    *c = (struct rep_fct){ .until_ps = run->facts.until_ps };
    bool good = rec_read_each(file, REC_FLOW, run->id, NULL, rep_fct_add, c, err) &&
                rep_fct_finish(c, file, run->id, edges, n_edges, err) &&
                read_why(c, file, run, err);
    if (!good) {
        rep_fct_free(c);
    }
    return good;
}

void
rep_fct_free(struct rep_fct *c)
{
    for (size_t i = 0; i < COMPLETION_MAX_WORST; i++) {
        free(c->why[i]);
    }
    completion_table_free(&c->table);
    completion_free(&c->flows);
    rec_rows_free(&c->workloads, REC_WORKLOAD);
    rec_rows_free(&c->worst, REC_FLOW);
    *c = (struct rep_fct){ 0 };
}
