/* `weir check`: whether a network can deadlock, before a run. */

#include "cli/check.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "bind/bind.h"
#include "cli/check-class-changes.h"
#include "cli/cli.h"
#include "cli/draw.h"

enum { MAX_HOP_CLASSES = 64, NAMES_BYTES = 1000 };

/* Options. */

/* "hops:4" */
static bool
read_classes(void *options, const char *word, struct err *err)
{
    struct check_options *o = options;
    char *end;
    unsigned long n = !strncmp(word, "hops:", 5) ? strtoul(word + 5, &end, 10) : 0;

    o->n_hop_classes = n;
    return (n >= 1 && n <= MAX_HOP_CLASSES && !*end) ||
           err_set(err, "takes hops:N with N from 1 to %d, not '%s'", MAX_HOP_CLASSES, word);
}

#define AT(MEMBER) .offset = offsetof(struct check_options, MEMBER)

static const struct verb_option options[] = {
    { "--set", "KEY=VALUE", CLI_SET_HELP, VERB_WORDS, AT(sets) },
    { "--hosts", "NAMES",
      "Nodes of a containerlab file that are hosts: names or patterns, as in 'server*,nas1'. The "
      "same as --set topology.hosts. A node of kind linux with several links must be named here "
      "or with --switches.",
      VERB_WORD, AT(hosts) },
    { "--switches", "NAMES", "The same for nodes that are switches.", VERB_WORD, AT(switches) },
    { "--flows", NULL,
      "Considers only the routes that packets of the scenario's flows may take, and what their "
      "receivers send back (ACKs). Without it: the routes between all hosts, and the paths of "
      "flows that have their own.",
      VERB_FLAG, AT(flows) },
    { "--classes", "hops:N",
      "Assumes that a packet with h hops to go is in class h of N, or in the highest class. "
      "Without "
      "it a packet keeps its class, unless an engine moves packets between classes (ttl).",
      VERB_READ, .read = read_classes },
    { "--failures", "N",
      "Also finds the links between switches whose failure would close a ring: 1 looks at each "
      "link alone, 2 also at every pair of links. Failures that are alike are shown once, with how "
      "many there are.",
      VERB_NUMBER, AT(n_fail), .min = 1, .max = 2 },
    { "--threads", "N", "Number of threads that look at failures. Default: one per core.",
      VERB_NUMBER, AT(n_threads), .min = 1, .max = 256 },
    { "--dot", "FILE", "Writes a drawing of the network and its rings, for Graphviz.", VERB_FILE,
      AT(dot) },
    { "--svg", "FILE", "Writes a drawing of the network and its rings, for a browser.", VERB_FILE,
      AT(svg) },
    { "--scenario", "FILE",
      "Writes a scenario with flows that fill the first ring that was found, so that `weir run` "
      "shows the deadlock. If a ring closes only when links fail, the first such failure is part "
      "of the scenario.",
      VERB_FILE, AT(scenario) },
    { "--force", NULL, "Replaces the file of --scenario if it is there.", VERB_FLAG, AT(force) },
    { "--json", NULL, CLI_JSON_HELP, VERB_FLAG, AT(json) },
    { 0 },
};

/* The verb. */

static int
draw(const struct check_findings *f, const char *path,
     void (*write)(FILE *, const struct topo *, const struct depend_cycles *))
{
    FILE *out = path ? fopen(path, "w") : NULL;

    if (!path) {
        return EXIT_GOOD;
    }
    if (out) {
        write(out, &f->s->topo, &f->cycles);
    }
    bool good = out && !ferror(out);
    good = out && !fclose(out) && good;
    return good ? EXIT_GOOD
                : cli_fail(EXIT_WORLD, "check: cannot write %s: %s", path, strerror(errno));
}

/* Looks for rings on the routes, and tells. */
static int
check_routes(struct check_findings *f)
{
    check_find_rings(f);
    check_try_failures(f);
    check_try_other_routing(f);
    int code = check_write_ring(f);
    if (code != EXIT_GOOD) {
        return code;
    }
    if (f->o->json) {
        check_show_json(f);
    } else {
        check_show(f);
    }
    return f->cycles.n_components || f->failures[0].n || f->failures[1].n ? EXIT_DIFFERS
                                                                          : EXIT_GOOD;
}

/* Looks for them in the tables of an engine, and tells. */
static int
check_engine(struct check_findings *f)
{
    const struct check_class_changes_options moves = { .file = f->o->file.items[0],
                                                       .flows = f->o->flows,
                                                       .json = f->o->json,
                                                       .show_loops = check_show_loops,
                                                       .json_more = check_json_more,
                                                       .loops = f };
    return check_class_changes(f->s, &moves);
}

/* What a run would refuse is refused here, too, and warned of what it would warn of. */
static bool
foresee(struct check_findings *f, struct err *err)
{
    struct model model;
    bool fits = bind_model(f->s, &model, err);

    f->n_warnings = fits ? warnings_of_config(f->s, &model, f->warnings) : 0;
    model_free(&model);
    return fits;
}

static void
show_warnings(const struct check_findings *f)
{
    for (size_t i = 0; i < f->n_warnings && !f->o->json; i++) {
        printf("warning: %s\n", f->warnings[i].s);
    }
}

static int
check(const struct scenario *s, const struct check_options *o)
{
    struct check_findings f = { .s = s, .o = o };
    struct err err;

    if (!foresee(&f, &err)) {
        return cli_tell(EXIT_USER, &err);
    }
    topo_find_loops(&s->topo, &f.loops);
    bool by_engine = check_class_changes_applies(s) && !o->n_hop_classes;
    int found = by_engine ? check_engine(&f) : check_routes(&f);
    show_warnings(&f);
    int code = found == EXIT_USER || found == EXIT_WORLD ? found : draw(&f, o->dot, draw_dot);
    code = code == EXIT_GOOD ? draw(&f, o->svg, draw_svg) : code;
    found = f.loops.n ? EXIT_DIFFERS : found;
    check_free(&f);
    return code == EXIT_GOOD ? found : code;
}

/* Options that the scenario leaves nothing to do for, or that do not go with it. */
static int
refuse(const struct scenario *s, const struct check_options *o, const char *file)
{
    if (o->flows && !s->n_flows) {
        return cli_fail(EXIT_USER, "%s: --flows: the scenario has no flows", file);
    }
    if (o->scenario && check_class_changes_applies(s) && !o->n_hop_classes) {
        return cli_fail(
            EXIT_USER,
            "%s: --scenario: an engine moves packets between classes, so no ring fills; "
            "--set engine=pfc shows the one that it prevents",
            file);
    }
    if (o->n_hop_classes && s->routing.reroute_ps && s->n_link_events) {
        return cli_fail(EXIT_USER,
                        "%s: --classes: cannot be checked while routes change; check the routes "
                        "before the first change with --set routing.reroute=0",
                        file);
    }
    return EXIT_GOOD;
}

/* "server*,nas1" as a value of --set: topology.hosts=["server*","nas1"] */
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

static int
run(int argc, char **argv)
{
    struct check_options o = { 0 };
    char hosts[NAMES_BYTES], switches[NAMES_BYTES];
    struct scenario s;
    int code;

    if (!options_read(&cli_check, argc, argv, &o, &code)) {
        return code;
    }
    const char *file = o.file.items[0];
    if (!add_names(&o.sets, "hosts", o.hosts, hosts) ||
        !add_names(&o.sets, "switches", o.switches, switches)) {
        return cli_fail(EXIT_USER,
                        "check: --hosts and --switches take names of nodes, or patterns, "
                        "with commas between them");
    }
    code = cli_read_scenario(&s, file, o.sets.items, o.sets.n);
    if (code != EXIT_GOOD) {
        return code;
    }
    code = refuse(&s, &o, file);
    code = code == EXIT_GOOD ? check(&s, &o) : code;
    scn_free(&s);
    return code;
}

const struct verb cli_check = {
    .name = "check",
    .run = run,
    .brief = "find out whether a network can deadlock, before a run",
    .operands = "FILE",
    .about =
        "Looks for buffers that wait for each other in a ring (a cyclic buffer dependency, or "
        "credit loop) under the routing of a scenario. Without such a ring a lossless network "
        "cannot deadlock. Also looks for static routes that lead round in a loop.\n\n"
        "The exit code is 0 if there is neither, 1 if there is a ring or a loop, 2 if the scenario "
        "has an error, 3 if a file cannot be read or written.",
    .examples = "  weir check fat-tree.yaml --failures 1 --svg rings.svg\n"
                "  weir check torus.yaml --scenario ring.yaml ; weir run ring.yaml\n",
    .options = options,
    .operands_at = offsetof(struct check_options, file),
    .min_operands = 1,
    .max_operands = 1,
    .missing = "no scenario given",
};
