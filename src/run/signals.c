/* The signals that a run can have, and their counts. */

#include "run/signals.h"

bool
peers_can_pause(const struct model *p)
{
    return model_limits(p) & (WEIR_LIMIT_OPEN | WEIR_LIMIT_HOLD);
}

/* Whether an engine makes links wait for their peers. With engines that pause or set rates, a link
 * that comes up waits for a message of its peer (decision 0022). FAFC does not make links wait. */
bool
links_can_wait(const struct model *p)
{
    return model_limits(p) & (WEIR_LIMIT_OPEN | WEIR_LIMIT_RATE);
}

bool
signal_is_possible(const struct model *p, enum signal_id id)
{
    switch (id) {
    case SIGNAL_PFC_PAUSES:
        return model_limits(p) & WEIR_LIMIT_OPEN;
    case SIGNAL_FAFC_PAUSES:
        return model_limits(p) & WEIR_LIMIT_HOLD;
    case SIGNAL_LINK_WAITS:
        return links_can_wait(p) && model_restarts_links(p);
    case SIGNAL_RATES:
        return model_limits(p) & WEIR_LIMIT_RATE;
    case SIGNAL_MARKS:
        return model_marks(p);
    default:
        return model_marks(p) && model_notifies(p);
    }
}

static struct signal_counts
without_impossible(struct signal_counts s, const struct model *p)
{
    for (enum signal_id i = 0; i < N_SIGNALS; i++) {
        s.n[i] = signal_is_possible(p, i) ? s.n[i] : COLUMN_NO_COUNT;
    }
    return s;
}

struct signal_counts
signals_of(const struct outcome *o)
{
    struct signal_counts s = { .n = { [SIGNAL_PFC_PAUSES] = o->totals.n_pfc_pauses,
                                      [SIGNAL_FAFC_PAUSES] = o->totals.n_fafc_pauses,
                                      [SIGNAL_LINK_WAITS] = o->totals.n_link_start_waits,
                                      [SIGNAL_RATES] = o->totals.n_rate_changes,
                                      [SIGNAL_MARKS] = o->totals.n_marked,
                                      [SIGNAL_CNPS] = o->totals.n_cnps } };

    return without_impossible(s, sim_model(o->sim));
}

struct signal_counts
signals_of_gate(const struct model *p, const struct sim_gate_state *g)
{
    struct signal_counts s = { .n = { [SIGNAL_PFC_PAUSES] = g->n_pfc_pauses,
                                      [SIGNAL_FAFC_PAUSES] = g->n_fafc_pauses,
                                      [SIGNAL_LINK_WAITS] = g->n_link_start_waits,
                                      [SIGNAL_RATES] = g->n_rate_changes,
                                      [SIGNAL_MARKS] = COLUMN_NO_COUNT,
                                      [SIGNAL_CNPS] = COLUMN_NO_COUNT } };

    return without_impossible(s, p);
}
