/* The figures of papers in a results file, as lines: what `weir reproduce --record` has kept of
 * their runs, drawn as the study says.
 *
 *     struct rep_paper p;
 *     if (!rep_paper_open(&p, file, &err)) ...
 *     for (size_t i = 0; i < p.figures.n; i++) {
 *         struct rep_drawing d;
 *         if (!rep_paper_draw(&p, i, &d, &err)) ...
 *         rep_drawing_free(&d);
 *     }
 *     rep_paper_close(&p);
 *
 * A figure over time has a line for each port or flow in the newest run of each engine and
 * arbitration.  A distribution over flows has one line for each such run. */

#ifndef REPORT_PAPER_H
#define REPORT_PAPER_H

#include <stdio.h>

#include "report/runs.h"

struct rep_curve {
    char *engine, *arbitration,
        *label; /* The label distinguishes ports and flows; "": there is one. */
    double *x, *y;
    size_t n;
};

struct rep_drawing {
    const char *x_unit, *y_unit;
    struct rep_curve *curves;
    size_t n, max;
};

struct rep_paper {
    struct rec_file *file;
    weir_ps from_ps, to_ps; /* The time span that is drawn; at first all of it. */
    struct rep_runs runs;
    struct rec_rows figures;   /* struct rec_figure */
    struct rec_rows sweeps;    /* struct rec_sweep */
    struct rec_rows scorecard; /* struct rec_statement */
    struct rec_rows claims;    /* struct rec_claim */
};

bool rep_paper_open(struct rep_paper *, struct rec_file *, struct err *);
void rep_paper_close(struct rep_paper *);

static inline const struct rec_figure *
rep_paper_figure(const struct rep_paper *p, size_t i)
{
    return rec_row(&p->figures, REC_FIGURE, i);
}

/* A figure of a sweep has no drawing: its numbers are those of the newest sweep of that name; 0:
 * the file has none. */
bool rep_paper_draw(struct rep_paper *, size_t i, struct rep_drawing *, struct err *);
uint64_t rep_paper_sweep(const struct rep_paper *, size_t i);
void rep_drawing_free(struct rep_drawing *);

/* A published value of the quantity that a drawing of a figure shows.  A claim goes with a drawing
 * if it is of the same figure, of the same scenario or study, and of the same quantity in the same
 * unit.  All are needed, as two studies of a paper may measure the same under one name. */
struct rep_published {
    const char *engine; /* The claim's engine, or in a sweep a value of the setting. */
    char sign;          /* '=', '<' or '>'. */
    double value;
};

/* Published values for figure 'i', drawn in 'unit'; "" for a sweep, as a measure has one unit.
 * Each value once; the names stay in 'p', the list is freed by the caller. */
struct rep_published *rep_paper_published(const struct rep_paper *p, size_t i, const char *unit,
                                          size_t *n);

/* All claims and figures of a file of this name as JSON; report.h says how it looks. */
bool rep_paper_write(FILE *, const char *name, struct rec_file *, struct err *);

#endif
