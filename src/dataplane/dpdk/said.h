/* Keeps log messages of DPDK for error messages.
 *
 * DPDK logs a dozen lines to the terminal at each start, and explains its failures nowhere else. So
 * its log is kept here, and shown on failure. */

#ifndef DATAPLANE_DPDK_SAID_H
#define DATAPLANE_DPDK_SAID_H

#include <stdbool.h>

/* Keeps DPDK's errors from now on, and hides its log. */
void said_keep(void);

/* Forgets earlier errors. Called before a call that may fail. */
void said_forget(void);

/* The first error since said_forget(), which is the cause of the others, without a full stop;
 * empty: there was none. */
const char *said_first(void);

/* Discards output that bypasses the log, such as usage text, between two calls. */
struct said_hush {
    int out, err;
};
struct said_hush said_hush(void);
void said_unhush(struct said_hush);

#endif
