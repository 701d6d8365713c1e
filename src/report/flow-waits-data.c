/* Writes the wait accounting of flows and the roots of their pauses as JSON, limited to what the
 * page can show. */

#include <stdlib.h>

#include "base/array.h"
#include "report/flow-waits.h"
#include "report/packed.h"

enum { MAX_FLOWS = 20000, MAX_HOPS_OF = 200, MAX_ROOTS = 100, MAX_PAUSES = 50000 };

static size_t
fewer(size_t n, size_t max)
{
    return n < max ? n : max;
}

/* The index of a root in the written list; REC_NO_ID: the list does not have it. */
static uint32_t
listed_root(const struct rep_flow_waits *s, uint32_t root)
{
    for (size_t i = 0; i < fewer(s->n_faults, MAX_ROOTS); i++) {
        if (s->faults[i].root == root) {
            return (uint32_t)i;
        }
    }
    return REC_NO_ID;
}

/* Writes a table, column by column. */
static void
write_table(struct json *j, const char *key, const struct column *columns,
            const struct packed_rows *rows)
{
    json_open(j, key, '{');
    json_number(j, "n", rows->n);
    json_columns(j, columns, rows);
    json_close(j, '}');
}

/* Flows, the worst first. */

struct flow_row {
    struct rep_blocked_flow of;
    uint32_t victim_of, what, root;
};

#define FLOW_VALUE(KIND, NAME, MEMBER)                                                             \
    { NAME, COLUMN_##KIND, .offset = offsetof(struct flow_row, of.MEMBER) },

static const struct column flow_columns[] = {
    { "flow", COLUMN_ID, .offset = offsetof(struct flow_row, of.flow) },
    REP_FLOW_VALUES(FLOW_VALUE){ "victim_of", COLUMN_ID,
                                 .offset = offsetof(struct flow_row, victim_of) },
    { "what", COLUMN_ID, .offset = offsetof(struct flow_row, what) },
    { "port", COLUMN_ID, .offset = offsetof(struct flow_row, of.reason.port) },
    { "root", COLUMN_ID, .offset = offsetof(struct flow_row, root) },
    { 0 },
};

static void
write_flows(struct json *j, const struct rep_flow_waits *s)
{
    struct packed_rows rows = { .row_bytes = sizeof(struct flow_row),
                                .n = fewer(s->n_waited, MAX_FLOWS) };
    struct flow_row *flows = array_new(rows.n, sizeof *flows);

    for (size_t i = 0; i < rows.n; i++) {
        const struct rep_blocked_flow *f = s->worst[i];
        flows[i] =
            (struct flow_row){ .of = *f,
                               .victim_of = listed_root(s, f->victim_of),
                               .what = f->reason.port == REC_NO_ID ? REC_NO_ID : f->reason.what,
                               .root = listed_root(s, f->reason.root) };
    }
    rows.items = flows;
    write_table(j, "flows", flow_columns, &rows);
    free(flows);
}

/* Hops of the worst flows. */

struct hop_row {
    struct rep_hop of;
    uint32_t root;
};

#define HOP_VALUE(KIND, NAME, MEMBER)                                                              \
    { NAME, COLUMN_##KIND, .offset = offsetof(struct hop_row, of.MEMBER) },

static const struct column hop_columns[] = {
    { "flow", COLUMN_ID, .offset = offsetof(struct hop_row, of.flow) },
    { "port", COLUMN_ID, .offset = offsetof(struct hop_row, of.port) },
    { "class", COLUMN_ID, .offset = offsetof(struct hop_row, of.cls) },
    REP_HOP_VALUES(HOP_VALUE){ "root", COLUMN_ID, .offset = offsetof(struct hop_row, root) },
    { 0 },
};

static void
write_hops(struct json *j, const struct rep_flow_waits *s)
{
    struct packed_rows rows = { .row_bytes = sizeof(struct hop_row) };
    struct hop_row *hops = array_new(s->n_hops, sizeof *hops);

    for (size_t i = 0; i < fewer(s->n_waited, MAX_HOPS_OF); i++) {
        for (size_t k = 0; k < s->worst[i]->n_hops; k++) {
            const struct rep_hop *hop = &s->hops[s->worst[i]->first_hop + k];
            const struct rep_share *worst = rep_worst_share(s, hop);
            hops[rows.n++] =
                (struct hop_row){ *hop, worst ? listed_root(s, worst->root) : REC_NO_ID };
        }
    }
    rows.items = hops;
    write_table(j, "hops", hop_columns, &rows);
    free(hops);
}

/* Roots. */

static void
write_chain(struct json *j, const struct why *w, const struct why_root *r)
{
    struct why_chain chain = { 0 };

    why_chain_at(w, r->deepest_slot, r->deepest_ps, &chain);
    json_open(j, "chain", '[');
    for (size_t i = 0; i < chain.n; i++) {
        json_number(j, NULL, why_port(w, chain.slots[i]));
    }
    json_close(j, ']');
    json_number(j, "chain_ps", (uint64_t)r->deepest_ps);
    free(chain.slots);
}

static void
write_root(struct json *j, const struct rep_flow_waits *s, const struct rep_root_effect *f)
{
    const struct why_root *r = &s->why->roots[f->root];

    json_open(j, NULL, '{');
    json_text(j, "end", why_end_name(r->end));
    json_open(j, "ports", '[');
    for (uint32_t i = 0; i < r->n_ports; i++) {
        json_number(j, NULL, r->ports[i]);
    }
    json_close(j, ']');
    json_number(j, "class", r->cls);
    json_number(j, "paused_ps", (uint64_t)r->paused_ps);
    json_fixed(j, "waited_ps", f->held_ps, 0);
    json_number(j, "n_flows", f->n_flows);
    json_maybe(j, "n_victims", s->knows_victims, f->n_victims);
    write_chain(j, s->why, r);
    json_close(j, '}');
}

/* Writes the longest pauses, in order of time. */

struct pause_row {
    uint32_t port, cls, root, next;
    weir_ps from_ps, to_ps;
};

static const struct column pause_columns[] = {
    { "port", COLUMN_ID, .offset = offsetof(struct pause_row, port) },
    { "class", COLUMN_ID, .offset = offsetof(struct pause_row, cls) },
    { "from_ps", COLUMN_TIME, .offset = offsetof(struct pause_row, from_ps) },
    { "to_ps", COLUMN_TIME, .offset = offsetof(struct pause_row, to_ps) },
    { "root", COLUMN_ID, .offset = offsetof(struct pause_row, root) },
    { "next", COLUMN_ID, .offset = offsetof(struct pause_row, next) },
    { 0 },
};

static int
by_length(const void *a, const void *b)
{
    const struct pause_row *x = a, *y = b;
    weir_ps of_x = x->to_ps - x->from_ps, of_y = y->to_ps - y->from_ps;

    return (of_x < of_y) - (of_x > of_y);
}

static int
by_time(const void *a, const void *b)
{
    const struct pause_row *x = a, *y = b;
    return (x->from_ps > y->from_ps) - (x->from_ps < y->from_ps);
}

static void
write_pauses(struct json *j, const struct rep_flow_waits *s)
{
    const struct why *w = s->why;
    struct pause_row *pauses = array_new(w->n_links, sizeof *pauses);
    const struct packed_rows rows = { pauses, sizeof *pauses, fewer(w->n_links, MAX_PAUSES) };

    for (size_t i = 0; i < w->n_links; i++) {
        const struct why_link *l = &w->links[i];
        const struct why_root *root = &w->roots[l->root];
        pauses[i] =
            (struct pause_row){ .port = why_port(w, l->slot),
                                .cls = l->slot % w->n_classes,
                                .root = root->end == WHY_CYCLE ? REC_NO_ID : root->ports[0],
                                .next = l->next == WHY_NONE ? REC_NO_ID : why_port(w, l->next),
                                .from_ps = l->from_ps,
                                .to_ps = l->to_ps };
    }
    array_sort(pauses, w->n_links, sizeof *pauses, by_length);
    array_sort(pauses, rows.n, sizeof *pauses, by_time);
    json_number(j, "n_pauses", w->n_links);
    write_table(j, "pauses", pause_columns, &rows);
    free(pauses);
}

static void
write_waits(struct json *j)
{
    json_open(j, "waits", '[');
    for (enum rep_wait what = 0; what < REP_N_WAITS; what++) {
        json_open(j, NULL, '{');
        json_text(j, "name", rep_waits[what].name);
        json_text(j, "words", rep_waits[what].words);
        json_close(j, '}');
    }
    json_close(j, ']');
}

void
rep_flow_waits_write(struct json *j, const char *key, const struct rep_flow_waits *s)
{
    if (!s->is_recorded) {
        json_null(j, key);
        return;
    }
    json_open(j, key, '{');
    json_number(j, "n_flows", s->n_flows);
    json_number(j, "n_waited", s->n_waited);
    json_maybe(j, "n_victims", s->knows_victims, s->n_victims);
    write_waits(j);
    write_flows(j, s);
    write_hops(j, s);
    json_number(j, "n_roots", s->n_faults);
    json_open(j, "roots", '[');
    for (size_t i = 0; i < fewer(s->n_faults, MAX_ROOTS); i++) {
        write_root(j, s, &s->faults[i]);
    }
    json_close(j, ']');
    write_pauses(j, s);
    json_close(j, '}');
}
