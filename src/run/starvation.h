/* Judges the progress of every flow: collapsed, deadlocked or silent.
 *
 * An endless flow has collapsed if it got less than a tenth of its fair share in the second half of
 * the run.  A finite one has if all flows together got less than that.  The same holds for a silent
 * flow: it got nothing in the last tenth, as a queue on its path is blocked (sim_find_silence). A
 * flow that a standing deadlock stops counts as deadlocked instead. */

#ifndef RUN_STARVATION_H
#define RUN_STARVATION_H

#include "run/outcome.h"

/* Fills in n_collapsed, n_deadlocked, n_silent and silence. */
void starvation_judge(struct outcome *);

/* When the first of some that are silent fell silent, if that was before 'first_ps'; else that. */
weir_ps starvation_first_of(const struct sim_silent *, size_t n, weir_ps first_ps);

/* When the first of the silent hosts, flows and queues fell silent. */
weir_ps starvation_first_ps(const struct sim_silence *);

#endif
