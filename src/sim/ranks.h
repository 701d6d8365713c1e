/* Ranks: processes that run parts of one network.  This is all that the simulator knows of them.
 *
 * Every rank reads the same scenario and so knows the same model; it builds the nodes of its own
 * part, and the ends of flows that stand there.  All ranks call swap() at the same times, on one
 * thread each.  One primitive is enough.  To agree is to send the same few bytes to all ranks.  To
 * gather is to send something to the first rank alone, and to spread is to send from the first rank
 * to all (exchange.h). */

#ifndef SIM_RANKS_H
#define SIM_RANKS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/err.h"

struct sim_parcel { /* Grows as needed; none of them shrinks. */
    void *bytes;
    size_t n, max;
};

struct sim_ranks {
    uint32_t rank, n; /* The number of this one, and how many there are. */
    void *arg;

    /* Hands out[i] to rank i and takes in[i] from it, which replaces what was in there; out[rank]
     * and in[rank] are left alone.  False: a rank is gone, and 'err' names it. */
    bool (*swap)(void *arg, const struct sim_parcel *out, struct sim_parcel *in, struct err *);
};

/* sim_parcel_room() empties a parcel and makes room for 'n' bytes.  sim_parcel_more() adds 'n'
 * bytes at its end, which the caller writes. */
void sim_parcel_room(struct sim_parcel *, size_t n);
void *sim_parcel_more(struct sim_parcel *, size_t n);
void sim_parcel_add(struct sim_parcel *, const void *bytes, size_t n);
void sim_parcel_free(struct sim_parcel *);

#endif
