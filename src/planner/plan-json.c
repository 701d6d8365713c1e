/* Writes a plan as JSON: the rows of its tables, with their nested parts. */

#include "planner/planner.h"

/* Writes the cell sizes up to which the recommended headroom is enough; null if its formula does
 * not count bytes. */
static void
json_cells(struct json *j, const struct plan *p, const struct plan_scheme *use)
{
    if (!use || !planner_counts_bytes(use)) {
        json_null(j, "cells");
        return;
    }
    json_open(j, "cells", '{');
    json_maybe(j, "cell_bytes", p->knows_cell, p->in.cell_bytes);
    json_number(j, "max_cell_bytes_large_packets", plan_cell_limit_bytes(p, use, 0));
    json_number(j, "max_cell_bytes_small_packets", plan_cell_limit_bytes(p, use, 100));
    json_close(j, '}');
}

static void
json_verdict(struct json *j, const struct plan *p, const struct planner_job *job)
{
    struct plan_verdict v = plan_judge(p, &job->ask);
    struct weir_text said = { 0 };

    planner_add_verdict(p, &v, &said);
    json_open(j, "verdict", '{');
    json_text(j, "use", v.use ? v.use->key : NULL);
    json_text(j, "why", v.why);
    json_text(j, "nearest", v.nearest ? v.nearest->key : NULL);
    json_text(j, "says", said.s);
    if (plan_knows_configured(p) || plan_is_short(p)) {
        json_bool(j, "configured_is_enough", planner_has_enough(p));
    } else {
        json_null(j, "configured_is_enough");
    }
    bool is_known = plan_knows_configured(p) || plan_worst_word(p) != PLAN_ENOUGH;
    json_text(j, "configured", is_known ? plan_words[plan_worst_word(p)] : NULL);
    json_cells(j, p, v.use);
    json_close(j, '}');
}

/* Writes the pool of headroom that all ports share; null if there is none. */
static void
json_pool(struct json *j, const struct plan *p)
{
    struct plan_pool pool;

    if (!plan_find_pool(p, &pool)) {
        json_null(j, "headroom_pool");
        return;
    }
    json_open(j, "headroom_pool", '{');
    json_text(j, "verdict", plan_words[pool.word]);
    json_number(j, "bytes", pool.bytes);
    json_number(j, "all_bytes", pool.all_bytes);
    json_text(j, "scheme", pool.need.by->key);
    json_number(j, "needs_bytes", pool.need.bytes);
    json_number(j, "all_need_bytes", pool.need.sum_bytes);
    json_number(j, "n_classes", pool.n_classes);
    json_number(j, "n_at_once", pool.n_at_once);
    json_close(j, '}');
}

static void
json_kind(struct json *j, const struct plan *p, const struct plan_kind *k)
{
    json_open(j, NULL, '{');
    json_number(j, "ports", k->n_ports);
    json_text(j, "first_port", p->ports[k->first_port].name);
    json_number(j, "rate_bps", k->link.rate_bps);
    json_fixed(j, "cable_m", (double)k->cable_mm / 1e3, 3);
    json_number(j, "delay_ps", (uint64_t)k->link.cable_ps);
    json_number(j, "mtu_bytes", k->link.mtu_bytes);
    json_number(j, "response_ps", (uint64_t)k->link.response_ps);
    json_open(j, "classes", '[');
    for (uint64_t cls = 0; cls < WEIR_MAX_CLASSES; cls++) {
        if (k->lossless >> cls & 1) {
            json_number(j, NULL, cls);
        }
    }
    json_close(j, ']');
    json_close(j, '}');
}

/* Writes a parameter of an engine, with its unit at the end of the key. */
static void
json_parameter(struct json *j, const struct weir_field *f, uint64_t value)
{
    char key[40];
    const char *unit = f->kind == WEIR_BYTES ? "_bytes" : f->kind == WEIR_TIME ? "_ps" : "";

    snprintf(key, sizeof key, "%s%s", f->name, unit);
    json_maybe(j, key, value != WEIR_AUTO, value);
}

/* Writes the values that an engine derived. */
static void
json_thresholds(struct json *j, const struct planner_row *r)
{
    const struct plan *p = r->p;
    struct weir_stack stack;
    struct weir_text why = { 0 };

    if (p->in.buffer_bytes == WEIR_AUTO || !plan_resolve(p, r->s, r->k, 1, &stack, &why)) {
        json_null(j, "thresholds");
        return;
    }
    json_open(j, "thresholds", '{');
    if (r->s->has_outputs) {
        json_number(j, "buffer_bytes", plan_capfc_input_bytes(p));
        json_number(j, "egress_bytes", plan_room_bytes(p) - plan_capfc_input_bytes(p));
    }
    for (const struct weir_field *f = stack.layers[0].engine->about.params; f->name; f++) {
        if (f->derived && f->fallback == WEIR_AUTO) {
            json_parameter(j, f, weir_field_get(f, stack.layers[0].params));
        }
    }
    json_close(j, '}');
}

static void
json_cap(struct json *j, const char *key, uint64_t cap)
{
    json_maybe(j, key, cap != PLAN_NOTHING, cap);
}

static void
json_remedies(struct json *j, const struct plan *p, const struct plan_scheme *s)
{
    struct plan_caps remedies[PLAN_MAX_REMEDIES];
    struct weir_text why = { 0 };
    size_t n = plan_scheme_has_classes(p, s) ? plan_find_remedies(p, s, remedies) : 0;

    planner_add_misfit(p, s, &why);
    json_text(j, "why_not", why.s);
    json_open(j, "would_fit", '[');
    for (size_t i = 0; i < n; i++) {
        json_open(j, NULL, '{');
        json_cap(j, "classes", remedies[i].classes);
        json_cap(j, "cable_mm", remedies[i].cable_mm);
        json_cap(j, "mtu_bytes", remedies[i].mtu_bytes);
        json_close(j, '}');
    }
    json_close(j, ']');
}

static void
json_row(struct json *j, const struct column *columns, const struct planner_row *row)
{
    form_table_json_row(j, &(struct form_table){ NULL, columns, row, 1, sizeof *row }, 0);
}

static void
json_scheme(struct json *j, const struct plan *p, const struct plan_scheme *s)
{
    struct planner_row row = planner_row_of(p, s, 0);

    json_open(j, NULL, '{');
    json_open(j, "kinds", '[');
    for (size_t i = 0; i < p->n_kinds; i++) {
        struct planner_row slot = planner_row_of(p, s, i);
        json_open(j, NULL, '{');
        json_row(j, planner_slot_columns, &slot);
        json_thresholds(j, &slot);
        json_close(j, '}');
    }
    json_close(j, ']');
    json_row(j, planner_switch_columns, &row);
    if (p->in.buffer_bytes != WEIR_AUTO && !plan_fits(p, s)) {
        json_remedies(j, p, s);
    }
    json_close(j, '}');
}

static void
json_schemes(struct json *j, const struct plan *p, const struct planner_job *job)
{
    json_open(j, "schemes", '[');
    for (const struct plan_scheme *s = plan_schemes; s->key; s++) {
        if (plan_is_wanted(&job->ask, p, s)) {
            json_scheme(j, p, s);
        }
    }
    json_close(j, ']');
}

static void
json_warnings(struct json *j, const struct planner_shown *w)
{
    struct weir_text said[PLANNER_MAX_WARNINGS];
    size_t n_said = planner_add_warnings(w, said);

    json_open(j, "warnings", '[');
    for (size_t i = 0; i < n_said; i++) {
        json_text(j, NULL, said[i].s);
    }
    json_close(j, ']');
}

void
planner_json_at(struct json *j, const char *key, const struct planner_shown *w)
{
    const struct plan *p = w->p;

    json_open(j, key, '{');
    json_verdict(j, p, w->job);
    json_open(j, "kinds", '[');
    for (size_t i = 0; i < p->n_kinds; i++) {
        json_kind(j, p, &p->kinds[i]);
    }
    json_close(j, ']');
    json_maybe(j, "buffer_bytes", p->in.buffer_bytes != WEIR_AUTO, p->in.buffer_bytes);
    json_number(j, "rtt_ps", (uint64_t)p->in.rtt_ps);
    json_schemes(j, p, w->job);
    planner_json_configured(j, w);
    json_pool(j, p);
    form_table_json(j, "verify",
                    &(struct form_table){ NULL, planner_proof_columns, w->proofs, w->n_proofs,
                                          sizeof *w->proofs });
    json_warnings(j, w);
    json_close(j, '}');
}

void
planner_json_plan(struct json *j, const void *planner_shown)
{
    planner_json_at(j, NULL, planner_shown);
}
