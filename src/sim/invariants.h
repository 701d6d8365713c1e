/* A door for the test of invariants: breaks one of a thread's, and looks.  Only in builds with
 * -Dinvariants=true. */

#ifndef SIM_INVARIANTS_H
#define SIM_INVARIANTS_H

#include "sim/sim.h"

enum sim_breakage {
    SIM_BREAK_INBOX,  /* A mail is in the inbox of another window. */
    SIM_BREAK_BUSY,   /* A node has work and no bit, or a bit and no work. */
    SIM_BREAK_CHUNKS, /* Chunks are neither free nor in use. */
    SIM_BREAK_HEAP,   /* Mail is late. */
};

/* Between windows. */
void sim_break(struct sim *, enum sim_breakage);

#endif
