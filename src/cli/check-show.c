/* What `weir check` found, for people. */

#include <stdio.h>
#include <stdlib.h>

#include "bind/bind.h"
#include "cli/check.h"
#include "cli/cli.h"

enum { MAX_LOOPS_SHOWN = 20, MAX_FAILURES_SHOWN = 20 };

static size_t
count_flows(const struct check_findings *f, bool answers)
{
    size_t n = 0;

    for (size_t i = 0; i < f->traffic.n_flows; i++) {
        n += f->traffic.flows[i].is_answer == answers;
    }
    return n;
}

/* Without acknowledgements only notifications are left to be sent back. */
static const char *
answers_name(const struct check_findings *f, const struct depend_edge *e)
{
    const struct scn_flow flow_at = scn_flow_at(f->s, f->bound.flow_of[e->flow]), *flow = &flow_at;

    return bind_recovery_of(f->s, flow)->is_reliable ? "ACKs" : "CNPs";
}

static void
show_reroutes(const struct check_findings *f)
{
    size_t n = depend_n_reroutes(f->graph);

    if (n) {
        printf("changes   routes change %zu time%s as links go down or come up; all of them count, "
               "and so do\n"
               "          paths that begin on old routes and end on new ones\n",
               n, n > 1 ? "s" : "");
    }
}

/* Switches that are not as most are. */
static void
show_waits(const struct check_findings *f)
{
    size_t n_for_all = check_count_waits(f, DEPEND_FOR_ALL),
           n_for_nothing = check_count_waits(f, DEPEND_FOR_NOTHING);

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
show_network(const struct check_findings *f)
{
    const struct topo *t = &f->s->topo;
    const char *kind = t->n_roots ? "up-down paths" : "all shortest paths";
    const char *by_hand = t->n_statics ? ", and static routes" : "";

    printf("network   %u switch%s, %u host%s, %u link%s between switches (%u failed)\n",
           t->n_switches, t->n_switches == 1 ? "" : "es", t->n_nics, t->n_nics == 1 ? "" : "s",
           check_count_links(t, false), check_count_links(t, false) == 1 ? "" : "s",
           check_count_links(t, true));
    check_show_taken(f->s);
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
show_buffer(const struct check_findings *f, uint32_t in, uint8_t cls, int width)
{
    int n = printf("%s from %s", check_name_at(f, in), check_name_beyond(f, in));

    if (f->traffic.n_classes > 1) {
        n += printf(" class %u", cls);
    }
    printf("%*s", n < width ? width - n : 0, "");
}

static void
show_pipeline(const struct check_findings *f, uint32_t node, int width)
{
    int n = printf("the pipeline of %s", check_name(f, node));

    printf("%*s", n < width ? width - n : 0, "");
}

/* Which hosts cannot be reached: one, or those of a switch that have no routes of their own. */
static void
show_loop(const struct check_findings *f, const struct topo_loop *loop)
{
    const struct topo *t = &f->s->topo;
    uint32_t nic = t->leaf_nics[loop->leaf];

    printf(
        "LOOP      the routes to %s%s lead round in a loop:", nic == TOPO_NONE ? "hosts of " : "",
        check_name(f, nic == TOPO_NONE ? t->leaves[loop->leaf] : nic));
    for (uint32_t i = 0; i <= loop->n; i++) {
        printf(" %s", check_name(f, loop->nodes[i % loop->n]));
    }
    printf("\n");
}

void
check_show_loops(const void *findings)
{
    const struct check_findings *f = findings;
    for (size_t i = 0; i < f->loops.n && i < MAX_LOOPS_SHOWN; i++) {
        show_loop(f, &f->loops.items[i]);
    }
    if (f->loops.n > MAX_LOOPS_SHOWN) {
        printf("          and %zu more\n", f->loops.n - MAX_LOOPS_SHOWN);
    }
}

/* It never arrives if it leads round. */
static bool
is_endless(const struct check_findings *f, const struct depend_edge *e)
{
    return f->s->topo.nodes[e->route[e->n_route - 1]].kind != TOPO_NIC;
}

static void
show_route(const struct check_findings *f, const struct depend_edge *e)
{
    char room[SCN_NAME_BYTES];
    struct weir_text from = { 0 };

    printf(" on route ");
    for (uint32_t i = 0; i < e->n_route; i++) {
        printf("%s%s", i ? "-" : "", check_name(f, e->route[i]));
    }
    printf(is_endless(f, e) ? "-..." : "");
    if (check_is_answer(f, e)) {
        printf(" (%s of %s)", answers_name(f, e), check_flow_name(f, e, room));
    } else if (e->flow != TOPO_NONE) {
        printf(" (%s)", check_flow_name(f, e, room));
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
show_end(const struct check_findings *f, const struct depend_edge *e, uint32_t in, uint8_t cls,
         int width)
{
    if (in == TOPO_NONE) {
        show_pipeline(f, e->at, width);
    } else {
        show_buffer(f, in, cls, width);
    }
}

static void
show_cycle(const struct check_findings *f, const struct depend_cycle *c)
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
show_failure(const struct check_findings *f, const struct depend_failure *failure)
{
    const struct topo *t = &f->s->topo;

    printf(" ");
    for (uint32_t i = 0; i < 2 && failure->links[i] != TOPO_NONE; i++) {
        const uint32_t *ends = t->links[failure->links[i]].node;
        printf(" %s-%s", check_name(f, ends[0]), check_name(f, ends[1]));
    }
}

/* The first of those that are alike, and how many more there are. */
static void
show_failures(const struct check_findings *f, uint32_t n)
{
    const struct depend_failures *found = &f->failures[n - 1];
    struct depend_alike *groups;
    size_t n_groups = depend_group_failures(&f->s->topo, found, &groups);

    printf("\n%zu failures of %u link%s: %zu %s a cycle", found->n_trials, n, n > 1 ? "s" : "",
           found->n, f->cycles.n_components ? "leave" : "close");
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
show_written(const struct check_findings *f)
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

void
check_show(const struct check_findings *f)
{
    show_network(f);
    check_show_loops(f);
    if (f->cycles.n_components) {
        printf("CYCLE     %zu knot%s of buffers that wait for each other, %zu buffers ",
               f->cycles.n_components, f->cycles.n_components > 1 ? "s" : "", f->cycles.n_buffers);
        printf(f->cycles.n_pipelines ? "and %zu pipelines in all\n" : "in all\n",
               f->cycles.n_pipelines);
    } else {
        printf("no cycle  the network cannot deadlock, whatever is sent on these routes\n");
    }
    for (size_t i = 0; i < f->cycles.n; i++) {
        show_cycle(f, &f->cycles.cycles[i]);
    }
    if (f->cycles.n < f->cycles.n_components) {
        printf("\nand %zu more knots\n", f->cycles.n_components - f->cycles.n);
    }
    for (uint32_t n = 1; n <= f->o->n_fail; n++) {
        show_failures(f, n);
    }
    check_show_routing(f);
    if (f->o->scenario) {
        show_written(f);
    }
}
