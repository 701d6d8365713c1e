/* Frames that a switch holds, by number: a packet is a record of 16 bytes, and has the number of
 * its frame in it while it is in the switch.
 *
 * The number that was given back last is given out first, so that as much of the table is used as
 * frames are held at once: a packet that passes finds its line in the cache. */

#ifndef DATAPLANE_HELD_FRAMES_H
#define DATAPLANE_HELD_FRAMES_H

#include <assert.h>
#include <stddef.h>

#include "dataplane/frame.h"
#include "dataplane/io.h"

struct dp_held {
    struct dp_frame frame; /* Without bytes: this number is free. */
    uint8_t what;          /* enum dp_what. */
    bool is_shared;        /* Another frame has the same bytes: they may not be changed. */
};

struct dp_handles { /* Begins as zeros. */
    struct dp_held *items;
    uint32_t *free; /* Numbers that are: the last of them is given out next. */
    size_t n, n_free;
};

/* The table grows as far as it has to. */
void dp_handles_grow(struct dp_handles *);
void dp_handles_free(struct dp_handles *, const struct dp_io *); /* Drops what is held. */

/* When the frame came is not kept: that was written just now, and a copy of the whole would wait
 * for it.  Hot: once per packet. */
static inline uint32_t
dp_handle_new(struct dp_handles *h, const struct dp_frame *frame, enum dp_what what, bool is_shared)
{
    if (__builtin_expect(!h->n_free, 0)) {
        dp_handles_grow(h);
    }
    uint32_t handle = h->free[--h->n_free];
    struct dp_held *held = &h->items[handle];
    held->frame = (struct dp_frame){
        .bytes = frame->bytes, .own = frame->own, .at = WEIR_NEVER, .len = frame->len
    };
    held->what = (uint8_t)what;
    held->is_shared = is_shared;
    return handle;
}

/* That number is free from now on. */
static inline void
dp_handle_end(struct dp_handles *h, uint32_t handle)
{
    struct dp_held *held = &h->items[handle];

    assert(held->frame.bytes);
    held->frame.bytes = NULL;
    h->free[h->n_free++] = handle;
}

#endif
