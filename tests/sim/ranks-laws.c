/* Results do not depend on ranks: any random scenario gives the same results in one process and in
 * several processes, each with a part of the network.
 *
 *     sim-ranks-laws            runs random scenarios
 *     sim-ranks-laws SEED       repeats the scenario of this seed */

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "draw.h"
#include "loopback.h"

/* Sanitizers cost time; the plain build tries more. */
#if defined(__SANITIZE_ADDRESS__)
enum { N_SCENARIOS = 40, LEAST_LOSSES = 2 };
#else
enum { N_SCENARIOS = 100, LEAST_LOSSES = 10 };
#endif

enum {
    MAX_RANKS = 4,
    MAX_WINDOWS = 1500
}; /* If ranks are threads, frequent synchronisation takes long. */

struct counts {
    unsigned n_run, n_deadlocks, n_storms, n_lost;
};

static void
fail_with(const struct draw *d, uint64_t seed, uint32_t n_ranks, const char *what)
{
    char text[500];

    draw_tell(d, text, sizeof text);
    fail_msg("seed %llu, %u ranks: %s\n  %s", (unsigned long long)seed, n_ranks, what, text);
}

static bool
is_same_deadlock(const struct sim_deadlock *a, const struct sim_deadlock *b)
{
    return a->found == b->found && a->formed_ps == b->formed_ps && a->n_stuck == b->n_stuck &&
           a->n_cycle == b->n_cycle && a->n_flows == b->n_flows && a->n_formed == b->n_formed &&
           a->broken_ps == b->broken_ps && a->stands == b->stands &&
           !memcmp(a->cycle, b->cycle, a->n_cycle * sizeof *a->cycle) &&
           !memcmp(a->flows, b->flows, a->n_flows * sizeof *a->flows);
}

/* Checks that the first rank reports the same as one process. */
static void
compare(const struct draw *d, uint64_t seed, uint32_t n_ranks, const struct sim *alone,
        const struct sim *first)
{
    struct sim_totals a = sim_totals(alone), b = sim_totals(first);
    struct sim_deadlock dead = sim_deadlock(alone), dead_too = sim_deadlock(first);
    struct err err;

    if (memcmp(&a, &b, sizeof a)) {
        fail_with(d, seed, n_ranks, "another result");
    }
    if (!is_same_deadlock(&dead, &dead_too)) {
        fail_with(d, seed, n_ranks, "another deadlock");
    }
    if (!sim_is_conserved(first, &err)) {
        fail_with(d, seed, n_ranks, err.text);
    }
}

static void
try_ranks(struct draw *d, uint64_t seed, uint32_t n_ranks, const struct sim *alone)
{
    struct loopback *l = loopback_new(n_ranks);
    struct sim *sims[MAX_RANKS];

    if (!loopback_run(l, loopback_simple_net, &d->config, sims)) {
        fail_with(d, seed, n_ranks, "cannot be made");
    }
    compare(d, seed, n_ranks, alone, sims[0]);
    for (uint32_t i = 0; i < n_ranks; i++) {
        sim_free(sims[i]);
    }
    loopback_free(l);
}

static void
try_scenario(uint64_t seed, struct counts *counts)
{
    struct draw d;

    draw_start(&d, seed);
    d.config.run.n_threads = 1;
    struct sim *alone = loopback_simple_net(&d.config, NULL);
    uint32_t n_ranks = (uint32_t)(2 + seed % (MAX_RANKS - 1));
    if (alone) {
        sim_run(alone);
    }
    if (alone && sim_totals(alone).n_windows <= MAX_WINDOWS) {
        try_ranks(&d, seed, n_ranks < d.topo.n_switches ? n_ranks : d.topo.n_switches, alone);
        counts->n_run++;
        counts->n_deadlocks += sim_deadlock(alone).found;
        counts->n_storms += sim_totals(alone).n_storms > 0;
        counts->n_lost += sim_totals(alone).n_lost > 0;
    }
    if (alone) {
        sim_free(alone);
    }
    draw_stop(&d);
}

static void
ranks_do_not_matter(void **state)
{
    struct counts t = { 0 };

    (void)state;
    for (uint64_t seed = 1;
         seed <= N_SCENARIOS || (t.n_lost < LEAST_LOSSES && seed <= 4 * N_SCENARIOS); seed++) {
        try_scenario(seed, &t);
    }
    printf("  %u scenarios, of which %u deadlock, %u have storms and %u lose packets on links\n",
           t.n_run, t.n_deadlocks, t.n_storms, t.n_lost);
    assert_true(t.n_run > N_SCENARIOS / 3 && t.n_lost >= LEAST_LOSSES);
}

static void
ranks_do_not_matter_here(void **state)
{
    uint64_t seed = strtoull(*state, NULL, 0);
    struct counts t = { 0 };
    struct draw d;

    draw_start(&d, seed);
    draw_print(&d);
    draw_stop(&d);
    try_scenario(seed, &t);
}

int
main(int argc, char **argv)
{
    const struct CMUnitTest all[] = { cmocka_unit_test(ranks_do_not_matter) };
    const struct CMUnitTest one[] = { cmocka_unit_test_prestate(ranks_do_not_matter_here,
                                                                argv[1]) };

    return argc > 1 ? cmocka_run_group_tests(one, NULL, NULL)
                    : cmocka_run_group_tests(all, NULL, NULL);
}
