/* The exchange between ranks, as the parts of the simulator use it: on the first thread, while the
 * others wait, and on all ranks at the same times.  A process that runs alone exchanges nothing,
 * and these functions all return true at once. */

#ifndef SIM_EXCHANGE_H
#define SIM_EXCHANGE_H

#include "sim/run-state.h"

uint32_t sim_rank(const struct sim *); /* 0, alone. */
uint32_t sim_n_ranks(const struct sim *);

static inline uint32_t
sim_rank_of(const struct sim *sim, uint32_t node)
{
    return sim_is_here(sim, node) ? sim_rank(sim) : sim->places[node].thread - SIM_ABROAD;
}

/* Create an empty parcel for each rank, and free them with their contents. */
struct sim_parcel *sim_parcels_new(const struct sim *);
void sim_parcels_free(const struct sim *, struct sim_parcel *);

/* The first rank gets what each has: in[i] is that of rank i, at rank 0; elsewhere they are empty.
 * in[own rank] is left alone.  False: the run is aborted. */
bool sim_gather(struct sim *, const struct sim_parcel *own, struct sim_parcel *in);

/* All ranks get the first rank's bytes, in the same parcel. */
bool sim_broadcast(struct sim *, struct sim_parcel *);

/* All ranks get the bytes of each rank; in[own rank] is unchanged. */
bool sim_agree(struct sim *, const struct sim_parcel *own, struct sim_parcel *in);

/* The minimum of the numbers that ranks have; the own one if the run is broken off. */
int64_t sim_least_of_ranks(struct sim *, int64_t own);

struct sim_abroad {          /* A thread's output for another rank, since they last met. */
    struct sim_log mail;     /* As in an outbox. */
    struct sim_parcel words; /* Telemetry records. */
};

struct sim_exchange {            /* Where ranks are, as of when they last met. */
    weir_ps epoch_ps;            /* The longest time between two meetings. */
    weir_ps next_ps;             /* All have agreed on the next window of any rank, */
    bool stops;                  /* and whether a stop was requested. */
    bool is_last;                /* The first rank was asked to while it took a sample: the next
                                  * window is the last, as it is for a process alone. */
    uint64_t windows;            /* Run here since then, a bit each from next_ps on. */
    uint64_t n_windows;          /* Run by any rank since the start. */
    struct sim_parcel *out, *in; /* [rank]. */
};

/* exchange.c: one swap with the other ranks; false: the run is broken off. */
bool sim_swap(struct sim *, const struct sim_parcel *out, struct sim_parcel *in);

/* epochs.c.  Ranks meet at the border of an epoch: mail is handed over, and all know when the next
 * window is; as many as this rank can then run, due times aside. */
void sim_meet(struct sim *, weir_ps own_next);
weir_ps sim_epoch_end(const struct sim *, weir_ps next);

#endif
