/* The signals (answer/signals.h) of a run that has just ended. */

#ifndef RUN_SIGNALS_H
#define RUN_SIGNALS_H

#include "answer/signals.h"
#include "run/outcome.h"

/* Whether some engine has its peers pause. */
bool peers_can_pause(const struct model *);

/* Whether some engine has a link that comes up wait for its peer, if one does. */
bool links_can_wait(const struct model *);

/* Whether engines and transports can cause it. */
bool signal_is_possible(const struct model *, enum signal_id);

struct signal_counts signals_of(const struct outcome *);

/* Signals of one transmit queue. */
struct signal_counts signals_of_gate(const struct model *, const struct sim_gate_state *);

#endif
