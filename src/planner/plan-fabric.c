/* Plans a whole fabric in one table: switches with the same properties share a row, and one verdict
 * covers all of them. */

#include <stdlib.h>

#include "base/array.h"
#include "planner/planner.h"

struct fabric_row {
    const struct fabric *of;
    size_t group, n_switches;
    const struct plan *p; /* The plan of the first switch of the group. */
    struct plan_verdict verdict;
    /* The states of ports, the worst first; none: no headroom is known. */
    struct plan_state *states;
    size_t n_states;
    struct plan_proof *proofs; /* The results of --verify. */
    size_t n_proofs;
};

struct fabric {
    const struct planner_job *job;
    struct plan *plans; /* The plans of all switches. */
    size_t n_plans;
    size_t *group_of; /* [plan]: its group. */
    struct fabric_row *rows;
    size_t n_rows, max_rows;
};

/* Columns of the table. */

static void
put_names(const struct fabric_row *r, struct cell *cell)
{
    const struct fabric *f = r->of;
    struct plan_name *names = array_new(f->n_plans, sizeof *names);

    for (size_t i = 0; i < f->n_plans; i++) {
        names[i] = (struct plan_name){ f->plans[i].name, f->group_of[i] == r->group };
    }
    plan_fold_names(names, f->n_plans, cell_made(cell));
    free(names);
}

/* Adds the ports of a switch, such as "24 of 100 Gb/s, 5 m; 8 of 400 Gb/s, 300 m". */
static void
put_ports(const struct fabric_row *r, struct cell *cell)
{
    for (size_t i = 0; i < r->p->n_kinds; i++) {
        const struct plan_kind *k = &r->p->kinds[i];
        weir_text_add(cell_made(cell), "%s%u of ", i ? "; " : "", (uint64_t)k->n_ports);
        planner_add_link(k, cell_made(cell));
    }
}

static void
put_buffer(const struct fabric_row *r, struct cell *cell)
{
    if (r->p->in.buffer_bytes != WEIR_AUTO) {
        cell_number(cell, r->p->in.buffer_bytes);
    }
}

static void
put_headroom(const struct fabric_row *r, bool is_rounded, struct cell *cell)
{
    if (r->verdict.use) {
        uint64_t bytes = plan_need(r->p, r->verdict.use).headroom_bytes;
        cell_number(cell, is_rounded ? planner_rounded_up(bytes) : bytes);
    }
}

static void
put_use(const struct fabric_row *r, bool is_key, struct cell *cell)
{
    const struct plan_scheme *use = r->verdict.use;

    if (use) {
        cell_text(cell, is_key ? use->key : use->title);
    } else if (!is_key) {
        cell_text(cell, "nothing");
    }
}

static void
put_fits(const struct fabric_row *r, struct cell *cell)
{
    const struct plan_scheme *s = r->verdict.use ? r->verdict.use : r->verdict.nearest;

    if (r->p->in.buffer_bytes == WEIR_AUTO) {
        weir_text_add(cell_made(cell), "not known");
    } else {
        planner_add_fits(r->p, s, cell_made(cell));
    }
}

/* Whether the worst rating of a switch's ports is known. */
static bool
knows_word(const struct fabric_row *r)
{
    return r->n_states && (plan_worst_word(r->p) || plan_knows_configured(r->p));
}

/* Adds all ports without enough headroom: "broken: Ethernet20, class 4; risky: Ethernet0-92". */
static void
put_today(const struct fabric_row *r, struct cell *cell)
{
    enum plan_word pool = plan_pool_word(r->p);

    if (r->n_states && plan_worst_word(r->p) == PLAN_ENOUGH) {
        weir_text_add(cell_made(cell), "enough%s",
                      plan_knows_configured(r->p) ? "" : ", where it is known");
    }
    if (pool) {
        weir_text_add(cell_made(cell), "%s: shared headroom pool", plan_words[pool]);
    }
    for (size_t i = 0; i < r->n_states && r->states[i].word; i++) {
        const struct plan_state *state = &r->states[i];
        weir_text_add(cell_made(cell), "%s%s: ", i || pool ? "; " : "", plan_words[state->word]);
        plan_fold_slots(r->p, state->kind, state->classes, cell_made(cell));
    }
}

COLUMN_GET(fabric_row, get_names, put_names(r, cell))
COLUMN_GET(fabric_row, get_n_switches, cell_number(cell, r->n_switches))
COLUMN_GET(fabric_row, get_ports, put_ports(r, cell))
COLUMN_GET(fabric_row, get_buffer, put_buffer(r, cell))
COLUMN_GET(fabric_row, get_use_key, put_use(r, true, cell))
COLUMN_GET(fabric_row, get_use, put_use(r, false, cell))
COLUMN_GET(fabric_row, get_exact_headroom, put_headroom(r, false, cell))
COLUMN_GET(fabric_row, get_headroom, put_headroom(r, true, cell))
COLUMN_GET(fabric_row, get_fits, put_fits(r, cell))
COLUMN_GET(fabric_row, get_word,
           cell_text(cell, knows_word(r) ? plan_words[plan_worst_word(r->p)] : NULL))
COLUMN_GET(fabric_row, get_today, put_today(r, cell))

static const struct column columns[] = {
    { "switches", COLUMN_TEXT, .head = "switches", .get = get_names,
      .help = "Switches that are alike." },
    { "n_switches", COLUMN_COUNT, .get = get_n_switches },
    { "ports", COLUMN_TEXT, .head = "lossless ports", .get = get_ports,
      .help = "Ports that have lossless classes." },
    { "buffer_bytes", COLUMN_BYTES, .head = "buffer", .get = get_buffer,
      .help = "Buffer of the chip for lossless classes." },
    { "use", COLUMN_TEXT, .get = get_use_key },
    { .kind = COLUMN_TEXT,
      .head = "use",
      .get = get_use,
      .help = "The scheme, or the formula of PFC, to plan with." },
    { "headroom_bytes", COLUMN_BYTES, .get = get_exact_headroom },
    { .kind = COLUMN_BYTES,
      .head = "headroom",
      .get = get_headroom,
      .help = "Sum over all ports and classes with this scheme." },
    { "says", COLUMN_TEXT, .head = "fits", .get = get_fits,
      .help = "Whether the plan fits the buffer, and by how much." },
    { "verdict", COLUMN_TEXT, .get = get_word },
    { "configured", COLUMN_TEXT, .head = "configured today", .get = get_today,
      .help = "The ports whose headroom is not enough today by every formula that applies." },
    { 0 },
};

static struct form_table
table_of(const struct fabric *f)
{
    return (struct form_table){ "the switches", columns, f->rows, f->n_rows, sizeof *f->rows };
}

/* The verdict for all switches. */

struct sums {
    size_t n_fitting, n_unknown;
    /* [rating]: the number of switches whose worst port has this rating. */
    size_t n_words[PLAN_BROKEN + 1];
    size_t n_configured; /* The number of switches with known headroom. */
};

static struct sums
sums_of(const struct fabric *f)
{
    struct sums sums = { 0 };

    for (size_t i = 0; i < f->n_rows; i++) {
        const struct fabric_row *r = &f->rows[i];
        bool is_known = r->p->in.buffer_bytes != WEIR_AUTO;
        sums.n_unknown += is_known ? 0 : r->n_switches;
        sums.n_fitting += is_known && r->verdict.use ? r->n_switches : 0;
        if (knows_word(r)) {
            sums.n_words[plan_worst_word(r->p)] += r->n_switches;
            sums.n_configured += r->n_switches;
        }
    }
    return sums;
}

static bool
is_good(const struct fabric *f)
{
    struct sums sums = sums_of(f);
    return sums.n_fitting + sums.n_unknown == f->n_plans;
}

/* Adds a sentence such as "Configured today: 1 broken (leaf1), 3 enough." */
static void
add_words(const struct fabric *f, const struct sums *sums, struct weir_text *said)
{
    const char *before = " Configured today: ";

    for (int word = PLAN_BROKEN; word >= PLAN_ENOUGH; word--) {
        if (!sums->n_words[word]) {
            continue;
        }
        weir_text_add(said, "%s%u %s", before, (uint64_t)sums->n_words[word], plan_words[word]);
        before = ", ";
    }
    if (sums->n_configured < f->n_plans) {
        weir_text_add(said, "%s%u not known", before, (uint64_t)(f->n_plans - sums->n_configured));
    }
    weir_text_add(said, ".");
}

static void
add_verdict(const struct fabric *f, struct weir_text *said)
{
    struct sums sums = sums_of(f);

    weir_text_add(said, "%u switch%s: ", (uint64_t)f->n_plans, f->n_plans > 1 ? "es" : "");
    if (sums.n_unknown == f->n_plans) {
        weir_text_add(said, "whether a plan fits is not known without --buffer.");
    } else if (is_good(f)) {
        weir_text_add(said, "a plan fits on all of them%s.",
                      sums.n_unknown ? " whose buffer is known" : "");
    } else {
        weir_text_add(said, "nothing fits on %u of them.",
                      (uint64_t)(f->n_plans - sums.n_fitting - sums.n_unknown));
    }
    if (sums.n_configured) {
        add_words(f, &sums, said);
    }
}

static struct planner_shown
shown_of(const struct fabric *f, const struct fabric_row *r)
{
    return (struct planner_shown){
        .p = r->p, .job = f->job, .proofs = r->proofs, .n_proofs = r->n_proofs
    };
}

/* Writes the details of one switch, which represents all switches with the same properties. */
static void
write_row(struct sheet *s, const struct fabric *f, const struct fabric_row *r)
{
    struct planner_shown shown = shown_of(f, r);
    struct weir_text said[PLANNER_MAX_WARNINGS];
    size_t n = planner_add_warnings(&shown, said);
    struct cell names = { 0 };

    if (n || f->job->details || r->n_proofs) {
        put_names(r, &names);
        sheet_add_sentence(s, SHEET_HEADING, cell_words(&names));
    }
    for (size_t i = 0; i < n; i++) {
        sheet_add_sentence(s, SHEET_WARNING, said[i].s);
    }
    if (f->job->details) {
        planner_write_ports(s, &shown);
        planner_write_gaps(s, &shown);
    }
    planner_write_proofs(s, &shown);
}

static void
write_fabric(struct sheet *s, const void *of)
{
    const struct fabric *f = of;
    struct form_table t = table_of(f);
    struct weir_text verdict = { 0 };

    add_verdict(f, &verdict);
    sheet_add_sentence(s, SHEET_VERDICT, verdict.s);
    planner_write_inputs(s, f->job);
    sheet_table(s, &t);
    for (size_t i = 0; i < f->n_rows; i++) {
        write_row(s, f, &f->rows[i]);
    }
}

static void
json_fabric(struct json *j, const void *of)
{
    const struct fabric *f = of;
    struct form_table t = table_of(f);
    struct weir_text verdict = { 0 };

    add_verdict(f, &verdict);
    json_open(j, NULL, '{');
    json_text(j, "verdict", verdict.s);
    json_bool(j, "fits", is_good(f));
    json_number(j, "n_switches", f->n_plans);
    json_open(j, "switches", '[');
    for (size_t i = 0; i < f->n_rows; i++) {
        struct planner_shown shown = shown_of(f, &f->rows[i]);
        json_open(j, NULL, '{');
        form_table_json_row(j, &t, i);
        planner_json_at(j, "plan", &shown);
        json_close(j, '}');
    }
    json_close(j, ']');
    json_close(j, '}');
}

/* Groups of switches with the same properties. */

static void
add_group(struct fabric *f, size_t plan)
{
    const struct plan *p = &f->plans[plan];
    struct fabric_row row = {
        .of = f, .group = f->n_rows, .p = p, .verdict = plan_judge(p, &f->job->ask)
    };

    row.states = plan_find_states(p, &row.n_states);
    ARRAY_PUSH(f->rows, f->n_rows, f->max_rows) = row;
}

static void
fold(struct fabric *f)
{
    f->group_of = array_new(f->n_plans, sizeof *f->group_of);
    for (size_t i = 0; i < f->n_plans; i++) {
        size_t group = 0;
        while (group < f->n_rows && !plan_is_alike(f->rows[group].p, &f->plans[i])) {
            group++;
        }
        if (group == f->n_rows) {
            add_group(f, i);
        }
        f->rows[group].n_switches++;
        f->group_of[i] = group;
    }
}

static void
release(struct fabric *f)
{
    for (size_t i = 0; i < f->n_rows; i++) {
        free(f->rows[i].states);
        free(f->rows[i].proofs);
    }
    for (size_t i = 0; i < f->n_plans; i++) {
        plan_free(&f->plans[i]);
    }
    free(f->rows);
    free(f->group_of);
    free(f->plans);
}

/* Simulates the worst case of every group of switches. */
static int
verify(struct fabric *f, struct err *err)
{
    struct err why;

    for (size_t i = 0; i < f->n_rows && f->job->verify; i++) {
        struct fabric_row *r = &f->rows[i];
        if (f->job->progress) {
            f->job->progress(f->job->arg, i, f->n_rows);
        }
        r->proofs = verify_plan(r->p, &f->job->ask, &r->n_proofs, &why);
        if (!r->proofs) {
            return run_fail_command(err, EXIT_USER, "plan: --verify: %s: %s", r->p->name, why.text);
        }
    }
    return EXIT_GOOD;
}

static int
verdict_code(const struct fabric *f, struct err *err)
{
    bool holds = true, is_lacking = false;

    if (!is_good(f)) {
        return run_fail_command(err, EXIT_DIFFERS,
                                "plan: there are switches on which none of these schemes fits");
    }
    for (size_t i = 0; i < f->n_rows; i++) {
        holds &= verify_holds(f->rows[i].proofs, f->rows[i].n_proofs);
        is_lacking |= plan_is_lacking(f->rows[i].p, &f->job->ask);
    }
    return !holds ? EXIT_PROMISE : is_lacking ? EXIT_DIFFERS : EXIT_GOOD;
}

int
planner_fabric(const struct planner_job *job, struct err *err)
{
    struct fabric f = { .job = job };
    int code = planner_read_fabric(&f.plans, &f.n_plans, job, err);

    if (code == EXIT_GOOD) {
        fold(&f);
        code = verify(&f, err);
    }
    if (code == EXIT_GOOD) {
        code = planner_answer_write(
            job,
            &(struct planner_answer){ "A fabric", &f, write_fabric, table_of(&f), json_fabric },
            err);
    }
    code = code == EXIT_GOOD ? verdict_code(&f, err) : code;
    release(&f);
    return code;
}
