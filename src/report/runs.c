/* Puts the runs of a file in order, and names them by what differs. */

#include "report/runs.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"

/* Order. */

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

/* Names. */

static void add(char name[REP_NAME_BYTES], const char *format, ...)
    __attribute__((format(printf, 2, 3)));

static void
add(char name[REP_NAME_BYTES], const char *format, ...)
{
    size_t len = strlen(name);
    va_list args;

    va_start(args, format);
    vsnprintf(name + len, REP_NAME_BYTES - len, format, args);
    va_end(args);
}

/* A line of the settings of a run, without its end. */
struct setting {
    const char *at;
    size_t len;
};

/* In order, so that finding one of very many is quick. */
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

/* The next one; false behind the last. */
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

/* What was set for every run; its items are freed by the caller. */
static struct settings
settings_of_all(const struct rep_runs *runs)
{
    struct settings shared = runs->n ? settings_of(runs->items[0].row) : (struct settings){ 0 };

    for (size_t i = 1; i < runs->n && shared.n; i++) {
        struct settings own = settings_of(runs->items[i].row);
        size_t n = 0;
        for (size_t k = 0; k < shared.n; k++) {
            if (has_setting(&own, &shared.items[k])) {
                shared.items[n++] = shared.items[k];
            }
        }
        shared.n = n;
        free(own.items);
    }
    return shared;
}

static bool
is_in_name(const struct setting *s)
{
    static const char *const told[] = { "engine=", "switch.arbitration=", "run.seed=" };

    for (size_t i = 0; i < sizeof told / sizeof *told; i++) {
        if (!strncmp(s->at, told[i], strlen(told[i]))) {
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
write_name(const struct settings *shared, struct rep_listed *r, bool has_seeds)
{
    const char *at = r->row->settings;

    add(r->name, "%s, %s", r->row->engines[0] ? r->row->engines : "no engine", r->row->arbitration);
    for (struct setting s; !is_full(r->name) && next_setting(&at, &s);) {
        if (!is_in_name(&s) && !has_setting(shared, &s)) {
            add(r->name, ", %.*s", s.len < REP_NAME_BYTES ? (int)s.len : REP_NAME_BYTES, s.at);
        }
    }
    if (has_seeds) {
        add(r->name, ", seed %" PRIu64, r->row->seed);
    }
}

/* Where names are equal, this is added to them. */

static void
add_scenario(struct rep_listed *r)
{
    add(r->name, ", %s", r->row->name);
}

/* The number is the last word, even if the name has to be cut for it. */
static void
add_number(struct rep_listed *r)
{
    char number[32];
    int len = snprintf(number, sizeof number, ", run %" PRIu64, r->row->id);

    r->name[REP_NAME_BYTES - 1 - len] = '\0';
    add(r->name, "%s", number);
}

static int
by_name(const void *a, const void *b)
{
    return strcmp((*(struct rep_listed *const *)a)->name, (*(struct rep_listed *const *)b)->name);
}

static void
tell_apart(struct rep_runs *runs, void (*more)(struct rep_listed *))
{
    struct rep_listed **sorted = array_new(runs->n, sizeof *sorted);
    bool *is_twin = array_new(runs->n + 1, sizeof *is_twin);

    for (size_t i = 0; i < runs->n; i++) {
        sorted[i] = &runs->items[i];
    }
    qsort(sorted, runs->n, sizeof *sorted, by_name);
    for (size_t i = 1; i < runs->n; i++) {
        if (!by_name(&sorted[i - 1], &sorted[i])) {
            is_twin[i - 1] = is_twin[i] = true;
        }
    }
    for (size_t i = 0; i < runs->n; i++) {
        if (is_twin[i]) {
            more(sorted[i]);
        }
    }
    free(is_twin);
    free(sorted);
}

static void
name_all(struct rep_runs *runs)
{
    bool has_seeds = false, has_scenarios = false;

    for (size_t i = 1; i < runs->n; i++) {
        const struct rec_run *row = runs->items[i].row, *first = runs->items[0].row;
        has_seeds |= row->seed != first->seed;
        has_scenarios |= strcmp(row->name, first->name) != 0;
    }
    struct settings shared = settings_of_all(runs);
    for (size_t i = 0; i < runs->n; i++) {
        write_name(&shared, &runs->items[i], has_seeds);
    }
    free(shared.items);
    if (has_scenarios) {
        tell_apart(runs, add_scenario);
    }
    tell_apart(runs, add_number);
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

/* Parts of names. */

/* The next part of a name, up to ", " outside brackets; false behind the last. */
static bool
next_part(const char **at, struct setting *part)
{
    size_t len = 0;

    for (int depth = 0; (*at)[len] && (depth > 0 || strncmp(*at + len, ", ", 2)); len++) {
        depth += ((*at)[len] == '[') - ((*at)[len] == ']');
    }
    *part = (struct setting){ *at, len };
    *at += len + ((*at)[len] ? strlen(", ") : 0);
    return len != 0;
}

static bool
has_part(const char *name, const struct setting *wanted)
{
    for (struct setting part; next_part(&name, &part);) {
        if (!by_words(&part, wanted)) {
            return true;
        }
    }
    return false;
}

static bool
all_have_part(const struct rep_listed *const *runs, size_t n, const struct setting *part)
{
    for (size_t i = 0; i < n; i++) {
        if (!has_part(runs[i]->name, part)) {
            return false;
        }
    }
    return true;
}

void
rep_runs_brief(const struct rep_listed *const *runs, size_t n, char (*brief)[REP_NAME_BYTES])
{
    for (size_t i = 0; i < n; i++) {
        const char *at = runs[i]->name;
        brief[i][0] = '\0';
        for (struct setting part; next_part(&at, &part);) {
            if (!all_have_part(runs, n, &part)) {
                add(brief[i], "%s%.*s", brief[i][0] ? ", " : "", (int)part.len, part.at);
            }
        }
        if (!brief[i][0]) {
            strcpy(brief[i], runs[i]->name);
        }
    }
}
