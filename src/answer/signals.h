/* Signals of flow and congestion control in a run, counted by scheme: PFC pauses, FAFC pauses,
 * waits at the start of links, rate changes, ECN marks, CNPs.
 *
 * A PFC pause is requested by a PFC frame of any engine: pfc, capfc or ttl. A FAFC pause has a
 * duration. If both pause one queue at the same time, each counts. A wait at the start of a link is
 * neither, because no peer requested it (decision 0022).
 *
 * The signals of a run depend on its engines and transports. Signals that they cannot send are
 * unknown: absent in text, null in JSON, NULL in summaries. */

#ifndef ANSWER_SIGNALS_H
#define ANSWER_SIGNALS_H

#include <stdint.h>

enum signal_id {
    SIGNAL_PFC_PAUSES,
    SIGNAL_FAFC_PAUSES,
    SIGNAL_LINK_WAITS,
    SIGNAL_RATES,
    SIGNAL_MARKS,
    SIGNAL_CNPS,
    N_SIGNALS
};

/* The name of the fact of a run, such as "n_pfc_pauses". The counters of ports that add up to the
 * fact have the same name. */
const char *signal_name(enum signal_id);

struct signal_counts {
    uint64_t n[N_SIGNALS]; /* COLUMN_NO_COUNT: the run cannot have such signals. */
};

#endif
