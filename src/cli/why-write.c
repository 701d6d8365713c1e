/* Writes which flows had to wait, and for what: JSON and CSV of the same columns. */

#include <stdlib.h>

#include "base/array.h"
#include "base/json.h"
#include "cli/why.h"

enum { LINES = 3 };

/* Writes a table as a list of JSON; if 'json' is null, as CSV. */
static void
write_table(struct json *json, const char *key, const struct form_table *t)
{
    if (json) {
        form_table_json(json, key, t);
    } else {
        form_table_show(stdout, t, FORM_CSV);
    }
}

/* Hops of a flow. */

struct hop_row {
    struct rep_hop of;
    const struct why_job *job;
    const struct rep_share *worst; /* The share of the pause that its worst root caused; or null. */
};

COLUMN_GET(hop_row, get_port, rep_add_port(cell_made(cell), &r->job->names, r->of.port, r->of.cls))

COLUMN_GET(
    hop_row, get_worst, if (r->worst && r->worst->root != WHY_NONE) {
        why_add_root(cell_made(cell), r->job, r->worst->root);
    })

COLUMN_GET(
    hop_row, get_worst_time, if (r->worst) { cell_real(cell, r->worst->held_ps); })

#define HOP_VALUE(KIND, NAME, MEMBER)                                                              \
    { NAME, COLUMN_##KIND, .offset = offsetof(struct hop_row, of.MEMBER) },

static const struct column hop_columns[] = {
    { "port", COLUMN_TEXT, .get = get_port },
    REP_HOP_VALUES(HOP_VALUE){ "worst_root", COLUMN_TEXT, .get = get_worst },
    { "worst_root_ps", COLUMN_REAL_TIME, .get = get_worst_time },
    { 0 },
};

static void
write_hops(struct json *json, const struct why_job *j)
{
    size_t n = j->flow->n_hops;
    struct hop_row *rows = array_new(n, sizeof *rows);

    for (size_t i = 0; i < n; i++) {
        const struct rep_hop *hop = &j->waits.hops[j->flow->first_hop + i];
        rows[i] = (struct hop_row){ *hop, j, rep_worst_share(&j->waits, hop) };
    }
    write_table(json, "hops", &(struct form_table){ NULL, hop_columns, rows, n, sizeof *rows });
    free(rows);
}

/* Roots of pauses. */

struct root_row {
    struct rep_root_effect of;
    struct why_root root;
    const struct why_job *job;
};

/* Adds the longest chain of a root, from the paused port to the root. */
static void
add_chain(struct weir_text *t, const struct why_job *j, const struct why_root *r)
{
    struct why_chain chain = { 0 };

    why_chain_at(j->waits.why, r->deepest_slot, r->deepest_ps, &chain);
    for (size_t i = 0; i < chain.n; i++) {
        weir_text_add(t, "%s", i ? ", " : "");
        why_add_slot(t, j, chain.slots[i]);
    }
    free(chain.slots);
}

COLUMN_GET(root_row, get_root, why_add_root(cell_made(cell), r->job, r->of.root))
COLUMN_GET(root_row, get_end, cell_text(cell, why_end_name(r->root.end)))
COLUMN_GET(root_row, get_depth, cell_number(cell, r->root.depth))
COLUMN_GET(root_row, get_chain, add_chain(cell_made(cell), r->job, &r->root))
COLUMN_GET(
    root_row, get_victims, if (r->job->waits.knows_victims) { cell_number(cell, r->of.n_victims); })

static const struct column root_columns[] = {
    { "root", COLUMN_TEXT, .get = get_root },
    { "end", COLUMN_TEXT, .get = get_end },
    { "paused_ps", COLUMN_TIME, .offset = offsetof(struct root_row, root.paused_ps) },
    { "waited_ps", COLUMN_REAL_TIME, .offset = offsetof(struct root_row, of.held_ps) },
    { "n_flows", COLUMN_COUNT, .offset = offsetof(struct root_row, of.n_flows) },
    { "n_victims", COLUMN_COUNT, .get = get_victims },
    { "n_chain_ports", COLUMN_COUNT, .get = get_depth },
    { "chain", COLUMN_TEXT, .get = get_chain },
    { 0 },
};

static void
write_roots(struct json *json, const struct why_job *j)
{
    size_t n = j->waits.n_faults;
    struct root_row *rows = array_new(n, sizeof *rows);

    for (size_t i = 0; i < n; i++) {
        const struct rep_root_effect *f = &j->waits.faults[i];
        rows[i] = (struct root_row){ *f, j->waits.why->roots[f->root], j };
    }
    form_table_json(json, "roots",
                    &(struct form_table){ NULL, root_columns, rows, n, sizeof *rows });
    free(rows);
}

/* Pauses at an instant. */

struct pause_row {
    struct why_link of;
    const struct why_job *job;
};

COLUMN_GET(pause_row, get_paused, why_add_slot(cell_made(cell), r->job, r->of.slot))
COLUMN_GET(
    pause_row, get_next,
    if (r->of.next != WHY_NONE) { why_add_slot(cell_made(cell), r->job, r->of.next); })

static const struct column pause_columns[] = {
    { "port", COLUMN_TEXT, .get = get_paused },
    { "from_ps", COLUMN_TIME, .offset = offsetof(struct pause_row, of.from_ps) },
    { "to_ps", COLUMN_TIME, .offset = offsetof(struct pause_row, of.to_ps) },
    { "waits_for", COLUMN_TEXT, .get = get_next },
    { 0 },
};

static void
write_pauses(struct json *json, const struct why_job *j)
{
    struct why_forest forest = { 0 };

    why_forest_at(j->waits.why, j->at_ps, &forest);
    struct pause_row *rows = array_new(forest.n, sizeof *rows);
    for (size_t i = 0; i < forest.n; i++) {
        rows[i] = (struct pause_row){ forest.links[i], j };
    }
    write_table(json, "pauses",
                &(struct form_table){ NULL, pause_columns, rows, forest.n, sizeof *rows });
    free(rows);
    free(forest.links);
}

static void
write_flows(struct json *json, const struct why_job *j)
{
    struct why_flow *rows;
    struct form_table t = why_flows(j, j->waits.n_flows, &rows);

    write_table(json, "flows", &t);
    free(rows);
}

void
why_write_csv(const struct why_job *j)
{
    if (j->at_ps >= 0) {
        write_pauses(NULL, j);
    } else if (j->flow) {
        write_hops(NULL, j);
    } else {
        write_flows(NULL, j);
    }
}

void
why_write_json(const struct why_job *job)
{
    const struct rep_flow_waits *s = &job->waits;
    struct json j = { .out = stdout, .lines = LINES };

    json_open(&j, NULL, '{');
    json_text(&j, "file", job->file);
    json_number(&j, "run", job->run->row->id);
    json_text(&j, "label", job->run->name);
    if (job->at_ps >= 0) {
        write_pauses(&j, job);
    } else if (job->flow) {
        const struct why_flow row = { job, job->flow };
        form_table_json(&j, "flow",
                        &(struct form_table){ NULL, why_flow_columns, &row, 1, sizeof row });
        write_hops(&j, job);
    } else {
        json_number(&j, "n_flows", s->n_flows);
        json_number(&j, "n_waited", s->n_waited);
        json_maybe(&j, "n_victims", s->knows_victims, s->n_victims);
        write_flows(&j, job);
        write_roots(&j, job);
    }
    json_close(&j, '}');
}
