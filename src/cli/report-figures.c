/* Draws the figures of a report, and reports the names of the files. */

#include "cli/report-figures.h"

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/array.h"
#include "cli/cli.h"
#include "cli/wrapped.h"
#include "report/paper.h"
#include "report/pdf.h"
#include "report/plot.h"

static bool
has_files(const char *folder)
{
    DIR *dir = opendir(folder);
    size_t n = 0;

    while (dir && readdir(dir)) {
        n++;
    }
    if (dir) {
        closedir(dir);
    }
    return n > 2; /* "." and ".." are in every folder. */
}

static bool
draw_run(struct rep_figures *f, struct rep_chosen *c, size_t k, struct err *err)
{
    struct rep_run r;

    if (!rep_chosen_read_run(c, k, &r, err)) {
        return false;
    }
    bool good = rep_figures_add(f, c->file, &r, err);
    rep_run_free(&r);
    return good;
}

/* Lists the scheme of each run that is drawn; the caller frees the list. */
static size_t *
list_schemes(const struct rep_chosen *files, size_t n_files, size_t *n)
{
    size_t *schemes = NULL, max = 0;

    *n = 0;
    for (size_t i = 0; i < n_files; i++) {
        for (size_t k = files[i].first_drawn; k < files[i].n; k++) {
            ARRAY_PUSH(schemes, *n, max) = files[i].runs[k].listed->scheme;
        }
    }
    return schemes;
}

static bool
draw_all(const struct figures_ask *o, struct rep_chosen *files, struct rep_written *written,
         struct err *err)
{
    struct rep_figures_wish wish = { .folder = o->folder,
                                     .title = o->title,
                                     .ports = o->ports,
                                     .from_ps = o->from_ps,
                                     .to_ps = o->to_ps,
                                     .overlay = o->overlay,
                                     .several_files = o->n_files > 1,
                                     .force = o->force };
    struct err other;

    size_t *schemes = list_schemes(files, o->n_files, &wish.n_runs);

    wish.schemes = schemes;
    struct rep_figures *f = rep_figures_new(&wish, err);
    bool good = f != NULL;
    for (size_t i = 0; i < o->n_files && good; i++) {
        for (size_t k = files[i].first_drawn; k < files[i].n && good; k++) {
            good = draw_run(f, &files[i], k, err);
        }
    }
    if (f) {
        good = rep_figures_finish(f, written, good ? err : &other) && good;
    }
    free(schemes);
    return good;
}

static int
convert_all(const struct figures_ask *o, const struct rep_written *written)
{
    struct err err;

    for (size_t i = 0; i < written->n; i++) {
        if (!pdf_convert(o->folder, written->names[i], &err)) {
            return cli_print_error(EXIT_WORLD, &err);
        }
    }
    return EXIT_GOOD;
}

static void
show_figures(const struct figures_ask *o, const struct rep_written *written)
{
    struct wrapped wrapped;

    wrapped_begin(&wrapped, true);
    printf("%s: %zu figure%s, each as .svg%s .csv:", o->folder, written->n,
           value_plural(written->n), o->pdf ? ", .pdf and" : " and");
    for (size_t i = 0; i < written->n; i++) {
        printf(" %s", written->names[i]);
    }
    printf("\n");
    wrapped_end(&wrapped);
    if (written->n_crowded) {
        cli_fail(EXIT_GOOD,
                 "report: %zu figure%s more than %d lines, which look alike in part: choose fewer "
                 "runs by --run N, or fewer ports by --ports",
                 written->n_crowded, written->n_crowded == 1 ? " has" : "s have", PLOT_MAX_LINES);
    }
    if (written->n_few) {
        cli_fail(EXIT_GOOD,
                 "report: %zu percentile%s of slowdowns by size %s left out: 95 %% needs 20 flows "
                 "of a size, 99 %% needs 100; more seeds give more flows",
                 written->n_few, value_plural(written->n_few), written->n_few == 1 ? "is" : "are");
    }
    if (written->n_left_out) {
        cli_fail(EXIT_GOOD,
                 "report: %llu figures of papers are left out: at most %d are drawn for each file",
                 (unsigned long long)written->n_left_out, REP_PAPER_FIGURES);
    }
}

static int
draw_papers(const struct figures_ask *o, struct rec_file *file, const struct rep_figure_folder *to)
{
    struct err warning, err;
    bool good = rep_paper_files(file, o->from_ps, o->to_ps, to, &warning, &err);

    if (good && warning.text[0]) {
        cli_fail(EXIT_GOOD, "report: %s", warning.text);
    }
    return cli_print_error_unless(good, &err);
}

int
report_figures(const struct figures_ask *o, struct rep_chosen *files)
{
    struct rep_written written = { 0 };
    const struct rep_figure_folder to = { o->folder, o->title, o->force, &written };
    struct err err;

    if (!o->force && has_files(o->folder)) {
        return cli_fail(EXIT_USER,
                        "report: %s is not empty; --force replaces files of the same name",
                        o->folder);
    }
    if (o->pdf && !pdf_is_there()) {
        return cli_fail(EXIT_WORLD, "report: --pdf needs rsvg-convert, which is not installed: "
                                    "install Debian's package librsvg2-bin, or leave out --pdf");
    }
    int code = EXIT_GOOD;
    if (!draw_all(o, files, &written, &err)) {
        code = cli_fail(written.is_refused ? EXIT_USER : EXIT_WORLD, "%s%s",
                        written.is_refused ? "report: " : "", err.text);
    }
    for (size_t i = 0; i < o->n_files && code == EXIT_GOOD; i++) {
        code = report_sweeps_figures(&files[i], o->sweeps, &to);
        code = code == EXIT_GOOD ? draw_papers(o, files[i].file, &to) : code;
    }
    code = code == EXIT_GOOD && o->pdf ? convert_all(o, &written) : code;
    if (code == EXIT_GOOD && !o->is_quiet) {
        show_figures(o, &written);
    }
    rep_written_free(&written);
    return code;
}
