/* The exchange between ranks, as the parts of the simulator use it: on the first thread, while the
 * others wait, and on all ranks at the same times.  A process that runs alone exchanges nothing;
 * these functions then return true at once. */

#ifndef SIM_EXCHANGE_H
#define SIM_EXCHANGE_H

#include "sim/run-state.h"

uint32_t sim_rank(const struct sim *); /* The number of this rank; 0 for a process that runs
                                        * alone. */
uint32_t sim_n_ranks(const struct sim *);

static inline uint32_t
sim_rank_of(const struct sim *sim, uint32_t node)
{
    return sim_is_here(sim, node) ? sim_rank(sim) : sim->places[node].thread - SIM_ABROAD;
}

/* Create an empty parcel for each rank, and free them with their contents. */
struct sim_parcel *sim_parcels_new(const struct sim *);
void sim_parcels_free(const struct sim *, struct sim_parcel *);

/* The first rank receives the parcels of all ranks: at rank 0, in[i] is the parcel of rank i; at
 * other ranks all are empty. in[own rank] is unchanged.  False: the run is aborted. */
bool sim_gather(struct sim *, const struct sim_parcel *own, struct sim_parcel *in);

/* Sends the bytes in the parcel of the first rank to the parcels of all other ranks. */
bool sim_broadcast(struct sim *, struct sim_parcel *);

/* Sends the bytes of each rank to all ranks; in[own rank] is unchanged. */
bool sim_agree(struct sim *, const struct sim_parcel *own, struct sim_parcel *in);

/* The minimum of a number over all ranks; returns 'own' if the run is aborted. */
int64_t sim_least_of_ranks(struct sim *, int64_t own);

struct sim_abroad {          /* The output of a thread for another rank since the ranks last met. */
    struct sim_log mail;     /* Mail, in the form of an outbox. */
    struct sim_parcel words; /* The telemetry records for the other rank. */
};

struct sim_exchange {            /* The state of all ranks, as of their last meeting. */
    weir_ps epoch_ps;            /* The longest time between two meetings. */
    weir_ps next_ps;             /* The earliest next window of any rank, agreed by all ranks. */
    bool stops;                  /* Some rank was asked to stop. */
    bool is_last;                /* The first rank was asked to stop during a sample.  The next
                                  * window is then the last one, as in a single process. */
    uint64_t windows;            /* The windows that this rank has run since that meeting, one bit
                                  * for each, from next_ps on. */
    uint64_t n_windows;          /* The number of windows that any rank has run since the start. */
    struct sim_parcel *out, *in; /* [rank]. */
};

/* exchange.c: exchanges parcels with all other ranks once; false: the run is aborted. */
bool sim_swap(struct sim *, const struct sim_parcel *out, struct sim_parcel *in);

/* epochs.c.  Ranks meet at the end of an epoch: they exchange mail and agree on the next window.
 * sim_epoch_end() is the time until which this rank can then run, apart from due times. */
void sim_meet(struct sim *, weir_ps own_next);
weir_ps sim_epoch_end(const struct sim *, weir_ps next);

#endif
