/* Writes the findings of a check as text. */

#include <stdio.h>
#include <stdlib.h>

#include "bind/bind.h"
#include "check/findings.h"
#include "output/line-style.h"
#include "output/next-step.h"
#include "output/value.h"

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

/* The packets that the receiver of a flow sends back.  Without ACKs these are congestion
 * notifications only. */
static const char *
answers_name(const struct check_findings *f, const struct depend_edge *e)
{
    const struct scn_flow flow_at = scn_flow_at(f->s, f->bound.flow_of[e->flow]), *flow = &flow_at;

    return bind_recovery_of(f->s, flow)->is_reliable ? "ACKs" : "CNPs";
}

/* Writes the number of pairs without a path. A host with several ports counts separately, because
 * it belongs to no single switch. */
static void
write_cut(const struct check_findings *f)
{
    const struct topo *t = &f->s->topo;
    const char *of = !t->n_multi               ? "switches with hosts"
                     : t->n_multi == t->n_nics ? "hosts"
                                               : "hosts, or of switches with hosts";

    if (depend_n_cut(f->graph)) {
        fprintf(f->o->out, "cut       %zu pairs of %s have no route to each other\n",
                depend_n_cut(f->graph), of);
    }
}

static void
write_reroutes(const struct check_findings *f)
{
    size_t n = depend_n_reroutes(f->graph);

    if (n) {
        fprintf(f->o->out,
                "changes   routes change %zu time%s as links go down or come up; the check covers "
                "all of them, "
                "and paths that begin on old routes and end on new ones\n",
                n, n > 1 ? "s" : "");
    }
}

/* Writes the number of switches whose inputs wait for something other than their own outputs. */
static void
write_waits(const struct check_findings *f)
{
    size_t n_for_all = check_count_waits(f, DEPEND_FOR_ALL),
           n_for_nothing = check_count_waits(f, DEPEND_FOR_NOTHING);

    if (n_for_all) {
        fprintf(f->o->out,
                "pipelines %zu of %u switches have one for all packets, which stops while any "
                "output is full: "
                "then every input waits, whatever the destination and the class of its "
                "packets\n",
                n_for_all, f->s->topo.n_switches);
    }
    if (n_for_nothing) {
        fprintf(f->o->out,
                "drops     %zu of %u switches never make an input wait: an output without room "
                "drops packets,\n"
                "          even those of lossless classes, so no cycle leads through these "
                "switches\n",
                n_for_nothing, f->s->topo.n_switches);
    }
}

static void
write_network(const struct check_findings *f)
{
    const struct topo *t = &f->s->topo;
    const char *kind = t->n_roots ? "up-down paths" : "all shortest paths";
    const char *by_hand = t->n_statics ? ", and static routes" : "";

    fprintf(f->o->out, "network   %u switch%s, %u host%s, %u link%s between switches (%u failed)\n",
            t->n_switches, t->n_switches == 1 ? "" : "es", t->n_nics, value_plural(t->n_nics),
            check_count_links(t, false), value_plural(check_count_links(t, false)),
            check_count_links(t, true));
    check_write_imported(f->o->out, f->s);
    if (f->o->flows) {
        fprintf(f->o->out, "routes    those of %zu flows: their own paths, or %s%s\n",
                count_flows(f, false), kind, by_hand);
        if (count_flows(f, true)) {
            fprintf(f->o->out, "          and those of what receivers send back: %s%s\n", kind,
                    by_hand);
        }
    } else {
        fprintf(f->o->out, "routes    %s between all hosts%s", kind, by_hand);
        fprintf(f->o->out,
                f->traffic.n_flows ? ", and %zu paths that flows set themselves\n" : "\n",
                f->traffic.n_flows);
    }
    write_reroutes(f);
    write_cut(f);
    if (f->o->n_hop_classes) {
        fprintf(f->o->out, "classes   %u, chosen by the number of hops that a packet has left\n",
                f->traffic.n_classes);
    } else if (!f->traffic.lossless) {
        fprintf(f->o->out, "classes   none is lossless: packets are dropped, and nothing waits\n");
    }
    write_waits(f);
    fprintf(f->o->out, "buffers   %zu between switches, %zu dependencies among them%s\n",
            depend_n_buffers(f->graph), depend_n_edges(f->graph),
            depend_n_pipelines(f->graph) ? " and the pipelines" : "");
}

static void
write_buffer(const struct check_findings *f, uint32_t in, uint8_t cls, int width)
{
    struct topo_ends ends = topo_name_ends(&f->s->topo, in);
    int n = fprintf(f->o->out, "%s from %s", ends.here, ends.there);

    if (f->traffic.n_classes > 1) {
        n += fprintf(f->o->out, " class %u", cls);
    }
    fprintf(f->o->out, "%*s", n < width ? width - n : 0, "");
}

static void
write_pipeline(const struct check_findings *f, uint32_t node, int width)
{
    int n = fprintf(f->o->out, "the pipeline of %s", check_name(f, node));

    fprintf(f->o->out, "%*s", n < width ? width - n : 0, "");
}

/* Writes a loop with the unreachable hosts: one host, or the hosts of a switch without separate
 * routes. */
static void
write_loop(const struct check_findings *f, const struct topo_loop *loop)
{
    const struct topo *t = &f->s->topo;
    uint32_t nic = t->leaf_nics[loop->leaf];

    fprintf(f->o->out, "LOOP      the routes to %s%s lead round in a loop:",
            nic == TOPO_NONE ? "hosts of " : "",
            check_name(f, nic == TOPO_NONE ? t->leaves[loop->leaf] : nic));
    for (uint32_t i = 0; i <= loop->n; i++) {
        fprintf(f->o->out, " %s", check_name(f, loop->nodes[i % loop->n]));
    }
    fprintf(f->o->out, "\n");
}

void
check_write_loops(const struct check_findings *f)
{
    for (size_t i = 0; i < f->loops.n && i < MAX_LOOPS_SHOWN; i++) {
        write_loop(f, &f->loops.items[i]);
    }
    if (f->loops.n > MAX_LOOPS_SHOWN) {
        fprintf(f->o->out, "          and %zu more\n", f->loops.n - MAX_LOOPS_SHOWN);
    }
}

/* Whether a route loops, and so never arrives. */
static bool
is_endless(const struct check_findings *f, const struct depend_edge *e)
{
    return f->s->topo.nodes[e->route[e->n_route - 1]].kind != TOPO_NIC;
}

static void
write_route(const struct check_findings *f, const struct depend_edge *e)
{
    char room[SCN_NAME_BYTES];
    struct weir_text from = { 0 };

    fprintf(f->o->out, " on route ");
    for (uint32_t i = 0; i < e->n_route; i++) {
        fprintf(f->o->out, "%s%s", i ? "-" : "", check_name(f, e->route[i]));
    }
    fprintf(f->o->out, is_endless(f, e) ? "-..." : "");
    if (check_is_answer(f, e)) {
        fprintf(f->o->out, " (%s of %s)", answers_name(f, e), check_flow_name(f, e, room));
    } else if (e->flow != TOPO_NONE) {
        fprintf(f->o->out, " (%s)", check_flow_name(f, e, room));
    }
    if (e->from_ps) {
        weir_text_add(&from, "%t", e->from_ps);
        fprintf(f->o->out, ", when routes have changed at %s", from.s);
    }
    fprintf(f->o->out, "\n");
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

/* Writes one end of an edge: the buffer of an input port, or the pipeline of its switch. */
static void
write_end(const struct check_findings *f, const struct depend_edge *e, uint32_t in, uint8_t cls,
          int width)
{
    if (in == TOPO_NONE) {
        write_pipeline(f, e->at, width);
    } else {
        write_buffer(f, in, cls, width);
    }
}

static void
write_cycle(const struct check_findings *f, const struct depend_cycle *c)
{
    uint32_t n_pipelines = count_pipelines(c);
    int width = n_pipelines ? 20 : 16;

    fprintf(f->o->out, "\ncycle of %u buffers", c->n - n_pipelines);
    fprintf(f->o->out,
            n_pipelines > 1 ? " and %u pipelines:\n"
            : n_pipelines   ? " and %u pipeline:\n"
                            : ":\n",
            n_pipelines);
    for (uint32_t i = 0; i < c->n; i++) {
        const struct depend_edge *e = &c->edges[i];
        fprintf(f->o->out, "  ");
        write_end(f, e, e->in, e->cls, width);
        fprintf(f->o->out, " waits for ");
        write_end(f, e, e->out == TOPO_NONE ? TOPO_NONE : f->s->topo.ports[e->out].peer,
                  e->next_cls, width);
        write_route(f, e);
    }
}

static void
write_failure(const struct check_findings *f, const struct depend_failure *failure)
{
    const struct topo *t = &f->s->topo;

    fprintf(f->o->out, " ");
    for (uint32_t i = 0; i < 2 && failure->links[i] != TOPO_NONE; i++) {
        struct topo_ends ends = topo_name_ends(t, t->links[failure->links[i]].port[0]);
        fprintf(f->o->out, " %s-%s", ends.here, ends.there);
    }
}

/* Writes the first of similar failures, and the number of the others. */
static void
write_failures(const struct check_findings *f, uint32_t n)
{
    const struct depend_failures *found = &f->failures[n - 1];
    struct depend_alike *groups;
    size_t n_groups = depend_group_failures(&f->s->topo, found, &groups);

    fprintf(f->o->out, "\n%zu failures of %u link%s: %zu %s a cycle", found->n_trials, n,
            n > 1 ? "s" : "", found->n, f->cycles.n_components ? "leave" : "close");
    fprintf(f->o->out, n_groups < found->n ? ", of %zu kind%s\n" : "\n", n_groups,
            n_groups > 1 ? "s" : "");
    for (size_t i = 0; i < n_groups && i < MAX_FAILURES_SHOWN; i++) {
        write_failure(f, &found->items[groups[i].item]);
        fprintf(f->o->out, groups[i].n > 1 ? "   and %zu more like it\n" : "\n", groups[i].n - 1);
    }
    if (n_groups > MAX_FAILURES_SHOWN) {
        fprintf(f->o->out, "  and %zu more kinds\n", n_groups - MAX_FAILURES_SHOWN);
    }
    free(groups);
}

static void
write_written(const struct check_findings *f)
{
    struct weir_text at = { 0 };

    value_add_time(&at, f->written.formed_ps);
    if (!f->written.n_flows) {
        fprintf(f->o->out, "\nscenario  not written, as there is no cycle to fill\n");
    } else if (f->written.has_deadlock) {
        fprintf(f->o->out,
                "\nscenario  %s: %zu flows fill the cycle, and a run deadlocks after %s\n",
                f->o->scenario, f->written.n_flows, at.s);
    } else {
        fprintf(f->o->out,
                "\nscenario  %s: %zu flows cross the cycle, but a run does not deadlock\n",
                f->o->scenario, f->written.n_flows);
    }
}

static size_t
count_closing(const struct check_findings *f)
{
    size_t n = 0;

    for (uint32_t i = 0; i < f->o->n_fail; i++) {
        n += f->failures[i].n;
    }
    return n;
}

static void
write_verdict(const struct check_findings *f)
{
    size_t n_cycles = f->cycles.n_components, n_closing = count_closing(f);
    struct weir_text text = { 0 };

    if (n_cycles) {
        weir_text_add(&text, "The network can deadlock: %u cycle%s of buffers.", (uint64_t)n_cycles,
                      value_plural(n_cycles));
    } else if (n_closing) {
        weir_text_add(&text,
                      "The network can deadlock, but only after links fail: %u failure%s close%s "
                      "a cycle.",
                      (uint64_t)n_closing, value_plural(n_closing), n_closing == 1 ? "s" : "");
    } else {
        weir_text_add(&text, "The network cannot deadlock on these routes.");
    }
    if (f->loops.n) {
        weir_text_add(&text, " Routes lead round in %u loop%s.", (uint64_t)f->loops.n,
                      value_plural(f->loops.n));
    }
    line_style_judge(text.s, n_cycles || f->loops.n ? LINE_BAD
                             : n_closing            ? LINE_DOUBTFUL
                                                    : LINE_GOOD);
    fprintf(f->o->out, "%s\n\n", text.s);
}

/* Writes commands that may show more; it leaves out those that could show nothing new. */
static void
write_next(const struct check_findings *f)
{
    static const char *const failures[] = { "failed links", "pairs of failed links" };
    const struct topo *t = &f->s->topo;
    bool has_cycle = f->cycles.n_components || count_closing(f);
    uint64_t n_fail = f->o->n_fail;

    if (f->written.n_flows) {
        if (f->written.has_deadlock) {
            next_step_write(f->o->out, "weir run %s", f->o->scenario);
        }
    } else if (has_cycle) {
        next_step_write(f->o->out, "add --scenario deadlock.yaml, then weir run deadlock.yaml");
    } else if (n_fail < 2 && !f->loops.n &&
               check_count_links(t, false) > check_count_links(t, true) + n_fail) {
        next_step_write(f->o->out, "%s --failures %u to look at %s", n_fail ? "use" : "add",
                        (unsigned)n_fail + 1, failures[n_fail]);
    }
}

void
check_write_text(const struct check_findings *f)
{
    write_verdict(f);
    write_network(f);
    check_write_loops(f);
    if (f->cycles.n_components) {
        fprintf(f->o->out,
                "CYCLE     %zu cycle%s of buffers that wait for each other, %zu buffers ",
                f->cycles.n_components, f->cycles.n_components > 1 ? "s" : "", f->cycles.n_buffers);
        fprintf(f->o->out, f->cycles.n_pipelines ? "and %zu pipelines in all\n" : "in all\n",
                f->cycles.n_pipelines);
    } else {
        fprintf(f->o->out,
                "no cycle  the network cannot deadlock, whatever is sent on these routes\n");
    }
    for (size_t i = 0; i < f->cycles.n; i++) {
        write_cycle(f, &f->cycles.cycles[i]);
    }
    if (f->cycles.n < f->cycles.n_components) {
        fprintf(f->o->out, "\nand %zu more cycles\n", f->cycles.n_components - f->cycles.n);
    }
    for (uint32_t n = 1; n <= f->o->n_fail; n++) {
        write_failures(f, n);
    }
    check_write_routing(f);
    if (f->o->scenario) {
        write_written(f);
    }
    write_next(f);
}
