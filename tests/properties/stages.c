/* Buffers with stages: every byte is counted in one stage, inputs behave as they do in a node
 * without stages, and the use of shared memory and outputs equals a plain count of packets. */

#include <stdlib.h>
#include <string.h>

#include "law.h"

enum { N_PORTS = 4, N_CLASSES = 2, N_SLOTS = N_PORTS * N_CLASSES, MAX_HELD = 2000, N_STEPS = 3000 };

enum { APART, BY_PORT, ONE_MEMORY, LIMITED_OUTPUTS, N_PLANS };

static const struct weir_buffer_plan plans[N_PLANS] = {
    {
        .size_bytes = 150000,
        .classes = { { .reserve_bytes = 2000,
                       .alpha = WEIR_RATIO_1,
                       .partition_bytes = 9000,
                       .headroom_bytes = 8000 },
                     { .reserve_bytes = 3000, .limit_bytes = 20000 } },
        .output_bytes = { 6000, 0 },
    },
    {
        .size_bytes = 150000,
        .classes = { { .reserve_bytes = 12000 }, { .reserve_bytes = 20000 } },
        .output_bytes = { 6000, 0 },
        .output_port_bytes = 9000,
    },
    {
        /* A pool of 30000 bytes, while all limits of one side add up to 56000. */
        .size_bytes = 50000,
        .classes = { { .reserve_bytes = 2000, .limit_bytes = 5000 },
                     { .reserve_bytes = 3000, .limit_bytes = 9000 } },
        .port_limit_bytes = 10000,
    },
    {
        .size_bytes = 80000,
        .classes = { { .reserve_bytes = 2000, .limit_bytes = 5000 },
                     { .reserve_bytes = 3000, .limit_bytes = 9000 } },
        .port_limit_bytes = 10000,
        .outputs_limit_bytes = 8000,
    }
};

enum stage { AT_INPUT, ON_ITS_WAY, AT_OUTPUT };

struct held {
    uint32_t in_slot, out_slot, bytes;
    enum stage stage;
};

struct walk {
    const struct weir_buffer_plan *plan;
    struct weir_buffer b;
    uint64_t stored[N_SLOTS];
    struct weir_buffer_slot slots[N_SLOTS];
    struct held held[MAX_HELD];
    uint32_t n_held, n_dropped, n_discarded, n_pool_full, n_outputs_full;
    uint64_t chance;
};

static void
start(struct walk *w, uint32_t plan, uint64_t seed)
{
    struct weir_text why = { 0 };

    *w = (struct walk){ .plan = &plans[plan], .chance = seed };
    assert_true(weir_buffer_check(w->plan, N_PORTS, N_CLASSES, &why));
    weir_buffer_init(&w->b, w->plan, N_PORTS, N_CLASSES, w->slots);
    if (plan >= ONE_MEMORY) {
        assert_true(weir_buffer_store_memory(N_PORTS, N_CLASSES) == sizeof w->stored);
        memset(w->stored, 0xee, sizeof w->stored);
        weir_buffer_store_once(&w->b, w->stored);
    }
}

/* Most packets leave through the first port. */
static struct held
draw_packet(struct walk *w)
{
    uint32_t cls = (uint32_t)duet_draw(&w->chance, 0, N_CLASSES - 1);
    uint32_t out = (uint32_t)duet_draw(&w->chance, 0, 3 * N_PORTS);
    return (struct held){
        .in_slot = (uint32_t)duet_draw(&w->chance, 0, N_PORTS - 1) * N_CLASSES + cls,
        .out_slot = (out < N_PORTS ? out : 0) * N_CLASSES + cls,
        .bytes = (uint32_t)duet_draw(&w->chance, 64, 1500),
    };
}

/* The plain count of packets. */

struct model {
    uint64_t in[N_SLOTS], out[N_SLOTS], stored[N_SLOTS], passing, used;
};

static struct model
count(const struct walk *w)
{
    struct model m = { 0 };

    for (const struct held *h = w->held; h < w->held + w->n_held; h++) {
        m.in[h->in_slot] += h->stage == AT_INPUT ? h->bytes : 0;
        m.out[h->out_slot] += h->stage == AT_OUTPUT ? h->bytes : 0;
        m.passing += h->stage == ON_ITS_WAY ? h->bytes : 0;
        m.stored[h->in_slot] += h->bytes;
        m.used += h->bytes;
    }
    return m;
}

/* Bytes of slots beyond their reserves, for slots from 'first' on. */
static uint64_t
past_reserves(const struct walk *w, const uint64_t *bytes, uint32_t first, uint32_t n)
{
    uint64_t sum = 0;

    for (uint32_t slot = first; slot < first + n; slot++) {
        uint64_t reserve = w->plan->classes[slot % N_CLASSES].reserve_bytes;
        sum += bytes[slot] > reserve ? bytes[slot] - reserve : 0;
    }
    return sum;
}

static uint64_t
pool_bytes(const struct walk *w)
{
    uint64_t left = w->plan->size_bytes;

    for (uint32_t slot = 0; slot < N_SLOTS; slot++) {
        left -= w->plan->classes[slot % N_CLASSES].reserve_bytes;
    }
    return left;
}

/* With one memory for inputs and outputs: whether queues of one side may have this length. */
static bool
may_be(const struct walk *w, const uint64_t *bytes, uint32_t slot)
{
    const struct weir_buffer_class *c = &w->plan->classes[slot % N_CLASSES];

    return bytes[slot] <= c->reserve_bytes + c->limit_bytes &&
           past_reserves(w, bytes, slot / N_CLASSES * N_CLASSES, N_CLASSES) <=
               w->plan->port_limit_bytes;
}

static bool
is_taken(struct walk *w, const struct held *h)
{
    struct model m = count(w);

    m.in[h->in_slot] += h->bytes;
    m.stored[h->in_slot] += h->bytes;
    bool fits = past_reserves(w, m.stored, 0, N_SLOTS) <= pool_bytes(w);
    w->n_pool_full += !fits;
    return fits && may_be(w, m.in, h->in_slot);
}

static bool
is_let_out(struct walk *w, const struct held *h)
{
    struct model m = count(w);
    uint32_t slot = h->out_slot, first = slot / N_CLASSES * N_CLASSES;
    uint64_t most = w->plan->output_bytes[slot % N_CLASSES], of_port = w->plan->output_port_bytes;

    m.out[slot] += h->bytes;
    if (w->b.stored) {
        uint64_t all = w->plan->outputs_limit_bytes;
        bool all_fit = !all || past_reserves(w, m.out, 0, N_SLOTS) <= all;
        bool one_fits = may_be(w, m.out, slot);
        w->n_outputs_full += one_fits && !all_fit;
        return one_fits && all_fit;
    }
    return (!most || m.out[slot] <= most) &&
           (!of_port || m.out[first] + m.out[first + 1] <= of_port);
}

static enum weir_admission
arrive(struct walk *w, struct held h)
{
    bool is_said = w->b.stored, fits = is_said && is_taken(w, &h);
    enum weir_admission how = weir_buffer_admit_input(&w->b, h.in_slot, h.bytes);

    assert_true(!is_said || fits == (how == WEIR_ADMITTED));
    if (how == WEIR_ADMITTED) {
        w->held[w->n_held++] = h;
    }
    w->n_dropped += how != WEIR_ADMITTED;
    return how;
}

static void
leave(struct walk *w, struct held *h)
{
    if (w->b.stored) {
        weir_buffer_forget(&w->b, h->in_slot, h->bytes);
    }
    *h = w->held[--w->n_held];
}

/* Moves one packet to its next stage. */
static void
move(struct walk *w, struct held *h)
{
    if (h->stage == AT_INPUT) {
        weir_buffer_forward(&w->b, h->in_slot, h->bytes);
        h->stage = ON_ITS_WAY;
    } else if (h->stage == AT_OUTPUT) {
        weir_buffer_release_output(&w->b, h->out_slot, h->bytes);
        leave(w, h);
    } else if (is_let_out(w, h)) {
        assert_true(weir_buffer_fits_output(&w->b, h->out_slot, h->bytes));
        assert_true(weir_buffer_admit_output(&w->b, h->out_slot, h->bytes));
        h->stage = AT_OUTPUT;
    } else {
        assert_false(weir_buffer_fits_output(&w->b, h->out_slot, h->bytes));
        assert_false(weir_buffer_admit_output(&w->b, h->out_slot, h->bytes));
        weir_buffer_discard(&w->b, h->bytes);
        w->n_discarded++;
        leave(w, h);
    }
}

static void
assert_balanced(const struct walk *w)
{
    struct model m = count(w);

    for (uint32_t slot = 0; slot < N_SLOTS; slot++) {
        assert_int_equal(w->slots[slot].in_bytes, m.in[slot]);
        assert_int_equal(w->slots[slot].out_bytes, m.out[slot]);
        assert_true(!w->b.stored || w->stored[slot] == m.stored[slot]);
    }
    assert_int_equal(w->b.passing_bytes, m.passing);
    assert_int_equal(w->b.used_bytes, m.used);
    assert_true(!w->b.stored || w->b.shared_used_bytes == past_reserves(w, m.stored, 0, N_SLOTS));
}

static void
every_byte_is_at_one_place(void **state)
{
    static struct walk w;
    uint32_t n_dropped[N_PLANS] = { 0 }, n_discarded[N_PLANS] = { 0 }, n_pool_full = 0;
    uint32_t n_outputs_full = 0;

    (void)state;
    for (unsigned seed = 0; seed < N_RUNS / 35; seed++) {
        start(&w, seed % N_PLANS, seed);
        for (int i = 0; i < N_STEPS; i++) {
            bool is_filling = i / 500 % 2 == 0;
            if (!w.n_held || duet_draw(&w.chance, 0, 99) < (is_filling ? 70 : 15)) {
                arrive(&w, draw_packet(&w));
            } else {
                move(&w, &w.held[duet_draw(&w.chance, 0, w.n_held - 1)]);
            }
            assert_balanced(&w);
        }
        while (w.n_held) {
            move(&w, &w.held[w.n_held - 1]);
        }
        assert_balanced(&w);
        n_dropped[seed % N_PLANS] += w.n_dropped;
        n_discarded[seed % N_PLANS] += w.n_discarded;
        n_pool_full += w.n_pool_full;
        n_outputs_full += w.n_outputs_full;
    }
    for (int i = 0; i < N_PLANS; i++) {
        printf("  plan %d: %u dropped, %u discarded\n", i, n_dropped[i], n_discarded[i]);
        assert_true(n_dropped[i] > 50 && n_discarded[i] > 50);
    }
    printf("  full: pools %u times, all outputs %u times\n", n_pool_full, n_outputs_full);
    assert_true(n_pool_full > 50 && n_outputs_full > 50);
}

/* The packets that an input admits, and the part of the buffer that they use, do not depend on
 * packets that have left the input. */
static void
inputs_do_not_know_of_stages(void **state)
{
    static struct walk w;

    (void)state;
    for (unsigned seed = 0; seed < N_RUNS / 100; seed++) {
        struct weir_buffer_slot slots[N_SLOTS];
        struct weir_buffer other;
        start(&w, seed % ONE_MEMORY, seed);
        weir_buffer_init(&other, w.plan, N_PORTS, N_CLASSES, slots);
        for (int i = 0; i < N_STEPS; i++) {
            if (!w.n_held || duet_draw(&w.chance, 0, 99) < 55) {
                struct held h = draw_packet(&w);
                assert_int_equal(weir_buffer_admit(&other, h.in_slot, h.out_slot, h.bytes),
                                 arrive(&w, h));
            } else {
                struct held *h = &w.held[duet_draw(&w.chance, 0, w.n_held - 1)];
                if (h->stage == AT_INPUT) {
                    weir_buffer_release(&other, h->in_slot, h->out_slot, h->bytes);
                }
                move(&w, h);
            }
            for (uint32_t slot = 0; slot < N_SLOTS; slot++) {
                assert_int_equal(w.slots[slot].in_bytes, slots[slot].in_bytes);
                assert_int_equal(w.slots[slot].shared_bytes, slots[slot].shared_bytes);
                assert_int_equal(w.slots[slot].headroom_bytes, slots[slot].headroom_bytes);
            }
            assert_int_equal(w.b.shared_used_bytes, other.shared_used_bytes);
        }
        assert_true(w.n_dropped > 0);
    }
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_byte_is_at_one_place),
        cmocka_unit_test(inputs_do_not_know_of_stages),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
