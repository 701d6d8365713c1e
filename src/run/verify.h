/* Simulates the worst case of a plan: with the plan's buffer nothing may be lost, and with slightly
 * less than needed something must be. */

#ifndef RUN_VERIFY_H
#define RUN_VERIFY_H

#include "plan/request.h"

/* A proof for a scheme and a kind of port. A switch's configuration is tried, too; unless the
 * response of its peers is known, they are as slow as 802.3 allows. */

struct plan_proof {
    const char *what;         /* "pfc". */
    const char *of;           /* The meaning of the bytes: "above XOFF". */
    size_t kind;              /* The kind of port, from the plan. */
    uint8_t classes;          /* The lossless classes of the port that this proof is about. */
    uint64_t bound_bytes;     /* Bytes that the plan gives. */
    uint64_t needed_bytes;    /* Bytes that the worst case found needs. */
    uint64_t inside_dropped;  /* Bytes lost with the buffer of the plan, which must be 0. */
    uint64_t n_inside_lost;   /* The number of packets lost with the buffer of the plan. */
    uint64_t outside_dropped; /* Bytes lost with 'outside_bytes', which must not be 0. */
    uint64_t outside_bytes;   /* A buffer slightly smaller than needed. */
    uint64_t n_runs;
};

/* Proofs for all kinds of ports, freed by the caller; null with an error if the simulator
 * refuses. */
struct plan_proof *verify_plan(const struct plan *, const struct plan_request *, size_t *n,
                               struct err *);

/* Proves CaPFC for ports of one kind (verify-capfc.c), and fills in the result. */
bool verify_capfc(const struct plan *, size_t kind, struct plan_proof *, struct err *);

/* Whether all proofs hold. */
bool verify_holds(const struct plan_proof *, size_t n);

#endif
