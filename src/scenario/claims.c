/* The claims of a paper about a scenario. */

#include <string.h>

#include "base/array.h"
#include "scenario/resolver.h"

static bool
read_claim_flow(struct resolver *r, const struct scn_node *n, struct scn_claim *c)
{
    char room[SCN_NAME_BYTES];

    for (size_t i = 0; n->kind == SCN_WORD && i < r->s->n_flows; i++) {
        if (!strcmp(scn_flow_name(r->s, i, room), n->word)) {
            c->flow = (uint32_t)i;
            return true;
        }
    }
    return scn_fail(n, r->err, "there is no flow of this name");
}

static bool
read_published(struct resolver *r, const struct scn_node *n, struct scn_claim *c)
{
    static const enum weir_kind kinds[] = { [SCN_GOODPUT] = WEIR_RATE,
                                            [SCN_QUEUE] = WEIR_BYTES,
                                            [SCN_PEAK] = WEIR_BYTES,
                                            [SCN_RATE] = WEIR_RATE };
    struct weir_text why = { 0 };

    if (!scn_expect_kind(r, n, SCN_WORD, "expected a value")) {
        return false;
    }
    if (c->of == SCN_DEADLOCK) {
        c->published = !strcmp(n->word, "yes");
        return c->published || !strcmp(n->word, "no") ||
               scn_fail(n, r->err, "a deadlock is published as yes or no");
    }
    return weir_value_parse(kinds[c->of], n->word, &c->published, &why) ||
           scn_fail(n, r->err, "%s", why.s);
}

/* The subject: a flow, a queue, or all. */
static bool
read_subject(struct resolver *r, const struct scn_node *n, struct scn_claim *c)
{
    static const char *const keys[] = {
        [SCN_GOODPUT] = "flow", [SCN_QUEUE] = "queue", [SCN_PEAK] = "queue", [SCN_RATE] = "queue"
    };
    if (c->of == SCN_DEADLOCK) {
        return true;
    }
    const struct scn_node *what = scn_child(n, keys[c->of]);
    if (!what) {
        return scn_fail(n, r->err, "a claim about this quantity needs '%s'", keys[c->of]);
    }
    return c->of == SCN_GOODPUT
               ? read_claim_flow(r, what, c)
               : scn_find_port(r, what,
                               "a queue, as in [S1, H1]: the queue at S1 of what comes from H1",
                               &c->port);
}

bool
scn_read_claim(struct resolver *r, const struct scn_node *n)
{
    ARRAY_PUSH(r->s->claims, r->s->n_claims, r->s->max_claims) = (struct scn_claim){ 0 };
    struct scn_claim *c = &r->s->claims[r->s->n_claims - 1];

    weir_fields_default(scn_claim_table.fields, c);
    c->place = scn_place_of(r, n);
    if (!scn_expect_kind(r, n, SCN_MAP,
                         "expected a claim, as in {of: deadlock, engine: pfc, ...}") ||
        !scn_read_map(r, n, &scn_claim_table, c)) {
        return false;
    }
    c->engine = scn_find_engine(r, scn_child(n, "engine"));
    return c->engine && read_published(r, scn_child(n, "published"), c) &&
           scn_read_text(r, scn_child(n, "source"), "a source", c->source, sizeof c->source) &&
           read_subject(r, n, c);
}
