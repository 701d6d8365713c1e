/* Sorts the runs of a file, and names them by their differences. */

#include "report/runs.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"

/* The order of runs. */

static int
order(uint64_t a, uint64_t b)
{
    return (a > b) - (a < b);
}

static int
by_command(const void *a, const void *b)
{
    const struct rec_run *x = ((const struct rep_listed *)a)->row;
    const struct rec_run *y = ((const struct rep_listed *)b)->row;
    int command = order(x->command_ns, y->command_ns), place = order(x->place, y->place);

    return command ? command : place ? place : order(x->id, y->id);
}

/* The names of runs. */

static void add(char name[REP_NAME_BYTES], const char *format, ...)
    __attribute__((format(printf, 2, 3)));

/* Adds a part to a name, after a comma if it is not the first. */
static void
add(char name[REP_NAME_BYTES], const char *format, ...)
{
    size_t len = strlen(name);
    va_list args;

    len += (size_t)snprintf(name + len, REP_NAME_BYTES - len, "%s", len ? ", " : "");
    len = len < REP_NAME_BYTES ? len : REP_NAME_BYTES - 1;
    va_start(args, format);
    vsnprintf(name + len, REP_NAME_BYTES - len, format, args);
    va_end(args);
}

/* One line of a run's settings, without its newline. */
struct setting {
    const char *at;
    size_t len;
};

/* Settings that are sorted, so that one of many is found quickly. */
struct settings {
    struct setting *items;
    size_t n, max;
};

static int
by_words(const void *a, const void *b)
{
    const struct setting *x = a, *y = b;
    int words = memcmp(x->at, y->at, x->len < y->len ? x->len : y->len);

    return words ? words : order(x->len, y->len);
}

static bool
has_setting(const struct settings *s, const struct setting *wanted)
{
    return s->n && bsearch(wanted, s->items, s->n, sizeof *s->items, by_words);
}

/* Reads the next setting; returns false after the last one. */
static bool
next_setting(const char **at, struct setting *s)
{
    *s = (struct setting){ *at, strcspn(*at, "\n") };
    *at += s->len + (s->at[s->len] == '\n');
    return s->len != 0;
}

static struct settings
settings_of(const struct rec_run *run)
{
    struct settings all = { 0 };
    const char *at = run->settings;

    for (struct setting s; next_setting(&at, &s);) {
        ARRAY_PUSH(all.items, all.n, all.max) = s;
    }
    if (all.n) {
        qsort(all.items, all.n, sizeof *all.items, by_words);
    }
    return all;
}

/* The settings that all runs share; the caller frees the items. */
static struct settings
settings_of_all(struct rep_listed *const *runs, size_t n)
{
    struct settings shared = n ? settings_of(runs[0]->row) : (struct settings){ 0 };

    for (size_t i = 1; i < n && shared.n; i++) {
        struct settings own = settings_of(runs[i]->row);
        size_t n_left = 0;
        for (size_t k = 0; k < shared.n; k++) {
            if (has_setting(&own, &shared.items[k])) {
                shared.items[n_left++] = shared.items[k];
            }
        }
        shared.n = n_left;
        free(own.items);
    }
    return shared;
}

/* The properties that differ among some runs, and the settings that all runs share. */
struct differences {
    bool scenario, engines, arbitration, host, seed;
    struct settings shared;
};

static struct differences
find_differences(struct rep_listed *const *runs, size_t n)
{
    struct differences d = { .shared = settings_of_all(runs, n) };

    for (size_t i = 1; i < n; i++) {
        const struct rec_run *row = runs[i]->row, *first = runs[0]->row;
        d.scenario |= strcmp(row->name, first->name) != 0;
        d.engines |= strcmp(row->engines, first->engines) != 0;
        d.arbitration |= strcmp(row->arbitration, first->arbitration) != 0;
        d.host |= strcmp(row->host, first->host) != 0;
        d.seed |= row->seed != first->seed;
    }
    return d;
}

/* Whether a name shows the setting in another form. */
static bool
is_in_name(const struct setting *s)
{
    static const char *const in_name[] = { "engine=", "switch.arbitration=", "run.seed=" };

    for (size_t i = 0; i < sizeof in_name / sizeof *in_name; i++) {
        if (!strncmp(s->at, in_name[i], strlen(in_name[i]))) {
            return true;
        }
    }
    return false;
}

static bool
is_full(const char name[REP_NAME_BYTES])
{
    return strlen(name) == REP_NAME_BYTES - 1;
}

static void
add_settings(char name[REP_NAME_BYTES], const struct rec_run *row, const struct settings *shared)
{
    const char *at = row->settings;

    for (struct setting s; !is_full(name) && next_setting(&at, &s);) {
        if (!is_in_name(&s) && !has_setting(shared, &s)) {
            add(name, "%.*s", s.len < REP_NAME_BYTES ? (int)s.len : REP_NAME_BYTES, s.at);
        }
    }
}

static void
write_name(char name[REP_NAME_BYTES], const struct rec_run *row, const struct differences *d,
           bool with_seed)
{
    const char *engines = row->engines[0] ? row->engines : "no engine";

    name[0] = '\0';
    if (d->scenario) {
        add(name, "%s", row->name);
    }
    if (d->engines) {
        add(name, "%s", engines);
    }
    if (d->arbitration) {
        add(name, "%s", row->arbitration);
    }
    if (d->host) {
        add(name, "%s", row->host);
    }
    add_settings(name, row, &d->shared);
    if (d->seed && with_seed) {
        add(name, "seed %" PRIu64, row->seed);
    }
    if (!name[0]) {
        add(name, "%s", engines);
        add(name, "%s", row->arbitration);
    }
    /* Runs of the simulator have no such part, so they differ from the others. */
    if (!d->host && strcmp(row->host, "simulator")) {
        add(name, "%s", row->host);
    }
}

void
rep_runs_name(struct rep_listed *const *runs, size_t n)
{
    struct differences d = find_differences(runs, n);

    for (size_t i = 0; i < n; i++) {
        write_name(runs[i]->name, runs[i]->row, &d, true);
        write_name(runs[i]->scheme_name, runs[i]->row, &d, false);
    }
    free(d.shared.items);
}

static void
name_all(struct rep_runs *runs)
{
    struct rep_listed **all = array_new(runs->n, sizeof *all);

    for (size_t i = 0; i < runs->n; i++) {
        all[i] = &runs->items[i];
    }
    rep_runs_name(all, runs->n);
    free(all);
}

bool
rep_runs_read(struct rep_runs *runs, struct rec_file *file, struct err *err)
{
    *runs = (struct rep_runs){ 0 };
    if (!rec_read_all(file, REC_RUN, 0, &runs->rows, err)) {
        rep_runs_free(runs);
        return false;
    }
    runs->n = runs->rows.n;
    runs->items = array_new(runs->n, sizeof *runs->items);
    for (size_t i = 0; i < runs->n; i++) {
        runs->items[i].row = rec_row(&runs->rows, REC_RUN, i);
    }
    qsort(runs->items, runs->n, sizeof *runs->items, by_command);
    name_all(runs);
    return true;
}

void
rep_runs_free(struct rep_runs *runs)
{
    rec_rows_free(&runs->rows, REC_RUN);
    free(runs->items);
    *runs = (struct rep_runs){ 0 };
}

const struct rep_listed *
rep_runs_find(const struct rep_runs *runs, uint64_t id)
{
    for (size_t i = 0; i < runs->n; i++) {
        if (runs->items[i].row->id == id) {
            return &runs->items[i];
        }
    }
    return NULL;
}
