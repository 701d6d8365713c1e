/* Writes what a scenario can choose by name, as text, Markdown and JSON. */

#include "scenario/plugin-tables.h"

#include <stdio.h>
#include <string.h>

#include "scenario/resolver.h"

/* Tables of parameters, of counters of engines, and of scenario keys that are not numbers. */

static const struct weir_field no_fields[] = { { 0 } };

static const struct weir_field *
counters_of(const struct weir_registry *registry, const struct weir_plugin *p)
{
    return registry == &weir_engines ? ((const struct weir_engine *)p)->counters : NULL;
}

/* A format of networks whose program has a config. */
static bool
has_knobs(const struct weir_registry *registry, const struct weir_plugin *p)
{
    return registry == &scn_topologies && !((const struct topology *)p)->build &&
           ((const struct scn_format *)p)->knobs;
}

/* The same facts in three forms. */

static const char *
value_text(const struct weir_field *f, uint64_t value, struct weir_text *text)
{
    *text = (struct weir_text){ 0 };
    weir_text_add(text, "%F", f, value);
    return text->s;
}

/* A value without end or limit is said by leaving it out. */
static const char *
default_text(const struct weir_field *f, struct weir_text *text)
{
    return f->fallback == WEIR_AUTO && !f->derived ? "-" : value_text(f, f->fallback, text);
}

static const char *
range_text(const struct weir_field *f, struct weir_text *text)
{
    *text = (struct weir_text){ 0 };
    if (f->kind == WEIR_CHOICE) {
        const char *name;
        for (uint32_t i = 0; (name = weir_field_choice(f, i)); i++) {
            weir_text_add(text, "%s%s", i ? " or " : "", name);
        }
    } else {
        weir_text_add(text, "%F to %F%s", f, f->min, f, f->max, f->may_be_off ? ", or off" : "");
    }
    return text->s;
}

static void
list_text(FILE *out, const struct scn_registry *r)
{
    for (const struct weir_plugin *const *p = r->registry->plugins; *p; p++) {
        fprintf(out, "%-15s %s\n", (*p)->name, (*p)->title);
    }
    fprintf(out,
            "\n'weir %s NAME' shows one with its parameters. A scenario chooses one by '%s', "
            "and sets its parameters %s.\n",
            r->registry->many, r->key, r->params);
}

static void
text_fields(FILE *out, const struct weir_field *fields)
{
    struct weir_text text;

    for (const struct weir_field *f = fields; f->name; f++) {
        fprintf(out, "  %-12s %-7s default %s", f->name, weir_kind_name(f->kind),
                default_text(f, &text));
        fprintf(out, ", %s\n", range_text(f, &text));
        fprintf(out, "%15s%s\n", "", f->help);
        if (f->derived) {
            fprintf(out, "%15sauto: %s\n", "", f->derived);
        }
        if (f->source && f->source[0] != '-') {
            fprintf(out, "%15ssource: %s\n", "", f->source);
        }
    }
}

static void
write_plugin_text(FILE *out, const struct weir_registry *registry, const struct weir_plugin *p)
{
    const struct weir_field *fields = scn_choice_fields(p), *counters = counters_of(registry, p);
    const struct scn_key *keys = scn_plugin_keys(registry, p);

    fprintf(out, "%s: %s\n", p->name, p->title);
    if (p->source) {
        fprintf(out, "source: %s\n", p->source);
    }
    fprintf(out, "\nparameters:%s\n", fields->name || keys->name ? "" : " none");
    text_fields(out, fields);
    for (const struct scn_key *k = keys; k->name; k++) {
        fprintf(out, "  %s\n", k->name);
        fprintf(out, "%15s%s\n", "", k->help);
    }
    if (counters) {
        fprintf(out, "\ncounters:%s\n", counters->name ? "" : " none");
    }
    for (const struct weir_field *f = counters ? counters : no_fields; f->name; f++) {
        fprintf(out, "  %-12s %s\n", f->name, f->help);
    }
    if (has_knobs(registry, p)) {
        scn_write_knobs_text(out);
    }
}

void
scn_json_choices(struct json *j, const char *key, const struct weir_field *f)
{
    const char *name;

    json_open(j, key, '[');
    for (uint32_t i = 0; (name = weir_field_choice(f, i)); i++) {
        json_text(j, NULL, name);
    }
    json_close(j, ']');
}

/* Numbers are in the base unit of their kind; texts are as a scenario has them. */
static void
json_value(struct json *j, const char *key, const struct weir_field *f, uint64_t value)
{
    struct weir_text text;
    char key_of_text[40];

    snprintf(key_of_text, sizeof key_of_text, "%s_text", key);
    if (value == WEIR_AUTO) { /* Left to be derived, or there is none. */
        json_null(j, key);
    } else {
        json_number(j, key, value);
    }
    json_text(j, key_of_text,
              value == WEIR_AUTO && !f->derived ? NULL : value_text(f, value, &text));
}

static void
json_range(struct json *j, const struct weir_field *f)
{
    if (f->kind != WEIR_CHOICE) {
        json_value(j, "min", f, f->min);
        json_value(j, "max", f, f->max);
        return;
    }
    scn_json_choices(j, "choices", f);
}

static void
json_field(struct json *j, const struct weir_field *f)
{
    json_open(j, NULL, '{');
    json_text(j, "name", f->name);
    json_text(j, "kind", weir_kind_name(f->kind));
    json_value(j, "default", f, f->fallback);
    json_range(j, f);
    json_text(j, "auto", f->derived);
    json_bool(j, "may_be_off", f->may_be_off);
    json_text(j, "help", f->help);
    json_text(j, "source", f->source);
    json_close(j, '}');
}

static void
json_named(struct json *j, const char *name, const char *help)
{
    json_open(j, NULL, '{');
    json_text(j, "name", name);
    json_text(j, "help", help);
    json_close(j, '}');
}

static void
json_plugin(struct json *j, const struct weir_registry *registry, const struct weir_plugin *p)
{
    const struct weir_field *counters = counters_of(registry, p);
    const struct scn_key *keys = scn_plugin_keys(registry, p);

    json_open(j, NULL, '{');
    json_text(j, "name", p->name);
    json_text(j, "title", p->title);
    json_text(j, "source", p->source);
    json_open(j, "parameters", '[');
    for (const struct weir_field *f = scn_choice_fields(p); f->name; f++) {
        json_field(j, f);
    }
    json_close(j, ']');
    if (keys->name) {
        json_open(j, "keys", '[');
        for (const struct scn_key *k = keys; k->name; k++) {
            json_named(j, k->name, k->help);
        }
        json_close(j, ']');
    }
    if (counters) {
        json_open(j, "counters", '[');
        for (const struct weir_field *f = counters; f->name; f++) {
            json_named(j, f->name, f->help);
        }
        json_close(j, ']');
    }
    if (has_knobs(registry, p)) {
        scn_json_knobs(j);
    }
    json_close(j, '}');
}

void
scn_json_plugins(struct json *j, const char *key, const struct weir_registry *registry)
{
    json_open(j, key, '[');
    for (const struct weir_plugin *const *p = registry->plugins; *p; p++) {
        json_plugin(j, registry, *p);
    }
    json_close(j, ']');
}

static void
markdown_fields(FILE *out, const struct weir_field *fields)
{
    struct weir_text text;

    for (const struct weir_field *f = fields; f->name; f++) {
        fprintf(out, "| `%s` | %s | %s", f->name, weir_kind_name(f->kind), default_text(f, &text));
        fprintf(out, " | %s | %s", range_text(f, &text), f->help);
        if (f->derived) {
            fprintf(out, " Auto: %s.", f->derived);
        }
        fprintf(out, " | %s |\n", f->source ? f->source : "-");
    }
}

static void
write_plugin_markdown(FILE *out, const struct weir_registry *registry, const struct weir_plugin *p)
{
    const struct weir_field *fields = scn_choice_fields(p), *counters = counters_of(registry, p);
    const struct scn_key *keys = scn_plugin_keys(registry, p);

    if (!fields->name && !keys->name) {
        fprintf(out, "No parameters.\n");
    } else {
        fprintf(out, "| name | kind | default | range | what it is | source |\n"
                     "| --- | --- | --- | --- | --- | --- |\n");
    }
    markdown_fields(out, fields);
    for (const struct scn_key *k = keys; k->name; k++) {
        fprintf(out, "| `%s` | - | - | - | %s | - |\n", k->name, k->help);
    }
    for (const struct weir_field *f = counters ? counters : no_fields; f->name; f++) {
        fprintf(out, "%s`%s`", f == counters ? "\nCounters: " : ", ", f->name);
    }
    if (counters) {
        fprintf(out, "%s.\n", counters->name ? "" : "\nCounters: none");
    }
    if (has_knobs(registry, p)) {
        scn_write_knobs_markdown(out);
    }
}

static void
list_markdown(FILE *out, const struct weir_registry *registry)
{
    fprintf(out, "| name | what it is | source |\n| --- | --- | --- |\n");
    for (const struct weir_plugin *const *p = registry->plugins; *p; p++) {
        fprintf(out, "| `%s` | %s | %s |\n", (*p)->name, (*p)->title,
                (*p)->source ? (*p)->source : "-");
    }
}

void
scn_write_plugin(FILE *out, const struct weir_registry *registry, const struct weir_plugin *p,
                 enum scn_plugin_form form)
{
    struct json j = { .out = out, .lines = 3 };

    if (form == SCN_PLUGIN_TEXT) {
        write_plugin_text(out, registry, p);
    } else if (form == SCN_PLUGIN_MARKDOWN) {
        write_plugin_markdown(out, registry, p);
    } else {
        json_open(&j, NULL, '[');
        json_plugin(&j, registry, p);
        json_close(&j, ']');
    }
}

void
scn_write_plugins(FILE *out, const struct scn_registry *r, enum scn_plugin_form form)
{
    struct json j = { .out = out, .lines = 3 };

    if (form == SCN_PLUGIN_TEXT) {
        list_text(out, r);
    } else if (form == SCN_PLUGIN_MARKDOWN) {
        list_markdown(out, r->registry);
    } else {
        scn_json_plugins(&j, NULL, r->registry);
    }
}
