/* Claims of papers: about a scenario's run, about the runs of a study, or about a plan.
 *
 *     {of: peak,    engine: pfc, queue: [S1, H1], published: 884KB, source: Fig. 9}    of a run
 *     {of: drops,   engine: pfc, published: 0, source: Fig. 9}                         of a run
 *     {of: fct-p99, engine: each, workload: rpc, published: <3ms, source: Table 1}     of a study
 *     {of: slot,    scheme: pfc, published: 21968B, source: 2.1}                       of a plan
 *
 * Claims of runs and of studies take any fact (answer/facts.h).  One table has the quantities that
 * are not facts, another has the keys of all claims.  In a study, a claim selects runs by the keys
 * of the study's axes. */

#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/text.h"
#include "scenario/resolver.h"
#include "scenario/study.h"

enum { MAX_CLAIMS = 10000 };

/* The files that have claims.  A statement of a paper is a claim about a study or a plan, in a
 * separate file (run/statements.h). */
enum file { IN_SCENARIO = 1, IN_STUDY = 2, IN_PLAN = 4, IN_ANY = 7, IS_STATEMENT = 8, IS_ROW = 16 };

static const char *const names_of[] = {
    [SCN_DEADLOCK] = "deadlock",  [SCN_GOODPUT] = "goodput",   [SCN_QUEUE] = "queue",
    [SCN_PEAK] = "peak",          [SCN_RATE] = "rate",         [SCN_SLOT] = "slot",
    [SCN_SWITCH] = "switch",      [SCN_BUSY] = "busy",         [SCN_TAU] = "tau",
    [SCN_STAGES] = "stages",      [SCN_COUNTERS] = "counters", [SCN_NETWORKS] = "networks",
    [SCN_COLLAPSES] = "collapses"
};

/* The quantities that are not facts, with their words in tables of claims and their units. */
static const struct quantity {
    enum file in; /* The files that may have the quantity; 0: no file. */
    const char *words, *unit;
    const char *subject;       /* The key that names the subject; or null. */
    const struct column *fact; /* For counts of networks: the fact that a run must have to count. */
} quantities[] = {
    [SCN_DEADLOCK] = { IN_SCENARIO, "deadlock", "yes", NULL, NULL },
    [SCN_GOODPUT] = { IN_SCENARIO, "goodput of ", "bps", "flow", NULL },
    [SCN_QUEUE] = { IN_SCENARIO, "queue, mean", "bytes", "queue", NULL },
    [SCN_PEAK] = { IN_SCENARIO, "queue, peak", "bytes", "queue", NULL },
    [SCN_RATE] = { IN_SCENARIO, "rate, lowest", "bps", "queue", NULL },
    [SCN_SLOT] = { IN_PLAN, "headroom, port and class", "B", NULL, NULL },
    [SCN_SWITCH] = { IN_PLAN, "headroom, the switch", "B", NULL, NULL },
    [SCN_BUSY] = { IN_PLAN, "to keep outputs busy", "B", NULL, NULL },
    [SCN_COUNTERS] = { IN_PLAN, "counters of CaPFC, 2 B each", "B", NULL, NULL },
    [SCN_TAU] = { IN_PLAN, "tau", "ps", NULL, NULL },
    [SCN_STAGES] = { IN_PLAN, "stages of gfc-buffer", "stages", NULL, NULL },
    [SCN_NETWORKS] = { IN_STUDY, "networks dead", "networks", NULL, &run_facts[FACT_until_ps] },
    [SCN_COLLAPSES] = { IN_STUDY, "collapses", "networks", NULL, &run_facts[FACT_host_late_bps] },
};

enum { N_QUANTITIES = sizeof quantities / sizeof *quantities };

static const char *
name_of_fact(const struct column *fact)
{
    return fact->claim ? fact->claim : fact->name;
}

const char *
scn_claim_of(const struct scn_claim *c)
{
    return c->of == SCN_FACT ? name_of_fact(c->fact) : names_of[c->of];
}

const char *
scn_claim_words(const struct scn_claim *c)
{
    return c->of == SCN_MEASURE ? c->own->name
           : c->of != SCN_FACT  ? quantities[c->of].words
                                : name_of_fact(c->fact);
}

const char *
scn_claim_unit(const struct scn_claim *c)
{
    if (c->is_share) {
        return "yes";
    }
    if (c->against || c->of != SCN_FACT) {
        return c->against             ? "times"
               : c->of == SCN_MEASURE ? scn_measure_unit(c->own)
                                      : quantities[c->of].unit;
    }
    return c->fact->over_runs == REDUCE_RUNS ? "runs" : facts_unit(c->fact->name);
}

/* A claim while it is read. */
struct reading {
    unsigned in;
    const struct scn_node *node;
    struct scn_claim *c;
    struct resolver *resolver; /* In a study or a plan, only its member 'err' is set. */
    struct scn_study *study;   /* The study; null: the claim is not of a study. */
    struct err *err;
};

/* These functions read the quantity. */

static bool
find_quantity(unsigned in, const char *word, struct scn_claim *c)
{
    for (size_t i = 0; i < N_QUANTITIES; i++) {
        if ((quantities[i].in & in) && !strcmp(names_of[i], word)) {
            c->of = (enum scn_claim_of)i;
            c->fact = quantities[i].fact;
            return true;
        }
    }
    return false;
}

static bool
find_of(unsigned in, const char *word, bool is_of_workload, struct scn_claim *c)
{
    if (find_quantity(in, word, c)) {
        return true;
    }
    c->of = SCN_FACT;
    c->fact = in & IN_PLAN ? NULL : facts_of_claim(word, is_of_workload);
    return c->fact;
}

bool
scn_claim_read_of(const char *word, bool is_of_workload, struct scn_claim *c)
{
    return find_of(IN_STUDY, word, is_of_workload, c);
}

static size_t
list_of(unsigned in, const char *names[SCN_MAX_CLAIM_NAMES])
{
    size_t n = in & IN_PLAN ? 0 : facts_list_claims(in & IN_STUDY, names);

    for (size_t i = 0; i < N_QUANTITIES; i++) {
        if (quantities[i].in & in) {
            names[n++] = names_of[i];
        }
    }
    return n;
}

size_t
scn_claim_list_of(const char *names[SCN_MAX_CLAIM_NAMES])
{
    return list_of(IN_SCENARIO, names);
}

static bool
fail_of(const struct reading *r, const struct scn_node *n)
{
    const char *names[SCN_MAX_CLAIM_NAMES];
    char offer[200];

    text_offer(n->word, names, sizeof *names, list_of(r->in, names), offer, sizeof offer);
    return scn_fail(n, r->err, "'%s' is not a quantity that is measured%s", n->word, offer);
}

/* A claim of a scenario names the flow or queue that its quantity needs, and nothing else. */
static bool
check_of(const struct reading *r, const struct scn_node *n)
{
    static const char *const subjects[] = { "flow", "queue" };
    const struct scn_claim *c = r->c;
    const char *own = c->of == SCN_FACT ? NULL : quantities[c->of].subject;

    if (own && !scn_child(r->node, own)) {
        return scn_fail(r->node, r->err, "a claim about this quantity needs '%s'", own);
    }
    if (c->of == SCN_FACT && facts_is_of_sweeps(c->fact)) {
        return scn_fail(n, r->err, "'%s' is counted in sweeps only: claim it in a study", n->word);
    }
    for (size_t i = 0; i < 2; i++) {
        const struct scn_node *subject = scn_child(r->node, subjects[i]);
        if (subject && (!own || strcmp(own, subjects[i]))) {
            return scn_fail(subject, r->err,
                            "'%s' cannot be used with of: %s, which is about the %s", subjects[i],
                            n->word, own ? own : "whole run");
        }
    }
    return true;
}

static bool
read_of(struct reading *r, const struct scn_node *n)
{
    for (size_t i = 0; r->study && i < r->study->n_measures; i++) {
        if (!strcmp(r->study->measures[i].name, n->word)) {
            r->c->of = SCN_MEASURE;
            r->c->own = &r->study->measures[i];
            return true;
        }
    }
    bool is_known = find_of(r->in, n->word, false, r->c);
    return is_known ? !(r->in & IN_SCENARIO) || check_of(r, n) : fail_of(r, n);
}

/* Reads the workload. Whether the study's scenario has it is checked when the scenario is read. */
static bool
read_workload(struct reading *r, const struct scn_node *n)
{
    const char *of = scn_child(r->node, "of")->word;

    r->c->workload = n; /* It is set first, because a fact of runs may have the same name as a fact
                         * of workloads. */
    return ((r->c->of == SCN_FACT && find_of(r->in, of, true, r->c) &&
             facts_is_of_workload(r->c->fact)) ||
            scn_fail(n, r->err,
                     "'workload' cannot be used with of: %s, which is not about flows alone",
                     of)) &&
           (r->study || scn_find_workload(r->resolver->s, n, &r->c->group, r->err));
}

/* These functions read the subject. */

static bool
read_engine(struct reading *r, const struct scn_node *n)
{
    r->c->engine = scn_find_engine(r->resolver, n);
    return r->c->engine;
}

/* Reads the scheme of a plan. The planner checks that the scheme exists. */
static bool
read_scheme(struct reading *r, const struct scn_node *n)
{
    r->c->scheme = n->word;
    return true;
}

static bool
read_flow(struct reading *r, const struct scn_node *n)
{
    return scn_find_flow(r->resolver->s, n, &r->c->flow, r->err);
}

static bool
read_queue(struct reading *r, const struct scn_node *n)
{
    return scn_find_port(r->resolver, n,
                         "a queue, as in [S1, H1]: the queue at S1 of what comes from H1",
                         &r->c->port);
}

/* The values of an axis: "engine: pfc" selects the runs with this value, and "engine: each" makes a
 * claim for each value.  In a statement, "scenario: most" selects the value with the largest
 * result. */
static const char each[] = "each", most[] = "most";

static bool
check_value(const struct reading *r, size_t axis, const struct scn_node *n)
{
    uint64_t place;

    return scn_study_find(&r->study->axes[axis], n->word, &place) ||
           scn_fail(n, r->err, "'%s' is not among the values of '%s' that the study runs", n->word,
                    r->study->axes[axis].key);
}

static bool
read_where(struct reading *r, size_t axis, const struct scn_node *n)
{
    struct scn_claim *c = r->c;

    if (n->kind != SCN_WORD) {
        return scn_fail(n, r->err, "expected a word");
    }
    bool is_most = (r->in & IS_STATEMENT) && c->n_where && !strcmp(n->word, most);
    for (size_t i = 0; is_most && i < c->n_where; i++) {
        if (c->where[i].is_most) {
            return scn_fail(n, r->err, "a statement may have one '%s', and '%s' has it already",
                            most, r->study->axes[c->where[i].axis].key);
        }
    }
    ARRAY_PUSH(c->where, c->n_where, c->max_where) =
        (struct scn_claim_where){ .axis = axis, .value = strdup(n->word), .is_most = is_most };
    return is_most || !strcmp(n->word, each) || check_value(r, axis, n);
}

static bool
read_also(struct reading *r, const struct scn_node *n)
{
    r->c->also = n->word;
    return check_value(r, r->c->where[0].axis, n) &&
           (r->c->of == SCN_NETWORKS ||
            scn_fail(n, r->err, "'and' can be used only with of: networks"));
}

/* Reads the key `against`. A statement about a number of runs has yes or no as its published value,
 * so it cannot be compared with other runs. */
static bool
read_against(struct reading *r, const struct scn_node *n)
{
    const struct scn_claim *c = r->c;
    bool counts = c->of == SCN_NETWORKS || c->of == SCN_COLLAPSES;
    bool is_yes = c->says && c->of == SCN_FACT && c->fact->over_runs == REDUCE_RUNS;

    r->c->against = n->word; /* In a plan this is a scheme, which the planner looks up. */
    return (!r->study || check_value(r, c->where[0].axis, n)) &&
           ((!counts && !is_yes) ||
            scn_fail(n, r->err, "'against' cannot be used with %s; it compares other quantities",
                     counts ? "a number of networks" : "what is published as yes or no"));
}

/* These functions read values. */

/* The units of published values that are not plain numbers or percentages. */
static const struct {
    const char *unit;
    enum weir_kind kind;
} written[] = {
    { "bps", WEIR_RATE }, { "ps", WEIR_TIME }, { "bytes", WEIR_BYTES }, { "B", WEIR_BYTES }
};

static bool
read_number(const struct scn_node *n, const char *word, double *value, struct err *err)
{
    char *end;

    *value = strtod(word, &end);
    bool is_percent = end != word && !strcmp(end + (*end == ' '), "%");
    *value /= is_percent ? 100 : 1;
    return (end != word && (is_percent || !*end) && *value >= 0 && *value < 1e18) ||
           scn_fail(n, err, "expected a number, or a percentage as in 0.2%%");
}

/* Reads a published value, such as "5Gbps", "3ms", "0.21%", "32" or "yes".  A ratio has no unit. */
bool
scn_claim_read_value(const struct scn_node *n, const char *word, const char *unit, double *value,
                     struct err *err)
{
    struct weir_text why = { 0 };
    uint64_t whole;

    if (!strcmp(unit, "yes")) {
        bool yes = !strcmp(word, "yes");
        *value = yes ? 1 : 0;
        return yes || !strcmp(word, "no") ||
               scn_fail(n, err, "a deadlock is published as yes or no");
    }
    for (size_t i = 0; i < sizeof written / sizeof *written; i++) {
        if (!strcmp(unit, written[i].unit)) {
            bool good = weir_value_parse(written[i].kind, word, &whole, &why);
            *value = good ? (double)whole : 0;
            return good || scn_fail(n, err, "%s", why.s);
        }
    }
    return read_number(n, word, value, err);
}

/* Reads the published value. Claims of scenarios cannot have bounds, because listings and the
 * schema do not support them. */
static bool
read_published(struct reading *r, const struct scn_node *n)
{
    bool is_bound = !(r->in & IN_SCENARIO) && (n->word[0] == '<' || n->word[0] == '>');
    const struct scn_node *within = scn_child(r->node, "within");

    r->c->is_share = r->c->says && r->c->of == SCN_FACT && r->c->fact->over_runs == REDUCE_RUNS;
    r->c->sign = is_bound ? n->word[0] : '=';
    if (is_bound && within) {
        return scn_fail(within, r->err,
                        "'within' cannot be used with < or >, which have no tolerance");
    }
    return scn_claim_read_value(n, n->word + is_bound, scn_claim_unit(r->c), &r->c->published,
                                r->err);
}

static bool
read_within(struct reading *r, const struct scn_node *n)
{
    return read_number(n, n->word, &r->c->within, r->err) &&
           (r->c->within <= 1 ||
            scn_fail(n, r->err, "a tolerance is at most 1, or 100%%, of the published value"));
}

static bool
read_says(struct reading *r, const struct scn_node *n)
{
    r->c->says = n->word;
    return true;
}

static bool
read_neutral(struct reading *r, const struct scn_node *n)
{
    r->c->has_neutral = true;
    return (r->c->sign == '=' ||
            scn_fail(n, r->err, "'neutral' cannot be used with < or >, which have no direction")) &&
           scn_claim_read_value(n, n->word, scn_claim_unit(r->c), &r->c->neutral, r->err) &&
           (r->c->neutral != r->c->published ||
            scn_fail(n, r->err, "the neutral value must differ from the published one"));
}

static bool
read_than(struct reading *r, const struct scn_node *n)
{
    r->c->than = n->word;
    return ((r->c->against && r->c->n_where > 1) ||
            scn_fail(n, r->err,
                     "'than' compares two ratios: it needs 'against', and names another value of "
                     "the second key of 'over'")) &&
           check_value(r, r->c->where[1].axis, n);
}

static bool
read_why(struct reading *r, const struct scn_node *n)
{
    r->c->why = n->word;
    return true;
}

/* Ignores the key: the file that it names is already open. */
static bool
read_in(struct reading *r, const struct scn_node *n)
{
    (void)r;
    (void)n;
    return true;
}

static bool
read_source(struct reading *r, const struct scn_node *n)
{
    return scn_read_text(r->resolver, n, "a source", r->c->source, sizeof r->c->source);
}

/* The keys of claims: first those of scenarios, which the schema has, then those of other files. */
enum key {
    OF,
    WITHIN,
    ENGINE,
    PUBLISHED,
    FLOW,
    QUEUE,
    SOURCE,
    WORKLOAD,
    END,
    SCHEME,
    AND,
    AGAINST,
    SAYS,
    IN_FILE,
    NEUTRAL,
    THAN,
    WHY,
    EXPECTED
};

static const struct scn_key keys[] = {
    [OF] = { "of", SCN_QUANTITY, true, "Quantity that is measured." },
    [WITHIN] = { "within", SCN_TOLERANCE, false,
                 "Largest relative difference from the published value with which the claim still "
                 "holds: from 0 to 1, or a percentage.  Default: 0.05." },
    [ENGINE] = { "engine", SCN_ENGINE_NAME, true, "Engine that the claim is about." },
    [PUBLISHED] = { "published", SCN_PUBLISHED, true, "Value that the paper gives." },
    [FLOW] = { "flow", SCN_TEXT, false, "Name of the flow whose goodput is measured." },
    [QUEUE] = { "queue", SCN_PORT, false,
                "Queue whose length, peak or rate is measured: [S1, H1] is the queue at S1 of what "
                "comes from H1." },
    [SOURCE] = { "source", SCN_TEXT, true, "Section or figure of the paper with the value." },
    [WORKLOAD] = { "workload", SCN_TEXT, false,
                   "Workload whose flows are measured.  Left out: all flows." },
    [END] = { 0 },
    [SCHEME] = { "scheme", SCN_TEXT, true, "Scheme of `weir plan` that the claim is about." },
    [AND] = { "and", SCN_TEXT, false,
              "Another value of the key, which must give the same networks." },
    [AGAINST] = { "against", SCN_TEXT, false, "Value that the quantity is compared with." },
    [SAYS] = { "says", SCN_TEXT, true, "Statement of the paper, in a sentence." },
    [IN_FILE] = { "in", SCN_TEXT, true, "Study or plan in which the statement is measured." },
    [NEUTRAL] = { "neutral", SCN_TEXT, false,
                  "Value that would be measured without the effect that the paper claims." },
    [THAN] = { "than", SCN_TEXT, false,
               "Value of the second axis whose ratio is the divisor of this ratio." },
    [WHY] = { "why", SCN_TEXT, false, "Reason for a difference, in a line." },
    [EXPECTED] = { "expected", SCN_TEXT, false,
                   "Expected value that no paper gives, such as the fair share." },
};

static const struct weir_field no_fields[] = { { 0 } };
const struct scn_table scn_claim_table = { .name = "claim", .fields = no_fields, .keys = keys };

/* Readers in the order of reading: the quantity comes early, because it decides which other keys
 * are valid. */
static const struct reader {
    enum key key;
    unsigned in;
    bool (*read)(struct reading *, const struct scn_node *);
} readers[] = {
    { SAYS, IS_STATEMENT, read_says },
    { IN_FILE, IS_STATEMENT, read_in },
    { WHY, IS_STATEMENT, read_why },
    { OF, IN_ANY, read_of },
    { WITHIN, IN_ANY, read_within },
    { ENGINE, IN_SCENARIO, read_engine },
    { SCHEME, IN_PLAN, read_scheme },
    { WORKLOAD, IN_SCENARIO | IN_STUDY, read_workload },
    { AND, IN_STUDY, read_also },
    { AGAINST, IN_STUDY | IN_PLAN, read_against },
    { THAN, IS_STATEMENT, read_than },
    { PUBLISHED, IN_ANY, read_published },
    { NEUTRAL, IS_STATEMENT, read_neutral },
    { EXPECTED, IS_ROW, read_published },
    { FLOW, IN_SCENARIO, read_flow },
    { QUEUE, IN_SCENARIO, read_queue },
    { SOURCE, IN_ANY, read_source },
};

enum { N_READERS = sizeof readers / sizeof *readers };

/* Lists the names of keys that claims of a file have. */
static size_t
list_keys(unsigned in, const char **names)
{
    size_t n = 0;

    for (size_t i = 0; i < N_READERS; i++) {
        if (readers[i].in & in) {
            names[n++] = keys[readers[i].key].name;
        }
    }
    return n;
}

static bool
is_key(unsigned in, const char *name)
{
    const char *names[N_READERS];
    size_t n = list_keys(in, names);

    return text_find(name, names, sizeof *names, n) < n;
}

bool
scn_study_is_claim_key(const char *name)
{
    return is_key(IN_STUDY | IS_ROW, name);
}

static bool
fail_key(const struct reading *r, const struct scn_node *n)
{
    const char *names[N_READERS];
    char offer[200];

    text_offer(n->key, names, sizeof *names, list_keys(r->in, names), offer, sizeof offer);
    return scn_fail_key(n, r->err, "unknown key '%s'%s%s", n->key, offer,
                        r->study ? "; keys of 'over' can be used here, too" : "");
}

/* Reads a key that is not in the table: an axis of the study, or a mistake. */
static bool
read_other_key(struct reading *r, const struct scn_node *n)
{
    const struct scn_study_axis *axis = r->study ? scn_study_axis(r->study, n->key) : NULL;

    return is_key(r->in, n->key) ||
           (axis ? read_where(r, (size_t)(axis - r->study->axes), n) : fail_key(r, n));
}

/* Checks that a row has either the published value or an expected value. */
static bool
check_value_keys(const struct reading *r)
{
    const struct scn_node *expected = scn_child(r->node, keys[EXPECTED].name);

    return !(r->in & IS_ROW) || !expected || !scn_child(r->node, keys[PUBLISHED].name) ||
           scn_fail(expected, r->err, "a claim has either 'published' or 'expected'");
}

static bool
read_key(struct reading *r, const struct reader *reader)
{
    const struct scn_key *k = &keys[reader->key];
    const struct scn_node *n = scn_child(r->node, k->name);
    bool is_expected =
        reader->key == PUBLISHED && (r->in & IS_ROW) && scn_child(r->node, keys[EXPECTED].name);

    if (!n) {
        return !k->is_needed || is_expected ||
               scn_fail(r->node, r->err, "a claim needs '%s'", k->name);
    }
    return n->kind == SCN_WORD || k->shape == SCN_PORT ? reader->read(r, n)
                                                       : scn_fail(n, r->err, "expected a word");
}

static bool
read_claim(struct reading *r)
{
    bool good =
        r->node->kind == SCN_MAP ||
        scn_fail(r->node, r->err, "expected a claim, as in {of: ..., published: ..., source: ...}");

    *r->c = (struct scn_claim){ .within = r->in & IN_PLAN ? 0 : 0.05 };
    for (size_t i = 0; good && i < r->node->n_children; i++) {
        good = read_other_key(r, r->node->children[i]);
    }
    if (good && r->study && !r->c->n_where) {
        return scn_fail(r->node, r->err,
                        "a claim needs a key of 'over' that says which runs it is about, as in "
                        "engine: pfc");
    }
    good = good && check_value_keys(r);
    for (size_t i = 0; good && i < N_READERS; i++) {
        good = !(readers[i].in & r->in) || read_key(r, &readers[i]);
    }
    return good;
}

bool
scn_read_claim(struct resolver *r, const struct scn_node *n)
{
    struct scn_claim *c = &ARRAY_PUSH(r->s->claims, r->s->n_claims, r->s->max_claims);
    bool good = read_claim(&(struct reading){ IN_SCENARIO, n, c, r, NULL, r->err });

    /* The node is freed with the tree; from now on 'group' identifies the workload. */
    c->workload = NULL;
    c->place = scn_place_of(r, n);
    return good;
}

static bool
read_plan_claim(unsigned in, const struct scn_node *n, struct scn_claim *c, struct err *err)
{
    struct resolver r = { .err = err };

    return read_claim(&(struct reading){ in, n, c, &r, NULL, err });
}

bool
scn_read_plan_claim(const struct scn_node *n, struct scn_claim *c, struct err *err)
{
    return read_plan_claim(IN_PLAN | IS_ROW, n, c, err);
}

bool
scn_read_plan_statement(const struct scn_node *n, struct scn_claim *c, struct err *err)
{
    return read_plan_claim(IN_PLAN | IS_STATEMENT, n, c, err);
}

/* These functions expand claims that are made for each value of an axis. */

static void
free_claim(struct scn_claim *c)
{
    for (size_t i = 0; i < c->n_where; i++) {
        free(c->where[i].value);
    }
    free(c->where);
}

static struct scn_claim
copy_claim(const struct scn_claim *c)
{
    struct scn_claim copy = *c;

    copy.where = array_new(copy.max_where = c->n_where, sizeof *copy.where);
    for (size_t i = 0; i < c->n_where; i++) {
        copy.where[i] = (struct scn_claim_where){ .axis = c->where[i].axis,
                                                  .value = strdup(c->where[i].value) };
    }
    return copy;
}

/* The index of the first condition with "each"; n_where if there is none. */
static size_t
find_each(const struct scn_study *s, const struct scn_claim *c)
{
    size_t i = 0;
    uint64_t place;

    while (i < c->n_where && (strcmp(c->where[i].value, each) ||
                              scn_study_find(&s->axes[c->where[i].axis], each, &place))) {
        i++;
    }
    return i;
}

/* Expands a claim into one claim for each value; a value is not compared with itself. */
static void
expand(struct scn_study *s, const struct scn_claim *c)
{
    size_t at = find_each(s, c);

    if (at == c->n_where) {
        ARRAY_PUSH(s->claims, s->n_claims, s->max_claims) = copy_claim(c);
        return;
    }
    const struct scn_study_axis *axis = &s->axes[c->where[at].axis];
    for (uint64_t place = 0; place < axis->n && s->n_claims < MAX_CLAIMS; place++) {
        struct scn_claim one = copy_claim(c);
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
    struct resolver r = { .err = err };
    bool good = true;

    for (size_t i = 0; good && s->claims_node && i < s->claims_node->n_children; i++) {
        const struct scn_node *n = s->claims_node->children[i];
        struct scn_claim c;
        good = read_claim(&(struct reading){ IN_STUDY | IS_ROW, n, &c, &r, s, err });
        if (good) {
            expand(s, &c);
            good = s->n_claims < MAX_CLAIMS ||
                   scn_fail(n, err, "a study may have at most %d claims", MAX_CLAIMS - 1);
        }
        free_claim(&c);
    }
    return good;
}

/* A statement is about certain runs under one arbitration, so it cannot be a claim for each
 * value. */
static bool
add_statement(struct scn_study *s, const struct scn_node *n, struct err *err)
{
    static const char arbitration[] = "switch.arbitration";
    struct resolver r = { .err = err };
    struct scn_claim *c = &ARRAY_PUSH(s->claims, s->n_claims, s->max_claims);
    bool good = read_claim(&(struct reading){ IN_STUDY | IS_STATEMENT, n, c, &r, s, err });

    if (good && scn_study_axis(s, arbitration) && !scn_child(n, arbitration)) {
        return scn_fail(n, err, "the study varies '%s', so the statement must name one",
                        arbitration);
    }
    return good &&
           (find_each(s, c) == c->n_where ||
            scn_fail(n, err, "a statement is about one value of each key, not about '%s'", each));
}

bool
scn_study_take_statements(struct scn_study *s, const struct scn_statements *statements,
                          struct err *err)
{
    bool good = true;

    scn_study_free_claims(s);
    s->claims = NULL;
    s->n_claims = s->max_claims = 0;
    for (size_t i = 0; i < statements->n && good; i++) {
        good = add_statement(s, statements->items[i], err);
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
