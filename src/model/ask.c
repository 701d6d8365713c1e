/* Answers questions about a whole model, whose nodes may all differ. */

#include "model/model.h"

#include "base/text.h"

uint32_t
model_limits(const struct model *p)
{
    uint32_t limits = 0;

    for (size_t i = 0; i < p->n_engines; i++) {
        limits |= weir_stack_limits(&p->engines[i].stack);
    }
    return limits;
}

bool
model_sends_messages(const struct model *p)
{
    bool sends = false;

    for (size_t i = 0; i < p->n_engines; i++) {
        sends |= p->engines[i].needs.services & WEIR_SERVICE_MESSAGES;
    }
    return sends;
}

/* Whether a condition holds for an engine of any stack. */
static bool
any_engine(const struct model *p, bool (*is_it)(const struct model *, const struct model_engines *,
                                                const struct weir_engine *))
{
    bool found = false;

    for (size_t i = 0; i < p->n_engines; i++) {
        const struct model_engines *e = &p->engines[i];
        for (uint32_t k = 0; k < e->stack.n && !found; k++) {
            found = is_it(p, e, e->stack.layers[k].engine);
        }
    }
    return found;
}

static bool
marks_at_switch(const struct model *p, const struct model_engines *e,
                const struct weir_engine *engine)
{
    return engine->marks && p->topo->nodes[e->first_node].kind == TOPO_SWITCH;
}

bool
model_marks(const struct model *p)
{
    return any_engine(p, marks_at_switch);
}

bool
model_notifies(const struct model *p)
{
    bool notifies = false;

    for (uint32_t i = 0; i < p->n_flows && !notifies; i++) {
        notifies = p->flows[i].terms->transport && p->flows[i].terms->transport->notify_ps;
    }
    return notifies;
}

bool
model_controls(const struct model *p)
{
    bool controls = false;

    for (uint32_t i = 0; i < p->n_flows && !controls; i++) {
        controls = p->flows[i].terms->transport && p->flows[i].terms->transport->start;
    }
    return controls;
}

bool
model_restarts_links(const struct model *p)
{
    bool restarts = false;

    for (uint32_t i = 0; i < p->n_link_events && !restarts; i++) {
        restarts = p->link_events[i].up;
    }
    return restarts;
}

static bool
moves_classes(const struct model *p, const struct model_engines *e,
              const struct weir_engine *engine)
{
    (void)p, (void)e;
    return engine->moves_classes;
}

bool
model_moves_classes(const struct model *p)
{
    return any_engine(p, moves_classes);
}

static bool
minds_outputs(const struct model *p, const struct model_engines *e,
              const struct weir_engine *engine)
{
    return model_has_stages(p, e->first_node) ||
           (engine->queued && p->topo->nodes[e->first_node].kind == TOPO_SWITCH);
}

bool
model_minds_outputs(const struct model *p)
{
    return any_engine(p, minds_outputs);
}

bool
model_has_stages(const struct model *p, uint32_t node)
{
    return weir_has_stages(model_shape_like(p, node));
}

bool
model_is_watched(const struct model *p, uint32_t node)
{
    const struct model_role *role = model_role_at(p, node);

    return role->kind->is_watched && role->watchdog.action != MODEL_NO_WATCHDOG &&
           weir_stack_limits(model_stack_at(p, node)) & WEIR_LIMIT_OPEN;
}

bool
model_asks_for_watchdog(const struct model *p)
{
    bool asks = false;

    for (uint32_t id = 0; id < p->topo->n_nodes; id++) {
        const struct model_role *role = model_role_at(p, id);
        asks |= role->kind->is_watched && role->watchdog.action != MODEL_NO_WATCHDOG;
    }
    return asks;
}

weir_ps
model_detection_ps(const struct model *p)
{
    weir_ps least = WEIR_NEVER;

    for (uint32_t id = 0; id < p->topo->n_nodes; id++) {
        weir_ps detection_ps = model_role_at(p, id)->watchdog.detection_ps;
        least = model_is_watched(p, id) && detection_ps < least ? detection_ps : least;
    }
    return least;
}

static void
list_once(const struct weir_plugin *about, struct weir_text *text)
{
    if (!text_has_word(text->s, about->name)) {
        weir_text_add(text, text->len ? " %s" : "%s", about->name);
    }
}

void
model_list_engines(const struct model *p, struct weir_text *text)
{
    for (size_t i = 0; i < p->n_engines; i++) {
        for (uint32_t k = 0; k < p->engines[i].stack.n; k++) {
            list_once(&p->engines[i].stack.layers[k].engine->about, text);
        }
    }
}

void
model_list_arbitrations(const struct model *p, struct weir_text *text)
{
    for (size_t i = 0; i < p->n_engines; i++) {
        const struct sim_arbitration *a = model_role_at(p, p->engines[i].first_node)->arbitration;
        if (a) {
            list_once(&a->about, text);
        }
    }
}

/* The size of the smallest unit that is sent: a control frame, or the last packet of a flow or
 * message, which is not padded.  Connections may carry messages of any size. */
static uint32_t
least_bytes(const struct model *p)
{
    uint32_t least = WEIR_CONTROL_BYTES;

    for (uint32_t i = 0; p->mtu_bytes && i < p->n_flows; i++) {
        uint32_t rest = (uint32_t)(p->flows[i].bytes % p->mtu_bytes);
        bool ends_small = model_is_finite(p->flows[i].bytes) && rest && rest < least;
        least = p->flows[i].bytes == MODEL_MESSAGES ? 1 : ends_small ? rest : least;
    }
    return least;
}

weir_ps
model_quickest_ps(const struct model *p, const uint32_t *part)
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
