/* Finds the schemes of runs: the runs of a scheme differ only by their seeds. */

#include "report/run-schemes.h"

#include <stdlib.h>
#include <string.h>

#include "base/array.h"

/* A run, with its scenario in two parts, before and after the line of the seed. */
struct keyed {
    struct rep_listed *run;
    size_t file, n_before;
    const char *after;
};

/* Finds the seed, "\n seed: 3" in the section `run` of a complete scenario; else the end of the
 * text. */
static const char *
find_seed(const char *scenario)
{
    const char *section = strstr(scenario, "\nrun:\n");
    const char *seed = section ? strstr(section, "\n  seed: ") : NULL;

    return seed ? seed : scenario + strlen(scenario);
}

static struct keyed
key_of(struct rep_listed *run, size_t file)
{
    const char *seed = find_seed(run->row->scenario);

    return (struct keyed){ run, file, (size_t)(seed - run->row->scenario),
                           *seed ? seed + 1 + strcspn(seed + 1, "\n") : seed };
}

static int
order(uint64_t a, uint64_t b)
{
    return (a > b) - (a < b);
}

static int
by_scheme(const struct keyed *x, const struct keyed *y)
{
    const struct rec_run *a = x->run->row, *b = y->run->row;
    int parts[] = { order(x->file, y->file), order(x->n_before, y->n_before),
                    strcmp(a->build, b->build), strcmp(a->host, b->host) };

    for (size_t i = 0; i < sizeof parts / sizeof *parts; i++) {
        if (parts[i]) {
            return parts[i];
        }
    }
    int before = memcmp(a->scenario, b->scenario, x->n_before);
    return before ? before : strcmp(x->after, y->after);
}

static int
by_scheme_and_seed(const void *a, const void *b)
{
    const struct keyed *x = a, *y = b;
    int scheme = by_scheme(x, y);

    return scheme ? scheme : order(x->run->row->seed, y->run->row->seed);
}

/* Numbers the schemes. Runs that are equal except for the seed follow each other, sorted by seed;
 * the nth run with the same seed belongs to the nth of their schemes. */
static void
number_schemes(const struct keyed *all, size_t n)
{
    size_t first = 0, repeated = 0;

    for (size_t i = 0; i < n; i++) {
        bool is_next = i && !by_scheme(&all[i - 1], &all[i]);
        bool is_again = is_next && all[i - 1].run->row->seed == all[i].run->row->seed;
        first = is_next ? first : i;
        repeated = is_again ? repeated + 1 : 0;
        all[i].run->scheme = first + repeated;
    }
}

void
rep_schemes_find(struct rep_chosen *files, size_t n_files)
{
    struct keyed *all = NULL;
    size_t n = 0, max = 0;

    for (size_t i = 0; i < n_files; i++) {
        for (size_t k = 0; k < files[i].all.n; k++) {
            ARRAY_PUSH(all, n, max) = key_of(&files[i].all.items[k], i);
        }
    }
    array_sort(all, n, sizeof *all, by_scheme_and_seed);
    number_schemes(all, n);
    free(all);
}
