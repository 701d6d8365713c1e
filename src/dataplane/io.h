/* The interface of a node to ports with real frames: a few calls to receive and send, implemented
 * for DPDK's devices, its rings, and tests.
 *
 * The node that receives a frame owns it until it sends or drops it.  Frames have no check
 * sequence, which devices add and remove. */

#ifndef DATAPLANE_IO_H
#define DATAPLANE_IO_H

#include <stdbool.h>
#include <stdint.h>

#include "weir/units.h"

struct dp_frame {
    uint8_t *bytes;
    void *own;    /* The state of the implementation. */
    weir_ps at;   /* The arrival time of the last bit; WEIR_NEVER: the device does not report it. */
    uint32_t len; /* The length without the check sequence. It never changes. */
};

enum { DP_BURST = 32, DP_MAX_LEN = 9216 };

struct dp_io {
    void *arg;

    /* Receives up to 'max' frames from a port. Returns their number. */
    uint32_t (*receive)(void *arg, uint32_t port, struct dp_frame *frames, uint32_t max);

    /* Sends frames through a port, in order. Returns the number that it accepts now. The caller no
     * longer owns accepted frames. */
    uint32_t (*send)(void *arg, uint32_t port, struct dp_frame *frames, uint32_t n);

    /* Allocates a frame of a length with undefined bytes; returns false if memory is exhausted. */
    bool (*make)(void *arg, uint32_t len, struct dp_frame *);

    /* Makes another frame with the same bytes, which must not be changed from then on. Returns
     * false if memory is exhausted. */
    bool (*copy)(void *arg, const struct dp_frame *, struct dp_frame *copy);
    void (*drop)(void *arg, struct dp_frame *);

    /* Whether a port's device is present and its link is up.  Called seldom. */
    bool (*is_up)(void *arg, uint32_t port);

    /* The number of frames that a port's device has dropped since it was opened, because the node
     * did not take them in time or memory was exhausted. Null: the device never drops frames.
     * Called seldom. */
    uint64_t (*n_missed)(void *arg, uint32_t port);
};

#endif
