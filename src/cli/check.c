/* `weir check`: whether a network can deadlock, before a run. */

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "base/json.h"
#include "bind/bind.h"
#include "bind/traffic.h"
#include "cli/check-moves.h"
#include "cli/check-scenario.h"
#include "cli/cli.h"
#include "cli/draw.h"
#include "run/outcome.h"
#include "run/warnings.h"

enum { MAX_CYCLES = 4, MAX_LOOPS_SHOWN = 20, MAX_FAILURES_SHOWN = 20, MAX_HOP_CLASSES = 64 };

struct options {
    struct verb_operands file;
    struct verb_words sets;
    const char *dot, *svg, *scenario;
    uint64_t n_fail, n_threads, n_hop_classes;
    bool flows, json, force;
};

/* What was found. */
struct findings {
    const struct scenario *s;
    const struct options *o;
    struct bind_traffic bound;
    struct depend_traffic traffic; /* The same, with classes as they are asked for. */
    struct depend *graph;
    struct depend_cycles cycles;
    struct topo_loops loops;
    struct depend_failures failures[2]; /* Of one link, of two. */
    struct weir_text warnings[WARNINGS_FORESEEN_MAX];
    size_t n_warnings;
    struct check_scenario_result written; /* If n_flows is not 0. */
};

/* Options. */

/* "hops:4" */
static bool
read_classes(void *options, const char *word, struct err *err)
{
    struct options *o = options;
    char *end;
    unsigned long n = !strncmp(word, "hops:", 5) ? strtoul(word + 5, &end, 10) : 0;

    o->n_hop_classes = n;
    return (n >= 1 && n <= MAX_HOP_CLASSES && !*end) ||
           err_set(err, "takes hops:N with N from 1 to %d, not '%s'", MAX_HOP_CLASSES, word);
}

#define AT(MEMBER) .offset = offsetof(struct options, MEMBER)

static const struct verb_option options[] = {
    { "--set", "KEY=VALUE", CLI_SET_HELP, VERB_WORDS, AT(sets) },
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
      "shows the deadlock. If only failures of links close a ring, the first of them is in it.",
      VERB_FILE, AT(scenario) },
    { "--force", NULL, "Replaces the file of --scenario if it is there.", VERB_FLAG, AT(force) },
    { "--json", NULL, CLI_JSON_HELP, VERB_FLAG, AT(json) },
    { 0 },
};

/* Traffic. */

static void
set_traffic(struct findings *f)
{
    bind_traffic(f->s, f->o->flows ? BIND_FLOWS : BIND_ALL_HOSTS, &f->bound);
    f->traffic = f->bound.traffic;
    f->traffic.n_classes = bind_classes_that_differ(&f->traffic);
    if (f->o->n_hop_classes) {
        f->traffic.hop_classes = true;
        f->traffic.n_classes = (uint32_t)f->o->n_hop_classes;
        f->traffic.lossless = ~0u;
    }
}

static size_t
count_flows(const struct findings *f, bool answers)
{
    size_t n = 0;

    for (size_t i = 0; i < f->traffic.n_flows; i++) {
        n += f->traffic.flows[i].is_answer == answers;
    }
    return n;
}

/* What makes an edge, if it is a flow: its name in the scenario, and what of it. */
static const char *
flow_name(const struct findings *f, const struct depend_edge *e, char room[SCN_NAME_BYTES])
{
    return e->flow == TOPO_NONE ? NULL : scn_flow_name(f->s, f->bound.flow_of[e->flow], room);
}

static bool
is_answer(const struct findings *f, const struct depend_edge *e)
{
    return e->flow != TOPO_NONE && f->traffic.flows[e->flow].is_answer;
}

/* Without acknowledgements only notifications are left to be sent back. */
static const char *
answers_name(const struct findings *f, const struct depend_edge *e)
{
    const struct scn_flow *flow = &f->s->flows[f->bound.flow_of[e->flow]];

    return bind_recovery_of(f->s, flow)->is_reliable ? "ACKs" : "CNPs";
}

/* Failures. */

struct progress {
    struct timespec start;
    double shown;
};

static void
show_progress(void *arg, size_t n_tried, size_t n_trials)
{
    struct progress *p = arg;
    struct timespec now;

    clock_gettime(CLOCK_MONOTONIC, &now);
    double seconds =
        (double)(now.tv_sec - p->start.tv_sec) + (double)(now.tv_nsec - p->start.tv_nsec) * 1e-9;
    if (seconds > p->shown + 0.2) {
        double left = seconds * (double)(n_trials - n_tried) / (double)(n_tried + 1);
        dprintf(STDERR_FILENO, "\r%zu of %zu failures tried, %.0f s left  ", n_tried, n_trials,
                left);
        p->shown = seconds;
    }
}

static uint32_t
n_processors(void)
{
    long n = sysconf(_SC_NPROCESSORS_ONLN);
    return n < 1 ? 1 : n > 256 ? 256 : (uint32_t)n;
}

static void
try_failures(struct findings *f)
{
    bool is_seen = isatty(STDERR_FILENO);

    for (uint32_t n = 1; n <= f->o->n_fail; n++) {
        struct progress p = { .shown = 1 };
        struct depend_what_if what = { .topo = &f->s->topo,
                                       .traffic = &f->traffic,
                                       .n_links = n,
                                       .n_threads = f->o->n_threads ? (uint32_t)f->o->n_threads
                                                                    : n_processors(),
                                       .progress = is_seen ? show_progress : NULL,
                                       .arg = &p };
        clock_gettime(CLOCK_MONOTONIC, &p.start);
        depend_try_failures(&what, &f->failures[n - 1]);
        if (p.shown > 1) {
            dprintf(STDERR_FILENO, "\r%60s\r", "");
        }
    }
}

/* Telling. */

static const char *
name_of(const struct findings *f, uint32_t node)
{
    return f->s->topo.nodes[node].name;
}

static const char *
name_at(const struct findings *f, uint32_t port)
{
    return name_of(f, f->s->topo.ports[port].node);
}

static const char *
name_beyond(const struct findings *f, uint32_t port)
{
    return name_at(f, f->s->topo.ports[port].peer);
}

static uint32_t
count_links(const struct topo *t, bool failed)
{
    uint32_t n = 0;

    for (size_t i = 0; i < t->n_links; i++) {
        const struct topo_link *l = &t->links[i];
        n += l->failed == failed && t->nodes[l->node[0]].kind == TOPO_SWITCH &&
             t->nodes[l->node[1]].kind == TOPO_SWITCH;
    }
    return n;
}

static void
show_reroutes(const struct findings *f)
{
    size_t n = depend_n_reroutes(f->graph);

    if (n) {
        printf("changes   routes change %zu time%s as links go down or come up; all of them count, "
               "and so do\n"
               "          paths that begin on old routes and end on new ones\n",
               n, n > 1 ? "s" : "");
    }
}

static size_t
count_waits(const struct findings *f, enum depend_wait wait)
{
    size_t n = 0;

    for (uint32_t i = 0; i < f->s->topo.n_switches; i++) {
        n += f->bound.waits[i] == wait;
    }
    return n;
}

/* Switches that are not as most are. */
static void
show_waits(const struct findings *f)
{
    size_t n_for_all = count_waits(f, DEPEND_FOR_ALL),
           n_for_nothing = count_waits(f, DEPEND_FOR_NOTHING);

    if (n_for_all) {
        printf("pipelines %zu of %u switches have one for all packets, and it stands still while "
               "any output is\n"
               "          full: then every input waits, whatever its packets go to and whatever "
               "their class\n",
               n_for_all, f->s->topo.n_switches);
    }
    if (n_for_nothing) {
        printf("drops     %zu of %u switches never make an input wait: packets that an output has "
               "no room for are\n"
               "          dropped there, even of lossless classes, so no ring leads through these "
               "switches\n",
               n_for_nothing, f->s->topo.n_switches);
    }
}

static void
show_network(const struct findings *f)
{
    const struct topo *t = &f->s->topo;
    const char *kind = t->n_roots ? "up-down paths" : "all shortest paths";
    const char *by_hand = t->n_statics ? ", and static routes" : "";

    printf("network   %u switch%s, %u host%s, %u link%s between switches (%u failed)\n",
           t->n_switches, t->n_switches == 1 ? "" : "es", t->n_nics, t->n_nics == 1 ? "" : "s",
           count_links(t, false), count_links(t, false) == 1 ? "" : "s", count_links(t, true));
    if (f->o->flows) {
        printf("routes    those of %zu flows: their own paths, or %s%s\n", count_flows(f, false),
               kind, by_hand);
        if (count_flows(f, true)) {
            printf("          and those of what receivers send back: %s%s\n", kind, by_hand);
        }
    } else {
        printf("routes    %s between all hosts%s", kind, by_hand);
        printf(f->traffic.n_flows ? ", and %zu paths of flows that have their own\n" : "\n",
               f->traffic.n_flows);
    }
    show_reroutes(f);
    if (depend_n_cut(f->graph)) {
        printf("cut       %zu pairs of switches with hosts have no route to each other\n",
               depend_n_cut(f->graph));
    }
    if (f->o->n_hop_classes) {
        printf("classes   %u, chosen by the hops that a packet has to go\n", f->traffic.n_classes);
    } else if (!f->traffic.lossless) {
        printf("classes   none is lossless: packets are dropped, and nothing waits\n");
    }
    show_waits(f);
    printf("buffers   %zu between switches, %zu dependencies among them%s\n",
           depend_n_buffers(f->graph), depend_n_edges(f->graph),
           depend_n_pipelines(f->graph) ? " and the pipelines" : "");
}

static void
show_buffer(const struct findings *f, uint32_t in, uint8_t cls, int width)
{
    int n = printf("%s from %s", name_at(f, in), name_beyond(f, in));

    if (f->traffic.n_classes > 1) {
        n += printf(" class %u", cls);
    }
    printf("%*s", n < width ? width - n : 0, "");
}

static void
show_pipeline(const struct findings *f, uint32_t node, int width)
{
    int n = printf("the pipeline of %s", name_of(f, node));

    printf("%*s", n < width ? width - n : 0, "");
}

/* Which hosts cannot be reached: one, or those of a switch that have no routes of their own. */
static void
show_loop(const struct findings *f, const struct topo_loop *loop)
{
    const struct topo *t = &f->s->topo;
    uint32_t nic = t->leaf_nics[loop->leaf];

    printf(
        "LOOP      the routes to %s%s lead round in a loop:", nic == TOPO_NONE ? "hosts of " : "",
        name_of(f, nic == TOPO_NONE ? t->leaves[loop->leaf] : nic));
    for (uint32_t i = 0; i <= loop->n; i++) {
        printf(" %s", name_of(f, loop->nodes[i % loop->n]));
    }
    printf("\n");
}

static void
show_loops(const void *findings)
{
    const struct findings *f = findings;
    for (size_t i = 0; i < f->loops.n && i < MAX_LOOPS_SHOWN; i++) {
        show_loop(f, &f->loops.items[i]);
    }
    if (f->loops.n > MAX_LOOPS_SHOWN) {
        printf("          and %zu more\n", f->loops.n - MAX_LOOPS_SHOWN);
    }
}

/* It never arrives if it leads round. */
static bool
is_endless(const struct findings *f, const struct depend_edge *e)
{
    return f->s->topo.nodes[e->route[e->n_route - 1]].kind != TOPO_NIC;
}

static void
show_route(const struct findings *f, const struct depend_edge *e)
{
    char room[SCN_NAME_BYTES];
    struct weir_text from = { 0 };

    printf(" on route ");
    for (uint32_t i = 0; i < e->n_route; i++) {
        printf("%s%s", i ? "-" : "", name_of(f, e->route[i]));
    }
    printf(is_endless(f, e) ? "-..." : "");
    if (is_answer(f, e)) {
        printf(" (%s of %s)", answers_name(f, e), flow_name(f, e, room));
    } else if (e->flow != TOPO_NONE) {
        printf(" (%s)", flow_name(f, e, room));
    }
    if (e->from_ps) {
        weir_text_add(&from, "%T", e->from_ps);
        printf(", when routes have changed at %s", from.s);
    }
    printf("\n");
}

static uint32_t
count_pipelines(const struct depend_cycle *c)
{
    uint32_t n = 0;

    for (uint32_t i = 0; i < c->n; i++) {
        n += c->edges[i].in == TOPO_NONE;
    }
    return n;
}

/* One end of an edge: the buffer behind a port, or the pipeline of its switch. */
static void
show_end(const struct findings *f, const struct depend_edge *e, uint32_t in, uint8_t cls, int width)
{
    if (in == TOPO_NONE) {
        show_pipeline(f, e->at, width);
    } else {
        show_buffer(f, in, cls, width);
    }
}

static void
show_cycle(const struct findings *f, const struct depend_cycle *c)
{
    uint32_t n_pipelines = count_pipelines(c);
    int width = n_pipelines ? 20 : 16;

    printf("\nring of %u buffers", c->n - n_pipelines);
    printf(n_pipelines > 1 ? " and %u pipelines:\n"
           : n_pipelines   ? " and %u pipeline:\n"
                           : ":\n",
           n_pipelines);
    for (uint32_t i = 0; i < c->n; i++) {
        const struct depend_edge *e = &c->edges[i];
        printf("  ");
        show_end(f, e, e->in, e->cls, width);
        printf(" waits for ");
        show_end(f, e, e->out == TOPO_NONE ? TOPO_NONE : f->s->topo.ports[e->out].peer, e->next_cls,
                 width);
        show_route(f, e);
    }
}

static void
show_failure(const struct findings *f, const struct depend_failure *failure)
{
    const struct topo *t = &f->s->topo;

    printf(" ");
    for (uint32_t i = 0; i < 2 && failure->links[i] != TOPO_NONE; i++) {
        const uint32_t *ends = t->links[failure->links[i]].node;
        printf(" %s-%s", name_of(f, ends[0]), name_of(f, ends[1]));
    }
}

/* The first of those that are alike, and how many more there are. */
static void
show_failures(const struct findings *f, uint32_t n)
{
    const struct depend_failures *found = &f->failures[n - 1];
    struct depend_alike *groups;
    size_t n_groups = depend_group_failures(&f->s->topo, found, &groups);

    printf("\n%zu failures of %u link%s: %zu %s a cycle", found->n_trials, n, n > 1 ? "s" : "",
           found->n, f->cycles.n_knots ? "leave" : "close");
    printf(n_groups < found->n ? ", of %zu kind%s\n" : "\n", n_groups, n_groups > 1 ? "s" : "");
    for (size_t i = 0; i < n_groups && i < MAX_FAILURES_SHOWN; i++) {
        show_failure(f, &found->items[groups[i].item]);
        printf(groups[i].n > 1 ? "   and %zu more like it\n" : "\n", groups[i].n - 1);
    }
    if (n_groups > MAX_FAILURES_SHOWN) {
        printf("  and %zu more kinds\n", n_groups - MAX_FAILURES_SHOWN);
    }
    free(groups);
}

static void
show_written(const struct findings *f)
{
    struct weir_text at = { 0 };

    weir_text_add(&at, "%T", (weir_ps)cli_rounded((uint64_t)f->written.formed_ps));
    if (!f->written.n_flows) {
        printf("\nscenario  not written, as there is no ring to fill\n");
    } else if (f->written.has_deadlock) {
        printf("\nscenario  %s: %zu flows fill the ring, and a run deadlocks after %s\n",
               f->o->scenario, f->written.n_flows, at.s);
    } else {
        printf("\nscenario  %s: %zu flows cross the ring, but a run does not deadlock\n",
               f->o->scenario, f->written.n_flows);
    }
}

static void
show(const struct findings *f)
{
    show_network(f);
    show_loops(f);
    if (f->cycles.n_knots) {
        printf("CYCLE     %zu knot%s of buffers that wait for each other, %zu buffers ",
               f->cycles.n_knots, f->cycles.n_knots > 1 ? "s" : "", f->cycles.n_buffers);
        printf(f->cycles.n_pipelines ? "and %zu pipelines in all\n" : "in all\n",
               f->cycles.n_pipelines);
    } else {
        printf("no cycle  the network cannot deadlock, whatever is sent on these routes\n");
    }
    for (size_t i = 0; i < f->cycles.n; i++) {
        show_cycle(f, &f->cycles.cycles[i]);
    }
    if (f->cycles.n < f->cycles.n_knots) {
        printf("\nand %zu more knots\n", f->cycles.n_knots - f->cycles.n);
    }
    for (uint32_t n = 1; n <= f->o->n_fail; n++) {
        show_failures(f, n);
    }
    if (f->o->scenario) {
        show_written(f);
    }
}

/* The same for programs. */

static void
json_edge(struct json *j, const struct findings *f, const struct depend_edge *e)
{
    char room[SCN_NAME_BYTES];

    json_open(j, NULL, '{');
    json_text(j, "at", name_of(f, e->at));
    json_text(j, "from", e->in == TOPO_NONE ? NULL : name_beyond(f, e->in));
    json_number(j, "class", e->in == TOPO_NONE ? e->next_cls : e->cls);
    json_text(j, "next", e->out == TOPO_NONE ? NULL : name_beyond(f, e->out));
    json_number(j, "next_class", e->out == TOPO_NONE ? e->cls : e->next_cls);
    json_text(j, "flow", flow_name(f, e, room));
    json_bool(j, "sent_back", is_answer(f, e));
    json_fixed(j, "from_s", (double)e->from_ps / WEIR_PS_PER_S, 12);
    json_open(j, "route", '[');
    for (uint32_t i = 0; i < e->n_route; i++) {
        json_text(j, NULL, name_of(f, e->route[i]));
    }
    json_close(j, ']');
    json_close(j, '}');
}

static void
json_cycles(struct json *j, const struct findings *f)
{
    json_open(j, "cycles", '[');
    for (size_t i = 0; i < f->cycles.n; i++) {
        json_open(j, NULL, '[');
        for (uint32_t k = 0; k < f->cycles.cycles[i].n; k++) {
            json_edge(j, f, &f->cycles.cycles[i].edges[k]);
        }
        json_close(j, ']');
    }
    json_close(j, ']');
}

static void
json_loop(struct json *j, const struct findings *f, const struct topo_loop *loop)
{
    const struct topo *t = &f->s->topo;
    uint32_t nic = t->leaf_nics[loop->leaf];

    json_open(j, NULL, '{');
    json_text(j, "to", name_of(f, nic == TOPO_NONE ? t->leaves[loop->leaf] : nic));
    json_open(j, "switches", '[');
    for (uint32_t i = 0; i < loop->n; i++) {
        json_text(j, NULL, name_of(f, loop->nodes[i]));
    }
    json_close(j, ']');
    json_close(j, '}');
}

/* Whatever it is that is checked: routes that lead round, and what a run would warn of. */
static void
json_more(struct json *j, const void *findings)
{
    const struct findings *f = findings;

    json_open(j, "loops", '[');
    for (size_t i = 0; i < f->loops.n; i++) {
        json_loop(j, f, &f->loops.items[i]);
    }
    json_close(j, ']');
    json_open(j, "warnings", '[');
    for (size_t i = 0; i < f->n_warnings; i++) {
        json_text(j, NULL, f->warnings[i].s);
    }
    json_close(j, ']');
}

static void
json_failed_links(struct json *j, const struct findings *f, const uint32_t *links, uint32_t n)
{
    json_open(j, NULL, '[');
    for (uint32_t i = 0; i < n; i++) {
        const uint32_t *ends = f->s->topo.links[links[i]].node;
        json_open(j, NULL, '[');
        json_text(j, NULL, name_of(f, ends[0]));
        json_text(j, NULL, name_of(f, ends[1]));
        json_close(j, ']');
    }
    json_close(j, ']');
}

/* The first of each kind, as its place in the list, and how many there are. */
static void
json_kinds(struct json *j, const struct findings *f, const struct depend_failures *found)
{
    struct depend_alike *groups;
    size_t n = depend_group_failures(&f->s->topo, found, &groups);

    json_open(j, "kinds", '[');
    for (size_t i = 0; i < n; i++) {
        json_open(j, NULL, '{');
        json_number(j, "first", groups[i].item);
        json_number(j, "alike", groups[i].n);
        json_close(j, '}');
    }
    json_close(j, ']');
    free(groups);
}

static void
json_failures(struct json *j, const struct findings *f)
{
    json_open(j, "failures", '[');
    for (uint32_t n = 1; n <= f->o->n_fail; n++) {
        const struct depend_failures *found = &f->failures[n - 1];
        json_open(j, NULL, '{');
        json_number(j, "links", n);
        json_number(j, "tried", found->n_trials);
        json_open(j, "cyclic", '[');
        for (size_t i = 0; i < found->n; i++) {
            json_failed_links(j, f, found->items[i].links, n);
        }
        json_close(j, ']');
        json_kinds(j, f, found);
        json_close(j, '}');
    }
    json_close(j, ']');
}

static void
json_written(struct json *j, const struct findings *f)
{
    if (!f->written.n_flows) {
        json_null(j, "scenario");
        return;
    }
    json_open(j, "scenario", '{');
    json_text(j, "file", f->o->scenario);
    json_number(j, "flows", f->written.n_flows);
    json_bool(j, "deadlock", f->written.has_deadlock);
    json_fixed(j, "at_s", (double)f->written.formed_ps / WEIR_PS_PER_S, 12);
    json_close(j, '}');
}

static void
show_json(const struct findings *f)
{
    struct json j = { .out = stdout, .lines = 3 };
    const struct topo *t = &f->s->topo;

    json_open(&j, NULL, '{');
    json_number(&j, "switches", t->n_switches);
    json_number(&j, "hosts", t->n_nics);
    json_number(&j, "links", count_links(t, false));
    json_number(&j, "failed", count_links(t, true));
    json_number(&j, "cut", depend_n_cut(f->graph));
    json_number(&j, "classes", f->traffic.n_classes);
    json_number(&j, "buffers", depend_n_buffers(f->graph));
    json_number(&j, "pipelines", depend_n_pipelines(f->graph));
    json_number(&j, "dropping", count_waits(f, DEPEND_FOR_NOTHING));
    json_number(&j, "dependencies", depend_n_edges(f->graph));
    json_number(&j, "reroutes", depend_n_reroutes(f->graph));
    json_bool(&j, "cyclic", f->cycles.n_knots);
    json_number(&j, "knots", f->cycles.n_knots);
    json_number(&j, "knotted", f->cycles.n_buffers);
    json_cycles(&j, f);
    json_more(&j, f);
    json_failures(&j, f);
    json_written(&j, f);
    json_close(&j, '}');
}

/* The verb. */

static int
draw(const struct findings *f, const char *path,
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

static void
find_rings(struct findings *f)
{
    set_traffic(f);
    f->graph = depend_new(&f->s->topo, &f->traffic);
    depend_find_cycles(f->graph, MAX_CYCLES, &f->cycles);
}

static void
free_findings(struct findings *f)
{
    depend_free_failures(&f->failures[0]);
    depend_free_failures(&f->failures[1]);
    depend_free_cycles(&f->cycles);
    topo_free_loops(&f->loops);
    if (f->graph) {
        depend_free(f->graph);
    }
    bind_traffic_free(&f->bound);
}

/* A ring as a scenario. */

/* Links that have failed, and those that fail now, as YAML; to be freed. */
static char *
list_failed(const struct topo *t, const struct depend_failure *failure)
{
    char *text = NULL;
    size_t bytes, n = 0;
    FILE *out = open_memstream(&text, &bytes);

    for (uint32_t i = 0; i < t->n_links; i++) {
        const uint32_t *ends = t->links[i].node;
        if (t->links[i].failed || failure->links[0] == i || failure->links[1] == i) {
            fprintf(out, "%s[%s, %s]", n++ ? ", " : "[", t->nodes[ends[0]].name,
                    t->nodes[ends[1]].name);
        }
    }
    fputc(']', out);
    fclose(out);
    return text;
}

static int
write_ring(const struct findings *f, const char *failed, struct check_scenario_result *result)
{
    const struct check_scenario job = { .file = f->o->file.items[0],
                                        .out = f->o->scenario,
                                        .force = f->o->force,
                                        .sets = &f->o->sets,
                                        .s = f->s,
                                        .loops = &f->loops,
                                        .ring = &f->cycles.cycles[0],
                                        .failed = failed };

    return check_scenario_write(&job, result);
}

/* The network once more, as it is when these links have failed. */
static int
write_ring_of_failure(struct findings *f, const struct depend_failure *failure)
{
    char *failed = list_failed(&f->s->topo, failure), *set = malloc(strlen(failed) + 20);
    struct verb_words sets = f->o->sets;
    struct scenario s;
    struct findings g = { .s = &s, .o = f->o };

    sprintf(set, "topology.failed=%s", failed);
    if (sets.n == VERB_MAX_WORDS) {
        sets.n--;
    }
    sets.items[sets.n++] = set;
    int code = cli_read_scenario(&s, f->o->file.items[0], sets.items, sets.n);
    if (code == EXIT_GOOD) {
        topo_find_loops(&s.topo, &g.loops);
        find_rings(&g);
        code = g.cycles.n ? write_ring(&g, failed, &f->written) : EXIT_GOOD;
        free_findings(&g);
        scn_free(&s);
    }
    free(set);
    free(failed);
    return code;
}

static int
write_scenario(struct findings *f)
{
    if (!f->o->scenario) {
        return EXIT_GOOD;
    }
    if (f->cycles.n) {
        return write_ring(f, NULL, &f->written);
    }
    for (uint32_t n = 0; n < f->o->n_fail; n++) {
        if (f->failures[n].n) {
            return write_ring_of_failure(f, &f->failures[n].items[0]);
        }
    }
    return EXIT_GOOD;
}

/* Looks for rings on the routes, and tells. */
static int
check_routes(struct findings *f)
{
    find_rings(f);
    try_failures(f);
    int code = write_scenario(f);
    if (code != EXIT_GOOD) {
        return code;
    }
    if (f->o->json) {
        show_json(f);
    } else {
        show(f);
    }
    return f->cycles.n_knots || f->failures[0].n || f->failures[1].n ? EXIT_DIFFERS : EXIT_GOOD;
}

/* Looks for them in the tables of an engine, and tells. */
static int
check_engine(struct findings *f)
{
    const struct check_moves_options moves = { .file = f->o->file.items[0],
                                               .flows = f->o->flows,
                                               .json = f->o->json,
                                               .show_loops = show_loops,
                                               .json_more = json_more,
                                               .loops = f };
    return check_moves(f->s, &moves);
}

/* What a run would refuse is refused here, too, and warned of what it would warn of. */
static bool
foresee(struct findings *f, struct err *err)
{
    struct plant plant;
    bool fits = bind_plant(f->s, &plant, err);

    f->n_warnings = fits ? warnings_foreseen(f->s, &plant, f->warnings) : 0;
    plant_free(&plant);
    return fits;
}

static void
show_warnings(const struct findings *f)
{
    for (size_t i = 0; i < f->n_warnings && !f->o->json; i++) {
        printf("warning: %s\n", f->warnings[i].s);
    }
}

static int
check(const struct scenario *s, const struct options *o)
{
    struct findings f = { .s = s, .o = o };
    struct err err;

    if (!foresee(&f, &err)) {
        return cli_tell(EXIT_USER, &err);
    }
    topo_find_loops(&s->topo, &f.loops);
    bool by_engine = check_moves_applies(s) && !o->n_hop_classes;
    int found = by_engine ? check_engine(&f) : check_routes(&f);
    show_warnings(&f);
    int code = found == EXIT_USER || found == EXIT_WORLD ? found : draw(&f, o->dot, draw_dot);
    code = code == EXIT_GOOD ? draw(&f, o->svg, draw_svg) : code;
    found = f.loops.n ? EXIT_DIFFERS : found;
    free_findings(&f);
    return code == EXIT_GOOD ? found : code;
}

/* Options that the scenario leaves nothing to do for, or that do not go with it. */
static int
refuse(const struct scenario *s, const struct options *o, const char *file)
{
    if (o->flows && !s->n_flows) {
        return cli_fail(EXIT_USER, "%s: --flows: the scenario has no flows", file);
    }
    if (o->scenario && check_moves_applies(s) && !o->n_hop_classes) {
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

static int
run(int argc, char **argv)
{
    struct options o = { 0 };
    struct scenario s;
    int code;

    if (!options_read(&cli_check, argc, argv, &o, &code)) {
        return code;
    }
    const char *file = o.file.items[0];
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
    .operands_at = offsetof(struct options, file),
    .min_operands = 1,
    .max_operands = 1,
    .missing = "no scenario given",
};
