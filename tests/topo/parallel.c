/* Parallel links: a network with some links two or three times has the dependencies and routes of
 * the network with each link once, on every copy of the link. */

#include "plain.h"
#include "topo/port-names.h"

struct twin {
    struct topo once, more;
    /* [link of 'once']: the number of its copies. */
    uint32_t n_of[MAX_SWITCHES * MAX_SWITCHES + MAX_SWITCHES];
    /* [link of 'more']: its link in 'once'. */
    uint32_t link_of[4 * MAX_SWITCHES * MAX_SWITCHES];
};

/* Some copies of a link may have failed, but not all. */
static void
copy_links(struct twin *w, uint64_t *random)
{
    for (uint32_t i = 0; i < w->once.n_links; i++) {
        struct topo_link like = w->once.links[i];
        bool is_inner = topo_joins_switches(&w->once, &like);
        w->n_of[i] = is_inner && !like.failed ? 1 + (uint32_t)below(random, 3) : 1;
        for (uint32_t k = 0; k < w->n_of[i]; k++) {
            like.failed = w->once.links[i].failed || (k && !below(random, 3));
            w->link_of[w->more.n_links] = i;
            topo_add_link(&w->more, like.node[0], like.node[1], &like);
        }
    }
}

static void
draw_twin(struct twin *w, uint64_t seed)
{
    uint64_t random = seed * 131;

    *w = (struct twin){ .once = draw(seed, 1) };
    for (uint32_t i = 0; i < w->once.n_nodes; i++) {
        topo_add_node(&w->more, w->once.nodes[i].kind, w->once.nodes[i].name);
    }
    copy_links(w, &random);
    finish(&w->more);
}

static void
free_twin(struct twin *w)
{
    topo_free(&w->once);
    topo_free(&w->more);
}

/* The port of 'once' whose copy a port of 'more' is. */
static uint32_t
port_once(const struct twin *w, uint32_t port)
{
    const struct topo_link *l = &w->more.links[w->more.ports[port].link];

    return w->once.links[w->link_of[w->more.ports[port].link]].port[l->port[1] == port];
}

static void
depends_on_every_copy(void **state)
{
    static struct twin w;

    (void)state;
    for (uint64_t seed = 1; seed <= N_NETWORKS; seed++) {
        draw_twin(&w, seed);
        struct depend *once = depend_new(&w.once, &all_pairs),
                      *more = depend_new(&w.more, &all_pairs);
        for (uint32_t in = 0; in < w.more.n_ports; in++) {
            const struct topo_node *at = &w.more.nodes[w.more.ports[in].node];
            for (uint32_t out = at->first_port; out < at->first_port + at->n_ports; out++) {
                bool is_live = topo_is_live(&w.more, in) && topo_is_live(&w.more, out);
                assert_int_equal(
                    depend_has_edge(more, in, out, 0, 0),
                    is_live && depend_has_edge(once, port_once(&w, in), port_once(&w, out), 0, 0));
            }
        }
        assert_int_equal(depend_is_cyclic(more), depend_is_cyclic(once));
        assert_int_equal(shortest_cycle(&w.more, &all_pairs), shortest_cycle(&w.once, &all_pairs));
        assert_int_equal(depend_n_cut(more), depend_n_cut(once));
        depend_free(once);
        depend_free(more);
        free_twin(&w);
    }
}

static void
routes_over_every_copy(void **state)
{
    static struct twin w;
    uint32_t n_more = 0;

    (void)state;
    for (uint64_t seed = 1; seed <= N_NETWORKS; seed++) {
        draw_twin(&w, seed);
        for (uint32_t at = 0; at < w.once.n_switches; at++) {
            for (uint32_t leaf = 0; leaf < w.once.n_leaves; leaf++) {
                const uint16_t *once, *more;
                uint32_t n_once = topo_choices(&w.once, at, leaf, &once);
                uint32_t n = topo_choices(&w.more, at, leaf, &more), n_live = 0;
                for (uint32_t p = 0; p < w.more.nodes[at].n_ports; p++) {
                    uint32_t port = w.more.nodes[at].first_port + p;
                    uint32_t number = w.once.ports[port_once(&w, port)].number;
                    for (uint32_t i = 0; i < n_once; i++) {
                        n_live += once[i] == number && topo_is_live(&w.more, port);
                    }
                }
                assert_int_equal(n, n_live);
                n_more += n > n_once;
            }
        }
        free_twin(&w);
    }
    assert_true(n_more > N_NETWORKS);
}

/* The failure of one of two parallel links closes no cycle. */
static void
survives_the_loss_of_one(void **state)
{
    (void)state;
    for (uint32_t n = 2; n <= 3; n++) {
        struct topo t = { 0 };
        topo_build_fat_tree(&t, &(struct topo_build){ .link = { .rate_bps = 1000000000 }, .k = 4 });
        topo_make_parallel(&t, n);
        finish(&t);
        assert_int_equal(t.n_links, 16 + 32 * n);
        struct depend_what_if what = { &t, &all_pairs, n - 1, 1, NULL, NULL };
        struct depend_failures found = { 0 };
        depend_try_failures(&what, &found);
        assert_int_equal(found.n, 0);
        depend_free_failures(&found);
        topo_free(&t);
    }
}

static void
finds_ports_by_name(void **state)
{
    struct topo t = { 0 };
    struct topo_link like = { .rate_bps = 1000000000 };
    char text[TOPO_PORT_BYTES];
    struct topo_end end, other;
    uint32_t ports[4];

    (void)state;
    topo_add_node(&t, TOPO_SWITCH, "S1");
    topo_add_node(&t, TOPO_SWITCH, "S2");
    topo_add_node(&t, TOPO_NIC, "H1");
    topo_add_link(&t, 0, 2, &like);
    for (int i = 0; i < 2; i++) {
        topo_add_link(&t, 0, 1, &like);
    }
    t.links[2].name = strdup("trunk");
    finish(&t);
    assert_string_equal(topo_port_text(&t, 0, text), "S1");
    assert_string_equal(topo_port_text(&t, 2, text), "S1:2");
    assert_int_equal(topo_find_link(&t, "trunk"), 2);
    assert_int_equal(topo_find_link(&t, "trunc"), TOPO_NONE);
    assert_true(topo_read_end(&t, "S1", &end) && !end.port);
    assert_true(topo_read_end(&t, "S2", &other));
    assert_int_equal(topo_match_ports(&t, &end, NULL, ports, 4), 3);
    assert_int_equal(topo_match_ports(&t, &end, &other, ports, 4), 2);
    assert_true(ports[0] == 1 && ports[1] == 2);
    static const char *const third[] = { "S1:2", "S1:trunk" };
    for (int i = 0; i < 2; i++) {
        assert_true(topo_read_end(&t, third[i], &end));
        assert_int_equal(topo_match_ports(&t, &end, &other, ports, 4), 1);
        assert_int_equal(ports[0], 2);
    }
    assert_true(topo_read_end(&t, "S1:7", &end));
    assert_int_equal(topo_match_ports(&t, &end, NULL, ports, 4), 0);
    assert_false(topo_read_end(&t, "S3:1", &end) || topo_read_end(&t, "", &end));
    topo_free(&t);
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(depends_on_every_copy),
        cmocka_unit_test(routes_over_every_copy),
        cmocka_unit_test(survives_the_loss_of_one),
        cmocka_unit_test(finds_ports_by_name),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
