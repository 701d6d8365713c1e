/* Written scenarios: the deadlock that a run finds, and whether the check had predicted it. */

#ifndef TESTS_CHECK_FOUND_H
#define TESTS_CHECK_FOUND_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>

#include <cmocka.h>

#include "sim/sim.h"

/* Three switches, all flows the same way round. */
#define RING                                                                                       \
    "topology: {kind: ring, switches: 3, rate: 10Gbps, delay: 1us}\n"                              \
    "run: {time: 20ms}\n"                                                                          \
    "flows: [{from: H1, to: H3, via: [S1, S2, S3]}, {from: H2, to: H1, via: [S2, S3, S1]},\n"      \
    "        {from: H3, to: H2, via: [S3, S1, S2]}]\n"

struct found {
    struct sim_deadlock deadlock;
    struct sim_totals totals;
    uint64_t received_bytes, late_bps; /* Bytes and late rate of the first flow. */
    bool was_foretold;
};

/* Results are the same for one thread and for two, and every deadlock found was predicted. */
struct found run(const char *text);

#endif
