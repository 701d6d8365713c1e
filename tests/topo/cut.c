/* Cuts of networks: laws over random networks, pods, links with long delays, and the expected load
 * of links. */

#include "topo/cut.h"
#include "../chance.h"
#include "net.h"
#include "topo/cut-graph.h"
#include "topo/expect.h"

enum { MAX_NODES = 400, MAX_PARTS = 12, N_TRIALS = 300 };

struct drawn {
    struct topo t;
    uint64_t *load; /* Null: all links count the same. */
    uint32_t n_parts;
};

/* Switches are linked at random, some of them not at all, with a few different delays; hosts have
 * one port or several. */
static struct drawn
draw_network(uint64_t seed)
{
    struct drawn d = { .n_parts = 1 + (uint32_t)below(&seed, MAX_PARTS) };
    uint32_t n = d.n_parts + (uint32_t)below(&seed, one_in(&seed, 4) ? 2 : 60),
             n_hosts = 2 + (uint32_t)below(&seed, 100);
    const weir_ps delays[] = { 1000, 1000, 1000, 5000, 20000 };
    struct topo_link like = { .rate_bps = 1000000000 };

    for (uint32_t i = 0; i < n; i++) {
        topo_add_node(&d.t, TOPO_SWITCH, "S");
    }
    for (uint32_t i = 0; i < 2 * n && n > 1; i++) {
        uint32_t a = (uint32_t)below(&seed, n), b = (uint32_t)below(&seed, n);
        like.delay_ps = ONE_OF(&seed, delays);
        like.failed = one_in(&seed, 10);
        topo_add_link(&d.t, a, a == b ? (b + 1) % n : b, &like);
    }
    for (uint32_t i = 0; i < n_hosts; i++) {
        uint32_t host = topo_add_node(&d.t, TOPO_NIC, "H");
        for (bool has_more = true; has_more; has_more = one_in(&seed, 3)) {
            topo_add_link(&d.t, host, (uint32_t)below(&seed, n), &like);
        }
    }
    finish(&d.t);
    d.load = one_in(&seed, 3) ? NULL : calloc(d.t.n_links, sizeof *d.load);
    for (size_t i = 0; i < d.t.n_links && d.load; i++) {
        d.load[i] = below(&seed, one_in(&seed, 2) ? 100 : 1000000000000);
    }
    return d;
}

static void
free_drawn(struct drawn *d)
{
    topo_free(&d->t);
    free(d->load);
}

/* The weight of a switch with its hosts; hosts have no weight of their own. */
static uint64_t
weight_of(const struct drawn *d, uint32_t id)
{
    uint64_t weight = 1;

    for (size_t i = 0; i < 2 * d->t.n_links; i++) {
        const struct topo_link *l = &d->t.links[i / 2];
        uint32_t end = l->node[i % 2];
        end = d->t.nodes[end].kind == TOPO_NIC ? topo_switch_of(&d->t, end) : end;
        weight += end != id ? 0 : d->load ? d->load[i / 2] : !l->failed;
    }
    return weight;
}

/* Checks that parts are balanced. Parts of consecutive switches differ from the mean by one switch
 * at most. A cut that crosses fewer links may exceed the mean by another half. */
static void
is_balanced(const struct drawn *d, const uint32_t *part)
{
    uint64_t sums[MAX_PARTS] = { 0 }, total = 0, heaviest = 0;

    for (uint32_t id = 0; id < d->t.n_switches; id++) {
        uint64_t weight = weight_of(d, id);
        sums[part[id]] += weight;
        total += weight;
        heaviest = weight > heaviest ? weight : heaviest;
    }
    for (uint32_t i = 0; i < d->n_parts; i++) {
        uint64_t mean = total / d->n_parts + 1;
        uint64_t bound = mean + mean / 2 + (heaviest > mean / 10 ? heaviest : mean / 10);
        assert_in_range(sums[i], 1, bound);
    }
}

static void
laws_of_cuts(void **state)
{
    (void)state;
    for (uint64_t seed = 1; seed <= N_TRIALS; seed++) {
        struct drawn d = draw_network(seed);
        uint32_t part[MAX_NODES], again[MAX_NODES];
        struct err err;
        assert_true(topo_cut(&d.t, d.load, d.n_parts, part, &err));
        for (uint32_t id = 0; id < d.t.n_nodes; id++) {
            assert_true(part[id] < d.n_parts);
            bool is_host = d.t.nodes[id].kind == TOPO_NIC;
            assert_true(!is_host || part[id] == part[topo_switch_of(&d.t, id)]);
        }
        is_balanced(&d, part);
        rand(); /* A cut must not depend on the state of rand(). */
        assert_true(topo_cut(&d.t, d.load, d.n_parts, again, &err));
        assert_memory_equal(part, again, d.t.n_nodes * sizeof *part);
        free_drawn(&d);
    }
}

/* Cuts one part into parts: the other parts stay unchanged, and each node gets a part. */
static void
laws_of_cuts_within(void **state)
{
    (void)state;
    for (uint64_t seed = 1; seed <= N_TRIALS; seed++) {
        struct drawn d = draw_network(seed);
        uint32_t part[MAX_NODES], thread[MAX_NODES], n_in = 0, n_threads[3] = { 0 };
        struct err err;
        assert_true(topo_cut(&d.t, d.load, d.n_parts, part, &err));
        for (uint32_t id = 0; id < d.t.n_nodes; id++) {
            thread[id] = 77;
            n_in += part[id] == 0 && d.t.nodes[id].kind == TOPO_SWITCH;
        }
        assert_int_equal(topo_cut_part(&d.t, d.load, part, 0, 3, thread, NULL, &err), n_in >= 3);
        for (uint32_t id = 0; id < d.t.n_nodes; id++) {
            bool is_in = part[id] == 0 && n_in >= 3;
            assert_true(is_in ? thread[id] < 3 : thread[id] == 77);
            n_threads[is_in ? thread[id] : 0]++;
        }
        assert_true(n_in < 3 || (n_threads[0] && n_threads[1] && n_threads[2]));
        free_drawn(&d);
    }
}

static void
too_many_parts(void **state)
{
    struct topo t = built(topo_build_ring, (struct topo_build){ .switches = 3 });
    uint32_t part[6];
    struct err err;

    (void)state;
    assert_int_equal(topo_cut_max(&t), 3);
    assert_true(topo_cut(&t, NULL, 3, part, &err));
    assert_false(topo_cut(&t, NULL, 4, part, &err));
    assert_string_equal(err.text, "a network of 3 switches cannot be cut into 4 parts: each needs "
                                  "a switch");
    topo_free(&t);
}

/* One switch has nearly all of the load, and there are as many parts as switches: no part stays
 * empty. */
static void
a_switch_for_each_part(void **state)
{
    struct topo t = { 0 };
    uint64_t load[] = { 1, 1, 1, 1000 };
    uint64_t weight[] = { 1003, 2, 2, 2 };
    uint32_t part[5], in_order[4], seen = 0;
    const struct topo_link like = { .rate_bps = 1000000000, .delay_ps = 1000 };
    const struct cut c = { .t = &t, .n_parts = 4, .n = 4, .weight = weight };
    const char *way;
    struct err err;

    (void)state;
    for (uint32_t i = 0; i < 4; i++) {
        topo_add_node(&t, TOPO_SWITCH, "S");
    }
    for (uint32_t i = 1; i < 4; i++) {
        topo_add_link(&t, 0, i, &like);
    }
    topo_add_link(&t, topo_add_node(&t, TOPO_NIC, "H"), 0, &like);
    finish(&t);
    assert_true(topo_cut_part(&t, load, NULL, 0, 4, part, &way, &err));
    assert_string_equal(way, topo_cut_has_metis() ? "by METIS" : "in order");
    assert_true(cut_in_order(&c, in_order));
    for (uint32_t i = 0; i < 4; i++) {
        seen |= 1u << part[i];
        assert_int_equal(in_order[i], i);
    }
    assert_int_equal(seen, 0xf);
    topo_free(&t);
}

/* If pods divide evenly, parts are whole pods, and only links to cores are cut. */
static void
fat_trees_by_pod(void **state)
{
    struct topo t = built(topo_build_fat_tree, (struct topo_build){ .k = 8 });
    uint32_t part[208];
    struct err err;

    (void)state;
    for (uint32_t n = 2; n <= 8; n *= 2) {
        struct topo_cut_sum sum;
        const char *way;
        assert_true(topo_cut_part(&t, NULL, NULL, 0, n, part, &way, &err));
        assert_string_equal(way, "by pods");
        topo_cut_sum_up(&t, NULL, n, part, &sum);
        for (uint32_t id = 0; id < t.n_nodes; id++) {
            assert_int_equal(part[id], t.nodes[id].part * n / 8);
        }
        assert_int_equal(sum.total, 2 * t.n_links);
        assert_int_equal(sum.most, sum.total / n);
        assert_int_equal(sum.n_across, 128 - 128 / n);
        for (uint32_t i = 0; i < n; i++) {
            assert_int_equal(sum.parts[i].n_hosts, 128 / n);
            assert_int_equal(sum.parts[i].n_switches, 80 / n);
        }
        topo_cut_sum_free(&sum);
    }
    topo_free(&t);
}

/* If pods do not divide evenly, Weir finds another cut. */
static void
more_parts_than_pods(void **state)
{
    struct topo t = built(topo_build_fat_tree, (struct topo_build){ .k = 4 });
    uint32_t part[36];
    const char *way;
    struct err err;

    (void)state;
    assert_true(topo_cut_part(&t, NULL, NULL, 0, 10, part, &way, &err));
    assert_string_not_equal(way, "by pods");
    topo_free(&t);
}

/* Two sites are rings of eight switches, and each switch has a link to its counterpart: a cut
 * through both rings would cross four links, and a cut between the sites crosses eight. */
static void
long_links_are_cut(void **state)
{
    struct topo t = { 0 };
    uint32_t part[32];
    struct topo_cut_sum sum;
    struct err err;

    (void)state;
    for (uint32_t i = 0; i < 16;
         i++) { /* Nodes of the two sites alternate, so the order of nodes does not help. */
        topo_add_node(&t, TOPO_SWITCH, "S");
    }
    for (uint32_t i = 0; i < 16; i++) {
        const struct topo_link near = { .rate_bps = 1000000000, .delay_ps = 1000 };
        const struct topo_link far = { .rate_bps = 1000000000, .delay_ps = 50000 };
        topo_add_link(&t, i, (i + 2) % 16, &near);
        if (i % 2) {
            topo_add_link(&t, i - 1, i, &far);
        }
        topo_add_link(&t, topo_add_node(&t, TOPO_NIC, "H"), i, &near);
    }
    finish(&t);
    if (!topo_cut_has_metis()) {
        skip();
    }
    assert_true(topo_cut(&t, NULL, 2, part, &err));
    topo_cut_sum_up(&t, NULL, 2, part, &sum);
    assert_int_equal(sum.n_across, 8);
    assert_int_equal(t.links[sum.shortest].delay_ps, 50000);
    assert_int_equal(sum.most, sum.total / 2);
    topo_cut_sum_free(&sum);
    topo_free(&t);
}

/* Among links with the same delay, the cut crosses those with little load: a ring is cut where it
 * has little traffic. */
static void
loaded_links_stay(void **state)
{
    struct topo t = { 0 };
    uint32_t part[16];
    uint64_t load[16];
    struct err err;

    (void)state;
    for (uint32_t i = 0; i < 8; i++) {
        topo_add_node(&t, TOPO_SWITCH, "S");
    }
    for (uint32_t i = 0; i < 8; i++) {
        const struct topo_link like = { .rate_bps = 1000000000, .delay_ps = 1000 };
        load[t.n_links] = i % 4 == 1 ? 1 : 1000;
        topo_add_link(&t, i, (i + 1) % 8, &like);
        load[t.n_links] = 1000;
        topo_add_link(&t, topo_add_node(&t, TOPO_NIC, "H"), i, &like);
    }
    finish(&t);
    if (!topo_cut_has_metis()) {
        skip();
    }
    assert_true(topo_cut(&t, load, 2, part, &err));
    for (uint32_t i = 0; i < 8; i++) {
        assert_int_equal(part[i] != part[(i + 1) % 8], i % 4 == 1);
    }
    topo_free(&t);
}

static uint64_t
load_from(const struct topo *t, const uint64_t *load, const char *from, const char *to)
{
    return load[port_named(t, from, to)];
}

/* In a ring of four, two paths lead to the opposite switch; an odd packet takes one of them. */
static void
what_links_carry(void **state)
{
    struct topo t = built(topo_build_ring, (struct topo_build){ .switches = 4 });
    uint64_t load[16];
    const struct topo_demand demands[] = { { named(&t, "H1"), named(&t, "H3"), 11 },
                                           { named(&t, "H2"), named(&t, "H3"), 100 },
                                           { named(&t, "H4"), named(&t, "H1"), 1000 } };

    (void)state;
    topo_expect(&t, demands, N_OF(demands), load);
    assert_int_equal(load_from(&t, load, "H1", "S1"), 11);
    assert_int_equal(load_from(&t, load, "S1", "S2") + load_from(&t, load, "S1", "S4"), 11);
    assert_in_range(load_from(&t, load, "S1", "S2"), 5, 6);
    assert_int_equal(load_from(&t, load, "S2", "S3"), 100 + load_from(&t, load, "S1", "S2"));
    assert_int_equal(load_from(&t, load, "S4", "S3"), load_from(&t, load, "S1", "S4"));
    assert_int_equal(load_from(&t, load, "S3", "H3"), 111);
    assert_int_equal(load_from(&t, load, "S4", "S1"), 1000);
    assert_int_equal(load_from(&t, load, "S2", "S1"), 0);
    topo_free(&t);
}

/* On all trees, the expected loads of links add up to the packets of all hosts times the links of
 * their paths. */
static void
nothing_is_lost_on_the_way(void **state)
{
    struct topo t = built(topo_build_fat_tree, (struct topo_build){ .k = 6 });
    uint64_t *load = calloc(t.n_ports, sizeof *load), all = 0;
    struct topo_demand demands[54];

    (void)state;
    /* Each demand is to the next pod but one, over six links. */
    for (uint32_t i = 0; i < 54; i++) {
        demands[i] = (struct topo_demand){ t.n_switches + i, t.n_switches + (i + 18) % 54, 1000 };
    }
    topo_expect(&t, demands, 54, load);
    for (uint32_t port = 0; port < t.n_ports; port++) {
        all += load[port];
    }
    assert_int_equal(all, 54 * 1000 * 6);
    free(load);
    topo_free(&t);
}

/* Hosts have ports at two switches: half of the packets go through each port, in separate planes.
 */
static void
hosts_send_by_all_their_ports(void **state)
{
    struct topo t =
        built(topo_build_dual_tor,
              (struct topo_build){ .pods = 2, .hosts = 2, .planes = 2, .spines = 2, .rails = 1 });
    uint64_t *load = calloc(t.n_ports, sizeof *load), all = 0;
    const struct topo_demand demands[] = { { named(&t, "H1"), named(&t, "H2"), 11 },
                                           { named(&t, "H2"), named(&t, "H3"), 1000 } };

    (void)state;
    topo_expect(&t, demands, N_OF(demands), load);
    for (uint32_t port = 0; port < t.n_ports; port++) {
        all += load[port];
    }
    assert_int_equal(all, 11 * 2 + 1000 * 4);
    assert_in_range(load_from(&t, load, "H1", "T1"), 5, 6);
    assert_int_equal(load_from(&t, load, "T1", "H2"), load_from(&t, load, "H1", "T1"));
    assert_int_equal(load_from(&t, load, "H2", "T2"), 500);
    assert_int_equal(load_from(&t, load, "T2", "S3"), 250);
    assert_int_equal(load_from(&t, load, "T3", "H3"), 500);
    free(load);
    topo_free(&t);
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(laws_of_cuts),
        cmocka_unit_test(laws_of_cuts_within),
        cmocka_unit_test(too_many_parts),
        cmocka_unit_test(a_switch_for_each_part),
        cmocka_unit_test(fat_trees_by_pod),
        cmocka_unit_test(more_parts_than_pods),
        cmocka_unit_test(long_links_are_cut),
        cmocka_unit_test(loaded_links_stay),
        cmocka_unit_test(what_links_carry),
        cmocka_unit_test(nothing_is_lost_on_the_way),
        cmocka_unit_test(hosts_send_by_all_their_ports),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
