/* The signals (answer/signals.h) of a run that has just ended. */

#ifndef RUN_SIGNALS_H
#define RUN_SIGNALS_H

#include "answer/signals.h"
#include "run/outcome.h"

/* Whether engines and transports can cause it. */
bool signal_is_possible(const struct plant *, enum signal_id);

struct signal_counts signals_of(const struct outcome *);

#endif
