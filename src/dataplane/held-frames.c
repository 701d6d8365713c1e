/* Frames that a switch holds, by number. */

#include <stdlib.h>

#include "base/array.h"
#include "dataplane/held-frames.h"

enum { AT_FIRST = 256 };

/* Doubles the table. It is seldom called, because tables do not shrink. */
void
dp_handles_grow(struct dp_handles *h)
{
    size_t n = h->n ? 2 * h->n : AT_FIRST;

    h->items = array_larger(h->items, h->n, n, sizeof *h->items);
    h->free = array_larger(h->free, h->n, n, sizeof *h->free);
    while (h->n < n) {
        h->free[h->n_free++] = (uint32_t)h->n++;
    }
}

void
dp_handles_free(struct dp_handles *h, const struct dp_io *io)
{
    for (size_t i = 0; i < h->n; i++) {
        if (h->items[i].frame.bytes) {
            io->drop(io->arg, &h->items[i].frame);
        }
    }
    free(h->items);
    free(h->free);
    *h = (struct dp_handles){ 0 };
}
