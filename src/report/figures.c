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
#include "report/figure-files.h"
#include "report/over-time.h"
#include "report/plot.h"

/* The percentiles of the slowdown share one figure if there are only a few schemes. */
enum { N_PERCENTILES = 3, MAX_SCHEMES_OF_ALL_PERCENTILES = 4 };
enum { MAX_PLACE_CHARS = 110 };

/* Runs that differ only by their seeds. Figures pool their flows. */
struct scheme {
    size_t id, n_runs;
    char runs[REP_NAME_BYTES]; /* The numbers of these runs: "1, 2, 3". */
    struct completion flows;
};

struct rep_figures {
    struct rep_figures_wish wish;
    char *folder;
    size_t n_runs; /* The number of runs added so far. */
    struct scheme *schemes;
    size_t n_schemes, max_schemes;
    size_t n_of_all; /* The number of schemes of all runs that will be added. */
    struct rep_written written;
    struct plot by_size[N_PERCENTILES], cdf;
    struct overlay {
        struct plot plot;
        char place[REP_PLACE_BYTES]; /* The port, node or flow of the line that was added last. */
        bool are_several;            /* The lines are of several ports, nodes or flows. */
    } overlays[REP_N_OVER_TIME];
};

/* The number of runs of a scheme, counted from the run 'first' on. */
static size_t
runs_of_scheme(const struct rep_figures_wish *wish, size_t first, size_t scheme)
{
    size_t n = 0;

    for (size_t i = first; i < wish->n_runs; i++) {
        n += wish->schemes[i] == scheme;
    }
    return n;
}

/* Whether some scheme has several runs. */
static bool
has_seeds(const struct rep_figures *f)
{
    return f->n_of_all < f->wish.n_runs;
}

static void
set_plots(struct rep_figures *f)
{
    bool is_pooled = has_seeds(f);

    for (size_t i = 0; i < N_PERCENTILES; i++) {
        f->by_size[i] = (struct plot){ .title = is_pooled ? "Slowdown by flow size, seeds pooled"
                                                          : "Slowdown by flow size",
                                       .x_title = "flow size (KB)",
                                       .y_title = "slowdown (times longer than alone)" };
    }
    f->cdf = (struct plot){ .title = is_pooled
                                         ? "Share of flows with at most this slowdown, seeds pooled"
                                         : "Share of flows with at most this slowdown",
                            .x_title = "slowdown (times longer than alone)",
                            .y_title = "share of flows",
                            .y_most = 1 };
}

static size_t
count_schemes(const struct rep_figures_wish *wish)
{
    size_t n = 0;

    for (size_t i = 0; i < wish->n_runs; i++) {
        n += !runs_of_scheme(wish, i + 1, wish->schemes[i]);
    }
    return n;
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
    f->n_of_all = count_schemes(wish);
    set_plots(f);
    return f;
}

/* Names of runs: "run-3" in file names, "run 3: gfc-buffer" in a legend. */

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

/* The name of a run, or of all runs of its scheme: "runs 1, 2, 3: gfc-buffer". */
static void
write_legend(const struct rep_figures *f, const struct rep_run *r, const struct scheme *s,
             char label[PLOT_LABEL_BYTES])
{
    bool are_several = s && s->n_runs > 1;
    const char *name = are_several ? r->scheme_name : r->label;
    const char *file = f->wish.several_files ? r->file : "", *gap = *file ? " " : "";

    if (r->is_labelled) {
        text_shorten(label, PLOT_LABEL_BYTES, name);
    } else if (are_several) {
        snprintf(label, PLOT_LABEL_BYTES, "%s%sruns %.100s: %.200s", file, gap, s->runs, name);
    } else {
        snprintf(label, PLOT_LABEL_BYTES, "%s%srun %llu: %s", file, gap,
                 (unsigned long long)rep_run_row(r)->id, name);
    }
}

/* Files of figures. */

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
    w->n_crowded += p->n_lines > PLOT_MAX_LINES;
    return rep_plot_files(
        p, name, &(struct rep_figure_folder){ f->folder, f->wish.title, f->wish.force, w }, err);
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

static const char *
title_of(const struct rep_figures *f, const struct rep_over_time *kind)
{
    return f->wish.ports && kind->chosen ? kind->chosen : kind->title;
}

/* Writes a figure of one run, with its largest series or the chosen ones. */
static bool
write_over_time(struct rep_figures *f, const struct rep_drawn *d, const struct rep_over_time *kind,
                struct err *err)
{
    char title[800], label[PLOT_LABEL_BYTES], name[2 * REP_NAME_BYTES], run[REP_NAME_BYTES];
    struct plot p = { .title = title,
                      .x_title = "time (ms)",
                      .y_title = kind->y_title,
                      .x_from = (double)f->wish.from_ps / REP_PS_PER_MS };
    size_t n;
    struct rep_candidate *series = rep_find_series(d, kind, &n);

    write_legend(f, d->run, NULL, label);
    snprintf(title, sizeof title, "%s: %s", title_of(f, kind), label);
    name_run(f, d->run, run);
    snprintf(name, sizeof name, "%s-%s", run, kind->name);
    for (size_t i = 0; i < n; i++) {
        char place[REP_PLACE_BYTES];
        rep_drawn_place(d->run, series[i].series, place);
        rep_add_series(&p, d, kind, series[i].series, place);
    }
    bool good = write_figure(f, &p, name, err);
    free(series);
    plot_free(&p);
    return good;
}

/* The index of a run's scheme among the drawn schemes. */
static size_t
place_of(struct rep_figures *f, const struct rep_run *r)
{
    size_t i = 0;

    while (i < f->n_schemes && f->schemes[i].id != r->scheme) {
        i++;
    }
    if (i == f->n_schemes) {
        ARRAY_PUSH(f->schemes, f->n_schemes, f->max_schemes) = (struct scheme){ .id = r->scheme };
    }
    return i;
}

/* Gives all seeds of a scheme the same colour, and each seed a dash of its own. */
static void
colour_seed(struct rep_figures *f, struct plot *p, const struct rep_run *r)
{
    struct plot_line *last = &p->lines[p->n_lines - 1];
    size_t n_alike = 0;

    if (!has_seeds(f)) {
        return;
    }
    last->colour = place_of(f, r);
    for (size_t i = 0; i + 1 < p->n_lines; i++) {
        n_alike += p->lines[i].colour % PLOT_N_COLOURS == last->colour % PLOT_N_COLOURS;
    }
    last->dash = n_alike;
}

/* Adds lines of a run to the figure of all runs: its largest series, or all chosen ports. */
static void
add_to_overlay(struct rep_figures *f, const struct rep_drawn *d, size_t kind)
{
    struct overlay *o = &f->overlays[kind];
    size_t n;
    struct rep_candidate *series = rep_find_series(d, &rep_over_time[kind], &n);

    n = (d->is_chosen && rep_over_time[kind].chosen) || n < 1 ? n : 1;
    for (size_t i = 0; i < n; i++) {
        char place[REP_PLACE_BYTES], run[PLOT_LABEL_BYTES], label[PLOT_LABEL_BYTES];
        rep_drawn_place(d->run, series[i].series, place);
        write_legend(f, d->run, NULL, run);
        snprintf(label, sizeof label, "%.200s: %.*s", run, MAX_PLACE_CHARS, place);
        o->are_several |= o->plot.n_lines && strcmp(o->place, place);
        strcpy(o->place, place);
        rep_add_series(&o->plot, d, &rep_over_time[kind], series[i].series, label);
        colour_seed(f, &o->plot, d->run);
    }
    free(series);
}

static bool
draw_run(struct rep_figures *f, const struct rep_drawn *d, struct err *err)
{
    bool good = true;

    for (size_t i = 0; i < REP_N_OVER_TIME && good; i++) {
        if (f->wish.overlay) {
            add_to_overlay(f, d, i);
        } else {
            good = write_over_time(f, d, &rep_over_time[i], err);
        }
    }
    return good;
}

/* Ports that were chosen by name. */

struct choosing {
    const struct rep_run *run;
    bool *is_chosen;
};

static bool
is_called(const struct rep_run *r, uint32_t node, const char *name)
{
    const struct rec_node *row = rep_run_at(r, REC_NODE, node);

    return row && !strcmp(row->name, name);
}

static bool
refuse_port(const struct rep_run *r, struct port_name name, struct err *err)
{
    const struct rec_node *first = rep_run_at(r, REC_NODE, 0);
    const char *const *names = first ? &first->name : NULL;
    size_t n = r->tables[REC_NODE].n;
    bool has_node = text_find(name.node, names, sizeof *first, n) < n;
    char offer[200];

    if (has_node && !name.port) {
        return err_set(err, "--ports: %s has no ports", name.node);
    }
    if (has_node) {
        return err_set(err,
                       "--ports: %s has no port '%s': write a number, or the name of a "
                       "neighbour or of a link",
                       name.node, name.port);
    }
    text_offer(name.node, names, sizeof *first, n, offer, sizeof offer);
    return err_set(err, "--ports: no node '%s'%s", name.node, offer);
}

/* Whether a word identifies a port of a node: by its number, by its link, or by the node at the
 * other end. */
static bool
is_port(const struct rep_run *r, const struct rec_port *p, const char *word)
{
    const struct rec_port *peer = rep_run_at(r, REC_PORT, p->peer);
    uint64_t number;

    return (text_number(word, &number) && number == p->number) || !strcmp(p->link, word) ||
           is_called(r, (peer ? peer : p)->node, word);
}

static bool
choose_port(void *arg, struct port_name name, struct err *err)
{
    struct choosing *c = arg;
    const struct rep_run *r = c->run;
    bool is_found = false;

    for (size_t i = 0; i < r->tables[REC_PORT].n; i++) {
        const struct rec_port *p = rep_run_at(r, REC_PORT, i);
        if (is_called(r, p->node, name.node) && (!name.port || is_port(r, p, name.port))) {
            c->is_chosen[i] = is_found = true;
        }
    }
    return is_found || refuse_port(r, name, err);
}

/* Sets is_chosen[port]. Returns false if there is no such port, with the existing names in the
 * error. */
static bool
choose_ports(const struct rep_run *r, const char *ports, bool *is_chosen, struct err *err)
{
    struct choosing c = { r, is_chosen };

    return port_list_each(ports, choose_port, &c, err);
}

static bool
write_run(struct rep_figures *f, struct rec_file *file, const struct rep_run *r, struct err *err)
{
    struct rep_want want = rep_run_want(r, f->wish.from_ps, f->wish.to_ps);
    bool *is_chosen = f->wish.ports ? array_new(r->tables[REC_PORT].n, sizeof *is_chosen) : NULL;
    struct rep_samples samples;
    bool good = !f->wish.ports || choose_ports(r, f->wish.ports, is_chosen, err);

    f->written.is_refused = !good;
    good = good && rep_samples_read(&samples, file, &want, err);
    if (good) {
        good = draw_run(f, &(struct rep_drawn){ r, &samples, is_chosen }, err);
        rep_samples_free(&samples);
    }
    free(is_chosen);
    return good;
}

/* Figures over all runs. */

static const char *const percentiles[N_PERCENTILES] = { "p50", "p95", "p99" };

/* Whether each percentile has a figure of its own, because three lines for each of many schemes
 * would be too many. */
static bool
is_split(const struct rep_figures *f)
{
    return f->n_of_all > MAX_SCHEMES_OF_ALL_PERCENTILES;
}

/* The label of a scheme's line, with a note such as "(5 runs, 4210 flows)". */
struct scheme_line {
    size_t place; /* The index of the scheme, which determines its colour in all figures. */
    char label[PLOT_LABEL_BYTES], note[PLOT_NOTE_BYTES];
};

static struct scheme_line
line_of(const struct rep_figures *f, const struct scheme *s, const struct rep_run *r)
{
    const struct completion *flows = &s->flows;
    struct scheme_line l = { .place = (size_t)(s - f->schemes) };
    size_t n_unfinished = 0;

    write_legend(f, r, s, l.label);
    for (size_t i = 0; i < flows->n; i++) {
        n_unfinished += !flows->flows[i].has_ended;
    }
    int len = snprintf(l.note, sizeof l.note, " (%zu run%s, %zu flow%s", s->n_runs,
                       s->n_runs == 1 ? "" : "s", flows->n, flows->n == 1 ? "" : "s");
    len += n_unfinished ? snprintf(l.note + len, sizeof l.note - (size_t)len, ", %zu unfinished",
                                   n_unfinished)
                        : 0;
    snprintf(l.note + len, sizeof l.note - (size_t)len, ")");
    return l;
}

static void
style_line(struct plot_line *line, const struct scheme_line *of)
{
    strcpy(line->note, of->note);
    line->colour = of->place;
    line->dash = of->place + of->place / PLOT_N_COLOURS;
}

/* Adds the points of a line, without percentiles of too few flows. Returns false if there are no
 * other points. */
static bool
fill_bins(struct rep_figures *f, struct plot_line *line, const struct column *fact,
          const struct completion_bins *bins)
{
    bool has_point = false;

    for (size_t i = 0; i < bins->n; i++) {
        const struct workload_facts *of = &bins->items[i].of;
        bool is_of_few = facts_is_of_few(fact, of);
        double slowdown;
        column_number(fact, of, &slowdown);
        line->x[i] = (double)bins->items[i].to_bytes / 1000;
        line->y[i] = slowdown < 0 || is_of_few ? NAN : slowdown;
        has_point |= !isnan(line->y[i]);
        f->written.n_few += is_of_few;
    }
    return has_point;
}

static void
add_bins(struct rep_figures *f, const struct completion *flows, const struct scheme_line *of)
{
    static const size_t facts[N_PERCENTILES] = { WORKLOAD_slowdown_p50, WORKLOAD_slowdown_p95,
                                                 WORKLOAD_slowdown_p99 };
    struct completion_bins bins;

    completion_by_size(flows, NULL, 0, &bins);
    for (size_t k = 0; k < N_PERCENTILES; k++) {
        struct plot *p = &f->by_size[is_split(f) ? k : 0];
        struct plot_line *line = is_split(f)
                                     ? plot_add(p, bins.n, "%s", of->label)
                                     : plot_add(p, bins.n, "%s, %s", of->label, percentiles[k]);
        style_line(line, of);
        line->dash = is_split(f) ? line->dash : k;
        if (!fill_bins(f, line, &workload_facts[facts[k]], &bins)) {
            plot_drop(p);
        }
    }
}

/* Adds the lines of a scheme, when all its runs have been added. */
static void
add_slowdown(struct rep_figures *f, const struct scheme *s, const struct rep_run *last)
{
    double cdf[COMPLETION_CDF_POINTS + 1];

    if (!completion_cdf(&s->flows, cdf)) {
        return;
    }
    const struct scheme_line of = line_of(f, s, last);
    add_bins(f, &s->flows, &of);
    struct plot_line *line = plot_add(&f->cdf, COMPLETION_CDF_POINTS + 1, "%s", of.label);
    style_line(line, &of);
    for (size_t i = 0; i <= COMPLETION_CDF_POINTS; i++) {
        line->x[i] = cdf[i];
        line->y[i] = (double)i / COMPLETION_CDF_POINTS;
    }
}

/* Adds the flows of a run to its scheme, and returns the scheme. */
static struct scheme *
add_to_scheme(struct rep_figures *f, const struct rep_run *r)
{
    const struct completion *flows = &r->completions.flows;
    size_t at = place_of(f, r);
    struct scheme *s = &f->schemes[at];

    size_t len = strlen(s->runs);
    snprintf(s->runs + len, sizeof s->runs - len, "%s%llu", s->n_runs++ ? ", " : "",
             (unsigned long long)rep_run_row(r)->id);
    for (size_t i = 0; i < flows->n; i++) {
        completion_add(&s->flows, &flows->flows[i], completion_sent_of(flows, &flows->flows[i]));
    }
    return s;
}

bool
rep_figures_add(struct rep_figures *f, struct rec_file *file, const struct rep_run *r,
                struct err *err)
{
    f->n_runs++;
    struct scheme *s = add_to_scheme(f, r);
    if (!runs_of_scheme(&f->wish, f->n_runs, r->scheme)) {
        add_slowdown(f, s, r);
        completion_free(&s->flows);
    }
    return write_run(f, file, r, err);
}

/* Writes the slowdown by size. Sizes and slowdowns that differ by powers of ten have logarithmic
 * axes. */
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

/* Removes the name of the port, node or flow from the labels of lines, if all lines have the same:
 * the title has it. */
static void
drop_place(struct overlay *o)
{
    size_t n = strlen(": ") + strnlen(o->place, MAX_PLACE_CHARS);

    for (size_t i = 0; i < o->plot.n_lines; i++) {
        char *label = o->plot.lines[i].label;
        label[strlen(label) - n] = '\0';
    }
}

static bool
write_overlay(struct rep_figures *f, size_t kind, struct err *err)
{
    struct overlay *o = &f->overlays[kind];
    struct plot *p = &o->plot;
    char name[80], title[120 + REP_PLACE_BYTES];

    snprintf(title, sizeof title, "%s, of each run", title_of(f, &rep_over_time[kind]));
    if (!o->are_several && p->n_lines) {
        snprintf(title, sizeof title, "%s: %s, of each run", title_of(f, &rep_over_time[kind]),
                 o->place);
        drop_place(o);
    }
    p->title = title;
    p->x_title = "time (ms)";
    p->y_title = rep_over_time[kind].y_title;
    snprintf(name, sizeof name, "all-%s", rep_over_time[kind].name);
    bool good = write_figure(f, p, name, err);
    plot_free(p);
    return good;
}

bool
rep_figures_finish(struct rep_figures *f, struct rep_written *written, struct err *err)
{
    bool good = true;
    struct err other; /* Unused: the caller gets the first error only. */

    for (size_t i = 0; i < REP_N_OVER_TIME; i++) {
        good = write_overlay(f, i, good ? err : &other) && good;
    }
    for (size_t k = 0; k < N_PERCENTILES; k++) {
        good = write_by_size(f, k, good ? err : &other) && good;
    }
    f->cdf.log_x = plot_spans_decades(&f->cdf, true);
    good = write_figure(f, &f->cdf, "slowdown-cdf", good ? err : &other) && good;
    plot_free(&f->cdf);
    *written = f->written;
    for (size_t i = 0; i < f->n_schemes; i++) {
        completion_free(&f->schemes[i].flows);
    }
    free(f->schemes);
    free(f->folder);
    free(f);
    return good;
}
