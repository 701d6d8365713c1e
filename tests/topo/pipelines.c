/* Switches whose inputs wait for a pipeline, or for nothing: examples by hand, and small random
 * networks, compared with an explicit list of every hop of every flow. */

#include "plain.h"

enum { N_CLASSES = 2, N_FLOWS = 6, N_DRAWN = 400, N_VERTICES = MAX_BUFFERS * N_CLASSES };

/* Examples by hand. */

static struct depend_traffic
both_ways(const struct topo *t, struct depend_flow flows[2], const uint8_t *waits)
{
    flows[0] = (struct depend_flow){ .from = named(t, "H1"), .to = named(t, "H2") };
    flows[1] = (struct depend_flow){ .from = named(t, "H2"), .to = named(t, "H1"), .cls = 1 };
    return (struct depend_traffic){
        .flows = flows, .n_flows = 2, .n_classes = 2, .lossless = 3, .waits = waits
    };
}

static uint16_t
number(const struct topo *t, const char *at, const char *to)
{
    return (uint16_t)t->ports[port_named(t, at, to)].number;
}

/* Two switches with a host each.  Packets in one direction wait for packets in the other direction
 * only in pipelines, and there even in another class. */
static void
two_switches_are_enough(void **state)
{
    struct topo t = built(topo_build_dumbbell, (struct topo_build){ .hosts = 1 });
    const uint8_t for_all[] = { DEPEND_FOR_ALL, DEPEND_FOR_ALL };
    const uint8_t mixed[] = { DEPEND_FOR_ALL, DEPEND_FOR_OUTPUT };
    struct depend_flow flows[2];
    struct depend_traffic traffic = both_ways(&t, flows, NULL);
    struct depend_cycles cycles;

    (void)state;
    assert_false(is_cyclic(&t, &traffic));
    traffic.waits = mixed; /* Packets of S1 at S2 are for S2's host, which accepts them. */
    assert_false(is_cyclic(&t, &traffic));
    traffic.waits = for_all;
    struct depend *d = depend_new(&t, &traffic);
    depend_find_cycles(d, 1, &cycles);
    assert_int_equal(cycles.n, 1);
    assert_int_equal(cycles.cycles[0].n, 4);
    assert_int_equal(cycles.n_buffers, 2);
    assert_int_equal(cycles.n_pipelines, 2);
    depend_free_cycles(&cycles);
    depend_free(d);
    const uint16_t path[] = { number(&t, "S1", "S2"), number(&t, "S2", "H2") };
    flows[0].path = path;
    flows[0].n_path = 2;
    assert_int_equal(shortest_cycle(&t, &traffic), 4);
    traffic.n_flows = 1;
    assert_false(is_cyclic(&t, &traffic));
    traffic.n_flows = 2;
    traffic.lossless = 1; /* The other class never stops for good. */
    assert_false(is_cyclic(&t, &traffic));
    topo_free(&t);
}

/* A cycle of buffers leads through no switch that drops packets. */
static void
what_drops_breaks_rings(void **state)
{
    struct topo t = built(topo_build_ring, (struct topo_build){ .switches = 5 });
    const uint8_t one[] = { 0, 0, DEPEND_FOR_NOTHING, 0, 0 };
    struct depend_traffic traffic = all_pairs;

    (void)state;
    assert_int_equal(shortest_cycle(&t, &traffic), 5);
    traffic.waits = one;
    assert_false(is_cyclic(&t, &traffic));
    topo_free(&t);
}

/* The reference: the packets that cross each switch, hop by hop. */

struct reference {
    struct plain *p;
    uint8_t waits[MAX_SWITCHES];
    bool passes[MAX_SWITCHES][MAX_SWITCHES][MAX_SWITCHES][N_CLASSES]; /* [from][at][next]. */
    bool comes[MAX_SWITCHES][MAX_SWITCHES][N_CLASSES];                /* [from][at]. */
    bool goes[MAX_SWITCHES][MAX_SWITCHES][N_CLASSES];                 /* [at][next]. */
    /* [at][from]: pass() has already followed the current flow here. */
    bool is_met[MAX_SWITCHES][MAX_SWITCHES + 1];
};

enum { HOST = MAX_SWITCHES };

static void
pass(struct reference *r, uint32_t from, uint32_t at, const struct depend_flow *f)
{
    if (r->is_met[at][from]) {
        return;
    }
    r->is_met[at][from] = true;
    if (from != HOST) {
        r->comes[from][at][f->cls] = true;
    }
    for (uint32_t next = 0; next < r->p->n; next++) {
        if (plain_choice(r->p, at, next, f->to)) {
            r->goes[at][next][f->cls] = true;
            if (from != HOST) {
                r->passes[from][at][next][f->cls] = true;
            }
            pass(r, at, next, f);
        }
    }
}

static bool
waits_for(const struct reference *r, uint32_t from, uint32_t at, uint32_t next, uint32_t cls,
          uint32_t next_cls)
{
    switch (r->waits[at]) {
    case DEPEND_FOR_OUTPUT:
        return cls == next_cls && r->passes[from][at][next][cls];
    case DEPEND_FOR_ALL:
        return r->comes[from][at][cls] && r->goes[at][next][next_cls];
    default:
        return false;
    }
}

/* Whether some buffer waits for itself, directly or indirectly. */
static bool
reference_is_cyclic(const struct reference *r)
{
    static bool far[N_VERTICES][N_VERTICES];
    bool is = false;

    for (uint32_t i = 0; i < N_VERTICES; i++) {
        for (uint32_t j = 0; j < N_VERTICES; j++) {
            uint32_t a = i / N_CLASSES / MAX_SWITCHES, b = i / N_CLASSES % MAX_SWITCHES;
            uint32_t c = j / N_CLASSES % MAX_SWITCHES;
            far[i][j] = j / N_CLASSES / MAX_SWITCHES == b &&
                        waits_for(r, a, b, c, i % N_CLASSES, j % N_CLASSES);
        }
    }
    for (uint32_t k = 0; k < N_VERTICES; k++) {
        for (uint32_t i = 0; i < N_VERTICES; i++) {
            for (uint32_t j = 0; far[i][k] && j < N_VERTICES; j++) {
                far[i][j] |= far[k][j];
            }
        }
    }
    for (uint32_t i = 0; i < N_VERTICES; i++) {
        is |= far[i][i];
    }
    return is;
}

static void
compare_all_edges(const struct reference *r, const struct depend *d)
{
    const struct plain *p = r->p;

    for (uint32_t i = 0; i < p->n * p->n * p->n * N_CLASSES * N_CLASSES; i++) {
        uint32_t cls = i % N_CLASSES, next_cls = i / N_CLASSES % N_CLASSES;
        uint32_t turn = i / N_CLASSES / N_CLASSES, a = turn % p->n, b = turn / p->n % p->n,
                 c = turn / p->n / p->n;
        if (p->linked[a][b] && p->linked[b][c]) {
            assert_int_equal(depend_has_edge(d, topo_port_to(p->t, b, a), topo_port_to(p->t, b, c),
                                             (uint8_t)cls, (uint8_t)next_cls),
                             waits_for(r, a, b, c, cls, next_cls));
        }
    }
}

/* Checks that an example leads from host to host and contains the edge, of which one end may be
 * open. */
static void
check_example(const struct topo *t, const struct depend_edge *e)
{
    uint32_t a = e->in == TOPO_NONE ? TOPO_NONE : t->ports[t->ports[e->in].peer].node;
    uint32_t c = e->out == TOPO_NONE ? TOPO_NONE : t->ports[t->ports[e->out].peer].node;
    bool has_edge = false;

    assert_true(e->n_route >= 4 && e->flow != TOPO_NONE);
    for (uint32_t i = 1; i < e->n_route; i++) {
        assert_true(topo_port_to(t, e->route[i - 1], e->route[i]) != TOPO_NONE);
        has_edge |= i + 1 < e->n_route && e->route[i] == e->at &&
                    (a == TOPO_NONE || e->route[i - 1] == a) &&
                    (c == TOPO_NONE || e->route[i + 1] == c);
    }
    assert_true(has_edge && t->nodes[e->route[0]].kind == TOPO_NIC &&
                t->nodes[e->route[e->n_route - 1]].kind == TOPO_NIC);
}

static void
check_rings(const struct reference *r, struct depend *d)
{
    struct depend_cycles cycles;

    depend_find_cycles(d, 100, &cycles);
    assert_int_equal(cycles.n != 0, reference_is_cyclic(r));
    for (size_t i = 0; i < cycles.n; i++) {
        for (uint32_t j = 0; j < cycles.cycles[i].n; j++) {
            const struct depend_edge *e = &cycles.cycles[i].edges[j],
                                     *next = &cycles.cycles[i].edges[(j + 1) % cycles.cycles[i].n];
            assert_int_equal(e->out == TOPO_NONE ? TOPO_NONE : r->p->t->ports[e->out].peer,
                             next->in);
            assert_int_equal(e->out == TOPO_NONE ? e->at : r->p->t->ports[next->in].node, next->at);
            assert_int_equal(e->in == TOPO_NONE || e->out == TOPO_NONE,
                             r->waits[e->at] == DEPEND_FOR_ALL);
            check_example(r->p->t, e);
        }
    }
    depend_free_cycles(&cycles);
}

static bool
try_network(uint64_t seed)
{
    struct topo t = draw(seed, 2);
    struct reference r = { .p = plain_of(&t) };
    struct depend_flow flows[N_FLOWS];
    uint64_t random = seed * 7919;

    for (uint32_t i = 0; i < MAX_SWITCHES; i++) {
        /* DEPEND_FOR_OUTPUT is twice as likely, because only then the path matters. */
        r.waits[i] = (uint8_t)below(&random, 4) % 3;
    }
    for (uint32_t i = 0; i < N_FLOWS; i++) {
        flows[i] = (struct depend_flow){ .from = t.n_switches + (uint32_t)below(&random, t.n_nics),
                                         .to = t.n_switches + (uint32_t)below(&random, t.n_nics),
                                         .cls = (uint8_t)below(&random, N_CLASSES) };
        memset(r.is_met, 0, sizeof r.is_met);
        if (plain_live(r.p, flows[i].from) && plain_live(r.p, flows[i].to)) {
            pass(&r, HOST, topo_switch_of(&t, flows[i].from), &flows[i]);
        }
    }
    struct depend_traffic traffic = {
        .flows = flows, .n_flows = N_FLOWS, .n_classes = N_CLASSES, .lossless = 3, .waits = r.waits
    };
    struct depend *d = depend_new(&t, &traffic);
    compare_all_edges(&r, d);
    check_rings(&r, d);
    bool is = depend_is_cyclic(d);
    depend_free(d);
    free(r.p);
    topo_free(&t);
    return is;
}

static void
random_networks(void **state)
{
    uint32_t n_cyclic = 0;

    (void)state;
    for (uint64_t seed = 1; seed <= N_DRAWN; seed++) {
        n_cyclic += try_network(seed);
    }
    assert_in_range(n_cyclic, N_DRAWN / 20, N_DRAWN - N_DRAWN / 20);
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(two_switches_are_enough),
        cmocka_unit_test(what_drops_breaks_rings),
        cmocka_unit_test(random_networks),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
