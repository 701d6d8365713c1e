/* Finds the axes of a sweep by the names that the user gave, and makes the table. */

#include "cli/report-shown.h"

#include <string.h>

#include "base/text.h"
#include "cli/cli.h"

enum { MAX_CELLS = 1000000 };

int
shown_read_sweep(struct rep_sweep *s, const struct rep_chosen *c, size_t i)
{
    const struct rec_sweep *sweep = rec_row(&c->sweeps, REC_SWEEP, i);
    struct err err;

    return cli_print_error_unless(rep_sweep_read(s, c->file, sweep->id, UINT32_MAX, &err), &err);
}

/* Axes by name. */

static int
unknown(const char *kind, const char *name, const char *const *names, size_t stride, size_t n,
        const char *lister)
{
    char offer[2000];

    text_offer(name, names, stride, n, offer, sizeof offer);
    return cli_fail(EXIT_USER, "report: the sweep has no %s '%s'%s", kind, name,
                    *offer ? offer : lister);
}

/* Finds a setting by its name. Without a name, the column is unchanged. */
static int
find_setting(const struct rep_sweep *s, const char *name, size_t *column)
{
    *column = name ? rep_sweep_setting(s, name) : *column;
    return !name || *column != REP_NO_COLUMN
               ? EXIT_GOOD
               : unknown("setting", name,
                         s->n_settings ? (const char *const *)&s->settings->name : NULL,
                         sizeof s->settings[0], s->n_settings, "; see the 'over' of its study");
}

static int
find_metric(const struct rep_sweep *s, const char *name, size_t *column)
{
    *column = name ? rep_sweep_metric(s, name) : *column;
    return !name || *column != REP_NO_COLUMN
               ? EXIT_GOOD
               : unknown("metric", name,
                         s->n_metrics ? (const char *const *)&s->metrics->name : NULL,
                         sizeof s->metrics[0], s->n_metrics, "; 'weir facts' lists them");
}

/* Drops axes that the user did not name if their setting is already on another axis. */
static void
keep_apart(const struct sweep_ask *ask, struct rep_axes *a)
{
    if (!ask->lines && a->lines == a->by) {
        a->lines = REP_NO_COLUMN;
    }
    if (!ask->panels && (a->panels == a->by || a->panels == a->lines)) {
        a->panels = REP_NO_COLUMN;
    }
}

/* Refuses a setting that the user named for two axes. */
static int
refuse_twins(const struct sweep_ask *ask)
{
    const struct {
        const char *option, *setting;
    } axes[] = { { "--by", ask->by }, { "--lines", ask->lines }, { "--panels", ask->panels } };

    for (size_t i = 0; i < 3; i++) {
        for (size_t k = 0; k < i; k++) {
            if (axes[i].setting && axes[k].setting && !strcmp(axes[i].setting, axes[k].setting)) {
                return cli_fail(EXIT_USER, "report: %s and %s are the same setting, %s",
                                axes[k].option, axes[i].option, axes[i].setting);
            }
        }
    }
    return EXIT_GOOD;
}

static size_t
n_values(const struct rep_sweep *s, size_t setting)
{
    return setting == REP_NO_COLUMN ? 1 : s->settings[setting].n_values;
}

static int
check_axes(const struct rep_sweep *s, const struct rep_axes *a)
{
    double n_cells =
        (double)n_values(s, a->by) * (double)n_values(s, a->lines) * (double)n_values(s, a->panels);

    if (a->by == REP_NO_COLUMN || a->metric == REP_NO_COLUMN) {
        return cli_fail(EXIT_USER, "report: no run of sweep %llu has come to an end yet",
                        (unsigned long long)rep_sweep_row(s)->id);
    }
    return n_cells <= MAX_CELLS ? EXIT_GOOD
                                : cli_fail(EXIT_USER,
                                           "report: these settings have %.0f combinations, more "
                                           "than a table can show",
                                           n_cells);
}

/* Finds the axes. If the user gave only --by, medians and quartiles are over all other settings. */
static int
find_axes(const struct rep_sweep *s, const struct sweep_ask *ask, struct rep_axes *a)
{
    *a = rep_sweep_first_axes(s);
    if (ask->by) {
        a->lines = a->panels = REP_NO_COLUMN;
    }
    int code = refuse_twins(ask);
    code = code == EXIT_GOOD ? find_metric(s, ask->metric, &a->metric) : code;
    code = code == EXIT_GOOD ? find_setting(s, ask->by, &a->by) : code;
    code = code == EXIT_GOOD ? find_setting(s, ask->lines, &a->lines) : code;
    code = code == EXIT_GOOD ? find_setting(s, ask->panels, &a->panels) : code;
    keep_apart(ask, a);
    return code == EXIT_GOOD ? check_axes(s, a) : code;
}

int
shown_make(struct shown *v, const struct rep_chosen *c, size_t i, const struct sweep_ask *ask)
{
    *v = (struct shown){ 0 };
    int code = shown_read_sweep(&v->sweep, c, i);

    code = code == EXIT_GOOD ? find_axes(&v->sweep, ask, &v->axes) : code;
    if (code == EXIT_GOOD) {
        v->table = rep_table_make(&v->sweep, &v->axes);
    }
    return code;
}

void
shown_free(struct shown *v)
{
    rep_table_free(&v->table);
    rep_sweep_free(&v->sweep);
}
