/* Writes parameters that are derived for each port of a node, by groups of ports. */

#include <stdio.h>
#include <stdlib.h>

#include "base/array.h"
#include "explain/explain.h"

enum { MAX_GROUPS = 16 };

struct of_port {
    uint64_t params[WEIR_PARAMS_MAX / sizeof(uint64_t)];
    bool is_shown;
};

struct layer {
    const struct weir_engine *engine;
    const void *params; /* The parameters of the node. */
    struct weir_shape shape;
    struct of_port *ports;
};

static bool
is_by_port(const struct layer *l, const struct weir_field *f)
{
    return f->by_port && weir_field_get(f, l->params) == WEIR_AUTO;
}

/* Whether two ports belong on one line: the same link, buffer and values. */
static bool
are_of_one_group(const struct layer *l, uint16_t a, uint16_t b)
{
    const struct weir_port *pa = &l->shape.ports[a], *pb = &l->shape.ports[b];
    bool same = pa->rate_bps == pb->rate_bps && pa->cable_ps == pb->cable_ps &&
                weir_shape_room_at(&l->shape, a) == weir_shape_room_at(&l->shape, b);

    for (const struct weir_field *f = l->engine->about.params; same && f->name; f++) {
        same = weir_field_get(f, l->ports[a].params) == weir_field_get(f, l->ports[b].params);
    }
    return same;
}

/* Marks the ports of a group as shown, and writes them as ranges: "0-7,9".  Returns their
 * number. */
static uint32_t
take_group(const struct layer *l, uint16_t first, struct weir_text *text)
{
    uint32_t start = first, n = 0;

    for (uint32_t port = first; port <= l->shape.n_ports; port++) {
        bool is_one = port < l->shape.n_ports && are_of_one_group(l, first, (uint16_t)port);
        if (is_one) {
            l->ports[port].is_shown = true;
            n++;
            start = start > port ? port : start;
        } else if (start <= l->shape.n_ports) {
            weir_text_add(text, start > first ? "," : "");
            weir_text_add(text, start + 1 < port ? "%u-%u" : "%u", (uint64_t)start,
                          (uint64_t)port - 1);
            start = UINT32_MAX;
        }
    }
    return n;
}

static void
write_group(FILE *out, const struct layer *l, uint16_t first)
{
    const struct weir_port *port = &l->shape.ports[first];
    struct weir_text text = { 0 };
    const char *before = "";

    uint32_t n = take_group(l, first, &text);
    weir_text_add(&text, " (%R, %T, buffer %B): %s ", port->rate_bps, port->cable_ps,
                  weir_shape_room_at(&l->shape, first), l->engine->about.name);
    for (const struct weir_field *f = l->engine->about.params; f->name; f++) {
        if (is_by_port(l, f)) {
            weir_text_add(&text, "%s%s %F", before, f->name, f,
                          weir_field_get(f, l->ports[first].params));
            before = ", ";
        }
    }
    fprintf(out, "#     port%s %s\n", n > 1 ? "s" : "", text.s);
}

static void
write_layer(FILE *out, struct layer *l)
{
    uint32_t n_groups = 0;

    l->ports = array_new(l->shape.n_ports, sizeof *l->ports);
    WEIR_EACH_PORT (&l->shape, port) {
        weir_port_params(l->engine, &l->shape, port, l->params, l->ports[port].params);
    }
    WEIR_EACH_PORT (&l->shape, port) {
        if (!l->ports[port].is_shown && n_groups++ < MAX_GROUPS) {
            write_group(out, l, port);
        }
    }
    if (n_groups > MAX_GROUPS) {
        fprintf(out, "#     and %u more ports, each with its own values\n", n_groups - MAX_GROUPS);
    }
    free(l->ports);
}

void
explain_write_ports(FILE *out, const struct model_engines *e)
{
    for (uint32_t i = 0; i < e->stack.n; i++) {
        struct layer l = { .engine = e->stack.layers[i].engine,
                           .params = e->stack.layers[i].params,
                           .shape = weir_layer_shape(&e->stack, i, &e->shape) };
        bool differ = false;

        for (const struct weir_field *f = l.engine->about.params; f && f->name; f++) {
            differ |= is_by_port(&l, f);
        }
        if (differ) {
            write_layer(out, &l);
        }
    }
}
