/* Figures for papers, as SVG with their data as CSV. */

#include "report/figures.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/array.h"
#include "base/port-list.h"
#include "base/text.h"
#include "report/gather.h"
#include "report/plot.h"
#include "report/series-name.h"
#include "report/thin.h"
#include "report/thresholds.h"
#include "weir/gate.h"

/* The largest of a run, if nobody says which; and percentiles of the slowdown, which stand in one
 * figure if there are few runs. */
enum { MAX_LARGEST = 6, N_PERCENTILES = 3, MAX_RUNS_OF_ALL_PERCENTILES = 4, MAX_PATH = 4096 };

#define PS_PER_MS 1e9
#define BITS      8.0

enum { N_OVER_TIME = 9 };

struct rep_figures {
    struct rep_figures_wish wish;
    char *folder;
    char (*brief)[REP_NAME_BYTES]; /* What tells runs apart. */
    size_t n_runs;                 /* That were added. */
    struct rep_written written;
    struct plot by_size[N_PERCENTILES], cdf;
    struct plot overlays[N_OVER_TIME];
};

static void
set_plots(struct rep_figures *f)
{
    for (size_t i = 0; i < N_PERCENTILES; i++) {
        f->by_size[i] = (struct plot){ .title = "Slowdown by flow size",
                                       .x_title = "flow size (KB)",
                                       .y_title = "slowdown (times longer than alone)" };
    }
    f->cdf = (struct plot){ .title = "Share of flows with at most this slowdown",
                            .x_title = "slowdown (times longer than alone)",
                            .y_title = "share of flows",
                            .y_most = 1 };
}

struct rep_figures *
rep_figures_new(const struct rep_figures_wish *wish, struct err *err)
{
    if (mkdir(wish->folder, 0777) && errno != EEXIST) {
        err_set(err, "cannot create the folder %s: %s", wish->folder, strerror(errno));
        return NULL;
    }
    struct rep_figures *f = array_new(1, sizeof *f);
    f->wish = *wish;
    f->folder = strdup(wish->folder);
    f->brief = array_new(wish->n_runs, sizeof *f->brief);
    rep_runs_brief(wish->runs, wish->n_runs, f->brief);
    set_plots(f);
    return f;
}

/* Names of runs: in those of files "run-3", in a legend "run 3: gfc-buffer". */

static void
name_run(const struct rep_figures *f, const struct rep_run *r, char name[REP_NAME_BYTES])
{
    const char *dot = r->file ? strrchr(r->file, '.') : NULL;
    int len = !f->wish.several_files || !r->file ? 0
              : dot                              ? (int)(dot - r->file)
                                                 : (int)strlen(r->file);

    snprintf(name, REP_NAME_BYTES, "%.*s%srun-%llu", len < 100 ? len : 100, r->file ? r->file : "",
             len ? "-" : "", (unsigned long long)rep_run_row(r)->id);
}

static void
write_legend(const struct rep_figures *f, const struct rep_run *r, const char *name,
             char label[PLOT_LABEL_BYTES])
{
    snprintf(label, PLOT_LABEL_BYTES, "%s%srun %llu: %s", f->wish.several_files ? r->file : "",
             f->wish.several_files ? " " : "", (unsigned long long)rep_run_row(r)->id, name);
}

/* Files. */

static bool
write_one(const struct rep_figures *f, const struct plot *p, const char *name, const char *ending,
          void (*write)(const struct plot *, FILE *), struct err *err)
{
    char path[MAX_PATH];

    snprintf(path, sizeof path, "%s/%s%s", f->folder, name, ending);
    FILE *out = fopen(path, f->wish.force ? "w" : "wx");
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

void
rep_written_add(struct rep_written *w, const char *name)
{
    ARRAY_PUSH(w->names, w->n, w->max) = strdup(name);
}

static bool
write_figure(struct rep_figures *f, const struct plot *p, const char *name, struct err *err)
{
    struct rep_written *w = &f->written;

    if (!p->n_lines) {
        return true;
    }
    rep_written_add(w, name);
    w->n_crowded += p->n_lines > PLOT_MAX_LINES;
    return write_one(f, p, name, ".svg", plot_write_svg, err) &&
           write_one(f, p, name, ".csv", plot_write_csv, err);
}

void
rep_written_free(struct rep_written *w)
{
    for (size_t i = 0; i < w->n; i++) {
        free(w->names[i]);
    }
    free(w->names);
    *w = (struct rep_written){ 0 };
}

/* What is drawn of some series of a run over time. */
struct over_time {
    const char *name;
    const char *title, *chosen; /* Of the largest; of those that were asked for. */
    const char *y_title, *object, *quantity;
    void (*add)(struct plot *, const struct rep_samples *, uint32_t, const char *label);
    enum rep_queues queues; /* That thresholds are compared with. */
};

/* A run that is being drawn. */
struct drawn {
    const struct rep_run *run;
    const struct rep_samples *samples;
    const bool *is_chosen; /* Of each port; null: the largest. */
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

static bool
is_of_kind(const struct over_time *kind, const struct rec_series *s)
{
    return !strcmp(s->quantity, kind->quantity) && !strcmp(s->object, kind->object);
}

static bool
is_chosen(const struct drawn *d, const struct rec_series *s)
{
    bool is_of_port = !strcmp(s->object, "port") && s->object_id < d->run->ports.n;

    return !d->is_chosen || !is_of_port || d->is_chosen[s->object_id];
}

/* Those that will be drawn, the largest first; freed by the caller. */
static struct candidate *
find_series(const struct drawn *d, const struct over_time *kind, size_t *n)
{
    const struct rep_samples *s = d->samples;
    struct candidate *all = array_new(s->n_series, sizeof *all);
    bool are_asked_for = d->is_chosen && !strcmp(kind->object, "port");

    *n = 0;
    for (uint32_t i = 0; i < s->n_series; i++) {
        const struct rec_series *series = rec_row(&d->run->series, REC_SERIES, i);
        bool is_it = is_of_kind(kind, series) && is_chosen(d, series);
        uint64_t peak = is_it ? peak_of(s, i) : 0;
        if (is_it && (peak || are_asked_for)) {
            all[(*n)++] = (struct candidate){ i, peak };
        }
    }
    qsort(all, *n, sizeof *all, by_peak);
    size_t most = are_asked_for ? PLOT_MAX_LINES : MAX_LARGEST;
    *n = *n < most ? *n : most;
    return all;
}

/* Over time. */

/* Of each row the most that is a number, as a part of 'unit'; where there is no limit, there is
 * nothing to draw. */
static void
add_scaled(struct plot *p, const struct rep_samples *s, uint32_t i, const char *label, double unit)
{
    struct plot_line *line = plot_add(p, s->n_rows, "%s", label);

    for (uint32_t row = 0; row < s->n_rows; row++) {
        const struct rep_range *v = &s->values[(size_t)row * s->n_series + i];
        uint64_t most = v->high == WEIR_UNLIMITED ? v->low : v->high;
        line->x[row] = (double)s->times_ps[row] / PS_PER_MS;
        line->y[row] = most == WEIR_UNLIMITED ? NAN : (double)most / unit;
    }
}

static void
add_values(struct plot *p, const struct rep_samples *s, uint32_t i, const char *label)
{
    add_scaled(p, s, i, label, 1e3);
}

static void
add_counts(struct plot *p, const struct rep_samples *s, uint32_t i, const char *label)
{
    add_scaled(p, s, i, label, 1);
}

static void
add_limits(struct plot *p, const struct rep_samples *s, uint32_t i, const char *label)
{
    add_scaled(p, s, i, label, 1e9);
}

/* What only grows, as a rate: from each row to the next. */
static void
add_rates(struct plot *p, const struct rep_samples *s, uint32_t i, const char *label)
{
    struct plot_line *line = plot_add(p, s->n_rows, "%s", label);
    uint64_t before = s->before[i], before_ps = s->before_ps;

    for (uint32_t row = 0; row < s->n_rows; row++) {
        uint64_t value = s->values[(size_t)row * s->n_series + i].high, now_ps = s->times_ps[row];
        double ns = (double)(now_ps - before_ps) / 1000;
        line->x[row] = (double)now_ps / PS_PER_MS;
        line->y[row] = ns > 0 ? (double)(value - before) * BITS / ns : 0;
        before = value;
        before_ps = now_ps;
    }
}

static const struct over_time figures[N_OVER_TIME] = {
    { "queues", "The longest queues at inputs", "Queues at inputs", "queue length (KB)", "port",
      "queue", add_values, REP_AT_INPUTS },
    { "outputs", "The longest queues at outputs", "Queues at outputs", "queue length (KB)", "port",
      "output", add_values, REP_AT_OUTPUTS },
    { "passing", "Inside switches, between inputs and outputs", NULL, "bytes on their way (KB)",
      "node", "passing", add_values, REP_NO_QUEUES },
    { "held", "Flows that hold the most of an input", "Flows that hold the most of these inputs",
      "bytes held (KB)", "port", "held", add_values, REP_NO_QUEUES },
    { "goodput", "Goodput of flows", NULL, "Gb/s", "flow", "received", add_rates, REP_NO_QUEUES },
    { "throughput", "Throughput of flows at their senders", NULL, "Gb/s", "flow", "sent", add_rates,
      REP_NO_QUEUES },
    { "limits", "Rates that engines hold flows to", NULL, "Gb/s", "flow", "limit", add_limits,
      REP_NO_QUEUES },
    { "messages", "Congestion messages that senders have heard", NULL, "messages", "flow",
      "messages", add_counts, REP_NO_QUEUES },
    { "rates", "The busiest links", "What links carry", "Gb/s", "port", "sent", add_rates,
      REP_NO_QUEUES },
};

static const char *
title_of(const struct rep_figures *f, const struct over_time *kind)
{
    return f->wish.ports && kind->chosen ? kind->chosen : kind->title;
}

/* A line of a series, and the thresholds that its queue is compared with. */
static void
add_series(struct plot *p, const struct drawn *d, const struct over_time *kind, uint32_t i,
           const char *label)
{
    const struct rec_series *s = rec_row(&d->run->series, REC_SERIES, i);

    kind->add(p, d->samples, i, label);
    if (kind->queues && s->object_id < d->run->ports.n) {
        const struct rec_port *port = rec_row(&d->run->ports, REC_PORT, s->object_id);
        rep_add_thresholds(p, d->run, port->node, kind->queues);
    }
}

static void
place_of(const struct rep_run *r, uint32_t series, char place[REP_PLACE_BYTES])
{
    struct rep_places places = rep_places_of(&r->nodes, &r->ports, &r->flows, &r->series);

    rep_series_place(&places, rec_row(&r->series, REC_SERIES, series), place);
}

/* Of one run: its largest series, or those that were chosen. */
static bool
write_over_time(struct rep_figures *f, const struct drawn *d, const struct over_time *kind,
                struct err *err)
{
    char title[800], label[PLOT_LABEL_BYTES], name[2 * REP_NAME_BYTES], run[REP_NAME_BYTES];
    struct plot p = { .title = title,
                      .x_title = "time (ms)",
                      .y_title = kind->y_title,
                      .x_from = (double)f->wish.from_ps / PS_PER_MS };
    size_t n;
    struct candidate *series = find_series(d, kind, &n);

    write_legend(f, d->run, d->run->label, label);
    snprintf(title, sizeof title, "%s: %s", title_of(f, kind), label);
    name_run(f, d->run, run);
    snprintf(name, sizeof name, "%s-%s", run, kind->name);
    for (size_t i = 0; i < n; i++) {
        char place[REP_PLACE_BYTES];
        place_of(d->run, series[i].series, place);
        add_series(&p, d, kind, series[i].series, place);
    }
    bool good = write_figure(f, &p, name, err);
    free(series);
    plot_free(&p);
    return good;
}

/* To the figure of all runs: its largest, or all that were chosen. */
static void
add_to_overlay(struct rep_figures *f, const struct drawn *d, size_t kind)
{
    struct plot *p = &f->overlays[kind];
    size_t n;
    struct candidate *series = find_series(d, &figures[kind], &n);

    n = (d->is_chosen && figures[kind].chosen) || n < 1 ? n : 1;
    for (size_t i = 0; i < n; i++) {
        char place[REP_PLACE_BYTES], run[PLOT_LABEL_BYTES], label[PLOT_LABEL_BYTES];
        place_of(d->run, series[i].series, place);
        write_legend(f, d->run, f->brief[f->n_runs - 1], run);
        snprintf(label, sizeof label, "%.200s: %.110s", run, place);
        add_series(p, d, &figures[kind], series[i].series, label);
    }
    free(series);
}

/* Ports. */

struct choosing {
    const struct rep_run *run;
    bool *is_chosen;
};

static bool
is_called(const struct rep_run *r, uint32_t node, const char *name)
{
    return node < r->nodes.n &&
           !strcmp(((const struct rec_node *)rec_row(&r->nodes, REC_NODE, node))->name, name);
}

static bool
refuse_port(const struct rep_run *r, struct port_name name, struct err *err)
{
    const struct rec_node *first = r->nodes.n ? rec_row(&r->nodes, REC_NODE, 0) : NULL;
    bool has_node = false, has_peer = !name.peer;
    char offer[200] = "";

    for (uint32_t i = 0; i < r->nodes.n; i++) {
        has_node |= is_called(r, i, name.node);
        has_peer |= name.peer && is_called(r, i, name.peer);
    }
    if (has_node && has_peer) {
        return err_set(err, "--ports: no link from %s to %s", name.node, name.peer);
    }
    const char *unknown = has_node ? name.peer : name.node;
    if (first) {
        text_offer(unknown, &first->name, sizeof *first, r->nodes.n, offer, sizeof offer);
    }
    return err_set(err, "--ports: no node '%s'%s", unknown, offer);
}

static bool
choose_port(void *arg, struct port_name name, struct err *err)
{
    struct choosing *c = arg;
    const struct rep_run *r = c->run;
    bool is_found = false;

    for (size_t i = 0; i < r->ports.n; i++) {
        const struct rec_port *p = rec_row(&r->ports, REC_PORT, i);
        const struct rec_port *peer =
            p->peer < r->ports.n ? rec_row(&r->ports, REC_PORT, p->peer) : p;
        if (is_called(r, p->node, name.node) &&
            (!name.peer || is_called(r, peer->node, name.peer))) {
            c->is_chosen[i] = is_found = true;
        }
    }
    return is_found || refuse_port(r, name, err);
}

static bool
draw_run(struct rep_figures *f, const struct drawn *d, struct err *err)
{
    bool good = true;

    for (size_t i = 0; i < N_OVER_TIME && good; i++) {
        if (f->wish.overlay) {
            add_to_overlay(f, d, i);
        } else {
            good = write_over_time(f, d, &figures[i], err);
        }
    }
    return good;
}

static bool
write_run(struct rep_figures *f, struct rec_file *file, const struct rep_run *r, struct err *err)
{
    struct rep_want want = { .run = rep_run_row(r)->id,
                             .series = &r->series,
                             .from_ps = f->wish.from_ps,
                             .to_ps = f->wish.to_ps,
                             .max_rows = REP_MAX_ROWS };
    struct choosing choosing = { r, f->wish.ports ? array_new(r->ports.n, sizeof(bool)) : NULL };
    struct rep_samples samples;
    bool good = !f->wish.ports || port_list_each(f->wish.ports, choose_port, &choosing, err);

    f->written.is_refused = !good;
    good = good && rep_samples_read(&samples, file, &want, err);
    if (good) {
        good = draw_run(f, &(struct drawn){ r, &samples, choosing.is_chosen }, err);
        rep_samples_free(&samples);
    }
    free(choosing.is_chosen);
    return good;
}

/* Of all runs. */

static const char *const percentiles[N_PERCENTILES] = { "p50", "p95", "p99" };

/* Three lines of each of many runs would be too many: then each percentile has a figure. */
static bool
is_split(const struct rep_figures *f)
{
    return f->wish.n_runs > MAX_RUNS_OF_ALL_PERCENTILES;
}

static void
add_bins(struct rep_figures *f, const struct rep_run *r, size_t run, const char *label)
{
    static const enum completion_column columns[N_PERCENTILES] = { COMPLETION_SLOWDOWN_P50,
                                                                   COMPLETION_SLOWDOWN_P95,
                                                                   COMPLETION_SLOWDOWN_P99 };
    const struct completion_table *t = &r->completions.table;

    for (size_t k = 0; k < N_PERCENTILES && t->n_sizes; k++) {
        struct plot *p = &f->by_size[is_split(f) ? k : 0];
        struct plot_line *line = is_split(f)
                                     ? plot_add(p, t->n_sizes, "%s", label)
                                     : plot_add(p, t->n_sizes, "%s, %s", label, percentiles[k]);
        line->colour = is_split(f) ? line->colour : run;
        line->dash = is_split(f) ? line->dash : k;
        for (size_t i = 0; i < t->n_sizes; i++) {
            const struct completion_row *bin = &t->rows[t->n_workloads + i];
            double slowdown = column_real(&completion_columns[columns[k]], &bin->group);
            line->x[i] = (double)bin->to_bytes / 1000;
            line->y[i] = slowdown < 0 ? NAN : slowdown;
        }
    }
}

static void
add_slowdown(struct rep_figures *f, const struct rep_run *r)
{
    char label[PLOT_LABEL_BYTES];
    double cdf[COMPLETION_CDF_POINTS + 1];

    if (!completion_cdf(&r->completions.flows, cdf)) {
        return;
    }
    write_legend(f, r, f->brief[f->n_runs - 1], label);
    add_bins(f, r, f->n_runs - 1, label);
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

/* Sizes and slowdowns that differ by powers of ten have logarithmic axes. */
static bool
write_by_size(struct rep_figures *f, size_t k, struct err *err)
{
    struct plot *p = &f->by_size[k];
    char name[40] = "slowdown", title[100];

    if (is_split(f)) {
        snprintf(name, sizeof name, "slowdown-%s", percentiles[k]);
        snprintf(title, sizeof title, "%s, %s", p->title, percentiles[k]);
        p->title = title;
    }
    p->log_x = plot_spans_decades(p, true);
    p->log_y = plot_spans_decades(p, false);
    bool good = write_figure(f, p, name, err);
    plot_free(p);
    return good;
}

static bool
write_overlay(struct rep_figures *f, size_t kind, struct err *err)
{
    struct plot *p = &f->overlays[kind];
    char name[80], title[120];

    snprintf(title, sizeof title, "%s, of each run", title_of(f, &figures[kind]));
    p->title = title;
    p->x_title = "time (ms)";
    p->x_from = (double)f->wish.from_ps / PS_PER_MS;
    p->y_title = figures[kind].y_title;
    snprintf(name, sizeof name, "all-%s", figures[kind].name);
    bool good = write_figure(f, p, name, err);
    plot_free(p);
    return good;
}

bool
rep_figures_finish(struct rep_figures *f, struct rep_written *written, struct err *err)
{
    bool good = true;
    struct err other; /* One reason is enough. */

    for (size_t i = 0; i < N_OVER_TIME; i++) {
        good = write_overlay(f, i, good ? err : &other) && good;
    }
    for (size_t k = 0; k < N_PERCENTILES; k++) {
        good = write_by_size(f, k, good ? err : &other) && good;
    }
    f->cdf.log_x = plot_spans_decades(&f->cdf, true);
    good = write_figure(f, &f->cdf, "slowdown-cdf", good ? err : &other) && good;
    plot_free(&f->cdf);
    *written = f->written;
    free(f->brief);
    free(f->folder);
    free(f);
    return good;
}
