/* The law: `weir check` has predicted every deadlock that a run finds, both on the routes between
 * all hosts and, with --flows, on the routes of the flows. Each buffer of the cycle that the run
 * found also waits for the next one in the graph of the check.  The cycle is a deadlock: no packet
 * in it moves again until the end of the run, unless a watchdog acts or a link goes down or comes
 * up.  A packet from elsewhere may still pass if it is so small that it fits into the remaining
 * credit.
 *
 * usage: check-law N_DEADLOCKS      draws scenarios until this number has deadlocked
 *        check-law --seed SEED      describes one */

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "bind/bind.h"
#include "bind/traffic.h"
#include "draw.h"
#include "sim/sim.h"
#include "topo/class-changes.h"

enum { MAX_DRAWS_PER_DEADLOCK = 20, LARGE = 100, VERY_LARGE = 1000 };

struct counts {
    uint32_t n_run, n_refused, n_deadlocks;
    /* Cycles that exist only because of ACKs and other packets that receivers send. */
    uint32_t n_by_answers;
    uint32_t n_by_changes; /* Cycles that exist only because routes change. */
    uint32_t n_by[3];      /* Cycles in which a queue waits for this reason (enum sim_wait). */
    uint32_t n_crossed;    /* Cycles that lead through a crossbar. */
    uint32_t n_staged;     /* Cycles that lead through a crossbar with an inner stage. */
    uint32_t n_copied;     /* Cycles that lead through a crossbar with copies at its inputs. */
    uint32_t n_inner;      /* Cycles with a link inside a fabric. */
    uint32_t n_broken;     /* Deadlocks that a watchdog broke. */
    uint32_t n_wrong;
};

/* One run. */

struct trial {
    uint64_t seed;
    struct scenario s;
    struct sim *sim;
    struct sim_deadlock deadlock;
};

/* Runs a scenario; returns false if it is refused. */
static bool
run_checks(struct trial *t, const char *text, struct err *err)
{
    struct sim_config config = { .n_threads = 1 };
    struct model model;

    if (!scn_read(&t->s, &(struct scn_source){ .name = "drawn", .text = text },
                  &(struct scn_files){ 0 }, NULL, 0, err)) {
        return false;
    }
    config.until_ps = (weir_ps)t->s.run.time_ps;
    config.seed = t->s.run.seed;
    if (bind_model(&t->s, &model, err)) {
        t->sim = sim_new(&config, &model, err);
    } else {
        model_free(&model);
    }
    if (!t->sim) {
        scn_free(&t->s);
        return false;
    }
    sim_run(t->sim);
    t->deadlock = sim_deadlock(t->sim);
    return true;
}

static void
end(struct trial *t)
{
    sim_free(t->sim);
    scn_free(&t->s);
}

/* The result of `weir check`. */

/* Whether the graph has every edge of the cycle that the run found. For an edge, packets that a
 * port has sent wait at the other end of its link for the next port. */
static bool
has_ring(const struct trial *t, const struct depend *graph)
{
    const struct sim_deadlock *d = &t->deadlock;
    bool has = true;

    for (uint32_t i = 0; i < d->n_cycle && d->n_cycle < SIM_MAX_CYCLE; i++) {
        const struct sim_stuck *next = &d->cycle[(i + 1) % d->n_cycle];
        uint32_t in = t->s.topo.ports[d->cycle[i].port].peer;
        has &= depend_has_edge(graph, in, next->port, d->cycle[i].cls, next->cls);
    }
    return has;
}

enum verdict { POSSIBLE, NO_CYCLE, OTHER_RING };

static enum verdict
ask(const struct trial *t, const struct depend_traffic *traffic)
{
    struct depend *graph = depend_new(&t->s.topo, traffic);
    enum verdict verdict = !depend_is_cyclic(graph) ? NO_CYCLE
                           : !has_ring(t, graph)    ? OTHER_RING
                                                    : POSSIBLE;

    depend_free(graph);
    return verdict;
}

/* Whether the check also finds a cycle if it uses only as many classes as can differ, like the
 * program. */
static bool
is_cyclic_in_short(const struct trial *t, const struct depend_traffic *traffic)
{
    struct depend_traffic fewer = *traffic;

    fewer.n_classes = bind_classes_that_differ(traffic);
    struct depend *graph = depend_new(&t->s.topo, &fewer);
    bool is = depend_is_cyclic(graph);
    depend_free(graph);
    return is;
}

/* Whether buffers can wait in a cycle if engines move packets between classes, by the tables of
 * these engines. */
static bool
can_move_in_rings(const struct trial *t)
{
    uint32_t n_classes = (uint32_t)t->s.wire.classes, n = (uint32_t)t->s.topo.n_ports * n_classes;
    uint8_t *tables = array_new(n, sizeof *tables);

    for (uint32_t i = 0; i < n; i++) {
        tables[i] = sim_class_here(t->sim, i / n_classes, (uint8_t)(i % n_classes));
    }
    uint8_t *waits = bind_waits(&t->s);
    struct topo_class_changes moves = { &t->s.topo, n_classes, tables, bind_classes_sent(&t->s),
                                        waits };
    bool can = topo_class_changes_can_cycle(&moves);
    free(waits);
    free(tables);
    return can;
}

/* Counts the cycle if it needs packets that receivers send, or routes that change. */
static void
count_needs(const struct trial *t, const struct bind_traffic *b, struct counts *counts)
{
    struct depend_traffic without = b->traffic;
    struct depend_flow *data = array_new(b->traffic.n_flows, sizeof *data);

    without.n_changes = 0;
    counts->n_by_changes += b->traffic.n_changes && ask(t, &without) != POSSIBLE;
    without = b->traffic;
    without.n_flows = 0;
    for (size_t i = 0; i < b->traffic.n_flows; i++) {
        if (!b->flows[i].is_answer) {
            data[without.n_flows++] = b->flows[i];
        }
    }
    without.flows = data;
    counts->n_by_answers += ask(t, &without) != POSSIBLE;
    free(data);
}

static const char *
judge(const struct trial *t, enum bind_traffic_of of, struct counts *counts)
{
    static const char *const words[] = { NULL, "no cycle", "a ring of other buffers" };
    struct bind_traffic b;

    bind_traffic(&t->s, of, &b);
    const char *wrong = words[ask(t, &b.traffic)];
    if (!wrong && !is_cyclic_in_short(t, &b.traffic)) {
        wrong = "no cycle in the classes that differ";
    }
    if (of == BIND_FLOWS) {
        count_needs(t, &b, counts);
    }
    bind_traffic_free(&b);
    return wrong;
}

static void
count_waits(const struct sim_deadlock *d, struct counts *counts)
{
    bool has[3] = { false };

    for (uint32_t i = 0; i < d->n_cycle; i++) {
        has[d->cycle[i].wait] = true;
    }
    for (uint32_t wait = 0; wait < 3; wait++) {
        counts->n_by[wait] += has[wait];
    }
}

/* A parameter of a switch's kind, or 0 if that kind has no parameter of this name. */
static uint64_t
param_of(const struct scenario *s, uint32_t node, const char *name)
{
    const struct scn_switch *of =
        s->role_of[node] ? &s->roles[s->role_of[node] - 1].switches : &s->switches;
    const struct sim_kind *kind = sim_kind_find(weir_plugin_name(&sim_kinds, of->kind));
    const struct weir_field *field =
        kind->about.params ? weir_field_find(kind->about.params, name) : NULL;

    return field ? weir_field_get(field, of->kind_params) : 0;
}

static void
count_crossbars(const struct trial *t, struct counts *counts)
{
    bool is_crossed = false, is_staged = false, is_copied = false, is_inner = false;

    for (uint32_t i = 0; i < t->deadlock.n_cycle; i++) {
        const struct topo_port *p = &t->s.topo.ports[t->deadlock.cycle[i].port];
        is_crossed |= param_of(&t->s, p->node, "speedup") > 0;
        is_staged |= param_of(&t->s, p->node, "inner_buffer") > 0;
        is_copied |= param_of(&t->s, p->node, "reliable") > 0;
        is_inner |= t->s.topo.links[p->link].is_inner;
    }
    counts->n_crossed += is_crossed;
    counts->n_staged += is_staged;
    counts->n_copied += is_copied;
    counts->n_inner += is_inner;
}

/* Output. */

static void
report_cycle(const struct trial *t)
{
    static const char *const waits[] = { "", " (pipeline)", " (output)" };
    const struct sim_deadlock *d = &t->deadlock;

    printf("  seed %llu: the run finds a ring:", (unsigned long long)t->seed);
    for (uint32_t i = 0; i < d->n_cycle; i++) {
        const struct topo_port *p = &t->s.topo.ports[d->cycle[i].port];
        printf(" %s-%s/%u%s", t->s.topo.nodes[p->node].name,
               t->s.topo.nodes[t->s.topo.ports[p->peer].node].name, d->cycle[i].cls,
               waits[d->cycle[i].wait]);
    }
    printf("\n");
}

/* Whether a queue of the cycle has sent a packet after the deadlock formed. Ignores a queue with
 * credit for small packets, because such a packet may come from outside the cycle. */
static bool
queue_has_moved(const struct trial *t, const struct sim_stuck *queue)
{
    struct sim_gate_state g = sim_gate_state(t->sim, queue->port, queue->cls, sim_now(t->sim));
    bool lets_small_pass = g.credit_bytes < sim_model(t->sim)->mtu_bytes;

    return g.last_ps > t->deadlock.formed_ps && !lets_small_pass;
}

static bool
has_moved(const struct trial *t)
{
    const struct sim_deadlock *d = &t->deadlock;
    bool has = false;

    for (uint32_t i = 0; i < d->n_cycle; i++) {
        has |= queue_has_moved(t, &d->cycle[i]);
    }
    return has && !d->broken_ps && !t->s.n_link_events;
}

static void
hold_to(const struct trial *t, const char *text, struct counts *counts)
{
    if (has_moved(t)) {
        report_cycle(t);
        printf("  which moves again\n%s\n", text);
        counts->n_wrong++;
    }
    bool is_moved = model_moves_classes(sim_model(t->sim));
    const char *plain = is_moved ? NULL : judge(t, BIND_ALL_HOSTS, counts);
    const char *flows = is_moved ? NULL : judge(t, BIND_FLOWS, counts);

    if (is_moved && !can_move_in_rings(t)) {
        plain = "no cycle by the tables of the engines";
    }
    if (plain || flows) {
        report_cycle(t);
        printf("  weir check says: %s; with --flows: %s\n%s\n", plain ? plain : "possible",
               flows ? flows : "possible", text);
        counts->n_wrong++;
    }
}

static void
try_seed(uint64_t seed, struct counts *counts, bool tells)
{
    struct trial t = { .seed = seed };
    struct err err = { 0 };
    char *text = draw_scenario(seed);

    if (!run_checks(&t, text, &err)) {
        counts->n_refused++;
        if (tells) {
            printf("%s\n%s", text, err.text);
        }
        free(text);
        return;
    }
    counts->n_run++;
    if (t.deadlock.found) {
        counts->n_deadlocks++;
        counts->n_broken += t.deadlock.broken_ps > 0;
        count_waits(&t.deadlock, counts);
        count_crossbars(&t, counts);
        hold_to(&t, text, counts);
    }
    if (tells) {
        printf("%s", text);
        report_cycle(&t);
    }
    end(&t);
    free(text);
}

int
main(int argc, char **argv)
{
    struct counts t = { 0 };
    uint32_t wanted = argc > 1 ? (uint32_t)strtoul(argv[1], NULL, 10) : 100;

    if (argc > 2 && !strcmp(argv[1], "--seed")) {
        try_seed(strtoull(argv[2], NULL, 0), &t, true);
        return t.n_wrong ? 1 : 0;
    }
    for (uint64_t seed = 1; t.n_deadlocks < wanted && seed <= wanted * MAX_DRAWS_PER_DEADLOCK;
         seed++) {
        try_seed(seed, &t, false);
    }
    printf("%u runs, %u more refused: %u deadlocks, of which %u need what receivers send back, %u "
           "need routes that change, %u lead through pipelines, %u through outputs that are too "
           "long, %u through crossbars (%u with an inner stage, %u with copies, %u inside a "
           "fabric), %u were broken by a watchdog; check had missed %u\n",
           t.n_run, t.n_refused, t.n_deadlocks, t.n_by_answers, t.n_by_changes,
           t.n_by[SIM_WAITS_FOR_PIPELINE], t.n_by[SIM_WAITS_FOR_OUTPUT], t.n_crossed, t.n_staged,
           t.n_copied, t.n_inner, t.n_broken, t.n_wrong);
    /* A small sample may miss rare cases; changing routes are the rarest. */
    bool is_all = t.n_by_answers && t.n_by[SIM_WAITS_FOR_PIPELINE] &&
                  t.n_by[SIM_WAITS_FOR_OUTPUT] && t.n_crossed && t.n_staged && t.n_copied &&
                  t.n_inner && (t.n_by_changes || wanted < VERY_LARGE);
    bool is_met = t.n_deadlocks >= wanted && (wanted < LARGE || is_all);
    return t.n_wrong || !is_met ? 1 : 0;
}
