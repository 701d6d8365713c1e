/* Reads a study's own measures: quantities of flows or of a port in each run, between two times.
 *
 *     measure:
 *       victim: {of: raw, flow: f1, from: 60ms, until: 150ms}          a mean, in bits per second
 *       unfair: {of: raw, flow: [f2, f3, f4], among: spread, from: 60ms}
 *       queue:  {of: queue, port: [S1, H1], as: most}
 *       pauses: {of: paused, port: [H1, S1], from: 10ms, as: lasts}    until the last one
 *       part:   {of: raw, flow: f1, per: victim}
 *       small:  {of: slowdown, workload: rpc, sizes: [0B, 10KB], as: p95}
 *       hot:    {of: output, workload: incast, as: p50}                at the ports to its hosts */

#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "scenario/resolver.h"
#include "scenario/study.h"

const struct scn_quantity_about scn_quantities[SCN_N_QUANTITIES] = {
    [SCN_OF_SENT] = { "sent", "bps", "bytes", .is_of_flows = true },
    [SCN_OF_RAW] = { "raw", "bps", "bytes", .is_of_flows = true },
    [SCN_OF_RECEIVED] = { "received", "bps", "bytes", .is_of_flows = true },
    [SCN_OF_LIMIT] = { "limit", "bps", NULL, .is_of_flows = true },
    [SCN_OF_MESSAGES] = { "messages", "per second", "messages", .is_of_flows = true },
    [SCN_OF_HELD] = { "held", "bytes", NULL, .is_of_flows = true, .is_of_port = true },
    [SCN_OF_PAUSED] = { "paused", "share", "ps", .is_of_port = true },
    [SCN_OF_RATE] = { "rate", "bps", NULL, .is_of_port = true },
    [SCN_OF_CONTROL] = { "control", "share", "ps", .is_of_port = true },
    [SCN_OF_QUEUE] = { "queue", "bytes", NULL, .is_of_port = true },
    [SCN_OF_OUTPUT] = { "output", "bytes", NULL, .is_of_port = true, .may_be_received = true },
    [SCN_OF_BUFFER] = { "buffer", "bytes", NULL, .is_of_port = true },
    [SCN_OF_SLOWDOWN] = { "slowdown", "times", NULL, .is_of_ended = true },
    [SCN_OF_FCT] = { "fct", "ps", NULL, .is_of_ended = true },
    [SCN_OF_FEEDBACK] = { "feedback", "share", NULL, .is_of_run = true },
};

static const char *const ways[SCN_N_AS_WORDS] = { "mean", "total", "least", "most", "lasts" };
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

/* A measure while it is read. */
struct reading {
    const struct scn_study *s;
    const struct scn_node *n;
    struct scn_study_measure *m;
    struct err *err;
};

/* The index of a word in a list; the length of the list, with an error, if it is not there. */
static size_t
find_word(const struct reading *r, const char *const *words, size_t stride, size_t n_words,
          const char *what)
{
    size_t i = text_find(r->n->word, words, stride, n_words);
    char offer[200];

    if (i == n_words) {
        text_offer(r->n->word, words, stride, n_words, offer, sizeof offer);
        scn_fail(r->n, r->err, "'%s' is not %s%s", r->n->word, what, offer);
    }
    return i;
}

static bool
read_of(struct reading *r)
{
    r->m->of =
        (enum scn_quantity)find_word(r, &scn_quantities[0].name, sizeof scn_quantities[0],
                                     SCN_N_QUANTITIES, "a quantity that can be measured in a run");
    return r->m->of < SCN_N_QUANTITIES;
}

/* Whether a word is a percentile, such as "p95" or "p99.9". */
static bool
is_percentile(const char *word, uint32_t *thousandths)
{
    const char *digits = word + (word[0] == 'p');
    size_t n_digits = strspn(digits, "0123456789"), n_more = 0;
    const char *rest = digits + n_digits;

    *thousandths = 10 * (uint32_t)strtoul(digits, NULL, 10);
    if (rest[0] == '.' && rest[1] >= '0' && rest[1] <= '9') {
        *thousandths += (uint32_t)(rest[1] - '0');
        n_more = 2;
    }
    return digits > word && n_digits > 0 && n_digits < 3 && !rest[n_more] && *thousandths > 0;
}

static bool
read_as(struct reading *r)
{
    if (is_percentile(r->n->word, &r->m->thousandths)) {
        r->m->as = SCN_AS_PERCENTILE;
        return true;
    }
    r->m->as =
        (enum scn_as)find_word(r, ways, sizeof *ways, SCN_N_AS_WORDS,
                               "a way to sum up a measure, or a percentile from p0.1 to p99.9");
    return r->m->as < SCN_N_AS_WORDS;
}

static bool
read_among(struct reading *r)
{
    r->m->among = (enum scn_among)find_word(r, amongs, sizeof *amongs, SCN_N_AMONG,
                                            "a quantity of several flows");
    return r->m->among < SCN_N_AMONG;
}

static bool
read_value(const struct scn_node *n, enum weir_kind kind, uint64_t *value, struct err *err)
{
    struct weir_text why = { 0 };

    return weir_value_parse(kind, n->word, value, &why) || scn_fail(n, err, "%s", why.s);
}

static bool
read_time(const struct reading *r, weir_ps *time_ps)
{
    uint64_t ps = 0;
    bool good = read_value(r->n, WEIR_TIME, &ps, r->err);

    *time_ps = (weir_ps)ps;
    return good;
}

static bool
read_from(struct reading *r)
{
    return read_time(r, &r->m->from_ps);
}

static bool
read_until(struct reading *r)
{
    return read_time(r, &r->m->until_ps);
}

/* Accepts the key without reading its value: the unit of the bound depends on the quantity, which
 * may come later. */
static bool
read_under(struct reading *r)
{
    (void)r;
    return true;
}

static bool
read_per(struct reading *r)
{
    r->m->per =
        text_find(r->n->word, &r->s->measures[0].name, sizeof r->s->measures[0], r->s->n_measures);
    return r->m->per < r->s->n_measures ||
           scn_fail(r->n, r->err, "no measure '%s' comes before this one", r->n->word);
}

static bool
check_flows(const struct scn_node *n, struct err *err)
{
    return n->kind == SCN_WORD || (n->n_children && n->n_children <= SCN_MAX_MEASURED) ||
           scn_fail(n, err, "a measure looks at one flow or more, and at most %d",
                    SCN_MAX_MEASURED);
}

/* Reads the flows of a measure. Their number is checked when a scenario is read. */
static bool
read_flows(struct reading *r)
{
    r->m->flows = r->n;
    return check_flows(r->n, r->err);
}

static bool
read_port(struct reading *r)
{
    r->m->port = r->n;
    return true;
}

/* Reads the workload of a measure. Whether the scenario has this workload is checked when the
 * scenario is read. */
static bool
read_workload(struct reading *r)
{
    r->m->workload = r->n;
    return true;
}

static bool
read_sizes(struct reading *r)
{
    const struct scn_node *n = r->n;
    uint64_t *const bounds[] = { &r->m->min_bytes, &r->m->max_bytes };
    bool good = n->kind == SCN_LIST && (n->n_children == 1 || n->n_children == 2);

    for (size_t i = 0; good && i < n->n_children; i++) {
        good = n->children[i]->kind == SCN_WORD;
    }
    if (!good) {
        return scn_fail(n, r->err,
                        "expected sizes as in [10KB, 100KB]: 10 KB and more, but less than "
                        "100 KB; or as in [1MB]: 1 MB and more");
    }
    for (size_t i = 0; good && i < n->n_children; i++) {
        good = read_value(n->children[i], WEIR_BYTES, bounds[i], r->err);
    }
    if (good && r->m->min_bytes >= r->m->max_bytes) {
        return scn_fail(n->children[n->n_children - 1], r->err,
                        "the second size must be more than the first");
    }
    return good;
}

static bool
read_dport(struct reading *r)
{
    return read_value(r->n, WEIR_COUNT, &r->m->dport, r->err) &&
           (r->m->dport <= UINT16_MAX ||
            scn_fail(r->n, r->err, "%s is not a port; expected 0 to %d", r->n->word, UINT16_MAX));
}

static const struct {
    const char *name;
    bool (*read)(struct reading *);
    bool may_be_list;
} keys[] = {
    { "of", read_of, false },       { "as", read_as, false },
    { "among", read_among, false }, { "from", read_from, false },
    { "until", read_until, false }, { "under", read_under, false },
    { "per", read_per, false },     { "flow", read_flows, true },
    { "port", read_port, true },    { "workload", read_workload, false },
    { "sizes", read_sizes, true },  { "dport", read_dport, false },
};

enum { N_KEYS = sizeof keys / sizeof *keys };

static bool
read_key(struct reading *r)
{
    size_t k = scn_find_key(r->n, &keys[0].name, sizeof keys[0], N_KEYS, r->err);

    if (k == N_KEYS) {
        return false;
    }
    return r->n->kind == SCN_WORD || (r->n->kind == SCN_LIST && keys[k].may_be_list)
               ? keys[k].read(r)
               : scn_fail(r->n, r->err, "expected a word");
}

/* Checks a measure of the whole run, which must be a percentile over all ports and intervals. */
static bool
check_of_run(const struct scn_node *n, const struct scn_study_measure *m, struct err *err)
{
    const struct scn_node *from = scn_child(n, "from"), *until = scn_child(n, "until");
    const char *name = scn_quantities[m->of].name;

    if (from || until) {
        return scn_fail(from ? from : until, err, "'%s' is measured over the whole run", name);
    }
    return m->as == SCN_AS_PERCENTILE ||
           scn_fail(scn_child_or_map(n, "as"), err,
                    "a measure of '%s' needs a percentile, as in as: p99", name);
}

static bool
check_bound(const struct scn_node *n, struct scn_study_measure *m, struct err *err)
{
    const struct scn_quantity_about *q = &scn_quantities[m->of];
    const struct scn_node *as = scn_child(n, "as"), *under = scn_child(n, "under");
    bool is_rate = !strcmp(q->mean_unit, "bps");

    if ((m->as == SCN_AS_LASTS && !q->total_unit) != !!under) {
        return scn_fail(under ? under : as, err,
                        "'under' is needed for a queue or a limit with as: lasts, and cannot be "
                        "used otherwise");
    }
    return !under || read_value(under, is_rate ? WEIR_RATE : WEIR_BYTES, &m->under, err);
}

/* Refuses combinations of keys that do not fit the quantity. */
static bool
check_way(const struct scn_node *n, struct scn_study_measure *m, struct err *err)
{
    bool is_count = scn_quantities[m->of].total_unit;
    const struct scn_node *as = scn_child(n, "as");

    if (is_count && (m->as == SCN_AS_LEAST || m->as == SCN_AS_MOST || m->as == SCN_AS_PERCENTILE)) {
        return scn_fail(as, err, "'%s' only rises, so it has no %s; expected mean, total or lasts",
                        scn_quantities[m->of].name, as->word);
    }
    if (!is_count && m->as == SCN_AS_TOTAL) {
        return scn_fail(as, err, "'%s' rises and falls, so it has no total",
                        scn_quantities[m->of].name);
    }
    if (scn_quantities[m->of].is_of_ended && m->as == SCN_AS_LASTS) {
        return scn_fail(as, err, "'%s' is one value for each flow, and does not last",
                        scn_quantities[m->of].name);
    }
    return check_bound(n, m, err) &&
           (m->from_ps < m->until_ps ||
            scn_fail(scn_child(n, "until"), err, "'until' must be later than 'from'"));
}

static const char *
needs_of(const struct scn_quantity_about *q)
{
    return q->is_of_ended || q->is_of_run    ? "neither 'flow' nor 'port'"
           : q->may_be_received              ? "either 'port' or 'workload', and no 'flow'"
           : q->is_of_port && q->is_of_flows ? "both 'flow' and 'port'"
           : q->is_of_port                   ? "'port', and no 'flow'"
                                             : "'flow', and no 'port'";
}

static bool
has_subject(const struct scn_study_measure *m, const struct scn_quantity_about *q)
{
    bool is_received = q->may_be_received && m->workload;

    return !m->flows == !q->is_of_flows && !m->port == (!q->is_of_port || is_received);
}

/* Checks keys that only some quantities have. */
static bool
check_keys(const struct scn_node *n, const struct scn_study_measure *m, struct err *err)
{
    const struct scn_quantity_about *q = &scn_quantities[m->of];
    const struct scn_node *sizes = scn_child(n, "sizes"), *dport = scn_child(n, "dport");
    const struct scn_node *among = scn_child(n, "among"), *of_ended = sizes ? sizes : dport;

    if (m->workload && !q->is_of_ended && !q->may_be_received) {
        return scn_fail(m->workload, err,
                        "'workload' can be used with slowdown, fct and output, not with '%s'",
                        q->name);
    }
    if (of_ended && !q->is_of_ended) {
        return scn_fail(of_ended, err, "'%s' can be used with slowdown and fct, not with '%s'",
                        of_ended->key, q->name);
    }
    return !among || q->is_of_flows ||
           scn_fail(among, err, "'among' is for measures that list flows; '%s' does not", q->name);
}

static bool
check(const struct scn_node *n, struct scn_study_measure *m, struct err *err)
{
    const struct scn_quantity_about *q = &scn_quantities[m->of];

    if (!scn_child(n, "of")) {
        return scn_fail(n, err, "a measure needs 'of', the quantity that is measured");
    }
    return check_keys(n, m, err) &&
           (has_subject(m, q) ||
            scn_fail(n, err, "a measure of '%s' needs %s", q->name, needs_of(q))) &&
           (!q->is_of_run || check_of_run(n, m, err)) && check_way(n, m, err);
}

static bool
read_measure(struct scn_study *s, const struct scn_node *n, struct err *err)
{
    struct scn_study_measure *m = &s->measures[s->n_measures];

    *m = (struct scn_study_measure){ .name = n->key,
                                     .node = n,
                                     .until_ps = WEIR_NEVER,
                                     .max_bytes = UINT64_MAX,
                                     .dport = UINT64_MAX,
                                     .per = s->n_measures };
    bool is_taken = columns_find(run_facts, N_RUN_FACTS, n->key) || !strcmp(n->key, "wall_s");
    if (is_taken || scn_claim_read_of(n->key, false, &(struct scn_claim){ 0 })) {
        return scn_fail_key(n, err, "every run has '%s' already; choose another name", n->key);
    }
    if (n->kind != SCN_MAP) {
        return scn_fail(n, err, "expected a measure, as in {of: sent, flow: f1, from: 10ms}");
    }
    for (size_t i = 0; i < n->n_children; i++) {
        if (!read_key(&(struct reading){ s, n->children[i], m, err })) {
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

/* These functions find the flows and ports of a measure in a scenario. */

bool
scn_find_flow(const struct scenario *s, const struct scn_node *n, uint32_t *flow, struct err *err)
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
    struct resolver r = { .s = (struct scenario *)s, .err = err }; /* scn_find_port() uses only
                                                                    * these two members, and does
                                                                    * not change the scenario. */

    return scn_find_port(&r, n, "a port, as in [S1, H1]: the port of S1 towards H1", port);
}

bool
scn_study_bind(const struct scn_study_measure *m, const struct scenario *s,
               struct scn_study_subject *to, struct err *err)
{
    bool is_list = m->flows && m->flows->kind == SCN_LIST;
    bool good = (!m->port || bind_port(s, m->port, &to->port, err)) &&
                (!m->workload || scn_find_workload(s, m->workload, &to->group, err)) &&
                (!m->flows || check_flows(m->flows, err));

    to->n = is_list ? m->flows->n_children : 1;
    for (size_t i = 0; good && m->flows && i < to->n; i++) {
        good = scn_find_flow(s, is_list ? m->flows->children[i] : m->flows, &to->flows[i], err);
    }
    return good;
}
