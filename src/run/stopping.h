/* Stops the program on Ctrl-C or SIGTERM without leaving anything half done.
 *
 *     stopping_begin(say);             in a command: until stopping_hold(), an interrupt calls
 *                                      'say' and ends the process at once with EXIT_STOPPED
 *     stopping_hold(sim, ranks);       from here on there are files to be closed: an interrupt
 *                                      stops the simulation instead, if there is one, and is
 *                                      remembered
 *     if (stopping_is_asked()) ...
 *     stopping_let_go();
 *
 * A program that never calls stopping_begin() can use holds, too.  Its own handlers are restored
 * afterwards. */

#ifndef RUN_STOPPING_H
#define RUN_STOPPING_H

#include <stdbool.h>

struct outcome_ranks;
struct sim;

/* 'say' is called in a signal handler: it may write(), and not much else. */
void stopping_begin(void (*say)(void));

/* Makes a worker of a pool ignore interrupts. From now on SIGTERM, which worker_pool_stop() sends,
 * makes it stop. */
void stopping_begin_worker(void);

/* From now on SIGTERM no longer stops the worker: it is about to send its results. */
void stopping_end_worker(void);

/* Begins a hold. Both arguments may be null. */
void stopping_hold(struct sim *, const struct outcome_ranks *);
void stopping_let_go(void);
bool stopping_is_asked(void);

#endif
