/* Buffers with stages: every byte is at one place, pairs add up, and inputs behave as they do in a
 * node without stages. */

#include <stdlib.h>
#include <string.h>

#include "law.h"

enum { N_PORTS = 4, N_CLASSES = 2, N_SLOTS = N_PORTS * N_CLASSES, MAX_HELD = 2000, N_STEPS = 3000 };

static const struct weir_buffer_plan plan = {
    .size_bytes = 150000,
    .classes = { { .reserve_bytes = 2000,
                   .alpha = WEIR_RATIO_1,
                   .partition_bytes = 9000,
                   .headroom_bytes = 8000 },
                 { .reserve_bytes = 3000, .limit_bytes = 20000 } },
    .output_bytes = { 6000, 0 },
};

enum stage { AT_INPUT, ON_ITS_WAY, AT_OUTPUT };

struct held {
    uint32_t in_slot, out_slot, bytes;
    enum stage stage;
};

struct walk {
    struct weir_buffer b;
    struct weir_buffer_slot slots[N_SLOTS];
    uint64_t pairs[N_SLOTS * N_PORTS];
    struct held held[MAX_HELD];
    uint32_t n_held, n_dropped, n_discarded;
    uint64_t chance;
};

static uint16_t
out_port(const struct held *h)
{
    return (uint16_t)(h->out_slot / N_CLASSES);
}

static void
start(struct walk *w, uint64_t seed)
{
    struct weir_text why = { 0 };

    *w = (struct walk){ .chance = seed };
    assert_true(weir_buffer_check(&plan, N_PORTS, N_CLASSES, &why));
    assert_true(weir_buffer_pairs_memory(N_PORTS, N_CLASSES) == sizeof w->pairs);
    weir_buffer_init(&w->b, &plan, N_PORTS, N_CLASSES, w->slots);
    memset(w->pairs, 0xee, sizeof w->pairs);
    weir_buffer_count_pairs(&w->b, w->pairs);
}

static struct held
draw_packet(struct walk *w)
{
    uint32_t cls = (uint32_t)duet_draw(&w->chance, 0, N_CLASSES - 1);
    return (struct held){
        .in_slot = (uint32_t)duet_draw(&w->chance, 0, N_PORTS - 1) * N_CLASSES + cls,
        .out_slot = (uint32_t)duet_draw(&w->chance, 0, N_PORTS - 1) * N_CLASSES + cls,
        .bytes = (uint32_t)duet_draw(&w->chance, 64, 1500),
    };
}

static enum weir_admission
arrive(struct walk *w, struct held h)
{
    enum weir_admission how = weir_buffer_admit_input(&w->b, h.in_slot, h.bytes);

    if (how == WEIR_ADMITTED) {
        weir_buffer_pair_in(&w->b, h.in_slot, out_port(&h), h.bytes);
        w->held[w->n_held++] = h;
    }
    w->n_dropped += how != WEIR_ADMITTED;
    return how;
}

static void
leave(struct walk *w, struct held *h)
{
    weir_buffer_pair_out(&w->b, h->in_slot, out_port(h), h->bytes);
    *h = w->held[--w->n_held];
}

/* One packet goes one stage on. */
static void
move(struct walk *w, struct held *h)
{
    if (h->stage == AT_INPUT) {
        weir_buffer_forward(&w->b, h->in_slot, h->bytes);
        h->stage = ON_ITS_WAY;
    } else if (h->stage == AT_OUTPUT) {
        weir_buffer_release_output(&w->b, h->out_slot, h->bytes);
        leave(w, h);
    } else if (weir_buffer_admit_output(&w->b, h->out_slot, h->bytes)) {
        h->stage = AT_OUTPUT;
    } else {
        assert_false(weir_buffer_fits_output(&w->b, h->out_slot, h->bytes));
        weir_buffer_discard(&w->b, h->bytes);
        w->n_discarded++;
        leave(w, h);
    }
}

static void
assert_balanced(const struct walk *w)
{
    uint64_t in[N_SLOTS] = { 0 }, out[N_SLOTS] = { 0 }, pairs[N_SLOTS * N_PORTS] = { 0 };
    uint64_t passing = 0, used = 0;

    for (const struct held *h = w->held; h < w->held + w->n_held; h++) {
        in[h->in_slot] += h->stage == AT_INPUT ? h->bytes : 0;
        out[h->out_slot] += h->stage == AT_OUTPUT ? h->bytes : 0;
        passing += h->stage == ON_ITS_WAY ? h->bytes : 0;
        pairs[h->in_slot * N_PORTS + out_port(h)] += h->bytes;
        used += h->bytes;
    }
    for (uint32_t slot = 0; slot < N_SLOTS; slot++) {
        assert_int_equal(w->slots[slot].in_bytes, in[slot]);
        assert_int_equal(w->slots[slot].out_bytes, out[slot]);
        assert_true(!plan.output_bytes[slot % N_CLASSES] ||
                    out[slot] <= plan.output_bytes[slot % N_CLASSES]);
    }
    assert_int_equal(w->b.passing_bytes, passing);
    assert_int_equal(w->b.used_bytes, used);
    assert_memory_equal(w->pairs, pairs, sizeof pairs);
}

static void
every_byte_is_at_one_place(void **state)
{
    static struct walk w;
    uint32_t n_dropped = 0, n_discarded = 0;

    (void)state;
    for (unsigned seed = 0; seed < N_RUNS / 100; seed++) {
        start(&w, seed);
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
        n_dropped += w.n_dropped;
        n_discarded += w.n_discarded;
    }
    assert_true(n_dropped > 100 && n_discarded > 100);
}

/* What an input admits, and the part it goes into, does not depend on what became of packets that
 * have left it. */
static void
inputs_do_not_know_of_stages(void **state)
{
    static struct walk w;

    (void)state;
    for (unsigned seed = 0; seed < N_RUNS / 100; seed++) {
        struct weir_buffer_slot slots[N_SLOTS];
        struct weir_buffer other;
        start(&w, seed);
        weir_buffer_init(&other, &plan, N_PORTS, N_CLASSES, slots);
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
