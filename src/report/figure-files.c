/* Writes figures of sweeps and papers as files. */

#include "report/figure-files.h"

#include <ctype.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "report/paper-plot.h"
#include "report/sweep-figure.h"

enum { MAX_PATH = 4096, NAME_BYTES = 200 };

static bool
write_one(const struct plot *p, const char *name, const char *ending,
          void (*write)(const struct plot *, FILE *), const struct rep_figure_folder *to,
          struct err *err)
{
    char path[MAX_PATH];

    snprintf(path, sizeof path, "%s/%s%s", to->path, name, ending);
    FILE *out = fopen(path, to->force ? "w" : "wx");
    if (!out) {
        return err_set(err, "cannot write %s: %s%s", path, strerror(errno),
                       errno == EEXIST ? "; --force replaces it" : "");
    }
    write(p, out);
    bool good = !ferror(out);
    errno = 0;
    good = !fclose(out) && good;
    if (!good) {
        err_set(err, "cannot write %s: %s", path, strerror(errno ? errno : EIO));
        remove(path);
    }
    return good;
}

bool
rep_plot_files(const struct plot *p, const char *name, const struct rep_figure_folder *to,
               struct err *err)
{
    bool good = write_one(p, name, ".svg", plot_write_svg, to, err) &&
                write_one(p, name, ".csv", plot_write_csv, to, err);

    if (good) {
        rep_written_add(to->written, name);
    }
    return good;
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
static bool
write_drawing(const struct rep_paper_part *drawn, size_t part, const struct rep_drawing *d,
              const struct rep_figure_folder *to, struct err *err)
{
    bool good = true;

    for (size_t i = 0; i < d->n && good; i++) {
        char name[NAME_BYTES];
        struct plot p;
        if (is_first(d, i)) {
            snprintf(name, sizeof name, "%.80s-%zu-%.80s", drawn->figure->name, part,
                     d->curves[i].arbitration);
            make_plain(name);
            rep_drawing_plot(&p, drawn, d, d->curves[i].arbitration);
            good = rep_plot_files(&p, name, to, err);
            plot_free(&p);
        }
    }
    return good;
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
static bool
write_of_sweep(const struct rep_paper_part *drawn, size_t part, const struct rep_sweep *s,
               const struct rep_figure_folder *to, struct err *err)
{
    struct rep_axes axes;
    struct plot p;
    char name[NAME_BYTES];

    if (!rep_paper_axes(drawn->figure, s, &axes)) {
        return true;
    }
    struct rep_table table = rep_table_make(s, &axes);
    snprintf(name, sizeof name, "%.80s-%zu", drawn->figure->name, part);
    make_plain(name);
    rep_sweep_draw(&p, s, &axes, &table, 0);
    rep_sweep_add_published(&p, drawn, &s->settings[axes.by]);
    bool good = rep_plot_files(&p, name, to, err);
    rep_sweep_undraw(&p);
    rep_table_free(&table);
    return good;
}

static bool
read_and_write_sweep(struct rep_paper *p, size_t i, const struct rep_figure_folder *to,
                     struct err *err)
{
    struct rep_paper_part drawn = { .figure = rep_paper_figure(p, i) };
    uint64_t id = rep_paper_sweep(p, i);
    struct rep_sweep s;

    if (!id) {
        return true;
    }
    if (!rep_sweep_read(&s, p->file, id, REP_SWEEP_ROWS, err)) {
        return false;
    }
    struct rep_published *published = rep_paper_published(p, i, "", &drawn.n_published);
    drawn.published = published;
    bool good = write_of_sweep(&drawn, part_of(p, i), &s, to, err);
    free(published);
    rep_sweep_free(&s);
    return good;
}

static bool
draw_and_write(struct rep_paper *p, size_t i, const struct rep_figure_folder *to, struct err *err)
{
    struct rep_paper_part drawn = { .figure = rep_paper_figure(p, i), .from_ps = p->from_ps };
    struct rep_drawing d;

    if (!rep_paper_draw(p, i, &d, err)) {
        return false;
    }
    struct rep_published *published = rep_paper_published(p, i, d.y_unit, &drawn.n_published);
    drawn.published = published;
    bool good = write_drawing(&drawn, part_of(p, i), &d, to, err);
    free(published);
    rep_drawing_free(&d);
    return good;
}

bool
rep_paper_files(struct rec_file *file, weir_ps from_ps, weir_ps to_ps,
                const struct rep_figure_folder *to, struct err *err)
{
    struct rep_paper p;
    bool good = rep_paper_open(&p, file, err);

    if (!good) {
        return false;
    }
    p.from_ps = from_ps;
    p.to_ps = to_ps;
    for (size_t i = 0; i < p.figures.n && good; i++) {
        bool is_of_sweep = !strcmp(rep_paper_figure(&p, i)->object, "sweep");
        good = (is_of_sweep ? read_and_write_sweep : draw_and_write)(&p, i, to, err);
    }
    rep_paper_close(&p);
    return good;
}
