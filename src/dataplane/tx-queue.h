/* Frames that leave by a port, in order. They wait here until their time has come, if links have no
 * delay of their own, and until the device takes them, in bursts. */

#ifndef DATAPLANE_TX_QUEUE_H
#define DATAPLANE_TX_QUEUE_H

#include <stddef.h>

#include "dataplane/io.h"

/* More do not wait for a device: it has stopped to take any, or is slower than its link should be.
 */
enum { DP_MAX_WAITING = 4096 }; /* A power of two. */

struct dp_tx_queue { /* Begins as zeros. */
    struct dp_frame *frames;
    size_t first, n; /* Frames from 'first' on are still here, */
    size_t max;      /* up to here before dp_tx_queue_make_room() is asked, */
    size_t size;     /* which has so much. */
};

/* False: too many wait. */
bool dp_tx_queue_make_room(struct dp_tx_queue *);

/* It is to arrive at that time.  False: too many wait, and the frame is still the caller's.  Hot:
 * once per frame. */
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

/* Hands over the frames whose time has come, as many as the device takes; returns their number.
 * Their places in the list stay as they are until the next is pushed. */
uint32_t dp_tx_queue_flush(struct dp_tx_queue *, const struct dp_io *, uint32_t port,
                           weir_ps until);

/* Drops all waiting frames; returns their number. */
uint32_t dp_tx_queue_drop(struct dp_tx_queue *, const struct dp_io *);
void dp_tx_queue_free(struct dp_tx_queue *, const struct dp_io *);

static inline bool
dp_tx_queue_is_empty(const struct dp_tx_queue *w)
{
    return w->n == 0;
}

#endif
