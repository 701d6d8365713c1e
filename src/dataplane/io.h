/* Ports with real frames, as a node sees them: a few receive and send calls, for DPDK's devices,
 * its rings, or a test.
 *
 * The receiver lends a frame until it is sent or dropped.  It has no frame check sequence, which
 * devices add and take away. */

#ifndef DATAPLANE_IO_H
#define DATAPLANE_IO_H

#include <stdbool.h>
#include <stdint.h>

#include "weir/units.h"

struct dp_frame {
    uint8_t *bytes;
    void *own;    /* The state of its maker. */
    weir_ps at;   /* The arrival time of its last bit, if its device reports it; WEIR_NEVER: it does
                     not. */
    uint32_t len; /* Without check sequence; as it came, or was made: it does not change. */
};

enum { DP_BURST = 32, DP_MAX_LEN = 9216 };

struct dp_io {
    void *arg;

    /* Takes up to 'max' frames that have come by a port; returns their number. */
    uint32_t (*receive)(void *arg, uint32_t port, struct dp_frame *frames, uint32_t max);

    /* Hands frames to a port, in order; returns the number that it takes now.  Frames that it takes
     * are no longer the caller's.
     */
    uint32_t (*send)(void *arg, uint32_t port, struct dp_frame *frames, uint32_t n);

    /* Allocates a frame of a length, its bytes not set; false if there is no memory. */
    bool (*make)(void *arg, uint32_t len, struct dp_frame *);

    /* One more of the same bytes, which neither may then change; false: no memory. */
    bool (*copy)(void *arg, const struct dp_frame *, struct dp_frame *copy);
    void (*drop)(void *arg, struct dp_frame *);

    /* Whether a port's device is there and its link is up.  Seldom asked. */
    bool (*is_up)(void *arg, uint32_t port);

    /* Frames that have arrived at a port's device since it was opened, and that the device dropped,
     * as the node did not take them in time or memory ran out.  Null: it never does.  Seldom asked.
     */
    uint64_t (*n_missed)(void *arg, uint32_t port);
};

#endif
