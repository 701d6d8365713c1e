/* What flow and congestion control have said in a run, counted. */

#include "run/signals.h"

#include "record/rows.h"

const struct signal_about signals[N_SIGNALS] = {
    [SIGNAL_PAUSES] = { "pauses", "times a port was told to pause a class" },
    [SIGNAL_RATES] = { "rate_changes", "times a port was told another rate for a class" },
    [SIGNAL_MARKS] = { "marks", "times a packet was marked (ECN)" },
    [SIGNAL_CNPS] = { "cnps", "CNPs sent to senders" },
};

static bool
is_possible(const struct plant *p, enum signal_id id)
{
    switch (id) {
    case SIGNAL_PAUSES:
        return plant_limits(p) & (WEIR_LIMIT_OPEN | WEIR_LIMIT_HOLD);
    case SIGNAL_RATES:
        return plant_limits(p) & WEIR_LIMIT_RATE;
    case SIGNAL_MARKS:
        return plant_marks(p);
    default:
        return plant_marks(p) && plant_notifies(p);
    }
}

uint64_t
signal_count(const struct outcome *o, enum signal_id id)
{
    const uint64_t counts[N_SIGNALS] = { [SIGNAL_PAUSES] = o->totals.n_pauses,
                                         [SIGNAL_RATES] = o->totals.n_rates,
                                         [SIGNAL_MARKS] = o->totals.n_marked,
                                         [SIGNAL_CNPS] = o->totals.n_cnps };

    return is_possible(sim_plant(o->sim), id) ? counts[id] : REC_NONE;
}
