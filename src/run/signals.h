/* Signals: what flow and congestion control have said in a run, counted: pauses, rates, marks,
 * CNPs.
 *
 * Which of them a run can have depends on its engines and transports; those that it cannot have are
 * not shown, and NULL in summaries. */

#ifndef RUN_SIGNALS_H
#define RUN_SIGNALS_H

#include "run/outcome.h"

enum signal_id { SIGNAL_PAUSES, SIGNAL_RATES, SIGNAL_MARKS, SIGNAL_CNPS, N_SIGNALS };

struct signal_about {
    const char *key;    /* In JSON: "pauses". */
    const char *counts; /* What is counted, behind a number: "times a port was told to pause". */
};

extern const struct signal_about signals[N_SIGNALS];

/* How many there were; REC_NONE: none can be. */
uint64_t signal_count(const struct outcome *, enum signal_id);

#endif
