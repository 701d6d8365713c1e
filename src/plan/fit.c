/* Checks whether a plan fits, finds changes that make it fit, and derives thresholds. */

#include <assert.h>
#include <stdlib.h>

#include "base/array.h"
#include "plan/plan.h"

bool
plan_fits(const struct plan *p, const struct plan_scheme *s)
{
    struct plan_need need = plan_need(p, s);

    assert(p->in.buffer_bytes != WEIR_AUTO);
    return plan_scheme_has_classes(p, s) && plan_least_bytes(&need) <= p->in.buffer_bytes;
}

/* Remedies: the same switch, with a limit on one property or several properties. */

static const struct plan_caps no_caps = { PLAN_NOTHING, PLAN_NOTHING, PLAN_NOTHING };

static void
cap_kind(struct plan_kind *k, const struct plan_caps *caps)
{
    k->n_classes = k->n_classes < caps->classes ? k->n_classes : (uint32_t)caps->classes;
    k->link.n_classes = k->n_classes;
    if (k->cable_mm > caps->cable_mm) {
        k->cable_mm = caps->cable_mm;
        k->link.cable_ps = plan_cable_ps(caps->cable_mm);
    }
    k->link.mtu_bytes =
        k->link.mtu_bytes < caps->mtu_bytes ? k->link.mtu_bytes : (uint32_t)caps->mtu_bytes;
}

uint64_t
plan_capped_bytes(const struct plan *p, const struct plan_scheme *s, const struct plan_caps *caps)
{
    struct plan capped = *p;

    capped.kinds = array_new(p->n_kinds, sizeof *capped.kinds);
    for (size_t i = 0; i < p->n_kinds; i++) {
        capped.kinds[i] = p->kinds[i];
        cap_kind(&capped.kinds[i], caps);
    }
    struct plan_need need = plan_need(&capped, s);
    free(capped.kinds);
    return plan_least_bytes(&need);
}

/* Raises a cap from 'low' to the highest value that fits, by bisection.  Returns false if even
 * 'low' does not fit. */
static bool
raise_cap(const struct plan *p, const struct plan_scheme *s, struct plan_caps *caps, uint64_t *cap,
          uint64_t low, uint64_t high)
{
    uint64_t buffer = p->in.buffer_bytes;

    *cap = low;
    if (plan_capped_bytes(p, s, caps) > buffer) {
        return false;
    }
    while (high - low > 1) {
        uint64_t middle = *cap = low + (high - low) / 2;
        *(plan_capped_bytes(p, s, caps) <= buffer ? &low : &high) = middle;
    }
    *cap = low;
    return true;
}

static struct plan_caps
largest_of(const struct plan *p)
{
    struct plan_caps most = { 0 };

    for (size_t i = 0; i < p->n_kinds; i++) {
        const struct plan_kind *k = &p->kinds[i];
        most.classes = k->n_classes > most.classes ? k->n_classes : most.classes;
        most.cable_mm = k->cable_mm > most.cable_mm ? k->cable_mm : most.cable_mm;
        most.mtu_bytes = k->link.mtu_bytes > most.mtu_bytes ? k->link.mtu_bytes : most.mtu_bytes;
    }
    return most;
}

/* Finds remedies. Tries each alone first; if none is enough, each together with one class, and then
 * also without cable. */
size_t
plan_find_remedies(const struct plan *p, const struct plan_scheme *s,
                   struct plan_caps remedies[PLAN_MAX_REMEDIES])
{
    const struct plan_caps most = largest_of(p);
    struct plan_caps c = no_caps;
    size_t n = 0;

    if (raise_cap(p, s, &c, &c.classes, 1, most.classes)) {
        remedies[n++] = c;
    }
    for (int n_given_up = 0; n_given_up < 3 && (n_given_up == 0 || !n); n_given_up++) {
        struct plan_caps base = no_caps;
        base.classes = n_given_up > 0 && most.classes > 1 ? 1 : PLAN_NOTHING;
        base.cable_mm = n_given_up > 1 ? 0 : PLAN_NOTHING;
        c = base;
        if (n_given_up < 2 && raise_cap(p, s, &c, &c.cable_mm, 0, most.cable_mm)) {
            remedies[n++] = c;
        }
        c = base;
        if (most.mtu_bytes > PLAN_LEAST_MTU &&
            raise_cap(p, s, &c, &c.mtu_bytes, PLAN_LEAST_MTU, most.mtu_bytes)) {
            remedies[n++] = c;
        }
    }
    return n;
}

/* Thresholds. */

uint64_t
plan_scheme_room_bytes(const struct plan *p, const struct plan_scheme *s)
{
    uint64_t n_slots = 0;
    for (size_t i = 0; i < p->n_kinds; i++) {
        n_slots += p->kinds[i].n_ports * plan_scheme_classes(p, s, &p->kinds[i]);
    }
    return p->in.buffer_bytes / n_slots;
}

uint64_t
plan_room_bytes(const struct plan *p)
{
    return plan_scheme_room_bytes(p, plan_scheme_find("pfc"));
}

/* A node with one port of each of these kinds, and the buffer of the plan. Its MTU is the largest
 * of all. */
static struct weir_shape
shape_of(const struct plan *p, const struct plan_scheme *s, const struct plan_kind *kinds,
         size_t n_kinds, struct weir_port *ports)
{
    uint64_t room = plan_scheme_room_bytes(p, s);
    struct weir_shape shape = { .ports = ports,
                                .n_ports = (uint16_t)n_kinds,
                                .gap_bytes = p->gap_bytes };

    for (size_t i = 0; i < n_kinds; i++) {
        const struct weir_link *l = &kinds[i].link;
        ports[i] = (struct weir_port){ .rate_bps = l->rate_bps,
                                       .cable_ps = l->cable_ps,
                                       .response_ps = l->response_ps };
        uint64_t n_classes = plan_scheme_classes(p, s, &kinds[i]);
        n_classes = n_classes > WEIR_MAX_CLASSES ? WEIR_MAX_CLASSES : n_classes;
        shape.n_classes = n_classes > shape.n_classes ? (uint8_t)n_classes : shape.n_classes;
        shape.mtu_bytes = l->mtu_bytes > shape.mtu_bytes ? l->mtu_bytes : shape.mtu_bytes;
    }
    shape.lossless = (uint8_t)((1u << shape.n_classes) - 1);
    shape.buffer.size_bytes = shape.n_ports * shape.n_classes * room;
    for (uint32_t cls = 0; cls < shape.n_classes; cls++) {
        shape.buffer.classes[cls].reserve_bytes = room;
    }
    return shape;
}

/* The maximum need over all kinds of ports at this node. */
static struct plan_need
worst_need(const struct plan *p, const struct plan_scheme *s, const struct plan_kind *kinds,
           size_t n_kinds, const struct weir_shape *shape)
{
    struct plan_need worst = { 0 };

    for (size_t i = 0; i < n_kinds; i++) {
        struct plan_kind k = kinds[i];
        k.link.mtu_bytes = shape->mtu_bytes;
        k.link.n_classes = shape->n_classes;
        struct plan_need need = plan_slot_need(p, s, &k);
        worst = need.headroom_bytes > worst.headroom_bytes ? need : worst;
    }
    return worst;
}

void
plan_set_bytes(struct weir_stack *stack, const char *name, uint64_t bytes)
{
    struct weir_text value = { 0 }, why = { 0 };
    weir_text_add(&value, "%uB", bytes);
    weir_stack_set(stack, 0, name, value.s, &why);
}

static void
set_given(const struct plan *p, const struct plan_scheme *s, uint64_t threshold_bytes,
          struct weir_stack *stack)
{
    struct weir_text period = { 0 }, why = { 0 };

    if (s->threshold) {
        plan_set_bytes(stack, s->threshold, threshold_bytes);
    }
    if (stack->layers[0].engine->period_ps && p->in.period_ps != WEIR_AUTO) {
        weir_text_add(&period, "%T", (weir_ps)p->in.period_ps);
        weir_stack_set(stack, 0, "period", period.s, &why);
    }
}

/* Finds the engine of a scheme. TTL with only one class at a switch, as in small trees, pauses like
 * PFC. */
static const struct weir_engine *
engine_of(const struct plan_scheme *s, const struct weir_shape *shape)
{
    bool is_plain = s->class_of && shape->n_classes < 2;
    return s->engine ? weir_engine_find(is_plain ? "pfc" : s->engine) : NULL;
}

bool
plan_lacks_hops(const struct plan *p, const struct plan_scheme *s)
{
    uint64_t most = 0;

    for (size_t i = 0; i < p->n_kinds; i++) {
        uint64_t n = plan_scheme_classes(p, s, &p->kinds[i]);
        most = n > most ? n : most;
    }
    return s->class_of && most < 2 && p->in.hops == WEIR_AUTO;
}

/* Derives the thresholds of an engine, by Eq. 15 of TTL and the theorems of GFC. For other formulas
 * of PFC's headroom, XOFF is set. */
bool
plan_resolve(const struct plan *p, const struct plan_scheme *s, const struct plan_kind *kinds,
             size_t n_kinds, struct weir_stack *stack, struct weir_text *why)
{
    struct weir_port *ports = array_new(n_kinds, sizeof *ports);
    struct weir_shape shape = shape_of(p, s, kinds, n_kinds, ports);
    const struct weir_engine *engine = engine_of(s, &shape);
    struct plan_need need = worst_need(p, s, kinds, n_kinds, &shape);
    uint64_t room = plan_scheme_room_bytes(p, s), least = plan_least_bytes(&need);
    struct weir_needs needs;
    bool good = false;

    *stack = (struct weir_stack){ 0 };
    if (!engine) {
        weir_text_add(why, "no engine implements it");
    } else if (!plan_scheme_has_classes(p, s)) {
        weir_text_add(why, "needs %u classes, but PFC frames have only %u",
                      plan_scheme_classes(p, s, &kinds[0]), (uint64_t)WEIR_MAX_CLASSES);
    } else if (plan_lacks_hops(p, s)) {
        weir_text_add(why, "needs a class for every hop: give --hops, or more --classes");
    } else if (room < least) {
        weir_text_add(why, "needs %B for each class of a port, but has %B", least, room);
    } else if (s->has_outputs) {
        good = plan_capfc_resolve(p, stack, why);
    } else {
        weir_stack_add(stack, engine);
        set_given(p, s, room - need.headroom_bytes, stack);
        good = weir_stack_resolve(stack, &shape, &needs, why);
    }
    free(ports);
    return good;
}

uint64_t
plan_trigger_bytes(const struct plan *p, uint64_t shared_bytes, uint64_t n_long)
{
    int th = plan_dynamic_th(&p->in);
    uint64_t over = th >= 0 ? (uint64_t)1 << th : 1, under = th < 0 ? (uint64_t)1 << -th : 1;

    if (p->in.static_th_bytes != WEIR_AUTO) {
        return p->in.static_th_bytes;
    }
    /* Solves q = a (S - n q) for q. */
    return weir_mul_div(shared_bytes, over, under + n_long * over);
}
