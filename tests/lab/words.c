/* Messages of a lab while it runs, from a simulation whose state the test sets: each change is
 * reported once, with its time and its nodes.  Also tests warnings about links that are too fast,
 * before the lab runs. */

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "bind/bind.h"
#include "lab/capacity.h"
#include "lab/words.h"

#define MS ((weir_ps)1000000000)

static const char text[] = "topology: {kind: ring, switches: 3, rate: 100Mbps, delay: 1us}\n"
                           "switch: {watchdog: drop}\n"
                           "engine: pfc\n"
                           "flows: [{from: H1, to: H2}]\n";

/* The simulation, whose state the test sets. */

static struct scenario scenario;
static struct model model;
static struct {
    weir_ps now;
    struct sim_deadlock deadlock;
    uint32_t port; /* The only port with storms. */
    uint64_t n_storms;
} at;

weir_ps __wrap_sim_now(const struct sim *);
const struct model *__wrap_sim_model(const struct sim *);
struct sim_deadlock __wrap_sim_deadlock(const struct sim *);
struct sim_storms __wrap_sim_storms(const struct sim *, uint32_t port, uint8_t cls);

weir_ps
__wrap_sim_now(const struct sim *sim)
{
    (void)sim;
    return at.now;
}

const struct model *
__wrap_sim_model(const struct sim *sim)
{
    (void)sim;
    return &model;
}

struct sim_deadlock
__wrap_sim_deadlock(const struct sim *sim)
{
    (void)sim;
    return at.deadlock;
}

struct sim_storms
__wrap_sim_storms(const struct sim *sim, uint32_t port, uint8_t cls)
{
    (void)sim, (void)cls;
    return (struct sim_storms){ .n_storms = port == at.port ? at.n_storms : 0 };
}

/* The messages, one per line. */

static char lines[4000];

static void
record_line(void *arg, const char *line)
{
    size_t len = strlen(lines);

    (void)arg;
    snprintf(lines + len, sizeof lines - len, "%s\n", line);
}

static const struct lab_listener listener = { .report = record_line };

static void
expect_after(struct lab_words *w, weir_ps now, const char *wanted)
{
    lines[0] = '\0';
    at.now = now;
    lab_words_of_round(w, NULL);
    assert_string_equal(lines, wanted);
}

static uint32_t
port_between(const char *from, const char *to)
{
    const struct topo *t = &scenario.topo;

    return topo_port_to(t, topo_find_node(t, from), topo_find_node(t, to));
}

static void
deadlocks_are_told_as_they_form_and_are_broken(void **state)
{
    struct lab_words w = { .listener = &listener, .scenario = &scenario };

    (void)state;
    memset(&at, 0, sizeof at);
    expect_after(&w, 10 * MS, "");
    at.deadlock = (struct sim_deadlock){ .found = true,
                                         .formed_ps = 12 * MS,
                                         .n_cycle = 2,
                                         .cycle = { { .port = port_between("S1", "S2") },
                                                    { .port = port_between("S2", "S1") } },
                                         .n_formed = 1,
                                         .stands = true };
    expect_after(&w, 20 * MS, "at 20 ms: deadlock since 12 ms: S1 waits for S2 waits for S1\n");
    expect_after(&w, 30 * MS, "");
    at.deadlock.stands = false;
    expect_after(&w, 40 * MS, "at 40 ms: the watchdog has broken the deadlock\n");
    expect_after(&w, 50 * MS, "");
    at.deadlock.n_formed = 2;
    at.deadlock.stands = true;
    expect_after(&w, 60 * MS, "at 60 ms: deadlock again, number 2\n");
    expect_after(&w, 70 * MS, "");
    at.deadlock.stands = false;
    expect_after(&w, 80 * MS, "at 80 ms: the watchdog has broken the deadlock\n");
    lab_words_free(&w);
}

static void
storms_are_told_each(void **state)
{
    struct lab_words w = { .listener = &listener, .scenario = &scenario };

    (void)state;
    memset(&at, 0, sizeof at);
    at.port = port_between("S2", "H2");
    expect_after(&w, 10 * MS, "");
    for (uint64_t i = 1; i < 3; i++) {
        char wanted[200];
        at.n_storms = i;
        snprintf(wanted, sizeof wanted,
                 "at %u0 ms: the watchdog of S2 acts on its queue to H2, class 0\n",
                 (unsigned)(2 * i));
        expect_after(&w, 20 * (weir_ps)i * MS, wanted);
        expect_after(&w, 20 * (weir_ps)i * MS + 10 * MS, "");
    }
    lab_words_free(&w);
}

/* A lab of six nodes cannot use more than six cores. */
static void
more_cores_than_nodes_do_not_help(void **state)
{
    static const struct {
        uint64_t n_cores, rate_bps;
        const char *told; /* A part of the warning; null if there is none. */
    } tries[] = {
        { 1, 50000000, NULL },
        { 1, 51000000, "so some 50 Mb/s can be expected of 1 core for 6 nodes." },
        { 6, 300000000, NULL },
        { 6, 301000000, "so some 300 Mb/s can be expected of 6 cores for 6 nodes." },
        { 64, 300000000, NULL },
        { 64, 301000000, "so some 300 Mb/s can be expected of 64 cores for 6 nodes." },
    };
    struct weir_text said;

    (void)state;
    for (size_t i = 0; i < scenario.topo.n_links; i++) {
        scenario.topo.links[i].rate_bps = 10000000;
    }
    for (size_t i = 0; i < sizeof tries / sizeof *tries; i++) {
        scenario.topo.links[1].rate_bps = tries[i].rate_bps;
        lab_pace_warn(&scenario.topo, tries[i].n_cores, &said);
        assert_int_equal(said.len > 0, tries[i].told != NULL);
        if (tries[i].told) {
            assert_non_null(strstr(said.s, tries[i].told));
            assert_non_null(strstr(said.s, "1 of 6 links"));
        }
    }
}

static int
begin(void **state)
{
    struct scn_source source = { .name = "words.yaml", .text = text };
    struct err err;

    (void)state;
    return scn_read(&scenario, &source, &(struct scn_files){ 0 }, NULL, 0, &err) &&
                   bind_model(&scenario, &model, &err)
               ? 0
               : -1;
}

static int
end(void **state)
{
    (void)state;
    model_free(&model);
    scn_free(&scenario);
    return 0;
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(deadlocks_are_told_as_they_form_and_are_broken),
        cmocka_unit_test(storms_are_told_each),
        cmocka_unit_test(more_cores_than_nodes_do_not_help),
    };

    return cmocka_run_group_tests(tests, begin, end);
}
