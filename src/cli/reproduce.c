/* `weir reproduce`: judges the statements of papers, and shows the other claims and expectations of
 * their studies. */

#include "base/text.h"
#include "run/reproduction.h"

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/array.h"
#include "base/installed.h"
#include "base/moment.h"
#include "cli/cli.h"
#include "cli/progress.h"
#include "cli/reproduce-show.h"
#include "cli/scorecard.h"
#include "output/next-step.h"
#include "record/claims.h"
#include "report/figure-files.h"

enum { PATH_BYTES = 600, NAMES_BYTES = 1500 };

struct path {
    char name[PATH_BYTES];
};

struct files {
    struct path *paths;
    size_t n, max;
};

static const char statements_file[] = "/statements.yaml";

/* The order of files. The list of figures is first, because it decides which runs are needed; the
 * statements are next. */
static int
rank_of(const char *path)
{
    return text_ends_with(path, "/figures.yaml")   ? 0
           : text_ends_with(path, statements_file) ? 1
                                                   : 2;
}

static int
by_name(const void *a, const void *b)
{
    int order = rank_of(a) - rank_of(b);

    return order ? order : strcmp(a, b);
}

/* The index of the file of statements; the number of files if there is none. */
static size_t
find_statements(const struct files *f)
{
    size_t i = 0;

    while (i < f->n && !text_ends_with(f->paths[i].name, statements_file)) {
        i++;
    }
    return i;
}

static bool
find_files(struct files *f, const char *folder, int depth)
{
    DIR *dir = opendir(folder);

    if (!dir) {
        return false;
    }
    for (struct dirent *e = readdir(dir); e; e = readdir(dir)) {
        struct path path;
        struct stat s;
        int n = snprintf(path.name, sizeof path.name, "%s/%s", folder, e->d_name);
        if (n < 0 || n >= PATH_BYTES || e->d_name[0] == '.' || stat(path.name, &s)) {
            continue;
        }
        if (S_ISDIR(s.st_mode) && depth) {
            find_files(f, path.name, depth - 1);
        } else if (text_ends_with(path.name, ".yaml")) {
            ARRAY_PUSH(f->paths, f->n, f->max) = path;
        }
    }
    closedir(dir);
    return true;
}

/* Running studies. */

static int
reproduce_one(struct reproduction *r, const char *path, const char *label)
{
    struct progress progress = { .label = label };
    struct outcome_watcher runs = progress_of_runs(&progress);
    struct sweeping_watcher sweeps = progress_of_sweeps(&progress);
    struct err err;

    r->run_watcher = progress_is_wanted() ? &runs : NULL;
    r->sweep_watcher = &sweeps;
    int code = reproduce_file(r, path, &err);
    if (code != EXIT_GOOD) {
        return cli_print_error(code, &err);
    }
    if (r->warning.text[0]) {
        cli_fail(EXIT_GOOD, "%s", r->warning.text);
    }
    return code;
}

/* Runs the files. Shows the scorecard as soon as it is complete, and the rows of each other
 * file. */
static int
reproduce(struct reproduction *r, const struct files *f)
{
    int code = EXIT_GOOD;

    for (size_t i = 0; i < f->n && code == EXIT_GOOD; i++) {
        size_t n_claims = r->claims.n, n_statements = r->scorecard.n;
        code = reproduce_one(r, f->paths[i].name, NULL);
        if (code == EXIT_GOOD && r->scorecard.n > n_statements) {
            scorecard_show(r);
        }
        if (code == EXIT_GOOD) {
            reproduce_show_claims(r, n_claims);
        }
    }
    if (code == EXIT_GOOD && !r->leaves_rows) {
        reproduce_show_sum(r);
    }
    return code;
}

/* Lists all claims without running them, for --list, and to report a wrong name before hours of
 * runs. */
static int
list_claims(struct reproduction *r, const struct files *f)
{
    struct err err;
    int code = EXIT_GOOD;

    for (size_t i = 0; i < f->n && code == EXIT_GOOD; i++) {
        code = reproduce_file(r, f->paths[i].name, &err);
    }
    return code == EXIT_GOOD ? code : cli_print_error(code, &err);
}

static void
forget(struct reproduction *r)
{
    rec_rows_free(&r->scorecard, REC_STATEMENT);
    rec_rows_free(&r->claims, REC_CLAIM);
    rec_rows_free(&r->figures, REC_FIGURE);
}

static int
list_figures(const struct reproduction *r, const struct files *f)
{
    struct reproduction all = { .paper = r->paper, .part = r->part, .is_dry = true };
    int code = list_claims(&all, f);

    if (code == EXIT_GOOD) {
        scorecard_list(&all);
        reproduce_show_list(&all);
    }
    forget(&all);
    return code;
}

/* Checks that a figure, table or file has the name that the user gave. Rows of other files are
 * shown only if no statement or figure has the name. */
static int
check_name(struct reproduction *r, const struct files *f)
{
    struct reproduction some = { .paper = r->paper, .part = r->part, .is_dry = true }, all = some;
    char names[NAMES_BYTES];

    some.only = r->only;
    int code = list_claims(&some, f);
    if (code == EXIT_GOOD && !some.claims.n && !some.figures.n && !some.scorecard.n) {
        code = list_claims(&all, f);
        reproduce_offer(&all, r->only, names, sizeof names);
        code = code == EXIT_GOOD
                   ? cli_fail(EXIT_USER, "reproduce: %s has no figure, table or file '%s'%s",
                              r->paper, r->only, names)
                   : code;
    }
    r->leaves_rows &= some.scorecard.n || some.figures.n;
    forget(&some);
    forget(&all);
    return code;
}

/* A temporary results file, which is removed when it is closed. */
struct temporary {
    char path[32];
    int fd;
};

static int
open_temporary(struct temporary *t)
{
    strcpy(t->path, "/tmp/weir-reproduce-XXXXXX");
    t->fd = mkstemp(t->path);
    return t->fd >= 0 ? EXIT_GOOD
                      : cli_fail(EXIT_WORLD, "reproduce: cannot create a temporary file in /tmp");
}

static void
close_temporary(struct temporary *t)
{
    close(t->fd);
    unlink(t->path);
}

static int
keep_paper(const struct reproduction *r)
{
    struct rec_paper paper = { .study = r->paper,
                               .scorecard = &r->scorecard,
                               .claims = &r->claims,
                               .figures = &r->figures,
                               .is_part = r->only };
    struct err err;

    return rec_claims_put(r->results, &paper, &err) ? EXIT_GOOD
                                                    : cli_print_error(run_code_of_file(&err), &err);
}

static int
write_pictures(const char *results, const char *folder)
{
    struct err warning, err;

    if (!rep_paper_pictures(results, folder, &warning, &err)) {
        return cli_print_error(EXIT_WORLD, &err);
    }
    if (warning.text[0]) {
        cli_fail(EXIT_GOOD, "reproduce: %s", warning.text);
    }
    return EXIT_GOOD;
}

/* Reproduces into a results file, which is temporary unless the user names one. */
static int
reproduce_into(struct reproduction *r, const struct files *f, const char *results,
               const char *pictures)
{
    struct temporary temporary;
    int code = results ? EXIT_GOOD : open_temporary(&temporary);

    if (code != EXIT_GOOD) {
        return code;
    }
    r->results = results ? results : temporary.path;
    r->is_temporary = !results;
    r->keeps_runs = results || pictures;
    r->command_ns = moment_date_ns();
    code = reproduce(r, f);
    code = code == EXIT_GOOD && r->keeps_runs ? keep_paper(r) : code;
    if (code == EXIT_GOOD && pictures) {
        code = write_pictures(r->results, pictures);
    }
    if (code == EXIT_GOOD && results && r->has_statements) {
        next_step_write(stdout, "weir report %s", results);
    }
    if (!results) {
        close_temporary(&temporary);
    }
    return code;
}

struct options {
    struct verb_operands words; /* The paper, and its figure or part. */
    const char *studies, *results, *pictures;
    bool is_full, is_list, is_rows;
};

/* Finds the study in the current folder, or the installed one. */
static bool
find_study(const struct options *o, struct files *f, char folder[PATH_BYTES])
{
    char room[INSTALLED_PATH_BYTES];

    snprintf(folder, PATH_BYTES, "%.300s/%.200s", o->studies ? o->studies : "studies",
             o->words.items[0]);
    bool has_files = find_files(f, o->studies ? folder : installed_or(folder, room), 1) && f->n;
    if (has_files) {
        qsort(f->paths, f->n, sizeof f->paths[0], by_name);
    }
    return has_files;
}

/* Finds the folders with statements, in alphabetical order. */
static size_t
find_papers(const char *studies, struct path **papers)
{
    struct files found = { 0 };
    DIR *dir = opendir(studies);

    for (struct dirent *e = dir ? readdir(dir) : NULL; e; e = readdir(dir)) {
        struct path path;
        snprintf(path.name, sizeof path.name, "%.200s/%.255s%s", studies, e->d_name,
                 statements_file);
        if (e->d_name[0] != '.' && !access(path.name, R_OK)) {
            snprintf(path.name, sizeof path.name, "%.255s", e->d_name);
            ARRAY_PUSH(found.paths, found.n, found.max) = path;
        }
    }
    if (dir) {
        closedir(dir);
    }
    if (found.n) {
        qsort(found.paths, found.n, sizeof found.paths[0], by_name);
    }
    *papers = found.paths;
    return found.n;
}

static int
refuse_paper(const struct options *o, const char *folder)
{
    char room[INSTALLED_PATH_BYTES], offer[NAMES_BYTES];
    const char *studies = o->studies ? o->studies : installed_or("studies", room), **names;
    struct path *papers;
    size_t n = find_papers(studies, &papers);

    if (!n) {
        return cli_fail(EXIT_USER,
                        "reproduce: no study at %s; run the command where studies/ is, or give "
                        "--studies DIR",
                        folder);
    }
    names = array_new(n, sizeof *names);
    for (size_t i = 0; i < n; i++) {
        names[i] = papers[i].name;
    }
    text_offer(o->words.items[0], names, sizeof *names, n, offer, sizeof offer);
    free(names);
    free(papers);
    return cli_fail(EXIT_USER, "reproduce: no study at %s%s", folder, offer);
}

/* Whether a path is a file. This is checked before hours of runs, not after them. */
static bool
is_file(const char *path)
{
    struct stat s;

    return !stat(path, &s) && !S_ISDIR(s.st_mode);
}

static int
reproduce_paper(const struct options *o, struct files *f)
{
    char folder[PATH_BYTES], results[PATH_BYTES];
    const char *paper = o->words.items[0];
    struct reproduction r = { .paper = paper,
                              .only = o->words.n > 1 ? o->words.items[1] : NULL,
                              .leaves_statements = o->is_rows,
                              .part = o->is_full ? SCN_STUDY_WHOLE : SCN_STUDY_SAMPLE };

    snprintf(results, sizeof results, "%.300s.db", paper);
    if (!find_study(o, f, folder)) {
        return refuse_paper(o, folder);
    }
    if (o->pictures && is_file(o->pictures)) {
        return cli_fail(EXIT_USER, "reproduce: --pictures %s: it is a file; name a folder",
                        o->pictures);
    }
    if (o->is_list) {
        return list_figures(&r, f);
    }
    r.has_statements = find_statements(f) < f->n;
    r.leaves_rows = !o->is_rows && r.has_statements;
    int code = r.only ? check_name(&r, f) : EXIT_GOOD;
    if (code == EXIT_GOOD) {
        code = reproduce_into(&r, f,
                              o->results   ? o->results
                              : o->is_full ? results
                                           : NULL,
                              o->pictures);
    }
    forget(&r);
    return code;
}

/* All papers with statements. */

static int
score_paper(struct reproduction *r, const char *path, size_t i, size_t n)
{
    char label[120];

    snprintf(label, sizeof label, "%.40s, paper %zu of %zu", r->paper, i + 1, n);
    int code = reproduce_one(r, path, label);

    if (code == EXIT_GOOD) {
        scorecard_show_paper(r);
    }
    forget(r);
    return code;
}

static int
score_papers(const struct options *o)
{
    char room[INSTALLED_PATH_BYTES];
    const char *studies = o->studies ? o->studies : installed_or("studies", room);
    struct path *papers, path;
    struct temporary temporary;
    size_t n = find_papers(studies, &papers);
    int code = n ? open_temporary(&temporary)
                 : cli_fail(EXIT_USER, "reproduce: no paper with statements in %s", studies);

    if (code == EXIT_GOOD) {
        scorecard_show_head();
        for (size_t i = 0; i < n && code == EXIT_GOOD; i++) {
            snprintf(path.name, sizeof path.name, "%.200s/%.255s%s", studies, papers[i].name,
                     statements_file);
            code = score_paper(
                &(struct reproduction){ .paper = papers[i].name,
                                        .part = o->is_full ? SCN_STUDY_WHOLE : SCN_STUDY_SAMPLE,
                                        .results = temporary.path,
                                        .is_temporary = true },
                path.name, i, n);
        }
        close_temporary(&temporary);
    }
    free(papers);
    return code;
}

#define AT(MEMBER) .offset = offsetof(struct options, MEMBER)

static const struct verb_option options[] = {
    { "--list", NULL,
      "Lists the statements, figures and tables of the paper that can be run, without running "
      "anything.",
      VERB_FLAG, AT(is_list) },
    { "--full", NULL,
      "Runs all seeds of every study, which can take hours. If it is interrupted, the same command "
      "continues. Without --full, runs only the sample that each study names.",
      VERB_FLAG, AT(is_full) },
    { "--rows", NULL,
      "Runs rows that are not statements of the paper, instead of the scorecard: variants of the "
      "reading, other arbitrations, and results beyond the paper. Without --full, the rows of a "
      "sample get no verdicts.",
      VERB_FLAG, AT(is_rows) },
    { "--record", "RESULTS",
      "Keeps everything in a results file: single runs with their samples, summaries of sweeps, "
      "the scorecard, and what each figure draws; `weir report` shows them. Default: PAPER.db with "
      "--full; otherwise nothing is kept.",
      VERB_FILE, AT(results) },
    { "--pictures", "DIR",
      "Draws the figures of the paper as SVG files in this folder, fig9-1.svg and so on, replacing "
      "files of these names.",
      VERB_FILE, AT(pictures) },
    { "--studies", "DIR",
      "Folder with one folder per paper. Default: studies in the current folder, else the "
      "installed studies.",
      VERB_FILE, AT(studies) },
    { 0 },
};

static int
run_reproduce(void *given)
{
    const struct options *o = given;
    struct files files = { 0 };

    cli_hear_interrupts();
    if (!o->words.n && (o->is_list || o->is_rows || o->results || o->pictures)) {
        return cli_fail(EXIT_USER,
                        "reproduce: --list, --rows, --record and --pictures need a PAPER");
    }
    int code = o->words.n ? reproduce_paper(o, &files) : score_papers(o);
    free(files.paths);
    return code;
}

const struct verb cli_reproduce = {
    .name = "reproduce",
    .group = VERB_REPRODUCE,
    .run = run_reproduce,
    .brief = "run the scenarios of papers and judge their statements",
    .operands = "[PAPER [FIGURE]]",
    .about = "Runs the study of a paper, studies/PAPER, and judges its statements. The file "
             "studies/PAPER/paper.yaml has the choices that the paper leaves open. Shows the "
             "published value, the value measured in the median run with the range of single runs, "
             "and the verdict. Verdicts are holds (within the tolerance), stronger (beyond the "
             "published value), direction (less, but in the direction that the paper claims), no, "
             "or not tested.\n\n"
             "Without PAPER, runs the samples of all five papers, and shows a table with the "
             "number of statements that have each verdict. This takes about 220 s of CPU time: TTL "
             "6 s, QCN-OS 11 s, GFC 48 s, FAFC 50 s and CaPFC 107 s. The counts cover only a "
             "sample of seeds; the README has the counts of --full.\n\n"
             "FIGURE limits the run to one figure or table, as in fig9 or table1, or to one file "
             "or folder of the study; --list shows their names.",
    .examples = "  weir reproduce gfc --list\n"
                "  weir reproduce gfc fig9 --record fig9.db && weir report fig9.db\n",
    .options = options,
    .options_bytes = sizeof(struct options),
    .max_operands = 2,
    .is_long = true,
};
