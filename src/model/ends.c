/* Compares values that the engines at both ends of a link assume to be the same (weir/field.h).
 *
 * Only values that were set are compared.  Derived values follow from the link, so that they are
 * equal at both ends, or from a buffer, so that they may differ. */

#include <stdlib.h>

#include "base/array.h"
#include "model/model.h"
#include "topo/port-names.h"

struct value { /* A parameter of an engine. */
    const struct weir_engine *engine;
    const struct weir_field *field;
};

struct difference { /* A difference in one parameter, at 'n' links. The other members are about the
                     * first of these links. */
    struct value here, there;
    uint32_t port; /* The port at the end with the later role: the first roles are those of nodes
                    * without a role of their own. */
    uint64_t n_links;
};

struct differences {
    struct difference *items;
    size_t n, max;
};

/* The parameters of an engine at a port; null: the engine does not serve the port. */
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
value_at(const struct model *p, struct value v, uint32_t port)
{
    uint64_t of_port[WEIR_PARAMS_MAX / sizeof(uint64_t)];
    const struct topo_port *at = &p->topo->ports[port];

    const struct weir_shape shape = model_shape_of(p, at->node);
    weir_port_params(v.engine, &shape, (uint16_t)at->number,
                     params_at(model_stack_at(p, at->node), v.engine, model_port_at(p, port)),
                     of_port);
    return weir_field_get(v.field, of_port);
}

static uint64_t
written_at(const struct model *p, struct value v, uint32_t port)
{
    const struct weir_stack *stack = &model_role_at(p, p->topo->ports[port].node)->stack;

    return weir_field_get(v.field, params_at(stack, v.engine, model_port_at(p, port)));
}

static bool
differ(const struct model *p, struct value here, struct value there, uint32_t port)
{
    uint32_t peer = p->topo->ports[port].peer;

    return written_at(p, here, port) != written_at(p, there, peer) &&
           value_at(p, here, port) != value_at(p, there, peer);
}

static void
note(struct differences *all, struct value here, struct value there, uint32_t port)
{
    size_t i = 0;

    while (i < all->n &&
           (all->items[i].here.field != here.field || all->items[i].there.field != there.field)) {
        i++;
    }
    if (i == all->n) {
        ARRAY_PUSH(all->items, all->n, all->max) = (struct difference){ here, there, port, 0 };
    }
    all->items[i].n_links++;
}

/* The strictness of the comparison: that of the engine with the stricter requirement. */
static enum weir_ends
ends_of(struct value here, struct value there)
{
    return here.field->ends > there.field->ends ? here.field->ends : there.field->ends;
}

/* Compares parameters of the same name, which two engines of one protocol may both have. */
static void
compare_engines(const struct model *p, uint32_t port, const struct weir_engine *here,
                const struct weir_engine *there, struct differences *all)
{
    for (const struct weir_field *f = here->about.params; f && f->name; f++) {
        struct value ours = { here, f };
        struct value theirs = { there, weir_field_find(there->about.params, f->name) };
        if (theirs.field && ends_of(ours, theirs) != WEIR_ENDS_MAY_DIFFER &&
            differ(p, ours, theirs, port)) {
            note(all, ours, theirs, port);
        }
    }
}

/* Compares all engines that serve the link at both ends; both ends know whether it is inside a
 * fabric. */
static void
compare_ends(const struct model *p, uint32_t port, struct differences *all)
{
    const struct topo_port *here = &p->topo->ports[port], *there = &p->topo->ports[here->peer];
    const struct weir_stack *ours = &model_role_at(p, here->node)->stack;
    const struct weir_stack *theirs = &model_role_at(p, there->node)->stack;
    const struct weir_port *at = model_port_at(p, port);

    for (uint32_t i = 0; i < ours->n; i++) {
        for (uint32_t k = 0; k < theirs->n; k++) {
            if (weir_scope_has(ours->layers[i].scope, at) &&
                weir_scope_has(theirs->layers[k].scope, at) &&
                model_same_protocol(ours->layers[i].engine, theirs->layers[k].engine)) {
                compare_engines(p, port, ours->layers[i].engine, theirs->layers[k].engine, all);
            }
        }
    }
}

static void
describe_difference(const struct model *p, const struct difference *d, struct weir_text *said)
{
    uint32_t peer = p->topo->ports[d->port].peer;
    uint64_t here = value_at(p, d->here, d->port), there = value_at(p, d->there, peer);
    const struct weir_field *field = d->here.field;
    char port[TOPO_PORT_BYTES];

    *said = (struct weir_text){ .fields = { field } };
    weir_text_add(said, "%s: %s is %F, but %F at %s", d->here.engine->about.name, field->name,
                  field, here, d->there.field, there, topo_port_text(p->topo, peer, port));
    if (d->n_links > 1) {
        weir_text_add(said, ", and the ends of %u more link%s differ in it", d->n_links - 1,
                      d->n_links > 2 ? "s" : "");
    }
    weir_text_add(said, ends_of(d->here, d->there) == WEIR_ENDS_MUST_AGREE
                            ? "; a link works only if both ends have the same"
                            : "; each end assumes the same value at the other, so packets may be "
                              "lost or blocked: give both the same");
}

bool
model_ends_agree(struct model *p, uint32_t *node, struct weir_text *said)
{
    struct differences all = { 0 };
    bool good = true;

    for (uint32_t port = 0; port < p->topo->n_ports; port++) {
        const struct topo_port *here = &p->topo->ports[port];
        if (p->role_of[here->node] > p->role_of[p->topo->ports[here->peer].node]) {
            compare_ends(p, port,
                         &all); /* Each link is compared once; ends of the same role are equal. */
        }
    }
    for (size_t i = 0; i < all.n && good; i++) {
        *node = p->topo->ports[all.items[i].port].node;
        describe_difference(p, &all.items[i], said);
        good = ends_of(all.items[i].here, all.items[i].there) != WEIR_ENDS_MUST_AGREE;
        if (good) {
            model_warn_of_link(p, *node, said);
        }
    }
    free(all.items);
    return good;
}
