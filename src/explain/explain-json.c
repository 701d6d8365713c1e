/* Writes every value of a scenario that can be set as JSON, for the form on the page. */

#include <stdio.h>
#include <string.h>

#include "explain/explain.h"
#include "scenario/field-tables.h"
#include "scenario/plugin-tables.h"
#include "workload/pattern.h"

static void
json_field(struct json *j, const char *kind, const struct weir_field *f)
{
    struct weir_text min = { 0 }, max = { 0 };

    json_text(j, "kind", kind);
    json_bool(j, "may_be_auto", f->derived);
    json_bool(j, "may_be_off", f->may_be_off);
    if (f->kind != WEIR_CHOICE) {
        weir_text_add(&min, "%F", f, f->min);
        weir_text_add(&max, "%F", f, f->max);
        json_text(j, "min", min.s);
        json_text(j, "max", max.s);
        return;
    }
    scn_json_choices(j, "choices", f);
}

static void
json_value(void *arg, const struct scn_value *v)
{
    static const struct weir_field engine = { .kind = WEIR_CHOICE, .registry = &weir_engines };
    struct json *j = arg;
    bool is_engine = !*v->section && !strcmp(v->key, "engine");
    char key[100];

    if (!v->field && !is_engine) {
        return;
    }
    snprintf(key, sizeof key, "%s%s%s", v->section, *v->section ? "." : "", v->key);
    json_open(j, NULL, '{');
    json_text(j, "key", key);
    json_text(j, "value", v->text);
    json_text(j, "origin", v->origin);
    json_text(j, "help", v->help ? v->help : "");
    if (is_engine) {
        json_field(j, "engine", &engine);
    } else {
        json_field(j, weir_kind_name(v->field->kind), v->field);
    }
    json_close(j, '}');
}

/* Writes the patterns of the scenario, the number of listed flows, and the patterns that can be
 * chosen. */

static void
json_workload(void *arg, const struct scn_value *v)
{
    if (!*v->section && !strcmp(v->key, "workload") && v->n_items) {
        json_text(arg, NULL, v->text);
    }
}

static void
count_flows(void *arg, const struct scn_value *v)
{
    uint64_t *n = arg;

    *n += !*v->section && !strcmp(v->key, "flows") && v->n_items;
}

static void
json_traffic(struct json *j, const struct scenario *s)
{
    uint64_t n_flows = 0;

    scn_each_value(s, count_flows, &n_flows);
    json_number(j, "flows", n_flows);
    json_open(j, "workload", '[');
    scn_each_value(s, json_workload, j);
    json_close(j, ']');
    scn_json_plugins(j, "patterns", &wl_patterns);
    scn_json_plugins(j, "engines", &weir_engines);
}

/* Writes the knobs of a config of HPCC's simulator, and their use in the run. */
static void
json_knobs(struct json *j, const struct scenario *s)
{
    json_open(j, "knobs", '[');
    for (size_t i = 0; i < s->n_knobs; i++) {
        const struct scn_knob_taken *k = &s->knobs[i];
        json_open(j, NULL, '{');
        json_text(j, "name", k->knob->name);
        json_text(j, "value", k->value);
        json_bool(j, "is_default", !k->is_given);
        json_text(j, "use", scn_knob_uses[k->use]);
        json_text(j, "remark", k->knob->remark);
        json_close(j, '}');
    }
    json_close(j, ']');
}

void
explain_write_json(FILE *out, const struct scenario *s)
{
    struct json j = { .out = out, .lines = 2 };

    json_open(&j, NULL, '{');
    json_text(&j, "name", s->name);
    json_open(&j, "values", '[');
    scn_each_value(s, json_value, &j);
    json_close(&j, ']');
    json_traffic(&j, s);
    if (s->n_knobs) {
        json_knobs(&j, s);
    }
    json_close(&j, '}');
}
