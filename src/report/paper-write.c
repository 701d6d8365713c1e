/* The claims and figures of papers as JSON for the page. */

#include <stdlib.h>

#include "base/json.h"
#include "report/paper.h"
#include "report/report.h"

enum { PAGE_DIGITS = 5 };

static void
write_curve(struct json *j, const struct rep_curve *curve)
{
    json_open(j, NULL, '{');
    json_text(j, "engine", curve->engine);
    json_text(j, "arbitration", curve->arbitration);
    json_text(j, "label", curve->label);
    json_reals(j, "x", curve->x, curve->n, PAGE_DIGITS);
    json_reals(j, "y", curve->y, curve->n, PAGE_DIGITS);
    json_close(j, '}');
}

static void
write_published(struct json *j, const struct rep_paper *p, size_t i, const char *unit)
{
    size_t n;
    struct rep_published *published = rep_paper_published(p, i, unit, &n);

    json_open(j, "published", '[');
    for (size_t k = 0; k < n; k++) {
        char sign[2] = { published[k].sign };
        json_open(j, NULL, '{');
        json_text(j, "engine", published[k].engine);
        json_text(j, "sign", sign);
        json_real(j, "value", published[k].value, PAGE_DIGITS);
        json_close(j, '}');
    }
    json_close(j, ']');
    free(published);
}

static void
write_figure(struct json *j, const struct rep_paper *p, size_t i, const struct rep_drawing *d)
{
    const void *row = rep_paper_figure(p, i);

    json_open(j, NULL, '{');
    for (const struct column *c = rec_tables[REC_FIGURE].columns + 1; c->name; c++) {
        char room[COLUMN_CELL_BYTES];
        json_text(j, c->name, column_text(c, row, room));
    }
    json_number(j, "sweep", rep_paper_sweep(p, i));
    json_text(j, "x_unit", d->x_unit);
    json_text(j, "y_unit", d->y_unit);
    write_published(j, p, i, d->y_unit);
    json_open(j, "curves", '[');
    for (size_t k = 0; k < d->n; k++) {
        write_curve(j, &d->curves[k]);
    }
    json_close(j, ']');
    json_close(j, '}');
}

static bool
write_figures(struct json *j, struct rep_paper *p, struct err *err)
{
    bool good = true;

    json_open(j, "figures", '[');
    for (size_t i = 0; i < p->figures.n && good; i++) {
        struct rep_drawing d;
        good = rep_paper_draw(p, i, &d, err);
        if (good) {
            write_figure(j, p, i, &d);
            rep_drawing_free(&d);
        }
    }
    json_close(j, ']');
    return good;
}

bool
rep_paper_write(FILE *out, const char *name, struct rec_file *file, struct err *err)
{
    struct json j = { .out = out };
    struct rep_paper p;
    bool good = rep_paper_open(&p, file, err);

    json_open(&j, NULL, '{');
    json_text(&j, "file", name);
    if (good) {
        rep_write_scorecard(&j, &p.scorecard);
        rep_write_claims(&j, &p.claims);
        good = write_figures(&j, &p, err);
        rep_paper_close(&p);
    }
    json_close(&j, '}');
    return good;
}
