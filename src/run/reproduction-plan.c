/* Checks claims about a plan: compares the published needs of a switch with those that the planner
 * computes.
 *
 *     name: ttl-headroom
 *     plan: {rate: 40Gbps, cable: 300m, ports: 32, classes: 8}
 *     claims:
 *       - {of: slot, scheme: pfc, published: 21968B, source: "2.1"} */

#include <string.h>

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

/* Quantities of a plan. If a plan has several kinds of ports, they are those of the first kind. */

static double
slot_of(const struct plan *p, const struct plan_scheme *scheme)
{
    return (double)plan_slot_need(p, scheme, &p->kinds[0]).bound_bytes;
}

static double
switch_of(const struct plan *p, const struct plan_scheme *scheme)
{
    return (double)plan_need(p, scheme).bound_bytes;
}

static double
busy_of(const struct plan *p, const struct plan_scheme *scheme)
{
    return (double)plan_need(p, scheme).busy_bytes;
}

static double
tau_of(const struct plan *p, const struct plan_scheme *scheme)
{
    return scheme->has_tau ? (double)weir_tau_ps(&p->kinds[0].link) : -1;
}

static double
stages_of(const struct plan *p, const struct plan_scheme *scheme)
{
    uint64_t room_bytes = plan_slot_need(p, scheme, &p->kinds[0]).bound_bytes;

    return strcmp(scheme->key, "gfc-buffer") ? -1 : (double)weir_gfc_stages(room_bytes, 0);
}

/* CaPFC II.G: for each class of each output, two bytes for each input. */
static double
counters_of(const struct plan *p, const struct plan_scheme *scheme)
{
    (void)scheme;
    return 2.0 * (double)p->in.ports * (double)p->in.ports * (double)p->in.classes;
}

/* Functions that return a quantity of a scheme; negative: the scheme has no such quantity. */
static double (*const quantities[])(const struct plan *, const struct plan_scheme *) = {
    [SCN_SLOT] = slot_of, [SCN_SWITCH] = switch_of, [SCN_BUSY] = busy_of,
    [SCN_TAU] = tau_of,   [SCN_STAGES] = stages_of, [SCN_COUNTERS] = counters_of,
};

/* Measures the claim's quantity for the scheme that 'name' selects. */
static bool
measure(const struct plan *p, const struct scn_claim *c, const char *name,
        const struct scn_node *at, double *value, struct err *err)
{
    const struct plan_scheme *scheme = plan_scheme_find(name);

    if (!scheme) {
        return scn_fail(at, err, "unknown scheme; `weir plan --help` lists them");
    }
    *value = quantities[c->of](p, scheme);
    return *value >= 0 || scn_fail(at, err, "%s has no %s", name, scn_claim_of(c));
}

static bool
measure_claim(const struct plan *p, const struct scn_claim *c, const struct scn_node *n,
              double *value, struct err *err)
{
    double other = 1;

    if (!measure(p, c, c->scheme, scn_child(n, "scheme"), value, err) ||
        (c->against && !measure(p, c, c->against, scn_child(n, "against"), &other, err))) {
        return false;
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
