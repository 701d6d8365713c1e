/* Counts of flow and congestion control signals in a run. */

#include "answer/signals.h"

#include "answer/facts.h"

static const size_t facts[N_SIGNALS] = {
    [SIGNAL_PFC_PAUSES] = FACT_n_pfc_pauses,
    [SIGNAL_FAFC_PAUSES] = FACT_n_fafc_pauses,
    [SIGNAL_LINK_WAITS] = FACT_n_link_start_waits,
    [SIGNAL_RATES] = FACT_n_rate_changes,
    [SIGNAL_MARKS] = FACT_n_marked,
    [SIGNAL_CNPS] = FACT_n_cnps,
};

const char *
signal_name(enum signal_id id)
{
    return run_facts[facts[id]].name;
}
