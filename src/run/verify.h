/* The worst case of a plan, simulated: with what the plan gives nothing may be lost, and with a
 * little less than is needed something must be. */

#ifndef RUN_VERIFY_H
#define RUN_VERIFY_H

#include "plan/request.h"

/* A switch's configuration is tried, too, with peers that are as slow as 802.3 allows, unless their
 * response is known. */

struct plan_proof {
    const char *what;         /* "pfc". */
    const char *of;           /* The meaning of the bytes: "above XOFF". */
    size_t kind;              /* The plan's kind of port. */
    uint8_t classes;          /* Lossless ones of it that this is about. */
    uint64_t bound_bytes;     /* Bytes that the plan gives. */
    uint64_t needed_bytes;    /* Bytes that the worst case found needs. */
    uint64_t inside_dropped;  /* Bytes lost with the buffer of the plan: it must be 0. */
    uint64_t n_inside_lost;   /* so many packets. */
    uint64_t outside_dropped; /* With a little less than the need, too. */
    uint64_t outside_bytes;   /* How much that was. */
    uint64_t n_runs;
};

/* Proofs of all kinds, freed by the caller; null, with the reason, if the simulator refuses. */
struct plan_proof *verify_plan(const struct plan *, const struct plan_request *, size_t *n,
                               struct err *);

/* CaPFC's, of ports of one kind: verify-capfc.c.  Fills in what the proof found. */
bool verify_capfc(const struct plan *, size_t kind, struct plan_proof *, struct err *);

/* Whether the plan holds for all of them. */
bool verify_holds(const struct plan_proof *, size_t n);

#endif
