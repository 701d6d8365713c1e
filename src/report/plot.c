/* The lines of a figure, and their points as CSV. plot-svg.c draws them. */

#include "report/plot.h"

#include <math.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/csv.h"

char *
plot_text(const char *format, ...)
{
    va_list args, again;

    va_start(args, format);
    va_copy(again, args);
    size_t bytes = (size_t)vsnprintf(NULL, 0, format, args) + 1;
    char *text = array_new(bytes, 1);
    vsnprintf(text, bytes, format, again);
    va_end(again);
    va_end(args);
    return text;
}

char *
plot_axis_title(const char *name, const char *unit)
{
    return *unit ? plot_text("%.200s (%.40s)", name, unit) : plot_text("%.200s", name);
}

struct plot_line *
plot_add(struct plot *p, size_t n, const char *format, ...)
{
    size_t i = p->n_lines;
    struct plot_line *line = &ARRAY_PUSH(p->lines, p->n_lines, p->max_lines);
    va_list args;

    /* When all colours have been used, they are repeated with the next dash. */
    *line = (struct plot_line){ .n = n, .colour = i, .dash = i + i / PLOT_N_COLOURS };
    line->x = array_new(n, sizeof *line->x);
    line->y = array_new(n, sizeof *line->y);
    va_start(args, format);
    vsnprintf(line->label, sizeof line->label, format, args);
    va_end(args);
    return line;
}

void
plot_add_bars(struct plot_line *line)
{
    line->low = array_new(line->n, sizeof *line->low);
    line->high = array_new(line->n, sizeof *line->high);
    for (size_t i = 0; i < line->n; i++) {
        line->low[i] = line->high[i] = NAN;
    }
}

void
plot_add_threshold(struct plot *p, double y, const char *format, ...)
{
    struct plot_threshold new = { .y = y };
    va_list args;

    va_start(args, format);
    vsnprintf(new.label, sizeof new.label, format, args);
    va_end(args);
    for (size_t i = 0; i < p->n_thresholds; i++) {
        if (!strcmp(p->thresholds[i].label, new.label)) {
            return;
        }
    }
    if (p->n_thresholds < PLOT_MAX_THRESHOLDS) {
        p->thresholds[p->n_thresholds++] = new;
    }
}

void
plot_drop(struct plot *p)
{
    struct plot_line *last = &p->lines[--p->n_lines];

    free(last->x);
    free(last->y);
    free(last->low);
    free(last->high);
    free(last->of);
    for (size_t i = 0; last->words && i < last->n; i++) {
        free(last->words[i]);
    }
    free(last->words);
}

size_t
plot_n_side(const struct plot *p)
{
    size_t n = 0;

    while (n < p->n_lines && p->lines[n].kind != PLOT_LEVELS) {
        n++;
    }
    return n;
}

void
plot_free(struct plot *p)
{
    while (p->n_lines) {
        plot_drop(p);
    }
    free(p->lines);
    *p = (struct plot){ 0 };
}

/* Data of a figure. */

static bool
has_bars(const struct plot *p)
{
    bool has = false;

    for (size_t i = 0; i < p->n_lines && !has; i++) {
        has = p->lines[i].low;
    }
    return has;
}

static void
write_x(const struct plot *p, double x, FILE *out)
{
    size_t at = p->x_names && x >= 1 ? (size_t)x - 1 : p->n_x_names;

    if (at < p->n_x_names) {
        csv_quoted(out, p->x_names[at]);
    } else {
        fprintf(out, "%.9g", x);
    }
}

/* Writes the name of a line. A published value also has the name of the measured line that it
 * belongs to. */
static void
write_line_name(const struct plot *p, const struct plot_line *l, size_t k, FILE *out)
{
    char name[2 * PLOT_LABEL_BYTES + 4];
    const char *of = l->of ? p->lines[l->of[k]].label : "";

    snprintf(name, sizeof name, "%s%s%s", l->label, *of ? ", " : "", of);
    csv_quoted(out, name);
}

static bool
has_words(const struct plot_line *l, size_t k)
{
    return l->words && l->words[k];
}

static void
write_point(const struct plot *p, const struct plot_line *l, size_t k, FILE *out)
{
    write_line_name(p, l, k, out);
    putc(',', out);
    write_x(p, l->x[k], out);
    putc(',', out);
    if (isfinite(l->y[k])) {
        fprintf(out, "%.9g", l->y[k]);
    }
    if (l->low && !isnan(l->low[k])) {
        fprintf(out, ",%.9g,%.9g", l->low[k], l->high[k]);
    } else if (has_bars(p)) {
        fputs(",,", out);
    }
    if (p->is_table) {
        putc(',', out);
        csv_quoted(out, has_words(l, k) ? l->words[k] : "");
    }
    putc('\n', out);
}

/* Writes thresholds, which have no x. */
static void
write_thresholds(const struct plot *p, FILE *out)
{
    for (size_t i = 0; i < p->n_thresholds; i++) {
        csv_quoted(out, p->thresholds[i].label);
        fprintf(out, ",,%.9g%s\n", p->thresholds[i].y, has_bars(p) ? ",," : "");
    }
}

static void
write_heads(const struct plot *p, FILE *out)
{
    fputs("line,", out);
    csv_quoted(out, *p->x_title ? p->x_title : "column");
    putc(',', out);
    csv_quoted(out, p->y_title);
    fputs(!has_bars(p) ? "" : p->has_range ? ",min,max" : ",first quartile,third quartile", out);
    fputs(p->is_table ? ",shown\n" : "\n", out);
}

void
plot_write_csv(const struct plot *p, FILE *out)
{
    write_heads(p, out);
    for (size_t i = 0; i < p->n_lines; i++) {
        for (size_t k = 0; k < p->lines[i].n; k++) {
            if (isfinite(p->lines[i].y[k]) || has_words(&p->lines[i], k)) {
                write_point(p, &p->lines[i], k, out);
            }
        }
    }
    write_thresholds(p, out);
}
