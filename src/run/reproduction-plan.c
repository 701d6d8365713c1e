/* Claims of a plan: what a paper says a switch needs, against the planner's arithmetic.
 *
 *     name: ttl-headroom
 *     plan: {rate: 40Gbps, cable: 300m, ports: 32, classes: 8}
 *     claims:
 *       - {of: slot, scheme: pfc, published: 21968B, source: "2.1"} */

#include "plan/plan.h"
#include "run/reproduction.h"
#include "run/statements.h"

static bool
read_field(struct plan *p, const struct scn_node *n, struct err *err)
{
    const struct weir_field *f = weir_field_find(plan_fields, n->key);
    struct err why;

    if (!f) {
        return scn_fail_key(n, err, "unknown key '%s'; `weir plan --help` lists them", n->key);
    }
    return (n->kind == SCN_WORD && plan_field_parse(f, n->word, &p->in, &why)) ||
           scn_fail(n, err, "%s", n->kind == SCN_WORD ? why.text : "expected a value");
}

static bool
read_plan(struct plan *p, const struct scn_node *n, struct err *err)
{
    struct err why;

    weir_fields_default(plan_fields, &p->in);
    if (n->kind != SCN_MAP) {
        return scn_fail(n, err, "expected a plan, as in {rate: 40Gbps, ports: 32}");
    }
    for (size_t i = 0; i < n->n_children; i++) {
        if (!read_field(p, n->children[i], err)) {
            return false;
        }
    }
    plan_add_ports(p);
    return plan_finish(p, &why) || scn_fail(n, err, "%s", why.text);
}

/* CaPFC II.G: two bytes for each input at each class of each output. */
static uint64_t
counter_bytes(const struct plan *p)
{
    return 2 * p->in.ports * p->in.ports * p->in.classes;
}

/* The need of a scheme, if there is such a scheme. */
static bool
measure(const struct plan *p, const char *name, enum scn_claim_of of, double *bytes)
{
    const struct plan_scheme *scheme = plan_scheme_find(name);

    if (scheme) {
        struct plan_need all = plan_need(p, scheme);
        *bytes = (double)(of == SCN_SLOT       ? plan_slot_need(p, scheme, &p->kinds[0]).bound_bytes
                          : of == SCN_SWITCH   ? all.bound_bytes
                          : of == SCN_COUNTERS ? counter_bytes(p)
                                               : all.busy_bytes);
    }
    return scheme;
}

static bool
measure_claim(const struct plan *p, const struct scn_claim *c, const struct scn_node *n,
              double *value, struct err *err)
{
    double other = 1;
    bool good = measure(p, c->scheme, c->of, value);

    if (!good || (c->against && !measure(p, c->against, c->of, &other))) {
        return scn_fail(scn_child(n, good ? "against" : "scheme"), err,
                        "unknown scheme; `weir plan --help` lists them");
    }
    *value = other > 0 ? *value / other : -1;
    return true;
}

static bool
add_claim(struct reproduction *r, const char *name, const struct plan *p, const struct scn_node *n,
          struct err *err)
{
    struct scn_claim c;
    struct reproduced row = { .scenario = name, .arbitration = "", .lowest = -1, .highest = -1 };

    if (!(r->statements ? scn_read_plan_statement : scn_read_plan_claim)(n, &c, err) ||
        !measure_claim(p, &c, n, &row.value, err)) {
        return false;
    }
    row.about = c.scheme;
    if (r->statements) {
        statements_add_row(r, &c, &row);
    } else if (reproduce_wants_row(r, c.source)) {
        reproduce_add_row(r, &c, &row);
        r->n_claims++;
    }
    return true;
}

static bool
add_claims(struct reproduction *r, const struct plan *p, const struct scn_node *root,
           struct err *err)
{
    const struct scn_node *list = scn_child(root, "claims"), *name = scn_child(root, "name");
    bool good = r->statements || (list && list->kind == SCN_LIST) ||
                scn_fail(root, err, "a plan needs a list of claims");
    const char *title = name && name->kind == SCN_WORD ? name->word : "plan";

    for (size_t i = 0; good && i < (r->statements ? r->statements->n : list->n_children); i++) {
        const struct scn_node *n = r->statements ? r->statements->items[i] : list->children[i];
        good = add_claim(r, title, p, n, err);
    }
    return good;
}

int
reproduce_plan(struct reproduction *r, const struct scn_node *root, struct err *err)
{
    struct plan plan = { 0 };
    bool good = read_plan(&plan, scn_child(root, "plan"), err) && add_claims(r, &plan, root, err);

    plan_free(&plan);
    return good ? EXIT_GOOD : EXIT_USER;
}
