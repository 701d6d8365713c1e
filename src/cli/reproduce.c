/* `weir reproduce`: shows the claims of a paper next to the measured values. */

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
#include "record/claims.h"

enum { PATH_BYTES = 600, NAMES_BYTES = 1500 };

struct path {
    char name[PATH_BYTES];
};

struct files {
    struct path *paths;
    size_t n, max;
};

static const char figures_file[] = "/figures.yaml";

/* The list of figures comes first: it says what the others must run. */
static int
by_name(const void *a, const void *b)
{
    bool is_first = text_ends_with(a, figures_file), is_second = text_ends_with(b, figures_file);

    return is_first != is_second ? is_second - is_first : strcmp(a, b);
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

/* Running. */

static int
reproduce(struct reproduction *r, const struct files *f)
{
    struct progress progress = { 0 };
    struct outcome_watcher runs = progress_of_runs(&progress);
    struct sweeping_watcher sweeps = progress_of_sweeps(&progress);
    char head[REPRODUCE_HEAD_BYTES] = "";

    r->run_watcher = progress_is_wanted() ? &runs : NULL;
    r->sweep_watcher = &sweeps;
    for (size_t i = 0; i < f->n; i++) {
        size_t n_before = r->claims.n;
        struct err err;
        int code = reproduce_file(r, f->paths[i].name, &err);
        progress_wipe(&progress);
        if (code != EXIT_GOOD) {
            return cli_tell(code, &err);
        }
        if (r->warning.text[0]) {
            cli_fail(EXIT_GOOD, "%s", r->warning.text);
        }
        reproduce_show_claims(r, n_before, head);
    }
    reproduce_show_sum(r);
    return EXIT_GOOD;
}

/* Lists all claims and runs none: for --list, and to report a wrong name at once. */
static int
list_claims(struct reproduction *r, const struct files *f)
{
    struct err err;
    int code = EXIT_GOOD;

    for (size_t i = 0; i < f->n && code == EXIT_GOOD; i++) {
        code = reproduce_file(r, f->paths[i].name, &err);
    }
    return code == EXIT_GOOD ? code : cli_tell(code, &err);
}

static void
forget(struct reproduction *r)
{
    rec_rows_free(&r->claims, REC_CLAIM);
    rec_rows_free(&r->figures, REC_FIGURE);
}

static int
list_figures(const struct reproduction *r, const struct files *f)
{
    struct reproduction all = { .paper = r->paper, .part = r->part, .is_dry = true };
    int code = list_claims(&all, f);

    if (code == EXIT_GOOD) {
        reproduce_show_list(&all);
    }
    forget(&all);
    return code;
}

static int
check_name(const struct reproduction *r, const struct files *f)
{
    struct reproduction some = { .paper = r->paper, .part = r->part, .is_dry = true }, all = some;
    char names[NAMES_BYTES];

    some.only = r->only;
    int code = list_claims(&some, f);
    if (code == EXIT_GOOD && !some.claims.n && !some.figures.n) {
        code = list_claims(&all, f);
        reproduce_names(&all, names, sizeof names);
        code =
            code == EXIT_GOOD
                ? cli_fail(EXIT_USER, "reproduce: %s has no figure, table or file '%s'; it has %s",
                           r->paper, r->only, names)
                : code;
    }
    forget(&some);
    forget(&all);
    return code;
}

/* Samples leave nothing behind, unless they are to be kept. */
static int
reproduce_into(struct reproduction *r, const struct files *f, const char *results)
{
    char temporary[] = "/tmp/weir-reproduce-XXXXXX";
    int fd = results ? -1 : mkstemp(temporary);
    struct err err;

    if (!results && fd < 0) {
        return cli_fail(EXIT_WORLD, "reproduce: cannot create a temporary file in /tmp");
    }
    r->results = results ? results : temporary;
    r->keeps_runs = results;
    r->command_ns = moment_date_ns();
    int code = reproduce(r, f);
    struct rec_paper paper = {
        .study = r->paper, .claims = &r->claims, .figures = &r->figures, .is_part = r->only
    };
    if (code == EXIT_GOOD && results && !rec_claims_put(results, &paper, &err)) {
        code = cli_tell(EXIT_WORLD, &err);
    }
    if (!results) {
        close(fd);
        unlink(temporary);
    }
    return code;
}

struct options {
    struct verb_operands words; /* The paper, and which of its figures. */
    const char *studies, *results;
    bool is_full, is_list;
};

/* Those of the current folder, or those that were installed. */
static bool
find_study(const struct options *o, struct files *f, char folder[PATH_BYTES])
{
    char room[INSTALLED_PATH_BYTES];

    snprintf(folder, PATH_BYTES, "%.300s/%.200s", o->studies ? o->studies : "studies",
             o->words.items[0]);
    return find_files(f, o->studies ? folder : installed_or(folder, room), 1) && f->n;
}

static int
reproduce_paper(const struct options *o, struct files *f)
{
    char folder[PATH_BYTES], results[PATH_BYTES];
    const char *paper = o->words.items[0];
    struct reproduction r = { .paper = paper,
                              .only = o->words.n > 1 ? o->words.items[1] : NULL,
                              .part = o->is_full ? SCN_STUDY_WHOLE : SCN_STUDY_SAMPLE };

    snprintf(results, sizeof results, "%.300s.db", paper);
    if (!find_study(o, f, folder)) {
        return cli_fail(EXIT_USER,
                        "reproduce: no study at %s; run the command where studies/ is, or give "
                        "--studies DIR",
                        folder);
    }
    qsort(f->paths, f->n, sizeof f->paths[0], by_name);
    if (o->is_list) {
        return list_figures(&r, f);
    }
    int code = r.only ? check_name(&r, f) : EXIT_GOOD;
    if (code == EXIT_GOOD) {
        code = reproduce_into(&r, f, o->results ? o->results : o->is_full ? results : NULL);
    }
    forget(&r);
    return code;
}

#define AT(MEMBER) .offset = offsetof(struct options, MEMBER)

static const struct verb_option options[] = {
    { "--list", NULL,
      "Lists the figures, tables and statements of the paper that can be run, without running "
      "anything.",
      VERB_FLAG, AT(is_list) },
    { "--full", NULL,
      "Runs every run of every study, which can take hours. If it is interrupted, the same command "
      "continues. Without it, large studies run only a sample, which is not judged.",
      VERB_FLAG, AT(is_full) },
    { "--record", "RESULTS",
      "Keeps everything in a results file: single runs with their samples, summaries of sweeps, "
      "the claims, and what each figure draws; `weir report` shows them. Default: PAPER.db with "
      "--full; otherwise nothing is kept.",
      VERB_FILE, AT(results) },
    { "--studies", "DIR",
      "Folder with one folder per paper. Default: studies in the current folder, else those that "
      "were installed.",
      VERB_FILE, AT(studies) },
    { 0 },
};

static int
run_reproduce(void *given)
{
    struct files files = { 0 };

    cli_hear_interrupts();
    int code = reproduce_paper(given, &files);
    free(files.paths);
    return code;
}

const struct verb cli_reproduce = {
    .name = "reproduce",
    .run = run_reproduce,
    .brief = "run a paper's scenarios, and compare what was published with what is measured",
    .operands = "PAPER [FIGURE]",
    .about =
        "Runs what studies/PAPER has of a paper: scenarios under every arbitration, and studies of "
        "many runs. Shows what was published beside what is measured: = means that the claim "
        "holds, x that it does not. A claim that holds only under some arbitrations is a finding, "
        "not an error; the README in that folder says why.\n\n"
        "With FIGURE, only what one figure or table needs is run, as in fig9 or table1, or one "
        "file or folder of the study by its name; --list says which there are.",
    .examples = "  weir reproduce gfc fig9 --record fig9.db && weir report fig9.db\n",
    .options = options,
    .options_bytes = sizeof(struct options),
    .min_operands = 1,
    .max_operands = 2,
    .missing = "no paper given",
};
