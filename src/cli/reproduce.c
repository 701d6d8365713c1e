/* `weir reproduce`: shows what a paper published beside what was measured. */

#include "run/reproduction.h"

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/array.h"
#include "cli/cli.h"
#include "cli/progress.h"
#include "cli/value.h"
#include "record/claims.h"
#include "sim/sim.h"
#include "weir/field.h"

enum { PATH_BYTES = 600, HEAD_BYTES = 300 };

struct path {
    char name[PATH_BYTES];
};

struct files {
    struct path *paths;
    size_t n, max;
};

static int
by_name(const void *a, const void *b)
{
    return strcmp(a, b);
}

static bool
ends_with(const char *word, const char *end)
{
    size_t len = strlen(word), n = strlen(end);
    return len > n && !strcmp(word + len - n, end);
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
        } else if (ends_with(path.name, ".yaml")) {
            ARRAY_PUSH(f->paths, f->n, f->max) = path;
        }
    }
    closedir(dir);
    return true;
}

/* Showing. */

static const struct rec_claim *
row_at(const struct reproduction *r, size_t i)
{
    return i < r->claims.n ? rec_row(&r->claims, REC_CLAIM, i) : NULL;
}

static void
show_cell(const struct rec_claim *row)
{
    char value[40];

    value_write(row->unit, row->measured, value, sizeof value);
    printf(" %9s %c", value, row->holds == REC_NONE ? ' ' : row->holds ? '=' : 'x');
}

/* What single runs came to, where there is one column and so room for it. */
static void
show_range(const struct rec_claim *row)
{
    char lowest[40], highest[40];

    if (row->n_runs > 1 && row->lowest >= 0) {
        value_write(row->unit, row->lowest, lowest, sizeof lowest);
        value_write(row->unit, row->highest, highest, sizeof highest);
        printf("  %s to %s in single runs", lowest, highest);
    }
}

/* How many rows from 'first' on are of one claim: until an arbitration comes again. */
static size_t
count_rows(const struct reproduction *r, size_t first)
{
    const struct rec_claim *row = row_at(r, first), *next;
    size_t n = 1;

    while ((next = row_at(r, first + n)) && !strcmp(next->scenario, row->scenario) &&
           !strcmp(next->source, row->source) && !strcmp(next->engine, row->engine) &&
           !strcmp(next->what, row->what) && strcmp(next->arbitration, row->arbitration)) {
        n++;
    }
    return n;
}

static const struct rec_claim *
find_row(const struct reproduction *r, size_t first, size_t n, const char *arbitration)
{
    for (size_t i = first; i < first + n; i++) {
        if (!strcmp(row_at(r, i)->arbitration, arbitration)) {
            return row_at(r, i);
        }
    }
    return NULL;
}

/* The arbitration of a column, if some claim from 'from' on has it; else null. */
static const char *
column_name(const struct reproduction *r, size_t from, size_t a)
{
    const char *name = weir_plugin_name(&sim_arbitrations, a);

    return find_row(r, from, r->claims.n - from, name) ? name : NULL;
}

/* A cell for each arbitration that claims from 'from' on have; or, where there is only one, its
 * cell and the range in which single runs lie. */
static void
show_cells(const struct reproduction *r, size_t from, size_t first, size_t n)
{
    const struct rec_claim *cell = NULL;
    bool is_last = false;

    for (size_t a = 0; !is_last && weir_plugin_name(&sim_arbitrations, a); a++) {
        const char *name = column_name(r, from, a);
        cell = name ? find_row(r, first, n, name) : NULL;
        if (!name) {
            continue;
        }
        if (cell) {
            show_cell(cell);
        } else {
            printf(" %9s  ", "");
        }
        is_last = cell && n == 1;
    }
    if (is_last) {
        show_range(cell);
    }
}

static void
show_claim(const struct reproduction *r, size_t from, size_t first, size_t n)
{
    const struct rec_claim *row = row_at(r, first);
    bool is_bound = row->sign[0] != '=';
    char published[40];

    snprintf(published, sizeof published, "%s", is_bound ? row->sign : "");
    value_write(row->unit, row->published, published + is_bound, sizeof published - is_bound);
    printf("%-19s %-14s %-30s %9s ", row->source, row->engine, row->what, published);
    if (!row->arbitration[0]) {
        show_cell(row);
        show_range(row);
    } else {
        show_cells(r, from, first, n);
    }
    printf("\n");
}

/* Names the columns of the claims from 'from' on, unless those before have the same. */
static void
show_head(const struct reproduction *r, size_t from, char shown[HEAD_BYTES])
{
    char head[HEAD_BYTES] = "";

    for (size_t a = 0; weir_plugin_name(&sim_arbitrations, a); a++) {
        if (column_name(r, from, a)) {
            snprintf(head + strlen(head), sizeof head - strlen(head), " %9s  ",
                     column_name(r, from, a));
        }
    }
    if (!head[0]) {
        snprintf(head, sizeof head, " %9s", "measured");
    }
    if (from < r->claims.n && strcmp(head, shown)) {
        printf("%s%-19s %-14s %-30s %9s %s\n", shown[0] ? "\n" : "", "", "", "", "published", head);
        snprintf(shown, HEAD_BYTES, "%s", head);
    }
}

/* The claims from 'from' on: those of one file. */
static void
show_claims(const struct reproduction *r, size_t from, char head[HEAD_BYTES])
{
    const char *shown = "";

    show_head(r, from, head);
    for (size_t first = from; first < r->claims.n;) {
        size_t n = count_rows(r, first);
        if (strcmp(shown, row_at(r, first)->scenario)) {
            shown = row_at(r, first)->scenario;
            printf("\n%s\n", shown);
        }
        show_claim(r, from, first, n);
        first += n;
    }
    fflush(stdout);
}

/* Shows how many claims hold under an arbitration; false if none was judged. */
static bool
show_holding(const struct reproduction *r, const char *arbitration, const char *before)
{
    size_t n_judged = 0, n_holding = 0;

    for (size_t i = 0; i < r->claims.n; i++) {
        const struct rec_claim *row = row_at(r, i);
        if (!strcmp(row->arbitration, arbitration) && row->holds != REC_NONE) {
            n_judged++;
            n_holding += row->holds;
        }
    }
    if (n_judged) {
        printf("%s %zu of %zu %s%s", before, n_holding, n_judged,
               arbitration[0] ? "under " : "by arithmetic", arbitration);
    }
    return n_judged > 0;
}

static void
show_sum(const struct reproduction *r)
{
    bool has_shown = false;

    printf("\n%llu claims; those that hold, of those that were judged:",
           (unsigned long long)r->n_claims);
    for (size_t a = 0; weir_plugin_name(&sim_arbitrations, a); a++) {
        has_shown |= show_holding(r, weir_plugin_name(&sim_arbitrations, a), has_shown ? "," : "");
    }
    has_shown |= show_holding(r, "", has_shown ? "," : "");
    printf("%s\n", has_shown ? "" : " none, as a sample decides nothing; --full runs all of it");
}

/* Running. */

static int
reproduce(struct reproduction *r, const struct files *f)
{
    struct progress progress = { 0 };
    struct outcome_watcher runs = progress_of_runs(&progress);
    struct sweeping_watcher sweeps = progress_of_sweeps(&progress);
    char head[HEAD_BYTES] = "";

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
        show_claims(r, n_before, head);
    }
    show_sum(r);
    return EXIT_GOOD;
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
    int code = reproduce(r, f);
    if (code == EXIT_GOOD && results && !rec_claims_put(results, r->paper, &r->claims, &err)) {
        code = cli_fail(EXIT_WORLD, "%s", err.text);
    }
    if (!results) {
        close(fd);
        unlink(temporary);
    }
    return code;
}

struct options {
    struct verb_operands paper;
    const char *studies, *results;
    bool is_full;
};

static int
reproduce_paper(const struct options *o, struct files *f)
{
    char folder[PATH_BYTES], results[PATH_BYTES];
    const char *paper = o->paper.items[0];
    struct reproduction r = { .paper = paper,
                              .part = o->is_full ? SCN_STUDY_WHOLE : SCN_STUDY_SAMPLE };

    snprintf(folder, sizeof folder, "%.300s/%.200s", o->studies, paper);
    snprintf(results, sizeof results, "%.300s.db", paper);
    if (!find_files(f, folder, 1) || !f->n) {
        return cli_fail(EXIT_USER,
                        "reproduce: no study at %s; run the command where studies/ is, or give "
                        "--studies DIR",
                        folder);
    }
    qsort(f->paths, f->n, sizeof f->paths[0], by_name);
    int code = reproduce_into(&r, f, o->results ? o->results : o->is_full ? results : NULL);
    rec_rows_free(&r.claims, REC_CLAIM);
    return code;
}

#define AT(MEMBER) .offset = offsetof(struct options, MEMBER)

static const struct verb_option options[] = {
    { "--full", NULL,
      "Runs every run of every study, which can take hours. If it is interrupted, the same command "
      "continues. Without it, large studies run only a sample, which is not judged.",
      VERB_FLAG, AT(is_full) },
    { "--record", "RESULTS",
      "Keeps the runs and the claims in a results file. Default: PAPER.db with --full; otherwise "
      "nothing is kept.",
      VERB_FILE, AT(results) },
    { "--studies", "DIR", "Folder with one folder per paper. Default: studies.", VERB_FILE,
      AT(studies) },
    { 0 },
};

static int
run(int argc, char **argv)
{
    struct options o = { .studies = "studies" };
    struct files files = { 0 };
    int code;

    if (!options_read(&cli_reproduce, argc, argv, &o, &code)) {
        return code;
    }
    code = reproduce_paper(&o, &files);
    free(files.paths);
    return code;
}

const struct verb cli_reproduce = {
    .name = "reproduce",
    .run = run,
    .brief = "run a paper's scenarios, and compare what was published with what is measured",
    .operands = "PAPER",
    .about =
        "Runs what studies/PAPER has of a paper: scenarios under every arbitration, and studies of "
        "many runs. Shows what was published beside what is measured: = means that the claim "
        "holds, x that it does not. A claim that holds only under some arbitrations is a finding, "
        "not an error; the README in that folder says why.",
    .options = options,
    .operands_at = offsetof(struct options, paper),
    .min_operands = 1,
    .max_operands = 1,
    .missing = "no paper given",
};
