/* `weir report`: writes results as a page, or as figures. */

#include <dirent.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/array.h"
#include "cli/cli.h"
#include "cli/report-show.h"
#include "cli/show-completion.h"
#include "report/figures.h"
#include "report/report.h"
#include "weir/field.h"

enum { MAX_FILES = 64, MAX_RUNS = 64, MAX_UNASKED_RUNS = 8 };

struct options {
    struct verb_operands files;
    const char *out, *figures;
    uint64_t runs[MAX_RUNS];
    size_t n_runs;
    int form; /* enum cli_form */
    struct show_sizes sizes;
    bool force;
};

static bool
read_run(void *options, const char *word, struct err *err)
{
    struct options *o = options;
    char *end;
    unsigned long long id = strtoull(word, &end, 10);

    if (*end || !id || word[0] == '-' || o->n_runs == MAX_RUNS) {
        return err_set(err, "takes the number of a run, not '%s'", word);
    }
    o->runs[o->n_runs++] = id;
    return true;
}

static bool
read_sizes(void *options, const char *word, struct err *err)
{
    return show_sizes_read(&((struct options *)options)->sizes, word, err);
}

#define AT(MEMBER) .offset = offsetof(struct options, MEMBER)

static const struct verb_option options[] = {
    { "--run", "N",
      "Shows this run. May be given several times. Default: the newest runs, up to 8 per file.",
      VERB_READ, .read = read_run, .repeats = true },
    { "-o", "FILE",
      "File to write the page to. Default: next to the first file, results.html for results.db.",
      VERB_FILE, AT(out) },
    { "--figures", "FOLDER",
      "Writes figures for papers instead of the page, as SVG and with their data as CSV: queues, "
      "goodput and rates of each run, and the slowdown of flows. With -o, the page as well.",
      VERB_FILE, AT(figures) },
    { "--json", NULL,
      "Writes what each run came to as JSON instead of the page: flows that finished and how long "
      "they took, bytes, pauses, and packets that did not arrive, by cause. With -o, the page as "
      "well.",
      VERB_ONE_OF, AT(form), .min = CLI_JSON },
    { "--csv", NULL, SHOW_CSV_HELP " With -o, the page as well.", VERB_ONE_OF, AT(form),
      .min = CLI_CSV },
    { "--sizes", "SIZE,SIZE...", SHOW_SIZES_HELP " The page always has these bins.", VERB_READ,
      .read = read_sizes },
    { "--force", NULL, "Replaces files that exist.", VERB_FLAG, AT(force) },
    { 0 },
};

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

struct chosen_run {
    const struct rep_listed *listed;
    struct rep_totals totals;
    bool is_counted; /* The totals are there. */
};

struct chosen {
    struct rec_file *file;
    const char *name;
    struct rep_runs all;
    struct chosen_run *runs;
    size_t n, max;
};

static void
choose(struct chosen *c, const struct rep_listed *listed)
{
    ARRAY_PUSH(c->runs, c->n, c->max) = (struct chosen_run){ .listed = listed };
}

static void
choose_newest(struct chosen *c)
{
    size_t n = c->all.n < MAX_UNASKED_RUNS ? c->all.n : MAX_UNASKED_RUNS;

    if (n < c->all.n) {
        cli_fail(EXIT_GOOD,
                 "report: %s has %zu runs; only the newest %zu are shown, choose others by --run N",
                 c->name, c->all.n, n);
    }
    for (size_t i = c->all.n - n; i < c->all.n; i++) {
        choose(c, &c->all.items[i]);
    }
}

static int
choose_asked(struct chosen *c, const struct options *o)
{
    for (size_t k = 0; k < o->n_runs; k++) {
        const struct rep_listed *run = rep_runs_find(&c->all, o->runs[k]);
        if (!run) {
            return cli_fail(EXIT_USER, "report: %s has no run %llu; 'weir export %s' lists them",
                            c->name, (unsigned long long)o->runs[k], c->name);
        }
        choose(c, run);
    }
    return EXIT_GOOD;
}

static int
choose_runs(struct chosen *c, const struct options *o)
{
    struct err err;
    uint64_t n_claims;

    if (!rep_runs_read(&c->all, c->file, &err) ||
        !rec_read_count(c->file, REC_CLAIM, 0, &n_claims, &err)) {
        return cli_fail(EXIT_WORLD, "%s", err.text);
    }
    if (!c->all.n && !n_claims) {
        return cli_fail(
            EXIT_USER,
            "report: %s has neither runs nor claims of a paper; what it has of sweeps is "
            "written by weir export --summaries",
            c->name);
    }
    if (o->n_runs) {
        return choose_asked(c, o);
    }
    choose_newest(c);
    return EXIT_GOOD;
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

/* Reading, each time that a run is shown; what it came to is kept. */

static bool
read_whole(struct chosen *c, size_t k, struct rep_run *r, struct err *err)
{
    const char *slash = strrchr(c->name, '/');

    if (!rep_run_read_listed(r, c->file, c->runs[k].listed, err)) {
        return false;
    }
    r->file = slash ? slash + 1 : c->name;
    c->runs[k].totals = r->totals;
    c->runs[k].is_counted = true;
    return true;
}

static bool
count(struct chosen *c, size_t k, struct err *err)
{
    struct chosen_run *run = &c->runs[k];

    run->is_counted =
        run->is_counted || rep_totals_read(&run->totals, c->file, run->listed->row->id, err);
    return run->is_counted;
}

/* Writing. */

static bool
write_run(FILE *out, struct chosen *c, size_t k, struct err *err)
{
    struct rep_run r;

    if (!read_whole(c, k, &r, err)) {
        return false;
    }
    bool good = rep_page_run(out, c->file, &r, err);
    rep_run_free(&r);
    return good;
}

static int
write_page(FILE *out, struct chosen *files, size_t n_files)
{
    struct err err;

    rep_page_begin(out);
    for (size_t i = 0; i < n_files; i++) {
        for (size_t k = 0; k < files[i].n; k++) {
            if (!write_run(out, &files[i], k, &err)) {
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
write_file(const char *path, bool force, struct chosen *files, size_t n_files)
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
        printf("claims of a paper, %s", size.s);
    }
    printf("; open it in a browser\n");
}

/* What each run came to, in the form that was asked for. */
static int
show_run(const struct options *o, struct chosen *c, size_t k, struct json *j, bool is_only)
{
    const struct rep_listed *listed = c->runs[k].listed;
    struct rep_completions completions;
    struct err err;

    if (!count(c, k, &err) || !rep_completions_read(&completions, c->file, listed->row,
                                                    o->sizes.edges, o->sizes.n, &err)) {
        return cli_fail(EXIT_WORLD, "%s", err.text);
    }
    const struct report_shown shown = { c->name, listed, &c->runs[k].totals, &completions };
    if (o->form == CLI_JSON) {
        report_show_json(j, &shown);
    } else if (o->form == CLI_CSV) {
        report_show_csv(&shown);
    } else {
        report_show_text(&shown, is_only);
    }
    rep_completions_free(&completions);
    return EXIT_GOOD;
}

static int
show_runs(const struct options *o, struct chosen *files, struct json *j)
{
    bool is_only = o->files.n == 1 && files[0].n == 1;
    int code = EXIT_GOOD;

    for (size_t i = 0; i < o->files.n; i++) {
        for (size_t k = 0; k < files[i].n && code == EXIT_GOOD; k++) {
            code = show_run(o, &files[i], k, j, is_only);
        }
    }
    return code;
}

static int
report_json(const struct options *o, struct chosen *files)
{
    struct json j = { .out = stdout, .lines = 2 };

    json_open(&j, NULL, '[');
    int code = show_runs(o, files, &j);
    json_close(&j, ']');
    return code;
}

static int
report_csv(const struct options *o, struct chosen *files)
{
    report_show_csv_names();
    return show_runs(o, files, NULL);
}

static int
report_page(const struct options *o, struct chosen *files)
{
    char *path = o->out ? NULL : default_name(o->files.items[0]);
    int code = write_file(path ? path : o->out, o->force, files, o->files.n);

    if (code == EXIT_GOOD && o->form == CLI_TEXT) {
        show_written(path ? path : o->out, files, o->files.n);
        code = show_runs(o, files, NULL);
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

static bool
draw_run(struct rep_figures *f, struct chosen *c, size_t k, struct err *err)
{
    struct rep_run r;

    if (!read_whole(c, k, &r, err)) {
        return false;
    }
    bool good = rep_figures_add(f, c->file, &r, err);
    rep_run_free(&r);
    return good;
}

static int
report_figures(const struct options *o, struct chosen *files)
{
    if (!o->force && has_files(o->figures)) {
        return cli_fail(EXIT_USER,
                        "report: %s is not empty; --force replaces files of the same name",
                        o->figures);
    }
    struct err err, other;
    struct rep_figures *f = rep_figures_new(o->figures, o->force, &err);
    bool good = f != NULL;
    size_t n = 0;

    for (size_t i = 0; i < o->files.n && good; i++) {
        for (size_t k = 0; k < files[i].n && good; k++) {
            good = draw_run(f, &files[i], k, &err);
        }
    }
    if (f) {
        good = rep_figures_finish(f, &n, good ? &err : &other) && good;
    }
    if (!good) {
        return cli_fail(EXIT_WORLD, "%s", err.text);
    }
    if (o->form == CLI_TEXT) {
        printf("%s: %zu figures, each as .svg and .csv\n", o->figures, n);
    }
    return EXIT_GOOD;
}

static bool
wants_page(const struct options *o)
{
    return o->out || !(o->figures || o->form != CLI_TEXT);
}

static int
report(const struct options *o)
{
    struct chosen files[MAX_FILES] = { 0 };
    int code = EXIT_GOOD;

    for (size_t i = 0; i < o->files.n && code == EXIT_GOOD; i++) {
        files[i].name = o->files.items[i];
        code = open_file(&files[i], o);
    }
    if (code == EXIT_GOOD && o->figures) {
        code = report_figures(o, files);
    }
    if (code == EXIT_GOOD && wants_page(o)) {
        code = report_page(o, files);
    }
    if (code == EXIT_GOOD && o->form != CLI_TEXT) {
        code = (o->form == CLI_JSON ? report_json : report_csv)(o, files);
    }
    for (size_t i = 0; i < o->files.n; i++) {
        if (files[i].file) {
            rec_read_close(files[i].file);
        }
        rep_runs_free(&files[i].all);
        free(files[i].runs);
    }
    return code;
}

static int
run(int argc, char **argv)
{
    struct options o = { 0 };
    int code;

    if (!options_read(&cli_report, argc, argv, &o, &code)) {
        return code;
    }
    if (!rep_has_page() && wants_page(&o)) {
        return cli_fail(
            EXIT_WORLD,
            "report: this program was built without its page, since node, npm or one of "
            "their packages was missing; `make build` says which.\n'weir export' "
            "writes the same results as CSV");
    }
    return report(&o);
}

const struct verb cli_report = {
    .name = "report",
    .run = run,
    .brief = "show results as a page: one file that opens in a browser",
    .operands = "RESULTS...",
    .about =
        "Writes a page that shows what results files hold: the network over time, the ring of a "
        "deadlock as it closes, queues and rates of every port, and all flows, several runs side "
        "by side. The page is one file that opens from disk in any browser and needs no network, "
        "so you can send it to a colleague. If `weir reproduce --record` wrote the file, the page "
        "shows the claims of a paper beside what was measured.\n\n"
        "What each run came to is printed as well, counted over all its flows and ports: the page "
        "itself lists the first 20,000 flows of a run.\n\n"
        "The exit code is 2 if a file is not a results file of this version, or is incomplete; 3 "
        "if "
        "a file cannot be read or written, if damage is found only while it is read, or if this "
        "program was built without its page.",
    .options = options,
    .operands_at = offsetof(struct options, files),
    .min_operands = 1,
    .max_operands = MAX_FILES,
    .missing = "no results file given",
};
