/* Invariants that must hold between windows, in builds with -Dinvariants=true; and a hook for their
 * test, which breaks one invariant of a thread and checks. */

#ifndef SIM_INVARIANTS_H
#define SIM_INVARIANTS_H

#include "sim/sim.h"

struct sim_node;
struct sim_thread;

enum sim_breakage {
    SIM_BREAK_INBOX,  /* Mail is in the inbox of a wrong window. */
    SIM_BREAK_BUSY,   /* A node has work but no bit, or a bit but no work. */
    SIM_BREAK_CHUNKS, /* A chunk is neither free nor in use. */
    SIM_BREAK_HEAP,   /* Mail in the heap is late. */
};

/* Breaks an invariant of a thread and checks. Call it between windows. */
void sim_break(struct sim *, enum sim_breakage);

/* Called after a window was run. */
#ifdef SIM_INVARIANTS
void sim_check_window(struct sim_thread *);
#else
static inline void
sim_check_window(struct sim_thread *t)
{
    (void)t;
}
#endif

/* conservation.c: checks that a node holds as many bytes as its buffer counts; else 'err' has both
 * numbers. */
bool sim_node_is_conserved(const struct sim *, const struct sim_node *, struct err *);

#endif
