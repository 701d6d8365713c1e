/* Runs a paper's scenarios, and compares published with measured values. */

#include "run/reproduction.h"

#include <stdlib.h>
#include <string.h>

#include "answer/figure-name.h"
#include "base/text.h"
#include "run/statement-verdict.h"
#include "run/statements.h"
#include "run/study-file.h"

/* Rows of claims. */

void
reproduce_name_what(const struct scn_claim *c, const struct reproduced *m,
                    char what[REPRODUCE_WHAT_BYTES])
{
    const char *other = c->also ? c->also : c->against;

    snprintf(what, REPRODUCE_WHAT_BYTES, "%s%s%s%s%s%s%s%s", m->workload ? m->workload : "",
             m->workload ? " " : "", scn_claim_words(c), m->flow ? m->flow : "",
             c->also      ? ", as "
             : c->against ? " / "
                          : "",
             other ? other : "", c->than ? ", than with " : "", c->than ? c->than : "");
}

void
reproduce_name_metric(const struct scn_claim *c, char metric[REPRODUCE_METRIC_BYTES])
{
    bool is_of_flows = c->of == SCN_FACT && facts_is_of_workload(c->fact);
    const char *workload = c->workload ? c->workload->word : SCN_ALL_WORKLOADS;

    snprintf(metric, REPRODUCE_METRIC_BYTES, "%s%s%s", is_of_flows ? workload : "",
             is_of_flows ? "." : "",
             c->of == SCN_MEASURE ? c->own->name
             : c->of == SCN_FACT  ? c->fact->name
                                  : "");
}

void
reproduce_add_row(struct reproduction *r, const struct scn_claim *c, const struct reproduced *m)
{
    char what[REPRODUCE_WHAT_BYTES], sign[2] = { c->sign };

    reproduce_name_what(c, m, what);
    rec_rows_copy(&r->claims, REC_CLAIM,
                  &(struct rec_claim){ .study = r->paper,
                                       .scenario = m->scenario,
                                       .source = c->source,
                                       .engine = m->about,
                                       .what = what,
                                       .is_sample = m->is_sample,
                                       .unit = scn_claim_unit(c),
                                       .arbitration = m->arbitration,
                                       .sign = sign,
                                       .published = c->published,
                                       .measured = m->value,
                                       .lowest = m->lowest,
                                       .highest = m->highest,
                                       .holds = !m->is_sample && verdict_is_certain(c, m)
                                                    ? verdict_holds(c, m->value)
                                                    : REC_NONE,
                                       .n_runs = m->n_runs,
                                       .build = WEIR_VERSION });
}

/* Selection by the user. */

bool
reproduce_wants(const struct reproduction *r, const char *source)
{
    char name[FIGURE_NAME_BYTES];

    figure_name(source, name);
    return !r->only || r->takes_all || figure_is_asked(r->only, name);
}

bool
reproduce_wants_row(const struct reproduction *r, const char *source)
{
    return !r->leaves_rows && reproduce_wants(r, source);
}

/* Figures. */

bool
reproduce_draws_sweep(const struct reproduction *r, const char *study)
{
    char parts[2][FIGURE_NAME_BYTES];
    bool draws = false;

    for (size_t i = 0; (r->keeps_runs || r->is_dry) && i < r->figures.n && !draws; i++) {
        const struct rec_figure *figure = rec_row(&r->figures, REC_FIGURE, i);
        const char *at = figure->drawn;
        while (!strcmp(figure->object, "sweep") && !draws &&
               text_next_row(&at, 2, sizeof *parts, *parts)) {
            draws = !strcmp(parts[1], study);
        }
    }
    return draws;
}

int
reproduce_each_drawn(struct reproduction *r,
                     int (*run)(void *arg, const char *name, const char *engine), void *arg)
{
    char parts[2][FIGURE_NAME_BYTES];
    int code = EXIT_GOOD;

    for (size_t i = 0; r->keeps_runs && i < r->figures.n && code == EXIT_GOOD; i++) {
        const struct rec_figure *figure = rec_row(&r->figures, REC_FIGURE, i);
        const char *at = figure->drawn;
        bool is_of_runs = strcmp(figure->object, "sweep") && strcmp(figure->object, "statement");
        while (is_of_runs && code == EXIT_GOOD && text_next_row(&at, 2, sizeof *parts, *parts)) {
            code = run(arg, parts[0], parts[1]);
        }
    }
    return code;
}

void
reproduce_name_run(const struct scn_study *s, uint64_t run, char name[REPRODUCE_RUN_BYTES])
{
    snprintf(name, REPRODUCE_RUN_BYTES, "%.40s#%llu", s->name, (unsigned long long)run);
}

/* Whether the user selected a file, by its name or by that of its folder within the paper's
 * folder. */
static bool
is_asked(const struct reproduction *r, const char *file)
{
    const char *last = strrchr(file, '/');
    size_t len = last ? (size_t)(last - file) : 0, from = len;
    char stem[FIGURE_NAME_BYTES], folder[FIGURE_NAME_BYTES];

    while (from && file[from - 1] != '/') {
        from--;
    }
    last = last ? last + 1 : file;
    snprintf(stem, sizeof stem, "%.*s", (int)strcspn(last, "."), last);
    snprintf(folder, sizeof folder, "%.*s", (int)(len - from), file + from);
    return r->only && (!strcmp(r->only, stem) ||
                       (strcmp(folder, r->paper) && figure_is_asked(r->only, folder)));
}

/* Reads a file of the study according to its kind, which its keys determine. */
static int
take_file(struct reproduction *r, const char *path, const struct study_file *f, struct err *err)
{
    bool has_statements = study_file_has(f, "statements");

    return has_statements && r->leaves_statements ? EXIT_GOOD
           : has_statements                       ? statements_judge(r, path, f->root, err)
           : study_file_has(f, "over")            ? reproduce_sweep(r, path, err)
           : study_file_has(f, "plan")            ? reproduce_plan(r, f->root, err)
           : study_file_has(f, "figures")         ? reproduce_figures(r, path, f->root, err)
                                                  : reproduce_runs(r, path, err);
}

int
reproduce_file(struct reproduction *r, const char *path, struct err *err)
{
    struct study_file file;
    int code = study_file_open(&file, path, err);

    r->warning.text[0] = '\0';
    r->takes_all = is_asked(r, path);
    code = code == EXIT_GOOD ? take_file(r, path, &file, err) : code;
    study_file_close(&file);
    return code;
}
