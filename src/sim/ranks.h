/* Ranks: processes that run parts of one network.  This interface is all that the simulator knows
 * of other ranks.
 *
 * Every rank reads the same scenario and so knows the same model.  It builds the nodes of its own
 * part, and the ends of flows at these nodes.  All ranks call swap() at the same times, on one
 * thread each.  One primitive is enough.  To agree, each rank sends the same few bytes to all
 * ranks.  To gather, each rank sends a parcel to the first rank; to broadcast, the first rank sends
 * a parcel to all others (exchange.h). */

#ifndef SIM_RANKS_H
#define SIM_RANKS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/err.h"

struct sim_parcel { /* A buffer that grows as needed and never shrinks. */
    void *bytes;
    size_t n, max;
};

struct sim_ranks {
    uint32_t rank, n; /* The number of this rank, and the number of ranks. */
    void *arg;

    /* Sends out[i] to rank i and receives in[i] from it, which replaces the old contents; out[rank]
     * and in[rank] are unchanged.  False: a rank has failed, and 'err' names it. */
    bool (*swap)(void *arg, const struct sim_parcel *out, struct sim_parcel *in, struct err *);
};

/* sim_parcel_room() empties a parcel and makes room for 'n' bytes. sim_parcel_more() adds 'n' bytes
 * at the end of a parcel, which the caller must write. */
void sim_parcel_room(struct sim_parcel *, size_t n);
void *sim_parcel_more(struct sim_parcel *, size_t n);
void sim_parcel_add(struct sim_parcel *, const void *bytes, size_t n);
void sim_parcel_free(struct sim_parcel *);

#endif
