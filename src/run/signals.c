/* Which signals a run can have, and how many it had. */

#include "run/signals.h"

/* Engines that set rates put a link that comes up on hold until its peer is heard, as PFC pauses it
 * then (decision 0022). */
static bool
can_pause(const struct plant *p)
{
    uint32_t limits = plant_limits(p);

    return limits & (WEIR_LIMIT_OPEN | WEIR_LIMIT_HOLD) ||
           (limits & WEIR_LIMIT_RATE && plant_restarts_links(p));
}

bool
signal_is_possible(const struct plant *p, enum signal_id id)
{
    switch (id) {
    case SIGNAL_PAUSES:
        return can_pause(p);
    case SIGNAL_RATES:
        return plant_limits(p) & WEIR_LIMIT_RATE;
    case SIGNAL_MARKS:
        return plant_marks(p);
    default:
        return plant_marks(p) && plant_notifies(p);
    }
}

struct signal_counts
signals_of(const struct outcome *o)
{
    struct signal_counts s = { .n = { [SIGNAL_PAUSES] = o->totals.n_pauses,
                                      [SIGNAL_RATES] = o->totals.n_rates,
                                      [SIGNAL_MARKS] = o->totals.n_marked,
                                      [SIGNAL_CNPS] = o->totals.n_cnps } };

    for (enum signal_id i = 0; i < N_SIGNALS; i++) {
        s.n[i] = signal_is_possible(sim_plant(o->sim), i) ? s.n[i] : COLUMN_NO_COUNT;
    }
    return s;
}
