/* Opens the results files of a report, and chooses among their runs. */

#include "cli/report-files.h"

#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "cli/cli.h"
#include "record/claims.h"
#include "report/plot.h"

/* As many runs of usual size as a page can hold: a browser reads all that the page embeds. */
enum { MAX_EMBEDDED_RUNS = 24 };

static void
choose(struct chosen *c, const struct rep_listed *listed)
{
    ARRAY_PUSH(c->runs, c->n, c->max) = (struct chosen_run){ .listed = listed };
}

/* All; what is drawn of them is the newest. */
static void
choose_all(struct chosen *c, const struct chosen_ask *ask)
{
    size_t most = ask->is_for_figures ? PLOT_MAX_LINES : MAX_EMBEDDED_RUNS;

    for (size_t i = 0; i < c->all.n; i++) {
        choose(c, &c->all.items[i]);
    }
    c->first_drawn = ask->draws && !ask->all && c->n > most ? c->n - most : 0;
    if (c->first_drawn) {
        cli_fail(EXIT_GOOD,
                 "report: %s has %zu runs; only the newest %zu are drawn, choose others by --run "
                 "N, or all by --all",
                 c->name, c->n, most);
    }
}

static int
choose_asked(struct chosen *c, const struct chosen_ask *ask)
{
    for (size_t k = 0; k < ask->n_runs; k++) {
        const struct rep_listed *run = rep_runs_find(&c->all, ask->runs[k]);
        if (!run) {
            return cli_fail(EXIT_USER, "report: %s has no run %llu; 'weir export %s' lists them",
                            c->name, (unsigned long long)ask->runs[k], c->name);
        }
        choose(c, run);
    }
    return EXIT_GOOD;
}

static int
choose_runs(struct chosen *c, const struct chosen_ask *ask)
{
    struct err err;
    uint64_t n_claims;

    if (!rep_runs_read(&c->all, c->file, &err) || !rec_claims_count(c->file, &n_claims, &err)) {
        return cli_tell(EXIT_WORLD, &err);
    }
    if (!c->all.n && !c->sweeps.n && !n_claims) {
        return cli_fail(EXIT_USER, "report: %s has neither runs nor sweeps nor claims of a paper",
                        c->name);
    }
    if (ask->n_runs) {
        return choose_asked(c, ask);
    }
    choose_all(c, ask);
    return EXIT_GOOD;
}

static int
choose_sweeps(struct chosen *c, const struct chosen_ask *ask)
{
    uint64_t first = ask->sweep;
    struct err err;

    if (!rec_read(c->file, REC_SWEEP, 0, first, first ? 1 : UINT32_MAX, &c->sweeps, &err)) {
        return cli_tell(EXIT_WORLD, &err);
    }
    const struct rec_sweep *sweep = c->sweeps.n ? rec_row(&c->sweeps, REC_SWEEP, 0) : NULL;
    if (first && (!sweep || sweep->id != first)) {
        return cli_fail(EXIT_USER, "report: %s has no sweep %llu; 'weir export %s' lists them",
                        c->name, (unsigned long long)first, c->name);
    }
    return EXIT_GOOD;
}

int
chosen_open(struct chosen *c, const char *name, const struct chosen_ask *ask)
{
    int code = cli_open_results(&c->file, name);

    c->name = name;
    code = code == EXIT_GOOD ? choose_sweeps(c, ask) : code;
    return code == EXIT_GOOD ? choose_runs(c, ask) : code;
}

void
chosen_name_together(struct chosen *files, size_t n_files)
{
    struct rep_listed **all = NULL;
    size_t n = 0, max = 0;

    for (size_t i = 0; i < n_files; i++) {
        for (size_t k = 0; k < files[i].all.n; k++) {
            ARRAY_PUSH(all, n, max) = &files[i].all.items[k];
        }
    }
    rep_runs_name(all, n);
    free(all);
}

void
chosen_close(struct chosen *c)
{
    if (c->file) {
        rec_read_close(c->file);
    }
    rep_runs_free(&c->all);
    rec_rows_free(&c->sweeps, REC_SWEEP);
    free(c->runs);
}

const char *
chosen_short_name(const struct chosen *c)
{
    const char *slash = strrchr(c->name, '/');

    return slash ? slash + 1 : c->name;
}

static bool
has_series_of_ports(const struct rep_run *r)
{
    for (size_t i = 0; i < r->tables[REC_SERIES].n; i++) {
        const struct rec_series *s = rep_run_at(r, REC_SERIES, i);
        if (!strcmp(s->object, "port")) {
            return true;
        }
    }
    return false;
}

bool
chosen_read_run(struct chosen *c, size_t k, struct rep_run *r, struct err *err)
{
    if (!rep_run_read_listed(r, c->file, c->runs[k].listed, err)) {
        return false;
    }
    r->file = chosen_short_name(c);
    c->runs[k].lacks_ports = !has_series_of_ports(r);
    return true;
}

void
chosen_tell_unsampled(const struct chosen *files, size_t n_files)
{
    size_t n_drawn = 0, n_lacking = 0;

    for (size_t i = 0; i < n_files; i++) {
        n_drawn += files[i].n - files[i].first_drawn;
        for (size_t k = 0; k < files[i].n; k++) {
            n_lacking += files[i].runs[k].lacks_ports;
        }
    }
    if (n_lacking) {
        cli_fail(
            EXIT_GOOD,
            "report: ports were not sampled in %zu of %zu run%s, so their queues are not drawn "
            "over time: run again with --set record.ports=all",
            n_lacking, n_drawn, value_plural(n_drawn));
    }
}
