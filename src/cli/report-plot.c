/* Writes figures of sweeps and papers as files. */

#include "cli/report-plot.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "cli/cli.h"
#include "report/paper-plot.h"
#include "report/sweep-figure.h"

enum { MAX_PATH = 4096, NAME_BYTES = 200 };

static int
write_one(const struct plot *p, const char *folder, const char *name, const char *ending,
          bool force, void (*write)(const struct plot *, FILE *))
{
    char path[MAX_PATH];
    FILE *out;

    snprintf(path, sizeof path, "%s/%s%s", folder, name, ending);
    int code = cli_create(&out, path, force);
    if (code != EXIT_GOOD) {
        return code;
    }
    write(p, out);
    return cli_close(out, path, force, EXIT_GOOD);
}

int
report_write_plot(const struct plot *p, const char *folder, const char *name, bool force,
                  struct rep_written *written)
{
    int code = write_one(p, folder, name, ".svg", force, plot_write_svg);

    code = code == EXIT_GOOD ? write_one(p, folder, name, ".csv", force, plot_write_csv) : code;
    if (code == EXIT_GOOD) {
        rep_written_add(written, name);
    }
    return code;
}

/* Names come from a file that may be anybody's: letters, digits and dashes are kept. */
static void
make_plain(char *name)
{
    for (; *name; name++) {
        *name = isalnum((unsigned char)*name) ? *name : '-';
    }
}

/* The first curve of each arbitration stands for all of it. */
static bool
is_first(const struct rep_drawing *d, size_t i)
{
    bool is = true;

    for (size_t k = 0; k < i && is; k++) {
        is = strcmp(d->curves[k].arbitration, d->curves[i].arbitration);
    }
    return is;
}

/* "fig9-1-fifo": the first part of the figure. */
static int
write_drawing(const struct rep_paper_part *drawn, size_t part, const struct rep_drawing *d,
              const struct paper_ask *to)
{
    int code = EXIT_GOOD;

    for (size_t i = 0; i < d->n && code == EXIT_GOOD; i++) {
        char name[NAME_BYTES];
        struct plot p;
        if (is_first(d, i)) {
            snprintf(name, sizeof name, "%.80s-%zu-%.80s", drawn->figure->name, part,
                     d->curves[i].arbitration);
            make_plain(name);
            rep_drawing_plot(&p, drawn, d, d->curves[i].arbitration);
            code = report_write_plot(&p, to->folder, name, to->force, to->written);
            plot_free(&p);
        }
    }
    return code;
}

/* The number of a drawing among those of its figure. */
static size_t
part_of(const struct rep_paper *p, size_t i)
{
    size_t part = 1;

    for (size_t k = 0; k < i; k++) {
        part += !strcmp(rep_paper_figure(p, k)->name, rep_paper_figure(p, i)->name);
    }
    return part;
}

/* "fig3-1": of a sweep. */
static int
write_of_sweep(const struct rep_paper_part *drawn, size_t part, const struct rep_sweep *s,
               const struct paper_ask *to)
{
    struct rep_axes axes;
    struct plot p;
    char name[NAME_BYTES];

    if (!rep_paper_axes(drawn->figure, s, &axes)) {
        return EXIT_GOOD;
    }
    struct rep_table table = rep_table_make(s, &axes);
    snprintf(name, sizeof name, "%.80s-%zu", drawn->figure->name, part);
    make_plain(name);
    rep_sweep_draw(&p, s, &axes, &table, 0);
    rep_sweep_add_published(&p, drawn, &s->settings[axes.by]);
    int code = report_write_plot(&p, to->folder, name, to->force, to->written);
    rep_sweep_undraw(&p);
    rep_table_free(&table);
    return code;
}

static int
read_and_write_sweep(struct rep_paper *p, size_t i, const struct paper_ask *to)
{
    struct rep_paper_part drawn = { .figure = rep_paper_figure(p, i) };
    uint64_t id = rep_paper_sweep(p, i);
    struct rep_sweep s;
    struct err err;

    if (!id) {
        return EXIT_GOOD;
    }
    if (!rep_sweep_read(&s, p->file, id, REP_SWEEP_ROWS, &err)) {
        return cli_tell(EXIT_WORLD, &err);
    }
    struct rep_published *published = rep_paper_published(p, i, "", &drawn.n_published);
    drawn.published = published;
    int code = write_of_sweep(&drawn, part_of(p, i), &s, to);
    free(published);
    rep_sweep_free(&s);
    return code;
}

static int
draw_and_write(struct rep_paper *p, size_t i, const struct paper_ask *to)
{
    struct rep_paper_part drawn = { .figure = rep_paper_figure(p, i), .from_ps = p->from_ps };
    struct rep_drawing d;
    struct err err;

    if (!rep_paper_draw(p, i, &d, &err)) {
        return cli_tell(EXIT_WORLD, &err);
    }
    struct rep_published *published = rep_paper_published(p, i, d.y_unit, &drawn.n_published);
    drawn.published = published;
    int code = write_drawing(&drawn, part_of(p, i), &d, to);
    free(published);
    rep_drawing_free(&d);
    return code;
}

int
report_paper_figures(const struct chosen *c, const struct paper_ask *to)
{
    struct rep_paper p;
    struct err err;
    int code = rep_paper_open(&p, c->file, &err) ? EXIT_GOOD : cli_tell(EXIT_WORLD, &err);

    if (code != EXIT_GOOD) {
        return code;
    }
    p.from_ps = to->from_ps;
    p.to_ps = to->to_ps;
    for (size_t i = 0; i < p.figures.n && code == EXIT_GOOD; i++) {
        bool is_of_sweep = !strcmp(rep_paper_figure(&p, i)->object, "sweep");
        code = (is_of_sweep ? read_and_write_sweep : draw_and_write)(&p, i, to);
    }
    rep_paper_close(&p);
    return code;
}
