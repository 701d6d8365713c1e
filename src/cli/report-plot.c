/* Writes figures of sweeps and papers as files. */

#include "cli/report-plot.h"

#include <ctype.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/array.h"
#include "cli/cli.h"
#include "report/paper.h"

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

/* The number of panels that figures of this name have had. */
struct counted {
    const char *name;
    size_t n;
};

static size_t
count_panel(struct counted *all, size_t n, const char *name)
{
    size_t i = 0;

    while (i < n && all[i].name && strcmp(all[i].name, name)) {
        i++;
    }
    all[i].name = name;
    return ++all[i].n;
}

/* "fig9-1": the first panel of the figure. */
static int
write_panels(const struct rec_figure *figure, struct counted *counted, size_t n,
             const struct rep_panels *drawn, const struct paper_ask *to)
{
    int code = EXIT_GOOD;

    for (size_t i = 0; i < drawn->n && code == EXIT_GOOD; i++) {
        char name[NAME_BYTES];
        if (drawn->items[i].n_lines) {
            snprintf(name, sizeof name, "%.80s-%zu", figure->name,
                     count_panel(counted, n, figure->name));
            make_plain(name);
            code =
                to->is_picture
                    ? write_one(&drawn->items[i], to->folder, name, ".svg", true, plot_write_svg)
                    : report_write_plot(&drawn->items[i], to->folder, name, to->force, to->written);
        }
    }
    return code;
}

static int
write_figures(struct rep_paper *p, const struct paper_ask *to)
{
    struct counted *counted = array_new(p->figures.n + 1, sizeof *counted);
    int code = EXIT_GOOD;

    for (size_t i = 0; i < p->figures.n && code == EXIT_GOOD; i++) {
        struct rep_panels drawn;
        struct err err;
        if (!rep_paper_draw(p, i, &drawn, &err)) {
            code = cli_tell(EXIT_WORLD, &err);
            continue;
        }
        code = write_panels(rep_paper_figure(p, i), counted, p->figures.n, &drawn, to);
        rep_panels_free(&drawn);
    }
    free(counted);
    return code;
}

static int
draw_paper(struct rec_file *file, const struct paper_ask *to)
{
    struct rep_paper p;
    struct err err;
    int code = rep_paper_open(&p, file, &err) ? EXIT_GOOD : cli_tell(EXIT_WORLD, &err);

    if (code != EXIT_GOOD) {
        return code;
    }
    p.from_ps = to->from_ps;
    p.to_ps = to->to_ps;
    code = write_figures(&p, to);
    rep_paper_close(&p);
    return code;
}

int
report_paper_figures(const struct chosen *c, const struct paper_ask *to)
{
    return draw_paper(c->file, to);
}

int
report_paper_pictures(const char *results, const char *folder)
{
    struct err err;

    if (mkdir(folder, 0777) && errno != EEXIST) {
        return cli_fail(EXIT_WORLD, "cannot create the folder %s: %s", folder, strerror(errno));
    }
    struct rec_file *file = rec_read_open(results, &err);
    if (!file) {
        return cli_tell(EXIT_WORLD, &err);
    }
    int code = draw_paper(
        file, &(struct paper_ask){ .folder = folder, .is_picture = true, .to_ps = INT64_MAX });
    rec_read_close(file);
    return code;
}
