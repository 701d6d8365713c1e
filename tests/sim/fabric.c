/* Switching fabrics: Fig. 8 of the paper on occupancy sampling, and Clos networks; with and without
 * copies, with threads and in a plain event loop. */

#include <stdio.h>
#include <string.h>

#include "../unit/unit.h"
#include "bind/bind.h"
#include "sim/host/host.h"
#include "sim/sim.h"

/* Flow f1 stays at S1, flow f2 crosses the slow link to S2. */
#define FIG_8                                                                                      \
    "topology: {kind: fabric, rate: 10Gbps, inner_rate: 2.5Gbps, delay: 100ns}\n"                  \
    "wire: {mtu: 1522B}\n"                                                                         \
    "engine: pfc\n"                                                                                \
    "inside: cbfc\n"                                                                               \
    "engines: {pfc: {xoff: 110KB, xon: 44KB}, cbfc: {period: 10us}}\n"                             \
    "flows: [{from: H1, to: H2, rate: 4.935Gbps}, {from: H1, to: H3, rate: 4.935Gbps}]\n"

#define CLOS                                                                                       \
    "topology: {kind: fabric, edges: 4, groups: 2, middles: 2, tops: 2, rate: 10Gbps,\n"           \
    "           inner_rate: 5Gbps, delay: 200ns}\n"                                                \
    "engine: [pfc, ecn]\n"                                                                         \
    "inside: cbfc\n"                                                                               \
    "engines: {cbfc: {period: 10us}}\n"                                                            \
    "transport: dctcp\n"                                                                           \
    "workload: {kind: permutation}\n"

struct run {
    struct scenario s;
    struct sim *sim;
};

static void
start(struct run *r, const char *network, const char *more, unsigned time_us, uint32_t n_threads)
{
    char text[2000];
    struct model model;
    struct err err = { 0 };

    snprintf(text, sizeof text,
             "%sswitch: {kind: cioq, buffer: 150KB, inner_buffer: 32KB%s}\nrun: {time: %uus}\n",
             network, more, time_us);
    if (!scn_read(&r->s, &(struct scn_source){ .name = "t.yaml", .text = text },
                  &(struct scn_files){ 0 }, NULL, 0, &err) ||
        !bind_model(&r->s, &model, &err)) {
        fail_msg("%s\n%s", err.text, text);
    }
    r->sim = sim_new(&(struct sim_config){ .until_ps = (weir_ps)r->s.run.time_ps,
                                           .seed = r->s.run.seed,
                                           .n_threads = n_threads,
                                           .units = true },
                     &model, &err);
    assert_non_null(r->sim);
}

static void
stop(struct run *r)
{
    struct err err = { 0 };

    if (!sim_is_conserved(r->sim, &err)) {
        fail_msg("%s", err.text);
    }
    sim_free(r->sim);
    scn_free(&r->s);
}

static uint32_t
port_of(const struct run *r, const char *at, const char *to)
{
    return topo_port_to(&r->s.topo, topo_find_node(&r->s.topo, at), topo_find_node(&r->s.topo, to));
}

/* Without congestion control both flows get the rate of the slow link, because a pause blocks both.
 * A packet of 1522 bytes takes 1542 bytes of raw rate. */
static void
pfc_alone_makes_a_victim(void **state)
{
    struct run r;

    (void)state;
    start(&r, FIG_8, "", 4000, 1);
    sim_run(r.sim);
    uint64_t before[2] = { sim_flow_result(r.sim, 0).received_bytes,
                           sim_flow_result(r.sim, 1).received_bytes };
    stop(&r);
    start(&r, FIG_8, "", 10000, 1);
    sim_run(r.sim);
    for (uint32_t i = 0; i < 2; i++) {
        uint64_t bytes = sim_flow_result(r.sim, i).received_bytes - before[i];
        double raw_gbps = (double)bytes * 1542 / 1522 * 8 / 6e6;
        assert_true(raw_gbps > 2.35 && raw_gbps < 2.6);
    }
    assert_int_equal(sim_totals(r.sim).n_dropped, 0);
    stop(&r);
}

static void
add_unit(void *bytes, uint32_t flow, uint32_t of_unit)
{
    (void)flow;
    *(uint64_t *)bytes += of_unit;
}

/* Bytes in the index of an input: packets and copies. */
static uint64_t
indexed_bytes(const struct run *r, uint32_t port)
{
    uint64_t bytes = 0;

    sim_each_unit(r->sim, port, add_unit, &bytes);
    return bytes;
}

/* With copies the input counts packets inside the fabric. Nothing is lost, because pauses take the
 * copies into account. */
static void
copies_are_counted_where_packets_came_in(void **state)
{
    const char *const slow = "flows: [{from: H1, to: H3, rate: 1Gbps}]\n";
    char network[2000];
    struct run r;

    (void)state;
    snprintf(network, sizeof network, "%.*s%s", (int)(strstr(FIG_8, "flows") - FIG_8), FIG_8, slow);
    start(&r, network, "", 2000, 1);
    sim_run(r.sim);
    assert_true(sim_queue_peak_bytes(r.sim, port_of(&r, "S1", "H1"), 0) <= 2 * 1522);
    stop(&r);
    start(&r, network, ", reliable: yes, ack: 500us", 2000, 1);
    sim_run(r.sim);
    /* The bytes of 1 Gb/s in 500 us plus a round trip. */
    uint64_t held = sim_queue_bytes(r.sim, port_of(&r, "S1", "H1"), 0);
    assert_true(held > 62500 && held < 66000);
    assert_int_equal(indexed_bytes(&r, port_of(&r, "S1", "H1")), held);
    stop(&r);
}

/* H3 is sent more than its link carries, and nothing inside the fabric is blocked, so S2 drops
 * packets that came from S1.  At the end no copy is left at S1. */
static void
no_copy_stays_of_a_packet_that_is_dropped_inside(void **state)
{
    const char *const network =
        "topology: {kind: fabric, rate: 10Gbps, inner_rate: 10Gbps, delay: 100ns}\n"
        "engine: none\n"
        "flows: [{from: H1, to: H3, rate: 8Gbps, stop: 2ms},\n"
        "        {from: H4, to: H3, stop: 2ms}]\n";
    struct run r;

    (void)state;
    start(&r, network, ", reliable: yes, egress: 20KB", 4000, 1);
    sim_run(r.sim);
    struct sim_port_result inside = sim_port_result(r.sim, port_of(&r, "S2", "S1"));
    assert_true(inside.n_dropped[WEIR_DROP_LIMIT] + inside.n_dropped[WEIR_DROP_HEADROOM] > 100);
    assert_int_equal(sim_queue_bytes(r.sim, port_of(&r, "S1", "H1"), 0), 0);
    stop(&r);
}

/* Acknowledgements between switches of a fabric do not count as messages to the sender of a flow.
 */
static void
acknowledgements_are_no_messages(void **state)
{
    struct run r;

    (void)state;
    start(&r, FIG_8, ", reliable: yes", 1000, 1);
    sim_run(r.sim);
    assert_true(sim_flow_result(r.sim, 1).received_bytes > 0);
    assert_int_equal(sim_totals(r.sim).n_messages_sent, 0);
    assert_int_equal(sim_totals(r.sim).n_messages_received, 0);
    stop(&r);
}

/* If at most 110 KB may wait at the input, copies block a flow. */
static void
pauses_know_of_copies(void **state)
{
    struct run r;

    (void)state;
    start(&r, FIG_8, ", reliable: yes, ack: 1ms", 5000, 1);
    sim_run(r.sim);
    uint64_t peak = sim_queue_peak_bytes(r.sim, port_of(&r, "S1", "H1"), 0);
    assert_true(peak > 110000 && peak < 150000);
    assert_int_equal(sim_totals(r.sim).n_dropped, 0);
    /* Both flows together get at most 150 KB per millisecond. */
    assert_true(sim_flow_result(r.sim, 0).received_bytes +
                    sim_flow_result(r.sim, 1).received_bytes <
                6 * 150000);
    stop(&r);
}

static uint64_t
hash_of(const char *network, const char *more, uint32_t n_threads, void (*run)(struct sim *))
{
    struct run r;

    start(&r, network, more, 400, n_threads);
    run(r.sim);
    uint64_t hash = sim_totals(r.sim).hash;
    stop(&r);
    return hash;
}

static void
threads_and_a_plain_loop_agree(void **state)
{
    const char *const networks[] = { FIG_8, CLOS };
    const char *const more[] = { "", ", reliable: yes", ", reliable: yes, order: rr, ack: 10us",
                                 ", transfer: held" };

    (void)state;
    for (size_t i = 0; i < N_OF(networks) * N_OF(more); i++) {
        const char *network = networks[i % N_OF(networks)], *switches = more[i / N_OF(networks)];
        uint64_t hash = hash_of(network, switches, 1, sim_run);
        assert_true(hash == hash_of(network, switches, 2, sim_run));
        assert_true(hash == hash_of(network, switches, 1, sim_run_reference));
    }
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(pfc_alone_makes_a_victim),
        cmocka_unit_test(copies_are_counted_where_packets_came_in),
        cmocka_unit_test(no_copy_stays_of_a_packet_that_is_dropped_inside),
        cmocka_unit_test(acknowledgements_are_no_messages),
        cmocka_unit_test(pauses_know_of_copies),
        cmocka_unit_test(threads_and_a_plain_loop_agree),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
