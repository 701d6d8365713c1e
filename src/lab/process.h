/* Starting the process of a node: its messages to and from the lab until it runs.
 *
 *     the lab                     the process
 *     process_start()     ---->   has a name, dies with the lab, ignores interrupts
 *                                 enters a namespace
 *     process_await()     <----   PROCESS_IS_APART
 *     makes links
 *     process_tell()      ---->   PROCESS_IS_LINKED
 *                                 brings up its interfaces
 *     process_await()     <----   PROCESS_IS_READY
 *                                 calls its main function, whose socket it is from then on
 *
 * If something fails there, its words come in place of what is awaited. */

#ifndef LAB_PROCESS_H
#define LAB_PROCESS_H

#include "lab/lab.h"

enum process_word { PROCESS_IS_APART = 1, PROCESS_IS_LINKED, PROCESS_IS_READY, PROCESS_HAS_FAILED };

bool process_start(struct lab *, uint32_t node, struct err *);

bool process_tell(int socket, enum process_word, struct err *);

/* Before the run a process that was stopped, say by SIGSTOP, may take so long to go on. */
#define PROCESS_STOPPED_NS ((uint64_t)3000000000)

/* Whether a process stands still because of a signal, and why that ends the lab: an exit code. */
bool process_is_stopped(const struct lab_process *);
int process_tell_stopped(const struct lab *, uint32_t node, struct err *);

/* An exit code; EXIT_STOPPED if an interrupt came first. */
int process_await(struct lab *, uint32_t node, enum process_word, struct err *);

/* Kills those that are there, and waits for their ends. */
void process_end_all(struct lab *);

#endif
