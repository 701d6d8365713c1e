/* Whether the answer of `weir check` depends on the routing: the same network under the other one.
 *
 * Up-down routes never go up again after they went down.  So does BGP where the switches of each
 * upper tier share an AS (RFC 7938, 5.2.1): a path that comes back to a tier has its AS already,
 * and is refused.  Shortest paths are those of OSPF and IS-IS, and of BGP with an AS for every
 * switch: after failures they may go down and up again. */

#include <stdio.h>

#include "cli/check.h"
#include "cli/cli.h"
#include "run/outcome.h"

static const struct {
    const char *name, *has;
} routings[] = {
    [SCN_SHORTEST] = { "shortest", "OSPF, IS-IS, and BGP with an AS for every switch" },
    [SCN_UP_DOWN] = { "up-down", "BGP where the switches of each upper tier share an AS "
                                 "(RFC 7938)" },
};

static bool
finds_ring(const struct check_findings *f)
{
    return f->cycles.n_components || f->failures[0].n || f->failures[1].n;
}

/* Without a ring on shortest paths there is none on up-down routes, which turn less. */
static bool
is_worth_trying(const struct check_findings *f)
{
    return finds_ring(f) || f->s->routing.kind == SCN_UP_DOWN;
}

/* The answer stays unknown if the other routing is refused, as for a flow without a path. */
void
check_try_other_routing(struct check_findings *f)
{
    enum scn_routing_kind other = f->s->routing.kind == SCN_SHORTEST ? SCN_UP_DOWN : SCN_SHORTEST;
    const char *sets[VERB_MAX_WORDS + 1];
    char set[40];
    struct scenario s;
    struct check_findings g = { .s = &s, .o = f->o };
    struct err err;
    size_t n = 0;

    for (; n < f->o->sets.n; n++) {
        sets[n] = f->o->sets.items[n];
    }
    snprintf(set, sizeof set, "routing.kind=%s", routings[other].name);
    sets[n++] = set;
    if (!is_worth_trying(f) || outcome_read(&s, f->o->file.items[0], sets, n, &err) != EXIT_GOOD) {
        return;
    }
    check_find_rings(&g);
    check_try_failures(&g);
    f->other = (struct check_other){ .is_known = true,
                                     .is_cyclic = g.cycles.n_components > 0,
                                     .n_failures = { g.failures[0].n, g.failures[1].n },
                                     .decides = finds_ring(&g) != finds_ring(f) };
    check_free(&g);
    scn_free(&s);
}

/* "shortest: 12 of 28 failures of 2 links close a ring" */
static void
show_one(const struct check_findings *f, enum scn_routing_kind kind, bool is_cyclic,
         const size_t n_failures[2])
{
    const char *before = "";
    bool has_ring = is_cyclic || n_failures[0] || n_failures[1];

    printf("          %s: %s", routings[kind].name, is_cyclic ? "a ring" : "");
    for (uint32_t n = 1; n <= f->o->n_fail && !is_cyclic; n++) {
        if (n_failures[n - 1]) {
            printf("%s%zu of %zu failures of %u link%s close a ring", before, n_failures[n - 1],
                   f->failures[n - 1].n_trials, n, n > 1 ? "s" : "");
            before = ", ";
        }
    }
    printf("%s; these are the routes of %s\n", has_ring ? "" : "no ring", routings[kind].has);
}

void
check_show_routing(const struct check_findings *f)
{
    const size_t n_failures[2] = { f->failures[0].n, f->failures[1].n };
    enum scn_routing_kind kind = (enum scn_routing_kind)f->s->routing.kind;

    if (!f->other.decides) {
        return;
    }
    printf("\nROUTING   decides the answer: set routing to what your switches have\n");
    show_one(f, kind, f->cycles.n_components, n_failures);
    show_one(f, kind == SCN_SHORTEST ? SCN_UP_DOWN : SCN_SHORTEST, f->other.is_cyclic,
             f->other.n_failures);
}

void
check_json_routing(struct json *j, const struct check_findings *f)
{
    enum scn_routing_kind kind = (enum scn_routing_kind)f->s->routing.kind;

    json_open(j, "routing", '{');
    json_text(j, "kind", routings[kind].name);
    json_text(j, "as_of", routings[kind].has);
    if (f->other.is_known) {
        json_open(j, "other", '{');
        json_text(j, "kind", routings[kind == SCN_SHORTEST ? SCN_UP_DOWN : SCN_SHORTEST].name);
        json_bool(j, "cyclic", f->other.is_cyclic);
        json_open(j, "failures", '[');
        for (uint32_t n = 0; n < f->o->n_fail; n++) {
            json_number(j, NULL, f->other.n_failures[n]);
        }
        json_close(j, ']');
        json_close(j, '}');
    } else {
        json_null(j, "other");
    }
    json_bool(j, "decides", f->other.decides);
    json_close(j, '}');
}
