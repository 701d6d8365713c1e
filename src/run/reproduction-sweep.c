/* Checks claims about many runs: sweeps a study, and adds a row for each claim and arbitration. */

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "record/reader.h"
#include "run/reproduction.h"
#include "run/statements.h"

/* Rows of the results. */

/* The number of values shown in a name; a longer list would hide the rest of it. */
enum { MAX_NAMED_VALUES = 4 };

static void
name_axis(FILE *out, const struct scn_study_axis *axis)
{
    fprintf(out, ", %s=", axis->key);
    if (axis->n > MAX_NAMED_VALUES || axis->n != axis->n_items) {
        fprintf(out, "(%llu values)", (unsigned long long)axis->n);
        return;
    }
    for (size_t i = 0; i < axis->n_items; i++) {
        fprintf(out, "%s%s", i ? "|" : "", axis->items[i].text);
    }
}

/* Adds the settings of a sample to the name, since a sample may run a smaller network for a shorter
 * time. */
static void
name_sample(FILE *out, const struct scn_study *s)
{
    fputs(", sample", out);
    for (size_t i = 0; i < s->sample->n_children; i++) {
        name_axis(out, scn_study_axis(s, s->sample->children[i]->key));
    }
}

/* Names a study and its selected runs, such as "sizes, tcp.min_rto=50ms". */
static char *
name_runs(const struct scn_study *s, const struct scn_claim *c)
{
    char *name = NULL;
    size_t len;
    FILE *out = open_memstream(&name, &len);

    fputs(s->name, out);
    for (size_t i = 1; i < c->n_where; i++) {
        fprintf(out, ", %s=%s", s->axes[c->where[i].axis].key, c->where[i].value);
    }
    if (s->is_sample) {
        name_sample(out, s);
    }
    fclose(out);
    return name;
}

/* Whether the sample includes the runs of a claim, and the runs that the claim compares them
 * with. */
static bool
is_in_sample(const struct scn_study *s, const struct scn_claim *c)
{
    uint64_t place;
    bool is = !c->against || scn_study_find(&s->axes[c->where[0].axis], c->against, &place);

    for (size_t i = 0; is && i < c->n_where; i++) {
        is = scn_study_find(&s->axes[c->where[i].axis], c->where[i].value, &place);
    }
    return is;
}

/* Lists the settings that a statement names, such as "scheme=pfc", separated by tabs. */
static char *
list_settings(const struct scn_study *s, const struct scn_claim *c)
{
    char *text = NULL;
    size_t len;
    FILE *out = open_memstream(&text, &len);

    for (size_t i = 0; i < c->n_where; i++) {
        fprintf(out, "%s%s=%s", i ? "\t" : "", s->axes[c->where[i].axis].key, c->where[i].value);
    }
    fclose(out);
    return text;
}

/* Adds a row for each statement, in the order of the study's claims, which is also that of the
 * statements. */
static void
add_statements(struct reproduction *r, const struct claim_check *t)
{
    for (size_t i = 0; i < t->study->n_claims; i++) {
        struct reproduced row = claim_check_measure(t, &t->study->claims[i], t->arbitration);
        char *runs = list_settings(t->study, &t->study->claims[i]);
        row.scenario = t->study->name;
        row.runs = runs;
        statements_add_row(r, &t->study->claims[i], &row);
        free(runs);
    }
}

static void
add_claim(struct reproduction *r, const struct claim_check *t, const struct scn_claim *c,
          const char *runs)
{
    for (size_t a = 0; a < (t->arbitrations ? t->arbitrations->n_items : 1); a++) {
        const char *arbitration = t->arbitrations ? t->arbitrations->items[a].text : t->arbitration;
        struct reproduced row = claim_check_measure(t, c, arbitration);
        row.scenario = runs;
        reproduce_add_row(r, c, &row);
    }
    r->n_claims++;
}

/* Adds claims in the study's order, except that claims about the same runs follow the first of
 * them. */
static void
add_claims(struct reproduction *r, const struct claim_check *t)
{
    const struct scn_study *s = t->study;

    if (r->statements) {
        add_statements(r, t);
        return;
    }
    char **runs = array_new(s->n_claims, sizeof *runs);

    for (size_t i = 0; i < s->n_claims; i++) {
        bool is_wanted =
            is_in_sample(s, &s->claims[i]) && reproduce_wants_row(r, s->claims[i].source);
        runs[i] = is_wanted ? name_runs(s, &s->claims[i]) : NULL;
    }
    for (size_t i = 0; i < s->n_claims; i++) {
        char *same = runs[i];
        for (size_t j = i; same && j < s->n_claims; j++) {
            if (runs[j] && !strcmp(runs[j], same)) {
                add_claim(r, t, &s->claims[j], same);
                if (j > i) {
                    free(runs[j]);
                }
                runs[j] = NULL;
            }
        }
        free(same);
    }
    free(runs);
}

static bool
read_rows(struct claim_check *t, const char *results, uint64_t sweep, struct err *err)
{
    struct rec_file *file = rec_read_open(results, err);

    if (!file) {
        return false;
    }
    bool good = rec_read_all(file, REC_SUMMARY, sweep, &t->rows, err) &&
                rec_read_all(file, REC_SUMMARY_WORKLOAD, sweep, &t->workloads, err);
    rec_read_close(file);
    return good;
}

/* Reads the arbitration from the base, if the study leaves it open. */
static int
read_arbitration(struct claim_check *t, struct err *err)
{
    struct scenario s;
    int code = outcome_read(&s, t->study->base, NULL, 0, err);

    if (code == EXIT_GOOD) {
        t->arbitration = scn_arbitration(&s);
        scn_free(&s);
    }
    return code;
}

static bool
wants_some(const struct reproduction *r, const struct scn_study *s)
{
    bool wants = r->statements || reproduce_draws_sweep(r, s->name);

    for (size_t i = 0; i < s->n_claims && !wants; i++) {
        wants = reproduce_wants_row(r, s->claims[i].source);
    }
    return wants;
}

static int
claim_check_up(struct reproduction *r, struct sweeping *s, struct err *err)
{
    struct claim_check t = { .study = s->study,
                             .n_refused = s->counts.n_by_status[SWEEPING_REFUSED],
                             .arbitrations = r->statements
                                                 ? NULL
                                                 : scn_study_axis(s->study, "switch.arbitration") };
    int code = t.arbitrations ? EXIT_GOOD : read_arbitration(&t, err);

    if (code == EXIT_GOOD && !read_rows(&t, r->results, s->id, err)) {
        code = EXIT_WORLD;
    }
    if (code == EXIT_GOOD) {
        add_claims(r, &t);
    }
    if (t.n_refused) {
        err_set(
            &r->warning,
            "%s: %llu runs were refused, so nothing is judged; column `why` of %s has the reasons",
            t.study->name, (unsigned long long)t.n_refused, r->results);
    }
    rec_rows_free(&t.rows, REC_SUMMARY);
    rec_rows_free(&t.workloads, REC_SUMMARY_WORKLOAD);
    return code;
}

int
reproduce_sweep(struct reproduction *r, const char *file, struct err *err)
{
    struct scn_study study;
    struct sweeping s = { .study = &study, .results = r->results, .watcher = r->sweep_watcher };
    int code = study_read(&study, file, r->part, r->statements, NULL, &s.sample, err);

    if (code == EXIT_GOOD && r->is_dry) {
        struct claim_check none = { .study = &study, .arbitration = "" };
        add_claims(r, &none);
    } else if (code == EXIT_GOOD && wants_some(r, &study)) {
        code = !sweeping_run(&s, err) ? run_code_of_file(err)
               : s.counts.is_interrupted
                   ? run_fail(err, EXIT_STOPPED, "reproduce: stopped%s",
                              r->is_temporary ? "" : "; the same command continues")
               : s.counts.n_by_status[SWEEPING_FAILED]
                   ? run_fail(err, EXIT_WORLD,
                              "reproduce: some runs failed; the same command tries them again")
                   : claim_check_up(r, &s, err);
    }
    if (code == EXIT_GOOD && !r->is_dry && !r->statements) {
        code = reproduce_drawn_runs(r, &study, err);
    }
    scn_study_free(&study);
    return code;
}
