/* Messages of DPDK, kept for the error when something failed.
 *
 * DPDK logs to the terminal, a dozen lines at each start, and explains its failures nowhere else.
 * So its log is kept here, and shown on failure. */

#ifndef DATAPLANE_DPDK_SAID_H
#define DATAPLANE_DPDK_SAID_H

#include <stdbool.h>

/* From here on DPDK's errors are kept, and nothing is shown. */
void said_keep(void);

/* Before something that may fail. */
void said_forget(void);

/* The first error since, which is the cause of the others, without a full stop; empty: none. */
const char *said_first(void);

/* Output past the log, such as a page of usage, is discarded between the two calls. */
struct said_hush {
    int out, err;
};
struct said_hush said_hush(void);
void said_unhush(struct said_hush);

#endif
