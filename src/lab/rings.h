/* Rings of DPDK's for the links of a plant, all in one process: frames go from a port to the port
 * at its other end, with the time at which they are there. */

#ifndef LAB_RINGS_H
#define LAB_RINGS_H

#include "dataplane/dpdk.h"
#include "plant/plant.h"

/* Ports of the topology, by their numbers there.  Once DPDK has begun; 'io' is closed by its own
 * call. */
bool lab_rings_open(const struct dpdk_calls *, const struct plant *, struct dp_io *io,
                    struct err *);

#endif
