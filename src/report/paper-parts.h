/* Declarations shared by the files that draw figures of papers. */

#ifndef REPORT_PAPER_PARTS_H
#define REPORT_PAPER_PARTS_H

#include "report/paper.h"
#include "report/sweep.h"

enum { REP_PART_BYTES = 200 };

/* Returns the panel with this name, which may be "". Creates the panel if there is none
 * (paper-panels.c). A panel owns copies of its texts. Its address changes when the next panel is
 * added. */
struct plot *rep_panel_add(struct rep_panels *, const struct rec_figure *, const char *name);
struct plot *rep_panel(struct rep_panels *, const struct rec_figure *, const char *name);

/* Converts values from units of the results file, such as "ps", to readable units, the same for all
 * panels.  'x_what' and 'y_what' name axes without a title in the figure. */
struct rep_panel_axes {
    const char *x_unit, *x_what, *y_unit, *y_what;
};

void rep_panels_finish(struct rep_panels *, const struct rec_figure *, struct rep_panel_axes);

/* Writes a value, such as "12.3 ms" or "yes". If only some runs have yes, it writes their share; if
 * the value is negative, it writes "unknown". */
enum { REP_VALUE_BYTES = 40 };
void rep_write_value(const char *unit, double value, char out[REP_VALUE_BYTES]);

/* Draws a figure of single runs (paper-runs.c). */
bool rep_draw_runs(struct rep_paper *, const struct rec_figure *, struct rep_panels *,
                   struct err *);

/* Draws a figure of sweeps (paper-grid.c). */
bool rep_draw_grid(struct rep_paper *, const struct rec_figure *, struct rep_panels *,
                   struct err *);

/* Draws a table of statements (paper-statements.c). */
void rep_draw_statements(const struct rep_paper *, const struct rec_figure *, struct rep_panels *);

/* The published value of a point (paper-said.c). */
enum { REP_SAID_IMPLIED = '~' }; /* The value is a published ratio times its measured reference. */

struct rep_said {
    char sign; /* '=', '<', '>' or REP_SAID_IMPLIED; 0: nothing is published. */
    double value;
    /* For REP_SAID_IMPLIED: the value on 'axis' whose result is the reference. 'value' is then the
     * published ratio. */
    const char *against;
    char axis[REP_PART_BYTES];
};

struct rep_key {
    const char *key, *value;
};

/* The settings that the runs of a point share. Settings of the figure's axes come first. Each other
 * key follows once for each value that it may have. */
struct rep_keys {
    struct rep_key *all;
    size_t n, max, n_axes;
};

/* The published value that figures.yaml gives for a position on the x axis and a line. */
struct rep_said rep_said_by_hand(const struct rec_figure *, const char *x, const char *line);

/* The published value that a statement of the paper gives for a point. */
struct rep_said rep_said_by_paper(const struct rep_paper *, const struct rec_figure *,
                                  const char *study, const char *metric, const struct rep_keys *);

/* Adds a published value to a panel, at a position of its x axis and one of its lines. */
void rep_said_mark(struct plot *, struct rep_said, double x, size_t line, double y);

#endif
