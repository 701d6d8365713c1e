/* Figures of single runs: quantities over time, and flows that have ended. */

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "answer/percentile.h"
#include "base/array.h"
#include "base/text.h"
#include "report/gather.h"
#include "report/paper-parts.h"
#include "weir/gate.h"

enum { MAX_POINTS = 400, CDF_POINTS = 100 };

#define PS_PER_S 1e12
#define BITS     8.0

/* A run that is drawn, with its line and panel. */
struct drawn {
    struct rep_paper *p;
    const struct rec_figure *figure;
    struct rep_panels *panels;
    struct rep_run run;
    struct rep_port_names ports;
    const char *line, *panel;
    char y_unit[24];
};

/* Selection of runs. */

/* Whether a figure draws a run. Figures name a run by the first engine of its stack. */
static bool
is_drawn(const struct rec_run *run, char parts[5][REP_PART_BYTES])
{
    size_t len = strcspn(run->engines, " ");
    bool is_engine =
        !parts[1][0] || (strlen(parts[1]) == len && !strncmp(run->engines, parts[1], len));

    return !strcmp(run->name, parts[0]) && strcmp(run->status, "running") && is_engine &&
           (!parts[2][0] || !strcmp(run->arbitration, parts[2]));
}

/* Finds the newest run that a figure draws; 0: the file has none. */
static uint64_t
find_run(const struct rep_paper *p, char parts[5][REP_PART_BYTES])
{
    uint64_t id = 0;

    for (size_t k = 0; k < p->runs.n; k++) {
        const struct rec_run *run = p->runs.items[k].row;
        id = is_drawn(run, parts) ? run->id : id;
    }
    return id;
}

/* Selection of series. */

static const struct rec_node *
node_at(const struct rep_run *run, uint32_t id)
{
    const struct rec_port *port = rep_run_at(run, REC_PORT, id);

    return port ? rep_run_at(run, REC_NODE, port->node) : NULL;
}

/* Whether a subject names the port: "S1 H1" is the port of S1 towards H1. */
static bool
is_port(const struct drawn *d, uint32_t id, const char *subject)
{
    char here[REP_PORT_BYTES], there[REP_PORT_BYTES], name[2 * REP_PORT_BYTES];

    snprintf(name, sizeof name, "%s %s", rep_port_name(&d->ports, id, here),
             rep_peer_name(&d->ports, id, there));
    return !strcmp(name, subject);
}

static bool
is_flow(const struct rep_run *run, uint32_t id, const char *name)
{
    const struct rec_flow *flow = rep_run_at(run, REC_FLOW, id);

    return flow && !strcmp(flow->name, name);
}

/* Whether the port of a series belongs to the figure: the subject names the port, or means all
 * ports of hosts or of a switch. */
static bool
is_object(const struct drawn *d, const char *subject, uint32_t port)
{
    const char *object = d->figure->object;
    const struct rec_node *node = node_at(&d->run, port);

    return !strcmp(object, "hosts")    ? node && !strcmp(node->kind, "nic")
           : !strcmp(object, "switch") ? node && !strcmp(node->name, subject)
                                       : is_port(d, port, subject);
}

/* The recorded quantity from which another one is computed. */
static const char *
recorded_as(const char *quantity)
{
    return !strcmp(quantity, "buffer") ? "queue" : !strcmp(quantity, "raw") ? "sent" : quantity;
}

static bool
is_subject(const struct drawn *d, char subject[3][REP_PART_BYTES], const struct rec_series *s)
{
    bool is_of_flow = !strcmp(d->figure->object, "flow");
    bool is_held = s->flow != REC_NO_ID;

    if (strcmp(s->quantity, recorded_as(d->figure->quantity)) ||
        strcmp(s->object, is_of_flow ? "flow" : "port") || is_held != (subject[2][0] != '\0')) {
        return false;
    }
    return (!is_held || is_flow(&d->run, s->flow, subject[2])) &&
           (is_of_flow ? is_flow(&d->run, s->object_id, subject[1])
                       : is_object(d, subject[1], s->object_id));
}

/* Values. */

/* The level of a sample. A rate without a limit is that of the link; if there is no link it is NAN,
 * which draws nothing. */
static double
level_of(const struct rep_run *run, const struct rec_series *s, const struct rep_range *v)
{
    const struct rec_port *port =
        !strcmp(s->object, "port") ? rep_run_at(run, REC_PORT, s->object_id) : NULL;

    return v->high != WEIR_UNLIMITED ? (double)v->high : port ? (double)port->rate_bps : NAN;
}

/* Sums up several series, such as the classes of a port or all hosts. */
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

/* The sum of counters when the drawing begins. */
static double
sum_before(const struct rep_samples *samples)
{
    double sum = 0;

    for (uint32_t i = 0; i < samples->n_series; i++) {
        sum += (double)samples->before[i];
    }
    return sum;
}

/* Converts the values of a counter to its rate of growth. 'scale' converts from its unit per
 * picosecond. */
static void
make_rates(struct plot_line *line, double before, double before_ps, double scale)
{
    for (size_t i = 0; i < line->n; i++) {
        double now = line->y[i], ps = line->x[i] - before_ps;
        line->y[i] = ps > 0 ? (now - before) * scale / ps : 0;
        before = now;
        before_ps = line->x[i];
    }
}

/* The units of rates by the unit of the counter: bytes become bits per second, and times become
 * shares. */
static const struct {
    const char *unit, *rate_unit;
    double scale;
} rates[] = { { "bytes", "bps", BITS *PS_PER_S },
              { "ps", "share", 1 },
              { "messages", "per second", PS_PER_S } };

/* A number from the settings of the run; 0 if it is missing. */
static double
parameter_of(const struct rep_run *run, const char *section, const char *key)
{
    for (size_t i = 0; i < run->tables[REC_PARAMETER].n; i++) {
        const struct rec_parameter *row = rep_run_at(run, REC_PARAMETER, i);
        if (!strcmp(row->section, section) && !strcmp(row->key, key)) {
            return strtod(row->value, NULL);
        }
    }
    return 0;
}

/* The factor for raw rates, which include the gaps between packets. It assumes that all packets are
 * full. */
static double
raw_of(const struct drawn *d)
{
    double mtu = parameter_of(&d->run, "wire", "mtu"), gap = parameter_of(&d->run, "wire", "gap");

    return !strcmp(d->figure->quantity, "raw") && mtu > 0 ? (mtu + gap) / mtu : 1;
}

static struct plot_line *
add_line(struct drawn *d, const char *subject, size_t n)
{
    struct plot *p = rep_panel(d->panels, d->figure, d->panel);
    const char *between = *d->line && *subject ? ", " : "";

    return *d->line || *subject ? plot_add(p, n, "%s%s%s", d->line, between, subject)
                                : plot_add(p, n, "%s", rep_run_row(&d->run)->engines);
}

static void
add_samples(struct drawn *d, const struct rep_samples *samples, const uint32_t *ids,
            const char *label)
{
    const struct rec_series *first = rep_run_at(&d->run, REC_SERIES, ids[0]);
    struct plot_line *line = add_line(d, label, samples->n_rows);
    double raw = raw_of(d);

    for (uint32_t row = 0; row < samples->n_rows; row++) {
        line->x[row] = (double)samples->times_ps[row];
        line->y[row] = sum_of(&d->run, samples, ids, row) * raw;
    }
    snprintf(d->y_unit, sizeof d->y_unit, "%s", first->unit);
    for (size_t i = 0; i < sizeof rates / sizeof *rates && rec_only_grows(first->quantity); i++) {
        if (!strcmp(rates[i].unit, first->unit)) {
            make_rates(line, sum_before(samples) * raw, (double)samples->before_ps, rates[i].scale);
            snprintf(d->y_unit, sizeof d->y_unit, "%s", rates[i].rate_unit);
        }
    }
}

static void
warn_of_missing(const struct drawn *d, char subject[3][REP_PART_BYTES])
{
    err_set(&d->p->warning, "%s: the run of %.60s has no samples of '%s' of %.60s%s%.60s",
            d->figure->source, rep_run_row(&d->run)->name, d->figure->quantity, subject[1],
            subject[2][0] ? " and " : "", subject[2]);
}

static bool
draw_subject(struct drawn *d, char subject[3][REP_PART_BYTES], struct err *err)
{
    const struct rec_rows *series = &d->run.tables[REC_SERIES];
    uint32_t *ids = array_new(series->n, sizeof *ids);
    struct rep_want want = rep_run_want(&d->run, d->p->from_ps, d->p->to_ps);
    struct rep_samples samples;
    bool good = true;

    want.ids = ids;
    want.max_rows = MAX_POINTS;
    for (uint32_t i = 0; i < series->n; i++) {
        if (is_subject(d, subject, rep_run_at(&d->run, REC_SERIES, i))) {
            ids[want.n_ids++] = i;
        }
    }
    if (want.n_ids) {
        good = rep_samples_read(&samples, d->p->file, &want, err);
        if (good) {
            add_samples(d, &samples, ids, subject[0]);
            rep_samples_free(&samples);
        }
    } else {
        warn_of_missing(d, subject);
    }
    free(ids);
    return good;
}

/* Flows that have ended. */

/* Draws a distribution: the share of flows that took at most a certain time. */
static void
draw_cdf(struct drawn *d)
{
    bool is_slowdown = !strcmp(d->figure->quantity, "slowdown");
    const struct rec_rows *flows = &d->run.tables[REC_FLOW];
    double *values = array_new(flows->n, sizeof *values);
    size_t n = 0;

    for (size_t i = 0; i < flows->n; i++) {
        const struct rec_flow *flow = rep_run_at(&d->run, REC_FLOW, i);
        double took = (double)(flow->finished_ps - flow->start_ps);
        if (flow->finished_ps >= 0 && flow->is_warm_up == 0 && flow->ideal_ps > 0) {
            values[n++] = is_slowdown ? took / (double)flow->ideal_ps : took;
        }
    }
    percentile_sort(values, n);
    struct plot_line *line = add_line(d, "", n ? CDF_POINTS + 1 : 0);
    for (size_t i = 0; i < line->n; i++) {
        line->x[i] = percentile_of(values, n, i * 1000 / CDF_POINTS);
        line->y[i] = (double)i / CDF_POINTS;
    }
    free(values);
}

static const struct {
    const char *quantity;
    size_t fact;
} by_size[] = { { "slowdown-mean", WORKLOAD_slowdown_mean },
                { "slowdown-p50", WORKLOAD_slowdown_p50 },
                { "slowdown-p95", WORKLOAD_slowdown_p95 },
                { "slowdown-p99", WORKLOAD_slowdown_p99 } };

/* Draws percentiles over bins of sizes with equal numbers of flows. */
static bool
draw_sizes(struct drawn *d, struct err *err)
{
    struct rep_run whole;
    size_t k = 0;

    while (k + 1 < sizeof by_size / sizeof *by_size &&
           strcmp(by_size[k].quantity, d->figure->quantity)) {
        k++;
    }
    if (!rep_run_read(&whole, d->p->file, rep_run_row(&d->run)->id, err)) {
        return false;
    }
    const struct completion_table *t = &whole.completions.table;
    struct plot_line *line = add_line(d, "", t->n_sizes);
    for (size_t i = 0; i < t->n_sizes; i++) {
        const struct completion_row *bin = &t->rows[t->n_workloads + i];
        double slowdown;
        column_number(&workload_facts[by_size[k].fact], &bin->facts, &slowdown);
        line->x[i] = (double)bin->to_bytes;
        line->y[i] = slowdown < 0 ? NAN : slowdown;
    }
    rep_run_free(&whole);
    return true;
}

/* A whole figure. */

static bool
draw_over_time(struct drawn *d, struct err *err)
{
    char subject[3][REP_PART_BYTES];
    const char *at = d->figure->subjects;
    bool good = true;

    d->ports = rep_port_names_of(&d->run.tables[REC_NODE], &d->run.tables[REC_PORT]);
    while (good && text_next_row(&at, 3, sizeof *subject, *subject)) {
        good = draw_subject(d, subject, err);
    }
    rep_port_names_free(&d->ports);
    return good;
}

static bool
draw_run(struct drawn *d, uint64_t id, struct err *err)
{
    bool good = rep_run_read_series(&d->run, d->p->file, id, err);

    if (!good) {
        return false;
    }
    good = rec_read_all(d->p->file, REC_NODE, id, &d->run.tables[REC_NODE], err) &&
           rec_read_all(d->p->file, REC_FLOW, id, &d->run.tables[REC_FLOW], err) &&
           rec_read_all(d->p->file, REC_PARAMETER, id, &d->run.tables[REC_PARAMETER], err);
    if (good && !strcmp(d->figure->object, "flows")) {
        draw_cdf(d);
    } else if (good && !strcmp(d->figure->object, "sizes")) {
        good = draw_sizes(d, err);
    } else if (good) {
        good = draw_over_time(d, err);
    }
    rep_run_free(&d->run);
    return good;
}

/* Adds a horizontal line across the panel for each published value in figures.yaml. */
static void
add_levels(const struct rec_figure *figure, struct plot *p)
{
    char parts[3][REP_PART_BYTES];
    const char *at = figure->published;

    while (text_next_row(&at, 3, sizeof *parts, *parts)) {
        bool is_here = !parts[0][0] || text_ends_with(p->title, parts[0]);
        double value;
        if (is_here && text_real(parts[2], &value)) {
            plot_add_threshold(p, value, "published, %s", parts[1]);
        }
    }
}

static struct rep_panel_axes
axes_of(const struct drawn *d)
{
    const char *quantity = d->figure->quantity, *object = d->figure->object;
    bool is_slowdown = !strcmp(quantity, "slowdown");

    return !strcmp(object, "flows")
               ? (struct rep_panel_axes){ is_slowdown ? "times" : "ps", quantity, "share", "flows" }
           : !strcmp(object, "sizes")
               ? (struct rep_panel_axes){ "bytes", "flow size", "times", quantity }
               : (struct rep_panel_axes){ "ps", "time", d->y_unit, quantity };
}

static void
finish(const struct drawn *d)
{
    bool is_of_time = strcmp(d->figure->object, "flows") && strcmp(d->figure->object, "sizes");

    for (size_t i = 0; i < d->panels->n; i++) {
        d->panels->items[i].x_from = is_of_time ? (double)d->p->from_ps : 0;
        add_levels(d->figure, &d->panels->items[i]);
    }
    rep_panels_finish(d->panels, d->figure, axes_of(d));
    for (size_t i = 0; i < d->panels->n; i++) {
        struct plot *p = &d->panels->items[i];
        p->log_x = !is_of_time && plot_spans_decades(p, true);
        p->log_y = !strcmp(d->figure->object, "sizes") && plot_spans_decades(p, false);
    }
}

bool
rep_draw_runs(struct rep_paper *p, const struct rec_figure *figure, struct rep_panels *panels,
              struct err *err)
{
    char parts[5][REP_PART_BYTES];
    struct drawn d = { .p = p, .figure = figure, .panels = panels };
    const char *at = figure->drawn;
    bool good = true;

    while (good && text_next_row(&at, 5, sizeof *parts, *parts)) {
        uint64_t id = find_run(p, parts);
        d.line = parts[3];
        d.panel = parts[4];
        good = !id || draw_run(&d, id, err);
    }
    if (good) {
        finish(&d);
    }
    return good;
}
