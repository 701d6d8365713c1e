/* Writes which flows had to wait, and for what: JSON and CSV of the same columns. */

#include <stdio.h>
#include <stdlib.h>

#include "base/columns.h"
#include "base/json.h"
#include "cli/why.h"

#define N(ARRAY) (sizeof(ARRAY) / sizeof *(ARRAY))

enum { LINES = 3 };

static const double none = -1;

/* "S1 to H2", or none. */
static const char *
port_text(struct weir_text *t, const struct why_job *j, uint32_t port, uint32_t cls)
{
    if (port == REC_NO_ID) {
        return NULL;
    }
    rep_add_port(t, &j->names, port, cls);
    return t->s;
}

/* The name in the file: programs distinguish flows by their ids. */
static const char *
flow_text(const struct why_job *j, uint32_t flow)
{
    return flow < j->flows.n ? ((const struct rec_flow *)rec_row(&j->flows, REC_FLOW, flow))->name
                             : NULL;
}

static const char *
root_text(struct weir_text *t, const struct why_job *j, uint32_t root)
{
    if (root == WHY_NONE) {
        return NULL;
    }
    why_add_root(t, j, root);
    return t->s;
}

/* Each of these is a row of one of the tables. */

#define PARTS(TYPE)                                                                                \
    { "pause_ps", COLUMN_REAL_TIME, .offset = offsetof(TYPE, held_ps[REP_WAIT_PAUSE]) },           \
        { "credit_ps", COLUMN_REAL_TIME, .offset = offsetof(TYPE, held_ps[REP_WAIT_CREDIT]) },     \
        { "rate_ps", COLUMN_REAL_TIME, .offset = offsetof(TYPE, held_ps[REP_WAIT_RATE]) },         \
        { "control_ps", COLUMN_REAL_TIME, .offset = offsetof(TYPE, held_ps[REP_WAIT_CONTROL]) },   \
    {                                                                                              \
        "queue_ps", COLUMN_REAL_TIME, .offset = offsetof(TYPE, held_ps[REP_WAIT_QUEUE])            \
    }

struct flow_row {
    const char *flow, *what, *port, *root, *victim_of, *workload;
    uint64_t id;
    double total_ps, sender_ps, held_ps[REP_N_WAITS], victim_ps, mostly_ps;
};

static const struct column flow_columns[] = {
    { "name", COLUMN_TEXT, .offset = offsetof(struct flow_row, flow) },
    { "id", COLUMN_COUNT, .offset = offsetof(struct flow_row, id) },
    { "held_back_ps", COLUMN_REAL_TIME, .offset = offsetof(struct flow_row, total_ps) },
    { "at_sender_ps", COLUMN_REAL_TIME, .offset = offsetof(struct flow_row, sender_ps) },
    PARTS(struct flow_row),
    { "as_victim_ps", COLUMN_REAL_TIME, .offset = offsetof(struct flow_row, victim_ps) },
    { "victim_of", COLUMN_TEXT, .offset = offsetof(struct flow_row, victim_of) },
    { "mostly_by", COLUMN_TEXT, .offset = offsetof(struct flow_row, what) },
    { "mostly_at", COLUMN_TEXT, .offset = offsetof(struct flow_row, port) },
    { "mostly_ps", COLUMN_REAL_TIME, .offset = offsetof(struct flow_row, mostly_ps) },
    { "root", COLUMN_TEXT, .offset = offsetof(struct flow_row, root) },
    { "workload", COLUMN_TEXT, .offset = offsetof(struct flow_row, workload) },
};

struct hop_row {
    const char *port, *root;
    uint64_t n_packets;
    double first_ps, last_ps, held_ps[REP_N_WAITS], root_ps;
};

static const struct column hop_columns[] = {
    { "port", COLUMN_TEXT, .offset = offsetof(struct hop_row, port) },
    { "packets", COLUMN_COUNT, .offset = offsetof(struct hop_row, n_packets) },
    { "first_ps", COLUMN_REAL_TIME, .offset = offsetof(struct hop_row, first_ps) },
    { "last_ps", COLUMN_REAL_TIME, .offset = offsetof(struct hop_row, last_ps) },
    PARTS(struct hop_row),
    { "worst_root", COLUMN_TEXT, .offset = offsetof(struct hop_row, root) },
    { "worst_root_ps", COLUMN_REAL_TIME, .offset = offsetof(struct hop_row, root_ps) },
};

struct root_row {
    const char *root, *end, *chain;
    uint64_t n_flows, n_victims, depth;
    double paused_ps, held_ps;
};

static const struct column root_columns[] = {
    { "root", COLUMN_TEXT, .offset = offsetof(struct root_row, root) },
    { "end", COLUMN_TEXT, .offset = offsetof(struct root_row, end) },
    { "paused_ps", COLUMN_REAL_TIME, .offset = offsetof(struct root_row, paused_ps) },
    { "held_back_ps", COLUMN_REAL_TIME, .offset = offsetof(struct root_row, held_ps) },
    { "flows", COLUMN_COUNT, .offset = offsetof(struct root_row, n_flows) },
    { "victims", COLUMN_COUNT, .offset = offsetof(struct root_row, n_victims) },
    { "chain_ports", COLUMN_COUNT, .offset = offsetof(struct root_row, depth) },
    { "chain", COLUMN_TEXT, .offset = offsetof(struct root_row, chain) },
};

struct pause_row {
    const char *port, *next;
    double from_ps, to_ps;
};

static const struct column pause_columns[] = {
    { "port", COLUMN_TEXT, .offset = offsetof(struct pause_row, port) },
    { "from_ps", COLUMN_REAL_TIME, .offset = offsetof(struct pause_row, from_ps) },
    { "to_ps", COLUMN_REAL_TIME, .offset = offsetof(struct pause_row, to_ps) },
    { "waits_for", COLUMN_TEXT, .offset = offsetof(struct pause_row, next) },
};

/* Where rows go. */
struct sink {
    struct json *json; /* Null: as CSV. */
};

static void
begin(const struct sink *s, const char *key, const struct column *columns, size_t n)
{
    if (s->json) {
        json_open(s->json, key, '[');
    } else {
        columns_write_names(stdout, columns, n);
        printf("\n");
    }
}

static void
put(const struct sink *s, const struct column *columns, size_t n, const void *row)
{
    if (s->json) {
        json_open(s->json, NULL, '{');
        columns_write_json(s->json, columns, n, row);
        json_close(s->json, '}');
    } else {
        columns_write_cells(stdout, columns, n, row);
        printf("\n");
    }
}

static void
end(const struct sink *s)
{
    if (s->json) {
        json_close(s->json, ']');
    }
}

static void
copy_parts(double to[REP_N_WAITS], const double from[REP_N_WAITS])
{
    for (enum rep_wait what = 0; what < REP_N_WAITS; what++) {
        to[what] = from[what];
    }
}

static void
put_flow(const struct sink *s, const struct why_job *j, const struct rep_sufferer *f)
{
    struct weir_text port = { 0 }, root = { 0 }, victim_of = { 0 };
    struct flow_row row = { .flow = flow_text(j, f->flow),
                            .id = f->flow,
                            .total_ps = f->total_ps,
                            .sender_ps = f->sender_ps,
                            .mostly_ps = f->reason.held_ps,
                            .workload = why_workload(j, f->flow),
                            .victim_ps = f->victim_ps,
                            .port = port_text(&port, j, f->reason.port, f->reason.cls),
                            .root = root_text(&root, j, f->reason.root),
                            .victim_of = root_text(&victim_of, j, f->victim_of) };

    row.what = row.port ? rep_waits[f->reason.what].name : NULL;
    copy_parts(row.held_ps, f->held_ps);
    put(s, flow_columns, N(flow_columns), &row);
}

static void
put_flows(const struct sink *s, const struct why_job *j)
{
    begin(s, "flows", flow_columns, N(flow_columns));
    for (size_t i = 0; i < j->suffering.n_flows; i++) {
        if (why_is_wanted(j, j->suffering.worst[i])) {
            put_flow(s, j, j->suffering.worst[i]);
        }
    }
    end(s);
}

static void
put_hop(const struct sink *s, const struct why_job *j, const struct rep_hop *hop)
{
    const struct rep_share *worst = rep_worst_share(&j->suffering, hop);
    struct weir_text port = { 0 }, root = { 0 };
    struct hop_row row = { .port = port_text(&port, j, hop->port, hop->cls),
                           .root = worst ? root_text(&root, j, worst->root) : NULL,
                           .root_ps = worst ? worst->held_ps : none,
                           .n_packets = hop->n_packets,
                           .first_ps = (double)hop->first_ps,
                           .last_ps = (double)hop->last_ps };

    copy_parts(row.held_ps, hop->held_ps);
    put(s, hop_columns, N(hop_columns), &row);
}

static void
put_hops(const struct sink *s, const struct why_job *j)
{
    begin(s, "hops", hop_columns, N(hop_columns));
    for (size_t i = 0; i < j->flow->n_hops; i++) {
        put_hop(s, j, &j->suffering.hops[j->flow->first_hop + i]);
    }
    end(s);
}

/* Its longest chain, from the port that is paused to the root. */
static void
add_chain(struct weir_text *t, const struct why_job *j, const struct why_root *r)
{
    struct why_chain chain = { 0 };

    why_chain_at(j->suffering.why, r->deepest_slot, r->deepest_ps, &chain);
    for (size_t i = 0; i < chain.n; i++) {
        weir_text_add(t, "%s", i ? ", " : "");
        why_add_slot(t, j, chain.slots[i]);
    }
    free(chain.slots);
}

static void
put_root(const struct sink *s, const struct why_job *j, const struct rep_fault *f)
{
    const struct why_root *r = &j->suffering.why->roots[f->root];
    struct weir_text root = { 0 }, chain = { 0 };

    add_chain(&chain, j, r);
    put(s, root_columns, N(root_columns),
        &(struct root_row){ .root = root_text(&root, j, f->root),
                            .end = why_end_name(r->end),
                            .paused_ps = (double)r->paused_ps,
                            .held_ps = f->held_ps,
                            .n_flows = f->n_flows,
                            .n_victims =
                                j->suffering.knows_victims ? f->n_victims : COLUMN_NO_COUNT,
                            .depth = r->depth,
                            .chain = chain.s });
}

static void
put_roots(const struct sink *s, const struct why_job *j)
{
    begin(s, "roots", root_columns, N(root_columns));
    for (size_t i = 0; i < j->suffering.n_faults; i++) {
        put_root(s, j, &j->suffering.faults[i]);
    }
    end(s);
}

static void
put_pauses(const struct sink *s, const struct why_job *j)
{
    struct why_forest forest = { 0 };

    why_forest_at(j->suffering.why, j->at_ps, &forest);
    begin(s, "pauses", pause_columns, N(pause_columns));
    for (size_t i = 0; i < forest.n; i++) {
        const struct why_link *l = &forest.links[i];
        struct weir_text port = { 0 }, next = { 0 };
        why_add_slot(&port, j, l->slot);
        if (l->next != WHY_NONE) {
            why_add_slot(&next, j, l->next);
        }
        put(s, pause_columns, N(pause_columns),
            &(struct pause_row){ .port = port.s,
                                 .next = next.len ? next.s : NULL,
                                 .from_ps = (double)l->from_ps,
                                 .to_ps = (double)l->to_ps });
    }
    end(s);
    free(forest.links);
}

void
why_write_csv(const struct why_job *j)
{
    const struct sink csv = { 0 };

    if (j->at_ps >= 0) {
        put_pauses(&csv, j);
    } else if (j->flow) {
        put_hops(&csv, j);
    } else {
        put_flows(&csv, j);
    }
}

/* Null where chains cannot be followed. */
static void
write_victims(struct json *j, const struct rep_flow_waits *s)
{
    if (s->knows_victims) {
        json_number(j, "n_victims", s->n_victims);
    } else {
        json_null(j, "n_victims");
    }
}

void
why_write_json(const struct why_job *job)
{
    struct json j = { .out = stdout, .lines = LINES };
    const struct sink json = { &j };

    json_open(&j, NULL, '{');
    json_text(&j, "file", job->file);
    json_number(&j, "run", job->run->row->id);
    json_text(&j, "label", job->run->name);
    if (job->at_ps >= 0) {
        put_pauses(&json, job);
    } else if (job->flow) {
        json_open(&j, "flow", '[');
        put_flow(&json, job, job->flow);
        json_close(&j, ']');
        put_hops(&json, job);
    } else {
        json_number(&j, "n_flows", job->suffering.n_flows);
        json_number(&j, "n_held_back", job->suffering.n_held);
        write_victims(&j, &job->suffering);
        put_flows(&json, job);
        put_roots(&json, job);
    }
    json_close(&j, '}');
}
