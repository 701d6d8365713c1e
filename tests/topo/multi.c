/* NICs with several ports, on small random networks, compared with the plain reference. */

#include "plain.h"

static void
all_pairs_as_written_out(void **state)
{
    size_t n_multi = 0;
    uint32_t n_cyclic = 0;

    (void)state;
    for (uint64_t seed = 1; seed <= N_NETWORKS; seed++) {
        struct topo t = draw_hosts(seed, 1, true);
        struct plain *p = plain_of(&t);
        add_all_pairs(p);
        struct depend *d = depend_new(&t, &all_pairs);
        compare_edges(p, d);
        compare_cycles(p, d);
        n_cyclic += depend_is_cyclic(d);
        n_multi += t.n_multi;
        depend_free(d);
        free(p);
        topo_free(&t);
    }
    assert_in_range(n_cyclic, N_NETWORKS / 40, N_NETWORKS - N_NETWORKS / 40);
    assert_true(n_multi > N_NETWORKS / 2);
}

static void
compare_routes(const struct plain *p, uint32_t nic)
{
    const struct topo *t = p->t;
    uint32_t leaf = t->nodes[nic].leaf;

    for (uint32_t at = 0; at < p->n; at++) {
        const uint16_t *choices;
        uint32_t n = topo_choices(t, at, leaf, &choices), n_expected = 0;
        for (uint32_t i = 0; i < t->nodes[at].n_ports; i++) {
            uint32_t port = t->nodes[at].first_port + i, next = topo_beyond(t, port);
            bool is =
                next < p->n ? plain_far(p, at, nic) && plain_choice(p, at, next, nic) : next == nic;
            n_expected += is && topo_is_live(t, port);
        }
        assert_int_equal(n, n_expected);
    }
}

static void
routes_as_written_out(void **state)
{
    (void)state;
    for (uint64_t seed = 1; seed <= N_NETWORKS; seed++) {
        struct topo t = draw_hosts(seed, 1, true);
        struct plain *p = plain_of(&t);
        for (size_t i = 0; i < t.n_multi; i++) {
            compare_routes(p, t.multi[i]);
        }
        for (uint32_t from = p->n; from < t.n_nodes; from++) {
            for (uint32_t to = p->n; to < t.n_nodes; to++) {
                uint32_t ports = plain_ports(p, from, to);
                bool is = ports && plain_live(p, to) && plain_live(p, from);
                assert_int_equal(topo_is_connected(&t, from, to), is);
                if (topo_is_multi(&t, from)) {
                    assert_int_equal(topo_nic_ports(&t, from, t.nodes[to].leaf), ports);
                }
            }
        }
        free(p);
        topo_free(&t);
    }
}

static bool
closes(struct topo *t, const struct depend_traffic *traffic, uint32_t a, uint32_t b)
{
    t->links[a].failed = t->links[b].failed = true;
    bool is = is_cyclic(t, traffic);
    t->links[a].failed = t->links[b].failed = false;
    return is;
}

/* The search for failures finds the same as a check of each failure as a separate network.  Returns
 * how many failures close a cycle in a network that has none. */
static size_t
compare_failures(struct topo *t, const struct depend_traffic *traffic, uint32_t n_links)
{
    struct depend_what_if what = { t, traffic, n_links, 1, NULL, NULL };
    struct depend_failures found = { 0 };
    bool was_cyclic = is_cyclic(t, traffic);
    size_t next = 0;

    depend_try_failures(&what, &found);
    for (uint32_t b = 0; b < t->n_links; b++) {
        for (uint32_t a = n_links == 1 ? b : 0; a < b + (n_links == 1); a++) {
            if (may_fail(t, a) && may_fail(t, b)) {
                bool is = closes(t, traffic, a, b);
                assert_int_equal(next < found.n && found.items[next].links[0] == a &&
                                     (n_links == 1 || found.items[next].links[1] == b),
                                 is);
                next += is;
            }
        }
    }
    assert_int_equal(next, found.n);
    depend_free_failures(&found);
    return was_cyclic ? 0 : next;
}

/* Traffic between all pairs of hosts, or of these flows: each host sends to two others. */
static struct depend_traffic
draw_traffic(const struct topo *t, uint64_t seed, struct depend_flow flows[2 * MAX_SWITCHES])
{
    struct depend_traffic traffic = all_pairs;

    if (seed % 3 && t->n_nics > 1) {
        traffic.all_pairs = false;
        traffic.flows = flows;
        for (uint32_t from = 0; from < t->n_nics; from++) {
            for (uint32_t i = 0; i < 2; i++) {
                uint32_t to = (from + 1 + (uint32_t)below(&seed, t->n_nics - 1)) % t->n_nics;
                flows[traffic.n_flows++] =
                    (struct depend_flow){ .from = t->n_switches + from, .to = t->n_switches + to };
            }
        }
    }
    return traffic;
}

static void
failures_as_tried_whole(void **state)
{
    size_t n_found = 0, n_pairs = 0;

    (void)state;
    for (uint64_t seed = 1; seed <= N_NETWORKS / 4; seed++) {
        struct depend_flow flows[2 * MAX_SWITCHES];
        struct topo t = draw_hosts(seed, 1, true);
        struct depend_traffic traffic = draw_traffic(&t, seed, flows);
        n_found += compare_failures(&t, &traffic, 1);
        n_pairs += seed % 2 ? compare_failures(&t, &traffic, 2) : 0;
        topo_free(&t);
    }
    assert_true(n_found > N_NETWORKS / 100);
    assert_true(n_pairs > N_NETWORKS / 10);
}

/* With at most one host at each switch, each pair of hosts without a path counts. */
static void
cut_as_counted(void **state)
{
    size_t n_cut = 0;

    (void)state;
    for (uint64_t seed = 1; seed <= N_NETWORKS; seed++) {
        struct topo t = draw_hosts(seed, 1, true);
        struct depend *d = depend_new(&t, &all_pairs);
        size_t n = 0;
        for (uint32_t from = t.n_switches; from < t.n_nodes; from++) {
            for (uint32_t to = t.n_switches; to < t.n_nodes; to++) {
                n += from != to && topo_nic_is_live(&t, from) && topo_nic_is_live(&t, to) &&
                     !topo_is_connected(&t, from, to);
            }
        }
        assert_int_equal(depend_n_cut(d), n);
        n_cut += n;
        depend_free(d);
        topo_free(&t);
    }
    assert_true(n_cut > N_NETWORKS / 10);
}

static void
up_and_then_down(void **state)
{
    (void)state;
    for (uint64_t seed = 1; seed <= N_NETWORKS; seed++) {
        struct topo t = draw_hosts(seed, 1, true);
        topo_add_root(&t, (uint32_t)(seed % t.n_switches));
        topo_route(&t);
        assert_false(is_cyclic(&t, &all_pairs));
        topo_free(&t);
    }
}

/* Two ToRs, and hosts with a link to each: there is no cycle, and one failed link disconnects no
 * host. */
static void
dual_homed(void **state)
{
    struct topo t = { 0 };
    struct topo_link like = { .rate_bps = 1000000000 };
    char name[8];

    (void)state;
    topo_add_node(&t, TOPO_SWITCH, "T1");
    topo_add_node(&t, TOPO_SWITCH, "T2");
    for (uint32_t i = 0; i < 4; i++) {
        snprintf(name, sizeof name, "H%u", i);
        uint32_t nic = topo_add_node(&t, TOPO_NIC, name);
        topo_add_link(&t, nic, 0, &like);
        topo_add_link(&t, nic, 1, &like);
    }
    finish(&t);
    assert_false(is_cyclic(&t, &all_pairs));
    assert_int_equal(topo_nic_ports(&t, 2, t.nodes[3].leaf), 3);
    t.links[0].failed = true;
    topo_route(&t);
    assert_int_equal(topo_nic_ports(&t, 2, t.nodes[3].leaf), 2);
    assert_true(topo_is_connected(&t, 2, 3) && topo_is_connected(&t, 3, 2));
    assert_int_equal(topo_nic_ports(&t, 3, t.nodes[2].leaf), 2); /* T1 has no path to H0 now. */
    t.links[1].failed = true;
    topo_route(&t);
    assert_false(topo_is_connected(&t, 2, 3) || topo_is_connected(&t, 3, 2));
    topo_free(&t);
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(all_pairs_as_written_out), cmocka_unit_test(routes_as_written_out),
        cmocka_unit_test(failures_as_tried_whole),  cmocka_unit_test(cut_as_counted),
        cmocka_unit_test(up_and_then_down),         cmocka_unit_test(dual_homed),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
