/* The index of a buffer: handles stay what they are whatever comes and goes, and draws are fair. */

#include <stdlib.h>

#include "chi.h"
#include "law.h"

enum { N_SLOTS = 5, PER_SLOT = 60, N_STEPS = 4000, MTU = 1500 };

struct model { /* What the index should hold. */
    struct weir_index index;
    void *memory;
    uint32_t held[N_SLOTS * PER_SLOT], n_held; /* Handles. */
    struct weir_index_unit units[N_SLOTS * PER_SLOT];
    uint32_t n_used[N_SLOTS];
    uint64_t chance;
};

static void
start(struct model *m, uint64_t seed)
{
    *m = (struct model){ .chance = seed, .memory = malloc(weir_index_memory(N_SLOTS, PER_SLOT)) };
    weir_index_init(&m->index, N_SLOTS, PER_SLOT, m->memory);
}

static uint32_t
slot_of(uint32_t unit)
{
    return unit / PER_SLOT;
}

static void
add(struct model *m)
{
    uint32_t slot = (uint32_t)duet_draw(&m->chance, 0, N_SLOTS - 1);
    struct weir_index_unit u = { .flow = (uint32_t)weir_random(&m->chance),
                                 .bytes = (uint32_t)duet_draw(&m->chance, 64, MTU),
                                 .out_slot = (uint32_t)duet_draw(&m->chance, 0, N_SLOTS - 1) };
    uint32_t unit = weir_index_add(&m->index, slot, u.out_slot, u.bytes, u.flow);

    if (m->n_used[slot] == PER_SLOT) {
        assert_int_equal(unit, WEIR_NO_UNIT);
        return;
    }
    assert_int_equal(slot_of(unit), slot);
    assert_int_equal(m->units[unit].bytes, 0); /* Nobody else's. */
    m->units[unit] = u;
    m->held[m->n_held++] = unit;
    m->n_used[slot]++;
}

static void
take(struct model *m)
{
    if (m->n_held) {
        uint32_t i = (uint32_t)duet_draw(&m->chance, 0, m->n_held - 1), unit = m->held[i];
        weir_index_remove(&m->index, unit);
        m->held[i] = m->held[--m->n_held];
        m->units[unit].bytes = 0;
        m->n_used[slot_of(unit)]--;
    }
}

static void
walk(struct model *m, uint32_t n_steps)
{
    for (uint32_t i = 0; i < n_steps; i++) {
        bool is_filling = i / 500 % 2 == 0;
        if (duet_draw(&m->chance, 0, 99) < (is_filling ? 70 : 30)) {
            add(m);
        } else {
            take(m);
        }
    }
}

static void
assert_as_modelled(struct model *m)
{
    for (uint32_t i = 0; i < m->n_held; i++) {
        const struct weir_index_unit *u = &m->index.units[m->held[i]], *w = &m->units[m->held[i]];
        assert_true(u->flow == w->flow && u->bytes == w->bytes && u->out_slot == w->out_slot);
    }
    for (uint32_t slot = 0; slot < N_SLOTS; slot++) {
        uint32_t unit = weir_index_draw(&m->index, slot, &m->chance);
        assert_int_equal(m->index.n_used[slot], m->n_used[slot]);
        assert_int_equal(unit == WEIR_NO_UNIT, m->n_used[slot] == 0);
        assert_true(unit == WEIR_NO_UNIT || (slot_of(unit) == slot && m->units[unit].bytes));
    }
}

static void
handles_stay_what_they_are(void **state)
{
    (void)state;
    for (unsigned seed = 0; seed < N_RUNS / 30; seed++) {
        struct model m;
        start(&m, seed);
        for (uint32_t i = 0; i < N_STEPS / 10; i++) {
            walk(&m, 10);
            assert_as_modelled(&m);
        }
        free(m.memory);
    }
}

static void
what_finds_no_unit_is_counted(void **state)
{
    struct model m;

    (void)state;
    start(&m, 1);
    for (uint32_t i = 0; i < PER_SLOT + 7; i++) {
        weir_index_add(&m.index, 2, 0, 64, i);
    }
    assert_int_equal(m.index.n_left_out, 7);
    weir_index_remove(&m.index, WEIR_NO_UNIT);
    assert_int_equal(m.index.n_used[2], PER_SLOT);
    free(m.memory);
}

/* Draws of slot 0 after a walk, against the weights that they should have. */
static void
count_draws(struct chi *chi, uint64_t seed, bool by_bytes)
{
    struct model m;
    double expected[PER_SLOT], sum = 0;
    uint32_t counted[PER_SLOT] = { 0 }, place[PER_SLOT], n = 0, n_draws;

    start(&m, seed);
    walk(&m, N_STEPS - 250);
    for (uint32_t unit = 0; unit < PER_SLOT; unit++) {
        if (m.units[unit].bytes) {
            expected[n] = by_bytes ? m.units[unit].bytes : 1;
            sum += expected[n];
            place[unit] = n++;
        }
    }
    assert_true(n > 5);
    n_draws = 200 * n;
    for (uint32_t i = 0; i < n_draws; i++) {
        counted[place[by_bytes ? weir_index_draw_by_bytes(&m.index, 0, MTU, &m.chance)
                               : weir_index_draw(&m.index, 0, &m.chance)]]++;
    }
    for (uint32_t i = 0; i < n; i++) {
        expected[i] *= n_draws / sum;
    }
    chi_add(chi, expected, counted, n);
    free(m.memory);
}

static void
assert_fair(bool by_bytes)
{
    struct chi chi = { 0 };

    for (uint64_t seed = 0; seed < CHI_SEEDS; seed++) {
        count_draws(&chi, seed, by_bytes);
    }
    printf("  draws by %s: %u of %u seeds past the 95 %% quantile\n",
           by_bytes ? "bytes" : "packets", chi.n_far, chi.n_runs);
    assert_true(chi_is_good(&chi));
}

static void
each_packet_is_as_likely(void **state)
{
    (void)state;
    assert_fair(false);
}

static void
each_byte_is_as_likely(void **state)
{
    (void)state;
    assert_fair(true);
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(handles_stay_what_they_are),
        cmocka_unit_test(what_finds_no_unit_is_counted),
        cmocka_unit_test(each_packet_is_as_likely),
        cmocka_unit_test(each_byte_is_as_likely),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
