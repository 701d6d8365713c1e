/* Turns: what processes beside each other do in a given order, whoever of them is there first.
 *
 *     struct turns *turns = turns_new(n);         before the processes are made
 *     turns_wait(turns, i);                       until all before i have had theirs
 *     turns_end(turns, i);                        as often as one likes, by anybody
 *     turns_free(turns);
 *
 * Who gave out the turns ends those of processes that came to harm, or had nothing to do: else all
 * behind these wait for ever.  Nobody waits who is asked to stop (stopping.h). */

#ifndef RUN_TURNS_H
#define RUN_TURNS_H

#include <stddef.h>

struct turns;

struct turns *turns_new(size_t n);
void turns_free(struct turns *);
void turns_wait(struct turns *, size_t turn);
void turns_end(struct turns *, size_t turn);

#endif
