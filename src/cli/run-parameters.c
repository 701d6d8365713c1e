/* Shows the parameters of engines in a run, for every role and within it for every group of nodes
 * with equal values. */

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/json.h"
#include "cli/run.h"

/* Nodes of one role whose engines have the same values. */
struct group {
    const struct model_engines *engines; /* The engines of the group's first node. */
    const char *role;
    uint32_t n_nodes;
    char *text; /* The values of all parameters. */
};

struct groups {
    struct group *items;
    size_t n, max;
};

static struct weir_text
value_of(const struct model_engines *e, uint32_t layer, const struct weir_field *f)
{
    struct weir_shape seen = weir_layer_shape(&e->stack, layer, &e->shape);
    struct weir_text value = { 0 };

    weir_param_text(&value, e->stack.layers[layer].engine, &seen, f, e->stack.layers[layer].params);
    return value;
}

/* Writes the parameters of an engine, such as "threshold static, xoff 100KB". */
static void
write_layer(FILE *out, const struct model_engines *e, uint32_t layer)
{
    for (const struct weir_field *f = e->stack.layers[layer].engine->about.params; f && f->name;
         f++) {
        fprintf(out, "%s %s%s", f->name, value_of(e, layer, f).s, f[1].name ? ", " : "");
    }
}

static char *
text_of(const struct model_engines *e)
{
    char *text = NULL;
    size_t len;
    FILE *out = open_memstream(&text, &len);

    for (uint32_t layer = 0; layer < e->stack.n; layer++) {
        fprintf(out, "%s: ", e->stack.layers[layer].engine->about.name);
        write_layer(out, e, layer);
        fputc('\n', out);
    }
    fclose(out);
    return text;
}

static void
add_nodes(struct groups *groups, const struct model *p, size_t engines, uint32_t n_nodes)
{
    const struct model_engines *e = &p->engines[engines];
    const char *role = model_role_at(p, e->first_node)->name;
    char *text = text_of(e);

    for (size_t i = 0; i < groups->n; i++) {
        struct group *g = &groups->items[i];
        if (!strcmp(g->role, role) && !strcmp(g->text, text)) {
            g->n_nodes += n_nodes;
            free(text);
            return;
        }
    }
    ARRAY_PUSH(groups->items, groups->n, groups->max) =
        (struct group){ .engines = e, .role = role, .n_nodes = n_nodes, .text = text };
}

static struct groups
find_groups(const struct model *p)
{
    uint32_t *n_nodes = array_new(p->n_engines, sizeof *n_nodes);
    struct groups groups = { 0 };

    for (uint32_t id = 0; id < p->topo->n_nodes; id++) {
        n_nodes[p->nodes[id].engines]++;
    }
    for (size_t i = 0; i < p->n_engines; i++) {
        add_nodes(&groups, p, i, n_nodes[i]);
    }
    free(n_nodes);
    return groups;
}

static void
free_groups(struct groups *groups)
{
    for (size_t i = 0; i < groups->n; i++) {
        free(groups->items[i].text);
    }
    free(groups->items);
}

/* Shows a group, such as "pfc switches (L1 and 5 more): threshold static, ...". */
static void
show_group(const struct outcome *o, const struct group *g)
{
    const char *first = o->s.topo.nodes[g->engines->first_node].name;
    const struct weir_stack *stack = &g->engines->stack;

    for (uint32_t layer = 0; layer < stack->n; layer++) {
        printf("%-14s %s (%s", stack->layers[layer].engine->about.name, g->role, first);
        if (g->n_nodes > 1) {
            printf(" and %u more", g->n_nodes - 1);
        }
        printf("): ");
        write_layer(stdout, g->engines, layer);
        printf("\n");
    }
}

void
run_show_parameters(const struct outcome *o)
{
    struct groups groups = find_groups(sim_model(o->sim));

    for (size_t i = 0; i < groups.n; i++) {
        show_group(o, &groups.items[i]);
    }
    free_groups(&groups);
}

static void
write_engines(struct json *j, const struct model_engines *e)
{
    json_open(j, "engines", '{');
    for (uint32_t layer = 0; layer < e->stack.n; layer++) {
        const struct weir_engine *engine = e->stack.layers[layer].engine;
        json_open(j, engine->about.name, '{');
        for (const struct weir_field *f = engine->about.params; f && f->name; f++) {
            json_text(j, f->name, value_of(e, layer, f).s);
        }
        json_close(j, '}');
    }
    json_close(j, '}');
}

void
run_write_parameters(struct json *j, const struct outcome *o)
{
    struct groups groups = find_groups(sim_model(o->sim));

    json_open(j, "parameters", '[');
    for (size_t i = 0; i < groups.n; i++) {
        const struct group *g = &groups.items[i];
        json_open(j, NULL, '{');
        json_text(j, "role", g->role);
        json_text(j, "node", o->s.topo.nodes[g->engines->first_node].name);
        json_number(j, "nodes", g->n_nodes);
        write_engines(j, g->engines);
        json_close(j, '}');
    }
    json_close(j, ']');
    free_groups(&groups);
}
