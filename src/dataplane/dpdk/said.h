/* Keeps messages of DPDK for error messages.
 *
 * DPDK logs to the terminal, a dozen lines at each start, and explains its failures nowhere else.
 * So its log is kept here, and shown on failure. */

#ifndef DATAPLANE_DPDK_SAID_H
#define DATAPLANE_DPDK_SAID_H

#include <stdbool.h>

/* From now on DPDK's errors are kept, and nothing is shown. */
void said_keep(void);

/* Forgets earlier errors; called before a call that may fail. */
void said_forget(void);

/* The first error since then, which is the cause of the others, without a full stop; empty:
 * none. */
const char *said_first(void);

/* Output that bypasses the log, such as usage text, is discarded between the two calls. */
struct said_hush {
    int out, err;
};
struct said_hush said_hush(void);
void said_unhush(struct said_hush);

#endif
