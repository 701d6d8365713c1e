/* The tables of a plan: their columns and rows. */

#include <stdlib.h>

#include "base/array.h"
#include "planner/planner.h"

struct planner_row
planner_row_of(const struct plan *p, const struct plan_scheme *s, size_t kind)
{
    const struct plan_kind *k = &p->kinds[kind];

    return (struct planner_row){ p, s, k, plan_need(p, s), plan_slot_need(p, s, k) };
}

struct planner_row *
planner_rows(const struct plan *p, const struct plan_request *r, size_t kind, size_t *n)
{
    struct planner_row *rows = array_new(PLAN_MAX_SCHEMES, sizeof *rows);

    *n = 0;
    for (const struct plan_scheme *s = plan_schemes; s->key; s++) {
        if (plan_is_wanted(r, p, s)) {
            rows[(*n)++] = planner_row_of(p, s, kind);
        }
    }
    return rows;
}

/* Tables of schemes. */

static bool
is_known(const struct planner_row *r)
{
    return r->p->in.buffer_bytes != WEIR_AUTO;
}

static uint64_t
over(uint64_t a, uint64_t b)
{
    return a > b ? a - b : 0;
}

static void
put_known(struct cell *cell, const struct planner_row *r, uint64_t number)
{
    if (is_known(r)) {
        cell_number(cell, number);
    }
}

static void
put_fits(const struct planner_row *r, struct cell *cell)
{
    if (is_known(r)) {
        planner_add_fits(r->p, r->s, cell_made(cell));
    }
}

static void
put_tau(const struct planner_row *r, struct cell *cell)
{
    if (r->s->has_tau) {
        cell_real(cell, (double)weir_tau_ps(&r->k->link));
    }
}

COLUMN_GET(planner_row, get_key, cell_text(cell, r->s->key))
COLUMN_GET(planner_row, get_title, cell_text(cell, r->s->title))
COLUMN_GET(planner_row, get_asks, cell_text(cell, r->s->asks))
COLUMN_GET(planner_row, get_classes, cell_number(cell, plan_scheme_classes(r->p, r->s, r->k)))
COLUMN_GET(planner_row, get_least, cell_number(cell, plan_least_bytes(&r->need)))
COLUMN_GET(planner_row, get_to_share,
           put_known(cell, r, over(r->p->in.buffer_bytes, r->need.headroom_bytes)))
COLUMN_GET(planner_row, get_is_fitting, put_known(cell, r, is_known(r) && plan_fits(r->p, r->s)))
COLUMN_GET(planner_row, get_spare,
           put_known(cell, r, over(r->p->in.buffer_bytes, plan_least_bytes(&r->need))))
COLUMN_GET(planner_row, get_short,
           put_known(cell, r, over(plan_least_bytes(&r->need), r->p->in.buffer_bytes)))
COLUMN_GET(planner_row, get_fits, put_fits(r, cell))
COLUMN_GET(planner_row, get_tau, put_tau(r, cell))

static void
put_headroom(const struct planner_row *r, struct cell *cell)
{
    uint64_t most = 0;

    for (size_t i = 0; i < r->p->n_kinds; i++) {
        uint64_t bytes = plan_slot_need(r->p, r->s, &r->p->kinds[i]).headroom_bytes;
        most = bytes > most ? bytes : most;
    }
    cell_number(cell, planner_rounded_up(most));
}

static void
put_margin(const struct planner_row *r, struct cell *cell)
{
    if (!plan_scheme_has_classes(r->p, r->s)) {
        cell_text(cell, "too many classes");
    } else if (is_known(r)) {
        planner_add_margin(plan_least_bytes(&r->need), r->p->in.buffer_bytes, cell_made(cell));
    }
}

COLUMN_GET(planner_row, get_headroom, put_headroom(r, cell))
COLUMN_GET(planner_row, get_needs,
           cell_number(cell, planner_rounded_up(plan_least_bytes(&r->need))))
COLUMN_GET(planner_row, get_bounds, cell_number(cell, planner_rounded_up(r->need.bound_bytes)))
COLUMN_GET(planner_row, get_sum, cell_number(cell, planner_rounded_up(r->need.headroom_bytes)))
COLUMN_GET(planner_row, get_has, put_known(cell, r, r->p->in.buffer_bytes))
COLUMN_GET(planner_row, get_margin, put_margin(r, cell))

#define SCHEME_HELP                                                                                \
    "A way to keep a switch from losing packets; for PFC, a formula for its headroom."
#define BOUND_HELP                                                                                 \
    "Bytes above the threshold that the paper or the standard asks for; for CBFC, the credit "     \
    "with "                                                                                        \
    "which a free link runs at line rate."
#define HEADROOM_HELP                                                                              \
    "The bound, rounded up to whole packets: bytes that must still be free when a pause is sent."

const struct column planner_margin_columns[] = {
    { .kind = COLUMN_TEXT, .head = "scheme", .get = get_title, .help = SCHEME_HELP },
    { .kind = COLUMN_BYTES,
      .head = "headroom",
      .get = get_headroom,
      .help = "Headroom of each lossless class of a port." },
    { .kind = COLUMN_BYTES,
      .head = "switch needs",
      .get = get_needs,
      .help = "Headroom and two packets of each class of each port." },
    { .kind = COLUMN_BYTES, .head = "has", .get = get_has, .help = "The buffer of the switch." },
    { .kind = COLUMN_TEXT,
      .head = "margin",
      .get = get_margin,
      .help = "The buffer that the switch has, less what it needs." },
    { 0 },
};

const struct column planner_switch_columns[] = {
    { "key", COLUMN_TEXT, .get = get_key },
    { "title", COLUMN_TEXT, .head = "scheme", .get = get_title, .help = SCHEME_HELP },
    { "asks", COLUMN_TEXT, .get = get_asks },
    { "classes", COLUMN_COUNT, .head = "classes", .get = get_classes,
      .help = "Classes that a port keeps apart; TTL needs one for every hop." },
    { "bound_bytes", COLUMN_BYTES, .offset = offsetof(struct planner_row, need.bound_bytes) },
    { .kind = COLUMN_BYTES, .head = "bounds", .get = get_bounds, .help = BOUND_HELP },
    { "headroom_bytes", COLUMN_BYTES, .offset = offsetof(struct planner_row, need.headroom_bytes) },
    { .kind = COLUMN_BYTES, .head = "headroom", .get = get_sum, .help = HEADROOM_HELP },
    { "least_bytes", COLUMN_BYTES, .get = get_least },
    { "work_conservation_bytes", COLUMN_BYTES,
      .offset = offsetof(struct planner_row, need.busy_bytes), .head = "C RTT",
      .help = "Rate times round-trip time: the buffer that keeps outputs busy." },
    { "to_share_bytes", COLUMN_BYTES, .head = "to share", .get = get_to_share,
      .help = "The buffer less all headroom." },
    { "fits", COLUMN_YES, .get = get_is_fitting },
    { "spare_bytes", COLUMN_BYTES, .get = get_spare },
    { "short_bytes", COLUMN_BYTES, .get = get_short },
    { .kind = COLUMN_TEXT,
      .head = "fits",
      .get = get_fits,
      .help =
          "Whether headroom and two packets of each class of each port fit the buffer, and by how "
          "much." },
    { 0 },
};

const struct column planner_slot_columns[] = {
    { .kind = COLUMN_TEXT, .head = "scheme", .get = get_title, .help = SCHEME_HELP },
    { "tau_ps", COLUMN_REAL_TIME, .head = "tau", .is_optional = true, .get = get_tau,
      .help = "The longest time from asking for a rate until packets arrive at it." },
    { "bound_bytes", COLUMN_EXACT_BYTES, .offset = offsetof(struct planner_row, slot.bound_bytes),
      .head = "bound", .help = BOUND_HELP },
    { "headroom_bytes", COLUMN_EXACT_BYTES,
      .offset = offsetof(struct planner_row, slot.headroom_bytes), .head = "headroom",
      .help = HEADROOM_HELP },
    { .kind = COLUMN_TEXT, .head = "formula, for one class of one port", .get = get_asks },
    { 0 },
};

/* Tables of thresholds. */

/* Adds the parameters that the engine derived. */
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
put_thresholds(const struct planner_row *r, struct cell *cell)
{
    struct weir_stack stack;
    struct weir_text why = { 0 };

    if (!plan_resolve(r->p, r->s, r->k, 1, &stack, &why)) {
        weir_text_add(cell_made(cell), "%s", why.s);
        return;
    }
    if (r->s->has_outputs) {
        plan_capfc_add_rooms(r->p, cell_made(cell));
    }
    add_thresholds(&stack, cell_made(cell));
}

COLUMN_GET(planner_row, get_room, cell_number(cell, plan_scheme_room_bytes(r->p, r->s)))
COLUMN_GET(planner_row, get_thresholds, put_thresholds(r, cell))

const struct column planner_threshold_columns[] = {
    { .kind = COLUMN_TEXT, .head = "scheme", .get = get_title, .help = SCHEME_HELP },
    { .kind = COLUMN_COUNT, .head = "classes", .get = get_classes },
    { .kind = COLUMN_EXACT_BYTES,
      .head = "room of each",
      .get = get_room,
      .help = "Buffer of each class of each port if the buffer is split evenly." },
    { .kind = COLUMN_TEXT,
      .head = "thresholds of each class of each port",
      .get = get_thresholds,
      .help = "The values that the engine derives with that room: a pause is sent at xoff and "
              "ends at xon." },
    { 0 },
};

/* Tables of simulated worst cases. */

static void
put_inside(const struct plan_proof *r, struct cell *cell)
{
    char bytes[GROUPED_BYTES];

    if (!r->inside_dropped) {
        cell_text(cell, "nothing lost");
        return;
    }
    weir_text_add(cell_made(cell), "%u packet%s LOST, %s B", r->n_inside_lost,
                  r->n_inside_lost > 1 ? "s" : "", table_grouped(r->inside_dropped, bytes));
}

static void
put_outside(const struct plan_proof *r, struct cell *cell)
{
    char bytes[GROUPED_BYTES];

    weir_text_add(cell_made(cell), "%s: %s", table_grouped(r->outside_bytes, bytes),
                  r->outside_dropped ? "lost" : "NOTHING LOST");
}

COLUMN_GET(plan_proof, get_kind, cell_number(cell, r->kind))
COLUMN_GET(plan_proof, get_inside, put_inside(r, cell))
COLUMN_GET(plan_proof, get_outside, put_outside(r, cell))

const struct column planner_proof_columns[] = {
    { "scheme", COLUMN_TEXT, .offset = offsetof(struct plan_proof, what), .head = "scheme" },
    { "of", COLUMN_TEXT, .offset = offsetof(struct plan_proof, of), .head = "bytes counted" },
    { "kind", COLUMN_COUNT, .get = get_kind },
    { "bound_bytes", COLUMN_EXACT_BYTES, .offset = offsetof(struct plan_proof, bound_bytes),
      .head = "plan", .help = "Headroom of the plan; for pfc-configured, that of the switch." },
    { "needed_bytes", COLUMN_EXACT_BYTES, .offset = offsetof(struct plan_proof, needed_bytes),
      .head = "needed", .help = "Minimum headroom that holds the peak queue that was found." },
    { "inside_lost_bytes", COLUMN_EXACT_BYTES,
      .offset = offsetof(struct plan_proof, inside_dropped) },
    { "inside_lost_packets", COLUMN_COUNT, .offset = offsetof(struct plan_proof, n_inside_lost) },
    { .kind = COLUMN_TEXT,
      .head = "with the plan",
      .get = get_inside,
      .help = "Loss in the worst case that was found, at one class of one port." },
    { "outside_bytes", COLUMN_EXACT_BYTES, .offset = offsetof(struct plan_proof, outside_bytes) },
    { "outside_lost_bytes", COLUMN_EXACT_BYTES,
      .offset = offsetof(struct plan_proof, outside_dropped) },
    { .kind = COLUMN_TEXT, .head = "with one byte less than needed", .get = get_outside },
    { "runs", COLUMN_COUNT, .offset = offsetof(struct plan_proof, n_runs) },
    { 0 },
};
