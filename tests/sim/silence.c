/* A law of silence, tested on random scenarios: a run that holds packets and sends nothing in its
 * last tenth is reported as silent or deadlocked. doc/correctness.md has the counts.
 *
 *     sim-silence            runs random scenarios
 *     sim-silence --long     runs many more
 *     sim-silence SEED       repeats the scenario of this seed */

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/array.h"
#include "draw.h"

#if defined(__SANITIZE_ADDRESS__)
enum { N_SCENARIOS = 100 };
#else
enum { N_SCENARIOS = 160 };
#endif

enum { LONGER = 10 };

struct law {
    const struct draw *draw;
    struct sim *sim;
    uint64_t seed;
    /* The bytes that all ports had sent at the last sample, after nine tenths of the run. */
    uint64_t sent_bytes;
    weir_ps at_ps; /* The time of that sample. */
    struct sim_silence found;
};

struct sums {
    unsigned n_run, n_still, n_silent, n_deadlocked, n_hosts, n_flows;
};

static void
hold(const struct law *law, bool holds, const char *what)
{
    if (!holds) {
        draw_fail(law->draw, law->seed, what);
    }
}

static uint64_t
sent_by_all(const struct sim *sim)
{
    uint64_t bytes = 0;

    for (uint32_t p = 0; p < sim_model(sim)->topo->n_ports; p++) {
        bytes += sim_port_result(sim, p).sent_bytes;
    }
    return bytes;
}

static void
take_sample(void *arg, struct sim *sim, weir_ps now)
{
    struct law *law = arg;

    law->sent_bytes = sent_by_all(sim);
    law->at_ps = now;
}

static bool
count_held(void *arg, const struct sim_waiting *w)
{
    (void)w;
    ++*(uint64_t *)arg;
    return true;
}

static bool
switches_hold_packets(const struct law *law)
{
    uint64_t n = 0;

    for (uint32_t id = 0; id < law->draw->topo.n_nodes; id++) {
        if (law->draw->topo.nodes[id].kind == TOPO_SWITCH) {
            sim_each_held(law->sim, id, count_held, &n);
        }
    }
    return n > 0;
}

/* Whether there is a flow that only the network keeps from sending. */
static bool
has_eager_flow(const struct law *law)
{
    bool has = false;

    for (uint32_t i = 0; i < law->draw->config.n_flows && !has; i++) {
        const struct simple_net_flow *f = &law->draw->flows[i];
        struct sim_flow_result r = sim_flow_result(law->sim, i);
        has = !transport_recovery(f->transport, f->recovery)->is_reliable && !f->stop_ps &&
              (!f->transport || !f->transport->start) && f->rate_bps == WEIR_UNLIMITED &&
              sim_flow_limit_bps(law->sim, i) == WEIR_UNLIMITED && r.started_ps >= 0 &&
              r.started_ps < law->at_ps && r.sent_bytes < f->bytes;
    }
    return has;
}

/* Whether nothing was sent in the last tenth, although packets were waiting. */
static bool
stands_still(const struct law *law)
{
    return sent_by_all(law->sim) == law->sent_bytes &&
           (switches_hold_packets(law) || has_eager_flow(law));
}

/* The longest time of a packet on a link that is slowed down: it may be longer than a tenth of the
 * run. */
static weir_ps
longest_packet_ps(const struct law *law)
{
    const struct simple_net *c = &law->draw->config;
    weir_ps longest_ps = 0;

    for (uint32_t i = 0; i < c->n_slowings; i++) {
        weir_ps ps = weir_wire_ps(c->mtu_bytes + c->gap_bytes, c->slowings[i].rate_bps);
        longest_ps = ps > longest_ps ? ps : longest_ps;
    }
    return longest_ps;
}

static void
what_stands_still_is_found(const struct law *law, struct sums *sums)
{
    weir_ps tenth_ps = sim_now(law->sim) - law->at_ps;
    bool is_long = tenth_ps > sim_watch_ps(law->sim) && tenth_ps > longest_packet_ps(law);
    bool is_still = is_long && law->at_ps && stands_still(law);

    hold(law, !is_still || law->found.n_queues || sim_deadlock(law->sim).stands,
         "nothing moves, and neither silence nor a deadlock was found");
    sums->n_still += is_still;
}

static void
what_is_silent_has_not_moved(const struct law *law)
{
    const struct topo *topo = &law->draw->topo;
    weir_ps now = sim_now(law->sim), least_ps = now / 10;

    for (size_t i = 0; i < law->found.n_queues; i++) {
        const struct sim_silent *q = &law->found.queues[i];
        hold(law, sim_gate_state(law->sim, q->number, q->cls, now).last_ps <= now - least_ps,
             "a silent queue has sent something");
    }
    for (size_t i = 0; i < law->found.n_hosts; i++) {
        const struct sim_silent *h = &law->found.hosts[i];
        hold(law, topo->nodes[h->number].kind == TOPO_NIC && h->since_ps <= now - least_ps,
             "a silent host has sent something");
    }
    for (size_t i = 0; i < law->found.n_flows; i++) {
        const struct sim_silent *f = &law->found.flows[i];
        struct sim_flow_result r = sim_flow_result(law->sim, f->number);
        hold(law, r.last_ps <= now - least_ps && r.started_ps <= now - least_ps,
             "something of a silent flow has arrived");
        hold(law, r.received_bytes < law->draw->flows[f->number].bytes, "a silent flow is through");
    }
}

/* A queue can only be silent if a gate or a link that is down blocks it. */
static void
nothing_is_silent_that_nothing_blocks(const struct law *law)
{
    bool has_gates = sim_model(law->sim)->engines[0].stack.layers[0].engine->limits;

    hold(law, has_gates || law->draw->config.n_link_events || !law->found.n_queues,
         "a queue is silent that no gate blocks");
}

static void
assert_same(const struct law *law, const struct sim_silent *a, size_t n_a,
            const struct sim_silent *b, size_t n_b)
{
    hold(law, n_a == n_b, "threads changed what is silent");
    for (size_t i = 0; i < n_a; i++) {
        hold(law, a[i].number == b[i].number && a[i].since_ps == b[i].since_ps,
             "threads changed since when");
    }
}

static void
threads_do_not_matter(const struct law *law)
{
    struct simple_net c = law->draw->config;
    struct sim_silence found;
    struct err err;

    c.run.n_threads = 2;
    c.run.sample_ps = 0;
    struct sim *sim = simple_net_sim_new(&c, &err);
    sim_run(sim);
    sim_find_silence(sim, sim_now(sim) / 10, false, &found);
    assert_same(law, found.queues, found.n_queues, law->found.queues, law->found.n_queues);
    assert_same(law, found.hosts, found.n_hosts, law->found.hosts, law->found.n_hosts);
    assert_same(law, found.flows, found.n_flows, law->found.flows, law->found.n_flows);
    sim_free_silence(&found);
    sim_free(sim);
}

/* Random networks seldom stop.  So in every other scenario no host drains from a third of the drawn
 * run time on, and the run is longer, so that a tenth of it is longer than congestion control
 * needs. */
static void
stall_all(struct draw *d, struct model_stall *stalls)
{
    weir_ps from_ps = d->config.run.until_ps / 3;
    uint32_t n = 0;

    d->config.run.until_ps *= LONGER;

    for (uint32_t id = 0; id < d->topo.n_nodes; id++) {
        if (d->topo.nodes[id].kind == TOPO_NIC) {
            stalls[n++] = (struct model_stall){ .node = id,
                                                .classes = 0xff,
                                                .from_ps = from_ps,
                                                .until_ps = 2 * d->config.run.until_ps };
        }
    }
    d->config.stalls = stalls;
    d->config.n_stalls = n;
}

static void
try_one(uint64_t seed, struct sums *sums)
{
    struct draw d;
    struct err err;

    draw_start(&d, seed);
    struct law law = { .draw = &d, .seed = seed };
    struct model_stall *stalls = array_new(d.topo.n_nodes, sizeof *stalls);
    if (seed % 2) {
        stall_all(&d, stalls);
    }
    d.config.run.sample_ps = d.config.run.until_ps / 10 * 9;
    d.config.run.sample = take_sample;
    d.config.run.sample_arg = &law;
    law.sim = simple_net_sim_new(&d.config, &err);
    if (law.sim) {
        sim_run(law.sim);
        sim_find_silence(law.sim, sim_now(law.sim) / 10, false, &law.found);
        what_stands_still_is_found(&law, sums);
        what_is_silent_has_not_moved(&law);
        nothing_is_silent_that_nothing_blocks(&law);
        if (law.found.n_queues || seed % 8 == 0) {
            threads_do_not_matter(&law);
        }
        sums->n_run++;
        sums->n_deadlocked += law.found.n_queues && sim_deadlock(law.sim).stands;
        sums->n_silent += law.found.n_queues && !sim_deadlock(law.sim).stands;
        sums->n_hosts += (unsigned)law.found.n_hosts;
        sums->n_flows += (unsigned)law.found.n_flows;
        sim_free_silence(&law.found);
        sim_free(law.sim);
    }
    free(stalls);
    draw_stop(&d);
}

static uint64_t only_seed, n_scenarios = N_SCENARIOS;

static void
a_network_that_stands_still_is_told(void **state)
{
    struct sums sums = { 0 };

    (void)state;
    for (uint64_t seed = 1; seed <= n_scenarios && !only_seed; seed++) {
        try_one(seed, &sums);
    }
    if (only_seed) {
        try_one(only_seed, &sums);
        return;
    }
    print_message("%u runs: in %u nothing moved at the end; %u silent without a deadlock, %u with "
                  "one; %u hosts, %u flows\n",
                  sums.n_run, sums.n_still, sums.n_silent, sums.n_deadlocked, sums.n_hosts,
                  sums.n_flows);
    assert_true(sums.n_still >= n_scenarios / 80);
    assert_true(sums.n_silent >= n_scenarios / 80);
}

int
main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = { cmocka_unit_test(a_network_that_stands_still_is_told) };

    bool is_long = argc > 1 && !strcmp(argv[1], "--long");
    n_scenarios = is_long ? 3000 : n_scenarios;
    only_seed = argc > 1 && !is_long ? strtoull(argv[1], NULL, 10) : 0;
    return cmocka_run_group_tests(tests, NULL, NULL);
}
