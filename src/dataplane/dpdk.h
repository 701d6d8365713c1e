/* The functions of DPDK that Weir uses, as a table.
 *
 * The functions are in a module of their own, weir-dpdk.so, which is loaded only when there are
 * real ports.  DPDK's libraries take time to load, and a machine that has none of them runs the
 * same program for all else.  The module knows frames and nothing of engines. */

#ifndef DATAPLANE_DPDK_H
#define DATAPLANE_DPDK_H

#include "base/err.h"
#include "dataplane/io.h"

struct dpdk_port {
    const char *device; /* The form of DPDK: "net_af_packet0,iface=eth1", "0000:01:00.0"; */
    int64_t ring_to;    /* or, if that is null, rings to this port of the same table; */
    bool is_down;       /* or neither: nothing is connected. */
    uint32_t n_waiting; /* Frames that may come to a device before the node takes them. */
};

struct dpdk_calls {
    const char *build;    /* The version of Weir that it belongs to. */
    uint32_t max_devices; /* The maximum that a process may have, as DPDK was built; rings are
                           * none. */

    /* Once a process, before any ports.  'args' are the user's arguments for DPDK (its "EAL"), with
     * null behind them, or null.  DPDK itself starts with the first ports, as its options depend on
     * their devices. */
    bool (*begin)(const char *const *args, struct err *);

    /* Ports of a node, or of several: they are numbered in order.  The pool has 'n_frames', in
     * addition to those that devices keep for themselves and a burst of each.  A caller with no
     * more than this number of frames at once can always receive.  Frames have up to 'max_len'
     * bytes, which must fit the MTU of interfaces; one that is longer may come all the same, and is
     * then at least seen to be.  Frames on rings are stamped with 'at' of struct dp_frame as it is
     * sent, and a ring takes all frames that there are.  Several tables of ports may be open; each
     * is used by one thread. */
    bool (*open)(const struct dpdk_port *, uint32_t n_ports, uint32_t n_frames, uint32_t max_len,
                 struct dp_io *, struct err *);
    void (*close)(struct dp_io *);
    void (*end)(void);
};

/* The name of the table in the module. */
#define DPDK_CALLS_NAME "weir_dpdk_calls"

/* Loads the module; null, with what is missing and how to get it. */
const struct dpdk_calls *dpdk_load(struct err *);

/* Whether this build has the module, and it is where it belongs. */
bool dpdk_is_there(void);

#endif
