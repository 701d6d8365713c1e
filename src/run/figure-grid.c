/* Figures of studies: metrics over an axis, or several metrics, workloads or studies side by
 * side. */

#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "run/figure-reading.h"

/* Finds a metric by its name: a measure of the study, or a quantity of claims that is known for
 * single runs. */
static bool
find_metric(const struct scn_study *s, const struct figure_item *of,
            const struct figure_item *workload, struct scn_claim *c, struct err *err)
{
    size_t own = text_find(of->word, &s->measures[0].name, sizeof *s->measures, s->n_measures);

    if (own < s->n_measures) {
        *c = (struct scn_claim){ .of = SCN_MEASURE, .own = &s->measures[own] };
        return true;
    }
    if (scn_claim_read_of(of->word, workload->word, c) && c->of == SCN_FACT &&
        c->fact->over_runs != REDUCE_RUNS) {
        c->workload = workload->word ? workload->node : NULL;
        return !workload->word || facts_is_of_workload(c->fact) ||
               scn_fail(workload->node, err,
                        "'workload' cannot be used with of: %s, which is not about flows alone",
                        of->word);
    }
    return scn_fail(of->node, err,
                    "'%s' is neither a measure of the study nor a quantity that single runs have",
                    of->word);
}

/* Names a group by the items of each list that has several, such as "1, query". */
static void
name_group(const struct figure_items *const lists[3], const size_t at[3], char out[200])
{
    out[0] = '\0';
    for (size_t i = 0; i < 3; i++) {
        if (lists[i]->n > 1) {
            snprintf(out + strlen(out), 200 - strlen(out), "%s%.60s", *out ? ", " : "",
                     lists[i]->all[at[i]].label);
        }
    }
}

/* Looks for the line that the other lines of a group are divided by.  Studies other than the first
 * may lack some values of `where`. */
static bool
find_base(struct figure_reading *f, const struct scn_study *s, const char *group, struct err *err)
{
    struct figure_items values = { .n = 1, .all = { { .label = "" } } };
    const struct scn_study_axis *lines;
    const char *relative;
    char label[400];
    struct err unused;

    if (!figure_word(f->node, "relative", &relative, err) ||
        !figure_axis(f, s, "lines", &lines, err)) {
        return false;
    }
    if (lines && !figure_values(f, lines, &values, &unused)) {
        /* There are too many values to list, so the line is assumed to exist. */
        f->has_base |= !scn_child(f->node, "where");
    }
    for (size_t i = 0; i < values.n; i++) {
        const char *of = scn_child(f->node, "over") ? group : "", *line = values.all[i].label;
        snprintf(label, sizeof label, "%s%s%s", of, *of && *line ? ", " : "", line);
        f->has_base |= !strcmp(relative, label);
    }
    f->has_base |= !*relative || !strcmp(relative, "least");
    return true;
}

static bool
add_group(struct figure_reading *f, const struct scn_study *s,
          const struct figure_items *const lists[3], const size_t at[3], struct err *err)
{
    char label[200], metric[FIGURE_METRIC_BYTES];
    struct scn_claim c = { 0 };

    if (!find_metric(s, &lists[2]->all[at[2]], &lists[1]->all[at[1]], &c, err)) {
        return false;
    }
    reproduce_name_metric(&c, metric);
    name_group(lists, at, label);
    figure_line(&f->drawn, label, s->name, metric, NULL);
    if (!find_base(f, s, label, err)) {
        return false;
    }
    if (!f->quantity[0]) {
        snprintf(f->quantity, sizeof f->quantity, "%s", metric);
        f->unit = scn_claim_unit(&c);
    }
    return true;
}

static bool
add_groups(struct figure_reading *f, const struct scn_study *s, size_t in, struct err *err)
{
    struct figure_items workloads, ofs;
    bool good = figure_items_read(scn_child(f->node, "workload"), &workloads, err) &&
                figure_items_read(scn_child(f->node, "of"), &ofs, err);
    const struct figure_items *const lists[3] = { &f->in, &workloads, &ofs };

    for (size_t w = 0; good && w < workloads.n; w++) {
        for (size_t o = 0; good && o < ofs.n; o++) {
            good = add_group(f, s, lists, (size_t[3]){ in, w, o }, err);
        }
    }
    return good;
}

/* Reads the axes and filters from the first study. The other studies must have the same ones. */

static bool
read_axes(struct figure_reading *f, const struct scn_study *s, struct err *err)
{
    const struct scn_study_axis *over, *lines, *panels;
    bool good = figure_axis(f, s, "over", &over, err) && figure_axis(f, s, "lines", &lines, err) &&
                figure_axis(f, s, "panels", &panels, err);

    if (good && !over && !lines) {
        return scn_fail(f->node, err,
                        "a figure of a study needs 'over', a key that it varies, or "
                        "several values side by side and 'lines'");
    }
    return good;
}

static bool
add_filter(struct figure_reading *f, const struct scn_study *s, const struct scn_node *n,
           struct err *err)
{
    const struct scn_study_axis *axis = scn_study_axis(s, n->key);
    struct figure_items values;

    if (!axis) {
        return scn_fail_key(n, err, "the study does not vary '%s'", n->key);
    }
    if (!figure_values(f, axis, &values, err)) {
        return false;
    }
    for (size_t i = 0; i < values.n; i++) {
        figure_line(&f->filters, n->key, values.all[i].word, values.all[i].label, NULL);
    }
    return true;
}

static bool
read_filters(struct figure_reading *f, const struct scn_study *s, struct err *err)
{
    const struct scn_node *where = scn_child(f->node, "where");
    bool good = !where || where->kind == SCN_MAP ||
                scn_fail(where, err, "expected a map, as in {scheme: [pfc, capfc]}");

    for (size_t i = 0; where && good && i < where->n_children; i++) {
        good = add_filter(f, s, where->children[i], err);
    }
    return good;
}

static int
read_study(struct figure_reading *f, size_t in, struct err *err)
{
    struct figure_file file;
    int code = figure_file_read(f, &f->in.all[in], &file, err);

    if (code != EXIT_GOOD) {
        return code;
    }
    if (!file.is_study) {
        return figure_read_runs(f, err); /* The error names the missing value. */
    }
    bool good = add_groups(f, &file.study, in, err) && read_axes(f, &file.study, err) &&
                (in || read_filters(f, &file.study, err));
    if (!in) {
        snprintf(f->scenario, sizeof f->scenario, "%s", file.study.name);
    }
    scn_study_free(&file.study);
    return good ? EXIT_GOOD : EXIT_USER;
}

int
figure_read_grid(struct figure_reading *f, struct err *err)
{
    int code = EXIT_GOOD;

    f->row.object = "sweep";
    for (size_t i = 0; i < f->in.n && code == EXIT_GOOD; i++) {
        code = read_study(f, i, err);
    }
    const struct scn_node *of = scn_child(f->node, "of");
    if (!f->row.y_title[0] && of->kind == SCN_WORD) {
        f->row.y_title = of->word;
    }
    if (code == EXIT_GOOD && f->row.object && !strcmp(f->row.object, "sweep") && !f->has_base) {
        scn_fail(scn_child(f->node, "relative"), err, "expected 'least', or the name of a line");
        return EXIT_USER;
    }
    bool good = code == EXIT_GOOD && figure_word(f->node, "over", &f->row.by_setting, err) &&
                figure_word(f->node, "lines", &f->row.line_setting, err) &&
                figure_word(f->node, "panels", &f->row.panel_setting, err) &&
                figure_word(f->node, "relative", &f->row.relative, err);
    f->unit = f->row.relative && f->row.relative[0] ? "times" : f->unit;
    return good ? EXIT_GOOD : code == EXIT_GOOD ? EXIT_USER : code;
}
