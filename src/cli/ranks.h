/* Runs the program as one of several ranks that a launcher has started.
 *
 * Every rank executes the verb, and only the first one prints. Standard output of the others is
 * discarded, and cli_fail() and cli_print_error() print nothing there. */

#ifndef CLI_RANKS_H
#define CLI_RANKS_H

#include <stdbool.h>
#include <stdint.h>

#include "run/outcome.h"

/* Called before the verb 'name': connects to the other ranks, if there are any. Returns false if
 * the program must end with this exit code. */
bool ranks_begin(const char *name, bool is_for_ranks, int *code);

/* Called after the verb. All ranks end with the exit code of the first. */
int ranks_end(int code);

/* The ranks that run together; null: this process runs alone. */
const struct outcome_ranks *ranks_all(void);

/* The number of ranks on the same cores, including this one. */
uint32_t ranks_n_sharing(void);

/* Whether this rank prints messages. */
bool ranks_is_speaker(void);

/* Makes the second rank print if the first is lost. */
void ranks_find_speaker(void);

/* Prints the statistics of messages between ranks to standard error. */
void ranks_show_counts(uint64_t n_windows);

#endif
