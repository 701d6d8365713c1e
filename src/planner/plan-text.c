/* Writes a plan as text for users: the verdict first, then the tables on which it is based. */

#include <stdlib.h>

#include "planner/planner.h"

/* Writes a sentence such as "24 of 32 ports have too little headroom, by up to 12.3 KB." */
static void
write_shortage(struct sheet *s, const struct planner_shown *w)
{
    const struct plan *p = w->p;
    size_t n, n_short = 0;
    struct plan_gap *margins = plan_find_margins(p, &w->job->ask, &n);
    struct weir_text said = { 0 };
    uint64_t most = 0;

    for (size_t kind = 0; kind < p->n_kinds; kind++) {
        uint64_t lack = 0;
        for (size_t i = 0; i < n; i++) {
            uint64_t bytes = margins[i].kind == kind ? plan_short_bytes(&margins[i]) : 0;
            lack = bytes > lack ? bytes : lack;
        }
        n_short += lack ? p->kinds[kind].n_ports : 0;
        most = lack > most ? lack : most;
    }
    if (n_short) {
        weir_text_add(&said, "%u of %u ports ha%s too little headroom, by up to %b.",
                      (uint64_t)n_short, plan_n_ports(p), n_short == 1 ? "s" : "ve", most);
        sheet_add_sentence(s, SHEET_VERDICT, said.s);
    }
    if (plan_pool_word(p) == PLAN_BROKEN) {
        sheet_add_sentence(s, SHEET_VERDICT,
                           "The shared headroom pool is too small for one class of one port.");
    }
    free(margins);
}

static void
write_verdict(struct sheet *s, const struct planner_shown *w)
{
    struct plan_verdict v = plan_judge(w->p, &w->job->ask);
    struct weir_text said[PLANNER_MAX_WARNINGS], verdict = { 0 };
    size_t n = planner_add_warnings(w, said);

    write_shortage(s, w);
    planner_add_verdict(w->p, &v, &verdict);
    sheet_add_sentence(s, SHEET_VERDICT, verdict.s);
    if (planner_has_enough(w->p)) {
        sheet_add_sentence(s, SHEET_LINE,
                           "The headroom that is configured is enough on every port.");
    }
    for (size_t i = 0; i < n; i++) {
        sheet_add_sentence(s, SHEET_WARNING, said[i].s);
    }
}

static void
write_kind(struct sheet *s, enum sheet_piece piece, const struct planner_shown *w, size_t kind)
{
    struct weir_text line = { 0 };

    planner_add_kind(w->p, &w->p->kinds[kind], &line);
    sheet_add_sentence(s, piece, line.s);
}

static void
write_schemes(struct sheet *s, const struct planner_shown *w, size_t kind, const char *title,
              const struct column *columns)
{
    size_t n;
    struct planner_row *rows = planner_rows(w->p, &w->job->ask, kind, &n);

    sheet_table(s, &(struct form_table){ title, columns, rows, n, sizeof *rows });
    free(rows);
}

static void
write_switch(struct sheet *s, const struct planner_shown *w)
{
    struct weir_text title = { 0 };
    bool is_known = w->p->in.buffer_bytes != WEIR_AUTO;

    weir_text_add(&title,
                  is_known ? "the whole switch; buffer: %b"
                           : "the whole switch; buffer: "
                             "not given (use --buffer)",
                  w->p->in.buffer_bytes);
    write_schemes(s, w, 0, title.s, planner_switch_columns);
    if (plan_leaves_out(&w->job->ask, w->p)) {
        sheet_add_sentence(
            s, SHEET_LINE,
            "These are for SONiC, which has PFC alone: --scheme all shows other schemes, too, "
            "--scheme gfc-buffer,cbfc some of them.");
    }
}

static void
write_misfits(struct sheet *s, const struct planner_shown *w)
{
    bool any = false;

    for (const struct plan_scheme *of = plan_schemes; of->key; of++) {
        struct weir_text said = { 0 };
        if (!plan_is_wanted(&w->job->ask, w->p, of) || plan_fits(w->p, of)) {
            continue;
        }
        if (!any) {
            sheet_add_sentence(s, SHEET_HEADING, "does not fit:");
        }
        planner_add_misfit(w->p, of, &said);
        sheet_add_sentence(s, SHEET_ITEM, said.s);
        any = true;
    }
}

/* Writes the queue length at which a switch with a shared buffer requests a pause. */
static void
write_trigger(struct sheet *sheet, const struct plan *p, const struct plan_request *r)
{
    const struct plan_scheme *s = plan_scheme_find("pfc-sonic");
    uint64_t headroom = plan_need(p, s).headroom_bytes, n_slots = 0;
    struct weir_text said = { 0 }, th = { 0 };

    if (!plan_is_wanted(r, p, s) || !plan_fits(p, s)) {
        return;
    }
    for (size_t i = 0; i < p->n_kinds; i++) {
        n_slots += (uint64_t)p->kinds[i].n_ports * p->kinds[i].n_classes;
    }
    uint64_t shared = p->in.buffer_bytes - headroom;
    uint64_t one = plan_trigger_bytes(p, shared, 1);
    int exponent = plan_dynamic_th(&p->in);
    weir_text_add(&th, exponent < 0 ? "-%u" : "%u", (uint64_t)abs(exponent));
    if (p->in.static_th_bytes != WEIR_AUTO) {
        weir_text_add(&said, "%s, if the buffer is shared (static_th): pauses at %b", s->title,
                      one);
    } else {
        weir_text_add(&said,
                      "%s, if the buffer is shared (dynamic_th %s): pauses at %b if one queue is "
                      "long, at %b if all are",
                      s->title, th.s, one, plan_trigger_bytes(p, shared, n_slots));
    }
    sheet_add_sentence(sheet, SHEET_LINE, said.s);
}

/* Writes the thresholds of schemes that have an engine. */
static void
write_engines(struct sheet *s, const struct planner_shown *w, size_t kind)
{
    size_t n, n_kept = 0;
    struct planner_row *rows = planner_rows(w->p, &w->job->ask, kind, &n);

    for (size_t i = 0; i < n; i++) {
        if (rows[i].s->engine) {
            rows[n_kept++] = rows[i];
        }
    }
    sheet_table(
        s, &(struct form_table){ NULL, planner_threshold_columns, rows, n_kept, sizeof *rows });
    free(rows);
}

static void
write_thresholds(struct sheet *s, const struct planner_shown *w)
{
    sheet_add_sentence(s, SHEET_HEADING, "thresholds if the buffer is split evenly");
    for (size_t i = 0; i < w->p->n_kinds; i++) {
        if (w->p->n_kinds > 1) {
            write_kind(s, SHEET_LINE, w, i);
        }
        write_engines(s, w, i);
    }
    write_trigger(s, w->p, &w->job->ask);
}

void
planner_write_proofs(struct sheet *s, const struct planner_shown *w)
{
    size_t from = 0;

    while (from < w->n_proofs) {
        size_t to = from;
        while (to < w->n_proofs && w->proofs[to].kind == w->proofs[from].kind) {
            to++;
        }
        sheet_add_sentence(
            s, SHEET_HEADING,
            "worst case, simulated: a sender at line rate, an output that is blocked, "
            "control frames that wait for a packet");
        if (w->p->n_kinds > 1) {
            write_kind(s, SHEET_LINE, w, w->proofs[from].kind);
        }
        sheet_table(s, &(struct form_table){ NULL, planner_proof_columns, &w->proofs[from],
                                             to - from, sizeof *w->proofs });
        from = to;
    }
}

static void
write_details(struct sheet *s, const struct planner_shown *w)
{
    bool knows_buffer = w->p->in.buffer_bytes != WEIR_AUTO;

    planner_write_gaps(s, w);
    write_switch(s, w);
    if (knows_buffer) {
        write_misfits(s, w);
    }
    for (size_t i = 0; i < w->p->n_kinds; i++) {
        write_kind(s, SHEET_HEADING, w, i);
        write_schemes(s, w, i, NULL, planner_slot_columns);
    }
    if (knows_buffer) {
        write_thresholds(s, w);
    }
}

/* Writes the schemes side by side, if all ports are equal and none has configured headroom; else
 * the ports. */
static void
write_margins(struct sheet *s, const struct planner_shown *w)
{
    struct weir_text title = { 0 };
    size_t n_states;

    free(plan_find_states(w->p, &n_states));
    if (n_states || w->p->n_kinds > 1) {
        planner_write_ports(s, w);
        return;
    }
    planner_add_kind(w->p, &w->p->kinds[0], &title);
    write_schemes(s, w, 0, title.s, planner_margin_columns);
}

/* Writes a plan. A page always has the details. */
void
planner_write_plan(struct sheet *s, const void *planner_shown)
{
    const struct planner_shown *w = planner_shown;
    bool is_whole = w->job->details || s->form == FORM_PAGE;

    write_verdict(s, w);
    planner_write_inputs(s, w->job);
    for (size_t i = 0; i < w->p->n_kinds && s->form == FORM_PAGE; i++) {
        write_kind(s, SHEET_ITEM, w, i);
    }
    write_margins(s, w);
    planner_write_profiles(s, w);
    if (is_whole) {
        write_details(s, w);
    }
    planner_write_proofs(s, w);
    if (!is_whole) {
        sheet_add_sentence(s, SHEET_LINE,
                           "--details shows formulas, other schemes and thresholds.");
    }
}
