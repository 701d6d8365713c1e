/* Judges the progress of every flow: collapsed, deadlocked or silent.
 *
 * An endless flow has collapsed if it got less than a tenth of its fair share in the second half of
 * the run.  A finite flow has collapsed if all flows together got less than a tenth of their
 * shares.  A silent flow has collapsed, too: it got nothing in the last tenth of the run, as a
 * queue on its path is blocked (sim_find_silence). A flow that a lasting deadlock stops counts as
 * deadlocked instead. */

#ifndef RUN_STARVATION_H
#define RUN_STARVATION_H

#include "run/outcome.h"

/* Fills in n_collapsed, n_deadlocked, n_silent and silence. */
void starvation_judge(struct outcome *);

/* The time at which the first of these items became silent, or 'first_ps' if that is earlier. */
weir_ps starvation_first_of(const struct sim_silent *, size_t n, weir_ps first_ps);

/* The time at which the first of the silent hosts, flows and queues became silent. */
weir_ps starvation_first_ps(const struct sim_silence *);

#endif
