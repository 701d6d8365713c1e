/* `weir lab`: runs a scenario on this machine with real packets. */

#include "lab/lab.h"

#include <stdio.h>
#include <stdlib.h>

#include "base/array.h"
#include "base/json.h"
#include "base/moment.h"
#include "cli/capture-options.h"
#include "cli/cli.h"
#include "cli/compare-show.h"
#include "cli/progress.h"
#include "cli/run.h"
#include "run/capture.h"
#include "run/stopping.h"

enum { LAB_TIME_BYTES = 64 };

struct lab_options {
    struct verb_operands file;
    struct verb_words sets; /* The settings, including that of --time, whose text is in 'time'. */
    char time[LAB_TIME_BYTES];
    const char *results;
    int form; /* enum cli_form. */
    uint64_t command_ns;
    bool plans, cleans, compares, why, lists_flows, is_quiet, is_virtual;
    struct capture capture; /* In use if it has a path. */
};

/* Reads --time as a setting of the scenario, so that results files have it among the settings. */
static bool
read_time(void *options, const char *word, struct err *err)
{
    struct lab_options *o = options;

    if (o->sets.n == VERB_MAX_WORDS) {
        return err_set(err, "at most %d values can be set with --set and --time", VERB_MAX_WORDS);
    }
    if (snprintf(o->time, sizeof o->time, "run.time=%s", word) >= (int)sizeof o->time) {
        return err_set(err, "'%s' is too long for a time", word);
    }
    o->sets.items[o->sets.n++] = o->time;
    return true;
}

#define AT(MEMBER) .offset = offsetof(struct lab_options, MEMBER)

static const struct verb_option options[] = {
    { "--set", "KEY=VALUE", CLI_SET_HELP, VERB_WORDS, AT(sets) },
    { "--time", "TIME", "Runs for this long, as --set run.time=TIME does: --time 2s.", VERB_READ,
      .read = read_time },
    { "--record", "RESULTS",
      "Adds the run to a results file, as `weir run --record` does; `weir report RESULTS` shows "
      "it.",
      VERB_FILE, AT(results) },
    { "--why", NULL, CLI_WHY_HELP, VERB_FLAG, AT(why) },
    { "--compare", NULL,
      "Also simulates the same scenario, and shows both in one table; with --record, both are in "
      "the results file.",
      VERB_FLAG, AT(compares) },
    { "--virtual", NULL,
      "Runs all nodes in this process, with real frames on DPDK rings between them, and a virtual "
      "clock instead of real time. Needs DPDK, but no rights and no interfaces; the results equal "
      "those of `weir run`, packet for packet.",
      VERB_FLAG, AT(is_virtual) },
    { "--quiet", NULL, "Prints nothing while it runs.", VERB_FLAG, AT(is_quiet) },
    { "--flows", NULL, CLI_FLOWS_HELP, VERB_FLAG, AT(lists_flows) },
    { "--json", NULL, CLI_JSON_HELP, VERB_ONE_OF, AT(form), .min = CLI_JSON },
    CAPTURE_OPTIONS(struct lab_options),
    { "--plan", NULL,
      "Shows the processes, namespaces and interfaces that would be set up, and the rights that "
      "they need. Sets up nothing, and needs no rights itself.",
      VERB_FLAG, AT(plans), .group = "Options that run nothing" },
    { "--clean", NULL,
      "Removes leftovers of labs that were killed, and nothing else. Every lab also does this when "
      "it starts.",
      VERB_FLAG, AT(cleans) },
    { 0 },
};

static int
clean_labs(const struct lab_options *o)
{
    struct run_folder_cleaned done = run_folder_clean_all();

    if (o->form == CLI_JSON) {
        struct json j = { .out = stdout, .lines = 1 };
        json_open(&j, NULL, '{');
        json_number(&j, "removed_labs", done.n_labs);
        json_number(&j, "killed_processes", done.n_processes);
        json_number(&j, "running_labs", done.n_running);
        json_close(&j, '}');
        return EXIT_GOOD;
    }
    printf("removed the leftovers of %zu lab%s, killed %zu process%s\n", done.n_labs,
           value_plural(done.n_labs), done.n_processes, done.n_processes == 1 ? "" : "es");
    if (done.n_running) {
        printf("%zu lab%s still running, and left alone\n", done.n_running,
               done.n_running == 1 ? " is" : "s are");
    }
    return EXIT_GOOD;
}

/* Shows the plan of the lab. Reports errors of the scenario as a lab would report them. */
static int
show_plan(const struct lab_options *o)
{
    struct scenario s;
    struct err err;
    int code = cli_read_scenario(&s, o->file.items[0], o->sets.items, o->sets.n);

    if (code != EXIT_GOOD) {
        return code;
    }
    code = lab_check(&s, &err);
    if (code == EXIT_GOOD) {
        lab_plan_write(stdout, o->file.items[0], &s, o->form == CLI_JSON);
    } else {
        cli_print_error(code, &err);
    }
    scn_free(&s);
    return code;
}

/* Running the lab. */

/* The job of the command's first run, which is in the lab, or of its second run, which is
 * simulated. */
static struct outcome_job
job_of(const struct lab_options *o, uint64_t place)
{
    return (struct outcome_job){ .file = o->file.items[0],
                                 .sets = o->sets.items,
                                 .n_sets = o->sets.n,
                                 .n_threads = 1,
                                 .results = o->results,
                                 .command_ns = o->compares ? o->command_ns : 0,
                                 .place = place };
}

static struct capture *
capture_of(struct lab_options *o)
{
    return o->capture.path ? &o->capture : NULL;
}

static void
show_line(void *arg, const char *line)
{
    (void)arg;
    fprintf(stderr, "%s\n", line);
}

static int
run_in_lab(struct lab_options *o, struct outcome *out)
{
    struct progress progress = { 0 };
    struct outcome_watcher watcher =
        o->is_virtual ? progress_of_runs(&progress) : progress_of_labs(&progress);
    const struct lab_listener listener = { show_line, NULL };
    struct lab_request request = { .job = job_of(o, 0),
                                   .capture = &o->capture,
                                   .is_virtual = o->is_virtual,
                                   .listener = o->is_quiet ? NULL : &listener,
                                   .messages = stderr };
    bool is_seen = progress_is_wanted() && !(o->is_virtual && o->is_quiet);
    struct err err;

    request.job.watcher = is_seen ? &watcher : NULL;
    int code = lab_run(out, &request, &err);
    return code == EXIT_GOOD || code == EXIT_PROMISE ? code : cli_print_error(code, &err);
}

/* Simulates the same file, and returns an exit code. An interrupt is deferred, so that the results
 * so far are shown in any case. */
static int
simulate(const struct lab_options *o, struct compare_row *row)
{
    struct outcome_job job = job_of(o, 1);
    struct outcome simulated;

    stopping_hold(NULL, NULL);
    if (stopping_is_asked()) {
        stopping_let_go();
        return EXIT_STOPPED;
    }
    int code = outcome_run(&simulated, &job, &row->err);
    stopping_let_go();
    if (code != EXIT_GOOD && code != EXIT_PROMISE) {
        return cli_print_error(code, &row->err);
    }
    compare_sum_up(row, code, &simulated);
    outcome_free(&simulated);
    return row->is_stopped ? EXIT_STOPPED : EXIT_GOOD;
}

static void
show_both(const struct lab_options *o, const struct outcome *real, const struct compare_row rows[2])
{
    char *names[] = { (char *)real->host, "simulator" };
    struct compare c = { .axes = { { "host", names, 2, 2 } }, .n_axes = 1 };

    if (o->form != CLI_JSON) {
        printf("\n");
    }
    compare_show(&c, (enum cli_form)o->form, rows, 2);
    if (o->form != CLI_JSON && !o->is_virtual) {
        printf(
            "\nA simulated node always takes its full response time to obey a frame. A node of the "
            "lab takes only as long as it needs, and the measured tau includes that time.\n");
    }
}

/* Shows the simulated run as a second row, unless the lab was stopped. The exit code reports a
 * broken guarantee of either run. */
static int
compare_with_simulator(const struct lab_options *o, const struct outcome *real, int code)
{
    struct compare_row *rows = array_new(2, sizeof *rows);

    compare_sum_up(&rows[0], code, real);
    int second = real->is_stopped ? EXIT_STOPPED : simulate(o, &rows[1]);
    if (second == EXIT_GOOD || second == EXIT_STOPPED) {
        show_both(o, real, rows);
    }
    code = rows[1].code == EXIT_PROMISE ? EXIT_PROMISE : code;
    free(rows);
    return second == EXIT_GOOD ? code : second;
}

static int
run_and_show(struct lab_options *o)
{
    struct outcome out;
    int code;

    cli_hear_interrupts();
    code = run_in_lab(o, &out);
    if (code != EXIT_GOOD && code != EXIT_PROMISE) {
        return code;
    }
    bool is_stopped = out.is_stopped;
    if (o->form != CLI_JSON || !o->compares) {
        run_show(&out, &(struct run_show_how){
                           .form = o->form,
                           .lists_flows = o->lists_flows,
                           .capture = capture_of(o),
                       });
    }
    if (o->compares && (o->form == CLI_JSON || !is_stopped)) {
        code = compare_with_simulator(o, &out, code);
    }
    outcome_free(&out);
    return is_stopped ? EXIT_STOPPED : code;
}

static int
run_lab(void *given)
{
    struct lab_options *o = given;

    o->command_ns = moment_date_ns();
    if (o->cleans != !o->file.n) {
        return cli_fail(EXIT_USER, "lab: %s\n'weir lab --help' explains the verb",
                        o->cleans ? "--clean takes no scenario" : "no scenario given");
    }
    int code = o->why ? cli_set_why("lab", o->results, &o->sets) : EXIT_GOOD;
    return code != EXIT_GOOD ? code
           : o->cleans       ? clean_labs(o)
           : o->plans        ? show_plan(o)
                             : run_and_show(o);
}

const struct verb cli_lab = {
    .name = "lab",
    .group = VERB_REAL,
    .run = run_lab,
    .brief = "run a scenario on this machine, with real frames",
    .operands = "[FILE]",
    .about =
        "Sets a scenario up on this machine and runs it in real time: a process for each node, "
        "each in a network namespace of its own, and a pair of virtual interfaces for each link. "
        "Switches and hosts are those of the simulator, with the same engines and thresholds; "
        "frames are real ones, sent and received by DPDK. The result is shown as `weir run` shows "
        "it, with the lateness of nodes and the limit that their thresholds assume.\n\n"
        "Namespaces and interfaces disappear when the lab ends, even if it is killed. While it "
        "runs, `ps -e` shows a process for each node, as weir:S1 (`ps -ef` shows the command line "
        "of the lab for all of them), and `nsenter -t PID -n` enters the namespace of a "
        "process.\n\n"
        "It needs root, or a user who may create user namespaces; weir lab --plan shows whether it "
        "can run. Measurements with three times as many nodes as cores sustained about 100 Mb/s on "
        "each link. A lab first warns if its links are probably too fast. At the end it reports "
        "losses between two nodes.\n\n"
        "The exit code is that of `weir run`: 4 if there was a deadlock, or if packets of a "
        "lossless class were dropped or lost, though the scenario does not expect it. It is 3 also "
        "if rights or DPDK are missing, or if a process failed. With --compare it is 4 if this "
        "happened in the lab or in the simulator.",
    .examples = "  weir lab ring.yaml --plan\n"
                "  weir lab ring.yaml --record ring.db; weir report ring.db\n"
                "  weir lab ring.yaml --set engine=gfc-buffer --time 2s --compare\n"
                "  weir lab ring.yaml --virtual\n"
                "  weir lab ring.yaml --pcap ring.pcapng --snap 96\n"
                "  weir lab --clean\n",
    .options = options,
    .options_bytes = sizeof(struct lab_options),
    .max_operands = 1,
};
