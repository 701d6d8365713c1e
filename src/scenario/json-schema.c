/* Writes a JSON schema of scenario files, from the tables that read them. */

#include "scenario/json-schema.h"

#include <stdio.h>
#include <string.h>

#include "base/json.h"
#include "scenario/field-tables.h"
#include "scenario/resolver.h"
#include "scenario/study.h"

/* Common pieces of a schema. */

static void
write_type(struct json *j, const char *type, const char *other)
{
    if (!other) {
        json_text(j, "type", type);
        return;
    }
    json_open(j, "type", '[');
    json_text(j, NULL, type);
    json_text(j, NULL, other);
    json_close(j, ']');
}

/* A definition: "#/$defs/node". */
static void
write_ref(struct json *j, const char *name)
{
    char place[80];

    snprintf(place, sizeof place, "#/$defs/%s", name);
    json_text(j, "$ref", place);
}

static void
write_list_of(struct json *j, const char *name)
{
    write_type(j, "array", NULL);
    json_open(j, "items", '{');
    write_ref(j, name);
    json_close(j, '}');
}

static const char *const yes_or_no[] = { "yes", "no", NULL };

/* The names end with null. */
static void
write_names(struct json *j, const char *const *names)
{
    json_open(j, "enum", '[');
    for (size_t i = 0; names[i]; i++) {
        json_text(j, NULL, names[i]);
    }
    json_close(j, ']');
}

/* Shapes: the values that a key may have. */

static void
write_weights(struct json *j)
{
    write_type(j, "array", NULL);
    json_number(j, "maxItems", WEIR_MAX_CLASSES);
    json_open(j, "items", '{');
    write_type(j, "integer", NULL);
    json_number(j, "minimum", 0);
    json_number(j, "maximum", 1000);
    json_close(j, '}');
}

static void
write_pair_of(struct json *j)
{
    json_number(j, "minItems", 2);
    json_number(j, "maxItems", 2);
}

static void
write_quantity(struct json *j)
{
    const char *names[SCN_MAX_CLAIM_NAMES + 1];

    names[scn_claim_list_of(names)] = NULL;
    write_names(j, names);
}

static void
write_tolerance(struct json *j)
{
    write_type(j, "number", "string");
    json_number(j, "minimum", 0);
    json_number(j, "maximum", 1);
    json_text(j, "pattern", "^(100|[0-9]{1,2}([.][0-9]+)?)%$");
}

static void
write_ref_in(struct json *j, const char *name)
{
    json_open(j, NULL, '{');
    write_ref(j, name);
    json_close(j, '}');
}

/* A value of any unit, a number or a percentage. */
static void
write_published(struct json *j)
{
    static const char *const kinds[] = { "bytes", "rate", "time" };

    json_open(j, "anyOf", '[');
    json_open(j, NULL, '{');
    write_names(j, yes_or_no);
    json_close(j, '}');
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++) {
        write_ref_in(j, kinds[i]);
    }
    json_open(j, NULL, '{');
    write_type(j, "number", "string");
    json_number(j, "minimum", 0);
    json_text(j, "pattern", "^[0-9]+([.][0-9]+)?%$");
    json_close(j, '}');
    json_close(j, ']');
}

/* The name of a distribution, or its points. */
static void
write_sizes(struct json *j)
{
    json_open(j, "anyOf", '[');
    json_open(j, NULL, '{');
    write_type(j, "string", NULL);
    json_close(j, '}');
    json_open(j, NULL, '{');
    write_type(j, "array", NULL);
    json_open(j, "items", '{');
    write_type(j, "array", NULL);
    write_pair_of(j);
    json_close(j, '}');
    json_close(j, '}');
    json_close(j, ']');
}

static const char *const all_or_none[] = { "all", "none", NULL };

enum { MAX_ONES = 2 };

/* A shape allows certain words, certain definitions, or a list of one definition.  It has one or
 * two types, or is equal to another property. */
static const struct shape {
    const char *type, *or_type, *like;
    const char *const *words;
    const char *one[MAX_ONES];
    const char *list_of;
    void (*write)(struct json *); /* Writes a shape that has none of the above. */
} shapes[] = {
    [SCN_TEXT] = { .type = "string", .or_type = "number" },
    [SCN_FILE] = { .type = "string" },
    [SCN_NODE_NAME] = { .one = { "node" } },
    [SCN_NODE_NAMES] = { .list_of = "node" },
    [SCN_PAIR] = { .one = { "pair" } },
    [SCN_PORT] = { .one = { "port" } },
    [SCN_PAIRS] = { .list_of = "port" },
    [SCN_PORTS] = { .words = all_or_none, .list_of = "port" },
    [SCN_FAILURES] = { .one = { "failures" } },
    [SCN_ROOTS] = { .one = { "node" }, .list_of = "node" },
    [SCN_COUNT] = { .type = "integer" },
    [SCN_TIMES] = { .one = { "time" }, .list_of = "time" },
    [SCN_WEIGHTS] = { .write = write_weights },
    [SCN_QUANTITY] = { .write = write_quantity },
    [SCN_TOLERANCE] = { .write = write_tolerance },
    [SCN_PUBLISHED] = { .write = write_published },
    [SCN_ENGINE_NAME] = { .one = { "engine" } },
    [SCN_STACK] = { .one = { "engine" }, .list_of = "engine" },
    [SCN_EXPECTATIONS] = { .one = { "expectation" }, .list_of = "expectation" },
    [SCN_GROUPS] = { .one = { "groups" } },
    [SCN_SIZES] = { .write = write_sizes },
    [SCN_WORKLOADS] = { .one = { "workload" }, .list_of = "workload" },
    [SCN_FLOWS] = { .one = { "flow_files" }, .list_of = "flow" },
    [SCN_LINKS] = { .list_of = "link" },
    [SCN_STATICS] = { .list_of = "static" },
    [SCN_STALLS] = { .list_of = "stall" },
    [SCN_ROLES] = { .list_of = "role" },
    [SCN_SPEEDS] = { .list_of = "speed" },
    [SCN_SLOWINGS] = { .list_of = "slowing" },
    [SCN_SECTION] = { .like = "#/properties/switch" },
    [SCN_PARAMETERS] = { .like = "#/properties/engines" },
    [SCN_CLAIMS] = { .list_of = "claim" },
};

static void
write_any_of(struct json *j, const struct shape *s)
{
    json_open(j, "anyOf", '[');
    if (s->words) {
        json_open(j, NULL, '{');
        write_names(j, s->words);
        json_close(j, '}');
    }
    for (size_t i = 0; i < MAX_ONES && s->one[i]; i++) {
        write_ref_in(j, s->one[i]);
    }
    if (s->list_of) {
        json_open(j, NULL, '{');
        write_list_of(j, s->list_of);
        json_close(j, '}');
    }
    json_close(j, ']');
}

static void
write_shape(struct json *j, enum scn_shape shape)
{
    const struct shape *s = &shapes[shape];

    if (s->write) {
        s->write(j);
    } else if (s->type) {
        write_type(j, s->type, s->or_type);
    } else if (s->like) {
        json_text(j, "$ref", s->like);
    } else if (s->words || (s->one[0] && s->list_of)) {
        write_any_of(j, s);
    } else if (s->list_of) {
        write_list_of(j, s->list_of);
    } else {
        write_ref(j, s->one[0]);
    }
}

/* Fields. */

/* Writes the pattern of a number with a unit of its kind.  The number 0 needs no unit. */
static void
write_with_unit(struct json *j, enum weir_kind kind, bool may_be_0)
{
    struct weir_text pattern = { 0 };

    weir_text_add(&pattern, "^(%s[0-9]+([.][0-9]+)? ?(", may_be_0 ? "0|" : "");
    for (uint32_t i = 0; weir_kind_unit(kind, i); i++) {
        weir_text_add(&pattern, "%s%s", i ? "|" : "", weir_kind_unit(kind, i));
    }
    weir_text_add(&pattern, "))$");
    write_type(j, "string", may_be_0 ? "integer" : NULL);
    json_text(j, "pattern", pattern.s);
    if (may_be_0) {
        json_number(j, "minimum", 0);
        json_number(j, "maximum", 0);
    }
}

static void
write_range(struct json *j, const struct weir_field *f)
{
    json_number(j, "minimum", f->min);
    json_number(j, "maximum", f->max);
}

static void
write_kind(struct json *j, const struct weir_field *f)
{
    switch (f->kind) {
    case WEIR_BYTES:
    case WEIR_TIME:
    case WEIR_RATE:
        write_with_unit(j, f->kind, !f->min);
        break;
    case WEIR_COUNT:
        write_type(j, "integer", NULL);
        write_range(j, f);
        break;
    case WEIR_CODE:
        write_type(j, "integer", "string");
        write_range(j, f);
        json_text(j, "pattern", "^0x[0-9a-fA-F]+$");
        break;
    case WEIR_RATIO:
        write_type(j, "number", NULL);
        json_real(j, "minimum", (double)f->min / WEIR_RATIO_1, 9);
        json_real(j, "maximum", (double)f->max / WEIR_RATIO_1, 9);
        break;
    case WEIR_CHOICE:
        scn_json_choices(j, "enum", f);
        break;
    }
}

/* The meaning of a field, with the range and default that a pattern cannot express. */
static void
write_description(struct json *j, const struct weir_field *f)
{
    struct weir_text text = { 0 };
    bool has_range = f->kind != WEIR_CHOICE && f->max != UINT64_MAX;

    weir_text_add(&text, "%s", f->help ? f->help : "");
    if (has_range) {
        weir_text_add(&text, "  From %F to %F.", f, f->min, f, f->max);
    }
    if (f->fallback == WEIR_AUTO && f->derived) {
        weir_text_add(&text, "  If not given: %s.", f->derived);
    } else if (f->fallback != UINT64_MAX) {
        weir_text_add(&text, "  Default: %F.", f, f->fallback);
    }
    json_text(j, "description", text.s);
}

/* A word outside the values of the field's kind. */
static void
write_word(struct json *j, const char *word, bool is_allowed)
{
    if (is_allowed) {
        json_open(j, NULL, '{');
        json_text(j, "const", word);
        json_close(j, '}');
    }
}

static void
write_field(struct json *j, const struct weir_field *f)
{
    json_open(j, f->name, '{');
    write_description(j, f);
    if (!f->derived && !f->may_be_off) {
        write_kind(j, f);
        json_close(j, '}');
        return;
    }
    json_open(j, "anyOf", '[');
    write_word(j, "auto", f->derived);
    write_word(j, "off", f->may_be_off);
    json_open(j, NULL, '{');
    write_kind(j, f);
    json_close(j, '}');
    json_close(j, ']');
    json_close(j, '}');
}

static void
write_key(struct json *j, const struct scn_key *k)
{
    json_open(j, k->name, '{');
    json_text(j, "description", k->help);
    write_shape(j, k->shape);
    json_close(j, '}');
}

static void
write_required_key(struct json *j, const char *key)
{
    json_open(j, NULL, '{');
    json_open(j, "required", '[');
    json_text(j, NULL, key);
    json_close(j, ']');
    json_close(j, '}');
}

/* One key, or one of several others, is required. */
static void
write_either(struct json *j, const char *one, const char *const *others)
{
    json_open(j, "anyOf", '[');
    write_required_key(j, one);
    for (; *others; others++) {
        write_required_key(j, *others);
    }
    json_close(j, ']');
}

static void
write_required(struct json *j, const struct scn_table *table)
{
    if (table->implied_by) {
        write_either(j, table->needed_field, table->implied_by);
        return;
    }
    json_open(j, "required", '[');
    if (table->needed_field) {
        json_text(j, NULL, table->needed_field);
    }
    for (const struct scn_key *k = table->keys; k && k->name; k++) {
        if (k->is_needed) {
            json_text(j, NULL, k->name);
        }
    }
    json_close(j, ']');
}

/* Writes the meaning of the field or key of a plug-in with this name; false if it has none. */
static bool
write_meaning(struct json *j, const struct scn_choice *c, const struct weir_plugin *p,
              const char *name)
{
    const struct weir_field *f = weir_field_find(scn_choice_fields(p), name);
    const struct scn_key *k = scn_choice_keys(c, p);

    while (k->name && strcmp(k->name, name)) {
        k++;
    }
    if (f) {
        write_field(j, f);
    } else if (k->name) {
        write_key(j, k);
    }
    return f || k->name;
}

/* Writes the "if" for a chosen plug-in.  The default choice also applies if the key is missing,
 * unless another key replaces it. */
static void
write_condition(struct json *j, const struct scn_table *table, const struct scn_choice *c,
                size_t number)
{
    json_open(j, "if", '{');
    json_open(j, "properties", '{');
    json_open(j, c->field, '{');
    json_text(j, "const", scn_choice_registry(table, c)->plugins[number]->name);
    json_close(j, '}');
    json_close(j, '}');
    json_open(j, "required", '[');
    if (table->implied_by || weir_field_find(table->fields, c->field)->fallback != number) {
        json_text(j, NULL, c->field);
    }
    json_close(j, ']');
    json_close(j, '}');
}

/* Writes the "then": the meaning of each name for the chosen plug-in, or for another plug-in whose
 * keys are allowed, too. */
static void
write_chosen(struct json *j, const struct scn_table *table, const struct scn_choice *c,
             const struct weir_plugin *chosen)
{
    const char *names[SCN_MAX_NAMES];
    size_t n = scn_choice_names(table, c, names);

    json_open(j, "then", '{');
    json_open(j, "properties", '{');
    for (size_t i = 0; i < n; i++) {
        const struct weir_plugin *const *p = scn_choice_registry(table, c)->plugins;
        bool is_known = write_meaning(j, c, chosen, names[i]);
        for (; c->takes && *p && !is_known; p++) {
            is_known = c->takes(chosen, *p) && write_meaning(j, c, *p, names[i]);
        }
        if (!is_known) {
            json_bool(j, names[i], false);
        }
    }
    json_close(j, '}');
    json_close(j, '}');
}

static void
write_all_chosen(struct json *j, const struct scn_table *table)
{
    json_open(j, "allOf", '[');
    for (const struct scn_choice *c = table->choices; c->field; c++) {
        const struct weir_plugin *const *plugins = scn_choice_registry(table, c)->plugins;
        for (size_t i = 0; plugins[i]; i++) {
            json_open(j, NULL, '{');
            write_condition(j, table, c, i);
            write_chosen(j, table, c, plugins[i]);
            json_close(j, '}');
        }
    }
    json_close(j, ']');
}

static void
write_properties(struct json *j, const struct scn_table *table)
{
    json_open(j, "properties", '{');
    for (const struct weir_field *f = table->fields; f->name; f++) {
        write_field(j, f);
    }
    for (const struct scn_key *k = table->keys; k && k->name; k++) {
        write_key(j, k);
    }
    for (const struct scn_choice *c = table->choices; c && c->field; c++) {
        const char *names[SCN_MAX_NAMES];
        size_t n = scn_choice_names(table, c, names);
        for (size_t i = 0; i < n; i++) {
            json_bool(j, names[i], true);
        }
    }
    json_close(j, '}');
}

static void
write_map(struct json *j, const char *name, const struct scn_table *table)
{
    json_open(j, name, '{');
    write_type(j, "object", NULL);
    json_bool(j, "additionalProperties", false);
    write_required(j, table);
    write_properties(j, table);
    if (table->choices) {
        write_all_chosen(j, table);
    }
    json_close(j, '}');
}

static void
write_parameters(struct json *j)
{
    write_type(j, "object", NULL);
    json_bool(j, "additionalProperties", false);
    json_open(j, "properties", '{');
    for (uint32_t e = 0; weir_engine_at(e); e++) {
        const struct weir_plugin *about = &weir_engine_at(e)->about;
        write_map(j, about->name, &(struct scn_table){ .fields = about->params });
    }
    json_close(j, '}');
}

/* Writes a section.  If it has a kind, it may be that word alone. */
static void
write_section(struct json *j, const struct scn_table *section)
{
    if (!section->short_field) {
        write_map(j, section->name, section);
        return;
    }
    json_open(j, section->name, '{');
    json_open(j, "anyOf", '[');
    json_open(j, NULL, '{');
    scn_json_choices(j, "enum", weir_field_find(section->fields, section->short_field));
    json_close(j, '}');
    write_map(j, NULL, section);
    json_close(j, ']');
    json_close(j, '}');
}

static void
write_top_key(struct json *j, const struct scn_key *k)
{
    if (k->shape != SCN_PARAMETERS) {
        write_key(j, k);
        return;
    }
    json_open(j, k->name, '{');
    json_text(j, "description", k->help);
    write_parameters(j);
    json_close(j, '}');
}

/* Definitions of values, and of maps that are items of lists. */

static void
write_values(struct json *j)
{
    static const struct {
        const char *name;
        enum weir_kind kind;
    } values[] = { { "bytes", WEIR_BYTES }, { "rate", WEIR_RATE }, { "time", WEIR_TIME } };
    const struct weir_field engine = { .kind = WEIR_CHOICE, .registry = &weir_engines };

    json_open(j, "node", '{');
    write_type(j, "string", "integer");
    json_close(j, '}');
    json_open(j, "pair", '{');
    write_list_of(j, "node");
    write_pair_of(j);
    json_close(j, '}');
    json_open(j, "port", '{');
    json_open(j, "anyOf", '[');
    write_ref_in(j, "node");
    write_ref_in(j, "pair");
    json_close(j, ']');
    json_close(j, '}');
    for (size_t i = 0; i < sizeof values / sizeof *values; i++) {
        json_open(j, values[i].name, '{');
        write_with_unit(j, values[i].kind, true);
        json_close(j, '}');
    }
    json_open(j, "engine", '{');
    scn_json_choices(j, "enum", &engine);
    json_close(j, '}');
    json_open(j, "expectation", '{');
    write_names(j, scn_expectations);
    json_close(j, '}');
}

static void
write_definitions(struct json *j)
{
    static const struct {
        const char *name;
        const struct scn_table *table;
    } maps[] = {
        { "flow", &scn_flow_table },
        { "workload", &scn_workload_table },
        { "flow_files", &scn_flow_files_table },
        { "failures", &scn_failures_table },
        { "groups", &scn_groups_table },
        { "link", &scn_link_table },
        { "static", &scn_static_table },
        { "role", &scn_role_table },
        { "speed", &scn_speed_table },
        { "slowing", &scn_slowing_table },
        { "stall", &scn_stall_table },
        { "claim", &scn_claim_table },
    };

    json_open(j, "$defs", '{');
    write_values(j);
    for (size_t i = 0; i < sizeof maps / sizeof *maps; i++) {
        write_map(j, maps[i].name, maps[i].table);
    }
    json_close(j, '}');
}

/* A scenario must have a topology or a base. */
static void
write_needed(struct json *j)
{
    static const char *const needed[] = { "topology", "base" };

    json_open(j, "anyOf", '[');
    for (size_t i = 0; i < sizeof needed / sizeof *needed; i++) {
        json_open(j, NULL, '{');
        json_open(j, "required", '[');
        json_text(j, NULL, needed[i]);
        json_close(j, ']');
        json_close(j, '}');
    }
    json_close(j, ']');
}

void
scn_write_json_schema(FILE *out)
{
    struct json j = { .out = out, .lines = 4 };
    struct scn_table section;

    json_open(&j, NULL, '{');
    json_text(&j, "$schema", "https://json-schema.org/draft/2020-12/schema");
    json_text(&j, "title", "Weir scenario");
    write_type(&j, "object", NULL);
    json_bool(&j, "additionalProperties", false);
    write_needed(&j);
    json_open(&j, "properties", '{');
    for (size_t i = 0; scn_section_at(i, &section); i++) {
        write_section(&j, &section);
    }
    for (const struct scn_key *k = scn_top_keys; k->name; k++) {
        write_top_key(&j, k);
    }
    json_close(&j, '}');
    write_definitions(&j);
    json_close(&j, '}');
}
