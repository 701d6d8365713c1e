/* A plan for programs. */

#include "base/json.h"
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

static void
write_kind(struct json *j, const struct plan *p, const struct plan_kind *k)
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

/* The values that an engine derived. */
static void
write_thresholds(struct json *j, const struct plan *p, const struct plan_scheme *s,
                 const struct plan_kind *k)
{
    struct weir_stack stack;
    struct weir_text why = { 0 };

    if (p->in.buffer_bytes == WEIR_AUTO || !s->engine || !plan_resolve(p, s, k, 1, &stack, &why)) {
        json_null(j, "thresholds");
        return;
    }
    json_open(j, "thresholds", '{');
    if (s->has_outputs) {
        json_number(j, "buffer", plan_capfc_input_bytes(p));
        json_number(j, "egress", plan_room_bytes(p) - plan_capfc_input_bytes(p));
    }
    for (const struct weir_field *f = stack.layers[0].engine->about.params; f->name; f++) {
        if (f->derived && f->fallback == WEIR_AUTO) {
            json_number(j, f->name, weir_field_get(f, stack.layers[0].params));
        }
    }
    json_close(j, '}');
}

static void
write_remedies(struct json *j, const struct plan *p, const struct plan_scheme *s)
{
    struct plan_caps remedies[PLAN_MAX_REMEDIES];
    size_t n = plan_find_remedies(p, s, remedies);

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
write_need(struct json *j, const struct plan *p, const struct plan_scheme *s)
{
    struct plan_need need = plan_need(p, s);
    uint64_t buffer = p->in.buffer_bytes;

    json_number(j, "classes", plan_scheme_classes(p, s, &p->kinds[0]));
    json_number(j, "bound_bytes", need.bound_bytes);
    json_number(j, "headroom_bytes", need.headroom_bytes);
    json_number(j, "least_bytes", plan_least_bytes(&need));
    json_number(j, "work_conservation_bytes", need.busy_bytes);
    if (buffer == WEIR_AUTO) {
        return;
    }
    json_number(j, "to_share_bytes",
                buffer > need.headroom_bytes ? buffer - need.headroom_bytes : 0);
    json_bool(j, "fits", plan_fits(p, s));
    if (!plan_fits(p, s)) {
        write_remedies(j, p, s);
    }
}

static void
write_scheme(struct json *j, const struct plan *p, const struct plan_scheme *s)
{
    json_open(j, NULL, '{');
    json_text(j, "key", s->key);
    json_text(j, "title", s->title);
    json_text(j, "asks", s->asks);
    json_open(j, "kinds", '[');
    for (size_t i = 0; i < p->n_kinds; i++) {
        const struct plan_kind *k = &p->kinds[i];
        struct plan_need need = plan_slot_need(p, s, k);
        json_open(j, NULL, '{');
        json_fixed(j, "tau_s", seconds(weir_tau_ps(&k->link)), 12);
        json_number(j, "bound_bytes", need.bound_bytes);
        json_number(j, "headroom_bytes", need.headroom_bytes);
        write_thresholds(j, p, s, k);
        json_close(j, '}');
    }
    json_close(j, ']');
    write_need(j, p, s);
    json_close(j, '}');
}

static void
write_proof(struct json *j, const struct plan_proof *r)
{
    json_open(j, NULL, '{');
    json_text(j, "scheme", r->what);
    json_text(j, "of", r->of);
    json_number(j, "kind", r->kind);
    json_number(j, "bound_bytes", r->bound_bytes);
    json_number(j, "needed_bytes", r->needed_bytes);
    json_number(j, "inside_lost_bytes", r->inside_dropped);
    json_number(j, "outside_bytes", r->outside_bytes);
    json_number(j, "outside_lost_bytes", r->outside_dropped);
    json_number(j, "runs", r->n_runs);
    json_close(j, '}');
}

static void
write_warnings(struct json *j, const struct plan *p)
{
    struct weir_text said[PLAN_MAX_WARNINGS];
    size_t n_said = plan_warnings(p, said, PLAN_MAX_WARNINGS);

    json_open(j, "warnings", '[');
    for (size_t i = 0; i < n_said; i++) {
        json_text(j, NULL, said[i].s);
    }
    json_close(j, ']');
}

void
plan_show_json(const struct plan *p, const struct plan_job *job, const struct plan_proof *proofs,
               size_t n_proofs)
{
    struct json j = { .out = stdout, .lines = 2 };

    json_open(&j, NULL, '{');
    json_open(&j, "kinds", '[');
    for (size_t i = 0; i < p->n_kinds; i++) {
        write_kind(&j, p, &p->kinds[i]);
    }
    json_close(&j, ']');
    number_or_null(&j, "buffer_bytes", p->in.buffer_bytes, WEIR_AUTO);
    json_fixed(&j, "rtt_s", (double)p->in.rtt_ps / 1e12, 12);
    json_open(&j, "schemes", '[');
    for (const struct plan_scheme *s = plan_schemes; s->key; s++) {
        if (plan_is_wanted(&job->ask, p, s)) {
            write_scheme(&j, p, s);
        }
    }
    json_close(&j, ']');
    json_open(&j, "verify", '[');
    for (size_t i = 0; i < n_proofs; i++) {
        write_proof(&j, &proofs[i]);
    }
    json_close(&j, ']');
    write_warnings(&j, p);
    json_close(&j, '}');
}
