/* Claims of a study: statements of a paper about all of its runs, or about those with some values
 * of axes. */

#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/text.h"
#include "scenario/resolver.h"
#include "scenario/study.h"

enum { MAX_CLAIMS = 10000 };

/* Numbers of networks, and the fact that a run must have to count. */
static const struct {
    const char *name;
    enum scn_claim_counts counts;
    const struct column *fact;
} networks[] = {
    { "networks", SCN_NETWORKS, &run_facts[FACT_until_ps] },
    { "collapses", SCN_COLLAPSES, &run_facts[FACT_host_late_bps] },
};

enum { N_NETWORKS = sizeof networks / sizeof *networks };

/* Facts that are numbers of things, and what these are. */
static const struct {
    const struct column *fact;
    const char *unit;
} units[] = {
    { &run_facts[FACT_n_dropped], "packets" },
    { &workload_facts[WORKLOAD_n_unfinished], "flows" },
};

const char *
scn_claim_name(const struct scn_study_claim *c)
{
    for (size_t i = 0; i < N_NETWORKS; i++) {
        if (!c->own && c->counts == networks[i].counts) {
            return networks[i].name;
        }
    }
    return c->own ? c->own->name : c->fact->claim ? c->fact->claim : c->fact->name;
}

const char *
scn_claim_unit(const struct scn_study_claim *c)
{
    if (c->against || c->own) {
        return c->against ? "times" : scn_measure_unit(c->own);
    }
    for (size_t i = 0; i < sizeof units / sizeof *units; i++) {
        if (c->fact == units[i].fact) {
            return units[i].unit;
        }
    }
    return c->counts                           ? "networks"
           : c->fact->over_runs == REDUCE_RUNS ? "runs"
                                               : facts_unit(c->fact->name);
}

bool
scn_claim_read_of(const char *word, bool is_of_workload, struct scn_study_claim *c)
{
    for (size_t i = 0; i < N_NETWORKS; i++) {
        if (!strcmp(networks[i].name, word)) {
            c->counts = networks[i].counts;
            c->fact = networks[i].fact;
            return true;
        }
    }
    c->counts = SCN_FACT;
    c->fact = facts_of_claim(word, is_of_workload);
    return c->fact;
}

static bool
fail_of(const struct scn_node *n, struct err *err)
{
    const char *names[N_NETWORKS + N_RUN_FACTS + N_WORKLOAD_FACTS];
    size_t n_names = facts_list_claims(names);
    char offer[200];

    for (size_t i = 0; i < N_NETWORKS; i++) {
        names[n_names++] = networks[i].name;
    }
    text_offer(n->word, names, sizeof *names, n_names, offer, sizeof offer);
    return scn_fail(n, err, "'%s' is not a quantity that is measured%s", n->word, offer);
}

static bool
read_of(struct scn_study *s, const struct scn_node *n, struct scn_study_claim *c, struct err *err)
{
    for (size_t i = 0; i < s->n_measures; i++) {
        if (!strcmp(s->measures[i].name, n->word)) {
            c->own = &s->measures[i];
            return true;
        }
    }
    return scn_claim_read_of(n->word, false, c) || fail_of(n, err);
}

/* "engine: pfc": only runs with this value of an axis; "engine: each": a claim for each value. */
static const char each[] = "each";

static bool
read_where(struct scn_study *s, size_t axis, const struct scn_node *n, struct scn_study_claim *c,
           struct err *err)
{
    uint64_t place;

    ARRAY_PUSH(c->where, c->n_where, c->max_where) =
        (struct scn_study_where){ .axis = axis, .value = strdup(n->word) };
    return !strcmp(n->word, each) || scn_study_find(&s->axes[axis], n->word, &place) ||
           scn_fail(n, err, "'%s' is not among the values of '%s' that the study runs", n->word,
                    n->key);
}

/* Another value of what the claim is about. */
static bool
read_other(const struct scn_study *s, const struct scn_node *n, const struct scn_study_claim *c,
           const char **other, struct err *err)
{
    const struct scn_study_axis *axis = &s->axes[c->where[0].axis];
    uint64_t place;

    *other = n->word;
    return scn_study_find(axis, n->word, &place) ||
           scn_fail(n, err, "'%s' is not among the values of '%s' that the study runs", n->word,
                    axis->key);
}

/* Whether the scenario has it is seen when that is read. */
static bool
read_workload(struct scn_study *s, const struct scn_node *n, struct scn_study_claim *c,
              struct err *err)
{
    (void)s, (void)err;
    c->workload = n;
    return true;
}

/* Units that a published value is written with; all else is a number or a percentage. */
static const struct {
    const char *unit;
    enum weir_kind kind;
} written[] = { { "bps", WEIR_RATE }, { "ps", WEIR_TIME }, { "bytes", WEIR_BYTES } };

static bool
read_number(const struct scn_node *n, const char *word, double *value, struct err *err)
{
    char *end;

    *value = strtod(word, &end);
    bool is_percent = end != word && !strcmp(end, "%");
    *value /= is_percent ? 100 : 1;
    return (end != word && (is_percent || !*end) && *value >= 0 && *value < 1e18) ||
           scn_fail(n, err, "expected a number, or a percentage as in 0.2%%");
}

/* "5Gbps", "3ms", "0.21%", "32"; a ratio has no unit. */
static bool
read_value(const struct scn_node *n, const char *word, const char *unit, double *value,
           struct err *err)
{
    struct weir_text why = { 0 };
    uint64_t whole;

    for (size_t i = 0; i < sizeof written / sizeof *written; i++) {
        if (!strcmp(unit, written[i].unit)) {
            bool good = weir_value_parse(written[i].kind, word, &whole, &why);
            *value = good ? (double)whole : 0;
            return good || scn_fail(n, err, "%s", why.s);
        }
    }
    return read_number(n, word, value, err);
}

static bool
read_published(const struct scn_node *n, struct scn_study_claim *c, struct err *err)
{
    bool has_sign = n->word[0] == '<' || n->word[0] == '>';

    c->sign = has_sign ? n->word[0] : '=';
    return read_value(n, n->word + has_sign, scn_claim_unit(c), &c->published, err);
}

static bool
read_within(struct scn_study *s, const struct scn_node *n, struct scn_study_claim *c,
            struct err *err)
{
    (void)s;
    return read_number(n, n->word, &c->within, err);
}

static bool
read_source(struct scn_study *s, const struct scn_node *n, struct scn_study_claim *c,
            struct err *err)
{
    (void)s, (void)err;
    c->source = n->word;
    return true;
}

static bool
read_later(struct scn_study *s, const struct scn_node *n, struct scn_study_claim *c,
           struct err *err)
{
    (void)s, (void)n, (void)c, (void)err;
    return true;
}

static const struct claim_key {
    const char *name;
    bool (*read)(struct scn_study *, const struct scn_node *, struct scn_study_claim *,
                 struct err *);
    bool is_needed;
} keys[] = {
    { "of", read_of, true },           { "workload", read_workload, false },
    { "within", read_within, false },  { "source", read_source, true },
    { "and", read_later, false },      { "against", read_later, false }, /* These need the axis, */
    { "published", read_later, true },                                   /* and this also 'of'. */
};

enum { N_KEYS = sizeof keys / sizeof *keys };

bool
scn_study_is_claim_key(const char *name)
{
    bool is = false;

    for (size_t i = 0; i < N_KEYS; i++) {
        is |= !strcmp(keys[i].name, name);
    }
    return is;
}

static bool
read_key(struct scn_study *s, const struct scn_node *n, struct scn_study_claim *c, struct err *err)
{
    const struct scn_study_axis *axis = scn_study_axis(s, n->key);
    char offer[200];

    if (n->kind != SCN_WORD) {
        return scn_fail(n, err, "expected a word");
    }
    for (size_t i = 0; i < N_KEYS; i++) {
        if (!strcmp(keys[i].name, n->key)) {
            return keys[i].read(s, n, c, err);
        }
    }
    if (axis) {
        return read_where(s, (size_t)(axis - s->axes), n, c, err);
    }
    text_offer(n->key, &keys[0].name, sizeof keys[0], N_KEYS, offer, sizeof offer);
    return scn_fail_key(n, err, "unknown key '%s'%s; keys of 'over' can stand here, too", n->key,
                        offer);
}

/* Combinations that are refused. */
static bool
check_fit(const struct scn_node *n, const struct scn_study_claim *c, struct err *err)
{
    bool counts = !c->own && c->counts;
    const char *published = scn_child(n, "published")->word;
    bool is_bound = published[0] == '<' || published[0] == '>';

    if (c->also && (c->own || c->counts != SCN_NETWORKS)) {
        return scn_fail(scn_child(n, "and"), err, "'and' goes only with of: networks");
    }
    if (c->against && counts) {
        return scn_fail(
            scn_child(n, "against"), err,
            "'against' does not go with a number of networks; it compares other quantities");
    }
    if (c->workload && (c->own || !facts_is_of_workload(c->fact))) {
        return scn_fail(c->workload, err,
                        "'workload' does not go with of: %s, which is not about "
                        "flows alone",
                        scn_claim_name(c));
    }
    return !is_bound || !scn_child(n, "within") ||
           scn_fail(scn_child(n, "within"), err,
                    "'within' does not go with < or >, which have no tolerance");
}

static bool
check_needed(const struct scn_node *n, const struct scn_study_claim *c, struct err *err)
{
    for (size_t i = 0; i < N_KEYS; i++) {
        if (keys[i].is_needed && !scn_child(n, keys[i].name)) {
            return scn_fail(n, err, "a claim needs '%s'", keys[i].name);
        }
    }
    return c->n_where ||
           scn_fail(n, err,
                    "a claim needs a key of 'over' that says which runs it is about, as in "
                    "engine: pfc");
}

/* Keys that depend on the subject of the claim. */
static bool
read_rest(const struct scn_study *s, const struct scn_node *n, struct scn_study_claim *c,
          struct err *err)
{
    const struct scn_node *also = scn_child(n, "and"), *against = scn_child(n, "against");

    if (c->workload && !c->own) { /* A run may have a fact of the same name. */
        scn_claim_read_of(scn_child(n, "of")->word, true, c);
    }
    return (!also || read_other(s, also, c, &c->also, err)) &&
           (!against || read_other(s, against, c, &c->against, err)) && check_fit(n, c, err) &&
           read_published(scn_child(n, "published"), c, err);
}

static bool
read_claim(struct scn_study *s, const struct scn_node *n, struct scn_study_claim *c,
           struct err *err)
{
    if (n->kind != SCN_MAP) {
        return scn_fail(n, err, "expected a claim, as in {of: networks, engine: pfc, ...}");
    }
    for (size_t i = 0; i < n->n_children; i++) {
        if (!read_key(s, n->children[i], c, err)) {
            return false;
        }
    }
    return check_needed(n, c, err) && read_rest(s, n, c, err);
}

/* Claims for each value of an axis. */

static void
free_claim(struct scn_study_claim *c)
{
    for (size_t i = 0; i < c->n_where; i++) {
        free(c->where[i].value);
    }
    free(c->where);
}

static struct scn_study_claim
copy_claim(const struct scn_study_claim *c)
{
    struct scn_study_claim copy = *c;

    copy.where = array_new(copy.max_where = c->n_where, sizeof *copy.where);
    for (size_t i = 0; i < c->n_where; i++) {
        copy.where[i] = (struct scn_study_where){ .axis = c->where[i].axis,
                                                  .value = strdup(c->where[i].value) };
    }
    return copy;
}

/* The first of a claim that stands for each value; their number: there is none. */
static size_t
find_each(const struct scn_study *s, const struct scn_study_claim *c)
{
    size_t i = 0;
    uint64_t place;

    while (i < c->n_where && (strcmp(c->where[i].value, each) ||
                              scn_study_find(&s->axes[c->where[i].axis], each, &place))) {
        i++;
    }
    return i;
}

/* Makes claims of one that stands for many.  A comparison with itself is left out. */
static void
expand(struct scn_study *s, const struct scn_study_claim *c)
{
    size_t at = find_each(s, c);

    if (at == c->n_where) {
        ARRAY_PUSH(s->claims, s->n_claims, s->max_claims) = copy_claim(c);
        return;
    }
    const struct scn_study_axis *axis = &s->axes[c->where[at].axis];
    for (uint64_t place = 0; place < axis->n && s->n_claims < MAX_CLAIMS; place++) {
        struct scn_study_claim one = copy_claim(c);
        free(one.where[at].value);
        one.where[at].value = scn_study_value_at(axis, place);
        if (at || !c->against || strcmp(one.where[0].value, c->against)) {
            expand(s, &one);
        }
        free_claim(&one);
    }
}

bool
scn_study_read_claims(struct scn_study *s, struct err *err)
{
    bool good = true;

    for (size_t i = 0; good && s->claims_node && i < s->claims_node->n_children; i++) {
        const struct scn_node *n = s->claims_node->children[i];
        struct scn_study_claim c = { .within = 0.05 };
        good = read_claim(s, n, &c, err);
        if (good) {
            expand(s, &c);
            good = s->n_claims < MAX_CLAIMS ||
                   scn_fail(n, err, "a study may have at most %d claims", MAX_CLAIMS - 1);
        }
        free_claim(&c);
    }
    return good;
}

void
scn_study_free_claims(struct scn_study *s)
{
    for (size_t i = 0; i < s->n_claims; i++) {
        free_claim(&s->claims[i]);
    }
    free(s->claims);
}
