/* The figures of a paper: what each draws of the runs of a scenario, or of a study.
 *
 *     figures:
 *       - {of: queue, in: ring.yaml, port: [S1, H1], engines: [pfc, gfc-buffer], source: Fig. 9}
 *       - {of: received, in: ring.yaml, flow: H1-H3, source: Fig. 9}    how fast its bytes arrive
 *       - {of: sent, in: evolution.yaml, hosts: all, source: Fig. 18}   of all together
 *       - {of: slowdown, in: star.yaml, flows: all, source: Fig. 4}     its distribution over flows
 *       - {of: throughput, in: k4.yaml, over: engine, lines: switch.arbitration, source: Fig. 16}
 *
 * A figure of a scenario draws a quantity over time, a line for each engine and each port or flow.
 * A figure of a study draws a metric over one of its axes. */

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "answer/figure-name.h"
#include "base/array.h"
#include "base/text.h"
#include "run/reproduction.h"
#include "run/study-file.h"

enum { MAX_PATH = 4096, MAX_METRIC = 80 };

/* The objects of a scenario that a quantity can be drawn for: a bit each. */
enum { OF_PORT = 1, OF_FLOW = 2, OF_HOSTS = 4, OF_FLOWS = 8 };

static const struct drawn {
    const char *name;
    unsigned of;
} drawns[] = {
    { "queue", OF_PORT },
    { "output", OF_PORT },
    { "rate", OF_PORT },
    { "paused", OF_PORT },
    { "sent", OF_PORT | OF_FLOW | OF_HOSTS },
    { "received", OF_FLOW },
    { "limit", OF_FLOW },
    { "slowdown", OF_FLOWS },
    { "fct", OF_FLOWS },
};

static const struct subject_key {
    const char *name; /* As the results file has it, too. */
    unsigned bit;
} subject_keys[] = {
    { "port", OF_PORT }, { "flow", OF_FLOW }, { "hosts", OF_HOSTS }, { "flows", OF_FLOWS }
};

static const char *const keys[] = { "of",    "in",    "source",  "title", "port",  "flow",
                                    "hosts", "flows", "engines", "over",  "lines", "workload" };

enum {
    N_DRAWNS = sizeof drawns / sizeof *drawns,
    N_SUBJECT_KEYS = sizeof subject_keys / sizeof *subject_keys,
    N_KEYS = sizeof keys / sizeof *keys
};

/* A figure while it is read. */
struct reading {
    struct reproduction *r;
    const struct scn_node *node;
    char path[MAX_PATH]; /* The path of the file that it draws. */
    struct rec_figure row;
    char name[FIGURE_NAME_BYTES], scenario[64], metric[MAX_METRIC];
    char *subjects, *engines;
};

static bool
check_keys(const struct scn_node *n, struct err *err)
{
    char offer[200];

    if (n->kind != SCN_MAP) {
        return scn_fail(n, err, "expected a figure, as in {of: queue, in: ring.yaml, ...}");
    }
    for (size_t i = 0; i < n->n_children; i++) {
        const char *key = n->children[i]->key;
        if (text_find(key, keys, sizeof *keys, N_KEYS) == N_KEYS) {
            text_offer(key, keys, sizeof *keys, N_KEYS, offer, sizeof offer);
            return scn_fail_key(n->children[i], err, "unknown key '%s'%s", key, offer);
        }
    }
    return true;
}

/* A word that must be there; null, with the reason: it is not. */
static const char *
word_at(const struct scn_node *n, const char *key, struct err *err)
{
    const struct scn_node *word = scn_child(n, key);

    if (!word || word->kind != SCN_WORD) {
        scn_fail(word ? word : n, err, "a figure needs '%s', a word", key);
        return NULL;
    }
    return word->word;
}

/* Figures of a scenario. */

static const struct drawn *
find_drawn(const struct scn_node *of, struct err *err)
{
    size_t i = text_find(of->word, &drawns[0].name, sizeof *drawns, N_DRAWNS);
    char offer[200];

    if (i < N_DRAWNS) {
        return &drawns[i];
    }
    text_offer(of->word, &drawns[0].name, sizeof *drawns, N_DRAWNS, offer, sizeof offer);
    scn_fail(of, err, "'%s' cannot be drawn of a scenario%s", of->word, offer);
    return NULL;
}

/* The one key that says of what; null, with the reason: none, or one that does not fit. */
static const struct subject_key *
find_subject(const struct scn_node *n, const struct drawn *drawn, struct err *err)
{
    const struct subject_key *found = NULL;
    char fitting[100] = "";

    for (size_t i = 0; i < N_SUBJECT_KEYS; i++) {
        const struct subject_key *key = &subject_keys[i];
        found = scn_child(n, key->name) && (key->bit & drawn->of) ? key : found;
        if (key->bit & drawn->of) {
            snprintf(fitting + strlen(fitting), sizeof fitting - strlen(fitting), "%s'%s'",
                     fitting[0] ? " or " : "", key->name);
        }
    }
    if (!found) {
        scn_fail(n, err, "a figure of '%s' needs %s", drawn->name, fitting);
    }
    return found;
}

static void
add_line(FILE *out, const struct scn_node *n)
{
    for (size_t i = 0; i < n->n_children; i++) {
        fprintf(out, "%s%s", i ? " " : "", n->children[i]->word);
    }
    fprintf(out, "%s\n", n->kind == SCN_WORD ? n->word : "");
}

/* Ports and flows that the scenario has; "all" of what there is only one of. */
static bool
read_subjects(struct reading *f, const struct subject_key *key, const struct scenario *s,
              struct err *err)
{
    const struct scn_node *n = scn_child(f->node, key->name);
    bool is_port = key->bit == OF_PORT, is_flow = key->bit == OF_FLOW;
    struct scn_study_measure what = { .port = is_port ? n : NULL, .flows = is_flow ? n : NULL };
    struct scn_study_subject found;
    size_t len;

    if (!is_port && !is_flow && (n->kind != SCN_WORD || strcmp(n->word, "all"))) {
        return scn_fail(n, err, "'all' is the only value that this key can have");
    }
    if (!scn_study_bind(&what, s, &found, err)) {
        return false;
    }
    FILE *out = open_memstream(&f->subjects, &len);
    if (is_flow && n->kind == SCN_LIST) {
        for (size_t i = 0; i < n->n_children; i++) {
            add_line(out, n->children[i]);
        }
    } else {
        add_line(out, n);
    }
    fclose(out);
    return true;
}

static bool
is_claimed(const struct scenario *s, const char *engine)
{
    bool is = false;

    for (size_t i = 0; i < s->n_claims && !is; i++) {
        is = !strcmp(s->claims[i].engine->about.name, engine);
    }
    return is;
}

/* Only engines that a claim is about are run. */
static bool
read_engines(struct reading *f, const struct scenario *s, struct err *err)
{
    const struct scn_node *list = scn_child(f->node, "engines");
    size_t len;
    bool good = !list || list->kind == SCN_LIST ||
                scn_fail(list, err, "expected a list of engines, as in [pfc, gfc-buffer]");
    FILE *out = open_memstream(&f->engines, &len);

    for (size_t i = 0; list && good && i < list->n_children; i++) {
        const struct scn_node *n = list->children[i];
        good = (n->kind == SCN_WORD && is_claimed(s, n->word)) ||
               scn_fail(n, err, "no claim of the scenario is about this engine, so it is not run");
        fprintf(out, "%s%s", i ? " " : "", good ? n->word : "");
    }
    fclose(out);
    return good;
}

static int
read_of_scenario(struct reading *f, struct err *err)
{
    const struct drawn *drawn = find_drawn(scn_child(f->node, "of"), err);
    const struct subject_key *key = drawn ? find_subject(f->node, drawn, err) : NULL;
    struct scenario s;
    int code = key ? outcome_read(&s, f->path, NULL, 0, err) : EXIT_USER;

    if (code != EXIT_GOOD) {
        return code;
    }
    bool good = read_subjects(f, key, &s, err) && read_engines(f, &s, err);
    snprintf(f->scenario, sizeof f->scenario, "%s", s.name);
    f->row.object = key->name;
    f->row.quantity = drawn->name;
    scn_free(&s);
    return good ? EXIT_GOOD : EXIT_USER;
}

/* Figures of a study. */

/* A measure of its own, or one that its claims could be about. */
static bool
read_metric(struct reading *f, const struct scn_study *s, struct err *err)
{
    const struct scn_node *of = scn_child(f->node, "of"), *only = scn_child(f->node, "workload");

    if (text_find(of->word, &s->measures[0].name, sizeof *s->measures, s->n_measures) <
        s->n_measures) {
        snprintf(f->metric, sizeof f->metric, "%s", of->word);
        return true;
    }
    struct scn_claim c = { 0 };
    if (scn_claim_read_of(of->word, only, &c) && c.of == SCN_FACT &&
        c.fact->over_runs != REDUCE_RUNS) {
        bool is_of_flows = facts_is_of_workload(c.fact);
        const char *workload = only && only->kind == SCN_WORD ? only->word : SCN_ALL_WORKLOADS;
        snprintf(f->metric, sizeof f->metric, "%s%s%s", is_of_flows ? workload : "",
                 is_of_flows ? "." : "", c.fact->name);
        return !only || is_of_flows ||
               scn_fail(only, err,
                        "'workload' does not go with of: %s, which is not about flows alone",
                        of->word);
    }
    return scn_fail(of, err,
                    "'%s' is neither a measure of the study nor a quantity that single runs have",
                    of->word);
}

/* The key of an axis; "": the figure names none; null, with the reason: no such axis. */
static const char *
find_axis(const struct reading *f, const struct scn_study *s, const char *key, struct err *err)
{
    const struct scn_node *n = scn_child(f->node, key);

    if (!n) {
        return "";
    }
    if (n->kind == SCN_WORD && scn_study_axis(s, n->word)) {
        return n->word;
    }
    scn_fail(n, err, "expected a key of 'over' of the study");
    return NULL;
}

static bool
read_axes(struct reading *f, const struct scn_study *s, struct err *err)
{
    if (!scn_child(f->node, "over")) {
        return scn_fail(f->node, err, "a figure of a study needs 'over', a key that it varies");
    }
    f->row.by_setting = find_axis(f, s, "over", err);
    f->row.line_setting = f->row.by_setting ? find_axis(f, s, "lines", err) : NULL;
    return f->row.line_setting;
}

static int
read_of_study(struct reading *f, const char *text, struct err *err)
{
    struct scn_study s;

    if (!scn_study_read(&s, f->path, text, f->r->part, NULL, err)) {
        return EXIT_USER;
    }
    bool good = read_metric(f, &s, err) && read_axes(f, &s, err);
    snprintf(f->scenario, sizeof f->scenario, "%s", s.name);
    f->row.object = "sweep";
    f->row.quantity = f->metric;
    scn_study_free(&s);
    return good ? EXIT_GOOD : EXIT_USER;
}

/* All together. */

/* The drawn scenario or study is next to the file with the figures. */
static bool
find_drawn_file(struct reading *f, const char *file, struct err *err)
{
    const char *in = word_at(f->node, "in", err), *slash = strrchr(file, '/');
    int folder = slash ? (int)(slash - file) + 1 : 0;

    if (in) {
        snprintf(f->path, sizeof f->path, "%.*s%s", folder, file, in);
    }
    return in;
}

static int
read_drawn(struct reading *f, struct err *err)
{
    struct study_file file;
    struct err why;
    int code = study_file_open(&file, f->path, &why);

    if (code == EXIT_WORLD) {
        scn_fail(scn_child(f->node, "in"), err, "%s", why.text);
        code = EXIT_USER;
    } else if (code != EXIT_GOOD) {
        *err = why;
    } else {
        code = study_file_has(&file, "over") ? read_of_study(f, file.text, err)
                                             : read_of_scenario(f, err);
    }
    study_file_close(&file);
    return code;
}

static void
keep_figure(struct reading *f, const char *source)
{
    const struct scn_node *title = scn_child(f->node, "title");

    figure_name(source, f->name);
    f->row.study = f->r->paper;
    f->row.name = f->name;
    f->row.source = source;
    f->row.title = title && title->kind == SCN_WORD ? title->word : "";
    f->row.scenario = f->scenario;
    f->row.subjects = f->subjects ? f->subjects : "";
    f->row.engines = f->engines ? f->engines : "";
    rec_rows_copy(&f->r->figures, REC_FIGURE, &f->row);
}

static int
read_figure(struct reproduction *r, const char *file, const struct scn_node *n, struct err *err)
{
    struct reading *f = array_new(1, sizeof *f);
    *f = (struct reading){ .r = r, .node = n, .row = { .by_setting = "", .line_setting = "" } };
    const char *source = check_keys(n, err) ? word_at(n, "source", err) : NULL;
    bool good = source && word_at(n, "of", err) && find_drawn_file(f, file, err);
    int code = good ? read_drawn(f, err) : EXIT_USER;

    if (code == EXIT_GOOD && reproduce_wants(r, source)) {
        keep_figure(f, source);
    }
    free(f->subjects);
    free(f->engines);
    free(f);
    return code;
}

int
reproduce_figures(struct reproduction *r, const char *file, const struct scn_node *root,
                  struct err *err)
{
    const struct scn_node *list = scn_child(root, "figures");
    int code = EXIT_GOOD;

    if (list->kind != SCN_LIST || root->n_children > 1) {
        scn_fail(list, err, "expected a list of figures, and nothing beside it");
        return EXIT_USER;
    }
    for (size_t i = 0; i < list->n_children && code == EXIT_GOOD; i++) {
        code = read_figure(r, file, list->children[i], err);
    }
    return code;
}
