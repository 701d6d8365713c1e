/* The signals (answer/signals.h) of a run that has just ended. */

#ifndef RUN_SIGNALS_H
#define RUN_SIGNALS_H

#include "answer/signals.h"
#include "run/outcome.h"

/* Whether an engine can pause its peers. */
bool peers_can_pause(const struct model *);

/* Whether an engine makes a link that comes up wait for its peer. */
bool links_can_wait(const struct model *);

/* Whether the model's engines and transports can cause the signal. */
bool signal_is_possible(const struct model *, enum signal_id);

struct signal_counts signals_of(const struct outcome *);

/* Counts the signals that one transmit queue received. */
struct signal_counts signals_of_gate(const struct model *, const struct sim_gate_state *);

#endif
