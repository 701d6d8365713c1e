/* Figures of sweeps: bars, lines, distributions and tables of medians, with the range of single
 * runs. */

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "answer/spread.h"
#include "base/array.h"
#include "base/text.h"
#include "report/paper-parts.h"

/* The maximum number of values in a list. There may be as many filters for each of 64 keys. */
enum { MAX_VALUES = 64, MAX_FILTERS = MAX_VALUES * MAX_VALUES };

/* The values of a setting that are drawn, in the order of the figure. */
struct values {
    struct named {
        char value[REP_PART_BYTES], label[REP_PART_BYTES];
        double number;
    } all[MAX_VALUES];
    size_t n, n_left_out; /* 'n_left_out': the number of values after the last drawn one. */
    const char *key;      /* "": the figure has no such axis; there is then one value. */
    bool is_scale;
    const char *unit;
};

struct group {
    char label[REP_PART_BYTES], study[REP_PART_BYTES], metric[REP_PART_BYTES];
    struct rep_sweep sweep;
    bool has_sweep;
    size_t column; /* The metric; REP_NO_COLUMN: no run has it. */
};

/* One of the values that a setting may have: the setting, the value, and its label. */
struct filter {
    char parts[3][REP_PART_BYTES];
};

struct grid {
    struct rep_paper *p;
    const struct rec_figure *figure;
    struct group groups[MAX_VALUES];
    size_t n_groups, n_groups_left_out;
    struct filter *filters; /* The filters; values of the same key are consecutive. */
    size_t n_filters, max_filters;
    struct values by, lines, panels;
};

/* A point of the figure: the indices of its group, and of its value on each axis. */
struct place {
    size_t group, by, line, panel;
};

struct measured {
    double median, least, most; /* NAN: unknown. */
};

/* Reading a figure. */

static uint64_t
newest_sweep(const struct rep_paper *p, const char *study)
{
    uint64_t id = 0;

    for (size_t k = 0; k < p->sweeps.n; k++) {
        const struct rec_sweep *sweep = rec_row(&p->sweeps, REC_SWEEP, k);
        id = !strcmp(sweep->name, study) ? sweep->id : id;
    }
    return id;
}

static bool
read_group(struct grid *g, char parts[3][REP_PART_BYTES], struct err *err)
{
    struct group *group = &g->groups[g->n_groups++];
    uint64_t id = newest_sweep(g->p, parts[1]);

    strcpy(group->label, parts[0]);
    strcpy(group->study, parts[1]);
    strcpy(group->metric, parts[2]);
    group->column = REP_NO_COLUMN;
    if (!id) {
        return true;
    }
    group->has_sweep = rep_sweep_read(&group->sweep, g->p->file, id, REP_SWEEP_ROWS, err);
    if (group->has_sweep) {
        group->column = rep_sweep_metric(&group->sweep, group->metric);
    }
    return group->has_sweep;
}

static bool
read_groups(struct grid *g, struct err *err)
{
    char parts[3][REP_PART_BYTES];
    const char *at = g->figure->drawn;
    bool good = true;

    while (good && text_next_row(&at, 3, sizeof *parts, *parts)) {
        bool has_room = g->n_groups < MAX_VALUES;
        g->n_groups_left_out += !has_room;
        good = !has_room || read_group(g, parts, err);
    }
    return good;
}

static int
by_key(const void *a, const void *b)
{
    const struct filter *x = a, *y = b;

    return strcmp(x->parts[0], y->parts[0]);
}

static bool
read_filters(struct grid *g, struct err *err)
{
    const char *at = g->figure->filters;
    struct filter filter;

    while (g->n_filters < MAX_FILTERS &&
           text_next_row(&at, 3, sizeof *filter.parts, *filter.parts)) {
        ARRAY_PUSH(g->filters, g->n_filters, g->max_filters) = filter;
    }
    if (*at) {
        return err_set(err, "figure %llu of the results file has more than %d filters",
                       (unsigned long long)g->figure->id, MAX_FILTERS);
    }
    array_sort(g->filters, g->n_filters, sizeof *g->filters, by_key);
    return true;
}

/* The first sweep that a group has; null: no group has one. */
static const struct rep_sweep *
any_sweep(const struct grid *g)
{
    for (size_t i = 0; i < g->n_groups; i++) {
        if (g->groups[i].has_sweep) {
            return &g->groups[i].sweep;
        }
    }
    return NULL;
}

static void
add_value(struct values *v, const char *value, const char *label)
{
    v->n_left_out += v->n == MAX_VALUES;
    if (v->n < MAX_VALUES) {
        struct named *named = &v->all[v->n++];
        snprintf(named->value, sizeof named->value, "%s", value);
        snprintf(named->label, sizeof named->label, "%s", label);
    }
}

/* Sets the numbers of values on a scale; the values may be in any order. */
static void
find_numbers(struct values *v, const struct rep_setting *s)
{
    v->is_scale = s->is_scale;
    v->unit = s->unit;
    for (size_t i = 0; i < v->n && s->is_scale; i++) {
        for (size_t k = 0; k < s->n_values; k++) {
            if (!strcmp(s->values[k], v->all[i].value)) {
                v->all[i].number = s->numbers[k];
            }
        }
    }
}

static bool
find_values(const struct grid *g, const char *key, struct values *v)
{
    const struct rep_sweep *sweep = any_sweep(g);
    size_t setting = *key ? rep_sweep_setting(sweep, key) : REP_NO_COLUMN;

    *v = (struct values){ .key = key, .unit = "" };
    if (!*key) {
        add_value(v, "", "");
        return true;
    }
    for (size_t i = 0; i < g->n_filters; i++) {
        if (!strcmp(g->filters[i].parts[0], key)) {
            add_value(v, g->filters[i].parts[1], g->filters[i].parts[2]);
        }
    }
    if (setting == REP_NO_COLUMN) {
        return false;
    }
    const struct rep_setting *s = &sweep->settings[setting];
    for (size_t i = 0, n = v->n; !n && i < s->n_values; i++) {
        add_value(v, s->values[i], s->values[i]);
    }
    find_numbers(v, s);
    return true;
}

/* Values of points. */

static bool
is_axis(const struct grid *g, const char *key)
{
    return !strcmp(key, g->by.key) || !strcmp(key, g->lines.key) || !strcmp(key, g->panels.key);
}

/* The settings of a point: its values on the axes, then the filters of other keys. The caller frees
 * them. */
static struct rep_keys
keys_of(const struct grid *g, const struct place *at)
{
    const struct values *const axes[] = { &g->by, &g->lines, &g->panels };
    const size_t places[] = { at->by, at->line, at->panel };
    struct rep_keys k = { .n = 0 };

    for (size_t i = 0; i < 3; i++) {
        if (axes[i]->key[0]) {
            ARRAY_PUSH(k.all, k.n, k.max) =
                (struct rep_key){ axes[i]->key, axes[i]->all[places[i]].value };
        }
    }
    k.n_axes = k.n;
    for (size_t i = 0; i < g->n_filters; i++) {
        const struct filter *f = &g->filters[i];
        if (!is_axis(g, f->parts[0])) {
            ARRAY_PUSH(k.all, k.n, k.max) = (struct rep_key){ f->parts[0], f->parts[1] };
        }
    }
    return k;
}

/* The value of a run's setting; null: its study does not vary the setting. */
static const char *
value_of(const struct rep_sweep *s, size_t row, const char *key)
{
    size_t setting = rep_sweep_setting(s, key);

    return setting == REP_NO_COLUMN ? NULL
                                    : s->settings[setting].values[s->settings[setting].of[row]];
}

/* Whether a run has the value of each axis, and one of the values of each other key. */
static bool
is_row(const struct rep_sweep *s, size_t row, const struct rep_keys *keys)
{
    bool is = true;

    for (size_t i = 0; i < keys->n && is;) {
        const char *key = keys->all[i].key, *has = value_of(s, row, key);
        is = false;
        do {
            is |= !has || !strcmp(has, keys->all[i].value);
            i++;
        } while (i > keys->n_axes && i < keys->n && !strcmp(keys->all[i].key, key));
    }
    return is;
}

static struct measured
measure(const struct group *group, const struct rep_keys *keys)
{
    const struct rep_sweep *s = &group->sweep;
    struct measured m = { NAN, NAN, NAN };

    if (group->column == REP_NO_COLUMN) {
        return m;
    }
    double *values = array_new(s->summaries.n, sizeof *values);
    size_t n = 0;
    for (size_t row = 0; row < s->summaries.n; row++) {
        double value = s->metrics[group->column].values[row];
        if (!isnan(value) && rep_sweep_has_run(rep_sweep_run(s, row)) && is_row(s, row, keys)) {
            values[n++] = value;
        }
    }
    if (n) {
        struct spread spread = spread_of(values, n);
        m.median = spread.median;
        m.least = n > 1 ? spread.least : NAN;
        m.most = n > 1 ? spread.most : NAN;
    }
    free(values);
    return m;
}

static struct measured
measure_at(const struct grid *g, const struct place *at)
{
    struct rep_keys keys = keys_of(g, at);
    struct measured m = measure(&g->groups[at->group], &keys);

    free(keys.all);
    return m;
}

/* Positions on the x axis, and lines. Groups are on the x axis, unless the figure has `by`: then
 * they are lines. */

static bool
has_by(const struct grid *g)
{
    return g->by.key[0];
}

static size_t
count_x(const struct grid *g)
{
    return has_by(g) ? g->by.n : g->n_groups;
}

static size_t
count_lines(const struct grid *g)
{
    return g->lines.n * (has_by(g) ? g->n_groups : 1);
}

static struct place
place_at(const struct grid *g, size_t x, size_t line, size_t panel)
{
    return (struct place){ .group = has_by(g) ? line / g->lines.n : x,
                           .by = has_by(g) ? x : 0,
                           .line = line % g->lines.n,
                           .panel = panel };
}

static const char *
x_label(const struct grid *g, size_t x)
{
    return has_by(g) ? g->by.all[x].label : g->groups[x].label;
}

static void
line_label(const struct grid *g, size_t line, char out[2 * REP_PART_BYTES])
{
    const char *of = g->lines.all[line % g->lines.n].label;
    const char *group = has_by(g) ? g->groups[line / g->lines.n].label : "";

    snprintf(out, 2 * REP_PART_BYTES, "%s%s%s", group, *group && *of ? ", " : "", of);
}

/* The divisor of values at a position: 1, or the minimum of all lines there, or the value of one
 * line. */
static double
base_at(const struct grid *g, size_t x, size_t panel)
{
    const char *relative = g->figure->relative;
    double base = NAN;
    char label[2 * REP_PART_BYTES];

    for (size_t line = 0; *relative && line < count_lines(g); line++) {
        struct place at = place_at(g, x, line, panel);
        double value = measure_at(g, &at).median;
        line_label(g, line, label);
        bool is_it = !strcmp(relative, label) ||
                     (!strcmp(relative, "least") && !(base <= value) && !isnan(value));
        base = is_it ? value : base;
    }
    return *relative ? base : 1;
}

/* A value divided by a base; NAN if the base is 0 or unknown. */
static double
divided(double value, double base)
{
    double share = value / base;

    return isfinite(share) ? share : NAN;
}

/* Published values. */

static double
implied(const struct grid *g, const struct place *at, const struct rep_said *said)
{
    struct rep_keys keys = keys_of(g, at);

    for (size_t i = 0; i < keys.n; i++) {
        struct rep_key *k = &keys.all[i];
        k->value = !strcmp(k->key, said->axis) ? said->against : k->value;
    }
    struct measured reference = measure(&g->groups[at->group], &keys);
    free(keys.all);
    return said->value * reference.median;
}

/* The published value of a point. Values given in figures.yaml are already relative if the figure
 * is relative. */
static struct rep_said
said_at(const struct grid *g, size_t x, size_t line, size_t panel, double base)
{
    char label[2 * REP_PART_BYTES];
    struct place at = place_at(g, x, line, panel);
    const struct group *group = &g->groups[at.group];

    line_label(g, line, label);
    struct rep_said said = rep_said_by_hand(g->figure, x_label(g, x), label);
    if (said.sign) {
        return said;
    }
    struct rep_keys keys = keys_of(g, &at);
    said = rep_said_by_paper(g->p, g->figure, group->study, group->metric, &keys);
    free(keys.all);
    said.value = divided(said.sign == REP_SAID_IMPLIED ? implied(g, &at, &said) : said.value, base);
    return said;
}

/* Drawing. */

static bool
is_drawn_as(const struct grid *g, const char *as)
{
    return !strcmp(g->figure->draw, as);
}

static bool
has_numbers(const struct grid *g)
{
    return has_by(g) && g->by.is_scale && !is_drawn_as(g, "bars") && !is_drawn_as(g, "table");
}

static double
x_of(const struct grid *g, size_t x)
{
    return has_numbers(g) ? g->by.all[x].number : (double)x + 1;
}

/* The divisor at each position on the x axis; the caller frees them. */
static double *
bases_of(const struct grid *g, size_t panel)
{
    double *bases = array_new(count_x(g), sizeof *bases);

    for (size_t x = 0; x < count_x(g); x++) {
        bases[x] = base_at(g, x, panel);
    }
    return bases;
}

static void
add_line(const struct grid *g, struct plot *p, size_t line, size_t panel, const double *bases)
{
    char label[2 * REP_PART_BYTES];
    bool is_joined = has_numbers(g) || is_drawn_as(g, "lines");

    line_label(g, line, label);
    struct plot_line *l = plot_add(p, count_x(g), "%s", *label ? label : "measured, median run");
    l->kind = is_joined ? PLOT_JOINED : PLOT_BARS;
    l->dash = is_joined ? l->dash : line / PLOT_N_COLOURS;
    plot_add_bars(l);
    for (size_t x = 0; x < count_x(g); x++) {
        struct place at = place_at(g, x, line, panel);
        struct measured m = measure_at(g, &at);
        l->x[x] = x_of(g, x);
        l->y[x] = divided(m.median, bases[x]);
        l->low[x] = divided(m.least, bases[x]);
        l->high[x] = divided(m.most, bases[x]);
    }
}

static void
add_published(const struct grid *g, struct plot *p, size_t panel, const double *bases)
{
    for (size_t x = 0; x < count_x(g); x++) {
        for (size_t line = 0; line < count_lines(g); line++) {
            struct rep_said said = said_at(g, x, line, panel, bases[x]);
            if (said.sign) {
                rep_said_mark(p, said, x_of(g, x), line, said.value);
            }
        }
    }
}

static void
name_places(const struct grid *g, struct plot *p)
{
    char **names = array_new(count_x(g), sizeof *names);

    for (size_t x = 0; x < count_x(g); x++) {
        names[x] = strdup(x_label(g, x));
    }
    p->x_names = names;
    p->n_x_names = count_x(g);
}

/* Writes values as words: "12.3 (11)" is a measured and a published value. */
static void
write_words(struct plot *p)
{
    for (size_t i = 0; i < plot_n_side(p); i++) {
        struct plot_line *l = &p->lines[i];
        l->words = array_new(l->n, sizeof *l->words);
        for (size_t k = 0; k < l->n; k++) {
            char words[100] = "";
            snprintf(words, sizeof words, isnan(l->y[k]) ? "unknown" : "%.3g", l->y[k]);
            for (size_t m = plot_n_side(p); m < p->n_lines; m++) {
                const struct plot_line *marks = &p->lines[m];
                for (size_t j = 0; j < marks->n; j++) {
                    if (marks->of && marks->of[j] == i && marks->x[j] == l->x[k]) {
                        snprintf(words + strlen(words), sizeof words - strlen(words), " (%s%.3g)",
                                 strstr(marks->label, "less")    ? "<"
                                 : strstr(marks->label, "more")  ? ">"
                                 : strstr(marks->label, "ratio") ? "ratio: "
                                                                 : "",
                                 marks->y[j]);
                    }
                }
            }
            l->words[k] = strdup(words);
        }
    }
}

static void
make_table(struct rep_panels *panels)
{
    for (size_t i = 0; i < panels->n; i++) {
        struct plot *p = &panels->items[i];
        char title[400];
        write_words(p);
        while (p->n_lines > plot_n_side(p)) {
            plot_drop(p);
        }
        snprintf(title, sizeof title, "%s: measured (published)", p->y_title);
        free((char *)p->y_title);
        p->y_title = strdup(title);
        p->is_table = true;
    }
}

/* The percentile at a position of the x axis, as a share: "p99" and "99 %" are 0.99. */
static double
percentile_at(const struct grid *g, double x)
{
    if (has_numbers(g)) {
        return x / 100;
    }
    const char *label = x_label(g, (size_t)x - 1);
    return strtod(label + strcspn(label, "0123456789"), NULL) / 100;
}

/* Converts lines to distributions: positions on the x axis are percentiles, and become y values.
 * The values of the lines become the x axis. */
static void
make_cdf(const struct grid *g, struct plot *p)
{
    for (size_t i = 0; i < p->n_lines; i++) {
        struct plot_line *l = &p->lines[i];
        for (size_t k = 0; k < l->n; k++) {
            double share = percentile_at(g, l->x[k]);
            l->x[k] = l->y[k];
            l->y[k] = isnan(l->x[k]) ? NAN : share;
            if (l->low) {
                l->low[k] = l->high[k] = NAN;
            }
        }
        if (l->kind != PLOT_LEVELS) {
            l->kind = PLOT_JOINED;
            l->dash = l->colour + l->colour / PLOT_N_COLOURS;
        }
    }
    p->has_upright_levels = true;
    p->y_most = 1;
}

static const char *
unit_of(const struct grid *g)
{
    for (size_t i = 0; i < g->n_groups; i++) {
        if (g->groups[i].column != REP_NO_COLUMN) {
            return g->groups[i].sweep.metrics[g->groups[i].column].unit;
        }
    }
    return "";
}

/* A title for an axis to which the figure gives no title. */
static const char *
what_of(const char *unit)
{
    static const struct {
        const char *unit, *what;
    } all[] = { { "ps", "time" }, { "bps", "rate" }, { "bytes", "size" }, { "share", "share" } };

    for (size_t i = 0; i < sizeof all / sizeof *all; i++) {
        if (!strcmp(all[i].unit, unit)) {
            return all[i].what;
        }
    }
    return "value";
}

/* Adds the number of runs that are not drawn to the title. */
static void
name_left_out(const struct grid *g, struct plot *p)
{
    const struct {
        size_t n;
        const char *of;
    } all[] = { { g->n_groups_left_out, "groups" },
                { g->by.n_left_out, g->by.key },
                { g->lines.n_left_out, g->lines.key },
                { g->panels.n_left_out, g->panels.key } };

    for (size_t i = 0; i < sizeof all / sizeof *all; i++) {
        const char *old = p->title;
        if (all[i].n) {
            p->title = plot_text("%s (left out: %zu of %.100s)", old, all[i].n, all[i].of);
            free((char *)old);
        }
    }
}

static void
draw_panel(const struct grid *g, struct rep_panels *panels, size_t panel)
{
    struct plot *p = rep_panel_add(panels, g->figure, g->panels.all[panel].label);
    bool is_cdf = is_drawn_as(g, "cdf");
    double *bases = bases_of(g, panel);

    p->has_range = true;
    for (size_t line = 0; line < count_lines(g); line++) {
        add_line(g, p, line, panel, bases);
    }
    add_published(g, p, panel, bases);
    free(bases);
    name_left_out(g, p);
    if (is_cdf) {
        make_cdf(g, p);
    } else if (!has_numbers(g)) {
        name_places(g, p);
    }
}

static void
draw(const struct grid *g, struct rep_panels *panels)
{
    const char *unit = g->figure->relative[0] ? "" : unit_of(g), *what = what_of(unit_of(g));
    char normalised[REP_PART_BYTES];
    bool is_cdf = is_drawn_as(g, "cdf");

    for (size_t panel = 0; panel < g->panels.n; panel++) {
        draw_panel(g, panels, panel);
    }
    if (g->figure->relative[0]) {
        snprintf(normalised, sizeof normalised, "%.80s, relative to %s%.80s", what,
                 strcmp(g->figure->relative, "least") ? "" : "the ", g->figure->relative);
        what = normalised;
    }
    rep_panels_finish(panels, g->figure,
                      is_cdf ? (struct rep_panel_axes){ unit, what, "share", "share" }
                             : (struct rep_panel_axes){ g->by.unit, g->by.key, unit, what });
    if (is_drawn_as(g, "table")) {
        make_table(panels);
    }
    for (size_t i = 0; i < panels->n; i++) {
        struct plot *p = &panels->items[i];
        p->log_x = !p->x_names && plot_spans_decades(p, true);
    }
}

static void
free_grid(struct grid *g)
{
    for (size_t i = 0; i < g->n_groups; i++) {
        if (g->groups[i].has_sweep) {
            rep_sweep_free(&g->groups[i].sweep);
        }
    }
    free(g->filters);
    free(g);
}

bool
rep_draw_grid(struct rep_paper *p, const struct rec_figure *figure, struct rep_panels *panels,
              struct err *err)
{
    struct grid *g = array_new(1, sizeof *g);

    *g = (struct grid){ .p = p, .figure = figure };
    bool good = read_groups(g, err) && read_filters(g, err);
    if (good && any_sweep(g) && find_values(g, figure->by_setting, &g->by) &&
        find_values(g, figure->line_setting, &g->lines) &&
        find_values(g, figure->panel_setting, &g->panels)) {
        draw(g, panels);
    }
    free_grid(g);
    return good;
}
