/* Turns: parallel processes do something in a given order, regardless of which is ready first.
 *
 *     struct sequencer *turns = sequencer_new(n);     before the processes are made
 *     sequencer_wait(turns, i);                       until all turns before i have ended
 *     sequencer_end(turns, i);                        in any process; further calls do nothing
 *     sequencer_free(turns);
 *
 * The process that assigned the turns must end the turns of processes that crashed or had nothing
 * to do; otherwise all later processes wait for ever.  A process that must stop does not wait
 * (stopping.h). */

#ifndef RUN_SEQUENCER_H
#define RUN_SEQUENCER_H

#include <stddef.h>

struct sequencer;

struct sequencer *sequencer_new(size_t n);
void sequencer_free(struct sequencer *);
void sequencer_wait(struct sequencer *, size_t turn);
void sequencer_end(struct sequencer *, size_t turn);

#endif
