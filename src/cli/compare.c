/* `weir compare`: runs a scenario under several settings and shows them in one table. */

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/array.h"
#include "cli/cli.h"
#include "run/crew.h"
#include "run/outcome.h"
#include "run/stopping.h"
#include "run/warnings.h"

enum { MAX_AXES = 6, MAX_VALUES = 32 };

struct axis {
    char *key, *values[MAX_VALUES];
    size_t n_values;
};

struct options {
    struct verb_operands file;
    const char *results;
    struct verb_words sets;
    struct axis axes[MAX_AXES];
    size_t n_axes;
    uint64_t command_ns;
};

enum { WARNING_BYTES = 600 };

/* What one run comes to; sent through a pipe. */
struct row {
    int code;
    bool deadlock, stands, collapsed;
    weir_ps at_ps; /* The deadlock formed, or was broken. */
    uint64_t slowest_bps, fastest_bps, longest_queue_bytes, n_dropped, again_bytes;
    struct err err; /* If it could not be run. */
    char warnings[WARNINGS_MAX][WARNING_BYTES];
    size_t n_warnings;
};

/* A comma within brackets belongs to the value: [gfc-buffer, ecn]. */
static char *
end_of_value(char *v)
{
    int depth = 0;

    for (; *v && (*v != ',' || depth); v++) {
        depth += (*v == '[') - (*v == ']');
    }
    return v;
}

static bool
read_values(struct axis *a, const char *text)
{
    char *copy = strdup(text), *equals = strchr(copy, '=');

    a->key = copy;
    if (!equals || equals == copy) {
        return false;
    }
    *equals = '\0';
    for (char *v = equals + 1; v && a->n_values < MAX_VALUES;) {
        char *end = end_of_value(v);
        a->values[a->n_values++] = v;
        v = *end ? end + 1 : NULL;
        *end = '\0';
    }
    return a->values[0][0] != '\0';
}

static bool
read_axis(void *options, const char *word, struct err *err)
{
    struct options *o = options;

    if (o->n_axes == MAX_AXES) {
        return err_set(err, "may be given at most %d times", MAX_AXES);
    }
    return read_values(&o->axes[o->n_axes++], word) ||
           err_set(err, "%s: expected KEY=VALUE,VALUE", word);
}

#define AT(MEMBER) .offset = offsetof(struct options, MEMBER)

static const struct verb_option options[] = {
    { "--over", "KEY=VALUE,VALUE...",
      "Runs the scenario with each of these values. If given several times, with every "
      "combination of values.",
      VERB_READ, .read = read_axis, .repeats = true },
    { "--set", "KEY=VALUE", CLI_SET_HELP, VERB_WORDS, AT(sets) },
    { "--record", "RESULTS", "Adds all runs to a results file, as `weir run --record` does.",
      VERB_FILE, AT(results) },
    { 0 },
};

/* The i-th combination: the last key runs fastest. */
static const char *
value_of(const struct options *o, size_t axis, size_t i)
{
    for (size_t a = o->n_axes; a-- > axis + 1;) {
        i /= o->axes[a].n_values;
    }
    return o->axes[axis].values[i % o->axes[axis].n_values];
}

static size_t
count_runs(const struct options *o)
{
    size_t n = 1;
    for (size_t a = 0; a < o->n_axes; a++) {
        n *= o->axes[a].n_values;
    }
    return n;
}

/* Of all inputs, and of outputs where these have queues of their own: behind a pipeline it is the
 * outputs that overflow, while inputs are short. */
static uint64_t
longest_anywhere(const struct outcome *out)
{
    uint64_t in = outcome_longest(out, sim_queue_peak_bytes);
    uint64_t at_outputs =
        sim_keeps_outputs(out->sim) ? outcome_longest(out, sim_output_peak_bytes) : 0;

    return in > at_outputs ? in : at_outputs;
}

static void
keep_warnings(const struct outcome *out, struct row *row)
{
    struct weir_text warnings[WARNINGS_MAX];

    row->n_warnings = warnings_list(out, warnings);
    for (size_t i = 0; i < row->n_warnings; i++) {
        snprintf(row->warnings[i], WARNING_BYTES, "%.*s", WARNING_BYTES - 1, warnings[i].s);
    }
}

static void
sum_up(const struct outcome *out, struct row *row)
{
    row->deadlock = out->deadlock.found;
    row->collapsed = out->n_collapsed > 0;
    row->stands = out->deadlock.stands;
    row->at_ps = row->stands ? out->deadlock.formed_ps : out->deadlock.broken_ps;
    row->n_dropped = out->totals.n_dropped + out->totals.n_unroutable;
    row->again_bytes = out->totals.again_bytes;
    for (uint32_t f = 0; f < out->s.n_flows; f++) {
        uint64_t bps = sim_flow_late_bps(out->sim, f);
        row->slowest_bps = bps < row->slowest_bps ? bps : row->slowest_bps;
        row->fastest_bps = bps > row->fastest_bps ? bps : row->fastest_bps;
    }
    row->longest_queue_bytes = longest_anywhere(out);
    keep_warnings(out, row);
}

static bool
has_run(const struct row *row)
{
    return row->code == EXIT_GOOD || row->code == EXIT_PROMISE;
}

static struct row
run_one(const struct options *o, size_t i)
{
    const char *sets[VERB_MAX_WORDS + MAX_AXES];
    char texts[MAX_AXES][200];
    size_t n = 0;
    struct outcome out;
    struct row row = { .slowest_bps = UINT64_MAX };

    for (; n < o->sets.n; n++) {
        sets[n] = o->sets.items[n];
    }
    for (size_t a = 0; a < o->n_axes; a++) {
        snprintf(texts[a], sizeof texts[a], "%s=%s", o->axes[a].key, value_of(o, a, i));
        sets[n++] = texts[a];
    }
    row.code = outcome_run(&out,
                           &(struct outcome_job){ .file = o->file.items[0],
                                                  .sets = sets,
                                                  .n_sets = n,
                                                  .n_threads = 1,
                                                  .command_ns = o->command_ns,
                                                  .place = i,
                                                  .results = o->results },
                           &row.err);
    if (has_run(&row)) {
        sum_up(&out, &row);
        outcome_free(&out);
    }
    return row;
}

/* Runs are made by processes of a crew, as many at a time as there are cores. */

static void
work(void *arg, uint64_t i, void *row)
{
    stopping_begin_worker();
    *(struct row *)row = run_one(arg, (size_t)i);
}

static struct row
take(const struct crew_done *done)
{
    struct row row = { .code = EXIT_WORLD };

    if (done->answer) {
        return *(const struct row *)done->answer;
    }
    err_set(&row.err, "%s%s%s", done->harm, done->said[0] ? ": " : "", done->said);
    return row;
}

static int
run_all(struct options *o, struct row *rows, size_t n)
{
    long cores = sysconf(_SC_NPROCESSORS_ONLN);
    struct crew *crew = crew_new(cores > 0 ? (size_t)cores : 1, sizeof(struct row), work, o);
    struct crew_done done;
    struct err err;
    bool good = true;

    stopping_hold(NULL, NULL);
    for (size_t next = 0; good && (next < n || crew_is_busy(crew));) {
        if (stopping_is_asked()) {
            crew_stop(crew); /* Again and again: one may just have begun. */
            next = n;
        }
        while (good && next < n && crew_has_idle(crew)) {
            good = crew_give(crew, next++, &err);
        }
        if (good && crew_wait(crew, 200, &done)) {
            rows[done.number] = take(&done);
        }
    }
    crew_free(crew);
    stopping_let_go();
    return !good ? cli_fail(EXIT_WORLD, "compare: %s", err.text)
           : stopping_is_asked()
               ? cli_fail(EXIT_STOPPED, "compare: stopped before all runs were done")
               : EXIT_GOOD;
}

/* What cannot be run is worse than a broken promise: the table has a gap. */
static int
tell_refused(const struct row *rows, size_t n)
{
    int worst = EXIT_GOOD;
    bool is_broken = false;

    for (size_t i = 0; i < n; i++) {
        is_broken |= rows[i].code == EXIT_PROMISE;
        if (!has_run(&rows[i])) {
            cli_tell(rows[i].code, &rows[i].err);
            worst = rows[i].code > worst ? rows[i].code : worst;
        }
    }
    return worst == EXIT_GOOD && is_broken ? EXIT_PROMISE : worst;
}

/* Warnings, each once, with the runs that it is about. */

static bool
warns_of(const struct row *row, const char *what)
{
    for (size_t i = 0; i < row->n_warnings; i++) {
        if (!strcmp(row->warnings[i], what)) {
            return true;
        }
    }
    return false;
}

/* "engine=pfc, switch.arbitration=rr" */
static void
show_settings(const struct options *o, size_t i)
{
    for (size_t a = 0; a < o->n_axes; a++) {
        printf("%s%s=%s", a ? ", " : "", o->axes[a].key, value_of(o, a, i));
    }
}

static void
show_warning(const struct options *o, const struct row *rows, size_t n, const char *what)
{
    size_t n_about = 0, n_run = 0;

    for (size_t i = 0; i < n; i++) {
        n_run += has_run(&rows[i]);
        n_about += warns_of(&rows[i], what);
    }
    printf("warning: ");
    if (n_about == n_run) {
        printf("all runs");
    }
    for (size_t i = 0, k = 0; i < n && n_about < n_run; i++) {
        if (warns_of(&rows[i], what)) {
            printf("%s", k++ ? "; " : "");
            show_settings(o, i);
        }
    }
    printf(": %s\n", what);
}

static void
show_warnings(const struct options *o, const struct row *rows, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        for (size_t w = 0; w < rows[i].n_warnings; w++) {
            const char *what = rows[i].warnings[w];
            size_t first = 0;
            while (!warns_of(&rows[first], what)) {
                first++;
            }
            if (first == i) {
                show_warning(o, rows, n, what);
            }
        }
    }
}

static void
show(const struct options *o, const struct row *rows, size_t n)
{
    for (size_t a = 0; a < o->n_axes; a++) {
        const char *dot = strrchr(o->axes[a].key, '.');
        printf("%-15s", dot ? dot + 1 : o->axes[a].key);
    }
    printf("%-26s %-23s %14s %8s %12s\n", "", "goodput at the end", "longest queue", "dropped",
           "sent again");
    for (size_t i = 0; i < n; i++) {
        struct weir_text at = { 0 }, rates = { 0 }, queue = { 0 }, again = { 0 };
        for (size_t a = 0; a < o->n_axes; a++) {
            printf("%-15s", value_of(o, a, i));
        }
        if (!has_run(&rows[i])) {
            printf("could not be run\n");
            continue;
        }
        weir_text_add(&at,
                      rows[i].stands      ? "DEADLOCK at %T"
                      : rows[i].deadlock  ? "deadlock broken at %T"
                      : rows[i].collapsed ? "collapsed"
                                          : "no deadlock",
                      cli_rounded((uint64_t)rows[i].at_ps));
        weir_text_add(&rates, "%R", cli_rounded(rows[i].slowest_bps));
        if (cli_rounded(rows[i].slowest_bps) != cli_rounded(rows[i].fastest_bps)) {
            weir_text_add(&rates, " to %R", cli_rounded(rows[i].fastest_bps));
        }
        weir_text_add(&queue, "%B", cli_rounded(rows[i].longest_queue_bytes));
        weir_text_add(&again, "%B", cli_rounded(rows[i].again_bytes));
        printf("%-26s %-23s %14s %8llu %12s\n", at.s, rates.s, queue.s,
               (unsigned long long)rows[i].n_dropped, again.s);
    }
}

static int
compare(struct options *o)
{
    size_t n = count_runs(o);

    cli_hear_interrupts();
    o->command_ns = outcome_clock_ns();
    struct row *rows = array_new(n, sizeof *rows);
    int code = run_all(o, rows, n);

    if (code == EXIT_GOOD) {
        code = tell_refused(rows, n);
        show_warnings(o, rows, n);
        show(o, rows, n);
    }
    free(rows);
    return code;
}

static int
run(int argc, char **argv)
{
    struct options o = { 0 };
    int code;

    if (options_read(&cli_compare, argc, argv, &o, &code)) {
        code = o.n_axes
                   ? compare(&o)
                   : cli_fail(EXIT_USER,
                              "compare: --over KEY=VALUE,VALUE is needed: the values to compare");
    }
    for (size_t a = 0; a < o.n_axes; a++) {
        free(o.axes[a].key);
    }
    return code;
}

const struct verb cli_compare = {
    .name = "compare",
    .run = run,
    .brief = "run a scenario under several settings and show them in one table",
    .operands = "FILE",
    .about = "Runs a scenario once for every combination of values, several runs at the same time, "
             "and shows all of them in one table, below the warnings of the runs.\n\n"
             "The exit code is that of `weir run`: 4 if a run broke a promise, 2 or 3 if a run "
             "could not be made.",
    .examples = "  weir compare ring.yaml --over engine=pfc,cbfc \\\n"
                "      --over switch.arbitration=fifo,rr\n",
    .options = options,
    .operands_at = offsetof(struct options, file),
    .min_operands = 1,
    .max_operands = 1,
    .missing = "no scenario given",
};
