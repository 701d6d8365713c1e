/* Finds the recommended scheme, and ports with too little headroom. */

#include "plan/verdict.h"

#include <stdlib.h>
#include <string.h>

#include "base/array.h"

enum { MAX_CELL_BYTES = 4096 };
enum known { ALWAYS, OF_SONIC, WITH_RESPONSE };

/* Whether SONiC's formula gives enough headroom. It counts cells, but not the packet that crosses
 * XOFF: with large packets and few small ones it may give less than the standard. */
static bool
is_sonic_enough(const struct plan *p)
{
    const struct plan_scheme *sonic = plan_scheme_find("pfc-sonic");
    const struct plan_scheme *standard = plan_scheme_find("pfc-802.1q");
    bool is_enough = true;

    for (size_t i = 0; i < p->n_kinds; i++) {
        is_enough &= plan_slot_need(p, sonic, &p->kinds[i]).headroom_bytes >=
                     plan_slot_need(p, standard, &p->kinds[i]).headroom_bytes;
    }
    return is_enough;
}

static bool
holds_in_cells(const struct plan *p, const struct plan_scheme *s, uint64_t cell_bytes,
               uint64_t small_percent)
{
    struct plan with = *p;
    bool holds = true;

    with.in.cell_bytes = cell_bytes;
    with.in.small_percent = small_percent;
    for (size_t i = 0; i < p->n_kinds; i++) {
        holds &= plan_sonic_exact_bytes(&with, &p->kinds[i]) <=
                 plan_slot_need(p, s, &p->kinds[i]).headroom_bytes;
    }
    return holds;
}

/* Whether the facts that a preference needs are known.  If the size of cells is given, headroom
 * that is too small in cells is not preferred. */
static bool
is_known(const struct plan *p, enum known what)
{
    const struct plan_input *in = &p->in;
    bool counts_cells = p->knows_cell || (p->is_sonic && p->knows_cells);

    return what == ALWAYS ||
           (what == OF_SONIC
                ? counts_cells && is_sonic_enough(p)
                : p->knows_response &&
                      (!p->knows_cell || holds_in_cells(p, plan_scheme_find("pfc"), in->cell_bytes,
                                                        in->small_percent)));
}

#define CONFIGURED "pfc-configured"
#define OTHERS     "it fits; every switch and NIC of the path must support it"

/* Schemes in the order of preference. The verdict is the first of them that the request includes
 * and that fits. */
static const struct {
    const char *key;
    enum known if_known;
    const char *why;
} preferences[] = {
    { "pfc", WITH_RESPONSE,
      "the response of the peers is known, and this is the smallest lossless headroom" },
    { "pfc-sonic", OF_SONIC,
      "SONiC's own formula counts the cells that packets take in the chip, and peers as slow as "
      "802.3 allows" },
    { "pfc-802.1q", ALWAYS, "it loses nothing with any peer that keeps to 802.3, however slow" },
    { "pfc-sonic", ALWAYS, "it counts the cells that packets take in the chip" },
    { "pfc", ALWAYS,
      "it loses nothing with peers that keep to 802.3, but leaves out the bytes within the chip "
      "(--mac-phy)" },
    { "gfc-buffer", ALWAYS, OTHERS },
    { "cbfc", ALWAYS, OTHERS },
    { "gfc-time", ALWAYS, OTHERS },
    { "gfc-conceptual", ALWAYS, OTHERS },
    { "ttl-shared", ALWAYS, OTHERS },
    { "ttl", ALWAYS, OTHERS },
    { "ttl-halved", ALWAYS, "in trees, where a switch sees every other class only" },
    { "ttl-quartered", ALWAYS, "in trees, if packets that turn back may be dropped" },
    { "capfc", ALWAYS, "for switches with a pipeline, which must support it" },
    { CONFIGURED, ALWAYS, "the configured headroom is enough" },
};

static bool
is_possible(const struct plan *p, const struct plan_scheme *s)
{
    return p->in.buffer_bytes == WEIR_AUTO ? plan_scheme_has_classes(p, s) : plan_fits(p, s);
}

/* The number of bytes that the buffer lacks; the maximum if no buffer is sufficient. */
static uint64_t
lacks_bytes(const struct plan *p, const struct plan_scheme *s)
{
    struct plan_need need = plan_need(p, s);
    return plan_scheme_has_classes(p, s) ? plan_least_bytes(&need) - p->in.buffer_bytes
                                         : UINT64_MAX;
}

static const struct plan_scheme *
nearest_of(const struct plan *p, const struct plan_request *r)
{
    const struct plan_scheme *nearest = NULL;

    for (const struct plan_scheme *s = plan_schemes; s->key; s++) {
        if (plan_is_wanted(r, p, s) && !is_possible(p, s) &&
            (!nearest || lacks_bytes(p, s) < lacks_bytes(p, nearest))) {
            nearest = s;
        }
    }
    return nearest;
}

/* Whether a scheme can be used.  A configuration with too little headroom cannot. */
static bool
is_usable(const struct plan *p, const struct plan_scheme *s)
{
    return is_possible(p, s) &&
           (strcmp(s->key, CONFIGURED) || (!plan_is_short(p) && plan_pool_word(p) != PLAN_BROKEN));
}

static struct plan_verdict
choose(const struct plan *p, const struct plan_request *r)
{
    for (size_t i = 0; i < sizeof preferences / sizeof *preferences; i++) {
        const struct plan_scheme *s = plan_scheme_find(preferences[i].key);
        if (is_known(p, preferences[i].if_known) && plan_is_wanted(r, p, s) && is_usable(p, s)) {
            return (struct plan_verdict){ .use = s, .why = preferences[i].why };
        }
    }
    return (struct plan_verdict){ .nearest = nearest_of(p, r) };
}

struct plan_verdict
plan_judge(const struct plan *p, const struct plan_request *r)
{
    struct plan_verdict v = choose(p, r);
    struct plan_request any = *r;

    if (!v.use && !v.nearest) {
        any.n_schemes = 0;
        v = choose(p, &any);
        v.is_instead = plan_is_wanted(r, p, plan_scheme_find(CONFIGURED));
    }
    return v;
}

/* Configured headroom. */

/* Whether a formula is relevant: Eq. 15 if the response time of peers is known, else 802.1Q, which
 * assumes the slowest. SONiC's formula counts cells, and needs the share of small packets; it is
 * relevant only if an option gives that share, which would otherwise be a guess. */
bool
plan_is_relevant(const struct plan *p, const struct plan_scheme *s)
{
    return !strcmp(s->key, p->knows_response ? "pfc" : "pfc-802.1q") ||
           (!strcmp(s->key, "pfc-sonic") && p->is_sonic && p->knows_cells);
}

static int
by_lack(const void *a, const void *b)
{
    const struct plan_gap *x = a, *y = b;
    int64_t lacks_x = (int64_t)x->needs_bytes - (int64_t)x->has_bytes;
    int64_t lacks_y = (int64_t)y->needs_bytes - (int64_t)y->has_bytes;

    return (lacks_x < lacks_y) - (lacks_x > lacks_y);
}

struct gaps {
    struct plan_gap *items;
    size_t n, max;
};

/* Adds the gaps of classes with the same headroom, for every formula. */
static void
add_gaps(struct gaps *gaps, const struct plan *p, size_t kind, uint8_t classes, uint64_t has_bytes)
{
    for (const struct plan_scheme *s = plan_schemes; s->key && classes; s++) {
        if (plan_is_relevant(p, s)) {
            ARRAY_PUSH(gaps->items, gaps->n, gaps->max) =
                (struct plan_gap){ .kind = kind,
                                   .classes = classes,
                                   .by = s,
                                   .has_bytes = has_bytes,
                                   .needs_bytes =
                                       plan_slot_need(p, s, &p->kinds[kind]).headroom_bytes };
        }
    }
}

struct plan_gap *
plan_find_gaps(const struct plan *p, size_t *n)
{
    struct gaps gaps = { 0 };

    for (size_t i = 0; i < p->n_kinds; i++) {
        const struct plan_kind *k = &p->kinds[i];
        add_gaps(&gaps, p, i, k->bare, 0);
        if (k->configured_bytes) {
            add_gaps(&gaps, p, i, (uint8_t)(k->lossless & ~k->bare), k->configured_bytes);
        }
    }
    array_sort(gaps.items, gaps.n, sizeof *gaps.items, by_lack);
    *n = gaps.n;
    return gaps.items;
}

bool
plan_is_short(const struct plan *p)
{
    size_t n;
    struct plan_gap *gaps = plan_find_gaps(p, &n);
    bool is_short = n && plan_short_bytes(&gaps[0]);

    free(gaps);
    return is_short;
}

const char *const plan_words[] = { "enough", "risky", "broken" };

static int
by_word(const void *a, const void *b)
{
    const struct plan_state *x = a, *y = b;
    return x->word != y->word   ? (x->word < y->word ? 1 : -1)
           : x->kind != y->kind ? (x->kind < y->kind ? -1 : 1)
                                : x->classes - y->classes;
}

/* The state of classes by all formulas. */
static struct plan_state
state_of(const struct plan_gap *gaps, size_t n, const struct plan_gap *of)
{
    struct plan_state state = { of->kind, of->classes, of->has_bytes, UINT64_MAX, PLAN_ENOUGH };
    size_t n_formulas = 0, n_short = 0;

    for (size_t i = 0; i < n; i++) {
        if (gaps[i].kind == of->kind && gaps[i].classes == of->classes) {
            n_formulas++;
            n_short += plan_short_bytes(&gaps[i]) > 0;
            state.least_bytes =
                gaps[i].needs_bytes < state.least_bytes ? gaps[i].needs_bytes : state.least_bytes;
        }
    }
    state.word = !n_short ? PLAN_ENOUGH : n_short < n_formulas ? PLAN_RISKY : PLAN_BROKEN;
    return state;
}

struct plan_state *
plan_find_states(const struct plan *p, size_t *n)
{
    size_t n_gaps;
    struct plan_gap *gaps = plan_find_gaps(p, &n_gaps);
    struct plan_state *states = array_new(n_gaps, sizeof *states);

    *n = 0;
    for (size_t i = 0; i < n_gaps; i++) {
        size_t first = 0;
        while (gaps[first].kind != gaps[i].kind || gaps[first].classes != gaps[i].classes) {
            first++;
        }
        if (first == i) {
            states[(*n)++] = state_of(gaps, n_gaps, &gaps[i]);
        }
    }
    free(gaps);
    array_sort(states, *n, sizeof *states, by_word);
    return states;
}

enum plan_word
plan_worst_word(const struct plan *p)
{
    size_t n;
    struct plan_state *states = plan_find_states(p, &n);
    enum plan_word worst = n ? states[0].word : PLAN_ENOUGH, pool = plan_pool_word(p);

    free(states);
    return pool > worst ? pool : worst;
}

static const struct plan_gap *
largest_gap(const struct plan_gap *gaps, const struct plan_state *of)
{
    while (gaps->kind != of->kind || gaps->classes != of->classes) {
        gaps++; /* Gaps are sorted by the missing bytes, the largest first. */
    }
    return gaps;
}

struct plan_gap *
plan_find_margins(const struct plan *p, const struct plan_request *r, size_t *n)
{
    const struct plan_scheme *use = plan_judge(p, r).use;
    bool is_formula = use && !strncmp(use->key, "pfc", 3) && strcmp(use->key, CONFIGURED);
    size_t n_gaps;
    struct plan_gap *gaps = plan_find_gaps(p, &n_gaps);
    struct plan_state *states = plan_find_states(p, n);
    struct plan_gap *margins = array_new(*n, sizeof *margins);

    for (size_t i = 0; i < *n; i++) {
        margins[i] = *largest_gap(gaps, &states[i]);
        if (is_formula) {
            margins[i].by = use;
            margins[i].needs_bytes =
                plan_slot_need(p, use, &p->kinds[margins[i].kind]).headroom_bytes;
        }
    }
    free(gaps);
    free(states);
    return margins;
}

bool
plan_is_lacking(const struct plan *p, const struct plan_request *r)
{
    size_t n;
    struct plan_gap *margins = plan_find_margins(p, r, &n);
    struct plan_pool pool;
    bool is_lacking = plan_worst_word(p) == PLAN_BROKEN, is_shared = plan_find_pool(p, &pool);

    for (size_t i = 0; i < n; i++) {
        is_lacking |= plan_short_bytes(&margins[i]) > 0;
        is_lacking |= is_shared && margins[i].needs_bytes > pool.bytes;
    }
    free(margins);
    return is_lacking;
}

/* Cells of the buffer. */

uint64_t
plan_cell_limit_bytes(const struct plan *p, const struct plan_scheme *s, uint64_t small_percent)
{
    uint64_t least = 0,
             most = MAX_CELL_BYTES + 1; /* 'least' is small enough, 'most' is too large. */

    while (most - least > 1) {
        uint64_t cell = least + (most - least) / 2;
        if (holds_in_cells(p, s, cell, small_percent)) {
            least = cell;
        } else {
            most = cell;
        }
    }
    return least;
}
