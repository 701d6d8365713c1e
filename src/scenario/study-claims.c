/* Claims of a study: what a paper says of all of its runs. */

#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/text.h"
#include "scenario/resolver.h"
#include "scenario/study.h"

const struct scn_measure_name scn_measures[SCN_N_MEASURES] = {
    [SCN_NETWORKS] = { "networks", "networks" },
    [SCN_COLLAPSES] = { "collapses", "networks" },
    [SCN_THROUGHPUT] = { "throughput", "bps" },
    [SCN_LATE_THROUGHPUT] = { "late-throughput", "bps" },
    [SCN_SILENT] = { "silent", "share" },
    [SCN_DEVIATION] = { "deviation", "bps" },
    [SCN_SLOWEST] = { "slowest", "bps" },
    [SCN_SLOWDOWN] = { "slowdown", "times" },
    [SCN_FEEDBACK] = { "feedback", "share" },
    [SCN_FEEDBACK_P99] = { "feedback-p99", "share" },
    [SCN_FEEDBACK_MAX] = { "feedback-max", "share" },
    [SCN_DROPS] = { "drops", "packets" },
};

static bool
is_engine(const struct scn_study *s, const char *word)
{
    const struct scn_study_axis *engines = scn_study_axis(s, "engine");

    for (size_t i = 0; engines && i < engines->n_items; i++) {
        if (engines->items[i].text && !strcmp(engines->items[i].text, word)) {
            return true;
        }
    }
    return false;
}

static bool
read_of(struct scn_study *s, const struct scn_node *n, struct scn_study_claim *c, struct err *err)
{
    char offer[200];

    (void)s;
    for (int i = 0; i < SCN_N_MEASURES; i++) {
        if (!strcmp(scn_measures[i].name, n->word)) {
            c->of = (enum scn_measure)i;
            return true;
        }
    }
    text_offer(n->word, &scn_measures[0].name, sizeof scn_measures[0], SCN_N_MEASURES, offer,
               sizeof offer);
    return scn_fail(n, err, "'%s' is not a quantity that is measured%s", n->word, offer);
}

static bool
read_engine_into(const struct scn_study *s, const struct scn_node *n, const char **engine,
                 struct err *err)
{
    *engine = n->word;
    return is_engine(s, n->word) ||
           scn_fail(n, err, "'%s' is not among the engines that the study runs", n->word);
}

static bool
read_engine(struct scn_study *s, const struct scn_node *n, struct scn_study_claim *c,
            struct err *err)
{
    return read_engine_into(s, n, &c->engine, err);
}

static bool
read_also(struct scn_study *s, const struct scn_node *n, struct scn_study_claim *c, struct err *err)
{
    return read_engine_into(s, n, &c->also, err);
}

static bool
read_against(struct scn_study *s, const struct scn_node *n, struct scn_study_claim *c,
             struct err *err)
{
    return read_engine_into(s, n, &c->against, err);
}

/* "5Gbps", "0.21%", "32"; a ratio has no unit. */
static bool
read_value(const struct scn_node *n, const char *word, bool is_rate, double *value, struct err *err)
{
    struct weir_text why = { 0 };
    uint64_t bps;
    char *end;

    if (is_rate) {
        bool good = weir_value_parse(WEIR_RATE, word, &bps, &why);
        *value = good ? (double)bps : 0;
        return good || scn_fail(n, err, "%s", why.s);
    }
    *value = strtod(word, &end);
    bool is_percent = end != word && !strcmp(end, "%");
    *value /= is_percent ? 100 : 1;
    return (end != word && (is_percent || !*end) && *value >= 0 && *value < 1e18) ||
           scn_fail(n, err, "expected a number, or a percentage as in 0.2%%");
}

static bool
read_published(const struct scn_node *n, struct scn_study_claim *c, struct err *err)
{
    bool has_sign = n->word[0] == '<' || n->word[0] == '>';

    c->sign = has_sign ? n->word[0] : '=';
    return read_value(n, n->word + has_sign,
                      !c->against && !strcmp(scn_measures[c->of].unit, "bps"), &c->published, err);
}

static bool
read_within(struct scn_study *s, const struct scn_node *n, struct scn_study_claim *c,
            struct err *err)
{
    (void)s;
    return read_value(n, n->word, false, &c->within, err);
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
    { "of", read_of, true },           { "engine", read_engine, true },
    { "and", read_also, false },       { "against", read_against, false },
    { "within", read_within, false },  { "source", read_source, true },
    { "published", read_later, true }, /* It needs 'of' and 'against' first. */
};

enum { N_KEYS = sizeof keys / sizeof *keys };

static bool
read_key(struct scn_study *s, const struct scn_node *n, struct scn_study_claim *c, struct err *err)
{
    char offer[200];

    for (size_t i = 0; i < N_KEYS; i++) {
        if (!strcmp(keys[i].name, n->key)) {
            return n->kind == SCN_WORD ? keys[i].read(s, n, c, err)
                                       : scn_fail(n, err, "expected a word");
        }
    }
    text_offer(n->key, &keys[0].name, sizeof keys[0], N_KEYS, offer, sizeof offer);
    return scn_fail_key(n, err, "unknown key '%s'%s", n->key, offer);
}

/* What does not go together. */
static bool
check_fit(const struct scn_node *n, const struct scn_study_claim *c, struct err *err)
{
    bool counts = c->of == SCN_NETWORKS || c->of == SCN_COLLAPSES;
    const char *published = scn_child(n, "published")->word;
    bool is_bound = published[0] == '<' || published[0] == '>';

    if (c->also && c->of != SCN_NETWORKS) {
        return scn_fail(scn_child(n, "and"), err, "'and' goes only with of: networks");
    }
    if (c->against && counts) {
        return scn_fail(
            scn_child(n, "against"), err,
            "'against' does not go with a number of networks; it compares other quantities");
    }
    return !is_bound || !scn_child(n, "within") ||
           scn_fail(scn_child(n, "within"), err,
                    "'within' does not go with < or >, which have no tolerance");
}

static bool
read_claim(struct scn_study *s, const struct scn_node *n, struct err *err)
{
    struct scn_study_claim c = { .within = 0.05 };

    if (n->kind != SCN_MAP) {
        return scn_fail(n, err, "expected a claim, as in {of: networks, engine: pfc, ...}");
    }
    for (size_t i = 0; i < n->n_children; i++) {
        if (!read_key(s, n->children[i], &c, err)) {
            return false;
        }
    }
    for (size_t i = 0; i < N_KEYS; i++) {
        if (keys[i].is_needed && !scn_child(n, keys[i].name)) {
            return scn_fail(n, err, "a claim needs '%s'", keys[i].name);
        }
    }
    if (!check_fit(n, &c, err)) {
        return false;
    }
    ARRAY_PUSH(s->claims, s->n_claims, s->max_claims) = c;
    return read_published(scn_child(n, "published"), &s->claims[s->n_claims - 1], err);
}

bool
scn_study_read_claims(struct scn_study *s, struct err *err)
{
    for (size_t i = 0; s->claims_node && i < s->claims_node->n_children; i++) {
        if (!read_claim(s, s->claims_node->children[i], err)) {
            return false;
        }
    }
    return true;
}
