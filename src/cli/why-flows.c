/* The table of flows that had to wait. Users and programs get the same columns. */

#include <stdlib.h>

#include "base/array.h"
#include "cli/why.h"

/* The name as stored in the file. It need not be unique, because programs identify flows by their
 * ids. */
COLUMN_GET(
    why_flow, get_name, if (r->of->flow < r->job->flows.n) {
        const struct rec_flow *flow = rec_row(&r->job->flows, REC_FLOW, r->of->flow);
        cell_text(cell, flow->name);
    })

COLUMN_GET(why_flow, get_shown_name, char room[REP_FLOW_BYTES];
           weir_text_add(cell_made(cell), "%s",
                         rep_flow_name(&r->job->flow_names, r->of->flow, room)))

COLUMN_GET(why_flow, get_id, cell_number(cell, r->of->flow))

COLUMN_GET(
    why_flow, get_workload, const char *name = why_workload(r->job, r->of->flow);
    if (name) { cell_text(cell, name); })

/* Reads a time of a flow at the column's offset. Text shows only times above 0. */
static double
time_of(const struct why_flow *r, const struct column *c)
{
    return *(const double *)(const void *)((const char *)r->of + c->offset);
}

COLUMN_GET(
    why_flow, get_time, if (time_of(r, c) >= 0) { cell_real(cell, time_of(r, c)); })
COLUMN_GET(
    why_flow, get_shown_time, if (time_of(r, c) > 0) { cell_real(cell, time_of(r, c)); })

COLUMN_GET(
    why_flow, get_time_on_way, double ps = r->of->total_ps - r->of->sender_ps;
    if (ps > 0) { cell_real(cell, ps); })

COLUMN_GET(
    why_flow, get_victim_of,
    if (r->of->victim_of != WHY_NONE) { why_add_root(cell_made(cell), r->job, r->of->victim_of); })

COLUMN_GET(
    why_flow, get_victim_words, if (r->of->victim_of != WHY_NONE) {
        weir_text_add(cell_made(cell), "victim of ");
        why_add_root(cell_made(cell), r->job, r->of->victim_of);
        weir_text_add(cell_made(cell), " for ");
        why_add_time(cell_made(cell), r->of->victim_ps);
    })

static bool
has_reason(const struct why_flow *r)
{
    return r->of->reason.port != REC_NO_ID;
}

COLUMN_GET(
    why_flow, get_what, if (has_reason(r)) { cell_text(cell, rep_waits[r->of->reason.what].name); })

COLUMN_GET(
    why_flow, get_where, if (has_reason(r)) {
        rep_add_port(cell_made(cell), &r->job->names, r->of->reason.port, r->of->reason.cls);
    })

COLUMN_GET(
    why_flow, get_root, if (r->of->reason.root != WHY_NONE) {
        why_add_root(cell_made(cell), r->job, r->of->reason.root);
    })

COLUMN_GET(
    why_flow, get_reason_words, if (has_reason(r)) {
        rep_add_reason(cell_made(cell), &r->job->names, &r->job->waits, r->of);
        weir_text_add(cell_made(cell), ": ");
        why_add_time(cell_made(cell), r->of->reason.held_ps);
    })

#define FLOW_VALUE(KIND, NAME, MEMBER)                                                             \
    { NAME, COLUMN_##KIND, .get = get_time, .offset = offsetof(struct rep_blocked_flow, MEMBER) },
#define SHOWN_TIME(MEMBER)                                                                         \
    .kind = COLUMN_REAL_TIME, .get = get_shown_time, .unknown = "-",                               \
    .offset = offsetof(struct rep_blocked_flow, MEMBER)

const struct column why_flow_columns[] = {
    { "name", COLUMN_TEXT, .get = get_name },
    { "id", COLUMN_COUNT, .get = get_id },
    REP_FLOW_VALUES(FLOW_VALUE){ "victim_of", COLUMN_TEXT, .get = get_victim_of },
    { "mostly_by", COLUMN_TEXT, .get = get_what },
    { "mostly_at", COLUMN_TEXT, .get = get_where },
    FLOW_VALUE(REAL_TIME, "mostly_ps", reason.held_ps){ "root", COLUMN_TEXT, .get = get_root },
    { "workload", COLUMN_TEXT, .get = get_workload },
    /* Columns for users. A cause that blocked no flow has no column. */
    { .kind = COLUMN_TEXT, .get = get_shown_name, .head = "flow" },
    { .kind = COLUMN_TEXT, .get = get_workload, .head = "workload", .is_optional = true },
    { .kind = COLUMN_TEXT, .get = get_victim_words, .head = "victim", .is_optional = true },
    { .kind = COLUMN_TEXT, .get = get_reason_words, .head = "main cause of wait" },
    { SHOWN_TIME(sender_ps), .head = "at sender" },
    { .kind = COLUMN_REAL_TIME, .get = get_time_on_way, .head = "on the way", .unknown = "-" },
    { SHOWN_TIME(held_ps[REP_WAIT_PAUSE]), .head = "pause", .is_optional = true },
    { SHOWN_TIME(held_ps[REP_WAIT_CREDIT]), .head = "credit", .is_optional = true },
    { SHOWN_TIME(held_ps[REP_WAIT_RATE]), .head = "rate", .is_optional = true },
    { SHOWN_TIME(held_ps[REP_WAIT_CONTROL]), .head = "control", .is_optional = true },
    { SHOWN_TIME(held_ps[REP_WAIT_QUEUE]), .head = "queue", .is_optional = true },
    { 0 },
};

struct form_table
why_flows(const struct why_job *j, size_t n_of, struct why_flow **rows)
{
    size_t n = 0;

    *rows = array_new(n_of, sizeof **rows);
    for (size_t i = 0; i < n_of; i++) {
        const struct rep_blocked_flow *f = j->waits.worst[i];
        if (!j->only_victims || f->victim_of != WHY_NONE) {
            (*rows)[n++] = (struct why_flow){ j, f };
        }
    }
    return (struct form_table){ NULL, why_flow_columns, *rows, n, sizeof **rows };
}
