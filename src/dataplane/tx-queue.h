/* Frames that leave through a port, in order. They wait here until their time, if links have no
 * delay of their own, and until the device accepts them, in bursts. */

#ifndef DATAPLANE_TX_QUEUE_H
#define DATAPLANE_TX_QUEUE_H

#include <stddef.h>

#include "dataplane/io.h"

/* The maximum number of frames that wait for a device. If there are more, it has stopped, or is
 * slower than its link. */
enum { DP_MAX_WAITING = 4096 }; /* This must be a power of two. */

/* A zeroed struct is an empty queue. */
struct dp_tx_queue {
    struct dp_frame *frames;
    size_t first, n; /* The waiting frames are those from 'first' up to 'n'. */
    size_t max;      /* At this value of 'n', dp_tx_queue_make_room() must be called. */
    size_t size;     /* The number of frames for which there is memory. */
};

/* Returns false if too many frames wait. */
bool dp_tx_queue_make_room(struct dp_tx_queue *);

/* Adds a frame with its arrival time. Returns false if too many frames wait; the caller then still
 * owns the frame. Hot: once per frame. */
static inline bool
dp_tx_queue_push(struct dp_tx_queue *w, const struct dp_frame *frame, weir_ps at)
{
    if (__builtin_expect(w->n == w->max, 0) && !dp_tx_queue_make_room(w)) {
        return false;
    }
    w->frames[w->n++] =
        (struct dp_frame){ .bytes = frame->bytes, .own = frame->own, .at = at, .len = frame->len };
    return true;
}

/* Passes the frames whose time has come to the device, and returns the number that it accepts. They
 * stay in the list until the next frame is pushed. */
uint32_t dp_tx_queue_flush(struct dp_tx_queue *, const struct dp_io *, uint32_t port,
                           weir_ps until);

/* Drops all waiting frames. Returns their number. */
uint32_t dp_tx_queue_drop(struct dp_tx_queue *, const struct dp_io *);
void dp_tx_queue_free(struct dp_tx_queue *, const struct dp_io *);

static inline bool
dp_tx_queue_is_empty(const struct dp_tx_queue *w)
{
    return w->n == 0;
}

#endif
