/* The functions of DPDK that Weir uses, as a table.
 *
 * The functions are in a separate module, weir-dpdk.so, which is loaded only if there are real
 * ports.  DPDK's libraries take time to load, and a machine without them can use all other
 * functions of the program.  The module handles frames and knows nothing of engines. */

#ifndef DATAPLANE_DPDK_H
#define DATAPLANE_DPDK_H

#include "base/err.h"
#include "dataplane/io.h"

struct dpdk_port {
    /* The device in the form of DPDK, such as "net_af_packet0,iface=eth1" or "0000:01:00.0"; or
     * null. */
    const char *device;
    /* If 'device' is null: the port of the same table to which DPDK's rings lead. */
    int64_t ring_to;
    bool is_down; /* Nothing is connected: the other members are not used. */
    /* The number of frames that a device may receive before the node takes them. */
    uint32_t n_waiting;
};

struct dpdk_calls {
    const char *build; /* The version of Weir that the module belongs to. */
    /* The maximum number of devices in a process, as DPDK was built. Rings do not count. */
    uint32_t max_devices;

    /* Called once per process, before any ports are opened. 'args' are the user's arguments for
     * DPDK (its "EAL"), ended by null, or null. DPDK itself starts with the first ports, because
     * its options depend on their devices. */
    bool (*begin)(const char *const *args, struct err *);

    /* Opens the ports of one or several nodes, which are numbered in order. The pool has 'n_frames'
     * in addition to the frames that devices use and a burst for each. A caller that holds at most
     * 'n_frames' can always receive. Frames have up to 'max_len' bytes, which must fit the MTU of
     * interfaces. A longer frame may be received, but its length shows that it is too long. Frames
     * on rings get 'at' of struct dp_frame when they are sent, and a ring has space for all frames.
     * Several tables of ports may be open; each is used by one thread. */
    bool (*open)(const struct dpdk_port *, uint32_t n_ports, uint32_t n_frames, uint32_t max_len,
                 struct dp_io *, struct err *);
    void (*close)(struct dp_io *);
    void (*end)(void);
};

/* The name of the table in the module. */
#define DPDK_CALLS_NAME "weir_dpdk_calls"

/* Loads the module. On failure returns null, and the error names the missing part and the way to
 * install it. */
const struct dpdk_calls *dpdk_load(struct err *);

/* Whether this build has the module, and its file is installed. */
bool dpdk_is_there(void);

#endif
