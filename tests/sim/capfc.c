/* Under CaPFC nothing is dropped after a pipeline, if its check gives no warning.
 *
 * The networks are random stars and small trees of switches with a pipeline, which drop packets
 * that do not fit an output. Links are equal or different, with any gap, MTU and packet length.
 * Pipelines are faster or slower than the links, traffic goes in both directions, and receivers
 * pause for a while. Inputs have exactly the headroom that the engine requests, and outputs exactly
 * the room for its peak queue: with a byte less, it warns.  No run may drop a packet, at an input
 * or at an output, and in some an output must come close to being full.  A reading of the paper
 * without a bound warns for any room, and drops packets in a room that is enough for another
 * reading.
 *
 *     sim-capfc             tries N_SHORT networks
 *     sim-capfc --long      tries N_LONG networks
 *     sim-capfc SEED        repeats the network of this seed */

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

#if defined(__SANITIZE_ADDRESS__)
enum { N_SHORT = 60 };
#else
enum { N_SHORT = 600 };
#endif
enum { N_LONG = 30000 };
enum { MAX_SWITCHES = 3, MAX_HOSTS = 9, MAX_NODES = MAX_SWITCHES + MAX_HOSTS };
enum { MAX_STREAMS = 12, CHAIN = 150, MAX_FLOWS = MAX_STREAMS * (CHAIN + 1), MAX_PACKETS = 3000 };
enum { MAX_WINDOWS = 40000, LONGEST_PS = 20000000, LEAST_BYTES = 64 };

static const struct model_terms unlimited = { .rate_bps = WEIR_UNLIMITED };

/* Parameters of the kind 'pipeline', in the order of its fields. */
struct pipeline {
    uint64_t pps, delay_ps, full, egress_bytes, egress_of, memory, port_limit_bytes;
    uint64_t outputs_limit_bytes;
};

struct reading {
    const char *stop, *again, *cut;
};

static const struct reading readings[] = {
    { "max", "yes", "0.8" },
    { "calibrate", "no", "1" },
    { "max", "no", "1" },
    { "calibrate", "yes", "0.5" },
};

struct drawn {
    uint64_t seed, chance;
    struct topo topo;
    uint8_t n_classes;
    uint32_t mtu_bytes, gap_bytes;
    weir_ps response_ps[MAX_NODES]; /* [node]. */
    struct pipeline pipeline;
    struct weir_stack stack;
    const struct reading *reading;
    uint64_t buffer_bytes;
    struct model_flow flows[MAX_FLOWS];
    uint32_t n_flows;
    struct model_stall stalls[MAX_HOSTS];
    uint32_t n_stalls;
};

/* A random number up to 'most'. Each of its binary orders of magnitude is about as likely. */
static uint64_t
any_order(struct drawn *d, uint64_t most)
{
    return below(&d->chance, (most >> below(&d->chance, 16)) + 1);
}

/* Networks. */

static struct topo_link
draw_link(struct drawn *d)
{
    static const uint64_t gbps[] = { 1, 10, 10, 25, 40, 100 };
    struct topo_link link = { .rate_bps = ONE_OF(&d->chance, gbps) * 1000000000 };

    link.delay_ps = (weir_ps)any_order(d, LONGEST_PS);
    return link;
}

static void
draw_network(struct drawn *d)
{
    bool differ = one_in(&d->chance, 3);
    uint32_t n_switches = one_in(&d->chance, 3) ? 2 + (uint32_t)below(&d->chance, 2) : 1;
    uint32_t n_hosts = n_switches + 2 + (uint32_t)below(&d->chance, MAX_HOSTS - n_switches - 1);
    struct topo_link like = draw_link(d);
    struct err err;

    for (uint32_t s = 0; s < n_switches; s++) {
        char name[] = { 'S', (char)('1' + s), 0 };
        struct topo_link link = differ ? draw_link(d) : like;
        topo_add_node(&d->topo, TOPO_SWITCH, name);
        if (s) {
            topo_add_link(&d->topo, s, (uint32_t)below(&d->chance, s), &link);
        }
    }
    for (uint32_t h = 0; h < n_hosts; h++) {
        char name[] = { 'H', (char)('1' + h), 0 };
        struct topo_link link = differ ? draw_link(d) : like;
        uint32_t at = h < n_switches ? h : (uint32_t)below(&d->chance, n_switches);
        topo_add_link(&d->topo, topo_add_node(&d->topo, TOPO_NIC, name), at, &link);
    }
    if (!topo_finish(&d->topo, &err)) {
        fail_msg("%s", err.text);
    }
    topo_route(&d->topo);
}

static uint64_t
slowest_bps(const struct drawn *d)
{
    uint64_t least = UINT64_MAX;

    for (uint32_t i = 0; i < d->topo.n_links; i++) {
        uint64_t rate = d->topo.links[i].rate_bps;
        least = rate < least ? rate : least;
    }
    return least;
}

/* The pipeline has from a quarter to many times the speed that the ports of the first switch need
 * for long packets. */
static void
draw_pipeline(struct drawn *d)
{
    uint64_t rate = d->topo.links[d->topo.n_links - 1].rate_bps;
    uint64_t packets =
        WEIR_PS_PER_S / (uint64_t)weir_wire_ps((uint64_t)d->mtu_bytes + d->gap_bytes, rate);
    uint64_t quarters = (1 + below(&d->chance, 5)) << below(&d->chance, 10);

    d->pipeline.pps = 1 + d->topo.nodes[0].n_ports * packets * quarters / 4;
    d->pipeline.delay_ps = any_order(d, LONGEST_PS);
    d->pipeline.egress_of = one_in(&d->chance, 4);
}

/* Flows. */

static void
add_flow(struct drawn *d, const struct model_flow *like, uint64_t bytes, uint32_t after)
{
    struct model_flow *f = &d->flows[d->n_flows++];

    *f = *like;
    f->bytes = bytes;
    f->after = after;
    f->start_ps = after ? 0 : like->start_ps;
}

/* Adds an endless stream of packets of the maximum length. Half of the streams begin with packets
 * to 'before': short ones, or of any length. Then long packets wait at an input behind short ones,
 * for which the pipeline is too slow, and none of these are at the output of the long ones. */
static void
add_stream(struct drawn *d, const struct model_flow *like, uint32_t before)
{
    enum { SHORT, ANY, LONG };
    uint64_t sort = below(&d->chance, 4), n = sort < LONG ? 1 + below(&d->chance, CHAIN) : 0;
    struct model_flow first = *like;
    uint32_t after = 0;

    first.to = before == like->from ? like->to : before;
    for (uint64_t i = 0; i < n; i++) {
        uint64_t more = sort == SHORT ? 0 : below(&d->chance, d->mtu_bytes - LEAST_BYTES + 1);
        add_flow(d, &first, LEAST_BYTES + more, after);
        after = d->n_flows;
    }
    add_flow(d, like, MODEL_ENDLESS, after);
}

/* Most flows go to one host, some in the other direction, so that frames wait for packets. */
static void
draw_flows(struct drawn *d)
{
    uint32_t first = (uint32_t)(d->topo.n_nodes - d->topo.n_nics), n = d->topo.n_nics;
    uint32_t one = (uint32_t)below(&d->chance, n), n_streams = n - 1;
    uint64_t spread = any_order(d, 2 * (uint64_t)LONGEST_PS) + 1;
    bool turns = one_in(&d->chance, 2), is_apart = one_in(&d->chance, 2);

    n_streams += (uint32_t)below(&d->chance, MAX_STREAMS - n_streams + 1);
    for (uint32_t i = 0; i < n_streams; i++) {
        bool goes_there = i < n - 1 || (!turns && one_in(&d->chance, 2));
        uint32_t from = (one + 1 + i % (n - 1)) % n;
        uint32_t to = (from + 1 + (uint32_t)below(&d->chance, n - 1)) % n;
        struct model_flow f = { .from = first + from,
                                .to = first + (goes_there ? one : to),
                                .cls = (uint8_t)below(&d->chance, d->n_classes),
                                .terms = &unlimited,
                                .start_ps = (weir_ps)below(&d->chance, spread) };
        uint32_t before = is_apart ? first + (from + 1) % n : f.to;
        if (turns && !goes_there) {
            f.from = first + one;
            f.to = first + from;
        }
        add_stream(d, &f, before);
    }
    if (one_in(&d->chance, 2)) {
        weir_ps from = (weir_ps)any_order(d, 4 * (uint64_t)LONGEST_PS);
        d->stalls[d->n_stalls++] =
            (struct model_stall){ .node = first + one,
                                  .classes = 0xff,
                                  .from_ps = from,
                                  .until_ps = from + 1 + (weir_ps)any_order(d, 1000000000) };
    }
}

/* Engines. */

static void
set_word(struct drawn *d, const char *name, const char *word)
{
    struct weir_text why = { 0 };

    if (!weir_stack_set(&d->stack, 0, name, word, &why)) {
        fail_msg("%s: %s", name, why.s);
    }
}

static void
set_bytes(struct drawn *d, const char *name, uint64_t bytes)
{
    struct weir_text word = { 0 };
    weir_text_add(&word, "%uB", bytes);
    set_word(d, name, word.s);
}

static void
set_reading(struct drawn *d, const struct reading *r)
{
    d->reading = r;
    set_word(d, "stop", r->stop);
    set_word(d, "again", r->again);
    set_word(d, "cut", r->cut);
}

static void
draw_engine(struct drawn *d)
{
    uint64_t xoff = LEAST_BYTES + any_order(d, 20 * (uint64_t)d->mtu_bytes);
    uint64_t apart = 1 + any_order(d, xoff - 1), xon = xoff - apart;
    uint64_t warn = xon + below(&d->chance, xoff - xon + 1);

    weir_stack_add(&d->stack, weir_engine_find("capfc"));
    set_word(d, "on_drop", one_in(&d->chance, 2) ? "yes" : "no");
    set_bytes(d, "egress_xoff", xoff);
    set_bytes(d, "egress_xon", xon);
    set_bytes(d, "egress_warn", one_in(&d->chance, 4) ? xoff : warn);
}

static void
draw(struct drawn *d, uint64_t seed)
{
    static const uint32_t mtus[] = { 64, 256, 1500, 1500, 4096, 9216 };
    static const uint32_t gaps[] = { 0, 20, 20, 200 };

    memset(d, 0, sizeof *d);
    d->seed = d->chance = seed;
    draw_network(d);
    d->mtu_bytes = ONE_OF(&d->chance, mtus);
    d->gap_bytes = ONE_OF(&d->chance, gaps);
    d->n_classes = (uint8_t)(one_in(&d->chance, 2) ? 1 : 1 + below(&d->chance, 3));
    weir_ps response = (weir_ps)any_order(d, LONGEST_PS);
    for (uint32_t i = 0; i < d->topo.n_nodes; i++) {
        d->response_ps[i] = response;
    }
    draw_pipeline(d);
    draw_flows(d);
    draw_engine(d);
}

/* Models. */

static void
set_role(const struct drawn *d, uint32_t node, struct model_role *role)
{
    struct weir_buffer_class own = { .reserve_bytes = d->buffer_bytes };
    bool is_host = d->topo.nodes[node].kind == TOPO_NIC;

    *role = (struct model_role){ .kind = is_host ? &sim_end_kind : sim_kind_find("pipeline"),
                                 .scheduling = sim_scheduling_find("rr"),
                                 .stack = d->stack,
                                 .buffer = is_host ? model_nic_buffer(&own, d->mtu_bytes) : own,
                                 .response_ps = d->response_ps[node] };
    if (!is_host) {
        role->arbitration = sim_arbitration_find("fifo");
        role->path_choice = sim_path_choice_find("hash");
        memcpy(role->kind_params, &d->pipeline, sizeof d->pipeline);
    }
}

static bool
settle(const struct drawn *d, struct model *p)
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
                         .stalls = d->stalls,
                         .n_stalls = d->n_stalls,
                         .n_roles = (uint32_t)d->topo.n_nodes };
    p->roles = model_own(p, array_new(p->n_roles, sizeof *p->roles));
    p->role_of = model_own(p, array_new(p->n_roles, sizeof *p->role_of));
    for (uint32_t i = 0; i < p->n_roles; i++) {
        set_role(d, i, &p->roles[i]);
        p->role_of[i] = i;
    }
    return model_settle(p, &node, &said);
}

static bool
is_fine(const struct drawn *d)
{
    struct model p;
    bool good = settle(d, &p) && !is_warned(&p);

    model_free(&p);
    return good;
}

/* Finds the smallest input buffers, in steps of an eighth, for which the engine does not warn. Then
 * it may choose larger ones, where more packets can wait for the pipeline. */
static void
fit_inputs(struct drawn *d)
{
    d->pipeline.egress_bytes = 0;
    d->buffer_bytes = 4 * (uint64_t)d->mtu_bytes;
    while (!is_fine(d)) {
        d->buffer_bytes += d->buffer_bytes / 8 + 1;
        assert_true(d->buffer_bytes < WEIR_MAX_BYTES / 64);
    }
    d->buffer_bytes <<= below(&d->chance, 4);
}

/* Finds the smallest output buffers for which Weir does not warn.  Returns false if Weir warns for
 * every size. */
static bool
fit_outputs(struct drawn *d)
{
    uint64_t low = d->mtu_bytes - 1, high = WEIR_MAX_BYTES;

    d->pipeline.egress_bytes = high;
    if (!is_fine(d)) {
        return false;
    }
    while (high - low > 1) {
        uint64_t middle = d->pipeline.egress_bytes = low + (high - low) / 2;
        *(is_fine(d) ? &high : &low) = middle;
    }
    d->pipeline.egress_bytes = high;
    return true;
}

/* The time of a run: long enough to fill an output a few times, without too many packets or
 * windows. */
static weir_ps
duration(const struct drawn *d)
{
    weir_ps window = WEIR_PS_PER_S, slow;

    for (uint32_t i = 0; i < d->topo.n_links; i++) {
        const struct topo_link *l = &d->topo.links[i];
        weir_ps least = l->delay_ps + weir_wire_ps(64, l->rate_bps);
        window = least < window ? least : window;
    }
    slow = weir_wire_ps((uint64_t)MAX_PACKETS * d->mtu_bytes, slowest_bps(d));
    weir_ps wanted =
        4 * weir_wire_ps(d->pipeline.egress_bytes, slowest_bps(d)) + 16 * (weir_ps)LONGEST_PS;
    wanted = wanted < slow ? wanted : slow;
    return wanted < MAX_WINDOWS * window ? wanted : MAX_WINDOWS * window;
}

/* The law: no packet is dropped. */

struct counts {
    /* n_half and n_near count runs in which an output was filled to a half, or to nine tenths. */
    unsigned n_runs, n_losing, n_half, n_near;
    uint64_t n_hops;
    bool is_told; /* Print each run that drops a packet. */
};

static void
print_losses(const struct drawn *d, const struct sim_totals *t)
{
    const struct pipeline *p = &d->pipeline;

    print_message("sim-capfc %llu: %s drops %llu; mtu %u, gap %u, %u classes, %llu pps, %llu ps, "
                  "inputs %llu B, outputs %llu B\n",
                  (unsigned long long)d->seed, d->reading->stop,
                  (unsigned long long)t->n_dropped_lossless, d->mtu_bytes, d->gap_bytes,
                  d->n_classes, (unsigned long long)p->pps, (unsigned long long)p->delay_ps,
                  (unsigned long long)d->buffer_bytes, (unsigned long long)p->egress_bytes);
    for (uint32_t i = 0; i < d->topo.n_links; i++) {
        const struct topo_link *l = &d->topo.links[i];
        print_message("  %s %s: %llu bps, %lld ps\n", d->topo.nodes[l->node[0]].name,
                      d->topo.nodes[l->node[1]].name, (unsigned long long)l->rate_bps,
                      (long long)l->delay_ps);
    }
}

static uint64_t
longest_output(const struct drawn *d, const struct sim *sim)
{
    uint64_t longest = 0;

    for (uint32_t port = 0; port < d->topo.n_ports; port++) {
        for (uint8_t cls = 0; cls < d->n_classes; cls++) {
            bool is_host = d->topo.nodes[d->topo.ports[port].node].kind == TOPO_NIC;
            uint64_t peak = is_host ? 0 : sim_output_peak_bytes(sim, port, cls);
            longest = peak > longest ? peak : longest;
        }
    }
    return longest;
}

static void
run_star(const struct drawn *d, struct counts *counts)
{
    struct sim_config config = { .until_ps = duration(d), .seed = d->seed, .n_threads = 1 };
    struct err err = { 0 };
    struct model model;

    assert_true(settle(d, &model));
    struct sim *sim = sim_new(&config, &model, &err);
    assert_non_null(sim);
    sim_run(sim);
    struct sim_totals t = sim_totals(sim);
    uint64_t longest = longest_output(d, sim), room = d->pipeline.egress_bytes;
    counts->n_runs++;
    counts->n_hops += t.n_hops;
    counts->n_half += longest > room / 2;
    counts->n_near += longest > room - room / 10;
    counts->n_losing += t.n_dropped_lossless > 0;
    if (t.n_dropped_lossless && counts->is_told) {
        print_losses(d, &t);
    }
    sim_free(sim);
}

static uint64_t first_seed = 1, n_seeds = N_SHORT;

static void
show_counts(const struct counts *t, const struct reading *r)
{
    print_message("  %-9s %u runs, %llu hops, %u fill half an output, %u nine tenths: %u drop\n",
                  r->stop, t->n_runs, (unsigned long long)t->n_hops, t->n_half, t->n_near,
                  t->n_losing);
}

static void
nothing_is_dropped(void **state)
{
    struct counts counts = { .is_told = true };
    static struct drawn d;

    for (uint64_t seed = first_seed; seed < first_seed + n_seeds; seed++) {
        draw(&d, seed);
        set_reading(&d, *state);
        fit_inputs(&d);
        assert_true(fit_outputs(&d));
        run_star(&d, &counts);
        topo_free(&d.topo);
    }
    show_counts(&counts, *state);
    assert_int_equal(counts.n_losing, 0);
    assert_true(n_seeds == 1 || counts.n_half > counts.n_runs / 8);
}

/* Outputs have the size that is enough for readings[1], under which every input is paused. */
static void
something_is_dropped(void **state)
{
    struct counts counts = { 0 };
    static struct drawn d;

    for (uint64_t seed = first_seed; seed < first_seed + n_seeds; seed++) {
        draw(&d, seed);
        set_reading(&d, *state);
        fit_inputs(&d);
        assert_false(fit_outputs(&d));
        set_reading(&d, &readings[1]);
        assert_true(fit_outputs(&d));
        set_reading(&d, *state);
        run_star(&d, &counts);
        topo_free(&d.topo);
    }
    show_counts(&counts, *state);
    assert_true(n_seeds == 1 || counts.n_losing > 0);
}

int
main(int argc, char **argv)
{
    const struct CMUnitTest all[] = {
        { "Stop-Max, again", nothing_is_dropped, NULL, NULL, (void *)&readings[0] },
        { "Stop-Calibrate, all", nothing_is_dropped, NULL, NULL, (void *)&readings[1] },
        { "Stop-Max to the letter", something_is_dropped, NULL, NULL, (void *)&readings[2] },
        { "Stop-Calibrate, a share", something_is_dropped, NULL, NULL, (void *)&readings[3] },
    };

    if (argc > 1 && !strcmp(argv[1], "--long")) {
        n_seeds = N_LONG;
    } else if (argc > 1) {
        first_seed = strtoull(argv[1], NULL, 0);
        n_seeds = 1;
    }
    return cmocka_run_group_tests(all, NULL, NULL);
}
