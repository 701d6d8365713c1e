/* `weir compare`: runs a scenario under several settings and shows them in one table. */

#include <stdlib.h>

#include "base/array.h"
#include "base/moment.h"
#include "cli/compare-show.h"
#include "cli/progress.h"
#include "output/next-step.h"

struct options {
    struct verb_operands file;
    const char *results;
    struct verb_words over, sets;
    uint64_t n_seeds;
    int form; /* enum cli_form. */
    bool why;
};

_Static_assert((int)COMPARE_MAX_SETS == (int)VERB_MAX_WORDS, "every run has all settings");

#define AT(MEMBER) .offset = offsetof(struct options, MEMBER)

static const struct verb_option options[] = {
    { "--over", "KEY=VALUE,VALUE...",
      "Runs the scenario with each of these values, such as pfc,cbfc or 1..5. If the option is "
      "given several times, runs the scenario with every combination of values.",
      VERB_WORDS, AT(over) },
    { "--set", "KEY=VALUE", CLI_SET_HELP, VERB_WORDS, AT(sets) },
    { "--seeds", "N",
      "Runs each combination with N seeds: the seed of the scenario and the next N - 1. The "
      "table has medians and ranges, and marks differences that may be due to the seed.",
      VERB_NUMBER, AT(n_seeds), .min = 2, .max = 1000 },
    { "--record", "RESULTS", "Adds all runs to a results file, as `weir run --record` does.",
      VERB_FILE, AT(results) },
    { "--why", NULL, CLI_WHY_HELP, VERB_FLAG, AT(why) },
    { "--json", NULL, "Writes the table as JSON, an object for each run with its warnings.",
      VERB_ONE_OF, AT(form), .min = CLI_JSON },
    { "--csv", NULL,
      "Writes the table as CSV, with times in seconds; warnings go to standard error.", VERB_ONE_OF,
      AT(form), .min = CLI_CSV },
    { 0 },
};

/* Checks all values before anything runs. */
static int
check_values(const struct compare *c)
{
    struct compare_wrong wrong;
    int code = compare_check(c, &wrong);

    for (size_t i = 0; i < wrong.n; i++) {
        cli_print_error(code, &wrong.errs[i]);
    }
    return code;
}

/* Reads the values to compare, and the seeds if --seeds is given. */
static int
choose_axes(struct compare *c, const struct options *o)
{
    struct err err;

    for (size_t i = 0; i < o->over.n; i++) {
        if (!compare_read_axis(c, o->over.items[i], &err)) {
            return cli_fail(EXIT_USER, "compare: --over %s", err.text);
        }
    }
    if (!c->n_axes) {
        return cli_fail(EXIT_USER,
                        "compare: --over KEY=VALUE,VALUE is needed: the values to compare");
    }
    int code = check_values(c);
    if (code != EXIT_GOOD || !o->n_seeds) {
        return code;
    }
    code = compare_add_seeds(c, &err);
    return code == EXIT_GOOD ? code : cli_print_error(code, &err);
}

static int
judge(const struct compare_row *rows, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        if (compare_is_new_failure(rows, i)) {
            cli_print_error(rows[i].code, &rows[i].err);
        }
    }
    return compare_judge(rows, n);
}

static void
show_next(const struct compare *c)
{
    if (c->results) {
        next_step_write(stdout, "weir report %s", c->results);
    } else {
        next_step_record(stdout, c->file);
    }
}

static bool
have_run(const struct compare_row *rows, size_t n)
{
    bool have = false;

    for (size_t i = 0; i < n; i++) {
        have |= compare_has_run(&rows[i]);
    }
    return have;
}

/* Whether all runs failed for the same reason. A table would then be useless. */
static bool
is_failure(const struct compare_row *rows, size_t n)
{
    size_t n_failures = 0;

    for (size_t i = 0; i < n; i++) {
        n_failures += compare_is_new_failure(rows, i);
    }
    return n_failures == 1 && !have_run(rows, n);
}

static int
compare(struct compare *c, enum cli_form form)
{
    size_t n = compare_n_runs(c);
    struct progress progress = { 0 };
    struct sweeping_watcher watcher = progress_of_sweeps(&progress);
    struct err err;

    cli_hear_interrupts();
    c->watcher = &watcher;
    c->command_ns = moment_date_ns();
    struct compare_row *rows = array_new(n, sizeof *rows);
    int code = compare_run(c, rows, n, &err);

    code = code == EXIT_GOOD ? judge(rows, n) : cli_fail(code, "compare: %s", err.text);
    if (form != CLI_TEXT || !is_failure(rows, n)) {
        compare_show(c, form, rows, n);
    }
    if (form == CLI_TEXT && have_run(rows, n)) {
        show_next(c);
    }
    free(rows);
    return code;
}

static int
run_compare(void *given)
{
    struct options *o = given;
    int code = o->why ? cli_set_why("compare", o->results, &o->sets) : EXIT_GOOD;
    struct compare c = { .file = o->file.items[0],
                         .results = o->results,
                         .sets = o->sets.items,
                         .n_sets = o->sets.n,
                         .n_seeds = o->n_seeds ? o->n_seeds : 1 };

    code = code == EXIT_GOOD ? choose_axes(&c, o) : code;
    code = code == EXIT_GOOD ? compare(&c, (enum cli_form)o->form) : code;
    compare_free(&c);
    return code;
}

const struct verb cli_compare = {
    .name = "compare",
    .group = VERB_SIMULATE,
    .run = run_compare,
    .brief = "run a scenario under several settings, in one table",
    .operands = "FILE",
    .about = "Runs a scenario once for every combination of values, several runs at the same "
             "time, and shows all of them in one table, below the warnings of the runs. For "
             "finite flows it shows how many did not finish, median and 99th "
             "percentile of completion times, and 99th percentile of slowdowns. For endless "
             "flows it shows the goodput in the second half of the run.\n\n"
             "A random workload differs with each seed. With --seeds N, each value is the "
             "median of N runs, with the range of these runs in brackets. A value is marked ~ if "
             "it differs from that of the first row, but the ranges overlap: such a difference may "
             "be due to the seed.\n\n"
             "If a value is wrong, such as a misspelt name, nothing runs. Values that cannot go "
             "together  "
             "leave a gap in the table.\n\n"
             "The exit code is that of `weir run`: 4 if a run broke a promise, 2 or 3 if a run "
             "could not be made.",
    .examples = "  weir compare ring.yaml --over engine=pfc,cbfc \\\n"
                "      --over switch.arbitration=fifo,rr\n"
                "  weir compare storage.yaml --over engines.ecn.kmin=50KB,150KB --seeds 5\n",
    .options = options,
    .options_bytes = sizeof(struct options),
    .min_operands = 1,
    .max_operands = 1,
    .missing = "no scenario given",
    .is_long = true,
};
