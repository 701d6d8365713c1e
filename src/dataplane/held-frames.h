/* Frames that a switch holds, by number.  A packet is a record of 16 bytes, which has the number of
 * its frame while it is in the switch.
 *
 * The number freed last is reused first, so that the used part of the table is no larger than the
 * number of held frames, and is likely to be in the cache. */

#ifndef DATAPLANE_HELD_FRAMES_H
#define DATAPLANE_HELD_FRAMES_H

#include <assert.h>
#include <stddef.h>

#include "dataplane/frame.h"
#include "dataplane/io.h"

struct dp_held {
    struct dp_frame frame; /* A frame without bytes means that this number is free. */
    uint8_t what;          /* enum dp_what. */
    bool is_shared;        /* Another frame shares its bytes, so they must not be changed. */
};

/* A zeroed struct is an empty table. */
struct dp_handles {
    struct dp_held *items;
    uint32_t *free; /* The free numbers; the last one is used next. */
    size_t n, n_free;
};

/* Makes more free numbers. */
void dp_handles_grow(struct dp_handles *);
void dp_handles_free(struct dp_handles *, const struct dp_io *); /* Drops the held frames. */

/* Gives a number to a frame. The arrival time is not copied: it has just been written, and a copy
 * of the whole struct would wait for it. Hot: once per packet. */
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

/* Frees a number. */
static inline void
dp_handle_end(struct dp_handles *h, uint32_t handle)
{
    struct dp_held *held = &h->items[handle];

    assert(held->frame.bytes);
    held->frame.bytes = NULL;
    h->free[h->n_free++] = handle;
}

#endif
