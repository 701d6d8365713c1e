/* Figures for papers, as SVG with their data as CSV. */

#include "report/figures.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/array.h"
#include "report/gather.h"
#include "report/plot.h"
#include "report/thin.h"
#include "weir/gate.h"

enum { MAX_LINES = 6, MAX_PATH = 4096 };

#define PS_PER_MS 1e9
#define BITS      8.0

struct rep_figures {
    char *folder;
    bool force;
    size_t n_runs, n_figures;
    struct plot by_size, cdf;
};

struct rep_figures *
rep_figures_new(const char *folder, bool force, struct err *err)
{
    if (mkdir(folder, 0777) && errno != EEXIST) {
        err_set(err, "cannot create the folder %s: %s", folder, strerror(errno));
        return NULL;
    }
    struct rep_figures *f = array_new(1, sizeof *f);
    f->folder = strdup(folder);
    f->force = force;
    f->by_size = (struct plot){ .title = "Slowdown by flow size",
                                .x_title = "flow size (KB)",
                                .y_title = "slowdown (times longer than alone)",
                                .log_x = true,
                                .log_y = true };
    f->cdf = (struct plot){ .title = "Share of flows with at most this slowdown",
                            .x_title = "slowdown (times longer than alone)",
                            .y_title = "share of flows",
                            .log_x = true,
                            .y_most = 1 };
    return f;
}

/* Files. */

static bool
write_one(const struct rep_figures *f, const struct plot *p, const char *name, const char *ending,
          void (*write)(const struct plot *, FILE *), struct err *err)
{
    char path[MAX_PATH];

    snprintf(path, sizeof path, "%s/%s%s", f->folder, name, ending);
    FILE *out = fopen(path, f->force ? "w" : "wx");
    if (!out) {
        return err_set(err, "cannot write %s: %s%s", path, strerror(errno),
                       errno == EEXIST ? "; --force replaces it" : "");
    }
    write(p, out);
    bool good = !ferror(out);
    errno = 0;
    good = fclose(out) == 0 && good;
    return good || err_set(err, "cannot write %s: %s", path, strerror(errno ? errno : EIO));
}

static bool
write_figure(struct rep_figures *f, const struct plot *p, const char *name, struct err *err)
{
    if (!p->n_lines) {
        return true;
    }
    f->n_figures++;
    return write_one(f, p, name, ".svg", plot_write_svg, err) &&
           write_one(f, p, name, ".csv", plot_write_csv, err);
}

/* What is drawn of some series of a run over time. */
struct over_time {
    const char *name, *title, *y_title, *object, *quantity;
    void (*add)(struct plot *, const struct rep_run *, const struct rep_samples *, uint32_t);
};

/* Which series: those with the largest values at their peak. */

struct candidate {
    uint32_t series; /* In the samples. */
    uint64_t peak;
};

static int
by_peak(const void *a, const void *b)
{
    const struct candidate *x = a, *y = b;
    return x->peak != y->peak ? (x->peak < y->peak) - (x->peak > y->peak)
                              : (x->series > y->series) - (x->series < y->series);
}

static uint64_t
peak_of(const struct rep_samples *s, uint32_t series)
{
    uint64_t peak = 0;

    for (uint32_t row = 0; row < s->n_rows; row++) {
        uint64_t high = s->values[(size_t)row * s->n_series + series].high;
        peak = high > peak && high != WEIR_UNLIMITED ? high : peak;
    }
    return peak;
}

static size_t
find_largest(const struct rep_run *r, const struct rep_samples *s, const struct over_time *kind,
             struct candidate largest[MAX_LINES])
{
    struct candidate *all = array_new(s->n_series, sizeof *all);
    size_t n = 0;

    for (uint32_t i = 0; i < s->n_series; i++) {
        const struct rec_series *series = rec_row(&r->series, REC_SERIES, i);
        bool is_it =
            !strcmp(series->quantity, kind->quantity) && !strcmp(series->object, kind->object);
        uint64_t peak = is_it ? peak_of(s, i) : 0;
        if (peak) {
            all[n++] = (struct candidate){ i, peak };
        }
    }
    qsort(all, n, sizeof *all, by_peak);
    n = n < MAX_LINES ? n : MAX_LINES;
    memcpy(largest, all, n * sizeof *all);
    free(all);
    return n;
}

/* Names. */

static const char *
node_name(const struct rep_run *r, uint32_t port)
{
    const struct rec_port *p = port < r->ports.n ? rec_row(&r->ports, REC_PORT, port) : NULL;
    const struct rec_node *n =
        p && p->node < r->nodes.n ? rec_row(&r->nodes, REC_NODE, p->node) : NULL;
    return n ? n->name : "?";
}

static const char *
peer_name(const struct rep_run *r, uint32_t port)
{
    const struct rec_port *p = port < r->ports.n ? rec_row(&r->ports, REC_PORT, port) : NULL;
    return p ? node_name(r, p->peer) : "?";
}

static void
name_flow(const struct rep_run *r, uint32_t id, char room[PLOT_LABEL_BYTES])
{
    const struct rec_flow *flow = id < r->flows.n ? rec_row(&r->flows, REC_FLOW, id) : NULL;

    if (flow) {
        snprintf(room, PLOT_LABEL_BYTES, "%s", flow->name);
    } else {
        snprintf(room, PLOT_LABEL_BYTES, "flow %u", id);
    }
}

/* "S1 from H1, class 3"; "H1-H3 at S1 from H1". */
static struct plot_line *
add_named_by_port(struct plot *p, const struct rep_run *r, const struct rec_series *s, size_t n)
{
    bool is_of_flow = s->flow != REC_NO_ID;
    const char *way = !strcmp(s->quantity, "queue") || is_of_flow ? " from " : " to ";
    char cls[32] = "", flow[PLOT_LABEL_BYTES] = "";

    if (s->cls != REC_NO_ID && s->cls) {
        snprintf(cls, sizeof cls, ", class %u", s->cls);
    }
    if (is_of_flow) {
        name_flow(r, s->flow, flow);
    }
    return plot_add(p, n, "%s%s%s%s%s%s", flow, is_of_flow ? " at " : "",
                    node_name(r, s->object_id), way, peer_name(r, s->object_id), cls);
}

static struct plot_line *
add_named(struct plot *p, const struct rep_run *r, const struct rec_series *s, size_t n)
{
    const struct rec_node *node =
        s->object_id < r->nodes.n ? rec_row(&r->nodes, REC_NODE, s->object_id) : NULL;
    char flow[PLOT_LABEL_BYTES];

    if (!strcmp(s->object, "node")) {
        return node ? plot_add(p, n, "%s", node->name) : plot_add(p, n, "node %u", s->object_id);
    }
    if (!strcmp(s->object, "flow")) {
        name_flow(r, s->object_id, flow);
        return plot_add(p, n, "%s", flow);
    }
    return add_named_by_port(p, r, s, n);
}

/* Over time. */

/* Of each row the most that is a number, as a part of 'unit'; where there is no limit, there is
 * nothing to draw. */
static void
add_scaled(struct plot *p, const struct rep_run *r, const struct rep_samples *s, uint32_t i,
           double unit)
{
    struct plot_line *line = add_named(p, r, rec_row(&r->series, REC_SERIES, i), s->n_rows);

    for (uint32_t row = 0; row < s->n_rows; row++) {
        const struct rep_range *v = &s->values[(size_t)row * s->n_series + i];
        uint64_t most = v->high == WEIR_UNLIMITED ? v->low : v->high;
        line->x[row] = (double)s->times_ps[row] / PS_PER_MS;
        line->y[row] = most == WEIR_UNLIMITED ? NAN : (double)most / unit;
    }
}

static void
add_values(struct plot *p, const struct rep_run *r, const struct rep_samples *s, uint32_t i)
{
    add_scaled(p, r, s, i, 1e3);
}

static void
add_counts(struct plot *p, const struct rep_run *r, const struct rep_samples *s, uint32_t i)
{
    add_scaled(p, r, s, i, 1);
}

static void
add_limits(struct plot *p, const struct rep_run *r, const struct rep_samples *s, uint32_t i)
{
    add_scaled(p, r, s, i, 1e9);
}

/* What only grows, as a rate: from each row to the next. */
static void
add_rates(struct plot *p, const struct rep_run *r, const struct rep_samples *s, uint32_t i)
{
    struct plot_line *line = add_named(p, r, rec_row(&r->series, REC_SERIES, i), s->n_rows);
    uint64_t before = 0, before_ps = 0;

    for (uint32_t row = 0; row < s->n_rows; row++) {
        uint64_t value = s->values[(size_t)row * s->n_series + i].high, now_ps = s->times_ps[row];
        double ns = (double)(now_ps - before_ps) / 1000;
        line->x[row] = (double)now_ps / PS_PER_MS;
        line->y[row] = ns > 0 ? (double)(value - before) * BITS / ns : 0;
        before = value;
        before_ps = now_ps;
    }
}

static const struct over_time figures[] = {
    { "queues", "The longest queues at inputs", "queue length (KB)", "port", "queue", add_values },
    { "outputs", "The longest queues at outputs", "queue length (KB)", "port", "output",
      add_values },
    { "passing", "Inside switches, between inputs and outputs", "bytes on their way (KB)", "node",
      "passing", add_values },
    { "held", "Flows that hold the most of an input", "bytes held (KB)", "port", "held",
      add_values },
    { "goodput", "Goodput of flows", "Gb/s", "flow", "received", add_rates },
    { "throughput", "Throughput of flows at their senders", "Gb/s", "flow", "sent", add_rates },
    { "limits", "Rates that engines hold flows to", "Gb/s", "flow", "limit", add_limits },
    { "messages", "Congestion messages that senders have heard", "messages", "flow", "messages",
      add_counts },
    { "rates", "The busiest links", "Gb/s", "port", "sent", add_rates },
};

static bool
write_over_time(struct rep_figures *f, const struct rep_run *r, const struct rep_samples *s,
                const struct over_time *kind, struct err *err)
{
    struct candidate largest[MAX_LINES];
    char title[300], name[80];
    size_t n = find_largest(r, s, kind, largest);
    struct plot p = { .title = title, .x_title = "time (ms)", .y_title = kind->y_title };

    snprintf(title, sizeof title, "%s: %s", kind->title, r->label);
    snprintf(name, sizeof name, "run-%zu-%s", f->n_runs, kind->name);
    for (size_t i = 0; i < n; i++) {
        kind->add(&p, r, s, largest[i].series);
    }
    bool good = write_figure(f, &p, name, err);
    plot_free(&p);
    return good;
}

static bool
write_run(struct rep_figures *f, struct rec_file *file, const struct rep_run *r, struct err *err)
{
    struct rep_want want = { .run = rep_run_row(r)->id,
                             .series = &r->series,
                             .to_ps = INT64_MAX,
                             .max_rows = REP_MAX_ROWS };
    struct rep_samples samples;
    bool good = rep_samples_read(&samples, file, &want, err);

    if (!good) {
        return false;
    }
    for (size_t i = 0; i < sizeof figures / sizeof *figures && good; i++) {
        good = write_over_time(f, r, &samples, &figures[i], err);
    }
    rep_samples_free(&samples);
    return good;
}

/* Of all runs. */

static void
add_bins(struct plot *p, const struct rep_run *r, size_t run, const char *label)
{
    static const struct {
        const char *name;
        enum completion_column column;
    } parts[] = { { "p50", COMPLETION_SLOWDOWN_P50 },
                  { "p95", COMPLETION_SLOWDOWN_P95 },
                  { "p99", COMPLETION_SLOWDOWN_P99 } };
    const struct completion_table *t = &r->completions.table;

    for (size_t k = 0; k < sizeof parts / sizeof *parts; k++) {
        struct plot_line *line = plot_add(p, t->n_sizes, "%s, %s", label, parts[k].name);
        line->colour = run;
        line->dash = k;
        for (size_t i = 0; i < t->n_sizes; i++) {
            const struct completion_row *bin = &t->rows[t->n_workloads + i];
            double slowdown = column_real(&completion_columns[parts[k].column], &bin->group);
            line->x[i] = (double)bin->to_bytes / 1000;
            line->y[i] = slowdown < 0 ? NAN : slowdown;
        }
    }
}

static void
add_slowdown(struct rep_figures *f, const struct rep_run *r)
{
    char label[REP_NAME_BYTES + 32]; /* A plot takes as much of it as fits. */
    double cdf[COMPLETION_CDF_POINTS + 1];

    if (!completion_cdf(&r->completions.flows, cdf)) {
        return;
    }
    snprintf(label, sizeof label, "run %zu: %s", f->n_runs, r->label);
    add_bins(&f->by_size, r, f->n_runs - 1, label);
    struct plot_line *line = plot_add(&f->cdf, COMPLETION_CDF_POINTS + 1, "%s", label);
    for (size_t i = 0; i <= COMPLETION_CDF_POINTS; i++) {
        line->x[i] = cdf[i];
        line->y[i] = (double)i / COMPLETION_CDF_POINTS;
    }
}

bool
rep_figures_add(struct rep_figures *f, struct rec_file *file, const struct rep_run *r,
                struct err *err)
{
    f->n_runs++;
    add_slowdown(f, r);
    return write_run(f, file, r, err);
}

bool
rep_figures_finish(struct rep_figures *f, size_t *n_figures, struct err *err)
{
    bool good = write_figure(f, &f->by_size, "slowdown", err) &&
                write_figure(f, &f->cdf, "slowdown-cdf", err);

    *n_figures = f->n_figures;
    plot_free(&f->by_size);
    plot_free(&f->cdf);
    free(f->folder);
    free(f);
    return good;
}
