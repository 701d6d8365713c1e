/* Published values of the quantity that a drawing of a figure shows.
 *
 * A claim goes with a drawing if it is of the same figure, of the same scenario or study, and of
 * the same quantity in the same unit.  All are needed, as two studies of a paper may measure the
 * same under one name. */

#ifndef REPORT_PUBLISHED_H
#define REPORT_PUBLISHED_H

#include "report/paper.h"

struct rep_published {
    const char *engine; /* The claim's engine, or in a sweep a value of the setting. */
    char sign;          /* '=', '<' or '>'. */
    double value;
};

/* Published values for figure 'i', drawn in 'unit'; "" for a sweep, as a measure has one unit.
 * Each value once; the names stay in 'p', the list is freed by the caller. */
struct rep_published *rep_paper_published(const struct rep_paper *p, size_t i, const char *unit,
                                          size_t *n);

#endif
