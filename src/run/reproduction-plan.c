/* Claims of a plan: what a paper says a switch needs, against the planner's arithmetic.
 *
 *     name: ttl-headroom
 *     plan: {rate: 40Gbps, cable: 300m, ports: 32, classes: 8}
 *     claims:
 *       - {of: slot, scheme: pfc, published: 21968B, source: "2.1"} */

#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "plan/plan.h"
#include "run/reproduction.h"

struct plan_claims {
    struct reproduction *r;
    struct plan plan;
    const char *name;
};

static const char *const measures[] = { "slot", "switch", "busy" };
static const char *const words[] = { "headroom, port and class", "headroom, the switch",
                                     "to keep outputs busy" };

enum { N_MEASURES = sizeof measures / sizeof *measures };

static bool
read_field(struct plan_claims *p, const struct scn_node *n, struct err *err)
{
    const struct weir_field *f = weir_field_find(plan_fields, n->key);
    struct err why;

    if (!f) {
        return scn_fail_key(n, err, "unknown key '%s'; `weir plan --help` lists them", n->key);
    }
    return (n->kind == SCN_WORD && plan_field_parse(f, n->word, &p->plan.in, &why)) ||
           scn_fail(n, err, "%s", n->kind == SCN_WORD ? why.text : "expected a value");
}

static bool
read_plan(struct plan_claims *p, const struct scn_node *n, struct err *err)
{
    struct err why;

    weir_fields_default(plan_fields, &p->plan.in);
    if (n->kind != SCN_MAP) {
        return scn_fail(n, err, "expected a plan, as in {rate: 40Gbps, ports: 32}");
    }
    for (size_t i = 0; i < n->n_children; i++) {
        if (!read_field(p, n->children[i], err)) {
            return false;
        }
    }
    plan_add_ports(&p->plan);
    return plan_finish(&p->plan, &why) || scn_fail(n, err, "%s", why.text);
}

static double
measure(const struct plan *p, const struct plan_scheme *scheme, size_t of)
{
    struct plan_need all = plan_need(p, scheme);
    const uint64_t values[N_MEASURES] = { plan_slot_need(p, scheme, &p->kinds[0]).bound_bytes,
                                          all.bound_bytes, all.busy_bytes };
    return (double)values[of];
}

static bool
find_measure(const struct scn_node *n, size_t *of, struct err *err)
{
    for (*of = 0; *of < N_MEASURES; ++*of) {
        if (!strcmp(measures[*of], n->word)) {
            return true;
        }
    }
    return scn_fail(n, err, "a claim of a plan is about 'slot', 'switch' or 'busy'");
}

/* A word of a claim that must be there. */
static const struct scn_node *
word_of(const struct scn_node *claim, const char *key, struct err *err)
{
    const struct scn_node *n = claim->kind == SCN_MAP ? scn_child(claim, key) : NULL;

    if (!n || n->kind != SCN_WORD) {
        scn_fail(claim, err, "a claim of a plan needs '%s'", key);
        return NULL;
    }
    return n;
}

static bool
add_claim(struct plan_claims *p, const struct scn_node *n, struct err *err)
{
    const struct scn_node *of = word_of(n, "of", err), *key = of ? word_of(n, "scheme", err) : NULL;
    const struct scn_node *published = key ? word_of(n, "published", err) : NULL;
    const struct scn_node *source = published ? word_of(n, "source", err) : NULL;
    const struct plan_scheme *scheme = source ? plan_scheme_find(key->word) : NULL;
    const struct scn_node *within = source ? scn_child(n, "within") : NULL;
    struct weir_text why = { 0 };
    uint64_t bytes;
    size_t which;

    if (!source || !find_measure(of, &which, err)) {
        return false;
    }
    if (!scheme) {
        return scn_fail(key, err, "unknown scheme; `weir plan --help` lists them");
    }
    if (!weir_value_parse(WEIR_BYTES, published->word, &bytes, &why)) {
        return scn_fail(published, err, "%s", why.s);
    }
    if (!reproduce_wants(p->r, source->word)) {
        return true;
    }
    double measured = measure(&p->plan, scheme, which);
    double slack = within && within->word ? strtod(within->word, NULL) : 0;
    struct rec_claim row = { .study = p->r->paper,
                             .scenario = p->name,
                             .source = source->word,
                             .engine = scheme->key,
                             .what = words[which],
                             .unit = "B",
                             .arbitration = "",
                             .sign = "=",
                             .published = (double)bytes,
                             .measured = measured,
                             .lowest = -1,
                             .highest = -1,
                             .holds = reproduce_holds('=', (double)bytes, slack, measured),
                             .build = WEIR_VERSION };
    rec_rows_copy(&p->r->claims, REC_CLAIM, &row);
    p->r->n_claims++;
    return true;
}

static bool
add_claims(struct plan_claims *p, const struct scn_node *root, struct err *err)
{
    const struct scn_node *claims = scn_child(root, "claims"), *name = scn_child(root, "name");

    p->name = name && name->kind == SCN_WORD ? name->word : "plan";
    if (!claims || claims->kind != SCN_LIST) {
        return scn_fail(root, err, "a plan needs a list of claims");
    }
    for (size_t i = 0; i < claims->n_children; i++) {
        if (!add_claim(p, claims->children[i], err)) {
            return false;
        }
    }
    return true;
}

int
reproduce_plan(struct reproduction *r, const struct scn_node *root, struct err *err)
{
    struct plan_claims p = { .r = r };
    bool good = read_plan(&p, scn_child(root, "plan"), err) && add_claims(&p, root, err);

    plan_free(&p.plan);
    return good ? EXIT_GOOD : EXIT_USER;
}
