/* Checks the same network under the other routing, to find whether the result depends on the
 * routing.
 *
 * Up-down routes never go up again after going down.  BGP has such routes if the switches of each
 * upper tier share an AS (RFC 7938, 5.2.1): a path that returns to a tier already has its AS, and
 * is refused.  Shortest paths are those of OSPF and IS-IS, and of BGP with an AS for every switch:
 * after failures they may go down and up again. */

#include <stdio.h>
#include <string.h>

#include "check/findings.h"
#include "run/outcome.h"

static const struct {
    const char *name, *has;
} routings[] = {
    [SCN_SHORTEST] = { "shortest", "OSPF, IS-IS, and BGP with an AS for every switch" },
    [SCN_UP_DOWN] = { "up-down", "BGP where the switches of each upper tier share an AS "
                                 "(RFC 7938)" },
};

static bool
finds_cycle(const struct check_findings *f)
{
    return f->cycles.n_components || f->failures[0].n || f->failures[1].n;
}

/* Whether to try the other routing.  If shortest paths have no cycle, up-down routes have none
 * either, because they have fewer turns. */
static bool
is_worth_trying(const struct check_findings *f)
{
    return finds_cycle(f) || f->s->routing.kind == SCN_UP_DOWN;
}

int
check_read_again(const struct check_findings *f, const char *set, struct scenario *s,
                 struct err *err)
{
    const char *sets[CHECK_MAX_SETS + 1];

    memcpy(sets, f->o->sets, f->o->n_sets * sizeof *sets);
    sets[f->o->n_sets] = set;
    return outcome_read(s, f->o->file, sets, f->o->n_sets + 1, err);
}

/* Tries the other routing.  The result is unknown if Weir refuses the scenario with it, for example
 * because a flow has no path. */
void
check_try_other_routing(struct check_findings *f)
{
    enum scn_routing_kind other = f->s->routing.kind == SCN_SHORTEST ? SCN_UP_DOWN : SCN_SHORTEST;
    char set[40];
    struct scenario s;
    struct check_findings g = { .s = &s, .o = f->o };
    struct err err;

    snprintf(set, sizeof set, "routing.kind=%s", routings[other].name);
    if (!is_worth_trying(f) || check_read_again(f, set, &s, &err) != EXIT_GOOD) {
        return;
    }
    check_find_cycles(&g);
    check_try_failures(&g);
    f->other = (struct check_other){ .is_known = true,
                                     .is_cyclic = g.cycles.n_components > 0,
                                     .n_failures = { g.failures[0].n, g.failures[1].n },
                                     .decides = finds_cycle(&g) != finds_cycle(f) };
    check_free(&g);
    scn_free(&s);
}

/* Writes the result for one routing: "shortest: 12 of 28 failures of 2 links close a cycle". */
static void
write_answer(const struct check_findings *f, enum scn_routing_kind kind, bool is_cyclic,
             const size_t n_failures[2])
{
    const char *before = "";
    bool has_cycle = is_cyclic || n_failures[0] || n_failures[1];

    fprintf(f->o->out, "          %s: %s", routings[kind].name, is_cyclic ? "a cycle" : "");
    for (uint32_t n = 1; n <= f->o->n_fail && !is_cyclic; n++) {
        if (n_failures[n - 1]) {
            fprintf(f->o->out, "%s%zu of %zu failures of %u link%s close a cycle", before,
                    n_failures[n - 1], f->failures[n - 1].n_trials, n, n > 1 ? "s" : "");
            before = ", ";
        }
    }
    fprintf(f->o->out, "%s; these are the routes of %s\n", has_cycle ? "" : "no cycle",
            routings[kind].has);
}

void
check_write_routing(const struct check_findings *f)
{
    const size_t n_failures[2] = { f->failures[0].n, f->failures[1].n };
    enum scn_routing_kind kind = (enum scn_routing_kind)f->s->routing.kind;

    if (!f->other.decides) {
        return;
    }
    fprintf(f->o->out, "\nROUTING   decides the answer: set routing to the one of your switches\n");
    write_answer(f, kind, f->cycles.n_components, n_failures);
    write_answer(f, kind == SCN_SHORTEST ? SCN_UP_DOWN : SCN_SHORTEST, f->other.is_cyclic,
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
