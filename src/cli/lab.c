/* `weir lab`: a scenario on this machine, for real. */

#include <stdio.h>

#include "base/json.h"
#include "cli/capture-options.h"
#include "cli/lab.h"
#include "lab/lab.h"
#include "run/outcome.h"

/* It is a value of the scenario like others, so that the results say that it was set. */
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
      "Then simulates the same scenario and shows both in one table; with --record, both are in "
      "the results file.",
      VERB_FLAG, AT(compares) },
    { "--virtual", NULL,
      "Runs all nodes in this process, with real frames on rings between them and a clock of their "
      "own instead of real time. Needs DPDK, but no rights and no interfaces; the results are "
      "those of `weir run`, to the packet.",
      VERB_FLAG, AT(is_virtual) },
    { "--quiet", NULL, "Says nothing while it runs.", VERB_FLAG, AT(is_quiet) },
    { "--json", NULL, CLI_JSON_HELP, VERB_ONE_OF, AT(form), .min = CLI_JSON },
    CAPTURE_OPTIONS(struct lab_options),
    { "--plan", NULL,
      "Shows the processes, namespaces and interfaces that would be set up, and what rights that "
      "needs. Sets up nothing, and needs no rights itself.",
      VERB_FLAG, AT(plans), .group = "Options that run nothing" },
    { "--clean", NULL,
      "Removes what labs that were killed have left, and nothing else. Every lab does so when it "
      "starts, too.",
      VERB_FLAG, AT(cleans) },
    { 0 },
};

static int
clean(const struct lab_options *o)
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
    printf("removed what %zu lab%s had left, killed %zu process%s\n", done.n_labs,
           done.n_labs == 1 ? "" : "s", done.n_processes, done.n_processes == 1 ? "" : "es");
    if (done.n_running) {
        printf("%zu lab%s still running, and left alone\n", done.n_running,
               done.n_running == 1 ? " is" : "s are");
    }
    return EXIT_GOOD;
}

/* It says what is wrong with the scenario as a lab would. */
static int
plan(const struct lab_options *o)
{
    struct scenario s;
    struct err err;
    int code = cli_read_scenario(&s, o->file.items[0], o->sets.items, o->sets.n);

    if (code != EXIT_GOOD) {
        return code;
    }
    code = lab_check(&s, &err);
    if (code == EXIT_GOOD) {
        lab_plan_show(o->file.items[0], &s, o->form);
    } else {
        cli_tell(code, &err);
    }
    scn_free(&s);
    return code;
}

static int
run(int argc, char **argv)
{
    struct lab_options o = { .command_ns = outcome_clock_ns() };
    int code;

    if (!options_read(&cli_lab, argc, argv, &o, &code)) {
        return code;
    }
    if (o.cleans != !o.file.n) {
        return cli_fail(EXIT_USER, "lab: %s\n'weir lab --help' explains the verb",
                        o.cleans ? "--clean takes no scenario" : "no scenario given");
    }
    code = o.why ? cli_set_why("lab", o.results, &o.sets) : EXIT_GOOD;
    return code != EXIT_GOOD ? code : o.cleans ? clean(&o) : o.plans ? plan(&o) : lab_run(&o);
}

const struct verb cli_lab = {
    .name = "lab",
    .run = run,
    .brief = "run a scenario on this machine, with real frames",
    .operands = "[FILE]",
    .about =
        "Sets a scenario up on this machine and runs it in real time: a process for each node, "
        "each in a network namespace of its own, and a pair of virtual interfaces for each link. "
        "Switches and hosts are those of the simulator, with the same engines and thresholds; "
        "frames are real ones, sent and received by DPDK. What came of it is shown as `weir run` "
        "shows it, with how late nodes were beside what their thresholds were derived for.\n\n"
        "Namespaces and interfaces are gone when the lab ends, however it ends. While it runs, "
        "`ps -e` shows a process for each node, as weir:S1 (`ps -ef` shows their command line, "
        "which is that of the lab), and `nsenter -t NUMBER -n` enters the namespace of the process "
        "that has this number.\n\n"
        "It needs to be root, or a user who may have user namespaces; weir lab --plan tells. With "
        "three times as many nodes as cores, some 100Mbps on each link were measured to hold; a "
        "lab whose links are likely to be too fast says so first, and what was lost between two "
        "nodes at the end.\n\n"
        "The exit code is that of `weir run`: 4 if there was a deadlock, or if packets of a "
        "lossless class were dropped or lost, though the scenario does not expect it; 3 also if "
        "rights or DPDK are missing, or if a "
        "process came to harm. With --compare it is 4 if that was so in the lab or in the "
        "simulator.",
    .examples = "  weir lab ring.yaml --plan\n"
                "  weir lab ring.yaml --record ring.db; weir report ring.db\n"
                "  weir lab ring.yaml --set engine=gfc-buffer --time 2s --compare\n"
                "  weir lab ring.yaml --virtual\n"
                "  weir lab ring.yaml --pcap ring.pcapng --snap 96\n"
                "  weir lab --clean\n",
    .options = options,
    .operands_at = offsetof(struct lab_options, file),
    .max_operands = 1,
};
