/* Signals: what flow and congestion control say in a run, counted by scheme: PFC pauses, FAFC
 * pauses, waits at the start of links, changes of rates, ECN marks, CNPs.
 *
 * A PFC pause is one that a PFC frame asked for, whichever engine sent it: pfc, capfc or ttl.  A
 * FAFC pause has a length and ends by itself.  If both shut one queue at once, each counts.  A wait
 * at the start of a link is neither: no peer asked for it (decision 0022).
 *
 * The signals of a run depend on its engines and transports.  Signals that the engines cannot send
 * are unknown: not shown in text, null in JSON, NULL in summaries. */

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

/* "n_pfc_pauses": the name of the fact of a run, and of the counters of ports that add up to it. */
const char *signal_name(enum signal_id);

struct signal_counts {
    uint64_t n[N_SIGNALS]; /* COLUMN_NO_COUNT: there cannot be any. */
};

#endif
