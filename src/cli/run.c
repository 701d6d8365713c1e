/* `weir run`: simulates a scenario and shows the result. */

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "bind/bind.h"
#include "cli/capture-options.h"
#include "cli/cli.h"
#include "cli/progress.h"
#include "cli/ranks.h"
#include "cli/run.h"
#include "cli/show-completion.h"
#include "explain/explain.h"
#include "output/next-step.h"
#include "topo/cut.h"

struct options {
    struct verb_operands file;
    struct verb_words sets;
    uint64_t n_threads;
    const char *results;
    int form; /* enum cli_form. */
    bool cut, is_confined, shows_progress, why, lists_flows;
    struct show_sizes sizes;
    struct capture capture; /* In use if it has a path. */
};

#define AT(MEMBER) .offset = offsetof(struct options, MEMBER)

static const struct verb_option options[] = {
    { "--set", "KEY=VALUE", CLI_SET_HELP, VERB_WORDS, AT(sets) },
    { "--threads", "N", "Number of threads. The results are the same for any number. Default: 1.",
      VERB_NUMBER, AT(n_threads), .min = 1, .max = 256 },
    { "--record", "RESULTS",
      "Adds the run to a results file: samples, events and counters. The section `record` of the "
      "scenario selects the samples. `weir export RESULTS` reads the file, `weir report RESULTS` "
      "shows it.",
      VERB_FILE, AT(results) },
    { "--why", NULL, CLI_WHY_HELP, VERB_FLAG, AT(why) },
    { "--progress", NULL,
      "Reports progress on standard error even if that is not a terminal, as under mpirun. It then "
      "prints a line every ten seconds. --quiet hides these lines. With several ranks, also "
      "reports "
      "at the end how much data the ranks exchanged.",
      VERB_FLAG, AT(shows_progress) },
    { "--json", NULL, CLI_JSON_HELP, VERB_ONE_OF, AT(form), .min = CLI_JSON },
    { "--csv", NULL, SHOW_CSV_HELP, VERB_ONE_OF, AT(form), .min = CLI_CSV },
    { "--flows", NULL, CLI_FLOWS_HELP, VERB_FLAG, AT(lists_flows) },
    { "--sizes", "SIZE,SIZE...", SHOW_SIZES_HELP, VERB_READ, AT(sizes), .read = show_sizes_read },
    { "--cut", NULL,
      "Reports on standard error how the run is cut into threads, or into ranks under mpirun, as "
      "`weir explain --cut` does.",
      VERB_FLAG, AT(cut) },
    { "--confined", NULL, CLI_CONFINED_HELP " RESULTS must end in .db.", VERB_FLAG,
      AT(is_confined) },
    CAPTURE_OPTIONS(struct options),
    { 0 },
};

/* Prints how the network was partitioned. A run does not store the partition, so the scenario is
 * read again. If that fails, the run fails, too, and then prints the reason. */
static void
print_cut(const struct options *o)
{
    uint32_t n_threads = (uint32_t)o->n_threads;
    struct scenario s;
    struct model model;
    struct err err;
    int code = (o->is_confined ? outcome_read_confined : outcome_read)(
        &s, o->file.items[0], o->sets.items, o->sets.n, &err);

    if (code != EXIT_GOOD) {
        return;
    }
    uint32_t max = topo_cut_max(&s.topo), n = ranks_all() ? ranks_all()->sim->n : n_threads;
    if (bind_model(&s, &model, &err) &&
        !explain_write_cut(stderr, &model, n < max ? n : max, false, &err)) {
        cli_print_error(EXIT_USER, &err);
    }
    model_free(&model);
    scn_free(&s);
}

static int
simulate(struct options *o, struct outcome *out)
{
    struct outcome_job job = { .file = o->file.items[0],
                               .sets = o->sets.items,
                               .n_sets = o->sets.n,
                               .n_threads = (uint32_t)o->n_threads,
                               .ranks = ranks_all(),
                               .results = o->results,
                               .is_confined = o->is_confined,
                               .capture = o->capture.path ? &o->capture : NULL };
    struct progress progress = { 0 };
    struct outcome_watcher watcher = progress_of_runs(&progress);
    struct err err;
    int code = o->is_confined && o->capture.path
                   ? run_fail(&err, EXIT_USER, "--pcap cannot be used with --confined")
                   : capture_check(&o->capture, o->results, &err);

    job.watcher =
        ranks_is_speaker() && (progress_is_wanted() || o->shows_progress) ? &watcher : NULL;
    code = code == EXIT_GOOD ? outcome_run(out, &job, &err) : code;
    capture_free(&o->capture);
    ranks_find_speaker();
    return code == EXIT_GOOD || code == EXIT_PROMISE ? code : cli_print_error(code, &err);
}

static void
show_outcome(const struct options *o, const struct outcome *out)
{
    if (o->shows_progress) {
        ranks_show_counts(out->totals.n_windows);
    }
    run_show(out, &(struct run_show_how){ o->form, o->lists_flows, &o->sizes,
                                          o->capture.path ? &o->capture : NULL });
    if (o->form == CLI_TEXT && o->results) {
        next_step_write(stdout, o->why ? "weir why %s, weir report %s" : "weir report %s",
                        o->results, o->results);
    } else if (o->form == CLI_TEXT) {
        next_step_record(stdout, o->file.items[0]);
    }
}

static int
run_scenario(void *given)
{
    struct options *o = given;
    struct outcome out;
    int code = o->why ? cli_set_why("run", o->results, &o->sets) : EXIT_GOOD;

    if (code != EXIT_GOOD) {
        return code;
    }
    cli_hear_interrupts();
    if (o->cut && ranks_is_speaker()) {
        print_cut(o);
    }
    code = simulate(o, &out);
    if (code != EXIT_GOOD && code != EXIT_PROMISE) {
        return code;
    }
    code = out.is_stopped ? EXIT_STOPPED : code;
    if (ranks_is_speaker()) {
        show_outcome(o, &out);
    }
    outcome_free(&out);
    return code;
}

const struct verb cli_run = {
    .name = "run",
    .group = VERB_SIMULATE,
    .run = run_scenario,
    .brief = "simulate a scenario: flows, queues, drops and deadlocks",
    .operands = "FILE",
    .about = "Simulates a scenario and reports flow completion times and queues, and whether the "
             "network kept its promises. The promises are: no deadlock, no packet of a lossless "
             "class dropped, no flow below a tenth of its fair share, no host or flow blocked for "
             "the last tenth of the run.\n\n"
             "The exit code is 0 if all promises were kept, or if the scenario expects that they "
             "are not (`expect`). It is 4 if a promise was broken, or if an expected deadlock did "
             "not form. It is 2 if the scenario has an error, and 3 if a file cannot be read or "
             "written. It is 130 if Ctrl-C or SIGTERM stopped the run before its end; the results "
             "so far are shown and recorded.\n\n"
             "FILE can also be a run that was recorded, as in results.db#3: its scenario is run "
             "again, with the changes of --set.\n\n"
             "Under mpirun, several processes share the network and give the same results as one "
             "process; doc/scale.md says more.",
    .examples = "  weir run ring.yaml --set engine=cbfc\n"
                "  weir run ring.yaml --record ring.db && weir report ring.db\n"
                "  weir run ring.db#1 --set run.seed=2 --record ring.db\n",
    .options = options,
    .options_bytes = sizeof(struct options),
    .defaults = &(const struct options){ .n_threads = 1 },
    .min_operands = 1,
    .max_operands = 1,
    .missing = "no scenario given",
    .is_for_ranks = true,
    .is_long = true,
};
