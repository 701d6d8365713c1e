/* Frames that leave through a port. */

#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "dataplane/tx-queue.h"

static void
move_down(struct dp_tx_queue *w)
{
    w->n -= w->first;
    memmove(w->frames, &w->frames[w->first], w->n * sizeof *w->frames);
    w->first = 0;
}

/* Makes space in the list. An empty list starts again at its beginning, so that it uses few cache
 * lines. Any other list is moved to its beginning when it reaches its end. The memory is twice the
 * maximum number of waiting frames, so a move copies no more frames than were pushed since the last
 * move. */
bool
dp_tx_queue_make_room(struct dp_tx_queue *w)
{
    if (w->n - w->first == DP_MAX_WAITING) {
        return false;
    }
    if (w->n == w->size && w->size < 2 * DP_MAX_WAITING) {
        ARRAY_ROOM(w->frames, w->n, w->size);
    } else if (w->n == w->size) {
        move_down(w);
    }
    size_t most = w->first + DP_MAX_WAITING;
    w->max = most < w->size ? most : w->size;
    return true;
}

static void
begin_anew(struct dp_tx_queue *w)
{
    w->first = w->n = 0;
    w->max = w->size < DP_MAX_WAITING ? w->size : DP_MAX_WAITING;
}

/* The index after the last frame that is due. The times of a port's frames never decrease. */
static size_t
end_of_due(const struct dp_tx_queue *w, weir_ps until)
{
    size_t end = w->first;

    if (until == WEIR_NEVER) {
        return w->n;
    }
    while (end < w->n && w->frames[end].at <= until) {
        end++;
    }
    return end;
}

uint32_t
dp_tx_queue_flush(struct dp_tx_queue *w, const struct dp_io *io, uint32_t port, weir_ps until)
{
    size_t begin = w->first, end = end_of_due(w, until);

    while (w->first < end) {
        uint32_t n = end - w->first < DP_BURST ? (uint32_t)(end - w->first) : DP_BURST;
        uint32_t n_taken = io->send(io->arg, port, &w->frames[w->first], n);
        w->first += n_taken;
        if (n_taken < n) {
            break;
        }
    }
    uint32_t n_left = (uint32_t)(w->first - begin);
    if (w->first == w->n) {
        begin_anew(w);
    }
    return n_left;
}

uint32_t
dp_tx_queue_drop(struct dp_tx_queue *w, const struct dp_io *io)
{
    uint32_t n = (uint32_t)(w->n - w->first);

    for (size_t i = w->first; i < w->n; i++) {
        io->drop(io->arg, &w->frames[i]);
    }
    begin_anew(w);
    return n;
}

void
dp_tx_queue_free(struct dp_tx_queue *w, const struct dp_io *io)
{
    dp_tx_queue_drop(w, io);
    free(w->frames);
    *w = (struct dp_tx_queue){ 0 };
}
