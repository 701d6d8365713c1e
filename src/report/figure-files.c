/* Writes figures of runs, sweeps and papers as files. */

#include "report/figure-files.h"

#include <ctype.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/array.h"
#include "base/text.h"
#include "report/paper.h"

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
    char title[PLOT_LABEL_BYTES];
    struct plot titled = *p;

    if (to->title) {
        text_shorten(title, sizeof title, to->title);
        titled.title = title;
    }
    bool good = write_one(&titled, name, ".svg", plot_write_svg, to, err);

    if (to->written && good) {
        good = write_one(&titled, name, ".csv", plot_write_csv, to, err);
        rep_written_add(to->written, name);
    }
    return good;
}

/* Replaces all characters but letters and digits by dashes, because names are from an untrusted
 * file. */
static void
make_plain(char *name)
{
    for (; *name; name++) {
        *name = isalnum((unsigned char)*name) ? *name : '-';
    }
}

/* The number of panels so far of figures with this name. */
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

/* Writes the panels of a figure; the first panel is named "fig9-1". */
static bool
write_panels(const struct rec_figure *figure, struct counted *counted, size_t n,
             const struct rep_panels *drawn, const struct rep_figure_folder *to, struct err *err)
{
    bool good = true;

    for (size_t i = 0; i < drawn->n && good; i++) {
        char name[NAME_BYTES];
        if (drawn->items[i].n_lines) {
            snprintf(name, sizeof name, "%.80s-%zu", figure->name,
                     count_panel(counted, n, figure->name));
            make_plain(name);
            good = rep_plot_files(&drawn->items[i], name, to, err);
        }
    }
    return good;
}

static bool
write_figures(struct rep_paper *p, const struct rep_figure_folder *to, struct err *err)
{
    struct counted *counted = array_new(p->figures.n + 1, sizeof *counted);
    bool good = true;

    for (size_t i = 0; i < p->figures.n && good; i++) {
        struct rep_panels drawn;
        good = rep_paper_draw(p, i, &drawn, err);
        if (good) {
            good = write_panels(rep_paper_figure(p, i), counted, p->figures.n, &drawn, to, err);
            rep_panels_free(&drawn);
        }
    }
    free(counted);
    return good;
}

bool
rep_paper_files(struct rec_file *file, weir_ps from_ps, weir_ps to_ps,
                const struct rep_figure_folder *to, struct err *warning, struct err *err)
{
    struct rep_paper p;

    if (!rep_paper_open(&p, file, err)) {
        return false;
    }
    p.from_ps = from_ps;
    p.to_ps = to_ps;
    bool good = write_figures(&p, to, err);
    *warning = p.warning;
    if (to->written) {
        to->written->n_left_out += p.n_left_out;
    }
    rep_paper_close(&p);
    return good;
}

bool
rep_paper_pictures(const char *results, const char *folder, struct err *warning, struct err *err)
{
    if (mkdir(folder, 0777) && errno != EEXIST) {
        return err_set(err, "cannot create the folder %s: %s", folder, strerror(errno));
    }
    struct rec_file *file = rec_read_open(results, err);
    const struct rep_figure_folder to = { folder, NULL, true, NULL };
    bool good = file && rep_paper_files(file, 0, INT64_MAX, &to, warning, err);
    if (file) {
        rec_read_close(file);
    }
    return good;
}
