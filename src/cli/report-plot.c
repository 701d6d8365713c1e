/* Writes figures of sweeps and papers as files. */

#include "cli/report-plot.h"

#include <ctype.h>
#include <errno.h>
#include <string.h>

#include "cli/cli.h"
#include "report/paper-plot.h"

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
    bool good = !ferror(out);
    errno = 0;
    good = fclose(out) == 0 && good;
    return good ? EXIT_GOOD
                : cli_fail(EXIT_WORLD, "cannot write %s: %s", path, strerror(errno ? errno : EIO));
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
write_drawing(const struct rec_figure *figure, size_t part, const struct rep_drawing *d,
              const char *folder, bool force, struct rep_written *written)
{
    int code = EXIT_GOOD;

    for (size_t i = 0; i < d->n && code == EXIT_GOOD; i++) {
        char name[NAME_BYTES];
        struct plot p;
        if (is_first(d, i)) {
            snprintf(name, sizeof name, "%.80s-%zu-%.80s", figure->name, part,
                     d->curves[i].arbitration);
            make_plain(name);
            rep_drawing_plot(&p, figure, d, d->curves[i].arbitration);
            code = report_write_plot(&p, folder, name, force, written);
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

int
report_paper_figures(const struct chosen *c, const char *folder, bool force,
                     struct rep_written *written)
{
    struct rep_paper p;
    struct err err;
    int code = rep_paper_open(&p, c->file, &err) ? EXIT_GOOD : cli_fail(EXIT_WORLD, "%s", err.text);

    if (code != EXIT_GOOD) {
        return code;
    }
    for (size_t i = 0; i < p.figures.n && code == EXIT_GOOD; i++) {
        struct rep_drawing d;
        if (rep_paper_draw(&p, i, &d, &err)) {
            code =
                write_drawing(rep_paper_figure(&p, i), part_of(&p, i), &d, folder, force, written);
            rep_drawing_free(&d);
        } else {
            code = cli_fail(EXIT_WORLD, "%s", err.text);
        }
    }
    rep_paper_close(&p);
    return code;
}
