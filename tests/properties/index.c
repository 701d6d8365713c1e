/* The packet index of a buffer: handles stay valid while packets arrive and leave and while memory
 * is lent; the oldest packet is known; samples are fair. */

#include <stdlib.h>
#include <string.h>

#include "chi.h"
#include "law.h"

enum { N_SLOTS = 5, PER_SLOT = 60, N_UNITS = 220, N_STEPS = 4000 };

struct model { /* The expected content of the index. */
    struct weir_index index;
    uint32_t held[N_UNITS], n_held; /* Handles, the oldest first. */
    struct weir_index_unit units[N_UNITS];
    uint32_t n_used[N_SLOTS];
    uint64_t n_left_out;
    uint64_t chance;
};

static void
start(struct model *m, uint64_t seed)
{
    *m = (struct model){ .chance = seed };
    weir_index_init(&m->index, N_SLOTS, malloc(weir_index_memory(N_SLOTS)));
}

static void
stop(struct model *m)
{
    for (uint32_t slot = 0; slot < N_SLOTS; slot++) {
        free(m->index.slots[slot].order);
    }
    free(m->index.slots);
    free(m->index.units);
}

/* Lends memory for a few more entries if the index lacks some, up to the maximum of the model. */
static void
lend(struct model *m, uint32_t slot)
{
    struct weir_index *x = &m->index;
    unsigned lacks = weir_index_lacks(x, slot);

    if (lacks & WEIR_INDEX_UNITS && x->max_units < N_UNITS) {
        uint32_t n = x->max_units + 11;
        free(weir_index_lend_units(x, malloc(n * sizeof *x->units), n));
    }
    if (lacks & WEIR_INDEX_ORDER && x->slots[slot].max_used < PER_SLOT) {
        uint32_t n = x->slots[slot].max_used + 4;
        free(weir_index_lend_order(x, slot, malloc(n * sizeof *x->slots->order), n));
    }
}

/* Packet sizes from 64 to 16383 B. Each doubling is equally likely: 64 to 127 B are as frequent as
 * 8192 to 16383 B. */
static uint32_t
draw_size(struct model *m)
{
    uint32_t least = 64u << duet_draw(&m->chance, 0, 7);

    return (uint32_t)duet_draw(&m->chance, least, 2 * least - 1);
}

static void
add(struct model *m)
{
    uint32_t slot = (uint32_t)duet_draw(&m->chance, 0, N_SLOTS - 1);
    struct weir_index_unit u = { .flow = (uint32_t)weir_random(&m->chance),
                                 .bytes = draw_size(m),
                                 .slot = slot,
                                 .out_slot = (uint32_t)duet_draw(&m->chance, 0, N_SLOTS - 1) };
    lend(m, slot);
    uint32_t unit = weir_index_add(&m->index, slot, u.out_slot, u.bytes, u.flow);

    if (m->n_used[slot] == PER_SLOT || m->n_held == N_UNITS) {
        assert_int_equal(unit, WEIR_NO_UNIT);
        m->n_left_out++;
        return;
    }
    assert_true(unit < N_UNITS);
    assert_int_equal(m->units[unit].bytes, 0); /* No other packet has this handle. */
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
        m->n_held--;
        memmove(&m->held[i], &m->held[i + 1], (m->n_held - i) * sizeof *m->held);
        m->units[unit].bytes = 0;
        m->n_used[m->units[unit].slot]--;
    }
}

/* Fills the index for 500 steps, empties it for 500, and so on. */
static void
walk(struct model *m, uint32_t from, uint32_t n_steps)
{
    for (uint32_t i = from; i < from + n_steps; i++) {
        bool is_filling = i / 500 % 2 == 0;
        if (duet_draw(&m->chance, 0, 99) < (is_filling ? 70 : 30)) {
            add(m);
        } else {
            take(m);
        }
    }
}

static uint32_t
oldest_of(const struct model *m, uint32_t slot)
{
    for (uint32_t i = 0; i < m->n_held; i++) {
        if (m->units[m->held[i]].slot == slot) {
            return m->held[i];
        }
    }
    return WEIR_NO_UNIT;
}

static void
assert_drawn_from(const struct model *m, uint32_t slot, uint32_t unit)
{
    assert_int_equal(unit == WEIR_NO_UNIT, m->n_used[slot] == 0);
    assert_true(unit == WEIR_NO_UNIT || (m->units[unit].bytes && m->units[unit].slot == slot));
}

/* The entries of a slot are in order of size, by powers of two: an entry has more than half the
 * size of the entry before it. */
static void
assert_by_size(const struct weir_index *x, const struct weir_index_slot *s)
{
    uint64_t bytes = 0;

    for (uint32_t place = 0; place < s->n_used; place++) {
        const struct weir_index_unit *u = &x->units[s->order[place]];
        assert_int_equal(u->place, place);
        assert_true(!place || 2 * u->bytes > x->units[s->order[place - 1]].bytes);
        bytes += u->bytes;
    }
    for (uint32_t band = 0; band < WEIR_INDEX_BANDS; band++) {
        bytes -= s->bands[band].bytes;
    }
    assert_int_equal(bytes, 0);
}

static void
assert_as_modelled(struct model *m)
{
    for (uint32_t i = 0; i < m->n_held; i++) {
        const struct weir_index_unit *u = &m->index.units[m->held[i]], *w = &m->units[m->held[i]];
        assert_true(u->flow == w->flow && u->bytes == w->bytes && u->slot == w->slot &&
                    u->out_slot == w->out_slot);
    }
    for (uint32_t slot = 0; slot < N_SLOTS; slot++) {
        assert_int_equal(m->index.slots[slot].n_used, m->n_used[slot]);
        assert_by_size(&m->index, &m->index.slots[slot]);
        assert_int_equal(weir_index_oldest(&m->index, slot), oldest_of(m, slot));
        assert_drawn_from(m, slot, weir_index_draw(&m->index, slot, &m->chance));
        assert_drawn_from(m, slot, weir_index_draw_by_bytes(&m->index, slot, &m->chance));
    }
    assert_int_equal(m->index.n_left_out, m->n_left_out);
}

static void
handles_stay_what_they_are(void **state)
{
    uint64_t n_left_out = 0;

    (void)state;
    for (unsigned seed = 0; seed < N_RUNS / 30; seed++) {
        struct model m;
        start(&m, seed);
        for (uint32_t i = 0; i < N_STEPS / 10; i++) {
            walk(&m, 10 * i, 10);
            assert_as_modelled(&m);
        }
        n_left_out += m.n_left_out;
        stop(&m);
    }
    assert_true(n_left_out > 0); /* Some packets found the index full. */
}

static void
all_by_age(void **state)
{
    struct model m;

    (void)state;
    start(&m, 3);
    walk(&m, 0, 250);
    for (uint32_t i = 0; i < m.n_held; i++) {
        uint32_t slot = m.units[m.held[i]].slot;
        assert_int_equal(weir_index_oldest(&m.index, slot), m.held[i]);
        weir_index_remove(&m.index, m.held[i]);
    }
    for (uint32_t slot = 0; slot < N_SLOTS; slot++) {
        assert_int_equal(weir_index_oldest(&m.index, slot), WEIR_NO_UNIT);
    }
    /* The handle of a packet that found the index full. */
    weir_index_remove(&m.index, WEIR_NO_UNIT);
    stop(&m);
}

/* Samples slot 0 after a walk, and compares the counts with the expected weights. */
static void
count_draws(struct chi *chi, uint64_t seed, bool by_bytes)
{
    struct model m;
    double expected[PER_SLOT], sum = 0;
    uint32_t counted[PER_SLOT] = { 0 }, place[N_UNITS], n = 0, n_draws;

    start(&m, seed);
    walk(&m, 0, N_STEPS - 500);
    for (uint32_t unit = 0; unit < N_UNITS; unit++) {
        if (m.units[unit].bytes && m.units[unit].slot == 0) {
            expected[n] = by_bytes ? m.units[unit].bytes : 1;
            sum += expected[n];
            place[unit] = n++;
        }
    }
    assert_true(n > 5);
    n_draws = 1000 * n;
    for (uint32_t i = 0; i < n_draws; i++) {
        counted[place[by_bytes ? weir_index_draw_by_bytes(&m.index, 0, &m.chance)
                               : weir_index_draw(&m.index, 0, &m.chance)]]++;
    }
    for (uint32_t i = 0; i < n; i++) {
        expected[i] *= n_draws / sum;
    }
    chi_add(chi, expected, counted, n);
    stop(&m);
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
        cmocka_unit_test(all_by_age),
        cmocka_unit_test(each_packet_is_as_likely),
        cmocka_unit_test(each_byte_is_as_likely),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
