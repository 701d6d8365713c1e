/* Writes the claims and figures of papers as JSON for the page. */

#include <stdlib.h>

#include "base/json.h"
#include "report/paper.h"
#include "report/report.h"

static void
write_as_text(struct json *j, const char *key, const struct plot *p,
              void (*write)(const struct plot *, FILE *))
{
    char *text = NULL;
    size_t len;
    FILE *out = open_memstream(&text, &len);

    write(p, out);
    fclose(out);
    json_text(j, key, text);
    free(text);
}

/* Writes a panel: a picture and its values, which are the same as in the files of `weir report
 * --figures`. */
static void
write_panel(struct json *j, const struct plot *p)
{
    json_open(j, NULL, '{');
    json_text(j, "title", p->title);
    write_as_text(j, "svg", p, plot_write_svg);
    write_as_text(j, "csv", p, plot_write_csv);
    json_close(j, '}');
}

static void
write_figure(struct json *j, const struct rec_figure *figure, const struct rep_panels *drawn)
{
    json_open(j, NULL, '{');
    json_text(j, "study", figure->study);
    json_text(j, "name", figure->name);
    json_text(j, "source", figure->source);
    json_text(j, "quantity", figure->quantity);
    json_open(j, "panels", '[');
    for (size_t k = 0; k < drawn->n; k++) {
        if (drawn->items[k].n_lines) {
            write_panel(j, &drawn->items[k]);
        }
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
        struct rep_panels drawn;
        good = rep_paper_draw(p, i, &drawn, err);
        if (good) {
            write_figure(j, rep_paper_figure(p, i), &drawn);
            rep_panels_free(&drawn);
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
        json_number(&j, "n_left_out", p.n_left_out);
        good = write_figures(&j, &p, err);
        rep_paper_close(&p);
    }
    json_close(&j, '}');
    return good;
}
