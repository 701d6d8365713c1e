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

/* Calls for every engine, one node after the other that is built in another way, until it is told
 * to stop. */
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

weir_ps
plant_detection_ps(const struct plant *p)
{
    weir_ps least = WEIR_NEVER;

    for (uint32_t id = 0; id < p->topo->n_nodes; id++) {
        const struct sim_watchdog_config *w = &plant_role_at(p, id)->watchdog;
        bool is_sooner = w->action != SIM_NO_WATCHDOG && w->detection_ps < least;
        least = is_sooner ? w->detection_ps : least;
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
