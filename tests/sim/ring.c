/* The round-robin list of a NIC: for any flows that enter, leave and send, and any state of their
 * gates, the next flow is the one that a walk from flow to flow finds. */

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "../chance.h"
#include "sim/nodes/nic/ring.h"

enum { MTU = 1500, MAX_FLOWS = 400, N_STEPS = 4000 };

struct law {
    uint64_t chance;
    weir_ps now;
    uint32_t n_flows;
    struct nic_ring ring;
    struct sim_sender *flows;
    struct sim_turn turns[MAX_FLOWS];
    struct weir_gate gates[MAX_FLOWS];

    /* The expected list: from the flow that is next to the flow that was served last. */
    uint32_t order[MAX_FLOWS], n;
};

/* The model. */

static void
remove_at(struct law *l, uint32_t i)
{
    memmove(&l->order[i], &l->order[i + 1], (--l->n - i) * sizeof *l->order);
}

/* Rotates the list so that the flow at 'i' is next. */
static void
turn_to(struct law *l, uint32_t i)
{
    uint32_t turned[MAX_FLOWS];

    for (uint32_t k = 0; k < l->n; k++) {
        turned[k] = l->order[(i + k) % l->n];
    }
    memcpy(l->order, turned, l->n * sizeof *turned);
}

/* The position of the next flow that may send. If none may, returns 'n', and 'soonest' is the time
 * at which one may. */
static uint32_t
walk(const struct law *l, weir_ps *soonest)
{
    *soonest = WEIR_NEVER;
    for (uint32_t i = 0; i < l->n; i++) {
        const struct sim_sender *f = &l->flows[l->order[i]];
        weir_ps at = f->has_gate ? weir_gate_ready(f->gate, l->now, MTU) : l->now;
        if (at <= l->now) {
            return i;
        }
        *soonest = at < *soonest ? at : *soonest;
    }
    return l->n;
}

/* Events. */

static void
enter(struct law *l)
{
    uint32_t flow = (uint32_t)below(&l->chance, l->n_flows);

    if (!l->flows[flow].in_ring) {
        nic_ring_enter(&l->ring, l->flows, flow);
        uint32_t place = l->ring.joins_next ? 0 : l->n;
        memmove(&l->order[place + 1], &l->order[place], (l->n++ - place) * sizeof *l->order);
        l->order[place] = flow;
    }
}

static void
leave(struct law *l)
{
    if (l->n) {
        uint32_t i = (uint32_t)below(&l->chance, l->n);
        nic_ring_leave(&l->ring, l->flows, l->order[i]);
        turn_to(l, i);
        remove_at(l, 0);
    }
}

/* A window opens or shuts, or a rate changes. */
static void
change_gate(struct law *l)
{
    uint32_t flow = (uint32_t)below(&l->chance, l->n_flows);
    struct weir_gate *g = &l->gates[flow];

    if (below(&l->chance, 2)) {
        g->limit_bytes =
            below(&l->chance, 3) ? WEIR_UNLIMITED : g->sent_bytes + below(&l->chance, 2 * MTU);
    } else {
        weir_gate_set_rate(g, 1000000 + below(&l->chance, 100000000));
    }
    nic_ring_gate_changed(&l->ring, l->flows, flow);
}

/* The first flow of the list sends, and then is served or leaves. */
static void
send_next(struct law *l)
{
    uint32_t flow = l->order[0];
    struct sim_sender *f = &l->flows[flow];

    if (f->has_gate) {
        weir_gate_sent(f->gate, l->now, MTU);
        nic_ring_gate_changed(&l->ring, l->flows, flow);
    }
    if (below(&l->chance, 20)) {
        nic_ring_served(&l->ring, l->flows, flow);
        turn_to(l, 1);
    } else {
        nic_ring_leave(&l->ring, l->flows, flow);
        remove_at(l, 0);
    }
}

static void
ask(struct law *l)
{
    weir_ps soonest = WEIR_NEVER, expected_soonest;
    uint32_t i = walk(l, &expected_soonest);
    uint32_t flow = nic_ring_next(&l->ring, l->flows, l->now, &soonest);

    if (i == l->n) {
        assert_int_equal(flow, SIM_NONE);
        assert_int_equal(soonest, expected_soonest);
        return;
    }
    assert_int_equal(flow, l->order[i]);
    turn_to(l, i);
    assert_int_equal(l->ring.last, l->order[l->n - 1]);
    assert_int_equal(l->ring.next, l->order[0]);
    if (below(&l->chance, 4)) { /* In the other cases the gate of the class is shut. */
        send_next(l);
    }
}

static void
start(struct law *l, uint64_t seed)
{
    *l = (struct law){ .chance = seed };
    l->n_flows = 1 + (uint32_t)below(&l->chance, MAX_FLOWS);
    l->ring = (struct nic_ring){ .last = SIM_NONE,
                                 .next = SIM_NONE,
                                 .root = SIM_NONE,
                                 .mtu_bytes = MTU,
                                 .joins_next = seed % 2,
                                 .turns = l->turns };
    l->flows = aligned_alloc(64, l->n_flows * sizeof *l->flows);
    memset(l->flows, 0, l->n_flows * sizeof *l->flows);
    for (uint32_t i = 0; i < l->n_flows; i++) {
        l->flows[i].has_gate = below(&l->chance, 50) > 0;
        l->flows[i].gate = l->flows[i].has_gate ? &l->gates[i] : NULL;
        weir_gate_init(&l->gates[i], 20);
        weir_gate_set_rate(&l->gates[i], 1000000 + below(&l->chance, 3000000));
    }
}

static void
the_next_is_the_one_that_a_walk_finds(void **state)
{
    uint32_t n_large = 0, n_shed = 0;

    (void)state;
    for (uint64_t seed = 1; seed <= 60; seed++) {
        struct law l;
        start(&l, seed);
        for (uint32_t i = 0; i < N_STEPS; i++) {
            bool had_tree = l.ring.root != SIM_NONE;
            uint64_t what = below(&l.chance, 16),
                     bias = (i / 500 + seed) % 3; /* The list grows and shrinks. */
            l.now += (weir_ps)below(&l.chance, 2000000);
            if (what < 3 + 3 * (bias == 0)) {
                enter(&l);
            } else if (what < 7 && bias == 1) {
                leave(&l);
            } else if (what < 9) {
                change_gate(&l);
            } else if (l.n) {
                ask(&l);
            }
            assert_int_equal(l.ring.n, l.n);
            n_large += l.ring.root != SIM_NONE;
            n_shed += had_tree && l.ring.root == SIM_NONE;
        }
        free(l.flows);
    }
    assert_true(n_large > 60 * N_STEPS / 4 && n_shed > 5);
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_next_is_the_one_that_a_walk_finds),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
