#include "cli/schema.h"

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
show_map(const struct scn_table *table)
{
    const char *before = table->needed_field ? ", " : "", *field = table->needed_field;

    printf("{\"type\": \"object\", \"additionalProperties\": false, \"required\": [");
    if (field) {
        printf("\"%s\"", field);
    }
    for (const struct scn_key *k = table->keys; k && k->name; k++) {
        if (k->is_needed) {
            printf("%s\"%s\"", before, k->name);
            before = ", ";
        }
    }
    printf("], \"properties\": {");
    before = "\n      ";
    for (const struct weir_field *f = table->fields; f->name; f++, before = ",\n      ") {
        printf("%s", before);
        show_field(f);
    }
    for (const struct scn_key *k = table->keys; k && k->name; k++, before = ",\n      ") {
        printf("%s\"%s\": {\"description\": ", before, k->name);
        json_string(stdout, k->help);
        printf(", %s}", shapes[k->shape]);
    }
    printf("}}");
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

/* A section that has a kind may be that word alone; the topology's keys depend on it. */
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
    if (section == scn_sections) {
        printf("{\"if\": {\"properties\": {\"kind\": {");
        show_names(scn_file_kinds);
        printf("}}, \"required\": [\"kind\"]},\n     \"then\": ");
        show_map(&scn_file_topology);
        printf(",\n     \"else\": ");
    }
    show_map(section);
    printf("%s%s,\n", section == scn_sections ? "}" : "", has_kind ? "]}" : "");
}

/* What it may say depends on its kind. */
static void
show_workload(void)
{
    printf("{\"type\": \"object\", \"required\": [\"kind\"], \"properties\": {\"kind\": {");
    show_choices(&scn_workload_tables[0].fields[0]);
    printf("}}, \"allOf\": [");
    for (const struct scn_table *t = scn_workload_tables; t->name; t++) {
        printf("%s\n     {\"if\": {\"properties\": {\"kind\": {\"const\": \"%s\"}}},\n      "
               "\"then\": ",
               t == scn_workload_tables ? "" : ",", t->name);
        show_map(t);
        printf("}");
    }
    printf("]}");
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
    show_workload();
    printf(",\n    \"flow_files\": ");
    show_map(&scn_flow_files_table);
    printf(",\n    \"failures\": ");
    show_map(&scn_failures_table);
    printf(",\n    \"link\": ");
    show_map(&scn_link_table);
    printf(",\n    \"static\": ");
    show_map(&scn_static_table);
    printf(",\n    \"stall\": ");
    show_map(&scn_stall_table);
    printf(",\n    \"claim\": ");
    show_map(&scn_claim_table);
    printf("\n  }\n");
}

void
schema_show(void)
{
    printf("{\"$schema\": \"https://json-schema.org/draft/2020-12/schema\",\n"
           "  \"title\": \"Weir scenario\", \"type\": \"object\", "
           "\"additionalProperties\": false,\n"
           "  \"anyOf\": [{\"required\": [\"topology\"]}, {\"required\": [\"base\"]}],\n"
           "  \"properties\": {\n");
    for (const struct scn_table *section = scn_sections; section->name; section++) {
        show_section(section);
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
