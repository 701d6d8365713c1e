/* Stations: hosts of the model are found by their addresses, and foreign hosts where they were
 * seen; other frames follow a tree that reaches every host once. */

#include "dataplane/stations.h"

#include "../unit/unit.h"
#include "bed.h"

#define S INT64_C(1000000000000)

static uint64_t
number_of(const uint8_t address[6])
{
    uint64_t number = 0;

    for (int i = 0; i < 6; i++) {
        number = number << 8 | address[i];
    }
    return number;
}

static uint64_t
port_address(uint32_t node, uint32_t port)
{
    uint8_t address[6];

    packet_port_address(node, port, address);
    return number_of(address);
}

#define FOREIGN UINT64_C(0x525400000001)

static void
hosts_are_known(void **state)
{
    struct bed bed;

    (void)state;
    bed_start(&bed);
    struct dp_stations *s = dp_stations_new(&bed.topo, 0);
    for (uint32_t i = 0; i < bed.topo.n_nics; i++) {
        uint64_t address = port_address(bed_nic(&bed, i), 0);
        assert_int_equal(dp_stations_find(s, address, 0), i);
        /* A frame with a host's address from another port is not trusted. */
        dp_stations_learn(s, address, 1, 0);
        assert_int_equal(dp_stations_find(s, address, 0), i);
        assert_int_equal(dp_stations_find(s, address + 1, 0), DP_EVERYBODY);
    }
    assert_int_equal(dp_stations_find(s, port_address(0, 0), 0), DP_EVERYBODY);
    assert_int_equal(dp_stations_find(s, port_address(bed.topo.n_nodes & 0xffffff, 0), 0),
                     DP_EVERYBODY);
    dp_stations_free(s);
    bed_stop(&bed);
}

static void
foreign_stations_are_learned(void **state)
{
    struct bed bed;

    (void)state;
    bed_start(&bed);
    uint32_t n_nics = bed.topo.n_nics;
    struct dp_stations *s = dp_stations_new(&bed.topo, 0);
    assert_int_equal(dp_stations_find(s, FOREIGN, 0), DP_EVERYBODY);
    dp_stations_learn(s, FOREIGN, 3, 0);
    assert_int_equal(dp_stations_find(s, FOREIGN, 1), n_nics + 3);
    assert_int_equal(dp_stations_find(s, FOREIGN, 300 * S - 1), n_nics + 3);
    assert_int_equal(dp_stations_find(s, FOREIGN, 300 * S), DP_EVERYBODY);
    dp_stations_learn(s, FOREIGN, 2, 300 * S); /* The station has moved. */
    assert_int_equal(dp_stations_find(s, FOREIGN, 301 * S), n_nics + 2);
    dp_stations_learn(s, FOREIGN | UINT64_C(1) << 40, 2, 301 * S);
    assert_int_equal(dp_stations_find(s, FOREIGN | UINT64_C(1) << 40, 301 * S), DP_EVERYBODY);
    dp_stations_learn(s, 0, 2, 301 * S);
    assert_int_equal(dp_stations_find(s, 0, 301 * S), DP_EVERYBODY);
    dp_stations_free(s);
    bed_stop(&bed);
}

/* In a ring one link is not part of the tree: frames on it are routed to a host, so they do not
 * show where their sender is. */
static void
foreign_stations_are_learned_in_the_tree(void **state)
{
    uint32_t n_learned = 0, n_ports = 0;
    struct topo t = { 0 };
    struct err err;

    (void)state;
    topo_build_ring(&t, &(struct topo_build){ .switches = 5, .link.rate_bps = 1000000000 });
    assert_true(topo_finish(&t, &err));
    for (uint32_t node = 0; node < t.n_nodes; node++) {
        struct dp_stations *s = dp_stations_new(&t, node);
        for (uint32_t i = 0; t.nodes[node].kind == TOPO_SWITCH && i < t.nodes[node].n_ports; i++) {
            dp_stations_learn(s, FOREIGN + i, i, 0);
            n_learned += dp_stations_find(s, FOREIGN + i, 0) == t.n_nics + i;
            n_ports++;
        }
        dp_stations_free(s);
    }
    assert_int_equal(n_ports, 15);
    assert_int_equal(n_learned, 13);
    topo_free(&t);
}

/* With any number of stations, the switch knows the most recent ones, and no station is assigned a
 * port at which it was not seen.
 */
static void
a_full_table_forgets_the_oldest(void **state)
{
    enum { N = 100000 };
    uint32_t n_known = 0;
    struct bed bed;

    (void)state;
    bed_start(&bed);
    struct dp_stations *s = dp_stations_new(&bed.topo, 0);
    for (uint32_t i = 0; i < N; i++) {
        dp_stations_learn(s, FOREIGN + i, i % 4, i);
        assert_int_equal(dp_stations_find(s, FOREIGN + i, i), bed.topo.n_nics + i % 4);
    }
    for (uint32_t i = 0; i < N; i++) {
        uint32_t place = dp_stations_find(s, FOREIGN + i, N);
        assert_true(place == DP_EVERYBODY || place == bed.topo.n_nics + i % 4);
        n_known += place != DP_EVERYBODY;
    }
    assert_in_range(n_known, 3000, 4096);
    for (uint32_t i = N - 500; i < N; i++) {
        assert_int_not_equal(dp_stations_find(s, FOREIGN + i, N), DP_EVERYBODY);
    }
    dp_stations_free(s);
    bed_stop(&bed);
}

/* Frames that are flooded. */

struct flood {
    const struct topo *topo;
    struct dp_stations **stations; /* [node]. */
    uint32_t *n_came;              /* [node]. */
};

static void
flood_from(struct flood *f, uint32_t node, uint32_t in_port)
{
    uint16_t ports[64];

    f->n_came[node]++;
    assert_true(f->n_came[node] < 3); /* Otherwise the frame would circulate for ever. */
    if (f->topo->nodes[node].kind == TOPO_NIC) {
        return;
    }
    uint32_t n = dp_stations_flood(f->stations[node], in_port, ports);
    for (uint32_t i = 0; i < n; i++) {
        assert_int_not_equal(ports[i], in_port);
        const struct topo_port *to =
            &f->topo->ports[f->topo->ports[f->topo->nodes[node].first_port + ports[i]].peer];
        assert_false(f->topo->links[to->link].failed);
        flood_from(f, to->node, to->number);
    }
}

/* Floods a frame that a host's switch received from the host; returns the number of other hosts
 * that received it, each once. */
static uint32_t
n_reached(const struct topo *t, uint32_t nic)
{
    struct flood f = { t, calloc(t->n_nodes, sizeof *f.stations),
                       calloc(t->n_nodes, sizeof *f.n_came) };
    const struct topo_port *port = &t->ports[t->ports[t->nodes[nic].first_port].peer];
    uint32_t n = 0;

    for (uint32_t i = 0; i < t->n_nodes; i++) {
        f.stations[i] = dp_stations_new(t, i);
    }
    flood_from(&f, port->node, port->number);
    for (uint32_t i = 0; i < t->n_nodes; i++) {
        assert_true(f.n_came[i] <= 1);
        n += t->nodes[i].kind == TOPO_NIC && f.n_came[i];
        dp_stations_free(f.stations[i]);
    }
    assert_int_equal(f.n_came[nic], 0);
    free(f.stations);
    free(f.n_came);
    return n;
}

static void
floods_reach_all_hosts_once(void **state)
{
    static const struct {
        topo_builder *build;
        struct topo_build params;
    } networks[] = {
        { topo_build_fat_tree, { .k = 4 } },
        { topo_build_ring, { .switches = 5 } },
        { topo_build_torus, { .x = 3, .y = 4, .hosts = 1 } },
        { topo_build_leaf_spine, { .leaves = 3, .spines = 4, .hosts = 2 } },
        { topo_build_incast, { .hosts = 3 } },
    };
    struct err err;

    (void)state;
    for (size_t i = 0; i < N_OF(networks); i++) {
        struct topo t = { 0 };
        struct topo_build params = networks[i].params;
        params.link.rate_bps = 1000000000;
        networks[i].build(&t, &params);
        assert_true(topo_finish(&t, &err));
        for (uint32_t node = 0; node < t.n_nodes; node++) {
            if (t.nodes[node].kind == TOPO_NIC) {
                assert_int_equal(n_reached(&t, node), t.n_nics - 1);
            }
        }
        topo_free(&t);
    }
}

/* A ring that is cut once is a line; a ring that is cut twice is two lines. */
static void
floods_take_links_that_are_used(void **state)
{
    struct topo t = { 0 };
    struct err err;

    (void)state;
    topo_build_ring(&t, &(struct topo_build){ .switches = 5, .link.rate_bps = 1000000000 });
    assert_true(topo_finish(&t, &err));
    uint32_t nic = topo_find_node(&t, "H1"), n_cut = 0;
    for (uint32_t i = 0; i < t.n_links && n_cut < 2; i++) {
        if (t.nodes[t.links[i].node[0]].kind == TOPO_SWITCH &&
            t.nodes[t.links[i].node[1]].kind == TOPO_SWITCH) {
            t.links[i].failed = true;
            n_cut++;
            assert_int_equal(n_reached(&t, nic) == 4, n_cut == 1);
        }
    }
    assert_int_equal(n_cut, 2);
    topo_free(&t);
}

/* H1 to H3 have ports at T1 and T2; the first port of H3 is at T2.  H4 is at S1, the last switch of
 * the search. */
static void
build_hosts_with_two_ports(struct topo *t, bool is_joined)
{
    static const char *const names[] = { "T1", "T2", "S1", "H1", "H2", "H3", "H4" };
    static const uint32_t links[][2] = { { 3, 0 }, { 3, 1 }, { 4, 0 }, { 4, 1 }, { 5, 1 },
                                         { 5, 0 }, { 6, 2 }, { 0, 2 }, { 1, 2 } };
    struct err err;

    *t = (struct topo){ 0 };
    for (uint32_t i = 0; i < N_OF(names); i++) {
        topo_add_node(t, i < 3 ? TOPO_SWITCH : TOPO_NIC, names[i]);
    }
    for (size_t i = 0; i < N_OF(links); i++) {
        topo_add_link(t, links[i][0], links[i][1], &(struct topo_link){ .rate_bps = GBPS });
        t->links[i].failed = i >= 7 && !is_joined;
    }
    assert_true(topo_finish(t, &err));
}

/* Hosts do not forward, so frames reach the other switch through S1.  If the links of S1 have
 * failed, T1 and T2 each reach the hosts that they have links to. */
static void
floods_do_not_cross_hosts(void **state)
{
    struct topo t;

    (void)state;
    build_hosts_with_two_ports(&t, true);
    assert_int_equal(n_reached(&t, topo_find_node(&t, "H1")), 3);
    assert_int_equal(n_reached(&t, topo_find_node(&t, "H4")), 3);
    topo_free(&t);
    build_hosts_with_two_ports(&t, false);
    assert_int_equal(n_reached(&t, topo_find_node(&t, "H1")), 2);
    assert_int_equal(n_reached(&t, topo_find_node(&t, "H3")), 2);
    topo_free(&t);
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(hosts_are_known),
        cmocka_unit_test(foreign_stations_are_learned),
        cmocka_unit_test(foreign_stations_are_learned_in_the_tree),
        cmocka_unit_test(a_full_table_forgets_the_oldest),
        cmocka_unit_test(floods_reach_all_hosts_once),
        cmocka_unit_test(floods_take_links_that_are_used),
        cmocka_unit_test(floods_do_not_cross_hosts),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
