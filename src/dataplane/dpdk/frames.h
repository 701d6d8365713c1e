/* Ports that are open, and the calls by which a node receives and sends frames. */

#ifndef DATAPLANE_DPDK_FRAMES_H
#define DATAPLANE_DPDK_FRAMES_H

#include "dataplane/dpdk/devices.h"
#include "dataplane/io.h"

struct rte_ring;

/* A ring holds all frames of the pool, so that it never refuses one. */
struct port {
    struct rte_ring *in, *out; /* Null: it has a device, if any. */
    struct device device;
    bool is_open; /* The device. */
};

struct ports {
    struct rte_mempool *pool;
    struct port *of;
    uint32_t n;
};

/* The data next to each frame of the pool.  It is a line of the cache, so that the headers of a
 * frame, which stands behind it, begin with one, too. */
struct beside {
    weir_ps at;
} __rte_cache_aligned;

struct dp_io frames_io(struct ports *);

#endif
