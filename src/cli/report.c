#include <dirent.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/array.h"
#include "cli/cli.h"
#include "report/figures.h"
#include "report/report.h"
#include "weir/field.h"

static const char help[] =
    "usage: weir report RESULTS... [--run N]... [-o FILE] [--figures FOLDER] [--force]\n"
    "\n"
    "Writes what results files hold as one page that shows it: the network over time, the ring of "
    "a\n"
    "deadlock as it closes, queues and rates of every port, flows; several runs side by side.  "
    "The\n"
    "page is one file, opens from disk in any browser and needs no network: send it to a "
    "colleague.\n"
    "Of what `weir reproduce --record` has kept: what a paper says beside what was measured.\n"
    "\n"
    "  --run N   this run; again for more.  Without it the newest, up to 8 of each file\n"
    "  -o FILE   where to; else beside the first file, results.html for results.db\n"
    "  --figures FOLDER\n"
    "            writes figures for papers instead, as SVG with their data as CSV beside: queues,\n"
    "            goodput and rates of each run, slowdown of all; with -o the page as well\n"
    "  --force   replaces files that are there\n"
    "\n"
    "Exit code 2 for a file that is no results file of this version, or not all of one; 3 for one\n"
    "that can not be read or written, and if this program was built without its page.\n";

enum { MAX_FILES = 64, MAX_RUNS = 64, MAX_UNASKED_RUNS = 8 };

struct options {
    const char *files[MAX_FILES], *out, *figures;
    size_t n_files;
    uint64_t runs[MAX_RUNS];
    size_t n_runs;
    bool force;
};

static int
read_run_option(struct options *o, const char *value)
{
    char *end;
    unsigned long long id = strtoull(value, &end, 10);

    if (*end || !id || value[0] == '-' || o->n_runs == MAX_RUNS) {
        return cli_fail(EXIT_USER, "report: --run takes the number of a run, not '%s'", value);
    }
    o->runs[o->n_runs++] = id;
    return EXIT_GOOD;
}

static int
read_options(int argc, char **argv, struct options *o)
{
    int code = EXIT_GOOD;

    for (int i = 1; i < argc && code == EXIT_GOOD; i++) {
        bool has_value = i + 1 < argc;
        if (!strcmp(argv[i], "--force")) {
            o->force = true;
        } else if (!strcmp(argv[i], "-o") && has_value) {
            o->out = argv[++i];
        } else if (!strcmp(argv[i], "--figures") && has_value) {
            o->figures = argv[++i];
        } else if (!strcmp(argv[i], "--run") && has_value) {
            code = read_run_option(o, argv[++i]);
        } else if (argv[i][0] == '-' || o->n_files == MAX_FILES) {
            code = cli_fail(EXIT_USER, "report: unexpected '%s'\n\n%s", argv[i], help);
        } else {
            o->files[o->n_files++] = argv[i];
        }
    }
    return code != EXIT_GOOD || o->n_files
               ? code
               : cli_fail(EXIT_USER, "report: no results file given\n\n%s", help);
}

/* results.html for results.db; freed by the caller. */
static char *
default_name(const char *file)
{
    const char *slash = strrchr(file, '/'), *dot = strrchr(file, '.');
    size_t len = dot && (!slash || dot > slash + 1) ? (size_t)(dot - file) : strlen(file);
    char *name = array_new(len + sizeof ".html", 1);

    memcpy(name, file, len);
    strcpy(name + len, ".html");
    return name;
}

/* Which runs. */

struct chosen {
    struct rec_file *file;
    const char *name;
    uint64_t *runs;
    size_t n, max;
};

static void
choose_newest(struct chosen *c, const struct rec_rows *runs)
{
    size_t n = runs->n < MAX_UNASKED_RUNS ? runs->n : MAX_UNASKED_RUNS;

    if (n < runs->n) {
        cli_fail(EXIT_GOOD, "report: %s has %zu runs; the newest %zu are shown, --run N chooses",
                 c->name, runs->n, n);
    }
    for (size_t i = runs->n - n; i < runs->n; i++) {
        ARRAY_PUSH(c->runs, c->n, c->max) = *(const uint64_t *)rec_row(runs, REC_RUN, i);
    }
}

static int
choose_asked(struct chosen *c, const struct rec_rows *runs, const struct options *o)
{
    for (size_t k = 0; k < o->n_runs; k++) {
        size_t i = 0;
        while (i < runs->n && *(const uint64_t *)rec_row(runs, REC_RUN, i) != o->runs[k]) {
            i++;
        }
        if (i == runs->n) {
            return cli_fail(EXIT_USER, "report: %s has no run %llu; 'weir export %s' lists them",
                            c->name, (unsigned long long)o->runs[k], c->name);
        }
        ARRAY_PUSH(c->runs, c->n, c->max) = o->runs[k];
    }
    return EXIT_GOOD;
}

static int
choose_runs(struct chosen *c, const struct options *o)
{
    struct rec_rows runs = { 0 };
    struct err err;
    uint64_t n_claims;
    int code = EXIT_GOOD;

    if (!rec_read_all(c->file, REC_RUN, 0, &runs, &err) ||
        !rec_read_count(c->file, REC_CLAIM, 0, &n_claims, &err)) {
        code = cli_fail(EXIT_WORLD, "%s", err.text);
    } else if (!runs.n && !n_claims) {
        code = cli_fail(EXIT_USER, "report: %s has no runs, and no claims of a paper", c->name);
    } else if (o->n_runs) {
        code = choose_asked(c, &runs, o);
    } else {
        choose_newest(c, &runs);
    }
    rec_rows_free(&runs, REC_RUN);
    return code;
}

static int
open_file(struct chosen *c, const struct options *o)
{
    struct err err;

    if (access(c->name, R_OK)) {
        return cli_fail(EXIT_WORLD, "cannot read %s: %s", c->name, strerror(errno));
    }
    c->file = rec_read_open(c->name, &err);
    return c->file ? choose_runs(c, o) : cli_fail(EXIT_USER, "%s", err.text);
}

/* Writing. */

static int
write_page(FILE *out, const struct chosen *files, size_t n_files)
{
    struct err err;

    rep_page_begin(out);
    for (size_t i = 0; i < n_files; i++) {
        for (size_t k = 0; k < files[i].n; k++) {
            if (!rep_page_run(out, files[i].file, files[i].name, files[i].runs[k], &err)) {
                return cli_fail(EXIT_WORLD, "%s", err.text);
            }
        }
        if (!rep_page_claims(out, files[i].file, &err)) {
            return cli_fail(EXIT_WORLD, "%s", err.text);
        }
    }
    rep_page_end(out);
    return EXIT_GOOD;
}

static int
write_file(const char *path, bool force, const struct chosen *files, size_t n_files)
{
    FILE *out = fopen(path, force ? "w" : "wx");

    if (!out) {
        bool is_there = errno == EEXIST;
        return cli_fail(is_there ? EXIT_USER : EXIT_WORLD, "cannot write %s: %s%s", path,
                        strerror(errno), is_there ? "; --force replaces it" : "");
    }
    int code = write_page(out, files, n_files);
    bool good = !ferror(out);
    errno = 0;
    good = fclose(out) == 0 && good;
    if (!good && code == EXIT_GOOD) {
        code = cli_fail(EXIT_WORLD, "cannot write %s: %s", path, strerror(errno ? errno : EIO));
    }
    if (code != EXIT_GOOD && !force) {
        remove(path); /* Half a page would look whole; with --force it may be a device. */
    }
    return code;
}

static void
show_written(const char *path, const struct chosen *files, size_t n_files)
{
    struct weir_text size = { 0 };
    struct stat st;
    size_t n_runs = 0;

    for (size_t i = 0; i < n_files; i++) {
        n_runs += files[i].n;
    }
    weir_text_add(&size, "%B", cli_rounded(stat(path, &st) ? 0 : (uint64_t)st.st_size));
    printf("%s: ", path);
    if (n_runs) {
        printf("%zu run%s, %s", n_runs, n_runs == 1 ? "" : "s", size.s);
    } else {
        printf("what a paper claims, %s", size.s);
    }
    printf("; open it in a browser\n");
}

static int
report_page(const struct options *o, const struct chosen *files)
{
    char *path = o->out ? NULL : default_name(o->files[0]);
    int code = write_file(path ? path : o->out, o->force, files, o->n_files);

    if (code == EXIT_GOOD) {
        show_written(path ? path : o->out, files, o->n_files);
    }
    free(path);
    return code;
}

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
    return n > 2; /* "." and ".." are always there. */
}

static int
report_figures(const struct options *o, const struct chosen *files)
{
    if (!o->force && has_files(o->figures)) {
        return cli_fail(EXIT_USER,
                        "report: %s is not empty; --force replaces what has the same name",
                        o->figures);
    }
    struct err err, other;
    struct rep_figures *f = rep_figures_new(o->figures, o->force, &err);
    bool good = f != NULL;
    size_t n = 0;

    for (size_t i = 0; i < o->n_files && good; i++) {
        for (size_t k = 0; k < files[i].n && good; k++) {
            good = rep_figures_add(f, files[i].file, files[i].runs[k], &err);
        }
    }
    if (f) {
        good = rep_figures_finish(f, &n, good ? &err : &other) && good;
    }
    if (!good) {
        return cli_fail(EXIT_WORLD, "%s", err.text);
    }
    printf("%s: %zu figures, .svg and .csv\n", o->figures, n);
    return EXIT_GOOD;
}

static int
report(const struct options *o)
{
    struct chosen files[MAX_FILES] = { 0 };
    int code = EXIT_GOOD;

    for (size_t i = 0; i < o->n_files && code == EXIT_GOOD; i++) {
        files[i].name = o->files[i];
        code = open_file(&files[i], o);
    }
    if (code == EXIT_GOOD && o->figures) {
        code = report_figures(o, files);
    }
    if (code == EXIT_GOOD && (o->out || !o->figures)) {
        code = report_page(o, files);
    }
    for (size_t i = 0; i < o->n_files; i++) {
        if (files[i].file) {
            rec_read_close(files[i].file);
        }
        free(files[i].runs);
    }
    return code;
}

int
cli_report(int argc, char **argv)
{
    struct options o = { 0 };

    if (cli_helped(argc, argv, help)) {
        return EXIT_GOOD;
    }
    int code = read_options(argc, argv, &o);
    if (code != EXIT_GOOD) {
        return code;
    }
    if (!rep_has_page() && (o.out || !o.figures)) {
        return cli_fail(EXIT_WORLD,
                        "report: this program was built without its page, as node, npm or a "
                        "package could not be had; `make build` says more.\n'weir export' gives "
                        "the same as CSV");
    }
    return report(&o);
}
