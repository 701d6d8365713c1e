/* Draws the figures of papers from the runs that were kept, and finds the claims that go with a
 * drawing. */

#include "report/paper.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "answer/figure-name.h"
#include "answer/percentile.h"
#include "base/array.h"
#include "base/text.h"
#include "report/gather.h"
#include "weir/gate.h"

enum { MAX_POINTS = 400, CDF_POINTS = 100, MAX_SUBJECTS = 64, NAME_BYTES = 200, MAX_FIGURES = 200 };

#define PS_PER_S 1e12
#define BITS     8.0

bool
rep_paper_open(struct rep_paper *p, struct rec_file *file, struct err *err)
{
    *p = (struct rep_paper){ .file = file, .to_ps = INT64_MAX };
    bool good = rec_read(file, REC_FIGURE, 0, 0, MAX_FIGURES, &p->figures, err) &&
                rec_read_all(file, REC_SWEEP, 0, &p->sweeps, err) &&
                rec_read_all(file, REC_STATEMENT, 0, &p->scorecard, err) &&
                rec_read_all(file, REC_CLAIM, 0, &p->claims, err) &&
                rep_runs_read(&p->runs, file, err);

    if (!good) {
        rep_paper_close(p);
    }
    return good;
}

void
rep_paper_close(struct rep_paper *p)
{
    rec_rows_free(&p->figures, REC_FIGURE);
    rec_rows_free(&p->sweeps, REC_SWEEP);
    rec_rows_free(&p->scorecard, REC_STATEMENT);
    rec_rows_free(&p->claims, REC_CLAIM);
    rep_runs_free(&p->runs);
    *p = (struct rep_paper){ 0 };
}

uint64_t
rep_paper_sweep(const struct rep_paper *p, size_t i)
{
    uint64_t id = 0;

    for (size_t k = 0; k < p->sweeps.n; k++) {
        const struct rec_sweep *sweep = rec_row(&p->sweeps, REC_SWEEP, k);
        id = !strcmp(sweep->name, rep_paper_figure(p, i)->scenario) ? sweep->id : id;
    }
    return id;
}

/* Which runs. */

/* The first engine of a stack is the one that claims and figures speak of. */
static void
first_word(const char *words, char out[NAME_BYTES])
{
    snprintf(out, NAME_BYTES, "%.*s", (int)strcspn(words, " "), words);
}

static bool
is_drawn(const struct rec_figure *figure, const struct rec_run *run)
{
    char engine[NAME_BYTES];

    first_word(run->engines, engine);
    return !strcmp(run->name, figure->scenario) && strcmp(run->status, "running") &&
           (!figure->engines[0] || text_has_word(figure->engines, engine));
}

/* The same was run again later. */
static bool
is_old(const struct rep_paper *p, size_t i)
{
    const struct rec_run *run = p->runs.items[i].row;
    bool is = false;

    for (size_t k = i + 1; k < p->runs.n && !is; k++) {
        const struct rec_run *other = p->runs.items[k].row;
        is = !strcmp(other->name, run->name) && !strcmp(other->engines, run->engines) &&
             !strcmp(other->arbitration, run->arbitration);
    }
    return is;
}

static struct rep_curve *
add_curve(struct rep_drawing *d, const struct rep_run *run, const char *label, size_t n)
{
    char engine[NAME_BYTES];
    struct rep_curve *curve = &ARRAY_PUSH(d->curves, d->n, d->max);

    first_word(rep_run_row(run)->engines, engine);
    *curve = (struct rep_curve){ .engine = strdup(engine),
                                 .arbitration = strdup(rep_run_row(run)->arbitration),
                                 .label = strdup(label),
                                 .x = array_new(n, sizeof(double)),
                                 .y = array_new(n, sizeof(double)),
                                 .n = n };
    return curve;
}

void
rep_drawing_free(struct rep_drawing *d)
{
    for (size_t i = 0; i < d->n; i++) {
        free(d->curves[i].engine);
        free(d->curves[i].arbitration);
        free(d->curves[i].label);
        free(d->curves[i].x);
        free(d->curves[i].y);
    }
    free(d->curves);
    *d = (struct rep_drawing){ 0 };
}

/* Which series. */

static const struct rec_node *
node_at(const struct rep_run *run, uint32_t id)
{
    const struct rec_port *port = rep_run_at(run, REC_PORT, id);

    return port ? rep_run_at(run, REC_NODE, port->node) : NULL;
}

/* "S1 H1": the port of S1 towards H1. */
static bool
is_port(const struct rep_run *run, uint32_t id, const char *subject)
{
    const struct rec_port *port = rep_run_at(run, REC_PORT, id);
    const struct rec_node *node = node_at(run, id), *peer = port ? node_at(run, port->peer) : NULL;
    char name[2 * NAME_BYTES];

    if (!node || !peer) {
        return false;
    }
    snprintf(name, sizeof name, "%s %s", node->name, peer->name);
    return !strcmp(name, subject);
}

static bool
is_subject(const struct rep_run *run, const struct rec_figure *figure, const char *subject,
           const struct rec_series *s)
{
    bool is_of_hosts = !strcmp(figure->object, "hosts");
    const struct rec_node *node = is_of_hosts ? node_at(run, s->object_id) : NULL;
    const struct rec_flow *flow = rep_run_at(run, REC_FLOW, s->object_id);

    if (strcmp(s->quantity, figure->quantity) || s->flow != REC_NO_ID ||
        strcmp(s->object, is_of_hosts ? "port" : figure->object)) {
        return false;
    }
    return is_of_hosts                  ? node && !strcmp(node->kind, "nic")
           : !strcmp(s->object, "flow") ? flow && !strcmp(flow->name, subject)
                                        : is_port(run, s->object_id, subject);
}

/* Values. */

/* A rate without a limit is limited by its link; a series without either draws nothing. */
static double
level_of(const struct rep_run *run, const struct rec_series *s, const struct rep_range *v)
{
    const struct rec_port *port =
        !strcmp(s->object, "port") ? rep_run_at(run, REC_PORT, s->object_id) : NULL;

    return v->high != WEIR_UNLIMITED ? (double)v->high : port ? (double)port->rate_bps : NAN;
}

/* Several series are added up: classes of a port, all hosts. */
static double
sum_of(const struct rep_run *run, const struct rep_samples *samples, const uint32_t *ids,
       uint32_t row)
{
    double sum = 0;

    for (uint32_t i = 0; i < samples->n_series; i++) {
        const struct rec_series *s = rep_run_at(run, REC_SERIES, ids[i]);
        sum += level_of(run, s, &samples->values[(size_t)row * samples->n_series + i]);
    }
    return sum;
}

/* The value of a counter when the drawing begins. */
static double
sum_before(const struct rep_samples *samples)
{
    double sum = 0;

    for (uint32_t i = 0; i < samples->n_series; i++) {
        sum += (double)samples->before[i];
    }
    return sum;
}

/* How fast what only grows does so: bytes as bits per second, time as a share. */
static void
make_rates(struct rep_curve *curve, double before, double before_ps, bool is_time)
{
    double scale = is_time ? 1 : BITS * PS_PER_S;

    for (size_t i = 0; i < curve->n; i++) {
        double now = curve->y[i], ps = curve->x[i] - before_ps;
        curve->y[i] = ps > 0 ? (now - before) * scale / ps : 0;
        before = now;
        before_ps = curve->x[i];
    }
}

static void
add_samples(struct rep_drawing *d, const struct rep_run *run, const struct rep_samples *samples,
            const uint32_t *ids, const char *label)
{
    const struct rec_series *first = rep_run_at(run, REC_SERIES, ids[0]);
    struct rep_curve *curve = add_curve(d, run, label, samples->n_rows);
    bool is_time = !strcmp(first->unit, "ps");

    for (uint32_t row = 0; row < samples->n_rows; row++) {
        curve->x[row] = (double)samples->times_ps[row];
        curve->y[row] = sum_of(run, samples, ids, row);
    }
    bool is_rate = rec_only_grows(first->quantity);
    if (is_rate) {
        make_rates(curve, sum_before(samples), (double)samples->before_ps, is_time);
    }
    d->y_unit = is_time ? "share" : is_rate || !strcmp(first->unit, "bps") ? "bps" : "bytes";
}

static bool
draw_subject(struct rep_paper *p, struct rep_drawing *d, const struct rep_run *run,
             const struct rec_figure *figure, const char *subject, const char *label,
             struct err *err)
{
    uint32_t *ids = array_new(run->tables[REC_SERIES].n, sizeof *ids);
    struct rep_want want = rep_run_want(run, p->from_ps, p->to_ps);
    struct rep_samples samples;
    bool good = true;

    want.ids = ids;
    want.max_rows = MAX_POINTS;
    for (uint32_t i = 0; i < run->tables[REC_SERIES].n; i++) {
        if (is_subject(run, figure, subject, rep_run_at(run, REC_SERIES, i))) {
            ids[want.n_ids++] = i;
        }
    }
    if (want.n_ids) {
        good = rep_samples_read(&samples, p->file, &want, err);
        if (good) {
            add_samples(d, run, &samples, ids, label);
            rep_samples_free(&samples);
        }
    }
    free(ids);
    return good;
}

/* Over time: a line for each subject. */
static bool
draw_over_time(struct rep_paper *p, struct rep_drawing *d, const struct rep_run *run,
               const struct rec_figure *figure, struct err *err)
{
    const char *at = figure->subjects;
    bool good = true, is_one = !strchr(at, '\n') || !strchr(at, '\n')[1];

    d->x_unit = "ps";
    for (size_t n = 0; *at && good && n < MAX_SUBJECTS; n++) {
        char subject[2 * NAME_BYTES];
        size_t len = strcspn(at, "\n");
        snprintf(subject, sizeof subject, "%.*s", (int)len, at);
        good = draw_subject(p, d, run, figure, subject, is_one ? "" : subject, err);
        at += len + (at[len] == '\n');
    }
    return good;
}

/* A distribution over the flows that have ended: which share took at most so long. */
static bool
draw_flows(struct rep_drawing *d, const struct rep_run *run, const struct rec_figure *figure)
{
    bool is_slowdown = !strcmp(figure->quantity, "slowdown");
    double *values = array_new(run->tables[REC_FLOW].n, sizeof *values);
    size_t n = 0;

    for (size_t i = 0; i < run->tables[REC_FLOW].n; i++) {
        const struct rec_flow *flow = rep_run_at(run, REC_FLOW, i);
        double took = (double)(flow->finished_ps - flow->start_ps);
        if (flow->finished_ps >= 0 && flow->is_warm_up == 0 && flow->ideal_ps > 0) {
            values[n++] = is_slowdown ? took / (double)flow->ideal_ps : took;
        }
    }
    d->x_unit = is_slowdown ? "times" : "ps";
    d->y_unit = "share";
    percentile_sort(values, n);
    struct rep_curve *curve = add_curve(d, run, "", n ? CDF_POINTS + 1 : 0);
    for (size_t i = 0; i < curve->n; i++) {
        curve->x[i] = percentile_of(values, n, i * 1000 / CDF_POINTS);
        curve->y[i] = (double)i / CDF_POINTS;
    }
    free(values);
    return true;
}

static bool
draw_run(struct rep_paper *p, struct rep_drawing *d, const struct rec_figure *figure, uint64_t id,
         struct err *err)
{
    struct rep_run run;
    bool good = rep_run_read_series(&run, p->file, id, err);

    if (!good) {
        return false;
    }
    good = rec_read_all(p->file, REC_NODE, id, &run.tables[REC_NODE], err) &&
           rec_read_all(p->file, REC_FLOW, id, &run.tables[REC_FLOW], err) &&
           (!strcmp(figure->object, "flows") ? draw_flows(d, &run, figure)
                                             : draw_over_time(p, d, &run, figure, err));
    rep_run_free(&run);
    return good;
}

bool
rep_paper_draw(struct rep_paper *p, size_t i, struct rep_drawing *d, struct err *err)
{
    const struct rec_figure *figure = rep_paper_figure(p, i);
    bool good = true, is_of_sweep = !strcmp(figure->object, "sweep");

    *d = (struct rep_drawing){ .x_unit = "", .y_unit = "" };
    for (size_t k = 0; k < p->runs.n && good && !is_of_sweep; k++) {
        const struct rec_run *run = p->runs.items[k].row;
        if (is_drawn(figure, run) && !is_old(p, k)) {
            good = draw_run(p, d, figure, run->id, err);
        }
    }
    if (!good) {
        rep_drawing_free(d);
    }
    return good;
}

/* Published values. */

/* How a claim calls what is drawn over time; a sweep has one name for both. */
static const struct {
    const char *quantity, *what;
} claimed[] = { { "queue", "queue" }, { "received", "goodput" }, { "rate", "rate" } };

static bool
begins(const char *text, const char *start)
{
    return !strncmp(text, start, strlen(start));
}

static bool
is_quantity(const struct rec_figure *figure, const struct rec_claim *claim)
{
    bool is = !strcmp(figure->object, "sweep") && !strcmp(claim->what, figure->quantity);

    for (size_t i = 0; i < sizeof claimed / sizeof *claimed && !is; i++) {
        is = strcmp(figure->object, "sweep") && !strcmp(claimed[i].quantity, figure->quantity) &&
             begins(claim->what, claimed[i].what);
    }
    return is;
}

/* A claim says which runs of a study it is about: "five, switch.transfer=held". */
static bool
is_scenario(const struct rec_figure *figure, const struct rec_claim *claim)
{
    char after =
        begins(claim->scenario, figure->scenario) ? claim->scenario[strlen(figure->scenario)] : '?';

    return !after || after == ',';
}

static bool
is_figure(const struct rec_figure *figure, const struct rec_claim *claim)
{
    char name[FIGURE_NAME_BYTES];

    figure_name(claim->source, name);
    return !strcmp(claim->study, figure->study) && !strcmp(name, figure->name);
}

static bool
is_there(const struct rep_published *all, size_t n, const struct rep_published *new)
{
    bool is = false;

    for (size_t i = 0; i < n && !is; i++) {
        is = !strcmp(all[i].engine, new->engine) &&
             all[i].sign == new->sign &&all[i].value == new->value;
    }
    return is;
}

struct rep_published *
rep_paper_published(const struct rep_paper *p, size_t i, const char *unit, size_t *n)
{
    const struct rec_figure *figure = rep_paper_figure(p, i);
    struct rep_published *all = NULL;
    size_t max = 0;

    *n = 0;
    for (size_t k = 0; k < p->claims.n; k++) {
        const struct rec_claim *claim = rec_row(&p->claims, REC_CLAIM, k);
        struct rep_published new = { claim->engine, claim->sign[0], claim->published };
        if (is_figure(figure, claim) && is_scenario(figure, claim) && is_quantity(figure, claim) &&
            (!unit[0] || !strcmp(claim->unit, unit)) && !is_there(all, *n, &new)) {
            ARRAY_PUSH(all, *n, max) = new;
        }
    }
    return all;
}
