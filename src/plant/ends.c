/* Both ends of a link: what their engines take each other to have alike (weir/field.h).
 *
 * Only values that were set are compared.  Two that were derived follow from the link, and are the
 * same at both ends, or from a buffer, and are the end's own. */

#include <stdlib.h>

#include "base/array.h"
#include "plant/plant.h"

struct difference { /* In one field, at so many links; the first of them: */
    const struct weir_engine *engine;
    const struct weir_field *field;
    uint32_t port; /* Its end of the later role: the first ones are of nodes that have no other. */
    uint64_t n_links;
};

struct differences {
    struct difference *items;
    size_t n, max;
};

/* Of the engine as it serves a port; null: it is not there. */
static const void *
params_at(const struct weir_stack *stack, const struct weir_engine *engine,
          const struct weir_port *port)
{
    for (uint32_t i = 0; i < stack->n; i++) {
        if (stack->layers[i].engine == engine && weir_scope_has(stack->layers[i].scope, port)) {
            return stack->layers[i].params;
        }
    }
    return NULL;
}

static uint64_t
value_at(const struct plant *p, const struct weir_engine *engine, const struct weir_field *f,
         uint32_t port)
{
    uint64_t of_port[WEIR_PARAMS_MAX / sizeof(uint64_t)];
    const struct topo_port *at = &p->topo->ports[port];

    const struct weir_shape shape = plant_shape_of(p, at->node);
    weir_port_params(engine, &shape, (uint16_t)at->number,
                     params_at(plant_stack_at(p, at->node), engine, plant_port_at(p, port)),
                     of_port);
    return weir_field_get(f, of_port);
}

static bool
differ(const struct plant *p, const struct weir_engine *engine, const struct weir_field *f,
       uint32_t port)
{
    const struct topo_port *here = &p->topo->ports[port], *there = &p->topo->ports[here->peer];
    const struct weir_port *at = plant_port_at(p, port);
    const void *ours = params_at(&plant_role_at(p, here->node)->stack, engine, at);
    const void *theirs = params_at(&plant_role_at(p, there->node)->stack, engine, at);

    return weir_field_get(f, ours) != weir_field_get(f, theirs) &&
           value_at(p, engine, f, port) != value_at(p, engine, f, here->peer);
}

static void
note(struct differences *all, const struct weir_engine *engine, const struct weir_field *f,
     uint32_t port)
{
    size_t i = 0;

    while (i < all->n && all->items[i].field != f) {
        i++;
    }
    if (i == all->n) {
        ARRAY_PUSH(all->items, all->n, all->max) = (struct difference){ engine, f, port, 0 };
    }
    all->items[i].n_links++;
}

/* All engines that both ends have for it: both know whether it is inside a fabric. */
static void
compare_ends(const struct plant *p, uint32_t port, struct differences *all)
{
    const struct topo_port *here = &p->topo->ports[port], *there = &p->topo->ports[here->peer];
    const struct weir_stack *stack = &plant_role_at(p, here->node)->stack;

    for (uint32_t i = 0; i < stack->n; i++) {
        const struct weir_engine *engine = stack->layers[i].engine;
        const struct weir_field *f = engine->about.params;
        if (!weir_scope_has(stack->layers[i].scope, plant_port_at(p, port)) ||
            !params_at(&plant_role_at(p, there->node)->stack, engine, plant_port_at(p, port))) {
            continue;
        }
        for (; f && f->name; f++) {
            if (f->ends != WEIR_ENDS_MAY_DIFFER && differ(p, engine, f, port)) {
                note(all, engine, f, port);
            }
        }
    }
}

static void
tell(const struct plant *p, const struct difference *d, struct weir_text *said)
{
    uint32_t peer = p->topo->ports[d->port].peer;
    uint64_t here = value_at(p, d->engine, d->field, d->port);
    uint64_t there = value_at(p, d->engine, d->field, peer);

    *said = (struct weir_text){ .fields = { d->field } };
    weir_text_add(said, "%s: %s is %F, but %F at %s", d->engine->about.name, d->field->name,
                  d->field, here, d->field, there, p->topo->nodes[p->topo->ports[peer].node].name);
    if (d->n_links > 1) {
        weir_text_add(said, ", and the ends of %u more link%s differ in it", d->n_links - 1,
                      d->n_links > 2 ? "s" : "");
    }
    weir_text_add(said, d->field->ends == WEIR_ENDS_MUST_AGREE
                            ? "; a link works only if both ends have the same"
                            : "; each end takes the other's to be the same, so packets may be lost "
                              "or held back: give both the same");
}

bool
plant_ends_agree(struct plant *p, uint32_t *node, struct weir_text *said)
{
    struct differences all = { 0 };
    bool good = true;

    for (uint32_t port = 0; port < p->topo->n_ports; port++) {
        const struct topo_port *here = &p->topo->ports[port];
        if (p->role_of[here->node] > p->role_of[p->topo->ports[here->peer].node]) {
            compare_ends(p, port, &all); /* Each link once; ends of one role have the same. */
        }
    }
    for (size_t i = 0; i < all.n && good; i++) {
        *node = p->topo->ports[all.items[i].port].node;
        tell(p, &all.items[i], said);
        good = all.items[i].field->ends != WEIR_ENDS_MUST_AGREE;
        if (good) {
            plant_warn(p, *node, said);
        }
    }
    free(all.items);
    return good;
}
