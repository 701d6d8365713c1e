/* Questions about a plant as a whole: what its nodes, which may all differ, have between them. */

#include "plant/plant.h"

uint32_t
plant_limits(const struct plant *p)
{
    uint32_t limits = 0;

    for (size_t i = 0; i < p->n_engines; i++) {
        limits |= weir_stack_limits(&p->engines[i].stack);
    }
    return limits;
}

bool
plant_sends_messages(const struct plant *p)
{
    bool sends = false;

    for (size_t i = 0; i < p->n_engines; i++) {
        sends |= p->engines[i].needs.services & WEIR_SERVICE_MESSAGES;
    }
    return sends;
}

/* Whether some engine of some stack is one of a sort. */
static bool
any_engine(const struct plant *p, bool (*is_it)(const struct plant *, const struct plant_engines *,
                                                const struct weir_engine *))
{
    bool found = false;

    for (size_t i = 0; i < p->n_engines; i++) {
        const struct plant_engines *e = &p->engines[i];
        for (uint32_t k = 0; k < e->stack.n && !found; k++) {
            found = is_it(p, e, e->stack.layers[k].engine);
        }
    }
    return found;
}

static bool
marks_at_switch(const struct plant *p, const struct plant_engines *e,
                const struct weir_engine *engine)
{
    return engine->marks && p->topo->nodes[e->first_node].kind == TOPO_SWITCH;
}

bool
plant_marks(const struct plant *p)
{
    return any_engine(p, marks_at_switch);
}

bool
plant_notifies(const struct plant *p)
{
    bool notifies = false;

    for (uint32_t i = 0; i < p->n_flows && !notifies; i++) {
        notifies = p->flows[i].terms->transport && p->flows[i].terms->transport->notify_ps;
    }
    return notifies;
}

bool
plant_controls(const struct plant *p)
{
    bool controls = false;

    for (uint32_t i = 0; i < p->n_flows && !controls; i++) {
        controls = p->flows[i].terms->transport && p->flows[i].terms->transport->start;
    }
    return controls;
}

bool
plant_restarts_links(const struct plant *p)
{
    bool restarts = false;

    for (uint32_t i = 0; i < p->n_link_events && !restarts; i++) {
        restarts = p->link_events[i].up;
    }
    return restarts;
}

static bool
moves_classes(const struct plant *p, const struct plant_engines *e,
              const struct weir_engine *engine)
{
    (void)p, (void)e;
    return engine->moves_classes;
}

bool
plant_moves_classes(const struct plant *p)
{
    return any_engine(p, moves_classes);
}

static bool
minds_outputs(const struct plant *p, const struct plant_engines *e,
              const struct weir_engine *engine)
{
    return plant_has_stages(p, e->first_node) ||
           (engine->queued && p->topo->nodes[e->first_node].kind == TOPO_SWITCH);
}

bool
plant_minds_outputs(const struct plant *p)
{
    return any_engine(p, minds_outputs);
}

bool
plant_has_stages(const struct plant *p, uint32_t node)
{
    return weir_has_stages(plant_shape_like(p, node));
}

bool
plant_is_watched(const struct plant *p, uint32_t node)
{
    const struct plant_role *role = plant_role_at(p, node);

    return role->kind->is_watched && role->watchdog.action != PLANT_NO_WATCHDOG &&
           weir_stack_limits(plant_stack_at(p, node)) & WEIR_LIMIT_OPEN;
}

bool
plant_asks_for_watchdog(const struct plant *p)
{
    bool asks = false;

    for (uint32_t id = 0; id < p->topo->n_nodes; id++) {
        const struct plant_role *role = plant_role_at(p, id);
        asks |= role->kind->is_watched && role->watchdog.action != PLANT_NO_WATCHDOG;
    }
    return asks;
}

weir_ps
plant_detection_ps(const struct plant *p)
{
    weir_ps least = WEIR_NEVER;

    for (uint32_t id = 0; id < p->topo->n_nodes; id++) {
        weir_ps detection_ps = plant_role_at(p, id)->watchdog.detection_ps;
        least = plant_is_watched(p, id) && detection_ps < least ? detection_ps : least;
    }
    return least;
}

static bool
is_listed(const struct plant *p, size_t before, const struct weir_engine *engine)
{
    for (size_t i = 0; i < before; i++) {
        for (uint32_t k = 0; k < p->engines[i].stack.n; k++) {
            if (p->engines[i].stack.layers[k].engine == engine) {
                return true;
            }
        }
    }
    return false;
}

void
plant_list_engines(const struct plant *p, struct weir_text *text)
{
    for (size_t i = 0; i < p->n_engines; i++) {
        for (uint32_t k = 0; k < p->engines[i].stack.n; k++) {
            const struct weir_engine *engine = p->engines[i].stack.layers[k].engine;
            if (!is_listed(p, i, engine)) {
                weir_text_add(text, text->len ? " %s" : "%s", engine->about.name);
            }
        }
    }
}

void
plant_list_arbitrations(const struct plant *p, struct weir_text *text)
{
    for (size_t i = 0; i < p->n_engines; i++) {
        const struct sim_arbitration *a = plant_role_at(p, p->engines[i].first_node)->arbitration;
        bool is_new = a != NULL;
        for (size_t k = 0; k < i && is_new; k++) {
            is_new = plant_role_at(p, p->engines[k].first_node)->arbitration != a;
        }
        if (is_new) {
            weir_text_add(text, text->len ? " %s" : "%s", a->about.name);
        }
    }
}

/* The smallest thing that is sent: a frame, or the rest of a flow, which is not padded. */
static uint32_t
least_bytes(const struct plant *p)
{
    uint32_t least = WEIR_CONTROL_BYTES;

    for (uint32_t i = 0; p->mtu_bytes && i < p->n_flows; i++) {
        uint32_t rest = (uint32_t)(p->flows[i].bytes % p->mtu_bytes);
        bool ends_small = p->flows[i].bytes != PLANT_ENDLESS && rest && rest < least;
        least = ends_small ? rest : least;
    }
    return least;
}

weir_ps
plant_quickest_ps(const struct plant *p, const uint32_t *part)
{
    uint32_t bytes = least_bytes(p);
    weir_ps quickest = WEIR_NEVER;

    for (size_t i = 0; i < p->topo->n_links; i++) {
        const struct topo_link *l = &p->topo->links[i];
        weir_ps least = l->delay_ps + weir_wire_ps(bytes, l->rate_bps);
        bool counts = !part || part[l->node[0]] != part[l->node[1]];
        quickest = counts && least < quickest ? least : quickest;
    }
    return quickest;
}
