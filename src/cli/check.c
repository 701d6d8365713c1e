/* `weir check`: determines whether a network can deadlock, without running it. */

#include "check/check.h"

#include <stdlib.h>
#include <string.h>

#include "cli/cli.h"
#include "cli/progress.h"
#include "cli/wrapped.h"

enum { NAMES_BYTES = 1000 };

_Static_assert((int)CHECK_MAX_SETS == (int)VERB_MAX_WORDS, "all settings can be read again");

struct check_options {
    struct verb_operands file;
    struct verb_words sets;
    const char *hosts, *switches;
    struct check_request request;
};

/* Options of `weir check`. */

/* Reads the value of --classes, such as "hops:4". */
static bool
read_classes(void *n_classes, const char *word, struct err *err)
{
    char *end;
    uint64_t n = !strncmp(word, "hops:", 5) ? strtoul(word + 5, &end, 10) : 0;

    *(uint64_t *)n_classes = n;
    return (n >= 1 && n <= CHECK_MAX_HOP_CLASSES && !*end) ||
           err_set(err, "takes hops:N with N from 1 to %d, not '%s'", CHECK_MAX_HOP_CLASSES, word);
}

#define AT(MEMBER) .offset = offsetof(struct check_options, MEMBER)

static const struct verb_option options[] = {
    { "--set", "KEY=VALUE", CLI_SET_HELP, VERB_WORDS, AT(sets) },
    { "--hosts", "NAMES",
      "Nodes of a containerlab file that are hosts: names or patterns, as in 'server*,nas1'. "
      "Equivalent to --set topology.hosts. A node of kind linux with several links must be named "
      "here or with --switches.",
      VERB_WORD, AT(hosts) },
    { "--switches", "NAMES",
      "Nodes of a containerlab file that are switches: names or patterns, as for --hosts. "
      "Equivalent to --set topology.switches.",
      VERB_WORD, AT(switches) },
    { "--flows", NULL,
      "Considers only the routes that packets of the scenario's flows may take, and the routes of "
      "their ACKs. Without this option: the routes between all hosts, and the paths that flows set "
      "(via).",
      VERB_FLAG, AT(request.flows) },
    { "--classes", "hops:N",
      "Assumes that a packet with h hops to go is in class h of N, or in the highest class. "
      "Without this option a packet keeps its class, unless an engine moves packets between "
      "classes (ttl).",
      VERB_READ, AT(request.n_hop_classes), .read = read_classes },
    { "--failures", "N",
      "Also finds the links whose failure would close a cycle: 1 looks at each link alone, 2 also "
      "at every pair of links. These are links between switches, and links of hosts that have "
      "several. Shows failures that are alike once, with their number.",
      VERB_NUMBER, AT(request.n_fail), .min = 1, .max = 2 },
    { "--threads", "N", "Number of threads that examine failures. Default: one per core.",
      VERB_NUMBER, AT(request.n_threads), .min = 1, .max = 256 },
    { "--dot", "FILE", "Writes a drawing of the network and its cycles, for Graphviz.", VERB_FILE,
      AT(request.dot) },
    { "--svg", "FILE", "Writes a drawing of the network and its cycles, for a browser.", VERB_FILE,
      AT(request.svg) },
    { "--scenario", "FILE",
      "Writes a scenario with flows that fill the first cycle that was found, so that `weir run` "
      "shows the deadlock. If a cycle closes only when links fail, the first such failure is part "
      "of the scenario.",
      VERB_FILE, AT(request.scenario) },
    { "--force", NULL, "Replaces the file of --scenario if it exists.", VERB_FLAG,
      AT(request.force) },
    { "--json", NULL, CLI_JSON_HELP, VERB_FLAG, AT(request.json) },
    { 0 },
};

/* Converts names such as "server*,nas1" to a value of --set: topology.hosts=["server*","nas1"]. */
static bool
add_names(struct verb_words *sets, const char *key, const char *names, char set[NAMES_BYTES])
{
    size_t len = (size_t)snprintf(set, NAMES_BYTES, "topology.%s=[", key);

    if (!names) {
        return true;
    }
    for (const char *at = names; at && len < NAMES_BYTES;) {
        size_t n = strcspn(at, ",");
        len += (size_t)snprintf(set + len, NAMES_BYTES - len, "\"%.*s\"%s", (int)n, at,
                                at[n] ? "," : "]");
        at = at[n] ? at + n + 1 : NULL;
    }
    if (len >= NAMES_BYTES || sets->n == VERB_MAX_WORDS || strpbrk(names, "\"\\")) {
        return false;
    }
    sets->items[sets->n++] = set;
    return true;
}

/* Shows the number of failures tried so far. All failures of one link are tried before failures of
 * two links. */
static void
show_failures(void *progress, size_t n_tried, size_t n_trials)
{
    progress_count(progress, "failures", n_tried, n_trials);
}

static int
run_check(void *given)
{
    struct check_options *o = given;
    char hosts[NAMES_BYTES], switches[NAMES_BYTES];
    struct wrapped wrapped;
    struct progress progress = { 0 };
    struct scenario s;
    struct err err;

    if (!add_names(&o->sets, "hosts", o->hosts, hosts) ||
        !add_names(&o->sets, "switches", o->switches, switches)) {
        return cli_fail(EXIT_USER,
                        "check: --hosts and --switches take names of nodes, or patterns, "
                        "with commas between them");
    }
    o->request.file = o->file.items[0];
    o->request.sets = o->sets.items;
    o->request.n_sets = o->sets.n;
    o->request.progress = progress_is_wanted() ? show_failures : NULL;
    o->request.arg = &progress;
    int code = cli_read_scenario(&s, o->request.file, o->sets.items, o->sets.n);
    if (code != EXIT_GOOD) {
        return code;
    }
    code = check_refuse(&s, &o->request, &err);
    if (code != EXIT_GOOD) {
        code = cli_fail(code, "%s", err.text);
    } else {
        wrapped_begin(&wrapped, !o->request.json);
        o->request.out = stdout;
        code = check_run(&s, &o->request, &err);
        wrapped_end(&wrapped);
        code = code == EXIT_USER || code == EXIT_WORLD ? cli_print_error(code, &err) : code;
    }
    scn_free(&s);
    return code;
}

const struct verb cli_check = {
    .name = "check",
    .group = VERB_PLAN,
    .run = run_check,
    .brief = "find out whether a network can deadlock, before a run",
    .operands = "FILE",
    .about =
        "Looks for cyclic buffer dependencies (credit loops) under the routing of a scenario: "
        "cycles of buffers that wait for each other. Without such a cycle a lossless network "
        "cannot deadlock. Also looks for loops of static routes.\n\n"
        "The exit code is 0 if there is neither a cycle nor a loop, 1 if there is one, 2 if the "
        "scenario has an error, 3 if a file cannot be read or written.",
    .examples = "  weir check fat-tree.yaml --failures 1 --svg cycles.svg\n  weir check torus.yaml "
                "--scenario ring.yaml ; weir run ring.yaml\n",
    .options = options,
    .options_bytes = sizeof(struct check_options),
    .min_operands = 1,
    .max_operands = 1,
    .missing = "no scenario given",
    .is_long = true,
};
