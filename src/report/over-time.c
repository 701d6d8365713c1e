/* Selects the series of a run that are drawn over time, and draws them as lines. */

#include "report/over-time.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "weir/gate.h"

enum { MAX_LARGEST = 6 }; /* By default the series with the largest peaks are drawn. */

#define BITS 8.0

/* Selection of series: those with the largest values at their peak. */

static int
by_peak(const void *a, const void *b)
{
    const struct rep_candidate *x = a, *y = b;
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
is_of_kind(const struct rep_over_time *kind, const struct rec_series *s)
{
    return !strcmp(s->quantity, kind->quantity) && !strcmp(s->object, kind->object);
}

static bool
is_chosen(const struct rep_drawn *d, const struct rec_series *s)
{
    bool is_of_port = !strcmp(s->object, "port") && s->object_id < d->run->tables[REC_PORT].n;

    return !d->is_chosen || !is_of_port || d->is_chosen[s->object_id];
}

struct rep_candidate *
rep_find_series(const struct rep_drawn *d, const struct rep_over_time *kind, size_t *n)
{
    const struct rep_samples *s = d->samples;
    struct rep_candidate *all = array_new(s->n_series, sizeof *all);
    bool are_asked_for = d->is_chosen && !strcmp(kind->object, "port");

    *n = 0;
    for (uint32_t i = 0; i < s->n_series; i++) {
        const struct rec_series *series = rep_run_at(d->run, REC_SERIES, i);
        bool is_it = is_of_kind(kind, series) && is_chosen(d, series);
        uint64_t peak = is_it ? peak_of(s, i) : 0;
        if (is_it && (peak || are_asked_for)) {
            all[(*n)++] = (struct rep_candidate){ i, peak };
        }
    }
    qsort(all, *n, sizeof *all, by_peak);
    size_t most = are_asked_for ? PLOT_MAX_LINES : MAX_LARGEST;
    *n = *n < most ? *n : most;
    return all;
}

/* Conversion of samples to lines. */

/* Draws the maximum of each row, divided by 'unit'. Rows without a limit are left out. */
static void
add_scaled(struct plot *p, const struct rep_samples *s, uint32_t i, const char *label, double unit)
{
    struct plot_line *line = plot_add(p, s->n_rows, "%s", label);

    for (uint32_t row = 0; row < s->n_rows; row++) {
        const struct rep_range *v = &s->values[(size_t)row * s->n_series + i];
        uint64_t most = v->high == WEIR_UNLIMITED ? v->low : v->high;
        line->x[row] = (double)s->times_ps[row] / REP_PS_PER_MS;
        line->y[row] = most == WEIR_UNLIMITED ? NAN : (double)most / unit;
    }
}

/* Draws a counter as a rate, from each row to the next. */
static void
add_rates(struct plot *p, const struct rep_samples *s, uint32_t i, const char *label)
{
    struct plot_line *line = plot_add(p, s->n_rows, "%s", label);
    uint64_t before = s->before[i], before_ps = s->before_ps;

    for (uint32_t row = 0; row < s->n_rows; row++) {
        uint64_t value = s->values[(size_t)row * s->n_series + i].high, now_ps = s->times_ps[row];
        double ns = (double)(now_ps - before_ps) / 1000;
        line->x[row] = (double)now_ps / REP_PS_PER_MS;
        line->y[row] = ns > 0 ? (double)(value - before) * BITS / ns : 0;
        before = value;
        before_ps = now_ps;
    }
}

/* Thresholds: queue lengths at which engines act. Their values are those of the run, whether the
 * scenario sets them or engines derived them. */

static const struct {
    const char *key;
    enum rep_queues at; /* The queues that the threshold applies to. */
} levels[] = {
    { "xoff", REP_AT_INPUTS },        { "xon", REP_AT_INPUTS },   { "bm", REP_AT_INPUTS },
    { "b1", REP_AT_INPUTS },          { "b0", REP_AT_INPUTS },    { "window", REP_AT_INPUTS },
    { "kmin", REP_AT_OUTPUTS },       { "kmax", REP_AT_OUTPUTS }, { "egress_xoff", REP_AT_OUTPUTS },
    { "egress_xon", REP_AT_OUTPUTS }, { "th_p", REP_AT_OUTPUTS }, { "th_e", REP_AT_OUTPUTS },
};

static enum rep_queues
queues_of(const struct rep_run *r, const struct rec_engine_parameter *p)
{
    for (size_t i = 0; i < sizeof levels / sizeof *levels; i++) {
        if (!strcmp(levels[i].key, p->key)) {
            return levels[i].at;
        }
    }
    if (strcmp(p->key, "qeq")) {
        return REP_NO_QUEUES;
    }
    for (size_t i = 0; i < r->tables[REC_ENGINE_PARAMETER].n;
         /* The parameter `place` determines which queue QCN uses. */
         i++) {
        const struct rec_engine_parameter *place = rep_run_at(r, REC_ENGINE_PARAMETER, i);
        if (!strcmp(place->role, p->role) && !strcmp(place->key, "place")) {
            return strcmp(place->text, "input") ? REP_AT_OUTPUTS : REP_AT_INPUTS;
        }
    }
    return REP_NO_QUEUES;
}

/* Adds the thresholds of a node's engines that apply to such queues, in KB. */
static void
add_thresholds(struct plot *plot, const struct rep_run *r, uint32_t node, enum rep_queues at)
{
    const struct rec_node *n = rep_run_at(r, REC_NODE, node);

    for (size_t i = 0; n && i < r->tables[REC_ENGINE_PARAMETER].n; i++) {
        const struct rec_engine_parameter *p = rep_run_at(r, REC_ENGINE_PARAMETER, i);
        if (p->value && p->value < INT64_MAX && !strcmp(p->role, n->role) &&
            queues_of(r, p) == at) {
            plot_add_threshold(plot, (double)p->value / 1000, "%s %s %s", p->engine, p->key,
                               p->text);
        }
    }
}

const struct rep_over_time rep_over_time[REP_N_OVER_TIME] = {
    { "queues", "Peak queues at inputs", "Queues at inputs", "queue length (KB)", "port", "queue",
      1e3, REP_AT_INPUTS },
    { "outputs", "Peak queues at outputs", "Queues at outputs", "queue length (KB)", "port",
      "output", 1e3, REP_AT_OUTPUTS },
    { "passing", "Inside switches, between inputs and outputs", NULL, "bytes on their way (KB)",
      "node", "passing", 1e3, REP_NO_QUEUES },
    { "held", "Flows with the largest share of an input",
      "Flows with the largest share of these inputs", "bytes held (KB)", "port", "held", 1e3,
      REP_NO_QUEUES },
    { "goodput", "Goodput of flows", NULL, "Gb/s", "flow", "received", 0, REP_NO_QUEUES },
    { "throughput", "Throughput of flows at their senders", NULL, "Gb/s", "flow", "sent", 0,
      REP_NO_QUEUES },
    { "limits", "Rates that engines hold flows to", NULL, "Gb/s", "flow", "limit", 1e9,
      REP_NO_QUEUES },
    { "messages", "Congestion messages received by senders", NULL, "messages", "flow", "messages",
      1, REP_NO_QUEUES },
    { "rates", "The busiest links", "Load of links", "Gb/s", "port", "sent", 0, REP_NO_QUEUES },
};

void
rep_add_series(struct plot *p, const struct rep_drawn *d, const struct rep_over_time *kind,
               uint32_t i, const char *label)
{
    const struct rec_series *s = rep_run_at(d->run, REC_SERIES, i);

    if (kind->unit > 0) {
        add_scaled(p, d->samples, i, label, kind->unit);
    } else {
        add_rates(p, d->samples, i, label);
    }
    const struct rec_port *port = rep_run_at(d->run, REC_PORT, s->object_id);
    if (kind->queues && port) {
        add_thresholds(p, d->run, port->node, kind->queues);
    }
}

void
rep_drawn_place(const struct rep_run *r, uint32_t series, char place[REP_PLACE_BYTES])
{
    struct rep_places places = rep_places_of(&r->tables[REC_NODE], &r->tables[REC_PORT],
                                             &r->tables[REC_FLOW], &r->tables[REC_SERIES]);

    rep_series_place(&places, rep_run_at(r, REC_SERIES, series), place);
    rep_places_free(&places);
}
