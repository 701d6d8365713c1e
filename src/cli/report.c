/* `weir report`: writes results as a page, or as figures. */

#include <dirent.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/array.h"
#include "cli/cli.h"
#include "cli/report-figures.h"
#include "cli/report-show.h"
#include "cli/report-sweep.h"
#include "cli/show-completion.h"
#include "cli/wrapped.h"
#include "report/chosen.h"
#include "report/report.h"
#include "report/run-schemes.h"

enum { MAX_FILES = 64, MAX_RUNS = 64 };

struct options {
    struct verb_operands files;
    const char *out, *figures, *title, *ports;
    struct verb_words labels;
    uint64_t runs[MAX_RUNS];
    size_t n_runs;
    uint64_t sweep;
    struct sweep_ask sweeps;
    int form; /* enum cli_form. */
    struct show_sizes sizes;
    /* The time range that is drawn; if the end is 0, it is that of the run. */
    weir_ps from_ps, to_ps;
    bool force, overlay, pdf, all;
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

#define AT(MEMBER) .offset = offsetof(struct options, MEMBER)

static const struct verb_option options[] = {
    { "--run", "N",
      "Shows this run. May be given several times. Default: all runs; the page and figures draw "
      "the "
      "newest 24 of each file.",
      VERB_READ, .read = read_run, .repeats = true },
    { "--all", NULL, "Draws all runs, however many: the page may become too large for a browser.",
      VERB_FLAG, AT(all) },
    { "-o", "FILE",
      "File to write the page to. Default: next to the first file, results.html for results.db.",
      VERB_FILE, AT(out) },
    { "--figures", "FOLDER",
      "Writes figures for papers instead of the page, as SVG and with their data as CSV: queues, "
      "goodput and rates of each run, the slowdown of flows, sweeps, and figures of papers. With "
      "-o, also writes the page.",
      VERB_FILE, AT(figures) },
    { "--title", "TEXT",
      "Title of all figures, in place of their own titles; it is cut off after 320 bytes.",
      VERB_WORD, AT(title) },
    { "--label", "WHICH=TEXT",
      "Text that names runs in figures and on the page, in place of what differs between runs. "
      "WHICH is a setting and its value, as in engine=gfc-buffer=GFC, or several with commas "
      "between them; or the number of a run, as in 1=GFC, or results.db#1=GFC if there are several "
      "files. Seeds "
      "of one scheme share its label. May be given several times.",
      VERB_WORDS, AT(labels) },
    { "--ports", "PORTS",
      "Draws these ports instead of those with the largest queues: S1:H1,S1:2,S2:* is the port of "
      "S1 "
      "towards H1, its port 2, and all ports of S2. S1:trunk-1 is its port of that link.",
      VERB_WORD, AT(ports) },
    { "--from", "TIME", "Draws figures over time from this time on. Default: from the start.",
      VERB_TIME, AT(from_ps) },
    { "--to", "TIME", "Draws figures over time up to this time. Default: the end of the run.",
      VERB_TIME, AT(to_ps) },
    { "--overlay", NULL,
      "Draws all runs in one figure per quantity, instead of figures of each run.", VERB_FLAG,
      AT(overlay) },
    { "--pdf", NULL,
      "Writes figures as PDF, too. Needs rsvg-convert (Debian's package librsvg2-bin).", VERB_FLAG,
      AT(pdf) },
    { "--json", NULL,
      "Writes the result of each run as JSON instead of the page: flows that finished and their "
      "completion times, bytes, pauses, and packets that did not arrive, by cause. With -o, also "
      "writes the page.",
      VERB_ONE_OF, AT(form), .min = CLI_JSON },
    { "--csv", NULL,
      SHOW_CSV_HELP
      " With --by, writes the table of the sweep instead. With -o, also writes the page.",
      VERB_ONE_OF, AT(form), .min = CLI_CSV },
    { "--sizes", "SIZE,SIZE...", SHOW_SIZES_HELP " The page always has these bins.", VERB_READ,
      AT(sizes), .read = show_sizes_read },
    { "--force", NULL, "Replaces files that exist.", VERB_FLAG, AT(force) },
    { "--by", "SETTING",
      "Prints a table instead of the page: a metric over the values of this setting, as the median "
      "and the quartiles over all runs that have the value. With -o, also writes the page.",
      VERB_WORD, AT(sweeps.by), .group = "Sweeps" },
    { "--metric", "NAME",
      "Quantity to show over the setting: a column of the table `summary`, a measure of the study, "
      "or a fact about completion times, such as all.fct_p99_ps. Default: the first measure of the "
      "study, else slowdown, else goodput.",
      VERB_WORD, AT(sweeps.metric) },
    { "--lines", "SETTING",
      "Second setting: the table has a column, and the figure a line, for each of its values. "
      "Default: none.",
      VERB_WORD, AT(sweeps.lines) },
    { "--panels", "SETTING",
      "Third setting: there is a table or a figure for each of its values. Default: none.",
      VERB_WORD, AT(sweeps.panels) },
    { "--sweep", "N", "Number of the sweep to show. Default: all; for a table, the newest.",
      VERB_NUMBER, AT(sweep), .min = 1, .max = UINT64_MAX },
    { 0 },
};

/* The default name of the page, such as results.html for results.db; the caller frees it. */
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

/* Writing the report. */

static bool
write_run(FILE *out, struct rep_chosen *c, size_t k, struct err *err)
{
    struct rep_run r;

    if (!rep_chosen_read_run(c, k, &r, err)) {
        return false;
    }
    bool good = rep_page_run(out, c->file, &r, err);
    rep_run_free(&r);
    return good;
}

static bool
write_sweeps(FILE *out, struct rep_chosen *c, struct err *err)
{
    bool good = true;

    for (size_t i = 0; i < c->sweeps.n && good; i++) {
        const struct rec_sweep *sweep = rec_row(&c->sweeps, REC_SWEEP, i);
        good = rep_page_sweep(out, c->file, rep_chosen_short_name(c), sweep->id, err);
    }
    return good;
}

static int
write_page(FILE *out, struct rep_chosen *files, size_t n_files)
{
    struct err err;

    rep_page_begin(out);
    for (size_t i = 0; i < n_files; i++) {
        for (size_t k = files[i].first_drawn; k < files[i].n; k++) {
            if (!write_run(out, &files[i], k, &err)) {
                return cli_print_error(EXIT_WORLD, &err);
            }
        }
        if (!write_sweeps(out, &files[i], &err) ||
            !rep_page_claims(out, files[i].file, rep_chosen_short_name(&files[i]), &err)) {
            return cli_print_error(EXIT_WORLD, &err);
        }
    }
    rep_page_end(out);
    return EXIT_GOOD;
}

static int
write_file(const char *path, bool force, struct rep_chosen *files, size_t n_files)
{
    FILE *out;
    int code = cli_create(&out, path, force);

    return code == EXIT_GOOD ? cli_close(out, path, force, write_page(out, files, n_files)) : code;
}

static void
show_written(const char *path, const struct rep_chosen *files, size_t n_files)
{
    struct weir_text size = { 0 };
    struct stat st;
    size_t n_runs = 0, n_sweeps = 0;

    for (size_t i = 0; i < n_files; i++) {
        n_runs += files[i].n - files[i].first_drawn;
        n_sweeps += files[i].sweeps.n;
    }
    weir_text_add(&size, "%b", stat(path, &st) ? 0 : (uint64_t)st.st_size);
    printf("%s: ", path);
    if (n_runs) {
        printf("%zu run%s, ", n_runs, value_plural(n_runs));
    }
    if (n_sweeps) {
        printf("%zu sweep%s, ", n_sweeps, value_plural(n_sweeps));
    }
    printf("%s%s; open it in a browser\n", n_runs + n_sweeps ? "" : "claims of a paper, ", size.s);
}

/* Shows the result of a run as text, JSON or CSV. */
static int
show_run(const struct options *o, struct rep_chosen *c, size_t k, struct json *j, bool is_only)
{
    const struct rec_run *row = c->runs[k].listed->row;
    struct rep_fct completions;
    struct rec_rows deadlocks = { 0 };
    struct err err;

    if (!rec_read_if(c->file, REC_EVENT, row->id, "kind = 'deadlock'", 0, 1, &deadlocks, &err) ||
        !rep_fct_read(&completions, c->file, row, o->sizes.edges, o->sizes.n, &err)) {
        rec_rows_free(&deadlocks, REC_EVENT);
        return cli_print_error(EXIT_WORLD, &err);
    }
    const struct report_shown shown = { c->name, o->files.n > 1, c->runs[k].listed, &completions,
                                        rec_row_at(&deadlocks, REC_EVENT, 0) };
    if (o->form == CLI_JSON) {
        report_show_json(j, &shown);
    } else if (o->form == CLI_CSV) {
        report_show_csv(&shown);
    } else {
        report_show_text(&shown, is_only);
    }
    rep_fct_free(&completions);
    rec_rows_free(&deadlocks, REC_EVENT);
    return EXIT_GOOD;
}

static int
show_runs(const struct options *o, struct rep_chosen *files, struct json *j)
{
    bool is_only = o->files.n == 1 && files[0].n == 1;
    int code = EXIT_GOOD;

    for (size_t i = 0; i < o->files.n; i++) {
        for (size_t k = 0; k < files[i].n && code == EXIT_GOOD; k++) {
            code = show_run(o, &files[i], k, j, is_only);
        }
    }
    for (size_t i = 0; i < o->files.n && code == EXIT_GOOD && o->form != CLI_CSV; i++) {
        code = report_sweeps(&files[i], j);
    }
    return code;
}

static bool
wants_table(const struct options *o)
{
    return o->sweeps.by || o->sweeps.lines || o->sweeps.panels || o->sweeps.metric;
}

static int
show_tables(const struct options *o, struct rep_chosen *files, struct json *j)
{
    int code = EXIT_GOOD;

    for (size_t i = 0; i < o->files.n && code == EXIT_GOOD; i++) {
        code = report_sweep_table(&files[i], &o->sweeps, o->form, j);
    }
    return code;
}

static int
report_json(const struct options *o, struct rep_chosen *files)
{
    struct json j = { .out = stdout, .lines = 2 };

    json_open(&j, NULL, '[');
    int code = wants_table(o) ? show_tables(o, files, &j) : show_runs(o, files, &j);
    json_close(&j, ']');
    return code;
}

static bool
has_runs(const struct options *o, const struct rep_chosen *files)
{
    size_t n = 0;

    for (size_t i = 0; i < o->files.n; i++) {
        n += files[i].n;
    }
    return n;
}

/* Writes the flow completion times of runs as CSV. If the options choose a metric of sweeps, or
 * there are no runs, it writes that metric. */
static int
report_csv(const struct options *o, struct rep_chosen *files)
{
    if (wants_table(o) || !has_runs(o, files)) {
        return show_tables(o, files, NULL);
    }
    report_show_csv_names();
    return show_runs(o, files, NULL);
}

static int
report_page(const struct options *o, struct rep_chosen *files)
{
    char *path = o->out ? NULL : default_name(o->files.items[0]);
    struct wrapped wrapped;
    int code = write_file(path ? path : o->out, o->force, files, o->files.n);

    if (code == EXIT_GOOD && o->form == CLI_TEXT) {
        wrapped_begin(&wrapped, true);
        show_written(path ? path : o->out, files, o->files.n);
        code = show_runs(o, files, NULL);
        wrapped_end(&wrapped);
    }
    free(path);
    return code;
}

static int
check_options(const struct options *o)
{
    const char *alone = o->figures   ? NULL
                        : o->title   ? "--title"
                        : o->ports   ? "--ports"
                        : o->overlay ? "--overlay"
                        : o->pdf     ? "--pdf"
                        : o->from_ps ? "--from"
                        : o->to_ps   ? "--to"
                                     : NULL;

    if (o->to_ps && o->from_ps >= o->to_ps) {
        return cli_fail(EXIT_USER, "report: --from must be before --to");
    }
    return alone ? cli_fail(EXIT_USER, "report: %s needs --figures FOLDER", alone) : EXIT_GOOD;
}

static void
warn_of_unsampled(const struct rep_chosen *files, size_t n_files)
{
    size_t n_drawn, n_unsampled;

    rep_chosen_count(files, n_files, &n_drawn, &n_unsampled);
    if (n_unsampled) {
        cli_fail(EXIT_GOOD,
                 "report: ports were not sampled in %zu of %zu run%s, so their queues are not "
                 "drawn over time: run again with --set record.ports=all",
                 n_unsampled, n_drawn, value_plural(n_drawn));
    }
}

static bool
wants_page(const struct options *o)
{
    return o->out || !(o->figures || o->form != CLI_TEXT || wants_table(o));
}

static int
show_files(const struct options *o, struct rep_chosen *files)
{
    const struct figures_ask ask = { .folder = o->figures,
                                     .title = o->title,
                                     .ports = o->ports,
                                     .sweeps = &o->sweeps,
                                     .from_ps = o->from_ps,
                                     .to_ps = o->to_ps ? o->to_ps : INT64_MAX,
                                     .n_files = o->files.n,
                                     .overlay = o->overlay,
                                     .pdf = o->pdf,
                                     .force = o->force,
                                     .is_quiet = o->form != CLI_TEXT };
    int code = o->figures ? report_figures(&ask, files) : EXIT_GOOD;

    if (code == EXIT_GOOD && wants_page(o)) {
        code = report_page(o, files);
    }
    if (code == EXIT_GOOD && o->form != CLI_TEXT) {
        code = (o->form == CLI_JSON ? report_json : report_csv)(o, files);
    } else if (code == EXIT_GOOD && wants_table(o) && !o->figures) {
        code = show_tables(o, files, NULL);
    }
    if (code == EXIT_GOOD) {
        warn_of_unsampled(files, o->files.n);
    }
    return code;
}

static int
open_file(struct rep_chosen *c, const char *name, const struct rep_chosen_ask *ask)
{
    struct rec_file *file;
    struct err err;
    int code = cli_open_results(&file, name);

    if (code != EXIT_GOOD) {
        return code;
    }
    enum rep_choice choice = rep_chosen_open(c, file, name, ask, &err);
    if (choice != REP_CHOSEN) {
        return choice == REP_NOT_THERE ? cli_fail(EXIT_USER, "report: %s", err.text)
                                       : cli_print_error(EXIT_WORLD, &err);
    }
    if (c->first_drawn) {
        cli_fail(EXIT_GOOD,
                 "report: %s has %zu runs; only the newest %zu are drawn, choose others by --run "
                 "N, or all by --all",
                 c->name, c->n, c->n - c->first_drawn);
    }
    return EXIT_GOOD;
}

static int
label_runs(const struct options *o, struct rep_chosen *files)
{
    struct err err;

    rep_chosen_name_together(files, o->files.n);
    rep_schemes_find(files, o->files.n);
    return rep_schemes_label(files, o->files.n, o->labels.items, o->labels.n, &err)
               ? EXIT_GOOD
               : cli_fail(EXIT_USER, "report: --label %s", err.text);
}

static int
run_report(void *given)
{
    const struct options *o = given;
    struct rep_chosen files[MAX_FILES] = { 0 };
    struct rep_chosen_ask ask = { .runs = o->runs,
                                  .n_runs = o->n_runs,
                                  .sweep = o->sweep,
                                  .draws = o->figures || wants_page(o),
                                  .all = o->all,
                                  .is_for_figures = o->figures && !o->out };

    if (!rep_has_page() && wants_page(o)) {
        return cli_fail(
            EXIT_WORLD,
            "report: this program was built without its page, since node, npm or one of "
            "their packages was missing; `make build` says which.\n'weir export' "
            "writes the same results as CSV");
    }
    int code = check_options(o);
    for (size_t i = 0; i < o->files.n && code == EXIT_GOOD; i++) {
        code = open_file(&files[i], o->files.items[i], &ask);
    }
    code = code == EXIT_GOOD ? label_runs(o, files) : code;
    code = code == EXIT_GOOD ? show_files(o, files) : code;
    for (size_t i = 0; i < o->files.n; i++) {
        rep_chosen_close(&files[i]);
        if (files[i].file) {
            cli_close_results(files[i].file);
        }
    }
    return code;
}

const struct verb cli_report = {
    .name = "report",
    .group = VERB_UNDERSTAND,
    .run = run_report,
    .brief = "write a page that shows results in any browser",
    .operands = "RESULTS...",
    .about =
        "Writes a page that shows what results files hold: the network over time, the cycle of a "
        "deadlock as it closes, queues and rates of every port, and all flows, several runs side "
        "by side. The page is one file that opens from disk in any browser and needs no network, "
        "so you can send it to a colleague. If `weir reproduce --record` wrote the file, the "
        "page draws the figures of the paper and shows its claims next to the measured values. "
        "If the file has sweeps, the page shows a metric over the settings of each, and all runs "
        "in a table.\n\n"
        "The result of each run is printed as well, counted over all its flows and ports: the "
        "page itself lists the first 20,000 flows of a run.\n\n"
        "The exit code is 2 if a file is not a results file of this version, or is incomplete. "
        "It is 3 if a file cannot be read or written, if damage is found only while it is read, "
        "or if this program was built without its page.",
    .examples = "  weir report ring.db\n"
                "  weir report before.db after.db -o both.html\n"
                "  weir report ring.db --figures figures --overlay\n",
    .options = options,
    .options_bytes = sizeof(struct options),
    .min_operands = 1,
    .max_operands = MAX_FILES,
    .missing = "no results file given",
    .is_long = true,
};
