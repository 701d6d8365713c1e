/* Writes a scenario as text, with every value and, in comments, its origin. */

#include "run/listing.h"

#include <string.h>

enum { MAX_ITEMS = 4 }; /* The number of items that a shortened list shows. */

struct shown {
    FILE *out;
    const struct scenario *s;
    const struct model *model; /* Null: the listing has no comments. */
    uint32_t node;
    bool is_brief; /* Only values that differ from their defaults are listed. */
    char section[80];
};

/* Writes the headings of a section, if it is a new one: "engines.pfc" is under "engines". */
static void
show_headings(struct shown *shown, const char *section)
{
    const char *dot = strchr(section, '.');
    size_t outer = strcspn(section, ".");

    if (!strcmp(shown->section, section)) {
        return;
    }
    if (outer && (strncmp(shown->section, section, outer + 1) || !dot)) {
        fprintf(shown->out, "%.*s:\n", (int)outer, section);
    }
    if (dot) {
        fprintf(shown->out, "  %s:\n", dot + 1);
    }
    snprintf(shown->section, sizeof shown->section, "%s", section);
}

/* Shows the value that an engine derives for a parameter that the scenario does not set. */
static void
show_derived(const struct shown *shown, const struct scn_value *v)
{
    const struct weir_stack *stack = model_stack_at(shown->model, shown->node);

    for (uint32_t i = 0; i < stack->n; i++) {
        const struct weir_engine *engine = stack->layers[i].engine;
        if (v->field && weir_field_find(engine->about.params, v->key) == v->field) {
            struct weir_shape seen =
                weir_layer_shape(stack, i, model_shape_like(shown->model, shown->node));
            struct weir_text text = { 0 };
            weir_param_text(&text, engine, &seen, v->field, stack->layers[i].params);
            fprintf(shown->out, "%s at %s; ", text.s, shown->s->topo.nodes[shown->node].name);
        }
    }
}

/* Whether a run depends on the value: it describes the network, or it differs from its default. */
static bool
is_essential(const struct scn_value *v)
{
    struct weir_text text = { 0 };

    if (v->field && v->field->fallback != WEIR_AUTO && strcmp(v->section, "topology")) {
        weir_text_add(&text, "%F", v->field, v->field->fallback);
    }
    return strcmp(v->origin, "default") && strcmp(v->origin, "derived") &&
           strcmp(v->text, "auto") && strcmp(v->text, "[]") && strcmp(v->text, text.s) &&
           strcmp(v->key, "claims");
}

static void
show_comment(const struct shown *shown, const struct scn_value *v)
{
    bool is_derived = !strcmp(v->origin, "derived");

    if (shown->is_brief) {
        fprintf(shown->out, " # %s", v->origin);
        return;
    }
    fprintf(shown->out, " # %s; ", v->origin);
    if (v->field && v->field->derived && !strcmp(v->text, "auto")) {
        show_derived(shown, v);
    }
    fprintf(shown->out, "%s%s", is_derived ? v->field->derived : v->help, is_derived ? "." : "");
}

static void
show_item(const struct shown *shown, const struct scn_value *v, int indent)
{
    const char *comment = shown->model && !shown->is_brief ? v->help : NULL;

    if (shown->is_brief && v->item >= MAX_ITEMS) {
        if (v->item == MAX_ITEMS) {
            fprintf(shown->out, "%*s  # and %zu more\n", indent, "", v->n_items - MAX_ITEMS);
        }
        return;
    }
    if (!v->item) {
        fprintf(shown->out, "%*s%s:%s%s\n", indent, "", v->key, comment ? " # " : "",
                comment ? comment : "");
    }
    fprintf(shown->out, "%*s  - %s%s%s\n", indent, "", v->text, shown->model ? " # " : "",
            shown->model ? v->origin : "");
}

static void
show_value(void *arg, const struct scn_value *v)
{
    struct shown *shown = arg;
    int indent = !v->section[0] ? 0 : strchr(v->section, '.') ? 4 : 2;
    int width = shown->model ? 24 - indent - (int)strlen(v->key) : 0;

    if (shown->is_brief && !is_essential(v)) {
        return;
    }
    show_headings(shown, v->section);
    if (v->n_items) {
        show_item(shown, v, indent);
        return;
    }
    fprintf(shown->out, "%*s%s: %-*s", indent, "", v->key, width > 0 ? width : 0, v->text);
    if (shown->model) {
        show_comment(shown, v);
    }
    fprintf(shown->out, "\n");
}

void
listing_print(FILE *out, const struct scenario *s, const struct model *model, uint32_t node)
{
    struct shown shown = { .out = out, .s = s, .model = model, .node = node };

    scn_each_value(s, show_value, &shown);
}

void
listing_print_given(FILE *out, const struct scenario *s, const struct model *model, uint32_t node)
{
    struct shown shown = { .out = out, .s = s, .model = model, .node = node, .is_brief = true };

    scn_each_value(s, show_value, &shown);
}

char *
listing_text(const struct scenario *s)
{
    char *text = NULL;
    size_t len;
    FILE *out = open_memstream(&text, &len);

    listing_print(out, s, NULL, 0);
    fclose(out);
    return text;
}
