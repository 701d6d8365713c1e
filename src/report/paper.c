/* Opens the figures of papers in a results file, and finds the code that draws each. */

#include "report/paper.h"

#include <string.h>

#include "report/paper-parts.h"

bool
rep_paper_open(struct rep_paper *p, struct rec_file *file, struct err *err)
{
    *p = (struct rep_paper){ .file = file, .to_ps = INT64_MAX };
    uint64_t n = 0;
    bool good = rec_read(file, REC_FIGURE, 0, 0, REP_PAPER_FIGURES, &p->figures, err) &&
                rec_read_count(file, REC_FIGURE, 0, &n, err) &&
                rec_read_all(file, REC_SWEEP, 0, &p->sweeps, err) &&
                rec_read_all(file, REC_STATEMENT, 0, &p->scorecard, err) &&
                rec_read_all(file, REC_CLAIM, 0, &p->claims, err) &&
                rep_runs_read(&p->runs, file, err);

    p->n_left_out = n > p->figures.n ? n - p->figures.n : 0;
    if (!good) {
        rep_paper_close(p);
    }
    return good;
}

void
rep_paper_close(struct rep_paper *p)
{
    rec_rows_free(&p->figures, REC_FIGURE);
    rec_rows_free(&p->sweeps, REC_SWEEP);
    rec_rows_free(&p->scorecard, REC_STATEMENT);
    rec_rows_free(&p->claims, REC_CLAIM);
    rep_runs_free(&p->runs);
    *p = (struct rep_paper){ 0 };
}

bool
rep_paper_draw(struct rep_paper *p, size_t i, struct rep_panels *panels, struct err *err)
{
    const struct rec_figure *figure = rep_paper_figure(p, i);
    bool good = true;

    *panels = (struct rep_panels){ 0 };
    if (!strcmp(figure->object, "sweep")) {
        good = rep_draw_grid(p, figure, panels, err);
    } else if (!strcmp(figure->object, "statement")) {
        rep_draw_statements(p, figure, panels);
    } else {
        good = rep_draw_runs(p, figure, panels, err);
    }
    if (!good) {
        rep_panels_free(panels);
    }
    return good;
}
