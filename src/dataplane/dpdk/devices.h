/* Opens devices of DPDK for frames of a length, depending on their kind, and closes them. */

#ifndef DATAPLANE_DPDK_DEVICES_H
#define DATAPLANE_DPDK_DEVICES_H

#include <rte_mempool.h>

#include "base/err.h"
#include "dataplane/dpdk.h"

/* The number of the pool's frames that each device may hold. */
enum { DEVICE_KEEPS = 1024 };

struct device {
    uint16_t id;
    int interface; /* The number of its interface in Linux; 0: it has none. */
    int kernel;    /* A socket for queries, whose name marks the interface as taken. */
    int frames;    /* The driver's own packet socket, for its number of dropped frames; -1: none. */
    /* The interface accepted frames for any address before Weir opened it. */
    bool was_for_all;
    /* The number of frames that the packet socket had dropped at the last query. */
    uint64_t n_dropped;
};

bool device_open(struct device *, const struct dpdk_port *, uint32_t max_len, struct rte_mempool *,
                 struct err *);
void device_close(const struct device *);

/* Whether the device is present and its link is up. */
bool device_is_up(const struct device *);

/* The number of frames that the device dropped, because its buffer was full or memory was
 * exhausted. */
uint64_t device_n_missed(struct device *);

#endif
