#include "cli/schema.h"

#include <assert.h>
#include <stdio.h>
#include <string.h>

#include "base/json.h"
#include "cli/cli.h"
#include "scenario/scenario.h"

/* Shapes that are the same wherever they stand; the others are written below. */
static const char *const shapes[] = {
    [SCN_TEXT] = "\"type\": [\"string\", \"number\"]",
    [SCN_FILE] = "\"type\": \"string\"",
    [SCN_NODE_NAME] = "\"$ref\": \"#/$defs/node\"",
    [SCN_NODE_NAMES] = "\"type\": \"array\", \"items\": {\"$ref\": \"#/$defs/node\"}",
    [SCN_PAIR] = "\"$ref\": \"#/$defs/pair\"",
    [SCN_PAIRS] = "\"type\": \"array\", \"items\": {\"$ref\": \"#/$defs/pair\"}",
    [SCN_PORTS] = "\"anyOf\": [{\"enum\": [\"all\", \"none\"]}, "
                  "{\"type\": \"array\", \"items\": {\"$ref\": \"#/$defs/pair\"}}]",
    [SCN_FAILURES] = "\"$ref\": \"#/$defs/failures\"",
    [SCN_ROOTS] = "\"anyOf\": [{\"$ref\": \"#/$defs/node\"}, "
                  "{\"type\": \"array\", \"items\": {\"$ref\": \"#/$defs/node\"}}]",
    [SCN_TIMES] = "\"anyOf\": [{\"$ref\": \"#/$defs/time\"}, "
                  "{\"type\": \"array\", \"items\": {\"$ref\": \"#/$defs/time\"}}]",
    [SCN_WEIGHTS] = "\"type\": \"array\", \"maxItems\": 8, "
                    "\"items\": {\"type\": \"integer\", \"minimum\": 0, \"maximum\": 1000}",
    [SCN_PUBLISHED] = "\"anyOf\": [{\"enum\": [\"yes\", \"no\"]}, {\"$ref\": \"#/$defs/bytes\"}, "
                      "{\"$ref\": \"#/$defs/rate\"}]",
    [SCN_ENGINE_NAME] = "\"$ref\": \"#/$defs/engine\"",
    [SCN_STACK] = "\"anyOf\": [{\"$ref\": \"#/$defs/engine\"}, "
                  "{\"type\": \"array\", \"items\": {\"$ref\": \"#/$defs/engine\"}}]",
    [SCN_EXPECTATIONS] = "\"anyOf\": [{\"$ref\": \"#/$defs/expectation\"}, "
                         "{\"type\": \"array\", \"items\": {\"$ref\": \"#/$defs/expectation\"}}]",
    [SCN_SIZES] = "\"anyOf\": [{\"type\": \"string\"}, "
                  "{\"type\": \"array\", \"items\": {\"type\": \"array\", \"minItems\": 2, "
                  "\"maxItems\": 2}}]",
    [SCN_WORKLOADS] = "\"anyOf\": [{\"$ref\": \"#/$defs/workload\"}, "
                      "{\"type\": \"array\", \"items\": {\"$ref\": \"#/$defs/workload\"}}]",
    [SCN_FLOWS] = "\"anyOf\": [{\"$ref\": \"#/$defs/flow_files\"}, "
                  "{\"type\": \"array\", \"items\": {\"$ref\": \"#/$defs/flow\"}}]",
    [SCN_LINKS] = "\"type\": \"array\", \"items\": {\"$ref\": \"#/$defs/link\"}",
    [SCN_STATICS] = "\"type\": \"array\", \"items\": {\"$ref\": \"#/$defs/static\"}",
    [SCN_STALLS] = "\"type\": \"array\", \"items\": {\"$ref\": \"#/$defs/stall\"}",
    [SCN_ROLES] = "\"type\": \"array\", \"items\": {\"$ref\": \"#/$defs/role\"}",
    [SCN_SPEEDS] = "\"type\": \"array\", \"items\": {\"$ref\": \"#/$defs/speed\"}",
    [SCN_SECTION] = "\"$ref\": \"#/properties/switch\"",
    [SCN_PARAMETERS] = "\"$ref\": \"#/properties/engines\"",
    [SCN_CLAIMS] = "\"type\": \"array\", \"items\": {\"$ref\": \"#/$defs/claim\"}",
};

static void
show_names(const char *const *names)
{
    printf("\"enum\": [");
    for (size_t i = 0; names[i]; i++) {
        printf("%s\"%s\"", i ? ", " : "", names[i]);
    }
    printf("]");
}

static void
show_choices(const struct weir_field *f)
{
    const char *name;

    printf("\"enum\": [");
    for (uint32_t i = 0; (name = weir_field_choice(f, i)); i++) {
        printf("%s\"%s\"", i ? ", " : "", name);
    }
    printf("]");
}

/* A number with one of its kind's units.  Nothing is nothing in any unit, so 0 needs none. */
static void
show_with_unit(enum weir_kind kind, bool may_be_0)
{
    printf("\"type\": %s, \"pattern\": \"^(%s[0-9]+([.][0-9]+)?(",
           may_be_0 ? "[\"string\", \"integer\"]" : "\"string\"", may_be_0 ? "0|" : "");
    for (uint32_t i = 0; weir_kind_unit(kind, i); i++) {
        printf("%s%s", i ? "|" : "", weir_kind_unit(kind, i));
    }
    printf("))$\"%s", may_be_0 ? ", \"minimum\": 0, \"maximum\": 0" : "");
}

static void
show_kind(const struct weir_field *f)
{
    switch (f->kind) {
    case WEIR_BYTES:
    case WEIR_TIME:
    case WEIR_RATE:
        show_with_unit(f->kind, !f->min);
        break;
    case WEIR_COUNT:
        printf("\"type\": \"integer\", \"minimum\": %llu, \"maximum\": %llu",
               (unsigned long long)f->min, (unsigned long long)f->max);
        break;
    case WEIR_CODE:
        printf("\"type\": [\"integer\", \"string\"], \"minimum\": %llu, \"maximum\": %llu, "
               "\"pattern\": \"^0x[0-9a-fA-F]+$\"",
               (unsigned long long)f->min, (unsigned long long)f->max);
        break;
    case WEIR_RATIO:
        printf("\"type\": \"number\", \"minimum\": %.9g, \"maximum\": %.9g",
               (double)f->min / WEIR_RATIO_1, (double)f->max / WEIR_RATIO_1);
        break;
    case WEIR_CHOICE:
        show_choices(f);
        break;
    }
}

/* What it means, with the range and default that a pattern can not say. */
static void
show_description(const struct weir_field *f)
{
    struct weir_text text = { 0 };
    bool has_range = f->kind != WEIR_CHOICE && f->max != UINT64_MAX;

    weir_text_add(&text, "%s", f->help ? f->help : "");
    if (has_range) {
        weir_text_add(&text, "  From %F to %F.", f, f->min, f, f->max);
    }
    if (f->fallback == WEIR_AUTO && f->derived) {
        weir_text_add(&text, "  Left out: %s.", f->derived);
    } else if (f->fallback != UINT64_MAX) {
        weir_text_add(&text, "  Default: %F.", f, f->fallback);
    }
    printf("\"description\": ");
    json_string(stdout, text.s);
}

static void
show_field(const struct weir_field *f)
{
    printf("\"%s\": {", f->name);
    show_description(f);
    printf(f->derived ? ", \"anyOf\": [{\"const\": \"auto\"}, {" : ", ");
    show_kind(f);
    printf(f->derived ? "}]}" : "}");
}

static void
show_key(const struct scn_key *k)
{
    printf("\"%s\": {\"description\": ", k->name);
    json_string(stdout, k->help);
    printf(", %s}", shapes[k->shape]);
}

static void
show_required(const struct scn_table *table)
{
    const char *before = table->needed_field ? ", " : "", *field = table->needed_field;

    printf("\"required\": [");
    if (field) {
        printf("\"%s\"", field);
    }
    for (const struct scn_key *k = table->keys; k && k->name; k++) {
        if (k->is_needed) {
            printf("%s\"%s\"", before, k->name);
            before = ", ";
        }
    }
    printf("]");
}

/* What the plug-ins of a choice add to a map: each name once, since several may have one. */

enum { MAX_NAMES = 256 };

struct names {
    const char *items[MAX_NAMES];
    size_t n;
};

static void
add_name(struct names *names, const char *name)
{
    size_t i = 0;

    while (i < names->n && strcmp(names->items[i], name)) {
        i++;
    }
    assert(i < MAX_NAMES);
    names->items[i] = name;
    names->n += i == names->n;
}

static struct names
names_of(const struct scn_table *table, const struct scn_choice *c)
{
    const struct weir_plugin *const *p = scn_choice_registry(table, c)->plugins;
    struct names names = { .n = 0 };

    for (; *p; p++) {
        for (const struct weir_field *f = scn_choice_fields(*p); f->name; f++) {
            add_name(&names, f->name);
        }
        for (const struct scn_key *k = scn_choice_keys(c, *p); k->name; k++) {
            add_name(&names, k->name);
        }
    }
    return names;
}

/* The field or key of the chosen one, or of another that may stand there, too; or null. */
static const struct weir_field *
find_field(const struct scn_table *table, const struct scn_choice *c,
           const struct weir_plugin *chosen, const char *name)
{
    const struct weir_plugin *const *p = scn_choice_registry(table, c)->plugins;
    const struct weir_field *f = weir_field_find(scn_choice_fields(chosen), name);

    for (; c->takes && *p && !f; p++) {
        f = c->takes(chosen, *p) ? weir_field_find(scn_choice_fields(*p), name) : NULL;
    }
    return f;
}

static const struct scn_key *
key_of(const struct scn_choice *c, const struct weir_plugin *p, const char *name)
{
    const struct scn_key *k = scn_choice_keys(c, p);

    while (k->name && strcmp(k->name, name)) {
        k++;
    }
    return k->name ? k : NULL;
}

static const struct scn_key *
find_key(const struct scn_table *table, const struct scn_choice *c,
         const struct weir_plugin *chosen, const char *name)
{
    const struct weir_plugin *const *p = scn_choice_registry(table, c)->plugins;
    const struct scn_key *k = key_of(c, chosen, name);

    for (; c->takes && *p && !k; p++) {
        k = c->takes(chosen, *p) ? key_of(c, *p, name) : NULL;
    }
    return k;
}

/* What a name means if this plug-in is chosen; what is chosen by default need not be written. */
static void
show_chosen(const struct scn_table *table, const struct scn_choice *c, size_t number)
{
    const struct weir_plugin *chosen = scn_choice_registry(table, c)->plugins[number];
    const struct names names = names_of(table, c);
    bool is_default = weir_field_find(table->fields, c->field)->fallback == number;

    printf("\n     {\"if\": {\"properties\": {\"%s\": {\"const\": \"%s\"}}, \"required\": [",
           c->field, chosen->name);
    printf(is_default ? "" : "\"%s\"", c->field);
    printf("]},\n      \"then\": {\"properties\": {");
    for (size_t i = 0; i < names.n; i++) {
        const struct weir_field *f = find_field(table, c, chosen, names.items[i]);
        const struct scn_key *k = find_key(table, c, chosen, names.items[i]);
        printf("%s\n      ", i ? "," : "");
        if (f) {
            show_field(f);
        } else if (k) {
            show_key(k);
        } else {
            printf("\"%s\": false", names.items[i]);
        }
    }
    printf("}}}");
}

static void
show_all_chosen(const struct scn_table *table)
{
    const char *before = "";

    printf(",\n     \"allOf\": [");
    for (const struct scn_choice *c = table->choices; c->field; c++) {
        for (size_t i = 0; scn_choice_registry(table, c)->plugins[i]; i++, before = ",") {
            printf("%s", before);
            show_chosen(table, c, i);
        }
    }
    printf("]");
}

static void
show_map(const struct scn_table *table)
{
    const char *before = "\n      ";

    printf("{\"type\": \"object\", \"additionalProperties\": false, ");
    show_required(table);
    printf(", \"properties\": {");
    for (const struct weir_field *f = table->fields; f->name; f++, before = ",\n      ") {
        printf("%s", before);
        show_field(f);
    }
    for (const struct scn_key *k = table->keys; k && k->name; k++, before = ",\n      ") {
        printf("%s", before);
        show_key(k);
    }
    for (const struct scn_choice *c = table->choices; c && c->field; c++) {
        const struct names names = names_of(table, c);
        for (size_t i = 0; i < names.n; i++) {
            printf("%s\"%s\": true", before, names.items[i]);
        }
    }
    printf("}");
    if (table->choices) {
        show_all_chosen(table);
    }
    printf("}");
}

static void
show_parameters(void)
{
    printf("\"type\": \"object\", \"additionalProperties\": false, \"properties\": {");
    for (uint32_t e = 0; weir_engine_at(e); e++) {
        printf("%s\n    \"%s\": ", e ? "," : "", weir_engine_at(e)->about.name);
        show_map(&(struct scn_table){ .fields = weir_engine_at(e)->about.params });
    }
    printf("}");
}

/* A section that has a kind may be that word alone. */
static void
show_section(const struct scn_table *section)
{
    bool has_kind = !strcmp(section->fields[0].name, "kind");

    printf("    \"%s\": ", section->name);
    if (has_kind) {
        printf("{\"anyOf\": [{");
        show_choices(&section->fields[0]);
        printf("},\n     ");
    }
    show_map(section);
    printf("%s,\n", has_kind ? "]}" : "");
}

static void
show_definitions(void)
{
    static const struct {
        const char *name;
        enum weir_kind kind;
    } values[] = { { "bytes", WEIR_BYTES }, { "rate", WEIR_RATE }, { "time", WEIR_TIME } };
    const struct weir_field engine = { .kind = WEIR_CHOICE, .registry = &weir_engines };

    printf("  \"$defs\": {\n    \"node\": {\"type\": [\"string\", \"integer\"]},\n"
           "    \"pair\": {\"type\": \"array\", \"items\": {\"$ref\": \"#/$defs/node\"}, "
           "\"minItems\": 2, \"maxItems\": 2},\n");
    for (size_t i = 0; i < sizeof values / sizeof *values; i++) {
        printf("    \"%s\": {", values[i].name);
        show_with_unit(values[i].kind, true);
        printf("},\n");
    }
    printf("    \"engine\": {");
    show_choices(&engine);
    printf("},\n    \"expectation\": {");
    show_names(scn_expectations);
    printf("},\n    \"flow\": ");
    show_map(&scn_flow_table);
    printf(",\n    \"workload\": ");
    show_map(&scn_workload_table);
    printf(",\n    \"flow_files\": ");
    show_map(&scn_flow_files_table);
    printf(",\n    \"failures\": ");
    show_map(&scn_failures_table);
    printf(",\n    \"link\": ");
    show_map(&scn_link_table);
    printf(",\n    \"static\": ");
    show_map(&scn_static_table);
    printf(",\n    \"role\": ");
    show_map(&scn_role_table);
    printf(",\n    \"speed\": ");
    show_map(&scn_speed_table);
    printf(",\n    \"stall\": ");
    show_map(&scn_stall_table);
    printf(",\n    \"claim\": ");
    show_map(&scn_claim_table);
    printf("\n  }\n");
}

void
schema_show(void)
{
    struct scn_table section;

    printf("{\"$schema\": \"https://json-schema.org/draft/2020-12/schema\",\n"
           "  \"title\": \"Weir scenario\", \"type\": \"object\", "
           "\"additionalProperties\": false,\n"
           "  \"anyOf\": [{\"required\": [\"topology\"]}, {\"required\": [\"base\"]}],\n"
           "  \"properties\": {\n");
    for (size_t i = 0; scn_section_at(i, &section); i++) {
        show_section(&section);
    }
    for (const struct scn_key *k = scn_top_keys; k->name; k++) {
        printf("    \"%s\": {\"description\": ", k->name);
        json_string(stdout, k->help);
        printf(", ");
        if (k->shape == SCN_PARAMETERS) {
            show_parameters();
        } else {
            printf("%s", shapes[k->shape]);
        }
        printf("}%s\n", k[1].name ? "," : "");
    }
    printf("  },\n");
    show_definitions();
    printf("}\n");
}
