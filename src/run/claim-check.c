/* Computes the value of a claim from the summaries of many runs. */

#include <stdlib.h>
#include <string.h>

#include "answer/percentile.h"
#include "answer/spread.h"
#include "base/array.h"
#include "base/text.h"
#include "run/measures.h"
#include "run/reproduction.h"

/* Selection of runs. */

static bool
has_value(const struct scn_study *s, uint64_t run, size_t axis, const char *value)
{
    uint64_t place;

    return scn_study_find(&s->axes[axis], value, &place) && scn_study_place(s, run, axis) == place;
}

/* Whether a run counts for a claim, with 'subject' as the value of the claim's first axis. */
static bool
is_of(const struct claim_check *t, const struct rec_summary *row, const struct scn_claim *c,
      const char *subject, const char *arbitration)
{
    bool is = !strcmp(row->status, "complete") || !strcmp(row->status, "stopped");

    if (is && t->arbitrations && !c->says) {
        is = has_value(t->study, row->id, (size_t)(t->arbitrations - t->study->axes), arbitration);
    }
    for (size_t i = 0; is && i < c->n_where; i++) {
        is = has_value(t->study, row->id, c->where[i].axis, i ? c->where[i].value : subject);
    }
    return is;
}

/* Finds a row by its id, the first member of every row; null: no row has it. */
static const void *
find_row(const struct rec_rows *rows, enum rec_table_id table, uint64_t id)
{
    for (size_t low = 0, high = rows->n; low < high;) {
        size_t middle = low + (high - low) / 2;
        const uint64_t *row = rec_row(rows, table, middle);
        if (*row == id) {
            return row;
        }
        low = *row < id ? middle + 1 : low;
        high = *row < id ? high : middle;
    }
    return NULL;
}

/* The run that differs from 'row' on one axis only, where it has 'value'. */
static const struct rec_summary *
find_other(const struct claim_check *t, const struct rec_summary *row,
           const struct scn_claim_where *where, const char *value)
{
    uint64_t place;

    if (!scn_study_find(&t->study->axes[where->axis], value, &place)) {
        return NULL;
    }
    return find_row(&t->rows, REC_SUMMARY, scn_study_moved(t->study, row->id, where->axis, place));
}

/* The index of a run's network among all combinations of values. Runs whose values differ only on
 * the axes of the scheme, arbitration and random seed have the same network. */
static uint64_t
network_of(const struct scn_study *s, const struct scn_claim *c, uint64_t run)
{
    static const char *const others[] = { "engine", "switch.arbitration", "run.seed" };
    uint64_t network = 0, step = 1;

    for (size_t a = s->n_axes; a-- > 0;) {
        if (a != c->where[0].axis && text_find(s->axes[a].key, others, sizeof *others, 3) == 3) {
            network += step * (run % s->axes[a].n);
            step *= s->axes[a].n;
        }
        run /= s->axes[a].n;
    }
    return network;
}

/* Measured values. */

/* A run has collapsed if, without a deadlock, flows are unfinished and hosts send less than a tenth
 * of their mean rate at the end. */
static bool
has_collapsed(const struct rec_summary *row)
{
    const struct run_facts *f = &row->facts;

    return f->deadlock_ps < 0 && f->n_finished < f->n_started && f->host_late_bps != REC_NONE &&
           f->host_late_bps < f->host_bps / 10;
}

/* Marks the networks in which a run deadlocks or collapses, whichever the claim counts. */
static void
mark_networks(const struct claim_check *t, const struct scn_claim *c, const char *subject,
              const char *arbitration, uint8_t bit, uint8_t *marks)
{
    for (size_t i = 0; i < t->rows.n; i++) {
        const struct rec_summary *row = rec_row(&t->rows, REC_SUMMARY, i);
        bool shows = c->of == SCN_NETWORKS ? row->facts.deadlock_ps >= 0 : has_collapsed(row);
        if (shows && is_of(t, row, c, subject, arbitration)) {
            marks[network_of(t->study, c, row->id)] |= bit;
        }
    }
}

static double
count_networks(const struct claim_check *t, const struct scn_claim *c, const char *arbitration)
{
    uint8_t *marks = array_new(t->study->n_runs, 1), wanted = c->also ? 3 : 1;
    double n = 0;

    mark_networks(t, c, c->where[0].value, arbitration, 1, marks);
    if (c->also) {
        mark_networks(t, c, c->also, arbitration, 2, marks);
    }
    for (uint64_t i = 0; i < t->study->n_runs; i++) {
        n += marks[i] == wanted;
    }
    free(marks);
    return n;
}

/* Finds the facts of a run's flows: of one workload, or of all. */
static const struct workload_facts *
find_flows(const struct claim_check *t, const struct rec_summary *row,
           const struct scn_node *workload)
{
    uint64_t id = REC_WORKLOADS_OF_RUN * row->id;
    const struct rec_workload *flows = find_row(&t->workloads, REC_SUMMARY_WORKLOAD, id);

    while (flows && workload && strcmp(flows->name, workload->word)) {
        flows = find_row(&t->workloads, REC_SUMMARY_WORKLOAD, ++id);
    }
    return flows ? &flows->facts : NULL;
}

static bool
is_count_of_networks(const struct scn_claim *c)
{
    return c->of == SCN_NETWORKS || c->of == SCN_COLLAPSES;
}

/* A statement is about a typical run, so it takes the median, even if sweeps reduce the fact in
 * another way. */
static enum column_reduce
how_of(const struct scn_claim *c)
{
    bool is_typical = c->own || (c->says && c->of == SCN_FACT && !c->is_share);

    return is_typical ? REDUCE_MEDIAN : is_count_of_networks(c) ? REDUCE_MEAN : c->fact->over_runs;
}

double
claim_check_value(const struct scn_claim *c, const struct run_facts *run,
                  const struct workload_facts *flows)
{
    const void *row = facts_is_of_workload(c->fact) ? (const void *)flows : run;
    double value;
    bool is_known = row && column_number(c->fact, row, &value);

    return how_of(c) == REDUCE_RUNS ? is_known : is_known ? value : -1;
}

/* The value of a claim's quantity in one run; negative: the run does not have it. */
static double
value_of(const struct claim_check *t, const struct rec_summary *summary, const struct scn_claim *c)
{
    const struct workload_facts *flows = find_flows(t, summary, c->workload);

    return c->own ? measures_read(summary->measures, c->own->name)
                  : claim_check_value(c, &summary->facts, flows);
}

/* The value of each run, and their combined value. */
struct values {
    double *items;
    size_t n, max;
    bool has_gap; /* Some run lacks the value. */
    bool is_open; /* Some flow has not ended, so the value is only a lower bound. */
};

bool
claim_check_is_open(const struct scn_claim *c, const struct workload_facts *flows)
{
    return !c->own && c->fact == &workload_facts[WORKLOAD_fct_max_at_least_ps] && flows &&
           flows->n_unfinished;
}

static struct values
values_of(const struct claim_check *t, const struct scn_claim *c, const char *subject,
          const char *arbitration)
{
    struct values v = { 0 };

    for (size_t i = 0; i < t->rows.n; i++) {
        const struct rec_summary *row = rec_row(&t->rows, REC_SUMMARY, i);
        double value = value_of(t, row, c);
        bool is = is_of(t, row, c, subject, arbitration);
        if (is && value >= 0) {
            ARRAY_PUSH(v.items, v.n, v.max) = value;
        }
        v.has_gap |= is && value < 0;
        v.is_open |= is && claim_check_is_open(c, find_flows(t, row, c->workload));
    }
    percentile_sort(v.items, v.n);
    return v;
}

/* Copies the claim with another value of one axis; the caller frees the copy's 'where'. */
static struct scn_claim
with_value(const struct scn_claim *c, size_t at, const char *value)
{
    struct scn_claim copy = *c;

    copy.where = array_new(c->n_where, sizeof *copy.where);
    memcpy(copy.where, c->where, c->n_where * sizeof *copy.where);
    copy.where[at] = (struct scn_claim_where){ .axis = c->where[at].axis, .value = (char *)value };
    return copy;
}

/* The value of a run divided by that of the run it is compared with; negative: unknown. */
static double
ratio_of(const struct claim_check *t, const struct rec_summary *row, const struct scn_claim *c,
         const char *arbitration)
{
    const struct rec_summary *other = row ? find_other(t, row, &c->where[0], c->against) : NULL;
    double value = other ? value_of(t, row, c) : -1, base = other ? value_of(t, other, c) : 0;
    bool has_both = value >= 0 && base > 0 && is_of(t, row, c, c->where[0].value, arbitration) &&
                    is_of(t, other, c, c->against, arbitration);

    return has_both ? value / base : -1;
}

/* The ratio of each run to the run that it is compared with. */
static struct values
ratios_of(const struct claim_check *t, const struct scn_claim *c, const char *arbitration)
{
    struct scn_claim there = with_value(c, c->than ? 1 : 0, c->than ? c->than : c->where[0].value);
    struct values v = { 0 };

    for (size_t i = 0; i < t->rows.n; i++) {
        const struct rec_summary *row = rec_row(&t->rows, REC_SUMMARY, i);
        if (!is_of(t, row, c, c->where[0].value, arbitration) ||
            !find_other(t, row, &c->where[0], c->against)) {
            continue;
        }
        double value = ratio_of(t, row, c, arbitration), base = 1;
        if (c->than) {
            base = ratio_of(t, find_other(t, row, &c->where[1], c->than), &there, arbitration);
        }
        bool has_both = value >= 0 && base > 0;
        if (has_both) {
            ARRAY_PUSH(v.items, v.n, v.max) = value / base;
        }
        v.has_gap |= !has_both;
    }
    free(there.where);
    percentile_sort(v.items, v.n);
    return v;
}

/* Reduces the values of several runs to one; negative: it is unknown. */
static double
reduce(const struct values *sorted, const struct scn_claim *c)
{
    size_t n = sorted->n;
    double sum = 0;

    for (size_t i = 0; i < n; i++) {
        sum += sorted->items[i];
    }
    bool is_of_times =
        c->own ? scn_quantities[c->own->of].is_of_ended : facts_is_of_workload(c->fact);
    if (!n || (sorted->has_gap && is_of_times)) {
        return -1; /* Times of unfinished flows would be the longest, so runs that lack them cannot
                      be left out. */
    }
    switch (how_of(c)) {
    case REDUCE_MEAN:
        return sum / (double)n;
    case REDUCE_MAX:
        return sorted->items[n - 1];
    case REDUCE_MIN:
        return sorted->items[0];
    case REDUCE_MEDIAN:
        return spread_at(sorted->items, n, 0.5);
    default:
        break;
    }
    return sum;
}

static void
compare(const struct claim_check *t, const struct scn_claim *c, const char *arbitration,
        struct reproduced *m)
{
    struct values others = values_of(t, c, c->against, arbitration);
    double other = reduce(&others, c);

    free(others.items);
    m->value = m->value >= 0 && other > 0 ? m->value / other : -1;
    m->is_most = others.is_open;
}

/* Whether some of the runs that a claim selects have flows that have not ended. */
static bool
are_open(const struct claim_check *t, const struct scn_claim *c, const char *subject,
         const char *arbitration)
{
    struct values v = values_of(t, c, subject, arbitration);

    free(v.items);
    return v.is_open;
}

/* If flows of the divisor's runs are unfinished, the divisor is only a lower bound, and the ratio
 * can be anything. */
static void
check_than(const struct claim_check *t, const struct scn_claim *c, const char *arbitration,
           struct reproduced *m)
{
    struct scn_claim there = with_value(c, 1, c->than);

    if (are_open(t, &there, c->where[0].value, arbitration) ||
        are_open(t, &there, c->against, arbitration)) {
        m->is_least = m->is_most = true;
    }
    free(there.where);
}

/* The median of the runs' ratios; negative if some run has no ratio. */
static double
typical(const struct values *ratios)
{
    return ratios->n && !ratios->has_gap ? spread_at(ratios->items, ratios->n, 0.5) : -1;
}

/* Counts of runs and of networks have no range. */
static void
set_range(struct reproduced *m, const struct values *single, const struct scn_claim *c)
{
    if (single->n && how_of(c) != REDUCE_RUNS && !is_count_of_networks(c)) {
        m->lowest = single->items[0];
        m->highest = single->items[single->n - 1];
    }
}

static struct reproduced
measure(const struct claim_check *t, const struct scn_claim *c, const char *arbitration)
{
    struct values single = values_of(t, c, c->where[0].value, arbitration);
    struct reproduced m = { .about = c->where[0].value,
                            .workload = c->workload ? c->workload->word : NULL,
                            .arbitration = arbitration,
                            .value = reduce(&single, c),
                            .lowest = -1,
                            .highest = -1,
                            .n_runs = single.n,
                            .is_least = single.is_open,
                            .is_sample = t->study->is_sample,
                            .is_undecided = t->n_refused };

    if (m.value >= 0 && is_count_of_networks(c)) {
        m.value = count_networks(t, c, arbitration);
    }
    if (c->is_share && m.value >= 0) {
        m.value /= (double)single.n;
    }
    if (c->against) {
        compare(t, c, arbitration, &m);
        if (c->than) {
            check_than(t, c, arbitration, &m);
        }
        free(single.items);
        single = ratios_of(t, c, arbitration);
        m.value = c->says ? typical(&single) : m.value;
    }
    set_range(&m, &single, c);
    free(single.items);
    return m;
}

/* The larger of two values.  If one of them is only a lower bound, the true value may be the larger
 * one. */
static struct reproduced
larger_of(const struct reproduced *a, const struct reproduced *b)
{
    struct reproduced larger = b->value > a->value ? *b : *a;

    larger.is_least = a->is_least || b->is_least;
    return larger;
}

/* Measures "up to" claims: the largest result over the values of an axis; unknown if any result is
 * unknown.  The axis value that a ratio is divided by is not compared with itself. */
static struct reproduced
measure_most(const struct claim_check *t, const struct scn_claim *c, size_t at,
             const char *arbitration)
{
    const struct scn_study_axis *axis = &t->study->axes[c->where[at].axis];
    struct reproduced best = { .about = c->where[0].value,
                               .arbitration = arbitration,
                               .value = -1 };
    uint64_t than = axis->n;

    if (c->than && at == 1) {
        scn_study_find(axis, c->than, &than);
    }
    for (uint64_t place = 0, n = 0; place < axis->n; place++) {
        if (place == than) {
            continue;
        }
        char *value = scn_study_value_at(axis, place);
        struct scn_claim one = with_value(c, at, value);
        struct reproduced m = measure(t, &one, arbitration);
        free(one.where);
        free(value);
        best = m.value < 0 || !n++ ? m : larger_of(&best, &m);
        if (m.value < 0) {
            break;
        }
    }
    return best;
}

struct reproduced
claim_check_measure(const struct claim_check *t, const struct scn_claim *c, const char *arbitration)
{
    size_t at = 0;

    while (at < c->n_where && !c->where[at].is_most) {
        at++;
    }
    return at < c->n_where ? measure_most(t, c, at, arbitration) : measure(t, c, arbitration);
}
