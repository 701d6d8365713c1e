/* The lines of a figure, and their points as CSV; plot-svg.c draws them. */

#include "report/plot.h"

#include <math.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/csv.h"
#include "report/plot-style.h"

struct plot_line *
plot_add(struct plot *p, size_t n, const char *format, ...)
{
    size_t i = p->n_lines;
    struct plot_line *line = &ARRAY_PUSH(p->lines, p->n_lines, p->max_lines);
    va_list args;

    /* When all colours have been used, each comes again with the next dash. */
    *line = (struct plot_line){ .n = n, .colour = i, .dash = i + i / PLOT_N_COLOURS };
    line->x = array_new(n, sizeof *line->x);
    line->y = array_new(n, sizeof *line->y);
    va_start(args, format);
    vsnprintf(line->label, sizeof line->label, format, args);
    va_end(args);
    return line;
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
plot_free(struct plot *p)
{
    for (size_t i = 0; i < p->n_lines; i++) {
        free(p->lines[i].x);
        free(p->lines[i].y);
    }
    free(p->lines);
    *p = (struct plot){ 0 };
}

/* Data. */

void
plot_write_csv(const struct plot *p, FILE *out)
{
    fputs("line,", out);
    csv_quoted(out, p->x_title);
    putc(',', out);
    csv_quoted(out, p->y_title);
    putc('\n', out);
    for (size_t i = 0; i < p->n_lines; i++) {
        for (size_t k = 0; k < p->lines[i].n; k++) {
            if (!isnan(p->lines[i].y[k])) {
                csv_quoted(out, p->lines[i].label);
                fprintf(out, ",%.9g,%.9g\n", p->lines[i].x[k], p->lines[i].y[k]);
            }
        }
    }
}
