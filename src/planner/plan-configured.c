/* Writes the headroom that each port needs and has today, with the margin, the formula and new
 * profiles. */

#include <stdlib.h>

#include "base/array.h"
#include "plan/files.h"
#include "planner/planner.h"

/* Classes of ports with the same properties, compared with one formula. */
struct slot_row {
    const struct plan *p;
    struct plan_gap gap;
    const char *word;
};

static struct slot_row *
state_rows(const struct planner_shown *w, size_t *n)
{
    struct plan_gap *margins = plan_find_margins(w->p, &w->job->ask, n);
    struct plan_state *states = plan_find_states(w->p, n);
    struct slot_row *rows = array_new(*n + w->p->n_kinds, sizeof *rows);

    for (size_t i = 0; i < *n; i++) {
        rows[i] = (struct slot_row){ w->p, margins[i], plan_words[states[i].word] };
    }
    free(margins);
    free(states);
    return rows;
}

/* Adds kinds of ports whose headroom is unknown, with their need by the verdict's scheme. */
static void
add_unknown(const struct planner_shown *w, struct slot_row *rows, size_t *n)
{
    struct plan_verdict v = plan_judge(w->p, &w->job->ask);
    const struct plan_scheme *by = v.use ? v.use : v.nearest;
    size_t n_known = *n;

    for (size_t kind = 0; kind < w->p->n_kinds; kind++) {
        const struct plan_kind *k = &w->p->kinds[kind];
        size_t i = 0;
        while (i < n_known && rows[i].gap.kind != kind) {
            i++;
        }
        if (i == n_known) {
            struct plan_need need = plan_slot_need(w->p, by, k);
            struct plan_gap gap = { kind, k->lossless, by, COLUMN_NO_COUNT, need.headroom_bytes };
            rows[(*n)++] = (struct slot_row){ w->p, gap, "not known" };
        }
    }
}

static struct slot_row *
gap_rows(const struct plan *p, size_t *n)
{
    struct plan_gap *gaps = plan_find_gaps(p, n);
    struct slot_row *rows = array_new(*n, sizeof *rows);

    for (size_t i = 0; i < *n; i++) {
        rows[i] = (struct slot_row){ .p = p, .gap = gaps[i] };
    }
    free(gaps);
    return rows;
}

static void
put_margin(const struct plan_gap *gap, struct cell *cell)
{
    if (gap->has_bytes != COLUMN_NO_COUNT) {
        planner_add_margin(gap->needs_bytes, gap->has_bytes, cell_made(cell));
    }
}

COLUMN_GET(slot_row, get_ports, plan_fold_slots(r->p, r->gap.kind, r->gap.classes, cell_made(cell)))
COLUMN_GET(slot_row, get_classes, plan_add_classes(r->gap.classes, cell_made(cell)))
COLUMN_GET(slot_row, get_n_ports, cell_number(cell, r->p->kinds[r->gap.kind].n_ports))
COLUMN_GET(slot_row, get_link, planner_add_link(&r->p->kinds[r->gap.kind], cell_made(cell)))
COLUMN_GET(slot_row, get_needs, cell_number(cell, planner_rounded_up(r->gap.needs_bytes)))
COLUMN_GET(slot_row, get_margin, put_margin(&r->gap, cell))
COLUMN_GET(slot_row, get_by_key, cell_text(cell, r->gap.by->key))
COLUMN_GET(slot_row, get_by, cell_text(cell, planner_formula(r->gap.by)))
COLUMN_GET(slot_row, get_lacking, cell_number(cell, plan_short_bytes(&r->gap)))
COLUMN_GET(slot_row, get_lack, planner_add_lack(&r->gap, cell_made(cell)))

#define PORTS                                                                                      \
    { "ports", COLUMN_TEXT, .head = "ports", .get = get_ports, .help = "Ports that are alike." },  \
        { "n_ports", COLUMN_COUNT, .get = get_n_ports },                                           \
    {                                                                                              \
        "classes", COLUMN_TEXT, .get = get_classes                                                 \
    }
#define NEEDS                                                                                      \
    { "needs_bytes", COLUMN_BYTES, .offset = offsetof(struct slot_row, gap.needs_bytes) },         \
        { .kind = COLUMN_BYTES,                                                                    \
          .head = "needs",                                                                         \
          .get = get_needs,                                                                        \
          .help = "Headroom that each lossless class of these ports needs." },                     \
        { "scheme", COLUMN_TEXT, .get = get_by_key },                                              \
    {                                                                                              \
        .kind = COLUMN_TEXT, .head = "by", .get = get_by,                                          \
        .help = "The formula for the needed headroom."                                             \
    }
#define HAS                                                                                        \
    {                                                                                              \
        "configured_bytes", COLUMN_BYTES,                                                          \
            .offset = offsetof(struct slot_row, gap.has_bytes), .head = "has",                     \
            .help = "Headroom of a class of these ports today: xoff of its profile."               \
    }
#define SHORT                                                                                      \
    {                                                                                              \
        "short_bytes", COLUMN_BYTES, .get = get_lacking                                            \
    }

static const struct column state_columns[] = {
    PORTS,
    { .kind = COLUMN_TEXT, .head = "link", .get = get_link, .help = "Rate and cable." },
    NEEDS,
    HAS,
    SHORT,
    { .kind = COLUMN_TEXT,
      .head = "margin",
      .get = get_margin,
      .help = "The configured headroom less the needed headroom." },
    { "verdict", COLUMN_TEXT, .offset = offsetof(struct slot_row, word), .head = "verdict",
      .help = "enough: by every formula that applies here; broken: too little by every one; risky: "
              "formulas differ, so it depends on peers and packets." },
    { 0 },
};

static const struct column gap_columns[] = {
    PORTS, HAS, NEEDS, SHORT, { .kind = COLUMN_TEXT, .head = "difference", .get = get_lack }, { 0 },
};

/* Written profiles. */

static const char *const changes[] = { [PLAN_NEW] = "new",
                                       [PLAN_SAME] = "same",
                                       [PLAN_RAISED] = "raised",
                                       [PLAN_KEPT] = "kept",
                                       [PLAN_LOWERED] = "lowered" };

static void
put_was(const struct plan_written *r, bool is_size, struct cell *cell)
{
    if (r->was) {
        cell_number(cell, is_size ? r->was->size_bytes : r->was->xoff_bytes);
    }
}

COLUMN_GET(plan_written, get_name, cell_text(cell, r->name))
COLUMN_GET(plan_written, get_groups, cell_number(cell, r->n_groups))
COLUMN_GET(plan_written, get_old_xoff, put_was(r, false, cell))
COLUMN_GET(plan_written, get_old_size, put_was(r, true, cell))
COLUMN_GET(plan_written, get_change, cell_text(cell, changes[plan_change_of(r)]))

static const struct column written_columns[] = {
    { "profile", COLUMN_TEXT, .head = "profile", .get = get_name },
    { "groups", COLUMN_COUNT, .head = "groups", .get = get_groups,
      .help = "Number of priority groups (port and class) with this profile." },
    { "configured_bytes", COLUMN_EXACT_BYTES, .head = "xoff today", .get = get_old_xoff },
    { "needs_bytes", COLUMN_EXACT_BYTES, .offset = offsetof(struct plan_written, asked_bytes),
      .head = "formula", .help = "xoff by the formula, in whole KiB and cells." },
    { "xoff_bytes", COLUMN_EXACT_BYTES, .offset = offsetof(struct plan_written, xoff_bytes),
      .head = "xoff written" },
    { "configured_size_bytes", COLUMN_EXACT_BYTES, .head = "size today", .get = get_old_size },
    { "size_bytes", COLUMN_EXACT_BYTES, .offset = offsetof(struct plan_written, size_bytes),
      .head = "size written" },
    { "change", COLUMN_TEXT, .head = "change", .get = get_change,
      .help = "kept: the formula asks for less than is configured, and --may-lower is not given." },
    { 0 },
};

static bool
writes_profiles(const struct planner_shown *w)
{
    return w->job->sonic || w->job->lookup;
}

static void
write_written(struct sheet *s, const struct planner_shown *w)
{
    struct plan_patch patch = plan_patch_of(w->p, &w->job->ask);
    bool is_kept = false;

    sheet_table(s, &(struct form_table){ "profiles that are written", written_columns, patch.items,
                                         patch.n, sizeof *patch.items });
    for (size_t i = 0; i < patch.n; i++) {
        is_kept |= plan_change_of(&patch.items[i]) == PLAN_KEPT;
    }
    if (is_kept) {
        sheet_add_sentence(s, SHEET_LINE,
                           "The configured headroom exceeds the formula and is kept: --may-lower "
                           "writes the formula's.");
    }
    plan_patch_free(&patch);
}

void
planner_write_ports(struct sheet *s, const struct planner_shown *w)
{
    size_t n;
    struct slot_row *rows = state_rows(w, &n);

    add_unknown(w, rows, &n);
    sheet_table(s, &(struct form_table){ "headroom of each lossless class of a port", state_columns,
                                         rows, n, sizeof *rows });
    free(rows);
}

void
planner_write_gaps(struct sheet *s, const struct planner_shown *w)
{
    size_t n;
    struct slot_row *gaps = gap_rows(w->p, &n);

    if (n) {
        sheet_table(s, &(struct form_table){ "the same by every formula that applies here",
                                             gap_columns, gaps, n, sizeof *gaps });
    }
    free(gaps);
}

void
planner_write_profiles(struct sheet *s, const struct planner_shown *w)
{
    if (writes_profiles(w)) {
        write_written(s, w);
    }
}

void
planner_json_configured(struct json *j, const struct planner_shown *w)
{
    size_t n_states, n_gaps;
    struct slot_row *states = state_rows(w, &n_states), *gaps = gap_rows(w->p, &n_gaps);

    form_table_json(j, "ports",
                    &(struct form_table){ NULL, state_columns, states, n_states, sizeof *states });
    form_table_json(j, "configured",
                    &(struct form_table){ NULL, gap_columns, gaps, n_gaps, sizeof *gaps });
    if (writes_profiles(w)) {
        struct plan_patch patch = plan_patch_of(w->p, &w->job->ask);
        form_table_json(j, "written",
                        &(struct form_table){ NULL, written_columns, patch.items, patch.n,
                                              sizeof *patch.items });
        plan_patch_free(&patch);
    }
    free(states);
    free(gaps);
}
