/* Links that go down and come up, compared with a plain reference that follows every packet of
 * every pair of hosts, with new routes at any hop. */

#include "plain.h"

enum { MAX_EPOCHS = 4 };

struct times {
    struct topo topos[MAX_EPOCHS]; /* The network after each change, as switches see it. */
    struct plain *plains[MAX_EPOCHS];
    struct depend_change changes[MAX_EPOCHS];
    uint32_t n;
    struct topo ever;  /* The network with all links that are ever up. */
    struct plain *all; /* All edges of the graph. */
    bool seen[MAX_EPOCHS][MAX_SWITCHES][MAX_SWITCHES];
};

static struct topo
with_own_links(const struct topo *t)
{
    struct topo copy = *t;

    copy.links = malloc(t->n_links * sizeof *t->links);
    memcpy(copy.links, t->links, t->n_links * sizeof *t->links);
    return copy;
}

/* Draws a sequence of changes: each takes a link down or up. */
static void
draw_times(const struct topo *t, uint64_t seed, struct times *x)
{
    *x = (struct times){ .n = 1, .ever = with_own_links(t) };
    x->topos[0] = with_own_links(t);
    for (uint32_t tries = 0; tries < 9 && x->n < MAX_EPOCHS; tries++) {
        uint32_t link = (uint32_t)below(&seed, t->n_links);
        bool up = x->topos[x->n - 1].links[link].failed;
        if (t->links[link].node[0] < t->n_switches && t->links[link].node[1] < t->n_switches) {
            x->changes[x->n - 1] = (struct depend_change){ link, up, 1000 * x->n };
            x->topos[x->n] = with_own_links(&x->topos[x->n - 1]);
            x->topos[x->n++].links[link].failed = !up;
            x->ever.links[link].failed &= !up;
        }
    }
    for (uint32_t i = 0; i < x->n; i++) {
        x->plains[i] = plain_of(&x->topos[i]);
    }
    x->all = plain_of(&x->ever);
}

static void
free_times(struct times *x)
{
    for (uint32_t i = 0; i < x->n; i++) {
        free(x->topos[i].links);
        free(x->plains[i]);
    }
    free(x->ever.links);
    free(x->all);
}

/* Follows packets to a NIC that have crossed from one switch to another, in this epoch or later. */
static void
walk_on(struct times *x, uint32_t epoch, uint32_t from, uint32_t at, uint32_t nic)
{
    if (x->seen[epoch][from][at]) {
        return;
    }
    x->seen[epoch][from][at] = true;
    for (uint32_t e = epoch; e < x->n; e++) {
        for (uint32_t next = 0; next < x->all->n; next++) {
            if (plain_choice(x->plains[e], at, next, nic)) {
                x->all->edge[buffer(from, at)][buffer(at, next)] = true;
                walk_on(x, e, at, next, nic);
            }
        }
    }
}

static void
add_pairs(struct times *x)
{
    const struct plain *p = x->all;

    for (uint32_t i = p->n; i < p->t->n_nodes; i++) {
        for (uint32_t j = p->n; j < p->t->n_nodes; j++) {
            uint32_t from = topo_switch_of(p->t, i);
            memset(x->seen, 0, sizeof x->seen);
            for (uint32_t k = 0; k < x->n * p->n; k++) {
                if (i != j && plain_live(p, i) && plain_live(p, j) &&
                    plain_choice(x->plains[k / p->n], from, k % p->n, j)) {
                    walk_on(x, k / p->n, from, k % p->n, j);
                }
            }
        }
    }
}

static void
changes_as_written_out(void **state)
{
    uint32_t n_closed = 0;

    (void)state;
    for (uint64_t seed = 1; seed <= N_NETWORKS / 2; seed++) {
        struct topo t = draw(seed, 1);
        struct times x;
        draw_times(&t, seed * 977, &x);
        struct depend_traffic traffic = all_pairs;
        struct depend *before = depend_new(&t, &traffic);
        traffic.changes = x.changes;
        traffic.n_changes = x.n - 1;
        struct depend *d = depend_new(&t, &traffic);
        add_pairs(&x);
        assert_int_equal(depend_n_reroutes(d), x.n - 1);
        compare_edges(x.all, d);
        compare_cycles(x.all, d);
        n_closed += depend_is_cyclic(d) && !depend_is_cyclic(before);
        depend_free(before);
        depend_free(d);
        free_times(&x);
        topo_free(&t);
    }
    assert_in_range(n_closed, N_NETWORKS / 50, N_NETWORKS / 2);
}

/* S1 sends to S3 through S2; then the link between S2 and S3 goes down, and S2 sends the packets
 * back. */
static void
old_and_new_routes_make_an_edge_together(void **state)
{
    struct topo t = built(topo_build_ring, (struct topo_build){ .switches = 4 });
    uint32_t at = named(&t, "S2"), back = topo_port_to(&t, at, named(&t, "S1"));
    const struct depend_change down = { t.ports[topo_port_to(&t, at, named(&t, "S3"))].link, false,
                                        5000000 };
    const struct depend_flow flow = { .from = named(&t, "H1"), .to = named(&t, "H3") };
    struct depend_traffic traffic = {
        .flows = &flow, .n_flows = 1, .n_classes = 1, .lossless = 1, .changes = &down
    };

    (void)state;
    for (traffic.n_changes = 0; traffic.n_changes < 2; traffic.n_changes++) {
        struct depend *d = depend_new(&t, &traffic);
        assert_int_equal(depend_has_edge(d, back, back, 0, 0), traffic.n_changes);
        depend_free(d);
    }
    topo_free(&t);
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(changes_as_written_out),
        cmocka_unit_test(old_and_new_routes_make_an_edge_together),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
