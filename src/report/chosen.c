/* Chooses the runs and sweeps of results files that a report shows. */

#include "report/chosen.h"

#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "record/claims.h"
#include "report/plot.h"

/* The number of runs of usual size that a page can hold: a browser reads all data that the page
 * embeds. */
enum { MAX_EMBEDDED_RUNS = 24 };

static void
choose(struct rep_chosen *c, const struct rep_listed *listed)
{
    ARRAY_PUSH(c->runs, c->n, c->max) = (struct rep_chosen_run){ .listed = listed };
}

/* Chooses all runs; if there are too many to draw, only the newest are drawn. */
static void
choose_all(struct rep_chosen *c, const struct rep_chosen_ask *ask)
{
    size_t most = ask->is_for_figures ? PLOT_MAX_LINES : MAX_EMBEDDED_RUNS;

    for (size_t i = 0; i < c->all.n; i++) {
        choose(c, &c->all.items[i]);
    }
    c->first_drawn = ask->draws && !ask->all && c->n > most ? c->n - most : 0;
}

static enum rep_choice
fail_missing(const struct rep_chosen *c, const char *kind, uint64_t number, struct err *err)
{
    err_set(err, "%s has no %s %llu; 'weir export %s' lists them", c->name, kind,
            (unsigned long long)number, c->name);
    return REP_NOT_THERE;
}

static enum rep_choice
choose_asked(struct rep_chosen *c, const struct rep_chosen_ask *ask, struct err *err)
{
    for (size_t k = 0; k < ask->n_runs; k++) {
        const struct rep_listed *run = rep_runs_find(&c->all, ask->runs[k]);
        if (!run) {
            return fail_missing(c, "run", ask->runs[k], err);
        }
        choose(c, run);
    }
    return REP_CHOSEN;
}

static enum rep_choice
choose_runs(struct rep_chosen *c, const struct rep_chosen_ask *ask, struct err *err)
{
    uint64_t n_claims;

    if (!rep_runs_read(&c->all, c->file, err) || !rec_claims_count(c->file, &n_claims, err)) {
        return REP_UNREADABLE;
    }
    if (!c->all.n && !c->sweeps.n && !n_claims) {
        err_set(err, "%s has neither runs nor sweeps nor claims of a paper", c->name);
        return REP_NOT_THERE;
    }
    if (ask->n_runs) {
        return choose_asked(c, ask, err);
    }
    choose_all(c, ask);
    return REP_CHOSEN;
}

static enum rep_choice
choose_sweeps(struct rep_chosen *c, const struct rep_chosen_ask *ask, struct err *err)
{
    uint64_t first = ask->sweep;

    if (!rec_read(c->file, REC_SWEEP, 0, first, first ? 1 : UINT32_MAX, &c->sweeps, err)) {
        return REP_UNREADABLE;
    }
    const struct rec_sweep *sweep = c->sweeps.n ? rec_row(&c->sweeps, REC_SWEEP, 0) : NULL;
    return first && (!sweep || sweep->id != first) ? fail_missing(c, "sweep", first, err)
                                                   : REP_CHOSEN;
}

enum rep_choice
rep_chosen_open(struct rep_chosen *c, struct rec_file *file, const char *name,
                const struct rep_chosen_ask *ask, struct err *err)
{
    c->file = file;
    c->name = name;
    enum rep_choice choice = choose_sweeps(c, ask, err);
    return choice == REP_CHOSEN ? choose_runs(c, ask, err) : choice;
}

void
rep_chosen_name_together(struct rep_chosen *files, size_t n_files)
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
rep_chosen_close(struct rep_chosen *c)
{
    rep_runs_free(&c->all);
    rec_rows_free(&c->sweeps, REC_SWEEP);
    free(c->runs);
}

const char *
rep_chosen_short_name(const struct rep_chosen *c)
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
rep_chosen_read_run(struct rep_chosen *c, size_t k, struct rep_run *r, struct err *err)
{
    if (!rep_run_read_listed(r, c->file, c->runs[k].listed, err)) {
        return false;
    }
    r->file = rep_chosen_short_name(c);
    c->runs[k].lacks_ports = !has_series_of_ports(r);
    return true;
}

void
rep_chosen_count(const struct rep_chosen *files, size_t n_files, size_t *n_drawn,
                 size_t *n_unsampled)
{
    *n_drawn = *n_unsampled = 0;
    for (size_t i = 0; i < n_files; i++) {
        *n_drawn += files[i].n - files[i].first_drawn;
        for (size_t k = 0; k < files[i].n; k++) {
            *n_unsampled += files[i].runs[k].lacks_ports;
        }
    }
}
