/* Turns: what processes beside each other do in a given order, whoever of them is there first.
 *
 *     struct sequencer *turns = sequencer_new(n);         before the processes are made
 *     sequencer_wait(turns, i);                       until all before i have had theirs
 *     sequencer_end(turns, i);                        as often as one likes, by anybody
 *     sequencer_free(turns);
 *
 * Who gave out the turns ends those of processes that came to harm, or had nothing to do: else all
 * behind these wait for ever.  Nobody waits who is asked to stop (stopping.h). */

#ifndef RUN_SEQUENCER_H
#define RUN_SEQUENCER_H

#include <stddef.h>

struct sequencer;

struct sequencer *sequencer_new(size_t n);
void sequencer_free(struct sequencer *);
void sequencer_wait(struct sequencer *, size_t turn);
void sequencer_end(struct sequencer *, size_t turn);

#endif
