/* Facts about some of DPDK's drivers, by name: requirements that they do not report, and their
 * options for frames of a length.  All other arguments are passed on unchanged. */

#ifndef DATAPLANE_DPDK_DRIVERS_H
#define DATAPLANE_DPDK_DRIVERS_H

#include <stddef.h>
#include <stdint.h>

#include "base/err.h"

/* The Ethernet header with a VLAN tag, which an MTU does not include. */
enum { DRIVER_HEADER = 18 };

struct driver {
    const char *prefix;
    bool (*check)(const char *text, uint32_t max_len, struct err *);
    /* Appends options that size the device's frame buffer for 'n_waiting' frames; null: the driver
     * needs none. */
    void (*complete)(char *text, size_t max, uint32_t max_len, uint32_t n_waiting);
    bool has_own_mtu;    /* 'check' has validated the MTU. */
    bool is_open_to_all; /* Linux lets any number of programs open the same interface. */
};

/* The driver of a device such as "net_af_packet0,iface=eth0"; null if there are no facts about
 * it. */
const struct driver *driver_of(const char *text);

/* The size of a frame in the pool, if valid frames have up to 'max_len' bytes. It is larger, so
 * that a frame that is too long can be detected. */
uint32_t driver_room(uint32_t max_len);

/* The number of frames that may wait at each of 'n' devices: 'n_wanted', or the number for which
 * this process may lock memory, if that is less. */
uint32_t driver_most_waiting(uint32_t n_wanted, uint32_t n, uint32_t max_len);

#endif
