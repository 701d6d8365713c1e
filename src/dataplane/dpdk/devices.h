/* Devices of DPDK's: made ready for frames of a length, by what kind they are, and given back. */

#ifndef DATAPLANE_DPDK_DEVICES_H
#define DATAPLANE_DPDK_DEVICES_H

#include <rte_mempool.h>

#include "base/err.h"
#include "dataplane/dpdk.h"

/* How many frames of the pool one device may keep. */
enum { DEVICE_KEEPS = 1024 };

struct device {
    uint16_t id;
    int interface; /* The number of its interface in Linux; 0: none. */
    int kernel;    /* A socket for queries, whose name marks the interface as taken. */
    int frames;    /* The driver's own packet socket, to ask how many it has dropped; -1: none. */
    bool was_for_all;   /* It took frames for any address before we asked it to. */
    uint64_t n_dropped; /* The socket's drops up to the last query. */
};

bool device_open(struct device *, const struct dpdk_port *, uint32_t max_len, struct rte_mempool *,
                 struct err *);
void device_close(const struct device *);

/* It is there, and its link is up. */
bool device_is_up(const struct device *);

/* Frames that the device dropped, for lack of room or memory. */
uint64_t device_n_missed(struct device *);

#endif
