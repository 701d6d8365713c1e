/* A plan as tables. */

#include <stdlib.h>
#include <string.h>

#include "cli/plan.h"

enum { GROUPED_BYTES = 32 };

/* 21968 as "21,968". */
static const char *
grouped(uint64_t v, char room[GROUPED_BYTES])
{
    char *at = room + GROUPED_BYTES - 1;

    *at = '\0';
    for (int n_digits = 0; !n_digits || v; n_digits++, v /= 10) {
        if (n_digits && n_digits % 3 == 0) {
            *--at = ',';
        }
        *--at = (char)('0' + v % 10);
    }
    return at;
}

static const char *
rounded(struct weir_text *t, uint64_t bytes)
{
    *t = (struct weir_text){ 0 };
    weir_text_add(t, "%B", cli_rounded(bytes));
    return t->s;
}

/* Text. */

static void
show_kind(const struct plan *p, const struct plan_kind *k)
{
    struct weir_text line = { 0 };

    weir_text_add(&line, "%u port%s of %R, ", (uint64_t)k->n_ports, k->n_ports > 1 ? "s" : "",
                  k->link.rate_bps);
    plan_length_add(&line, k->cable_mm);
    weir_text_add(&line, " (%T), MTU %B, response %T; %u lossless class%s", k->link.cable_ps,
                  (uint64_t)k->link.mtu_bytes, k->link.response_ps, (uint64_t)k->n_classes,
                  k->n_classes > 1 ? "es" : "");
    if (p->n_kinds > 1) {
        weir_text_add(&line, "; %s%s", p->ports[k->first_port].name, k->n_ports > 1 ? "..." : "");
    }
    printf("%s\n", line.s);
}

static void
show_bounds(const struct plan *p, const struct plan_job *job, const struct plan_kind *k)
{
    printf("\n%-20s %9s %11s %11s  formula, for one class of one port\n", "scheme", "tau", "bound",
           "headroom");
    for (const struct plan_scheme *s = plan_schemes; s->key; s++) {
        struct plan_need need = plan_slot_need(p, s, k);
        char a[GROUPED_BYTES], b[GROUPED_BYTES];
        struct weir_text tau = { 0 };
        if (!plan_is_wanted(&job->ask, p, s)) {
            continue;
        }
        if (s->has_tau) {
            weir_text_add(&tau, "%T", (weir_ps)cli_rounded((uint64_t)weir_tau_ps(&k->link)));
        }
        printf("%-20s %9s %11s %11s  %s\n", s->title, tau.s, grouped(need.bound_bytes, a),
               grouped(need.headroom_bytes, b), s->asks);
    }
}

static void
show_switch_row(const struct plan *p, const struct plan_scheme *s)
{
    struct plan_need need = plan_need(p, s);
    struct weir_text a, b, c, d = { 0 };
    uint64_t buffer = p->in.buffer_bytes;
    const char *fits = "";

    if (buffer != WEIR_AUTO) {
        bool has_left = buffer >= need.headroom_bytes;
        uint64_t left = has_left ? buffer - need.headroom_bytes : 0;
        weir_text_add(&d, "%B", cli_rounded(left));
        fits = !plan_fits(p, s) ? "no" : left < need.busy_bytes ? "yes, without C RTT" : "yes";
    }
    printf("%-20s %7llu %10s %10s %10s %10s  %s\n", s->title,
           (llu)plan_scheme_classes(p, s, &p->kinds[0]), rounded(&a, need.bound_bytes),
           rounded(&b, need.headroom_bytes), rounded(&c, need.busy_bytes), d.s, fits);
}

static void
show_switch(const struct plan *p, const struct plan_job *job)
{
    struct weir_text buffer = { 0 };
    bool is_known = p->in.buffer_bytes != WEIR_AUTO;

    weir_text_add(&buffer, is_known ? "%B" : "not given (use --buffer)", p->in.buffer_bytes);
    printf("\nthe whole switch; buffer: %s\n", buffer.s);
    printf("%-20s %7s %10s %10s %10s %10s  %s\n", "scheme", "classes", "bounds", "headroom",
           "C RTT", is_known ? "to share" : "", is_known ? "fits" : "");
    for (const struct plan_scheme *s = plan_schemes; s->key; s++) {
        if (plan_is_wanted(&job->ask, p, s)) {
            show_switch_row(p, s);
        }
    }
}

/* "1 class and no cable over 94m" */
static void
add_caps(const struct plan_caps *c, struct weir_text *said)
{
    const char *and = "";

    if (c->classes != PLAN_NOTHING) {
        weir_text_add(said, c->classes == 1 ? "%u class" : "%u classes", c->classes);
        and = " and ";
    }
    if (c->cable_mm != PLAN_NOTHING) {
        weir_text_add(said, c->cable_mm ? "%sno cable over " : "%sno cable at all", and);
        if (c->cable_mm) { /* Whole metres, if it is at least one. */
            plan_length_add(said, c->cable_mm - (c->cable_mm < 1000 ? 0 : c->cable_mm % 1000));
        }
        and = " and ";
    }
    if (c->mtu_bytes != PLAN_NOTHING) {
        weir_text_add(said, "%san MTU of %B", and, c->mtu_bytes);
    }
}

void
plan_add_misfit(const struct plan *p, const struct plan_scheme *s, struct weir_text *said)
{
    const struct plan_caps least = { 1, 0, PLAN_LEAST_MTU };
    struct plan_caps remedies[PLAN_MAX_REMEDIES];
    size_t n = plan_find_remedies(p, s, remedies);
    struct plan_need need = plan_need(p, s);
    uint64_t bytes = plan_least_bytes(&need);
    char room[GROUPED_BYTES];

    weir_text_add(said, "%s needs %s B, ", s->title, grouped(bytes, room));
    weir_text_add(said, "%s B more than there is", grouped(bytes - p->in.buffer_bytes, room));
    for (size_t i = 0; i < n; i++) {
        weir_text_add(said, i ? ", or " : "; it would fit with ");
        add_caps(&remedies[i], said);
    }
    if (!n) {
        weir_text_add(said, "; %s B even with 1 class, no cable and an MTU of 256 B",
                      grouped(plan_capped_bytes(p, s, &least), room));
    }
}

static void
show_misfits(const struct plan *p, const struct plan_job *job)
{
    bool any = false;

    for (const struct plan_scheme *s = plan_schemes; s->key; s++) {
        struct weir_text said = { 0 };
        if (!plan_is_wanted(&job->ask, p, s) || plan_fits(p, s)) {
            continue;
        }
        plan_add_misfit(p, s, &said);
        printf("%s  %s\n", any ? "" : "\ndoes not fit:\n", said.s);
        any = true;
    }
}

/* Parameters that the engine worked out. */
static void
add_thresholds(const struct weir_stack *stack, struct weir_text *line)
{
    for (const struct weir_field *f = stack->layers[0].engine->about.params; f->name; f++) {
        if (f->derived && f->fallback == WEIR_AUTO) {
            weir_text_add(line, "%s%s=%F", line->len ? " " : "", f->name, f,
                          weir_field_get(f, stack->layers[0].params));
        }
    }
}

static void
threshold_line(const struct plan *p, const struct plan_scheme *s, const struct plan_kind *k,
               struct weir_text *line)
{
    struct weir_stack stack;
    struct weir_text why = { 0 };

    *line = (struct weir_text){ 0 };
    if (s->engine && plan_resolve(p, s, k, 1, &stack, &why)) {
        if (s->has_outputs) {
            plan_capfc_add_rooms(p, line);
        }
        add_thresholds(&stack, line);
    } else if (s->engine) {
        *line = why;
    }
}

static void
show_thresholds(const struct plan *p, const struct plan_job *job)
{
    char room[GROUPED_BYTES];

    printf("\nthresholds if the buffer is split evenly, %s B for each class of each port:\n",
           grouped(plan_room_bytes(p), room));
    for (size_t i = 0; i < p->n_kinds; i++) {
        if (p->n_kinds > 1) {
            show_kind(p, &p->kinds[i]);
        }
        for (const struct plan_scheme *s = plan_schemes; s->key; s++) {
            struct weir_text line;
            threshold_line(p, s, &p->kinds[i], &line);
            if (plan_is_wanted(&job->ask, p, s) && line.len) {
                printf("  %-20s %s\n", s->title, line.s);
            }
        }
    }
}

/* Where a switch with a shared buffer asks for a pause. */
static void
show_trigger(const struct plan *p, const struct plan_job *job)
{
    const struct plan_scheme *s = plan_scheme_find("pfc-sonic");
    uint64_t headroom = plan_need(p, s).headroom_bytes, n_slots = 0;
    struct weir_text one = { 0 }, all = { 0 };

    if (!plan_is_wanted(&job->ask, p, s) || !plan_fits(p, s)) {
        return;
    }
    for (size_t i = 0; i < p->n_kinds; i++) {
        n_slots += (uint64_t)p->kinds[i].n_ports * p->kinds[i].n_classes;
    }
    uint64_t shared = p->in.buffer_bytes - headroom;
    weir_text_add(&one, "%B", cli_rounded(plan_trigger_bytes(p, shared, 1)));
    weir_text_add(&all, "%B", cli_rounded(plan_trigger_bytes(p, shared, n_slots)));
    if (p->in.static_th_bytes != WEIR_AUTO) {
        printf("  %-20s if the buffer is shared (static_th): pauses at %s\n", s->title, one.s);
        return;
    }
    printf("  %-20s if the buffer is shared (dynamic_th %d): pauses at %s if one queue is long, at "
           "%s if "
           "all are\n",
           s->title, plan_dynamic_th(&p->in), one.s, all.s);
}

void
plan_show_text(const struct plan *p, const struct plan_job *job)
{
    struct weir_text said[PLAN_MAX_WARNINGS];
    size_t n_said = plan_warnings(p, said, PLAN_MAX_WARNINGS);

    for (size_t i = 0; i < p->n_kinds; i++) {
        printf("%s", i ? "\n" : "");
        show_kind(p, &p->kinds[i]);
        show_bounds(p, job, &p->kinds[i]);
    }
    show_switch(p, job);
    if (p->in.buffer_bytes != WEIR_AUTO) {
        show_misfits(p, job);
        show_thresholds(p, job);
        show_trigger(p, job);
    }
    for (size_t i = 0; i < n_said; i++) {
        printf("%sWARNING: %s\n", i ? "" : "\n", said[i].s);
    }
}

static void
show_proof(const struct plan_proof *r)
{
    char plan[GROUPED_BYTES], needed[GROUPED_BYTES], outside[GROUPED_BYTES], lost[GROUPED_BYTES];
    char inside[GROUPED_BYTES + 8] = "nothing lost";

    if (r->inside_dropped) {
        snprintf(inside, sizeof inside, "%s B LOST", grouped(r->inside_dropped, lost));
    }
    printf("%-16s %-24s %11s %11s  %-18s %s: %s\n", r->what, r->of, grouped(r->bound_bytes, plan),
           grouped(r->needed_bytes, needed), inside, grouped(r->outside_bytes, outside),
           r->outside_dropped ? "lost" : "NOTHING LOST");
}

void
plan_show_proofs(const struct plan *p, const struct plan_proof *proofs, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        if (!i || proofs[i].kind != proofs[i - 1].kind) {
            printf("\nworst case, simulated: a sender at line rate, an output that is blocked, "
                   "control "
                   "frames that wait for a packet\n");
            show_kind(p, &p->kinds[proofs[i].kind]);
            printf("%-16s %-24s %11s %11s  %-18s %s\n", "scheme", "bytes counted", "plan", "needed",
                   "with the plan", "with one byte less than needed");
        }
        show_proof(&proofs[i]);
    }
}
