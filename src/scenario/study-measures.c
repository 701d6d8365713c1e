/* A study's own measures: what is looked at in each run, of which flows or port, from when until
 * when.
 *
 *     measure:
 *       victim: {of: raw, flow: f1, from: 60ms, until: 150ms}          a mean, in bits per second
 *       unfair: {of: raw, flow: [f2, f3, f4], among: spread, from: 60ms}
 *       queue:  {of: queue, port: [S1, H1], as: most}
 *       pauses: {of: paused, port: [H1, S1], from: 10ms, as: lasts}    until the last one
 *       part:   {of: raw, flow: f1, per: victim}
 *       small:  {of: slowdown, at_least: 1KB, under: 10KB, as: p99}     of all flows of these sizes
 */

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "scenario/resolver.h"
#include "scenario/study.h"

const struct scn_quantity_about scn_quantities[SCN_N_QUANTITIES] = {
    [SCN_OF_SENT] = { "sent", SCN_COUNT, "bps", "bytes", true, false },
    [SCN_OF_RAW] = { "raw", SCN_COUNT, "bps", "bytes", true, false },
    [SCN_OF_RECEIVED] = { "received", SCN_COUNT, "bps", "bytes", true, false },
    [SCN_OF_LIMIT] = { "limit", SCN_LEVEL, "bps", NULL, true, false },
    [SCN_OF_MESSAGES] = { "messages", SCN_COUNT, "per second", "messages", true, false },
    [SCN_OF_HELD] = { "held", SCN_LEVEL, "bytes", NULL, true, true },
    [SCN_OF_PAUSED] = { "paused", SCN_COUNT, "share", "ps", false, true },
    [SCN_OF_QUEUE] = { "queue", SCN_LEVEL, "bytes", NULL, false, true },
    [SCN_OF_OUTPUT] = { "output", SCN_LEVEL, "bytes", NULL, false, true },
    [SCN_OF_FCT] = { "fct", SCN_ENDED, "ps", NULL, false, false },
    [SCN_OF_SLOWDOWN] = { "slowdown", SCN_ENDED, "times", NULL, false, false },
};

/* And the kinds of quantities that each can be made of. */
static const struct {
    const char *name;
    unsigned of;
} ways[SCN_N_AS] = {
    { "mean", SCN_LEVEL | SCN_COUNT | SCN_ENDED },
    { "total", SCN_COUNT },
    { "least", SCN_LEVEL | SCN_ENDED },
    { "most", SCN_LEVEL | SCN_ENDED },
    { "lasts", SCN_LEVEL | SCN_COUNT },
    { "p50", SCN_ENDED },
    { "p95", SCN_ENDED },
    { "p99", SCN_ENDED },
};
static const char *const amongs[SCN_N_AMONG] = { "mean", "sum", "least", "most", "spread" };

const char *
scn_measure_unit(const struct scn_study_measure *m)
{
    const struct scn_quantity_about *q = &scn_quantities[m->of];

    return scn_child(m->node, "per") ? "times"
           : m->as == SCN_AS_LASTS   ? "ps"
           : m->as == SCN_AS_TOTAL   ? q->total_unit
                                     : q->mean_unit;
}

/* The number of a word among some; as many as there are, with the reason: it is none of them. */
static size_t
find_word(const struct scn_node *n, const char *const *words, size_t stride, size_t n_words,
          const char *what, struct err *err)
{
    char offer[200];
    size_t i = 0;

    while (i < n_words &&
           strcmp(*(const char *const *)((const char *)words + i * stride), n->word)) {
        i++;
    }
    if (i == n_words) {
        text_offer(n->word, words, stride, n_words, offer, sizeof offer);
        scn_fail(n, err, "'%s' is not %s%s", n->word, what, offer);
    }
    return i;
}

static bool
read_of(struct scn_study *s, const struct scn_node *n, struct scn_study_measure *m, struct err *err)
{
    (void)s;
    m->of = (enum scn_quantity)find_word(n, &scn_quantities[0].name, sizeof scn_quantities[0],
                                         SCN_N_QUANTITIES, "a quantity that can be measured", err);
    return m->of < SCN_N_QUANTITIES;
}

static bool
read_as(struct scn_study *s, const struct scn_node *n, struct scn_study_measure *m, struct err *err)
{
    (void)s;
    m->as = (enum scn_as)find_word(n, &ways[0].name, sizeof ways[0], SCN_N_AS,
                                   "something that is made of samples or flows", err);
    return m->as < SCN_N_AS;
}

static bool
read_among(struct scn_study *s, const struct scn_node *n, struct scn_study_measure *m,
           struct err *err)
{
    (void)s;
    m->among = (enum scn_among)find_word(n, amongs, sizeof *amongs, SCN_N_AMONG,
                                         "something that is made of several flows", err);
    return m->among < SCN_N_AMONG;
}

static bool
read_value(const struct scn_node *n, enum weir_kind kind, uint64_t *value, struct err *err)
{
    struct weir_text why = { 0 };

    return weir_value_parse(kind, n->word, value, &why) || scn_fail(n, err, "%s", why.s);
}

static bool
read_from(struct scn_study *s, const struct scn_node *n, struct scn_study_measure *m,
          struct err *err)
{
    uint64_t ps = 0;
    bool good = read_value(n, WEIR_TIME, &ps, err);

    (void)s;
    m->from_ps = (weir_ps)ps;
    return good;
}

static bool
read_until(struct scn_study *s, const struct scn_node *n, struct scn_study_measure *m,
           struct err *err)
{
    uint64_t ps = 0;
    bool good = read_value(n, WEIR_TIME, &ps, err);

    (void)s;
    m->until_ps = (weir_ps)ps;
    return good;
}

static bool
read_under(struct scn_study *s, const struct scn_node *n, struct scn_study_measure *m,
           struct err *err)
{
    (void)s;
    return read_value(n, WEIR_BYTES, &m->under_bytes, err);
}

static bool
read_least(struct scn_study *s, const struct scn_node *n, struct scn_study_measure *m,
           struct err *err)
{
    (void)s;
    return read_value(n, WEIR_BYTES, &m->least_bytes, err);
}

/* Whether the scenario has it is seen when that is read. */
static bool
read_workload(struct scn_study *s, const struct scn_node *n, struct scn_study_measure *m,
              struct err *err)
{
    (void)s, (void)err;
    m->workload = n;
    return true;
}

static bool
read_dport(struct scn_study *s, const struct scn_node *n, struct scn_study_measure *m,
           struct err *err)
{
    (void)s;
    return read_value(n, WEIR_COUNT, &m->dport, err);
}

static bool
read_per(struct scn_study *s, const struct scn_node *n, struct scn_study_measure *m,
         struct err *err)
{
    for (m->per = 0; m->per < s->n_measures; m->per++) {
        if (!strcmp(s->measures[m->per].name, n->word)) {
            return true;
        }
    }
    return scn_fail(n, err, "no measure '%s' stands before this one", n->word);
}

/* Which they are is seen when a scenario is there. */
static bool
read_flows(struct scn_study *s, const struct scn_node *n, struct scn_study_measure *m,
           struct err *err)
{
    (void)s;
    m->flows = n;
    return n->kind == SCN_WORD || (n->n_children && n->n_children <= SCN_MAX_MEASURED) ||
           scn_fail(n, err, "a measure looks at one flow or more, and at most %d",
                    SCN_MAX_MEASURED);
}

static bool
read_port(struct scn_study *s, const struct scn_node *n, struct scn_study_measure *m,
          struct err *err)
{
    (void)s, (void)err;
    m->port = n;
    return true;
}

static const struct {
    const char *name;
    bool (*read)(struct scn_study *, const struct scn_node *, struct scn_study_measure *,
                 struct err *);
    bool may_be_list;
} keys[] = {
    { "of", read_of, false },
    { "as", read_as, false },
    { "among", read_among, false },
    { "from", read_from, false },
    { "until", read_until, false },
    { "under", read_under, false },
    { "per", read_per, false },
    { "flow", read_flows, true },
    { "port", read_port, true },
    { "at_least", read_least, false },
    { "workload", read_workload, false },
    { "dport", read_dport, false },
};

enum { N_KEYS = sizeof keys / sizeof *keys };

static bool
read_key(struct scn_study *s, const struct scn_node *n, struct scn_study_measure *m,
         struct err *err)
{
    char offer[200];

    for (size_t i = 0; i < N_KEYS; i++) {
        if (!strcmp(keys[i].name, n->key)) {
            return n->kind == SCN_WORD || (n->kind == SCN_LIST && keys[i].may_be_list)
                       ? keys[i].read(s, n, m, err)
                       : scn_fail(n, err, "expected a word");
        }
    }
    text_offer(n->key, &keys[0].name, sizeof keys[0], N_KEYS, offer, sizeof offer);
    return scn_fail_key(n, err, "unknown key '%s'%s", n->key, offer);
}

/* What does not go together. */

static bool
check_way(const struct scn_node *n, const struct scn_study_measure *m, struct err *err)
{
    static const char *const is[] = { [SCN_LEVEL] = "rises and falls",
                                      [SCN_COUNT] = "only rises",
                                      [SCN_ENDED] = "is a time that each flow has" };
    const struct scn_quantity_about *q = &scn_quantities[m->of];
    char others[60] = "";
    size_t len = 0;

    if (ways[m->as].of & q->kind) {
        return true;
    }
    for (size_t i = 0; i < SCN_N_AS; i++) {
        if (ways[i].of & q->kind) {
            len += (size_t)snprintf(others + len, sizeof others - len, "%s%s", len ? ", " : "",
                                    ways[i].name);
        }
    }
    return scn_fail(scn_child(n, "as"), err, "'%s' %s, so it has no '%s'; expected one of: %s",
                    q->name, is[q->kind], ways[m->as].name, others);
}

/* Keys that go only with some quantities. */
static bool
check_bounds(const struct scn_node *n, const struct scn_study_measure *m, struct err *err)
{
    static const char *const of_flows[] = { "at_least", "workload", "dport" };
    static const char *const of_samples[] = { "from", "until", "among" };
    enum scn_quantity_kind kind = scn_quantities[m->of].kind;
    const struct scn_node *under = scn_child(n, "under");
    bool has_bound = m->as == SCN_AS_LASTS && kind == SCN_LEVEL;

    for (size_t i = 0; i < 3; i++) {
        const char *key = kind == SCN_ENDED ? of_samples[i] : of_flows[i];
        if (scn_child(n, key)) {
            return scn_fail(scn_child(n, key), err, "'%s' does not go with of: %s", key,
                            scn_quantities[m->of].name);
        }
    }
    if (kind != SCN_ENDED && has_bound != !!under) {
        return scn_fail(under ? under : scn_child(n, "as"), err,
                        "'under' is needed by a queue that lasts, may stand beside sizes of "
                        "flows, and means nothing elsewhere");
    }
    return m->least_bytes < m->under_bytes || kind != SCN_ENDED ||
           scn_fail(under, err, "'under' must be more than 'at_least'");
}

static bool
check(const struct scn_node *n, const struct scn_study_measure *m, struct err *err)
{
    const struct scn_quantity_about *q = &scn_quantities[m->of];

    if (!scn_child(n, "of")) {
        return scn_fail(n, err, "a measure needs 'of', the quantity that is measured");
    }
    if (!m->flows != !q->is_of_flows || !m->port != !q->is_of_port) {
        return scn_fail(n, err, "a measure of '%s' needs %s", q->name,
                        q->kind == SCN_ENDED ? "neither 'flow' nor 'port': it is of all flows"
                        : !q->is_of_port     ? "'flow', and no 'port'"
                        : !q->is_of_flows    ? "'port', and no 'flow'"
                                             : "both 'flow' and 'port'");
    }
    return check_way(n, m, err) && check_bounds(n, m, err) &&
           (m->from_ps < m->until_ps ||
            scn_fail(scn_child(n, "until"), err, "'until' must be later than 'from'"));
}

static bool
read_measure(struct scn_study *s, const struct scn_node *n, struct err *err)
{
    struct scn_study_measure *m = &s->measures[s->n_measures];

    *m = (struct scn_study_measure){ .name = n->key,
                                     .node = n,
                                     .until_ps = WEIR_NEVER,
                                     .under_bytes = UINT64_MAX,
                                     .dport = UINT64_MAX,
                                     .per = s->n_measures };
    for (int i = 0; i < SCN_N_MEASURES; i++) {
        if (!strcmp(scn_measures[i].name, n->key)) {
            return scn_fail_key(n, err, "every run has '%s' already; choose another name", n->key);
        }
    }
    if (n->kind != SCN_MAP) {
        return scn_fail(n, err, "expected a measure, as in {of: sent, flow: f1, from: 10ms}");
    }
    for (size_t i = 0; i < n->n_children; i++) {
        if (!read_key(s, n->children[i], m, err)) {
            return false;
        }
    }
    s->n_measures++;
    return check(n, m, err);
}

bool
scn_study_read_measures(struct scn_study *s, const struct scn_node *n, struct err *err)
{
    bool good = n->kind == SCN_MAP ||
                scn_fail(n, err,
                         "expected names and what each measures, as in {victim: {of: sent, "
                         "flow: f1}}");

    for (size_t i = 0; good && i < n->n_children; i++) {
        good = i < SCN_MAX_MEASURES
                   ? read_measure(s, n->children[i], err)
                   : scn_fail_key(n->children[i], err, "a study may have at most %d measures",
                                  SCN_MAX_MEASURES);
    }
    return good;
}

/* Of a scenario. */

static bool
bind_flow(const struct scenario *s, const struct scn_node *n, uint32_t *flow, struct err *err)
{
    char room[SCN_NAME_BYTES];

    for (size_t i = 0; n->kind == SCN_WORD && i < s->n_flows; i++) {
        if (!strcmp(scn_flow_name(s, i, room), n->word)) {
            *flow = (uint32_t)i;
            return true;
        }
    }
    return scn_fail(n, err, "the scenario has no flow of this name");
}

static bool
bind_port(const struct scenario *s, const struct scn_node *n, uint32_t *port, struct err *err)
{
    struct resolver r = { .s = (struct scenario *)s, .err = err }; /* Which it only reads. */

    return scn_find_port(&r, n, "a port, as in [S1, H1]: the port of S1 towards H1", port);
}

bool
scn_study_bind(const struct scn_study_measure *m, const struct scenario *s,
               struct scn_study_subject *to, struct err *err)
{
    bool is_list = m->flows && m->flows->kind == SCN_LIST;
    bool good = !m->port || bind_port(s, m->port, &to->port, err);

    to->n = is_list ? m->flows->n_children : 1;
    for (size_t i = 0; good && m->flows && i < to->n; i++) {
        good = bind_flow(s, is_list ? m->flows->children[i] : m->flows, &to->flows[i], err);
    }
    return good;
}
