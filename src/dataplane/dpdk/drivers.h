/* Facts about some of DPDK's drivers, by name: needs that they do not report, and their options for
 * frames of a length.  All other arguments are passed on unchanged. */

#ifndef DATAPLANE_DPDK_DRIVERS_H
#define DATAPLANE_DPDK_DRIVERS_H

#include <stddef.h>
#include <stdint.h>

#include "base/err.h"

enum {
    DRIVER_HEADER = 18
}; /* The header of Ethernet, with a VLAN tag; the rest is what an MTU
    * counts. */

struct driver {
    const char *prefix;
    bool (*check)(const char *text, uint32_t max_len, struct err *);
    /* With room for frames that wait; null: there is nothing to add. */
    void (*complete)(char *text, size_t max, uint32_t max_len, uint32_t n_waiting);
    bool has_own_mtu;    /* 'check' has validated it. */
    bool is_open_to_all; /* Linux lets any number of programs have the same interface. */
};

/* The driver of "net_af_packet0,iface=eth0"; null: there are no facts about it. */
const struct driver *driver_of(const char *text);

/* How many bytes a frame of the pool must have room for, if frames are up to 'max_len' long: more,
 * so that one that is too long is seen to be. */
uint32_t driver_room(uint32_t max_len);

/* How many frames may wait at each of 'n' devices, if 'n_wanted' are to: no more than the memory
 * that this process may lock has room for. */
uint32_t driver_most_waiting(uint32_t n_wanted, uint32_t n, uint32_t max_len);

#endif
