/* The tables of a plan: their columns, and the rows that these are read from. */

#include <stdlib.h>

#include "base/array.h"
#include "cli/plan.h"

struct plan_row *
plan_rows(const struct plan *p, const struct plan_request *r, size_t kind, size_t *n)
{
    struct plan_row *rows = array_new(PLAN_MAX_SCHEMES, sizeof *rows);

    *n = 0;
    for (const struct plan_scheme *s = plan_schemes; s->key; s++) {
        if (plan_is_wanted(r, p, s)) {
            rows[(*n)++] = (struct plan_row){ p, s, &p->kinds[kind], plan_need(p, s),
                                              plan_slot_need(p, s, &p->kinds[kind]) };
        }
    }
    return rows;
}

struct plan_gap_row *
plan_gap_rows(const struct plan *p, size_t *n)
{
    struct plan_gap *gaps = plan_find_gaps(p, n);
    struct plan_gap_row *rows = array_new(*n, sizeof *rows);

    for (size_t i = 0; i < *n; i++) {
        rows[i] = (struct plan_gap_row){ p, gaps[i] };
    }
    free(gaps);
    return rows;
}

/* Schemes. */

static bool
is_known(const struct plan_row *r)
{
    return r->p->in.buffer_bytes != WEIR_AUTO;
}

static uint64_t
over(uint64_t a, uint64_t b)
{
    return a > b ? a - b : 0;
}

static void
put_known(struct cell *cell, const struct plan_row *r, uint64_t number)
{
    if (is_known(r)) {
        cell_number(cell, number);
    }
}

static void
put_fits(const struct plan_row *r, struct cell *cell)
{
    if (is_known(r)) {
        cell->is_known = true;
        plan_add_fits(r->p, r->s, &cell->text);
    }
}

static void
put_tau(const struct plan_row *r, struct cell *cell)
{
    if (r->s->has_tau) {
        cell_number(cell, (uint64_t)weir_tau_ps(&r->k->link));
    }
}

TABLE_GET(plan_row, get_key, cell_text(cell, r->s->key))
TABLE_GET(plan_row, get_title, cell_text(cell, r->s->title))
TABLE_GET(plan_row, get_asks, cell_text(cell, r->s->asks))
TABLE_GET(plan_row, get_classes, cell_number(cell, plan_scheme_classes(r->p, r->s, r->k)))
TABLE_GET(plan_row, get_bounds, cell_number(cell, r->need.bound_bytes))
TABLE_GET(plan_row, get_headroom, cell_number(cell, r->need.headroom_bytes))
TABLE_GET(plan_row, get_least, cell_number(cell, plan_least_bytes(&r->need)))
TABLE_GET(plan_row, get_busy, cell_number(cell, r->need.busy_bytes))
TABLE_GET(plan_row, get_to_share,
          put_known(cell, r, over(r->p->in.buffer_bytes, r->need.headroom_bytes)))
TABLE_GET(plan_row, get_is_fitting, put_known(cell, r, is_known(r) && plan_fits(r->p, r->s)))
TABLE_GET(plan_row, get_spare,
          put_known(cell, r, over(r->p->in.buffer_bytes, plan_least_bytes(&r->need))))
TABLE_GET(plan_row, get_short,
          put_known(cell, r, over(plan_least_bytes(&r->need), r->p->in.buffer_bytes)))
TABLE_GET(plan_row, get_fits, put_fits(r, cell))
TABLE_GET(plan_row, get_tau, put_tau(r, cell))
TABLE_GET(plan_row, get_slot_bound, cell_number(cell, r->slot.bound_bytes))
TABLE_GET(plan_row, get_slot_headroom, cell_number(cell, r->slot.headroom_bytes))

#define SCHEME_HELP                                                                                \
    "A way to keep a switch from losing packets; of PFC, a formula for its headroom."
#define BOUND_HELP                                                                                 \
    "Bytes above the threshold that the paper or the standard asks for; for CBFC, the credit "     \
    "with "                                                                                        \
    "which a free link runs at line rate."
#define HEADROOM_HELP                                                                              \
    "The bound and whole packets on top of it: what must still be free when a pause is asked for."

const struct column plan_switch_columns[] = {
    { "key", NULL, COLUMN_TEXT, .get = get_key },
    { "title", "scheme", COLUMN_TEXT, get_title, .help = SCHEME_HELP },
    { "asks", NULL, COLUMN_TEXT, .get = get_asks },
    { "classes", "classes", COLUMN_COUNT, get_classes,
      .help = "Classes that a port keeps apart; TTL needs one for every hop." },
    { "bound_bytes", "bounds", COLUMN_SIZE, get_bounds, .help = BOUND_HELP },
    { "headroom_bytes", "headroom", COLUMN_SIZE, get_headroom, .help = HEADROOM_HELP },
    { "least_bytes", NULL, COLUMN_SIZE, .get = get_least },
    { "work_conservation_bytes", "C RTT", COLUMN_SIZE, get_busy,
      .help = "Rate times round-trip time: the buffer that keeps outputs busy." },
    { "to_share_bytes", "to share", COLUMN_SIZE, get_to_share,
      .help = "The buffer less all headroom." },
    { "fits", NULL, COLUMN_YES, .get = get_is_fitting },
    { "spare_bytes", NULL, COLUMN_SIZE, .get = get_spare },
    { "short_bytes", NULL, COLUMN_SIZE, .get = get_short },
    { NULL, "fits", COLUMN_TEXT, get_fits,
      .help =
          "Whether headroom and two packets of each class of each port fit the buffer, and by how "
          "much." },
    { 0 },
};

const struct column plan_slot_columns[] = {
    { NULL, "scheme", COLUMN_TEXT, get_title, .help = SCHEME_HELP },
    { "tau_s", "tau", COLUMN_TIME, get_tau,
      .help = "The longest time from asking for a rate until packets arrive at it." },
    { "bound_bytes", "bound", COLUMN_BYTES, get_slot_bound, .help = BOUND_HELP },
    { "headroom_bytes", "headroom", COLUMN_BYTES, get_slot_headroom, .help = HEADROOM_HELP },
    { NULL, "formula, for one class of one port", COLUMN_TEXT, .get = get_asks },
    { 0 },
};

/* Thresholds. */

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
put_thresholds(const struct plan_row *r, struct cell *cell)
{
    struct weir_stack stack;
    struct weir_text why = { 0 };

    cell->is_known = true;
    if (!plan_resolve(r->p, r->s, r->k, 1, &stack, &why)) {
        cell->text = why;
        return;
    }
    if (r->s->has_outputs) {
        plan_capfc_add_rooms(r->p, &cell->text);
    }
    add_thresholds(&stack, &cell->text);
}

TABLE_GET(plan_row, get_room, cell_number(cell, plan_scheme_room_bytes(r->p, r->s)))
TABLE_GET(plan_row, get_thresholds, put_thresholds(r, cell))

const struct column plan_threshold_columns[] = {
    { NULL, "scheme", COLUMN_TEXT, get_title, .help = SCHEME_HELP },
    { NULL, "classes", COLUMN_COUNT, .get = get_classes },
    { NULL, "room of each", COLUMN_BYTES, get_room,
      .help = "What each class of each port has if the buffer is split evenly." },
    { NULL, "thresholds of each class of each port", COLUMN_TEXT, get_thresholds,
      .help = "The values that the engine derives with that room: a pause is asked for at xoff, "
              "and ends "
              "at xon." },
    { 0 },
};

/* Headroom that is configured. */

static void
put_ports(const struct plan_gap_row *r, struct cell *cell)
{
    cell->is_known = true;
    plan_fold_slots(r->p, r->gap.kind, r->gap.classes, &cell->text);
}

static void
put_lack(const struct plan_gap_row *r, struct cell *cell)
{
    cell->is_known = true;
    plan_add_lack(&r->gap, &cell->text);
}

/* "3,4" */
static void
put_classes(const struct plan_gap_row *r, struct cell *cell)
{
    cell->is_known = true;
    for (uint64_t cls = 0; cls < WEIR_MAX_CLASSES; cls++) {
        if (r->gap.classes >> cls & 1) {
            weir_text_add(&cell->text, cell->text.len ? ",%u" : "%u", cls);
        }
    }
}

TABLE_GET(plan_gap_row, get_ports, put_ports(r, cell))
TABLE_GET(plan_gap_row, get_gap_classes, put_classes(r, cell))
TABLE_GET(plan_gap_row, get_n_ports, cell_number(cell, r->p->kinds[r->gap.kind].n_ports))
TABLE_GET(plan_gap_row, get_has, cell_number(cell, r->gap.has_bytes))
TABLE_GET(plan_gap_row, get_needs, cell_number(cell, r->gap.needs_bytes))
TABLE_GET(plan_gap_row, get_by_key, cell_text(cell, r->gap.by->key))
TABLE_GET(plan_gap_row, get_by, cell_text(cell, plan_formula(r->gap.by)))
TABLE_GET(plan_gap_row, get_lacking, cell_number(cell, plan_short_bytes(&r->gap)))
TABLE_GET(plan_gap_row, get_lack, put_lack(r, cell))

const struct column plan_gap_columns[] = {
    { "ports", "ports", COLUMN_TEXT, get_ports, .help = "Ports that are alike." },
    { "n_ports", NULL, COLUMN_COUNT, .get = get_n_ports },
    { "classes", NULL, COLUMN_TEXT, .get = get_gap_classes },
    { "configured_bytes", "configured", COLUMN_SIZE, get_has,
      .help = "Headroom that each lossless class of these ports has today: xoff of its profile." },
    { "needs_bytes", "needs", COLUMN_SIZE, get_needs, .help = "Headroom by that formula." },
    { "scheme", NULL, COLUMN_TEXT, .get = get_by_key },
    { NULL, "by", COLUMN_TEXT, .get = get_by },
    { "short_bytes", NULL, COLUMN_SIZE, .get = get_lacking },
    { NULL, "verdict", COLUMN_TEXT, .get = get_lack },
    { 0 },
};

/* What was simulated. */

static void
put_inside(const struct plan_proof *r, struct cell *cell)
{
    char bytes[GROUPED_BYTES];

    if (!r->inside_dropped) {
        cell_text(cell, "nothing lost");
        return;
    }
    cell->is_known = true;
    weir_text_add(&cell->text, "%u packet%s LOST, %s B", r->n_inside_lost,
                  r->n_inside_lost > 1 ? "s" : "", table_grouped(r->inside_dropped, bytes));
}

static void
put_outside(const struct plan_proof *r, struct cell *cell)
{
    char bytes[GROUPED_BYTES];

    cell->is_known = true;
    weir_text_add(&cell->text, "%s: %s", table_grouped(r->outside_bytes, bytes),
                  r->outside_dropped ? "lost" : "NOTHING LOST");
}

TABLE_GET(plan_proof, get_what, cell_text(cell, r->what))
TABLE_GET(plan_proof, get_of, cell_text(cell, r->of))
TABLE_GET(plan_proof, get_kind, cell_number(cell, r->kind))
TABLE_GET(plan_proof, get_bound, cell_number(cell, r->bound_bytes))
TABLE_GET(plan_proof, get_needed, cell_number(cell, r->needed_bytes))
TABLE_GET(plan_proof, get_lost, cell_number(cell, r->inside_dropped))
TABLE_GET(plan_proof, get_n_lost, cell_number(cell, r->n_inside_lost))
TABLE_GET(plan_proof, get_inside, put_inside(r, cell))
TABLE_GET(plan_proof, get_outside_bytes, cell_number(cell, r->outside_bytes))
TABLE_GET(plan_proof, get_outside_lost, cell_number(cell, r->outside_dropped))
TABLE_GET(plan_proof, get_outside, put_outside(r, cell))
TABLE_GET(plan_proof, get_n_runs, cell_number(cell, r->n_runs))

const struct column plan_proof_columns[] = {
    { "scheme", "scheme", COLUMN_TEXT, .get = get_what },
    { "of", "bytes counted", COLUMN_TEXT, .get = get_of },
    { "kind", NULL, COLUMN_COUNT, .get = get_kind },
    { "bound_bytes", "plan", COLUMN_BYTES, get_bound,
      .help = "What the plan gives; of pfc-configured, what the switch has." },
    { "needed_bytes", "needed", COLUMN_BYTES, get_needed,
      .help = "The least that holds the longest queue that was found." },
    { "inside_lost_bytes", NULL, COLUMN_BYTES, .get = get_lost },
    { "inside_lost_packets", NULL, COLUMN_COUNT, .get = get_n_lost },
    { NULL, "with the plan", COLUMN_TEXT, get_inside,
      .help = "What is lost in the worst case that was found, at one class of one port." },
    { "outside_bytes", NULL, COLUMN_BYTES, .get = get_outside_bytes },
    { "outside_lost_bytes", NULL, COLUMN_BYTES, .get = get_outside_lost },
    { NULL, "with one byte less than needed", COLUMN_TEXT, .get = get_outside },
    { "runs", NULL, COLUMN_COUNT, .get = get_n_runs },
    { 0 },
};
