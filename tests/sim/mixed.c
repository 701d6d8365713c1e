/* A law for neighbours: for any engines at the two ends of a link, all packets of a lossless class
 * arrive, or the scenario is refused, or a warning names that link.
 *
 * The test tries every ordered pair of engines and of usual stacks, across a link between two
 * switches and across the links of hosts. Congestion lasts: there are several senders, and a slow
 * link to their receiver, which also stalls for a while.  Warnings must also be justified: packets
 * are lost after a warning, unless congestion control keeps queues short. */

#include <stdio.h>
#include <string.h>

#include "../unit/unit.h"
#include "bind/bind.h"
#include "sim/sim.h"

static const char *const stacks[] = {
    "none",  "pfc", "cbfc", "gfc-conceptual", "gfc-buffer", "gfc-time",   "ttl",
    "capfc", "ecn", "qcn",  "fafc",           "[pfc, ecn]", "[pfc, qcn]", "[pfc, fafc]",
};

enum { N_STACKS = sizeof stacks / sizeof *stacks };

/* The MTU is a multiple of a block of credit, so that a buffer can fill to its last byte. */
#define COMMON                                                                                     \
    "switch: {buffer: 300KB}\n"                                                                    \
    "wire: {classes: 4, mtu: 1472B}\n"                                                             \
    "run: {time: 40ms}\n"

/* H1 and H2 at S1 send to H3 at S2.  S2 and its hosts have the second engines of a pair. */
static const char between_switches[] =
    "topology: {kind: dumbbell, hosts: 2, rate: 10Gbps, links: [{ends: [S2, H3], rate: 1Gbps}]}\n"
    "flows: [{from: H1, to: H3, bytes: 600KB}, {from: H2, to: H3, bytes: 600KB}]\n"
    "stalls: [{at: H3, from: 200us, until: 12ms}]\n"
    "engine: %s\n"
    "roles: [{nodes: [S2, H3, H4], engine: %s}]\n" COMMON;

/* H1 and H2 send to H3 through one switch.  The switch and H3 have the second engines of a pair. */
static const char between_host_and_switch[] =
    "topology: {kind: incast, hosts: 2, rate: 10Gbps, links: [{ends: [S1, H3], rate: 1Gbps}]}\n"
    "flows: [{from: H1, to: H3, bytes: 600KB}, {from: H2, to: H3, bytes: 600KB}]\n"
    "stalls: [{at: H3, from: 200us, until: 12ms}]\n"
    "engine: %s\n"
    "roles: [{nodes: [S1, H3], engine: %s}]\n" COMMON;

struct counts {
    unsigned refused, warned, delivered, unguarded;
};

/* Whether a warning names the link from the first engines to the second. */
static bool
is_warned_of(const struct model *p, const char *link)
{
    bool warned = false;

    for (size_t i = 0; i < p->n_warnings; i++) {
        warned |= p->warnings[i].is_of_link && strstr(p->warnings[i].text, link) &&
                  strstr(p->warnings[i].text, "may lose packets");
    }
    return warned;
}

/* Whether some engine of the network prevents losses. If none does, nothing is promised, whatever
 * the neighbours are. */
static bool
prevents_losses(const struct model *p)
{
    bool prevents = false;

    for (size_t i = 0; i < p->n_engines; i++) {
        const struct weir_stack *stack = &p->engines[i].stack;
        for (uint32_t k = 0; k < stack->n; k++) {
            const struct weir_engine *engine = stack->layers[k].engine;
            prevents |= engine->limits & WEIR_LIMITS_OF_QUEUES && !engine->needs_last_resort;
        }
    }
    return prevents;
}

static bool
delivers_all(struct model *model, const struct scenario *s)
{
    struct err err = { 0 };
    struct sim *sim = sim_new(&(struct sim_config){ .until_ps = (weir_ps)s->run.time_ps,
                                                    .seed = s->run.seed,
                                                    .n_threads = 1,
                                                    .units = true },
                              model, &err);
    bool all = true;

    assert_non_null(sim);
    sim_run(sim);
    for (uint32_t i = 0; i < s->n_flows; i++) {
        all &= sim_flow_result(sim, i).received_bytes == scn_flow_at(s, i).bytes;
    }
    all &= !sim_totals(sim).n_dropped;
    sim_free(sim);
    return all;
}

/* Runs one pair, and compares the warnings before the run with its result. */
static void
hold(const char *network, const char *link, const char *from, const char *to, struct counts *n)
{
    char text[1000];
    struct scenario s;
    struct model model;
    struct err err = { 0 };

    snprintf(text, sizeof text, network, from, to);
    assert_true(scn_read(&s, &(struct scn_source){ .name = "t.yaml", .text = text },
                         &(struct scn_files){ 0 }, NULL, 0, &err));
    if (!bind_model(&s, &model, &err)) {
        assert_true(model.links_clash);
        n->refused++;
        model_free(&model);
    } else {
        bool warned = is_warned_of(&model, link);
        bool promises = prevents_losses(&model);
        bool is_calm = model_limits(&model) & WEIR_LIMIT_FLOW, delivers = delivers_all(&model, &s);
        if (promises && !warned && !delivers) {
            fail_msg("%s to %s, %s: not all arrived, without a warning", from, to, link);
        }
        if (warned && delivers && !is_calm) {
            fail_msg("%s to %s, %s: all arrived, despite the warning", from, to, link);
        }
        n->warned += warned;
        n->delivered += !warned && promises;
        n->unguarded += !warned && !promises;
    }
    scn_free(&s);
}

static void
neighbours_deliver_or_are_warned_of(void **state)
{
    struct counts n = { 0 };

    (void)state;
    for (size_t a = 0; a < N_STACKS; a++) {
        for (size_t b = 0; b < N_STACKS; b++) {
            hold(between_switches, "link from S1 to S2", stacks[a], stacks[b], &n);
            hold(between_host_and_switch, "link from H1 to S1", stacks[a], stacks[b], &n);
        }
    }
    print_message("%d pairs: %u refused, %u warned of, %u deliver everything, %u promise nothing\n",
                  2 * N_STACKS * N_STACKS, n.refused, n.warned, n.delivered, n.unguarded);
}

/* The stacks include every engine of the registry. */
static void
all_engines_are_tried(void **state)
{
    (void)state;
    for (uint32_t i = 0; weir_engine_at(i); i++) {
        bool is_tried = false;
        for (size_t k = 0; k < N_STACKS; k++) {
            is_tried |= !strcmp(stacks[k], weir_engine_at(i)->about.name);
        }
        assert_true(is_tried);
    }
}

/* S1 has FAFC over PFC, and hosts have PFC alone.  The queue of S1 stays below XOFF, so that all
 * pauses of hosts are FAFC's. */
static const char fafc_among_pfc[] =
    "topology: {kind: incast, hosts: 4, rate: 25Gbps, delay: 1us}\n"
    "transport: raw\n"
    "flows: [{from: H1, to: H5}, {from: H2, to: H5}, {from: H3, to: H5}, {from: H4, to: H5}]\n"
    "engine: pfc\n"
    "switch: {buffer: 10MB}\n"
    "roles: [{nodes: S1, engine: [pfc, fafc],\n"
    "         engines: {fafc: {frames: %s, th_p: 50KB, th_e: 50KB}, pfc: {xoff: 9MB}}}]\n"
    "run: {time: 500us}\n";

static struct sim_totals
run_fafc_among_pfc(const char *frames)
{
    char text[1000];
    struct scenario s;
    struct model model;
    struct err err = { 0 };

    snprintf(text, sizeof text, fafc_among_pfc, frames);
    assert_true(scn_read(&s, &(struct scn_source){ .name = "t.yaml", .text = text },
                         &(struct scn_files){ 0 }, NULL, 0, &err));
    assert_true(bind_model(&s, &model, &err));
    struct sim *sim =
        sim_new(&(struct sim_config){ .until_ps = 500000000, .n_threads = 1 }, &model, &err);
    assert_non_null(sim);
    sim_run(sim);
    struct sim_totals totals = sim_totals(sim);
    sim_free(sim);
    scn_free(&s);
    return totals;
}

static void
peers_with_pfc_alone_obey_fafc_in_frames_of_pfc(void **state)
{
    struct sim_totals deaf = run_fafc_among_pfc("fafc"), heard = run_fafc_among_pfc("pfc");

    (void)state;
    assert_int_equal(deaf.n_pfc_pauses + deaf.n_fafc_pauses, 0);
    assert_true(heard.n_pfc_pauses > 100);
    assert_int_equal(heard.n_fafc_pauses, 0);
    assert_true(heard.sent_bytes < deaf.sent_bytes * 3 / 4);
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(all_engines_are_tried),
        cmocka_unit_test(neighbours_deliver_or_are_warned_of),
        cmocka_unit_test(peers_with_pfc_alone_obey_fafc_in_frames_of_pfc),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
