/* Figures of single runs: quantities over time, and flows that have ended. */

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "run/figure-reading.h"
#include "topo/port-names.h"

/* The objects of a scenario that a quantity can be drawn for, one bit each. */
enum { OF_PORT = 1, OF_FLOW = 2, OF_HOSTS = 4, OF_FLOWS = 8, OF_SWITCH = 16 };

static const struct drawn {
    const char *name;
    unsigned of;
    const char *unit; /* The unit of published values. */
} drawns[] = {
    { "queue", OF_PORT, "bytes" },
    { "output", OF_PORT, "bytes" },
    { "buffer", OF_SWITCH, "bytes" },
    { "rate", OF_PORT, "bps" },
    { "paused", OF_PORT, "share" },
    { "credit", OF_PORT, "bytes" },
    { "held", OF_PORT, "bytes" },
    { "sent", OF_PORT | OF_FLOW | OF_HOSTS, "bps" },
    { "raw", OF_FLOW, "bps" },
    { "received", OF_FLOW, "bps" },
    { "limit", OF_FLOW, "bps" },
    { "pace", OF_FLOW, "bps" },
    { "window", OF_FLOW, "bytes" },
    { "messages", OF_FLOW, "per second" },
    { "slowdown", OF_FLOWS, "times" },
    { "fct", OF_FLOWS, "ps" },
    { "slowdown-p50", OF_FLOWS, "times" },
    { "slowdown-p95", OF_FLOWS, "times" },
    { "slowdown-p99", OF_FLOWS, "times" },
    { "slowdown-mean", OF_FLOWS, "times" },
};

static const struct subject_key {
    const char *name; /* The key's name, which is also used in the results file. */
    unsigned bit;
} subject_keys[] = { { "port", OF_PORT },
                     { "flow", OF_FLOW },
                     { "hosts", OF_HOSTS },
                     { "switch", OF_SWITCH },
                     { "flows", OF_FLOWS } };

enum {
    N_DRAWNS = sizeof drawns / sizeof *drawns,
    N_SUBJECT_KEYS = sizeof subject_keys / sizeof *subject_keys
};

bool
figure_is_of_runs(const struct scn_node *n)
{
    bool is = false;

    for (size_t i = 0; i < N_SUBJECT_KEYS && !is; i++) {
        is = scn_child(n, subject_keys[i].name);
    }
    return is;
}

static const struct drawn *
find_drawn(const struct scn_node *of, struct err *err)
{
    char offer[200];

    if (of->kind != SCN_WORD) {
        scn_fail(of, err, "expected one quantity of a run");
        return NULL;
    }
    size_t i = text_find(of->word, &drawns[0].name, sizeof *drawns, N_DRAWNS);
    if (i < N_DRAWNS) {
        return &drawns[i];
    }
    text_offer(of->word, &drawns[0].name, sizeof *drawns, N_DRAWNS, offer, sizeof offer);
    scn_fail(of, err, "'%s' cannot be drawn for a scenario%s", of->word, offer);
    return NULL;
}

/* Checks that no second key names the subject. Only figures of "held" may name a flow in addition
 * to the port. */
static bool
is_alone(const struct scn_node *n, const struct drawn *drawn, const struct subject_key *own,
         struct err *err)
{
    unsigned more = strcmp(drawn->name, "held") ? 0 : OF_FLOW;

    for (size_t i = 0; i < N_SUBJECT_KEYS; i++) {
        const struct scn_node *other = scn_child(n, subject_keys[i].name);
        if (other && &subject_keys[i] != own && !(subject_keys[i].bit & more)) {
            return scn_fail_key(other, err, "'%s' cannot be used with '%s' in a figure of '%s'",
                                subject_keys[i].name, own->name, drawn->name);
        }
    }
    return true;
}

/* Finds the key that names the subject. Returns null with an error if no key that fits the quantity
 * is present, or if there is more than one. */
static const struct subject_key *
find_subject(const struct scn_node *n, const struct drawn *drawn, struct err *err)
{
    const struct subject_key *found = NULL;
    char fitting[100] = "";

    for (size_t i = 0; i < N_SUBJECT_KEYS; i++) {
        const struct subject_key *key = &subject_keys[i];
        found = !found && scn_child(n, key->name) && (key->bit & drawn->of) ? key : found;
        if (key->bit & drawn->of) {
            snprintf(fitting + strlen(fitting), sizeof fitting - strlen(fitting), "%s'%s'",
                     fitting[0] ? " or " : "", key->name);
        }
    }
    if (!found) {
        scn_fail(n, err, "a figure of '%s' needs %s", drawn->name, fitting);
    }
    return found && is_alone(n, drawn, found, err) ? found : NULL;
}

/* Subjects. */

/* Writes the name of a port, as "S1 H1" with its peer, or of a flow; false with an error if the
 * scenario has none. */
static bool
name_subject(const struct scn_node *port, const struct scn_node *flow, const struct scenario *s,
             char out[200], struct err *err)
{
    struct scn_study_subject found;

    if (flow && flow->kind != SCN_WORD) {
        return scn_fail(flow, err, "expected the name of a flow");
    }
    if (!scn_study_bind(&(struct scn_study_measure){ .port = port, .flows = flow }, s, &found,
                        err)) {
        return false;
    }
    if (port) {
        struct topo_ends ends = topo_name_ends(&s->topo, found.port);
        snprintf(out, 200, "%s %s", ends.here, ends.there);
    } else {
        snprintf(out, 200, "%s", flow->word);
    }
    return true;
}

/* Adds one port or flow, a list of them, or a map from names to them. A port is itself a list of
 * two words. */
static bool
add_subjects(struct figure_reading *f, const struct scn_node *n, bool is_port,
             const struct scenario *s, struct err *err)
{
    bool is_one = n->kind == SCN_WORD || (is_port && n->kind == SCN_LIST && n->n_children &&
                                          n->children[0]->kind == SCN_WORD);
    char name[200];
    bool good = is_one || n->n_children || scn_fail(n, err, "expected one or more");

    for (size_t i = 0; good && i < (is_one ? 1 : n->n_children); i++) {
        const struct scn_node *one = is_one ? n : n->children[i];
        bool has_label = n->kind == SCN_MAP;
        good = name_subject(is_port ? one : NULL, is_port ? NULL : one, s, name, err);
        if (good) {
            figure_line(&f->subjects,
                        is_one && !has_label ? ""
                        : has_label          ? one->key
                                             : name,
                        name, "", NULL);
        }
    }
    return good;
}

/* Adds a line for each flow whose bytes at the input of a port are drawn. */
static bool
add_held(struct figure_reading *f, const struct scenario *s, struct err *err)
{
    const struct scn_node *port = scn_child(f->node, "port"), *flow = scn_child(f->node, "flow");
    struct figure_items flows;
    char name[200], word[200];

    if (!flow) {
        return scn_fail(f->node, err, "a figure of 'held' needs 'flow', too");
    }
    if (!name_subject(port, NULL, s, name, err) || !figure_items_read(flow, &flows, err)) {
        return false;
    }
    for (size_t i = 0; i < flows.n; i++) {
        if (!name_subject(NULL, flows.all[i].node, s, word, err)) {
            return false;
        }
        figure_line(&f->subjects, flows.n > 1 ? flows.all[i].label : "", name, flows.all[i].word,
                    NULL);
    }
    return true;
}

static bool
add_nodes(struct figure_reading *f, const struct scn_node *n, const struct scenario *s,
          struct err *err)
{
    struct figure_items nodes;

    if (!figure_items_read(n, &nodes, err)) {
        return false;
    }
    for (size_t i = 0; i < nodes.n; i++) {
        bool is_known = false;
        for (uint32_t k = 0; k < s->topo.n_nodes && !is_known; k++) {
            is_known = !strcmp(s->topo.nodes[k].name, nodes.all[i].word);
        }
        if (!is_known) {
            return scn_fail(nodes.all[i].node, err, "no switch '%s'", nodes.all[i].word);
        }
        figure_line(&f->subjects, nodes.n > 1 ? nodes.all[i].label : "", nodes.all[i].word, "",
                    NULL);
    }
    return true;
}

/* Adds a subject given by a keyword: "all", or "by-size" for percentiles of flows. */
static bool
add_all(struct figure_reading *f, const struct scn_node *n, bool is_flows, struct err *err)
{
    bool is_by_size = is_flows && n->kind == SCN_WORD && !strcmp(n->word, "by-size");

    if (!is_by_size && (n->kind != SCN_WORD || strcmp(n->word, "all"))) {
        return scn_fail(n, err,
                        is_flows ? "expected 'all' or 'by-size'"
                                 : "'all' is the only value that this key can have");
    }
    if (is_flows && is_by_size != (strchr(f->quantity, '-') != NULL)) {
        return scn_fail(
            n, err, "slowdown and fct need flows: all, and their percentiles need flows: by-size");
    }
    f->row.object = is_by_size ? "sizes" : f->row.object;
    figure_line(&f->subjects, "", "all", "", NULL);
    return true;
}

/* Reads the subject of a figure: ports, flows or switches, which must exist in the scenario. */
static bool
read_subjects(struct figure_reading *f, const struct subject_key *key, const struct scenario *s,
              struct err *err)
{
    const struct scn_node *n = scn_child(f->node, key->name);

    f->row.object = key->name;
    return !strcmp(f->quantity, "held") ? add_held(f, s, err)
           : key->bit == OF_PORT || key->bit == OF_FLOW
               ? add_subjects(f, n, key->bit == OF_PORT, s, err)
           : key->bit == OF_SWITCH ? add_nodes(f, n, s, err)
                                   : add_all(f, n, key->bit == OF_FLOWS, err);
}

/* Runs of a scenario: one for each engine, under its own arbitration. */

static void
add_run(struct figure_reading *f, const struct scenario *s, const char *engine, const char *line,
        bool has_panel)
{
    const char *overlay = "";
    struct err unused;

    figure_word(f->node, "overlay", &overlay, &unused);
    bool is_overlaid = !strcmp(overlay, "yes");
    char both[200];
    snprintf(both, sizeof both, "%s%s%s", line, *line && has_panel && is_overlaid ? ", " : "",
             has_panel && is_overlaid ? engine : "");
    figure_line(&f->drawn, s->name, engine, scn_arbitration(s), both,
                has_panel && !is_overlaid ? engine : "", NULL);
}

/* Adds a run for each engine that the scenario's claims name, or the scenario's own run if it has
 * no claims. */
static void
add_claimed(struct figure_reading *f, const struct scenario *s, const char *line)
{
    const char *engines[FIGURE_MAX_ITEMS];
    size_t n = 0;

    for (size_t i = 0; i < s->n_claims; i++) {
        const char *name = s->claims[i].engine->about.name;
        if (text_find(name, engines, sizeof *engines, n) == n && n < FIGURE_MAX_ITEMS) {
            engines[n++] = name;
        }
    }
    for (size_t i = 0; i < n; i++) {
        add_run(f, s, engines[i], line, n > 1);
    }
    if (!n) {
        add_run(f, s, "", line, false);
    }
}

static bool
check_overlay(const struct figure_reading *f, struct err *err)
{
    const struct scn_node *n = scn_child(f->node, "overlay");

    return !n || (n->kind == SCN_WORD && (!strcmp(n->word, "yes") || !strcmp(n->word, "no"))) ||
           scn_fail(n, err, "expected yes or no");
}

static bool
add_runs(struct figure_reading *f, const struct scenario *s, const char *line, struct err *err)
{
    const struct scn_node *list = scn_child(f->node, "engines");
    struct figure_items engines;

    if (!check_overlay(f, err)) {
        return false;
    }
    if (!list) {
        add_claimed(f, s, line);
        return true;
    }
    if (list->kind != SCN_LIST) {
        return scn_fail(list, err, "expected a list of engines, as in [pfc, gfc-buffer]");
    }
    if (!figure_items_read(list, &engines, err)) {
        return false;
    }
    for (size_t i = 0; i < engines.n; i++) {
        const struct figure_item *engine = &engines.all[i];
        if (!weir_engine_find(engine->word)) {
            return scn_fail(engine->node, err, "unknown engine '%s'", engine->word);
        }
        add_run(f, s, engine->word, line, engines.n > 1);
    }
    return true;
}

/* Runs of a study: one for each value of 'lines' and 'panels'. */

struct axes {
    const struct scn_study_axis *lines, *panels; /* Or null. */
    struct figure_items line_values, panel_values;
};

static bool
read_axis(const struct figure_reading *f, const struct scn_study *s, const char *key,
          const struct scn_study_axis **axis, struct figure_items *values, struct err *err)
{
    *values = (struct figure_items){ .n = 1, .all = { { .label = "" } } };
    return figure_axis(f, s, key, axis, err) && (!*axis || figure_values(f, *axis, values, err));
}

static uint64_t
move(const struct scn_study *s, uint64_t run, const struct scn_study_axis *axis, const char *value)
{
    uint64_t place;

    return axis && scn_study_find(axis, value, &place)
               ? scn_study_moved(s, run, (size_t)(axis - s->axes), place)
               : run;
}

/* The run with the first values of `where`, and the first values of all other axes. */
static bool
first_run(const struct figure_reading *f, const struct scn_study *s, uint64_t *run, struct err *err)
{
    const struct scn_node *where = scn_child(f->node, "where");
    struct figure_items values;

    *run = 0;
    if (where && where->kind != SCN_MAP) {
        return scn_fail(where, err, "expected a map, as in {run.seed: \"1\"}");
    }
    for (size_t i = 0; where && i < where->n_children; i++) {
        const struct scn_study_axis *axis = scn_study_axis(s, where->children[i]->key);
        if (!axis) {
            return scn_fail_key(where->children[i], err, "the study does not vary '%s'",
                                where->children[i]->key);
        }
        if (!figure_values(f, axis, &values, err)) {
            return false;
        }
        *run = move(s, *run, axis, values.all[0].word);
    }
    return true;
}

static bool
add_study_runs(struct figure_reading *f, const struct scn_study *s, const char *in, struct err *err)
{
    struct axes a;
    char name[REPRODUCE_RUN_BYTES], line[200];
    uint64_t first;

    if (!read_axis(f, s, "lines", &a.lines, &a.line_values, err) ||
        !read_axis(f, s, "panels", &a.panels, &a.panel_values, err) ||
        !first_run(f, s, &first, err)) {
        return false;
    }
    for (size_t p = 0; p < a.panel_values.n; p++) {
        uint64_t at = move(s, first, a.panels, a.panel_values.all[p].word);
        for (size_t l = 0; l < a.line_values.n; l++) {
            const char *label = a.line_values.all[l].label;
            reproduce_name_run(s, move(s, at, a.lines, a.line_values.all[l].word), name);
            snprintf(line, sizeof line, "%s%s%s", in, *in && *label ? ", " : "", label);
            figure_line(&f->drawn, name, "", "", line, a.panel_values.all[p].label, NULL);
        }
    }
    return true;
}

static int
read_one(struct figure_reading *f, const struct subject_key *key, size_t in, struct err *err)
{
    struct figure_file file;
    struct scenario s;
    const char *line = f->in.n > 1 ? f->in.all[in].label : "";
    int code = figure_file_read(f, &f->in.all[in], &file, err);

    if (code != EXIT_GOOD) {
        return code;
    }
    unsigned kind = file.is_study ? FIGURE_OF_STUDY_RUNS : FIGURE_OF_SCENARIO;
    code = figure_check_keys(f->node, kind, err)
               ? outcome_read(&s, file.is_study ? file.study.base : file.path, NULL, 0, err)
               : EXIT_USER;
    if (code == EXIT_GOOD) {
        bool good = (in || read_subjects(f, key, &s, err)) &&
                    (file.is_study ? add_study_runs(f, &file.study, line, err)
                                   : add_runs(f, &s, line, err));
        if (!in) {
            snprintf(f->scenario, sizeof f->scenario, "%s",
                     file.is_study ? file.study.name : s.name);
        }
        code = good ? EXIT_GOOD : EXIT_USER;
        scn_free(&s);
    }
    if (file.is_study) {
        scn_study_free(&file.study);
    }
    return code;
}

int
figure_read_runs(struct figure_reading *f, struct err *err)
{
    const struct drawn *drawn = find_drawn(scn_child(f->node, "of"), err);
    const struct subject_key *key = drawn ? find_subject(f->node, drawn, err) : NULL;
    int code = key ? EXIT_GOOD : EXIT_USER;

    for (size_t i = 0; i < f->in.n && code == EXIT_GOOD; i++) {
        snprintf(f->quantity, sizeof f->quantity, "%s", drawn->name);
        f->unit = drawn->unit;
        code = read_one(f, key, i, err);
    }
    return code;
}
