/* A plan for programs. */

#include "cli/plan.h"

static void
json_number_or_null(const char *key, uint64_t v, uint64_t null)
{
    if (v == null) {
        printf("\"%s\": null", key);
    } else {
        printf("\"%s\": %llu", key, (llu)v);
    }
}

static void
json_kind(const struct plan *p, const struct plan_kind *k)
{
    bool any = false;

    printf("{\"ports\": %u, \"first_port\": ", k->n_ports);
    cli_json_string(p->ports[k->first_port].name);
    printf(", \"rate_bps\": %llu, \"cable_m\": %.3f, \"delay_s\": %.12f, \"mtu_bytes\": %u, "
           "\"response_s\": %.12f, \"classes\": [",
           (llu)k->link.rate_bps, (double)k->cable_mm / 1e3, (double)k->link.cable_ps / 1e12,
           k->link.mtu_bytes, (double)k->link.response_ps / 1e12);
    for (int cls = 0; cls < WEIR_MAX_CLASSES; cls++) {
        if (k->lossless >> cls & 1) {
            printf("%s%d", any ? ", " : "", cls);
            any = true;
        }
    }
    printf("]}");
}

/* The values that an engine derived, each as text with its unit and as a number without. */
static void
json_thresholds(const struct plan *p, const struct plan_scheme *s, const struct plan_kind *k)
{
    struct weir_stack stack;
    struct weir_text why = { 0 };
    bool any = false;

    if (p->in.buffer_bytes == WEIR_AUTO || !s->engine || !plan_resolve(p, s, k, 1, &stack, &why)) {
        printf("null");
        return;
    }
    printf("{");
    for (const struct weir_field *f = stack.layers[0].engine->about.params; f->name; f++) {
        if (f->derived && f->fallback == WEIR_AUTO) {
            printf("%s\"%s\": %llu", any ? ", " : "", f->name,
                   (llu)weir_field_get(f, stack.layers[0].params));
            any = true;
        }
    }
    printf("}");
}

static void
json_remedies(const struct plan *p, const struct plan_scheme *s)
{
    struct plan_caps remedies[PLAN_MAX_REMEDIES];
    size_t n = plan_find_remedies(p, s, remedies);

    printf(", \"would_fit\": [");
    for (size_t i = 0; i < n; i++) {
        const struct plan_caps *c = &remedies[i];
        printf("%s{", i ? ", " : "");
        json_number_or_null("classes", c->classes, PLAN_NOTHING);
        printf(", ");
        json_number_or_null("cable_mm", c->cable_mm, PLAN_NOTHING);
        printf(", ");
        json_number_or_null("mtu_bytes", c->mtu_bytes, PLAN_NOTHING);
        printf("}");
    }
    printf("]");
}

static void
json_need(const struct plan *p, const struct plan_scheme *s)
{
    struct plan_need need = plan_need(p, s);
    uint64_t buffer = p->in.buffer_bytes;

    printf("\"classes\": %llu, \"bound_bytes\": %llu, \"headroom_bytes\": %llu, \"least_bytes\": "
           "%llu, \"work_conservation_bytes\": %llu",
           (llu)plan_scheme_classes(p, s, &p->kinds[0]), (llu)need.bound_bytes,
           (llu)need.headroom_bytes, (llu)plan_least_bytes(&need), (llu)need.busy_bytes);
    if (buffer == WEIR_AUTO) {
        return;
    }
    printf(", \"to_share_bytes\": %llu, \"fits\": %s",
           (llu)(buffer > need.headroom_bytes ? buffer - need.headroom_bytes : 0),
           plan_fits(p, s) ? "true" : "false");
    if (!plan_fits(p, s)) {
        json_remedies(p, s);
    }
}

static void
json_scheme(const struct plan *p, const struct plan_scheme *s)
{
    printf("    {\"key\": \"%s\", \"title\": ", s->key);
    cli_json_string(s->title);
    printf(", \"asks\": ");
    cli_json_string(s->asks);
    printf(",\n      \"kinds\": [");
    for (size_t i = 0; i < p->n_kinds; i++) {
        const struct plan_kind *k = &p->kinds[i];
        struct plan_need need = plan_slot_need(p, s, k);
        printf("%s{\"tau_s\": %.12f, \"bound_bytes\": %llu, \"headroom_bytes\": %llu, "
               "\"thresholds\": ",
               i ? ",\n        " : "", (double)weir_tau_ps(&k->link) / 1e12, (llu)need.bound_bytes,
               (llu)need.headroom_bytes);
        json_thresholds(p, s, k);
        printf("}");
    }
    printf("],\n      ");
    json_need(p, s);
    printf("}");
}

static void
json_proof(const struct plan_proof *r)
{
    printf("{\"scheme\": \"%s\", \"of\": \"%s\", \"kind\": %zu, \"bound_bytes\": %llu, "
           "\"needed_bytes\": %llu, \"inside_lost_bytes\": %llu, \"outside_bytes\": %llu, "
           "\"outside_lost_bytes\": %llu, \"runs\": %u}",
           r->what, r->of, r->kind, (llu)r->bound_bytes, (llu)r->needed_bytes,
           (llu)r->inside_dropped, (llu)r->outside_bytes, (llu)r->outside_dropped, r->n_runs);
}

void
plan_show_json(const struct plan *p, const struct plan_job *job, const struct plan_proof *proofs,
               size_t n_proofs)
{
    struct weir_text said[PLAN_MAX_WARNINGS];
    size_t n_said = plan_warnings(p, said, PLAN_MAX_WARNINGS);
    bool any = false;

    printf("{\"kinds\": [");
    for (size_t i = 0; i < p->n_kinds; i++) {
        printf("%s", i ? ",\n    " : "\n    ");
        json_kind(p, &p->kinds[i]);
    }
    printf("],\n  ");
    json_number_or_null("buffer_bytes", p->in.buffer_bytes, WEIR_AUTO);
    printf(", \"rtt_s\": %.12f,\n  \"schemes\": [", (double)p->in.rtt_ps / 1e12);
    for (const struct plan_scheme *s = plan_schemes; s->key; s++) {
        if (plan_is_wanted(&job->ask, p, s)) {
            printf("%s\n", any ? "," : "");
            json_scheme(p, s);
            any = true;
        }
    }
    printf("],\n  \"verify\": [");
    for (size_t i = 0; i < n_proofs; i++) {
        printf("%s", i ? ",\n    " : "\n    ");
        json_proof(&proofs[i]);
    }
    printf("],\n  \"warnings\": [");
    for (size_t i = 0; i < n_said; i++) {
        printf("%s", i ? ", " : "");
        cli_json_string(said[i].s);
    }
    printf("]}\n");
}
