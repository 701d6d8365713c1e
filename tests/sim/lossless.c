/* An engine that derives its own parameters loses nothing, whatever the links are like.
 *
 * Every engine that blocks queues runs on random trees of switches, whose nodes differ:
 *
 *     links    each with its own rate and delay, at one switch
 *     gaps     from none to many times a packet, MTU from 64 to 9216 B
 *     ends     each node with its own response time and buffer
 *     speeds   each node with its own buffer for ports from 25 and from 100 Gb/s on
 *     values   one node with one parameter set to any value
 *
 * Buffers are about as small as the engine accepts.  The scenario drawn by one seed is run under
 * every engine.  No engine may warn about its own derived values, no run may lose a packet, and
 * some packets must arrive.  Weir may refuse values or warn about them; if it does neither, nothing
 * may be lost.
 *
 *     sim-lossless              tries N_SHORT networks of each sort
 *     sim-lossless --long       tries N_LONG networks of each sort
 *     sim-lossless SORT SEED    repeats the network of this sort and seed */

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "../chance.h"
#include "base/array.h"
#include "sim/sim.h"
#include "warned.h"

/* Sanitizers cost time; the plain build tries more. */
#if defined(__SANITIZE_ADDRESS__)
enum { N_SHORT = 12 };
#else
enum { N_SHORT = 60 };
#endif
enum { N_LONG = 2000 };
enum { MAX_SWITCHES = 3, MAX_NODES = 12, MAX_FLOWS = 8, MAX_WINDOWS = 60000, MAX_PACKETS = 8000 };

enum { N_SPEEDS = 2 };
static const uint64_t speeds_gbps[N_SPEEDS] = { 25, 100 };

static const struct model_terms unlimited = { .rate_bps = WEIR_UNLIMITED };

struct sort {
    const char *name;
    bool links_differ, gaps_differ, ends_differ, speeds_differ, is_set;
};

static const struct sort sorts[] = {
    { "links", .links_differ = true },
    { "gaps", .gaps_differ = true },
    { "ends", .links_differ = true, .gaps_differ = true, .ends_differ = true },
    { "values", .links_differ = true, .is_set = true },
    { "speeds", .links_differ = true, .speeds_differ = true },
    { 0 },
};

struct drawn {
    const struct sort *sort;
    uint64_t seed, chance;
    struct topo topo;
    struct topo_link like;
    uint8_t n_classes;
    uint32_t mtu_bytes, gap_bytes;
    weir_ps response_ps[MAX_NODES]; /* [node]. */
    uint64_t buffer_parts[MAX_NODES];
    uint64_t speed_parts[MAX_NODES][N_SPEEDS];
    const char *arbitration;
    struct model_flow flows[MAX_FLOWS];
    uint32_t n_flows;
    /* The parameter that is set at one node; null: all parameters are derived. */
    const struct weir_field *set;
    uint64_t value;
    uint32_t set_at;
};

/* Random numbers. */

/* A random number up to 'most'. Each of its binary orders of magnitude is about as likely. */
static uint64_t
any_order(struct drawn *d, uint64_t most)
{
    uint64_t order = most;

    for (uint64_t n = below(&d->chance, 16); n; n--) {
        order /= 2;
    }
    return below(&d->chance, order + 1);
}

/* Networks. */

enum { LONGEST_PS = 20000000 };

static struct topo_link
draw_link(struct drawn *d)
{
    static const uint64_t gbps[] = { 1, 10, 25, 40, 100, 400 };
    struct topo_link link = { .rate_bps = ONE_OF(&d->chance, gbps) * 1000000000 };

    link.delay_ps = (weir_ps)any_order(d, LONGEST_PS);
    return link;
}

static void
add_link(struct drawn *d, uint32_t a, uint32_t b)
{
    struct topo_link link = d->sort->links_differ ? draw_link(d) : d->like;
    topo_add_link(&d->topo, a, b, &link);
}

/* Draws a tree of switches with one to three hosts each, and at least two hosts in all. */
static void
draw_network(struct drawn *d)
{
    uint32_t n_switches = 1 + (uint32_t)below(&d->chance, MAX_SWITCHES), n_hosts = 0;
    struct err err;

    d->like = draw_link(d);
    for (uint32_t s = 0; s < n_switches; s++) {
        char name[] = { 'S', (char)('1' + s), 0 };
        topo_add_node(&d->topo, TOPO_SWITCH, name);
        if (s) {
            add_link(d, s, (uint32_t)below(&d->chance, s));
        }
    }
    for (uint32_t s = 0; s < n_switches; s++) {
        for (uint64_t n = 1 + below(&d->chance, 3) + (n_switches == 1); n; n--) {
            char name[] = { 'H', (char)('1' + n_hosts++), 0 };
            add_link(d, topo_add_node(&d->topo, TOPO_NIC, name), s);
        }
    }
    if (!topo_finish(&d->topo, &err)) {
        fail_msg("%s", err.text);
    }
    topo_route(&d->topo);
}

/* Most flows go to one host, some in the other direction, so that frames wait for packets. */
static void
draw_flows(struct drawn *d, bool moves_classes)
{
    uint32_t first = (uint32_t)(d->topo.n_nodes - d->topo.n_nics), n = d->topo.n_nics;
    uint32_t one = (uint32_t)below(&d->chance, n);

    d->n_flows = 2 + (uint32_t)below(&d->chance, MAX_FLOWS - 1);
    for (uint32_t i = 0; i < d->n_flows; i++) {
        struct model_flow *f = &d->flows[i];
        uint32_t to = below(&d->chance, 4) ? one : (uint32_t)below(&d->chance, n);
        uint32_t from = (to + 1 + (uint32_t)below(&d->chance, n - 1)) % n;
        uint8_t cls = (uint8_t)below(&d->chance, d->n_classes);
        *f = (struct model_flow){ .from = first + from,
                                  .to = first + to,
                                  .cls = moves_classes ? 0 : cls,
                                  .bytes = MODEL_ENDLESS,
                                  .terms = &unlimited };
        f->start_ps = (weir_ps)any_order(d, 2 * (uint64_t)LONGEST_PS);
    }
}

static void
draw_nodes(struct drawn *d)
{
    weir_ps response = (weir_ps)any_order(d, LONGEST_PS);

    for (uint32_t i = 0; i < d->topo.n_nodes; i++) {
        bool differs = d->sort->ends_differ;
        d->response_ps[i] = differs ? (weir_ps)any_order(d, LONGEST_PS) : response;
        d->buffer_parts[i] = differs ? (4 + below(&d->chance, 4)) << below(&d->chance, 6) : 4;
        for (uint32_t k = 0; k < N_SPEEDS && d->sort->speeds_differ; k++) {
            d->speed_parts[i][k] = (4 + below(&d->chance, 4)) << below(&d->chance, 6);
        }
    }
}

static void
draw_start(struct drawn *d, const struct sort *sort, uint64_t seed, bool moves_classes)
{
    static const uint32_t mtus[] = { 256, 1500, 1500, 4096, 9216 };
    static const char *const arbitrations[] = { "fifo", "rr", "flow" };

    *d = (struct drawn){ .sort = sort, .seed = seed, .chance = seed };
    draw_network(d);
    d->mtu_bytes = ONE_OF(&d->chance, mtus);
    d->gap_bytes = 20;
    if (sort->gaps_differ) {
        d->mtu_bytes = 64 + (uint32_t)any_order(d, 9152);
        d->gap_bytes = (uint32_t)any_order(d, 2000);
    }
    d->n_classes = (uint8_t)(below(&d->chance, 2) ? 1 : 1 + below(&d->chance, WEIR_MAX_CLASSES));
    d->n_classes = moves_classes ? WEIR_MAX_CLASSES : d->n_classes;
    d->arbitration = ONE_OF(&d->chance, arbitrations);
    draw_nodes(d);
    draw_flows(d, moves_classes);
}

/* Models. */

/* Ports from each of the speeds on have buffers of their own. */
static void
set_speeds(const struct drawn *d, uint64_t buffer, uint32_t node, struct model *p,
           struct model_role *role)
{
    struct model_speed *speeds = model_own(p, array_new(N_SPEEDS, sizeof *speeds));

    for (uint32_t i = 0; i < N_SPEEDS; i++) {
        speeds[i] =
            (struct model_speed){ .from_bps = speeds_gbps[i] * 1000000000,
                                  .buffer.reserve_bytes = buffer / 4 * d->speed_parts[node][i] };
    }
    role->speeds = speeds;
    role->n_speeds = N_SPEEDS;
}

static void
set_role(const struct drawn *d, const struct weir_stack *stack, uint64_t buffer, uint32_t node,
         struct model_role *role)
{
    struct weir_buffer_class own = { .reserve_bytes = buffer / 4 * d->buffer_parts[node] };
    bool is_host = d->topo.nodes[node].kind == TOPO_NIC;

    *role = (struct model_role){ .kind = is_host ? &sim_end_kind : sim_kind_find("oq"),
                                 .scheduling = sim_scheduling_find("rr"),
                                 .stack = *stack,
                                 .buffer = is_host ? model_nic_buffer(&own, d->mtu_bytes) : own,
                                 .response_ps = d->response_ps[node] };
    if (!is_host) {
        role->arbitration = sim_arbitration_find(d->arbitration);
        role->path_choice = sim_path_choice_find("hash");
    }
    if (d->set && d->set_at == node) {
        weir_field_set(d->set, role->stack.layers[stack->n - 1].params, d->value);
    }
}

static bool
settle(const struct drawn *d, const struct weir_stack *stack, uint64_t buffer, struct model *p)
{
    struct weir_text said = { 0 };
    uint32_t node;

    *p = (struct model){ .topo = &d->topo,
                         .n_classes = d->n_classes,
                         .lossless = 0xff,
                         .mtu_bytes = d->mtu_bytes,
                         .gap_bytes = d->gap_bytes,
                         .ack_every = 1,
                         .retry_ps = WEIR_PS_PER_S,
                         .flows = d->flows,
                         .n_flows = d->n_flows,
                         .n_roles = (uint32_t)d->topo.n_nodes };
    p->roles = model_own(p, array_new(p->n_roles, sizeof *p->roles));
    p->role_of = model_own(p, array_new(p->n_roles, sizeof *p->role_of));
    for (uint32_t i = 0; i < p->n_roles; i++) {
        set_role(d, stack, buffer, i, &p->roles[i]);
        if (d->sort->speeds_differ && d->topo.nodes[i].kind == TOPO_SWITCH) {
            set_speeds(d, buffer, i, p, &p->roles[i]);
        }
        p->role_of[i] = i;
    }
    return model_settle(p, &node, &said);
}

static uint64_t
slowest_rate(const struct drawn *d)
{
    uint64_t slowest = UINT64_MAX;

    for (uint32_t i = 0; i < d->topo.n_links; i++) {
        uint64_t rate = d->topo.links[i].rate_bps;
        slowest = rate < slowest ? rate : slowest;
    }
    return slowest;
}

/* Adds an engine alone if it is lossless alone. Otherwise adds it over PFC, with thresholds that
 * these buffers reach, and with a period in which a packet can be sent. */
static void
stack_engine(const struct drawn *d, const struct weir_engine *engine, struct weir_stack *stack)
{
    if (!engine->needs_last_resort) {
        weir_stack_add(stack, engine);
        return;
    }
    weir_stack_add(stack, weir_engine_find("pfc"));
    weir_stack_add(stack, engine);
    void *params = stack->layers[1].params;
    weir_field_set(weir_field_find(engine->about.params, "th_e"), params, d->mtu_bytes);
    weir_field_set(weir_field_find(engine->about.params, "th_p"), params, 2 * d->mtu_bytes);
    weir_field_set(weir_field_find(engine->about.params, "period"), params,
                   (uint64_t)weir_wire_ps((uint64_t)d->mtu_bytes + d->gap_bytes, slowest_rate(d)));
}

/* Finds the smallest buffer, in steps of an eighth, that the engine accepts. */
static uint64_t
settle_tightly(const struct drawn *d, const struct weir_engine *engine, struct model *p)
{
    struct weir_stack stack = { 0 };
    uint64_t buffer = 4 * (uint64_t)d->mtu_bytes;

    stack_engine(d, engine, &stack);
    while (!settle(d, &stack, buffer, p)) {
        model_free(p);
        buffer += buffer / 8 + 1;
        assert_true(buffer < WEIR_MAX_BYTES / 8);
    }
    return buffer;
}

/* A minimum rate lets packets arrive even if the queue is full, so it breaks the engine's promise.
 * All other parameters keep the promise. */
static bool
keeps_promise(const struct weir_field *f)
{
    return strcmp(f->name, "min_rate") != 0;
}

static void
draw_value(struct drawn *d, const struct weir_engine *engine)
{
    const struct weir_field *fields = engine->about.params;
    uint64_t n_fields = 0, n_choices = 0;

    while (fields[n_fields].name) {
        n_fields++;
    }
    do {
        d->set = &fields[below(&d->chance, n_fields)];
    } while (!keeps_promise(d->set));
    while (d->set->kind == WEIR_CHOICE && weir_field_choice(d->set, n_choices)) {
        n_choices++;
    }
    d->value = n_choices ? below(&d->chance, n_choices)
                         : d->set->min + any_order(d, d->set->max - d->set->min);
    d->set_at = (uint32_t)below(&d->chance, d->topo.n_nodes);
}

/* Sets a random parameter at one node, with buffers large enough for it; returns false if the value
 * is refused or causes a warning. */
static bool
settle_with_value(struct drawn *d, const struct weir_engine *engine, uint64_t *buffer,
                  struct model *p)
{
    enum { MAX_DOUBLINGS = 6 };
    struct weir_stack stack = { 0 };
    bool is_taken = false;

    stack_engine(d, engine, &stack);
    draw_value(d, engine);
    for (uint32_t i = 0; i < MAX_DOUBLINGS && !is_taken; i++) {
        model_free(p);
        is_taken = settle(d, &stack, *buffer << i, p) && !is_warned(p);
        *buffer <<= is_taken ? i : 0;
    }
    return is_taken;
}

/* The time of a run: long enough to fill the buffer and to receive feedback several times, without
 * too many packets or windows. */
static weir_ps
duration(const struct drawn *d, uint64_t buffer)
{
    uint64_t slowest = UINT64_MAX, fastest = 0;
    weir_ps window = WEIR_PS_PER_S;

    for (uint32_t i = 0; i < d->topo.n_links; i++) {
        const struct topo_link *l = &d->topo.links[i];
        weir_ps least = l->delay_ps + weir_wire_ps(64, l->rate_bps);
        slowest = l->rate_bps < slowest ? l->rate_bps : slowest;
        fastest = l->rate_bps > fastest ? l->rate_bps : fastest;
        window = least < window ? least : window;
    }
    weir_ps wanted = 6 * weir_credit_period_ps(slowest) + 3 * weir_wire_ps(buffer, slowest) +
                     8 * (weir_ps)LONGEST_PS;
    weir_ps most = weir_wire_ps((uint64_t)MAX_PACKETS * d->mtu_bytes, slowest);
    wanted = wanted < most ? wanted : most;
    return wanted < MAX_WINDOWS * window ? wanted : MAX_WINDOWS * window;
}

/* The law. */

static void
print_losses(const struct drawn *d, const struct weir_engine *engine, uint64_t buffer,
             uint64_t n_dropped)
{
    print_message("sim-lossless %s %llu: %s drops %llu packets; %s, mtu %u, gap %u, %u classes, "
                  "buffer %llu x 1/4\n",
                  d->sort->name, (unsigned long long)d->seed, engine->about.name,
                  (unsigned long long)n_dropped, d->arbitration, d->mtu_bytes, d->gap_bytes,
                  d->n_classes, (unsigned long long)buffer);
    for (uint32_t i = 0; i < d->topo.n_links; i++) {
        const struct topo_link *l = &d->topo.links[i];
        print_message("  %s %s: %llu bps, %lld ps; responses %lld and %lld ps, buffers x %llu, "
                      "%llu\n",
                      d->topo.nodes[l->node[0]].name, d->topo.nodes[l->node[1]].name,
                      (unsigned long long)l->rate_bps, (long long)l->delay_ps,
                      (long long)d->response_ps[l->node[0]], (long long)d->response_ps[l->node[1]],
                      (unsigned long long)d->buffer_parts[l->node[0]],
                      (unsigned long long)d->buffer_parts[l->node[1]]);
    }
    for (const struct model_flow *f = d->flows; f < d->flows + d->n_flows; f++) {
        print_message("  %s to %s from %lld ps on, class %u\n", d->topo.nodes[f->from].name,
                      d->topo.nodes[f->to].name, (long long)f->start_ps, f->cls);
    }
    if (d->set) {
        struct weir_text value = { 0 };
        weir_text_add(&value, "%F", d->set, d->value);
        print_message("  %s of %s is %s\n", d->set->name, d->topo.nodes[d->set_at].name, value.s);
    }
}

struct counts {
    unsigned n_runs, n_losing, n_silent, n_full;
    uint64_t n_hops;
};

static bool
is_filled(const struct drawn *d, const struct sim *sim, uint64_t buffer)
{
    for (uint32_t port = 0; port < d->topo.n_ports; port++) {
        for (uint8_t cls = 0; cls < d->n_classes; cls++) {
            if (sim_queue_peak_bytes(sim, port, cls) > buffer / 2) {
                return true;
            }
        }
    }
    return false;
}

/* Whether nothing has arrived although there was enough time. */
static bool
is_silent(const struct drawn *d, const struct sim *sim, weir_ps until_ps)
{
    uint64_t received = 0;

    for (uint32_t i = 0; i < d->n_flows; i++) {
        received += sim_flow_result(sim, i).received_bytes;
    }
    return !received && until_ps > 8 * (weir_ps)LONGEST_PS;
}

static void
try_engine(const struct sort *sort, const struct weir_engine *engine, uint64_t seed,
           struct counts *counts)
{
    struct drawn d;
    struct model model;
    struct err err = { 0 };

    draw_start(&d, sort, seed, engine->moves_classes);
    uint64_t buffer = settle_tightly(&d, engine, &model);
    assert_false(is_warned(&model));
    if (sort->is_set && !settle_with_value(&d, engine, &buffer, &model)) {
        model_free(&model);
        topo_free(&d.topo);
        return;
    }
    struct sim_config run = { .until_ps = duration(&d, buffer), .seed = seed, .n_threads = 1 };
    struct sim *sim = sim_new(&run, &model, &err);
    assert_non_null(sim);
    sim_run(sim);
    struct sim_totals t = sim_totals(sim);
    counts->n_runs++;
    counts->n_hops += t.n_hops;
    counts->n_full += is_filled(&d, sim, buffer);
    bool loses = t.n_dropped_lossless > 0, silent = is_silent(&d, sim, run.until_ps);
    counts->n_losing += loses;
    counts->n_silent += silent;
    if (loses || silent) {
        print_losses(&d, engine, buffer, t.n_dropped_lossless);
    }
    sim_free(sim);
    topo_free(&d.topo);
}

/* Whether an engine of the registry blocks queues. */
static bool
is_lossless(const struct weir_engine *engine)
{
    return engine->limits & WEIR_LIMITS_OF_QUEUES;
}

static void
try_all(const struct sort *sort, uint64_t first, uint64_t n)
{
    struct counts all = { 0 };

    for (uint32_t i = 0; weir_engine_at(i); i++) {
        const struct weir_engine *engine = weir_engine_at(i);
        struct counts counts = { 0 };
        for (uint64_t seed = first; is_lossless(engine) && seed < first + n; seed++) {
            try_engine(sort, engine, seed, &counts);
        }
        if (counts.n_runs) {
            print_message("  %-6s %-14s %u runs, %u fill half a buffer, %llu hops: %u lose "
                          "packets, in %u nothing arrives\n",
                          sort->name, engine->about.name, counts.n_runs, counts.n_full,
                          (unsigned long long)counts.n_hops, counts.n_losing, counts.n_silent);
        }
        assert_true(n == 1 || !counts.n_runs || counts.n_full > counts.n_runs / 8);
        all.n_losing += counts.n_losing;
        all.n_silent += counts.n_silent;
        all.n_runs += counts.n_runs;
    }
    /* The value of a single seed may be refused by all engines. */
    assert_true(n == 1 || all.n_runs > 0);
    assert_int_equal(all.n_losing, 0);
    assert_int_equal(all.n_silent, 0);
}

static uint64_t n_networks = N_SHORT;

static void
nothing_is_lost(void **state)
{
    try_all(*state, 1, n_networks);
}

/* Found by --long: packets as short as frames, and outputs that pause and resume an input with each
 * packet, which is faster than the link to its peer carries frames. */
static void
no_pause_is_late(void **state)
{
    static const uint64_t seeds[] = { 930, 1454 };
    struct counts counts = { 0 };

    (void)state;
    for (size_t i = 0; i < sizeof seeds / sizeof *seeds; i++) {
        try_engine(&sorts[1], weir_engine_find("capfc"), seeds[i], &counts);
    }
    assert_int_equal(counts.n_full, sizeof seeds / sizeof *seeds);
    assert_int_equal(counts.n_losing, 0);
}

static struct {
    const struct sort *sort;
    uint64_t seed;
} again;

static void
nothing_is_lost_again(void **state)
{
    (void)state;
    try_all(again.sort, again.seed, 1);
}

int
main(int argc, char **argv)
{
    const struct CMUnitTest all[] = {
        { "links that differ", nothing_is_lost, NULL, NULL, (void *)&sorts[0] },
        { "gaps that differ", nothing_is_lost, NULL, NULL, (void *)&sorts[1] },
        { "ends that differ", nothing_is_lost, NULL, NULL, (void *)&sorts[2] },
        { "values that are set", nothing_is_lost, NULL, NULL, (void *)&sorts[3] },
        { "buffers by speed", nothing_is_lost, NULL, NULL, (void *)&sorts[4] },
        cmocka_unit_test(no_pause_is_late),
    };
    const struct CMUnitTest one[] = { cmocka_unit_test(nothing_is_lost_again) };

    if (argc == 3) {
        again.sort = sorts;
        while (again.sort->name && strcmp(again.sort->name, argv[1])) {
            again.sort++;
        }
        again.seed = strtoull(argv[2], NULL, 0);
        return again.sort->name ? cmocka_run_group_tests(one, NULL, NULL) : 2;
    }
    n_networks = argc > 1 && !strcmp(argv[1], "--long") ? N_LONG : N_SHORT;
    return cmocka_run_group_tests(all, NULL, NULL);
}
