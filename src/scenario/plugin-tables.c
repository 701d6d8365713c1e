/* Writes the components that a scenario can choose by name, as text, Markdown and JSON. */

#include "scenario/plugin-tables.h"

#include <stdio.h>

#include "scenario/resolver.h"

/* Engines have counters as well as parameters. */

static const struct weir_field no_fields[] = { { 0 } };

static const struct weir_field *
counters_of(const struct weir_registry *registry, const struct weir_plugin *p)
{
    return registry == &weir_engines ? ((const struct weir_engine *)p)->counters : NULL;
}

/* Whether a plug-in is a format of networks with a config. */
static bool
has_knobs(const struct weir_registry *registry, const struct weir_plugin *p)
{
    return registry == &scn_topologies && !((const struct topology *)p)->build &&
           ((const struct scn_format *)p)->knobs;
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

struct scn_fields
scn_fields_of_plugin(const struct weir_registry *registry, const struct weir_plugin *p)
{
    return (struct scn_fields){ "parameter", scn_choice_fields(p), scn_plugin_keys(registry, p),
                                NULL };
}

static void
write_plugin_text(FILE *out, const struct weir_registry *registry, const struct weir_plugin *p)
{
    const struct scn_fields t = scn_fields_of_plugin(registry, p);
    const struct weir_field *counters = counters_of(registry, p);

    fprintf(out, "%s: %s\n", p->name, p->title);
    if (p->source) {
        fprintf(out, "source: %s\n", p->source);
    }
    fprintf(out, "\nparameters:%s\n", t.fields->name || t.keys->name ? "" : " none");
    scn_fields_text(out, &t);
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

static void
json_counters(struct json *j, const struct weir_field *counters)
{
    json_open(j, "counters", '[');
    for (const struct weir_field *f = counters; f->name; f++) {
        scn_json_named(j, f->name, f->help);
    }
    json_close(j, ']');
}

static void
json_plugin(struct json *j, const struct weir_registry *registry, const struct weir_plugin *p)
{
    const struct scn_fields t = scn_fields_of_plugin(registry, p);
    const struct weir_field *counters = counters_of(registry, p);

    json_open(j, NULL, '{');
    json_text(j, "name", p->name);
    json_text(j, "title", p->title);
    json_text(j, "source", p->source);
    scn_json_fields(j, "parameters", t.fields);
    if (t.keys->name) {
        scn_json_keys(j, "keys", t.keys);
    }
    if (counters) {
        json_counters(j, counters);
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
markdown_counters(FILE *out, const struct weir_field *counters)
{
    fprintf(out, counters->name ? "\n| counter | meaning |\n| --- | --- |\n" : "\nNo counters.\n");
    for (const struct weir_field *f = counters; f->name; f++) {
        fprintf(out, "| `%s` | %s |\n", f->name, f->help);
    }
}

static void
write_plugin_markdown(FILE *out, const struct weir_registry *registry, const struct weir_plugin *p)
{
    const struct scn_fields t = scn_fields_of_plugin(registry, p);
    const struct weir_field *counters = counters_of(registry, p);

    if (t.fields->name || t.keys->name) {
        scn_fields_markdown(out, &t);
    } else {
        fprintf(out, "No parameters.\n");
    }
    if (counters) {
        markdown_counters(out, counters);
    }
    if (has_knobs(registry, p)) {
        scn_write_knobs_markdown(out);
    }
}

static void
list_markdown(FILE *out, const struct weir_registry *registry)
{
    fprintf(out, "| name | meaning | source |\n| --- | --- | --- |\n");
    for (const struct weir_plugin *const *p = registry->plugins; *p; p++) {
        fprintf(out, "| `%s` | %s | %s |\n", (*p)->name, (*p)->title,
                (*p)->source ? (*p)->source : "-");
    }
}

void
scn_write_plugin(FILE *out, const struct weir_registry *registry, const struct weir_plugin *p,
                 enum scn_list_form form)
{
    struct json j = { .out = out, .lines = 3 };

    if (form == SCN_LIST_TEXT) {
        write_plugin_text(out, registry, p);
    } else if (form == SCN_LIST_MARKDOWN) {
        write_plugin_markdown(out, registry, p);
    } else {
        json_open(&j, NULL, '[');
        json_plugin(&j, registry, p);
        json_close(&j, ']');
    }
}

void
scn_write_plugins(FILE *out, const struct scn_registry *r, enum scn_list_form form)
{
    struct json j = { .out = out, .lines = 3 };

    if (form == SCN_LIST_TEXT) {
        list_text(out, r);
    } else if (form == SCN_LIST_MARKDOWN) {
        list_markdown(out, r->registry);
    } else {
        scn_json_plugins(&j, NULL, r->registry);
    }
}
