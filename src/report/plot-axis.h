/* An axis of a figure: its range, and its ticks. */

#ifndef REPORT_PLOT_AXIS_H
#define REPORT_PLOT_AXIS_H

#include "report/plot.h"

enum { PLOT_MAX_TICKS = 200 };

struct plot_tick {
    double value;
    bool is_named; /* The tick has a number; other ticks, between powers of ten, are shorter. */
};

struct plot_axis {
    double low, high; /* The ends of the axis; for a logarithmic axis, their logarithms. */
    bool is_log;
    struct plot_tick ticks[PLOT_MAX_TICKS];
    size_t n_ticks;
};

struct plot_axis plot_axis_of(const struct plot *, bool is_x);

/* Whether a value can be drawn: it is a number, and not too large for any axis. */
bool plot_has_place(double value);

/* The position of a value, from 0 to 1. */
double plot_axis_share(const struct plot_axis *, double value);

#endif
