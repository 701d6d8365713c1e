/* The signals (answer/signals.h) of a run that has just ended. */

#ifndef RUN_SIGNALS_H
#define RUN_SIGNALS_H

#include "answer/signals.h"
#include "run/outcome.h"

/* Whether some engine has its peers pause. */
bool peers_can_pause(const struct plant *);

/* Whether some engine has a link that comes up wait for its peer, if one does. */
bool links_can_wait(const struct plant *);

/* Whether engines and transports can cause it. */
bool signal_is_possible(const struct plant *, enum signal_id);

struct signal_counts signals_of(const struct outcome *);

/* Those of one transmit queue. */
struct signal_counts signals_of_gate(const struct plant *, const struct sim_gate_state *);

#endif
