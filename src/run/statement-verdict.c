/* Compares measured values with published ones. */

#include "run/statement-verdict.h"

#include <string.h>

const char *const verdict_names[N_VERDICTS] = {
    [VERDICT_HOLDS] = "holds",           [VERDICT_STRONGER] = "stronger",
    [VERDICT_DIRECTION] = "direction",   [VERDICT_NO] = "no",
    [VERDICT_NOT_TESTED] = "not tested",
};

bool
verdict_holds(const struct scn_claim *c, double value)
{
    double slack = c->of == SCN_DEADLOCK ? 0 : c->published * c->within;

    return c->sign == '<'   ? value < c->published
           : c->sign == '>' ? value > c->published
                            : value >= c->published - slack && value <= c->published + slack;
}

bool
verdict_is_certain(const struct scn_claim *c, const struct reproduced *m)
{
    if (m->is_undecided || m->value < 0 || (m->is_least && m->is_most)) {
        return false;
    }
    if (m->is_least) {
        return c->sign == '>' ? verdict_holds(c, m->value)
                              : !verdict_holds(c, m->value) && m->value > c->published;
    }
    if (m->is_most) {
        return c->sign == '<' ? verdict_holds(c, m->value)
                              : !verdict_holds(c, m->value) && m->value < c->published;
    }
    return true;
}

/* Whether all single runs are on the same side of the neutral value, so that the effect exceeds
 * their spread. Counts of runs and of networks have no single values, so their total is
 * compared. */
static bool
is_agreed(const struct scn_claim *c, const struct reproduced *m, double neutral, double way)
{
    double nearest = way > 0 ? m->lowest : m->highest;

    return ((c->is_share || nearest < 0 ? m->value : nearest) - neutral) * way > 0;
}

/* Whether a claim says only "more than the other", without a number: its bound is the ratio's
 * neutral value. */
static bool
is_bare_direction(const struct scn_claim *c)
{
    return c->against && c->sign != '=' && c->published == 1;
}

/* Whether every single run must agree, and on which side ('way') of which value ('neutral') they
 * must be. They must agree if the claim is a direction without a number, or if the value is outside
 * the tolerance. If the claim says yes or no, the neutral value is half of the runs. */
static bool
find_side(const struct scn_claim *c, const struct reproduced *m, double *neutral, double *way)
{
    if (verdict_holds(c, m->value)) {
        *neutral = 1;
        *way = c->sign == '>' ? 1 : -1;
        return is_bare_direction(c);
    }
    *neutral = c->is_share ? 0.5 : c->neutral;
    *way = c->published > *neutral ? 1 : -1;
    return c->is_share || c->has_neutral;
}

/* Whether the verdict is certain although values of single runs are only bounds. */
static bool
is_side_certain(const struct scn_claim *c, const struct reproduced *m)
{
    double neutral, way;

    if (!find_side(c, m, &neutral, &way)) {
        return true;
    }
    return is_agreed(c, m, neutral, way) == (way > 0) ? !m->is_most : !m->is_least;
}

/* The verdict on a statement that is not supported. */
static enum verdict
by_direction(const struct scn_claim *c, const struct reproduced *m)
{
    double neutral, way;

    return !find_side(c, m, &neutral, &way) || !is_agreed(c, m, neutral, way) ? VERDICT_NO
           : (m->value - c->published) * way > 0                              ? VERDICT_STRONGER
                                                                              : VERDICT_DIRECTION;
}

/* Whether the median run agrees with the published number. If the claim is a direction without a
 * number, every single run must agree. */
static bool
is_supported(const struct scn_claim *c, const struct reproduced *m)
{
    double neutral, way;

    return verdict_holds(c, m->value) &&
           (!find_side(c, m, &neutral, &way) || is_agreed(c, m, neutral, way));
}

static const char *
reason_not_tested(const struct scn_claim *c, const struct reproduced *m)
{
    bool is_count = c->of == SCN_NETWORKS || c->of == SCN_COLLAPSES;

    return m->is_undecided              ? "some of its runs were refused"
           : m->is_sample && is_count   ? "a sample cannot count networks; --full runs all of them"
           : !m->n_runs && m->is_sample ? "the sample does not run it; --full does"
           : !verdict_is_certain(c, m) || !is_side_certain(c, m)
               ? "unknown: flows have not finished, or the runs do not have this quantity"
               : NULL;
}

/* A paper that says 0 means never, and one that says 100 % means always.  A single run that differs
 * contradicts it, whatever the median is. */
static bool
is_sometimes(const struct scn_claim *c, const struct reproduced *m)
{
    if (c->sign != '=' || c->is_share) {
        return false;
    }
    return c->published <= 0
               ? m->highest > 0
               : c->published == 1 && m->lowest >= 0 && !verdict_holds(c, m->lowest) &&
                     !strcmp(scn_claim_unit(c), "share");
}

enum verdict
verdict_of(const struct scn_claim *c, const struct reproduced *m, const char **why)
{
    *why = reason_not_tested(c, m);
    return *why                  ? VERDICT_NOT_TESTED
           : !is_supported(c, m) ? by_direction(c, m)
           : is_sometimes(c, m)  ? VERDICT_DIRECTION
                                 : VERDICT_HOLDS;
}
