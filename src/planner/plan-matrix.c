/* `weir plan --rate 25Gbps,100Gbps --cable 5m,300m`: every rate with every cable.
 *
 * The text has a matrix for each scheme, with a row for each rate and a column for each cable. JSON
 * lists all combinations under all schemes. */

#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "planner/planner.h"

struct point {
    size_t rate, cable; /* Indices into the lists of rates and cables. */
    uint64_t rate_bps, cable_mm;
    const struct plan_scheme *scheme;
    uint64_t headroom_bytes, least_bytes,
        buffer_bytes; /* The headroom is that of the port with the largest need. */
    bool fits, is_to_use;
};

struct matrix {
    const struct planner_job *job;
    size_t n_rates, n_cables;
    struct point *points;
    size_t n, max;
    bool is_known, any_fits;
};

/* Forms for programs. */

static void
put_known(struct cell *cell, const struct point *r, uint64_t number)
{
    if (r->buffer_bytes != WEIR_AUTO) {
        cell_number(cell, number);
    }
}

COLUMN_GET(point, get_key, cell_text(cell, r->scheme->key))
COLUMN_GET(point, get_fits, put_known(cell, r, r->fits))
COLUMN_GET(point, get_short,
           put_known(cell, r,
                     r->least_bytes > r->buffer_bytes ? r->least_bytes - r->buffer_bytes : 0))
COLUMN_GET(point, get_use, cell_number(cell, r->is_to_use))

static const struct column point_columns[] = {
    { "rate_bps", COLUMN_RATE, .offset = offsetof(struct point, rate_bps) },
    { "cable_m", COLUMN_LENGTH, .offset = offsetof(struct point, cable_mm) },
    { "scheme", COLUMN_TEXT, .get = get_key },
    { "headroom_bytes", COLUMN_EXACT_BYTES, .offset = offsetof(struct point, headroom_bytes) },
    { "least_bytes", COLUMN_EXACT_BYTES, .offset = offsetof(struct point, least_bytes) },
    { "fits", COLUMN_YES, .get = get_fits },
    { "short_bytes", COLUMN_EXACT_BYTES, .get = get_short },
    { "use", COLUMN_YES, .get = get_use },
    { 0 },
};

static struct form_table
points_of(const struct matrix *m)
{
    return (struct form_table){ NULL, point_columns, m->points, m->n, sizeof *m->points };
}

static void
json_points(struct json *j, const void *of)
{
    struct form_table t = points_of(of);

    json_open(j, NULL, '{');
    form_table_json(j, "matrix", &t);
    json_close(j, '}');
}

/* Forms for users. */

struct matrix_row {
    const struct matrix *m;
    const struct plan_scheme *scheme; /* Null: the recommended scheme. */
    size_t rate;
};

static const struct point *
find_point(const struct matrix_row *r, size_t cable)
{
    for (size_t i = 0; i < r->m->n; i++) {
        const struct point *p = &r->m->points[i];
        if (p->rate == r->rate && p->cable == cable &&
            (r->scheme ? p->scheme == r->scheme : p->is_to_use)) {
            return p;
        }
    }
    return NULL;
}

/* A point with this rate and cable, of any scheme: all schemes have such a point. */
static const struct point *
any_point(const struct matrix *m, size_t rate, size_t cable)
{
    const struct point *p = m->points;

    while (p->rate != rate || p->cable != cable) {
        p++;
    }
    return p;
}

static bool
is_read(const struct matrix *m, const char *field)
{
    return m->job->from && !plan_is_given(&m->job->ask, field);
}

static void
get_row_rate(const void *row, const struct column *c, struct cell *cell)
{
    const struct matrix_row *r = row;

    (void)c;
    weir_text_add(cell_made(cell), is_read(r->m, "rate") ? "as read" : "%r",
                  any_point(r->m, r->rate, 0)->rate_bps);
}

/* Adds a cell such as "53.3 KB", and the violation if there is one. For the recommended scheme it
 * adds the name of the scheme, too. */
static void
get_point(const void *row, const struct column *c, struct cell *cell)
{
    const struct matrix_row *r = row;
    const struct point *p = find_point(r, c->nth);

    if (!p) {
        cell_text(cell, r->scheme ? "" : "nothing fits");
        return;
    }
    weir_text_add(cell_made(cell), "%b", planner_rounded_up(p->headroom_bytes));
    if (!r->scheme) {
        weir_text_add(cell_made(cell), " by %s", planner_formula(p->scheme));
    } else if (r->m->is_known && !p->fits) {
        weir_text_add(cell_made(cell), " does not fit");
    }
}

static void
write_matrix(struct sheet *s, const struct matrix *m, const struct plan_scheme *scheme,
             const char *title)
{
    struct matrix_row rows[PLANNER_MAX_VALUES];
    struct column columns[PLANNER_MAX_VALUES + 2] = {
        { .kind = COLUMN_TEXT, .head = "rate", .get = get_row_rate }
    };
    struct weir_text heads[PLANNER_MAX_VALUES] = { 0 };

    for (size_t i = 0; i < m->n_rates; i++) {
        rows[i] = (struct matrix_row){ m, scheme, i };
    }
    for (size_t i = 0; i < m->n_cables; i++) {
        if (is_read(m, "cable")) {
            weir_text_add(&heads[i], "cables as read");
        } else {
            value_add_length(&heads[i], any_point(m, 0, i)->cable_mm);
        }
        columns[i + 1] =
            (struct column){ .kind = COLUMN_TEXT,
                             .head = heads[i].s,
                             .get = get_point,
                             .help =
                                 "Headroom of one class of one port with cables of that length; of "
                                 "several kinds of ports, the maximum.",
                             .nth = i };
    }
    sheet_table(s, &(struct form_table){ title, columns, rows, m->n_rates, sizeof *rows });
}

static uint64_t
count_uses(const struct matrix *m, const struct plan_scheme *s)
{
    uint64_t n = 0;

    for (size_t i = 0; i < m->n; i++) {
        n += m->points[i].is_to_use && m->points[i].scheme == s;
    }
    return n;
}

static void
write_verdict(struct sheet *s, const struct matrix *m)
{
    struct weir_text said = { 0 };
    uint64_t n_left = m->n_rates * m->n_cables;
    const char *before = "use ";

    weir_text_add(&said, "%u combinations of rate and cable: ", n_left);
    for (const struct plan_scheme *scheme = plan_schemes; scheme->key; scheme++) {
        uint64_t n = count_uses(m, scheme);
        if (n) {
            weir_text_add(&said, "%s%s for %u", before, scheme->title, n);
            before = "; ";
            n_left -= n;
        }
    }
    if (n_left) {
        weir_text_add(&said, "%snothing fits for %u", before[0] == ';' ? before : "", n_left);
    }
    weir_text_add(&said, m->is_known ? "." : "; whether they fit is not known without --buffer.");
    sheet_add_sentence(s, SHEET_VERDICT, said.s);
}

/* Writes the matrices. By default these are only those of PFC's schemes, because there are many
 * schemes. */
static void
write_matrices(struct sheet *s, const void *of)
{
    const struct matrix *m = of;

    write_verdict(s, m);
    planner_write_inputs(s, m->job);
    write_matrix(s, m, NULL, "what to use, and its headroom for each class of each port");
    for (const struct plan_scheme *scheme = plan_schemes; scheme->key; scheme++) {
        struct matrix_row row = { m, scheme, 0 };
        bool is_pfc = !strncmp(scheme->key, "pfc", 3);
        if (find_point(&row, 0) && (m->job->ask.n_schemes || is_pfc)) {
            write_matrix(s, m, scheme, scheme->title);
        }
    }
}

/* Combinations of rates and cables. */

static void
add_points(struct matrix *m, const struct plan *p, size_t rate, size_t cable)
{
    struct plan_verdict v = plan_judge(p, &m->job->ask);

    m->is_known = p->in.buffer_bytes != WEIR_AUTO;
    m->any_fits |= v.use != NULL;
    for (const struct plan_scheme *s = plan_schemes; s->key; s++) {
        struct plan_need need = plan_need(p, s);
        if (!plan_is_wanted(&m->job->ask, p, s)) {
            continue;
        }
        struct point point = { .rate = rate,
                               .cable = cable,
                               .rate_bps = p->kinds[0].link.rate_bps,
                               .cable_mm = p->kinds[0].cable_mm,
                               .scheme = s,
                               .least_bytes = plan_least_bytes(&need),
                               .buffer_bytes = p->in.buffer_bytes,
                               .fits = m->is_known && plan_fits(p, s),
                               .is_to_use = s == v.use };
        for (size_t i = 0; i < p->n_kinds; i++) {
            uint64_t bytes = plan_slot_need(p, s, &p->kinds[i]).headroom_bytes;
            point.headroom_bytes = bytes > point.headroom_bytes ? bytes : point.headroom_bytes;
        }
        ARRAY_PUSH(m->points, m->n, m->max) = point;
    }
}

static int
add_combination(struct matrix *m, size_t rate, size_t cable, struct err *err)
{
    struct planner_job job = *m->job;
    struct plan plan = { 0 };

    if (job.rates.n) {
        job.ask.in.rate_bps = job.rates.items[rate];
    }
    if (job.cables.n) {
        job.ask.in.cable_mm = job.cables.items[cable];
    }
    int code = planner_read(&plan, &job, err);
    if (code == EXIT_GOOD) {
        add_points(m, &plan, rate, cable);
    }
    plan_free(&plan);
    return code;
}

bool
planner_is_matrix(const struct planner_job *job)
{
    return job->rates.n || job->cables.n;
}

int
planner_matrix(const struct planner_job *job, struct err *err)
{
    struct matrix m = { .job = job,
                        .n_rates = job->rates.n ? job->rates.n : 1,
                        .n_cables = job->cables.n ? job->cables.n : 1 };
    int code = EXIT_GOOD;

    for (size_t i = 0; i < m.n_rates * m.n_cables && code == EXIT_GOOD; i++) {
        code = add_combination(&m, i / m.n_cables, i % m.n_cables, err);
    }
    if (code == EXIT_GOOD) {
        code = planner_answer_write(job,
                                    &(struct planner_answer){ "Headroom by rate and cable", &m,
                                                              write_matrices, points_of(&m),
                                                              json_points },
                                    err);
    }
    if (code == EXIT_GOOD && !m.any_fits) {
        code = run_fail_command(err, EXIT_DIFFERS,
                                "plan: none of these schemes fits any of these combinations");
    }
    free(m.points);
    return code;
}
