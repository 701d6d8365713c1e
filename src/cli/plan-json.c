/* A plan for programs: the rows of its tables, with what is nested in them. */

#include <stdlib.h>

#include "cli/plan.h"

static double
seconds(weir_ps ps)
{
    return (double)ps / 1e12;
}

static void
number_or_null(struct json *j, const char *key, uint64_t v, uint64_t null)
{
    if (v == null) {
        json_null(j, key);
    } else {
        json_number(j, key, v);
    }
}

/* The cells in which the headroom to use holds; null: not a formula that counts bytes. */
static void
tell_cells(struct json *j, const struct plan *p, const struct plan_scheme *use)
{
    if (!use || !plan_counts_bytes(use)) {
        json_null(j, "cells");
        return;
    }
    json_open(j, "cells", '{');
    number_or_null(j, "cell_bytes", p->knows_cell ? p->in.cell_bytes : 0, 0);
    json_number(j, "max_cell_bytes_large_packets", plan_cell_limit_bytes(p, use, 0));
    json_number(j, "max_cell_bytes_small_packets", plan_cell_limit_bytes(p, use, 100));
    json_close(j, '}');
}

static void
tell_verdict(struct json *j, const struct plan *p, const struct plan_job *job)
{
    struct plan_verdict v = plan_judge(p, &job->ask);
    struct weir_text said = { 0 };

    plan_add_verdict(p, &v, &said);
    json_open(j, "verdict", '{');
    json_text(j, "use", v.use ? v.use->key : NULL);
    json_text(j, "why", v.why);
    json_text(j, "nearest", v.nearest ? v.nearest->key : NULL);
    json_text(j, "says", said.s);
    if (plan_knows_configured(p) || plan_is_short(p)) {
        json_bool(j, "configured_is_enough", plan_has_enough(p));
    } else {
        json_null(j, "configured_is_enough");
    }
    bool is_known = plan_knows_configured(p) || plan_worst_word(p) != PLAN_ENOUGH;
    json_text(j, "configured", is_known ? plan_words[plan_worst_word(p)] : NULL);
    tell_cells(j, p, v.use);
    json_close(j, '}');
}

static void
tell_kind(struct json *j, const struct plan *p, const struct plan_kind *k)
{
    json_open(j, NULL, '{');
    json_number(j, "ports", k->n_ports);
    json_text(j, "first_port", p->ports[k->first_port].name);
    json_number(j, "rate_bps", k->link.rate_bps);
    json_fixed(j, "cable_m", (double)k->cable_mm / 1e3, 3);
    json_fixed(j, "delay_s", seconds(k->link.cable_ps), 12);
    json_number(j, "mtu_bytes", k->link.mtu_bytes);
    json_fixed(j, "response_s", seconds(k->link.response_ps), 12);
    json_open(j, "classes", '[');
    for (uint64_t cls = 0; cls < WEIR_MAX_CLASSES; cls++) {
        if (k->lossless >> cls & 1) {
            json_number(j, NULL, cls);
        }
    }
    json_close(j, ']');
    json_close(j, '}');
}

/* A parameter of an engine, with its unit at the end of its key. */
static void
tell_parameter(struct json *j, const struct weir_field *f, uint64_t value)
{
    char key[40];
    const char *unit = f->kind == WEIR_BYTES ? "_bytes" : f->kind == WEIR_TIME ? "_s" : "";

    snprintf(key, sizeof key, "%s%s", f->name, unit);
    if (value == WEIR_AUTO) {
        json_null(j, key);
    } else if (f->kind == WEIR_TIME) {
        json_fixed(j, key, seconds((weir_ps)value), 12);
    } else {
        json_number(j, key, value);
    }
}

/* The values that an engine derived. */
static void
tell_thresholds(struct json *j, const struct plan_row *r)
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
            tell_parameter(j, f, weir_field_get(f, stack.layers[0].params));
        }
    }
    json_close(j, '}');
}

static void
tell_remedies(struct json *j, const struct plan *p, const struct plan_scheme *s)
{
    struct plan_caps remedies[PLAN_MAX_REMEDIES];
    struct weir_text why = { 0 };
    size_t n = plan_scheme_has_classes(p, s) ? plan_find_remedies(p, s, remedies) : 0;

    plan_add_misfit(p, s, &why);
    json_text(j, "why_not", why.s);
    json_open(j, "would_fit", '[');
    for (size_t i = 0; i < n; i++) {
        json_open(j, NULL, '{');
        number_or_null(j, "classes", remedies[i].classes, PLAN_NOTHING);
        number_or_null(j, "cable_mm", remedies[i].cable_mm, PLAN_NOTHING);
        number_or_null(j, "mtu_bytes", remedies[i].mtu_bytes, PLAN_NOTHING);
        json_close(j, '}');
    }
    json_close(j, ']');
}

static void
tell_scheme(struct json *j, const struct plan *p, const struct plan_job *job, size_t nth)
{
    size_t n;

    json_open(j, NULL, '{');
    json_open(j, "kinds", '[');
    for (size_t i = 0; i < p->n_kinds; i++) {
        struct plan_row *rows = plan_rows(p, &job->ask, i, &n);
        json_open(j, NULL, '{');
        form_table_json_row(
            j, &(struct form_table){ NULL, plan_slot_columns, rows, n, sizeof *rows }, nth);
        tell_thresholds(j, &rows[nth]);
        json_close(j, '}');
        free(rows);
    }
    json_close(j, ']');
    struct plan_row *rows = plan_rows(p, &job->ask, 0, &n);
    form_table_json_row(j, &(struct form_table){ NULL, plan_switch_columns, rows, n, sizeof *rows },
                        nth);
    if (p->in.buffer_bytes != WEIR_AUTO && !plan_fits(p, rows[nth].s)) {
        tell_remedies(j, p, rows[nth].s);
    }
    free(rows);
    json_close(j, '}');
}

static void
tell_schemes(struct json *j, const struct plan *p, const struct plan_job *job)
{
    size_t n;

    free(plan_rows(p, &job->ask, 0, &n));
    json_open(j, "schemes", '[');
    for (size_t i = 0; i < n; i++) {
        tell_scheme(j, p, job, i);
    }
    json_close(j, ']');
}

static void
tell_warnings(struct json *j, const struct plan_shown *w)
{
    struct weir_text said[PLAN_MAX_WARNINGS];
    size_t n_said = plan_add_warnings(w, said);

    json_open(j, "warnings", '[');
    for (size_t i = 0; i < n_said; i++) {
        json_text(j, NULL, said[i].s);
    }
    json_close(j, ']');
}

void
plan_tell_as(struct json *j, const char *key, const struct plan_shown *w)
{
    const struct plan *p = w->p;

    json_open(j, key, '{');
    tell_verdict(j, p, w->job);
    json_open(j, "kinds", '[');
    for (size_t i = 0; i < p->n_kinds; i++) {
        tell_kind(j, p, &p->kinds[i]);
    }
    json_close(j, ']');
    number_or_null(j, "buffer_bytes", p->in.buffer_bytes, WEIR_AUTO);
    json_fixed(j, "rtt_s", (double)p->in.rtt_ps / 1e12, 12);
    tell_schemes(j, p, w->job);
    plan_tell_configured(j, w);
    form_table_json(j, "verify",
                    &(struct form_table){ NULL, plan_proof_columns, w->proofs, w->n_proofs,
                                          sizeof *w->proofs });
    tell_warnings(j, w);
    json_close(j, '}');
}

void
plan_tell(struct json *j, const void *plan_shown)
{
    plan_tell_as(j, NULL, plan_shown);
}
