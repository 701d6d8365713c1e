/* Starting the process of a node: its messages to and from the lab until it runs.
 *
 *     the lab                     the process
 *     process_start()     ---->   has a name, dies with the lab, ignores interrupts
 *                                 enters a namespace
 *     process_await()     <----   LAB_APART
 *     makes links
 *     process_send()      ---->   LAB_LINKED
 *                                 brings up its interfaces
 *     process_await()     <----   LAB_UP
 *                                 calls its main function, whose socket it is from then on
 *
 * If something fails there, LAB_FAILED comes in place of what is awaited. */

#ifndef LAB_PROCESS_H
#define LAB_PROCESS_H

#include "lab/lab.h"
#include "lab/reports.h"

bool process_start(struct lab *, uint32_t node, struct err *);

bool process_send(int socket, enum lab_word, const char *text, struct err *);

/* Before the run a process that was stopped, say by SIGSTOP, may take so long to go on. */
#define PROCESS_STOPPED_NS ((uint64_t)3000000000)

/* True if a process is stopped by a signal; returns an exit code with the reason. */
bool process_is_stopped(const struct lab_process *);
int process_fail_stopped(const struct lab *, uint32_t node, struct err *);

/* An exit code; EXIT_STOPPED if an interrupt came first. */
int process_await(struct lab *, uint32_t node, enum lab_word, struct err *);

/* The text of LAB_FAILED from that node, as an error: an exit code. */
int process_fail_with(const struct lab *, uint32_t node, const struct lab_message *, struct err *);

/* Kills those that are there, and waits for their ends. */
void process_end_all(struct lab *);

#endif
