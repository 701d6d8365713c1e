/* Fills rows of flows for results files with their state in the simulator. */

#include "run/flow-row.h"

#include <stdio.h>

/* The path of a flow; null if each packet may take another path. */
static const char *
flow_path(const struct outcome *o, size_t flow, char room[FLOW_PATH_BYTES])
{
    uint32_t ports[SIM_MAX_PATH];
    uint32_t n = sim_flow_path(o->sim, (uint32_t)flow, ports);
    size_t len = 0;

    for (uint32_t i = 0; i < n; i++) {
        len += (size_t)snprintf(room + len, FLOW_PATH_BYTES - len, i ? " %u" : "%u", ports[i]);
    }
    return n ? room : NULL;
}

struct rec_flow
flow_row(const struct outcome *o, size_t i, struct flow_texts *room)
{
    const struct scn_flow f = scn_flow_at(&o->s, i);
    struct rec_flow row;

    columns_clear(rec_tables[REC_FLOW].columns, columns_count(rec_tables[REC_FLOW].columns), &row);
    row.id = i;
    row.name = scn_flow_name(&o->s, i, room->name);
    row.from = f.from;
    row.to = f.to;
    row.cls = (uint32_t)f.cls;
    row.bytes = model_is_finite(f.bytes) ? f.bytes : REC_NONE;
    row.start_ps = (weir_ps)f.start_ps;
    row.path = o->s.record.flows ? flow_path(o, i, room->path) : NULL;
    row.dport = f.dport == UINT64_MAX ? REC_NO_ID : (uint32_t)f.dport;
    row.workload = f.group;
    row.is_connection = f.bytes == MODEL_MESSAGES;
    row.header_bytes = f.header_bytes;
    return row;
}

struct rec_flow
flow_row_at_end(const struct outcome *o, uint32_t i, struct flow_texts *room)
{
    struct sim_flow_result r = sim_flow_result(o->sim, i);
    const struct scn_flow f = scn_flow_at(&o->s, i);
    struct rec_flow row = flow_row(o, i, room);
    bool has_started = r.started_ps >= 0, has_finished = r.received_bytes == f.bytes;

    row.ideal_ps = model_is_finite(f.bytes) ? sim_flow_ideal_ps(o->sim, i) : -1;
    row.start_ps = has_started ? r.started_ps
                               : row.start_ps; /* A flow may have started later than scheduled. */
    row.first_ps = r.first_ps;
    row.last_ps = r.last_ps;
    row.finished_ps = has_finished ? r.last_ps : -1;
    row.fct_ps = has_finished ? r.last_ps - r.started_ps : -1;
    row.slowdown = has_finished ? outcome_flow_slowdown(o, i) : -1;
    row.stopped_ps = sim_flow_is_stopped(o->sim, i) ? (weir_ps)f.stop_ps : -1;
    row.sent_bytes = r.sent_bytes;
    row.retransmitted_bytes = r.retransmitted_bytes;
    row.received_bytes = r.received_bytes;
    row.n_packets = r.n_received;
    row.goodput_bps = has_started ? outcome_flow_bps(o, i) : REC_NONE;
    row.late_goodput_bps = has_started ? sim_flow_late_bps(o->sim, i) : REC_NONE;
    row.is_warm_up =
        has_started && f.bytes != MODEL_MESSAGES ? !outcome_flow_is_measured(o, i) : REC_NONE;
    return row;
}
