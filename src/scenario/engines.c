/* The stack of engines, and the parameters of each. */

#include <string.h>

#include "base/array.h"
#include "base/text.h"
#include "scenario/resolver.h"

static void
offer_engines(const char *name, char *offer, size_t offer_bytes)
{
    const char *names[64];
    size_t n = weir_plugin_names(&weir_engines, names, sizeof names / sizeof *names);

    text_offer(name, names, sizeof names[0], n, offer, offer_bytes);
}

const struct weir_engine *
scn_find_engine(struct resolver *r, const struct scn_node *n)
{
    char offer[200];

    if (!scn_expect_kind(r, n, SCN_WORD,
                         n->kind == SCN_MAP
                             ? "expected the name of an engine; parameters stand under engines, "
                               "as in engines.pfc.xoff"
                             : "expected the name of an engine")) {
        return NULL;
    }
    const struct weir_engine *engine = weir_engine_find(n->word);
    if (!engine) {
        offer_engines(n->word, offer, sizeof offer);
        scn_fail(n, r->err, "unknown engine '%s'%s", n->word, offer);
    }
    return engine;
}

static bool
add_engine(struct resolver *r, const struct scn_node *n)
{
    const struct weir_engine *engine = scn_find_engine(r, n);

    for (uint32_t i = 0; engine && i < r->stack->n; i++) {
        if (r->stack->layers[i].engine == engine) {
            return scn_fail(n, r->err, "engine '%s' is listed twice", n->word);
        }
    }
    return engine && (weir_stack_add(r->stack, engine) ||
                      scn_fail(n, r->err, "too many engines are stacked on one node"));
}

/* An empty value could mean the default or no flow control. */
static bool
read_names(struct resolver *r, const struct scn_node *map, const char *key,
           bool (*add)(struct resolver *, const struct scn_node *))
{
    const struct scn_node *n = scn_child(map, key);

    if (n && n->kind == SCN_LIST && !n->n_children) {
        return scn_fail(n, r->err, "the list of engines is empty; write none for no flow control");
    }
    return scn_read_words(r, map, key, add);
}

static bool
add_inner_engine(struct resolver *r, const struct scn_node *n)
{
    const struct weir_engine *engine = scn_find_engine(r, n);

    if (engine && !scn_is_of_links(engine) && engine != weir_engine_find("none")) {
        return scn_fail(n, r->err,
                        "%s does not control links, so it cannot serve those inside a fabric "
                        "alone: list it under engine",
                        n->word);
    }
    for (uint32_t i = 0; engine && i < r->stack->n; i++) {
        if (r->stack->layers[i].engine == engine &&
            r->stack->layers[i].scope == WEIR_AT_OUTER_PORTS) {
            r->stack->layers[i].scope = WEIR_AT_ALL_PORTS;
            return true;
        }
    }
    uint32_t n_before = r->stack->n;
    bool is_added = engine && add_engine(r, n);
    if (is_added) {
        r->stack->layers[n_before].scope = WEIR_AT_INNER_PORTS;
    }
    return is_added;
}

/* If `inside` is given, the engines of links chosen so far serve only the other links. */
static bool
read_inside(struct resolver *r)
{
    for (uint32_t i = 0; scn_child(r->root, "inside") && i < r->stack->n; i++) {
        if (scn_is_of_links(r->stack->layers[i].engine)) {
            r->stack->layers[i].scope = WEIR_AT_OUTER_PORTS;
        }
    }
    return read_names(r, r->root, "inside", add_inner_engine);
}

/* The parameters that the scenario sets for an engine of all nodes; null if it sets none. */
static const void *
said_of(const struct scenario *s, const struct weir_engine *engine)
{
    for (uint32_t i = 0; i < s->stack.n; i++) {
        if (s->stack.layers[i].engine == engine) {
            return s->stack.layers[i].params;
        }
    }
    for (size_t i = 0; i < s->n_spares; i++) {
        if (s->spares[i].engine == engine && !s->spares[i].role) {
            return s->spares[i].params;
        }
    }
    return NULL;
}

/* Finds the memory for the parameters of an engine, or allocates it. */
static void *
find_params(struct resolver *r, const struct weir_engine *engine)
{
    struct scenario *s = r->s;

    for (uint32_t i = 0; i < r->stack->n; i++) {
        if (r->stack->layers[i].engine == engine) {
            return r->stack->layers[i].params;
        }
    }
    ARRAY_PUSH(s->spares, s->n_spares, s->max_spares) =
        (struct scn_spare){ .engine = engine, .role = r->role };
    weir_fields_default(engine->about.params, s->spares[s->n_spares - 1].params);
    return s->spares[s->n_spares - 1].params;
}

static bool
read_params(struct resolver *r, const struct scn_node *n)
{
    const struct weir_engine *engine = weir_engine_find(n->key);
    char offer[200];

    if (!engine) {
        offer_engines(n->key, offer, sizeof offer);
        return scn_fail_key(n, r->err, "unknown engine '%s'%s", n->key, offer);
    }
    struct scn_table table = { .name = engine->about.name, .fields = engine->about.params };
    if (!scn_expect_kind(r, n, SCN_MAP, "expected parameters, as in {xoff: 800KB}") ||
        !scn_read_map(r, n, &table, find_params(r, engine))) {
        return false;
    }
    scn_note_origins(r, n, &table, NULL);
    return true;
}

static bool
read_all_params(struct resolver *r, const struct scn_node *map)
{
    const struct scn_node *all = scn_child(map, "engines");

    if (all && !scn_expect_kind(r, all, SCN_MAP, "expected engines, as in {pfc: {xoff: 800KB}}")) {
        return false;
    }
    for (size_t i = 0; all && i < all->n_children; i++) {
        if (!read_params(r, all->children[i])) {
            return false;
        }
    }
    return true;
}

bool
scn_read_engines(struct resolver *r)
{
    r->stack = &r->s->stack;
    if (!read_names(r, r->root, "engine", add_engine)) {
        return false;
    }
    if (!r->stack->n) {
        weir_stack_add(r->stack, weir_engine_find("pfc"));
    }
    return read_inside(r) && read_all_params(r, r->root);
}

bool
scn_read_stack(struct resolver *r, const struct scn_node *map, struct weir_stack *stack)
{
    const struct scenario *s = r->s;

    r->stack = stack;
    bool is_own = scn_child(map, "engine");
    *stack = is_own ? (struct weir_stack){ 0 } : s->stack;
    if (!read_names(r, map, "engine", add_engine) || (is_own && !read_inside(r))) {
        return false;
    }
    for (uint32_t i = 0; i < stack->n; i++) {
        const void *said = said_of(s, stack->layers[i].engine);
        if (said) {
            memcpy(stack->layers[i].params, said, stack->layers[i].engine->about.params_bytes);
        }
    }
    return read_all_params(r, map);
}
