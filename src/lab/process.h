/* Starts the process of a node, and exchanges messages with it until it runs.
 *
 *     the lab                        the process
 *     process_start()       ---->    has a name, dies with the lab, ignores interrupts
 *                                    enters a namespace
 *     process_await()       <----    LAB_APART
 *     makes links
 *     process_send()        ---->    LAB_LINKED
 *                                    brings up its interfaces
 *     process_await()       <----    LAB_UP
 *                                    calls its main function, to which the socket then belongs
 *
 * If something fails in the process, it sends LAB_FAILED in place of the expected message. */

#ifndef LAB_PROCESS_H
#define LAB_PROCESS_H

#include "lab/lab.h"
#include "lab/reports.h"

bool process_start(struct lab *, uint32_t node, struct err *);

bool process_send(int socket, enum lab_word, const char *text, struct err *);

/* The time within which a process stopped before the run, for example by SIGSTOP, must continue. */
#define PROCESS_STOPPED_NS ((uint64_t)3000000000)

/* Whether a process is stopped by a signal, and the exit code and error for that case. */
bool process_is_stopped(const struct lab_process *);
int process_fail_stopped(const struct lab *, uint32_t node, struct err *);

/* Waits for a message. Returns an exit code, which is EXIT_STOPPED if the user interrupts the
 * wait. */
int process_await(struct lab *, uint32_t node, enum lab_word, struct err *);

/* Sets an error from the text of LAB_FAILED, and returns an exit code. */
int process_fail_with(const struct lab *, uint32_t node, const struct lab_message *, struct err *);

/* Kills all processes, and waits for their ends. */
void process_end_all(struct lab *);

#endif
