/* Chains of pauses in networks in which the root of each pause is known. */

#include "answer/why.h"

#include <stdlib.h>
#include <time.h>

#include "base/array.h"
#include "unit.h"

/* Link i joins ports 2i and 2i + 1. */
enum { MAX_PORTS = 64 };

#define AWAY(PORT) ((PORT) ^ 1u)
#define N(ARRAY)   (sizeof(ARRAY) / sizeof *(ARRAY))

static struct why *
pauses_of(const struct why_event *events, size_t n, uint32_t n_classes, weir_ps until_ps)
{
    uint32_t peers[MAX_PORTS];

    for (uint32_t i = 0; i < MAX_PORTS; i++) {
        peers[i] = AWAY(i);
    }
    struct why_network network = { .peers = peers, .n_ports = MAX_PORTS, .n_classes = n_classes };
    return why_new(&network, events, n, until_ps);
}

static struct why_event
pause(weir_ps at_ps, uint32_t port)
{
    return (struct why_event){ .at_ps = at_ps, .port = port, .kind = WHY_PAUSE };
}

static struct why_event
resume(weir_ps at_ps, uint32_t port)
{
    return (struct why_event){ .at_ps = at_ps, .port = port, .kind = WHY_RESUME };
}

/* Packets that come from 'port' wait at the other end for 'output'. */
static struct why_event
blame(weir_ps at_ps, uint32_t port, uint32_t output)
{
    return (struct why_event){
        .at_ps = at_ps, .port = AWAY(port), .output = output, .kind = WHY_BLAME
    };
}

static struct why_event
pause_in(weir_ps at_ps, uint32_t port, uint32_t cls)
{
    return (struct why_event){ .at_ps = at_ps, .port = port, .cls = cls, .kind = WHY_PAUSE };
}

static struct why_event
blame_in(weir_ps at_ps, uint32_t port, uint32_t sent, uint32_t output, uint32_t cls)
{
    struct why_event e = blame(at_ps, port, output);

    e.cls = sent;
    e.output_cls = cls;
    return e;
}

static void
expect_chain(const struct why *w, uint32_t slot, weir_ps at_ps, enum why_end end,
             const uint32_t *slots, size_t n)
{
    struct why_chain chain = { 0 };

    why_chain_at(w, slot, at_ps, &chain);
    assert_int_equal(chain.end, end);
    assert_int_equal(chain.n, n);
    assert_memory_equal(chain.slots, slots, n * sizeof *slots);
    free(chain.slots);
}

#define EXPECT_CHAIN(W, SLOT, AT, END, ...)                                                        \
    expect_chain(W, SLOT, AT, END, (const uint32_t[]){ __VA_ARGS__ },                              \
                 N(((const uint32_t[]){ __VA_ARGS__ })))

/* The time for which a port was paused because of a root at one port, or of a cycle that begins
 * there. */
static weir_ps
paused_by(const struct why *w, uint32_t slot, weir_ps from_ps, weir_ps to_ps, enum why_end end,
          uint32_t port)
{
    struct why_shares shares = { 0 };
    weir_ps paused_ps = 0;

    why_shares(w, slot, from_ps, to_ps, &shares);
    for (size_t i = 0; i < shares.n; i++) {
        const struct why_root *r = &w->roots[shares.items[i].root];
        paused_ps += r->end == end && r->ports[0] == port ? shares.items[i].paused_ps : 0;
    }
    free(shares.items);
    return paused_ps;
}

/* Hosts send through ports 0, 2 and 4 to one switch.  Packets of the first two leave through its
 * output 6, those of the third through 8. */
static void
an_incast_has_its_output_as_root(void **state)
{
    const struct why_event events[] = { blame(90, 0, 6), blame(90, 2, 6), pause(100, 0),
                                        pause(110, 2),   resume(150, 0),  pause(160, 0),
                                        resume(180, 2),  resume(200, 0) };
    struct why *w = pauses_of(events, N(events), 1, 1000);

    (void)state;
    assert_false(why_is_paused(w, 0, 99));
    assert_true(why_is_paused(w, 0, 100));
    assert_true(why_is_paused(w, 0, 149));
    assert_false(why_is_paused(w, 0, 150));
    assert_false(why_is_paused(w, 4, 120));
    assert_false(why_is_paused(w, UINT32_MAX, 120));
    EXPECT_CHAIN(w, 0, 120, WHY_OUTPUT, 0, 6);
    EXPECT_CHAIN(w, 4, 120, WHY_OUTPUT, 4);
    assert_int_equal(paused_by(w, 0, 0, 1000, WHY_OUTPUT, 6), 90);
    assert_int_equal(paused_by(w, 0, 140, 170, WHY_OUTPUT, 6), 20);
    assert_int_equal(paused_by(w, 0, 150, 160, WHY_OUTPUT, 6), 0);
    assert_int_equal(w->n_roots, 1);
    assert_int_equal(w->roots[0].paused_ps, 160);
    why_free(w);
}

/* Hosts send through ports 0 and 2; a link from port 10 goes to the next switch, from there port 20
 * goes on, and from there port 30 to the congested host.  The flow of port 2 leaves the second
 * switch through another port: it is a victim. */
static void
a_tree_has_three_levels(void **state)
{
    const struct why_event events[] = { blame(10, 20, 30), pause(10, 20),    blame(20, 10, 20),
                                        pause(20, 10),     blame(30, 0, 10), pause(30, 0),
                                        blame(35, 2, 10),  pause(40, 2),     resume(50, 20),
                                        resume(60, 10),    resume(70, 0),    resume(80, 2) };
    const uint32_t victim[] = { 2, 10, 22 }, guilty[] = { 0, 10, 20, 30 };
    struct why *w = pauses_of(events, N(events), 1, 1000);
    struct why_forest forest = { 0 };

    (void)state;
    EXPECT_CHAIN(w, 2, 45, WHY_OUTPUT, 2, 10, 20, 30);
    EXPECT_CHAIN(w, 2, 55, WHY_OUTPUT, 2, 10, 20, 30);
    EXPECT_CHAIN(w, 2, 75, WHY_OUTPUT, 2, 10, 20, 30);
    assert_int_equal(paused_by(w, 2, 0, 1000, WHY_OUTPUT, 30), 40);
    why_forest_at(w, 45, &forest);
    assert_int_equal(forest.n, 4);
    assert_int_equal(forest.links[3].slot, 20);
    assert_int_equal(forest.links[3].next, 30);
    why_forest_at(w, 80, &forest);
    assert_int_equal(forest.n, 0);
    assert_int_equal(w->roots[0].ports[0], 30);
    assert_int_equal(w->roots[0].depth, 3);
    assert_int_equal(w->roots[0].deepest_slot, 0);
    assert_int_equal(w->roots[0].deepest_ps, 30);
    assert_false(why_root_is_on(&w->roots[0], victim, N(victim)));
    assert_true(why_root_is_on(&w->roots[0], guilty, N(guilty)));
    free(forest.links);
    why_free(w);
}

/* Three switches in a cycle, with ports 10, 12 and 14; a host sends through port 0 to the first. */
static void
a_ring_is_a_root(void **state)
{
    const struct why_event events[] = { blame(10, 0, 10),  blame(10, 10, 12), blame(10, 12, 14),
                                        blame(10, 14, 10), pause(10, 0),      pause(10, 10),
                                        pause(20, 12),     pause(30, 14),     resume(70, 12),
                                        pause(80, 12) };
    struct why *w = pauses_of(events, N(events), 1, 100);
    const uint32_t path[] = { 0, 14, 33 }, other[] = { 0, 33 };

    (void)state;
    EXPECT_CHAIN(w, 0, 15, WHY_OUTPUT, 0, 10, 12);
    EXPECT_CHAIN(w, 0, 25, WHY_OUTPUT, 0, 10, 12, 14);
    EXPECT_CHAIN(w, 0, 30, WHY_CYCLE, 0, 10, 12, 14);
    EXPECT_CHAIN(w, 14, 30, WHY_CYCLE, 14, 10, 12);
    EXPECT_CHAIN(w, 0, 75, WHY_CYCLE, 0, 10, 12, 14, 10);
    assert_int_equal(paused_by(w, 0, 0, 100, WHY_CYCLE, 10), 70);
    assert_int_equal(paused_by(w, 14, 0, 100, WHY_CYCLE, 10), 70);
    assert_int_equal(paused_by(w, 0, 0, 100, WHY_OUTPUT, 12), 10);
    assert_int_equal(paused_by(w, 0, 0, 100, WHY_OUTPUT, 14), 10);
    const struct why_root *ring = NULL;
    for (size_t i = 0; i < w->n_roots; i++) {
        ring = w->roots[i].end == WHY_CYCLE ? &w->roots[i] : ring;
    }
    assert_int_equal(ring->n_ports, 3);
    assert_int_equal(ring->depth, 3);
    assert_true(why_root_is_on(ring, path, N(path)));
    assert_false(why_root_is_on(ring, other, N(other)));
    why_free(w);
}

/* Pauses of a chain are not synchronous.  The output is blocked if it was paused after the previous
 * pause of the port ended; without a previous pause, after this pause began. */
static void
pauses_overlap(void **state)
{
    const struct why_event events[] = { blame(0, 0, 10), blame(0, 10, 20), pause(10, 10),
                                        resume(20, 10),  pause(30, 0),     resume(40, 0),
                                        pause(50, 0),    resume(60, 0),    pause(100, 0),
                                        pause(130, 10),  resume(150, 0),   resume(170, 10),
                                        pause(180, 0) };
    struct why *w = pauses_of(events, N(events), 1, 200);

    (void)state;
    assert_int_equal(paused_by(w, 0, 0, 90, WHY_OUTPUT, 10), 20);
    EXPECT_CHAIN(w, 0, 55, WHY_OUTPUT, 0, 10);
    assert_int_equal(paused_by(w, 0, 90, 150, WHY_OUTPUT, 10), 30);
    assert_int_equal(paused_by(w, 0, 90, 150, WHY_OUTPUT, 20), 20);
    assert_int_equal(paused_by(w, 0, 120, 140, WHY_OUTPUT, 10), 10);
    assert_int_equal(paused_by(w, 0, 120, 140, WHY_OUTPUT, 20), 10);
    assert_int_equal(paused_by(w, 0, 150, 200, WHY_OUTPUT, 20), 20);
    EXPECT_CHAIN(w, 0, 190, WHY_OUTPUT, 0, 10, 20);
    assert_true(why_is_paused(w, 0, 199));
    why_free(w);
}

static void
a_blame_changes_during_a_pause(void **state)
{
    const struct why_event events[] = { pause(100, 0),     blame(110, 0, 10), blame(140, 0, 20),
                                        blame(150, 0, 20), resume(160, 0),    blame(170, 0, 30) };
    struct why *w = pauses_of(events, N(events), 1, 200);

    (void)state;
    EXPECT_CHAIN(w, 0, 105, WHY_PEER, 0);
    assert_int_equal(paused_by(w, 0, 0, 200, WHY_PEER, 0), 10);
    assert_int_equal(paused_by(w, 0, 0, 200, WHY_OUTPUT, 10), 30);
    assert_int_equal(paused_by(w, 0, 0, 200, WHY_OUTPUT, 20), 20);
    assert_int_equal(paused_by(w, 0, 0, 200, WHY_OUTPUT, 30), 0);
    assert_int_equal(w->n_links, 3);
    why_free(w);
}

/* Class 1 of the same port is another slot, so its pauses are separate. */
static void
classes_are_apart(void **state)
{
    const struct why_event events[] = { blame_in(5, 0, 1, 10, 1), pause_in(10, 0, 1),
                                        pause_in(20, 10, 0) };
    struct why *w = pauses_of(events, N(events), 2, 100);

    (void)state;
    assert_false(why_is_paused(w, why_slot(w, 0, 0), 15));
    EXPECT_CHAIN(w, why_slot(w, 0, 1), 30, WHY_OUTPUT, 1, 21);
    why_free(w);
}

/* Packets change their class at each hop: class 0 at the sender's port 0, class 1 at port 10, class
 * 2 at port 20. */
static void
chains_lead_from_class_to_class(void **state)
{
    const struct why_event events[] = { blame_in(5, 10, 1, 20, 2), pause_in(10, 10, 1),
                                        blame_in(15, 0, 0, 10, 1), pause_in(20, 0, 0),
                                        blame_in(25, 2, 0, 10, 7), pause_in(30, 2, 0) };
    struct why *w = pauses_of(events, N(events), 3, 100);

    (void)state;
    EXPECT_CHAIN(w, why_slot(w, 0, 0), 50, WHY_OUTPUT, 0, 31, 62);
    EXPECT_CHAIN(w, why_slot(w, 2, 0), 50, WHY_PEER, 6);
    why_free(w);
}

static void
what_is_not_there_is_left_aside(void **state)
{
    const struct why_event events[] = {
        pause(10, MAX_PORTS), pause_in(10, 0, 7), blame(10, 0, MAX_PORTS),
        resume(10, 0),        pause(20, 0),       pause(30, 0),
        pause(5, 2)
    };
    struct why *w = pauses_of(events, N(events), 1, 25);

    (void)state;
    assert_int_equal(w->n_links, 1);
    assert_int_equal(paused_by(w, 0, 0, 100, WHY_PEER, 0), 10);
    why_free(w);
    why_free(pauses_of(NULL, 0, 1, 0));
}

static struct why_event
link_changes(weir_ps at_ps, uint32_t port, bool is_up)
{
    return (struct why_event){ .at_ps = at_ps,
                               .port = port,
                               .kind = is_up ? WHY_LINK_UP : WHY_LINK_DOWN };
}

/* Port 0 waits for port 10, whose link goes down.  For a while port 10 is paused as well, because
 * of port 20. */
static void
an_output_that_is_down_is_a_root(void **state)
{
    const struct why_event events[] = {
        blame(5, 0, 10),
        blame(5, 10, 20),
        pause(10, 0),
        link_changes(20, 10, false),
        pause(30, 10),
        resume(40, 10),
        link_changes(50, 10, true),
        resume(70, 0),
    };
    struct why *w = pauses_of(events, N(events), 1, 100);

    (void)state;
    EXPECT_CHAIN(w, 0, 15, WHY_OUTPUT, 0, 10);
    EXPECT_CHAIN(w, 0, 25, WHY_DOWN, 0, 10);
    EXPECT_CHAIN(w, 0, 35, WHY_DOWN, 0, 10);
    EXPECT_CHAIN(w, 10, 35, WHY_OUTPUT, 10, 20);
    assert_int_equal(paused_by(w, 0, 0, 100, WHY_DOWN, 10), 30);
    assert_int_equal(paused_by(w, 0, 0, 50, WHY_OUTPUT, 10), 10);
    why_free(w);
}

/* A file from an untrusted source: the chain has all ports, and its end changes again and again. */
static void
work_is_bounded(void **state)
{
    enum { N_PORTS = 20000, N_EVENTS = 4 * N_PORTS };
    struct why_event *events = array_new(N_EVENTS, sizeof *events);
    uint32_t *peers = array_new(N_PORTS, sizeof *peers);
    struct why_chain chain = { 0 };

    (void)state;
    for (uint32_t i = 0; i < N_EVENTS; i++) {
        uint32_t port = i % N_PORTS & ~1u;
        events[i] = i < N_PORTS       ? blame(0, port, (port + 2) % N_PORTS)
                    : i < 2 * N_PORTS ? pause(1, port)
                    : i % 2           ? resume(i, N_PORTS - 2)
                                      : pause(i, N_PORTS - 2);
    }
    for (uint32_t i = 0; i < N_PORTS; i++) {
        peers[i] = AWAY(i);
    }
    struct why_network network = { .peers = peers, .n_ports = N_PORTS, .n_classes = 1 };
    struct why *w = why_new(&network, events, N_EVENTS, N_EVENTS);
    assert_true(w->is_cut);
    assert_in_range(w->n_links, 1, 40 * N_EVENTS);
    why_chain_at(w, 0, N_EVENTS - 1, &chain);
    assert_int_equal(chain.n, WHY_MAX_CHAIN);
    why_free(w);
    free(chain.slots);
    free(events);
    free(peers);
}

/* The chain at an instant ends at the root that the shares of that instant name. */
static void
expect_same_root(const struct why *w, uint32_t slot, weir_ps at_ps)
{
    struct why_shares shares = { 0 };
    struct why_chain chain = { 0 };

    why_shares(w, slot, at_ps, at_ps + 1, &shares);
    assert_int_equal(shares.n, why_is_paused(w, slot, at_ps));
    if (shares.n) {
        const struct why_root *r = &w->roots[shares.items[0].root];
        why_chain_at(w, slot, at_ps, &chain);
        assert_int_equal(shares.items[0].paused_ps, 1);
        assert_int_equal(r->end, chain.end);
        assert_true(why_root_is_on(r, &chain.slots[chain.n - 1], 1));
        assert_int_equal(r->n_ports, chain.end == WHY_CYCLE ? chain.n - chain.cycle_from : 1);
    }
    free(shares.items);
    free(chain.slots);
}

/* Random events: the state that is updated at each event agrees with a new search at each pause.
 * There are few ports, so that cycles close, open and close elsewhere. */
static void
chains_and_shares_agree(void **state)
{
    enum { N_EVENTS = 2000, N_PORTS = 12 };
    struct why_event events[N_EVENTS];
    uint64_t random = 1;
    size_t n_rings = 0;

    (void)state;
    for (size_t i = 0; i < N_EVENTS; i++) {
        events[i] = (struct why_event){ .at_ps = (weir_ps)i / 2,
                                        .port = (uint32_t)below(&random, N_PORTS),
                                        .output = (uint32_t)below(&random, N_PORTS),
                                        .kind = (enum why_kind)below(&random, 5) };
    }
    struct why *w = pauses_of(events, N_EVENTS, 1, N_EVENTS / 2);
    for (size_t i = 0; i < w->n_roots; i++) {
        n_rings += w->roots[i].end == WHY_CYCLE;
    }
    assert_true(n_rings > 10);
    for (uint32_t slot = 0; slot < N_PORTS; slot++) {
        for (weir_ps at_ps = 0; at_ps < N_EVENTS / 2; at_ps++) {
            expect_same_root(w, slot, at_ps);
        }
    }
    why_free(w);
}

/* A million events of a chain of four, which start and end at different times: the sum over roots
 * is the time of all pauses, and the search is fast. */
static void
a_million_events_are_quick(void **state)
{
    enum { N_EVENTS = 1000000, CHAIN = 4 };
    struct why_event *events = array_new(N_EVENTS, sizeof *events);
    clock_t begin = clock();
    weir_ps paused_ps = 0, found_ps = 0;

    (void)state;
    for (uint32_t i = 0; i < CHAIN; i++) {
        events[i] = blame(0, 10 * i, 10 * i + 10);
    }
    for (uint32_t i = CHAIN; i < N_EVENTS; i++) {
        bool is_on = i / CHAIN % 2;
        weir_ps at_ps = 10 * (weir_ps)i + (i / CHAIN % 7);
        events[i] = is_on ? pause(at_ps, i % CHAIN * 10) : resume(at_ps, i % CHAIN * 10);
    }
    struct why *w = pauses_of(events, N_EVENTS, 1, 10 * (weir_ps)N_EVENTS);
    assert_false(w->is_cut);
    for (size_t i = 0; i < w->n_links; i++) {
        const struct why_link *l = &w->links[i];
        paused_ps += l->to_ps - l->from_ps;
        found_ps += why_link_at(w, l->slot, (l->from_ps + l->to_ps) / 2) == l;
    }
    assert_int_equal(found_ps, w->n_links);
    for (size_t i = 0; i < w->n_roots; i++) {
        paused_ps -= w->roots[i].paused_ps;
    }
    assert_int_equal(paused_ps, 0);
    assert_true((double)(clock() - begin) / CLOCKS_PER_SEC < 5);
    why_free(w);
    free(events);
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(an_incast_has_its_output_as_root),
        cmocka_unit_test(a_tree_has_three_levels),
        cmocka_unit_test(a_ring_is_a_root),
        cmocka_unit_test(pauses_overlap),
        cmocka_unit_test(a_blame_changes_during_a_pause),
        cmocka_unit_test(classes_are_apart),
        cmocka_unit_test(chains_lead_from_class_to_class),
        cmocka_unit_test(what_is_not_there_is_left_aside),
        cmocka_unit_test(an_output_that_is_down_is_a_root),
        cmocka_unit_test(work_is_bounded),
        cmocka_unit_test(chains_and_shares_agree),
        cmocka_unit_test(a_million_events_are_quick),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
