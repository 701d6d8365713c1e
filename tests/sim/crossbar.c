/* The matching of a crossbar, compared with a plain model port by port; and McKeown's guarantees
 * for iSLIP. */

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "../chance.h"
#include "sim/nodes/crossbar.h"

enum { MAX_PORTS = 140, MAX_CLASSES = 3 };

/* The matching, computed with arrays and loops.  Room at outputs and queue lengths are random. */
struct model {
    uint32_t n, n_classes, iterations;
    bool is_held, is_longest;
    bool wants[MAX_PORTS][MAX_PORTS][MAX_CLASSES]; /* [output][input][class]. */
    bool fits[MAX_PORTS][MAX_CLASSES];             /* [output]. */
    uint32_t bytes[MAX_PORTS][MAX_PORTS];          /* [input][output]. */
    bool blocked[MAX_PORTS][MAX_CLASSES], in_busy[MAX_PORTS], out_busy[MAX_PORTS];
    uint32_t next_input[MAX_PORTS][MAX_CLASSES], next_output[MAX_PORTS], next_class[MAX_PORTS];
    int granted_to[MAX_PORTS], granted_class[MAX_PORTS]; /* [output]: -1 for none. */
    /* The matched output and class of each input: [input]. */
    int to[MAX_PORTS], cls[MAX_PORTS];
};

static struct model model;
static struct crossbar crossbar;

static bool
model_fits(const void *arg, const struct crossbar_pair *p)
{
    const struct model *m = arg;

    return m->fits[p->out][p->cls];
}

static uint64_t
model_bytes(const void *arg, const struct crossbar_pair *p)
{
    const struct model *m = arg;

    return m->bytes[p->in][p->out];
}

static const struct crossbar_ask ask = { model_fits, model_bytes, &model };

/* The input that a class of an output would choose, round robin or by queue length, among free
 * inputs or all. */
static int
model_named(const struct model *m, uint32_t out, uint32_t cls)
{
    int best = -1;

    for (uint32_t i = 0; i < m->n; i++) {
        uint32_t in = (m->next_input[out][cls] + i) % m->n;
        bool counts = m->wants[out][in][cls] && (!m->in_busy[in] || (m->is_held && !m->is_longest));
        bool is_better = best < 0 || (m->is_longest && m->bytes[in][out] > m->bytes[best][out]);
        best = counts && is_better ? (int)in : best;
    }
    return best;
}

static void
model_grant(struct model *m, uint32_t out)
{
    m->granted_to[out] = -1;
    for (uint32_t i = 0; i < m->n_classes && !m->out_busy[out]; i++) {
        uint32_t cls = (m->next_class[out] + i) % m->n_classes;
        int in = m->blocked[out][cls] ? -1 : model_named(m, out, cls);
        if (in < 0) {
            continue;
        }
        if (m->in_busy[in]) {
            return;
        }
        if (m->fits[out][cls]) {
            m->granted_to[out] = in;
            m->granted_class[out] = (int)cls;
            return;
        }
        m->blocked[out][cls] = true;
    }
}

static bool
model_accept(struct model *m, uint32_t in, bool is_first)
{
    int best = -1;

    for (uint32_t i = 0; i < m->n; i++) {
        uint32_t out = (m->next_output[in] + i) % m->n;
        bool is_better = best < 0 || (m->is_longest && m->bytes[in][out] > m->bytes[in][best]);
        best = m->granted_to[out] == (int)in && is_better ? (int)out : best;
    }
    if (best < 0) {
        return false;
    }
    m->to[in] = best;
    m->cls[in] = m->granted_class[best];
    if (is_first) {
        m->next_input[best][m->cls[in]] = (in + 1) % m->n;
        m->next_output[in] = (uint32_t)(best + 1) % m->n;
        m->next_class[best] = (uint32_t)(m->cls[in] + 1) % m->n_classes;
    }
    return true;
}

static void
model_match(struct model *m)
{
    memset(m->to, 0xff, sizeof m->to);
    for (uint32_t k = 0; k < m->iterations; k++) {
        bool accepts[MAX_PORTS];
        for (uint32_t out = 0; out < m->n; out++) {
            model_grant(m, out);
        }
        for (uint32_t in = 0; in < m->n; in++) {
            accepts[in] = model_accept(m, in, k == 0);
        }
        for (uint32_t in = 0; in < m->n; in++) {
            m->in_busy[in] |= accepts[in];
            m->out_busy[m->to[in] < 0 ? 0 : m->to[in]] |= accepts[in];
        }
    }
}

static void
set_want(uint32_t in, uint32_t out, uint32_t cls, bool wants)
{
    const struct crossbar_pair p = { (uint16_t)in, (uint16_t)out, (uint8_t)cls };

    if (model.wants[out][in][cls] != wants) {
        (wants ? crossbar_want : crossbar_unwant)(&crossbar, &p);
        model.wants[out][in][cls] = wants;
    }
}

static void
free_pair(uint32_t in, uint32_t out)
{
    crossbar_free(&crossbar, &(struct crossbar_pair){ (uint16_t)in, (uint16_t)out, 0 });
    model.in_busy[in] = model.out_busy[out] = false;
}

static void
unblock(uint32_t out)
{
    bool is_awaited = false;

    for (uint32_t cls = 0; cls < model.n_classes; cls++) {
        for (uint32_t in = 0; in < model.n; in++) {
            is_awaited |= model.blocked[out][cls] && model.wants[out][in][cls];
        }
        model.blocked[out][cls] = false;
    }
    assert_int_equal(crossbar_unblock(&crossbar, out), is_awaited);
}

static void
start(uint32_t n, uint32_t n_classes, uint32_t iterations)
{
    model = (struct model){ .n = n, .n_classes = n_classes, .iterations = iterations };
    memset(model.fits, true, sizeof model.fits);
    crossbar_init(&crossbar, n, n_classes);
    crossbar.iterations = iterations;
}

/* Some queues fill and some become empty; some outputs get room and some lose it. */
static void
change(uint64_t *chance)
{
    for (uint64_t i = below(chance, 3 * model.n); i; i--) {
        uint32_t in = (uint32_t)below(chance, model.n), out = (uint32_t)below(chance, model.n);
        set_want(in, out, (uint32_t)below(chance, model.n_classes), one_in(chance, 2));
        model.bytes[in][out] = 1 + (uint32_t)below(chance, 5);
    }
    for (uint64_t i = below(chance, model.n); i; i--) {
        uint32_t out = (uint32_t)below(chance, model.n);
        model.fits[out][below(chance, model.n_classes)] = !one_in(chance, 4);
        unblock(out);
    }
}

/* Compares a matching with the model's. Then the transfers of all matched packets end, or of some
 * if transfers end independently. */
static void
match_and_compare(uint64_t *chance)
{
    uint32_t n_pairs = crossbar_match(&crossbar, &ask), n_matched = 0;

    model_match(&model);
    for (uint32_t i = 0; i < n_pairs; i++) {
        const struct crossbar_pair *p = &crossbar.pairs[i];
        assert_int_equal(model.to[p->in], p->out);
        assert_int_equal(model.cls[p->in], p->cls);
    }
    for (uint32_t in = 0; in < model.n; in++) {
        n_matched += model.to[in] >= 0;
        if (model.to[in] >= 0 && (!model.is_held || one_in(chance, 2))) {
            free_pair(in, (uint32_t)model.to[in]);
        }
    }
    assert_int_equal(n_pairs, n_matched);
    assert_true(crossbar_holds(&crossbar));
}

static void
it_matches_as_the_model_does(void **state)
{
    static const uint32_t sizes[] = { 1, 2, 5, 63, 64, 65, 128, MAX_PORTS };
    uint64_t chance = 7;

    (void)state;
    for (uint32_t round = 0; round < 64; round++) {
        start(sizes[round % 8], 1 + round % MAX_CLASSES, 1 + (uint32_t)below(&chance, 4));
        model.is_longest = round / 8 % 2;
        model.is_held = round / 16 % 2;
        crossbar.rule = model.is_longest ? CROSSBAR_LONGEST : CROSSBAR_ISLIP;
        crossbar.is_held = model.is_held;
        for (uint32_t step = 0; step < 60; step++) {
            change(&chance);
            match_and_compare(&chance);
        }
        crossbar_release(&crossbar);
    }
}

/* Every input has packets for every output. The pointers move apart, and from then on no port is
 * idle. */
static void
all_ports_are_busy_under_full_load(void **state)
{
    (void)state;
    for (uint32_t n = 1; n <= 100; n += 11) {
        start(n, 1, 1);
        for (uint32_t i = 0; i < n * n; i++) {
            set_want(i / n, i % n, 0, true);
        }
        for (uint32_t slot = 0; slot < 4 * n; slot++) {
            uint32_t n_pairs = crossbar_match(&crossbar, &ask);
            assert_true(n_pairs == n || slot < n);
            for (uint32_t i = 0; i < n_pairs; i++) {
                crossbar_free(&crossbar, &crossbar.pairs[i]);
            }
        }
        crossbar_release(&crossbar);
    }
}

/* A request that lasts is served within n * n slots per class, whatever the other requests are. */
static void
nobody_waits_for_ever(void **state)
{
    enum { N = 9 };
    uint64_t chance = 3;

    (void)state;
    start(N, 2, 2);
    for (uint32_t slot = 0, since = 0; slot < 20000; slot++) {
        for (uint32_t i = 0; i < N * N * 2; i++) {
            set_want(i / 2 / N, i / 2 % N, i % 2, one_in(&chance, 2));
        }
        set_want(4, 7, 1, true);
        uint32_t n_pairs = crossbar_match(&crossbar, &ask);
        for (uint32_t i = 0; i < n_pairs; i++) {
            const struct crossbar_pair *p = &crossbar.pairs[i];
            since = p->in == 4 && p->out == 7 && p->cls == 1 ? slot : since;
            crossbar_free(&crossbar, p);
        }
        assert_true(slot - since <= 2 * N * N);
    }
    crossbar_release(&crossbar);
}

/* Input 0 has packets for outputs 0 and 1, input 1 has packets for output 1.  Both outputs grant
 * input 0, which accepts output 0. Input 1 is matched only in the second iteration, so the pointers
 * of output 1 and input 1 do not move. */
static void
pointers_move_in_the_first_iteration_only(void **state)
{
    (void)state;
    start(3, 1, 2);
    set_want(0, 0, 0, true);
    set_want(0, 1, 0, true);
    set_want(1, 1, 0, true);
    assert_int_equal(crossbar_match(&crossbar, &ask), 2);
    assert_int_equal(crossbar.pairs[0].out, 0);
    assert_int_equal(crossbar.pairs[1].in, 1);
    assert_int_equal(crossbar.pairs[1].out, 1);
    assert_int_equal(crossbar.next_input[0], 1);
    assert_int_equal(crossbar.next_output[0], 1);
    assert_int_equal(crossbar.next_input[1], 0);
    assert_int_equal(crossbar.next_output[1], 0);
    crossbar_release(&crossbar);
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(it_matches_as_the_model_does),
        cmocka_unit_test(all_ports_are_busy_under_full_load),
        cmocka_unit_test(nobody_waits_for_ever),
        cmocka_unit_test(pointers_move_in_the_first_iteration_only),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
