#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/cli.h"
#include "cli/outcome.h"

static const char help[] =
    "usage: weir explain FILE [--set KEY=VALUE]...\n"
    "       weir explain --schema\n"
    "\n"
    "Prints a scenario with everything that was left to defaults, and what follows from it: tau, "
    "the\n"
    "room that each scheme asks for, and the parameters that the engines derive.\n"
    "\n"
    "  --schema  a JSON schema of scenario files, so that editors can complete and check them\n";

enum { MAX_SETS = 64 };

/* The scenario, complete. */

static void
show_fields(const struct weir_field *fields, const void *base, const char *indent)
{
    for (const struct weir_field *f = fields; f->name; f++) {
        struct weir_text value = { 0 };
        uint64_t v = weir_field_get(f, base);
        weir_text_add(&value, "%F", f, v);
        printf("%s%s: %-*s # %s%s\n", indent, f->name, (int)(16 - strlen(f->name)), value.s,
               v == f->fallback ? "default; " : "", f->help);
    }
}

static void
show_sections(const struct scenario *s)
{
    for (const struct scn_section *section = scn_sections; section->name; section++) {
        printf("%s:\n", section->name);
        show_fields(section->fields, (const char *)s + section->offset, "  ");
    }
}

static void
show_engines(const struct scenario *s, const struct weir_stack *stack)
{
    printf("engines:                 # as resolved at %s; auto: derived there\n",
           s->topo.nodes[0].name);
    for (uint32_t i = 0; i < stack->n; i++) {
        const struct weir_engine *e = stack->layers[i].engine;
        printf("  %s:\n", e->name);
        for (const struct weir_field *f = e->params; f->name; f++) {
            struct weir_text value = { 0 };
            bool derived = weir_field_get(f, s->stack.layers[i].params) == WEIR_AUTO;
            weir_text_add(&value, "%F", f, weir_field_get(f, stack->layers[i].params));
            printf("    %s: %-*s # %s%s\n", f->name, (int)(14 - strlen(f->name)), value.s,
                   derived ? "auto: " : "", derived ? f->derived : f->help);
        }
    }
}

static void
show_bounds(const struct weir_shape *shape)
{
    struct weir_link link = weir_shape_link(shape, 0);
    weir_ps period = weir_credit_period_ps(link.rate_bps);
    const struct {
        const char *what;
        uint64_t bytes;
    } rooms[] = {
        { "PFC: headroom above XOFF (Eq. 15 of TTL, and an MTU)",
          weir_pfc_headroom_bytes(&link) + link.mtu_bytes },
        { "conceptual GFC: bm - b0 (Theorem 4.1)", weir_gfc_conceptual_room_bytes(&link) },
        { "buffer-based GFC: bm - b1 (2 C tau)", weir_gfc_buffer_room_bytes(&link) },
        { "time-based GFC: bm - b0, period of 65535 B", weir_gfc_time_room_bytes(&link, period) },
    };
    struct weir_text tau = { 0 };

    weir_text_add(&tau, "%T", weir_tau_ps(&link));
    printf(
        "\n# tau is %s: 2 MTU/C + 2 t_w + t_r (GFC, Eq. 6).  Room that losing nothing asks for:\n",
        tau.s);
    for (size_t i = 0; i < sizeof rooms / sizeof *rooms; i++) {
        struct weir_text room = { 0 };
        weir_text_add(&room, "%B", rooms[i].bytes);
        printf("#   %-12s %s\n", room.s, rooms[i].what);
    }
}

static int
explain(const struct scenario *s, const char *file)
{
    struct weir_port *ports = calloc(s->topo.nodes[0].n_ports + 1, sizeof *ports);
    struct sim_config config = outcome_config(s, NULL, 1);
    struct weir_shape shape = sim_shape(&config, 0, ports); /* Node 0 is a switch. */
    struct weir_stack stack = s->stack;
    struct weir_needs needs;
    struct weir_text said = { 0 };
    bool fits = weir_stack_resolve(&stack, &shape, &needs, &said);

    if (!fits) {
        free(ports);
        return cli_fail(EXIT_USER, "%s: %s", file, said.s);
    }
    printf("name: %s\n", s->name);
    show_sections(s);
    show_engines(s, &stack);
    printf("flows: %zu, switches: %u, hosts: %u\n", s->n_flows, s->topo.n_switches, s->topo.n_nics);
    show_bounds(&shape);
    if (said.len) {
        printf("# WARNING: %s\n", said.s);
    }
    free(ports);
    return EXIT_GOOD;
}

/* The schema. */

static void
schema_field(const struct weir_field *f, const char *before)
{
    printf("%s\n      \"%s\": {\"description\": ", before, f->name);
    cli_json_string(f->help ? f->help : "");
    if (f->kind == WEIR_CHOICE) {
        printf(", \"enum\": [");
        for (size_t i = 0; f->choices[i]; i++) {
            printf("%s\"%s\"", i ? ", " : "", f->choices[i]);
        }
        printf("]");
    } else {
        printf(", \"type\": [\"string\", \"number\"]");
    }
    printf("}");
}

static void
schema_section(const char *name, const struct weir_field *fields, const char *more)
{
    printf("    \"%s\": {\"type\": \"object\", \"additionalProperties\": false, \"properties\": {",
           name);
    for (const struct weir_field *f = fields; f->name; f++) {
        schema_field(f, f == fields ? "" : ",");
    }
    printf("%s}}", more);
}

static void
show_schema(void)
{
    printf(
        "{\"$schema\": \"https://json-schema.org/draft/2020-12/schema\",\n"
        "  \"title\": \"Weir scenario\", \"type\": \"object\", \"additionalProperties\": false,\n"
        "  \"required\": [\"topology\"],\n  \"properties\": {\n"
        "    \"name\": {\"type\": \"string\"},\n");
    for (const struct scn_section *s = scn_sections; s->name; s++) {
        bool is_topology = !strcmp(s->name, "topology");
        schema_section(s->name, s->fields,
                       is_topology ? ",\n      \"failed\": {\"type\": \"array\"}" : "");
        printf(",\n");
    }
    printf("    \"engine\": {\"type\": [\"string\", \"array\"]},\n"
           "    \"engines\": {\"type\": \"object\", \"additionalProperties\": false, "
           "\"properties\": {\n");
    for (const struct weir_engine *const *e = weir_engines; *e; e++) {
        schema_section((*e)->name, (*e)->params, "");
        printf("%s\n", e[1] ? "," : "}},");
    }
    printf("    \"flows\": {\"type\": \"array\", \"items\": {\"type\": \"object\", \"required\": "
           "[\"from\", "
           "\"to\"]}},\n"
           "    \"expect\": {\"type\": [\"string\", \"array\"]},\n"
           "    \"claims\": {\"type\": \"array\", \"items\": {\"type\": \"object\"}}\n  }\n}\n");
}

int
cli_explain(int argc, char **argv)
{
    const char *file = NULL, *sets[MAX_SETS];
    size_t n_sets = 0;
    struct scenario s;

    if (cli_helped(argc, argv, help)) {
        return EXIT_GOOD;
    }
    for (int i = 1; i < argc; i++) {
        if (!strcmp(argv[i], "--schema")) {
            show_schema();
            return EXIT_GOOD;
        } else if (!strcmp(argv[i], "--set") && i + 1 < argc && n_sets < MAX_SETS) {
            sets[n_sets++] = argv[++i];
        } else if (argv[i][0] == '-' || file) {
            return cli_fail(EXIT_USER, "explain: unexpected '%s'\n\n%s", argv[i], help);
        } else {
            file = argv[i];
        }
    }
    if (!file) {
        return cli_fail(EXIT_USER, "explain: no scenario given\n\n%s", help);
    }
    int code = outcome_read(&s, file, sets, n_sets);
    if (code == EXIT_GOOD) {
        code = explain(&s, file);
        scn_free(&s);
    }
    return code;
}
