/* Rings of DPDK's for the links of a model, all in one process: frames go from a port to the port
 * at its other end, with the time at which they are there. */

#ifndef LAB_RINGS_H
#define LAB_RINGS_H

#include "dataplane/dpdk.h"
#include "model/model.h"

/* Ports of the topology, by their numbers there.  Once DPDK has begun; 'io' is closed by its own
 * call. */
bool lab_rings_open(const struct dpdk_calls *, const struct model *, struct dp_io *io,
                    struct err *);

#endif
